// Include first: the rest of the file is compiled as the hot files are for AVX2 and FMA, where the compiler
// can.
#ifndef TESTS_LANE_AVX2_H
#define TESTS_LANE_AVX2_H

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define MACHINE_CAN_RUN_THIS (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#define POP_TARGET _Pragma("clang attribute pop")
#elif defined(__x86_64__)
#pragma GCC target("avx2,fma")
#pragma GCC optimize("fp-contract=fast")
#define MACHINE_CAN_RUN_THIS (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#define POP_TARGET
#else
#define MACHINE_CAN_RUN_THIS 1
#define POP_TARGET
#endif

#endif
