// firn-test: threaded
// Same bits for any number of threads and across a restart, with everything at once; failing memory.
#include "pbd/wet.h"

#include "bits.h"

// Links, a volume, a matched shape, pins of both sorts, contacts of all sorts, a box that shrinks; liquid
// with a tap, a hole and a floating ball.
static const char *const all =
    "firn: 1\n"
    "max_step: 16.7 ms\n"
    "bodies:\n"
    "  stone: {shape: {sphere: {radius: 10 cm}}, at: [1.2, 0.1, 0.5]}\n"
    "  ball: {shape: {sphere: {radius: 8 cm}}, at: [0.25, 0.62, 0.3], motion: dynamic}\n"
    "pbd:\n"
    "  solver: %s\n"
    "  substeps: 2\n"
    "  iterations: 2\n"
    "  box:\n"
    "    walls: [{low: [0, 0, 0], high: [2, 3, 0.8]}, {time: 0.5, low: [0.1, 0, 0], high: [1.8, 3, 0.7]}]\n"
    "  solids:\n"
    "    jelly: {lattice: [12, 9, 7], spacing: 5 cm, at: [1.4, 0.42, 0.4], links: neighbours, stiffness: 2 "
    "kN/m,\n"
    "            volume_stiffness: 20 kPa, velocity: [0, -2, 0], spin: [1, 2, 9]}\n"
    "    lump: {lattice: [4, 4, 4], spacing: 5 cm, at: [0.9, 0.3, 0.4], links: shape, stiffness: 1 kN/m,\n"
    "           velocity: [2, 0, 0]}\n"
    "    sand: {lattice: [4, 3, 4], spacing: 4 cm, at: [0.25, 0.8, 0.2], links: loose, self_contact: yes}\n"
    "    cloth: {lattice: [8, 1, 8], spacing: 4 cm, at: [0.25, 0.7, 0.2], rotate: [10 deg, 0, 0], "
    "self_contact: yes}\n"
    "    rubber: {lattice: [3, 4, 5], spacing: 5 cm, at: [1.4, 1.2, 0.4], material: rubber, spin: [1, 0, "
    "2]}\n"
    "    towel: {lattice: [6, 1, 5], spacing: 5 cm, at: [1.4, 1.5, 0.4], material: cotton, break_strain: "
    "0.2}\n"
    "  pins:\n"
    "    hook: {shape: {sphere: {radius: 5 cm}}, at: [0.11, 0.72, 0.06]}\n"
    "    spring: {shape: {sphere: {radius: 5 cm}}, at: [1.65, 0.6, 0.5], stiffness: 500 N/m}\n"
    "  fluid:\n"
    "    spacing: 5 cm\n"
    "    vorticity: 0.01\n"
    "    cohesion: 1\n"
    "    surface_tension: 5 N/m\n"
    "    %s\n"
    "    foam: 50\n"
    "    pools: {dam: {shape: {box: {size: [0.5, 0.5, 0.7]}}, at: [0.3, 0.25, 0.4]}}\n"
    "    spouts: {tap: {at: [0.7, 0.9, 0.4], velocity: [0, -1.5, 0]}}\n"
    "    drains: {hole: {shape: {sphere: {radius: 10 cm}}, at: [0.6, 0, 0.6]}}\n";
static const char *const solvers[] = {"gauss_seidel", "jacobi", "jacobi_particle", "gauss_seidel"};
static const char *const position = "method: position\n    unclump: 0.1", *const pressure =
                                                                              "method: pressure";
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

static firn_world *tank(int solver) {
    char words[3000];
    firn_world *world;
    snprintf(words, sizeof words, all, solvers[solver], solver < 3 ? position : pressure);
    assert_ok(firn_world_open_text(words, "tank", &world));
    size_t kinds;
    const pbd_kind *const *kind = pbd_kinds(&kinds);
    for (size_t k = 0; k < kinds; k++) // all but those that a program would have to register
        assert_true(soft_model(world)->data[k] != NULL || kind[k] == &pbd_outside);
    return world;
}

static void test_same_bits_for_any_threads(void **state) {
    (void)state;
    for (int solver = 0; solver < SOLVERS; solver++) {
        uint64_t hash = soft_hash(tank(solver), 1, 12);
        for (int t = 1; t < THREAD_COUNTS; t++)
            assert_true(soft_hash(tank(solver), thread_counts[t], 12) == hash);
    }
}

static void test_restart_gives_the_same_bits(void **state) {
    (void)state;
    for (int solver = 0; solver < SOLVERS; solver++) {
        firn_world *whole = tank(solver), *cut = tank(solver);
        for (int i = 0; i < 9; i++) assert_ok(firn_world_step(whole));
        assert_restarts(whole, cut, 6);
        firn_world_close(whole);
        firn_world_close(cut);
    }
}

