// Gauss-Seidel for liquids: particle after particle is projected to its density, moving itself and its
// neighbours in place. Blocks of cells in 8 colours run at once: those of a colour have no neighbour in
// common.
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

static void project_one(const fluid_work *w, uint32_t i) {
    pbd_fluid *f = w->f;
    size_t block = f->row[i] / FLUID_BLOCK, k = f->row[i] % FLUID_BLOCK;
    const fluid_rows rows = fluid_rows_of(f, block), row = row_of(&rows, k);
    float(*q)[4] = w->s->p.q;
    const density_view view = {pbd_density_in(w->s), f->uniform ? NULL : f->volumes,
                               f->uniform ? NULL : f->pressure_volume, w->inverse_h};
    fluid_sums sums;
    fluid_wall *walls;
    ISA_PICK(fluid_density)(&view, &row, &sums);
    size_t n = walls_of(&f->block[block], k, &walls);
    float dlambda = fluid_delta_lambda(w, &sums, walls, n, i);
    if (dlambda == 0 && w->s_corr == 0) return;
    const fluid_lambda_step step = {dlambda, w->s_corr / 2, w->grad_norm * (f->uniform ? f->volumes[i] : 1)};
    ISA_PICK(fluid_scatter)(&view, &row, &step, (uint32_t)w->s->p.count, q);
    float inverse_mass = q[i][3];
    for (size_t m = 0; m < n; m++) {
        float size = fluid_wall_push(&walls[m], dlambda);
        walls[m].pushed += size;
        for (int a = 0; a < 3; a++) q[i][a] += inverse_mass * size * walls[m].n[a];
    }
}

static void project_block(void *context, const uint32_t *points, size_t n) {
    const fluid_work *w = context;
    for (size_t k = 0; k < n; k++)
        if (points[k] >= w->s->p.solids) project_one(w, points[k]);
}

// Impulses on the walls of a block in this sweep.
static void impulse_block(void *context, size_t block) {
    const fluid_work *w = context;
    fluid_block *b = &w->f->block[block];
    const uint32_t *own = fluid_rows_of(w->f, block).own;
    for (size_t k = 0; k < b->walls; k++) {
        uint32_t i = own[b->wall[k].row];
        fluid_add_impulse(w, block, &b->wall[k], i, w->s->p.q[i], b->wall[k].pushed);
        b->wall[k].pushed = 0;
    }
}

void fluid_sweep(fluid_work *w) {
    neighbour_colours_run(&w->f->colours, project_block, w);
    if (w->f->bodies > 0) par_tasks(w->f->blocks, impulse_block, w);
}
