// A pool that ends a little before the wall of its tank breaks like a dam into the gap, and sloshes for
// seconds.
#include "scene/warn_pools.h"

#include <math.h>
#include <stdio.h>

#include "body/body.h"
#include "math/dvec.h"
#include "scene/load.h"
#include "scene/locate.h"
#include "world/world.h"

// Gaps below this share of a spacing are none: fills are adapted by as much.
static const double NONE = 0.02;

// How far a place inside the box is from its wall along `out`, a unit vector.
static double to_box(const firn_pbd_box_def *box, firn_vec3 at, firn_vec3 out) {
    const firn_pbd_walls_def *walls = &box->walls.items[0];
    const double p[3] = {at.x, at.y, at.z}, u[3] = {out.x, out.y, out.z},
                 low[3] = {walls->low.x, walls->low.y, walls->low.z},
                 high[3] = {walls->high.x, walls->high.y, walls->high.z};
    double least = INFINITY;
    for (int a = 0; a < 3; a++)
        if (fabs(u[a]) > 0.7) least = fmin(least, u[a] > 0 ? high[a] - p[a] : p[a] - low[a]);
    return least;
}

// How far the middle of a pool's side is from what is in front of it: 0 if it is inside of that.
static double gap_of(const firn_world_def *def, const body_set *bodies, firn_vec3 side, firn_vec3 out) {
    const float none = 0;
    double least = INFINITY;
    if (def->pbd->box && def->pbd->box->walls.count > 0) least = to_box(def->pbd->box, side, out);
    for (size_t b = 0; b < body_count(bodies); b++) {
        float d, n[3];
        body_query_near(bodies, b, side, 1, &none, &none, &none, &d, &n[0], &n[1], &n[2]);
        double facing = -((double)n[0] * out.x + (double)n[1] * out.y + (double)n[2] * out.z);
        if (facing > 0.7) least = fmin(least, (double)d);
    }
    return fmax(least, 0);
}

static void look_at_pool(const scene *whole, const body_set *bodies, const firn_pbd_pool_def *pool) {
    const firn_world_def *def = &whole->def.world;
    const firn_fill_def *fill = &pool->fill;
    firn_quat turn = dquat_from_angles(fill->rotate);
    firn_vec3 down = dvec_normalise(def->gravity);
    double spacing = def->pbd->fluid->spacing;
    const double half[3] = {fill->shape.size.x / 2, fill->shape.size.y / 2, fill->shape.size.z / 2};
    for (int k = 0; k < 6; k++) {
        double sign = k % 2 ? 1 : -1;
        firn_vec3 out =
            dquat_rotate(turn, dvec(k / 2 == 0 ? sign : 0, k / 2 == 1 ? sign : 0, k / 2 == 2 ? sign : 0));
        if (fabs(dvec_dot(out, down)) > 0.3) continue; // its floor and its surface
        double gap = gap_of(def, bodies, dvec_add_scaled(fill->at, out, half[k / 2] * fill->scale), out);
        if (gap < NONE * spacing || gap > spacing) continue;
        char path[160];
        snprintf(path, sizeof path, "pbd.fluid.pools.%s", pool->name ? pool->name : "pool");
        problem_warn(
            &whole->loader->problems, locate_place(whole, path), NULL,
            "%s ends %.3g cm before a wall, less than a spacing (%.3g cm): it will fall into the gap "
            "and slosh; let it end at the wall",
            path, 100 * gap, 100 * spacing);
        return;
    }
}

void scene_warn_pools(const scene *whole, const firn_world *world) {
    const firn_world_def *def = &whole->def.world;
    if (!def->pbd || !def->pbd->fluid || !(dvec_length(def->gravity) > 0)) return;
    for (size_t k = 0; k < def->pbd->fluid->pools.count; k++) {
        const firn_pbd_pool_def *pool = &def->pbd->fluid->pools.items[k];
        if (pool->fill.shape.kind == FIRN_SHAPE_BOX && dvec_length(pool->velocity) == 0)
            look_at_pool(whole, world_bodies(world), pool);
    }
}
