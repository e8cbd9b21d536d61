#include "phase/phase_lanes.h"

#include "math/vec3.h"

LANE_INLINE vec3 splat(const float *a) { return vec3_of(R(a[0]), R(a[1]), R(a[2])); }

LANE_INLINE void store_sum(float *to, vec3 a) {
    to[0] = r_sum_lanes(a.x), to[1] = r_sum_lanes(a.y), to[2] = r_sum_lanes(a.z);
}

// Both grains of a pair find the same numbers with the opposite sign: each takes half of the move.
LANE_INLINE void touch_row(const touch_field *f, const fluid_rows *rows, size_t k, touch_sums *out) {
    uint32_t i = rows->own[k];
    vec3 at = splat(f->at[i]), slid = splat(f->slid[i]), move = vec3_all(R(0)), slip = move, shift = move;
    real radius = R(f->at[i][3]), solid = R(f->slid[i][3]), contacts = R(0), liquid = R(0);
    bool shifts = false;
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
        const int *index = (const int *)rows->index + n;
        real row[4], other[4];
        r_load_rows(&f->at[0][0], index, row);
        r_load_rows(&f->slid[0][0], index, other);
        liquid += R(1) - other[3];
        vec3 apart = vec3_of(at.x - row[0], at.y - row[1], at.z - row[2]);
        real distance = r_sqrt(vec3_length2(apart)), depth = radius + row[3] - distance;
        real both = solid * other[3], half = R(0.5f) * both;
        mask meet = r_gt(depth, R(0)) & r_gt(half, R(0)) & r_gt(distance, R(1e-12f));
        if (!m_any(meet)) continue;
        vec3 normal = vec3_scale(apart, R(1) / r_max(distance, R(1e-12f)));
        real by = r_where(meet, half * R(f->step));
        mask soft = meet & r_gt(R(1), both);
        if (m_any(soft)) {
            real firm = r_select(soft, r_min(depth, R(f->firm)), depth);
            shift = vec3_add_scaled(shift, normal, by * r_min(depth - firm, R(f->shift)));
            depth = firm;
            shifts = true;
        }
        vec3 way = vec3_of(slid.x - other[0], slid.y - other[1], slid.z - other[2]);
        vec3 side = vec3_add_scaled(way, normal, -vec3_dot(way, normal));
        real size = r_sqrt(vec3_length2(side));
        real keep =
            r_select(r_le(size, R(f->hold) * depth), R(1), R(f->rub) * depth / r_max(size, R(1e-20f)));
        move = vec3_add_scaled(move, normal, by * depth);
        move = vec3_add_scaled(move, side, -by * keep);
        slip = vec3_add_scaled(slip, side, r_where(meet, half * (R(1) - keep)));
        contacts += r_where(meet, R(1));
    }
    store_sum(out->move, move);
    store_sum(out->slip, slip);
    out->shifts = shifts;
    if (shifts) store_sum(out->shift, shift);
    out->contacts = r_sum_lanes(contacts);
    out->liquid = r_sum_lanes(liquid);
}

void ISA_NAME(phase_touch)(const touch_field *f, const fluid_rows *rows, touch_sums *out) {
    for (size_t k = 0; k < rows->count; k++) touch_row(f, rows, k, &out[k]);
}

void ISA_NAME(phase_even)(const even_field *f, const fluid_rows *rows, float (*out)[4]) {
    for (size_t k = 0; k < rows->count; k++) {
        uint32_t i = rows->own[k];
        vec3 at = splat(f->at[i]), v = splat(f->v[i]), sum = vec3_all(R(0)), stop = sum;
        real radius = R(f->at[i][3]), own = R(f->v[i][3]);
        for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
            const int *index = (const int *)rows->index + n;
            real row[4], other[4];
            r_load_rows(&f->at[0][0], index, row);
            r_load_rows(&f->v[0][0], index, other);
            vec3 apart = vec3_of(at.x - row[0], at.y - row[1], at.z - row[2]);
            real reach = R(f->wide) * (r_abs(radius) + r_abs(row[3])), r2 = vec3_length2(apart);
            real r = r_sqrt(r2), s = r_max(R(0), R(1) - r / reach), s2 = s * s;
            vec3 faster = vec3_of(other[0] - v.x, other[1] - v.y, other[2] - v.z);
            sum = vec3_add_scaled(sum, faster, s2 * s2 * (R(5) - R(4) * s) * other[3]);
            mask touch = r_gt(r_min(radius, row[3]), R(0)) & r_gt(radius + row[3], r);
            real along = vec3_dot(faster, apart) * R(0.5f * f->damp) / r_max(r2, R(1e-20f));
            stop = vec3_add_scaled(stop, apart, r_where(touch, along));
        }
        store_sum(out[k], vec3_add(vec3_scale(sum, own), stop));
    }
}

void ISA_NAME(phase_draw)(const cling_field *f, const fluid_rows *rows, float (*out)[4]) {
    for (size_t k = 0; k < rows->count; k++) {
        uint32_t i = rows->own[k];
        vec3 at = splat(f->at[i]), sum = vec3_all(R(0));
        real radius = R(f->at[i][3]), own = R(f->liquid[i]);
        for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
            const int *index = (const int *)rows->index + n;
            real row[4], other = r_gather(f->liquid, i_load(index));
            r_load_rows(&f->at[0][0], index, row);
            vec3 apart = vec3_of(row[0] - at.x, row[1] - at.y, row[2] - at.z);
            real r = r_sqrt(vec3_length2(apart));
            real x = r_max(R(0), R(1) + (r - (radius + row[3])) * R(f->inverse_unit));
            real far = r_max(R(0), R(1) - x * R(1 / CLING_FAR)),
                 near = r_max(R(0), R(1) - x * R(1 / CLING_NEAR));
            real pull = x * (x * far * far - R(CLING_PUSH) * near * near * near);
            // What freezes is drawn fully until it is solid enough to link.
            real both = own * other, mixed = r_min(R(1), R(2) * (own + other) - R(4) * both);
            real by = pull * (R(f->water) * both + R(f->border) * mixed);
            sum = vec3_add_scaled(sum, apart, by / r_max(r, R(1e-12f)));
        }
        store_sum(out[k], sum);
    }
}
