// Markov chains over orders (Friedman and Koller 2003) and over ordered partitions (Kuipers and Moffa 2017) of the variables.
//
// An order weighs the sum over the graphs whose arcs all go along it: the product over variables of the sum over parent sets
// among those before. A graph agrees with many orders, but with one partition: its roots come first, then the roots of what is
// left, and so on. A variable of a later element so has a parent in the element just before it and all others further before.
//
// Both chains move one variable to a place drawn among all (a Gibbs step), swap two, or, for partitions, split and join
// elements, turn arcs of a graph drawn from the present partition, and move a variable in an order of such a graph. The last two make
// a chain over graphs, too. A graph is drawn from the present order or partition where a draw is recorded; where graphs have to
// fulfil a condition, after every step, which is undone if the graph does not.
#include <numeric>
#include <tuple>
#include <utility>

#include "clones.hpp"
#include "reversal.hpp"

namespace arcwise {

// The weight of a set of one or two words that lies inside, or zero. It is cleared by its bits: a choice between a weight that is
// loaded and zero becomes a masked load in GCC 12, which takes other weights than those asked for.
template <int words>
inline double weight_inside(const Word* set, double weight, const Word* outside) {
  Word out = set[0] & outside[0];
  if constexpr (words == 2) out |= set[1] & outside[1];
  return std::bit_cast<double>(std::bit_cast<Word>(weight) & -static_cast<Word>(out == 0));
}

template <int words>
inline double sum_of(double sum, const Word* sets, const double* weights, const double* rests, std::int64_t n, const Word* outside) {
  constexpr std::int64_t kBlock = 16;
  const auto weight = [&](std::int64_t i) { return weight_inside<words>(sets + words * i, weights[i], outside); };
  std::int64_t first = 0;
  for (; first + kBlock <= n; first += kBlock) {
    if (rests[first] < 0x1p-54 * sum) return sum;
    double one = 0.0, two = 0.0, three = 0.0, four = 0.0;
    for (std::int64_t i = first; i < first + kBlock; i += 4) {
      one += weight(i);
      two += weight(i + 1);
      three += weight(i + 2);
      four += weight(i + 3);
    }
    sum += (one + three) + (two + four);
  }
  for (; first < n; ++first) sum += weight(first);
  return sum;
}

ARCWISE_CLONES double sum_inside(double sum, const Word* sets, const double* weights, const double* rests, std::int64_t n,
                                 std::size_t words, const Word* allowed) {
  const Word outside[2] = {~allowed[0], words == 2 ? ~allowed[1] : 0};
  return words == 1 ? sum_of<1>(sum, sets, weights, rests, n, outside) : sum_of<2>(sum, sets, weights, rests, n, outside);
}

namespace {

using Places = std::vector<int>;
using Bits = std::vector<Word>;

// Which parents each variable may have, and which of these it must have one of; and the logs of its sums.
struct Arrangement {
  Bits allowed, needed;     // (p, words)
  std::vector<char> bound;  // whether `needed` counts
  std::vector<double> values;
};

}  // namespace

class PlaceChain {
 public:
  // Of orders, of partitions, in which a variable's place is the number of its element, or of graphs, whose places do not matter.
  // `groups` (offsets, members) are variables that are moved together now and then.
  PlaceChain(nb::object sets, bool levels, bool graphs, ConstIndices offsets, ConstIndices members)
      : held_(sets), sets_(nb::cast<ParentSets*>(sets)), p_(sets_->p()), words_(sets_->words()), levels_(levels), graphs_(graphs),
        rows_of_(p_, words_), graph_(static_cast<std::size_t>(p_) * words_) {
    find_kin();
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      groups_.emplace_back(members.data() + offsets.data()[i], members.data() + offsets.data()[i + 1]);
  }

  void go_to(ConstIndices places, ConstWords graph, Seed generator, std::int64_t taken) {
    if (places.size() != static_cast<std::size_t>(p_) || graph.size() != graph_.size())
      throw nb::value_error("the tables of a chain have different sizes");
    places_.assign(places.data(), places.data() + places.size());
    graph_.assign(graph.data(), graph.data() + graph.size());
    std::copy_n(generator.data(), 4, random_.state.begin());
    taken_ = taken;
    if (graphs_) return void(rows_of_.descendants(graph_));  // throws where there is a cycle
    now_ = arrange(places_);
    if (std::find(now_.values.begin(), now_.values.end(), -INFINITY) != now_.values.end())
      throw nb::value_error("the start of a chain has no graph");
  }

