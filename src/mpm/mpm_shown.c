// Derived fields, computed on first access, in the scratch memory of the sort.
#include <math.h>
#include <string.h>

#include "mpm/mpm_heat.h"
#include "par/par.h"

enum { SHOWN_BLOCK = 16384 };
_Static_assert(sizeof(float[5]) <= sizeof(float[9]), "the arrays fit into the scratch memory");

float *mpm_shown_density(const mpm_particles *p) { return (float *)(void *)p->scratch; }
float *mpm_shown_pressure(const mpm_particles *p) { return mpm_shown_density(p) + p->capacity; }
float *mpm_shown_mass(const mpm_particles *p) { return mpm_shown_pressure(p) + p->capacity; }
float *mpm_shown_temperature(const mpm_particles *p) { return mpm_shown_mass(p) + p->capacity; }
float *mpm_shown_wetness(const mpm_particles *p) { return mpm_shown_temperature(p) + p->capacity; }

// J_E from the left Cauchy-Green strain b = F_E F_E^T: det b = J_E^2.
static float elastic_volume(const float e[6]) {
    float xx = 1 + e[0], xy = e[1], xz = e[2], yy = 1 + e[3], yz = e[4], zz = 1 + e[5];
    float det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    return sqrtf(fmaxf(det, 1e-12f));
}

float mpm_density(const mpm_particles *p, size_t i) {
    return p->materials[p->material[i]].law.density / (elastic_volume(p->strain[i]) * p->jp[i]);
}

static void show_range(void *context, size_t begin, size_t end) {
    const mpm_state *s = context;
    const mpm_particles *p = &s->p;
    float *density = mpm_shown_density(p), *pressure = mpm_shown_pressure(p), *mass = mpm_shown_mass(p),
          *temperature = mpm_shown_temperature(p), *wetness = mpm_shown_wetness(p);
    for (size_t i = begin; i < end; i++) {
        const mpm_material *m = &s->materials[p->material[i]];
        float elastic = elastic_volume(p->strain[i]), *tau = p->tau[i];
        mass[i] = m->mass;
        temperature[i] = s->heat ? (float)heat_temperature(&s->heat->law, p->enthalpy[i]) : m->temperature;
        if (s->heat) wetness[i] = (float)heat_melted(&s->heat->law, p->enthalpy[i]);
        density[i] = m->law.density / (elastic * p->jp[i]);
        // Kirchhoff stress is J times Cauchy's; the law's volume is relative to the plastically deformed
        // state.
        pressure[i] = -(tau[0] + tau[3] + tau[5]) / (3 * m->law.volume * elastic);
    }
}

void mpm_show(void *model) {
    mpm_state *s = model;
    if (s->shown) return;
    par_for(s->p.count, SHOWN_BLOCK, show_range, s);
    s->shown = true;
}
