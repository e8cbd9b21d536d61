// The residual that conjugate gradients leave is rough and local: at the edges of obstacles and in their
// wake. Sweeps over the rows concerned remove it cheaply.
#include "par/par.h"
#include "solve/poisson_state.h"

enum { MOST_ROUNDS = 12 };

// Two Jacobi sweeps with Chebyshev roots on [1/3, 2], the eigenvalues of D^-1 A that a coarser level cannot
// represent: they shrink to a third.
const float poisson_omega[2] = {0.56944f, 1.7323f};

static size_t rows_of(poisson_box box) { return (size_t)box.n[1] * (size_t)box.n[2]; }

size_t poisson_rows_bytes(poisson_box box) {
    return rows_of(box) * (sizeof(float) + 2 * sizeof(uint32_t) + 1);
}

bool poisson_make_rows(poisson *p) {
    poisson_rows *r = &p->rows;
    const poisson_level *l = &p->level[0];
    r->count = rows_of(l->box);
    r->first = (size_t)(l->k0 - 1) * (size_t)l->box.n[1], r->end = (size_t)(l->k1 - 1) * (size_t)l->box.n[1];
    r->largest = mem_zero(r->count, sizeof *r->largest);
    r->all = mem_zero(r->count, sizeof *r->all);
    r->some = mem_zero(r->count, sizeof *r->some);
    r->mark = mem_zero(r->count + 2 * (size_t)l->box.n[1], 1);
    if (!r->largest || !r->all || !r->some || !r->mark) return false;
    for (size_t i = 0; i < r->count; i++) r->all[i] = (uint32_t)i;
    return true;
}

void poisson_free_rows(poisson *p) {
    mem_free(p->rows.largest);
    mem_free(p->rows.all);
    mem_free(p->rows.some);
    mem_free(p->rows.mark);
}

typedef struct smooth_work {
    poisson *p;
    const uint32_t *rows;
    const float *b;
    float *q;
} smooth_work;

// Marks of the rows of the box.
static uint8_t *marks(const poisson *p) { return p->rows.mark + p->level[0].box.n[1]; }

static void do_row_residual(void *context, size_t begin, size_t end) {
    const smooth_work *w = context;
    ISA_PICK(poisson_row_residual)
    (&w->p->level[0], w->rows + begin, end - begin, w->b, w->q, w->p->residual, w->p->rows.largest);
}

static void do_sweeps(void *context, size_t begin, size_t end) {
    const smooth_work *w = context;
    ISA_PICK(poisson_add_two_sweeps)
    (&w->p->level[0], w->rows + begin, end - begin, poisson_omega, w->p->residual, w->q);
}

float poisson_largest(const poisson *p) {
    float largest = 0;
    for (size_t i = p->rows.first; i < p->rows.end; i++)
        largest = p->rows.largest[i] > largest ? p->rows.largest[i] : largest;
    return poisson_largest_of_all(p, largest);
}

float poisson_residual(poisson *p, const float *q, const float *b) {
    poisson_halo(&p->level[0], q);
    par_for_part(p->rows.first, p->rows.end, POISSON_ROWS, do_row_residual,
                 &(smooth_work){p, p->rows.all, b, (float *)q});
    return poisson_largest(p);
}

// Lists and marks the marked rows and their neighbours.
static size_t list_around(poisson *p) {
    poisson_rows *rows = &p->rows;
    const size_t n = (size_t)p->level[0].box.n[1], all = rows->count;
    uint8_t *mark = marks(p);
    size_t count = 0;
    net_slabs_fill(&p->level[0].slabs, 1, 1, &(net_planes){rows->mark, n}, 1);
    for (size_t i = rows->first, j = 0; i < rows->end; i++, j = j + 1 == n ? 0 : j + 1)
        if (mark[i] || (j > 0 && mark[i - 1]) || (j + 1 < n && mark[i + 1]) || (i >= n && mark[i - n]) ||
            (i + n < all && mark[i + n]))
            rows->some[count++] = (uint32_t)i;
    for (size_t i = 0; i < count; i++) mark[rows->some[i]] = 1;
    return count;
}

bool poisson_is_local(const poisson *p, float limit) {
    size_t above = 0;
    for (size_t i = p->rows.first; i < p->rows.end; i++) above += p->rows.largest[i] > limit;
    return poisson_count_all(p, (double)above) <= (double)(p->rows.count / 8);
}

float poisson_smooth_locally(poisson *p, float *q, const float *b, float limit) {
    poisson_rows *rows = &p->rows;
    smooth_work w = {p, rows->some, b, q};
    uint8_t *mark = marks(p);
    float largest = poisson_largest(p);
    for (int round = 0; round < MOST_ROUNDS && largest > limit; round++) {
        for (size_t i = rows->first; i < rows->end; i++) mark[i] = rows->largest[i] > 0.3f * limit;
        poisson_halo(&p->level[0], p->residual);
        par_for(list_around(p), POISSON_ROWS, do_sweeps, &w);
        poisson_halo(&p->level[0], q);
        par_for(list_around(p), POISSON_ROWS, do_row_residual, &w);
        float before = largest;
        largest = poisson_largest(p);
        if (!(largest < 0.95f * before)) break;
    }
    return largest;
}