  // (states, scores, accepted, steps, ended), as for a chain over graphs.
  nb::tuple run(std::int64_t steps, std::int64_t thin, nb::callable watch, nb::object permits) {
    std::vector<Word> states;
    std::vector<double> totals;
    std::int64_t accepted = 0, done = 0;
    bool ended = false;
    {
      nb::gil_scoped_release release;
      Patience patience(8);
      const bool free = permits.is_none();
      for (; done < steps && !ended; ++done) {
        accepted += free ? step() : careful_step(permits);
        if ((++taken_) % thin == 0) {
          if (free) draw();
          states.insert(states.end(), graph_.begin(), graph_.end());
          totals.push_back(score());
        }
        if (patience.over(done + 1)) {
          nb::gil_scoped_acquire acquire;
          ended = nb::cast<bool>(watch(done + 1, total()));
        }
      }
    }
    return nb::make_tuple(to_numpy(std::move(states)), to_numpy(std::move(totals)), accepted, done, ended);
  }

  nb::tuple state() const {
    return nb::make_tuple(to_numpy(std::vector<std::int64_t>(places_.begin(), places_.end())), to_numpy(graph_),
                          to_numpy(std::vector<Word>(random_.state.begin(), random_.state.end())), taken_);
  }
  double total() { return graphs_ ? score() : sum(now_); }

  // Offer a swap of states to a chain at another power, which leaves both distributions as they are; whether it was taken. Two
  // chains over orders, or over partitions, swap these; others swap graphs of theirs.
  bool exchange(PlaceChain& other) {
    if (levels_ == other.levels_ && !graphs_ && !other.graphs_) {
      Arrangement mine = arrange(other.places_), its = other.arrange(places_);
      if (!random_.takes(sum(mine) + sum(its) - sum(now_) - sum(other.now_))) return false;
      std::swap(places_, other.places_);
      now_ = std::move(mine);
      other.now_ = std::move(its);
      return true;
    }
    draw();
    other.draw();
    if (!random_.takes(score_of(other.graph_) + other.score_of(graph_) - score() - other.score())) return false;
    Bits mine(graph_);
    go_to_graph(other.graph_);
    other.go_to_graph(std::move(mine));
    return true;
  }

 private:
  static constexpr int kKin = 8, kMost = 5;  // variables tied most, and of them how many move beside another
  nb::object held_;
  ParentSets* sets_;
  int p_;
  std::size_t words_;
  bool levels_, graphs_;
  Rows rows_of_;
  std::vector<Places> kin_, groups_;  // for each variable those that it is tied to most; variables to move together
  Places places_;
  Arrangement now_;
  Bits graph_;
  Random random_;
  std::int64_t taken_ = 0;

  const Word* row(const Bits& table, int v) const { return table.data() + static_cast<std::size_t>(v) * words_; }
  Word* row(Bits& table, int v) const { return table.data() + static_cast<std::size_t>(v) * words_; }

  double value(int v, const Word* allowed, const Word* needed) { return sets_->log_sum(v, allowed, needed); }

  // The members of each place, as bits.
  Bits elements(const Places& places, int count) const {
    Bits found(static_cast<std::size_t>(count) * words_, 0);
    for (int v = 0; v < p_; ++v)
      if (places[v] >= 0) put(row(found, places[v]), v);
    return found;
  }
  static int count_of(const Places& places) { return 1 + *std::max_element(places.begin(), places.end()); }

  // All that a placement means; what is as before is not summed again.
  Arrangement arrange(const Places& places) {
    const int count = count_of(places);
    const Bits members = elements(places, count);
    Bits before(members.size() + words_, 0);
    for (int j = 0; j < count; ++j)
      for (std::size_t w = 0; w < words_; ++w) row(before, j + 1)[w] = row(before, j)[w] | row(members, j)[w];
    Arrangement next;
    next.allowed.resize(graph_.size());
    next.needed.assign(graph_.size(), 0);
    next.bound.assign(static_cast<std::size_t>(p_), 0);
    next.values.resize(static_cast<std::size_t>(p_));
    for (int v = 0; v < p_; ++v) {
      const int j = places[v];
      std::copy_n(row(before, j), words_, row(next.allowed, v));
      next.bound[v] = levels_ && j > 0;
      if (next.bound[v]) std::copy_n(row(members, j - 1), words_, row(next.needed, v));
      const bool same = !now_.values.empty() && std::equal(row(next.allowed, v), row(next.allowed, v) + words_, row(now_.allowed, v)) &&
                        std::equal(row(next.needed, v), row(next.needed, v) + words_, row(now_.needed, v));
      next.values[v] = same ? now_.values[v] : value(v, row(next.allowed, v), next.bound[v] ? row(next.needed, v) : nullptr);
      if (next.values[v] == -INFINITY) break;  // no graph: the rest does not matter
    }
    return next;
  }

