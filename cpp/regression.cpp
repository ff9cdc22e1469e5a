#include "regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "clones.hpp"

namespace arcwise {

ARCWISE_CLONES void subtract_scaled(double* out, const double* row, double factor, std::size_t p) {
  for (std::size_t x = 0; x < p; ++x) out[x] -= factor * row[x];
}

ARCWISE_CLONES void scale(double* out, double factor, std::size_t p) {
  for (std::size_t x = 0; x < p; ++x) out[x] *= factor;
}

namespace {

ARCWISE_CLONES void subtract_squares(double* out, const double* row, std::size_t p) {
  for (std::size_t x = 0; x < p; ++x) out[x] -= row[x] * row[x];
}

ARCWISE_CLONES void added_residuals(double* residual, const double* pivot, const double* partial,
                                    double own, double tolerance, double floor, std::size_t p) {
  for (std::size_t x = 0; x < p; ++x) {
    const double usable = pivot[x] < tolerance ? 0.0 : partial[x] * partial[x] / std::max(pivot[x], tolerance);
    residual[x] = std::max(own - usable, floor);
  }
}

// Residuals after taking each base variable out, from the inverse of the factor.
void removed(const Factor& f, std::int64_t child, const std::int64_t* base, std::size_t k, double own,
             double floor, double* residual, double* pivot) {
  const std::size_t p = f.p;
  std::vector<double> inverse(k * k, 0.0);  // L^-1, row by row
  for (std::size_t c = 0; c < k; ++c) {
    inverse[c * k + c] = 1.0 / f.lower[c * k + c];
    for (std::size_t r = c + 1; r < k; ++r) {
      double sum = 0.0;
      for (std::size_t m = c; m < r; ++m) sum += f.lower[r * k + m] * inverse[m * k + c];
      inverse[r * k + c] = -sum / f.lower[r * k + r];
    }
  }
  for (std::size_t i = 0; i < k; ++i) {
    double precision = 0.0, slope = 0.0;
    for (std::size_t r = i; r < k; ++r) {
      const double w = inverse[r * k + i];
      precision += w * w;
      slope += w * f.solved[r * p + static_cast<std::size_t>(child)];
    }
    residual[base[i]] = std::max(own + slope * slope / precision, floor);
    pivot[base[i]] = 1.0 / precision;
  }
}

}  // namespace

void factorise(Factor& f, const double* R, const std::int64_t* base, std::size_t k, double tolerance) {
  const std::size_t p = f.p;
  f.lower.assign(k * k, 0.0);
  f.solved.resize(k * p);
  f.passed.assign(k, 0);
  f.any_passed = false;
  f.logdet = 0.0;
  for (std::size_t i = 0; i < k; ++i) {
    double* u = f.solved.data() + i * p;
    const double* row = R + static_cast<std::size_t>(base[i]) * p;
    std::copy(row, row + p, u);
    for (std::size_t j = 0; j < i; ++j) {
      const double l = f.solved[j * p + static_cast<std::size_t>(base[i])];
      f.lower[i * k + j] = l;
      if (l != 0.0) subtract_scaled(u, f.solved.data() + j * p, l, p);
    }
    const double pivot = u[base[i]];
    if (pivot < tolerance) {
      std::fill(u, u + p, 0.0);
      f.lower[i * k + i] = 1.0;
      f.passed[i] = 1;
      f.any_passed = true;
      continue;
    }
    const double root = std::sqrt(pivot);
    f.lower[i * k + i] = root;
    f.logdet += std::log(pivot);
    scale(u, 1.0 / root, p);
  }
}

Single single(const double* R, std::size_t p, std::int64_t child, const std::int64_t* base,
              std::size_t k, double tolerance, double floor, std::vector<double>& work) {
  work.assign(k * (k + 1), 0.0);
  double* L = work.data();
  double* u = work.data() + k * k;
  double residual = R[child * p + child];
  double logdet = 0.0;
  for (std::size_t i = 0; i < k; ++i) {
    const double* row = R + static_cast<std::size_t>(base[i]) * p;
    double pivot = row[base[i]];
    double value = row[child];
    for (std::size_t j = 0; j < i; ++j) {
      double l = row[base[j]];
      if (L[j * k + j] == 0.0) continue;  // passed over
      for (std::size_t m = 0; m < j; ++m) l -= L[i * k + m] * L[j * k + m];
      l /= L[j * k + j];
      L[i * k + j] = l;
      pivot -= l * l;
      value -= l * u[j];
    }
    if (pivot < tolerance) {
      for (std::size_t j = 0; j < i; ++j) L[i * k + j] = 0.0;
      continue;
    }
    L[i * k + i] = std::sqrt(pivot);
    u[i] = value / L[i * k + i];
    residual -= u[i] * u[i];
    logdet += std::log(pivot);
  }
  return {std::max(residual, floor), logdet};
}

Single Toggles::plainly(std::int64_t child, const std::int64_t* base, std::size_t k, std::int64_t x) {
  set_.assign(base, base + k);
  const auto place = std::lower_bound(set_.begin(), set_.end(), x);
  if (place != set_.end() && *place == x) set_.erase(place);
  else set_.insert(place, x);
  return single(R_, p_, child, set_.data(), set_.size(), tolerance_, floor_, work_);
}

Single Toggles::operator()(std::int64_t child, const std::int64_t* base, std::size_t k, double* out, double* piv) {
  Factor& f = factor_;
  factorise(f, R_, base, k, tolerance_);
  for (std::size_t x = 0; x < p_; ++x) piv[x] = R_[x * p_ + x];
  std::copy(R_ + child * p_, R_ + (child + 1) * p_, partial_.begin());
  double mine = R_[child * p_ + child];
  for (std::size_t i = 0; i < k; ++i) {
    const double* u = f.solved.data() + i * p_;
    subtract_squares(piv, u, p_);
    subtract_scaled(partial_.data(), u, u[child], p_);
    mine -= u[child] * u[child];
  }
  const double least = std::log(kSafe);
  const bool singular = f.any_passed || !(f.logdet + std::log(std::max(mine, floor_)) >= least);
  if (singular) {
    const Single s = single(R_, p_, child, base, k, tolerance_, floor_, work_);
    mine = s.residual;
    f.logdet = s.logdet;
  }
  mine = std::max(mine, floor_);
  added_residuals(out, piv, partial_.data(), mine, tolerance_, floor_, p_);
  if (!singular) removed(f, child, base, k, mine, floor_, out, piv);
  const auto in_base = [&](std::int64_t x) { return std::binary_search(base, base + k, x); };
  const double enough = singular ? std::numeric_limits<double>::infinity() : std::exp(least - f.logdet);
  for (std::size_t v = 0; v < p_; ++v) {
    const auto x = static_cast<std::int64_t>(v);
    if (x == child || piv[v] * out[v] >= enough || (!singular && in_base(x))) continue;
    const Single s = plainly(child, base, k, x);
    out[v] = s.residual;
    piv[v] = std::exp(in_base(x) ? f.logdet - s.logdet : s.logdet - f.logdet);
  }
  return {mine, f.logdet};
}

}  // namespace arcwise
