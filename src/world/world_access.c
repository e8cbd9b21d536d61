// Functions with which a program reads and moves a world.
#include "world/world_state.h"

#include <math.h>
#include <string.h>

#include "math/dvec.h"

const body_set *world_bodies(const firn_world *world) { return world->member[0].state; }

const firn_world_def *world_def(const firn_world *world) { return world->def; }

const model_drawing *world_drawing(const firn_world *world, size_t offset, const void **model) {
    for (size_t i = 0; i < world->members; i++) {
        const model_drawing *drawing = world->member[i].kind->drawing;
        const void *part = NULL;
        if (drawing) memcpy(&part, (const char *)drawing + offset, sizeof part);
        if (!part) continue;
        if (model) *model = world->member[i].state;
        return drawing;
    }
    return NULL;
}

size_t world_model_count(const firn_world *world) { return world->members; }
const model_class *world_model_class(const firn_world *world, size_t i) { return world->member[i].kind; }
void *world_model(const firn_world *world, size_t i) { return world->member[i].state; }

world_clock world_clock_get(const firn_world *world) { return world->clock; }
void world_clock_set(firn_world *world, world_clock clock) {
    world->clock = clock;
    for (size_t i = 0; i < world->members && !world->clocks.nested; i++) world->steps[i] = clock.step;
}
uint64_t world_model_steps(const firn_world *world, size_t i) { return world->steps[i]; }
double world_model_seconds(const firn_world *world, size_t i) { return world->member[i].seconds; }
uint64_t world_identity(const firn_world *world) { return world->identity; }
double world_fps(const firn_world *world) { return world->def->fps; }

double firn_world_time(const firn_world *world) {
    NEED_OR(world, 0);
    return world->clock.time;
}

uint64_t firn_world_steps(const firn_world *world) {
    NEED_OR(world, 0);
    return world->clock.step;
}

uint64_t firn_world_frame(const firn_world *world) {
    NEED_OR(world, 0);
    return world->clock.frame;
}

double firn_world_duration(const firn_world *world) {
    NEED_OR(world, 0);
    return world->def->duration;
}

uint64_t firn_world_frames(const firn_world *world) {
    NEED_OR(world, 0);
    double frames = floor(world->def->duration * world->def->fps + 0.5);
    return frames < 1 ? 1 : (uint64_t)frames;
}

size_t firn_world_field_count(const firn_world *world) {
    NEED_OR(world, 0);
    return world->fields;
}

static size_t member_of(const firn_world *world, const char *field) {
    size_t i = 0;
    for (; i < world->members; i++) {
        size_t prefix = strlen(world->member[i].kind->name);
        if (strncmp(field, world->member[i].kind->name, prefix) == 0 && field[prefix] == '.') break;
    }
    return i;
}

// Models work out what is derived in their own memory: for one of the threads that read at a time.
static void reading_begins(const firn_world *world) { par_lock_take(&((firn_world *)world)->reading); }
static void reading_ends(const firn_world *world) { par_lock_release(&((firn_world *)world)->reading); }

// Derived fields are computed on first access.
static void bring_up_to_date(const firn_world *world, size_t index) {
    if (world->for_frames) return;
    if ((world->field[index].flags & (FIRN_FIELD_STATE | FIRN_FIELD_SHOWN)) != FIRN_FIELD_SHOWN) return;
    const world_member *member = &world->member[world->field_of[index]];
    if (!member->kind->show) return;
    reading_begins(world);
    member->kind->show(member->state);
    reading_ends(world);
}

double world_spacing(const firn_world *world, const char *name) {
    size_t i = member_of(world, name);
    if (i >= world->members || !world->member[i].kind->spacing) return 0;
    return world->member[i].kind->spacing(world->member[i].state);
}

firn_field firn_world_field_at(const firn_world *world, size_t index) {
    IN_WORLD(world);
    const firn_field none = {0};
    NEED_OR(world, none);
    if (index >= world->fields)
        return fail(FIRN_BAD_INPUT, "there is no field %zu; the world has %zu", index, world->fields), none;
    bring_up_to_date(world, index);
    return world->field[index];
}

firn_field world_field_as_is(const firn_world *world, size_t index) { return world->field[index]; }

void *world_field_data(firn_world *world, size_t index) { return (void *)world->field[index].data; }

firn_field firn_world_field(const firn_world *world, const char *name) {
    const firn_field none = {0};
    NEED_OR(world, none);
    NEED_OR(name, none);
    for (size_t i = 0; i < world->fields; i++)
        if (strcmp(world->field[i].name, name) == 0) return firn_world_field_at(world, i);
    return none;
}

size_t firn_world_body_count(const firn_world *world) {
    NEED_OR(world, 0);
    return body_count(world_bodies(world));
}

static firn_status check_body(const firn_world *world, size_t body) {
    NEED(world);
    size_t count = body_count(world_bodies(world));
    return body < count ? FIRN_OK
                        : fail(FIRN_BAD_INPUT, "there is no body %zu; the world has %zu", body, count);
}

