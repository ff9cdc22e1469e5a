#include "parzen_mesh.hpp"

namespace arcwise::parzen {
namespace {

using Stencils = Cloud::Stencils;

constexpr double kSpread = 1.05;     // s, in steps
constexpr double kFine = 2.04;       // least width, in steps
constexpr double kReach = 5.7;       // of the kernel on the mesh, in its standard deviations: exp(-16)
constexpr double kMostCells = 4e6;   // 32 MB
constexpr double kAlone = 0.02;      // sums of other rows below this, in the largest weight, are taken pair by pair
constexpr double kUneven = 16.0;     // largest weight, in mean weights: beyond, light rows beside heavy ones are lost
constexpr double kAside = 0.05;      // steps of central differences, in logarithms of widths
constexpr double kCellsPerPair = 0.005;  // beyond, looking at all pairs is quicker

// Steps are powers of the square root of 2, so that widths nearby share a mesh.
double step_for(double width) { return std::exp2(0.5 * std::floor(2.0 * std::log2(width / kFine))); }

std::size_t count_for(double range, double step) { return static_cast<std::size_t>(range / step) + kStencil; }

// The stencils of all points on one axis: exp(-(distance in steps)^2 / 2 s^2).
ARCWISE_CLONES void place_all(const double* column, std::size_t n, double low, double step, std::int32_t* first,
                              double* stencil) {
  constexpr double bend = -0.5 * kLog2e / (kSpread * kSpread), before = 0.5 * kStencil - 1.0;
  for (std::size_t row = 0; row < n; ++row, stencil += kStencil) {
    const double at = (column[row] - low) / step, whole = std::floor(at), part = at - whole + before;
    first[row] = static_cast<std::int32_t>(whole);
#pragma omp simd
    for (std::size_t i = 0; i < kStencil; ++i) {
      const double off = static_cast<double>(static_cast<std::int32_t>(i)) - part;
      stencil[i] = power_of_two(bend * off * off);
    }
  }
}

// out[i] = sum over t of taps[t] in[i + t - reach], along lines of `count` values side by side.
ARCWISE_CLONES void convolve_lines(const double* in, std::size_t lines, std::size_t count, std::span<const double> taps,
                                   double* padded_line, double* out) {
  const std::size_t reach = taps.size() / 2;
  std::fill_n(padded_line, reach, 0.0);
  std::fill_n(padded_line + reach + count, reach, 0.0);
  for (std::size_t l = 0; l < lines; ++l, in += count, out += count) {
    std::copy_n(in, count, padded_line + reach);
    std::fill_n(out, count, 0.0);
    for (std::size_t t = 0; t < taps.size(); ++t) {
      const double tap = taps[t];
      const double* from = padded_line + t;
#pragma omp simd
      for (std::size_t i = 0; i < count; ++i) out[i] += tap * from[i];
    }
  }
}

// The same along an axis whose neighbours lie `stride` apart.
ARCWISE_CLONES void convolve_across(const double* in, std::size_t blocks, std::size_t count, std::size_t stride,
                                    std::span<const double> taps, double* out) {
  const std::size_t reach = taps.size() / 2;
  for (std::size_t b = 0; b < blocks; ++b, in += count * stride, out += count * stride) {
    for (std::size_t i = 0; i < count; ++i) {
      double* to = out + i * stride;
      std::fill_n(to, stride, 0.0);
      const std::size_t first = i > reach ? i - reach : 0, last = std::min(i + reach, count - 1);
      for (std::size_t m = first; m <= last; ++m) {
        const double tap = taps[m + reach - i];
        const double* from = in + m * stride;
#pragma omp simd
        for (std::size_t j = 0; j < stride; ++j) to[j] += tap * from[j];
      }
    }
  }
}

// One place of a stencil's outer axes: its weight, and where its line begins.
template <std::size_t axes>
ARCWISE_INLINE std::size_t line_of(const double* const* stencil, const std::size_t* stride, std::size_t place,
                                   double& weight) {
  if constexpr (axes == 1) return weight = 1.0, 0;
  if constexpr (axes == 2) return weight = stencil[0][place], place * stride[0];
  const std::size_t a = place / kStencil, b = place % kStencil;
  return weight = stencil[0][a] * stencil[1][b], a * stride[0] + b * stride[1];
}

template <std::size_t axes>
constexpr std::size_t kPlaces = axes == 1 ? 1 : axes == 2 ? kStencil : kStencil * kStencil;

template <std::size_t axes>
ARCWISE_INLINE double read_point(const double* field, const double* const* stencil, const std::size_t* stride) {
  double sums[kStencil] = {};
  for (std::size_t place = 0; place < kPlaces<axes>; ++place) {
    double weight;
    const double* line = field + line_of<axes>(stencil, stride, place, weight);
#pragma omp simd
    for (std::size_t i = 0; i < kStencil; ++i) sums[i] += weight * line[i];
  }
  double total = 0.0;
  for (std::size_t i = 0; i < kStencil; ++i) total += sums[i] * stencil[axes - 1][i];
  return total;
}

template <std::size_t axes>
ARCWISE_INLINE void spread_point(double* field, double own, const double* const* stencil, const std::size_t* stride) {
  double last[kStencil];
  for (std::size_t i = 0; i < kStencil; ++i) last[i] = own * stencil[axes - 1][i];
  for (std::size_t place = 0; place < kPlaces<axes>; ++place) {
    double weight;
    double* line = field + line_of<axes>(stencil, stride, place, weight);
#pragma omp simd
    for (std::size_t i = 0; i < kStencil; ++i) line[i] += weight * last[i];
  }
}

template <std::size_t axes>
ARCWISE_INLINE std::size_t corner(const Stencils& at, std::size_t row, const double** stencil) {
  std::size_t begin = 0;
  for (std::size_t a = 0; a < axes; ++a) {
    stencil[a] = at.weights[a] + row * kStencil;
    begin += static_cast<std::size_t>(at.first[a][row]) * at.stride[a];
  }
  return begin;
}

template <std::size_t axes>
ARCWISE_INLINE void read_all(const Stencils& at, const double* field, double* out) {
  const double* stencil[kAxes];
  for (std::size_t row = 0; row < at.n; ++row) {
    const std::size_t begin = corner<axes>(at, row, stencil);
    out[row] = read_point<axes>(field + begin, stencil, at.stride);
  }
}

template <std::size_t axes>
ARCWISE_INLINE void spread_all(const Stencils& at, const double* weights, double* field) {
  const double* stencil[kAxes];
  for (std::size_t row = 0; row < at.n; ++row) {
    const std::size_t begin = corner<axes>(at, row, stencil);
    spread_point<axes>(field + begin, weights[row], stencil, at.stride);
  }
}

ARCWISE_CLONES void read(std::size_t axes, const Stencils& at, const double* field, double* out) {
  if (axes == 1) read_all<1>(at, field, out);
  else if (axes == 2) read_all<2>(at, field, out);
  else read_all<3>(at, field, out);
}

ARCWISE_CLONES void spread(std::size_t axes, const Stencils& at, const double* weights, double* field) {
  if (axes == 1) spread_all<1>(at, weights, field);
  else if (axes == 2) spread_all<2>(at, weights, field);
  else spread_all<3>(at, weights, field);
}

// A normal kernel with this standard deviation, in steps, scaled so that spread, taps and reading make exp(-r^2 / 2h^2).
std::vector<double> taps_for(double width, double step) {
  const double h = width / step, own = std::sqrt(h * h - 2.0 * kSpread * kSpread);
  const auto reach = static_cast<std::ptrdiff_t>(std::ceil(kReach * own));
  const double scale = h / (kSpread * kSpread * own * 2.0 * M_PI);
  std::vector<double> taps;
  for (std::ptrdiff_t i = -reach; i <= reach; ++i)
    taps.push_back(scale * std::exp(-0.5 * static_cast<double>(i * i) / (own * own)));
  return taps;
}

}  // namespace

void Cloud::bind(std::span<const double* const> columns, const double* weights, std::size_t n) {
  n_ = n;
  axes_ = columns.size();
  weights_ = weights;
  for (std::size_t a = 0; a < axes_; ++a) {
    const auto [low, high] = std::minmax_element(columns[a], columns[a] + n);
    axis_[a].column = columns[a];
    axis_[a].low = *low;
    axis_[a].range = *high - *low;
    axis_[a].step = 0.0;
  }
}

double Cloud::cells(const std::array<double, kAxes>& widths) const {
  double found = 1.0;
  for (std::size_t a = 0; a < axes_; ++a) found *= axis_[a].range / step_for(widths[a]) + kStencil;
  return found;
}

void Cloud::place(Axis& axis, double step) {
  axis.step = step;
  axis.count = count_for(axis.range, step);
  axis.first.resize(n_);
  axis.stencil.resize(n_ * kStencil);
  place_all(axis.column, n_, axis.low, step, axis.first.data(), axis.stencil.data());
}

Cloud::Stencils Cloud::stencils() const {
  Stencils found{};
  found.n = n_;
  std::size_t stride = 1;
  for (std::size_t a = axes_; a-- > 0; stride *= axis_[a].count) {
    found.first[a] = axis_[a].first.data();
    found.weights[a] = axis_[a].stencil.data();
    found.stride[a] = stride;
  }
  return found;
}

void Cloud::lay(const std::array<double, kAxes>& least) {
  bool changed = false;
  for (std::size_t a = 0; a < axes_; ++a) {
    const double step = step_for(least[a]);
    if (step == axis_[a].step) continue;
    place(axis_[a], step);
    changed = true;
  }
  if (!changed) return;
  std::size_t cells = 1;
  for (std::size_t a = 0; a < axes_; ++a) cells *= axis_[a].count;
  spread_.assign(cells, 0.0);
  spread(axes_, stencils(), weights_, spread_.data());
}

void Cloud::sums(const std::array<double, kAxes>& widths, double* out) {
  const Stencils at = stencils();
  const std::size_t cells = spread_.size();
  field_.resize(cells);
  work_.resize(cells);
  const double* from = spread_.data();
  for (std::size_t a = 0; a < axes_; ++a) {
    const std::vector<double> taps = taps_for(widths[a], axis_[a].step);
    const std::size_t count = axis_[a].count, stride = at.stride[a];
    double* const to = a % 2 ? work_.data() : field_.data();
    if (stride > 1) {
      convolve_across(from, cells / (count * stride), count, stride, taps, to);
    } else {
      line_.resize(count + taps.size());
      convolve_lines(from, cells / count, count, taps, line_.data(), to);
    }
    from = to;
  }
  read(axes_, at, from, out);
}

bool Mesh::bind(const Rows<double>& rows, std::int64_t levels) {
  rows_ = &rows;
  const std::size_t k = rows.k();
  if (levels || k + 1 > kAxes || std::any_of(rows.apart.begin(), rows.apart.end(), [](char apart) { return apart; }))
    return false;
  std::vector<const double*> columns;
  for (std::size_t j = 0; j < k; ++j) columns.push_back(rows.column(j));
  below_.bind(columns, rows.weights.data(), rows.n);
  columns.push_back(rows.y.data());
  above_.bind(columns, rows.weights.data(), rows.n);
  total_ = heaviest_ = 0.0;
  for (std::size_t row = 0; row < rows.n; ++row) {
    total_ += rows.weights[row];
    heaviest_ = std::max(heaviest_, rows.weights[row]);
  }
  s_.resize(rows.n);
  t_.resize(rows.n);
  line_.resize(rows.width);
  own_.resize(k);
  return heaviest_ <= kUneven;
}

std::array<double, kAxes> Mesh::by_axis(Widths widths) const {
  std::array<double, kAxes> found;
  found.fill(widths.in);
  found[rows_->k()] = widths.out;
  return found;
}

bool Mesh::fits_memory(Widths widths) const { return above_.cells(by_axis(widths)) <= kMostCells; }

bool Mesh::pays(Widths widths) const {
  const auto n = static_cast<double>(rows_->n);
  return fits_memory(widths) && above_.cells(by_axis(widths)) <= kCellsPerPair * n * n;
}

void Mesh::lay(Widths least) {
  above_.lay(by_axis(least));
  if (rows_->k()) below_.lay(by_axis(least));
}

// log S - log T of a row, pair by pair.
double Mesh::alone(std::size_t row, Widths widths) {
  for (std::size_t j = 0; j < rows_->k(); ++j) own_[j] = rows_->column(j)[row];
  distances(*rows_, own_.data(), 0, rows_->width, line_.data());
  line_[row] = kFar;
  double sums[kSums];
  const Shift shift = careful(Target::continuous, line_.data(), rows_->y.data(), rows_->weights.data(), rows_->y[row],
                              rows_->n, widths, sums);
  return std::log(sums[S] / sums[T]) - shift.ratio;
}

double Mesh::score(Widths widths) {
  above_.sums(by_axis(widths), s_.data());
  if (rows_->k()) below_.sums(by_axis(widths), t_.data());
  else std::fill(t_.begin(), t_.end(), total_);
  double found = 0.0;
  const double least = kAlone * heaviest_;
  for (std::size_t row = 0; row < rows_->n; ++row) {
    const double own = rows_->weights[row], s = s_[row] - own, t = t_[row] - own;
    found += own * (s > least && t > least ? std::log(s / t) : alone(row, widths));
  }
  return found / total_ + normaliser(widths.out, 0);
}

double Mesh::value(Widths widths) {
  lay(widths);
  return score(widths);
}

Curve Mesh::curve(Widths widths, Freedom freedom) {
  const double less = std::exp(-kAside);
  const auto at = [&](int in, int out) {
    return score({widths.in * std::exp(in * kAside), widths.out * std::exp(out * kAside)});
  };
  lay({widths.in * less, widths.out * less});
  Curve c;
  c.value = at(0, 0);
  const auto slope = [](double up, double down) { return (up - down) / (2.0 * kAside); };
  const auto bend = [&](double up, double down) { return (up + down - 2.0 * c.value) / (kAside * kAside); };
  if (freedom == Freedom::one) {
    const double up = at(1, 1), down = at(-1, -1);
    c.in = slope(up, down);
    c.in_in = bend(up, down);
    return c;
  }
  const double up = at(0, 1), down = at(0, -1);
  c.out = slope(up, down);
  c.out_out = bend(up, down);
  if (freedom == Freedom::out_only) return c;
  const double wider = at(1, 0), narrower = at(-1, 0);
  c.in = slope(wider, narrower);
  c.in_in = bend(wider, narrower);
  c.in_out = 0.5 * (bend(at(1, 1), at(-1, -1)) - c.in_in - c.out_out);
  return c;
}

}  // namespace arcwise::parzen
