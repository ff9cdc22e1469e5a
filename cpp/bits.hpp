// Rows counted 64 at a time: bits that masks have in common, by the instructions that the machine has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "clones.hpp"

namespace arcwise {

// Bits that M masks have in common with L rows of bits, which lie behind each other; counts by row of bits, `n` apart.
template <int M, int L>
[[gnu::always_inline]] inline void count_tile(const std::uint64_t* masks, const std::uint64_t* bits, std::size_t words,
                                              std::int32_t* counts, std::size_t n) {
  std::int64_t sums[M][L] = {};
  for (std::size_t i = 0; i < words; ++i)
    for (int m = 0; m < M; ++m)
      for (int l = 0; l < L; ++l) sums[m][l] += __builtin_popcountll(masks[m * words + i] & bits[l * words + i]);
  for (int m = 0; m < M; ++m)
    for (int l = 0; l < L; ++l) counts[l * n + m] = static_cast<std::int32_t>(sums[m][l]);
}

// Bits that each of n masks has in common with each of some rows of bits: counts (rows, n).
[[gnu::always_inline]] inline void count_common(const std::uint64_t* masks, std::size_t n, const std::uint64_t* bits,
                                                std::size_t rows, std::size_t words, std::int32_t* counts) {
  std::size_t m = 0;
  for (; m + 4 <= n; m += 4) {
    std::size_t l = 0;
    for (; l + 2 <= rows; l += 2) count_tile<4, 2>(masks + m * words, bits + l * words, words, counts + l * n + m, n);
    if (l < rows) count_tile<4, 1>(masks + m * words, bits + l * words, words, counts + l * n + m, n);
  }
  for (; m < n; ++m)
    for (std::size_t l = 0; l < rows; ++l)
      count_tile<1, 1>(masks + m * words, bits + l * words, words, counts + l * n + m, n);
}

using Common = void (*)(const std::uint64_t*, std::size_t, const std::uint64_t*, std::size_t, std::size_t, std::int32_t*);

ARCWISE_CLONES
static void common_words(const std::uint64_t* masks, std::size_t n, const std::uint64_t* bits, std::size_t rows,
                         std::size_t words, std::int32_t* counts) {
  count_common(masks, n, bits, rows, words, counts);
}

// The function for this machine, and the pairs of cells and levels up to which it beats counting row by row.
struct Counter {
  Common common = common_words;
  std::size_t most_pairs = 85;
};

#ifdef ARCWISE_COUNTS_BITS
ARCWISE_COUNTS_BITS
static void common_wide(const std::uint64_t* masks, std::size_t n, const std::uint64_t* bits, std::size_t rows,
                        std::size_t words, std::int32_t* counts) {
  count_common(masks, n, bits, rows, words, counts);
}

static const Counter kCounter = __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl")
                                    ? Counter{common_wide, 400}
                                    : Counter{};
#else
static const Counter kCounter;
#endif

}  // namespace arcwise
