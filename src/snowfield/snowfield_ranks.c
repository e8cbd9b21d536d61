// Who has which cells, how they come and go, and the state of the field between steps; snowfield_ranks.h.
#include "snowfield/snowfield_ranks.h"

#include <string.h>

#include "base/memory.h"

// ---- who has what

size_t snowfield_rank_of_row(const snowfield_state *s, int32_t row) {
    return s->ranks ? (size_t)row * net_count() / (size_t)s->tiles.rows : 0;
}

size_t snowfield_rank_of(const snowfield_state *s, snowfield_rect cells) {
    int32_t z = int_min(int_max((cells.z0 + cells.z1) / 2, 0), s->nz - 1);
    return snowfield_rank_of_row(s, z >> s->shift);
}

bool snowfield_is_own(const snowfield_state *s, size_t t) {
    return !s->ranks || snowfield_rank_of_row(s, s->tiles.at[t][1]) == net_rank();
}

bool snowfield_is_mine(const snowfield_state *s, size_t rank) { return !s->ranks || rank == net_rank(); }

firn_status snowfield_ranks_end(const snowfield_state *s, firn_status status) {
    if (s->ranks && status != FIRN_OK) net_abort(firn_last_error());
    return status;
}

static void make_room(void *items, size_t *capacity, size_t count, size_t item) {
    if (!array_reserve(items, capacity, count, item))
        net_abort("out of memory for dividing the field among ranks");
}

// ---- cells of a tile, with its cover, as a message

enum { MOST_ARRAYS = 6 };
typedef struct cell_arrays { // four bytes a cell each
    char *list[MOST_ARRAYS];
    size_t count;
} cell_arrays;

static void add_array(cell_arrays *a, void *list) { a->list[a->count++] = list; }

// all: with what a step does not change while it is away.
static cell_arrays tile_arrays(const snowfield_state *s, bool all) {
    cell_arrays a = {.count = 0};
    add_array(&a, s->tiles.mass);
    add_array(&a, s->tiles.density);
    if (s->tiles.crust) add_array(&a, s->tiles.crust);
    if (all) add_array(&a, s->tiles.ground), add_array(&a, s->tiles.depth);
    return a;
}

static cell_arrays cover_arrays(const snowfield_state *s, bool all) {
    cell_arrays a = {.count = 0};
    add_array(&a, s->covers.top_mass);
    add_array(&a, s->covers.top_density);
    if (!all) return a;
    add_array(&a, s->covers.roof), add_array(&a, s->covers.upper);
    add_array(&a, s->covers.top_depth), add_array(&a, s->covers.top_height);
    return a;
}

static size_t message_bytes(const snowfield_state *s, size_t t, size_t cells, bool all) {
    size_t arrays = (s->def.crust.thickness > 0 ? 3U : 2U) + (all ? 2U : 0U);
    if (s->tiles.cover[t] != TILE_NONE) arrays += all ? 6 : 2;
    return 4 * cells * arrays;
}

// Cells r (counted from the corner) of a page, to or from a message; returns the place after them.
static char *move_rows(const snowfield_state *s, cell_arrays a, size_t first, snowfield_rect r, char *message,
                       bool in) {
    size_t bytes = 4 * (size_t)(r.x1 - r.x0);
    for (size_t k = 0; k < a.count; k++) {
        for (int32_t z = r.z0; z < r.z1; z++, message += bytes) {
            char *here = a.list[k] + 4 * (first + (size_t)z * (size_t)s->edge + (size_t)r.x0);
            memcpy(in ? here : message, in ? message : here, bytes);
        }
    }
    return message;
}

static char *move_tile(const snowfield_state *s, size_t t, snowfield_rect r, char *message, bool all,
                       bool in) {
    message = move_rows(s, tile_arrays(s, all), snowfield_first(s, t), r, message, in);
    int32_t cover = s->tiles.cover[t];
    if (cover == TILE_NONE) return message;
    return move_rows(s, cover_arrays(s, all), snowfield_cover_first(s, (size_t)cover), r, message, in);
}

