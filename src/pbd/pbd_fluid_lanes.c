#include "pbd/pbd_fluid_lanes.h"

#include "math/vec3.h"

typedef struct pair {
    vec3 apart; // x_i - x_j
    real r2, s; // s = 1 - r/h, 0 beyond
    real fourth;
    ireal number;
} pair;

LANE_INLINE pair load_pair(const fluid_field *f, const uint32_t *index, vec3 at) {
    pair p;
    real row[4];
    r_load_rows(&f->at[0][0], (const int *)index, row);
    p.apart = vec3_of(at.x - row[0], at.y - row[1], at.z - row[2]);
    p.r2 = vec3_length2(p.apart);
    p.s = r_max(R(0), R(1) - r_sqrt(p.r2) * R(f->inverse_h));
    p.fourth = row[3];
    p.number = i_load((const int *)index);
    return p;
}

LANE_INLINE real value_at(const float *list, const pair *p) {
    return list ? r_gather(list, p->number) : R(1);
}

LANE_INLINE vec3 place_of(const fluid_field *f, uint32_t i) {
    return vec3_of(R(f->at[i][0]), R(f->at[i][1]), R(f->at[i][2]));
}

LANE_INLINE void store_vec(float *to, vec3 a) {
    to[0] = r_sum_lanes(a.x), to[1] = r_sum_lanes(a.y), to[2] = r_sum_lanes(a.z);
}

LANE_INLINE void measure_row(const fluid_field *f, const fluid_rows *rows, size_t k, fluid_sums *out) {
    vec3 at = place_of(f, rows->own[k]), gradient = vec3_all(R(0));
    real density = R(0), weight = R(0);
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
        pair p = load_pair(f, rows->index + n, at);
        real s3 = p.s * p.s * p.s, slope = s3 * value_at(f->volume, &p);
        density = r_fma(slope * p.s, R(5) - R(4) * p.s, density);
        gradient = vec3_add_scaled(gradient, p.apart, slope);
        real w = f->volume ? slope * s3 * value_at(f->push, &p) * p.fourth : s3 * s3;
        weight = r_fma(w, p.r2, weight);
    }
    out->density = r_sum_lanes(density);
    store_vec(out->gradient, gradient);
    out->weight = r_sum_lanes(weight);
}

void ISA_NAME(fluid_measure)(const fluid_field *f, const fluid_rows *rows, fluid_sums *out) {
    if (f->volume) {
        for (size_t k = 0; k < rows->count; k++) measure_row(f, rows, k, &out[k]);
        return;
    }
    const fluid_field even = {f->at, NULL, NULL, f->inverse_h};
    for (size_t k = 0; k < rows->count; k++) measure_row(&even, rows, k, &out[k]);
}

// W at 0.2 h, without its factor: 0.8^4 1.8.
#define UNCLUMP_AT (0.8f * 0.8f * 0.8f * 0.8f * 1.8f)

LANE_INLINE real crowding_of(real s) {
    real near = s * s * s * s * (R(5) - R(4) * s) * R(1 / UNCLUMP_AT), near2 = near * near;
    return near2 * near2;
}

LANE_INLINE void push_row(const fluid_field *f, const fluid_rows *rows, size_t k, float unclump,
                          float out[4]) {
    uint32_t i = rows->own[k];
    vec3 at = place_of(f, i), sum = vec3_all(R(0));
    real own = R(f->at[i][3]), volume = f->push ? R(f->push[i]) : R(1);
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
        pair p = load_pair(f, rows->index + n, at);
        real s3 = p.s * p.s * p.s;
        real push = f->push ? r_fma(own, value_at(f->push, &p), p.fourth * volume) : own + p.fourth;
        if (unclump > 0) push = push - R(unclump) * crowding_of(p.s);
        sum = vec3_add_scaled(sum, p.apart, push * s3);
    }
    store_vec(out, sum);
}

void ISA_NAME(fluid_push)(const fluid_field *f, const fluid_rows *rows, float unclump, float (*out)[4]) {
    const fluid_field even = {f->at, NULL, NULL, f->inverse_h};
    if (f->push || unclump > 0)
        for (size_t k = 0; k < rows->count; k++) push_row(f, rows, k, unclump, out[k]);
    else
        for (size_t k = 0; k < rows->count; k++) push_row(&even, rows, k, 0, out[k]);
}

void ISA_NAME(fluid_virial)(const fluid_field *f, const fluid_rows *rows, float *out) {
    for (size_t k = 0; k < rows->count; k++) {
        uint32_t i = rows->own[k];
        vec3 at = place_of(f, i);
        real own = R(f->at[i][3]), volume = f->push ? R(f->push[i]) : R(1), sum = R(0);
        for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
            pair p = load_pair(f, rows->index + n, at);
            real push = r_fma(own, value_at(f->push, &p), p.fourth * volume);
            sum = r_fma(push * p.s * p.s * p.s, p.r2, sum);
        }
        out[k] = r_sum_lanes(sum);
    }
}

