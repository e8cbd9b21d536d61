// Kilometres from the origin particles behave as they do there, also if others are at the origin.
#include "pbd/wet.h"

#include "cache/cache.h"

static firn_vec3 mean_of(const pbd *s, size_t first, size_t count) {
    firn_vec3 sum = {0, 0, 0};
    for (size_t i = first; i < first + count; i++) sum = dvec_add(sum, pbd_place(s, i));
    return dvec_scale(sum, 1 / (double)count);
}

// A linked block in free flight, at the default step.
static void test_free_flight(void **state) {
    (void)state;
    static const firn_vec3 places[] = {{0, 0, 0}, {10000, 0, 0}, {-10000, 7000, 3001.3}, {1e6, 1e6, 1e6}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        soft_world w;
        soft_lattice(&w, 4, 4, 4, 0.05);
        w.world.max_step = firn_world_def_default().max_step;
        w.solid.fill.at = places[k];
        w.solid.velocity = dvec(1, 3, 0);
        firn_world *world = soft_open(&w);
        const pbd *s = soft_model(world);
        firn_vec3 start = mean_of(s, 0, s->p.count);
        soft_run(world, 1);
        firn_vec3 moved = dvec_sub(mean_of(s, 0, s->p.count), start);
        firn_vec3 v = {0, 0, 0};
        for (size_t i = 0; i < s->p.count; i++)
            v = dvec_add_scaled(v, pbd_at(s->p.v[i]), 1 / (double)s->p.count);
        print_message("at %g m: moved %.7f %.7f %.7f, v %.7f %.7f %.7f\n", places[k].x, moved.x, moved.y,
                      moved.z, v.x, v.y, v.z);
        assert_near(moved.x, 1, 1e-4);
        assert_near(v.y, 3 - 9.81, 1e-4);
        assert_near(moved.z, 0, 1e-4);
        assert_near(v.x, 1, 1e-4);
        firn_world_close(world);
    }
}

// Largest distance between the particles of two worlds that are `apart`, by their ids.
static double difference(const pbd *a, const pbd *b, firn_vec3 apart) {
    double most = 0;
    assert_int_equal(a->p.count, b->p.count);
    for (size_t i = 0; i < a->p.count; i++)
        for (size_t j = 0; j < b->p.count; j++)
            if (a->p.id[i] == b->p.id[j])
                most = fmax(most, dvec_length(dvec_sub(dvec_sub(pbd_place(b, j), pbd_place(a, i)), apart)));
    return most;
}

// Two blocks, a rope with its pin, bodies that move: all of it `at` from the origin.
typedef struct yard {
    soft_world w;
    firn_pbd_solid_def solid[3];
    firn_pbd_pin_def pin;
} yard;

static void yard_make(yard *y, firn_vec3 at) {
    soft_start(&y->w);
    for (int k = 0; k < 3; k++) {
        y->solid[k] = firn_pbd_solid_def_default();
        y->solid[k].spacing = 0.05;
        y->solid[k].lattice = k < 2 ? dvec(4, 4, 4) : dvec(1, 12, 1);
        y->solid[k].fill.at = dvec_add(at, dvec(0.5 * k - 0.5, 0.4 + 0.3 * k, 0.02 * k));
    }
    y->solid[0].name = "a", y->solid[1].name = "b", y->solid[2].name = "rope";
    y->solid[0].velocity = dvec(2, 0, 0), y->solid[2].velocity = dvec(0, 0, 1);
    y->pin = firn_pbd_pin_def_default();
    y->pin.name = "pin";
    y->pin.where.shape.kind = FIRN_SHAPE_SPHERE;
    y->pin.where.shape.radius = 0.03;
    y->pin.where.at = dvec_add(y->solid[2].fill.at, dvec(0, 0.275, 0));
    y->w.pbd.solids.items = y->solid, y->w.pbd.solids.count = 3;
    y->w.pbd.pins.items = &y->pin, y->w.pbd.pins.count = 1;
    firn_body_def *floor = soft_body(&y->w, "floor", FIRN_SHAPE_PLANE);
    floor->at = at;
    firn_body_def *box = soft_body(&y->w, "box", FIRN_SHAPE_BOX);
    box->shape.size = dvec(0.2, 0.2, 0.2);
    box->at = dvec_add(at, dvec(0.3, 0.1, 0));
    box->motion.kind = FIRN_MOTION_DYNAMIC;
    box->density = 200;
}

