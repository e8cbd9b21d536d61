// Snow that a program digs, heaps, heats and pushes between two steps: sums are kept, places are right.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <firn/firn.h>

static const char FIELD[] = "firn: 1\nbodies: {ground: {shape: plane}}\n"
                            "field: {width: 2 m, length: 2 m, cell: 2 cm, depth: 20 cm, heat: {on: yes, "
                            "temperature: -5 C}}\n";
static const char COVER[] = "firn: 1\nair: {temperature: 1 C}\nbodies: {ground: {shape: plane}}\n"
                            "wind: {grid: [16, 8, 16], cell: 25 cm, inflow: {speed: 0}}\n"
                            "flakes: {snowfall: 1 mm/h}\ncover: {}\n";
static const char SOFT[] =
    "firn: 1\nmpm: {cell: 10 cm, snow: {block: {shape: {box: {size: [0.4, 0.4, 0.4]}}, at: [0, 1, 0]}}}\n";

static firn_fill_def ball(double x, double y, double z, double radius) {
    firn_fill_def fill = firn_fill_def_default();
    fill.shape.kind = FIRN_SHAPE_SPHERE;
    fill.shape.radius = radius;
    fill.at = (firn_vec3){x, y, z};
    return fill;
}

static firn_ledger of(const firn_world *world, const char *model) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++)
        if (strcmp(firn_world_ledger(world, i).model, model) == 0) return firn_world_ledger(world, i);
    fail_msg("no %s", model);
    return (firn_ledger){0};
}

static firn_world *open(const char *text) {
    firn_world *world;
    firn_status status = firn_world_open_text(text, "scene", &world);
    if (status != FIRN_OK) fail_msg("%s", firn_last_error());
    return world;
}

static void balanced(firn_ledger before, firn_ledger now) {
    double in = now.mass_in - before.mass_in, out = now.mass_out - before.mass_out;
    assert_true(fabs(now.mass - before.mass - in + out) < 1e-9 * (before.mass + 1));
}

// Half a ball of snow.
static void a_ball_is_dug_out_of_the_field(void **unused) {
    (void)unused;
    firn_world *world = open(FIELD);
    firn_ledger before = of(world, "field");
    const double r = 0.15, place[6] = {0, 0, 0.1, 0, 0.2, 0};
    double depth[3], density = before.mass / (2 * 2 * 0.2);
    assert_int_equal(firn_world_remove_inside(world, ball(0, 0.2, 0, r)), FIRN_OK);
    firn_ledger now = of(world, "field");
    balanced(before, now);
    double wanted = 2 * 3.14159265 / 3 * r * r * r * density, gone = before.mass - now.mass;
    assert_true(fabs(gone - wanted) < 0.03 * wanted);
    assert_int_equal(firn_world_depth(world, 3, place, depth, NULL), FIRN_OK);
    assert_true(fabs(depth[0] - 0.05) < 0.01);
    assert_true(fabs(depth[1] - (0.2 - sqrt(r * r - 0.01))) < 0.02);
    assert_true(fabs(depth[2] - 0.2) < 1e-3);
    for (int i = 0; i < 20; i++) assert_int_equal(firn_world_step(world), FIRN_OK);
    balanced(before, of(world, "field"));
    firn_world_close(world);
}

static void a_heap_is_on_the_field_at_once(void **unused) {
    (void)unused;
    firn_world *world = open(FIELD);
    firn_ledger before = of(world, "field");
    const double place[4] = {0.5, 0.5, -0.5, -0.5};
    double depth[2];
    assert_int_equal(firn_world_heap(world, 0.5, 0.5, 0.2, 2), FIRN_OK);
    firn_ledger now = of(world, "field");
    balanced(before, now);
    assert_true(fabs(now.mass_in - before.mass_in - 2) < 0.001);
    assert_int_equal(firn_world_depth(world, 2, place, depth, NULL), FIRN_OK);
    double density = before.mass / (2 * 2 * 0.2), middle = 2 * 2 / (density * 3.14159265 * 0.04);
    assert_true(fabs(depth[0] - 0.2 - middle) < 0.1 * middle && fabs(depth[1] - 0.2) < 1e-3);
    assert_int_equal(firn_world_heap(world, 5, 0, 0.2, 2), FIRN_UNSUPPORTED);
    assert_int_equal(firn_world_heap(world, 0, 0, -1, 2), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_heap(world, 0, 0, 1, NAN), FIRN_BAD_INPUT);
    firn_world_close(world);
}

