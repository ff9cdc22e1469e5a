#include "local_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace arcwise {

GaussianScores::GaussianScores(ConstMatrix R, double tolerance, double floor, double knee, ConstVector offset,
                               ConstVector slope, ConstVector shift, double weight, ConstVector spread)
    : R_(R), offset_(offset), slope_(slope), shift_(shift), spread_(spread), knee_(knee), weight_(weight),
      toggles_(R.data(), R.shape(0), tolerance, floor), residual_(R.shape(0)), pivot_(R.shape(0)) {
  const std::size_t p = R.shape(0);
  if (R.shape(1) != p || offset.shape(0) <= p || slope.shape(0) <= p || shift.shape(0) != p || spread.shape(0) != p)
    throw nb::value_error("the tables of a compiled score have other sizes than its matrix");
}

double GaussianScores::value(int child, std::size_t m, double residual, double logdet) const {
  const double log_residual = residual < knee_ ? std::log(knee_) + residual / knee_ - 1.0 : std::log(residual);
  return offset_.data()[m] + slope_.data()[m] * (log_residual + shift_.data()[child]) + weight_ * logdet;
}

void GaussianScores::ask(int child, const Set& path, bool outside, bool inside, double tolerance, Choices& out) {
  const std::size_t p = R_.shape(0), k = path.size();
  const Single s = toggles_(child, path, residual_.data(), pivot_.data());
  double logdet = s.logdet;
  for (int x : path) logdet += spread_.data()[x];
  out.own = value(child, k, s.residual, logdet);
  out.more.clear();
  out.fewer.clear();
  const auto change = [&](int x) { return weight_ == 0.0 ? 0.0 : std::log(pivot_[x]) + spread_.data()[x]; };
  for (int x : path) {
    if (inside) out.fewer.push_back({value(child, k - 1, residual_[x], logdet - change(x)), x});
    residual_[x] = INFINITY;
  }
  residual_[child] = INFINITY;
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
    const double score = value(child, k + 1, residual_[v], logdet + change(x));
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
