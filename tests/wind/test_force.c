// firn-test: threaded
// The force of the air on bodies: what the pressure takes from the air the bodies get, momentum through a
// duct, the drag of a plate.
#include "wind/winds.h"

#include "base/random.h"
#include "math/dvec.h"

// Impulse on the ground (N s), the one wall of the domain.
static double on_ground(const wind_state *s) {
    double sum = 0, cell = s->def.cell;
    for (int k = 1; k <= s->box.n[2]; k++)
        for (int i = 1; i <= s->box.n[0]; i++) sum += (double)s->q[poisson_at(&s->box, i, 1, k)];
    return -AIR_DENSITY * cell * cell * cell * sum;
}

// A projection of a random field around two balls and a thin fence: to the last bits that floats allow.
static void nothing_is_lost(void **state) {
    (void)state;
    wind_world w;
    wind_setup(&w, 24, 16, 20, 0.1);
    w.wind.cell = 0.5;
    w.wind.inflow.speed = 0; // all sides but the ground are open
    wind_ball(&w, -2, 3, 0, 1.2);
    wind_ball(&w, 2, 2, 1, 1.5);
    w.body[1].name = "led", w.body[1].motion.kind = FIRN_MOTION_KINEMATIC;
    wind_box(&w, "fence", (firn_vec3){0, 1.5, -2}, (firn_vec3){4, 3, 0.02});
    firn_world *world = wind_open(&w);
    wind_state *s = wind_of(world);
    body_set *bodies = world_model(world, 0);
    for (int axis = 0; axis < 3; axis++)
        for (size_t a = 0; a < s->box.size; a++)
            s->v[axis][a] = random_unit(random_bits(1, a, 0, (uint32_t)axis), 0) - 0.4f;
    wind_set_boundary_faces(s, (wind_inflow_state){0}, bodies);
    double before[3], given[3] = {0}, most = 0;
    for (int axis = 0; axis < 3; axis++) before[axis] = wind_momentum(s, axis);
    assert_ok(wind_measure(s));
    s->reference = s->fastest;
    assert_ok(wind_project(s));
    wind_push_bodies(s, bodies);
    for (size_t b = 0; b < body_count(bodies); b++) {
        firn_vec3 by = body_reaction(bodies, b).impulse;
        most = fmax(most, fabs(by.x));
        // About the body's own origin; pressure has almost no moment about the middle of a ball.
        if (b < 2) assert_true(dvec_length(body_reaction(bodies, b).angular) < 0.3 * dvec_length(by));
        given[0] += by.x, given[1] += by.y, given[2] += by.z;
    }
    given[1] += on_ground(s);
    for (int axis = 0; axis < 3; axis++) {
        double taken = before[axis] - wind_momentum(s, axis);
        print_message("axis %d: air lost %.8g N s, bodies and ground got %.8g N s\n", axis, taken,
                      given[axis]);
        assert_near(taken, given[axis], 1e-4 * most);
    }
    firn_world_close(world);
}

// Flux of momentum along x through a plane of faces, and the force of the pressure before it (N).
static double flux_at(const wind_state *s, int i, bool pressure, double dt) {
    double sum = 0, h = s->def.cell;
    for (int k = 1; k <= s->box.n[2]; k++)
        for (int j = 1; j <= s->box.n[1]; j++) {
            size_t a = poisson_at(&s->box, i, j, k);
            double u = (double)s->v[0][a];
            sum += AIR_DENSITY * h * h * (u * u + (pressure ? (double)s->q[a] * h / dt : 0));
        }
    return sum;
}

// A plate in a duct: what flows in less what flows out, and less what the air in it gained, is the force.
// Only what the advection loses is missing (it does not conserve momentum).
static void momentum_through_a_duct(void **state) {
    (void)state;
    enum { STEPS = 300, LENGTH = 64 };
    const double dt = 0.1;
    wind_world w;
    wind_setup(&w, LENGTH, 16, 16, dt);
    w.wind.inflow.speed = 5;
    w.wind.inflow.side = FIRN_WIND_WEST;
    w.wind.sides =
        (firn_wind_sides_def){.top = FIRN_WIND_WALL, .north = FIRN_WIND_WALL, .south = FIRN_WIND_WALL};
    wind_box(&w, "plate", (firn_vec3){-10, 8, 0}, (firn_vec3){0.9, 8, 8});
    firn_world *world = wind_open(&w);
    wind_state *s = wind_of(world);
    double force = 0, passed = 0;
    wind_steps(world, 150);
    double before = wind_momentum(s, 0);
    for (int i = 0; i < STEPS; i++) {
        assert_ok(firn_world_step(world));
        force += firn_world_body_reaction(world, 0).impulse.x;
        passed += dt * (flux_at(s, 1, true, dt) - flux_at(s, LENGTH + 1, false, dt));
    }
    double gained = wind_momentum(s, 0) - before, time = STEPS * dt;
    print_message("duct: in less out %.5g N, gained %.3g N, force %.5g N\n", passed / time, gained / time,
                  force / time);
    assert_near(force / (passed - gained), 1, 0.08);
    firn_world_close(world);
}

