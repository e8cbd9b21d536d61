#include "support.h"

#include <math.h>

#include "snow/snow_type.h"

static void test_every_name_is_found(void **state) {
    (void)state;
    size_t count;
    const snow_type *types = snow_types(&count);
    assert_int_equal(count, 13);
    const char *const *names = snow_type_names();
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(names[i], types[i].name);
        assert_ptr_equal(snow_type_find(names[i]), &types[i]);
    }
    assert_null(names[count]);
    assert_null(snow_type_find("lava"));
    assert_null(snow_type_find(NULL));
}

static void test_values_are_sane(void **state) {
    (void)state;
    size_t count;
    const snow_type *t = snow_types(&count);
    for (size_t i = 0; i < count; i++, t++) {
        assert_true(t->density_low <= t->density && t->density <= t->density_high);
        assert_true(t->poisson > 0 && t->poisson < 0.5);
        assert_true(t->critical_compression > 0 && t->critical_stretch > 0 && t->hardening > 0);
        assert_true(t->angle_of_repose > 0 && t->angle_of_repose < 1.2);
        assert_true(t->friction >= 0 && t->restitution >= 0 && t->restitution <= 1);
    }
}

// The character of the types against each other.
static void test_characters(void **state) {
    (void)state;
    const snow_type *packed = snow_type_find("packed"), *powder = snow_type_find("powder"),
                    *wet = snow_type_find("wet");
    const snow_type *icy = snow_type_find("icy"), *slush = snow_type_find("slush");
    assert_near(packed->density, 400, 0);
    assert_near(packed->young, 1e6, 0);
    assert_near(packed->critical_compression, 2.5e-2, 0);
    assert_near(packed->critical_stretch, 3e-3, 0);
    assert_near(packed->hardening, 10, 0);
    assert_true(powder->critical_compression < packed->critical_compression);
    assert_true(powder->critical_stretch <= packed->critical_stretch);
    assert_true(wet->critical_compression > packed->critical_compression);
    assert_true(wet->critical_stretch > packed->critical_stretch);
    assert_true(icy->young > packed->young && icy->hardening > packed->hardening);
    assert_true(slush->young < packed->young && slush->hardening < packed->hardening);
}

// MPM15 eq. 15-16 at 300 kg/m3: 1.89 * 300^2.94 = 3.62e7 Pa, nu = 0.2.
static void test_measured_stiffness(void **state) {
    (void)state;
    assert_near(snow_young_measured(300) / 3.624e7, 1, 1e-3);
    assert_near(snow_poisson_measured(300), 0.2, 1e-12);
    assert_near(snow_poisson_measured(500), 0.3, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_name_is_found),
        cmocka_unit_test(test_values_are_sane),
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_measured_stiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
