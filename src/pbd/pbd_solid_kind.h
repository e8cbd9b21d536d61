// What kinds of constraints have in common that come with solids and are made of batches.
#ifndef PBD_PBD_SOLID_KIND_H
#define PBD_PBD_SOLID_KIND_H

#include "pbd/pbd_lanes.h"

// Their create and remake, of a pbd_solid_batch and its table of loops.
#define PBD_SOLID_KIND_MAKERS(type, lanes)                                                                   \
    static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {        \
        (void)bodies;                                                                                        \
        return pbd_solid_batch_create(s, def, &(type), PBD_PICK_LANES(lanes), data);                         \
    }                                                                                                        \
    static firn_status remake(pbd *s, const firn_pbd_def *def, const pbd_solid_change *change,               \
                              void **data) {                                                                 \
        return pbd_solid_batch_remake(s, def, &(type), PBD_PICK_LANES(lanes), change, data);                 \
    }

// Members of their pbd_kind; name, unit, changed, finish and fields are their own.
#define PBD_SOLID_KIND                                                                                       \
    .create = create, .destroy = pbd_batch_destroy, .find = pbd_batch_find,                                  \
    .count_constraints = pbd_batch_count_constraints, .project = pbd_batch_project,                          \
    .jacobi = pbd_batch_jacobi, .residual = pbd_batch_residual, .resize = pbd_solid_batch_resize,            \
    .loaded = pbd_solid_batch_loaded, .remake = remake

#endif
