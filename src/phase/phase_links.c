// Which grains hold each other. Links end where they are stretched too far, where a grain has become water or
// has more of them than its temperature allows; new ones form between cold grains with free slots, the
// nearest first. Everything is decided by both ends alike, whatever the number of threads.
#include "phase/phase_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { TASK = 2048 };
static const double REACH = 1.15; // of two grains that touch
static const double NEAR = 1.684; // spacings of water: the radius of PHASE21, within which grains link

static const float OUTSIDE = 0.9f; // of two that touch: nearer one is still inside of the other

typedef struct link_wish {
    uint32_t a, b; // numbers, a < b
    float distance;
} link_wish;

firn_status phase_links_reserve(phase *m, size_t n) {
    phase_links *l = &m->links;
    size_t slots = n * l->most, before = l->capacity[2];
    if (!array_reserve(&l->partner, &l->capacity[0], slots, sizeof *l->partner) ||
        !array_reserve(&l->length, &l->capacity[1], slots, sizeof *l->length) ||
        !array_reserve(&l->count, &l->capacity[2], n, sizeof *l->count) ||
        !array_reserve(&l->drop, &l->capacity[3], n, sizeof *l->drop) ||
        !array_reserve(&l->place, &l->place_capacity, n, sizeof *l->place) ||
        !array_reserve(&l->other, &l->step_capacity[0], (m->s->p.count + 1) * l->most, sizeof *l->other) ||
        !array_reserve(&l->rest, &l->step_capacity[1], (m->s->p.count + 1) * l->most, sizeof *l->rest) ||
        !array_reserve(&l->dry, &l->step_capacity[2], m->s->p.count + 1, sizeof *l->dry))
        return fail_memory("making room for links", slots * sizeof *l->partner);
    if (l->capacity[2] > before) memset(l->count + before, 0, (l->capacity[2] - before) * sizeof *l->count);
    for (size_t k = l->numbers; k < n; k++) {
        memset(l->partner + k * l->most, 0, l->most * sizeof *l->partner);
        memset(l->length + k * l->most, 0, l->most * sizeof *l->length);
    }
    l->numbers = n > l->numbers ? n : l->numbers;
    size_t blocks = fluid_blocks(m->s->p.count);
    before = l->block_capacity;
    if (!array_reserve(&l->block, &l->block_capacity, blocks, sizeof *l->block))
        return fail_memory("making room for links", blocks * sizeof *l->block);
    if (l->block_capacity > before)
        memset(l->block + before, 0, (l->block_capacity - before) * sizeof *l->block);
    return FIRN_OK;
}

void phase_links_free(phase_links *l) {
    for (size_t k = 0; k < l->block_capacity; k++) mem_free(l->block[k].item);
    void *lists[] = {l->partner, l->length, l->count,       l->drop,          l->place, l->wish, l->block,
                     l->key,     l->index,  l->scratch_key, l->scratch_index, l->other, l->rest, l->dry};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) mem_free(lists[k]);
}

static void place_block(void *context, size_t begin, size_t end) {
    const phase *m = context;
    for (size_t i = begin; i < end; i++) m->links.place[m->s->p.id[i]] = (uint32_t)i;
}

void phase_links_place(phase *m) { par_for(m->s->p.count, TASK, place_block, m); }

// Slots that the temperature of particle i allows; none for water and for grains that only begin to be.
uint32_t phase_slots_of(const phase *m, uint32_t i) {
    const firn_phase_link_def *def = &m->def.links;
    if (def->mode == FIRN_PHASE_LINKS_NONE || !phase_is_snow(m, i) || phase_liquid(m)[i] > 0.5f) return 0;
    double t = phase_temperature(m, i);
    if (t > def->temperature) return 0;
    if (def->mode == FIRN_PHASE_LINKS_ALL) return (uint32_t)m->links.most;
    return phase_slots(t, m->law.freeze, def->full_temperature, m->links.most);
}

static float apart(const pbd_particles *p, uint32_t i, uint32_t j) {
    float d2 = 0;
    for (int a = 0; a < 3; a++) d2 += (p->x[i][a] - p->x[j][a]) * (p->x[i][a] - p->x[j][a]);
    return sqrtf(d2);
}

// ---- ending

// Which links particle i gives up: those that are stretched too far, then the longest ones beyond its slots.
static uint32_t drops_of(const phase *m, uint32_t i, uint32_t number) {
    const phase_links *l = &m->links;
    const uint32_t *partner = l->partner + number * l->most;
    const float *rest = l->length + number * l->most;
    uint32_t count = l->count[number], slots = phase_slots_of(m, i), drop = 0, left = count;
    float most = 1 + (float)m->def.links.break_strain, strain[PHASE_MOST_LINKS];
    for (uint32_t k = 0; k < count; k++) {
        strain[k] = apart(&m->s->p, i, l->place[partner[k]]) / rest[k];
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
        m->links.drop[number] = m->links.count[number] > 0 ? drops_of(m, (uint32_t)i, number) : 0;
    }
}

