#include "discrete.hpp"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace arcwise {
namespace {

constexpr int kByBits = 85;                    // pairs of groups and levels beyond which rows are counted one by one
constexpr std::size_t kMostMasks = 1 << 22;    // words of masks
constexpr double kExactRegrets = 1e5;          // cells beyond which the regret is approximated

double log_gamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

// log G(a + n) - log G(a); few factors are multiplied out.
double rise(double a, double n) {
  if (n <= 12 && n == std::floor(n)) {
    double product = 1.0;
    for (double i = 0; i < n; ++i) product *= a + i;
    return std::log(product);
  }
  return log_gamma(a + n) - log_gamma(a);
}

ARCWISE_CLONES
std::int32_t common(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < words; ++i) count += __builtin_popcountll(a[i] & b[i]);
  return static_cast<std::int32_t>(count);
}

}  // namespace

DiscreteScores::DiscreteScores(std::shared_ptr<DiscreteTable> table, int kind, int each, double alpha, double per_param,
                               ConstVector by_size, bool nml, double most_cells)
    : table_(std::move(table)), kind_(static_cast<Sum>(kind)), each_(static_cast<Each>(each)), alpha_(alpha) {
  if (by_size.shape(0) <= table_->columns) throw nb::value_error("a charge by the number of parents is missing");
  charges_ = {per_param, {by_size.data(), by_size.data() + by_size.shape(0)}, nml, most_cells};
  if (kind_ == Sum::likelihood && table_->counted)
    for (std::size_t n = 0; n <= table_->rows; ++n)
      n_log_n_.push_back(n ? static_cast<double>(n) * std::log(static_cast<double>(n)) : 0.0);
  stack_.push_back(table_->all());
}

const Groups& DiscreteScores::groups(const Set& path) {
  std::size_t same = 0;
  while (same < path.size() && same < path_.size() && path[same] == path_[same]) ++same;
  stack_.resize(std::max(stack_.size(), path.size() + 1));
  for (std::size_t i = same; i < path.size(); ++i) table_->split(stack_[i], path[i], stack_[i + 1]);
  path_ = path;
  return stack_[path.size()];
}

double DiscreteScores::n_log_n(double n) const {
  if (!n_log_n_.empty()) return n_log_n_[static_cast<std::size_t>(n)];
  return n > 0 ? n * std::log(n) : 0.0;
}

// log of the sum over all data of n rows of their largest likelihood under a table of so many cells: exactly by the
// recurrence of Kontkanen and Myllymaki (2007), else by the formula of Szpankowski and Weinberger (2012).
double DiscreteScores::regret(double cells) {
  const auto known = regrets_.find(cells);
  if (known != regrets_.end()) return known->second;
  const double n = std::round(table_->total);
  double found = 0.0;
  if (cells > kExactRegrets) {
    const double a = cells / n, c = 0.5 + 0.5 * std::sqrt(1.0 + 4.0 / a);
    found = n * (std::log(a) + (a + 2.0) * std::log(c) - 1.0 / c) - 0.5 * std::log(c + 2.0 / a);
  } else if (cells > 1.0 && n > 0) {
    double one = 0.0, two = 0.0;  // logarithms for 1 and 2 cells
    for (double h = 1; h < n; ++h)
      two += std::exp(log_gamma(n + 1) - log_gamma(h + 1) - log_gamma(n - h + 1) + h * std::log(h / n) +
                      (n - h) * std::log1p(-h / n));
    two = std::log(two + 2.0);
    for (double k = 3; k <= cells; ++k) {
      const double other = std::log(n / (k - 2.0)) + one;
      const double next = std::max(two, other) + std::log1p(std::exp(-std::abs(two - other)));
      one = two;
      two = next;
    }
    found = two;
  }
  return regrets_[cells] = found;
}

double DiscreteScores::charge(int child, double possible, std::size_t parents) {
  const double r = table_->levels[child];
  if (r * possible > charges_.most_cells) return INFINITY;
  double sum = charges_.by_size[parents];
  if (charges_.per_param != 0.0) sum += charges_.per_param * (r - 1.0) * possible;
  if (charges_.nml) sum += regret(r * possible) - regret(possible);
  return sum;
}

