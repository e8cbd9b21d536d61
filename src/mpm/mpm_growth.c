// Snow that comes and goes while the world runs.
#include <string.h>

#include "mpm/mpm_heat.h"

// Materials of pieces of snow come before those of emitters: these move up by one.
static void insert_material(mpm_state *s, mpm_material *materials, uint32_t at) {
    memcpy(materials, s->materials, at * sizeof *materials);
    memcpy(materials + at + 1, s->materials + at, (s->material_count - at) * sizeof *materials);
    s->materials = materials;
    s->p.materials = materials;
    s->material_count++;
    for (size_t i = 0; i < s->emitter_count; i++) s->emitters[i].material++;
    for (size_t i = 0; i < s->p.count; i++) s->p.material[i] += s->p.material[i] >= at;
}

static void remove_material(mpm_state *s, mpm_material *before, uint32_t at) {
    mem_free(s->materials);
    s->materials = before;
    s->p.materials = before;
    s->material_count--;
    for (size_t i = 0; i < s->emitter_count; i++) s->emitters[i].material--;
    for (size_t i = 0; i < s->p.count; i++) s->p.material[i] -= s->p.material[i] > at;
}

static firn_status add(void *model, const void *params, const model_setting *setting,
                       const model_item *item) {
    mpm_state *s = model;
    const firn_mpm_snow_def *def = &((const firn_mpm_def *)params)->snow.items[item->number];
    uint32_t at = (uint32_t)item->number;
    mpm_material *materials = mem_zero(s->material_count + 1, sizeof *materials), *before = s->materials;
    if (!materials) return fail_memory("adding snow", (s->material_count + 1) * sizeof *materials);
    const mpm_counters counters = s->counters;
    double sources = s->heat ? s->heat->totals.sources : 0;
    size_t count = s->p.count;
    insert_material(s, materials, at);
    s->setting.loading = setting->loading;
    firn_status status = mpm_add_snow(s, def, at, setting->folder);
    s->setting.loading = false;
    if (status == FIRN_OK) status = mpm_check_initial(s);
    if (status != FIRN_OK) {
        s->p.count = count;
        s->counters = counters;
        if (s->heat) s->heat->totals.sources = sources;
        remove_material(s, before, at);
        return status;
    }
    mem_free(before);
    if (!setting->loading) mpm_initial_dt_limits(s, def, at);
    s->def.snow.count++;
    s->shown = false;
    return FIRN_OK;
}

// From the highest index down the last particle, which stays, replaces one that goes.
static firn_status take_out(void *model, const model_region *region) {
    mpm_state *s = model;
    for (size_t i = s->p.count; i-- > 0;) {
        uint32_t material = s->p.material[i];
        if (region->item ? material != region->item->number
                         : !model_region_has(region, mpm_position(&s->p, i)))
            continue;
        s->counters.mass_out += (double)s->materials[material].mass;
        if (s->heat) s->heat->totals.sources -= (double)s->materials[material].mass * s->p.enthalpy[i];
        if (i != --s->p.count) mpm_copy_particle(&s->p, i, s->p.count);
    }
    s->shown = false;
    return FIRN_OK;
}

static bool heat(void *model, const model_region *region, double each) {
    mpm_state *s = model;
    if (!s->heat) return false;
    for (size_t i = 0; i < s->p.count; i++) {
        if (!model_region_has(region, mpm_position(&s->p, i))) continue;
        double before = s->p.enthalpy[i];
        s->p.enthalpy[i] = heat_added(&s->heat->law, before, each);
        s->heat->totals.sources += (double)s->materials[s->p.material[i]].mass * (s->p.enthalpy[i] - before);
    }
    s->shown = false;
    return true;
}

const struct firn_model_growth mpm_growth = {.add = add, .take_out = take_out, .heat = heat};
