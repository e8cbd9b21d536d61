// firn-test: threaded
// The semi-implicit step: the stiffness of the grid, the solve, conservation, equal bits.
#include "mpm/snow.h"

#include "base/memory.h"
#include "base/random.h"
#include "mpm/mpm_implicit.h"
#include "world/world.h"

typedef struct opened {
    firn_world *world;
    mpm_state *s;
    body_set *bodies;
} opened;

static opened open_box(double implicit, firn_vec3 size, firn_vec3 at, firn_mpm_kernel kernel) {
    snow_world w;
    snow_box(&w, size, at, 0.05);
    w.mpm.implicit = implicit;
    w.mpm.kernel = kernel;
    w.snow.velocity = (firn_vec3){1, -3, 0.5};
    w.snow.spin = (firn_vec3){1, 2, 3};
    w.snow.young = 1e6;
    snow_floor(&w, 0.4, 0.1);
    opened o = {.world = snow_open(&w)};
    for (size_t i = 0; i < world_model_count(o.world); i++) {
        const char *name = world_model_class(o.world, i)->name;
        if (strcmp(name, "mpm") == 0) o.s = world_model(o.world, i);
        if (strcmp(name, "bodies") == 0) o.bodies = world_model(o.world, i);
    }
    assert_non_null(o.s);
    return o;
}

static float *random_vector(const mpm_state *s, uint32_t stream) {
    float *v = mem_zero(s->grid.map.count, BLOCK_FLOATS * sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < s->grid.map.count * BLOCK_NODES; i++) {
        random4 bits = random_bits(31, i, 0, stream);
        for (int a = 0; a < 3; a++) v[4 * i + (size_t)a] = 2 * random_unit(bits, a) - 1;
    }
    return v;
}

// Only nodes that hold snow.
static double dot(const mpm_state *s, const float *a, const float *b) {
    double sum = 0;
    for (size_t i = 0; i < s->grid.active_count; i++)
        for (size_t k = 0; k < BLOCK_FLOATS; k++) {
            size_t at = (size_t)s->grid.active[i] * BLOCK_FLOATS + k;
            if (k % 4 < 3) sum += (double)a[at] * b[at];
        }
    return sum;
}

// A box that has been squeezed and sheared on the floor, its stiffness frozen.
static const float frozen_step = 1e-3f;
static void freeze(mpm_state *s) {
    assert_ok(mpm_sort(s, 0));
    mpm_p2g(s, 0);
    mpm_update_grid(s, frozen_step);
    assert_ok(mpm_implicit_begin(s, frozen_step));
}
static opened frozen_box(firn_mpm_kernel kernel) {
    opened o = open_box(1, (firn_vec3){0.4, 0.3, 0.35}, (firn_vec3){0.02, 0.17, 0.01}, kernel);
    assert_ok(firn_world_advance(o.world, 0.02));
    freeze(o.s);
    return o;
}

static void test_operator_is_symmetric_and_definite(void **state) {
    (void)state;
    for (int kernel = 0; kernel < 2; kernel++) {
        opened o = frozen_box(kernel ? FIRN_MPM_QUADRATIC : FIRN_MPM_CUBIC);
        float *ka = random_vector(o.s, 9), *kb = random_vector(o.s, 9);
        for (uint32_t i = 0; i < 5; i++) {
            float *a = random_vector(o.s, 2 * i), *b = random_vector(o.s, 2 * i + 1);
            mpm_implicit_operate(o.s, a, ka);
            mpm_implicit_operate(o.s, b, kb);
            double size = sqrt(dot(o.s, a, ka) * dot(o.s, b, kb));
            assert_true(dot(o.s, a, ka) > 0);
            assert_near(dot(o.s, a, kb), dot(o.s, b, ka), 1e-5 * size);
            mem_free(a);
            mem_free(b);
        }
        mem_free(ka);
        mem_free(kb);
        firn_world_close(o.world);
    }
}