static snowfield_rect whole_tile(const snowfield_state *s) {
    return (snowfield_rect){0, 0, s->edge, s->edge};
}

static void send_tile(snowfield_state *s, size_t t, snowfield_rect r, size_t to, bool all) {
    move_tile(s, t, r, net_buffer_room(&s->ranks->out[to], message_bytes(s, t, rect_size(r), all)), all,
              false);
}

// A tile of another rank, or one's own that was not here.
static void admit(snowfield_state *s, size_t t) {
    int32_t cover = s->tiles.cover[t];
    firn_status status = snowfield_pages_take(s, &s->tiles.pages, t);
    if (status == FIRN_OK && cover != TILE_NONE)
        status = snowfield_pages_take(s, &s->covers.pages, (size_t)cover);
    if (status != FIRN_OK) net_abort(firn_last_error());
}

static void let_go(snowfield_state *s, size_t t) {
    snowfield_pages_drop(&s->tiles.pages, t);
    if (s->tiles.cover[t] != TILE_NONE) snowfield_pages_drop(&s->covers.pages, (size_t)s->tiles.cover[t]);
}

// ---- errands

void snowfield_messages_clear(snowfield_state *s) {
    for (size_t r = 0; r < net_count(); r++) s->ranks->out[r].bytes = s->ranks->in[r].bytes = 0;
    s->ranks->own.bytes = 0;
}

void snowfield_tell_all(snowfield_state *s) {
    net_gather_all(s->ranks->own.data, s->ranks->own.bytes, &s->ranks->all, NULL);
}

void snowfield_errands_begin(snowfield_state *s) { s->ranks->errands = 0; }

void snowfield_errand_add(snowfield_state *s, snowfield_rect cells, size_t rank) {
    snowfield_ranks *k = s->ranks;
    cells = rect_meet(cells, (snowfield_rect){0, 0, s->nx, s->nz});
    if (rect_empty(cells)) return;
    make_room(&k->errand, &k->capacity[0], k->errands + 1, sizeof *k->errand);
    k->errand[k->errands++] = (snowfield_errand){cells, rank};
}

// For each tile of an errand, row by row.
typedef void (*errand_fn)(snowfield_state *s, const snowfield_errand *e, size_t t);

static void each_tile(snowfield_state *s, const snowfield_errand *e, errand_fn fn) {
    snowfield_rect r = e->cells;
    size_t first = snowfield_rank_of_row(s, r.z0 >> s->shift),
           last = snowfield_rank_of_row(s, (r.z1 - 1) >> s->shift);
    if (first == e->rank && last == e->rank) return; // it has all
    for (int32_t row = r.z0 >> s->shift; row <= (r.z1 - 1) >> s->shift; row++) {
        for (int32_t column = r.x0 >> s->shift; column <= (r.x1 - 1) >> s->shift; column++) {
            int32_t t = snowfield_tile_at(s, column, row);
            if (t != TILE_NONE && snowfield_rank_of_row(s, row) != e->rank) fn(s, e, (size_t)t);
        }
    }
}

// Each tile once for each rank.
static bool marked(snowfield_state *s, size_t t) {
    bool before = s->ranks->mark[t] == s->ranks->stamp;
    s->ranks->mark[t] = s->ranks->stamp;
    return before;
}

static void begin_marks(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    size_t known = k->capacity[1];
    make_room(&k->mark, &k->capacity[1], s->tiles.count, sizeof *k->mark);
    memset(k->mark + known, 0, (k->capacity[1] - known) * sizeof *k->mark);
    k->stamp++;
}

static void lend(snowfield_state *s, const snowfield_errand *e, size_t t) {
    if (snowfield_is_own(s, t) && !marked(s, t)) send_tile(s, t, whole_tile(s), e->rank, true);
}

