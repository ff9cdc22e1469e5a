// Scores of linear regressions for many parent sets at once: what regression.hpp computes, in batches.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "arrays.hpp"
#include "regression.hpp"

namespace arcwise {
namespace {

constexpr double kLeverage = 1e-8;

// Refuses a child among its own parents and numbers that are no columns.
void check_set(std::int64_t child, const std::int64_t* set, std::size_t k, std::size_t p) {
  const auto bad = [&](std::int64_t v) { return v < 0 || v >= static_cast<std::int64_t>(p); };
  if (bad(child)) throw nb::index_error("a child is no column of the matrix");
  for (std::size_t i = 0; i < k; ++i) {
    if (bad(set[i])) throw nb::index_error("a parent is no column of the matrix");
    if (set[i] == child) throw nb::value_error("a child cannot be its own parent");
    if (i && set[i] <= set[i - 1]) throw nb::value_error("parents must be sorted, each once");
  }
}

// The same for several sets, before the interpreter is let go.
void check_sets(const std::int64_t* children, std::size_t step, ConstIndices indptr, ConstIndices indices,
                std::size_t p) {
  for (std::size_t r = 0; r + 1 < indptr.shape(0); ++r) {
    const std::int64_t begin = indptr.data()[r];
    const auto k = static_cast<std::size_t>(indptr.data()[r + 1] - begin);
    check_set(children[r * step], indices.data() + begin, k, p);
  }
}

// For each request (child, base): its residual and logdet, and all toggles.
void sweep(ConstMatrix R, ConstIndices children, ConstIndices indptr, ConstIndices indices,
           double tolerance, double floor, Vector own, Vector logdet, Matrix residual, Matrix pivot) {
  check_sets(children.data(), 1, indptr, indices, R.shape(0));
  nb::gil_scoped_release release;
  const std::size_t p = R.shape(0);
  Toggles toggles(R.data(), p, tolerance, floor);
  std::vector<int> base;
  for (std::size_t r = 0; r < children.shape(0); ++r) {
    base.assign(indices.data() + indptr.data()[r], indices.data() + indptr.data()[r + 1]);
    const Single s = toggles(children.data()[r], base, residual.data() + r * p, pivot.data() + r * p);
    own.data()[r] = s.residual;
    logdet.data()[r] = s.logdet;
  }
}

// Residual and logdet of one child for many sets.
void many(ConstMatrix R, std::int64_t child, ConstIndices indptr, ConstIndices indices, double tolerance,
          double floor, Vector residual, Vector logdet) {
  check_sets(&child, 0, indptr, indices, R.shape(0));
  nb::gil_scoped_release release;
  std::vector<double> work;
  for (std::size_t r = 0; r < residual.shape(0); ++r) {
    const std::int64_t begin = indptr.data()[r];
    const auto k = static_cast<std::size_t>(indptr.data()[r + 1] - begin);
    const Single s =
        single(R.data(), R.shape(0), child, indices.data() + begin, k, tolerance, floor, work);
    residual.data()[r] = s.residual;
    logdet.data()[r] = s.logdet;
  }
}

// All subsets of the first `level` candidates: A is the Schur complement of (child, candidates) given
// what is in the set already, child at 0. Taking the last candidate out costs nothing, putting it in
// one rank-one update, so the whole recursion needs about six multiplications a subset.
struct Lattice {
  double tolerance, floor;
  double* residual;
  double* logdet;
  std::size_t stride;
  std::size_t most;
  const double* R;
  std::size_t p;
  const std::vector<std::int64_t>& members;  // child, then candidates
  ConstIndices always;
  std::vector<std::vector<double>> layers;
  std::vector<std::int64_t> set;
  std::vector<double> work;

  void plainly(std::size_t mask) {
    set.assign(always.data(), always.data() + always.shape(0));
    for (std::size_t bit = 0; bit + 1 < stride; ++bit)
      if (mask >> bit & 1) set.push_back(members[bit + 1]);
    std::sort(set.begin(), set.end());
    const Single s = single(R, p, members[0], set.data(), set.size(), tolerance, floor, work);
    residual[mask] = s.residual;
    logdet[mask] = s.logdet;
  }

