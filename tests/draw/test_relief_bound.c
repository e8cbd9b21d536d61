// Relief and grains are bound to the snow: they move along with it, from frame to frame.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "scene/build.h"
#include "support.h"

static const char falling[] =
    "firn: 1\n"
    "duration: 0.2 s\n"
    "mpm:\n"
    "  cell: 8 cm\n"
    "  snow:\n"
    "    ball: {shape: {sphere: {radius: 30 cm}}, at: [0, 9, 0], velocity: [0, -3, 0]}\n";

// A ball is pressed into the snow and lifted again.
static const char pressed[] = "firn: 1\n"
                              "duration: 1 s\n"
                              "bodies:\n"
                              "  ground: {shape: plane}\n"
                              "  ball:\n"
                              "    shape: {sphere: {radius: 25 cm}}\n"
                              "    motion:\n"
                              "      - {time: 0, at: [0, 0.6, 0]}\n"
                              "      - {time: 0.2 s, at: [0, 0.3, 0]}\n"
                              "      - {time: 0.4 s, at: [0, 0.9, 0]}\n"
                              "field: {width: 2 m, length: 2 m, cell: 2 cm, snow: fresh, depth: 25 cm}\n"
                              "camera: {from: [0.5, 0.8, 1.4], to: [0, 0.2, 0]}\n";

typedef struct moment {
    scene *scene;
    firn_world *world;
    collector collector;
    collect_rest rest;
} moment;

static void open_moment(moment *m, const char *yaml) {
    *m = (moment){0};
    assert_ok(scene_parse(yaml, strlen(yaml), "text", (firn_overrides){0}, &m->scene));
    assert_ok(firn_world_create(&m->scene->def.world, &m->world));
    assert_ok(collect_start(&m->collector, &m->scene->def, m->world));
    assert_ok(collect_rest_take(&m->rest, m->world, m->collector.origin));
    m->collector.rest = &m->rest;
}

static void close_moment(moment *m) {
    collect_free(&m->collector);
    collect_rest_free(&m->rest);
    firn_world_close(m->world);
    scene_close(m->scene);
}

static const draw_mesh *snow_of(const moment *m) {
    for (size_t i = 0; i < m->collector.list.mesh_count; i++)
        if (m->collector.list.meshes[i].material == DRAW_SOFT) return &m->collector.list.meshes[i];
    return NULL;
}

// While the ball falls as a whole, each vertex is where its matter was at rest, plus the way it fell.
static void test_rest_goes_along_with_the_snow(void **state) {
    (void)state;
    moment m;
    open_moment(&m, falling);
    for (int frame = 0; frame < 3; frame++) {
        firn_field at = firn_world_field(m.world, "mpm.position");
        double fallen = 9;
        for (size_t i = 0; i < at.count; i++)
            fallen -= ((const double *)at.data)[3 * i + 1] / (double)at.count;
        assert_ok(collect_list(&m.collector));
        const draw_mesh *snow = snow_of(&m);
        assert_non_null(snow);
        assert_non_null(snow->rest);
        double worst = 0;
        for (size_t i = 0; i < snow->mesh->vertices; i++) {
            const float *p = snow->mesh->position[i], *r = snow->rest[i];
            double off = fabs((double)p[1] + fallen - (double)r[1]);
            worst = fmax(worst, fmax(off, fmax(fabs((double)(p[0] - r[0])), fabs((double)(p[2] - r[2])))));
            assert_true(r[3] >= 0 && r[3] <= 1);
        }
        print_message("fallen %.3f m, farthest from its rest %.3f m\n", fallen, worst);
        assert_true(worst < 0.08); // means over the particles around a vertex: less than a cell
        for (int i = 0; i < 20; i++) assert_ok(firn_world_step(m.world));
    }
    close_moment(&m);
}

