#include "parzen_fit.hpp"

namespace arcwise::parzen {

Curve Lines::loo(Widths widths, std::int64_t levels, bool slopes) const {
  constexpr double least = 1e-26;
  const Target target = target_of(levels);
  const auto in = static_cast<float>(-kLog2e * precision(widths.in));
  const auto out = static_cast<float>(-kLog2e * precision(widths.out));
  Curve curve;
  double sums[kSums], total = 0.0;
  for (std::size_t row = 0; row < count; ++row) {
    const float *d = distance.data() + row * width, *line = y.data() + row * stride,
                *w = weights.data() + row * stride;
    float found[kSums] = {};
    add_segment(target, slopes, Segment<float>{d, line, w, own_y[row], 1.0f, in, out, width, found, nullptr, 0});
    std::copy(found, found + kSums, sums);
    double shift = 0.0;
    if (!(sums[T] > least && sums[S] > least)) {
      const std::vector<double> dd(d, d + width), yy(line, line + width), ww(w, w + width);
      const Shift taken = careful(target, dd.data(), yy.data(), ww.data(), own_y[row], width, widths, sums);
      shift = taken.s - taken.t;
    }
    add_row(curve, sums, own_weight[row], shift, slopes);
    total += own_weight[row];
  }
  finish(curve, total, widths, levels);
  return curve;
}

void sample(const Rows<float>& rows, std::size_t count, Lines& lines) {
  lines.count = std::min(count, rows.n);
  lines.width = rows.width;
  lines.y = rows.y;
  lines.weights = rows.weights;
  lines.stride = 0;
  lines.own_y.clear();
  lines.own_weight.clear();
  lines.distance.resize(lines.count * rows.width);
  std::vector<float> own(rows.k());
  for (std::size_t q = 0; q < lines.count; ++q) {
    const std::size_t row = q * rows.n / lines.count;
    for (std::size_t j = 0; j < rows.k(); ++j) own[j] = rows.column(j)[row];
    float* out = lines.distance.data() + q * rows.width;
    distances(rows, own.data(), 0, rows.width, out);
    out[row] = static_cast<float>(kFar);
    const float least = *std::min_element(out, out + rows.n);
    for (std::size_t i = 0; i < rows.width; ++i) out[i] -= least;
    out[row] = static_cast<float>(kFar);
    lines.own_y.push_back(rows.y[row]);
    lines.own_weight.push_back(rows.weights[row]);
  }
}

}  // namespace arcwise::parzen
