// The class of the phase model: what the world asks of it.
#include "phase/phase_state.h"

static double max_dt(const void *model) { return ((const phase *)model)->def.max_step; }

static bool find_invalid(const void *model, uint64_t *item, const char **what) {
    return pbd_find_invalid(((const phase *)model)->s, item, what);
}

// Of grains, which stand apart the farthest; of water if there are none.
static double spacing(const void *model) { return ((const phase *)model)->widest; }

static profile *passes(void *model) { return &((phase *)model)->s->passes; }

static firn_status may_change(void *model, const void *params, const model_setting *setting) {
    (void)setting;
    const firn_phase_heat_def *now = &((const phase *)model)->def.heat,
                              *def = &((const firn_phase_def *)params)->heat;
    if (def->air.count > 0 && def->time_lapse != now->time_lapse)
        return fail(FIRN_BAD_INPUT,
                    "phase.heat.time_lapse cannot change: the times of phase.heat.air are counted with it");
    return FIRN_OK;
}

const model_class phase_model = {
    .name = "phase",
    .help = "snow that melts and water that freezes: grains, drops, links and heat",
    .sections = &phase_sections,
    .create = phase_create,
    .destroy = phase_destroy,
    .may_change = may_change,
    .changed = phase_changed,
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
    .growth = &phase_growth,
    .offers = &phase_offers,
};
