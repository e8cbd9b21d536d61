// Nested clocks: each model steps as its own limit allows. The models of a world are sorted by the step that
// they can take; those with about the same share a clock. A step of a slow clock is divided into equal steps
// of the next faster one, and so on. A model steps after all that are faster than it, so that it meets bodies
// on their whole path over its step; bodies step before the other models of their clock.
//
// Bodies are on the fastest clock of a model that is near a body that moves. With one model beside the bodies
// there is one clock.
#include <math.h>
#include <string.h>

#include "base/plain.h"
#include "math/dvec.h"
#include "world/world_state.h"

// A model joins a slower clock if its limit is at least this share of the clock's: a clock of its own would
// cut each step of the slower one in two, and save nothing.
static const double SAME_CLOCK = 0.7;

static field_span steps_of(const void *model) {
    const firn_world *world = model;
    return (field_span){.data = world->steps, .count = world->clocks.nested ? world->members : 0};
}
const field_row world_steps_row = {
    .name = "world.steps",
    .unit = "",
    .help = "steps that each model made, where models have clocks of their own",
    .type = FIRN_U64,
    .components = 1,
    .flags = FIRN_FIELD_STATE,
    .get = steps_of,
};

firn_status world_make_clocks(firn_world *world) {
    world->steps = mem_zero(world->members + 1, sizeof *world->steps);
    world->clocks.order = mem_zero(world->members + 1, sizeof *world->clocks.order);
    if (!world->steps || !world->clocks.order)
        return fail_memory("creating a world", world->members * sizeof *world->steps);
    world->clocks.nested = world->members > 2;
    return world->clocks.nested ? body_use_clocks(world->member[0].state) : FIRN_OK;
}

// ---- Who has which clock

static double limit_of(const firn_world *world, size_t i) {
    double own = fmin(world->def->max_step, world->member[i].kind->max_dt(world->member[i].state));
    return fmin(own, world_coupling_limit(world, i));
}

typedef struct particle_box {
    firn_vec3 low, high; // m
    double speed2;       // m2/s2, the largest
} particle_box;

// Of a model that has particles; false for others.
static bool box_of(const firn_world *world, size_t i, particle_box *out) {
    const model_drawing *drawing = world->member[i].kind->drawing;
    if (!drawing || !drawing->position || drawing->heights || drawing->air) return false;
    char name[64];
    plain_print(name, sizeof name, "%s.velocity", world->member[i].kind->name);
    firn_field x = firn_world_field(world, drawing->position), v = firn_world_field(world, name);
    if (!field_has_positions(&x) || !field_has_positions(&v) || v.count != x.count) return false;
    *out = (particle_box){dvec(INFINITY, INFINITY, INFINITY), dvec(-INFINITY, -INFINITY, -INFINITY), 0};
    for (size_t k = 0; k < x.count; k++) {
        firn_vec3 at = field_position(&x, k);
        out->low = dvec_min(out->low, at);
        out->high = dvec_max(out->high, at);
        out->speed2 = fmax(out->speed2, dvec_length2(field_position(&v, k)));
    }
    return true;
}

static bool boxes_meet(firn_vec3 low, firn_vec3 high, firn_vec3 other_low, firn_vec3 other_high) {
    return low.x <= other_high.x && low.y <= other_high.y && low.z <= other_high.z && other_low.x <= high.x &&
           other_low.y <= high.y && other_low.z <= high.z;
}

// Whether a body that moves may be met by the particles of the model within the next dt.
static bool is_near(const firn_world *world, size_t i, double dt) {
    const body_set *bodies = world_bodies(world);
    particle_box box;
    if (!box_of(world, i, &box)) return true;
    const model_class *kind = world->member[i].kind;
    double margin =
        2 * sqrt(box.speed2) * dt + (kind->spacing ? 4 * kind->spacing(world->member[i].state) : 0.1);
    firn_vec3 grow = dvec(margin, margin, margin), low, high;
    for (size_t b = 0; b < body_count(bodies); b++) {
        if (body_motion(bodies, b) == FIRN_MOTION_FIXED) continue;
        if (!body_bounds(bodies, b, 2 * dt, &low, &high)) return true;
        if (boxes_meet(low, high, dvec_sub(box.low, grow), dvec_add(box.high, grow))) return true;
    }
    return false;
}

