// Grains over ranks (net/net.h): each has a run of whole blocks of them, in the order of a run on one rank,
// so that blocks, and sums block by block, are the same. Grains do not meet each other: ranks exchange what
// bodies get, and, when some have left, those that fill up the blocks before.
#include "grains/grains_state.h"

#include <math.h>
#include <string.h>

#include "net/net.h"

static size_t part_first(size_t total, size_t part, size_t parts) {
    size_t first = part * grain_blocks(total) / parts * GRAIN_BLOCK;
    return part < parts && first < total ? first : total;
}

void grains_part(size_t total, size_t part, size_t parts, size_t *first, size_t *end) {
    *first = part_first(total, part, parts);
    *end = part_first(total, part + 1, parts);
}

// ---- who has what

typedef struct run {
    size_t first, end;
} run;

static run meet(run a, run b) {
    size_t first = a.first > b.first ? a.first : b.first, end = a.end < b.end ? a.end : b.end;
    return (run){first, end > first ? end : first};
}

static run run_of(size_t total, size_t rank, bool whole) {
    run r;
    grains_part(total, rank, net_count(), &r.first, &r.end);
    if (whole) r = (run){rank == 0 ? 0 : total, total};
    return r;
}

enum { GRAIN_BYTES = 2 * 3 * sizeof(float) + sizeof(uint32_t) };

static void pack(const grains *g, run r, net_buffer *out) {
    size_t n = r.end - r.first, i = r.first - g->ranks.first;
    out->bytes = 0;
    if (n == 0) return;
    net_buffer_add(out, g->position + i, n * sizeof *g->position);
    net_buffer_add(out, g->velocity + i, n * sizeof *g->velocity);
    net_buffer_add(out, g->id + i, n * sizeof *g->id);
}

static void unpack(grains *g, run r, const char *from) {
    size_t n = r.end - r.first, i = r.first - g->ranks.first;
    if (n == 0) return;
    memcpy(g->position + i, from, n * sizeof *g->position);
    from += n * sizeof *g->position;
    memcpy(g->velocity + i, from, n * sizeof *g->velocity);
    from += n * sizeof *g->velocity;
    memcpy(g->id + i, from, n * sizeof *g->id);
}

// out, in: by rank. had: runs that the ranks have; they get theirs.
static firn_status exchange(grains *g, const run *had, bool whole, net_buffer *out, net_buffer *in) {
    size_t me = net_rank();
    run own = run_of(g->ranks.total, me, whole), kept = meet(had[me], own);
    for (size_t r = 0; r < net_count(); r++) {
        run get = meet(had[r], own);
        in[r].bytes = r == me ? 0 : (get.end - get.first) * GRAIN_BYTES;
        if (r != me) pack(g, meet(had[me], run_of(g->ranks.total, r, whole)), &out[r]);
    }
    net_exchange_known(out, in);
    size_t n = kept.end - kept.first; // 0: they begin anywhere
    firn_status status = grains_move_within(g, own.end - own.first, n ? kept.first - g->ranks.first : 0, n,
                                            n ? kept.first - own.first : 0);
    TRY(net_agree(status));
    g->ranks.first = own.first;
    for (size_t r = 0; r < net_count(); r++)
        if (r != me) unpack(g, meet(had[r], own), in[r].data);
    return FIRN_OK;
}

// Collective.
static firn_status spread(grains *g, bool whole) {
    net_buffer counts = {0};
    size_t ranks = net_count(), at = 0;
    if (!g->ranks.moved && g->ranks.whole == whole) return FIRN_OK;
    run *had = mem_zero(ranks, sizeof *had);
    net_buffer *messages = mem_zero(2 * ranks, sizeof *messages);
    if (!had || !messages) net_abort("out of memory for dividing grains among ranks");
    net_gather_all(&(uint64_t){g->count}, sizeof(uint64_t), &counts, NULL);
    const uint64_t *count = (const uint64_t *)(const void *)counts.data;
    for (size_t r = 0; r < ranks; at = had[r++].end) had[r] = (run){at, at + count[r]};
    g->ranks.first = had[net_rank()].first;
    g->ranks.total = at;
    firn_status status = exchange(g, had, whole, messages, messages + ranks);
    for (size_t r = 0; r < 2 * ranks; r++) net_buffer_free(&messages[r]);
    net_buffer_free(&counts);
    mem_free(messages);
    mem_free(had);
    TRY(status);
    for (int i = 0; i < GRAIN_FIELDS; i++) g->field_count[i] = g->count;
    g->ranks.moved = false;
    g->ranks.whole = whole;
    return FIRN_OK;
}

