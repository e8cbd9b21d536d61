// Lane C: density, position correction, XSPH and vorticity of liquids, and their neighbour lists.
#include "pbd/pbd_fluid_lanes.h"

#include "math/vec3.h"

_Static_assert(sizeof(density_in) == 16 && sizeof(pressure_in) == 16 && sizeof(velocity_in) == 16,
               "loaded as rows of four");

typedef struct pair {
    vec3 apart; // x_i - x_j
    real r2, s; // s = 1 - r/h, 0 beyond
    real fourth;
    ireal number;
} pair;

LANE_INLINE pair load_pair(const float *rows, float inverse_h, const uint32_t *index, vec3 at) {
    pair p;
    real row[4];
    r_load_rows(rows, (const int *)index, row);
    p.apart = vec3_of(at.x - row[0], at.y - row[1], at.z - row[2]);
    p.r2 = vec3_length2(p.apart);
    p.s = r_max(R(0), R(1) - r_sqrt(p.r2) * R(inverse_h));
    p.fourth = row[3];
    p.number = i_load((const int *)index);
    return p;
}

LANE_INLINE real value_at(const float *list, const pair *p) {
    return list ? r_gather(list, p->number) : R(1);
}

// The position, or velocity, at the head of a row of four.
// The vector at the head of a view, in all lanes.
#define SPLAT(view) vec3_of(R((view).x), R((view).y), R((view).z))

LANE_INLINE void store_vec(float *to, vec3 a) {
    to[0] = r_sum_lanes(a.x), to[1] = r_sum_lanes(a.y), to[2] = r_sum_lanes(a.z);
}

LANE_INLINE void density_row(const density_view *f, const fluid_rows *rows, size_t k, fluid_sums *out) {
    vec3 at = SPLAT(f->at[rows->own[k]]), grad_C = vec3_all(R(0));
    real density = R(0), sum_w_grad2 = R(0);
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
        pair p = load_pair(&f->at->x, f->inverse_h, rows->index + n, at);
        real s3 = p.s * p.s * p.s, grad = s3 * value_at(f->volume, &p);
        density = r_fma(grad * p.s, R(5) - R(4) * p.s, density);
        grad_C = vec3_add_scaled(grad_C, p.apart, grad);
        real w = f->volume ? grad * s3 * value_at(f->pressure_volume, &p) * p.fourth : s3 * s3;
        sum_w_grad2 = r_fma(w, p.r2, sum_w_grad2);
    }
    out->density = r_sum_lanes(density);
    store_vec(out->grad_C, grad_C);
    out->sum_w_grad2 = r_sum_lanes(sum_w_grad2);
}

void ISA_NAME(fluid_density)(const density_view *f, const fluid_rows *rows, fluid_sums *out) {
    if (f->volume) {
        for (size_t k = 0; k < rows->count; k++) density_row(f, rows, k, &out[k]);
        return;
    }
    const density_view uniform = {f->at, NULL, NULL, f->inverse_h};
    for (size_t k = 0; k < rows->count; k++) density_row(&uniform, rows, k, &out[k]);
}

LANE_INLINE float density_alone(const density_view *f, const fluid_rows *rows, size_t k) {
    vec3 at = SPLAT(f->at[rows->own[k]]);
    real density = R(0);
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
        pair p = load_pair(&f->at->x, f->inverse_h, rows->index + n, at);
        real s2 = p.s * p.s;
        density = r_fma(s2 * s2 * value_at(f->volume, &p), R(5) - R(4) * p.s, density);
    }
    return r_sum_lanes(density);
}

void ISA_NAME(fluid_density_alone)(const density_view *f, const fluid_rows *rows, float *out) {
    const density_view uniform = {f->at, NULL, NULL, f->inverse_h};
    if (f->volume)
        for (size_t k = 0; k < rows->count; k++) out[k] = density_alone(f, rows, k);
    else
        for (size_t k = 0; k < rows->count; k++) out[k] = density_alone(&uniform, rows, k);
}

// W at 0.2 h, without its factor: 0.8^4 1.8.
#define S_CORR_AT (0.8f * 0.8f * 0.8f * 0.8f * 1.8f)

LANE_INLINE real s_corr_of(real s) {
    real ratio = s * s * s * s * (R(5) - R(4) * s) * R(1 / S_CORR_AT), ratio2 = ratio * ratio;
    return ratio2 * ratio2;
}

LANE_INLINE void delta_x_row(const pressure_view *f, const fluid_rows *rows, size_t k, float s_corr,
                             float out[4]) {
    uint32_t i = rows->own[k];
    vec3 at = SPLAT(f->at[i]), delta_x = vec3_all(R(0));
    real own = R(f->at[i].dlambda), volume = f->pressure_volume ? R(f->pressure_volume[i]) : R(1);
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
        pair p = load_pair(&f->at->x, f->inverse_h, rows->index + n, at);
        real s3 = p.s * p.s * p.s;
        real both = f->pressure_volume ? r_fma(own, value_at(f->pressure_volume, &p), p.fourth * volume)
                                       : own + p.fourth;
        if (s_corr > 0) both = both - R(s_corr) * s_corr_of(p.s);
        delta_x = vec3_add_scaled(delta_x, p.apart, both * s3);
    }
    store_vec(out, delta_x);
}

