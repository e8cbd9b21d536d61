// Bodies and sources that are added and removed while the world runs. The models are made anew, as from a
// scene that had them from the start, and take over the present state: what a restart does. The log of all
// changes is state, so that a checkpoint can be loaded into a world of the original scene.
#include <math.h>
#include <string.h>

#include "base/cookie.h"
#include "geom/shape_solid.h"
#include "world/world_models.h"
#include "world/world_state.h"

// The maps of a scene that may grow: a new item comes last, so that the numbers of others stay.
typedef struct growing_map {
    const char *name;
    const char *fields; // with one entry for each item: a field, or all of a model ("bodies."); NULL: none
    size_t start;       // offset of the time at which an item begins; 0: none
} growing_map;
enum { MAP_BODIES, MAP_POURS, MAP_EMITTERS, MAP_SPOUTS, MAPS };
static const growing_map maps[MAPS] = {
    [MAP_BODIES] = {"bodies", "bodies.", 0},
    [MAP_POURS] = {"field.pour", "field.poured", offsetof(firn_snowfield_pour_def, start)},
    [MAP_EMITTERS] = {"mpm.emit", NULL, offsetof(firn_mpm_emit_def, start)},
    [MAP_SPOUTS] = {"pbd.fluid.spouts", "pbd.spouted", offsetof(firn_pbd_spout_def, opening.start)},
};

// A record of the log: words; an addition is followed by the item: length of its name, the name, its values;
// padded to whole words.
typedef struct change_record {
    uint32_t removed; // 0: added
    uint32_t map;
    uint32_t index; // of what was removed
    uint32_t bytes; // that follow
} change_record;

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
    .help = "bodies and sources added and removed while the world ran, one record after the other",
    .type = FIRN_U32,
    .components = 1,
    .flags = FIRN_FIELD_STATE,
    .get = log_words,
};

static firn_world_def *copy_def(firn_world *world, const firn_world_def *def) {
    return param_copy(&world_params, def, &world->memory); // tracks and folder stay where they are
}

firn_status world_keep_start(firn_world *world) {
    world->start = world->made = copy_def(world, world->def);
    return world->made ? FIRN_OK : fail_memory("creating a world", sizeof *world->made);
}

typedef struct item_array {
    char *items;
    size_t count;
} item_array;

static firn_status map_of(firn_world_def *def, size_t map, const param_row **row, void **at) {
    *at = map < MAPS ? param_locate(&world_params, def, maps[map].name, row) : NULL;
    if (*at) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "cannot add to '%s': the scene of this world has no such section",
                map < MAPS ? maps[map].name : "?");
}

static firn_status add_to(firn_world_def *def, const change_record *r, const char *data, arena *memory) {
    const param_row *row;
    void *at;
    TRY(map_of(def, r->map, &row, &at));
    item_array array;
    memcpy(&array, at, sizeof array);
    size_t size = row->table->size;
    char *items = arena_alloc(memory, (array.count + 1) * size);
    if (!items) return fail_memory("adding to a world", (array.count + 1) * size);
    if (array.count > 0) memcpy(items, array.items, array.count * size);
    uint32_t length;
    if (r->bytes < sizeof length) return fail(FIRN_BAD_INPUT, "a record of what was added is damaged");
    memcpy(&length, data, sizeof length);
    if (length > r->bytes - sizeof length)
        return fail(FIRN_BAD_INPUT, "a record of what was added is damaged");
    const char *name = arena_text(memory, data + sizeof length, length);
    if (!name) return fail_memory("adding to a world", length);
    size_t before = sizeof length + length;
    TRY(param_unpack(row->table, data + before, r->bytes - before, memory, items + array.count * size));
    memcpy(items + array.count * size, &name, sizeof name);
    array = (item_array){items, array.count + 1};
    memcpy(at, &array, sizeof array);
    return FIRN_OK;
}

static firn_status remove_from(firn_world_def *def, const change_record *r, arena *memory) {
    const param_row *row;
    void *at;
    TRY(map_of(def, r->map, &row, &at));
    item_array array;
    memcpy(&array, at, sizeof array);
    size_t size = row->table->size;
    if (r->index >= array.count) return fail(FIRN_BAD_INPUT, "a record of what was removed is damaged");
    char *items = arena_alloc(memory, array.count * size);
    if (!items) return fail_memory("removing from a world", array.count * size);
    memcpy(items, array.items, r->index * size);
    memcpy(items + r->index * size, array.items + (r->index + 1) * size, (array.count - r->index - 1) * size);
    array = (item_array){items, array.count - 1};
    memcpy(at, &array, sizeof array);
    return FIRN_OK;
}

