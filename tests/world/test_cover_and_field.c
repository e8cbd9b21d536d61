// The cover of the wind and the snow field are one surface: a scene has one of both. On the field, what falls
// on bodies is a second layer of the same cells, and what slides off them comes to the ground, with its mass.
#include "couples.h"

#define HEAD "firn: 1\nfps: 20\nduration: 9 s\n"
#define WIND                                                                                                 \
    "wind: {cell: 25 cm, grid: [8, 8, 8], inflow: {speed: 0}}\nflakes: {snowfall: 3600 mm/h, shown: 4000}\n"
#define FIELD "field: {width: 2 m, length: 2 m, cell: 4 cm, depth: 10 cm}\n"

static void test_a_scene_has_one_of_both(void **state) {
    (void)state;
    firn_world *world;
    assert_int_equal(firn_world_open_text(HEAD WIND FIELD "cover: {}\n", "test", &world), FIRN_BAD_INPUT);
    assert_non_null(
        strstr(firn_last_error(), "with a snow field flakes land on the field; leave out the cover"));
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_scene_has_one_of_both),
        cmocka_unit_test(test_snow_slides_off_a_roof_onto_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
