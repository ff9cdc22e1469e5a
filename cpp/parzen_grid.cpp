// Where to start: values on a coarse grid of widths, from some rows against all centres.
//
// From one width to the next smaller one, half as wide, exp(-d / 2h^2) is raised to the fourth power: two
// multiplications. So a line of centres costs two exponentials a pair for all widths, and a multiplication and an
// addition for every point of the grid.
#include <algorithm>
#include <array>
#include <bitset>

#include "parzen_fit.hpp"

namespace arcwise::parzen {
namespace {

constexpr std::size_t kOut = 8, kIn = 10;      // widths of the target and of the inputs, widest first
constexpr std::size_t kPoints = kIn * kOut;
constexpr std::size_t kBlock = 512;
constexpr float kTiny = 0x1p-100f;             // smaller sums are known to be no greater, but no more
constexpr double kWidestIn = 5.0, kWidestOut = 1.2, kWidestOne = 2.4, kWidestLevels = 3.0;

using Marks = std::bitset<kPoints>;

constexpr double kHopeless = 1.0;               // nats per row below the best on some rows: no better on all

struct Line {
  const float *distance, *y, *weights;
  float own_y;
  bool discrete;
  std::size_t width;
};

// Squared distances of the target, or whether its level differs.
ARCWISE_INLINE void targets(const float* y, float own, bool discrete, std::size_t count, float* out) {
  if (discrete) {
    for (std::size_t i = 0; i < count; ++i) out[i] = y[i] != own ? 1.0f : 0.0f;
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i] = (y[i] - own) * (y[i] - own);
  }
}

ARCWISE_INLINE float fourth(float x) { return (x * x) * (x * x); }

// Sums T and S of a line at every point. `in` and `out` belong to the widest widths.
ARCWISE_CLONES void grid_sums(const Line& line, float in, float out, std::size_t widths, float* below, float* above) {
  alignas(64) float e[kBlock], g[kOut][kBlock];
  for (std::size_t at = 0; at < line.width; at += kBlock) {
    const std::size_t count = std::min(kBlock, line.width - at);
    const float *d = line.distance + at, *y = line.y + at, *w = line.weights + at;
    targets(y, line.own_y, line.discrete, count, g[0]);
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
      e[i] = power_of_two(in * d[i]);
      g[0][i] = power_of_two(out * g[0][i]);
    }
    for (std::size_t k = 1; k < kOut; ++k)
      for (std::size_t i = 0; i < count; ++i) g[k][i] = fourth(g[k - 1][i]);
    for (std::size_t j = 0; j < widths; ++j) {
      Lanes<float> sum{}, found[kOut] = {};  // variables of the loop, so that they stay in registers
      for (std::size_t i = 0; i < count; i += kLanes<float>) {
        Lanes<float>& x = lanes(e + i);
        const Lanes<float> v = lanes(w + i) * x;
        sum += v;
        for (std::size_t k = 0; k < kOut; ++k) found[k] += v * lanes(g[k] + i);
        x *= x;
        x *= x;
      }
      const float all = total(sum);
      for (std::size_t k = 0; k < kOut; ++k) below[j * kOut + k] += all, above[j * kOut + k] += total(found[k]);
    }
  }
}

// The same where target and inputs share their width: T and S for each of kOut widths.
ARCWISE_CLONES void shared_sums(const Line& line, float out, float* below, float* above) {
  alignas(64) float e[kBlock], f[kBlock];
  for (std::size_t at = 0; at < line.width; at += kBlock) {
    const std::size_t count = std::min(kBlock, line.width - at);
    const float *d = line.distance + at, *y = line.y + at, *w = line.weights + at;
    targets(y, line.own_y, line.discrete, count, f);
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
      e[i] = power_of_two(out * d[i]);
      f[i] = power_of_two(out * (d[i] + f[i]));
    }
    for (std::size_t k = 0; k < kOut; ++k) {
      float t = 0, s = 0;
#pragma omp simd reduction(+ : t, s)
      for (std::size_t i = 0; i < count; ++i) {
        t += w[i] * e[i], s += w[i] * f[i];
        e[i] = fourth(e[i]), f[i] = fourth(f[i]);
      }
      below[k] += t, above[k] += s;
    }
  }
}

