// Contact with bodies and between particles: nothing goes through, friction is Coulomb's, momentum is shared.
#include "pbd/soft.h"

static double lowest(const pbd *s) {
    double low = INFINITY;
    for (size_t i = 0; i < s->p.count; i++) low = fmin(low, s->p.at[i][1]);
    return low;
}

static firn_vec3 mean_velocity(const pbd *s) {
    firn_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < s->p.count; i++) sum = dvec_add(sum, pbd_at(s->p.v[i]));
    return dvec_scale(sum, 1 / (double)s->p.count);
}

static double mean_height(const pbd *s) {
    double sum = 0;
    for (size_t i = 0; i < s->p.count; i++) sum += s->p.at[i][1];
    return sum / (double)s->p.count;
}

static void small_block(soft_world *w, firn_vec3 at) {
    soft_lattice(w, 4, 3, 4, 0.1);
    w->world.max_step = 1.0 / 240;
    w->solid.links = FIRN_PBD_ALL_PAIRS;
    w->solid.fill.at = at;
}

static void test_a_block_comes_to_rest(void **state) {
    (void)state;
    for (int solver = FIRN_PBD_GAUSS_SEIDEL; solver <= FIRN_PBD_JACOBI_PARTICLE; solver++) {
        soft_world w;
        small_block(&w, (firn_vec3){0, 0.5, 0});
        w.pbd.solver = (firn_pbd_solver)solver;
        soft_body(&w, "ground", FIRN_SHAPE_PLANE);
        firn_world *world = soft_open(&w);
        for (int i = 0; i < 8; i++) {
            soft_run(world, 0.25);
            assert_true(lowest(soft_model(world)) > 0.98 * 0.05);
        }
        assert_near(lowest(soft_model(world)), 0.05, 0.001);
        assert_near(dvec_length(mean_velocity(soft_model(world))), 0, 0.02);
        firn_world_close(world);
    }
}

// A box whose edges the spacing does not divide stands on the ground: its lowest layer touches, no energy
// comes from particles that start inside it.
static void test_a_box_of_any_size_stands(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        soft_world w;
        soft_lattice(&w, 0, 0, 0, 0);
        double size = 0.4, spacing = (const double[]){0.06, 0.05, 0.07}[k];
        w.solid.fill.shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {size, size, 0.75 * size}};
        w.solid.fill.at = (firn_vec3){0, size / 2, 0};
        w.solid.spacing = spacing;
        soft_body(&w, "ground", FIRN_SHAPE_PLANE);
        firn_world *world = soft_open(&w);
        pbd *s = soft_model(world);
        double start = lowest(s), before = mean_height(s), highest = before;
        assert_true(start >= 0.999 * (double)s->groups[0].radius && start < 0.501 * spacing);
        for (int i = 0; i < 20; i++) {
            soft_run(world, 0.01);
            highest = fmax(highest, mean_height(s));
        }
        print_message("spacing %g: lowest %g m, rises %g m\n", spacing, start, highest - before);
        assert_true(highest - before < 0.005 * size);
        firn_world_close(world);
    }
}

// On a slope: holds below the angle of static friction, slides with g (sin - mu cos) above.
static void test_friction_on_a_slope(void **state) {
    (void)state;
    for (int steep = 0; steep < 2; steep++) {
        soft_world w;
        double mu = 0.3, angle = steep ? 0.6 : 0.2;
        small_block(&w, (firn_vec3){0, 0.151, 0});
        w.solid.friction = mu;
        w.solid.static_friction = mu;
        w.world.gravity = (firn_vec3){9.81 * sin(angle), -9.81 * cos(angle), 0};
        firn_body_def *ground = soft_body(&w, "ground", FIRN_SHAPE_PLANE);
        ground->friction = mu, ground->restitution = 0;
        firn_world *world = soft_open(&w);
        soft_run(world, 0.3);
        double before = mean_velocity(soft_model(world)).x;
        soft_run(world, 0.4);
        double after = mean_velocity(soft_model(world)).x;
        double expected = steep ? 9.81 * (sin(angle) - mu * cos(angle)) : 0;
        print_message("angle %g: %g m/s2, expected %g\n", angle, (after - before) / 0.4, expected);
        assert_near((after - before) / 0.4, expected, 0.03 * 9.81 * sin(angle));
        if (!steep) assert_near(after, 0, 0.01);
        firn_world_close(world);
    }
}

