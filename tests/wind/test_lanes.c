// The wind's passes in lanes, held against the same source one face at a time.
#include "support.h"

#include "base/memory.h"
#include "base/random.h"
#include "wind/wind_trace.h"

#include <math.h>
#include <stdlib.h>

enum { NX = 37, NY = 19, NZ = 23 };

typedef struct field {
    poisson_box box;
    float *v[3], *from, *plain, *lanes;
    uint8_t *cells, *obstacle_distance;
} field;

// Distance to the nearest obstacle, the slow way.
static uint8_t apart_at(const field *f, int32_t i, int32_t j, int32_t k) {
    int32_t least = WIND_OBSTACLE_CELLS;
    for (int32_t c = 1; c <= f->box.n[2]; c++)
        for (int32_t b = 1; b <= f->box.n[1]; b++)
            for (int32_t a = 1; a <= f->box.n[0]; a++) {
                if (f->cells[poisson_at(&f->box, a, b, c)] != POISSON_WALL) continue;
                int32_t x = abs(a - i), y = abs(b - j), z = abs(c - k);
                int32_t most = x > y ? x > z ? x : z : y > z ? y : z;
                least = most < least ? most : least;
            }
    return (uint8_t)least;
}

static field make_field(float speed) {
    field f = {.box = poisson_box_of(NX, NY, NZ)};
    float **const lists[] = {&f.v[0], &f.v[1], &f.v[2], &f.from, &f.plain, &f.lanes};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) *lists[i] = mem_zero(f.box.size, sizeof(float));
    f.cells = mem_zero(f.box.size, 1);
    f.obstacle_distance = mem_zero(f.box.size, 1);
    for (size_t a = 0; a < f.box.size; a++) {
        random4 r = random_bits(7, a, 0, 0);
        for (int d = 0; d < 3; d++) f.v[d][a] = speed * (2 * random_unit(r, d) - 1);
        f.from[a] = random_unit(r, 3);
        f.cells[a] = POISSON_FREE;
    }
    for (int32_t k = 8; k <= 12; k++)
        for (int32_t j = 1; j <= 9; j++)
            for (int32_t i = 15; i <= 19; i++) f.cells[poisson_at(&f.box, i, j, k)] = POISSON_WALL;
    for (int32_t k = 0; k <= NZ + 1; k++)
        for (int32_t j = 0; j <= NY + 1; j++)
            for (int32_t i = 0; i <= NX + 1; i++)
                f.obstacle_distance[poisson_at(&f.box, i, j, k)] = apart_at(&f, i, j, k);
    return f;
}

static void free_field(field *f) {
    for (int d = 0; d < 3; d++) mem_free(f->v[d]);
    mem_free(f->from);
    mem_free(f->plain);
    mem_free(f->lanes);
    mem_free(f->cells);
    mem_free(f->obstacle_distance);
}

// Ways of 0.1, 1.5 and 6 cells at most, in whirls without any order: every face's way is another.
static void lanes_trace_as_one_face_does(void **state) {
    (void)state;
    static const float speeds[] = {0.1f, 1.5f, 6};
    for (int n = 0; n < 3; n++) {
        field f = make_field(speeds[n]);
        for (int pass = 0; pass < 6; pass++) {
            wind_trace_job job = {.box = f.box,
                                  .kind = pass < 3 ? WIND_TRACE : WIND_CORRECT,
                                  .axis = pass % 3,
                                  .v = {f.v[0], f.v[1], f.v[2]},
                                  .from = f.from,
                                  .cells = f.cells,
                                  .scale = 1,
                                  .obstacle_distance = f.obstacle_distance};
            job.to = f.plain;
            wind_trace_plain(&job, 1, NZ + 1);
            job.to = f.lanes;
            ISA_PICK(wind_trace)(&job, 1, NZ + 1);
            size_t differ = 0;
            for (size_t a = 0; a < f.box.size; a++)
                differ += !(fabsf(f.plain[a] - f.lanes[a]) <= 1e-4f * fmaxf(1, speeds[n]));
            // Rounding may put an end on the other side of an obstacle's face.
            assert_in_range(differ, 0, f.box.size / 2000);
        }
        free_field(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_trace_as_one_face_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
