// Clods and cracks on the mesh of a snow field: where it is torn, and nowhere else.
#include <math.h>

#include "geom/field_relief.h"
#include "support.h"

enum { EDGE = 16, TILES = 4, N = EDGE * TILES };
#define PACKED 300.0f

// Flat snow of 20 cm with a pressed square in it, 12 cm deep, and a rim around that.
typedef struct pressed {
    firn_snowfield f;
    int32_t tile[TILES * TILES], place[2 * TILES * TILES];
    float ground[N * N], depth[N * N], density[N * N];
} pressed;

enum { FIRST = 24, LAST = 40 };

static pressed *press(void) {
    pressed *l = test_calloc(1, sizeof *l);
    l->f = (firn_snowfield){.cell = 0.02, .nx = N, .nz = N, .even = true, .plain_depth = 0.2};
    l->f.plain_density = 100, l->f.edge = EDGE, l->f.columns = l->f.rows = TILES;
    l->f.tiles = TILES * TILES;
    l->f.tile = l->tile, l->f.ground = l->ground, l->f.depth = l->depth;
    l->f.density = l->density, l->f.place = l->place;
    for (int32_t t = 0; t < TILES * TILES; t++) {
        l->tile[t] = t;
        l->place[2 * t] = t % TILES, l->place[2 * t + 1] = t / TILES;
        for (int32_t i = 0; i < EDGE * EDGE; i++) {
            int32_t x = t % TILES * EDGE + i % EDGE, z = t / TILES * EDGE + i / EDGE;
            bool in = x >= FIRST && x < LAST && z >= FIRST && z < LAST;
            l->depth[t * EDGE * EDGE + i] = in ? 0.08f : 0.2f;
            l->density[t * EDGE * EDGE + i] = in ? PACKED : 100;
        }
    }
    return l;
}

// Cells from the wall of the square, > 0 within it.
static int within(const int32_t corner[2]) {
    int x = corner[0] - FIRST < LAST - corner[0] ? corner[0] - FIRST : LAST - corner[0],
        z = corner[1] - FIRST < LAST - corner[1] ? corner[1] - FIRST : LAST - corner[1];
    return x < z ? x : z;
}

static void snow_is_torn_at_rims_only(void **state) {
    (void)state;
    pressed *l = press();
    height_mesh plain = {0}, moved = {0};
    field_relief relief = {0};
    const height_mesh_look look = {.pixel = 0};
    assert_ok(height_mesh_build(&l->f, &look, &plain));
    assert_ok(height_mesh_build(&l->f, &look, &moved));
    assert_ok(field_relief_move(&l->f, PACKED, &moved, &relief));
    size_t clods = 0, cracks = 0;
    float deepest = 0;
    for (size_t i = 0; i < plain.mesh.vertices; i++) {
        const float *a = plain.mesh.position[i], *b = moved.mesh.position[i];
        float way = hypotf(hypotf(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
        int in = within(moved.corner[i]);
        assert_memory_equal(relief.rest[i], a, 3 * sizeof *a);
        if (in > 4 || in < -8) assert_true(way == 0); // untouched snow, and pressed snow away from rims
        clods += in >= -2 && in <= 0 && way > 1e-3f;
        if (in < 2 || in > 4) continue;
        cracks += a[1] - b[1] > 2e-3f;
        deepest = fmaxf(deepest, a[1] - b[1]);
        assert_true(
            fabsf(hypotf(hypotf(moved.mesh.normal[i][0], moved.mesh.normal[i][1]), moved.mesh.normal[i][2]) -
                  1) < 1e-4f);
    }
    print_message("%zu vertices in clods, %zu in cracks, %.1f mm deep\n", clods, cracks,
                  1000 * (double)deepest);
    assert_true(clods > 20 && cracks > 5 && deepest < 0.015f);
    firn_set_threads(3); // and again: the same bits
    height_mesh again = {0};
    assert_ok(height_mesh_build(&l->f, &look, &again));
    assert_ok(field_relief_move(&l->f, PACKED, &again, &relief));
    assert_memory_equal(again.mesh.position, moved.mesh.position,
                        moved.mesh.vertices * sizeof *moved.mesh.position);
    firn_set_threads(0);
    height_mesh_free(&plain), height_mesh_free(&moved), height_mesh_free(&again);
    mem_free(relief.rest);
    test_free(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(snow_is_torn_at_rims_only)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
