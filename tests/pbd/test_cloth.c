// Cloth meets bodies at 10 m/s without passing through, and folds.
#include "pbd/soft.h"

static void cotton(soft_world *w, double n, double spacing, firn_vec3 at) {
    soft_lattice(w, n, 1, n, spacing);
    w->world.max_step = 1.0 / 240;
    w->solid.material = FIRN_PBD_COTTON;
    w->solid.fill.at = at;
}

// How deep a place is inside a box that is turned about z (m).
static double depth_in(firn_vec3 p, const firn_body_def *box) {
    double c = cos(box->rotate.z), s = sin(box->rotate.z);
    firn_vec3 d = dvec_sub(p, box->at);
    double x = c * d.x + s * d.y, y = c * d.y - s * d.x;
    return fmin(fmin(box->shape.size.x / 2 - fabs(x), box->shape.size.y / 2 - fabs(y)),
                box->shape.size.z / 2 - fabs(d.z));
}

// Of a link between neighbours, every 2.5 mm.
static double link_in(const pbd *s, size_t i, size_t j, const firn_body_def *box) {
    double most = -INFINITY;
    for (int k = 0; k <= 8; k++)
        most = fmax(most, depth_in(dvec_mix(pbd_place(s, i), pbd_place(s, j), k / 8.0), box));
    return most;
}

static double deepest(const pbd *s, size_t n, const firn_body_def *box) {
    double most = -INFINITY;
    for (size_t i = 0; i < s->p.count; i++) {
        if (i + n < s->p.count) most = fmax(most, link_in(s, i, i + n, box));
        if (i % n + 1 < n) most = fmax(most, link_in(s, i, i + 1, box));
    }
    return most;
}

// A plate of 4 mm, flat and on its edge, and a box on its edge: no thread of the cloth is inside at any time,
// and its middle stays on the side that it came from, or hangs beside the edge.
static void test_cloth_meets_bodies(void **state) {
    (void)state;
    static const struct {
        const char *what;
        firn_vec3 size;
        double turn, least; // m, height at which the middle of the cloth stays
    } bodies[] = {
        {"plate", {1, 0.004, 1}, 0, 0.005},
        {"plate on its edge", {0.004, 0.6, 1}, 0, 0.27},
        {"box on its edge", {0.4, 0.4, 1}, M_PI / 4, 0.28},
    };
    enum { N = 16 };
    for (size_t k = 0; k < sizeof bodies / sizeof bodies[0]; k++) {
        soft_world w;
        cotton(&w, N, 0.02, (firn_vec3){0.003, 0.4, 0});
        w.solid.velocity = (firn_vec3){0, -10, 0};
        w.solid.self_contact = true;
        firn_body_def *body = soft_body(&w, "body", FIRN_SHAPE_BOX);
        body->shape.size = bodies[k].size;
        body->rotate.z = bodies[k].turn;
        firn_world *world = soft_open(&w);
        const pbd *s = soft_model(world);
        double deep = -INFINITY;
        for (int i = 0; i < 24; i++) {
            assert_ok(firn_world_step(world));
            deep = fmax(deep, deepest(s, N, body));
        }
        firn_vec3 middle = pbd_place(s, N * N / 2 + N / 2);
        print_message("%s: %g mm inside at most, middle at %g m\n", bodies[k].what, 1e3 * deep, middle.y);
        assert_true(deep < 0.5e-3 && middle.y > bodies[k].least);
        firn_world_close(world);
    }
}

// Cloth that may touch itself hangs over an edge as it does without.
static void test_cloth_folds(void **state) {
    (void)state;
    double low[2];
    for (int self = 0; self < 2; self++) {
        soft_world w;
        cotton(&w, 16, 0.02, (firn_vec3){0, 0.22, 0});
        w.solid.self_contact = self;
        firn_body_def *box = soft_body(&w, "box", FIRN_SHAPE_BOX);
        box->shape.size = (firn_vec3){0.14, 0.4, 0.14};
        firn_world *world = soft_open(&w);
        soft_run(world, 0.3);
        const pbd *s = soft_model(world);
        low[self] = INFINITY;
        for (size_t i = 0; i < s->p.count; i++) low[self] = fmin(low[self], s->p.at[i][1]);
        firn_world_close(world);
    }
    print_message("lowest %g m, with self_contact %g m\n", low[0], low[1]);
    assert_true(low[0] < 0.13);
    assert_near(low[1], low[0], 0.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cloth_meets_bodies),
        cmocka_unit_test(test_cloth_folds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
