// Greedy equivalence search: best valid operator after best valid operator on essential graphs.
//
// Operators and their conditions: Chickering (2002), theorems 15 and 17 (insert, delete); Hauser and
// Buehlmann (2012), section 4.3 (turn). All three are written with one set, the clique S of
// neighbours of y that point at y. With P the directed parents of y and s(y, .) its local score:
//
//   insert x -> y   N(y) n Adj(x) in S; no semi-directed path y..x avoids S    s(y, P S x) - s(y, P S)
//   delete x .. y   S in N(y) n Adj(x)                                         s(y, P S - x) - s(y, P S x)
//   turn y -> x     N(y) n Adj(x) in S; all other paths y..x meet S or N(x)    as insert, and s(x, -y)
//   turn y - x      S not in Adj(x); S n Adj(x) cuts S from N(y) n Adj(x)      as insert, and s(x, S n Adj(x), -y)
//
// So one row of toggled scores for (y, P S) serves the inserts of all x, the deletes and the turns. Rows
// are asked for in batches, kept while their parent set stays possible, and hold only what can be used. A
// clique of k neighbours has 2^k subsets: beyond `max_clique` only the smaller ones are gone through.
#pragma once

#include <set>

#include "arrays.hpp"
#include "essential.hpp"
#include "extension.hpp"
#include "rows.hpp"
#include "ties.hpp"

namespace arcwise {

struct Settings {
  double tolerance;         // smallest gain that counts
  std::size_t max_parents;
  std::size_t max_clique;   // all subsets of cliques of so many neighbours are gone through
};

class Search {
 public:
  EssentialGraph graph;
  Pulse pulse;
  int cut = -1;  // the smallest size beyond which sets were passed over at some node; -1: none were

  Search(EssentialGraph start, Directions rules, Settings settings, nb::callable rows, Pulse watched)
      : graph(std::move(start)), pulse(std::move(watched)), rules_(std::move(rules)), settings_(settings),
        source_(std::move(rows)), nodes_(graph.size()) {}

  void begin(Kind phase) {
    phase_ = phase;
    graph.close();
    std::vector<int> all(nodes_.size());
    for (std::size_t y = 0; y < all.size(); ++y) all[y] = static_cast<int>(y);
    arrange(all, true);
    review(all);
  }

  // Make the best step; tail < 0 if none is left or the watcher wants an end. If that wish comes after the
  // graph has changed, the step stands, and nothing but the graph may be used any more.
  Operator step() {
    while (true) {
      Operator op = choose();
      if (op.tail < 0) return op;
      if (!rules_.any) {
        graph.apply(op);
      } else if (!attempt(op)) {
        continue;
      }
      settle(op);
      return op;
    }
  }