// MPM15 eq. 18 and the quadratic kernel, and their slopes (per cell), in double.
static double kernel_at(firn_mpm_kernel kernel, double x, double *slope) {
    double a = fabs(x), sign = x < 0 ? -1 : 1;
    if (kernel == FIRN_MPM_CUBIC) {
        *slope = sign * (a < 1 ? 1.5 * a * a - 2 * a : a < 2 ? -0.5 * (2 - a) * (2 - a) : 0);
        return a < 1 ? 0.5 * a * a * a - a * a + 2.0 / 3 : a < 2 ? (2 - a) * (2 - a) * (2 - a) / 6 : 0;
    }
    *slope = sign * (a < 0.5 ? -2 * a : a < 1.5 ? a - 1.5 : 0);
    return a < 0.5 ? 0.75 - a * a : a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0;
}

typedef struct reached {
    size_t at; // float of a node in a vector by slot
    double weight, slope[3];
} reached;

static size_t node_at(const mpm_state *s, const int32_t node[3]) { // SIZE_MAX: no such node
    int32_t block[3] = {node[0] >> 2, node[1] >> 2, node[2] >> 2};
    uint32_t slot = block_map_find(&s->grid.map, block);
    size_t inside = (size_t)((node[0] & 3) << 4 | (node[1] & 3) << 2 | (node[2] & 3));
    return slot == BLOCK_NONE ? SIZE_MAX : 4 * ((size_t)slot * BLOCK_NODES + inside);
}

// The up to 64 nodes around a particle, their w and grad w.
static size_t reach(const mpm_state *s, const double x[3], reached out[64]) {
    double cell = (float)s->def.cell;
    size_t n = 0;
    for (int i = 0; i < 64; i++) {
        double w[3], d[3];
        int32_t node[3] = {i >> 4, i >> 2 & 3, i & 3};
        for (int a = 0; a < 3; a++) {
            node[a] += (int32_t)floor(x[a] / cell) - 1;
            w[a] = kernel_at(s->def.kernel, x[a] / cell - node[a], &d[a]);
        }
        size_t at = node_at(s, node);
        if (at == SIZE_MAX) continue;
        out[n++] =
            (reached){at,
                      w[0] * w[1] * w[2],
                      {d[0] * w[1] * w[2] / cell, w[0] * d[1] * w[2] / cell, w[0] * w[1] * d[2] / cell}};
    }
    return n;
}

static double modulus_of(const mpm_state *s, size_t p) {
    const mpm_law *m = &s->materials[s->p.material[p]].law;
    double hard = exp(fmin(fmax(m->hardening * (1.0 - s->p.jp[p]), -5.0), 5.0));
    return ((double)m->lambda + 2 * (double)m->mu) * m->volume * hard;
}

// Twice the stiffness: STIFFER of mpm_implicit.c.
static double scale_of(const mpm_state *s) {
    return 2 * s->def.implicit * (double)frozen_step * (double)frozen_step;
}

static double shear_of(const mpm_state *s) {
    const mpm_law *m = &s->materials[0].law;
    return (double)m->mu / ((double)m->lambda + 2 * (double)m->mu);
}

// Mass and modulus of the nodes, from the particles.
static void weigh_plain(const mpm_state *s, double *mass, double *modulus) {
    for (size_t p = 0; p < s->p.count; p++) {
        reached node[64];
        size_t n = reach(s, s->p.x[p], node);
        for (size_t i = 0; i < n; i++) {
            mass[node[i].at] += node[i].weight * (double)s->materials[s->p.material[p]].mass;
            modulus[node[i].at] += node[i].weight * modulus_of(s, p);
        }
    }
}

// One trilinear cell: gradient in its middle, stress, forces on its nodes.
static void add_cell_plain(const size_t at[8], double k, double shear, const float *v, double *out) {
    double g[3][3] = {{0}};
    for (int i = 0; i < 8; i++)
        for (int c = 0; c < 9; c++)
            g[c / 3][c % 3] += (double)v[at[i] + (size_t)(c / 3)] * (i >> (2 - c % 3) & 1 ? 0.25 : -0.25);
    double trace = g[0][0] + g[1][1] + g[2][2];
    for (int i = 0; i < 8; i++)
        for (int c = 0; c < 9; c++) {
            int row = c / 3, column = c % 3;
            double stress =
                k * (shear * (g[row][column] + g[column][row]) + (row == column) * (1 - 2 * shear) * trace);
            out[at[i] + (size_t)row] += stress * (i >> (2 - column) & 1 ? 0.25 : -0.25);
        }
}

