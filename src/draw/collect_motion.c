// How far things came while the shutter was open: what final quality blurs. Drafts are sharp, so they ask for
// none of it (collector.shutter is 0).
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "math/dvec.h"

firn_status collect_way(const collector *g, const firn_field *at, float (**room)[3], size_t *capacity,
                        const float (**way)[3]) {
    *way = NULL;
    firn_field v = collect_sibling(g->world, at->name, "velocity", at->count);
    if (!(g->shutter > 0) || v.components != 3 || (v.type != FIRN_F32 && v.type != FIRN_F64)) return FIRN_OK;
    if (!array_reserve(room, capacity, at->count, sizeof **room))
        return fail_memory("drawing motion", at->count * sizeof **room);
    for (size_t i = 0; i < at->count; i++)
        for (size_t k = 0; k < 3; k++) {
            double speed = v.type == FIRN_F32 ? (double)((const float *)v.data)[3 * i + k]
                                              : ((const double *)v.data)[3 * i + k];
            (*room)[i][k] = isfinite(speed) ? (float)(speed * g->shutter) : 0;
        }
    *way = (const float(*)[3]) * room;
    return FIRN_OK;
}

void collect_still(draw_mesh *item) {
    memcpy(item->before_at, item->at, sizeof item->at);
    memcpy(item->before_rotation, item->rotation, sizeof item->rotation);
}

firn_status collect_vertex_way(collect_skin *skin, const float *channel, size_t stride, size_t count,
                               draw_mesh *item) {
    if (!array_reserve(&skin->way, &skin->way_capacity, count, sizeof *skin->way))
        return fail_memory("drawing motion", count * sizeof *skin->way);
    for (size_t i = 0; i < count; i++) memcpy(skin->way[i], channel + i * stride, sizeof *skin->way);
    collect_still(item);
    item->moving = true;
    item->way = (const float(*)[3])skin->way;
    return FIRN_OK;
}

void collect_body_motion(const collector *g, size_t body, const firn_body_state *now, draw_mesh *item) {
    if (!(g->shutter > 0) || !(dvec_length(now->velocity) + dvec_length(now->spin) > 0)) return;
    firn_vec3 centre = body_centre_of_mass(world_bodies(g->world), body),
              arm = dquat_rotate_back(now->rotation, dvec_sub(now->position, centre));
    firn_quat turned = dquat_spin(now->rotation, now->spin, -g->shutter);
    firn_vec3 at =
        dvec_add(dvec_sub(centre, dvec_scale(now->velocity, g->shutter)), dquat_rotate(turned, arm));
    at = dvec_sub(at, g->origin);
    item->moving = true;
    item->before_at[0] = (float)at.x, item->before_at[1] = (float)at.y, item->before_at[2] = (float)at.z;
    item->before_rotation[0] = (float)turned.w, item->before_rotation[1] = (float)turned.x;
    item->before_rotation[2] = (float)turned.y, item->before_rotation[3] = (float)turned.z;
}
