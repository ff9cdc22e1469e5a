// Array types shared by the kernels, and the macro that compiles a loop for several processors.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

namespace arcwise {

namespace nb = nanobind;

using Vector = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ConstVector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ConstMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ConstCube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using ConstIndices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

}  // namespace arcwise

// One portable binary, several instruction sets: the loader picks the clone that fits the machine.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define ARCWISE_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define ARCWISE_CLONES
#endif
