// MPM snow and snow that melts, or its water: they touch, and conduct heat where they do; water that the snow
// cannot hold leaves it as drops.
#include <math.h>

#include "mpm/mpm.h"
#include "phase/phase.h"
#include "world/couple_heat.h"
#include "world/couple_list.h"
#include "world/couple_melt.h"
#include "world/couple_particles.h"

typedef struct meeting {
    touching touch; // couple_touch wants it first
    melting melt;
    uint32_t *out;      // grains that become snow
    offer_particle *in; // that snow
    size_t capacity[2];
} meeting;

static const firn_mpm_phase_def *params_of(const coupling *c) { return c->params; }
static const offer_particles *snow_of(const coupling *c) { return c->kind->a->offers->particles; }
static const offer_particles *drops_of(const coupling *c) { return c->kind->b->offers->particles; }

static firn_status create(coupling *c) {
    c->own = mem_zero(1, sizeof(meeting));
    return c->own ? FIRN_OK : fail_memory("creating a world", sizeof(meeting));
}

static void end(coupling *c) {
    meeting *m = c->own;
    if (!m) return;
    couple_touch_free(&m->touch);
    couple_melt_free(&m->melt);
    mem_free(m->out);
    mem_free(m->in);
    mem_free(m);
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

// ---- grains at rest become snow

// Their parts fill the cubes of a cube as large as a grain is as snow.
static void divide(const offer_particle *grain, double edge, unsigned parts, offer_particle *out) {
    for (unsigned k = 0; k < parts * parts * parts; k++) {
        const unsigned at[3] = {k % parts, k / parts % parts, k / parts / parts};
        out[k] = *grain;
        for (int a = 0; a < 3; a++) out[k].at[a] += edge * ((at[a] + 0.5) / parts - 0.5);
    }
}

static size_t list_resting(coupling *c, double dt) {
    meeting *m = c->own;
    size_t count = drops_of(c)->count(c->b), found = 0;
    const float *rest = phase_rest_times(c->b, params_of(c)->rest_speed, dt);
    for (size_t i = 0; i < count; i++)
        if ((double)rest[i] >= params_of(c)->rest_time) m->out[found++] = (uint32_t)i;
    return found;
}

// The new particles have the enthalpy of their grains; `left` is what grains have and they have not.
static firn_status add_snow(coupling *c, size_t count, phase_parcel *left) {
    meeting *m = c->own;
    double mass, edge;
    unsigned parts;
    uint32_t snow = mpm_phase_snow(c->a, &mass, &edge, &parts);
    size_t each = (size_t)parts * parts * parts, first = snow_of(c)->count(c->a), n = count * each;
    if (!array_reserve(&m->in, &m->capacity[1], n, sizeof *m->in))
        return fail_memory("turning grains into snow", n * sizeof *m->in);
    for (size_t k = 0; k < count; k++) {
        offer_particle grain;
        drops_of(c)->read(c->b, m->out[k], m->out[k] + 1, &grain);
        grain.part = snow;
        grain.radius = (float)(cbrt(3 / (4 * 3.14159265358979)) * edge);
        divide(&grain, edge * parts, parts, m->in + k * each);
    }
    TRY(snow_of(c)->add(c->a, n, m->in));
    *left = (phase_parcel){.mass = 0};
    for (size_t k = 0; k < count; k++) {
        offer_heat heat;
        drops_of(c)->read_heat(c->b, m->out[k], &heat);
        for (size_t i = first + k * each; i < first + (k + 1) * each; i++)
            snow_of(c)->warm(c->a, (uint32_t)i, mass * heat.enthalpy - mpm_enthalpy_of(c->a, i));
        double more = heat.mass - mass * (double)each;
        left->mass += more, left->heat += more * heat.enthalpy;
        c->sum->mass -= mass * (double)each, c->sum->heat -= mass * (double)each * heat.enthalpy;
        for (int a = 0; a < 3; a++) {
            double v = (double)m->in[k * each].velocity[a];
            left->momentum[a] += more * v, c->sum->impulse[a] -= mass * (double)each * v;
        }
    }
    return FIRN_OK;
}

static firn_status settle(coupling *c, double dt) {
    meeting *m = c->own;
    phase_parcel left;
    if (!array_reserve(&m->out, &m->capacity[0], drops_of(c)->count(c->b) + 1, sizeof *m->out))
        return fail_memory("turning grains into snow", drops_of(c)->count(c->b) * sizeof *m->out);
    size_t count = list_resting(c, dt);
    if (count == 0) return FIRN_OK;
    TRY(add_snow(c, count, &left));
    return phase_give_out(c->b, count, m->out, &left);
}

static firn_status exchange(coupling *c, double now, double dt) {
    meeting *m = c->own;
    touching *t = &m->touch;
    double one = snow_of(c)->heat_lapse(c->a), other = drops_of(c)->heat_lapse(c->b);
    t->warm = one > 0 && other > 0 && params_of(c)->heat_contact > 0;
    TRY(couple_touch(c, params_of(c)->friction, dt));
    for (size_t k = 0; t->warm && k < t->contacts; k++) conduct(c, &t->contact[k], dt * fmax(one, other));
    bool melts = one > 0 && phase_latent(c->b) > 0 && params_of(c)->drip;
    if (melts) TRY(couple_melt(c, &m->melt, params_of(c)->holds, now, dt));
    return one > 0 && params_of(c)->settle ? settle(c, dt) : FIRN_OK;
}

const coupling_class couple_mpm_phase = {
    .name = "mpm_phase",
    .a = &mpm_model,
    .b = &phase_model,
    .passes = PASSES_MASS | PASSES_IMPULSE | PASSES_HEAT,
    .what = "MPM snow meets snow that melts and its water, with friction and heat, and drips",
    .help = TOUCH_HELP TOUCH_MPM_HELP
    " Where MPM snow has heat, it is conducted through their contact, and melt water that the snow cannot "
    "hold goes down through it: it freezes again where the snow is cold, and leaves the lowest snow as "
    "drops, with its mass, momentum and heat. Snow without any above or below it leaves as drops and grains "
    "of ice when it has melted by more than half. What is too little for a drop waits. With settle, frozen "
    "grains that have been slower than rest_speed for rest_time become MPM snow, each with its mass.",
    .create = create,
    .max_dt = couple_touch_max_dt,
    .exchange = exchange,
    .end = end,
};
