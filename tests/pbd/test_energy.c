// Energy and order of the integrators: pendulums, flight, spinning solids.
#include "pbd/soft.h"

// A mass on a link of 1 m, from 90 degrees. Lowest potential point y = -1.
typedef struct pendulum {
    soft_world w;
    firn_pbd_pin_def pin;
} pendulum;

static firn_world *pendulum_open(pendulum *p, double dt, firn_pbd_integrator integrator) {
    soft_lattice(&p->w, 2, 1, 1, 1);
    p->w.world.max_step = dt;
    p->w.world.fps = 1;
    p->w.solid.links = FIRN_PBD_ALL_PAIRS;
    p->w.pbd.integrator = integrator;
    p->w.solid.stiffness = 1e9;
    p->pin = firn_pbd_pin_def_default();
    p->pin.name = "pin";
    p->pin.where.shape.kind = FIRN_SHAPE_SPHERE;
    p->pin.where.shape.radius = 0.1;
    p->pin.where.at = dvec(-0.5, 0, 0);
    p->w.pbd.pins.items = &p->pin, p->w.pbd.pins.count = 1;
    return soft_open(&p->w);
}

// Greatest height from `from` to `to` s, of that at the start; and the mean time between two turns (s).
static double height_of(double dt, firn_pbd_integrator integrator, double *period) {
    pendulum p;
    firn_world *world = pendulum_open(&p, dt, integrator);
    const pbd *s = soft_model(world);
    size_t mass = s->p.at[0][0] > s->p.at[1][0] ? 0 : 1;
    double high = -1, before = 0, first = -1, last = -1;
    int turns = 0;
    for (int k = 0; (k + 1) * dt < 10; k++) {
        assert_ok(firn_world_step(world));
        double x = s->p.at[mass][0] + 0.5, t = firn_world_time(world);
        if (t > 8) high = fmax(high, s->p.at[mass][1]);
        if (k > 0 && before > 0 && x <= 0) { // through the lowest place, to the left
            last = t - dt * x / (x - before);
            if (first < 0)
                first = last;
            else
                turns++;
        }
        before = x;
    }
    firn_world_close(world);
    *period = (last - first) / turns;
    return high + 1;
}

static void test_a_pendulum_keeps_its_height(void **state) {
    (void)state;
    // T = 4 sqrt(l / g) K(sin 45 degrees)
    const double exact = 4 * sqrt(1 / 9.81) * 1.8540746773, step = firn_world_def_default().max_step;
    double period[2];
    double bdf2 = height_of(step, FIRN_PBD_BDF2, &period[0]);
    double euler = height_of(step, FIRN_PBD_EULER, &period[1]);
    print_message("step %g: bdf2 %.4f of the height, period %.5f; euler %.4f, %.5f; exact %.5f\n", step, bdf2,
                  period[0], euler, period[1], exact);
    assert_int_equal(firn_pbd_def_default().integrator, FIRN_PBD_BDF2);
    assert_true(bdf2 > 0.95 && bdf2 < 1.001);
    assert_near(period[0], exact, 0.01 * exact);
}

// Angle from the lowest place after 1.5 s, by Runge and Kutta.
static double exact_angle(void) {
    double a = M_PI / 2, w = 0, h = 1e-4;
    for (int k = 0; k < 15000; k++) {
        double k1 = w, l1 = -9.81 * sin(a), k2 = w + h / 2 * l1, l2 = -9.81 * sin(a + h / 2 * k1),
               k3 = w + h / 2 * l2, l3 = -9.81 * sin(a + h / 2 * k2), k4 = w + h * l3,
               l4 = -9.81 * sin(a + h * k3);
        a += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return a;
}

static double angle_error(double dt, firn_pbd_integrator integrator) {
    pendulum p;
    firn_world *world = pendulum_open(&p, dt, integrator);
    const pbd *s = soft_model(world);
    size_t mass = s->p.at[0][0] > s->p.at[1][0] ? 0 : 1;
    soft_run(world, 1.5);
    double angle = atan2(s->p.at[mass][0] + 0.5, -s->p.at[mass][1]);
    firn_world_close(world);
    return fabs(angle - exact_angle());
}

static void test_the_error_falls_with_the_square_of_the_step(void **state) {
    (void)state;
    double e[3], euler[3];
    for (int k = 0; k < 3; k++) {
        e[k] = angle_error(0.02 / (1 << k), FIRN_PBD_BDF2);
        euler[k] = angle_error(0.02 / (1 << k), FIRN_PBD_EULER);
    }
    print_message("error of the angle at 20, 10, 5 ms: %.5f %.5f %.5f; euler %.5f %.5f %.5f\n", e[0], e[1],
                  e[2], euler[0], euler[1], euler[2]);
    assert_true(e[0] / e[2] > 8); // 4 for an integrator of first order
}

// Place after a fall of 1 s at two steps.
static void test_flight_is_of_second_order(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        soft_world w;
        double dt = k ? 0.005 : 0.01;
        soft_lattice(&w, 3, 3, 3, 0.1);
        w.world.max_step = dt;
        w.solid.velocity = dvec(1, 2, 0);
        firn_world *world = soft_open(&w);
        const pbd *s = soft_model(world);
        double y = s->p.at[13][1], x = s->p.at[13][0];
        soft_run(world, 1);
        print_message("dt %g: x %.7f, y %.7f\n", dt, s->p.at[13][0] - x, s->p.at[13][1] - y);
        assert_near(s->p.at[13][1] - y, 2 - 9.81 / 2, 10 * dt * dt);
        firn_world_close(world);
    }
}

