// The bodies as a model: fields, ledger, estimates.
#include <math.h>
#include <string.h>

#include "body/body_set.h"

enum { STATE = FIRN_FIELD_STATE, SHOWN = FIRN_FIELD_SHOWN, BOTH = STATE | SHOWN };

FIELD_GET(get_position, body_set, s->count, s->position)
FIELD_GET(get_rotation, body_set, s->count, s->rotation)
FIELD_GET(get_velocity, body_set, s->count, s->velocity)
FIELD_GET(get_spin, body_set, s->count, s->spin)
FIELD_GET(get_position_before, body_set, s->count, s->position_before)
FIELD_GET(get_rotation_before, body_set, s->count, s->rotation_before)
FIELD_GET(get_impulse, body_set, s->count, s->impulse)
FIELD_GET(get_twist, body_set, s->count, s->twist)
FIELD_GET(get_force, body_set, s->count, s->force)
FIELD_GET(get_torque, body_set, s->count, s->torque)
FIELD_GET_IF(get_late, body_set, s->has_clocks, s->count, s->late)
FIELD_GET_IF(get_target, body_set, s->any_kinematic, s->count, s->target)

static const field_row rows[] = {
    {"bodies.position", "m", "position of the origin of each body", FIRN_F64, 3, BOTH, get_position},
    {"bodies.rotation", "", "orientation: unit quaternion w, x, y, z", FIRN_F64, 4, BOTH, get_rotation},
    {"bodies.velocity", "m/s", "velocity of the centre of mass; of a kinematic body: of its origin", FIRN_F64,
     3, BOTH, get_velocity},
    {"bodies.spin", "rad/s", "angular velocity, world axes", FIRN_F64, 3, BOTH, get_spin},
    {"bodies.position_before", "m", "position at the start of the last step", FIRN_F64, 3, STATE,
     get_position_before},
    {"bodies.rotation_before", "", "orientation at the start of the last step", FIRN_F64, 4, STATE,
     get_rotation_before},
    {"bodies.impulse", "N s", "impulse from the models, applied in the next step", FIRN_F64, 3, STATE,
     get_impulse},
    {"bodies.angular_impulse", "N m s", "angular impulse about the centre of mass, applied in the next step",
     FIRN_F64, 3, STATE, get_twist},
    {"bodies.force", "N", "external force during the next step", FIRN_F64, 3, STATE, get_force},
    {"bodies.torque", "N m", "external torque about the centre of mass during the next step", FIRN_F64, 3,
     STATE, get_torque},
    {"bodies.late", "",
     "impulse (N s) and angular impulse (N m s) from models on slower clocks, applied during their next step",
     FIRN_F64, 6 * BODY_SLOWER_CLOCKS, STATE, get_late},
    {"bodies.target", "", "target of kinematic bodies: position (m), rotation, time (s)", FIRN_F64, 8, STATE,
     get_target},
};
static const field_table own_fields = FIELD_TABLE(rows);
static const field_table *const field_tables[] = {&own_fields, NULL};

static firn_status body_resize(void *model, const char *name, size_t count) {
    const body_set *s = model;
    if (count == s->count) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "%s holds %zu bodies, the scene has %zu", name, count, s->count);
}

static bool unit(firn_quat q) { return fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-6; }

static bool finite_late(const body_late *late) {
    for (size_t c = 0; c < BODY_SLOWER_CLOCKS; c++)
        if (!dvec_finite(late->impulse[c]) || !dvec_finite(late->twist[c])) return false;
    return true;
}

static bool finite_state(const body_set *s, size_t b) {
    return dvec_finite(s->position[b]) && dvec_finite(s->velocity[b]) && dvec_finite(s->spin[b]) &&
           dvec_finite(s->position_before[b]) && dvec_finite(s->impulse[b]) && dvec_finite(s->twist[b]) &&
           dvec_finite(s->force[b]) && dvec_finite(s->torque[b]) &&
           (!s->has_clocks || finite_late(&s->late[b]));
}

static firn_status body_loaded(void *model) {
    body_set *s = model;
    for (size_t b = 0; b < s->count; b++) {
        if (!finite_state(s, b))
            return fail(FIRN_BAD_INPUT, "the loaded state of body '%s' is not finite", s->item[b].name);
        const body_target *target = &s->target[b];
        if (s->item[b].motion == FIRN_MOTION_KINEMATIC &&
            (!dvec_finite(target->at) || !unit(target->turn) || !isfinite(target->time)))
            return fail(FIRN_BAD_INPUT, "the loaded target of body '%s' is not a valid pose",
                        s->item[b].name);
        if (!unit(s->rotation[b]) || !unit(s->rotation_before[b]))
            return fail(FIRN_BAD_INPUT, "the loaded rotation of body '%s' is not a unit quaternion",
                        s->item[b].name);
    }
    return bodies_limit_step(s);
}

