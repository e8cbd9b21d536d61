// Lane C: distance constraints.
#include "pbd/pbd_distance.h"
#include "pbd/pbd_lanes.h"

#define PBD_ARITY 2
#define PBD_PAIR
#define PBD_PARAMS 1
#define PBD_LANES pbd_distance_lanes
#define value_of pbd_distance_value
#include "pbd/pbd_batch_lanes.h"
