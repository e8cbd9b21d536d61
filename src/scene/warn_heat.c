// A body a little off the snow passes no heat, and nothing else shows it.
#include "scene/warn_heat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/body.h"
#include "geom/shape.h"
#include "math/dvec.h"
#include "par/par.h"
#include "scene/load.h"
#include "scene/locate.h"
#include "world/world_regions.h"

enum { BLOCK = 512 };

// Particles of a model, and how far from a body their centres may be to be in contact.
typedef struct warmed {
    const char *model;
    firn_field position;
    double contact, spacing; // m
    const world_fill *fills; // of all models
    size_t fill_count;
} warmed;

typedef struct gap_work {
    const body_set *bodies;
    size_t body;
    const firn_field *position;
    double far; // m: what is farther counts as that
} gap_work;

static double nearness(void *context, size_t begin, size_t end) {
    const gap_work *w = context;
    float x[3][BLOCK] = {{0}}, distance[BLOCK], at[3];
    firn_vec3 near = field_position(w->position, begin);
    double least = w->far;
    for (size_t i = begin; i < end; i++) {
        field_position_near(w->position, i, near, at);
        for (size_t k = 0; k < 3; k++) x[k][i - begin] = at[k];
    }
    body_query_near(w->bodies, w->body, near, end - begin, x[0], x[1], x[2], distance, NULL, NULL, NULL);
    for (size_t i = begin; i < end; i++) least = fmin(least, (double)distance[i - begin]);
    return w->far - fmax(least, 0);
}

// Whether the filled shape itself is in contact with the body, though none of its particles is.
static firn_status reaches(const scene *whole, const body_set *bodies, size_t b, const world_fill *fill,
                           bool *out) {
    shape *form;
    TRY(shape_create(fill->shape, fill->scale, whole->def.world.folder, fill->path, &form));
    const mesh *surface = shape_mesh(form);
    firn_quat turn = dquat_from_angles(fill->rotate);
    for (size_t i = 0; i < surface->vertices && !*out; i++) {
        firn_vec3 off = dquat_rotate(turn, dvec_of_floats(surface->position[i]));
        float x = (float)off.x, y = (float)off.y, z = (float)off.z, distance;
        body_query_near(bodies, b, fill->at, 1, &x, &y, &z, &distance, NULL, NULL, NULL);
        *out = (double)distance < 0.01 * fill->spacing;
    }
    shape_destroy(form);
    return FIRN_OK;
}

// Snow that is placed on the body falls onto it, where there is weight.
static firn_status falls_onto(const scene *whole, const body_set *bodies, size_t b, const warmed *m,
                              bool *out) {
    *out = false;
    if (!(dvec_length(whole->def.world.gravity) > 0)) return FIRN_OK;
    for (size_t i = 0; i < m->fill_count && !*out; i++)
        if (strcmp(m->fills[i].model, m->model) == 0) TRY(reaches(whole, bodies, b, &m->fills[i], out));
    return FIRN_OK;
}

static firn_status warn_of_gap(const scene *whole, const body_set *bodies, size_t b, const warmed *m) {
    gap_work work = {bodies, b, &m->position, m->contact + m->spacing};
    double distance = work.far - par_max(m->position.count, BLOCK, nearness, &work);
    char path[160];
    bool falls;
    if (distance < m->contact || distance >= work.far) return FIRN_OK;
    TRY(falls_onto(whole, bodies, b, m, &falls));
    if (falls) return FIRN_OK;
    snprintf(path, sizeof path, "bodies.%s", body_name(bodies, b));
    problem_warn(&whole->loader->problems, locate_place(whole, path), NULL,
                 "body '%s' has a temperature, but misses the nearest particle of %s by %.3g cm, less than a "
                 "spacing (%.3g cm): no heat passes between them",
                 body_name(bodies, b), m->model, 100 * (distance - m->contact / 2), 100 * m->spacing);
    return FIRN_OK;
}

static double widest_fill(const world_fill *fills, size_t count, const char *model) {
    double widest = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(fills[i].model, model) == 0) widest = fmax(widest, fills[i].spacing);
    return widest;
}

firn_status scene_warn_heat(const scene *whole, const firn_world *world) {
    const firn_world_def *def = &whole->def.world;
    const body_set *bodies = world_bodies(world);
    firn_status status = FIRN_OK;
    world_fill *fills;
    size_t count, models = 0;
    warmed all[2];
    TRY(world_fills(def, &fills, &count));
    if (def->phase) {
        double spacing = widest_fill(fills, count, "phase");
        all[models++] =
            (warmed){"phase", firn_world_field(world, "phase.position"), spacing, spacing, fills, count};
    }
    if (def->mpm && def->mpm->heat) // of its particles, some are anywhere in the outermost cell
        all[models++] = (warmed){"mpm",
                                 firn_world_field(world, "mpm.position"),
                                 def->mpm->cell / cbrt((double)def->mpm->per_cell),
                                 def->mpm->cell,
                                 fills,
                                 count};
    for (size_t b = 0; b < body_count(bodies); b++)
        for (size_t k = 0; k < models && status == FIRN_OK && !isnan(body_temperature(bodies, b)); k++)
            if (all[k].position.count > 0) status = warn_of_gap(whole, bodies, b, &all[k]);
    mem_free(fills);
    return status;
}
