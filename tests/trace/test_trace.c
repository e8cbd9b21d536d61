// The path tracer: energy, closed forms, threads, resumption, denoising. (Its agreement with the draft:
// tests/draw/test_final.c.)
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "geom/tessellate.h"
#include "support.h"
#include "trace/trace.h"

#include <firn/base.h>

#define NEEDS_EMBREE()                                                                                       \
    if (trace_check() != FIRN_OK) skip()

static void even_sky(const void *context, const float way[3], float out[3]) {
    (void)way;
    for (int k = 0; k < 3; k++) out[k] = *(const float *)context;
}

static const float one = 1;

static trace_scene furnace(void) {
    return (trace_scene){.camera = {.from = {0, 1, 4}, .before_from = {0, 1, 4}, .lens = 1},
                         .light = {.sun = {0, 1, 0}, .sky = even_sky, .seen = even_sky, .context = &one},
                         .snow_path = 0.05f};
}

static trace_options plain_options(uint32_t samples) {
    trace_options o = trace_options_default();
    o.least = o.most = samples;
    o.denoise = false;
    return o;
}

static double mean_of(const trace_picture *p) {
    double sum = 0;
    for (int i = 0; i < p->width * p->height; i++)
        sum += (double)(p->color[i][0] + p->color[i][1] + p->color[i][2]) / 3;
    return sum / (p->width * p->height);
}

// Under a sky of radiance 1 things that absorb nothing cannot be seen, whatever they are made of.
static void test_a_white_furnace_is_white(void **state) {
    (void)state;
    NEEDS_EMBREE();
    static const trace_material kinds[] = {TRACE_MATTE, TRACE_SNOW, TRACE_SATIN, TRACE_WATER};
    const float at[2][3] = {{0, 1, 0}, {0.9f, 0.6f, 0.5f}};
    for (size_t i = 0; i < 4; i++) {
        trace_spheres balls = {
            .at = at, .count = 2, .radius = 0.6f, .color = {1, 1, 1}, .material = kinds[i]};
        trace_scene s = furnace();
        s.spheres = &balls;
        s.sphere_count = 1;
        trace_options o = plain_options(64);
        trace_picture p;
        assert_ok(trace_draw(&s, 32, 32, &o, &p));
        print_message("furnace %zu: %.4f\n", i, mean_of(&p));
        assert_true(fabs(mean_of(&p) - 1) < 0.01);
        trace_picture_free(&p);
    }
}

// Chandrasekhar's H function of isotropic scattering, by its integral equation.
static double reflectance(double albedo) {
    enum { N = 64 };
    double mu[N], h[N], root = sqrt(1 - albedo), moment = 0;
    for (int i = 0; i < N; i++) mu[i] = (i + 0.5) / N, h[i] = 1;
    for (int round = 0; round < 400; round++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += mu[k] * h[k] / (mu[i] + mu[k]) / N;
            h[i] = 0.5 * h[i] + 0.5 / (root + 0.5 * albedo * sum);
        }
    for (int i = 0; i < N; i++) moment += 2 * mu[i] * h[i] / N;
    return 1 - root * moment; // of light that comes evenly from all sides
}

// A plane of snow under an even sky is as bright as a half-space that scatters and absorbs.
static void test_snow_reflects_as_a_half_space(void **state) {
    (void)state;
    NEEDS_EMBREE();
    for (int i = 0; i < 3; i++) {
        double single = i == 0   ? 0.98
                        : i == 1 ? 0.997
                                 : 0.9995,
               expected = reflectance(single), root = sqrt(1 - single);
        // The tracer is given a colour; what it takes for one scattering follows from it by this formula.
        float c = (float)((1 - root) * (1 - 0.139 * root) / (1 + 1.17 * root));
        trace_plane ground = {.normal = {0, 1, 0}, .color = {c, c, c}, .material = TRACE_SNOW};
        trace_scene s = furnace();
        s.camera = (trace_camera){.from = {0, 1, 0.01f}, .before_from = {0, 1, 0.01f}, .lens = 5};
        s.planes = &ground;
        s.plane_count = 1;
        trace_options o = plain_options(256);
        trace_picture p;
        assert_ok(trace_draw(&s, 16, 16, &o, &p));
        print_message("half-space %.4f, traced %.4f\n", expected, mean_of(&p));
        assert_true(fabs(mean_of(&p) / expected - 1) < 0.02);
        trace_picture_free(&p);
    }
}

// Sun, snow, a body, water: a little of all.
typedef struct small_world {
    mesh ball;
    trace_mesh meshes[2];
    trace_spheres spheres;
    trace_plane ground;
    trace_scene scene;
} small_world;

