// What a greedy equivalence search keeps for each node (rows of gains, the best operator so far), how many
// of them it keeps, where they come from, and who may end it.
#pragma once

#include <chrono>
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

// Largest size of the sets of neighbours to go through: all of them where no clique of `near` has more than
// `most` members, else the largest size with at most 2^most sets beside the empty and the single ones. The
// neighbours of a node are chordal: in the order of a maximum cardinality search the earlier neighbours of
// each form a clique, so with m of them a node is the last of C(m, k) cliques of k + 1 nodes.
inline std::size_t size_bound(const EssentialGraph& graph, const Set& near, std::size_t most) {
  const std::size_t n = near.size();
  if (n <= most) return n;
  std::vector<int> earlier(n, 0);
  std::vector<char> visited(n, 0);
  std::size_t largest = 0;
  for (std::size_t round = 0; round < n; ++round) {
    std::size_t next = n;
    for (std::size_t i = 0; i < n; ++i)
      if (!visited[i] && (next == n || earlier[i] > earlier[next])) next = i;
    visited[next] = 1;
    largest = std::max(largest, static_cast<std::size_t>(earlier[next]) + 1);
    for (std::size_t i = 0; i < n; ++i)
      if (!visited[i] && graph.adjacent(near[i], near[next])) ++earlier[i];
  }
  if (largest <= most) return n;
  std::vector<double> choices(n, 1.0);  // C(m, size)
  double room = std::ldexp(1.0, static_cast<int>(most));
  std::size_t size = std::min<std::size_t>(1, most);
  while (size < most) {
    for (std::size_t i = 0; i < n; ++i) {
      choices[i] *= (earlier[i] - static_cast<double>(size) + 1.0) / static_cast<double>(size);
      room -= choices[i];
    }
    if (room < 0.0) break;
    ++size;
  }
  return size;
}

// Asks the watcher, but not more often than it is worth, whether the search should end.
class Pulse {
 public:
  using Clock = std::chrono::steady_clock;

  double score = -INFINITY;  // of the class reached, once it is known
  bool ended = false;

  explicit Pulse(nb::callable watch) : watch_(std::move(watch)), last_(Clock::now()) {}

  // A moment inside a step: not recorded.
  bool tick(int edges) {
    if (!ended && Clock::now() - last_ > std::chrono::milliseconds(50)) tell(-1, -1, -1, edges);
    return ended;
  }

  bool step(const Operator& op, int edges) {
    score += op.gain;
    tell(static_cast<int>(op.kind), op.tail, op.head, edges);
    return ended;
  }

 private:
  nb::callable watch_;
  Clock::time_point last_;

  void tell(int kind, int tail, int head, int edges) {
    if (nb::cast<bool>(watch_(kind, tail, head, score, edges))) ended = true;
    last_ = Clock::now();
  }
};

// Where the scores come from.
class Source {
 public:
  using Wanted = std::vector<std::pair<int, const Set*>>;  // nodes with parents

  explicit Source(nb::callable rows) : rows_(std::move(rows)) {}

  // Local scores (m,) of m nodes with their parents, and those with each of p variables toggled (m, p).
  nb::object ask(const Wanted& wanted, std::size_t p) const {
    std::vector<std::int64_t> children, indptr{0}, indices;
    for (const auto& [y, base] : wanted) {
      children.push_back(y);
      indices.insert(indices.end(), base->begin(), base->end());
      indptr.push_back(static_cast<std::int64_t>(indices.size()));
    }
    nb::object answer = rows_(to_numpy(std::move(children)), to_numpy(std::move(indptr)), to_numpy(std::move(indices)));
    const std::size_t number = nb::cast<ConstVector>(answer[0]).shape(0);
    const auto toggled = nb::cast<ConstMatrix>(answer[1]);
    if (number != wanted.size() || toggled.shape(0) != number || toggled.shape(1) != p)
      throw nb::value_error("the rows of scores have another shape than was asked for");
    return answer;
  }

 private:
  nb::callable rows_;
};

}  // namespace arcwise
