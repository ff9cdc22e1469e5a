#include <numeric>

#include "parzen_fit.hpp"

namespace arcwise::parzen {
namespace {

constexpr std::size_t kAlone = 4;           // one in so many lines is a row whose target is far from any other
constexpr std::size_t kStored = 8'000'000;  // distances kept, 32 MB; beyond, a line is computed whenever it is asked for

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

// The rows of greatest distance to the nearest other target come first.
void Lines::choose(std::size_t count) {
  const std::size_t n = rows_->n, all = std::min(count, n), alone = all < n ? all / kAlone : 0;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  chosen_.clear();
  if (alone) {
    const auto& y = rows_->y;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return y[a] < y[b]; });
    std::vector<float> gap(n);
    for (std::size_t i = 0; i < n; ++i) {
      const float before = i ? y[order[i]] - y[order[i - 1]] : INFINITY;
      const float after = i + 1 < n ? y[order[i + 1]] - y[order[i]] : INFINITY;
      gap[order[i]] = std::min(before, after);
    }
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return gap[a] > gap[b]; });
    for (std::size_t i = 0; i < alone; ++i) chosen_.push_back({order[i], 1.0});
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(alone), order.end());
  }
  const std::size_t left = n - alone, lines = all - alone;
  for (std::size_t q = 0; q < lines; ++q)
    chosen_.push_back({order[alone + q * left / lines], static_cast<double>(left) / static_cast<double>(lines)});
}

void Lines::bind(const Rows<float>& rows, std::size_t count) {
  rows_ = &rows;
  choose(count);
  own_.resize(rows.k());
  kept_ = chosen_.size() * rows.width <= kStored;
  distance_.resize((kept_ ? chosen_.size() : 1) * rows.width);
  for (std::size_t q = 0; kept_ && q < chosen_.size(); ++q) write(q, distance_.data() + q * rows.width);
}

void Lines::write(std::size_t q, float* out) const {
  const std::size_t row = chosen_[q].row;
  for (std::size_t j = 0; j < rows_->k(); ++j) own_[j] = rows_->column(j)[row];
  distances(*rows_, own_.data(), 0, rows_->width, out);
  out[row] = static_cast<float>(kFar);
  std::fill(out + rows_->n, out + rows_->width, static_cast<float>(kFar));
  count_from_least(out, rows_->weights.data(), rows_->width);
}

const float* Lines::line(std::size_t q) const {
  if (kept_) return distance_.data() + q * rows_->width;
  write(q, distance_.data());
  return distance_.data();
}

Curve Lines::loo(Widths widths, std::int64_t levels, bool slopes) const {
  constexpr double least = 1e-26;
  const Target target = target_of(levels);
  const auto in = static_cast<float>(-kLog2e * precision(widths.in));
  const auto out = static_cast<float>(-kLog2e * precision(widths.out));
  const std::size_t width = rows_->width;
  Curve curve;
  double sums[kSums], total = 0.0;
  for (std::size_t q = 0; q < chosen_.size(); ++q) {
    const float *d = line(q), *w = weights();
    float found[kSums] = {};
    const float own = own_y(q), one = 1.0f;
    add_row(target, slopes, Segment<float>{d, y(), rows_->even ? nullptr : w, &own, &one, in, out, width, found});
    std::copy(found, found + kSums, sums);
    double shift = 0.0;
    if (!(sums[T] > least && sums[S] > least)) {
      const std::vector<double> dd(d, d + width), yy(y(), y() + width), ww(w, w + width);
      shift = careful(target, dd.data(), yy.data(), ww.data(), own_y(q), width, widths, sums).ratio;
    }
    add_term(curve, sums, own_weight(q), shift, slopes);
    total += own_weight(q);
  }
  finish(curve, total, widths, levels);
  return curve;
}

}  // namespace arcwise::parzen
