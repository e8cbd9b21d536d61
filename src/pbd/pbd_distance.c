// Distance constraints: the links of solids.
#include "pbd/pbd_kinds.h"
#include "pbd/pbd_links.h"
#include "pbd/pbd_solid_kind.h"

static void changed(pbd *s, void *data, const firn_pbd_def *def, const model_setting *setting) {
    pbd_batch *b = data;
    for (size_t c = 0; !setting->loading && c < b->count; c++) {
        const firn_pbd_solid_def *solid = &def->solids.items[s->p.group[b->particle[c]]];
        b->compliance[c] =
            pbd_link_compliance(def, solid, &s->groups[s->p.group[b->particle[c]]], (double)b->rest[c]);
    }
}

static bool is_torn(const pbd *s, const pbd_batch *b, size_t c, float strain) {
    uint32_t i = b->particle[c], j = b->particle[b->count + c];
    float longest = b->rest[c] * (1 + strain);
    return dvec_distance(pbd_place(s, i), pbd_place(s, j)) > (double)longest;
}

static const pbd_batch *batch_of(const pbd *s) { return pbd_data(s, &pbd_distance); }

PBD_BATCH_GETTERS(batch_of)
static const field_row rows[] = {PBD_BATCH_ROWS("pbd.links", "pbd.link_rest", "pbd.link_soft",
                                                "pbd.link_colour", "m", "rest lengths of the links")};
const field_table pbd_distance_fields = FIELD_TABLE(rows);

static const pbd_solid_batch type = {
    .name = "distance",
    .names = {"pbd.links", "pbd.link_rest", "pbd.link_soft", "pbd.link_colour"},
    .empty = {.arity = 2, .params = 1},
    .draft = pbd_draft_links_of,
    .is_torn = is_torn,
    .told = 1,
};

PBD_SOLID_KIND_MAKERS(type, pbd_distance_lanes)

const pbd_kind pbd_distance = {
    .name = "distance",
    .unit = "m",
    .changed = changed,
    .finish = pbd_solid_batch_tear,
    .fields = &pbd_distance_fields,
    PBD_SOLID_KIND,
};
