// Bodies, matter and sources that are added and removed while the world runs. Matter goes into the model as
// it is; for bodies and sources the models are rebuilt and take over the present state: what a restart
// does. The log of all changes is state, so that a checkpoint can be loaded into a world of the original
// scene.
#include "world/world_change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cookie.h"
#include "body/place_rows.h"
#include "geom/shape.h"
#include "math/dvec.h"
#include "world/surface.h"

#define SOURCE_TIMES(type, times) .start = offsetof(type, times start), .end = offsetof(type, times end)
const growing_map world_maps[MAPS] = {
    [MAP_BODIES] = {.name = "bodies", .fields = "bodies."},
    [MAP_POURS] = {.name = "field.pour", .fields = "field.poured", SOURCE_TIMES(firn_snowfield_pour_def, )},
    [MAP_EMITTERS] = {.name = "mpm.emit", SOURCE_TIMES(firn_mpm_emit_def, )},
    [MAP_SPOUTS] = {.name = "pbd.fluid.spouts",
                    .fields = "pbd.spouted",
                    SOURCE_TIMES(firn_pbd_spout_def, opening.)},
    [MAP_PHASE_SPOUTS] = {.name = "phase.spouts",
                          .fields = "phase.spouted",
                          SOURCE_TIMES(firn_phase_spout_def, opening.)},
    [MAP_MPM_SNOW] = {.name = "mpm.snow", .by_model = true},
    [MAP_GRAINS] = {.name = "grains.fill", .by_model = true},
    [MAP_POOLS] = {.name = "pbd.fluid.pools", .by_model = true},
    [MAP_PHASE_SNOW] = {.name = "phase.snow", .by_model = true},
    [MAP_PHASE_WATER] = {.name = "phase.water", .by_model = true},
    [MAP_PINS] = {.name = "pbd.pins", .by_model = true, .holds = offsetof(firn_pbd_pin_def, body)},
    [MAP_CONSTRAINTS] = {.name = "pbd.constraints", .by_model = true},
    [MAP_SOLIDS] = {.name = "pbd.solids", .by_model = true},
};

static size_t padded(size_t bytes) { return (bytes + 3) / 4 * 4; }

static field_span log_words(const void *model) {
    static uint32_t none; // an empty field has an address, too
    const firn_world *world = model;
    size_t count = world->log.length / sizeof none;
    return (field_span){.data = count ? (void *)world->log.data : &none, .count = count};
}
const field_row world_log_row = {
    .name = "world.changes",
    .unit = "",
    .help = "what was added and removed while the world ran, one record after the other",
    .type = FIRN_U32,
    .components = 1,
    .flags = FIRN_FIELD_STATE,
    .get = log_words,
};

bool change_next(const text *log, size_t *at, change_record *r, const char **data, bool *damaged) {
    *damaged = false;
    if (*at >= log->length) return false;
    *damaged = true;
    if (log->length - *at < sizeof *r) return false;
    memcpy(r, log->data + *at, sizeof *r);
    *at += sizeof *r;
    if (r->map >= MAPS || log->length - *at < padded(r->bytes)) return false;
    *data = log->data + *at;
    *at += padded(r->bytes);
    *damaged = false;
    return true;
}

static firn_status add_record(text *log, const change_record *r, const text *data) {
    static const char zero[4] = {0};
    text_add_bytes(log, (const char *)r, sizeof *r);
    text_add_bytes(log, data->data, data->length);
    text_add_bytes(log, zero, padded(r->bytes) - r->bytes);
    return log->failed ? fail_memory("recording a change of the world", r->bytes) : FIRN_OK;
}

double world_removed_bodies(const firn_world *world) {
    change_record r;
    const char *data;
    bool damaged;
    double mass = 0;
    for (size_t at = 0; change_next(&world->log, &at, &r, &data, &damaged);) {
        change_removal removal;
        if (!r.removed || r.map != MAP_BODIES || r.bytes < sizeof removal) continue;
        memcpy(&removal, data, sizeof removal);
        mass += removal.mass;
    }
    return mass;
}

// ---- changes of a def

static firn_world_def *copy_def(const firn_world_def *def, arena *memory) {
    return param_copy(&world_params, def, memory); // tracks and folder stay where they are
}

