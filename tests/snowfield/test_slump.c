// firn-test: slow
// Slopes: a poured heap has its angle all round, nothing is lost, and no order of work shows.
#include "snowfield/snowfield_world.h"

#define DEG (3.14159265358979 / 180)

static void heap(snowfield_world *w, int n, double angle) {
    snowfield_setup(w, n);
    w->field.depth = 0;
    w->field.slope_loose = w->field.slope_packed = angle;
    w->pour.rate = 2;
    w->pour.radius = 0.03;
    w->field.pour.items = &w->pour;
    w->field.pour.count = 1;
}

// Angle of the flank in direction `way`, between a third and two thirds of the height, by a straight line.
static double flank(const snowfield_map *m, double way) {
    double top = map_top(m, m->nx / 2, m->nz / 2), sr = 0, sh = 0, srr = 0, srh = 0, n = 0;
    for (double r = 0; r < m->nx / 2 - 2; r += 0.25) {
        int x = (int)floor(m->nx / 2 + 0.5 + r * cos(way)), z = (int)floor(m->nz / 2 + 0.5 + r * sin(way));
        double at = hypot(x - m->nx / 2, z - m->nz / 2) * m->cell, h = map_top(m, x, z);
        if (h < top / 3 || h > top * 2 / 3) continue;
        sr += at, sh += h, srr += at * at, srh += at * h, n++;
    }
    return -atan((n * srh - sr * sh) / (n * srr - sr * sr));
}

static void test_heap_has_its_angle_all_round(void **state) {
    (void)state;
    const double angles[] = {20 * DEG, 35 * DEG, 50 * DEG};
    for (int k = 0; k < 3; k++) {
        snowfield_world w;
        heap(&w, 121, angles[k]);
        firn_world *world = snowfield_open(&w);
        step_field(world, 250);
        snowfield_map m = map_of(world);
        for (int i = 0; i < 24; i++) {
            double a = flank(&m, i * 15 * DEG);
            if (fabs(a - angles[k]) > 2 * DEG)
                fail_msg("limit %.1f: %.2f degrees in direction %d", angles[k] / DEG, a / DEG, i * 15);
        }
        map_free(&m);
        firn_world_close(world);
    }
}

static double steepest(const snowfield_map *m) {
    double worst = 0;
    for (int z = 1; z < m->nz - 1; z++)
        for (int x = 1; x < m->nx - 1; x++)
            for (int k = 0; k < 9; k++) {
                int dx = k % 3 - 1, dz = k / 3 - 1;
                if (k == 4 || m->depth[z * m->nx + x] < 2e-5) continue;
                double fall = map_top(m, x, z) - map_top(m, x + dx, z + dz);
                worst = fmax(worst, fall / (m->cell * hypot(dx, dz)));
            }
    return worst;
}

static void test_settled_slopes_keep_the_limit(void **state) {
    (void)state;
    snowfield_world w;
    heap(&w, 100, 40 * DEG);
    firn_world *world = snowfield_open(&w);
    step_field(world, 100);
    snowfield_map m = map_of(world);
    assert_true(steepest(&m) <= tan(40 * DEG) + 1e-3);
    map_free(&m);
    firn_world_close(world);
}

static void test_mass_is_what_was_poured(void **state) {
    (void)state;
    snowfield_world w;
    heap(&w, 40, 30 * DEG);
    w.field.border = FIRN_SNOWFIELD_OPEN; // it spreads beyond the border
    w.pour.rate = 20;
    firn_world *world = snowfield_open(&w);
    step_field(world, 200);
    firn_ledger l = snowfield_ledger_of(world);
    assert_near(l.mass_in, 20 * firn_world_time(world), 1e-3);
    assert_true(l.mass_out > 1);
    assert_near(l.mass + l.mass_out, l.mass_in, 1e-9);
    firn_world_close(world);
}

static uint64_t hash_of_map(const firn_world *world) {
    snowfield_map m = map_of(world);
    uint64_t hash = 1469598103934665603u;
    const double *lists[] = {m.depth, m.density};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < (size_t)(m.nx * m.nz); i++) {
            uint64_t bits;
            memcpy(&bits, &lists[k][i], sizeof bits);
            hash = (hash ^ bits) * 1099511628211u;
        }
    map_free(&m);
    return hash;
}

static void test_tiles_and_threads_do_not_show(void **state) {
    (void)state;
    uint64_t hashes[8];
    size_t count = 0;
    for (int run = 0; run < 6; run++) {
        snowfield_world w;
        heap(&w, 150, 30 * DEG);
        w.field.depth = 0.05;
        w.pour.at = (firn_vec3){0.3, 0, -0.2};
        w.field.tile = run == 4 ? 16 : run == 5 ? 32 : 64;
        firn_set_threads(run == 0 ? 1 : run == 1 ? 2 : run == 2 ? 3 : 8);
        firn_world *world = snowfield_open(&w);
        step_field(world, 60);
        hashes[count++] = hash_of_map(world);
        firn_world_close(world);
    }
    firn_set_threads(0);
    for (size_t i = 1; i < count; i++) assert_true(hashes[i] == hashes[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_heap_has_its_angle_all_round),
                                       cmocka_unit_test(test_settled_slopes_keep_the_limit),
                                       cmocka_unit_test(test_mass_is_what_was_poured),
                                       cmocka_unit_test(test_tiles_and_threads_do_not_show)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
