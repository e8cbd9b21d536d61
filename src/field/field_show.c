// What follows from masses and densities: depths for whoever looks, the highest point of a tile, and whether
// all is well.
#include "field/field_show_lanes.h"
#include "field/field_state.h"

#include "par/par.h"

static void show_cover(field_state *s, size_t i) {
    field_covers *c = &s->covers;
    size_t at = field_covered(s, i);
    c->top_depth[at] = field_depth_m(c->top_mass[at], c->top_density[at]);
    c->top_height[at] = c->top_mass[at] > 0 ? (float)c->upper[at] * (float)HEIGHT_UNIT : 0;
}

static void show_tile(field_state *s, size_t t, field_rect r) {
    // Whole rows: lanes need no ends then.
    size_t first = t * field_cells(s), from = (size_t)(r.z0 * s->edge) & ~(size_t)(SHOW_TOGETHER - 1);
    size_t end = ((size_t)(r.z1 * s->edge) + SHOW_TOGETHER - 1) & ~(size_t)(SHOW_TOGETHER - 1);
    field_rect a = s->tiles.active[t];
    bool good = rect_empty(a) || (a.x0 >= 0 && a.z0 >= 0 && a.x1 <= s->edge && a.z1 <= s->edge);
    good &= ISA_PICK(show_columns)(&s->law, s->tiles.mass + first + from, s->tiles.density + first + from,
                                   s->tiles.depth + first + from, end - from);
    s->tiles.sick[t] = !good;
    if (s->tiles.cover[t] == TILE_NONE) return;
    for (int32_t z = r.z0; z < r.z1; z++)
        for (int32_t x = r.x0; x < r.x1; x++) show_cover(s, first + (size_t)z * (size_t)s->edge + (size_t)x);
}

// Of the whole tile: a function of its columns, whatever happened before. Nothing is clear of snow that lies
// on a body.
void field_find_highest(field_state *s, size_t t) {
    size_t cells = field_cells(s);
    s->tiles.highest[t] =
        ISA_PICK(show_highest)(s->tiles.ground + t * cells, s->tiles.depth + t * cells, cells);
    if (s->tiles.cover[t] != TILE_NONE &&
        ISA_PICK(show_any)(s->covers.top_mass + (size_t)s->tiles.cover[t] * cells, cells))
        s->tiles.highest[t] = FIELD_NEVER_CLEAR;
}

static void show_some(void *context, size_t begin, size_t end) {
    field_state *s = context;
    for (size_t t = begin; t < end; t++) {
        field_rect r = s->tiles.touched[t];
        if (rect_empty(r)) continue;
        show_tile(s, t, r);
        field_find_highest(s, t);
    }
}

void field_show(field_state *s) {
    enum { TOGETHER = 64 };
    if (s->tiles.count > TOGETHER)
        par_for(s->tiles.count, TOGETHER, show_some, s);
    else
        show_some(s, 0, s->tiles.count);
}

bool field_sick(const void *model, uint64_t *item, const char **what) {
    const field_state *s = model;
    for (size_t t = 0; t < s->tiles.count; t++) {
        if (rect_empty(s->tiles.touched[t]) || !s->tiles.sick[t]) continue;
        *item = t;
        *what = "mass or density of a tile";
        return true;
    }
    return false;
}
