#include "regression.hpp"

#include <algorithm>
#include <cmath>

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

void Toggles::plainly(std::int64_t child, std::size_t x, double logdet, double* residual, double* pivot) {
  const auto item = static_cast<std::int64_t>(x);
  set_ = sorted_;
  const auto place = std::lower_bound(set_.begin(), set_.end(), item);
  const bool in = place != set_.end() && *place == item;
  if (in) set_.erase(place);
  else set_.insert(place, item);
  const Single s = single(R_, p_, child, set_.data(), set_.size(), tolerance_, floor_, work_);
  residual[x] = s.residual;
  pivot[x] = std::exp(in ? logdet - s.logdet : s.logdet - logdet);
}

Single Toggles::singular(std::int64_t child, double* residual, double* pivot) {
  const Single own = single(R_, p_, child, sorted_.data(), sorted_.size(), tolerance_, floor_, work_);
  for (std::size_t x = 0; x < p_; ++x)
    if (static_cast<std::int64_t>(x) != child) plainly(child, x, own.logdet, residual, pivot);
  residual[child] = pivot[child] = own.residual;
  return own;
}

Single Toggles::operator()(std::int64_t child, const std::vector<int>& base, double* residual, double* pivot) {
  sorted_.assign(base.begin(), base.end());
  std::sort(sorted_.begin(), sorted_.end());
  if (!ladder_.climb(child, base)) return singular(child, residual, pivot);
  ladder_.added(floor_, residual);
  std::copy(ladder_.pivots(), ladder_.pivots() + p_, pivot);
  fewer_.resize(base.size());
  fewer_pivots_.resize(base.size());
  ladder_.removed(fewer_.data(), fewer_pivots_.data());
  inside_[child] = 1;
  for (std::size_t i = 0; i < base.size(); ++i) {
    residual[base[i]] = std::max(fewer_[i], floor_);
    pivot[base[i]] = fewer_pivots_[i];
    inside_[base[i]] = 1;
  }
  for (std::size_t v = 0; v < p_; ++v) {
    const int x = static_cast<int>(v);
    if (inside_[v] || ladder_.bound_with(x) * residual[v] >= kSafe) continue;
    if (!(ladder_.least_with(x) * residual[v] >= kSafe)) plainly(child, v, ladder_.logdet(), residual, pivot);
  }
  inside_[child] = 0;
  for (int x : base) inside_[x] = 0;
  return {std::max(ladder_.residual(), floor_), ladder_.logdet()};
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
  level.fine = level.residual >= kSafe &&
               (level.least * level.residual >= kSafe ||
                1.0 / largest_precision(level, child_, level.residual) >= kSafe);
}

// With one more variable, of which the set leaves `left`: a member's precision grows by its squared coefficient in
// the regression of that variable, divided by what is left.
double Ladder::largest_precision(const Level& level, std::int64_t x, double left) const {
  const std::size_t k = path_.size();
  double most = 1.0 / left;
  for (std::size_t j = 0; j < k; ++j) {
    double slope = 0.0;
    for (std::size_t r = j; r < k; ++r) slope += levels_[r + 1].inverse[j] * levels_[r + 1].line[x];
    most = std::max(most, level.precision[j] + slope * slope / left);
  }
  return most;
}

double Ladder::least_with(int x) const {
  const double left = top().pivots[x];
  return left < tolerance_ ? 0.0 : 1.0 / largest_precision(top(), x, left);
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
