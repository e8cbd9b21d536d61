// firn-test: slow
// The wind against closed forms: orders of the advection, vortices, potential flow, energy, long steps.
#include "wind/winds.h"

// A closed box whose velocity is set to `field` of (x, y, z) in cells; pressure does nothing to it.
typedef void (*flow)(const double x[3], double n, double v[3]);

static void set_flow(wind_state *s, flow field) {
    for (int k = 1; k <= s->box.n[2]; k++)
        for (int j = 1; j <= s->box.n[1]; j++)
            for (int i = 1; i <= s->box.n[0]; i++)
                for (int a = 0; a < 3; a++) {
                    double x[3] = {i - 0.5, j - 0.5, k - 0.5}, v[3];
                    x[a] -= 0.5;
                    field(x, s->box.n[0], v);
                    s->v[a][poisson_at(&s->box, i, j, k)] = (float)v[a];
                }
}

static void closed(wind_world *w, int nx, int ny, int nz, double dt) {
    wind_setup(w, nx, ny, nz, dt);
    w->wind.inflow.speed = 0;
    w->wind.sides =
        (firn_wind_sides_def){FIRN_WIND_WALL, FIRN_WIND_WALL, FIRN_WIND_WALL, FIRN_WIND_WALL, FIRN_WIND_WALL};
    w->wind.tolerance = 1e-5;
}

// Solid rotation about the middle, once in 2 pi seconds.
static void turning(const double x[3], double n, double v[3]) {
    v[0] = -(x[2] - n / 2), v[1] = 0, v[2] = x[0] - n / 2;
}

// A smooth hill and a dale on both sides of the middle: as wide as the box allows, so that an error is small
// against the field already on few cells.
static double hill(int n, int i, int k) {
    double x = (i - 0.5) / n - 0.5, z = (k - 0.5) / n - 0.5, r = hypot(x, z) / 0.48;
    return r < 1 ? x * pow(cos(r * PI / 2), 2) : 0;
}

// The hill, carried around once by a solid rotation; the mean error.
static double rotation_error(int n, int advection, int steps) {
    wind_world w;
    closed(&w, n, 3, n, 0.1);
    w.wind.advection = (firn_wind_advection)advection;
    firn_world *world = wind_open(&w);
    wind_state *s = wind_of(world);
    float *bump = s->v[1], *first = malloc(s->box.size * sizeof *first);
    double sum = 0;
    for (int k = 0; k <= n + 1; k++)
        for (int j = 0; j <= 4; j++)
            for (int i = 0; i <= n + 1; i++) bump[poisson_at(&s->box, i, j, k)] = (float)hill(n, i, k);
    memcpy(first, bump, s->box.size * sizeof *first);
    for (int step = 0; step < steps; step++) {
        // Only v[1] is carried; the rotation itself is put back each time.
        set_flow(s, turning);
        for (size_t c = 0; c < s->box.size; c++) s->v[1][c] = first[c];
        double keep = 1e-3; // small against the rotation: it carries itself up by nothing that matters
        for (size_t c = 0; c < s->box.size; c++) s->v[1][c] *= (float)keep;
        s->fastest = n;
        wind_advect(s, 2 * PI / steps);
        for (int k = 1; k <= n; k++)
            for (int i = 1; i <= n; i++)
                for (int j = 0; j <= 4; j++)
                    first[poisson_at(&s->box, i, j, k)] = s->v[1][poisson_at(&s->box, i, 2, k)] / (float)keep;
    }
    for (int k = 1; k <= n; k++)
        for (int i = 1; i <= n; i++) sum += fabs((double)first[poisson_at(&s->box, i, 2, k)] - hill(n, i, k));
    free(first);
    firn_world_close(world);
    return sum / n / n;
}

static void orders_of_advection(void **state) {
    (void)state;
    double sl[2], mc[2];
    for (int i = 0; i < 2; i++) {
        sl[i] = rotation_error(64 << i, FIRN_WIND_SEMI_LAGRANGIAN, 120 << i);
        mc[i] = rotation_error(64 << i, FIRN_WIND_MACCORMACK, 60 << i);
    }
    print_message("semi-lagrangian %.2e %.2e order %.2f, maccormack %.2e %.2e order %.2f\n", sl[0], sl[1],
                  log2(sl[0] / sl[1]), mc[0], mc[1], log2(mc[0] / mc[1]));
    // 0.85 here, 0.91 from 128 to 256 cells: 1 in the end.
    assert_true(log2(sl[0] / sl[1]) > 0.8 && log2(sl[0] / sl[1]) < 1.2);
    assert_true(log2(mc[0] / mc[1]) > 1.8 && log2(mc[0] / mc[1]) < 2.2);
}

