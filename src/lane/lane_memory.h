// Part of lane.h: lanes to and from memory. Pointers need no alignment unless the name says so.
#ifndef LANE_LANE_MEMORY_H
#define LANE_LANE_MEMORY_H

#ifdef __OPENCL_C_VERSION__
LANE_INLINE real r_load(const LANE_MEMORY float *from) { return *from; }
LANE_INLINE void r_store(LANE_MEMORY float *to, real a) { *to = a; }
LANE_INLINE ireal i_load(const LANE_MEMORY int *from) { return *from; }
LANE_INLINE void i_store(LANE_MEMORY int *to, ireal a) { *to = a; }
#else
LANE_INLINE real r_load(const float *from) {
    real a;
    __builtin_memcpy(&a, from, sizeof a);
    return a;
}
LANE_INLINE void r_store(float *to, real a) { __builtin_memcpy(to, &a, sizeof a); }
LANE_INLINE ireal i_load(const int *from) {
    ireal a;
    __builtin_memcpy(&a, from, sizeof a);
    return a;
}
LANE_INLINE void i_store(int *to, ireal a) { __builtin_memcpy(to, &a, sizeof a); }
#endif

#ifndef __OPENCL_C_VERSION__
// LANES bytes, 0 .. 255.
#if LANES == 1
LANE_INLINE ireal i_load_bytes(const uint8_t *from) { return *from; }
#elif !defined(LANE_HAS_LOAD_BYTES)
typedef uint8_t lane_bytes __attribute__((vector_size(LANES)));
LANE_INLINE ireal i_load_bytes(const uint8_t *from) {
    lane_bytes a;
    __builtin_memcpy(&a, from, sizeof a);
    return __builtin_convertvector(a, ireal);
}
#endif
#endif

// The tail of an array: only the first n lanes touch memory; the others are `rest` after a load.
LANE_INLINE real r_load_some(const LANE_MEMORY float *from, int n, real rest) {
    LANE_EACH(real, k < n ? from[k] : LANE_GET(rest, k));
}
LANE_INLINE ireal i_load_some(const LANE_MEMORY int *from, int n, ireal rest) {
    LANE_EACH(ireal, k < n ? from[k] : LANE_GET(rest, k));
}
LANE_INLINE void r_store_some(LANE_MEMORY float *to, real a, int n) {
    for (int k = 0; k < LANES; k++)
        if (k < n) to[k] = LANE_GET(a, k);
}
LANE_INLINE void i_store_some(LANE_MEMORY int *to, ireal a, int n) {
    for (int k = 0; k < LANES; k++)
        if (k < n) to[k] = LANE_GET(a, k);
}

// Lane k at from[k * stride]: one member of an array of structs.
LANE_INLINE real r_load_stride(const LANE_MEMORY float *from, int stride) {
    (void)stride;
    LANE_EACH(real, from[k * stride]);
}
LANE_INLINE void r_store_stride(LANE_MEMORY float *to, real a, int stride) {
    (void)stride;
    for (int k = 0; k < LANES; k++) to[k * stride] = LANE_GET(a, k);
}

// The lanes of m, next to each other; returns how many. LANES places of `to` are written, what follows them
// is anything.
#ifndef LANE_HAS_PACK
LANE_INLINE int i_store_packed(LANE_MEMORY int *to, mask m, ireal a) {
    int n = 0;
    for (int k = 0; k < LANES; k++) {
        to[n] = LANE_GET(a, k);
        n -= LANE_GET(m, k);
    }
    return n;
}
#endif

// Lane k at from[index of lane k].
LANE_INLINE real r_gather(const LANE_MEMORY float *from, ireal index) {
    LANE_EACH(real, from[LANE_GET(index, k)]);
}
#ifndef LANE_HAS_GATHER_PAIR
// From index and index + 1.
LANE_INLINE void r_gather_pair(const LANE_MEMORY float *from, ireal index, real *first, real *second) {
    *first = r_gather(from, index);
    *second = r_gather(from + 1, index);
}
#endif
LANE_INLINE ireal i_gather(const LANE_MEMORY int *from, ireal index) {
    LANE_EACH(ireal, from[LANE_GET(index, k)]);
}
// In the order of the lanes: the last of two equal indices stays.
LANE_INLINE void r_scatter(LANE_MEMORY float *to, ireal index, real a) {
    for (int k = 0; k < LANES; k++) to[LANE_GET(index, k)] = LANE_GET(a, k);
}
LANE_INLINE void r_scatter_where(mask m, LANE_MEMORY float *to, ireal index, real a) {
    for (int k = 0; k < LANES; k++)
        if (LANE_GET(m, k)) to[LANE_GET(index, k)] = LANE_GET(a, k);
}

#endif
