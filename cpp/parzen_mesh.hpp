// Leave-one-out scores of many rows by a mesh: O(n) instead of O(n^2), for up to three columns in all.
//
// A normal kernel of variance h^2 is the convolution of three, of variances s^2, h^2 - 2 s^2 and s^2. So the weights of
// the rows are spread over a mesh by the first, convolved on the mesh by the second, axis after axis, and read off at
// the rows by the third (Greengard and Strain 1991; Greengard and Lee 2004, whose transform stands between). With steps
// d of the mesh and h >= c d two errors remain: what the mesh cannot tell apart, exp(-2 pi^2 (s/d)^2 (1 - s^2/h^2)),
// and what lies outside of the stencil of twelve points, exp(-18 (d/s)^2). Both are about 1e-7 of a row's own weight
// at s = 1.05 d and c = 2.04. Terms are positive, so sums are as exact as that unless a row is nearly alone: those
// below kAlone are summed pair by pair.
#pragma once

#include <array>
#include <span>

#include "parzen_pairs.hpp"

namespace arcwise::parzen {

constexpr std::size_t kAxes = 3;
constexpr std::size_t kStencil = 12;

// A cloud of weighted points on a mesh of one to three axes.
class Cloud {
 public:
  // Where the stencils of all points lie: first places and weights by axis, and the mesh's strides.
  struct Stencils {
    const std::int32_t* first[kAxes];
    const double* weights[kAxes];
    std::size_t stride[kAxes];
    std::size_t n;
  };

  void bind(std::span<const double* const> columns, const double* weights, std::size_t n);  // all must stay

  double cells(const std::array<double, kAxes>& widths) const;  // of the mesh for these widths

  // Lays the mesh fine enough for widths from these on.
  void lay(const std::array<double, kAxes>& least);

  // Sums of w_m exp(-|x - x_m|^2 / 2 h^2) at every point, itself included.
  void sums(const std::array<double, kAxes>& widths, double* out);

 private:
  struct Axis {
    const double* column;
    double low, range;
    double step = 0.0;
    std::size_t count = 0;                // of the mesh
    std::vector<std::int32_t> first;      // of the stencil of each point
    Aligned<double> stencil;              // kStencil weights of each point
  };

  void place(Axis& axis, double step);
  Stencils stencils() const;

  std::size_t n_ = 0, axes_ = 0;
  const double* weights_ = nullptr;
  std::array<Axis, kAxes> axis_;
  Aligned<double> spread_, field_, work_, line_;
};

// The leave-one-out score of a continuous target given up to two continuous inputs.
class Mesh {
 public:
  // False where these rows are no case for a mesh.
  bool bind(const Rows<double>& rows, std::int64_t levels);

  // Whether the mesh for these widths is small enough, and quicker than looking at all pairs.
  bool fits_memory(Widths widths) const;
  bool pays(Widths widths) const;

  double value(Widths widths);

  // With derivatives by the logarithms of the widths, from central differences: along both at once where they are one.
  Curve curve(Widths widths, Freedom freedom);

 private:
  std::array<double, kAxes> by_axis(Widths widths) const;
  void lay(Widths least);
  double score(Widths widths);
  double alone(std::size_t row, Widths widths);

  const Rows<double>* rows_ = nullptr;
  Cloud above_, below_;  // inputs and target; inputs
  double total_ = 0.0, heaviest_ = 0.0;
  std::vector<double> s_, t_;
  Aligned<double> line_, own_;
};

}  // namespace arcwise::parzen
