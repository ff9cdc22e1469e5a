// A tree of cliques, calibrated, and the questions that are put to it; of doubles or of wide numbers.
//
// Messages have a largest number of one. Where the exponents of a table come near those that doubles can hold, doubles
// throw Deep, and wide numbers are asked instead.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "triangulate.hpp"
#include "wide.hpp"

namespace arcwise {

using Sizes = std::vector<std::size_t>;

// A table and another one beside it, walked together: dimensions of the first, and what a step along each means in the second.
struct Walk {
  Sizes dims, steps;

  void add(std::size_t dim, std::size_t step) {
    if (dim == 1) return;
    if (!dims.empty() && steps.back() == step * dim) {  // one dimension goes on where the other ends
      dims.back() *= dim;
      steps.back() = step;
    } else {
      dims.push_back(dim);
      steps.push_back(step);
    }
  }

  // inner(place in the first, place in the second, length, step in the second)
  template <typename Inner>
  void run(const Inner& inner) const {
    if (dims.empty()) {
      inner(std::size_t{0}, std::size_t{0}, std::size_t{1}, std::size_t{0});
      return;
    }
    const std::size_t last = dims.size() - 1, length = dims[last], step = steps[last];
    Sizes at(last, 0);
    std::size_t here = 0, there = 0;
    while (true) {
      inner(here, there, length, step);
      here += length;
      std::size_t d = last;
      while (d > 0) {
        --d;
        there += steps[d];
        if (++at[d] < dims[d]) break;
        there -= steps[d] * dims[d];
        at[d] = 0;
        if (d == 0) return;
      }
      if (last == 0) return;
    }
  }
};

template <typename N>
void multiply(const Walk& walk, N* table, const N* factor) {
  walk.run([=](std::size_t i, std::size_t j, std::size_t n, std::size_t step) {
    N* a = table + i;
    const N* b = factor + j;
    if (step == 0)
      for (std::size_t k = 0; k < n; ++k) a[k] *= *b;
    else
      for (std::size_t k = 0; k < n; ++k) a[k] *= b[k * step];
  });
}

template <typename N>
void add_up(const Walk& walk, const N* table, N* sums) {
  walk.run([=](std::size_t i, std::size_t j, std::size_t n, std::size_t step) {
    const N* a = table + i;
    N* b = sums + j;
    if (step == 0) {
      N sum = 0.0;
      for (std::size_t k = 0; k < n; ++k) sum += a[k];
      *b += sum;
    } else {
      for (std::size_t k = 0; k < n; ++k) b[k * step] += a[k];
    }
  });
}

template <typename N>
void cut(const Walk& walk, const N* source, N* out) {
  walk.run([=](std::size_t i, std::size_t j, std::size_t n, std::size_t step) {
    if (step == 1) std::copy_n(source + j, n, out + i);
    else
      for (std::size_t k = 0; k < n; ++k) out[i + k] = source[j + k * step];
  });
}

// Row sums of a table whose separator comes first, and the reverse.
template <typename N>
void row_sums(const N* table, std::size_t rows, std::size_t rest, N* out) {
  for (std::size_t r = 0; r < rows; ++r) {
    N sum = 0.0;
    for (std::size_t k = 0; k < rest; ++k) sum += table[r * rest + k];
    out[r] = sum;
  }
}

template <typename N>
void scale_rows(N* table, std::size_t rows, std::size_t rest, const N* factors) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < rest; ++k) table[r * rest + k] *= factors[r];
}

template <typename N>
N ratio(const N& above, const N& below) {
  return below > N(0.0) ? above / below : N(0.0);
}

template <typename N>
class Tree {
 public:
  using Numbers = std::vector<N>;

  Tree(const std::vector<int>& levels, const CliqueTree& tree, const std::vector<Set>& scopes, const std::vector<double>& values)
      : levels_(levels) {
    for (std::size_t c = 0; c < tree.cliques.size(); ++c) cliques_.push_back(made(tree, c));
    enter(scopes, values);
    calibrate();
  }

