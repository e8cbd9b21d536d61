// Contact solver: ODE, used for its LCP solver only. Every step passes in velocities and contacts and reads
// velocities back; nothing is kept between steps, so that a restart gives the same bits.
#include <math.h>
#include <ode/ode.h>

#include "body/body_set.h"
#include "body/events.h"
#include "par/par.h"

struct body_solver {
    dWorldID world;
    dJointGroupID joints;
    dBodyID *body;            // 0 unless dynamic
    dJointFeedback *feedback; // by contact, if somebody listens
    size_t feedback_capacity;
};

enum { ITERATIONS = 60 };
static const double UNEQUAL = 8, MOST_UNEQUAL = 30; // ratios of masses between which iterations grow
static const double CORRECTION = 0.2;               // share of a penetration that is corrected per step
static const double CORRECTION_SPEED = 0.5;         // m/s, at most
static const double ROLLING = 0.1;                  // usual rolling friction, of friction

// ODE's random numbers and its start-up are global.
static par_lock ode_lock = PAR_LOCK_INIT;
static bool ode_started;

static void quiet(int number, const char *message, va_list arguments) {
    (void)number, (void)message, (void)arguments; // the library never prints
}

static bool start_ode(void) {
    if (ode_started) return true;
    ode_started = dInitODE2(0) != 0;
    dSetMessageHandler(quiet);
    return ode_started;
}

