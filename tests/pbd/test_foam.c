// Spray and foam: made where liquid is wild, gone when it has been calm for a while, and without a trace in
// it.
#include "pbd/wet.h"

#include "base/hash.h"

// Two columns of water meet in a box.
static firn_world *open_dams(double foam) {
    static wet_world w;
    wet_pool(&w, dvec(-0.8, 0, -0.2), dvec(-0.3, 0.8, 0.2), 0.05);
    wet_box(&w, dvec(-0.8, 0, -0.2), dvec(0.8, 3, 0.2));
    w.pool[1] = w.pool[0];
    w.pool[1].name = "other";
    w.pool[1].fill.at.x = 0.55;
    w.fluid.pools.count = 2;
    w.fluid.foam = foam;
    w.pbd.substeps = 2;
    return soft_open(&w);
}

static uint64_t hash_of(firn_world *world, const char *name) {
    firn_field f = firn_world_field(world, name);
    return hash64(f.data, f.count * f.components * (f.type == FIRN_F64 ? 8 : 4), 0);
}

static void test_comes_and_goes(void **state) {
    (void)state;
    firn_world *world = open_dams(1), *plain = open_dams(0), *more = open_dams(4);
    size_t most = 0, most_more = 0;
    assert_null(firn_world_field(plain, "pbd.foam_position").name);
    for (int i = 0; i < 120; i++) {
        assert_ok(firn_world_step(world));
        assert_ok(firn_world_step(plain));
        assert_ok(firn_world_step(more));
        firn_field at = firn_world_field(world, "pbd.foam_position"),
                   life = firn_world_field(world, "pbd.foam_life");
        assert_int_equal(at.count, life.count);
        for (size_t k = 0; k < at.count; k++) {
            const float *p = (const float *)at.data + 3 * k;
            assert_true(fabsf(p[0]) <= 0.8f && p[1] >= 0 && p[1] <= 3 && fabsf(p[2]) <= 0.2f);
            assert_true(((const float *)life.data)[k] > 0);
        }
        if (i < 3) assert_int_equal(at.count, 0); // nothing is fast yet
        if (at.count > most) most = at.count;
        size_t n = firn_world_field(more, "pbd.foam_position").count;
        if (n > most_more) most_more = n;
    }
    print_message("foam: %zu points, with 4 times as much %zu\n", most, most_more);
    assert_true(most > 200);
    assert_true((double)most_more > 2.5 * (double)most && (double)most_more < 5.5 * (double)most);
    assert_true(hash_of(world, "pbd.position") == hash_of(plain, "pbd.position"));
    assert_true(hash_of(world, "pbd.velocity") == hash_of(plain, "pbd.velocity"));
    assert_near(firn_world_ledger(world, 1).mass, firn_world_ledger(plain, 1).mass, 0);
    for (int i = 0; i < 480; i++) assert_ok(firn_world_step(world));
    assert_true(firn_world_field(world, "pbd.foam_position").count < most / 20);
    firn_world_close(world);
    firn_world_close(plain);
    firn_world_close(more);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comes_and_goes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
