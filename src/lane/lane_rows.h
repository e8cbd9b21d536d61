// Part of lane.h: rows of four floats, one per lane, as four reals. A row is one load of 16 bytes; where a
// vector of reals is one register of an x86 processor, they are turned in registers. Same results everywhere.
#ifndef LANE_LANE_ROWS_H
#define LANE_LANE_ROWS_H

#if LANES == 8 && defined(__AVX2__)
// Unsigned: to extend them takes no instruction of its own.
LANE_INLINE size_t lane_row(const int *index, int k) { return (size_t)4 * (unsigned)index[k]; }
LANE_INLINE __m256 lane_row_pair(const float *low, const float *high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}
// Four vectors of rows k and k + 4, turned in each half; the same way back.
LANE_INLINE void lane_turn_rows(__m256 row[4]) {
    __m256 a = _mm256_unpacklo_ps(row[0], row[1]), b = _mm256_unpackhi_ps(row[0], row[1]);
    __m256 c = _mm256_unpacklo_ps(row[2], row[3]), d = _mm256_unpackhi_ps(row[2], row[3]);
    row[0] = _mm256_shuffle_ps(a, c, 0x44), row[1] = _mm256_shuffle_ps(a, c, 0xee);
    row[2] = _mm256_shuffle_ps(b, d, 0x44), row[3] = _mm256_shuffle_ps(b, d, 0xee);
}
// out[a] lane k: from[4 index[k] + a]
LANE_INLINE void r_load_rows(const float *from, const int *index, real out[4]) {
    __m256 row[4];
    for (int k = 0; k < 4; k++)
        row[k] = lane_row_pair(from + lane_row(index, k), from + lane_row(index, k + 4));
    lane_turn_rows(row);
    for (int k = 0; k < 4; k++) out[k] = (real)row[k];
}
// The rows of different lanes are different ones.
LANE_INLINE void r_store_rows(float *to, const int *index, const real in[4]) {
    __m256 row[4];
    for (int k = 0; k < 4; k++) row[k] = (__m256)in[k];
    lane_turn_rows(row);
    for (int k = 0; k < 4; k++) {
        _mm_storeu_ps(to + lane_row(index, k), _mm256_castps256_ps128(row[k]));
        _mm_storeu_ps(to + lane_row(index, k + 4), _mm256_extractf128_ps(row[k], 1));
    }
}
#elif LANES == 4 && defined(__SSE2__)
LANE_INLINE void r_load_rows(const float *from, const int *index, real out[4]) {
    __m128 row[4];
    for (int k = 0; k < 4; k++) row[k] = _mm_loadu_ps(from + 4 * index[k]);
    _MM_TRANSPOSE4_PS(row[0], row[1], row[2], row[3]);
    for (int k = 0; k < 4; k++) out[k] = (real)row[k];
}
LANE_INLINE void r_store_rows(float *to, const int *index, const real in[4]) {
    __m128 row[4];
    for (int k = 0; k < 4; k++) row[k] = (__m128)in[k];
    _MM_TRANSPOSE4_PS(row[0], row[1], row[2], row[3]);
    for (int k = 0; k < 4; k++) _mm_storeu_ps(to + 4 * index[k], row[k]);
}
#else
LANE_INLINE void r_load_rows(const LANE_MEMORY float *from, const LANE_MEMORY int *index, real out[4]) {
    ireal row = i_load(index) * RI(4);
    for (int a = 0; a < 4; a++) out[a] = r_gather(from + a, row);
}
LANE_INLINE void r_store_rows(LANE_MEMORY float *to, const LANE_MEMORY int *index, const real in[4]) {
    ireal row = i_load(index) * RI(4);
    for (int a = 0; a < 4; a++) r_scatter(to + a, row, in[a]);
}
#endif

#endif
