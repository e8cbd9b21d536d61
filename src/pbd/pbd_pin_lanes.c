// Lane C: particles pinned to a point.
#include "pbd/pbd_pin.h"
#include "pbd/pbd_lanes.h"

#define PBD_ARITY 1
#define PBD_PARAMS 3
#define PBD_LANES pbd_pin_lanes
#define value_of pbd_pin_value
#include "pbd/pbd_batch_lanes.h"
