// Sweeps over cells that may slide, until none does. The cells in motion are grouped into pieces; a piece is
// copied with a halo so wide that several sweeps leave its own cells right, whatever happens around it, and
// copied back. So many sweeps cost one exchange, and the result is that of sweeping the whole field each
// time.
#include "snowfield/snowfield_pieces.h"
#include "snowfield/snowfield_ranks.h"

#include <string.h>

#include "base/memory.h"
#include "par/par.h"

enum {
    MOST_SWEEPS = 100000,
    NEAR_FIRST = 4,      // sweeps of all that moves
    NEAR_WORK = 1 << 13, // cells, all sweeps together, after these
    NEAR_STEEP = 2,      // sweeps of what is much too steep
};
#define TOO_STEEP 0.04f // rad

// So many sweeps fit between two exchanges that the largest piece still has a patch; few at first, because
// most of the touched cells turn out to be at rest.
static int32_t sweeps_at_once(const snowfield_sweep *w, int round) {
    int32_t largest = 0;
    for (size_t i = 0; i < w->count; i++) {
        snowfield_rect a = w->piece[i].active;
        largest = int_max(largest, int_max(a.x1 - a.x0, a.z1 - a.z0));
    }
    int32_t most =
        int_min((PATCH_MOST - largest) / (4 * PATCH_CELLS_PER_SWEEP), MOST_AT_ONCE) & ~1; // whole groups
    return round < 2 ? int_min(most, 4 << round) : most;
}

