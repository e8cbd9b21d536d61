// The cover of the wind and the snow field in one scene: each has its own columns of the ground, flakes go to
// whom they land on, and snow slides over the edge both ways, with its mass and heat. What falls on bodies in
// the field is a second layer of its cells, and what slides off them comes to the ground. firn-test: threaded
#include "couples.h"
#include "snowfield/snowfield.h"
#include "wind/winds.h"

#define HEAD "firn: 1\nfps: 20\nduration: 9 s\n"
#define WIND                                                                                                 \
    "wind: {cell: 25 cm, grid: [8, 8, 8], inflow: {speed: 0}}\nflakes: {snowfall: 3600 mm/h, shown: 4000}\n"
#define FIELD "field: {width: 2 m, length: 2 m, cell: 4 cm, depth: 10 cm}\n"
#define NO_FLAKES                                                                                            \
    "wind: {cell: 25 cm, grid: [8, 8, 8], inflow: {speed: 0}}\nflakes: {snowfall: 0 mm/h, shown: 20}\n"
#define BLIZZARD                                                                                             \
    "wind: {cell: 25 cm, grid: [8, 8, 8], inflow: {speed: 12 m/s, profile: uniform}}\nflakes: {snowfall: "   \
    "3600 mm/h, shown: 4000}\n"
// In the middle of the wind's domain: 4 x 4 of its columns.
#define YARD(more) "field: {width: 1 m, length: 1 m, cell: 5 cm, " more "}\n"

static void *model_of(const firn_world *world, const char *name) {
    for (size_t i = 0; i < world_model_count(world); i++)
        if (strcmp(world_model_class(world, i)->name, name) == 0) return world_model(world, i);
    fail_msg("there is no model %s", name);
    return NULL;
}

// Both ledgers are closed, and the field has what was handed over.
static void check_masses(const firn_world *world, double field_before) {
    firn_ledger field = ledger_of(world, "field"), wind = ledger_of(world, "wind");
    double came = coupling_of(world, "wind_field").mass + coupling_of(world, "cover_field").mass;
    // The field counts in units of 2^-15 kg/m2; less than one of a cell waits for the next flakes.
    assert_near(field.mass - field_before, came, 0.05 * 0.05 / 32768 + 1e-12 * field.mass);
    assert_near(field.mass, field.mass_in - field.mass_out, 1e-12 * fmax(field.mass_in, 1e-3));
    assert_near(wind.mass, wind.mass_in - wind.mass_out, 1e-12 * fmax(wind.mass_in, 1e-3));
}

// kg/m2 of the cover in the columns that lie in the middle (or all others), mean; and the most in one.
static double cover_of(const firn_world *world, bool middle, double *most) {
    const wind_state *s = wind_of(world);
    double sum = 0, count = 0;
    *most = 0;
    for (int32_t k = 1; k <= 8; k++)
        for (int32_t i = 1; i <= 8; i++) {
            if ((i >= 3 && i <= 6 && k >= 3 && k <= 6) != middle) continue;
            double units = 0;
            for (int32_t j = 1; j <= 8; j++) units += s->cover.mass[poisson_at(&s->box, i, j, k)];
            sum += units * s->cover.unit / 0.0625, count++;
            *most = fmax(*most, units * s->cover.unit / 0.0625);
        }
    return sum / count;
}

static void test_each_has_its_own_columns(void **state) {
    (void)state;
    firn_world *world = open_world(HEAD WIND "cover: {}\n" YARD("depth: 0"));
    double most;
    for (int frame = 0; frame < 40; frame++) {
        advance(world, 0.05);
        check_masses(world, 0);
        assert_near(cover_of(world, true, &most), 0, 0);
    }
    double around = cover_of(world, false, &most), field = ledger_of(world, "field").mass;
    print_message("%.3f kg/m2 lie on the field, %.3f of cover around it; %.3g kg slid onto the field\n",
                  field, around, coupling_of(world, "cover_field").mass);
    assert_true(around > 0.5);
    assert_near(field, around, 0.1 * around); // 4000 flakes in the air: some hundred of them on the field
    firn_world_close(world);
}

