// APIC, FLIP, ASFLIP and PIC: what each conserves.
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
        assert_true(spin_left(kernel, FIRN_MPM_ASFLIP, FIRN_AUTO) > 0.95);
    }
}

static const struct {
    firn_mpm_transfer transfer;
    double implicit;
} all_steps[] = {{FIRN_MPM_APIC, 0}, {FIRN_MPM_FLIP, 0}, {FIRN_MPM_ASFLIP, 0}, {FIRN_MPM_APIC, 0.5}};
enum { ALL_STEPS = sizeof all_steps / sizeof all_steps[0] };

// The fall of a block is a parabola whatever the step.
static void test_every_transfer_falls_along_a_parabola(void **state) {
    (void)state;
    for (int i = 0; i < ALL_STEPS; i++) {
        snow_world w;
        snow_box(&w, (firn_vec3){0.4, 0.4, 0.4}, (firn_vec3){0, 1, 0}, 0.1);
        w.mpm.transfer = all_steps[i].transfer;
        w.mpm.implicit = all_steps[i].implicit;
        firn_world *world = snow_open(&w);
        double start = snow_mean(world, "mpm.position").y;
        assert_ok(firn_world_advance(world, 0.25));
        assert_near(start - snow_mean(world, "mpm.position").y, 0.5 * 9.81 * 0.25 * 0.25, 1e-5);
        assert_near(snow_mean(world, "mpm.velocity").y, -9.81 * 0.25, 1e-5);
        firn_world_close(world);
    }
}

// Elastic energy of the particles for Poisson's ratio 0.2, from the strain e = F F^T - 1: the stretch is
// sqrt(1 + e), about 1 + e/2 - e^2/8.
static double elastic_energy(const firn_world *world, double young, double volume) {
    firn_field f = firn_world_field(world, "mpm.elastic");
    double mu = young / 2.4, lambda = young * 0.2 / (1.2 * 0.6), sum = 0;
    const float *e = f.data;
    for (size_t i = 0; i < f.count; i++, e += 6) {
        const double m[3][3] = {{(double)e[0], (double)e[1], (double)e[2]},
                                {(double)e[1], (double)e[3], (double)e[4]},
                                {(double)e[2], (double)e[4], (double)e[5]}};
        double trace = 0, squares = 0;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                double s = m[a][b] / 2;
                for (int c = 0; c < 3; c++) s -= m[a][c] * m[c][b] / 8;
                squares += s * s;
                trace += a == b ? s : 0;
            }
        sum += mu * squares + lambda / 2 * trace * trace;
    }
    return sum * volume / (double)f.count;
}

// An elastic cube of 40 cm falls 40 cm: its share of the energy at the top of the first bounce. `most` is the
// largest energy on the way.
static double energy_after_bounce(firn_mpm_transfer transfer, double *most) {
    double young = 2e5, edge = 0.4, fall = 0.4;
    snow_world w;
    snow_box(&w, (firn_vec3){edge, edge, edge}, (firn_vec3){0, fall + edge / 2, 0}, edge / 8);
    w.snow.young = young;
    w.snow.poisson = 0.2;
    w.snow.hardening = 0;
    w.snow.critical_compression = w.snow.critical_stretch = 0.9;
    w.mpm.transfer = transfer;
    snow_floor(&w, 0.4, 0);
    firn_world *world = snow_open(&w);
    firn_ledger l = snow_ledger(world);
    double weight = 9.81 * l.mass, first = weight * fall, energy = first, speed = -1;
    *most = 0;
    for (int i = 0; i < 200 && (i < 70 || speed > 0); i++) { // it turns at 0.3 s
        assert_ok(firn_world_advance(world, 0.005));
        l = snow_ledger(world);
        energy =
            l.kinetic + l.potential - weight * edge / 2 + elastic_energy(world, young, edge * edge * edge);
        speed = l.momentum.y;
        *most = fmax(*most, energy / first);
        assert_true(snow_inside(world) == 0);
    }
    assert_true(speed <= 0 && firn_world_time(world) > 0.4);
    firn_world_close(world);
    return energy / first;
}

