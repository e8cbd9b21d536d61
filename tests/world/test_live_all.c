// firn-test: slow
// Every parameter that may change live, in a scene with all models: a changed one takes effect, with the same
// bits on any number of threads and over saving and loading; loading takes it back.
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/param.h"
#include "world/world_state.h"

static const char all_models[] = FIRN_TEST_DATA "/scenes/all-models.yaml";

enum { STEPS = 4 };

// Within a few steps of this scene these have no effect: what they belong to is not chosen (flip_share with
// APIC, plain_stiffness), does not happen yet (spouts' ends, tearing, floors, ticks of the weather) or is
// only shown.
static const char *const without_effect[] = {
    "max_speed",
    "coupling.cover_field.on", // there is no cover
    // Models that are not near each other yet.
    "coupling.mpm_field.settle",
    "coupling.mpm_field.release",
    "coupling.mpm_field.rest_time",
    "coupling.mpm_field.impact_speed",
    "coupling.mpm_field.friction",
    "coupling.mpm_field.heat_contact", // snow without heat
    "coupling.phase_field.heat_contact",
    "coupling.mpm_phase.heat_contact",
    "coupling.mpm_phase.drip", // such snow does not melt (tests/world/test_couple_mpm_phase.c has some)
    "coupling.mpm_phase.holds",
    "coupling.mpm_phase.rest_speed", // of what becomes MPM snow, where that is asked for
    "coupling.mpm_phase.rest_time",
    "coupling.mpm_field.powder", // nothing is that fast
    "coupling.mpm_field.powder_speed",
    "coupling.grains_field.on",
    "coupling.grains_field.friction",
    "coupling.pbd_field.on",
    "coupling.pbd_field.friction",
    "coupling.phase_field.on",
    "coupling.phase_field.friction",
    "coupling.grains_mpm.on",
    "coupling.grains_mpm.friction",
    "coupling.grains_pbd.on",
    "coupling.grains_pbd.friction",
    "coupling.grains_phase.on",
    "coupling.grains_phase.friction",
    "coupling.mpm_pbd.friction",
    "coupling.pbd_phase.on",
    "coupling.pbd_phase.friction",
    "grains.friction",
    "grains.restitution",
    "grains.floor",
    "grains.drag",  // beside a wind
    "mpm.max_step", // what meets it asks for shorter steps
    "mpm.flip_share",
    "mpm.implicit_iterations",
    "mpm.floor",
    "mpm.snow.ball.temperature",
    "mpm.snow.ball.friction_angle", // of other laws than its own
    "mpm.snow.ball.cohesion",
    "mpm.snow.ball.strength",
    "field.fall.rate",
    "field.ageing.time",
    "field.ageing.density",
    "field.bits.speed",
    "field.bits.smallest",
    "field.bits.largest",
    "field.crust.strength",
    "air.radiation", // its snow has no heat, and the cover has not begun to melt
    "air.exchange",
    "rain.rate",
    "rain.temperature",
    "field.heat.ground",
    "field.heat.contact",
    "field.heat.retention",
    "field.pour.heap.end",
    "wind.inflow.exponent",
    "wind.sweeps",
    "pbd.relaxation",
    "pbd.solids.cloth.plain_stiffness",
    "pbd.solids.cloth.young", // of elastic solids
    "pbd.solids.cloth.poisson",
    "pbd.solids.cloth.shear",
    "pbd.solids.cloth.bending",
    "pbd.solids.cloth.break_strain",
    "pbd.solids.cloth.friction",
    "pbd.solids.cloth.static_friction",
    "pbd.solids.strip.stiffness", // it is elastic
    "pbd.solids.strip.plain_stiffness",
    "pbd.solids.strip.friction",
    "pbd.solids.strip.static_friction",
    "pbd.solids.strip.self_contact", // it is flat: links hold its neighbours
    "pbd.pins.left.plain_stiffness",
    "pbd.fluid.plain_stiffness",
    "pbd.fluid.most_iterations",
    "pbd.fluid.max_travel",
    "pbd.fluid.friction",
    "pbd.fluid.contact_angle", // without a tension
    "pbd.fluid.spouts.tap.end",
    "phase.blend_time",
    "phase.threshold",
    "phase.links.temperature",
    "phase.links.break_strain",
    "phase.links.shape",
};

static bool expected_without_effect(const char *name) {
    if (strcmp(name, "bodies.ground.restitution") == 0 || strcmp(name, "bodies.ground.rolling_friction") == 0)
        return true;                                             // nothing bounces or rolls in these steps
    if (strcmp(name, "bodies.boot.friction") == 0) return false; // it holds the snow on the boot
    if (strcmp(name, "bodies.ball.friction") == 0 || strcmp(name, "bodies.crate.friction") == 0)
        return false; // MPM snow and the wind move them
    if (strncmp(name, "bodies.", 7) == 0) return strncmp(name, "bodies.ground.", 14) != 0;
    for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++)
        if (strcmp(name, without_effect[i]) == 0) return true;
    return false;
}

