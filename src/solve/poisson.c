// Conjugate gradients with a multigrid V-cycle as preconditioner (McAdams 2010), and Jacobi sweeps.
#include "solve/poisson.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "solve/krylov.h"
#include "solve/poisson_state.h"

poisson_box poisson_box_of(int32_t nx, int32_t ny, int32_t nz) {
    poisson_box box = {.n = {nx, ny, nz}, .row = (size_t)nx + 2};
    box.plane = box.row * ((size_t)ny + 2);
    box.size = box.plane * ((size_t)nz + 2);
    return box;
}

static poisson_box coarser(poisson_box b) {
    return poisson_box_of((b.n[0] + 1) / 2, (b.n[1] + 1) / 2, (b.n[2] + 1) / 2);
}

static int32_t longest(poisson_box b) {
    int32_t n = b.n[0] > b.n[1] ? b.n[0] : b.n[1];
    return n > b.n[2] ? n : b.n[2];
}

static size_t level_bytes(poisson_box b, bool finest) {
    return b.size * (finest ? 6 + 3 * sizeof(float) : 3 + 7 * sizeof(float));
}

size_t poisson_bytes(poisson_box b) {
    size_t bytes = sizeof(poisson) + 3 * b.size * sizeof(float) + poisson_rows_bytes(b);
    for (bool finest = true;; finest = false) {
        bytes += level_bytes(b, finest);
        if (longest(b) <= POISSON_COARSEST) return bytes;
        b = coarser(b);
    }
}

static bool make_level(poisson_level *l, bool finest) {
    l->scale = 1;
    l->kind = poisson_array(l, 1);
    l->share = poisson_array(l, 1);
    l->x = poisson_array(l, sizeof(float));
    l->t = poisson_array(l, sizeof(float));
    l->severed_from = mem_zero((size_t)l->box.n[2] + 2, sizeof *l->severed_from);
    l->regular = poisson_array(l, 1);
    l->diagonal = poisson_array(l, sizeof(float));
    bool good = l->kind && l->share && l->x && l->t && l->severed_from && l->regular && l->diagonal;
    for (int axis = 0; axis < 3; axis++) {
        if (finest)
            l->open[axis] = poisson_array(l, 1);
        else
            l->w[axis] = poisson_array(l, sizeof(float));
        good = good && (finest ? (void *)l->open[axis] : (void *)l->w[axis]);
    }
    if (finest) return good;
    l->b = poisson_array(l, sizeof(float));
    return good && l->b;
}

static void free_level(poisson_level *l) {
    mem_free(l->kind);
    mem_free(l->regular);
    mem_free(l->share);
    for (int axis = 0; axis < 3; axis++) {
        mem_free(l->open[axis]);
        mem_free(l->w[axis]);
    }
    mem_free(l->diagonal);
    mem_free(l->x);
    mem_free(l->t);
    mem_free(l->b);
    mem_free(l->severed);
    mem_free(l->severed_from);
    mem_free(l->saved);
}

void poisson_set_watch(poisson *p, stop_watch *watch) { p->watch = watch; }

static void make_boxes(poisson *p, poisson_box box) {
    for (;;) {
        p->level[p->levels++].box = box;
        if (longest(box) <= POISSON_COARSEST || p->levels == POISSON_LEVELS) break;
        box = coarser(box);
    }
}

static bool make_arrays(poisson *p, poisson_box box, const net_slabs *slabs) {
    const poisson_level *finest = &p->level[0];
    make_boxes(p, box);
    poisson_make_slabs(p, slabs);
    p->residual = poisson_array(finest, sizeof(float));
    p->direction = poisson_array(finest, sizeof(float));
    p->Ap = poisson_array(finest, sizeof(float));
    p->partial = mem_zero((size_t)box.n[2], sizeof *p->partial);
    bool good = p->residual && p->direction && p->Ap && p->partial;
    for (int i = 0; i < p->levels && good && !stop_asked(); i++) good = make_level(&p->level[i], i == 0);
    return good && poisson_make_rows(p);
}

firn_status poisson_create(poisson_box box, poisson **out) { return poisson_create_part(box, NULL, out); }

firn_status poisson_create_part(poisson_box box, const net_slabs *slabs, poisson **out) {
    poisson *p = mem_zero(1, sizeof *p);
    if (!p || !make_arrays(p, box, slabs)) {
        poisson_destroy(p);
        return fail_memory("creating the pressure solver", poisson_bytes(box));
    }
    if (stop_asked()) {
        poisson_destroy(p);
        return stop_failed();
    }
    *out = p;
    return FIRN_OK;
}