static void operate_plain(const mpm_state *s, const float *v, double *out) {
    size_t floats = s->grid.map.count * BLOCK_FLOATS;
    double *mass = mem_zero(floats, sizeof *mass), *modulus = mem_zero(floats, sizeof *modulus);
    assert_true(mass && modulus);
    weigh_plain(s, mass, modulus);
    for (size_t slot = 0; slot < s->grid.map.count; slot++)
        for (int n = 0; n < BLOCK_NODES; n++) {
            double least = INFINITY, m = 0, k = 0;
            size_t at[8];
            for (int i = 0; i < 8; i++) {
                const int32_t *block = s->grid.map.at[slot];
                int32_t node[3] = {4 * block[0] + (n >> 4) + (i >> 2),
                                   4 * block[1] + (n >> 2 & 3) + (i >> 1 & 1),
                                   4 * block[2] + (n & 3) + (i & 1)};
                at[i] = node_at(s, node);
                double here = at[i] == SIZE_MAX ? 0 : mass[at[i]];
                least = fmin(least, here);
                m += here;
                k += at[i] == SIZE_MAX ? 0 : modulus[at[i]];
            }
            double cell = (float)s->def.cell;
            if (least > 0)
                add_cell_plain(at, scale_of(s) / (cell * cell) * fmin(sqrt(least * m / 8), 4 * least) * k / m,
                               shear_of(s), v, out);
        }
    mem_free(mass);
    mem_free(modulus);
}

static void test_operator_equals_the_plain_one(void **state) {
    (void)state;
    for (int kernel = 0; kernel < 2; kernel++) {
        opened o = open_box(0.7, (firn_vec3){0.4, 0.3, 0.35}, (firn_vec3){0.02, 0.17, 0.01},
                            kernel ? FIRN_MPM_QUADRATIC : FIRN_MPM_CUBIC);
        for (size_t p = 0; p < o.s->p.count; p++) o.s->p.jp[p] = 0.9f + 0.02f * (float)(p % 10);
        freeze(o.s);
        float *v = random_vector(o.s, 3), *fast = random_vector(o.s, 4);
        double *plain = mem_zero(o.s->grid.map.count, BLOCK_FLOATS * sizeof *plain);
        assert_non_null(plain);
        mpm_implicit_operate(o.s, v, fast);
        operate_plain(o.s, v, plain);
        double largest = 0, wrong = 0;
        for (size_t i = 0; i < o.s->grid.active_count; i++)
            for (size_t k = 0; k < BLOCK_FLOATS; k++) {
                size_t at = (size_t)o.s->grid.active[i] * BLOCK_FLOATS + k;
                if (k % 4 == 3) continue;
                largest = fmax(largest, fabs(plain[at]));
                wrong = fmax(wrong, fabs(plain[at] - fast[at]));
            }
        assert_true(largest > 0 && wrong <= 2e-5 * largest);
        mem_free(v);
        mem_free(fast);
        mem_free(plain);
        firn_world_close(o.world);
    }
}

// Sets a vector by slot to f(x) at the nodes.
static float *field_of(const mpm_state *s, void (*f)(const double x[3], double v[3])) {
    float *out = mem_zero(s->grid.map.count, BLOCK_FLOATS * sizeof *out);
    assert_non_null(out);
    for (size_t slot = 0; slot < s->grid.map.count; slot++)
        for (int n = 0; n < BLOCK_NODES; n++) {
            const int32_t *block = s->grid.map.at[slot];
            int32_t node[3] = {4 * block[0] + (n >> 4), 4 * block[1] + (n >> 2 & 3), 4 * block[2] + (n & 3)};
            double x[3], v[3];
            for (int a = 0; a < 3; a++) x[a] = s->def.cell * node[a];
            f(x, v);
            for (size_t a = 0; a < 3; a++) out[4 * (slot * BLOCK_NODES + (size_t)n) + a] = (float)v[a];
        }
    return out;
}

