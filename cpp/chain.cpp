// A Markov chain over acyclic graphs that adds or takes out one arc at a time (structure MCMC: Madigan and York 1995).
//
// From G one of the eta(G) graphs that rules and acyclicity allow is proposed, each with the same probability, and accepted
// with min(1, exp(beta (score(G') - score(G))) eta(G) / eta(G')). Scores of parent sets are remembered; where one is not known,
// all that differ from the present set by one parent are asked for together.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "local_scores.hpp"

namespace arcwise {
namespace {

using Word = std::uint64_t;

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
    while (true) {
      const auto product = static_cast<unsigned __int128>(next()) * size;
      if (static_cast<Word>(product) >= -size % size) return static_cast<Word>(product >> 64);
    }
  }
};

// Scores of parent sets of one child, by the bits of the set.
class Memory {
 public:
  explicit Memory(std::size_t words) : words_(words) { grow(64); }

  std::size_t size() const { return used_; }

  const double* find(const Word* key) const {
    const std::size_t slot = place(key);
    return filled_[slot] ? &values_[slot] : nullptr;
  }

  void put(const Word* key, double value) {
    if (2 * used_ >= filled_.size()) grow(2 * filled_.size());
    const std::size_t slot = place(key);
    if (!filled_[slot]) {
      ++used_;
      filled_[slot] = 1;
      std::copy_n(key, words_, keys_.begin() + static_cast<std::ptrdiff_t>(slot * words_));
    }
    values_[slot] = value;
  }

 private:
  std::size_t words_, used_ = 0;
  std::vector<Word> keys_;
  std::vector<double> values_;
  std::vector<char> filled_;

  std::size_t place(const Word* key) const {
    Word hash = 0;
    for (std::size_t w = 0; w < words_; ++w) hash = (hash ^ key[w]) * 0x9e3779b97f4a7c15ULL, hash ^= hash >> 29;
    const std::size_t last = filled_.size() - 1;
    std::size_t slot = hash & last;
    while (filled_[slot] && !std::equal(key, key + words_, keys_.begin() + static_cast<std::ptrdiff_t>(slot * words_)))
      slot = (slot + 1) & last;
    return slot;
  }

  void grow(std::size_t size) {
    std::vector<Word> keys(size * words_);
    std::vector<double> values(size);
    std::vector<char> filled(size, 0);
    keys.swap(keys_);
    values.swap(values_);
    filled.swap(filled_);
    used_ = 0;
    for (std::size_t slot = 0; slot < filled.size(); ++slot)
      if (filled[slot]) put(keys.data() + slot * words_, values[slot]);
  }
};

}  // namespace

class StructureChain {
 public:
  using Bits = nb::ndarray<const Word, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

  StructureChain(Bits allowed, Bits required, Bits start, std::int64_t max_parents, double beta,
                 nb::ndarray<const Word, nb::shape<4>, nb::c_contig, nb::device::cpu> seed)
      : p_(static_cast<int>(allowed.shape(0))), words_(allowed.shape(1)), most_(max_parents), beta_(beta),
        allowed_(allowed.data(), allowed.data() + allowed.size()),
        required_(required.data(), required.data() + required.size()),
        parents_(start.data(), start.data() + start.size()), memory_(p_, Memory(words_)) {
    if (required.size() != allowed.size() || start.size() != allowed.size())
      throw nb::value_error("the tables of a chain have different sizes");
    std::copy_n(seed.data(), 4, random_.state.begin());
    below_ = descendants(parents_);
    legal_ = count(parents_, below_);
  }

  // Take `steps` steps; the states after every `thin`-th as rows of bits, and their scores. (states, scores, accepted, ended)
  nb::tuple run(nb::handle source, std::int64_t steps, std::int64_t thin, nb::callable watch) {
    std::optional<CalledScores> called;
    if (nb::isinstance<LocalScores>(source)) scores_ = nb::cast<LocalScores*>(source);
    else scores_ = &called.emplace(nb::cast<nb::callable>(source), p_);
    std::vector<Word> states;
    std::vector<double> totals;
    std::int64_t accepted = 0, done = 0;
    bool ended = false;
    try {
      if (own_.empty()) {
        std::vector<double> own;
        for (int v = 0; v < p_; ++v) own.push_back(score(v, row(parents_, v)));
        own_ = std::move(own);
      }
      for (; done < steps && !ended; ++done) {
        accepted += step();
        if ((++taken_) % thin == 0) {
          states.insert(states.end(), parents_.begin(), parents_.end());
          totals.push_back(total());
        }
        if ((done & 0xffff) == 0xffff) ended = nb::cast<bool>(watch(done + 1, total()));
      }
    } catch (const Ended&) {
      ended = true;
    }
    return nb::make_tuple(to_numpy(std::move(states)), to_numpy(std::move(totals)), accepted, done, ended);
  }