static void small_world_open(small_world *w) {
    static const float at[3][3] = {{-1, 0.3f, 0}, {-0.6f, 0.2f, 0.8f}, {0.2f, 0.2f, 1}};
    lathe_point outline[9];
    for (int i = 0; i <= 8; i++) {
        double a = M_PI * (i / 8.0 - 0.5), c = i % 8 ? cos(a) : 0;
        outline[i] = (lathe_point){0.5 * c, 0.5 * sin(a), c, sin(a)};
    }
    *w = (small_world){.spheres = {.at = at,
                                   .count = 3,
                                   .radius = 0.25f,
                                   .color = {0.6f, 0.3f, 0.2f},
                                   .material = TRACE_SATIN},
                       .ground = {.normal = {0, 1, 0},
                                  .color = {0.9f, 0.92f, 0.95f},
                                  .material = TRACE_SNOW,
                                  .relief = {0.2f, 0.2f, 0}}};
    assert_ok(tessellate_lathe(outline, 9, 12, &w->ball));
    for (int i = 0; i < 2; i++)
        w->meshes[i] = (trace_mesh){.mesh = &w->ball,
                                    .at = {(float)i, 0.4f, 0},
                                    .rotation = {1, 0, 0, 0},
                                    .color = {0.8f, 0.85f, 0.9f},
                                    .material = i ? TRACE_WATER : TRACE_SNOW};
    w->scene = furnace();
    w->scene.light.sun_color[0] = w->scene.light.sun_color[1] = w->scene.light.sun_color[2] = 2;
    w->scene.light.dimming = 1;
    w->scene.meshes = w->meshes;
    w->scene.mesh_count = 2;
    w->scene.spheres = &w->spheres;
    w->scene.sphere_count = 1;
    w->scene.planes = &w->ground;
    w->scene.plane_count = 1;
    w->scene.camera.aperture = 0.05f;
    w->scene.camera.focus = 4;
}

static void assert_same_light(const trace_picture *a, const trace_picture *b) {
    assert_memory_equal(a->color, b->color, (size_t)(a->width * a->height) * sizeof *a->color);
    assert_memory_equal(a->normal, b->normal, (size_t)(a->width * a->height) * sizeof *a->normal);
}

static void test_threads_do_not_change_a_bit(void **state) {
    (void)state;
    NEEDS_EMBREE();
    small_world w;
    small_world_open(&w);
    trace_options o = trace_options_default();
    o.least = 8;
    o.most = 32;
    trace_picture p[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(firn_set_threads(i + 1));
        assert_ok(trace_draw(&w.scene, 72, 40, &o, &p[i]));
    }
    assert_same_light(&p[0], &p[1]);
    assert_true(p[0].samples > 72 * 40 * 8);
    for (int i = 0; i < 2; i++) trace_picture_free(&p[i]);
    mesh_free(&w.ball);
}

// A thing that crosses the middle of the picture while the shutter is open hides it for as long as it stands
// before it: 0.4 of 2 m.
static void test_what_moves_is_blurred(void **state) {
    (void)state;
    NEEDS_EMBREE();
    enum { WIDE = 41, HIGH = 31 };
    const float at[1][3] = {{1, 1, 0}}, way[1][3] = {{2, 0, 0}}, still[4] = {1, 0, 0, 0};
    mesh cube;
    assert_ok(tessellate_primitive(&(shape_primitive){FIRN_SHAPE_BOX, {0.2f, 0.2f, 0.2f}}, &cube));
    float(*ways)[3] = mem_zero(cube.vertices, sizeof *ways);
    for (size_t i = 0; i < cube.vertices; i++) ways[i][0] = 2;
    const trace_spheres ball = {
        .at = at, .way = way, .count = 1, .radius = 0.2f, .color = {0.2f, 0.2f, 0.2f}};
    trace_mesh rigid = {.mesh = &cube, .at = {1, 1, -0.2f}, .moving = true, .before_at = {-1, 1, -0.2f}},
               soft = {.mesh = &cube, .at = {1, 1, -0.2f}, .moving = true, .before_at = {1, 1, -0.2f}};
    memcpy(rigid.rotation, still, sizeof still), memcpy(rigid.before_rotation, still, sizeof still);
    memcpy(soft.rotation, still, sizeof still), memcpy(soft.before_rotation, still, sizeof still);
    soft.way = (const float(*)[3])ways;
    for (int i = 0; i < 3; i++) {
        trace_scene s = furnace();
        s.camera = (trace_camera){{0, 1, 4}, {0, 1, 0}, {0, 1, 4}, {0, 1, 0}, 1, 0, 0};
        s.spheres = &ball;
        s.sphere_count = i == 0;
        s.meshes = i == 1 ? &rigid : &soft;
        s.mesh_count = i > 0;
        trace_options o = plain_options(1024);
        trace_picture p;
        assert_ok(trace_draw(&s, WIDE, HIGH, &o, &p));
        float hidden = p.color[HIGH / 2 * WIDE + WIDE / 2][3];
        print_message("moving %d: the middle is hidden for %.4f\n", i, (double)hidden);
        assert_true(fabsf(hidden - 0.2f) < 0.01f);
        trace_picture_free(&p);
    }
    mem_free(ways);
    mesh_free(&cube);
}

