// Parameters that change while the world runs: by calls, and by keyframes. Both write to the world's own def;
// then the models are told.
#include <math.h>
#include <string.h>

#include "base/cookie.h"
#include "world/world_models.h"
#include "world/world_state.h"

static size_t numbers_of(const param_row *row) { return row->type == PARAM_VEC3 ? 3 : 1; }

static bool is_number(const param_row *row) {
    return row->type == PARAM_BOOL || row->type == PARAM_INT || row->type == PARAM_REAL;
}

static model_setting setting_of(const firn_world *world) {
    model_setting setting = world_setting(world->def);
    setting.for_frames = world->for_frames;
    setting.time = world->clock.time;
    return setting;
}

// Whether all models can go on with the def as it is now.
static firn_status ask_models(firn_world *world) {
    model_setting setting = setting_of(world);
    for (size_t i = 0; i < world->members; i++) {
        const model_class *kind = world->member[i].kind;
        if (kind->may_change)
            TRY(kind->may_change(world->member[i].state, world_section(world->def, kind), &setting));
    }
    return FIRN_OK;
}

static bool follow_tracks(firn_world *world); // false: nothing has changed

void world_tell_models(firn_world *world, bool loading) {
    world->energy.driven = true;
    model_setting setting = setting_of(world);
    setting.loading = loading;
    for (size_t i = 0; i < world->members; i++) {
        const model_class *kind = world->member[i].kind;
        if (kind->changed) kind->changed(world->member[i].state, world_section(world->def, kind), &setting);
    }
    world_couplings_begin(world);
}

// All values that may change live, one after the other; value NULL: they are only counted.
typedef struct copying {
    double *value;
    size_t count;
    bool back; // from the array to the def
} copying;

static void copy_live(void *context, const char *name, const param_row *row, void *at) {
    (void)name;
    copying *c = context;
    if (!row->live) return;
    size_t n = numbers_of(row);
    if (c->value) {
        firn_vec3 v = param_get_number(row, at);
        double *to = c->value + c->count, part[3] = {v.x, v.y, v.z};
        if (c->back)
            param_set_number(row, at, (firn_vec3){to[0], n > 1 ? to[1] : 0, n > 1 ? to[2] : 0});
        else
            memcpy(to, part, n * sizeof *to);
    }
    c->count += n;
}

size_t world_live_copy(firn_world_def *def, double *value, bool back) {
    copying c = {value, 0, back};
    param_visit_values(&world_params, def, copy_live, &c);
    return c.count;
}

static size_t copy_all(firn_world *world, double *value, bool back) {
    return world_live_copy(world->def, value, back);
}

// Room for the values, and what they are before anything is changed.
static firn_status start_live(firn_world *world) {
    if (world->live.value) return FIRN_OK;
    size_t all = copy_all(world, NULL, false);
    double *room = mem_zero(2 * all, sizeof *room);
    if (!room) return fail_memory("changing a parameter", 2 * all * sizeof *room);
    world->live.value = room;
    world->live.before = room + all;
    copy_all(world, world->live.before, false);
    return FIRN_OK;
}

firn_status world_live_resize(firn_world *world, size_t count) {
    size_t all = copy_all(world, NULL, false);
    if (count != 0 && count != all)
        return fail(FIRN_BAD_INPUT, "the state has %zu live parameters, the scene has %zu", count, all);
    if (count > 0) TRY(start_live(world));
    world->live.count = count;
    return FIRN_OK;
}

firn_status world_live_loaded(firn_world *world) {
    if (world->for_frames) return FIRN_OK;
    double *value = world->live.count > 0 ? world->live.value : world->live.before;
    if (!value && world->track_count == 0) { // all as in the scene, but at another time
        world_tell_models(world, true);
        return FIRN_OK;
    }
    if (value) copy_all(world, value, true);
    follow_tracks(world);
    TRY(param_validate(&world_params, world->def)); // the values may come from a damaged file
    TRY(ask_models(world));
    world_tell_models(world, true);
    return FIRN_OK;
}

void world_live_free(firn_world *world) {
    mem_free(world->live.value); // and what was before
}