  // All that the next step needs beside the scores: parents, the state of the generator, steps taken.
  nb::tuple state() const {
    return nb::make_tuple(to_numpy(parents_), to_numpy(std::vector<Word>(random_.state.begin(), random_.state.end())), taken_);
  }
  void set_taken(std::int64_t taken) { taken_ = taken; }
  std::int64_t legal() const { return static_cast<std::int64_t>(legal_); }
  std::size_t known() const {
    std::size_t sum = 0;
    for (const Memory& memory : memory_) sum += memory.size();
    return sum;
  }

 private:
  int p_;
  std::size_t words_;
  std::int64_t most_;
  double beta_;
  std::vector<Word> allowed_, required_, parents_, below_;
  std::vector<Memory> memory_;
  Random random_;
  Word legal_ = 0;
  LocalScores* scores_ = nullptr;
  std::vector<double> own_;
  std::int64_t taken_ = 0;
  std::vector<Word> next_, next_below_;  // of the proposed graph

  double total() const {
    double sum = 0.0;
    for (double x : own_) sum += x;
    return sum;
  }

  const Word* row(const std::vector<Word>& table, int v) const { return table.data() + static_cast<std::size_t>(v) * words_; }
  Word* row(std::vector<Word>& table, int v) const { return table.data() + static_cast<std::size_t>(v) * words_; }
  static bool has(const Word* bits, int x) { return bits[x >> 6] >> (x & 63) & 1; }
  static void turn(Word* bits, int x) { bits[x >> 6] ^= Word{1} << (x & 63); }

  std::int64_t number(const Word* bits) const {
    std::int64_t sum = 0;
    for (std::size_t w = 0; w < words_; ++w) sum += std::popcount(bits[w]);
    return sum;
  }

