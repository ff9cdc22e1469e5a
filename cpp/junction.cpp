// Exact answers of discrete networks by a tree of cliques (Lauritzen and Spiegelhalter 1988, Jensen et al. 1990).
//
// The tree is calibrated once without evidence: each clique then holds its own joint distribution, and so does each
// separator. With evidence, cliques are cut down to the levels seen, only branches that hold evidence send messages towards
// the root, and from there they go to the cliques that hold something asked for.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "arrays.hpp"
#include "triangulate.hpp"

namespace arcwise {
namespace {

using Sizes = std::vector<std::size_t>;
using Numbers = std::vector<double>;

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

void multiply(const Walk& walk, double* table, const double* factor) {
  walk.run([=](std::size_t i, std::size_t j, std::size_t n, std::size_t step) {
    double* a = table + i;
    const double* b = factor + j;
    if (step == 0)
      for (std::size_t k = 0; k < n; ++k) a[k] *= *b;
    else
      for (std::size_t k = 0; k < n; ++k) a[k] *= b[k * step];
  });
}

void add_up(const Walk& walk, const double* table, double* sums) {
  walk.run([=](std::size_t i, std::size_t j, std::size_t n, std::size_t step) {
    const double* a = table + i;
    double* b = sums + j;
    if (step == 0) {
      double sum = 0.0;
      for (std::size_t k = 0; k < n; ++k) sum += a[k];
      *b += sum;
    } else {
      for (std::size_t k = 0; k < n; ++k) b[k * step] += a[k];
    }
  });
}

void cut(const Walk& walk, const double* source, double* out) {
  walk.run([=](std::size_t i, std::size_t j, std::size_t n, std::size_t step) {
    if (step == 1) std::copy_n(source + j, n, out + i);
    else
      for (std::size_t k = 0; k < n; ++k) out[i + k] = source[j + k * step];
  });
}

// Row sums of a table whose separator comes first, and the reverse.
void row_sums(const double* table, std::size_t rows, std::size_t rest, double* out) {
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0.0;
    for (std::size_t k = 0; k < rest; ++k) sum += table[r * rest + k];
    out[r] = sum;
  }
}

void scale_rows(double* table, std::size_t rows, std::size_t rest, const double* factors) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < rest; ++k) table[r * rest + k] *= factors[r];
}

double ratio(double above, double below) { return below > 0.0 ? above / below : 0.0; }

}  // namespace

class JunctionTree {
 public:
  JunctionTree(ConstIndices levels, ConstIndices indptr, ConstIndices indices, ConstVector values, ConstIndices order)
      : levels_(levels.data(), levels.data() + levels.shape(0)) {
    std::vector<Set> scopes;
    for (std::size_t f = 0; f + 1 < indptr.shape(0); ++f)
      scopes.emplace_back(indices.data() + indptr.data()[f], indices.data() + indptr.data()[f + 1]);
    const std::vector<int> steps(order.data(), order.data() + order.shape(0));
    if (steps.size() != levels_.size()) throw nb::value_error("an order of elimination has every variable once");
    CliqueTree tree = clique_tree(levels_, scopes, steps);
    for (std::size_t c = 0; c < tree.cliques.size(); ++c) cliques_.push_back(made(tree, c));
    enter(scopes, values);
    calibrate();
  }

  double log_total() const { return log_total_; }
  std::size_t entries() const {
    return std::accumulate(cliques_.begin(), cliques_.end(), std::size_t{0},
                           [](std::size_t sum, const Clique& c) { return sum + c.table.size(); });
  }