  void visit(std::size_t level, const double* A, std::size_t mask, std::size_t size, double det) {
    if (level == 0) {
      residual[mask] = size > most ? std::nan("") : std::max(A[0], floor);
      logdet[mask] = det;
      if (size <= most && det + std::log(residual[mask]) < std::log(kSafe)) plainly(mask);
      return;
    }
    visit(level - 1, A, mask, size, det);
    const std::size_t with = mask | (std::size_t{1} << (level - 1));
    const double pivot = A[level * stride + level];
    if (pivot < tolerance) {  // det falls below the bound as well, so the leaves start afresh
      visit(level - 1, A, with, size + 1, det + std::log(tolerance));
      return;
    }
    double* B = layers[level - 1].data();
    const double* last = A + level * stride;
    for (std::size_t i = 0; i < level; ++i) {
      const double factor = last[i] / pivot;
      for (std::size_t j = 0; j <= i; ++j) B[i * stride + j] = A[i * stride + j] - factor * last[j];
    }
    visit(level - 1, B, with, size + 1, det + std::log(pivot));
  }
};

void subsets(ConstMatrix R, std::int64_t child, ConstIndices candidates, ConstIndices always, std::int64_t most,
             double tolerance, double floor, Vector residual, Vector logdet) {
  check_set(child, always.data(), always.shape(0), R.shape(0));
  std::vector<std::int64_t> sorted(candidates.data(), candidates.data() + candidates.shape(0));
  std::sort(sorted.begin(), sorted.end());
  check_set(child, sorted.data(), sorted.size(), R.shape(0));
  nb::gil_scoped_release release;
  const std::size_t p = R.shape(0), c = candidates.shape(0), a = always.shape(0);
  // Schur complement of (child, candidates) given the variables that are always in.
  Factor f(p);
  factorise(f, R.data(), always.data(), a, tolerance);
  std::vector<std::int64_t> members(c + 1);
  members[0] = child;
  std::copy(candidates.data(), candidates.data() + c, members.begin() + 1);
  const std::size_t stride = c + 1;
  std::vector<double> A(stride * stride);
  for (std::size_t i = 0; i < stride; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double value = R.data()[members[i] * static_cast<std::int64_t>(p) + members[j]];
      for (std::size_t m = 0; m < a; ++m)
        value -= f.solved[m * p + static_cast<std::size_t>(members[i])] *
                 f.solved[m * p + static_cast<std::size_t>(members[j])];
      A[i * stride + j] = value;
    }
  }
  Lattice lattice{tolerance, floor,   residual.data(), logdet.data(), stride, static_cast<std::size_t>(most),
                  R.data(),  p,       members,         always,        {},     {},
                  {}};
  lattice.layers.assign(c, std::vector<double>(stride * stride));
  const double passed = f.any_passed ? std::log(tolerance) : 0.0;
  lattice.visit(c, A.data(), 0, a, f.logdet + passed);
}

// Held-out log-likelihood of regressions fitted on training moments. The matrices hold sums of
// products of (1, columns): index 0 is the constant, column x is x + 1.
void folds(ConstCube train, ConstCube test, std::int64_t child, ConstIndices indptr, ConstIndices indices,
           double tolerance, double floor, Vector out) {
  check_sets(&child, 0, indptr, indices, train.shape(1) - 1);
  nb::gil_scoped_release release;
  const std::size_t q = train.shape(1), pieces = train.shape(0);
  const auto y = static_cast<std::size_t>(child) + 1;
  std::vector<double> L, u, beta;
  std::vector<std::size_t> set;
  for (std::size_t r = 0; r < out.shape(0); ++r) {
    set.assign(1, 0);
    for (std::int64_t i = indptr.data()[r]; i < indptr.data()[r + 1]; ++i)
      set.push_back(static_cast<std::size_t>(indices.data()[i]) + 1);
    const std::size_t k = set.size();
    double sum = 0.0;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const double* A = train.data() + piece * q * q;
      const double* T = test.data() + piece * q * q;
      const double n = A[0], m = T[0];
      const double spread = A[y * q + y] - A[y * q] * A[y * q] / n;
      L.assign(k * k, 0.0);
      u.assign(k, 0.0);
      beta.assign(k, 0.0);
      double rss = A[y * q + y];
      for (std::size_t i = 0; i < k; ++i) {
        const double* row = A + set[i] * q;
        double pivot = row[set[i]], value = row[y];
        const double scale_i = i == 0 ? n : row[set[i]] - row[0] * row[0] / n;
        for (std::size_t j = 0; j < i; ++j) {
          if (L[j * k + j] == 0.0) continue;
          double l = row[set[j]];
          for (std::size_t s = 0; s < j; ++s) l -= L[i * k + s] * L[j * k + s];
          l /= L[j * k + j];
          L[i * k + j] = l;
          pivot -= l * l;
          value -= l * u[j];
        }
        if (pivot <= tolerance * scale_i || pivot <= 0.0) {
          for (std::size_t j = 0; j < i; ++j) L[i * k + j] = 0.0;
          continue;
        }
        L[i * k + i] = std::sqrt(pivot);
        u[i] = value / L[i * k + i];
        rss -= u[i] * u[i];
      }
      for (std::size_t i = k; i-- > 0;) {
        if (L[i * k + i] == 0.0) continue;
        double value = u[i];
        for (std::size_t j = i + 1; j < k; ++j) value -= L[j * k + i] * beta[j];
        beta[i] = value / L[i * k + i];
      }
      const double variance = std::max(rss, std::max(floor * spread, 1e-300)) / n;
      double error = T[y * q + y];
      for (std::size_t i = 0; i < k; ++i) {
        double row = -2.0 * T[set[i] * q + y];
        for (std::size_t j = 0; j < k; ++j) row += T[set[i] * q + set[j]] * beta[j];
        error += beta[i] * row;
      }
      sum -= 0.5 * (m * std::log(2.0 * M_PI * variance) + std::max(error, 0.0) / variance);
    }
    out.data()[r] = sum;
  }
}

