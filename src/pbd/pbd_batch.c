// Constraints of a fixed number of particles: drafts, colouring, storage and sweeps.
#include "pbd/pbd_batch.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { TASK = 1024, TASK_PARTICLES = 256 };

// ---- drafts

firn_status pbd_draft_add(pbd_draft *d, const uint32_t *particle, const float *rest, float compliance) {
    size_t arity = (size_t)d->arity, params = (size_t)d->params, n = d->count;
    if (!array_reserve(&d->particle, &d->capacity[0], (n + 1) * arity, sizeof *d->particle) ||
        !array_reserve(&d->rest, &d->capacity[1], (n + 1) * params + 1, sizeof *d->rest) ||
        !array_reserve(&d->compliance, &d->capacity[2], n + 1, sizeof *d->compliance))
        return fail_memory("making constraints", n * arity * sizeof *d->particle);
    memcpy(d->particle + n * arity, particle, arity * sizeof *particle);
    memcpy(d->rest + n * params, rest, params * sizeof *rest);
    d->compliance[n] = compliance;
    d->count++;
    return FIRN_OK;
}

firn_status pbd_draft_take(pbd_draft *d, const pbd_batch *b, const pbd_solid_change *change) {
    uint32_t particle[PBD_MOST_PARTICLES];
    float rest[PBD_MOST_PARAMS];
    for (size_t c = 0; c < b->count; c++) {
        bool gone = false;
        for (size_t k = 0; k < (size_t)b->arity; k++) {
            particle[k] = pbd_new_number(change, b->particle[k * b->count + c]);
            gone |= particle[k] == UINT32_MAX;
        }
        for (size_t k = 0; k < (size_t)b->params; k++) rest[k] = b->rest[k * b->count + c];
        if (!gone) TRY(pbd_draft_add(d, particle, rest, b->compliance[c]));
    }
    return FIRN_OK;
}

void pbd_draft_free(pbd_draft *d) {
    mem_free(d->particle);
    mem_free(d->rest);
    mem_free(d->compliance);
    *d = (pbd_draft){.arity = d->arity, .params = d->params, .multipliers = d->multipliers};
}

// ---- batches

void pbd_batch_destroy(void *data) {
    pbd_batch *b = data;
    if (!b) return;
    void *lists[] = {b->particle, b->rest,           b->compliance, b->lambda, b->next_lambda, b->error,
                     b->colour,   b->incident_first, b->incident,   b->slot,   b->block,       b->phase};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    mem_free(b);
}

static firn_status check_draft(const pbd_draft *d, const char *name, size_t particles) {
    size_t arity = (size_t)d->arity;
    for (size_t c = 0; c < d->count; c++)
        for (size_t k = 0; k < arity; k++) {
            uint32_t p = d->particle[c * arity + k];
            if (p >= particles)
                return fail(FIRN_BAD_INPUT, "%s constraint %zu refers to particle %u, but there are only %zu",
                            name, c, p, particles);
            for (size_t other = 0; other < k; other++)
                if (d->particle[c * arity + other] == p)
                    return fail(FIRN_BAD_INPUT, "%s constraint %zu refers to particle %u twice", name, c, p);
        }
    return FIRN_OK;
}

static bool take(void *pointer, size_t count, size_t item) {
    void *memory = mem_zero(count + 1, item);
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL;
}

// Arrays that are not in files: multipliers, errors.
firn_status pbd_batch_rescratch(pbd_batch *b) {
    mem_free(b->lambda);
    mem_free(b->next_lambda);
    mem_free(b->error);
    b->lambda = b->next_lambda = b->error = NULL;
    size_t values = b->count * (size_t)b->multipliers;
    if (take(&b->lambda, values, sizeof *b->lambda) &&
        take(&b->next_lambda, values, sizeof *b->next_lambda) && take(&b->error, b->count, sizeof *b->error))
        return FIRN_OK;
    return fail_memory("making constraints", values * sizeof *b->lambda);
}