  double log_total() const { return log_of(total_); }

  class Run;

 private:
  struct Clique {
    Set vars;
    int parent = -1;
    std::size_t shared = 0;  // variables in common with the parent, which come first
    Sizes dims, strides;
    Numbers table, separator;
    int low = 0;  // no number of the table that is not zero has a smaller exponent
  };

  std::vector<int> levels_;
  std::vector<Clique> cliques_;
  Wide total_ = 1.0;  // the sum over everything

  Clique made(const CliqueTree& tree, std::size_t c) {
    Clique out;
    out.vars = tree.cliques[c];
    out.parent = tree.parent[c];
    out.shared = static_cast<std::size_t>(tree.shared[c]);
    for (int v : out.vars) out.dims.push_back(static_cast<std::size_t>(levels_[v]));
    out.strides.assign(out.dims.size(), 1);
    for (std::size_t d = out.dims.size(); d-- > 1;) out.strides[d - 1] = out.strides[d] * out.dims[d];
    std::size_t size = 1, common = 1;
    for (std::size_t d = 0; d < out.dims.size(); ++d) {
      size *= out.dims[d];
      if (d < out.shared) common *= out.dims[d];
    }
    out.table.assign(size, N(1.0));
    out.separator.assign(common, N(1.0));
    return out;
  }

  // A walk over a clique with a table over `scope` (in that order) beside it.
  Walk beside(const Clique& clique, const Set& scope) const {
    Walk walk;
    for (std::size_t d = 0; d < clique.vars.size(); ++d) {
      std::size_t step = 1;
      bool inside = false;
      for (std::size_t i = scope.size(); i-- > 0;) {
        if (scope[i] == clique.vars[d]) {
          inside = true;
          break;
        }
        step *= static_cast<std::size_t>(levels_[scope[i]]);
      }
      walk.add(clique.dims[d], inside ? step : 0);
    }
    return walk;
  }

  static bool holds(const Clique& clique, const Set& scope) {
    return std::all_of(scope.begin(), scope.end(), [&](int v) { return contains(clique.vars, v); });
  }

  // A table is about to be multiplied by numbers with exponents from `by` to 0: lift it where they could become too small.
  static void deepen(Numbers& table, int& low, int by, Wide& total) {
    if constexpr (std::is_same_v<N, Wide>) return;
    if (low + by < deepest) {
      const Reach found = Reach::of(table.data(), table.size());
      total.power += lift(table.data(), table.size());
      low = found.low - found.high;
      if (low + by < deepest) throw Deep{};
    }
    low += by;
  }

  // Multiply every factor into the smallest clique that holds it.
  void enter(const std::vector<Set>& scopes, const std::vector<double>& values) {
    std::vector<std::vector<int>> homes(levels_.size());  // cliques of each variable
    for (std::size_t c = 0; c < cliques_.size(); ++c)
      for (int v : cliques_[c].vars) homes[v].push_back(static_cast<int>(c));
    const auto rarer = [&](int a, int b) { return homes[a].size() < homes[b].size(); };
    std::size_t at = 0;
    for (const Set& scope : scopes) {
      std::size_t size = 1;
      for (int v : scope) size *= static_cast<std::size_t>(levels_[v]);
      if (at == values.size()) break;  // scopes at the end may have no numbers: they only keep variables together
      if (at + size > values.size()) throw std::invalid_argument("a factor has fewer numbers than its scope has cells");
      int home = scope.empty() ? 0 : -1;
      if (!scope.empty())
        for (int c : homes[*std::min_element(scope.begin(), scope.end(), rarer)])
          if (holds(cliques_[c], scope) && (home < 0 || cliques_[c].table.size() < cliques_[home].table.size())) home = c;
      if (home < 0) throw std::invalid_argument("no clique holds a factor");
      Clique& clique = cliques_[home];
      std::vector<double> plain(values.data() + at, values.data() + at + size);
      if (Reach::of(plain.data(), size).high > 0) total_.power += lift(plain.data(), size);
      const Numbers factor(plain.begin(), plain.end());
      deepen(clique.table, clique.low, Reach::of(factor.data(), size).low, total_);
      multiply(beside(clique, scope), clique.table.data(), factor.data());
      at += size;
    }
    if (at != values.size()) throw std::invalid_argument("there are more numbers than the scopes have cells");
  }

