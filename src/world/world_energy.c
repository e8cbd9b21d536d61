// The watchdog of energy: in a world that nothing drives from outside, kinetic and potential energy do not
// grow. Elastic energy and heat are not counted: they only take from the two, and give back what they took.
#include "world/world_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "body/body.h"
#include "math/dvec.h"

// Energy has come from nothing when it is more than this share of the kinetic energy, and all moves with this
// mean speed (m/s) or faster: what settles, expands or is rounded is less.
static const double SHARE = 0.5, SPEED = 0.5;

// Models whose energy is closed. Air carries energy in and out; the ledger of the field knows no heights of
// bits.
static bool is_counted(const char *model) {
    static const char *const names[] = {"bodies", "grains", "mpm", "pbd", "phase"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(model, names[k]) == 0) return true;
    return false;
}

static bool is_moved(const firn_world *world) {
    const body_set *bodies = world->member[0].state;
    for (size_t b = 0; b < body_count(bodies); b++)
        if (body_motion(bodies, b) == FIRN_MOTION_KEYFRAMES ||
            body_motion(bodies, b) == FIRN_MOTION_KINEMATIC)
            return true;
    return false;
}

// Whether anything may do work from outside, or a model of the program's own is among them.
static bool is_driven(const firn_world *world) {
    const firn_world_def *def = world->def;
    if (!def->watch_energy || world->track_count > 0 || world->live.count > 0 || is_moved(world)) return true;
    if (def->pbd && (def->pbd->constraints.count > 0 || (def->pbd->box && def->pbd->box->walls.count > 1)))
        return true;
    if (def->phase && def->phase->box && def->phase->box->walls.count > 1) return true;
    for (size_t i = 0; i < world->members; i++) {
        const char *name = world->member[i].kind->name;
        if (!is_counted(name) && strcmp(name, "field") != 0) return true;
    }
    return false;
}

typedef struct energy_sum {
    double kinetic, total, mass; // J, J, kg
    double moved_mass;           // kg, in and out since the start
    const char *most;            // model with the largest kinetic energy
    double most_kinetic;
} energy_sum;

static energy_sum sum_of(const firn_world *world) {
    energy_sum sum = {0};
    for (size_t i = 0; i < world->members; i++) {
        firn_ledger l = firn_world_ledger(world, i);
        sum.moved_mass += l.mass_in + l.mass_out;
        if (!is_counted(l.model)) continue;
        sum.kinetic += l.kinetic;
        sum.total += l.kinetic + l.potential;
        sum.mass += l.mass;
        if (!sum.most || l.kinetic > sum.most_kinetic) sum.most = l.model, sum.most_kinetic = l.kinetic;
    }
    return sum;
}

void world_energy_begin(firn_world *world) {
    if (world->energy.known || is_driven(world)) return;
    energy_sum sum = sum_of(world);
    world->energy.start = sum.total;
    world->energy.moved_mass = sum.moved_mass;
    world->energy.known = true;
}

// The fastest item of a model; nothing if it has no such fields.
static void say_where(const firn_world *world, const char *model, char *out, size_t room) {
    char name[64];
    out[0] = '\0';
    snprintf(name, sizeof name, "%s.velocity", model);
    firn_field v = firn_world_field(world, name);
    snprintf(name, sizeof name, "%s.position", model);
    firn_field x = firn_world_field(world, name);
    if (!field_has_positions(&v) || !field_has_positions(&x) || v.count != x.count || v.count == 0) return;
    size_t most = 0;
    double fastest = -1;
    for (size_t i = 0; i < v.count; i++) {
        double speed = dvec_length(field_position(&v, i));
        if (speed > fastest) fastest = speed, most = i;
    }
    firn_vec3 at = field_position(&x, most);
    plain_print(out, room, ", fastest near (%.3g, %.3g, %.3g) m with %.3g m/s", at.x, at.y, at.z, fastest);
}

firn_status world_energy_check(firn_world *world) {
    bool driven = world->energy.driven || !world->energy.known || is_driven(world);
    world->energy.driven = false;
    energy_sum sum = driven ? (energy_sum){0} : sum_of(world);
    if (driven || sum.moved_mass != world->energy.moved_mass) { // what comes in brings energy with it
        world->energy.known = false;
        return FIRN_OK;
    }
    double gain = sum.total - world->energy.start;
    if (!(sum.kinetic > 0.5 * sum.mass * SPEED * SPEED && gain > SHARE * sum.kinetic)) return FIRN_OK;
    char where[160];
    say_where(world, sum.most, where, sizeof where);
    return fail(
        FIRN_UNSTABLE,
        "%s: %.4g J have come from nothing by step %llu (t = %g s): kinetic energy %.4g J%s; things that "
        "overlap at the start or steps that are too long do that: look at frame 0, shorten max_step, or, "
        "if something that the watchdog does not know does work here, set watch_energy: no",
        sum.most, gain, (unsigned long long)world->clock.step, world->clock.time, sum.kinetic, where);
}
