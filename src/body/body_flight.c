// Integration: the free flight that every step starts from, and the final motion.
#include <math.h>

#include "body/body_set.h"

// A body in contact and nearly at rest is damped to rest: kinetic energy below that of REST_SPEED decays at
// up to REST_DAMPING.
static const double REST_SPEED = 0.02; // m/s
static const double REST_DAMPING = 4;  // 1/s

// Torque-free rotation: conserves angular momentum, not angular velocity. Midpoint rule: half a step gives
// the spin for the whole step.
static void tumble(const body_item *item, firn_quat turn, firn_vec3 momentum, double dt, firn_quat *new_turn,
                   firn_vec3 *new_spin) {
    firn_vec3 spin = turned_times(item->inverse_inertia, turn, momentum);
    firn_quat half = dquat_spin(turn, spin, dt / 2);
    *new_turn = dquat_spin(turn, turned_times(item->inverse_inertia, half, momentum), dt);
    *new_spin = turned_times(item->inverse_inertia, *new_turn, momentum);
}

static void predict_dynamic(body_set *s, size_t b, double dt) {
    const body_item *item = &s->item[b];
    body_flight *f = &s->flight[b];
    *f = (body_flight){.centre = body_centre(s, b), .hit = INFINITY};
    f->velocity = dvec_add_scaled(s->velocity[b], s->impulse[b], 1 / item->mass);
    f->acceleration = dvec_add_scaled(s->gravity, s->force[b], 1 / item->mass);
    f->free_velocity = dvec_add_scaled(f->velocity, f->acceleration, dt);
    firn_vec3 momentum = dvec_add(turned_times(item->inertia, s->rotation[b], s->spin[b]), s->twist[b]);
    f->spin = turned_times(item->inverse_inertia, s->rotation[b], momentum);
    momentum = dvec_add_scaled(momentum, s->torque[b], dt);
    tumble(item, s->rotation[b], momentum, dt, &f->free_turn, &f->free_spin);
    f->new_velocity = f->free_velocity;
    f->new_spin = f->free_spin;
}

// Mean angular velocity from one rotation to another.
static firn_vec3 mean_spin(firn_quat from, firn_quat to, double dt) {
    firn_quat way = dquat_multiply(to, dquat_inverse(from));
    double sign = way.w < 0 ? -1 : 1;
    firn_vec3 axis = dvec(sign * way.x, sign * way.y, sign * way.z);
    double s = dvec_length(axis), angle = 2 * atan2(s, sign * way.w);
    return s > 0 ? dvec_scale(axis, angle / (s * dt)) : dvec(0, 0, 0);
}

static bool arrives(const body_target *target, model_step step) {
    return target->time - step.time < step.dt * (1 + 1e-6);
}

// The share of the uniform motion to its target that belongs to this step.
static void predict_kinematic(body_set *s, size_t b, model_step step) {
    const body_target *target = &s->target[b];
    body_flight *f = &s->flight[b];
    double left = fmax(target->time - step.time, step.dt);
    f->velocity = f->free_velocity = dvec_scale(dvec_sub(target->at, s->position[b]), 1 / left);
    f->spin = f->free_spin = mean_spin(s->rotation[b], target->turn, left);
    f->new_velocity = f->velocity;
    f->new_spin = f->spin;
    f->free_turn = arrives(target, step) ? target->turn : dquat_spin(s->rotation[b], f->spin, step.dt);
}

static void integrate_led(body_set *s, size_t b, model_step step) {
    const body_flight *f = &s->flight[b];
    s->position[b] = arrives(&s->target[b], step) ? s->target[b].at
                                                  : dvec_add_scaled(s->position[b], f->velocity, step.dt);
    s->rotation[b] = f->free_turn;
    s->velocity[b] = f->velocity;
    s->spin[b] = f->spin;
}

