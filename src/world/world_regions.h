// The regions that the models of a scene fill at the start, and which models interact.
#ifndef WORLD_WORLD_REGIONS_H
#define WORLD_WORLD_REGIONS_H

#include "geom/fill.h"
#include "world/couple.h"

// A shape that a model fills with particles.
typedef struct world_fill {
    const char *model; // "mpm"
    char path[160];    // "mpm.snow.ball"
    const firn_shape_def *shape;
    double scale;
    firn_vec3 at, rotate; // m, rad
    double spacing;       // m; the cell of mpm, the distance of particles otherwise
    bool gives_way;       // leaves out what would start inside something else
    bool solid;           // must be some cells thick to be more than dust
    bool planned;         // by fill_plan_of, with these sizes
    fill_sizes sizes;
    firn_fill_pattern pattern;
} world_fill;
// All fills of the def, in order, into *out (mem_free); pbd solids made as a lattice have no shape and are
// left out, and so is what enters later.
firn_status world_fills(const firn_world_def *def, world_fill **out, size_t *count);

// A pair of models that interact, and how. docs/who-meets-whom.md lists them all.
typedef struct world_meeting {
    const char *a, *b, *what;
    const coupling_class *kind; // NULL: models do that in their own steps
    size_t number;              // of the coupling
} world_meeting;
bool world_meeting_at(size_t index, world_meeting *out); // false: there are no more
bool world_meeting_is_on(const firn_world_def *def, const world_meeting *m);
// Whether anything passes between two models of these names in a scene: forces, snow or heat.
bool world_models_meet(const firn_world_def *def, const char *a, const char *b);

#endif