static void expect(snowfield_state *s, const snowfield_errand *e, size_t t) {
    (void)e;
    snowfield_ranks *k = s->ranks;
    if (snowfield_is_here(s, t) || marked(s, t)) return;
    make_room(&k->guest, &k->capacity[2], k->guests + 1, sizeof *k->guest);
    k->guest[k->guests++] = (int32_t)t;
    k->in[snowfield_rank_of_row(s, s->tiles.at[t][1])].bytes += message_bytes(s, t, snowfield_cells(s), true);
}

// Guests that are here already do not come again: the caller dismisses them first where they may be old.
void snowfield_fetch(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    snowfield_messages_clear(s);
    for (size_t r = 0; r < net_count(); r++) {
        begin_marks(s);
        for (size_t i = 0; i < k->errands && r != net_rank(); i++)
            if (k->errand[i].rank == r) each_tile(s, &k->errand[i], lend);
    }
    begin_marks(s);
    size_t before = k->guests;
    for (size_t i = 0; i < k->errands; i++)
        if (k->errand[i].rank == net_rank()) each_tile(s, &k->errand[i], expect);
    net_exchange_known(k->out, k->in);
    for (size_t r = 0; r < net_count(); r++) k->in[r].bytes = 0; // how much has been read
    for (size_t i = before; i < k->guests; i++) {
        size_t t = (size_t)k->guest[i];
        net_buffer *in = &k->in[snowfield_rank_of_row(s, s->tiles.at[t][1])];
        admit(s, t);
        in->bytes = (size_t)(move_tile(s, t, whole_tile(s), in->data + in->bytes, true, true) - in->data);
    }
}

void snowfield_dismiss(snowfield_state *s) {
    for (size_t i = 0; i < s->ranks->guests; i++) let_go(s, (size_t)s->ranks->guest[i]);
    s->ranks->guests = 0;
}

// Cells of an errand in a tile, from its corner.
static snowfield_rect part_of(const snowfield_state *s, const snowfield_errand *e, size_t t) {
    snowfield_rect own = tile_rect(s, t), r = rect_meet(e->cells, own);
    return (snowfield_rect){r.x0 - own.x0, r.z0 - own.z0, r.x1 - own.x0, r.z1 - own.z0};
}

static void return_tile(snowfield_state *s, const snowfield_errand *e, size_t t) {
    snowfield_rect r = part_of(s, e, t);
    size_t owner = snowfield_rank_of_row(s, s->tiles.at[t][1]);
    if (e->rank == net_rank()) send_tile(s, t, r, owner, false);
    if (owner == net_rank()) s->ranks->in[e->rank].bytes += message_bytes(s, t, rect_size(r), false);
}

static void take_back(snowfield_state *s, const snowfield_errand *e, size_t t) {
    if (!snowfield_is_own(s, t)) return;
    net_buffer *in = &s->ranks->in[e->rank];
    in->bytes = (size_t)(move_tile(s, t, part_of(s, e, t), in->data + in->bytes, false, true) - in->data);
}

void snowfield_give_back(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    snowfield_messages_clear(s);
    for (size_t i = 0; i < k->errands; i++) each_tile(s, &k->errand[i], return_tile);
    net_exchange_known(k->out, k->in);
    for (size_t r = 0; r < net_count(); r++) k->in[r].bytes = 0;
    for (size_t i = 0; i < k->errands; i++) each_tile(s, &k->errand[i], take_back);
}

// ---- the state of rank 0 to all

static void free_cells(snowfield_state *s) {
    void *lists[] = {&s->tiles.mass,       &s->tiles.density,      &s->tiles.crust,      &s->tiles.ground,
                     &s->tiles.depth,      &s->covers.roof,        &s->covers.upper,     &s->covers.top_mass,
                     &s->covers.top_depth, &s->covers.top_density, &s->covers.top_height};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        void *list, *none = NULL;
        memcpy(&list, lists[i], sizeof list);
        mem_free(list);
        memcpy(lists[i], &none, sizeof none);
    }
    snowfield_pages_free(&s->tiles.pages);
    snowfield_pages_free(&s->covers.pages);
    s->tiles.pages.room = s->covers.pages.room = 0;
}