  // For each variable the variables that it leads to.
  std::vector<Word> descendants(const std::vector<Word>& parents) const {
    std::vector<Word> below(parents.size(), 0);
    std::vector<int> waiting(p_, 0), ready;  // children not yet done
    for (int v = 0; v < p_; ++v)
      each(row(parents, v), [&](int u) { ++waiting[u]; });
    for (int v = 0; v < p_; ++v)
      if (waiting[v] == 0) ready.push_back(v);
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const int v = ready[i];
      each(row(parents, v), [&](int u) {
        Word* own = row(below, u);
        for (std::size_t w = 0; w < words_; ++w) own[w] |= row(below, v)[w];
        own[v >> 6] |= Word{1} << (v & 63);
        if (--waiting[u] == 0) ready.push_back(u);
      });
    }
    if (ready.size() != static_cast<std::size_t>(p_)) throw nb::value_error("the start of a chain has a cycle");
    return below;
  }

  template <typename Visit>
  void each(const Word* bits, const Visit& visit) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (Word rest = bits[w]; rest; rest &= rest - 1) visit(static_cast<int>(64 * w) + std::countr_zero(rest));
  }

  // Bits of v that may be turned: parents that are not required, and variables that may become parents.
  Word changeable(int v, std::size_t w, const std::vector<Word>& parents, const std::vector<Word>& below, bool room) const {
    const std::size_t at = static_cast<std::size_t>(v) * words_ + w;
    return (parents[at] & ~required_[at]) | (room ? allowed_[at] & ~parents[at] & ~below[at] : 0);
  }

  Word count(const std::vector<Word>& parents, const std::vector<Word>& below) const {
    Word sum = 0;
    for (int v = 0; v < p_; ++v) {
      const bool room = number(row(parents, v)) < most_;
      for (std::size_t w = 0; w < words_; ++w) sum += static_cast<Word>(std::popcount(changeable(v, w, parents, below, room)));
    }
    return sum;
  }

  std::pair<int, int> chosen(Word place) const {
    for (int v = 0; v < p_; ++v) {
      const bool room = number(row(parents_, v)) < most_;
      for (std::size_t w = 0; w < words_; ++w) {
        Word bits = changeable(v, w, parents_, below_, room);
        const auto size = static_cast<Word>(std::popcount(bits));
        if (place >= size) {
          place -= size;
          continue;
        }
        for (; place > 0; --place) bits &= bits - 1;
        return {static_cast<int>(64 * w) + std::countr_zero(bits), v};
      }
    }
    return {-1, -1};  // not reached: `place` is below the number of changes
  }

  bool step() {
    if (legal_ == 0) return false;
    const auto [u, v] = chosen(random_.below(legal_));
    const bool adds = !has(row(parents_, v), u);
    next_ = parents_;
    turn(row(next_, v), u);
    if (adds) {
      next_below_ = below_;
      for (int a = 0; a < p_; ++a)
        if (a == u || has(row(below_, a), u)) {
          Word* own = row(next_below_, a);
          for (std::size_t w = 0; w < words_; ++w) own[w] |= row(below_, v)[w];
          own[v >> 6] |= Word{1} << (v & 63);
        }
    } else {
      without(u);
    }
    const Word legal = count(next_, next_below_);
    const double now = toggled(v);
    const double log = beta_ * (now - own_[v]) + std::log(static_cast<double>(legal_)) - std::log(static_cast<double>(legal));
    // A generator step is taken whatever the ratio, so that a chain's numbers do not depend on rounding.
    if (!(std::log1p(-random_.uniform()) < log)) return false;
    own_[v] = now;
    legal_ = legal;
    parents_.swap(next_);
    below_.swap(next_below_);
    return true;
  }

  // What the ancestors of u lead to once u has lost a child: those below it are as they were.
  void without(int u) {
    next_below_ = below_;
    std::vector<int> order;  // u and its ancestors, each before its own ancestors
    for (int a = 0; a < p_; ++a)
      if (a == u || has(row(below_, a), u)) order.push_back(a);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return number(row(below_, a)) < number(row(below_, b));  // whoever leads to another leads to more
    });
    for (int a : order) std::fill_n(row(next_below_, a), words_, Word{0});
    for (int a : order) {
      Word* own = row(next_below_, a);
      for (int c = 0; c < p_; ++c)
        if (has(row(next_, c), a)) {
          for (std::size_t w = 0; w < words_; ++w) own[w] |= row(next_below_, c)[w];
          own[c >> 6] |= Word{1} << (c & 63);
        }
    }
  }

  double score(int v, const Word* bits) {
    if (const double* known = memory_[v].find(bits)) return *known;
    Set path;
    each(bits, [&](int u) { path.push_back(u); });
    Choices found;
    scores_->ask(v, path, false, false, 0.0, found);
    memory_[v].put(bits, found.own);
    return found.own;
  }

  // v's score with the parents that it has in the proposed graph.
  double toggled(int v) {
    if (const double* known = memory_[v].find(row(next_, v))) return *known;
    Set path;
    each(row(parents_, v), [&](int x) { path.push_back(x); });
    Choices found;
    scores_->ask(v, path, true, true, -INFINITY, found);
    std::vector<Word> key(row(parents_, v), row(parents_, v) + words_);
    for (const auto* options : {&found.more, &found.fewer})
      for (const Option& option : *options) {
        turn(key.data(), option.node);
        memory_[v].put(key.data(), option.score);
        turn(key.data(), option.node);
      }
    if (const double* known = memory_[v].find(row(next_, v))) return *known;
    memory_[v].put(row(next_, v), -INFINITY);  // a set that is impossible is not among the options
    return -INFINITY;
  }
};

}  // namespace arcwise

void bind_chain(nanobind::module_& m) {
  namespace nb = nanobind;
  using arcwise::StructureChain;
  nb::class_<StructureChain>(m, "StructureChain")
      .def(nb::init<StructureChain::Bits, StructureChain::Bits, StructureChain::Bits, std::int64_t, double,
                    nb::ndarray<const std::uint64_t, nb::shape<4>, nb::c_contig, nb::device::cpu>>())
      .def("run", &StructureChain::run)
      .def("state", &StructureChain::state)
      .def("set_taken", &StructureChain::set_taken)
      .def_prop_ro("legal", &StructureChain::legal)
      .def_prop_ro("known", &StructureChain::known);
}