static field_span live_values(const void *model) {
    static double none; // an empty field has an address, too
    const firn_world *world = model;
    return (field_span){.data = world->live.value ? world->live.value : &none, .count = world->live.count};
}
const field_row world_live_row = {
    .name = "world.parameters",
    .unit = "",
    .help = "values of all parameters that may change live, in the order of the scene reference; none: as in "
            "the scene",
    .type = FIRN_F64,
    .components = 1,
    .flags = FIRN_FIELD_STATE,
    .get = live_values,
};

// A parameter of this world.
typedef struct found {
    const param_row *row;
    void *at; // its value in the def
} found;

static firn_status fail_unknown(const char *name) {
    if (param_find(&world_params, name, NULL))
        return fail(FIRN_BAD_INPUT, "this world has no '%s': its scene does not use it", name);
    text now = {0};
    bool renamed = param_renamed(&world_params, name, &now);
    firn_status status =
        renamed ? fail(FIRN_BAD_INPUT, "there is no parameter '%s': it is now called '%s'", name, now.data)
                : fail(FIRN_BAD_INPUT,
                       "there is no parameter '%s'; names are as in a scene: \"wind.inflow.speed\"", name);
    text_free(&now);
    return status;
}

// function: the public one, for the message about NULL.
static firn_status find(const char *function, const firn_world *world, const char *name, found *out) {
    if (!world || !name) return fail_null(function, world ? "name" : "world");
    out->at = param_locate(&world_params, world->def, name, &out->row);
    return out->at ? FIRN_OK : fail_unknown(name);
}

static firn_status find_live(const char *function, const firn_world *world, const char *name, found *out) {
    TRY(find(function, world, name, out));
    if (!out->row->live) return fail(FIRN_BAD_INPUT, "'%s' cannot change while the world runs", name);
    for (size_t i = 0; i < world->track_count; i++)
        if (world->tracks[i].at == out->at)
            return fail(FIRN_BAD_INPUT, "'%s' cannot be set: it follows keyframes", name);
    return FIRN_OK;
}

// Ranges, and what is checked between parameters.
static firn_status try_value(firn_world *world, const param_row *row, void *at, firn_vec3 value) {
    firn_vec3 before = param_get_number(row, at);
    param_set_number(row, at, value);
    firn_status status = param_validate(&world_params, world->def);
    if (status == FIRN_OK) status = ask_models(world);
    if (status != FIRN_OK) param_set_number(row, at, before);
    return status;
}

static firn_status change(firn_world *world, const found *f, firn_vec3 value) {
    TRY(start_live(world));
    TRY(try_value(world, f->row, f->at, value)); // nothing fails from here on
    world->live.count = copy_all(world, world->live.value, false);
    world_tell_models(world, false);
    world_fetch_fields(world);
    return FIRN_OK;
}

firn_status firn_world_set(firn_world *world, const char *name, double value) {
    IN_WORLD(world);
    found f;
    TRY(find_live(__func__, world, name, &f));
    param_type type = f.row->type;
    if (!is_number(f.row))
        return fail(FIRN_BAD_INPUT, "'%s' is %s: use firn_world_set_%s", name,
                    type == PARAM_CHOICE ? "a word" : "a vector", type == PARAM_CHOICE ? "text" : "vector");
    bool whole = value == floor(value) && fabs(value) <= INT32_MAX;
    if ((type == PARAM_INT && !whole) || (type == PARAM_BOOL && value != 0 && value != 1))
        return fail(FIRN_BAD_INPUT, "'%s' cannot be %g: it must be %s", name, value,
                    type == PARAM_INT ? "a whole number" : "0 or 1");
    return change(world, &f, (firn_vec3){.x = value});
}

firn_status firn_world_set_vector(firn_world *world, const char *name, firn_vec3 value) {
    IN_WORLD(world);
    found f;
    TRY(find_live(__func__, world, name, &f));
    if (f.row->type != PARAM_VEC3) return fail(FIRN_BAD_INPUT, "'%s' is not a vector", name);
    return change(world, &f, value);
}

