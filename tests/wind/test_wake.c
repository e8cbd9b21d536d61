// firn-test: slow
// Vortices that a cylinder and a square column shed.
#include "wind/winds.h"

// A slice has no ground: only the column is rough.
static void smooth_ground(wind_state *s) {
    for (int axis = 0; axis < 3; axis++) {
        wind_faces *f = &s->faces[axis];
        size_t kept = 0;
        for (size_t i = 0; i < f->walls; i++)
            if (f->wall[i].body) f->wall[kept++] = f->wall[i];
        f->walls = kept;
    }
}

// Column of `cells` across in the middle of a slice of the wind, walls above and below.
static firn_world *column(wind_world *w, int cells, firn_shape_kind kind, double dt) {
    wind_setup(w, 14 * cells, 4, 8 * cells, dt);
    wind_real_air(w);
    w->wind.cell = 1.0 / cells;
    w->wind.inflow.speed = 1;
    w->wind.inflow.turbulence = 0;
    w->wind.sides.top = FIRN_WIND_WALL;
    wind_ball(w, -3, 0, 0, 0.5);
    w->body[0].shape.kind = kind;
    w->body[0].shape.length = 10;
    w->body[0].shape.size = (firn_vec3){1, 10, 1};
    return wind_open(w);
}

// Frequency of the strongest wave in a signal, by Fourier's sum with Hann's window.
static double strongest(const double *signal, int n, double mean, double dt) {
    double best = 0, at = 0;
    for (double f = 0.05; f < 0.5; f += 0.001) {
        double re = 0, im = 0;
        for (int i = 0; i < n; i++) {
            double value = (signal[i] - mean) * (1 - cos(2 * PI * (i + 0.5) / n));
            re += value * cos(2 * PI * f * i * dt), im += value * sin(2 * PI * f * i * dt);
        }
        if (re * re + im * im > best) best = re * re + im * im, at = f;
    }
    return at;
}

// Strouhal number f D / U from the lift, and the drag coefficient.
static double strouhal(int cells, firn_shape_kind kind, double *drag) {
    enum { MOST = 20000 };
    static double lift[MOST];
    wind_world w;
    const double dt = 0.5 / cells, spin_up = 30, end = 80;
    firn_world *world = column(&w, cells, kind, dt);
    wind_state *s = wind_of(world);
    smooth_ground(s);
    for (int k = 1; k <= s->box.n[2]; k++) // a push to one side
        for (size_t a = poisson_at(&s->box, 1, 0, k); a < poisson_at(&s->box, 1, 0, k) + s->box.plane; a++)
            s->v[2][a] += 0.2f * s->v[0][a];
    int n = 0;
    double mean = 0;
    *drag = 0;
    for (double t = 0; t < end && n < MOST; t += dt) {
        wind_steps(world, 1);
        if (t < spin_up) continue;
        firn_vec3 force = firn_world_body_reaction(world, 0).impulse;
        mean += lift[n++] = force.z / dt;
        *drag += force.x / dt;
    }
    *drag /= n * 0.5 * AIR_DENSITY * 4.0 / cells;
    firn_world_close(world);
    return strongest(lift, n, mean / n, dt);
}

// Measured: 0.2 and c_d 1.1 to 1.2 for a cylinder, 0.13 and 2.1 for a square. 50 widths of wind tell 0.01
// apart.
static void vortices_come_as_often_as_measured(void **state) {
    (void)state;
    for (int cells = 8; cells <= 10; cells += 2)
        for (int square = 0; square < 2; square++) {
            double drag, found = strouhal(cells, square ? FIRN_SHAPE_BOX : FIRN_SHAPE_CYLINDER, &drag);
            print_message("%s of %d cells: Strouhal number %.3f, c_d %.2f\n", square ? "square" : "cylinder",
                          cells, found, drag);
            assert_true(square ? found > 0.115 && found < 0.155 : found > 0.19 && found < 0.225);
            assert_true(square ? drag > 1.7 && drag < 2.5 : drag > 1 && drag < 1.4);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(vortices_come_as_often_as_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
