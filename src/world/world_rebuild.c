// Models that are rebuilt while a world runs, and take over its state.
#include <string.h>

#include "geom/shape_solid.h"
#include "world/world_change.h"

static bool has_entries(const change_record *r, const char *field) {
    const char *fields = r ? world_maps[r->map].fields : NULL;
    return fields && strncmp(field, fields, strlen(fields)) == 0;
}

static void copy_entries(const change_record *r, const firn_field *from, const firn_field *to) {
    char *out = (char *)to->data; // of models that are being made
    size_t item = from->components * (from->type == FIRN_F64 || from->type == FIRN_U64 ? 8 : 4);
    bool one_less = r->removed && has_entries(r, from->name);
    size_t kept = one_less ? r->number : from->count; // what was added stays as it was made
    if (kept) memcpy(out, from->data, kept * item);
    size_t left = one_less ? (from->count - kept - 1) * item : 0;
    if (left) memcpy(out + kept * item, (const char *)from->data + (kept + 1) * item, left);
}

static firn_status take_state(const firn_world *world, const change_record *r, firn_world *next) {
    for (size_t i = 0; i < world->fields; i++) {
        const firn_field *f = &world->field[i];
        if (world->field_of[i] == UINT32_MAX || !(f->flags & FIRN_FIELD_STATE) || has_entries(r, f->name))
            continue;
        TRY(world_field_resize(next, f->name, f->count));
    }
    for (size_t i = 0; i < world->fields; i++) {
        const firn_field *f = &world->field[i];
        if (world->field_of[i] == UINT32_MAX || !(f->flags & FIRN_FIELD_STATE)) continue;
        for (size_t k = 0; k < next->fields; k++)
            if (next->field[k].name == f->name) copy_entries(r, f, &next->field[k]);
    }
    return FIRN_OK;
}

static void destroy_models(firn_world *world) {
    while (world->members > 0) {
        world_member *last = &world->member[--world->members];
        last->kind->destroy(last->state);
    }
    mem_free(world->member);
    mem_free(world->steps);
    mem_free(world->clocks.order);
    mem_free(world->field);
    mem_free(world->field_of);
}

firn_status world_model_add(firn_world *world, size_t map, bool loading) {
    const char *name = world_maps[map].name;
    const param_row *row;
    item_array *list;
    TRY(change_list(world->def, map, &row, &list));
    model_setting setting = world_setting(world->def);
    setting.time = world->clock.time;
    setting.loading = loading;
    model_item item = {name, list->count - 1, world_bodies(world)};
    for (size_t i = 0; i < world->members; i++) {
        const model_class *kind = world->member[i].kind;
        size_t length = strlen(kind->name);
        if (strncmp(name, kind->name, length) == 0 && name[length] == '.')
            return kind->growth->add(world->member[i].state, world_section(world->def, kind), &setting,
                                     &item);
    }
    return FIRN_OK;
}

// Models as at the start, with the sources and bodies of now; then what was added comes in, in its order.
static firn_status create_models(const firn_world *before, firn_world *next) {
    const param_row *row;
    item_array *list, *old;
    for (size_t map = 0; map < MAPS; map++)
        if (world_maps[map].by_model && change_list(next->def, map, &row, &list) == FIRN_OK &&
            change_list(next->start, map, &row, &old) == FIRN_OK)
            list->count = old->count;
    TRY(world_add_models(next, next->def, before));
    change_record r;
    const char *data;
    bool damaged;
    for (size_t at = 0; change_next(&next->log, &at, &r, &data, &damaged);) {
        if (r.removed || !world_maps[r.map].by_model) continue;
        TRY(change_list(next->def, r.map, &row, &list));
        list->count++;
        TRY(world_model_add(next, r.map, true));
    }
    return FIRN_OK;
}

