// All bodies press the snow at once. Bodies that are far from each other do so on different threads; those
// whose surroundings overlap one after the other, in the order of the scene, so that threads do not matter.
#include "snowfield/snowfield_press.h"
#include "snowfield/snowfield_ranks.h"

#include <string.h>

#include "par/par.h"

firn_status snowfield_press_create(snowfield_state *s) {
    size_t n = body_count(s->bodies) + 1;
    snowfield_pressing *p = s->press = mem_zero(1, sizeof *p);
    if (!p) return fail_memory("pressing snow", sizeof *p);
    p->sum = mem_zero(n, sizeof *p->sum);
    p->reaction = mem_zero(n, sizeof *p->reaction);
    p->left = mem_zero(7 * n, sizeof *p->left);
    if (s->def.bits.most > 0) p->thrown = mem_zero(n * BITS_AT_ONCE, sizeof *p->thrown);
    if (!p->sum || !p->reaction || !p->left || (s->def.bits.most > 0 && !p->thrown))
        return fail_memory("pressing snow", n * sizeof *p->sum);
    p->order = p->left + n;
    p->other_left = p->order + n;
    p->other_order = p->other_left + n;
    p->chain = p->other_order + n;
    p->next = p->chain + n;
    p->firsts = p->next + n;
    return FIRN_OK;
}

void snowfield_press_free(snowfield_state *s) {
    snowfield_pressing *p = s->press;
    if (!p) return;
    for (int k = 0; k < PRESS_WORKERS; k++) {
        snowfield_press *w = &p->worker[k];
        void *lists[] = {w->label,       w->front,  w->next,   w->inside, w->out,
                         w->distance,    w->carry,  w->keys,   w->order,  w->other_keys,
                         w->other_order, w->weight, w->height, w->level,  w->seat};
        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    }
    mem_free(p->sum);
    mem_free(p->reaction);
    mem_free(p->left);
    mem_free(p->thrown);
    mem_free(p->wave);
    mem_free(p);
}

void snowfield_sort(uint32_t *keys, uint32_t *values, uint32_t *other_keys, uint32_t *other_values,
                    size_t n) {
    for (int shift = 0; shift < 32; shift += 8) {
        size_t place[257] = {0};
        for (size_t i = 0; i < n; i++) place[(keys[i] >> shift & 255) + 1]++;
        for (int k = 0; k < 256; k++) place[k + 1] += place[k];
        for (size_t i = 0; i < n; i++) {
            size_t to = place[keys[i] >> shift & 255]++;
            other_keys[to] = keys[i];
            other_values[to] = values[i];
        }
        uint32_t *k = keys, *v = values;
        keys = other_keys, other_keys = k;
        values = other_values, other_values = v;
    }
}

int32_t snowfield_press_margin(snowfield_rect cells) {
    int32_t size = int_max(cells.x1 - cells.x0, cells.z1 - cells.z0);
    return int_min(int_max(PRESS_MARGIN, size), PRESS_MOST_MARGIN);
}

// Bodies in the snow from left to right. Those at rest change nothing.
static firn_status find_bodies(snowfield_state *s) {
    snowfield_pressing *p = s->press;
    p->count = 0;
    p->widest = 0;
    for (size_t b = 0; b < body_count(p->bodies); b++) {
        const snowfield_print *print = &s->prints[b];
        if (rect_empty(print->cells) || print->clear) continue;
        pressed *sum = &p->sum[b];
        *sum = (pressed){.velocity = body_state(p->bodies, b).velocity,
                         .centre = body_centre_of_mass(p->bodies, b),
                         .area = print->moved ? rect_grow(print->cells, snowfield_press_margin(print->cells))
                                              : print->cells};
        if (print->moved) TRY(snowfield_tiles_make(s, sum->area));
        p->left[p->count] = (uint32_t)(sum->area.x0 + PRESS_MOST_MARGIN);
        p->order[p->count++] = (uint32_t)b;
        p->widest = int_max(p->widest, sum->area.x1 - sum->area.x0);
    }
    snowfield_sort(p->left, p->order, p->other_left, p->other_order, p->count);
    return FIRN_OK;
}