static void free_slab(snowfield_state *s) {
    snowfield_slab *slab = &s->ranks->slab;
    for (size_t i = 0; i < SLAB_TILE_ARRAYS; i++) mem_free(slab->of_tile[i]);
    for (size_t i = 0; i < SLAB_COVER_ARRAYS; i++) mem_free(slab->of_cover[i]);
    *slab = (snowfield_slab){0};
}

void snowfield_ranks_free(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    if (!k) return;
    free_slab(s);
    for (size_t r = 0; k->out && r < 2 * net_count(); r++) net_buffer_free(&k->out[r]);
    net_buffer_free(&k->own);
    net_buffer_free(&k->all);
    void *lists[] = {k->out, k->guest, k->mark, k->errand, k->rank, k->value, k->look};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    mem_free(k);
    s->ranks = NULL;
}

void snowfield_ranks_leave(snowfield_state *s) {
    if (!s->ranks) return;
    snowfield_ranks_free(s);
    free_cells(s);
    s->tiles.count = s->covers.count = 0;
}

static void make_ranks(snowfield_state *s) {
    snowfield_ranks *k = s->ranks = mem_zero(1, sizeof *k);
    if (k) k->out = mem_zero(2 * net_count(), sizeof *k->out);
    if (!k || !k->out) net_abort("out of memory for dividing the field among ranks");
    k->in = k->out + net_count();
}

// On rank 0, which has all: pages are tiles.
static firn_status number_pages(snowfield_pages *p, size_t count) {
    TRY(snowfield_pages_list(p, 0, count));
    if (!array_reserve(&p->of, &p->capacity[1], p->room + 1, sizeof *p->of) ||
        !array_reserve(&p->free, &p->capacity[2], p->room + 1, sizeof *p->free))
        return fail_memory("dividing the field among ranks", p->room * sizeof *p->of);
    for (size_t t = 0; t < count; t++) p->page[t] = p->of[t] = (int32_t)t;
    p->used = count;
    return FIRN_OK;
}

static void tell(void *data, size_t bytes) {
    if (bytes > 0) net_broadcast(data, bytes, 0);
}

typedef struct share_head {
    uint64_t divided, tiles, covers, bits, carried;
    uint64_t counters[COUNTER_SIZE];
    double exchange[EXCHANGE_SIZE], grid[FIELD_GRID_SIZE], pristine[2], dt_limit;
} share_head;

static void take_head(snowfield_state *s, const share_head *h) {
    memcpy(s->counters, h->counters, sizeof s->counters);
    memcpy(s->exchange, h->exchange, sizeof s->exchange);
    memcpy(s->grid, h->grid, sizeof s->grid);
    memcpy(s->pristine, h->pristine, sizeof s->pristine);
    s->start.mass = (int32_t)h->pristine[0];
    s->start.density = (float)h->pristine[1];
    s->dt_limit = h->dt_limit;
    // They are sums of what the ranks have; so far it is all on rank 0.
    s->counters[COUNTER_PRISTINE] = s->counters[COUNTER_IN] = s->counters[COUNTER_OUT] = 0;
}

// What all know of the tiles.
static firn_status share_tiles(snowfield_state *s, const share_head *h) {
    snowfield_tiles *t = &s->tiles;
    if (net_rank() > 0) {
        free_cells(s);
        TRY(snowfield_pages_list(&t->pages, 0, h->tiles));
        TRY(snowfield_pages_list(&s->covers.pages, 0, h->covers));
        TRY(snowfield_tiles_reserve(s, h->tiles));
        TRY(snowfield_covers_reserve(s, h->covers));
        t->count = h->tiles;
        s->covers.count = h->covers;
    } else {
        TRY(number_pages(&t->pages, t->count));
        TRY(number_pages(&s->covers.pages, s->covers.count));
    }
    tell(t->at, t->count * sizeof *t->at);
    tell(t->active, t->count * sizeof *t->active);
    tell(t->touched, t->count * sizeof *t->touched);
    tell(t->cover, t->count * sizeof *t->cover);
    tell(t->highest, t->count * sizeof *t->highest);
    tell(t->row_highest, t->count * (size_t)s->edge * sizeof *t->row_highest);
    tell(t->invalid, t->count * sizeof *t->invalid);
    tell(t->index, (size_t)t->columns * (size_t)t->rows * sizeof *t->index);
    memset(t->cleared, 0, t->count * sizeof *t->cleared);
    tell(s->covers.tile, s->covers.count * sizeof *s->covers.tile);
    tell(s->covers.roofs, s->covers.count * sizeof *s->covers.roofs);
    return FIRN_OK;
}