// The same lone particles elsewhere: the same grains, moved.
static void test_grains_keep_their_shape(void **state) {
    (void)state;
    float at[3][3] = {{0, 0, 0}, {1, 2, 3}, {-2, 0.5f, 1}};
    const float rest[3][4] = {{0, 0, 0, 1}, {0.1f, 0.2f, 0.3f, 0.5f}, {4, 5, 6, 0.3f}};
    uint32_t loose[2] = {1, 2};
    collect_skin skin = {.surface = {.loose = loose, .loose_count = 2}};
    draw_points points = {.at = (const float(*)[3])at, .count = 3, .rest = rest};
    assert_ok(collect_grains(&skin, &points, 0.1));
    mesh first = skin.grains, second;
    skin.grains = (mesh){0};
    for (int i = 0; i < 3; i++) at[i][1] += 4;
    assert_ok(collect_grains(&skin, &points, 0.1));
    second = skin.grains;
    assert_int_equal(first.vertices, second.vertices);
    assert_true(first.triangles > 100);
    for (size_t i = 0; i < first.vertices; i++) {
        for (int k = 0; k < 3; k++)
            assert_true(fabsf(second.position[i][k] - first.position[i][k] - (k == 1 ? 4 : 0)) < 1e-5f);
    }
    mesh_free(&first);
    mesh_free(&second);
}

// A crust one particle thick: its surface at one spacing is a swollen sheet, the refined one has the volume
// of its particles, and is the same for any number of threads and wherever the crust is carried.
static void test_a_thin_crust_stays_thin(void **state) {
    (void)state;
    enum { SIDE = 24, COUNT = SIDE * SIDE };
    const float spacing = 0.1f;
    static float at[COUNT][3], rest[COUNT][4];
    for (int i = 0; i < COUNT; i++)
        memcpy(at[i], (float[]){(float)(i % SIDE) * spacing, 0, (float)(i / SIDE) * spacing}, sizeof *at);
    for (int i = 0; i < COUNT; i++) memcpy(rest[i], at[i], sizeof *at), rest[i][3] = 0.3f;
    draw_points points = {.at = (const float(*)[3])at, .count = COUNT, .rest = (const float(*)[4])rest};
    const isosurface_input in = {.at = points.at,
                                 .count = COUNT,
                                 .spacing = (double)spacing,
                                 .value = rest[0],
                                 .channels = 4,
                                 .smooth = 2,
                                 .skip_loose = true};
    double volume[3];
    mesh kept = {0};
    for (int run = 0; run < 3; run++) { // run 2: carried 8 m up
        for (int i = 0; i < COUNT; i++) at[i][1] = run == 2 ? 8 : 0;
        firn_set_threads(run == 0 ? 1 : 3);
        collect_skin skin = {0};
        assert_ok(isosurface_build(&in, &skin.surface));
        double coarse = mesh_volume(&skin.surface.mesh);
        assert_ok(collect_refine(&skin, &points, rest[0], 4, (double)spacing));
        mesh *m = &skin.surface.mesh;
        volume[run] = mesh_volume(m);
        double whole = COUNT * (double)(spacing * spacing * spacing);
        print_message("volume of the crust: %.3f at one spacing, %.3f refined\n", coarse / whole,
                      volume[run] / whole);
        assert_true(volume[run] / whole > 0.8 && volume[run] / whole < 1.17);
        assert_true(fabs(volume[run] / whole - 1) < fabs(coarse / whole - 1));
        if (run == 1) {
            assert_int_equal(m->vertices, kept.vertices);
            assert_memory_equal(m->position, kept.position, m->vertices * sizeof *m->position);
        }
        if (run == 2) assert_near(volume[2] / volume[0], 1, 0.02);
        if (run == 0) {
            kept = *m;
            *m = (mesh){0};
        }
        isosurface_free(&skin.surface);
    }
    mesh_free(&kept);
    firn_set_threads(0);
}

static const draw_mesh *crumbs_of(const moment *m) {
    for (size_t i = 0; i < m->collector.list.mesh_count; i++)
        if (m->collector.list.meshes[i].material == DRAW_CRUMBS) return &m->collector.list.meshes[i];
    return NULL;
}