// A bar long enough to be cut into slabs.
static firn_world *bar(void) {
    soft_world w;
    soft_lattice(&w, 7, 6, 80, 0.05);
    w.solid.links = FIRN_PBD_DECIMATED;
    w.solid.near = 0.072;
    w.solid.far_count = 0;
    w.solid.stiffness = 5000;
    w.solid.spin = dvec(3, 1, 0);
    return soft_open(&w);
}

// Two phases instead of some twenty colours; what runs at once shares no particle; and all give what one
// constraint after the other gives, in their order.
static void test_slabs_are_independent(void **state) {
    (void)state;
    firn_world *world = bar();
    assert_ok(firn_world_step(world));
    pbd *s = soft_model(world);
    pbd_batch *b = pbd_data(s, &pbd_distance);
    assert_int_equal(b->phases, 2);
    assert_true(b->blocks >= 8);
    uint32_t *owner = mem_zero(s->p.count, sizeof *owner);
    for (size_t phase = 0; phase < b->phases; phase++) {
        memset(owner, 0, s->p.count * sizeof *owner);
        for (uint32_t k = b->phase[phase]; k < b->phase[phase + 1]; k++)
            for (size_t c = b->colour[b->block[k]]; c < b->colour[b->block[k + 1]]; c++)
                for (size_t a = 0; a < 2; a++) {
                    uint32_t *of = &owner[b->particle[a * b->count + c]];
                    assert_true(*of == 0 || *of == k + 1);
                    *of = k + 1;
                }
    }
    mem_free(owner);
    pbd_pass pass = pbd_pass_of(s, NULL, (model_step){.dt = 0.01}, 0);
    size_t bytes = s->p.count * sizeof *s->p.q;
    float(*start)[4] = mem_alloc(bytes), (*together)[4] = mem_alloc(bytes);
    for (size_t i = 0; i < s->p.count; i++) s->p.q[i][1] *= 1.01f; // pulls at all links
    memcpy(start, s->p.q, bytes);
    assert_ok(pbd_distance.find(s, b, &pass));
    pbd_distance.project(s, b, &pass);
    memcpy(together, s->p.q, bytes);
    memcpy(s->p.q, start, bytes);
    const pbd_columns columns = {b->count, b->particle, b->rest, b->compliance, b->lambda, NULL};
    const pbd_lane_pass lanes = {
        .inverse_dt2 = (float)(1 / (pass.dt * pass.dt)), .fresh = true, .snap = s->frames.snap, .owner = s};
    for (size_t c = 0; c < b->count; c++) b->lanes->project(&columns, &lanes, c, c + 1, s->p.q);
    assert_memory_equal(s->p.q, together, bytes);
    mem_free(start);
    mem_free(together);
    firn_world_close(world);
}

static void test_slabs_give_the_same_bits(void **state) {
    (void)state;
    uint64_t hash = soft_hash(bar(), 1, 10);
    for (int t = 1; t < THREAD_COUNTS; t++) assert_true(soft_hash(bar(), thread_counts[t], 10) == hash);
    firn_world *whole = bar(), *cut = bar();
    for (int i = 0; i < 5; i++) assert_ok(firn_world_step(whole));
    assert_restarts(whole, cut, 5);
    firn_world_close(whole);
    firn_world_close(cut);
}

// Some of the allocations of a creation and a step fail, one after the other.
static void fail_some(const firn_world_def *def, size_t apart) {
    failing_allocator f;
    size_t calls = 1;
    for (size_t n = 1; n <= calls; n += apart) {
        fail_allocation(&f, n);
        firn_world *world;
        firn_status status = firn_world_create(def, &world);
        if (status == FIRN_OK) {
            status = firn_world_step(world);
            firn_world_close(world);
        }
        calls = f.calls;
        assert_true(status == FIRN_OK || status == FIRN_NO_MEMORY);
        firn_set_allocator(NULL);
    }
}

static void test_failing_memory(void **state) {
    (void)state;
    soft_world w;
    soft_lattice(&w, 5, 4, 3, 0.05);
    w.pbd.solver = FIRN_PBD_JACOBI;
    fail_some(&w.world, 3);
    wet_pool(&w, dvec(0, 0, 0), dvec(0.3, 0.3, 0.3), 0.05);
    wet_box(&w, dvec(0, 0, 0), dvec(0.4, 2, 0.4));
    w.pbd.solver = FIRN_PBD_GAUSS_SEIDEL;
    fail_some(&w.world, 5);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_restart_gives_the_same_bits),
        cmocka_unit_test(test_slabs_are_independent),
        cmocka_unit_test(test_slabs_give_the_same_bits),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
