// Lane C: the number type that physics is written in. `real` is one float (LANES 1: plain C, the reference in
// tests) or a vector of 4, 8 or 16 floats; these headers, and those of math and snow that build on them, are
// also OpenCL C. Define LANES before the include; files *_lanes.c get it from the build. No libc, no branches
// on data: masks and r_select().
//
//     real e = r_select(r_lt(d, R(0)), -k * d, R(0));    // operators + - * / work on real
//
// Masks are all ones (true) or all zeros per lane: combine them with & | ^ ~. r_ is for reals, i_ for
// integers, m_ for masks. Results of one lane never depend on the other lanes.
#ifndef LANE_LANE_H
#define LANE_LANE_H

#ifdef __OPENCL_C_VERSION__
#undef LANES
#define LANES 1
#define LANE_MEMORY __global // what load, store, gather and scatter point to
#else
#include <stdbool.h>
#include <stdint.h>
#define LANE_MEMORY
#endif
#ifndef LANES
#define LANES 1
#endif
#if LANES != 1 && LANES != 4 && LANES != 8 && LANES != 16
#error "LANES is 1, 4, 8 or 16"
#endif

// Always inlined: vectors wider than the machine's registers never cross a call, and how they would is no
// concern.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpsabi"
#endif
#define LANE_INLINE static inline __attribute__((always_inline))

#if LANES == 1
typedef float real;
typedef int ireal;
typedef unsigned int lane_bits;
#define R(c) ((real)(c))
#define RI(c) ((ireal)(c))
#define LANE_GET(x, k) (x)
#else
typedef float real __attribute__((vector_size(4 * LANES)));
typedef int ireal __attribute__((vector_size(4 * LANES)));
typedef unsigned int lane_bits __attribute__((vector_size(4 * LANES)));
// x - 0 is x for every x, so a splat costs no arithmetic.
#define R(c) ((float)(c) - (real){0})
#define RI(c) ((int)(c) - (ireal){0})
#define LANE_GET(x, k) ((x)[k])
#endif
typedef ireal mask;

// One expression per lane k; compilers turn these loops into one instruction.
#if LANES == 1
#define LANE_EACH(type, expression)                                                                          \
    enum { k = 0 };                                                                                          \
    return (type)(expression)
#else
#define LANE_EACH(type, expression)                                                                          \
    type lane_result = (type){0};                                                                            \
    for (int k = 0; k < LANES; k++) lane_result[k] = (expression);                                           \
    return lane_result
#endif

#include "lane/lane_x86.h"

// ---- bits and conversions

#if defined(__OPENCL_C_VERSION__)
LANE_INLINE ireal r_bits(real a) { return as_int(a); }
LANE_INLINE real r_from_bits(ireal a) { return as_float(a); }
LANE_INLINE real r_from_int(ireal a) { return (real)a; }
LANE_INLINE ireal r_to_int(real a) { return (ireal)a; }
#elif LANES == 1
typedef union lane_pun {
    float f;
    int i;
} lane_pun;
LANE_INLINE ireal r_bits(real a) { return ((lane_pun){.f = a}).i; }
LANE_INLINE real r_from_bits(ireal a) { return ((lane_pun){.i = a}).f; }
LANE_INLINE real r_from_int(ireal a) { return (real)a; }
LANE_INLINE ireal r_to_int(real a) { return (ireal)a; }
#else
LANE_INLINE ireal r_bits(real a) { return (ireal)a; }
LANE_INLINE real r_from_bits(ireal a) { return (real)a; }
LANE_INLINE real r_from_int(ireal a) { return __builtin_convertvector(a, real); } // rounded to nearest
LANE_INLINE ireal r_to_int(real a) { return __builtin_convertvector(a, ireal); }  // toward 0; |a| < 2^31
#endif

// Shifts of signed numbers that may run over are undefined in C; these are not.
LANE_INLINE ireal i_shift_left(ireal a, int n) { return (ireal)((lane_bits)a << n); }
LANE_INLINE ireal i_shift_right(ireal a, int n) { return a >> n; } // keeps the sign
LANE_INLINE ireal i_add_wrap(ireal a, ireal b) { return (ireal)((lane_bits)a + (lane_bits)b); }
LANE_INLINE ireal i_mul_wrap(ireal a, ireal b) { return (ireal)((lane_bits)a * (lane_bits)b); }

// ---- compares. All but r_ne are false if a number is NaN.

#if LANES == 1
#define LANE_COMPARE(a, op, b) (-(int)((a)op(b)))
#else
#define LANE_COMPARE(a, op, b) ((mask)((a)op(b)))
#endif
LANE_INLINE mask r_lt(real a, real b) { return LANE_COMPARE(a, <, b); }
LANE_INLINE mask r_le(real a, real b) { return LANE_COMPARE(a, <=, b); }
LANE_INLINE mask r_gt(real a, real b) { return LANE_COMPARE(a, >, b); }
LANE_INLINE mask r_ge(real a, real b) { return LANE_COMPARE(a, >=, b); }
LANE_INLINE mask r_eq(real a, real b) { return LANE_COMPARE(a, ==, b); }
LANE_INLINE mask r_ne(real a, real b) { return LANE_COMPARE(a, !=, b); }
LANE_INLINE mask i_lt(ireal a, ireal b) { return LANE_COMPARE(a, <, b); }
LANE_INLINE mask i_le(ireal a, ireal b) { return LANE_COMPARE(a, <=, b); }
LANE_INLINE mask i_gt(ireal a, ireal b) { return LANE_COMPARE(a, >, b); }
LANE_INLINE mask i_ge(ireal a, ireal b) { return LANE_COMPARE(a, >=, b); }
LANE_INLINE mask i_eq(ireal a, ireal b) { return LANE_COMPARE(a, ==, b); }
LANE_INLINE mask i_ne(ireal a, ireal b) { return LANE_COMPARE(a, !=, b); }