  static double sum(const Arrangement& each) {
    double total = 0.0;
    for (double x : each.values) {
      if (x == -INFINITY) return x;
      total += x;
    }
    return total;
  }

  bool propose(Places places, double log_ratio) {
    Arrangement next = arrange(places);
    const bool possible = std::find(next.values.begin(), next.values.end(), -INFINITY) == next.values.end();
    if (!random_.takes(possible ? sum(next) - sum(now_) + log_ratio : -INFINITY)) return false;
    places_ = std::move(places);
    now_ = std::move(next);
    return true;
  }

  bool step() {
    if (p_ < 2) return false;
    const Word kind = random_.below(16);
    if (graphs_) return kind < 12 ? move_by_order() : kind < 14 ? reverse() : redraw();
    if (!levels_) return kind < 9 ? move_in_order() : kind < 13 ? swap_neighbours() : kind < 15 ? swap() : permute_in_order();
    if (kind < 4) return move_between_elements();
    if (kind < 6) return split_or_join();
    if (kind < 8) return swap();
    if (kind < 10) return reverse();
    return kind < 15 ? move_by_order() : redraw();
  }

  // Draw a graph of the present partition, turn an arc with new parents for its ends, and go to the partition of that.
  bool reverse() {
    draw();
    Rows::Reversal next = rows_of_.reversal(graph_, *sets_, random_);
    if (next.tail < 0 || !random_.takes(next.log_ratio)) return false;
    go_to_graph(std::move(next.parents));
    return true;
  }

  bool careful_step(const nb::object& permits) {
    const Places places(places_);
    const Arrangement before(now_);
    const Bits graph(graph_);
    const bool moved = step();
    draw();
    bool fine = false;
    {
      nb::gil_scoped_acquire acquire;
      fine = nb::cast<bool>(permits(to_numpy(graph_)));
    }
    if (fine) return moved;
    places_ = places;
    now_ = before;
    graph_ = graph;
    return false;
  }

  // Two variables of different places change them.
  bool swap() {
    const int v = random_.under(p_);
    int w = random_.under(p_ - 1);
    w += w >= v;
    if (places_[v] == places_[w]) return false;
    Places next(places_);
    std::swap(next[v], next[w]);
    return propose(std::move(next), 0.0);
  }

  bool swap_neighbours() {
    const int place = random_.under(p_ - 1);
    Places next(places_);
    for (int& each : next)
      if (each == place || each == place + 1) each = 2 * place + 1 - each;
    return propose(std::move(next), 0.0);
  }

  // Log weights of the orders in which v is put at each place among the others.
  std::vector<double> weights(const Places& others, int v) {
    const int count = static_cast<int>(others.size());
    Bits before(words_, 0), with(words_, 0);
    put(with.data(), v);
    std::vector<double> first, later, own;
    for (int w : others) {
      own.push_back(value(v, before.data(), nullptr));
      first.push_back(value(w, before.data(), nullptr));
      later.push_back(value(w, with.data(), nullptr));
      put(before.data(), w);
      put(with.data(), w);
    }
    own.push_back(value(v, before.data(), nullptr));
    later.push_back(0.0);
    for (int j = count; j-- > 0;) later[j] += later[j + 1];
    std::vector<double> logs;
    double passed = 0.0;
    for (int j = 0; j <= count; ++j) {
      logs.push_back(passed + own[j] + later[j]);
      if (j < count) passed += first[j];
    }
    return logs;
  }

  // One variable to a place in the order, drawn among all in proportion to their weights.
  bool move_in_order() {
    const int v = random_.under(p_), old = places_[v];
    Places others(static_cast<std::size_t>(p_ - 1));
    for (int w = 0; w < p_; ++w)
      if (w != v) others[places_[w] - (places_[w] > old)] = w;
    const int place = random_.among(weights(others, v));
    if (place < 0 || place == old) return false;
    for (int j = 0; j < p_ - 1; ++j) places_[others[j]] = j + (j >= place);
    places_[v] = place;
    now_ = arrange(places_);
    return true;
  }

