// Lane C: eddy viscosity (Smagorinsky 1963) and the diffusion of momentum by it.
#include "wind/wind_lanes.h"

#include "lane/lane.h"

#define ROWS(box)                                                                                            \
    for (int32_t k = k0; k < k1; k++)                                                                        \
        for (int32_t j = 1; j <= (box)->n[1]; j++)

LANE_INLINE size_t step_of(const poisson_box *box, int axis) {
    return axis == 0 ? 1 : axis == 1 ? box->row : box->plane;
}

// The square of the shear rate on an edge: along a of the component b and the other way round, times cell^2.
LANE_INLINE real shear(const float *along_a, const float *along_b, size_t a, size_t b, size_t c) {
    real s =
        (r_load(along_a + c) - r_load(along_a + c - b)) + (r_load(along_b + c) - r_load(along_b + c - a));
    return s * s;
}

// The mean of that over the four edges of a cell.
LANE_INLINE real edges(const float *along_a, const float *along_b, size_t a, size_t b, size_t c) {
    return R(0.25f) * (shear(along_a, along_b, a, b, c) + shear(along_a, along_b, a, b, c + a) +
                       shear(along_a, along_b, a, b, c + b) + shear(along_a, along_b, a, b, c + a + b));
}

LANE_INLINE real stretch(const float *v, size_t step, size_t c) {
    real s = r_load(v + c + step) - r_load(v + c);
    return s * s;
}

// |S| = sqrt(2 S_ij S_ij), times cell. Reads up to LANES - 1 items beyond a row.
void ISA_NAME(wind_eddy)(const poisson_box *box, const uint8_t *restrict kind, const uint8_t *restrict apart,
                         int k0, int k1, float scale, float most, float *const v[3], float *restrict eddy) {
    const float *u = v[0], *w = v[1], *s = v[2];
    const size_t r = box->row, p = box->plane;
    ROWS(box) {
        size_t c = poisson_at(box, 1, j, k), end = c + (size_t)box->n[0];
        for (; c < end; c += LANES) {
            real sum = R(2) * (stretch(u, 1, c) + stretch(w, r, c) + stretch(s, p, c)) +
                       edges(u, w, 1, r, c) + edges(u, s, 1, p, c) + edges(w, s, r, p, c);
            real value = r_min(R(scale) * r_sqrt(sum), R(most));
            value = r_where(
                i_eq(i_load_bytes(kind + c), RI(POISSON_FREE)) & i_ne(i_load_bytes(apart + c), RI(1)), value);
            if (c + LANES <= end)
                r_store(eddy + c, value);
            else
                for (size_t i = 0; c + i < end; i++) eddy[c + i] = r_lane(value, (int)i);
        }
    }
}

// What flows through the edge beyond a face along b.
LANE_INLINE real over_edge(const float *eddy, const float *v, size_t own, size_t b, size_t c) {
    real e =
        (r_load(eddy + c) + r_load(eddy + c - own)) + (r_load(eddy + c + b) + r_load(eddy + c + b - own));
    return R(0.25f) * e * (r_load(v + c + b) - r_load(v + c));
}

void ISA_NAME(wind_diffuse)(const poisson_box *box, const uint8_t *restrict kind, int k0, int k1, int axis,
                            const float *restrict eddy, const float *restrict v, float *restrict to) {
    const size_t own = step_of(box, axis), one = step_of(box, (axis + 1) % 3),
                 two = step_of(box, (axis + 2) % 3);
    ROWS(box) {
        size_t c = poisson_at(box, 1, j, k), end = c + (size_t)box->n[0];
        for (; c < end; c += LANES) {
            real here = r_load(v + c);
            real sum = r_load(eddy + c) * (r_load(v + c + own) - here) -
                       r_load(eddy + c - own) * (here - r_load(v + c - own));
            sum += over_edge(eddy, v, own, one, c) - over_edge(eddy, v, own, one, c - one);
            sum += over_edge(eddy, v, own, two, c) - over_edge(eddy, v, own, two, c - two);
            mask air = i_eq(i_load_bytes(kind + c) * i_load_bytes(kind + c - own), RI(POISSON_FREE));
            real value = here + r_where(air, sum);
            if (c + LANES <= end)
                r_store(to + c, value);
            else
                for (size_t i = 0; c + i < end; i++) to[c + i] = r_lane(value, (int)i);
        }
    }
}
