// Every scene of scenes/winter, as shipped: the same bits on any number of threads and over a restart, and no
// snow or water lost or made between its models. firn-test: slow
#include <dirent.h>
#include <math.h>
#include <stdlib.h>

#include "worlds.h"

enum { SCENES = 32, FRAMES = 4 };
static char scene[SCENES][512];
static int scenes;

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static int find_scenes(void **state) {
    (void)state;
    const char *folder = FIRN_SOURCE_DIR "/scenes/winter";
    DIR *dir = opendir(folder);
    if (!dir) return 1;
    for (struct dirent *e; (e = readdir(dir)) && scenes < SCENES;)
        if (strstr(e->d_name, ".yaml")) snprintf(scene[scenes++], sizeof *scene, "%s/%s", folder, e->d_name);
    closedir(dir);
    qsort(scene, (size_t)scenes, sizeof *scene, by_name);
    return scenes == 0;
}

static firn_world *open_scene(int i) {
    firn_world *world;
    if (firn_world_open(scene[i], &world) != FIRN_OK) fail_msg("%s: %s", scene[i], firn_last_error());
    return world;
}

static void test_same_bits(void **state) {
    (void)state;
    for (int i = 0; i < scenes; i++) {
        uint64_t first = 0;
        for (int k = 0; k < THREAD_COUNTS; k++) {
            assert_ok(firn_set_threads(thread_counts[k]));
            firn_world *world = open_scene(i);
            frames(world, FRAMES);
            uint64_t hash = firn_world_hash(world);
            if (k == 0) first = hash;
            if (hash != first) fail_msg("%s: other bits with %d threads", scene[i], thread_counts[k]);
            firn_world_close(world);
        }
        assert_ok(firn_set_threads(0));
        firn_world *world = open_scene(i), *again = open_scene(i);
        void *data;
        size_t bytes;
        frames(world, FRAMES / 2);
        assert_ok(firn_world_save(world, &data, &bytes));
        assert_ok(firn_world_load(again, data, bytes));
        frames(again, FRAMES - FRAMES / 2);
        if (firn_world_hash(again) != first) fail_msg("%s: other bits after a restart", scene[i]);
        firn_data_free(data);
        firn_world_close(world);
        firn_world_close(again);
    }
}

static void check_ledgers(const firn_world *world, const char *name) {
    for (size_t k = 1; k < firn_world_ledger_count(world); k++) {
        firn_ledger l = firn_world_ledger(world, k);
        double off = l.mass - (l.mass_in - l.mass_out);
        if (!(fabs(off) <= 1e-9 * fmax(l.mass_in, 1e-3)))
            fail_msg("%s: %s has %.17g kg, but %.17g kg came in and %.17g kg left", name, l.model, l.mass,
                     l.mass_in, l.mass_out);
    }
}

// What is there now is what was there, and what came in less what left.
static void test_nothing_is_lost(void **state) {
    (void)state;
    for (int i = 0; i < scenes; i++) {
        firn_world *world = open_scene(i);
        frames(world, 3 * FRAMES);
        check_ledgers(world, scene[i]);
        firn_world_close(world);
    }
}

static double series_of(const firn_world *world, const char *model, const char *panel, const char *name) {
    for (size_t i = 0; i < firn_world_series_count(world); i++) {
        firn_series s = firn_world_series_at(world, i);
        if (!strcmp(s.model, model) && !strcmp(s.panel, panel) && !strcmp(s.name, name)) return s.value;
    }
    fail_msg("there is no series %s, %s: %s", model, panel, name);
    return 0;
}

static double mass_of(const firn_world *world, const char *model) {
    for (size_t k = 0; k < firn_world_ledger_count(world); k++)
        if (!strcmp(firn_world_ledger(world, k).model, model)) return firn_world_ledger(world, k).mass;
    fail_msg("there is no ledger of %s", model);
    return 0;
}

// The yard at test size, through all its acts: flakes drift onto the field, the slab becomes field, the field
// melts, the eave drips and its drips freeze.
static void test_the_yard_to_its_end(void **state) {
    (void)state;
    static const char *const coarse[] = {
        "wind.cell=80cm", "wind.grid=[16,8,16]", "flakes.shown=300",   "field.cell=20cm",
        "mpm.cell=28cm",  "phase.mass=6g",       "phase.max_step=3ms", "fps=4",
        "max_step=50ms"};
    firn_world *world;
    assert_ok(firn_world_open_with(FIRN_SOURCE_DIR "/scenes/winter/yard.yaml",
                                   (firn_overrides){coarse, sizeof coarse / sizeof *coarse}, &world));
    double slab = mass_of(world, "mpm"), field = mass_of(world, "field");
    frames(world, 16); // the storm is over
    assert_true(mass_of(world, "field") > field + slab / 2 + 300);
    assert_true(series_of(world, "field", "melt", "melted") == 0);
    frames(world, 10); // the morning
    double water = series_of(world, "phase", "number of particles", "water");
    assert_true(water > 20 && series_of(world, "phase", "number of particles", "snow") == 0);
    assert_true(series_of(world, "field", "melt", "run-off") > 100);
    frames(world, 16);
    double ice = series_of(world, "phase", "number of particles", "snow");
    print_message("%.0f drops, %.0f of ice in the end\n", water, ice);
    assert_true(ice > 50 && mass_of(world, "mpm") < 0.05 * slab);
    check_ledgers(world, "yard");
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_the_yard_to_its_end),
    };
    return cmocka_run_group_tests(tests, find_scenes, NULL);
}
