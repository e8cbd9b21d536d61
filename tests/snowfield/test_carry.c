// Snow on top of bodies rides with them, turns with them, and stays behind when they are jerked or drop away.
#include "snowfield/snowfield_world.h"

enum { KEYS = 41 };
#define DEG (3.14159265358979 / 180)
typedef struct layer {
    double mass;    // kg
    double x, z;    // m, its middle
    double deepest; // m
} layer;

static layer layer_of(const firn_world *world) {
    const double *g = firn_world_field(world, "field.grid").data;
    const int32_t *cover = firn_world_field(world, "field.cover").data,
                  *at = firn_world_field(world, "field.tile").data;
    const float *depth = firn_world_field(world, "field.top_depth").data,
                *density = firn_world_field(world, "field.top_density").data;
    int edge = (int)g[5];
    layer out = {0};
    for (size_t i = 0; i < firn_world_field(world, "field.top_depth").count; i++) {
        size_t cells = (size_t)edge * (size_t)edge, in = i % cells;
        const int32_t *tile = at + 2 * cover[i / cells];
        double mass = (double)depth[i] * (double)density[i] * g[2] * g[2];
        out.mass += mass;
        out.x += mass * (g[0] + (tile[0] * edge + (int)(in % (size_t)edge) + 0.5) * g[2]);
        out.z += mass * (g[1] + (tile[1] * edge + (int)(in / (size_t)edge) + 0.5) * g[2]);
        out.deepest = fmax(out.deepest, (double)depth[i]);
    }
    if (out.mass > 0) out.x /= out.mass, out.z /= out.mass;
    return out;
}

typedef void (*path)(double t, firn_vec3 *at, firn_vec3 *turn);

// Snow is poured onto a sledge for half a second; from 1 s on it goes along a path of 2 s.
static firn_world *open_sledge(snowfield_world *w, path way, firn_keyframe keys[KEYS]) {
    snowfield_setup(w, 250);
    for (int i = 0; i < KEYS; i++) {
        double t = 0.05 * i;
        keys[i] = (firn_keyframe){i == 0 ? 0 : 1 + t, {-1.5, 0.35, 0}, {0, 0, 0}};
        way(t, &keys[i].at, &keys[i].rotate);
    }
    w->body[0] = firn_body_def_default();
    w->body[0].name = "sledge";
    w->body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.9, 0.15, 0.6}};
    w->body[0].motion.kind = FIRN_MOTION_KEYFRAMES;
    w->body[0].motion.keyframes.items = keys;
    w->body[0].motion.keyframes.count = KEYS;
    w->world.bodies.count = 1;
    w->field.pour.items = &w->pour;
    w->field.pour.count = 1;
    w->pour.at = (firn_vec3){-1.5, 0, 0};
    w->pour.radius = 0.2;
    w->pour.rate = 3;
    w->pour.end = 0.5;
    firn_world *world = snowfield_open(w);
    assert_ok(firn_world_advance(world, 1));
    return world;
}

static void gently(double t, firn_vec3 *at, firn_vec3 *turn) {
    (void)turn;
    at->x += 0.5 * t * t; // 1 m/s2
    at->z += 0.1 * t * t;
}
static void jerked(double t, firn_vec3 *at, firn_vec3 *turn) {
    (void)turn;
    at->x += fmin(fmax(t - 0.2, 0) / 0.2, 1) * 1.5; // 7.5 m/s at once
}
static void turned(double t, firn_vec3 *at, firn_vec3 *turn) {
    (void)at;
    turn->y = 0.7853981634 * t;
}

// By 8 degrees, which friction bears, and by 40, without a sideways motion of its own.
static void leaning(double t, firn_vec3 *at, firn_vec3 *turn) {
    at->y += 0.3 * fmin(t, 1);
    turn->z = 8 * DEG * fmin(t, 1);
}
static void tipped(double t, firn_vec3 *at, firn_vec3 *turn) {
    at->y += 0.3 * fmin(t, 1);
    turn->z = 40 * DEG * fmin(t, 1);
}
static void dropped(double t, firn_vec3 *at, firn_vec3 *turn) { // as a fall would be, onto the snow
    (void)turn;
    at->y += 1.2 * fmin(t, 0.5) - 0.5 * 9.81 * pow(fmax(t - 0.5, 0), 2) * (t < 0.85) - 0.6 * (t >= 0.85);
}

