// Lane C: contacts with friction, XSPH, cohesion and adhesion.
#include "phase/phase_lanes.h"

#include "math/vec3.h"

_Static_assert(sizeof(contact_in) == 16 && sizeof(tangential_in) == 16 && sizeof(xsph_in) == 16 &&
                   sizeof(xsph_velocity_in) == 16,
               "loaded as rows of four");

// The vector at the head of a view, in all lanes.
#define SPLAT(view) vec3_of(R((view).x), R((view).y), R((view).z))

LANE_INLINE void store_sum(float *to, vec3 a) {
    to[0] = r_sum_lanes(a.x), to[1] = r_sum_lanes(a.y), to[2] = r_sum_lanes(a.z);
}

// Both grains of a pair compute the same numbers with the opposite sign: each takes half of the correction.
LANE_INLINE void contact_row(const contact_view *f, const fluid_rows *rows, size_t k, contact_sums *out) {
    uint32_t i = rows->own[k];
    vec3 motion = SPLAT(f->motion[i]);
    vec3 at = SPLAT(f->at[i]), tangential = SPLAT(f->tangential[i]), move = vec3_all(R(0)), slip = move,
         shift = move;
    real radius = R(f->at[i].radius), solid = R(f->tangential[i].solid), contacts = R(0);
    bool shifts = false;
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
        const int *index = (const int *)rows->index + n;
        real row[4], other[4];
        r_load_rows(&f->at->x, index, row);
        r_load_rows(&f->tangential->x, index, other);
        vec3 apart = vec3_of(at.x - row[0], at.y - row[1], at.z - row[2]);
        real distance = r_sqrt(vec3_length2(apart)), depth = radius + row[3] - distance;
        real both = solid * other[3], each = R(0.5f) * both;
        mask contact = r_gt(depth, R(0)) & r_gt(each, R(0)) & r_gt(distance, R(1e-12f));
        if (!m_any(contact)) continue;
        vec3 normal = vec3_scale(apart, R(1) / r_max(distance, R(1e-12f)));
        real share = r_where(contact, each * R(f->stiffness));
        mask freezing = contact & r_gt(R(1), both);
        if (m_any(freezing)) {
            real pushes = r_select(freezing, r_min(depth, R(f->max_depth)), depth);
            shift = vec3_add_scaled(shift, normal, share * r_min(depth - pushes, R(f->max_shift)));
            depth = pushes;
            shifts = true;
        }
        real moved[4];
        r_load_rows(&f->motion->x, index, moved);
        real parting =
            vec3_dot(vec3_of(motion.x - moved[0], motion.y - moved[1], motion.z - moved[2]), normal);
        real parts = r_min(depth, r_max(R(0), R(f->max_parting) - parting) * R(1 / f->stiffness));
        if (m_any(contact & r_gt(depth, parts))) {
            shift = vec3_add_scaled(shift, normal, share * (depth - parts));
            depth = parts;
            shifts = true;
        }
        vec3 relative = vec3_of(tangential.x - other[0], tangential.y - other[1], tangential.z - other[2]);
        vec3 sliding = vec3_add_scaled(relative, normal, -vec3_dot(relative, normal));
        real length = r_sqrt(vec3_length2(sliding));
        // Coulomb: static friction corrects all of the sliding, kinetic friction a part of it.
        real corrected = r_select(r_le(length, R(f->mu_static) * depth), R(1),
                                  R(f->mu_kinetic) * depth / r_max(length, R(1e-20f)));
        move = vec3_add_scaled(move, normal, share * depth);
        move = vec3_add_scaled(move, sliding, -share * corrected);
        slip = vec3_add_scaled(slip, sliding, r_where(contact, each * (R(1) - corrected)));
        contacts += r_where(contact, R(1));
    }
    store_sum(out->move, move);
    store_sum(out->slip, slip);
    out->shifts = shifts;
    if (shifts) store_sum(out->shift, shift);
    out->contacts = r_sum_lanes(contacts);
}

void ISA_NAME(phase_contact_rows)(const contact_view *f, const fluid_rows *rows, contact_sums *out) {
    for (size_t k = 0; k < rows->count; k++) contact_row(f, rows, k, &out[k]);
}

