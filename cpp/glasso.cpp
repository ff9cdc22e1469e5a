// The graphical lasso, column by column: block coordinate descent with active sets.
//
// For a moment matrix S and penalties P (symmetric, infinite where an entry of Theta is held at zero)
//
//   maximise   log det Theta - sum_ij S_ij theta_ij - sum_ij P_ij |theta_ij| .
//
// With W = Theta^-1, whose diagonal is S_jj + P_jj, the conditions of one column are those of a lasso
//
//   minimise   1/2 b' W11 b - b' s12 + sum_k P_jk |b_k|,     w12 = W11 b,     theta12 = -b theta22
//
// (Friedman, Hastie and Tibshirani 2008). Here W11 b is one pass over the rows of W that b uses, which is
// needed for w12 in any case and shows every variable that has to come in; the lasso itself is solved on
// the gathered entries of W between the few active variables. A sweep costs O(p x nonzeros of Theta).
//
// Penalties of zero on the edges and infinite ones elsewhere make it the modified regression of Hastie,
// Tibshirani and Friedman, The Elements of Statistical Learning, algorithm 17.1. The matrices are meant to
// be scaled so that W has a unit diagonal: tolerances are absolute.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "glasso.hpp"

namespace arcwise {
namespace {

constexpr int kPasses = 10000;
constexpr double kRounding = 1e-14;

ARCWISE_CLONES void subtract_scaled(double* out, const double* row, double factor, Size n) {
  for (Size x = 0; x < n; ++x) out[x] -= factor * row[x];
}

// Cholesky factor in place (lower, row by row); false where a pivot is not positive.
bool factorise(std::vector<double>& A, Size m) {
  for (Size i = 0; i < m; ++i) {
    double* row = A.data() + i * m;
    for (Size j = 0; j < i; ++j) row[j] = (row[j] - dot(row, A.data() + j * m, j)) / A[j * m + j];
    const double pivot = row[i] - dot(row, row, i);
    if (!(pivot > 0.0)) return false;
    row[i] = std::sqrt(pivot);
  }
  return true;
}

void substitute(const std::vector<double>& L, Size m, std::vector<double>& b) {
  for (Size i = 0; i < m; ++i) b[i] = (b[i] - dot(L.data() + i * m, b.data(), i)) / L[i * m + i];
  for (Size i = m; i-- > 0;) {
    b[i] /= L[i * m + i];
    subtract_scaled(b.data(), L.data() + i * m, b[i], i);
  }
}

// A lasso on few variables: 1/2 b' G b - b' c + sum q |b|, with the gradient c - G b kept up to date.
struct Small {
  std::vector<double> gram, slope, gradient, penalty;
  std::vector<double> factor, answer;
  std::vector<Size> used;

  Size size() const { return slope.size(); }

  void solve(double tolerance) {
    const Size patience = std::max<Size>(8, size() / 4);  // then a factorisation is the cheaper way
    Size next = free_of_penalty() ? 0 : patience;
    for (Size pass = 0; pass < kPasses; ++pass) {
      if (pass == next) {
        next += patience;
        jump();
      }
      if (descend() <= tolerance) return;
    }
  }

  bool free_of_penalty() const {
    return size() > 1 && std::all_of(penalty.begin(), penalty.end(), [](double q) { return q == 0.0; });
  }

  // One pass of coordinate descent; returns the largest change of the gradient's own entry.
  double descend() {
    const Size m = size();
    double most = 0.0;
    for (Size a = 0; a < m; ++a) {
      const double own = gram[a * m + a], target = gradient[a] + own * slope[a];
      const double fresh = std::copysign(std::max(std::abs(target) - penalty[a], 0.0), target) / own;
      const double change = fresh - slope[a];
      if (change == 0.0) continue;
      slope[a] = fresh;
      subtract_scaled(gradient.data(), gram.data() + a * m, change, m);
      most = std::max(most, std::abs(change) * own);
    }
    return most;
  }

