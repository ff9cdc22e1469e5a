// Markov chains over orders (Friedman and Koller 2003) and over ordered partitions (Kuipers and Moffa 2017) of the variables.
//
// An order weighs the sum over the graphs whose arcs all go along it: the product over variables of the sum over parent sets
// among those before. A graph agrees with many orders, but with one partition: its roots come first, then the roots of what is
// left, and so on. A variable of a later element so has a parent in the element just before it and all others further before.
//
// Both chains move one variable to a place drawn among all (a Gibbs step), swap two, or, for partitions, split and join
// elements, and turn arcs of a graph drawn from the present partition. A graph is drawn from the present order or partition where a draw is recorded; where graphs have to fulfil a
// condition, after every step, which is undone if the graph does not.
#include <numeric>
#include <utility>

#include "reversal.hpp"

namespace arcwise {
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
  // With `levels` a variable's place is the number of its element, else its place in the order.
  PlaceChain(nb::object sets, bool levels)
      : held_(sets), sets_(nb::cast<ParentSets*>(sets)), p_(sets_->p()), words_(sets_->words()), levels_(levels),
        rows_of_(p_, words_), graph_(static_cast<std::size_t>(p_) * words_) {}

  void go_to(ConstIndices places, ConstWords graph, Seed generator, std::int64_t taken) {
    if (places.size() != static_cast<std::size_t>(p_) || graph.size() != graph_.size())
      throw nb::value_error("the tables of a chain have different sizes");
    places_.assign(places.data(), places.data() + places.size());
    graph_.assign(graph.data(), graph.data() + graph.size());
    std::copy_n(generator.data(), 4, random_.state.begin());
    taken_ = taken;
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
      double total = 0.0;
      for (; done < steps && !ended; ++done) {
        accepted += free ? step() : careful_step(permits);
        if ((++taken_) % thin == 0) {
          if (free) draw();
          total = score();
          states.insert(states.end(), graph_.begin(), graph_.end());
          totals.push_back(total);
        }
        if (patience.over(done + 1)) {
          nb::gil_scoped_acquire acquire;
          ended = nb::cast<bool>(watch(done + 1, std::accumulate(now_.values.begin(), now_.values.end(), 0.0)));
        }
      }
    }
    return nb::make_tuple(to_numpy(std::move(states)), to_numpy(std::move(totals)), accepted, done, ended);
  }

  nb::tuple state() const {
    return nb::make_tuple(to_numpy(std::vector<std::int64_t>(places_.begin(), places_.end())), to_numpy(graph_),
                          to_numpy(std::vector<Word>(random_.state.begin(), random_.state.end())), taken_);
  }
  double total() const { return std::accumulate(now_.values.begin(), now_.values.end(), 0.0); }

 private:
  nb::object held_;
  ParentSets* sets_;
  int p_;
  std::size_t words_;
  bool levels_;
  Rows rows_of_;
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
    const Word kind = random_.below(8);
    if (!levels_) return kind < 5 ? move_in_order() : kind < 7 ? swap_neighbours() : swap();
    switch (kind) {
      case 0: case 1: return move_between_elements();
      case 2: return split_or_join();
      case 3: return swap();
      case 4: return reverse();
      default: return move_by_order();
    }
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
  // The order o is drawn with probability q(o | G): each next variable among those whose parents are all there. On pairs of a
  // graph and an order the distribution w(G) q(o | G) has the wanted one for graphs. A variable moves to another place
  // in proportion to the weights of orders, and the variables between both places get new parents in proportion to theirs; this
  // is reversible for w(G) alone, so that it is accepted with q(o' | G') / q(o | G).
  bool move_by_order() {
    draw();
    Places order;
    const double q = topological(graph_, order, true);
    const int old = random_.under(p_), v = order[old];
    order.erase(order.begin() + old);
    const int place = random_.among(weights(order, v));
    if (place < 0) return false;
    order.insert(order.begin() + place, v);
    Bits next(graph_), before(words_, 0);
    for (int j = 0; j < p_; ++j) {
      if (j >= std::min(old, place) && j <= std::max(old, place))
        std::copy_n(sets_->set(sets_->draw(order[j], before.data(), nullptr, random_)), words_, row(next, order[j]));
      put(before.data(), order[j]);
    }
    if (!random_.takes(topological(next, order, false) - q)) return false;
    const bool moved = next != graph_;
    go_to_graph(std::move(next));
    return moved;
  }

  // Log of q(order | graph); the order is drawn, or given.
  double topological(const Bits& graph, Places& order, bool drawn) {
    if (drawn) order.clear();
    double log = 0.0;
    Places ready, waiting(static_cast<std::size_t>(p_));
    std::vector<Places> children(static_cast<std::size_t>(p_));
    for (int v = 0; v < p_; ++v) {
      waiting[v] = size_of(row(graph, v), words_);
      if (waiting[v] == 0) ready.push_back(v);
      each_bit(row(graph, v), words_, [&](int u) { children[u].push_back(v); });
    }
    for (int j = 0; j < p_; ++j) {
      const int size = static_cast<int>(ready.size());
      log -= std::log(static_cast<double>(size));
      int at = drawn ? random_.under(size) : 0;
      if (drawn) order.push_back(ready[at]);
      else at = static_cast<int>(std::find(ready.begin(), ready.end(), order[j]) - ready.begin());
      ready[at] = ready.back();
      ready.pop_back();
      for (int child : children[order[j]])
        if (--waiting[child] == 0) ready.push_back(child);
    }
    return log;
  }

  void go_to_graph(Bits graph) {
    const Bits below = rows_of_.descendants(graph);
    Places order(static_cast<std::size_t>(p_)), sizes;
    for (int v = 0; v < p_; ++v) sizes.push_back(size_of(row(below, v), words_));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b; });
    places_.assign(static_cast<std::size_t>(p_), 0);
    for (int v : order)  // whoever leads to another leads to more
      each_bit(row(graph, v), words_, [&](int u) { places_[v] = std::max(places_[v], places_[u] + 1); });
    graph_ = std::move(graph);
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

  // A graph of the present order or partition, and its score.
  void draw() {
    for (int v = 0; v < p_; ++v) {
      const Word* needed = now_.bound[v] ? row(now_.needed, v) : nullptr;
      const std::int64_t place = sets_->draw(v, row(now_.allowed, v), needed, random_);
      std::copy_n(sets_->set(place), words_, row(graph_, v));
    }
  }
  double score() {
    double total = 0.0;
    for (int v = 0; v < p_; ++v) total += sets_->log(sets_->place(v, row(graph_, v)));
    return total;
  }
};

}  // namespace arcwise

void bind_partitions(nanobind::module_& m) {
  namespace nb = nanobind;
  using namespace arcwise;
  nb::class_<PlaceChain>(m, "PlaceChain")
      .def(nb::init<nb::object, bool>())
      .def("go_to", &PlaceChain::go_to)
      .def("run", &PlaceChain::run, nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("state", &PlaceChain::state)
      .def_prop_ro("total", &PlaceChain::total);
}
