// Lane C: bending of ropes and cloth.
#include "pbd/pbd_lanes.h"
#include "pbd/pbd_sheet.h"

#define PBD_ARITY PBD_BEND_PARTICLES
#define PBD_PARAMS PBD_BEND_PARAMS
#define PBD_MULTIPLIERS PBD_BEND_MULTIPLIERS
#define PBD_LANES pbd_bend_lanes
#define solve_of pbd_bend_solve
#include "pbd/pbd_batch_lanes.h"
