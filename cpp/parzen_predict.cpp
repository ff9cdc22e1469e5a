// A fitted conditional Parzen window at new inputs: weights of the centres, densities, moments, draws.
//
// Distances are taken in double precision and the least one of a query is subtracted before exponentiating, so
// evidence far from all centres is ruled by the nearest ones and nothing is ever 0 / 0.
#include <algorithm>

#include "parzen_checks.hpp"

namespace arcwise::parzen {
namespace {

constexpr std::size_t kChunk = 16;

// The centres of a model, padded with centres of weight zero.
Rows<double> centres(ConstMatrix inputs, Flags apart, ConstVector weights) {
  const std::size_t k = inputs.shape(0), n = inputs.shape(1);
  if (apart.shape(0) != k || weights.shape(0) != n) throw nb::value_error("one flag an input and one weight a centre");
  Rows<double> rows;
  rows.n = n;
  rows.width = (n + kChunk - 1) / kChunk * kChunk;
  rows.inputs.assign(k * rows.width, 0.0);
  rows.weights.assign(rows.width, 0.0);
  double greatest = 0.0;
  for (std::size_t i = 0; i < n; ++i) greatest = std::max(greatest, weights.data()[i]);
  if (!(greatest > 0.0 && std::isfinite(greatest))) throw nb::value_error("a centre of positive weight is needed");
  for (std::size_t i = 0; i < n; ++i) rows.weights[i] = weights.data()[i] / greatest;
  for (std::size_t j = 0; j < k; ++j) {
    rows.apart.push_back(static_cast<char>(apart.data()[j] != 0));
    std::copy(inputs.data() + j * n, inputs.data() + (j + 1) * n, rows.inputs.data() + j * rows.width);
  }
  return rows;
}

void check_queries(ConstMatrix queries, std::size_t k, std::size_t asked) {
  if (queries.shape(0) != k) throw nb::value_error("a query has one value for each input");
  if (queries.shape(1) != asked) throw nb::value_error("as many answers as queries");
  for (std::size_t i = 0; i < queries.size(); ++i)
    if (!std::isfinite(queries.data()[i])) throw nb::value_error("queries must be finite");
}

// Puts centres of weight zero out of reach and returns the least distance of the others.
ARCWISE_CLONES double reach(const double* weights, std::size_t width, double* distance) {
  double least = kFar;
#pragma omp simd reduction(min : least)
  for (std::size_t i = 0; i < width; ++i) {
    const double d = weights[i] > 0.0 ? distance[i] : kFar;
    distance[i] = d;
    least = d < least ? d : least;
  }
  return least;
}

ARCWISE_CLONES void weigh(const double* weights, const double* distance, double least, double scale, std::size_t width,
                          double* out) {
#pragma omp simd
  for (std::size_t i = 0; i < width; ++i) out[i] = weights[i] * power_of_two(scale * (distance[i] - least));
}

ARCWISE_CLONES void weigh(const float* weights, const double* distance, double least, double scale, std::size_t width,
                          float* out) {
#pragma omp simd
  for (std::size_t i = 0; i < width; ++i)
    out[i] = weights[i] * power_of_two(static_cast<float>(scale * (distance[i] - least)));
}

ARCWISE_CLONES double total(const double* values, std::size_t width) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < width; ++i) sum += values[i];
  return sum;
}

ARCWISE_CLONES void chunk_totals(const float* values, std::size_t chunks, float* out) {
  for (std::size_t c = 0; c < chunks; ++c) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < kChunk; ++i) sum += values[c * kChunk + i];
    out[c] = sum;
  }
}

// A model at one query after the other: distances, their least, and the weights of the centres.
struct Query {
  const Rows<double>& rows;
  ConstMatrix queries;
  Aligned<double> own, distance, weight;
  double least = 0.0;

  Query(const Rows<double>& r, ConstMatrix q)
      : rows(r), queries(q), own(r.k()), distance(r.width), weight(r.width) {}

  void look(std::size_t q) {
    for (std::size_t j = 0; j < rows.k(); ++j) own[j] = queries.data()[j * queries.shape(1) + q];
    distances(rows, own.data(), 0, rows.width, distance.data());
    least = reach(rows.weights.data(), rows.width, distance.data());
  }
  // Weights relative to the nearest centre's, and their sum.
  double weigh_all(double width) {
    weigh(rows.weights.data(), distance.data(), least, -kLog2e * precision(width), rows.width, weight.data());
    return total(weight.data(), rows.width);
  }
};

void shares(ConstMatrix inputs, Flags apart, ConstVector weights, ConstMatrix queries, double width, Matrix out) {
  const Rows<double> rows = centres(inputs, apart, weights);
  check_queries(queries, rows.k(), out.shape(0));
  check_width(width);
  nb::gil_scoped_release release;
  Query query(rows, queries);
  for (std::size_t q = 0; q < out.shape(0); ++q) {
    query.look(q);
    const double sum = query.weigh_all(width);
    for (std::size_t i = 0; i < rows.n; ++i) out.data()[q * rows.n + i] = query.weight[i] / sum;
  }
}

