// The run of a greedy equivalence search: its phases, when it ends, and the graph it hands back.
#include <unordered_set>

#include "operators.hpp"

namespace arcwise {
namespace {

enum Reason { done = 0, asked = 1, circle = 2 };

// Phase after phase until each has found nothing to do since the last step.
class Run {
 public:
  double before = -INFINITY;  // score of the start

  explicit Run(Search& search) : search_(search) { visited_.insert(search.graph.hash); }

  Reason phases(const std::vector<Kind>& wanted, bool iterate, const std::vector<Set>& start) {
    search_.begin(wanted[0]);
    if (search_.pulse.ended) return asked;
    before = search_.pulse.score = search_.total(start);
    std::size_t quiet = 0;
    for (std::size_t i = 0; i < wanted.size() || (iterate && quiet < wanted.size()); ++i) {
      const std::size_t classes = visited_.size();
      const Reason reason = phase(wanted[i % wanted.size()]);
      if (reason != done) return reason;
      quiet = visited_.size() > classes ? 1 : quiet + 1;
    }
    return done;
  }

 private:
  Search& search_;
  std::unordered_set<std::uint64_t> visited_;

  Reason phase(Kind kind) {
    search_.begin(kind);  // cheap where nothing has changed
    while (true) {
      const Operator op = search_.step();
      if (op.tail < 0) return search_.pulse.ended ? asked : done;
      const bool fresh = visited_.insert(search_.graph.hash).second;
      if (search_.pulse.step(op, search_.graph.edges)) return asked;
      // A score that differs inside a class can lead round in a circle.
      if (!fresh) return circle;
    }
  }
};

std::vector<Set> unpack(const ConstIndices& indptr, const ConstIndices& indices) {
  std::vector<Set> sets(indptr.shape(0) - 1);
  for (std::size_t y = 0; y < sets.size(); ++y)
    for (std::int64_t i = indptr.data()[y]; i < indptr.data()[y + 1]; ++i)
      sets[y].push_back(static_cast<int>(indices.data()[i]));
  return sets;
}

BitMatrix bits(const ConstIndices& indptr, const ConstIndices& indices, bool wanted) {
  const int size = wanted ? static_cast<int>(indptr.shape(0)) - 1 : 0;
  BitMatrix out(size);
  for (int y = 0; y < size; ++y)
    for (std::int64_t i = indptr.data()[y]; i < indptr.data()[y + 1]; ++i)
      out.set(y, static_cast<int>(indices.data()[i]));
  return out;
}

nb::tuple ges(nb::callable rows, nb::callable watch, ConstIndices indptr, ConstIndices indices,
              ConstIndices barred_indptr, ConstIndices barred, ConstIndices kept_indptr, ConstIndices kept,
              ConstIndices phases, bool iterate, std::int64_t max_parents, std::int64_t max_clique,
              double tolerance) {
  const std::vector<Set> start = unpack(indptr, indices);
  const bool any = barred.shape(0) > 0 || kept.shape(0) > 0;
  Directions rules{any, bits(barred_indptr, barred, any), bits(kept_indptr, kept, any)};
  Search search(EssentialGraph(static_cast<int>(start.size()), start), std::move(rules),
                {tolerance, static_cast<std::size_t>(max_parents), static_cast<std::size_t>(max_clique)},
                std::move(rows), Pulse(std::move(watch)));
  std::vector<Kind> wanted;
  for (std::size_t i = 0; i < phases.shape(0); ++i) wanted.push_back(static_cast<Kind>(phases.data()[i]));
  Run run(search);
  const Reason reason = run.phases(wanted, iterate, start);
  Extension member(search.graph, search.rules());
  if (!member.find()) throw nb::value_error("the start breaks the rules");  // every later class was checked
  std::vector<std::int64_t> found_indptr{0}, found;
  for (const Set& set : member.parents) {
    found.insert(found.end(), set.begin(), set.end());
    found_indptr.push_back(static_cast<std::int64_t>(found.size()));
  }
  return nb::make_tuple(to_numpy(std::move(found_indptr)), to_numpy(std::move(found)), run.before,
                        static_cast<int>(reason), search.cut);
}

}  // namespace
}  // namespace arcwise

void bind_ges(nanobind::module_& m) { m.def("ges", &arcwise::ges); }
