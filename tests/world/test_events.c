// firn-test: threaded
// Events: each kind against what the state says, the same list on any number of threads, and no trace in the
// state.
#include "worlds.h"

#include <math.h>

#include "body/events.h"

enum { ALL = (1u << FIRN_EVENT_KINDS) - 1 };

static size_t take(const firn_world *world, const firn_event **events) {
    size_t count;
    uint64_t dropped;
    assert_ok(firn_world_events(world, events, &count, &dropped));
    assert_int_equal(dropped, 0);
    return count;
}

typedef struct tally {
    size_t count[FIRN_EVENT_KINDS];
    double amount[FIRN_EVENT_KINDS];
} tally;

static void add(const firn_world *world, tally *sum) {
    const firn_event *events;
    size_t count = take(world, &events);
    for (size_t i = 0; i < count; i++) {
        sum->count[events[i].kind]++;
        sum->amount[events[i].kind] += events[i].amount;
    }
}

static void test_names_and_limits(void **state) {
    (void)state;
    for (int k = 0; k < FIRN_EVENT_KINDS; k++) {
        assert_non_null(firn_event_name((firn_event_kind)k));
        for (int j = 0; j < k; j++)
            assert_string_not_equal(firn_event_name((firn_event_kind)k), firn_event_name((firn_event_kind)j));
    }
    firn_event_list list = {.kinds = 1u << FIRN_EVENT_MELT, .step = 7, .time = 3};
    const firn_event melt = {.kind = FIRN_EVENT_MELT}, other = {.kind = FIRN_EVENT_BREAK};
    for (int i = 0; i < 70000; i++) firn_event_add(&list, &melt);
    firn_event_add(&list, &other);
    assert_int_equal(list.count, 65536);
    assert_int_equal(list.dropped, 70000 - 65536);
    assert_int_equal(list.items[9].step, 7);
    mem_free(list.items);
}

// A ball falls for 0.4 s, bounces, and comes down again.
static void test_bodies_collide(void **state) {
    (void)state;
    firn_world *world = open_text(
        "firn: 1\ngravity: [0, -10, 0]\nmax_step: 2 ms\nbodies:\n"
        "  ground: {shape: plane, restitution: 0.5}\n"
        "  ball: {shape: {sphere: {radius: 10 cm}}, at: [0, 0.9, 0], motion: dynamic, restitution: 0.5}\n");
    const firn_event *events;
    double mass = firn_world_body_state(world, 1).mass;
    assert_ok(firn_world_listen(world, ALL));
    assert_ok(firn_world_advance(world, 0.39));
    assert_int_equal(take(world, &events), 0);
    assert_ok(firn_world_advance(world, 0.02));
    assert_int_equal(take(world, &events), 1);
    assert_int_equal(events[0].kind, FIRN_EVENT_CONTACT_BEGIN);
    assert_string_equal(events[0].model, "bodies");
    assert_true(events[0].body == 0 && events[0].other == 1);
    assert_near(events[0].time, 0.4, 0.005);
    assert_near(events[0].position.y, 0, 0.01);
    assert_near(events[0].amount, mass * 4 * 1.5, 0.03 * mass * 6); // from 4 m/s down to 2 m/s up
    assert_ok(firn_world_advance(world, 0.04));
    assert_int_equal(take(world, &events), 1);
    assert_int_equal(events[0].kind, FIRN_EVENT_CONTACT_END);
    assert_ok(firn_world_advance(world, 0.36)); // 0.4 s in the air
    assert_int_equal(take(world, &events), 1);
    assert_int_equal(events[0].kind, FIRN_EVENT_CONTACT_BEGIN);
    assert_near(events[0].time, 0.8, 0.01);
    firn_world_close(world);
}

