// firn-test: slow
// Bodies in the snow: what is displaced, where it goes, and that nothing is lost.
#include "snowfield/snowfield_world.h"

#include "snowfield/snowfield_press.h"
#include "world/world.h"

static const snowfield_state *state_of(const firn_world *world) {
    for (size_t i = 0; i < world_model_count(world); i++)
        if (strcmp(world_model_class(world, i)->name, "field") == 0) return world_model(world, i);
    return NULL;
}

static firn_body_def moved(const char *name, firn_shape_def form, const firn_keyframe *keys, size_t count) {
    firn_body_def b = firn_body_def_default();
    b.name = name;
    b.shape = form;
    b.motion.kind = FIRN_MOTION_KEYFRAMES;
    b.motion.keyframes.items = keys;
    b.motion.keyframes.count = count;
    return b;
}

// Sum over cells of what lies above the first depth, times cos^2 of the direction if `front`.
static double gain_where(const snowfield_map *m, double depth, double x0, int side) {
    double sum = 0;
    for (int z = 0; z < m->nz; z++)
        for (int x = 0; x < m->nx; x++) {
            double px = m->x0 + (x + 0.5) * m->cell, pz = m->z0 + (z + 0.5) * m->cell;
            double along = side == 0 ? px - x0 : side == 1 ? pz : side == 2 ? x0 - px : -pz;
            size_t i = (size_t)(z * m->nx + x);
            if (along > 0 && m->depth[i] > depth + 1e-5) sum += (m->depth[i] - depth) * m->density[i];
        }
    return sum;
}

// FIELD11 figure 3.12: straight down an even rim, sideways a heap in front.
static void test_rim_follows_the_motion(void **state) {
    (void)state;
    const firn_keyframe down[] = {{0, {0, 0.5, 0}, {0, 0, 0}}, {0.5, {0, 0.28, 0}, {0, 0, 0}}};
    const firn_keyframe along[] = {{0, {-0.4, 0.28, 0}, {0, 0, 0}}, {1, {0.2, 0.28, 0}, {0, 0, 0}}};
    for (int k = 0; k < 2; k++) {
        snowfield_world w;
        snowfield_setup(&w, 128);
        w.field.snow = "packed";
        w.field.density = 480;
        w.field.depth = 0.3;
        w.body[0] =
            moved("disc", (firn_shape_def){.kind = FIRN_SHAPE_CYLINDER, .radius = 0.25, .length = 0.2},
                  k ? along : down, 2);
        w.world.bodies.count = 1;
        firn_world *world = snowfield_open(&w);
        double before = snowfield_ledger_of(world).mass;
        assert_ok(firn_world_advance(world, k ? 1 : 0.5));
        assert_near(snowfield_ledger_of(world).mass, before, 1e-9 * before);
        snowfield_map m = map_of(world);
        double g[4];
        for (int side = 0; side < 4; side++) g[side] = gain_where(&m, 0.3, k ? 0.2 : 0, side);
        if (k == 0) {
            assert_true(g[0] > 1);
            for (int side = 1; side < 4; side++) assert_near(g[side], g[0], 0.01 * g[0]);
        } else {
            double behind = gain_where(&m, 0.3, -0.1, 2); // what was pushed past the disc's middle
            assert_true(g[0] > 4 * behind);
        }
        map_free(&m);
        firn_world_close(world);
    }
}

// One column, pressed in one go and in many: the density of the closed form, and W and Q of FIELD11 eq. 3.9.
static void test_column_has_its_closed_form(void **state) {
    (void)state;
    const snowfield_law law = {.density_min = 100, .density_max = 500, .aside = 100, .densest = 500};
    float density = 200, depth = 1;
    for (int i = 0; i < 1000; i++) {
        float left = depth - 0.0007f;
        density = snowfield_pressed_density(&law, density, depth, left);
        depth = left;
    }
    assert_near((double)density, (double)snowfield_pressed_density(&law, 200, 1, 0.3f), 0.05);
    // For a little overlap: rho' = rho (S - D W) / (S - D).
    double d = 1e-3, w = 0.25;
    assert_near((double)snowfield_pressed_density(&law, 200, 1, (float)(1 - d)), 200 * (1 - d * w) / (1 - d),
                1e-3);
    // The loosest snow is only pressed, the densest only pushed aside.
    assert_near((double)snowfield_pressed_density(&law, 100, 1, 0.999f), 100 / 0.999, 1e-3);
    assert_near((double)snowfield_pressed_density(&law, 500, 1, 0.5f), 500, 0);
    assert_true(snowfield_pressed_density(&law, 120, 1, 1e-6f) <= 500);
}

