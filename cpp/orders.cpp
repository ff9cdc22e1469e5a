// Search over orders of the variables (BOSS: Andrews et al. 2023): a variable is moved to the place in the
// order that is best for the total score, one after the other, until no move helps.
//
// An order has a graph: each variable's parents are grown and shrunk among the variables before it. Growing
// adds the variable that raises the score most, again and again; shrinking takes out what is no longer
// needed. Growing is remembered in a graph of nodes for each child (a grow-shrink tree whose branches with
// the same set are one node). A node holds a set of parents and the variables whose addition raises its
// score, best first; to grow among a prefix is to follow at each node the first branch inside the prefix.
//
// Most moves change most variables not at all. A walk from the root looks at the branches it takes (the grown
// set) and at those it has to pass over because they are not in the prefix (`passed`). Let x be moved: a
// variable after x is touched only if x is in its grown set, one before x only if x was passed over. All
// others keep their parents wherever x goes. So a move of x costs O(p) bit tests and a few walks.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "local_scores.hpp"

namespace arcwise {
namespace {

using Bits = std::vector<std::uint64_t>;

bool has(const Bits& bits, int x) { return bits[x >> 6] >> (x & 63) & 1; }
void put(Bits& bits, int x) { bits[x >> 6] |= std::uint64_t{1} << (x & 63); }
void take(Bits& bits, int x) { bits[x >> 6] &= ~(std::uint64_t{1} << (x & 63)); }

// A number for a set, from one for each member (splitmix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

struct Rules {
  std::vector<Bits> allowed;  // for each child the parents it may have
  std::vector<Set> kept;      // and those it keeps
  std::size_t max_parents;
};

// Where a walk ends.
struct Family {
  double score = -INFINITY;
  Set grown, parents;  // before and after shrinking
  Bits passed;
};

// The grown and shrunk parent sets of one child, each of them scored once.
class Tree {
 public:
  Tree(int child, LocalScores& scores, const Rules& rules, double tolerance)
      : child_(child), scores_(scores), rules_(rules), tolerance_(tolerance) {}

  std::size_t size = 0;  // numbers held, roughly

  void grow(const Bits& prefix, Family& out) {
    int at = find(rules_.kept[child_]);
    std::fill(out.passed.begin(), out.passed.end(), 0);
    while (true) {
      expand(at);
      std::size_t i = 0;
      for (; i < nodes_[at].better.size() && !has(prefix, nodes_[at].better[i]); ++i)
        put(out.passed, nodes_[at].better[i]);
      if (i == nodes_[at].better.size()) break;
      if (nodes_[at].next[i] < 0) {
        Set larger = nodes_[at].set;
        larger.insert(std::lower_bound(larger.begin(), larger.end(), nodes_[at].better[i]), nodes_[at].better[i]);
        const int next = find(larger);
        nodes_[at].next[i] = next;
      }
      at = nodes_[at].next[i];
    }
    const int end = shrink(at);
    out.score = nodes_[end].own;
    out.grown = nodes_[at].set;
    out.parents = nodes_[end].set;
  }

  void clear() {
    nodes_.clear();
    places_.clear();
    size = 0;
  }

 private:
  static constexpr int kUnknown = -2, kNone = -1;

  struct Node {
    Set set;
    double own = 0.0;
    bool expanded = false;
    std::vector<int> better, next;  // additions that raise the score, best first, and the nodes they lead to
    int fewer = kUnknown;           // the node without the least useful member, if that scores more
  };

  int child_;
  LocalScores& scores_;
  const Rules& rules_;
  double tolerance_;
  std::vector<Node> nodes_;
  std::unordered_multimap<std::uint64_t, int> places_;
  Choices choices_;

  int find(const Set& set) {
    std::uint64_t key = 0;
    for (int x : set) key ^= mixed(static_cast<std::uint64_t>(x));
    const auto [begin, end] = places_.equal_range(key);
    for (auto it = begin; it != end; ++it)
      if (nodes_[it->second].set == set) return it->second;
    nodes_.emplace_back();
    nodes_.back().set = set;
    const int place = static_cast<int>(nodes_.size()) - 1;
    places_.emplace(key, place);
    size += set.size() + 32;
    return place;
  }

  void expand(int at) {
    if (nodes_[at].expanded) return;
    const bool room = nodes_[at].set.size() < rules_.max_parents;
    scores_.ask(child_, nodes_[at].set, room, false, tolerance_, choices_);
    Node& node = nodes_[at];
    node.own = choices_.own;
    node.expanded = true;
    if (room) {
      std::vector<Option>& more = choices_.more;
      std::erase_if(more, [&](const Option& o) { return !has(rules_.allowed[child_], o.node); });
      std::sort(more.begin(), more.end(), [](const Option& a, const Option& b) {
        return a.score > b.score || (a.score == b.score && a.node < b.node);
      });
      for (const Option& option : more) node.better.push_back(option.node);
      node.next.assign(node.better.size(), kNone);
      size += 2 * node.better.size();
    }
    if (choices_.fewer.size() == node.set.size()) note_fewer(at);
  }

