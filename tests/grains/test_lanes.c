// The passes over lanes against plain C in double, on the same data.
#include "support.h"

#include <math.h>

#include "base/random.h"
#include "grains/grains_lanes.h"
#include "math/dvec.h"

enum { N = 1003 }; // not a multiple of any lane count

static float between(uint64_t item, uint32_t stream, double low, double high) {
    return (float)(low + (high - low) * (double)random_unit(random_bits(5, item, 0, stream), 0));
}

typedef struct swarm {
    float x[N], y[N], z[N], u[N], v[N], w[N], d[N], nx[N], ny[N], nz[N];
} swarm;

static void fill(swarm *s) {
    for (uint64_t i = 0; i < N; i++) {
        s->x[i] = between(i, 1, -5, 5), s->y[i] = between(i, 2, -5, 5), s->z[i] = between(i, 3, -5, 5);
        s->u[i] = between(i, 4, -3, 3), s->v[i] = between(i, 5, -3, 3), s->w[i] = between(i, 6, -3, 3);
        s->d[i] = between(i, 7, -0.02, 0.03);
        firn_vec3 n = dvec_normalise(
            dvec((double)between(i, 8, -1, 1), (double)between(i, 9, -1, 1), (double)between(i, 10, 0.1, 1)));
        s->nx[i] = (float)n.x, s->ny[i] = (float)n.y, s->nz[i] = (float)n.z;
    }
    s->d[5] = INFINITY; // left alone
    s->u[7] = s->v[7] = s->w[7] = 0;
}

static firn_vec3 vec(const float *v) { return dvec((double)v[0], (double)v[1], (double)v[2]); }

// The law of grains/README.md for one grain; returns the change of velocity, moves *p.
static firn_vec3 plain_touch(const grain_contact *c, double d, firn_vec3 n, firn_vec3 *p, firn_vec3 v) {
    if (d >= (double)c->radius) return dvec(0, 0, 0);
    firn_vec3 surface = dvec_add(vec(c->velocity), dvec_cross(vec(c->spin), dvec_sub(*p, vec(c->origin))));
    firn_vec3 r = dvec_sub(v, surface);
    double inward = -dvec_dot(r, n), depth = (double)c->radius - d, pull = -dvec_dot(vec(c->gravity), n);
    double since = inward > 0 ? fmin((double)c->dt, depth / inward) : 0;
    double hit = inward - pull * since, out = hit > (double)c->slowest ? (double)c->restitution * hit : 0;
    double push = inward > 0 ? inward + fmax(out - pull * since, 0) : 0;
    firn_vec3 tangent = dvec_add_scaled(r, n, inward);
    double sliding = dvec_length(tangent),
           rub = sliding > 0 ? fmin(1, (double)c->friction * push / sliding) : 0;
    *p = dvec_add_scaled(*p, n, depth + fmax(out - pull * since / 2, 0) * since);
    return dvec_add_scaled(dvec_scale(n, push), tangent, -rub);
}

static void test_touch(void **state) {
    (void)state;
    static swarm s, before;
    fill(&s);
    before = s;
    const grain_contact c = {.radius = 0.01f,
                             .friction = 0.4f,
                             .restitution = 0.3f,
                             .slowest = 0.08f,
                             .dt = 1.0f / 240,
                             .origin = {1, 0, -1},
                             .velocity = {0.5f, -1, 0.2f},
                             .spin = {0.1f, 0.3f, -0.2f},
                             .gravity = {0, -9.81f, 0}};
    float ju[N], jv[N], jw[N];
    ISA_PICK(grains_contact)(&c, N, s.d, s.nx, s.ny, s.nz, s.x, s.y, s.z, s.u, s.v, s.w, ju, jv, jw);
    int touched = 0, bounced = 0;
    for (int i = 0; i < N; i++) {
        firn_vec3 p = dvec((double)before.x[i], (double)before.y[i], (double)before.z[i]);
        firn_vec3 v = dvec((double)before.u[i], (double)before.v[i], (double)before.w[i]);
        firn_vec3 n = dvec((double)s.nx[i], (double)s.ny[i], (double)s.nz[i]);
        firn_vec3 change = plain_touch(&c, (double)s.d[i], n, &p, v), now = dvec_add(v, change);
        assert_true(dvec_distance(change, dvec((double)ju[i], (double)jv[i], (double)jw[i])) < 1e-5);
        assert_true(dvec_distance(now, dvec((double)s.u[i], (double)s.v[i], (double)s.w[i])) < 1e-5);
        assert_true(dvec_distance(p, dvec((double)s.x[i], (double)s.y[i], (double)s.z[i])) < 2e-6);
        if (s.d[i] >= c.radius) assert_true(s.x[i] == before.x[i] && s.u[i] == before.u[i]);
        touched += s.d[i] < c.radius;
        bounced += dvec_length(change) > 0;
    }
    assert_true(touched > N / 3 && bounced > N / 8 && touched < N);
}

static void test_fly_and_range(void **state) {
    (void)state;
    static swarm s, before;
    fill(&s);
    before = s;
    const grain_flight f = {0.97f, 0.004f, {0, -0.04f, 0.001f}, {0, -8e-5f, 1e-6f}};
    ISA_PICK(grains_fly)(&f, N, s.x, s.y, s.z, s.u, s.v, s.w);
    for (int i = 0; i < N; i++) {
        assert_near((double)s.y[i], (double)before.y[i] + 0.004 * (double)before.v[i] - 8e-5, 2e-6);
        assert_near((double)s.v[i], 0.97 * (double)before.v[i] - 0.04, 2e-6);
        assert_near((double)s.w[i], 0.97 * (double)before.w[i] + 0.001, 2e-6);
    }
    for (size_t n = 1; n <= 50; n++) {
        float low, high, least = INFINITY, most = -INFINITY;
        ISA_PICK(grains_range)(n, s.x, before.y, &low, &high);
        for (size_t i = 0; i < n; i++) {
            least = fminf(least, fminf(s.x[i], before.y[i]));
            most = fmaxf(most, fmaxf(s.x[i], before.y[i]));
        }
        assert_true(low == least && high == most);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_touch), cmocka_unit_test(test_fly_and_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
