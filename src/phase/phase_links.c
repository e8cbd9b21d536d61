// Which grains hold each other. Links end where they are stretched too far, where a grain has become water or
// has more of them than its temperature allows; new ones form between cold grains with free slots, the
// nearest first. Everything is decided by both ends alike, whatever the number of threads.
#include "phase/phase_state.h"

#include <math.h>
#include <string.h>

#include "body/events.h"
#include "par/par.h"

enum { TASK = 2048, SPARE = 16 };          // behind lists, so that whole vectors can be read
static const double CONTACT_FACTOR = 1.15; // of the contact distance: grains link up to it
static const double LINK_RADIUS = 1.684; // spacings of water: the radius of PHASE21, within which grains link

static const float SEPARATE = 0.9f; // of the contact distance: nearer, one is still inside the other

typedef struct link_candidate {
    uint32_t a, b; // numbers, a < b
    float distance;
} link_candidate;

firn_status phase_links_reserve(phase *m, size_t n) {
    phase_links *l = &m->links;
    size_t slots = n * l->most;
    if (!array_reserve(&l->partner, &l->capacity[0], slots, sizeof *l->partner) ||
        !array_reserve(&l->length, &l->capacity[1], slots, sizeof *l->length) ||
        !fluid_reserve_zero(&l->count, &l->capacity[2], n, sizeof *l->count) ||
        !array_reserve(&l->drop, &l->capacity[3], n, sizeof *l->drop) ||
        !array_reserve(&l->place, &l->place_capacity, n, sizeof *l->place) ||
        !fluid_reserve_zero(&l->other, &l->step_capacity[0], (m->s->p.count + 1) * l->most + SPARE,
                            sizeof *l->other) ||
        !fluid_reserve_zero(&l->rest, &l->step_capacity[1], (m->s->p.count + 1) * l->most + SPARE,
                            sizeof *l->rest) ||
        !array_reserve(&l->dry, &l->step_capacity[2], m->s->p.count + 1, sizeof *l->dry) ||
        (phase_links_elastic(&m->def) &&
         (!array_reserve(&l->turn, &l->step_capacity[3], m->s->p.count + 1, sizeof *l->turn) ||
          !array_reserve(&l->weight, &l->step_capacity[4], (m->s->p.count + 1) * l->most,
                         sizeof *l->weight))))
        return fail_memory("allocating links", slots * sizeof *l->partner);
    for (size_t k = l->numbers; k < n; k++) {
        memset(l->partner + k * l->most, 0, l->most * sizeof *l->partner);
        memset(l->length + k * l->most, 0, l->most * sizeof *l->length);
    }
    size_t blocks = fluid_blocks(m->s->p.count);
    if (!fluid_reserve_zero(&l->block, &l->block_capacity, blocks, sizeof *l->block))
        return fail_memory("allocating links", blocks * sizeof *l->block);
    l->numbers = n > l->numbers ? n : l->numbers;
    return FIRN_OK;
}

void phase_links_free(phase_links *l) {
    for (size_t k = 0; k < l->block_capacity; k++) mem_free(l->block[k].item);
    void *lists[] = {l->partner, l->length, l->count, l->drop,        l->place,         l->candidate,
                     l->block,   l->key,    l->index, l->scratch_key, l->scratch_index, l->other,
                     l->rest,    l->dry,    l->turn,  l->weight};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) mem_free(lists[k]);
}

static void place_block(void *context, size_t begin, size_t end) {
    const phase *m = context;
    for (size_t i = begin; i < end; i++) m->links.place[m->s->p.id[i]] = (uint32_t)i;
}

void phase_links_locate(phase *m) { par_for(m->s->p.count, TASK, place_block, m); }

// Slots that the temperature of particle i allows; none for water and for grains that are more liquid than
// not. Ice is solid until it melts.
uint32_t phase_slots_of(const phase *m, uint32_t i) {
    const firn_phase_link_def *def = &m->def.links;
    if (def->mode == FIRN_PHASE_LINKS_NONE || !phase_is_snow(m, i) || phase_liquid(m)[i] > 0.5f) return 0;
    double t = phase_temperature(m, i);
    if (t > def->temperature) return 0;
    if (def->mode == FIRN_PHASE_LINKS_ALL || phase_is_ice(m, i)) return (uint32_t)m->links.most;
    return phase_slots(t, m->law.freeze, def->full_temperature, m->links.most);
}

static float distance_of(const pbd_particles *p, uint32_t i, uint32_t j) {
    float d2 = 0;
    for (int a = 0; a < 3; a++) d2 += (p->x[i][a] - p->x[j][a]) * (p->x[i][a] - p->x[j][a]);
    return sqrtf(d2);
}