  Walk to_separator(const Clique& child) const {
    const Set scope(child.vars.begin(), child.vars.begin() + static_cast<std::ptrdiff_t>(child.shared));
    return beside(cliques_[child.parent], scope);
  }

  void calibrate() {
    for (Clique& clique : cliques_) {
      const std::size_t rows = clique.separator.size(), rest = clique.table.size() / rows;
      row_sums(clique.table.data(), rows, rest, clique.separator.data());
      const N top = *std::max_element(clique.separator.begin(), clique.separator.end());
      if (!(top > N(0.0))) throw std::invalid_argument("the factors are zero everywhere");
      total_ *= Wide(top);
      for (N& x : clique.separator) x /= top;
      for (N& x : clique.table) x /= top;
      clique.low -= Reach::of(&top, 1).high + 1;
      if (clique.parent < 0) continue;
      Clique& up = cliques_[clique.parent];
      deepen(up.table, up.low, Reach::of(clique.separator.data(), rows).low, total_);
      multiply(to_separator(clique), up.table.data(), clique.separator.data());
    }
    for (std::size_t c = cliques_.size(); c-- > 0;) {
      Clique& clique = cliques_[c];
      if (clique.parent >= 0) spread(clique);
      clique.low = Reach::of(clique.table.data(), clique.table.size()).low;
    }
  }

  // Give a clique the distribution that its parent has of the separator.
  void spread(Clique& clique) {
    Numbers sums(clique.separator.size(), N(0.0));
    add_up(to_separator(clique), cliques_[clique.parent].table.data(), sums.data());
    Numbers factors(sums.size());
    for (std::size_t s = 0; s < sums.size(); ++s) factors[s] = ratio(sums[s], clique.separator[s]);
    const int by = Reach::of(factors.data(), factors.size()).low;
    if (clique.low + by < deepest && Reach::of(clique.table.data(), clique.table.size()).low + by < deepest) throw Deep{};
    scale_rows(clique.table.data(), sums.size(), clique.table.size() / sums.size(), factors.data());
    clique.separator = std::move(sums);
  }
};

// Questions with the same variables seen: what does not depend on their levels is worked out once.
template <typename N>
class Tree<N>::Run {
 public:
  Run(const Tree& tree, const Set& known, const std::vector<double>& soft, const std::vector<Set>& targets)
      : tree_(tree), known_(known), parts_(tree.cliques_.size()), place_(tree.levels_.size(), -1), targets_(targets) {
    for (std::size_t i = 0; i < known.size(); ++i) place_[known[i]] = static_cast<int>(i);
    read_soft(soft);
    for (std::size_t c = 0; c < parts_.size(); ++c) lay_out(c);
    mark();
  }

  double row(const std::int64_t* levels, std::vector<double>& answers) {
    const double log = collect(levels);
    if (log == -INFINITY) {
      for (const Target& target : found_) answers.insert(answers.end(), target.size, 0.0);
      return log;
    }
    distribute();
    for (const Target& target : found_) {
      const std::size_t from = answers.size();
      answers.resize(from + target.size, 0.0);
      if (target.known >= 0) {
        answers[from + static_cast<std::size_t>(levels[target.known])] = 1.0;
        continue;
      }
      sums_.assign(target.size, N(0.0));
      add_up(target.walk, parts_[target.home].work.data(), sums_.data());
      for (std::size_t k = 0; k < target.size; ++k) answers[from + k] = static_cast<double>(sums_[k]);
    }
    return log;
  }

