// A coarser world of the same scene: what happens in it happens at the same time, for a fraction of the work.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "world/world.h"

static void *copy_of(arena *memory, const void *what, size_t bytes, bool *failed) {
    void *copy = arena_alloc(memory, bytes);
    if (copy)
        memcpy(copy, what, bytes);
    else
        *failed = true;
    return copy;
}

#define COPY(what, count) copy_of(memory, what, (count) * sizeof *(what), &failed)

static void coarsen_wind(firn_wind_def *wind, double factor) {
    enum { FEWEST = 6 };
    double least = fmin(fmin(wind->grid.x, wind->grid.y), wind->grid.z);
    factor = fmin(factor, fmax(least / FEWEST, 1));
    wind->grid =
        (firn_vec3){ceil(wind->grid.x / factor), ceil(wind->grid.y / factor), ceil(wind->grid.z / factor)};
    wind->cell *= factor;
}

static bool may_leave(const firn_body_def *body) { return body->motion.kind == FIRN_MOTION_DYNAMIC; }

static size_t count_free(const firn_world_def *def) {
    size_t count = 0;
    for (size_t i = 0; i < def->bodies.count; i++) count += may_leave(&def->bodies.items[i]);
    return count;
}

// Many bodies in a snow field and nothing else: their prints cost, and each makes its own.
double world_bodies_share(const firn_world_def *def) {
    enum { SAMPLE = 24 };
    if (!def->field || def->grains || def->wind || def->mpm || def->phase || def->pbd) return 1;
    return fmax((double)count_free(def) / SAMPLE, 1);
}

static bool thin_out_bodies(const firn_world_def *def, double share, arena *memory, firn_world_def *out) {
    bool failed = false;
    firn_body_def *kept = COPY(def->bodies.items, def->bodies.count);
    size_t count = 0, seen = 0;
    if (failed) return false;
    for (size_t i = 0; i < def->bodies.count; i++) {
        if (may_leave(&kept[i])) seen++;
        if (may_leave(&kept[i]) && floor((double)seen / share) == floor((double)(seen - 1) / share)) continue;
        kept[count++] = kept[i];
    }
    out->bodies.items = kept;
    out->bodies.count = count;
    return true;
}

// The snow field stays: its cells set the steps of all, and rarely their time.
firn_status world_coarsen(const firn_world_def *def, double factor, arena *memory, firn_world_def *out) {
    bool failed = false;
    *out = *def;
    if (def->grains) {
        firn_grains_def *grains = COPY(def->grains, 1);
        firn_grains_fill_def *fill = grains ? COPY(grains->fill.items, grains->fill.count) : NULL;
        for (size_t i = 0; fill && i < grains->fill.count; i++) fill[i].spacing *= factor;
        if (fill) grains->fill.items = fill;
        out->grains = grains;
    }
    if (def->mpm) {
        firn_mpm_def *mpm = COPY(def->mpm, 1);
        if (mpm) mpm->cell *= factor;
        out->mpm = mpm;
    }
    if (def->wind) {
        firn_wind_def *wind = COPY(def->wind, 1);
        if (wind) coarsen_wind(wind, factor);
        out->wind = wind;
    }
    if (def->flakes) {
        firn_flakes_def *flakes = COPY(def->flakes, 1);
        if (flakes) flakes->shown = (int32_t)(flakes->shown / (factor * factor * factor)) + 1;
        out->flakes = flakes;
    }
    if (def->pbd && def->pbd->fluid) {
        firn_pbd_def *pbd = COPY(def->pbd, 1);
        firn_pbd_fluid_def *fluid = COPY(def->pbd->fluid, 1);
        if (fluid) fluid->spacing *= factor;
        if (fluid && fluid->smoothing > 0) fluid->smoothing *= factor;
        if (pbd) pbd->fluid = fluid;
        out->pbd = pbd;
    }
    if (def->phase) {
        firn_phase_def *phase = COPY(def->phase, 1);
        if (phase) phase->mass *= factor * factor * factor;
        if (phase && phase->smoothing > 0) phase->smoothing *= factor;
        out->phase = phase;
    }
    double share = world_bodies_share(def);
    if (share > 1 && !thin_out_bodies(def, share, memory, out)) failed = true;
    return failed ? fail_memory("a coarser world", 0) : FIRN_OK;
}

double world_coarse_power(const firn_world_def *def) {
    if (def->mpm) return 4; // particles, and the length of a step
    if (def->grains || def->wind || def->phase || (def->pbd && def->pbd->fluid)) return 3;
    return 0;
}