static void ride(path way, layer *before, layer *after, double *x) {
    snowfield_world w;
    firn_keyframe keys[KEYS];
    firn_world *world = open_sledge(&w, way, keys);
    *before = layer_of(world);
    void *data;
    size_t bytes;
    assert_ok(firn_world_advance(world, 1));
    assert_ok(firn_world_save(world, &data, &bytes));
    assert_ok(firn_world_advance(world, 0.99));
    uint64_t hash = firn_world_hash(world);
    *after = layer_of(world);
    *x = firn_world_body_state(world, 0).position.x;
    firn_ledger l = snowfield_ledger_of(world);
    assert_near(l.mass, l.mass_in - l.mass_out, 1e-9 * l.mass);
    assert_ok(firn_world_load(world, data, bytes));
    assert_ok(firn_world_advance(world, 0.99));
    assert_int_equal(firn_world_hash(world), hash);
    firn_data_free(data);
    firn_world_close(world);
}

static void test_it_rides_along(void **state) {
    (void)state;
    layer a, b;
    double x;
    ride(gently, &a, &b, &x);
    print_message("%.3f kg, %.1f cm deep; after %.2f m: %.3f kg, %.1f cm deep, %.1f mm behind\n", a.mass,
                  100 * a.deepest, x + 1.5, b.mass, 100 * b.deepest, 1000 * (x - b.x + a.x + 1.5));
    assert_true(a.mass > 0.8 && x > 0.3);
    assert_near(b.mass, a.mass, 0.03 * a.mass);
    assert_near(b.x - x, a.x + 1.5, 0.02); // a cell
    assert_near(b.deepest, a.deepest, 0.1 * a.deepest);
}

static void test_it_turns_with_the_body(void **state) {
    (void)state;
    layer a, b;
    double x;
    ride(turned, &a, &b, &x);
    print_message("%.3f kg, turned by 90 degrees %.3f kg\n", a.mass, b.mass);
    assert_near(b.mass, a.mass, 0.1 * a.mass);
    assert_near(b.x, a.x, 0.02);
    assert_near(b.z, a.z, 0.02);
}

static void test_a_jerk_leaves_it_behind(void **state) {
    (void)state;
    layer a, b;
    double x;
    ride(jerked, &a, &b, &x);
    print_message("%.3f kg, after a jerk %.3f kg\n", a.mass, b.mass);
    assert_true(b.mass < 0.3 * a.mass);
}

// Down the slope of what carries it, and all of it lands.
static void test_it_slides_off_what_tips(void **state) {
    (void)state;
    layer a, b, c, d;
    double x;
    ride(leaning, &a, &b, &x);
    ride(tipped, &c, &d, &x);
    print_message("of %.3f kg %.3f kg stay at 8 degrees, of %.3f kg %.3f kg at 40 degrees\n", a.mass, b.mass,
                  c.mass, d.mass);
    assert_near(b.mass, a.mass, 0.05 * a.mass);
    assert_true(d.mass < 0.1 * c.mass);
}

static void test_it_falls_with_the_body(void **state) {
    (void)state;
    layer a, b;
    double x;
    ride(dropped, &a, &b, &x);
    print_message("%.3f kg, after a fall %.3f kg\n", a.mass, b.mass);
    assert_near(b.mass, a.mass, 0.03 * a.mass);
    assert_near(b.x, a.x, 0.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_rides_along), cmocka_unit_test(test_it_turns_with_the_body),
        cmocka_unit_test(test_a_jerk_leaves_it_behind), cmocka_unit_test(test_it_slides_off_what_tips),
        cmocka_unit_test(test_it_falls_with_the_body)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
