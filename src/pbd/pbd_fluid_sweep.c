// Gauss-Seidel for liquids: particle after particle holds its density, moving itself and its neighbours in
// place. Blocks of cells in 8 colours go at once: those of a colour have no neighbour in common.
#include "pbd/pbd_fluid_work.h"

#include "par/par.h"

// Row k of a block, as rows of its own.
static fluid_rows row_of(const fluid_rows *rows, size_t k) {
    return (fluid_rows){rows->own + k, rows->first + k, rows->index, 1};
}

static size_t walls_of(const fluid_block *b, size_t row, fluid_wall **walls) {
    size_t low = 0, high = b->walls;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (b->wall[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    *walls = b->wall + low;
    return fluid_walls_of(b, row, &low);
}

static void hold_one(const fluid_work *w, uint32_t i) {
    pbd_fluid *f = w->f;
    size_t block = f->row[i] / FLUID_BLOCK, k = f->row[i] % FLUID_BLOCK;
    const fluid_rows rows = fluid_rows_of(f, block), row = row_of(&rows, k);
    float(*q)[4] = w->s->p.q;
    const fluid_field field = {(const float(*)[4])q, f->even ? NULL : f->sizes, f->even ? NULL : f->space,
                               w->inverse_h};
    fluid_sums sums;
    fluid_wall *walls;
    ISA_PICK(fluid_measure)(&field, &row, &sums);
    size_t n = walls_of(&f->block[block], k, &walls);
    float change = fluid_change(w, &sums, walls, n, i);
    if (change == 0 && w->unclump == 0) return;
    const fluid_spread spread = {change, w->unclump / 2, w->slope * (f->even ? f->sizes[i] : 1)};
    ISA_PICK(fluid_scatter)(&field, &row, &spread, (uint32_t)w->s->p.count, q);
    float own = q[i][3];
    for (size_t m = 0; m < n; m++) {
        float size = fluid_wall_push(&walls[m], change);
        walls[m].pushed += size;
        for (int a = 0; a < 3; a++) q[i][a] += own * size * walls[m].n[a];
    }
}

static void hold_block(void *context, const uint32_t *points, size_t n) {
    const fluid_work *w = context;
    for (size_t k = 0; k < n; k++)
        if (points[k] >= w->s->p.solids) hold_one(w, points[k]);
}

// What the walls of a block were pushed with in this sweep.
static void book_block(void *context, size_t block) {
    const fluid_work *w = context;
    fluid_block *b = &w->f->block[block];
    const uint32_t *own = fluid_rows_of(w->f, block).own;
    for (size_t k = 0; k < b->walls; k++) {
        fluid_book_thrust(w, block, &b->wall[k], w->s->p.q[own[b->wall[k].row]], b->wall[k].pushed);
        b->wall[k].pushed = 0;
    }
}

void fluid_sweep(fluid_work *w) {
    neighbour_colours_run(&w->f->colours, hold_block, w);
    if (w->f->bodies > 0) par_tasks(w->f->blocks, book_block, w);
}
