// Units: what people write, what they mean, and that what we write reads back to the same bits.
#include "base/units.h"

#include <math.h>

#include "base/random.h"
#include "comma_locale.h"

static double read_ok(const char *written, dimension d) {
    double value = NAN;
    dimension found = DIM_COUNT_;
    const char *unit = NULL;
    assert_int_equal(quantity_read(written, d, &value, &found, &unit), QUANTITY_OK);
    return value;
}

static void test_reads_units(void **state) {
    (void)state;
    const struct {
        const char *written;
        dimension d;
        double value;
    } cases[] = {
        {"5 cm", DIM_LENGTH, 0.05},
        {"5cm", DIM_LENGTH, 0.05},
        {"7 cm", DIM_LENGTH, 0.07},
        {"5", DIM_LENGTH, 5},
        {".5 km", DIM_LENGTH, 500},
        {"-3e-1m", DIM_LENGTH, -0.3},
        {"-3 C", DIM_TEMPERATURE, -3},
        {"273.15 K", DIM_TEMPERATURE, 0},
        {"14 F", DIM_TEMPERATURE, -10},
        {"-5 \u00b0C", DIM_TEMPERATURE, -5},
        {"140 kPa", DIM_PRESSURE, 1.4e5},
        {"180 deg", DIM_ANGLE, 3.14159265358979323846},
        {"90\u00b0", DIM_ANGLE, 1.57079632679489661923},
        {"2 turn", DIM_ANGLE, 4 * 3.14159265358979323846},
        {"36 km/h", DIM_VELOCITY, 10},
        {"9.81 m/s^2", DIM_ACCELERATION, 9.81},
        {"9.81 m/s\u00b2", DIM_ACCELERATION, 9.81},
        {"400 kg / m\u00b3", DIM_DENSITY, 400},
        {"0.9 g/cm3", DIM_DENSITY, 900},
        {"20 mm/h", DIM_PRECIPITATION, 20 / 3.6e6},
        {"60 1/s", DIM_FREQUENCY, 60},
        {"60 Hz", DIM_FREQUENCY, 60},
        {"30 %", DIM_NONE, 0.3},
        {"10 min", DIM_TIME, 600},
        {"3 \u00b5m", DIM_LENGTH, 3e-6},
        {"60 rpm", DIM_SPIN, 2 * 3.14159265358979323846},
        {"2 kN", DIM_FORCE, 2000},
        {"3 g", DIM_MASS, 0.003},
        {"1e3", DIM_NONE, 1000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = read_ok(cases[i].written, cases[i].d);
        if (fabs(value - cases[i].value) > 4e-16 * fabs(cases[i].value))
            fail_msg("'%s' is %.17g, not %.17g", cases[i].written, value, cases[i].value);
    }
    assert_true(read_ok("7 cm", DIM_LENGTH) == 0.07); // the nearest double, not 7 * 0.01
}

static void test_refuses(void **state) {
    (void)state;
    double value = 42;
    dimension found = DIM_COUNT_;
    const char *unit = NULL;
    const char *not_numbers[] = {"",  "abc", "nan",   "inf",      "-inf", "0x10", ".",
                                 "-", "e5",  "1e999", "1e308 km", "--3",  "cm"};
    for (size_t i = 0; i < sizeof not_numbers / sizeof not_numbers[0]; i++)
        assert_int_equal(quantity_read(not_numbers[i], DIM_LENGTH, &value, &found, &unit),
                         strcmp(not_numbers[i], "0x10") == 0 ? QUANTITY_UNKNOWN_UNIT : QUANTITY_NOT_A_NUMBER);
    assert_int_equal(quantity_read("5 kg", DIM_LENGTH, &value, &found, &unit), QUANTITY_WRONG_DIMENSION);
    assert_int_equal(found, DIM_MASS);
    const char *written = "5 parsecs";
    assert_int_equal(quantity_read(written, DIM_LENGTH, &value, &found, &unit), QUANTITY_UNKNOWN_UNIT);
    assert_ptr_equal(unit, written + 2);
    assert_int_equal(quantity_read("5 kpa", DIM_PRESSURE, &value, &found, &unit), QUANTITY_UNKNOWN_UNIT);
    assert_int_equal(quantity_read("5 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", DIM_MASS, &value, &found, &unit),
                     QUANTITY_UNKNOWN_UNIT);
    assert_int_equal(quantity_read("5, 3", DIM_LENGTH, &value, &found, &unit), QUANTITY_UNKNOWN_UNIT);
    assert_int_equal(quantity_read("1 m", DIM_NONE, &value, &found, &unit), QUANTITY_WRONG_DIMENSION);
    assert_true(value == 42); // untouched by all of them
}

static void test_lists_what_it_reads(void **state) {
    (void)state;
    for (int d = 0; d < DIM_COUNT_; d++) {
        assert_non_null(dimension_name((dimension)d));
        char all[100], written[120];
        snprintf(all, sizeof all, "%s", dimension_units((dimension)d));
        for (char *rest = NULL, *word = strtok_r(all, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
            snprintf(written, sizeof written, "1 %s", word);
            read_ok(written, (dimension)d);
        }
        snprintf(written, sizeof written, "3 %s", dimension_unit((dimension)d));
        assert_true(read_ok(written, (dimension)d) == 3); // the SI unit has factor 1
    }
}

static void expect_written(double value, dimension d, const char *expected) {
    text t = {0};
    quantity_write(&t, value, d);
    assert_string_equal(t.data, expected);
    text_free(&t);
}

static void test_writes_readably(void **state) {
    (void)state;
    expect_written(0.001, DIM_VISCOSITY, "1 mPa s");
    expect_written(0.05, DIM_LENGTH, "5 cm");
    expect_written(2, DIM_LENGTH, "2 m");
    expect_written(0, DIM_LENGTH, "0 m");
    expect_written(600, DIM_TIME, "10 min");
    expect_written(1.8, DIM_TIME, "1.8 s");
    expect_written(1.4e5, DIM_PRESSURE, "140 kPa");
    expect_written(1e11, DIM_PRESSURE, "100 GPa");
    expect_written(3.14159265358979323846 / 4, DIM_ANGLE, "45 deg");
    expect_written(-5, DIM_TEMPERATURE, "-5 C");
    expect_written(20 / 3.6e6, DIM_PRECIPITATION, "20 mm/h");
    expect_written(400, DIM_DENSITY, "400 kg/m3");
    expect_written(0.3, DIM_NONE, "0.3");
    expect_written(-9.81, DIM_ACCELERATION, "-9.81 m/s2");
}

static double any_double(uint64_t seed, uint64_t i) {
    random4 r = random_bits(seed, i, 0, 0);
    if (r.v[2] % 4 == 0) return (double)(int32_t)r.v[0] / pow(10, r.v[1] % 9); // numbers as people write them
    uint64_t bits = (uint64_t)r.v[0] << 32 | r.v[1];
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0;
}

static void test_round_trip(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        dimension d = (dimension)(i % DIM_COUNT_);
        double value = any_double(2026, i);
        text t = {0};
        quantity_write(&t, value, d);
        double back = read_ok(t.data, d);
        if (memcmp(&back, &value, sizeof value) != 0)
            fail_msg("%a written as '%s' reads %a", value, t.data, back);
        text_free(&t);
    }
}

// An embedding program may have set a locale with a decimal comma.
static void test_locale(void **state) {
    (void)state;
    char folder[] = "/tmp/firn-units-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    bool set = comma_locale_begin(folder);
    assert_true(read_ok("0.25 m", DIM_LENGTH) == 0.25);
    expect_written(0.25, DIM_NONE, "0.25");
    comma_locale_end();
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    if (!set) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_units),         cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_lists_what_it_reads), cmocka_unit_test(test_writes_readably),
        cmocka_unit_test(test_round_trip),          cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