  // Score of a member of the present class; its local scores are at hand unless their sets were passed over.
  double total(const std::vector<Set>& member) {
    double sum = 0.0;
    for (int y = 0; y < graph.size(); ++y) {
      const auto& rows = nodes_[y].rows;
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.base == member[y]; });
      sum += row != rows.end() ? row->own : nb::cast<ConstVector>(source_.ask({{y, &member[y]}}, nodes_.size())[0]).data()[0];
    }
    return sum;
  }

  const Directions& rules() const { return rules_; }

 private:
  Directions rules_;
  Settings settings_;
  Source source_;
  std::vector<Node> nodes_;
  Kind phase_ = Kind::insert;
  std::vector<std::pair<int, std::size_t>> missing_;  // (node, place of row)
  std::size_t batch_ = 64;                            // rows asked for at a time
  std::vector<std::uint64_t> reached_;
  std::set<Set> refused_;  // operators whose class no permitted DAG belongs to
  std::vector<int> refused_heads_;

  // Make the rows of these nodes those of their present cliques. While inserting, a row stays good when
  // its node gets another neighbour: that one merely drops out of the candidates.
  void arrange(const std::vector<int>& stale, bool afresh) {
    missing_.clear();
    for (int y : stale) {
      std::vector<Row> old = std::move(nodes_[y].rows);
      if (afresh || phase_ != Kind::insert)
        std::erase_if(old, [&](const Row& row) { return row.version != nodes_[y].version; });
      std::sort(old.begin(), old.end(), [](const Row& a, const Row& b) { return a.base < b.base; });
      nodes_[y].rows.clear();
      const Set& near = graph.neighbours[y];
      const std::size_t most = size_bound(graph, near, settings_.max_clique);
      if (most < near.size()) cut = cut < 0 ? static_cast<int>(most) : std::min(cut, static_cast<int>(most));
      Set clique;
      add_cliques(y, clique, 0, most, old);
      if (pulse.tick(graph.edges)) return;
    }
    while (!missing_.empty() && !pulse.tick(graph.edges)) fetch();
  }

  // The rows come in the order of their cliques, as `row_of` expects.
  void add_cliques(int y, Set& clique, std::size_t from, std::size_t most, std::vector<Row>& old) {
    add_row(y, clique, old);
    if (clique.size() == most) return;
    const Set& near = graph.neighbours[y];
    for (std::size_t i = from; i < near.size() && !pulse.ended; ++i) {
      if (!all_adjacent(clique, near[i])) continue;
      clique.push_back(near[i]);
      add_cliques(y, clique, i + 1, most, old);
      clique.pop_back();
    }
  }

  const Row* row_of(int y, const Set& clique) const {
    const auto& rows = nodes_[y].rows;
    const auto place = std::lower_bound(rows.begin(), rows.end(), clique,
                                        [](const Row& row, const Set& wanted) { return row.clique < wanted; });
    return place != rows.end() && place->clique == clique ? &*place : nullptr;
  }

  void add_row(int y, const Set& clique, std::vector<Row>& old) {
    Set base(graph.parents[y].size() + clique.size());
    std::merge(graph.parents[y].begin(), graph.parents[y].end(), clique.begin(), clique.end(), base.begin());
    const auto known = std::lower_bound(old.begin(), old.end(), base,
                                        [](const Row& row, const Set& wanted) { return row.base < wanted; });
    auto& rows = nodes_[y].rows;
    if (known != old.end() && known->base == base) {
      rows.push_back(std::move(*known));
      rows.back().clique = clique;
      known->base = std::move(base);  // `old` stays in order
      if (rows.size() % 1024 == 0) pulse.tick(graph.edges);
      return;
    }
    missing_.emplace_back(y, rows.size());
    rows.push_back({std::move(base), clique, nodes_[y].version, 0.0, {}, {}});
    if (missing_.size() >= std::max<std::size_t>(batch_, 1024) && !pulse.tick(graph.edges)) fetch();
  }

  // Ask for one batch of rows, of at most some MB and a fraction of a second: the watcher has its turn.
  void fetch() {
    const std::size_t most = std::max<std::size_t>(1, (std::size_t{1} << 19) / nodes_.size());
    const std::size_t number = std::min({missing_.size(), batch_, most});
    const auto began = Pulse::Clock::now();
    fetch(missing_.size() - number);
    missing_.resize(missing_.size() - number);
    const auto took = Pulse::Clock::now() - began;
    if (took > std::chrono::milliseconds(100)) batch_ = std::max<std::size_t>(1, number / 2);
    else if (number == batch_ && took < std::chrono::milliseconds(25)) batch_ = std::min(most, 2 * batch_);
  }

  // Take from the rows of `missing_` from here on what can be used.
  void fetch(std::size_t begin) {
    Source::Wanted wanted;
    for (std::size_t i = begin; i < missing_.size(); ++i)
      wanted.emplace_back(missing_[i].first, &nodes_[missing_[i].first].rows[missing_[i].second].base);
    const nb::object answer = source_.ask(wanted, nodes_.size());
    const auto own = nb::cast<ConstVector>(answer[0]);
    const auto toggled = nb::cast<ConstMatrix>(answer[1]);
    for (std::size_t i = begin; i < missing_.size(); ++i)
      harvest(missing_[i].first, nodes_[missing_[i].first].rows[missing_[i].second], own.data()[i - begin],
              toggled.data() + (i - begin) * nodes_.size());
  }

  void harvest(int y, Row& row, double own, const double* toggled) {
    row.own = own;
    row.near.reserve(graph.parents[y].size() + graph.neighbours[y].size() + graph.children[y].size());
    graph.each_adjacent(y, [&](int x) { row.near.push_back({toggled[x] - own, x}); });
    if (row.base.size() >= settings_.max_parents) return;
    const int size = graph.size();
    for (int x = 0; x < size; ++x)
      if (toggled[x] - own > settings_.tolerance && x != y && !graph.adjacent(x, y) && !rules_.shut(x, y))
        row.far.push_back({toggled[x] - own, x});
    rank(row.far, settings_.tolerance, [](const Entry& e) { return e.gain; },
         [](const Entry& a, const Entry& b) { return a.node < b.node; });
    row.far.shrink_to_fit();
  }

  // The rows of these nodes, or what makes their operators valid, have changed.
  void review(const std::vector<int>& stale) {
    for (int y : stale) {
      if (pulse.tick(graph.edges)) return;
      if (phase_ == Kind::remove) find_remove(y);
      if (phase_ == Kind::turn) list_turns(y);
      if (phase_ != Kind::remove) reset(y);
    }
  }

  // Forget y's best operator, keeping only that none can gain more than the first of its lists.
  void reset(int y) {
    Node& node = nodes_[y];
    node.dirty = true;
    node.bound = node.turns.empty() || phase_ != Kind::turn ? settings_.tolerance : node.turns.front().gain;
    if (phase_ != Kind::insert) return;
    for (const Row& row : node.rows)
      if (!row.far.empty()) node.bound = std::max(node.bound, row.far.front().gain);
  }

  void find_best(int y) {
    Node& node = nodes_[y];
    node.dirty = false;
    node.best.tail = -1;
    node.best.gain = settings_.tolerance;
    if (phase_ == Kind::insert)
      for (const Row& row : node.rows) find_insert(y, row, node.best);
    if (phase_ == Kind::turn)
      for (const Operator& op : node.turns)
        if (open(op) && !refused(op)) {
          node.best = op;
          break;
        }
    if (phase_ == Kind::remove) find_remove(y);
    node.bound = node.best.gain;
  }

  // Operators into one node whose gains tie are taken by tail, then by clique.
  static bool earlier(const Operator& a, const Operator& b) {
    return a.tail != b.tail ? a.tail < b.tail : a.clique < b.clique;
  }

  bool beats(const Operator& op, const Operator& best) const {
    if (best.tail < 0 || std::abs(op.gain - best.gain) > settings_.tolerance) return op.gain > best.gain;
    return earlier(op, best);
  }

  void find_insert(int y, const Row& row, Operator& best) {
    reached_.clear();
    for (const Entry& e : row.far) {
      if (e.gain < best.gain - settings_.tolerance) return;
      if (!fits(y, e.node, row) || leads_to(y, e.node, row.clique)) continue;
      Operator op{Kind::insert, e.node, y, row.clique, e.gain};
      if (refused(op)) continue;
      if (beats(op, best)) best = std::move(op);
      return;
    }
  }

  // The conditions of an insert that can be seen at y and x themselves.
  bool fits(int y, int x, const Row& row) const {
    if (graph.adjacent(x, y)) return false;
    for (int z : graph.neighbours[y])
      if (graph.adjacent(z, x) && !contains(row.clique, z)) return false;
    // A parent of y that is not linked to x makes x -> y compelled, so a rule against it settles it.
    return !rules_.any || !rules_.barred.test(y, x) ||
           std::all_of(row.base.begin(), row.base.end(), [&](int z) { return graph.adjacent(z, x); });
  }

  // Is x the end of a semi-directed path from y that avoids `clique`?
  bool leads_to(int y, int x, const Set& clique) {
    if (!graph.may_reach(y, x)) return false;
    if (clique.empty() || graph.surely_reaches(y, x)) return true;
    if (reached_.empty()) graph.reach(y, clique, reached_);
    return reached_[x >> 6] >> (x & 63) & 1;
  }

  void find_remove(int y) {
    Node& node = nodes_[y];
    node.dirty = false;
    node.best.tail = -1;
    node.best.gain = settings_.tolerance;
    for (const Row& row : node.rows)
      for (const Entry& e : row.near) {
        if (!(e.gain > settings_.tolerance && e.gain >= node.best.gain - settings_.tolerance)) continue;
        if (!contains(row.base, e.node)) continue;
        if (rules_.any && (rules_.kept.test(y, e.node) || rules_.kept.test(e.node, y))) continue;
        Operator op{Kind::remove, e.node, y, row.clique, e.gain};
        std::erase(op.clique, e.node);
        if (beats(op, node.best) && all_adjacent(op.clique, e.node) && !refused(op)) node.best = std::move(op);
      }
    node.bound = node.best.gain;
  }

  bool all_adjacent(const Set& set, int x) const {
    return std::all_of(set.begin(), set.end(), [&](int z) { return graph.adjacent(z, x); });
  }

  void list_turns(int y) {
    auto& turns = nodes_[y].turns;
    turns.clear();
    for (const Row& row : nodes_[y].rows) {
      if (row.base.size() >= settings_.max_parents) continue;
      for (int x : graph.children[y]) list_turn(y, x, row, {}, true);
      for (int x : graph.neighbours[y]) {
        if (contains(row.clique, x) || all_adjacent(row.clique, x)) continue;
        Set common;
        for (int z : row.clique)
          if (graph.adjacent(z, x)) common.push_back(z);
        list_turn(y, x, row, common, false);
      }
    }
    rank(turns, settings_.tolerance, [](const Operator& op) { return op.gain; }, earlier);
  }

  // `common` are the neighbours that point at x before and after the turn. Its row holds y if the edge was
  // y -> x, and lacks y if it was y - x: there toggling y in has to be undone.
  void list_turn(int y, int x, const Row& row, const Set& common, bool directed) {
    // Neighbours of y that are adjacent to its neighbour x are neighbours of x, and they form a clique: only
    // a bound on the size of sets can have left it out.
    const Row* other = row_of(x, common);
    if (other == nullptr) return;
    const double gain = row.toward(x) + (directed ? other->toward(y) : -other->toward(y));
    if (!(gain > settings_.tolerance)) return;
    if (directed) {
      for (int z : graph.neighbours[y])
        if (graph.adjacent(z, x) && !contains(row.clique, z)) return;
    } else if (!graph.separates(y, x, row.clique)) {
      return;
    }
    nodes_[y].turns.push_back({Kind::turn, x, y, row.clique, gain});
  }

  Operator choose() {
    while (!pulse.tick(graph.edges)) {
      double best = settings_.tolerance;
      for (const Node& node : nodes_)
        if (!node.dirty) best = std::max(best, node.bound);
      for (int y = 0; y < graph.size(); ++y)
        if (nodes_[y].dirty && nodes_[y].bound >= best - settings_.tolerance &&
            nodes_[y].bound > settings_.tolerance) {
          if (pulse.tick(graph.edges)) return {};
          find_best(y);
          best = std::max(best, nodes_[y].bound);
        }
      int winner = -1;
      for (int y = 0; y < graph.size() && winner < 0; ++y)
        if (!nodes_[y].dirty && nodes_[y].best.tail >= 0 && nodes_[y].bound >= best - settings_.tolerance) winner = y;
      if (winner < 0) return {};
      if (open(nodes_[winner].best)) return nodes_[winner].best;
      nodes_[winner].dirty = true;  // a path has come up since
    }
    return {};
  }

  // Are the paths that an operator must not close absent?
  bool open(const Operator& op) {
    reached_.clear();
    if (op.kind == Kind::insert) return !leads_to(op.head, op.tail, op.clique);
    if (op.kind == Kind::remove || graph.linked(op.head, op.tail)) return true;
    return !graph.detour(op.head, op.tail, op.clique);
  }

  static Set name(const Operator& op) {
    Set out{op.tail, op.head};
    out.insert(out.end(), op.clique.begin(), op.clique.end());
    return out;
  }

  bool refused(const Operator& op) const { return !refused_.empty() && refused_.contains(name(op)); }

  // Step only if the new class has a member that obeys the rules.
  bool attempt(const Operator& op) {
    EssentialGraph next = graph;
    next.apply(op);
    if (Extension(next, rules_).exists()) {
      graph = std::move(next);
      return true;
    }
    refused_.insert(name(op));
    refused_heads_.push_back(op.head);
    nodes_[op.head].dirty = true;
    return false;
  }

  // After a step: look again where it matters, and only there. Paths that an insert shuts are looked for
  // when an operator is about to be taken. None is opened from a node y that has not changed itself: arcs
  // stay passable, and if an edge of a shortest path inside y's component is directed against the path,
  // so are, one after the other, all those before it, up to y (Meek's first rule).
  void settle(const Operator& op) {
    std::vector<int> stale = std::exchange(refused_heads_, {});
    refused_.clear();
    stale.insert(stale.end(), graph.changed.begin(), graph.changed.end());
    stale.insert(stale.end(), {op.tail, op.head});
    if (phase_ != Kind::remove) graph.close();
    if (phase_ == Kind::turn) {
      for (int y = 0; y < graph.size(); ++y) reset(y);
      arrange(unique(stale), false);
      review(with_adjacent(stale));
      return;
    }
    ++nodes_[op.tail].version;
    ++nodes_[op.head].version;
    for (int y : {op.tail, op.head}) graph.each_adjacent(y, [&](int x) { stale.push_back(x); });
    arrange(unique(stale), false);
    review(unique(stale));
  }

  static std::vector<int> unique(std::vector<int> nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  std::vector<int> with_adjacent(const std::vector<int>& nodes) const {
    std::vector<int> out = nodes;
    for (int y : nodes) graph.each_adjacent(y, [&](int x) { out.push_back(x); });
    return unique(std::move(out));
  }
};

}  // namespace arcwise