  // The same for a graph G of the present partition, by way of an order that agrees with it.
  //
  // The order o is drawn with probability q(o | G), see `topological`. On pairs of a
  // graph and an order the distribution w(G) q(o | G) has the wanted one for graphs. A variable moves to another place
  // in proportion to the weights of orders, and the variables between both places get new parents in proportion to theirs; this
  // is reversible for w(G) alone, so that it is accepted with q(o' | G') / q(o | G).
  bool move_by_order() {
    draw();
    Places order;
    const double q = topological(graph_, order, true);
    Bits next = moved(order);
    if (next.empty() || !random_.takes(topological(next, order, false) - q)) return false;
    const bool changed = next != graph_;
    go_to_graph(std::move(next));
    return changed;
  }

  // Move a variable in an order of the present graph, or permute several, and give all between new parents; empty where impossible.
  Bits moved(Places& order) {
    int first = 0, last = 0;
    if (random_.below(8) == 0) {
      std::tie(first, last) = permuted(order);
    } else {
      const int old = random_.under(p_), v = order[old];
      order.erase(order.begin() + old);
      const int place = random_.among(weights(order, v));
      if (place < 0) return {};
      order.insert(order.begin() + place, v);
      std::tie(first, last) = std::minmax(old, place);
    }
    Bits next(graph_), before(words_, 0);
    for (int j = 0; j <= last; ++j) {
      if (j >= first) std::copy_n(sets_->set(sets_->draw(order[j], before.data(), nullptr, random_)), words_, row(next, order[j]));
      put(before.data(), order[j]);
    }
    return next;
  }

  // Permute a variable and some of its kin among their places in an order, in proportion to the weights of the orders; the first and
  // the last of these places. The sum over permutations goes by the sets of those that have come so far.
  std::pair<int, int> permuted(Places& order) {
    const Places chosen = group();
    const int size = static_cast<int>(chosen.size());
    const std::size_t full = (std::size_t{1} << size) - 1;
    Places slots;
    std::vector<char> free(static_cast<std::size_t>(p_), 0);
    for (int u : chosen) free[u] = 1;
    for (int j = 0; j < p_; ++j)
      if (free[order[j]]) slots.push_back(j);
    std::vector<double> logs(full + 1, -INFINITY), ways(full * static_cast<std::size_t>(size), -INFINITY), last(chosen.size());
    logs[0] = 0.0;
    Bits start(words_, 0), before(words_);  // those that stay, up to a place; with the chosen that have come
    for (int count = 0, reached = 0; count < size; ++count) {
      Places between;
      for (; reached < slots[count]; ++reached)
        if (!free[order[reached]]) between.push_back(order[reached]);
      for (std::size_t mask = 0; mask < full; ++mask) {
        if (std::popcount(mask) != count || logs[mask] == -INFINITY) continue;
        before = start;
        for (int i = 0; i < size; ++i)
          if (mask >> i & 1) put(before.data(), chosen[i]);
        for (int u : between) {
          if (count > 0) logs[mask] += value(u, before.data(), nullptr);
          put(before.data(), u);
        }
        come(logs, ways, mask, chosen, before.data());
      }
      for (int u : between) put(start.data(), u);
    }
    std::size_t mask = full;
    for (int j = size; j-- > 0;) order[slots[j]] = chosen[went(ways, mask, size, last)];
    return {slots.front(), slots.back()};
  }

  // Add the ways in which each of the chosen may come next to the sums over those that have come.
  void come(std::vector<double>& logs, std::vector<double>& ways, std::size_t mask, const Places& chosen, const Word* before) {
    const std::size_t size = chosen.size();
    for (std::size_t i = 0; i < size; ++i) {
      if (mask >> i & 1) continue;
      const double way = logs[mask] + value(chosen[i], before, nullptr);
      double& sum = logs[mask | std::size_t{1} << i];
      const double most = std::max(sum, way), least = std::min(sum, way);
      sum = least == -INFINITY ? most : most + std::log1p(std::exp(least - most));
      ways[mask * size + i] = way;
    }
  }

