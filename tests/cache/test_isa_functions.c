// Each function that is compiled once per instruction set (ISA_DECLARE), fed with the same random input in
// every copy. Functions whose input is a whole world, and no set of arrays that could be filled at random,
// are compared by test_isa_sets.c only: mpm_p2g_patch, mpm_g2p_patch, mpm_sample_patch, mpm_implicit_prepare
// and _apply (particles sorted into blocks), wind_trace and flakes_fly (jobs that refer to a whole wind),
// ground_query and the constraints of pbd; pictures (shade_*) by tests/draw/test_shade.c.
#include "support.h"

#include <math.h>

#include "base/isa.h"
#include "base/random.h"
#include "body/body_frame_lanes.h"
#include "draw/rasteriser.h"
#include "field/field_show_lanes.h"
#include "field/field_slump_lanes.h"
#include "geom/levelset_data.h"
#include "geom/mesh.h"
#include "geom/shape_lanes.h"
#include "geom/tessellate.h"
#include "geom/bvh.h"
#include "grains/grains_lanes.h"
#include "mpm/mpm_implicit.h"
#include "phase/phase_heat_lanes.h"
#include "phase/phase_lanes.h"
#include "solve/poisson_state.h"
#include "wind/wind_lanes.h"

enum { TRIALS = 4, MANY = 1003 }; // MANY: not a multiple of any number of lanes

// ---- random input, results

typedef struct results {
    struct {
        double value, magnitude; // magnitude: of what it was summed from; 0: compared with the largest result
    } * item;
    size_t count, capacity;
} results;

static struct {
    uint64_t seed, item;
    results *out;
} feed; // of the call under way

static uint32_t random_number(void) { return random_bits(feed.seed, feed.item++, 0, 0).v[0]; }
static float between(double low, double high) {
    return (float)(low + (high - low) * (double)random_unit(random_bits(feed.seed, feed.item++, 0, 0), 0));
}
static void fill(float *to, size_t n, double low, double high) {
    for (size_t i = 0; i < n; i++) to[i] = between(low, high);
}
static void fill_whole(int32_t *to, size_t n, double low, double high) {
    for (size_t i = 0; i < n; i++) to[i] = (int32_t)between(low, high);
}

static void put_sum(double value, double magnitude) {
    results *r = feed.out;
    assert_true(array_reserve(&r->item, &r->capacity, r->count + 1, sizeof *r->item));
    r->item[r->count].value = value;
    r->item[r->count++].magnitude = magnitude;
}
static void put_number(double value) { put_sum(value, 0); }
static void put(const float *values, size_t n) {
    for (size_t i = 0; i < n; i++) put_number((double)values[i]);
}
static void put_whole(const int32_t *values, size_t n) {
    for (size_t i = 0; i < n; i++) put_number(values[i]);
}

// Rows of MANY floats, filled with -1 .. 1.
enum { ROWS = 16 };
static _Alignas(64) float row[ROWS][MANY + 21];
static void fill_rows(size_t count) {
    for (size_t i = 0; i < count; i++) fill(row[i], MANY, -1, 1);
}
static void put_rows(size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++) put(row[i], MANY);
}

// ---- bodies, grains, shapes

static frame_map random_frame(void) {
    frame_map map;
    fill(map.turn[0], 9, -1, 1);
    fill(map.at, 3, -5, 5);
    return map;
}

static void feed_frame_points(void) {
    const frame_map map = random_frame();
    fill_rows(3);
    ISA_PICK(frame_points)(&map, MANY, row[0], row[1], row[2], row[3], row[4], row[5]);
    put_rows(3, 3);
}

static void feed_frame_turn_back(void) {
    const frame_map map = random_frame();
    fill_rows(3);
    ISA_PICK(frame_turn_back)(&map, MANY, row[0], row[1], row[2]);
    put_rows(0, 3);
}

static void feed_grains_fly(void) {
    grain_flight f = {.keep = between(0, 1), .travel = between(0, 0.01)};
    fill(f.gain, 3, -0.1, 0.1);
    fill(f.drop, 3, -0.001, 0.001);
    fill_rows(6);
    ISA_PICK(grains_fly)(&f, MANY, row[0], row[1], row[2], row[3], row[4], row[5]);
    put_rows(0, 6);
}

static void feed_grains_range(void) {
    fill_rows(2);
    for (size_t n = 1; n < MANY; n += 97) {
        float low = INFINITY, high = -INFINITY;
        ISA_PICK(grains_range)(n, row[0], row[1], &low, &high);
        put_number((double)low);
        put_number((double)high);
    }
}

