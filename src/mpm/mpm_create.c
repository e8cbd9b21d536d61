// Creates the particles from the defs.
#include "mpm/mpm_heat.h"
#include "mpm/mpm_ranks.h"
#include "mpm/mpm_implicit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "geom/fill.h"
#include "math/dvec.h"
#include "snow/snow_type.h"

// Pores close at this share of the largest density (firn becomes ice at about 830 kg/m3); the rest is left to
// elastic compression.
#define CLOSE_OFF 0.905

// Dry snow at rest bears a little more than its angle of friction, in fast flow a little less. Between both
// lies the inertial number I0 = 0.01, for grains of 0.5 mm.
#define DEGREE (3.14159265358979 / 180)
#define MORE_AT_REST (1 * DEGREE)
#define LESS_IN_FLOW (4 * DEGREE)
#define GRAIN_PER_I0 (0.5e-3 / 0.01) // m

// Drucker-Prager and Cam clay; both have the same hardening.
static void set_granular(mpm_law *law, double bulk, double strength, double angle, double cohesion) {
    law->limit = (float)(strength / bulk);
    law->shear = (float)(sqrt(6) * (double)law->mu / bulk);
    law->friction = (float)(sqrt(3) * tan(angle));
    law->cohesion = (float)cohesion;
}

static void set_motion(mpm_law *law, double bulk, double density, double angle) {
    double still = fmin(angle + MORE_AT_REST, 1.5), moving = fmax(angle - LESS_IN_FLOW, 0);
    // of M in extension over M in compression, to the fourth power
    double ratio = pow((3 - sin(angle)) / (3 + sin(angle)), 4);
    law->friction = (float)(sqrt(3) * tan(still));
    law->kinetic = (float)(tan(moving) / tan(still));
    law->inertia = (float)(sqrt(2) * GRAIN_PER_I0 * sqrt(density / bulk)); // shear rate: sqrt(2) |dev D|
    law->lode = (float)((1 - ratio) / (1 + ratio));
}

// p0 of snow that bears a plate as the field's snow of this type does: a column that cannot widen yields at a
// share 1 / PLATE of that. In a column the plastic strain is (1, sqrt(2/3)) in the volume and the norm of the
// deviator, and goes towards the middle of Cam clay's ellipse, so q = 2 (mu / K) (p - middle); of
// Drucker-Prager p = p0 and q = M p0. It yields at p + 2 q / 3.
static double strength_of(const snow_type *type, firn_snow_law kind, double angle, double cohesion,
                          double ratio) {
    const double PLATE = 1 + 0.5 * 3.14159265358979; // of ground under a strip (Prandtl 1921)
    if (type->strength > 0) return type->strength;
    double m = sqrt(3) * tan(angle), steep = 2 * ratio, column = type->bearing / PLATE;
    if (kind == FIRN_SNOW_LAW_DRUCKER_PRAGER) return column / (1 + 2 * m / 3);
    double beside = 0.5 * (1 + cohesion) * m / sqrt((1 + 2 * cohesion) * steep * steep + m * m);
    return column / (0.5 * (1 - cohesion) + beside * (1 + 2 * steep / 3));
}

// Lumps that the grid resolves: in coarse cells a type is made of larger ones.
static double clod_of(const snow_type *type, double cell) {
    return type->clod > 0 ? fmax(type->clod, 9 * cell) : 0;
}

