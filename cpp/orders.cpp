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
// others keep their parents wherever x goes, and x keeps its own until a variable of its grown set comes after it.
// So a move of x costs O(p) bit tests and a few walks.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "local_scores.hpp"
#include "ties.hpp"

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
  Tree(int child, LocalScores* const& scores, const Rules& rules, double tolerance)
      : child_(child), scores_(scores), rules_(rules), tolerance_(tolerance) {}

  std::size_t size = 0;   // numbers held, roughly
  std::size_t asked = 0;  // sets scored so far

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
        Set larger = nodes_[at].path;
        larger.push_back(nodes_[at].better[i]);
        const int next = find(std::move(larger));
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
    Set path, set;  // the same variables, as they were added and in ascending order
    double own = 0.0;
    bool expanded = false;
    std::vector<int> better, next;  // additions that raise the score, best first, and the nodes they lead to
    int fewer = kUnknown;           // the node without the least useful member, if that scores more
  };

  int child_;
  LocalScores* const& scores_;  // of the climb that is on
  const Rules& rules_;
  double tolerance_;
  std::vector<Node> nodes_;
  std::unordered_multimap<std::uint64_t, int> places_;
  Choices choices_;

  int find(Set path) {
    Set set(path);
    std::sort(set.begin(), set.end());
    std::uint64_t key = 0;
    for (int x : set) key ^= mixed(static_cast<std::uint64_t>(x));
    const auto [begin, end] = places_.equal_range(key);
    for (auto it = begin; it != end; ++it)
      if (nodes_[it->second].set == set) return it->second;
    size += 2 * set.size() + 48;
    nodes_.emplace_back();
    nodes_.back().path = std::move(path);
    nodes_.back().set = std::move(set);
    const int place = static_cast<int>(nodes_.size()) - 1;
    places_.emplace(key, place);
    return place;
  }

  void expand(int at) {
    if (nodes_[at].expanded) return;
    const bool room = nodes_[at].path.size() < rules_.max_parents;
    ++asked;
    scores_->ask(child_, nodes_[at].path, room, false, tolerance_, choices_);
    Node& node = nodes_[at];
    node.own = choices_.own;
    node.expanded = true;
    if (room) {
      std::vector<Option>& more = choices_.more;
      std::erase_if(more, [&](const Option& o) { return !has(rules_.allowed[child_], o.node); });
      rank(more, tolerance_, [](const Option& o) { return o.score; },
           [](const Option& a, const Option& b) { return a.node < b.node; });
      for (const Option& option : more) node.better.push_back(option.node);
      node.next.assign(node.better.size(), kNone);
      size += 2 * node.better.size();
    }
  }

  // The best member to leave out, from the last answer; of those that tie the one with the lowest number.
  void note_fewer(int at) {
    std::vector<Option>& fewer = choices_.fewer;
    const double least = nodes_[at].own + tolerance_;
    std::erase_if(fewer, [&](const Option& o) { return !(o.score > least) || contains(rules_.kept[child_], o.node); });
    nodes_[at].fewer = kNone;
    if (fewer.empty()) return;
    rank(fewer, tolerance_, [](const Option& o) { return o.score; },
         [](const Option& a, const Option& b) { return a.node < b.node; });
    Set smaller = nodes_[at].path;
    smaller.erase(std::find(smaller.begin(), smaller.end(), fewer.front().node));
    const int next = find(std::move(smaller));
    nodes_[at].fewer = next;
  }

  int shrink(int at) {
    while (true) {
      if (nodes_[at].fewer == kUnknown) {
        ++asked;
        scores_->ask(child_, nodes_[at].path, false, true, tolerance_, choices_);
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
  Orders(int p, ConstIndices barred_indptr, ConstIndices barred, ConstIndices kept_indptr, ConstIndices kept,
         std::int64_t max_parents, double tolerance, std::int64_t most)
      : p_(p), words_((static_cast<std::size_t>(p) + 63) / 64), tolerance_(tolerance),
        most_(static_cast<std::size_t>(most)) {
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
    for (int y = 0; y < p; ++y) trees_.emplace_back(y, scores_, rules_, tolerance);
    own_ = blank();
  }
  Orders(const Orders&) = delete;

  // Move variables until none has a better place; (order, parents, total, sets scored so far, how often trees were cleared,
  // whether the watcher asked for an end). The total is -inf where it did so before the first graph was known.
  nb::tuple climb(nb::handle source, ConstIndices order, ConstIndices turns, nb::callable watch) {
    std::optional<CalledScores> called;
    if (nb::isinstance<LocalScores>(source)) scores_ = nb::cast<LocalScores*>(source);
    else scores_ = &called.emplace(nb::cast<nb::callable>(source), p_);
    order_.assign(order.data(), order.data() + order.shape(0));
    watch_ = std::move(watch);
    last_ = Clock::now();
    ended_ = false;
    total_ = -INFINITY;
    try {
      enter();
      // Likely places as long as they help, then all of them, so that no move of one variable improves the end.
      std::size_t quiet = 0;
      const std::size_t all = turns.shape(0);
      for (std::size_t i = 0; quiet < 2 * all && !ended_; ++i) {
        const bool everywhere = quiet >= all;
        const bool moved = move(static_cast<int>(turns.data()[i % all]), everywhere);
        quiet = moved ? (everywhere ? all + 1 : 1) : quiet + 1;
        if (i % (1 + static_cast<std::size_t>(p_) / 16) == 0) bound_memory();
        if (Clock::now() - last_ > std::chrono::milliseconds(50)) tell(-1);
      }
    } catch (const Ended&) {
      ended_ = true;
    }
    watch_.reset();
    std::size_t asked = 0;
    for (const Tree& tree : trees_) asked += tree.asked;
    std::vector<std::int64_t> indptr{0}, parents;
    for (const Family& family : families_) {
      parents.insert(parents.end(), family.parents.begin(), family.parents.end());
      indptr.push_back(static_cast<std::int64_t>(parents.size()));
    }
    return nb::make_tuple(to_numpy(std::vector<std::int64_t>(order_.begin(), order_.end())),
                          to_numpy(std::move(indptr)), to_numpy(std::move(parents)), total_, asked, cleared_,
                          ended_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  LocalScores* scores_ = nullptr;
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
  nb::callable watch_;
  Clock::time_point last_;
  bool ended_ = false;

  // Families as they would be on the other side of the variable that is being moved.
  struct Change {
    int node;
    std::size_t rank;  // among the others
    Family family;
  };
  struct Best {
    std::size_t place;
    double total;
    Family family;
  };
  std::vector<int> rest_;  // the order without the variable that is being moved
  std::vector<Change> changes_;
  std::vector<double> sums_;  // scores of all of them, once x has passed the first 0, 1, ...
  Family own_;                // of the moved variable

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
  bool move(int x, bool everywhere) {
    rest_ = order_;
    rest_.erase(rest_.begin() + place_[x]);
    const auto here = static_cast<std::size_t>(place_[x]);
    find_changes(x, here);
    Best best{here, families_[x].score + sums_[passed(here)], families_[x]};
    const double now = best.total;
    everywhere ? try_all(x, best) : try_likely(x, best);
    if (best.place == here) return false;
    settle(x, best, best.total - now);
    return true;
  }

  // Mostly x scores the more the further back it is, and the others the less. Then only the places just before a
  // variable that x matters to are of use, and none of them gives x more than those behind it did.
  void try_likely(int x, Best& best) {
    const auto [first, last] = window(x);
    double most = INFINITY;
    std::size_t tried = rest_.size() + 1;
    for (std::size_t i = changes_.size() + 1; i-- > 0;) {
      const std::size_t place = std::min(i < changes_.size() ? changes_[i].rank : rest_.size(), last);
      if (place < first) break;
      if (std::exchange(tried, place) == place) continue;
      const double rest = sums_[passed(place)];
      if (most + rest <= best.total + tolerance_) continue;
      grow_among(x, place);
      most = own_.score;
      if (most + rest > best.total + tolerance_) best = {place, most + rest, own_};
    }
  }

  // Growing is greedy, so x may score less with more variables before it: all places, the last first. Its family stays
  // as it is until one of its grown set is no longer before it.
  void try_all(int x, Best& best) {
    const auto [first, last] = window(x);
    Bits prefix = grow_among(x, last);
    for (std::size_t place = last;; --place) {
      const double total = own_.score + sums_[passed(place)];
      if (total > best.total + tolerance_) best = {place, total, own_};
      if (place == first) return;
      const int gone = rest_[place - 1];
      take(prefix, gone);
      if (std::binary_search(own_.grown.begin(), own_.grown.end(), gone)) trees_[x].grow(prefix, own_);
    }
  }

  // The variables that x matters to, with their families on the other side of it; the sums of scores for
  // every place of x.
  void find_changes(int x, std::size_t here) {
    changes_.clear();
    Bits prefix(words_, 0);
    for (std::size_t rank = 0; rank < rest_.size(); ++rank) {
      const int y = rest_[rank];
      const Family& now = families_[y];
      const bool before = rank < here;
      if (before ? has(now.passed, x) : std::binary_search(now.grown.begin(), now.grown.end(), x)) {
        changes_.push_back({y, rank, blank()});
        if (before) put(prefix, x);
        trees_[y].grow(prefix, changes_.back().family);
        if (before) take(prefix, x);
      }
      put(prefix, y);
    }
    sums_.assign(1, 0.0);
    for (const Change& c : changes_) sums_[0] += c.rank < here ? c.family.score : families_[c.node].score;
    for (const Change& c : changes_) {  // x passes it
      const double step = families_[c.node].score - c.family.score;
      sums_.push_back(sums_.back() + (c.rank < here ? step : -step));
    }
  }

  // How many of the variables that x matters to come before a place.
  std::size_t passed(std::size_t place) const {
    const auto after = [&](const Change& c, std::size_t rank) { return c.rank < rank; };
    return static_cast<std::size_t>(std::lower_bound(changes_.begin(), changes_.end(), place, after) - changes_.begin());
  }

  // The family of x at a place, into own_; gives the variables before it.
  Bits grow_among(int x, std::size_t place) {
    Bits prefix(words_, 0);
    for (std::size_t rank = 0; rank < place; ++rank) put(prefix, rest_[rank]);
    trees_[x].grow(prefix, own_);
    return prefix;
  }

  // First and last place that required arcs leave to x.
  std::pair<std::size_t, std::size_t> window(int x) const {
    std::size_t first = 0, last = rest_.size();
    const auto rank = [&](int y) { return static_cast<std::size_t>(place_[y] - (place_[y] > place_[x])); };
    for (int y : rules_.kept[x]) first = std::max(first, rank(y) + 1);
    for (int y : dependents_[x]) last = std::min(last, rank(y));
    return {first, last};
  }

  void settle(int x, Best& best, double gain) {
    const auto here = static_cast<std::size_t>(place_[x]);
    for (Change& c : changes_)
      if ((c.rank < here) != (c.rank < best.place)) std::swap(families_[c.node], c.family);
    families_[x] = std::move(best.family);
    order_ = rest_;
    order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(best.place), x);
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
  nb::class_<arcwise::LocalScores>(m, "LocalScores");
  nb::class_<arcwise::GaussianScores, arcwise::LocalScores>(m, "GaussianScores")
      .def(nb::init<ConstMatrix, double, double, double, ConstVector, ConstVector, ConstVector, double, ConstVector>());
  nb::class_<arcwise::Orders>(m, "Orders")
      .def(nb::init<int, ConstIndices, ConstIndices, ConstIndices, ConstIndices, std::int64_t, double, std::int64_t>())
      .def("climb", &arcwise::Orders::climb);
}
