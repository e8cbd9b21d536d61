// Elastic cells: what holds a solid with a Young's modulus together.
#include <math.h>

#include "pbd/pbd_cell.h"
#include "pbd/pbd_kinds.h"
#include "pbd/pbd_lattice.h"
#include "pbd/pbd_material.h"
#include "pbd/pbd_solid_kind.h"

static void changed(pbd *s, void *data, const firn_pbd_def *def, const model_setting *setting) {
    pbd_batch *b = data;
    for (size_t c = 0; !setting->loading && c < b->count; c++) {
        const firn_pbd_solid_def *solid = &def->solids.items[s->p.group[b->particle[c]]];
        pbd_material m = pbd_material_of(solid, 3);
        b->compliance[c] = (float)(1 / m.young);
        b->rest[PBD_CELL_POISSON * b->count + c] = (float)m.poisson;
    }
}

// Largest eigenvalue of F^T F; the columns of F are given.
static double largest_stretch2(const firn_vec3 column[3]) {
    double m[3][3];
    for (int a = 0; a < 3; a++)
        for (int e = 0; e < 3; e++) m[a][e] = dvec_dot(column[a], column[e]);
    double mean = (m[0][0] + m[1][1] + m[2][2]) / 3;
    double off = m[0][1] * m[0][1] + m[1][2] * m[1][2] + m[0][2] * m[0][2];
    for (int a = 0; a < 3; a++) m[a][a] -= mean;
    double size = sqrt((m[0][0] * m[0][0] + m[1][1] * m[1][1] + m[2][2] * m[2][2] + 2 * off) / 6);
    double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[1][2]) -
                 m[0][1] * (m[0][1] * m[2][2] - m[1][2] * m[0][2]) +
                 m[0][2] * (m[0][1] * m[1][2] - m[1][1] * m[0][2]);
    double cosine = size > 0 ? fmax(-1, fmin(1, det / (2 * size * size * size))) : 1;
    return mean + 2 * size * cos(acos(cosine) / 3);
}

// Whether a cell is stretched so at one of its corners.
static bool is_torn(const pbd *s, const pbd_batch *b, size_t c, float strain) {
    double factor = 1 + (double)strain;
    firn_vec3 x[PBD_CELL_CORNERS], column[3];
    for (int k = 0; k < PBD_CELL_CORNERS; k++) x[k] = pbd_at(s->p.x[b->particle[(size_t)k * b->count + c]]);
    for (int k = 0; k < PBD_CELL_CORNERS; k++) {
        for (int a = 0; a < 3; a++)
            column[a] = dvec_scale(dvec_sub(x[k | 1 << a], x[k & ~(1 << a)]),
                                   1 / (double)b->rest[(size_t)(PBD_CELL_EDGE + a) * b->count + c]);
        if (largest_stretch2(column) > factor * factor) return true;
    }
    return false;
}

static const pbd_batch *batch_of(const pbd *s) { return pbd_data(s, &pbd_cells); }

PBD_BATCH_GETTERS(batch_of)
// Not in the frames: nothing shows them.
static const field_row rows[] = {
    {"pbd.cells", "", "particles of the elastic cells: all first ones, then all second ones", FIRN_U32, 1,
     FIRN_FIELD_STATE, get_particles},
    {"pbd.cell_rest", "", "of the cells: edges (m), middle and spread of the material, volume (m3), Poisson",
     FIRN_F32, 1, FIRN_FIELD_STATE, get_rest},
    {"pbd.cell_soft", "1/Pa", "of the cells: one over Young's modulus", FIRN_F32, 1, FIRN_FIELD_STATE,
     get_compliance},
    {"pbd.cell_colour", "", "first cell of each colour, and their number", FIRN_U32, 1, FIRN_FIELD_STATE,
     get_colour},
};
const field_table pbd_cell_fields = FIELD_TABLE(rows);

static const pbd_solid_batch type = {
    .name = "cell",
    .names = {"pbd.cells", "pbd.cell_rest", "pbd.cell_soft", "pbd.cell_colour"},
    .empty = {.arity = PBD_CELL_CORNERS, .params = PBD_CELL_PARAMS, .multipliers = PBD_CELL_MULTIPLIERS},
    .draft = pbd_draft_cells_of,
    .is_torn = is_torn,
    .told = PBD_CELL_CORNERS - 1, // the opposite corner
};

PBD_SOLID_KIND_MAKERS(type, pbd_cell_lanes)

const pbd_kind pbd_cells = {
    .name = "cells",
    .unit = "",
    .changed = changed,
    .finish = pbd_solid_batch_tear,
    .fields = &pbd_cell_fields,
    PBD_SOLID_KIND,
};
