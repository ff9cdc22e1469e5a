// What samplers of graphs share: random numbers, rows of bits, a memory of numbers by bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "arrays.hpp"

namespace arcwise {

using Word = std::uint64_t;
using ConstWords = nb::ndarray<const Word, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Seed = nb::ndarray<const Word, nb::shape<4>, nb::c_contig, nb::device::cpu>;

// xoshiro256++ (Blackman and Vigna 2019).
struct Random {
  std::array<Word, 4> state{};

  Word next() {
    const Word result = std::rotl(state[0] + state[3], 23) + state[0], t = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = std::rotl(state[3], 45);
    return result;
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // Below `size`, each with the same probability (Lemire 2019).
  Word below(Word size) {
    auto product = static_cast<unsigned __int128>(next()) * size;
    if (static_cast<Word>(product) < size)
      for (const Word least = -size % size; static_cast<Word>(product) < least;)
        product = static_cast<unsigned __int128>(next()) * size;
    return static_cast<Word>(product >> 64);
  }
  int under(int size) { return static_cast<int>(below(static_cast<Word>(size))); }
  // Whether a change whose probabilities have this log ratio is taken. A number is drawn whatever the ratio.
  bool takes(double log_ratio) {
    const double u = 1.0 - uniform();
    return log_ratio >= 0.0 || u < std::exp(log_ratio);
  }
  // A place, with probabilities proportional to the exponentials; -1 where all are zero.
  int among(const std::vector<double>& logs) {
    const double most = *std::max_element(logs.begin(), logs.end()), u = uniform();
    if (most == -INFINITY) return -1;
    double sum = 0.0, passed = 0.0;
    for (double log : logs) sum += std::exp(log - most);
    int last = -1;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const double share = std::exp(logs[i] - most);
      if (share > 0.0) last = static_cast<int>(i);
      if ((passed += share) > u * sum) break;
    }
    return last;
  }
};

inline bool has(const Word* bits, int x) { return bits[x >> 6] >> (x & 63) & 1; }
inline void put(Word* bits, int x) { bits[x >> 6] |= Word{1} << (x & 63); }
inline void turn(Word* bits, int x) { bits[x >> 6] ^= Word{1} << (x & 63); }
inline int size_of(const Word* bits, std::size_t words) {
  int sum = 0;
  for (std::size_t w = 0; w < words; ++w) sum += std::popcount(bits[w]);
  return sum;
}
inline bool inside(const Word* small, const Word* large, std::size_t words) {
  for (std::size_t w = 0; w < words; ++w)
    if (small[w] & ~large[w]) return false;
  return true;
}
inline bool meets(const Word* one, const Word* other, std::size_t words) {
  for (std::size_t w = 0; w < words; ++w)
    if (one[w] & other[w]) return true;
  return false;
}
template <typename Visit>
void each_bit(const Word* bits, std::size_t words, const Visit& visit) {
  for (std::size_t w = 0; w < words; ++w)
    for (Word rest = bits[w]; rest; rest &= rest - 1) visit(static_cast<int>(64 * w) + std::countr_zero(rest));
}

// Numbers by bits, for one variable. Key and number lie side by side, as most of the time goes into fetching them.
class Memory {
 public:
  explicit Memory(std::size_t words) : words_(words) { clear(); }

  std::size_t size() const { return used_; }

  // The number of a key; the pointer holds until the next `put`.
  const double* find(const Word* key) const {
    const Slot* slot = place(key);
    return slot[words_].bits == kEmpty ? nullptr : &slot[words_].number;
  }

  void put(const Word* key, double value) {
    if (2 * used_ >= last_) grow();
    auto* slot = const_cast<Slot*>(place(key));
    if (slot[words_].bits == kEmpty) {
      ++used_;
      for (std::size_t w = 0; w < words_; ++w) slot[w].bits = key[w];
    }
    slot[words_].number = value;
  }

  void clear() {
    used_ = 0;
    last_ = 63;
    slots_.assign((last_ + 1) * (words_ + 1), Slot{kEmpty});
  }

 private:
  union Slot {
    Word bits;
    double number;
  };
  static constexpr Word kEmpty = 0x7ff8dead00000000ULL;  // a NaN that is never put
  std::size_t words_, used_ = 0, last_ = 0;
  std::vector<Slot> slots_;  // the words of the key, then the number

  const Slot* place(const Word* key) const {
    Word hash = 0;
    for (std::size_t w = 0; w < words_; ++w) hash = (hash ^ key[w]) * 0x9e3779b97f4a7c15ULL, hash ^= hash >> 29;
    for (std::size_t at = hash & last_;; at = (at + 1) & last_) {
      const Slot* slot = slots_.data() + at * (words_ + 1);
      if (slot[words_].bits == kEmpty) return slot;
      std::size_t w = 0;
      while (w < words_ && slot[w].bits == key[w]) ++w;
      if (w == words_) return slot;
    }
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size(), Slot{kEmpty});
    old.swap(slots_);
    last_ = 2 * last_ + 1;
    used_ = 0;
    std::vector<Word> key(words_);
    for (const Slot* slot = old.data(); slot != old.data() + old.size(); slot += words_ + 1) {
      if (slot[words_].bits == kEmpty) continue;
      for (std::size_t w = 0; w < words_; ++w) key[w] = slot[w].bits;
      put(key.data(), slot[words_].number);
    }
  }
};

// Tells when a tenth of a second has passed, looking at the clock every so many steps.
class Patience {
 public:
  explicit Patience(std::int64_t every) : every_(every) {}

  bool over(std::int64_t steps) {
    if (steps % every_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return false;
    last_ = now;
    return true;
  }

 private:
  std::int64_t every_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace arcwise
