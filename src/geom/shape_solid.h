// Meshes with their level set, built once and shared by equal shapes.
#ifndef GEOM_SHAPE_SOLID_H
#define GEOM_SHAPE_SOLID_H

#include "base/file.h"
#include "geom/levelset.h"
#include "geom/shape.h"

// Identity of a solid.
typedef struct solid_make {
    firn_shape_kind kind;
    const char *path; // of its file; NULL for generated ones
    uint64_t seed;    // of generated ones
    bool standing;    // scaled to height 1, on y = 0, its middle above the origin
    int32_t style;    // of trees: firn_tree_species
    double length;    // of fences, in heights
    float cell;       // of the level set, in the solid's own units; 0: as fits the kind
} solid_make;

typedef struct solid {
    mesh mesh;
    levelset *set;
    shape_mass mass;
    shape_probe *probes;
    size_t probe_count;
    float low[3], high[3];
    double thickness;
    bool turned; // all its triangles faced inwards
} solid;
void solid_free(solid *s); // its contents

// `name` is used in messages. Release with solid_release.
firn_status solid_obtain(const solid_make *make, const char *name, solid **out);
void solid_release(solid *s); // NULL is allowed

// Between hold and let go, unused solids are kept, so that the next fill of the same shape finds them. Holds
// nest.
void solids_hold(void);
void solids_release(void);
// Writes the solids at hand that were built from a file of this content to the folder `own`
// of a run, for the next process.
firn_status solids_keep(uint64_t file_hash, const file_folder *run, const char *own);

#endif
