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

// What a solution is judged by. With E = the change of W = Theta^-1 that puts it into the box |W - S| <= P:
// the largest violation of a condition relative to max(P, least); tr(S Theta); sum P |theta|; tr(Theta E);
// |E|_F; the largest absolute row sum of Theta; the number of nonzero pairs.
std::tuple<double, double, double, double, double, double, std::int64_t> certify(ConstMatrix S, ConstMatrix P,
                                                                                ConstMatrix W, ConstMatrix T,
                                                                                double least) {
  const Size p = S.shape(0);
  check_square(p, S, P, W, T);
  nb::gil_scoped_release release;
  double worst = 0.0, trace = 0.0, norm = 0.0, slack = 0.0, outside = 0.0, longest = 0.0;
  std::int64_t pairs = 0;
  for (Size i = 0; i < p; ++i) {
    double row = 0.0;
    for (Size j = 0; j < p; ++j) {
      const Size x = i * p + j;
      const double s = S.data()[x], q = P.data()[x], w = W.data()[x], t = T.data()[x];
      const double over = std::max(std::abs(w - s) - q, 0.0);  // of the box
      const double moved = std::copysign(over, s - w);
      outside += moved * moved;
      double violation = over;
      if (t != 0.0) {
        violation = std::abs(s - w + (q > 0.0 ? std::copysign(q, t) : 0.0));
        trace += s * t;
        norm += q > 0.0 ? q * std::abs(t) : 0.0;
        slack += t * moved;
        row += std::abs(t);
        pairs += i < j;
      }
      worst = std::max(worst, violation / std::max(q, least));
    }
    longest = std::max(longest, row);
  }
  return {worst, trace, norm, slack, std::sqrt(outside), longest, pairs};
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
  check_square(m, block);
  check_members(members, p);
  nb::gil_scoped_release release;
  for (Size a = 0; a < m; ++a) {
    double* row = to.data() + static_cast<Size>(members.data()[a]) * p;
    for (Size b = 0; b < m; ++b)
      row[members.data()[b]] = block.data()[a * m + b] * (factor.data()[a] * factor.data()[b]);
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
  m.def("glasso_curvature", &arcwise::curvature);
  m.def("glasso_gather", &arcwise::gather);
  m.def("glasso_scatter", &arcwise::scatter);
  m.def("glasso_mirror", &arcwise::mirror);
  m.def("glasso_components", &arcwise::components);
}
