// firn-test: slow
// Heat in the whole model, while all moves: none is lost, and nothing else happens to what others leave
// behind.
#include "phase/lattice.h"
#include "phase/snowy.h"

static heat_parts parts_of(const phase *m) {
    return (heat_parts){.count = m->s->p.count, .mass = m->mass, .enthalpy = phase_enthalpy(m)};
}

static double heat_of(const phase *m) {
    const heat_parts parts = parts_of(m);
    return heat_total(&parts);
}

// Sum of what is and of what the book says, over steps with melting, a spout, a drain, air and a plate.
static void test_book(void **state) {
    (void)state;
    firn_world *world = snowy_open(
        "firn: 1\nname: book\nduration: 1 s\nair: {temperature: 15 C}\n"
        "bodies:\n  plate: {shape: {box: {size: [28 cm, 4 cm, 28 cm]}}, at: [0, -2 cm, 0], temperature: 80 "
        "C}\n"
        "phase:\n  mass: 8 g\n  heat: {time_lapse: 3000, exchange: 20 W/m2K}\n"
        "  snow: {block: {shape: {box: {size: [24 cm, 20 cm, 24 cm]}}, at: [0, 11 cm, 0], temperature: -2 "
        "C}}\n"
        "  spouts: {tap: {at: [5 cm, 35 cm, 0], velocity: [0, -1, 0], radius: 3 cm, temperature: 40 C}}\n"
        "  drains: {below: {shape: {box: {size: [2, 1, 2]}}, at: [0, -0.6, 0]}}\n");
    phase *m = snowy_model(world);
    const heat_totals *book = heat_totals_of(m->heat);
    double start = heat_of(m) - book->sources, moved = 0;
    size_t before = m->s->p.count;
    for (int k = 0; k < 12; k++) {
        snowy_run(world, 65);
        moved = fabs(book->air) + fabs(book->bodies) + fabs(book->sources) + fabs(start);
        assert_near(heat_of(m) - start, book->air + book->bodies + book->sources, 1e-6 * moved);
    }
    assert_true(book->bodies > 0 && book->air != 0 && book->sources != 0);
    assert_true(m->counters.melted > 20 && m->s->counters.mass_out > 0 && m->s->p.count != before);
    firn_world_close(world);
}

// What leaves through a drain does not disturb what stays: grains that slip off a plate fall, not more.
static void test_drain(void **state) {
    (void)state;
    firn_world *world =
        snowy_open("firn: 1\nname: drain\nduration: 2 s\n"
                   "bodies:\n  plate: {shape: {cylinder: {radius: 15 cm, length: 6 cm}}, at: [0, -3 cm, 0], "
                   "friction: 0.3}\n"
                   "phase:\n  mass: 10 g\n  links: {mode: none}\n  heat: {exchange: 0 W/m2K}\n"
                   "  snow: {ball: {shape: {sphere: {radius: 20 cm}}, at: [0, 21 cm, 0]}}\n"
                   "  drains: {below: {shape: {box: {size: [3, 10 cm, 3]}}, at: [0, -25 cm, 0]}}\n");
    phase *m = snowy_model(world);
    double fastest = 0;
    for (int k = 0; k < 60; k++) {
        snowy_run(world, 20);
        for (size_t i = 0; i < m->s->p.count; i++) {
            const float *v = m->s->p.v[i];
            fastest = fmax(fastest, (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        }
    }
    assert_true(m->s->counters.mass_out > 2);
    assert_true(sqrt(fastest) < 4); // from 60 cm above the drain
    firn_world_close(world);
}

// A stirred glass without exchange: all heat stays, and it ends where calorimetry says.
static void test_glass(void **state) {
    (void)state;
    firn_world *world = snowy_open(
        "firn: 1\nname: glass\nduration: 9 s\n"
        "phase:\n  mass: 10 g\n  heat: {time_lapse: 20000, exchange: 0 W/m2K, water_conductivity: 6 W/mK}\n"
        "  box: {walls: [{low: [-10.77 cm, 0, -10.77 cm], high: [10.77 cm, 1, 10.77 cm]}]}\n"
        "  water: {pool: {shape: {box: {size: [21.5 cm, 17.2 cm, 21.5 cm]}}, at: [0, 8.6 cm, 0], "
        "temperature: 50 C}}\n"
        "  snow: {lump: {shape: {box: {size: [12 cm, 9 cm, 12 cm]}}, at: [0, 24 cm, 0], density: 600 kg/m3, "
        "temperature: -10 C}}\n");
    phase *m = snowy_model(world);
    size_t snow = snowy_grains(m), water = m->s->p.count - snow;
    double start = heat_of(m);
    snowy_run(world, 1200);
    assert_near(heat_of(m), start, 1e-6 * fabs(start));
    double mean = 0;
    for (size_t i = 0; i < m->s->p.count; i++) mean += phase_temperature(m, i) / (double)m->s->p.count;
    double expected = (50 * 4182.0 * (double)water - (double)snow * (10 * 2090 + 334e3)) /
                      (4182.0 * (double)(snow + water));
    assert_true(snow > 20 && snowy_grains(m) == 0);
    assert_near(mean, expected, 0.01 * expected);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_book), cmocka_unit_test(test_drain),
                                       cmocka_unit_test(test_glass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
