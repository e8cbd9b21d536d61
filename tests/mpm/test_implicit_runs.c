// firn-test: slow
// The semi-implicit step over longer runs: against the explicit one, closed forms and contacts.
#include "mpm/snow.h"

#include "mpm/mpm_implicit.h"
#include "world/world.h"

static void *model_of(const firn_world *world, const char *name) {
    for (size_t i = 0; i < world_model_count(world); i++)
        if (strcmp(world_model_class(world, i)->name, name) == 0) return world_model(world, i);
    fail_msg("there is no such model in this world");
    return NULL;
}

// ---- small steps

// An elastic box bounces; returns the positions after 20 ms.
static double *bounce(double implicit, double step, size_t *count) {
    snow_world w;
    snow_box(&w, (firn_vec3){0.4, 0.3, 0.3}, (firn_vec3){0, 0.17, 0}, 0.1);
    snow_floor(&w, 0.3, 0);
    w.snow.velocity = (firn_vec3){1, -2, 0};
    w.snow.young = 3e5;
    w.snow.critical_compression = w.snow.critical_stretch = 0.5;
    w.mpm.implicit = implicit;
    w.mpm.implicit_tolerance = 1e-5;
    w.mpm.max_step = step;
    firn_world *world = snow_open(&w);
    assert_ok(firn_world_advance(world, 0.02));
    firn_field x = firn_world_field(world, "mpm.position"), id = firn_world_field(world, "mpm.id");
    double *out = malloc(3 * x.count * sizeof *out);
    for (size_t i = 0; i < x.count; i++)
        memcpy(out + 3 * ((const uint32_t *)id.data)[i], (const double *)x.data + 3 * i, 3 * sizeof *out);
    *count = 3 * x.count;
    firn_world_close(world);
    return out;
}

static void test_small_steps_tend_to_the_explicit_ones(void **state) {
    (void)state;
    double apart[2];
    for (int i = 0; i < 2; i++) {
        double step = i ? 5e-5 : 2e-4, sum = 0;
        size_t n, m;
        double *a = bounce(0, step, &n), *b = bounce(1, step, &m);
        assert_int_equal(n, m);
        for (size_t k = 0; k < n; k++) sum += (double)(a[k] - b[k]) * (a[k] - b[k]);
        apart[i] = sqrt(sum / (double)n);
        free(a);
        free(b);
    }
    assert_true(apart[0] < 1e-3); // of motions of 4 cm
    assert_true(apart[1] < 0.5 * apart[0]);
}

// ---- long steps

// Steps of 0.5 ms whatever the model would like; the largest speed on the way, and the root mean square of
// speeds in its last quarter, when at most crumbs at the edges still move.
typedef struct speeds {
    double all, late;
} speeds;

static double usual_speed(const mpm_state *s) {
    double sum = 0;
    for (size_t k = 0; k < s->p.count; k++)
        for (int a = 0; a < 3; a++) sum += (double)s->p.v[k][a] * s->p.v[k][a];
    return sqrt(sum / (double)s->p.count);
}

static double fastest_of(const mpm_state *s) {
    double most = 0;
    for (size_t k = 0; k < s->p.count; k++) {
        double v2 = 0;
        for (int a = 0; a < 3; a++) v2 += (double)s->p.v[k][a] * s->p.v[k][a];
        if (!(v2 <= most)) most = v2 < 1e12 ? v2 : INFINITY;
    }
    return sqrt(most);
}

static speeds drop_with_long_steps(double implicit) {
    enum { STEPS = 320 }; // it hops once or twice
    snow_world w;
    snow_box(&w, (firn_vec3){0.024, 0.024, 0.024}, (firn_vec3){0, 0.015, 0}, 0.003);
    snow_floor(&w, 0.5, 0);
    w.snow.velocity = (firn_vec3){0, -0.3, 0};
    w.mpm.implicit = implicit;
    firn_world *world = snow_open(&w);
    mpm_state *s = model_of(world, "mpm");
    body_set *bodies = model_of(world, "bodies");
    speeds out = {0, 0};
    for (int i = 0; i < STEPS && out.all < 100; i++) {
        firn_status status = mpm_step(s, bodies, (model_step){5e-4 * i, 5e-4, (uint64_t)i, 0, NULL});
        out.all = fmax(out.all, fastest_of(s));
        assert_true(status == FIRN_OK || out.all > 100); // what flies apart is pressed beyond any density
        if (i >= STEPS * 3 / 4) out.late = fmax(out.late, usual_speed(s));
    }
    firn_world_close(world);
    return out;
}

