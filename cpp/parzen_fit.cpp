#include "parzen_fit.hpp"

namespace arcwise::parzen {
namespace {

// Rows to start with: a sixteenth, at least 64 and at most 512, and no more than 32 MB of distances.
std::size_t first_rows(std::size_t n) {
  return std::max<std::size_t>(64, std::min({n / 16, std::size_t{512}, std::size_t{8'000'000} / n}));
}

constexpr double kRough = 1e-2;   // gain at which to turn from some rows to all
constexpr double kLast = 2e-5;    // gain of the last step
constexpr double kAside = 0.4;    // how far beside a peak to look, in logarithms of widths
constexpr double kSlack = 1e-3;

// A row far from its neighbours pulls the widths one way or the other, so the long ridge of the score (wider inputs,
// narrower target) may have two peaks close to each other. Two places on the ridge tell: where the score falls off
// by less than half of what a single peak would, there is another to climb.
Climb beside(const Climb& peak, Box box, const std::function<double(Widths)>& value,
             const std::function<Climb(Widths, const Climb*)>& climb_from) {
  const Ridge ridge = ridge_of(peak.curve);
  Climb best = peak;
  int used = peak.evaluations;
  for (const double way : {kAside, -kAside}) {
    const auto inside = [&](double width) { return std::clamp(width, box.floor, box.ceiling); };
    const Widths there{inside(peak.widths.in * std::exp(way * ridge.in)),
                       inside(peak.widths.out * std::exp(way * ridge.out))};
    ++used;
    if (value(there) < peak.curve.value - 0.25 * ridge.fall * way * way - kSlack) continue;
    const Climb other = climb_from(there, &best);
    used += other.evaluations;
    if (other.curve.value > best.curve.value) best = other;
  }
  best.evaluations = used;
  return best;
}

}  // namespace

Fitted Fitter::fit(const Source& source, std::int64_t child, std::int64_t levels, const std::int64_t* set,
                   std::size_t k, bool one, Box box) {
  exact_ = gather<double>(source, child, set, k);
  rough_ = gather<float>(source, child, set, k);
  const Freedom freedom = k == 0 ? Freedom::out_only : one ? Freedom::one : Freedom::two;
  sample(rough_, first_rows(rough_.n), lines_);
  pairs_.bind(rough_, exact_, true);
  const auto some = [&](Widths w) { return lines_.loo(w, levels, true); };
  const auto all = [&](Widths w) { return pairs_.loo(w, levels, true); };
  const auto value = [&](Widths w) { return pairs_.loo(w, levels, false).value; };
  const auto climb_from = [&](Widths w, const Climb* rival) { return climb(all, w, freedom, box, kLast, rival); };
  Climb found{{1.0, 1.0}, {}, 0};
  int used = 0;
  for (const Widths start : peaks(lines_, levels, freedom, box, starts_for(rough_.n))) {
    const Climb next = climb_from(climb(some, start, freedom, box, kRough).widths, used ? &found : nullptr);
    if (!used || next.curve.value > found.curve.value) found = next;
    used += next.evaluations;
  }
  found.evaluations = used;
  if (freedom == Freedom::two) found = beside(found, box, value, climb_from);
  settle_widths(found.widths, freedom, one, box);
  last_.bind(exact_, exact_, false);
  return {found.widths, last_.loo(found.widths, levels, false).value, found.evaluations};
}

}  // namespace arcwise::parzen
