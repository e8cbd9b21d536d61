// What the passes of a step tell each other over ranks; snowfield_ranks.h. All ranks plan each pass alike, so
// that both sides of a message know what it holds.
#include "snowfield/snowfield_limit.h"
#include "snowfield/snowfield_pieces.h"
#include "snowfield/snowfield_press.h"
#include "snowfield/snowfield_ranks.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static firn_status reserve_work(snowfield_ranks *k, size_t count) {
    if (array_reserve(&k->rank, &k->capacity[3], count + 1, sizeof *k->rank)) return FIRN_OK;
    return fail_memory("dividing the field among ranks", count * sizeof *k->rank);
}

// What others have told.
typedef struct reader {
    const char *at, *end;
} reader;
static reader all_told(const snowfield_ranks *k) { return (reader){k->all.data, k->all.data + k->all.bytes}; }
static void read_next(reader *r, void *to, size_t bytes) {
    if (bytes > 0) memcpy(to, r->at, bytes);
    r->at += bytes;
}

// ---- snow that bodies carry

// Some snow lies on bodies there, as all ranks know since the end of the last step, or may have come in this
// one.
static bool may_carry(const snowfield_state *s, snowfield_rect r) {
    if (s->ranks->laid) return true;
    for (int32_t row = r.z0 >> s->shift; row <= (r.z1 - 1) >> s->shift; row++)
        for (int32_t column = r.x0 >> s->shift; column <= (r.x1 - 1) >> s->shift; column++)
            if (s->tiles.highest[snowfield_tile_at(s, column, row)] >= FIELD_NEVER_CLEAR) return true;
    return false;
}

// Strips are rows of tiles, so that the lists of the ranks, one after the other, are that of one rank.
firn_status snowfield_ranks_carried(snowfield_state *s, snowfield_rect cells, size_t *count) {
    snowfield_ranks *k = s->ranks;
    if (!k || !may_carry(s, cells)) return FIRN_OK;
    k->own.bytes = 0;
    net_buffer_add(&k->own, s->carried.taken, *count * sizeof *s->carried.taken);
    snowfield_tell_all(s);
    *count = k->all.bytes / sizeof *s->carried.taken;
    if (!array_reserve(&s->carried.taken, &s->carried.capacity[1], *count + 1, sizeof *s->carried.taken))
        return fail_memory("carrying snow on bodies", *count * sizeof *s->carried.taken);
    if (*count > 0) memcpy(s->carried.taken, k->all.data, k->all.bytes);
    k->laid |= *count > 0;
    return FIRN_OK;
}

// ---- bodies

firn_status snowfield_ranks_chains(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    const snowfield_pressing *p = s->press;
    if (!k) return FIRN_OK;
    TRY(reserve_work(k, body_count(p->bodies)));
    for (size_t i = 0; i < p->count; i++)
        k->rank[p->order[i]] = snowfield_rank_of(s, s->prints[p->order[i]].cells);
    snowfield_errands_begin(s);
    for (size_t c = 0; c < p->chains; c++) {
        for (uint32_t b = p->firsts[c]; b != NO_BODY; b = p->next[b]) {
            k->rank[b] = k->rank[p->firsts[c]];
            snowfield_errand_add(s, p->sum[b].area, k->rank[b]);
        }
    }
    snowfield_fetch(s);
    return FIRN_OK;
}

void snowfield_ranks_pressed(snowfield_state *s) {
    const snowfield_pressing *p = s->press;
    if (!s->ranks) return;
    snowfield_give_back(s);
    snowfield_dismiss(s);
    snowfield_errands_begin(s);
    for (size_t i = 0; i < p->count; i++) {
        uint32_t b = p->order[i];
        if (!snowfield_presses(&s->prints[b]))
            snowfield_errand_add(s, rect_grow(s->prints[b].cells, 1), s->ranks->rank[b]);
    }
    snowfield_fetch(s);
}

typedef struct felt_body {
    uint64_t b;
    pressed sum;
    snowfield_reaction reaction;
} felt_body;

