// What flows into a cell must flow out of it.
#include <math.h>
#include <string.h>

#include "math/dvec.h"
#include "par/par.h"
#include "wind/wind_lanes.h"
#include "wind/wind_state.h"

enum { PLANES = 4, MOST_ITERATIONS = 200 };

static void diverge_planes(void *context, size_t begin, size_t end) {
    const wind_state *s = context;
    ISA_PICK(wind_divergence)(&s->box, s->kind, (int)begin + 1, (int)end + 1, s->v, s->b);
}

static void subtract_planes(void *context, size_t begin, size_t end) {
    const wind_state *s = context;
    ISA_PICK(wind_gradient)(&s->box, s->kind, (int)begin + 1, (int)end + 1, s->q, s->v);
}

static void sum_planes(void *context, size_t begin, size_t end, void *partial) {
    const wind_state *s = context;
    ISA_PICK(wind_sums)(&s->box, s->kind, (int)begin + 1, (int)end + 1, s->v, partial);
}

static void join_totals(void *into, const void *from) {
    wind_totals *a = into;
    const wind_totals *b = from;
    for (int d = 0; d < 4; d++) a->sum[d] += b->sum[d];
    a->most = fmax(a->most, b->most);
}

static void clear_rim(wind_state *s) {
    const wind_items own = wind_own_items(s, 0);
    for (size_t a = own.first; a < own.end; a++)
        if (s->kind[a] != POISSON_FREE) s->b[a] = 0;
}

typedef struct own_totals {
    const wind_state *s;
    wind_totals *block;
} own_totals;

static void sum_own_planes(void *context, size_t begin, size_t end) {
    const own_totals *w = context;
    sum_planes((void *)w->s, begin, end, &w->block[(begin - (size_t)w->s->k0 + 1) / PLANES]);
}

firn_status wind_total(const wind_state *s, wind_totals *out) {
    if (wind_is_divided(s)) {
        size_t blocks = (size_t)(s->k1 - s->k0 + PLANES - 1) / PLANES;
        own_totals w = {s, mem_zero(blocks, sizeof *w.block)};
        TRY(net_agree(w.block ? FIRN_OK : fail_memory("summing up", blocks * sizeof *w.block)));
        wind_fill(s, 0, 1, s->v[2], sizeof(float));
        par_for_part((size_t)s->k0 - 1, (size_t)s->k1 - 1, PLANES, sum_own_planes, &w);
        wind_join(s, w.block, blocks, out);
        mem_free(w.block);
        return FIRN_OK;
    }
    return par_reduce((size_t)s->box.n[2], PLANES, sizeof *out, sum_planes, join_totals, (void *)s, out);
}

firn_status wind_measure(wind_state *s) {
    TRY(wind_total(s, &s->totals));
    s->fastest = sqrt(s->totals.most);
    s->measured = true;
    return FIRN_OK;
}

static void diverge(wind_state *s) {
    wind_find_fluxes(s);
    wind_swap_fluxes(s);
    wind_fill(s, 0, 1, s->v[2], sizeof(float));
    par_for_part((size_t)s->k0 - 1, (size_t)s->k1 - 1, PLANES, diverge_planes, s);
    wind_swap_fluxes(s);
}

double wind_worst_divergence(wind_state *s) {
    double worst = 0;
    diverge(s);
    for (size_t a = 0; a < s->box.size; a++)
        if (s->kind[a] == POISSON_FREE) worst = fmax(worst, fabs((double)s->b[a]));
    return worst;
}