// New models for next->def, created with the values of next->made. r: they take over the state of `world`.
static firn_status make_models(const firn_world *world, const change_record *r, double *before, double *now,
                               firn_world *next) {
    world_live_copy(next->def, before, true);
    solids_hold();
    firn_status status = create_models(r ? world : NULL, next);
    solids_release();
    if (status == FIRN_OK) status = world_make_room(next);
    if (status == FIRN_OK) status = world_couple(next);
    if (status != FIRN_OK) return status;
    world_live_copy(next->def, now, true);
    world_fetch_fields(next);
    if (!r) return FIRN_OK;
    TRY(take_state(world, r, next));
    world_tell_models(next, true);
    for (size_t i = 0; i < next->members; i++)
        if (next->member[i].kind->loaded) TRY(next->member[i].kind->loaded(next->member[i].state));
    return FIRN_OK;
}

// What programs keep on bodies goes along with their names.
static void take_users(const firn_world *world, firn_world *next) {
    const body_set *from = world->member[0].state;
    body_set *to = next->member[0].state;
    for (size_t b = 0; b < body_count(to); b++) {
        size_t before = body_find(from, body_name(to, b));
        if (before != SIZE_MAX) body_set_user(to, b, body_user(from, before));
    }
}

firn_status world_read_live(firn_world_def *def, firn_world_def *made, double **live, size_t *count) {
    *count = world_live_copy(def, NULL, false);
    *live = mem_zero(2 * *count + 1, sizeof **live);
    if (!*live) return fail_memory("changing a world", 2 * *count * sizeof **live);
    world_live_copy(def, *live, false);
    world_live_copy(made, *live + *count, false);
    return FIRN_OK;
}

void world_set_live(firn_world *world, double *live, size_t count, bool changed) {
    mem_free(world->live.value);
    world->live.value = live, world->live.before = live + count, world->live.count = changed ? count : 0;
    for (size_t i = 0; i < world->track_count; i++)
        world->tracks[i].at =
            param_locate(&world_params, world->def, world->tracks[i].name, &world->tracks[i].row);
}

// Takes over new defs and models; nothing fails.
static void swap_models(firn_world *world, firn_world *next) {
    take_users(world, next);
    for (size_t i = 0; i < next->members; i++) next->member[i].seconds = world->member[i].seconds;
    memcpy(next->steps, world->steps, next->members * sizeof *next->steps); // the same models
    for (size_t k = 0; k < next->coupling_count; k++)
        next->couplings[k].seconds = world->couplings[k].seconds;
    world_uncouple(world);
    destroy_models(world);
    arena_free(&world->lists);
    world->lists = next->lists;
    world->def = next->def, world->made = next->made;
    world->member = next->member, world->members = next->members;
    world->steps = next->steps, world->clocks = next->clocks;
    world->field = next->field, world->field_of = next->field_of;
    world->couplings = next->couplings, world->coupling_count = next->coupling_count;
    world->bodies_changed = next->bodies_changed;
    memset(world->room, 0, MAPS * sizeof *world->room);
}

static bool has_body_records(const text *log) {
    change_record r;
    const char *data;
    bool damaged, found = false;
    for (size_t at = 0; change_next(log, &at, &r, &data, &damaged);) found |= r.map == MAP_BODIES;
    return found;
}

firn_status world_rebuild(firn_world *world, firn_world_def *def, firn_world_def *made, arena *lists,
                          const change_record *r) {
    TRY(param_validate(&world_params, def));
    double *live;
    size_t count;
    TRY(world_read_live(def, made, &live, &count));
    firn_world next = *world;
    next.def = def, next.made = made, next.lists = *lists;
    next.member = NULL, next.members = 0, next.steps = NULL;
    memset(&next.clocks, 0, sizeof next.clocks);
    next.couplings = NULL, next.coupling_count = 0;
    next.field = NULL, next.field_of = NULL, next.fields = 0;
    next.bodies_changed = has_body_records(&world->log);
    firn_status status = make_models(world, r, live + count, live, &next);
    if (status != FIRN_OK) {
        world_uncouple(&next);
        destroy_models(&next);
        mem_free(live);
        return status;
    }
    swap_models(world, &next);
    world_set_live(world, live, count, r && world->live.count > 0);
    world_couplings_begin(world);
    world_fetch_fields(world);
    world_events_restart(world); // held contacts name bodies by number
    return FIRN_OK;
}
