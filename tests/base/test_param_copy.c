#include "support.h"

#include "base/param.h"
#include "world/world.h"

// A scene that has texts, maps, lists, variants and optional sections; nothing of it may be shared.
static void fill(firn_world_def *def, char *name, firn_part_def *parts, firn_body_def *bodies,
                 firn_mpm_snow_def *snow, firn_mpm_def *mpm) {
    *def = firn_world_def_default();
    def->name = name;
    for (int i = 0; i < 2; i++) {
        parts[i] = (firn_part_def){.name = name};
        parts[i].shape.kind = FIRN_SHAPE_SPHERE;
        parts[i].shape.radius = 1 + i;
    }
    bodies[0] = firn_body_def_default();
    bodies[0].name = name;
    bodies[0].shape.kind = FIRN_SHAPE_UNION;
    bodies[0].shape.parts.items = parts;
    bodies[0].shape.parts.count = 2;
    def->bodies.items = bodies;
    def->bodies.count = 1;
    *snow = firn_mpm_snow_def_default();
    snow->name = name;
    snow->type = name;
    *mpm = firn_mpm_def_default();
    mpm->snow.items = snow;
    mpm->snow.count = 1;
    def->mpm = mpm;
}

static void test_nothing_is_shared(void **state) {
    (void)state;
    char name[] = "wet";
    firn_world_def def;
    firn_part_def parts[2];
    firn_body_def bodies[1];
    firn_mpm_snow_def snow;
    firn_mpm_def mpm;
    fill(&def, name, parts, bodies, &snow, &mpm);
    arena memory = {0};
    const firn_world_def *copy = param_copy(&world_params, &def, &memory);
    assert_non_null(copy);
    memset(name, 'x', sizeof name - 1);
    memset(parts, 0x55, sizeof parts);
    memset(bodies, 0x55, sizeof bodies);
    memset(&snow, 0x55, sizeof snow);
    memset(&mpm, 0x55, sizeof mpm);
    assert_string_equal(copy->name, "wet");
    assert_string_equal(copy->bodies.items[0].name, "wet");
    assert_string_equal(copy->bodies.items[0].shape.parts.items[1].name, "wet");
    assert_true(copy->bodies.items[0].shape.parts.items[1].shape.radius == 2);
    assert_string_equal(copy->mpm->snow.items[0].type, "wet");
    assert_null(copy->wind);
    arena_free(&memory);
}

static void test_memory_may_run_out(void **state) {
    (void)state;
    char name[] = "wet";
    firn_world_def def;
    firn_part_def parts[2];
    firn_body_def bodies[1];
    firn_mpm_snow_def snow;
    firn_mpm_def mpm;
    fill(&def, name, parts, bodies, &snow, &mpm);
    size_t before = mem_in_use();
    arena memory = {0};
    failing_allocator f;
    fail_allocation(&f, 1);
    assert_null(param_copy(&world_params, &def, &memory));
    firn_set_allocator(NULL);
    arena_free(&memory);
    assert_int_equal(mem_in_use(), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_shared),
        cmocka_unit_test(test_memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