// What all have.
static firn_status share_others(snowfield_state *s, const share_head *h) {
    snowfield_bits *b = &s->bits;
    b->count = h->bits;
    tell(b->position, b->count * sizeof *b->position);
    tell(b->velocity, b->count * sizeof *b->velocity);
    tell(b->mass, b->count * sizeof *b->mass);
    tell(b->density, b->count * sizeof *b->density);
    tell(b->size, b->count * sizeof *b->size);
    TRY(snowfield_carry_reserve(s, h->carried));
    tell(s->carried.body, h->carried * sizeof *s->carried.body);
    tell(s->poured, s->pour_count * sizeof *s->poured);
    return FIRN_OK;
}

// One rank after the other, so that no more than one's share is on the way. Rank 0 keeps its own.
static void share_cells(snowfield_state *s) {
    snowfield_ranks *k = s->ranks;
    for (size_t r = 1; r < net_count(); r++) {
        snowfield_messages_clear(s);
        for (size_t t = 0; t < s->tiles.count && net_rank() == 0; t++)
            if (snowfield_rank_of_row(s, s->tiles.at[t][1]) == r) {
                send_tile(s, t, whole_tile(s), r, true);
                let_go(s, t);
            }
        net_exchange(k->out, k->in);
        const char *from = k->in[0].data;
        for (size_t t = 0; t < s->tiles.count && net_rank() == r; t++) {
            if (!snowfield_is_own(s, t)) continue;
            admit(s, t);
            from = move_tile(s, t, whole_tile(s), (char *)from, true, true);
        }
    }
    for (size_t r = 0; r < 2 * net_count(); r++) net_buffer_free(&k->out[r]); // they were large
}

static void move_page(const snowfield_list *list, size_t to, size_t from) {
    char *cells;
    memcpy(&cells, list->list, sizeof cells);
    memmove(cells + to * list->item, cells + from * list->item, list->item);
}

// Those of the pages that are left, close together; the rest of the memory is given back.
static firn_status compact(snowfield_pages *p, snowfield_list *lists, size_t count) {
    size_t n = 0;
    for (size_t page = 0; page < p->used; page++) {
        int32_t t = p->of[page];
        if (t == TILE_NONE) continue;
        for (size_t k = 0; k < count && page != n; k++) move_page(&lists[k], n, page);
        p->of[n] = t;
        p->page[t] = (int32_t)n++;
    }
    p->used = n;
    p->frees = 0;
    if (n + 1 >= p->room) return FIRN_OK;
    p->room = n + 1;
    return snowfield_lists_resize(lists, count, p->room, "dividing the field among ranks");
}

static firn_status shrink(snowfield_state *s) {
    snowfield_tiles *t = &s->tiles;
    snowfield_covers *c = &s->covers;
    size_t page = 4 * snowfield_cells(s);
    snowfield_list of_tile[] = {
        {&t->mass, page}, {&t->density, page}, {&t->ground, page}, {&t->depth, page}, {&t->crust, page}};
    snowfield_list of_cover[] = {{&c->roof, page},        {&c->upper, page},     {&c->top_mass, page},
                                 {&c->top_density, page}, {&c->top_depth, page}, {&c->top_height, page}};
    TRY(compact(&t->pages, of_tile, t->crust ? 5 : 4));
    return compact(&c->pages, of_cover, 6);
}

