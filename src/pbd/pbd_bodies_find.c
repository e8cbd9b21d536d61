// Candidate contacts of particles with bodies in this sub-step.
#include "pbd/pbd_bodies.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_planes.h"

void pbd_bodies_begin_step(pbd_contact_set *c, const body_set *bodies, double dt) {
    for (size_t b = 0; b < c->walls; b++) {
        firn_body_state state = body_state(bodies, b);
        pbd_wall *w = &c->wall[b];
        *w = (pbd_wall){.body = b, .origin = state.position, .spin = state.spin};
        w->bounded = body_bounds(bodies, b, dt, &w->low, &w->high);
        w->dynamic = body_motion(bodies, b) == FIRN_MOTION_DYNAMIC;
        w->velocity = body_velocity_at(bodies, b, state.position);
        w->centre = w->dynamic ? body_centre_of_mass(bodies, b) : w->low;
        w->inverse_mass = w->dynamic ? 1 / state.mass : 0;
        w->friction = body_friction(bodies, b);
        w->restitution = body_restitution(bodies, b);
        w->max_travel = body_min_thickness(bodies, b) / 2;
    }
}

// A block of particles, moved along with the body to the end of the step, where its SDF is sampled.
typedef struct near_block {
    float x[PBD_BLOCK], y[PBD_BLOCK], z[PBD_BLOCK];
    float ux[PBD_BLOCK], uy[PBD_BLOCK], uz[PBD_BLOCK]; // m/s, of the body there
    uint32_t index[PBD_BLOCK];
    size_t count;
} near_block;

typedef struct distances {
    float d[PBD_BLOCK], nx[PBD_BLOCK], ny[PBD_BLOCK], nz[PBD_BLOCK];
} distances;

typedef struct find_work {
    pbd *s;
    pbd_contact_set *c;
    const pbd_pass *pass;
} find_work;

// Those whose path may meet the body's box.
static void select_near(const find_work *f, const pbd_wall *w, size_t begin, size_t end, near_block *near) {
    const pbd_particles *p = &f->s->p;
    near->count = 0;
    for (size_t i = begin; i < end; i++) {
        firn_vec3 to = pbd_world(f->s, i, p->q[i]);
        double reach = 2 * (double)f->s->groups[p->group[i]].radius;
        if (!pbd_wall_meets(w, pbd_world(f->s, i, p->x[i]), to, reach)) continue;
        size_t k = near->count++;
        firn_vec3 u = pbd_wall_velocity(w, to);
        float left = (float)f->pass->left;
        near->index[k] = (uint32_t)i;
        near->ux[k] = (float)u.x, near->uy[k] = (float)u.y, near->uz[k] = (float)u.z;
        near->x[k] = p->q[i][0] + left * near->ux[k];
        near->y[k] = p->q[i][1] + left * near->uy[k];
        near->z[k] = p->q[i][2] + left * near->uz[k];
    }
}

// Generalised inverse mass of the body for an impulse along n at p.
static double inverse_mass_of(const body_set *bodies, const pbd_wall *w, firn_vec3 p, firn_vec3 n) {
    if (!w->dynamic) return 0;
    firn_vec3 arm = dvec_sub(p, w->centre);
    firn_vec3 spin = body_spin_of(bodies, w->body, dvec_cross(arm, n));
    return w->inverse_mass + dvec_dot(n, dvec_cross(spin, arm));
}

static void add_contact(const find_work *f, pbd_body_contacts *list, uint32_t wall, uint32_t i, firn_vec3 n,
                        double offset, firn_vec3 u) {
    if (!array_reserve(&list->item, &list->capacity, list->count + 1, sizeof *list->item)) {
        list->no_memory = true;
        return;
    }
    const pbd_wall *w = &f->c->wall[wall];
    const pbd_group *g = &f->s->groups[f->s->p.group[i]];
    firn_vec3 q = pbd_at(f->s->p.q[i]);
    firn_vec3 v = dvec_scale(dvec_sub(q, pbd_at(f->s->p.x[i])), 1 / f->pass->dt);
    double mean = sqrt((double)g->friction * w->friction);
    double hold = g->friction > 0 ? mean * (double)(g->static_friction / g->friction) : 0;
    list->item[list->count++] = (pbd_body_contact){
        .particle = i,
        .wall = wall,
        .n = {(float)n.x, (float)n.y, (float)n.z},
        .offset = (float)offset,
        .velocity = {(float)u.x, (float)u.y, (float)u.z},
        .approach = (float)dvec_dot(n, dvec_sub(v, u)),
        .mu_kinetic = (float)mean,
        .mu_static = (float)hold,
        .inverse_mass = (float)inverse_mass_of(f->pass->bodies, w, pbd_world(f->s, i, f->s->p.q[i]), n),
    };
}

