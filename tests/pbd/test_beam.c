// Elastic solids, cloth and ropes against the theory of elasticity, at several spacings.
#include "pbd/soft.h"

#include "bits.h"
#include "pbd/pbd_material.h"

typedef struct rod {
    soft_world w;
    firn_pbd_pin_def pin;
    int along, layer;       // particles along x, and in a layer across
    double spacing, length; // m; the length from the last pinned layer to the free end
} rod;

// A rod along x whose first two layers are pinned. Gravity is weak, so that it bends little.
static void rod_start(rod *r, int along, int high, int wide, double spacing, firn_vec3 gravity) {
    soft_lattice(&r->w, along, high, wide, spacing);
    r->along = along, r->layer = high * wide, r->spacing = spacing;
    r->length = (along - 1.5) * spacing;
    r->w.world.gravity = gravity;
    r->w.solid.links = FIRN_PBD_ELASTIC;
    r->w.solid.density = 1000;
    r->pin = firn_pbd_pin_def_default();
    r->pin.name = "wall";
    r->pin.where.shape.kind = FIRN_SHAPE_BOX;
    r->pin.where.shape.size = (firn_vec3){1.5 * spacing, 10, 10};
    r->pin.where.at.x = -(along - 2) * spacing / 2;
    r->w.pbd.pins.items = &r->pin;
    r->w.pbd.pins.count = 1;
    r->w.pbd.iterations = 4;
    r->w.pbd.substeps = 20;
    r->w.pbd.damping = 8;
}

// Mean displacement of a layer along an axis.
static double layer_moved(const pbd *s, const rod *r, int layer, int axis) {
    double sum = 0;
    for (int i = 0; i < r->layer; i++) {
        int p = i * r->along + layer;
        sum += s->p.at[p][axis] - (double)s->p.rest[p][axis];
    }
    return sum / r->layer;
}

// Sag of the last layer of a clamped beam with the load q (N/m), bending stiffness b and shear stiffness.
static double beam_theory(const rod *r, double q, double b, double shear) {
    double l = r->length, x = l - r->spacing / 2;
    return q * x * x * (6 * l * l - 4 * l * x + x * x) / (24 * b) + q * (l * x - x * x / 2) / shear;
}

static double sag_after(rod *r, double seconds) {
    firn_world *world = soft_open(&r->w);
    soft_run(world, seconds);
    double sag = -layer_moved(soft_model(world), r, r->along - 1, 1);
    firn_world_close(world);
    return sag;
}

static void beam_start(rod *r, int across) {
    const double height = 0.1, g = 0.5;
    rod_start(r, 8 * across + 2, across, across, height / across, (firn_vec3){0, -g, 0});
    r->w.solid.young = 1e6;
    r->w.solid.poisson = 0.3;
}

static double beam_expected(const rod *r) {
    const double h2 = 0.01, young = 1e6, shear = 5.0 / 6 * h2 * young / (2 * 1.3);
    return beam_theory(r, 1000 * 0.5 * h2, young * h2 * h2 / 12, shear);
}

static void test_a_beam_sags_as_beams_do_at_any_spacing(void **state) {
    (void)state;
    for (int across = 2; across <= 4; across++) {
        rod r;
        beam_start(&r, across);
        double sag = sag_after(&r, 2.5), expected = beam_expected(&r);
        print_message("beam, %d layers: %.4f of theory\n", across, sag / expected);
        assert_near(sag / expected, 1, 0.05);
    }
}

static void test_a_beam_sags_as_much_with_other_steps_and_solvers(void **state) {
    (void)state;
    static const struct {
        int iterations, substeps;
        firn_pbd_solver solver;
        double tolerance;
    } ways[] = {{1, 60, FIRN_PBD_GAUSS_SEIDEL, 0.06},
                {8, 10, FIRN_PBD_GAUSS_SEIDEL, 0.06},
                {20, 50, FIRN_PBD_JACOBI, 0.06}}; // the same sums as by particle
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        rod r;
        beam_start(&r, 2);
        r.w.pbd.iterations = ways[k].iterations;
        r.w.pbd.substeps = ways[k].substeps;
        r.w.pbd.solver = ways[k].solver;
        double sag = sag_after(&r, 2.5), expected = beam_expected(&r);
        print_message("beam, %d iterations of %d sub-steps: %.4f of theory\n", ways[k].iterations,
                      ways[k].substeps, sag / expected);
        assert_near(sag / expected, 1, ways[k].tolerance);
    }
}