void poisson_destroy(poisson *p) {
    if (!p) return;
    for (int i = 0; i < p->levels; i++) free_level(&p->level[i]);
    mem_free(p->residual);
    mem_free(p->direction);
    mem_free(p->Ap);
    mem_free(p->partial);
    poisson_free_rows(p);
    mem_free(p);
}

// Small levels are not worth the cost of waking threads.
enum { PLANES = 4, ITEMS = 65536, SMALL = 20000 };

static bool is_stopped(const poisson *p) { return p->watch && stop_seen(p->watch); }

// Nobody wants the result once the watch has been answered, so that passes are then left out.
static void over(const poisson *p, const poisson_level *l, int32_t k0, int32_t k1, par_range fn,
                 void *context) {
    if (is_stopped(p)) return;
    par_for_part((size_t)k0 - 1, (size_t)k1 - 1, l->box.size < SMALL ? (size_t)l->box.n[2] : PLANES, fn,
                 context);
}

static void over_planes(const poisson *p, const poisson_level *l, par_range fn, void *context) {
    over(p, l, l->k0, l->k1, fn, context);
}

typedef struct pass {
    const poisson_level *level, *coarse;
    const float *from, *b;
    float *to;
    float omega;
} pass;

static void do_sweep(void *context, size_t begin, size_t end) {
    const pass *s = context;
    ISA_PICK(poisson_sweep)(s->level, (int)begin + 1, (int)end + 1, s->omega, s->b, s->from, s->to);
}

static void do_first_sweep(void *context, size_t begin, size_t end) {
    const pass *s = context;
    ISA_PICK(poisson_first_sweep)(s->level, (int)begin + 1, (int)end + 1, s->omega, s->b, s->to);
}

static double do_sweep_dot(void *context, size_t begin, size_t end) {
    const pass *s = context;
    return ISA_PICK(poisson_sweep_dot)(s->level, (int)begin + 1, (int)end + 1, s->omega, s->b, s->from,
                                       s->to);
}

static void do_scaled_residual(void *context, size_t begin, size_t end) {
    const pass *s = context;
    ISA_PICK(poisson_scaled_residual)(s->level, (int)begin + 1, (int)end + 1, s->b, s->from, s->to);
    if (!net_slabs_divide(&s->level->slabs)) poisson_save_severed(s->level, begin + 1, end + 1, s->to, true);
}

// Restriction needs the planes beside those of this rank.
static void share_residual(const poisson_level *l, float *t) {
    if (!net_slabs_divide(&l->slabs)) return;
    poisson_halo(l, t);
    size_t first = (size_t)l->k0 - 1, end = (size_t)l->k1 + 1, last = (size_t)l->box.n[2] + 1;
    poisson_save_severed(l, first, end < last ? end : last, t, true);
}

static void do_restrict(void *context, size_t begin, size_t end) {
    const pass *s = context;
    ISA_PICK(poisson_restrict)(s->level, s->coarse, (int)begin + 1, (int)end + 1, s->from, s->to);
    poisson_restrict_severed(s->level, s->coarse, begin + 1, end + 1, s->to);
}

static void do_prolong(void *context, size_t begin, size_t end) {
    const pass *s = context;
    poisson_save_severed(s->level, begin + 1, end + 1, s->to, false);
    ISA_PICK(poisson_prolong)(s->level, s->coarse, (int)begin + 1, (int)end + 1, s->from, s->to);
    poisson_prolong_severed(s->level, s->coarse, begin + 1, end + 1, s->from, s->to);
}

static void do_two_sweeps(void *context, size_t begin, size_t end) {
    const pass *s = context;
    ISA_PICK(poisson_two_sweeps)(s->level, (int)begin + 1, (int)end + 1, poisson_omega, s->b, s->to);
}

// The last level, a few cells: as good as solved by forward and backward sweeps of Gauss and Seidel, which
// keep the cycle symmetric.
enum { COARSEST_SWEEPS = 12 };

static void relax_cell(const poisson_level *l, const float *b, size_t a) {
    const size_t steps[3] = {1, l->box.row, l->box.plane};
    float s = 0;
    if (!(l->diagonal[a] > 0)) return;
    for (int axis = 0; axis < 3; axis++) {
        size_t step = steps[axis];
        s += poisson_weight(l, axis, a) * l->x[a - step] + poisson_weight(l, axis, a + step) * l->x[a + step];
    }
    l->x[a] = (b[a] + s) / l->diagonal[a];
}