#ifndef LANE_HAS_ANY
LANE_INLINE bool m_any(mask m) {
    int any = 0;
    for (int k = 0; k < LANES; k++) any |= LANE_GET(m, k);
    return any != 0;
}
LANE_INLINE bool m_all(mask m) { return !m_any(~m); }
#endif
#ifndef LANE_HAS_LOWEST
LANE_INLINE int m_lowest(mask m) { // the first lane of m; LANES if there is none
    int lane = 0;
    while (lane < LANES && !LANE_GET(m, lane)) lane++;
    return lane;
}
#endif

// a where m, b elsewhere. By bits: the side not taken may be anything, NaN too.
LANE_INLINE ireal i_select(mask m, ireal a, ireal b) { return (a & m) | (b & ~m); }
#ifndef LANE_HAS_SELECT
LANE_INLINE real r_select(mask m, real a, real b) { return r_from_bits(i_select(m, r_bits(a), r_bits(b))); }
#endif
// a where m, 0 elsewhere.
LANE_INLINE real r_where(mask m, real a) { return r_from_bits(r_bits(a) & m); }

// ---- arithmetic

// b if either is NaN: r_min(limit, x) keeps a NaN in x.
#ifndef LANE_HAS_MIN_MAX
LANE_INLINE real r_min(real a, real b) { return r_select(r_lt(a, b), a, b); }
LANE_INLINE real r_max(real a, real b) { return r_select(r_gt(a, b), a, b); }
#endif
LANE_INLINE ireal i_min(ireal a, ireal b) { return i_select(i_lt(a, b), a, b); }
LANE_INLINE ireal i_max(ireal a, ireal b) { return i_select(i_gt(a, b), a, b); }
LANE_INLINE real r_clamp(real x, real low, real high) { return r_max(low, r_min(high, x)); } // NaN stays
LANE_INLINE real r_abs(real a) { return r_from_bits(r_bits(a) & RI(0x7fffffff)); }
LANE_INLINE ireal lane_sign(real a) { return r_bits(a) & RI(-0x7fffffff - 1); }
LANE_INLINE real r_copysign(real size, real sign) {
    return r_from_bits(r_bits(r_abs(size)) | lane_sign(sign));
}
// a with its sign turned where b is negative.
LANE_INLINE real r_flip(real a, real b) { return r_from_bits(r_bits(a) ^ lane_sign(b)); }

#ifdef __OPENCL_C_VERSION__
LANE_INLINE real r_sqrt(real a) { return sqrt(a); }
#elif !defined(LANE_HAS_SQRT)
LANE_INLINE real r_sqrt(real a) { LANE_EACH(real, __builtin_sqrtf(LANE_GET(a, k))); }
#endif
#ifndef LANE_HAS_ROUND
// To nearest, ties to even: adding 2^23 leaves no room for a fraction.
LANE_INLINE real r_round(real a) {
    real rounded = r_copysign((r_abs(a) + R(0x1p23f)) - R(0x1p23f), a);
    return r_select(r_lt(r_abs(a), R(0x1p23f)), rounded, a);
}
LANE_INLINE real r_floor(real a) {
    real rounded = r_round(a);
    return rounded - r_where(r_gt(rounded, a), R(1));
}
#endif
// 1 / sqrt(a), by a real division: the processor's own estimate differs between makers.
LANE_INLINE real r_rsqrt(real a) { return R(1) / r_sqrt(a); }

// a b + c; one rounding where the machine can, two where it cannot.
#ifndef LANE_HAS_FMA
LANE_INLINE real r_fma(real a, real b, real c) { return a * b + c; }
#endif

// ---- over lanes, always in the same order

LANE_INLINE ireal i_lane_index(void) { // 0, 1, 2, ...
    LANE_EACH(ireal, k);
}
LANE_INLINE mask m_first(int n) { return i_lt(i_lane_index(), RI(n)); } // the first n lanes
LANE_INLINE float r_lane(real a, int lane) {
    (void)lane;
    return LANE_GET(a, lane);
}
LANE_INLINE int i_lane(ireal a, int lane) {
    (void)lane;
    return LANE_GET(a, lane);
}
LANE_INLINE float r_sum_lanes(real a) {
#if LANES > 1
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) a[k] += a[k + half];
#endif
    return LANE_GET(a, 0);
}
LANE_INLINE float r_max_lanes(real a) {
    float largest = LANE_GET(a, 0);
    for (int k = 1; k < LANES; k++) largest = largest > LANE_GET(a, k) ? largest : LANE_GET(a, k);
    return largest;
}

#include "lane/lane_math.h"
#include "lane/lane_memory.h"
#include "lane/lane_rows.h"

#endif