ARCWISE_CLONES void add_squares(double* out, const double* row, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] += row[i] * row[i];
}

// Leave-one-out log-likelihood of one child for many sets, in closed form. `z` holds the standardised
// columns, one a row, `weights` the rows' weights, n in total, and `lost` the weight v <= w that a row loses
// while it is scored. With u = L^-1 z_B the leverage of that share is h = v (1 + |u|^2) / n, the row's error
// e = z_y - u . (L^-1 R_By), and without the share
//   error e / (1 - h),   variance (RSS - v e^2 / (1 - h)) / (n - v).
void loo(ConstMatrix R, ConstMatrix z, ConstVector weights, ConstVector lost, std::int64_t child,
         ConstIndices indptr, ConstIndices indices, double tolerance, double floor, Vector out) {
  check_sets(&child, 0, indptr, indices, R.shape(0));
  nb::gil_scoped_release release;
  const std::size_t p = R.shape(0), rows = z.shape(1);
  const double* w = weights.data();
  const double* v = lost.data();
  double n = 0.0;
  for (std::size_t i = 0; i < rows; ++i) n += w[i];
  std::vector<double> solved, error(rows), square(rows), L, u;
  for (std::size_t r = 0; r < out.shape(0); ++r) {
    const std::int64_t* base = indices.data() + indptr.data()[r];
    const auto k = static_cast<std::size_t>(indptr.data()[r + 1] - indptr.data()[r]);
    single(R.data(), p, child, base, k, tolerance, floor, L);  // leaves L and u behind
    const double* slope = L.data() + k * k;
    solved.resize(k * rows);
    std::fill(square.begin(), square.end(), 1.0);
    const double* y = z.data() + static_cast<std::size_t>(child) * rows;
    std::copy(y, y + rows, error.begin());
    for (std::size_t i = 0; i < k; ++i) {
      double* own = solved.data() + i * rows;
      if (L[i * k + i] == 0.0) {
        std::fill(own, own + rows, 0.0);  // passed over
        continue;
      }
      const double* column = z.data() + static_cast<std::size_t>(base[i]) * rows;
      std::copy(column, column + rows, own);
      for (std::size_t j = 0; j < i; ++j)
        if (L[i * k + j] != 0.0) subtract_scaled(own, solved.data() + j * rows, L[i * k + j], rows);
      scale(own, 1.0 / L[i * k + i], rows);
      add_squares(square.data(), own, rows);
      subtract_scaled(error.data(), own, slope[i], rows);
    }
    double rss = 0.0, sum = 0.0;
    for (std::size_t i = 0; i < rows; ++i) rss += w[i] * error[i] * error[i];
    for (std::size_t i = 0; i < rows; ++i) {
      const double rest = 1.0 - v[i] * square[i] / n;
      if (rest < kLeverage && w[i] > 0.0) sum = std::nan("");  // no closed form: the face refits
      const double left = std::max(rss - v[i] * error[i] * error[i] / rest, 0.0);
      const double variance = std::max(left / std::max(n - v[i], floor), floor);
      const double off = error[i] / rest;
      sum -= 0.5 * w[i] * (std::log(2.0 * M_PI * variance) + off * off / variance);
    }
    out.data()[r] = sum;
  }
}

}  // namespace
}  // namespace arcwise

void bind_gaussian(nanobind::module_& m) {
  m.def("gaussian_sweep", &arcwise::sweep);
  m.def("gaussian_many", &arcwise::many);
  m.def("gaussian_subsets", &arcwise::subsets);
  m.def("gaussian_folds", &arcwise::folds);
  m.def("gaussian_loo", &arcwise::loo);
}
