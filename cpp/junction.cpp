// Exact answers of discrete networks by a tree of cliques (Lauritzen and Spiegelhalter 1988, Jensen et al. 1990).
//
// The tree is calibrated once without evidence: each clique then holds its own joint distribution, and so does each
// separator. With evidence, cliques are cut down to the levels seen, only branches that hold evidence send messages towards
// the root, and from there they go to the cliques that hold something asked for. Doubles do this; where they could underflow,
// the same is done with wide numbers.
#include <memory>
#include <mutex>

#include "arrays.hpp"
#include "junction_tree.hpp"

namespace arcwise {
namespace {

using Plain = std::vector<double>;
using Levels = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<Set> sets_of(ConstIndices indptr, ConstIndices indices) {
  std::vector<Set> out;
  for (std::size_t f = 0; f + 1 < indptr.shape(0); ++f)
    out.emplace_back(indices.data() + indptr.data()[f], indices.data() + indptr.data()[f + 1]);
  return out;
}

Plain plain(ConstVector values) { return {values.data(), values.data() + values.shape(0)}; }

}  // namespace

class JunctionTree {
 public:
  JunctionTree(ConstIndices levels, ConstIndices indptr, ConstIndices indices, ConstVector values, ConstIndices order)
      : levels_(levels.data(), levels.data() + levels.shape(0)), scopes_(sets_of(indptr, indices)), values_(plain(values)) {
    const std::vector<int> steps(order.data(), order.data() + order.shape(0));
    if (steps.size() != levels_.size()) throw nb::value_error("an order of elimination has every variable once");
    shape_ = clique_tree(levels_, scopes_, steps);
    try {
      try {
        quick_ = std::make_unique<Tree<double>>(levels_, shape_, scopes_, values_);
      } catch (const Deep&) {
        wide();
      }
    } catch (const std::invalid_argument& error) {
      throw nb::value_error(error.what());
    }
  }

  double log_total() { return quick_ ? quick_->log_total() : wide().log_total(); }
  bool deep() const { return !quick_; }
  std::size_t cliques() const { return shape_.cliques.size(); }
  std::size_t entries() const {
    std::size_t sum = 0;
    for (const Set& clique : shape_.cliques) {
      std::size_t size = 1;
      for (int v : clique) size *= static_cast<std::size_t>(levels_[v]);
      sum += size;
    }
    return sum;
  }

  // For each row of levels (below zero where nothing is known) the log probability of what is known, and the joint distributions of
  // the sets asked for, one after the other. Rows with gaps in the same places are best side by side. `soft` holds a weight for
  // each level of each variable (or nothing). Impossible evidence has -inf, and zeros.
  nb::tuple ask(Levels rows, ConstVector soft, ConstIndices indptr, ConstIndices indices) {
    const std::vector<Set> targets = sets_of(indptr, indices);
    if (rows.shape(1) != levels_.size()) throw nb::value_error("a row of evidence has a level, or a gap, for every variable");
    const Plain weights = plain(soft);
    Plain logs, answers;
    released([&] {
      std::unique_ptr<Asker> run;
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
        if (!run || known != before) run = std::make_unique<Asker>(*this, known, weights, targets);
        logs.push_back(run->ask([&](auto& each) { return each.row(seen.data(), answers); }));
        before = std::move(known);
      }
    });
    return nb::make_tuple(to_numpy(std::move(logs)), to_numpy(std::move(answers)));
  }

  // Levels of all variables drawn together given each row of evidence: as many times as there are rows of `chances` for it,
  // which hold a number from 0 to 1 for each clique. Impossible evidence has -inf, and levels without meaning.
  nb::tuple draw(ConstIndices seen, Levels rows, ConstVector soft,
                 nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> chances) {
    const Set known(seen.data(), seen.data() + seen.shape(0));
    const std::size_t times = rows.shape(0) ? chances.shape(0) / rows.shape(0) : 0, width = cliques();
    if (chances.shape(1) != width || times * rows.shape(0) != chances.shape(0))
      throw nb::value_error("draws need a number for each clique, and as many times for each row");
    const Plain weights = plain(soft);
    Plain logs;
    std::vector<std::int64_t> found(chances.shape(0) * levels_.size(), 0);
    released([&] {
      Asker run(*this, known, weights, {});
      for (std::size_t r = 0; r < rows.shape(0); ++r) {
        const std::int64_t* row = rows.data() + r * known.size();
        logs.push_back(run.ask([&](auto& each) {
          const double log = each.collect_all(row);
          for (std::size_t d = r * times; log != -INFINITY && d < (r + 1) * times; ++d)
            each.draw(row, chances.data() + d * width, found.data() + d * levels_.size());
          return log;
        }));
      }
    });
    return nb::make_tuple(to_numpy(std::move(logs)), to_numpy(std::move(found)));
  }