  // The best member to leave out, from the last answer.
  void note_fewer(int at) {
    Option best{nodes_[at].own + tolerance_, -1};
    for (const Option& option : choices_.fewer)
      if (option.score > best.score && !contains(rules_.kept[child_], option.node)) best = option;
    nodes_[at].fewer = kNone;
    if (best.node < 0) return;
    Set smaller = nodes_[at].set;
    smaller.erase(std::find(smaller.begin(), smaller.end(), best.node));
    const int next = find(smaller);
    nodes_[at].fewer = next;
  }

  int shrink(int at) {
    while (true) {
      if (nodes_[at].fewer == kUnknown) {
        scores_.ask(child_, nodes_[at].set, false, true, tolerance_, choices_);
        nodes_[at].own = choices_.own;
        note_fewer(at);
      }
      if (nodes_[at].fewer == kNone) return at;
      at = nodes_[at].fewer;
    }
  }
};

class Orders {
 public:
  Orders(nb::object source, int p, ConstIndices barred_indptr, ConstIndices barred, ConstIndices kept_indptr,
         ConstIndices kept, std::int64_t max_parents, double tolerance, std::int64_t most)
      : source_(source), p_(p), words_((static_cast<std::size_t>(p) + 63) / 64), tolerance_(tolerance),
        most_(static_cast<std::size_t>(most)) {
    if (nb::isinstance<GaussianScores>(source)) {
      scores_ = nb::cast<GaussianScores*>(source);
    } else {
      called_ = std::make_unique<CalledScores>(nb::cast<nb::callable>(source), p);
      scores_ = called_.get();
    }
    rules_.max_parents = static_cast<std::size_t>(max_parents);
    rules_.allowed.assign(p, Bits(words_, ~std::uint64_t{0}));
    rules_.kept.resize(p);
    dependents_.resize(p);
    for (int y = 0; y < p; ++y) {
      for (std::int64_t i = barred_indptr.data()[y]; i < barred_indptr.data()[y + 1]; ++i)
        take(rules_.allowed[y], static_cast<int>(barred.data()[i]));
      for (std::int64_t i = kept_indptr.data()[y]; i < kept_indptr.data()[y + 1]; ++i) {
        rules_.kept[y].push_back(static_cast<int>(kept.data()[i]));
        dependents_[kept.data()[i]].push_back(y);
      }
    }
    trees_.reserve(p);
    for (int y = 0; y < p; ++y) trees_.emplace_back(y, *scores_, rules_, tolerance);
  }
  Orders(const Orders&) = delete;

