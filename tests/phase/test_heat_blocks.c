// Heat that passes from block to block, and from a plate into a block, in the whole model, against the exact
// solution for slabs.
#include "phase/snowy.h"

enum { LAYERS = 10, WIDE = 8 };

typedef struct blocks {
    double mass, density; // g, kg/m3
    const char *pattern;
    double turned; // degrees, of the second block about the line through both
    bool plate;    // a plate instead of the first block
} blocks;

// Share of what can pass between two slabs of equal length L, or from a wall into one, at D t / L^2.
static double passed_exactly(double diffused) {
    double left = 0;
    for (int n = 1; n < 400; n += 2)
        left += 8 / (n * n * M_PI * M_PI) * exp(-n * n * M_PI * M_PI / 4 * diffused);
    return 1 - left;
}

static firn_world *open_blocks(const blocks *b, double lapse) {
    char words[1500], form[100], first[400];
    double spacing = cbrt(b->mass * 1e-3 / b->density), length = LAYERS * spacing, wide = WIDE * spacing;
    if (b->turned > 0) // round, so that they meet with all of their faces
        snprintf(form, sizeof form, "{cylinder: {radius: %.9g, length: %.9g}}", wide, length);
    else
        snprintf(form, sizeof form, "{box: {size: [%.9g, %.9g, %.9g]}}", wide, length, wide);
    snprintf(first, sizeof first,
             "    a: {shape: %s, at: [0, %.9g, 0], temperature: -10 C, density: %g kg/m3, pattern: %s}\n",
             form, -length / 2, b->density, b->pattern);
    snprintf(
        words, sizeof words,
        "firn: 1\nduration: 1 s\ngravity: [0, 0, 0]\n%s"
        "phase:\n  mass: %g g\n"
        "  heat: {exchange: 0, time_lapse: %.9g, snow_conductivity: 0.5 W/mK, snow_capacity: 2000 J/kgK}\n"
        "  snow:\n"
        "    b: {shape: %s, at: [0, %.9g, 0], rotate: [0, %g deg, 0], temperature: -5 C, density: %g kg/m3, "
        "pattern: %s}\n%s",
        b->plate ? "bodies: {plate: {shape: {box: {size: [9, 1, 9]}}, at: [0, -50 cm, 0], temperature: -10 "
                   "C}}\n"
                 : "",
        b->mass, lapse, form, length / 2, b->turned, b->density, b->pattern, b->plate ? "" : first);
    return snowy_open(words);
}

// What has passed, over the exact amount. Nothing moves but heat, after the first steps.
static double passed(const blocks *b, double diffused) {
    const double duration = 0.5, length = LAYERS * cbrt(b->mass * 1e-3 / b->density);
    enum { STEPS = 100 };
    firn_world *world = open_blocks(b, diffused * length * length * b->density * 2000 / 0.5 / duration);
    phase *m = snowy_model(world);
    double cooler = 0, count = 0;
    snowy_run(world, 4);
    for (size_t i = 0; i < m->s->p.count; i++) {
        bool warm = m->s->p.group[i] < PHASE_GROUPS;
        phase_enthalpy(m)[i] = heat_enthalpy(&m->law, warm ? -5 : -10, 0);
    }
    for (int k = 0; k < STEPS; k++)
        assert_ok(phase_conduct(m, (model_step){.time = 1 + k, .dt = duration / STEPS}));
    for (size_t i = 0; i < m->s->p.count; i++)
        if (m->s->p.group[i] < PHASE_GROUPS) cooler += -5 - phase_temperature(m, i), count++;
    firn_world_close(world);
    return cooler / count / (b->plate ? 5 : 2.5) / passed_exactly(diffused);
}

static void assert_passes(const blocks *b, double tolerance) {
    for (int k = 0; k < 2; k++) {
        double part = passed(b, k ? 0.4 : 0.1);
        assert_near(part, 1, tolerance);
    }
}

static void test_lattices(void **state) {
    (void)state;
    assert_passes(&(blocks){.mass = 1, .density = 400, .pattern = "regular"}, 0.03);
    assert_passes(&(blocks){.mass = 10, .density = 400, .pattern = "regular"}, 0.03);
    assert_passes(&(blocks){.mass = 80, .density = 250, .pattern = "regular"}, 0.03);
    assert_passes(&(blocks){.mass = 10, .density = 100, .pattern = "regular"}, 0.03);
    assert_passes(&(blocks){.mass = 10, .density = 917, .pattern = "regular"}, 0.03);
    assert_passes(&(blocks){.mass = 10, .density = 400, .pattern = "regular", .turned = 30}, 0.03);
}

static void test_random(void **state) {
    (void)state;
    assert_passes(&(blocks){.mass = 10, .density = 250, .pattern = "blue_noise"}, 0.03);
    assert_passes(&(blocks){.mass = 10, .density = 400, .pattern = "blue_noise"}, 0.03);
    assert_passes(&(blocks){.mass = 10, .density = 917, .pattern = "blue_noise"}, 0.03);
    assert_passes(&(blocks){.mass = 10, .density = 400, .pattern = "blue_noise", .turned = 30}, 0.03);
    assert_passes(&(blocks){.mass = 10, .density = 400, .pattern = "jittered"}, 0.07);
}

static void test_plate(void **state) {
    (void)state;
    assert_passes(&(blocks){.mass = 10, .density = 250, .pattern = "regular", .plate = true}, 0.03);
    assert_passes(&(blocks){.mass = 1, .density = 400, .pattern = "regular", .plate = true}, 0.03);
    assert_passes(&(blocks){.mass = 80, .density = 917, .pattern = "regular", .plate = true}, 0.03);
    assert_passes(&(blocks){.mass = 10, .density = 400, .pattern = "blue_noise", .plate = true}, 0.03);
    assert_passes(&(blocks){.mass = 10, .density = 400, .pattern = "jittered", .plate = true}, 0.07);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lattices), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_plate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
