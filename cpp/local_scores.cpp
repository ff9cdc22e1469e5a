#include "local_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace arcwise {

GaussianScores::GaussianScores(ConstMatrix R, double tolerance, double floor, double knee, ConstVector offset,
                               ConstVector slope, ConstVector shift, double weight, ConstVector spread)
    : R_(R), offset_(offset), slope_(slope), shift_(shift), spread_(spread), floor_(floor), knee_(knee),
      weight_(weight), ladder_(R.data(), R.shape(0), tolerance), toggles_(R.data(), R.shape(0), tolerance, floor), residual_(R.shape(0)), pivot_(R.shape(0)) {
  const std::size_t p = R.shape(0);
  if (R.shape(1) != p || offset.shape(0) <= p || slope.shape(0) <= p || shift.shape(0) != p || spread.shape(0) != p)
    throw nb::value_error("the tables of a compiled score have other sizes than its matrix");
}

double GaussianScores::value(int child, std::size_t m, double residual, double logdet) const {
  const double log_residual = residual < knee_ ? std::log(knee_) + residual / knee_ - 1.0 : std::log(residual);
  return offset_.data()[m] + slope_.data()[m] * (log_residual + shift_.data()[child]) + weight_ * logdet;
}

Single GaussianScores::toggle(int child, const Set& path, bool inside) {
  const std::size_t k = path.size(), p = R_.shape(0);
  fewer_residual_.resize(k);
  fewer_pivot_.resize(k);
  if (ladder_.climb(child, path)) {
    ladder_.added(floor_, residual_.data());
    std::copy(ladder_.pivots(), ladder_.pivots() + p, pivot_.begin());
    if (inside) ladder_.removed(fewer_residual_.data(), fewer_pivot_.data());
    for (int x : path) residual_[x] = INFINITY;
    residual_[child] = INFINITY;
    bool safe = true;
    for (std::size_t x = 0; x < p; ++x) safe = safe && ladder_.least() * pivot_[x] * residual_[x] >= kSafe;
    if (safe) return {ladder_.residual(), ladder_.logdet()};
  }
  base_.assign(path.begin(), path.end());
  std::sort(base_.begin(), base_.end());
  const Single found = toggles_(child, base_.data(), k, residual_.data(), pivot_.data());
  for (std::size_t i = 0; i < k; ++i) {
    fewer_residual_[i] = std::exchange(residual_[path[i]], INFINITY);
    fewer_pivot_[i] = pivot_[path[i]];
  }
  residual_[child] = INFINITY;
  return found;
}

void GaussianScores::ask(int child, const Set& path, bool outside, bool inside, double tolerance, Choices& out) {
  const std::size_t p = R_.shape(0), k = path.size();
  const Single s = toggle(child, path, inside);
  double logdet = s.logdet;
  for (int x : path) logdet += spread_.data()[x];
  out.own = value(child, k, s.residual, logdet);
  out.more.clear();
  out.fewer.clear();
  const auto change = [&](double pivot, int x) { return weight_ == 0.0 ? 0.0 : std::log(pivot) + spread_.data()[x]; };
  for (std::size_t i = 0; inside && i < k; ++i)
    out.fewer.push_back({value(child, k - 1, fewer_residual_[i], logdet - change(fewer_pivot_[i], path[i])), path[i]});
  if (!outside) return;
  // Without determinants a smaller residual is a better score: logarithms only of those that are small enough.
  const double least = out.own + tolerance;
  double enough = std::numeric_limits<double>::max();
  if (weight_ == 0.0) {
    const double log_residual = (least - offset_.data()[k + 1]) / slope_.data()[k + 1] - shift_.data()[child];
    enough = std::max(std::exp(log_residual), knee_) * (1.0 + 1e-12);
  }
  for (std::size_t v = 0; v < p; ++v) {
    if (residual_[v] > enough) continue;
    const int x = static_cast<int>(v);
    const double score = value(child, k + 1, residual_[v], logdet + change(pivot_[v], x));
    if (score > least) out.more.push_back({score, x});
  }
}

void CalledScores::ask(int child, const Set& path, bool outside, bool inside, double tolerance, Choices& out) {
  Set base(path);
  std::sort(base.begin(), base.end());
  std::vector<std::int64_t> members(base.begin(), base.end()), among;
  if (inside) among = members;
  for (int x = 0; outside && x < p_; ++x)
    if (x != child && !contains(base, x)) among.push_back(x);
  nb::object answer = rows_(child, to_numpy(members), to_numpy(among));
  if (answer.is_none()) throw Ended();
  const auto scores = nb::cast<ConstVector>(answer);
  if (scores.shape(0) != among.size() + 1)
    throw nb::value_error("the row of scores has another length than was asked for");
  out.own = scores.data()[0];
  out.more.clear();
  out.fewer.clear();
  const std::size_t inner = inside ? base.size() : 0;
  for (std::size_t i = 0; i < among.size(); ++i) {
    const Option found{scores.data()[i + 1], static_cast<int>(among[i])};
    if (i < inner) out.fewer.push_back(found);
    else if (found.score > out.own + tolerance) out.more.push_back(found);
  }
}

}  // namespace arcwise
