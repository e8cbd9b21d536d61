// Random input for bodies, grains, shapes and the rasteriser.
#ifndef CACHE_ISA_SHAPES_H
#define CACHE_ISA_SHAPES_H

#include "body/body_frame_lanes.h"
#include "cache/isa_input.h"
#include "draw/rasteriser.h"
#include "geom/bvh.h"
#include "geom/levelset_data.h"
#include "geom/mesh.h"
#include "geom/shape_lanes.h"
#include "geom/tessellate.h"
#include "grains/grains_lanes.h"

static frame_map random_frame(void) {
    frame_map map;
    fill(map.turn[0], 9, -1, 1);
    fill(map.at, 3, -5, 5);
    return map;
}

static void feed_frame_points(void) {
    const frame_map map = random_frame();
    fill_rows(3);
    ISA_PICK(frame_points)(&map, MANY, lines[0], lines[1], lines[2], lines[3], lines[4], lines[5]);
    put_rows(3, 3);
}

static void feed_frame_turn_back(void) {
    const frame_map map = random_frame();
    fill_rows(3);
    ISA_PICK(frame_turn_back)(&map, MANY, lines[0], lines[1], lines[2]);
    put_rows(0, 3);
}

static void feed_grains_fly(void) {
    grain_flight f = {.keep = between(0, 1), .travel = between(0, 0.01)};
    fill(f.gain, 3, -0.1, 0.1);
    fill(f.drop, 3, -0.001, 0.001);
    fill_rows(6);
    ISA_PICK(grains_fly)(&f, MANY, lines[0], lines[1], lines[2], lines[3], lines[4], lines[5]);
    put_rows(0, 6);
}

static void feed_grains_range(void) {
    fill_rows(2);
    for (size_t n = 1; n < MANY; n += 97) {
        float low = INFINITY, high = -INFINITY;
        ISA_PICK(grains_range)(n, lines[0], lines[1], &low, &high);
        put_number((double)low);
        put_number((double)high);
    }
}

static void feed_grains_contact(void) {
    grain_contact c = {
        .radius = 0.01f, .friction = 0.4f, .restitution = 0.3f, .slowest = 0.08f, .dt = 0.004f};
    fill(c.origin, 3, -1, 1);
    fill(c.velocity, 3, -1, 1);
    fill(c.spin, 3, -1, 1);
    c.gravity[1] = -9.81f;
    fill_rows(13);
    fill(lines[0], MANY, -0.02, 0.03);
    for (size_t i = 0; i < MANY; i++) {
        float l =
            sqrtf(lines[1][i] * lines[1][i] + lines[2][i] * lines[2][i] + lines[3][i] * lines[3][i]) + 1e-6f;
        for (int k = 1; k <= 3; k++) lines[k][i] /= l;
    }
    ISA_PICK(grains_contact)
    (&c, MANY, lines[0], lines[1], lines[2], lines[3], lines[4], lines[5], lines[6], lines[7], lines[8],
     lines[9], lines[10], lines[11], lines[12]);
    put_rows(4, 9);
}

static void feed_primitive_query(void) {
    for (firn_shape_kind kind = FIRN_SHAPE_BOX; kind <= FIRN_SHAPE_CYLINDER; kind++) {
        const shape_primitive s = {kind, {between(0.1, 0.5), between(0.1, 0.5), between(0.1, 0.5)}};
        fill_rows(3);
        ISA_PICK(primitive_query)
        (&s, MANY, lines[0], lines[1], lines[2], lines[3], lines[4], lines[5], lines[6]);
        put_rows(3, 1); // normals jump where two faces are equally near: test_isa_sets compares those
    }
}

static void random_mesh(mesh *m) {
    const shape_primitive s = {FIRN_SHAPE_ELLIPSOID,
                               {between(0.3, 0.6), between(0.3, 0.6), between(0.3, 0.6)}};
    assert_ok(tessellate_primitive(&s, m));
}

// The level set itself is built with one set: building and asking are compared apart.
static void feed_levelset_query_lanes(void) {
    mesh m;
    levelset *l;
    isa set = isa_active();
    random_mesh(&m);
    assert_true(isa_use(ISA_BASE));
    assert_ok(levelset_create(&m, 0.05f, "ball", &l));
    assert_true(isa_use(set));
    fill_rows(3);
    ISA_PICK(levelset_query_lanes)
    (l, MANY, lines[0], lines[1], lines[2], lines[3], lines[4], lines[5], lines[6]);
    put_rows(3, 1);
    levelset_destroy(l);
    mesh_free(&m);
}

static void with_tree(void (*ask)(const bvh *w, const float *const at[3])) {
    mesh m;
    bvh *w;
    random_mesh(&m);
    assert_ok(bvh_create(&m, &w));
    fill_rows(3);
    ask(w, (const float *const[3]){lines[0], lines[1], lines[2]});
    bvh_destroy(w);
    mesh_free(&m);
}

static void ask_nearest(const bvh *w, const float *const at[3]) {
    static uint32_t triangle[MANY + 21];
    uint32_t hint = 0;
    ISA_PICK(bvh_nearest_lanes)
    (w, MANY, at, &hint, lines[3], (float *const[3]){lines[4], lines[5], lines[6]}, triangle);
    put_rows(3, 1);
}
static void feed_bvh_nearest_lanes(void) { with_tree(ask_nearest); }

static void ask_number(const bvh *w, const float *const at[3]) {
    ISA_PICK(bvh_winding_number_lanes)(w, MANY, at, 2, lines[3]);
    put_rows(3, 1);
}
static void feed_bvh_winding_number_lanes(void) { with_tree(ask_number); }

static void feed_rasteriser_span(void) {
    enum { WIDTH = MANY / 16 * 16 };
    fill(lines[0], WIDTH, 0, 1);
    for (int i = 0; i < 20; i++) {
        int x0 = (int)between(0, WIDTH - 1), x1 = (int)between(x0, WIDTH);
        const raster_span s = {between(0, 1), between(-0.01, 0.01), 0.1f, 0.9f, between(0, 0.01)};
        ISA_PICK(rasteriser_span)(&s, lines[0], x0, x1);
    }
    put(lines[0], WIDTH);
}

#endif
