// The wind pushes bodies that move freely: by the pressure of the flow where its cells resolve a body, else
// by the area that it turns towards the wind.
#include <math.h>
#include <string.h>

#include "body/body.h"
#include "math/dvec.h"
#include "world/couple_list.h"
#include "world/couple_wind.h"

#include "wind/wind.h"

// Cells across a body, by the second of its three extents, from which on the flow resolves it: boards and
// plates are as wide as that, posts are not.
static const double RESOLVED = 4;
// Bodies lighter than this many times the air that they displace would swing with its pressure.
static const double LEAST_WEIGHT = 3, AIR_DENSITY = 1.3;

typedef struct bodies_work {
    uint8_t *pushed; // by the pressure of the flow
    double *radius;  // m, of bodies that move freely: of their farthest vertex, from the middle of their box
    size_t count, capacity[2];
} bodies_work;

static firn_vec3 vertex(const mesh *m, size_t i) { return dvec_of_floats(m->position[i]); }

static double second_of(firn_vec3 size) {
    double low = fmin(size.x, fmin(size.y, size.z)), high = fmax(size.x, fmax(size.y, size.z));
    return size.x + size.y + size.z - low - high;
}

static void look_at(const coupling *c, bodies_work *w, size_t b) {
    const body_set *bodies = c->b;
    w->pushed[b] = 0;
    w->radius[b] = 0;
    if (body_motion(bodies, b) != FIRN_MOTION_DYNAMIC) return;
    const mesh *m = body_mesh(bodies, b);
    firn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < m->vertices; i++)
        low = dvec_min(low, vertex(m, i)), high = dvec_max(high, vertex(m, i));
    firn_vec3 middle = dvec_scale(dvec_add(low, high), 0.5);
    for (size_t i = 0; i < m->vertices; i++)
        w->radius[b] = fmax(w->radius[b], dvec_distance(vertex(m, i), middle));
    bool heavy = body_inertia_now(bodies, b).mass > LEAST_WEIGHT * AIR_DENSITY * fabs(mesh_volume(m));
    w->pushed[b] = heavy && second_of(dvec_sub(high, low)) >= RESOLVED * wind_cell_size(c->a) * (1 - 1e-6);
}

// Again when bodies have come or gone.
static firn_status look_at_all(coupling *c) {
    bodies_work *w = c->own;
    size_t count = body_count(c->b);
    if (count == w->count && count > 0) return FIRN_OK;
    if (!array_reserve(&w->pushed, &w->capacity[0], count + 1, 1) ||
        !array_reserve(&w->radius, &w->capacity[1], count + 1, sizeof *w->radius))
        return fail_memory("pushing bodies", count * sizeof *w->radius);
    w->count = count;
    for (size_t b = 0; b < count; b++) look_at(c, w, b);
    return FIRN_OK;
}

static firn_status create(coupling *c) {
    c->own = mem_zero(1, sizeof(bodies_work));
    return c->own ? look_at_all(c) : fail_memory("creating a world", sizeof(bodies_work));
}

static void begin(coupling *c) {
    const bodies_work *w = c->own;
    wind_set_pushed(c->a, c->on ? w->pushed : NULL, w->count);
}

// ---- Bodies that the flow does not resolve

static bool air_at(const coupling *c, firn_vec3 at, firn_vec3 *velocity) {
    const float point[3] = {(float)at.x, (float)at.y, (float)at.z};
    offer_medium_sample air;
    c->kind->a->offers->medium->read(c->a, 1, &point, &air);
    *velocity = dvec_of_floats(air.velocity);
    return air.density > 0;
}

// The cells of a body may be closed, and the air at cloth is slowed down by it: both sides are asked, at a
// distance at which a ball changes the wind by 1 %.
firn_vec3 air_beside(const coupling *c, firn_vec3 middle, double radius) {
    double away = 3.5 * radius + 1.5 * wind_cell_size(c->a);
    firn_vec3 sum = {0}, here;
    bool inside = air_at(c, middle, &here);
    firn_vec3 across = dvec(-here.z, 0, here.x);
    double length = dvec_length(across), found = 0;
    across = length > 1e-6 ? dvec_scale(across, away / length) : dvec(0, 0, away);
    for (int side = -1; side <= 1; side += 2) {
        firn_vec3 there;
        if (!air_at(c, dvec_add_scaled(middle, across, side), &there)) continue;
        sum = dvec_add(sum, there), found++;
    }
    if (found > 0) return dvec_scale(sum, 1 / found);
    return inside ? here : sum;
}

