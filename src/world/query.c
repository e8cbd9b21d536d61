// Rays and depths: what a program may ask of the place of things.
#include "world/query.h"

#include <math.h>

#include "geom/snowfield.h"
#include "math/dvec.h"
#include "par/par.h"
#include "world/world_state.h"

enum { BLOCK = 128, MOST_STEPS = 2000 };

typedef struct ray_job {
    const firn_world *world;
    const firn_ray *rays;
    firn_hit *hits;
    firn_snowfield field; // nx 0: none
    cover_grid cover;     // fill NULL: none
    const world_spheres *particles;
} ray_job;

bool ray_clip(const ray_way *r, const double low[3], const double high[3], double *first, double *last,
              int *side) {
    *first = 0, *last = r->end, *side = -1;
    for (int k = 0; k < 3; k++) {
        double at = ray_coordinate(r->from, k), by = ray_coordinate(r->along, k);
        if (by == 0) {
            if (at < low[k] || at > high[k]) return false;
            continue;
        }
        double a = (low[k] - at) / by, b = (high[k] - at) / by, near = fmin(a, b), far = fmax(a, b);
        if (near > *first) *first = near, *side = k;
        *last = fmin(*last, far);
    }
    return *first <= *last;
}

// ---- bodies

// A ray of a block against one body.
typedef struct tracer {
    size_t ray;
    double t, end;
    bool inside; // it has not yet left the body that it began in
} tracer;

// Rounding of float coordinates this far from the world's origin.
static double tolerance_of(const ray_way *r, double t) { return 1e-5 + 1e-6 * (dvec_length(r->from) + t); }

static void note_hit(const ray_way *r, double t, size_t body, firn_vec3 normal, firn_hit *hit) {
    *hit = (firn_hit){.what = FIRN_RAY_BODIES,
                      .body = body,
                      .distance = t,
                      .point = dvec_add_scaled(r->from, r->along, t),
                      .normal = normal};
}

// A plane in closed form.
static void trace_plane(const body_set *bodies, size_t b, size_t n, ray_way *r, const size_t *number,
                        firn_hit *hits) {
    firn_body_state s = body_state(bodies, b);
    firn_vec3 normal = dquat_rotate(s.rotation, dvec(0, 1, 0));
    for (size_t i = 0; i < n; i++) {
        ray_way *w = &r[number[i]];
        double above = dvec_dot(dvec_sub(w->from, s.position), normal), by = dvec_dot(w->along, normal);
        if (above < 0 || !(by < 0) || !(-above / by < w->end)) continue;
        note_hit(w, -above / by, b, normal, &hits[number[i]]);
        w->end = hits[number[i]].distance;
    }
}

// One step of a tracer at signed distance d; false: it is done.
static bool advance(tracer *c, size_t b, ray_way *w, double d, firn_vec3 normal, firn_hit *hit) {
    double least = tolerance_of(w, c->t), closing = -dvec_dot(normal, w->along);
    if (c->inside) {
        c->inside = d <= 0;
        c->t += fmax(fabs(d), least);
    } else if (d <= least && closing > 0) {
        double t = closing > 0.05 ? fmax(c->t + d / closing, 0) : c->t; // the rest of the way, as to a plane
        if (t <= w->end) {
            note_hit(w, t, b, normal, hit);
            w->end = t;
        }
        return false;
    } else {
        c->t += fmax(d, least);
    }
    return c->t <= c->end && c->t < w->end;
}