// A square plate across the wind, 4 % of the cross-section: measured ones have c_d 1.1 to 1.2.
static void drag_of_a_plate(void **state) {
    (void)state;
    enum { CELLS = 6, STEPS = 200 };
    wind_world w;
    wind_setup(&w, 6 * CELLS, 5 * CELLS, 5 * CELLS, 0.1);
    w.wind.inflow.speed = 5;
    w.wind.inflow.side = FIRN_WIND_WEST;
    wind_box(&w, "plate", (firn_vec3){-CELLS, 2.5 * CELLS, 0}, (firn_vec3){0.5, CELLS, CELLS});
    firn_world *world = wind_open(&w);
    wind_steps(world, 100);
    firn_vec3 sum = {0};
    for (int i = 0; i < STEPS; i++) {
        assert_ok(firn_world_step(world));
        sum = dvec_add(sum, firn_world_body_reaction(world, 0).impulse);
    }
    firn_world_close(world);
    double unit = 0.5 * AIR_DENSITY * 5 * 5 * CELLS * CELLS * STEPS * 0.1;
    print_message("plate: c_d %.3g, lift %.2g, sideways %.2g\n", sum.x / unit, sum.y / unit, sum.z / unit);
    assert_true(sum.x / unit > 0.9 && sum.x / unit < 1.4);
    assert_near(sum.y / unit, 0, 0.1);
    assert_near(sum.z / unit, 0, 0.1);
}

// Calm air holds back a ball that is led through it. A dynamic one that wind and bodies do not meet
// for feels nothing; air is no contact.
static void bodies_that_move(void **state) {
    (void)state;
    static const char scene[] =
        "firn: 1\ngravity: [0, 0, 0]\nmax_step: 50 ms\nbodies: {led: {shape: {sphere: {radius: 2 m}}, at: "
        "[-6, 8, -5], motion: kinematic}, free: {shape: {sphere: {radius: 2 m}}, at: [0, 8, 5], motion: "
        "dynamic, density: 100 kg/m3}}\nwind: {grid: [32, 16, 24], cell: 1 m, inflow: {speed: 0 m/s}}\n"
        "coupling: {wind_bodies: {on: no}}\n";
    firn_world *world;
    if (firn_world_open_text(scene, "led", &world) != FIRN_OK) fail_msg("%s", firn_last_error());
    assert_ok(firn_world_listen(world, 1u << FIRN_EVENT_CONTACT_BEGIN));
    assert_ok(firn_world_body_set_target(world, 0, (firn_vec3){6, 8, -5}, (firn_quat){1, 0, 0, 0}, 3));
    assert_ok(firn_world_advance(world, 3));
    firn_impulse led = firn_world_body_reaction(world, 0), free_one = firn_world_body_reaction(world, 1);
    print_message("led ball: %.3g N s\n", led.impulse.x);
    assert_true(led.impulse.x < 0);
    assert_true(free_one.impulse.x == 0 && free_one.impulse.y == 0 && free_one.impulse.z == 0);
    const firn_event *events;
    size_t count;
    assert_ok(firn_world_events(world, &events, &count, NULL));
    assert_int_equal(count, 0);
    firn_world_close(world);
}

// A ball that is led steadily through calm air cuts other cells in every step. Cells that it left or entered
// as a whole gave 63 N of deviation where there are 29 now.
static void small_jolts(void **state) {
    (void)state;
    enum { STEPS = 60, SPIN_UP = 20 };
    static const char scene[] =
        "firn: 1\ngravity: [0, 0, 0]\nmax_step: 50 ms\nfps: 20\nbodies: {led: {shape: {sphere: {radius: 3 "
        "m}}, at: "
        "[-6, 8, 0], motion: kinematic}}\nwind: {grid: [32, 16, 24], cell: 1 m, inflow: {speed: 0 m/s}}\n";
    firn_world *world;
    if (firn_world_open_text(scene, "led", &world) != FIRN_OK) fail_msg("%s", firn_last_error());
    assert_ok(firn_world_body_set_target(world, 0, (firn_vec3){0, 8, 0}, (firn_quat){1, 0, 0, 0}, 3));
    double mean = 0, square = 0;
    for (int i = 0; i < STEPS; i++) {
        assert_ok(firn_world_step(world));
        double force = firn_world_body_reaction(world, 0).impulse.x / 0.05;
        if (i < SPIN_UP) continue;
        mean += force / (STEPS - SPIN_UP), square += force * force / (STEPS - SPIN_UP);
    }
    double deviation = sqrt(square - mean * mean), unit = 0.5 * AIR_DENSITY * 2 * 2 * PI * 9;
    print_message("led at 2 m/s: force %.3g N, standard deviation %.3g N; %.3g N of dynamic pressure\n", mean,
                  deviation, unit);
    assert_true(mean < 0 && deviation < 0.6 * unit);
    firn_world_close(world);
}

static void threads(void **state) {
    (void)state;
    firn_impulse first = {0};
    for (int t = 0; t < THREAD_COUNTS; t++) {
        assert_ok(firn_set_threads(thread_counts[t]));
        wind_world w;
        wind_setup(&w, 20, 16, 20, 0.1);
        wind_ball(&w, 0, 4, 0, 3);
        firn_world *world = wind_open(&w);
        wind_steps(world, 3);
        firn_impulse by = firn_world_body_reaction(world, 0);
        if (t == 0) first = by;
        assert_true(by.impulse.x > 0);
        assert_memory_equal(&first, &by, sizeof by);
        firn_world_close(world);
    }
    assert_ok(firn_set_threads(0));
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost), cmocka_unit_test(momentum_through_a_duct),
        cmocka_unit_test(drag_of_a_plate), cmocka_unit_test(bodies_that_move),
        cmocka_unit_test(threads),         cmocka_unit_test(small_jolts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