static void test_asflip_keeps_energy(void **state) {
    (void)state;
    double most[3], apic = energy_after_bounce(FIRN_MPM_APIC, &most[0]),
                    flip = energy_after_bounce(FIRN_MPM_FLIP, &most[1]),
                    asflip = energy_after_bounce(FIRN_MPM_ASFLIP, &most[2]);
    print_message("energy after a bounce: apic %.3f, flip %.3f, asflip %.3f\n", apic, flip, asflip);
    assert_true(asflip > 0.6 && asflip > apic && asflip > flip);
    for (int i = 0; i < 3; i++) assert_true(most[i] < 1.005);
}

// Two halves of a block fly apart: how many particles stay behind between them?
static size_t left_between(firn_mpm_transfer transfer) {
    snow_world w;
    snow_box(&w, (firn_vec3){0.4, 0.4, 0.4}, (firn_vec3){-0.2, 0, 0}, 0.05);
    w.world.gravity = (firn_vec3){0, 0, 0};
    w.mpm.transfer = transfer;
    firn_mpm_snow_def both[2] = {w.snow, w.snow};
    both[0].velocity.x = -1;
    both[1].name = "other";
    both[1].fill.at.x = 0.2;
    both[1].velocity.x = 1;
    w.mpm.snow.items = both;
    w.mpm.snow.count = 2;
    firn_world *world = snow_open(&w);
    assert_ok(firn_world_advance(world, 0.2));
    firn_field x = firn_world_field(world, "mpm.position");
    size_t behind = 0;
    for (size_t i = 0; i < x.count; i++) behind += fabs(((const double *)x.data)[3 * i]) < 0.15;
    firn_world_close(world);
    return behind;
}

static void test_asflip_lets_broken_snow_come_apart(void **state) {
    (void)state;
    size_t apic = left_between(FIRN_MPM_APIC), asflip = left_between(FIRN_MPM_ASFLIP);
    print_message("left between: apic %zu, asflip %zu\n", apic, asflip);
    assert_true(apic > 300 && asflip < apic / 5);
}

// Packed snow dropped on the floor comes to rest, outside of it, and stays.
static void test_asflip_comes_to_rest(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.4, 0.4, 0.4}, (firn_vec3){0, 0.3, 0}, 0.1);
    w.mpm.transfer = FIRN_MPM_ASFLIP;
    snow_floor(&w, 0.4, 0);
    firn_world *world = snow_open(&w);
    assert_ok(firn_world_advance(world, 4));
    double before = snow_mean(world, "mpm.position").y;
    assert_ok(firn_world_advance(world, 4));
    assert_true(snow_ledger(world).max_speed < 5e-3);
    assert_near(snow_mean(world, "mpm.position").y, before, 1e-4);
    assert_true(snow_inside(world) == 0);
    firn_world_close(world);
}

// Under gravity, on a slope: the same slide as with APIC.
static void check_slide(firn_mpm_transfer transfer) {
    double slope = 0.6, friction = 0.3, expected = 9.81 * (sin(slope) - friction * cos(slope));
    snow_world w;
    snow_box(&w, (firn_vec3){0.8, 0.4, 0.6}, (firn_vec3){0.2 * sin(slope), 0.2 * cos(slope), 0}, 0.1);
    w.snow.fill.rotate.z = -slope;
    w.snow.young = 1e6;
    w.mpm.transfer = transfer;
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

static void test_flip_slides_as_it_should(void **state) {
    (void)state;
    check_slide(FIRN_MPM_FLIP);
    check_slide(FIRN_MPM_ASFLIP);
}

static void test_flip_has_the_same_bits_on_any_threads(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int i = 0; i < 4; i++) {
        int threads = i % 2 ? 3 : 1;
        firn_set_threads(threads);
        firn_world *world = spinning_box(FIRN_MPM_CUBIC, i < 2 ? FIRN_MPM_FLIP : FIRN_MPM_ASFLIP, FIRN_AUTO);
        for (int k = 0; k < 40; k++) assert_ok(firn_world_step(world));
        if (threads == 1) first = firn_world_hash(world);
        assert_true(firn_world_hash(world) == first);
        firn_world_close(world);
    }
    firn_set_threads(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flip_keeps_rotation_better_than_pic),
        cmocka_unit_test(test_every_transfer_falls_along_a_parabola),
        cmocka_unit_test(test_asflip_keeps_energy),
        cmocka_unit_test(test_asflip_lets_broken_snow_come_apart),
        cmocka_unit_test(test_asflip_comes_to_rest),
        cmocka_unit_test(test_flip_slides_as_it_should),
        cmocka_unit_test(test_flip_has_the_same_bits_on_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
