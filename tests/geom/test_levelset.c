// Level sets of meshes: distance, sign, borders.
#include "geom/levelset_data.h"
#include "geom/meshes.h"

typedef struct answer {
    float distance, normal[3];
} answer;

static answer ask(const levelset *l, const float p[3]) {
    answer a;
    levelset_query(l, 1, &p[0], &p[1], &p[2], &a.distance, &a.normal[0], &a.normal[1], &a.normal[2]);
    return a;
}

static levelset *make(const mesh *m, float cell) {
    levelset *l;
    assert_int_equal(levelset_create(m, cell, "test", &l), FIRN_OK);
    return l;
}

static void rotate(mesh *m, float angle) {
    float c = cosf(angle), s = sinf(angle);
    for (size_t i = 0; i < m->vertices; i++)
        for (int k = 0; k < 2; k++) {
            float *p = m->position[i], x = p[k], y = p[k + 1];
            p[k] = c * x - s * y;
            p[k + 1] = s * x + c * y;
        }
}

static void random_point(uint64_t seed, uint64_t i, float size, float p[3]) {
    for (int k = 0; k < 3; k++) p[k] = size * random_signed(seed, i, k);
}

// What the rounds of the build promise, for smooth, sharp, oblique, rough and thin meshes.
static void test_vertices(void **state) {
    (void)state;
    mesh all[6] = {make_sphere(1.0f, 48, 24),  make_torus(1.0f, 0.4f, 64, 32),  make_box(1.0f, 1.3f, 0.7f),
                   make_box(1.0f, 1.3f, 0.7f), make_torus(0.6f, 0.25f, 24, 12), make_box(1.0f, 0.013f, 1.0f)};
    rotate(&all[3], 0.4f);
    rotate(&all[5], 0.3f);
    for (size_t i = 0; i < all[4].vertices; i++)
        for (int k = 0; k < 3; k++) all[4].position[i][k] += 0.03f * random_signed(1, i, k);
    for (int which = 0; which < 6; which++) {
        const float cell = 1.0f / 16;
        levelset *l = make(&all[which], cell);
        bvh *w;
        assert_int_equal(bvh_create(&all[which], &w), FIRN_OK);
        for (size_t i = 0; i < all[which].vertices; i++)
            assert_near(ask(l, all[which].position[i]).distance, 0.0, 0.1 * cell);
        double sum = 0.0, count = 0.0;
        for (uint64_t i = 0; i < 2500 / FIRN_FEWER; i++) {
            float p[3];
            random_point(2, i, 1.4f, p);
            float truth = bvh_distance(w, p, NULL, NULL) * (bvh_winding_number(w, p) > 0.5f ? -1.0f : 1.0f);
            answer a = ask(l, p);
            assert_near(a.distance, truth, 0.3f * cell + 0.15f * fabsf(truth));
            assert_near(a.normal[0] * a.normal[0] + a.normal[1] * a.normal[1] + a.normal[2] * a.normal[2],
                        1.0, 1e-5);
            if (fabsf(truth) > cell) continue;
            sum += fabs((double)(a.distance - truth));
            count += 1.0;
        }
        assert_true(sum / count < 0.02 * cell);
        bvh_destroy(w);
        levelset_destroy(l);
        mesh_free(&all[which]);
    }
}

static double box_distance(const float p[3], double half, double n[3]) {
    double q[3], outside = 0.0, inside = -INFINITY;
    int deepest = 0;
    for (int k = 0; k < 3; k++) {
        q[k] = fabs((double)p[k]) - half;
        if (q[k] > inside) deepest = k;
        inside = fmax(inside, q[k]);
        outside += fmax(q[k], 0.0) * fmax(q[k], 0.0);
    }
    for (int k = 0; k < 3; k++) {
        double along = inside > 0.0 ? fmax(q[k], 0.0) / sqrt(outside) : k == deepest ? 1.0 : 0.0;
        n[k] = copysign(along, (double)p[k]);
    }
    return inside > 0.0 ? sqrt(outside) : inside;
}