firn_status wind_project(wind_state *s) {
    if (s->def.confinement > 0) clear_rim(s); // the array was used as scratch
    diverge(s);
    wind_add_pressure(s);
    // Rounding of the fastest wind limits the residual.
    float limit = (float)fmax(s->def.tolerance * s->reference, fmax(4e-7 * s->fastest, 1e-9));
    if (s->def.pressure == FIRN_WIND_JACOBI) {
        const wind_items own = wind_own_items(s, 0);
        memset(s->q + own.first, 0, (own.end - own.first) * sizeof *s->q); // WIND12 7.3.5: from x = 0
        s->last = poisson_jacobi(s->solver, s->q, s->b, s->def.sweeps);
    } else {
        s->last = poisson_solve(s->solver, s->q, s->b, 0.9f * limit, MOST_ITERATIONS);
        if (!(s->last.residual <= 4 * limit))
            return fail(FIRN_UNSTABLE,
                        "wind: the pressure solve does not converge: residual %g after %d iterations",
                        (double)s->last.residual, s->last.iterations);
    }
    wind_press_sides(s, false);
    wind_fill(s, 1, 0, s->q, sizeof *s->q);
    par_for_part((size_t)s->k0 - 1, (size_t)s->end_plane - 1, PLANES, subtract_planes, s);
    wind_press_sides(s, true);
    wind_fill_air(s, 1);
    wind_slip(s);
    return FIRN_OK;
}

// Sum over faces of one body.
typedef struct face_sum {
    size_t body;
    firn_vec3 impulse, twist; // N s; N m s about the corner of the domain
} face_sum;

bool wind_feels(const wind_state *s, const body_set *bodies, size_t body) {
    if (s->is_around) return false; // the finest grid knows better
    return body_motion(bodies, body) != FIRN_MOTION_DYNAMIC || (body < s->pushed_count && s->pushed[body]);
}

void wind_push_body(wind_state *s, body_set *bodies, size_t body, firn_vec3 impulse, firn_vec3 twist) {
    body_add_impulses(bodies, body, impulse, twist, dvec(s->low[0], s->low[1], s->low[2]));
    if (body_motion(bodies, body) != FIRN_MOTION_DYNAMIC) return;
    s->given[0] += impulse.x, s->given[1] += impulse.y, s->given[2] += impulse.z;
}

static void hand_over(wind_state *s, body_set *bodies, const face_sum *sum) {
    if (sum->body != SIZE_MAX) wind_push_body(s, bodies, sum->body, sum->impulse, sum->twist);
}

// The faces of all three axes one after the other; `sum` goes on over borders between ranks.
typedef struct push_work {
    int axis;
    face_sum sum;
} push_work;

static void push_along(wind_state *s, body_set *bodies, void *data) {
    push_work *w = data;
    const int axis = w->axis;
    const size_t step = axis == 0 ? 1 : axis == 1 ? s->box.row : s->box.plane;
    const double h = s->def.cell, unit = AIR_DENSITY * h * h * h; // p h^2 dt of q = p dt / (density h)
    face_sum sum = w->sum;
    for (size_t i = 0; i < s->faces[axis].faces; i++) {
        wind_face f = s->faces[axis].face[i];
        size_t body = f.body == 0 ? SIZE_MAX : f.body - 1u;
        if (body == SIZE_MAX || !wind_feels(s, bodies, body)) continue;
        if (body != sum.body) {
            hand_over(s, bodies, &sum);
            sum = (face_sum){.body = body};
        }
        // The closed part of a face, from both sides; q is 0 where there is no air.
        double shut = 1 - (double)f.open / POISSON_WHOLE;
        double push = unit * shut * ((double)s->q[f.at - step] - (double)s->q[f.at]);
        double at[3];
        wind_face_place(s, axis, f.at, at);
        firn_vec3 impulse = dvec(axis == 0 ? push : 0, axis == 1 ? push : 0, axis == 2 ? push : 0);
        sum.impulse = dvec_add(sum.impulse, impulse);
        sum.twist = dvec_add(sum.twist, dvec_cross(dvec(h * at[0], h * at[1], h * at[2]), impulse));
    }
    w->sum = sum;
}

static void push_last(wind_state *s, body_set *bodies, void *data) {
    push_work *w = data;
    hand_over(s, bodies, &w->sum);
    w->sum.body = SIZE_MAX;
}

// What the gradient of the pressure takes from the air, face by face, is what it gives to walls and bodies:
// the sum over both is 0 but for rounding.
void wind_push_bodies(wind_state *s, body_set *bodies) {
    for (int axis = 0; axis < 3; axis++) {
        push_work w = {axis, {.body = SIZE_MAX}};
        wind_in_order(s, bodies, &w, sizeof w, push_along);
        push_last(s, bodies, &w);
    }
}