// Where a body tore the snow it is rough and has crumbs, which stay where they are; elsewhere it is smooth.
static void test_tracks_have_crumbs(void **state) {
    (void)state;
    moment m;
    open_moment(&m, pressed);
    draw_list_camera(&m.collector.list, (draw_camera){{0.5f, 0.8f, 1.4f}, {0, 0.2f, 0}, 1});
    m.collector.pixel = 1e-3f;
    assert_ok(collect_list(&m.collector));
    assert_null(crumbs_of(&m));
    while (firn_world_time(m.world) < 0.7) assert_ok(firn_world_step(m.world));
    assert_ok(collect_list(&m.collector));
    const draw_mesh *crumbs = crumbs_of(&m);
    assert_non_null(crumbs);
    assert_true(crumbs->mesh->triangles > 200);
    size_t bytes = crumbs->mesh->vertices * sizeof *crumbs->mesh->position;
    float(*first)[3] = test_malloc(bytes);
    memcpy(first, crumbs->mesh->position, bytes);
    for (size_t i = 0; i < crumbs->mesh->vertices; i++)
        assert_true(hypotf(first[i][0], first[i][2]) < 0.6f && fabsf(first[i][1] - 0.25f) < 0.25f);
    const draw_mesh *field = NULL;
    for (size_t i = 0; i < m.collector.list.mesh_count; i++)
        if (m.collector.list.meshes[i].material == DRAW_FIELD) field = &m.collector.list.meshes[i];
    assert_non_null(field);
    float far = 0, near = 0;
    for (size_t i = 0; i < field->mesh->vertices; i++) {
        const float *p = field->mesh->position[i];
        float *most = hypotf(p[0], p[2]) < 0.5f ? &near : &far;
        *most = fmaxf(*most, field->rest[i][3]);
    }
    print_message("%zu crumb triangles, rough up to %.2f near, %.2f far\n", crumbs->mesh->triangles,
                  (double)near, (double)far);
    assert_true(near > 0.6f && far < 0.05f);
    for (int i = 0; i < 5; i++) assert_ok(firn_world_step(m.world));
    assert_ok(collect_list(&m.collector));
    crumbs = crumbs_of(&m);
    assert_int_equal(crumbs->mesh->vertices * sizeof *first, bytes);
    assert_memory_equal(crumbs->mesh->position, first, bytes);
    test_free(first);
    close_moment(&m);
}

enum { EDGE = 12, ALL = EDGE * EDGE * EDGE };
typedef struct cube {
    float at[ALL][3], bound[ALL][4];
} cube;

static const float spacing = 0.1f;

static void make_cube(cube *c) {
    for (int i = 0; i < ALL; i++) {
        int n[3] = {i % EDGE, i / EDGE % EDGE, i / (EDGE * EDGE)};
        for (int k = 0; k < 3; k++) c->at[i][k] = c->bound[i][k] = spacing * ((float)n[k] + 0.5f);
        c->bound[i][3] = 0.6f;
    }
}

static float mean_roughness(const cube *c) {
    double sum = 0;
    for (int i = 0; i < ALL; i++) sum += (double)c->bound[i][3];
    return (float)(sum / ALL);
}

// Snow that fell, turned, bent and was pressed is as smooth as it was; snow that flowed is torn.
static void test_what_flows_is_torn(void **state) {
    (void)state;
    static cube c;
    make_cube(&c);
    for (int i = 0; i < ALL; i++) {
        float x = c.at[i][0], y = c.at[i][1], turn = 0.7f + 0.2f * y; // bent a little, too
        c.at[i][0] = 0.8f * (cosf(turn) * x - sinf(turn) * y) + 3;
        c.at[i][1] = 0.8f * (sinf(turn) * x + cosf(turn) * y) - 5;
        c.at[i][2] *= 0.8f;
    }
    assert_ok(collect_stirred((const float(*)[3])c.at, ALL, (double)spacing, c.bound));
    float whole = mean_roughness(&c);
    make_cube(&c);
    for (int i = 0; i < ALL; i++) c.at[i][0] += 6 * c.at[i][1]; // layers slide over each other
    for (int i = 0; i < ALL; i++) c.at[i][0] -= 1.2f * floorf(c.at[i][0] / 1.2f);
    assert_ok(collect_stirred((const float(*)[3])c.at, ALL, (double)spacing, c.bound));
    float flowed = mean_roughness(&c);
    print_message("roughness of what moved %.3f, of what flowed %.3f\n", (double)whole, (double)flowed);
    assert_true(whole < 0.61f);
    assert_true(flowed > COLLECT_TORN);
}

