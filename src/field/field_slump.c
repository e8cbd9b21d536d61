// Sweeps over what may slide, until nothing does. The cells in motion are gathered in pieces; a piece is
// copied with a halo so wide that several sweeps leave its own cells right, whatever happens around it, and
// copied back. So many sweeps cost one exchange, and the result is that of sweeping the whole field each
// time.
#include "field/field_pieces.h"

#include <string.h>

#include "base/memory.h"
#include "par/par.h"

enum { MOST_SWEEPS = 100000 };

// So many sweeps fit between two exchanges that the largest piece still has a patch; few at first, because
// most of what was touched turns out to lie still.
static int32_t sweeps_at_once(const field_sweep *w, int round) {
    int32_t largest = 0;
    for (size_t i = 0; i < w->count; i++) {
        field_rect a = w->piece[i].active;
        largest = int_max(largest, int_max(a.x1 - a.x0, a.z1 - a.z0));
    }
    int32_t most = int_min((PATCH_MOST - largest) / (4 * PATCH_REACH), MOST_AT_ONCE);
    return round < 2 ? int_min(most, 4 << round) : most;
}

static firn_status make_halos(field_state *s, int32_t sweeps, int32_t left, int round) {
    field_sweep *w = &s->sweep;
    int32_t reach = PATCH_REACH * sweeps, margin = round == 0 ? ALONE_FIRST : ALONE_LATER;
    field_pieces_alone(s, left < margin / PATCH_REACH ? PATCH_REACH * left : margin);
    for (size_t i = 0; i < w->count; i++) {
        field_piece *p = &w->piece[i];
        if (p->alone) continue;
        p->patch = field_patch_around(p->active, 2 * reach);
        p->own = rect_meet(rect_grow(p->active, reach), (field_rect){0, 0, s->nx, s->nz});
    }
    return field_pieces_tiles(s);
}

// Room for what comes out of pieces that cannot be copied back at once.
static firn_status results_reserve(field_state *s) {
    field_sweep *w = &s->sweep;
    size_t cells = 0;
    for (size_t i = 0; i < w->count; i++) {
        field_rect own = w->piece[i].own;
        w->piece[i].first = cells;
        if (w->direct && w->piece[i].alone) continue;
        cells += (size_t)(own.x1 - own.x0) * (size_t)(own.z1 - own.z0);
    }
    if (!array_reserve(&w->mass, &w->capacity[2], cells, sizeof *w->mass) ||
        !array_reserve(&w->density, &w->capacity[3], cells, sizeof *w->density) ||
        !array_reserve(&w->top_mass, &w->capacity[4], cells, sizeof *w->top_mass) ||
        !array_reserve(&w->top_density, &w->capacity[5], cells, sizeof *w->top_density))
        return fail_memory("sweeping the field", cells * 16);
    return FIRN_OK;
}

// The cells of the field around the groups that are set, within the piece.
static field_rect changed_cells(const uint32_t *groups, field_rect patch, field_rect own) {
    uint32_t all = 0;
    int32_t z0 = patch.z1, z1 = patch.z0;
    for (int32_t z = patch.z0; z < patch.z1; z++) {
        uint32_t row = groups[z - patch.z0 + 1];
        if (!row) continue;
        all |= row;
        z0 = int_min(z0, z);
        z1 = z + 1;
    }
    if (!all) return (field_rect){0};
    int32_t x0 = patch.x0 + 8 * __builtin_ctz(all), x1 = patch.x0 + 8 * (32 - __builtin_clz(all));
    field_rect r = rect_meet((field_rect){x0, z0, x1, z1}, own);
    return rect_empty(r) ? (field_rect){0} : r;
}

// Where what changed in a piece has been copied to: item 0 is its first cell, rows are `stride` apart.
typedef struct piece_cells {
    const int32_t *mass, *top_mass;
    const float *density, *top_density;
    size_t stride;
} piece_cells;