// Copies the draft, colour by colour; inside a colour in the draft's order.
static void pack_draft(pbd_batch *b, const pbd_draft *d, const uint32_t *color) {
    for (size_t c = 0; c < d->count; c++) b->colour[color[c] + 1]++;
    for (size_t k = 0; k < b->colours; k++) b->colour[k + 1] += b->colour[k];
    for (size_t c = 0; c < d->count; c++) {
        size_t to = b->colour[color[c]]++;
        for (int k = 0; k < b->arity; k++)
            b->particle[(size_t)k * b->count + to] = d->particle[c * (size_t)b->arity + (size_t)k];
        for (int k = 0; k < b->params; k++)
            b->rest[(size_t)k * b->count + to] = d->rest[c * (size_t)b->params + (size_t)k];
        b->compliance[to] = d->compliance[c];
    }
    memmove(b->colour + 1, b->colour, b->colours * sizeof *b->colour);
    b->colour[0] = 0;
}

static firn_status fill_batch(pbd_batch *b, const pbd_draft *d, size_t particles, uint32_t *color) {
    size_t n = d->count;
    TRY(pbd_color(d->particle, d->arity, n, particles, color, &b->colours));
    TRY(pbd_cut_slabs(d, particles, color, &b->colours));
    b->count = n;
    b->loaded[0] = n * (size_t)b->arity, b->loaded[1] = n * (size_t)b->params;
    if (!take(&b->particle, n * (size_t)b->arity, sizeof *b->particle) ||
        !take(&b->rest, n * (size_t)b->params, sizeof *b->rest) ||
        !take(&b->compliance, n, sizeof *b->compliance) ||
        !take(&b->colour, b->colours + 1, sizeof *b->colour))
        return fail_memory("making constraints", n * sizeof *b->particle);
    pack_draft(b, d, color);
    TRY(pbd_find_blocks(b));
    return pbd_batch_rescratch(b);
}

firn_status pbd_batch_create(const pbd_batch_lanes *lanes, const pbd_draft *draft, const char *name,
                             size_t particles, pbd_batch **out) {
    *out = NULL;
    return draft->count > 0 ? pbd_batch_make(lanes, draft, name, particles, out) : FIRN_OK;
}

firn_status pbd_batch_make(const pbd_batch_lanes *lanes, const pbd_draft *draft, const char *name,
                           size_t particles, pbd_batch **out) {
    *out = NULL;
    if (draft->count * (size_t)draft->arity > INT32_MAX / 4)
        return fail(FIRN_BAD_INPUT, "%zu %s constraints are too many; raise spacing or decimate them",
                    draft->count, name);
    TRY(check_draft(draft, name, particles));
    pbd_batch *b = mem_zero(1, sizeof *b);
    uint32_t *color = mem_alloc((draft->count + 1) * sizeof *color);
    firn_status status = b && color ? FIRN_OK : fail_memory("making constraints", draft->count * 4);
    if (b) b->lanes = lanes, b->arity = draft->arity, b->params = draft->params;
    if (b) b->multipliers = draft->multipliers > 0 ? draft->multipliers : 1;
    if (status == FIRN_OK) status = fill_batch(b, draft, particles, color);
    mem_free(color);
    if (status != FIRN_OK)
        pbd_batch_destroy(b);
    else
        *out = b;
    return status;
}

// Compacts the rows of a table.
static void drop_items(const pbd_batch *b, void *table, int rows) {
    enum { ITEM = 4 }; // bytes
    char *to = table;
    for (int k = 0; k < rows; k++) {
        const char *from = (const char *)table + (size_t)k * b->count * ITEM;
        for (size_t c = 0; c < b->count; c++) {
            if (b->error[c] != 0) continue;
            memmove(to, from + c * ITEM, ITEM);
            to += ITEM;
        }
    }
}

void pbd_batch_drop(pbd_batch *b) {
    _Static_assert(sizeof *b->particle == 4 && sizeof *b->rest == 4 && sizeof *b->compliance == 4,
                   "one size");
    size_t left = 0;
    for (size_t k = 0, c = 0; k < b->colours; k++) {
        size_t end = b->colour[k + 1];
        b->colour[k] = (uint32_t)left;
        for (; c < end; c++) left += b->error[c] == 0;
    }
    b->colour[b->colours] = (uint32_t)left;
    drop_items(b, b->particle, b->arity);
    drop_items(b, b->rest, b->params);
    drop_items(b, b->compliance, 1);
    b->count = left;
    b->loaded[0] = left * (size_t)b->arity, b->loaded[1] = left * (size_t)b->params;
    mem_free(b->incident_first);
    b->incident_first = NULL; // made again when needed
}