  // Move variables until none has a better place; (order, parents, total, how often trees were cleared,
  // whether the watcher asked for an end). The total is -inf where it did so before the first graph was known.
  nb::tuple climb(ConstIndices order, ConstIndices turns, nb::callable watch) {
    order_.assign(order.data(), order.data() + order.shape(0));
    watch_ = std::move(watch);
    last_ = Clock::now();
    ended_ = false;
    total_ = -INFINITY;
    try {
      enter();
      std::size_t quiet = 0;
      for (std::size_t i = 0; quiet < turns.shape(0) && !ended_; ++i) {
        quiet = move(static_cast<int>(turns.data()[i % turns.shape(0)])) ? 1 : quiet + 1;
        bound_memory();
        if (Clock::now() - last_ > std::chrono::milliseconds(50)) tell(-1);
      }
    } catch (const Ended&) {
      ended_ = true;
    }
    watch_.reset();
    std::vector<std::int64_t> indptr{0}, parents;
    for (const Family& family : families_) {
      parents.insert(parents.end(), family.parents.begin(), family.parents.end());
      indptr.push_back(static_cast<std::int64_t>(parents.size()));
    }
    return nb::make_tuple(to_numpy(std::vector<std::int64_t>(order_.begin(), order_.end())),
                          to_numpy(std::move(indptr)), to_numpy(std::move(parents)), total_, cleared_, ended_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  nb::object source_;
  std::unique_ptr<CalledScores> called_;
  LocalScores* scores_;
  int p_;
  std::size_t words_;
  double tolerance_;
  std::size_t most_;
  int cleared_ = 0;
  Rules rules_;
  std::vector<Set> dependents_;  // for each variable those that keep it as a parent
  std::vector<Tree> trees_;

  std::vector<int> order_, place_;
  std::vector<Family> families_;  // of each variable, by number
  double total_ = -INFINITY;
  nb::object watch_;
  Clock::time_point last_;
  bool ended_ = false;

  // Families as they would be on the other side of the variable that is being moved.
  struct Change {
    int node;
    std::size_t rank;  // among the others
    Family family;
  };
  std::vector<Change> changes_;
  std::vector<Family> own_;  // of the moved variable
  std::vector<std::size_t> which_;

  Family blank() const { return {-INFINITY, {}, {}, Bits(words_, 0)}; }

  void enter() {
    std::vector<Family> families(p_, blank());
    Bits prefix(words_, 0);
    double total = 0.0;
    for (int y : order_) {
      trees_[y].grow(prefix, families[y]);
      total += families[y].score;
      put(prefix, y);
    }
    families_ = std::move(families);
    total_ = total;
    place_.resize(p_);
    for (int i = 0; i < p_; ++i) place_[order_[i]] = i;
  }

  int arcs() const {
    std::size_t sum = 0;
    for (const Family& family : families_) sum += family.parents.size();
    return static_cast<int>(sum);
  }

  void tell(int node) {
    if (nb::cast<bool>(watch_(node, total_, arcs()))) ended_ = true;
    last_ = Clock::now();
  }

  // Put x where it is best; whether it moved.
  bool move(int x) {
    std::vector<int> rest(order_);
    rest.erase(rest.begin() + place_[x]);
    changes_.clear();
    Bits prefix(words_, 0);
    for (std::size_t rank = 0; rank < rest.size(); ++rank) {  // variables that x matters to
      const int y = rest[rank];
      const Family& now = families_[y];
      const bool before = static_cast<int>(rank) < place_[x];
      if (before ? has(now.passed, x) : std::binary_search(now.grown.begin(), now.grown.end(), x)) {
        changes_.push_back({y, rank, blank()});
        if (before) put(prefix, x);
        trees_[y].grow(prefix, changes_.back().family);
        if (before) take(prefix, x);
      }
      put(prefix, y);
    }
    grow_own(x, rest);
    const auto [first, last] = window(x, rest);
    // later = the scores of changed variables from this place on, with x before them, and without
    double with = 0.0, without = 0.0;
    for (const Change& c : changes_) {
      const bool before = static_cast<int>(c.rank) < place_[x];
      with += before ? c.family.score : families_[c.node].score;
    }
    std::size_t next = 0, best = static_cast<std::size_t>(place_[x]);
    double top = -INFINITY, here = -INFINITY;
    for (std::size_t place = 0; place <= rest.size(); ++place) {
      while (next < changes_.size() && changes_[next].rank < place) {
        const Change& c = changes_[next++];
        const bool before = static_cast<int>(c.rank) < place_[x];
        with -= before ? c.family.score : families_[c.node].score;
        without += before ? families_[c.node].score : c.family.score;
      }
      if (place < first || place > last) continue;
      const double value = own_[which_[place]].score + with + without;
      if (static_cast<int>(place) == place_[x]) here = value;
      if (value > top + tolerance_) top = value, best = place;
    }
    if (!(top > here + tolerance_)) return false;
    settle(x, rest, best, top - here);
    return true;
  }

  // The family of x at every place: it changes only where a variable joins that the last walk passed over.
  void grow_own(int x, const std::vector<int>& rest) {
    which_.resize(rest.size() + 1);
    std::size_t used = 0;
    Bits prefix(words_, 0);
    const auto grow = [&] {
      if (used == own_.size()) own_.push_back(blank());
      trees_[x].grow(prefix, own_[used++]);
    };
    for (int y : rules_.kept[x]) put(prefix, y);  // places before them are never taken
    grow();
    which_[0] = 0;
    for (std::size_t place = 1; place <= rest.size(); ++place) {
      const int joined = rest[place - 1];
      if (!has(prefix, joined)) {
        put(prefix, joined);
        if (has(own_[used - 1].passed, joined)) grow();
      }
      which_[place] = used - 1;
    }
  }

  // First and last place that required arcs leave to x.
  std::pair<std::size_t, std::size_t> window(int x, const std::vector<int>& rest) const {
    std::size_t first = 0, last = rest.size();
    const auto rank = [&](int y) { return static_cast<std::size_t>(place_[y] - (place_[y] > place_[x])); };
    for (int y : rules_.kept[x]) first = std::max(first, rank(y) + 1);
    for (int y : dependents_[x]) last = std::min(last, rank(y));
    return {first, last};
  }

  void settle(int x, const std::vector<int>& rest, std::size_t best, double gain) {
    for (Change& c : changes_) {
      const bool before = static_cast<int>(c.rank) < place_[x], after = c.rank < best;
      if (before != after) std::swap(families_[c.node], c.family);
    }
    families_[x] = own_[which_[best]];
    order_ = rest;
    order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(best), x);
    for (int i = 0; i < p_; ++i) place_[order_[i]] = i;
    total_ += gain;
    tell(x);
  }

  void bound_memory() {
    std::size_t held = 0;
    for (const Tree& tree : trees_) held += tree.size;
    if (held <= most_) return;
    for (Tree& tree : trees_) tree.clear();
    ++cleared_;
  }
};

}  // namespace
}  // namespace arcwise

void bind_orders(nanobind::module_& m) {
  namespace nb = nanobind;
  using arcwise::ConstIndices, arcwise::ConstMatrix, arcwise::ConstVector;
  nb::class_<arcwise::GaussianScores>(m, "GaussianScores")
      .def(nb::init<ConstMatrix, double, double, double, ConstVector, ConstVector, ConstVector, double, ConstVector>());
  nb::class_<arcwise::Orders>(m, "Orders")
      .def(nb::init<nb::object, int, ConstIndices, ConstIndices, ConstIndices, ConstIndices, std::int64_t, double,
                    std::int64_t>())
      .def("climb", &arcwise::Orders::climb);
}
