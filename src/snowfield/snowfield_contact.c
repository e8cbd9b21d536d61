// Forces of the snow on bodies. Snow in contact bears a body up to a bearing strength that grows with its
// density, normal to the body's surface; it resists sliding by friction; and displaced snow takes on the
// body's velocity (FIELD11 eq. 3.6-3.8: an impulse -m v at the mass-weighted point). All of it is
// dissipative.
#include "snowfield/snowfield_press.h"

#include <math.h>

#include "math/dvec.h"

enum { PATCHES = 4, ROUNDS = 8 }; // quarters of the contact around the centre of mass; rounds of the solver

// One quarter of the contact.
typedef struct contact_patch {
    firn_vec3 at, push; // sums: points weighted by force, forces; then the point and the unit normal
    double gain;        // speed along push by an impulse of 1 N s
    double strength;    // N that the snow can bear there: first the sum of forces, then that of the vectors
    double mass;        // kg displaced in this step
    firn_vec3 mass_at;
    double impulse;     // N s in this step
    firn_vec3 friction; // the same
} contact_patch;

typedef struct contact_body {
    contact_patch patch[PATCHES];
    firn_vec3 centre, velocity, spin; // as they will be
    double inverse_mass;
    firn_vec3 inverse_inertia[3]; // its columns, in the world
    const body_set *bodies;
    size_t b;
    int32_t shift;  // HEIGHT_UNIT; how much higher the body is than its print
    int32_t stride; // of the cells that are sampled, along x and z
} contact_body;

static firn_vec3 spin_of(const contact_body *c, firn_vec3 twist) {
    const firn_vec3 *m = c->inverse_inertia;
    return dvec_add_scaled(dvec_add_scaled(dvec_scale(m[0], twist.x), m[1], twist.y), m[2], twist.z);
}

static void find_inertia(contact_body *c) {
    c->inverse_inertia[0] = body_spin_of(c->bodies, c->b, dvec(1, 0, 0));
    c->inverse_inertia[1] = body_spin_of(c->bodies, c->b, dvec(0, 1, 0));
    c->inverse_inertia[2] = body_spin_of(c->bodies, c->b, dvec(0, 0, 1));
}

static double speed_gain(const contact_body *c, firn_vec3 arm,
                         firn_vec3 n) { // along n, by an impulse of 1 N s
    firn_vec3 spin = spin_of(c, dvec_cross(arm, n));
    return c->inverse_mass + dvec_dot(dvec_cross(spin, arm), n);
}

static firn_vec3 velocity_at(const contact_body *c, firn_vec3 arm) {
    return dvec_add(c->velocity, dvec_cross(c->spin, arm));
}

static void kick(contact_body *c, firn_vec3 arm, firn_vec3 impulse) {
    c->velocity = dvec_add_scaled(c->velocity, impulse, c->inverse_mass);
    c->spin = dvec_add(c->spin, spin_of(c, dvec_cross(arm, impulse)));
}

// The displaced mass takes on the body's velocity: both move on with their common momentum.
static void add_momentum(contact_body *c, contact_patch *p, firn_vec3 *impulse, firn_vec3 *twist) {
    if (!(p->mass > 0)) return;
    firn_vec3 arm = dvec_sub(dvec_scale(p->mass_at, 1 / p->mass), c->centre), v = velocity_at(c, arm);
    double speed = dvec_length(v);
    if (!(speed > 1e-9)) return;
    firn_vec3 way = dvec_scale(v, 1 / speed);
    firn_vec3 j = dvec_scale(way, -speed * p->mass / (1 + p->mass * speed_gain(c, arm, way)));
    kick(c, arm, j);
    *impulse = dvec_add(*impulse, j);
    *twist = dvec_add(*twist, dvec_cross(arm, j));
}

// Velocity at which a body slides over the snow at a contact. Snow that yields is pressed down in its column,
// as fast as the body comes nearer: a ball that sinks does not slide past the snow below it.
static firn_vec3 slide_of(firn_vec3 v, firn_vec3 push) {
    double approach = dvec_dot(v, push);
    return approach < 0 ? dvec_sub(v, dvec(0, approach / push.y, 0)) : dvec_add_scaled(v, push, -approach);
}

