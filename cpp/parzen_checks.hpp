// What the doors of the Parzen kernels refuse, before the interpreter is let go.
#pragma once

#include <cmath>

#include "arrays.hpp"
#include "parzen_pairs.hpp"

namespace arcwise::parzen {

using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ConstTable = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutIndices = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline void check_members(const std::int64_t* set, std::size_t k, std::int64_t child, std::size_t p) {
  for (std::size_t i = 0; i < k; ++i) {
    if (set[i] < 0 || set[i] >= static_cast<std::int64_t>(p)) throw nb::index_error("an input is no column of the table");
    if (set[i] == child) throw nb::value_error("a target cannot be its own input");
    if (i && set[i] <= set[i - 1]) throw nb::value_error("inputs must be sorted, each once");
  }
}

inline void check_sets(ConstIndices indptr, ConstIndices indices, std::int64_t child, std::size_t p) {
  for (std::size_t r = 0; r + 1 < indptr.shape(0); ++r) {
    const std::int64_t begin = indptr.data()[r], end = indptr.data()[r + 1];
    check_members(indices.data() + begin, static_cast<std::size_t>(end - begin), child, p);
  }
}

inline Source source_of(ConstMatrix columns, Flags apart, ConstVector weights) {
  const std::size_t p = columns.shape(0), n = columns.shape(1);
  if (apart.shape(0) != p || weights.shape(0) != n) throw nb::value_error("one flag a column and one weight a row");
  for (std::size_t i = 0; i < p * n; ++i)
    if (!(std::abs(columns.data()[i]) < 1e12)) throw nb::value_error("columns must be finite and standardised");
  std::size_t positive = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(weights.data()[i] >= 0.0 && std::isfinite(weights.data()[i]))) throw nb::value_error("weights must be finite and not negative");
    positive += weights.data()[i] > 0.0;
  }
  if (positive < 2) throw nb::value_error("two rows of positive weight are needed");
  return {columns.data(), apart.data(), weights.data(), p, n};
}

inline void check_child(std::int64_t child, std::int64_t levels, std::size_t p) {
  if (child < 0 || child >= static_cast<std::int64_t>(p)) throw nb::index_error("a target is no column of the table");
  if (levels < 0) throw nb::value_error("levels are 0 (continuous) or their number");
}

inline void check_width(double width) {
  if (!(width > 1e-9 && width < 1e9)) throw nb::value_error("widths must be positive numbers between 1e-9 and 1e9");
}

inline void check_box(double floor, double ceiling) {
  check_width(floor);
  check_width(ceiling);
  if (floor > ceiling) throw nb::value_error("the floor of widths lies above their ceiling");
}

}  // namespace arcwise::parzen
