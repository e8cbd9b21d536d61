#include "phase/phase_heat_lanes.h"

#include "math/vec3.h"

// Each pair's k s^3 (T_j - T_i) is the same number for both of them, with opposite sign: the distance, the
// sum of resistances and the difference do not depend on who is first.
LANE_INLINE void measure_row(const heat_field *f, const fluid_rows *rows, size_t row, heat_sums *out) {
    uint32_t i = rows->own[row];
    const float *own = f->at[i];
    vec3 at = vec3_of(R(own[0]), R(own[1]), R(own[2]));
    real temperature = R(own[3]), resist = R(f->resist[i]);
    real flow = R(0), conduct = R(0), taken = R(0);
    for (uint32_t n = rows->first[row]; n < rows->first[row + 1]; n += LANES) {
        const int *index = (const int *)rows->index + n;
        real other[4];
        r_load_rows(&f->at[0][0], index, other);
        vec3 apart = vec3_of(at.x - other[0], at.y - other[1], at.z - other[2]);
        real s = r_max(R(0), R(1) - r_sqrt(vec3_length2(apart)) * R(f->inverse_h));
        real square = s * s;
        if (f->volume) square = square * r_gather(f->volume, i_load(index));
        real through = square * s * R(2) / (resist + r_gather(f->resist, i_load(index)));
        taken = taken + square;
        conduct = conduct + through;
        flow = r_fma(through, other[3] - temperature, flow);
    }
    *out = (heat_sums){r_sum_lanes(flow), r_sum_lanes(conduct), r_sum_lanes(taken)};
}

void ISA_NAME(heat_measure)(const heat_field *f, const fluid_rows *rows, heat_sums *out) {
    const heat_field even = {f->at, f->resist, NULL, f->inverse_h};
    if (f->volume)
        for (size_t k = 0; k < rows->count; k++) measure_row(f, rows, k, &out[k]);
    else
        for (size_t k = 0; k < rows->count; k++) measure_row(&even, rows, k, &out[k]);
}
