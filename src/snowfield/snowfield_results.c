// Results of a swept piece: the groups of cells that changed, and how they are copied back to the field.
// Nothing but these groups is copied: others of the patch may be walls.
#include "snowfield/snowfield_pieces.h"
#include "snowfield/snowfield_ranks.h"

#include <string.h>

#include "base/memory.h"

firn_status snowfield_results_reserve(snowfield_state *s, bool at_once) {
    snowfield_sweep *w = &s->sweep;
    size_t cells = 0, rows = 0;
    for (size_t i = 0; i < w->count; i++) {
        snowfield_piece *p = &w->piece[i];
        p->first = cells;
        p->row = rows;
        rows += (size_t)(p->patch.z1 - p->patch.z0);
        p->kept = !at_once && !(w->direct && p->alone) && snowfield_ranks_keeps(s, i);
        if (!p->kept) continue;
        cells += (size_t)(p->patch.x1 - p->patch.x0) * (size_t)(p->patch.z1 - p->patch.z0);
    }
    if (!array_reserve(&w->rows, &w->capacity[6], rows, sizeof *w->rows) ||
        !array_reserve(&w->mass, &w->capacity[2], cells, sizeof *w->mass) ||
        !array_reserve(&w->density, &w->capacity[3], cells, sizeof *w->density) ||
        !array_reserve(&w->top_mass, &w->capacity[4], cells, sizeof *w->top_mass) ||
        !array_reserve(&w->top_density, &w->capacity[5], cells, sizeof *w->top_density))
        return fail_memory("sweeping the field", cells * 16);
    return FIRN_OK;
}

// The cells of the field around the groups that ever changed, within the piece.
static snowfield_rect changed_cells(const slump_patch *p, const snowfield_piece *piece) {
    uint32_t all = 0;
    int32_t z0 = p->length, z1 = 0;
    for (int32_t z = 0; z < p->length; z++) {
        if (!p->ever[z + 1]) continue;
        all |= p->ever[z + 1];
        z0 = int_min(z0, z);
        z1 = z + 1;
    }
    if (!all) return (snowfield_rect){0};
    int32_t x0 = GROUP_CELLS * __builtin_ctz(all), x1 = GROUP_CELLS * (32 - __builtin_clz(all));
    snowfield_rect r = {piece->patch.x0 + x0, piece->patch.z0 + z0, piece->patch.x0 + x1,
                        piece->patch.z0 + z1};
    r = rect_meet(r, piece->own);
    return rect_empty(r) ? (snowfield_rect){0} : r;
}

void snowfield_piece_note(snowfield_state *s, snowfield_piece *piece, const slump_patch *p) {
    piece->changed = changed_cells(p, piece);
    uint32_t own = groups_between(piece->own.x0 - piece->patch.x0, piece->own.x1 - piece->patch.x0);
    piece_row *row = s->sweep.rows + piece->row;
    for (int32_t z = 0; z < p->length; z++) {
        int32_t at = piece->patch.z0 + z;
        bool in = at >= piece->own.z0 && at < piece->own.z1;
        row[z] = in ? (piece_row){p->ever[z + 1] & own, p->dirty[z + 1] & own} : (piece_row){0};
    }
}

// Cells of a group: those of the piece's own, which are next to each other in the field.
typedef struct group_cells {
    const int32_t *mass, *top_mass;
    const float *density, *top_density;
    size_t n;
} group_cells;

static int64_t return_group(snowfield_state *s, size_t to, const group_cells *c, bool roofed) {
    int64_t lost = 0;
    for (size_t k = 0; k < c->n; k++) lost += s->tiles.mass[to + k] - c->mass[k];
    memcpy(s->tiles.mass + to, c->mass, c->n * sizeof *c->mass);
    memcpy(s->tiles.density + to, c->density, c->n * sizeof *c->density);
    if (!roofed || !snowfield_group_has_roof(s, to)) return lost;
    size_t covered = snowfield_covered(s, to);
    for (size_t k = 0; k < c->n; k++) lost += s->covers.top_mass[covered + k] - c->top_mass[k];
    memcpy(s->covers.top_mass + covered, c->top_mass, c->n * sizeof *c->top_mass);
    memcpy(s->covers.top_density + covered, c->top_density, c->n * sizeof *c->top_density);
    return lost;
}

// Calls for each group of the piece that changed.
typedef void (*group_fn)(snowfield_state *s, snowfield_piece *piece, const slump_patch *p, size_t kept,
                         int32_t x, int32_t z);