// However far apart the particles of torn snow were at rest, its relief is not drawn out.
static void test_relief_of_torn_snow_is_not_stretched(void **state) {
    (void)state;
    static cube c;
    make_cube(&c);
    for (int i = 0; i < ALL; i++) {
        for (int k = 0; k < 3; k++) c.bound[i][k] = 20 * c.at[(i * 701 + 5 * k) % ALL][k];
        c.bound[i][3] = 1;
    }
    collect_skin skin = {0};
    draw_points points = {.at = (const float(*)[3])c.at, .rest = (const float(*)[4])c.bound, .count = ALL};
    const isosurface_input in = {
        .at = points.at, .count = ALL, .spacing = (double)spacing, .value = c.bound[0], .channels = 4};
    assert_ok(isosurface_build(&in, &skin.surface));
    size_t triangles = skin.surface.mesh.triangles;
    skin.rest = mem_alloc(skin.surface.mesh.vertices * sizeof *skin.rest);
    memcpy(skin.rest, skin.surface.value, skin.surface.mesh.vertices * sizeof *skin.rest);
    assert_ok(collect_shatter(&skin, &points, 4, (double)spacing));
    const mesh *m = &skin.surface.mesh;
    assert_int_equal(m->triangles, triangles);
    for (size_t t = 0; t < m->triangles; t++)
        for (int k = 0; k < 3; k++) {
            uint32_t a = m->triangle[t][0], b = m->triangle[t][1];
            float now = m->position[b][k] - m->position[a][k], then = skin.rest[b][k] - skin.rest[a][k];
            assert_true(fabsf(now - then) < 1e-5f);
        }
    isosurface_free(&skin.surface);
    mem_free(skin.rest);
}

// A clod seen from near: as large as asked for, uneven, its faces outwards, its normals those of its faces.
static void test_clods_are_round_from_near(void **state) {
    (void)state;
    const float at[3] = {3, -1, 2};
    mesh m;
    assert_ok(mesh_alloc(COLLECT_CLOD_VERTICES, 20 * COLLECT_CLOD_PARTS * COLLECT_CLOD_PARTS, true, &m));
    for (uint32_t seed = 1; seed < 40; seed++) {
        float least = 1, most = 0;
        m.vertices = m.triangles = 0;
        collect_clod(&m, at, 0.2f, seed, COLLECT_CLOD_PARTS);
        assert_int_equal(m.vertices, COLLECT_CLOD_VERTICES);
        assert_int_equal(m.triangles, 20 * COLLECT_CLOD_PARTS * COLLECT_CLOD_PARTS);
        for (size_t i = 0; i < m.vertices; i++) {
            float away = 0;
            for (int k = 0; k < 3; k++)
                away += (m.position[i][k] - at[k]) * (m.position[i][k] - at[k]) / (0.2f * 0.2f);
            least = fminf(least, sqrtf(away));
            most = fmaxf(most, sqrtf(away));
        }
        assert_true(least > 0.4f && most < 1.7f && most > 1.15f * least);
        for (size_t t = 0; t < m.triangles; t++) {
            float side[2][3], mean[3], along = 0;
            for (int k = 0; k < 3; k++) {
                const uint32_t *c = m.triangle[t];
                for (int s = 0; s < 2; s++) side[s][k] = m.position[c[s + 1]][k] - m.position[c[0]][k];
                mean[k] = m.normal[c[0]][k] + m.normal[c[1]][k] + m.normal[c[2]][k];
            }
            for (int k = 0; k < 3; k++)
                along += mean[k] * (side[0][(k + 1) % 3] * side[1][(k + 2) % 3] -
                                    side[0][(k + 2) % 3] * side[1][(k + 1) % 3]);
            assert_true(along > 0);
        }
    }
    mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_flows_is_torn),
        cmocka_unit_test(test_relief_of_torn_snow_is_not_stretched),
        cmocka_unit_test(test_rest_goes_along_with_the_snow),
        cmocka_unit_test(test_grains_keep_their_shape),
        cmocka_unit_test(test_a_thin_crust_stays_thin),
        cmocka_unit_test(test_tracks_have_crumbs),
        cmocka_unit_test(test_clods_are_round_from_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