static void trace_body(const body_set *bodies, size_t b, size_t n, ray_way *r, const size_t *number,
                       firn_hit *hits) {
    firn_vec3 low, high;
    if (!body_bounds(bodies, b, 0, &low, &high)) {
        trace_plane(bodies, b, n, r, number, hits);
        return;
    }
    const double l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    tracer active[BLOCK];
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        tracer c = {.ray = number[i]};
        int side;
        if (ray_clip(&r[number[i]], l, h, &c.t, &c.end, &side)) active[count++] = c;
    }
    float x[BLOCK], y[BLOCK], z[BLOCK], d[BLOCK], nx[BLOCK], ny[BLOCK], nz[BLOCK];
    for (int step = 0; step < MOST_STEPS && count > 0; step++) {
        for (size_t i = 0; i < count; i++) {
            const ray_way *w = &r[active[i].ray];
            firn_vec3 at = dvec_add_scaled(w->from, w->along, active[i].t);
            x[i] = (float)at.x, y[i] = (float)at.y, z[i] = (float)at.z;
        }
        body_query(bodies, b, count, x, y, z, d, nx, ny, nz);
        size_t left = 0;
        for (size_t i = 0; i < count; i++) {
            tracer c = active[i];
            ray_way *w = &r[c.ray];
            if (step == 0) c.inside = c.t == 0 && (double)d[i] < -tolerance_of(w, 0);
            firn_vec3 normal = dvec((double)nx[i], (double)ny[i], (double)nz[i]);
            if (advance(&c, b, w, (double)d[i], normal, &hits[c.ray])) active[left++] = c;
        }
        count = left;
    }
}

// ---- all of it

static void trace_block(void *context, size_t begin, size_t end) {
    const ray_job *job = context;
    const body_set *bodies = world_bodies(job->world);
    ray_way way[BLOCK];
    size_t solid[BLOCK], solids = 0;
    firn_hit *hits = job->hits + begin;
    for (size_t i = 0; i < end - begin; i++) {
        const firn_ray *r = &job->rays[begin + i];
        uint32_t targets = r->targets ? r->targets : FIRN_RAY_ALL;
        way[i] = (ray_way){r->origin, dvec_normalise(r->direction), r->max_distance};
        hits[i] = (firn_hit){.body = SIZE_MAX};
        if (targets & FIRN_RAY_PARTICLES && job->particles &&
            ray_particles(job->world, job->particles, &way[i], &hits[i]))
            way[i].end = hits[i].distance;
        if (targets & FIRN_RAY_SNOWFIELD && job->field.nx > 0 &&
            ray_snowfield(&job->field, &way[i], &hits[i]))
            way[i].end = hits[i].distance;
        if (targets & FIRN_RAY_COVER && job->cover.fill &&
            ray_cover(job->world, &job->cover, &way[i], &hits[i]))
            way[i].end = hits[i].distance;
        // Ground that the snow field knows is the surface of a body: where it is bare, the body is hit.
        bool bare = hits[i].what == FIRN_RAY_SNOWFIELD || hits[i].what == FIRN_RAY_COVER;
        if (bare && !(hits[i].depth > 0)) way[i].end += 1e-3 * job->field.cell;
        if (targets & FIRN_RAY_BODIES) solid[solids++] = i;
    }
    for (size_t b = 0; b < body_count(bodies); b++) trace_body(bodies, b, solids, way, solid, hits);
    for (size_t i = 0; i < end - begin; i++)
        if (hits[i].what != FIRN_RAY_PARTICLES) hits[i].item = SIZE_MAX;
}

static firn_status check_ray(const firn_ray *r, size_t i) {
    if (!dvec_finite(r->origin)) return fail(FIRN_BAD_INPUT, "ray %zu: the origin is not finite", i);
    if (!dvec_finite(r->direction) || !(dvec_length(r->direction) > 0))
        return fail(FIRN_BAD_INPUT, "ray %zu: the direction must be finite and not 0", i);
    if (!(r->max_distance > 0))
        return fail(FIRN_BAD_INPUT, "ray %zu: invalid max_distance %g m: must be above 0", i,
                    r->max_distance);
    if (r->targets & ~(uint32_t)FIRN_RAY_ALL)
        return fail(FIRN_BAD_INPUT, "ray %zu: invalid targets %u: must be flags of firn_ray_target", i,
                    r->targets);
    return FIRN_OK;
}

static bool wants(const firn_ray *r, firn_ray_target what) { return r->targets == 0 || r->targets & what; }

