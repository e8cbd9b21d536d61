// A world made for frames shows what the world showed that the frames were written from.
#include "cache/folders.h"

#include "base/hash.h"
#include "cache/cache.h"

static const char *const scenes[] = {
    // Grains leave; snow enters over time.
    "firn: 1\nduration: 1 s\nbodies: {ground: {shape: plane}, hare: {shape: {hare: {height: 30 cm}}, at: [1, "
    "0, 0]}}\n"
    "grains: {fill: {heap: {shape: {box: {size: [30 cm, 30 cm, 30 cm]}}, at: [0.5, 0.3, 0], spacing: 5 "
    "cm}}}\n"
    "mpm: {cell: 8 cm, snow: {ball: {shape: {sphere: {radius: 20 cm}}, at: [-1, 1, 0]},"
    " hare: {shape: {hare: {height: 60 cm}}, at: [-2, 0.1, 0]}},"
    " emit: {more: {shape: {sphere: {radius: 10 cm}}, at: [-1, 2, 0], velocity: [0, -4, 0]}}}\n",
    "firn: 1\nduration: 1 s\nbodies: {ground: {shape: plane}}\n"
    "pbd: {solids: {cube: {shape: {box: {size: [40 cm, 40 cm, 40 cm]}}, at: [0, 2, 0], spacing: 10 cm}},"
    " fluid: {spacing: 10 cm,"
    " pools: {pool: {shape: {box: {size: [60 cm, 40 cm, 60 cm]}}, at: [0, 0.4, 0]}}}}\n"
    "phase: {mass: 200 g, snow: {lump: {shape: {sphere: {radius: 20 cm}}, at: [2, 0.5, 0]}}}\n",
    "firn: 1\nduration: 1 s\nbodies: {ground: {shape: plane}, box: {shape: {box: {size: [1, 1, 1]}}, at: [0, "
    "0.5, 0]}}\n"
    "wind: {grid: [16, 8, 16], cell: 50 cm}\nflakes: {shown: 500}\ncover: {}\n",
};
enum { SCENES = sizeof scenes / sizeof *scenes };

enum { FIELDS = 64, FRAMES = 2 };
typedef struct sight {
    size_t fields;
    uint64_t hash[FIELDS];
} sight;

static sight see(const firn_world *world) {
    sight out = {.fields = firn_world_field_count(world)};
    assert_true(out.fields <= FIELDS);
    for (size_t i = 0; i < out.fields; i++) {
        firn_field f = firn_world_field_at(world, i);
        size_t bytes = f.count * f.components * (f.type == FIRN_F64 || f.type == FIRN_U64 ? 8 : 4);
        if (f.flags & FIRN_FIELD_SHOWN) out.hash[i] = hash64(f.data, bytes, f.count);
    }
    return out;
}

static void expect_sight(const firn_world *world, const sight *before) {
    sight now = see(world);
    assert_int_equal(now.fields, before->fields);
    for (size_t i = 0; i < now.fields; i++)
        if (now.hash[i] != before->hash[i])
            fail_msg("%s is not what was written", firn_world_field_at(world, i).name);
}

static void test_worlds_for_frames_show_what_was_written(void **state) {
    (void)state;
    for (int s = 0; s < SCENES; s++) {
        temporary folder = temporary_make();
        char file[300], frame[FRAMES][300];
        sight seen[FRAMES];
        snprintf(file, sizeof file, "%s/scene.yaml", folder.path);
        file_put(file, scenes[s], strlen(scenes[s]));
        scene *def;
        assert_ok(scene_open(file, (firn_overrides){0}, &def));
        firn_world *whole, *shown;
        assert_ok(firn_world_create(&def->def.world, &whole));
        for (int i = 0; i < FRAMES; i++) {
            snprintf(frame[i], sizeof frame[i], "%s/%d", folder.path, i);
            assert_ok(file_make_folders(frame[i]));
            snprintf(frame[i], sizeof frame[i], "%s/%d/000000.h5", folder.path,
                     i); // a file's name is checked
            seen[i] = see(whole);
            assert_ok(cache_write(frame[i], whole, 7, CACHE_FRAME, false));
            for (int k = 0; k < 4; k++) assert_ok(firn_world_step(whole));
        }
        assert_ok(world_create_for_frames(&def->def.world, &shown));
        for (int i = 0; i < 3; i++) { // forwards and back
            assert_ok(cache_read(frame[i % FRAMES], shown, 7, CACHE_FRAME));
            expect_sight(shown, &seen[i % FRAMES]);
        }
        firn_world_close(shown);
        firn_world_close(whole);
        scene_close(def);
        temporary_remove(&folder);
    }
}

// The particles of a frame take memory, those of the start would too.
static void test_worlds_for_frames_are_not_filled(void **state) {
    (void)state;
    temporary folder = temporary_make();
    char file[300];
    snprintf(file, sizeof file, "%s/scene.yaml", folder.path);
    file_put(file, scenes[0], strlen(scenes[0]));
    scene *def;
    assert_ok(scene_open(file, (firn_overrides){0}, &def));
    firn_world *shown;
    assert_ok(world_create_for_frames(&def->def.world, &shown));
    assert_int_equal(firn_world_field(shown, "grains.position").count, 0);
    assert_int_equal(firn_world_field(shown, "mpm.position").count, 0);
    firn_world_close(shown);
    scene_close(def);
    temporary_remove(&folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worlds_for_frames_show_what_was_written),
        cmocka_unit_test(test_worlds_for_frames_are_not_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
