// Particles of liquids in the order of cells, and their neighbour lists. Lists are built at the start of each
// step, and within it when a particle has left the skin: so they follow from the state, also after a restart.
#include "pbd/pbd_fluid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "par/par.h"

static const float FAR = 1e15f; // m: position of the particle that pads lists

bool fluid_reserve_zero(void *items, size_t *capacity, size_t count, size_t item) {
    size_t before = *capacity;
    if (!array_reserve(items, capacity, count, item)) return false;
    char *list;
    memcpy(&list, items, sizeof list);
    if (*capacity > before) memset(list + before * item, 0, (*capacity - before) * item);
    return true;
}

firn_status fluid_reserve(pbd *s, pbd_fluid *f) {
    size_t n = s->p.count + 1;
    TRY(pbd_reserve(s, n));
    if (!fluid_reserve_zero(&f->pressure, &f->capacity[0], n, sizeof *f->pressure) ||
        !array_reserve(&f->pressure_volume, &f->capacity[1], n, sizeof *f->pressure_volume) ||
        !array_reserve(&f->volumes, &f->capacity[2], n, sizeof *f->volumes) ||
        !array_reserve(&f->scratch, &f->capacity[3], n, sizeof *f->scratch) ||
        !array_reserve(&f->v, &f->capacity[4], n, sizeof *f->v) ||
        !fluid_reserve_zero(&f->lambda, &f->capacity[5], n, sizeof *f->lambda) ||
        !array_reserve(&f->swap, &f->capacity[6], n + n / 2 + 1, sizeof *f->swap) || // places are the widest

        !array_reserve(&f->built, &f->capacity[7], n, sizeof *f->built) ||
        !array_reserve(&f->density, &f->capacity[8], n, sizeof *f->density) ||
        !array_reserve(&f->row, &f->capacity[9], n, sizeof *f->row) ||
        (s->hooks && !array_reserve(&f->liquid, &f->liquid_capacity, n, sizeof *f->liquid)))
        return fail_memory("allocating the neighbours of liquids", n * sizeof *f->scratch);
    size_t blocks = fluid_blocks(s->p.count);
    if (!fluid_reserve_zero(&f->block, &f->block_capacity, blocks, sizeof *f->block) ||
        !array_reserve(&f->impulse, &f->impulse_capacity, blocks * f->bodies + 1, sizeof *f->impulse))
        return fail_memory("allocating the neighbours of liquids", blocks * sizeof *f->block);
    if (fluid_by_pressure(f) &&
        (!array_reserve(&f->ahead, &f->press_capacity[0], n, sizeof *f->ahead) ||
         !array_reserve(&f->behind, &f->press_capacity[1], n, sizeof *f->behind) ||
         !array_reserve(&f->inverse_diagonal, &f->press_capacity[3], n, sizeof *f->inverse_diagonal) ||
         !array_reserve(&f->press, &f->press_capacity[2], blocks, sizeof *f->press)))
        return fail_memory("allocating the pressures of liquids", n * sizeof *f->ahead);
    f->blocks = blocks;
    return FIRN_OK;
}

// ---- order

typedef struct order_work {
    pbd *s;
    pbd_fluid *f;
    char *list, *swap;
    size_t item;
} order_work;

static void permute_block(void *context, size_t begin, size_t end) {
    const order_work *w = context;
    for (size_t k = begin; k < end; k++)
        memcpy(w->swap + k * w->item, w->list + w->f->grid.scratch_order[k] * w->item, w->item);
}

static void copy_back_block(void *context, size_t begin, size_t end) {
    const order_work *w = context;
    memcpy(w->list + begin * w->item, w->swap + begin * w->item, (end - begin) * w->item);
}

static void permute(order_work w, void *list, size_t item) {
    w.list = list;
    w.swap = (char *)w.f->swap;
    w.item = item;
    par_for(w.s->p.count, 8 * PBD_BLOCK, permute_block, &w);
    par_for(w.s->p.count, 8 * PBD_BLOCK, copy_back_block, &w);
}

// ---- grains in front of liquids: a stable partition by prefix sums

enum { PART = 4096 };

static void count_partition(void *context, size_t begin, size_t end) {
    const order_work *w = context;
    uint32_t grains = 0;
    for (size_t k = begin; k < end; k++) {
        bool grain = w->s->groups[w->s->p.group[w->f->grid.order[k]]].phase == PBD_GRAIN;
        w->f->parted_key[k] = grain;
        grains += grain;
    }
    w->f->part[begin / PART] = grains;
}

static void place_partition(void *context, size_t begin, size_t end) {
    const order_work *w = context;
    neighbour_grid *g = &w->f->grid;
    uint32_t grain = w->f->part[begin / PART];
    uint32_t liquid = (uint32_t)(w->s->grains + begin) - grain;
    for (size_t k = begin; k < end; k++) {
        uint32_t to = w->f->parted_key[k] ? grain++ : liquid++;
        g->scratch_order[to] = g->order[k];
        g->order[k] = to;
    }
}

