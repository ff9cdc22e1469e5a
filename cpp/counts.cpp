#include "counts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace arcwise {
namespace {

constexpr int kMostBits = 64;              // levels of a column that gets bits
constexpr double kTabled = 1 << 20;        // sums of weights up to which functions of counts are tabulated
constexpr std::size_t kDense = 1 << 16;    // tables up to this size, or eight times the rows, are dense

std::size_t largest(std::size_t rows) { return std::max(kDense, 8 * rows); }

}  // namespace

DiscreteTable::DiscreteTable(Codes codes, ConstIndices level_counts, ConstVector weights)
    : columns(codes.shape(0)), rows(codes.shape(1)), counted(weights.shape(0) == 0),
      codes_(codes.data(), codes.data() + codes.size()),
      weights_(weights.data(), weights.data() + weights.shape(0)) {
  if (level_counts.shape(0) != columns || (!counted && weights.shape(0) != rows))
    throw nb::value_error("codes, levels and weights of a discrete table have different sizes");
  words = (rows + 511) / 512 * 8;  // whole registers of 512 bits
  bits_.resize(columns);
  sizes_.resize(columns);
  total = counted ? static_cast<double>(rows) : std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (std::size_t x = 0; x < columns; ++x) {
    const auto r = static_cast<int>(level_counts.data()[x]);
    levels.push_back(r);
    const std::uint16_t* own = column(static_cast<int>(x));
    if (std::any_of(own, own + rows, [r](std::uint16_t code) { return code >= r; }))
      throw nb::value_error("a code of a discrete table is beyond the levels of its column");
    if (!counted || r > kMostBits) continue;
    bits_[x].assign(static_cast<std::size_t>(r) * words, 0);
    sizes_[x].assign(static_cast<std::size_t>(r), 0);
    for (std::size_t row = 0; row < rows; ++row) {
      bits_[x][own[row] * words + (row >> 6)] |= std::uint64_t{1} << (row & 63);
      ++sizes_[x][own[row]];
    }
  }
}

std::size_t DiscreteTable::largest_count() const {
  const auto whole = [](double w) { return w == std::floor(w); };
  if (counted) return rows;
  return total < kTabled && std::all_of(weights_.begin(), weights_.end(), whole) ? static_cast<std::size_t>(total) : 0;
}

Groups DiscreteTable::all() const {
  Groups out;
  out.of.assign(rows, 0);
  if (rows) out.first.assign(1, 0);
  return out;
}

void DiscreteTable::split(const Groups& groups, int x, Groups& out) {
  const auto r = static_cast<std::size_t>(levels[x]);
  const std::uint16_t* own = column(x);
  out.of.resize(rows);
  out.first.clear();
  out.possible = groups.possible * static_cast<double>(r);
  const auto number = [&](std::int32_t& place, std::size_t row) {
    if (place < 0) {
      place = static_cast<std::int32_t>(out.first.size());
      out.first.push_back(static_cast<std::int32_t>(row));
    }
    out.of[row] = place;
  };
  if (groups.size() * r <= largest(rows)) {
    seen_.assign(groups.size() * r, -1);
    for (std::size_t row = 0; row < rows; ++row) number(seen_[groups.of[row] * r + own[row]], row);
    return;
  }
  std::unordered_map<std::uint64_t, std::int32_t> seen;
  seen.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row)
    number(seen.try_emplace(static_cast<std::uint64_t>(groups.of[row]) * r + own[row], -1).first->second, row);
}

void DiscreteTable::cells(const Groups& groups, int child, Cells& out) {
  const auto r = static_cast<std::size_t>(levels[child]);
  const std::uint16_t* own = column(child);
  out.clear();
  if (groups.size() * r <= largest(rows)) {
    tally_.assign(groups.size() * r, 0.0);
    for (std::size_t row = 0; row < rows; ++row) tally_[groups.of[row] * r + own[row]] += weight(row);
    for (std::size_t place = 0; place < tally_.size(); ++place)
      if (tally_[place] > 0) out.add(static_cast<std::int32_t>(place / r), static_cast<std::int32_t>(place % r), tally_[place]);
    return;
  }
  std::vector<std::pair<std::uint64_t, std::int32_t>> keys(rows);
  for (std::size_t row = 0; row < rows; ++row)
    keys[row] = {static_cast<std::uint64_t>(groups.of[row]) * r + own[row], static_cast<std::int32_t>(row)};
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < rows;) {
    double n = 0.0;
    std::size_t j = i;
    for (; j < rows && keys[j].first == keys[i].first; ++j) n += weight(keys[j].second);
    if (n > 0) out.add(static_cast<std::int32_t>(keys[i].first / r), static_cast<std::int32_t>(keys[i].first % r), n);
    i = j;
  }
}

}  // namespace arcwise