firn_status world_keep_start(firn_world *world) {
    world->start = copy_def(world->def, &world->memory);
    world->made = copy_def(world->def, &world->memory);
    world->room = mem_zero(MAPS, sizeof *world->room);
    return world->start && world->made && world->room ? FIRN_OK
                                                      : fail_memory("creating a world", sizeof *world->made);
}

firn_status change_list(firn_world_def *def, size_t map, const param_row **row, item_array **list) {
    *list = param_locate(&world_params, def, world_maps[map].name, row);
    if (*list) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "cannot add to '%s': the scene of this world has no such section",
                world_maps[map].name);
}

// room: what the list has room for; 0: only for its items.
static firn_status add_to(firn_world_def *def, const change_record *r, const char *data, size_t room,
                          arena *memory, size_t *new_room) {
    const param_row *row;
    item_array *list;
    TRY(change_list(def, r->map, &row, &list));
    size_t size = row->table->size, count = list->count;
    char *items = list->items;
    if (room <= count) {
        room = count + 1 + count / 2;
        items = arena_alloc(memory, room * size);
        if (!items) return fail_memory("adding to a world", room * size);
        if (count > 0) memcpy(items, list->items, count * size);
    }
    uint32_t length = 0;
    if (r->bytes >= sizeof length) memcpy(&length, data, sizeof length);
    size_t before = sizeof length + length;
    if (before > r->bytes) return fail(FIRN_BAD_INPUT, "a record of what was added is damaged");
    const char *name = arena_text(memory, data + sizeof length, length);
    if (!name) return fail_memory("adding to a world", length);
    memset(items + count * size, 0, size);
    TRY(param_unpack(row->table, data + before, r->bytes - before, memory, items + count * size));
    memcpy(items + count * size, &name, sizeof name);
    *list = (item_array){items, count + 1};
    *new_room = room;
    return FIRN_OK;
}

// Constraints find a solid that was removed under its other name.
static void rename_solid(firn_world_def *def, const char *from, const char *to) {
    for (size_t i = 0; i < def->pbd->constraints.count; i++) {
        const firn_pbd_constraint_def *c = &def->pbd->constraints.items[i];
        for (size_t k = 0; k < c->particles.count; k++) {
            firn_pbd_particle_def *particle = (firn_pbd_particle_def *)&c->particles.items[k];
            if (text_equal(particle->solid, from)) particle->solid = to;
        }
    }
}

// A body goes; others get a name that nobody asks for, and sources end.
static firn_status remove_from(firn_world_def *def, const change_record *r, const char *data, arena *memory) {
    const param_row *row;
    item_array *list;
    change_removal removal;
    TRY(change_list(def, r->map, &row, &list));
    size_t size = row->table->size;
    if (r->number >= list->count || r->bytes < sizeof removal)
        return fail(FIRN_BAD_INPUT, "a record of what was removed is damaged");
    memcpy(&removal, data, sizeof removal);
    char *item = list->items + r->number * size;
    if (r->map == MAP_BODIES) {
        memmove(item, item + size, (--list->count - r->number) * size);
        return FIRN_OK;
    }
    const char *other = item;
    char name[32];
    for (size_t n = 0; other; n++) {
        snprintf(name, sizeof name, "removed-%zu", n);
        other = NULL;
        for (size_t i = 0; i < list->count && !other; i++) {
            memcpy(&other, list->items + i * size, sizeof other);
            if (!text_equal(other, name)) other = NULL;
        }
    }
    const char *kept = arena_text(memory, name, strlen(name));
    if (!kept) return fail_memory("removing from a world", sizeof name);
    memcpy(&other, item, sizeof other);
    if (r->map == MAP_SOLIDS) rename_solid(def, other, kept);
    memcpy(item, &kept, sizeof kept);
    const growing_map *map = &world_maps[r->map];
    const char *nothing = NULL;
    if (map->holds) memcpy(item + map->holds, &nothing, sizeof nothing);
    if (!map->end) return FIRN_OK;
    double *start = (double *)(item + map->start), *end = (double *)(item + map->end);
    if (*start < removal.time)
        *end = fmin(*end, removal.time);
    else
        *start = 5e8, *end = 1e9; // never
    return FIRN_OK;
}

static firn_status apply(firn_world_def *def, const change_record *r, const char *data, arena *memory) {
    size_t room;
    return r->removed ? remove_from(def, r, data, memory) : add_to(def, r, data, 0, memory, &room);
}

