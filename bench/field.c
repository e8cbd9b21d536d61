// Whole steps of the snow field: a ball rolls through it, slopes settled every step. Beside it the way of
// FIELD11, which sweeps the whole buffer a fixed number of times per step, on the same number of cells and in
// the same run.
#include "bench/measure.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "world/world.h"

#include <firn/snowfield.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    WARM_STEPS = 40,
    TIMED_STEPS = 400,
    THESIS_SWEEPS = 20,
    BALLS = 1000,
    BALLS_ROW = 32,   // balls along x
    BALLS_WARM = 150, // until most of them are in the snow
    BALLS_TIMED = 150,
    BALL_TEXT = 160,
    BOX_FRAMES = 90,
    BOX_NOTE = 120,
};

static const char ball_scene[] =
    "firn: 1\nduration: 1000 s\nmax_step: 4 ms\n"
    "bodies:\n"
    "  ball: {shape: {sphere: {radius: 30 cm}}, at: [-3.5, 0.5, 0], density: 400,\n"
    "         velocity: [5, 0, 0.3], spin: [0, 0, -16], motion: dynamic}\n"
    "field: {width: %g m, length: %g m, cell: 19.53125 mm, depth: 30 cm, snow: powder}\n";

static firn_status timed_steps(firn_world *world, int steps, double *seconds) {
    double start = clock_seconds();
    for (int i = 0; i < steps; i++) TRY(firn_world_step(world));
    *seconds = (clock_seconds() - start) / steps;
    return FIRN_OK;
}

typedef struct scene_bench {
    const char *workload, *scene;
    double cells;
    int warm, timed; // steps
} scene_bench;

static firn_status bench_scene(const scene_bench *b, bench_emit emit, void *context) {
    size_t before = mem_in_use();
    firn_world *world;
    TRY(firn_world_open_text(b->scene, b->workload, &world));
    double seconds = 0;
    firn_status status = timed_steps(world, b->warm, &seconds);
    if (status == FIRN_OK) status = timed_steps(world, b->timed, &seconds);
    if (status == FIRN_OK) {
        bench_result r = {.workload = b->workload, .rate_unit = "cell-steps/s"};
        double bytes = (double)(mem_in_use() - before) / b->cells;
        measure_result(&r, b->cells, seconds, bytes, 1);
        for (size_t i = 0; i < world_model_count(world); i++)
            if (strcmp(world_model_class(world, i)->name, "field") == 0)
                bench_passes(world_model_class(world, i)->profile(world_model(world, i)), &r);
        emit(context, &r);
    }
    firn_world_close(world);
    return status;
}

// One sweep of FIELD11 3.10 over the whole buffer: the four neighbours, one fixed limit for all, plain C.
static void thesis_sweep(int n, const float *height, float *next, float limit) {
    for (int z = 1; z < n - 1; z++) {
        for (int x = 1; x < n - 1; x++) {
            const float *h = height + (size_t)z * (size_t)n + x;
            float sum = *h;
            const int way[4] = {-1, 1, -n, n};
            for (int k = 0; k < 4; k++) {
                float fall = *h - h[way[k]], down = fall - limit, up = -fall - limit;
                sum -= 0.2f * ((down > 0 ? down : 0) - (up > 0 ? up : 0));
            }
            next[(size_t)z * (size_t)n + (size_t)x] = sum;
        }
    }
}

static firn_status bench_thesis(const char *workload, int n, bench_emit emit, void *context) {
    size_t cells = (size_t)n * (size_t)n;
    float *a = mem_zero(cells, sizeof *a), *b = mem_zero(cells, sizeof *b);
    if (!a || !b) {
        mem_free(a);
        mem_free(b);
        return fail_memory("timing the method of FIELD11", 2 * cells * sizeof *a);
    }
    for (size_t i = 0; i < cells; i++) a[i] = b[i] = i % 97 == 0 ? 0.5f : 0.3f;
    int steps = n > 1000 ? 2 : 40;
    double start = clock_seconds();
    for (int i = 0; i < steps * THESIS_SWEEPS / 2; i++) {
        thesis_sweep(n, a, b, 0.012f);
        thesis_sweep(n, b, a, 0.012f);
    }
    bench_result r = {.workload = workload, .rate_unit = "cell-steps/s"};
    measure_result(&r, (double)cells, (clock_seconds() - start) / steps, 8, 1);
    r.threads = 1;
    emit(context, &r);
    mem_free(a);
    mem_free(b);
    return FIRN_OK;
}

