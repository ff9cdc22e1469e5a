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

// Passes over the active variables of a column: alone, and within sweeps, where it is visited again.
constexpr Size kPasses = 10000, kFewPasses = 500;
constexpr double kRounding = 1e-14;
constexpr double kNever = std::numeric_limits<double>::infinity();

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

// One pass of coordinate descent over 1/2 b' G b - b' c + sum q |b|, with the gradient c - G b kept up to date;
// returns the largest change of the gradient's own entry.
ARCWISE_CLONES double pass_over(double* __restrict slope, double* __restrict gradient, const double* __restrict gram,
                                const double* __restrict penalty, Size m) {
  double most = 0.0;
  for (Size a = 0; a < m; ++a) {
    const double* row = gram + a * m;
    const double target = gradient[a] + row[a] * slope[a], left = std::abs(target) - penalty[a];
    const double fresh = left > 0.0 ? std::copysign(left, target) / row[a] : 0.0;
    const double change = fresh - slope[a];
    if (change == 0.0) continue;
    slope[a] = fresh;
    for (Size b = 0; b < m; ++b) gradient[b] -= change * row[b];
    most = std::max(most, std::abs(change) * row[a]);
  }
  return most;
}

// gradient = c - G b.
ARCWISE_CLONES void residual(double* __restrict gradient, const double* __restrict gram,
                             const double* __restrict slope, Size m) {
  for (Size a = 0; a < m; ++a)
    if (slope[a] != 0.0)
      for (Size b = 0; b < m; ++b) gradient[b] -= slope[a] * gram[a * m + b];
}

// A lasso on few variables: 1/2 b' G b - b' c + sum q |b|, with the gradient c - G b kept up to date.
struct Small {
  std::vector<double> gram, slope, gradient, penalty;
  std::vector<double> factor, answer;
  std::vector<Size> used;
  Size passes = kPasses;

  Size size() const { return slope.size(); }

  void solve(double tolerance) {
    const Size patience = std::max<Size>(8, size() / 4);  // then a factorisation is the cheaper way
    Size next = free_of_penalty() ? 0 : patience;
    for (Size pass = 0; pass < passes; ++pass) {
      if (pass == next) {
        next += patience;
        jump();
      }
      if (pass_over(slope.data(), gradient.data(), gram.data(), penalty.data(), size()) <= tolerance) return;
    }
  }

