// Contact between particles (Macklin et al. 2014): |q_i - q_j| >= r_i + r_j, with static and
// kinetic friction. Between different solids, between solids and fluids, and in a solid with self_contact;
// there no nearer than in the undeformed solid. Gauss-Seidel works through blocks of cells in 8 colours.
#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_kinds.h"
#include "pbd/pbd_stack.h"

enum { TASK = 256 };
static const double MARGIN =
    1.25; // of the contact distance: pairs within it may collide during the iterations
static const float NEIGHBOURS = 1.2f; // of the contact distance, in the undeformed solid
static const double SKIN = 0.25; // of the largest contact distance: lists hold while pairs approach by less

// A pair; its multipliers are those of this sub-step.
typedef struct pair_state {
    float least;                 // m, its contact distance
    float lambda_n, lambda_t[3]; // kg m
} pair_state;

typedef struct contact_set {
    double search_radius, skin; // m, of the search; of which as much is for lists that hold
    float (*listed)[3];         // m, where the solids' particles were when listed
    size_t listed_capacity;
    neighbour_grid grid;
    neighbour_lists pairs; // of i those with a higher number
    neighbour_colours colours;
    pair_state *state; // by pair
    size_t state_capacity;
    uint32_t *back_first, *back; // pairs in which a particle is the second; for Jacobi
    uint32_t *owner;             // first particle of a pair; for Jacobi
    size_t capacity[3];
    pbd_stack stack;
} contact_set;

static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    (void)bodies;
    // Pools may come later; what a solid leaves stays counted.
    double largest = def->fluid ? (double)(float)(def->fluid->spacing / 2) : 0;
    size_t solids = 0;
    bool self = false;
    for (size_t k = 0; k < s->group_count; k++) {
        largest = fmax(largest, (double)s->groups[k].radius);
        solids += s->groups[k].phase == PBD_SOLID;
        self |= s->groups[k].self_contact;
    }
    if (solids == 0 || (s->group_count < 2 && !self && !def->fluid)) return FIRN_OK;
    contact_set *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory("creating contacts", sizeof *c);
    c->skin = 2 * largest * SKIN;
    c->search_radius = 2 * largest * MARGIN + c->skin;
    *data = c;
    return FIRN_OK;
}

static void destroy(void *data) {
    contact_set *c = data;
    neighbour_grid_free(&c->grid);
    neighbour_lists_free(&c->pairs);
    neighbour_colours_free(&c->colours);
    mem_free(c->state);
    mem_free(c->back_first);
    mem_free(c->back);
    mem_free(c->owner);
    mem_free(c->listed);
    pbd_stack_free(&c->stack);
    mem_free(c);
}

// Contact distance of two particles; 0: they do not collide. Neighbours in a solid are held apart by its
// links, unless these may break.
static float min_distance(const pbd *s, uint32_t i, uint32_t j) {
    const pbd_group *a = &s->groups[s->p.group[i]], *b = &s->groups[s->p.group[j]];
    float sum = a->radius + b->radius;
    if (a != b) return a->phase == PBD_FLUID && b->phase == PBD_FLUID ? 0 : sum;
    if (!a->self_contact || a->phase == PBD_FLUID) return 0;
    float rest = (float)dvec_distance(pbd_at(s->p.rest[i]), pbd_at(s->p.rest[j]));
    if (rest < NEIGHBOURS * sum && a->linked && !(a->break_strain > 0)) return 0;
    return rest < sum ? rest : sum;
}

typedef struct contact_work {
    pbd *s;
    contact_set *c;
    const pbd_pass *pass;
} contact_work;

static bool may_collide(void *context, uint32_t i, uint32_t j, float distance2) {
    const contact_work *w = context;
    float least = min_distance(w->s, i, j), reach = least * (float)MARGIN + (float)w->c->skin;
    return least > 0 && distance2 < reach * reach;
}