static firn_status share(void *model) {
    snowfield_state *s = model;
    share_head head = {.divided = s->ranks != NULL,
                       .tiles = s->tiles.count,
                       .covers = s->covers.count,
                       .bits = s->bits.count,
                       .carried = s->carried.count,
                       .dt_limit = s->dt_limit};
    memcpy(head.counters, s->counters, sizeof head.counters);
    memcpy(head.exchange, s->exchange, sizeof head.exchange);
    memcpy(head.grid, s->grid, sizeof head.grid);
    memcpy(head.pristine, s->pristine, sizeof head.pristine);
    if (s->heat.on) return fail(FIRN_UNSUPPORTED, "a field with heat stays on one rank");
    tell(&head, sizeof head);
    if (head.divided) return FIRN_OK;
    if (net_rank() > 0) {
        snowfield_ranks_free(s);
        take_head(s, &head);
    }
    make_ranks(s);
    TRY(net_agree(share_tiles(s, &head)));
    TRY(net_agree(share_others(s, &head)));
    share_cells(s);
    return net_agree(net_rank() == 0 ? shrink(s) : FIRN_OK);
}

// ---- frames and checkpoints

static const char *const tile_fields[SLAB_TILE_ARRAYS] = {"field.density", "field.mass", "field.crust",
                                                          "field.ground", "field.depth"};
static const char *const cover_fields[SLAB_COVER_ARRAYS] = {"field.top_density", "field.top_mass",
                                                            "field.top_depth", "field.top_height"};

static bool is_tile_field(const char *field) {
    for (size_t i = 0; i < SLAB_TILE_ARRAYS; i++)
        if (strcmp(field, tile_fields[i]) == 0) return true;
    return false;
}

static bool is_divided(const char *field) {
    for (size_t i = 0; i < SLAB_COVER_ARRAYS; i++)
        if (strcmp(field, cover_fields[i]) == 0) return true;
    return is_tile_field(field);
}

static size_t total(const void *model, const char *field) {
    const snowfield_state *s = model;
    return (is_tile_field(field) ? s->tiles.count : s->covers.count) * snowfield_cells(s);
}

// Whose slab has this one of so many.
static size_t slab_first(size_t count, size_t rank, bool whole) {
    return whole ? (rank > 0 ? count : 0) : count * rank / net_count();
}
static size_t slab_of(size_t count, size_t i, bool whole) {
    size_t rank = 0;
    while (slab_first(count, rank + 1, whole) <= i) rank++;
    return rank;
}

static size_t tile_of(const snowfield_state *s, bool covers, size_t i) {
    return covers ? (size_t)s->covers.tile[i] : i;
}

// One array of all tiles, or of all covers.
static void *build_slab(snowfield_state *s, const void *from, bool covers, size_t first, size_t n,
                        bool whole) {
    snowfield_ranks *k = s->ranks;
    size_t count = covers ? s->covers.count : s->tiles.count, cells = snowfield_cells(s), bytes = 4 * cells;
    snowfield_messages_clear(s);
    for (size_t i = 0; i < count; i++) {
        if (!snowfield_is_own(s, tile_of(s, covers, i))) continue;
        size_t cell = covers ? snowfield_cover_first(s, i) : snowfield_first(s, i);
        net_buffer_add(&k->out[slab_of(count, i, whole)], (const char *)from + 4 * cell, bytes);
    }
    for (size_t i = first; i < first + n; i++)
        k->in[snowfield_rank_of_row(s, s->tiles.at[tile_of(s, covers, i)][1])].bytes += bytes;
    net_exchange_known(k->out, k->in);
    char *slab = mem_alloc(n * bytes + 1);
    if (!slab) net_abort("out of memory for the slabs of the field");
    for (size_t r = 0; r < net_count(); r++) k->in[r].bytes = 0;
    for (size_t i = first; i < first + n; i++) {
        net_buffer *in = &k->in[snowfield_rank_of_row(s, s->tiles.at[tile_of(s, covers, i)][1])];
        memcpy(slab + (i - first) * bytes, in->data + in->bytes, bytes);
        in->bytes += bytes;
    }
    return slab;
}