void ISA_NAME(fluid_delta_x)(const pressure_view *f, const fluid_rows *rows, float s_corr, float (*out)[4]) {
    const pressure_view uniform = {f->at, NULL, f->inverse_h};
    if (f->pressure_volume || s_corr > 0)
        for (size_t k = 0; k < rows->count; k++) delta_x_row(f, rows, k, s_corr, out[k]);
    else
        for (size_t k = 0; k < rows->count; k++) delta_x_row(&uniform, rows, k, 0, out[k]);
}

void ISA_NAME(fluid_virial)(const pressure_view *f, const fluid_rows *rows, const fluid_along *along,
                            float *out) {
    for (size_t k = 0; k < rows->count; k++) {
        uint32_t i = rows->own[k];
        vec3 at = SPLAT(f->at[i]), direction = SPLAT(along[k]);
        real own = R(f->at[i].dlambda), sum = R(0), all = R(along[k].all);
        real volume = f->pressure_volume ? R(f->pressure_volume[i]) : R(1);
        for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
            pair p = load_pair(&f->at->x, f->inverse_h, rows->index + n, at);
            real both = r_fma(own, value_at(f->pressure_volume, &p), p.fourth * volume);
            vec3 weighted = vec3_scale(p.apart, both * p.s * p.s * p.s); // 0 where `apart` is the padding's
            real part = vec3_dot(p.apart, direction);
            sum = sum + r_fma(vec3_dot(weighted, p.apart), all, vec3_dot(weighted, direction) * part);
        }
        out[k] = r_sum_lanes(sum);
    }
}

void ISA_NAME(fluid_smooth)(const pressure_view *f, const velocity_in *grad, const fluid_rows *rows,
                            float *out) {
    for (size_t k = 0; k < rows->count; k++) {
        uint32_t i = rows->own[k];
        vec3 at = SPLAT(f->at[i]), own = SPLAT(grad[i]);
        real sum = R(0), weights = R(0);
        for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
            pair p = load_pair(&f->at->x, f->inverse_h, rows->index + n, at);
            real row[4], s2 = p.s * p.s;
            r_load_rows(&grad->x, (const int *)rows->index + n, row);
            vec3 between = vec3_of(own.x + row[0], own.y + row[1], own.z + row[2]);
            real weight = s2 * s2 * (R(5) - R(4) * p.s) * row[3];
            vec3 weighted = vec3_scale(p.apart, weight);
            sum = sum + r_fma(R(0.5f), vec3_dot(weighted, between), weight * p.fourth);
            weights = weights + weight;
        }
        float w = r_sum_lanes(weights);
        out[k] = w > 1e-3f ? r_sum_lanes(sum) / w : f->at[i].dlambda;
    }
}

// Moves the neighbours of one vector; the padding is left out, as other threads may read it.
LANE_INLINE void move_neighbours(const uint32_t *index, uint32_t padding, vec3 move, float (*q)[4]) {
    float x[LANES], y[LANES], z[LANES];
    r_store(x, move.x), r_store(y, move.y), r_store(z, move.z);
    for (int l = 0; l < LANES && index[l] != padding; l++) {
        float *to = q[index[l]];
        to[0] += x[l], to[1] += y[l], to[2] += z[l];
    }
}

void ISA_NAME(fluid_scatter)(const density_view *f, const fluid_rows *row, const fluid_lambda_step *by,
                             uint32_t padding, float (*q)[4]) {
    uint32_t i = row->own[0];
    vec3 at = SPLAT(f->at[i]), sum = vec3_all(R(0));
    for (uint32_t n = row->first[0]; n < row->first[1]; n += LANES) {
        pair p = load_pair(&f->at->x, f->inverse_h, row->index + n, at);
        real dlambda = R(by->dlambda) * value_at(f->pressure_volume, &p);
        if (by->s_corr > 0) dlambda = dlambda - R(by->s_corr) * s_corr_of(p.s);
        vec3 share = vec3_scale(p.apart, R(by->grad_norm) * dlambda * p.s * p.s * p.s);
        sum = vec3_add(sum, share);
        move_neighbours(row->index + n, padding, vec3_scale(share, p.fourth), q);
    }
    float back[3];
    store_vec(back, sum);
    for (int a = 0; a < 3; a++) q[i][a] -= q[i][3] * back[a];
}

// Those of the candidates from k on that are near, but for `self`; least 0: of any number.
LANE_INLINE mask near_ones(const fluid_candidates *c, uint32_t k, vec3 at, float radius2, int self,
                           int least) {
    real x = r_load(c->x + k) - at.x, y = r_load(c->y + k) - at.y, z = r_load(c->z + k) - at.z;
    ireal number = i_load(c->number + k);
    mask near = r_lt(r_fma(x, x, r_fma(y, y, z * z)), R(radius2)) & i_ne(number, RI(self));
    return least > 0 ? near & i_ge(number, RI(least)) : near;
}

