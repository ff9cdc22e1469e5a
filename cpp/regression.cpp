#include "regression.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

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

void Toggles::plainly(std::int64_t child, const std::int64_t* base, std::size_t k, std::size_t x, double logdet,
                      double* residual, double* pivot) {
  const auto item = static_cast<std::int64_t>(x);
  set_.assign(base, base + k);
  const auto place = std::lower_bound(set_.begin(), set_.end(), item);
  const bool in = place != set_.end() && *place == item;
  if (in) set_.erase(place);
  else set_.insert(place, item);
  const Single s = single(R_, p_, child, set_.data(), set_.size(), tolerance_, floor_, work_);
  residual[x] = s.residual;
  pivot[x] = std::exp(in ? logdet - s.logdet : s.logdet - logdet);
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
  double least = 0.0;  // the smallest that the others leave of a member; 0: not known
  if (!f.any_passed) {
    removed(f, child, base, k, mine, floor_, out, piv);
    least = 1.0;
    for (std::size_t i = 0; i < k; ++i) least = std::min(least, piv[base[i]]);
  }
  const bool singular = !(least * mine >= kSafe);
  if (singular) {
    const Single s = single(R_, p_, child, base, k, tolerance_, floor_, work_);
    mine = s.residual;
    f.logdet = s.logdet;
  }
  mine = std::max(mine, floor_);
  const auto in_base = [&](std::size_t x) { return std::binary_search(base, base + k, static_cast<std::int64_t>(x)); };
  if (singular) {
    for (std::size_t x = 0; x < p_; ++x)
      if (static_cast<std::int64_t>(x) != child) plainly(child, base, k, x, f.logdet, out, piv);
    out[child] = piv[child] = mine;  // has no meaning, but is a number
    return {mine, f.logdet};
  }
  kept_.clear();
  for (std::size_t i = 0; i < k; ++i) kept_.push_back({out[base[i]], piv[base[i]]});
  added_residuals(out, piv, partial_.data(), mine, tolerance_, floor_, p_);
  for (std::size_t i = 0; i < k; ++i) std::tie(out[base[i]], piv[base[i]]) = kept_[i];
  for (std::size_t x = 0; x < p_; ++x)
    if (static_cast<std::int64_t>(x) != child && !(least * piv[x] * out[x] >= kSafe) && !in_base(x))
      plainly(child, base, k, x, f.logdet, out, piv);
  return {mine, f.logdet};
}

void Ladder::begin(std::int64_t child) {
  child_ = child;
  path_.clear();
  Level& level = levels_[0];
  level.pivots.resize(p_);
  for (std::size_t x = 0; x < p_; ++x) level.pivots[x] = R_[x * p_ + x];
  level.partial.assign(R_ + child * p_, R_ + (child + 1) * p_);
  level.residual = R_[child * p_ + child];
}

void Ladder::add(int x) {
  const std::size_t k = path_.size();
  if (levels_.size() == k + 1) levels_.emplace_back();
  const Level& last = levels_[k];
  Level& level = levels_[k + 1];
  path_.push_back(x);
  level.fine = last.fine && last.pivots[x] >= tolerance_;
  if (!level.fine) return;
  const double* row = R_ + static_cast<std::size_t>(x) * p_;
  level.line.assign(row, row + p_);
  for (std::size_t j = 1; j <= k; ++j)
    subtract_scaled(level.line.data(), levels_[j].line.data(), levels_[j].line[x], p_);
  const double pivot = level.line[x];
  if (pivot < tolerance_) {
    level.fine = false;
    return;
  }
  scale(level.line.data(), 1.0 / std::sqrt(pivot), p_);
  const double slope = level.line[child_];
  level.pivots = last.pivots;
  subtract_squares(level.pivots.data(), level.line.data(), p_);
  level.partial = last.partial;
  subtract_scaled(level.partial.data(), level.line.data(), slope, p_);
  level.residual = last.residual - slope * slope;
  level.logdet = last.logdet + std::log(pivot);
  level.inverse.assign(k + 1, 0.0);
  for (std::size_t m = 0; m < k; ++m) {
    const double lower = levels_[m + 1].line[x];
    for (std::size_t j = 0; j <= m; ++j) level.inverse[j] -= lower * levels_[m + 1].inverse[j];
  }
  level.inverse[k] = 1.0;
  level.precision = last.precision;
  level.precision.push_back(0.0);
  double most = 0.0;
  for (std::size_t j = 0; j <= k; ++j) {
    level.inverse[j] /= std::sqrt(pivot);
    level.precision[j] += level.inverse[j] * level.inverse[j];
    most = std::max(most, level.precision[j]);
  }
  level.least = 1.0 / most;
  level.fine = level.least * level.residual >= kSafe;
}

bool Ladder::climb(std::int64_t child, const std::vector<int>& path) {
  if (child != child_) begin(child);
  std::size_t same = 0;
  while (same < path.size() && same < path_.size() && path[same] == path_[same]) ++same;
  path_.resize(same);
  for (std::size_t i = same; i < path.size(); ++i) add(path[i]);
  return top().fine;
}

void Ladder::added(double floor, double* residual) const {
  added_residuals(residual, top().pivots.data(), top().partial.data(), top().residual, tolerance_, floor, p_);
}

void Ladder::removed(double* residual, double* pivot) const {
  const std::size_t k = path_.size();
  for (std::size_t i = 0; i < k; ++i) {
    double slope = 0.0;
    for (std::size_t r = i; r < k; ++r) slope += levels_[r + 1].inverse[i] * levels_[r + 1].line[child_];
    residual[i] = top().residual + slope * slope / top().precision[i];
    pivot[i] = 1.0 / top().precision[i];
  }
}

}  // namespace arcwise
