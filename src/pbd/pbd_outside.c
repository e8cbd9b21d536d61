// Constraints of kinds that the program registered (firn/constraint.h): a batch for each, with loops of one
// constraint at a time. What pbd_batch_lanes.h does in lanes is written here for C and gradients that come
// from a function pointer. State is the list of all of them, in the order in which they came; batches are
// made from it.
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
        return fail(FIRN_BAD_INPUT, "a constraint needs a name: letters, digits, '_' and '-'");
    for (size_t i = 0; i < class_count; i++)
        if (strcmp(names[i], c->name) == 0)
            return fail(FIRN_BAD_INPUT, "a constraint '%s' is registered already", c->name);
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

// Constraints of a program are given world coordinates.
static void take_place(const pbd *s, uint32_t i, const float *q, float x[3]) {
    firn_vec3 at = pbd_world(s, i, q);
    x[0] = (float)at.x, x[1] = (float)at.y, x[2] = (float)at.z;
}

// C, its gradients, and the change of the multiplier: XPBD eq. 18; with plain PBD the share `compliance` of
// it.
static one evaluate(const pbd_columns *c, const pbd_lane_pass *pass, size_t at, const float (*q)[4]) {
    const firn_constraint_class *kind = c->outside;
    one o = {.value = 0};
    float x[MOST][3], values[FIRN_CONSTRAINT_VALUES];
    for (uint32_t k = 0; k < kind->particles; k++) {
        o.particle[k] = c->particle[k * c->count + at];
        take_place(pass->owner, o.particle[k], q[o.particle[k]], x[k]);
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

typedef struct outside_item {
    uint32_t kind; // of classes
    float compliance;
} outside_item;

typedef struct outside_set {
    outside_item *item; // by number in the scene's list
    size_t items, item_room;
    uint32_t *number; // by constraint: the item that it belongs to; state, like the next two
    uint32_t (*particle)[MOST];
    float (*value)[FIRN_CONSTRAINT_VALUES];
    size_t count, capacity[3];
    pbd_batch *batch[FIRN_CONSTRAINTS]; // by class; NULL: none of it
} outside_set;

static void destroy(void *data) {
    outside_set *set = data;
    for (size_t k = 0; k < FIRN_CONSTRAINTS; k++) pbd_batch_destroy(set->batch[k]);
    mem_free(set->item);
    mem_free(set->number);
    mem_free(set->particle);
    mem_free(set->value);
    mem_free(set);
}

static bool make_room(outside_set *set, size_t count) {
    return array_reserve(&set->number, &set->capacity[0], count + 1, sizeof *set->number) &&
           array_reserve(&set->particle, &set->capacity[1], count + 1, sizeof *set->particle) &&
           array_reserve(&set->value, &set->capacity[2], count + 1, sizeof *set->value);
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
        return fail(FIRN_BAD_INPUT, "pbd.constraints.%s: '%s' needs %u particles, not %zu", c->name,
                    kind->name, kind->particles, c->particles.count);
    if (c->values.count == kind->values || (c->values.count == 0 && kind->rest)) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "pbd.constraints.%s: '%s' needs %u values, not %zu", c->name, kind->name,
                kind->values, c->values.count);
}

static float compliance_of(const firn_pbd_def *def, const firn_pbd_constraint_def *c) {
    return (float)(def->elasticity == FIRN_PBD_PLAIN ? c->plain_stiffness : c->compliance);
}

// The next item of the scene's list.
static firn_status add_item(outside_set *set, const firn_pbd_def *def) {
    const firn_pbd_constraint_def *c = &def->constraints.items[set->items];
    uint32_t kind = 0;
    while (kind < class_count && strcmp(names[kind], c->kind) != 0) kind++;
    if (kind == class_count)
        return fail(FIRN_BAD_INPUT, "pbd.constraints.%s: there is no constraint '%s'", c->name, c->kind);
    TRY(check_counts(&classes[kind], c));
    if (!array_reserve(&set->item, &set->item_room, set->items + 1, sizeof *set->item))
        return fail_memory("creating constraints", set->items * sizeof *set->item);
    set->item[set->items++] = (outside_item){kind, compliance_of(def, c)};
    return FIRN_OK;
}

// All constraints of the last item, where its particles are now.
static firn_status add_rows(const pbd *s, const firn_pbd_def *def, outside_set *set) {
    size_t number = set->items - 1;
    const firn_pbd_constraint_def *c = &def->constraints.items[number];
    const firn_constraint_class *kind = &classes[set->item[number].kind];
    for (int32_t again = 0; again < c->repeat; again++) {
        float x[MOST][3];
        if (!make_room(set, set->count))
            return fail_memory("creating constraints", set->count * sizeof *set->particle);
        uint32_t *particle = set->particle[set->count];
        float *value = set->value[set->count];
        memset(particle, 0, sizeof set->particle[0]);
        memset(value, 0, sizeof set->value[0]);
        TRY(take_particles(s, def, c, again, particle));
        for (size_t k = 0; k < c->particles.count; k++)
            for (int a = 0; a < 3; a++) x[k][a] = (float)s->p.at[particle[k]][a];
        for (size_t k = 0; k < c->values.count; k++) value[k] = (float)c->values.items[k].value;
        if (c->values.count == 0 && kind->values > 0) kind->rest((const float(*)[3])x, value);
        set->number[set->count++] = (uint32_t)number;
    }
    return FIRN_OK;
}

// Behind its values each constraint of a batch has the number of its item.
static firn_status draft_row(const outside_set *set, size_t row, pbd_draft *draft) {
    const outside_item *item = &set->item[set->number[row]];
    float rest[FIRN_CONSTRAINT_VALUES + 1];
    uint32_t values = classes[item->kind].values;
    memcpy(rest, set->value[row], values * sizeof *rest);
    rest[values] = (float)set->number[row];
    return pbd_draft_add(draft, set->particle[row], rest, item->compliance);
}

// Of the constraints of a class but for those of an item.
static firn_status make_batch(const pbd *s, const outside_set *set, uint32_t class, size_t without,
                              pbd_batch **out) {
    const firn_constraint_class *kind = &classes[class];
    pbd_draft draft = {.arity = (int)kind->particles, .params = (int)kind->values + 1};
    firn_status status = FIRN_OK;
    for (size_t row = 0; row < set->count && status == FIRN_OK; row++)
        if (set->item[set->number[row]].kind == class && set->number[row] != without)
            status = draft_row(set, row, &draft);
    if (status == FIRN_OK) status = pbd_batch_create(&outside_lanes, &draft, kind->name, s->p.solids, out);
    if (status == FIRN_OK && *out) (*out)->outside = kind;
    pbd_draft_free(&draft);
    return status;
}

static firn_status replace_batch(const pbd *s, outside_set *set, uint32_t class, size_t without) {
    pbd_batch *fresh = NULL;
    TRY(make_batch(s, set, class, without, &fresh));
    pbd_batch_destroy(set->batch[class]);
    set->batch[class] = fresh;
    return FIRN_OK;
}

static firn_status make_all(const pbd *s, const firn_pbd_def *def, outside_set *set) {
    if (!make_room(set, 0)) return fail_memory("creating constraints", sizeof *set);
    while (set->items < def->constraints.count) {
        TRY(add_item(set, def));
        TRY(add_rows(s, def, set));
    }
    for (uint32_t k = 0; k < class_count; k++) TRY(replace_batch(s, set, k, SIZE_MAX));
    return FIRN_OK;
}

// Frames do not hold them.
static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    (void)bodies;
    if (def->constraints.count == 0 || s->setting.for_frames) return FIRN_OK;
    outside_set *set = mem_zero(1, sizeof *set);
    if (!set) return fail_memory("creating constraints", sizeof *set);
    *data = set;
    return make_all(s, def, set);
}

