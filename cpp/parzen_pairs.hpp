// All pairs of rows, each looked at once: leave-one-out sums by tiles of the upper triangle.
#pragma once

#include <algorithm>

#include "parzen.hpp"

namespace arcwise::parzen {

// What a caller hands over, checked by the caller.
struct Source {
  const double* columns;  // p x n
  const std::uint8_t* apart;
  const double* weights;
  std::size_t p, n;
};

// The rows of positive weight (or all rows) of some columns; child < 0 for none.
template <class Real>
Rows<Real> gather(const Source& source, std::int64_t child, const std::int64_t* set, std::size_t k, bool all = false);

constexpr std::size_t kKept = 5000;

template <class Real>
class Pairs {
 public:
  // `exact` are the same rows in double precision, for rows whose sums are too small for Real; both must stay.
  // With `keep`, distances of up to kKept rows are kept from one evaluation to the next.
  void bind(const Rows<Real>& rows, const Rows<double>& exact, bool keep);

  // Leave-one-out score of the target, with derivatives by the logarithms of the widths when asked for.
  Curve loo(Widths widths, std::int64_t levels, bool slopes);

  // Mean over rows of log T_n, with its first two derivatives by log width in `in` and `in_in` when asked for.
  Curve joint(double width, bool slopes);

 private:
  void pass(Target target, Widths widths, bool slopes);
  const Real* segment(std::size_t row, std::size_t begin, std::size_t count);
  void row_sums(std::size_t row, double* sums) const;
  Shift redo(Target target, std::size_t row, Widths widths, double* sums);

  const Rows<Real>* rows_ = nullptr;
  const Rows<double>* exact_ = nullptr;
  bool keep_ = false, filled_ = false;
  std::size_t cursor_ = 0;
  Aligned<Real> kept_, line_, own_, tile_;
  Aligned<double> totals_, exact_line_, exact_own_;
};

extern template class Pairs<float>;
extern template class Pairs<double>;

}  // namespace arcwise::parzen
