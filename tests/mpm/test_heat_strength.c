// firn-test: slow
// What heat does to the strength of snow: stiffness by temperature and water in all laws, bonds that heal, a
// cornice that holds in the cold and falls when it is warm, a hot ball that sinks in.
#include "mpm/scenes.h"

#include "world/world.h"

typedef struct strength_world {
    snow_world w;
    firn_mpm_heat_def heat;
    firn_body_def ceiling;
} strength_world;

static void strength_box(strength_world *h, const char *type, double temperature, double wetness) {
    snow_box(&h->w, (firn_vec3){0.2, 0.2, 0.2}, (firn_vec3){0, 0, 0}, 0.05);
    h->w.world.gravity = (firn_vec3){0, 0, 0};
    h->w.snow.type = type;
    h->w.snow.temperature = temperature;
    h->w.snow.wetness = wetness;
    h->heat = firn_mpm_heat_def_default();
    h->heat.exchange = 0;
    h->w.mpm.heat = &h->heat;
}

static double wave_speed2(const firn_world *world) {
    return ((const double *)firn_world_field(world, "mpm.counters").data)[4];
}

// Square of the wave speed after a step, of heat too: what limits the time step knows of the factor.
static double stiffness(const char *type, double temperature, double wetness, bool heat) {
    strength_world h;
    strength_box(&h, type, temperature, wetness);
    if (!heat) h.w.mpm.heat = NULL;
    firn_world *world = snow_open(&h.w);
    double start = wave_speed2(world);
    assert_ok(firn_world_advance(world, 0.02));
    assert_near(wave_speed2(world) / start, 1, 1e-4);
    firn_world_close(world);
    return start;
}

static void test_stiffness_by_temperature_and_water(void **state) {
    (void)state;
    const char *const types[] = {"packed", "powder", "wet"};
    const double density[] = {400, 150, 400};
    for (int k = 0; k < 3; k++) {
        double plain = stiffness(types[k], -5, 0, false);
        assert_near(stiffness(types[k], -20, 0, false) / plain, 1, 0);
        assert_near(stiffness(types[k], -5, 0, true) / plain, 1, 1e-4);
        assert_near(stiffness(types[k], -10, 0, true) / plain, 1.25, 1e-3);
        assert_near(stiffness(types[k], 0, 0, true) / plain, 0.5, 1e-3);
        double water = 0.05 * density[k] / 1000;
        assert_near(stiffness(types[k], 0, 0.05, true) / plain, 0.5 * exp(-23.5 * water), 5e-3);
    }
}

// All snow is loosened (J_P 1.05), then rests: the loosening that is left falls as e^(-t / t_s).
static double left_after(double seconds, double temperature, double speed, double *soft) {
    strength_world h;
    strength_box(&h, "packed", temperature, 0);
    h.heat.time_lapse = seconds / 0.2;
    h.w.snow.spin = (firn_vec3){0, speed, 0};
    firn_world *world = snow_open(&h.w);
    firn_field plastic = firn_world_field(world, "mpm.plastic");
    for (size_t i = 0; i < plastic.count; i++) ((float *)plastic.data)[i] = 1.05f;
    double before = wave_speed2(world);
    assert_ok(firn_world_advance(world, 0.2));
    plastic = firn_world_field(world, "mpm.plastic");
    firn_field healed = firn_world_field(world, "mpm.healed");
    double sum = 0;
    for (size_t i = 0; i < plastic.count; i++)
        sum += log((double)(((const float *)plastic.data)[i] * ((const float *)healed.data)[i])) / log(1.05);
    *soft = wave_speed2(world) / before;
    firn_world_close(world);
    return sum / (double)plastic.count;
}

static void test_bonds_heal_at_rest(void **state) {
    (void)state;
    double soft, left = left_after(1, 0, 0, &soft);
    assert_near(left, 1, 0.01);
    double broken = soft; // by e^(-xi 0.05)
    assert_true(broken < 0.7);
    left = left_after(600, 0, 0, &soft);
    assert_near(left, exp(-1), 0.02);
    assert_true(soft > broken + 0.15);
    left = left_after(6000, 0, 0, &soft);
    assert_true(left < 0.01 && soft > 0.99);
    left = left_after(600, -10, 0, &soft);
    assert_near(left, exp(-1 / 9.4), 0.02);
    left = left_after(600, 0, 2, &soft); // what turns as a whole does not deform
    assert_near(left, exp(-1), 0.05);
}

