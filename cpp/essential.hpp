// A Markov equivalence class of DAGs, kept as its essential graph (CPDAG) beside one member DAG.
//
// Facts used throughout (Andersson, Madigan and Perlman 1997): the undirected edges of an essential
// graph form chordal chain components; all nodes of a component have the same directed parents, so an
// arc into one node of a component comes with arcs into all of them; and any orientation of a component
// along the reverse of a perfect elimination order, chosen for each component on its own, gives a member.
//
// Labelling follows Chickering (1995), "A transformational characterization of equivalent Bayesian
// network structures". The member that an operator needs is found by maximum cardinality search started
// at the wanted clique (Hauser and Buehlmann 2012 use lexicographic search in the same way).
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

namespace arcwise {

using Set = std::vector<int>;  // column numbers

inline bool contains(const Set& set, int item) { return std::find(set.begin(), set.end(), item) != set.end(); }

class BitMatrix {
 public:
  explicit BitMatrix(int size)
      : words_((static_cast<std::size_t>(size) + 63) / 64), data_(static_cast<std::size_t>(size) * words_) {}
  std::size_t words() const { return words_; }
  std::uint64_t* row(int i) { return data_.data() + static_cast<std::size_t>(i) * words_; }
  const std::uint64_t* row(int i) const { return data_.data() + static_cast<std::size_t>(i) * words_; }
  bool test(int i, int j) const { return row(i)[j >> 6] >> (j & 63) & 1; }
  void set(int i, int j) { row(i)[j >> 6] |= std::uint64_t{1} << (j & 63); }
  void clear(int i, int j) { row(i)[j >> 6] &= ~(std::uint64_t{1} << (j & 63)); }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> data_;
};

enum class Kind { insert, remove, turn };

// Put tail -> head in, take it out, or turn head -> tail round, in those members of the class where
// `clique` are exactly the neighbours of head (tail aside) that point at it.
struct Operator {
  Kind kind = Kind::insert;
  int tail = -1, head = -1;
  Set clique;
  double gain = 0.0;
};

class EssentialGraph {
 public:
  // Directed parents and children and undirected neighbours of each node, ascending.
  std::vector<Set> parents, neighbours, children;
  int edges = 0;
  std::uint64_t hash = 0;    // of the essential graph
  std::vector<int> changed;  // nodes whose parents or neighbours the last step changed

  EssentialGraph(int size, const std::vector<Set>& dag)
      : parents(size), neighbours(size), children(size), size_(size), adjacent_(size), full_(size),
        below_(size), dag_parents_(dag), dag_children_(size), compelled_(size), position_(size), root_(size),
        waiting_(size), rank_(size), stamp_(size), had_below_(size), old_parents_(size),
        old_neighbours_(size) {
    for (int y = 0; y < size; ++y)
      for (int x : dag[y]) {
        dag_children_[x].push_back(y);
        join(x, y);
      }
    relabel();
  }

  int size() const { return size_; }
  bool adjacent(int x, int y) const { return adjacent_.test(x, y); }
  bool linked(int x, int y) const { return contains(neighbours[x], y); }

  template <typename Visit>
  void each_adjacent(int y, Visit visit) const {
    for (const auto* list : {&parents[y], &neighbours[y], &children[y]})
      for (int x : *list) visit(x);
  }

  // Nodes of y's chain component, y first.
  const Set& component(int y) {
    members_.assign(1, y);
    stamp_[y] = ++now_;
    for (std::size_t i = 0; i < members_.size(); ++i)
      for (int z : neighbours[members_[i]])
        if (stamp_[z] != now_) stamp_[z] = now_, members_.push_back(z);
    return members_;
  }

  // Go to the class that a valid operator leads to: O(nodes + edges).
  void apply(const Operator& op) {
    const int x = op.tail, y = op.head;
    const bool undirected = op.kind != Kind::insert && linked(x, y);
    Set first = op.clique;
    if (undirected && op.kind == Kind::remove) first.push_back(x);
    if (undirected && op.kind == Kind::turn) {
      first.push_back(y), first.push_back(x);
      orient(y, first);
    } else if (!pointed_by(y, first)) {
      first.push_back(y);
      orient(y, first);
    }
    if (op.kind == Kind::turn && !undirected && !pointed_by(x, {})) orient(x, {x});
    if (op.kind == Kind::turn) drop_arc(y, x);
    if (op.kind == Kind::remove) drop_arc(x, y);
    else add_arc(x, y);
    relabel();
  }