const char *firn_world_body_name(const firn_world *world, size_t body) {
    return check_body(world, body) == FIRN_OK ? body_name(world_bodies(world), body) : NULL;
}

size_t firn_world_body_find(const firn_world *world, const char *name) {
    NEED_OR(world, SIZE_MAX);
    NEED_OR(name, SIZE_MAX);
    return body_find(world_bodies(world), name);
}

firn_body_state firn_world_body_state(const firn_world *world, size_t body) {
    return check_body(world, body) == FIRN_OK ? body_state(world_bodies(world), body) : (firn_body_state){0};
}

static bool finite3(firn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

firn_status firn_world_body_push(firn_world *world, size_t body, firn_vec3 force, firn_vec3 at) {
    IN_WORLD(world);
    TRY(check_body(world, body));
    if (!finite3(force) || !finite3(at)) return fail(FIRN_BAD_INPUT, "force or point is not finite");
    body_set *bodies = world->member[0].state;
    if (body_motion(bodies, body) != FIRN_MOTION_DYNAMIC)
        return fail(FIRN_BAD_INPUT, "body '%s' is not dynamic and cannot be pushed", body_name(bodies, body));
    body_add_force(bodies, body, force, at);
    world->energy.driven = true;
    return FIRN_OK;
}

// Games hand over quaternions of floats, which are not quite unit.
static firn_status check_pose(const char *name, firn_vec3 position, firn_quat *q) {
    double length = sqrt(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z);
    if (!finite3(position) || dvec_length(position) > 1e7)
        return fail(FIRN_BAD_INPUT, "body '%s': invalid position %g, %g, %g m", name, position.x, position.y,
                    position.z);
    if (!(fabs(length - 1) < 1e-2))
        return fail(FIRN_BAD_INPUT, "body '%s': invalid rotation %g, %g, %g, %g: must be a unit quaternion",
                    name, q->w, q->x, q->y, q->z);
    *q = (firn_quat){q->w / length, q->x / length, q->y / length, q->z / length};
    return FIRN_OK;
}

firn_status firn_world_body_set_target(firn_world *world, size_t body, firn_vec3 position, firn_quat rotation,
                                       double seconds) {
    IN_WORLD(world);
    TRY(check_body(world, body));
    body_set *bodies = world->member[0].state;
    const char *name = body_name(bodies, body);
    if (body_motion(bodies, body) != FIRN_MOTION_KINEMATIC)
        return fail(FIRN_BAD_INPUT,
                    "body '%s' is not kinematic and takes no target; give it the motion 'kinematic'", name);
    if (!(seconds >= 0 && seconds < 1e9))
        return fail(FIRN_BAD_INPUT, "body '%s': invalid time %g s to reach its target", name, seconds);
    TRY(check_pose(name, position, &rotation));
    body_set_target(bodies, body, position, rotation, world->clock.time, world->clock.time + seconds);
    return FIRN_OK;
}

firn_status firn_world_body_place(firn_world *world, size_t body, const firn_body_state *state) {
    IN_WORLD(world);
    TRY(check_body(world, body));
    NEED(state);
    body_set *bodies = world->member[0].state;
    const char *name = body_name(bodies, body);
    if (body_motion(bodies, body) != FIRN_MOTION_DYNAMIC)
        return fail(FIRN_BAD_INPUT, "body '%s' is not dynamic and cannot be placed", name);
    firn_body_state to = *state;
    TRY(check_pose(name, to.position, &to.rotation));
    if (!finite3(to.spin) || !(dvec_length(to.velocity) <= world->def->max_speed))
        return fail(FIRN_BAD_INPUT,
                    "body '%s': invalid velocity %g, %g, %g m/s or angular velocity %g, %g, %g rad/s", name,
                    to.velocity.x, to.velocity.y, to.velocity.z, to.spin.x, to.spin.y, to.spin.z);
    world->energy.driven = true;
    return body_place(bodies, body, &to);
}

firn_impulse firn_world_body_reaction(const firn_world *world, size_t body) {
    return check_body(world, body) == FIRN_OK ? body_reaction(world_bodies(world), body) : (firn_impulse){0};
}

firn_status firn_world_body_mesh(const firn_world *world, size_t body, firn_mesh *out) {
    if (!out) return fail_null(__func__, "mesh");
    *out = (firn_mesh){0};
    TRY(check_body(world, body));
    *out = mesh_view(body_mesh(world_bodies(world), body));
    return FIRN_OK;
}

firn_status firn_world_body_set_user(firn_world *world, size_t body, void *user) {
    IN_WORLD(world);
    TRY(check_body(world, body));
    body_set_user(world->member[0].state, body, user);
    return FIRN_OK;
}

void *firn_world_body_user(const firn_world *world, size_t body) {
    return check_body(world, body) == FIRN_OK ? body_user(world_bodies(world), body) : NULL;
}

firn_status firn_world_body_query(const firn_world *world, size_t body, size_t n, const float *points,
                                  float *distance, float *normals, float *velocities) {
    IN_WORLD(world);
    TRY(check_body(world, body));
    NEED(points || n == 0);
    body_query_packed(world_bodies(world), body, n, points, distance, normals, velocities);
    return FIRN_OK;
}

size_t firn_world_ledger_count(const firn_world *world) {
    NEED_OR(world, 0);
    return world->members;
}

firn_ledger firn_world_ledger(const firn_world *world, size_t index) {
    IN_WORLD(world);
    firn_ledger ledger = {0};
    NEED_OR(world, ledger);
    if (index >= world->members)
        return fail(FIRN_BAD_INPUT, "there is no ledger %zu; the world has %zu", index, world->members),
               ledger;
    ledger.model = world->member[index].kind->name;
    ledger.steps = world->steps[index];
    reading_begins(world);
    world->member[index].kind->ledger(world->member[index].state, &ledger);
    reading_ends(world);
    if (index == 0) { // bodies know only of those that are there
        ledger.mass_out = world_removed_bodies(world);
        ledger.mass_in += ledger.mass_out;
    }
    return ledger;
}

static bool is_present(const world_member *member, const series_table *table) {
    return !table->present || table->present(member->state);
}

size_t firn_world_series_count(const firn_world *world) {
    NEED_OR(world, 0);
    size_t count = 0;
    for (size_t i = 0; i < world->members; i++)
        for (const series_table *const *t = world->member[i].kind->series; t && *t; t++)
            if (is_present(&world->member[i], *t)) count += (*t)->count;
    return count + coupling_series(world, NULL);
}

static firn_series series_of(const model_class *kind, const series_row *row, double value) {
    return (firn_series){.model = kind->name,
                         .panel = row->panel,
                         .name = row->name,
                         .unit = row->unit,
                         .help = row->help,
                         .value = value};
}

// The rows and values of a present table; several threads may ask at once.
static firn_status read_table(const world_member *member, const series_table *table, firn_series *out) {
    double *values = mem_alloc(table->count * sizeof *values);
    if (!values) return fail_memory("reading time series", table->count * sizeof *values);
    table->get(member->state, values);
    for (size_t k = 0; k < table->count; k++) out[k] = series_of(member->kind, &table->rows[k], values[k]);
    mem_free(values);
    return FIRN_OK;
}

static firn_series read_one(const world_member *member, const series_table *table, size_t row) {
    firn_series found = {0}, *all = mem_alloc(table->count * sizeof *all);
    if (!all) return fail_memory("reading time series", table->count * sizeof *all), found;
    if (read_table(member, table, all) == FIRN_OK) found = all[row];
    mem_free(all);
    return found;
}

firn_series firn_world_series_at(const firn_world *world, size_t index) {
    IN_WORLD(world);
    const firn_series none = {0};
    NEED_OR(world, none);
    size_t left = index;
    for (size_t i = 0; i < world->members; i++) {
        const world_member *member = &world->member[i];
        for (const series_table *const *t = member->kind->series; t && *t; t++) {
            if (!is_present(member, *t)) continue;
            if (left < (*t)->count) return read_one(member, *t, left);
            left -= (*t)->count;
        }
    }
    firn_series last[COUPLING_SERIES];
    size_t more = coupling_series(world, last);
    if (left < more) return last[left];
    return fail(FIRN_BAD_INPUT, "there is no series %zu; the world has %zu", index, index - left + more),
           none;
}

firn_status world_series(const firn_world *world, firn_series *out) {
    for (size_t i = 0; i < world->members; i++) {
        const world_member *member = &world->member[i];
        for (const series_table *const *t = member->kind->series; t && *t; t++) {
            if (!is_present(member, *t)) continue;
            TRY(read_table(member, *t, out));
            out += (*t)->count;
        }
    }
    coupling_series(world, out);
    return FIRN_OK;
}

double firn_world_model_seconds(const firn_world *world, size_t index) {
    NEED_OR(world, 0);
    if (index < world->members) return world->member[index].seconds;
    return fail(FIRN_BAD_INPUT, "there is no model %zu; the world has %zu", index, world->members), 0;
}

static const profile *passes_of(const world_member *member) {
    static const profile none;
    return member->kind->profile ? member->kind->profile(member->state) : &none;
}

size_t firn_world_pass_count(const firn_world *world) {
    NEED_OR(world, 0);
    size_t count = 0;
    for (size_t i = 0; i < world->members; i++) count += (size_t)passes_of(&world->member[i])->count;
    return count;
}

firn_pass firn_world_pass(const firn_world *world, size_t index) {
    const firn_pass none = {0};
    NEED_OR(world, none);
    size_t left = index;
    for (size_t i = 0; i < world->members; i++) {
        const profile *p = passes_of(&world->member[i]);
        if (left < (size_t)p->count)
            return (firn_pass){world->member[i].kind->name, p->name[left], p->seconds[left]};
        left -= (size_t)p->count;
    }
    return fail(FIRN_BAD_INPUT, "there is no pass %zu; the world has %zu", index, index - left), none;
}