firn_status firn_world_set_text(firn_world *world, const char *name, const char *written) {
    IN_WORLD(world);
    found f;
    TRY(find_live(__func__, world, name, &f));
    NEED(written);
    param_fault fault = {0};
    firn_vec3 value; // or a smaller type
    firn_status status = FIRN_OK;
    if (!param_read_value(f.row, name, written, &value, &fault))
        status = fault.why.failed || fault.hint.failed ? fail_memory("reading a value", 0)
                 : fault.hint.data ? fail(FIRN_BAD_INPUT, "%s (%s)", fault.why.data, fault.hint.data)
                                   : fail(FIRN_BAD_INPUT, "%s", fault.why.data);
    param_fault_free(&fault);
    return status == FIRN_OK ? change(world, &f, param_get_number(f.row, &value)) : status;
}

firn_status firn_world_get(const firn_world *world, const char *name, double *value) {
    IN_WORLD(world);
    found f;
    TRY(find(__func__, world, name, &f));
    NEED(value);
    if (!is_number(f.row)) return fail(FIRN_BAD_INPUT, "'%s' is not a number", name);
    *value = param_get_number(f.row, f.at).x;
    return FIRN_OK;
}

firn_status firn_world_get_vector(const firn_world *world, const char *name, firn_vec3 *value) {
    IN_WORLD(world);
    found f;
    TRY(find(__func__, world, name, &f));
    NEED(value);
    if (f.row->type != PARAM_VEC3) return fail(FIRN_BAD_INPUT, "'%s' is not a vector", name);
    *value = param_get_number(f.row, f.at);
    return FIRN_OK;
}

firn_status firn_world_get_text(const firn_world *world, const char *name, char *written, size_t room) {
    IN_WORLD(world);
    found f;
    TRY(find(__func__, world, name, &f));
    NEED(written);
    if (f.row->table || f.row->variants) return fail(FIRN_BAD_INPUT, "'%s' is not a single value", name);
    text t = {0};
    param_write_value(&t, f.row, f.at);
    firn_status status = t.failed ? fail_memory("writing a value", 0) : FIRN_OK;
    if (status == FIRN_OK && t.length >= room)
        status =
            fail(FIRN_BAD_INPUT, "'%s' needs %zu bytes of text, there are %zu", name, t.length + 1, room);
    if (status == FIRN_OK) memcpy(written, t.length ? t.data : "", t.length + 1);
    text_free(&t);
    return status;
}

// Counts the live rows; keeps the name of one.
typedef struct live_search {
    size_t wanted, count;
    char *name;
    size_t room;
} live_search;

static void search_live(void *context, const char *name, const param_row *row, void *at) {
    (void)at;
    live_search *s = context;
    if (!row->live) return;
    if (s->count++ != s->wanted || !s->name) return;
    size_t length = strlen(name);
    if (length < s->room) memcpy(s->name, name, length + 1);
    s->room = length < s->room ? s->room : 0; // 0: too small
}

size_t firn_world_live_count(const firn_world *world) {
    NEED_OR(world, 0);
    live_search s = {.wanted = SIZE_MAX};
    param_visit_values(&world_params, world->def, search_live, &s);
    return s.count;
}

firn_status firn_world_live_name(const firn_world *world, size_t index, char *name, size_t room) {
    IN_WORLD(world);
    NEED(world);
    NEED(name);
    live_search s = {index, 0, name, room};
    param_visit_values(&world_params, world->def, search_live, &s);
    if (index >= s.count)
        return fail(FIRN_BAD_INPUT, "there is no live parameter %zu; this world has %zu", index, s.count);
    return s.room > 0 ? FIRN_OK
                      : fail(FIRN_BAD_INPUT, "%zu bytes are too few for the name of this parameter", room);
}

typedef struct visiting {
    firn_param_visit visit;
    void *context;
} visiting;

static void visit_one(void *context, const char *name, const param_row *row, void *at) {
    (void)at;
    const visiting *v = context;
    v->visit(v->context, name, row);
}

firn_status firn_world_params(const firn_world *world, firn_param_visit visit, void *context) {
    IN_WORLD(world);
    NEED(world);
    NEED(visit);
    visiting v = {visit, context};
    param_visit_values(&world_params, world->def, visit_one, &v);
    return FIRN_OK;
}