  // Which of those that have come was the last, drawn by these ways; it is taken out.
  int went(const std::vector<double>& ways, std::size_t& mask, int size, std::vector<double>& last) {
    for (int i = 0; i < size; ++i) {
      const std::size_t before = mask & ~(std::size_t{1} << i);
      last[i] = before == mask ? -INFINITY : ways[before * static_cast<std::size_t>(size) + static_cast<std::size_t>(i)];
    }
    const int i = random_.among(last);
    mask &= ~(std::size_t{1} << i);
    return i;
  }

  bool permute_in_order() {
    Places order(static_cast<std::size_t>(p_));
    for (int v = 0; v < p_; ++v) order[places_[v]] = v;
    const Places old(order);
    permuted(order);
    if (order == old) return false;
    for (int j = 0; j < p_; ++j) places_[order[j]] = j;
    now_ = arrange(places_);
    return true;
  }

  void find_kin() {
    std::vector<std::vector<double>> ties;
    for (int v = 0; v < p_; ++v) ties.push_back(sets_->ties(v));
    for (int v = 0; v < p_; ++v) {
      Places others;
      for (int u = 0; u < p_; ++u)
        if (u != v) others.push_back(u);
      const auto tie = [&](int u) { return std::max(ties[v][u], ties[u][v]); };
      std::stable_sort(others.begin(), others.end(), [&](int a, int b) { return tie(a) > tie(b); });
      others.resize(std::min<std::size_t>(others.size(), kKin));
      kin_.push_back(std::move(others));
    }
  }

  // One of the groups, or a variable with some of its kin, chosen whatever the state.
  Places group() {
    if (!groups_.empty() && random_.below(2)) return groups_[static_cast<std::size_t>(random_.below(groups_.size()))];
    const int v = random_.under(p_);
    Places chosen(kin_[v]);
    const int all = static_cast<int>(chosen.size()), size = 1 + random_.under(std::min(kMost, all));
    for (int i = 0; i < size; ++i) std::swap(chosen[i], chosen[i + random_.under(all - i)]);
    chosen.resize(static_cast<std::size_t>(size));
    chosen.push_back(v);
    return chosen;
  }

  // Draw the parents of several variables S anew, all at once, the others keeping theirs (Goudie and Mukherjee 2016).
  //
  // Given an order of S, a member may have all parents that neither it nor a later member leads to in the graph without the
  // parents of S. So the sum over the orders of S and the graphs along them goes by the sets of members that have come so far, and a
  // graph is drawn in proportion to w(G) times the number of orders of S that agree with it, by which it is accepted.
  bool redraw() {
    draw();
    const Places chosen = group();
    const int size = static_cast<int>(chosen.size());
    const std::size_t full = (std::size_t{1} << size) - 1;
    Bits next(graph_);
    for (int v : chosen) std::fill_n(row(next, v), words_, Word{0});
    Bits below = rows_of_.descendants(next), open((full + 1) * words_, ~Word{0});
    for (int v : chosen) put(row(below, v), v);
    const auto open_to = [&](std::size_t mask) { return open.data() + mask * words_; };
    std::vector<double> logs(full + 1, -INFINITY), ways(full * static_cast<std::size_t>(size), -INFINITY), last(chosen.size());
    logs[0] = 0.0;
    for (std::size_t mask = 0; mask < full; ++mask) {
      if (logs[mask] == -INFINITY) continue;
      for (int i = 0; i < size; ++i)
        if (!(mask >> i & 1))
          for (std::size_t w = 0; w < words_; ++w) open_to(mask)[w] &= ~row(below, chosen[i])[w];
      come(logs, ways, mask, chosen, open_to(mask));
    }
    for (std::size_t mask = full; mask;) {
      const int v = chosen[went(ways, mask, size, last)];
      std::copy_n(sets_->set(sets_->draw(v, open_to(mask), nullptr, random_)), words_, row(next, v));
    }
    if (next == graph_ || !random_.takes(std::log(orders_of(graph_, chosen)) - std::log(orders_of(next, chosen)))) return false;
    go_to_graph(std::move(next));
    return true;
  }

