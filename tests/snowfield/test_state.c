// firn-test: threaded
// Same bits for any number of threads and over a restart; wrong input is refused.
#include "snowfield/snowfield_world.h"

#include "base/memory.h"
#include "bits.h"
#include "geom/image.h"

static void busy(snowfield_world *w) {
    snowfield_setup(w, 150);
    w->field.fall.rate = 1e-4;
    w->field.ageing.time = 10;
    w->field.ageing.density = 120;
    w->field.bits.speed = 1;
    w->body[0] = firn_body_def_default();
    w->body[0].name = "ball";
    w->body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 0.2};
    w->body[0].motion.kind = FIRN_MOTION_DYNAMIC;
    w->body[0].at = (firn_vec3){-0.8, 0.55, 0.1};
    w->body[0].velocity = (firn_vec3){4, -1, 0.5};
    w->body[1] = w->body[0];
    w->body[1].name = "box";
    w->body[1].shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.4, 0.1, 0.3}};
    w->body[1].at = (firn_vec3){0.6, 0.6, -0.3};
    w->body[1].rotate = (firn_vec3){0.3, 0.2, 0.4};
    w->body[2] = firn_body_def_default();
    w->body[2].name = "stone";
    w->body[2].shape = (firn_shape_def){.kind = FIRN_SHAPE_HARE, .height = 0.5, .resolution = 0.06};
    w->body[2].at = (firn_vec3){0, 0, 0.9};
    w->world.bodies.count = 3;
}

static firn_world *make_busy(void) {
    snowfield_world w;
    busy(&w);
    return snowfield_open(&w);
}

static void test_threads_do_not_show(void **state) {
    (void)state;
    assert_threads_do_not_show(make_busy, 80);
}

static void restart(int sweeps) {
    snowfield_world w;
    busy(&w);
    w.field.sweeps = sweeps;
    firn_world *whole = snowfield_open(&w), *cut = snowfield_open(&w);
    step_field(whole, 60);
    assert_restarts(whole, cut, 40);
    firn_world_close(whole);
    firn_world_close(cut);
}

static void test_restart_gives_the_same_bits(void **state) {
    (void)state;
    restart(0);
    restart(3); // with work left over
}

// A frame holds what is shown, and gives it back.
static void test_frames_show_the_field(void **state) {
    (void)state;
    const char *path = "field-frame.h5";
    snowfield_world w;
    busy(&w);
    firn_world *run = snowfield_open(&w), *shown = snowfield_open(&w);
    step_field(run, 60);
    assert_ok(cache_write(path, run, 7, CACHE_FRAME, false));
    assert_ok(cache_read(path, shown, 7, CACHE_FRAME));
    snowfield_map a = map_of(run), b = map_of(shown);
    for (int i = 0; i < a.nx * a.nz; i++) {
        assert_true(a.depth[i] == b.depth[i] && a.density[i] == b.density[i] && a.ground[i] == b.ground[i]);
    }
    map_free(&a), map_free(&b);
    firn_world_close(run);
    firn_world_close(shown);
    remove(path);
}

static void refused(snowfield_world *w, const char *part) {
    firn_world *world;
    w->world.field = &w->field;
    w->world.bodies.items = w->body;
    assert_true(firn_world_create(&w->world, &world) == FIRN_BAD_INPUT);
    assert_null(world);
    if (!strstr(firn_last_error(), part)) fail_msg("'%s' does not say '%s'", firn_last_error(), part);
}

static void write_map(const char *path, uint32_t width, uint32_t height) {
    grey_map map = {.width = width, .height = height, .value = calloc((size_t)width * height, 2)};
    for (uint32_t i = 0; i < width * height; i++) map.value[i] = (uint16_t)(i * 997);
    assert_ok(grey_map_write(&map, path));
    free(map.value);
}

// Snow of a map lies as high as the map says, touched or not.
static void test_energy_of_a_map(void **state) {
    (void)state;
    grey_map map = {.width = 4, .height = 4, .value = calloc(16, 2)};
    for (int i = 0; i < 16; i++) map.value[i] = 6554; // a tenth of white
    assert_ok(grey_map_write(&map, "field-even.png"));
    free(map.value);
    snowfield_world w;
    snowfield_setup(&w, 200);
    w.field.depth = 5;
    w.field.depth_map = "field-even.png";
    firn_world *world = snowfield_open(&w);
    firn_ledger l = snowfield_ledger_of(world);
    assert_near(l.potential / (9.81 * l.mass), w.field.at.y + 0.25, 1e-3);
    firn_world_close(world);
    remove("field-even.png");
}

