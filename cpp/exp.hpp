// 2^x for x <= 0 in plain arithmetic, so that loops over it vectorise.
//
// x = k + f with k whole and |f| <= 1/2. Adding 1.5 x 2^23 (2^52 in double precision) rounds x to k, which then
// lies in the lowest bits of the sum; shifted into the place of the exponent it multiplies by 2^k. 2^f is a
// polynomial through Chebyshev nodes with 2^0 = 1 exact: relative error 2e-7 (degree 5) in single precision,
// 4e-14 (degree 9) in double. Even and odd powers are summed apart, which halves the chain of dependent steps.
// Below `least` the result is 0 exactly: sums of such powers never meet subnormal numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "clones.hpp"

namespace arcwise {

#define ARCWISE_INLINE [[gnu::always_inline]] inline

// Numbers side by side. Sums that are variables of this type stay in registers, where a loop that the compiler
// vectorises by itself keeps more than a few of them in memory.
template <class Real>
struct Wide {
  typedef Real Type __attribute__((vector_size(32), may_alias));
};
template <class Real>
using Lanes = typename Wide<Real>::Type;
template <class Real>
constexpr std::size_t kLanes = 32 / sizeof(Real);

template <class Real>
ARCWISE_INLINE Lanes<Real>& lanes(Real* aligned) { return *reinterpret_cast<Lanes<Real>*>(aligned); }
template <class Real>
ARCWISE_INLINE const Lanes<Real>& lanes(const Real* aligned) { return *reinterpret_cast<const Lanes<Real>*>(aligned); }

ARCWISE_INLINE float total(const Lanes<float>& v) {
  return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}
ARCWISE_INLINE double total(const Lanes<double>& v) { return (v[0] + v[2]) + (v[1] + v[3]); }

// Exponents of base 2 under which a power counts as nothing.
template <class Real>
constexpr Real kLeastPower = sizeof(Real) == 4 ? Real(-115) : Real(-1000);

ARCWISE_INLINE float power_of_two(float x) {
  constexpr float round = 0x1.8p23f;
  const float shifted = x + round;
  const float f = x - (shifted - round);
  const float g = f * f;
  const float even = (0.00133813025f * g + 0.0555038101f) * g + 0.693147181f;
  const float odd = 0.00966636852f * g + 0.24022349f;
  const float p = (odd * f + even) * f + 1.0f;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(p) + (std::bit_cast<std::uint32_t>(shifted) << 23);
  return x > kLeastPower<float> ? std::bit_cast<float>(bits) : 0.0f;
}

ARCWISE_INLINE double power_of_two(double x) {
  constexpr double round = 0x1.8p52;
  const double shifted = x + round;
  const double f = x - (shifted - round);
  const double g = f * f;
  const double even =
      (((1.0203121063391729e-07 * g + 1.525268684626772e-05) * g + 0.0013333558179043112) * g +
       0.055504108664760424) * g + 0.69314718055994529;
  const double odd =
      ((1.3255224878668817e-06 * g + 0.00015403455852453838) * g + 0.0096181291594025584) * g +
      0.24022650695812989;
  const double p = (odd * f + even) * f + 1.0;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(shifted) << 52);
  return x > kLeastPower<double> ? std::bit_cast<double>(bits) : 0.0;
}

}  // namespace arcwise