  // For each row of levels (below zero where nothing is known) the log probability of what is known, and the joint distributions of
  // the sets asked for, one after the other. Rows with gaps in the same places are best side by side. `soft` holds a weight for
  // each level of each variable (or nothing). Impossible evidence has -inf, and zeros.
  nb::tuple ask(nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> rows, ConstVector soft,
                ConstIndices indptr, ConstIndices indices) {
    std::vector<Set> targets;
    for (std::size_t t = 0; t + 1 < indptr.shape(0); ++t)
      targets.emplace_back(indices.data() + indptr.data()[t], indices.data() + indptr.data()[t + 1]);
    if (rows.shape(1) != levels_.size()) throw nb::value_error("a row of evidence has a level, or a gap, for every variable");
    Numbers logs, answers;
    std::string wrong;
    {
      nb::gil_scoped_release release;
      try {
        std::unique_ptr<Run> run;
        Set before;
        std::vector<std::int64_t> seen;
        for (std::size_t r = 0; r < rows.shape(0); ++r) {
          Set known;
          seen.clear();
          for (std::size_t v = 0; v < levels_.size(); ++v)
            if (const std::int64_t level = rows.data()[r * levels_.size() + v]; level >= 0) {
              if (level >= levels_[v]) throw std::invalid_argument("a level is beyond those of its variable");
              known.push_back(static_cast<int>(v));
              seen.push_back(level);
            }
          if (!run || known != before) run = std::make_unique<Run>(*this, known, soft, targets);
          logs.push_back(run->row(seen.data(), answers));
          before = std::move(known);
        }
      } catch (const std::invalid_argument& error) {
        wrong = error.what();
      }
    }
    if (!wrong.empty()) throw nb::value_error(wrong.c_str());
    return nb::make_tuple(to_numpy(std::move(logs)), to_numpy(std::move(answers)));
  }

  // Levels of all variables drawn together given each row of evidence: as many times as there are rows of `chances` for it,
  // which hold a number from 0 to 1 for each clique. Impossible evidence has -inf, and levels without meaning.
  nb::tuple draw(ConstIndices seen, nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> rows,
                 ConstVector soft, nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> chances) {
    const Set known(seen.data(), seen.data() + seen.shape(0));
    const std::size_t times = rows.shape(0) ? chances.shape(0) / rows.shape(0) : 0, width = cliques_.size();
    if (chances.shape(1) != width || times * rows.shape(0) != chances.shape(0))
      throw nb::value_error("draws need a number for each clique, and as many times for each row");
    Numbers logs;
    std::vector<std::int64_t> found(chances.shape(0) * levels_.size(), 0);
    std::string wrong;
    {
      nb::gil_scoped_release release;
      try {
        Run run(*this, known, soft, {});
        for (std::size_t r = 0; r < rows.shape(0); ++r) {
          const std::int64_t* row = rows.data() + r * known.size();
          logs.push_back(run.collect_all(row));
          for (std::size_t d = r * times; logs.back() != -INFINITY && d < (r + 1) * times; ++d)
            run.draw(row, chances.data() + d * width, found.data() + d * levels_.size());
        }
      } catch (const std::invalid_argument& error) {
        wrong = error.what();
      }
    }
    if (!wrong.empty()) throw nb::value_error(wrong.c_str());
    return nb::make_tuple(to_numpy(std::move(logs)), to_numpy(std::move(found)));
  }

  std::size_t cliques() const { return cliques_.size(); }

  // The most probable levels of all variables for one row of evidence, and the log probability of these.
  nb::tuple explain(ConstIndices seen, ConstIndices row, ConstVector soft) {
    const Set known(seen.data(), seen.data() + seen.shape(0));
    Run run(*this, known, soft, {});
    std::vector<std::int64_t> found(levels_.size(), 0);
    const double log = run.best(row.data(), found);
    return nb::make_tuple(to_numpy(std::move(found)), log);
  }

 private:
  struct Clique {
    Set vars;
    int parent = -1;
    std::size_t shared = 0;  // variables in common with the parent, which come first
    Sizes dims, strides;
    Numbers table, separator;
    std::vector<int> children;
  };

  std::vector<int> levels_;
  std::vector<Clique> cliques_;
  double log_total_ = 0.0;

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
    out.table.assign(size, 1.0);
    out.separator.assign(common, 1.0);
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

  // Multiply every factor into the smallest clique that holds it.
  void enter(const std::vector<Set>& scopes, ConstVector values) {
    std::vector<std::vector<int>> homes(levels_.size());  // cliques of each variable
    for (std::size_t c = 0; c < cliques_.size(); ++c) {
      if (cliques_[c].parent >= 0) cliques_[cliques_[c].parent].children.push_back(static_cast<int>(c));
      for (int v : cliques_[c].vars) homes[v].push_back(static_cast<int>(c));
    }
    std::size_t at = 0;
    for (const Set& scope : scopes) {
      std::size_t size = 1;
      for (int v : scope) size *= static_cast<std::size_t>(levels_[v]);
      if (at == values.shape(0)) break;  // scopes at the end may have no numbers: they only keep variables together
      if (at + size > values.shape(0)) throw nb::value_error("a factor has fewer numbers than its scope has cells");
      int home = scope.empty() ? 0 : -1;
      if (!scope.empty())
        for (int c : homes[scope[0]])
          if (holds(cliques_[c], scope) && (home < 0 || cliques_[c].table.size() < cliques_[home].table.size())) home = c;
      if (home < 0) throw nb::value_error("no clique holds a factor");
      multiply(beside(cliques_[home], scope), cliques_[home].table.data(), values.data() + at);
      at += size;
    }
    if (at != values.shape(0)) throw nb::value_error("there are more numbers than the scopes have cells");
  }

