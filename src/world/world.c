// Creates and closes a world and its models.
#include "world/query.h"
#include "world/world_state.h"

#include <string.h>

#include "base/hash.h"
#include "base/isa.h"
#include "base/stop.h"
#include "geom/shape_solid.h"
#include "net/net.h"
#include "snow/snow_type.h"
#include "world/world_models.h"

const void *world_section(const firn_world_def *def, const model_class *kind) {
    const param_row *first = kind->sections->rows;
    const char *at = (const char *)def + first->offset;
    return first->type == PARAM_OPTIONAL ? *(const void *const *)at : at;
}

static const field_row *const own_rows[] = {&world_live_row, &world_log_row, &world_steps_row,
                                            &world_coupling_row};
enum { OWN_ROWS = sizeof own_rows / sizeof own_rows[0] };

static bool is_own(const char *name) {
    for (size_t k = 0; k < OWN_ROWS; k++)
        if (own_rows[k]->name == name) return true;
    return false;
}

const field_row *world_field_row(size_t index, const model_class **model) {
    static const model_class own = {.name = "world", .help = "what belongs to no model"};
    size_t count;
    const model_class *const *classes = world_model_classes(&count);
    for (size_t i = 0; i < count; i++)
        for (const field_table *const *table = classes[i]->fields; *table; table++) {
            if (index < (*table)->count) {
                if (model) *model = classes[i];
                return &(*table)->rows[index];
            }
            index -= (*table)->count;
        }
    if (model) *model = &own;
    return index < OWN_ROWS ? own_rows[index] : NULL;
}

const series_row *world_series_row(size_t index, const model_class **model) {
    size_t count;
    const model_class *const *classes = world_model_classes(&count);
    for (size_t i = 0; i < count; i++)
        for (const series_table *const *table = classes[i]->series; table && *table; table++) {
            if (index < (*table)->count) {
                if (model) *model = classes[i];
                return &(*table)->rows[index];
            }
            index -= (*table)->count;
        }
    const model_class *owner;
    const series_row *row = coupling_series_row(index, &owner);
    if (row && model) *model = owner;
    return row;
}

model_setting world_setting(const firn_world_def *def) {
    return (model_setting){
        .gravity = def->gravity,
        .air_temperature = def->air.temperature,
        .seed = (uint64_t)def->seed,
        .max_speed = def->max_speed,
        .duration = def->duration,
        .folder = def->folder,
        .def = def,
    };
}

