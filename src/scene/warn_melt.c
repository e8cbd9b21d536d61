// An estimate from the heat that is needed and the heat that flows at the start, good to a factor of 2: melt
// of uniform thickness on bodies, a layer of air, still water around a ball.
#include "scene/warn_melt.h"

#include <math.h>
#include <string.h>

#include "base/plain.h"
#include "body/body.h"
#include "geom/shape.h"
#include "math/dvec.h"
#include "world/world_regions.h"

static const double LEAST_DURATION = 0.5; // s: in less nobody waits for snow to melt
static const double SEEN = 0.1;           // of all that melts or freezes, within the scene: is seen
static const double CARRIES = 0.3;        // of its normal upwards: a body carries what lies on it
static const double MOST_GAP = 100;       // m: snow that falls farther lands elsewhere
enum { MOST_ROUNDS = 30 };
static const double SHRINKS = 2; // the surface shrinks meanwhile: 1 for a slab, 3 for a ball

// All snow, or all water, of the model.
typedef struct matter {
    double count, mass, temperature; // kg, degrees Celsius: mean
    double spacing, density;         // m, kg/m3: mean
    double surface, top;             // m2: of the shapes, and what of it one sees from above
} matter;

static void add_shape(const mesh *m, double sum[2]) {
    for (size_t k = 0; k < m->triangles; k++) {
        firn_vec3 p[3];
        for (int c = 0; c < 3; c++) p[c] = dvec_of_floats(m->position[m->triangle[k][c]]);
        firn_vec3 area = dvec_scale(dvec_cross(dvec_sub(p[1], p[0]), dvec_sub(p[2], p[0])), 0.5);
        sum[0] += dvec_length(area), sum[1] += fmax(0, area.y);
    }
}

static firn_status surfaces(const scene *whole, matter of[2]) {
    world_fill *fills;
    size_t count;
    firn_status status = FIRN_OK;
    TRY(world_fills(&whole->def.world, &fills, &count));
    for (size_t i = 0; status == FIRN_OK && i < count; i++) {
        shape *form;
        double sum[2] = {0};
        if (strcmp(fills[i].model, "phase") != 0) continue;
        matter *m = &of[strncmp(fills[i].path, "phase.water", 11) == 0];
        status = shape_create(fills[i].shape, fills[i].scale, whole->def.world.folder, fills[i].path, &form);
        if (status != FIRN_OK) break;
        add_shape(shape_mesh(form), sum);
        m->surface += sum[0], m->top += sum[1];
        m->spacing = fmax(m->spacing, fills[i].spacing);
        shape_destroy(form);
    }
    mem_free(fills);
    return status;
}

static void sums(const firn_phase_def *def, const firn_world *world, matter of[2]) {
    const firn_field kind = firn_world_field(world, "phase.kind"),
                     degrees = firn_world_field(world, "phase.temperature");
    const uint32_t *k = kind.data;
    const float *t = degrees.data;
    for (size_t i = 0; i < kind.count; i++) of[k[i]].count++, of[k[i]].temperature += (double)t[i];
    for (int n = 0; n < 2; n++) {
        matter *m = &of[n];
        if (m->count > 0) m->temperature /= m->count;
        m->mass = m->count * def->mass;
        m->density = m->spacing > 0 ? def->mass / pow(m->spacing, 3) : 0;
    }
}

// Of a point and a body: their distance (m), and whether the body would carry what is there.
static double distance_to(const firn_world *world, size_t b, firn_vec3 at, firn_vec3 down, bool *carries) {
    float x = 0, y = 0, z = 0, distance, n[3];
    body_query_near(world_bodies(world), b, at, 1, &x, &y, &z, &distance, &n[0], &n[1], &n[2]);
    *carries = dvec_dot(dvec_of_floats(n), down) < -CARRIES;
    return (double)distance;
}

// How far (m) the particles of this kind are above what will carry the lowest of them, as a whole; 0 if
// nothing will. Sphere tracing: no body is nearer than its distance.
static double gap_below(const firn_world *world, uint32_t kind, double spacing, firn_vec3 down) {
    const firn_field position = firn_world_field(world, "phase.position"),
                     kinds = firn_world_field(world, "phase.kind");
    const uint32_t *k = kinds.data;
    double gap = 0;
    for (int round = 0; round < MOST_ROUNDS && gap < MOST_GAP; round++) {
        double least = INFINITY;
        for (size_t i = 0; i < position.count; i++)
            for (size_t b = 0; k[i] == kind && b < body_count(world_bodies(world)); b++) {
                bool carries;
                firn_vec3 at = dvec_add_scaled(field_position(&position, i), down, gap);
                double distance = distance_to(world, b, at, down, &carries);
                if (carries) least = fmin(least, distance - spacing / 2);
            }
        if (isinf(least)) return 0;
        if (least < 0.01 * spacing) return gap;
        gap += least;
    }
    return 0;
}

// Area (m2) in which particles of this kind, moved by `by`, are in contact with body b.
static double contact_area(const firn_world *world, size_t b, uint32_t kind, double spacing, firn_vec3 by) {
    const firn_field position = firn_world_field(world, "phase.position"),
                     kinds = firn_world_field(world, "phase.kind");
    const uint32_t *k = kinds.data;
    double count = 0;
    for (size_t i = 0; i < position.count; i++) {
        bool carries;
        if (k[i] != kind) continue;
        count += distance_to(world, b, dvec_add(field_position(&position, i), by), by, &carries) < spacing;
    }
    return count * spacing * spacing;
}