// Kinematic bodies act with the mean velocity of the step, so that they arrive at their pose.
static void predict_moved(body_set *s, size_t b, model_step step) {
    const body_item *item = &s->item[b];
    body_flight *f = &s->flight[b];
    *f = (body_flight){.centre = s->position[b], .hit = INFINITY};
    if (item->motion == FIRN_MOTION_KINEMATIC) predict_kinematic(s, b, step);
    if (item->motion != FIRN_MOTION_KEYFRAMES) return;
    body_pose pose;
    keyframes_at(item->keyframes, item->keyframe_count, step.time + step.dt, &pose, &f->new_velocity,
                 &f->new_spin);
    f->free_turn = pose.turn;
    f->velocity = f->free_velocity = dvec_scale(dvec_sub(pose.at, s->position[b]), 1 / step.dt);
    f->spin = f->free_spin = mean_spin(s->rotation[b], pose.turn, step.dt);
}

void bodies_predict(body_set *s, model_step step) {
    for (size_t b = 0; b < s->count; b++) {
        s->position_before[b] = s->position[b];
        s->rotation_before[b] = s->rotation[b];
        if (body_is_dynamic(s, b))
            predict_dynamic(s, b, step.dt);
        else
            predict_moved(s, b, step);
        s->impulse[b] = s->twist[b] = s->force[b] = s->torque[b] = dvec(0, 0, 0);
    }
}

static bool same(firn_vec3 a, firn_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Kinetic energy per mass, as a speed squared, of a body in contact.
static double calming(const body_item *item, const body_flight *f, double dt) {
    double turning = dvec_length(f->new_spin) * item->bounding_radius;
    double energy = dvec_length2(f->new_velocity) + turning * turning;
    double calm = 1 - energy / (REST_SPEED * REST_SPEED);
    return calm > 0 ? 1 / (1 + REST_DAMPING * calm * dt) : 1;
}

// A contact changed its flight.
static bool was_touched(const body_flight *f) {
    return !same(f->new_velocity, f->free_velocity) || !same(f->new_spin, f->free_spin);
}

void body_correct_position(body_set *s, size_t b, firn_vec3 displacement, firn_vec3 rotation) {
    if (!body_is_dynamic(s, b) || was_touched(&s->flight[b])) return;
    firn_vec3 centre = dvec_add(body_centre(s, b), displacement);
    s->rotation[b] = dquat_spin(s->rotation[b], rotation, 1);
    s->position[b] = dvec_sub(centre, dquat_rotate(s->rotation[b], s->item[b].centre));
}

// Free flight until f->hit, then the new velocity. Free flight is the exact parabola; the velocity of a
// contact holds for its whole part of the step, because the contact was solved for that.
static void integrate_dynamic(body_set *s, size_t b, double dt) {
    const body_item *item = &s->item[b];
    body_flight *f = &s->flight[b];
    bool touched = was_touched(f);
    double before = touched ? (f->resting ? 0 : fmin(f->hit, dt)) : dt, after = dt - before;
    firn_vec3 centre = dvec_add_scaled(f->centre, f->velocity, before);
    centre = dvec_add_scaled(centre, f->acceleration, before * before / 2);
    if (touched && before > 0) centre = dvec_add_scaled(centre, f->acceleration, -after * after / 2);
    centre = dvec_add_scaled(centre, f->new_velocity, after);
    firn_quat turn = f->free_turn;
    if (touched) turn = dquat_spin(turn, dvec_sub(f->new_spin, f->free_spin), after);
    double keep = touched ? calming(item, f, dt) : 1;
    s->velocity[b] = dvec_scale(f->new_velocity, keep);
    s->spin[b] = dvec_scale(f->new_spin, keep);
    s->rotation[b] = turn;
    s->position[b] = dvec_sub(centre, dquat_rotate(turn, item->centre));
}

void bodies_integrate(body_set *s, model_step step) {
    for (size_t b = 0; b < s->count; b++) {
        const body_item *item = &s->item[b];
        if (item->motion == FIRN_MOTION_DYNAMIC) {
            integrate_dynamic(s, b, step.dt);
        } else if (item->motion == FIRN_MOTION_KEYFRAMES) {
            body_pose pose;
            keyframes_at(item->keyframes, item->keyframe_count, step.time + step.dt, &pose, &s->velocity[b],
                         &s->spin[b]);
            s->position[b] = pose.at;
            s->rotation[b] = pose.turn;
        } else if (item->motion == FIRN_MOTION_KINEMATIC) {
            integrate_led(s, b, step);
        }
    }
}
