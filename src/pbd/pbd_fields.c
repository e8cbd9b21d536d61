// Fields that are written, drawn and hashed; the ledger; the watchdog.
#include "pbd/pbd_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_kinds.h"

enum { LEDGER_BLOCK = 16384 };
static const double POSITION_LIMIT = 1e8; // m: what is farther out has left the world

enum { STATE = FIRN_FIELD_STATE, SHOWN = FIRN_FIELD_SHOWN, BOTH = STATE | SHOWN };

FIELD_GET(get_position, pbd, s->p.count, s->p.at)
FIELD_GET(get_velocity, pbd, s->p.count, s->p.v)
FIELD_GET(get_id, pbd, s->p.count, s->p.id)
FIELD_GET(get_group, pbd, s->p.count, s->p.group)
FIELD_GET(get_rest, pbd, s->p.solids, s->p.rest)
FIELD_GET(get_moved, pbd, s->p.solids, s->p.moved)
FIELD_GET(get_v_before, pbd, s->p.solids, s->p.v_before)
FIELD_GET(get_counters, pbd, PBD_COUNTERS, &s->counters)

static const field_row rows[] = {
    {"pbd.position", "m", "position of the particles", FIRN_F64, 3, BOTH, get_position},
    {"pbd.velocity", "m/s", "velocity of the particles", FIRN_F32, 3, BOTH, get_velocity},
    {"pbd.id", "", "persistent number of a particle", FIRN_U32, 1, BOTH, get_id},
    {"pbd.group", "", "solid or fluid that a particle belongs to, in the order of the scene", FIRN_U32, 1,
     BOTH, get_group},
    {"pbd.rest", "m", "particles of solids: position in the undeformed solid", FIRN_F32, 3, STATE, get_rest},
    {"pbd.moved", "m", "particles of solids: way in the last sub-step", FIRN_F32, 3, STATE, get_moved},
    {"pbd.velocity_before", "m/s", "particles of solids: velocity before the last sub-step", FIRN_F32, 3,
     STATE, get_v_before},
    {"pbd.counters", "",
     "mass in and out (kg), last sub-step and longest recent one (s), next id, sub-steps, iterations, "
     "residual before and after the last solve, largest, layers of the highest stack over their spacing "
     "(1/m)",
     FIRN_F64, 1, STATE, get_counters},
};
static const field_table own_fields = FIELD_TABLE(rows);
const field_table *const pbd_field_tables[] = {
    &own_fields,      &pbd_pin_fields,    &pbd_density_fields, &pbd_distance_fields, &pbd_cell_fields,
    &pbd_bend_fields, &pbd_square_fields, &pbd_outside_fields, &pbd_foam_fields,     NULL};

// The kind that has a field of that name.
static const pbd_kind *owner_of(const pbd *s, const char *name, void **data) {
    for (size_t k = 0; k < s->kind_count; k++) {
        const field_table *fields = s->kinds[k]->fields;
        for (size_t i = 0; fields && s->data[k] && i < fields->count; i++)
            if (strcmp(fields->rows[i].name, name) == 0) {
                *data = s->data[k];
                return s->kinds[k];
            }
    }
    return NULL;
}

firn_status pbd_resize(void *model, const char *name, size_t count) {
    pbd *s = model;
    void *data;
    const pbd_kind *kind = owner_of(s, name, &data);
    if (kind) return kind->resize ? kind->resize(s, data, name, count) : FIRN_OK;
    if (strcmp(name, "pbd.counters") == 0)
        return count == PBD_COUNTERS
                   ? FIRN_OK
                   : fail(FIRN_BAD_INPUT, "field 'pbd.counters' has %zu values instead of %d", count,
                          (int)PBD_COUNTERS);
    if (strcmp(name, "pbd.rest") == 0 || strcmp(name, "pbd.moved") == 0 ||
        strcmp(name, "pbd.velocity_before") == 0) {
        TRY(pbd_reserve(s, count));
        s->p.solids = count;
        return FIRN_OK;
    }
    TRY(pbd_reserve(s, count));
    s->p.count = count;
    return FIRN_OK;
}

firn_status pbd_loaded(void *model) {
    pbd *s = model;
    if (s->p.solids > s->p.count)
        return fail(FIRN_BAD_INPUT, "field 'pbd.rest' holds %zu particles of %zu", s->p.solids, s->p.count);
    for (size_t i = 0; i < s->p.count; i++) {
        uint32_t group = s->p.group[i];
        if (group >= s->group_count || (s->groups[group].phase == PBD_SOLID) != (i < s->p.solids))
            return fail(FIRN_BAD_INPUT, "particle %zu of pbd: unknown group index", i);
        if (i > 0 && i < s->p.solids && group < s->p.group[i - 1])
            return fail(FIRN_BAD_INPUT, "field 'pbd.group': particle %zu is not with the others of its solid",
                        i);
    }
    pbd_find_solids(s);
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->data[k] && s->kinds[k]->loaded) TRY(s->kinds[k]->loaded(s, s->data[k]));
    return FIRN_OK;
}

