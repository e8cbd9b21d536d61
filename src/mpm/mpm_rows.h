// Transposes between rows of four floats, one per particle, and lanes, one vector per component.
#ifndef MPM_MPM_ROWS_H
#define MPM_MPM_ROWS_H

#include "lane/lane.h"

typedef float f4 __attribute__((vector_size(16)));
typedef f4 f4_loose __attribute__((aligned(4)));

LANE_INLINE f4 f4_load(const float *p) { return *(const f4_loose *)p; }
LANE_INLINE void f4_store(float *p, f4 a) { *(f4_loose *)p = a; }
LANE_INLINE f4 f4_load3(const float *p) { return (f4){p[0], p[1], p[2], 0}; }
// Two floats at once: components 2 i and 2 i + 1.
typedef double d2 __attribute__((vector_size(16)));
typedef double two_floats __attribute__((aligned(4), may_alias));
LANE_INLINE void f4_store2(float *p, f4 a, int i) { *(two_floats *)p = ((d2)a)[i]; }
LANE_INLINE void f4_store3(float *p, f4 a) {
    f4_store2(p, a, 0);
    p[2] = a[2];
}

// A row of doubles, for positions.
typedef double d4 __attribute__((vector_size(32)));

LANE_INLINE d4 d4_load3(const double *p) { return (d4){p[0], p[1], p[2], 0}; }
LANE_INLINE void d4_store3(double *p, d4 a) {
    p[0] = a[0];
    p[1] = a[1];
    p[2] = a[2];
}
#ifdef __AVX__ // GCC 12 converts in two halves
LANE_INLINE d4 d4_of(f4 a) { return (d4)_mm256_cvtps_pd((__m128)a); }
#else
LANE_INLINE d4 d4_of(f4 a) { return __builtin_convertvector(a, d4); }
#endif
LANE_INLINE f4 f4_of(d4 a) { return __builtin_convertvector(a, f4); }

// Transposes four rows of four.
LANE_INLINE void f4_transpose(f4 r[4]) {
    f4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5),
       b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    f4 c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7),
       d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

// Lanes in groups of four, in registers: a wide load after narrow stores would stall on store forwarding.
enum { QUADS = LANES / 4 };
#if LANES == 4
LANE_INLINE real lanes_of_quads(const f4 q[QUADS]) { return q[0]; }
LANE_INLINE f4 quad_of_lanes(real a, int i) { return (void)i, a; }
#elif LANES == 8
LANE_INLINE real lanes_of_quads(const f4 q[QUADS]) {
    return __builtin_shufflevector(q[0], q[1], 0, 1, 2, 3, 4, 5, 6, 7);
}
LANE_INLINE f4 quad_of_lanes(real a, int i) {
    return i ? __builtin_shufflevector(a, a, 4, 5, 6, 7) : __builtin_shufflevector(a, a, 0, 1, 2, 3);
}
#else
LANE_INLINE real lanes_of_quads(const f4 q[QUADS]) {
    return __builtin_shufflevector(__builtin_shufflevector(q[0], q[1], 0, 1, 2, 3, 4, 5, 6, 7),
                                   __builtin_shufflevector(q[2], q[3], 0, 1, 2, 3, 4, 5, 6, 7), 0, 1, 2, 3, 4,
                                   5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
LANE_INLINE f4 quad_of_lanes(real a, int i) {
    return i < 2   ? i ? __builtin_shufflevector(a, a, 4, 5, 6, 7) : __builtin_shufflevector(a, a, 0, 1, 2, 3)
             : i > 2 ? __builtin_shufflevector(a, a, 12, 13, 14, 15)
                   : __builtin_shufflevector(a, a, 8, 9, 10, 11);
}
#endif

// Component c of all rows in column[c].
LANE_INLINE void lanes_from_rows(const f4 row[LANES], real column[4]) {
    f4 q[4][QUADS];
#pragma GCC unroll 4
    for (int i = 0; i < QUADS; i++) {
        f4 r[4] = {row[4 * i], row[4 * i + 1], row[4 * i + 2], row[4 * i + 3]};
        f4_transpose(r);
        for (int c = 0; c < 4; c++) q[c][i] = r[c];
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) column[c] = lanes_of_quads(q[c]);
}

LANE_INLINE void rows_from_lanes(real a, real b, real c, real d, f4 row[LANES]) {
#pragma GCC unroll 4
    for (int i = 0; i < QUADS; i++) {
        f4 r[4] = {quad_of_lanes(a, i), quad_of_lanes(b, i), quad_of_lanes(c, i), quad_of_lanes(d, i)};
        f4_transpose(r);
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) row[4 * i + k] = r[k];
    }
}

#endif