static bool stop_soon(void *context) { return --*(int *)context < 0; }

static void test_a_stopped_picture_goes_on(void **state) {
    (void)state;
    NEEDS_EMBREE();
    small_world w;
    small_world_open(&w);
    int left = 1;
    trace_options o = plain_options(16);
    trace_picture whole, part, resumed;
    assert_ok(trace_draw(&w.scene, 112, 112, &o, &whole));
    o.resume = "trace.part";
    o.key = 7;
    o.stop = stop_soon;
    o.context = &left;
    assert_int_equal(trace_draw(&w.scene, 112, 112, &o, &part), FIRN_INTERRUPTED);
    assert_true(file_exists("trace.part"));
    o.stop = NULL;
    assert_ok(trace_draw(&w.scene, 112, 112, &o, &resumed));
    assert_same_light(&whole, &resumed);
    assert_true(resumed.rays < whole.rays); // what was done was not done again
    trace_picture_free(&resumed);
    o.key = 8; // of another picture
    assert_ok(trace_draw(&w.scene, 112, 112, &o, &resumed));
    assert_same_light(&whole, &resumed);
    assert_true(resumed.rays == whole.rays);
    trace_picture_free(&resumed);
    trace_picture_free(&whole);
    assert_ok(file_remove("trace.part"));
    mesh_free(&w.ball);
}

// Against many samples: a denoised picture of few is nearer than the noisy one, and has no other brightness.
static void test_denoising_takes_noise_away(void **state) {
    (void)state;
    NEEDS_EMBREE();
    small_world w;
    small_world_open(&w);
    w.scene.mesh_count = 1; // light through water is found by few paths
    trace_options o = plain_options(256);
    trace_picture clean, noisy, better;
    assert_ok(trace_draw(&w.scene, 64, 64, &o, &clean));
    o.least = o.most = 16;
    o.seed = 2;
    assert_ok(trace_draw(&w.scene, 64, 64, &o, &noisy));
    o.denoise = true;
    assert_ok(trace_draw(&w.scene, 64, 64, &o, &better));
    double error[2] = {0}, mean[2] = {mean_of(&noisy), mean_of(&better)};
    for (int i = 0; i < 64 * 64; i++)
        for (int k = 0; k < 3; k++) {
            error[0] += pow((double)(noisy.color[i][k] - clean.color[i][k]), 2);
            error[1] += pow((double)(better.color[i][k] - clean.color[i][k]), 2);
        }
    print_message("error %.4f to %.4f, mean %.4f to %.4f\n", sqrt(error[0] / 12288), sqrt(error[1] / 12288),
                  mean[0], mean[1]);
    assert_true(error[1] < 0.4 * error[0]);
    assert_true(fabs(mean[1] / mean[0] - 1) < 0.01);
    trace_picture_free(&clean);
    trace_picture_free(&noisy);
    trace_picture_free(&better);
    mesh_free(&w.ball);
}

// The noise that is asked for is kept to: as the picture claims before denoising, and against many samples after it.
static void test_noise_is_as_asked(void **state) {
    (void)state;
    NEEDS_EMBREE();
    small_world w;
    small_world_open(&w);
    w.scene.mesh_count = 1;
    trace_options o = plain_options(512);
    trace_picture clean, found;
    assert_ok(trace_draw(&w.scene, 48, 48, &o, &clean));
    o = trace_options_default();
    o.noise = 0.05f;
    o.seed = 2;
    assert_ok(trace_draw(&w.scene, 48, 48, &o, &found));
    double off = 0, claimed = 0;
    for (int i = 0; i < 48 * 48; i++) {
        double a = 0, b = 0;
        for (int k = 0; k < 3; k++) a += (double)clean.color[i][k] / 3, b += (double)found.color[i][k] / 3;
        off += pow((a - b) / fmax(a, 0.05), 2) / 2304;
        claimed += (double)found.error[i] / fmax(a, 0.05) / 2304;
    }
    print_message("asked 0.05: claimed %.4f, after denoising %.4f\n", claimed, sqrt(off));
    assert_true(claimed < 0.05 && claimed > 0.01);
    assert_true(sqrt(off) < 0.05);
    trace_picture_free(&clean);
    trace_picture_free(&found);
    mesh_free(&w.ball);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_white_furnace_is_white),
        cmocka_unit_test(test_snow_reflects_as_a_half_space),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_what_moves_is_blurred),
        cmocka_unit_test(test_a_stopped_picture_goes_on),
        cmocka_unit_test(test_denoising_takes_noise_away),
        cmocka_unit_test(test_noise_is_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