// It hangs along x from its clamped end and stretches by its own weight.
static void test_a_bar_has_its_young_modulus_and_poisson_ratio(void **state) {
    (void)state;
    for (int across = 2; across <= 4; across += 2) {
        rod r;
        const double g = 20, young = 1e6, poisson = 0.4;
        rod_start(&r, 6 * across + 2, across, across, 0.1 / across, (firn_vec3){g, 0, 0});
        r.w.solid.young = young;
        r.w.solid.poisson = poisson;
        firn_world *world = soft_open(&r.w);
        soft_run(world, 1.5);
        const pbd *s = soft_model(world);
        int low = 1 + 2 * across, high = 1 + 5 * across;
        double a = (low - 1) * r.spacing, b = (high - 1) * r.spacing, l = r.length, unit = 1000 * g / young;
        double stretch = layer_moved(s, &r, high, 0) - layer_moved(s, &r, low, 0);
        double expected = unit * (l * (b - a) - (b * b - a * a) / 2);
        // Width between the outer particles of a layer in the middle.
        int middle = 1 + 3 * across, first = middle, last = (across - 1) * r.along + middle;
        double width = (across - 1) * r.spacing, wider = s->p.at[last][1] - s->p.at[first][1] - width;
        double thinner = poisson * unit * (l - 3 * across * r.spacing) * width;
        print_message("bar, %d layers: stretch %.4f, contraction %.4f of theory\n", across,
                      stretch / expected, -wider / thinner);
        assert_near(stretch / expected, 1, 0.05);
        assert_near(-wider / thinner, 1, 0.1);
        firn_world_close(world);
    }
}

static void test_cloth_stretches_and_bends_in_real_units(void **state) {
    (void)state;
    for (int wide = 3; wide <= 6; wide += 3) {
        rod r;
        const double young = 1e6, thickness = 0.002, g = 5;
        rod_start(&r, 7 * wide + 2, 1, wide, 0.12 / wide, (firn_vec3){g, 0, 0});
        r.w.solid.young = young;
        r.w.solid.thickness = thickness;
        r.w.pbd.iterations = 8;
        firn_world *world = soft_open(&r.w);
        soft_run(world, 1.5);
        double x = (r.along - 2) * r.spacing, expected = 1000 * g / young * (r.length * x - x * x / 2);
        double stretch = layer_moved(soft_model(world), &r, r.along - 1, 0);
        print_message("cloth, %d wide: stretch %.4f of theory\n", wide, stretch / expected);
        assert_near(stretch / expected, 1, 0.05);
        firn_world_close(world);

        const double bending = 3;
        r.w.world.gravity = (firn_vec3){0, -1, 0};
        r.w.solid.bending = bending;
        r.w.pbd.iterations = 16;
        r.w.pbd.substeps = 40;
        double sag = sag_after(&r, 2.5);
        expected = beam_theory(&r, 1000 * thickness * 1, bending, INFINITY);
        print_message("cloth, %d wide: sag %.4f m, %.4f of theory\n", wide, sag, sag / expected);
        assert_near(sag / expected, 1, 0.05);
    }
}

