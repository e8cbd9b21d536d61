// The kernel of the svd3 workload.
#ifndef BENCH_SVD3_H
#define BENCH_SVD3_H

#include "base/isa.h"

#include <stddef.h>

// n is a multiple of 16; nine arrays of the matrices' parts, column by column; three of results.
ISA_DECLARE(void, kernel_svd3, (size_t n, float *const a[9], float *const s[3]));

#endif
