// Particles of grains, pbd and phase on the snow field: it bears them as it bears bodies.
#include <math.h>

#include "grains/grains.h"
#include "par/par.h"
#include "pbd/pbd.h"
#include "phase/phase.h"
#include "snowfield/snowfield.h"
#include "world/couple_heat.h"
#include "world/couple_list.h"

enum { BLOCK = 1024 };           // particles of a task
static const double NEAR = 0.02; // m above all snow: seen as standing in it

typedef struct touching {
    offer_foot *foot; // of those that are near the snow
    uint32_t *item;   // which particle each is
    size_t count;
    uint32_t *found; // by block: how many
    size_t capacity[3];
} touching;

// Those that press, and those that the field asks for while they do.
enum { PRESSING, STANDING, LISTS };
typedef struct meeting {
    touching list[LISTS];
    heat_contacts warm;
} meeting;

static firn_status create(coupling *c) {
    c->own = mem_zero(1, sizeof(meeting));
    return c->own ? FIRN_OK : fail_memory("creating a world", sizeof(meeting));
}

static void end(coupling *c) {
    meeting *m = c->own;
    c->kind->b->offers->ground->stand(c->b, (offer_feet){c, NULL});
    if (!m) return;
    for (size_t k = 0; k < LISTS; k++) {
        mem_free(m->list[k].foot);
        mem_free(m->list[k].item);
        mem_free(m->list[k].found);
    }
    couple_heat_free(&m->warm);
    mem_free(m);
}

typedef struct look {
    const coupling *c;
    touching *t;
    double below; // m
} look;

static void look_block(void *context, size_t begin, size_t end) {
    const look *l = context;
    const offer_particles *p = l->c->kind->a->offers->particles;
    offer_particle item[BLOCK];
    uint32_t n = 0;
    p->read(l->c->a, begin, end, item);
    for (size_t i = 0; i < end - begin; i++) {
        if (!(item[i].at[1] - (double)item[i].touch < l->below) || !(item[i].mass < INFINITY)) continue;
        offer_foot *foot = &l->t->foot[begin + n];
        *foot = (offer_foot){.mass = item[i].mass, .radius = item[i].touch};
        for (int a = 0; a < 3; a++) foot->at[a] = item[i].at[a], foot->velocity[a] = item[i].velocity[a];
        l->t->item[begin + n++] = (uint32_t)(begin + i);
    }
    l->t->found[begin / BLOCK] = n;
}

// Particles below the highest snow, and `more` above it (m).
static firn_status find_near(const coupling *c, touching *t, double more) {
    size_t count = c->kind->a->offers->particles->count(c->a), blocks = (count + BLOCK - 1) / BLOCK;
    t->count = 0;
    if (!array_reserve(&t->foot, &t->capacity[0], count, sizeof *t->foot) ||
        !array_reserve(&t->item, &t->capacity[1], count, sizeof *t->item) ||
        !array_reserve(&t->found, &t->capacity[2], blocks, sizeof *t->found))
        return fail_memory("meeting the snow field", count * sizeof *t->foot);
    look work = {c, t, c->kind->b->offers->ground->highest(c->b) + more};
    par_for(count, BLOCK, look_block, &work);
    for (size_t k = 0; k < blocks; k++)
        for (size_t i = k * BLOCK; i < k * BLOCK + t->found[k]; i++, t->count++)
            t->foot[t->count] = t->foot[i], t->item[t->count] = t->item[i];
    return FIRN_OK;
}

static firn_status find_standing(void *context, const offer_foot **feet, size_t *count) {
    const coupling *c = context;
    touching *t = &((meeting *)c->own)->list[STANDING];
    TRY(find_near(c, t, NEAR));
    *feet = t->foot, *count = t->count;
    return FIRN_OK;
}

static void begin(coupling *c) {
    c->kind->b->offers->ground->stand(c->b, (offer_feet){c, c->on ? find_standing : NULL});
}

static double friction_of(const coupling *c) {
    if (c->kind->a == &phase_model) return ((const firn_warm_touch_def *)c->params)->friction;
    return ((const firn_touch_def *)c->params)->friction;
}

static firn_status conduct(coupling *c, double now, double dt) {
    (void)now;
    const firn_warm_touch_def *def = c->params;
    return couple_heat_ground(c, &((meeting *)c->own)->warm, def->heat_contact, dt);
}

static firn_status meet(coupling *c, double now, double dt) {
    (void)now;
    touching *t = &((meeting *)c->own)->list[PRESSING];
    const offer_particles *p = c->kind->a->offers->particles;
    TRY(find_near(c, t, 0));
    TRY(c->kind->b->offers->ground->press(c->b, t->count, t->foot, friction_of(c), dt));
    for (size_t k = 0; k < t->count; k++) {
        const offer_foot *foot = &t->foot[k];
        p->push(c->a, t->item[k], t->item[k] + 1, &foot->push);
        p->shift(c->a, t->item[k], t->item[k] + 1, &foot->shift);
        for (int a = 0; a < 3; a++) c->sum->impulse[a] -= (double)(foot->mass * foot->push[a]);
    }
    return FIRN_OK;
}

#define HELP                                                                                                 \
    "The field bears each particle with up to its bearing strength over the particle's area, with Coulomb "  \
    "friction; what weighs or hits more sinks, presses the snow and leaves a print or a crater, and "        \
    "displaced snow takes on its velocity: the law by which the field bears bodies. Snow does not slide to " \
    "where particles stand. Areas smaller than a cell of the field count as a cell."

const coupling_class couple_grains_field = {
    .name = "grains_field",
    .a = &grains_model,
    .b = &snowfield_model,
    .passes = PASSES_IMPULSE,
    .what = "grains lie on the field or sink into it, with friction, and leave craters",
    .help = HELP,
    .create = create,
    .begin = begin,
    .after_a = meet,
    .end = end,
};

const coupling_class couple_pbd_field = {
    .name = "pbd_field",
    .a = &pbd_model,
    .b = &snowfield_model,
    .passes = PASSES_IMPULSE,
    .what = "solids, cloth and liquids lie on the field or sink into it, with friction, and leave prints",
    .help = HELP " Liquids run over the snow as over solid ground; they do not soak in.",
    .create = create,
    .begin = begin,
    .after_a = meet,
    .end = end,
};

const coupling_class couple_phase_field = {
    .name = "phase_field",
    .a = &phase_model,
    .b = &snowfield_model,
    .passes = PASSES_IMPULSE | PASSES_HEAT,
    .what = "lumps and drops lie on the field or sink into it, with friction, and leave prints",
    .help = HELP " Drops run over the snow as over solid ground. Where the field has heat, it is conducted "
                 "through their contact.",
    .create = create,
    .begin = begin,
    .after_a = meet,
    .exchange = conduct,
    .end = end,
};