// The pairs of each particle, for sums by particle.
static firn_status list_backwards(contact_set *c, size_t n) {
    size_t pairs = c->pairs.first[n];
    if (!array_reserve(&c->back_first, &c->capacity[0], n + 2, sizeof *c->back_first) ||
        !array_reserve(&c->back, &c->capacity[1], pairs + 1, sizeof *c->back) ||
        !array_reserve(&c->owner, &c->capacity[2], pairs + 1, sizeof *c->owner))
        return fail_memory("listing contacts", pairs * sizeof *c->back);
    memset(c->back_first, 0, (n + 2) * sizeof *c->back_first);
    for (size_t k = 0; k < pairs; k++) c->back_first[c->pairs.index[k] + 2]++;
    for (size_t i = 0; i < n; i++) c->back_first[i + 2] += c->back_first[i + 1];
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = c->pairs.first[i]; k < c->pairs.first[i + 1]; k++) {
            c->back[c->back_first[c->pairs.index[k] + 1]++] = k;
            c->owner[k] = (uint32_t)i;
        }
    return FIRN_OK;
}

// Unit vector from j to i, and their distance.
static float distance_of(const pbd_particles *p, uint32_t i, uint32_t j, float n[3]) {
    float length2 = 0;
    for (int a = 0; a < 3; a++) {
        n[a] = p->q[i][a] - p->q[j][a];
        length2 += n[a] * n[a];
    }
    float length = sqrtf(length2);
    for (int a = 0; a < 3; a++) n[a] = length > 0 ? n[a] / length : a == 1;
    return length;
}

static float distance2_of(const pbd_particles *p, uint32_t i, uint32_t j) {
    float x = p->q[i][0] - p->q[j][0], y = p->q[i][1] - p->q[j][1], z = p->q[i][2] - p->q[j][2];
    return x * x + y * y + z * z;
}

// Solids that are about to meet each other, a liquid or themselves; neighbours in one do not count.
static void mark_touching(pbd *s, const contact_set *c, double dt) {
    const pbd_particles *p = &s->p;
    for (uint32_t i = 0; i < s->p.solids; i++)
        for (uint32_t k = c->pairs.first[i]; k < c->pairs.first[i + 1]; k++) {
            uint32_t j = c->pairs.index[k];
            pbd_group *a = &s->groups[s->p.group[i]], *b = &s->groups[s->p.group[j]];
            float n[3], least = c->state[k].least, sum = a->radius + b->radius;
            if ((a->touches && b->touches) || least < sum) continue;
            float gap = distance_of(p, i, j, n) - least, moved = 0;
            for (int d = 0; d < 3; d++) moved += n[d] * (p->q[i][d] - p->x[i][d] - (p->q[j][d] - p->x[j][d]));
            bool meet = pbd_meets(s, a, dt, gap, moved / (float)dt, 0.1f * least) ||
                        pbd_meets(s, b, dt, gap, moved / (float)dt, 0.1f * least);
            if (meet) a->touches = b->touches = true;
        }
}

// Whether the lists still hold all pairs that may meet: made in this step, of solids only (liquids change
// their order), which have moved by less than half the skin since.
static bool lists_hold(const pbd *s, const contact_set *c, const pbd_pass *pass) {
    const pbd_particles *p = &s->p;
    float far2 = (float)(c->skin * c->skin / 4);
    if (pass->first || p->count > p->solids) return false;
    for (size_t i = 0; i < p->solids; i++) {
        float moved2 = 0;
        for (int a = 0; a < 3; a++) moved2 += (p->q[i][a] - c->listed[i][a]) * (p->q[i][a] - c->listed[i][a]);
        if (!(moved2 < far2)) return false;
    }
    return true;
}

static firn_status list_pairs(pbd *s, contact_set *c) {
    const float *q = &s->p.q[0][0];
    contact_work work = {s, c, NULL};
    TRY(neighbour_grid_build(&c->grid, q, 4, s->p.count, c->search_radius));
    // Liquids come last and do not collide with each other here.
    TRY(neighbour_lists_build_first(&c->pairs, &c->grid, q, 4, c->search_radius, true, may_collide, &work,
                                    s->p.solids));
    size_t pairs = c->pairs.first[s->p.count];
    if (!array_reserve(&c->state, &c->state_capacity, pairs + 1, sizeof *c->state) ||
        !array_reserve(&c->listed, &c->listed_capacity, s->p.solids + 1, sizeof *c->listed))
        return fail_memory("listing contacts", pairs * sizeof *c->state);
    for (uint32_t i = 0; i < s->p.solids; i++) {
        memcpy(c->listed[i], s->p.q[i], sizeof c->listed[i]);
        for (uint32_t k = c->pairs.first[i]; k < c->pairs.first[i + 1]; k++)
            c->state[k].least = min_distance(s, i, c->pairs.index[k]);
    }
    if (s->def.solver != FIRN_PBD_GAUSS_SEIDEL) return list_backwards(c, s->p.count);
    return neighbour_colours_build(&c->colours, &c->grid);
}