static firn_status apply(firn_world_def *def, const change_record *r, const char *data, arena *memory) {
    return r->removed ? remove_from(def, r, memory) : add_to(def, r, data, memory);
}

// ---- from the old models to the new ones

static bool has_entries(const change_record *r, const char *field) {
    const char *fields = maps[r->map].fields;
    return fields && strncmp(field, fields, strlen(fields)) == 0;
}

static void copy_entries(const change_record *r, const firn_field *from, firn_field *to) {
    size_t item = from->components * (from->type == FIRN_F64 || from->type == FIRN_U64 ? 8 : 4);
    size_t kept = r && r->removed && has_entries(r, from->name) ? r->index : from->count;
    if (kept) memcpy(to->data, from->data, kept * item);
    if (kept == from->count) return; // what was added stays as it was made
    size_t left = (from->count - kept - 1) * item;
    if (left) memcpy((char *)to->data + kept * item, (const char *)from->data + (kept + 1) * item, left);
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
    mem_free(world->field);
    mem_free(world->field_of);
}

// New models for next->def, created with the values of next->made. r: they take over the state of `world`.
static firn_status make_models(const firn_world *world, const change_record *r, const double *before,
                               const double *now, firn_world *next) {
    world_live_copy(next->def, (double *)before, true);
    solids_hold();
    firn_status status = world_add_models(next, next->def);
    solids_release();
    world_live_copy(next->def, (double *)now, true);
    if (status == FIRN_OK) status = world_make_room(next);
    if (status != FIRN_OK) return status;
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

// Takes over new defs, live values and models; nothing fails.
static void swap_models(firn_world *world, firn_world *next, double *live, size_t all, bool changed) {
    take_users(world, next);
    destroy_models(world);
    world->def = next->def, world->made = next->made;
    world->member = next->member, world->members = next->members;
    world->field = next->field, world->field_of = next->field_of;
    mem_free(world->live.value);
    world->live.value = live, world->live.before = live + all, world->live.count = changed ? all : 0;
    for (size_t i = 0; i < world->track_count; i++)
        world->tracks[i].at =
            param_locate(&world_params, world->def, world->tracks[i].name, &world->tracks[i].row);
    couple_wind_field_begin(world);
    world_fetch_fields(world);
    world_events_restart(world); // held contacts name bodies by number
}

// Models anew for these defs. live: the values of both, one after the other.
static firn_status rebuild(firn_world *world, firn_world_def *def, firn_world_def *made,
                           const change_record *r) {
    TRY(param_validate(&world_params, def));
    size_t all = world_live_copy(def, NULL, false);
    double *live = mem_zero(2 * all + 1, sizeof *live);
    if (!live) return fail_memory("changing a world", 2 * all * sizeof *live);
    world_live_copy(def, live, false);
    world_live_copy(made, live + all, false);
    firn_world next = *world;
    next.def = def, next.made = made;
    next.member = NULL, next.members = 0;
    next.field = NULL, next.field_of = NULL, next.fields = 0;
    firn_status status = make_models(world, r, live + all, live, &next);
    if (status != FIRN_OK) {
        destroy_models(&next);
        mem_free(live);
        return status;
    }
    swap_models(world, &next, live, all, r && world->live.count > 0);
    return FIRN_OK;
}

static firn_status add_record(text *log, const change_record *r, const text *data) {
    static const char zero[4] = {0};
    text_add_bytes(log, (const char *)r, sizeof *r);
    if (data) text_add_bytes(log, data->data, data->length);
    text_add_bytes(log, zero, padded(r->bytes) - r->bytes);
    return log->failed ? fail_memory("recording a change of the world", r->bytes) : FIRN_OK;
}

static firn_status change(firn_world *world, const change_record *r, const text *data) {
    text log = {0};
    text_add_bytes(&log, world->log.data ? world->log.data : "", world->log.length);
    firn_status status = add_record(&log, r, data);
    firn_world_def *def = copy_def(world, world->def), *made = copy_def(world, world->made);
    if (status == FIRN_OK && (!def || !made)) status = fail_memory("changing a world", sizeof *def);
    if (status == FIRN_OK) status = apply(def, r, data ? data->data : NULL, &world->memory);
    if (status == FIRN_OK) status = apply(made, r, data ? data->data : NULL, &world->memory);
    text before = world->log;
    if (status == FIRN_OK) status = rebuild(world, def, made, r);
    if (status != FIRN_OK) {
        text_free(&log);
        return status;
    }
    world->log = log;
    text_free(&before);
    world_fetch_fields(world);
    return world_note_changes(world);
}

firn_status world_replay(firn_world *world, const uint32_t *log, size_t count) {
    size_t bytes = count * sizeof *log;
    if (bytes == world->log.length && (bytes == 0 || memcmp(log, world->log.data, bytes) == 0))
        return FIRN_OK;
    firn_world_def *made = copy_def(world, world->start);
    if (!made) return fail_memory("loading a world", sizeof *made);
    for (const char *at = (const char *)log, *end = at + bytes; at < end;) {
        change_record r;
        if ((size_t)(end - at) < sizeof r) return fail(FIRN_BAD_INPUT, "the record of changes is damaged");
        memcpy(&r, at, sizeof r);
        at += sizeof r;
        if (r.map >= MAPS || (size_t)(end - at) < padded(r.bytes))
            return fail(FIRN_BAD_INPUT, "the record of changes is damaged");
        TRY(apply(made, &r, at, &world->memory));
        at += padded(r.bytes);
    }
    firn_world_def *def = copy_def(world, made);
    text kept = {0};
    text_add_bytes(&kept, (const char *)log, bytes);
    firn_status status =
        !def || kept.failed ? fail_memory("loading a world", bytes) : rebuild(world, def, made, NULL);
    if (status != FIRN_OK) {
        text_free(&kept);
        return status;
    }
    text_free(&world->log);
    world->log = kept;
    world_fetch_fields(world);
    return FIRN_OK;
}

// ---- the public functions

static firn_status add(firn_world *world, uint32_t map, const char *name, void *item) {
    const param_row *row;
    void *at;
    if (world->for_frames) return fail(FIRN_UNSUPPORTED, "a world that only shows frames cannot be changed");
    TRY(map_of(world->def, map, &row, &at));
    if (!name || !param_name_allowed(name))
        return fail(FIRN_BAD_INPUT, "an item added to '%s' needs a name: letters, digits, '_' and '-'",
                    maps[map].name);
    if (maps[map].start) {
        double *start = (double *)((char *)item + maps[map].start);
        *start = fmax(*start, world->clock.time); // not for the time that has passed
    }
    TRY(param_validate(row->table, item));
    text data = {0};
    uint32_t length = (uint32_t)strlen(name);
    text_add_bytes(&data, (const char *)&length, sizeof length);
    text_add_bytes(&data, name, length);
    param_pack(&data, row->table, item);
    change_record r = {0, map, 0, (uint32_t)data.length};
    firn_status status =
        data.failed ? fail_memory("adding to a world", data.length) : change(world, &r, &data);
    text_free(&data);
    return status;
}

firn_status firn_world_add_body(firn_world *world, const firn_body_def *def, size_t *body) {
    IN_WORLD(world);
    if (body) *body = SIZE_MAX;
    NEED(world);
    NEED(def);
    NEED_COOKIE(firn_body_def, def);
    firn_body_def item = *def;
    TRY(add(world, MAP_BODIES, def->name, &item));
    if (body) *body = firn_world_body_count(world) - 1;
    return FIRN_OK;
}

firn_status firn_world_add_pour(firn_world *world, const firn_snowfield_pour_def *def) {
    IN_WORLD(world);
    NEED(world);
    NEED(def);
    NEED_COOKIE(firn_snowfield_pour_def, def);
    firn_snowfield_pour_def item = *def;
    return add(world, MAP_POURS, def->name, &item);
}

firn_status firn_world_add_emitter(firn_world *world, const firn_mpm_emit_def *def) {
    IN_WORLD(world);
    NEED(world);
    NEED(def);
    NEED_COOKIE(firn_mpm_emit_def, def);
    firn_mpm_emit_def item = *def;
    return add(world, MAP_EMITTERS, def->name, &item);
}

firn_status firn_world_add_spout(firn_world *world, const firn_pbd_spout_def *def) {
    IN_WORLD(world);
    NEED(world);
    NEED(def);
    NEED_COOKIE(firn_pbd_spout_def, def);
    firn_pbd_spout_def item = *def;
    return add(world, MAP_SPOUTS, def->name, &item);
}

firn_status firn_world_remove_body(firn_world *world, size_t body) {
    IN_WORLD(world);
    NEED(world);
    size_t count = firn_world_body_count(world);
    if (world->for_frames) return fail(FIRN_UNSUPPORTED, "a world that only shows frames cannot be changed");
    if (body >= count) return fail(FIRN_BAD_INPUT, "there is no body %zu; this world has %zu", body, count);
    change_record r = {1, MAP_BODIES, (uint32_t)body, 0};
    return change(world, &r, NULL);
}
