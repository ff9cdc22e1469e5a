#include "parzen_fit.hpp"

namespace arcwise::parzen {
namespace {

constexpr double kLongest = 1.5;   // no step changes a width by more than this factor's logarithm
constexpr double kClose = 0.15;    // peaks are further apart, in logarithms of widths
constexpr int kMostSteps = 60;
constexpr double kNoise = 1e-6;    // single precision cannot tell values apart that are closer

struct Step {
  double in, out, gain;
};

double gain_of(const Curve& c, double in, double out) {
  return c.in * in + c.out * out + 0.5 * (c.in_in * in * in + 2.0 * c.in_out * in * out + c.out_out * out * out);
}

// Newton's step along one axis; uphill with the curvature's size where the curve bends upwards.
double along(double slope, double bend, double longest) {
  const double step = slope / std::max(std::abs(bend), 1e-12);
  return std::clamp(step, -longest, longest);
}

// The step in the plane: eigenvalues of the Hessian are taken as negative, so that it always leads uphill.
void across(const Curve& c, double longest, double& in, double& out) {
  const Ridge ridge = ridge_of(c);
  const double x = ridge.in, y = ridge.out, steepest = c.in_in + c.out_out + ridge.fall;
  const double first = along(x * c.in + y * c.out, ridge.fall, longest);
  const double second = along(x * c.out - y * c.in, steepest, longest);
  in = x * first - y * second;
  out = y * first + x * second;
}

// The best step from u inside the box, with promised gain.
Step step_from(const Curve& c, Widths u, Freedom freedom, Box box, double longest) {
  const auto inside = [&](double from, double by) { return std::clamp(from + by, box.least, box.most) - from; };
  if (freedom == Freedom::out_only) {
    const double out = inside(u.out, along(c.out, c.out_out, longest));
    return {0.0, out, gain_of(c, 0.0, out)};
  }
  if (freedom == Freedom::one) {
    const double both = inside(u.in, along(c.in + c.out, c.in_in + 2.0 * c.in_out + c.out_out, longest));
    return {both, both, gain_of(c, both, both)};
  }
  const auto stuck = [&](double at, double slope) {
    return (at <= box.least && slope <= 0.0) || (at >= box.most && slope >= 0.0);
  };
  double in = 0.0, out = 0.0;
  const bool in_stuck = stuck(u.in, c.in), out_stuck = stuck(u.out, c.out);
  if (!in_stuck && !out_stuck) across(c, longest, in, out);
  else if (!in_stuck) in = along(c.in, c.in_in, longest);
  else if (!out_stuck) out = along(c.out, c.out_out, longest);
  const double kept_in = inside(u.in, in), kept_out = inside(u.out, out);
  if (kept_in != in && kept_out == out && !out_stuck)  // the wall takes one width, the other follows it
    out = inside(u.out, along(c.out + c.in_out * kept_in, c.out_out, longest));
  else if (kept_out != out && kept_in == in && !in_stuck)
    in = inside(u.in, along(c.in + c.in_out * kept_out, c.in_in, longest));
  in = inside(u.in, in);
  out = inside(u.out, out);
  return {in, out, gain_of(c, in, out)};
}

bool leads_to(const Climb& rival, Widths u, double value) {
  const double off = std::hypot(std::log(rival.widths.in) - u.in, std::log(rival.widths.out) - u.out);
  return off < kClose && rival.curve.value >= value;
}

}  // namespace

Ridge ridge_of(const Curve& c) {
  const double half = 0.5 * (c.in_in - c.out_out);
  const double angle = 0.5 * std::atan2(c.in_out, half);  // of the eigenvector of the greater eigenvalue
  return {std::cos(angle), std::sin(angle), -0.5 * (c.in_in + c.out_out) - std::hypot(half, c.in_out)};
}

Climb climb(const std::function<Curve(Widths)>& curve, Widths start, Freedom freedom, Box box, double gain,
            const Climb* rival) {
  const auto widths = [](Widths u) { return Widths{std::exp(u.in), std::exp(u.out)}; };
  Widths u{std::clamp(std::log(start.in), box.least, box.most), std::clamp(std::log(start.out), box.least, box.most)};
  Curve here = curve(widths(u));
  double longest = kLongest;
  int used = 1;
  while (true) {
    const Step step = step_from(here, u, freedom, box, longest);
    const Widths next{u.in + step.in, u.out + step.out};
    const bool still = step.in == 0.0 && step.out == 0.0;
    if (still || longest < 1e-4) break;
    if (step.gain >= 0.0 && step.gain < gain) {
      u = next;
      break;
    }
    if (used >= kMostSteps || (rival && leads_to(*rival, next, here.value))) break;
    const Curve there = curve(widths(next));
    ++used;
    if (there.value >= here.value - kNoise * std::min(1.0, std::abs(here.value))) {
      if (there.value >= here.value + 0.25 * step.gain) longest = std::min(kLongest, 2.0 * longest);
      u = next;
      here = there;
    } else {
      longest = 0.25 * std::max(std::abs(step.in), std::abs(step.out));
    }
  }
  return {widths(u), here, used};
}

void settle_widths(Widths& widths, Freedom freedom, bool one, Box box) {
  const auto inside = [&](double width) {  // exactly at a bound where its logarithm is
    const double at = std::log(width);
    return at <= box.least ? box.floor : at >= box.most ? box.ceiling : std::clamp(width, box.floor, box.ceiling);
  };
  widths.out = inside(widths.out);
  widths.in = freedom == Freedom::out_only ? box.ceiling : inside(widths.in);
  if (one) widths.in = widths.out;
}

}  // namespace arcwise::parzen
