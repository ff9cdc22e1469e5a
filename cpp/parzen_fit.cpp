#include "parzen_fit.hpp"

namespace arcwise::parzen {
namespace {

constexpr std::size_t kMany = 4096;   // rows beyond which a mesh stands for all pairs; where there is none, peaks are
constexpr std::size_t kSome = 1024;   // sought on so many of the rows, and then climbed on
constexpr std::size_t kMore = 8192;   // an eighth of all, so many at most, before all are asked
constexpr std::size_t kStarts = 4;
constexpr double kRough = 1e-2;       // gain at which to turn from a few rows to more
constexpr double kLast = 2e-5;        // gain of the last step on all rows
constexpr double kLastOfMany = 1e-4;  // the same where a pass takes seconds: what is left is of the order of 1e-6
constexpr double kSketch = 1e-3;      // the same on some rows, before all are asked
constexpr double kAside = 0.5;        // how far beside a peak to look, in logarithms of widths,
constexpr double kFurther = 1.1;      // and how much further with few inputs
constexpr std::size_t kFewInputs = 5;
constexpr double kSlack = 1e-3;
constexpr double kFall = 0.08;        // no peak beside is higher that begins further below, nats per row
constexpr double kGentle = 0.8;       // share of a single peak's fall under which the way goes on,
constexpr double kFlat = 2e-3;        // and falls too small to tell
constexpr double kClimb = 0.15;        // no peak lies higher above the nearest point of the grid, nats per row

// A row far from its neighbours pulls the widths one way or the other, so the long ridge of the score (wider inputs,
// narrower target) may have several peaks. Places along the ridge tell: where the score falls off by less than half of
// what a single peak would, and not by much, there may be another to climb. Further out it is looked for only where the
// way there is less steep than that of a single peak, or where the peak is flat.
std::vector<Widths> beside(const Climb& peak, Box box, bool further, const std::function<double(Widths)>& value) {
  const Ridge ridge = ridge_of(peak.curve);
  const auto inside = [&](double width) { return std::clamp(width, box.floor, box.ceiling); };
  std::vector<Widths> found;
  const auto look = [&](double way) {  // fall, as a share of what a single peak would
    const Widths there{inside(peak.widths.in * std::exp(way * ridge.in)),
                       inside(peak.widths.out * std::exp(way * ridge.out))};
    const double fall = peak.curve.value - value(there), single = 0.5 * ridge.fall * way * way;
    if (fall < std::min(0.5 * single + kSlack, kFall)) found.push_back(there);
    return single > kFlat ? fall / single : 0.0;
  };
  for (const double side : {1.0, -1.0})
    if (look(side * kAside) < kGentle && further) look(side * kFurther);
  return found;
}

// Starts worth a climb, best first. A row that nothing is like may cost hundreds of nats, so some rows misjudge a
// peak of the grid; all rows (`value`) do not, and what a peak gains on the way from the grid to its top is bounded.
std::vector<Widths> hopeful(const std::vector<Widths>& starts, const std::function<double(Widths)>& value) {
  if (starts.size() < 2) return starts;
  std::vector<std::pair<double, Widths>> judged;
  for (const Widths start : starts) judged.emplace_back(value(start), start);
  std::stable_sort(judged.begin(), judged.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Widths> kept;
  for (const auto& [worth, start] : judged)
    if (worth > judged[0].first - kClimb) kept.push_back(start);
  return kept;
}

}  // namespace

Fitted Fitter::fit(const Source& source, std::int64_t child, std::int64_t levels, const std::int64_t* set,
                   std::size_t k, bool one, Box box) {
  exact_ = gather<double>(source, child, set, k);
  rough_ = gather<float>(source, child, set, k);
  const Freedom freedom = k == 0 ? Freedom::out_only : one ? Freedom::one : Freedom::two;
  const bool many = rough_.n > kMany;
  few_.bind(rough_, kGridLines);
  const std::vector<Widths> starts = peaks(few_, levels, freedom, box, kStarts);
  const bool meshed = many && mesh_.bind(exact_, levels) && mesh_.pays(starts[0]);
  const bool sketched = many && !meshed;
  if (sketched) lines_.bind(rough_, kSome);
  pairs_.bind(rough_, exact_, true);
  const auto few = [&](Widths w) { return few_.loo(w, levels, true); };
  const auto all = [&](Widths w) {
    return meshed && mesh_.pays(w) ? mesh_.curve(w, freedom) : pairs_.loo(w, levels, true);
  };
  const auto some = [&](Widths w) { return sketched ? lines_.loo(w, levels, true) : all(w); };
  Climb found{{1.0, 1.0}, {}, 0};
  int used = 0;
  const auto try_from = [&](Widths start) {
    const Climb next = climb(some, start, freedom, box, sketched ? kSketch : kLast, used ? &found : nullptr);
    if (!used || next.curve.value > found.curve.value) found = next;
    used += next.evaluations;
  };
  const auto value_of_all = [&](Widths w) {
    return meshed && mesh_.pays(w) ? mesh_.value(w) : pairs_.loo(w, levels, false).value;
  };
  const auto value = [&](Widths w) { return sketched ? lines_.loo(w, levels, false).value : value_of_all(w); };
  for (const Widths start : hopeful(starts, value)) {
    const Widths near = many ? climb(few, start, freedom, box, kRough).widths : start;
    try_from(many && value(near) > value(start) ? near : start);
  }
  if (freedom == Freedom::two) {
    for (const Widths there : beside(found, box, k <= kFewInputs, value)) try_from(there);
  }
  if (sketched) {
    if (rough_.n / 8 > 2 * kSome) {
      lines_.bind(rough_, std::min(rough_.n / 8, kMore));
      found = climb(some, found.widths, freedom, box, kSketch);
    }
    found = climb(all, found.widths, freedom, box, kLastOfMany);
    used += found.evaluations;
  }
  settle_widths(found.widths, freedom, one, box);
  if (many) return {found.widths, value_of_all(found.widths), used};
  last_.bind(exact_, exact_, false);
  return {found.widths, last_.loo(found.widths, levels, false).value, used};
}

}  // namespace arcwise::parzen
