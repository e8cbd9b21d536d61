// firn-test: slow
// The effective scene reads back to the same bits.
#include "support.h"

#include "base/memory.h"
#include "random_def.h"
#include "scene/scene.h"
#include "scene/scene_hash.h"

static uint64_t whole_hash(const scene_def *def) {
    uint64_t hash;
    assert_ok(scene_hash_params(&scene_params, def, true, &hash, NULL));
    return hash;
}

// true if the random scene was one that firn allows.
static bool round_trip(uint64_t seed) {
    scene made = {0}, *back;
    random_source r = {.seed = seed, .memory = &made.memory};
    param_defaults(&scene_params, &made.def);
    made.def.version = 1;
    draw_table(&r, &scene_params, (char *)&made.def);
    if (text_equal(made.def.picture.color, "none")) made.def.picture.color = NULL;
    bool allowed = param_validate(&scene_params, &made.def) == FIRN_OK;
    if (allowed) {
        char *written, *again;
        assert_ok(scene_write(&made, &written));
        firn_status status =
            scene_parse(written, strlen(written), "effective.yaml", (firn_overrides){0}, &back);
        if (status != FIRN_OK) fail_msg("seed %d: %s\n%s", (int)seed, firn_last_error(), written);
        assert_ok(scene_write(back, &again));
        assert_string_equal(written, again);
        assert_true(whole_hash(&made.def) == whole_hash(&back->def));
        firn_text_free(written);
        firn_text_free(again);
        scene_close(back);
    }
    arena_free(&made.memory);
    return allowed;
}

static void test_random_scenes(void **state) {
    (void)state;
    size_t before = mem_in_use(), allowed = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++) allowed += round_trip(seed);
    if (allowed < 50) fail_msg("only %zu of 20000 random scenes were allowed", allowed);
    assert_int_equal(mem_in_use(), before);
}

static void test_hash_survives(void **state) {
    (void)state;
    const char *content = "firn: 1\nname: \"a \\u2603 b\"\nfps: 59.94\nbodies:\n  a: {shape: hare, rotate: "
                          "[10 deg, 0.1, -0.0]}\n"
                          "  m: {motion: [{time: 0.1}, {time: 0.3, at: [1 um, 0, 0]}]}\n"
                          "wind: {cell: 1 m}\n" // the effective scene has field before flakes
                          "flakes: {snowfall: [{time: 0, value: 0}, {time: 1, value: 7 mm/h}]}\n"
                          "field: {fall: {rate: [{time: 0, value: 0}, {time: 1, value: 5 mm/h}]}}\n";
    scene *one, *two;
    char *written;
    assert_ok(scene_parse(content, strlen(content), "one", (firn_overrides){0}, &one));
    assert_ok(scene_write(one, &written));
    assert_ok(scene_parse(written, strlen(written), "two", (firn_overrides){0}, &two));
    assert_true(one->hash == two->hash);
    assert_true(signbit(two->def.world.bodies.items[0].rotate.z));
    assert_string_equal(two->def.world.name, "a \u2603 b");
    assert_false(two->def.camera_given);
    firn_text_free(written);
    scene_close(one);
    scene_close(two);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_scenes),
                                       cmocka_unit_test(test_hash_survives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