// Packed snow in cells of 3 mm: explicitly stable below 0.07 ms.
static void test_stable_where_the_explicit_step_is_not(void **state) {
    (void)state;
    assert_true(drop_with_long_steps(0).all > 100); // it flies apart
    for (int i = 0; i < 2; i++) {
        speeds s = drop_with_long_steps(i ? 1 : 0.5);
        if (getenv("FIRN_TEST_SHOW")) print_message("%g %g\n", s.all, s.late);
        assert_true(s.all < 0.5);   // 0.37 m/s at the floor
        assert_true(s.late < 0.03); // a tenth of it
    }
}

// ---- the hare

static void hare_path(double implicit, double step, firn_vec3 *path, int points) {
    snow_world w;
    snow_box(&w, (firn_vec3){1, 1, 1}, (firn_vec3){0, 0.6, 0}, 0.15);
    w.snow.fill.shape = (firn_shape_def){.kind = FIRN_SHAPE_HARE, .height = 3.4};
    w.snow.young = 1e6;
    w.snow.poisson = 0.25;
    w.snow.velocity = (firn_vec3){0, -4, 0};
    snow_floor(&w, 0.4, 0);
    w.mpm.implicit = implicit;
    w.mpm.max_step = step;
    firn_world *world = snow_open(&w);
    for (int i = 0; i < points; i++) {
        assert_ok(firn_world_advance(world, 0.05));
        path[i] = snow_mean(world, "mpm.position");
    }
    firn_world_close(world);
}

// The hare's feet meet the floor after 0.14 s. Its middle, 0.8 m above the floor in the end, is compared.
static void test_same_path_of_the_hare(void **state) {
    (void)state;
    enum { POINTS = 13 };
    firn_vec3 plain[POINTS], solved[POINTS];
    hare_path(0, 0, plain, POINTS);
    for (int i = 0; i < 2; i++) {
        hare_path(i ? 1 : 0.5, 5e-4, solved, POINTS);
        for (int k = 0; k < POINTS; k++) {
            double near = 0.02 * plain[k].y;
            if (getenv("FIRN_TEST_SHOW"))
                print_message("%.2f s: %.4f against %.4f m\n", 0.05 * (k + 1), solved[k].y, plain[k].y);
            assert_near(solved[k].x, plain[k].x, near);
            assert_near(solved[k].y, plain[k].y, near);
            assert_near(solved[k].z, plain[k].z, near);
        }
    }
}

// ---- contacts

static double slide_of(double slope, double friction, double implicit, double step) {
    snow_world w;
    snow_box(&w, (firn_vec3){0.6, 0.2, 0.4}, (firn_vec3){0, 0, 0}, 0.05);
    w.snow.fill.rotate.z = -slope;
    w.snow.fill.at = (firn_vec3){0.1 * sin(slope), 0.1 * cos(slope), 0};
    w.snow.young = 1e6;
    w.mpm.implicit = implicit;
    w.mpm.max_step = step;
    snow_floor(&w, friction, slope);
    firn_world *world = snow_open(&w);
    assert_ok(firn_world_advance(world, 0.1)); // settle
    firn_vec3 a = snow_mean(world, "mpm.velocity");
    assert_ok(firn_world_advance(world, 0.3));
    firn_vec3 b = snow_mean(world, "mpm.velocity");
    firn_world_close(world);
    return ((b.x - a.x) * cos(slope) - (b.y - a.y) * sin(slope)) / 0.3;
}

static void test_block_on_an_incline(void **state) {
    (void)state;
    double slope = 0.6, friction = 0.3; // tan 0.6 = 0.684
    double expected = 9.81 * (sin(slope) - friction * cos(slope));
    for (int i = 0; i < 2; i++) {
        double implicit = i ? 1 : 0.5, step = i ? 2e-3 : 5e-4;
        double slides = slide_of(slope, friction, implicit, step), stays = slide_of(0.2, 0.5, implicit, step);
        if (getenv("FIRN_TEST_SHOW"))
            print_message("beta %g, %g s: %.4f of %.4f, %.4f\n", implicit, step, slides, expected, stays);
        assert_near(slides, expected, 0.01 * expected);
        assert_near(stays, 0, 0.03); // tan 0.2 = 0.203 < 0.5
    }
}