static void feed_grains_contact(void) {
    grain_contact c = {
        .radius = 0.01f, .friction = 0.4f, .restitution = 0.3f, .slowest = 0.08f, .dt = 0.004f};
    fill(c.origin, 3, -1, 1);
    fill(c.velocity, 3, -1, 1);
    fill(c.spin, 3, -1, 1);
    c.gravity[1] = -9.81f;
    fill_rows(13);
    fill(row[0], MANY, -0.02, 0.03);
    for (size_t i = 0; i < MANY; i++) {
        float l = sqrtf(row[1][i] * row[1][i] + row[2][i] * row[2][i] + row[3][i] * row[3][i]) + 1e-6f;
        for (int k = 1; k <= 3; k++) row[k][i] /= l;
    }
    ISA_PICK(grains_contact)
    (&c, MANY, row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9], row[10],
     row[11], row[12]);
    put_rows(4, 9);
}

static void feed_primitive_query(void) {
    for (firn_shape_kind kind = FIRN_SHAPE_BOX; kind <= FIRN_SHAPE_CYLINDER; kind++) {
        const shape_primitive s = {kind, {between(0.1, 0.5), between(0.1, 0.5), between(0.1, 0.5)}};
        fill_rows(3);
        ISA_PICK(primitive_query)(&s, MANY, row[0], row[1], row[2], row[3], row[4], row[5], row[6]);
        put_rows(3, 1); // normals jump where two faces are equally near: test_isa_sets compares those
    }
}

static void random_mesh(mesh *m) {
    const shape_primitive s = {FIRN_SHAPE_ELLIPSOID,
                               {between(0.3, 0.6), between(0.3, 0.6), between(0.3, 0.6)}};
    assert_ok(tessellate_primitive(&s, m));
}

// The level set itself is built with one set: building and asking are compared apart.
static void feed_levelset_query_lanes(void) {
    mesh m;
    levelset *l;
    isa set = isa_active();
    random_mesh(&m);
    assert_true(isa_use(ISA_BASE));
    assert_ok(levelset_create(&m, 0.05f, "ball", &l));
    assert_true(isa_use(set));
    fill_rows(3);
    ISA_PICK(levelset_query_lanes)(l, MANY, row[0], row[1], row[2], row[3], row[4], row[5], row[6]);
    put_rows(3, 1);
    levelset_destroy(l);
    mesh_free(&m);
}

static void with_tree(void (*ask)(const bvh *w, const float *const at[3])) {
    mesh m;
    bvh *w;
    random_mesh(&m);
    assert_ok(bvh_create(&m, &w));
    fill_rows(3);
    ask(w, (const float *const[3]){row[0], row[1], row[2]});
    bvh_destroy(w);
    mesh_free(&m);
}

static void ask_nearest(const bvh *w, const float *const at[3]) {
    static uint32_t triangle[MANY + 21];
    uint32_t hint = 0;
    ISA_PICK(bvh_nearest_lanes)
    (w, MANY, at, &hint, row[3], (float *const[3]){row[4], row[5], row[6]}, triangle);
    put_rows(3, 1);
}
static void feed_bvh_nearest_lanes(void) { with_tree(ask_nearest); }

static void ask_number(const bvh *w, const float *const at[3]) {
    ISA_PICK(bvh_winding_number_lanes)(w, MANY, at, 2, row[3]);
    put_rows(3, 1);
}
static void feed_bvh_winding_number_lanes(void) { with_tree(ask_number); }

static void feed_rasteriser_span(void) {
    enum { WIDTH = MANY / 16 * 16 };
    fill(row[0], WIDTH, 0, 1);
    for (int i = 0; i < 20; i++) {
        int x0 = (int)between(0, WIDTH - 1), x1 = (int)between(x0, WIDTH);
        const raster_span s = {between(0, 1), between(-0.01, 0.01), 0.1f, 0.9f, between(0, 0.01)};
        ISA_PICK(rasteriser_span)(&s, row[0], x0, x1);
    }
    put(row[0], WIDTH);
}

// ---- field: whole numbers, and heights of them

static const field_law law = {.density_min = 50,
                              .density_max = 600,
                              .density = 120,
                              .tan_loose = 0.9f,
                              .tan_packed = 2,
                              .cell = 0.05f,
                              .strength = 1e4f,
                              .strength_at = 200,
                              .strength_power = 3};
