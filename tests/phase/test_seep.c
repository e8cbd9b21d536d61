// Water in snow: what drops give to it, what it holds, what freezes in it, what drips off.
#include "phase/lattice.h"
#include "phase/snowy.h"

static double series(firn_world *world, const char *name) {
    return series_value(world, "phase", "liquid water", name);
}

static double heat_of(const phase *m) {
    const heat_parts parts = {.count = m->s->p.count, .mass = m->mass, .enthalpy = phase_enthalpy(m)};
    return heat_total(&parts);
}

// A block of 6 x 6 x 6 grains in a box that fits it, and water at 0 degrees above it; no heat from outside.
enum { GRAINS = 216 };
static firn_world *sprinkled(double temperature, double lapse, double wide, double high) {
    char words[1000];
    snprintf(words, sizeof words,
             "firn: 1\n"
             "phase:\n"
             "  links: {mode: %s, full_temperature: -4 C}\n"
             "  heat: {exchange: 0, time_lapse: %g}\n"
             "  box: {walls: [{low: [-8.8 cm, 0, -8.8 cm], high: [8.8 cm, 2, 8.8 cm]}]}\n"
             "  snow: {block: {shape: {box: {size: [17.4 cm, 17.4 cm, 17.4 cm]}}, at: [0, 8.8 cm, 0],\n"
             "                 density: 410 kg/m3, temperature: %g C}}\n"
             "  water: {rain: {shape: {box: {size: [%g cm, %g cm, %g cm]}}, at: [0, 22 cm, 0],\n"
             "                 temperature: 0 C}}\n",
             temperature < 0 ? "dynamic" : "all", lapse, temperature, wide, high, wide);
    firn_world *world = snowy_open(words);
    assert_int_equal(snowy_grains(snowy_model(world)), GRAINS);
    return world;
}

// More water than the snow can hold. All is at 0 degrees, so nothing but soaking happens.
static void test_snow_holds_what_it_can(void **state) {
    (void)state;
    firn_world *world = sprinkled(0, 5000, 10.772, 4.309);
    const phase *m = snowy_model(world);
    size_t all = m->s->p.count;
    double liquid = series(world, "all"), heat_before = heat_of(m), before = 0;
    assert_near(liquid, 0.01 * (double)(all - GRAINS), 1e-9);
    for (int k = 0; k < 8; k++, before = m->counters.soaked) {
        snowy_run(world, 50);
        assert_true(m->counters.soaked >= before && m->s->p.count == all);
        assert_near(heat_of(m), heat_before, 1e-9 * heat_before);
        assert_near(series(world, "all"), liquid, 1e-7);
        for (size_t i = 0; i < all; i++) {
            assert_near(phase_temperature(m, i), 0, 1e-9);
            if (phase_is_snow(m, i)) assert_true(phase_melted(m, i) < 0.1f + 1e-6f);
        }
    }
    double can = m->def.retention * GRAINS * 0.01; // ice that drops became holds none
    assert_near(series(world, "held in snow"), can, 0.01 * can);
    assert_near(m->counters.soaked, series(world, "held in snow"), 1e-7);
    assert_true(snowy_grains(m) > GRAINS && snowy_grains(m) < all); // the rest is still water
    firn_world_close(world);
}

// Less water than that: all of it ends in the block, which is as much heavier and not larger.
static void test_wet_snow_is_heavier(void **state) {
    (void)state;
    firn_world *world = sprinkled(0, 5000, 4.309, 4.309);
    const phase *m = snowy_model(world);
    size_t drops = m->s->p.count - GRAINS;
    snowy_run(world, 4);
    assert_true(drops == 8 && m->lumps.lumps == 1 && m->lumps.lump[0].count == GRAINS);
    snowy_run(world, 500);
    double held = series(world, "held in snow"), heavier = 0.01 * ((double)m->lumps.lump[0].count - GRAINS);
    assert_near(held, 0.01 * (double)drops, 1e-6);
    assert_true(m->lumps.lumps == 1);
    assert_near(heavier, held, 0.02 * held);
    assert_near(snowy_top(m), 0.1595, 0.03 * 0.1595); // as at the start, so it is denser
    firn_world_close(world);
}

