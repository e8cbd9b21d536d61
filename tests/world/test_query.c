// firn-test: threaded
// Rays and depths against closed forms, meshes of bodies, and pointers of the program at bodies.
#include "worlds.h"

#include <math.h>

#include "geom/mesh.h"
#include "math/dvec.h"
#include "world/rays.h"

enum { BALL, BOX, SLOPE, SEED = 11 };
static const char solids[] =
    "firn: 1\nbodies:\n"
    "  ball: {shape: {sphere: {radius: 50 cm}}, at: [0, 2, 0]}\n"
    "  box: {shape: {box: {size: [1 m, 2 m, 3 m]}}, at: [3, 2, 0], rotate: [0, 30 deg, 20 deg]}\n"
    "  slope: {shape: plane, rotate: [0, 0, 10 deg]}\n";

static double to_sphere(firn_vec3 o, firn_vec3 d, firn_vec3 centre, double radius) {
    firn_vec3 from = dvec_sub(o, centre);
    double b = dvec_dot(from, d), c = dvec_dot(from, from) - radius * radius, root = b * b - c;
    return c > 0 && root >= 0 && b < 0 ? -b - sqrt(root) : INFINITY;
}

static double to_box(firn_vec3 o, firn_vec3 d, const firn_body_state *s, firn_vec3 half) {
    firn_vec3 from = dquat_rotate_back(s->rotation, dvec_sub(o, s->position)),
              by = dquat_rotate_back(s->rotation, d);
    const double p[3] = {from.x, from.y, from.z}, v[3] = {by.x, by.y, by.z}, h[3] = {half.x, half.y, half.z};
    double first = -INFINITY, last = INFINITY;
    for (int k = 0; k < 3; k++) {
        first = fmax(first, fmin((-h[k] - p[k]) / v[k], (h[k] - p[k]) / v[k]));
        last = fmin(last, fmax((-h[k] - p[k]) / v[k], (h[k] - p[k]) / v[k]));
    }
    return first > 0 && first <= last ? first : INFINITY;
}

static double to_plane(firn_vec3 o, firn_vec3 d, firn_vec3 n) {
    double above = dvec_dot(o, n), by = dvec_dot(d, n);
    return above > 0 && by < 0 ? -above / by : INFINITY;
}

// Random rays: the nearest of three closed forms. Rays that graze (no hit within a tolerance) are left out.
static void test_bodies_in_closed_form(void **state) {
    (void)state;
    enum { RAYS = 3000 };
    firn_world *world = open_text(solids);
    firn_body_state box = firn_world_body_state(world, BOX);
    firn_vec3 n = dquat_rotate(firn_world_body_state(world, SLOPE).rotation, dvec(0, 1, 0));
    static firn_ray rays[RAYS];
    static firn_hit hits[RAYS];
    for (uint32_t i = 0; i < RAYS; i++)
        rays[i] = (firn_ray){dvec_add(random_vec(SEED, i, 0, 4), dvec(1, 3, 0)), random_vec(SEED, i, 1, 2),
                             INFINITY, 0};
    assert_ok(firn_world_rays(world, RAYS, rays, hits));
    size_t seen[3] = {0}, nothing = 0;
    for (uint32_t i = 0; i < RAYS; i++) {
        firn_vec3 o = rays[i].origin, d = dvec_normalise(rays[i].direction);
        double t[3] = {to_sphere(o, d, dvec(0, 2, 0), 0.5), to_box(o, d, &box, dvec(0.5, 1, 1.5)),
                       to_plane(o, d, n)};
        int first = t[0] < t[1] ? 0 : 1;
        if (t[2] < t[first]) first = 2;
        const firn_hit *h = &hits[i];
        if (isinf(t[first])) {
            nothing += h->what == 0;
            assert_true(h->what == 0 || h->body != SLOPE);
            continue;
        }
        double bend = h->what ? fabs(dvec_dot(h->normal, d)) : 0;
        if (h->body != (size_t)first || bend < 0.05) continue; // grazes an edge
        seen[first]++;
        assert_int_equal(h->what, FIRN_RAY_BODIES);
        assert_near(h->distance, t[first], 1e-4 / bend);
        assert_near(dvec_distance(h->point, dvec_add_scaled(o, d, h->distance)), 0, 1e-9);
        assert_near(dvec_length(h->normal), 1, 1e-5);
        if (first == BALL) assert_near(dvec_dot(h->normal, dvec_sub(h->point, dvec(0, 2, 0))), 0.5, 1e-4);
        if (first == SLOPE) assert_near(dvec_dot(h->normal, n), 1, 1e-9);
    }
    print_message("hits: ball %zu, box %zu, slope %zu; nothing %zu\n", seen[0], seen[1], seen[2], nothing);
    assert_true(seen[BALL] > 20 && seen[BOX] > 100 && seen[SLOPE] > 800 && nothing > 300);
    assert_true(seen[0] + seen[1] + seen[2] + nothing > RAYS * 95 / 100);
    firn_world_close(world);
}

