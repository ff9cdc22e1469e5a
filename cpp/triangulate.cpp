#include "triangulate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace arcwise {
namespace {

// An undirected graph that loses one node after the other; neighbours of a lost node become neighbours of each other.
class Shrinking {
 public:
  Shrinking(const std::vector<int>& levels, const std::vector<Set>& scopes)
      : size_(levels.size()), words_((size_ + 63) / 64), bits_(size_ * words_, 0), near_(size_), weight_(size_), levels_(levels) {
    for (const Set& scope : scopes)
      for (int a : scope)
        for (int b : scope)
          if (a != b && !linked(a, b)) link(a, b);
    for (std::size_t v = 0; v < size_; ++v) weight_[v] = std::log(static_cast<double>(levels[v]));
  }

  bool linked(int a, int b) const { return bits_[a * words_ + (b >> 6)] >> (b & 63) & 1; }
  const Set& near(int v) const { return near_[v]; }

  double log_size(int v) const {
    double sum = weight_[v];
    for (int x : near_[v]) sum += weight_[x];
    return sum;
  }

  double size(int v) const {
    double product = levels_[v];
    for (int x : near_[v]) product *= levels_[x];
    return product;
  }

  // How many links are missing among the neighbours, or their weight.
  double fill(int v, bool weighted) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < near_[v].size(); ++i)
      for (std::size_t j = i + 1; j < near_[v].size(); ++j)
        if (const int a = near_[v][i], b = near_[v][j]; !linked(a, b)) sum += weighted ? weight_[a] + weight_[b] : 1.0;
    return sum;
  }

  // How much less the same is for x once v is gone, where taking v out adds no link.
  double lost(int x, int v, bool weighted) const {
    double sum = 0.0;
    for (int y : near_[x])
      if (y != v && !linked(y, v)) sum += weighted ? weight_[y] + weight_[v] : 1.0;
    return sum;
  }

  // Take v out; the nodes whose figures may have changed, and whether links were added.
  std::pair<Set, bool> remove(int v) {
    const Set around = near_[v];
    bool filled = false;
    for (std::size_t i = 0; i < around.size(); ++i)
      for (std::size_t j = i + 1; j < around.size(); ++j)
        if (!linked(around[i], around[j])) {
          link(around[i], around[j]);
          near_[around[j]].push_back(around[i]);
          bits_[around[j] * words_ + (around[i] >> 6)] |= std::uint64_t{1} << (around[i] & 63);
          filled = true;
        }
    for (int x : around) {
      near_[x].erase(std::find(near_[x].begin(), near_[x].end(), v));
      bits_[x * words_ + (v >> 6)] &= ~(std::uint64_t{1} << (v & 63));
    }
    Set changed = around;
    if (filled)
      for (int x : around) changed.insert(changed.end(), near_[x].begin(), near_[x].end());
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    return {std::move(changed), filled};
  }

 private:
  std::size_t size_, words_;
  std::vector<std::uint64_t> bits_;
  std::vector<Set> near_;
  std::vector<double> weight_;  // logarithms of the numbers of levels
  std::vector<int> levels_;

  void link(int a, int b) {
    bits_[a * words_ + (b >> 6)] |= std::uint64_t{1} << (b & 63);
    near_[a].push_back(b);
  }
};

constexpr std::size_t hub = 256;

enum class Rule { fill, weighted_fill, size };

Plan greedy(const std::vector<int>& levels, Shrinking graph, Rule rule) {
  const auto p = static_cast<int>(levels.size());
  struct Rank {
    double first, second;
    bool operator<(const Rank& other) const {
      return first != other.first ? first < other.first : second < other.second;
    }
  };
  const bool weighted = rule == Rule::weighted_fill;
  std::vector<double> fills(p);
  const auto rank = [&](int v) -> Rank {
    const double size = graph.log_size(v);
    return rule == Rule::size ? Rank{size, fills[v]} : Rank{fills[v], size};
  };
  std::vector<Rank> ranks(p);
  std::vector<bool> gone(p, false);
  for (int v = 0; v < p; ++v) {
    fills[v] = graph.fill(v, weighted);
    ranks[v] = rank(v);
  }
  Plan plan;
  for (int step = 0; step < p; ++step) {
    int next = -1;
    for (int v = 0; v < p; ++v)
      if (!gone[v] && (next < 0 || ranks[v] < ranks[next])) next = v;
    const double size = graph.size(next);
    plan.entries += size;
    plan.largest = std::max(plan.largest, size);
    plan.order.push_back(next);
    gone[next] = true;
    const Set around = graph.near(next);
    std::vector<double> less(around.size(), -1.0);  // of hubs, whose links are too many to be counted again each time
    for (std::size_t i = 0; i < around.size(); ++i)
      if (graph.near(around[i]).size() > hub) less[i] = graph.lost(around[i], next, weighted);
    const auto [changed, filled] = graph.remove(next);
    for (int x : changed) {
      const auto i = static_cast<std::size_t>(std::find(around.begin(), around.end(), x) - around.begin());
      const bool known = !filled && i < around.size() && less[i] >= 0.0;
      fills[x] = known ? fills[x] - less[i] : graph.fill(x, weighted);
      ranks[x] = rank(x);
    }
  }
  return plan;
}

}  // namespace