static void test_a_model_meets_a_body(void **state) {
    (void)state;
    firn_world *world =
        open_text("firn: 1\nmax_step: 5 ms\nbodies: {tray: {shape: {box: {size: [1 m, 10 cm, 1 m]}}, motion: "
                  "kinematic, restitution: 0}}\n"
                  "grains: {radius: 1 cm, restitution: 0, fill: {few: {shape: {box: {size: [10 cm, 10 cm, 10 "
                  "cm]}}, at: "
                  "[0, 0.3, 0], spacing: 4 cm}}}\n");
    const firn_event *events;
    assert_ok(firn_world_listen(world, 1u << FIRN_EVENT_CONTACT_BEGIN | 1u << FIRN_EVENT_CONTACT_END));
    assert_ok(firn_world_advance(world, 1));
    assert_int_equal(take(world, &events), 1); // and they stay
    assert_int_equal(events[0].kind, FIRN_EVENT_CONTACT_BEGIN);
    assert_string_equal(events[0].model, "grains");
    assert_true(events[0].body == 0 && events[0].other == SIZE_MAX && events[0].amount > 0);
    assert_ok(firn_world_body_set_target(world, 0, (firn_vec3){0, -5, 0}, (firn_quat){1, 0, 0, 0}, 0));
    assert_ok(firn_world_advance(world, 0.1));
    assert_int_equal(take(world, &events), 1);
    assert_int_equal(events[0].kind, FIRN_EVENT_CONTACT_END);
    assert_ok(firn_world_advance(world, 0.1));
    assert_int_equal(take(world, &events), 0);
    firn_world_close(world);
}

// As many events as links are gone.
static void test_links_break(void **state) {
    (void)state;
    firn_world *world = open_text(
        "firn: 1\nmax_step: 5 ms\nbodies: {ground: {shape: plane}}\n"
        "pbd: {iterations: 4, solids: {rope: {lattice: [12, 1, 6], spacing: 4 cm, at: [0, 1, 0], links: "
        "neighbours, neighbours: 8, stiffness: 500 N/m, break_strain: 0.02}}, pins: {left: {shape: {box: "
        "{size: [6 cm, 10 cm, 1 m]}}, at: [-0.22, 1, 0]}}}\n");
    size_t before = firn_world_field(world, "pbd.links").count;
    tally sum = {0};
    assert_ok(firn_world_listen(world, ALL));
    for (int i = 0; i < 40; i++) {
        assert_ok(firn_world_step(world));
        add(world, &sum);
        const firn_event *events;
        for (size_t k = 0, n = take(world, &events); k < n; k++)
            if (events[k].kind == FIRN_EVENT_BREAK)
                assert_true(events[k].item != events[k].partner && events[k].position.y > 0.2);
    }
    size_t gone = before - firn_world_field(world, "pbd.links").count;
    print_message("%zu links of %zu broke\n", gone, before);
    assert_true(gone > 0);
    // The field has two ends for each link.
    assert_true(sum.count[FIRN_EVENT_BREAK] == gone || 2 * sum.count[FIRN_EVENT_BREAK] == gone);
    firn_world_close(world);
}

// The counters of phase: melted, frozen, formed, broken. Snow on a hot plate, then water on a cold one.
static void test_snow_melts_and_water_freezes(void **state) {
    (void)state;
    static const char *const plates[] = {"80 C", "-60 C"};
    for (int k = 0; k < 2; k++) {
        char scene[1200];
        snprintf(scene, sizeof scene,
                 "firn: 1\nair: {temperature: %s}\n"
                 "bodies: {plate: {shape: {box: {size: [28 cm, 4 cm, 28 cm]}}, at: [0, -2 cm, 0], "
                 "temperature: %s}}\n"
                 "phase:\n  mass: 8 g\n  heat: {time_lapse: 60000, exchange: 20 W/m2K}\n"
                 "  box: {friction: 0.3, walls: [{low: [-0.12, -1, -0.12], high: [0.12, 2, 0.12]}]}\n"
                 "  %s: {block: {shape: {box: {size: [24 cm, 16 cm, 24 cm]}}, at: [0, 8 cm, 0], temperature: "
                 "%s}}\n",
                 k ? "-30 C" : "15 C", plates[k], k ? "water" : "snow", k ? "1 C" : "-2 C");
        firn_world *world = open_text(scene);
        tally sum = {0};
        assert_ok(firn_world_listen(world, ALL));
        for (int i = 0; i < 10; i++) {
            assert_ok(firn_world_advance(world, 0.1));
            add(world, &sum);
        }
        const double *counters = firn_world_field(world, "phase.counters").data;
        print_message("melted %g, frozen %g, links broken %g\n", counters[0], counters[1], counters[3]);
        assert_true(counters[k] > 5);
        assert_int_equal(sum.count[FIRN_EVENT_MELT], (size_t)counters[0]);
        assert_int_equal(sum.count[FIRN_EVENT_FREEZE], (size_t)counters[1]);
        assert_int_equal(sum.count[FIRN_EVENT_BREAK], (size_t)counters[3]);
        firn_world_close(world);
    }
}

enum { MOST_PARTICLES = 20000 };