void snowfield_ranks_felt(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    snowfield_pressing *p = s->press;
    if (!k) return;
    snowfield_dismiss(s);
    k->own.bytes = 0;
    for (size_t i = 0; i < p->count; i++) {
        uint32_t b = p->order[i];
        if (!snowfield_ranks_does(s, b)) continue;
        felt_body felt;
        memset(&felt, 0, sizeof felt);
        felt.b = b;
        felt.sum = p->sum[b];
        felt.sum.thrown = NULL;
        felt.reaction = p->reaction[b];
        net_buffer_add(&k->own, &felt, sizeof felt);
        net_buffer_add(&k->own, p->sum[b].thrown, (size_t)felt.sum.bits * sizeof *p->sum[b].thrown);
    }
    snowfield_tell_all(s);
    for (reader r = all_told(k); r.at < r.end;) {
        felt_body felt;
        read_next(&r, &felt, sizeof felt);
        thrown_bit *thrown = p->sum[felt.b].thrown;
        p->sum[felt.b] = felt.sum;
        p->sum[felt.b].thrown = thrown;
        p->reaction[felt.b] = felt.reaction;
        read_next(&r, thrown, (size_t)felt.sum.bits * sizeof *thrown);
    }
}

void snowfield_ranks_waves(snowfield_state *s) {
    const snowfield_pressing *p = s->press;
    if (!s->ranks || p->waves == 0) return;
    snowfield_errands_begin(s);
    for (size_t i = 0; i < p->waves; i++) {
        snowfield_rect cells = s->prints[p->wave[i].b].cells;
        snowfield_errand_add(s, rect_grow(cells, WAVE_CELLS + 2), snowfield_rank_of(s, cells));
    }
    snowfield_fetch(s);
}

void snowfield_ranks_pushed(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    snowfield_pressing *p = s->press;
    if (!k || p->waves == 0) return;
    snowfield_dismiss(s);
    k->own.bytes = 0;
    for (size_t i = 0; i < p->waves; i++) {
        uint64_t number = i;
        if (snowfield_rank_of(s, s->prints[p->wave[i].b].cells) != net_rank()) continue;
        net_buffer_add(&k->own, &number, sizeof number);
        net_buffer_add(&k->own, &p->wave[i], sizeof p->wave[i]);
    }
    snowfield_tell_all(s);
    for (reader r = all_told(k); r.at < r.end;) {
        uint64_t number;
        read_next(&r, &number, sizeof number);
        read_next(&r, &p->wave[number], sizeof p->wave[number]);
    }
}

// ---- loose bits

void snowfield_ranks_landed(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    snowfield_bits *b = &s->bits;
    if (!k || b->count == 0) return;
    // Those that landed here or left the field; where their tile is on another rank it says so.
    k->own.bytes = 0;
    net_buffer_add(&k->own, b->flies, b->count * sizeof *b->flies);
    snowfield_tell_all(s);
    memset(b->flies, 0, b->count * sizeof *b->flies);
    for (reader r = all_told(k); r.at < r.end; r.at += b->count)
        for (size_t i = 0; i < b->count; i++) b->flies[i] |= r.at[i] != 0;
}

// ---- sliding snow

firn_status snowfield_ranks_pieces(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    const snowfield_sweep *w = &s->sweep;
    if (!k) return FIRN_OK;
    TRY(reserve_work(k, w->count));
    snowfield_errands_begin(s);
    for (size_t i = 0; i < w->count; i++) {
        k->rank[i] = snowfield_rank_of(s, w->piece[i].active);
        snowfield_errand_add(s, w->piece[i].patch, k->rank[i]);
    }
    snowfield_fetch(s);
    return FIRN_OK;
}

// Ranks with a tile of these cells.
static void ranks_of(const snowfield_state *s, snowfield_rect cells, size_t *first, size_t *last) {
    *first = snowfield_rank_of_row(s, int_max(cells.z0, 0) >> s->shift);
    *last = snowfield_rank_of_row(s, (int_min(cells.z1, s->nz) - 1) >> s->shift);
}

bool snowfield_ranks_keeps(const snowfield_state *s, size_t piece) {
    size_t first, last;
    if (!s->ranks || snowfield_ranks_does(s, piece)) return true;
    ranks_of(s, s->sweep.piece[piece].own, &first, &last);
    return first <= net_rank() && net_rank() <= last;
}

typedef struct swept_piece {
    uint64_t number;
    int32_t done;
    uint32_t at_rim, roofed;
    snowfield_rect changed;
} swept_piece;

static swept_piece piece_told(const snowfield_piece *p, size_t i) {
    return (swept_piece){i, p->done, p->at_rim, p->roofed, p->changed};
}

void snowfield_ranks_swept(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    snowfield_sweep *w = &s->sweep;
    if (!k) return;
    k->own.bytes = 0;
    for (size_t i = 0; i < w->count; i++) {
        swept_piece told = piece_told(&w->piece[i], i);
        if (snowfield_ranks_does(s, i)) net_buffer_add(&k->own, &told, sizeof told);
    }
    snowfield_tell_all(s);
    for (reader r = all_told(k); r.at < r.end;) {
        swept_piece told;
        read_next(&r, &told, sizeof told);
        w->piece[told.number].done = told.done;
        w->piece[told.number].at_rim = told.at_rim != 0;
    }
}

