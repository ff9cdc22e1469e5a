// Parts shared by the loops of conditional Parzen windows: the rows, the sums over a row's pairs, the score.
//
// Target y, inputs B, D(n,m) = sum over j in B of (x_nj - x_mj)^2 (or [x_nj != x_mj] for unordered levels),
// O(n,m) = (y_n - y_m)^2 (or [y_n != y_m] for a discrete target), a = 1/(2 h_in^2), b = 1/(2 h_out^2), weights w:
//
//   T_n = sum_{m != n} w_m exp(-a D)       S_n = sum_{m != n} w_m exp(-a D - b O)
//   L   = sum_n w_n (log S_n - log T_n) / W + normaliser(b)
//
// Nine sums a row give L with its gradient and Hessian: T, TD, TDD, S, SD, SO, SDD, SOO, SDO (TD sums D under the
// weights of T, and so on). Every pair adds the same w_n w_m exp(...) to row n and to row m, so each unordered
// pair is looked at once; the factor w_n falls out of S_n / T_n.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "exp.hpp"

namespace arcwise::parzen {

constexpr std::size_t kSums = 9;
enum Sum : std::size_t { T, TD, TDD, S, SD, SO, SDD, SOO, SDO };

constexpr std::size_t kStep = 8;       // rows are padded to multiples of this
constexpr double kFar = 1e30;          // squared distance that stands for "not a pair"
constexpr double kLog2e = 1.4426950408889634;

inline std::size_t padded(std::size_t n) { return (n + kStep - 1) / kStep * kStep; }

// Vectors aligned alike everywhere, so that sums are taken in the same order wherever memory comes from; places
// that come in by growing are left unset.
template <class Real>
struct Aligner {
  using value_type = Real;
  Aligner() = default;
  template <class Other>
  Aligner(const Aligner<Other>&) {}
  Real* allocate(std::size_t n) {
    return static_cast<Real*>(::operator new(n * sizeof(Real), std::align_val_t{64}));
  }
  void deallocate(Real* p, std::size_t) { ::operator delete(p, std::align_val_t{64}); }
  template <class Other>
  void construct(Other* p) { ::new (static_cast<void*>(p)) Other; }  // growing leaves new places unset
  template <class Other>
  void construct(Other* p, const Other& value) { ::new (static_cast<void*>(p)) Other(value); }
  bool operator==(const Aligner&) const { return true; }
};
template <class Real>
using Aligned = std::vector<Real, Aligner<Real>>;

// What is summed over pairs.
enum class Target { none, continuous, discrete };

// The rows of positive weight: input columns, target and weights (mean 1), padded with rows of weight zero.
template <class Real>
struct Rows {
  std::size_t n = 0, width = 0;
  std::vector<char> apart;
  Aligned<Real> inputs;  // one padded column after another
  Aligned<Real> y, weights;
  bool even = false;  // all weights are 1

  std::size_t k() const { return apart.size(); }
  const Real* column(std::size_t j) const { return inputs.data() + j * width; }
};

// One or two rows against `count` others that lie side by side (count a multiple of kStep, all pointers aligned).
template <class Real>
struct Segment {
  const Real* distance;  // of the first row; those of the second follow
  const Real* y;
  const Real* weights;   // null: all 1, and places that are no rows lie at kFar
  const Real* own_y;     // of the rows themselves, one after the other
  const Real* own_weight;
  Real in, out;          // -log2(e) a and -log2(e) b
  std::size_t count;
  Real* sums;            // kSums of each row, added to
};

// Sums of one row.
void add_row(Target target, bool slopes, const Segment<float>& s);
void add_row(Target target, bool slopes, const Segment<double>& s);

// Sums of two rows, and those of the others: kSums arrays in `columns`, `stride` apart.
void add_rows(Target target, bool slopes, const Segment<float>& s, float* columns, std::size_t stride);
void add_rows(Target target, bool slopes, const Segment<double>& s, double* columns, std::size_t stride);

// Whether a sum is asked for at all.
inline bool needed(Target target, bool slopes, std::size_t sum) {
  return (slopes || sum == T || sum == S) && (target != Target::none || sum < S);
}

// Squared distances of a row (its inputs in `own`) to rows begin..begin+count, columns in sorted order.
void distances(const Rows<float>& rows, const float* own, std::size_t begin, std::size_t count, float* out);
void distances(const Rows<double>& rows, const double* own, std::size_t begin, std::size_t count, double* out);

// to += from, from = 0.
void add_and_clear(float* from, std::size_t count, double* to);
void add_and_clear(double* from, std::size_t count, double* to);

// A mean of row terms, with derivatives by a and b (later by the logarithms of the widths).
struct Curve {
  double value = 0.0, in = 0.0, out = 0.0, in_in = 0.0, in_out = 0.0, out_out = 0.0;
};

struct Widths {
  double in, out;
};

// How the two widths may move.
enum class Freedom { two, one, out_only };

inline double precision(double width) { return 0.5 / (width * width); }

// Adds a row's term from its sums; `shift` is what was taken out of log S - log T.
void add_term(Curve& curve, const double* sums, double weight, double shift, bool slopes);

// Divides by the total weight, adds the normaliser and turns to derivatives by (log h_in, log h_out).
// levels: 0 for a continuous target, else their number.
void finish(Curve& curve, double total, Widths widths, std::int64_t levels);

double normaliser(double width, std::int64_t levels);

// A row's sums in double precision with the greatest exponents taken out of T and of S: finite for any widths.
// Entries at kFar or beyond are no pairs. With a target, D is counted from the row's least, which neither the ratio
// nor its derivatives see.
struct Shift {
  double t, ratio;  // log T = log sums[T] - t, log S - log T = log(sums[S] / sums[T]) - ratio
};
Shift careful(Target target, const double* distance, const double* y, const double* weights, double own_y,
               std::size_t count, Widths widths, double* sums);

inline Target target_of(std::int64_t levels) { return levels ? Target::discrete : Target::continuous; }

}  // namespace arcwise::parzen