// Most vectors have some: no branch.
LANE_INLINE size_t list_all(const fluid_candidates *c, vec3 at, float radius2, int self, int least, int *to) {
    size_t found = 0;
    for (size_t r = 0; r < c->runs; r++) {
        uint32_t k = c->run[r].begin, end = c->run[r].end;
        for (; k + LANES <= end; k += LANES)
            found += (size_t)i_store_packed(to + found, near_ones(c, k, at, radius2, self, least),
                                            i_load(c->number + k));
        if (k < end)
            found += (size_t)i_store_packed(
                to + found, near_ones(c, k, at, radius2, self, least) & m_first((int)(end - k)),
                i_load(c->number + k));
    }
    return found;
}

size_t ISA_NAME(fluid_list_neighbours)(const fluid_candidates *c, const float at[3], float radius2, int self,
                                       int least, int padding, int *to) {
    vec3 here = vec3_of(R(at[0]), R(at[1]), R(at[2]));
    size_t found =
        least > 0 ? list_all(c, here, radius2, self, least, to) : list_all(c, here, radius2, self, 0, to);
    while (found % LANES != 0) to[found++] = padding;
    return found;
}

// Cohesion of Akinci et al. 2013, times h^3 and without pi: attracts between h/2 and h, repels nearer than
// 0.27 h.
LANE_INLINE real cohesion_of(real q) {
    real a = (R(1) - q) * q, a3 = a * a * a;
    return R(32 / 3.14159265f) * r_select(r_gt(q, R(0.5f)), a3, R(2) * a3 - R(1.0f / 64));
}

LANE_INLINE void xsph_row(const velocity_view *w, const fluid_rows *rows, size_t k,
                          fluid_velocity_sums *out) {
    uint32_t i = rows->own[k];
    vec3 at = SPLAT(w->f.at[i]), v = SPLAT(w->v[i]);
    vec3 xsph = vec3_all(R(0)), cohesion = xsph, curl = xsph;
    real own = R(w->f.at[i].inverse_mass);
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
        pair p = load_pair(&w->f.at->x, w->f.inverse_h, rows->index + n, at);
        real row[4], s3 = p.s * p.s * p.s, volume = value_at(w->f.volume, &p);
        r_load_rows(&w->v->x, (const int *)rows->index + n, row);
        vec3 relative = vec3_of(row[0] - v.x, row[1] - v.y, row[2] - v.z);
        if (w->uneven) volume = volume * (R(2) * own / r_max(own + p.fourth, R(1e-30f)));
        real slow = r_max(R(0), R(1) - vec3_length2(relative) * R(w->inverse_calm_speed2));
        real share = r_fma(R(w->calm), slow, R(w->viscosity));
        xsph = vec3_add_scaled(xsph, relative, s3 * p.s * (R(5) - R(4) * p.s) * volume * share);
        if (w->cohesion) {
            real q = R(1) - p.s, r = r_max(q, R(1e-6f));
            cohesion = vec3_add_scaled(cohesion, p.apart, -volume * cohesion_of(q) * R(w->f.inverse_h) / r);
        }
        if (w->curl) curl = vec3_add_scaled(curl, vec3_cross(p.apart, relative), s3 * volume);
    }
    store_vec(out->xsph, xsph);
    store_vec(out->cohesion, cohesion);
    store_vec(out->curl, curl);
}

void ISA_NAME(fluid_xsph)(const velocity_view *f, const fluid_rows *rows, fluid_velocity_sums *out) {
    velocity_view plain = *f;
    plain.f.volume = plain.f.pressure_volume = NULL;
    plain.curl = plain.cohesion = plain.uneven = false;
    if (f->f.volume || f->curl || f->cohesion || f->uneven)
        for (size_t k = 0; k < rows->count; k++) xsph_row(f, rows, k, &out[k]);
    else
        for (size_t k = 0; k < rows->count; k++) xsph_row(&plain, rows, k, &out[k]);
}

void ISA_NAME(fluid_vorticity)(const velocity_view *f, const fluid_rows *rows, float (*out)[4]) {
    for (size_t k = 0; k < rows->count; k++) {
        vec3 at = SPLAT(f->f.at[rows->own[k]]), sum = vec3_all(R(0));
        real own = R(f->v[rows->own[k]].curl);
        for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n += LANES) {
            pair p = load_pair(&f->f.at->x, f->f.inverse_h, rows->index + n, at);
            real row[4];
            r_load_rows(&f->v->x, (const int *)rows->index + n, row);
            sum = vec3_add_scaled(sum, p.apart, (row[3] - own) * p.s * p.s * p.s * value_at(f->f.volume, &p));
        }
        store_vec(out[k], sum);
    }
}
