// The sweep over lanes against a plain version of it, cell by cell: the same bits.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "snowfield/snowfield_slump_lanes.h"
#include "support.h"

enum { WIDTH = 48, LENGTH = 40, WAYS = 8 };
static const int way_x[WAYS] = {-1, 1, 0, 0, -1, 1, -1, 1}, way_z[WAYS] = {0, 0, -1, 1, -1, -1, 1, 1};
static const int back[WAYS] = {1, 0, 3, 2, 7, 6, 5, 4};

typedef struct given {
    int32_t ground[WAYS], top[WAYS];
} given;

static const snowfield_law law = {.density_min = 50,
                                  .density_max = 400,
                                  .densest = 400,
                                  .tan_loose = 0.6f,
                                  .tan_packed = 1.1f,
                                  .cell = 0.02f};

static uint32_t seed = 5;
static double chance(void) {
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (double)(1u << 24);
}

static float positive(float a) { return a > 0 ? a : 0; }
static float larger(float a, float b) { return a > b ? a : b; }

// What one column gives to its eight sides, of the falls to them: FIELD11 3.10, by the true slope.
static void give(const float f[WAYS], int32_t mass, float density, int32_t out[WAYS]) {
    float unit = law.cell / (float)HEIGHT_UNIT, slack = 5e-4f * unit, sum = 0, g[WAYS];
    float gain = (law.tan_packed - law.tan_loose) * unit / (law.density_max - law.density_min);
    float limit = law.tan_loose * unit + gain * (density - law.density_min), most = limit + slack;
    float gx = positive(larger(f[0], f[1])), gz = positive(larger(f[2], f[3])), slope2 = gx * gx + gz * gz;
    float rest = 0.97f * limit;
    float over = slope2 > most * most ? 0.24f * (1 - rest / larger(sqrtf(slope2), 1)) : 0;
    for (int w = 0; w < WAYS; w++) {
        g[w] = w < 4                       ? positive(f[w]) * over
               : f[w] > 1.41421356f * most ? 0.125f * (f[w] - 1.41421356f * rest)
                                           : 0;
        sum = w ? sum + g[w] : g[w];
    }
    float depth = (float)mass * (float)(MASS_UNIT / HEIGHT_UNIT) / density * (1 - 1e-6f);
    float share = depth / larger(sum, 1e-6f);
    share = 1 < share ? 1 : share;
    for (int w = 0; w < WAYS; w++)
        out[w] = (int32_t)(g[w] * (share * density * (float)(HEIGHT_UNIT / MASS_UNIT)));
}

// From the snow on the ground: onto the neighbour's body if that is lower, else as far as there is room below
// it.
static float fall_to(const slump_patch *p, int32_t here, size_t n) {
    bool onto = p->upper[n] < here, open = onto || p->roof[n] == INT32_MAX;
    int32_t gap = p->roof[n] - p->height[n] - 8, room = open ? 0x3fffffff : (gap > 0 ? gap : 0) >> 1;
    int32_t fall = here - (onto ? p->upper[n] : p->height[n]);
    return (float)(fall < room ? fall : room);
}

static size_t side_of(size_t i, int w) { return (size_t)((ptrdiff_t)i + way_z[w] * PATCH_STRIDE + way_x[w]); }

static void settle(int32_t kept, int32_t in, float volume, int32_t *mass, float *density) {
    float mixed = (float)(kept + in) / larger((float)kept / *density + volume, 1e-20f);
    mixed = law.density_max < mixed ? law.density_max : mixed;
    mixed = law.density_min > mixed ? law.density_min : mixed;
    *mass = kept + in;
    if (in > 0) *density = mixed;
}

