// Moving sphere against moving body by conservative advancement: in the frame of the body the speed of the
// sphere is bounded, and the signed distance is the length that is free.
#include <math.h>

#include "body/body_set.h"

enum { MOST_STEPS = 200 };

typedef struct sweep_way {
    const shape *shape;
    body_pose before, after;
    firn_vec3 from, to;
    double radius, tolerance;
} sweep_way;

static body_pose pose_at(const sweep_way *w, double t) {
    return (body_pose){dvec_mix(w->before.at, w->after.at, t), dquat_mix(w->before.turn, w->after.turn, t)};
}

// Gap between sphere and body at t, with the pose and the normal in world coordinates.
static double room_at(const sweep_way *w, double t, firn_vec3 *normal) {
    body_pose pose = pose_at(w, t);
    firn_vec3 centre = dvec_mix(w->from, w->to, t), n;
    double d = shape_sdf(w->shape, dquat_rotate_back(pose.turn, dvec_sub(centre, pose.at)), &n);
    *normal = dquat_rotate(pose.turn, n);
    return d - w->radius;
}

static double turn_angle(const sweep_way *w) {
    firn_quat q = dquat_multiply(w->after.turn, dquat_inverse(w->before.turn));
    return 2 * atan2(sqrt(q.x * q.x + q.y * q.y + q.z * q.z), fabs(q.w));
}

// Upper bound of the path length of the sphere in the body's frame over the step.
static double longest_way(const sweep_way *w) {
    firn_vec3 start = dvec_sub(w->from, w->before.at), end = dvec_sub(w->to, w->after.at);
    double arm = fmax(dvec_length(start), dvec_length(end)); // on a straight path the maximum is at an end
    return dvec_distance(start, end) + turn_angle(w) * arm;
}

// The sphere approaches the body at t, at more than a grazing angle.
static bool closing(const sweep_way *w, double t, firn_vec3 normal) {
    body_pose pose = pose_at(w, t);
    double ahead = fmin(1, t + 1e-3), behind = ahead - 1e-3;
    body_pose a = pose_at(w, behind), b = pose_at(w, ahead);
    firn_vec3 centre = dvec_mix(w->from, w->to, t);
    firn_vec3 local = dquat_rotate_back(pose.turn, dvec_sub(centre, pose.at));
    firn_vec3 start = dvec_add(a.at, dquat_rotate(a.turn, local)),
              end = dvec_add(b.at, dquat_rotate(b.turn, local));
    firn_vec3 moved = dvec_sub(dvec_scale(dvec_sub(w->to, w->from), 1e-3), dvec_sub(end, start));
    return dvec_dot(moved, normal) < -1e-4 * dvec_length(moved);
}

static bool touch(const sweep_way *w, double t, firn_vec3 normal, body_hit *hit) {
    firn_vec3 point = dvec_mix(w->from, w->to, t);
    body_pose pose = pose_at(w, t);
    firn_vec3 local = dquat_rotate_back(pose.turn, dvec_sub(point, pose.at));
    *hit = (body_hit){t, point, normal, dvec_add(w->after.at, dquat_rotate(w->after.turn, local))};
    return true;
}

// Bisection between `out` (gap) and `in` (none) for the time of contact.
static bool narrow_down(const sweep_way *w, double out, double in, body_hit *hit) {
    firn_vec3 normal, at_touch = {0, 1, 0};
    for (int i = 0; i < 20; i++) {
        double middle = (out + in) / 2, room = room_at(w, middle, &normal);
        if (room > 0) {
            out = middle;
            at_touch = normal;
        } else {
            in = middle;
        }
        if (fabs(room) <= w->tolerance) return touch(w, middle, normal, hit);
    }
    if (out == 0) room_at(w, out, &at_touch);
    return touch(w, out, at_touch, hit);
}

static bool sweep(const sweep_way *w, body_hit *hit) {
    // Where the sphere slides along a surface it advances by half its radius: its centre stays outside in
    // between.
    double way = fmax(longest_way(w), 1e-300), least = fmax(w->tolerance, w->radius / 2), t = 0, last = 0;
    firn_vec3 normal;
    for (int i = 0; i < MOST_STEPS; i++) {
        double room = room_at(w, t, &normal);
        if (room < -w->tolerance) return i == 0 ? touch(w, t, normal, hit) : narrow_down(w, last, t, hit);
        if (room <= w->tolerance && closing(w, t, normal)) return touch(w, t, normal, hit);
        if (t >= 1) return false;
        last = t;
        t = fmin(1, t + fmax(room, least) / way);
    }
    return touch(w, last, normal, hit); // sliding for so long counts as a contact
}

static bool sweep_between(const body_set *bodies, size_t b, body_pose before, firn_vec3 from, firn_vec3 to,
                          double radius, body_hit *hit) {
    sweep_way w = {.shape = bodies->item[b].shape,
                   .before = before,
                   .after = body_pose_now(bodies, b),
                   .from = from,
                   .to = to,
                   .radius = radius,
                   .tolerance = 1e-6 + 1e-3 * fmin(radius, bodies->item[b].thickness)};
    return sweep(&w, hit);
}

bool body_sweep(const body_set *bodies, size_t b, firn_vec3 from, firn_vec3 to, double radius,
                body_hit *hit) {
    body_pose before = {bodies->position_before[b], bodies->rotation_before[b]};
    return sweep_between(bodies, b, before, from, to, radius, hit);
}

bool body_sweep_still(const body_set *bodies, size_t b, firn_vec3 from, firn_vec3 to, double radius,
                      body_hit *hit) {
    return sweep_between(bodies, b, body_pose_now(bodies, b), from, to, radius, hit);
}