static void each_group(snowfield_state *s, snowfield_piece *piece, const slump_patch *p, group_fn fn) {
    const piece_row *row = s->sweep.rows + piece->row;
    size_t kept = piece->first;
    for (int32_t z = 0; z < piece->patch.z1 - piece->patch.z0; z++)
        for (uint32_t left = row[z].ever; left; left &= left - 1, kept += GROUP_CELLS)
            fn(s, piece, p, kept, GROUP_CELLS * __builtin_ctz(left), z);
}

static void return_from(snowfield_state *s, snowfield_piece *piece, group_cells c, int32_t x, int32_t z) {
    x += piece->patch.x0;
    int32_t x0 = int_max(x, piece->own.x0), x1 = int_min(x + GROUP_CELLS, piece->own.x1);
    size_t skip = (size_t)(x0 - x);
    c = (group_cells){c.mass + skip, c.top_mass + skip, c.density + skip, c.top_density + skip,
                      (size_t)(x1 - x0)};
    int32_t at = piece->patch.z0 + z;
    if (!snowfield_is_here(s, (size_t)snowfield_tile_at(s, x0 >> s->shift, at >> s->shift))) return;
    piece->lost += return_group(s, snowfield_cell(s, x0, at), &c, piece->roofed);
}

static void return_swept(snowfield_state *s, snowfield_piece *piece, const slump_patch *p, size_t kept,
                         int32_t x, int32_t z) {
    (void)kept;
    size_t i = patch_at(x, z);
    return_from(s, piece, (group_cells){p->mass + i, p->top_mass + i, p->density + i, p->top_density + i, 0},
                x, z);
}

static void return_kept(snowfield_state *s, snowfield_piece *piece, const slump_patch *p, size_t kept,
                        int32_t x, int32_t z) {
    (void)p;
    const snowfield_sweep *w = &s->sweep;
    return_from(
        s, piece,
        (group_cells){w->mass + kept, w->top_mass + kept, w->density + kept, w->top_density + kept, 0}, x, z);
}

static void keep_group(snowfield_state *s, snowfield_piece *piece, const slump_patch *p, size_t kept,
                       int32_t x, int32_t z) {
    (void)piece;
    snowfield_sweep *w = &s->sweep;
    size_t from = patch_at(x, z);
    memcpy(w->mass + kept, p->mass + from, GROUP_CELLS * sizeof *w->mass);
    memcpy(w->density + kept, p->density + from, GROUP_CELLS * sizeof *w->density);
    if (!p->roofed) return;
    memcpy(w->top_mass + kept, p->top_mass + from, GROUP_CELLS * sizeof *w->top_mass);
    memcpy(w->top_density + kept, p->top_density + from, GROUP_CELLS * sizeof *w->top_density);
}

void snowfield_piece_return(snowfield_state *s, snowfield_piece *piece, const slump_patch *p) {
    piece->lost = 0;
    each_group(s, piece, p, return_swept);
}

void snowfield_piece_keep(snowfield_state *s, snowfield_piece *piece, const slump_patch *p) {
    each_group(s, piece, p, keep_group);
}

void snowfield_piece_return_kept(snowfield_state *s, snowfield_piece *piece) {
    piece->lost = 0;
    if (piece->kept) each_group(s, piece, NULL, return_kept);
}

// What is swept for being much too steep may still move afterwards.
static void keep_turn(snowfield_state *s, size_t t, size_t row, uint8_t group) {
    if (t < s->sweep.waiting) s->sweep.waits[t].row[row] |= group;
}

void snowfield_piece_touch(snowfield_state *s, const snowfield_piece *piece) {
    const piece_row *row = s->sweep.rows + piece->row;
    snowfield_mark(s, piece->changed);
    s->counters[COUNTER_OUT] += (uint64_t)piece->lost;
    for (int32_t z = 0; z < piece->patch.z1 - piece->patch.z0; z++) {
        for (uint32_t left = row[z].ever; left; left &= left - 1) {
            int32_t k = __builtin_ctz(left), x = piece->patch.x0 + GROUP_CELLS * k, at = piece->patch.z0 + z;
            int32_t t = snowfield_tile_at(s, x >> s->shift, at >> s->shift);
            size_t in = (size_t)(at & (s->edge - 1));
            uint8_t group = (uint8_t)(1u << (x & (s->edge - 1)) / GROUP_CELLS);
            keep_turn(s, (size_t)t, in, group);
            if (row[z].last >> k & 1) s->tiles.active[t].row[in] |= group;
        }
    }
}
