// Motion along keyframes: a cubic Hermite curve through the keys whose tangents are those of the parabola
// through three neighbours (Catmull-Rom for uneven times), but never so steep that the curve leaves the range
// of two neighbours: a body rests between two equal keys, and does not swing out before a sudden move
// (Fritsch and Carlson 1980). The first and the last tangent are zero, so that position and velocity are
// continuous where the body starts and stops.
#include "body/body_set.h"

#include <math.h>

static firn_vec3 slope(firn_vec3 a, firn_vec3 b, double dt) { return dvec_scale(dvec_sub(b, a), 1 / dt); }

// Between the slopes before and after a key; weight: of the one after it.
static double tangent_of(double before, double after, double weight) {
    if (!(before * after > 0)) return 0;
    double mean = before + weight * (after - before), most = 3 * fmin(fabs(before), fabs(after));
    return copysign(fmin(fabs(mean), most), mean);
}

static firn_vec3 tangents_of(firn_vec3 before, firn_vec3 after, double weight) {
    return dvec(tangent_of(before.x, after.x, weight), tangent_of(before.y, after.y, weight),
                tangent_of(before.z, after.z, weight));
}

// Tangents of position and angles at key i.
static void tangent(const firn_keyframe *k, size_t count, size_t i, firn_vec3 *at, firn_vec3 *rotate) {
    *at = *rotate = dvec(0, 0, 0);
    if (i == 0 || i + 1 >= count) return;
    double left = k[i].time - k[i - 1].time, right = k[i + 1].time - k[i].time;
    double weight = left / (left + right); // of the slope to the right: the nearer key counts more
    *at = tangents_of(slope(k[i - 1].at, k[i].at, left), slope(k[i].at, k[i + 1].at, right), weight);
    *rotate = tangents_of(slope(k[i - 1].rotate, k[i].rotate, left),
                          slope(k[i].rotate, k[i + 1].rotate, right), weight);
}

// Value and derivative of the Hermite cubic at u in 0..1 of an interval of length h.
static void hermite(firn_vec3 a, firn_vec3 ta, firn_vec3 b, firn_vec3 tb, double h, double u,
                    firn_vec3 *value, firn_vec3 *rate) {
    double u2 = u * u, u3 = u2 * u;
    firn_vec3 v = dvec_scale(a, 2 * u3 - 3 * u2 + 1);
    v = dvec_add_scaled(v, ta, h * (u3 - 2 * u2 + u));
    v = dvec_add_scaled(v, b, 3 * u2 - 2 * u3);
    *value = dvec_add_scaled(v, tb, h * (u3 - u2));
    firn_vec3 d = dvec_scale(dvec_sub(b, a), (6 * u - 6 * u2) / h);
    d = dvec_add_scaled(d, ta, 3 * u2 - 4 * u + 1);
    *rate = dvec_add_scaled(d, tb, 3 * u2 - 2 * u);
}

// Angular velocity of R = Rz Ry Rx whose angles change at `rate`: each rate turns about its axis as the later
// rotations have carried it.
static firn_vec3 spin_of(firn_vec3 angles, firn_vec3 rate) {
    firn_quat z = dquat_about(dvec(0, 0, 1), angles.z);
    firn_quat zy = dquat_multiply(z, dquat_about(dvec(0, 1, 0), angles.y));
    firn_vec3 spin = dvec_scale(dquat_rotate(zy, dvec(1, 0, 0)), rate.x);
    spin = dvec_add_scaled(spin, dquat_rotate(z, dvec(0, 1, 0)), rate.y);
    return dvec_add_scaled(spin, dvec(0, 0, 1), rate.z);
}

void keyframes_at(const firn_keyframe *keys, size_t count, double time, body_pose *pose, firn_vec3 *velocity,
                  firn_vec3 *spin) {
    *velocity = *spin = dvec(0, 0, 0);
    size_t next = 0;
    while (next < count && keys[next].time <= time) next++;
    if (next == 0 || next == count) {
        const firn_keyframe *end = &keys[next == 0 ? 0 : count - 1];
        *pose = (body_pose){end->at, dquat_from_angles(end->rotate)};
        return;
    }
    const firn_keyframe *a = &keys[next - 1], *b = &keys[next];
    firn_vec3 at_a, at_b, turn_a, turn_b, angles, rate;
    tangent(keys, count, next - 1, &at_a, &turn_a);
    tangent(keys, count, next, &at_b, &turn_b);
    double h = b->time - a->time, u = (time - a->time) / h;
    hermite(a->at, at_a, b->at, at_b, h, u, &pose->at, velocity);
    hermite(a->rotate, turn_a, b->rotate, turn_b, h, u, &angles, &rate);
    pose->turn = dquat_from_angles(angles);
    *spin = spin_of(angles, rate);
}
