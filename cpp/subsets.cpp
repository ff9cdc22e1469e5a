// Dynamic programming over subsets of variables: the best parents inside every set, and the best
// order of the variables (Silander and Myllymaki 2006, A simple approach for finding the globally
// optimal Bayesian network structure).
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "arrays.hpp"

namespace arcwise {
namespace {

using Tables = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ConstMasks = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutIndices = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// values[mask] becomes the maximum over all subsets of mask.
ARCWISE_CLONES void maximise(double* values, std::size_t size) {
  for (std::size_t bit = 1; bit < size; bit <<= 1)
    for (std::size_t block = 0; block < size; block += 2 * bit)
      for (std::size_t i = block; i < block + bit; ++i)
        values[i + bit] = std::max(values[i + bit], values[i]);
}

void subset_maxima(Vector values) {
  nb::gil_scoped_release release;
  maximise(values.data(), values.shape(0));
}

// Picks the bits of a set of variables that are candidates of one child and packs them together,
// by four look-ups of eight bits each.
struct Packer {
  std::array<std::array<std::uint32_t, 256>, 4> parts{};

  explicit Packer(std::uint64_t mask) {
    std::uint32_t place = 0;
    std::array<std::int32_t, 32> target{};
    for (std::uint32_t b = 0; b < 32; ++b)
      target[b] = (mask >> b & 1) ? static_cast<std::int32_t>(place++) : -1;
    for (std::uint32_t part = 0; part < 4; ++part)
      for (std::uint32_t byte = 0; byte < 256; ++byte)
        for (std::uint32_t b = 0; b < 8; ++b)
          if ((byte >> b & 1) && target[8 * part + b] >= 0)
            parts[part][byte] |= 1u << target[8 * part + b];
  }
  std::uint32_t operator()(std::uint32_t set) const {
    return parts[0][set & 255] | parts[1][set >> 8 & 255] | parts[2][set >> 16 & 255] | parts[3][set >> 24];
  }
};

// The best order: best[W] = max over v in W of best[W - v] + table_v[(W - v) within v's candidates].
// `required[v]` must lie before v. The sets are gone through in slices, so that whoever asked can look at the clock in between.
class BestOrder {
 public:
  BestOrder(Tables tables, ConstIndices offsets, ConstMasks candidates, ConstMasks required)
      : tables_(tables), offsets_(offsets), required_(required), p_(candidates.shape(0)), best_(std::size_t{1} << p_, kNone) {
    for (std::size_t v = 0; v < p_; ++v) pack_.emplace_back(candidates.data()[v]);
    best_[0] = 0.0;
  }

  // Goes on for so many sets; true once the best total is known.
  bool advance(std::size_t sets) {
    for (const std::size_t end = std::min(at_ + sets, best_.size()); at_ < end; ++at_) {
      double value = kNone;
      for (std::size_t rest = at_; rest; rest &= rest - 1)
        value = std::max(value, last(at_, static_cast<std::size_t>(__builtin_ctzll(rest))));
      best_[at_] = value;
    }
    return at_ == best_.size();
  }

  // Writes the order, first variable first; returns the best total. Of variables that may come last with the best
  // score, up to `slack`, it is the one with the lowest number.
  double order(OutIndices order, double slack) const {
    std::size_t set = best_.size() - 1;
    for (std::size_t place = p_; place-- > 0;) {
      for (std::size_t v = 0; v < p_; ++v) {
        if ((set >> v & 1) && last(set, v) >= best_[set] - slack) {
          order.data()[place] = static_cast<std::int64_t>(v);
          set &= ~(std::size_t{1} << v);
          break;
        }
      }
    }
    return best_.back();
  }

 private:
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  Tables tables_;
  ConstIndices offsets_;
  ConstMasks required_;
  std::size_t p_;
  std::vector<double> best_;
  std::vector<Packer> pack_;
  std::size_t at_ = 1;

  double last(std::size_t set, std::size_t v) const {
    const std::size_t before = set & ~(std::size_t{1} << v);
    if (required_.data()[v] & ~before) return kNone;
    return best_[before] + tables_.data()[offsets_.data()[v] + pack_[v](static_cast<std::uint32_t>(before))];
  }
};

}  // namespace
}  // namespace arcwise

void bind_subsets(nanobind::module_& m) {
  m.def("subset_maxima", &arcwise::subset_maxima);
  using namespace arcwise;
  nb::class_<BestOrder>(m, "BestOrder")
      .def(nb::init<Tables, ConstIndices, ConstMasks, ConstMasks>())
      .def("advance", &BestOrder::advance, nb::call_guard<nb::gil_scoped_release>())
      .def("order", &BestOrder::order);
}
