// Widths of greatest leave-one-out score: a coarse grid on some rows, then Newton steps on all.
#pragma once

#include <functional>

#include "parzen_pairs.hpp"

namespace arcwise::parzen {

// Some rows, each against a line of others: all centres, or its neighbours alone. Distances of a line are counted
// from its least, so that T is never too small; entries at kFar are no pairs.
struct Lines {
  std::size_t count = 0, width = 0;
  Aligned<float> distance, y, weights;  // y and weights: one line for all (stride 0) or one each (stride width)
  std::size_t stride = 0;
  std::vector<float> own_y;
  std::vector<double> own_weight;

  Curve loo(Widths widths, std::int64_t levels, bool slopes) const;
};

// `count` evenly spaced rows against all centres.
void sample(const Rows<float>& rows, std::size_t count, Lines& lines);

// How the two widths may move.
enum class Freedom { two, one, out_only };

struct Box {
  double least, most;  // logarithms of the bounds on widths
};

struct Climb {
  Widths widths;
  Curve curve;
  int evaluations;
};

// Newton's method in the logarithms of the widths, inside the box, until a step promises less than `gain`.
Climb climb(const std::function<Curve(Widths)>& curve, Widths start, Freedom freedom, Box box, double gain, int most);

// Good places to start from, best first, by values on a grid of widths over the lines.
std::vector<Widths> starts(const Lines& lines, std::int64_t levels, Freedom freedom, Box box);

struct Fitted {
  Widths widths;
  double value;
  int evaluations;
};

// Fits one set after the other; keeps nothing but memory from one to the next.
class Fitter {
 public:
  Fitted fit(const Source& source, std::int64_t child, std::int64_t levels, const std::int64_t* set, std::size_t k,
             bool one, Box box);

 private:
  Rows<float> rough_;
  Rows<double> exact_;
  Lines lines_;
  Pairs<float> pairs_;
  Pairs<double> last_;
};

}  // namespace arcwise::parzen