static void test_closed_forms(void **state) {
    (void)state;
    const float cell = 1.0f / 48;
    mesh box = make_box(1, 1, 1), sphere = make_sphere(0.5f, 128, 64);
    levelset *lb = make(&box, cell), *ls = make(&sphere, cell);
    for (uint64_t i = 0; i < 20000 / FIRN_FEWER; i++) {
        float p[3];
        double n[3];
        random_point(4, i, 0.6f, p);
        double d = box_distance(p, 0.5, n);
        answer a = ask(lb, p);
        if (fabs(d) < (double)cell) assert_near(a.distance, d, 0.1 * cell);
        // Away from the edges and from the ridges inside, the field is flat.
        double q[3] = {fabs((double)p[0]), fabs((double)p[1]), fabs((double)p[2])},
               top = fmax(q[0], fmax(q[1], q[2]));
        int near_top = (q[0] > top - 0.1) + (q[1] > top - 0.1) + (q[2] > top - 0.1);
        if (near_top == 1 && fabs(d) < 0.05)
            for (int k = 0; k < 3; k++) assert_near(a.normal[k], n[k], 1e-3);
        double r = sqrt((double)(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
        a = ask(ls, p);
        if (r > 0.4 && r < 0.6) assert_near(a.distance, r - 0.5, 0.1 * (double)cell + 0.05 * fabs(r - 0.5));
        if (r > 0.4 && r < 0.6)
            for (int k = 0; k < 3; k++) assert_near(a.normal[k], (double)p[k] / r, 0.12);
    }
    assert_true(levelset_bytes(ls) < 2000000);
    assert_true(levelset_bytes(lb) < 5000000);
    levelset_destroy(lb);
    levelset_destroy(ls);
    mesh_free(&box);
    mesh_free(&sphere);
}

static int warnings;
static void count_warning(void *context, firn_log_level level, const char *message) {
    (void)context;
    if (level != FIRN_LOG_WARNING) return;
    warnings++;
    assert_non_null(strstr(message, "open edges"));
}

// 5 % of the triangles gone, 5 % turned over.
static void test_damaged_mesh(void **state) {
    (void)state;
    const float cell = 1.0f / 20;
    mesh whole = make_torus(1.0f, 0.45f, 96, 48), m;
    assert_int_equal(mesh_copy(&whole, &m), FIRN_OK);
    size_t kept = 0;
    for (size_t i = 0; i < m.triangles; i++) {
        float dice = random_unit(random_bits(9, i, 0, 0), 0);
        if (dice < 0.05f) continue;
        uint32_t *t = m.triangle[kept++];
        memmove(t, m.triangle[i], 12);
        if (dice < 0.1f) {
            uint32_t first = t[0];
            t[0] = t[1];
            t[1] = first;
        }
    }
    m.triangles = kept;
    firn_set_log(count_warning, NULL);
    warnings = 0;
    levelset *l = make(&m, cell);
    firn_set_log(NULL, NULL);
    assert_int_equal(warnings, 1);
    bvh *w;
    assert_int_equal(bvh_create(&whole, &w), FIRN_OK);
    int asked = 0, wrong = 0;
    for (uint64_t i = 0; i < 30000 / FIRN_FEWER; i++) {
        float p[3];
        random_point(21, i, 1.6f, p);
        float truth = bvh_distance(w, p, NULL, NULL);
        if (truth <= cell) continue;
        asked++;
        wrong += (ask(l, p).distance < 0.0f) != (bvh_winding_number(w, p) > 0.5f);
    }
    assert_true(asked > 10000 / FIRN_FEWER);
    assert_true(wrong * 1000 < asked);
    bvh_destroy(w);
    levelset_destroy(l);
    mesh_free(&m);
    mesh_free(&whole);
}

static void test_inside_out(void **state) {
    (void)state;
    mesh m = make_sphere(1.0f, 32, 16);
    for (size_t i = 0; i < m.triangles; i++) {
        uint32_t first = m.triangle[i][0];
        m.triangle[i][0] = m.triangle[i][1];
        m.triangle[i][1] = first;
    }
    levelset *l = make(&m, 0.1f);
    assert_near(ask(l, (float[3]){0.2f, 0, 0}).distance, -0.8, 0.05);
    assert_near(ask(l, (float[3]){0, 1.2f, 0}).normal[1], 1.0, 0.01);
    levelset_destroy(l);
    mesh_free(&m);
}

static void test_beyond_the_box(void **state) {
    (void)state;
    mesh m = make_sphere(1.0f, 64, 32);
    levelset *l = make(&m, 0.05f);
    for (uint64_t i = 0; i < 4000; i++) {
        float p[3];
        random_point(31, i, i % 2 ? 5.0f : 500.0f, p);
        double r =
            sqrt((double)p[0] * (double)p[0] + (double)p[1] * (double)p[1] + (double)p[2] * (double)p[2]);
        if (r < 1.5) continue;
        answer a = ask(l, p);
        assert_near(a.distance / (r - 1.0), 1.0, 0.08);
        double along = 0.0;
        for (int k = 0; k < 3; k++) along += (double)a.normal[k] * (double)p[k] / r;
        assert_true(along > 0.97);
        // Continuous at the border of the box.
        float q[3], s[3];
        for (int k = 0; k < 3; k++) q[k] = fminf(fmaxf(p[k], l->low[k]), l->high[k]);
        for (int k = 0; k < 3; k++) s[k] = q[k] + 1e-4f * (p[k] - q[k]) / (float)r;
        assert_near(ask(l, q).distance, ask(l, s).distance, 2e-4);
    }
    answer odd = ask(l, (float[3]){NAN, 0, INFINITY});
    assert_near(odd.normal[0] * odd.normal[0] + odd.normal[1] * odd.normal[1] + odd.normal[2] * odd.normal[2],
                1.0, 1e-5);
    levelset_destroy(l);
    mesh_free(&m);
}

// Both sides of the planes between leaves, near the surface.
static void test_continuity(void **state) {
    (void)state;
    mesh all[2] = {make_torus(1.0f, 0.4f, 64, 32), make_box(1.5f, 1.0f, 1.2f)};
    rotate(&all[1], 0.5f);
    for (int which = 0; which < 2; which++) {
        const float cell = 1.0f / 16;
        levelset *l = make(&all[which], cell);
        double worst = 0.0;
        for (uint64_t i = 0; i < 30000 / FIRN_FEWER; i++) {
            float p[3];
            random_point(41, i, 1.4f, p);
            int axis = (int)(i % 3);
            float plane = l->low[axis] + 2.0f * cell * roundf((p[axis] - l->low[axis]) / (2.0f * cell));
            p[axis] = plane - 1e-5f;
            float below = ask(l, p).distance;
            p[axis] = plane + 1e-5f;
            float above = ask(l, p).distance;
            if (fabsf(below) < cell) worst = fmax(worst, fabs((double)(above - below)));
        }
        assert_true(worst < 0.08 * (double)cell);
        levelset_destroy(l);
        mesh_free(&all[which]);
    }
}

// One point at a time, in plain C.
static float plain_query(const levelset *l, const float p[3]) {
    float along[3];
    uint32_t block[3];
    for (int k = 0; k < 3; k++) {
        float u = (fminf(fmaxf(p[k], l->low[k]), l->high[k]) - l->low[k]) * l->per_block;
        block[k] = (uint32_t)fminf(u, (float)(l->blocks[k] - 1));
        along[k] = u - (float)block[k];
    }
    uint32_t entry = l->top[(block[2] * l->blocks[1] + block[1]) * l->blocks[0] + block[0]];
    if ((entry & 7) == LEVELSET_SPLIT) {
        uint32_t part[3];
        for (int k = 0; k < 3; k++) {
            part[k] = (uint32_t)fminf(along[k] * 4.0f, 3.0f);
            along[k] = along[k] * 4.0f - (float)part[k];
        }
        entry = l->parts[(entry >> 3) * 64 + part[2] * 16 + part[1] * 4 + part[0]];
    }
    uint32_t n = 1u << (entry & 7), side = n + 1, at[3];
    const float *samples = l->samples + (size_t)(entry >> 3) * LEVELSET_ALIGN;
    float sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        at[k] = (uint32_t)fminf(along[k] * (float)n, (float)(n - 1));
        along[k] = along[k] * (float)n - (float)at[k];
    }
    for (uint32_t c = 0; c < 8; c++) {
        uint32_t d[3] = {c & 1, c >> 1 & 1, c >> 2};
        float weight = 1.0f;
        for (int k = 0; k < 3; k++) weight *= d[k] ? along[k] : 1.0f - along[k];
        sum += weight * samples[((at[2] + d[2]) * side + at[1] + d[1]) * side + at[0] + d[0]];
    }
    return sum;
}

enum { MANY = 1000 };
static void test_lanes_against_plain(void **state) {
    (void)state;
    mesh m = make_box(1.0f, 0.5f, 0.8f);
    rotate(&m, 0.7f);
    levelset *l = make(&m, 1.0f / 20);
    static float x[MANY], y[MANY], z[MANY], d[MANY], n[3][MANY], again[MANY];
    for (uint64_t i = 0; i < MANY; i++) {
        float p[3];
        random_point(51, i, 0.7f, p);
        x[i] = fminf(fmaxf(p[0], l->low[0]), l->high[0]);
        y[i] = fminf(fmaxf(p[1], l->low[1]), l->high[1]);
        z[i] = fminf(fmaxf(p[2], l->low[2]), l->high[2]);
    }
    levelset_query(l, MANY, x, y, z, d, n[0], n[1], n[2]);
    for (int i = 0; i < MANY; i++) assert_near(d[i], plain_query(l, (float[3]){x[i], y[i], z[i]}), 1e-6);
    for (size_t count = 0; count < 40; count++) { // any number of points, any alignment
        memset(again, 0, sizeof again);
        levelset_query(l, count, x + 1, y + 1, z + 1, again + 1, NULL, NULL, NULL);
        assert_memory_equal(again + 1, d + 1, count * sizeof *d);
        assert_near(again[0] + again[count + 1], 0.0, 0.0);
    }
    levelset_query_lanes_base(l, MANY, x, y, z, again, n[0], n[1], n[2]);
    for (int i = 0; i < MANY; i++) assert_near(again[i], d[i], 1e-6);
    levelset_destroy(l);
    mesh_free(&m);
}

static void test_threads(void **state) {
    (void)state;
    mesh m = make_torus(1.0f, 0.4f, 40, 20);
    firn_set_threads(1);
    levelset *one = make(&m, 0.15f);
    for (int threads = 2; threads <= 4; threads++) {
        firn_set_threads(threads);
        levelset *l = make(&m, 0.15f);
        assert_int_equal(l->sample_count, one->sample_count);
        assert_int_equal(l->groups, one->groups);
        assert_memory_equal(l->samples, one->samples, one->sample_count * sizeof(float));
        assert_memory_equal(l->parts, one->parts, one->groups * 64 * sizeof(uint32_t));
        levelset_destroy(l);
    }
    firn_set_threads(0);
    levelset_destroy(one);
    mesh_free(&m);
}

static void assert_refused(const mesh *m, float cell, const char *word) {
    levelset *l;
    assert_int_equal(levelset_create(m, cell, "the-mesh", &l), FIRN_BAD_INPUT);
    assert_null(l);
    assert_non_null(strstr(firn_last_error(), word));
    assert_non_null(strstr(firn_last_error(), "the-mesh"));
}

static void test_refusals(void **state) {
    (void)state;
    mesh m = make_box(1, 1, 1);
    assert_refused(&m, 0.0f, "positive");
    assert_refused(&m, NAN, "positive");
    assert_refused(&m, 1e-7f, "too fine");
    m.position[2][0] = NAN;
    assert_refused(&m, 0.1f, "not finite");
    m.position[2][0] = 1e38f;
    assert_refused(&m, 0.1f, "too fine");
    assert_refused(&m, 1e37f, "extends to");
    m.position[2][0] = 1e9f;
    assert_refused(&m, 1e8f, "extends to");
    mesh_free(&m);
    m = make_box(1, 1, 1);
    for (size_t i = 0; i < m.vertices; i++) m.position[i][1] += 1e6f;
    assert_refused(&m, 0.1f, "too far");
    m.triangles = 0;
    assert_refused(&m, 0.1f, "no triangles");
    mesh_free(&m);
    // A single point: a level set all the same.
    assert_int_equal(mesh_alloc(1, 1, false, &m), FIRN_OK);
    memset(m.position, 0, sizeof *m.position);
    memset(m.triangle, 0, sizeof *m.triangle);
    levelset *l = make(&m, 0.1f);
    assert_near(ask(l, (float[3]){0.5f, 0, 0}).distance, 0.5, 0.05);
    levelset_destroy(l);
    mesh_free(&m);
}

static firn_status create_work(void *context) {
    levelset *l;
    firn_status status = levelset_create(context, 0.2f, "test", &l);
    levelset_destroy(l);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    mesh m = make_box(1, 1, 1);
    sweep_allocations(create_work, &m);
    mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vertices),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_damaged_mesh),
        cmocka_unit_test(test_inside_out),
        cmocka_unit_test(test_beyond_the_box),
        cmocka_unit_test(test_continuity),
        cmocka_unit_test(test_lanes_against_plain),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
