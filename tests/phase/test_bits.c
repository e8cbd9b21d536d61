// firn-test: threaded
// Same bits for any number of threads and across a restart, with grains that melt and water that freezes in
// between; failing memory.
#include "phase/snowy.h"

#include "bits.h"

// Links, lumps, a tap, a hole, a floating ball; snow that melts on hot water, water that soaks into cold snow
// and freezes there.
static const char *const all =
    "firn: 1\n"
    "bodies:\n"
    "  ball: {shape: {sphere: {radius: 6 cm}}, at: [0, 0.3, 0.1], motion: dynamic, density: 300 kg/m3}\n"
    "phase:\n"
    "  change: %s\n"
    "  heat: {snow_conductivity: 2500 W/mK, water_conductivity: 600 W/mK, latent: 3 kJ/kg}\n"
    "  blend_time: 8 ms\n"
    "  seep: 20 cm/s\n"
    "  adhesion: 40\n  cohesion: 20\n  body_adhesion: 30\n"
    "  box: {walls: [{low: [-0.2, 0, -0.2], high: [0.2, 2, 0.2]}]}\n"
    "  snow:\n"
    "    warm: {shape: {box: {size: [18 cm, 8 cm, 18 cm]}}, at: [-0.1, 0.17, -0.1], temperature: -1 C, "
    "pattern: jittered, velocity: [0, -3, 0]}\n"
    "    cold: {shape: {box: {size: [18 cm, 8 cm, 18 cm]}}, at: [0.1, 0.17, -0.1], temperature: -90 C, "
    "velocity: [0, -3, 0]}\n"
    "  water:\n"
    "    hot: {shape: {box: {size: [20 cm, 12 cm, 38 cm]}}, at: [-0.1, 0.06, 0], temperature: 90 C}\n"
    "    fresh: {shape: {box: {size: [18 cm, 12 cm, 38 cm]}}, at: [0.1, 0.06, 0], temperature: 0.1 C}\n"
    "  spouts: {tap: {at: [-0.1, 0.5, 0], velocity: [0, -2, 0], radius: 4 cm, temperature: 60 C}}\n"
    "  drains: {hole: {shape: {sphere: {radius: 5 cm}}, at: [0.2, 0.1, 0.2]}}\n";

static firn_world *tank(const char *change) {
    char words[3000];
    snprintf(words, sizeof words, all, change);
    return snowy_open(words);
}

static uint64_t hash_after(const char *change, int threads, size_t steps) {
    firn_set_threads(threads);
    firn_world *world = tank(change);
    snowy_run(world, steps);
    const phase *m = snowy_model(world);
    assert_true(m->counters.melted > 0 && m->counters.frozen > 0 && m->counters.broken > 0 &&
                m->lumps.lumps > 0);
    assert_true(m->s->counters.mass_out > 0 && m->counters.soaked > 0.01);
    uint64_t hash = firn_world_hash(world);
    firn_world_close(world);
    return hash;
}

static void test_same_bits_for_any_threads(void **state) {
    (void)state;
    uint64_t hash = hash_after("latent", 1, 110);
    for (int t = 1; t < THREAD_COUNTS; t++) assert_true(hash_after("latent", thread_counts[t], 110) == hash);
    firn_set_threads(0);
}

static void test_restart_gives_the_same_bits(void **state) {
    (void)state;
    const char *const changes[] = {"latent", "blending"};
    for (int c = 0; c < 2; c++) {
        firn_world *whole = tank(changes[c]), *cut = tank(changes[c]);
        snowy_run(whole, 91);
        double before = snowy_model(whole)->counters.melted;
        assert_restarts(whole, cut, 14);
        assert_true(snowy_model(cut)->counters.melted > before);
        firn_world_close(whole);
        firn_world_close(cut);
    }
}

// Some of the allocations of a creation and a step fail, one after the other.
static void test_failing_memory(void **state) {
    (void)state;
    failing_allocator f;
    size_t calls = 1;
    for (size_t n = 1; n <= calls; n += 17) {
        char words[3000];
        snprintf(words, sizeof words, all, "latent");
        fail_allocation(&f, n);
        firn_world *world;
        firn_status status = firn_world_open_text(words, "tank", &world);
        if (status == FIRN_OK) {
            status = firn_world_step(world);
            firn_world_close(world);
        }
        calls = f.calls;
        firn_set_allocator(NULL);
        if (f.calls >= n) assert_true(status == FIRN_NO_MEMORY || status == FIRN_OK);
    }
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_restart_gives_the_same_bits),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