// ---- breaking

// Links that particle i breaks, by bit: those stretched too far, then the longest ones beyond its slots.
static uint32_t breaking_links(const phase *m, uint32_t i, uint32_t number) {
    const phase_links *l = &m->links;
    const uint32_t *partner = l->partner + number * l->most;
    const float *rest = l->length + number * l->most;
    uint32_t count = l->count[number], slots = phase_slots_of(m, i), drop = 0, left = count;
    float most = 1 + (float)m->def.links.break_strain, strain[PHASE_MOST_LINKS];
    for (uint32_t k = 0; k < count; k++) {
        strain[k] = distance_of(&m->s->p, i, l->place[partner[k]]) / rest[k];
        if (strain[k] > most) drop |= 1u << k, left--;
    }
    for (; left > slots; left--) {
        uint32_t worst = PHASE_MOST_LINKS;
        for (uint32_t k = 0; k < count; k++)
            if (!(drop >> k & 1) && (worst == PHASE_MOST_LINKS || rest[k] > rest[worst] ||
                                     (rest[k] == rest[worst] && partner[k] > partner[worst])))
                worst = k;
        drop |= 1u << worst;
    }
    return drop;
}

static void mark_block(void *context, size_t begin, size_t end) {
    const phase *m = context;
    for (size_t i = begin; i < end; i++) {
        uint32_t number = m->s->p.id[i];
        m->links.drop[number] = m->links.count[number] > 0 ? breaking_links(m, (uint32_t)i, number) : 0;
    }
}

static uint32_t slot_of(const phase_links *l, uint32_t number, uint32_t partner) {
    uint32_t k = 0;
    while (k < l->count[number] && l->partner[number * l->most + k] != partner) k++;
    return k;
}

// A link breaks if either end breaks it; returns how many ends.
static double break_block(void *context, size_t begin, size_t end) {
    const phase *m = context;
    const phase_links *l = &m->links;
    double ended = 0;
    for (size_t i = begin; i < end; i++) {
        uint32_t number = m->s->p.id[i], *partner = l->partner + number * l->most, ends = l->drop[number];
        for (uint32_t k = 0; k < l->count[number]; k++) {
            uint32_t other = partner[k];
            if (l->drop[other]) ends |= (l->drop[other] >> slot_of(l, other, number) & 1) << k;
        }
        // Its own marks stay for others to read; the slots that end are stored beside them.
        m->ending_links[i] = ends;
        for (; ends; ends &= ends - 1) ended++;
    }
    return ended;
}

static void remove_block(void *context, size_t begin, size_t end) {
    const phase *m = context;
    const phase_links *l = &m->links;
    for (size_t i = begin; i < end; i++) {
        uint32_t number = m->s->p.id[i], ends = m->ending_links[i], kept = 0;
        if (!ends) continue;
        uint32_t *partner = l->partner + number * l->most;
        float *length = l->length + number * l->most;
        for (uint32_t k = 0; k < l->count[number]; k++)
            if (!(ends >> k & 1)) partner[kept] = partner[k], length[kept++] = length[k];
        for (uint32_t k = kept; k < l->count[number]; k++) partner[k] = 0, length[k] = 0;
        l->count[number] = kept;
    }
}

// Each link once, by the end with the smaller number.
static void tell_broken(const phase *m, firn_event_list *events) {
    const phase_links *l = &m->links;
    const pbd_particles *p = &m->s->p;
    for (size_t i = 0; i < p->count; i++)
        for (uint32_t k = 0, number = p->id[i]; m->ending_links[i] >> k; k++) {
            uint32_t other = l->partner[number * l->most + k];
            if (!(m->ending_links[i] >> k & 1) || other < number) continue;
            firn_event event = event_of(FIRN_EVENT_BREAK, "phase");
            event.item = number;
            event.partner = other;
            event.position = dvec_mix(pbd_place(m->s, i), pbd_place(m->s, l->place[other]), 0.5);
            firn_event_add(events, &event);
        }
}

static void break_links(phase *m, firn_event_list *events) {
    size_t n = m->s->p.count;
    par_for(n, TASK, mark_block, m);
    double ended = par_sum(n, TASK, break_block, m) / 2;
    if (!(ended > 0)) return;
    if (event_wanted(events, FIRN_EVENT_BREAK)) tell_broken(m, events);
    par_for(n, TASK, remove_block, m);
    m->counters.broken += ended;
    m->counters.changed = 1;
}

