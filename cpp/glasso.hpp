// What the loops of the graphical lasso share: sums of rows, products, checks of shapes.
#pragma once

#include <cstddef>

#include "arrays.hpp"

namespace arcwise {
namespace {

using Size = std::size_t;

// Rows or columns of a tile when two triangles are made equal: a tile of each stays in the first cache.
constexpr Size kTile = 32;

// out += sum_k weights[k] row(which[k]), four rows a pass.
ARCWISE_CLONES void add_rows(double* out, const double* matrix, Size p, const Size* which, const double* weights,
                             Size count) {
  Size k = 0;
  for (; k + 4 <= count; k += 4) {
    const double* a = matrix + which[k] * p;
    const double* b = matrix + which[k + 1] * p;
    const double* c = matrix + which[k + 2] * p;
    const double* d = matrix + which[k + 3] * p;
    const double u = weights[k], v = weights[k + 1], w = weights[k + 2], z = weights[k + 3];
    for (Size x = 0; x < p; ++x) out[x] += u * a[x] + v * b[x] + w * c[x] + z * d[x];
  }
  for (; k < count; ++k) {
    const double* a = matrix + which[k] * p;
    const double u = weights[k];
    for (Size x = 0; x < p; ++x) out[x] += u * a[x];
  }
}

ARCWISE_CLONES double dot(const double* a, const double* b, Size n) {
  double part[8] = {};
  Size x = 0;
  for (; x + 8 <= n; x += 8)
    for (Size lane = 0; lane < 8; ++lane) part[lane] += a[x + lane] * b[x + lane];
  double sum = ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
  for (; x < n; ++x) sum += a[x] * b[x];
  return sum;
}

template <typename... Matrices>
void check_square(Size p, const Matrices&... matrices) {
  if (!((matrices.shape(0) == p && matrices.shape(1) == p) && ...))
    throw nb::value_error("square matrices of one size are needed");
}

}  // namespace
}  // namespace arcwise
