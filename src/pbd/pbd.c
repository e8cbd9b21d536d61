// The class of the PBD model: what the world asks of it.
#include "pbd/pbd_state.h"

#include <math.h>

static double max_dt(const void *model) {
    (void)model;
    return INFINITY; // stable at any step; shorter ones are stiffer and more accurate
}

static profile *passes(void *model) { return &((pbd *)model)->passes; }

static firn_status may_change(void *model, const void *params, const model_setting *setting) {
    (void)setting;
    const pbd *s = model;
    const firn_pbd_def *def = params;
    for (size_t k = 0; k < def->solids.count; k++) {
        const firn_pbd_solid_def *solid = &def->solids.items[k];
        if ((solid->volume_stiffness > 0) != s->groups[k].keeps_volume)
            return fail(FIRN_BAD_INPUT,
                        "pbd.solids.%s.volume_stiffness cannot become %g Pa while the world runs: "
                        "conservation of volume cannot be switched on or off",
                        solid->name, solid->volume_stiffness);
    }
    return FIRN_OK;
}

double pbd_compliance(const firn_pbd_def *def, double stiffness, double plain_stiffness) {
    if (def->elasticity == FIRN_PBD_PLAIN) return plain_stiffness;
    return stiffness > 0 ? 1 / stiffness : 0;
}

void pbd_change(pbd *s, const firn_pbd_def *def, const model_setting *setting) {
    model_setting_update(&s->setting, setting);
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->data[k] && s->kinds[k]->changed) s->kinds[k]->changed(s, s->data[k], def, setting);
}

static void changed(void *model, const void *params, const model_setting *setting) {
    pbd *s = model;
    const firn_pbd_def *def = params;
    s->def = *def;
    s->def.solids.items = NULL, s->def.pins.items = NULL;
    s->def.box = NULL, s->def.fluid = NULL;
    for (size_t k = 0; k < def->solids.count; k++) pbd_take_surface(&s->groups[k], &def->solids.items[k]);
    pbd_change(s, def, setting);
}

const model_class pbd_model = {
    .name = "pbd",
    .help = "particles and constraints: soft and stiff solids, ropes and cloth (position-based dynamics)",
    .sections = &pbd_sections,
    .create = pbd_create,
    .destroy = pbd_destroy,
    .may_change = may_change,
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
    .growth = &pbd_growth,
    .offers = &pbd_offers,
};