static void plain_sweep(slump_patch *p) {
    static given out[PATCH_CELLS];
    static slump_patch old;
    old = *p;
    memset(out, 0, sizeof out);
    for (int z = 0; z < LENGTH; z++)
        for (int x = 0; x < WIDTH; x++) {
            size_t i = patch_at(x, z);
            float f[WAYS], t[WAYS];
            if (x == 0 || x == WIDTH - 1 || z == 0 || z == LENGTH - 1)
                continue; // these do not see all around
            for (int w = 0; w < WAYS; w++) {
                size_t n = side_of(i, w);
                f[w] = p->roofed ? fall_to(p, p->height[i], n) : (float)(p->height[i] - p->height[n]);
                t[w] = p->roofed ? (float)(p->upper[i] - p->upper[n]) : 0;
            }
            give(f, p->mass[i], p->density[i], out[i].ground);
            if (p->roofed && p->top_mass[i] > 0) give(t, p->top_mass[i], p->top_density[i], out[i].top);
        }
    for (int z = 0; z < LENGTH - 1; z++) // the last row is the patch's rim
        for (int x = 0; x < WIDTH; x++) {
            size_t i = patch_at(x, z);
            bool body = p->roofed && p->roof[i] != INT32_MAX;
            int32_t in = 0, on = 0, away = 0, slid = 0;
            float volume = 0, top_volume = 0;
            for (int w = 0; w < WAYS; w++) {
                size_t n = side_of(i, w);
                int32_t g = out[n].ground[back[w]], t = out[n].top[back[w]];
                bool onto = body && old.upper[i] < old.height[n];
                float thin = 1 / old.density[n], top_thin = p->roofed ? 1 / old.top_density[n] : 0;
                in += (onto ? 0 : g) + (body ? 0 : t);
                on += (onto ? g : 0) + (body ? t : 0);
                volume = volume + (float)(onto ? 0 : g) * thin;
                top_volume = top_volume + (float)(onto ? g : 0) * thin;
                volume = volume + (float)(body ? 0 : t) * top_thin;
                top_volume = top_volume + (float)(body ? t : 0) * top_thin;
                away += out[i].ground[w];
                slid += out[i].top[w];
            }
            settle(p->mass[i] - away, in, volume, &p->mass[i], &p->density[i]);
            p->height[i] = p->ground[i] + snowfield_depth(p->mass[i], p->density[i]);
            if (!p->roofed) continue;
            settle(p->top_mass[i] - slid, on, top_volume, &p->top_mass[i], &p->top_density[i]);
            p->upper[i] =
                body ? p->deck[i] + snowfield_depth(p->top_mass[i], p->top_density[i]) : p->height[i];
        }
}

// Rough ground, heaps, and if `roofed` some bodies with snow on top; walls all around.
static void fill(slump_patch *p, bool roofed) {
    memset(p, 0, sizeof *p);
    p->width = WIDTH;
    p->length = LENGTH;
    p->roofed = roofed;
    for (size_t i = 0; i < PATCH_CELLS; i++) {
        p->height[i] = p->upper[i] = p->ground[i] = snowfield_height(WALL_HEIGHT);
        p->roof[i] = INT32_MAX;
        p->density[i] = p->top_density[i] = 100;
    }
    for (int z = 0; z < LENGTH; z++) {
        for (int x = 0; x < WIDTH; x++) {
            size_t i = patch_at(x, z);
            p->ground[i] = snowfield_height((float)(0.03 * chance()));
            p->density[i] = (float)(50 + 350 * chance());
            p->mass[i] = snowfield_mass(chance() < 0.2 ? 0 : 0.2 * chance(), (double)p->density[i]);
            p->top_density[i] = (float)(50 + 350 * chance());
            if (!roofed || x < 15 || x > 30 || z < 12 || z > 25) continue;
            p->roof[i] = snowfield_height((float)(0.22 + 0.1 * chance()));
            p->roofs[z + 1] |= 1u << x / 8;
            p->deck[i] = p->roof[i] + snowfield_height(0.05f);
            p->top_mass[i] = chance() < 0.5 ? 0 : snowfield_mass(0.1 * chance(), (double)p->top_density[i]);
        }
        p->dirty[z + 1] = p->need[z + 1] = (1u << WIDTH / 8) - 1;
    }
    ISA_PICK(slump_heights)(p);
}

static void test_lanes_are_the_plain_sweep(void **state) {
    (void)state;
    slump_patch *lanes = malloc(sizeof *lanes), *plain = malloc(sizeof *plain);
    for (int k = 0; k < 8; k++) {
        fill(lanes, k % 2);
        *plain = *lanes;
        for (int n = 0; n < 40; n++) {
            ISA_PICK(slump_sweep)(&law, lanes);
            plain_sweep(plain);
            for (int z = 0; z < LENGTH; z++)
                for (int x = 0; x < WIDTH; x++) {
                    size_t i = patch_at(x, z);
                    if (lanes->mass[i] != plain->mass[i] || lanes->top_mass[i] != plain->top_mass[i] ||
                        lanes->height[i] != plain->height[i] ||
                        memcmp(&lanes->density[i], &plain->density[i], 4) != 0 ||
                        memcmp(&lanes->top_density[i], &plain->top_density[i], 4) != 0)
                        fail_msg("patch %d, sweep %d: cell %d, %d: mass %d, plain %d; top %d, plain %d", k, n,
                                 x, z, lanes->mass[i], plain->mass[i], lanes->top_mass[i],
                                 plain->top_mass[i]);
                }
        }
    }
    free(lanes);
    free(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lanes_are_the_plain_sweep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