// Force over the dynamic pressure: a ball's, at its middle; else that of each face towards the wind, C times
// its area across it, where it is.
static void area_towards(const body_set *bodies, size_t b, double radius, firn_vec3 wind, double factor,
                         firn_vec3 *force, firn_vec3 *moment) {
    firn_body_state state = body_state(bodies, b);
    firn_vec3 centre = body_centre_of_mass(bodies, b);
    firn_vec3 w = dvec_sub(wind, body_velocity_at(bodies, b, centre));
    double speed = dvec_length(w);
    *force = *moment = (firn_vec3){0};
    if (!(speed > 1e-6)) return;
    if (body_shape(bodies, b) == FIRN_SHAPE_SPHERE) {
        double c = air_sphere_drag(air_reynolds(AIR_DENSITY, speed, 2 * radius));
        *force = dvec_scale(w, factor * c * 3.14159265358979 * radius * radius * speed);
        return;
    }
    const mesh *m = body_mesh(bodies, b);
    for (size_t t = 0; t < m->triangles; t++) {
        firn_vec3 p[3], middle = {0};
        for (int k = 0; k < 3; k++) {
            p[k] = dvec_sub(
                dvec_add(state.position, dquat_rotate(state.rotation, vertex(m, m->triangle[t][k]))), centre);
            middle = dvec_add_scaled(middle, p[k], 1.0 / 3);
        }
        firn_vec3 area = dvec_scale(dvec_cross(dvec_sub(p[1], p[0]), dvec_sub(p[2], p[0])), 0.5);
        firn_vec3 there = dvec_sub(wind, body_velocity_at(bodies, b, dvec_add(centre, middle)));
        double flow = -dvec_dot(area, there); // m3/s onto it
        if (!(flow > 0)) continue;
        firn_vec3 f = dvec_scale(there, factor * AIR_PLATE_DRAG * flow);
        *force = dvec_add(*force, f);
        *moment = dvec_add(*moment, dvec_cross(middle, f));
    }
}

static void push(coupling *c, double radius, size_t b, double dt) {
    body_set *bodies = c->b;
    double factor = ((const firn_drag_def *)c->params)->drag;
    firn_vec3 centre = body_centre_of_mass(bodies, b), force, moment;
    firn_vec3 wind = air_beside(c, centre, radius);
    area_towards(bodies, b, radius, wind, factor, &force, &moment);
    double speed = dvec_distance(wind, body_velocity_at(bodies, b, centre));
    double scale = 0.5 * AIR_DENSITY * dt, mass = body_inertia_now(bodies, b).mass;
    double change = scale * dvec_length(force) / mass; // m/s; no further than the wind goes
    if (change > speed) scale *= speed / change;
    firn_vec3 impulse = dvec_scale(force, scale);
    body_add_impulses(bodies, b, impulse, dvec_scale(moment, scale), centre);
    c->sum->impulse[0] += impulse.x, c->sum->impulse[1] += impulse.y, c->sum->impulse[2] += impulse.z;
    firn_vec3 here;
    if (!air_at(c, centre, &here)) return; // the wind flows around it: that has slowed it down already
    const float at[3] = {(float)centre.x, (float)centre.y, (float)centre.z};
    const float back[3] = {(float)-impulse.x, (float)-impulse.y, (float)-impulse.z};
    c->kind->a->offers->medium->push(c->a, 1, &at, &back);
}

static firn_status after_wind(coupling *c, double now, double dt) {
    (void)now;
    bodies_work *w = c->own;
    double given[3];
    wind_given(c->a, given);
    for (int k = 0; k < 3; k++) c->sum->impulse[k] += given[k];
    TRY(look_at_all(c));
    begin(c);
    for (size_t b = 0; b < w->count; b++)
        if (body_motion(c->b, b) == FIRN_MOTION_DYNAMIC && !w->pushed[b]) push(c, w->radius[b], b, dt);
    return FIRN_OK;
}

static void end(coupling *c) {
    bodies_work *w = c->own;
    if (!w) return;
    mem_free(w->pushed);
    mem_free(w->radius);
    mem_free(w);
}

static bool wanted(const firn_world_def *def) {
    for (size_t i = 0; i < def->bodies.count; i++)
        if (def->bodies.items[i].motion.kind == FIRN_MOTION_DYNAMIC) return true;
    return false;
}

const coupling_class couple_wind_bodies = {
    .name = "wind_bodies",
    .a = &wind_model,
    .b = &body_model,
    .passes = PASSES_IMPULSE,
    .what = "the wind pushes bodies that move freely",
    .help = "A body that is at least four cells of the wind wide, and no balloon, feels the pressure and the "
            "friction of the flow around it. A smaller one feels the drag of a ball, by its Reynolds number, "
            "or C rho |w| w A / 2 with C = 1.17 on the area that it turns towards the wind. Fixed bodies and "
            "those on rails report what the flow does to them as their reaction.",
    .wanted = wanted,
    .create = create,
    .begin = begin,
    .after_a = after_wind,
    .end = end,
};
