// The end of a step: a particle that the solver left inside a body, or moved through one, is put back on the
// side it came from. Only positions change, and the inward part of the velocity, whose reaction counts for
// bodies that do not move by it: the solver has already added the impulses to those that do.
#include "pbd/pbd_bodies.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_planes.h"

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
    float *v = o->s->p.v[i];
    double *to = o->s->p.at[i];
    firn_vec3 surface =
        dvec_add(pbd_wall_velocity(w, at), dvec_add(w->dv, dvec_cross(w->dw, dvec_sub(at, w->centre))));
    double inward = dvec_dot(n, dvec_sub(pbd_at(v), surface));
    to[0] = at.x, to[1] = at.y, to[2] = at.z;
    pbd_take_place(o->s, i);
    if (inward >= 0) return;
    v[0] -= (float)(inward * n.x), v[1] -= (float)(inward * n.y), v[2] -= (float)(inward * n.z);
    for (int a = 0; a < 3; a++) {
        o->s->p.v_before[i][a] = v[a];
        o->s->p.moved[i][a] = (float)o->s->counters.dt * v[a];
    }
    if (w->dynamic) return;
    pbd_body_impulse *push = &o->c->push[i / PBD_BLOCK * o->c->walls + w->body];
    firn_vec3 impulse = dvec_scale(n, inward / (double)o->s->p.q[i][3]);
    push->impulse = dvec_add(push->impulse, impulse);
    push->twist = dvec_add(push->twist, dvec_cross(dvec_sub(at, w->centre), impulse));
}

static bool box_meets(const out_work *o, const pbd_wall *w, size_t i) {
    if (!(o->s->p.q[i][3] > 0)) return false; // pinned
    double reach = 2 * (double)o->s->groups[o->s->p.group[i]].radius;
    return pbd_wall_meets(w, o->c->start[i], pbd_place(o->s, i), reach);
}

// A particle that moved far: back to where its centre would have entered, carried along with the body.
static bool back_from_behind(const out_work *o, const pbd_wall *w, size_t i, double radius) {
    firn_vec3 from = o->c->start[i], to = pbd_place(o->s, i);
    firn_vec3 u = pbd_wall_velocity(w, to);
    if (dvec_length(dvec_add_scaled(dvec_sub(to, from), u, -o->dt)) <= w->max_travel) return false;
    body_hit hit;
    if (!body_sweep(o->bodies, w->body, from, to, radius / 4, &hit)) return false;
    place(o, w, i, dvec_add_scaled(hit.carried, hit.normal, radius * 3 / 4), hit.normal);
    return true;
}

// Of particles of one frame.
static size_t chunk_end(const out_work *o, size_t begin, size_t end) {
    const uint32_t *frame = o->s->p.frame;
    size_t i = begin + 1;
    while (i < end && i < begin + CHUNK && frame[i] == frame[begin]) i++;
    return i;
}

// Moves the particles of a chunk out of one body; true if any was moved.
static bool pull_out(const out_work *o, const pbd_wall *w, size_t begin, size_t end) {
    float x[CHUNK], y[CHUNK], z[CHUNK], d[CHUNK], nx[CHUNK], ny[CHUNK], nz[CHUNK];
    size_t index[CHUNK], n = 0;
    firn_vec3 origin = pbd_origin(o->s, begin);
    for (size_t i = begin; i < end; i++) {
        if (!box_meets(o, w, i)) continue;
        firn_vec3 p = dvec_sub(pbd_place(o->s, i), origin);
        x[n] = (float)p.x, y[n] = (float)p.y, z[n] = (float)p.z, index[n++] = i;
    }
    if (n == 0) return false;
    bool any = false;
    body_query_near(o->bodies, w->body, origin, n, x, y, z, d, nx, ny, nz);
    for (size_t k = 0; k < n; k++) {
        double radius = (double)o->s->groups[o->s->p.group[index[k]]].radius;
        if (!((double)d[k] < o->slack * radius)) continue;
        const float at[3] = {x[k], y[k], z[k]};
        pbd_plane out = pbd_nearest_plane(o->bodies, w->body, origin, at,
                                          (pbd_plane){{nx[k], ny[k], nz[k]}, d[k]}, 2 * (float)radius);
        if (!((double)out.d < o->slack * radius)) continue;
        firn_vec3 normal = pbd_at(out.n);
        place(o, w, index[k], dvec_add_scaled(pbd_place(o->s, index[k]), normal, radius - (double)out.d),
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
            for (size_t i = begin, next; i < end; i = next) {
                next = chunk_end(o, i, end);
                any |= pull_out(o, &o->c->wall[b], i, next);
            }
        any &= o->c->hollow || o->c->walls > 1; // out of one wall means out of all only if there is no other
    }
}

void pbd_bodies_clear(pbd *s, pbd_contact_set *c) {
    out_work work = {s, c, s->bodies, 0, 1};
    pbd_bodies_start(s, c);
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