// At -5 degrees it freezes in the snow, which warms as calorimetry says, and is linked to it.
static void test_water_freezes_in_cold_snow(void **state) {
    (void)state;
    firn_world *world = sprinkled(-5, 1e5, 4.2, 2.1);
    const phase *m = snowy_model(world);
    double drops = (double)m->s->p.count - GRAINS, capacity = m->law.snow_capacity;
    double expected = (drops * m->law.latent - 5 * capacity * GRAINS) / (capacity * (drops + GRAINS));
    snowy_run(world, 500);
    assert_true(drops == 4 && snowy_grains(m) == m->s->p.count && expected < -1);
    for (size_t i = 0; i < m->s->p.count; i++) {
        assert_near(phase_temperature(m, i), expected, 0.02);
        if (m->s->p.group[i] == PHASE_GROUPS + PHASE_ICE) assert_true(m->links.count[m->s->p.id[i]] >= 3);
    }
    assert_true(series(world, "held in snow") == 0);
    // It soaked in, as water against ice of -5 degrees at most.
    double least = 0.01 * drops * m->law.latent / (m->law.latent + 5 * capacity);
    assert_true(m->counters.soaked > 0.99 * least && m->counters.soaked < 0.01 * drops);
    firn_world_close(world);
}

// Without a time lapse: what falls on dry snow is in it a second after it has reached it.
static void test_soaks_in_a_second(void **state) {
    (void)state;
    firn_world *world = sprinkled(0, 1, 4.309, 4.309);
    const phase *m = snowy_model(world);
    double fallen = 0.01 * ((double)m->s->p.count - GRAINS);
    snowy_run(world, 80 + 800);
    print_message("soaked in: %g of %g kg\n", m->counters.soaked, fallen);
    assert_true(m->counters.soaked > 0.85 * fallen);
    firn_world_close(world);
}

// One half of a block is wet, below its retention: in the end both are equally wet, and no heat is lost.
static void test_held_water_spreads(void **state) {
    (void)state;
    firn_world *world =
        snowy_open("firn: 1\n"
                   "phase:\n"
                   "  links: {mode: all}\n  seep: 10 cm/s\n"
                   "  heat: {exchange: 0}\n"
                   "  box: {walls: [{low: [-8.8 cm, 0, -8.8 cm], high: [8.8 cm, 2, 8.8 cm]}]}\n"
                   "  snow: {block: {shape: {box: {size: [17.4 cm, 17.4 cm, 17.4 cm]}}, at: [0, 8.8 cm, 0],\n"
                   "                 density: 410 kg/m3, temperature: 0 C}}\n");
    phase *m = snowy_model(world);
    for (size_t i = 0; i < m->s->p.count; i++)
        phase_enthalpy(m)[i] = m->s->p.at[i][0] < 0 ? 0.08 * m->law.latent : 0;
    double before = heat_of(m);
    snowy_run(world, 1200);
    assert_near(heat_of(m), before, 1e-9 * before);
    for (size_t i = 0; i < m->s->p.count; i++) assert_near((double)phase_melted(m, i), 0.04, 0.004);
    firn_world_close(world);
}

// A slab on a post in warm air: what melts drips off beside the post, as water and nothing else.
static void test_edges_drip(void **state) {
    (void)state;
    firn_world *world =
        snowy_open("firn: 1\nair: {temperature: 12 C}\n"
                   "bodies: {post: {shape: {cylinder: {radius: 5 cm, length: 30 cm}}, at: [0, -15 cm, 0], "
                   "friction: 1}}\n"
                   "phase:\n"
                   "  links: {mode: all}\n"
                   "  heat: {exchange: 30 W/m2K, time_lapse: 8000}\n"
                   "  snow: {slab: {shape: {box: {size: [17.4 cm, 8.7 cm, 17.4 cm]}}, at: [0, 4.4 cm, 0],\n"
                   "                density: 410 kg/m3, temperature: 0 C}}\n"
                   "  drains: {below: {shape: {box: {size: [2, 10 cm, 2]}}, at: [0, -20 cm, 0]}}\n");
    const phase *m = snowy_model(world);
    size_t start = m->s->p.count, below = 0;
    for (int k = 0; k < 14; k++) {
        snowy_run(world, 50);
        for (size_t i = 0; i < m->s->p.count; i++) {
            const double *x = m->s->p.at[i];
            if (x[1] > -0.03f) continue;
            assert_true(!phase_is_snow(m, i) && hypot(x[0], x[2]) > 0.05f);
            below++;
        }
    }
    double out = m->s->counters.mass_out;
    assert_near(out, 0.01 * (double)(start - m->s->p.count), 1e-9);
    assert_true(below > 20 && out > 0.2 && snowy_grains(m) > 20);
    assert_true(-heat_totals_of(m->heat)->sources >= out * m->law.latent);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snow_holds_what_it_can),     cmocka_unit_test(test_wet_snow_is_heavier),
        cmocka_unit_test(test_water_freezes_in_cold_snow), cmocka_unit_test(test_soaks_in_a_second),
        cmocka_unit_test(test_held_water_spreads),         cmocka_unit_test(test_edges_drip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