static firn_status bench_ball(const char *workload, const char *thesis, int n, bench_emit emit,
                              void *context) {
    char scene[sizeof ball_scene + 64];
    snprintf(scene, sizeof scene, ball_scene, n * 0.01953125, n * 0.01953125);
    scene_bench b = {workload, scene, (double)n * n, WARM_STEPS, TIMED_STEPS};
    TRY(bench_scene(&b, emit, context));
    return thesis ? bench_thesis(thesis, n, emit, context) : FIRN_OK;
}

firn_status bench_field_512(bench_emit emit, void *context) {
    return bench_ball("field-512", "field-512-thesis", 512, emit, context);
}

firn_status bench_field_4096(bench_emit emit, void *context) {
    return bench_ball("field-4096", "field-4096-thesis", 4096, emit, context);
}

firn_status bench_field_16384(bench_emit emit, void *context) {
    return bench_ball("field-16384", NULL, 16384, emit, context);
}

// The balls of scenes/field/thousand-balls.yaml: thrown in all directions, all over 4096 x 4096 cells.
static void write_balls(char *yaml, size_t room) {
    size_t used = (size_t)snprintf(yaml, room,
                                   "firn: 1\nduration: 1000 s\nmax_step: 4 ms\nbodies:\n"
                                   "  ground: {shape: plane}\n");
    for (int i = 0; i < BALLS; i++) {
        random4 r = random_bits(1, (uint64_t)i, 0, 0), q = random_bits(1, (uint64_t)i, 1, 0);
        const double radius[4] = {8, 10, 12, 15};
        double x = -36 + 2.3 * (i % BALLS_ROW + (double)random_unit(r, 0) * 0.6),
               z = -36 + 2.3 * (i / BALLS_ROW + (double)random_unit(r, 1) * 0.6);
        used += (size_t)snprintf(
            yaml + used, room - used,
            "  b%d: {shape: {sphere: {radius: %g cm}}, at: [%.2f, %.2f, %.2f], velocity: [%.1f, 0, %.1f], "
            "motion: dynamic, density: 500}\n",
            i, radius[(int)(random_unit(q, 0) * 4)], x, 0.5 + 1.2 * (double)random_unit(r, 2), z,
            10 * (double)random_unit(r, 3) - 5, 10 * (double)random_unit(q, 1) - 5);
    }
    snprintf(yaml + used, room - used,
             "field: {width: 81.92 m, length: 81.92 m, cell: 2 cm, snow: fresh, depth: 20 cm, sweeps: 4}\n");
}

firn_status bench_field_thousand(bench_emit emit, void *context) {
    size_t room = (BALLS + 2) * BALL_TEXT;
    char *yaml = mem_alloc(room);
    if (!yaml) return fail_memory("writing a scene of many balls", room);
    write_balls(yaml, room);
    scene_bench b = {"field-thousand", yaml, 4096.0 * 4096, BALLS_WARM, BALLS_TIMED};
    firn_status status = bench_scene(&b, emit, context);
    mem_free(yaml);
    return status;
}

// FIELD11 5.1: a box is pushed through deep snow.
static const char box_scene[] =
    "firn: 1\nduration: 1000 s\nfps: 60\n"
    "bodies:\n"
    "  ground: {shape: plane}\n"
    "  box:\n    shape: {box: {size: [1.2 m, 1.2 m, 1.2 m]}}\n    motion:\n"
    "      - {time: 0, at: [-4.2, 0.62, 0]}\n      - {time: 0.1 s, at: [-4, 0.62, 0]}\n"
    "      - {time: 0.2 s, at: [-3.6, 0.62, 0]}\n      - {time: 2 s, at: [3.6, 0.62, 0]}\n" // 4 m/s
    "      - {time: 2.1 s, at: [4, 0.62, 0]}\n"
    "field: {width: 10 m, length: 10 m, cell: %g m, depth: 60 cm, snow: fresh, slope_loose: 31 deg,\n"
    "        slope_packed: 31 deg}\n";