Plan best_plan(const std::vector<int>& levels, const std::vector<Set>& scopes) {
  const Shrinking graph(levels, scopes);
  Plan best;
  best.entries = INFINITY;
  for (Rule rule : {Rule::fill, Rule::weighted_fill, Rule::size}) {
    Plan plan = greedy(levels, graph, rule);
    if (plan.entries < best.entries) best = std::move(plan);
  }
  return best;
}

CliqueTree clique_tree(const std::vector<int>& levels, const std::vector<Set>& scopes, const std::vector<int>& order) {
  const auto p = static_cast<int>(levels.size());
  Shrinking graph(levels, scopes);
  std::vector<int> when(p);
  for (int i = 0; i < p; ++i) when[order[i]] = i;
  std::vector<Set> around(p);  // by step: what the eliminated variable was linked to
  for (int i = 0; i < p; ++i) {
    around[i] = graph.near(order[i]);
    graph.remove(order[i]);
  }
  // Step i hands its neighbours to the step that eliminates the first of them; where these are all that step has, the two
  // are one clique.
  std::vector<int> next(p, -1), held(p);
  std::vector<bool> merged(p, false);
  for (int i = 0; i < p; ++i) {
    held[i] = i;
    for (int x : around[i])
      if (next[i] < 0 || when[x] < next[i]) next[i] = when[x];
  }
  for (int i = 0; i < p; ++i)
    if (const int j = next[i]; j >= 0 && !merged[j] && around[j].size() + 1 == around[i].size()) {
      merged[j] = true;
      held[j] = i;
    }
  const auto holder = [&](int i) {
    while (held[i] != i) i = held[i];
    return i;
  };
  std::vector<int> up(p, -1);  // the clique beside which each clique hangs
  for (int i = 0; i < p; ++i) {
    if (merged[i]) continue;
    int j = i;  // the last step that this clique holds hands on
    while (next[j] >= 0 && holder(next[j]) == i) j = next[j];
    if (next[j] >= 0) up[i] = holder(next[j]);
  }
  // Children before parents.
  std::vector<std::vector<int>> below(p);
  std::vector<int> roots, line;
  for (int i = 0; i < p; ++i)
    if (!merged[i]) (up[i] < 0 ? roots : below[up[i]]).push_back(i);
  for (int root : roots) line.push_back(root);
  for (std::size_t k = 0; k < line.size(); ++k) line.insert(line.end(), below[line[k]].begin(), below[line[k]].end());
  std::reverse(line.begin(), line.end());
  std::vector<int> place(p, -1);
  for (std::size_t k = 0; k < line.size(); ++k) place[line[k]] = static_cast<int>(k);
  CliqueTree tree;
  for (int i : line) {
    Set own = around[i];
    own.push_back(order[i]);
    std::sort(own.begin(), own.end());
    Set common;
    if (up[i] >= 0) {
      Set above = around[up[i]];
      above.push_back(order[up[i]]);
      std::sort(above.begin(), above.end());
      std::set_intersection(own.begin(), own.end(), above.begin(), above.end(), std::back_inserter(common));
    }
    Set sorted = common;
    for (int x : own)
      if (!std::binary_search(common.begin(), common.end(), x)) sorted.push_back(x);
    tree.cliques.push_back(std::move(sorted));
    tree.parent.push_back(up[i] < 0 ? -1 : place[up[i]]);
    tree.shared.push_back(static_cast<int>(common.size()));
  }
  return tree;
}

}  // namespace arcwise
