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

// Vectors of rows: part i holds the row of particle k + 4 i. Put together in registers, part by part: a wide
// load after narrow stores would stall on store forwarding. PART: index of an element of two vectors for each
// part.
enum { PARTS = LANES / 4 };
#if LANES == 4
LANE_INLINE real rows_join(const f4 row[LANES], int k) { return row[k]; }
LANE_INLINE f4 rows_part(real a, int i) { return (void)i, a; }
#define PART(a, b, c, d) a, b, c, d
#elif LANES == 8
LANE_INLINE real rows_join(const f4 row[LANES], int k) {
    return __builtin_shufflevector(row[k], row[k + 4], 0, 1, 2, 3, 4, 5, 6, 7);
}
LANE_INLINE f4 rows_part(real a, int i) {
    return i ? __builtin_shufflevector(a, a, 4, 5, 6, 7) : __builtin_shufflevector(a, a, 0, 1, 2, 3);
}
#define PART(a, b, c, d) a, b, c, d, a + 4, b + 4, c + 4, d + 4
#else
LANE_INLINE real rows_join(const f4 row[LANES], int k) {
    return __builtin_shufflevector(__builtin_shufflevector(row[k], row[k + 4], 0, 1, 2, 3, 4, 5, 6, 7),
                                   __builtin_shufflevector(row[k + 8], row[k + 12], 0, 1, 2, 3, 4, 5, 6, 7),
                                   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
LANE_INLINE f4 rows_part(real a, int i) {
    return i < 2   ? i ? __builtin_shufflevector(a, a, 4, 5, 6, 7) : __builtin_shufflevector(a, a, 0, 1, 2, 3)
             : i > 2 ? __builtin_shufflevector(a, a, 12, 13, 14, 15)
                   : __builtin_shufflevector(a, a, 8, 9, 10, 11);
}
#define PART(a, b, c, d)                                                                                     \
    a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8, b + 8, c + 8, d + 8, a + 12, b + 12, c + 12, d + 12
#endif

// Transposes the four rows of each part.
LANE_INLINE void rows_transpose(real r[4]) {
    enum { B = LANES }; // first element of the second vector
    real a = __builtin_shufflevector(r[0], r[1], PART(0, B, 1, B + 1)),
         b = __builtin_shufflevector(r[2], r[3], PART(0, B, 1, B + 1)),
         c = __builtin_shufflevector(r[0], r[1], PART(2, B + 2, 3, B + 3)),
         d = __builtin_shufflevector(r[2], r[3], PART(2, B + 2, 3, B + 3));
    r[0] = __builtin_shufflevector(a, b, PART(0, 1, B, B + 1));
    r[1] = __builtin_shufflevector(a, b, PART(2, 3, B + 2, B + 3));
    r[2] = __builtin_shufflevector(c, d, PART(0, 1, B, B + 1));
    r[3] = __builtin_shufflevector(c, d, PART(2, 3, B + 2, B + 3));
}
#undef PART

// Component c of all rows in column[c].
LANE_INLINE void lanes_from_rows(const f4 row[LANES], real column[4]) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) column[k] = rows_join(row, k);
    rows_transpose(column);
}

LANE_INLINE void rows_from_lanes(real a, real b, real c, real d, f4 row[LANES]) {
    real r[4] = {a, b, c, d};
    rows_transpose(r);
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++)
#pragma GCC unroll 4
        for (int i = 0; i < PARTS; i++) row[k + 4 * i] = rows_part(r[k], i);
}

#endif
