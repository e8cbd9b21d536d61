// The couplings of a world: which there are, when they act, what has passed.
#include <math.h>
#include <string.h>

#include "world/couple_list.h"
#include "world/world_state.h"

#define DECLARE(name) extern const coupling_class couple_##name;
WORLD_COUPLINGS(DECLARE)
#undef DECLARE
#define ADDRESS(name) &couple_##name,
static const coupling_class *const classes[] = {WORLD_COUPLINGS(ADDRESS)};
#undef ADDRESS
enum { CLASSES = sizeof classes / sizeof classes[0] };

const coupling_class *const *coupling_classes(size_t *count) {
    *count = CLASSES;
    return classes;
}

// ---- What has passed, as state

static field_span sums_of(const void *model) {
    static coupling_sum none; // an empty field has an address, too
    const firn_world *world = model;
    return (field_span){.data = world->sums ? world->sums : &none, .count = world->coupling_count};
}
const field_row world_coupling_row = {
    .name = "world.coupling",
    .unit = "",
    .help =
        "what has passed between two models, for each pair that meets: mass (kg), impulse (N s), heat (J)",
    .type = FIRN_F64,
    .components = COUPLING_SUMS,
    .flags = FIRN_FIELD_STATE,
    .get = sums_of,
};

// ---- Begin and end

static size_t find(const firn_world *world, const model_class *kind) {
    for (size_t i = 0; i < world->members; i++)
        if (world->member[i].kind == kind) return i;
    return SIZE_MAX;
}

static bool has(const firn_world *world, const coupling_class *kind) {
    return find(world, kind->a) != SIZE_MAX && find(world, kind->b) != SIZE_MAX &&
           (!kind->wanted || kind->wanted(world->def));
}

static void attach(firn_world *world, size_t number, coupling *c) {
    const coupling_class *kind = classes[number];
    c->kind = kind, c->number = number, c->world = world;
    c->a_index = find(world, kind->a), c->b_index = find(world, kind->b);
    c->a = world->member[c->a_index].state, c->b = world->member[c->b_index].state;
}

firn_status world_couple(firn_world *world) {
    world->couplings = mem_zero(CLASSES, sizeof *world->couplings);
    if (!world->sums) world->sums = mem_zero(CLASSES, sizeof *world->sums);
    if (!world->couplings || !world->sums)
        return fail_memory("creating a world", CLASSES * (sizeof *world->couplings + sizeof *world->sums));
    for (size_t k = 0; k < CLASSES; k++) {
        if (!has(world, classes[k])) continue;
        coupling *c = &world->couplings[world->coupling_count];
        c->sum = &world->sums[world->coupling_count++];
        attach(world, k, c);
        if (c->kind->create) TRY(c->kind->create(c));
    }
    return FIRN_OK;
}

void world_couplings_begin(firn_world *world) {
    for (size_t k = 0; k < world->coupling_count && !world->for_frames; k++) {
        coupling *c = &world->couplings[k];
        c->world = world;
        c->params = coupling_section(&world->def->coupling, c->number);
        c->on = coupling_on(c->params);
        if (c->kind->begin) c->kind->begin(c);
    }
}

void world_uncouple(firn_world *world) {
    for (size_t k = 0; k < world->coupling_count; k++)
        if (world->couplings[k].kind->end) world->couplings[k].kind->end(&world->couplings[k]);
    mem_free(world->couplings);
    world->couplings = NULL, world->coupling_count = 0;
}

// ---- When they act

typedef firn_status (*act)(coupling *c, double now, double dt);

static firn_status run(coupling *c, act what, double now, double dt) {
    if (!what || !c->on) return FIRN_OK;
    c->params = coupling_section(&c->world->def->coupling, c->number);
    double started = clock_seconds();
    firn_status status = what(c, now, dt);
    c->seconds += clock_seconds() - started;
    return status;
}

firn_status world_couple_after(firn_world *world, size_t member, double now, double dt) {
    for (size_t k = 0; k < world->coupling_count; k++) {
        coupling *c = &world->couplings[k];
        if (c->a_index == member) TRY(run(c, c->kind->after_a, now, dt));
        if (c->b_index == member) TRY(run(c, c->kind->after_b, now, dt));
    }
    return FIRN_OK;
}