mpm_material mpm_material_of(const firn_world_def *scene, const firn_mpm_snow_def *def, double cell,
                             double particle_volume) {
    const snow_type found = snow_type_of(scene, def->type ? def->type : "packed"), *type = &found;
    double density = auto_or(def->density, type->density);
    double young = auto_or(def->young, def->measured ? snow_young_measured(density) : type->young);
    double nu = auto_or(def->poisson, def->measured ? snow_poisson_measured(density) : type->poisson);
    firn_snow_law kind = def->law == FIRN_SNOW_LAW_AUTO ? type->law : def->law;
    double mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu)); // MPM15 eq. 26-27
    double theta_c = auto_or(def->critical_compression, type->critical_compression);
    double theta_s = auto_or(def->critical_stretch, type->critical_stretch);
    double hardening = auto_or(def->hardening, type->hardening);
    // Snow opens in a zone as wide as a cell, whatever the cell: per strain it softens by the cell's size.
    double crack = def->softening_length > 0 ? cell / def->softening_length : 1;
    mpm_material m = {
        .law = {.kind = (float)kind,
                .mu = (float)mu,
                .lambda = (float)lambda,
                .hardening = (float)hardening,
                .softening = (float)(hardening * crack),
                .densest = (float)fmin(density / type->max_density, 0.97),
                .theta_c = (float)theta_c,
                .theta_s = (float)theta_s,
                .tearing = (float)def->tearing_time,
                .stretch = (float)(theta_s / crack),
                .volume = (float)particle_volume,
                .density = (float)density},
        .volume = particle_volume,
        .mass = (float)(density * particle_volume),
        .adhesion = (float)(auto_or(def->adhesion, type->adhesion) * pow(particle_volume, 2.0 / 3)),
        .clod = kind == FIRN_SNOW_LAW_STOMAKHIN ? auto_or(def->clod, clod_of(type, cell)) : 0,
        .seam = def->seam,
        .temperature = (float)def->temperature,
        .max_density = (float)fmax(type->max_density, density),
    };
    double bulk = lambda + 2 * mu / 3, angle = auto_or(def->friction_angle, type->angle_of_repose),
           cohesion = auto_or(def->cohesion, type->cohesion),
           strength = auto_or(def->strength, strength_of(type, kind, angle, cohesion, mu / bulk));
    set_granular(&m.law, bulk, strength, angle, cohesion);
    if (kind == FIRN_SNOW_LAW_DRUCKER_PRAGER) set_motion(&m.law, bulk, density, angle);
    double elastic = kind == FIRN_SNOW_LAW_STOMAKHIN ? pow(1 - theta_c, 3) : exp(-strength / bulk);
    // What hardly yields compacts elastically, and closes no pores.
    m.law.closed = (float)fmin(density / (CLOSE_OFF * type->max_density * fmax(elastic, 0.8)), 0.99);
    mpm_heat_material(&m, scene ? scene->mpm : NULL, def);
    return m;
}

double mpm_wave_speed2(const mpm_material *m) {
    return (double)((m->law.lambda + 2 * m->law.mu) / m->law.density * m->strength);
}

void mpm_particles_free(mpm_particles *p) {
    void *lists[] = {p->x,        p->v,    p->affine,  p->strain,   p->tau,      p->jp,     p->id,   p->block,
                     p->material, p->bond, p->scratch, p->enthalpy, p->strength, p->healed, p->rest, p->key};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *p = (mpm_particles){.materials = p->materials, .clods = p->clods};
}

enum { PARTICLE_BYTES = 8 * 3 + 4 * (3 + 9 + 6 + 6 + 1 + 1 + 1 + 1 + 1) };

static firn_status resize(mpm_particles *p, size_t room) {
    struct {
        void *list;
        size_t item;
    } lists[] = {{&p->x, sizeof *p->x},
                 {&p->v, sizeof *p->v},
                 {&p->affine, sizeof *p->affine},
                 {&p->strain, sizeof *p->strain},
                 {&p->tau, sizeof *p->tau},
                 {&p->jp, sizeof *p->jp},
                 {&p->id, sizeof *p->id},
                 {&p->block, sizeof *p->block},
                 {&p->material, sizeof *p->material},
                 {&p->bond, sizeof *p->bond},
                 {&p->scratch, sizeof *p->affine},
                 {p->keyed ? &p->key : NULL, sizeof *p->key},
                 {p->rests ? &p->rest : NULL, sizeof *p->rest},
                 {p->thermal ? &p->enthalpy : NULL, sizeof *p->enthalpy},
                 {p->thermal ? &p->strength : NULL, sizeof *p->strength},
                 {p->thermal ? &p->healed : NULL, sizeof *p->healed}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (!lists[i].list) continue;
        void *old, *bigger;
        memcpy(&old, lists[i].list, sizeof old);
        bigger = mem_resize(old, room * lists[i].item);
        if (!bigger) return fail_memory("growing the particle arrays of mpm", room * lists[i].item);
        memcpy(lists[i].list, &bigger, sizeof bigger);
    }
    p->capacity = room;
    return FIRN_OK;
}

