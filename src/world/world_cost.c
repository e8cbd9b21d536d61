// Estimates the cost of a run from sizes alone.
#include "world/world_state.h"

#include <math.h>

// Of an HDF5 file of ours: its head, ledgers and times.
enum { FILE_BYTES = 2048, CHECKPOINTS_KEPT = 2 };

static double steps_per_frame(const firn_world_def *def, double step) {
    return fmax(ceil(1 / (def->fps * step) - 1e-6), 1);
}

firn_status world_cost(const firn_world_def *def, firn_cost *cost, const char **largest) {
    TRY(world_sum_costs(def, cost, largest));
    cost->frames = (uint64_t)fmax(def->duration * def->fps + 0.5, 1);
    cost->steps = (uint64_t)((double)cost->frames * steps_per_frame(def, cost->step));
    cost->seconds *= (double)cost->steps; // the models gave seconds per step
    cost->disk = (cost->frames + 1 + 2 * CHECKPOINTS_KEPT) * (cost->disk + FILE_BYTES); // and bytes per frame
    return FIRN_OK;
}
