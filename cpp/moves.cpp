// The neighbourhood of a directed acyclic graph: the best legal change of one arc into each child.
//
// Sets of nodes are rows of 64-bit words. `below[a]` holds the strict descendants of a, so a new arc
// tail -> head is legal iff tail is not below head, and turning tail -> head round is legal iff no
// other child of tail has head at or below it.
#include <limits>
#include <vector>

#include "arrays.hpp"

namespace arcwise {
namespace {

using Indices = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ConstWords = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct Sets {
  const std::uint64_t* data;
  std::size_t words;
  explicit Sets(ConstWords w) : data(w.data()), words(w.shape(1)) {}
  explicit Sets(Words w) : data(w.data()), words(w.shape(1)) {}
  bool has(std::size_t set, std::size_t member) const {
    return data[set * words + (member >> 6)] >> (member & 63) & 1;
  }
  template <typename Visit>
  void each(std::size_t set, Visit visit) const {
    for (std::size_t w = 0; w < words; ++w)
      for (std::uint64_t bits = data[set * words + w]; bits; bits &= bits - 1)
        visit(64 * w + static_cast<std::size_t>(__builtin_ctzll(bits)));
  }
};

bool other_path(const Sets& children, const Sets& below, std::size_t tail, std::size_t head) {
  bool found = false;
  children.each(tail, [&](std::size_t child) { found |= child != head && below.has(child, head); });
  return found;
}

constexpr double kNothing = -std::numeric_limits<double>::infinity();

enum Kind : std::int64_t { kNone = -1, kAdd = 0, kDrop = 1, kFlip = 2 };

// Visits the legal changes of arcs into one head, additions by tail first, then drops and flips by tail.
// `worth` says whether a gain matters at all, which spares most of the tests for cycles.
struct Into {
  const double* gains;
  std::size_t p;
  Sets parents, children, below, blocked, kept;