static void key_partition(void *context, size_t begin, size_t end) {
    const order_work *w = context;
    for (size_t k = begin; k < end; k++) {
        uint32_t to = w->f->grid.order[k];
        w->f->parted[to] = to, w->f->parted_key[to] = w->f->grid.key[k];
    }
}

static firn_status partition_grains(pbd *s, pbd_fluid *f) {
    size_t n = s->p.count, parts = (n + PART - 1) / PART;
    order_work work = {.s = s, .f = f};
    assert(s->p.solids == 0); // rows of solids are not parted
    if (!array_reserve(&f->parted, &f->parted_capacity[0], n, sizeof *f->parted) ||
        !array_reserve(&f->parted_key, &f->parted_capacity[1], n, sizeof *f->parted_key) ||
        !array_reserve(&f->part, &f->part_capacity, parts, sizeof *f->part))
        return fail_memory("sorting particles", n * sizeof *f->parted);
    par_for(n, PART, count_partition, &work);
    uint32_t grains;
    TRY(par_scan(f->part, f->part, parts, &grains));
    s->grains = grains;
    par_for(n, PART, place_partition, &work);
    par_for(n, PART, key_partition, &work);
    f->own = f->parted, f->own_key = f->parted_key;
    return FIRN_OK;
}

// Particles of liquids take the order of their cells; those of solids stay. scratch_order: the old place
// of each particle.
static bool find_order(pbd *s, pbd_fluid *f) {
    neighbour_grid *g = &f->grid;
    pbd_particles *p = &s->p;
    uint32_t next = (uint32_t)p->solids;
    bool moved = false;
    for (uint32_t i = 0; i < next; i++) g->scratch_order[i] = i;
    for (size_t k = 0; k < g->count; k++) {
        uint32_t from = g->order[k];
        if (from < p->solids) continue;
        moved |= from != next;
        g->scratch_order[next] = from;
        g->order[k] = next++;
    }
    return moved;
}

static firn_status sort_particles(pbd *s, pbd_fluid *f) {
    pbd_particles *p = &s->p;
    if (s->hooks)
        TRY(partition_grains(s, f));
    else if (!find_order(s, f))
        return FIRN_OK;
    order_work work = {.s = s, .f = f};
    permute(work, p->q, sizeof *p->q);
    permute(work, p->x, sizeof *p->x);
    permute(work, p->at, sizeof *p->at);
    permute(work, p->frame, sizeof *p->frame);
    permute(work, p->v, sizeof *p->v);
    permute(work, p->id, sizeof *p->id);
    permute(work, p->group, sizeof *p->group);
    for (size_t k = 0; k < s->columns; k++) permute(work, s->column[k].at, s->column[k].item);
    return FIRN_OK;
}

// ---- lists

typedef struct list_work {
    pbd *s;
    pbd_fluid *f;
} list_work;

enum { SPARE = 16 }; // behind lists, so that whole vectors can be read and written

static bool reserve_positions(pbd_fluid *f, size_t n) {
    for (int a = 0; a < 3; a++)
        if (!array_reserve(&f->sorted[a], &f->sorted_capacity[a], n + SPARE, sizeof *f->sorted[a]))
            return false;
    return array_reserve(&f->number, &f->sorted_capacity[3], n + SPARE, sizeof *f->number);
}

static void copy_position_block(void *context, size_t begin, size_t end) {
    const list_work *w = context;
    for (size_t k = begin; k < end; k++) {
        uint32_t i = w->f->grid.order[k];
        for (int a = 0; a < 3; a++) w->f->sorted[a][k] = w->s->p.q[i][a];
        w->f->number[k] = (int)i;
    }
}

static firn_status copy_positions(list_work *w) {
    size_t n = w->s->p.count;
    if (!reserve_positions(w->f, n)) return fail_memory("listing neighbours of liquids", n * sizeof(float));
    for (int a = 0; a < 3; a++) memset(w->f->sorted[a] + n, 0, SPARE * sizeof *w->f->sorted[a]);
    memset(w->f->number + n, 0, SPARE * sizeof *w->f->number);
    par_for(n, 8 * PBD_BLOCK, copy_position_block, w);
    return FIRN_OK;
}

// Particles of the cells (x - 1 .. x + 1, y, z): those of cells beside each other lie beside each other,
// unless the grid's edge is between them.
static size_t find_runs(const neighbour_grid *g, int32_t x, int32_t y, int32_t z, fluid_run *out) {
    bool whole = x > 0 && x + 1 < (int32_t)g->size[0];
    size_t runs = 0;
    for (int32_t d = -1; d <= 1; d++) {
        uint32_t cell = neighbour_key(g, x + d, y, z);
        if (g->begin[cell] == g->end[cell]) continue;
        if (whole && runs > 0)
            out[0].end = g->end[cell];
        else
            out[runs++] = (fluid_run){g->begin[cell], g->end[cell]};
    }
    return runs;
}

