// Lane C: shear and twist of cloth.
#include "pbd/pbd_lanes.h"
#include "pbd/pbd_sheet.h"

#define PBD_ARITY PBD_SQUARE_PARTICLES
#define PBD_PARAMS PBD_SQUARE_PARAMS
#define PBD_MULTIPLIERS PBD_SQUARE_MULTIPLIERS
#define PBD_LANES pbd_square_lanes
#define solve_of pbd_square_solve
#include "pbd/pbd_batch_lanes.h"
