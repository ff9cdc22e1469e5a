// Sums over the parent sets of one variable that lie inside some variables and, where asked, meet some others.
//
// The sets of each variable are sorted by descending log weight; a sum ends where all that is left is below its rounding error.
// Sums are remembered.
#pragma once

#include "sampling.hpp"

namespace arcwise {

class ParentSets {
 public:
  // offsets (p + 1,) into sets (n, words) and log weights (n,), those of each variable in descending order.
  ParentSets(ConstIndices offsets, ConstWords sets, ConstVector logs)
      : p_(static_cast<int>(offsets.shape(0)) - 1), words_(sets.shape(1)), offsets_(offsets.data(), offsets.data() + offsets.size()),
        sets_(sets.data(), sets.data() + sets.size()), logs_(logs.data(), logs.data() + logs.size()), weights_(logs_.size()),
        rests_(logs_.size() + 1), memory_(static_cast<std::size_t>(p_), Memory(2 * words_)), key_(2 * words_) {
    for (int v = 0; v < p_; ++v) {
      if (offsets_[v] == offsets_[v + 1]) continue;
      const double best = logs_[offsets_[v]];
      double rest = 0.0;
      for (std::int64_t i = offsets_[v + 1]; i-- > offsets_[v];) {
        weights_[i] = std::exp(logs_[i] - best);
        rests_[i] = rest += weights_[i];
      }
    }
  }

  int p() const { return p_; }
  std::size_t words() const { return words_; }

  // Log of the sum over sets inside `allowed` that meet `needed`, if that is given.
  double log_sum(int v, const Word* allowed, const Word* needed) {
    if (offsets_[v] == offsets_[v + 1]) return -INFINITY;
    std::copy_n(allowed, words_, key_.begin());
    if (needed) std::copy_n(needed, words_, key_.begin() + static_cast<std::ptrdiff_t>(words_));
    else std::fill_n(key_.begin() + static_cast<std::ptrdiff_t>(words_), words_, Word{0});
    if (const double* known = memory_[v].find(key_.data())) return *known;
    if (memory_[v].size() > (kMemory / static_cast<std::size_t>(p_))) memory_[v].clear();
    const double found = summed(v, allowed, needed);
    memory_[v].put(key_.data(), found);
    return found;
  }

  // The place of a set, drawn in proportion to its weight among those that log_sum sums.
  std::int64_t draw(int v, const Word* allowed, const Word* needed, Random& random) {
    const double log = log_sum(v, allowed, needed), u = random.uniform();
    double passed = 0.0;
    std::int64_t last = -1;
    for (std::int64_t i = offsets_[v]; i < offsets_[v + 1]; ++i) {
      if (!counts(i, allowed, needed)) continue;
      last = i;
      if ((passed += std::exp(logs_[i] - log)) > u) break;
    }
    return last;
  }

  // The place of a set among those of v, or -1.
  std::int64_t place(int v, const Word* wanted) {
    if (index_.empty()) {
      index_.assign(static_cast<std::size_t>(p_), Memory(words_));
      for (int x = 0; x < p_; ++x)
        for (std::int64_t i = offsets_[x]; i < offsets_[x + 1]; ++i) index_[x].put(set(i), static_cast<double>(i));
    }
    const double* found = index_[v].find(wanted);
    return found ? static_cast<std::int64_t>(*found) : -1;
  }

  const Word* set(std::int64_t place) const { return sets_.data() + static_cast<std::size_t>(place) * words_; }
  double log(std::int64_t place) const { return logs_[static_cast<std::size_t>(place)]; }

 private:
  static constexpr std::size_t kMemory = 1'000'000;  // sums remembered
  int p_;
  std::size_t words_;
  std::vector<std::int64_t> offsets_;
  std::vector<Word> sets_;
  std::vector<double> logs_, weights_, rests_;  // weights relative to the variable's best; sums of those from here on
  std::vector<Memory> memory_, index_;
  std::vector<Word> key_;

  bool counts(std::int64_t i, const Word* allowed, const Word* needed) const {
    return inside(set(i), allowed, words_) && (!needed || meets(set(i), needed, words_));
  }

  double summed(int v, const Word* allowed, const Word* needed) const {
    const std::int64_t end = offsets_[v + 1];
    double sum = 0.0;
    std::int64_t i = offsets_[v];
    for (; i < end && !(rests_[i] < 0x1p-54 * sum); ++i)
      if (counts(i, allowed, needed)) sum += weights_[i];
    if (sum > 1e-250) return logs_[offsets_[v]] + std::log(sum);
    // So far below the best that weights relative to it are lost: from the largest that counts, in logarithms.
    for (i = offsets_[v]; i < end && !counts(i, allowed, needed);) ++i;
    if (i == end) return -INFINITY;
    const double first = logs_[i];
    for (sum = 0.0; i < end && logs_[i] > first - 60.0; ++i)
      if (counts(i, allowed, needed)) sum += std::exp(logs_[i] - first);
    return first + std::log(sum);
  }
};

}  // namespace arcwise