firn_status mpm_reserve(mpm_particles *p, size_t count) {
    if (count <= p->capacity) return FIRN_OK;
    size_t room = (count + 15) / 16 * 16, grown = p->capacity + p->capacity / 4;
    if (p->capacity > 0 && room < grown)
        room = grown / 16 * 16; // snow enters: do not reallocate in every step
    return resize(p, room);
}

firn_status mpm_particles_fit(mpm_particles *p) {
    size_t room = (p->count + p->count / 4 + 15) / 16 * 16;
    return room > 0 && room < p->capacity ? resize(p, room) : FIRN_OK;
}

enum { PATH_LENGTH = 96 }; // "mpm.snow." and a name of 63 bytes

void mpm_add_particle(mpm_state *s, firn_vec3 at, firn_vec3 velocity, firn_vec3 spin, firn_vec3 middle,
                      uint32_t material, const float rest[3]) {
    mpm_particles *p = &s->p;
    size_t i = p->count++;
    firn_vec3 v = dvec_add(velocity, dvec_cross(spin, dvec_sub(at, middle))), w = spin;
    const float columns[9] = {0,           (float)w.z, (float)-w.y, (float)-w.z, 0, (float)w.x, (float)w.y,
                              (float)-w.x, 0};
    memcpy(p->x[i], (double[3]){at.x, at.y, at.z}, sizeof p->x[i]);
    memcpy(p->v[i], (float[3]){(float)v.x, (float)v.y, (float)v.z}, sizeof p->v[i]);
    memcpy(p->affine[i], columns, sizeof columns);
    memset(p->strain[i], 0, sizeof p->strain[i]);
    memset(p->tau[i], 0, sizeof p->tau[i]);
    p->jp[i] = 1;
    p->id[i] = (uint32_t)s->counters.next_id++;
    p->block[i] = BLOCK_NONE;
    p->material[i] = material;
    p->bond[i] = mpm_bond(s, &s->materials[material], rest);
    if (p->rests) p->rest[i] = 0;
    s->counters.mass_in += (double)s->materials[material].mass;
    if (p->thermal) mpm_heat_enter(s, i);
}

static void place_points(fill_points *points, const firn_fill_def *fill, mpm_points *out) {
    firn_quat turn = dquat_from_angles(fill->rotate);
    firn_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < points->count; i++) {
        float *at = points->at[i];
        firn_vec3 local = dvec((double)at[0], (double)at[1], (double)at[2]);
        firn_vec3 x = dquat_rotate(turn, local);
        sum = dvec_add(sum, x);
        memcpy(at, (float[3]){(float)x.x, (float)x.y, (float)x.z}, sizeof *points->at);
    }
    *out = (mpm_points){fill->at, points->at, points->count, points->volume,
                        dvec_add_scaled(fill->at, sum, 1.0 / (double)points->count)};
}

firn_status mpm_fill(const firn_mpm_def *def, const firn_fill_def *fill, const char *name, const char *folder,
                     uint64_t seed, mpm_points *out) {
    shape *form;
    fill_points points = {0};
    TRY(shape_create(&fill->shape, fill->scale, folder, name, &form));
    firn_status status =
        fill_shape(form, def->cell, (unsigned)def->per_cell, FIRN_FILL_JITTERED, seed, &points);
    shape_destroy(form);
    if (status != FIRN_OK)
        return status == FIRN_BAD_INPUT ? fail(status, "%s: %s", name, firn_last_error()) : status;
    place_points(&points, fill, out);
    return FIRN_OK;
}