static void sum_slab(void *context, void *sums) {
    const snowfield_state *s = context;
    snowfield_sums *all = sums;
    *all = snowfield_sum_up(s, *all, &s->ranks->slab);
}

// What the ranks have of these goes to rank 0.
static void sum_counters(void *context, void *sums) {
    snowfield_state *s = context;
    uint64_t *all = sums;
    const int of_each[] = {COUNTER_PRISTINE, COUNTER_IN, COUNTER_OUT};
    for (size_t i = 0; i < sizeof of_each / sizeof of_each[0]; i++) {
        all[i] += s->counters[of_each[i]];
        s->counters[of_each[i]] = 0;
    }
}

static firn_status gather(void *model, bool whole) {
    snowfield_state *s = model;
    snowfield_ranks *k = s->ranks;
    snowfield_slab *slab = &k->slab;
    const void *of_tile[] = {s->tiles.density, s->tiles.mass, s->tiles.crust, s->tiles.ground,
                             s->tiles.depth},
               *of_cover[] = {s->covers.top_density, s->covers.top_mass, s->covers.top_depth,
                              s->covers.top_height};
    free_slab(s);
    slab->tile = slab_first(s->tiles.count, net_rank(), whole);
    slab->tiles = slab_first(s->tiles.count, net_rank() + 1, whole) - slab->tile;
    slab->cover = slab_first(s->covers.count, net_rank(), whole);
    slab->covers = slab_first(s->covers.count, net_rank() + 1, whole) - slab->cover;
    for (size_t i = 0; i < SLAB_TILE_ARRAYS; i++)
        if (i != 2 || s->def.crust.thickness > 0)
            slab->of_tile[i] = build_slab(s, of_tile[i], false, slab->tile, slab->tiles, whole);
    for (size_t i = 0; i < SLAB_COVER_ARRAYS; i++)
        slab->of_cover[i] = build_slab(s, of_cover[i], true, slab->cover, slab->covers, whole);
    k->sums = (snowfield_sums){0};
    net_in_order(&k->sums, sizeof k->sums, sum_slab, s);
    uint64_t counters[3] = {0};
    net_in_order(counters, sizeof counters, sum_counters, s);
    if (net_rank() > 0) return FIRN_OK;
    s->counters[COUNTER_PRISTINE] = counters[0];
    s->counters[COUNTER_IN] = counters[1];
    s->counters[COUNTER_OUT] = counters[2];
    return FIRN_OK;
}

void snowfield_ranks_begin(snowfield_state *s) {
    if (!s->ranks) return;
    free_slab(s);
    s->ranks->laid = false;
}

// Whether snow may melt; thaws() of src/world.
static bool may_thaw(const firn_world_def *def) {
    bool any = def->air.temperature > 0 || def->air.radiation > 0 || def->rain.rate > 0;
    for (size_t b = 0; b < def->bodies.count && !any; b++) any = def->bodies.items[b].temperature > 0;
    for (size_t t = 0; t < def->tracks.count && !any; t++)
        any = strstr(def->tracks.items[t].parameter, "temperature") ||
              strstr(def->tracks.items[t].parameter, "radiation") ||
              strstr(def->tracks.items[t].parameter, "rain.rate") ||
              strstr(def->tracks.items[t].parameter, "heat.ground");
    return any;
}

static const char *keeps(const firn_world_def *def) {
    const firn_snowfield_def *f = def->field;
    if (def->mpm || def->grains || def->wind || def->flakes || def->cover || def->pbd || def->phase)
        return "field beside other snow or wind";
    if (f->follow > 0) return "field.follow";
    if (f->heat.on == FIRN_SNOWFIELD_HEAT_YES || f->heat.ground > 0 || !firn_is_auto(f->heat.temperature) ||
        (f->heat.on == FIRN_SNOWFIELD_HEAT_AUTO && may_thaw(def)))
        return "field.heat";
    return NULL;
}

const struct firn_model_ranks snowfield_model_ranks = {
    .keeps = keeps, .share = share, .gather = gather, .total_of = total, .is_divided = is_divided};
