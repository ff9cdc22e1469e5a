// The innermost loops over pairs, compiled for several processors.
#include "parzen.hpp"

#include <algorithm>

namespace arcwise::parzen {
namespace {

template <Target target, class Real>
ARCWISE_INLINE Real apart(Real y, Real own) {
  if constexpr (target == Target::discrete) return y != own ? Real(1) : Real(0);
  return (y - own) * (y - own);
}

constexpr std::size_t kPart = 256;  // columns that go through all loops together: what lies between stays in the cache

// What one or two rows have at the same places: powers, and squared distances to multiply them by.
template <std::size_t rows, class Real>
struct Factors {
  const Real *power[rows], *by[rows], *other[rows];
};

// Sums of the rows themselves, and arrays of those of the others.
template <std::size_t rows, class Real>
struct Places {
  Lanes<Real> (&own)[rows][kSums];
  Real* columns;
  std::size_t stride;
};

// Adds three terms of every pair: power x (1, by, by^2), or crossed, power x by x (1, by, other); without slopes only the
// first. Three at a time, since their sums for two rows fill the registers.
template <bool slopes, bool crossed, std::size_t rows, class Real>
ARCWISE_INLINE void add_three(const Factors<rows, Real>& from, const Places<rows, Real>& to, Sum one, Sum two, Sum last,
                              std::size_t count) {
  constexpr bool mirrored = rows > 1;
  using Vec = Lanes<Real>;
  Vec a[rows], b[rows], c[rows];
  for (std::size_t r = 0; r < rows; ++r) a[r] = to.own[r][one], b[r] = to.own[r][two], c[r] = to.own[r][last];
  Real *x = to.columns + one * to.stride, *y = to.columns + two * to.stride, *z = to.columns + last * to.stride;
  for (std::size_t i = 0; i < count; i += kLanes<Real>) {
    Vec sum_x{}, sum_y{}, sum_z{};
    for (std::size_t r = 0; r < rows; ++r) {
      const Vec p = lanes(from.power[r] + i);
      const Vec first = crossed ? p * lanes(from.by[r] + i) : p;
      a[r] += first;
      sum_x += first;
      if constexpr (!slopes) continue;
      const Vec by = lanes(from.by[r] + i);
      const Vec second = first * by, third = crossed ? first * lanes(from.other[r] + i) : second * by;
      b[r] += second, c[r] += third;
      sum_y += second, sum_z += third;
    }
    if constexpr (mirrored) lanes(x + i) += sum_x;
    if constexpr (mirrored && slopes) lanes(y + i) += sum_y, lanes(z + i) += sum_z;
  }
  for (std::size_t r = 0; r < rows; ++r) to.own[r][one] = a[r], to.own[r][two] = b[r], to.own[r][last] = c[r];
}

// Powers of the pairs of one row, and squared distances of the target.
template <Target target, bool weighted, class Real>
ARCWISE_INLINE void powers(const Segment<Real>& s, std::size_t row, std::size_t at, std::size_t count, Real* e, Real* f,
                           Real* o) {
  const Real* distance = static_cast<const Real*>(__builtin_assume_aligned(s.distance + row * s.count + at, 32));
  const Real* y = static_cast<const Real*>(__builtin_assume_aligned(s.y + at, 32));
  const Real* weights = weighted ? s.weights + at : nullptr;
  const Real own = s.own_y[row], mine = s.own_weight[row], in = s.in, out = s.out;
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const Real x = in * distance[i];
    e[i] = power_of_two(x);
    if constexpr (weighted) e[i] *= weights[i] * mine;
    if constexpr (target != Target::none) {
      o[i] = apart<target>(y[i], own);
      f[i] = power_of_two(x + out * o[i]);
      if constexpr (weighted) f[i] *= weights[i] * mine;
    }
  }
}

template <std::size_t rows, Target target, bool slopes, bool weighted, class Real>
ARCWISE_INLINE void add(const Segment<Real>& s, Real* columns, std::size_t stride) {
  alignas(64) Real e[rows][kPart], f[rows][kPart], o[rows][kPart];
  Lanes<Real> sums[rows][kSums] = {};
  for (std::size_t at = 0; at < s.count; at += kPart) {
    const std::size_t count = std::min(kPart, s.count - at);
    Factors<rows, Real> below, above, both;
    for (std::size_t r = 0; r < rows; ++r) {
      powers<target, weighted>(s, r, at, count, e[r], f[r], o[r]);
      const Real* distance = s.distance + r * s.count + at;
      below.power[r] = e[r], below.by[r] = distance;
      above.power[r] = f[r], above.by[r] = o[r];
      both.power[r] = f[r], both.by[r] = distance, both.other[r] = o[r];
    }
    const Places<rows, Real> to{sums, rows > 1 ? columns + at : nullptr, stride};
    add_three<slopes, false>(below, to, T, TD, TDD, count);
    if constexpr (target != Target::none) add_three<slopes, false>(above, to, S, SO, SOO, count);
    if constexpr (target != Target::none && slopes) add_three<true, true>(both, to, SD, SDD, SDO, count);
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < kSums; ++i)
      if (needed(target, slopes, i)) s.sums[r * kSums + i] += total(sums[r][i]);
}

template <std::size_t rows, Target target, bool slopes, class Real>
ARCWISE_INLINE void by_weights(const Segment<Real>& s, Real* columns, std::size_t stride) {
  if (s.weights) add<rows, target, slopes, true>(s, columns, stride);
  else add<rows, target, slopes, false>(s, columns, stride);
}

template <std::size_t rows, bool slopes, class Real>
ARCWISE_INLINE void by_target(Target target, const Segment<Real>& s, Real* columns, std::size_t stride) {
  if (target == Target::continuous) return by_weights<rows, Target::continuous, slopes>(s, columns, stride);
  if (target == Target::discrete) return by_weights<rows, Target::discrete, slopes>(s, columns, stride);
  by_weights<rows, Target::none, slopes>(s, columns, stride);
}

template <std::size_t rows, class Real>
ARCWISE_INLINE void by_kind(Target target, bool slopes, const Segment<Real>& s, Real* columns, std::size_t stride) {
  if (slopes) by_target<rows, true>(target, s, columns, stride);
  else by_target<rows, false>(target, s, columns, stride);
}

template <class Real>
ARCWISE_INLINE void add_column(const Real* column, bool apart, Real own, std::size_t count, Real* out) {
  if (apart) {
    for (std::size_t i = 0; i < count; ++i) out[i] += column[i] != own ? Real(1) : Real(0);
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i] += (column[i] - own) * (column[i] - own);
  }
}

