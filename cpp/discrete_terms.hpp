// What scores of counts are made of, computed once: functions of whole numbers, and sums of parent sets met before.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "essential.hpp"

namespace arcwise {

inline double log_gamma(double x) {
  if (x > 1e3) {  // Stirling's series, exact to the last digits from here on
    constexpr double kHalfLogTwoPi = 0.91893853320467274178;
    return (x - 0.5) * std::log(x) - x + kHalfLogTwoPi + (1.0 - 1.0 / (30.0 * x * x)) / (12.0 * x);
  }
  int sign;
  return lgamma_r(x, &sign);
}

// log G(a + n) - log G(a); for whole n that are not large from a table that grows as far as it is asked.
class Rise {
 public:
  explicit Rise(double a) : a_(a), base_(log_gamma(a)), sums_{0.0} {}

  double operator()(std::int32_t n) {
    const auto place = static_cast<std::size_t>(n);
    return place < sums_.size() ? sums_[place] : (*this)(static_cast<double>(n));
  }

  double operator()(double n) {
    if (n > kTabled || n != std::floor(n)) return log_gamma(a_ + n) - base_;
    const auto place = static_cast<std::size_t>(n);
    while (sums_.size() <= place) sums_.push_back(sums_.back() + std::log(a_ + static_cast<double>(sums_.size() - 1)));
    return sums_[place];
  }

 private:
  static constexpr double kTabled = 4096;
  double a_, base_;
  std::vector<double> sums_;
};

class Terms {
 public:
  // `largest` is the largest count if all are whole numbers, else 0.
  Terms(double total, std::size_t largest) : total_(std::round(total)) {
    for (std::size_t n = 0; largest && n <= largest; ++n)
      n_log_n_.push_back(n ? static_cast<double>(n) * std::log(static_cast<double>(n)) : 0.0);
  }

  double n_log_n(double n) const {
    if (!n_log_n_.empty()) return n_log_n_[static_cast<std::size_t>(n)];
    return n > 0 ? n * std::log(n) : 0.0;
  }

  // Both are valid until the next call. Most candidates of a sweep have as many levels as the one before.
  std::pair<Rise*, Rise*> rises(double a, double b) {
    if (a == last_a_ && b == last_b_) return last_;
    if (rises_.size() > kMostRises) rises_.clear();
    last_a_ = a, last_b_ = b;
    return last_ = {&rises_.try_emplace(a, a).first->second, &rises_.try_emplace(b, b).first->second};
  }

  // log of the sum over all data of n rows of their largest likelihood under a table of so many cells: exactly by the
  // recurrence of Kontkanen and Myllymaki (2007), else by the formula of Szpankowski and Weinberger (2012).
  double regret(double cells) {
    const double n = total_;
    if (!(cells > 1.0) || !(n > 0)) return 0.0;
    if (cells > kExactRegrets) {
      const double a = cells / n, c = 0.5 + 0.5 * std::sqrt(1.0 + 4.0 / a);
      return n * (std::log(a) + (a + 2.0) * std::log(c) - 1.0 / c) - 0.5 * std::log(c + 2.0 / a);
    }
    if (regrets_.empty()) {
      double two = 2.0;  // the sum for two cells
      for (double h = 1; h < n; ++h)
        two += std::exp(log_gamma(n + 1) - log_gamma(h + 1) - log_gamma(n - h + 1) + h * std::log(h / n) +
                        (n - h) * std::log1p(-h / n));
      regrets_ = {0.0, 0.0, std::log(two)};  // of 0, 1 and 2 cells
    }
    const auto place = static_cast<std::size_t>(cells);
    while (regrets_.size() <= place) {
      const auto k = static_cast<double>(regrets_.size());
      const double last = regrets_.back(), other = std::log(n / (k - 2.0)) + regrets_[regrets_.size() - 2];
      regrets_.push_back(std::max(last, other) + std::log1p(std::exp(-std::abs(last - other))));
    }
    return regrets_[place];
  }

 private:
  static constexpr std::size_t kMostRises = 2048;  // tables of 32 KB each at most
  static constexpr double kExactRegrets = 1e5;     // cells beyond which the regret is approximated
  double total_;
  std::vector<double> n_log_n_, regrets_;
  std::unordered_map<double, Rise> rises_;
  double last_a_ = NAN, last_b_ = NAN;
  std::pair<Rise*, Rise*> last_;
};

// The sum of a parent set, and those with each variable put in or taken out; NaN where nobody has asked yet.
struct KnownSums {
  double own = NAN;
  std::vector<double> toggled;
};

// Sums without charges, by child and parent set in ascending order; forgotten where they become too many.
class SumMemory {
 public:
  explicit SumMemory(std::size_t columns) : columns_(columns), known_(columns) {}

  // Forget everything if it has become too much.
  void tidy() {
    if (held_ <= kMost) return;
    for (auto& each : known_) each.clear();
    held_ = 0;
  }

  // Whether the toggles of no parents at all fit in for every child.
  bool holds_pairs() const { return columns_ * columns_ <= kMost / 4; }

  // Valid until `tidy`.
  KnownSums& of(int child, const Set& parents, bool toggled) {
    const auto [place, fresh] = known_[child].try_emplace(parents);
    KnownSums& found = place->second;
    if (fresh) held_ += 8 + parents.size();
    if (toggled && found.toggled.empty()) {
      found.toggled.assign(columns_, NAN);
      held_ += columns_;
    }
    return found;
  }

 private:
  struct Hash {
    std::size_t operator()(const Set& set) const {
      std::uint64_t sum = set.size();
      for (int x : set) sum = (sum ^ static_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15ULL + (sum >> 29);
      return sum ^ (sum >> 32);
    }
  };
  static constexpr std::size_t kMost = 1 << 24;  // numbers, 128 MB
  std::size_t columns_, held_ = 0;
  std::vector<std::unordered_map<Set, KnownSums, Hash>> known_;
};

}  // namespace arcwise
