// Velocities as arrows: slim pyramids from where a particle or body is to where it will be in a while.
#include <math.h>
#include <stdio.h>

#include "draw/collect.h"
#include "math/dvec.h"

enum { MOST = 3000, SIDES = 3, VERTICES = SIDES + 1, TRIANGLES = SIDES + 1 };
static const float orange[3] = {0.85f, 0.25f, 0.02f};

static double component(const firn_field *f, size_t i) {
    return f->type == FIRN_F32 ? (double)((const float *)f->data)[i] : ((const double *)f->data)[i];
}

static void add_arrow(mesh *m, firn_vec3 from, firn_vec3 way) {
    double length = dvec_length(way);
    if (!dvec_finite(way) || !dvec_finite(from) || !(length > 1e-6)) return;
    firn_vec3 along = dvec_scale(way, 1 / length), u = dvec_perpendicular(along), v = dvec_cross(along, u);
    uint32_t first = (uint32_t)m->vertices;
    for (int c = 0; c < VERTICES; c++) {
        double angle = 2 * M_PI / SIDES * c;
        firn_vec3 side = dvec_add_scaled(dvec_scale(u, cos(angle)), v, sin(angle));
        firn_vec3 p = c == SIDES ? dvec_add(from, way) : dvec_add_scaled(from, side, 0.03 * length);
        float *q = m->position[m->vertices++];
        q[0] = (float)p.x, q[1] = (float)p.y, q[2] = (float)p.z;
    }
    static const uint32_t corner[TRIANGLES][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
    for (int t = 0; t < TRIANGLES; t++, m->triangles++)
        for (int k = 0; k < 3; k++) m->triangle[m->triangles][k] = first + corner[t][k];
}

static void add_particles(collector *g, size_t member, double seconds) {
    const model_drawing *d = world_model_class(g->world, member)->drawing;
    char name[64];
    if (!d || !d->position) return;
    snprintf(name, sizeof name, "%s.velocity", world_model_class(g->world, member)->name);
    firn_field at = firn_world_field(g->world, d->position), v = firn_world_field(g->world, name);
    bool floats = v.type == FIRN_F32 || v.type == FIRN_F64;
    if (at.count == 0 || v.count != at.count || v.components != 3 || !floats || !field_has_positions(&at))
        return;
    size_t stride = (at.count + MOST - 1) / MOST;
    for (size_t i = 0; i < at.count; i += stride) {
        float from[3];
        field_position_near(&at, i, g->origin, from);
        firn_vec3 way = {component(&v, 3 * i), component(&v, 3 * i + 1), component(&v, 3 * i + 2)};
        add_arrow(&g->arrows, dvec((double)from[0], (double)from[1], (double)from[2]),
                  dvec_scale(way, seconds));
    }
}

firn_status collect_arrows(collector *g) {
    double seconds = g->scene->picture.arrow_time;
    if (!(seconds > 0)) return FIRN_OK;
    size_t bodies = firn_world_body_count(g->world), models = world_model_count(g->world);
    size_t room = bodies + models * MOST;
    mesh_free(&g->arrows);
    TRY(mesh_alloc(room * VERTICES, room * TRIANGLES, false, &g->arrows));
    g->arrows.vertices = g->arrows.triangles = 0;
    for (size_t i = 0; i < models; i++)
        if (!collect_hides(g, world_model_class(g->world, i)->name)) add_particles(g, i, seconds);
    for (size_t b = 0; b < bodies; b++) {
        firn_body_state s = firn_world_body_state(g->world, b);
        add_arrow(&g->arrows, dvec_sub(s.position, g->origin), dvec_scale(s.velocity, seconds));
    }
    if (g->arrows.triangles == 0) return FIRN_OK;
    draw_mesh item = {.mesh = &g->arrows,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .color = {orange[0], orange[1], orange[2]},
                      .material = DRAW_PLAIN};
    return draw_list_mesh(&g->list, item);
}
