// Cells of an elastic solid. Each particle stands for the brick around it; of its eight parts, each belongs
// to the cell in which it is. A part where there is no cell, at the surface, is shared by the nearest cells
// that have the particle as a corner: so outer cells stand for all material up to the surface.
#include "pbd/pbd_cell.h"
#include "pbd/pbd_lattice.h"
#include "pbd/pbd_material.h"

enum { PARTS = 8 };

// Cells in which flipping `flips` of the part's directions puts it; their number.
static int nearest_cells(const pbd_lattice *l, const int64_t place[3], int part, int flips, size_t *index,
                         int *corner) {
    int found = 0;
    for (int flip = 0; flip < PARTS; flip++) {
        if (__builtin_popcount((unsigned)flip) != flips) continue;
        int toward = part ^ flip; // direction of the cell from the particle
        int64_t low[3];
        bool flat = false; // flipped along an axis with one layer: the same cell
        for (int a = 0; a < 3; a++) {
            low[a] = place[a] - (l->n[a] > 1 && !(toward >> a & 1));
            flat |= l->n[a] == 1 && (flip >> a & 1);
        }
        if (flat || !pbd_lattice_cell(l, low)) continue;
        index[found] = pbd_lattice_index(l, low);
        corner[found++] = ~toward & (PARTS - 1);
    }
    return found;
}

static void add_part(pbd_cell_material *m, int corner, int part, double share) {
    m->volume += share / PARTS;
    for (int a = 0; a < 3; a++) {
        double xi = (corner >> a & 1 ? 1 : -1) + (part >> a & 1 ? 0.5 : -0.5);
        m->first[a] += share / PARTS * xi;
        m->second[a] += share / PARTS * (xi * xi + 1.0 / 12);
    }
}

static void share_out(const pbd_lattice *l, pbd_cell_material *material) {
    size_t places = l->n[0] * l->n[1] * l->n[2];
    for (size_t i = 0; i < places; i++) {
        int64_t place[3];
        if (l->at[i] == PBD_NOBODY) continue;
        pbd_lattice_place(l, i, place);
        for (int part = 0; part < PARTS; part++) {
            size_t index[PARTS];
            int corner[PARTS], found = 0;
            for (int flips = 0; flips <= 3 && found == 0; flips++)
                found = nearest_cells(l, place, part, flips, index, corner);
            for (int k = 0; k < found; k++) add_part(&material[index[k]], corner[k], part, 1.0 / found);
        }
    }
}

static firn_status add_cell(const pbd_lattice *l, size_t i, const pbd_cell_material *m,
                            const pbd_material *of, pbd_draft *draft) {
    uint32_t corner[PBD_CELL_CORNERS];
    float rest[PBD_CELL_PARAMS];
    int64_t low[3];
    pbd_lattice_place(l, i, low);
    for (int k = 0; k < PBD_CELL_CORNERS; k++) {
        const int64_t at[3] = {low[0] + (k & 1), low[1] + (k >> 1 & 1), low[2] + (k >> 2)};
        corner[k] = pbd_lattice_particle(l, at);
    }
    for (int a = 0; a < 3; a++) {
        double middle = m->first[a] / m->volume;
        rest[PBD_CELL_EDGE + a] = (float)l->edge[a];
        rest[PBD_CELL_MIDDLE + a] = (float)middle;
        rest[PBD_CELL_SPREAD + a] = (float)(m->second[a] / m->volume - middle * middle);
    }
    rest[PBD_CELL_VOLUME] = (float)(m->volume * l->edge[0] * l->edge[1] * l->edge[2]);
    rest[PBD_CELL_POISSON] = (float)of->poisson;
    return pbd_draft_add(draft, corner, rest, (float)(1 / of->young));
}

firn_status pbd_share_material(const pbd_lattice *l, pbd_cell_material **out) {
    size_t places = l->n[0] * l->n[1] * l->n[2];
    *out = mem_zero(places, sizeof **out);
    if (!*out) return fail_memory("making cells", places * sizeof **out);
    share_out(l, *out);
    return FIRN_OK;
}

firn_status pbd_draft_cells_of(pbd *s, const firn_pbd_def *def, size_t number, pbd_draft *draft) {
    const firn_pbd_solid_def *solid = &def->solids.items[number];
    pbd_lattice l;
    pbd_cell_material *material = NULL;
    if (!pbd_is_elastic(solid)) return FIRN_OK;
    TRY(pbd_lattice_create(s, solid, &s->groups[number], &l));
    pbd_material of = pbd_material_of(solid, l.dimensions);
    size_t before = draft->count;
    firn_status status = l.dimensions == 3 ? pbd_share_material(&l, &material) : FIRN_OK;
    for (size_t i = 0; material && status == FIRN_OK && i < l.n[0] * l.n[1] * l.n[2]; i++)
        if (l.cell[i]) status = add_cell(&l, i, &material[i], &of, draft);
    s->groups[number].links += draft->count - before; // after those of pbd_links.c
    mem_free(material);
    pbd_lattice_free(&l);
    return status;
}