static void remove_link(phase_links *l, uint32_t number, uint32_t partner) {
    uint32_t k = slot_of(l, number, partner), last = l->count[number] - 1;
    uint32_t *partners = l->partner + number * l->most;
    float *length = l->length + number * l->most;
    for (; k < last; k++) partners[k] = partners[k + 1], length[k] = length[k + 1];
    partners[last] = 0, length[last] = 0;
    l->count[number] = last;
}

void phase_links_cut(phase *m, uint32_t number) {
    phase_links *l = &m->links;
    while (l->count[number] > 0) {
        uint32_t other = l->partner[number * l->most];
        remove_link(l, other, number);
        remove_link(l, number, other);
        m->counters.broken++;
        m->counters.changed = 1;
    }
    m->lumps.label[number] = UINT32_MAX;
    l->place[number] = UINT32_MAX;
}

// ---- forming

// Water that freezes inside a grain comes out of it before it forms links.
static void embedded_block(void *context, size_t block) {
    const phase *m = context;
    fluid_rows rows = fluid_rows_of(m->f, block);
    for (size_t k = 0; k < rows.count && rows.own[k] < m->s->grains; k++) {
        uint32_t i = rows.own[k];
        m->embedded[i] = false;
        if (!(phase_liquid(m)[i] > 0)) continue;
        for (uint32_t n = rows.first[k]; n < rows.first[k + 1] && !m->embedded[i]; n++) {
            uint32_t j = rows.index[n];
            m->embedded[i] =
                j < m->s->grains && distance_of(&m->s->p, i, j) < SEPARATE * (m->radius[i] + m->radius[j]);
        }
    }
}

static bool has_room(const phase *m, uint32_t i) {
    return m->links.count[m->s->p.id[i]] < phase_slots_of(m, i) && !m->embedded[i];
}

static void candidates_of_row(const phase *m, struct link_candidates *list, uint32_t i, const uint32_t *near,
                              size_t n) {
    const pbd_particles *p = &m->s->p;
    uint32_t number = p->id[i];
    for (size_t k = 0; k < n; k++) {
        uint32_t j = near[k];
        if (j >= m->s->grains || p->id[j] <= number || !has_room(m, j)) continue;
        float d = distance_of(p, i, j), touch = (float)CONTACT_FACTOR * (m->radius[i] + m->radius[j]);
        if (d > fmaxf((float)(LINK_RADIUS * m->spacing), touch) ||
            slot_of(&m->links, number, p->id[j]) < m->links.count[number])
            continue;
        if (!array_reserve(&list->item, &list->capacity, list->count + 1, sizeof *list->item)) {
            list->no_memory = true;
            return;
        }
        list->item[list->count++] = (link_candidate){number, p->id[j], d};
    }
}

static void candidate_block(void *context, size_t block) {
    const phase *m = context;
    struct link_candidates *list = &m->links.block[block];
    fluid_rows rows = fluid_rows_of(m->f, block);
    list->count = 0;
    for (size_t k = 0; k < rows.count && rows.own[k] < m->s->grains; k++)
        if (has_room(m, rows.own[k]))
            candidates_of_row(m, list, rows.own[k], rows.index + rows.first[k],
                              rows.first[k + 1] - rows.first[k]);
}

static firn_status collect_candidates(phase *m, size_t *count) {
    phase_links *l = &m->links;
    size_t total = 0, n = 0;
    par_tasks(m->f->blocks, candidate_block, m);
    for (size_t k = 0; k < m->f->blocks; k++) {
        if (l->block[k].no_memory) {
            l->block[k].no_memory = false;
            return fail_memory("listing pairs of grains", l->block[k].count * sizeof(link_candidate));
        }
        total += l->block[k].count;
    }
    if (!array_reserve(&l->candidate, &l->candidate_capacity, total, sizeof *l->candidate) ||
        !array_reserve(&l->key, &l->sort_capacity[0], total, sizeof *l->key) ||
        !array_reserve(&l->index, &l->sort_capacity[1], total, sizeof *l->index) ||
        !array_reserve(&l->scratch_key, &l->sort_capacity[2], total, sizeof *l->key) ||
        !array_reserve(&l->scratch_index, &l->sort_capacity[3], total, sizeof *l->index))
        return fail_memory("listing pairs of grains", total * sizeof *l->candidate);
    for (size_t k = 0; k < m->f->blocks; k++)
        for (size_t i = 0; i < l->block[k].count; i++, n++) {
            l->candidate[n] = l->block[k].item[i];
            memcpy(&l->key[n], &l->candidate[n].distance, sizeof l->key[n]); // lengths sort like their bits
            l->index[n] = (uint32_t)n;
        }
    *count = total;
    return FIRN_OK;
}