static size_t piece_rows(const snowfield_piece *p) { return (size_t)(p->patch.z1 - p->patch.z0); }

// Which groups have changed: all ranks know what moves.
static void tell_rows(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    snowfield_sweep *w = &s->sweep;
    k->own.bytes = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (!snowfield_ranks_does(s, i)) continue;
        swept_piece told = piece_told(&w->piece[i], i);
        net_buffer_add(&k->own, &told, sizeof told);
        net_buffer_add(&k->own, w->rows + w->piece[i].row, piece_rows(&w->piece[i]) * sizeof *w->rows);
    }
    snowfield_tell_all(s);
    for (reader r = all_told(k); r.at < r.end;) {
        swept_piece told;
        read_next(&r, &told, sizeof told);
        snowfield_piece *p = &w->piece[told.number];
        p->changed = told.changed;
        p->roofed = told.roofed != 0;
        read_next(&r, w->rows + p->row, piece_rows(p) * sizeof *w->rows);
    }
}

static size_t changed_cells(const snowfield_sweep *w, const snowfield_piece *p) {
    size_t groups = 0;
    for (size_t z = 0; z < piece_rows(p); z++) groups += (size_t)__builtin_popcount(w->rows[p->row + z].ever);
    return groups * GROUP_CELLS;
}

// Results of a piece, to or from a message.
static char *move_results(const snowfield_sweep *w, const snowfield_piece *p, char *message, bool in) {
    size_t bytes = changed_cells(w, p) * 4, arrays = p->roofed ? 4 : 2;
    void *list[] = {w->mass + p->first, w->density + p->first, w->top_mass + p->first,
                    w->top_density + p->first};
    for (size_t k = 0; k < arrays && bytes > 0; k++, message += bytes)
        memcpy(in ? list[k] : message, in ? message : list[k], bytes);
    return message;
}
static size_t result_bytes(const snowfield_sweep *w, const snowfield_piece *p) {
    return changed_cells(w, p) * 4 * (p->roofed ? 4 : 2);
}

void snowfield_ranks_results(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    snowfield_sweep *w = &s->sweep;
    if (!k) return;
    snowfield_dismiss(s);
    tell_rows(s);
    snowfield_messages_clear(s);
    for (size_t i = 0; i < w->count; i++) {
        const snowfield_piece *p = &w->piece[i];
        size_t first, last;
        if (rect_empty(p->changed)) continue;
        ranks_of(s, p->changed, &first, &last);
        for (size_t r = first; r <= last; r++) {
            if (r == k->rank[i]) continue;
            if (k->rank[i] == net_rank())
                move_results(w, p, net_buffer_room(&k->out[r], result_bytes(w, p)), false);
            if (r == net_rank()) k->in[k->rank[i]].bytes += result_bytes(w, p);
        }
    }
    net_exchange_known(k->out, k->in);
    for (size_t r = 0; r < net_count(); r++) k->in[r].bytes = 0;
    for (size_t i = 0; i < w->count; i++) {
        snowfield_piece *p = &w->piece[i];
        size_t first, last;
        if (rect_empty(p->changed) || k->rank[i] == net_rank()) continue;
        ranks_of(s, p->changed, &first, &last);
        p->kept = first <= net_rank() && net_rank() <= last;
        net_buffer *in = &k->in[k->rank[i]];
        if (p->kept) in->bytes = (size_t)(move_results(w, p, in->data + in->bytes, true) - in->data);
    }
}

// ---- what is much too steep

void snowfield_ranks_region(snowfield_state *s, snowfield_rect cells, size_t rank) {
    s->limit->runs = 0;
    if (!s->ranks) return;
    snowfield_dismiss(s);
    snowfield_errands_begin(s);
    for (size_t t = 0; t < s->tiles.count; t++) {
        snowfield_rect r = rect_meet(tile_rect(s, t), cells);
        if (!rect_empty(r) && groups_any(&s->tiles.active[t])) snowfield_errand_add(s, r, rank);
    }
    snowfield_fetch(s);
}

void snowfield_ranks_found(snowfield_state *s, limit_found *found, size_t rank) {
    if (s->ranks) net_broadcast(found, sizeof *found, rank);
}

