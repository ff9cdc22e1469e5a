// Non-negative numbers with an exponent of 64 bits: products of many thousand probabilities neither vanish nor overflow.
//
// Their digits are those of a double. Arithmetic is some ten times slower, so they are used only where a bound on the
// exponents says that doubles could underflow (Deep).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace arcwise {

struct Wide {
  double part = 0.0;  // from 0.5 to below 1, or 0
  std::int64_t power = 0;

  Wide() = default;
  Wide(double x) {  // NOLINT: numbers are numbers
    int e = 0;
    part = std::frexp(x, &e);
    power = e;
  }
  Wide(double digits, std::int64_t shift) : Wide(digits) { power = part == 0.0 ? 0 : power + shift; }

  explicit operator double() const {
    return std::ldexp(part, static_cast<int>(std::clamp<std::int64_t>(power, -4000, 4000)));
  }

  Wide& operator*=(const Wide& other) {
    part *= other.part;
    power += other.power;
    if (part < 0.5) {
      part *= 2.0;
      --power;
    }
    if (part == 0.0) power = 0;
    return *this;
  }
  Wide& operator/=(const Wide& other) {  // by a positive number
    part /= other.part;
    power -= other.power;
    if (part >= 1.0) {
      part *= 0.5;
      ++power;
    }
    if (part == 0.0) power = 0;
    return *this;
  }
  Wide& operator+=(const Wide& other) {
    if (other.part == 0.0) return *this;
    if (part == 0.0) return *this = other;
    const std::int64_t apart = power - other.power;
    if (apart >= 0) {
      if (apart < 64) part += std::ldexp(other.part, -static_cast<int>(apart));
    } else {
      part = other.part + (apart > -64 ? std::ldexp(part, static_cast<int>(apart)) : 0.0);
      power = other.power;
    }
    if (part >= 1.0) {
      part *= 0.5;
      ++power;
    }
    return *this;
  }
  friend Wide operator/(Wide a, const Wide& b) { return a /= b; }
  friend Wide operator+(Wide a, const Wide& b) { return a += b; }
  friend bool operator<(const Wide& a, const Wide& b) {
    if (a.part == 0.0 || b.part == 0.0) return a.part < b.part;
    return a.power != b.power ? a.power < b.power : a.part < b.part;
  }
  friend bool operator>(const Wide& a, const Wide& b) { return b < a; }
};

inline double log_of(double x) { return std::log(x); }
inline double log_of(const Wide& x) { return std::log(x.part) + static_cast<double>(x.power) * 0.693147180559945309417; }

// A number of a row, with the row's sum: what it is compared by.
inline double beside_sum(double x, double) { return x; }
inline double beside_sum(const Wide& x, const Wide& sum) { return static_cast<double>(x / sum); }

// Thrown where doubles may not reach: the question is then asked of wide numbers.
struct Deep {};

// How far numbers reach down, in powers of two: the least exponent of those above zero, and the largest.
struct Reach {
  int low = 0, high = 0;

  static Reach of(const double* x, std::size_t n) {
    double least = HUGE_VAL, most = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      most = x[i] > most ? x[i] : most;
      least = x[i] > 0.0 && x[i] < least ? x[i] : least;
    }
    return most > 0.0 ? Reach{std::ilogb(least), std::ilogb(most)} : Reach{};
  }
  static Reach of(const Wide*, std::size_t) { return {}; }  // they reach everywhere
};

inline constexpr int deepest = -960;  // exponents of doubles end at -1022, with all digits

// Shift numbers by a power of two that makes the largest about one; the power.
inline int lift(double* x, std::size_t n) {
  const Reach found = Reach::of(x, n);
  const double factor = std::ldexp(1.0, -found.high);
  if (found.high != 0)
    for (std::size_t i = 0; i < n; ++i) x[i] *= factor;
  return found.high;
}
inline int lift(Wide*, std::size_t) { return 0; }

}  // namespace arcwise