// A block of wet snow whose bonds are broken, frozen to a ceiling: it falls, unless it was given time.
static double fall_of(double sintering) {
    strength_world h;
    strength_box(&h, "wet", 0, 0);
    h.w.snow.fill.at.y = -0.1;
    h.w.snow.strength = 5e4;
    h.ceiling = firn_body_def_default();
    h.ceiling.name = "ceiling";
    h.ceiling.shape.kind = FIRN_SHAPE_BOX;
    h.ceiling.shape.size = (firn_vec3){1, 0.2, 1};
    h.ceiling.at.y = 0.1;
    h.ceiling.contact = FIRN_CONTACT_STICKY;
    h.w.world.bodies.items = &h.ceiling;
    h.w.world.bodies.count = 1;
    h.heat.sintering = sintering;
    h.heat.time_lapse = 1e4;
    firn_world *world = snow_open(&h.w);
    firn_field plastic = firn_world_field(world, "mpm.plastic");
    for (size_t i = 0; i < plastic.count; i++) ((float *)plastic.data)[i] = 1.5f;
    assert_ok(firn_world_advance(world, 0.3));
    double before = snow_mean(world, "mpm.position").y;
    assert_ok(firn_world_set_vector(world, "gravity", (firn_vec3){0, -9.81, 0}));
    assert_ok(firn_world_advance(world, 0.3));
    double fall = before - snow_mean(world, "mpm.position").y;
    firn_world_close(world);
    return fall;
}

static void test_healed_snow_hangs(void **state) {
    (void)state;
    double broken = fall_of(0), healed = fall_of(60);
    assert_true(broken > 0.2 && healed < 0.02);
}

// How far the overhanging part of a cornice has come down after a second.
static double cornice_drop(const char *set) {
    scene_run run = scene_run_open("cornice", set);
    size_t count;
    const double *x = snow_positions(run.world, &count);
    bool *over = mem_zero(count, sizeof *over);
    double drop = 0, parts = 0;
    firn_field id = firn_world_field(run.world, "mpm.id");
    for (size_t i = 0; i < count; i++) {
        bool hangs = x[3 * i] > 0.5;
        over[((const uint32_t *)id.data)[i]] = hangs;
        if (hangs) drop += x[3 * i + 1], parts++;
    }
    scene_advance(&run, 1);
    x = snow_positions(run.world, &count);
    id = firn_world_field(run.world, "mpm.id");
    for (size_t i = 0; i < count; i++)
        if (over[((const uint32_t *)id.data)[i]]) drop -= x[3 * i + 1];
    mem_free(over);
    scene_run_close(&run);
    return drop / parts;
}

static void test_cornice(void **state) {
    (void)state;
    double cold = cornice_drop("mpm.cell=15cm"),
           warm = cornice_drop("mpm.cell=15cm;mpm.snow.cornice.temperature=0C");
    assert_true(cold < 0.1 && warm > 0.5);
}

static void test_hot_ball(void **state) {
    (void)state;
    scene_run run = scene_run_open("hot-ball", "mpm.cell=6cm");
    double heat = snow_ledger(run.world).heat;
    scene_advance(&run, 2);
    firn_body_state ball = firn_world_body_state(run.world, 1);
    double got = snow_ledger(run.world).heat - heat;
    double from = series_value(run.world, "mpm", "heat so far from", "bodies") +
                  series_value(run.world, "mpm", "heat so far from", "air");
    assert_near(got / from, 1, 1e-5);
    assert_true(ball.position.y < 0.37);
    scene_run_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stiffness_by_temperature_and_water),
                                       cmocka_unit_test(test_bonds_heal_at_rest),
                                       cmocka_unit_test(test_healed_snow_hangs),
                                       cmocka_unit_test(test_cornice), cmocka_unit_test(test_hot_ball)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
