// Liquids, pins and constraints that come and go while the world runs.
#include <string.h>

#include "pbd/pbd_fluid.h"
#include "pbd/pbd_kinds.h"

static firn_status fill(pbd *s, pbd_fluid *f, const firn_pbd_def *def, size_t pool, uint32_t group) {
    size_t before = s->p.count;
    TRY(fluid_fill_pool(s, def->fluid, &def->fluid->pools.items[pool], group));
    TRY(fluid_make_room(s, f, before));
    return pbd_check_initial(s, "pbd");
}

static firn_status add_pool(pbd *s, const firn_pbd_def *def, const model_item *item) {
    pbd_fluid *f = pbd_data(s, &pbd_density);
    uint32_t group = (uint32_t)(def->solids.count + item->number);
    const pbd_counters counters = s->counters;
    size_t count = s->p.count;
    TRY(fluid_insert_groups(s, f, group, 1));
    firn_status status = fill(s, f, def, item->number, group);
    if (status != FIRN_OK) {
        s->p.count = count;
        s->counters = counters;
        fluid_remove_groups(s, f, group, 1);
    }
    fluid_set_uniform(s, f);
    return status;
}

// The kind whose constraints a list holds, of this scene or not; SIZE_MAX: none.
static size_t kind_of(const pbd *s, const char *list) {
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->kinds[k]->list && strcmp(s->kinds[k]->list, list) == 0) return k;
    return SIZE_MAX;
}

static firn_status add(void *model, const void *params, const model_setting *setting,
                       const model_item *item) {
    pbd *s = model;
    size_t kind = kind_of(s, item->list);
    s->setting.folder = setting->folder;
    s->setting.loading = setting->loading;
    firn_status status =
        kind == SIZE_MAX ? add_pool(s, params, item) : s->kinds[kind]->add(s, &s->data[kind], params, item);
    s->setting.folder = NULL;
    s->setting.loading = false;
    return status;
}

static firn_status take_out(void *model, const model_region *region) {
    pbd *s = model;
    pbd_fluid *f = pbd_data(s, &pbd_density);
    size_t kind = region->item ? kind_of(s, region->item->list) : SIZE_MAX;
    if (kind != SIZE_MAX) return s->kinds[kind]->take_out(s, s->data[kind], region->item->number);
    if (!f) return FIRN_OK;
    uint32_t group = region->item ? (uint32_t)region->item->number : 0;
    for (size_t k = 0; k < s->group_count; k++) group += s->groups[k].phase == PBD_SOLID;
    fluid_take_out(s, f, region, group, 1);
    return FIRN_OK;
}

const struct firn_model_growth pbd_growth = {add, take_out};