// Snow flies against a box in free space: what one loses the other gains.
static void meet_box(double density, double *before, double *after, double *box_speed) {
    snow_world w;
    snow_box(&w, (firn_vec3){0.3, 0.3, 0.3}, (firn_vec3){-0.2, 0, 0}, 0.05);
    w.world.gravity = (firn_vec3){0, 0, 0};
    w.snow.velocity = (firn_vec3){3, 0, 0};
    w.snow.young = 1e6;
    w.mpm.implicit = 1;
    w.mpm.max_step = 1e-3;
    firn_body_def box = firn_body_def_default();
    box.name = "box";
    box.shape.kind = FIRN_SHAPE_BOX;
    box.shape.size = (firn_vec3){0.2, 0.4, 0.4};
    box.at = (firn_vec3){0.1, 0, 0};
    box.density = density;
    box.motion.kind = FIRN_MOTION_DYNAMIC;
    w.world.bodies.items = &box;
    w.world.bodies.count = 1;
    firn_world *world = snow_open(&w);
    *before = snow_ledger(world).momentum.x;
    assert_ok(firn_world_advance(world, 0.3));
    *box_speed = 0;
    *after = 0;
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) {
        firn_ledger l = firn_world_ledger(world, i);
        *after += l.momentum.x;
        if (strcmp(l.model, "bodies") == 0) *box_speed = l.max_speed;
    }
    firn_world_close(world);
}

static void test_momentum_goes_to_a_dynamic_body(void **state) {
    (void)state;
    const double densities[] = {1000, 100, 10};
    for (int i = 0; i < 3; i++) {
        double before, after, speed;
        meet_box(densities[i], &before, &after, &speed);
        if (getenv("FIRN_TEST_SHOW"))
            print_message("%g kg/m3: %.4f to %.4f, %.3f m/s\n", densities[i], before, after, speed);
        assert_near(after / before, 1, 2e-5);
        assert_true(speed < 6.1); // an elastic blow gives a light body twice the speed of the snow
    }
}

// Packed snow in coarse cells, steps of 4 ms: it used to creep by 0.5 to 1 mm/s.
static void test_a_block_at_rest_stays(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        snow_world w;
        snow_box(&w, (firn_vec3){0.6, 0.4, 0.6}, (firn_vec3){0, 0.2, 0}, 0.1);
        snow_floor(&w, 0.5, 0);
        w.mpm.implicit = i ? 1 : 0.5;
        firn_world *world = snow_open(&w);
        assert_ok(firn_world_advance(world, 2));
        firn_vec3 a = snow_mean(world, "mpm.position");
        assert_ok(firn_world_advance(world, 18));
        firn_vec3 b = snow_mean(world, "mpm.position");
        if (getenv("FIRN_TEST_SHOW"))
            print_message("beta %g: %.2f %.2f %.2f mm in 18 s\n", w.mpm.implicit, 1e3 * (b.x - a.x),
                          1e3 * (b.y - a.y), 1e3 * (b.z - a.z));
        double hundredth = 0.001; // of a cell; 0.06 mm/s
        assert_near(b.x, a.x, 2 * hundredth);
        assert_near(b.y, a.y, hundredth);
        assert_near(b.z, a.z, 2 * hundredth);
        firn_world_close(world);
    }
}

// Snow that flows beside it does not make a hard slab shake.
static void test_a_slab_beside_a_heap_stays(void **state) {
    (void)state;
    static const char scene[] =
        "firn: 1\nduration: 9 s\nbodies: {floor: {shape: plane}}\n"
        "mpm: {cell: 10 cm, implicit: 1, snow: {slab: {shape: {box: {size: [1, 0.4, 1]}}, at: [0, 0.2, 0], "
        "type: slab}, heap: {shape: {cylinder: {radius: 30 cm, length: 30 cm}}, at: [2, 0.15, 0], "
        "type: powder}}}\n";
    firn_world *world;
    assert_ok(firn_world_open_text(scene, "slab and heap", &world));
    double fastest = 0;
    for (int k = 0; k < 10; k++) {
        assert_ok(firn_world_advance(world, 0.1));
        firn_field place = firn_world_field(world, "mpm.position"),
                   v = firn_world_field(world, "mpm.velocity");
        for (size_t i = 0; i < place.count; i++)
            if (((const double *)place.data)[3 * i] < 1)
                fastest = fmax(fastest, fabs((double)((const float *)v.data)[3 * i + 1]));
    }
    print_message("a slab beside a heap: at most %.3f m/s\n", fastest);
    assert_true(fastest < 0.1); // undamped: 1 m/s
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_steps_tend_to_the_explicit_ones),
        cmocka_unit_test(test_stable_where_the_explicit_step_is_not),
        cmocka_unit_test(test_same_path_of_the_hare),
        cmocka_unit_test(test_block_on_an_incline),
        cmocka_unit_test(test_momentum_goes_to_a_dynamic_body),
        cmocka_unit_test(test_a_block_at_rest_stays),
        cmocka_unit_test(test_a_slab_beside_a_heap_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