static void heat_of_the_field_is_counted_and_limited(void **unused) {
    (void)unused;
    firn_world *world = open(FIELD);
    firn_ledger before = of(world, "field");
    assert_int_equal(firn_world_heat_inside(world, ball(0, 0.1, 0, 5), 4000), FIRN_OK);
    double given = of(world, "field").heat - before.heat;
    assert_true(fabs(given - 4000 * before.mass) < 1e-6 * given);
    assert_int_equal(firn_world_heat_inside(world, ball(0, 0.1, 0, 0.3), 1e9), FIRN_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(firn_world_step(world), FIRN_OK);
    const double place[4] = {0, 0, 0.9, 0.9};
    double depth[2];
    assert_int_equal(firn_world_depth(world, 2, place, depth, NULL), FIRN_OK);
    assert_true(depth[0] < 0.01 && depth[1] > 0.15); // it has melted and run off
    assert_int_equal(firn_world_heat_inside(world, ball(0, 0.1, 0, 5), -1e9), FIRN_OK);
    firn_field f = firn_world_field(world, "field.temperature");
    for (size_t i = 0; i < f.count; i++) assert_true(((const float *)f.data)[i] > -90.1f);
    firn_world_close(world);
}

static void the_cover_is_heaped_and_dug(void **unused) {
    (void)unused;
    firn_world *world = open(COVER);
    void *data;
    size_t bytes;
    firn_ledger before = of(world, "wind");
    assert_int_equal(firn_world_heap(world, 0, 0, 1, 200), FIRN_OK);
    firn_ledger heaped = of(world, "wind");
    balanced(before, heaped);
    assert_true(fabs(heaped.mass - before.mass - 200) < 1);
    for (int i = 0; i < 5; i++) assert_int_equal(firn_world_step(world), FIRN_OK);
    const double place[2] = {0, 0};
    double depth, after;
    assert_int_equal(firn_world_depth(world, 1, place, &depth, NULL), FIRN_OK);
    assert_true(depth > 0.2);
    assert_int_equal(firn_world_save(world, &data, &bytes), FIRN_OK);
    firn_ledger lies = of(world, "wind");
    assert_int_equal(firn_world_heat_inside(world, ball(0, 0, 0, 3), 1000), FIRN_OK);
    assert_true(of(world, "wind").heat > lies.heat);
    assert_int_equal(firn_world_remove_inside(world, ball(0, 0, 0, 1.2)), FIRN_OK);
    balanced(before, of(world, "wind"));
    assert_int_equal(firn_world_depth(world, 1, place, &after, NULL), FIRN_OK);
    assert_true(after < 0.02);
    assert_int_equal(firn_world_step(world), FIRN_OK);
    balanced(before, of(world, "wind"));
    assert_int_equal(firn_world_load(world, data, bytes), FIRN_OK);
    firn_data_free(data);
    firn_world_close(world);
}

static void a_push_changes_the_momentum_of_what_is_inside(void **unused) {
    (void)unused;
    firn_world *world = open(SOFT);
    firn_ledger before = of(world, "mpm");
    assert_int_equal(firn_world_push_inside(world, ball(0, 1, 0, 5), (firn_vec3){1, 2, -3}), FIRN_OK);
    firn_vec3 p = of(world, "mpm").momentum;
    assert_true(fabs(p.x - before.mass) < 1e-5 * before.mass &&
                fabs(p.z + 3 * before.mass) < 1e-5 * before.mass);
    assert_int_equal(firn_world_push_inside(world, ball(9, 1, 0, 1), (firn_vec3){1, 2, -3}), FIRN_OK);
    assert_true(of(world, "mpm").momentum.x == p.x);
    assert_int_equal(firn_world_push_inside(world, ball(0, 1, 0, 1), (firn_vec3){NAN, 0, 0}), FIRN_BAD_INPUT);
    firn_world_close(world);
}

// A hand does work: the watchdog of energy starts anew, and does not stop the world.
static void pushes_are_no_energy_from_nothing(void **unused) {
    (void)unused;
    firn_world *world = open(SOFT);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(firn_world_push_inside(world, ball(0, 1, 0, 5), (firn_vec3){0.2, 0.2, 0}), FIRN_OK);
        assert_int_equal(firn_world_step(world), FIRN_OK);
    }
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_is_dug_out_of_the_field),
                                       cmocka_unit_test(a_heap_is_on_the_field_at_once),
                                       cmocka_unit_test(heat_of_the_field_is_counted_and_limited),
                                       cmocka_unit_test(the_cover_is_heaped_and_dug),
                                       cmocka_unit_test(a_push_changes_the_momentum_of_what_is_inside),
                                       cmocka_unit_test(pushes_are_no_energy_from_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
