// The new edge reversal (Grzegorczyk and Husmeier 2008): turn an arc and draw the parents of both its ends anew.
//
// An arc u -> v is chosen among all. Without the parents of both, u gets parents among them v, in proportion to their weights
// among the sets that leave the graph acyclic, and then v gets parents likewise. The ratio of the probabilities of there and
// back needs the four sums that the sets are drawn by, and the numbers of arcs.
#pragma once

#include "parent_sets.hpp"

namespace arcwise {

// Graphs as rows of bits, the parents of each variable.
class Rows {
 public:
  Rows(int p, std::size_t words) : p_(p), words_(words) {}

  const Word* row(const std::vector<Word>& table, int v) const { return table.data() + static_cast<std::size_t>(v) * words_; }
  Word* row(std::vector<Word>& table, int v) const { return table.data() + static_cast<std::size_t>(v) * words_; }
  template <typename Visit>
  void each(const Word* bits, const Visit& visit) const { each_bit(bits, words_, visit); }

  // For each variable the variables that it leads to.
  std::vector<Word> descendants(const std::vector<Word>& parents) const {
    std::vector<Word> below(parents.size(), 0);
    std::vector<int> waiting(static_cast<std::size_t>(p_), 0), ready;  // children not yet done
    for (int v = 0; v < p_; ++v)
      each(row(parents, v), [&](int u) { ++waiting[u]; });
    for (int v = 0; v < p_; ++v)
      if (waiting[v] == 0) ready.push_back(v);
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const int v = ready[i];
      each(row(parents, v), [&](int u) {
        Word* own = row(below, u);
        for (std::size_t w = 0; w < words_; ++w) own[w] |= row(below, v)[w];
        put(own, v);
        if (--waiting[u] == 0) ready.push_back(u);
      });
    }
    if (ready.size() != static_cast<std::size_t>(p_)) throw nb::value_error("the start of a chain has a cycle");
    return below;
  }

  int arcs(const std::vector<Word>& parents) const { return size_of(parents.data(), parents.size()); }

  // An arc, each with the same probability; there must be one.
  std::pair<int, int> arc(const std::vector<Word>& parents, Random& random) const {
    int place = random.under(arcs(parents)), v = 0, u = -1;
    for (int size; place >= (size = size_of(row(parents, v), words_)); ++v) place -= size;
    each(row(parents, v), [&](int x) {
      if (place-- == 0) u = x;
    });
    return {u, v};
  }

  struct Reversal {
    int tail = -1, head = -1;  // of the arc that is turned; -1 where nothing can be proposed
    std::vector<Word> parents;
    double log_ratio = 0.0;
  };

  Reversal reversal(const std::vector<Word>& parents, ParentSets& sets, Random& random) const {
    Reversal found;
    const int count = arcs(parents);
    if (count == 0) return found;
    const auto [u, v] = arc(parents, random);
    if (sets.place(u, row(parents, u)) < 0 || sets.place(v, row(parents, v)) < 0) return found;
    std::vector<Word> bare(parents), only_u(words_, 0), only_v(words_, 0);
    std::fill_n(row(bare, u), words_, Word{0});
    std::fill_n(row(bare, v), words_, Word{0});
    put(only_u.data(), u);
    put(only_v.data(), v);
    const std::vector<Word> below = descendants(bare), open_u = open(u, below), open_v = open(v, below);
    const double there = sets.log_sum(u, open_u.data(), only_v.data()), back = sets.log_sum(v, open_v.data(), only_u.data());
    if (there == -INFINITY) return found;
    std::vector<Word> next(bare), old(bare);
    std::copy_n(sets.set(sets.draw(u, open_u.data(), only_v.data(), random)), words_, row(next, u));
    const std::vector<Word> rest_v = open(v, descendants(next));
    const double then = sets.log_sum(v, rest_v.data(), nullptr);
    if (then == -INFINITY) return found;
    std::copy_n(sets.set(sets.draw(v, rest_v.data(), nullptr, random)), words_, row(next, v));
    std::copy_n(row(parents, v), words_, row(old, v));
    const std::vector<Word> rest_u = open(u, descendants(old));
    const double again = sets.log_sum(u, rest_u.data(), nullptr);
    found.log_ratio = there + then - back - again + std::log(static_cast<double>(count)) - std::log(static_cast<double>(arcs(next)));
    found.tail = u;
    found.head = v;
    found.parents = std::move(next);
    return found;
  }

 private:
  int p_;
  std::size_t words_;

  // Variables that v may have as parents with these descendants.
  std::vector<Word> open(int v, const std::vector<Word>& below) const {
    std::vector<Word> bits(words_);
    for (std::size_t w = 0; w < words_; ++w) bits[w] = ~row(below, v)[w];
    bits[static_cast<std::size_t>(v) >> 6] &= ~(Word{1} << (v & 63));
    return bits;
  }
};

}  // namespace arcwise
