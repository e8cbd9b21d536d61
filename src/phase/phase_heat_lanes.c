#include "phase/phase_heat_lanes.h"

#include "math/vec3.h"

_Static_assert(sizeof(heat_matter) == 4 * sizeof(float), "read as rows of four");

// Each pair's k e s^3 (T_j - T_i) is the same number for both of them, with opposite sign: the distance, both
// sums and the difference do not depend on who is first.
LANE_INLINE void measure_row(const heat_field *f, const fluid_rows *rows, size_t row, heat_sums *out) {
    uint32_t i = rows->own[row];
    const float *own = f->at[i];
    vec3 at = vec3_of(R(own[0]), R(own[1]), R(own[2]));
    real temperature = R(own[3]), resist = R(f->matter[i].resist), edge = R(f->matter[i].edge);
    real flow = R(0), conduct = R(0), taken = R(0), twice = R(2 / f->support);
    for (uint32_t n = rows->first[row]; n < rows->first[row + 1]; n += LANES) {
        const int *index = (const int *)rows->index + n;
        real other[4], matter[4];
        r_load_rows(&f->at[0][0], index, other);
        r_load_rows(&f->matter[0].resist, index, matter);
        vec3 apart = vec3_of(at.x - other[0], at.y - other[1], at.z - other[2]);
        real both = edge + matter[1], inverse = R(1) / both;
        real s = r_max(R(0), R(1) - r_sqrt(vec3_length2(apart)) * (twice * inverse));
        real square = s * s, share = R(2) * matter[1] * inverse;
        mask coarse = r_gt(both, R(2 * f->coarse));
        real through = square * s * both / (resist + matter[0]) * r_select(coarse, R(f->coarse_flow), R(1));
        square = square * r_select(coarse, R(f->coarse_taken), R(1));
        taken = r_fma(square, share * share * share, taken);
        conduct = conduct + through;
        flow = r_fma(through, other[3] - temperature, flow);
    }
    *out = (heat_sums){r_sum_lanes(flow), r_sum_lanes(conduct), r_sum_lanes(taken)};
}

void ISA_NAME(heat_measure)(const heat_field *f, const fluid_rows *rows, heat_sums *out) {
    for (size_t k = 0; k < rows->count; k++) measure_row(f, rows, k, &out[k]);
}