  // Semi-directed paths never go against an arc. Questions about them need a call of `close` after the
  // last step, which costs O(edges * nodes / 64).
  void close() {
    const std::size_t words = full_.words();
    for (int y = 0; y < size_; ++y) {
      if (root_[y] == y) std::fill_n(full_.row(y), words, 0);
      if (had_below_[y]) std::fill_n(below_.row(y), words, 0);
      had_below_[y] = !children[y].empty();
    }
    for (std::size_t i = order_.size(); i-- > 0;) {
      const int y = order_[i];
      full_.set(root_[y], y);
      // An arc into a component goes to all of it, so its root stands for it.
      for (int z : children[y])
        if (root_[z] == z) unite(below_.row(y), full_.row(z));
      if (had_below_[y]) unite(full_.row(root_[y]), below_.row(y));
    }
  }

  bool may_reach(int y, int x) const { return full_.test(root_[y], x); }  // by some path
  bool surely_reaches(int y, int x) const { return below_.test(y, x); }   // by an arc out of y

  // All ends of paths from y that avoid `blocked`, which are neighbours of y.
  void reach(int y, const Set& blocked, std::vector<std::uint64_t>& out) {
    out.assign(full_.words(), 0);
    ++now_;
    for (int z : blocked) stamp_[z] = now_;
    stamp_[y] = now_;
    stack_.assign(1, y);
    while (!stack_.empty()) {
      const int a = stack_.back();
      stack_.pop_back();
      out[a >> 6] |= std::uint64_t{1} << (a & 63);
      if (had_below_[a]) unite(out.data(), below_.row(a));
      for (int z : neighbours[a])
        if (stamp_[z] != now_) stamp_[z] = now_, stack_.push_back(z);
    }
  }

  // Is there a path from y to its child x, other than their arc, that avoids `clique` and x's neighbours?
  bool detour(int y, int x, const Set& clique) {
    ++now_;
    for (int z : clique) stamp_[z] = now_;
    for (int z : neighbours[x]) stamp_[z] = now_;
    stamp_[y] = now_;
    stack_.assign(1, y);
    while (!stack_.empty()) {
      const int a = stack_.back();
      stack_.pop_back();
      for (const Set* next : {&neighbours[a], &children[a]})
        for (int z : *next) {
          if (z == x && a != y) return true;
          if (z == x || stamp_[z] == now_ || !may_reach(z, x)) continue;
          stamp_[z] = now_;
          stack_.push_back(z);
        }
    }
    return false;
  }

  // Within the neighbours of y: does the part of `clique` linked to x cut the rest of `clique` from the
  // other neighbours linked to x?
  bool separates(int y, int x, const Set& clique) {
    ++now_;
    stack_.clear();
    for (int c : clique) {
      stamp_[c] = now_;
      if (!adjacent(c, x)) stack_.push_back(c);
    }
    stamp_[x] = now_;
    while (!stack_.empty()) {
      const int a = stack_.back();
      stack_.pop_back();
      for (int z : neighbours[y]) {
        if (stamp_[z] == now_ || !adjacent(a, z)) continue;
        if (adjacent(z, x)) return false;
        stamp_[z] = now_;
        stack_.push_back(z);
      }
    }
    return true;
  }

 private:
  int size_;
  BitMatrix adjacent_;
  BitMatrix full_;   // by root: its component and all that is reached from there
  BitMatrix below_;  // by node: what is reached by a first step along an arc
  std::vector<Set> dag_parents_, dag_children_;  // one member of the class
  std::vector<std::vector<char>> compelled_;     // parallel to dag_parents_
  std::vector<int> position_, root_, waiting_, rank_;
  std::vector<unsigned> stamp_;
  std::vector<char> had_below_;
  std::vector<Set> old_parents_, old_neighbours_;
  std::vector<int> order_, stack_, members_;
  unsigned now_ = 0;

  void unite(std::uint64_t* into, const std::uint64_t* from) const {
    for (std::size_t w = 0; w < full_.words(); ++w) into[w] |= from[w];
  }

  void join(int x, int y) {
    adjacent_.set(x, y);
    adjacent_.set(y, x);
    ++edges;
  }

  void add_arc(int x, int y) {
    dag_parents_[y].push_back(x);
    dag_children_[x].push_back(y);
    join(x, y);
  }

  void drop_arc(int x, int y) {
    std::erase(dag_parents_[y], x);
    std::erase(dag_children_[x], y);
    adjacent_.clear(x, y);
    adjacent_.clear(y, x);
    --edges;
  }

