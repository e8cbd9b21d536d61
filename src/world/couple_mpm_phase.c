// MPM snow and snow that melts, or its water: they touch, and conduct heat where they do.
#include <math.h>

#include "mpm/mpm.h"
#include "phase/phase.h"
#include "world/couple_heat.h"
#include "world/couple_list.h"
#include "world/couple_particles.h"

static const firn_warm_touch_def *params_of(const coupling *c) { return c->params; }
static const offer_particles *snow_of(const coupling *c) { return c->kind->a->offers->particles; }
static const offer_particles *drops_of(const coupling *c) { return c->kind->b->offers->particles; }

static firn_status create(coupling *c) {
    c->own = mem_zero(1, sizeof(touching));
    return c->own ? FIRN_OK : fail_memory("creating a world", sizeof(touching));
}

static void end(coupling *c) {
    if (c->own) couple_touch_free(c->own);
    mem_free(c->own);
}

// ---- heat in contact

// Between a particle of phase and the nearest of the snow that it touches; the snow spreads it. A particle is
// wholly in contact up to 0.6 of its edge above the snow, and not at all one edge above it, as on bodies.
static void conduct(coupling *c, const touch_contact *at, double time) {
    const touching *t = c->own;
    uint32_t snow = t->item[at->nearest].item, drop = t->item[at->item].item;
    double radius = (double)t->item[at->item].radius, part = fmin((radius + at->depth) / (0.8 * radius), 1);
    offer_heat a, b;
    snow_of(c)->read_heat(c->a, snow, &a);
    drops_of(c)->read_heat(c->b, drop, &b);
    double resists = a.resistance + b.resistance + 1 / params_of(c)->heat_contact;
    double q = couple_heat_between(&a, &b, part * b.area * time / resists);
    if (q == 0) return;
    snow_of(c)->warm(c->a, snow, -q);
    drops_of(c)->warm(c->b, drop, q);
    c->sum->heat += q;
}

static firn_status exchange(coupling *c, double now, double dt) {
    (void)now;
    touching *t = c->own;
    double one = snow_of(c)->heat_lapse(c->a), other = drops_of(c)->heat_lapse(c->b);
    t->warm = one > 0 && other > 0 && params_of(c)->heat_contact > 0;
    TRY(couple_touch(c, params_of(c)->friction, dt));
    for (size_t k = 0; t->warm && k < t->contacts; k++) conduct(c, &t->contact[k], dt * fmax(one, other));
    return FIRN_OK;
}

const coupling_class couple_mpm_phase = {
    .name = "mpm_phase",
    .a = &mpm_model,
    .b = &phase_model,
    .passes = PASSES_IMPULSE | PASSES_HEAT,
    .what = "MPM snow meets snow that melts and its water, with friction and heat, both ways",
    .help = TOUCH_HELP TOUCH_MPM_HELP " Where MPM snow has heat, it is conducted through their contact.",
    .create = create,
    .max_dt = couple_touch_max_dt,
    .exchange = exchange,
    .end = end,
};