static piece_cells cells_of_patch(const field_piece *piece, const slump_patch *p) {
    size_t from = patch_at(piece->changed.x0 - piece->patch.x0, piece->changed.z0 - piece->patch.z0);
    return (piece_cells){p->mass + from, p->top_mass + from, p->density + from, p->top_density + from,
                         PATCH_STRIDE};
}

static void keep_results(field_sweep *w, const field_piece *piece, const slump_patch *p) {
    field_rect r = piece->changed;
    size_t n = (size_t)(r.x1 - r.x0), to = piece->first, from = 0;
    piece_cells c = cells_of_patch(piece, p);
    for (int32_t z = r.z0; z < r.z1; z++, to += n, from += c.stride) {
        memcpy(w->mass + to, c.mass + from, n * sizeof *w->mass);
        memcpy(w->density + to, c.density + from, n * sizeof *w->density);
        if (!p->roofed) continue;
        memcpy(w->top_mass + to, c.top_mass + from, n * sizeof *w->top_mass);
        memcpy(w->top_density + to, c.top_density + from, n * sizeof *w->top_density);
    }
}

// Something moves so near the rim that the next sweep would reach it.
static bool near_rim(const slump_patch *p) {
    uint32_t ends = 1u | 3u << ((p->width - ALONE_RIM - 1) / 8), rows = 0, all = 0;
    for (int32_t z = 0; z < p->length; z++) {
        all |= p->dirty[z + 1];
        if (z < ALONE_RIM || z >= p->length - ALONE_RIM) rows |= p->dirty[z + 1];
    }
    return rows != 0 || (all & ends) != 0;
}

// At most `most` sweeps; a piece that is alone stops when it rests or comes near its rim.
void field_piece_sweep(field_state *s, field_piece *piece, slump_patch *p, int32_t most) {
    field_patch_fill(s, piece->patch, p);
    ISA_PICK(slump_heights)(p);
    field_patch_freeze_rim(p, piece->closed);
    piece->roofed = p->roofed;
    piece->done = 0;
    piece->at_rim = false;
    while (piece->done < most && ISA_PICK(slump_sweep)(&s->law, p)) {
        field_patch_empty_outside(s, piece->patch, p);
        piece->done++;
        // In few sweeps nothing can have come that far.
        piece->at_rim = piece->alone && PATCH_REACH * (piece->done + 1) > s->sweep.margin && near_rim(p);
        if (piece->at_rim) break;
    }
    piece->last = changed_cells(p->dirty, piece->patch, piece->own);
    piece->changed = changed_cells(p->ever, piece->patch, piece->own);
}

// n cells of one row of a tile, back to the field; returns what they lost.
static int64_t return_cells(field_state *s, size_t to, const piece_cells *c, size_t from, size_t n,
                            bool roofed) {
    int64_t lost = 0;
    for (size_t k = 0; k < n; k++) lost += s->tiles.mass[to + k] - c->mass[from + k];
    memcpy(s->tiles.mass + to, c->mass + from, n * sizeof *c->mass);
    memcpy(s->tiles.density + to, c->density + from, n * sizeof *c->density);
    size_t covered = roofed ? field_covered(s, to) : SIZE_MAX;
    if (covered == SIZE_MAX) return lost;
    for (size_t k = 0; k < n; k++) lost += s->covers.top_mass[covered + k] - c->top_mass[from + k];
    memcpy(s->covers.top_mass + covered, c->top_mass + from, n * sizeof *c->top_mass);
    memcpy(s->covers.top_density + covered, c->top_density + from, n * sizeof *c->top_density);
    return lost;
}

static void return_piece(field_state *s, field_piece *piece, const piece_cells *c) {
    field_rect r = piece->changed;
    piece->lost = 0;
    for (int32_t z = r.z0; z < r.z1; z++) {
        for (int32_t x = r.x0; x < r.x1;) {
            int32_t end = int_min(((x >> s->shift) + 1) << s->shift, r.x1);
            size_t from = (size_t)(z - r.z0) * c->stride + (size_t)(x - r.x0);
            piece->lost += return_cells(s, field_cell(s, x, z), c, from, (size_t)(end - x), piece->roofed);
            x = end;
        }
    }
}

