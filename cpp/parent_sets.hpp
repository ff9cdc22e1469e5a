// Sums over the parent sets of one variable that lie inside some variables and, where asked, meet some others.
//
// Most sets lie among few variables (all subsets of the candidates): their sums over subsets stand in a table, one for each subset of
// these. The others are sorted by descending weight, and a sum ends where all that is left is below its rounding error. Sums are
// remembered. A sum over sets that meet others is the sum over all less that over those that do not, unless these two are nearly
// alike: a chain asks for few of them, again and again. All logs here are relative to the weight of the variable's best set.
#pragma once

#include "sampling.hpp"

namespace arcwise {

// `sum` and the weights of sets of one or two words each that lie inside `allowed`. It ends where all that is left, `rests`, is below
// the rounding error.
double sum_inside(double sum, const Word* sets, const double* weights, const double* rests, std::int64_t n, std::size_t words,
                  const Word* allowed);

class ParentSets {
 public:
  // offsets (p + 1,) into sets (n, words) and log weights (n,), those of each variable in descending order.
  ParentSets(ConstIndices offsets, ConstWords sets, ConstVector logs)
      : p_(static_cast<int>(offsets.shape(0)) - 1), words_(sets.shape(1)), offsets_(offsets.data(), offsets.data() + offsets.size()),
        sets_(sets.data(), sets.data() + sets.size()), logs_(logs.data(), logs.data() + logs.size()),
        memory_(static_cast<std::size_t>(p_), Memory(words_)), meeting_(static_cast<std::size_t>(p_), Memory(2 * words_)), key_(2 * words_),
        apart_(words_) {
    for (int v = 0; v < p_; ++v) {
      lattices_.push_back(lattice(v));
      rest_.push_back(rest(v));
    }
  }

  int p() const { return p_; }
  std::size_t words() const { return words_; }

  // Log of the sum over sets inside `allowed` that meet `needed`, if that is given.
  double log_sum(int v, const Word* allowed, const Word* needed) {
    if (offsets_[v] == offsets_[v + 1]) return -INFINITY;
    const double all = remembered(v, allowed, nullptr);
    if (!needed || all == -INFINITY) return best(v) + all;
    for (std::size_t w = 0; w < words_; ++w) apart_[w] = allowed[w] & ~needed[w];
    const double share = 1.0 - std::exp(remembered(v, apart_.data(), nullptr) - all);
    return best(v) + (share > kAlike ? all + std::log(share) : remembered(v, allowed, needed));
  }

  // The place of a set, drawn in proportion to its weight among those that log_sum sums.
  std::int64_t draw(int v, const Word* allowed, const Word* needed, Random& random) {
    const double log = log_sum(v, allowed, needed), u = random.uniform();
    double passed = 0.0;
    std::int64_t last = -1;
    const std::int64_t end = offsets_[v + 1];
    for (std::int64_t i = next(sets_.data(), offsets_[v], end, allowed, needed); i < end; i = next(sets_.data(), i + 1, end, allowed, needed)) {
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
  // Sets among few variables: logs of the sums over all subsets of each of their subsets, the first variable being the lowest bit.
  struct Lattice {
    std::vector<int> members;
    std::vector<double> sums;  // none where the variable has no lattice
  };
  // The other sets in descending order, their weights relative to the variable's best, and the sums of those from here on.
  struct Rest {
    std::vector<Word> sets;
    std::vector<double> logs, weights, rests;
  };
  static constexpr std::size_t kMemory = 1'000'000;  // sums remembered
  static constexpr double kAlike = 1e-6;  // share of a sum below which it is not found by subtraction
  static constexpr std::size_t kMembers = 14;  // variables of a lattice at most
  int p_;
  std::size_t words_;
  std::vector<std::int64_t> offsets_;
  std::vector<Word> sets_;
  std::vector<double> logs_;
  std::vector<Lattice> lattices_;
  std::vector<Rest> rest_;
  std::vector<Memory> memory_, meeting_, index_;  // sums, sums that meet others, places
  std::vector<Word> key_, apart_;

  double best(int v) const { return logs_[offsets_[v]]; }

  // The first set from i on that lies inside `allowed` and meets `needed`, if that is given; or the end.
  std::int64_t next(const Word* sets, std::int64_t i, std::int64_t end, const Word* allowed, const Word* needed) const {
    if (words_ == 1) {
      const Word outside = ~*allowed;
      while (i < end && ((sets[i] & outside) || (needed && !(sets[i] & *needed)))) ++i;
      return i;
    }
    const auto counts = [&](const Word* set) { return inside(set, allowed, words_) && (!needed || meets(set, needed, words_)); };
    while (i < end && !counts(sets + i * static_cast<std::int64_t>(words_))) ++i;
    return i;
  }

  static std::size_t index(const std::vector<int>& members, const Word* bits) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < members.size(); ++i) found |= static_cast<std::size_t>(has(bits, members[i])) << i;
    return found;
  }

  static double added(double one, double two) {
    const double most = std::max(one, two), least = std::min(one, two);
    return least == -INFINITY ? most : most + std::log1p(std::exp(least - most));
  }

