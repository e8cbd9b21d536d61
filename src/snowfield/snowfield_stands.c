// Balls of other models that stand in the snow: like bodies they are roofs, below which no snow slides or
// piles up higher than they are. They are painted over the roofs of bodies while snow moves, and lifted
// again: all follows from where they are, so that nothing of it is state.
#include "snowfield/snowfield_state.h"

#include <math.h>
#include <string.h>

#define STANDS_NEAR 0.02  // m above the snow
#define STANDS_STILL 1e-3 // m/s; a faster one may go away, so that snow may slide where it is

typedef struct painted {
    size_t covered;
    int32_t roof, upper; // as they were
} painted;

typedef struct snowfield_stands {
    painted *list; // in the order of painting
    size_t count, capacity;
} snowfield_stands;

void snowfield_stand(void *model, offer_feet feet) {
    snowfield_state *s = model;
    size_t slot = OFFER_FEET;
    for (size_t k = OFFER_FEET; k-- > 0;)
        if (!s->standing[k].find) slot = k;
    for (size_t k = 0; k < OFFER_FEET; k++)
        if (s->standing[k].find && s->standing[k].context == feet.context) slot = k;
    if (slot < OFFER_FEET) s->standing[slot] = feet;
}

void snowfield_stands_free(snowfield_state *s) {
    if (s->stands) mem_free(s->stands->list);
    mem_free(s->stands);
    s->stands = NULL;
}

static bool any_stand(const snowfield_state *s) {
    for (size_t k = 0; k < OFFER_FEET; k++)
        if (s->standing[k].find) return true;
    return false;
}

void snowfield_stands_lift(snowfield_state *s) {
    snowfield_stands *p = s->stands;
    while (p && p->count > 0) {
        const painted *last = &p->list[--p->count];
        s->covers.roof[last->covered] = last->roof;
        s->covers.upper[last->covered] = last->upper;
    }
}

static void paint_cell(snowfield_state *s, int32_t x, int32_t z, int32_t low, int32_t high) {
    size_t cell = snowfield_cell(s, x, z), covered = snowfield_covered(s, cell);
    snowfield_stands *p = s->stands;
    int32_t *roof = &s->covers.roof[covered], *upper = &s->covers.upper[covered];
    if (high <= snowfield_height(s->tiles.ground[cell])) return;
    low = int_max(low, snowfield_surface(s, cell));
    high = int_max(high, low);
    p->list[p->count++] = (painted){covered, *roof, *upper};
    *upper = *roof == NO_ROOF ? high : int_max(*upper, high);
    *roof = int_min(*roof, low);
    s->covers.roofs[page_owner(&s->covers.pages, covered >> (2 * s->shift))].row[z & (s->edge - 1)] |=
        (uint8_t)groups_between(x & (s->edge - 1), (x & (s->edge - 1)) + 1);
}

static firn_status paint_foot(snowfield_state *s, const offer_foot *foot, double near) {
    snowfield_stands *p = s->stands;
    foot_square q = snowfield_square(s, foot);
    if (rect_empty(q.cells)) return FIRN_OK;
    double r = (double)foot->radius, low = foot->at[1] - r, speed2 = 0;
    for (int a = 0; a < 3; a++) speed2 += (double)(foot->velocity[a] * foot->velocity[a]);
    if (low > snowfield_surface_at(s, int_min((int32_t)q.x, s->nx - 1), int_min((int32_t)q.z, s->nz - 1)) +
                  near + 2 * FIELD_LONGEST_STEP * sqrt(speed2))
        return FIRN_OK;
    snowfield_rect around = rect_grow(q.cells, FIELD_SLIDE_MARGIN);
    TRY(snowfield_tiles_make(s, around));
    TRY(snowfield_covers_make(s, q.cells));
    if (!array_reserve(&p->list, &p->capacity, p->count + rect_size(q.cells), sizeof *p->list))
        return fail_memory("seeing what stands in the snow", rect_size(q.cells) * sizeof *p->list);
    double limit = GROUND_MOST / HEIGHT_UNIT;
    int32_t bottom = (int32_t)floor(fmin(fmax(low / HEIGHT_UNIT, -limit), limit));
    int32_t top = (int32_t)ceil(fmin(fmax((low + 2 * r) / HEIGHT_UNIT, -limit), limit));
    for (int32_t z = q.cells.z0; z < q.cells.z1; z++)
        for (int32_t x = q.cells.x0; x < q.cells.x1; x++) paint_cell(s, x, z, bottom, top);
    if (speed2 > STANDS_STILL * STANDS_STILL) snowfield_touch(s, around);
    return FIRN_OK;
}

firn_status snowfield_stands_paint(snowfield_state *s) {
    if (!any_stand(s)) return FIRN_OK;
    if (!s->stands) s->stands = mem_zero(1, sizeof *s->stands);
    if (!s->stands) return fail_memory("seeing what stands in the snow", sizeof *s->stands);
    for (size_t k = 0; k < OFFER_FEET; k++) {
        const offer_foot *feet;
        size_t count;
        if (!s->standing[k].find) continue;
        TRY(s->standing[k].find(s->standing[k].context, &feet, &count));
        for (size_t i = 0; i < count; i++) TRY(paint_foot(s, &feet[i], STANDS_NEAR));
    }
    return FIRN_OK;
}

// Snow on top of what has gone falls down.
void snowfield_stands_drop(snowfield_state *s) {
    snowfield_covers *c = &s->covers;
    size_t cells = snowfield_cells(s);
    for (size_t k = 0; k < c->count && any_stand(s); k++)
        for (size_t i = k * cells; i < (k + 1) * cells; i++) {
            if (c->top_mass[i] == 0 || c->roof[i] != NO_ROOF) continue;
            size_t in = i - k * cells, cell = (size_t)c->tile[k] * cells + in;
            snowfield_rect own = tile_rect(s, (size_t)c->tile[k]);
            int32_t x = own.x0 + (int32_t)(in & (size_t)(s->edge - 1)),
                    z = own.z0 + (int32_t)(in >> s->shift);
            snowfield_put(s, cell, c->top_mass[i], c->top_density[i]);
            c->top_mass[i] = 0;
            snowfield_touch(s, (snowfield_rect){x, z, x + 1, z + 1});
        }
}
