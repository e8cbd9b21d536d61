// Constraints of kinds that the program registered (firn/constraint.h): a batch for each, with loops of one
// constraint at a time. What pbd_batch_lanes.h does in lanes is written here for C and gradients that come
// from a function pointer.
#include <firn/constraint.h>

#include <string.h>

#include "pbd/pbd_batch.h"
#include "pbd/pbd_kinds.h"

static firn_constraint_class classes[FIRN_CONSTRAINTS];
static const char *names[FIRN_CONSTRAINTS + 1];
static size_t class_count;

const char *const *pbd_outside_names(void) { return names; }

static firn_status check_class(const firn_constraint_class *c) {
    if (!c->name || !param_name_allowed(c->name))
        return fail(FIRN_BAD_INPUT, "a constraint has no name, or one that cannot stand in a scene");
    for (size_t i = 0; i < class_count; i++)
        if (strcmp(names[i], c->name) == 0)
            return fail(FIRN_BAD_INPUT, "there is a constraint '%s' already", c->name);
    if (!c->unit || !c->help || !c->value)
        return fail(FIRN_BAD_INPUT, "constraint '%s' has no unit, help or value", c->name);
    if (c->particles < 1 || c->particles > FIRN_CONSTRAINT_PARTICLES || c->values > FIRN_CONSTRAINT_VALUES)
        return fail(FIRN_BAD_INPUT, "constraint '%s' must have 1 .. %d particles and at most %d values",
                    c->name, FIRN_CONSTRAINT_PARTICLES, FIRN_CONSTRAINT_VALUES);
    return FIRN_OK;
}

firn_status firn_register_constraint(const firn_constraint_class *constraint) {
    NEED(constraint);
    TRY(check_class(constraint));
    if (class_count == FIRN_CONSTRAINTS)
        return fail(FIRN_UNSUPPORTED, "too many constraints: a program can register %d kinds",
                    (int)FIRN_CONSTRAINTS);
    classes[class_count] = *constraint;
    names[class_count++] = constraint->name;
    return FIRN_OK;
}

// ---- the solvers

enum { MOST = FIRN_CONSTRAINT_PARTICLES };

typedef struct one {
    uint32_t particle[MOST];
    float gradient[MOST][3], weight[MOST];
    float value, delta_lambda;
} one;

// C, its gradients, and the change of the multiplier: XPBD eq. 18; with plain PBD the share `compliance` of
// it.
static one evaluate(const pbd_columns *c, const pbd_lane_pass *pass, size_t at, const float (*q)[4]) {
    const firn_constraint_class *kind = c->outside;
    one o = {.value = 0};
    float x[MOST][3], values[FIRN_CONSTRAINT_VALUES];
    for (uint32_t k = 0; k < kind->particles; k++) {
        o.particle[k] = c->particle[k * c->count + at];
        memcpy(x[k], q[o.particle[k]], sizeof x[k]);
        o.weight[k] = q[o.particle[k]][3];
    }
    for (uint32_t k = 0; k < kind->values; k++) values[k] = c->rest[k * c->count + at];
    o.value = kind->value((const float(*)[3])x, values, o.gradient);
    float alpha = c->compliance[at] * pass->inverse_dt2, sum = alpha;
    for (uint32_t k = 0; k < kind->particles; k++) {
        const float *g = o.gradient[k];
        sum += o.weight[k] * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    }
    float wanted = (pass->plain ? c->compliance[at] : 1) * o.value + alpha * c->lambda[at];
    o.delta_lambda = sum > 0 ? -wanted / sum : 0;
    return o;
}

static void project(const pbd_columns *c, const pbd_lane_pass *pass, size_t begin, size_t end,
                    float (*q)[4]) {
    for (size_t at = begin; at < end; at++) {
        one o = evaluate(c, pass, at, (const float(*)[4])q);
        for (uint32_t k = 0; k < c->outside->particles; k++)
            for (int a = 0; a < 3; a++)
                q[o.particle[k]][a] += o.gradient[k][a] * (o.weight[k] * o.delta_lambda);
        c->lambda[at] += o.delta_lambda;
    }
}