enum { COLUMNS = MANY / SHOW_TOGETHER * SHOW_TOGETHER };
static _Alignas(64) int32_t mass[COLUMNS], upper[COLUMNS];

static void random_columns(void) {
    fill_whole(mass, COLUMNS, 0, 100 / MASS_UNIT);
    fill_whole(upper, COLUMNS, 0, 3 / HEIGHT_UNIT);
    for (size_t i = 0; i < COLUMNS; i += 3) mass[i] = 0;
    fill(row[0], COLUMNS, 50, 600);
}

static void feed_show_columns(void) {
    random_columns();
    for (int i = 0; i < 3; i++) {
        if (i == 1) mass[random_number() % COLUMNS] = -1;
        if (i == 2) row[0][random_number() % COLUMNS] = NAN;
        put_number(ISA_PICK(show_columns)(&law, mass, row[0], row[1], COLUMNS));
        if (i == 0) put(row[1], COLUMNS);
    }
}

static void feed_show_tops(void) {
    random_columns();
    ISA_PICK(show_tops)(mass, row[0], upper, row[1], row[2], COLUMNS);
    put(row[1], COLUMNS);
    put(row[2], COLUMNS);
}

static void feed_show_highest(void) {
    fill_rows(2);
    for (size_t n = SHOW_TOGETHER; n <= COLUMNS; n *= 2)
        put_number((double)ISA_PICK(show_highest)(row[0], row[1], n));
}

static void feed_show_any(void) {
    memset(mass, 0, sizeof mass);
    put_number(ISA_PICK(show_any)(mass, COLUMNS));
    mass[random_number() % COLUMNS] = 1;
    put_number(ISA_PICK(show_any)(mass, COLUMNS));
}

// Rough snow on rough ground, everywhere to be swept.
static slump_patch *random_patch(void) {
    slump_patch *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->width = 64, p->length = 40;
    for (size_t i = 0; i < PATCH_CELLS; i++) {
        p->density[i] = p->top_density[i] = 100;
        p->ground[i] = p->height[i] = field_height(WALL_HEIGHT);
        p->roof[i] = INT32_MAX;
    }
    for (int32_t z = 0; z < p->length; z++) {
        for (int32_t x = 0; x < p->width; x++) {
            size_t at = patch_at(x, z);
            p->mass[at] = (int32_t)((double)between(0, 60) / MASS_UNIT);
            p->density[at] = between(60, 500);
            p->ground[at] = field_height(between(0, 0.05));
        }
        p->need[z + 1] = p->dirty[z + 1] = 0xff;
    }
    return p;
}

static void put_patch(const slump_patch *p) {
    for (int32_t z = 0; z < p->length; z++) {
        put_whole(p->mass + patch_at(0, z), (size_t)p->width);
        put_whole(p->height + patch_at(0, z), (size_t)p->width);
        put(p->density + patch_at(0, z), (size_t)p->width);
        put_number(p->dirty[z + 1]);
    }
}

static void feed_slump_heights(void) {
    slump_patch *p = random_patch();
    ISA_PICK(slump_heights)(p);
    put_patch(p);
    free(p);
}

static void feed_slump_sweep(void) {
    slump_patch *p = random_patch();
    ISA_PICK(slump_heights)(p);
    for (int i = 0; i < 3; i++) put_number(ISA_PICK(slump_sweep)(&law, p));
    put_patch(p);
    free(p);
}

// ---- particles and their neighbours

enum { PARTICLES = 200, FAR_AWAY = PARTICLES, ROOM = PARTICLES * (PARTICLES + 16) };
static struct {
    _Alignas(64) float at[PARTICLES + 1][4], v[PARTICLES + 1][4];
    float volume[PARTICLES + 1], push[PARTICLES + 1];
    _Alignas(64) uint32_t own[PARTICLES], first[PARTICLES + 1], index[ROOM];
    fluid_rows rows;
} swarm;

