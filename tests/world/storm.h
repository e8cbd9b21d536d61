// A storm over ground and a slanted block, and the check of the surface of its snow.
#ifndef TESTS_WORLD_STORM_H
#define TESTS_WORLD_STORM_H

#include "geom/meshes.h"

#include <firn/firn.h>

static const char storm[] =
    "firn: 1\nduration: 60 s\nfps: 10\nmax_step: 100 ms\n"
    "bodies: {ground: {shape: plane}, roof: {shape: {box: {size: [3.2 m, 3 m, 3 m]}}, at: [0, 0.2, 0],\n"
    "                                        rotate: [0, 0, 32 deg]}}\n"
    "wind: {grid: [28, 20, 24], cell: 20 cm, inflow: {side: west, speed: 2 m/s}}\n"
    "flakes: {snowfall: 3600 mm/h, shown: 4000}\n"
    "cover: {snow: fresh}\n";

static inline firn_world *open_storm(void) {
    firn_world *world;
    if (firn_world_open_text(storm, "storm", &world) != FIRN_OK) fail_msg("%s", firn_last_error());
    return world;
}

static inline mesh mesh_of(const firn_surface *s) {
    const firn_mesh *m = &s->mesh;
    return (mesh){(float(*)[3])m->position, (float(*)[3])m->normal, (uint32_t(*)[3])m->index, m->vertices,
                  m->triangles};
}

static inline void check_surface(const firn_surface *s, double tolerance) {
    mesh seen = mesh_of(s);
    assert_true(seen.triangles > 500);
    assert_two_manifold(&seen);
    assert_near(mesh_volume(&seen) / s->volume, 1, tolerance);
}

#endif
