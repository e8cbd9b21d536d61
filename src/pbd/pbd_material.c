// Materials of elastic solids by name.
#include "pbd/pbd_material.h"

#include <math.h>

#include "base/auto.h"

// Spacings that sound may cross in an iteration. A clamped beam sags 2 % less than beam theory says at 0.26,
// 10 % more at 0.4 and twice as much at 1.2; a hanging cloth stretches 17 % too much at 0.33 (Gauss-Seidel;
// Jacobi needs about ten times more iterations).
static const double FAR = 0.3, FAR_THREADS = 0.16, JACOBI = 10;
static const double MOST_SUBSTEPS = 1e6;

// Typical values of each, by order of magnitude; not measured on one piece.
static const pbd_material materials[] = {
    [FIRN_PBD_NO_MATERIAL] = {500, 1e6, 0.3, 0, NAN, NAN},
    [FIRN_PBD_JELLY] = {1050, 1e4, 0.45, 0, NAN, NAN},
    [FIRN_PBD_FOAM] = {40, 1e5, 0.2, 0, NAN, NAN},      // upholstery
    [FIRN_PBD_RUBBER] = {1100, 2e6, 0.48, 0, NAN, NAN}, // soft
    [FIRN_PBD_CORK] = {180, 2e7, 0.05, 0, NAN, NAN},
    [FIRN_PBD_LEATHER] = {900, 5e7, 0.4, 2e-3, NAN, NAN},
    [FIRN_PBD_WOOD] = {450, 1e10, 0.3, 0, NAN, NAN},    // spruce, along its grain
    [FIRN_PBD_COTTON] = {375, 2e7, 0, 4e-4, 1e6, 1e-5}, // shirt cloth of 150 g/m2
    [FIRN_PBD_SILK] = {400, 5e7, 0, 1.5e-4, 5e5, 1e-6}, // 60 g/m2
    [FIRN_PBD_HEMP] = {900, 5e8, 0, 0.02, NAN, 1e-2},   // a rope: its yarns slide when it bends
};

bool pbd_is_elastic(const firn_pbd_solid_def *def) {
    return def->links == FIRN_PBD_ELASTIC || def->material != FIRN_PBD_NO_MATERIAL;
}

int pbd_lattice_dimensions(const firn_pbd_solid_def *def) {
    if (!(def->lattice.x > 0)) return 3;
    return (def->lattice.x > 1) + (def->lattice.y > 1) + (def->lattice.z > 1);
}

pbd_material pbd_material_of(const firn_pbd_solid_def *def, int dimensions) {
    pbd_material m = materials[def->material];
    double step = def->spacing * def->fill.scale;
    m.density = auto_or(def->density, m.density);
    m.young = auto_or(def->young, m.young);
    m.poisson = auto_or(def->poisson, m.poisson);
    m.thickness = auto_or(def->thickness, m.thickness > 0 ? m.thickness : step);
    double t3 = m.thickness * m.thickness * m.thickness;
    double bending = dimensions == 1 ? m.young * M_PI / 64 * t3 * m.thickness
                                     : m.young * t3 / (12 * (1 - m.poisson * m.poisson));
    m.shear = auto_or(def->shear, isnan(m.shear) ? m.young / (2 * (1 + m.poisson)) : m.shear);
    m.bending = auto_or(def->bending, isnan(m.bending) ? bending : m.bending);
    return m;
}

double pbd_particle_volume(const firn_pbd_solid_def *def, double step) {
    int dimensions = pbd_lattice_dimensions(def);
    double thickness = pbd_material_of(def, dimensions).thickness;
    if (dimensions == 3 || (firn_is_auto(def->thickness) && def->material == FIRN_PBD_NO_MATERIAL))
        return step * step * step;
    return dimensions == 2 ? step * step * thickness : step * M_PI / 4 * thickness * thickness;
}

int pbd_substeps_needed(const firn_pbd_def *def, const firn_pbd_solid_def *solid, double step) {
    if (!pbd_is_elastic(solid)) return 0;
    pbd_material m = pbd_material_of(solid, 3);
    double far = step * sqrt(m.young / m.density) / (solid->spacing * solid->fill.scale);
    if (def->solver != FIRN_PBD_GAUSS_SEIDEL) far *= JACOBI;
    double most = pbd_lattice_dimensions(solid) == 3 ? FAR : FAR_THREADS;
    return (int)fmin(ceil(far / (most * fmax(def->iterations, 1))), MOST_SUBSTEPS);
}

int pbd_substeps(const firn_pbd_def *def, double step) {
    if (def->substeps > 0) return def->substeps;
    int most = 1;
    for (size_t k = 0; k < def->solids.count; k++) {
        int needed = pbd_substeps_needed(def, &def->solids.items[k], step);
        if (needed > most) most = needed;
    }
    return most < PBD_MOST_AUTO_SUBSTEPS ? most : PBD_MOST_AUTO_SUBSTEPS;
}
