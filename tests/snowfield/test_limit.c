// What is much too steep is brought to its limit at once.
#include "snowfield/snowfield_world.h"

#include "base/random.h"
#include "snowfield/snowfield_inside.h"

// Masses of all cells from a height in m at each; snow of one density on level ground.
static void lay(snowfield_state *s, double (*height)(int32_t x, int32_t z)) {
    snowfield_rect all = {0, 0, s->nx, s->nz};
    assert_ok(snowfield_tiles_make(s, all));
    for (int32_t z = 0; z < s->nz; z++)
        for (int32_t x = 0; x < s->nx; x++)
            s->tiles.mass[snowfield_cell(s, x, z)] = snowfield_mass(height(x, z), (double)s->law.density);
    snowfield_touch(s, all);
}

static int64_t all_mass(const snowfield_state *s) {
    int64_t sum = 0;
    for (int32_t z = 0; z < s->nz; z++)
        for (int32_t x = 0; x < s->nx; x++) sum += s->tiles.mass[snowfield_cell(s, x, z)];
    return sum;
}

static double height_at(const snowfield_state *s, int32_t x, int32_t z) {
    return snowfield_surface(s, snowfield_cell(s, x, z)) * HEIGHT_UNIT;
}

static double fall(const snowfield_state *s, int32_t x, int32_t z, int32_t dx, int32_t dz) {
    int32_t nx = x + dx, nz = z + dz;
    if (nx < 0 || nz < 0 || nx >= s->nx || nz >= s->nz) return 0;
    return fmax(height_at(s, x, z) - height_at(s, nx, nz), 0);
}

// Largest slope over the tangent of its limit.
static double steepest(const snowfield_state *s) {
    double worst = 0;
    for (int32_t z = 0; z < s->nz; z++) {
        for (int32_t x = 0; x < s->nx; x++) {
            double gx = fmax(fall(s, x, z, -1, 0), fall(s, x, z, 1, 0)),
                   gz = fmax(fall(s, x, z, 0, -1), fall(s, x, z, 0, 1));
            worst = fmax(worst, hypot(gx, gz) / (s->def.cell * (double)s->law.tan_loose));
        }
    }
    return worst;
}

static firn_world *open_field(int nx, int nz, int tile) {
    snowfield_world w;
    snowfield_setup(&w, nx);
    w.field.length = nz * w.field.cell;
    w.field.tile = tile;
    w.field.depth = 0.02;
    w.field.slope_loose = w.field.slope_packed = 31 * 3.14159265358979 / 180;
    return snowfield_open(&w);
}

enum { WALL_CELLS = 20 };
#define WALL_TOP 6.0
#define FLOOR 0.02

static double wall(int32_t x, int32_t z) {
    (void)z;
    return x < WALL_CELLS ? WALL_TOP : FLOOR;
}

// E falls from the wall's top to its foot inside it, U away from the wall: two triangles, and the mean of
// them that keeps the mass. U reaches 500 cells.
static void test_a_wall_becomes_the_mean_of_two_slopes(void **state) {
    (void)state;
    firn_world *world = open_field(640, 24, 64);
    snowfield_state *s = state_of(world);
    lay(s, wall);
    int64_t before = all_mass(s);
    assert_ok(snowfield_limit_slopes(s));
    assert_true(all_mass(s) == before);
    double cell = s->def.cell, tan = (double)s->law.tan_loose, high = WALL_TOP - FLOOR, given = 0, got = 0;
    for (int x = 0; x < s->nx; x++) {
        double away = (x - WALL_CELLS + 1) * cell; // from the last cell of the wall
        if (x < WALL_CELLS)
            given += high - fmin(tan * (1 * cell - away), high);
        else
            got += fmax(high - tan * away, 0);
    }
    double share = given / (given + got);
    for (int x = WALL_CELLS; x < 450; x += 80) {
        double wanted = share * (high - tan * (x - WALL_CELLS + 1) * cell);
        double found = height_at(s, x, 12) - FLOOR;
        print_message("cell %d: %.4f m, wanted %.4f\n", x, found, wanted);
        assert_true(fabs(found - wanted) < 0.02 * wanted + 2e-3);
    }
    assert_true(steepest(s) < 1.03);
    firn_world_close(world);
}

static double bumps(int32_t x, int32_t z) {
    random4 r = random_bits(3, (uint64_t)(x / 7 + 1000 * (z / 5)), 0, 0);
    return 0.1 + 0.9 * (double)random_unit(r, 0) * (double)random_unit(r, 1);
}

// Walls of all heights side by side: nothing stays too steep, no unit is lost, tiles and threads do not show.
static void test_bumps_come_to_their_limit(void **state) {
    (void)state;
    firn_set_threads(1);
    firn_world *first = open_field(210, 170, 64);
    snowfield_state *a = state_of(first);
    lay(a, bumps);
    int64_t before = all_mass(a);
    assert_true(steepest(a) > 10);
    assert_ok(snowfield_limit_slopes(a));
    assert_true(all_mass(a) == before);
    print_message("steepest %.4f\n", steepest(a));
    assert_true(steepest(a) < 1.05);
    for (int tile = 16; tile <= 32; tile *= 2) {
        firn_set_threads(3);
        firn_world *other = open_field(210, 170, tile);
        snowfield_state *b = state_of(other);
        lay(b, bumps);
        assert_ok(snowfield_limit_slopes(b));
        for (int32_t z = 0; z < a->nz; z++) {
            for (int32_t x = 0; x < a->nx; x++) {
                size_t i = snowfield_cell(a, x, z), k = snowfield_cell(b, x, z);
                if (a->tiles.mass[i] != b->tiles.mass[k] || a->tiles.density[i] != b->tiles.density[k])
                    fail_msg("cell %d, %d differs with tiles of %d", x, z, tile);
            }
        }
        firn_world_close(other);
    }
    firn_world_close(first);
    firn_set_threads(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_wall_becomes_the_mean_of_two_slopes),
                                       cmocka_unit_test(test_bumps_come_to_their_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