void pbd_show(void *model) {
    pbd *s = model;
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->data[k] && s->kinds[k]->show) s->kinds[k]->show(s, s->data[k]);
}

// Sums of one block of particles; joined in block order.
typedef struct sums {
    double mass, momentum[3], kinetic, weight_height, max_speed2;
} sums;

static void add_block(void *context, size_t begin, size_t end, void *partial) {
    const pbd *s = context;
    sums *t = partial;
    for (size_t i = begin; i < end; i++) {
        double m = s->groups[s->p.group[i]].mass;
        firn_vec3 v = pbd_at(s->p.v[i]);
        double v2 = dvec_length2(v);
        t->mass += m;
        t->momentum[0] += m * v.x, t->momentum[1] += m * v.y, t->momentum[2] += m * v.z;
        t->kinetic += 0.5 * m * v2;
        t->weight_height -= m * dvec_dot(s->setting.gravity, pbd_place(s, i));
        t->max_speed2 = fmax(t->max_speed2, v2);
    }
}

static void join_sums(void *into, const void *from) {
    sums *a = into;
    const sums *b = from;
    a->mass += b->mass;
    for (int k = 0; k < 3; k++) a->momentum[k] += b->momentum[k];
    a->kinetic += b->kinetic;
    a->weight_height += b->weight_height;
    a->max_speed2 = fmax(a->max_speed2, b->max_speed2);
}

void pbd_ledger(const void *model, firn_ledger *out) {
    const pbd *s = model;
    sums t = {0};
    if (par_reduce(s->p.count, LEDGER_BLOCK, sizeof t, add_block, join_sums, (void *)s, &t) != FIRN_OK) {
        t = (sums){0}; // no memory for partial sums: one after the other
        add_block((void *)s, 0, s->p.count, &t);
    }
    out->items = s->p.count;
    out->mass = t.mass;
    out->mass_in = s->counters.mass_in;
    out->mass_out = s->counters.mass_out;
    out->momentum = dvec(t.momentum[0], t.momentum[1], t.momentum[2]);
    out->kinetic = t.kinetic;
    out->potential = t.weight_height;
    out->max_speed = sqrt(t.max_speed2);
}

void pbd_get_iterations(const void *model, double *values) {
    values[0] = ((const pbd *)model)->counters.iterations;
}
const series_row pbd_iteration_row = {"iterations so far", "", "",
                                      "iterations of the constraint solver since the start"};
static const series_table iteration_series = {&pbd_iteration_row, 1, NULL, pbd_get_iterations};

static bool has_statistics(const void *model) { return ((const pbd *)model)->def.statistics; }
static void get_residuals(const void *model, double *values) {
    values[0] = ((const pbd *)model)->counters.first_residual;
    values[1] = ((const pbd *)model)->counters.last_residual;
}
static const series_row residual_rows[] = {
    {"errors of constraints", "before", "", "root mean square error before the last solve (statistics: yes)"},
    {"errors of constraints", "after", "", "root mean square error after the last solve (statistics: yes)"},
};
static const series_table residual_series = SERIES_TABLE(residual_rows, has_statistics, get_residuals);
const series_table *const pbd_series_tables[] = {&iteration_series, &residual_series, NULL};

static bool is_in_world(const double at[3]) {
    return fabs(at[0]) < POSITION_LIMIT && fabs(at[1]) < POSITION_LIMIT && fabs(at[2]) < POSITION_LIMIT;
}

// The first invalid particle of a block, counted from 1 and negative; -INFINITY: none.
static double invalid_block(void *context, size_t begin, size_t end) {
    const pbd *s = context;
    float fastest = (float)(s->setting.max_speed * s->setting.max_speed);
    for (size_t i = begin; i < end; i++) {
        const float *v = s->p.v[i];
        if (!(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= fastest) || !is_in_world(s->p.at[i]))
            return -(double)(i + 1);
    }
    return -INFINITY;
}

bool pbd_find_invalid(const void *model, uint64_t *item, const char **what) {
    const pbd *s = model;
    double found = s->p.count > 0 ? par_max(s->p.count, LEDGER_BLOCK, invalid_block, (void *)s) : -INFINITY;
    if (!(found > -INFINITY)) return false;
    size_t i = (size_t)-found - 1;
    *item = s->p.id[i];
    *what = is_in_world(s->p.at[i]) ? "velocity" : "position";
    return true;
}