static void test_wrong_input_is_refused(void **state) {
    (void)state;
    snowfield_world w;
    write_map("field-a.png", 16, 16);
    write_map("field-b.png", 16, 8);
    snowfield_setup(&w, 50);
    w.field.depth_map = "field-a.png";
    w.field.density_map = "field-b.png";
    refused(&w, "16 x 16");
    w.field.density_map = "field-a.png";
    firn_world *world = snowfield_open(&w); // maps of one size are fine
    firn_world_close(world);
    FILE *file = fopen("field-8bit.png", "wb");
    fputs("not a picture", file);
    fclose(file);
    w.field.density_map = "field-8bit.png";
    refused(&w, "field-8bit.png");
    snowfield_setup(&w, 50);
    w.field.slope_packed = 3.14159265 / 2;
    refused(&w, "slope_packed");
    snowfield_setup(&w, 50);
    w.field.density = 400; // fresh snow cannot be so dense
    refused(&w, "density_max");
    snowfield_setup(&w, 50);
    w.field.density_min = 300;
    w.field.density_max = 200;
    refused(&w, "density_min");
    snowfield_setup(&w, 50);
    w.field.tile = 48;
    refused(&w, "tile");
    snowfield_setup(&w, 50);
    w.field.depth = NAN;
    refused(&w, "depth");
    snowfield_setup(&w, 50);
    w.field.ground.body = "nobody";
    refused(&w, "nobody");
    snowfield_setup(&w, 50);
    w.field.depth = 900;
    w.field.snow = "sand";
    refused(&w, "exceeds the limit");
    remove("field-a.png"), remove("field-b.png"), remove("field-8bit.png");
}

// Every allocation may fail: a world that could not be made leaves nothing behind, a step that failed says
// so.
static void test_failing_memory(void **state) {
    (void)state;
    failing_allocator f;
    bool done = false;
    size_t before = mem_in_use();
    for (size_t n = 1; !done && n < 3000; n += 1 + n / 8) {
        snowfield_world w;
        snowfield_setup(&w, 40);
        w.body[0] = firn_body_def_default();
        w.body[0].name = "ball";
        w.body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 0.1};
        w.body[0].motion.kind = FIRN_MOTION_DYNAMIC;
        w.body[0].at = (firn_vec3){0, 0.38, 0};
        w.world.bodies.count = 1;
        w.world.field = &w.field;
        w.world.bodies.items = w.body;
        fail_allocation(&f, n);
        firn_world *world = NULL;
        firn_status status = firn_world_create(&w.world, &world);
        for (int i = 0; i < 5 && status == FIRN_OK; i++) status = firn_world_step(world);
        done = f.calls < n;
        assert_true(done ? status == FIRN_OK : status == FIRN_OK || status == FIRN_NO_MEMORY);
        firn_world_close(world);
        firn_set_allocator(NULL);
        assert_true(mem_in_use() == before);
    }
    assert_true(done);
}

// Once everything has been touched, steps take no more memory.
static void test_warm_steps_allocate_nothing(void **state) {
    (void)state;
    const firn_keyframe keys[] = {
        {0, {-0.5, 0.35, 0}, {0, 0, 0}}, {1, {0.5, 0.35, 0}, {0, 0, 0}}, {2, {-0.5, 0.35, 0}, {0, 0, 0}}};
    snowfield_world w;
    snowfield_setup(&w, 96);
    w.body[0] = firn_body_def_default();
    w.body[0].name = "ball";
    w.body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 0.15};
    w.body[0].motion.kind = FIRN_MOTION_KEYFRAMES;
    w.body[0].motion.keyframes.items = keys;
    w.body[0].motion.keyframes.count = 3;
    w.world.bodies.count = 1;
    firn_world *world = snowfield_open(&w);
    assert_ok(firn_world_advance(world, 1.2));
    size_t warm = mem_in_use();
    assert_ok(firn_world_advance(world, 0.7));
    assert_true(mem_in_use() == warm);
    firn_world_close(world);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_do_not_show),
                                       cmocka_unit_test(test_restart_gives_the_same_bits),
                                       cmocka_unit_test(test_frames_show_the_field),
                                       cmocka_unit_test(test_wrong_input_is_refused),
                                       cmocka_unit_test(test_energy_of_a_map),
                                       cmocka_unit_test(test_failing_memory),
                                       cmocka_unit_test(test_warm_steps_allocate_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