template <class Real>
ARCWISE_INLINE void sum_columns(const Rows<Real>& rows, const Real* own, std::size_t begin, std::size_t count,
                                Real* out) {
  std::size_t j = 0;
  const std::size_t k = rows.k();
  for (std::size_t i = 0; i < count; ++i) out[i] = 0;
  while (j < k) {
    const bool four = j + 4 <= k && !(rows.apart[j] | rows.apart[j + 1] | rows.apart[j + 2] | rows.apart[j + 3]);
    if (!four) {
      add_column(rows.column(j) + begin, rows.apart[j], own[j], count, out);
      ++j;
      continue;
    }
    const Real *a = rows.column(j) + begin, *b = rows.column(j + 1) + begin, *c = rows.column(j + 2) + begin,
               *d = rows.column(j + 3) + begin;
    const Real p = own[j], q = own[j + 1], r = own[j + 2], s = own[j + 3];
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
      Real sum = out[i];
      sum += (a[i] - p) * (a[i] - p);
      sum += (b[i] - q) * (b[i] - q);
      sum += (c[i] - r) * (c[i] - r);
      sum += (d[i] - s) * (d[i] - s);
      out[i] = sum;
    }
    j += 4;
  }
}

}  // namespace

ARCWISE_WIDE_CLONES void add_row(Target target, bool slopes, const Segment<float>& s) {
  by_kind<1, float>(target, slopes, s, nullptr, 0);
}
ARCWISE_WIDE_CLONES void add_row(Target target, bool slopes, const Segment<double>& s) {
  by_kind<1, double>(target, slopes, s, nullptr, 0);
}
ARCWISE_WIDE_CLONES void add_rows(Target target, bool slopes, const Segment<float>& s, float* columns, std::size_t stride) {
  by_kind<2>(target, slopes, s, columns, stride);
}
ARCWISE_WIDE_CLONES void add_rows(Target target, bool slopes, const Segment<double>& s, double* columns,
                             std::size_t stride) {
  by_kind<2>(target, slopes, s, columns, stride);
}

ARCWISE_CLONES void distances(const Rows<float>& rows, const float* own, std::size_t begin, std::size_t count,
                              float* out) {
  sum_columns(rows, own, begin, count, out);
}
ARCWISE_CLONES void distances(const Rows<double>& rows, const double* own, std::size_t begin, std::size_t count,
                              double* out) {
  sum_columns(rows, own, begin, count, out);
}

ARCWISE_CLONES void add_and_clear(float* from, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += static_cast<double>(from[i]);
  std::fill(from, from + count, 0.0f);
}
ARCWISE_CLONES void add_and_clear(double* from, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
  std::fill(from, from + count, 0.0);
}

void add_term(Curve& curve, const double* sums, double weight, double shift, bool slopes) {
  curve.value += weight * (std::log(sums[S] / sums[T]) - shift);
  if (!slopes) return;
  const double t = 1.0 / sums[T], s = 1.0 / sums[S];
  const double before = sums[TD] * t, in = sums[SD] * s, out = sums[SO] * s;
  curve.in += weight * (before - in);
  curve.out -= weight * out;
  curve.in_in += weight * ((sums[SDD] * s - in * in) - (sums[TDD] * t - before * before));
  curve.out_out += weight * (sums[SOO] * s - out * out);
  curve.in_out += weight * (sums[SDO] * s - in * out);
}