firn_status world_couple_clock(firn_world *world, size_t clock, double now, double dt) {
    for (size_t k = 0; k < world->coupling_count; k++) {
        coupling *c = &world->couplings[k];
        size_t a = world_clock_of(world, c->a_index), b = world_clock_of(world, c->b_index);
        if ((a < b ? a : b) == clock) TRY(run(c, c->kind->exchange, now, dt));
    }
    return FIRN_OK;
}

// ---- What has passed, as time series

#define SERIES(name)                                                                                         \
    {                                                                                                        \
        {"mass handed over", #name, "kg", "from the first to the second model since the start"},             \
        {"impulse handed over", #name, "N s", "length of the sum since the start"},                          \
        {"heat handed over", #name, "J", "from the first to the second model since the start"},              \
    },
static const series_row rows[][3] = {WORLD_COUPLINGS(SERIES)};
#undef SERIES

const series_row *coupling_series_row(size_t index, const model_class **model) {
    for (size_t k = 0; k < CLASSES; k++)
        for (unsigned q = 0; q < 3; q++) {
            if (!(classes[k]->passes >> q & 1) || index-- > 0) continue;
            *model = classes[k]->a;
            return &rows[k][q];
        }
    return NULL;
}

static double passed(const coupling_sum *s, unsigned quantity) {
    if (quantity == 1)
        return sqrt(s->impulse[0] * s->impulse[0] + s->impulse[1] * s->impulse[1] +
                    s->impulse[2] * s->impulse[2]);
    return quantity == 0 ? s->mass : s->heat;
}

size_t coupling_series(const firn_world *world, firn_series *out) {
    size_t count = 0;
    for (size_t k = 0; k < world->coupling_count; k++) {
        const coupling *c = &world->couplings[k];
        for (unsigned q = 0; q < 3; q++) {
            if (!(c->kind->passes >> q & 1)) continue;
            const series_row *row = &rows[c->number][q];
            if (out)
                out[count] = (firn_series){.model = c->kind->a->name,
                                           .panel = row->panel,
                                           .name = row->name,
                                           .unit = row->unit,
                                           .help = row->help,
                                           .value = passed(c->sum, q)};
            count++;
        }
    }
    return count;
}

// ---- Time steps

// Asked for once after each step of either, and anew in each step of the world, so that a world that was
// loaded finds the same.
static double dt_limit_of(coupling *c) {
    const firn_world *world = c->world;
    const uint64_t now[3] = {world->clock.step + 1, world->steps[c->a_index], world->steps[c->b_index]};
    if (memcmp(now, c->dt_limit_of, sizeof now) != 0) c->dt_limit = c->kind->max_dt(c);
    memcpy(c->dt_limit_of, now, sizeof now);
    return c->dt_limit;
}

double world_coupling_limit(const firn_world *world, size_t member) {
    double limit = INFINITY;
    for (size_t k = 0; k < world->coupling_count; k++) {
        coupling *c = &world->couplings[k];
        if (c->on && c->kind->max_dt && (c->a_index == member || c->b_index == member))
            limit = fmin(limit, dt_limit_of(c));
    }
    return limit;
}

// ---- For programs

size_t firn_world_coupling_count(const firn_world *world) {
    NEED_OR(world, 0);
    return world->coupling_count;
}

firn_coupling firn_world_coupling(const firn_world *world, size_t index) {
    NEED_OR(world, (firn_coupling){0});
    if (index >= world->coupling_count)
        return fail(FIRN_BAD_INPUT, "there is no coupling %zu; the world has %zu", index,
                    world->coupling_count),
               (firn_coupling){0};
    const coupling *c = &world->couplings[index];
    const double *push = c->sum->impulse;
    return (firn_coupling){
        .name = c->kind->name,
        .a = c->kind->a->name,
        .b = c->kind->b->name,
        .what = c->kind->what,
        .help = c->kind->help,
        .on = c->on,
        .mass = c->sum->mass,
        .impulse = {push[0], push[1], push[2]},
        .heat = c->sum->heat,
        .seconds = c->seconds,
    };
}