// Contact with every plane of the body that is near the end of a particle's path.
static void touch_planes(const find_work *f, pbd_body_contacts *list, uint32_t wall, const near_block *near,
                         const distances *at, size_t k, pbd_body_impulse *push) {
    uint32_t i = near->index[k];
    float radius = f->s->groups[f->s->p.group[i]].radius, place[3] = {near->x[k], near->y[k], near->z[k]};
    pbd_plane planes[PBD_PLANES];
    size_t n = pbd_planes_of(f->pass->bodies, f->c->wall[wall].body, pbd_origin(f->s, i), place,
                             (pbd_plane){{at->nx[k], at->ny[k], at->nz[k]}, at->d[k]}, 2 * radius, planes);
    for (size_t m = 0; m < n; m++) {
        firn_vec3 normal = pbd_at(planes[m].n);
        double gap = (double)(planes[m].d - radius);
        if (gap < 0) push->contacts++;
        add_contact(f, list, wall, i, normal, dvec_dot(normal, pbd_at(f->s->p.q[i])) - gap,
                    dvec((double)near->ux[k], (double)near->uy[k], (double)near->uz[k]));
    }
}

// Particle k of the near ones: swept along its path if that is long, by the distance at its end otherwise.
static void test_particle(const find_work *f, pbd_body_contacts *list, uint32_t wall, const near_block *near,
                          const distances *at, size_t k, pbd_body_impulse *push) {
    const pbd_wall *w = &f->c->wall[wall];
    uint32_t i = near->index[k];
    double radius = (double)f->s->groups[f->s->p.group[i]].radius;
    firn_vec3 u = dvec((double)near->ux[k], (double)near->uy[k], (double)near->uz[k]);
    firn_vec3 to = dvec((double)near->x[k], (double)near->y[k], (double)near->z[k]);
    firn_vec3 from = dvec_add_scaled(pbd_at(f->s->p.x[i]), u, f->pass->left + f->pass->dt);
    double travel = dvec_distance(from, to), d = (double)at->d[k];
    if (d - radius > fmax(travel, radius)) return;
    body_hit hit;
    firn_vec3 o = pbd_origin(f->s, i);
    if (travel > w->max_travel &&
        body_sweep_still(f->pass->bodies, w->body, dvec_add(o, from), dvec_add(o, to), radius, &hit)) {
        double gap = dvec_dot(hit.normal, dvec_sub(dvec_add(o, to), hit.point));
        if (gap < 0) push->contacts++;
        add_contact(f, list, wall, i, hit.normal, dvec_dot(hit.normal, pbd_at(f->s->p.q[i])) - gap, u);
    } else if (d < 2 * radius) {
        touch_planes(f, list, wall, near, at, k, push);
    }
}

// From the origin of each frame: particles of one are beside each other.
static void query_near(const find_work *f, size_t body, const near_block *near, distances *at) {
    const uint32_t *frame = f->s->p.frame;
    for (size_t begin = 0, end; begin < near->count; begin = end) {
        uint32_t of = frame[near->index[begin]];
        for (end = begin; end < near->count && frame[near->index[end]] == of;) end++;
        body_query_near(f->pass->bodies, body, f->s->frames.origin[of], end - begin, near->x + begin,
                        near->y + begin, near->z + begin, at->d + begin, at->nx + begin, at->ny + begin,
                        at->nz + begin);
    }
}