static uint32_t slot_of(const phase_links *l, uint32_t number, uint32_t partner) {
    uint32_t k = 0;
    while (k < l->count[number] && l->partner[number * l->most + k] != partner) k++;
    return k;
}

// A link ends if either end gives it up; returns how many of i's end.
static double end_block(void *context, size_t begin, size_t end) {
    const phase *m = context;
    const phase_links *l = &m->links;
    double ended = 0;
    for (size_t i = begin; i < end; i++) {
        uint32_t number = m->s->p.id[i], *partner = l->partner + number * l->most, ends = l->drop[number];
        for (uint32_t k = 0; k < l->count[number]; k++) {
            uint32_t other = partner[k];
            if (l->drop[other]) ends |= (l->drop[other] >> slot_of(l, other, number) & 1) << k;
        }
        // Its own marks stay for the others to read; which slots end is kept beside them.
        m->ends[i] = ends;
        for (; ends; ends &= ends - 1) ended++;
    }
    return ended;
}

static void close_block(void *context, size_t begin, size_t end) {
    const phase *m = context;
    const phase_links *l = &m->links;
    for (size_t i = begin; i < end; i++) {
        uint32_t number = m->s->p.id[i], ends = m->ends[i], kept = 0;
        if (!ends) continue;
        uint32_t *partner = l->partner + number * l->most;
        float *length = l->length + number * l->most;
        for (uint32_t k = 0; k < l->count[number]; k++)
            if (!(ends >> k & 1)) partner[kept] = partner[k], length[kept++] = length[k];
        for (uint32_t k = kept; k < l->count[number]; k++) partner[k] = 0, length[k] = 0;
        l->count[number] = kept;
    }
}

static void end_links(phase *m) {
    size_t n = m->s->p.count;
    par_for(n, TASK, mark_block, m);
    double ended = par_sum(n, TASK, end_block, m) / 2;
    if (!(ended > 0)) return;
    par_for(n, TASK, close_block, m);
    m->book.broken += ended;
    m->book.changed = 1;
}

static void cut_one(phase_links *l, uint32_t number, uint32_t partner) {
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
        cut_one(l, other, number);
        cut_one(l, number, other);
        m->book.broken++;
        m->book.changed = 1;
    }
    m->lumps.label[number] = UINT32_MAX;
    l->place[number] = UINT32_MAX;
}

// ---- forming

// What freezes where it is inside of a grain, as water may be, comes out of it before it links to any.
static void stuck_block(void *context, size_t block) {
    const phase *m = context;
    fluid_rows rows = fluid_rows_of(m->f, block);
    for (size_t k = 0; k < rows.count && rows.own[k] < m->s->grains; k++) {
        uint32_t i = rows.own[k];
        m->stuck[i] = false;
        if (!(phase_liquid(m)[i] > 0)) continue;
        for (uint32_t n = rows.first[k]; n < rows.first[k + 1] && !m->stuck[i]; n++) {
            uint32_t j = rows.index[n];
            m->stuck[i] = j < m->s->grains && apart(&m->s->p, i, j) < OUTSIDE * (m->radius[i] + m->radius[j]);
        }
    }
}

static bool has_room(const phase *m, uint32_t i) {
    return m->links.count[m->s->p.id[i]] < phase_slots_of(m, i) && !m->stuck[i];
}

static void wish_row(const phase *m, struct link_wishes *list, uint32_t i, const uint32_t *near, size_t n) {
    const pbd_particles *p = &m->s->p;
    uint32_t number = p->id[i];
    for (size_t k = 0; k < n; k++) {
        uint32_t j = near[k];
        if (j >= m->s->grains || p->id[j] <= number || !has_room(m, j)) continue;
        float d = apart(p, i, j), touch = (float)REACH * (m->radius[i] + m->radius[j]);
        if (d > fmaxf((float)(NEAR * m->spacing), touch) ||
            slot_of(&m->links, number, p->id[j]) < m->links.count[number])
            continue;
        if (!array_reserve(&list->item, &list->capacity, list->count + 1, sizeof *list->item)) {
            list->no_memory = true;
            return;
        }
        list->item[list->count++] = (link_wish){number, p->id[j], d};
    }
}