  // How many orders of some variables agree with a graph.
  double orders_of(const Bits& graph, const Places& chosen) const {
    const Bits below = rows_of_.descendants(graph);
    const std::size_t full = (std::size_t{1} << chosen.size()) - 1;
    std::vector<std::size_t> later(chosen.size(), 0);
    for (std::size_t i = 0; i < chosen.size(); ++i)
      for (std::size_t j = 0; j < chosen.size(); ++j)
        if (has(row(below, chosen[i]), chosen[j])) later[i] |= std::size_t{1} << j;
    std::vector<double> counts(full + 1, 0.0);
    counts[0] = 1.0;
    for (std::size_t mask = 0; mask < full; ++mask)
      for (std::size_t i = 0; i < chosen.size(); ++i)
        if (!(mask >> i & 1) && !(later[i] & mask)) counts[mask | std::size_t{1} << i] += counts[mask];
    return counts[full];
  }

  // Log of q(order | graph); the order is drawn, or given. Of the variables whose parents are all there, each comes next with a
  // probability in proportion to the number of variables it leads to, itself included. In a forest all orders then are equally
  // probable (Knuth 1973, 5.1.4, exercise 20), and in other graphs nearly so.
  double topological(const Bits& graph, Places& order, bool drawn) {
    if (drawn) order.clear();
    const Bits below = rows_of_.descendants(graph);
    double log = 0.0;
    int sum = 0;  // of the sizes of those that are ready
    Places ready, waiting(static_cast<std::size_t>(p_)), sizes(static_cast<std::size_t>(p_));
    std::vector<Places> children(static_cast<std::size_t>(p_));
    const auto enter = [&](int v) {
      ready.push_back(v);
      sum += sizes[v];
    };
    for (int v = 0; v < p_; ++v) {
      sizes[v] = 1 + size_of(row(below, v), words_);
      waiting[v] = size_of(row(graph, v), words_);
      if (waiting[v] == 0) enter(v);
      each_bit(row(graph, v), words_, [&](int u) { children[u].push_back(v); });
    }
    for (int j = 0; j < p_; ++j) {
      std::size_t at = 0;
      if (drawn) {
        for (int left = random_.under(sum); left >= sizes[ready[at]]; ++at) left -= sizes[ready[at]];
        order.push_back(ready[at]);
      } else {
        at = static_cast<std::size_t>(std::find(ready.begin(), ready.end(), order[j]) - ready.begin());
      }
      log += std::log(static_cast<double>(sizes[order[j]]) / sum);
      sum -= sizes[order[j]];
      ready[at] = ready.back();
      ready.pop_back();
      for (int child : children[order[j]])
        if (--waiting[child] == 0) enter(child);
    }
    return log;
  }