firn_status mpm_add_snow(mpm_state *s, const firn_mpm_snow_def *def, uint32_t material, const char *folder) {
    mpm_points points;
    char path[PATH_LENGTH];
    if (s->setting.for_frames) {
        s->materials[material] = mpm_material_of(s->setting.def, def, s->def.cell,
                                                 s->def.cell * s->def.cell * s->def.cell / s->def.per_cell);
        return FIRN_OK;
    }
    snprintf(path, sizeof path, "mpm.snow.%s", def->name ? def->name : "snow");
    TRY(mpm_fill(&s->def, &def->fill, path, folder, s->setting.seed + material, &points));
    s->materials[material] = mpm_material_of(s->setting.def, def, s->def.cell, points.volume);
    mpm_begin_clods(s, &s->materials[material]);
    if (s->setting.loading) points.count = 0;
    size_t parts = s->setting.parts, most = points.count;
    if (parts) {
        most = most / parts + 2 * MPM_LEDGER_BLOCK;
        s->p.keyed = true;
    }
    firn_status status = mpm_reserve(&s->p, s->p.count + (most < points.count ? most : points.count));
    for (size_t i = 0; i < points.count && status == FIRN_OK; i++) {
        const float *x = points.at[i];
        firn_vec3 at = dvec_add(points.origin, dvec((double)x[0], (double)x[1], (double)x[2]));
        size_t number = s->made++;
        if (parts && number / MPM_LEDGER_BLOCK % parts != s->setting.part) { // another rank makes it
            s->counters.next_id++;
            s->counters.mass_in += (double)s->materials[material].mass;
            continue;
        }
        mpm_add_particle(s, at, def->velocity, def->spin, points.middle, material, x);
        if (parts) s->p.key[s->p.count - 1] = (uint32_t)number;
    }
    mem_free(points.at);
    return status;
}

// Time step limits of the initial state.
void mpm_initial_dt_limits(mpm_state *s, const firn_mpm_snow_def *def, size_t material) {
    const mpm_material *m = &s->materials[material];
    s->counters.wave_speed2 = fmax(s->counters.wave_speed2, mpm_wave_speed2(m));
    s->counters.speed2 = fmax(s->counters.speed2, dvec_length2(def->velocity));
}

firn_status mpm_check_initial(const mpm_state *s) {
    uint64_t item;
    const char *what;
    if (!mpm_find_invalid(s, &item, &what)) return FIRN_OK;
    return fail(
        FIRN_BAD_INPUT,
        "mpm: initial %s of particle %llu is outside the limits: at most %g m from the origin and %g m/s",
        what, (unsigned long long)item, mpm_domain_limit(s), s->setting.max_speed);
}

firn_status mpm_create(const void *params, const model_setting *setting, const body_set *bodies,
                       void **model) {
    const firn_mpm_def *def = params;
    mpm_state *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory("creating mpm", sizeof *s);
    s->def = *def;
    s->def.snow.items = NULL;
    s->def.remove.items = NULL;
    s->def.emit.items = NULL;
    s->def.heat = NULL;
    s->bodies = bodies;
    s->setting = *setting;
    s->setting.folder = NULL;
    size_t kinds = def->snow.count + def->emit.count + 2;
    s->p.rests = s->field_snow = setting->def && setting->def->field;
    s->phase_snow = setting->def && mpm_gets_grains(setting->def);
    s->materials = mem_zero(kinds, sizeof *s->materials);
    firn_status status = s->materials ? FIRN_OK : fail_memory("creating mpm", kinds * sizeof *s->materials);
    if (status == FIRN_OK) status = mpm_create_planes(s, def);
    if (status == FIRN_OK && def->heat) status = mpm_heat_create(s, def->heat);
    if (status == FIRN_OK && def->implicit > 0) {
        s->solver = mem_zero(1, sizeof *s->solver);
        if (!s->solver) status = fail_memory("creating mpm", sizeof *s->solver);
    }
    for (size_t i = 0; i < def->snow.count && status == FIRN_OK; i++)
        status = mpm_add_snow(s, &def->snow.items[i], (uint32_t)s->material_count++, setting->folder);
    for (size_t i = 0; i < def->snow.count && status == FIRN_OK; i++)
        mpm_initial_dt_limits(s, &def->snow.items[i], i);
    if (status == FIRN_OK) status = mpm_create_emitters(s, def, setting->folder);
    if (status == FIRN_OK) mpm_add_guest_snow(s);
    if (status == FIRN_OK) status = mpm_check_initial(s);
    if (status == FIRN_OK && s->heat) s->heat->totals.sources = 0; // what was there at the start
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
    mpm_ranks_forget(s);
    mpm_particles_free(&s->p);
    mpm_grid_free(&s->grid);
    mpm_contact_free(&s->contact);
    mpm_implicit_free(s->solver);
    mpm_heat_free(s->heat);
    mem_free(s->materials);
    mem_free(s->planes);
    mem_free(s->flip_delta);
    mem_free(s->lone);
    mem_free(s->dents);
    mpm_emitters_free(s);
    mem_free(s->leaving);
    mem_free(s);
}

