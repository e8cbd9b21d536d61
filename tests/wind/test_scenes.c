// firn-test: slow
// The shipped scenes of the wind at reduced size: each shows what its first lines say, and no flake is lost.
#include "wind/winds.h"

#include "scene/scene.h"

typedef struct shown {
    scene *scene;
    firn_world *world;
    wind_state *s;
} shown;

static shown open_scene(const char *name, const char *const *overrides, size_t count) {
    shown s;
    char path[500];
    snprintf(path, sizeof path, "%s/scenes/wind/%s.yaml", FIRN_SOURCE_DIR, name);
    assert_ok(scene_open(path, (firn_overrides){overrides, count}, &s.scene));
    assert_ok(firn_world_create(&s.scene->def.world, &s.world));
    s.s = wind_of(s.world);
    return s;
}

// The ledger is exact: in whole flakes and, if they lie, in units of their mass.
static void play(shown *s, double seconds) {
    assert_ok(firn_world_advance(s->world, seconds));
    const wind_flakes *f = &s->s->flakes;
    assert_true(wind_worst_divergence(s->s) <= s->s->def.tolerance * s->s->reference * 1.0001 + 1e-6);
    if (!f->on) return;
    assert_int_equal(f->counters[FLAKES_EMITTED] + f->counters[FLAKES_LIFTED],
                     f->count + f->counters[FLAKES_LANDED] + f->counters[FLAKES_LEFT]);
    if (s->s->cover.on)
        assert_int_equal((f->counters[FLAKES_LANDED] - f->counters[FLAKES_LIFTED]) * COVER_PARTS,
                         cover_units(s->s) + s->s->cover.melted);
}

static void close_scene(shown *s) {
    firn_world_close(s->world);
    scene_close(s->scene);
}

#define OPEN(name, ...)                                                                                      \
    open_scene(name, (const char *const[]){__VA_ARGS__}, sizeof(const char *[]){__VA_ARGS__} / sizeof(char *))

static size_t cell_at(const wind_state *s, double x, double y, double z) {
    return wind_cell(s, (const float[3]){(float)x, (float)y, (float)z});
}

// Units of snow above the rectangle, from height y up.
static double load_on(const wind_state *s, double x0, double x1, double z0, double z1, double y) {
    double sum = 0, h = s->def.cell;
    for (double x = x0; x < x1; x += h)
        for (double z = z0; z < z1; z += h)
            for (double up = y; up < s->low[1] + s->box.n[1] * h; up += h)
                sum += s->cover.mass[cell_at(s, x, up, z)];
    return sum;
}

// Houses and lamps have level sets that take longer than all steps here; boxes of their size do as well.
#define ROUGH(body) "bodies." body ".shape={box: {size: [6 m, 10 m, 7 m]}}"
#define ROUGH_LAMP(body) "bodies." body ".shape={box: {size: [30 cm, 7 m, 30 cm]}}"

// Snow in cells with neither body nor snow nor ground below.
static size_t hanging(const wind_state *s) {
    size_t count = 0;
    for (size_t a = 2 * s->box.row; a < s->box.size; a++) {
        size_t below = a - s->box.row, layer = a % s->box.plane / s->box.row;
        count += s->cover.mass[a] && layer > 1 && !s->owner[below] && !s->cover.mass[below];
    }
    return count;
}

static void test_house(void **state) {
    (void)state;
    shown s = OPEN("house", ROUGH("house"), "wind.grid=[56,24,40]", "wind.cell=60cm");
    play(&s, 2);
    const wind_state *w = s.s;
    // Slower before the wall than above the roof.
    assert_true(w->v[0][cell_at(w, -5.5, 1.5, 0)] < 0.7f * w->v[0][cell_at(w, 0, 9, 0)]);
    close_scene(&s);
}

static void test_blizzard(void **state) {
    (void)state;
    shown s =
        OPEN("blizzard-house", ROUGH("house"), "wind.grid=[32,16,32]", "wind.cell=1m", "flakes.shown=5000");
    play(&s, 3);
    double early = (double)cover_units(s.s);
    play(&s, 3);
    assert_true((double)cover_units(s.s) > 1.5 * early); // it grows
    close_scene(&s);
}

static void test_calm(void **state) {
    (void)state;
    shown s = OPEN("calm-snowfall", ROUGH_LAMP("lamp"), "flakes.shown=2000");
    play(&s, 1);
    const wind_flakes *f = &s.s->flakes;
    double across = 0, down = 0;
    for (size_t i = 0; i < f->count; i++) {
        across += hypot((double)f->velocity[i][0], (double)f->velocity[i][2]) / (double)f->count;
        down -= (double)f->velocity[i][1] / (double)f->count;
    }
    assert_true(down > 0.5 && down < 1.5 && across < 0.05); // straight down but for their circles
    close_scene(&s);
}