// The state of this scene refuses these: bodies are insulated, the wind needs an inflow, the cloth has no
// volume, the strip a Young's modulus, the liquid is held by pressure.
static bool cannot_change(const char *name) {
    size_t length = strlen(name);
    static const char *const refused[] = {"wind.sides.west",
                                          "pbd.elasticity",
                                          "pbd.solids.cloth.volume_stiffness",
                                          "pbd.solids.strip.volume_stiffness",
                                          "pbd.fluid.pressure",
                                          "pbd.fluid.stiffness",
                                          "pbd.fluid.unclump"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(name, refused[i]) == 0) return true;
    return strncmp(name, "bodies.", 7) == 0 && strcmp(name + length - 13, ".heat_contact") == 0;
}

static void steps(firn_world *world, int count) {
    for (int i = 0; i < count; i++) assert_ok(firn_world_step(world));
}

// Of the state without the parameters themselves.
static uint64_t state_of(const firn_world *world) {
    static const size_t bytes[] = {
        [FIRN_F32] = 4, [FIRN_F64] = 8, [FIRN_I32] = 4, [FIRN_U32] = 4, [FIRN_U64] = 8};
    double time = firn_world_time(world);
    uint64_t hash = hash64(&time, sizeof time, 0);
    for (size_t i = 0; i < firn_world_field_count(world); i++) {
        firn_field f = firn_world_field_at(world, i);
        if ((f.flags & FIRN_FIELD_STATE) && strcmp(f.name, "world.parameters") != 0)
            hash = hash64(f.data, f.count * f.components * bytes[f.type], hash);
    }
    return hash;
}

// Another value that the world takes, as text; false: there is none.
static bool change(firn_world *world, const char *name, char *value, size_t room) {
    const param_row *row;
    void *at = param_locate(&world_params, world->def, name, &row);
    assert_non_null(at);
    firn_vec3 now = param_get_number(row, at);
    const double numbers[] = {3 * now.x, 0.3 * now.x, 1.3 * now.x, 0.7 * now.x, now.x + 0.1,
                              now.x + 1, now.x - 1,   0.1,         0.6,         130,
                              1.2,       0.16,        1e5};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (row->type == PARAM_BOOL)
            snprintf(value, room, "%s", now.x != 0 ? "no" : "yes");
        else if (row->type == PARAM_CHOICE)
            snprintf(value, room, "%s", // the last first: `auto` comes first, and is one of the others
                     row->choices[(i + param_choice_count(row) - 1) % param_choice_count(row)]);
        else if (row->type == PARAM_VEC3)
            snprintf(value, room, "[%.17g, %.17g, %.17g]", now.x + 0.01, now.y * 0.9, now.z + 0.02);
        else
            snprintf(value, room, row->type == PARAM_INT ? "%.0f" : "%.17g", numbers[i]);
        if (firn_world_set_text(world, name, value) != FIRN_OK) continue;
        firn_vec3 set = param_get_number(row, at);
        if (memcmp(&set, &now, sizeof set) != 0) return true;
    }
    return false;
}

static void test_each_takes_effect(void **state) {
    (void)state;
    firn_world *a, *b;
    assert_ok(firn_world_open(all_models, &a));
    assert_ok(firn_world_open(all_models, &b));
    for (int i = 0; i < 3; i++) assert_ok(firn_world_advance_frame(a));
    void *base;
    size_t bytes, failures = 0, count = firn_world_live_count(a);
    assert_true(count > 100);
    assert_ok(firn_world_save(a, &base, &bytes));
    steps(a, STEPS);
    uint64_t unchanged = state_of(a), before = firn_world_hash(a);
    for (size_t i = 0; i < count; i++) {
        char name[512], value[200];
        assert_ok(firn_world_live_name(a, i, name, sizeof name));
        assert_ok(firn_world_load(a, base, bytes));
        firn_set_threads(1);
        if (cannot_change(name)) continue;
        if (!change(a, name, value, sizeof value)) {
            print_error("%s: no other value found: %s\n", name, firn_last_error());
            failures++;
            continue;
        }
        steps(a, STEPS);
        bool effect = state_of(a) != unchanged;
        if (effect == expected_without_effect(name)) {
            print_error("%s: %s: %s\n", name, value, effect ? "an effect" : "no effect");
            failures++;
        }
        // Three threads, saved after a step and loaded again, against one thread straight on.
        firn_set_threads(3);
        assert_ok(firn_world_load(b, base, bytes));
        assert_ok(firn_world_set_text(b, name, value));
        steps(b, 1);
        void *middle;
        size_t length;
        assert_ok(firn_world_save(b, &middle, &length));
        assert_ok(firn_world_load(b, base, bytes)); // takes it back
        assert_ok(firn_world_load(b, middle, length));
        steps(b, STEPS - 1);
        if (firn_world_hash(a) != firn_world_hash(b))
            print_error("%s: other bits with 3 threads and after loading\n", name), failures++;
        firn_data_free(middle);
    }
    assert_ok(firn_world_load(a, base, bytes));
    steps(a, STEPS);
    assert_true(firn_world_hash(a) == before);
    firn_set_threads(0);
    firn_data_free(base);
    firn_world_close(a);
    firn_world_close(b);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_takes_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
