// Lane C: the two machine limits, memory bandwidth (triad) and arithmetic (fused multiply-adds).
#include "bench/kernels.h"

typedef float vec __attribute__((vector_size(4 * LANES)));
enum { FMA_CHAINS = 12 }; // latency 4, two units: 8 would do on most machines

void ISA_NAME(kernel_triad)(size_t n, float *restrict a, const float *restrict b, const float *restrict c) {
    for (size_t i = 0; i < n; i++) a[i] = b[i] + 0.4f * c[i];
}

float ISA_NAME(kernel_fma)(size_t rounds) {
    vec x[FMA_CHAINS], scale, shift;
    for (int l = 0; l < LANES; l++) {
        scale[l] = 0.999f;
        shift[l] = 0.001f;
        for (int k = 0; k < FMA_CHAINS; k++) x[k][l] = (float)(k + l) * 0.01f;
    }
    for (size_t r = 0; r < rounds; r++)
        for (int k = 0; k < FMA_CHAINS; k++) x[k] = x[k] * scale + shift;
    float sum = 0;
    for (int k = 0; k < FMA_CHAINS; k++)
        for (int l = 0; l < LANES; l++) sum += x[k][l];
    return sum;
}

size_t ISA_NAME(kernel_fma_operations)(void) { return (size_t)2 * LANES * FMA_CHAINS; }
