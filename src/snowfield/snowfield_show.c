// Derived from masses and densities: depths, the highest point of a tile, and whether all values are valid.
#include "snowfield/snowfield_show_lanes.h"
#include "snowfield/snowfield_state.h"

#include "par/par.h"

// Groups of the row that meet what was touched: lanes need no ends then.
static void show_row(snowfield_state *s, size_t t, snowfield_rect r, int32_t z) {
    size_t row = snowfield_first(s, t) + (size_t)z * (size_t)s->edge;
    size_t from = (size_t)r.x0 & ~(size_t)(SHOW_TOGETHER - 1), n = (size_t)r.x1 - from;
    n = (n + SHOW_TOGETHER - 1) & ~(size_t)(SHOW_TOGETHER - 1);
    s->tiles.invalid[t] |= !ISA_PICK(show_columns)(
        &s->law, s->tiles.mass + row + from, s->tiles.density + row + from, s->tiles.depth + row + from, n);
    size_t covered = snowfield_covered(s, row);
    if (covered == SIZE_MAX) return;
    snowfield_covers *c = &s->covers;
    ISA_PICK(show_tops)
    (c->top_mass + covered + from, c->top_density + covered + from, c->roof + covered + from,
     c->upper + covered + from, c->top_depth + covered + from, c->top_height + covered + from, n);
}

// A function of the row's columns, whatever happened before. Nothing is clear of snow that lies on a body.
static void find_highest_of_row(snowfield_state *s, size_t t, int32_t z) {
    size_t edge = (size_t)s->edge, row = snowfield_first(s, t) + (size_t)z * edge,
           covered = snowfield_covered(s, row);
    float *highest = &s->tiles.row_highest[t * edge + (size_t)z];
    *highest = ISA_PICK(show_highest)(s->tiles.ground + row, s->tiles.depth + row, edge);
    if (covered != SIZE_MAX && ISA_PICK(show_any)(s->covers.top_mass + covered, edge))
        *highest = FIELD_NEVER_CLEAR;
}

static void find_highest_of_rows(snowfield_state *s, size_t t) {
    const float *row = s->tiles.row_highest + t * (size_t)s->edge;
    float most = row[0];
    for (int32_t z = 1; z < s->edge; z++) most = row[z] > most ? row[z] : most;
    s->tiles.highest[t] = most;
}

void snowfield_find_highest(snowfield_state *s, size_t t) {
    for (int32_t z = 0; z < s->edge; z++) find_highest_of_row(s, t, z);
    find_highest_of_rows(s, t);
}

static void show_some(void *context, size_t begin, size_t end) {
    snowfield_state *s = context;
    for (size_t t = begin; t < end; t++) {
        snowfield_rect r = s->tiles.touched[t];
        if (rect_empty(r) || !snowfield_is_here(s, t)) continue;
        s->tiles.invalid[t] = false;
        for (int32_t z = r.z0; z < r.z1; z++) {
            show_row(s, t, r, z);
            find_highest_of_row(s, t, z);
        }
        find_highest_of_rows(s, t);
    }
}

void snowfield_show(snowfield_state *s) {
    enum { TOGETHER = 64 };
    if (s->tiles.count > TOGETHER)
        par_for(s->tiles.count, TOGETHER, show_some, s);
    else
        show_some(s, 0, s->tiles.count);
}

bool snowfield_find_invalid(const void *model, uint64_t *item, const char **what) {
    const snowfield_state *s = model;
    for (size_t t = 0; t < s->tiles.count; t++) {
        if (rect_empty(s->tiles.touched[t]) || !s->tiles.invalid[t]) continue;
        *item = t;
        *what = "mass or density of a tile";
        return true;
    }
    return false;
}
