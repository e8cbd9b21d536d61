// Heat that passes where particles touch the snow on the ground: pair by pair, implicitly, in a fixed order.
// What one gives the other takes, and no pair passes its equilibrium.
#include "world/couple_heat.h"

#include <math.h>
#include <stdlib.h>

#include "par/par.h"

enum { BLOCK = 1024 }; // particles of a task

// ---- the law

// Temperatures after q (J) went from a to b: what flow would have passed, less q. Falls with q.
static double excess(const offer_heat *a, const offer_heat *b, double flow, double q) {
    return flow * (heat_temperature(a->law, a->enthalpy - q / a->mass) -
                   heat_temperature(b->law, b->enthalpy + q / b->mass)) -
           q;
}

// q = flow (Ta(q) - Tb(q)). Straight between the four q at which one of both begins or ends to melt.
double couple_heat_between(const offer_heat *a, const offer_heat *b, double flow) {
    double none = excess(a, b, flow, 0);
    if (!(none != 0)) return 0;
    double low = fmin(none, 0), high = fmax(none, 0); // the excess is 0 in between, as it falls with q
    const double bend[4] = {a->mass * a->enthalpy, a->mass * (a->enthalpy - a->law->latent),
                            -b->mass * b->enthalpy, b->mass * (b->law->latent - b->enthalpy)};
    for (int k = 0; k < 4; k++) {
        if (!(bend[k] > low && bend[k] < high)) continue;
        if (excess(a, b, flow, bend[k]) > 0)
            low = bend[k];
        else
            high = bend[k];
    }
    double over = excess(a, b, flow, low), under = excess(a, b, flow, high);
    return over > under ? low + (high - low) * fmin(fmax(over / (over - under), 0), 1) : low;
}

// ---- who touches what

struct heat_contact {
    uint64_t column;
    uint32_t item;
    float area; // m2
};

typedef struct search {
    const coupling *c;
    const heat_contacts *list;
    double highest; // m
} search;

// Touching surfaces: a particle up to 0.6 of its edge above the snow wholly, one an edge above it not at all,
// as phase takes particles on bodies.
static void find_block(void *context, size_t begin, size_t end) {
    const search *w = context;
    const offer_particles *p = w->c->kind->a->offers->particles;
    const offer_ground *g = w->c->kind->b->offers->ground;
    offer_particle item[BLOCK];
    uint32_t n = 0;
    p->read(w->c->a, begin, end, item);
    for (size_t i = begin; i < end; i++) {
        const offer_particle *at = &item[i - begin];
        if (!(at->at[1] < w->highest + 2 * (double)at->radius)) continue;
        offer_heat heat;
        uint64_t column;
        double distance;
        p->read_heat(w->c->a, i, &heat);
        double edge = sqrt(heat.area);
        if (!g->column(w->c->b, at->at, edge, &column, &distance)) continue;
        double part = fmin((edge - distance) / (0.4 * edge), 1);
        if (part > 0)
            w->list->item[begin + n++] = (heat_contact){column, (uint32_t)i, (float)(part * heat.area)};
    }
    w->list->found[begin / BLOCK] = n;
}

static int by_column(const void *a, const void *b) {
    const heat_contact *p = a, *q = b;
    if (p->column != q->column) return p->column < q->column ? -1 : 1;
    return p->item < q->item ? -1 : p->item > q->item;
}

static firn_status find_contacts(const coupling *c, heat_contacts *l) {
    size_t count = c->kind->a->offers->particles->count(c->a), blocks = (count + BLOCK - 1) / BLOCK;
    search w = {c, l, c->kind->b->offers->ground->highest(c->b)};
    if (!array_reserve(&l->item, &l->capacity[0], count, sizeof *l->item) ||
        !array_reserve(&l->found, &l->capacity[1], blocks, sizeof *l->found))
        return fail_memory("heat in contact", count * sizeof *l->item);
    par_for(count, BLOCK, find_block, &w);
    l->count = 0;
    for (size_t k = 0; k < blocks; k++)
        for (size_t i = k * BLOCK; i < k * BLOCK + l->found[k]; i++) l->item[l->count++] = l->item[i];
    if (l->count > 1) qsort(l->item, l->count, sizeof *l->item, by_column);
    return FIRN_OK;
}

// ---- the exchange

// Those of one column share its area. Returns J that it got.
static double warm_column(coupling *c, const heat_contact *first, size_t count, double contact, double time) {
    const offer_particles *p = c->kind->a->offers->particles;
    offer_heat column, heat;
    double area = 0, got = 0;
    c->kind->b->offers->ground->read_heat(c->b, first->column, &column);
    for (size_t i = 0; i < count; i++) area += (double)first[i].area;
    double share = fmin(1, column.area / area);
    for (size_t i = 0; i < count; i++) {
        p->read_heat(c->a, first[i].item, &heat);
        double resists = heat.resistance + column.resistance + 1 / contact;
        double q = couple_heat_between(&heat, &column, share * (double)first[i].area * time / resists);
        column.enthalpy += q / column.mass;
        got += q;
        if (q != 0) p->warm(c->a, first[i].item, -q);
    }
    return got;
}

firn_status couple_heat_ground(coupling *c, heat_contacts *l, double contact, double dt) {
    const offer_ground *g = c->kind->b->offers->ground;
    double one = c->kind->a->offers->particles->heat_lapse(c->a), other = g->heat_lapse(c->b);
    if (!(one > 0 && other > 0 && contact > 0)) return FIRN_OK;
    TRY(find_contacts(c, l));
    if (!array_reserve(&l->column, &l->capacity[2], l->count, sizeof *l->column) ||
        !array_reserve(&l->heat, &l->capacity[3], l->count, sizeof *l->heat))
        return fail_memory("heat in contact", l->count * sizeof *l->heat);
    size_t columns = 0;
    for (size_t i = 0, n; i < l->count; i += n) {
        for (n = 1; i + n < l->count && l->item[i + n].column == l->item[i].column;) n++;
        double got = warm_column(c, &l->item[i], n, contact, dt * fmax(one, other));
        if (got == 0) continue;
        l->column[columns] = l->item[i].column, l->heat[columns++] = got;
        c->sum->heat += got;
    }
    return columns > 0 ? g->warm(c->b, columns, l->column, l->heat) : FIRN_OK;
}

void couple_heat_free(heat_contacts *l) {
    mem_free(l->item);
    mem_free(l->found);
    mem_free(l->column);
    mem_free(l->heat);
}