// All cells that have changed are in runs: of these tiles all go back.
firn_status snowfield_ranks_settled(snowfield_state *s, size_t rank, bool steep) {
    snowfield_limit *l = s->limit;
    if (!s->ranks) return FIRN_OK;
    uint64_t runs = l->runs;
    if (steep) net_broadcast(&runs, sizeof runs, rank);
    if (steep && runs > 0) {
        if (!array_reserve(&l->run, &l->capacity[4], limit_room(runs), sizeof *l->run))
            return fail_memory("sliding snow", runs * sizeof *l->run);
        l->runs = runs;
        net_broadcast(l->run, runs * sizeof *l->run, rank);
        if (rank != net_rank()) snowfield_limit_touch(s, l);
        snowfield_errands_begin(s);
        for (size_t i = 0; i < l->runs; i++) {
            int32_t x = l->cells.x0, z = l->cells.z0 + l->run[i].z;
            snowfield_errand_add(s, (snowfield_rect){x + l->run[i].x0, z, x + l->run[i].x1, z + 1}, rank);
        }
        snowfield_give_back(s);
    }
    snowfield_dismiss(s);
    return FIRN_OK;
}

// ---- at the end of a step

void snowfield_ranks_show(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    snowfield_tiles *t = &s->tiles;
    size_t edge = (size_t)s->edge;
    if (!k) return;
    k->own.bytes = 0;
    for (size_t i = 0; i < t->count; i++) {
        uint64_t head[2] = {i, t->invalid[i]};
        if (rect_empty(t->touched[i]) || !snowfield_is_own(s, i)) continue;
        net_buffer_add(&k->own, head, sizeof head);
        net_buffer_add(&k->own, &t->highest[i], sizeof *t->highest);
        net_buffer_add(&k->own, t->row_highest + i * edge, edge * sizeof *t->row_highest);
    }
    snowfield_tell_all(s);
    for (reader r = all_told(k); r.at < r.end;) {
        uint64_t head[2];
        read_next(&r, head, sizeof head);
        t->invalid[head[0]] = head[1] != 0;
        read_next(&r, &t->highest[head[0]], sizeof *t->highest);
        read_next(&r, t->row_highest + head[0] * edge, edge * sizeof *t->row_highest);
    }
}

// Of some tiles that are not known yet, the ranks that have them say it to all.
static void look_at_some(snowfield_state *s, size_t first, size_t every) {
    snowfield_ranks *k = s->ranks;
    k->own.bytes = 0;
    for (uint64_t t = first; t < s->tiles.count; t += every) {
        if (k->look[t] != LOOK_UNKNOWN || !snowfield_is_own(s, t)) continue;
        uint64_t told[2] = {t, (uint64_t)snowfield_look_at(s, t)};
        net_buffer_add(&k->own, told, sizeof told);
    }
    snowfield_tell_all(s);
    for (reader r = all_told(k); r.at < r.end;) {
        uint64_t told[2];
        read_next(&r, told, sizeof told);
        k->look[told[0]] = (uint8_t)told[1];
    }
}

void snowfield_ranks_look_ahead(snowfield_state *s, size_t first, size_t every) {
    snowfield_ranks *k = s->ranks;
    if (!k || first >= s->tiles.count) return;
    if (!array_reserve(&k->look, &k->capacity[5], s->tiles.count, sizeof *k->look))
        net_abort("out of memory for dividing the field among ranks");
    memset(k->look, LOOK_UNKNOWN, s->tiles.count);
    look_at_some(s, first, every);
}

// Where a tile has gone the last one takes its number: that one was not looked at, nor those before it.
snowfield_look snowfield_ranks_look(snowfield_state *s, size_t t) {
    enum { TOGETHER = 32 };
    size_t count = s->tiles.count;
    if (s->ranks->look[t] == LOOK_UNKNOWN) {
        look_at_some(s, count > TOGETHER ? count - TOGETHER : 0, 1);
        if (s->ranks->look[t] == LOOK_UNKNOWN) look_at_some(s, t, count);
    }
    return (snowfield_look)s->ranks->look[t];
}

const double *snowfield_ranks_tops(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    size_t count = body_count(s->bodies);
    if (!k) return NULL;
    if (!array_reserve(&k->value, &k->capacity[4], count + 1, sizeof *k->value))
        net_abort("out of memory for dividing the field among ranks");
    for (size_t b = 0; b < count; b++) {
        snowfield_rect r = s->prints[b].under;
        int32_t t = snowfield_tile_at(s, ((r.x0 + r.x1) / 2) >> s->shift, ((r.z0 + r.z1) / 2) >> s->shift);
        bool known = t == TILE_NONE || snowfield_is_here(s, (size_t)t);
        k->value[b] = !rect_empty(r) && known ? snowfield_top_below(s, b) : -INFINITY;
    }
    if (count > 0) net_max(k->value, count);
    return k->value;
}
