// firn-test: slow
// Snow and bodies: the three kinds of contact, pushes both ways, thin plates.
#include "mpm/snow.h"

// Acceleration along a slope of a block that meets the ground in the given way.
static double slide_of(firn_contact_kind contact, double slope) {
    snow_world w;
    snow_box(&w, (firn_vec3){0.8, 0.4, 0.6}, (firn_vec3){0, 0, 0}, 0.1);
    w.snow.fill.rotate.z = -slope;
    w.snow.fill.at = (firn_vec3){0.2 * sin(slope), 0.2 * cos(slope), 0};
    w.snow.young = 1e6;
    snow_floor(&w, 0.5, slope);
    w.floor.contact = contact;
    firn_world *world = snow_open(&w);
    assert_ok(firn_world_advance(world, 0.1)); // settle
    firn_vec3 a = snow_mean(world, "mpm.velocity");
    assert_ok(firn_world_advance(world, 0.3));
    firn_vec3 b = snow_mean(world, "mpm.velocity");
    firn_world_close(world);
    return ((b.x - a.x) * cos(slope) - (b.y - a.y) * sin(slope)) / 0.3;
}

static void test_slip_and_sticky_on_an_incline(void **state) {
    (void)state;
    double slope = 0.5, free_fall = 9.81 * sin(slope);
    assert_near(slide_of(FIRN_CONTACT_SLIP, slope), free_fall, 0.03 * free_fall);
    assert_near(slide_of(FIRN_CONTACT_STICKY, slope), 0, 0.05);
    // Steeper than any friction of the table, and it still holds.
    assert_near(slide_of(FIRN_CONTACT_STICKY, 1.2), 0, 0.2);
}

// A sticky ceiling holds what hangs on it; with friction it falls.
static double hang_of(firn_contact_kind contact) {
    snow_world w;
    snow_box(&w, (firn_vec3){0.4, 0.1, 0.4}, (firn_vec3){0, -0.05, 0}, 0.05);
    w.snow.young = 1e6;
    w.snow.critical_stretch = 0.2;
    snow_floor(&w, 0.5, 3.14159265358979);
    w.floor.contact = contact;
    firn_world *world = snow_open(&w);
    firn_vec3 start = snow_mean(world, "mpm.position");
    assert_ok(firn_world_advance(world, 0.3));
    firn_vec3 end = snow_mean(world, "mpm.position");
    firn_world_close(world);
    return start.y - end.y;
}

static void test_sticky_holds_what_hangs(void **state) {
    (void)state;
    assert_near(hang_of(FIRN_CONTACT_STICKY), 0, 0.01);
    assert_near(hang_of(FIRN_CONTACT_FRICTION), 0.5 * 9.81 * 0.09, 0.02);
}

typedef struct meeting {
    firn_world *world;
    double snow, box; // kg
} meeting;

// A ball of snow flies at a box that floats, without gravity.
static meeting ball_at_box(snow_world *w, firn_body_def *box, double density, double size, double offset) {
    snow_box(w, (firn_vec3){0, 0, 0}, (firn_vec3){-0.45, 0, offset}, 0.08);
    w->snow.fill.shape.kind = FIRN_SHAPE_SPHERE;
    w->snow.fill.shape.radius = 0.2;
    w->snow.velocity = (firn_vec3){6, 0, 0};
    w->world.gravity = (firn_vec3){0, 0, 0};
    *box = firn_body_def_default();
    box->name = "box";
    box->shape.size = (firn_vec3){size, size, size};
    box->motion.kind = FIRN_MOTION_DYNAMIC;
    box->density = density;
    w->world.bodies.items = box;
    w->world.bodies.count = 1;
    meeting m = {.world = snow_open(w)};
    m.snow = snow_ledger(m.world).mass;
    m.box = firn_world_body_state(m.world, 0).mass;
    return m;
}

static firn_vec3 whole_momentum(const firn_world *world) {
    firn_vec3 p = snow_ledger(world).momentum, v = firn_world_body_state(world, 0).velocity;
    double m = firn_world_body_state(world, 0).mass;
    // What the snow gave in the last step is felt in the next.
    firn_field waiting = firn_world_field(world, "bodies.impulse");
    const double *j = waiting.data;
    return (firn_vec3){p.x + m * v.x + j[0], p.y + m * v.y + j[1], p.z + m * v.z + j[2]};
}

