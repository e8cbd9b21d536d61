// Creation of bodies from their defs, and accessors.
#include <string.h>

#include "body/body_set.h"

static firn_status copy_name(const char *name, char **out) {
    size_t bytes = strlen(name) + 1;
    *out = mem_alloc(bytes);
    if (!*out) return fail_memory("naming a body", bytes);
    memcpy(*out, name, bytes);
    return FIRN_OK;
}

static firn_status take_motion(const firn_body_def *def, body_item *item) {
    item->motion = def->motion.kind;
    if (item->motion != FIRN_MOTION_KEYFRAMES) return FIRN_OK;
    size_t count = def->motion.keyframes.count, bytes = count * sizeof(firn_keyframe);
    if (count == 0)
        return fail(FIRN_BAD_INPUT, "body '%s': motion by keyframes needs at least one keyframe", def->name);
    item->keyframes = mem_alloc(bytes);
    if (!item->keyframes) return fail_memory("copying keyframes", bytes);
    memcpy(item->keyframes, def->motion.keyframes.items, bytes);
    item->keyframe_count = count;
    return FIRN_OK;
}

// From the centre of mass to the farthest corner of the box around the shape.
static double bounding_radius_of(const body_item *item) {
    firn_vec3 a = dvec_abs(dvec_sub(item->low, item->centre)),
              b = dvec_abs(dvec_sub(item->high, item->centre));
    return dvec_length(dvec_max(a, b));
}

static firn_status make_item(const firn_body_def *def, const model_setting *setting, body_item *item) {
    TRY(copy_name(def->name ? def->name : "", &item->name));
    TRY(take_motion(def, item));
    item->kind = def->shape.kind;
    TRY(shape_create(&def->shape, def->scale, setting->folder, item->name, &item->shape));
    item->bounded = shape_bounds(item->shape, &item->low, &item->high);
    item->thickness = shape_thickness(item->shape);
    TRY(body_take_material(def, setting, item));
    if (item->bounded) {
        item->bounding_radius = item->kind == FIRN_SHAPE_SPHERE ? item->high.x : bounding_radius_of(item);
        TRY(body_make_probes(item->shape, item->kind, &item->probes));
    }
    return FIRN_OK;
}

static void place(body_set *s, size_t b, const firn_body_def *def, double time) {
    const body_item *item = &s->item[b];
    body_pose pose = {def->at, dquat_from_angles(def->rotate)};
    firn_vec3 velocity = def->velocity, spin = def->spin;
    if (item->motion == FIRN_MOTION_KEYFRAMES)
        keyframes_at(item->keyframes, item->keyframe_count, time, &pose, &velocity, &spin);
    s->position[b] = s->position_before[b] = pose.at;
    s->rotation[b] = s->rotation_before[b] = pose.turn;
    bool still = item->motion == FIRN_MOTION_FIXED || item->motion == FIRN_MOTION_KINEMATIC;
    s->velocity[b] = still ? dvec(0, 0, 0) : velocity;
    s->spin[b] = still ? dvec(0, 0, 0) : spin;
    s->target[b] = (body_target){pose.at, pose.turn, 0};
    s->any_kinematic = s->any_kinematic || item->motion == FIRN_MOTION_KINEMATIC;
}

static bool take(void *pointer, size_t count, size_t item) {
    void *memory = mem_zero(count + 1, item); // one more, so that zero bodies are not NULL
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL;
}

static firn_status take_memory(body_set *s, size_t n) {
    bool ok = take(&s->item, n, sizeof *s->item) && take(&s->position, n, sizeof *s->position) &&
              take(&s->rotation, n, sizeof *s->rotation) && take(&s->velocity, n, sizeof *s->velocity) &&
              take(&s->spin, n, sizeof *s->spin) &&
              take(&s->position_before, n, sizeof *s->position_before) &&
              take(&s->rotation_before, n, sizeof *s->rotation_before) &&
              take(&s->impulse, n, sizeof *s->impulse) && take(&s->twist, n, sizeof *s->twist) &&
              take(&s->force, n, sizeof *s->force) && take(&s->torque, n, sizeof *s->torque) &&
              take(&s->target, n, sizeof *s->target) && take(&s->reaction, n, sizeof *s->reaction) &&
              take(&s->flight, n, sizeof *s->flight) && take(&s->box, n, sizeof *s->box) &&
              take(&s->keys, n, sizeof *s->keys) && take(&s->order, n, sizeof *s->order) &&
              take(&s->scratch_keys, n, sizeof *s->scratch_keys) &&
              take(&s->scratch_order, n, sizeof *s->scratch_order);
    return ok ? FIRN_OK : fail_memory("making bodies", n * sizeof *s->item);
}

static firn_status fill_set(body_set *s, const firn_body_def *defs, size_t count,
                            const model_setting *setting) {
    TRY(take_memory(s, count));
    s->count = count;
    s->gravity = setting->gravity;
    s->seed = setting->seed;
    s->max_speed = setting->max_speed;
    for (size_t b = 0; b < count; b++) {
        TRY(make_item(&defs[b], setting, &s->item[b]));
        place(s, b, &defs[b], setting->time);
    }
    TRY(body_solver_create(s, &s->solver));
    return bodies_limit_step(s);
}

firn_status body_set_create(const firn_body_def *defs, size_t count, const model_setting *setting,
                            body_set **out) {
    *out = NULL;
    body_set *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory("making bodies", sizeof *s);
    firn_status status = fill_set(s, defs, count, setting);
    if (status != FIRN_OK) {
        body_set_destroy(s);
        return status;
    }
    *out = s;
    return FIRN_OK;
}

static void free_item(body_item *item) {
    mem_free(item->name);
    mem_free(item->keyframes);
    mem_free(item->probes.x);
    shape_destroy(item->shape);
}

