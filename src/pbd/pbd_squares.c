// Shear and twist of cloth.
#include "pbd/pbd_kinds.h"
#include "pbd/pbd_lattice.h"
#include "pbd/pbd_material.h"
#include "pbd/pbd_sheet.h"
#include "pbd/pbd_solid_kind.h"

// Shear: G t A / 2 times its square; twist: the bending stiffness times A and the square of |C| / (edges).
static float set_stiffness(const pbd_material *m, float *rest) {
    double edges = (double)rest[0] * (double)rest[1], area = (double)rest[PBD_SQUARE_AREA];
    double shear = 1 / (m->shear * m->thickness * area);
    double twist = m->bending > 0 ? edges * edges / (2 * m->bending * area) : 1e25;
    rest[PBD_SQUARE_TWIST] = (float)(twist / shear);
    return (float)shear;
}

static firn_status draft_square(const pbd_lattice *l, size_t i, double parts, const pbd_material *m,
                                pbd_draft *draft) {
    uint32_t corner[PBD_SQUARE_PARTICLES];
    float rest[PBD_SQUARE_PARAMS];
    int axis[2], found = 0;
    for (int a = 0; a < 3; a++)
        if (l->n[a] > 1) axis[found++] = a;
    for (int k = 0; k < PBD_SQUARE_PARTICLES; k++) {
        int64_t place[3];
        pbd_lattice_place(l, i, place);
        place[axis[0]] += k & 1, place[axis[1]] += k >> 1;
        corner[k] = pbd_lattice_particle(l, place);
    }
    rest[0] = (float)l->edge[axis[0]], rest[1] = (float)l->edge[axis[1]];
    rest[PBD_SQUARE_AREA] = (float)(l->edge[axis[0]] * l->edge[axis[1]] * parts);
    float compliance = set_stiffness(m, rest);
    return pbd_draft_add(draft, corner, rest, compliance);
}

static firn_status draft_of(pbd *s, const firn_pbd_def *def, size_t number, pbd_draft *draft) {
    const firn_pbd_solid_def *solid = &def->solids.items[number];
    if (!pbd_is_elastic(solid)) return FIRN_OK;
    pbd_lattice l;
    pbd_cell_material *material = NULL;
    TRY(pbd_lattice_create(s, solid, &s->groups[number], &l));
    pbd_material m = pbd_material_of(solid, l.dimensions);
    firn_status status = l.dimensions == 2 ? pbd_share_material(&l, &material) : FIRN_OK;
    for (size_t i = 0; material && status == FIRN_OK && i < l.n[0] * l.n[1] * l.n[2]; i++)
        if (l.cell[i]) status = draft_square(&l, i, material[i].volume, &m, draft);
    mem_free(material);
    pbd_lattice_free(&l);
    return status;
}

static void changed(pbd *s, void *data, const firn_pbd_def *def, const model_setting *setting) {
    pbd_batch *b = data;
    for (size_t c = 0; !setting->loading && c < b->count; c++) {
        const firn_pbd_solid_def *solid = &def->solids.items[s->p.group[b->particle[c]]];
        pbd_material m = pbd_material_of(solid, 2);
        float rest[PBD_SQUARE_PARAMS];
        for (size_t k = 0; k < PBD_SQUARE_PARAMS; k++) rest[k] = b->rest[k * b->count + c];
        b->compliance[c] = set_stiffness(&m, rest);
        b->rest[PBD_SQUARE_TWIST * b->count + c] = rest[PBD_SQUARE_TWIST];
    }
}

// Where one of its threads tears (pbd_distance.c).
static bool is_torn(const pbd *s, const pbd_batch *b, size_t c, float strain) {
    double stretch = 1 + (double)strain;
    static const int thread[4][3] = {
        {0, 1, 0}, {2, 3, 0}, {0, 2, 1}, {1, 3, 1}}; // two corners, and which edge
    for (int k = 0; k < 4; k++) {
        firn_vec3 from = pbd_at(s->p.x[b->particle[(size_t)thread[k][0] * b->count + c]]);
        firn_vec3 to = pbd_at(s->p.x[b->particle[(size_t)thread[k][1] * b->count + c]]);
        if (dvec_distance(from, to) > stretch * (double)b->rest[(size_t)thread[k][2] * b->count + c])
            return true;
    }
    return false;
}

static const pbd_batch *batch_of(const pbd *s) { return pbd_data(s, &pbd_squares); }

PBD_BATCH_GETTERS(batch_of)
// Not in the frames: nothing shows them.
static const field_row rows[] = {
    {"pbd.squares", "", "particles of squares of cloth: all first ones, then all second ones", FIRN_U32, 1,
     FIRN_FIELD_STATE, get_particles},
    {"pbd.square_rest", "", "of the squares: edges (m), area (m2), compliance of twist over that of shear",
     FIRN_F32, 1, FIRN_FIELD_STATE, get_rest},
    {"pbd.square_soft", "", "compliance of squares of cloth", FIRN_F32, 1, FIRN_FIELD_STATE, get_compliance},
    {"pbd.square_colour", "", "first one of each colour of squares of cloth, and their number", FIRN_U32, 1,
     FIRN_FIELD_STATE, get_colour},
};
const field_table pbd_square_fields = FIELD_TABLE(rows);

static const pbd_solid_batch type = {
    .name = "square",
    .names = {"pbd.squares", "pbd.square_rest", "pbd.square_soft", "pbd.square_colour"},
    .empty = {.arity = PBD_SQUARE_PARTICLES,
              .params = PBD_SQUARE_PARAMS,
              .multipliers = PBD_SQUARE_MULTIPLIERS},
    .draft = draft_of,
    .is_torn = is_torn,
};

PBD_SOLID_KIND_MAKERS(type, pbd_square_lanes)

const pbd_kind pbd_squares = {
    .name = "squares",
    .unit = "",
    .changed = changed,
    .finish = pbd_solid_batch_tear,
    .fields = &pbd_square_fields,
    PBD_SOLID_KIND,
};