  // Solve with the signs as they are, and go there, or as far as the first slope that would change its sign.
  void jump() {
    const Size m = size();
    used.clear();
    for (Size a = 0; a < m; ++a)
      if (slope[a] != 0.0 || penalty[a] == 0.0) used.push_back(a);
    const Size k = used.size();
    factor.resize(k * k);
    answer.resize(k);
    for (Size a = 0; a < k; ++a) {
      for (Size b = 0; b <= a; ++b) factor[a * k + b] = gram[used[a] * m + used[b]];
      const double sign = slope[used[a]] > 0.0 ? 1.0 : -1.0;
      answer[a] = gradient[used[a]] - (penalty[used[a]] > 0.0 ? sign * penalty[used[a]] : 0.0);
    }
    if (!factorise(factor, k)) return;
    substitute(factor, k, answer);
    double step = 1.0;
    for (Size a = 0; a < k; ++a)
      if (penalty[used[a]] > 0.0 && slope[used[a]] * (slope[used[a]] + answer[a]) < 0.0)
        step = std::min(step, -slope[used[a]] / answer[a]);
    for (Size a = 0; a < k; ++a) {
      double& b = slope[used[a]];
      const double before = b;
      b += step * answer[a];
      if (penalty[used[a]] > 0.0 && before * b < kRounding * before * before) b = 0.0;
      subtract_scaled(gradient.data(), gram.data() + used[a] * m, b - before, m);
    }
  }
};

struct Columns {
  Size p;
  const double *S, *P, *W;
  double *written, *B;  // W again, where it may be changed
  std::vector<double> fitted, before, weights;
  std::vector<Size> active, which;
  std::vector<char> in;
  Small lasso;

  Columns(Size p, const double* S, const double* P, const double* W, double* written, double* B)
      : p(p), S(S), P(P), W(W), written(written), B(B), fitted(p), in(p) {}

  // Solves column j and leaves W11 b in `fitted`; returns how many signs of b are new.
  std::int64_t solve(Size j, double tolerance) {
    double* row = B + j * p;
    begin(j, row);
    for (bool more = true; more; more = bring_in(j)) {
      if (active.empty()) continue;
      gather(j);
      lasso.solve(tolerance);
      add_changes();
    }
    std::int64_t changed = 0;
    for (Size a = 0; a < active.size(); ++a) {
      double& b = row[active[a]];
      changed += (b > 0.0) != (lasso.slope[a] > 0.0) || (b < 0.0) != (lasso.slope[a] < 0.0);
      b = lasso.slope[a];
    }
    return changed;
  }

  void begin(Size j, const double* row) {
    active.clear();
    lasso.slope.clear();
    for (Size k = 0; k < p; ++k) {
      in[k] = row[k] != 0.0;
      if (!in[k]) continue;
      active.push_back(k);
      lasso.slope.push_back(row[k]);
    }
    in[j] = 1;
    before.assign(active.size(), 0.0);
    std::fill(fitted.begin(), fitted.end(), 0.0);
  }

  // Variables outside whose condition does not hold become active; false if there are none.
  bool bring_in(Size j) {
    const double *s = S + j * p, *q = P + j * p;
    const Size had = active.size();
    for (Size k = 0; k < p; ++k) {
      if (in[k] || !(std::abs(s[k] - fitted[k]) > q[k] * (1 + 1e-10) + kRounding)) continue;
      in[k] = 1;
      active.push_back(k);
      lasso.slope.push_back(0.0);
      before.push_back(0.0);
    }
    return active.size() > had;
  }

  void gather(Size j) {
    const Size m = active.size();
    lasso.gram.resize(m * m);
    lasso.gradient.resize(m);
    lasso.penalty.resize(m);
    for (Size a = 0; a < m; ++a) {
      const double* row = W + active[a] * p;
      double* own = lasso.gram.data() + a * m;
      for (Size b = 0; b < m; ++b) own[b] = row[active[b]];
      lasso.gradient[a] = S[j * p + active[a]] - dot(own, lasso.slope.data(), m);
      lasso.penalty[a] = P[j * p + active[a]];
    }
  }

