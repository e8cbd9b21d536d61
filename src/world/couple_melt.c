// Water moves through MPM snow as an exchange of water for ice, together with its latent heat: particles keep
// their masses. In each column of snow what a particle cannot hold goes to the one below, where it freezes if
// that is cold; the lowest take what remains, and what is all water then leaves.
#include "world/couple_melt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "par/par.h"

enum { BLOCK = 1024 }; // particles of a task
// Water is slower than motion: it is looked at in such intervals (s).
static const double MELT_EVERY = 0.01;
// Snow of which more than this share has melted, and that has no other to hold on to, is snow no more.
static const double FALLS_APART = 0.5;

void couple_melt_free(melting *m) {
    void *lists[] = {m->column, m->item, m->enthalpy, m->leaves, m->out, m->number, m->parcel, m->taken};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) mem_free(lists[k]);
}

static const offer_particles *snow_of(const coupling *c) { return c->kind->a->offers->particles; }

// ---- columns with water

typedef struct melt_search {
    const coupling *c;
    melting *m;
    double width, holds; // m; J/kg
} melt_search;

static uint64_t column_of(const double at[3], double width) {
    int64_t x = (int64_t)floor(at[0] / width), z = (int64_t)floor(at[2] / width);
    return (uint64_t)(uint32_t)(x + 0x40000000) << 32 | (uint32_t)(z + 0x40000000);
}

static void find_wet(void *context, size_t begin, size_t end) {
    const melt_search *w = context;
    uint64_t *out = w->m->column + begin;
    uint32_t n = 0;
    for (size_t i = begin; i < end; i++) {
        offer_heat heat;
        offer_particle at;
        snow_of(w->c)->read_heat(w->c->a, i, &heat);
        if (!(heat.enthalpy > w->holds)) continue;
        snow_of(w->c)->read(w->c->a, i, i + 1, &at);
        out[n++] = column_of(at.at, w->width);
    }
    w->m->number[begin / BLOCK] = n;
}

static int by_key(const void *a, const void *b) {
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return p < q ? -1 : p > q;
}

static void list_columns(melting *m, size_t count) {
    size_t all = 0;
    for (size_t k = 0; k * BLOCK < count; k++)
        for (size_t i = 0; i < m->number[k]; i++) m->column[all++] = m->column[k * BLOCK + i];
    m->columns = 0;
    if (all > 1) qsort(m->column, all, sizeof *m->column, by_key);
    for (size_t i = 0; i < all; i++)
        if (i == 0 || m->column[i] != m->column[m->columns - 1]) m->column[m->columns++] = m->column[i];
}

static void find_items(void *context, size_t begin, size_t end) {
    const melt_search *w = context;
    offer_particle at[BLOCK];
    uint32_t n = 0;
    snow_of(w->c)->read(w->c->a, begin, end, at);
    for (size_t i = begin; i < end; i++) {
        uint64_t key = column_of(at[i - begin].at, w->width);
        if (!bsearch(&key, w->m->column, w->m->columns, sizeof key, by_key)) continue;
        w->m->item[begin + n++] = (melt_item){key, at[i - begin].at[1], (uint32_t)i};
    }
    w->m->number[begin / BLOCK] = n;
}

static int from_above(const void *a, const void *b) {
    const melt_item *p = a, *q = b;
    if (p->column != q->column) return p->column < q->column ? -1 : 1;
    if (p->height != q->height) return p->height > q->height ? -1 : 1;
    return p->item < q->item ? -1 : p->item > q->item;
}

static firn_status find_columns(melt_search *w) {
    melting *m = w->m;
    size_t count = snow_of(w->c)->count(w->c->a), blocks = (count + BLOCK - 1) / BLOCK;
    m->columns = m->items = 0;
    if (!array_reserve(&m->column, &m->capacity[0], count, sizeof *m->column) ||
        !array_reserve(&m->number, &m->capacity[1], blocks, sizeof *m->number))
        return fail_memory("finding water in snow", count * sizeof *m->column);
    par_for(count, BLOCK, find_wet, w);
    list_columns(m, count);
    if (m->columns == 0) return FIRN_OK;
    if (!array_reserve(&m->item, &m->capacity[2], count, sizeof *m->item))
        return fail_memory("finding water in snow", count * sizeof *m->item);
    par_for(count, BLOCK, find_items, w);
    for (size_t k = 0; k < blocks; k++)
        for (size_t i = 0; i < m->number[k]; i++) m->item[m->items++] = m->item[k * BLOCK + i];
    qsort(m->item, m->items, sizeof *m->item, from_above);
    return FIRN_OK;
}

// ---- water goes down

typedef struct melt_run { // of snow without a gap, in a column
    const coupling *c;
    melting *m;
    size_t first, end;
    double holds, latent; // J/kg
} melt_run;

static double mass_of(const melt_run *r, size_t k, double *enthalpy) {
    offer_heat heat;
    snow_of(r->c)->read_heat(r->c->a, r->m->item[k].item, &heat);
    if (enthalpy) *enthalpy = heat.enthalpy;
    return heat.mass;
}

