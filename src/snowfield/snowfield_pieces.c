// Which cells are in motion, grouped into pieces: cells near each other, as far as they fit into a patch.
#include "snowfield/snowfield_pieces.h"

#include "base/memory.h"

void snowfield_sweep_free(snowfield_sweep *w) {
    void *lists[] = {w->piece,   w->part_of,  w->patches,     w->rows, w->mass,
                     w->density, w->top_mass, w->top_density, w->waits};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *w = (snowfield_sweep){0};
}

static firn_status sweep_reserve(snowfield_state *s, size_t count) {
    snowfield_sweep *w = &s->sweep;
    if (!w->patches) w->patches = mem_zero(SLUMP_WORKERS, sizeof(slump_patch));
    if (!w->patches || !array_reserve(&w->piece, &w->capacity[0], count, sizeof *w->piece) ||
        !array_reserve(&w->part_of, &w->capacity[1], s->tiles.count, sizeof *w->part_of))
        return fail_memory("sweeping the field", count * sizeof *w->piece);
    return FIRN_OK;
}

static bool fits(snowfield_rect r) { return r.x1 - r.x0 <= PIECE_ACTIVE && r.z1 - r.z0 <= PIECE_ACTIVE; }

// Joins an active tile to the piece of a neighbour that came before it, if the two are near and fit into one
// patch.
static size_t piece_for(snowfield_state *s, size_t t, snowfield_rect cells) {
    snowfield_sweep *w = &s->sweep;
    for (int k = 0; k < 9; k++) {
        int32_t other = snowfield_tile_at(s, s->tiles.at[t][0] + k % 3 - 1, s->tiles.at[t][1] + k / 3 - 1);
        if (other == TILE_NONE || (size_t)other >= t || w->part_of[other] == TILE_NONE) continue;
        snowfield_piece *p = &w->piece[w->part_of[other]];
        if (rect_empty(rect_meet(rect_grow(p->active, 16), cells)) || !fits(rect_join(p->active, cells)))
            continue;
        p->active = rect_join(p->active, cells);
        return (size_t)w->part_of[other];
    }
    w->piece[w->count] = (snowfield_piece){.active = cells};
    return w->count++;
}

firn_status snowfield_pieces_list(snowfield_state *s) {
    snowfield_sweep *w = &s->sweep;
    w->count = 0;
    size_t tiles = s->tiles.count;
    TRY(sweep_reserve(s, tiles));
    for (size_t t = 0; t < tiles; t++) {
        w->part_of[t] = TILE_NONE;
        if (!groups_any(&s->tiles.active[t])) continue;
        w->part_of[t] = (int32_t)piece_for(s, t, snowfield_active_cells(s, t));
    }
    return FIRN_OK;
}

static snowfield_rect room_alone(const snowfield_piece *p, int32_t margin) {
    snowfield_rect r = snowfield_patch_around(p->active, margin);
    return int_max(r.x1 - r.x0, r.z1 - r.z0) <= PATCH_MOST ? r : (snowfield_rect){0};
}

static bool meet(snowfield_rect a, snowfield_rect b) { return !rect_empty(rect_meet(a, b)); }

// Nothing else is in motion in the piece's patch, and nothing that others may reach.
static bool is_alone(const snowfield_state *s, size_t i, int32_t margin) {
    const snowfield_sweep *w = &s->sweep;
    snowfield_rect patch = w->piece[i].patch;
    if (rect_empty(patch)) return false;
    snowfield_rect near =
        rect_meet(rect_grow(patch, margin + PATCH_MARGIN), (snowfield_rect){0, 0, s->nx, s->nz});
    for (int32_t row = near.z0 >> s->shift; row <= (near.z1 - 1) >> s->shift; row++) {
        for (int32_t column = near.x0 >> s->shift; column <= (near.x1 - 1) >> s->shift; column++) {
            int32_t t = snowfield_tile_at(s, column, row);
            if (t == TILE_NONE || w->part_of[t] == TILE_NONE || (size_t)w->part_of[t] == i) continue;
            const snowfield_piece *other = &w->piece[w->part_of[t]];
            if (meet(patch, snowfield_patch_around(other->active, margin))) return false;
        }
    }
    return true;
}

void snowfield_pieces_alone(snowfield_state *s, int32_t margin) {
    snowfield_sweep *w = &s->sweep;
    w->together = 0;
    w->margin = margin;
    for (size_t i = 0; i < w->count; i++) w->piece[i].patch = room_alone(&w->piece[i], margin);
    for (size_t i = 0; i < w->count; i++) {
        snowfield_piece *p = &w->piece[i];
        p->alone = is_alone(s, i, margin);
        w->together += !p->alone;
    }
    for (size_t i = 0; i < w->count; i++)
        w->piece[i].own = rect_meet(w->piece[i].patch, (snowfield_rect){0, 0, s->nx, s->nz});
}

firn_status snowfield_pieces_tiles(snowfield_state *s) {
    snowfield_sweep *w = &s->sweep;
    size_t tiles = s->tiles.count;
    for (size_t i = 0; i < w->count; i++) TRY(snowfield_tiles_make(s, w->piece[i].patch));
    TRY(sweep_reserve(s, s->tiles.count));
    for (size_t t = tiles; t < s->tiles.count; t++) w->part_of[t] = TILE_NONE; // they are at rest
    return FIRN_OK;
}