// Particles in a unit cube, each with those nearer than `reach`; fourth: the range of at[3].
static void random_swarm(double reach, double low, double high) {
    for (size_t i = 0; i < PARTICLES; i++) {
        fill(swarm.at[i], 3, 0, 1);
        swarm.at[i][3] = between(low, high);
        fill(swarm.v[i], 4, -1, 1);
        swarm.volume[i] = between(0.5, 1.5);
        swarm.push[i] = between(0.5, 1.5);
    }
    for (int k = 0; k < 3; k++) swarm.at[FAR_AWAY][k] = 1e6f;
    swarm.at[FAR_AWAY][3] = (float)low;
    uint32_t n = 0;
    for (uint32_t i = 0; i < PARTICLES; i++) {
        swarm.own[i] = i;
        swarm.first[i] = n;
        for (uint32_t j = 0; j < PARTICLES; j++) {
            double d = 0;
            for (int k = 0; k < 3; k++) d += pow((double)(swarm.at[i][k] - swarm.at[j][k]), 2);
            if (j != i && d < reach * reach) swarm.index[n++] = j;
        }
        while (n % 16 != 0) swarm.index[n++] = FAR_AWAY;
    }
    swarm.first[PARTICLES] = n;
    swarm.rows = (fluid_rows){swarm.own, swarm.first, swarm.index, PARTICLES};
}

static density_view random_fluid(void) {
    random_swarm(0.25, 0.5, 1.5);
    bool uneven = random_number() % 2;
    return (density_view){(const density_in *)swarm.at, uneven ? swarm.volume : NULL,
                          uneven ? swarm.push : NULL, 4};
}

static float vectors[PARTICLES][4];
static void put_vectors(void) {
    for (size_t i = 0; i < PARTICLES; i++) put(vectors[i], 3);
}

static void feed_fluid_density(void) {
    static fluid_sums sums[PARTICLES];
    const density_view f = random_fluid();
    ISA_PICK(fluid_density)(&f, &swarm.rows, sums);
    put((const float *)sums, PARTICLES * sizeof *sums / sizeof(float));
}

static pressure_view random_pressure(void) {
    const density_view f = random_fluid();
    return (pressure_view){(const pressure_in *)swarm.at, f.pressure_volume, f.inverse_h};
}

static void feed_fluid_delta_x(void) {
    const pressure_view f = random_pressure();
    ISA_PICK(fluid_delta_x)(&f, &swarm.rows, 0.1f, vectors);
    put_vectors();
}

static void feed_fluid_virial(void) {
    const pressure_view f = random_pressure();
    ISA_PICK(fluid_virial)(&f, &swarm.rows, row[0]);
    put(row[0], PARTICLES);
}

static void feed_fluid_scatter(void) {
    static float q[PARTICLES + 1][4];
    const density_view f = random_fluid();
    memcpy(q, swarm.at, sizeof q);
    for (uint32_t i = 0; i < PARTICLES; i++) {
        const fluid_rows one = {swarm.own + i, swarm.first + i, swarm.index, 1};
        const fluid_lambda_step by = {between(-0.1, 0.1), 0.05f, 1};
        ISA_PICK(fluid_scatter)(&f, &one, &by, FAR_AWAY, q);
    }
    put(q[0], (size_t)PARTICLES * 4);
}

static void feed_fluid_list_neighbours(void) {
    static int number[MANY + 21], to[MANY + 37];
    fill_rows(3);
    for (int i = 0; i < MANY + 21; i++) number[i] = i;
    for (int i = MANY; i < MANY + 21; i++) row[0][i] = row[1][i] = row[2][i] = 1e6f;
    const fluid_candidates c = {row[0], row[1], row[2], number, MANY};
    for (int self = 0; self < 20; self++) {
        const float at[3] = {row[0][self], row[1][self], row[2][self]};
        size_t found = ISA_PICK(fluid_list_neighbours)(&c, at, 0.16f, self, 5, -1, to);
        while (found > 0 && to[found - 1] == -1) found--; // as many as fill a vector
        put_number((double)found);
        put_whole(to, found);
    }
}

static velocity_view random_flow(void) {
    return (velocity_view){random_fluid(), (const velocity_in *)swarm.v, random_number() % 2,
                           random_number() % 2, random_number() % 2};
}

static void feed_fluid_xsph(void) {
    static fluid_velocity_sums sums[PARTICLES];
    const velocity_view f = random_flow();
    memset(sums, 0, sizeof sums);
    ISA_PICK(fluid_xsph)(&f, &swarm.rows, sums);
    for (size_t i = 0; i < PARTICLES; i++) {
        put(sums[i].xsph, 3);
        if (f.cohesion) put(sums[i].cohesion, 3);
        if (f.curl) put(sums[i].curl, 3);
    }
}