// A heap of the cover at the edge slides onto the field; a field as deep as a wall slides into the cover's
// columns.
static void test_snow_slides_both_ways(void **state) {
    (void)state;
    firn_world *world = open_world(HEAD NO_FLAKES "cover: {}\n" YARD("depth: 5 cm, snow: fresh"));
    double before = ledger_of(world, "field").mass;
    assert_ok(firn_world_heap(world, -0.62, 0, 0.2, 25));
    double heap = ledger_of(world, "wind").mass;
    for (int frame = 0; frame < 40; frame++) {
        advance(world, 0.05);
        check_masses(world, before);
    }
    double came = coupling_of(world, "cover_field").mass;
    print_message("of a heap of %.4g kg beside the field %.4g kg slid onto it\n", heap, came);
    assert_true(came > 0.02 * heap && came < 0.5 * heap);
    advance(world, 1);
    assert_near(coupling_of(world, "cover_field").mass, came, 0.02 * came); // it has come to rest
    firn_world_close(world);
    world = open_world(HEAD NO_FLAKES "cover: {}\n" YARD("depth: 50 cm, snow: fresh"));
    before = ledger_of(world, "field").mass;
    for (int frame = 0; frame < 40; frame++) {
        advance(world, 0.05);
        check_masses(world, before);
    }
    double went = -coupling_of(world, "cover_field").mass, most;
    double around = cover_of(world, false, &most);
    print_message("of a field of %.4g kg with a bank for an edge %.4g kg slid out of it\n", before, went);
    assert_true(went > 0.05 * before && went < 0.6 * before);
    assert_near(around * 48 * 0.0625, went, 1e-9 * went);
    firn_world_close(world);
}

// What the cover takes comes back: heights within 1 mm, the same mass.
static void test_there_and_back(void **state) {
    (void)state;
    firn_world *world = open_world(HEAD NO_FLAKES "cover: {}\n" YARD("depth: 20 cm, snow: packed"));
    assert_ok(firn_world_step(world));
    void *field = model_of(world, "field"), *wind = model_of(world, "wind");
    const double low[2] = {-0.5, 0}, high[2] = {-0.25, 0.25}, unit = wind_cover_unit(wind);
    double before = ledger_of(world, "field").mass, all = ledger_of(world, "wind").mass + before, heat;
    uint32_t units;
    float density;
    assert_ok(snowfield_slide_off(field, low, high, 0.08, unit, &units, &density, &heat));
    double mass = units * unit;
    print_message("%u units, %.4g kg, leave a square of the field, which is %.4f m high then\n", units, mass,
                  snowfield_mean_height(field, low, high));
    assert_near(mass, 0.08 * 0.0625 * (double)density, 0.02 * mass);
    assert_near(ledger_of(world, "field").mass, before - mass, 1e-12 * before);
    wind_cover_take_in(wind, 2, 0, 0.2, units, density, NAN);
    assert_near(ledger_of(world, "wind").mass + ledger_of(world, "field").mass, all, 1e-12 * all);
    const snowfield_lump back = {
        .at = {-0.375, 0.5, 0.125}, .mass = mass, .density = density, .size = 0.25f, .heat = NAN};
    assert_ok(snowfield_lay(field, 1, &back));
    assert_near(ledger_of(world, "field").mass, before, 1e-12 * before);
    firn_snowfield f;
    assert_ok(firn_world_snowfield(world, &f));
    for (double x = -0.475; x < 0.5; x += 0.05)
        for (double z = -0.475; z < 0.5; z += 0.05) assert_near(firn_snowfield_surface(&f, x, z), 0.2, 1e-3);
    firn_world_close(world);
}

#define COLD HEAD "air: {temperature: -10 C, exchange: 0, time_lapse: 100}\n" NO_FLAKES "cover: {melt: 0}\n"
#define WARM_BANK COLD YARD("depth: 50 cm, snow: fresh, heat: {on: yes, temperature: -3 C}")

static void test_heat_is_handed_over(void **state) {
    (void)state;
    firn_world *world = open_world(WARM_BANK);
    assert_ok(firn_world_step(world));
    double sum = ledger_of(world, "wind").heat + coupling_of(world, "cover_field").heat;
    double field = ledger_of(world, "field").heat - coupling_of(world, "cover_field").heat;
    advance(world, 0.5);
    double passed = coupling_of(world, "cover_field").heat;
    print_message("%.6g J with the snow; cover off by %.2g J, field by %.2g J\n", passed,
                  ledger_of(world, "wind").heat + passed - sum,
                  ledger_of(world, "field").heat - passed - field);
    assert_true(passed > 1000); // cold snow leaves the field
    assert_near(ledger_of(world, "wind").heat + passed, sum, 1e-6 * passed);
    assert_near(ledger_of(world, "field").heat - passed, field, 1e-6 * passed);
    firn_world_close(world);
}