static uint32_t first_of(snowfield_pressing *p, uint32_t b) {
    while (p->chain[b] != b) b = p->chain[b] = p->chain[p->chain[b]];
    return b;
}

// The first body of a chain is the one that comes first in the scene.
static void join(snowfield_pressing *p, uint32_t a, uint32_t b) {
    a = first_of(p, a);
    b = first_of(p, b);
    if (a < b)
        p->chain[b] = a;
    else
        p->chain[a] = b;
}

static void join_neighbours(const snowfield_state *s, snowfield_pressing *p) {
    for (size_t i = 0; i < p->count; i++) {
        uint32_t a = p->order[i];
        snowfield_rect area = p->sum[a].area;
        for (size_t j = i + 1; j < p->count && p->sum[p->order[j]].area.x0 < area.x1; j++) {
            uint32_t b = p->order[j];
            if (s->prints[a].moved && s->prints[b].moved && !rect_empty(rect_meet(area, p->sum[b].area)))
                join(p, a, b);
        }
    }
}

bool snowfield_presses(const snowfield_print *p) { return p->moved && !p->clear && !rect_empty(p->cells); }

// Chains of bodies, each in the order of the scene.
static void make_chains(const snowfield_state *s, snowfield_pressing *p) {
    uint32_t count = (uint32_t)body_count(p->bodies), *last = p->other_order;
    for (uint32_t b = 0; b < count; b++) p->chain[b] = b;
    join_neighbours(s, p);
    p->chains = 0;
    for (uint32_t b = 0; b < count; b++) {
        p->next[b] = NO_BODY;
        if (!snowfield_presses(&s->prints[b])) continue;
        uint32_t first = first_of(p, b);
        if (first == b)
            p->firsts[p->chains++] = b;
        else
            p->next[last[first]] = b;
        last[first] = b;
    }
}

firn_status snowfield_press_reserve(const snowfield_state *s, snowfield_press *w, size_t area,
                                    size_t inside) {
    if (!array_reserve(&w->label, &w->capacity[0], area, sizeof *w->label) ||
        !array_reserve(&w->front, &w->capacity[1], area, sizeof *w->front) ||
        !array_reserve(&w->next, &w->capacity[2], area, sizeof *w->next) ||
        !array_reserve(&w->out, &w->capacity[3], inside, sizeof *w->out) ||
        !array_reserve(&w->inside, &w->capacity[4], inside, sizeof *w->inside) ||
        !array_reserve(&w->weight, &w->capacity[5], area, sizeof *w->weight) ||
        !array_reserve(&w->distance, &w->room[0], area, sizeof *w->distance) ||
        !array_reserve(&w->height, &w->room[6], area, sizeof *w->height) ||
        !array_reserve(&w->level, &w->room[7], area, sizeof *w->level) ||
        !array_reserve(&w->seat, &w->room[8], area, sizeof *w->seat))
        return fail_memory("pressing snow", area * 16);
    return s->def.spread == FIRN_SNOWFIELD_DISTANCE ? snowfield_distance_reserve(w, area, inside) : FIRN_OK;
}

static firn_status reserve_workers(snowfield_state *s) {
    snowfield_pressing *p = s->press;
    size_t area = 0, inside = 0;
    for (size_t i = 0; i < p->count; i++) {
        size_t n = rect_size(p->sum[p->order[i]].area), m = rect_size(s->prints[p->order[i]].cells);
        area = n > area ? n : area;
        inside = m > inside ? m : inside;
    }
    for (size_t k = 0; k < PRESS_WORKERS && k < p->chains; k++)
        TRY(snowfield_press_reserve(s, &p->worker[k], area, inside));
    return FIRN_OK;
}

