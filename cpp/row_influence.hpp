// How much of the evidence for a pair of discrete columns rests on one of its rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "bits.hpp"
#include "counts.hpp"
#include "discrete_terms.hpp"

namespace arcwise {

// The gain of an arc between x and y in BDeu, with pseudo-counts a = alpha / (r_x r_y) in each cell, loses
//
//   log (N_xy - 1 + a) (N - 1 + alpha) / ((N_x - 1 + r_y a) (N_y - 1 + r_x a))
//
// with one row of the cell xy. The influence is the largest such loss over the cells that occur, 0 at least. It is the
// same for x -> y and y -> x. Where a level occurs in a few rows it is most of the gain; elsewhere it is a small part.
class RowInfluence {
 public:
  RowInfluence(std::shared_ptr<DiscreteTable> table, double alpha, double limit)
      : table_(std::move(table)), alpha_(alpha), limit_(limit) {
    const std::size_t p = table_->columns;
    if (p <= kMostKept) kept_.assign(p * (p - std::min<std::size_t>(p, 1)) / 2, NAN);
    for (std::size_t x = 0; x < p; ++x) {
      std::vector<double> sizes(static_cast<std::size_t>(table_->levels[x]), 0.0);
      const std::uint16_t* own = table_->column(static_cast<int>(x));
      for (std::size_t row = 0; row < table_->rows; ++row) sizes[own[row]] += table_->weight(row);
      sizes_.push_back(std::move(sizes));
      double least = INFINITY;
      for (double n : sizes_.back()) if (n > 0) least = std::min(least, n);
      least_.push_back(least);
    }
  }

  double operator()(int x, int y) {
    if (x > y) std::swap(x, y);
    if (least_[x] * least_[y] >= limit_ * table_->total) return 0.0;
    if (kept_.empty()) return largest(x, y);
    const auto low = static_cast<std::size_t>(x), high = static_cast<std::size_t>(y);
    double& known = kept_[high * (high - 1) / 2 + low];
    if (std::isnan(known)) known = largest(x, y);
    return known;
  }

 private:
  static constexpr std::size_t kMostKept = 4096;  // columns whose pairs are remembered, 64 MB
  std::shared_ptr<DiscreteTable> table_;
  double alpha_, limit_;
  std::vector<double> kept_, counts_, least_;
  std::vector<std::vector<double>> sizes_;  // of each level
  std::vector<std::int32_t> tally_;

  void count(int x, int y) {
    const auto rx = static_cast<std::size_t>(table_->levels[x]), ry = static_cast<std::size_t>(table_->levels[y]);
    if (table_->has_bits(x) && table_->has_bits(y) && rx * ry <= kCounter.most_pairs) {
      tally_.resize(rx * ry);
      kCounter.common(table_->bits(y, 0), ry, table_->bits(x, 0), rx, table_->words, tally_.data());
      counts_.assign(tally_.begin(), tally_.end());
      return;
    }
    counts_.assign(rx * ry, 0.0);
    const std::uint16_t *own = table_->column(x), *other = table_->column(y);
    for (std::size_t row = 0; row < table_->rows; ++row) counts_[own[row] * ry + other[row]] += table_->weight(row);
  }

  double largest(int x, int y) {
    const std::size_t rx = sizes_[x].size(), ry = sizes_[y].size();
    const double of_x = alpha_ / static_cast<double>(rx), of_y = alpha_ / static_cast<double>(ry);
    const double of_cell = of_x / static_cast<double>(ry);
    count(x, y);
    double out = 0.0;
    for (std::size_t i = 0; i < rx; ++i)
      for (std::size_t j = 0; j < ry; ++j) {
        const double n = counts_[i * ry + j];
        if (!(n > 0)) continue;
        const double unit = std::min(n, 1.0);  // a cell of less than one row goes as a whole
        const auto fall = [unit](double count, double prior) {
          return unit == 1.0 ? std::log(count - 1.0 + prior) : log_gamma(count + prior) - log_gamma(count - unit + prior);
        };
        out = std::max(out, fall(n, of_cell) - fall(sizes_[x][i], of_x) - fall(sizes_[y][j], of_y) + fall(table_->total, alpha_));
      }
    return out;
  }
};

}  // namespace arcwise
