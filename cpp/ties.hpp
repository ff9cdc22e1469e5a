// Ties: gains that differ by rounding only are taken in a stated order, never by their last digits.
#pragma once

#include <algorithm>
#include <vector>

namespace arcwise {

// Sort by gain, the largest first; those that follow each other within `slack` come in the order of `before`.
template <typename Item, typename Gain, typename Before>
void rank(std::vector<Item>& items, double slack, Gain gain, Before before) {
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return gain(a) > gain(b); });
  for (auto begin = items.begin(); begin != items.end();) {
    auto end = begin + 1;
    while (end != items.end() && gain(*(end - 1)) - gain(*end) <= slack) ++end;
    std::sort(begin, end, before);
    begin = end;
  }
}

}  // namespace arcwise
