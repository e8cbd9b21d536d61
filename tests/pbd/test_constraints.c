// Each type of constraint: gradients against differences, one projection, momentum. Colouring.
#include "pbd/soft.h"

#include "pbd/pbd_fluid_lanes.h"

#include "base/random.h"
#include "par/par.h"
#include "pbd/pbd_cluster.h"
#include "pbd/pbd_distance.h"
#include "geom/shape.h"
#include "pbd/pbd_lanes.h"
#include "pbd/pbd_pin.h"

static double unit(uint64_t i, uint32_t stream) {
    return (double)random_unit(random_bits(9, i, 0, stream), 0);
}
static float about(uint64_t i, uint32_t stream) { return (float)(2 * unit(i, stream) - 1); }

typedef real (*value_function)(const vec3 *x, const real *rest, vec3 *g);

static real value_distance(const vec3 *x, const real *rest, vec3 *g) {
    real length, value = pbd_distance_value(x, rest, g, &length);
    for (int k = 0; k < 2; k++) g[k] = vec3_scale(g[k], R(1) / length);
    return value;
}

static real value_pin(const vec3 *x, const real *rest, vec3 *g) { return pbd_pin_value(x, rest, g); }

static float *part(vec3 *v, int axis) { return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z; }

static void check_gradients(value_function value, int arity, const real *rest) {
    enum { MOST = 4 };
    for (uint64_t round = 0; round < 200; round++) {
        vec3 x[MOST], g[MOST], unused[MOST], sum = {0, 0, 0};
        for (int k = 0; k < arity; k++)
            x[k] = vec3_of(about(round * 8 + (uint64_t)k, 1), about(round * 8 + (uint64_t)k, 2),
                           about(round * 8 + (uint64_t)k, 3));
        value(x, rest, g);
        for (int k = 0; k < arity; k++) {
            sum = vec3_add(sum, g[k]);
            for (int a = 0; a < 3; a++) {
                const float step = 5e-3f;
                float *at = part(&x[k], a), before = *at;
                *at = before + step;
                double high = (double)value(x, rest, unused);
                *at = before - step;
                double low = (double)value(x, rest, unused);
                *at = before;
                assert_near((double)*part(&g[k], a), (high - low) / (2 * (double)step), 3e-3);
            }
        }
        if (arity > 1) assert_near((double)vec3_length(sum), 0, 1e-5); // moved together, nothing changes
    }
}

static void test_gradients_are_differences(void **state) {
    (void)state;
    const real rest = 0.7f, place[3] = {0.1f, 0.2f, -2.5f}; // far enough off for the differences
    check_gradients(value_distance, 2, &rest);
    check_gradients(value_pin, 1, place);
}

// Of a whole solid: C against differences, of every tenth particle.
static void test_gradient_of_the_volume(void **state) {
    (void)state;
    soft_world w;
    soft_lattice(&w, 5, 4, 6, 0.25);
    w.solid.volume_stiffness = 1e4;
    firn_world *world = soft_open(&w);
    pbd *s = soft_model(world);
    const pbd_clusters *set = pbd_data(s, &pbd_volume);
    double slope[3][3], unused[3][3];
    for (size_t i = 0; i < s->p.count; i++) // turned, sheared and bent
        for (int a = 0; a < 3; a++)
            s->p.q[i][a] = s->p.x[i][(a + 1) % 3] * 1.1f + 0.2f * s->p.x[i][a] * s->p.x[i][0] + 3;
    double value = pbd_volume_value(s, &set->item[0], slope);
    assert_true(fabs(value) > 0.05);
    firn_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < s->p.count; i++) {
        firn_vec3 g = pbd_matrix_times(slope, pbd_cluster_arm(s, &set->item[0], i));
        const double parts[3] = {g.x, g.y, g.z};
        sum = dvec_add(sum, g);
        for (int a = 0; a < 3 && i % 10 == 0; a++) {
            float *at = &s->p.q[i][a], before = *at;
            *at = before + 0x1p-6f;
            double high = pbd_volume_value(s, &set->item[0], unused);
            *at = before - 0x1p-6f;
            double low = pbd_volume_value(s, &set->item[0], unused);
            *at = before;
            assert_near(parts[a], (high - low) / 0x1p-5, 1e-4);
        }
    }
    assert_near(dvec_length(sum), 0, 1e-9);
    firn_world_close(world);
}

// Turned by any angle, the rotation that fits best is that turn; also of a flat solid.
static void test_shape_finds_its_rotation(void **state) {
    (void)state;
    for (int flat = 0; flat < 2; flat++) {
        soft_world w;
        soft_lattice(&w, 5, flat ? 1 : 4, 6, 0.25);
        w.solid.links = FIRN_PBD_SHAPE;
        firn_world *world = soft_open(&w);
        pbd *s = soft_model(world);
        const pbd_clusters *set = pbd_data(s, &pbd_shape);
        firn_quat turn = dquat_from_angles((firn_vec3){2, 0.5, -1});
        double wanted[3][3], found[3][3];
        dquat_matrix(turn, wanted);
        for (size_t i = 0; i < s->p.count; i++) {
            firn_vec3 q = dvec_add(dquat_rotate(turn, pbd_place(s, i)), dvec(1, 2, 3));
            s->p.q[i][0] = (float)q.x, s->p.q[i][1] = (float)q.y, s->p.q[i][2] = (float)q.z;
        }
        pbd_cluster_pose pose = pbd_cluster_find(s, &set->item[0]);
        pbd_shape_rotation(&pose, found);
        for (int k = 0; k < 9; k++) assert_near(found[k / 3][k % 3], wanted[k / 3][k % 3], 2e-6);
        firn_world_close(world);
    }
}