static void solve_coarsest(const poisson_level *l, const float *b) {
    size_t begin = poisson_at(&l->box, 1, 1, 1),
           end = poisson_at(&l->box, l->box.n[0], l->box.n[1], l->box.n[2]) + 1;
    memset(l->x, 0, l->box.size * sizeof(float));
    for (int sweep = 0; sweep < COARSEST_SWEEPS; sweep++) {
        for (size_t a = begin; a < end; a++) relax_cell(l, b, a);
        for (size_t a = end; a-- > begin;) relax_cell(l, b, a);
    }
}

// One V-cycle from a zero guess, without the last sweep, whose input is left in the level's t.
static void v_cycle(poisson *p, int i, const float *b);

static void final_sweep(const poisson *p, const poisson_level *l, const float *b) {
    poisson_halo(l, l->t);
    over_planes(p, l, do_sweep, &(pass){l, .b = b, .from = l->t, .to = l->x, .omega = poisson_omega[0]});
}

static void v_cycle(poisson *p, int i, const float *b) {
    poisson_level *l = &p->level[i], *c = &p->level[i + 1];
    if (i == 0) {
        poisson_halo(l, b);
        over_planes(p, l, do_two_sweeps, &(pass){l, .b = b, .to = l->x});
    } else {
        over_planes(p, l, do_first_sweep, &(pass){l, .b = b, .to = l->t, .omega = poisson_omega[0]});
        poisson_halo(l, l->t);
        over_planes(p, l, do_sweep, &(pass){l, .b = b, .from = l->t, .to = l->x, .omega = poisson_omega[1]});
    }
    poisson_halo(l, l->x);
    over_planes(p, l, do_scaled_residual, &(pass){l, .b = b, .from = l->x, .to = l->t});
    share_residual(l, l->t);
    over(p, c, c->part0, c->part1, do_restrict, &(pass){l, c, .from = l->t, .to = c->b});
    if (poisson_is_gathered(c)) poisson_fill_built(c, c->b, sizeof(float));
    if (i + 2 == p->levels) {
        solve_coarsest(c, c->b);
    } else {
        v_cycle(p, i + 1, c->b);
        final_sweep(p, c, c->b);
    }
    poisson_halo(c, c->x);
    over_planes(p, l, do_prolong, &(pass){l, c, .from = c->x, .to = l->x});
    poisson_halo(l, l->x);
    over_planes(p, l, do_sweep, &(pass){l, .b = b, .from = l->x, .to = l->t, .omega = poisson_omega[1]});
}

typedef struct cg_work {
    poisson *p;
    const float *b;
    float *q;
    float factor; // alpha or beta
} cg_work;

static double do_apply(void *context, size_t begin, size_t end) {
    const cg_work *w = context;
    return ISA_PICK(poisson_apply)(&w->p->level[0], (int)begin + 1, (int)end + 1, w->p->direction, w->p->Ap);
}

static void do_advance(void *context, size_t begin, size_t end) {
    const cg_work *w = context;
    poisson *p = w->p;
    ISA_PICK(poisson_advance)
    (&p->level[0], p->rows.all + begin, end - begin, w->factor, p->direction, p->Ap, w->q, p->residual,
     p->rows.largest);
}

static double do_dot(void *context, size_t begin, size_t end) {
    const cg_work *w = context;
    return ISA_PICK(poisson_dot)(begin, end, w->p->residual, w->p->level[0].x);
}

static void do_update_direction(void *context, size_t begin, size_t end) {
    const cg_work *w = context;
    ISA_PICK(poisson_update_direction)(begin, end, w->factor, w->p->level[0].x, w->p->direction);
}

static double sum_cells(void *context, size_t begin, size_t end) {
    const float *b = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += (double)b[i];
    return sum;
}

// Removes the net flow into a closed box, which no pressure can balance.
static void remove_mean(const poisson *p, float *b) {
    const poisson_level *l = &p->level[0];
    if (!p->closed || p->free_cells == 0) return;
    float mean = (float)(par_sum(l->box.size, ITEMS, sum_cells, b) / p->free_cells);
    for (size_t i = 0; i < l->box.size; i++)
        if (l->diagonal[i] > 0) b[i] -= mean;
}

