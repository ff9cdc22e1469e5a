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
// `single`, which takes the variables in ascending order, is the definition. No pivot is above 1 and their
// product is the determinant, so while that of the set with its child (det R_BB x residual) is above kSafe,
// nothing is passed over in any order, rounding in the residual is magnified by at most 1 / kSafe, and
// quicker ways are the same; below, they hand over to `single`.
#pragma once

#include <cstdint>
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

// All toggles of a base set: O(k^2 p).
class Toggles {
 public:
  Toggles(const double* R, std::size_t p, double tolerance, double floor)
      : R_(R), p_(p), tolerance_(tolerance), floor_(floor), factor_(p), partial_(p) {}

  // Residual and logdet of (child, base); for every variable x the residual of child once x is put in (if
  // out) or taken out (if in), with the pivot by which det changes.
  Single operator()(std::int64_t child, const std::int64_t* base, std::size_t k, double* residual, double* pivot);

 private:
  const double* R_;
  std::size_t p_;
  double tolerance_, floor_;
  Factor factor_;
  std::vector<double> partial_, work_;
  std::vector<std::int64_t> set_;

  // The plain way, for sets close to singular: x toggled in the base, then `single`.
  Single plainly(std::int64_t child, const std::int64_t* base, std::size_t k, std::int64_t x);
};

}  // namespace arcwise