// log2 of positive normal numbers to 2e-5, good enough to choose by.
ARCWISE_INLINE float rough_log(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const float whole = static_cast<float>(static_cast<std::int32_t>(bits >> 23) - 127);
  const float m = std::bit_cast<float>((bits & 0x7fffffu) | 0x3f800000u) - 1.0f;
  const float q = ((-0.0442437413f * m + 0.14701877f) * m - 0.26653628f) * m + 0.441835872f;
  return whole + m * (1.0f + (1.0f - m) * q);
}

// Adds weight x log2(S / T) of a line to the values of all points; sums below kTiny count as kTiny.
ARCWISE_CLONES void add_logs(const float* below, const float* above, float weight, float* values) {
#pragma omp simd
  for (std::size_t i = 0; i < kPoints; ++i) {
    const float s = above[i] > kTiny ? above[i] : kTiny;
    values[i] += weight * (rough_log(s) - rough_log(below[i]));
  }
}

// log2 S of a line whose greatest term is too small for the grid's sums.
ARCWISE_CLONES float steep(const Line& line, float in, float out) {
  alignas(64) float x[kBlock];
  float best = -INFINITY, sum = 0.0f;
  for (std::size_t at = 0; at < line.width; at += kBlock) {
    const std::size_t count = std::min(kBlock, line.width - at);
    const float *d = line.distance + at, *w = line.weights + at;
    targets(line.y + at, line.own_y, line.discrete, count, x);
    float top = -INFINITY, more = 0.0f;
#pragma omp simd reduction(max : top)
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = in * d[i] + out * x[i];
      const float z = w[i] > 0.0f ? x[i] : -INFINITY;
      top = z > top ? z : top;
    }
    const float from = top;
    if (!(from > -INFINITY)) continue;
#pragma omp simd reduction(+ : more)
    for (std::size_t i = 0; i < count; ++i) more += w[i] * power_of_two(std::min(x[i] - from, 0.0f));
    const float higher = std::max(best, from);
    sum = sum * std::exp2(best - higher) + more * std::exp2(from - higher);
    best = higher;
  }
  return best + rough_log(sum);
}

// Values at the points of the grid. Where a row's sum was too small for the grid, the value is an upper bound at
// first, and made exact when it comes out on top.
class Grid {
 public:
  Grid(const Lines& lines, std::int64_t levels, Freedom freedom, Box box)
      : lines_(lines), levels_(levels), freedom_(freedom), floor_(box.floor) {
    rows_ = lines.count();
    inner_ = freedom == Freedom::two ? kIn : 1;
    values_.fill(0.0f);
    for (std::size_t point = 0; point < kPoints; ++point) {
      widths_[point] = width_at(point);
      normaliser_[point] = normaliser(widths_[point].out, levels_);
    }
    for (std::size_t q = 0; q < rows_; ++q) tiny_.push_back(add(q));
  }

  std::size_t points() const { return inner_ * kOut; }

  Widths widths(std::size_t point) const { return widths_[point]; }

  double value(std::size_t point) const {
    return static_cast<double>(values_[point]) / (kLog2e * total_) + normaliser_[point];
  }

  // The smallest width allowed, doubled until it is about `widest`: so the floor is on the grid, where the best
  // width of a tied column often lies.
  double top(double widest) const { return floor_ * std::exp2(std::round(std::log2(widest / floor_))); }

  bool inside(std::size_t point, Box box) const {
    const auto within = [&](double width) { return width >= box.floor * (1 - 1e-9) && width <= box.ceiling; };
    const Widths w = widths(point);
    return within(w.out) && (freedom_ == Freedom::out_only || within(w.in));
  }

  // The point of greatest exact value among `points`, which are not empty.
  std::size_t best(const std::vector<std::size_t>& points) {
    while (true) {
      const auto less = [&](std::size_t a, std::size_t b) { return value(a) < value(b); };
      const std::size_t top = *std::max_element(points.begin(), points.end(), less);
      if (settle(top)) return top;
    }
  }