#define EACH_BATCH(set, b)                                                                                   \
    for (size_t k_ = 0; k_ < FIRN_CONSTRAINTS; k_++)                                                         \
        for (pbd_batch *b = ((outside_set *)(set))->batch[k_]; b; b = NULL)

static void changed(pbd *s, void *data, const firn_pbd_def *def, const model_setting *setting) {
    (void)s;
    (void)setting;
    outside_set *set = data;
    for (size_t k = 0; k < set->items; k++)
        set->item[k].compliance = compliance_of(def, &def->constraints.items[k]);
    EACH_BATCH(set, b)
    for (size_t c = 0; c < b->count; c++)
        b->compliance[c] = set->item[(size_t)b->rest[b->outside->values * b->count + c]].compliance;
}

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

// ---- in files

static const outside_set *set_of(const pbd *s) { return pbd_data(s, &pbd_outside); }
FIELD_GET_IF(get_number, pbd, set_of(s), set_of(s)->count, set_of(s)->number)
FIELD_GET_IF(get_particles, pbd, set_of(s), set_of(s)->count, set_of(s)->particle)
FIELD_GET_IF(get_values, pbd, set_of(s), set_of(s)->count, set_of(s)->value)

static const field_row rows[] = {
    {"pbd.constraint_number", "", "which of pbd.constraints each constraint belongs to", FIRN_U32, 1,
     FIRN_FIELD_STATE, get_number},
    {"pbd.constraint_particles", "", "particles of the constraints of registered kinds; then zeros", FIRN_U32,
     MOST, FIRN_FIELD_STATE, get_particles},
    {"pbd.constraint_values", "", "values of the constraints of registered kinds; then zeros", FIRN_F32,
     FIRN_CONSTRAINT_VALUES, FIRN_FIELD_STATE, get_values},
};
const field_table pbd_outside_fields = FIELD_TABLE(rows);

