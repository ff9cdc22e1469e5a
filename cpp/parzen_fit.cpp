#include "parzen_fit.hpp"

namespace arcwise::parzen {
namespace {

constexpr std::size_t kFirstRows = 64;
constexpr double kRough = 1e-3, kEnough = 1e-6;  // promised gains at which a climb takes its last step
constexpr int kMostSteps = 60;

}  // namespace

Fitted Fitter::fit(const Source& source, std::int64_t child, std::int64_t levels, const std::int64_t* set,
                   std::size_t k, bool one, Box box) {
  exact_ = gather<double>(source, child, set, k);
  rough_ = gather<float>(source, child, set, k);
  const Freedom freedom = k == 0 ? Freedom::out_only : one ? Freedom::one : Freedom::two;
  sample(rough_, kFirstRows, lines_);
  const std::vector<Widths> from = starts(lines_, levels, freedom, box);
  Climb near = climb([&](Widths w) { return lines_.loo(w, levels, true); }, from[0], freedom, box, kRough, kMostSteps);
  pairs_.bind(rough_, exact_, true);
  Climb found =
      climb([&](Widths w) { return pairs_.loo(w, levels, true); }, near.widths, freedom, box, kEnough, kMostSteps);
  if (k == 0) found.widths.in = one ? found.widths.out : std::exp(box.most);
  last_.bind(exact_, exact_, false);
  return {found.widths, last_.loo(found.widths, levels, false).value, found.evaluations};
}

}  // namespace arcwise::parzen
