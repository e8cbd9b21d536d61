// The class of the MPM model: what the world asks of it.
#include "base/auto.h"
#include "mpm/mpm_heat.h"
#include "mpm/mpm_implicit.h"
#include "mpm/mpm_ranks.h"

#include <math.h>
#include <string.h>

double mpm_wave_limit(const firn_mpm_def *def, double wave_speed2) {
    double dt = MPM_WAVE_CELLS * def->cell / fmax(sqrt(wave_speed2), 1e-9);
    return def->implicit < 0.5 ? dt / sqrt(1 - 2 * def->implicit) : INFINITY;
}

// Never shorter than an explicit step would be.
static double implicit_limit(const mpm_state *s) {
    firn_mpm_def explicit_step = {.cell = s->def.cell};
    double wave = mpm_wave_limit(&explicit_step, s->counters.wave_speed2);
    double flow = fmax(wave, MPM_IMPLICIT_FLOW / fmax(s->counters.flow, 1e-9));
    return s->def.max_step > 0 ? flow : fmin(flow, MPM_IMPLICIT_WAVES * wave);
}

double mpm_max_dt(const void *model) {
    const mpm_state *s = model;
    double speed = sqrt(s->counters.speed2);
    double dt = fmin(mpm_wave_limit(&s->def, s->counters.wave_speed2),
                     MPM_MOVE_CELLS * s->def.cell / fmax(speed, 1e-9));
    if (s->def.implicit > 0) dt = fmin(dt, implicit_limit(s));
    return s->def.max_step > 0 ? fmin(dt, s->def.max_step) : dt;
}

double mpm_domain_limit(const mpm_state *s) {
    return fmin(1e8, (BLOCK_LIMIT - 2.0) * BLOCK_EDGE * s->def.cell);
}

firn_status mpm_resize(void *model, const char *name, size_t count) {
    mpm_state *s = model;
    mpm_ranks_forget(s); // its particles will be others
    if (strcmp(name, "mpm.solver") == 0)
        return count == MPM_SOLVER_STATS
                   ? FIRN_OK
                   : fail(FIRN_BAD_INPUT, "field 'mpm.solver' has %zu values instead of %d", count,
                          MPM_SOLVER_STATS);
    if (strcmp(name, "mpm.heat_totals") == 0)
        return count == MPM_HEAT_TOTALS
                   ? FIRN_OK
                   : fail(FIRN_BAD_INPUT, "field 'mpm.heat_totals' has %zu values instead of %d", count,
                          (int)MPM_HEAT_TOTALS);
    if (strcmp(name, "mpm.counters") == 0)
        return count == MPM_COUNTERS
                   ? FIRN_OK
                   : fail(FIRN_BAD_INPUT, "field 'mpm.counters' has %zu values instead of %d", count,
                          (int)MPM_COUNTERS);
    TRY(mpm_reserve(&s->p, count));
    s->p.count = count;
    s->shown = true; // derived fields wait until all fields are loaded
    if (strcmp(name, "mpm.density") == 0) s->shown_loaded = true;
    return FIRN_OK;
}

firn_status mpm_loaded(void *model) {
    mpm_state *s = model;
    for (size_t i = 0; i < s->p.count; i++) {
        s->p.block[i] = BLOCK_NONE;
        if (s->p.material[i] >= s->material_count)
            return fail(FIRN_BAD_INPUT,
                        "mpm.snow: particle %zu has the unknown snow index %u; this scene has %zu", i,
                        s->p.material[i], s->material_count);
    }
    mpm_clear_blocks(&s->grid);
    s->shown = s->shown_loaded; // a frame holds the derived fields, a checkpoint the state
    s->shown_loaded = false;
    return FIRN_OK;
}

static double mpm_spacing(const void *model) {
    const mpm_state *s = model;
    return s->def.cell / cbrt((double)s->def.per_cell);
}

static profile *mpm_profile(void *model) { return &((mpm_state *)model)->passes; }

static const firn_mpm_snow_def *snow_of(const firn_mpm_def *def, size_t material) {
    size_t pieces = def->snow.count;
    return material < pieces ? &def->snow.items[material] : &def->emit.items[material - pieces].snow;
}

static firn_status may_change(void *model, const void *params, const model_setting *setting) {
    (void)setting;
    mpm_state *s = model;
    const firn_mpm_def *def = params;
    if ((def->implicit > 0) != (s->solver != NULL))
        return fail(FIRN_BAD_INPUT,
                    "mpm.implicit cannot become %g while the world runs: explicit and semi-implicit steps "
                    "cannot replace each other",
                    def->implicit);
    if ((def->heat != NULL) != (s->heat != NULL))
        return fail(FIRN_BAD_INPUT, "mpm.heat cannot come or go while the world runs");
    for (size_t i = 0; i < s->emitter_count; i++) TRY(mpm_emitter_may_change(s, &def->emit.items[i], i));
    return FIRN_OK;
}

static void changed(void *model, const void *params, const model_setting *setting) {
    mpm_state *s = model;
    const firn_mpm_def *def = params;
    model_setting_update(&s->setting, setting);
    s->def = *def;
    s->def.snow.items = NULL, s->def.emit.items = NULL, s->def.remove.items = NULL;
    s->def.heat = NULL;
    if (s->heat) mpm_heat_change(s, def->heat);
    // The stress of the next step is the old one, and so is the wave speed that limits it.
    for (size_t i = 0; i < s->material_count; i++) {
        mpm_material *m = &s->materials[i];
        float mass = m->mass;
        double volume = m->volume;
        if (!mpm_guest_snow_of(s, setting->def, i, m))
            *m = mpm_material_of(setting->def, snow_of(def, i), def->cell, volume);
        m->mass = mass;
    }
    for (size_t i = 0; i < s->emitter_count; i++) mpm_emitter_change(s, &def->emit.items[i], i);
    mpm_set_planes(s, def);
    s->shown = false;
}

static model_look mpm_look(const void *model, size_t number) {
    (void)number;
    double spacing = mpm_spacing(model);
    // Half of the spacing, and a little overlap.
    return (model_look){
        .kind = MODEL_SURFACE, .name = "", .spacing = spacing, .radius = 0.6 * spacing, .color = AUTO_COLOR};
}
static const model_drawing mpm_drawing = {.position = "mpm.position", .look = mpm_look};

const model_class mpm_model = {
    .name = "mpm",
    .help = "snow as a continuum: blocks that fall, break, stick and pile up (material point method)",
    .sections = &mpm_sections,
    .create = mpm_create,
    .destroy = mpm_destroy,
    .may_change = may_change,
    .changed = changed,
    .max_dt = mpm_max_dt,
    .step = mpm_step,
    .fields = mpm_field_tables,
    .resize = mpm_resize,
    .loaded = mpm_loaded,
    .show = mpm_show,
    .spacing = mpm_spacing,
    .ledger = mpm_ledger,
    .series = mpm_series_tables,
    .find_invalid = mpm_find_invalid,
    .cost = mpm_cost,
    .profile = mpm_profile,
    .drawing = &mpm_drawing,
    .growth = &mpm_growth,
    .ranks = &mpm_model_ranks,
    .offers = &mpm_offers,
};