static void feed_fluid_vorticity(void) {
    const velocity_view f = random_flow();
    ISA_PICK(fluid_vorticity)(&f, &swarm.rows, vectors);
    put_vectors();
}

static void feed_phase_contact_rows(void) {
    static contact_sums sums[PARTICLES];
    random_swarm(0.2, 0.05, 0.1);
    for (size_t i = 0; i < PARTICLES; i++) {
        for (int k = 0; k < 3; k++) swarm.v[i][k] *= 0.01f;
        swarm.v[i][3] = random_number() % 2 ? 1 : between(0, 1);
    }
    const contact_view f = {
        (const contact_in *)swarm.at, (const tangential_in *)swarm.v, 0.5f, 0.5f, 0.3f, 0.01f, 0.02f};
    memset(sums, 0, sizeof sums);
    ISA_PICK(phase_contact_rows)(&f, &swarm.rows, sums);
    for (size_t i = 0; i < PARTICLES; i++) {
        put(sums[i].move, 3);
        if (sums[i].shifts) put(sums[i].shift, 3);
        put_number(sums[i].shifts);
        put(sums[i].slip, 3);
        put_number((double)sums[i].contacts);
        put_number((double)sums[i].liquid);
    }
}

static void feed_phase_xsph_rows(void) {
    random_swarm(0.25, 0.05, 0.1);
    for (size_t i = 0; i < PARTICLES; i += 3) swarm.at[i][3] *= -1;
    const xsph_view f = {(const xsph_in *)swarm.at, (const xsph_velocity_in *)swarm.v, 1.2f, 0.3f};
    ISA_PICK(phase_xsph_rows)(&f, &swarm.rows, vectors);
    put_vectors();
}

static void feed_phase_cohesion_rows(void) {
    random_swarm(0.25, 0.05, 0.1);
    for (size_t i = 0; i < PARTICLES; i++) swarm.volume[i] = (float)(random_number() % 2);
    const cohesion_view f = {(const contact_in *)swarm.at, swarm.volume, 10, 0.8f, 0.5f};
    ISA_PICK(phase_cohesion_rows)(&f, &swarm.rows, vectors);
    put_vectors();
}

static void feed_heat_conduct_rows(void) {
    static heat_matter matter[PARTICLES + 1];
    static heat_sums sums[PARTICLES];
    random_swarm(0.25, -10, 10);
    for (size_t i = 0; i < PARTICLES; i++)
        matter[i] = (heat_matter){between(0.5, 5), between(0.05, 0.12), {0}};
    matter[FAR_AWAY] = (heat_matter){1, 0, {0}};
    const conduct_view f = {(const conduct_in *)swarm.at, matter, 2, 0.1f, 1.5f, 1.3f};
    ISA_PICK(heat_conduct_rows)(&f, &swarm.rows, sums);
    put((const float *)sums, PARTICLES * sizeof *sums / sizeof(float));
}

// ---- mpm: the vectors of a block

static void with_vectors(mpm_sums (*step)(const mpm_vectors *v)) {
    static _Alignas(64) float of[5][BLOCK_FLOATS];
    for (int i = 0; i < 5; i++)
        for (size_t k = 0; k < BLOCK_FLOATS; k++)
            of[i][k] = k % 4 == 3 ? (i == 0 ? between(0, 2) : 0) : between(-1, 1);
    for (size_t k = 3; k < BLOCK_FLOATS; k += 20) // nodes without mass
        for (int i = 0; i < 5; i++) memset(&of[i][k - 3], 0, 4 * sizeof(float));
    const mpm_vectors v = {of[0], of[1], of[2], of[3], of[4]};
    mpm_sums sums = step(&v);
    const double magnitude = sums.residual2 + sums.ArAr;
    put_sum(sums.residual2, magnitude);
    put_sum(sums.rAr, magnitude);
    put_sum(sums.ArAr, magnitude);
    put_sum(sums.ArAp, magnitude);
    for (int i = 0; i < 5; i++) put(of[i], BLOCK_FLOATS);
}

static mpm_sums finish_ar(const mpm_vectors *v) { return ISA_PICK(mpm_implicit_finish_ar)(v); }
static mpm_sums advance(const mpm_vectors *v) { return ISA_PICK(mpm_implicit_advance)(v, 0.3f, 0.7f); }
static void feed_mpm_implicit_finish_ar(void) { with_vectors(finish_ar); }
static void feed_mpm_implicit_advance(void) { with_vectors(advance); }

// ---- boxes of cells

