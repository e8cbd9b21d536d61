// What the pointer holds and the keys steer: before each step a touch that pulls it along.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim_inside.h"

static firn_vec3 turned(firn_quat q, firn_vec3 v) {
    firn_vec3 t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z), 2 * (q.x * v.y - q.y * v.x)};
    return (firn_vec3){v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                       v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

// A critically damped spring of 10 rad/s between the grip and the pointer.
static void pull(sim *s) {
    monitor_enter(s->lock);
    drag d = s->drag;
    monitor_leave(s->lock);
    size_t body = d.body[0] ? firn_world_body_find(s->world, d.body) : SIZE_MAX;
    if (body == SIZE_MAX) return;
    firn_body_state b = firn_world_body_state(s->world, body);
    firn_vec3 arm = turned(b.rotation, d.grip), w = b.spin, at = b.position;
    char line[TOUCH_ROOM];
    const double stiffness = 100 * b.mass, damping = 20 * b.mass;
    firn_vec3 grip = {at.x + arm.x, at.y + arm.y, at.z + arm.z};
    firn_vec3 v = {b.velocity.x + w.y * arm.z - w.z * arm.y, b.velocity.y + w.z * arm.x - w.x * arm.z,
                   b.velocity.z + w.x * arm.y - w.y * arm.x};
    firn_vec3 f = {stiffness * (d.target.x - grip.x) - damping * v.x,
                   stiffness * (d.target.y - grip.y) - damping * v.y,
                   stiffness * (d.target.z - grip.z) - damping * v.z};
    snprintf(line, sizeof line, "push %s %.17g %.17g %.17g %.17g %.17g %.17g", d.body, f.x, f.y, f.z, grip.x,
             grip.y, grip.z);
    sim_touch(s, line);
}

static bool read_vector(const firn_field *f, size_t item, firn_vec3 *out) {
    if (!f->data || item >= f->count || f->components != 3) return false;
    const double *d = (const double *)f->data + 3 * item;
    const float *x = (const float *)f->data + 3 * item;
    *out = f->type == FIRN_F64 ? (firn_vec3){d[0], d[1], d[2]}
                               : (firn_vec3){(double)x[0], (double)x[1], (double)x[2]};
    return f->type == FIRN_F64 || f->type == FIRN_F32;
}

static firn_field field_of(const firn_world *world, const char *model, const char *name) {
    char whole[64];
    snprintf(whole, sizeof whole, "%s.%s", model, name);
    return firn_world_field(world, whole);
}

// The same spring for what is soft: all around the particle get the change of its velocity.
static void pull_soft(sim *s) {
    monitor_enter(s->lock);
    drag d = s->drag;
    monitor_leave(s->lock);
    if (!d.soft.model[0]) return;
    firn_field id = field_of(s->world, d.soft.model, "id"), at = field_of(s->world, d.soft.model, "position");
    firn_field velocity = field_of(s->world, d.soft.model, "velocity");
    size_t item = d.soft.item;
    firn_vec3 p, v;
    if (d.soft.has_id && id.data && id.type == FIRN_U32)
        for (item = 0; item < id.count && ((const uint32_t *)id.data)[item] != (uint32_t)d.soft.id;) item++;
    if (!read_vector(&at, item, &p) || !read_vector(&velocity, item, &v)) return;
    char line[TOUCH_ROOM];
    const double dt = fmin(s->dt > 0 ? s->dt : 1e-3, 0.02), k = 100 * dt, c = 20 * dt;
    snprintf(line, sizeof line, "shove %.17g %.17g %.17g %.17g %.17g %.17g %.17g", p.x, p.y, p.z,
             d.soft.radius, k * (d.target.x - p.x) - c * v.x, k * (d.target.y - p.y) - c * v.y,
             k * (d.target.z - p.z) - c * v.z);
    sim_touch(s, line);
}

// About the vertical through its origin: a kinematic body is turned while it moves.
static void write_pose(char *line, size_t room, const steering *wanted, const firn_body_state *b,
                       double seconds) {
    firn_vec3 v = wanted->velocity, at = b->position;
    int length = snprintf(line, room, "target %s %.17g %.17g %.17g %.17g", wanted->body, at.x + seconds * v.x,
                          at.y + seconds * v.y, at.z + seconds * v.z, seconds);
    if (wanted->turn == 0 || length < 0) return;
    double c = cos(0.5 * seconds * wanted->turn), d = sin(0.5 * seconds * wanted->turn);
    firn_quat q = b->rotation;
    snprintf(line + length, room - (size_t)length, " %.17g %.17g %.17g %.17g", c * q.w - d * q.y,
             c * q.x + d * q.z, c * q.y + d * q.w, c * q.z - d * q.x);
}

// How far the body extends from its origin.
static double extent(const firn_world *world, size_t body) {
    firn_mesh m;
    double most = 0;
    if (firn_world_body_mesh(world, body, &m) != FIRN_OK) return 0;
    for (size_t i = 0, stride = m.vertices / 500 + 1; i < m.vertices; i += stride) {
        const float *p = m.position + 3 * i;
        most = fmax(most, hypot(hypot((double)p[0], (double)p[1]), (double)p[2]));
    }
    return most;
}

// A dynamic body is turned by a couple: two opposite forces at the ends of an arm. Its moment of inertia is
// about that of an even body of its extent.
static bool twist(sim *s, size_t body, const steering *wanted, const firn_body_state *b, double seconds) {
    double arm = extent(s->world, body);
    if (!(arm > 0)) return true;
    double torque = 0.3 * b->mass * arm * arm * (wanted->turn - b->spin.y) / seconds,
           force = 0.5 * torque / arm;
    char line[TOUCH_ROOM];
    bool good = true;
    for (int side = -1; side <= 1 && good; side += 2) {
        snprintf(line, sizeof line, "push %s 0 0 %.17g %.17g %.17g %.17g", wanted->body, -side * force,
                 b->position.x + side * arm, b->position.y, b->position.z);
        good = sim_touch(s, line);
    }
    return good;
}

// A body is brought to the wanted velocity within about 0.1 s; a kinematic one goes on until 0.1 s after the
// last order.
static void steer(sim *s) {
    const double seconds = 0.1;
    monitor_enter(s->lock);
    steering wanted = s->steering;
    monitor_leave(s->lock);
    size_t body = wanted.body[0] ? firn_world_body_find(s->world, wanted.body) : SIZE_MAX;
    if (body == SIZE_MAX) return;
    firn_body_state b = firn_world_body_state(s->world, body);
    firn_vec3 v = wanted.velocity, at = b.position;
    double rate = b.mass / seconds;
    char line[TOUCH_ROOM];
    if (b.mass > 0)
        snprintf(line, sizeof line, "push %s %.17g %.17g %.17g %.17g %.17g %.17g", wanted.body,
                 rate * (v.x - b.velocity.x), v.y != 0 ? rate * (v.y - b.velocity.y) : 0,
                 rate * (v.z - b.velocity.z), at.x, at.y, at.z);
    else
        write_pose(line, sizeof line, &wanted, &b, seconds);
    bool good = sim_touch(s, line);
    if (good && b.mass > 0 && wanted.turn != 0) good = twist(s, body, &wanted, &b, seconds);
    if (good) return;
    sim_steer(s, NULL, v, 0); // one message is enough
}

void sim_use_hands(sim *s) {
    pull(s);
    pull_soft(s);
    steer(s);
}
