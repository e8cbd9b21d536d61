// Tables of numbers: what is read, and what is said about what cannot be.
#include "base/csv.h"

#include "support.h"

static const char *const names[] = {"time", "speed"};

static void columns_by_name(void **state) {
    (void)state;
    csv_table t;
    assert_ok(
        csv_parse("# a comment\nspeed, other;time\r\n\n3.5,x,0\n-1e2;\"\";10\n", "a.csv", names, 2, &t));
    assert_int_equal(t.rows, 2);
    const double expected[] = {0, 3.5, 10, -100};
    for (int i = 0; i < 4; i++) assert_near(t.value[i], expected[i], 0);
    csv_free(&t);
}

static void wrong(const char *written, const char *message) {
    csv_table t;
    assert_int_equal(csv_parse(written, "a.csv", names, 2, &t), FIRN_BAD_INPUT);
    if (!strstr(firn_last_error(), message)) fail_msg("'%s' should say '%s'", firn_last_error(), message);
    assert_null(t.value);
}

static void mistakes_are_named(void **state) {
    (void)state;
    wrong("", "a.csv: empty table");
    wrong("time,sped\n1,2\n", "a.csv:1:1: no column 'speed'");
    wrong("time,speed\n1,2\n2\n", "a.csv:3:2: 'speed' is missing");
    wrong("time,speed\n1,2\n2,\n", "a.csv:3:3: 'speed' is missing");
    wrong("time,speed\n1,fast\n", "a.csv:2:3: speed must be a number, not 'fast'");
    wrong("time,speed\nnan,1\n", "a.csv:2:1: time must be a number");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns_by_name),
                                       cmocka_unit_test(mistakes_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
