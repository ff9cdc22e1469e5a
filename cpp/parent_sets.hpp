// Sums over the parent sets of one variable that lie inside some variables and, where asked, meet some others.
//
// The sets of each variable are sorted by descending log weight; a sum ends where all that is left is below its rounding error.
// Sums are remembered. A sum over sets that meet others is the sum over all less that over those that do not, unless these two are
// nearly alike: a chain asks for few of them, again and again.
#pragma once

#include "sampling.hpp"

namespace arcwise {

// Sum of the weights of sets of one or two words each that lie inside `allowed` and meet `needed`, if that is given. It ends where
// all that is left, `rests`, is below the rounding error.
double sum_inside(const Word* sets, const double* weights, const double* rests, std::int64_t n, std::size_t words,
                  const Word* allowed, const Word* needed);

class ParentSets {
 public:
  // offsets (p + 1,) into sets (n, words) and log weights (n,), those of each variable in descending order.
  ParentSets(ConstIndices offsets, ConstWords sets, ConstVector logs)
      : p_(static_cast<int>(offsets.shape(0)) - 1), words_(sets.shape(1)), offsets_(offsets.data(), offsets.data() + offsets.size()),
        sets_(sets.data(), sets.data() + sets.size()), logs_(logs.data(), logs.data() + logs.size()), weights_(logs_.size()),
        rests_(logs_.size() + 1), memory_(static_cast<std::size_t>(p_), Memory(words_)), meeting_(static_cast<std::size_t>(p_), Memory(2 * words_)), key_(2 * words_), apart_(words_) {
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
    if (!needed) return remembered(v, allowed, nullptr);
    const double all = remembered(v, allowed, nullptr);
    if (all == -INFINITY) return all;
    for (std::size_t w = 0; w < words_; ++w) apart_[w] = allowed[w] & ~needed[w];
    const double share = 1.0 - std::exp(remembered(v, apart_.data(), nullptr) - all);
    return share > kAlike ? all + std::log(share) : remembered(v, allowed, needed);
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

  // For each other variable how far the best set with it is below the best of all.
  std::vector<double> ties(int v) const {
    std::vector<double> found(static_cast<std::size_t>(p_), -INFINITY);
    for (std::int64_t i = offsets_[v]; i < offsets_[v + 1]; ++i)
      each_bit(set(i), words_, [&](int u) { found[u] = std::max(found[u], logs_[i] - logs_[offsets_[v]]); });
    return found;
  }

  const Word* set(std::int64_t place) const { return sets_.data() + static_cast<std::size_t>(place) * words_; }
  double log(std::int64_t place) const { return logs_[static_cast<std::size_t>(place)]; }

 private:
  static constexpr std::size_t kMemory = 1'000'000;  // sums remembered
  static constexpr double kAlike = 1e-6;  // share of a sum below which it is not found by subtraction
  int p_;
  std::size_t words_;
  std::vector<std::int64_t> offsets_;
  std::vector<Word> sets_;
  std::vector<double> logs_, weights_, rests_;  // weights relative to the variable's best; sums of those from here on
  std::vector<Memory> memory_, meeting_, index_;  // sums, sums that meet others, places
  std::vector<Word> key_, apart_;

  bool counts(std::int64_t i, const Word* allowed, const Word* needed) const {
    return inside(set(i), allowed, words_) && (!needed || meets(set(i), needed, words_));
  }

  double remembered(int v, const Word* allowed, const Word* needed) {
    std::copy_n(allowed, words_, key_.begin());
    if (needed) std::copy_n(needed, words_, key_.begin() + static_cast<std::ptrdiff_t>(words_));
    Memory& memory = needed ? meeting_[v] : memory_[v];
    if (const double* known = memory.find(key_.data())) return *known;
    if (memory.size() > (kMemory / static_cast<std::size_t>(p_))) memory.clear();
    const double found = summed(v, allowed, needed);
    memory.put(key_.data(), found);
    return found;
  }

  double summed(int v, const Word* allowed, const Word* needed) const {
    const std::int64_t end = offsets_[v + 1];
    double sum = 0.0;
    std::int64_t i = offsets_[v];
    if (words_ <= 2) sum = sum_inside(set(i), &weights_[i], &rests_[i], end - i, words_, allowed, needed);
    else
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
