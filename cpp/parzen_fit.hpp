// Widths of greatest leave-one-out score: a coarse grid on some rows, then Newton steps on a few, on more and on all.
#pragma once

#include <functional>
#include <vector>

#include "parzen_mesh.hpp"

namespace arcwise::parzen {

// Some rows that stand for all, each against a line of all centres: the rows whose target is furthest from any other
// (leaving one of them out may cost hundreds of nats, and a sample without them would ask for widths too small), and
// evenly spaced ones of the rest, which count for as many as they stand for. Distances of a line are counted from its
// least, so that T is never too small; entries at kFar are no pairs.
class Lines {
 public:
  void bind(const Rows<float>& rows, std::size_t count);  // the rows must stay

  std::size_t count() const { return chosen_.size(); }
  std::size_t width() const { return rows_->width; }
  const float* line(std::size_t q) const;  // valid until the next one is asked for
  const float* y() const { return rows_->y.data(); }
  const float* weights() const { return rows_->weights.data(); }
  float own_y(std::size_t q) const { return rows_->y[chosen_[q].row]; }
  double own_weight(std::size_t q) const { return rows_->weights[chosen_[q].row] * chosen_[q].share; }

  // Leave-one-out score, as the lines tell it.
  Curve loo(Widths widths, std::int64_t levels, bool slopes) const;

 private:
  struct Chosen {
    std::size_t row;
    double share;  // of rows that it stands for
  };

  void choose(std::size_t count);
  void write(std::size_t q, float* out) const;

  const Rows<float>* rows_ = nullptr;
  std::vector<Chosen> chosen_;
  bool kept_ = true;
  mutable Aligned<float> distance_, own_;
};

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

// Places to start from: the peaks of the score on a grid of widths over kGridLines lines at most, best first.
constexpr std::size_t kGridLines = 128;
std::vector<Widths> peaks(const Lines& lines, std::int64_t levels, Freedom freedom, Box box, std::size_t most);

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
  Lines few_, lines_;
  Mesh mesh_;
  Pairs<float> pairs_;
  Pairs<double> last_;
};

}  // namespace arcwise::parzen
