// Members of a Markov equivalence class that obey rules about directions.
//
// Dor and Tarsi (1992), "A simple algorithm to construct a consistent extension of a partially oriented
// graph", run on one chain component at a time: take out a node that may be last (no rule makes it point
// at a node still there, and those linked to it by a free edge are linked to all its others), until none
// is left. It fails only if no member obeys.
#pragma once

#include <vector>

#include "essential.hpp"

namespace arcwise {

// What a search may not do. `barred` (child, parent): arcs that may not be; `kept`: pairs that stay linked.
struct Directions {
  bool any;
  BitMatrix barred, kept;

  bool shut(int x, int y) const { return any && barred.test(x, y) && barred.test(y, x); }
  // May a member have x - y as x -> y only?
  bool forces(int x, int y) const { return any && barred.test(x, y); }
};

class Extension {
 public:
  Extension(EssentialGraph& graph, const Directions& rules)
      : parents(graph.parents), graph_(graph), rules_(rules), gone_(graph.size(), 0), seen_(graph.size(), 0) {}

  std::vector<Set> parents;  // of the member found, ascending

  // Find the member in which ties go to smaller numbers first; false if the rules allow none.
  bool find() {
    for (int y = 0; y < graph_.size(); ++y) {
      for (int x : graph_.parents[y])
        if (rules_.any && rules_.barred.test(y, x)) return false;
      if (!seen_[y] && !eliminate(graph_.component(y))) return false;
    }
    return true;
  }

  // Only tell whether there is one.
  bool exists() {
    for (int y = 0; y < graph_.size(); ++y) {
      for (int x : graph_.parents[y])
        if (rules_.barred.test(y, x)) return false;
      for (int x : graph_.neighbours[y])
        if (!seen_[y] && rules_.barred.test(y, x) && !eliminate(graph_.component(y))) return false;
    }
    return true;
  }

 private:
  EssentialGraph& graph_;
  const Directions& rules_;
  std::vector<char> gone_, seen_;

  bool eliminate(Set members) {
    std::sort(members.begin(), members.end());
    for (int y : members) {
      seen_[y] = 1;
      if (collides(y)) return false;
    }
    while (!members.empty()) {
      const auto last = std::find_if(members.rbegin(), members.rend(), [&](int y) { return may_be_last(y); });
      if (last == members.rend()) return false;
      const int y = *last;
      for (int x : graph_.neighbours[y])
        if (!gone_[x]) parents[y].push_back(x);
      std::sort(parents[y].begin(), parents[y].end());
      gone_[y] = 1;
      members.erase(std::next(last).base());
    }
    return true;
  }

  // Two forced arcs into y from nodes that are not linked would leave the class.
  bool collides(int y) const {
    const Set& near = graph_.neighbours[y];
    for (std::size_t i = 0; i < near.size(); ++i) {
      if (rules_.shut(near[i], y)) return true;
      for (std::size_t j = 0; j < i; ++j)
        if (rules_.forces(near[i], y) && rules_.forces(near[j], y) && !graph_.adjacent(near[i], near[j]))
          return true;
    }
    return false;
  }

  bool may_be_last(int y) const {
    for (int x : graph_.neighbours[y]) {
      if (gone_[x]) continue;
      if (rules_.forces(y, x)) return false;
      if (rules_.forces(x, y)) continue;
      for (int z : graph_.neighbours[y])
        if (z != x && !gone_[z] && !graph_.adjacent(x, z)) return false;
    }
    return true;
  }
};

}  // namespace arcwise