// Moves the neighbours of one vector; those that fill it up are left out, as others may look at them.
LANE_INLINE void move_neighbours(const uint32_t *index, uint32_t far, vec3 move, float (*q)[4]) {
    float x[LANES], y[LANES], z[LANES];
    r_store(x, move.x), r_store(y, move.y), r_store(z, move.z);
    for (int l = 0; l < LANES && index[l] != far; l++) {
        float *to = q[index[l]];
        to[0] += x[l], to[1] += y[l], to[2] += z[l];
    }
}

void ISA_NAME(fluid_scatter)(const fluid_field *f, const fluid_rows *row, const fluid_spread *by,
                             uint32_t far, float (*q)[4]) {
    uint32_t i = row->own[0];
    vec3 at = place_of(f, i), sum = vec3_all(R(0));
    for (uint32_t n = row->first[0]; n < row->first[1]; n += LANES) {
        pair p = load_pair(f, row->index + n, at);
        real push = R(by->change) * value_at(f->push, &p);
        if (by->unclump > 0) push = push - R(by->unclump) * crowding_of(p.s);
        vec3 share = vec3_scale(p.apart, R(by->slope) * push * p.s * p.s * p.s);
        sum = vec3_add(sum, share);
        move_neighbours(row->index + n, far, vec3_scale(share, p.fourth), q);
    }
    float back[3];
    store_vec(back, sum);
    for (int a = 0; a < 3; a++) q[i][a] -= q[i][3] * back[a];
}

size_t ISA_NAME(fluid_list)(const fluid_candidates *c, const float at[3], float reach2, int self, int least,
                            int far, int *to) {
    size_t found = 0;
    for (size_t k = 0; k < c->n; k += LANES) {
        real x = r_load(c->x + k) - R(at[0]), y = r_load(c->y + k) - R(at[1]),
             z = r_load(c->z + k) - R(at[2]);
        ireal number = i_load(c->number + k);
        mask near = r_lt(r_fma(x, x, r_fma(y, y, z * z)), R(reach2)) & i_ne(number, RI(self)) &
                    i_ge(number, RI(least));
        if (m_any(near)) found += (size_t)i_store_packed(to + found, near, number);
    }
    while (found % LANES != 0) to[found++] = far;
    return found;
}

// Cohesion of Akinci et al. 2013, times h^3 and without pi: pulls between h/2 and h, pushes nearer than 0.27
// h.
LANE_INLINE real cohesion_of(real q) {
    real a = (R(1) - q) * q, a3 = a * a * a;
    return R(32 / 3.14159265f) * r_select(r_gt(q, R(0.5f)), a3, R(2) * a3 - R(1.0f / 64));
}

LANE_INLINE void mix_row(const fluid_flow *w, const fluid_rows *rows, size_t k, fluid_changes *out) {
    uint32_t i = rows->own[k];
    vec3 at = place_of(&w->f, i), v = vec3_of(R(w->v[i][0]), R(w->v[i][1]), R(w->v[i][2]));
    vec3 spread = vec3_all(R(0)), draw = spread, curl = spread;
    real own = R(w->f.at[i][3]);
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
        pair p = load_pair(&w->f, rows->index + n, at);
        real row[4], s3 = p.s * p.s * p.s, volume = value_at(w->f.volume, &p);
        r_load_rows(&w->v[0][0], (const int *)rows->index + n, row);
        vec3 faster = vec3_of(row[0] - v.x, row[1] - v.y, row[2] - v.z);
        if (w->uneven) volume = volume * (R(2) * own / r_max(own + p.fourth, R(1e-30f)));
        spread = vec3_add_scaled(spread, faster, s3 * p.s * (R(5) - R(4) * p.s) * volume);
        if (w->draw) {
            real q = R(1) - p.s, r = r_max(q, R(1e-6f));
            draw = vec3_add_scaled(draw, p.apart, -volume * cohesion_of(q) * R(w->f.inverse_h) / r);
        }
        if (w->curl) curl = vec3_add_scaled(curl, vec3_cross(p.apart, faster), s3 * volume);
    }
    store_vec(out->spread, spread);
    store_vec(out->draw, draw);
    store_vec(out->curl, curl);
}

void ISA_NAME(fluid_mix)(const fluid_flow *f, const fluid_rows *rows, fluid_changes *out) {
    const fluid_flow plain = {{f->f.at, NULL, NULL, f->f.inverse_h}, f->v, false, false, false};
    if (f->f.volume || f->curl || f->draw || f->uneven)
        for (size_t k = 0; k < rows->count; k++) mix_row(f, rows, k, &out[k]);
    else
        for (size_t k = 0; k < rows->count; k++) mix_row(&plain, rows, k, &out[k]);
}

void ISA_NAME(fluid_swirl)(const fluid_flow *f, const fluid_rows *rows, float (*out)[4]) {
    for (size_t k = 0; k < rows->count; k++) {
        vec3 at = place_of(&f->f, rows->own[k]), sum = vec3_all(R(0));
        real own = R(f->v[rows->own[k]][3]);
        for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
            pair p = load_pair(&f->f, rows->index + n, at);
            real row[4];
            r_load_rows(&f->v[0][0], (const int *)rows->index + n, row);
            sum = vec3_add_scaled(sum, p.apart, (row[3] - own) * p.s * p.s * p.s * value_at(f->f.volume, &p));
        }
        store_vec(out[k], sum);
    }
}