static void wish_block(void *context, size_t block) {
    const phase *m = context;
    struct link_wishes *list = &m->links.block[block];
    fluid_rows rows = fluid_rows_of(m->f, block);
    list->count = 0;
    for (size_t k = 0; k < rows.count && rows.own[k] < m->s->grains; k++)
        if (has_room(m, rows.own[k]))
            wish_row(m, list, rows.own[k], rows.index + rows.first[k], rows.first[k + 1] - rows.first[k]);
}

static firn_status gather_wishes(phase *m, size_t *count) {
    phase_links *l = &m->links;
    size_t total = 0, n = 0;
    par_tasks(m->f->blocks, wish_block, m);
    for (size_t k = 0; k < m->f->blocks; k++) {
        if (l->block[k].no_memory) {
            l->block[k].no_memory = false;
            return fail_memory("listing pairs of grains", l->block[k].count * sizeof(link_wish));
        }
        total += l->block[k].count;
    }
    if (!array_reserve(&l->wish, &l->wish_capacity, total, sizeof *l->wish) ||
        !array_reserve(&l->key, &l->sort_capacity[0], total, sizeof *l->key) ||
        !array_reserve(&l->index, &l->sort_capacity[1], total, sizeof *l->index) ||
        !array_reserve(&l->scratch_key, &l->sort_capacity[2], total, sizeof *l->key) ||
        !array_reserve(&l->scratch_index, &l->sort_capacity[3], total, sizeof *l->index))
        return fail_memory("listing pairs of grains", total * sizeof *l->wish);
    for (size_t k = 0; k < m->f->blocks; k++)
        for (size_t i = 0; i < l->block[k].count; i++, n++) {
            l->wish[n] = l->block[k].item[i];
            memcpy(&l->key[n], &l->wish[n].distance, sizeof l->key[n]); // lengths sort like their bits
            l->index[n] = (uint32_t)n;
        }
    *count = total;
    return FIRN_OK;
}

static void tie(phase_links *l, uint32_t number, uint32_t partner, float length) {
    size_t k = number * l->most + l->count[number]++;
    l->partner[k] = partner;
    l->length[k] = length;
}

static firn_status form_links(phase *m) {
    phase_links *l = &m->links;
    size_t count = 0;
    par_tasks(m->f->blocks, stuck_block, m);
    TRY(gather_wishes(m, &count));
    if (count == 0) return FIRN_OK;
    TRY(par_sort(l->key, l->index, l->scratch_key, l->scratch_index, count, 32));
    for (size_t k = 0; k < count; k++) {
        const link_wish *w = &l->wish[l->index[k]];
        if (!has_room(m, l->place[w->a]) || !has_room(m, l->place[w->b])) continue;
        tie(l, w->a, w->b, w->distance);
        tie(l, w->b, w->a, w->distance);
        m->book.formed++;
        m->book.changed = 1;
    }
    return FIRN_OK;
}

firn_status phase_links_update(phase *m) {
    if (m->def.links.mode == FIRN_PHASE_LINKS_NONE) return FIRN_OK;
    end_links(m);
    if (!phase_is_upkeep(m)) return FIRN_OK;
    TRY(form_links(m));
    return m->book.changed > 0 ? phase_lumps_find(m) : FIRN_OK;
}

// ---- holding

static void aim_block(void *context, size_t begin, size_t end) {
    const phase *m = context;
    const phase_links *l = &m->links;
    for (size_t i = begin; i < end; i++) {
        size_t number = m->s->p.id[i];
        for (uint32_t k = 0; k < l->count[number]; k++) {
            l->other[i * l->most + k] = l->place[l->partner[number * l->most + k]];
            l->rest[i * l->most + k] = l->length[number * l->most + k];
        }
        l->dry[i] = 1 - phase_melted(m, i);
    }
}

void phase_links_aim(phase *m) { par_for(m->s->p.count, TASK, aim_block, m); }

// What its links add to the move of particle i; positions in at. Both ends move by half. Wet ones hold less.
void phase_links_pull(const phase *m, uint32_t i, float move[3]) {
    const phase_links *l = &m->links;
    const uint32_t *other = l->other + i * l->most, count = l->count[m->s->p.id[i]];
    const float *rest = l->rest + i * l->most;
    const float(*at)[4] = (const float(*)[4])m->f->scratch;
    float half = 0.5f * (float)m->def.links.stiffness * l->dry[i];
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = other[k];
        float n[3] = {at[i][0] - at[j][0], at[i][1] - at[j][1], at[i][2] - at[j][2]};
        float d = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        float by = d > 0 ? half * l->dry[j] * (rest[k] - d) / d : 0;
        for (int a = 0; a < 3; a++) move[a] += by * n[a];
    }
}