// Sum of mass x place.
static firn_vec3 moment_of(const float (*q)[4], size_t n) {
    firn_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < n; i++) sum = dvec_add(sum, dvec_scale(pbd_at(q[i]), 1 / (double)q[i][3]));
    return sum;
}

// Liquids: what a change of a multiplier moves all particles by is their inverse mass times the gradient.
static void test_gradient_of_the_density(void **state) {
    (void)state;
    enum { N = 24, FAR = N };
    float q[N + 1][4], moved[N + 1][4], size[N + 1];
    uint32_t own = 0, first[2] = {0, (N - 1 + 15) / 16 * 16}, index[N + 16];
    for (uint32_t k = 0; k < N + 16; k++) index[k] = k + 1 < N ? k + 1 : FAR;
    for (uint32_t i = 0; i <= N; i++) {
        for (uint32_t a = 0; a < 3; a++) q[i][a] = i == FAR ? 1e15f : 0.45f * about(i, 30 + a);
        q[i][3] = 0.5f + (float)unit(i, 33);
        size[i] = i == FAR ? 0 : 0.2f + (float)unit(i, 34);
    }
    const float h = 1.2f, step = 2e-3f;
    const fluid_rows row = {&own, first, index, 1};
    const fluid_lambda_step unit_step = {1, 0, 20 / (h * h)};
    memcpy(moved, q, sizeof q);
    const density_view view = {(const density_in *)moved, size, size, 1 / h};
    ISA_PICK(fluid_scatter)(&view, &row, &unit_step, FAR, moved);
    for (uint32_t i = 0; i < N; i++)
        for (int a = 0; a < 3; a++) {
            float density[2], at = q[i][a];
            for (int side = 0; side < 2; side++) {
                fluid_sums sums;
                const density_view there = {(const density_in *)q, size, size, 1 / h};
                q[i][a] = at + (side ? step : -step);
                ISA_PICK(fluid_density)(&there, &row, &sums);
                density[side] = sums.density;
            }
            q[i][a] = at;
            assert_near((double)((moved[i][a] - at) / q[i][3]),
                        (double)((density[1] - density[0]) / (2 * step)), 2e-3);
        }
}

// Sum of arm x mass x move: the change of angular momentum by a move.
static firn_vec3 twist_of(const float (*before)[4], const float (*after)[4], size_t n) {
    firn_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < n; i++)
        sum = dvec_add(
            sum, dvec_scale(dvec_cross(pbd_at(before[i]), dvec_sub(pbd_at(after[i]), pbd_at(before[i]))),
                            1 / (double)before[i][3]));
    return sum;
}

static void test_one_projection_holds_a_distance(void **state) {
    (void)state;
    const pbd_batch_lanes *lanes = PBD_PICK_LANES(pbd_distance_lanes);
    enum { N = 37 }; // packs, and a rest
    float q[2 * N][4], before[2 * N][4], rest[N], soft[N] = {0}, lambda[N] = {0};
    uint32_t ends[2 * N];
    for (uint32_t i = 0; i < 2 * N; i++) {
        for (uint32_t a = 0; a < 3; a++) q[i][a] = about(i, 10 + a);
        q[i][3] = 0.2f + (float)unit(i, 13);
        ends[i] = i % 2 * N + i / 2; // first of constraint c: c, second: N + c
    }
    for (uint32_t c = 0; c < N; c++) ends[c] = c, ends[N + c] = N + c, rest[c] = 0.1f + (float)unit(c, 14);
    memcpy(before, q, sizeof q);
    pbd_columns columns = {N, ends, rest, soft, lambda, NULL};
    pbd_lane_pass pass = {.inverse_dt2 = 3600, .relax = 1};
    lanes->project(&columns, &pass, 0, N, q);
    for (int c = 0; c < N; c++)
        assert_near(dvec_distance(pbd_at(q[c]), pbd_at(q[N + c])), (double)rest[c], 3e-7);
    firn_vec3 a = moment_of((const float(*)[4])before, 2 * N), b = moment_of((const float(*)[4])q, 2 * N);
    assert_near(dvec_distance(a, b), 0, 2e-5);
    assert_near(dvec_length(twist_of((const float(*)[4])before, (const float(*)[4])q, 2 * N)), 0, 2e-5);
}

