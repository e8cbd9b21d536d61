// firn-test: slow
// Liquid at rest: density, pressure, height; and what follows from the kernel.
#include "pbd/wet.h"

static const double SPACING = 0.04, WIDTH = 0.24, DEPTH = 0.4;

static firn_world *column(firn_pbd_solver solver) {
    wet_world w;
    wet_pool(&w, dvec(0, 0, 0), dvec(WIDTH, DEPTH, WIDTH), SPACING);
    wet_box(&w, dvec(0, 0, 0), dvec(WIDTH, 2, WIDTH));
    w.fluid.method = FIRN_PBD_POSITION;
    w.pbd.solver = solver;
    w.pbd.substeps = 8;
    w.pbd.iterations = 2;
    w.fluid.xsph = 0.05;
    return soft_open(&w);
}

typedef struct rest {
    double density, height, speed; // mean share of 1000 kg/m3, twice the mean height (m), r.m.s. (m/s)
    double pressure, weight;       // mean of the lower half, and what rho g h says (Pa)
    double inner, inner_weight;    // without what lies on the floor
} rest;

static rest look(firn_world *world) {
    pbd *s = soft_model(world);
    pbd_show(s);
    const pbd_fluid *f = pbd_data(s, &pbd_density);
    rest r = {0};
    double n = (double)s->p.count, low = 0;
    for (size_t i = 0; i < s->p.count; i++) {
        double y = s->p.at[i][1];
        r.height += 2 * y / n;
        r.speed += dvec_length2(pbd_at(s->p.v[i])) / n;
        if (y > DEPTH / 2) continue;
        low++;
        r.density += (double)f->density[i] / 1000;
        r.pressure += (double)f->pressure[i];
        r.weight += 1000 * 9.81 * (DEPTH - y);
        if (y < SPACING) continue;
        r.inner += (double)f->pressure[i];
        r.inner_weight += 1000 * 9.81 * (DEPTH - y);
    }
    r.density /= low;
    r.speed = sqrt(r.speed);
    return r;
}

static void rests_for(firn_pbd_solver solver, double seconds) {
    firn_world *world = column(solver);
    rest start = look(world);
    assert_near(start.density, 1, 0.002); // a lattice that stands at its walls is at rest density
    soft_run(world, 2);
    double pressure = 0, weight = 0, inner = 0, inner_weight = 0, most = 0, height = look(world).height;
    for (double t = 2; t < seconds; t += 0.25) {
        soft_run(world, 0.25);
        rest now = look(world);
        assert_near(now.density, 1, 0.01);
        assert_near(now.height, height, 0.005 * DEPTH);
        pressure += now.pressure, weight += now.weight;
        inner += now.inner, inner_weight += now.inner_weight;
        most = fmax(most, now.speed);
    }
    print_message("pressure %.3f, above the floor %.3f; speed %.4f, height %.4f\n", pressure / weight,
                  inner / inner_weight, most, height / DEPTH);
    assert_near(height, DEPTH, 0.015 * DEPTH);
    // rho g h; what lies on the floor is partly held by touching it, which is no pressure of the liquid.
    assert_near(inner / inner_weight, 1, 0.02);
    assert_near(pressure / weight, 1, 0.06);
    assert_true(most < 0.03); // a free fall through it would make 2.8 m/s
    firn_world_close(world);
}

static void test_column_stands_for_twenty_seconds(void **state) {
    (void)state;
    rests_for(FIRN_PBD_JACOBI_PARTICLE, 20);
}

static void test_all_solvers_hold_it(void **state) {
    (void)state;
    rests_for(FIRN_PBD_GAUSS_SEIDEL, 4);
    rests_for(FIRN_PBD_JACOBI, 4);
}

