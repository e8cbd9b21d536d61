// The lattice that the particles of a solid form.
#ifndef PBD_PBD_LATTICE_H
#define PBD_PBD_LATTICE_H

#include "pbd/pbd_batch.h"

#define PBD_NOBODY UINT32_MAX

typedef struct pbd_lattice {
    size_t n[3];    // layers along its axes
    double edge[3]; // m, between layers; of an axis with one layer: 0
    uint32_t *at;   // particle by place, x fastest; PBD_NOBODY: none
    bool
        *cell; // by the place of its lowest corner: all eight corners are there; of flat lattices four or two
    int dimensions; // axes with more than one layer
} pbd_lattice;

// FIRN_BAD_INPUT if they do not form one.
firn_status pbd_lattice_create(const pbd *s, const firn_pbd_solid_def *def, const pbd_group *group,
                               pbd_lattice *out);
void pbd_lattice_free(pbd_lattice *l);

// Particle or cell at a place, which may lie outside.
static inline bool pbd_lattice_inside(const pbd_lattice *l, const int64_t place[3]) {
    for (int a = 0; a < 3; a++)
        if (place[a] < 0 || place[a] >= (int64_t)l->n[a]) return false;
    return true;
}
static inline size_t pbd_lattice_index(const pbd_lattice *l, const int64_t place[3]) {
    return (size_t)place[0] + l->n[0] * ((size_t)place[1] + l->n[1] * (size_t)place[2]);
}
static inline uint32_t pbd_lattice_particle(const pbd_lattice *l, const int64_t place[3]) {
    return pbd_lattice_inside(l, place) ? l->at[pbd_lattice_index(l, place)] : PBD_NOBODY;
}
static inline bool pbd_lattice_cell(const pbd_lattice *l, const int64_t place[3]) {
    return pbd_lattice_inside(l, place) && l->cell[pbd_lattice_index(l, place)];
}
static inline void pbd_lattice_place(const pbd_lattice *l, size_t index, int64_t place[3]) {
    place[0] = (int64_t)(index % l->n[0]);
    place[1] = (int64_t)(index / l->n[0] % l->n[1]);
    place[2] = (int64_t)(index / l->n[0] / l->n[1]);
}
// Whether a particle is a corner of any cell.
bool pbd_lattice_is_corner(const pbd_lattice *l, const int64_t place[3]);

// pbd_cell_make.c: the material that each cell stands for, by place.
typedef struct pbd_cell_material {
    double volume;              // in cells; sums over it:
    double first[3], second[3]; // of xi (-1 .. 1 from corner to corner) and of its square
} pbd_cell_material;
firn_status pbd_share_material(const pbd_lattice *l, pbd_cell_material **out);
// The cells of an elastic solid.
firn_status pbd_draft_cells_of(pbd *s, const firn_pbd_def *def, size_t number, pbd_draft *draft);

#endif