static dBodyID make_body(dWorldID world, const body_item *item) {
    const double(*I)[3] = item->inertia;
    dMass mass;
    dMassSetParameters(&mass, item->mass, 0, 0, 0, I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetAutoDisableFlag(body, 0);
    dBodySetGyroscopicMode(body, 0); // body_flight.c
    return body;
}

static firn_status fill_solver(const body_set *s, body_solver *solver) {
    if (!start_ode()) return fail(FIRN_UNSUPPORTED, "cannot initialise ODE, the rigid body library");
    solver->world = dWorldCreate();
    solver->joints = dJointGroupCreate(0);
    if (!solver->world || !solver->joints) return fail_memory("starting the contact solver", 0);
    dWorldSetAutoDisableFlag(solver->world, 0);
    for (size_t b = 0; b < s->count; b++)
        if (body_is_dynamic(s, b)) solver->body[b] = make_body(solver->world, &s->item[b]);
    return FIRN_OK;
}

firn_status body_solver_create(const body_set *s, body_solver **out) {
    *out = NULL;
    body_solver *solver = mem_zero(1, sizeof *solver);
    if (!solver) return fail_memory("making the contact solver", sizeof *solver);
    solver->body = mem_zero(s->count + 1, sizeof *solver->body);
    firn_status status = FIRN_NO_MEMORY;
    if (solver->body) {
        par_lock_take(&ode_lock);
        status = fill_solver(s, solver);
        par_lock_release(&ode_lock);
    } else {
        fail_memory("making the contact solver", s->count * sizeof *solver->body);
    }
    if (status != FIRN_OK) {
        body_solver_destroy(solver);
        return status;
    }
    *out = solver;
    return FIRN_OK;
}

void body_solver_destroy(body_solver *solver) {
    if (!solver) return;
    par_lock_take(&ode_lock);
    if (solver->joints) dJointGroupDestroy(solver->joints);
    if (solver->world) dWorldDestroy(solver->world);
    par_lock_release(&ode_lock);
    mem_free(solver->body);
    mem_free(solver->feedback);
    mem_free(solver);
}

static void hand_over(const body_set *s) {
    for (size_t b = 0; b < s->count; b++) {
        dBodyID body = s->solver->body[b];
        if (!body) continue;
        const body_flight *f = &s->flight[b];
        const dQuaternion q = {f->free_turn.w, f->free_turn.x, f->free_turn.y, f->free_turn.z};
        dBodySetPosition(body, f->centre.x, f->centre.y, f->centre.z);
        dBodySetQuaternion(body, q);
        dBodySetLinearVel(body, f->free_velocity.x, f->free_velocity.y, f->free_velocity.z);
        dBodySetAngularVel(body, f->free_spin.x, f->free_spin.y, f->free_spin.z);
        dBodySetForce(body, 0, 0, 0);
        dBodySetTorque(body, 0, 0, 0);
    }
}

static firn_vec3 point_velocity(const body_flight *f, firn_vec3 velocity, firn_vec3 spin, firn_vec3 at) {
    return dvec_add(velocity, dvec_cross(spin, dvec_sub(at, f->centre)));
}

// Time (s) until a gap closes at `speed` (negative) under `acceleration`; INFINITY if it stays open.
static double time_to_close(double gap, double speed, double acceleration) {
    if (gap <= 0) return speed < 0 ? 0 : INFINITY;
    double square = speed * speed - 2 * acceleration * gap;
    if (square < 0) return INFINITY;
    double root = -speed + sqrt(square); // the earlier of the two, without cancellation
    return root > 0 ? 2 * gap / root : INFINITY;
}

static void note_bounce(body_flight *f, double hit) { f->hit = fmin(f->hit, hit); }

// Target normal velocity of the contact at the end of the step. A bounce applies the restitution at the time
// of impact and gravity after it; slower contacts just close the gap.
static double wanted_speed(const body_set *s, const body_contact *c, double dt) {
    body_flight *a = &s->flight[c->a], *b = &s->flight[c->b];
    double restitution = fmax(s->item[c->a].restitution, s->item[c->b].restitution);
    double threshold = fmax(0.05, 2 * dvec_length(s->gravity) * dt);
    firn_vec3 closing = dvec_sub(point_velocity(a, a->velocity, a->spin, c->at),
                                 point_velocity(b, b->velocity, b->spin, c->at));
    double speed = dvec_dot(closing, c->normal);
    double acceleration = dvec_dot(dvec_sub(a->acceleration, b->acceleration), c->normal);
    double hit = time_to_close(c->gap, speed, acceleration);
    if (hit <= dt && restitution > 0 && -(speed + acceleration * hit) > threshold) {
        note_bounce(a, hit);
        note_bounce(b, hit);
        return -restitution * (speed + acceleration * hit) + acceleration * (dt - hit);
    }
    a->resting = b->resting = true;
    return c->gap >= 0 ? -c->gap / dt : fmin(-c->gap * CORRECTION / dt, CORRECTION_SPEED);
}

// First friction direction: that of sliding, along which the friction cone is exact.
static firn_vec3 slide_direction(firn_vec3 sliding, firn_vec3 normal) {
    firn_vec3 tangent = dvec_add_scaled(sliding, normal, -dvec_dot(sliding, normal));
    if (dvec_length(tangent) < 1e-9) return dvec_perpendicular(normal);
    return dvec_normalise(tangent);
}

static void put(dReal out[4], firn_vec3 v) { out[0] = v.x, out[1] = v.y, out[2] = v.z, out[3] = 0; }

// A pair in point or line contact can roll.
static bool can_roll(const body_contact *c, size_t count, double size) {
    if (count <= 2) return true;
    firn_vec3 line = dvec_normalise(dvec_sub(c[1].at, c[0].at));
    for (size_t k = 2; k < count; k++)
        if (dvec_length(dvec_cross(dvec_sub(c[k].at, c[0].at), line)) > 0.1 * size) return false;
    return true;
}

// Coefficient of rolling friction of a pair whose friction is mu: the geometric mean.
static double rolling_of(const body_item *a, const body_item *b, double mu) {
    if (isnan(a->rolling_friction) && isnan(b->rolling_friction)) return ROLLING * mu;
    double of_a = isnan(a->rolling_friction) ? ROLLING * a->friction : a->rolling_friction;
    double of_b = isnan(b->rolling_friction) ? ROLLING * b->friction : b->rolling_friction;
    return sqrt(of_a * of_b);
}

// Rolling resistance with a lever of a small share of the size.
static void add_rolling(const body_set *s, const body_contact *c, dSurfaceParameters *surface) {
    double size = s->item[c->a].bounding_radius;
    if (body_is_dynamic(s, c->b)) size = fmin(size, s->item[c->b].bounding_radius);
    double rolling = rolling_of(&s->item[c->a], &s->item[c->b], surface->mu);
    if (!(rolling > 0)) return;
    surface->mode |= dContactRolling;
    surface->rho = surface->rho2 = surface->rhoN = rolling * size;
}

static dJointID add_joint(body_set *s, const body_contact *c, double dt, bool rolls) {
    const body_flight *a = &s->flight[c->a], *b = &s->flight[c->b];
    firn_vec3 of_a = point_velocity(a, a->free_velocity, a->free_spin, c->at);
    firn_vec3 of_b = point_velocity(b, b->free_velocity, b->free_spin, c->at);
    firn_vec3 first = slide_direction(dvec_sub(of_a, of_b), c->normal), second = dvec_cross(c->normal, first);
    // ODE sees only dynamic bodies: the motion of others enters the target velocities.
    firn_vec3 ground = body_is_dynamic(s, c->b) ? dvec(0, 0, 0) : of_b;
    dContact contact = {0};
    contact.surface.mode =
        dContactFDir1 | dContactMotion1 | dContactMotion2 | dContactMotionN | dContactApprox1;
    contact.surface.mu = sqrt(s->item[c->a].friction * s->item[c->b].friction);
    contact.surface.motionN = wanted_speed(s, c, dt) + dvec_dot(ground, c->normal);
    contact.surface.motion1 = dvec_dot(ground, first);
    contact.surface.motion2 = dvec_dot(ground, second);
    if (rolls) add_rolling(s, c, &contact.surface);
    put(contact.geom.pos, c->at);
    put(contact.geom.normal, c->normal);
    put(contact.fdir1, first);
    dJointID joint = dJointCreateContact(s->solver->world, s->solver->joints, &contact);
    dJointAttach(joint, s->solver->body[c->a], s->solver->body[c->b]);
    return joint;
}

// A heavy body on light ones needs more iterations until its weight has reached the ground: as many times
// more as it is heavier. Like bodies have the usual number.
static int iterations_of(const body_set *s) {
    double most = 1;
    for (size_t i = 0; i < s->pair_count; i++) {
        if (s->contact_count[i] == 0) continue;
        double a = s->item[s->pairs[i].a].mass, b = s->item[s->pairs[i].b].mass; // 0 unless dynamic
        if (a > 0 && b > 0) most = fmax(most, fmax(a / b, b / a));
    }
    return most > UNEQUAL ? (int)(ITERATIONS * fmin(most, MOST_UNEQUAL)) : ITERATIONS;
}

static size_t add_joints(body_set *s, double dt, bool watched) {
    size_t count = 0;
    for (size_t i = 0; i < s->pair_count; i++) {
        const body_contact *contacts = s->contacts + i * PAIR_CONTACTS;
        bool rolls = can_roll(contacts, s->contact_count[i], s->item[s->pairs[i].a].bounding_radius);
        for (size_t k = 0; k < s->contact_count[i]; k++, count++) {
            dJointID joint = add_joint(s, &contacts[k], dt, rolls);
            if (watched) dJointSetFeedback(joint, &s->solver->feedback[count]);
        }
    }
    return count;
}

static uint64_t fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// Seeds the order in which ODE goes through the contacts. Not hash64: every scene with bodies would get other
// bits.
static uint64_t contact_order_seed(uint64_t seed, uint64_t step) {
    const uint64_t odd[4] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu, 0x165667b19e3779f9u,
                             0xd6e8feb86659fd93u};
    uint64_t lane[4];
    for (int i = 0; i < 4; i++) lane[i] = fold(seed ^ odd[i] ^ (i ? 0 : step), odd[i]) + 8;
    uint64_t h = lane[0];
    for (int i = 1; i < 4; i++) h = fold(h ^ odd[i], lane[i] ^ odd[i - 1]) + lane[i];
    return fold(h ^ odd[2], 8 ^ odd[3]) ^ h;
}

