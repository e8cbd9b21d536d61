// From defs to particles.
#include "mpm/mpm_implicit.h"

#include <math.h>
#include <string.h>

#include "geom/fill.h"
#include "math/dvec.h"
#include "snow/snow_type.h"

static double or_else(double given, double fallback) { return given < 0 ? fallback : given; }

mpm_material mpm_material_of(const firn_mpm_snow_def *def, double particle_volume) {
    const snow_type *type = snow_type_find(def->type ? def->type : "packed");
    double density = or_else(def->density, type->density);
    double young = or_else(def->young, def->measured ? snow_young_measured(density) : type->young);
    double nu = or_else(def->poisson, def->measured ? snow_poisson_measured(density) : type->poisson);
    return (mpm_material){
        .mu = (float)(young / (2 * (1 + nu))), // MPM15 eq. 26-27
        .lambda = (float)(young * nu / ((1 + nu) * (1 - 2 * nu))),
        .hardening = (float)or_else(def->hardening, type->hardening),
        .squeeze = (float)or_else(def->critical_compression, type->critical_compression),
        .stretch = (float)or_else(def->critical_stretch, type->critical_stretch),
        .mass = (float)(density * particle_volume),
        .volume = (float)particle_volume,
        .density = (float)density,
    };
}

static void particles_free(mpm_particles *p) {
    void *lists[] = {p->x,  p->v,  p->affine, p->strain,   p->tau,
                     p->jp, p->id, p->block,  p->material, p->scratch};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *p = (mpm_particles){.materials = p->materials};
}

enum { PARTICLE_BYTES = 4 * (3 + 3 + 9 + 6 + 6 + 1 + 1 + 1 + 1) };

firn_status mpm_reserve(mpm_particles *p, size_t count) {
    if (count <= p->capacity) return FIRN_OK;
    size_t room = (count + 15) / 16 * 16;
    struct {
        void *list;
        size_t item;
    } lists[] = {
        {&p->x, sizeof *p->x},           {&p->v, sizeof *p->v},         {&p->affine, sizeof *p->affine},
        {&p->strain, sizeof *p->strain}, {&p->tau, sizeof *p->tau},     {&p->jp, sizeof *p->jp},
        {&p->id, sizeof *p->id},         {&p->block, sizeof *p->block}, {&p->material, sizeof *p->material},
        {&p->scratch, sizeof *p->affine}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        void *old, *bigger;
        memcpy(&old, lists[i].list, sizeof old);
        bigger = mem_resize(old, room * lists[i].item);
        if (!bigger) return fail_memory("making room for the particles of mpm", room * lists[i].item);
        memcpy(lists[i].list, &bigger, sizeof bigger);
    }
    p->capacity = room;
    return FIRN_OK;
}

typedef struct placement {
    firn_quat turn;
    firn_vec3 at, middle; // middle: of the snow, in the world; spin is about it
} placement;

static firn_vec3 mean_point(const fill_points *points) {
    firn_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < points->count; i++)
        sum = dvec_add(sum, dvec(points->at[i][0], points->at[i][1], points->at[i][2]));
    return dvec_scale(sum, 1.0 / (double)points->count);
}

static void set_particle(mpm_particles *p, size_t i, firn_vec3 at, const placement *place,
                         const firn_mpm_snow_def *def) {
    firn_vec3 v = dvec_add(def->velocity, dvec_cross(def->spin, dvec_sub(at, place->middle)));
    firn_vec3 w = def->spin;
    const float spin[9] = {0,           (float)w.z, (float)-w.y, (float)-w.z, 0, (float)w.x, (float)w.y,
                           (float)-w.x, 0};
    memcpy(p->x[i], (float[3]){(float)at.x, (float)at.y, (float)at.z}, sizeof p->x[i]);
    memcpy(p->v[i], (float[3]){(float)v.x, (float)v.y, (float)v.z}, sizeof p->v[i]);
    memcpy(p->affine[i], spin, sizeof spin);
    memset(p->strain[i], 0, sizeof p->strain[i]);
    memset(p->tau[i], 0, sizeof p->tau[i]);
    p->jp[i] = 1;
    p->id[i] = (uint32_t)i;
    p->block[i] = BLOCK_NONE;
}

static firn_status add_points(mpm_state *s, const firn_mpm_snow_def *def, const fill_points *points) {
    mpm_particles *p = &s->p;
    TRY(mpm_reserve(p, p->count + points->count));
    placement place = {dquat_from_angles(def->fill.rotate), def->fill.at, {0, 0, 0}};
    place.middle = dvec_add(place.at, dquat_rotate(place.turn, mean_point(points)));
    for (size_t i = 0; i < points->count; i++) {
        firn_vec3 local = dvec(points->at[i][0], points->at[i][1], points->at[i][2]);
        set_particle(p, p->count + i, dvec_add(place.at, dquat_rotate(place.turn, local)), &place, def);
        p->material[p->count + i] = (uint32_t)s->material_count;
    }
    p->count += points->count;
    mpm_material material = mpm_material_of(def, points->volume);
    s->book.stiffness = fmax(s->book.stiffness, (material.lambda + 2 * material.mu) / material.density);
    s->book.speed2 = fmax(s->book.speed2, dvec_length2(def->velocity));
    s->materials[s->material_count++] = material;
    s->book.mass_in += (double)material.mass * (double)points->count;
    return FIRN_OK;
}