static void sort_by_limit(const firn_world *world, uint32_t *order, double *limit, size_t count) {
    for (size_t n = 0; n < count; n++) {
        double own = limit_of(world, n + 1);
        size_t at = n;
        for (; at > 0 && limit[at - 1] < own; at--) limit[at] = limit[at - 1], order[at] = order[at - 1];
        limit[at] = own, order[at] = (uint32_t)(n + 1);
    }
}

// The clock of the bodies: that of the fastest model near a body that moves, or a faster one if their own
// limit asks for it; the last one may be theirs alone.
static void place_bodies(firn_world *world) {
    world_rate *rate = world->clocks.rate;
    double own = limit_of(world, 0), whole = rate[0].dt_limit;
    size_t c = world->clocks.count - 1;
    for (bool near = false; c > 0; c--) {
        for (uint32_t k = 0; k < rate[c].count && !near; k++)
            near = is_near(world, world->clocks.order[rate[c].first + k], whole);
        if (near) break;
    }
    while (c + 1 < world->clocks.count && own < SAME_CLOCK * rate[c].dt_limit) c++;
    if (own < SAME_CLOCK * rate[c].dt_limit && world->clocks.count < WORLD_CLOCKS) {
        rate[world->clocks.count] = (world_rate){.dt_limit = own, .first = (uint32_t)world->members - 1};
        c = world->clocks.count++;
    }
    world->clocks.of_bodies = c;
}

// A function of the state, so that a world that was loaded goes on in the same way.
static void arrange_clocks(firn_world *world) {
    size_t count = world->members - 1, clocks = 0;
    uint32_t *order = world->clocks.order;
    double limit[64];
    if (!world->clocks.nested || count > sizeof limit / sizeof limit[0]) {
        for (size_t i = 0; i < count; i++) order[i] = (uint32_t)(i + 1);
        world->clocks.rate[0] = (world_rate){.first = 0, .count = (uint32_t)count};
        world->clocks.count = 1, world->clocks.of_bodies = 0;
        return;
    }
    sort_by_limit(world, order, limit, count);
    for (size_t n = 0; n < count; n++) {
        world_rate *last = &world->clocks.rate[clocks ? clocks - 1 : 0];
        bool joins = clocks > 0 && (limit[n] >= SAME_CLOCK * last->dt_limit || clocks == WORLD_CLOCKS - 1);
        if (!joins)
            last = &world->clocks.rate[clocks++], *last = (world_rate){limit[n], 0, 0, (uint32_t)n, 0};
        last->count++;
    }
    world->clocks.count = clocks;
    place_bodies(world);
}

size_t world_clock_of(const firn_world *world, size_t member) {
    if (member == 0) return world->clocks.of_bodies;
    for (size_t c = 0; c < world->clocks.count; c++)
        for (uint32_t k = 0; k < world->clocks.rate[c].count; k++)
            if (world->clocks.order[world->clocks.rate[c].first + k] == member) return c;
    return 0;
}

// ---- A step

// Of the members of a clock, now.
static double dt_limit_of(const firn_world *world, size_t c) {
    const world_rate *rate = &world->clocks.rate[c];
    double limit = world->def->max_step;
    if (world->clocks.of_bodies == c) limit = fmin(limit, limit_of(world, 0));
    for (uint32_t k = 0; k < rate->count; k++)
        limit = fmin(limit, limit_of(world, world->clocks.order[rate->first + k]));
    return limit;
}

// Equal parts of the time left until `until`, so that no tiny last step remains.
static firn_status choose_dt(const firn_world *world, size_t c, double now, double until, double *dt) {
    double left = until - now, parts = ceil(left / dt_limit_of(world, c) - 1e-6);
    *dt = parts > 1 ? left / parts : left;
    if (*dt > 0 && now + *dt > now) return FIRN_OK;
    return fail(FIRN_UNSTABLE, "step %llu: the time step has become too short (%g s) to advance the time",
                (unsigned long long)world->clock.step, *dt);
}

