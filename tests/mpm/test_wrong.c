// Snow that cannot be made: the message names the piece and says what to do.
#include "mpm/snow.h"

#include "mpm/mpm.h"

static void assert_refused(const snow_world *w, const char *piece, const char *why) {
    firn_world *world;
    assert_int_equal(firn_world_create(&w->world, &world), FIRN_BAD_INPUT);
    assert_null(world);
    if (!strstr(firn_last_error(), piece) || !strstr(firn_last_error(), why))
        fail_msg("'%s' speaks neither of %s nor of %s", firn_last_error(), piece, why);
}

static void test_a_fill_without_room(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0, 0, 0}, (firn_vec3){0, 0, 0}, 0.05);
    w.snow.name = "crumb";
    w.snow.fill.shape.kind = FIRN_SHAPE_SPHERE;
    w.snow.fill.shape.radius = 0.001;
    assert_refused(&w, "mpm.snow.crumb", "smaller");
    model_setting setting = {.max_speed = 100, .duration = 1}; // `firn check` knows it, too
    firn_cost cost = {.step = 1};
    assert_int_equal(mpm_model.cost(&w.mpm, &setting, &cost), FIRN_BAD_INPUT);
}

static void test_numbers_beyond_their_range(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){1, 1, 1}, (firn_vec3){0, 0, 0}, 0.1);
    snow_world bad = w;
    bad.mpm.snow.items = &bad.snow;
    bad.world.mpm = &bad.mpm;
    bad.snow.density = 0;
    assert_refused(&bad, "mpm.snow.box.density", "10 kg/m3");
    bad.snow.density = FIRN_AUTO;
    bad.snow.poisson = 0.5;
    assert_refused(&bad, "mpm.snow.box.poisson", "0.49");
    bad.snow.poisson = FIRN_AUTO;
    bad.snow.critical_stretch = 1;
    assert_refused(&bad, "critical_stretch", "0.9");
    bad.snow.critical_stretch = FIRN_AUTO;
    bad.snow.critical_compression = 0;
    assert_refused(&bad, "critical_compression", "0.9");
}

static void warned(void *context, firn_log_level level, const char *message) {
    (void)level;
    if (strstr(message, "mpm.snow.box") && strstr(message, "not closed")) ++*(int *)context;
}

// Three sides of a box: filled as far as inside and outside can be told, and said so.
static void test_a_mesh_that_is_not_closed(void **state) {
    (void)state;
    const char *path = "mpm-open.obj";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nf 1 2 5\n", file);
    fclose(file);
    snow_world w;
    snow_box(&w, (firn_vec3){1, 1, 1}, (firn_vec3){0, 0, 0}, 0.1);
    w.snow.fill.shape.kind = FIRN_SHAPE_MESH;
    w.snow.fill.shape.file = path;
    int warnings = 0;
    firn_set_log(warned, &warnings);
    assert_refused(&w, "mpm.snow.box", "inside");
    firn_set_log(NULL, NULL);
    assert_true(warnings > 0);
    remove(path);
}

static void test_an_emitter_too_thin(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){1, 1, 1}, (firn_vec3){0, 0, 0}, 0.1);
    firn_mpm_emit_def emit = firn_mpm_emit_def_default();
    emit.name = "needle";
    emit.snow.fill.shape.size = (firn_vec3){1, 0.001, 0.001};
    emit.snow.fill.shape.kind = FIRN_SHAPE_BOX;
    emit.snow.velocity = (firn_vec3){1, 0, 0};
    w.mpm.emit.items = &emit;
    w.mpm.emit.count = 1;
    assert_refused(&w, "mpm.emit.needle", "wider");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_fill_without_room),
        cmocka_unit_test(test_numbers_beyond_their_range),
        cmocka_unit_test(test_a_mesh_that_is_not_closed),
        cmocka_unit_test(test_an_emitter_too_thin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