  // Brings `fitted` up to date: `before` are the slopes that it holds.
  void add_changes() {
    which.clear();
    weights.clear();
    for (Size a = 0; a < active.size(); ++a) {
      if (lasso.slope[a] == before[a]) continue;
      which.push_back(active[a]);
      weights.push_back(lasso.slope[a] - before[a]);
    }
    add_rows(fitted.data(), W, p, which.data(), weights.data(), which.size());
    before = lasso.slope;
  }

  // W's column j becomes W11 b; returns how far it went.
  double store(Size j) {
    double* row = written + j * p;
    double moved = 0.0;
    fitted[j] = row[j];
    for (Size k = 0; k < p; ++k) moved = std::max(moved, std::abs(fitted[k] - row[k]));
    std::copy(fitted.begin(), fitted.end(), row);
    for (Size k = 0; k < p; ++k) written[k * p + j] = fitted[k];
    return moved;
  }
};

// Sweeps over all columns, W and B changed in place, until no entry of W moves by more than `tolerance`.
// Returns the sweeps done, the last one's largest move, and how many signs of B changed in all of them.
std::tuple<std::int64_t, double, std::int64_t> descend(ConstMatrix S, ConstMatrix P, Matrix W, Matrix B,
                                                       double tolerance, std::int64_t sweeps) {
  const Size p = S.shape(0);
  check_square(p, S, P, W, B);
  nb::gil_scoped_release release;
  Columns columns(p, S.data(), P.data(), W.data(), W.data(), B.data());
  double least = 0.1;  // the smallest penalty, for the precision that is needed
  for (Size x = 0; x < p * p; ++x)
    if (P.data()[x] > 0.0) least = std::min(least, P.data()[x]);
  double moved = std::numeric_limits<double>::infinity();
  std::int64_t done = 0, changed = 0;
  while (done < sweeps && moved > tolerance) {
    // A column need not be solved much better than the others are, but W has to stay positive definite.
    const double inner = std::max(0.1 * tolerance, 1e-3 * std::min(moved, least));
    double most = 0.0;
    for (Size j = 0; j < p; ++j) {
      changed += columns.solve(j, inner);
      most = std::max(most, columns.store(j));
    }
    moved = most;
    ++done;
  }
  return {done, moved, changed};
}

// The lasso of every variable on all others, each on its own: row j of B becomes its slopes.
void neighbours(ConstMatrix S, ConstMatrix P, Matrix B, double tolerance) {
  check_square(S.shape(0), S, P, B);
  nb::gil_scoped_release release;
  Columns columns(S.shape(0), S.data(), P.data(), S.data(), nullptr, B.data());
  for (Size j = 0; j < S.shape(0); ++j) columns.solve(j, tolerance);
}

// Theta from W and the slopes: 1 / theta22 = w22 - w12'b, theta12 = -b theta22, the two values of a pair
// averaged, zero where either is. Returns false where a diagonal entry is not positive.
bool precision(ConstMatrix W, ConstMatrix B, Matrix T) {
  const Size p = W.shape(0);
  check_square(p, W, B, T);
  nb::gil_scoped_release release;
  std::vector<double> own(p);
  for (Size j = 0; j < p; ++j) {
    own[j] = 1.0 / (W.data()[j * p + j] - dot(W.data() + j * p, B.data() + j * p, p));
    if (!(own[j] > 0.0 && std::isfinite(own[j]))) return false;
  }
  for (Size i = 0; i < p; i += kTile)
    for (Size j = 0; j <= i; j += kTile)
      for (Size x = i; x < std::min(i + kTile, p); ++x)
        for (Size y = j; y < std::min(j + kTile, x); ++y) {
          const double a = B.data()[x * p + y], b = B.data()[y * p + x];
          const double value = a != 0.0 && b != 0.0 ? -0.5 * (a * own[x] + b * own[y]) : 0.0;
          T.data()[x * p + y] = T.data()[y * p + x] = value;
        }
  for (Size j = 0; j < p; ++j) T.data()[j * p + j] = own[j];
  return true;
}

}  // namespace
}  // namespace arcwise

void bind_glasso(nanobind::module_& m) {
  m.def("glasso_descend", &arcwise::descend);
  m.def("glasso_neighbours", &arcwise::neighbours);
  m.def("glasso_precision", &arcwise::precision);
}