// ---- in a step

firn_status grains_ranks_begin(grains *g) {
    if (!g->ranks.on) return FIRN_OK;
    g->ranks.stepping = true;
    return spread(g, false);
}

// A failure that the other ranks do not know of leaves them waiting.
firn_status grains_ranks_end(const grains *g, firn_status status) {
    if (g->ranks.on && status != FIRN_OK) net_abort(firn_last_error());
    return status;
}

bool grains_ranks_any(const grains *g, bool any) {
    double most = any;
    if (g->ranks.on) net_max(&most, 1);
    return most > 0;
}

firn_status grains_ranks_close_up(grains *g) {
    if (!g->ranks.on) return FIRN_OK;
    g->ranks.moved = true;
    return spread(g, false);
}

void grains_ranks_sum(const grains *g, grain_impulse *sums, void (*add)(void *context, void *sums)) {
    if (g->ranks.on)
        net_in_order(sums, g->wall_count * sizeof *sums, add, (void *)g);
    else
        add((void *)g, sums);
}

bool grains_ranks_first(const grains *g, size_t found, uint64_t *item, uint32_t *what) {
    if (!g->ranks.on || !g->ranks.stepping) return found != SIZE_MAX;
    double first = found == SIZE_MAX ? -INFINITY : -(double)net_rank();
    net_max(&first, 1);
    if (!(first > -INFINITY)) return false;
    uint64_t told[2] = {*item, *what};
    net_broadcast(told, sizeof told, (size_t)-first);
    *item = told[0], *what = (uint32_t)told[1];
    return true;
}

// ---- between steps

static firn_status share(void *model) {
    grains *g = model;
    struct {
        double made;
        uint64_t total;
        uint32_t counted, divided;
    } all = {g->made, g->count, g->counted, g->ranks.on};
    firn_status status = FIRN_OK;
    net_broadcast(&all, sizeof all, 0);
    g->made = all.made;
    g->counted = all.counted != 0;
    if (!all.divided) { // rank 0 has loaded them
        if (net_rank() > 0) status = grains_reserve(g, 0);
        g->ranks = (grain_ranks){.on = true, .moved = true, .total = all.total};
        g->ranks.first = net_rank() > 0 ? all.total : 0;
        for (int i = 0; i < GRAIN_FIELDS; i++) g->field_count[i] = g->count;
    }
    return net_agree(status);
}

static void sum_up(void *context, void *sums) { grains_sum_up(context, sums); }

static firn_status gather(void *model, bool whole) {
    grains *g = model;
    g->ranks.stepping = false;
    TRY(spread(g, false)); // sums go by whole blocks
    g->ranks.sums = (grain_totals){0};
    net_in_order(&g->ranks.sums, sizeof g->ranks.sums, sum_up, g);
    TRY(spread(g, whole));
    grains_measure(g);
    return FIRN_OK;
}

static size_t total(const void *model) {
    const grains *g = model;
    return g->ranks.on ? g->ranks.total : g->count;
}

static bool is_divided(const char *field) { return strcmp(field, "grains.made") != 0; }

static const char *keeps(const firn_world_def *def) {
    return def->mpm ? "grains beside mpm" : NULL; // what they do to each other goes over no ranks
}

const struct firn_model_ranks grains_model_ranks = {
    .keeps = keeps, .share = share, .gather = gather, .total = total, .is_divided = is_divided};