typedef struct box_map {
    int n;
    double cell;
    float *depth;
    bool *body; // above the snow of a cell
} box_map;

static float fall_to(const box_map *m, int x, int z, int dx, int dz) {
    size_t from = (size_t)z * (size_t)m->n + (size_t)x,
           to = (size_t)(z + dz) * (size_t)m->n + (size_t)(x + dx);
    return m->body[to] ? 0 : fmaxf(m->depth[from] - m->depth[to], 0);
}

// Degrees by which the steepest cell is steeper than 31; the ground is level. No fall is counted to cells
// under the box or right beside it.
static double steepest_excess(const box_map *m) {
    double worst = 0;
    for (int z = 1; z < m->n - 1; z++) {
        for (int x = 1; x < m->n - 1; x++) {
            if (m->body[(size_t)z * (size_t)m->n + (size_t)x]) continue;
            double gx = (double)fmaxf(fall_to(m, x, z, -1, 0), fall_to(m, x, z, 1, 0)),
                   gz = (double)fmaxf(fall_to(m, x, z, 0, -1), fall_to(m, x, z, 0, 1));
            worst = fmax(worst, hypot(gx, gz) / m->cell);
        }
    }
    return fmax(atan(worst) * (180 / 3.14159265358979) - 31, 0);
}

static firn_status read_map(const firn_world *world, box_map *m) {
    firn_snowfield field;
    TRY(firn_world_snowfield(world, &field));
    firn_snowfield_read(&field, (firn_cells){0, 0, m->n, m->n}, NULL, m->depth, NULL);
    double at = firn_world_body_state(world, firn_world_body_find(world, "box")).position.x;
    double half = 0.6 + m->cell; // the box has moved on since it pressed
    for (int z = 0; z < m->n; z++)
        for (int x = 0; x < m->n; x++)
            m->body[(size_t)z * (size_t)m->n + (size_t)x] =
                fabs((x + 0.5) * m->cell - 5 - at) <= half && fabs((z + 0.5) * m->cell - 5) <= half;
    return FIRN_OK;
}

// Frames until the box has come to the other end; between them, not timed, the steepest slope.
static firn_status push_box(firn_world *world, box_map *m, double *all, double *worst, double *excess) {
    for (int i = 0; i < BOX_FRAMES; i++) {
        double start = clock_seconds();
        TRY(firn_world_advance(world, 1.0 / 60));
        double took = clock_seconds() - start;
        *all += took;
        *worst = fmax(*worst, took);
        TRY(read_map(world, m));
        *excess = fmax(*excess, steepest_excess(m));
    }
    return FIRN_OK;
}

static firn_status bench_box(const char *workload, int n, bench_emit emit, void *context) {
    char scene[sizeof box_scene + 64], note[BOX_NOTE];
    snprintf(scene, sizeof scene, box_scene, 10.0 / n);
    size_t cells = (size_t)n * (size_t)n, before = mem_in_use();
    box_map m = {n, 10.0 / n, mem_zero(cells, sizeof *m.depth), mem_zero(cells, sizeof *m.body)};
    firn_world *world = NULL;
    double all = 0, worst = 0, excess = 0;
    firn_status status = m.depth && m.body ? firn_world_open_text(scene, workload, &world)
                                           : fail_memory("looking at a heap", cells * sizeof *m.depth);
    if (status == FIRN_OK) status = push_box(world, &m, &all, &worst, &excess);
    if (status == FIRN_OK) {
        snprintf(note, sizeof note, "worst frame %.1f ms; slopes at most %.1f degrees above 31", worst * 1e3,
                 excess);
        bench_result r = {.workload = workload,
                          .rate_unit = "frames/s",
                          .error = excess / 31,
                          .error_name = "steepest slope above its limit",
                          .note = note};
        measure_result(&r, 1, all / BOX_FRAMES, (double)(mem_in_use() - before), 1);
        emit(context, &r);
    }
    if (world) firn_world_close(world);
    mem_free(m.depth);
    mem_free(m.body);
    return status;
}

firn_status bench_field_box_256(bench_emit emit, void *context) {
    return bench_box("field-box-256", 256, emit, context);
}

firn_status bench_field_box_512(bench_emit emit, void *context) {
    return bench_box("field-box-512", 512, emit, context);
}
