// A lump of MPM snow is dropped on the snow field, for each snow type and from two heights: it presses a
// crater in which no snow is missing, and comes to rest there with its whole mass. firn-test: slow
#include "mpm_field.h"

enum { CELLS = 32 };
static const double CELL = 0.05, DEPTH = 0.3;

static firn_world *drop(const char *type, double height, const char *coupling) {
    char words[900];
    snprintf(words, sizeof words,
             HEAD "field: {width: 1.6 m, length: 1.6 m, cell: 5 cm, depth: 30 cm, snow: %s}\n"
                  "mpm: {cell: 6 cm, snow: {ball: {type: packed, shape: {sphere: {radius: 12 cm}}, at: [0, "
                  "0.43, 0], velocity: [0, %g, 0]}}}\n%s",
             type, -sqrt(2 * 9.81 * height), coupling);
    return open_world(words);
}

typedef struct crater {
    double volume, deepest; // m3 by which the surface is lower; m
    double mass;            // kg, depth times density, within 60 cm of the middle
} crater;

static crater look(const firn_world *world) {
    static float depth[CELLS * CELLS], density[CELLS * CELLS];
    firn_snowfield f;
    crater c = {0};
    assert_ok(firn_world_snowfield(world, &f));
    firn_snowfield_read(&f, (firn_cells){0, 0, CELLS, CELLS}, NULL, depth, density);
    for (int k = 0; k < CELLS * CELLS; k++) {
        double x = (k % CELLS + 0.5) * CELL - 0.8, z = (k / CELLS + 0.5) * CELL - 0.8;
        if (hypot(x, z) > 0.6) continue;
        c.volume += (DEPTH - (double)depth[k]) * CELL * CELL;
        c.deepest = fmax(c.deepest, DEPTH - (double)depth[k]);
        c.mass += (double)depth[k] * (double)density[k] * CELL * CELL;
    }
    return c;
}

// While the lump stays a lump: what is missing in height is there as density.
static crater pressed(const char *type, double height, double *lump) {
    firn_world *world = drop(type, height, "coupling: {mpm_field: {settle: no, release: no}}\n");
    crater before = look(world);
    *lump = ledger_of(world, "mpm").mass;
    assert_ok(firn_world_advance(world, 1));
    crater after = look(world);
    assert_near(after.mass, before.mass, 1e-5 * before.mass);
    firn_world_close(world);
    return after;
}

// By default: all of it lies there in the end.
static double kept(const char *type, double height) {
    firn_world *world = drop(type, height, "");
    double before = look(world).mass, all = mass_of(world);
    while (firn_world_time(world) < 3 && particles_of(world) > 0) {
        assert_ok(firn_world_advance_frame(world));
        assert_near(mass_of(world), all, 1e-12 * all);
    }
    double more = look(world).mass - before + ledger_of(world, "mpm").mass;
    firn_world_close(world);
    return more;
}

static void test_a_crater_has_the_mass_of_its_snow(void **state) {
    (void)state;
    static const char *const types[] = {"fresh", "powder", "granular", "wet", "packed"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        double lump, last = 0;
        for (int k = 0; k < 2; k++) {
            double height = k == 0 ? 0.25 : 1;
            crater c = pressed(types[i], height, &lump);
            double stays = kept(types[i], height);
            print_message(
                "%s, from %.2f m: crater %.1f cm deep, %.2f l; of the lump's %.3f kg %.3f lie there\n",
                types[i], height, 100 * c.deepest, 1000 * c.volume, lump, stays);
            assert_true(c.volume >= last);
            assert_near(stays, lump, 0.02 * lump);
            last = c.volume;
        }
        assert_true(i > 2 || last > 1e-3); // loose snow gives way
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_crater_has_the_mass_of_its_snow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