DiscreteScores::Prior DiscreteScores::prior(int r, double possible, double seen) const {
  switch (each_) {
    case Each::row: return {alpha_, alpha_ / r};
    case Each::table: return {alpha_ / possible, alpha_ / possible / r};
    case Each::seen: return {alpha_ / seen, alpha_ / seen / r};
    default: return {alpha_ * r, alpha_};
  }
}

double DiscreteScores::group_term(const Prior& prior, double n) const {
  if (kind_ == Sum::likelihood) return -n_log_n(n);
  return kind_ == Sum::loo ? -n * std::log(n - 1.0 + prior.of_group) : -rise(prior.of_group, n);
}

double DiscreteScores::cell_term(const Prior& prior, double n) const {
  if (kind_ == Sum::likelihood) return n_log_n(n);
  return kind_ == Sum::loo ? n * std::log(n - 1.0 + prior.of_level) : rise(prior.of_level, n);
}

double DiscreteScores::sum(const Cells& cells, int r, double possible) {
  double seen = 0.0;
  if (each_ == Each::seen)
    for (std::size_t i = 0; i < cells.group.size(); ++i) seen += i == 0 || cells.group[i] != cells.group[i - 1];
  const Prior own = prior(r, possible, seen);
  double out = 0.0;
  for (std::size_t i = 0; i < cells.group.size();) {
    double n = 0.0;
    std::size_t j = i;
    for (; j < cells.group.size() && cells.group[j] == cells.group[i]; ++j) {
      n += cells.count[j];
      out += cell_term(own, cells.count[j]);
    }
    out += group_term(own, n);
    i = j;
  }
  return out;
}

double DiscreteScores::score(int child, const Set& parents) {
  const Groups& base = groups(parents);
  const double cost = charge(child, base.possible, parents.size());
  if (!std::isfinite(cost)) return -INFINITY;
  table_->cells(base, child, cells_);
  return sum(cells_, table_->levels[child], base.possible) - cost;
}

// -- one parent more ------------------------------------------------------------------------------------------------

// The group and level of each row, as one number, and the sizes of these.
void DiscreteScores::prepare(int child, const Groups& base) {
  const auto r = static_cast<std::size_t>(table_->levels[child]);
  const std::uint16_t* own = table_->column(child);
  bits_ready_ = false;
  joint_.resize(table_->rows);
  for (std::size_t row = 0; row < table_->rows; ++row)
    joint_[row] = static_cast<std::int32_t>(base.of[row] * r + own[row]);
  const std::size_t cells = base.size() * r, words = table_->words;
  if (!table_->counted || cells > static_cast<std::size_t>(kByBits) || cells * words > kMostMasks) return;
  masks_.assign(cells * words, 0);
  sizes_.assign(cells, 0.0);
  for (std::size_t row = 0; row < table_->rows; ++row) {
    masks_[joint_[row] * words + (row >> 6)] |= std::uint64_t{1} << (row & 63);
    ++sizes_[joint_[row]];
  }
  bits_ready_ = true;
}

double DiscreteScores::with(int child, const Groups& base, int x) {
  const auto r = static_cast<std::size_t>(table_->levels[child]), rx = static_cast<std::size_t>(table_->levels[x]);
  const std::size_t cells = base.size() * r;
  if (bits_ready_ && table_->has_bits(x) && cells * (rx - 1) <= static_cast<std::size_t>(kByBits))
    return by_bits(child, base, x);
  if (cells * rx <= std::max<std::size_t>(1 << 16, 8 * table_->rows)) return by_rows(child, base, x);
  table_->split(base, x, split_);
  table_->cells(split_, child, cells_);
  return sum(cells_, static_cast<int>(r), split_.possible);
}

double DiscreteScores::by_bits(int child, const Groups& base, int x) {
  const auto r = static_cast<std::size_t>(table_->levels[child]), rx = static_cast<std::size_t>(table_->levels[x]);
  const std::size_t cells = base.size() * r, words = table_->words;
  weighted_.resize(cells * rx);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    double* counts = weighted_.data() + cell * rx;
    double rest = sizes_[cell];
    for (std::size_t level = 0; level + 1 < rx; ++level) {
      counts[level] = rest > 0 ? common(masks_.data() + cell * words, table_->bits(x, static_cast<int>(level)), words) : 0;
      rest -= counts[level];
    }
    counts[rx - 1] = rest;
  }
  return table_sum(weighted_.data(), base, static_cast<int>(r), static_cast<int>(rx), base.possible * rx);
}

