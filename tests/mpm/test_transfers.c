// APIC, FLIP and PIC: what each conserves.
#include "mpm/snow.h"

// Angular momentum of the particles alone, about the middle.
static double turning(const firn_world *world) {
    firn_field x = firn_world_field(world, "mpm.position"), v = firn_world_field(world, "mpm.velocity");
    firn_vec3 middle = snow_mean(world, "mpm.position");
    const double *p = x.data;
    const float *q = v.data;
    double sum = 0;
    for (size_t i = 0; i < x.count; i++, p += 3, q += 3)
        sum += ((double)p[0] - middle.x) * (double)q[1] - ((double)p[1] - middle.y) * (double)q[0];
    return sum;
}

static firn_world *spinning_box(firn_mpm_kernel kernel, firn_mpm_transfer transfer, double share) {
    snow_world w;
    snow_box(&w, (firn_vec3){0.6, 0.4, 0.4}, (firn_vec3){0.03, 0.01, 0}, 0.1);
    w.world.gravity = (firn_vec3){0, 0, 0};
    w.snow.velocity = (firn_vec3){2, -1, 0.5};
    w.snow.spin = (firn_vec3){0, 0, 3};
    w.snow.critical_stretch = w.snow.critical_compression = 0.2; // elastic
    w.mpm.kernel = kernel;
    w.mpm.transfer = transfer;
    w.mpm.flip_share = share;
    return snow_open(&w);
}

// Share of the spin that is left after 0.1 s; mass and momentum are checked on the way.
static double spin_left(firn_mpm_kernel kernel, firn_mpm_transfer transfer, double share) {
    firn_world *world = spinning_box(kernel, transfer, share);
    firn_ledger a = snow_ledger(world);
    double before = turning(world);
    assert_ok(firn_world_advance(world, 0.1));
    firn_ledger b = snow_ledger(world);
    assert_true(a.mass == b.mass);
    assert_near(b.momentum.x, a.momentum.x, 1e-5 * 3 * a.mass);
    assert_near(b.momentum.y, a.momentum.y, 1e-5 * 3 * a.mass);
    assert_near(b.momentum.z, a.momentum.z, 1e-5 * 3 * a.mass);
    double left = turning(world) / before;
    firn_world_close(world);
    return left;
}

static void test_flip_keeps_rotation_better_than_pic(void **state) {
    (void)state;
    for (firn_mpm_kernel kernel = FIRN_MPM_CUBIC; kernel <= FIRN_MPM_QUADRATIC; kernel++) {
        double pic = spin_left(kernel, FIRN_MPM_FLIP, 0), flip = spin_left(kernel, FIRN_MPM_FLIP, 0.95),
               pure = spin_left(kernel, FIRN_MPM_FLIP, 1), apic = spin_left(kernel, FIRN_MPM_APIC, 0.95);
        print_message("kernel %d: pic %.3f, flip %.3f, pure flip %.4f, apic %.4f\n", kernel, pic, flip, pure,
                      apic);
        assert_true(pic < 0.3);
        assert_true(flip > 0.5 && flip < pure);
        assert_true(pure > 0.9);
        assert_true(apic > 0.95);
    }
}

// Under gravity, on a slope: the same slide as with APIC.
static void test_flip_slides_as_it_should(void **state) {
    (void)state;
    double slope = 0.6, friction = 0.3, expected = 9.81 * (sin(slope) - friction * cos(slope));
    snow_world w;
    snow_box(&w, (firn_vec3){0.8, 0.4, 0.6}, (firn_vec3){0.2 * sin(slope), 0.2 * cos(slope), 0}, 0.1);
    w.snow.fill.rotate.z = -slope;
    w.snow.young = 1e6;
    w.mpm.transfer = FIRN_MPM_FLIP;
    snow_floor(&w, friction, slope);
    firn_world *world = snow_open(&w);
    assert_ok(firn_world_advance(world, 0.1));
    firn_vec3 a = snow_mean(world, "mpm.velocity");
    assert_ok(firn_world_advance(world, 0.3));
    firn_vec3 b = snow_mean(world, "mpm.velocity");
    assert_near(((b.x - a.x) * cos(slope) - (b.y - a.y) * sin(slope)) / 0.3, expected, 0.05 * expected);
    assert_true(snow_inside(world) == 0);
    firn_world_close(world);
}

static void test_flip_has_the_same_bits_on_any_threads(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; threads += 2) {
        firn_set_threads(threads);
        firn_world *world = spinning_box(FIRN_MPM_CUBIC, FIRN_MPM_FLIP, 0.95);
        for (int i = 0; i < 40; i++) assert_ok(firn_world_step(world));
        if (threads == 1) first = firn_world_hash(world);
        assert_true(firn_world_hash(world) == first);
        firn_world_close(world);
    }
    firn_set_threads(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flip_keeps_rotation_better_than_pic),
        cmocka_unit_test(test_flip_slides_as_it_should),
        cmocka_unit_test(test_flip_has_the_same_bits_on_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
