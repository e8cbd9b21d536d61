// Distance constraints: the links of solids.
#include "body/events.h"
#include "par/par.h"
#include "pbd/pbd_kinds.h"
#include "pbd/pbd_lanes.h"
#include "pbd/pbd_links.h"

static const pbd_batch_names names = {"pbd.links", "pbd.link_rest", "pbd.link_soft", "pbd.link_colour"};

static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    (void)bodies;
    pbd_draft draft = {.arity = 2, .params = 1};
    pbd_batch *batch = NULL;
    firn_status status = pbd_draft_links(s, def, &draft);
    if (status == FIRN_OK)
        status =
            pbd_batch_create(PBD_PICK_LANES(pbd_distance_lanes), &draft, "distance", s->p.solids, &batch);
    pbd_draft_free(&draft);
    *data = batch;
    return status;
}

static void changed(pbd *s, void *data, const firn_pbd_def *def, const model_setting *setting) {
    pbd_batch *b = data;
    for (size_t c = 0; !setting->loading && c < b->count; c++) {
        const firn_pbd_solid_def *solid = &def->solids.items[s->p.group[b->particle[c]]];
        b->compliance[c] = (float)pbd_compliance(def, solid->stiffness, solid->plain_stiffness);
    }
}

typedef struct tear_work {
    const pbd *s;
    pbd_batch *b;
} tear_work;

// Marks the links that tear; 1 if there are any.
static double tear_block(void *context, size_t begin, size_t end) {
    const tear_work *w = context;
    const pbd_batch *b = w->b;
    double any = 0;
    for (size_t c = begin; c < end; c++) {
        uint32_t i = b->particle[c], j = b->particle[b->count + c];
        float strain = w->s->groups[w->s->p.group[i]].break_strain, longest = b->rest[c] * (1 + strain);
        bool tears =
            strain > 0 && dvec_distance(pbd_at(w->s->p.x[i]), pbd_at(w->s->p.x[j])) > (double)longest;
        b->error[c] = tears;
        if (tears) any = 1;
    }
    return any;
}

// Once the links that tear are marked.
static void tell_torn(const pbd *s, const pbd_batch *b, firn_event_list *events) {
    for (size_t c = 0; c < b->count; c++) {
        if (!(b->error[c] > 0)) continue;
        uint32_t i = b->particle[c], j = b->particle[b->count + c];
        firn_event event = event_of(FIRN_EVENT_BREAK, "pbd");
        event.item = s->p.id[i];
        event.partner = s->p.id[j];
        event.position = dvec_mix(pbd_at(s->p.x[i]), pbd_at(s->p.x[j]), 0.5);
        firn_event_add(events, &event);
    }
}

static firn_status finish(pbd *s, void *data, body_set *bodies, model_step step) {
    (void)bodies;
    tear_work work = {s, data};
    bool may = false;
    for (size_t k = 0; k < s->group_count; k++) may |= s->groups[k].break_strain > 0;
    if (!may || !(par_max(work.b->count, PBD_BLOCK, tear_block, &work) > 0)) return FIRN_OK;
    if (event_wanted(step.events, FIRN_EVENT_BREAK)) tell_torn(s, data, step.events);
    pbd_batch_drop(data);
    return FIRN_OK;
}

static const pbd_batch *batch_of(const pbd *s) { return pbd_data(s, &pbd_distance); }

PBD_BATCH_GETTERS(batch_of)
static const field_row rows[] = {PBD_BATCH_ROWS("pbd.links", "pbd.link_rest", "pbd.link_soft",
                                                "pbd.link_colour", "m", "rest lengths of the links")};
const field_table pbd_distance_fields = FIELD_TABLE(rows);

static firn_status resize(pbd *s, void *data, const char *name, size_t count) {
    (void)s;
    return pbd_batch_resize(data, &names, name, count);
}

static firn_status loaded(pbd *s, void *data) { return pbd_batch_loaded(data, &names, s->p.solids); }

static firn_status remake(pbd *s, const firn_pbd_def *def, const pbd_solid_change *change, void **data) {
    const pbd_batch *old = *data;
    pbd_batch *batch = NULL;
    pbd_draft draft = {.arity = 2, .params = 1};
    firn_status status = old ? pbd_draft_take(&draft, old, change) : FIRN_OK;
    if (status == FIRN_OK && !change->gone) status = pbd_draft_links_of(s, def, change->solid, &draft);
    if (status == FIRN_OK && (old || draft.count > 0))
        status = pbd_batch_make(PBD_PICK_LANES(pbd_distance_lanes), &draft, "distance", s->p.solids, &batch);
    pbd_draft_free(&draft);
    *data = batch;
    return status;
}

const pbd_kind pbd_distance = {
    .name = "distance",
    .unit = "m",
    .create = create,
    .destroy = pbd_batch_destroy,
    .changed = changed,
    .find = pbd_batch_find,
    .count_constraints = pbd_batch_count_constraints,
    .project = pbd_batch_project,
    .jacobi = pbd_batch_jacobi,
    .residual = pbd_batch_residual,
    .finish = finish,
    .fields = &pbd_distance_fields,
    .resize = resize,
    .loaded = loaded,
    .remake = remake,
};