// Mass of each piece of snow whose strength fell to 1/e since the last call, by the fields of the world.
static void newly_broken(const firn_world *world, const double hardening[2], bool *broken, double mass[2]) {
    firn_field jp = firn_world_field(world, "mpm.plastic");
    const uint32_t *id = firn_world_field(world, "mpm.id").data,
                   *snow = firn_world_field(world, "mpm.snow").data;
    const float *m = firn_world_field(world, "mpm.mass").data;
    mass[0] = mass[1] = 0;
    for (size_t i = 0; i < jp.count; i++) {
        assert_true(id[i] < MOST_PARTICLES);
        bool now = (float)hardening[snow[i]] * (((const float *)jp.data)[i] - 1) > 1;
        if (now && !broken[id[i]]) mass[snow[i]] += (double)m[i];
        broken[id[i]] = now;
    }
}

// A snowball bursts on the ground; a block beside it stays whole.
static void test_snow_breaks(void **state) {
    (void)state;
    static const double hardening[2] = {30, 10};
    static bool broken[MOST_PARTICLES];
    firn_world *world = open_text(
        "firn: 1\nduration: 1 s\nbodies: {ground: {shape: plane}}\n"
        "mpm: {cell: 8 cm, snow: {ball: {shape: {sphere: {radius: 20 cm}}, at: [0, 0.3, 0], young: 1 MPa, "
        "poisson: "
        "0.3, critical_stretch: 0.002, hardening: 30, softening_length: 0, velocity: [0, -10, 0]},\n"
        "block: {shape: {box: {size: [32 cm, 16 cm, 32 cm]}}, at: [3, 0.08, 0], hardening: 10, "
        "softening_length: 0}}}\n");
    memset(broken, 0, sizeof broken);
    assert_ok(firn_world_listen(world, 1u << FIRN_EVENT_BREAK));
    double total[2] = {0}, mass[2];
    while (firn_world_time(world) < 0.15) {
        assert_ok(firn_world_step(world));
        newly_broken(world, hardening, broken, mass);
        const firn_event *events;
        size_t count = take(world, &events), expected = 0;
        for (uint64_t k = 0; k < 2; k++) {
            if (!(mass[k] > 0)) continue;
            assert_true(expected < count);
            const firn_event *e = &events[expected++];
            assert_int_equal(e->kind, FIRN_EVENT_BREAK);
            assert_string_equal(e->model, "mpm");
            assert_int_equal(e->item, k);
            assert_true(e->partner == UINT64_MAX);
            assert_near(e->amount / mass[k], 1, 1e-6);
            assert_true(fabs(e->position.x - 3 * (double)k) < 1 && e->position.y > -0.1 && e->position.y < 1);
            total[k] += e->amount;
        }
        assert_int_equal(count, expected);
    }
    print_message("broken: ball %.4g kg, block %.4g kg of %.4g kg\n", total[0], total[1],
                  ledger_of(world, "mpm").mass);
    assert_true(total[0] > 1 && total[1] == 0);
    firn_world_close(world);
}

static void test_flakes_land(void **state) {
    (void)state;
    firn_world *world =
        open_text("firn: 1\nfps: 10\nmax_step: 100 ms\nbodies: {ground: {shape: plane}}\n"
                  "wind: {grid: [16, 12, 16], cell: 20 cm, inflow: {side: west, speed: 2 m/s}}\n"
                  "flakes: {snowfall: 3600 mm/h, shown: 2000}\ncover: {snow: fresh}\n");
    firn_ledger start = ledger_of(world, "wind");
    tally sum = {0};
    assert_ok(firn_world_listen(world, ALL));
    for (int i = 0; i < 4; i++) {
        assert_ok(firn_world_advance(world, 1));
        add(world, &sum);
    }
    const uint64_t *counters = firn_world_field(world, "wind.counters").data;
    assert_true(counters[1] > 100);
    assert_int_equal(sum.count[FIRN_EVENT_LANDED], counters[1]);
    const double *flake = firn_world_field(world, "wind.flake").data;
    assert_near(sum.amount[FIRN_EVENT_LANDED] / ((double)counters[1] * flake[0]), 1, 1e-9);
    firn_ledger end = ledger_of(world, "wind");
    assert_near(sum.amount[FIRN_EVENT_ENTERED], end.mass_in - start.mass_in, 1e-9 * end.mass_in);
    assert_true(sum.count[FIRN_EVENT_ENTERED] > 10);
    firn_world_close(world);
}