// Jacobi: divided by the number of constraints on the most constrained particle that can move.
static void average_step(one *o, const pbd_columns *c, const pbd_lane_pass *pass, const float *constraints) {
    float most = 1;
    for (uint32_t k = 0; k < c->outside->particles; k++)
        if (o->weight[k] > 0 && constraints[o->particle[k]] > most) most = constraints[o->particle[k]];
    o->delta_lambda *= pass->relax / most;
}

static void measure(const pbd_columns *c, const pbd_lane_pass *pass, size_t begin, size_t end,
                    const float (*q)[4], const float *constraints, float (*slot)[4]) {
    uint32_t arity = c->outside->particles;
    for (size_t at = begin; at < end; at++) {
        one o = evaluate(c, pass, at, q);
        average_step(&o, c, pass, constraints);
        for (uint32_t k = 0; k < arity; k++)
            for (int a = 0; a < 3; a++)
                slot[at * arity + k][a] = o.gradient[k][a] * (o.weight[k] * o.delta_lambda);
        c->lambda[at] += o.delta_lambda;
    }
}

static void gather(const pbd_columns *c, const pbd_lane_pass *pass, const uint32_t *incident, size_t n,
                   const float (*q)[4], const float *constraints, float *next_lambda, float move[4]) {
    uint32_t arity = c->outside->particles;
    move[0] = move[1] = move[2] = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t at = incident[i] / arity, own = incident[i] % arity;
        one o = evaluate(c, pass, at, q);
        average_step(&o, c, pass, constraints);
        for (int a = 0; a < 3; a++) move[a] += o.gradient[own][a] * (o.weight[own] * o.delta_lambda);
        if (own == 0) next_lambda[at] = c->lambda[at] + o.delta_lambda;
    }
}

static void errors(const pbd_columns *c, const pbd_lane_pass *pass, size_t begin, size_t end,
                   const float (*q)[4], float *error) {
    for (size_t at = begin; at < end; at++)
        error[at] = evaluate(c, pass, at, q).value + c->compliance[at] * pass->inverse_dt2 * c->lambda[at];
}

static const pbd_batch_lanes outside_lanes = {project, measure, gather, errors};

// ---- from a scene

typedef struct outside_set {
    pbd_batch *batch[FIRN_CONSTRAINTS]; // by class; NULL: none of it
} outside_set;

static void destroy(void *data) {
    outside_set *set = data;
    for (size_t k = 0; k < FIRN_CONSTRAINTS; k++) pbd_batch_destroy(set->batch[k]);
    mem_free(set);
}

static firn_status find_solid(const firn_pbd_def *def, const firn_pbd_constraint_def *c, const char *name,
                              size_t *solid) {
    for (*solid = 0; *solid < def->solids.count; ++*solid)
        if (name && def->solids.items[*solid].name && strcmp(def->solids.items[*solid].name, name) == 0)
            return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "pbd.constraints.%s: there is no solid '%s'", c->name, name ? name : "");
}

// The particles of the repetition `again`.
static firn_status take_particles(const pbd *s, const firn_pbd_def *def, const firn_pbd_constraint_def *c,
                                  int32_t again, uint32_t *particle) {
    for (size_t k = 0; k < c->particles.count; k++) {
        const firn_pbd_particle_def *p = &c->particles.items[k];
        size_t solid, number = (size_t)p->number + (size_t)again;
        TRY(find_solid(def, c, p->solid, &solid));
        const pbd_group *group = &s->groups[solid];
        if (number >= group->count)
            return fail(FIRN_BAD_INPUT, "pbd.constraints.%s: solid '%s' has no particle %zu, only %zu",
                        c->name, p->solid, number, group->count);
        particle[k] = (uint32_t)(group->first + number);
        for (size_t j = 0; j < k; j++)
            if (particle[j] == particle[k])
                return fail(FIRN_BAD_INPUT, "pbd.constraints.%s: particle %zu of '%s' is named twice",
                            c->name, number, p->solid);
    }
    return FIRN_OK;
}

