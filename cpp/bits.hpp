// Rows counted 64 at a time: bits that masks have in common, by the instructions that the machine has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clones.hpp"

namespace arcwise {

// How many bits each of n masks has in common with a row of bits.
[[gnu::always_inline]] inline void count_common(const std::uint64_t* masks, std::size_t n, const std::uint64_t* bits,
                                                std::size_t words, std::int32_t* counts) {
  std::size_t m = 0;
  for (; m + 4 <= n; m += 4) {
    const std::uint64_t *a = masks + m * words, *b = a + words, *c = b + words, *d = c + words;
    std::int64_t in_a = 0, in_b = 0, in_c = 0, in_d = 0;
    for (std::size_t i = 0; i < words; ++i) {
      in_a += __builtin_popcountll(a[i] & bits[i]);
      in_b += __builtin_popcountll(b[i] & bits[i]);
      in_c += __builtin_popcountll(c[i] & bits[i]);
      in_d += __builtin_popcountll(d[i] & bits[i]);
    }
    counts[m] = static_cast<std::int32_t>(in_a), counts[m + 1] = static_cast<std::int32_t>(in_b);
    counts[m + 2] = static_cast<std::int32_t>(in_c), counts[m + 3] = static_cast<std::int32_t>(in_d);
  }
  for (; m < n; ++m) {
    std::int64_t in_a = 0;
    for (std::size_t i = 0; i < words; ++i) in_a += __builtin_popcountll(masks[m * words + i] & bits[i]);
    counts[m] = static_cast<std::int32_t>(in_a);
  }
}

using Common = void (*)(const std::uint64_t*, std::size_t, const std::uint64_t*, std::size_t, std::int32_t*);

ARCWISE_CLONES
static void common_words(const std::uint64_t* masks, std::size_t n, const std::uint64_t* bits, std::size_t words,
                  std::int32_t* counts) {
  count_common(masks, n, bits, words, counts);
}

// The function for this machine, and the pairs of cells and levels up to which it beats counting row by row.
struct Counter {
  Common common = common_words;
  std::size_t most_pairs = 85;
};

#ifdef ARCWISE_COUNTS_BITS
ARCWISE_COUNTS_BITS
static void common_wide(const std::uint64_t* masks, std::size_t n, const std::uint64_t* bits, std::size_t words,
                 std::int32_t* counts) {
  count_common(masks, n, bits, words, counts);
}

static const Counter kCounter = __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl")
                             ? Counter{common_wide, 400}
                             : Counter{};
#else
static const Counter kCounter;
#endif

}  // namespace arcwise
