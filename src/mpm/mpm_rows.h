// Between rows of four floats, one per particle, and lanes, one vector per component.
#ifndef MPM_MPM_ROWS_H
#define MPM_MPM_ROWS_H

#include "lane/lane.h"

typedef float f4 __attribute__((vector_size(16)));
typedef f4 f4_loose __attribute__((aligned(4)));

LANE_INLINE f4 f4_load(const float *p) { return *(const f4_loose *)p; }
LANE_INLINE void f4_store(float *p, f4 a) { *(f4_loose *)p = a; }
LANE_INLINE f4 f4_load3(const float *p) { return (f4){p[0], p[1], p[2], 0}; }
LANE_INLINE void f4_store3(float *p, f4 a) {
    p[0] = a[0];
    p[1] = a[1];
    p[2] = a[2];
}

// Four rows of four, turned round.
LANE_INLINE void f4_turn(f4 r[4]) {
    f4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5),
       b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    f4 c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7),
       d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

enum { QUADS = LANES / 4 };
typedef union quads {
    real lanes;
    f4 quad[QUADS];
} quads;

// Component c of all rows in column[c].
LANE_INLINE void lanes_from_rows(const f4 row[LANES], real column[4]) {
    quads q[4];
#pragma GCC unroll 4
    for (int i = 0; i < QUADS; i++) {
        f4 r[4] = {row[4 * i], row[4 * i + 1], row[4 * i + 2], row[4 * i + 3]};
        f4_turn(r);
        for (int c = 0; c < 4; c++) q[c].quad[i] = r[c];
    }
    for (int c = 0; c < 4; c++) column[c] = q[c].lanes;
}

LANE_INLINE void rows_from_lanes(real a, real b, real c, real d, f4 row[LANES]) {
    quads q[4] = {{a}, {b}, {c}, {d}};
#pragma GCC unroll 4
    for (int i = 0; i < QUADS; i++) {
        f4 r[4] = {q[0].quad[i], q[1].quad[i], q[2].quad[i], q[3].quad[i]};
        f4_turn(r);
        for (int k = 0; k < 4; k++) row[4 * i + k] = r[k];
    }
}

#endif
