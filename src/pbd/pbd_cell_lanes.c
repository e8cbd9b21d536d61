// Lane C: elastic cells.
#include "pbd/pbd_cell.h"
#include "pbd/pbd_lanes.h"

#define PBD_ARITY PBD_CELL_CORNERS
#define PBD_PARAMS PBD_CELL_PARAMS
#define PBD_MULTIPLIERS PBD_CELL_MULTIPLIERS
#define PBD_LANES pbd_cell_lanes
#define solve_of pbd_cell_solve
#include "pbd/pbd_batch_lanes.h"