static void test_a_rope_stretches_and_bends_in_real_units(void **state) {
    (void)state;
    for (int along = 12; along <= 22; along += 10) {
        rod r;
        const double young = 1e6, diameter = 0.02, g = 5, area = M_PI / 4 * diameter * diameter;
        rod_start(&r, along, 1, 1, 0.5 / (along - 2), (firn_vec3){g, 0, 0});
        r.w.solid.young = young;
        r.w.solid.thickness = diameter;
        firn_world *world = soft_open(&r.w);
        soft_run(world, 1.5);
        double x = (r.along - 2) * r.spacing, expected = 1000 * g / young * (r.length * x - x * x / 2);
        double stretch = layer_moved(soft_model(world), &r, r.along - 1, 0);
        print_message("rope of %d: stretch %.4f of theory\n", along, stretch / expected);
        assert_near(stretch / expected, 1, 0.05);
        firn_world_close(world);

        const double bending = 0.2;
        r.w.world.gravity = (firn_vec3){0, -2, 0};
        r.w.solid.bending = bending;
        r.w.pbd.iterations = 16;
        r.w.pbd.substeps = 40;
        double sag = sag_after(&r, 2.5);
        expected = beam_theory(&r, 1000 * area * 2, bending, INFINITY);
        print_message("rope of %d: sag %.4f m, %.4f of theory\n", along, sag, sag / expected);
        assert_near(sag / expected, 1, 0.05);
    }
}

// A ball of cells and of particles in none: turning, it keeps its shape and its momentum.
static firn_world *turning_ball(void) {
    soft_world w;
    soft_start(&w);
    w.solid = firn_pbd_solid_def_default();
    w.solid.name = "ball";
    w.solid.fill.shape.kind = FIRN_SHAPE_SPHERE;
    w.solid.fill.shape.radius = 0.2;
    w.solid.spacing = 0.045;
    w.solid.material = FIRN_PBD_RUBBER;
    w.solid.spin = (firn_vec3){0.3, 0.6, 0.9};
    w.solid.velocity = (firn_vec3){0.3, 0.2, 0.1};
    w.solid.fill.rotate = (firn_vec3){0.3, 0.2, 0.1};
    w.pbd.solids.items = &w.solid;
    w.pbd.solids.count = 1;
    w.pbd.substeps = 5;
    w.world.gravity = (firn_vec3){0};
    return soft_open(&w);
}

static void sum_momentum(const pbd *s, firn_vec3 *linear, firn_vec3 *angular) {
    *linear = *angular = (firn_vec3){0};
    for (size_t i = 0; i < s->p.count; i++) {
        firn_vec3 v = pbd_at(s->p.v[i]);
        *linear = dvec_add(*linear, v);
        *angular = dvec_add(*angular, dvec_cross(pbd_place(s, i), v));
    }
}

static void test_a_turning_ball_keeps_its_momentum(void **state) {
    (void)state;
    firn_world *world = turning_ball();
    const pbd *s = soft_model(world);
    firn_vec3 linear, angular, linear_before, angular_before;
    soft_run(world, 0.1);
    sum_momentum(s, &linear_before, &angular_before);
    soft_run(world, 0.5);
    sum_momentum(s, &linear, &angular);
    print_message("momentum %.2g, angular %.2g\n", dvec_distance(linear, linear_before) / dvec_length(linear),
                  dvec_distance(angular, angular_before) / dvec_length(angular));
    assert_true(dvec_distance(linear, linear_before) < 1e-4 * dvec_length(linear));
    // The first-order step itself loses spin^2 dt a second.
    assert_true(dvec_distance(angular, angular_before) < 0.005 * dvec_length(angular));
    firn_world_close(world);
}

static void test_same_bits(void **state) {
    (void)state;
    assert_threads_do_not_show(turning_ball, 20);
    firn_world *whole = turning_ball(), *cut = turning_ball();
    soft_run(whole, 0.1);
    assert_restarts(whole, cut, 20);
    firn_world_close(whole);
    firn_world_close(cut);
}

static void test_a_beam_breaks_where_it_is_strained_most(void **state) {
    (void)state;
    rod r;
    beam_start(&r, 2);
    r.w.world.gravity.y = -9.81;
    r.w.solid.break_strain = 0.02;
    firn_world *world = soft_open(&r.w);
    pbd *s = soft_model(world);
    size_t cells = ((const pbd_batch *)pbd_data(s, &pbd_cells))->count;
    soft_run(world, 0.5);
    assert_true(((const pbd_batch *)pbd_data(s, &pbd_cells))->count < cells);
    assert_true(layer_moved(s, &r, r.along - 1, 1) < -0.4); // it fell
    assert_near(layer_moved(s, &r, 1, 1), 0, 1e-6);
    firn_world_close(world);
}