double DiscreteScores::by_rows(int child, const Groups& base, int x) {
  const auto r = static_cast<std::size_t>(table_->levels[child]), rx = static_cast<std::size_t>(table_->levels[x]);
  const std::size_t cells = base.size() * r;
  const std::uint16_t* other = table_->column(x);
  weighted_.assign(cells * rx, 0.0);
  if (table_->counted) {
    tally_.assign(cells * rx, 0);
    for (std::size_t row = 0; row < table_->rows; ++row) ++tally_[joint_[row] * rx + other[row]];
    std::copy(tally_.begin(), tally_.end(), weighted_.begin());
  } else {
    for (std::size_t row = 0; row < table_->rows; ++row) weighted_[joint_[row] * rx + other[row]] += table_->weight(row);
  }
  return table_sum(weighted_.data(), base, static_cast<int>(r), static_cast<int>(rx), base.possible * rx);
}

// Sum over a dense table by (group, level of the child, level of the new parent).
double DiscreteScores::table_sum(const double* counts, const Groups& base, int r, int rx, double possible) {
  const auto size = base.size();
  double seen = 0.0, out = 0.0;
  if (each_ == Each::seen)
    for (std::size_t j = 0; j < size; ++j)
      for (int l = 0; l < rx; ++l) {
        double n = 0.0;
        for (int k = 0; k < r; ++k) n += counts[(j * r + k) * rx + l];
        seen += n > 0;
      }
  const Prior own = prior(r, possible, seen);
  for (std::size_t j = 0; j < size; ++j)
    for (int l = 0; l < rx; ++l) {
      double n = 0.0;
      for (int k = 0; k < r; ++k) {
        const double c = counts[(j * r + k) * rx + l];
        if (c > 0) out += cell_term(own, c);
        n += c;
      }
      if (n > 0) out += group_term(own, n);
    }
  return out;
}

// -- one parent less -------------------------------------------------------------------------------------------------

// Configurations that differ in one parent alone are put together; their counts are in cells_.
double DiscreteScores::without(int child, const Set& base, std::size_t place, const Groups& groups) {
  const auto r = static_cast<std::uint64_t>(table_->levels[child]);
  std::vector<std::int32_t> of(groups.size(), 0);
  std::size_t size = 1;
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (i == place) continue;
    const auto levels = static_cast<std::uint64_t>(table_->levels[base[i]]);
    const std::uint16_t* codes = table_->column(base[i]);
    std::unordered_map<std::uint64_t, std::int32_t> sparse;
    const bool dense = size * levels <= 8 * groups.size() + 1024;
    std::vector<std::int32_t> seen(dense ? size * levels : 0, -1);
    std::int32_t next = 0;
    for (std::size_t j = 0; j < of.size(); ++j) {
      const std::uint64_t key = static_cast<std::uint64_t>(of[j]) * levels + codes[groups.first[j]];
      std::int32_t& number = dense ? seen[key] : sparse.try_emplace(key, -1).first->second;
      if (number < 0) number = next++;
      of[j] = number;
    }
    size = static_cast<std::size_t>(next);
  }
  std::vector<std::pair<std::uint64_t, double>> keys(cells_.group.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = {static_cast<std::uint64_t>(of[cells_.group[i]]) * r + static_cast<std::uint64_t>(cells_.level[i]), cells_.count[i]};
  std::sort(keys.begin(), keys.end());
  fewer_.clear();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && keys[i].first == keys[i - 1].first) fewer_.count.back() += keys[i].second;
    else fewer_.add(static_cast<std::int32_t>(keys[i].first / r), static_cast<std::int32_t>(keys[i].first % r), keys[i].second);
  }
  const double possible = groups.possible / table_->levels[base[place]];
  return sum(fewer_, static_cast<int>(r), possible) - charge(child, possible, base.size() - 1);
}

// -- batches --------------------------------------------------------------------------------------------------------

