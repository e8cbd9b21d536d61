// All types of constraints.
#ifndef PBD_PBD_KINDS_H
#define PBD_PBD_KINDS_H

#include "pbd/pbd_state.h"

extern const pbd_kind pbd_distance; // pbd_distance.c
extern const pbd_kind pbd_cells;    // pbd_cells.c
extern const pbd_kind pbd_bends;    // pbd_bends.c
extern const pbd_kind pbd_squares;  // pbd_squares.c
extern const pbd_kind pbd_box;      // pbd_box.c
extern const pbd_kind pbd_pin;      // pbd_pin.c
extern const pbd_kind pbd_shape;    // pbd_shape.c
extern const pbd_kind pbd_volume;   // pbd_volume.c
extern const pbd_kind pbd_contact;  // pbd_contact.c
extern const pbd_kind pbd_bodies;   // pbd_bodies.c
extern const pbd_kind pbd_density;  // pbd_fluid.c
extern const pbd_kind pbd_foam;     // pbd_foam.c: no constraint, but made in each step
extern const pbd_kind pbd_outside;  // pbd_outside.c: kinds that the program registered
extern const field_table pbd_distance_fields, pbd_cell_fields, pbd_bend_fields, pbd_square_fields,
    pbd_pin_fields, pbd_density_fields, pbd_outside_fields, pbd_foam_fields;

const char *const *pbd_outside_names(void); // of those kinds; ends in NULL

// Where the walls of the box are at a moment, from an origin.
typedef struct pbd_room {
    float low[3], high[3]; // m
} pbd_room;
pbd_room pbd_box_at(const void *data, double time, firn_vec3 origin);
double pbd_box_friction(const void *data);

#endif
