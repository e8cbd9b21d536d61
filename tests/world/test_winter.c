// Every scene of scenes/winter, at test size (tests/scenes/winter) and through all its acts: the same bits on
// any number of threads and over restarts, and no snow or water lost or made by a model or between two.
// firn-test: slow
#include <dirent.h>
#include <math.h>
#include <stdlib.h>

#include "worlds.h"

enum { SCENES = 32, NAME = 64 };
static char scene[SCENES][NAME]; // "yard.yaml"
static int scenes;

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static int list_scenes(const char *folder, char names[SCENES][NAME]) {
    int count = 0;
    DIR *dir = opendir(folder);
    if (!dir) return 0;
    for (struct dirent *e; (e = readdir(dir)) && count < SCENES;)
        if (strstr(e->d_name, ".yaml")) snprintf(names[count++], NAME, "%.60s", e->d_name);
    closedir(dir);
    qsort(names, (size_t)count, sizeof *names, by_name);
    return count;
}

static int find_scenes(void **state) {
    (void)state;
    scenes = list_scenes(FIRN_SOURCE_DIR "/tests/scenes/winter", scene);
    return scenes == 0;
}

// A scene that is shipped and not tested would show here.
static void test_none_is_left_out(void **state) {
    (void)state;
    char shipped[SCENES][NAME];
    assert_int_equal(list_scenes(FIRN_SOURCE_DIR "/scenes/winter", shipped), scenes);
    for (int i = 0; i < scenes; i++) assert_string_equal(shipped[i], scene[i]);
}

static firn_world *open_scene(int i) {
    char path[512];
    firn_world *world;
    snprintf(path, sizeof path, FIRN_SOURCE_DIR "/tests/scenes/winter/%.60s", scene[i]);
    if (firn_world_open(path, &world) != FIRN_OK) fail_msg("%s: %s", scene[i], firn_last_error());
    return world;
}

// What a model has is what came in less what left; bodies have no snow.
static void check_ledgers(const firn_world *world, const char *name) {
    for (size_t k = 1; k < firn_world_ledger_count(world); k++) {
        firn_ledger l = firn_world_ledger(world, k);
        double off = l.mass - (l.mass_in - l.mass_out);
        if (!(fabs(off) <= 1e-9 * fmax(l.mass_in, 1e-3)))
            fail_msg("%s: %s has %.17g kg at %g s, but %.17g kg came in and %.17g kg left", name, l.model,
                     l.mass, firn_world_time(world), l.mass_in, l.mass_out);
    }
}

// What has come into a model less what has left it, and what came from other models or went to them, by the
// couplings' own count. The rest came from outside.
typedef struct account {
    double mass, from_others; // kg
} account;

static account account_of(const firn_world *world, const char *model) {
    account a = {0};
    a.mass = ledger_of(world, model).mass;
    for (size_t i = 0; i < firn_world_coupling_count(world); i++) {
        firn_coupling c = firn_world_coupling(world, i);
        if (!strcmp(c.a, model)) a.from_others -= c.mass;
        if (!strcmp(c.b, model)) a.from_others += c.mass;
    }
    return a;
}

// Scenes by what comes into them from outside or leaves them: nothing, or into and out of these models.
static const struct {
    const char *scene, *open; // models
} entries[] = {
    {"avalanche.yaml", ""},
    {"flag-in-storm.yaml", "wind field"}, // flakes; a spout
    {"garden.yaml", "field"},             // snowfall
    {"hut-in-storm.yaml", "wind field"},  // flakes, of which less than a unit of mass waits
    {"plough-street.yaml", "wind field"}, // snowfall, run-off
    {"powder-in-wind.yaml", ""},
    {"rain-on-snow.yaml", "field"},
    {"snowball-fight.yaml", ""},
    {"thawing-cornice.yaml", ""},
    {"things-on-snow.yaml", ""},
    {"winter-day.yaml", "wind field"},
    {"yard.yaml", "wind field phase"}, // flakes; run-off; spouts and a drain
};

static bool is_open(const char *name, const char *model) {
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (!strcmp(entries[i].scene, name)) return strstr(entries[i].open, model) != NULL;
    fail_msg("%s is not in the table of entries", name);
    return false;
}

// What a model without entries of its own has more than at the start has come from others. So all of them
// together have as much as at the start, but for what entered and left by the doors of the open ones.
static void check_exchange(const firn_world *world, const firn_world *start, const char *name) {
    for (size_t k = 1; k < firn_world_ledger_count(world); k++) {
        const char *model = firn_world_ledger(world, k).model;
        account now = account_of(world, model), before = account_of(start, model);
        double more = now.mass - before.mass, from_outside = more - now.from_others;
        if (getenv("FIRN_SHOW"))
            print_message("%s, %s: %.6g kg at first, %+.6g, %+.6g from others, %+.3g from outside\n", name,
                          model, before.mass, more, now.from_others, from_outside);
        if (is_open(name, model)) continue;
        if (!(fabs(from_outside) <= 1e-9 * fmax(before.mass, fmax(now.mass, 1e-3))))
            fail_msg("%s: %s has %.17g kg more than at the start, and %.17g kg came from other models", name,
                     model, more, now.from_others);
    }
}

enum { FRAMES = 256 };
static uint64_t hashes[FRAMES]; // of the scene's frames

