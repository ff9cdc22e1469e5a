// Conditional Parzen windows for many input sets at once: scores, widths, and models of their neighbours alone.
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "parzen_fit.hpp"

namespace arcwise::parzen {
namespace {

using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ConstTable = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check_members(const std::int64_t* set, std::size_t k, std::int64_t child, std::size_t p) {
  for (std::size_t i = 0; i < k; ++i) {
    if (set[i] < 0 || set[i] >= static_cast<std::int64_t>(p)) throw nb::index_error("an input is no column of the table");
    if (set[i] == child) throw nb::value_error("a target cannot be its own input");
    if (i && set[i] <= set[i - 1]) throw nb::value_error("inputs must be sorted, each once");
  }
}

void check_sets(ConstIndices indptr, ConstIndices indices, std::int64_t child, std::size_t p) {
  for (std::size_t r = 0; r + 1 < indptr.shape(0); ++r) {
    const std::int64_t begin = indptr.data()[r], end = indptr.data()[r + 1];
    check_members(indices.data() + begin, static_cast<std::size_t>(end - begin), child, p);
  }
}

Source source_of(ConstMatrix columns, Flags apart, ConstVector weights) {
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

void check_child(std::int64_t child, std::int64_t levels, std::size_t p) {
  if (child < 0 || child >= static_cast<std::int64_t>(p)) throw nb::index_error("a target is no column of the table");
  if (levels < 0 || levels == 1) throw nb::value_error("levels are 0 (continuous) or two and more");
}

void check_width(double width) {
  if (!(width > 1e-100 && width < 1e100)) throw nb::value_error("widths must be positive numbers");
}

Curve evaluate(const Source& source, std::int64_t child, std::int64_t levels, const std::int64_t* set, std::size_t k,
               Widths widths, bool slopes, bool single) {
  const auto exact = gather<double>(source, child, set, k);
  if (!single) {
    Pairs<double> pairs;
    pairs.bind(exact, exact, false);
    return pairs.loo(widths, levels, slopes);
  }
  const auto rough = gather<float>(source, child, set, k);
  Pairs<float> pairs;
  pairs.bind(rough, exact, false);
  return pairs.loo(widths, levels, slopes);
}

void loo(ConstMatrix columns, Flags apart, ConstVector weights, std::int64_t child, std::int64_t levels,
         ConstIndices indptr, ConstIndices indices, ConstMatrix widths, bool single, Vector value, Matrix gradient,
         Matrix hessian) {
  const Source source = source_of(columns, apart, weights);
  check_child(child, levels, source.p);
  check_sets(indptr, indices, child, source.p);
  for (std::size_t i = 0; i < widths.size(); ++i) check_width(widths.data()[i]);
  nb::gil_scoped_release release;
  for (std::size_t r = 0; r < value.shape(0); ++r) {
    const std::int64_t begin = indptr.data()[r];
    const auto k = static_cast<std::size_t>(indptr.data()[r + 1] - begin);
    const Widths at{widths.data()[2 * r], widths.data()[2 * r + 1]};
    const Curve c = evaluate(source, child, levels, indices.data() + begin, k, at, true, single);
    value.data()[r] = c.value;
    gradient.data()[2 * r] = c.in;
    gradient.data()[2 * r + 1] = c.out;
    hessian.data()[3 * r] = c.in_in;
    hessian.data()[3 * r + 1] = c.in_out;
    hessian.data()[3 * r + 2] = c.out_out;
  }
}

void fit(ConstMatrix columns, Flags apart, ConstVector weights, std::int64_t child, std::int64_t levels,
         ConstIndices indptr, ConstIndices indices, bool one, double floor, double ceiling, Matrix widths, Vector value,
         Vector evaluations) {
  const Source source = source_of(columns, apart, weights);
  check_child(child, levels, source.p);
  check_sets(indptr, indices, child, source.p);
  check_width(floor);
  check_width(ceiling);
  if (floor > ceiling) throw nb::value_error("the floor of widths lies above their ceiling");
  nb::gil_scoped_release release;
  const Box box{std::log(floor), std::log(ceiling)};
  Fitter fitter;
  for (std::size_t r = 0; r < value.shape(0); ++r) {
    const std::int64_t begin = indptr.data()[r];
    const auto k = static_cast<std::size_t>(indptr.data()[r + 1] - begin);
    const Fitted found = fitter.fit(source, child, levels, indices.data() + begin, k, one, box);
    widths.data()[2 * r] = std::clamp(found.widths.in, floor, ceiling);
    widths.data()[2 * r + 1] = std::clamp(found.widths.out, floor, ceiling);
    value.data()[r] = found.value;
    evaluations.data()[r] = found.evaluations;
  }
}

void joint(ConstMatrix columns, Flags apart, ConstVector weights, ConstIndices indptr, ConstIndices indices,
           double width, bool slopes, Vector value, Vector slope, Vector bend) {
  const Source source = source_of(columns, apart, weights);
  check_sets(indptr, indices, -1, source.p);
  check_width(width);
  nb::gil_scoped_release release;
  Pairs<double> pairs;
  double total = 0.0, rows = 0.0;
  for (std::size_t i = 0; i < source.n; ++i) total += source.weights[i], rows += source.weights[i] > 0.0;
  for (std::size_t r = 0; r < value.shape(0); ++r) {
    const std::int64_t begin = indptr.data()[r];
    const auto k = static_cast<std::size_t>(indptr.data()[r + 1] - begin);
    const auto exact = gather<double>(source, -1, indices.data() + begin, k);
    pairs.bind(exact, exact, false);
    const Curve c = pairs.joint(width, slopes);
    value.data()[r] = c.value + std::log(total / rows);
    slope.data()[r] = c.in;
    bend.data()[r] = c.in_in;
  }
}

}  // namespace
}  // namespace arcwise::parzen

void bind_parzen(nanobind::module_& m) {
  m.def("parzen_loo", &arcwise::parzen::loo);
  m.def("parzen_fit", &arcwise::parzen::fit);
  m.def("parzen_joint", &arcwise::parzen::joint);
}
