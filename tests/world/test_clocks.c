// Nested clocks: models of one world step as each can, meet bodies as they would alone, and lose nothing.
// firn-test: threaded
#include "support.h"

#include <math.h>

#include "world/world.h"

static firn_world *open_world(const char *words) {
    firn_world *world;
    if (firn_world_open_text(words, "test", &world) != FIRN_OK) fail_msg("%s\n%s", firn_last_error(), words);
    return world;
}

static uint64_t steps_of(const firn_world *world, const char *model) {
    firn_field steps = firn_world_field(world, "world.steps");
    assert_int_equal(steps.count, world_model_count(world));
    for (size_t i = 0; i < steps.count; i++)
        if (strcmp(world_model_class(world, i)->name, model) == 0) return ((const uint64_t *)steps.data)[i];
    fail_msg("there is no model %s", model);
    return 0;
}

#define HEAD "firn: 1\nfps: 50\nduration: 4 s\n"
#define FLOOR "bodies:\n  floor: {shape: plane}\n"
#define WIND                                                                                                 \
    "wind: {cell: 50 cm, grid: [12, 8, 12], inflow: {side: west, speed: 5 m/s}}\nflakes: {shown: 500}\n"
#define FIELD "field: {width: 2 m, length: 2 m, cell: 5 cm, depth: 20 cm, snow: packed}\n"
#define BALL "mpm: {cell: 6 cm, snow: {ball: {shape: {sphere: {radius: 15 cm}}, at: [-4, 0.2, 0]}}}\n"
#define LUMP                                                                                                 \
    "phase: {mass: 60 g, snow: {lump: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [4, 0.1, 0], type: "       \
    "packed}}}\n"

static void test_each_model_steps_as_it_can(void **state) {
    (void)state;
    firn_world *world = open_world(HEAD FLOOR WIND FIELD BALL LUMP);
    assert_ok(firn_world_advance_frame(world));
    print_message("steps: wind %llu, field %llu, phase %llu, mpm %llu, bodies %llu\n",
                  (unsigned long long)steps_of(world, "wind"), (unsigned long long)steps_of(world, "field"),
                  (unsigned long long)steps_of(world, "phase"), (unsigned long long)steps_of(world, "mpm"),
                  (unsigned long long)steps_of(world, "bodies"));
    assert_int_equal(firn_world_steps(world), 5); // of the slowest: 4 ms
    assert_int_equal(steps_of(world, "wind"), 5);
    assert_int_equal(steps_of(world, "field"), 5);
    assert_int_equal(steps_of(world, "bodies"), 5); // nothing near them moves
    assert_in_range(steps_of(world, "phase"), 16, 20);
    assert_true(steps_of(world, "mpm") >= 40);
    firn_world_close(world);
}

// The slowest clock divides a frame as it does alone.
static void test_a_slow_model_has_the_bits_that_it_has_alone(void **state) {
    (void)state;
    firn_world *all = open_world(HEAD FLOOR WIND BALL LUMP), *alone = open_world(HEAD FLOOR WIND);
    for (int i = 0; i < 2; i++) {
        assert_ok(firn_world_advance_frame(all));
        assert_ok(firn_world_advance_frame(alone));
    }
    size_t compared = 0;
    for (size_t k = 0; k < firn_world_field_count(alone); k++) {
        firn_field a = firn_world_field_at(alone, k), b;
        if (strncmp(a.name, "wind.", 5) != 0) continue;
        b = firn_world_field(all, a.name);
        assert_int_equal(a.count, b.count);
        size_t bytes = a.type == FIRN_F64 || a.type == FIRN_U64 ? 8 : 4;
        if (a.count > 0) assert_memory_equal(a.data, b.data, a.count * a.components * bytes);
        compared++;
    }
    assert_true(compared > 3);
    firn_world_close(all);
    firn_world_close(alone);
}

// Snow close beside a crate puts the bodies on the fast clock.
#define BESIDE                                                                                               \
    "mpm: {cell: 6 cm, snow: {block: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [0.35, 0.1, 0]}}}\n"
#define CRATE                                                                                                \
    "  crate: {shape: {box: {size: [0.3, 0.3, 0.3]}}, at: [0, 0.36, 0], motion: dynamic, density: 400}\n"

static double rest_height(const char *words, double *drift, double *speed, uint64_t *ratio) {
    firn_world *world = open_world(words);
    size_t crate = firn_world_body_find(world, "crate");
    assert_ok(firn_world_advance(world, 0.4));
    double before = firn_world_body_state(world, crate).position.y;
    *speed = 0;
    for (int i = 0; i < 5; i++) {
        assert_ok(firn_world_advance_frame(world));
        *speed = fmax(*speed, fabs(firn_world_body_state(world, crate).velocity.y));
    }
    double after = firn_world_body_state(world, crate).position.y;
    *drift = fabs(after - before);
    if (ratio) *ratio = steps_of(world, "bodies") / steps_of(world, "field");
    firn_world_close(world);
    return after;
}

