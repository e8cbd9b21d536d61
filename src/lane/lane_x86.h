// Part of lane.h: where a vector of reals is one register of an x86 processor, these give the one instruction
// that the plain versions describe; compilers do not always find it by themselves. Same results.
#ifndef LANE_LANE_X86_H
#define LANE_LANE_X86_H

#if LANES == 4 && defined(__SSE2__)
#include <immintrin.h>
#define LANE_NATIVE __m128
#define LANE_CALL(name) _mm_##name
#elif LANES == 8 && defined(__AVX2__)
#include <immintrin.h>
#define LANE_NATIVE __m256
#define LANE_CALL(name) _mm256_##name
#elif LANES == 16 && defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define LANE_NATIVE __m512
#define LANE_CALL(name) _mm512_##name
#endif

#ifdef LANE_NATIVE
#define LANE_HAS_MIN_MAX 1
LANE_INLINE real r_min(real a, real b) { return (real)LANE_CALL(min_ps)((LANE_NATIVE)a, (LANE_NATIVE)b); }
LANE_INLINE real r_max(real a, real b) { return (real)LANE_CALL(max_ps)((LANE_NATIVE)a, (LANE_NATIVE)b); }

#define LANE_HAS_SQRT 1
LANE_INLINE real r_sqrt(real a) { return (real)LANE_CALL(sqrt_ps)((LANE_NATIVE)a); }

#if defined(__FMA__)
#define LANE_HAS_FMA 1
LANE_INLINE real r_fma(real a, real b, real c) {
    return (real)LANE_CALL(fmadd_ps)((LANE_NATIVE)a, (LANE_NATIVE)b, (LANE_NATIVE)c);
}
#endif

#define LANE_HAS_ANY 1
#define LANE_HAS_LOWEST 1
#if LANES == 16
LANE_INLINE int lane_set(mask m) { return _mm512_movepi32_mask((__m512i)m); }
#else
LANE_INLINE int lane_set(mask m) { return LANE_CALL(movemask_ps)((LANE_NATIVE)m); }
#endif
LANE_INLINE bool m_any(mask m) { return lane_set(m) != 0; }
LANE_INLINE bool m_all(mask m) { return lane_set(m) == (1 << LANES) - 1; }
LANE_INLINE int m_lowest(mask m) { return __builtin_ctz((unsigned)lane_set(m) | 1u << LANES); }

#if LANES == 16
#define LANE_HAS_ROUND 1
LANE_INLINE real r_floor(real a) { return (real)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_NEG_INF); }
LANE_INLINE real r_round(real a) { return (real)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_NEAREST_INT); }
#elif defined(__SSE4_1__)
#define LANE_HAS_ROUND 1
LANE_INLINE real r_floor(real a) { return (real)LANE_CALL(floor_ps)((LANE_NATIVE)a); }
LANE_INLINE real r_round(real a) {
    return (real)LANE_CALL(round_ps)((LANE_NATIVE)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
#endif

#if LANES == 16
#define LANE_HAS_LOAD_BYTES 1
LANE_INLINE ireal i_load_bytes(const uint8_t *from) {
    return (ireal)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)from));
}
#elif LANES == 8
#define LANE_HAS_LOAD_BYTES 1
LANE_INLINE ireal i_load_bytes(const uint8_t *from) {
    return (ireal)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)from));
}
#elif defined(__SSE4_1__)
#define LANE_HAS_LOAD_BYTES 1
LANE_INLINE ireal i_load_bytes(const uint8_t *from) {
    int four;
    __builtin_memcpy(&four, from, sizeof four);
    return (ireal)_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four));
}
#endif

#if LANES == 16
#define LANE_HAS_PACK 1
LANE_INLINE int i_store_packed(int *to, mask m, ireal a) {
    __mmask16 set = _mm512_movepi32_mask((__m512i)m);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(set, (__m512i)a));
    return __builtin_popcount(set);
}
#endif