static pbd_columns columns_of(const pbd_batch *b) {
    return (pbd_columns){b->count, b->particle, b->rest, b->compliance, b->lambda, b->outside};
}

static pbd_lane_pass lane_pass_of(const pbd *s, const pbd_pass *pass) {
    return (pbd_lane_pass){.inverse_dt2 = pass->plain ? 0 : (float)(1 / (pass->dt * pass->dt)),
                           .relax = pass->relax,
                           .plain = pass->plain,
                           .snap = s->frames.snap,
                           .owner = s};
}

typedef struct batch_work {
    pbd_batch *b;
    pbd_particles *p;
    pbd_columns columns;
    pbd_lane_pass pass;
    size_t first;
    bool backwards;
} batch_work;

static batch_work work_of(pbd *s, pbd_batch *b, const pbd_pass *pass) {
    return (batch_work){.b = b, .p = &s->p, .columns = columns_of(b), .pass = lane_pass_of(s, pass)};
}

// ---- Gauss-Seidel

static void project_range(void *context, size_t begin, size_t end) {
    const batch_work *w = context;
    w->b->lanes->project(&w->columns, &w->pass, w->first + begin, w->first + end, w->p->q);
}

// All colours of a block after each other.
static void project_block(void *context, size_t i) {
    const batch_work *w = context;
    const pbd_batch *b = w->b;
    size_t block = w->first + i, first = b->block[block], n = b->block[block + 1] - first;
    for (size_t k = 0; k < n; k++) {
        size_t c = first + (w->backwards ? n - 1 - k : k);
        b->lanes->project(&w->columns, &w->pass, b->colour[c], b->colour[c + 1], w->p->q);
    }
}

static void project_colour(batch_work *work, size_t k) {
    const pbd_batch *b = work->b;
    size_t n = b->colour[k + 1] - b->colour[k];
    work->first = b->colour[k];
    if (n <= 2 * TASK)
        project_range(work, 0, n); // waking other threads takes longer
    else
        par_for(n, TASK, project_range, work);
}

// Every second sweep goes backwards (symmetric Gauss-Seidel): with the same order in all of them a solid that
// falls flat on the ground is pushed to a side. Each sub-step begins forwards: else what the sweeps leave
// would change its sign from one to the next, and a solid at rest would tremble.
void pbd_batch_project(pbd *s, void *data, const pbd_pass *pass) {
    pbd_batch *b = data;
    batch_work work = work_of(s, b, pass);
    work.pass.fresh = b->fresh;
    work.backwards = b->sweeps++ % 2 == 1;
    for (size_t i = 0; i < b->phases; i++) {
        size_t p = work.backwards ? b->phases - 1 - i : i;
        size_t first = b->phase[p], end = b->phase[p + 1], colours = b->block[end] - b->block[first];
        if (end - first > 1) {
            work.first = first;
            par_tasks(end - first, project_block, &work);
            continue;
        }
        for (size_t k = 0; k < colours; k++)
            project_colour(&work, b->block[first] + (work.backwards ? colours - 1 - k : k));
    }
    b->fresh = false;
}

// ---- Jacobi

static void list_incidence(pbd_batch *b, size_t particles) {
    size_t ends = b->count * (size_t)b->arity;
    for (size_t i = 0; i < ends; i++) b->incident_first[b->particle[i] + 2]++;
    for (size_t i = 0; i < particles; i++) b->incident_first[i + 2] += b->incident_first[i + 1];
    for (size_t c = 0; c < b->count; c++)
        for (int k = 0; k < b->arity; k++)
            b->incident[b->incident_first[b->particle[(size_t)k * b->count + c] + 1]++] =
                (uint32_t)(c * (size_t)b->arity + (size_t)k);
}

