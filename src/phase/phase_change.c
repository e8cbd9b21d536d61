// Heat conduction, melting and freezing. A particle that has changed takes on the properties of its new kind
// over blend_time (PHASE21 6.2: alpha); here it is one number, how liquid a particle is, that moves towards 0
// or 1, so that it may turn back on the way and nothing is discontinuous.
#include "phase/phase_state.h"

#include <math.h>

#include "body/events.h"
#include "par/par.h"

enum { TASK = 2048 };

firn_status phase_conduct(phase *m, model_step step) {
    pbd_fluid *f = m->f;
    for (size_t k = 0; k < f->blocks; k++)
        m->block[k] = (heat_block){fluid_rows_of(f, k), f->block[k].wall, f->block[k].walls};
    const heat_parts parts = {.count = m->s->p.count,
                              .at = (const float(*)[4])m->s->p.q,
                              .mass = m->mass,
                              .volume = m->bulk,
                              .enthalpy = phase_enthalpy(m),
                              .block = m->block,
                              .blocks = f->blocks,
                              .body = m->body,
                              .bodies = f->bodies};
    return heat_step(m->heat, &parts, step.time, step.dt);
}

// ---- melt and freeze

typedef struct change_work {
    phase *m;
    float blend; // of a step
    bool marks;  // ending_links, which nobody needs now, tells who changed
} change_work;
enum { UNCHANGED, MELTED, FROZEN };

typedef struct change_counts {
    double melted, frozen;
} change_counts;

// Whether particle i changes to the other kind now.
static bool is_due(const phase *m, size_t i, bool snow) {
    double h = phase_enthalpy(m)[i];
    if (m->def.change == FIRN_PHASE_LATENT) return snow ? h >= m->law.latent : h <= 0;
    float liquid = phase_liquid(m)[i], done = snow ? 1 - liquid : liquid;
    return (snow ? h > 0 : h < 0) && (double)done >= m->def.threshold;
}

// The group of the other kind. Snow that has not yet blended into water turns back to snow; what was water
// freezes to ice.
static uint32_t other_group(const phase *m, size_t i) {
    uint32_t group = m->s->p.group[i], first = group / PHASE_GROUPS * PHASE_GROUPS;
    switch (group - first) {
    case PHASE_SNOW: return first + PHASE_MELT;
    case PHASE_MELT: return first + (phase_liquid(m)[i] < 1 ? PHASE_SNOW : PHASE_ICE);
    case PHASE_ICE: return first + PHASE_WATER;
    default: return first + PHASE_ICE;
    }
}

static void change_block(void *context, size_t begin, size_t end, void *partial) {
    const change_work *w = context;
    const phase *m = w->m;
    change_counts *counts = partial;
    float *liquid = phase_liquid(m);
    for (size_t i = begin; i < end; i++) {
        bool snow = phase_is_snow(m, i), due = is_due(m, i, snow);
        if (w->marks) m->ending_links[i] = !due ? UNCHANGED : snow ? MELTED : FROZEN;
        if (due) {
            m->s->p.group[i] = other_group(m, i);
            counts->melted += snow, counts->frozen += !snow;
            snow = !snow;
        }
        float next = liquid[i] + (snow ? -w->blend : w->blend);
        liquid[i] = next < 0 ? 0 : next > 1 ? 1 : next;
    }
}

static void join_counts(void *into, const void *from) {
    change_counts *a = into;
    const change_counts *b = from;
    a->melted += b->melted, a->frozen += b->frozen;
}

static void tell_changes(const phase *m, firn_event_list *events) {
    for (size_t i = 0; i < m->s->p.count; i++) {
        if (m->ending_links[i] == UNCHANGED) continue;
        firn_event event =
            event_of(m->ending_links[i] == MELTED ? FIRN_EVENT_MELT : FIRN_EVENT_FREEZE, "phase");
        event.item = m->s->p.id[i];
        event.position = pbd_place(m->s, i);
        firn_event_add(events, &event);
    }
}

firn_status phase_change(phase *m, model_step step) {
    change_work work = {m, (float)(step.dt / m->def.blend_time),
                        event_wanted(step.events, FIRN_EVENT_MELT) ||
                            event_wanted(step.events, FIRN_EVENT_FREEZE)};
    change_counts counts = {0, 0};
    TRY(par_reduce(m->s->p.count, TASK, sizeof counts, change_block, join_counts, &work, &counts));
    if (work.marks && counts.melted + counts.frozen > 0) tell_changes(m, step.events);
    m->counters.melted += counts.melted;
    m->counters.frozen += counts.frozen;
    return FIRN_OK;
}
