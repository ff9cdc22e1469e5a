// Counts of discrete columns: how often each level of a child occurs with each configuration of its parents.
//
// A set of parents divides the rows into groups, one for each configuration that occurs. Groups are numbered in the
// order in which they are met, so tables are as large as what occurs and not as the product of levels.
#pragma once

#include <cstdint>
#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <vector>

#include "arrays.hpp"
#include "essential.hpp"

namespace arcwise {

using Codes = nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Which configuration of some columns each row has.
struct Groups {
  std::vector<std::int32_t> of;     // of each row
  std::vector<std::int32_t> first;  // a row of each configuration
  double possible = 1.0;            // product of the levels
  std::size_t size() const { return first.size(); }
};

// Counts that are not zero, by configuration and then by level.
struct Cells {
  std::vector<std::int32_t> group, level;
  std::vector<double> count;
  void clear() { group.clear(), level.clear(), count.clear(); }
  void add(std::int32_t g, std::int32_t k, double n) { group.push_back(g), level.push_back(k), count.push_back(n); }
};

// Columns of codes, each with a bit for every row and level, so that pairs of levels are counted 64 rows at a time.
class DiscreteTable {
 public:
  DiscreteTable(Codes codes, ConstIndices levels, ConstVector weights);

  std::size_t columns, rows;
  double total = 0.0;  // sum of weights
  bool counted;        // every row counts once
  std::vector<int> levels;

  const std::uint16_t* column(int x) const { return codes_.data() + static_cast<std::size_t>(x) * rows; }
  double weight(std::size_t row) const { return counted ? 1.0 : weights_[row]; }
  const std::uint64_t* bits(int x, int level) const { return bits_[x].data() + static_cast<std::size_t>(level) * words; }
  bool has_bits(int x) const { return !bits_[x].empty(); }
  std::int32_t size(int x, int level) const { return sizes_[x][level]; }  // rows of a level, where there are bits
  std::size_t words = 0;
  std::size_t largest_count() const;  // largest count there can be, if all are whole numbers and it is not huge; else 0

  Groups all() const;                                     // no parents
  void split(const Groups& groups, int x, Groups& out);   // by one more column
  void cells(const Groups& groups, int child, Cells& out);

 private:
  std::vector<std::uint16_t> codes_;
  std::vector<double> weights_;
  std::vector<std::vector<std::uint64_t>> bits_;
  std::vector<std::vector<std::int32_t>> sizes_;
  std::vector<std::int32_t> seen_;   // scratch of `split`
  std::vector<double> tally_;        // scratch of `cells`
};

}  // namespace arcwise