static void find_block(void *context, size_t begin, size_t end) {
    const find_work *f = context;
    size_t block = begin / PBD_BLOCK;
    pbd_body_contacts *list = &f->c->block[block];
    near_block near;
    distances at;
    list->count = 0;
    for (size_t b = 0; b < f->c->walls; b++) {
        pbd_body_impulse *push = &f->c->push[block * f->c->walls + b];
        *push = (pbd_body_impulse){0};
        select_near(f, &f->c->wall[b], begin, end, &near);
        if (near.count == 0) continue;
        query_near(f, b, &near, &at);
        for (size_t k = 0; k < near.count; k++) test_particle(f, list, (uint32_t)b, &near, &at, k, push);
    }
}

firn_status pbd_bodies_reserve(pbd *s, pbd_contact_set *c) {
    size_t blocks = pbd_blocks(s->p.count), before = c->block_capacity;
    if (!array_reserve(&c->block, &c->block_capacity, blocks, sizeof *c->block) ||
        !array_reserve(&c->push, &c->impulse_capacity, blocks * c->walls, sizeof *c->push) ||
        !array_reserve(&c->start, &c->start_capacity, s->p.count, sizeof *c->start))
        return fail_memory("looking for contacts", blocks * sizeof *c->block);
    if (c->block_capacity > before)
        memset(c->block + before, 0, (c->block_capacity - before) * sizeof *c->block);
    c->blocks = blocks;
    return FIRN_OK;
}

void pbd_bodies_sum(pbd *s, pbd_contact_set *c) {
    for (size_t b = 0; b < c->walls; b++) {
        pbd_wall *w = &c->wall[b];
        for (size_t k = 0; k < c->blocks; k++) {
            pbd_body_impulse *push = &c->push[k * c->walls + b];
            w->impulse = dvec_add(w->impulse, push->impulse);
            w->twist = dvec_add(w->twist, push->twist);
            w->contacts += push->contacts;
            *push = (pbd_body_impulse){0};
        }
        if (!w->dynamic) continue;
        w->dv = dvec_scale(w->impulse, w->inverse_mass);
        w->dw = body_spin_of(s->bodies, w->body, w->twist);
    }
}

static void split_mass(void *context, size_t i) {
    const pbd_contact_set *c = context;
    for (size_t k = 0; k < c->block[i].count; k++) {
        pbd_body_contact *t = &c->block[i].item[k];
        t->inverse_mass *= (float)fmax(1, c->wall[t->wall].contacts);
    }
}

static void start_block(void *context, size_t begin, size_t end) {
    const find_work *f = context;
    for (size_t i = begin; i < end; i++) f->c->start[i] = pbd_place(f->s, i);
}

void pbd_bodies_start(pbd *s, pbd_contact_set *c) {
    find_work work = {s, c, NULL};
    par_for(s->p.count, PBD_BLOCK, start_block, &work);
}

// Solids that are about to meet a body.
static void mark_touching(pbd *s, const pbd_contact_set *c, double dt) {
    for (size_t k = 0; k < c->blocks; k++)
        for (size_t n = 0; n < c->block[k].count; n++) {
            const pbd_body_contact *t = &c->block[k].item[n];
            pbd_group *g = &s->groups[s->p.group[t->particle]];
            const float *q = s->p.q[t->particle];
            float gap = t->n[0] * q[0] + t->n[1] * q[1] + t->n[2] * q[2] - t->offset;
            g->touches |= pbd_meets(s, g, dt, gap, t->approach, g->radius / 2);
        }
}

firn_status pbd_bodies_find(pbd *s, void *data, const pbd_pass *pass) {
    pbd_contact_set *c = data;
    find_work work = {s, c, pass};
    TRY(pbd_bodies_reserve(s, c));
    if (pass->first) {
        pbd_bodies_begin_step(c, pass->bodies, pass->dt + pass->left);
        pbd_bodies_start(s, c);
    }
    for (size_t b = 0; b < c->walls; b++) c->wall[b].contacts = 0;
    par_for(s->p.count, PBD_BLOCK, find_block, &work);
    for (size_t k = 0; k < c->blocks; k++)
        if (c->block[k].no_memory) {
            c->block[k].no_memory = false;
            return fail_memory("listing contacts", c->block[k].count * sizeof(pbd_body_contact));
        }
    pbd_bodies_sum(s, c);
    par_tasks(c->blocks, split_mass, c);
    mark_touching(s, c, pass->dt);
    return FIRN_OK;
}
