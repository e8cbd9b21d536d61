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

typedef struct warm_contact {
    uint32_t item;
    double area; // m2
    offer_heat heat;
    offer_column column;
} warm_contact;

typedef struct search {
    const coupling *c;
    warm_contact *contact;
    uint32_t *found; // by block
    double highest;  // m
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
        warm_contact *out = &w->contact[begin + n];
        const offer_particle *at = &item[i - begin];
        if (!(at->at[1] < w->highest + 2 * (double)at->radius)) continue;
        p->read_heat(w->c->a, i, &out->heat);
        double edge = sqrt(out->heat.area);
        if (!g->column(w->c->b, at->at, edge, &out->column)) continue;
        double part = fmin((edge - out->column.distance) / (0.4 * edge), 1);
        if (!(part > 0)) continue;
        out->item = (uint32_t)i, out->area = part * out->heat.area;
        n++;
    }
    w->found[begin / BLOCK] = n;
}

static int by_column(const void *a, const void *b) {
    const warm_contact *p = a, *q = b;
    if (p->column.number != q->column.number) return p->column.number < q->column.number ? -1 : 1;
    return p->item < q->item ? -1 : p->item > q->item;
}

static firn_status find_contacts(search *w, size_t count, size_t *contacts) {
    par_for(count, BLOCK, find_block, w);
    *contacts = 0;
    for (size_t k = 0; k * BLOCK < count; k++)
        for (size_t i = k * BLOCK; i < k * BLOCK + w->found[k]; i++)
            w->contact[(*contacts)++] = w->contact[i];
    qsort(w->contact, *contacts, sizeof *w->contact, by_column);
    return FIRN_OK;
}

// ---- the exchange

// Those of one column share its area. Returns J that it got.
static double warm_column(coupling *c, const warm_contact *first, size_t count, double contact, double time) {
    offer_heat column = first->column.heat;
    double area = 0, got = 0;
    for (size_t i = 0; i < count; i++) area += first[i].area;
    double share = fmin(1, column.area / area);
    for (size_t i = 0; i < count; i++) {
        const offer_heat *heat = &first[i].heat;
        double resists = heat->resistance + column.resistance + 1 / contact;
        double q = couple_heat_between(heat, &column, share * first[i].area * time / resists);
        column.enthalpy += q / column.mass;
        got += q;
        if (q != 0) c->kind->a->offers->particles->warm(c->a, first[i].item, -q);
    }
    return got;
}

static firn_status exchange(coupling *c, search *w, size_t count, double contact, double time) {
    for (size_t i = 0, n; i < count; i += n) {
        uint64_t number = w->contact[i].column.number;
        for (n = 1; i + n < count && w->contact[i + n].column.number == number;) n++;
        double got = warm_column(c, &w->contact[i], n, contact, time);
        if (got == 0) continue;
        TRY(c->kind->b->offers->ground->warm(c->b, 1, &number, &got));
        c->sum->heat += got;
    }
    return FIRN_OK;
}

firn_status couple_heat_ground(coupling *c, double contact, double dt) {
    const offer_particles *p = c->kind->a->offers->particles;
    const offer_ground *g = c->kind->b->offers->ground;
    double one = p->heat_lapse(c->a), other = g->heat_lapse(c->b);
    size_t count = p->count(c->a), contacts;
    if (!(one > 0 && other > 0 && contact > 0) || count == 0) return FIRN_OK;
    search w = {.c = c, .highest = g->highest(c->b)};
    w.contact = mem_zero(count, sizeof *w.contact);
    w.found = mem_zero(count / BLOCK + 1, sizeof *w.found);
    firn_status status = w.contact && w.found ? FIRN_OK : fail_memory("heat in contact", count);
    if (status == FIRN_OK) status = find_contacts(&w, count, &contacts);
    if (status == FIRN_OK) status = exchange(c, &w, contacts, contact, dt * fmax(one, other));
    mem_free(w.contact);
    mem_free(w.found);
    return status;
}