static bool run_solver(body_set *s, model_step step) {
    uint64_t seed = contact_order_seed(s->seed, step.step);
    par_lock_take(&ode_lock);
    dRandSetSeed((unsigned long)(uint32_t)seed);
    dWorldSetQuickStepNumIterations(s->solver->world, iterations_of(s));
    bool ok = dWorldQuickStep(s->solver->world, step.dt) != 0;
    par_lock_release(&ode_lock);
    return ok;
}

static void take_back(body_set *s) {
    for (size_t b = 0; b < s->count; b++) {
        dBodyID body = s->solver->body[b];
        if (!body) continue;
        const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
        s->flight[b].new_velocity = dvec(v[0], v[1], v[2]);
        s->flight[b].new_spin = dvec(w[0], w[1], w[2]);
    }
}

// ODE aborts the program on values that are not finite: they are reported as an error instead.
static firn_status check_finite(const body_set *s, model_step step) {
    for (size_t b = 0; b < s->count; b++) {
        const body_flight *f = &s->flight[b];
        if (!s->solver->body[b]) continue;
        const char *what = !dvec_finite(f->centre)          ? "position"
                           : !dvec_finite(f->free_velocity) ? "velocity"
                           : !dvec_finite(f->free_spin)     ? "spin"
                                                            : NULL;
        if (what)
            return fail(FIRN_UNSTABLE, "bodies: %s of '%s' is not finite at step %llu (t = %g s)", what,
                        s->item[b].name, (unsigned long long)step.step, step.time);
    }
    return FIRN_OK;
}

