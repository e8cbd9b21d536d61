// Conduction between nodes by implicit Euler steps. Temperature depends on heat by pieces (it stands still
// while snow melts), so each node solves its own balance exactly with its neighbours held, red and black
// nodes in turn. All terms are monotone, so that this converges for any step and makes no new extremes; the
// fluxes of the temperatures found are what is exchanged, so heat is conserved however well it converged.
#include <math.h>

#include "mpm/mpm_heat.h"
#include "par/par.h"

enum { BLOCKS_PER_TASK = 4, MOST_SWEEPS = 2000, MOST_STEPS = 8, BREAKS = 2 * HEAT_PARTS };
#define CLOSE 1e-9       // K; change of a sweep at which it ends,
#define CLOSE_SHARE 1e-6 // or over that of the first
#define STEP_NUMBER 0.25 // dt k / (rho c cell^2) of a sub-step

typedef struct sweep_pass {
    heat_work *w;
    int colour;
    double dt; // s, of a sub-step
} sweep_pass;

// Sum of conductances to all around, and of their temperatures times them.
typedef struct node_balance {
    double flow, drive; // W/K, W
} node_balance;

static node_balance balance_of(const heat_work *w, size_t b, int i) {
    const mpm_heat *h = w->h;
    const heat_node *n = &h->node[b * BLOCK_NODES + (size_t)i];
    node_balance out = {n->air + n->bodies, n->air * w->air + n->gain + n->drive};
    for (int a = 0; a < 3; a++) {
        const heat_node *low = heat_beside(h, b, i, a, false), *high = heat_beside(h, b, i, a, true);
        if (low) {
            out.flow += low->flow[a];
            out.drive += low->flow[a] * low->temperature;
        }
        if (high) {
            out.flow += n->flow[a];
            out.drive += n->flow[a] * high->temperature;
        }
    }
    return out;
}

// Gain over what the balance allows, J; grows with delta, by pieces.
static double excess(const heat_law *law, const heat_node *n, node_balance o, double dt, double delta) {
    return n->mass * (delta - n->before) + dt * (o.flow * heat_node_temperature(law, n, delta) - o.drive);
}

static double between(double x0, double f0, double x1, double f1) { return x0 - f0 * (x1 - x0) / (f1 - f0); }

// The zero of `excess`: the pieces end where a part of the snow begins to melt or has melted.
static double solve_pieces(const heat_law *law, const heat_node *n, node_balance o, double dt) {
    double at[BREAKS] = {0}, value[BREAKS] = {0};
    int count = 0;
    for (int k = 0; k < HEAT_PARTS; k++)
        for (int end = 0; end < 2 && n->part[k] > 0; end++) {
            double x = (end ? law->latent : 0) - n->at[k];
            int to = count++;
            for (; to > 0 && at[to - 1] > x; to--) at[to] = at[to - 1];
            at[to] = x;
        }
    for (int k = 0; k < count; k++) value[k] = excess(law, n, o, dt, at[k]);
    if (value[0] >= 0) return between(at[0], value[0], at[0] - 1, excess(law, n, o, dt, at[0] - 1));
    for (int k = 1; k < count; k++)
        if (value[k] >= 0) return between(at[k - 1], value[k - 1], at[k], value[k]);
    double last = at[count - 1];
    return between(last, value[count - 1], last + 1, excess(law, n, o, dt, last + 1));
}

static double solve_node(const heat_law *law, const heat_node *n, node_balance o, double dt) {
    if (n->part[HEAT_FROZEN] == n->mass) { // the usual case: it stays frozen
        double per = 1 / law->snow_capacity, cold = n->at[HEAT_FROZEN] * per + law->freeze;
        double delta = (n->mass * n->before + dt * (o.drive - o.flow * cold)) / (n->mass + dt * o.flow * per);
        if (n->at[HEAT_FROZEN] + delta <= 0) return delta;
    }
    return solve_pieces(law, n, o, dt);
}

static double sweep(void *context, size_t begin, size_t end) {
    const sweep_pass *f = context;
    const heat_law *law = &f->w->h->law;
    double most = 0;
    for (size_t b = begin; b < end; b++)
        for (int i = 0; i < BLOCK_NODES; i++) {
            heat_node *n = &f->w->h->node[b * BLOCK_NODES + (size_t)i];
            if (((i >> 4) + (i >> 2) + i) % 2 != f->colour || !(n->mass > 0)) continue;
            n->delta = solve_node(law, n, balance_of(f->w, b, i), f->dt);
            double now = heat_node_temperature(law, n, n->delta);
            most = fmax(most, fabs(now - n->temperature));
            n->temperature = now;
        }
    return most;
}

static void exchange(void *context, size_t begin, size_t end, void *partial) {
    const sweep_pass *f = context;
    mpm_heat_totals *t = partial;
    for (size_t b = begin; b < end; b++)
        for (int i = 0; i < BLOCK_NODES; i++) {
            heat_node *n = &f->w->h->node[b * BLOCK_NODES + (size_t)i];
            if (!(n->mass > 0)) continue;
            node_balance o = balance_of(f->w, b, i);
            n->delta = n->before + f->dt * (o.drive - o.flow * n->temperature) / n->mass;
            t->air += f->dt * (n->air * (f->w->air - n->temperature) + n->gain);
            t->bodies += f->dt * (n->drive - n->bodies * n->temperature);
        }
}

static void join_totals(void *into, const void *from) {
    mpm_heat_totals *a = into;
    const mpm_heat_totals *b = from;
    a->air += b->air;
    a->bodies += b->bodies;
}

static void end_step(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    for (size_t k = begin * BLOCK_NODES; k < end * BLOCK_NODES; k++)
        w->h->node[k].before = w->h->node[k].delta;
}

// Largest rate at which a full node follows its neighbours, 1/s.
static double fastest(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    double most = 0, capacity = fmin(w->h->law.snow_capacity, w->h->law.water_capacity);
    for (size_t k = begin * BLOCK_NODES; k < end * BLOCK_NODES; k++) {
        const heat_node *n = &w->h->node[k];
        if (n->fill > 0.5)
            most = fmax(most, n->conductivity * n->fill * w->s->def.cell / (n->mass * capacity));
    }
    return most;
}

firn_status heat_conduct_nodes(heat_work *w) {
    size_t blocks = w->s->grid.active_count;
    double number = w->dt * par_max(blocks, BLOCKS_PER_TASK, fastest, w) / STEP_NUMBER;
    int steps = (int)fmin(fmax(ceil(number), 1), MOST_STEPS);
    sweep_pass f = {w, 0, w->dt / steps};
    for (int k = 0; k < steps; k++) {
        double change = INFINITY, first = 0;
        for (int n = 0; n < MOST_SWEEPS && change > CLOSE + CLOSE_SHARE * first; n++) {
            change = 0;
            for (f.colour = 0; f.colour < 2; f.colour++)
                change = fmax(change, par_max(blocks, BLOCKS_PER_TASK, sweep, &f));
            if (n == 0) first = change;
        }
        mpm_heat_totals more = {0};
        TRY(par_reduce(blocks, BLOCKS_PER_TASK, sizeof more, exchange, join_totals, &f, &more));
        join_totals(&w->h->totals, &more);
        par_for(blocks, BLOCKS_PER_TASK, end_step, w);
    }
    return FIRN_OK;
}