  // The variables that occur most often, where at least a quarter of the sets lie among them; else none.
  Lattice lattice(int v) const {
    std::vector<std::int64_t> occurs(static_cast<std::size_t>(p_), 0);
    for (std::int64_t i = offsets_[v]; i < offsets_[v + 1]; ++i) each_bit(set(i), words_, [&](int u) { ++occurs[u]; });
    Lattice found;
    for (int u = 0; u < p_; ++u)
      if (occurs[u]) found.members.push_back(u);
    std::stable_sort(found.members.begin(), found.members.end(), [&](int a, int b) { return occurs[a] > occurs[b]; });
    if (found.members.size() > kMembers) found.members.resize(kMembers);
    // Not more than the table is worth: without variables that occur in few sets.
    const std::int64_t count = offsets_[v + 1] - offsets_[v];
    while (!found.members.empty() && (std::int64_t{1} << found.members.size()) > 4 * count) found.members.pop_back();
    std::vector<Word> among(words_, 0);
    for (int u : found.members) put(among.data(), u);
    std::int64_t within = 0;
    for (std::int64_t i = offsets_[v]; i < offsets_[v + 1]; ++i) within += inside(set(i), among.data(), words_);
    if (4 * within < count || count == 0) return {};
    found.sums.assign(std::size_t{1} << found.members.size(), -INFINITY);
    for (std::int64_t i = offsets_[v]; i < offsets_[v + 1]; ++i)
      if (inside(set(i), among.data(), words_)) {
        double& sum = found.sums[index(found.members, set(i))];
        sum = added(sum, logs_[i] - best(v));
      }
    for (std::size_t bit = 1; bit < found.sums.size(); bit <<= 1)
      for (std::size_t mask = 0; mask < found.sums.size(); ++mask)
        if (mask & bit) found.sums[mask] = added(found.sums[mask], found.sums[mask ^ bit]);
    return found;
  }

  Rest rest(int v) const {
    const Lattice& own = lattices_[v];
    std::vector<Word> among(words_, 0);
    for (int u : own.members) put(among.data(), u);
    Rest found;
    for (std::int64_t i = offsets_[v]; i < offsets_[v + 1]; ++i) {
      if (!own.sums.empty() && inside(set(i), among.data(), words_)) continue;
      found.sets.insert(found.sets.end(), set(i), set(i) + words_);
      found.logs.push_back(logs_[i] - best(v));
      found.weights.push_back(std::exp(found.logs.back()));
    }
    found.rests = found.weights;
    for (std::size_t i = found.rests.size(); i-- > 1;) found.rests[i - 1] += found.rests[i];
    return found;
  }

  double remembered(int v, const Word* allowed, const Word* needed) {
    if (!needed && rest_[v].logs.empty()) return in_table(v, allowed);
    std::copy_n(allowed, words_, key_.begin());
    if (needed) std::copy_n(needed, words_, key_.begin() + static_cast<std::ptrdiff_t>(words_));
    Memory& memory = needed ? meeting_[v] : memory_[v];
    if (const double* known = memory.find(key_.data())) return *known;
    if (memory.size() > (kMemory / static_cast<std::size_t>(p_))) memory.clear();
    const double found = needed ? meeting(v, allowed, needed) : summed(v, allowed);
    memory.put(key_.data(), found);
    return found;
  }

  double in_table(int v, const Word* allowed) const {
    const Lattice& own = lattices_[v];
    return own.sums.empty() ? -INFINITY : own.sums[index(own.members, allowed)];
  }

  double summed(int v, const Word* allowed) const {
    const Rest& others = rest_[v];
    const double table = in_table(v, allowed), begun = std::exp(table);
    const std::int64_t n = static_cast<std::int64_t>(others.logs.size());
    if (n == 0 || others.rests[0] < 0x1p-54 * begun) return table;
    double sum = begun;
    if (words_ <= 2) sum = sum_inside(sum, others.sets.data(), others.weights.data(), others.rests.data(), n, words_, allowed);
    else
      for (std::int64_t i = 0; i < n && !(others.rests[i] < 0x1p-54 * sum); ++i)
        if (inside(&others.sets[i * words_], allowed, words_)) sum += others.weights[i];
    if (sum > 1e-250) return std::log(sum);
    return added(table, in_logs(others.sets.data(), others.logs.data(), n, 0.0, allowed, nullptr));
  }

  // Sets that meet others are few where subtraction does not do: all are looked at.
  double meeting(int v, const Word* allowed, const Word* needed) const {
    return in_logs(set(offsets_[v]), &logs_[offsets_[v]], offsets_[v + 1] - offsets_[v], best(v), allowed, needed);
  }

  // From the largest that counts, in logarithms, which are relative to `top` then.
  double in_logs(const Word* sets, const double* logs, std::int64_t n, double top, const Word* allowed, const Word* needed) const {
    std::int64_t i = next(sets, 0, n, allowed, needed);
    if (i == n) return -INFINITY;
    const double first = logs[i];
    double sum = 0.0;
    for (; i < n && logs[i] > first - 60.0; i = next(sets, i + 1, n, allowed, needed)) sum += std::exp(logs[i] - first);
    return first - top + std::log(sum);
  }
};

}  // namespace arcwise