// Room for the forces of all contacts, if somebody listens.
static bool watch_contacts(body_set *s, firn_event_list *events) {
    if (!event_wanted(events, FIRN_EVENT_CONTACT_BEGIN) && !event_wanted(events, FIRN_EVENT_CONTACT_END))
        return false;
    size_t contacts = 0;
    for (size_t i = 0; i < s->pair_count; i++) contacts += s->contact_count[i];
    bool room = array_reserve(&s->solver->feedback, &s->solver->feedback_capacity, contacts,
                              sizeof *s->solver->feedback) &&
                array_reserve(&s->touches, &s->touch_capacity, s->pair_count, sizeof *s->touches);
    if (!room) events->dropped++;
    return room;
}

static void note_touches(body_set *s, double dt) {
    size_t joint = 0;
    for (size_t i = 0; i < s->pair_count; i++) {
        const body_contact *contacts = s->contacts + i * PAIR_CONTACTS;
        firn_vec3 sum = {0}, at = {0};
        double weight = 0;
        for (size_t k = 0; k < s->contact_count[i]; k++, joint++) {
            const dReal *f = s->solver->feedback[joint].f1;
            firn_vec3 force = dvec(f[0], f[1], f[2]);
            sum = dvec_add(sum, force);
            at = dvec_add_scaled(at, contacts[k].at, dvec_length(force));
            weight += dvec_length(force);
        }
        if (!(weight > 0)) continue;
        s->touches[s->touch_count++] =
            (body_touch){s->pairs[i].a, s->pairs[i].b, dvec_scale(at, 1 / weight), dt * dvec_length(sum)};
    }
}

firn_status bodies_solve(body_set *s, model_step step) {
    TRY(check_finite(s, step));
    hand_over(s);
    bool ok = true, watched = watch_contacts(s, step.events);
    s->touch_count = 0;
    if (add_joints(s, step.dt, watched) > 0) {
        ok = run_solver(s, step);
        if (ok) take_back(s);
        if (ok && watched) note_touches(s, step.dt);
        dJointGroupEmpty(s->solver->joints);
    }
    return ok ? FIRN_OK : fail_memory("solving contacts", 0);
}
