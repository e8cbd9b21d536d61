// Lane C: heat that flows between neighbours.
#include "phase/phase_heat_lanes.h"

#include "math/vec3.h"

_Static_assert(sizeof(heat_matter) == 4 * sizeof(float), "read as rows of four");

// Each pair's k e s^3 (u_j - u_i) is the same number for both of them, with opposite sign: the distance, both
// sums and the difference do not depend on who is first.
LANE_INLINE void conduct_row(const conduct_view *f, const fluid_rows *rows, size_t row, heat_sums *out) {
    uint32_t i = rows->own[row];
    vec3 at = vec3_of(R(f->at[i].x), R(f->at[i].y), R(f->at[i].z));
    real u = R(f->at[i].u), resistivity = R(f->matter[i].resistivity), edge = R(f->matter[i].edge);
    real flow = R(0), conductance = R(0), covered = R(0), twice = R(2 / f->support);
    for (uint32_t n = rows->first[row]; n < rows->first[row + 1]; n += LANES) {
        const int *index = (const int *)rows->index + n;
        real other[4], matter[4];
        r_load_rows(&f->at->x, index, other);
        r_load_rows(&f->matter[0].resistivity, index, matter);
        vec3 apart = vec3_of(at.x - other[0], at.y - other[1], at.z - other[2]);
        real both = edge + matter[1], inverse = R(1) / both;
        real s = r_max(R(0), R(1) - r_sqrt(vec3_length2(apart)) * (twice * inverse));
        real square = s * s, share = R(2) * matter[1] * inverse;
        mask coarse = r_gt(both, R(2 * f->coarse));
        real through =
            square * s * both / (resistivity + matter[0]) * r_select(coarse, R(f->coarse_flow), R(1));
        square = square * r_select(coarse, R(f->coarse_covered), R(1));
        covered = r_fma(square, share * share * share, covered);
        conductance = conductance + through;
        flow = r_fma(through, other[3] - u, flow);
    }
    *out = (heat_sums){r_sum_lanes(flow), r_sum_lanes(conductance), r_sum_lanes(covered)};
}

void ISA_NAME(heat_conduct_rows)(const conduct_view *f, const fluid_rows *rows, heat_sums *out) {
    for (size_t k = 0; k < rows->count; k++) conduct_row(f, rows, k, &out[k]);
}
