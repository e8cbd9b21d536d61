// Snow that breaks: particles whose plastic expansion takes most of their strength. Only where somebody
// listens.
#include <math.h>
#include <string.h>

#include "body/events.h"
#include "math/dvec.h"
#include "mpm/mpm_state.h"
#include "par/par.h"
#include "snow/snow_thermal.h"

enum { PARTICLES = 4096 };

// Has lost its strength: softer than 1/e of the snow as it was laid down, by the law of hardening e^(xi (1 -
// J_P)); without bonds by that of Cam clay. Tension makes J_P grow; pressed snow has J_P < 1 and has to be
// loosened first. What flows has no bonds to lose.
static bool is_broken(const mpm_particles *p, size_t i) {
    const mpm_law *law = &p->materials[p->material[i]].law;
    if (law->kind == (float)FIRN_SNOW_LAW_DRUCKER_PRAGER) return false;
    float jp = p->thermal ? snow_bonded(p->jp[i], p->healed[i]) : p->jp[i];
    if (law->kind == (float)FIRN_SNOW_LAW_CAM_CLAY) return logf(jp) > law->stretch;
    return law->softening * (jp - 1) > 1;
}

typedef struct break_work {
    const mpm_state *s;
    uint8_t *before; // by particle: whether it was broken already
} break_work;

// By piece of snow.
typedef struct broken_sum {
    double mass;
    firn_vec3 moment; // kg m
} broken_sum;

static void mark_block(void *context, size_t begin, size_t end) {
    const break_work *w = context;
    for (size_t i = begin; i < end; i++) w->before[i] = is_broken(&w->s->p, i);
}

uint8_t *mpm_events_begin(const mpm_state *s, firn_event_list *events) {
    if (!event_wanted(events, FIRN_EVENT_BREAK)) return NULL;
    break_work w = {s, mem_alloc(s->p.count + 1)};
    if (!w.before)
        events->dropped++;
    else
        par_for(s->p.count, PARTICLES, mark_block, &w);
    return w.before;
}

static void sum_block(void *context, size_t begin, size_t end, void *partial) {
    const break_work *w = context;
    const mpm_particles *p = &w->s->p;
    broken_sum *sums = partial;
    for (size_t i = begin; i < end; i++) {
        if (w->before[i] || !is_broken(p, i)) continue;
        broken_sum *sum = &sums[p->material[i]];
        double mass = (double)p->materials[p->material[i]].mass;
        sum->mass += mass;
        sum->moment = dvec_add_scaled(sum->moment, mpm_position(p, i), mass);
    }
}

// How many sums there are stands in front of them: join is told nothing else.
typedef struct broken_sums {
    size_t count;
    broken_sum of[];
} broken_sums;

static void sum_range(void *context, size_t begin, size_t end, void *partial) {
    const break_work *w = context;
    broken_sums *sums = partial;
    sums->count = w->s->material_count;
    sum_block(context, begin, end, sums->of);
}

static void join_sums(void *into, const void *from) {
    broken_sums *a = into;
    const broken_sums *b = from;
    if (b->count > a->count) a->count = b->count;
    for (size_t k = 0; k < b->count; k++) {
        a->of[k].mass += b->of[k].mass;
        a->of[k].moment = dvec_add(a->of[k].moment, b->of[k].moment);
    }
}

static void tell(const broken_sums *sums, firn_event_list *events) {
    for (size_t k = 0; k < sums->count; k++) {
        const broken_sum *sum = &sums->of[k];
        if (!(sum->mass > 0)) continue;
        firn_event event = event_of(FIRN_EVENT_BREAK, "mpm");
        event.item = k;
        event.position = dvec_scale(sum->moment, 1 / sum->mass);
        event.amount = sum->mass;
        firn_event_add(events, &event);
    }
}

void mpm_events_end(const mpm_state *s, uint8_t *before, firn_event_list *events) {
    if (!before) return;
    size_t size = sizeof(broken_sums) + s->material_count * sizeof(broken_sum);
    broken_sums *sums = mem_zero(1, size);
    break_work w = {s, before};
    if (sums && par_reduce(s->p.count, PARTICLES, size, sum_range, join_sums, &w, sums) == FIRN_OK)
        tell(sums, events);
    else
        events->dropped++;
    mem_free(sums);
    mem_free(before);
}