#if LANES == 16
// Two floats beside each other are one load: a third of the time of a gather for each.
#define LANE_HAS_GATHER_PAIR 1
LANE_INLINE __m128 lane_two_pairs(const float *one, const float *two) {
    return _mm_loadh_pi((__m128)_mm_loadl_epi64((const __m128i *)one), (const __m64 *)two);
}
LANE_INLINE __m512 lane_eight_pairs(const float *from, const int *at) {
    __m512 r = _mm512_castps128_ps512(lane_two_pairs(from + at[0], from + at[1]));
    r = _mm512_insertf32x4(r, lane_two_pairs(from + at[4], from + at[5]), 1);
    r = _mm512_insertf32x4(r, lane_two_pairs(from + at[8], from + at[9]), 2);
    return _mm512_insertf32x4(r, lane_two_pairs(from + at[12], from + at[13]), 3);
}
LANE_INLINE void r_gather_pair(const float *from, ireal index, real *first, real *second) {
    int at[16];
    __builtin_memcpy(at, &index, sizeof index);
    __m512 a = lane_eight_pairs(from, at), b = lane_eight_pairs(from, at + 2);
    *first = (real)_mm512_shuffle_ps(a, b, 0x88);
    *second = (real)_mm512_shuffle_ps(a, b, 0xdd);
}
#endif

#if LANES == 8
#define LANE_HAS_PACK 1
// By set of lanes: which lanes those are, one byte each.
#define LANE_PACK_1(m, b)                                                                                    \
    ((m) >> (b)&1 ? (unsigned long long)(b) << (8 * __builtin_popcount((m) & ((1 << (b)) - 1))) : 0)
#define LANE_PACK(m)                                                                                         \
    LANE_PACK_1(m, 0) | LANE_PACK_1(m, 1) | LANE_PACK_1(m, 2) | LANE_PACK_1(m, 3) | LANE_PACK_1(m, 4) |      \
        LANE_PACK_1(m, 5) | LANE_PACK_1(m, 6) | LANE_PACK_1(m, 7)
#define LANE_PACK_4(m) LANE_PACK(m), LANE_PACK((m) + 1), LANE_PACK((m) + 2), LANE_PACK((m) + 3)
#define LANE_PACK_16(m) LANE_PACK_4(m), LANE_PACK_4((m) + 4), LANE_PACK_4((m) + 8), LANE_PACK_4((m) + 12)
#define LANE_PACK_64(m)                                                                                      \
    LANE_PACK_16(m), LANE_PACK_16((m) + 16), LANE_PACK_16((m) + 32), LANE_PACK_16((m) + 48)
LANE_INLINE int i_store_packed(int *to, mask m, ireal a) {
    static const unsigned long long which[256] = {LANE_PACK_64(0), LANE_PACK_64(64), LANE_PACK_64(128),
                                                  LANE_PACK_64(192)};
    int set = lane_set(m);
    __m256i from = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&which[set]));
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32((__m256i)a, from));
    return __builtin_popcount((unsigned)set);
}
// Two floats beside each other are one load.
#define LANE_HAS_GATHER_PAIR 1
LANE_INLINE __m128 lane_two_pairs(const float *one, const float *two) {
    return _mm_loadh_pi((__m128)_mm_loadl_epi64((const __m128i *)one), (const __m64 *)two);
}
LANE_INLINE void r_gather_pair(const float *from, ireal index, real *first, real *second) {
    int at[8];
    __builtin_memcpy(at, &index, sizeof at);
    __m256 a = _mm256_set_m128(lane_two_pairs(from + at[4], from + at[5]),
                               lane_two_pairs(from + at[0], from + at[1]));
    __m256 b = _mm256_set_m128(lane_two_pairs(from + at[6], from + at[7]),
                               lane_two_pairs(from + at[2], from + at[3]));
    *first = (real)_mm256_shuffle_ps(a, b, 0x88);
    *second = (real)_mm256_shuffle_ps(a, b, 0xdd);
}

#define LANE_HAS_SELECT 1
LANE_INLINE real r_select(mask m, real a, real b) {
    return (real)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)m);
}
#endif
#endif

#endif