static firn_status check_track(firn_world *world, const world_track *t) {
    if (t->count == 0) return fail(FIRN_BAD_INPUT, "'%s' has no keyframes", t->name);
    for (size_t i = 0; i < t->count; i++) {
        if (!isfinite(t->keys[i].time) || (i > 0 && !(t->keys[i].time > t->keys[i - 1].time)))
            return fail(FIRN_BAD_INPUT, "'%s': keyframe %zu is not later than the one before it", t->name,
                        i + 1);
        firn_vec3 value = t->keys[i].value;
        bool whole = t->row->type == PARAM_REAL || t->row->type == PARAM_VEC3 || value.x == floor(value.x);
        if (!isfinite(value.x) || !isfinite(value.y) || !isfinite(value.z))
            return fail(FIRN_BAD_INPUT, "'%s': keyframe %zu is not a finite number", t->name, i + 1);
        if (!whole || !(fabs(value.x) <= INT32_MAX))
            return fail(FIRN_BAD_INPUT, "'%s': keyframe %zu is not a whole number", t->name, i + 1);
        TRY(try_value(world, t->row, t->at, value));
    }
    return FIRN_OK;
}

firn_status world_check_tracks(firn_world *world) {
    for (size_t i = 0; i < world->track_count; i++) {
        firn_vec3 now = param_get_number(world->tracks[i].row, world->tracks[i].at);
        firn_status status = check_track(world, &world->tracks[i]);
        param_set_number(world->tracks[i].row, world->tracks[i].at, now);
        TRY(status);
    }
    return FIRN_OK;
}

DEFAULT_COOKIE(firn_track_def)

firn_status world_take_tracks(firn_world *world, const firn_world_def *def) {
    size_t n = def->tracks.count;
    world->def->tracks.items = NULL;
    world->def->tracks.count = 0;
    if (n == 0) return FIRN_OK;
    NEED(def->tracks.items);
    world->tracks = arena_alloc(&world->memory, n * sizeof *world->tracks);
    if (!world->tracks) return fail_memory("creating a world", n * sizeof *world->tracks);
    for (size_t i = 0; i < n; i++) {
        const firn_track_def *from = &def->tracks.items[i];
        world_track *t = &world->tracks[i];
        if (from->cookie != COOKIE_OF(firn_track_def))
            return fail(FIRN_BAD_INPUT, "tracks[%zu] has no cookie; begin with firn_track_def_default()",
                        i + 1);
        NEED(from->parameter);
        size_t bytes = from->keys.count * sizeof *from->keys.items;
        firn_key_value *keys = arena_alloc(&world->memory, bytes + 1);
        t->name = arena_text(&world->memory, from->parameter, strlen(from->parameter));
        if (!keys || !t->name) return fail_memory("creating a world", bytes);
        if (bytes) memcpy(keys, from->keys.items, bytes);
        t->keys = keys;
        t->count = from->keys.count;
        found f;
        TRY(find_live(__func__, world, t->name, &f)); // two tracks for one parameter are refused here
        t->row = f.row;
        t->at = f.at;
        TRY(check_track(world, t));
        world->track_count++;
    }
    follow_tracks(world);
    return FIRN_OK;
}

static firn_vec3 value_at(const world_track *t, double time) {
    size_t next = 0;
    while (next < t->count && t->keys[next].time <= time) next++;
    if (next == 0) return t->keys[0].value;
    if (next == t->count) return t->keys[t->count - 1].value;
    const firn_key_value *a = &t->keys[next - 1], *b = &t->keys[next];
    if (t->row->type != PARAM_REAL && t->row->type != PARAM_VEC3) return a->value; // there is no way between
    double f = (time - a->time) / (b->time - a->time);
    return (firn_vec3){a->value.x + f * (b->value.x - a->value.x), a->value.y + f * (b->value.y - a->value.y),
                       a->value.z + f * (b->value.z - a->value.z)};
}

static bool follow_tracks(firn_world *world) {
    bool any = false;
    for (size_t i = 0; i < world->track_count; i++) {
        const world_track *t = &world->tracks[i];
        firn_vec3 value = value_at(t, world->clock.time), before = param_get_number(t->row, t->at);
        if (value.x == before.x && value.y == before.y && value.z == before.z) continue;
        param_set_number(t->row, t->at, value);
        any = true;
    }
    return any;
}

void world_follow_tracks(firn_world *world) {
    if (follow_tracks(world)) world_tell_models(world, false);
}