static firn_status find(pbd *s, void *data, const pbd_pass *pass) {
    contact_set *c = data;
    if (!lists_hold(s, c, pass)) TRY(list_pairs(s, c));
    for (size_t k = 0; k < c->pairs.first[s->p.count]; k++)
        c->state[k] = (pair_state){.least = c->state[k].least};
    mark_touching(s, c, pass->dt);
    return FIRN_OK;
}

static void count_constraints(pbd *s, void *data) {
    const contact_set *c = data;
    for (size_t i = 0; i < s->p.count; i++)
        s->p.constraints[i] +=
            (float)(c->pairs.first[i + 1] - c->pairs.first[i] + c->back_first[i + 1] - c->back_first[i]);
}

// Coulomb's cone: what would end the sliding, cut to what the normal push allows.
static void lambda_t(const pbd *s, uint32_t i, uint32_t j, const float slide[3], float step,
                     pair_state *fresh) {
    const pbd_group *a = &s->groups[s->p.group[i]], *b = &s->groups[s->p.group[j]];
    float weight = s->p.q[i][3] + s->p.q[j][3], size2 = 0;
    for (int k = 0; k < 3; k++) {
        fresh->lambda_t[k] -= step * slide[k] / weight;
        size2 += fresh->lambda_t[k] * fresh->lambda_t[k];
    }
    float size = sqrtf(size2), hold = sqrtf(a->static_friction * b->static_friction) * fresh->lambda_n;
    float keep = size <= hold ? 1 : sqrtf(a->friction * b->friction) * fresh->lambda_n / size;
    for (int k = 0; k < 3; k++) fresh->lambda_t[k] *= keep;
}

// The multipliers of pair k after one step, and by how much they changed (kg m, on i; the opposite on j).
static pair_state step_pair(const contact_work *w, uint32_t k, uint32_t i, float step, float change[3]) {
    const pbd_particles *p = &w->s->p;
    uint32_t j = w->c->pairs.index[k];
    pair_state before = w->c->state[k], fresh = before;
    float n[3], slide[3], along = 0, weight = p->q[i][3] + p->q[j][3];
    change[0] = change[1] = change[2] = 0;
    if (!(weight > 0)) return before;
    if (before.lambda_n <= 0 && !(distance2_of(p, i, j) < before.least * before.least)) return before;
    float gap = distance_of(p, i, j, n) - before.least;
    fresh.lambda_n -= step * gap / weight;
    if (fresh.lambda_n <= 0 && before.lambda_n <= 0) return before;
    fresh.lambda_n = fresh.lambda_n > 0 ? fresh.lambda_n : 0;
    for (int a = 0; a < 3; a++) {
        change[a] = (fresh.lambda_n - before.lambda_n) * n[a];
        slide[a] = p->q[i][a] - p->x[i][a] - (p->q[j][a] - p->x[j][a]) + weight * change[a];
        along += slide[a] * n[a];
    }
    for (int a = 0; a < 3; a++) slide[a] -= along * n[a];
    lambda_t(w->s, i, j, slide, step, &fresh);
    for (int a = 0; a < 3; a++) change[a] += fresh.lambda_t[a] - before.lambda_t[a];
    return fresh;
}

static void project_points(void *context, const uint32_t *points, size_t n) {
    const contact_work *w = context;
    pbd_particles *p = &w->s->p;
    for (size_t at = 0; at < n; at++) {
        uint32_t i = points[at];
        for (uint32_t k = w->c->pairs.first[i]; k < w->c->pairs.first[i + 1]; k++) {
            float change[3];
            uint32_t j = w->c->pairs.index[k];
            w->c->state[k] = step_pair(w, k, i, 1, change);
            for (int a = 0; a < 3; a++) {
                p->q[i][a] += pbd_snapped(w->s, p->q[i][3] * change[a]);
                p->q[j][a] -= pbd_snapped(w->s, p->q[j][3] * change[a]);
            }
        }
    }
}

static void project(pbd *s, void *data, const pbd_pass *pass) {
    contact_work work = {s, data, pass};
    neighbour_colours_run(&work.c->colours, project_points, &work);
}

static float step_of(const contact_work *w, uint32_t i, uint32_t j) {
    const pbd_particles *p = &w->s->p;
    float a = p->q[i][3] > 0 ? p->constraints[i] : 1, b = p->q[j][3] > 0 ? p->constraints[j] : 1;
    return w->pass->relax / fmaxf(fmaxf(a, b), 1);
}