static void whirls(const double x[3], double n, double v[3]) { // Taylor and Green: steady without viscosity
    double a = PI / n;
    v[0] = sin(a * x[0]) * cos(a * x[2]), v[1] = 0, v[2] = -cos(a * x[0]) * sin(a * x[2]);
}

static void taylor_green_keeps_its_shape(void **state) {
    (void)state;
    wind_world w;
    closed(&w, 32, 4, 32, 0.5);
    firn_world *world = wind_open(&w);
    wind_state *s = wind_of(world);
    set_flow(s, whirls);
    double dot = 0, aa = 0, bb = 0;
    wind_steps(world, 60); // 30 s: a cell of the vortex turns about once
    s = wind_of(world);
    for (int k = 1; k <= 32; k++)
        for (int i = 1; i <= 32; i++) {
            double x[3] = {i - 1, 0, k - 0.5}, v[3];
            whirls(x, 32, v);
            double now = (double)s->v[0][poisson_at(&s->box, i, 2, k)];
            dot += now * v[0], aa += now * now, bb += v[0] * v[0];
        }
    print_message("taylor-green: correlation %.5f, amplitude %.4f\n", dot / sqrt(aa * bb), sqrt(aa / bb));
    assert_true(dot / sqrt(aa * bb) > 0.9995);
    assert_true(sqrt(aa / bb) > 0.96 && sqrt(aa / bb) <= 1.0);
    firn_world_close(world);
}

static double energy(const firn_world *world) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++)
        if (strcmp(firn_world_ledger(world, i).model, "wind") == 0)
            return firn_world_ledger(world, i).kinetic;
    return -1;
}

static void tangle(const double x[3], double n, double v[3]) {
    double a = 2 * PI / n;
    v[0] = sin(a * x[0]) * cos(2 * a * x[1] + 1) + 0.5 * sin(3 * a * x[2]);
    v[1] = cos(2 * a * x[0]) * sin(a * x[1]) + 0.5 * sin(2 * a * x[2] + 2);
    v[2] = sin(a * x[2]) * cos(3 * a * x[0]) + 0.5 * cos(2 * a * x[1]);
}

static void energy_never_grows(void **state) {
    (void)state;
    for (int advection = 0; advection < 2; advection++)
        for (int variant = 0; variant < 4; variant++) {
            wind_world w;
            int steps = variant & 1;
            closed(&w, 24, 24, 24, steps ? 10 : 0.5); // the longer ones: about 10 cells in a step
            if (variant & 2) wind_real_air(&w);
            w.world.max_step = steps ? 1 : 0.5;
            w.world.fps = steps ? 1 : 2;
            w.wind.advection = (firn_wind_advection)advection;
            firn_world *world = wind_open(&w);
            wind_state *s = wind_of(world);
            set_flow(s, tangle);
            if (steps)
                for (int a = 0; a < 3; a++)
                    for (size_t c = 0; c < s->box.size; c++) s->v[a][c] *= 10;
            wind_steps(world, 1);
            double before = energy(world), first = before;
            for (int n = 0; n < 25; n++) {
                wind_steps(world, 1);
                double now = energy(world);
                if (!(now <= before * (1 + 1e-6)))
                    fail_msg("advection %d, steps %d: %g after %g", advection, steps, now, before);
                before = now;
            }
            assert_true(before > 0 && before < first);
            firn_world_close(world);
        }
}

// Around a round obstacle in the middle of a large domain: potential flow, U + U (R / r)^m / (m - 1) (1 - m x
// x / r^2), m = 3 for a ball, 2 for a cylinder along y.
static double potential_flow(const double x[3], int axis, double radius, int m) {
    double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), f = 5 * pow(radius / r, m) / (m - 1);
    return (axis == 0 ? 5 + f : 0) - m * f * x[0] * x[axis] / r / r;
}

