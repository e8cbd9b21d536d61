// The watchdog of energy: what comes from nothing stops the run, what something brings does not.
#include "support.h"

#include <string.h>

#include "world/world.h"

static firn_world *open_world(const char *words) {
    firn_world *world;
    if (firn_world_open_text(words, "test", &world) != FIRN_OK) fail_msg("%s\n%s", firn_last_error(), words);
    return world;
}

// Everything of a model suddenly moves upwards with 3 m/s.
static void kick(firn_world *world, const char *field) {
    for (size_t k = 0; k < firn_world_field_count(world); k++) {
        firn_field f = firn_world_field_at(world, k);
        if (strcmp(f.name, field) != 0) continue;
        assert_true(f.components == 3 && f.count > 0);
        void *data = world_field_data(world, k);
        for (size_t i = 0; i < f.count; i++)
            if (f.type == FIRN_F64)
                ((double *)data)[3 * i + 1] = 3;
            else
                ((float *)data)[3 * i + 1] = 3;
        return;
    }
    fail_msg("there is no field %s", field);
}

#define HEAD "firn: 1\nfps: 50\nduration: 1 s\nbodies:\n  floor: {shape: plane}\n"
static const struct {
    const char *model, *words;
} scenes[] = {
    {"bodies", HEAD "  crate: {shape: {box: {size: [0.4, 0.4, 0.4]}}, at: [0, 0.2, 0], motion: dynamic}\n"},
    {"grains", HEAD
     "grains: {fill: {pile: {shape: {box: {size: [0.3, 0.3, 0.3]}}, at: [0, 0.5, 0], spacing: 5 cm}}}\n"},
    {"mpm",
     HEAD "mpm: {cell: 0.1, snow: {block: {shape: {box: {size: [0.4, 0.4, 0.4]}}, at: [0, 0.2, 0]}}}\n"},
    {"pbd", HEAD
     "pbd: {solids: {block: {shape: {box: {size: [0.3, 0.3, 0.3]}}, at: [0, 0.15, 0], spacing: 5 cm}}}\n"},
    {"phase",
     HEAD "phase: {mass: 50 g, snow: {block: {shape: {box: {size: [0.3, 0.3, 0.3]}}, at: [0, 0.15, 0]}}}\n"},
};

static void test_energy_from_nothing_stops_every_model(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        firn_world *world = open_world(scenes[k].words);
        char field[64];
        snprintf(field, sizeof field, "%s.velocity", scenes[k].model);
        assert_ok(firn_world_advance_frame(world));
        kick(world, field);
        assert_int_equal(firn_world_advance_frame(world), FIRN_UNSTABLE);
        const char *message = firn_last_error();
        print_message("%s\n", message);
        assert_int_equal(strncmp(message, scenes[k].model, strlen(scenes[k].model)), 0);
        assert_non_null(strstr(message, "have come from nothing"));
        assert_non_null(strstr(message, "near ("));
        firn_world_close(world);
    }
}

static void test_it_can_be_told_not_to(void **state) {
    (void)state;
    char words[600];
    snprintf(words, sizeof words, "%swatch_energy: no\n", scenes[0].words);
    firn_world *world = open_world(words);
    assert_ok(firn_world_advance_frame(world));
    kick(world, "bodies.velocity");
    for (int k = 0; k < 5; k++) assert_ok(firn_world_advance_frame(world));
    firn_world_close(world);
}

// A program that throws a body, or pushes it, does work.
static void test_what_programs_do_is_no_fault(void **state) {
    (void)state;
    firn_world *world = open_world(scenes[0].words);
    assert_ok(firn_world_advance_frame(world));
    firn_body_state crate = firn_world_body_state(world, 1);
    crate.velocity = (firn_vec3){5, 5, 0};
    assert_ok(firn_world_body_place(world, 1, &crate));
    for (int k = 0; k < 5; k++) assert_ok(firn_world_advance_frame(world));
    for (int k = 0; k < 5; k++) {
        crate = firn_world_body_state(world, 1);
        assert_ok(firn_world_body_push(world, 1, (firn_vec3){1e5, 0, 0}, crate.position));
        assert_ok(firn_world_advance_frame(world));
    }
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_from_nothing_stops_every_model),
        cmocka_unit_test(test_it_can_be_told_not_to),
        cmocka_unit_test(test_what_programs_do_is_no_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
