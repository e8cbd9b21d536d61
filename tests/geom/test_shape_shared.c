// firn-test: threaded
// Shapes of one make built on several threads at once share one solid and leave nothing behind.
#include "base/memory.h"
#include "geom/shape_checks.h"
#include "par/par.h"

enum { COUNT = 12 };

typedef struct crowd {
    shape *shapes[COUNT];
    firn_status status[COUNT];
    double distance[COUNT];
} crowd;

static const firn_shape_def lamp = {.kind = FIRN_SHAPE_LAMP_POST, .height = 1, .resolution = 0.5};

static void build_one(void *context, size_t i) {
    crowd *c = context;
    c->status[i] = shape_create(&lamp, 1.0 + (double)i, NULL, "lamp", &c->shapes[i]);
    if (c->status[i] == FIRN_OK)
        c->distance[i] = shape_sdf(c->shapes[i], vec(0.3 * (1.0 + (double)i), 0, 0), NULL);
}

static void destroy_one(void *context, size_t i) {
    crowd *c = context;
    shape_destroy(c->shapes[i]);
}

static void test_many_at_once(void **state) {
    (void)state;
    size_t before = mem_in_use();
    firn_set_threads(4);
    for (int round = 0; round < 3; round++) {
        crowd c = {0};
        par_tasks(COUNT, build_one, &c);
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(c.status[i], FIRN_OK);
            assert_near(c.distance[i] / (1.0 + (double)i), c.distance[0], 1e-5);
        }
        par_tasks(COUNT, destroy_one, &c);
        assert_int_equal(mem_in_use(), before);
    }
    firn_set_threads(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_many_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
