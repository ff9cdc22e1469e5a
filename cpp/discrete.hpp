// Local scores of tables of probabilities, from counts.
#pragma once

#include <memory>
#include <vector>

#include "counts.hpp"
#include "discrete_terms.hpp"
#include "local_scores.hpp"
#include "row_influence.hpp"

namespace arcwise {

// What is summed over the configurations j of the parents, with counts N_jk of the child's r levels:
//
//   likelihood   sum_k N_jk log (N_jk / N_j)
//   marginal     log G(a_j) - log G(a_j + N_j) + sum_k [log G(a_jk + N_jk) - log G(a_jk)]
//   loo          sum_k N_jk log ((N_jk - 1 + a_jk) / (N_j - 1 + a_j)), each row without itself
//
// where a_jk is alpha for each cell, or a share of alpha: of a configuration's, of the table's, or of one that has
// only the configurations that occur (a_j = r a_jk).
enum class Sum : int { likelihood = 0, marginal = 1, loo = 2 };
enum class Each : int { cell = 0, row = 1, table = 2, seen = 3 };

// Charges: `per_param` for each of the (r - 1) q free probabilities, `by_size[m]` for m parents, and, with `nml`, the
// quotient normalised maximum likelihood's regret(n, r q) - regret(n, q) (Silander et al. 2018).
struct Charges {
  double per_param = 0.0;
  std::vector<double> by_size;
  bool nml = false;
  double most_cells = 0.0;  // larger tables score -inf
  std::shared_ptr<RowInfluence> influence;  // what one row gives to a pair, for each parent; none where it is null
};

class DiscreteScores final : public LocalScores {
 public:
  DiscreteScores(std::shared_ptr<DiscreteTable> table, int kind, int each, double alpha, double per_param,
                 ConstVector by_size, bool nml, double most_cells, double jackknife);
  // The same sums with other charges by the number of parents; both remember what either has summed.
  DiscreteScores(const DiscreteScores& other, ConstVector by_size);

  void ask(int child, const Set& path, bool outside, bool inside, double tolerance, Choices& out) override;

  double score(int child, const Set& parents);
  // The score of `base`, then those with each of `among` put in or taken out.
  std::vector<double> toggles(int child, const Set& base, const Set& among);
  // Scores of `always` with every subset of `candidates`, by bit mask; NaN for sets of more than `most`.
  std::vector<double> subsets(int child, const Set& candidates, const Set& always, std::size_t most);

 private:
  std::shared_ptr<DiscreteTable> table_;
  Sum kind_;
  Each each_;
  double alpha_;
  Charges charges_;
  std::shared_ptr<Terms> terms_;
  std::shared_ptr<SumMemory> memory_;
  Set path_;                                      // the columns that stack_ is divided by, one after the other
  std::vector<Groups> stack_;
  Cells cells_, fewer_;
  std::vector<std::int32_t> joint_, tally_;       // scratch: group and level of each row, counts of a sweep
  std::vector<std::uint64_t> masks_;              // the rows of each cell in `cells_`
  std::vector<double> weighted_;
  Groups split_;

  const Groups& groups(const Set& path);
  double possible(const Set& parents) const;
  double charge(int child, double possible, std::size_t parents);
  double influence(int child, const Set& parents);
  double sum(const Cells& cells, int r, double possible);
  struct Prior {
    double of_group, of_level;
    Rise *group, *level;  // for marginal likelihoods
  };
  Prior prior(int r, double possible, double seen);
  double group_term(const Prior& prior, double n) const;
  double cell_term(const Prior& prior, double n) const;
  double with(int child, const Groups& base, int x);
  void by_bits(int child, const Groups& base, int x);
  void by_rows(int child, const Groups& base, int x);
  // A dense table by group, level of the child and level of the new parent: their numbers, and how far apart two of the
  // child's levels and two of the parent's are.
  struct Shape {
    std::size_t groups, r, rx, apart, apart_x;
  };
  double dense_sum(const Shape& shape, double possible);
  template <typename Count>
  double table_sum(const Count* counts, const Shape& shape, double possible);
  double without(int child, const Set& base, std::size_t place, const Groups& groups);
  bool cells_by_bits(int child, const Set& base, const Groups& groups);
  void join(int child, const Groups& base);
  bool bits_ready_ = false, joint_ready_ = false;
};

}  // namespace arcwise