void body_set_destroy(body_set *s) {
    if (!s) return;
    body_solver_destroy(s->solver);
    for (size_t b = 0; b < s->count; b++) free_item(&s->item[b]);
    void *arrays[] = {s->item,
                      s->position,
                      s->rotation,
                      s->velocity,
                      s->spin,
                      s->position_before,
                      s->rotation_before,
                      s->impulse,
                      s->twist,
                      s->force,
                      s->torque,
                      s->target,
                      s->reaction,
                      s->flight,
                      s->box,
                      s->keys,
                      s->order,
                      s->scratch_keys,
                      s->scratch_order,
                      s->pairs,
                      s->contacts,
                      s->contact_count,
                      s->touches,
                      s->late,
                      s->kept_before,
                      s->kept_now};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) mem_free(arrays[i]);
    for (size_t c = 0; c < BODY_SLOWER_CLOCKS; c++) mem_free(s->mark[c]);
    mem_free(s);
}

size_t body_count(const body_set *bodies) { return bodies->count; }
const char *body_name(const body_set *bodies, size_t b) { return bodies->item[b].name; }
firn_motion_kind body_motion(const body_set *bodies, size_t b) { return bodies->item[b].motion; }
firn_shape_kind body_shape(const body_set *bodies, size_t b) { return bodies->item[b].kind; }
body_inertia body_inertia_now(const body_set *bodies, size_t b) {
    const body_item *item = &bodies->item[b];
    body_inertia out = {.mass = item->mass, .centre = body_centre(bodies, b)};
    for (int k = 0; k < 3; k++) {
        firn_vec3 axis = {k == 0, k == 1, k == 2};
        firn_vec3 column = turned_times(item->inertia, bodies->rotation[b], axis);
        out.about[0][k] = column.x;
        out.about[1][k] = column.y;
        out.about[2][k] = column.z;
    }
    return out;
}

firn_contact_kind body_contact_kind(const body_set *bodies, size_t b) { return bodies->item[b].contact; }
double body_friction(const body_set *bodies, size_t b) { return bodies->item[b].friction; }
double body_temperature(const body_set *bodies, size_t b) { return bodies->item[b].temperature; }
double body_heat_contact(const body_set *bodies, size_t b) { return bodies->item[b].heat_contact; }
double body_restitution(const body_set *bodies, size_t b) { return bodies->item[b].restitution; }
firn_vec3 body_color(const body_set *bodies, size_t b) { return bodies->item[b].color; }
const mesh *body_mesh(const body_set *bodies, size_t b) { return shape_mesh(bodies->item[b].shape); }

size_t body_find(const body_set *bodies, const char *name) {
    for (size_t b = 0; name && b < bodies->count; b++)
        if (strcmp(bodies->item[b].name, name) == 0) return b;
    return SIZE_MAX;
}

firn_body_state body_state(const body_set *bodies, size_t b) {
    return (firn_body_state){bodies->position[b], bodies->rotation[b], bodies->velocity[b], bodies->spin[b],
                             bodies->item[b].mass};
}

firn_vec3 body_velocity_at(const body_set *bodies, size_t b, firn_vec3 point) {
    // Keyframes move the origin, dynamics the centre of mass.
    firn_vec3 pivot = body_is_dynamic(bodies, b) ? body_centre(bodies, b) : bodies->position[b];
    return dvec_add(bodies->velocity[b], dvec_cross(bodies->spin[b], dvec_sub(point, pivot)));
}

bool body_is_sampled(const body_set *bodies, size_t b) {
    return bodies->item[b].kind >= FIRN_SHAPE_HEIGHT_MAP;
}

double body_min_thickness(const body_set *bodies, size_t b) {
    const body_item *item = &bodies->item[b];
    if (!body_is_sampled(bodies, b)) return item->thickness;
    firn_vec3 size = dvec_sub(item->high, item->low);
    return fmin(item->thickness, fmax(size.x, fmax(size.y, size.z)) / 48);
}

void body_add_impulses(body_set *bodies, size_t b, firn_vec3 impulse, firn_vec3 twist, firn_vec3 about) {
    firn_vec3 arm = dvec_sub(about, body_centre(bodies, b));
    twist = dvec_add(twist, dvec_cross(arm, impulse));
    body_add_reaction(bodies, b, impulse, twist);
    if (!body_is_dynamic(bodies, b)) return;
    bool late = bodies->view == VIEW_SLOWER;
    firn_vec3 *to = late ? &bodies->late[b].impulse[bodies->late_clock] : &bodies->impulse[b];
    firn_vec3 *turn = late ? &bodies->late[b].twist[bodies->late_clock] : &bodies->twist[b];
    *to = dvec_add(*to, impulse);
    *turn = dvec_add(*turn, twist);
}

void body_add_impulse(body_set *bodies, size_t b, firn_vec3 impulse, firn_vec3 at) {
    body_add_impulses(bodies, b, impulse, dvec(0, 0, 0), at);
}

void body_add_force(body_set *bodies, size_t b, firn_vec3 force, firn_vec3 at) {
    if (!body_is_dynamic(bodies, b)) return;
    firn_vec3 torque = dvec_cross(dvec_sub(at, body_centre(bodies, b)), force);
    if (bodies->view == VIEW_SLOWER) {
        body_late *late = &bodies->late[b];
        size_t c = bodies->late_clock;
        late->impulse[c] = dvec_add_scaled(late->impulse[c], force, bodies->late_dt);
        late->twist[c] = dvec_add_scaled(late->twist[c], torque, bodies->late_dt);
        return;
    }
    bodies->force[b] = dvec_add(bodies->force[b], force);
    bodies->torque[b] = dvec_add(bodies->torque[b], torque);
}
