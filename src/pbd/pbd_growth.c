// Solids, liquids, pins and constraints that come and go while the world runs.
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

// ---- solids

static void rotate(pbd *s, size_t first, size_t middle, size_t end) {
    pbd_fluid *f = pbd_data(s, &pbd_density);
    pbd_rotate(s, first, middle, end);
    if (!f) return;
    pbd_rotate_list(f->pressure, sizeof *f->pressure, first, middle, end);
    pbd_rotate_list(f->lambda, sizeof *f->lambda, first, middle, end);
}

static firn_status remake_kinds(pbd *s, const firn_pbd_def *def, const pbd_solid_change *change) {
    void *data[PBD_KINDS];
    firn_status status = FIRN_OK;
    memcpy(data, s->data, sizeof data);
    for (size_t k = 0; k < s->kind_count && status == FIRN_OK; k++)
        if (s->kinds[k]->remake) status = s->kinds[k]->remake(s, def, change, &data[k]);
    for (size_t k = 0; k < s->kind_count; k++) {
        if (data[k] == s->data[k]) continue;
        void *unused = status == FIRN_OK ? s->data[k] : data[k];
        if (status == FIRN_OK) s->data[k] = data[k];
        if (unused) s->kinds[k]->destroy(unused);
    }
    return status;
}

// From its particles, which are the last, on.
static firn_status put_in_place(pbd *s, const firn_pbd_def *def, size_t number, size_t before) {
    size_t first = s->p.solids, count = s->p.count - before;
    const pbd_solid_change change = {number, first, count, false};
    rotate(s, first, before, s->p.count);
    s->p.solids += count;
    pbd_find_solids(s);
    firn_status status = s->setting.loading ? FIRN_OK : pbd_check_duplicates(s, def, first);
    if (status == FIRN_OK && !s->setting.loading) status = pbd_check_initial(s, "pbd");
    if (status == FIRN_OK) status = remake_kinds(s, def, &change);
    if (status == FIRN_OK) return FIRN_OK;
    rotate(s, first, first + count, s->p.count);
    s->p.solids = first;
    return status;
}

static firn_status add_solid(pbd *s, const firn_pbd_def *def, const model_item *item) {
    pbd_fluid *f = pbd_data(s, &pbd_density);
    uint32_t group = (uint32_t)item->number;
    const pbd_counters counters = s->counters;
    size_t count = s->p.count;
    TRY(fluid_insert_groups(s, f, group, 1));
    firn_status status = pbd_add_solid(s, &def->solids.items[group], group);
    if (status == FIRN_OK && f) status = fluid_make_room(s, f, count);
    if (status == FIRN_OK) status = put_in_place(s, def, group, count);
    if (status != FIRN_OK) {
        s->p.count = count;
        s->counters = counters;
        fluid_remove_groups(s, f, group, 1);
        pbd_find_solids(s);
    }
    if (f) fluid_set_uniform(s, f);
    return status;
}

static firn_status remove_solid(pbd *s, size_t number) {
    pbd_fluid *f = pbd_data(s, &pbd_density);
    const pbd_group *group = &s->groups[number];
    const pbd_solid_change change = {number, group->first, group->count, true};
    size_t end = s->p.count;
    if (f) TRY(fluid_reserve(s, f));
    rotate(s, change.first, change.first + change.count, end); // behind all others
    s->p.count -= change.count, s->p.solids -= change.count;
    pbd_find_solids(s);
    firn_status status = remake_kinds(s, s->setting.def->pbd, &change);
    if (status == FIRN_OK)
        s->counters.mass_out += (double)change.count * group->mass;
    else {
        s->p.count += change.count, s->p.solids += change.count;
        rotate(s, change.first, end - change.count, end);
        pbd_find_solids(s);
    }
    if (f) fluid_set_uniform(s, f);
    return status;
}

// ---- all of them

static bool is_solid(const model_item *item) { return strcmp(item->list, "pbd.solids") == 0; }

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
    firn_status status;
    if (is_solid(item))
        status = add_solid(s, params, item);
    else if (kind == SIZE_MAX)
        status = add_pool(s, params, item);
    else
        status = s->kinds[kind]->add(s, &s->data[kind], params, item);
    s->setting.folder = NULL;
    s->setting.loading = false;
    return status;
}

static firn_status take_out(void *model, const model_region *region) {
    pbd *s = model;
    pbd_fluid *f = pbd_data(s, &pbd_density);
    size_t kind = region->item ? kind_of(s, region->item->list) : SIZE_MAX;
    if (kind != SIZE_MAX) return s->kinds[kind]->take_out(s, s->data[kind], region->item->number);
    if (region->item && is_solid(region->item)) return remove_solid(s, region->item->number);
    if (!f) return FIRN_OK;
    uint32_t group = region->item ? (uint32_t)region->item->number : 0;
    for (size_t k = 0; k < s->group_count; k++) group += s->groups[k].phase == PBD_SOLID;
    fluid_take_out(s, f, region, group, 1);
    return FIRN_OK;
}

const struct firn_model_growth pbd_growth = {.add = add, .take_out = take_out};