// J of water that has come to the lower side of the run.
static double sink(const melt_run *r) {
    double water = 0;
    for (size_t k = r->first; k < r->end; k++) {
        double *h = &r->m->enthalpy[k], mass = mass_of(r, k, h), excess = mass * (*h - r->holds);
        double passes = excess > 0 ? excess : -fmin(water, -excess);
        *h = excess > 0 ? r->holds : *h - passes / mass;
        water += passes;
    }
    return water;
}

static void fill_from_below(const melt_run *r, double water) {
    for (size_t k = r->end; k-- > r->first && water > 0;) {
        double *h = &r->m->enthalpy[k], mass = mass_of(r, k, NULL);
        double takes = fmin(water, mass * fmax(r->latent - *h, 0));
        *h = takes < water ? fmax(*h, r->latent) : *h + takes / mass;
        water -= takes;
    }
    size_t last = r->end - 1;
    if (water > 0) r->m->enthalpy[last] += water / mass_of(r, last, NULL); // it is warmer than 0 C
}

static void drain_run(const melt_run *r) {
    melting *m = r->m;
    bool alone = r->end - r->first == 1;
    fill_from_below(r, sink(r));
    for (size_t k = r->end; k-- > r->first;) {
        double before, mass = mass_of(r, k, &before), given = mass * (m->enthalpy[k] - before);
        if (given != 0) snow_of(r->c)->warm(r->c->a, m->item[k].item, given);
        if (m->enthalpy[k] > r->latent * (alone ? FALLS_APART : 1 - 1e-9))
            m->leaves[m->count++] = m->item[k].item;
    }
}

static firn_status drain(melt_search *w, double latent) {
    melting *m = w->m;
    if (!array_reserve(&m->enthalpy, &m->capacity[3], m->items, sizeof *m->enthalpy) ||
        !array_reserve(&m->leaves, &m->capacity[4], m->items, sizeof *m->leaves))
        return fail_memory("water in snow", m->items * sizeof *m->enthalpy);
    m->count = 0;
    for (size_t first = 0, end; first < m->items; first = end) {
        for (end = first + 1; end < m->items && m->item[end].column == m->item[first].column &&
                              m->item[end - 1].height - m->item[end].height < w->width;)
            end++;
        drain_run(&(melt_run){w->c, m, first, end, w->holds, latent});
    }
    return FIRN_OK;
}

// ---- and leaves

static phase_parcel parcel_of(const coupling *c, uint32_t i) {
    offer_particle p;
    offer_heat heat;
    snow_of(c)->read(c->a, i, i + 1, &p);
    snow_of(c)->read_heat(c->a, i, &heat);
    phase_parcel out = {.edge = sqrt(heat.area), .mass = heat.mass, .heat = heat.mass * heat.enthalpy};
    for (int a = 0; a < 3; a++) {
        out.at[a] = p.at[a];
        out.momentum[a] = heat.mass * (double)p.velocity[a];
    }
    return out;
}

static int by_number(const void *a, const void *b) {
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

static firn_status leave(coupling *c, melting *m) {
    size_t out = 0;
    if (m->count == 0) return FIRN_OK;
    if (!array_reserve(&m->parcel, &m->capacity[5], m->count, sizeof *m->parcel) ||
        !array_reserve(&m->taken, &m->capacity[6], m->count, sizeof *m->taken) ||
        !array_reserve(&m->out, &m->capacity[7], m->count, sizeof *m->out))
        return fail_memory("water that leaves snow", m->count * sizeof *m->parcel);
    for (size_t k = 0; k < m->count; k++) m->parcel[k] = parcel_of(c, m->leaves[k]);
    TRY(phase_take_in(c->b, m->count, m->parcel, m->taken));
    for (size_t k = 0; k < m->count; k++) {
        if (!m->taken[k]) continue;
        m->out[out++] = m->leaves[k];
        c->sum->mass += m->parcel[k].mass;
        c->sum->heat += m->parcel[k].heat;
        for (int a = 0; a < 3; a++) c->sum->impulse[a] += m->parcel[k].momentum[a];
    }
    if (out == 0) return FIRN_OK;
    qsort(m->out, out, sizeof *m->out, by_number);
    return snow_of(c)->take_out(c->a, out, m->out);
}

firn_status couple_melt(coupling *c, melting *m, double holds, double now, double dt) {
    offer_heat heat;
    if (floor((now + dt) / MELT_EVERY) == floor(now / MELT_EVERY) || snow_of(c)->count(c->a) == 0)
        return FIRN_OK;
    snow_of(c)->read_heat(c->a, 0, &heat);
    double latent = heat.law->latent;
    melt_search w = {c, m, 2 * c->kind->a->spacing(c->a), holds * latent};
    TRY(find_columns(&w));
    if (m->items == 0) return FIRN_OK;
    TRY(drain(&w, latent));
    return leave(c, m);
}
