// Neighbour lists equal brute force on random, clustered, far flung and empty sets; blocks of one colour have
// no neighbour in common.
#include "support.h"

#include <math.h>

#include "base/random.h"
#include "grid/neighbours.h"

enum { MOST = 1500 };
static float at[MOST][4];

static float unit(uint64_t i, int k, uint32_t stream) { return random_unit(random_bits(5, i, 0, stream), k); }

static void scatter(size_t n, float size, size_t clusters, uint32_t stream) {
    for (size_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) {
            float middle = clusters ? 20 * unit(i % clusters, a, stream + 1) - 10 : 0;
            at[i][a] = middle + size * (unit(i, a, stream) - 0.5f);
        }
}

static size_t brute_force(size_t i, size_t n, float radius, bool half, uint8_t *accept) {
    size_t count = 0;
    for (size_t j = 0; j < n; j++) {
        float dx = at[i][0] - at[j][0], dy = at[i][1] - at[j][1], dz = at[i][2] - at[j][2];
        accept[j] = j != i && (!half || j > i) && dx * dx + dy * dy + dz * dz < radius * radius;
        count += accept[j];
    }
    return count;
}

static void compare(size_t n, float radius, bool half) {
    neighbour_grid grid = {0};
    neighbour_lists lists = {0};
    assert_ok(neighbour_grid_build(&grid, at[0], 4, n, (double)radius));
    assert_ok(neighbour_lists_build(&lists, &grid, at[0], 4, (double)radius, half, NULL, NULL));
    static uint8_t accept[MOST];
    size_t pairs = 0;
    for (size_t i = 0; i < n; i++) {
        size_t count = brute_force(i, n, radius, half, accept);
        assert_int_equal(lists.first[i + 1] - lists.first[i], count);
        for (uint32_t k = lists.first[i]; k < lists.first[i + 1]; k++) {
            assert_true(accept[lists.index[k]]); // and each only once:
            accept[lists.index[k]] = 0;
        }
        pairs += count;
    }
    print_message("%zu points, %zu neighbours, %zu cells\n", n, pairs, grid.cells);
    neighbour_grid_free(&grid);
    neighbour_lists_free(&lists);
}

static void test_lists_equal_brute_force(void **state) {
    (void)state;
    scatter(MOST, 4, 0, 11);
    compare(MOST, 0.5f, false);
    compare(MOST, 0.5f, true);
    scatter(MOST, 0.2f, 7, 21); // clusters: cells of hundreds
    compare(MOST, 0.3f, false);
    scatter(400, 1, 0, 31); // far out, on an axis: the grid wraps around
    for (size_t i = 300; i < 400; i++) at[i][0] += (i % 2 ? 1e5f : -3e3f) * (float)(i - 299);
    compare(400, 0.25f, false);
    scatter(300, 0, 0, 41); // all in one place
    compare(300, 0.1f, true);
    compare(0, 0.5f, false);
    compare(1, 0.5f, false);
}

static void test_strange_points_do_no_harm(void **state) {
    (void)state;
    scatter(100, 1, 0, 51);
    at[3][0] = NAN, at[4][1] = INFINITY, at[5][2] = -1e30f;
    compare(100, 0.3f, false);
}

typedef struct touches {
    const neighbour_lists *lists;
    uint32_t *by, *blocks; // which block touched a point last; how many blocks there were
    size_t seen;
} touches;

static void touch(void *context, const uint32_t *points, size_t n) {
    touches *t = context;
    uint32_t self = ++*t->blocks;
    for (size_t i = 0; i < n; i++) {
        t->by[points[i]] = self;
        for (uint32_t k = t->lists->first[points[i]]; k < t->lists->first[points[i] + 1]; k++)
            t->by[t->lists->index[k]] = self;
    }
    t->seen += n;
}

// One colour alone: whoever touched a point last is the only one who did.
static void check_colour(const neighbour_colours *c, int colour, const neighbour_lists *lists, size_t n) {
    uint32_t by[MOST] = {0}, count = 0;
    for (uint32_t b = c->colour[colour]; b < c->colour[colour + 1]; b++) {
        uint32_t self = ++count;
        for (uint32_t i = c->block[b]; i < c->block[b + 1]; i++) {
            uint32_t p = c->point[i];
            for (uint32_t k = lists->first[p]; k < lists->first[p + 1]; k++) {
                uint32_t q = lists->index[k];
                assert_true(by[q] == 0 || by[q] == self);
                by[q] = self;
            }
            assert_true(by[p] == 0 || by[p] == self);
            by[p] = self;
        }
    }
    (void)n;
}

static void test_blocks_of_a_colour_do_not_meet(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        scatter(MOST, round == 2 ? 0.4f : 4, round == 1 ? 3 : 0, 60 + (uint32_t)round);
        neighbour_grid grid = {0};
        neighbour_lists lists = {0};
        neighbour_colours colours = {0};
        assert_ok(neighbour_grid_build(&grid, at[0], 4, MOST, 0.3));
        assert_ok(neighbour_lists_build(&lists, &grid, at[0], 4, 0.3, false, NULL, NULL));
        assert_ok(neighbour_colours_build(&colours, &grid));
        for (int k = 0; k < 8; k++) check_colour(&colours, k, &lists, MOST);
        uint32_t by[MOST], blocks = 0;
        touches t = {&lists, by, &blocks, 0};
        firn_set_threads(1);
        neighbour_colours_run(&colours, touch, &t);
        firn_set_threads(0);
        assert_int_equal(t.seen, MOST); // every point once
        neighbour_grid_free(&grid);
        neighbour_lists_free(&lists);
        neighbour_colours_free(&colours);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_equal_brute_force),
        cmocka_unit_test(test_strange_points_do_no_harm),
        cmocka_unit_test(test_blocks_of_a_colour_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