// Parameters that melt snow where they are above 0.
static bool warms(const char *parameter) {
    static const char *const name[] = {"air.temperature", "air.radiation", "rain.rate", "field.heat.ground"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (strcmp(parameter, name[i]) == 0) return true;
    const char *last = strrchr(parameter, '.');
    return strncmp(parameter, "bodies.", 7) == 0 && strcmp(last, ".temperature") == 0;
}

// Whether snow may melt, now or by keyframes. Bodies that come later do not count: a world that goes on from
// a checkpoint must come to the same answer.
static bool thaws(const firn_world *world, const firn_world_def *def) {
    const firn_world_def *start = world->start ? world->start : def;
    bool any = def->air.temperature > 0 || def->air.radiation > 0 || def->rain.rate > 0;
    for (size_t b = 0; b < start->bodies.count && !any; b++) any = start->bodies.items[b].temperature > 0;
    for (size_t t = 0; t < world->track_count && !any; t++)
        for (size_t i = 0; warms(world->tracks[t].name) && i < world->tracks[t].count; i++)
            any |= world->tracks[t].keys[i].value.x > 0;
    return any;
}

static firn_status add_model(firn_world *world, const model_class *kind, const void *params,
                             const model_setting *setting) {
    world_member *member = &world->member[world->members];
    const body_set *bodies = kind == &body_model ? NULL : world_bodies(world);
    TRY(stop_check());
    TRY(kind->create(params, setting, bodies, &member->state));
    member->kind = kind;
    world->members++;
    return FIRN_OK;
}

firn_status world_add_models(firn_world *world, const firn_world_def *def, const firn_world *before) {
    model_setting setting = world_setting(def);
    bool parts = !before && !world->for_frames && world_ranks_make_parts(def);
    setting.for_frames = world->for_frames || (world->ranks.serves && !parts);
    setting.parts = parts ? net_count() : 0;
    setting.part = net_rank();
    setting.time = world->clock.time;
    setting.rebuilt = world->bodies_changed;
    setting.thaws = thaws(world, def);
    size_t count;
    const model_class *const *classes = world_model_classes(&count);
    world->member = mem_zero(count, sizeof *world->member);
    if (!world->member) return fail_memory("creating a world", count * sizeof *world->member);
    for (size_t i = 0; i < count; i++) {
        const void *params = world_section(def, classes[i]);
        if (!params) continue;
        setting.replaces = before ? before->member[world->members].state : NULL; // the same models
        TRY(add_model(world, classes[i], params, &setting));
    }
    return world_make_clocks(world);
}

static size_t row_count(const model_class *kind) {
    size_t count = 0;
    for (const field_table *const *table = kind->fields; *table; table++) count += (*table)->count;
    return count;
}

// Room for all that the models may ever show, so that nothing is left out later.
firn_status world_make_room(firn_world *world) {
    size_t most = OWN_ROWS;
    for (size_t i = 0; i < world->members; i++) most += row_count(world->member[i].kind);
    world->field = mem_alloc(most * sizeof *world->field);
    world->field_of = mem_alloc(most * sizeof *world->field_of);
    return world->field && world->field_of ? FIRN_OK
                                           : fail_memory("creating a world", most * sizeof *world->field);
}

// The caller's def may go; the world's own stays.
static firn_status keep_def(firn_world *world, const firn_world_def *def) {
    firn_world_def *copy = param_copy(&world_params, def, &world->memory);
    if (copy && def->folder) copy->folder = arena_text(&world->memory, def->folder, strlen(def->folder));
    if (!copy || (def->folder && !copy->folder)) return fail_memory("creating a world", sizeof *def);
    world->def = copy;
    TRY(param_hash(&world_params, copy, false, NULL, NULL, &world->identity));
    world->identity = snow_types_hash(&world_params, copy, world->identity);
    return FIRN_OK;
}

typedef enum world_use { FOR_STEPS, FOR_FRAMES, TO_SERVE } world_use;

static firn_status make_world(const firn_world_def *def, world_use use, firn_world **out) {
    *out = NULL;
    TRY(isa_check());
    TRY(param_validate(&world_params, def));
    firn_world *world = mem_zero(1, sizeof *world);
    if (!world) return fail_memory("creating a world", sizeof *world);
    world->for_frames = use == FOR_FRAMES;
    world->ranks.serves = use == TO_SERVE;
    world->context = context_here();
    firn_status status = keep_def(world, def);
    if (status == FIRN_OK) status = world_take_tracks(world, def);
    if (status == FIRN_OK) status = world_keep_start(world);
    solids_hold();
    if (status == FIRN_OK) status = world_add_models(world, world->def, NULL);
    solids_release();
    if (status == FIRN_OK) status = world_check_tracks(world);
    if (status == FIRN_OK) status = world_make_room(world);
    if (status == FIRN_OK) status = world_couple(world);
    if (status != FIRN_OK) {
        firn_world_close(world);
        return status;
    }
    world_couplings_begin(world);
    world_fetch_fields(world);
    status = world_list_surfaces(world);
    if (status != FIRN_OK) {
        firn_world_close(world);
        return status;
    }
    *out = world;
    return FIRN_OK;
}

firn_status firn_world_create(const firn_world_def *def, firn_world **out) {
    if (!out) return fail_null(__func__, "world");
    *out = NULL;
    NEED(def);
    return make_world(def, FOR_STEPS, out);
}

firn_status world_create_for_frames(const firn_world_def *def, firn_world **out) {
    return make_world(def, FOR_FRAMES, out);
}

firn_status world_create_to_serve(const firn_world_def *def, firn_world **out) {
    return make_world(def, TO_SERVE, out);
}

firn_context *world_context(const firn_world *world) { return world ? world->context : NULL; }

void firn_world_close(firn_world *world) {
    IN_WORLD(world);
    if (!world) return;
    world_surfaces_free(world);
    world_events_free(world->events);
    world_spheres_free(world->spheres);
    world_uncouple(world);
    while (world->members > 0) {
        world_member *last = &world->member[--world->members];
        last->kind->destroy(last->state);
    }
    mem_free(world->field);
    mem_free(world->field_of);
    mem_free(world->changes.list);
    mem_free(world->sums);
    mem_free(world->member);
    mem_free(world->steps);
    mem_free(world->clocks.order);
    world_live_free(world);
    text_free(&world->log);
    mem_free(world->room);
    arena_free(&world->lists);
    arena_free(&world->memory);
    mem_free(world);
}

void world_fetch_fields(firn_world *world) {
    world->fields = 0;
    world->spheres_known = false;
    for (size_t i = 0; i < world->members; i++) {
        const world_member *member = &world->member[i];
        for (const field_table *const *table = member->kind->fields; *table; table++)
            for (size_t k = 0; k < (*table)->count; k++) {
                if (!field_fetch(&(*table)->rows[k], member->state, &world->field[world->fields])) continue;
                world->field_of[world->fields++] = (uint32_t)i;
            }
    }
    for (size_t k = 0; k < OWN_ROWS; k++) {
        field_fetch(own_rows[k], world, &world->field[world->fields]);
        world->field_of[world->fields++] = UINT32_MAX;
    }
}

static size_t value_bytes(firn_type type) { return type == FIRN_F64 || type == FIRN_U64 ? 8 : 4; }

static bool is_blank(const firn_field *f) {
    size_t bytes = f->count * f->components * value_bytes(f->type);
    const char *data = f->data;
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != 0) return false;
    return true;
}