// Impulse of friction in this step that stops the sliding, up to `most`; never in the direction of the
// motion.
static firn_vec3 friction_for(const contact_body *c, const contact_patch *p, firn_vec3 arm, double most) {
    firn_vec3 v = velocity_at(c, arm), slide = slide_of(v, p->push), f = p->friction;
    double speed = dvec_length(slide);
    if (speed > 1e-9) f = dvec_add_scaled(f, slide, -1 / speed_gain(c, arm, dvec_scale(slide, 1 / speed)));
    double size = dvec_length(f);
    if (size > most) f = dvec_scale(f, most / size);
    return dvec_dot(f, v) > 0 ? dvec(0, 0, 0) : f;
}

// Bearing: no approach, up to the strength.
static firn_vec3 bear(contact_body *c, contact_patch *p, firn_vec3 arm, double dt) {
    double wanted = p->impulse - dvec_dot(velocity_at(c, arm), p->push) / p->gain;
    double now = fmin(fmax(wanted, 0), p->strength * dt);
    firn_vec3 j = dvec_scale(p->push, now - p->impulse);
    p->impulse = now;
    kick(c, arm, j);
    return j;
}

// Friction: no sliding, up to bearing times mu.
static firn_vec3 hold_back(contact_body *c, contact_patch *p, firn_vec3 arm, double mu) {
    firn_vec3 f = friction_for(c, p, arm, mu * p->impulse), j = dvec_sub(f, p->friction);
    p->friction = f;
    kick(c, arm, j);
    return j;
}

// Projected Gauss-Seidel over the quarters. Bearing alone comes first: what one quarter does to a body before
// the others bear it too is no sliding.
static void solve_contact(contact_body *c, double dt, double mu, snowfield_reaction *reaction) {
    for (int round = 0; round < 2 * ROUNDS; round++) {
        for (int k = 0; k < PATCHES; k++) {
            contact_patch *p = &c->patch[k];
            if (!(p->strength > 0)) continue;
            firn_vec3 arm = dvec_sub(p->at, c->centre), j = bear(c, p, arm, dt);
            if (round >= ROUNDS) j = dvec_add(j, hold_back(c, p, arm, mu));
            reaction->impulse = dvec_add(reaction->impulse, j);
            reaction->twist = dvec_add(reaction->twist, dvec_cross(arm, j));
        }
    }
}

static contact_patch *patch_of(contact_body *c, double x, double z) {
    return &c->patch[(x > c->centre.x) + 2 * (z > c->centre.z)];
}

// Slope of the body's lower surface at a cell, from the neighbours it has; not steeper than the snow is deep.
static double slope_of(const snowfield_print *p, size_t i, bool before, bool after, size_t step,
                       double cell) {
    double here = (double)p->low[i];
    double a = before ? (double)p->low[i - step] : INFINITY, b = after ? (double)p->low[i + step] : INFINITY;
    if (isfinite(a) && isfinite(b)) return (b - a) / (2 * cell);
    if (isfinite(a)) return (here - a) / cell;
    return isfinite(b) ? (b - here) / cell : 0;
}

// Straight up, along the edge of the contact.
static void add_crust(const snowfield_state *s, const snowfield_print *p, const contact_body *c,
                      contact_patch *q, int32_t x, int32_t z, firn_vec3 at) {
    double force = snowfield_crust_bears(s, p, x, z, c->shift) * c->stride * c->stride;
    q->strength += force;
    q->at = dvec_add_scaled(q->at, at, force);
    q->push.y += force;
}