// In space, a block flies into a dynamic box: both together keep their momentum.
static void test_momentum_is_shared_with_a_body(void **state) {
    (void)state;
    for (int heavy = 0; heavy < 2; heavy++) {
        soft_world w;
        small_block(&w, (firn_vec3){0, 0.8, 0});
        w.world.gravity = (firn_vec3){0, 0, 0};
        w.solid.velocity = (firn_vec3){0, -2, 0};
        firn_body_def *box = soft_body(&w, "box", FIRN_SHAPE_BOX);
        box->shape.size = (firn_vec3){0.5, 0.3, 0.5};
        box->motion.kind = FIRN_MOTION_DYNAMIC;
        box->density = heavy ? 5000 : 40; // against 24 kg of the block: 375 kg, 3 kg
        box->restitution = 0;
        firn_world *world = soft_open(&w);
        pbd *s = soft_model(world);
        double mass = s->groups[0].mass * (double)s->p.count;
        firn_body_state b = firn_world_body_state(world, 0);
        soft_run(world, 1);
        assert_ok(firn_world_step(world)); // the last pushes are taken up in the next step
        b = firn_world_body_state(world, 0);
        double total = mass * mean_velocity(s).y + b.mass * b.velocity.y;
        print_message("body of %g kg: %g m/s, block %g m/s\n", b.mass, b.velocity.y, mean_velocity(s).y);
        assert_near(total, -2 * mass, 0.02 * 2 * mass);
        assert_true(b.velocity.y < 0 && mean_velocity(s).y >= b.velocity.y - 0.01);
        // Nearly dead: the block's links give a little back. A light body goes with it at once.
        double together = -2 * mass / (mass + b.mass);
        assert_near((b.velocity.y - mean_velocity(s).y) / -2, 0.08, 0.08);
        assert_true(b.velocity.y <= together + 0.01);
        firn_world_close(world);
    }
}

// A thin plate moves up through long steps while a block falls fast: nothing changes sides.
static void test_thin_plate_is_not_crossed(void **state) {
    (void)state;
    for (int solver = FIRN_PBD_GAUSS_SEIDEL; solver <= FIRN_PBD_JACOBI_PARTICLE; solver++) {
        soft_world w;
        small_block(&w, (firn_vec3){0, 2, 0});
        w.world.max_step = 1.0 / 100;
        w.pbd.solver = (firn_pbd_solver)solver;
        w.pbd.substeps = 1 + solver;
        w.solid.velocity = (firn_vec3){0, -30, 0};
        const firn_keyframe way[] = {{0, {0, 0, 0}, {0, 0, 0}}, {0.3, {0, 1, 0}, {0, 0, 0}}};
        firn_body_def *plate = soft_body(&w, "plate", FIRN_SHAPE_BOX);
        plate->shape.size = (firn_vec3){4, 0.004, 4};
        plate->motion.kind = FIRN_MOTION_KEYFRAMES;
        plate->motion.keyframes.items = way;
        plate->motion.keyframes.count = 2;
        firn_world *world = soft_open(&w);
        for (int i = 0; i < 40; i++) {
            assert_ok(firn_world_step(world));
            double top = firn_world_body_state(world, 0).position.y;
            assert_true(lowest(soft_model(world)) > top + 0.02);
        }
        firn_world_close(world);
    }
}

// Two solids, one on the other: the distance of the nearest particles stays.
static void test_solids_do_not_mix(void **state) {
    (void)state;
    for (int solver = FIRN_PBD_GAUSS_SEIDEL; solver <= FIRN_PBD_JACOBI_PARTICLE; solver++) {
        soft_world w;
        small_block(&w, (firn_vec3){0, 0.151, 0});
        firn_pbd_solid_def solids[2] = {w.solid, w.solid};
        solids[0].name = "lower", solids[1].name = "upper";
        solids[1].fill.at = (firn_vec3){0.03, 0.6, 0.02};
        w.pbd.solids.items = solids;
        w.pbd.solids.count = 2;
        w.pbd.solver = (firn_pbd_solver)solver;
        w.pbd.iterations = solver ? 20 : 4;
        soft_body(&w, "ground", FIRN_SHAPE_PLANE);
        firn_world *world = soft_open(&w);
        soft_run(world, 1.5);
        const pbd *s = soft_model(world);
        double nearest = INFINITY, top = -INFINITY;
        for (size_t i = 0; i < s->groups[0].count; i++)
            for (size_t j = s->groups[1].first; j < s->p.count; j++)
                nearest = fmin(nearest, dvec_distance(pbd_place(s, i), pbd_place(s, j)));
        for (size_t j = s->groups[1].first; j < s->p.count; j++) top = fmax(top, s->p.at[j][1]);
        print_message("nearest %.4f of 0.1, top %.3f\n", nearest, top);
        assert_true(nearest > 0.085);
        assert_true(top > 0.38); // lies on the other one
        firn_world_close(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_block_comes_to_rest),
        cmocka_unit_test(test_a_box_of_any_size_stands),
        cmocka_unit_test(test_friction_on_a_slope),
        cmocka_unit_test(test_momentum_is_shared_with_a_body),
        cmocka_unit_test(test_thin_plate_is_not_crossed),
        cmocka_unit_test(test_solids_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
