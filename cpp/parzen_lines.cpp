#include "parzen_fit.hpp"

namespace arcwise::parzen {

void Lines::clear(std::size_t lines, std::size_t others) {
  count = lines;
  width = padded(others);
  distance.resize(count * width);
  own_y.clear();
  own_weight.clear();
}

namespace {

ARCWISE_CLONES void count_from_least(float* line, const float* weights, std::size_t width) {
  const auto far = static_cast<float>(kFar);
  float least = far;
#pragma omp simd reduction(min : least)
  for (std::size_t i = 0; i < width; ++i) {
    const float d = weights[i] > 0.0f ? line[i] : far;
    least = d < least ? d : least;
  }
  for (std::size_t i = 0; i < width; ++i) line[i] = line[i] < far ? std::max(line[i] - least, 0.0f) : far;
}

}  // namespace

void Lines::counted_from_least(std::size_t row) {
  count_from_least(distance.data() + row * width, weights.data() + row * weights_stride, width);
}

Curve Lines::loo(Widths widths, std::int64_t levels, bool slopes, std::size_t step) const {
  constexpr double least = 1e-26;
  const Target target = target_of(levels);
  const auto in = static_cast<float>(-kLog2e * precision(widths.in));
  const auto out = static_cast<float>(-kLog2e * precision(widths.out));
  Curve curve;
  double sums[kSums], total = 0.0;
  for (std::size_t row = 0; row < count; row += step) {
    const float *d = distance.data() + row * width, *line = y.data() + row * y_stride,
                *w = weights.data() + row * weights_stride;
    float found[kSums] = {};
    add_segment(target, slopes, Segment<float>{d, line, even ? nullptr : w, own_y[row], 1.0f, in, out, width, found, nullptr, 0});
    std::copy(found, found + kSums, sums);
    double shift = 0.0;
    if (!(sums[T] > least && sums[S] > least)) {
      const std::vector<double> dd(d, d + width), yy(line, line + width), ww(w, w + width);
      shift = careful(target, dd.data(), yy.data(), ww.data(), own_y[row], width, widths, sums).ratio;
    }
    add_row(curve, sums, own_weight[row], shift, slopes);
    total += own_weight[row];
  }
  finish(curve, total, widths, levels);
  return curve;
}

void sample(const Rows<float>& rows, std::size_t count, Lines& lines) {
  lines.clear(std::min(count, rows.n), rows.n);
  lines.y = rows.y;
  lines.weights = rows.weights;
  lines.even = rows.even;
  std::vector<float> own(rows.k());
  for (std::size_t q = 0; q < lines.count; ++q) {
    const std::size_t row = q * rows.n / lines.count;
    for (std::size_t j = 0; j < rows.k(); ++j) own[j] = rows.column(j)[row];
    float* out = lines.distance.data() + q * rows.width;
    distances(rows, own.data(), 0, rows.width, out);
    out[row] = static_cast<float>(kFar);
    std::fill(out + rows.n, out + rows.width, static_cast<float>(kFar));
    lines.counted_from_least(q);
    lines.own_y.push_back(rows.y[row]);
    lines.own_weight.push_back(rows.weights[row]);
  }
}

}  // namespace arcwise::parzen