static void test_origin_inside_and_limits(void **state) {
    (void)state;
    firn_world *world = open_text(solids);
    firn_hit hit;
    // From inside the ball to the ground below it.
    assert_ok(firn_world_ray(world, dvec(0, 2, 0), dvec(0, -3, 0), 10, &hit));
    assert_int_equal(hit.body, SLOPE);
    assert_near(hit.distance, 2, 1e-9);
    // Not as far as the ball; just as far.
    assert_ok(firn_world_ray(world, dvec(0, 5, 0), dvec(0, -1, 0), 2.49, &hit));
    assert_true(hit.what == 0 && hit.body == SIZE_MAX && hit.distance == 0);
    assert_ok(firn_world_ray(world, dvec(0, 5, 0), dvec(0, -1, 0), 2.51, &hit));
    assert_int_equal(hit.body, BALL);
    assert_near(hit.normal.y, 1, 1e-6);
    // Below the ground.
    assert_ok(firn_world_ray(world, dvec(-5, -3, 0), dvec(0, -1, 0), 100, &hit));
    assert_int_equal(hit.what, 0);
    // Nobody asked for bodies.
    const firn_ray blind = {{0, 5, 0}, {0, -1, 0}, 10, FIRN_RAY_SNOWFIELD};
    assert_ok(firn_world_rays(world, 1, &blind, &hit));
    assert_int_equal(hit.what, 0);
    firn_world_close(world);
}

// Where a ray meets hills the signed distance is 0, and nowhere before.
static void test_terrain_and_meshes(void **state) {
    (void)state;
    firn_world *world = open_text("firn: 1\nbodies:\n"
                                  "  land: {shape: {hills: {size: [8 m, 1 m, 8 m]}}}\n"
                                  "  hare: {shape: {hare: {height: 1 m}}, at: [0, 1.5, 0]}\n");
    size_t hits = 0;
    for (uint32_t i = 0; i < 200; i++) {
        firn_vec3 o = dvec_add(random_vec(SEED, i, 2, 3), dvec(0, 5.5, 0)), to = random_vec(SEED, i, 3, 3);
        to.y = i % 2 ? 1.8 : 0;
        if (i % 2) to = dvec_scale(to, 0.15), to.y = 1.8;
        firn_vec3 d = dvec_normalise(dvec_sub(to, o));
        firn_hit hit;
        assert_ok(firn_world_ray(world, o, d, 20, &hit));
        hits += hit.what != 0;
        double end = hit.what ? hit.distance : 20;
        float along[64][3], distance[64];
        for (size_t b = 0; b < 2; b++) {
            for (int k = 0; k < 64; k++) {
                firn_vec3 p = dvec_add_scaled(o, d, end * (k / 63.0));
                along[k][0] = (float)p.x, along[k][1] = (float)p.y, along[k][2] = (float)p.z;
            }
            assert_ok(firn_world_body_query(world, b, 64, along[0], distance, NULL, NULL));
            for (int k = 0; k < 63; k++) assert_true(distance[k] > -1e-3f);
            if (hit.body == b) assert_near((double)distance[63], 0, 1e-3);
        }
    }
    assert_true(hits > 150);
    firn_world_close(world);
}

static const char field[] = "firn: 1\nmax_step: 10 ms\nbodies:\n"
                            "  foot: {shape: {box: {size: [30 cm, 10 cm, 30 cm]}}, at: [0, 2, 0], motion: "
                            "kinematic}\n"
                            "  ground: {shape: plane}\n"
                            "field: {width: 4 m, length: 4 m, cell: 4 cm, tile: 16, depth: 30 cm}\n";

