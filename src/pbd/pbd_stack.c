// Stacks of solids. The error that the iterations leave lets a stack sink, and a tower that sinks by more
// than width^2 / (6 height) leans and falls. A stack of n layers of particles sinks by about g dt^2 (n /
// iterations)^2, so a step gets as many sub-steps as keep that small. Nothing else changes, so that momentum
// is kept; masses that fall with height would not (docs/decisions/0048-stacks-by-sub-steps.md).
#include "pbd/pbd_stack.h"

#include <math.h>

#include "pbd/pbd_material.h"

static const double SINKS = 5e-4;   // of its height
static const double FORGETS = 0.05; // of what was counted, in a step
static const double STEEP = 0.5;    // cosine between gravity and the normal of a contact that carries

// A solid, and if it is the first of a stack, that stack.
struct pbd_stacked {
    uint32_t under;            // towards the first of the stack; itself: it is the first
    bool joined, rigid;        // to another; any has other links than elastic
    double low, high, spacing; // m, along gravity; the smallest
};

void pbd_stack_free(pbd_stack *stack) { mem_free(stack->solid); }

firn_status pbd_stack_clear(const pbd *s, pbd_stack *stack) {
    if (!array_reserve(&stack->solid, &stack->capacity, s->group_count, sizeof *stack->solid))
        return fail_memory("looking for stacks", s->group_count * sizeof *stack->solid);
    for (size_t k = 0; k < s->group_count; k++)
        stack->solid[k] = (pbd_stacked){(uint32_t)k, false, false, INFINITY, -INFINITY, INFINITY};
    return FIRN_OK;
}

static uint32_t first_of(const pbd_stack *stack, uint32_t k) {
    while (stack->solid[k].under != k) k = stack->solid[k].under;
    return k;
}

void pbd_stack_join(const pbd *s, pbd_stack *stack, uint32_t i, uint32_t j, const float n[3]) {
    uint32_t a = s->p.group[i], b = s->p.group[j];
    const firn_vec3 g = s->setting.gravity;
    if (a == b || !s->groups[a].linked || !s->groups[b].linked) return;
    if (!(fabs(dvec_dot(g, pbd_at(n))) > STEEP * dvec_length(g))) return;
    stack->solid[a].joined = stack->solid[b].joined = true;
    a = first_of(stack, a), b = first_of(stack, b);
    stack->solid[a > b ? a : b].under = a > b ? b : a;
}

static void add_solid(const pbd *s, const pbd_group *g, firn_vec3 down, pbd_stacked *to) {
    for (size_t i = g->first; i < g->first + g->count; i++) {
        double depth = dvec_dot(down, pbd_place(s, i));
        to->low = fmin(to->low, depth), to->high = fmax(to->high, depth);
    }
    to->spacing = fmin(to->spacing, 2 * (double)g->radius);
    to->rigid |= !g->elastic;
}

void pbd_stack_count(pbd *s, pbd_stack *stack) {
    double gravity = dvec_length(s->setting.gravity), most = 0;
    if (!(gravity > 0)) return;
    firn_vec3 down = dvec_scale(s->setting.gravity, 1 / gravity);
    for (uint32_t k = 0; k < s->group_count; k++)
        if (stack->solid[k].joined) add_solid(s, &s->groups[k], down, &stack->solid[first_of(stack, k)]);
    for (size_t k = 0; k < s->group_count; k++) {
        const pbd_stacked *first = &stack->solid[k];
        if (!first->joined || !first->rigid || first->under != k) continue;
        most = fmax(most, (first->high - first->low + first->spacing) / (first->spacing * first->spacing));
    }
    s->counters.stack = fmax(most, (1 - FORGETS) * s->counters.stack);
}

int pbd_stack_parts(const pbd *s, double dt) {
    double gravity = dvec_length(s->setting.gravity), work = fmax(s->def.iterations, 1);
    if (s->def.solver != FIRN_PBD_GAUSS_SEIDEL) return 1; // towers of Jacobi fall all the same
    double parts = ceil(dt / work * sqrt(gravity * s->counters.stack / SINKS));
    return parts < PBD_MOST_AUTO_SUBSTEPS ? (int)parts : PBD_MOST_AUTO_SUBSTEPS;
}