// ---- changes of a world

// All models anew.
static firn_status change_all(firn_world *world, const change_record *r, const text *data) {
    arena lists = {0};
    firn_world_def *def = copy_def(world->def, &lists), *made = copy_def(world->made, &lists);
    firn_status status = def && made ? FIRN_OK : fail_memory("changing a world", sizeof *def);
    if (status == FIRN_OK) status = apply(def, r, data->data, &lists);
    if (status == FIRN_OK) status = apply(made, r, data->data, &lists);
    if (status == FIRN_OK) status = world_rebuild(world, def, made, &lists, r);
    if (status != FIRN_OK) arena_free(&lists);
    return status;
}

// Matter that goes, or a source.
static firn_status take_out(firn_world *world, const model_region *region) {
    const char *list = region->item ? region->item->list : NULL;
    for (size_t i = 0; i < world->members; i++) {
        const model_class *kind = world->member[i].kind;
        size_t length = strlen(kind->name);
        bool own = !list || (strncmp(list, kind->name, length) == 0 && list[length] == '.');
        if (own && kind->growth) TRY(kind->growth->take_out(world->member[i].state, region));
    }
    return FIRN_OK;
}

static firn_status change_model(firn_world *world, const change_record *r) {
    if (!world_maps[r->map].by_model) return FIRN_OK; // a source, which the def has closed
    if (!r->removed) return world_model_add(world, r->map, false);
    const model_item item = {world_maps[r->map].name, r->number, world_bodies(world)};
    return take_out(world, &(model_region){.item = &item});
}

static firn_status try_in_place(firn_world *world, const change_record *r, const text *data) {
    firn_world_def *defs[] = {world->def, world->made};
    size_t room = world->room[r->map], count;
    for (int k = 0; k < 2; k++)
        TRY(r->removed ? remove_from(defs[k], r, data->data, &world->lists)
                       : add_to(defs[k], r, data->data, room, &world->lists, &world->room[r->map]));
    TRY(param_validate(&world_params, world->def));
    double *live;
    TRY(world_read_live(world->def, world->made, &live, &count));
    firn_status status = change_model(world, r);
    if (status != FIRN_OK) {
        mem_free(live);
        return status;
    }
    world_set_live(world, live, count, world->live.count > 0); // nothing fails from here on
    world_tell_models(world, true);
    return FIRN_OK;
}

static void take_back_name(firn_world_def *def, const void *now, const void *before) {
    const char *name[2];
    memcpy(&name[0], now, sizeof name[0]);
    memcpy(&name[1], before, sizeof name[1]);
    rename_solid(def, name[0], name[1]);
}

// The model takes the item in or out; the defs are changed where they are.
static firn_status change_in_place(firn_world *world, const change_record *r, const text *data) {
    const param_row *row;
    item_array *list[2], before[2];
    TRY(change_list(world->def, r->map, &row, &list[0]));
    TRY(change_list(world->made, r->map, &row, &list[1]));
    size_t size = row->table->size, room = world->room[r->map], at = r->number * size;
    firn_world_def *defs[] = {world->def, world->made};
    char *item = mem_alloc(2 * size);
    if (!item) return fail_memory("changing a world", 2 * size);
    for (size_t k = 0; k < 2; k++) {
        before[k] = *list[k];
        if (r->removed) memcpy(item + k * size, list[k]->items + at, size);
    }
    firn_status status = try_in_place(world, r, data);
    for (size_t k = 0; k < 2 && status != FIRN_OK; k++) {
        if (r->removed && r->map == MAP_SOLIDS) take_back_name(defs[k], list[k]->items + at, item + k * size);
        *list[k] = before[k];
        if (r->removed) memcpy(list[k]->items + at, item + k * size, size);
        world->room[r->map] = room;
    }
    mem_free(item);
    return status;
}

static firn_status change(firn_world *world, const change_record *r, const text *data) {
    if (data->failed) return fail_memory("recording a change of the world", r->bytes);
    size_t before = world->log.length;
    firn_status status = add_record(&world->log, r, data);
    if (status == FIRN_OK)
        status = world_maps[r->map].by_model || (r->removed && r->map != MAP_BODIES)
                     ? change_in_place(world, r, data)
                     : change_all(world, r, data);
    if (status != FIRN_OK) {
        world->log.length = before;
        world->log.failed = false;
    }
    world_fetch_fields(world);
    if (status != FIRN_OK) return status;
    (void)world_list_surfaces(world); // without memory some are missing; the change holds
    return world_note_changes(world);
}

