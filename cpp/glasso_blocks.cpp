// The graphical lasso around its sweeps: how well a solution holds, curvature for Newton's method, and the
// blocks that a problem falls apart into.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "glasso.hpp"

namespace arcwise {
namespace {

// What a solution is judged by. With E = the change of W that puts it into the box |W - S| <= P: the largest
// violation of a condition relative to max(P, least); tr(S Theta); sum P |theta|; tr(Theta E); |E|_F^2; the
// largest absolute row sum of Theta; the number of nonzero entries beside the diagonal.
struct Judged {
  double worst = 0.0, trace = 0.0, norm = 0.0, slack = 0.0, outside = 0.0, longest = 0.0, entries = 0.0;
};

// One row. Where W is not quite Theta^-1, entry (i, j) of that can be different by the smaller of length_i off_j and
// length_j off_i; it counts as a violation unless the entry is so well inside the box that it stays there.
ARCWISE_CLONES void judge_row(const double* S, const double* P, const double* W, const double* T, double least,
                              const double* length, const double* off, Size i, Size p, Judged& all) {
  const double mine = length[i], own = off[i];
  double worst = all.worst, trace = 0.0, norm = 0.0, slack = 0.0, outside = 0.0, row = 0.0, entries = 0.0;
#pragma omp simd reduction(max : worst) reduction(+ : trace, norm, slack, outside, row, entries)
  for (Size j = 0; j < p; ++j) {
    const double s = S[j], q = P[j], w = W[j], t = T[j];
    const bool on = t != 0.0;
    const double apart = std::abs(w - s), over = apart > q ? apart - q : 0.0;
    const double moved = std::copysign(over, s - w), size = std::abs(t);
    const double unsure = std::min(mine * off[j], length[j] * own);
    const double breach = on ? std::abs(s - w + std::copysign(q, t)) : over;
    const double violation = breach + (on || apart + unsure > q ? unsure : 0.0);
    worst = std::max(worst, violation / std::max(q, least));
    trace += s * t;
    norm += on ? q * size : 0.0;
    slack += t * moved;
    outside += moved * moved;
    row += size;
    entries += on ? 1.0 : 0.0;
  }
  all.worst = worst;
  all.trace += trace;
  all.norm += norm;
  all.slack += slack;
  all.outside += outside;
  all.longest = std::max(all.longest, row);
  all.entries += entries - 1.0;
}

std::tuple<double, double, double, double, double, double, std::int64_t> certify(ConstMatrix S, ConstMatrix P,
                                                                                ConstMatrix W, ConstMatrix T,
                                                                                double least, ConstVector length,
                                                                                ConstVector off) {
  const Size p = S.shape(0);
  check_square(p, S, P, W, T);
  if (length.shape(0) != p || off.shape(0) != p) throw nb::value_error("one number a row is needed");
  nb::gil_scoped_release release;
  Judged all;
  for (Size i = 0; i < p; ++i)
    judge_row(S.data() + i * p, P.data() + i * p, W.data() + i * p, T.data() + i * p, least, length.data(),
              off.data(), i, p, all);
  const auto pairs = static_cast<std::int64_t>(all.entries) / 2;
  return {all.worst, all.trace, all.norm, all.slack, std::sqrt(all.outside), all.longest, pairs};
}

// How far W is from Theta^-1: with E = Theta W - I its trace, the lengths of W's rows, and those of E's columns.
double mismatch(ConstMatrix T, ConstMatrix W, Vector length, Vector off) {
  const Size p = T.shape(0);
  check_square(p, T, W);
  if (length.shape(0) != p || off.shape(0) != p) throw nb::value_error("one number a row is needed");
  nb::gil_scoped_release release;
  std::vector<double> row(p), squares(p, 0.0), weights;
  std::vector<Size> which;
  double trace = 0.0;
  for (Size i = 0; i < p; ++i) {
    which.clear();
    weights.clear();
    for (Size k = 0; k < p; ++k) {
      if (T.data()[i * p + k] == 0.0) continue;
      which.push_back(k);
      weights.push_back(T.data()[i * p + k]);
    }
    std::fill(row.begin(), row.end(), 0.0);
    add_rows(row.data(), W.data(), p, which.data(), weights.data(), which.size());
    row[i] -= 1.0;
    trace += row[i];
    for (Size k = 0; k < p; ++k) squares[k] += row[k] * row[k];
    length.data()[i] = std::sqrt(dot(W.data() + i * p, W.data() + i * p, p));
  }
  for (Size k = 0; k < p; ++k) off.data()[k] = std::sqrt(squares[k]);
  return trace;
}

// Rows of a symmetric sparse matrix that is given by its pairs first <= second.
struct Rows {
  std::vector<Size> start, column;
  std::vector<double> value;

