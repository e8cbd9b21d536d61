// firn-test: slow
// A breaking dam without friction against potential flow: the same flow by another method, written for this
// test. Liquid at rest that is set free has no vorticity, so its velocity is the gradient of a potential,
// which is known on the free surface (D phi / D t = |v|^2 / 2 - g y there). Sources outside of the surface
// and their images in floor and wall give the velocities; nodes of the surface move with them.
#include "pbd/wet.h"

enum { MOST = 320 };

typedef struct surface { // of a column 1 wide and 2 high, g = 1, from the wall (x = 0) to the floor (y = 0)
    int n;
    double x[MOST], y[MOST], phi[MOST];
} surface;

// x = A^-1 b by elimination; b is the column behind.
static void eliminate(int n, double (*a)[MOST + 1], double *x) {
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(a[r][c]) > fabs(a[best][c])) best = r;
        for (int k = c; k <= n; k++) {
            double t = a[best][k];
            a[best][k] = a[c][k], a[c][k] = t;
        }
        for (int r = c + 1; r < n; r++) {
            double f = a[r][c] / a[c][c];
            for (int k = c; k <= n; k++) a[r][k] -= f * a[c][k];
        }
    }
    for (int r = n - 1; r >= 0; r--) {
        double sum = a[r][n];
        for (int k = r + 1; k < n; k++) sum -= a[r][k] * x[k];
        x[r] = sum / a[r][r];
    }
}

// One and a half node distances outside of each node.
static void place_sources(const surface *s, double *x, double *y) {
    for (int i = 0; i < s->n; i++) {
        int a = i > 0 ? i - 1 : 0, b = i < s->n - 1 ? i + 1 : i;
        double tx = s->x[b] - s->x[a], ty = s->y[b] - s->y[a], length = hypot(tx, ty);
        double by = 1.5 * length / (b - a);
        if (a == i) tx = 1, ty = 0, length = 1;
        if (b == i) tx = 0, ty = -1, length = 1;
        x[i] = s->x[i] - by * ty / length, y[i] = s->y[i] + by * tx / length;
    }
}

// Rates of change of all nodes.
static void flow(const surface *s, surface *rate) {
    static double a[MOST][MOST + 1];
    double at_x[MOST], at_y[MOST], strength[MOST];
    place_sources(s, at_x, at_y);
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->n; j++) {
            a[i][j] = 0;
            for (int k = 0; k < 4; k++)
                a[i][j] +=
                    log(hypot(s->x[i] - (k & 1 ? -1 : 1) * at_x[j], s->y[i] - (k & 2 ? -1 : 1) * at_y[j]));
        }
        a[i][s->n] = s->phi[i];
    }
    eliminate(s->n, a, strength);
    for (int i = 0; i < s->n; i++) {
        double u = 0, v = 0;
        for (int k = 0; k < 4 * s->n; k++) {
            double x = s->x[i] - (k & 1 ? -1 : 1) * at_x[k / 4], y = s->y[i] - (k & 2 ? -1 : 1) * at_y[k / 4];
            u += strength[k / 4] * x / (x * x + y * y), v += strength[k / 4] * y / (x * x + y * y);
        }
        rate->x[i] = i == 0 ? 0 : u, rate->y[i] = i == s->n - 1 ? 0 : v;
        rate->phi[i] = (u * u + v * v) / 2 - s->y[i];
    }
}

static void add(const surface *s, const surface *rate, double dt, surface *to) {
    to->n = s->n;
    for (int i = 0; i < s->n; i++) {
        to->x[i] = s->x[i] + dt * rate->x[i], to->y[i] = s->y[i] + dt * rate->y[i];
        to->phi[i] = s->phi[i] + dt * rate->phi[i];
    }
}

// Second derivatives of the natural spline through f over s.
static void spline(int n, const double *s, const double *f, double *second) {
    double b[MOST], d[MOST];
    second[0] = b[0] = d[0] = 0, b[0] = 1;
    double above = 0;
    for (int i = 1; i < n - 1; i++) {
        double h = s[i] - s[i - 1], next = s[i + 1] - s[i], w = h / b[i - 1];
        b[i] = 2 * (h + next) - w * above;
        d[i] = 6 * ((f[i + 1] - f[i]) / next - (f[i] - f[i - 1]) / h) - w * d[i - 1];
        above = next;
    }
    second[n - 1] = 0;
    for (int i = n - 2; i > 0; i--) second[i] = (d[i] - (s[i + 1] - s[i]) * second[i + 1]) / b[i];
}

static double value_at(const double *s, const double *f, const double *second, int k, double t) {
    double h = s[k + 1] - s[k], a = (s[k + 1] - t) / h, b = 1 - a;
    return a * f[k] + b * f[k + 1] +
           ((a * a * a - a) * second[k] + (b * b * b - b) * second[k + 1]) * h * h / 6;
}

// Nodes at equal distances.
static void spread(surface *s, double distance) {
    double at[MOST], second[MOST], moved[MOST], *const lists[] = {s->x, s->y, s->phi};
    at[0] = 0;
    for (int i = 1; i < s->n; i++) at[i] = at[i - 1] + hypot(s->x[i] - s->x[i - 1], s->y[i] - s->y[i - 1]);
    int n = (int)ceil(at[s->n - 1] / distance) + 1;
    assert_true(n <= MOST);
    for (int a = 0; a < 3; a++) {
        spline(s->n, at, lists[a], second);
        for (int i = 0, k = 0; i < n; i++) {
            double t = at[s->n - 1] * i / (n - 1);
            while (k < s->n - 2 && at[k + 1] < t) k++;
            moved[i] = value_at(at, lists[a], second, k, t);
        }
        memcpy(lists[a], moved, (size_t)n * sizeof *moved);
    }
    s->n = n;
}