static firn_status make_incidence(pbd_batch *b, size_t particles) {
    if (b->incident_first && b->incident_particles == particles) return FIRN_OK;
    mem_free(b->incident_first);
    mem_free(b->incident);
    mem_free(b->slot);
    b->incident_first = b->incident = NULL;
    b->slot = NULL;
    size_t ends = b->count * (size_t)b->arity;
    if (!take(&b->incident_first, particles + 2, sizeof *b->incident_first) ||
        !take(&b->incident, ends, sizeof *b->incident) || !take(&b->slot, ends, sizeof *b->slot))
        return fail_memory("listing constraints by particle", ends * sizeof *b->slot);
    b->incident_particles = particles;
    list_incidence(b, particles);
    return FIRN_OK;
}

firn_status pbd_batch_find(pbd *s, void *data, const pbd_pass *pass) {
    (void)pass;
    pbd_batch *b = data;
    bool in_place = s->def.solver == FIRN_PBD_GAUSS_SEIDEL;
    b->fresh = in_place && !b->outside && !s->def.statistics; // the first sweep then writes all multipliers
    b->sweeps = 0;
    if (!b->fresh) memset(b->lambda, 0, b->count * (size_t)b->multipliers * sizeof *b->lambda);
    return in_place ? FIRN_OK : make_incidence(b, s->p.solids);
}

void pbd_batch_count_constraints(pbd *s, void *data) {
    const pbd_batch *b = data;
    for (size_t i = 0; i < b->incident_particles; i++)
        s->p.constraints[i] += (float)(b->incident_first[i + 1] - b->incident_first[i]);
}

static void measure_range(void *context, size_t begin, size_t end) {
    const batch_work *w = context;
    w->b->lanes->measure(&w->columns, &w->pass, begin, end, (const float(*)[4])w->p->q, w->p->constraints,
                         w->b->slot);
}

static void sum_slots(void *context, size_t begin, size_t end) {
    const batch_work *w = context;
    for (size_t i = begin; i < end; i++) {
        float *delta = w->p->delta[i];
        for (uint32_t k = w->b->incident_first[i]; k < w->b->incident_first[i + 1]; k++) {
            const float *move = w->b->slot[w->b->incident[k]];
            delta[0] += move[0], delta[1] += move[1], delta[2] += move[2];
        }
    }
}

static void gather_range(void *context, size_t begin, size_t end) {
    const batch_work *w = context;
    for (size_t i = begin; i < end; i++) {
        uint32_t first = w->b->incident_first[i];
        float move[4], *delta = w->p->delta[i];
        if (w->b->incident_first[i + 1] == first) continue;
        w->b->lanes->gather(&w->columns, &w->pass, w->b->incident + first,
                            w->b->incident_first[i + 1] - first, (const float(*)[4])w->p->q,
                            w->p->constraints, w->b->next_lambda, move);
        delta[0] += move[0], delta[1] += move[1], delta[2] += move[2];
    }
}

void pbd_batch_jacobi(pbd *s, void *data, const pbd_pass *pass) {
    pbd_batch *b = data;
    batch_work work = work_of(s, b, pass);
    if (!pass->by_particle) {
        par_for(b->count, TASK, measure_range, &work);
        par_for(b->incident_particles, TASK_PARTICLES, sum_slots, &work);
        return;
    }
    par_for(b->incident_particles, TASK_PARTICLES, gather_range, &work);
    float *swap = b->lambda;
    b->lambda = b->next_lambda;
    b->next_lambda = swap;
}

// ---- residual

static void error_range(void *context, size_t begin, size_t end) {
    const batch_work *w = context;
    w->b->lanes->errors(&w->columns, &w->pass, begin, end, (const float(*)[4])w->p->q, w->b->error);
}

void pbd_batch_residual(pbd *s, void *data, const pbd_pass *pass, pbd_residual *out) {
    pbd_batch *b = data;
    batch_work work = work_of(s, b, pass);
    par_for(b->count, TASK, error_range, &work);
    for (size_t c = 0; c < b->count; c++) {
        double e = fabs((double)b->error[c]);
        out->largest = fmax(out->largest, e);
        out->sum2 += e * e;
    }
    out->count += b->count;
}