  Rows(Size p, const std::int64_t* first, const std::int64_t* second, const double* values, Size pairs) : start(p + 1) {
    for (Size k = 0; k < pairs; ++k) {
      ++start[first[k] + 1];
      if (first[k] != second[k]) ++start[second[k] + 1];
    }
    for (Size i = 0; i < p; ++i) start[i + 1] += start[i];
    column.resize(start[p]);
    value.resize(start[p]);
    std::vector<Size> next(start.begin(), start.end() - 1);
    for (Size k = 0; k < pairs; ++k) {
      put(next[first[k]]++, second[k], values[k]);
      if (first[k] != second[k]) put(next[second[k]]++, first[k], values[k]);
    }
  }

  void put(Size place, std::int64_t where, double what) {
    column[place] = static_cast<Size>(where);
    value[place] = what;
  }
};

void transpose(std::vector<double>& A, Size p) {
  for (Size i = 0; i < p; i += kTile)
    for (Size j = 0; j <= i; j += kTile)
      for (Size x = i; x < std::min(i + kTile, p); ++x)
        for (Size y = j; y < std::min(j + kTile, x); ++y) std::swap(A[x * p + y], A[y * p + x]);
}

// Entries of M D M on the pairs of D, a symmetric matrix given by its pairs first <= second.
void curvature(ConstMatrix M, ConstIndices first, ConstIndices second, ConstVector values, Vector out) {
  const Size p = M.shape(0), pairs = values.shape(0);
  if (M.shape(1) != p || first.shape(0) != pairs || second.shape(0) != pairs || out.shape(0) != pairs)
    throw nb::value_error("a square matrix and one value a pair are needed");
  for (Size k = 0; k < pairs; ++k)
    if (first.data()[k] < 0 || first.data()[k] > second.data()[k] ||
        second.data()[k] >= static_cast<std::int64_t>(p))
      throw nb::index_error("a pair is outside the matrix, or its larger number comes first");
  nb::gil_scoped_release release;
  const Rows rows(p, first.data(), second.data(), values.data(), pairs);
  std::vector<double> product(p * p, 0.0);  // D M, then its transpose
  for (Size i = 0; i < p; ++i)
    add_rows(product.data() + i * p, M.data(), p, rows.column.data() + rows.start[i],
             rows.value.data() + rows.start[i], rows.start[i + 1] - rows.start[i]);
  transpose(product, p);
  for (Size k = 0; k < pairs; ++k)
    out.data()[k] = dot(M.data() + first.data()[k] * static_cast<std::int64_t>(p),
                        product.data() + second.data()[k] * static_cast<std::int64_t>(p), p);
}

void check_members(ConstIndices members, Size p) {
  for (Size a = 0; a < members.shape(0); ++a)
    if (members.data()[a] < 0 || members.data()[a] >= static_cast<std::int64_t>(p))
      throw nb::index_error("a member is outside the matrix");
}

// Entries of some rows and columns, row a times left[a], column b times right[b].
void gather(ConstMatrix from, ConstIndices members, ConstVector left, ConstVector right, Matrix block) {
  const Size p = from.shape(0), m = members.shape(0);
  check_square(p, from);
  if (left.shape(0) != m || right.shape(0) != m) throw nb::value_error("one factor a member is needed");
  check_square(m, block);
  check_members(members, p);
  nb::gil_scoped_release release;
  for (Size a = 0; a < m; ++a) {
    const double* row = from.data() + static_cast<Size>(members.data()[a]) * p;
    for (Size b = 0; b < m; ++b)
      block.data()[a * m + b] = row[members.data()[b]] * left.data()[a] * right.data()[b];
  }
}

// A block put to its rows and columns, entry (a, b) times factor[a] factor[b].
void scatter(ConstMatrix block, ConstIndices members, ConstVector factor, Matrix to) {
  const Size p = to.shape(0), m = members.shape(0);
  check_square(p, to);
  if (factor.shape(0) != m) throw nb::value_error("one factor a member is needed");
  check_square(m, block);
  check_members(members, p);
  nb::gil_scoped_release release;
  for (Size a = 0; a < m; ++a) {
    double* row = to.data() + static_cast<Size>(members.data()[a]) * p;
    for (Size b = 0; b < m; ++b)
      row[members.data()[b]] = block.data()[a * m + b] * (factor.data()[a] * factor.data()[b]);
  }
}

// V goes back towards S until it is inside the box |V - S| <= P; its diagonal becomes 1.
void box(ConstMatrix S, ConstMatrix P, Matrix V) {
  const Size p = S.shape(0);
  check_square(p, S, P, V);
  nb::gil_scoped_release release;
  double share = 1.0;
  for (Size i = 0; i < p; ++i)
    for (Size j = 0; j < i; ++j) {
      const Size x = i * p + j;
      const double apart = std::abs(V.data()[x] - S.data()[x]);
      if (apart * share > P.data()[x]) share = P.data()[x] / apart;
    }
  for (Size x = 0; x < p * p; ++x) V.data()[x] = S.data()[x] + share * (V.data()[x] - S.data()[x]);
  for (Size i = 0; i < p; ++i) V.data()[i * p + i] = 1.0;
}

// Some rows and columns of V + share (V - U), scaled by factor, put into the box |. - S| <= P; the diagonal becomes 1.
void ahead(ConstMatrix S, ConstMatrix P, ConstMatrix V, ConstMatrix U, ConstIndices members, ConstVector factor,
           double share, Matrix out) {
  const Size p = V.shape(0), m = members.shape(0);
  check_square(p, V, U);
  check_square(m, S, P, out);
  check_members(members, p);
  if (factor.shape(0) != m) throw nb::value_error("one factor a member is needed");
  nb::gil_scoped_release release;
  for (Size a = 0; a < m; ++a) {
    const double* latest = V.data() + static_cast<Size>(members.data()[a]) * p;
    const double* earlier = U.data() + static_cast<Size>(members.data()[a]) * p;
    const double *s = S.data() + a * m, *q = P.data() + a * m;
    double* row = out.data() + a * m;
    for (Size b = 0; b < m; ++b) {
      const double v = latest[members.data()[b]], u = earlier[members.data()[b]];
      const double there = (v + share * (v - u)) * factor.data()[a] * factor.data()[b];
      row[b] = std::min(std::max(there, s[b] - q[b]), s[b] + q[b]);
    }
    row[a] = 1.0;
  }
}

// The lower triangle copied to the upper one.
void mirror(Matrix A) {
  const Size p = A.shape(0);
  check_square(p, A);
  nb::gil_scoped_release release;
  for (Size i = 0; i < p; i += kTile)
    for (Size j = 0; j <= i; j += kTile)
      for (Size x = i; x < std::min(i + kTile, p); ++x)
        for (Size y = j; y < std::min(j + kTile, x); ++y) A.data()[y * p + x] = A.data()[x * p + y];
}

// Components of the graph that joins i and j where |S_ij| > P_ij; P is of S's size or one number.
void components(ConstMatrix S, ConstMatrix P, nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig> labels) {
  const Size p = S.shape(0);
  const bool one = P.shape(0) == 1 && P.shape(1) == 1;
  if (S.shape(1) != p || labels.shape(0) != p || (!one && (P.shape(0) != p || P.shape(1) != p)))
    throw nb::value_error("matrices of one size are needed");
  nb::gil_scoped_release release;
  std::vector<Size> parent(p);
  for (Size i = 0; i < p; ++i) parent[i] = i;
  const auto root = [&](Size i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (Size i = 0; i < p; ++i) {
    Size mine = root(i);
    for (Size j = 0; j < i; ++j) {
      if (!(std::abs(S.data()[i * p + j]) > (one ? P.data()[0] : P.data()[i * p + j]))) continue;
      const Size other = root(j);
      if (other == mine) continue;
      parent[std::max(mine, other)] = std::min(mine, other);
      mine = std::min(mine, other);
    }
  }
  for (Size i = 0; i < p; ++i) labels.data()[i] = static_cast<std::int64_t>(root(i));
}

}  // namespace
}  // namespace arcwise

void bind_glasso_blocks(nanobind::module_& m) {
  m.def("glasso_certify", &arcwise::certify);
  m.def("glasso_mismatch", &arcwise::mismatch);
  m.def("glasso_curvature", &arcwise::curvature);
  m.def("glasso_gather", &arcwise::gather);
  m.def("glasso_scatter", &arcwise::scatter);
  m.def("glasso_ahead", &arcwise::ahead);
  m.def("glasso_box", &arcwise::box);
  m.def("glasso_mirror", &arcwise::mirror);
  m.def("glasso_components", &arcwise::components);
}