void field_piece_return(field_state *s, field_piece *piece, const slump_patch *p) {
    piece_cells c = cells_of_patch(piece, p);
    return_piece(s, piece, &c);
}

// Pieces that overlap others keep their results until all have been swept; they come first, while the field
// is as it was. Those that are alone go back at once if nothing can make them be swept again.
static void sweep_some(void *context, size_t worker) {
    field_state *s = context;
    field_sweep *w = &s->sweep;
    for (size_t i = worker; i < w->count; i += SLUMP_WORKERS) {
        field_piece *piece = &w->piece[i];
        if (piece->alone != w->alone_now || piece->done <= w->leave) continue;
        field_piece_sweep(s, piece, &w->patches[worker], w->at_once);
        if (w->direct && piece->alone)
            field_piece_return(s, piece, &w->patches[worker]);
        else
            keep_results(w, piece, &w->patches[worker]);
    }
}

// Sweeps those that have made more than `leave` sweeps in this round; all at first.
static void sweep_all(field_state *s, int32_t at_once, int32_t leave) {
    field_sweep *w = &s->sweep;
    w->at_once = at_once;
    w->leave = leave;
    for (int alone = 0; alone < 2; alone++) {
        w->alone_now = alone;
        if ((alone ? w->count - w->together : w->together) == 0) continue;
        if (w->count == 1)
            sweep_some(s, 0);
        else
            par_tasks(w->count < SLUMP_WORKERS ? w->count : SLUMP_WORKERS, sweep_some, s);
    }
}

// Returns how many sweeps were made. All pieces end at the same sweep, or at rest: one that came to its rim
// holds back the others, so that whoever meets later meets as if the whole field had been swept each time.
static int32_t sweep_pieces(field_state *s, int32_t most) {
    field_sweep *w = &s->sweep;
    for (size_t i = 0; i < w->count; i++) w->piece[i].done = 0;
    sweep_all(s, most, -1);
    int32_t farthest = 1, nearest = most;
    for (size_t i = 0; i < w->count; i++) {
        farthest = int_max(farthest, w->piece[i].done);
        if (w->piece[i].at_rim) nearest = int_min(nearest, w->piece[i].done);
    }
    if (farthest <= nearest) return farthest;
    sweep_all(s, nearest, nearest);
    return nearest;
}

// Pieces may overlap; where they do they agree. All together lose what went over the border.
static void commit(field_state *s) {
    field_sweep *w = &s->sweep;
    memset(s->tiles.active, 0, s->tiles.count * sizeof *s->tiles.active);
    for (size_t i = 0; i < w->count; i++) {
        field_piece *piece = &w->piece[i];
        if (!w->direct || !piece->alone) {
            size_t at = piece->first, stride = (size_t)(piece->changed.x1 - piece->changed.x0);
            piece_cells c = {w->mass + at, w->top_mass + at, w->density + at, w->top_density + at, stride};
            return_piece(s, piece, &c);
        }
        field_mark(s, piece->changed);
        field_touch(s, piece->last);
        s->book[BOOK_OUT] += (uint64_t)piece->lost;
    }
}

firn_status field_slump(field_state *s) {
    field_sweep *w = &s->sweep;
    int32_t left = s->def.sweeps > 0 ? s->def.sweeps : MOST_SWEEPS;
    for (int round = 0; left > 0; round++) {
        TRY(field_pieces_list(s));
        if (w->count == 0) break;
        int32_t sweeps = int_min(sweeps_at_once(w, round), left);
        TRY(make_halos(s, sweeps, left, round));
        if (w->together == 0) sweeps = left;
        w->direct = PATCH_REACH * sweeps <= w->margin;
        TRY(results_reserve(s));
        sweeps = sweep_pieces(s, sweeps);
        commit(s);
        s->swept += (uint64_t)sweeps;
        left -= sweeps;
    }
    return FIRN_OK;
}