// A stiff cube that spins in free space for 20 s: its energy does not grow, it does not drift.
static void test_a_spinning_solid(void **state) {
    (void)state;
    soft_world w;
    soft_lattice(&w, 5, 5, 5, 0.05);
    w.world.max_step = firn_world_def_default().max_step;
    w.world.gravity = dvec(0, 0, 0);
    w.solid.velocity = dvec(1, 0, 0);
    w.solid.spin = dvec(1, 4, 0.5);
    w.solid.fill.at = dvec(0.3, 0.4, 0);
    firn_world *world = soft_open(&w);
    const pbd *s = soft_model(world);
    firn_ledger start = {0}, now = {0};
    pbd_ledger(s, &start);
    double most = 0;
    for (int k = 0; k < 20; k++) {
        soft_run(world, 1);
        pbd_ledger(s, &now);
        most = fmax(most, now.kinetic / start.kinetic);
    }
    firn_vec3 drift = dvec_scale(dvec_sub(now.momentum, start.momentum), 1 / dvec_length(start.momentum));
    print_message("kinetic energy: most %.6f, at the end %.6f; momentum off by %.1e %.1e %.1e\n", most,
                  now.kinetic / start.kinetic, drift.x, drift.y, drift.z);
    assert_true(most < 1.0005 && now.kinetic / start.kinetic > 0.99);
    assert_true(dvec_length(drift) < 1e-4);
    firn_world_close(world);
}

// A ball of rubber, dropped from 1 m: it rises again to most of that height, never has more energy than at
// the start, and in the end lies still.
static void test_a_rubber_ball_bounces(void **state) {
    (void)state;
    firn_world *world;
    assert_ok(firn_world_open_text("firn: 1\nduration: 3 s\nbodies: {floor: {shape: plane}}\n"
                                   "pbd: {solids: {ball: {material: rubber, shape: {sphere: {radius: 10 "
                                   "cm}}, at: [0, 1.1, 0], spacing: 4 "
                                   "cm}}}\n",
                                   "ball", &world));
    const pbd *s = soft_model(world);
    double top = 0, most = 0, start = 0, g = 9.81;
    for (int k = 0; k < 90; k++) {
        double height = 0, energy = 0;
        for (size_t i = 0; i < s->p.count; i++) {
            const float *v = s->p.v[i];
            height += s->p.at[i][1] / (double)s->p.count;
            energy += (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 / (double)s->p.count;
        }
        energy += g * (height - 0.1);
        if (k == 0) start = energy;
        if (k > 50) top = fmax(top, height); // it lands after 0.45 s
        most = fmax(most, energy);
        assert_ok(firn_world_advance(world, 0.01));
    }
    print_message("rises to %.3f m of 1 m; most energy %.4f of that at the start\n", top - 0.1, most / start);
    assert_true(top - 0.1 > 0.6);
    assert_true(top - 0.1 < 1 && most < 1.005 * start);
    firn_world_close(world);
}

// Four blocks of rubber on each other: pressed together by no more than their weight over Young's modulus,
// upright and still after a second.
static void test_a_rubber_tower_stands(void **state) {
    (void)state;
    firn_world *world;
    assert_ok(firn_world_open_text(
        "firn: 1\nduration: 3 s\nbodies: {floor: {shape: plane}}\n"
        "pbd:\n  solids:\n"
        "    a: {material: rubber, lattice: [3, 3, 3], spacing: 5 cm, at: [0, 7.5 cm, 0]}\n"
        "    b: {material: rubber, lattice: [3, 3, 3], spacing: 5 cm, at: [0, 22.5 cm, 0]}\n"
        "    c: {material: rubber, density: 4000, lattice: [3, 3, 3], spacing: 5 cm, at: [0, 37.5 cm, 0]}\n"
        "    d: {material: rubber, density: 4000, lattice: [3, 3, 3], spacing: 5 cm, at: [0, 52.5 cm, 0]}\n",
        "tower", &world));
    const pbd *s = soft_model(world);
    soft_run(world, 1.2);
    double fastest = 0, off = 0, low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < s->p.count; i++) {
        const float *v = s->p.v[i];
        const pbd_group *first = &s->groups[0];
        fastest = fmax(fastest, sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])));
        off = fmax(off, fmax(fabs(s->p.at[i][0]), fabs(s->p.at[i][2])) - 0.05);
        if (i >= first->first + first->count) continue;
        low = fmin(low, s->p.at[i][1]), high = fmax(high, s->p.at[i][1]);
    }
    double strain = 1 - (high - low) / 0.1, weight = (1100 * 0.225 + 4000 * 0.3) * 9.81 / 2e6;
    print_message("fastest %.2g m/s, widest by %.2g mm, lowest pressed by %.2g %% (weight over E: %.2g %%)\n",
                  fastest, 1000 * off, 100 * strain, 100 * weight);
    assert_true(fastest < 0.02);
    assert_true(off < 0.002);
    assert_true(strain > 0.2 * weight && strain < 1.2 * weight);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rubber_ball_bounces),
        cmocka_unit_test(test_a_rubber_tower_stands),
        cmocka_unit_test(test_a_pendulum_keeps_its_height),
        cmocka_unit_test(test_the_error_falls_with_the_square_of_the_step),
        cmocka_unit_test(test_flight_is_of_second_order),
        cmocka_unit_test(test_a_spinning_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