static void test_wrong_elastic_solids(void **state) {
    (void)state;
    rod r;
    firn_world *world;
    beam_start(&r, 2);
    r.w.solid.thickness = 0.01;
    assert_int_equal(firn_world_create(&r.w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "thickness"));
    beam_start(&r, 2);
    r.w.pbd.elasticity = FIRN_PBD_PLAIN;
    assert_int_equal(firn_world_create(&r.w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "plain"));
    beam_start(&r, 2);
    r.w.solid.lattice = (firn_vec3){0};
    r.w.solid.pattern = FIRN_FILL_JITTERED;
    assert_int_equal(firn_world_create(&r.w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "pattern"));
}

// Pinned along one side, it does not stand out from its pole like a board: it buckles and hangs down.
static void test_a_flat_flag_hangs(void **state) {
    (void)state;
    firn_world *world;
    assert_ok(firn_world_open_text(
        "firn: 1\nduration: 3 s\n"
        "pbd:\n  solids: {flag: {material: silk, lattice: [12, 9, 1], spacing: 8 cm, at: [0, 1.5, 0]}}\n"
        "  pins: {pole: {shape: {box: {size: [5 cm, 1 m, 10 cm]}}, at: [-0.44, 1.5, 0]}}\n",
        "flag", &world));
    double lowest = INFINITY, near = INFINITY, far = -INFINITY;
    for (int part = 0; part < 8; part++) { // it flaps: the lowest that it comes within 2 s
        assert_ok(firn_world_advance(world, 0.25));
        const firn_field x = firn_world_field(world, "pbd.position");
        for (size_t i = 0; i < x.count; i++) {
            const double *at = (const double *)x.data + 3 * i;
            lowest = fmin(lowest, at[1]), near = fmin(near, at[2]), far = fmax(far, at[2]);
        }
    }
    assert_true(lowest < 1.05 && far - near > 0.1); // flat, its lower corner would stay at 1.15
    firn_world_close(world);
}

// Two cloths that fly at each other with 10 m/s, with nothing chosen: as many sub-steps as cotton needs, and
// neither passes through the other.
static void test_cloth_meets_cloth(void **state) {
    (void)state;
    enum { EACH = 10 * 10 };
    firn_world *world;
    assert_ok(firn_world_open_text(
        "firn: 1\nduration: 1 s\ngravity: [0, 0, 0]\npbd:\n  solids:\n"
        "    a: {material: cotton, lattice: [10, 10, 1], spacing: 4 cm, at: [0, 0, 0.3], velocity: [0, 0, "
        "-5]}\n"
        "    b: {material: cotton, lattice: [10, 10, 1], spacing: 4 cm, at: [0.013, 0.017, -0.3], velocity: "
        "[0, 0, 5]}\n",
        "cloths", &world));
    for (int frame = 0; frame < 10; frame++) {
        assert_ok(firn_world_advance(world, 0.02));
        const firn_field x = firn_world_field(world, "pbd.position");
        const double(*at)[3] = (const double(*)[3])x.data;
        for (size_t i = 0; i < EACH; i++) {
            size_t below = EACH;
            for (size_t j = EACH; j < 2 * (size_t)EACH; j++)
                if (hypot(at[j][0] - at[i][0], at[j][1] - at[i][1]) <
                    hypot(at[below][0] - at[i][0], at[below][1] - at[i][1]))
                    below = j;
            assert_true(at[i][2] > at[below][2]);
        }
    }
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_flat_flag_hangs),
        cmocka_unit_test(test_cloth_meets_cloth),
        cmocka_unit_test(test_a_beam_sags_as_beams_do_at_any_spacing),
        cmocka_unit_test(test_a_beam_sags_as_much_with_other_steps_and_solvers),
        cmocka_unit_test(test_a_bar_has_its_young_modulus_and_poisson_ratio),
        cmocka_unit_test(test_cloth_stretches_and_bends_in_real_units),
        cmocka_unit_test(test_a_rope_stretches_and_bends_in_real_units),
        cmocka_unit_test(test_a_turning_ball_keeps_its_momentum),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_a_beam_breaks_where_it_is_strained_most),
        cmocka_unit_test(test_wrong_elastic_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
