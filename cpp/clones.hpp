// One portable binary, several sets of instructions: the loader takes the clone with AVX2 and FMA wherever the
// machine has them. (A clone for "arch=haswell" would be taken on Intel's processors of that family alone.) Loops over
// exponentials have another one with AVX-512, whose masks and registers save them a sixth. AVX-512's instruction that
// counts bits is in no level of the architecture: loops that count bits are compiled twice and chosen by hand.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#if __GNUC__ >= 12
#define ARCWISE_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#define ARCWISE_WIDE_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define ARCWISE_COUNTS_BITS __attribute__((target("avx512f,avx512vl,avx512vpopcntdq")))
#else
#define ARCWISE_CLONES __attribute__((target_clones("avx2", "default")))
#define ARCWISE_WIDE_CLONES ARCWISE_CLONES
#endif
#else
#define ARCWISE_CLONES
#define ARCWISE_WIDE_CLONES
#endif
