// Scenes of scenes/mpm at reduced size, and what can be measured in them.
#ifndef TESTS_MPM_SCENES_H
#define TESTS_MPM_SCENES_H

#include "mpm/snow.h"

#include "base/memory.h"
#include "scene/scene.h"

typedef struct scene_run {
    const char *name;
    scene *scene;
    firn_world *world;
    double cell; // m
} scene_run;

// `set`: overrides with semicolons between them, at most eight: "mpm.cell=20cm;seed=2".
static inline scene_run scene_run_open(const char *name, const char *set) {
    char path[1024], words[256];
    const char *items[8];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/scenes/mpm/%s.yaml", FIRN_SOURCE_DIR, name);
    snprintf(words, sizeof words, "%s", set);
    for (char *word = strtok(words, ";"); word && count < 8; word = strtok(NULL, ";")) items[count++] = word;
    scene_run run = {.name = name};
    assert_ok(scene_open(path, (firn_overrides){items, count}, &run.scene));
    assert_ok(firn_world_create(&run.scene->def.world, &run.world));
    run.cell = run.scene->def.world.mpm->cell;
    return run;
}

static inline void scene_run_close(scene_run *run) {
    firn_world_close(run->world);
    scene_close(run->scene);
}

static inline const float *scene_field(const scene_run *run, const char *name, size_t *count) {
    firn_field field = firn_world_field(run->world, name);
    if (!field.data) fail_msg("%s: there is no field %s", run->name, name);
    if (count) *count = field.count;
    return field.data;
}

// How deep the deepest particle is inside a body, m.
static inline double scene_penetration(const scene_run *run) {
    size_t count;
    snow_positions(run->world, &count);
    float *distance = mem_zero(count, sizeof *distance);
    assert_non_null(distance);
    double deepest = 0;
    for (size_t b = 0; b < firn_world_body_count(run->world); b++) {
        snow_distances(run->world, b, distance);
        for (size_t i = 0; i < count; i++) deepest = fmax(deepest, -(double)distance[i]);
    }
    mem_free(distance);
    return deepest;
}

// What every scene keeps: nothing lost, nothing inside a body, every number finite.
static inline void scene_check(const scene_run *run) {
    firn_ledger ledger = snow_ledger(run->world);
    size_t count;
    const double *x = snow_positions(run->world, &count);
    const float *v = scene_field(run, "mpm.velocity", NULL), *jp = scene_field(run, "mpm.plastic", NULL);
    for (size_t i = 0; i < 3 * count; i++)
        if (!isfinite(x[i]) || !isfinite(v[i])) fail_msg("%s: particle %zu is nowhere", run->name, i / 3);
    for (size_t i = 0; i < count; i++)
        if (!(jp[i] > 0 && isfinite(jp[i]))) fail_msg("%s: J_P of particle %zu is %g", run->name, i, jp[i]);
    if (ledger.mass_lost != 0 || (ledger.mass_out != 0 && run->scene->def.world.mpm->remove.count == 0))
        fail_msg("%s: %g kg left, %g kg of it lost", run->name, ledger.mass_out, ledger.mass_lost);
    double deep = scene_penetration(run);
    if (deep > 0.01 * run->cell || snow_inside(run->world) != 0)
        fail_msg("%s: a particle is %.3g cells inside a body; the series knows of %g", run->name,
                 deep / run->cell, snow_inside(run->world));
}

// Frame by frame, and checked after each.
static inline void scene_advance(scene_run *run, double seconds) {
    double end = firn_world_time(run->world) + seconds;
    while (firn_world_time(run->world) < end - 1e-9) {
        double left = end - firn_world_time(run->world), frame = 0.1;
        assert_ok(firn_world_advance(run->world, left < frame ? left : frame));
        scene_check(run);
    }
}

// Pieces of snow: particles in the same or in touching cubes of edge `reach` belong together.
typedef struct scene_pieces {
    size_t count;
    double largest; // share of all particles in the largest
} scene_pieces;

typedef struct piece_grid {
    int low[3], size[3];
    uint32_t *label; // by cube: 0 empty, 1 snow, 2.. piece
    uint32_t *stack;
} piece_grid;

