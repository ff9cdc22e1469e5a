// The sum over all acyclic graphs of the products of their local weights, and the share of it that has each arc.
//
// Let A_i(U) be the sum of i's weights over parent sets inside U. Graphs on S are counted by their sinks T (Robinson 1973;
// Tian and He 2009 with weights): R(S) = sum over T, not empty, of (-1)^(|T|+1) R(S - T) prod_{i in T} A_i(S - T). It takes
// 3^p terms. The derivative of log R(all) with respect to log A_i(U) is the share h_i(U) of graphs in which U is what i could
// choose from; given U, a parent u is chosen with probability 1 - A_i(U - u) / A_i(U). Derivatives are taken by going through
// the same terms in the opposite direction. Summing over orders instead of graphs (Koivisto and Sood 2004) needs single sinks.
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

class Posterior {
 public:
  Posterior(ConstMatrix weights, bool orders)
      : p_(static_cast<int>(weights.shape(0))), half_(std::size_t{1} << (p_ - 1)), orders_(orders),
        inside_(weights.data(), weights.data() + weights.size()), chosen_(weights.size(), 0.0) {
    for (int i = 0; i < p_; ++i) sum_subsets(inside_.data() + static_cast<std::size_t>(i) * half_);
    forwards();
    if (log_total() > -INFINITY) backwards();
  }

  double log_total() const { return log_sum_.back(); }

  // arcs[u, v]: the share of graphs with u -> v.
  Numbers arcs() const {
    Numbers out(static_cast<std::size_t>(p_) * static_cast<std::size_t>(p_), 0.0);
    for (int v = 0; v < p_; ++v) {
      const double* a = inside_.data() + static_cast<std::size_t>(v) * half_;
      const double* h = chosen_.data() + static_cast<std::size_t>(v) * half_;
      for (std::size_t U = 0; U < half_; ++U) {
        if (h[U] == 0.0) continue;
        for (std::size_t rest = U; rest; rest &= rest - 1) {
          const int place = __builtin_ctzll(rest), u = place < v ? place : place + 1;
          out[static_cast<std::size_t>(u * p_ + v)] -= h[U] * std::expm1(a[U & ~(std::size_t{1} << place)] - a[U]);
        }
      }
    }
    return out;
  }

  // chosen[v, U]: the share of graphs in which v chooses its parents from U (a mask over the other variables).
  const Numbers& chosen() const { return chosen_; }

 private:
  int p_;
  std::size_t half_;
  bool orders_;
  Numbers inside_, chosen_, log_sum_, share_;
  // Scratch for one set U: the sets beyond it, and sums of log A over the sinks that lead there.
  std::vector<Mask> larger_;
  Numbers sums_;

  void sum_subsets(double* values) const {
    for (std::size_t bit = 1; bit < half_; bit <<= 1)
      for (std::size_t block = 0; block < half_; block += 2 * bit)
        for (std::size_t i = block; i < block + bit; ++i) values[i + bit] = log_add(values[i + bit], values[i]);
  }

  // A mask over all variables without i, packed.
  static std::size_t without(Mask mask, int i) {
    const Mask low = (Mask{1} << i) - 1;
    return (mask & low) | ((mask >> 1) & ~low);
  }

  double available(int i, Mask U) const { return inside_[static_cast<std::size_t>(i) * half_ + without(U, i)]; }

  // All sets that U becomes with sinks T among the others; larger_[t] and sums_[t] by the mask t of sinks.
  int expand(Mask U) {
    larger_.assign(1, U);
    sums_.assign(1, 0.0);
    int others = 0;
    for (int i = 0; i < p_; ++i) {
      if (U >> i & 1) continue;
      const double a = available(i, U);
      const std::size_t size = larger_.size();
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
    if (orders_)
      for (std::size_t t = 1; t < sums_.size(); t <<= 1) term(t, 1.0);
    else
      for (std::size_t t = 1; t < sums_.size(); ++t) term(t, __builtin_popcountll(t) & 1 ? 1.0 : -1.0);
  }

  void forwards() {
    const std::size_t all = std::size_t{1} << p_;
    // Logs of sums are taken relative to the best single order, which they exceed by log p! at most.
    Numbers best(all, -INFINITY), sum(all, 0.0);
    best[0] = 0.0;
    for (std::size_t S = 1; S < all; ++S)
      for (int i = 0; i < p_; ++i)
        if (const auto U = static_cast<Mask>(S & ~(std::size_t{1} << i)); S >> i & 1)
          best[S] = std::max(best[S], best[U] + available(i, U));
    log_sum_.assign(all, -INFINITY);
    log_sum_[0] = 0.0;
    for (std::size_t U = 0; U < all; ++U) {
      if (U > 0) log_sum_[U] = best[U] == -INFINITY || !(sum[U] > 0.0) ? -INFINITY : best[U] + std::log(sum[U]);
      if (log_sum_[U] == -INFINITY) continue;
      expand(static_cast<Mask>(U));
      each([&](std::size_t t, double sign) {
        const double log = log_sum_[U] + sums_[t];
        if (log > -INFINITY) sum[larger_[t]] += sign * std::exp(log - best[larger_[t]]);
      });
    }
  }

  void backwards() {
    share_.assign(log_sum_.size(), 0.0);
    share_.back() = 1.0;
    Numbers terms;
    for (std::size_t U = log_sum_.size() - 1; U-- > 0;) {
      if (log_sum_[U] == -INFINITY) continue;
      const int others = expand(static_cast<Mask>(U));
      terms.assign(sums_.size(), 0.0);
      double total = 0.0;
      each([&](std::size_t t, double sign) {
        const double above = share_[larger_[t]];
        if (above == 0.0 || sums_[t] == -INFINITY) return;
        terms[t] = sign * above * std::exp(log_sum_[U] + sums_[t] - log_sum_[larger_[t]]);
        total += terms[t];
      });
      share_[U] = total;
      int i = -1;
      for (int k = 0; k < others; ++k) {
        do ++i;
        while (U >> i & 1);
        double own = 0.0;
        const std::size_t bit = std::size_t{1} << k;
        for (std::size_t block = bit; block < terms.size(); block += 2 * bit)
          for (std::size_t t = block; t < block + bit; ++t) own += terms[t];
        chosen_[static_cast<std::size_t>(i) * half_ + without(static_cast<Mask>(U), i)] = own;
      }
    }
  }
};

}  // namespace
}  // namespace arcwise

void bind_posterior(nanobind::module_& m) {
  namespace nb = nanobind;
  m.def("dag_posterior", [](arcwise::ConstMatrix weights, bool orders) {
    const std::size_t p = weights.shape(0);
    if (p < 1 || p > 26 || weights.shape(1) != std::size_t{1} << (p - 1))
      throw nb::value_error("a table of weights has a line for each variable and a column for each set of others");
    double log_total = 0.0;
    arcwise::Numbers arcs, chosen;
    {
      nb::gil_scoped_release release;
      const arcwise::Posterior found(weights, orders);
      log_total = found.log_total();
      arcs = found.arcs();
      chosen = found.chosen();
    }
    return nb::make_tuple(log_total, arcwise::to_numpy(std::move(arcs)), arcwise::to_numpy(std::move(chosen)));
  });
}
