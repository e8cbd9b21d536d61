// Heat given to what is inside a shape: the sum is kept, limits hold, and a saved world has it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <firn/firn.h>

static const char MPM[] =
    "firn: 1\nair: {temperature: -5 C}\nbodies: {ground: {shape: plane}}\n"
    "mpm: {cell: 10 cm, heat: {}, snow: {block: {shape: {box: {size: [0.6, 0.4, 0.6]}}, "
    "at: [0, 0.2, 0], temperature: -5 C}}}\n";
static const char BODY[] = "firn: 1\nbodies: {ground: {shape: plane}}\n";

static firn_fill_def ball(double radius) {
    firn_fill_def fill = firn_fill_def_default();
    fill.shape.kind = FIRN_SHAPE_SPHERE;
    fill.shape.radius = radius;
    fill.at = (firn_vec3){0, 0.2, 0};
    return fill;
}

static firn_ledger snow(const firn_world *world) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++)
        if (strcmp(firn_world_ledger(world, i).model, "mpm") == 0) return firn_world_ledger(world, i);
    fail_msg("no mpm");
    return (firn_ledger){0};
}

static void all_heat_arrives(void **unused) {
    (void)unused;
    firn_world *world;
    void *data;
    size_t bytes;
    assert_int_equal(firn_world_open_text(MPM, "mpm", &world), FIRN_OK);
    firn_ledger before = snow(world);
    assert_int_equal(firn_world_heat_inside(world, ball(2), 20e3), FIRN_OK);
    double given = snow(world).heat - before.heat;
    assert_true(fabs(given - 20e3 * before.mass) < 1e-9 * given);
    assert_int_equal(firn_world_save(world, &data, &bytes), FIRN_OK);
    uint64_t hash = firn_world_hash(world);
    assert_int_equal(firn_world_heat_inside(world, ball(0.2), -20e3), FIRN_OK);
    double taken = given - (snow(world).heat - before.heat);
    assert_true(taken > 0 && taken < 0.5 * given); // of the ball only
    assert_true(firn_world_hash(world) != hash);
    assert_int_equal(firn_world_load(world, data, bytes), FIRN_OK);
    assert_true(firn_world_hash(world) == hash);
    firn_data_free(data);
    firn_world_close(world);
}

static void temperatures_end_at_their_limits(void **unused) {
    (void)unused;
    firn_world *world;
    assert_int_equal(firn_world_open_text(MPM, "mpm", &world), FIRN_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(firn_world_heat_inside(world, ball(2), k ? -1e9 : 1e9), FIRN_OK);
        firn_field f = firn_world_field(world, "mpm.temperature");
        assert_true(f.count > 0 && f.type == FIRN_F32);
        for (size_t i = 0; i < f.count; i++)
            assert_true(fabs((double)((const float *)f.data)[i] - (k ? -90 : 100)) < 1e-3);
    }
    assert_int_equal(firn_world_heat_inside(world, ball(2), NAN), FIRN_BAD_INPUT);
    firn_world_close(world);
    assert_int_equal(firn_world_open_text(BODY, "body", &world), FIRN_OK);
    assert_int_equal(firn_world_heat_inside(world, ball(2), 1), FIRN_UNSUPPORTED);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_heat_arrives),
                                       cmocka_unit_test(temperatures_end_at_their_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