  Walk to_separator(const Clique& child) const {
    const Set scope(child.vars.begin(), child.vars.begin() + static_cast<std::ptrdiff_t>(child.shared));
    return beside(cliques_[child.parent], scope);
  }

  void calibrate() {
    for (Clique& clique : cliques_) {
      const std::size_t rows = clique.separator.size(), rest = clique.table.size() / rows;
      row_sums(clique.table.data(), rows, rest, clique.separator.data());
      const double size = std::accumulate(clique.separator.begin(), clique.separator.end(), 0.0);
      if (!(size > 0.0)) throw nb::value_error("the factors are zero everywhere");
      log_total_ += std::log(size);
      for (double& x : clique.separator) x /= size;
      for (double& x : clique.table) x /= size;
      if (clique.parent >= 0) multiply(to_separator(clique), cliques_[clique.parent].table.data(), clique.separator.data());
    }
    for (std::size_t c = cliques_.size(); c-- > 0;) {
      Clique& clique = cliques_[c];
      if (clique.parent < 0) continue;
      Numbers sums(clique.separator.size(), 0.0);
      add_up(to_separator(clique), cliques_[clique.parent].table.data(), sums.data());
      Numbers factors(sums.size());
      for (std::size_t s = 0; s < sums.size(); ++s) factors[s] = ratio(sums[s], clique.separator[s]);
      scale_rows(clique.table.data(), sums.size(), clique.table.size() / sums.size(), factors.data());
      clique.separator = std::move(sums);
    }
  }

  // Questions with the same variables seen: what does not depend on their levels is worked out once.
  class Run {
   public:
    Run(const JunctionTree& tree, const Set& known, ConstVector soft, const std::vector<Set>& targets)
        : tree_(tree), known_(known), parts_(tree.cliques_.size()), place_(tree.levels_.size(), -1), targets_(targets) {
      for (std::size_t i = 0; i < known.size(); ++i) place_[known[i]] = static_cast<int>(i);
      read_soft(soft);
      for (std::size_t c = 0; c < parts_.size(); ++c) lay_out(c);
      mark();
    }

    double row(const std::int64_t* levels, Numbers& answers) {
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
        add_up(target.walk, parts_[target.home].work.data(), answers.data() + from);
      }
      return log;
    }