// A cell bears where its snow is in contact with the body, the more the nearer; bare ground bears anything.
static void touch_cell(const snowfield_state *s, const snowfield_print *p, contact_body *c, size_t i,
                       int32_t x, int32_t z) {
    size_t cell = snowfield_cell(s, x, z);
    int32_t ground = snowfield_height(s->tiles.ground[cell]), low = p->bottom[i] + c->shift;
    double gap = (low - snowfield_surface(s, cell)) * HEIGHT_UNIT,
           contact_gap = FIELD_CONTACT_CELLS * s->def.cell;
    if (gap > contact_gap || p->top[i] + c->shift <= ground) return;
    int32_t w = p->cells.x1 - p->cells.x0;
    double sx = slope_of(p, i, x > p->cells.x0, x + 1 < p->cells.x1, 1, s->def.cell);
    double sz = slope_of(p, i, z > p->cells.z0, z + 1 < p->cells.z1, (size_t)w, s->def.cell);
    double steep = sqrt(sx * sx + sz * sz), most = 3;
    if (steep > most) sx *= most / steep, sz *= most / steep;
    double share = fmin(1, 1 - gap / contact_gap), area = s->def.cell * s->def.cell * c->stride * c->stride;
    double pressure = snowfield_strength(&s->law, s->tiles.density[cell]);
    if ((low - ground) * HEIGHT_UNIT < FIELD_BARE) pressure = FIELD_ROCK;
    double bears = pressure * area * share, px = s->x0 + (x + 0.5) * s->def.cell,
           pz = s->z0 + (z + 0.5) * s->def.cell;
    contact_patch *q = patch_of(c, px, pz);
    firn_vec3 n = dvec(-sx, 1, -sz);
    double force = bears * dvec_length(n);
    q->strength += force;
    q->at = dvec_add_scaled(q->at, dvec(px, low * HEIGHT_UNIT, pz), force);
    q->push = dvec_add_scaled(q->push, n, bears);
    if (s->tiles.crust || s->heat.on) add_crust(s, p, c, q, x, z, dvec(px, low * HEIGHT_UNIT, pz));
}

// A print may be of an earlier step.
static void choose_cells(const snowfield_state *s, contact_body *c, bool roughly) {
    enum { ROUGHLY = 64 };
    const snowfield_print *p = &s->prints[c->b];
    double cells = (double)(p->cells.x1 - p->cells.x0) * (p->cells.z1 - p->cells.z0);
    c->shift = (int32_t)rint((body_state(c->bodies, c->b).position.y - p->at.y) / HEIGHT_UNIT);
    c->stride = roughly && cells > ROUGHLY ? (int32_t)ceil(sqrt(cells / ROUGHLY)) : 1;
}

static bool find_contact(const snowfield_state *s, contact_body *c) {
    const snowfield_print *p = &s->prints[c->b];
    double all = 0;
    for (int32_t z = p->cells.z0 + c->stride / 2; z < p->cells.z1; z += c->stride) {
        for (int32_t x = p->cells.x0 + c->stride / 2; x < p->cells.x1; x += c->stride) {
            size_t i =
                (size_t)(z - p->cells.z0) * (size_t)(p->cells.x1 - p->cells.x0) + (size_t)(x - p->cells.x0);
            if (p->low[i] <= p->high[i]) touch_cell(s, p, c, i, x, z);
        }
    }
    for (int k = 0; k < PATCHES; k++) {
        contact_patch *q = &c->patch[k];
        all += q->strength + q->mass;
        if (!(q->strength > 0)) continue;
        q->at = dvec_scale(q->at, 1 / q->strength);
        q->strength = dvec_length(q->push);
        q->push = dvec_normalise(q->push);
        q->gain = speed_gain(c, dvec_sub(q->at, c->centre), q->push);
    }
    return all > 0;
}

// The snow that left in this step, quarter by quarter.
static void take_displaced(contact_body *c, const pressed *sum) {
    for (int k = 0; k < PATCHES; k++) {
        c->patch[k].mass = sum->quarter[k].mass;
        c->patch[k].mass_at = sum->quarter[k].at;
    }
}

