// The sum over all acyclic graphs of the products of their local weights, and the share of it that has each arc.
//
// Let A_i(U) be the sum of i's weights over parent sets inside U. Graphs on S are counted by their sinks T (Robinson 1973;
// Tian and He 2009 with weights): R(S) = sum over T, not empty, of (-1)^(|T|+1) R(S - T) prod_{i in T} A_i(S - T). It takes
// 3^p terms. The derivative of log R(all) with respect to log A_i(U) is the share h_i(U) of graphs in which U is what i could
// choose from; given U, a parent u is chosen with probability 1 - A_i(U - u) / A_i(U). Derivatives are taken by going through
// the same terms in the opposite direction. Summing over orders instead of graphs (Koivisto and Sood 2004) needs single sinks.
// The work is done in slices, so that whoever asked can look at the clock in between.
#include <algorithm>
#include <cmath>
#include <vector>

#include "arrays.hpp"

namespace arcwise {
namespace {

using Numbers = std::vector<double>;
using Mask = std::uint32_t;

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -INFINITY ? a : a + std::log1p(std::exp(b - a));
}

class DagSums {
 public:
  DagSums(ConstMatrix weights, bool orders)
      : p_(static_cast<int>(weights.shape(0))), half_(std::size_t{1} << (p_ - 1)), all_(2 * half_), orders_(orders),
        inside_(weights.data(), weights.data() + weights.size()) {}

  // Goes on for about so many terms; true once all is known.
  bool advance(double terms) {
    while (terms > 0.0 && stage_ != Stage::done) terms -= step();
    return stage_ == Stage::done;
  }

  double log_total() const { return log_sum_.back(); }
  // arcs[u, v]: the share of graphs with u -> v.
  const Numbers& arcs() const { return arcs_; }
  // chosen[v, U]: the share of graphs in which v chooses its parents from U (a mask over the other variables); given away.
  Numbers take_chosen() { return std::move(chosen_); }

 private:
  enum class Stage { inside, best, forwards, backwards, arcs, done };
  static constexpr std::size_t kBlock = 4096;  // sets that are looked at together where each takes few terms

  int p_;
  std::size_t half_, all_;
  bool orders_;
  Stage stage_ = Stage::inside;
  std::size_t at_ = 0;  // where the present stage is
  Numbers inside_, chosen_, best_, sum_, log_sum_, share_, arcs_;
  // Scratch for one set U: the sets beyond it, and sums of log A over the sinks that lead there.
  std::vector<Mask> larger_;
  Numbers sums_, terms_;

  double step() {
    switch (stage_) {
      case Stage::inside: return inside();
      case Stage::best: return best();
      case Stage::forwards: return forwards();
      case Stage::backwards: return backwards();
      case Stage::arcs: return arcs_of_block();
      case Stage::done: break;
    }
    return 0.0;
  }

  void next(Stage stage) {
    stage_ = stage;
    at_ = 0;
  }

  // Sums of one variable's weights over subsets, by one bit.
  double inside() {
    const std::size_t bits = static_cast<std::size_t>(p_ - 1);
    if (at_ == bits * static_cast<std::size_t>(p_)) {
      best_.assign(all_, -INFINITY);
      best_[0] = 0.0;
      next(Stage::best);
      return 0.0;
    }
    double* values = inside_.data() + at_ / bits * half_;
    const std::size_t bit = std::size_t{1} << at_++ % bits;
    for (std::size_t block = 0; block < half_; block += 2 * bit)
      for (std::size_t i = block; i < block + bit; ++i) values[i + bit] = log_add(values[i + bit], values[i]);
    return static_cast<double>(half_);
  }

  // Logs of sums are taken relative to the best single order, which they exceed by log p! at most.
  double best() {
    const std::size_t end = std::min(at_ + kBlock, all_);
    for (std::size_t S = std::max<std::size_t>(at_, 1); S < end; ++S)
      for (int i = 0; i < p_; ++i)
        if (const auto U = static_cast<Mask>(S & ~(std::size_t{1} << i)); S >> i & 1)
          best_[S] = std::max(best_[S], best_[U] + available(i, U));
    at_ = end;
    if (end == all_) {
      sum_.assign(all_, 0.0);
      log_sum_.assign(all_, -INFINITY);
      log_sum_[0] = 0.0;
      next(Stage::forwards);
    }
    return static_cast<double>(kBlock) * p_;
  }

  // A mask over all variables without i, packed.
  static std::size_t without(Mask mask, int i) {
    const Mask low = (Mask{1} << i) - 1;
    return (mask & low) | ((mask >> 1) & ~low);
  }

  double available(int i, Mask U) const { return inside_[static_cast<std::size_t>(i) * half_ + without(U, i)]; }

