// Bodies near particles of liquids. The part of a particle's surroundings inside a body counts as
// full of liquid at the same pressure: the part of the kernel beyond a plane, in closed form from the signed
// distance.
#include "pbd/pbd_fluid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_bodies.h"
#include "pbd/pbd_kinds.h"
#include "pbd/pbd_planes.h"

typedef struct wall_work {
    pbd *s;
    pbd_fluid *f;
    const pbd_pass *pass;
    const pbd_contact_set *contacts;
    const pbd_room *room; // of the box, by frame; NULL: none
} wall_work;

static bool add_wall(fluid_block *b, fluid_wall wall) {
    if (!array_reserve(&b->wall, &b->wall_capacity, b->walls + 1, sizeof *b->wall)) {
        b->no_memory = true;
        return false;
    }
    b->wall[b->walls++] = wall;
    return true;
}

typedef struct near_rows {
    float x[FLUID_BLOCK], y[FLUID_BLOCK], z[FLUID_BLOCK];
    uint32_t row[FLUID_BLOCK];
    size_t count;
} near_rows;

typedef struct distances {
    float d[FLUID_BLOCK], nx[FLUID_BLOCK], ny[FLUID_BLOCK], nz[FLUID_BLOCK];
} distances;

// Particles of liquids near the body's box, moved along with the body to the end of the step.
static void select_near(const wall_work *w, const pbd_wall *wall, size_t block, near_rows *near) {
    const fluid_rows rows = fluid_rows_of(w->f, block);
    float left = (float)w->pass->left;
    near->count = 0;
    for (size_t k = 0; k < rows.count; k++) {
        const float *q = w->s->p.q[rows.own[k]];
        if (!w->f->grain_walls && !pbd_is_liquid(w->s, rows.own[k])) continue;
        firn_vec3 at = pbd_world(w->s, rows.own[k], q);
        if (!pbd_wall_meets(wall, at, at, w->f->kernel.h)) continue;
        size_t n = near->count++;
        firn_vec3 u = left > 0 ? pbd_wall_velocity(wall, at) : (firn_vec3){0};
        near->row[n] = (uint32_t)k;
        near->x[n] = q[0] + left * (float)u.x;
        near->y[n] = q[1] + left * (float)u.y;
        near->z[n] = q[2] + left * (float)u.z;
    }
}

// Distances of points beside the particles, and normals if `normals`; from the origin of each frame.
static void query(const wall_work *w, size_t block, size_t body, const near_rows *near, const float *x[3],
                  float *d, distances *normals) {
    const uint32_t *own = fluid_rows_of(w->f, block).own, *frame = w->s->p.frame;
    for (size_t begin = 0, end; begin < near->count; begin = end) {
        uint32_t of = frame[own[near->row[begin]]];
        for (end = begin; end < near->count && frame[own[near->row[end]]] == of;) end++;
        body_query_near(w->pass->bodies, body, w->s->frames.origin[of], end - begin, x[0] + begin,
                        x[1] + begin, x[2] + begin, d + begin, normals ? normals->nx + begin : NULL,
                        normals ? normals->ny + begin : NULL, normals ? normals->nz + begin : NULL);
    }
}

// Particles press on a surface half a spacing outside of the body, which at edges and on small spheres is
// larger than the body's own: how much of the body's belongs to it, (1 - k1 d)(1 - k2 d) with the curvatures
// k of that surface. Without it a block of 8 spacings floats a fifth too high.
static void area_at(const wall_work *w, size_t block, size_t body, const near_rows *near, const distances *at,
                    float *area) {
    float step = 0.1f * (float)w->f->kernel.h;
    float x[2][FLUID_BLOCK], y[2][FLUID_BLOCK], z[2][FLUID_BLOCK], d[2][FLUID_BLOCK];
    for (size_t k = 0; k < near->count; k++) area[k] = 1;
    for (int axis = 0; axis < 2; axis++) {
        for (size_t k = 0; k < near->count; k++) {
            firn_vec3 n = dvec((double)at->nx[k], (double)at->ny[k], (double)at->nz[k]);
            firn_vec3 t = dvec_perpendicular(n);
            if (axis == 1) t = dvec_cross(n, t);
            for (int side = 0; side < 2; side++) {
                float by = side ? step : -step;
                x[side][k] = near->x[k] + by * (float)t.x;
                y[side][k] = near->y[k] + by * (float)t.y;
                z[side][k] = near->z[k] + by * (float)t.z;
            }
        }
        for (int side = 0; side < 2; side++)
            query(w, block, body, near, (const float *[]){x[side], y[side], z[side]}, d[side], NULL);
        for (size_t k = 0; k < near->count; k++) {
            float curvature = (d[0][k] + d[1][k] - 2 * at->d[k]) / (step * step);
            float left = 1 - curvature * at->d[k];
            area[k] *= left < 0 ? 0 : left > 1 ? 1 : left;
        }
    }
}

