#include "phase/phase_state.h"

static double max_dt(const void *model) { return ((const phase *)model)->def.step; }

static bool find_invalid(const void *model, uint64_t *item, const char **what) {
    return pbd_find_invalid(((const phase *)model)->s, item, what);
}

// Of grains, which stand apart the farthest; of water if there are none.
static double spacing(const void *model) { return ((const phase *)model)->widest; }

static profile *passes(void *model) { return &((phase *)model)->s->passes; }

static void changed(void *model, const void *params, const model_setting *setting) {
    phase *m = model;
    const firn_phase_def *def = params;
    model_setting_update(&m->s->setting, setting);
    if (m->heat && def->heat.air.count == 0) heat_set_air(m->heat, setting->air_temperature);
}

const model_class phase_model = {
    .name = "phase",
    .help = "snow that melts and water that freezes: grains, drops, links and heat",
    .sections = &phase_sections,
    .create = phase_create,
    .destroy = phase_destroy,
    .changed = changed,
    .max_dt = max_dt,
    .step = phase_step,
    .fields = phase_field_tables,
    .resize = phase_resize,
    .loaded = phase_loaded,
    .show = phase_show,
    .spacing = spacing,
    .ledger = phase_ledger,
    .series = phase_series_tables,
    .find_invalid = find_invalid,
    .cost = phase_cost,
    .profile = passes,
    .drawing = &phase_drawing,
};