enum { NX = 21, NY = 10, NZ = 12, ITEMS = (NX + 2) * (NY + 2) * (NZ + 2), GRIDS = 12 };
static struct {
    poisson_box box;
    _Alignas(64) uint8_t kind[ITEMS + 64];
    _Alignas(64) float of[GRIDS][ITEMS + 64];
    uint32_t rows[NY * NZ];
} cells;

// Walls here and there, open above; numbers only in free cells.
static void random_cells(void) {
    cells.box = poisson_box_of(NX, NY, NZ);
    assert_int_equal(cells.box.size, ITEMS);
    memset(cells.kind, POISSON_WALL, sizeof cells.kind);
    memset(cells.of, 0, sizeof cells.of);
    for (int k = 0; k <= NZ + 1; k++)
        for (int j = 1; j <= NY + 1; j++)
            for (int i = 0; i <= NX + 1; i++) {
                bool inside = i >= 1 && i <= NX && j <= NY && k >= 1 && k <= NZ;
                size_t at = poisson_at(&cells.box, i, j, k);
                cells.kind[at] = j == NY + 1                                      ? POISSON_OPEN
                                 : inside && (j > NY / 2 || between(0, 1) > 0.1f) ? POISSON_FREE
                                                                                  : POISSON_WALL;
                for (int g = 0; g < GRIDS && inside && cells.kind[at] == POISSON_FREE; g++)
                    cells.of[g][at] = between(-1, 1);
            }
    // A hole between walls has no way out.
    for (int k = 1; k <= NZ; k++)
        for (int i = 1; i <= NX; i++) {
            int top = NY / 2;
            while (top >= 1 && cells.kind[poisson_at(&cells.box, i, top, k)] == POISSON_FREE) top--;
            for (int j = 1; j < top; j++) cells.kind[poisson_at(&cells.box, i, j, k)] = POISSON_WALL;
        }
    for (size_t at = 0; at < ITEMS; at++)
        for (int g = 0; g < GRIDS && cells.kind[at] != POISSON_FREE; g++) cells.of[g][at] = 0;
    for (uint32_t i = 0; i < NY * NZ; i++) cells.rows[i] = i;
}

static void put_grids(int first, int count) {
    for (int g = first; g < first + count; g++) put(cells.of[g], ITEMS);
}

// A sum of products of two grids.
static void put_dot(double sum, const float *a, const float *b) {
    double magnitude = 0;
    for (size_t i = 0; i < ITEMS; i++) magnitude += fabs((double)a[i] * (double)b[i]);
    put_sum(sum, magnitude);
}

// A multigrid for the cells; the levels do not depend on the set.
static void with_levels(void (*pass)(const poisson *p)) {
    poisson *p;
    random_cells();
    assert_ok(poisson_create(cells.box, &p));
    assert_ok(poisson_set(p, cells.kind));
    assert_true(p->levels >= 2);
    pass(p);
    poisson_destroy(p);
}

#define POISSON_FEED(name, ...)                                                                              \
    static void pass_##name(const poisson *p) {                                                              \
        const poisson_level *fine = &p->level[0], *coarse = &p->level[1];                                    \
        float *const *of =                                                                                   \
            (float *const[]){cells.of[0], cells.of[1], cells.of[2], cells.of[3], cells.of[4]};               \
        const int last = NZ + 1, coarse_last = coarse->box.n[2] + 1;                                         \
        static const float omega[2] = {0.7f, 1.2f};                                                          \
        (void)fine, (void)coarse, (void)last, (void)coarse_last, (void)omega, (void)of;                      \
        __VA_ARGS__;                                                                                         \
        put_grids(0, 5);                                                                                     \
    }                                                                                                        \
    static void feed_##name(void) { with_levels(pass_##name); }

POISSON_FEED(poisson_sweep, ISA_PICK(poisson_sweep)(fine, 1, last, 0.8f, of[0], of[1], of[2]);
             ISA_PICK(poisson_sweep)(coarse, 1, coarse_last, 0.8f, of[0], of[1], of[3]))
POISSON_FEED(poisson_sweep_dot,
             put_dot(ISA_PICK(poisson_sweep_dot)(fine, 1, last, 0.8f, of[0], of[1], of[2]), of[0], of[2]))
POISSON_FEED(poisson_two_sweeps, ISA_PICK(poisson_two_sweeps)(fine, 1, last, omega, of[0], of[1]))
POISSON_FEED(poisson_add_two_sweeps,
             ISA_PICK(poisson_add_two_sweeps)(fine, cells.rows, NY *NZ, omega, of[0], of[1]))