  // Do the `wanted` neighbours of y, and no others, point at y in the member at hand?
  bool pointed_by(int y, const Set& wanted) const {
    if (dag_parents_[y].size() - parents[y].size() != wanted.size()) return false;
    return std::all_of(wanted.begin(), wanted.end(), [&](int x) { return contains(dag_parents_[y], x); });
  }

  // Orient the component of y along a search that begins with `first`. Any clique may come first. The
  // beginning (C, y, x) of a turn is no clique, but the part of C linked to x cuts, with y, the component
  // into pieces in each of which it is one, and the pieces do not feel each other.
  void orient(int y, const Set& first) {
    component(y);
    search(first);
    for (int a : members_) {
      dag_parents_[a] = parents[a];
      dag_children_[a] = children[a];
      for (int b : neighbours[a]) (rank_[b] < rank_[a] ? dag_parents_ : dag_children_)[a].push_back(b);
    }
  }

  // Maximum cardinality search of `members_`; ties go to the smaller number.
  void search(const Set& first) {
    for (int a : members_) rank_[a] = -1, waiting_[a] = 0;
    std::priority_queue<std::pair<int, int>> queue;
    int next = 0;
    const auto visit = [&](int a) {
      rank_[a] = next++;
      for (int b : neighbours[a])
        if (rank_[b] < 0) queue.emplace(++waiting_[b], -b);
    };
    for (int a : first) visit(a);
    while (!queue.empty()) {
      const int a = -queue.top().second;
      queue.pop();
      if (rank_[a] < 0) visit(a);
    }
  }

  void relabel() {
    sort();
    for (int y : order_) label(y);
    rebuild();
    compare();
  }

  // Topological order of the member at hand.
  void sort() {
    order_.clear();
    for (int y = 0; y < size_; ++y) {
      waiting_[y] = static_cast<int>(dag_parents_[y].size());
      if (waiting_[y] == 0) order_.push_back(y);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      position_[order_[i]] = static_cast<int>(i);
      for (int z : dag_children_[order_[i]])
        if (--waiting_[z] == 0) order_.push_back(z);
    }
  }

  // Which arcs into y do all members share? Its last parent x decides. If an arc shared by all comes into
  // x from outside y's parents, or another parent of y is not linked to x, then every one; else just those
  // from the parents that x has in all members.
  void label(int y) {
    const Set& own = dag_parents_[y];
    compelled_[y].assign(own.size(), 0);
    root_[y] = y;
    if (own.empty()) return;
    const auto before = [&](int a, int b) { return position_[a] < position_[b]; };
    const int x = *std::max_element(own.begin(), own.end(), before);
    bool all = std::any_of(own.begin(), own.end(), [&](int z) { return z != x && !adjacent(z, x); });
    ++now_;
    for (std::size_t i = 0; i < dag_parents_[x].size(); ++i) {
      if (!compelled_[x][i]) continue;
      stamp_[dag_parents_[x][i]] = now_;
      all = all || !adjacent(dag_parents_[x][i], y);
    }
    for (std::size_t i = 0; i < own.size(); ++i) compelled_[y][i] = all || stamp_[own[i]] == now_;
    if (!all) root_[y] = root_[x];
  }

  void rebuild() {
    parents.swap(old_parents_);
    neighbours.swap(old_neighbours_);
    for (int y = 0; y < size_; ++y) parents[y].clear(), neighbours[y].clear(), children[y].clear();
    hash = 0;
    for (int y = 0; y < size_; ++y)
      for (std::size_t i = 0; i < dag_parents_[y].size(); ++i) {
        const int x = dag_parents_[y][i];
        if (compelled_[y][i]) children[x].push_back(y), parents[y].push_back(x);
        else neighbours[x].push_back(y), neighbours[y].push_back(x);
        hash += scramble(x, y, compelled_[y][i]);
      }
    for (int y = 0; y < size_; ++y) {
      std::sort(parents[y].begin(), parents[y].end());
      std::sort(neighbours[y].begin(), neighbours[y].end());
    }
  }

  // A random-looking number for an edge (the finaliser of splitmix64); a graph's hash is their sum.
  std::uint64_t scramble(int x, int y, bool arc) const {
    const auto from = static_cast<std::uint64_t>(arc ? x : std::min(x, y));
    const auto to = static_cast<std::uint64_t>(arc ? y : std::max(x, y));
    std::uint64_t h = ((from << 32 | to) * 2 + arc) + 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
  }

  void compare() {
    changed.clear();
    for (int y = 0; y < size_; ++y)
      if (parents[y] != old_parents_[y] || neighbours[y] != old_neighbours_[y]) changed.push_back(y);
  }
};

}  // namespace arcwise