static firn_status replay_into(firn_world *world, const text *log, arena *lists) {
    firn_world_def *made = copy_def(world->start, lists);
    if (!made) return fail_memory("loading a world", sizeof *made);
    change_record r;
    const char *data;
    bool damaged;
    for (size_t at = 0; change_next(log, &at, &r, &data, &damaged);) TRY(apply(made, &r, data, lists));
    if (damaged) return fail(FIRN_BAD_INPUT, "the record of changes is damaged");
    firn_world_def *def = copy_def(made, lists);
    return def ? world_rebuild(world, def, made, lists, NULL) : fail_memory("loading a world", sizeof *def);
}

firn_status world_replay(firn_world *world, const uint32_t *log, size_t count) {
    size_t bytes = count * sizeof *log;
    if (bytes == world->log.length && (bytes == 0 || memcmp(log, world->log.data, bytes) == 0))
        return FIRN_OK;
    arena lists = {0};
    text before = world->log, after = {0};
    text_add_bytes(&after, (const char *)log, bytes);
    world->log = after;
    firn_status status =
        after.failed ? fail_memory("loading a world", bytes) : replay_into(world, &world->log, &lists);
    if (status != FIRN_OK) {
        arena_free(&lists);
        world->log = before;
        text_free(&after);
    } else
        text_free(&before);
    world_fetch_fields(world);
    return status == FIRN_OK ? world_list_surfaces(world) : status;
}

// ---- the public functions

firn_status world_may_change(const firn_world *world) {
    return world->for_frames ? fail(FIRN_UNSUPPORTED, "a world that only shows frames cannot be changed")
                             : FIRN_OK;
}

// item: begins with its name.
static firn_status add(firn_world *world, uint32_t map, const void *item) {
    const param_row *row;
    item_array *list;
    const char *name;
    memcpy(&name, item, sizeof name);
    TRY(world_may_change(world));
    TRY(change_list(world->def, map, &row, &list));
    if (!name || !param_name_allowed(name))
        return fail(FIRN_BAD_INPUT, "an item added to '%s' needs a name: letters, digits, '_' and '-'",
                    world_maps[map].name);
    char *copy = mem_alloc(row->table->size);
    if (!copy) return fail_memory("adding to a world", row->table->size);
    memcpy(copy, item, row->table->size);
    if (world_maps[map].start) {
        double *start = (double *)(copy + world_maps[map].start);
        // Not for the time that has passed, to which this moment belongs: what is due at it has come.
        if (*start <= world->clock.time) *start = nextafter(world->clock.time, INFINITY);
    }
    firn_status status = param_validate(row->table, copy);
    text data = {0};
    uint32_t length = (uint32_t)strlen(name);
    text_add_bytes(&data, (const char *)&length, sizeof length);
    text_add_bytes(&data, name, length);
    if (status == FIRN_OK) param_pack(&data, row->table, copy);
    change_record r = {0, map, 0, (uint32_t)data.length};
    if (status == FIRN_OK) status = change(world, &r, &data);
    text_free(&data);
    mem_free(copy);
    return status;
}

#define ADDS(function, type, map)                                                                            \
    firn_status function(firn_world *world, const type *def) {                                               \
        IN_WORLD(world);                                                                                     \
        NEED(world);                                                                                         \
        NEED(def);                                                                                           \
        NEED_COOKIE(type, def);                                                                              \
        return add(world, map, def);                                                                         \
    }
ADDS(firn_world_add_pour, firn_snowfield_pour_def, MAP_POURS)
ADDS(firn_world_add_emitter, firn_mpm_emit_def, MAP_EMITTERS)
ADDS(firn_world_add_spout, firn_pbd_spout_def, MAP_SPOUTS)
ADDS(firn_world_add_phase_spout, firn_phase_spout_def, MAP_PHASE_SPOUTS)
ADDS(firn_world_add_snow, firn_mpm_snow_def, MAP_MPM_SNOW)
ADDS(firn_world_add_grains, firn_grains_fill_def, MAP_GRAINS)
ADDS(firn_world_add_pool, firn_pbd_pool_def, MAP_POOLS)
ADDS(firn_world_add_phase_snow, firn_phase_snow_def, MAP_PHASE_SNOW)
ADDS(firn_world_add_phase_water, firn_phase_water_def, MAP_PHASE_WATER)
ADDS(firn_world_add_pin, firn_pbd_pin_def, MAP_PINS)
ADDS(firn_world_add_solid, firn_pbd_solid_def, MAP_SOLIDS)
ADDS(firn_world_add_constraint, firn_pbd_constraint_def, MAP_CONSTRAINTS)