// Colours of a random graph: valid, and at most one more than the constraints that one meets.
static void check_coloring(uint64_t seed) {
    enum { MOST = 120, PARTICLES = 40 };
    uint32_t ends[MOST * 3], color[MOST], degree[PARTICLES] = {0};
    int arity = 2 + (int)(seed % 2);
    size_t count = 1 + random_bits(seed, 0, 0, 1).v[0] % MOST, colors;
    bool star = seed % 7 == 0; // one particle in all
    for (size_t c = 0; c < count; c++)
        for (int k = 0; k < arity; k++) {
            uint32_t *p = &ends[c * (size_t)arity + (size_t)k], n = PARTICLES / (uint32_t)arity;
            *p = (uint32_t)k * n + random_bits(seed, c, 0, 2 + (uint32_t)k).v[0] % n;
            if (star && k == 0) *p = 0;
            degree[*p]++;
        }
    assert_ok(pbd_color(ends, arity, count, PARTICLES, color, &colors));
    size_t most = 0;
    for (size_t c = 0; c < count; c++) {
        size_t meets = 0;
        for (size_t d = 0; d < count; d++) {
            bool shared = false;
            for (int k = 0; k < arity * arity; k++)
                shared |= ends[c * (size_t)arity + (size_t)(k % arity)] ==
                          ends[d * (size_t)arity + (size_t)(k / arity)];
            if (!shared || d == c) continue;
            meets++;
            assert_true(color[c] != color[d]);
        }
        most = meets > most ? meets : most;
    }
    assert_true(colors <= most + 1);
}

static void test_coloring_of_random_graphs(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) check_coloring(seed);
}

static void test_wrong_drafts(void **state) {
    (void)state;
    const pbd_batch_lanes *lanes = PBD_PICK_LANES(pbd_distance_lanes);
    pbd_batch *b;
    float rest = 1;
    pbd_draft d = {.arity = 2, .params = 1};
    assert_ok(pbd_draft_add(&d, (uint32_t[2]){0, 5}, &rest, 0));
    assert_int_equal(pbd_batch_create(lanes, &d, "distance", 5, &b), FIRN_BAD_INPUT);
    assert_string_equal(firn_last_error(),
                        "distance constraint 0 refers to particle 5, but there are only 5");
    pbd_draft_free(&d);
    assert_ok(pbd_draft_add(&d, (uint32_t[2]){3, 3}, &rest, 0));
    assert_int_equal(pbd_batch_create(lanes, &d, "distance", 5, &b), FIRN_BAD_INPUT);
    assert_string_equal(firn_last_error(), "distance constraint 0 refers to particle 3 twice");
    pbd_draft_free(&d);
}

// The ears of a hare stand closer to each other than its neighbours lie: no link joins them through the air,
// and the hare is still one piece.
static void test_links_stay_in_the_shape(void **state) {
    (void)state;
    soft_world w;
    soft_lattice(&w, 1, 1, 1, 0.038);
    w.solid.lattice = (firn_vec3){0};
    w.solid.fill.shape.kind = FIRN_SHAPE_HARE;
    w.solid.fill.shape.height = 1;
    w.solid.pattern = FIRN_FILL_BLUE_NOISE;
    w.solid.links = FIRN_PBD_NEIGHBOURS;
    w.solid.neighbours = 26;
    firn_world *world = soft_open(&w);
    const pbd *s = soft_model(world);
    const pbd_batch *b = pbd_data(s, &pbd_distance);
    shape *hare;
    assert_ok(shape_create(&w.solid.fill.shape, 1, NULL, "hare", &hare));
    uint32_t *piece = mem_zero(s->p.count, sizeof *piece);
    double farthest = -1;
    for (uint32_t i = 0; i < s->p.count; i++) piece[i] = i;
    for (size_t c = 0; c < b->count; c++) {
        firn_vec3 x = pbd_at(s->p.rest[b->particle[c]]), y = pbd_at(s->p.rest[b->particle[b->count + c]]);
        farthest = fmax(farthest, shape_sdf(hare, dvec_scale(dvec_add(x, y), 0.5), NULL));
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t c = 0; c < b->count; c++) {
            uint32_t *one = &piece[b->particle[c]], *two = &piece[b->particle[b->count + c]];
            uint32_t low = *one < *two ? *one : *two;
            changed |= *one != *two;
            *one = *two = low;
        }
    }
    for (size_t i = 0; i < s->p.count; i++) assert_int_equal(piece[i], 0);
    print_message("%zu links of %zu particles, at most %.3g spacings outside\n", b->count, s->p.count,
                  farthest / 0.038);
    assert_true(farthest < 0.31 * 0.038);
    mem_free(piece);
    shape_destroy(hare);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links_stay_in_the_shape),
        cmocka_unit_test(test_gradients_are_differences),
        cmocka_unit_test(test_gradient_of_the_volume),
        cmocka_unit_test(test_gradient_of_the_density),
        cmocka_unit_test(test_shape_finds_its_rotation),
        cmocka_unit_test(test_one_projection_holds_a_distance),
        cmocka_unit_test(test_coloring_of_random_graphs),
        cmocka_unit_test(test_wrong_drafts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
