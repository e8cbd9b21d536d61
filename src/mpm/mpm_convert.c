// Snow that comes from other models and becomes part of them again: its material, and how long particles
// rest.
#include <math.h>

#include "base/auto.h"
#include "math/dvec.h"
#include "mpm/mpm_state.h"
#include "par/par.h"
#include "snow/snow_type.h"

enum { PARTICLES_PER_TASK = 8192 };

// Edge of the cubes that particles fill: about as in other snow, and so that whole numbers of them cover the
// cells of the field.
static double edge_of(const mpm_state *s, const firn_snowfield_def *field) {
    double edge = s->def.cell / cbrt((double)s->def.per_cell), ratio = field->cell / edge;
    return ratio > 1 ? field->cell / rint(ratio) : field->cell * rint(1 / ratio);
}

// Of the field's type, as dense as the field is at the start; other densities are plastic changes of volume.
static mpm_material field_snow_of(const mpm_state *s, const firn_world_def *scene) {
    const firn_snowfield_def *field = scene->field;
    firn_mpm_snow_def def = firn_mpm_snow_def_default();
    def.type = field->snow ? field->snow : "fresh";
    def.density = auto_or(field->density, snow_type_of(scene, def.type).density);
    return mpm_material_of(scene, &def, s->def.cell, pow(edge_of(s, field), 3));
}

// Of the type that the scene wants: a grain fills as much as it weighs.
static double grain_volume(const firn_world_def *scene) {
    const char *type = scene->coupling.mpm_phase.snow;
    return scene->phase->mass / snow_type_of(scene, type ? type : "packed").density;
}

// Particles are about as large as others of this model.
static unsigned parts_of(const mpm_state *s) {
    double edge = cbrt(grain_volume(s->setting.def));
    return (unsigned)fmax(rint(edge / (s->def.cell / cbrt((double)s->def.per_cell))), 1);
}

static mpm_material phase_snow_of(const mpm_state *s, const firn_world_def *scene) {
    const char *type = scene->coupling.mpm_phase.snow;
    firn_mpm_snow_def def = firn_mpm_snow_def_default();
    def.type = type ? type : "packed";
    return mpm_material_of(scene, &def, s->def.cell, grain_volume(scene) / pow(parts_of(s), 3));
}

bool mpm_guest_snow_of(const mpm_state *s, const firn_world_def *scene, size_t number, mpm_material *out) {
    if (s->field_snow && number + 1 == s->material_count)
        *out = field_snow_of(s, scene);
    else if (s->phase_snow && number + 1 + s->field_snow == s->material_count)
        *out = phase_snow_of(s, scene);
    else
        return false;
    return true;
}

void mpm_add_guest_snow(mpm_state *s) {
    if (s->phase_snow) s->materials[s->material_count++] = phase_snow_of(s, s->setting.def);
    if (s->field_snow) s->materials[s->material_count++] = field_snow_of(s, s->setting.def);
}

uint32_t mpm_phase_snow(const void *model, double *mass, double *edge, unsigned *parts) {
    const mpm_state *s = model;
    uint32_t number = (uint32_t)(s->material_count - 1 - s->field_snow);
    *mass = (double)s->materials[number].mass;
    *edge = cbrt(s->materials[number].volume);
    *parts = parts_of(s);
    return number;
}

uint32_t mpm_field_snow(const void *model, double *mass, double *edge) {
    const mpm_state *s = model;
    const mpm_material *m = &s->materials[s->material_count - 1];
    *mass = (double)m->mass;
    *edge = cbrt(m->volume);
    return (uint32_t)s->material_count - 1;
}

void mpm_look_for_guest_snow(mpm_state *s) {
    size_t first = s->material_count - s->field_snow - s->phase_snow;
    s->field_snow_used = s->phase_snow_used = false;
    for (size_t i = 0; first < s->material_count && i < s->p.count; i++) {
        if (s->p.material[i] < first) continue;
        if (s->field_snow && s->p.material[i] + 1 == s->material_count)
            s->field_snow_used = true;
        else
            s->phase_snow_used = true;
    }
}

double mpm_hardened_wave_speed2(const mpm_material *m, double jp) {
    double more = exp((double)m->law.hardening * fmax(1 - jp, 0));
    return mpm_wave_speed2(m) * fmin(more, MPM_USUAL_HARDENING * MPM_USUAL_HARDENING);
}

float mpm_rest_density(const void *model, size_t i) {
    const mpm_state *s = model;
    return s->materials[s->p.material[i]].law.density / fminf(s->p.jp[i], 1);
}

double mpm_enthalpy_of(const void *model, size_t i) {
    const mpm_state *s = model;
    return s->heat ? (double)s->materials[s->p.material[i]].mass * s->p.enthalpy[i] : 0;
}

typedef struct resting {
    mpm_particles *p;
    float speed2, dt;
} resting;

static void rest_some(void *context, size_t begin, size_t end) {
    const resting *r = context;
    for (size_t i = begin; i < end; i++) {
        const float *v = r->p->v[i];
        bool still = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < r->speed2;
        r->p->rest[i] = still ? r->p->rest[i] + r->dt : 0;
    }
}

const float *mpm_rest_times(void *model, double speed, double dt) {
    mpm_state *s = model;
    resting r = {&s->p, (float)(speed * speed), (float)dt};
    par_for(s->p.count, PARTICLES_PER_TASK, rest_some, &r);
    return s->p.rest;
}
