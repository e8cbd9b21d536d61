// Bodies and models on different clocks. A model on a slower clock than the bodies steps when they have moved
// on by its whole step: it sees the path over that step, and what it pushes with acts evenly over the next,
// so that a body at rest on it stays at rest. A model on a faster clock steps after the bodies and sees a
// part of their step.
#include "body/body_set.h"

static bool take_poses(const body_set *s, body_pose **out) {
    *out = mem_zero(s->count + 1, sizeof **out);
    return *out != NULL;
}

firn_status body_use_clocks(body_set *s) {
    bool ok = take_poses(s, &s->kept_before) && take_poses(s, &s->kept_now);
    for (size_t c = 0; c < BODY_SLOWER_CLOCKS; c++) ok = ok && take_poses(s, &s->mark[c]);
    s->late = ok ? mem_zero(s->count + 1, sizeof *s->late) : NULL;
    if (!s->late) return fail_memory("creating bodies", s->count * sizeof *s->late);
    s->has_clocks = true;
    return FIRN_OK;
}

void body_mark(body_set *s, size_t clock) {
    for (size_t b = 0; b < s->count; b++) s->mark[clock][b] = body_pose_now(s, b);
}

static void keep_poses(body_set *s) {
    for (size_t b = 0; b < s->count; b++) {
        s->kept_before[b] = (body_pose){s->position_before[b], s->rotation_before[b]};
        s->kept_now[b] = body_pose_now(s, b);
    }
}

static void set_before(body_set *s, size_t b, body_pose pose) {
    s->position_before[b] = pose.at;
    s->rotation_before[b] = pose.turn;
}

void body_view_slower(body_set *s, size_t clock, double dt) {
    keep_poses(s);
    for (size_t b = 0; b < s->count; b++) set_before(s, b, s->mark[clock][b]);
    s->view = VIEW_SLOWER;
    s->late_clock = clock;
    s->late_dt = dt;
}

static body_pose mix(body_pose from, body_pose to, double t) {
    if (t <= 0) return from;
    if (t >= 1) return to;
    return (body_pose){dvec_mix(from.at, to.at, t), dquat_mix(from.turn, to.turn, t)};
}

void body_view_faster(body_set *s, double t0, double t1) {
    keep_poses(s);
    for (size_t b = 0; b < s->count; b++) {
        if (s->item[b].motion == FIRN_MOTION_FIXED) continue;
        body_pose end = mix(s->kept_before[b], s->kept_now[b], t1);
        set_before(s, b, mix(s->kept_before[b], s->kept_now[b], t0));
        s->position[b] = end.at;
        s->rotation[b] = end.turn;
    }
    s->view = VIEW_FASTER;
}

void body_view_own(body_set *s) {
    for (size_t b = 0; b < s->count; b++) {
        set_before(s, b, s->kept_before[b]);
        if (s->view != VIEW_FASTER) continue; // else a model may have corrected the position
        s->position[b] = s->kept_now[b].at;
        s->rotation[b] = s->kept_now[b].turn;
    }
    s->view = VIEW_OWN;
}

// Moves a share of *left into a force that acts for dt; the last share takes all.
static void release(firn_vec3 *left, double share, double dt, firn_vec3 *force) {
    firn_vec3 part = share < 1 ? dvec_scale(*left, share) : *left;
    *left = share < 1 ? dvec_sub(*left, part) : dvec(0, 0, 0);
    *force = dvec_add_scaled(*force, part, 1 / dt);
}

void body_release(body_set *s, size_t clock, double share, double dt) {
    for (size_t b = 0; b < s->count; b++) {
        if (!body_is_dynamic(s, b)) continue;
        release(&s->late[b].impulse[clock], share, dt, &s->force[b]);
        release(&s->late[b].twist[clock], share, dt, &s->torque[b]);
    }
}

void body_defer_forces(body_set *s, double dt) {
    for (size_t b = 0; b < s->count; b++) {
        body_late *late = &s->late[b];
        late->impulse[0] = dvec_add_scaled(late->impulse[0], s->force[b], dt);
        late->twist[0] = dvec_add_scaled(late->twist[0], s->torque[b], dt);
        s->force[b] = s->torque[b] = dvec(0, 0, 0);
    }
}
