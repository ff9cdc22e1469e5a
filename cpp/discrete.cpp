#include "discrete.hpp"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "bits.hpp"

namespace arcwise {
namespace {

constexpr std::size_t kMostMasks = 1 << 22;    // words of masks

}  // namespace

DiscreteScores::DiscreteScores(std::shared_ptr<DiscreteTable> table, int kind, int each, double alpha, double per_param,
                               ConstVector by_size, bool nml, double most_cells, double jackknife)
    : table_(std::move(table)), kind_(static_cast<Sum>(kind)), each_(static_cast<Each>(each)), alpha_(alpha) {
  if (by_size.shape(0) <= table_->columns) throw nb::value_error("a charge by the number of parents is missing");
  charges_ = {per_param, {by_size.data(), by_size.data() + by_size.shape(0)}, nml, most_cells, nullptr};
  if (jackknife > 0) charges_.influence = std::make_shared<RowInfluence>(table_, alpha_, jackknife);
  terms_ = std::make_shared<Terms>(table_->total, kind_ == Sum::likelihood ? table_->largest_count() : 0);
  memory_ = std::make_shared<SumMemory>(table_->columns);
  stack_.push_back(table_->all());
}

DiscreteScores::DiscreteScores(const DiscreteScores& other, ConstVector by_size)
    : table_(other.table_), kind_(other.kind_), each_(other.each_), alpha_(other.alpha_), charges_(other.charges_),
      terms_(other.terms_), memory_(other.memory_) {
  if (by_size.shape(0) <= table_->columns) throw nb::value_error("a charge by the number of parents is missing");
  charges_.by_size = {by_size.data(), by_size.data() + by_size.shape(0)};
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

double DiscreteScores::possible(const Set& parents) const {
  double product = 1.0;
  for (int x : parents) product *= table_->levels[x];
  return product;
}

double DiscreteScores::charge(int child, double possible, std::size_t parents) {
  const double r = table_->levels[child];
  if (r * possible > charges_.most_cells) return INFINITY;
  double sum = charges_.by_size[parents];
  if (charges_.per_param != 0.0) sum += charges_.per_param * (r - 1.0) * possible;
  if (charges_.nml) sum += terms_->regret(r * possible) - terms_->regret(possible);
  return sum;
}

// The sum over the parents of what one row gives to their pairs with the child.
double DiscreteScores::influence(int child, const Set& parents) {
  double sum = 0.0;
  if (charges_.influence)
    for (int x : parents) sum += (*charges_.influence)(child, x);
  return sum;
}

DiscreteScores::Prior DiscreteScores::prior(int r, double possible, double seen) {
  double group = alpha_ * r;
  if (each_ == Each::row) group = alpha_;
  if (each_ == Each::table) group = alpha_ / possible;
  if (each_ == Each::seen) group = alpha_ / seen;
  Prior own{group, group / r, nullptr, nullptr};
  if (kind_ == Sum::marginal) std::tie(own.group, own.level) = terms_->rises(own.of_group, own.of_level);
  return own;
}

double DiscreteScores::group_term(const Prior& prior, double n) const {
  if (kind_ == Sum::likelihood) return -terms_->n_log_n(n);
  return kind_ == Sum::loo ? -n * std::log(n - 1.0 + prior.of_group) : -(*prior.group)(n);
}

double DiscreteScores::cell_term(const Prior& prior, double n) const {
  if (kind_ == Sum::likelihood) return terms_->n_log_n(n);
  return kind_ == Sum::loo ? n * std::log(n - 1.0 + prior.of_level) : (*prior.level)(n);
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
  memory_->tidy();
  const double all = possible(parents), cost = charge(child, all, parents.size());
  if (!std::isfinite(cost)) return -INFINITY;
  Set sorted(parents);
  std::sort(sorted.begin(), sorted.end());
  KnownSums& known = memory_->of(child, sorted, false);
  if (std::isnan(known.own)) {
    table_->cells(groups(parents), child, cells_);
    known.own = sum(cells_, table_->levels[child], all);
  }
  return known.own - cost - influence(child, sorted);
}

// -- one parent more ------------------------------------------------------------------------------------------------

// The group and level of each row, as one number.
void DiscreteScores::join(int child, const Groups& base) {
  const auto r = static_cast<std::int32_t>(table_->levels[child]);
  const std::uint16_t* own = table_->column(child);
  joint_.resize(table_->rows);
  for (std::size_t row = 0; row < table_->rows; ++row) joint_[row] = base.of[row] * r + own[row];
  joint_ready_ = true;
}

// The cells that occur, with the bits of their rows, where they are few; else false.
bool DiscreteScores::cells_by_bits(int child, const Set& base, const Groups& groups) {
  const auto r = table_->levels[child];
  const std::size_t words = table_->words, most = groups.size() * static_cast<std::size_t>(r);
  const auto lacks = [&](int x) { return !table_->has_bits(x); };
  if (!table_->counted || most == 0 || most > kCounter.most_pairs || most * words > kMostMasks) return false;
  if (lacks(child) || std::any_of(base.begin(), base.end(), lacks)) return false;
  masks_.resize((most + 1) * words);
  cells_.clear();
  std::vector<std::uint64_t> group(words);
  for (std::size_t j = 0; j < groups.size(); ++j) {
    std::fill(group.begin(), group.end(), ~std::uint64_t{0});
    for (int x : base) {
      const std::uint64_t* bits = table_->bits(x, table_->column(x)[groups.first[j]]);
      for (std::size_t i = 0; i < words; ++i) group[i] &= bits[i];
    }
    for (int k = 0; k < r; ++k) {
      std::uint64_t* mask = masks_.data() + cells_.group.size() * words;
      const std::uint64_t* bits = table_->bits(child, k);
      for (std::size_t i = 0; i < words; ++i) mask[i] = group[i] & bits[i];
      std::int32_t n = 0;
      kCounter.common(group.data(), 1, bits, 1, words, &n);
      if (n) cells_.add(static_cast<std::int32_t>(j), k, n);
    }
  }
  return true;
}

double DiscreteScores::with(int child, const Groups& base, int x) {
  const auto r = static_cast<std::size_t>(table_->levels[child]), rx = static_cast<std::size_t>(table_->levels[x]);
  const std::size_t cells = base.size() * r;
  if (bits_ready_ && table_->has_bits(x) && cells_.group.size() * (rx - 1) <= kCounter.most_pairs) {
    by_bits(child, base, x);
  } else if (cells * rx <= std::max<std::size_t>(1 << 16, 8 * table_->rows)) {
    by_rows(child, base, x);
  } else {
    Cells found;
    table_->split(base, x, split_);
    table_->cells(split_, child, found);
    return sum(found, static_cast<int>(r), split_.possible);
  }
  const double out = dense_sum({base.size(), r, rx, rx, 1}, base.possible * static_cast<double>(rx));
  if (path_.empty() && memory_->holds_pairs()) {  // the same counts tell of x given the child
    double& other = memory_->of(x, {}, true).toggled[child];
    if (std::isnan(other)) other = dense_sum({1, rx, r, 1, rx}, static_cast<double>(r));
  }
  return out;
}

// Counts of the last level, and those in the last cell, are what is left.
void DiscreteScores::by_bits(int child, const Groups& base, int x) {
  const auto r = static_cast<std::size_t>(table_->levels[child]), rx = static_cast<std::size_t>(table_->levels[x]);
  const std::size_t cells = cells_.group.size(), counted = cells - 1, size = base.size() * r * rx;
  tally_.assign(size + counted * (rx - 1), 0);
  const std::int32_t* found = tally_.data() + size;
  kCounter.common(masks_.data(), counted, table_->bits(x, 0), rx - 1, table_->words, tally_.data() + size);
  const auto place = [&](std::size_t m) {
    return tally_.data() + (static_cast<std::size_t>(cells_.group[m]) * r + static_cast<std::size_t>(cells_.level[m])) * rx;
  };
  std::int32_t* last = place(counted);
  for (std::size_t l = 0; l < rx; ++l) last[l] = table_->size(x, static_cast<int>(l));
  for (std::size_t m = 0; m < counted; ++m) {
    std::int32_t* own = place(m);
    own[rx - 1] = static_cast<std::int32_t>(cells_.count[m]);
    for (std::size_t l = 0; l + 1 < rx; ++l) {
      own[l] = found[l * counted + m];
      own[rx - 1] -= own[l];
      last[l] -= own[l];
    }
    last[rx - 1] -= own[rx - 1];
  }
}

void DiscreteScores::by_rows(int child, const Groups& base, int x) {
  const auto r = static_cast<std::size_t>(table_->levels[child]), rx = static_cast<std::size_t>(table_->levels[x]);
  const std::size_t size = base.size() * r * rx;
  const std::uint16_t* other = table_->column(x);
  if (!joint_ready_) join(child, base);
  const std::int32_t* joint = joint_.data();
  if (!table_->counted) {
    weighted_.assign(size, 0.0);
    for (std::size_t row = 0; row < table_->rows; ++row)
      weighted_[static_cast<std::size_t>(joint[row]) * rx + other[row]] += table_->weight(row);
    return;
  }
  // Two tallies side by side, so that rows of one cell need not wait for each other.
  const std::size_t even = table_->rows & ~std::size_t{1};
  tally_.assign(2 * size, 0);
  std::int32_t *first = tally_.data(), *second = first + size;
  for (std::size_t row = 0; row < even; row += 2) {
    ++first[static_cast<std::size_t>(joint[row]) * rx + other[row]];
    ++second[static_cast<std::size_t>(joint[row + 1]) * rx + other[row + 1]];
  }
  if (even < table_->rows) ++first[static_cast<std::size_t>(joint[even]) * rx + other[even]];
  for (std::size_t i = 0; i < size; ++i) first[i] += second[i];
}

// The sum over the table that was counted last.
double DiscreteScores::dense_sum(const Shape& shape, double possible) {
  return table_->counted ? table_sum(tally_.data(), shape, possible) : table_sum(weighted_.data(), shape, possible);
}

template <typename Count>
double DiscreteScores::table_sum(const Count* counts, const Shape& shape, double possible) {
  const auto [groups, r, rx, apart, apart_x] = shape;
  const auto add = [&](const auto& of_group, const auto& of_cell) {
    double out = 0.0;
    for (std::size_t j = 0; j < groups; ++j)
      for (std::size_t l = 0; l < rx; ++l) {
        const Count* column = counts + j * r * rx + l * apart_x;
        Count n = 0;
        for (std::size_t k = 0; k < r; ++k) {
          const Count c = column[k * apart];
          if (c > 0) out += of_cell(c);
          n += c;
        }
        if (n > 0) out += of_group(n);
      }
    return out;
  };
  const auto once = [](Count) { return 1.0; };
  const double seen = each_ == Each::seen ? add(once, [](Count) { return 0.0; }) : 0.0;
  const Prior own = prior(static_cast<int>(r), possible, seen);
  if (kind_ == Sum::marginal)
    return add([&](Count n) { return -(*own.group)(n); }, [&](Count n) { return (*own.level)(n); });
  return add([&](Count n) { return group_term(own, static_cast<double>(n)); },
             [&](Count n) { return cell_term(own, static_cast<double>(n)); });
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
  return sum(fewer_, static_cast<int>(r), groups.possible / table_->levels[base[place]]);
}

// -- batches --------------------------------------------------------------------------------------------------------

std::vector<double> DiscreteScores::toggles(int child, const Set& base, const Set& among) {
  Set sorted(base);
  std::sort(sorted.begin(), sorted.end());
  memory_->tidy();
  KnownSums& known = memory_->of(child, sorted, true);
  const double all = possible(base);
  std::vector<double> out(among.size() + 1, -INFINITY);
  std::vector<std::size_t> missing;
  bool larger = false;
  const double rows = influence(child, sorted);
  // What a set costs is known before it is counted: tables that are too large are not.
  const auto settle = [&](std::size_t i, bool first) {
    const int x = among[i];
    if (x == child) return;
    const bool inside = std::binary_search(sorted.begin(), sorted.end(), x);
    const double r = table_->levels[x];
    const double cost = charge(child, inside ? all / r : all * r, inside ? base.size() - 1 : base.size() + 1);
    if (!std::isfinite(cost)) return;
    if (first && std::isnan(known.toggled[x])) {
      missing.push_back(i);
      larger |= !inside;
    } else {
      out[i + 1] = known.toggled[x] - cost - (inside ? rows - influence(child, {x}) : rows + influence(child, {x}));
    }
  };
  for (std::size_t i = 0; i < among.size(); ++i) settle(i, true);
  if (!missing.empty() || std::isnan(known.own)) {
    const Groups& own = groups(base);
    joint_ready_ = false;
    bits_ready_ = larger && cells_by_bits(child, base, own);
    if (!bits_ready_) table_->cells(own, child, cells_);
    if (std::isnan(known.own)) known.own = sum(cells_, table_->levels[child], all);
    for (std::size_t i : missing) {
      const auto place = std::find(base.begin(), base.end(), among[i]);
      if (place == base.end()) continue;
      known.toggled[among[i]] = without(child, base, static_cast<std::size_t>(place - base.begin()), own);
    }
    for (std::size_t i : missing)
      if (!std::binary_search(sorted.begin(), sorted.end(), among[i])) known.toggled[among[i]] = with(child, own, among[i]);
    for (std::size_t i : missing) settle(i, false);
  }
  out[0] = known.own - charge(child, all, base.size()) - rows;
  return out;
}

std::vector<double> DiscreteScores::subsets(int child, const Set& candidates, const Set& always, std::size_t most) {
  std::vector<double> out(std::size_t{1} << candidates.size(), std::nan(""));
  std::vector<Groups> layers(candidates.size() + 1);
  layers[0] = groups(always);
  // Depth first: each set divides the groups of the set without its last member.
  const auto visit = [&](const auto& self, std::size_t depth, std::size_t from, std::size_t mask, double rows) -> void {
    const std::size_t size = always.size() + depth;
    if (size > most) return;
    table_->cells(layers[depth], child, cells_);
    out[mask] = sum(cells_, table_->levels[child], layers[depth].possible) - charge(child, layers[depth].possible, size) - rows;
    if (size == most) return;
    for (std::size_t i = from; i < candidates.size(); ++i) {
      table_->split(layers[depth], candidates[i], layers[depth + 1]);
      self(self, depth + 1, i + 1, mask | std::size_t{1} << i, rows + influence(child, {candidates[i]}));
    }
  };
  visit(visit, 0, 0, 0, influence(child, always));
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
      .def(nb::init<std::shared_ptr<DiscreteTable>, int, int, double, double, ConstVector, bool, double, double>())
      .def(nb::init<const DiscreteScores&, ConstVector>())
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
