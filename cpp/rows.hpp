// What a greedy equivalence search keeps for each node: rows of gains and the best operator so far.
#pragma once

#include <cmath>
#include <vector>

#include "arrays.hpp"
#include "essential.hpp"

namespace arcwise {

struct Entry {
  double gain;
  int node;
};

// Gains of toggling single variables in `base`, the parents of a node once `clique` points at it.
struct Row {
  Set base, clique;
  unsigned version = 0;            // the node's count of adjacency changes when the row was filled
  double own = 0.0;                // local score of `base`
  std::vector<Entry> far, near;    // not adjacent: only improving, best first; adjacent: all

  double toward(int x) const {
    for (const Entry& e : near)
      if (e.node == x) return e.gain;
    return -INFINITY;
  }
};

struct Node {
  std::vector<Row> rows;
  unsigned version = 0;
  std::vector<Operator> turns;  // with positive gain, best first; paths not checked
  Operator best;                // tail < 0: none
  double bound = 0.0;           // no operator into the node gains more
  bool dirty = false;           // `best` has to be found again, if `bound` makes it worth while
};

template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {kept->data(), {kept->size()}, owner};
}

}  // namespace arcwise
