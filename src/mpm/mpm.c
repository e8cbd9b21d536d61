#include "mpm/mpm_state.h"

#include <math.h>
#include <string.h>

double mpm_max_dt(const void *model) {
    const mpm_state *s = model;
    double wave = sqrt(s->book.stiffness), speed = sqrt(s->book.speed2);
    double dt = fmin(MPM_WAVE_CELLS * s->def.cell / fmax(wave, 1e-9),
                     MPM_MOVE_CELLS * s->def.cell / fmax(speed, 1e-9));
    return s->def.step > 0 ? fmin(dt, s->def.step) : dt;
}

double mpm_reach_limit(const mpm_state *s) {
    return fmin(1e8, (BLOCK_LIMIT - 2.0) * BLOCK_EDGE * s->def.cell);
}

static void copy_particle(mpm_particles *p, size_t to, size_t from) {
    memcpy(p->x[to], p->x[from], sizeof *p->x);
    memcpy(p->v[to], p->v[from], sizeof *p->v);
    memcpy(p->affine[to], p->affine[from], sizeof *p->affine);
    memcpy(p->strain[to], p->strain[from], sizeof *p->strain);
    memcpy(p->tau[to], p->tau[from], sizeof *p->tau);
    p->jp[to] = p->jp[from];
    p->id[to] = p->id[from];
    p->block[to] = p->block[from];
    p->material[to] = p->material[from];
}

void mpm_remove_fallen(mpm_state *s) {
    if (s->lowest >= (float)s->def.floor) return;
    mpm_particles *p = &s->p;
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (p->x[i][1] < (float)s->def.floor) {
            s->book.mass_out += s->materials[p->material[i]].mass;
            continue;
        }
        if (kept != i) copy_particle(p, kept, i);
        kept++;
    }
    p->count = kept;
}

firn_status mpm_resize(void *model, const char *name, size_t count) {
    mpm_state *s = model;
    if (strcmp(name, "mpm.book") == 0)
        return count == 4 ? FIRN_OK
                          : fail(FIRN_BAD_INPUT, "field 'mpm.book' has %zu values instead of 4", count);
    TRY(mpm_reserve(&s->p, count));
    s->p.count = count;
    s->shown = true; // not before all is loaded, please
    if (strcmp(name, "mpm.density") == 0) s->shown_loaded = true;
    return FIRN_OK;
}

firn_status mpm_loaded(void *model) {
    mpm_state *s = model;
    for (size_t i = 0; i < s->p.count; i++) {
        s->p.block[i] = BLOCK_NONE;
        if (s->p.material[i] >= s->material_count)
            return fail(FIRN_BAD_INPUT, "particle %zu is of no snow of this scene", i);
    }
    block_map_clear(&s->grid.map);
    s->shown = s->shown_loaded; // a frame holds what is shown, a checkpoint what it follows from
    s->shown_loaded = false;
    return FIRN_OK;
}

static double mpm_spacing(const void *model) {
    const mpm_state *s = model;
    return s->def.cell / cbrt((double)s->def.per_cell);
}

static profile *mpm_profile(void *model) { return &((mpm_state *)model)->passes; }

const model_class mpm_model = {
    .name = "mpm",
    .help = "snow as a continuum: blocks that fall, break, stick and pile up (material point method)",
    .create = mpm_create,
    .destroy = mpm_destroy,
    .max_dt = mpm_max_dt,
    .step = mpm_step,
    .fields = mpm_fields,
    .resize = mpm_resize,
    .loaded = mpm_loaded,
    .show = mpm_show,
    .spacing = mpm_spacing,
    .ledger = mpm_ledger,
    .sick = mpm_sick,
    .cost = mpm_cost,
    .profile = mpm_profile,
};
