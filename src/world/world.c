#include "world/world_state.h"

#include <string.h>

#include "base/hash.h"
#include "base/isa.h"
#include "base/stop.h"
#include "field/field.h"
#include "geom/shape_solid.h"
#include "grains/grains.h"
#include "mpm/mpm.h"
#include "pbd/pbd.h"
#include "phase/phase.h"
#include "wind/wind.h"

const model_class *const *world_model_classes(size_t *count) {
    static const model_class *const classes[] = {&body_model, &grains_model, &mpm_model,  &field_model,
                                                 &wind_model, &pbd_model,    &phase_model};
    _Static_assert(sizeof classes / sizeof classes[0] <= WORLD_MODELS, "make WORLD_MODELS larger");
    *count = sizeof classes / sizeof classes[0];
    return classes;
}

const field_row *world_field_row(size_t index, const model_class **model) {
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
    return NULL;
}

static model_setting setting_of(const firn_world_def *def) {
    return (model_setting){
        .gravity = def->gravity,
        .air_temperature = def->air.temperature,
        .seed = (uint64_t)def->seed,
        .max_speed = def->max_speed,
        .duration = def->duration,
        .folder = def->folder,
        .flakes = def->flakes != NULL,
    };
}

// For classes that are made from more than one section.
typedef union section {
    body_set_params bodies;
    wind_sections wind;
} section;

// The section of the def that belongs to a class; NULL if the scene does not ask for it.
static const void *params_of(const firn_world_def *def, const model_class *kind, section *room) {
    if (kind == &body_model) {
        room->bodies = (body_set_params){def->bodies.items, def->bodies.count};
        return &room->bodies;
    }
    if (kind == &grains_model) return def->grains;
    if (kind == &mpm_model) return def->mpm;
    if (kind == &field_model) return def->field;
    if (kind == &pbd_model) return def->pbd;
    if (kind == &phase_model) return def->phase;
    if (kind == &wind_model) {
        room->wind = (wind_sections){def->wind, def->flakes, def->cover};
        return def->wind ? &room->wind : NULL;
    }
    return NULL;
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

static firn_status add_models(firn_world *world, const firn_world_def *def) {
    model_setting setting = setting_of(def);
    setting.for_frames = world->for_frames;
    size_t count;
    const model_class *const *classes = world_model_classes(&count);
    for (size_t i = 0; i < count; i++) {
        section room;
        const void *params = params_of(def, classes[i], &room);
        if (params) TRY(add_model(world, classes[i], params, &setting));
    }
    return FIRN_OK;
}

static size_t row_count(const model_class *kind) {
    size_t count = 0;
    for (const field_table *const *table = kind->fields; *table; table++) count += (*table)->count;
    return count;
}

// Room for all that the models may ever show, so that nothing is left out later.
static firn_status make_room(firn_world *world) {
    size_t most = 0;
    for (size_t i = 0; i < world->members; i++) {
        const world_member *member = &world->member[i];
        most += row_count(member->kind);
        if (world->for_frames) continue; // the model is empty until a frame is read
        firn_ledger ledger = {.model = member->kind->name};
        member->kind->ledger(member->state, &ledger);
        if (ledger.series_count > FIRN_SERIES)
            return fail(FIRN_UNSUPPORTED, "model '%s' keeps %zu numbers in its ledger; there is room for %d",
                        ledger.model, ledger.series_count, FIRN_SERIES);
    }
    world->field = mem_alloc(most * sizeof *world->field);
    world->field_of = mem_alloc(most * sizeof *world->field_of);
    return world->field && world->field_of ? FIRN_OK
                                           : fail_memory("creating a world", most * sizeof *world->field);
}

static firn_status make_world(const firn_world_def *def, bool for_frames, firn_world **out) {
    *out = NULL;
    TRY(isa_check());
    TRY(param_validate(&world_params, def));
    firn_world *world = mem_zero(1, sizeof *world);
    if (!world) return fail_memory("creating a world", sizeof *world);
    world->def = *def;
    world->for_frames = for_frames;
    world->def.name = NULL;
    world->def.folder = NULL;
    world->def.bodies.items = NULL;
    world->def.grains = NULL;
    world->def.mpm = NULL;
    world->def.field = NULL;
    world->def.wind = NULL;
    world->def.flakes = NULL;
    world->def.cover = NULL;
    world->def.pbd = NULL;
    world->def.phase = NULL;
    solids_hold();
    firn_status status = add_models(world, def);
    solids_let_go();
    if (status == FIRN_OK) status = make_room(world);
    if (status != FIRN_OK) {
        firn_world_close(world);
        return status;
    }
    couple_wind_field_begin(world);
    world_fetch_fields(world);
    *out = world;
    return FIRN_OK;
}

firn_status firn_world_create(const firn_world_def *def, firn_world **out) {
    if (!out) return fail_null(__func__, "world");
    *out = NULL;
    NEED(def);
    return make_world(def, false, out);
}

firn_status world_create_for_frames(const firn_world_def *def, firn_world **out) {
    return make_world(def, true, out);
}

void firn_world_close(firn_world *world) {
    if (!world) return;
    cover_builder_free(world->cover);
    while (world->members > 0) {
        world_member *last = &world->member[--world->members];
        last->kind->destroy(last->state);
    }
    mem_free(world->field);
    mem_free(world->field_of);
    mem_free(world->changes.list);
    mem_free(world->landed.at);
    mem_free(world);
}

void world_fetch_fields(firn_world *world) {
    world->fields = 0;
    for (size_t i = 0; i < world->members; i++) {
        const world_member *member = &world->member[i];
        for (const field_table *const *table = member->kind->fields; *table; table++)
            for (size_t k = 0; k < (*table)->count; k++) {
                if (!field_fetch(&(*table)->rows[k], member->state, &world->field[world->fields])) continue;
                world->field_of[world->fields++] = (uint32_t)i;
            }
    }
}

static size_t value_bytes(firn_type type) { return type == FIRN_F64 || type == FIRN_U64 ? 8 : 4; }

uint64_t firn_world_hash(const firn_world *world) {
    NEED_OR(world, 0);
    uint64_t hash = hash64(&world->clock, sizeof world->clock, 0);
    for (size_t i = 0; i < world->fields; i++) {
        const firn_field *f = &world->field[i];
        if (!(f->flags & FIRN_FIELD_STATE)) continue;
        hash = hash64_text(f->name, hash);
        hash = hash64(f->data, f->count * f->components * value_bytes(f->type), hash);
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
    return fail(FIRN_BAD_INPUT, "this scene has no field '%s'", name);
}

firn_status world_loaded(firn_world *world) {
    for (size_t i = 0; i < world->members; i++)
        if (world->member[i].kind->loaded) TRY(world->member[i].kind->loaded(world->member[i].state));
    couple_wind_field_begin(world);
    world_fetch_fields(world);
    return world_note_changes(world);
}

firn_status world_sum_costs(const firn_world_def *def, firn_cost *sum, const char **largest) {
    *sum = (firn_cost){.memory = sizeof(firn_world), .step = def->max_step};
    model_setting setting = setting_of(def);
    size_t count;
    uint64_t most = 0;
    const model_class *const *classes = world_model_classes(&count);
    for (size_t i = 0; i < count; i++) {
        section room;
        const void *params = params_of(def, classes[i], &room);
        uint64_t before = sum->memory;
        if (!params) continue;
        TRY(classes[i]->cost(params, &setting, sum));
        if (sum->memory - before <= most) continue;
        most = sum->memory - before;
        if (largest) *largest = classes[i]->name;
    }
    return FIRN_OK;
}