void means(ConstMatrix inputs, Flags apart, ConstVector weights, ConstVector output, ConstMatrix queries, double width,
           Vector mean, Vector variance) {
  const Rows<double> rows = centres(inputs, apart, weights);
  check_queries(queries, rows.k(), mean.shape(0));
  check_width(width);
  if (output.shape(0) != rows.n) throw nb::value_error("one output a centre");
  nb::gil_scoped_release release;
  Query query(rows, queries);
  for (std::size_t q = 0; q < mean.shape(0); ++q) {
    query.look(q);
    const double sum = query.weigh_all(width);
    double first = 0.0, second = 0.0;
    for (std::size_t i = 0; i < rows.n; ++i) first += query.weight[i] * output.data()[i];
    first /= sum;
    for (std::size_t i = 0; i < rows.n; ++i) {
      const double off = output.data()[i] - first;
      second += query.weight[i] * off * off;
    }
    mean.data()[q] = first;
    variance.data()[q] = second / sum;
  }
}

// a (d - nearest) + b o for every centre, and the least of them.
ARCWISE_CLONES double least_cost(const double* distance, double nearest, const double* apart, double a, double b,
                               std::size_t width, double* cost) {
  double least = INFINITY;
#pragma omp simd reduction(min : least)
  for (std::size_t i = 0; i < width; ++i) {
    const double c = a * (distance[i] - nearest) + b * apart[i];
    cost[i] = c;
    least = c < least ? c : least;
  }
  return least;
}

// Squared distances of a target to the centres', or whether its level differs.
ARCWISE_CLONES void targets(const double* y, double at, bool discrete, std::size_t width, double* out) {
  if (discrete) {
    for (std::size_t i = 0; i < width; ++i) out[i] = y[i] != at ? 1.0 : 0.0;
  } else {
    for (std::size_t i = 0; i < width; ++i) out[i] = (y[i] - at) * (y[i] - at);
  }
}

void log_density(ConstMatrix inputs, Flags apart, ConstVector weights, ConstVector output, std::int64_t levels,
                 ConstMatrix queries, ConstVector y, double h_in, double h_out, Vector out) {
  const Rows<double> rows = centres(inputs, apart, weights);
  check_queries(queries, rows.k(), y.shape(0));
  check_width(h_in);
  check_width(h_out);
  if (output.shape(0) != rows.n) throw nb::value_error("one output a centre");
  for (std::size_t i = 0; i < y.shape(0); ++i)
    if (!std::isfinite(y.data()[i])) throw nb::value_error("targets must be finite");
  if (levels < 0) throw nb::value_error("levels are 0 (continuous) or their number");
  nb::gil_scoped_release release;
  Aligned<double> values(rows.width, 0.0), off(rows.width), cost(rows.width);
  std::copy(output.data(), output.data() + rows.n, values.begin());
  Query query(rows, queries);
  const double a = precision(h_in), b = precision(h_out), constant = normaliser(h_out, levels);
  for (std::size_t q = 0; q < y.shape(0); ++q) {
    query.look(q);
    const double below = query.weigh_all(h_in);
    targets(values.data(), y.data()[q], levels > 0, rows.width, off.data());
    const double least = least_cost(query.distance.data(), query.least, off.data(), a, b, rows.width, cost.data());
    weigh(rows.weights.data(), cost.data(), least, -kLog2e, rows.width, query.weight.data());
    out.data()[q] = std::log(total(query.weight.data(), rows.width) / below) - least + constant;
  }
}

// The first place where the running sum of `values` passes `goal`; the last that has any weight if none does.
std::size_t pick(const float* values, const float* chunks, std::size_t count, float goal) {
  std::size_t c = 0, last = 0;
  for (; c + 1 < count && goal >= chunks[c]; ++c) goal -= chunks[c];
  for (std::size_t i = c * kChunk; i < (c + 1) * kChunk; ++i) {
    if (!(values[i] > 0.0f)) continue;
    last = i;
    if (goal < values[i]) return i;
    goal -= values[i];
  }
  if (values[last] > 0.0f) return last;
  for (std::size_t i = count * kChunk; i-- > 0;)  // rounding led past the end
    if (values[i] > 0.0f) return i;
  return 0;
}

void draw(ConstMatrix inputs, Flags apart, ConstVector weights, ConstMatrix queries, ConstVector uniforms, double width,
          OutIndices out) {
  const Rows<double> rows = centres(inputs, apart, weights);
  check_queries(queries, rows.k(), uniforms.shape(0));
  check_width(width);
  nb::gil_scoped_release release;
  const std::size_t chunks = rows.width / kChunk;
  Aligned<float> light(rows.weights.begin(), rows.weights.end()), values(rows.width), sums(chunks);
  Query query(rows, queries);
  const double scale = -kLog2e * precision(width);
  for (std::size_t q = 0; q < uniforms.shape(0); ++q) {
    query.look(q);
    weigh(light.data(), query.distance.data(), query.least, scale, rows.width, values.data());
    chunk_totals(values.data(), chunks, sums.data());
    float sum = 0.0f;
    for (std::size_t c = 0; c < chunks; ++c) sum += sums[c];
    out.data()[q] = static_cast<std::int64_t>(
        pick(values.data(), sums.data(), chunks, static_cast<float>(uniforms.data()[q]) * sum));
  }
}

}  // namespace
}  // namespace arcwise::parzen

void bind_parzen_predict(nanobind::module_& m) {
  m.def("parzen_shares", &arcwise::parzen::shares);
  m.def("parzen_means", &arcwise::parzen::means);
  m.def("parzen_log_density", &arcwise::parzen::log_density);
  m.def("parzen_draw", &arcwise::parzen::draw);
}
