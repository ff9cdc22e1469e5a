// 2^x for x <= 0 in plain arithmetic, so that loops over it vectorise.
//
// x = k + f with k whole and |f| <= 1/2. Adding 1.5 x 2^23 (2^52 in double precision) rounds x to k, which then
// lies in the lowest bits of the sum; shifted into the place of the exponent it multiplies by 2^k. 2^f is a
// polynomial through Chebyshev nodes with 2^0 = 1 exact: relative error 5e-9 (degree 6) in single precision,
// 6e-16 (degree 10) in double. Even and odd powers are summed apart, which halves the chain of dependent steps.
// Below `least` the result is 0 exactly: sums of such powers never meet subnormal numbers.
#pragma once

#include <bit>
#include <cstdint>

namespace arcwise {

#define ARCWISE_INLINE [[gnu::always_inline]] inline

// One portable binary, two sets of instructions: the loader takes the clone with AVX2 and FMA wherever the
// machine has them. (A clone for "arch=haswell" would be taken on Intel's processors of that family alone.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#if __GNUC__ >= 12
#define ARCWISE_WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define ARCWISE_WIDE __attribute__((target_clones("avx2", "default")))
#endif
#else
#define ARCWISE_WIDE
#endif

// Exponents of base 2 under which a power counts as nothing.
template <class Real>
constexpr Real kLeastPower = sizeof(Real) == 4 ? Real(-115) : Real(-1000);

ARCWISE_INLINE float power_of_two(float x) {
  constexpr float round = 0x1.8p23f;
  const float shifted = x + round;
  const float f = x - (shifted - round);
  const float g = f * f;
  const float even = (0.00133908634f * g + 0.0555035711f) * g + 0.693147188f;
  const float odd = (0.000154531629f * g + 0.00961808256f) * g + 0.240226508f;
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
      (((1.0205905413765595e-07 * g + 1.5252672924850737e-05) * g + 0.0013333558200794592) * g +
       0.05550410866465167) * g + 0.69314718055994617;
  const double odd =
      (((7.0709778665081391e-09 * g + 1.3215451633221434e-06) * g + 0.00015403530424776529) * g +
       0.0096181291076186653) * g + 0.24022650695910075;
  const double p = (odd * f + even) * f + 1.0;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(shifted) << 52);
  return x > kLeastPower<double> ? std::bit_cast<double>(bits) : 0.0;
}

}  // namespace arcwise