    // Largest instead of sums: each clique's table over its separator's, from the leaves to the root and back.
    double best(const std::int64_t* levels, std::vector<std::int64_t>& found) {
      double log = 0.0;
      for (std::size_t c = 0; c < parts_.size(); ++c) {
        fill(c, levels);
        for (std::size_t s = 0; s < parts_[c].rows; ++s) parts_[c].message[s] = ratio(1.0, parts_[c].message[s]);
        if (tree_.cliques_[c].parent >= 0)
          scale_rows(parts_[c].work.data(), parts_[c].rows, parts_[c].rest, parts_[c].message.data());
      }
      for (std::size_t c = 0; c < parts_.size(); ++c) {
        Part& part = parts_[c];
        double top = 0.0;
        for (std::size_t s = 0; s < part.rows; ++s) {
          part.message[s] = *std::max_element(part.work.begin() + static_cast<std::ptrdiff_t>(s * part.rest),
                                              part.work.begin() + static_cast<std::ptrdiff_t>((s + 1) * part.rest));
          top = std::max(top, part.message[s]);
        }
        if (top == 0.0) return -INFINITY;
        log += std::log(top);
        for (std::size_t s = 0; s < part.rows; ++s) part.message[s] /= top;
        if (const int up = tree_.cliques_[c].parent; up >= 0) multiply(part.up, parts_[up].work.data(), part.message.data());
      }
      for (std::size_t i = 0; i < known_.size(); ++i) found[known_[i]] = levels[i];
      for (std::size_t c = parts_.size(); c-- > 0;) {
        const Part& part = parts_[c];
        const double* from = part.work.data() + separator_row(c, found.data()) * part.rest;
        settle(c, static_cast<std::size_t>(std::max_element(from, from + part.rest) - from), found.data());
      }
      return log + tree_.log_total_;
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
        const double* from = part.work.data() + separator_row(c, found) * part.rest;
        double left = chances[c] * std::accumulate(from, from + part.rest, 0.0);
        std::size_t cell = 0, last = 0;
        for (; cell < part.rest; ++cell) {
          if (from[cell] <= 0.0) continue;
          last = cell;
          left -= from[cell];
          if (left < 0.0) break;
        }
        settle(c, cell < part.rest ? cell : last, found);
      }
    }

   private:
    struct Part {
      bool touched = false, needed = false;
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

    const JunctionTree& tree_;
    Set known_;
    std::vector<Part> parts_;
    std::vector<int> place_;
    std::vector<Set> targets_;
    std::vector<Target> found_;
    std::vector<Numbers> soft_;

    void read_soft(ConstVector soft) {
      soft_.resize(tree_.levels_.size());
      std::size_t at = 0;
      for (std::size_t v = 0; soft.shape(0) && v < soft_.size(); ++v) {
        const auto size = static_cast<std::size_t>(tree_.levels_[v]);
        if (at + size > soft.shape(0)) throw std::invalid_argument("soft evidence has fewer weights than there are levels");
        Numbers own(soft.data() + at, soft.data() + at + size);
        if (place_[v] < 0 && std::any_of(own.begin(), own.end(), [](double x) { return x != 1.0; })) soft_[v] = std::move(own);
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
      for (const auto& [walk, v] : part.soft) multiply(walk, part.work.data(), soft_[v].data());
    }

    double collect(const std::int64_t* levels) {
      double log = tree_.log_total_;
      for (std::size_t c = 0; c < parts_.size(); ++c)
        if (parts_[c].touched || parts_[c].needed) fill(c, levels);
      for (std::size_t c = 0; c < parts_.size(); ++c) {
        Part& part = parts_[c];
        if (!part.touched) continue;
        part.sums.resize(part.rows);
        row_sums(part.work.data(), part.rows, part.rest, part.sums.data());
        double size = 0.0;
        for (double x : part.sums) size += x;
        if (!(size > 0.0)) return -INFINITY;
        log += std::log(size);
        const int up = tree_.cliques_[c].parent;
        if (up < 0) {
          for (double& x : part.work) x /= size;
          continue;
        }
        for (std::size_t s = 0; s < part.rows; ++s) {
          const double now = part.sums[s] / size;
          part.sums[s] = ratio(now, part.message[s]);
          part.message[s] = now;  // what the clique holds of its separator; scaled, as is the ratio
        }
        multiply(part.up, parts_[up].work.data(), part.sums.data());
        for (double& x : part.work) x /= size;
      }
      return log;
    }

    void distribute() {
      for (std::size_t c = parts_.size(); c-- > 0;) {
        Part& part = parts_[c];
        const int up = tree_.cliques_[c].parent;
        if (!part.needed || up < 0) continue;
        part.sums.assign(part.rows, 0.0);
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
};

}  // namespace arcwise

void bind_junction(nanobind::module_& m) {
  namespace nb = nanobind;
  using arcwise::ConstIndices, arcwise::ConstVector, arcwise::JunctionTree;
  m.def("elimination_plan", [](ConstIndices levels, ConstIndices indptr, ConstIndices indices) {
    std::vector<arcwise::Set> scopes;
    for (std::size_t f = 0; f + 1 < indptr.shape(0); ++f)
      scopes.emplace_back(indices.data() + indptr.data()[f], indices.data() + indptr.data()[f + 1]);
    const arcwise::Plan plan = arcwise::best_plan({levels.data(), levels.data() + levels.shape(0)}, scopes);
    return nb::make_tuple(arcwise::to_numpy(std::vector<std::int64_t>(plan.order.begin(), plan.order.end())), plan.entries,
                          plan.largest);
  });
  nb::class_<JunctionTree>(m, "JunctionTree")
      .def(nb::init<ConstIndices, ConstIndices, ConstIndices, ConstVector, ConstIndices>())
      .def_prop_ro("log_total", &JunctionTree::log_total)
      .def_prop_ro("entries", &JunctionTree::entries)
      .def_prop_ro("cliques", &JunctionTree::cliques)
      .def("ask", &JunctionTree::ask)
      .def("draw", &JunctionTree::draw)
      .def("explain", &JunctionTree::explain);
}