static void add_link(phase_links *l, uint32_t number, uint32_t partner, float length) {
    size_t k = number * l->most + l->count[number]++;
    l->partner[k] = partner;
    l->length[k] = length;
}

static firn_status form_links(phase *m) {
    phase_links *l = &m->links;
    size_t count = 0;
    par_tasks(m->f->blocks, embedded_block, m);
    TRY(collect_candidates(m, &count));
    if (count == 0) return FIRN_OK;
    TRY(par_sort(l->key, l->index, l->scratch_key, l->scratch_index, count, 32));
    for (size_t k = 0; k < count; k++) {
        const link_candidate *w = &l->candidate[l->index[k]];
        if (!has_room(m, l->place[w->a]) || !has_room(m, l->place[w->b])) continue;
        add_link(l, w->a, w->b, w->distance);
        add_link(l, w->b, w->a, w->distance);
        m->counters.formed++;
        m->counters.changed = 1;
    }
    return FIRN_OK;
}

// ---- pulling

static void partner_block(void *context, size_t begin, size_t end) {
    const phase *m = context;
    const phase_links *l = &m->links;
    for (size_t i = begin; i < end; i++) {
        size_t number = m->s->p.id[i];
        for (uint32_t k = 0; k < l->count[number]; k++) {
            l->other[i * l->most + k] = l->place[l->partner[number * l->most + k]];
            l->rest[i * l->most + k] = l->length[number * l->most + k];
        }
        for (size_t k = l->count[number]; k < l->most && k > 0; k++) // they are read in whole vectors
            l->other[i * l->most + k] = (uint32_t)i, l->rest[i * l->most + k] = 0;
        l->dry[i] = 1 - phase_melted(m, i);
    }
}

firn_status phase_links_update(phase *m, firn_event_list *events) {
    phase_links_locate(m);
    phase_lumps_weigh(m);
    if (m->def.links.mode != FIRN_PHASE_LINKS_NONE) {
        break_links(m, events);
        if (phase_is_upkeep(m)) {
            TRY(form_links(m));
            if (m->counters.changed > 0) TRY(phase_lumps_find(m));
        }
    }
    par_for(m->s->p.count, TASK, partner_block, m);
    return FIRN_OK;
}

typedef struct pull_work {
    phase *m;
    pull_view view;
} pull_work;

enum { PULLED = 64 }; // grains at once

// Adds what links and contacts correct to the positions of `count` grains.
static void pull_some(const pull_work *w, const uint32_t *own, const uint32_t *links, size_t count) {
    phase *m = w->m;
    pull_sums sums[PULLED];
    ISA_PICK(phase_pull_rows)(&w->view, own, links, count, sums);
    for (size_t k = 0; k < count; k++) {
        uint32_t i = own[k];
        const phase_correction *c = &phase_corrections(m)[i];
        const float contact[3] = {c->x, c->y, c->z}, *shift = sums[k].shift;
        float *q = m->s->p.q[i];
        for (int a = 0; a < 3; a++)
            q[a] += contact[a] + sums[k].move[a] + shift[a], m->s->p.x[i][a] += shift[a];
        for (int a = 0; a < 3 && c->shifted != 0; a++) q[a] += phase_shifts(m)[i][a];
    }
}

static void pull_block(void *context, size_t begin, size_t end) {
    const pull_work *w = context;
    const phase *m = w->m;
    bool shares = m->def.links.mode != FIRN_PHASE_LINKS_NONE && !phase_links_elastic(&m->def);
    uint32_t own[PULLED], links[PULLED];
    size_t count = 0;
    for (uint32_t i = (uint32_t)begin; i < end; i++) {
        if (!phase_is(m, i, PHASE_SOLID)) continue;
        own[count] = i;
        links[count++] = shares ? m->links.count[m->s->p.id[i]] : 0;
        if (count == PULLED) pull_some(w, own, links, count), count = 0;
    }
    pull_some(w, own, links, count);
}

void phase_links_pull(phase *m, double dt) {
    const phase_links *l = &m->links;
    pull_work work = {m,
                      {.at = phase_contact_in(m),
                       .motion = m->motion,
                       .other = l->other,
                       .rest = l->rest,
                       .dry = l->dry,
                       .most = l->most,
                       .stiffness = (float)m->def.links.stiffness,
                       .max_parting = (float)(PHASE_PARTING * dt)}};
    par_for(m->s->p.count, TASK, pull_block, &work);
}