static void move_and_turn(const double x[3], double v[3]) {
    v[0] = 1 + 2 * x[1] - 3 * x[2];
    v[1] = -2 - 2 * x[0] + x[2];
    v[2] = 0.5 + 3 * x[0] - x[1];
}
static void stretch(const double x[3], double v[3]) {
    v[0] = 2 * x[0];
    v[1] = x[2];
    v[2] = x[1] - x[2];
}

static void test_rigid_motion_meets_no_resistance(void **state) {
    (void)state;
    opened o = frozen_box(FIRN_MPM_CUBIC);
    float *rigid = field_of(o.s, move_and_turn), *strained = field_of(o.s, stretch),
          *k = random_vector(o.s, 1);
    mpm_implicit_operate(o.s, strained, k);
    double size = dot(o.s, strained, k), force[3] = {0}, turn = 0, sum = 0;
    for (size_t i = 0; i < o.s->grid.active_count; i++)
        for (size_t n = 0; n < BLOCK_FLOATS; n += 4)
            for (size_t a = 0; a < 3; a++) {
                float f = k[(size_t)o.s->grid.active[i] * BLOCK_FLOATS + n + a];
                force[a] += (double)f;
                sum += fabs((double)f);
            }
    turn = dot(o.s, rigid, k); // a rigid motion is the work of force and torque
    for (int a = 0; a < 3; a++) assert_near(force[a], 0, 1e-6 * sum);
    assert_near(turn, 0, 1e-5 * size);
    mpm_implicit_operate(o.s, rigid, k);
    assert_near(dot(o.s, rigid, k), 0, 1e-6 * size);
    mem_free(rigid);
    mem_free(strained);
    mem_free(k);
    firn_world_close(o.world);
}

// A wave inside a box of snow that does not reach its surface.
static void wave(const double x[3], double v[3]) {
    double bump = 1;
    for (int a = 0; a < 3; a++) {
        double far = fabs(x[a] - (a == 1 ? 0.4 : 0)) / 0.25; // 10 cells wide
        bump *= far < 1 ? pow(cos(1.5707963 * far), 2) : 0;
    }
    v[0] = bump;
    v[1] = bump * sin(20 * x[0]);
    v[2] = bump * cos(15 * x[1]);
}

// The energy of the wave's strain rate, from the particles.
static double work_of_particles(const mpm_state *s, const float *v) {
    double work = 0, shear = shear_of(s);
    for (size_t p = 0; p < s->p.count; p++) {
        reached node[64];
        size_t n = reach(s, s->p.x[p], node);
        double l[3][3] = {{0}}, square = 0;
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 9; k++)
                l[k / 3][k % 3] += (double)v[node[i].at + (size_t)(k / 3)] * node[i].slope[k % 3];
        for (int k = 0; k < 9; k++) square += pow(l[k / 3][k % 3] + l[k % 3][k / 3], 2) / 2;
        work += modulus_of(s, p) * ((1 - 2 * shear) * pow(l[0][0] + l[1][1] + l[2][2], 2) + shear * square);
    }
    return scale_of(s) * work;
}

static void test_stiffness_is_that_of_the_particles(void **state) {
    (void)state;
    for (int kernel = 0; kernel < 2; kernel++) {
        opened o = open_box(0.5, (firn_vec3){0.7, 0.7, 0.7}, (firn_vec3){0, 0.4, 0},
                            kernel ? FIRN_MPM_QUADRATIC : FIRN_MPM_CUBIC);
        freeze(o.s);
        float *v = field_of(o.s, wave), *k = random_vector(o.s, 1);
        mpm_implicit_operate(o.s, v, k);
        double ratio = dot(o.s, v, k) / work_of_particles(o.s, v);
        if (getenv("FIRN_TEST_SHOW")) print_message("kernel %d: %.4f\n", kernel, ratio);
        assert_true(ratio > 1 && ratio < 1.3); // cells are stiffer than splines
        mem_free(v);
        mem_free(k);
        firn_world_close(o.world);
    }
}