static inline size_t piece_cube(const piece_grid *g, const double *x, double reach) {
    size_t at = 0;
    for (int a = 0; a < 3; a++) at = at * (size_t)g->size[a] + (size_t)((int)floor(x[a] / reach) - g->low[a]);
    return at;
}

static inline void piece_flood(piece_grid *g, size_t from, uint32_t name) {
    size_t depth = 0;
    g->label[from] = name;
    g->stack[depth++] = (uint32_t)from;
    while (depth) {
        size_t at = g->stack[--depth];
        for (int n = 0; n < 27; n++) { // the cube lattice has an empty border
            ptrdiff_t by = ((n / 9 - 1) * g->size[1] + n / 3 % 3 - 1) * (ptrdiff_t)g->size[2] + n % 3 - 1;
            size_t next = (size_t)((ptrdiff_t)at + by);
            if (g->label[next] != 1) continue;
            g->label[next] = name;
            g->stack[depth++] = (uint32_t)next;
        }
    }
}

static inline piece_grid piece_grid_make(const double *x, size_t count, double reach) {
    piece_grid g = {.low = {INT32_MAX, INT32_MAX, INT32_MAX}};
    int high[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
    for (size_t i = 0; i < 3 * count; i++) {
        int at = (int)floor(x[i] / reach);
        if (at < g.low[i % 3]) g.low[i % 3] = at;
        if (at > high[i % 3]) high[i % 3] = at;
    }
    for (int a = 0; a < 3; a++) {
        g.low[a]--;
        g.size[a] = high[a] - g.low[a] + 2;
    }
    size_t cubes = (size_t)g.size[0] * (size_t)g.size[1] * (size_t)g.size[2];
    g.label = mem_zero(cubes, sizeof *g.label);
    g.stack = mem_zero(cubes, sizeof *g.stack);
    assert_true(g.label && g.stack);
    return g;
}

static inline scene_pieces piece_count(const double *x, size_t count, double reach) {
    if (count == 0) return (scene_pieces){0};
    piece_grid g = piece_grid_make(x, count, reach);
    for (size_t i = 0; i < count; i++) g.label[piece_cube(&g, x + 3 * i, reach)] = 1;
    uint32_t names = 2;
    for (size_t i = 0; i < count; i++) {
        size_t at = piece_cube(&g, x + 3 * i, reach);
        if (g.label[at] == 1) piece_flood(&g, at, names++);
    }
    size_t *members = mem_zero(names, sizeof *members), most = 0;
    assert_non_null(members);
    for (size_t i = 0; i < count; i++) members[g.label[piece_cube(&g, x + 3 * i, reach)]]++;
    for (uint32_t p = 2; p < names; p++)
        if (members[p] > most) most = members[p];
    mem_free(members);
    mem_free(g.label);
    mem_free(g.stack);
    return (scene_pieces){names - 2, (double)most / (double)count};
}

// Only snow whose plastic volume is below `torn` counts: what is torn holds nothing together.
static inline scene_pieces scene_count_pieces(const scene_run *run, double reach, double torn) {
    size_t all, count = 0;
    const double *x = snow_positions(run->world, &all);
    const float *jp = scene_field(run, "mpm.plastic", NULL);
    double *whole = mem_zero(3 * all + 3, sizeof *whole);
    assert_non_null(whole);
    for (size_t i = 0; i < all; i++)
        if ((double)jp[i] < torn) memcpy(whole + 3 * count++, x + 3 * i, 3 * sizeof *whole);
    scene_pieces pieces = piece_count(whole, count, reach);
    pieces.largest *= (double)count / (double)all;
    mem_free(whole);
    return pieces;
}

// Height under which the given share of the snow lies, m.
static inline int scene_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double scene_height(const scene_run *run, double share) {
    size_t count;
    const double *x = snow_positions(run->world, &count);
    double *y = mem_zero(count, sizeof *y);
    assert_non_null(y);
    for (size_t i = 0; i < count; i++) y[i] = x[3 * i + 1];
    qsort(y, count, sizeof *y, scene_order);
    double height = y[(size_t)(share * (double)(count - 1))];
    mem_free(y);
    return height;
}

#endif