// Runs of all particles of the 27 cells around one; how many particles they are.
static size_t runs_around(const neighbour_grid *g, uint32_t key, fluid_run run[27], size_t *runs) {
    int32_t x = (int32_t)(key & (g->size[0] - 1)), y = (int32_t)(key >> g->shift[0] & (g->size[1] - 1)),
            z = (int32_t)(key >> g->shift[1]);
    size_t total = 0;
    *runs = 0;
    for (int k = 0; k < 9; k++) *runs += find_runs(g, x, y + k % 3 - 1, z + k / 3 - 1, run + *runs);
    for (size_t k = 0; k < *runs; k++) total += run[k].end - run[k].begin;
    return total;
}

static void list_block(void *context, size_t i) {
    const list_work *w = context;
    fluid_block *b = &w->f->block[i];
    const neighbour_grid *g = &w->f->grid;
    size_t begin = i * FLUID_BLOCK, rows = fluid_block_rows(g->count, i), near = 0, n = 0;
    float radius2 = w->f->search_radius * w->f->search_radius;
    int solids = (int)w->s->p.solids;
    fluid_run run[27];
    fluid_candidates c = {w->f->sorted[0], w->f->sorted[1], w->f->sorted[2], w->f->number, run, 0};
    for (size_t k = 0; k < rows; k++) {
        uint32_t own = w->f->own[begin + k], key = w->f->own_key[begin + k];
        b->first[k] = (uint32_t)n;
        if (k == 0 || key != w->f->own_key[begin + k - 1]) near = runs_around(g, key, run, &c.runs);
        if (!array_reserve(&b->index, &b->index_capacity, n + near + 32, sizeof *b->index)) {
            b->no_memory = true;
            return;
        }
        // Solids list liquids only.
        n += ISA_PICK(fluid_list_neighbours)(&c, w->s->p.q[own], radius2, (int)own,
                                             (int)own < solids ? solids : 0, (int)w->s->p.count,
                                             (int *)b->index + n);
    }
    b->first[rows] = (uint32_t)n;
}

static void store_built_block(void *context, size_t begin, size_t end) {
    list_work *w = context;
    for (size_t i = begin; i < end; i++) {
        memcpy(w->f->built[i], w->s->p.q[i], sizeof w->f->built[i]);
        w->f->row[w->f->own[i]] = (uint32_t)i;
        const pbd_group *g = &w->s->groups[w->s->p.group[i]];
        w->f->volumes[i] = (float)g->volume;
        w->f->pressure_volume[i] = (float)(i < w->s->p.solids ? 2 * g->volume : g->volume);
    }
    if (w->s->hooks)
        w->s->hooks->volumes(w->s, begin, end, w->f->volumes, w->f->pressure_volume, w->f->liquid);
}

static double moved_block(void *context, size_t begin, size_t end) {
    const list_work *w = context;
    float most = 0;
    for (size_t i = begin; i < end; i++) {
        const float *a = w->s->p.q[i], *b = w->f->built[i];
        float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], d2 = x * x + y * y + z * z;
        most = most > d2 ? most : d2;
    }
    return (double)most;
}

static void set_padding(pbd *s, pbd_fluid *f) {
    size_t n = s->p.count;
    for (int a = 0; a < 3; a++) s->p.q[n][a] = f->scratch[n][a] = FAR, f->v[n][a] = 0;
    s->p.q[n][3] = f->scratch[n][3] = f->v[n][3] = 0;
    f->volumes[n] = f->pressure_volume[n] = 0;
}

firn_status fluid_find_neighbours(pbd *s, pbd_fluid *f, bool rebuild, bool sort) {
    list_work work = {s, f};
    double slack2 = (double)(f->skin * f->skin);
    set_padding(s, f);
    if (!rebuild && par_max(s->p.count, 8 * PBD_BLOCK, moved_block, &work) < slack2) return FIRN_OK;
    TRY(neighbour_grid_build(&f->grid, &s->p.q[0][0], 4, s->p.count, (double)f->search_radius));
    f->own = f->grid.order, f->own_key = f->grid.key;
    if (sort) TRY(sort_particles(s, f));
    if (s->def.solver == FIRN_PBD_GAUSS_SEIDEL) TRY(neighbour_colours_build(&f->colours, &f->grid));
    par_for(s->p.count, 8 * PBD_BLOCK, store_built_block, &work);
    TRY(copy_positions(&work));
    par_tasks(f->blocks, list_block, &work);
    for (size_t k = 0; k < f->blocks; k++)
        if (f->block[k].no_memory) {
            f->block[k].no_memory = false;
            return fail_memory("listing neighbours of liquids", f->block[k].index_capacity * 4);
        }
    return FIRN_OK;
}