LANE_INLINE void pull_row(const pull_view *f, uint32_t i, uint32_t count, pull_sums *out) {
    vec3 at = SPLAT(f->at[i]), motion = SPLAT(f->motion[i]), move = vec3_all(R(0)), shift = move;
    real half = R(0.5f * f->stiffness * f->dry[i]);
    for (uint32_t n = 0; n < count; n += LANES) {
        const int *index = (const int *)f->other + i * f->most + n;
        real row[4], moved[4], rest = r_load(f->rest + i * f->most + n);
        r_load_rows(&f->at->x, index, row);
        r_load_rows(&f->motion->x, index, moved);
        vec3 apart = vec3_of(at.x - row[0], at.y - row[1], at.z - row[2]);
        vec3 relative = vec3_of(motion.x - moved[0], motion.y - moved[1], motion.z - moved[2]);
        real d = r_sqrt(vec3_length2(apart)), inverse = R(1) / r_max(d, R(1e-12f));
        mask pulls = m_first((int)(count - n)) & r_gt(d, R(0));
        real by = r_where(pulls, half * r_gather(f->dry, i_load(index)) * (rest - d) * inverse);
        real along = vec3_dot(relative, apart) * inverse;
        real parting = r_select(r_gt(by, R(0)), along, -along), size = R(2) * r_abs(by) * d;
        real pushes = r_max(R(f->max_parting) - parting, R(0));
        real lost = r_where(r_gt(size, pushes), by * (R(1) - pushes / r_max(size, R(1e-30f))));
        move = vec3_add_scaled(move, apart, by - lost);
        shift = vec3_add_scaled(shift, apart, lost);
    }
    store_sum(out->move, move);
    store_sum(out->shift, shift);
}

void ISA_NAME(phase_pull_rows)(const pull_view *f, const uint32_t *own, const uint32_t *count, size_t rows,
                               pull_sums *out) {
    for (size_t k = 0; k < rows; k++) pull_row(f, own[k], count[k], &out[k]);
}

void ISA_NAME(phase_xsph_rows)(const xsph_view *f, const fluid_rows *rows, float (*out)[4]) {
    for (size_t k = 0; k < rows->count; k++) {
        uint32_t i = rows->own[k];
        vec3 at = SPLAT(f->at[i]), v = SPLAT(f->v[i]), sum = vec3_all(R(0)), damping = sum;
        real radius = R(f->at[i].signed_radius), own = R(f->v[i].share);
        for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
            const int *index = (const int *)rows->index + n;
            real row[4], other[4];
            r_load_rows(&f->at->x, index, row);
            r_load_rows(&f->v->x, index, other);
            vec3 apart = vec3_of(at.x - row[0], at.y - row[1], at.z - row[2]);
            real h = R(f->support) * (r_abs(radius) + r_abs(row[3])), r2 = vec3_length2(apart);
            real r = r_sqrt(r2), s = r_max(R(0), R(1) - r / h), s2 = s * s;
            vec3 relative = vec3_of(other[0] - v.x, other[1] - v.y, other[2] - v.z);
            real slow = r_max(R(0), R(1) - vec3_length2(relative) * R(f->inverse_calm_speed2));
            real share = own * other[3] + r_where(r_gt(R(0), r_max(radius, row[3])), R(f->calm) * slow);
            sum = vec3_add_scaled(sum, relative, s2 * s2 * (R(5) - R(4) * s) * share);
            mask contact = r_gt(r_min(radius, row[3]), R(0)) & r_gt(radius + row[3], r);
            real along = vec3_dot(relative, apart) * R(0.5f * f->damping) / r_max(r2, R(1e-20f));
            damping = vec3_add_scaled(damping, apart, r_where(contact, along));
        }
        store_sum(out[k], vec3_add(sum, damping));
    }
}

void ISA_NAME(phase_cohesion_rows)(const cohesion_view *f, const fluid_rows *rows, float (*out)[4]) {
    for (size_t k = 0; k < rows->count; k++) {
        uint32_t i = rows->own[k];
        vec3 at = SPLAT(f->at[i]), sum = vec3_all(R(0));
        real radius = R(f->at[i].radius), own = R(f->liquid[i]);
        for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
            const int *index = (const int *)rows->index + n;
            real row[4], other = r_gather(f->liquid, i_load(index));
            r_load_rows(&f->at->x, index, row);
            vec3 apart = vec3_of(row[0] - at.x, row[1] - at.y, row[2] - at.z);
            real r = r_sqrt(vec3_length2(apart));
            real x = r_max(R(0), R(1) + (r - (radius + row[3])) * R(f->inverse_length));
            real far = r_max(R(0), R(1) - x * R(1 / COHESION_FAR)),
                 near = r_max(R(0), R(1) - x * R(1 / COHESION_NEAR));
            real pull = x * (x * far * far - R(COHESION_REPULSION) * near * near * near);
            // A freezing particle is attracted fully until it is solid enough to link.
            real both = own * other, mixed = r_min(R(1), R(2) * (own + other) - R(4) * both);
            real factor = pull * (R(f->cohesion) * both + R(f->adhesion) * mixed);
            sum = vec3_add_scaled(sum, apart, factor / r_max(r, R(1e-12f)));
        }
        store_sum(out[k], sum);
    }
}
