// Local scores as compiled searches see them: what one parent more or one less would make of a score.
#pragma once

#include <vector>

#include "arrays.hpp"
#include "essential.hpp"
#include "regression.hpp"

namespace arcwise {

struct Option {
  double score;
  int node;
};

struct Choices {
  double own = 0.0;           // score of the base set itself
  std::vector<Option> more;   // variables outside it whose addition scores more than `own` + tolerance, in any order
  std::vector<Option> fewer;  // its members, with the score once they are taken out
};

// Thrown where the watcher of a dear score wants an end.
struct Ended {};

class LocalScores {
 public:
  virtual ~LocalScores() = default;

  // The base set comes in the order in which it grew. `outside` and `inside` say which of the lists are wanted.
  virtual void ask(int child, const Set& path, bool outside, bool inside, double tolerance, Choices& out) = 0;
};

// Scores of linear regressions that need nothing but the residual share r of the child's variance and
// log det R_BB of its m parents, as do BIC and its relatives (slope -n/2, weight 0) and BGe:
//
//   offset[m] + slope[m] (log r + shift[child]) + weight (log det R_BB + sum of spread over the parents)
//
// Below `knee` log r goes on as a straight line: log knee + r / knee - 1.
class GaussianScores final : public LocalScores {
 public:
  GaussianScores(ConstMatrix R, double tolerance, double floor, double knee, ConstVector offset, ConstVector slope,
                 ConstVector shift, double weight, ConstVector spread);

  void ask(int child, const Set& path, bool outside, bool inside, double tolerance, Choices& out) override;

 private:
  ConstMatrix R_;
  ConstVector offset_, slope_, shift_, spread_;
  double knee_, weight_;
  Toggles toggles_;
  std::vector<double> residual_, pivot_;

  double value(int child, std::size_t m, double residual, double logdet) const;
};

// Scores from a callback: (child, base, among) -> the base's own score and those with each of `among` toggled,
// or None for an end.
class CalledScores final : public LocalScores {
 public:
  CalledScores(nb::callable rows, int p) : rows_(std::move(rows)), p_(p) {}

  void ask(int child, const Set& path, bool outside, bool inside, double tolerance, Choices& out) override;

 private:
  nb::callable rows_;
  int p_;
};

}  // namespace arcwise
