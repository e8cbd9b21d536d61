#include "pbd/pbd_state.h"

#include <math.h>

static double max_dt(const void *model) {
    (void)model;
    return INFINITY; // stable at any step; shorter ones are stiffer and more accurate
}

static profile *passes(void *model) { return &((pbd *)model)->passes; }

static void changed(void *model, const void *params, const model_setting *setting) {
    (void)params;
    model_setting_update(&((pbd *)model)->setting, setting);
}

const model_class pbd_model = {
    .name = "pbd",
    .help = "particles and constraints: soft and stiff solids, ropes and cloth (position-based dynamics)",
    .sections = &pbd_sections,
    .create = pbd_create,
    .destroy = pbd_destroy,
    .changed = changed,
    .max_dt = max_dt,
    .step = pbd_step,
    .fields = pbd_field_tables,
    .resize = pbd_resize,
    .loaded = pbd_loaded,
    .show = pbd_show,
    .ledger = pbd_ledger,
    .series = pbd_series_tables,
    .find_invalid = pbd_find_invalid,
    .cost = pbd_cost,
    .profile = passes,
    .drawing = &pbd_drawing,
};