static void test_a_crate_rests_on_slow_snow_with_fast_snow_beside_it(void **state) {
    (void)state;
    double drift, speed;
    uint64_t ratio;
    double alone = rest_height(HEAD FLOOR CRATE FIELD, &drift, &speed, NULL);
    double among = rest_height(HEAD FLOOR CRATE FIELD BESIDE, &drift, &speed, &ratio);
    print_message("rests at %.5f m, alone at %.5f m; %.3g m in 0.1 s, %.3g m/s; %llu steps for one\n", among,
                  alone, drift, speed, (unsigned long long)ratio);
    assert_true(ratio >= 5);
    assert_near(among, alone, 2e-3);
    assert_true(drift < 2e-4 && speed < 2e-3);
}

static void test_forces_of_the_program_act_for_a_whole_step(void **state) {
    (void)state;
    firn_world *world = open_world(
        HEAD "gravity: [0, 0, 0]\nbodies:\n" CRATE
             "grains: {fill: {far: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [9, 9, 9]}}}\n" BESIDE);
    size_t crate = firn_world_body_find(world, "crate");
    firn_body_state start = firn_world_body_state(world, crate);
    double pushed = 0;
    while (firn_world_frame(world) < 1) {
        double before = firn_world_time(world);
        assert_ok(firn_world_body_push(world, crate, (firn_vec3){0, 0, 40}, start.position));
        assert_ok(firn_world_step(world));
        pushed += 40 * (firn_world_time(world) - before);
    }
    assert_true(steps_of(world, "bodies") > 3 * steps_of(world, "grains"));
    assert_near(start.mass * firn_world_body_state(world, crate).velocity.z, pushed, 1e-9 * pushed);
    firn_world_close(world);
}

// Of bodies and grains along x, with what the grains gave the crate for its next step.
static double momentum_of(const firn_world *world) {
    double sum = firn_world_ledger(world, 0).momentum.x + firn_world_ledger(world, 1).momentum.x;
    sum += ((const double *)firn_world_field(world, "bodies.impulse").data)[0];
    firn_field late = firn_world_field(world, "bodies.late");
    for (size_t k = 0; k < late.components / 6; k++) sum += ((const double *)late.data)[3 * k];
    return sum;
}

// Grains, on a slow clock, hit a crate on the fast one.
static void test_momentum_passes_between_clocks(void **state) {
    (void)state;
    firn_world *world = open_world(HEAD "gravity: [0, 0, 0]\nbodies:\n" CRATE
                                        "grains: {drag: 0, fill: {hail: {shape: {box: {size: [0.2, 0.2, "
                                        "0.2]}}, at: [0.5, 0.36, 0], spacing: 4 cm, "
                                        "velocity: [-5, 0, 0]}}}\n"
                                        "coupling: {grains_mpm: {on: no}}\n" BESIDE); // or both step alike
    double start = momentum_of(world);
    assert_ok(firn_world_advance(world, 0.2));
    double end = momentum_of(world);
    assert_true(steps_of(world, "bodies") > 3 * steps_of(world, "grains"));
    double crate = firn_world_ledger(world, 0).momentum.x;
    print_message("momentum %.9g, then %.9g kg m/s, of which the crate has %.3g\n", start, end, crate);
    assert_true(crate < 0.2 * start);
    assert_near(end, start, 1e-6 * fabs(start));
    firn_world_close(world);
}

static const char busy[] = HEAD FLOOR CRATE WIND FIELD BESIDE LUMP;

static uint64_t hash_after(int frames, int restart_step) {
    firn_world *world = open_world(busy);
    void *memory = NULL;
    size_t bytes = 0;
    for (int step = 0; firn_world_frame(world) < (uint64_t)frames; step++) {
        assert_ok(firn_world_step(world));
        if (step != restart_step) continue;
        assert_ok(firn_world_save(world, &memory, &bytes));
        firn_world_close(world);
        world = open_world(busy);
        assert_ok(firn_world_load(world, memory, bytes));
        firn_data_free(memory);
    }
    uint64_t hash = firn_world_hash(world);
    firn_world_close(world);
    return hash;
}

static void test_threads_and_restarts_keep_the_bits(void **state) {
    (void)state;
    enum { FRAMES = FIRN_FEWER > 1 ? 1 : 3 };
    firn_set_threads(1);
    uint64_t hash = hash_after(FRAMES, -1);
    for (int i = 1; i < THREAD_COUNTS; i++) {
        firn_set_threads(thread_counts[i]);
        assert_int_equal(hash_after(FRAMES, 2 * i), hash);
    }
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_model_steps_as_it_can),
        cmocka_unit_test(test_a_slow_model_has_the_bits_that_it_has_alone),
        cmocka_unit_test(test_a_crate_rests_on_slow_snow_with_fast_snow_beside_it),
        cmocka_unit_test(test_forces_of_the_program_act_for_a_whole_step),
        cmocka_unit_test(test_momentum_passes_between_clocks),
        cmocka_unit_test(test_threads_and_restarts_keep_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