  // Where a parabola through a point and its neighbours, in each width by itself, has its top: at most half a step off.
  Widths top_near(std::size_t point) const {
    const auto off = [&](std::size_t place, std::size_t last, std::size_t step) {
      if (place == 0 || place >= last) return 0.0;
      const double wider = value(point - step), here = value(point), narrower = value(point + step);
      const double bend = wider - 2.0 * here + narrower;
      return bend < 0.0 ? std::clamp(0.5 * (wider - narrower) / bend, -0.5, 0.5) : 0.0;
    };
    Widths w = widths(point);
    if (levels_) return w;  // with levels the score flattens out towards wide kernels, and is no parabola
    const double out = std::exp2(-off(point % kOut, kOut - 1, 1));
    const double in = freedom_ == Freedom::two ? std::exp2(-off(point / kOut, inner_ - 1, kOut)) : 1.0;
    w.out *= out;
    w.in = freedom_ == Freedom::one ? w.out : w.in * in;
    return w;
  }

  // Whether two points differ by one step in one width.
  bool beside(std::size_t a, std::size_t b) const {
    const auto steps = [](std::size_t x, std::size_t y) { return x < y ? y - x : x - y; };
    return steps(a % kOut, b % kOut) + steps(a / kOut, b / kOut) == 1;
  }

 private:
  static float in_of(Widths w) { return static_cast<float>(-kLog2e * precision(w.in)); }
  static float out_of(Widths w) { return static_cast<float>(-kLog2e * precision(w.out)); }

  Widths width_at(std::size_t point) const {
    const double scale = std::pow(0.5, static_cast<double>(point % kOut));
    const double out = scale * top(levels_ ? kWidestLevels : freedom_ == Freedom::one ? kWidestOne : kWidestOut);
    if (freedom_ == Freedom::one) return {out, out};
    return {top(kWidestIn) * std::pow(0.5, static_cast<double>(point / kOut)), out};
  }

  Line line(std::size_t q) const {
    return {lines_.line(q), lines_.y(), lines_.weights(), lines_.own_y(q), levels_ > 0, lines_.width()};
  }

  // Adds a line's terms and returns the points where its sum was tiny.
  Marks add(std::size_t q) {
    alignas(64) float below[kPoints] = {}, above[kPoints] = {};
    const Widths widest = widths(0);
    if (freedom_ == Freedom::one) shared_sums(line(q), out_of(widest), below, above);
    else grid_sums(line(q), in_of(widest), out_of(widest), inner_, below, above);
    for (std::size_t i = points(); i < kPoints; ++i) below[i] = above[i] = 1.0f;
    const double weight = lines_.own_weight(q);
    add_logs(below, above, static_cast<float>(weight), values_.data());
    total_ += weight;
    Marks tiny;
    for (std::size_t i = 0; i < points(); ++i) tiny[i] = !(above[i] > kTiny);
    return tiny;
  }

  // Whether the value was exact already; makes it so.
  bool settle(std::size_t point) {
    bool exact = true;
    for (std::size_t q = 0; q < rows_; ++q) {
      if (!tiny_[q][point]) continue;
      exact = false;
      tiny_[q].reset(point);
      const Widths w = widths(point);
      const float more = steep(line(q), in_of(w), out_of(w)) - std::log2(kTiny);
      values_[point] += static_cast<float>(lines_.own_weight(q)) * std::min(more, 0.0f);
    }
    return exact;
  }

  const Lines& lines_;
  std::int64_t levels_;
  Freedom freedom_;
  double floor_;
  std::size_t rows_, inner_;
  double total_ = 0.0;
  std::array<float, kPoints> values_;
  std::array<Widths, kPoints> widths_;
  std::array<double, kPoints> normaliser_;
  std::vector<Marks> tiny_;
};

}  // namespace

std::vector<Widths> peaks(const Lines& lines, std::int64_t levels, Freedom freedom, Box box, std::size_t most) {
  Grid grid(lines, levels, freedom, box);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < grid.points(); ++i)
    if (grid.inside(i, box)) left.push_back(i);
  for (std::size_t i = 0; left.empty() && i < grid.points(); ++i) left.push_back(i);
  const std::vector<std::size_t> all = left;
  std::vector<Widths> found;
  double best = -INFINITY;
  while (!left.empty() && found.size() < most) {
    const std::size_t top = grid.best(left);
    best = std::max(best, grid.value(top));
    if (grid.value(top) < best - kHopeless) break;
    const auto above = [&](std::size_t i) { return grid.beside(i, top) && grid.value(i) > grid.value(top); };
    if (std::none_of(all.begin(), all.end(), above)) found.push_back(grid.top_near(top));
    left.erase(std::find(left.begin(), left.end(), top));
  }
  return found;
}

}  // namespace arcwise::parzen