// What flows into all snow, or out of all water, as 1 / s: the inverse of the time it takes.
typedef struct flow {
    const scene *whole;
    const firn_world *world;
    const matter *m;
    double sign;         // 1: melts, -1: freezes
    double needed;       // J/kg
    double conductivity; // W/mK, of the layer that grows
    double layer;        // kg/m3, of that layer
} flow;

// Through a layer that grows to all there is, or, where melt runs away, through half of what lies on the
// body.
static double from_bodies(const flow *f) {
    const firn_phase_def *def = f->whole->def.world.phase;
    const body_set *bodies = world_bodies(f->world);
    double rate = 0, water = cbrt(def->mass / def->density);
    firn_vec3 gravity = f->whole->def.world.gravity, by = {0};
    if (dvec_length(gravity) > 0) {
        firn_vec3 down = dvec_scale(gravity, 1 / dvec_length(gravity));
        by = dvec_scale(down, gap_below(f->world, f->sign < 0, f->m->spacing, down)); // it falls on them
    }
    for (size_t b = 0; b < body_count(bodies); b++) {
        double warmer = f->sign * (body_temperature(bodies, b) - def->heat.freeze);
        if (!(warmer > 0)) continue;
        double area = contact_area(f->world, b, f->sign < 0, f->m->spacing, by);
        if (!(area > 0)) continue;
        area = fmax(area, 0.5 * pow(f->m->mass / f->m->density, 2.0 / 3)); // what is round sinks onto it
        double per_area = f->m->mass / area, thick = per_area / f->layer / 2;
        if (f->sign > 0 && !def->box) thick = fmin(thick, water / 2);
        rate +=
            warmer / (per_area * f->needed * (thick / f->conductivity + 1 / body_heat_contact(bodies, b)));
    }
    return rate;
}

static double from_air(const flow *f) {
    const firn_phase_def *def = f->whole->def.world.phase;
    double warmer = f->sign * (f->whole->def.world.air.temperature - def->heat.freeze);
    double area = f->sign > 0 ? f->m->surface / SHRINKS : f->m->top;
    if (!(warmer > 0 && area > 0 && def->heat.exchange > 0) || def->heat.air.count > 0) return 0;
    double per_area = f->m->mass / area, thick = f->sign > 0 ? 0 : per_area / f->layer / 2;
    return warmer / (per_area * f->needed * (thick / f->conductivity + 1 / def->heat.exchange));
}

// Still water around balls of the same volume and surface; it cools on the way. 0: it is not warm enough.
static double from_water(const flow *f, const matter *water) {
    const firn_phase_heat_def *heat = &f->whole->def.world.phase->heat;
    double warmer = water->temperature - heat->freeze;
    double share = water->mass * heat->water_capacity * warmer / (f->m->mass * f->needed);
    if (!(water->count > 0 && warmer > 0 && share > 1 && f->m->surface > 0)) return 0;
    double radius = 3 * f->m->mass / f->m->density / f->m->surface;
    return 2 * heat->water_conductivity * warmer * (1 - 0.5 / share) /
           (f->m->density * f->needed * radius * radius);
}

static const char *time_words(double seconds, char *out, size_t size) {
    const double day = 86400;
    if (seconds < 90)
        plain_print(out, size, "%.2g s", seconds);
    else if (seconds < 90 * 60)
        plain_print(out, size, "%.2g min", seconds / 60);
    else if (seconds < 2 * day)
        plain_print(out, size, "%.2g h", seconds / 3600);
    else
        plain_print(out, size, "%.0f days", seconds / day);
    return out;
}

static void note(const scene *whole, const char *what, double time, text *notes) {
    const firn_phase_heat_def *heat = &whole->def.world.phase->heat;
    double duration = whole->def.world.duration, lapse = heat->time_lapse, seen = duration * lapse;
    char all[40], scene_time[40];
    time_words(time, all, sizeof all);
    time_words(time / lapse, scene_time, sizeof scene_time);
    text_add(notes, "phase: %s after about %s", what, all);
    if (lapse != 1) text_add(notes, " of heat, %s of the scene (time_lapse %g)", scene_time, lapse);
    if (seen < SEEN * time) {
        double step = pow(10, floor(log10(time / duration)));
        text_add(notes, ": little of it will be seen in %g s; heat: {time_lapse: %.0f} would show all of it",
                 duration, step * ceil(time / duration / step));
    }
    text_add(notes, "\n");
}

firn_status scene_note_melting(const scene *whole, const firn_world *world, text *notes) {
    const firn_phase_def *def = whole->def.world.phase;
    matter of[2] = {0};
    if (!def || def->change != FIRN_PHASE_LATENT || whole->def.world.duration < LEAST_DURATION)
        return FIRN_OK;
    TRY(surfaces(whole, of));
    sums(def, world, of);
    const firn_phase_heat_def *heat = &def->heat;
    const flow melts = {whole,
                        world,
                        &of[0],
                        1,
                        heat->latent + heat->snow_capacity * (heat->freeze - of[0].temperature),
                        heat->water_conductivity,
                        def->density};
    const flow freezes = {whole,
                          world,
                          &of[1],
                          -1,
                          heat->latent + heat->water_capacity * (of[1].temperature - heat->freeze),
                          heat->snow_conductivity,
                          def->density};
    if (of[0].count > 0) {
        double rate = from_bodies(&melts) + from_air(&melts) + from_water(&melts, &of[1]);
        if (rate > 0) note(whole, "all snow will have melted", 1 / rate, notes);
    }
    if (of[1].count > 0) {
        double rate = from_bodies(&freezes) + from_air(&freezes);
        if (rate > 0) note(whole, "all water will have frozen", 1 / rate, notes);
    }
    return FIRN_OK;
}
