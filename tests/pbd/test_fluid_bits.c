// firn-test: threaded
// Liquids: same bits for any number of threads and across a restart; failing memory.
#include "pbd/wet.h"

#include "cache/cache.h"

// A dam, a floating ball, a soft solid, a tap and a hole.
static firn_world *tank(firn_pbd_solver solver) {
    static wet_world w;
    static firn_pbd_spout_def spout;
    static firn_pbd_drain_def drain;
    static firn_pbd_solid_def soft;
    wet_pool(&w, dvec(0, 0, 0), dvec(0.4, 0.5, 0.4), 0.05);
    wet_box(&w, dvec(0, 0, 0), dvec(0.8, 3, 0.4));
    w.pbd.solver = solver;
    w.pbd.substeps = 2;
    w.fluid.vorticity = 0.01;
    w.fluid.cohesion = 1;
    spout = firn_pbd_spout_def_default();
    drain = firn_pbd_drain_def_default();
    soft = firn_pbd_solid_def_default();
    spout.name = "tap", spout.at = dvec(0.6, 0.9, 0.2);
    drain.name = "hole", drain.where.at = dvec(0.8, 0, 0.4);
    drain.where.shape.kind = FIRN_SHAPE_SPHERE, drain.where.shape.radius = 0.1;
    soft.name = "soft", soft.lattice = dvec(3, 3, 3), soft.fill.at = dvec(0.2, 0.7, 0.2);
    w.fluid.spouts.items = &spout, w.fluid.spouts.count = 1;
    w.fluid.drains.items = &drain, w.fluid.drains.count = 1;
    w.pbd.solids.items = &soft, w.pbd.solids.count = 1;
    firn_body_def *ball = wet_body(&w, "ball", FIRN_SHAPE_SPHERE);
    ball->shape.radius = 0.08;
    ball->at = dvec(0.25, 0.62, 0.3);
    ball->motion.kind = FIRN_MOTION_DYNAMIC;
    return wet_open(&w);
}

static uint64_t hash_after(firn_pbd_solver solver, int threads) {
    firn_set_threads(threads);
    firn_world *world = tank(solver);
    for (int i = 0; i < 16; i++) assert_ok(firn_world_step(world));
    uint64_t hash = firn_world_hash(world);
    firn_world_close(world);
    firn_set_threads(0);
    return hash;
}

static void test_same_bits_for_any_threads(void **state) {
    (void)state;
    for (int solver = FIRN_PBD_GAUSS_SEIDEL; solver <= FIRN_PBD_JACOBI_PARTICLE; solver++) {
        uint64_t hash = hash_after((firn_pbd_solver)solver, 1);
        for (int threads = 2; threads <= 8; threads += threads == 2 ? 1 : 5)
            assert_true(hash_after((firn_pbd_solver)solver, threads) == hash);
    }
}

static void test_restart_gives_the_same_bits(void **state) {
    (void)state;
    const char *path = "pbd-fluid-restart.h5";
    firn_world *whole = tank(FIRN_PBD_JACOBI_PARTICLE), *cut = tank(FIRN_PBD_JACOBI_PARTICLE);
    for (int i = 0; i < 12; i++) assert_ok(firn_world_step(whole));
    assert_ok(cache_write(path, whole, 12, CACHE_CHECKPOINT, false));
    assert_ok(cache_read(path, cut, 12, CACHE_CHECKPOINT));
    for (int i = 0; i < 10; i++) {
        assert_true(firn_world_hash(whole) == firn_world_hash(cut));
        assert_ok(firn_world_step(whole));
        assert_ok(firn_world_step(cut));
    }
    firn_world_close(whole);
    firn_world_close(cut);
    remove(path);
}

static void test_failing_memory(void **state) {
    (void)state;
    failing_allocator f;
    size_t calls = 1;
    for (size_t n = 1; n <= calls; n += 5) {
        wet_world w;
        wet_pool(&w, dvec(0, 0, 0), dvec(0.3, 0.3, 0.3), 0.05);
        wet_box(&w, dvec(0, 0, 0), dvec(0.4, 2, 0.4));
        fail_allocation(&f, n);
        firn_world *world;
        firn_status status = firn_world_create(&w.world, &world);
        if (status == FIRN_OK) {
            status = firn_world_step(world);
            firn_world_close(world);
        }
        calls = f.calls;
        assert_true(status == FIRN_OK || status == FIRN_NO_MEMORY);
        firn_set_allocator(NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_restart_gives_the_same_bits),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