// Five points against waves of two nodes, which they remove; mirrored at both ends.
static void smooth(int n, double *f, int at_wall, int on_floor) {
    double out[MOST];
    for (int i = 0; i < n; i++) {
        double near[5];
        for (int k = 0; k < 5; k++) {
            int m = i + k - 2;
            near[k] = m < 0 ? at_wall * f[-m] : m >= n ? on_floor * f[2 * (n - 1) - m] : f[m];
        }
        out[i] = (10 * f[i] + 4 * (near[1] + near[3]) - near[0] - near[4]) / 16;
    }
    memcpy(f, out, (size_t)n * sizeof *out);
}

// A column with a round upper edge.
static void stand(surface *s, double distance) {
    const double r = 0.15;
    s->n = 0;
    for (double t = 0; t < 1 - r; t += 0.02) s->x[s->n] = t, s->y[s->n++] = 2;
    for (int k = 0; k <= 8; k++)
        s->x[s->n] = 1 - r + r * sin(M_PI / 16 * k), s->y[s->n++] = 2 - r + r * cos(M_PI / 16 * k);
    for (double t = 2 - r - 0.02; t > 0.005; t -= 0.02) s->x[s->n] = 1, s->y[s->n++] = t;
    s->x[s->n] = 1, s->y[s->n++] = 0;
    memset(s->phi, 0, sizeof s->phi);
    spread(s, distance);
}

static void flow_on(surface *s, double dt, double distance) {
    static surface rate, middle;
    flow(s, &rate);
    add(s, &rate, dt / 2, &middle);
    flow(&middle, &rate);
    add(s, &rate, dt, s);
    spread(s, distance);
    smooth(s->n, s->x, -1, 1), smooth(s->n, s->y, 1, -1), smooth(s->n, s->phi, 1, 1);
    s->x[0] = 0, s->y[s->n - 1] = 0;
}

static double area_beyond(const surface *s, double from) {
    double area = 0;
    for (int i = 0; i + 1 < s->n; i++) {
        double x0 = s->x[i], x1 = s->x[i + 1], y0 = s->y[i], y1 = s->y[i + 1];
        if (x0 < from && x1 > from) y0 += (y1 - y0) * (from - x0) / (x1 - x0), x0 = from;
        if (x1 < from && x0 > from) y1 += (y0 - y1) * (from - x1) / (x0 - x1), x1 = from;
        if (x0 >= from && x1 >= from) area += (x1 - x0) * (y0 + y1) / 2;
    }
    return area;
}

// What a share of the liquid has passed.
static double passed(const surface *s, double share) {
    double low = 0, high = s->x[s->n - 1], all = area_beyond(s, 0);
    for (int k = 0; k < 50; k++) {
        double middle = (low + high) / 2;
        if (area_beyond(s, middle) > share * all)
            low = middle;
        else
            high = middle;
    }
    return low;
}

enum { TIMES = 6 };
static const double SHARES[2] = {1 / 400.0, 1 / 20.0};
typedef struct course {
    double at[TIMES][2], top[TIMES]; // of `sqrt(a / g)` 0.4, 0.8 ...: places in a
} course;

static course reference(double distance) {
    static surface s;
    course c;
    double dt = distance / 4;
    int each = (int)lround(0.4 / dt);
    dt = 0.4 / each;
    stand(&s, distance);
    double area = area_beyond(&s, 0);
    for (int k = 0; k < TIMES; k++) {
        for (int i = 0; i < each; i++) flow_on(&s, dt, distance);
        for (int q = 0; q < 2; q++) c.at[k][q] = passed(&s, SHARES[q]);
        c.top[k] = s.y[0];
    }
    assert_near(area_beyond(&s, 0), area, 0.003 * area);
    return c;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const pbd *s, double share) {
    static double x[20000];
    size_t n = s->p.count;
    assert_true(n < 20000);
    for (size_t i = 0; i < n; i++) x[i] = s->p.at[i][0];
    qsort(x, n, sizeof *x, by_size);
    return x[n - 1 - (size_t)((double)n * share)];
}

static void test_front_of_an_inviscid_dam(void **state) {
    (void)state;
    const course coarse = reference(0.04), fine = reference(0.03);
    const double a = 0.24, spacing = a / 24, unit = sqrt(a / 9.81);
    wet_world w;
    wet_pool(&w, dvec(0, 0, 0), dvec(a, 2 * a, 6 * spacing), spacing);
    wet_box(&w, dvec(0, 0, 0), dvec(8 * a, 4, 6 * spacing));
    w.world.fps = 1 / (0.4 * unit); // a frame at each time, steps divide it
    w.world.max_step = 0.4 * unit / 16;
    firn_world *world = soft_open(&w);
    double worst = 0, between = 0;
    for (int k = 0; k < TIMES; k++) {
        for (int i = 0; i < 16; i++) assert_ok(firn_world_step(world));
        for (int q = 0; q < 2; q++) {
            double x = quantile(soft_model(world), SHARES[q]) / a;
            worst = fmax(worst, fabs(x / fine.at[k][q] - 1));
            between = fmax(between, fabs(coarse.at[k][q] / fine.at[k][q] - 1));
            print_message("%.1f: %.4f has passed %.3f, by potential flow %.3f (coarser %.3f)\n",
                          0.4 * (k + 1), SHARES[q], x, fine.at[k][q], coarse.at[k][q]);
        }
    }
    print_message("off by %.3f at most; the reference by %.3f\n", worst, between);
    assert_true(between < 0.01);
    assert_true(worst < 0.03);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_front_of_an_inviscid_dam)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