// A step's share of the remaining budget of the call.
static double step_deadline(const firn_world *world, double now, double dt) {
    if (world->budget <= 0) return 0;
    double clock = clock_seconds(), left = world->call_end - now;
    return clock + fmax(world->call_deadline - clock, 0) * (left > dt ? dt / left : 1);
}

static firn_status step_member(firn_world *world, size_t i, double now, double dt) {
    world_member *member = &world->member[i];
    model_step step = {now, dt, world->steps[i], step_deadline(world, now, dt),
                       world_events_begin(world, now + dt)};
    double started = clock_seconds();
    world_events_before(world);
    firn_status status = member->kind->step(member->state, world->member[0].state, step);
    world_events_after(world, i);
    member->seconds += clock_seconds() - started;
    world->steps[i]++;
    if (status == FIRN_OK) status = world_couple_after(world, i, now, dt);
    if (status != FIRN_OK || world->clocks.count == 1) return status;
    return world_watch_member(world, i, now + dt);
}

// Bodies, with what models on slower clocks gave them for this time.
static firn_status step_bodies(firn_world *world, double now, double dt) {
    body_set *bodies = world->member[0].state;
    for (size_t c = 0; c < BODY_SLOWER_CLOCKS && world->clocks.nested; c++) {
        bool slower = c < world->clocks.of_bodies; // others were, until now
        body_release(bodies, c, slower ? fmin(dt / (world->clocks.rate[c].end - now), 1) : 1, dt);
    }
    return step_member(world, 0, now, dt);
}

static firn_status step_models(firn_world *world, size_t c, double now, double dt) {
    const world_rate *rate = &world->clocks.rate[c], *own = &world->clocks.rate[world->clocks.of_bodies];
    body_set *bodies = world->member[0].state;
    bool slower = c<world->clocks.of_bodies, faster = c> world->clocks.of_bodies;
    double whole = own->end - own->begin;
    for (uint32_t k = 0; k < rate->count; k++) {
        size_t i = world->clocks.order[rate->first + k];
        if (slower) body_view_slower(bodies, c, dt);
        if (faster) body_view_faster(bodies, (now - own->begin) / whole, (now + dt - own->begin) / whole);
        firn_status status = step_member(world, i, now, dt);
        if (slower || faster) body_view_own(bodies);
        if (status != FIRN_OK) return status;
    }
    return FIRN_OK;
}

// One step of clock c from `now`, and those of all faster clocks within it.
static firn_status step_clock(firn_world *world, size_t c, double now, double dt, double end);

static firn_status advance(firn_world *world, size_t c, double now, double until) {
    while (now < until) {
        double dt;
        TRY(choose_dt(world, c, now, until, &dt));
        double end = until - now - dt < 1e-6 * dt ? until : now + dt;
        TRY(step_clock(world, c, now, dt, end));
        now = end;
    }
    return FIRN_OK;
}

static firn_status step_clock(firn_world *world, size_t c, double now, double dt, double end) {
    world_rate *rate = &world->clocks.rate[c];
    rate->begin = now, rate->end = end;
    if (c < world->clocks.of_bodies) body_mark(world->member[0].state, c);
    if (c == world->clocks.of_bodies) TRY(step_bodies(world, now, dt));
    if (c + 1 < world->clocks.count) TRY(advance(world, c + 1, now, end));
    TRY(step_models(world, c, now, dt));
    TRY(world_couple_clock(world, c, now, dt));
    if (world->clocks.count == 1) return FIRN_OK;
    if (c == world->clocks.of_bodies) world_events_contacts(world);
    return world_note_changes(world);
}

firn_status world_step_clocks(firn_world *world, double until, double *dt) {
    double now = world->clock.time;
    arrange_clocks(world);
    TRY(choose_dt(world, 0, now, until, dt));
    if (world->clocks.of_bodies > 0) body_defer_forces(world->member[0].state, *dt);
    return step_clock(world, 0, now, *dt, now + *dt);
}