  void go_to_graph(Bits graph) {
    graph_ = std::move(graph);
    if (graphs_) return;
    const Bits below = rows_of_.descendants(graph_);
    Places order(static_cast<std::size_t>(p_)), sizes;
    for (int v = 0; v < p_; ++v) sizes.push_back(size_of(row(below, v), words_));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b; });
    places_.assign(static_cast<std::size_t>(p_), 0);
    for (int v : order)  // whoever leads to another leads to more
      each_bit(row(graph_, v), words_, [&](int u) { places_[v] = std::max(places_[v], places_[u] + 1); });
    now_ = arrange(places_);
  }

  // The same for partitions: into an element, or alone between two.
  bool move_between_elements() {
    const int v = random_.under(p_), old = places_[v];
    Places rest(places_);
    rest[v] = -1;
    const bool alone = std::find(rest.begin(), rest.end(), old) == rest.end();
    if (alone)
      for (int& each : rest) each -= each > old;
    const int count = 1 + *std::max_element(rest.begin(), rest.end());
    const Bits members = elements(rest, count);
    Bits before(words_, 0), with(words_, 0), joined(words_), only(words_, 0);
    put(only.data(), v);
    put(with.data(), v);
    // Sums over the members of each element: v comes later; earlier, but not just before; in the element before; alone before.
    std::vector<double> own, later, earlier, beside, behind;
    for (int j = 0; j < count; ++j) {
      const Word* last = j > 0 ? row(members, j - 1) : nullptr;
      if (last)
        for (std::size_t w = 0; w < words_; ++w) joined[w] = last[w] | only[w];
      own.push_back(value(v, before.data(), last));
      double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
      each_bit(row(members, j), words_, [&](int x) {
        a += value(x, before.data(), last);
        if (last) b += value(x, with.data(), last);
        if (last) c += value(x, with.data(), joined.data());
        d += value(x, with.data(), only.data());
      });
      later.push_back(a);
      earlier.push_back(b);
      beside.push_back(c);
      behind.push_back(d);
      for (std::size_t w = 0; w < words_; ++w) {
        before[w] |= row(members, j)[w];
        with[w] |= row(members, j)[w];
      }
    }
    own.push_back(value(v, before.data(), row(members, count - 1)));
    std::vector<double> suffix(static_cast<std::size_t>(count) + 2, 0.0);
    for (int j = count; j-- > 0;) suffix[j] = suffix[j + 1] + earlier[j];
    std::vector<double> logs;  // alone before element j, or in it
    double passed = 0.0;
    for (int j = 0; j <= count; ++j) {
      logs.push_back(passed + own[j] + (j < count ? behind[j] + suffix[j + 1] : 0.0));
      if (j == count) break;
      passed += later[j];
      logs.push_back(passed + own[j] + (j + 1 < count ? beside[j + 1] + suffix[j + 2] : 0.0));
    }
    const int drawn = random_.among(logs), place = drawn / 2;
    const bool single = drawn % 2 == 0;
    if (drawn < 0 || (place == old && single == alone)) return false;
    if (single)
      for (int& each : rest) each += each >= place;
    rest[v] = place;
    places_ = std::move(rest);
    now_ = arrange(places_);
    return true;
  }

  // Split an element in two, or join two that follow each other.
  bool split_or_join() {
    const int count = count_of(places_);
    std::vector<int> sizes(static_cast<std::size_t>(count), 0);
    for (int place : places_) ++sizes[place];
    const int large = static_cast<int>(std::count_if(sizes.begin(), sizes.end(), [](int size) { return size > 1; }));
    return random_.below(2) ? split(sizes, large, count) : join(sizes, large, count);
  }

  // Log of how many ways there are to split an element of `size` into parts of which one has `part`, and of its sizes.
  static double ways(int size, int part) {
    return std::log(size - 1.0) + std::lgamma(size + 1.0) - std::lgamma(part + 1.0) - std::lgamma(size - part + 1.0);
  }

  bool split(const std::vector<int>& sizes, int large, int count) {
    if (large == 0) return false;
    int place = 0;
    for (int left = random_.under(large); sizes[place] < 2 || left-- > 0;) ++place;
    const int size = sizes[place], part = 1 + random_.under(size - 1);
    Places next(places_);
    int seen = 0, kept = 0;  // `part` of the members stay, each choice of them with the same probability
    for (int v = 0; v < p_; ++v) {
      if (places_[v] > place) ++next[v];
      if (places_[v] != place) continue;
      if (random_.under(size - seen) < part - kept) ++kept;
      else ++next[v];
      ++seen;
    }
    return propose(std::move(next), std::log(static_cast<double>(large)) + ways(size, part) - std::log(static_cast<double>(count)));
  }

  bool join(const std::vector<int>& sizes, int large, int count) {
    if (count < 2) return false;
    const int place = random_.under(count - 1), size = sizes[place] + sizes[place + 1];
    Places next(places_);
    for (int& each : next) each -= each > place;
    const int then = large - (sizes[place] > 1) - (sizes[place + 1] > 1) + 1;
    return propose(std::move(next),
                   std::log(count - 1.0) - std::log(static_cast<double>(then)) - ways(size, sizes[place]));
  }

  // A graph of the present order or partition, and its score. A chain over graphs has one.
  void draw() {
    if (graphs_) return;
    for (int v = 0; v < p_; ++v) {
      const Word* needed = now_.bound[v] ? row(now_.needed, v) : nullptr;
      const std::int64_t place = sets_->draw(v, row(now_.allowed, v), needed, random_);
      std::copy_n(sets_->set(place), words_, row(graph_, v));
    }
  }
  double score() { return score_of(graph_); }
  double score_of(const Bits& graph) {
    double total = 0.0;
    for (int v = 0; v < p_; ++v) total += sets_->log(sets_->place(v, row(graph, v)));
    return total;
  }
};

}  // namespace arcwise

void bind_partitions(nanobind::module_& m) {
  namespace nb = nanobind;
  using namespace arcwise;
  nb::class_<PlaceChain>(m, "PlaceChain")
      .def(nb::init<nb::object, bool, bool, ConstIndices, ConstIndices>())
      .def("go_to", &PlaceChain::go_to)
      .def("run", &PlaceChain::run, nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("state", &PlaceChain::state)
      .def("exchange", &PlaceChain::exchange)
      .def_prop_ro("total", &PlaceChain::total);
}