static bool has_snowfield(const firn_world *world) { return firn_world_field(world, "field.grid").data; }

firn_status firn_world_rays(const firn_world *world, size_t n, const firn_ray *rays, firn_hit *hits) {
    IN_WORLD(world);
    NEED(world);
    NEED(rays || n == 0);
    NEED(hits || n == 0);
    bool particles = false;
    for (size_t i = 0; i < n; i++) {
        TRY(check_ray(&rays[i], i));
        particles |= wants(&rays[i], FIRN_RAY_PARTICLES);
    }
    ray_job job = {.world = world, .rays = rays, .hits = hits};
    if (particles) TRY(world_find_spheres(world, &job.particles));
    if (has_snowfield(world)) TRY(firn_world_snowfield(world, &job.field));
    if (world_has_cover(world)) TRY(world_cover_grid(world, &job.cover));
    par_for(n, BLOCK, trace_block, &job);
    return FIRN_OK;
}

firn_status firn_world_ray(const firn_world *world, firn_vec3 origin, firn_vec3 direction,
                           double max_distance, firn_hit *hit) {
    NEED(hit);
    *hit = (firn_hit){.body = SIZE_MAX, .item = SIZE_MAX};
    const firn_ray ray = {origin, direction, max_distance, FIRN_RAY_ALL};
    return firn_world_rays(world, 1, &ray, hit);
}

// ---- depth

typedef struct depth_job {
    const firn_world *world;
    const double *places;
    double *depth, *surface;
    firn_snowfield field;
    cover_grid cover;
} depth_job;

static void add_field(const firn_snowfield *f, double x, double z, double *depth, double *top) {
    double u = (x - f->x0) / f->cell, v = (z - f->z0) / f->cell;
    if (!(u >= 0 && v >= 0 && u <= f->nx && v <= f->nz)) return;
    snowfield_sample(f, x, z, top, depth);
}

static void add_cover(const depth_job *job, double x, double z, double *depth, double *top) {
    const cover_grid *g = &job->cover;
    double u = (x - g->low[0]) / g->cell, w = (z - g->low[2]) / g->cell;
    if (!(u >= 0 && w >= 0 && u < g->n[0] && w < g->n[2])) return;
    cover_column c = cover_column_at(g, (int32_t)u, (int32_t)w);
    double up = 0;
    if (c.stands) {
        cover_floor floor = {.cell = c.floor};
        world_cover_floors_at(job->world, g, &floor, 1);
        up = (double)floor.up;
    }
    *depth += g->cell * (double)c.depth;
    *top = fmax(*top, g->low[1] + g->cell * ((double)c.height + up)); // of NAN the other
}

static void depth_block(void *context, size_t begin, size_t end) {
    const depth_job *job = context;
    for (size_t i = begin; i < end; i++) {
        double x = job->places[2 * i], z = job->places[2 * i + 1], depth = 0, top = (double)NAN;
        if (job->field.nx > 0) add_field(&job->field, x, z, &depth, &top);
        if (job->cover.fill) add_cover(job, x, z, &depth, &top);
        if (job->depth) job->depth[i] = depth;
        if (job->surface) job->surface[i] = top;
    }
}

firn_status firn_world_depth(const firn_world *world, size_t n, const double *places, double *depth,
                             double *top) {
    IN_WORLD(world);
    NEED(world);
    NEED(places || n == 0);
    depth_job job = {.world = world, .places = places, .depth = depth, .surface = top};
    for (size_t i = 0; i < 2 * n; i++)
        if (!isfinite(places[i])) return fail(FIRN_BAD_INPUT, "place %zu is not finite", i / 2);
    if (has_snowfield(world)) TRY(firn_world_snowfield(world, &job.field));
    if (world_has_cover(world)) TRY(world_cover_grid(world, &job.cover));
    if (job.field.nx == 0 && !job.cover.fill)
        return fail(FIRN_BAD_INPUT, "this world has neither a snow field nor a snow cover");
    par_for(n, 64, depth_block, &job);
    return FIRN_OK;
}