static void test_snow_field(void **state) {
    (void)state;
    firn_world *world = open_text(field);
    const firn_quat straight = {1, 0, 0, 0};
    firn_hit hit;
    // Untouched: a plane at 30 cm.
    assert_ok(firn_world_ray(world, dvec(-1.5, 1.3, 0.3), dvec(1, -1, 0), 10, &hit));
    assert_int_equal(hit.what, FIRN_RAY_SNOWFIELD);
    assert_near(hit.distance, sqrt(2), 1e-6);
    assert_near(hit.point.x, -0.5, 1e-6);
    assert_near(hit.normal.y, 1, 1e-6);
    assert_near(hit.depth, 0.3, 1e-5);
    // From the side, into the snow; below the snow from the outside: the ground.
    assert_ok(firn_world_ray(world, dvec(-3, 0.1, 0.3), dvec(1, 0, 0), 10, &hit));
    assert_int_equal(hit.what, FIRN_RAY_SNOWFIELD);
    assert_near(hit.distance, 1, 1e-6);
    assert_near(hit.normal.x, -1, 1e-9);
    // Begun in the snow: down to the ground.
    assert_ok(firn_world_ray(world, dvec(0.7, 0.1, 0.3), dvec(0.1, -1, 0), 10, &hit));
    assert_int_equal(hit.what, FIRN_RAY_BODIES);
    assert_int_equal(hit.body, 1);
    // A foot goes 10 cm into the snow and away again.
    assert_ok(firn_world_body_set_target(world, 0, dvec(0, 0.25, 0), straight, 0.5));
    assert_ok(firn_world_advance(world, 0.5));
    assert_ok(firn_world_body_set_target(world, 0, dvec(0, 2, 0), straight, 0.5));
    assert_ok(firn_world_advance(world, 0.5));
    firn_snowfield f;
    assert_ok(firn_world_snowfield(world, &f));
    size_t deep = 0;
    for (uint32_t i = 0; i < 300; i++) {
        firn_vec3 o = dvec_add(random_vec(SEED, i, 4, 1.2), dvec(0, 1.9, 0)),
                  to = random_vec(SEED, i, 5, 0.3);
        to.y = 0;
        firn_ray ray = {o, dvec_sub(to, o), 10, FIRN_RAY_SNOWFIELD};
        assert_ok(firn_world_rays(world, 1, &ray, &hit));
        assert_int_equal(hit.what, FIRN_RAY_SNOWFIELD);
        assert_near(hit.point.y, firn_snowfield_surface(&f, hit.point.x, hit.point.z), 1e-6);
        double depth, surface, place[2] = {hit.point.x, hit.point.z};
        assert_ok(firn_world_depth(world, 1, place, &depth, &surface));
        assert_near(surface, hit.point.y, 1e-6);
        assert_near(depth, hit.depth, 1e-5);
        deep += depth < 0.22;
    }
    assert_true(deep > 20);
    const double places[4] = {1.5, 1.5, 7, 7};
    double depth[2], surface[2];
    assert_ok(firn_world_depth(world, 2, places, depth, surface));
    assert_near(depth[0], 0.3, 1e-6);
    assert_near(surface[0], 0.3, 1e-6);
    assert_true(depth[1] == 0 && isnan(surface[1]));
    firn_world_close(world);
}

static const char storm[] =
    "firn: 1\nduration: 60 s\nfps: 10\nmax_step: 100 ms\n"
    "bodies: {ground: {shape: plane}, roof: {shape: {box: {size: [3.2 m, 3 m, 3 m]}}, at: [0, 0.2, 0],\n"
    "                                        rotate: [0, 0, 32 deg]}}\n"
    "wind: {grid: [28, 20, 24], cell: 20 cm, inflow: {side: west, speed: 2 m/s}}\n"
    "flakes: {snowfall: 3600 mm/h, shown: 4000}\n"
    "cover: {snow: fresh}\n";

// The depths of all columns of the cover are its volume; a ray from above finds the same surface.
static void test_cover(void **state) {
    (void)state;
    firn_world *world = open_text(storm);
    assert_ok(firn_world_advance(world, 8));
    const double *box = firn_world_field(world, "wind.box").data, cell = box[3];
    firn_field fill = firn_world_field(world, "wind.cover");
    double snow = 0;
    for (size_t i = 0; i < fill.count; i++) snow += fmax(0, (double)((const float *)fill.data)[i]);
    double volume = 0;
    size_t rays = 0, covered = 0;
    for (int k = 0; k < (int)box[6]; k++)
        for (int i = 0; i < (int)box[4]; i++) {
            double place[2] = {box[0] + (i + 0.5) * cell, box[2] + (k + 0.5) * cell}, depth, surface;
            assert_ok(firn_world_depth(world, 1, place, &depth, &surface));
            volume += depth * cell * cell;
            const firn_ray down = {{place[0], 20, place[1]}, {0, -1, 0}, 100, FIRN_RAY_COVER};
            firn_hit hit;
            assert_ok(firn_world_rays(world, 1, &down, &hit));
            assert_int_equal(hit.what, depth > 0 ? FIRN_RAY_COVER : 0);
            if (!hit.what) continue;
            rays++;
            if (hit.point.y < surface - 1e-5) { // the roof is above it, and bare
                covered++;
                continue;
            }
            assert_near(hit.point.y, surface, 1e-5);
            assert_true(hit.normal.y > 0.3 && hit.depth > 0 && hit.depth <= depth + 1e-6);
        }
    print_message("cover: %.4g m3, %zu columns\n", volume, rays);
    assert_true(rays > 100 && covered < rays / 5);
    assert_near(volume / (snow * cell * cell * cell), 1, 1e-4);
    // All of it together: snow before the roof that it lies on.
    firn_hit hit;
    assert_ok(firn_world_ray(world, dvec(0.05, 10, 0.05), dvec(0, -1, 0), 100, &hit));
    assert_int_equal(hit.what, FIRN_RAY_COVER);
    firn_world_close(world);
}