double normaliser(double width, std::int64_t levels) {
  const double b = precision(width);
  if (!levels) return 0.5 * std::log(b / M_PI);
  return -std::log1p(static_cast<double>(levels - 1) * std::exp(-b));
}

void finish(Curve& curve, double total, Widths widths, std::int64_t levels) {
  for (double* part : {&curve.value, &curve.in, &curve.out, &curve.in_in, &curve.in_out, &curve.out_out})
    *part /= total;
  const double a = precision(widths.in), b = precision(widths.out);
  curve.value += normaliser(widths.out, levels);
  if (levels) {
    const double other = static_cast<double>(levels - 1) * std::exp(-b);
    const double share = other / (1.0 + other);
    curve.out += share;
    curve.out_out -= share * (1.0 - share);
  } else {
    curve.out += 0.5 / b;
    curve.out_out -= 0.5 / (b * b);
  }
  curve.in_in = 4.0 * a * (a * curve.in_in + curve.in);
  curve.out_out = 4.0 * b * (b * curve.out_out + curve.out);
  curve.in_out *= 4.0 * a * b;
  curve.in *= -2.0 * a;
  curve.out *= -2.0 * b;
}

namespace {

// Distances of a line's pairs from the nearest one; others are put out of reach. Returns the nearest distance.
ARCWISE_CLONES double from_nearest(const double* distance, const double* weights, std::size_t count, double* out) {
  double nearest = kFar;
  for (std::size_t i = 0; i < count; ++i) out[i] = weights[i] > 0.0 ? distance[i] : kFar;
#pragma omp simd reduction(min : nearest)
  for (std::size_t i = 0; i < count; ++i) nearest = out[i] < nearest ? out[i] : nearest;
  for (std::size_t i = 0; i < count; ++i) out[i] = out[i] < kFar ? out[i] - nearest : kFar;
  return nearest;
}

// Exponents a d + b o of a line, and the least of them.
ARCWISE_CLONES double least_exponent(const double* d, const double* o, double a, double b, std::size_t count,
                                   double* out) {
  double least = INFINITY;
#pragma omp simd reduction(min : least)
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = a * d[i] + b * o[i];
    least = out[i] < least ? out[i] : least;
  }
  return least;
}

ARCWISE_CLONES void target_distances(Target target, const double* y, double own, std::size_t count, double* out) {
  if (target == Target::continuous) {
    for (std::size_t i = 0; i < count; ++i) out[i] = (y[i] - own) * (y[i] - own);
  } else if (target == Target::discrete) {
    for (std::size_t i = 0; i < count; ++i) out[i] = y[i] != own ? 1.0 : 0.0;
  } else {
    std::fill(out, out + count, 0.0);
  }
}

ARCWISE_CLONES void careful_sums(const double* d, const double* o, const double* x, double least, double a, double origin,
                               const double* weights, std::size_t count, double* sums) {
  double t = 0, td = 0, tdd = 0, v = 0, vd = 0, vo = 0, vdd = 0, voo = 0, vdo = 0;
#pragma omp simd reduction(+ : t, td, tdd, v, vd, vo, vdd, voo, vdo)
  for (std::size_t i = 0; i < count; ++i) {
    const double e = weights[i] * power_of_two(-kLog2e * a * d[i]);
    const double f = weights[i] * power_of_two(kLog2e * (least - x[i]));
    const double h = d[i] + origin, eh = e * h, fh = f * h, fo = f * o[i];
    t += e, td += eh, tdd += eh * h;
    v += f, vd += fh, vo += fo, vdd += fh * h, voo += fo * o[i], vdo += fh * o[i];
  }
  const double found[kSums] = {t, td, tdd, v, vd, vo, vdd, voo, vdo};
  std::copy(found, found + kSums, sums);
}

}  // namespace

Shift careful(Target target, const double* distance, const double* y, const double* weights, double own_y,
              std::size_t count, Widths widths, double* sums) {
  thread_local Aligned<double> work;
  work.resize(3 * padded(count));
  double *d = work.data(), *o = d + padded(count), *x = o + padded(count);
  const double a = precision(widths.in), b = target == Target::none ? 0.0 : precision(widths.out);
  const double nearest = from_nearest(distance, weights, count, d);
  target_distances(target, y, own_y, count, o);
  const double least = least_exponent(d, o, a, b, count, x);
  careful_sums(d, o, x, least, a, target == Target::none ? nearest : 0.0, weights, count, sums);
  return {a * nearest, least};
}

}  // namespace arcwise::parzen