// A small piece is really filled, to know whether anything fits in.
static firn_status count_snow(const firn_mpm_def *def, const firn_mpm_snow_def *snow,
                              const model_setting *setting, double *particles) {
    enum { FEW = 1000 };
    shape *form;
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "mpm.snow.%s", snow->name ? snow->name : "snow");
    TRY(shape_create(&snow->fill.shape, snow->fill.scale, setting->folder, path, &form));
    *particles = fill_estimate(form, def->cell, (unsigned)def->per_cell);
    shape_destroy(form);
    if (*particles > FEW) return FIRN_OK;
    mpm_points points;
    TRY(mpm_fill(def, &snow->fill, path, setting->folder, setting->seed, &points));
    *particles = (double)points.count;
    mem_free(points.at);
    return FIRN_OK;
}

firn_status mpm_cost(const void *params, const model_setting *setting, firn_cost *cost) {
    const firn_mpm_def *def = params;
    double particles = 0;
    for (size_t i = 0; i < def->snow.count; i++) {
        double more;
        TRY(count_snow(def, &def->snow.items[i], setting, &more));
        particles += more;
    }
    for (size_t i = 0; i < def->emit.count; i++) {
        double more;
        TRY(mpm_emitter_particles(def, i, setting->folder, setting->duration, &more));
        particles += more;
    }
    for (size_t i = 0; i < def->snow.count + def->emit.count; i++) {
        bool enters = i >= def->snow.count;
        mpm_material m = mpm_material_of(
            setting->def, enters ? &def->emit.items[i - def->snow.count].snow : &def->snow.items[i],
            def->cell, 1);
        double wave = sqrt(mpm_wave_speed2(&m));
        double limit = MPM_WAVE_CELLS * def->cell / (wave * MPM_USUAL_HARDENING);
        if (def->implicit > 0) limit = def->max_step > 0 ? def->max_step : limit * MPM_IMPLICIT_WAVES;
        cost->step = fmin(cost->step, limit);
    }
    if (def->max_step > 0) cost->step = fmin(cost->step, def->max_step);
    double blocks = 4 * particles / def->per_cell / BLOCK_NODES + 8; // the border of the snow, too
    cost->particles += (uint64_t)particles;
    cost->cells += (uint64_t)(blocks * BLOCK_NODES);
    double bytes = PARTICLE_BYTES + sizeof(float[9]) + sizeof(uint32_t);
    if (def->heat) bytes += sizeof(double) + sizeof(float[2]);
    if (def->heat) cost->memory += (uint64_t)(blocks * BLOCK_NODES * sizeof(heat_node));
    cost->memory += (uint64_t)(particles * bytes +
                               blocks * (sizeof(mpm_block) + sizeof(float) * (PATCH_FLOATS + BLOCK_FLOATS)));
    cost->disk += (uint64_t)(particles * (8 * 3 + 4 * (3 + 1 + 1 + 1 + 1 + 1 + 1 + 1)));
    cost->seconds += particles / (def->implicit > 0 ? 4e6 : 8e6);
    if (def->implicit > 0)
        cost->memory += (uint64_t)(blocks * (sizeof(mpm_neighbours) +
                                             sizeof(float) * (4 * BLOCK_FLOATS + CELL_FLOATS + BLOCK_NODES)));
    return FIRN_OK;
}