// A program that asks for pieces of 12 ms of frames of 1/60 s makes steps of 12, 4.7, 7.3, 9.3 ms ...
static void test_uneven_steps_do_not_stir(void **state) {
    (void)state;
    firn_world *world = column(FIRN_PBD_JACOBI_PARTICLE);
    soft_run(world, 1.5);
    double most = 0, height = look(world).height;
    for (int k = 1; k <= 120; k++) {
        soft_run(world, 0.012);
        rest now = look(world);
        most = fmax(most, now.speed);
        assert_near(now.height, height, 0.01 * DEPTH);
    }
    print_message("uneven steps: %.4f m/s\n", most);
    assert_true(most < 0.05);
    firn_world_close(world);
}

// A block of liquid, pressed flat by a tenth, in space or between walls: its error after so many iterations,
// as a share of the first.
static double error_after(firn_pbd_solver solver, int iterations, double gap) {
    wet_world w;
    wet_pool(&w, dvec(0, 0, 0), dvec(DEPTH, DEPTH, DEPTH), SPACING);
    wet_box(&w, dvec(-gap, -gap, -gap), dvec(DEPTH + gap, DEPTH + gap, DEPTH + gap));
    w.world.gravity = dvec(0, 0, 0);
    w.fluid.method = FIRN_PBD_POSITION;
    w.pbd.solver = solver;
    w.pbd.iterations = iterations;
    w.pbd.statistics = true;
    firn_world *world = soft_open(&w);
    pbd *s = soft_model(world);
    for (size_t i = 0; i < s->p.count; i++) s->p.at[i][1] *= 0.9;
    assert_ok(firn_world_step(world));
    double error = s->counters.last_residual / s->counters.first_residual;
    firn_world_close(world);
    return error;
}

static void test_gauss_seidel_converges_faster(void **state) {
    (void)state;
    for (int walls = 0; walls < 2; walls++) {
        int n = walls ? 32 : 4;
        double gap = walls ? 0 : 1, gs = error_after(FIRN_PBD_GAUSS_SEIDEL, n, gap);
        double jacobi = error_after(FIRN_PBD_JACOBI, n, gap);
        print_message("error after %d: Jacobi %.3f, Gauss-Seidel %.3f\n", n, jacobi, gs);
        assert_true(gs < 0.4 * jacobi);
        assert_near(error_after(FIRN_PBD_JACOBI_PARTICLE, n, gap), jacobi, 1e-6);
    }
}

// Half of a kernel is beyond a wall through its middle; what it loses on the way out is its slope.
static void test_walls_take_their_share_of_a_kernel(void **state) {
    (void)state;
    double sum = 0, step = 1e-2;
    float slope;
    assert_near(fluid_wall_fraction(0, &slope), 0.5, 1e-6);
    assert_near(fluid_wall_fraction(1, &slope), 0, 1e-6);
    for (double d = 0.05; d < 1; d += 0.1) {
        double a = (double)fluid_wall_fraction((float)(d - step), &slope);
        double b = (double)fluid_wall_fraction((float)(d + step), &slope);
        fluid_wall_fraction((float)d, &slope);
        assert_near(slope, (b - a) / (2 * step), 1e-3);
    }
    // By summing the kernel 21/(2 pi) (1 - q)^4 (1 + 4 q) over the ball's part beyond d = 0.3.
    enum { N = 80 };
    for (int i = 0; i < N * N * N; i++) {
        double x = (i % N + 0.5) * 2 / N - 1, y = (i / N % N + 0.5) * 2 / N - 1,
               z = (i / N / N + 0.5) * 2 / N - 1;
        double q = sqrt(x * x + y * y + z * z);
        if (q < 1 && z > 0.3) sum += 21 / (2 * M_PI) * pow(1 - q, 4) * (1 + 4 * q) * 8 / ((double)N * N * N);
    }
    assert_near(fluid_wall_fraction(0.3f, &slope), sum, 2e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_column_stands_for_twenty_seconds),
        cmocka_unit_test(test_all_solvers_hold_it),
        cmocka_unit_test(test_uneven_steps_do_not_stir),
        cmocka_unit_test(test_gauss_seidel_converges_faster),
        cmocka_unit_test(test_walls_take_their_share_of_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