POISSON_FEED(poisson_first_sweep, ISA_PICK(poisson_first_sweep)(coarse, 1, coarse_last, 0.8f, of[0], of[1]))
POISSON_FEED(poisson_scaled_residual, ISA_PICK(poisson_scaled_residual)(fine, 1, last, of[0], of[1], of[2]))
POISSON_FEED(poisson_restrict, ISA_PICK(poisson_restrict)(fine, coarse, 1, coarse_last, of[0], of[1]))
POISSON_FEED(poisson_prolong, ISA_PICK(poisson_prolong)(fine, coarse, 1, last, of[0], of[1]))
POISSON_FEED(poisson_row_residual,
             ISA_PICK(poisson_row_residual)(fine, cells.rows, NY *NZ, of[0], of[1], of[2], of[3]))
POISSON_FEED(poisson_apply, put_dot(ISA_PICK(poisson_apply)(fine, 1, last, of[0], of[1]), of[0], of[1]))
POISSON_FEED(poisson_advance,
             ISA_PICK(poisson_advance)(fine, cells.rows, NY *NZ, 0.3f, of[0], of[1], of[2], of[3], of[4]))
POISSON_FEED(poisson_dot, put_dot(ISA_PICK(poisson_dot)(7, ITEMS - 3, of[0], of[1]), of[0], of[1]))
POISSON_FEED(poisson_update_direction, ISA_PICK(poisson_update_direction)(7, ITEMS - 3, 0.3f, of[0], of[1]))

#define AIR ((float *const[3]){cells.of[0], cells.of[1], cells.of[2]})
#define CURL ((float *const[4]){cells.of[3], cells.of[4], cells.of[5], cells.of[6]})
#define WIND_FEED(name, ...)                                                                                 \
    static void feed_##name(void) {                                                                          \
        random_cells();                                                                                      \
        __VA_ARGS__;                                                                                         \
        put_grids(0, 7);                                                                                     \
    }
WIND_FEED(wind_divergence, ISA_PICK(wind_divergence)(&cells.box, cells.kind, 1, NZ + 1, AIR, cells.of[3]))
WIND_FEED(wind_gradient, ISA_PICK(wind_gradient)(&cells.box, cells.kind, 1, NZ + 1, cells.of[3], AIR))
WIND_FEED(wind_curl, ISA_PICK(wind_curl)(&cells.box, cells.kind, 1, NZ + 1, AIR, CURL))
WIND_FEED(wind_confinement, ISA_PICK(wind_confinement)(&cells.box, 1, NZ + 1, CURL))
WIND_FEED(wind_push, ISA_PICK(wind_push)(&cells.box, cells.kind, 1, NZ + 1, 0.1f, CURL, AIR))

static void feed_wind_sums(void) {
    wind_totals totals = {0};
    random_cells();
    ISA_PICK(wind_sums)(&cells.box, cells.kind, 1, NZ + 1, AIR, &totals);
    for (int i = 0; i < 4; i++) put_number(totals.sum[i]);
    put_number(totals.most);
}

// ---- all copies of all of them