static void add_to_hash(void *stream, const void *data, size_t bytes) { hash_add(stream, data, bytes); }

uint64_t firn_world_hash(const firn_world *world) {
    NEED_OR(world, 0);
    uint64_t hash = hash64(&world->clock, sizeof world->clock, 0);
    for (size_t i = 0; i < world->fields; i++) {
        const firn_field *f = &world->field[i];
        if (!(f->flags & FIRN_FIELD_STATE)) continue;
        if (is_own(f->name) && is_blank(f)) continue; // nothing was changed, one clock, nothing has passed
        hash = hash64_text(f->name, hash);
        hash_stream stream;
        hash_begin(&stream, hash);
        world_field_pieces(world, i, add_to_hash, &stream);
        hash = hash_end(&stream);
    }
    return hash;
}

firn_status world_field_resize(firn_world *world, const char *name, size_t count) {
    for (size_t i = 0; i < world->members; i++) {
        const model_class *kind = world->member[i].kind;
        size_t prefix = strlen(kind->name);
        if (strncmp(name, kind->name, prefix) == 0 && name[prefix] == '.') {
            TRY(kind->resize(world->member[i].state, name, count));
            world_fetch_fields(world);
            return FIRN_OK;
        }
    }
    if (strcmp(name, world_live_row.name) == 0) {
        TRY(world_live_resize(world, count));
        world_fetch_fields(world);
        return FIRN_OK;
    }
    if (strcmp(name, world_log_row.name) == 0)
        return count * sizeof(uint32_t) == world->log.length
                   ? FIRN_OK
                   : fail(FIRN_BAD_INPUT, "field '%s' does not match the changes recorded in the state",
                          name);
    if (strcmp(name, world_steps_row.name) == 0)
        return count == (world->clocks.nested ? world->members : 0)
                   ? FIRN_OK
                   : fail(FIRN_BAD_INPUT, "field '%s' does not match the models of the scene", name);
    if (strcmp(name, world_coupling_row.name) == 0)
        return count == world->coupling_count
                   ? FIRN_OK
                   : fail(FIRN_BAD_INPUT, "field '%s' does not match the models of the scene", name);
    return fail(FIRN_BAD_INPUT, "this scene has no field '%s'", name);
}

firn_status world_loaded(firn_world *world) {
    world->energy.driven = true;
    world_ranks_changed(world);
    TRY(world_live_loaded(world));
    for (size_t i = 0; i < world->members; i++)
        if (world->member[i].kind->loaded) TRY(world->member[i].kind->loaded(world->member[i].state));
    world_couplings_begin(world);
    world_fetch_fields(world);
    world_events_restart(world);
    return world_note_changes(world);
}