  // The most probable levels of all variables for one row of evidence, and the log probability of these.
  nb::tuple explain(ConstIndices seen, ConstIndices row, ConstVector soft) {
    const Set known(seen.data(), seen.data() + seen.shape(0));
    const Plain weights = plain(soft);
    std::vector<std::int64_t> found(levels_.size(), 0);
    double log = 0.0;
    released([&] {
      Asker run(*this, known, weights, {});
      log = run.ask([&](auto& each) { return each.best(row.data(), found); });
    });
    return nb::make_tuple(to_numpy(std::move(found)), log);
  }

 private:
  std::vector<int> levels_;
  std::vector<Set> scopes_;
  Plain values_;
  CliqueTree shape_;
  std::unique_ptr<Tree<double>> quick_;  // none where doubles cannot hold the tables
  std::unique_ptr<Tree<Wide>> wide_;     // made where it is needed
  std::mutex making_;

  const Tree<Wide>& wide() {
    const std::lock_guard<std::mutex> lock(making_);
    if (!wide_) wide_ = std::make_unique<Tree<Wide>>(levels_, shape_, scopes_, values_);
    return *wide_;
  }

  // Questions with the same variables seen: doubles are asked, and wide numbers where these cannot answer.
  class Asker {
   public:
    Asker(JunctionTree& tree, const Set& known, const Plain& soft, const std::vector<Set>& targets)
        : tree_(tree), known_(known), soft_(soft), targets_(targets) {}

    template <typename Question>
    double ask(const Question& question) {
      if (tree_.quick_) {
        try {
          if (!quick_) quick_ = std::make_unique<Tree<double>::Run>(*tree_.quick_, known_, soft_, targets_);
          return question(*quick_);
        } catch (const Deep&) {  // before anything was written
        }
      }
      if (!wide_) wide_ = std::make_unique<Tree<Wide>::Run>(tree_.wide(), known_, soft_, targets_);
      return question(*wide_);
    }

   private:
    JunctionTree& tree_;
    Set known_;
    const Plain& soft_;
    std::vector<Set> targets_;
    std::unique_ptr<Tree<double>::Run> quick_;
    std::unique_ptr<Tree<Wide>::Run> wide_;
  };

  // Work without Python's lock; wrong questions become Python's errors.
  template <typename Work>
  static void released(const Work& work) {
    std::string wrong;
    {
      nb::gil_scoped_release release;
      try {
        work();
      } catch (const std::invalid_argument& error) {
        wrong = error.what();
      }
    }
    if (!wrong.empty()) throw nb::value_error(wrong.c_str());
  }
};

}  // namespace arcwise

void bind_junction(nanobind::module_& m) {
  namespace nb = nanobind;
  using arcwise::ConstIndices, arcwise::ConstVector, arcwise::JunctionTree;
  m.def("elimination_plan", [](ConstIndices levels, ConstIndices indptr, ConstIndices indices) {
    const arcwise::Plan plan =
        arcwise::best_plan({levels.data(), levels.data() + levels.shape(0)}, arcwise::sets_of(indptr, indices));
    return nb::make_tuple(arcwise::to_numpy(std::vector<std::int64_t>(plan.order.begin(), plan.order.end())), plan.entries,
                          plan.largest);
  });
  nb::class_<JunctionTree>(m, "JunctionTree")
      .def(nb::init<ConstIndices, ConstIndices, ConstIndices, ConstVector, ConstIndices>())
      .def_prop_ro("log_total", &JunctionTree::log_total)
      .def_prop_ro("deep", &JunctionTree::deep)
      .def_prop_ro("entries", &JunctionTree::entries)
      .def_prop_ro("cliques", &JunctionTree::cliques)
      .def("ask", &JunctionTree::ask)
      .def("draw", &JunctionTree::draw)
      .def("explain", &JunctionTree::explain);
}