static firn_status add_snow(mpm_state *s, const firn_mpm_snow_def *def, const char *folder) {
    shape *form;
    TRY(shape_create(&def->fill.shape, def->fill.scale, folder, def->name, &form));
    fill_points points = {0};
    firn_status status = fill_shape(form, s->def.cell, (unsigned)s->def.per_cell, FIRN_FILL_JITTERED,
                                    s->setting.seed + s->material_count, &points);
    if (status == FIRN_OK) status = add_points(s, def, &points);
    fill_free(&points);
    shape_destroy(form);
    return status;
}

firn_status mpm_create(const void *params, const model_setting *setting, const body_set *bodies,
                       void **model) {
    const firn_mpm_def *def = params;
    mpm_state *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory("creating mpm", sizeof *s);
    s->def = *def;
    s->def.snow.items = NULL;
    s->def.remove.items = NULL;
    s->bodies = bodies;
    s->setting = *setting;
    s->setting.folder = NULL;
    s->materials = mem_zero(def->snow.count, sizeof *s->materials);
    firn_status status =
        s->materials ? FIRN_OK : fail_memory("creating mpm", def->snow.count * sizeof *s->materials);
    if (status == FIRN_OK) status = mpm_take_planes(s, def);
    if (status == FIRN_OK && def->implicit > 0) {
        s->solver = mem_zero(1, sizeof *s->solver);
        if (!s->solver) status = fail_memory("creating mpm", sizeof *s->solver);
    }
    for (size_t i = 0; i < def->snow.count && status == FIRN_OK; i++)
        status = add_snow(s, &def->snow.items[i], setting->folder);
    uint64_t item;
    const char *what;
    if (status == FIRN_OK && mpm_sick(s, &item, &what))
        status = fail(
            FIRN_BAD_INPUT,
            "mpm: %s of particle %llu is out of reach at the start: at most %g m from the origin, %g m/s",
            what, (unsigned long long)item, mpm_reach_limit(s), setting->max_speed);
    if (status != FIRN_OK) {
        mpm_destroy(s);
        return status;
    }
    s->p.materials = s->materials;
    *model = s;
    return FIRN_OK;
}

void mpm_destroy(void *model) {
    mpm_state *s = model;
    particles_free(&s->p);
    mpm_grid_free(&s->grid);
    mpm_reach_free(&s->reach);
    mpm_implicit_free(s->solver);
    mem_free(s->materials);
    mem_free(s->planes);
    mem_free(s->leaving);
    mem_free(s);
}

firn_status mpm_cost(const void *params, const model_setting *setting, firn_cost *cost) {
    const firn_mpm_def *def = params;
    double particles = 0;
    for (size_t i = 0; i < def->snow.count; i++) {
        const firn_mpm_snow_def *snow = &def->snow.items[i];
        shape *form;
        TRY(shape_create(&snow->fill.shape, snow->fill.scale, setting->folder, snow->name, &form));
        particles += fill_estimate(form, def->cell, (unsigned)def->per_cell);
        shape_destroy(form);
    }
    for (size_t i = 0; i < def->snow.count; i++) {
        mpm_material m = mpm_material_of(&def->snow.items[i], 1);
        double wave = sqrt((m.lambda + 2 * m.mu) / m.density);
        double limit = MPM_WAVE_CELLS * def->cell / (wave * MPM_USUAL_HARDENING);
        if (def->implicit > 0) limit = def->step > 0 ? def->step : limit * MPM_IMPLICIT_WAVES;
        cost->step = fmin(cost->step, limit);
    }
    if (def->step > 0) cost->step = fmin(cost->step, def->step);
    double blocks = 4 * particles / def->per_cell / BLOCK_NODES + 8; // the border of the snow, too
    cost->particles += (uint64_t)particles;
    cost->cells += (uint64_t)(blocks * BLOCK_NODES);
    cost->memory += (uint64_t)(particles * (PARTICLE_BYTES + sizeof(float[9]) + 4) +
                               blocks * (sizeof(mpm_block) + sizeof(float) * (TILE_FLOATS + BLOCK_FLOATS)));
    cost->disk += (uint64_t)(particles * 4 * (3 + 3 + 1 + 1 + 1 + 1 + 1 + 1));
    cost->seconds += particles / (def->implicit > 0 ? 2e6 : 8e6);
    if (def->implicit > 0)
        cost->memory +=
            (uint64_t)(particles * FROZEN_ROWS * sizeof(float) +
                       blocks * (4 * sizeof(float[BLOCK_FLOATS]) + sizeof(mpm_bond[BLOCK_NODES])));
    return FIRN_OK;
}