// Errors of all faces whose middle is outside the obstacle, over the wind; upstream of it, where no wake is.
static void compare_with_potential_flow(const wind_state *s, double radius, int m, double limit) {
    const int32_t *n = s->box.n;
    double worst = 0, squares = 0, all = 0, beside = 0;
    for (int axis = 0; axis < 3; axis += m == 2 ? 2 : 1)
        for (int k = 2; k <= n[2]; k++)
            for (int j = m == 3 ? 2 : 1; j <= n[1]; j++)
                for (int i = 2; i <= n[0] / 2; i++) {
                    size_t c = poisson_at(&s->box, i, j, k);
                    double at[3];
                    wind_face_place(s, axis, c, at);
                    double x[3] = {at[0] - n[0] / 2.0, m == 3 ? at[1] - n[1] / 2.0 : 0, at[2] - n[2] / 2.0};
                    double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
                    if (r < radius || r > 3 * radius) continue;
                    double error = fabs((double)s->v[axis][c] - potential_flow(x, axis, radius, m)) / 5;
                    squares += error * error, all++;
                    worst = fmax(worst, error);
                    if (r < radius + 2) beside = fmax(beside, error);
                }
    print_message("m %d, radius %g: worst error of a face %.4f, within 2 cells of the surface %.4f; root "
                  "mean square %.4f\n",
                  m, radius, worst, beside, sqrt(squares / all));
    assert_true(worst < limit);
}

static void around_a_ball(void **state) {
    (void)state;
    wind_world w;
    wind_setup(&w, 96, 96, 96, 0.1);
    w.wind.tolerance = 1e-4;
    wind_ball(&w, 0, 48, 0, 12);
    firn_world *world = wind_open(&w);
    compare_with_potential_flow(wind_of(world), 12, 3, 0.05);
    firn_world_close(world);
}

static void around_a_cylinder(void **state) {
    (void)state;
    wind_world w;
    wind_setup(&w, 512, 2, 512, 0.1);
    w.wind.tolerance = 1e-4;
    w.wind.sides.top = FIRN_WIND_WALL;
    wind_ball(&w, 0, 1, 0, 24);
    w.body[0].shape.kind = FIRN_SHAPE_CYLINDER;
    w.body[0].shape.length = 10;
    firn_world *world = wind_open(&w);
    compare_with_potential_flow(wind_of(world), 24, 2, 0.05);
    firn_world_close(world);
}

static void long_steps_are_stable(void **state) {
    (void)state;
    for (int real_air = 0; real_air < 2; real_air++) {
        wind_world w;
        wind_setup(&w, 32, 16, 24, 1); // a step of 12 cells
        if (real_air) wind_real_air(&w);
        w.wind.inflow.speed = 12;
        w.wind.inflow.gusts = 0.5;
        wind_ball(&w, -4, 3, 0, 4);
        firn_world *world = wind_open(&w);
        for (int n = 0; n < 60; n++) {
            wind_steps(world, 1);
            wind_state *s = wind_of(world);
            assert_true(s->fastest < (real_air ? 60 : 40)); // gusts and eddies add up
            assert_true(wind_worst_divergence(s) <= 1.01e-3 * s->reference);
        }
        firn_world_close(world);
    }
}

// Without eddies below the grid a wake fed itself in steps much shorter than a cell: from 5 to 28 m/s in 8 s.
static void short_steps_are_stable(void **state) {
    (void)state;
    wind_world w;
    wind_setup(&w, 50, 18, 26, 0.004);
    wind_real_air(&w);
    w.wind.cell = 0.3;
    w.wind.inflow.profile = FIRN_WIND_POWER;
    w.wind.inflow.height = 3;
    wind_box(&w, "cube", (firn_vec3){-3, 1.5, 0}, (firn_vec3){3, 3, 3});
    firn_world *world = wind_open(&w);
    double fastest = 0;
    for (int n = 0; n < 2000; n++) {
        wind_steps(world, 1);
        fastest = fmax(fastest, wind_of(world)->fastest);
    }
    print_message("steps of 4 ms: at most %.1f m/s in 8 s\n", fastest);
    assert_true(fastest < 16);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_advection),    cmocka_unit_test(taylor_green_keeps_its_shape),
        cmocka_unit_test(energy_never_grows),     cmocka_unit_test(around_a_ball),
        cmocka_unit_test(around_a_cylinder),      cmocka_unit_test(long_steps_are_stable),
        cmocka_unit_test(short_steps_are_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
