// The plain variants of all loops, for tests: with ARCWISE_PLAIN in the environment the loader takes no clone for
// AVX2 or AVX-512, as on a machine without them. Resolvers ask the compiler's own table of the processor's features;
// the linker puts this function in the place of the one that fills it (--wrap, see CMakeLists.txt).
#include <nanobind/nanobind.h>

#include <cstdlib>

#include "clones.hpp"

#ifdef ARCWISE_WRAPPED_FEATURES
extern "C" {
struct ArcwiseFeatures {
  unsigned vendor, type, subtype, first;
};
extern ArcwiseFeatures __cpu_model __attribute__((visibility("hidden")));
extern unsigned __cpu_features2[] __attribute__((visibility("hidden")));
int __real___cpu_indicator_init();
// Called while the library is being bound: through the table that is filled by then, not through the other.
char* getenv(const char*) noexcept __attribute__((noplt));

__attribute__((visibility("hidden"))) int __wrap___cpu_indicator_init() {
  const int found = __real___cpu_indicator_init();
  if (getenv("ARCWISE_PLAIN") != nullptr) {
    __cpu_model.first = 0;
    for (int word = 0; word < 3; ++word) __cpu_features2[word] = 0;
  }
  return found;
}
}
#endif

namespace {

// a b + c in one rounding where the clone has fused instructions, in two where it is the plain one.
ARCWISE_CLONES double multiply_add(double a, double b, double c) { return a * b + c; }

}  // namespace

void bind_plain(nanobind::module_& m) { m.def("multiply_add", &multiply_add); }
