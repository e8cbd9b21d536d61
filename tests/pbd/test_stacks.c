// Stacks of solids of rigid links stand, fall when they must, and keep their momentum.
#include "pbd/soft.h"

#include "bits.h"

enum { MOST = 10 };

typedef struct tower {
    soft_world w;
    firn_pbd_solid_def box[MOST];
    char name[MOST][8];
} tower;

// Boxes of 15 cm and 27 particles, one on the other, each shifted by so much against the one below.
static void build(tower *t, size_t count, firn_pbd_links links, double shift, double height) {
    soft_start(&t->w);
    t->w.world.max_step = 1.0 / 240;
    for (size_t k = 0; k < count; k++) {
        t->box[k] = firn_pbd_solid_def_default();
        snprintf(t->name[k], sizeof t->name[k], "b%zu", k);
        t->box[k].name = t->name[k];
        t->box[k].fill.shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.15, 0.15, 0.15}};
        t->box[k].fill.at = (firn_vec3){shift * (double)k, height + 0.15 * ((double)k + 0.5), 0};
        t->box[k].spacing = 0.05;
        t->box[k].links = links;
    }
    t->w.pbd.solids.items = t->box;
    t->w.pbd.solids.count = count;
}

static firn_vec3 middle_of(const pbd *s, size_t solid) {
    const pbd_group *g = &s->groups[solid];
    firn_vec3 sum = {0, 0, 0};
    for (size_t i = g->first; i < g->first + g->count; i++) sum = dvec_add(sum, pbd_place(s, i));
    return dvec_scale(sum, 1 / (double)g->count);
}

static void take_middles(const pbd *s, size_t count, firn_vec3 *out) {
    for (size_t k = 0; k < count; k++) out[k] = middle_of(s, k);
}

static double farthest(const pbd *s, size_t count, const firn_vec3 *from) {
    double most = 0;
    for (size_t k = 0; k < count; k++) most = fmax(most, dvec_distance(middle_of(s, k), from[k]));
    return most;
}

// Ten boxes at the default iterations: they settle by 1 mm or so, and from then on none moves by more.
static void test_a_tower_stands(void **state) {
    (void)state;
    const firn_pbd_links ways[] = {FIRN_PBD_DECIMATED, FIRN_PBD_NEIGHBOURS};
    for (int k = 0; k < 2; k++) {
        tower t;
        build(&t, MOST, ways[k], 0, 0);
        soft_body(&t.w, "ground", FIRN_SHAPE_PLANE);
        firn_world *world = soft_open(&t.w);
        const pbd *s = soft_model(world);
        firn_vec3 start[MOST], settled[MOST];
        take_middles(s, MOST, start);
        soft_run(world, 1);
        double sunk = farthest(s, MOST, start), moved = 0;
        take_middles(s, MOST, settled);
        for (int i = 0; i < 18; i++) {
            soft_run(world, 0.5);
            moved = fmax(moved, farthest(s, MOST, settled));
        }
        print_message("links %d: %g mm in the first second, then %g mm\n", (int)ways[k], 1e3 * sunk,
                      1e3 * moved);
        assert_true(sunk < 2e-3 && moved < 1.5e-3);
        firn_world_close(world);
    }
}

// Each box could stand on the one below, but all together cannot: the upper ones weigh on the lower.
static void test_a_tower_beyond_its_edge_falls(void **state) {
    (void)state;
    tower t;
    build(&t, 5, FIRN_PBD_NEIGHBOURS, 0.045, 0);
    soft_body(&t.w, "ground", FIRN_SHAPE_PLANE);
    firn_world *world = soft_open(&t.w);
    soft_run(world, 2);
    assert_true(middle_of(soft_model(world), 4).y < 0.3);
    firn_world_close(world);
}

// Thrown, a stack has the momentum of one piece, and stays together.
static void test_what_flies_keeps_its_momentum(void **state) {
    (void)state;
    tower t;
    build(&t, 4, FIRN_PBD_NEIGHBOURS, 0, 2);
    for (size_t k = 0; k < 4; k++) t.box[k].velocity = (firn_vec3){1, 3, 0};
    firn_world *world = soft_open(&t.w);
    const pbd *s = soft_model(world);
    soft_run(world, 0.5);
    firn_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < s->p.count; i++)
        sum = dvec_add_scaled(sum, pbd_at(s->p.v[i]), 1 / (double)s->p.count);
    assert_near(dvec_distance(sum, (firn_vec3){1, 3 - 9.81 / 2, 0}), 0, 2e-5);
    assert_near(dvec_distance(middle_of(s, 0), middle_of(s, 3)), 0.45, 1e-4);
    firn_world_close(world);
}

// A lever with a tower on one arm turns that way, against a body that is heavier than one of the boxes.
static void test_a_stack_weighs_on_a_lever(void **state) {
    (void)state;
    tower t;
    build(&t, 4, FIRN_PBD_NEIGHBOURS, 0, 0.25);
    for (size_t k = 0; k < 4; k++) t.box[k].fill.at.x = 0.85;
    firn_body_def *lever = soft_body(&t.w, "lever", FIRN_SHAPE_BOX);
    lever->shape.size = (firn_vec3){2, 0.05, 0.3};
    lever->at = (firn_vec3){0, 0.225, 0};
    lever->motion.kind = FIRN_MOTION_DYNAMIC;
    lever->density = 300;
    firn_body_def *edge = soft_body(&t.w, "edge", FIRN_SHAPE_BOX);
    edge->shape.size = (firn_vec3){0.1, 0.2, 0.4};
    edge->at = (firn_vec3){0, 0.1, 0};
    firn_body_def *weight = soft_body(&t.w, "weight", FIRN_SHAPE_BOX);
    weight->shape.size = (firn_vec3){0.2, 0.2, 0.2};
    weight->at = (firn_vec3){-0.8, 0.35, 0};
    weight->motion.kind = FIRN_MOTION_DYNAMIC;
    weight->density = 500; // 4 kg, against 6.75 kg of four boxes and 1.7 kg of one
    soft_body(&t.w, "ground", FIRN_SHAPE_PLANE);
    firn_world *world = soft_open(&t.w);
    soft_run(world, 0.5);
    double rise = firn_world_body_state(world, 2).position.y - 0.35;
    print_message("the body rises by %g m\n", rise);
    assert_true(rise > 0.01);
    firn_world_close(world);
}

static firn_world *small_tower(void) {
    static tower t;
    build(&t, 3, FIRN_PBD_NEIGHBOURS, 0.01, 0);
    t.box[1].self_contact = true;
    soft_body(&t.w, "ground", FIRN_SHAPE_PLANE);
    return soft_open(&t.w);
}

// The height of a stack and the lists of its contacts: for any threads, and after a restart.
static void test_same_bits(void **state) {
    (void)state;
    assert_threads_do_not_show(small_tower, 12);
    firn_world *whole = small_tower(), *cut = small_tower();
    for (int i = 0; i < 9; i++) assert_ok(firn_world_step(whole));
    assert_restarts(whole, cut, 6);
    firn_world_close(whole);
    firn_world_close(cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_tower_stands),
        cmocka_unit_test(test_a_tower_beyond_its_edge_falls),
        cmocka_unit_test(test_what_flies_keeps_its_momentum),
        cmocka_unit_test(test_a_stack_weighs_on_a_lever),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
