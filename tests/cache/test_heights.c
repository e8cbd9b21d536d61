// Uneven ground as a picture.
#include "cache/runs.h"

#include "geom/image.h"

static const char hills_scene[] = "firn: 1\nduration: 0.04 s\nfps: 25\nbodies:\n"
                                  "  hilly: {shape: {hills: {size: [8, 1, 6], seed: 3}}, at: [0, 2, 0]}\n";

static firn_status export_heights(const run_test *t) {
    return firn_export(
        &(firn_export_options){COOKIE(export), .folder = t->a, .output = t->b, .format = "png16"});
}

static void test_hills_as_a_picture(void **state) {
    (void)state;
    run_test t = run_test_make(hills_scene);
    assert_ok(run_to(t.scene, t.a));
    assert_ok(export_heights(&t));
    char path[500];
    snprintf(path, sizeof path, "%s/hilly.png", t.b);
    grey_map map;
    assert_ok(grey_map_read(path, &map));
    assert_true(map.width > 8 && map.height > 8);
    uint16_t low = UINT16_MAX, high = 0;
    for (size_t i = 0; i < (size_t)map.width * map.height; i++) {
        if (map.value[i] < low) low = map.value[i];
        if (map.value[i] > high) high = map.value[i];
    }
    assert_int_equal(low, 0);
    assert_int_equal(high, UINT16_MAX);
    grey_map_free(&map);
    size_t bytes;
    snprintf(path, sizeof path, "%s/hilly.json", t.b);
    char *file = file_get(path, &bytes);
    assert_non_null(strstr(file, "\"size\": [8, 6]"));
    mem_free(file);
    run_test_end(&t);
}

// The picture, read back as a height map with the scale of the JSON file, is the same ground.
static void test_the_picture_is_the_ground(void **state) {
    (void)state;
    run_test t = run_test_make(hills_scene);
    assert_ok(run_to(t.scene, t.a));
    assert_ok(export_heights(&t));
    char path[500], yaml[1000];
    size_t bytes;
    snprintf(path, sizeof path, "%s/hilly.json", t.b);
    char *file = file_get(path, &bytes);
    double black = atof(strstr(file, "\"black\": ") + 9), white = atof(strstr(file, "\"white\": ") + 9);
    mem_free(file);
    assert_true(white > black + 0.5 && white < black + 1.5);
    snprintf(yaml, sizeof yaml,
             "firn: 1\nbodies:\n  map: {shape: {height_map: {file: %s/hilly.png, size: [8, %.9g, 6]}}, at: "
             "[0, %.9g, 0]}\n",
             t.b, white - black, 2 + black);
    firn_world *hills, *map;
    assert_ok(firn_world_open(t.scene, &hills));
    assert_ok(firn_world_open_text(yaml, "map", &map));
    for (uint64_t i = 0; i < 500; i++) {
        random4 r = random_bits(5, i, 0, 0); // seed 5
        const float point[3] = {7 * random_unit(r, 0) - 3.5f, 2 + random_unit(r, 1),
                                5 * random_unit(r, 2) - 2.5f};
        float a, b;
        assert_ok(firn_world_body_query(hills, 0, 1, point, &a, NULL, NULL));
        assert_ok(firn_world_body_query(map, 0, 1, point, &b, NULL, NULL));
        assert_near(a, b, 1e-3);
    }
    firn_world_close(hills);
    firn_world_close(map);
    run_test_end(&t);
}

static void test_no_heights(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    assert_ok(run_to(t.scene, t.a));
    assert_int_equal(export_heights(&t), FIRN_BAD_INPUT);
    expect_message("no heights");
    run_test_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hills_as_a_picture),
        cmocka_unit_test(test_the_picture_is_the_ground),
        cmocka_unit_test(test_no_heights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
