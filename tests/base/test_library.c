// Libraries that are opened when first used.
#include <math.h>
#include <string.h>

#include "base/library.h"
#include "support.h"

#define MATHS_CALLS(X) X(cos) X(floor)
typedef struct maths {
    MATHS_CALLS(LIBRARY_CALL)
} maths;
static const char *const file[] = {"libm.so.6", NULL}, *const names[] = {MATHS_CALLS(LIBRARY_NAME) NULL};

static void test_functions_in_their_order(void **state) {
    (void)state;
    maths m = {0};
    assert_ok(library_open(&(library){file, names, "reckon", "libc6"}, &m));
    assert_true(m.cos(0) == 1 && m.floor(-1.5) == -2);
    assert_ok(library_open(&(library){file, names, "reckon", "libc6"}, NULL));
}

static void test_a_missing_file_says_what_to_install(void **state) {
    (void)state;
    static const char *const none[] = {"libm.so.6", "libfirn-is-not-there.so.3", NULL};
    maths m;
    assert_int_equal(library_open(&(library){none, names, "reckon", "libthere3"}, &m), FIRN_UNSUPPORTED);
    assert_non_null(strstr(firn_last_error(), "cannot reckon: libfirn-is-not-there.so.3"));
    assert_non_null(strstr(firn_last_error(), "install libthere3"));
}

static void test_a_missing_function_is_named(void **state) {
    (void)state;
    static const char *const strange[] = {"cos", "firn_is_no_sine", NULL};
    maths m;
    assert_int_equal(library_open(&(library){file, strange, "reckon", "libc6"}, &m), FIRN_UNSUPPORTED);
    assert_non_null(strstr(firn_last_error(), "'libm.so.6' has no function 'firn_is_no_sine'"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_in_their_order),
        cmocka_unit_test(test_a_missing_file_says_what_to_install),
        cmocka_unit_test(test_a_missing_function_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
