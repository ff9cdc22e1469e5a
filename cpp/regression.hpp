// Residual variances of linear regressions, from a matrix of moments, for many parent sets at once.
//
// All functions work on a symmetric positive semi-definite matrix R scaled to unit diagonal (a
// correlation matrix). For a child y and a base set B
//
//   residual = R_yy - R_yB R_BB^-1 R_By      share of y's variance that B leaves unexplained
//   logdet   = log det R_BB
//
// A variable whose pivot (its own residual given the variables before it) is below `tolerance` is a
// linear combination of the others: it is passed over. Residuals never go below `floor`.
//
// Which variable is passed over depends on the order, and a score must be a pure function of the set. So
// `single`, which takes the variables in ascending order, is the definition. The pivots of a variable are
// smallest where it comes last: what all others of the set leave of it. Where that is above kSafe for every
// variable, the child included, nothing is passed over in any order and rounding is magnified by 1 / kSafe at
// most, so quicker ways give the same; below, they hand over to `single`. With x put in, what is left of the
// members falls by a factor of x's own pivot at worst, and by the child's residual.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace arcwise {

constexpr double kSafe = 1e-6;

// Cholesky factor of R over a base set, with the solved columns u = L^-1 R_{B,.} for all variables.
struct Factor {
  std::size_t p;
  std::vector<double> lower;    // k x k
  std::vector<double> solved;   // k x p
  std::vector<char> passed;     // base variables passed over
  bool any_passed = false;
  double logdet = 0.0;

  explicit Factor(std::size_t variables) : p(variables) {}
};

// Residual and logdet of one set without the columns of all variables: O(k^3), for small k. Leaves the
// factor L (k x k, zero on the diagonal where a variable was passed over) and L^-1 R_By in `work`.
struct Single {
  double residual;
  double logdet;
};

Single single(const double* R, std::size_t p, std::int64_t child, const std::int64_t* base,
              std::size_t k, double tolerance, double floor, std::vector<double>& work);

void factorise(Factor& f, const double* R, const std::int64_t* base, std::size_t k, double tolerance);

void subtract_scaled(double* out, const double* row, double factor, std::size_t p);
void scale(double* out, double factor, std::size_t p);

// Regressions of a child on sets that grow one by one: going on from the last set costs O(k p) for each
// variable that is new, since the factors of all beginnings of the set are kept.
class Ladder {
 public:
  Ladder(const double* R, std::size_t p, double tolerance) : R_(R), p_(p), tolerance_(tolerance), levels_(1) {}

  // Take the variables of `path`, in this order. False if a set on the way is too close to singular for it.
  bool climb(std::int64_t child, const std::vector<int>& path);

  double residual() const { return top().residual; }
  double logdet() const { return top().logdet; }

  // The smallest share that the others leave of a member of the set with x: a bound, O(1), and exactly, O(k^2).
  double bound_with(int x) const { return top().least * top().pivots[x]; }
  double least_with(int x) const;

  // Residuals of the child once each variable is put in; what it gives for members of the set has no meaning.
  void added(double floor, double* residual) const;
  const double* pivots() const { return top().pivots.data(); }

  // The same once each member of the path is taken out, with the pivots by which det changes.
  void removed(double* residual, double* pivot) const;

 private:
  struct Level {
    std::vector<double> line;     // L^-1 R_{B,.} of the variable that came last
    std::vector<double> pivots;   // what the set leaves of each variable
    std::vector<double> partial;  // and of its covariance with the child
    std::vector<double> inverse;    // last row of L^-1
    std::vector<double> precision;  // 1 / what the others leave of each member
    double residual = 1.0, logdet = 0.0;
    double least = 1.0;  // the smallest that is left of a member
    bool fine = true;
  };

  const double* R_;
  std::size_t p_;
  double tolerance_;
  std::int64_t child_ = -1;
  std::vector<int> path_;
  std::vector<Level> levels_;  // of the first 0, 1, ... variables of the path

  const Level& top() const { return levels_[path_.size()]; }
  void begin(std::int64_t child);
  void add(int x);
  double largest_precision(const Level& level, std::int64_t x, double left) const;
};

// All toggles of a base set, which may come in any order: O(k p) for each variable that the last set did not begin
// with.
class Toggles {
 public:
  Toggles(const double* R, std::size_t p, double tolerance, double floor)
      : R_(R), p_(p), tolerance_(tolerance), floor_(floor), ladder_(R, p, tolerance), inside_(p, 0) {}

  // Residual and logdet of (child, base); for every variable x the residual of child once x is put in (if
  // out) or taken out (if in), with the pivot by which det changes. The child's own entries have no meaning.
  Single operator()(std::int64_t child, const std::vector<int>& base, double* residual, double* pivot);

 private:
  const double* R_;
  std::size_t p_;
  double tolerance_, floor_;
  Ladder ladder_;
  std::vector<char> inside_;
  std::vector<double> work_, fewer_, fewer_pivots_;
  std::vector<std::int64_t> sorted_, set_;

  // The plain way, for sets close to singular: x toggled in the sorted base, then `single`.
  void plainly(std::int64_t child, std::size_t x, double logdet, double* residual, double* pivot);
  Single singular(std::int64_t child, double* residual, double* pivot);
};

}  // namespace arcwise