// As a force over the next step, which is as long as this one: at rest it just balances the weight. Of a
// kinematic body the reaction is only reported.
void snowfield_apply_reaction(body_set *bodies, size_t b, const snowfield_reaction *reaction, double dt) {
    if (!reaction->any) return;
    body_add_reaction(bodies, b, reaction->impulse, reaction->twist);
    if (body_motion(bodies, b) != FIRN_MOTION_DYNAMIC) return;
    firn_vec3 centre = body_centre_of_mass(bodies, b), twist = reaction->twist;
    body_add_force(bodies, b, dvec_scale(reaction->impulse, 1 / dt), centre);
    // A pair of forces makes the pure moment.
    double size = dvec_length(twist);
    if (!(size > 0)) return;
    firn_vec3 arm = dvec_perpendicular(dvec_scale(twist, 1 / size));
    firn_vec3 force = dvec_scale(dvec_cross(twist, arm), 0.5 / dt);
    body_add_force(bodies, b, force, dvec_add(centre, arm));
    body_add_force(bodies, b, dvec_negate(force), dvec_sub(centre, arm));
}

// A kinematic body: the snow bears with all its strength where it is compressed, and takes on the body's
// velocity.
static snowfield_reaction resist(const snowfield_state *s, const body_set *bodies, size_t b,
                                 const pressed *sum, double dt, bool roughly) {
    firn_body_state now = body_state(bodies, b);
    snowfield_reaction reaction = {0};
    contact_body c = {
        .centre = now.position, .velocity = now.velocity, .spin = now.spin, .bodies = bodies, .b = b};
    take_displaced(&c, sum);
    choose_cells(s, &c, roughly);
    if ((dvec_length2(now.velocity) == 0 && dvec_length2(now.spin) == 0) || !find_contact(s, &c))
        return reaction;
    double mu = sqrt(body_friction(bodies, b) * s->friction);
    reaction.any = true;
    for (int k = 0; k < PATCHES; k++) {
        contact_patch *p = &c.patch[k];
        add_momentum(&c, p, &reaction.impulse, &reaction.twist);
        firn_vec3 arm = dvec_sub(p->at, c.centre), v = velocity_at(&c, arm);
        double approach = -dvec_dot(v, p->push);
        if (!(p->strength > 0) || !(approach > 0)) continue;
        firn_vec3 slide = slide_of(v, p->push), j = dvec_scale(p->push, p->strength * dt);
        if (dvec_length(slide) > 1e-9) j = dvec_add_scaled(j, dvec_normalise(slide), -mu * p->strength * dt);
        reaction.impulse = dvec_add(reaction.impulse, j);
        reaction.twist = dvec_add(reaction.twist, dvec_cross(arm, j));
    }
    return reaction;
}

snowfield_reaction snowfield_contact_reaction(const snowfield_state *s, const body_set *bodies, size_t b,
                                              const pressed *sum, double dt, bool roughly) {
    if (body_motion(bodies, b) != FIRN_MOTION_DYNAMIC) return resist(s, bodies, b, sum, dt, roughly);
    firn_body_state now = body_state(bodies, b);
    snowfield_reaction reaction = {0};
    contact_body c = {.centre = body_centre_of_mass(bodies, b),
                      .velocity = now.velocity,
                      .spin = now.spin,
                      .inverse_mass = 1 / now.mass,
                      .bodies = bodies,
                      .b = b};
    take_displaced(&c, sum);
    choose_cells(s, &c, roughly);
    find_inertia(&c);
    if (!find_contact(s, &c)) return reaction;
    reaction.any = true;
    for (int k = 0; k < PATCHES; k++) add_momentum(&c, &c.patch[k], &reaction.impulse, &reaction.twist);
    c.velocity = dvec_add_scaled(c.velocity, s->setting.gravity, dt); // what the next step will add
    double mu = sqrt(body_friction(bodies, b) * s->friction);
    solve_contact(&c, dt, mu, &reaction);
    // Nearly at rest and supported: the remaining motion stops, or rounding would let bodies creep.
    double turns = s->def.cell * 10; // m; a spin this far from its axis
    if (dvec_length(c.velocity) < FIELD_CALM && dvec_length(now.velocity) < FIELD_CALM &&
        turns * dvec_length(c.spin) < FIELD_CALM && turns * dvec_length(now.spin) < FIELD_CALM) {
        reaction.impulse = dvec_add_scaled(reaction.impulse, c.velocity, -now.mass);
        reaction.twist = dvec_sub(reaction.twist, body_twist_of(bodies, b, c.spin));
    }
    return reaction;
}