static firn_status check_counts(const firn_constraint_class *kind, const firn_pbd_constraint_def *c) {
    if (c->particles.count != kind->particles)
        return fail(FIRN_BAD_INPUT, "pbd.constraints.%s: '%s' is between %u particles, not %zu", c->name,
                    kind->name, kind->particles, c->particles.count);
    if (c->values.count == kind->values || (c->values.count == 0 && kind->rest)) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "pbd.constraints.%s: '%s' has %u values, not %zu", c->name, kind->name,
                kind->values, c->values.count);
}

static firn_status add(const pbd *s, const firn_pbd_def *def, const firn_constraint_class *kind,
                       const firn_pbd_constraint_def *c, pbd_draft *draft) {
    float compliance = (float)(def->elasticity == FIRN_PBD_PLAIN ? c->plain_stiffness : c->compliance);
    TRY(check_counts(kind, c));
    for (int32_t again = 0; again < c->repeat; again++) {
        uint32_t particle[MOST];
        float x[MOST][3], values[FIRN_CONSTRAINT_VALUES] = {0};
        TRY(take_particles(s, def, c, again, particle));
        for (size_t k = 0; k < c->particles.count; k++) memcpy(x[k], s->p.x[particle[k]], sizeof x[k]);
        for (size_t k = 0; k < c->values.count; k++) values[k] = (float)c->values.items[k].value;
        if (c->values.count == 0 && kind->values > 0) kind->rest((const float(*)[3])x, values);
        TRY(pbd_draft_add(draft, particle, values, compliance));
    }
    return FIRN_OK;
}

static firn_status make_batch(const pbd *s, const firn_pbd_def *def, const firn_constraint_class *kind,
                              pbd_batch **out) {
    // A batch has at least one number for each constraint.
    pbd_draft draft = {.arity = (int)kind->particles, .params = kind->values ? (int)kind->values : 1};
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < def->constraints.count && status == FIRN_OK; i++) {
        const firn_pbd_constraint_def *c = &def->constraints.items[i];
        if (strcmp(c->kind, kind->name) == 0) status = add(s, def, kind, c, &draft);
    }
    if (status == FIRN_OK) status = pbd_batch_create(&outside_lanes, &draft, kind->name, s->p.solids, out);
    if (status == FIRN_OK && *out) (*out)->outside = kind;
    pbd_draft_free(&draft);
    return status;
}

// They never change: what a checkpoint needs is the scene. Frames do not hold them.
static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    (void)bodies;
    if (def->constraints.count == 0 || s->setting.for_frames) return FIRN_OK;
    outside_set *set = mem_zero(1, sizeof *set);
    if (!set) return fail_memory("creating constraints", sizeof *set);
    for (size_t k = 0; k < class_count; k++) {
        firn_status status = make_batch(s, def, &classes[k], &set->batch[k]);
        if (status == FIRN_OK) continue;
        destroy(set);
        return status;
    }
    *data = set;
    return FIRN_OK;
}

#define EACH_BATCH(set, b)                                                                                   \
    for (size_t k_ = 0; k_ < FIRN_CONSTRAINTS; k_++)                                                         \
        for (pbd_batch *b = ((outside_set *)(set))->batch[k_]; b; b = NULL)

static firn_status find(pbd *s, void *data, const pbd_pass *pass) {
    EACH_BATCH(data, b) TRY(pbd_batch_find(s, b, pass));
    return FIRN_OK;
}

static void count_constraints(pbd *s, void *data) { EACH_BATCH(data, b) pbd_batch_count_constraints(s, b); }
static void project_all(pbd *s, void *data, const pbd_pass *pass) {
    EACH_BATCH(data, b) pbd_batch_project(s, b, pass);
}
static void jacobi(pbd *s, void *data, const pbd_pass *pass) {
    EACH_BATCH(data, b) pbd_batch_jacobi(s, b, pass);
}
static void residual(pbd *s, void *data, const pbd_pass *pass, pbd_residual *out) {
    EACH_BATCH(data, b) pbd_batch_residual(s, b, pass, out);
}

const pbd_kind pbd_outside = {
    .name = "outside",
    .unit = "",
    .create = create,
    .destroy = destroy,
    .find = find,
    .count_constraints = count_constraints,
    .project = project_all,
    .jacobi = jacobi,
    .residual = residual,
};