static void test_grains_leave(void **state) {
    (void)state;
    firn_world *world = open_text("firn: 1\nmax_step: 10 ms\n"
                                  "grains: {radius: 1 cm, floor: -1 m, fill: {few: {shape: {box: {size: [10 "
                                  "cm, 40 cm, 10 cm]}}, spacing: 4 cm}}}\n");
    double mass = ledger_of(world, "grains").mass;
    tally sum = {0};
    assert_ok(firn_world_listen(world, 1u << FIRN_EVENT_LEFT));
    for (int i = 0; i < 10; i++) {
        assert_ok(firn_world_advance(world, 0.1));
        add(world, &sum);
    }
    assert_near(sum.amount[FIRN_EVENT_LEFT], mass, 1e-9 * mass);
    assert_true(sum.count[FIRN_EVENT_LEFT] > 1);
    firn_world_close(world);
}

static bool same(const firn_event *a, const firn_event *b) {
    return a->kind == b->kind && strcmp(a->model, b->model) == 0 && a->step == b->step &&
           a->time == b->time && a->body == b->body && a->other == b->other && a->item == b->item &&
           a->partner == b->partner && a->position.x == b->position.x && a->position.y == b->position.y &&
           a->position.z == b->position.z && a->amount == b->amount;
}

// All models at once; and the state does not know who listened.
static void test_threads(void **state) {
    (void)state;
    firn_event *first = NULL;
    size_t count = 0;
    uint64_t hash = 0;
    for (int k = -1; k < THREAD_COUNTS; k++) {
        firn_world *world;
        assert_ok(firn_set_threads(k < 0 ? 0 : thread_counts[k]));
        assert_ok(firn_world_open(FIRN_TEST_DATA "/scenes/all-models.yaml", &world));
        if (k >= 0) assert_ok(firn_world_listen(world, ALL));
        assert_ok(firn_world_advance(world, 0.3));
        const firn_event *events;
        size_t n = take(world, &events);
        if (k < 0) hash = firn_world_hash(world);
        assert_int_equal(firn_world_hash(world), hash);
        assert_true(k >= 0 ? n > 100 : n == 0);
        if (k == 0) {
            first = malloc(n * sizeof *first);
            memcpy(first, events, n * sizeof *first);
            count = n;
        }
        for (size_t i = 0; k > 0 && i < n; i++) assert_true(same(&first[i], &events[i]));
        if (k > 0) assert_int_equal(n, count);
        firn_world_close(world);
    }
    free(first);
    assert_ok(firn_set_threads(0));
}

// A load starts afresh; no memory for the list means no list, not a failed step.
static void test_load_and_memory(void **state) {
    (void)state;
    firn_world *world = open_text("firn: 1\nmax_step: 10 ms\nbodies: {ground: {shape: plane}, ball: {shape: "
                                  "{sphere: {radius: 10 cm}}, at: [0, 0.1, 0], motion: dynamic}}\n");
    const firn_event *events;
    void *data;
    size_t bytes;
    failing_allocator failing;
    fail_allocation(&failing, 1);
    assert_int_equal(firn_world_listen(world, ALL), FIRN_NO_MEMORY);
    assert_ok(firn_set_allocator(NULL));
    assert_int_equal(take(world, &events), 0);
    assert_ok(firn_world_listen(world, ALL));
    assert_ok(firn_world_advance(world, 0.1));
    assert_int_equal(take(world, &events), 1);
    assert_ok(firn_world_save(world, &data, &bytes));
    assert_ok(firn_world_advance(world, 0.1));
    assert_int_equal(take(world, &events), 0);
    assert_ok(firn_world_load(world, data, bytes));
    assert_int_equal(take(world, &events), 0);
    assert_ok(firn_world_advance(world, 0.1));
    assert_int_equal(take(world, &events), 1); // it is told of again
    assert_ok(firn_world_listen(world, 0));
    assert_ok(firn_world_advance(world, 0.1));
    assert_int_equal(take(world, &events), 0);
    firn_data_free(data);
    firn_world_close(world);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_limits),
        cmocka_unit_test(test_bodies_collide),
        cmocka_unit_test(test_a_model_meets_a_body),
        cmocka_unit_test(test_links_break),
        cmocka_unit_test(test_snow_breaks),
        cmocka_unit_test(test_snow_melts_and_water_freezes),
        cmocka_unit_test(test_flakes_land),
        cmocka_unit_test(test_grains_leave),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_load_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