  template <typename Worth, typename Visit>
  void each(std::size_t head, Worth worth, Visit visit) const {
    const double* row = gains + head * p;
    for (std::size_t tail = 0; tail < p; ++tail) {
      if (!worth(row[tail]) || tail == head || parents.has(head, tail)) continue;
      if (!below.has(head, tail) && !blocked.has(head, tail)) visit(row[tail], kAdd, tail);
    }
    parents.each(head, [&](std::size_t tail) {
      if (blocked.has(head, tail) || kept.has(head, tail)) return;
      if (worth(row[tail])) visit(row[tail], kDrop, tail);
      const double turned = row[tail] + gains[tail * p + head];
      if (worth(turned) && !other_path(children, below, tail, head)) visit(turned, kFlip, tail);
    });
  }
};

// For each child of `heads` the best legal change of an arc into it. gains[head][tail] is the change
// of score when tail is put in or taken out of head's parents (-inf: not allowed); `blocked` pairs
// are passed over; `kept` arcs are never taken out. Gains within `slack` of the best are ties, and
// the first of them in the order of `Into::each` is taken, so that rounding decides nothing.
void scan_moves(ConstMatrix gains, ConstWords parents, ConstWords children, ConstWords below, ConstWords blocked,
                ConstWords kept, double slack, ConstIndices heads, Vector best, Indices kind, Indices tails) {
  nb::gil_scoped_release release;
  const Into into{gains.data(), gains.shape(0), Sets(parents), Sets(children),
                  Sets(below),  Sets(blocked),  Sets(kept)};
  for (std::size_t h = 0; h < heads.shape(0); ++h) {
    const auto head = static_cast<std::size_t>(heads.data()[h]);
    double top = kNothing;
    into.each(head, [&](double gain) { return gain > top; },
              [&](double gain, Kind, std::size_t) { top = gain; });
    std::int64_t what = kNone, who = -1;
    into.each(head, [&](double gain) { return what == kNone && gain >= top - slack && gain > kNothing; },
              [&](double, Kind found, std::size_t tail) {
                if (what != kNone) return;
                what = found;
                who = static_cast<std::int64_t>(tail);
              });
    best.data()[head] = top;
    kind.data()[head] = what;
    tails.data()[head] = who;
  }
}

bool legal_add(ConstWords below, std::int64_t tail, std::int64_t head) {
  return tail != head && !Sets(below).has(static_cast<std::size_t>(head), static_cast<std::size_t>(tail));
}

bool legal_flip(ConstWords children, ConstWords below, std::int64_t tail, std::int64_t head) {
  return !other_path(Sets(children), Sets(below), static_cast<std::size_t>(tail), static_cast<std::size_t>(head));
}

// Descendants after tail -> head came in (children hold it already or not, it does not matter).
void link(Words below, std::int64_t tail, std::int64_t head) {
  nb::gil_scoped_release release;
  const std::size_t words = below.shape(1);
  const Sets low(below);
  const auto t = static_cast<std::size_t>(tail), h = static_cast<std::size_t>(head);
  if (low.has(t, h)) {
    bool all = true;
    for (std::size_t w = 0; w < words; ++w)
      all &= (low.data[h * words + w] & ~low.data[t * words + w]) == 0;
    if (all) return;
  }
  for (std::size_t a = 0; a < below.shape(0); ++a) {
    if (a != t && !low.has(a, t)) continue;
    std::uint64_t* row = below.data() + a * words;
    for (std::size_t w = 0; w < words; ++w) row[w] |= low.data[h * words + w];
    row[h >> 6] |= std::uint64_t{1} << (h & 63);
  }
}

// Descendants after an arc out of tail was taken away; `children` is the graph without it.
void unlink(Words below, ConstWords children, std::int64_t tail) {
  nb::gil_scoped_release release;
  const std::size_t p = below.shape(0), words = below.shape(1);
  const Sets low(below), kids(children);
  const auto t = static_cast<std::size_t>(tail);
  std::vector<char> stale(p, 0);
  for (std::size_t a = 0; a < p; ++a) stale[a] = a == t || low.has(a, t);
  std::vector<std::size_t> stack;
  for (std::size_t a = 0; a < p; ++a) {
    if (!stale[a]) continue;
    stack.push_back(a);
    while (!stack.empty()) {  // children before parents
      const std::size_t node = stack.back();
      if (!stale[node]) {
        stack.pop_back();
        continue;
      }
      const std::size_t before = stack.size();
      kids.each(node, [&](std::size_t child) {
        if (stale[child]) stack.push_back(child);
      });
      if (stack.size() > before) continue;
      std::uint64_t* row = below.data() + node * words;
      std::fill(row, row + words, 0);
      kids.each(node, [&](std::size_t child) {
        for (std::size_t w = 0; w < words; ++w) row[w] |= low.data[child * words + w];
        row[child >> 6] |= std::uint64_t{1} << (child & 63);
      });
      stale[node] = 0;
      stack.pop_back();
    }
  }
}

// Heads whose best move may no longer be legal after tail -> head came in (below holds it already).
nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> collect(const std::vector<std::int64_t>& found) {
  auto* data = new std::int64_t[found.size() ? found.size() : 1];
  std::copy(found.begin(), found.end(), data);
  nb::capsule owner(data, [](void* d) noexcept { delete[] static_cast<std::int64_t*>(d); });
  return nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(data, {found.size()}, owner);
}

auto stale_after_link(ConstWords below, std::int64_t tail, std::int64_t head, ConstIndices kind, ConstIndices tails) {
  const Sets low(below);
  const auto t = static_cast<std::size_t>(tail), h = static_cast<std::size_t>(head);
  const auto above = [&](std::size_t a) { return a == t || low.has(a, t); };
  const auto under = [&](std::size_t d) { return d == h || low.has(h, d); };
  std::vector<std::int64_t> found;
  for (std::size_t child = 0; child < below.shape(0); ++child) {
    const auto other = static_cast<std::size_t>(tails.data()[child]);
    const bool add = kind.data()[child] == kAdd && above(child) && under(other);
    const bool flip = kind.data()[child] == kFlip && under(child) && above(other);
    if (add || flip) found.push_back(static_cast<std::int64_t>(child));
  }
  return collect(found);
}

// Heads that may have gained legal moves after tail -> head goes (asked before `unlink`).
auto stale_after_unlink(ConstWords below, std::int64_t tail, std::int64_t head) {
  const Sets low(below);
  const auto t = static_cast<std::size_t>(tail), h = static_cast<std::size_t>(head);
  std::vector<std::int64_t> found;
  for (std::size_t child = 0; child < below.shape(0); ++child)
    if (child == t || low.has(child, t) || child == h || low.has(h, child))
      found.push_back(static_cast<std::int64_t>(child));
  return collect(found);
}

}  // namespace
}  // namespace arcwise

void bind_moves(nanobind::module_& m) {
  m.def("scan_moves", &arcwise::scan_moves);
  m.def("legal_add", &arcwise::legal_add);
  m.def("legal_flip", &arcwise::legal_flip);
  m.def("link", &arcwise::link);
  m.def("unlink", &arcwise::unlink);
  m.def("stale_after_link", &arcwise::stale_after_link);
  m.def("stale_after_unlink", &arcwise::stale_after_unlink);
}