firn_status firn_world_add_body(firn_world *world, const firn_body_def *def, size_t *body) {
    IN_WORLD(world);
    if (body) *body = SIZE_MAX;
    NEED(world);
    NEED(def);
    NEED_COOKIE(firn_body_def, def);
    TRY(add(world, MAP_BODIES, def));
    if (body) *body = firn_world_body_count(world) - 1;
    return FIRN_OK;
}

static firn_status remove_item(firn_world *world, uint32_t map, size_t number) {
    change_removal removal = {.time = world->clock.time};
    if (map == MAP_BODIES) removal.mass = firn_world_body_state(world, number).mass;
    change_record r = {1, map, (uint32_t)number, sizeof removal};
    text data = {0};
    text_add_bytes(&data, (const char *)&removal, sizeof removal);
    firn_status status = change(world, &r, &data);
    text_free(&data);
    return status;
}

firn_status firn_world_remove_body(firn_world *world, size_t body) {
    IN_WORLD(world);
    NEED(world);
    size_t count = firn_world_body_count(world);
    TRY(world_may_change(world));
    if (body >= count) return fail(FIRN_BAD_INPUT, "there is no body %zu; this world has %zu", body, count);
    return remove_item(world, MAP_BODIES, body);
}

firn_status firn_world_remove(firn_world *world, const char *name) {
    IN_WORLD(world);
    NEED(world);
    NEED(name);
    TRY(world_may_change(world));
    for (uint32_t map = 0; map < MAPS; map++) {
        size_t length = strlen(world_maps[map].name);
        const param_row *row;
        item_array *list;
        if (strncmp(name, world_maps[map].name, length) != 0 || name[length] != '.') continue;
        TRY(change_list(world->def, map, &row, &list));
        for (size_t i = 0; i < list->count; i++) {
            const char *item;
            memcpy(&item, list->items + i * row->table->size, sizeof item);
            if (text_equal(item, name + length + 1)) return remove_item(world, map, i);
        }
    }
    return fail(FIRN_BAD_INPUT,
                "there is no '%s' that can be removed; names are as in a scene: \"mpm.snow.ball\"", name);
}

firn_status firn_world_remove_inside(firn_world *world, firn_fill_def where) {
    IN_WORLD(world);
    NEED(world);
    TRY(world_may_change(world));
    TRY(param_validate(&region_params, &where));
    shape *form;
    TRY(shape_create(&where.shape, where.scale, world->def->folder, "region", &form));
    const model_region region = {NULL, form, where.at, dquat_from_angles(where.rotate)};
    firn_status status = take_out(world, &region);
    shape_destroy(form);
    world_fetch_fields(world);
    return status;
}

firn_status firn_world_heat_inside(firn_world *world, firn_fill_def where, double heat) {
    IN_WORLD(world);
    NEED(world);
    TRY(world_may_change(world));
    if (!isfinite(heat)) return fail(FIRN_BAD_INPUT, "invalid heat: must be a finite number of J/kg");
    TRY(param_validate(&region_params, &where));
    shape *form;
    TRY(shape_create(&where.shape, where.scale, world->def->folder, "region", &form));
    const model_region region = {NULL, form, where.at, dquat_from_angles(where.rotate)};
    bool any = false;
    for (size_t i = 0; i < world->members; i++) {
        const struct firn_model_growth *growth = world->member[i].kind->growth;
        if (growth && growth->heat) any |= growth->heat(world->member[i].state, &region, heat);
    }
    shape_destroy(form);
    world_fetch_fields(world);
    if (any) return FIRN_OK;
    return fail(
        FIRN_UNSUPPORTED,
        "nothing in this world can be heated: it has neither phase, nor mpm with mpm.heat, nor a snow "
        "field with field.heat.on: yes, nor a cover in a scene that thaws");
}