  bool free_of_penalty() const {
    return size() > 1 && std::all_of(penalty.begin(), penalty.end(), [](double q) { return q == 0.0; });
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

// The bounds beyond which variables have to come in: the penalties, and a little for rounding.
ARCWISE_CLONES void bounds(double* out, const double* penalty, Size p) {
  for (Size k = 0; k < p; ++k) out[k] = penalty[k] * (1 + 1e-10) + kRounding;
}

// Whether |a - b| is beyond its bound anywhere.
ARCWISE_CLONES bool beyond(const double* a, const double* b, const double* bound, Size p) {
  double most = -1.0;
#pragma omp simd reduction(max : most)
  for (Size k = 0; k < p; ++k) {
    const double over = std::abs(a[k] - b[k]) - bound[k];
    most = over > most ? over : most;
  }
  return most > 0.0;
}

// Writes `fresh` over `row`; moves become the larger of themselves and |fresh - row|. Returns the largest.
ARCWISE_CLONES double overwrite(double* row, const double* fresh, double* moves, Size p) {
  double most = 0.0;
#pragma omp simd reduction(max : most)
  for (Size k = 0; k < p; ++k) {
    const double moved = std::abs(fresh[k] - row[k]);
    moves[k] = moved > moves[k] ? moved : moves[k];
    most = moved > most ? moved : most;
    row[k] = fresh[k];
  }
  return most;
}

// The smallest penalty that is not zero, or 0.1 where that is smaller.
ARCWISE_CLONES double smallest(const double* penalty, Size count) {
  double least = 0.1;
#pragma omp simd reduction(min : least)
  for (Size x = 0; x < count; ++x) {
    const double own = penalty[x] > 0.0 ? penalty[x] : 0.1;
    least = own < least ? own : least;
  }
  return least;
}

struct Columns {
  Size p;
  const double *S, *P, *W;
  double *written, *B;  // W again, where it may be changed
  std::vector<double> fitted, before, weights, bound;
  std::vector<Size> active, which;
  std::vector<std::vector<Size>> nonzero;  // of the rows of B
  Small lasso;

  Columns(Size p, const double* S, const double* P, const double* W, double* written, double* B)
      : p(p), S(S), P(P), W(W), written(written), B(B), fitted(p), bound(p), nonzero(p) {
    for (Size j = 0; j < p; ++j)
      for (Size k = 0; k < p; ++k)
        if (B[j * p + k] != 0.0) nonzero[j].push_back(k);
  }

  // Solves column j and leaves W11 b in `fitted`; returns how many signs of b are new.
  std::int64_t solve(Size j, double tolerance) {
    begin(j);
    for (bool more = true; more; more = bring_in(j)) {
      if (active.empty()) continue;
      gather(j);
      lasso.solve(tolerance);
      add_changes();
    }
    std::int64_t changed = 0;
    nonzero[j].clear();
    for (Size a = 0; a < active.size(); ++a) {
      double& b = B[j * p + active[a]];
      changed += (b > 0.0) != (lasso.slope[a] > 0.0) || (b < 0.0) != (lasso.slope[a] < 0.0);
      b = lasso.slope[a];
      if (b != 0.0) nonzero[j].push_back(active[a]);
    }
    return changed;
  }

  void begin(Size j) {
    active = nonzero[j];
    lasso.slope.clear();
    bounds(bound.data(), P + j * p, p);
    bound[j] = kNever;
    for (const Size k : active) {
      lasso.slope.push_back(B[j * p + k]);
      bound[k] = kNever;
    }
    before.assign(active.size(), 0.0);
    std::fill(fitted.begin(), fitted.end(), 0.0);
  }

  // Variables outside whose condition does not hold become active; false if there are none.
  bool bring_in(Size j) {
    const double* s = S + j * p;
    if (!beyond(s, fitted.data(), bound.data(), p)) return false;
    for (Size k = 0; k < p; ++k) {
      if (!(std::abs(s[k] - fitted[k]) > bound[k])) continue;
      bound[k] = kNever;
      active.push_back(k);
      lasso.slope.push_back(0.0);
      before.push_back(0.0);
    }
    return true;
  }

  void gather(Size j) {
    const Size m = active.size();
    lasso.gram.resize(m * m);
    lasso.gradient.resize(m);
    lasso.penalty.resize(m);
    double* gram = lasso.gram.data();
    for (Size a = 0; a < m; ++a) {
      const double* row = W + active[a] * p;
      for (Size b = 0; b <= a; ++b) gram[a * m + b] = gram[b * m + a] = row[active[b]];
    }
    for (Size a = 0; a < m; ++a) {
      lasso.gradient[a] = S[j * p + active[a]];
      lasso.penalty[a] = P[j * p + active[a]];
    }
    residual(lasso.gradient.data(), gram, lasso.slope.data(), m);
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

  // W's column j becomes W11 b; `moves` are raised to how far its entries went. Returns the largest.
  double store(Size j, double* moves) {
    fitted[j] = W[j * p + j];
    const double moved = overwrite(written + j * p, fitted.data(), moves, p);
    for (Size k = 0; k < p; ++k) written[k * p + j] = fitted[k];
    moves[j] = std::max(moves[j], moved);
    return moved;
  }
};

// Which columns need not be solved again: those whose W11 b can have changed but little since they were.
//
// A change of row k of W by at most d_k changes W11 b by at most sum |b_k| d_k. Changes of this sweep and of
// the one before count; those of earlier ones stay with the columns that were passed over.
struct Rest {
  double *last, *owed;
  std::vector<double> now;

  Rest(double* last, double* owed, Size p) : last(last), owed(owed), now(p, 0.0) {}

  void next_sweep() {
    std::copy(now.begin(), now.end(), last);
    std::fill(now.begin(), now.end(), 0.0);
  }

  bool passes_over(Size j, const double* slopes, const std::vector<Size>& nonzero, double tolerance) {
    double change = owed[j];
    for (const Size k : nonzero) change += std::abs(slopes[k]) * std::max(now[k], last[k]);
    if (!(change <= tolerance) || last[j] == kNever) return owed[j] = 0.0, false;
    owed[j] = change;
    return true;
  }
};

// Sweeps over all columns, W and B changed in place, until no entry of W moves by more than `tolerance`.
// Returns the sweeps done, the last one's largest move, and how many signs of B changed in all of them.
// `passed` (2, p), what columns are passed over by, and `moved`, the last sweep's largest move, are handed from
// call to call: infinite and zero, and infinite at first. So it does not matter in how many calls sweeps are done.
std::tuple<std::int64_t, double, std::int64_t> descend(ConstMatrix S, ConstMatrix P, Matrix W, Matrix B, Matrix passed,
                                                       double tolerance, std::int64_t sweeps, double moved) {
  const Size p = S.shape(0);
  check_square(p, S, P, W, B);
  if (passed.shape(0) != 2 || passed.shape(1) != p) throw nb::value_error("two rows of moves are needed");
  nb::gil_scoped_release release;
  Columns columns(p, S.data(), P.data(), W.data(), W.data(), B.data());
  columns.lasso.passes = kFewPasses;
  Rest rest(passed.data(), passed.data() + p, p);
  const double least = smallest(P.data(), p * p);  // for the precision that is needed
  std::int64_t done = 0, changed = 0;
  while (done < sweeps && moved > tolerance) {
    // A column need not be solved much better than the others are, but W has to stay positive definite.
    const double inner = std::max(0.1 * tolerance, 1e-2 * std::min(moved, least));
    double most = 0.0;
    for (Size j = 0; j < p; ++j) {
      if (rest.passes_over(j, B.data() + j * p, columns.nonzero[j], 0.5 * tolerance)) continue;
      changed += columns.solve(j, inner);
      most = std::max(most, columns.store(j, rest.now.data()));
    }
    rest.next_sweep();
    moved = most;
    ++done;
  }
  return {done, moved, changed};
}

// The lasso of every variable on all others, each on its own: row j of B becomes its slopes. Returns the largest
// breach of a condition for its minimum relative to max(P, least).
double neighbours(ConstMatrix S, ConstMatrix P, Matrix B, double tolerance, double least) {
  const Size p = S.shape(0);
  check_square(p, S, P, B);
  nb::gil_scoped_release release;
  Columns columns(p, S.data(), P.data(), S.data(), nullptr, B.data());
  double worst = 0.0;
  for (Size j = 0; j < p; ++j) {
    columns.solve(j, tolerance);
    const double *s = S.data() + j * p, *q = P.data() + j * p, *b = B.data() + j * p;
    for (Size k = 0; k < p; ++k) {
      const double slope = s[k] - columns.fitted[k];
      const double breach = b[k] != 0.0 ? std::abs(slope - std::copysign(q[k], b[k])) : std::abs(slope) - q[k];
      if (k != j) worst = std::max(worst, breach / std::max(q[k], least));
    }
  }
  return worst;
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
