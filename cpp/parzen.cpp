// Conditional Parzen windows for many input sets at once: scores, widths, and exact scores of single rows.
#include "parzen_checks.hpp"
#include "parzen_fit.hpp"

namespace arcwise::parzen {
namespace {

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
  check_box(floor, ceiling);
  nb::gil_scoped_release release;
  const Box box(floor, ceiling);
  Fitter fitter;
  for (std::size_t r = 0; r < value.shape(0); ++r) {
    const std::int64_t begin = indptr.data()[r];
    const auto k = static_cast<std::size_t>(indptr.data()[r + 1] - begin);
    const Fitted found = fitter.fit(source, child, levels, indices.data() + begin, k, one, box);
    widths.data()[2 * r] = found.widths.in;
    widths.data()[2 * r + 1] = found.widths.out;
    value.data()[r] = found.value;
    evaluations.data()[r] = found.evaluations;
  }
}

// Scores by the mesh; NaN where these columns and widths have none.
void loo_mesh(ConstMatrix columns, Flags apart, ConstVector weights, std::int64_t child, std::int64_t levels,
              ConstIndices indptr, ConstIndices indices, ConstMatrix widths, Vector value) {
  const Source source = source_of(columns, apart, weights);
  check_child(child, levels, source.p);
  check_sets(indptr, indices, child, source.p);
  for (std::size_t i = 0; i < widths.size(); ++i) check_width(widths.data()[i]);
  nb::gil_scoped_release release;
  Mesh mesh;
  for (std::size_t r = 0; r < value.shape(0); ++r) {
    const std::int64_t begin = indptr.data()[r];
    const auto k = static_cast<std::size_t>(indptr.data()[r + 1] - begin);
    const auto rows = gather<double>(source, child, indices.data() + begin, k);
    const Widths at{widths.data()[2 * r], widths.data()[2 * r + 1]};
    value.data()[r] = mesh.bind(rows, levels) && mesh.fits_memory(at) ? mesh.value(at) : NAN;
  }
}

void check_row(std::int64_t row, std::size_t n) {
  if (row < 0 || row >= static_cast<std::int64_t>(n)) throw nb::index_error("a query is no row of the table");
}

// log S - log T of a row against a line in double precision.
double log_ratio(Target target, const double* distance, const double* y, const double* weights, double own_y,
                 std::size_t width, Widths widths) {
  constexpr double least = 1e-280;
  double sums[kSums] = {};
  const double in = -kLog2e * precision(widths.in), out = -kLog2e * precision(widths.out);
  const double one = 1.0;
  add_row(target, false, Segment<double>{distance, y, weights, &own_y, &one, in, out, width, sums});
  double shift = 0.0;
  if (!(sums[T] > least && sums[S] > least))
    shift = careful(target, distance, y, weights, own_y, width, widths, sums).ratio;
  return std::log(sums[S] / sums[T]) - shift;
}

void loo_rows(ConstMatrix columns, Flags apart, ConstVector weights, std::int64_t child, std::int64_t levels,
              ConstIndices set, double h_in, double h_out, ConstIndices queries, Vector out) {
  const Source source = source_of(columns, apart, weights);
  check_child(child, levels, source.p);
  check_members(set.data(), set.shape(0), child, source.p);
  check_width(h_in);
  check_width(h_out);
  for (std::size_t q = 0; q < queries.shape(0); ++q) check_row(queries.data()[q], source.n);
  nb::gil_scoped_release release;
  const Rows<double> rows = gather<double>(source, child, set.data(), set.shape(0), true);
  Aligned<double> line(rows.width), own(rows.k());
  for (std::size_t q = 0; q < queries.shape(0); ++q) {
    const auto row = static_cast<std::size_t>(queries.data()[q]);
    for (std::size_t j = 0; j < rows.k(); ++j) own[j] = rows.column(j)[row];
    distances(rows, own.data(), 0, rows.width, line.data());
    line[row] = kFar;
    out.data()[q] = normaliser(h_out, levels) + log_ratio(target_of(levels), line.data(), rows.y.data(),
                                                           rows.weights.data(), rows.y[row], rows.width, {h_in, h_out});
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
  m.def("parzen_loo_mesh", &arcwise::parzen::loo_mesh);
  m.def("parzen_fit", &arcwise::parzen::fit);
  m.def("parzen_joint", &arcwise::parzen::joint);
  m.def("parzen_loo_rows", &arcwise::parzen::loo_rows);
}