static void test_threads(void **state) {
    (void)state;
    enum { RAYS = 1000 };
    static firn_ray rays[RAYS];
    static firn_hit hits[2][RAYS];
    firn_world *world = open_text(field);
    memset(hits, 0, sizeof hits);
    for (uint32_t i = 0; i < RAYS; i++)
        rays[i] = (firn_ray){dvec_add(random_vec(SEED, i, 6, 2), dvec(0, 2.5, 0)), random_vec(SEED, i, 7, 1),
                             30, 0};
    for (int k = 0; k < THREAD_COUNTS; k++) {
        assert_ok(firn_set_threads(thread_counts[k]));
        assert_ok(firn_world_rays(world, RAYS, rays, hits[k > 0]));
        for (size_t i = 0; k > 0 && i < RAYS; i++)
            assert_true(hits[0][i].what == hits[1][i].what && hits[0][i].body == hits[1][i].body &&
                        hits[0][i].distance == hits[1][i].distance);
    }
    assert_ok(firn_set_threads(0));
    firn_world_close(world);
}

// Volume by the divergence theorem, normals outward, in the frame of the body.
static void test_meshes_of_bodies(void **state) {
    (void)state;
    firn_world *world = open_text("firn: 1\nbodies:\n"
                                  "  ball: {shape: {sphere: {radius: 50 cm}}, at: [7, 2, 0]}\n"
                                  "  box: {shape: {box: {size: [1 m, 2 m, 3 m]}}, at: [3, 2, 0], scale: 2}\n"
                                  "  hare: {shape: {hare: {height: 1 m}}}\n"
                                  "  two: {shape: {union: {parts: {\n"
                                  "    a: {shape: {box: {size: [1 m, 1 m, 1 m]}}},\n"
                                  "    b: {shape: {box: {size: [1 m, 1 m, 1 m]}}, at: [3, 0, 0]}}}}}\n"
                                  "  ground: {shape: plane}\n");
    const double volumes[] = {4.0 / 3 * 3.14159265 * 0.125, 48, 0, 2};
    for (size_t b = 0; b < 5; b++) {
        firn_mesh m;
        assert_ok(firn_world_body_mesh(world, b, &m));
        assert_true(m.vertices > 3 && m.triangles > 1 && m.position && m.normal && m.index);
        mesh inner = {(float(*)[3])m.position, (float(*)[3])m.normal, (uint32_t(*)[3])m.index, m.vertices,
                      m.triangles};
        float low[3], high[3];
        mesh_bounds(&inner, low, high);
        for (size_t v = 0; v < m.vertices; v++) {
            const float *n = m.normal + 3 * v;
            assert_near(sqrt((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])), 1, 1e-4);
        }
        for (size_t i = 0; i < 3 * m.triangles; i++) assert_true(m.index[i] < m.vertices);
        if (b < 4 && volumes[b] > 0) assert_near(mesh_volume(&inner) / volumes[b], 1, 0.02);
        if (b == 4) assert_near((double)(high[0] - low[0]), 1000, 1e-3);
        if (b < 4) assert_true(mesh_volume(&inner) > 0.01 && low[0] > -3 && high[0] < 4);
    }
    firn_world_close(world);
}

static void test_user_data(void **state) {
    (void)state;
    firn_world *world = open_text(solids);
    int mine[2];
    uint64_t hash = firn_world_hash(world);
    assert_null(firn_world_body_user(world, BOX));
    assert_ok(firn_world_body_set_user(world, BOX, &mine[0]));
    assert_ok(firn_world_body_set_user(world, SLOPE, &mine[1]));
    assert_ok(firn_world_step(world));
    assert_ptr_equal(firn_world_body_user(world, BOX), &mine[0]);
    assert_ptr_equal(firn_world_body_user(world, SLOPE), &mine[1]);
    assert_null(firn_world_body_user(world, BALL));
    firn_world *plain = open_text(solids);
    assert_int_equal(firn_world_hash(plain), hash);
    firn_world_close(plain);
    firn_world_close(world);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_in_closed_form),
        cmocka_unit_test(test_origin_inside_and_limits),
        cmocka_unit_test(test_terrain_and_meshes),
        cmocka_unit_test(test_snow_field),
        cmocka_unit_test(test_cover),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_meshes_of_bodies),
        cmocka_unit_test(test_user_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
