// Batches that come with solids: made for each of them, made anew when one comes or goes, torn where
// strained.
#include "body/events.h"
#include "par/par.h"
#include "pbd/pbd_batch.h"

firn_status pbd_solid_batch_create(pbd *s, const firn_pbd_def *def, const pbd_solid_batch *type,
                                   const pbd_batch_lanes *lanes, void **data) {
    pbd_draft draft = type->empty;
    pbd_batch *batch = NULL;
    firn_status status = FIRN_OK;
    for (size_t k = 0; k < def->solids.count && status == FIRN_OK; k++)
        status = type->draft(s, def, k, &draft);
    if (status == FIRN_OK) status = pbd_batch_create(lanes, &draft, type->name, s->p.solids, &batch);
    pbd_draft_free(&draft);
    if (batch) batch->solid = type;
    *data = batch;
    return status;
}

firn_status pbd_solid_batch_remake(pbd *s, const firn_pbd_def *def, const pbd_solid_batch *type,
                                   const pbd_batch_lanes *lanes, const pbd_solid_change *change,
                                   void **data) {
    const pbd_batch *old = *data;
    pbd_batch *batch = NULL;
    pbd_draft draft = type->empty;
    firn_status status = old ? pbd_draft_take(&draft, old, change) : FIRN_OK;
    if (status == FIRN_OK && !change->gone) status = type->draft(s, def, change->solid, &draft);
    if (status == FIRN_OK && (old || draft.count > 0))
        status = pbd_batch_make(lanes, &draft, type->name, s->p.solids, &batch);
    pbd_draft_free(&draft);
    if (batch) batch->solid = type;
    *data = batch;
    return status;
}

firn_status pbd_solid_batch_resize(pbd *s, void *data, const char *name, size_t count) {
    (void)s;
    pbd_batch *b = data;
    return pbd_batch_resize(b, &b->solid->names, name, count);
}

firn_status pbd_solid_batch_loaded(pbd *s, void *data) {
    pbd_batch *b = data;
    return pbd_batch_loaded(b, &b->solid->names, s->p.solids);
}

// ---- tearing

typedef struct tear_work {
    const pbd *s;
    pbd_batch *b;
} tear_work;

// Marks those that tear; 1 if there are any.
static double tear_block(void *context, size_t begin, size_t end) {
    const tear_work *w = context;
    double any = 0;
    for (size_t c = begin; c < end; c++) {
        float strain = w->s->groups[w->s->p.group[w->b->particle[c]]].break_strain;
        bool tears = strain > 0 && w->b->solid->is_torn(w->s, w->b, c, strain);
        w->b->error[c] = tears;
        if (tears) any = 1;
    }
    return any;
}

// Once those that tear are marked.
static void tell_torn(const pbd *s, const pbd_batch *b, firn_event_list *events) {
    for (size_t c = 0; c < b->count; c++) {
        if (!(b->error[c] > 0)) continue;
        uint32_t i = b->particle[c], j = b->particle[(size_t)b->solid->told * b->count + c];
        firn_event event = event_of(FIRN_EVENT_BREAK, "pbd");
        event.item = s->p.id[i];
        event.partner = s->p.id[j];
        event.position = dvec_mix(pbd_place(s, i), pbd_place(s, j), 0.5);
        firn_event_add(events, &event);
    }
}

firn_status pbd_solid_batch_tear(pbd *s, void *data, body_set *bodies, model_step step) {
    (void)bodies;
    tear_work work = {s, data};
    bool may = false;
    for (size_t k = 0; k < s->group_count; k++) may |= s->groups[k].break_strain > 0;
    if (!may || !(par_max(work.b->count, PBD_BLOCK, tear_block, &work) > 0)) return FIRN_OK;
    if (work.b->solid->told > 0 && event_wanted(step.events, FIRN_EVENT_BREAK))
        tell_torn(s, data, step.events);
    pbd_batch_drop(data);
    return FIRN_OK;
}