// tolerance: largest difference of a result against the largest of all, or against what it was summed from;
// 0: the same bits.
#define ROW(name, tolerance)                                                                                 \
    { #name, feed_##name, tolerance }
static const struct {
    const char *name;
    void (*feed)(void);
    double tolerance;
} table[] = {
    ROW(frame_points, 1e-6),
    ROW(frame_turn_back, 1e-6),
    ROW(grains_fly, 1e-6),
    ROW(grains_range, 0),
    ROW(grains_contact, 1e-6),
    ROW(primitive_query, 1e-6),
    ROW(levelset_query_lanes, 1e-6),
    ROW(bvh_nearest_lanes, 1e-6),
    ROW(bvh_winding_number_lanes,
        1e-2), // what is far from one point of a vector is summed up for all of them
    ROW(rasteriser_span, 1e-6),
    ROW(show_columns, 0), // the field promises the same bits with every set
    ROW(show_tops, 0),
    ROW(show_highest, 0),
    ROW(show_any, 0),
    ROW(slump_heights, 0),
    ROW(slump_sweep, 0),
    ROW(fluid_density, 1e-6), // sums over neighbours, in another order
    ROW(fluid_delta_x, 1e-6),
    ROW(fluid_virial, 1e-6),
    ROW(fluid_scatter, 1e-6),
    ROW(fluid_list_neighbours, 0),
    ROW(fluid_xsph, 1e-6),
    ROW(fluid_vorticity, 1e-6),
    ROW(phase_contact_rows, 1e-6),
    ROW(phase_xsph_rows, 1e-6),
    ROW(phase_cohesion_rows, 1e-6),
    ROW(heat_conduct_rows, 1e-6),
    ROW(mpm_implicit_finish_ar, 1e-6),
    ROW(mpm_implicit_advance, 1e-6),
    ROW(poisson_sweep, 1e-6),
    ROW(poisson_sweep_dot, 1e-6),
    ROW(poisson_two_sweeps, 1e-6),
    ROW(poisson_add_two_sweeps, 1e-6),
    ROW(poisson_first_sweep, 1e-6),
    ROW(poisson_scaled_residual, 1e-6),
    ROW(poisson_restrict, 1e-6),
    ROW(poisson_prolong, 1e-6),
    ROW(poisson_row_residual, 1e-6),
    ROW(poisson_apply, 1e-6),
    ROW(poisson_advance, 1e-6),
    ROW(poisson_dot, 1e-6),
    ROW(poisson_update_direction, 1e-6),
    ROW(wind_divergence, 1e-6),
    ROW(wind_gradient, 1e-6),
    ROW(wind_sums, 1e-6),
    ROW(wind_curl, 1e-6),
    ROW(wind_confinement, 1e-6),
    ROW(wind_push, 1e-6),
};
enum { FUNCTIONS = sizeof table / sizeof table[0] };

static results call(size_t function, uint64_t seed, isa set) {
    results r = {0};
    feed.seed = seed, feed.item = 0, feed.out = &r;
    memset(row, 0, sizeof row);
    assert_true(isa_use(set));
    table[function].feed();
    return r;
}

static bool agree(size_t function, const results *a, const results *b, isa set, uint64_t seed) {
    const double tolerance = table[function].tolerance;
    double largest = 0, worst = 0;
    size_t at = 0;
    if (a->count != b->count) {
        print_error("%s, seed %d: %zu results, %zu with %s\n", table[function].name, (int)seed, a->count,
                    b->count, isa_name(set));
        return false;
    }
    for (size_t i = 0; i < a->count; i++)
        if (a->item[i].magnitude == 0) largest = fmax(largest, fabs(a->item[i].value));
    for (size_t i = 0; i < a->count; i++) {
        double magnitude = a->item[i].magnitude > 0 ? a->item[i].magnitude : largest;
        double d = fabs(a->item[i].value - b->item[i].value);
        if (d != 0 && !(d / magnitude <= worst)) worst = d / magnitude, at = i;
        if (isnan(worst)) break;
    }
    if (getenv("FIRN_ISA_SHOW"))
        print_message("%-24s %-7s %zu results, worst %.2g\n", table[function].name, isa_name(set), a->count,
                      worst);
    if (worst <= tolerance) return true;
    print_error(
        "%s, seed %d: result %zu is %.9g, with %s %.9g; that is %.2g of the largest, at most %g may be\n",
        table[function].name, (int)seed, at, a->item[at].value, isa_name(set), b->item[at].value, worst,
        tolerance);
    return false;
}

static void test_all_copies_agree_on_random_input(void **state) {
    (void)state;
    size_t wrong = 0;
    const isa chosen = isa_active();
    for (isa set = ISA_AVX2; set <= ISA_AVX512; set++)
        if (set > isa_best()) print_message("[  SKIP    ] this machine or build has no %s\n", isa_name(set));
    for (size_t f = 0; f < FUNCTIONS; f++)
        for (uint64_t seed = 1; seed <= TRIALS; seed++) {
            results base = call(f, seed, ISA_BASE);
            double sum = 0;
            for (size_t i = 0; i < base.count; i++) sum += fabs(base.item[i].value);
            if (!(sum > 0 && isfinite(sum)))
                fail_msg("%s: its input gives nothing to compare", table[f].name);
            for (isa set = ISA_AVX2; set <= isa_best(); set++) {
                results other = call(f, seed, set);
                wrong += !agree(f, &base, &other, set, seed);
                mem_free(other.item);
            }
            mem_free(base.item);
        }
    isa_use(chosen);
    if (wrong) fail_msg("%zu comparisons failed", wrong);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_copies_agree_on_random_input)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
