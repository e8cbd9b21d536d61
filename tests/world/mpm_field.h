// What the tests of MPM snow on the snow field share.
#ifndef TESTS_WORLD_MPM_FIELD_H
#define TESTS_WORLD_MPM_FIELD_H

#include "support.h"

#include <math.h>

#define HEAD "firn: 1\nfps: 50\nduration: 20 s\n"

static inline firn_world *open_world(const char *words) {
    firn_world *world;
    if (firn_world_open_text(words, "test", &world) != FIRN_OK) fail_msg("%s\n%s", firn_last_error(), words);
    return world;
}

static inline firn_ledger ledger_of(const firn_world *world, const char *model) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++)
        if (strcmp(firn_world_ledger(world, i).model, model) == 0) return firn_world_ledger(world, i);
    fail_msg("there is no model %s", model);
    return (firn_ledger){0};
}

static inline firn_coupling coupling_of(const firn_world *world) {
    for (size_t i = 0; i < firn_world_coupling_count(world); i++)
        if (strcmp(firn_world_coupling(world, i).name, "mpm_field") == 0)
            return firn_world_coupling(world, i);
    fail_msg("snow and field do not meet");
    return (firn_coupling){0};
}

static inline double mass_of(const firn_world *world) {
    return ledger_of(world, "mpm").mass + ledger_of(world, "field").mass;
}

static inline size_t particles_of(const firn_world *world) {
    return firn_world_field(world, "mpm.position").count;
}

typedef struct extent {
    double low[3], high[3], middle[3];
} extent;

static inline extent extent_of(const firn_world *world) {
    firn_field x = firn_world_field(world, "mpm.position");
    extent e = {{1e9, 1e9, 1e9}, {-1e9, -1e9, -1e9}, {0, 0, 0}};
    for (size_t i = 0; i < x.count; i++)
        for (int a = 0; a < 3; a++) {
            double at = ((const double *)x.data)[3 * i + (size_t)a];
            e.low[a] = fmin(e.low[a], at);
            e.high[a] = fmax(e.high[a], at);
            e.middle[a] += at / (double)x.count;
        }
    return e;
}

// Surface (m) and density of all cells; mem: room for both.
enum { MOST_CELLS = 200 * 200 };
static float heights[2][MOST_CELLS] __attribute__((unused)); // not by all
static inline size_t read_heights(const firn_world *world, float *out) {
    firn_snowfield f;
    assert_ok(firn_world_snowfield(world, &f));
    assert_true(f.nx * f.nz <= MOST_CELLS);
    firn_snowfield_read(&f, (firn_cells){0, 0, f.nx, f.nz}, out, NULL, NULL);
    return (size_t)f.nx * (size_t)f.nz;
}

#endif