static firn_status make_halos(snowfield_state *s, int32_t sweeps, int32_t left, int round) {
    snowfield_sweep *w = &s->sweep;
    int32_t spread = PATCH_CELLS_PER_SWEEP * sweeps, margin = round == 0 ? ALONE_FIRST : ALONE_LATER;
    snowfield_pieces_alone(s, left < margin / PATCH_CELLS_PER_SWEEP ? PATCH_CELLS_PER_SWEEP * left : margin);
    for (size_t i = 0; i < w->count; i++) {
        snowfield_piece *p = &w->piece[i];
        if (p->alone) continue;
        p->patch = snowfield_patch_around(p->active, 2 * spread);
        p->own = rect_meet(rect_grow(p->active, spread), (snowfield_rect){0, 0, s->nx, s->nz});
    }
    return snowfield_pieces_tiles(s);
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
void snowfield_piece_sweep(snowfield_state *s, snowfield_piece *piece, slump_patch *p, int32_t most) {
    bool within = !piece->alone || PATCH_CELLS_PER_SWEEP * most <= s->sweep.margin; // of the rim
    snowfield_patch_fill(s, piece->patch, within ? most : 0, p);
    if (piece->closed) snowfield_patch_close(s, p);
    ISA_PICK(slump_heights)(p);
    piece->roofed = p->roofed;
    piece->done = 0;
    piece->at_rim = false;
    while (piece->done < most && ISA_PICK(slump_sweep)(&s->law, p)) {
        snowfield_patch_empty_outside(s, piece->patch, p);
        piece->done++;
        // In few sweeps nothing can have come that far.
        piece->at_rim =
            piece->alone && PATCH_CELLS_PER_SWEEP * (piece->done + 1) > s->sweep.margin && near_rim(p);
        if (piece->at_rim) break;
    }
    snowfield_piece_note(s, piece, p);
}

// Pieces that overlap others keep their results until all have been swept; they come first, while the field
// is as it was. Those that are alone go back at once if nothing can make them be swept again.
static void sweep_some(void *context, size_t worker) {
    snowfield_state *s = context;
    snowfield_sweep *w = &s->sweep;
    for (size_t i = worker; i < w->count; i += SLUMP_WORKERS) {
        snowfield_piece *piece = &w->piece[i];
        if (piece->alone != w->alone_now || piece->done <= w->leave || !snowfield_ranks_does(s, i)) continue;
        snowfield_piece_sweep(s, piece, &w->patches[worker], w->at_once);
        if (w->direct && piece->alone)
            snowfield_piece_return(s, piece, &w->patches[worker]);
        else
            snowfield_piece_keep(s, piece, &w->patches[worker]);
    }
}

// Sweeps those that have made more than `leave` sweeps in this round; all at first.
static void sweep_all(snowfield_state *s, int32_t at_once, int32_t leave) {
    snowfield_sweep *w = &s->sweep;
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
static int32_t sweep_pieces(snowfield_state *s, int32_t most) {
    snowfield_sweep *w = &s->sweep;
    for (size_t i = 0; i < w->count; i++) w->piece[i].done = 0;
    sweep_all(s, most, -1);
    snowfield_ranks_swept(s);
    int32_t farthest = 1, nearest = most;
    for (size_t i = 0; i < w->count; i++) {
        farthest = int_max(farthest, w->piece[i].done);
        if (w->piece[i].at_rim) nearest = int_min(nearest, w->piece[i].done);
    }
    if (farthest <= nearest) return farthest;
    sweep_all(s, nearest, nearest);
    return nearest;
}

// Pieces may overlap; where they do they agree. All together lose the mass that went over the edge.
static void commit(snowfield_state *s) {
    snowfield_sweep *w = &s->sweep;
    snowfield_ranks_results(s);
    memset(s->tiles.active, 0, s->tiles.count * sizeof *s->tiles.active);
    for (size_t i = 0; i < w->count; i++) {
        if (!w->direct || !w->piece[i].alone) snowfield_piece_return_kept(s, &w->piece[i]);
        snowfield_piece_touch(s, &w->piece[i]);
    }
}

// At most so many sweeps; *left becomes less by those that were made.
static firn_status sweep_near(snowfield_state *s, int32_t *left, int32_t most) {
    snowfield_sweep *w = &s->sweep;
    most = int_min(most, *left);
    for (; most > 0; w->round++) {
        TRY(snowfield_pieces_list(s));
        if (w->count == 0) break;
        int32_t sweeps = int_min(sweeps_at_once(w, w->round), most);
        TRY(make_halos(s, sweeps, most, w->round));
        if (w->together == 0) sweeps = most;
        w->direct = PATCH_CELLS_PER_SWEEP * sweeps <= w->margin && !s->ranks;
        TRY(snowfield_ranks_pieces(s));
        TRY(snowfield_results_reserve(s, false));
        sweeps = sweep_pieces(s, sweeps);
        commit(s);
        s->swept += (uint64_t)sweeps;
        *left -= sweeps;
        most -= sweeps;
    }
    return FIRN_OK;
}

// Groups of cells in motion.
static int32_t count_moving(const snowfield_state *s) {
    int32_t count = 0;
    for (size_t t = 0; t < s->tiles.count; t++) {
        if (!groups_any(&s->tiles.active[t])) continue;
        for (size_t z = 0; z < GROUP_ROWS; z++) count += __builtin_popcount(s->tiles.active[t].row[z]);
    }
    return count;
}

static void join_groups(snowfield_groups *to, const snowfield_groups *from, size_t count) {
    for (size_t t = 0; t < count; t++)
        for (size_t z = 0; z < GROUP_ROWS; z++) to[t].row[z] |= from[t].row[z];
}

// Only what is much too steep moves, so that a sweep costs little, and the rest keeps its turn.
static firn_status sweep_steep(snowfield_state *s, int32_t *left) {
    snowfield_sweep *w = &s->sweep;
    size_t count = s->tiles.count;
    if (!array_reserve(&w->waits, &w->capacity[7], count, sizeof *w->waits))
        return fail_memory("sweeping the field", count * sizeof *w->waits);
    memcpy(w->waits, s->tiles.active, count * sizeof *w->waits);
    w->waiting = count;
    s->law.steeper = (1 + s->law.tan_loose * s->law.tan_loose) * TOO_STEEP;
    firn_status status = sweep_near(s, left, NEAR_STEEP);
    if (status == FIRN_OK && count_moving(s) > 0) status = snowfield_limit_slopes(s);
    s->law.steeper = 0;
    join_groups(s->tiles.active, w->waits, w->waiting);
    w->waiting = 0;
    return status;
}

// Small heaps come to rest in one step; large ones over several, but are never much too steep.
firn_status snowfield_slump(snowfield_state *s) {
    int32_t left = s->def.sweeps > 0 ? s->def.sweeps : MOST_SWEEPS;
    s->sweep.round = 0;
    TRY(sweep_near(s, &left, NEAR_FIRST));
    int32_t moving = count_moving(s);
    if (moving == 0 || left == 0) return FIRN_OK;
    TRY(sweep_near(s, &left, NEAR_WORK / (GROUP_CELLS * moving)));
    return left > 0 && count_moving(s) > 0 ? sweep_steep(s, &left) : FIRN_OK;
}
