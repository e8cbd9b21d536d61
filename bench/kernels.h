// Inner loops of the limits, one copy per instruction set.
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include "base/isa.h"

#include <stddef.h>

ISA_DECLARE(void, kernel_triad, (size_t n, float *a, const float *b, const float *c));
// `rounds` rounds of FMA_CHAINS independent multiply-adds on vectors; returns a sum so that nothing is left
// out.
ISA_DECLARE(float, kernel_fma, (size_t rounds));
ISA_DECLARE(size_t, kernel_fma_operations, (void)); // fp32 operations per round

#endif
