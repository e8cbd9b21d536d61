// What solids and liquids offer to other models.
#include <math.h>
#include <string.h>

#include "body/offers.h"
#include "pbd/pbd_material.h"
#include "pbd/pbd_state.h"

static size_t count(const void *model) { return ((const pbd *)model)->p.count; }

static double largest(const void *model) {
    const pbd *s = model;
    float most = 0;
    for (size_t k = 0; k < s->group_count && s->p.count > 0; k++) most = fmaxf(most, s->groups[k].radius);
    return (double)most;
}

static void read(const void *model, size_t begin, size_t end, offer_particle *out) {
    const pbd *s = model;
    for (size_t i = begin; i < end; i++, out++) {
        const pbd_group *g = &s->groups[s->p.group[i]];
        *out = (offer_particle){.mass = (float)g->mass,
                                .radius = g->radius,
                                .touch = g->radius,
                                .temperature = NAN,
                                .matter = g->phase == PBD_SOLID ? OFFER_SOLID : OFFER_WATER,
                                .part = s->p.group[i]};
        memcpy(out->at, s->p.at[i], sizeof out->at);
        memcpy(out->velocity, s->p.v[i], sizeof out->velocity);
    }
}

// Solids remember the velocity before the last sub-step, and how far they went in it: changed in the new one
// alone, the change would grow by half within the next steps (BDF2).
void pbd_push(pbd *s, size_t begin, size_t end, const float (*change)[3]) {
    for (size_t i = begin; i < end; i++, change++)
        for (int a = 0; a < 3; a++) {
            s->p.v[i][a] += (*change)[a];
            if (i >= s->p.solids) continue;
            s->p.v_before[i][a] += (*change)[a];
            s->p.moved[i][a] += (float)s->counters.dt * (*change)[a];
        }
}

void pbd_shift(pbd *s, size_t begin, size_t end, const float (*by)[3]) {
    for (size_t i = begin; i < end; i++, by++)
        for (int a = 0; a < 3; a++) s->p.at[i][a] += (double)(*by)[a];
}

static void push(void *model, size_t begin, size_t end, const float (*change)[3]) {
    pbd_push(model, begin, end, change);
}
static void shift(void *model, size_t begin, size_t end, const float (*by)[3]) {
    pbd_shift(model, begin, end, by);
}

// ---- Facets: squares of cloth and pieces of rope, by the order of the lattice

typedef struct sheet_size {
    size_t columns, rows; // particles; one row: a rope
} sheet_size;

// Of a solid; no rows: it is no cloth or rope.
static sheet_size sheet_of(const pbd *s, size_t solid) {
    const firn_pbd_solid_def *def = &s->setting.def->pbd->solids.items[solid];
    const double n[3] = {def->lattice.x, def->lattice.y, def->lattice.z};
    int flat = 0;
    while (flat < 3 && n[flat] != 1) flat++;
    if (flat == 3 || !s->groups[solid].linked) return (sheet_size){0};
    double columns = n[flat == 0 ? 1 : 0], rows = n[flat == 2 ? 1 : 2];
    sheet_size out = {(size_t)(columns > 1 ? columns : rows), (size_t)(columns > 1 ? rows : 1)};
    return out.columns * out.rows == s->groups[solid].count ? out : (sheet_size){0};
}

static size_t facets_of(sheet_size n) {
    if (n.rows == 0 || n.columns < 2) return 0;
    return (n.columns - 1) * (n.rows > 1 ? n.rows - 1 : 1);
}

static size_t solid_count(const pbd *s) {
    return s->setting.def->pbd ? s->setting.def->pbd->solids.count : 0;
}

static size_t facet_count(const void *model) {
    const pbd *s = model;
    size_t sum = 0;
    for (size_t k = 0; k < solid_count(s); k++) sum += facets_of(sheet_of(s, k));
    return sum;
}

static offer_facet facet_of(const pbd *s, size_t solid, sheet_size n, size_t i) {
    const firn_pbd_solid_def *def = &s->setting.def->pbd->solids.items[solid];
    uint32_t first = (uint32_t)s->groups[solid].first, columns = (uint32_t)n.columns;
    float edge = (float)(def->spacing * def->fill.scale);
    if (n.rows == 1)
        return (offer_facet){{first + (uint32_t)i, first + (uint32_t)i + 1, 0, 0},
                             (float)pbd_material_of(def, 1).thickness,
                             edge};
    uint32_t a = first + (uint32_t)(i / (n.columns - 1)) * columns + (uint32_t)(i % (n.columns - 1));
    return (offer_facet){{a, a + 1, a + columns + 1, a + columns}, 0, edge};
}

static void facet_read(const void *model, size_t begin, size_t end, offer_facet *out) {
    const pbd *s = model;
    size_t from = 0;
    for (size_t k = 0; k < solid_count(s) && from < end; k++) {
        sheet_size n = sheet_of(s, k);
        size_t count = facets_of(n), i = begin > from ? begin - from : 0;
        for (; i < count && from + i < end; i++) *out++ = facet_of(s, k, n, i);
        from += count;
    }
}

static const offer_facets facets = {facet_count, facet_read};
static const offer_particles particles = {
    .count = count, .largest = largest, .read = read, .push = push, .shift = shift};
const struct firn_offers pbd_offers = {.particles = &particles, .facets = &facets};