// Whatever the ratio of the masses: momentum is conserved to 1e-5, and energy is only lost.
static void test_a_snowball_pushes_a_box(void **state) {
    (void)state;
    const double densities[] = {2, 40, 400, 8000};
    for (int i = 0; i < 4; i++) {
        snow_world w;
        firn_body_def box;
        meeting m = ball_at_box(&w, &box, densities[i], 0.4, 0.07);
        double momentum = 6 * m.snow, energy = 0.5 * m.snow * 36;
        assert_ok(firn_world_advance(m.world, 0.12));
        firn_vec3 p = whole_momentum(m.world);
        assert_near(p.x, momentum, 1e-5 * momentum);
        assert_near(p.y, 0, 1e-5 * momentum);
        assert_near(p.z, 0, 1e-5 * momentum);
        double v = firn_world_body_state(m.world, 0).velocity.x;
        double common = momentum / (m.snow + m.box);
        assert_true(v > 0.5 * common); // it was pushed
        // At most elastic: the box leaves with twice the velocity of the common centre.
        assert_true(v < 2 * common);
        assert_true(0.5 * m.box * v * v + snow_ledger(m.world).kinetic < energy);
        firn_world_close(m.world);
    }
}

static void test_an_off_centre_hit_turns_the_box(void **state) {
    (void)state;
    snow_world w;
    firn_body_def box;
    meeting m = ball_at_box(&w, &box, 300, 0.4, 0.15);
    assert_ok(firn_world_advance(m.world, 0.1));
    firn_vec3 spin = firn_world_body_state(m.world, 0).spin;
    assert_true(spin.y > 0.2); // hit at +z, pushed along +x: turns about +y
    assert_near(spin.x, 0, 0.1 * spin.y);
    firn_world_close(m.world);
}

// A ball of iron falls on a block of snow, sinks in and stops there.
static void test_a_heavy_ball_sinks_and_stops(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){1, 0.5, 1}, (firn_vec3){0, 0.25, 0}, 0.1);
    snow_floor(&w, 0.6, 0);
    firn_body_def bodies[2] = {w.floor, firn_body_def_default()};
    bodies[1].name = "ball";
    bodies[1].shape.kind = FIRN_SHAPE_SPHERE;
    bodies[1].shape.radius = 0.15;
    bodies[1].at = (firn_vec3){0.02, 0.7, 0.01};
    bodies[1].velocity = (firn_vec3){0, -4, 0};
    bodies[1].motion.kind = FIRN_MOTION_DYNAMIC;
    bodies[1].density = 7800;
    w.world.bodies.items = bodies;
    w.world.bodies.count = 2;
    firn_world *world = snow_open(&w);
    assert_ok(firn_world_advance(world, 0.4));
    firn_body_state early = firn_world_body_state(world, 1);
    assert_ok(firn_world_advance(world, 0.1));
    firn_body_state ball = firn_world_body_state(world, 1);
    print_message("ball at %g (%g before), v %g\n", ball.position.y, early.position.y, ball.velocity.y);
    assert_true(ball.position.y < 0.5);        // 16 cm deep; 22 cm in cells of 3.5 cm
    assert_true(ball.position.y > 0.1 + 0.01); // and above the floor
    assert_near(ball.position.y, early.position.y, 0.01);
    assert_near(ball.velocity.y, 0, 0.05);
    assert_true(snow_inside(world) == 0);
    firn_world_close(world);
}

// A plate much thinner than a cell, hit fast from above, and one that moves into resting snow.
static void test_thin_plates_hold(void **state) {
    (void)state;
    for (int moving = 0; moving < 2; moving++) {
        snow_world w;
        snow_box(&w, (firn_vec3){0.3, 0.3, 0.3}, (firn_vec3){0, moving ? 0 : 0.4, 0}, 0.05);
        w.world.gravity = (firn_vec3){0, 0, 0};
        if (!moving) w.snow.velocity = (firn_vec3){0, -20, 0};
        const firn_keyframe keys[2] = {{0, {0, -0.3, 0}, {0, 0, 0}}, {0.05, {0, 0.7, 0}, {0, 0, 0}}};
        firn_body_def plate = firn_body_def_default();
        plate.name = "plate";
        plate.shape.size = (firn_vec3){4, 0.004, 4};
        if (moving) {
            plate.motion.kind = FIRN_MOTION_KEYFRAMES;
            plate.motion.keyframes.items = keys;
            plate.motion.keyframes.count = 2;
        }
        w.world.bodies.items = &plate;
        w.world.bodies.count = 1;
        firn_world *world = snow_open(&w);
        assert_ok(firn_world_advance(world, 0.05));
        double top = moving ? 0.7 : 0;
        firn_field x = firn_world_field(world, "mpm.position");
        const double *p = x.data;
        for (size_t i = 0; i < x.count; i++) assert_true(p[3 * i + 1] > top + 0.0015);
        firn_world_close(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slip_and_sticky_on_an_incline),
        cmocka_unit_test(test_sticky_holds_what_hangs),
        cmocka_unit_test(test_a_snowball_pushes_a_box),
        cmocka_unit_test(test_an_off_centre_hit_turns_the_box),
        cmocka_unit_test(test_a_heavy_ball_sinks_and_stops),
        cmocka_unit_test(test_thin_plates_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