// Every body may throw its part of the bits that there is room for.
static void share_bits(snowfield_state *s) {
    snowfield_pressing *p = s->press;
    size_t room = (size_t)s->def.bits.most - s->bits.count, each = room / (p->count + 1);
    if (p->count == 1) each = room;
    for (size_t i = 0; i < p->count; i++) {
        uint32_t b = p->order[i];
        p->sum[b].most_bits = (int32_t)(each < BITS_AT_ONCE ? each : BITS_AT_ONCE);
        p->sum[b].first_bit = s->counters[COUNTER_BITS] + (uint64_t)b * BITS_AT_ONCE;
        p->sum[b].thrown = p->thrown ? p->thrown + (size_t)b * BITS_AT_ONCE : NULL;
    }
    s->counters[COUNTER_BITS] += body_count(p->bodies) * BITS_AT_ONCE;
}

// Without time for more, the reaction is sampled at some of the cells only.
static void feel_body(snowfield_state *s, uint32_t b) {
    snowfield_pressing *p = s->press;
    bool roughly = s->prints[b].owed || snowfield_late(s);
    p->reaction[b] = snowfield_contact_reaction(s, p->bodies, b, &p->sum[b], p->dt, roughly);
}

// When the time is over the others wait for the next step; each worker does one at least.
static void press_chains(void *context, size_t worker) {
    snowfield_state *s = context;
    snowfield_pressing *p = s->press;
    size_t done = 0;
    for (size_t c = worker; c < p->chains; c += PRESS_WORKERS) {
        if (!snowfield_ranks_does(s, p->firsts[c])) continue;
        for (uint32_t b = p->firsts[c]; b != NO_BODY; b = p->next[b]) {
            s->prints[b].owed = done++ > 0 && snowfield_late(s);
            if (!s->prints[b].owed) snowfield_press_print(s, &p->worker[worker], &s->prints[b], &p->sum[b]);
        }
        // No other chain changes what they stand in, and now it is still near in memory.
        for (uint32_t b = p->firsts[c]; b != NO_BODY; b = p->next[b]) feel_body(s, b);
    }
}

// Those at rest, in the snow that others have pressed.
static void feel_rest(void *context, size_t begin, size_t end) {
    snowfield_state *s = context;
    for (size_t i = begin; i < end; i++) {
        uint32_t b = s->press->order[i];
        if (!snowfield_presses(&s->prints[b]) && snowfield_ranks_does(s, b)) feel_body(s, b);
    }
}

firn_status snowfield_press_bodies(snowfield_state *s, body_set *bodies, double dt) {
    snowfield_pressing *p = s->press;
    p->dt = dt;
    p->bodies = bodies;
    TRY(find_bodies(s));
    if (p->count == 0) return FIRN_OK;
    make_chains(s, p);
    TRY(reserve_workers(s));
    share_bits(s);
    TRY(snowfield_ranks_chains(s));
    if (p->chains == 1)
        press_chains(s, 0);
    else
        par_tasks(p->chains < PRESS_WORKERS ? p->chains : PRESS_WORKERS, press_chains, s);
    snowfield_ranks_pressed(s);
    enum { TOGETHER = 16 };
    if (p->count > TOGETHER)
        par_for(p->count, TOGETHER, feel_rest, s);
    else
        feel_rest(s, 0, p->count);
    snowfield_ranks_felt(s);
    for (size_t b = 0; b < body_count(bodies); b++) {
        if (!snowfield_presses(&s->prints[b])) continue;
        s->work += !s->prints[b].owed;
        snowfield_touch(s, p->sum[b].used);
        snowfield_bits_add(s, &p->sum[b]);
    }
    TRY(snowfield_waves_find(s, bodies));
    snowfield_ranks_waves(s);
    snowfield_waves_feel(s);
    snowfield_ranks_pushed(s);
    size_t wave = 0;
    for (size_t b = 0; b < body_count(bodies); b++) {
        if (rect_empty(s->prints[b].cells) || s->prints[b].clear) continue;
        snowfield_apply_reaction(bodies, b, &p->reaction[b], dt);
        if (s->tiles.crust && snowfield_presses(&s->prints[b])) snowfield_crust_settle(s, s->prints[b].cells);
        if (s->prints[b].moved && !s->prints[b].owed) snowfield_waves_push(s, bodies, b, dt, &wave);
    }
    return FIRN_OK;
}
