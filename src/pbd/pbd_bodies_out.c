// The end of a step: a particle that the solver left inside a body, or moved through one, is put back on the
// side it came from. Only positions change, and the inward part of the velocity, whose reaction counts for
// bodies that do not move by it: the solver has already added the impulses to those that do.
#include "pbd/pbd_bodies.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

static const double SLACK = 0.99; // of the radius: nearer than that to a body is inside, in a step
enum { ROUNDS = 4, CHUNK = 64 };

typedef struct out_work {
    pbd *s;
    pbd_contact_set *c;
    const body_set *bodies;
    double dt;
    double slack;
} out_work;

static void place(const out_work *o, const pbd_wall *w, size_t i, firn_vec3 at, firn_vec3 n) {
    float *x = o->s->p.x[i], *v = o->s->p.v[i];
    firn_vec3 surface =
        dvec_add(pbd_wall_velocity(w, at), dvec_add(w->dv, dvec_cross(w->dw, dvec_sub(at, w->centre))));
    double inward = dvec_dot(n, dvec_sub(pbd_at(v), surface));
    x[0] = (float)at.x, x[1] = (float)at.y, x[2] = (float)at.z;
    if (inward >= 0) return;
    v[0] -= (float)(inward * n.x), v[1] -= (float)(inward * n.y), v[2] -= (float)(inward * n.z);
    if (w->dynamic) return;
    pbd_body_impulse *push = &o->c->push[i / PBD_BLOCK * o->c->walls + w->body];
    firn_vec3 impulse = dvec_scale(n, inward / (double)o->s->p.q[i][3]);
    push->impulse = dvec_add(push->impulse, impulse);
    push->twist = dvec_add(push->twist, dvec_cross(dvec_sub(at, w->centre), impulse));
}

static bool box_meets(const out_work *o, const pbd_wall *w, size_t i) {
    float margin = 2 * o->s->groups[o->s->p.group[i]].radius;
    if (!(o->s->p.q[i][3] > 0)) return false; // pinned
    for (int a = 0; a < 3 && w->bounded; a++) {
        float x = o->c->start[i][a], q = o->s->p.x[i][a];
        if ((x < q ? x : q) - margin > w->high[a] || (x > q ? x : q) + margin < w->low[a]) return false;
    }
    return true;
}

// A particle that moved far: back to where its centre would have entered, carried along with the body.
static bool back_from_behind(const out_work *o, const pbd_wall *w, size_t i, double radius) {
    firn_vec3 from = pbd_at(o->c->start[i]), to = pbd_at(o->s->p.x[i]);
    firn_vec3 u = pbd_wall_velocity(w, to);
    if (dvec_length(dvec_add_scaled(dvec_sub(to, from), u, -o->dt)) <= w->max_travel) return false;
    body_hit hit;
    if (!body_sweep(o->bodies, w->body, from, to, radius / 4, &hit)) return false;
    place(o, w, i, dvec_add_scaled(hit.carried, hit.normal, radius * 3 / 4), hit.normal);
    return true;
}

// Moves the particles of a chunk out of one body; true if any was moved.
static bool pull_out(const out_work *o, const pbd_wall *w, size_t begin, size_t end) {
    float x[CHUNK], y[CHUNK], z[CHUNK], d[CHUNK], nx[CHUNK], ny[CHUNK], nz[CHUNK];
    size_t index[CHUNK], n = 0;
    for (size_t i = begin; i < end; i++) {
        if (!box_meets(o, w, i)) continue;
        const float *p = o->s->p.x[i];
        x[n] = p[0], y[n] = p[1], z[n] = p[2], index[n++] = i;
    }
    if (n == 0) return false;
    bool any = false;
    body_query(o->bodies, w->body, n, x, y, z, d, nx, ny, nz);
    for (size_t k = 0; k < n; k++) {
        double radius = (double)o->s->groups[o->s->p.group[index[k]]].radius;
        if (!((double)d[k] < o->slack * radius)) continue;
        firn_vec3 normal = dvec((double)nx[k], (double)ny[k], (double)nz[k]);
        place(o, w, index[k], dvec_add_scaled(pbd_at(o->s->p.x[index[k]]), normal, radius - (double)d[k]),
              normal);
        any = true;
    }
    return any;
}

static void out_block(void *context, size_t begin, size_t end) {
    const out_work *o = context;
    for (size_t b = 0; b < o->c->walls; b++)
        for (size_t i = begin; o->c->wall[b].max_travel < INFINITY && i < end; i++)
            if (box_meets(o, &o->c->wall[b], i))
                back_from_behind(o, &o->c->wall[b], i, (double)o->s->groups[o->s->p.group[i]].radius);
    bool any = true;
    for (int round = 0; round < ROUNDS && any; round++) {
        any = false;
        for (size_t b = 0; b < o->c->walls; b++)
            for (size_t i = begin; i < end; i += CHUNK)
                any |= pull_out(o, &o->c->wall[b], i, i + CHUNK < end ? i + CHUNK : end);
        any &= o->c->walls > 1; // out of one means out of all only if there is no other
    }
}

void pbd_bodies_clear(pbd *s, pbd_contact_set *c) {
    out_work work = {s, c, s->bodies, 0, 1};
    memcpy(c->start, s->p.x, s->p.count * sizeof *c->start);
    par_for(s->p.count, PBD_BLOCK, out_block, &work);
}

firn_status pbd_bodies_finish(pbd *s, void *data, body_set *bodies, model_step step) {
    pbd_contact_set *c = data;
    for (size_t b = 0; b < c->walls; b++) {
        const pbd_wall *w = &c->wall[b];
        if (!w->dynamic) continue;
        body_add_impulses(bodies, b, w->impulse, w->twist, w->centre);
        body_correct_position(bodies, b, w->shift, w->turn);
    }
    out_work work = {s, c, bodies, step.dt, SLACK};
    par_for(s->p.count, PBD_BLOCK, out_block, &work);
    pbd_bodies_sum(s, c);
    for (size_t b = 0; b < c->walls; b++) {
        const pbd_wall *w = &c->wall[b];
        if (!w->dynamic) body_add_impulses(bodies, b, w->impulse, w->twist, w->centre);
    }
    return FIRN_OK;
}
