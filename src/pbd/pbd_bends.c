// Bending of ropes and cloth.
#include <math.h>

#include "pbd/pbd_kinds.h"
#include "pbd/pbd_lattice.h"
#include "pbd/pbd_material.h"
#include "pbd/pbd_sheet.h"
#include "pbd/pbd_solid_kind.h"

static const double NO_STIFFNESS = 1e25; // compliance of what does not bend back: finite in 32 bits

static float compliance_of(const pbd_material *m, double factor) {
    return (float)(m->bending > 0 ? fmin(factor / m->bending, NO_STIFFNESS) : NO_STIFFNESS);
}

// Rows of three along one axis. Curvature |C| / edge^2 over the length or area of a particle.
static firn_status draft_rows(const pbd_lattice *l, int axis, const pbd_material *m, pbd_draft *draft) {
    size_t places = l->n[0] * l->n[1] * l->n[2];
    double edge = l->edge[axis], size = 1;
    for (int a = 0; a < 3; a++) size *= l->n[a] > 1 ? l->edge[a] : 1;
    double factor = edge * edge * edge * edge / size;
    const float rest[PBD_BEND_PARAMS] = {[PBD_BEND_EDGE] = (float)edge, [PBD_BEND_FACTOR] = (float)factor};
    for (size_t i = 0; i < places; i++) {
        uint32_t row[PBD_BEND_PARTICLES];
        int64_t place[3];
        bool whole = true;
        pbd_lattice_place(l, i, place);
        for (int k = 0; k < PBD_BEND_PARTICLES; k++, place[axis]++) {
            row[k] = pbd_lattice_particle(l, place);
            whole &= row[k] != PBD_NOBODY;
        }
        if (whole) TRY(pbd_draft_add(draft, row, rest, compliance_of(m, factor)));
    }
    return FIRN_OK;
}

static firn_status draft_of(pbd *s, const firn_pbd_def *def, size_t number, pbd_draft *draft) {
    const firn_pbd_solid_def *solid = &def->solids.items[number];
    if (!pbd_is_elastic(solid)) return FIRN_OK;
    pbd_lattice l;
    TRY(pbd_lattice_create(s, solid, &s->groups[number], &l));
    pbd_material m = pbd_material_of(solid, l.dimensions);
    firn_status status = FIRN_OK;
    for (int a = 0; a < 3 && status == FIRN_OK; a++)
        if (l.dimensions < 3 && l.n[a] > 2) status = draft_rows(&l, a, &m, draft);
    pbd_lattice_free(&l);
    return status;
}

static void changed(pbd *s, void *data, const firn_pbd_def *def, const model_setting *setting) {
    pbd_batch *b = data;
    for (size_t c = 0; !setting->loading && c < b->count; c++) {
        const firn_pbd_solid_def *solid = &def->solids.items[s->p.group[b->particle[c]]];
        pbd_material m = pbd_material_of(solid, pbd_lattice_dimensions(solid));
        b->compliance[c] = compliance_of(&m, (double)b->rest[PBD_BEND_FACTOR * b->count + c]);
    }
}

// Where one of its threads tears (pbd_distance.c).
static bool is_torn(const pbd *s, const pbd_batch *b, size_t c, float strain) {
    firn_vec3 middle = pbd_at(s->p.x[b->particle[b->count + c]]);
    double longest = (1 + (double)strain) * (double)b->rest[c];
    return dvec_distance(pbd_at(s->p.x[b->particle[c]]), middle) > longest ||
           dvec_distance(pbd_at(s->p.x[b->particle[2 * b->count + c]]), middle) > longest;
}

static const pbd_batch *batch_of(const pbd *s) { return pbd_data(s, &pbd_bends); }

PBD_BATCH_GETTERS(batch_of)
// Not in the frames: nothing shows them.
static const field_row rows[] = {
    {"pbd.bends", "", "particles of bends: all first ones, then all second ones", FIRN_U32, 1,
     FIRN_FIELD_STATE, get_particles},
    {"pbd.bend_rest", "", "of the bends: distance of neighbours (m), compliance times bending stiffness",
     FIRN_F32, 1, FIRN_FIELD_STATE, get_rest},
    {"pbd.bend_soft", "", "compliance of bends", FIRN_F32, 1, FIRN_FIELD_STATE, get_compliance},
    {"pbd.bend_colour", "", "first one of each colour of bends, and their number", FIRN_U32, 1,
     FIRN_FIELD_STATE, get_colour},
};
const field_table pbd_bend_fields = FIELD_TABLE(rows);

static const pbd_solid_batch type = {
    .name = "bend",
    .names = {"pbd.bends", "pbd.bend_rest", "pbd.bend_soft", "pbd.bend_colour"},
    .empty = {.arity = PBD_BEND_PARTICLES, .params = PBD_BEND_PARAMS, .multipliers = PBD_BEND_MULTIPLIERS},
    .draft = draft_of,
    .is_torn = is_torn,
};

PBD_SOLID_KIND_MAKERS(type, pbd_bend_lanes)

const pbd_kind pbd_bends = {
    .name = "bends",
    .unit = "m",
    .changed = changed,
    .finish = pbd_solid_batch_tear,
    .fields = &pbd_bend_fields,
    PBD_SOLID_KIND,
};
