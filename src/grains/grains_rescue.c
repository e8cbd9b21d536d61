// Difficult contacts, one grain at a time, in double.
#include <math.h>

#include "grains/grains_state.h"

enum { MOST_HITS = 4, MOST_PULLS = 16, MOST_MARCH = 200 };

static firn_vec3 at(const grain_block *b, size_t i) {
    return dvec((double)b->x[i], (double)b->y[i], (double)b->z[i]);
}

static void put_at(grain_block *b, size_t i, firn_vec3 p) {
    b->x[i] = (float)p.x, b->y[i] = (float)p.y, b->z[i] = (float)p.z;
}

static firn_vec3 velocity(const grain_block *b, size_t i) {
    return dvec((double)b->u[i], (double)b->v[i], (double)b->w[i]);
}

static bool in_reach(const grain_wall *w, firn_vec3 low, firn_vec3 high, double radius) {
    if (!w->bounded) return true;
    return low.x - radius <= (double)w->high[0] && high.x + radius >= (double)w->low[0] &&
           low.y - radius <= (double)w->high[1] && high.y + radius >= (double)w->low[1] &&
           low.z - radius <= (double)w->high[2] && high.z + radius >= (double)w->low[2];
}

typedef bool (*sweep_function)(const body_set *, size_t, firn_vec3, firn_vec3, double, body_hit *);

// The first body on the path, NULL if none.
static const grain_wall *first_hit(const grains *g, const body_set *bodies, firn_vec3 from, firn_vec3 to,
                                   sweep_function sweep, body_hit *first) {
    const grain_wall *found = NULL;
    first->t = INFINITY;
    for (size_t k = 0; k < g->wall_count; k++) {
        body_hit hit;
        if (!in_reach(&g->walls[k], dvec_min(from, to), dvec_max(from, to), g->radius)) continue;
        if (!sweep(bodies, g->walls[k].body, from, to, g->radius, &hit) || hit.t >= first->t) continue;
        *first = hit;
        found = &g->walls[k];
    }
    return found;
}

static firn_vec3 wall_velocity(const grain_wall *w, firn_vec3 p) {
    return dvec_add(w->velocity, dvec_cross(w->spin, dvec_sub(p, w->origin)));
}

// From the old to the new position: stopped by the first body it hits and carried along with that; for the
// remaining time it moves on, against bodies as at the end of the step.
static void follow_way(const grains *g, const body_set *bodies, grain_block *b, size_t i,
                       grain_impulse *pushes) {
    firn_vec3 from = dvec((double)b->ox[i], (double)b->oy[i], (double)b->oz[i]), to = at(b, i);
    double left = b->dt;
    for (int k = 0; k < MOST_HITS; k++) {
        body_hit hit;
        const grain_wall *w = first_hit(g, bodies, from, to, k == 0 ? body_sweep : body_sweep_still, &hit);
        if (!w) {
            put_at(b, i, to);
            return;
        }
        left *= 1 - hit.t;
        from = k == 0 ? hit.carried : hit.point;
        put_at(b, i, from);
        grain_bounce(g, w, b, i, hit.normal, k == 0 ? left : 0, pushes);
        to = dvec_add_scaled(from, dvec_sub(velocity(b, i), wall_velocity(w, from)), left);
    }
}

// The body that grain i is deepest in; NULL if it is outside all.
static const grain_wall *deepest(const grains *g, const body_set *bodies, firn_vec3 p, double *depth,
                                 firn_vec3 *n) {
    const grain_wall *found = NULL;
    float x = (float)p.x, y = (float)p.y, z = (float)p.z;
    *depth = g->radius * (1 - GRAIN_SLACK);
    for (size_t k = 0; k < g->wall_count; k++) {
        float d, nx, ny, nz;
        if (!in_reach(&g->walls[k], p, p, g->radius)) continue;
        body_query(bodies, g->walls[k].body, 1, &x, &y, &z, &d, &nx, &ny, &nz);
        if (!(g->radius - (double)d > *depth)) continue;
        *depth = g->radius - (double)d;
        *n = dvec((double)nx, (double)ny, (double)nz);
        found = &g->walls[k];
    }
    return found;
}