static void body_ledger(const void *model, firn_ledger *out) {
    const body_set *s = model;
    out->items = s->count;
    for (size_t b = 0; b < s->count; b++) {
        const body_item *item = &s->item[b];
        out->max_speed = fmax(out->max_speed, dvec_length(s->velocity[b]));
        if (item->motion != FIRN_MOTION_DYNAMIC) continue;
        firn_vec3 turning = turned_times(item->inertia, s->rotation[b], s->spin[b]);
        out->mass += item->mass;
        out->momentum = dvec_add_scaled(out->momentum, s->velocity[b], item->mass);
        out->kinetic += (item->mass * dvec_length2(s->velocity[b]) + dvec_dot(turning, s->spin[b])) / 2;
        out->potential -= item->mass * dvec_dot(s->gravity, body_centre(s, b));
    }
    out->mass_in = out->mass;
}

static bool body_find_invalid(const void *model, uint64_t *item, const char **what) {
    const body_set *s = model;
    for (size_t b = 0; b < s->count; b++) {
        *item = b;
        firn_quat q = s->rotation[b];
        if (!dvec_finite(s->position[b])) return *what = "position", true;
        if (!isfinite(q.w + q.x + q.y + q.z)) return *what = "rotation", true;
        if (!dvec_finite(s->spin[b])) return *what = "spin", true;
        if (!(dvec_length(s->velocity[b]) <= s->max_speed)) return *what = "velocity", true;
    }
    return false;
}

static uint64_t shape_cost(const firn_shape_def *def) {
    uint64_t bytes = 4096;
    switch (def->kind) {
    case FIRN_SHAPE_MESH:
    case FIRN_SHAPE_BINVOX:
    case FIRN_SHAPE_HARE:
    case FIRN_SHAPE_SNOWMAN:
    case FIRN_SHAPE_HOUSE:
    case FIRN_SHAPE_ROCK:
    case FIRN_SHAPE_LAMP_POST: return 2 << 20; // bricks near a surface of 48^2 cells, and the mesh
    case FIRN_SHAPE_TREE:
    case FIRN_SHAPE_FENCE:
    case FIRN_SHAPE_HEIGHT_MAP:
    case FIRN_SHAPE_HILLS: return 8 << 20;
    case FIRN_SHAPE_UNION:
        for (size_t i = 0; i < def->parts.count; i++) bytes += shape_cost(&def->parts.items[i].shape);
        return bytes;
    default: return 64 << 10;
    }
}

// Time: a dynamic body has a few contacts, each costs the solver some microseconds.
static firn_status body_cost(const void *params, const model_setting *setting, firn_cost *cost) {
    (void)setting;
    const body_set_params *set = params;
    cost->bodies += set->count;
    cost->disk += set->count * sizeof(double) * (3 + 4 + 3 + 3);
    for (size_t b = 0; b < set->count; b++) {
        bool dynamic = set->items[b].motion.kind == FIRN_MOTION_DYNAMIC;
        cost->memory += sizeof(body_item) + sizeof(body_flight) + 320 + shape_cost(&set->items[b].shape);
        if (dynamic) cost->memory += 8 * PAIR_CONTACTS * sizeof(body_contact);
        cost->seconds += dynamic ? 2e-5 : 2e-7;
    }
    return FIRN_OK;
}

static firn_status body_create(const void *params, const model_setting *setting, const body_set *bodies,
                               void **model) {
    (void)bodies; // these are they
    const body_set_params *set = params;
    body_set *s;
    TRY(body_set_create(set->items, set->count, setting, &s));
    *model = s;
    return FIRN_OK;
}

static void body_destroy(void *model) { body_set_destroy(model); }
static double body_max_dt(const void *model) { return ((const body_set *)model)->max_dt; }
static profile *body_profile(void *model) { return &((body_set *)model)->profile; }

static void body_changed(void *model, const void *params, const model_setting *setting) {
    body_set *s = model;
    const body_set_params *def = params;
    s->gravity = setting->gravity;
    s->max_speed = setting->max_speed;
    for (size_t b = 0; b < s->count; b++) body_take_surface(&def->items[b], setting, &s->item[b]);
}

const model_class body_model = {
    .name = "bodies",
    .help = "rigid bodies: fixed, moved by keyframes, or dynamic with contacts, friction and bounce",
    .sections = &body_sections,
    .create = body_create,
    .destroy = body_destroy,
    .changed = body_changed,
    .max_dt = body_max_dt,
    .step = body_step_model,
    .fields = field_tables,
    .resize = body_resize,
    .loaded = body_loaded,
    .ledger = body_ledger,
    .find_invalid = body_find_invalid,
    .cost = body_cost,
    .profile = body_profile,
};
