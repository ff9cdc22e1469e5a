// Widths of greatest leave-one-out score: a coarse grid on some rows, then Newton steps on all.
#pragma once

#include <functional>
#include <vector>

#include "parzen_pairs.hpp"

namespace arcwise::parzen {

// Some rows, each against a line of others: all centres, or its neighbours alone. Distances of a line are counted
// from its least, so that T is never too small; entries at kFar are no pairs.
struct Lines {
  std::size_t count = 0, width = 0;
  Aligned<float> distance, y, weights;
  std::size_t y_stride = 0, weights_stride = 0;  // 0: the same line for all; else width
  bool even = false;                             // all weights are 1, and padding lies at kFar
  std::vector<float> own_y;
  std::vector<double> own_weight;

  void clear(std::size_t lines, std::size_t others);
  void counted_from_least(std::size_t row);  // a line whose distances have been written

  // Mean over the first of every `step` lines.
  Curve loo(Widths widths, std::int64_t levels, bool slopes, std::size_t step = 1) const;
};

// `count` evenly spaced rows against all centres.
void sample(const Rows<float>& rows, std::size_t count, Lines& lines);

// How the two widths may move.
enum class Freedom { two, one, out_only };

struct Box {
  double floor, ceiling;  // of widths
  double least, most;     // their logarithms
  Box(double low, double high) : floor(low), ceiling(high), least(std::log(low)), most(std::log(high)) {}
};

struct Climb {
  Widths widths;
  Curve curve;
  int evaluations;
};

// Newton's method in the logarithms of the widths, inside the box. The last step is one that promises less than
// `gain` and is not looked at again: what is left after it is of the order of the gain squared. A climb that comes
// close to a `rival` not below it is given up.
Climb climb(const std::function<Curve(Widths)>& curve, Widths start, Freedom freedom, Box box, double gain,
            const Climb* rival = nullptr);

// Widths exactly inside the box, and a constant for one that has no meaning.
void settle_widths(Widths& widths, Freedom freedom, bool one, Box box);

// The direction in which a peak falls off least, and how fast: by fall / 2 times the square of the way.
struct Ridge {
  double in, out, fall;
};
Ridge ridge_of(const Curve& curve);

// Places to start from: the peaks of the score on a grid of widths over some lines, best first.
std::vector<Widths> peaks(const Lines& lines, std::int64_t levels, Freedom freedom, Box box, std::size_t most);

// Few rows have many peaks, and climbing them costs little.
inline std::size_t starts_for(std::size_t rows) { return rows <= 150 ? 8 : rows <= 300 ? 3 : 1; }

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
