// A model and a constraint that the program registers: the examples of docs/examples, run inside the tests,
// so that the sanitizers see them too, and with several numbers of threads, frames and pictures. firn-test:
// threaded
#include "cache/folders.h"

#define main hail_main
#define need hail_need
#define add hail_add
#define dot hail_dot
#define tells_mistakes hail_tells_mistakes
#include "../docs/examples/hail_model.c"
#undef main
#undef need
#undef add
#undef dot
#undef tells_mistakes
#define main straight_main
#define tells_mistakes straight_tells_mistakes
#include "../docs/examples/straight_constraint.c"
#undef main

static void test_the_examples_hold(void **state) {
    (void)state;
    assert_int_equal(hail_main(), 0);
    assert_int_equal(straight_main(), 0);
}

static const char both[] =
    "firn: 1\nduration: 0.2 s\nfps: 25\n"
    "bodies: {ground: {shape: plane}, ball: {shape: sphere, at: [0, 0.6, 0], motion: dynamic}}\n"
    "hail: {stones: 300, at: [0, 2, 0], size: [2, 1, 2], velocity: [0, -9, 0]}\n"
    "pbd:\n  solids: {rope: {lattice: [40, 1, 1], at: [0, 2, 2], spacing: 5 cm, links: neighbours, "
    "neighbours: 1}}\n"
    "  constraints: {beam: {kind: straight, compliance: 1.0e-5, repeat: 38, particles: "
    "[{solid: rope}, {solid: rope, number: 1}, {solid: rope, number: 2}]}}\n";

static void test_any_number_of_threads(void **state) {
    (void)state;
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        firn_world *world;
        assert_ok(firn_set_threads(1 + 3 * k));
        assert_ok(firn_world_open_text(both, "both", &world));
        for (int i = 0; i < 60; i++) assert_ok(firn_world_step(world));
        hash[k] = firn_world_hash(world);
        firn_world_close(world);
    }
    assert_ok(firn_set_threads(0));
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

// A run's frames hold its fields and series; a run that goes on is the same run.
static void test_runs_and_frames(void **state) {
    (void)state;
    temporary t = temporary_make();
    char scene[400], folder[400], *text;
    snprintf(scene, sizeof scene, "%s/both.yaml", t.path);
    snprintf(folder, sizeof folder, "%s/run", t.path);
    file_put(scene, both, strlen(both));
    firn_run_options options = {COOKIE(run), .scene = scene, .folder = folder};
    assert_ok(firn_run(&options));
    assert_ok(firn_info(folder, false, &text));
    assert_non_null(strstr(text, "hail: 300"));
    assert_non_null(strstr(text, "bounces so far"));
    firn_text_free(text);
    firn_verify_result verified;
    assert_ok(firn_verify(&(firn_verify_options){COOKIE(verify), .folder = folder}, &verified));
    assert_true(verified.frames == 6 && verified.damaged == 0);
    char picture[400];
    snprintf(picture, sizeof picture, "%s/hail.png", t.path);
    firn_status drawn = firn_render(&(firn_render_options){COOKIE(render), .folder = folder,
                                                           .output = picture, .width = 160, .height = 90});
    if (drawn != FIRN_UNSUPPORTED) assert_int_equal(drawn, FIRN_OK); // a build without OpenGL
    temporary_remove(&t);
}

// A field that is not the model's, a series without a name, a section that exists.
static void test_wrong_classes_are_refused(void **state) {
    (void)state;
    firn_model_class wrong = hail_model;
    wrong.name = "sleet";
    assert_int_equal(firn_register_model(&wrong), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "field 'hail.position' must begin with 'sleet.'"));
    wrong = hail_model;
    wrong.name = "grains";
    const firn_field_table *const none[] = {NULL};
    wrong.fields = none;
    assert_int_equal(firn_register_model(&wrong), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "model 'grains': a section of this name exists already"));
    wrong.name = "sleet";
    wrong.resize = NULL;
    assert_int_equal(firn_register_model(&wrong), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "has no 'resize'"));
}

static void test_it_is_listed_and_explained(void **state) {
    (void)state;
    char *text;
    assert_ok(firn_list("hail", false, &text));
    assert_non_null(strstr(text, "hail.position"));
    assert_non_null(strstr(text, "bounces so far"));
    firn_text_free(text);
    assert_ok(firn_explain("hail.terminal_speed", false, &text));
    assert_non_null(strstr(text, "may change while the world runs"));
    firn_text_free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_examples_hold),
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_runs_and_frames),
        cmocka_unit_test(test_wrong_classes_are_refused),
        cmocka_unit_test(test_it_is_listed_and_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