static void test_threads_and_restarts_keep_the_bits(void **state) {
    (void)state;
    const char *const words[] = {WARM_BANK,
                                 HEAD BLIZZARD "cover: {drift: true, saltation: 0.5}\n" YARD("depth: 0")};
    for (int k = 0; k < 2; k++) {
        firn_world *world = open_world(words[k]);
        int first = 0; // step in which something is handed over
        while (first < 200 && ledger_of(world, "field").mass_out + ledger_of(world, "wind").mass_out == 0)
            firn_world_step(world), first++;
        firn_world_close(world);
        print_message("they meet in step %d\n", first);
        assert_true(first > 0 && first < 200);
        assert_bits_hold(words[k], first + 12,
                         (const int[]){first > 1 ? first - 2 : 0, first - 1, first, first + 5});
    }
}

static void test_switched_off_as_apart(void **state) {
    (void)state;
    firn_world *off = open_world(
        HEAD WIND "cover: {}\n" YARD("depth: 50 cm, snow: fresh") "coupling: {wind_field: {on: no}, "
                                                                  "cover_field: {on: no}}\n");
    firn_world *wind = open_world(HEAD WIND "cover: {}\n"),
               *field = open_world(HEAD YARD("depth: 50 cm, snow: fresh"));
    firn_world *all[] = {off, wind, field};
    for (int i = 0; i < 3; i++) advance(all[i], 0.5);
    assert_same_fields(wind, off, "wind.");
    assert_near(coupling_of(off, "cover_field").mass, 0, 0);
    assert_near(ledger_of(off, "field").mass, ledger_of(field, "field").mass, 0);
    for (int i = 0; i < 3; i++) firn_world_close(all[i]);
}

// m3 of snow on the ground around the middle.
static double volume_under(const firn_world *world, double half) {
    firn_snowfield f;
    assert_ok(firn_world_snowfield(world, &f));
    double sum = 0;
    for (double x = -half; x < half; x += 0.02)
        for (double z = -half; z < half; z += 0.02) sum += firn_snowfield_surface(&f, x, z) * 0.02 * 0.02;
    return sum;
}

// Snowfall over a steep roof: all that the wind has lost the field has, and it lies on the ground.
static double fall_on(const char *roof, double *under) {
    char words[900];
    snprintf(words, sizeof words,
             HEAD "bodies: {roof: {shape: {box: {size: [80 cm, 2 cm, 60 cm]}}, at: [0, 60 cm, 0], "
                  "rotate: [0, 0, %s]}}\n" WIND FIELD,
             roof);
    firn_world *world = open_world(words);
    firn_ledger start = ledger_of(world, "field");
    for (int frame = 0; frame < 40; frame++) {
        advance(world, 0.05);
        firn_ledger field = ledger_of(world, "field"), wind = ledger_of(world, "wind");
        double came = coupling_of(world, "wind_field").mass;
        // The field counts in units of 2^-15 kg/m2; less than one of a cell waits for the next flakes.
        assert_near(field.mass - start.mass, came, 0.04 * 0.04 / 32768 + 1e-9 * field.mass);
        assert_near(field.mass, field.mass_in - field.mass_out, 1e-9 * field.mass);
        assert_near(wind.mass, wind.mass_in - wind.mass_out, 1e-9 * wind.mass_in);
    }
    double came = coupling_of(world, "wind_field").mass;
    *under = volume_under(world, 0.2);
    firn_world_close(world);
    return came;
}

static void test_snow_slides_off_a_roof_onto_the_field(void **state) {
    (void)state;
    double flat, steep, on_flat = fall_on("0 deg", &flat), on_steep = fall_on("70 deg", &steep);
    print_message("%.4g and %.4g kg fell; under a flat roof %.4g m3 of snow, under a steep one %.4g m3\n",
                  on_flat, on_steep, flat, steep);
    double before = 0.4 * 0.4 * 0.1; // m3
    assert_true(on_flat > 1 && on_steep > 1);
    assert_true(steep - before > 1.3 * (flat - before)); // 1.46 here
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_has_its_own_columns),
        cmocka_unit_test(test_snow_slides_both_ways),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_heat_is_handed_over),
        cmocka_unit_test(test_threads_and_restarts_keep_the_bits),
        cmocka_unit_test(test_switched_off_as_apart),
        cmocka_unit_test(test_snow_slides_off_a_roof_onto_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
