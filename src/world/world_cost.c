// Estimates the cost of a run from sizes alone.
#include "world/world_models.h"
#include "world/world_state.h"

#include <math.h>

// Of an HDF5 file of ours: its head, ledgers and times.
enum { FILE_BYTES = 2048, CHECKPOINTS_KEPT = 2 };

static double steps_per_frame(const firn_world_def *def, double step) {
    return fmax(ceil(1 / (def->fps * step) - 1e-6), 1);
}

// Adds what one model says of itself: bytes of a frame, and the time of a frame from that of its steps, each
// model on its own clock (world_clocks.c). *slowest: the longest step of a model.
static firn_status add_cost(const firn_world_def *def, const model_class *kind, const void *params,
                            firn_cost *sum, double *slowest) {
    model_setting setting = world_setting(def);
    double before = sum->seconds;
    sum->seconds = 0, sum->step = def->max_step;
    if (kind->cost) TRY(kind->cost(params, &setting, sum));
    sum->seconds = before + sum->seconds * steps_per_frame(def, sum->step);
    if (kind != &body_model) *slowest = fmax(*slowest, sum->step);
    return FIRN_OK;
}

static firn_status sum_costs(const firn_world_def *def, firn_cost *sum, const char **largest) {
    *sum = (firn_cost){.memory = sizeof(firn_world)};
    double slowest = 0;
    size_t count;
    uint64_t most = 0;
    const model_class *const *classes = world_model_classes(&count);
    for (size_t i = 0; i < count; i++) {
        const void *params = world_section(def, classes[i]);
        uint64_t before = sum->memory;
        if (!params) continue;
        TRY(add_cost(def, classes[i], params, sum, &slowest));
        if (sum->memory - before <= most) continue;
        most = sum->memory - before;
        if (largest) *largest = classes[i]->name;
    }
    sum->step = slowest > 0 ? slowest : def->max_step;
    return FIRN_OK;
}

firn_status world_cost(const firn_world_def *def, firn_cost *cost, const char **largest) {
    TRY(sum_costs(def, cost, largest));
    cost->frames = (uint64_t)fmax(def->duration * def->fps + 0.5, 1);
    cost->steps = (uint64_t)((double)cost->frames * steps_per_frame(def, cost->step));
    cost->seconds *= (double)cost->frames; // the models gave that of a frame
    cost->disk = (cost->frames + 1 + 2 * CHECKPOINTS_KEPT) * (cost->disk + FILE_BYTES); // and bytes per frame
    return FIRN_OK;
}