  // Largest instead of sums: each clique's table over its separator's, from the leaves to the root and back.
  double best(const std::int64_t* levels, std::vector<std::int64_t>& found) {
    total_ = tree_.total_;
    total_ *= soft_total_;
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      fill(c, levels);
      for (std::size_t s = 0; s < parts_[c].rows; ++s) parts_[c].message[s] = ratio(N(1.0), parts_[c].message[s]);
      if (tree_.cliques_[c].parent >= 0)
        scale_rows(parts_[c].work.data(), parts_[c].rows, parts_[c].rest, parts_[c].message.data());
    }
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      Part& part = parts_[c];
      N top = 0.0;
      for (std::size_t s = 0; s < part.rows; ++s) {
        part.message[s] = *std::max_element(part.work.begin() + static_cast<std::ptrdiff_t>(s * part.rest),
                                            part.work.begin() + static_cast<std::ptrdiff_t>((s + 1) * part.rest));
        top = std::max(top, part.message[s]);
      }
      if (!(top > N(0.0))) return -INFINITY;
      total_ *= Wide(top);
      if (tree_.cliques_[c].parent >= 0) send(c, part.message, top);
    }
    for (std::size_t i = 0; i < known_.size(); ++i) found[known_[i]] = levels[i];
    for (std::size_t c = parts_.size(); c-- > 0;) {
      const Part& part = parts_[c];
      const N* from = part.work.data() + separator_row(c, found.data()) * part.rest;
      settle(c, static_cast<std::size_t>(std::max_element(from, from + part.rest) - from), found.data());
    }
    return log_of(total_);
  }

  // Messages towards the root from all cliques: what `draw` needs.
  double collect_all(const std::int64_t* levels) {
    for (Part& part : parts_) part.needed = true;
    return collect(levels);
  }

  // From the root on, each clique's own variables given its separator.
  void draw(const std::int64_t* levels, const double* chances, std::int64_t* found) const {
    for (std::size_t i = 0; i < known_.size(); ++i) found[known_[i]] = levels[i];
    for (std::size_t c = parts_.size(); c-- > 0;) {
      const Part& part = parts_[c];
      const N* from = part.work.data() + separator_row(c, found) * part.rest;
      const N sum = std::accumulate(from, from + part.rest, N(0.0));
      double left = chances[c] * beside_sum(sum, sum);
      std::size_t cell = 0, last = 0;
      for (; cell < part.rest; ++cell) {
        if (!(from[cell] > N(0.0))) continue;
        last = cell;
        left -= beside_sum(from[cell], sum);
        if (left < 0.0) break;
      }
      settle(c, cell < part.rest ? cell : last, found);
    }
  }

 private:
  struct Part {
    bool touched = false, needed = false;
    int low = 0;  // as of a clique
    std::size_t rows = 1, rest = 1;  // sizes of the separator and of what is beside it, seen variables left out
    std::vector<std::pair<std::size_t, int>> seen, seen_shared;  // stride of a seen variable in the table, and its place
    Walk slice, slice_separator, up;
    std::vector<std::pair<Walk, int>> soft;
    Numbers work, message, sums;
    Set free;
  };
  struct Target {
    std::size_t home, size;
    Walk walk;
    int known = -1;  // place of a single variable among those seen
  };

  const Tree& tree_;
  Set known_;
  std::vector<Part> parts_;
  std::vector<int> place_;
  std::vector<Set> targets_;
  std::vector<Target> found_;
  std::vector<Numbers> soft_;
  Wide soft_total_ = 1.0;
  Wide total_;  // what sums were divided by
  Numbers sums_;

  void read_soft(const std::vector<double>& soft) {
    soft_.resize(tree_.levels_.size());
    std::size_t at = 0;
    for (std::size_t v = 0; !soft.empty() && v < soft_.size(); ++v) {
      const auto size = static_cast<std::size_t>(tree_.levels_[v]);
      if (at + size > soft.size()) throw std::invalid_argument("soft evidence has fewer weights than there are levels");
      std::vector<double> own(soft.data() + at, soft.data() + at + size);
      if (place_[v] < 0 && std::any_of(own.begin(), own.end(), [](double x) { return x != 1.0; })) {
        soft_total_.power += lift(own.data(), size);
        soft_[v].assign(own.begin(), own.end());
      }
      at += size;
    }
  }

  std::size_t dim(int v) const { return place_[v] < 0 ? static_cast<std::size_t>(tree_.levels_[v]) : 1; }

  // A walk over the free variables of a clique with a table over those of `scope` beside it.
  Walk beside(const Set& vars, const Set& scope) const {
    Walk walk;
    for (int v : vars) {
      std::size_t step = 1;
      bool inside = false;
      for (std::size_t i = scope.size(); i-- > 0 && !inside;) {
        if (scope[i] == v) inside = true;
        else step *= dim(scope[i]);
      }
      walk.add(dim(v), inside ? step : 0);
    }
    return walk;
  }

  void lay_out(std::size_t c) {
    const Clique& clique = tree_.cliques_[c];
    Part& part = parts_[c];
    std::size_t stride = 1;  // within the separator
    Sizes shared_strides(clique.shared, 1);
    for (std::size_t d = clique.shared; d-- > 0;) {
      shared_strides[d] = stride;
      stride *= clique.dims[d];
    }
    for (std::size_t d = 0; d < clique.vars.size(); ++d) {
      const int v = clique.vars[d];
      const bool shared = d < clique.shared;
      if (place_[v] >= 0) {
        part.seen.emplace_back(clique.strides[d], place_[v]);
        if (shared) part.seen_shared.emplace_back(shared_strides[d], place_[v]);
        part.touched = true;
        continue;
      }
      part.free.push_back(v);
      part.slice.add(clique.dims[d], clique.strides[d]);
      if (shared) part.slice_separator.add(clique.dims[d], shared_strides[d]);
      (shared ? part.rows : part.rest) *= clique.dims[d];
    }
    if (clique.parent >= 0) {
      const Set scope(clique.vars.begin(), clique.vars.begin() + static_cast<std::ptrdiff_t>(clique.shared));
      part.up = beside(tree_.cliques_[clique.parent].vars, scope);
    }
  }

  // Where soft evidence enters, where targets are read, and which cliques have to be looked at.
  void mark() {
    for (std::size_t v = 0; v < soft_.size(); ++v) {
      if (soft_[v].empty()) continue;
      const std::size_t home = smallest({static_cast<int>(v)});
      parts_[home].soft.emplace_back(beside(tree_.cliques_[home].vars, {static_cast<int>(v)}), static_cast<int>(v));
      parts_[home].touched = true;
    }
    for (const Set& target : targets_) {
      if (target.size() == 1 && place_[target[0]] >= 0) {
        found_.push_back({0, static_cast<std::size_t>(tree_.levels_[target[0]]), {}, place_[target[0]]});
        continue;
      }
      const std::size_t home = smallest(target);
      std::size_t size = 1;
      for (int v : target) size *= dim(v);
      found_.push_back({home, size, beside(tree_.cliques_[home].vars, target)});
      parts_[home].needed = true;
    }
    for (std::size_t c = 0; c < parts_.size(); ++c)  // children come before their parents
      if (const int up = tree_.cliques_[c].parent; up >= 0) {
        parts_[up].touched = parts_[up].touched || parts_[c].touched;
        parts_[up].needed = parts_[up].needed || parts_[c].needed;
      }
  }

  std::size_t smallest(const Set& scope) const {
    std::size_t home = parts_.size(), least = 0;
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      const std::size_t size = parts_[c].rows * parts_[c].rest;
      if ((home == parts_.size() || size < least) && holds(tree_.cliques_[c], scope)) {
        home = c;
        least = size;
      }
    }
    if (home == parts_.size()) throw std::invalid_argument("no clique holds all variables of a set that was asked for");
    return home;
  }

  // The clique's table and separator at the levels seen.
  void fill(std::size_t c, const std::int64_t* levels) {
    const Clique& clique = tree_.cliques_[c];
    Part& part = parts_[c];
    part.work.resize(part.rows * part.rest);
    part.message.resize(part.rows);
    std::size_t from = 0, from_shared = 0;
    for (const auto& [stride, place] : part.seen) from += stride * static_cast<std::size_t>(levels[place]);
    for (const auto& [stride, place] : part.seen_shared) from_shared += stride * static_cast<std::size_t>(levels[place]);
    cut(part.slice, clique.table.data() + from, part.work.data());
    cut(part.slice_separator, clique.separator.data() + from_shared, part.message.data());
    part.low = clique.low;
    for (const auto& [walk, v] : part.soft) {
      deepen(part.work, part.low, Reach::of(soft_[v].data(), soft_[v].size()).low - 1, total_);
      multiply(walk, part.work.data(), soft_[v].data());
    }
  }

  double collect(const std::int64_t* levels) {
    total_ = tree_.total_;
    total_ *= soft_total_;
    for (std::size_t c = 0; c < parts_.size(); ++c)
      if (parts_[c].touched || parts_[c].needed) fill(c, levels);
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      Part& part = parts_[c];
      if (!part.touched) continue;
      part.sums.resize(part.rows);
      row_sums(part.work.data(), part.rows, part.rest, part.sums.data());
      const N top = *std::max_element(part.sums.begin(), part.sums.end());
      if (!(top > N(0.0))) return -INFINITY;
      total_ *= Wide(top);
      for (N& x : part.work) x /= top;
      if (tree_.cliques_[c].parent < 0) continue;
      N most = 0.0;
      for (std::size_t s = 0; s < part.rows; ++s) {
        const N now = part.sums[s] / top;
        part.sums[s] = ratio(now, part.message[s]);
        part.message[s] = now;  // what the clique holds of its separator; scaled, as is the ratio
        most = std::max(most, part.sums[s]);
      }
      if (!(most > N(0.0))) return -INFINITY;
      total_ *= Wide(most);
      send(c, part.sums, most);
    }
    return log_of(total_);
  }

  // Multiply a message, scaled to a largest number of one, into the parent of a clique.
  void send(std::size_t c, Numbers& message, const N& top) {
    Part& up = parts_[static_cast<std::size_t>(tree_.cliques_[c].parent)];
    const Reach found = Reach::of(message.data(), message.size());
    deepen(up.work, up.low, found.low - found.high - 1, total_);
    for (N& x : message) x /= top;
    multiply(parts_[c].up, up.work.data(), message.data());
  }

  void distribute() {
    for (std::size_t c = parts_.size(); c-- > 0;) {
      Part& part = parts_[c];
      const int up = tree_.cliques_[c].parent;
      if (!part.needed || up < 0) continue;
      part.sums.assign(part.rows, N(0.0));
      add_up(part.up, parts_[up].work.data(), part.sums.data());
      for (std::size_t s = 0; s < part.rows; ++s) part.sums[s] = ratio(part.sums[s], part.message[s]);
      scale_rows(part.work.data(), part.rows, part.rest, part.sums.data());
    }
  }

  // The row of a clique's table at the levels of its separator.
  std::size_t separator_row(std::size_t c, const std::int64_t* found) const {
    const Clique& clique = tree_.cliques_[c];
    std::size_t row = 0;
    for (std::size_t d = 0; d < clique.shared; ++d)
      if (place_[clique.vars[d]] < 0) row = row * clique.dims[d] + static_cast<std::size_t>(found[clique.vars[d]]);
    return row;
  }

  // Write the levels of a clique's own variables from a cell of that row.
  void settle(std::size_t c, std::size_t cell, std::int64_t* found) const {
    const Clique& clique = tree_.cliques_[c];
    for (std::size_t d = clique.vars.size(); d-- > clique.shared;) {
      if (place_[clique.vars[d]] >= 0) continue;
      found[clique.vars[d]] = static_cast<std::int64_t>(cell % clique.dims[d]);
      cell /= clique.dims[d];
    }
  }
};

}  // namespace arcwise
