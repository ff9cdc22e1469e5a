// Orders of elimination, and the trees of cliques that they make.
#pragma once

#include <cstdint>
#include <vector>

#include "essential.hpp"

namespace arcwise {

// An order in which variables are summed out, and what its tables would hold: numbers in all cliques, and in the largest.
struct Plan {
  std::vector<int> order;
  double entries = 0.0, largest = 0.0;
};

// Greedy orders by several rules (fewest or lightest fill-in, lightest clique), the best of them by the sum of table sizes.
Plan best_plan(const std::vector<int>& levels, const std::vector<Set>& scopes);

struct CliqueTree {
  std::vector<Set> cliques;    // variables; those shared with the parent come first
  std::vector<int> parent;     // -1 for a root; parents come after their children
  std::vector<int> shared;     // how many variables are shared with the parent
};

CliqueTree clique_tree(const std::vector<int>& levels, const std::vector<Set>& scopes, const std::vector<int>& order);

}  // namespace arcwise