  // All sets that U becomes with sinks T among the others; larger_[t] and sums_[t] by the mask t of sinks, or, for orders, by
  // the place of the one sink.
  int expand(Mask U) {
    larger_.assign(1, U);
    sums_.assign(1, 0.0);
    int others = 0;
    for (int i = 0; i < p_; ++i) {
      if (U >> i & 1) continue;
      const double a = available(i, U);
      const std::size_t size = orders_ ? 1 : larger_.size();
      for (std::size_t t = 0; t < size; ++t) {
        larger_.push_back(larger_[t] | Mask{1} << i);
        sums_.push_back(sums_[t] + a);
      }
      ++others;
    }
    return others;
  }

  // Calls term(t) for every set of sinks that counts.
  template <typename Term>
  void each(const Term& term) const {
    for (std::size_t t = 1; t < sums_.size(); ++t) term(t, orders_ || __builtin_popcountll(t) & 1 ? 1.0 : -1.0);
  }

  // One set U: what it adds to all larger ones.
  double forwards() {
    const std::size_t U = at_++;
    if (U > 0 && best_[U] > -INFINITY && sum_[U] > 0.0) log_sum_[U] = best_[U] + std::log(sum_[U]);
    if (at_ == all_) begin_backwards();
    if (log_sum_[U] == -INFINITY) return 1.0;
    expand(static_cast<Mask>(U));
    each([&](std::size_t t, double sign) {
      const double log = log_sum_[U] + sums_[t];
      if (log > -INFINITY) sum_[larger_[t]] += sign * std::exp(log - best_[larger_[t]]);
    });
    return static_cast<double>(sums_.size());
  }

  void begin_backwards() {
    best_ = sum_ = Numbers();
    arcs_.assign(static_cast<std::size_t>(p_) * static_cast<std::size_t>(p_), 0.0);
    chosen_.assign(inside_.size(), 0.0);
    share_.assign(all_, 0.0);
    share_.back() = 1.0;
    next(log_total() > -INFINITY ? Stage::backwards : Stage::done);
  }

  // One set U, the largest first: its share of all graphs, and that of each variable's choice from it.
  double backwards() {
    const std::size_t U = all_ - 2 - at_;
    if (++at_ == all_ - 1) next(Stage::arcs);
    if (log_sum_[U] == -INFINITY) return 1.0;
    const int others = expand(static_cast<Mask>(U));
    terms_.assign(sums_.size(), 0.0);
    double total = 0.0;
    each([&](std::size_t t, double sign) {
      const double above = share_[larger_[t]];
      if (above == 0.0 || sums_[t] == -INFINITY) return;
      terms_[t] = sign * above * std::exp(log_sum_[U] + sums_[t] - log_sum_[larger_[t]]);
      total += terms_[t];
    });
    share_[U] = total;
    int i = -1;
    for (int k = 0; k < others; ++k) {
      do ++i;
      while (U >> i & 1);
      chosen_[static_cast<std::size_t>(i) * half_ + without(static_cast<Mask>(U), i)] = terms_with(k);
    }
    return static_cast<double>(sums_.size());
  }

  // The sum of the terms in which the k-th of the variables outside U is a sink.
  double terms_with(int k) const {
    if (orders_) return terms_[static_cast<std::size_t>(k) + 1];
    double own = 0.0;
    const std::size_t bit = std::size_t{1} << k;
    for (std::size_t block = bit; block < terms_.size(); block += 2 * bit)
      for (std::size_t t = block; t < block + bit; ++t) own += terms_[t];
    return own;
  }

  // Arcs into one variable, for a block of the sets it may choose from.
  double arcs_of_block() {
    const std::size_t v = at_ / half_, first = at_ % half_, end = std::min(first + kBlock, half_);
    const double* a = inside_.data() + v * half_;
    const double* h = chosen_.data() + v * half_;
    for (std::size_t U = first; U < end; ++U) {
      if (h[U] == 0.0) continue;
      for (std::size_t rest = U; rest; rest &= rest - 1) {
        const auto place = static_cast<std::size_t>(__builtin_ctzll(rest)), u = place < v ? place : place + 1;
        arcs_[u * static_cast<std::size_t>(p_) + v] -= h[U] * std::expm1(a[U & ~(std::size_t{1} << place)] - a[U]);
      }
    }
    at_ += end - first;
    if (at_ == half_ * static_cast<std::size_t>(p_)) next(Stage::done);
    return static_cast<double>(kBlock) * p_;
  }
};

}  // namespace
}  // namespace arcwise

void bind_posterior(nanobind::module_& m) {
  namespace nb = nanobind;
  using arcwise::DagSums;
  nb::class_<DagSums>(m, "DagSums")
      .def("__init__",
           [](DagSums* self, arcwise::ConstMatrix weights, bool orders) {
             const std::size_t p = weights.shape(0);
             if (p < 1 || p > 26 || weights.shape(1) != std::size_t{1} << (p - 1))
               throw nb::value_error("a table of weights has a line for each variable and a column for each set of others");
             new (self) DagSums(weights, orders);
           })
      .def("advance", &DagSums::advance, nb::call_guard<nb::gil_scoped_release>())
      .def("found", [](DagSums& self) {
        return nb::make_tuple(self.log_total(), arcwise::to_numpy(arcwise::Numbers(self.arcs())),
                              arcwise::to_numpy(self.take_chosen()));
      });
}
