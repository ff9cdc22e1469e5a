// Some rows of many: exact scores of a sample of rows, and widths from each row's nearest neighbours alone.
#include "parzen_checks.hpp"
#include "parzen_fit.hpp"

namespace arcwise::parzen {
namespace {

constexpr std::size_t kRoughLines = 512;
constexpr double kRough = 1e-2, kLast = 2e-5;  // gains of the last steps, on some lines and on all

void check_row(std::int64_t row, std::size_t n) {
  if (row < 0 || row >= static_cast<std::int64_t>(n)) throw nb::index_error("a query is no row of the table");
}

// log S - log T of a row against a line in double precision.
double log_ratio(Target target, const double* distance, const double* y, const double* weights, double own_y,
                 std::size_t width, Widths widths) {
  constexpr double least = 1e-280;
  double sums[kSums] = {};
  const double in = -kLog2e * precision(widths.in), out = -kLog2e * precision(widths.out);
  add_segment(target, false, Segment<double>{distance, y, weights, own_y, 1.0, in, out, width, sums, nullptr, 0});
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

// Rows with their neighbours, one line at a time.
struct Near {
  const Source& source;
  const std::int64_t *queries, *neighbours;
  std::size_t count, k, width;
  const std::int64_t* set;
  std::size_t inputs;
  std::int64_t child;

  // Writes the distances, targets and weights of a query's neighbours.
  void line(std::size_t q, double* distance, double* y, double* weights) const {
    const std::int64_t* others = neighbours + q * k;
    for (std::size_t i = 0; i < width; ++i) {
      distance[i] = 0.0;
      y[i] = i < k ? at(child, others[i]) : 0.0;
      weights[i] = i < k ? source.weights[others[i]] : 0.0;
    }
    for (std::size_t j = 0; j < inputs; ++j) {
      const double own = at(set[j], queries[q]);
      for (std::size_t i = 0; i < k; ++i) {
        const double off = at(set[j], others[i]) - own;
        distance[i] += source.apart[set[j]] ? (off != 0.0 ? 1.0 : 0.0) : off * off;
      }
    }
  }
  double at(std::int64_t column, std::int64_t row) const {
    return source.columns[static_cast<std::size_t>(column) * source.n + static_cast<std::size_t>(row)];
  }
};

void check_neighbours(const Near& near) {
  for (std::size_t q = 0; q < near.count; ++q) {
    check_row(near.queries[q], near.source.n);
    bool some = false;
    for (std::size_t i = 0; i < near.k; ++i) {
      const std::int64_t other = near.neighbours[q * near.k + i];
      check_row(other, near.source.n);
      if (other == near.queries[q]) throw nb::value_error("a row cannot be its own neighbour");
      some = some || near.source.weights[other] > 0.0;
    }
    if (!some) throw nb::value_error("every query needs a neighbour of positive weight");
  }
}

Lines lines_of(const Near& near) {
  Lines lines;
  lines.clear(near.count, near.k);
  lines.y_stride = lines.weights_stride = lines.width;
  lines.y.resize(lines.count * lines.width);
  lines.weights.resize(lines.count * lines.width);
  Aligned<double> d(near.width), y(near.width), w(near.width);
  for (std::size_t q = 0; q < near.count; ++q) {
    near.line(q, d.data(), y.data(), w.data());
    const auto cast = [&](const Aligned<double>& from, Aligned<float>& to) {
      for (std::size_t i = 0; i < near.width; ++i) to[q * near.width + i] = static_cast<float>(from[i]);
    };
    cast(d, lines.distance), cast(y, lines.y), cast(w, lines.weights);
    lines.counted_from_least(q);
    lines.own_y.push_back(static_cast<float>(near.at(near.child, near.queries[q])));
    lines.own_weight.push_back(near.source.weights[near.queries[q]]);
  }
  return lines;
}

double value_of(const Near& near, Widths widths, std::int64_t levels) {
  Aligned<double> d(near.width), y(near.width), w(near.width);
  double sum = 0.0, total = 0.0;
  for (std::size_t q = 0; q < near.count; ++q) {
    near.line(q, d.data(), y.data(), w.data());
    const double weight = near.source.weights[near.queries[q]];
    sum += weight * log_ratio(target_of(levels), d.data(), y.data(), w.data(), near.at(near.child, near.queries[q]),
                              near.width, widths);
    total += weight;
  }
  return sum / total + normaliser(widths.out, levels);
}

void fit_near(ConstMatrix columns, Flags apart, ConstVector weights, std::int64_t child, std::int64_t levels,
              ConstIndices set, ConstIndices queries, ConstTable neighbours, bool one, double floor, double ceiling,
              Matrix widths, Vector value, Vector evaluations) {
  const Source source = source_of(columns, apart, weights);
  check_child(child, levels, source.p);
  check_members(set.data(), set.shape(0), child, source.p);
  check_box(floor, ceiling);
  const std::size_t k = neighbours.shape(1);
  const Near near{source, queries.data(), neighbours.data(), queries.shape(0), k, padded(k),
                  set.data(), set.shape(0), child};
  if (neighbours.shape(0) != near.count || !near.count || !k) throw nb::value_error("one line of neighbours a query");
  check_neighbours(near);
  nb::gil_scoped_release release;
  const Box box(floor, ceiling);
  const Lines lines = lines_of(near);
  const Freedom freedom = near.inputs == 0 ? Freedom::out_only : one ? Freedom::one : Freedom::two;
  const std::size_t step = std::max<std::size_t>(1, near.count / kRoughLines);
  Climb found{{1.0, 1.0}, {}, 0};
  int used = 0;
  for (const Widths start : peaks(lines, levels, freedom, box, starts_for(near.count))) {
    const Climb rough = climb([&](Widths w) { return lines.loo(w, levels, true, step); }, start, freedom, box, kRough);
    const Climb next = climb([&](Widths w) { return lines.loo(w, levels, true); }, rough.widths, freedom, box, kLast);
    if (!used || next.curve.value > found.curve.value) found = next;
    used += next.evaluations;
  }
  settle_widths(found.widths, freedom, one, box);
  widths.data()[0] = found.widths.in;
  widths.data()[1] = found.widths.out;
  value.data()[0] = value_of(near, found.widths, levels);
  evaluations.data()[0] = used;
}

}  // namespace
}  // namespace arcwise::parzen

void bind_parzen_near(nanobind::module_& m) {
  m.def("parzen_loo_rows", &arcwise::parzen::loo_rows);
  m.def("parzen_fit_near", &arcwise::parzen::fit_near);
}