// Corrections of a particle by all its pairs, from either side.
static void gather_block(void *context, size_t begin, size_t end) {
    const contact_work *w = context;
    const contact_set *c = w->c;
    pbd_particles *p = &w->s->p;
    for (size_t i = begin; i < end; i++) {
        float change[3];
        for (uint32_t k = c->pairs.first[i]; k < c->pairs.first[i + 1]; k++) {
            step_pair(w, k, (uint32_t)i, step_of(w, (uint32_t)i, c->pairs.index[k]), change);
            for (int a = 0; a < 3; a++) p->delta[i][a] += p->q[i][3] * change[a];
        }
        for (uint32_t at = c->back_first[i]; at < c->back_first[i + 1]; at++) {
            uint32_t k = c->back[at];
            step_pair(w, k, c->owner[k], step_of(w, c->owner[k], (uint32_t)i), change);
            for (int a = 0; a < 3; a++) p->delta[i][a] -= p->q[i][3] * change[a];
        }
    }
}

static void store_block(void *context, size_t begin, size_t end) {
    const contact_work *w = context;
    for (size_t i = begin; i < end; i++)
        for (uint32_t k = w->c->pairs.first[i]; k < w->c->pairs.first[i + 1]; k++) {
            float change[3];
            w->c->state[k] =
                step_pair(w, k, (uint32_t)i, step_of(w, (uint32_t)i, w->c->pairs.index[k]), change);
        }
}

static void jacobi(pbd *s, void *data, const pbd_pass *pass) {
    contact_work work = {s, data, pass};
    par_for(s->p.count, TASK, gather_block, &work);
    par_for(s->p.count, TASK, store_block, &work);
}

static void residual(pbd *s, void *data, const pbd_pass *pass, pbd_residual *out) {
    (void)pass;
    const contact_set *c = data;
    for (size_t i = 0; i < s->p.count; i++)
        for (uint32_t k = c->pairs.first[i]; k < c->pairs.first[i + 1]; k++) {
            float n[3];
            uint32_t j = c->pairs.index[k];
            double depth = (double)(c->state[k].least - distance_of(&s->p, (uint32_t)i, j, n));
            out->largest = fmax(out->largest, depth);
            out->sum2 += depth > 0 ? depth * depth : 0;
            out->count++;
        }
}

// Stacks of solids, by the pairs that carry: that press (pressed), or touch.
static firn_status count_stacks(pbd *s, contact_set *c, bool pressed) {
    static const float TOUCH = 0.05f; // of the contact distance
    TRY(pbd_stack_clear(s, &c->stack));
    for (uint32_t i = 0; i < s->p.solids; i++)
        for (uint32_t k = c->pairs.first[i]; k < c->pairs.first[i + 1]; k++) {
            uint32_t j = c->pairs.index[k];
            float n[3], least = c->state[k].least, gap = distance_of(&s->p, i, j, n) - least;
            if (pressed ? c->state[k].lambda_n > 0 : gap < TOUCH * least)
                pbd_stack_join(s, &c->stack, i, j, n);
        }
    pbd_stack_count(s, &c->stack);
    return FIRN_OK;
}

firn_status pbd_contact_begin(pbd *s, const pbd_pass *pass) {
    contact_set *c = pbd_data(s, &pbd_contact);
    if (!c || s->counters.steps > 0) return FIRN_OK;
    for (size_t i = 0; i < s->p.count; i++) memcpy(s->p.q[i], s->p.x[i], sizeof s->p.x[i]);
    TRY(find(s, c, pass));
    return count_stacks(s, c, false);
}

static firn_status finish(pbd *s, void *data, body_set *bodies, model_step step) {
    (void)bodies, (void)step;
    return count_stacks(s, data, true);
}

static firn_status remake(pbd *s, const firn_pbd_def *def, const pbd_solid_change *change, void **data) {
    (void)change;
    *data = NULL;
    return create(s, def, s->bodies, data);
}

const pbd_kind pbd_contact = {
    .name = "contact",
    .unit = "m",
    .create = create,
    .destroy = destroy,
    .find = find,
    .count_constraints = count_constraints,
    .project = project,
    .jacobi = jacobi,
    .residual = residual,
    .finish = finish,
    .remake = remake,
};