std::vector<double> DiscreteScores::toggles(int child, const Set& base, const Set& among) {
  const Groups& own = groups(base);
  std::vector<double> out(among.size() + 1, -INFINITY);
  table_->cells(own, child, cells_);
  out[0] = sum(cells_, table_->levels[child], own.possible) - charge(child, own.possible, base.size());
  for (std::size_t i = 0; i < among.size(); ++i) {
    const auto place = std::find(base.begin(), base.end(), among[i]);
    if (place != base.end()) out[i + 1] = without(child, base, static_cast<std::size_t>(place - base.begin()), own);
  }
  prepare(child, own);
  for (std::size_t i = 0; i < among.size(); ++i) {
    if (among[i] == child || contains(base, among[i])) continue;
    const double possible = own.possible * table_->levels[among[i]];
    const double cost = charge(child, possible, base.size() + 1);
    out[i + 1] = std::isfinite(cost) ? with(child, own, among[i]) - cost : -INFINITY;
  }
  return out;
}

std::vector<double> DiscreteScores::subsets(int child, const Set& candidates, const Set& always, std::size_t most) {
  std::vector<double> out(std::size_t{1} << candidates.size(), std::nan(""));
  std::vector<Groups> layers(candidates.size() + 1);
  layers[0] = groups(always);
  // Depth first: each set divides the groups of the set without its last member.
  const auto visit = [&](const auto& self, std::size_t depth, std::size_t from, std::size_t mask) -> void {
    const std::size_t size = always.size() + depth;
    if (size > most) return;
    table_->cells(layers[depth], child, cells_);
    out[mask] = sum(cells_, table_->levels[child], layers[depth].possible) - charge(child, layers[depth].possible, size);
    if (size == most) return;
    for (std::size_t i = from; i < candidates.size(); ++i) {
      table_->split(layers[depth], candidates[i], layers[depth + 1]);
      self(self, depth + 1, i + 1, mask | std::size_t{1} << i);
    }
  };
  visit(visit, 0, 0, 0);
  return out;
}

void DiscreteScores::ask(int child, const Set& path, bool outside, bool inside, double tolerance, Choices& out) {
  Set among;
  if (inside) among = path;
  for (int x = 0; outside && x < static_cast<int>(table_->columns); ++x)
    if (x != child && !contains(path, x)) among.push_back(x);
  const std::vector<double> scores = toggles(child, path, among);
  out.own = scores[0];
  out.more.clear();
  out.fewer.clear();
  const std::size_t inner = inside ? path.size() : 0;
  for (std::size_t i = 0; i < among.size(); ++i) {
    const Option found{scores[i + 1], among[i]};
    if (i < inner) out.fewer.push_back(found);
    else if (found.score > out.own + tolerance) out.more.push_back(found);
  }
}

}  // namespace arcwise

void bind_discrete(nanobind::module_& m) {
  namespace nb = nanobind;
  using arcwise::Codes, arcwise::ConstIndices, arcwise::ConstVector, arcwise::DiscreteScores, arcwise::DiscreteTable;
  const auto set = [](ConstIndices items) { return arcwise::Set(items.data(), items.data() + items.shape(0)); };
  nb::class_<DiscreteTable>(m, "DiscreteTable").def(nb::init<Codes, ConstIndices, ConstVector>());
  nb::class_<DiscreteScores, arcwise::LocalScores>(m, "DiscreteScores")
      .def(nb::init<std::shared_ptr<DiscreteTable>, int, int, double, double, ConstVector, bool, double>())
      .def("many",
           [](DiscreteScores& self, int child, ConstIndices indptr, ConstIndices indices) {
             std::vector<double> out(indptr.shape(0) - 1);
             for (std::size_t i = 0; i < out.size(); ++i)
               out[i] = self.score(child, {indices.data() + indptr.data()[i], indices.data() + indptr.data()[i + 1]});
             return arcwise::to_numpy(std::move(out));
           })
      .def("toggles",
           [set](DiscreteScores& self, int child, ConstIndices base, ConstIndices among) {
             return arcwise::to_numpy(self.toggles(child, set(base), set(among)));
           })
      .def("subsets", [set](DiscreteScores& self, int child, ConstIndices candidates, ConstIndices always, std::size_t most) {
        return arcwise::to_numpy(self.subsets(child, set(candidates), set(always), most));
      });
}