static double distance_to(const body_set *bodies, const grain_wall *w, firn_vec3 p, firn_vec3 *n) {
    float x = (float)p.x, y = (float)p.y, z = (float)p.z, d, nx, ny, nz;
    body_query(bodies, w->body, 1, &x, &y, &z, &d, &nx, &ny, &nz);
    *n = dvec((double)nx, (double)ny, (double)nz);
    return (double)d;
}

// Along the surface of `ground` in one direction, until outside everything; the distance, INFINITY if too
// long.
static double walk_out(const grains *g, const body_set *bodies, const grain_wall *ground, firn_vec3 direction,
                       double most, firn_vec3 *p) {
    double way = 0, depth;
    for (int k = 0; k < MOST_MARCH && way < most; k++) {
        firn_vec3 n;
        double d = distance_to(bodies, ground, *p, &n);
        if (d < g->radius) *p = dvec_add_scaled(*p, n, g->radius * 1.001 - d);
        firn_vec3 ahead = dvec_normalise(dvec_add_scaled(direction, n, -dvec_dot(direction, n)));
        if (!deepest(g, bodies, *p, &depth, &n)) return way;
        double step = fmax(depth, g->radius / 2); // the body is at least that thick here
        *p = dvec_add_scaled(*p, ahead, step);
        way += step;
    }
    return INFINITY;
}

// A grain squeezed between two bodies leaves at the nearest of four sides, or else upwards.
static void slip_out(const grains *g, const body_set *bodies, grain_block *b, size_t i,
                     const grain_wall *ground, const grain_wall *other) {
    firn_vec3 n, best = at(b, i);
    distance_to(bodies, ground, best, &n);
    firn_vec3 away = dvec_sub(best, other->origin);
    firn_vec3 first = dvec_normalise(dvec_add_scaled(away, n, -dvec_dot(away, n)));
    if (dvec_length(first) == 0) first = dvec_perpendicular(n);
    firn_vec3 second = dvec_cross(n, first);
    const firn_vec3 sides[4] = {first, second, dvec_negate(second), dvec_negate(first)};
    double shortest = INFINITY;
    for (int k = 0; k < 4; k++) {
        firn_vec3 p = at(b, i);
        double way = walk_out(g, bodies, ground, sides[k], shortest, &p);
        if (way < shortest) shortest = way, best = p;
    }
    double depth;
    const grain_wall *in = other;
    for (int k = 0; k < MOST_MARCH && isinf(shortest) && in; k++) {
        in = deepest(g, bodies, best, &depth, &n);
        if (in) best.y += fmax(depth, g->radius / 2);
    }
    put_at(b, i, best);
}

// At most two bodies enclose a grain: the one that is at rest serves as ground.
static void slip_out_between(const grains *g, const body_set *bodies, grain_block *b, size_t i,
                             const grain_wall *one, const grain_wall *two) {
    bool two_stays = !two->dynamic && (one->dynamic || two->motion < one->motion);
    slip_out(g, bodies, b, i, two_stays ? two : one, two_stays ? one : two);
}

void grains_rescue(const grains *g, const body_set *bodies, grain_block *b, size_t i, bool sweep,
                   grain_impulse *pushes) {
    if (sweep) follow_way(g, bodies, b, i, pushes);
    const grain_wall *before = NULL;
    for (int k = 0; k < MOST_PULLS; k++) {
        double depth;
        firn_vec3 n;
        const grain_wall *w = deepest(g, bodies, at(b, i), &depth, &n);
        if (!w) return;
        if (k == MOST_PULLS - 1) {
            slip_out_between(g, bodies, b, i, w, before);
            return;
        }
        put_at(b, i, dvec_add_scaled(at(b, i), n, depth + 1e-3 * g->radius));
        grain_bounce(g, w, b, i, n, 0, pushes);
        before = w;
    }
}
