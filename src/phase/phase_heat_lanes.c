// Lane C: heat that flows between neighbours.
#include "phase/phase_heat_lanes.h"

#include "math/vec3.h"

_Static_assert(sizeof(heat_matter) == 4 * sizeof(float), "read as rows of four");

LANE_INLINE void moment_row(const conduct_view *f, const fluid_rows *rows, size_t row, heat_moments *out) {
    uint32_t i = rows->own[row];
    vec3 at = vec3_of(R(f->at[i].x), R(f->at[i].y), R(f->at[i].z)), dipole = vec3_all(R(0));
    real edge = R(f->at[i].u), covered = R(0), second = R(0), near = R(0), sum = R(0);
    for (uint32_t n = rows->first[row]; n < rows->first[row + 1]; n += LANES) {
        real other[4];
        r_load_rows(&f->at->x, (const int *)rows->index + n, other);
        vec3 apart = vec3_of(other[0] - at.x, other[1] - at.y, other[2] - at.z);
        real both = edge + other[3], inverse = R(1) / both;
        real r2 = vec3_length2(apart), r = r_sqrt(r2) * inverse;
        real t = r_max(R(0), R(1) - r * R(2 / f->support)), share = R(2) * other[3] * inverse;
        real s = r_max(R(0), R(1) - r * R(2 / CONDUCT_SUPPORT)), square = s * s, cube = square * s;
        share = share * share * share;
        covered = r_fma(t * t, share, covered);
        near = r_fma(square, share, near);
        sum = sum + cube;
        second = second + r_where(r_gt(cube, R(0)), cube * r2);
        dipole = vec3_add_scaled(dipole, apart, cube);
    }
    *out = (heat_moments){r_sum_lanes(covered),
                          r_sum_lanes(near),
                          r_sum_lanes(sum),
                          r_sum_lanes(second),
                          {r_sum_lanes(dipole.x), r_sum_lanes(dipole.y), r_sum_lanes(dipole.z)}};
}

void ISA_NAME(heat_moment_rows)(const conduct_view *f, const fluid_rows *rows, heat_moments *out) {
    for (size_t k = 0; k < rows->count; k++) moment_row(f, rows, k, &out[k]);
}

// Each pair's flow is the same number for both of them, with opposite sign: the distance, the sums and the
// difference do not depend on who is first.
LANE_INLINE void conduct_row(const conduct_view *f, const fluid_rows *rows, size_t row, heat_sums *out) {
    uint32_t i = rows->own[row];
    vec3 at = vec3_of(R(f->at[i].x), R(f->at[i].y), R(f->at[i].z));
    real u = R(f->at[i].u), edge = R(f->matter[i].edge), frozen = R(f->matter[i].cold_side);
    real warm_side = R(f->matter[i].warm_side), cold_side = r_abs(frozen);
    real scale = R(f->matter[i].scale), flow = R(0), conductance = R(0);
    for (uint32_t n = rows->first[row]; n < rows->first[row + 1]; n += LANES) {
        const int *index = (const int *)rows->index + n;
        real other[4], matter[4];
        r_load_rows(&f->at->x, index, other);
        r_load_rows(&f->matter[0].warm_side, index, matter);
        vec3 apart = vec3_of(at.x - other[0], at.y - other[1], at.z - other[2]);
        real both = edge + matter[1];
        real s = r_max(R(0), R(1) - r_sqrt(vec3_length2(apart)) * (R(2 / CONDUCT_SUPPORT) / both));
        real own = r_select(r_lt(matter[3], R(0)), cold_side, warm_side);
        real its = r_select(r_lt(frozen, R(0)), r_abs(matter[3]), matter[0]);
        real through = s * s * s * (scale + matter[2]) / (own + its);
        conductance = conductance + through;
        flow = r_fma(through, other[3] - u, flow);
    }
    *out = (heat_sums){r_sum_lanes(flow), r_sum_lanes(conductance)};
}

void ISA_NAME(heat_conduct_rows)(const conduct_view *f, const fluid_rows *rows, heat_sums *out) {
    for (size_t k = 0; k < rows->count; k++) conduct_row(f, rows, k, &out[k]);
}