static void test_front(void **state) {
    (void)state;
    shown s =
        OPEN("changing-wind", ROUGH("house"), ROUGH_LAMP("lamp"), "wind.grid=[24,12,24]", "wind.cell=1.2m");
    wind_inflow_state first = wind_inflow_at(s.s, 0), last = wind_inflow_at(s.s, 30);
    assert_true(hypot(first.x - last.x, first.z - last.z) > 2); // it turns or grows
    play(&s, 3);
    close_scene(&s);
}

static void test_lamp(void **state) {
    (void)state;
    shown s =
        OPEN("lamp-post", ROUGH_LAMP("lamp"), "wind.grid=[28,20,28]", "wind.cell=24cm", "flakes.shown=3000");
    play(&s, 6);
    assert_true(load_on(s.s, -0.3, 0.3, -0.3, 0.3, 3) > 0); // a cap
    assert_in_range(hanging(s.s), 0, 20);                   // what slides just now
    close_scene(&s);
}

static void test_village(void **state) {
    (void)state;
    shown s = OPEN("village", ROUGH("inn"), ROUGH("smithy"), ROUGH("school"), ROUGH("farm"), ROUGH("barn"),
                   ROUGH_LAMP("lamp1"), ROUGH_LAMP("lamp2"), "wind.grid=[40,10,27]", "wind.cell=1.2m",
                   "flakes.shown=4000", "max_step=100ms");
    play(&s, 4);
    assert_true(load_on(s.s, -20, 20, -2, 2, 0) > 0); // on the street
    close_scene(&s);
}

static void test_roofs(void **state) {
    (void)state;
    shown s = OPEN("roof-load", "wind.grid=[84,24,36]", "flakes.shown=6000");
    play(&s, 8);
    double flat = load_on(s.s, -6.3, -3.7, -1.2, 1.2, 2.5), steep = load_on(s.s, 5.1, 5.9, -1.2, 1.2, 1.7);
    // kg/m2: what fell; the steep roof keeps a small part for its area.
    double fallen = 8 * 3000 / 3600.0, load = flat * s.s->cover.unit / (2.6 * 2.4);
    assert_true(load > 0.7 * fallen && load < 1.2 * fallen);
    assert_true(steep / (0.8 * 2.4) < 0.4 * flat / (2.6 * 2.4));
    close_scene(&s);
}

static void test_wet(void **state) {
    (void)state;
    shown s = OPEN("wet-spring-snow", ROUGH("house"), "wind.grid=[32,16,28]", "wind.cell=40cm",
                   "flakes.shown=4000");
    play(&s, 8);
    assert_true(s.s->flakes.facts[1] == 0.04 && s.s->flakes.facts[3] == 1); // large and wet
    assert_true(s.s->cover.melted > 0 && cover_units(s.s) > 0);
    close_scene(&s);
}

static void test_snowed_in(void **state) {
    (void)state;
    shown s = OPEN("snowed-in", ROUGH("house"), ROUGH_LAMP("lamp"), "wind.grid=[40,18,32]", "wind.cell=60cm",
                   "flakes.shown=6000");
    play(&s, 6);
    assert_true(load_on(s.s, -2, 2, -2, 2, 4) > 0); // on the roof
    assert_in_range(hanging(s.s), 0, 20);           // what slides just now
    close_scene(&s);
}

// The largest grid, and a million flakes: what they take is said before.
static void test_memory(void **state) {
    (void)state;
    const char *const large[] = {"wind.grid=[512,256,512]", "flakes.shown=1000000"};
    firn_cost cost;
    scene *s;
    assert_ok(scene_open(FIRN_SOURCE_DIR "/scenes/wind/snowed-in.yaml", (firn_overrides){large, 2}, &s));
    assert_ok(world_cost(&s->def.world, &cost, NULL));
    scene_close(s);
    assert_int_equal(cost.cells, 512 * 256 * 512);
    assert_int_equal(cost.particles, 1000000);
    assert_in_range(cost.memory, 98 * cost.cells, 105 * cost.cells);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_house),  cmocka_unit_test(test_blizzard), cmocka_unit_test(test_calm),
        cmocka_unit_test(test_front),  cmocka_unit_test(test_lamp),     cmocka_unit_test(test_village),
        cmocka_unit_test(test_roofs),  cmocka_unit_test(test_wet),      cmocka_unit_test(test_snowed_in),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
