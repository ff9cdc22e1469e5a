#include "parzen_pairs.hpp"

namespace arcwise::parzen {
namespace {

constexpr std::size_t kTileRows = 64;
template <class Real>
constexpr std::size_t kTileColumns = 2048 / sizeof(Real);  // nine sums of a tile stay in the first cache

// Sums below this may have lost pairs whose powers count as nothing: the row is done again with care.
template <class Real>
constexpr double kSafe = sizeof(Real) == 4 ? 1e-26 : 1e-285;

}  // namespace

template <class Real>
Rows<Real> gather(const Source& source, std::int64_t child, const std::int64_t* set, std::size_t k, bool all) {
  std::vector<std::size_t> used;
  double total = 0.0;
  for (std::size_t i = 0; i < source.n; ++i) {
    if (!(all || source.weights[i] > 0.0)) continue;
    used.push_back(i);
    total += source.weights[i];
  }
  Rows<Real> rows;
  rows.n = used.size();
  rows.width = padded(rows.n);
  rows.inputs.assign(k * rows.width, Real(0));
  rows.y.assign(rows.width, Real(0));
  rows.weights.assign(rows.width, Real(0));
  const double scale = static_cast<double>(rows.n) / total;
  const auto copy = [&](const double* from, Real* to, double factor) {
    for (std::size_t i = 0; i < rows.n; ++i) to[i] = static_cast<Real>(from[used[i]] * factor);
  };
  copy(source.weights, rows.weights.data(), scale);
  rows.even = std::all_of(used.begin(), used.end(),
                          [&](std::size_t i) { return source.weights[i] == source.weights[used[0]]; });
  if (rows.even) std::fill(rows.weights.begin(), rows.weights.begin() + static_cast<std::ptrdiff_t>(rows.n), Real(1));
  if (child >= 0) copy(source.columns + static_cast<std::size_t>(child) * source.n, rows.y.data(), 1.0);
  for (std::size_t j = 0; j < k; ++j) {
    const auto column = static_cast<std::size_t>(set[j]);
    rows.apart.push_back(static_cast<char>(source.apart[column] != 0));
    copy(source.columns + column * source.n, rows.inputs.data() + j * rows.width, 1.0);
  }
  return rows;
}

template Rows<float> gather<float>(const Source&, std::int64_t, const std::int64_t*, std::size_t, bool);
template Rows<double> gather<double>(const Source&, std::int64_t, const std::int64_t*, std::size_t, bool);

template <class Real>
void Pairs<Real>::bind(const Rows<Real>& rows, const Rows<double>& exact, bool keep) {
  rows_ = &rows;
  exact_ = &exact;
  keep_ = keep && rows.n <= kKept;
  filled_ = false;
  if (keep_) kept_.resize(rows.width * (rows.width + kStep) / 2);
  line_.resize(2 * kTileColumns<Real>);
  own_.resize(rows.k());
  tile_.assign(kSums * kTileColumns<Real>, Real(0));  // and emptied by every pass
  totals_.assign(kSums * rows.width, 0.0);
}

// Distances of a row and the next one to `count` rows from `begin`; rows up to the row itself are put out of reach.
template <class Real>
const Real* Pairs<Real>::segment(std::size_t row, std::size_t begin, std::size_t count) {
  Real* const found = keep_ ? kept_.data() + cursor_ : line_.data();
  cursor_ += 2 * count;
  if (filled_) return found;
  for (std::size_t r = 0; r < 2; ++r) {
    Real* out = found + r * count;
    for (std::size_t j = 0; j < rows_->k(); ++j) own_[j] = rows_->column(j)[row + r];
    distances(*rows_, own_.data(), begin, count, out);
    const std::size_t last = row + r < rows_->n ? rows_->n : begin;  // a place after the last row has no pairs
    for (std::size_t m = begin; m <= row + r; ++m) out[m - begin] = Real(kFar);
    for (std::size_t m = last; m < begin + count; ++m) out[m - begin] = Real(kFar);
  }
  return found;
}

template <class Real>
void Pairs<Real>::pass(Target target, Widths widths, bool slopes) {
  constexpr std::size_t wide = kTileColumns<Real>;
  const std::size_t n = rows_->n, width = rows_->width;
  const Real in = static_cast<Real>(-kLog2e * precision(widths.in));
  const Real out = static_cast<Real>(-kLog2e * precision(widths.out));
  for (std::size_t s = 0; s < kSums; ++s)
    if (needed(target, slopes, s)) std::fill_n(totals_.begin() + static_cast<std::ptrdiff_t>(s * width), width, 0.0);
  cursor_ = 0;
  for (std::size_t top = 0; top < n; top += kTileRows) {
    for (std::size_t left = top / wide * wide; left < width; left += wide) {
      const std::size_t right = std::min(left + wide, width);
      for (std::size_t row = top; row < std::min(top + kTileRows, n); row += 2) {
        const std::size_t begin = std::max(left, row / kStep * kStep);
        if (begin >= right) continue;
        Real sums[2 * kSums] = {};
        const Segment<Real> pairs{segment(row, begin, right - begin), rows_->y.data() + begin,
                                  rows_->even ? nullptr : rows_->weights.data() + begin, rows_->y.data() + row,
                                  rows_->weights.data() + row, in, out, right - begin, sums};
        add_rows(target, slopes, pairs, tile_.data() + (begin - left), wide);
        for (std::size_t s = 0; s < kSums; ++s) {
          if (!needed(target, slopes, s)) continue;
          totals_[s * width + row] += static_cast<double>(sums[s]);
          totals_[s * width + row + 1] += static_cast<double>(sums[kSums + s]);
        }
      }
      const std::size_t from = std::max(left, top / kStep * kStep);  // no pair lies further left
      for (std::size_t s = 0; s < kSums; ++s)
        if (needed(target, slopes, s))
          add_and_clear(tile_.data() + s * wide + (from - left), right - from, totals_.data() + s * width + from);
    }
  }
  filled_ = keep_;
}

template <class Real>
void Pairs<Real>::row_sums(std::size_t row, double* sums) const {
  for (std::size_t s = 0; s < kSums; ++s) sums[s] = totals_[s * rows_->width + row];
}

template <class Real>
Shift Pairs<Real>::redo(Target target, std::size_t row, Widths widths, double* sums) {
  exact_line_.resize(exact_->width);
  exact_own_.resize(exact_->k());
  for (std::size_t j = 0; j < exact_->k(); ++j) exact_own_[j] = exact_->column(j)[row];
  distances(*exact_, exact_own_.data(), 0, exact_->width, exact_line_.data());
  exact_line_[row] = kFar;
  return careful(target, exact_line_.data(), exact_->y.data(), exact_->weights.data(), exact_->y[row], exact_->n, widths,
                 sums);
}

template <class Real>
Curve Pairs<Real>::loo(Widths widths, std::int64_t levels, bool slopes) {
  const Target target = target_of(levels);
  pass(target, widths, slopes);
  Curve curve;
  double sums[kSums];
  const double least = kSafe<Real> * static_cast<double>(rows_->n);
  for (std::size_t row = 0; row < rows_->n; ++row) {
    row_sums(row, sums);
    double shift = 0.0;
    if (!(sums[T] > least && sums[S] > least)) shift = redo(target, row, widths, sums).ratio;
    add_term(curve, sums, exact_->weights[row], shift, slopes);
  }
  finish(curve, static_cast<double>(rows_->n), widths, levels);
  return curve;
}

template <class Real>
Curve Pairs<Real>::joint(double width, bool slopes) {
  const Widths widths{width, 1.0};
  pass(Target::none, widths, slopes);
  const double a = precision(width), least = kSafe<Real> * static_cast<double>(rows_->n);
  double value = 0.0, slope = 0.0, bend = 0.0, sums[kSums];
  for (std::size_t row = 0; row < rows_->n; ++row) {
    row_sums(row, sums);
    const double weight = exact_->weights[row];
    double shift = std::log(weight);
    if (!(sums[T] > least)) shift = redo(Target::none, row, widths, sums).t;
    const double mean = sums[TD] / sums[T];
    value += weight * (std::log(sums[T]) - shift);
    slope -= weight * mean;
    bend += weight * (sums[TDD] / sums[T] - mean * mean);
  }
  const double total = static_cast<double>(rows_->n);
  return {value / total, -2.0 * a * slope / total, 0.0, 4.0 * a * (a * bend + slope) / total, 0.0, 0.0};
}

template class Pairs<float>;
template class Pairs<double>;

}  // namespace arcwise::parzen