// The solve gives the velocity that the tightest one gives, up to its tolerance.
static void test_solve_converges(void **state) {
    (void)state;
    double apart[2];
    float *exact = NULL;
    for (int i = 0; i < 3; i++) {
        opened o = open_box(1, (firn_vec3){0.4, 0.3, 0.35}, (firn_vec3){0.02, 0.17, 0.01}, FIRN_MPM_CUBIC);
        assert_ok(firn_world_advance(o.world, 0.02));
        o.s->def.implicit_tolerance = i == 0 ? 1e-6 : i == 1 ? 1e-2 : 1e-4;
        freeze(o.s);
        assert_ok(mpm_begin_contacts(o.s, o.bodies, frozen_step));
        assert_ok(mpm_implicit_solve(o.s, frozen_step));
        size_t floats = o.s->grid.map.count * BLOCK_FLOATS;
        if (i == 0) {
            assert_true(o.s->solver->stats[0] > 10 && o.s->solver->stats[0] < 100);
            exact = mem_alloc(floats * sizeof *exact);
            assert_non_null(exact);
            memcpy(exact, o.s->grid.nodes, floats * sizeof *exact);
        } else {
            double error = 0, mass = 0;
            for (size_t a = 0; a < o.s->grid.active_count; a++)
                for (size_t k = 0; k < BLOCK_FLOATS; k++) {
                    size_t at = (size_t)o.s->grid.active[a] * BLOCK_FLOATS + k;
                    double m = (double)o.s->grid.nodes[at | 3];
                    if (k % 4 == 3) mass += m;
                    if (k % 4 < 3) error += m * pow((double)o.s->grid.nodes[at] - (double)exact[at], 2);
                }
            apart[i - 1] = sqrt(error / mass);
            if (getenv("FIRN_TEST_SHOW")) print_message("%g m/s apart\n", apart[i - 1]);
        }
        firn_world_close(o.world);
    }
    assert_true(apart[0] < 0.02); // of 3 m/s
    assert_true(apart[1] < 0.1 * apart[0]);
    mem_free(exact);
}

// ---- whole steps

static void test_momentum_is_conserved(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.4, 0.3, 0.3}, (firn_vec3){0, 0, 0}, 0.05);
    w.world.gravity = (firn_vec3){0, 0, 0};
    w.mpm.implicit = 1;
    w.mpm.max_step = 1e-3; // five times what is stable explicitly
    w.snow.young = 1e7;
    w.snow.velocity = (firn_vec3){1, -2, 0.5};
    w.snow.spin = (firn_vec3){5, 8, -6}; // it breaks
    firn_world *world = snow_open(&w);
    firn_ledger before = snow_ledger(world);
    assert_ok(firn_world_advance(world, 0.05));
    firn_ledger after = snow_ledger(world);
    double size = before.mass * 2.3;
    assert_true(after.mass == before.mass);
    assert_near(after.momentum.x, before.momentum.x, 1e-5 * size);
    assert_near(after.momentum.y, before.momentum.y, 1e-5 * size);
    assert_near(after.momentum.z, before.momentum.z, 1e-5 * size);
    assert_true(after.kinetic < before.kinetic); // no energy from nothing
    firn_world_close(world);
}

static void test_hash_over_threads(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 8; threads = threads == 3 ? 8 : threads + 1) {
        firn_set_threads(threads);
        opened o = open_box(0.5, (firn_vec3){0.4, 0.3, 0.4}, (firn_vec3){0, 0.22, 0}, FIRN_MPM_CUBIC);
        for (int i = 0; i < 40; i++) assert_ok(firn_world_step(o.world));
        assert_true(o.s->solver->stats[2] > 20);
        if (threads == 1) first = firn_world_hash(o.world);
        assert_true(firn_world_hash(o.world) == first);
        firn_world_close(o.world);
    }
    firn_set_threads(0);
}

static void test_every_failing_allocation(void **state) {
    (void)state;
    snow_may_lack_memory(1, 3);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operator_is_symmetric_and_definite),
        cmocka_unit_test(test_operator_equals_the_plain_one),
        cmocka_unit_test(test_rigid_motion_meets_no_resistance),
        cmocka_unit_test(test_stiffness_is_that_of_the_particles),
        cmocka_unit_test(test_solve_converges),
        cmocka_unit_test(test_momentum_is_conserved),
        cmocka_unit_test(test_hash_over_threads),
        cmocka_unit_test(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
