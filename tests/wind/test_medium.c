// The air as a medium for others: what is read, and that no momentum is lost in what it takes up.
// firn-test: threaded
#include "wind/winds.h"

#include "base/random.h"

static const offer_medium *medium(void) { return wind_model.offers->medium; }

// Over the faces between cells of air, in kg m/s.
static firn_vec3 momentum_of(const wind_state *s) {
    const size_t step[3] = {1, s->box.row, s->box.plane};
    double sum[3] = {0}, mass = AIR_DENSITY * s->def.cell * s->def.cell * s->def.cell;
    for (int axis = 0; axis < 3; axis++)
        for (size_t a = s->box.plane; a < s->box.size; a++)
            if (s->kind[a] == POISSON_FREE && s->kind[a - step[axis]] == POISSON_FREE)
                sum[axis] += mass * s->open[axis][a] / POISSON_WHOLE * (double)s->v[axis][a];
    return (firn_vec3){sum[0], sum[1], sum[2]};
}

static void test_samples_are_the_wind(void **state) {
    (void)state;
    wind_world w;
    wind_setup(&w, 12, 8, 10, 0.05);
    w.wind.inflow.speed = 6;
    wind_box(&w, "block", (firn_vec3){3, 2, 0}, (firn_vec3){2, 4, 2});
    firn_world *world = wind_open(&w);
    wind_state *s = wind_of(world);
    const float at[4][3] = {{-5.5f, 6, 0}, {3, 1, 0}, {-40, 3, 0}, {0, 30, 2}};
    offer_medium_sample out[4];
    medium()->read(s, 4, at, out);
    assert_true(out[0].density > 1.2f && out[0].velocity[0] > 3);
    assert_true(out[1].density == 0);                 // in the block
    assert_near((double)out[2].velocity[0], 6, 1e-5); // beside the domain: undisturbed
    assert_near((double)out[3].velocity[0], 6, 1e-5); // above it
    assert_true(out[2].density > 1.2f && out[3].density > 1.2f);
    firn_world_close(world);
}

// Places in the whole domain, at its sides and at a block.
static void place(uint64_t i, float at[3]) {
    random4 r = random_bits(7, i, 0, 3);
    at[0] = 12 * random_unit(r, 0) - 6;
    at[1] = 8 * random_unit(r, 1);
    at[2] = 10 * random_unit(r, 2) - 5;
}

static void test_what_is_pushed_arrives(void **state) {
    (void)state;
    wind_world w;
    wind_setup(&w, 12, 8, 10, 0.05);
    wind_box(&w, "block", (firn_vec3){3, 2, 0}, (firn_vec3){2, 4, 2});
    firn_world *world = wind_open(&w);
    wind_state *s = wind_of(world);
    firn_vec3 before = momentum_of(s);
    double sum[3] = {0};
    for (uint64_t i = 0; i < 500; i++) {
        float at[3], impulse[3] = {0.3f, -0.2f + 0.001f * (float)i, 0.1f};
        place(i, at);
        offer_medium_sample air;
        medium()->read(s, 1, (const float(*)[3]) & at, &air);
        if (!(air.density > 0)) continue;
        medium()->push(s, 1, (const float(*)[3]) & at, (const float(*)[3]) & impulse);
        for (int k = 0; k < 3; k++) sum[k] += (double)impulse[k];
    }
    firn_vec3 after = momentum_of(s);
    assert_near(after.x - before.x, sum[0], 1e-5 * sum[0]);
    assert_near(after.y - before.y, sum[1], 1e-5 * fabs(sum[1]));
    assert_near(after.z - before.z, sum[2], 1e-5 * sum[0]);
    firn_world_close(world);
}

// However much resists: the air loses what is given, and comes no further than the things in it.
static void test_drag_conserves_momentum(void **state) {
    (void)state;
    static const float strength[] = {1e-3f, 1, 1e3f};
    for (int k = 0; k < 3; k++) {
        wind_world w;
        wind_setup(&w, 12, 8, 10, 0.05);
        w.wind.inflow.speed = 6;
        wind_ball(&w, 3, 2, 0, 1.3);
        firn_world *world = wind_open(&w);
        wind_state *s = wind_of(world);
        enum { N = 2000 };
        static offer_resistance item[N];
        size_t n = 0;
        for (uint64_t i = 0; i < N; i++) { // they go with -2, 0, 1 m/s
            offer_medium_sample air;
            offer_resistance *r = &item[n];
            place(i, r->at);
            medium()->read(s, 1, (const float(*)[3]) & r->at, &air);
            if (!(air.density > 0)) continue;
            static const float own[3] = {-2, 0, 1};
            for (int d = 0; d < 3; d++)
                r->held[d] = strength[k], r->impulse[d] = strength[k] * (air.velocity[d] - own[d]);
            n++;
        }
        firn_vec3 before = momentum_of(s);
        assert_ok(medium()->drag(s, n, item));
        firn_vec3 after = momentum_of(s);
        double sum[3] = {0}, fastest = 0;
        for (size_t i = 0; i < n; i++)
            for (int d = 0; d < 3; d++) sum[d] += (double)item[i].impulse[d];
        for (size_t a = 0; a < s->box.size; a++)
            for (int d = 0; d < 3; d++) fastest = fmax(fastest, fabs((double)s->v[d][a]));
        print_message("strength %g: %.6g N s, fastest air %.3g m/s\n", (double)strength[k], sum[0], fastest);
        double scale = fabs(before.x) + fabs(sum[0]);
        assert_near(before.x - after.x, sum[0], 1e-6 * scale);
        assert_near(before.y - after.y, sum[1], 1e-6 * scale);
        assert_near(before.z - after.z, sum[2], 1e-6 * scale);
        assert_true(sum[0] > 0 && fastest < 12);
        firn_world_close(world);
    }
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_are_the_wind),
        cmocka_unit_test(test_what_is_pushed_arrives),
        cmocka_unit_test(test_drag_conserves_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
