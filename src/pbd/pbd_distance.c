// Distance constraints: the links of solids.
#include "pbd/pbd_kinds.h"
#include "pbd/pbd_lanes.h"
#include "pbd/pbd_links.h"

static const pbd_batch_names names = {
    "pbd.links", "pbd.link_rest", "pbd.link_soft", "pbd.link_colour", "m", "rest lengths of the links"};

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

static size_t fields(const pbd *s, const void *data, firn_field *out, size_t room) {
    (void)s;
    return pbd_batch_fields(data, &names, out, room);
}

static firn_status resize(pbd *s, void *data, const char *name, size_t count) {
    (void)s;
    return pbd_batch_resize(data, &names, name, count);
}

static firn_status loaded(pbd *s, void *data) { return pbd_batch_loaded(data, &names, s->p.solids); }

const pbd_kind pbd_distance = {
    .name = "distance",
    .unit = "m",
    .create = create,
    .destroy = pbd_batch_destroy,
    .find = pbd_batch_find,
    .add_loads = pbd_batch_add_loads,
    .project = pbd_batch_project,
    .add = pbd_batch_add,
    .residual = pbd_batch_residual,
    .fields = fields,
    .resize = resize,
    .loaded = loaded,
};