static double random_in(uint32_t *seed, double low, double high) {
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (*seed >> 8) / 16777216.0;
}

// No overlap beyond 1e-5 m, no negative depth, densities in their range.
static void check_cells(const firn_world *world) {
    const snowfield_state *s = state_of(world);
    for (size_t i = 0; i < s->tiles.count * snowfield_cells(s); i++) {
        assert_true(s->tiles.mass[i] >= 0);
        assert_true(s->tiles.density[i] >= s->law.density_min && s->tiles.density[i] <= s->law.densest);
        size_t covered = snowfield_covered(s, i);
        if (covered == SIZE_MAX || s->covers.roof[covered] == NO_ROOF) continue;
        assert_true(s->covers.top_mass[covered] >= 0);
        // D of FIELD11 3.3: never more than there is snow.
        double over = fmin((double)snowfield_surface(s, i) - s->covers.roof[covered],
                           snowfield_depth(s->tiles.mass[i], s->tiles.density[i]));
        if (over * HEIGHT_UNIT > 1e-5) fail_msg("cell %zu overlaps by %g m", i, over * HEIGHT_UNIT);
    }
}

// Random ways of random bodies: the mass stays to the last bit.
static void test_random_bodies_lose_nothing(void **state) {
    (void)state;
    const char *const types[] = {"fresh", "powder", "packed", "wet",  "granular",
                                 "firn",  "icy",    "slush",  "sand", "mud"};
    uint32_t seed = 12345;
    for (int run = 0; run < 10; run++) {
        snowfield_world w;
        snowfield_setup(&w, 100);
        w.field.snow = types[run];
        w.field.spread = run % 3 ? FIRN_SNOWFIELD_CONTOUR : FIRN_SNOWFIELD_DISTANCE;
        w.field.border = run % 2 ? FIRN_SNOWFIELD_OPEN : FIRN_SNOWFIELD_WALL;
        w.field.cell = 0.04;
        w.field.width = w.field.length = 4;
        firn_keyframe keys[4][12];
        const firn_shape_def shapes[4] = {{.kind = FIRN_SHAPE_SPHERE, .radius = 0.3},
                                          {.kind = FIRN_SHAPE_BOX, .size = {0.5, 0.2, 0.8}},
                                          {.kind = FIRN_SHAPE_CAPSULE, .radius = 0.15, .length = 0.5},
                                          {.kind = FIRN_SHAPE_HARE, .height = 0.6, .resolution = 0.06}};
        for (int b = 0; b < 4; b++) {
            for (int k = 0; k < 12; k++)
                keys[b][k] = (firn_keyframe){
                    k * 0.5,
                    {random_in(&seed, -2.2, 2.2), random_in(&seed, 0.0, 0.6), random_in(&seed, -2.2, 2.2)},
                    {random_in(&seed, -3, 3), random_in(&seed, -3, 3), random_in(&seed, -3, 3)}};
            // A mesh takes a second to make: in one run only.
            w.body[b] = moved((const char *[]){"a", "b", "c", "d"}[b], shapes[b == 3 && run > 0 ? 0 : b],
                              keys[b], 12);
        }
        w.world.bodies.count = 4;
        firn_world *world = snowfield_open(&w);
        for (int i = 0; i < 60 && firn_world_time(world) < 6; i++) {
            assert_ok(firn_world_step(world));
            firn_ledger l = snowfield_ledger_of(world);
            if (fabs(l.mass + l.mass_out - l.mass_in) > 1e-9 * l.mass_in)
                fail_msg("%s: step %d: %.12g + %.12g of %.12g kg", types[run], i, l.mass, l.mass_out,
                         l.mass_in);
            if (i % 20 == 0) check_cells(world);
        }
        firn_world_close(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_column_has_its_closed_form),
                                       cmocka_unit_test(test_rim_follows_the_motion),
                                       cmocka_unit_test(test_random_bodies_lose_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