// A run to the end on one thread; ledgers are checked in every frame.
static void run_whole(int i) {
    firn_world *start = open_scene(i), *world = open_scene(i);
    assert_true(firn_world_frames(world) <= FRAMES);
    for (uint64_t f = 0; f < firn_world_frames(start); f++) {
        frames(world, 1);
        check_ledgers(world, scene[i]);
        hashes[f] = firn_world_hash(world);
    }
    check_exchange(world, start, scene[i]);
    firn_world_close(start);
    firn_world_close(world);
}

// The same state in a world that was never stepped.
static firn_world *restarted(firn_world *world, int i) {
    void *data;
    size_t bytes;
    firn_world *again = open_scene(i);
    assert_ok(firn_world_save(world, &data, &bytes));
    assert_ok(firn_world_load(again, data, bytes));
    firn_data_free(data);
    firn_world_close(world);
    return again;
}

// Once more, each frame on another number of threads, and restarted after random ones.
static void run_again(int i, unsigned *dice) {
    firn_world *world = open_scene(i);
    for (uint64_t f = 0; f < firn_world_frames(world); f++) {
        int threads = thread_counts[f % THREAD_COUNTS];
        assert_ok(firn_set_threads(threads));
        frames(world, 1);
        if (firn_world_hash(world) != hashes[f])
            fail_msg("%s: other bits after frame %d, on %d threads", scene[i], (int)f + 1, threads);
        *dice = *dice * 1664525u + 1013904223u;
        if ((*dice >> 8) % 5 == 0) world = restarted(world, i);
    }
    firn_world_close(world);
}

static void test_nothing_is_lost_and_bits_are_the_same(void **state) {
    (void)state;
    unsigned dice = 20240229;
    for (int i = 0; i < scenes; i++) {
        assert_ok(firn_set_threads(1));
        run_whole(i);
        run_again(i, &dice);
    }
    assert_ok(firn_set_threads(0));
}

static double series_of(const firn_world *world, const char *model, const char *panel, const char *name) {
    for (size_t i = 0; i < firn_world_series_count(world); i++) {
        firn_series s = firn_world_series_at(world, i);
        if (!strcmp(s.model, model) && !strcmp(s.panel, panel) && !strcmp(s.name, name)) return s.value;
    }
    fail_msg("there is no series %s, %s: %s", model, panel, name);
    return 0;
}

static firn_world *open_name(const char *name) {
    for (int i = 0; i < scenes; i++)
        if (!strcmp(scene[i], name)) return open_scene(i);
    fail_msg("there is no %s", name);
    return NULL;
}

// The yard through all its acts: flakes drift onto the field, the slab becomes field, the field melts, the
// eave drips and its drips freeze.
static void test_the_yard_to_its_end(void **state) {
    (void)state;
    firn_world *world = open_name("yard.yaml");
    double slab = ledger_of(world, "mpm").mass, field = ledger_of(world, "field").mass;
    frames(world, 16); // the storm is over
    assert_true(ledger_of(world, "field").mass > field + slab / 2 + 300);
    assert_true(series_of(world, "field", "melt", "melted") == 0);
    frames(world, 10); // the morning
    double water = series_of(world, "phase", "number of particles", "water");
    assert_true(water > 20 && series_of(world, "phase", "number of particles", "snow") == 0);
    assert_true(series_of(world, "field", "melt", "run-off") > 100);
    frames(world, 16);
    double ice = series_of(world, "phase", "number of particles", "snow");
    print_message("%.0f drops, %.0f of ice in the end\n", water, ice);
    assert_true(ice > 50 && ledger_of(world, "mpm").mass < 0.05 * slab);
    firn_world_close(world);
}

// What runs down comes to rest as field, but for a twentieth.
static void test_the_avalanche_comes_to_rest_as_field(void **state) {
    (void)state;
    firn_world *world = open_name("avalanche.yaml");
    double released = 0;
    for (uint64_t f = firn_world_frames(world); f > 0; f--) {
        frames(world, 1);
        released = fmax(released, ledger_of(world, "mpm").mass);
    }
    double left = ledger_of(world, "mpm").mass;
    print_message("%.0f kg ran, %.2g %% of it are MPM snow in the end\n", released, 100 * left / released);
    assert_true(released > 300 && left < 0.05 * released);
    firn_world_close(world);
}

// The balls tear snow off the wall, which lies in the field then; most of the cover, and some of the balls,
// sticks.
static void test_snowballs_leave_marks_and_craters(void **state) {
    (void)state;
    firn_world *world = open_name("snowball-fight.yaml");
    double snow = ledger_of(world, "mpm").mass, field = ledger_of(world, "field").mass;
    frames(world, (int)firn_world_frames(world));
    double fell = ledger_of(world, "field").mass - field;
    print_message("%.1f kg of %.1f kg fell into the field\n", fell, snow);
    assert_true(fell > 1 && ledger_of(world, "mpm").mass > 0.7 * snow);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_is_left_out),
        cmocka_unit_test(test_nothing_is_lost_and_bits_are_the_same),
        cmocka_unit_test(test_the_yard_to_its_end),
        cmocka_unit_test(test_the_avalanche_comes_to_rest_as_field),
        cmocka_unit_test(test_snowballs_leave_marks_and_craters),
    };
    return cmocka_run_group_tests(tests, find_scenes, NULL);
}