static void walls_of_body(const wall_work *w, size_t block, size_t body) {
    const pbd_wall *wall = &w->contacts->wall[body];
    fluid_block *b = &w->f->block[block];
    const fluid_rows rows = fluid_rows_of(w->f, block);
    fluid_impulse *sum = &w->f->impulse[block * w->f->bodies + body];
    near_rows near;
    distances at;
    select_near(w, wall, block, &near);
    if (near.count == 0) return;
    query(w, block, body, &near, (const float *[]){near.x, near.y, near.z}, at.d, &at);
    float area[FLUID_BLOCK];
    if (wall->dynamic) area_at(w, block, body, &near, &at, area);
    double thick =
        body_is_sampled(w->pass->bodies, body) ? INFINITY : body_min_thickness(w->pass->bodies, body);
    for (size_t k = 0; k < near.count; k++) {
        if (!(at.d[k] < (float)w->f->kernel.h)) continue;
        pbd_plane planes[PBD_PLANES];
        uint32_t i = rows.own[near.row[k]];
        const float *q = w->s->p.q[i], moved[3] = {near.x[k], near.y[k], near.z[k]};
        size_t n = pbd_planes_of(w->pass->bodies, body, pbd_origin(w->s, i), moved,
                                 (pbd_plane){{at.nx[k], at.ny[k], at.nz[k]}, at.d[k]}, (float)w->f->kernel.h,
                                 planes);
        fluid_wall found = {.row = near.row[k],
                            .body = (uint32_t)body,
                            .thickness = (float)thick,
                            .area = wall->dynamic ? area[k] : 1};
        for (size_t m = 0; m < n; m++) {
            const float *normal = planes[m].n;
            memcpy(found.n, normal, sizeof found.n);
            found.offset = normal[0] * q[0] + normal[1] * q[1] + normal[2] * q[2] - planes[m].d;
            if (!add_wall(b, found)) return;
        }
        if (pbd_is_liquid(w->s, i)) sum->walls++;
    }
}

static void walls_of_box(const wall_work *w, size_t block) {
    const fluid_rows rows = fluid_rows_of(w->f, block);
    float h = (float)w->f->kernel.h;
    for (size_t k = 0; k < rows.count; k++) {
        const float *q = w->s->p.q[rows.own[k]];
        const pbd_room *room = &w->room[w->s->p.frame[rows.own[k]]];
        for (int a = 0; a < 3 && pbd_is_liquid(w->s, rows.own[k]); a++) {
            fluid_wall wall = {.row = (uint32_t)k, .body = UINT32_MAX, .thickness = INFINITY};
            if (q[a] - room->low[a] < h) {
                wall.n[a] = 1, wall.offset = room->low[a];
                if (!add_wall(&w->f->block[block], wall)) return;
            }
            if (room->high[a] - q[a] < h) {
                wall.n[a] = -1, wall.offset = -room->high[a];
                if (!add_wall(&w->f->block[block], wall)) return;
            }
        }
    }
}

static void find_block(void *context, size_t block) {
    const wall_work *w = context;
    fluid_block *b = &w->f->block[block];
    b->walls = 0;
    if (w->f->bodies > 0)
        memset(w->f->impulse + block * w->f->bodies, 0, w->f->bodies * sizeof *w->f->impulse);
    for (size_t body = 0; body < w->f->bodies; body++) walls_of_body(w, block, body);
    if (w->room) walls_of_box(w, block);
    // By row: a stable insertion, as most rows have one wall and the lists are nearly in order.
    for (size_t k = 1; k < b->walls; k++) {
        fluid_wall wall = b->wall[k];
        size_t to = k;
        for (; to > 0 && b->wall[to - 1].row > wall.row; to--) b->wall[to] = b->wall[to - 1];
        b->wall[to] = wall;
    }
}

firn_status fluid_find_walls(pbd *s, pbd_fluid *f, const pbd_pass *pass) {
    pbd_contact_set *contacts = pbd_data(s, &pbd_bodies);
    void *box = pbd_data(s, &pbd_box);
    assert(contacts || f->bodies == 0);
    if (contacts && pass->first) pbd_bodies_begin_step(contacts, pass->bodies, pass->dt + pass->left);
    if (!array_reserve(&f->room, &f->room_capacity, s->frames.count, sizeof *f->room))
        return fail_memory("listing walls around liquids", s->frames.count * sizeof *f->room);
    for (size_t k = 0; box && k < s->frames.count; k++)
        f->room[k] = pbd_box_at(box, pass->time, s->frames.origin[k]);
    wall_work work = {s, f, pass, contacts, box ? f->room : NULL};
    par_tasks(f->blocks, find_block, &work);
    for (size_t b = 0; b < f->bodies; b++) f->split_inverse_mass[b] = 0;
    for (size_t k = 0; k < f->blocks; k++) {
        if (f->block[k].no_memory) {
            f->block[k].no_memory = false;
            return fail_memory("listing walls around liquids", f->block[k].walls * sizeof(fluid_wall));
        }
        for (size_t b = 0; b < f->bodies; b++)
            f->split_inverse_mass[b] += f->impulse[k * f->bodies + b].walls * contacts->wall[b].inverse_mass;
    }
    return FIRN_OK;
}