static firn_status resize(pbd *s, void *data, const char *name, size_t count) {
    (void)s;
    (void)name;
    outside_set *set = data;
    if (!make_room(set, count)) return fail_memory("loading constraints", count * sizeof *set->particle);
    set->count = count;
    return FIRN_OK;
}

static firn_status loaded(pbd *s, void *data) {
    outside_set *set = data;
    for (size_t row = 0; row < set->count; row++)
        if (set->number[row] >= set->items)
            return fail(FIRN_BAD_INPUT, "field 'pbd.constraint_number' names item %u, but there are only %zu",
                        set->number[row], set->items);
    for (uint32_t k = 0; k < class_count; k++) TRY(replace_batch(s, set, k, SIZE_MAX));
    return FIRN_OK;
}

// ---- while the world runs

static firn_status extend(pbd *s, const firn_pbd_def *def, outside_set *set) {
    size_t items = set->items, count = set->count;
    TRY(add_item(set, def));
    firn_status status = FIRN_OK;
    if (!s->setting.loading) {
        status = add_rows(s, def, set);
        if (status == FIRN_OK) status = replace_batch(s, set, set->item[items].kind, SIZE_MAX);
    }
    if (status != FIRN_OK) set->items = items, set->count = count;
    return status;
}

static firn_status add(pbd *s, void **data, const firn_pbd_def *def, const model_item *item) {
    (void)item;
    if (*data) return extend(s, def, *data);
    outside_set *set = mem_zero(1, sizeof *set);
    firn_status status =
        set && make_room(set, 0) ? extend(s, def, set) : fail_memory("adding constraints", sizeof *set);
    if (status == FIRN_OK)
        *data = set;
    else if (set)
        destroy(set);
    return status;
}

static firn_status take_out(pbd *s, void *data, size_t number) {
    outside_set *set = data;
    TRY(replace_batch(s, set, set->item[number].kind, number));
    size_t kept = 0;
    for (size_t row = 0; row < set->count; row++) {
        if (set->number[row] == number) continue;
        set->number[kept] = set->number[row];
        memmove(set->particle[kept], set->particle[row], sizeof set->particle[0]);
        memmove(set->value[kept++], set->value[row], sizeof set->value[0]);
    }
    set->count = kept;
    return FIRN_OK;
}

static firn_status take_over(const outside_set *old, const pbd_solid_change *change, outside_set *set) {
    if (!array_reserve(&set->item, &set->item_room, old->items + 1, sizeof *set->item) ||
        !make_room(set, old->count))
        return fail_memory("changing constraints", old->count * sizeof *set->particle);
    memcpy(set->item, old->item, old->items * sizeof *set->item);
    set->items = old->items;
    for (size_t row = 0; row < old->count; row++) {
        uint32_t *particle = set->particle[set->count];
        bool gone = false;
        memset(particle, 0, sizeof set->particle[0]);
        for (uint32_t k = 0; k < classes[set->item[old->number[row]].kind].particles; k++) {
            particle[k] = pbd_new_number(change, old->particle[row][k]);
            gone |= particle[k] == UINT32_MAX;
        }
        if (gone) continue;
        memcpy(set->value[set->count], old->value[row], sizeof set->value[0]);
        set->number[set->count++] = old->number[row];
    }
    return FIRN_OK;
}

static firn_status remake(pbd *s, const firn_pbd_def *def, const pbd_solid_change *change, void **data) {
    (void)def;
    const outside_set *old = *data;
    if (!old || !change->gone) return FIRN_OK;
    outside_set *set = mem_zero(1, sizeof *set);
    *data = set;
    if (!set) return fail_memory("changing constraints", sizeof *set);
    TRY(take_over(old, change, set));
    return loaded(s, set);
}

const pbd_kind pbd_outside = {
    .name = "outside",
    .unit = "",
    .create = create,
    .destroy = destroy,
    .changed = changed,
    .find = find,
    .count_constraints = count_constraints,
    .project = project_all,
    .jacobi = jacobi,
    .residual = residual,
    .fields = &pbd_outside_fields,
    .resize = resize,
    .loaded = loaded,
    .list = "pbd.constraints",
    .add = add,
    .take_out = take_out,
    .remake = remake,
};