// z = one V-cycle on the residual r, in the finest level's x; returns r.z. Passes are left out once the watch
// has been answered, so that r.z means nothing then.
static double precondition(void *context) {
    cg_work *w = context;
    const poisson_level *l = &w->p->level[0];
    const float *r = w->p->residual;
    double rz;
    if (w->p->levels == 1) {
        solve_coarsest(l, r);
        rz = par_sum(l->box.size, ITEMS, do_dot, w);
    } else {
        v_cycle(w->p, 0, r);
        poisson_halo(l, l->t);
        rz = poisson_sum_planes(w->p, PLANES, do_sweep_dot,
                                &(pass){l, .b = r, .from = l->t, .to = l->x, .omega = poisson_omega[0]});
    }
    return is_stopped(w->p) ? (double)NAN : rz;
}

// p = z + beta p; returns p.Ap.
static double update_direction(void *context, double beta) {
    cg_work *w = context;
    poisson_level *l = &w->p->level[0];
    if (beta > 0) {
        w->factor = (float)beta;
        int32_t low, high;
        poisson_planes(l, 0, &low, &high);
        par_for_part((size_t)low * l->box.plane, (size_t)high * l->box.plane, ITEMS, do_update_direction, w);
    } else { // the first one
        float *z = l->x;
        l->x = w->p->direction;
        w->p->direction = z;
    }
    poisson_halo(l, w->p->direction);
    double pAp = poisson_sum_planes(w->p, PLANES, do_apply, w);
    return is_stopped(w->p) ? (double)NAN : pAp;
}

static double advance(void *context, double alpha) {
    cg_work *w = context;
    w->factor = (float)alpha;
    par_for_part(w->p->rows.first, w->p->rows.end, POISSON_ROWS, do_advance, w);
    return (double)poisson_largest(w->p);
}

static const krylov_method conjugate_gradients = {precondition, update_direction, advance};

// Conjugate gradients stop at this multiple of the limit if the rest is local to few rows, or in many rows;
// the local sweeps then aim at this share of the limit.
#define FEW_ROWS 12.0f
#define MANY_ROWS 2.0f
#define LOCAL_TARGET 0.6f

poisson_result poisson_solve(poisson *p, float *q, float *b, float limit, int max_iterations) {
    cg_work w = {p, b, q, 0};
    krylov state = {0};
    remove_mean(p, b);
    poisson_result result = {0};
    result.start = result.residual = poisson_residual(p, q, b);
    float target = FEW_ROWS * limit;
    while (result.residual > limit && result.iterations < max_iterations && !is_stopped(p)) {
        float before = result.residual;
        int done = result.iterations;
        state.residual = INFINITY; // at least one iteration
        result.iterations +=
            krylov_solve(&conjugate_gradients, &w, &state, (double)target, max_iterations - done);
        if (is_stopped(p)) break;
        if (result.iterations > done) result.residual = (float)state.residual;
        if (result.iterations > done + 3)
            result.residual = poisson_residual(p, q, b); // the updated residual drifts
        if (target <= MANY_ROWS * limit || poisson_is_local(p, limit)) {
            result.residual = poisson_smooth_locally(p, q, b, LOCAL_TARGET * limit);
            state.rho = 0;
        }
        // at float precision?
        if (!(result.residual < 0.5f * before)) break;
        target = target > MANY_ROWS * limit ? MANY_ROWS * limit : 0.5f * target;
    }
    return result;
}

poisson_result poisson_jacobi(poisson *p, float *q, float *b, int sweeps) {
    const poisson_level *l = &p->level[0];
    remove_mean(p, b);
    poisson_result result = {.iterations = sweeps};
    result.start = poisson_residual(p, q, b);
    for (int i = 0; i < sweeps; i++) {
        const float *from = i & 1 ? l->t : q;
        float *to = i & 1 ? q : l->t;
        poisson_halo(l, from);
        over_planes(p, l, do_sweep, &(pass){l, .b = b, .from = from, .to = to, .omega = 2.0f / 3});
    }
    int32_t low, high;
    poisson_planes(l, 0, &low, &high);
    const size_t first = (size_t)low * l->box.plane, size = (size_t)(high - low) * l->box.plane;
    if (sweeps & 1) memcpy(q + first, l->t + first, size * sizeof(float));
    result.residual = poisson_residual(p, q, b);
    return result;
}
