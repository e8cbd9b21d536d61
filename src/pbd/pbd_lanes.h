// The tables of loops of all types of constraints, one per instruction set.
#ifndef PBD_PBD_LANES_H
#define PBD_PBD_LANES_H

#include "base/isa.h"
#include "pbd/pbd_batch.h"

#define PBD_DECLARE_LANES(name) ISA_DECLARE_CONST(pbd_batch_lanes, name)
#define PBD_PICK_LANES(name) ISA_PICK_CONST(name)

PBD_DECLARE_LANES(pbd_distance_lanes);
PBD_DECLARE_LANES(pbd_cell_lanes);
PBD_DECLARE_LANES(pbd_bend_lanes);
PBD_DECLARE_LANES(pbd_square_lanes);
PBD_DECLARE_LANES(pbd_pin_lanes);

#endif
