// firn-test: threaded
// Same bits for any number of threads and across a restart; failing memory.
#include "pbd/soft.h"

#include "cache/cache.h"

static firn_world *jelly(firn_pbd_solver solver) {
    soft_world w;
    soft_lattice(&w, 12, 9, 7, 0.05);
    w.solid.links = FIRN_PBD_NEIGHBOURS;
    w.solid.stiffness = 2000;
    w.solid.spin = (firn_vec3){1, 2, 9};
    w.pbd.solver = solver;
    return soft_open(&w);
}

static uint64_t hash_after(firn_pbd_solver solver, int threads) {
    firn_set_threads(threads);
    firn_world *world = jelly(solver);
    for (int i = 0; i < 10; i++) assert_ok(firn_world_step(world));
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

static void cut_in_two(firn_pbd_solver solver) {
    const char *path = "pbd-restart.h5";
    firn_world *whole = jelly(solver), *cut = jelly(solver);
    for (int i = 0; i < 7; i++) assert_ok(firn_world_step(whole));
    assert_ok(cache_write(path, whole, 7, CACHE_CHECKPOINT, false));
    assert_ok(cache_read(path, cut, 7, CACHE_CHECKPOINT));
    for (int i = 0; i < 8; i++) {
        assert_true(firn_world_hash(whole) == firn_world_hash(cut));
        assert_ok(firn_world_step(whole));
        assert_ok(firn_world_step(cut));
    }
    firn_world_close(whole);
    firn_world_close(cut);
    remove(path);
}

static void test_restart_gives_the_same_bits(void **state) {
    (void)state;
    cut_in_two(FIRN_PBD_GAUSS_SEIDEL);
    cut_in_two(FIRN_PBD_JACOBI_PARTICLE);
}

static void test_failing_memory(void **state) {
    (void)state;
    failing_allocator f;
    size_t calls = 1;
    for (size_t n = 1; n <= calls; n += 3) {
        soft_world w;
        soft_lattice(&w, 5, 4, 3, 0.05);
        w.pbd.solver = FIRN_PBD_JACOBI;
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
