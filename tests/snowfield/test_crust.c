// A crust on soft snow: it bears p A + tau h L, breaks under more, and what broke stays broken.
#include "snowfield/snowfield_world.h"

static const double PI = 3.14159265358979, G = 9.81, THICK = 0.02, TAU = 20e3, SOFT = 1000;

// A body that is laid on 0.5 m of fresh snow (1 kPa) with a crust; its lower side and the edge of that.
typedef struct plate {
    firn_shape_def shape;
    double height, area, edge; // m, m2, m
} plate;

static plate plate_of(bool round) {
    if (!round)
        return (plate){
            {.kind = FIRN_SHAPE_BOX, .size = {0.48, 0.1, 0.32}}, 0.05, 0.48 * 0.32, 2 * (0.48 + 0.32)};
    return (plate){
        {.kind = FIRN_SHAPE_CYLINDER, .radius = 0.25, .length = 0.1}, 0.05, PI * 0.25 * 0.25, 2 * PI * 0.25};
}

static firn_world *lay(snowfield_world *w, bool round, double load, double thickness) {
    plate p = plate_of(round);
    double bears = SOFT * p.area + TAU * THICK * p.edge;
    snowfield_setup(w, 120);
    w->field.depth = 0.5;
    w->field.bearing = SOFT;
    w->field.crust.thickness = thickness;
    w->field.crust.strength = TAU;
    w->body[0] = firn_body_def_default();
    w->body[0].name = "plate";
    w->body[0].shape = p.shape;
    w->body[0].at = (firn_vec3){0, 0.5 + p.height + 1e-4, 0};
    w->body[0].density = load * bears / G / (p.area * 2 * p.height);
    w->body[0].motion.kind = FIRN_MOTION_DYNAMIC;
    w->world.bodies.count = 1;
    return snowfield_open(w);
}

static double sinks(bool round, double load, double thickness) {
    snowfield_world w;
    firn_world *world = lay(&w, round, load, thickness);
    assert_ok(firn_world_advance(world, 1));
    double depth = 0.55 - firn_world_body_state(world, 0).position.y;
    firn_world_close(world);
    return depth;
}

static void test_it_bears_its_strength_along_the_edge(void **state) {
    (void)state;
    for (int round = 0; round < 2; round++) {
        double light = sinks(round, 0.88, THICK), heavy = sinks(round, 1.1, THICK),
               bare = sinks(round, 0.88, 0);
        print_message("%s: 0.88 of what it bears sinks %.4f m, 1.1 %.3f m, 0.88 without a crust %.3f m\n",
                      round ? "disc" : "plate", light, heavy, bare);
        assert_true(light < 0.002);
        assert_true(heavy > 0.1 && bare > 0.1);
    }
}

static float crust_at(const firn_world *world, int cx, int cz) {
    const double *g = firn_world_field(world, "field.grid").data;
    const int32_t *tile = firn_world_field(world, "field.tile").data;
    const float *crust = firn_world_field(world, "field.crust").data;
    int edge = (int)g[5];
    for (size_t t = 0; t < firn_world_field(world, "field.tile").count; t++)
        if (tile[2 * t] == cx / edge && tile[2 * t + 1] == cz / edge)
            return crust[(t * (size_t)edge + (size_t)(cz % edge)) * (size_t)edge + (size_t)(cx % edge)];
    return 1;
}

// A heavy ball falls through it: the hole is as wide as the ball, the crust around is whole. A checkpoint
// goes on with the same bits.
static void test_a_ball_falls_through(void **state) {
    (void)state;
    snowfield_world w;
    snowfield_setup(&w, 120);
    w.field.depth = 0.5;
    w.field.crust.thickness = THICK;
    w.body[0] = firn_body_def_default();
    w.body[0].name = "ball";
    w.body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 0.2};
    w.body[0].at = (firn_vec3){0, 1, 0};
    w.body[0].density = 900;
    w.body[0].motion.kind = FIRN_MOTION_DYNAMIC;
    w.world.bodies.count = 1;
    firn_world *world = snowfield_open(&w), *other = snowfield_open(&w);
    void *data;
    size_t bytes;
    assert_ok(firn_world_advance(world, 0.28)); // in the middle of it
    assert_ok(firn_world_save(world, &data, &bytes));
    assert_ok(firn_world_load(other, data, bytes));
    firn_data_free(data);
    assert_ok(firn_world_advance(world, 0.7));
    assert_ok(firn_world_advance(other, 0.7));
    assert_int_equal(firn_world_hash(world), firn_world_hash(other));
    assert_true(crust_at(world, 60, 60) == 0 && crust_at(world, 60 + 8, 60) == 0);
    assert_true(crust_at(world, 60 + 12, 60) > 0 && crust_at(world, 60, 60 - 13) > 0);
    firn_world_close(world);
    firn_world_close(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_it_bears_its_strength_along_the_edge),
                                       cmocka_unit_test(test_a_ball_falls_through)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
