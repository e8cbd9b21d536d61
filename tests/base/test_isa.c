// The choice of instruction set and the clock. FIRN_ISA is read once per process, so each choice gets its own
// child.
#include "base/clock.h"
#include "base/isa.h"
#include "support.h"

#include <sys/wait.h>

// The set chosen with FIRN_ISA=wish (NULL: unset).
static isa chosen_with(const char *wish) {
    pid_t child = fork();
    if (child == 0) {
        if (wish)
            setenv("FIRN_ISA", wish, 1);
        else
            unsetenv("FIRN_ISA");
        _exit((int)isa_active());
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return (isa)WEXITSTATUS(status);
}

static void wishes_are_met_if_the_machine_can(void **state) {
    (void)state;
    isa best = chosen_with(NULL);
    assert_int_equal(chosen_with("base"), ISA_BASE);
    for (isa which = ISA_BASE; which <= ISA_AVX512; which++)
        assert_int_equal(chosen_with(isa_name(which)), which <= best ? which : best);
    assert_int_equal(chosen_with("no-such-set"), best);
    assert_int_equal(chosen_with(""), best);
}

static void wrong_wishes_are_errors(void **state) {
    (void)state;
    isa best = chosen_with(NULL);
    setenv("FIRN_ISA", "no-such-set", 1);
    assert_int_equal(isa_check(), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "no-such-set"));
    assert_non_null(strstr(firn_last_error(), "base"));
    for (isa which = ISA_BASE; which <= ISA_AVX512; which++) {
        setenv("FIRN_ISA", isa_name(which), 1);
        assert_int_equal(isa_check(), which <= best ? FIRN_OK : FIRN_BAD_INPUT);
    }
    setenv("FIRN_ISA", "", 1);
    assert_ok(isa_check());
    unsetenv("FIRN_ISA");
    assert_ok(isa_check());
}

static void the_choice_stays(void **state) {
    (void)state;
    isa first = isa_active();
    setenv("FIRN_ISA", first == ISA_BASE ? "avx2" : "base", 1);
    assert_int_equal(isa_active(), first);
    unsetenv("FIRN_ISA");
    assert_string_equal(isa_name(ISA_BASE), "base");
    assert_string_equal(isa_name(ISA_AVX2), "avx2");
    assert_string_equal(isa_name(ISA_AVX512), "avx512");
}

static void passes_add_up(void **state) {
    (void)state;
    profile p = {0};
    double start = clock_seconds();
    for (int round = 0; round < 3; round++) {
        profile_pass(&p, "gather");
        while (clock_seconds() < start + 0.002 * (round + 1)) {
        }
        profile_pass(&p, "solve");
    }
    profile_end(&p);
    double elapsed = clock_seconds() - start;
    assert_int_equal(p.count, 2);
    assert_string_equal(p.name[0], "gather");
    assert_string_equal(p.name[1], "solve");
    assert_true(p.seconds[0] > 0.004 && p.seconds[1] >= 0);
    assert_true(p.seconds[0] + p.seconds[1] <= elapsed);
    profile_end(&p); // nothing runs: nothing is added
    assert_true(p.seconds[0] + p.seconds[1] <= elapsed);
}

static void passes_beyond_the_room_are_added_up(void **state) {
    (void)state;
    char names[PROFILE_PASSES + 10][16];
    profile p = {0};
    for (int i = 0; i < PROFILE_PASSES + 10; i++) {
        snprintf(names[i], sizeof names[i], "p%d", i);
        profile_pass(&p, names[i]);
    }
    profile_end(&p);
    assert_int_equal(p.count, PROFILE_PASSES);
    assert_string_equal(p.name[PROFILE_PASSES - 1], "other passes");
    double before = p.seconds[PROFILE_PASSES - 1], start = clock_seconds();
    profile_pass(&p, names[PROFILE_PASSES + 5]);
    while (clock_seconds() < start + 0.002) {
    }
    profile_end(&p);
    assert_true(p.seconds[PROFILE_PASSES - 1] >= before + 0.001);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wishes_are_met_if_the_machine_can),
        cmocka_unit_test(wrong_wishes_are_errors),
        cmocka_unit_test(the_choice_stays),
        cmocka_unit_test(passes_add_up),
        cmocka_unit_test(passes_beyond_the_room_are_added_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