static void test_solids_and_bodies(void **state) {
    (void)state;
    static const firn_vec3 apart[] = {{1000, 0, 0}, {-10000, 5000, 3000}, {9e5, 0, -9e5}};
    for (size_t k = 0; k < 3; k++) {
        yard here, there;
        yard_make(&here, dvec(0, 0, 0));
        yard_make(&there, apart[k]);
        firn_world *a = soft_open(&here.w), *b = soft_open(&there.w);
        soft_run(a, 0.3);
        soft_run(b, 0.3);
        double off = difference(soft_model(a), soft_model(b), apart[k]);
        print_message("%g m: %.2e m apart after 0.3 s\n", apart[k].x, off);
        assert_true(off < 1e-3);
        firn_world_close(a);
        firn_world_close(b);
    }
}

// Momentum of two blocks that meet in free space.
static void test_momentum_of_a_collision(void **state) {
    (void)state;
    static const double places[] = {0, 3, 1000, 1e6};
    for (size_t k = 0; k < 4; k++) {
        yard y;
        yard_make(&y, dvec(places[k], 0, 0));
        y.w.world.bodies.count = 0, y.w.pbd.solids.count = 2, y.w.pbd.pins.count = 0;
        y.w.world.gravity = dvec(0, 0, 0);
        y.w.world.max_step = firn_world_def_default().max_step;
        y.solid[1].fill.at.y = y.solid[0].fill.at.y + 0.05;
        firn_world *world = soft_open(&y.w);
        firn_ledger before = {0}, after = {0};
        pbd_ledger(soft_model(world), &before);
        soft_run(world, 1);
        pbd_ledger(soft_model(world), &after);
        double off = dvec_length(dvec_sub(after.momentum, before.momentum)) / dvec_length(before.momentum);
        print_message("at %g m: momentum off by %.2e\n", places[k], off);
        assert_true(off < 1e-5);
        firn_world_close(world);
    }
}

// Water in a box, and water between bodies; r.m.s. speed.
static double calm_at(firn_vec3 at, double seconds) {
    wet_world w;
    wet_pool(&w, at, dvec_add(at, dvec(0.3, 0.3, 0.3)), 0.03);
    wet_box(&w, at, dvec_add(at, dvec(0.6, 2, 0.3)));
    firn_world *world = soft_open(&w);
    soft_run(world, seconds);
    firn_ledger l = {0};
    pbd_ledger(soft_model(world), &l);
    firn_world_close(world);
    return sqrt(2 * l.kinetic / l.mass);
}

static void test_water_calms_down(void **state) {
    (void)state;
    double here = calm_at(dvec(0, 0, 0), 4), far = calm_at(dvec(1000, 0, -1000), 4),
           farther = calm_at(dvec(9e5, 1000, 0), 4);
    print_message("r.m.s. speed %.4f, at 1 km %.4f, at 1000 km %.4f\n", here, far, farther);
    assert_true(far < 1.2 * here + 0.01 && farther < 1.2 * here + 0.01);
}

// One at the origin, one 10 km off and one 300 m off: each behaves as alone.
static void test_things_far_apart(void **state) {
    (void)state;
    yard all, alone;
    yard_make(&all, dvec(0, 0, 0));
    yard_make(&alone, dvec(0, 0, 0));
    all.w.pbd.pins.count = alone.w.pbd.pins.count = 0;
    all.solid[1].fill.at = dvec_add(all.solid[0].fill.at, dvec(10000, 0, 300));
    all.solid[2].fill.at = dvec(300, 0.4, 0);
    all.solid[1].velocity = all.solid[0].velocity;
    alone.w.pbd.solids.count = 1;
    all.w.world.bodies.count = alone.w.world.bodies.count = 1;
    firn_world *a = soft_open(&all.w), *b = soft_open(&alone.w);
    soft_run(a, 0.27);
    soft_run(b, 0.27);
    const pbd *s = soft_model(a), *t = soft_model(b);
    double off[2] = {0, 0};
    for (size_t i = 0; i < t->p.count; i++)
        for (int k = 0; k < 2; k++) {
            firn_vec3 at =
                dvec_sub(pbd_place(s, s->groups[k].first + i), k ? dvec(10000, 0, 300) : dvec(0, 0, 0));
            off[k] = fmax(off[k], dvec_distance(at, pbd_place(t, i)));
        }
    print_message("%.2e m and %.2e m off after 0.27 s\n", off[0], off[1]);
    assert_int_equal(s->frames.count, 3);
    assert_true(off[0] < 1e-3 && off[1] < 1e-3);
    firn_world_close(a);
    firn_world_close(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_flight),
        cmocka_unit_test(test_solids_and_bodies),
        cmocka_unit_test(test_momentum_of_a_collision),
        cmocka_unit_test(test_water_calms_down),
        cmocka_unit_test(test_things_far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
