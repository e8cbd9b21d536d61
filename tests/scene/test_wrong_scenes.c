// Every wrong scene of tests/wrong-scenes gets exactly the report that stands beside it.
#include "support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "scene/scene.h"

enum { MOST_SETS = 16 };

// Lines "#set key=value" at the top of the file.
static firn_overrides overrides_in(char *content, const char *room[MOST_SETS]) {
    size_t n = 0;
    while (strncmp(content, "#set ", 5) == 0 && n < MOST_SETS) {
        room[n++] = content + 5;
        content += strcspn(content, "\n");
        *content++ = 0;
    }
    return (firn_overrides){room, n};
}

static char *read_text(const char *path) {
    char *data;
    size_t bytes;
    if (file_read_whole(path, 1 << 20, &data, &bytes) != FIRN_OK) return NULL;
    return data;
}

static bool report_is_as_expected(const char *name) {
    char expected_name[256];
    const char *sets[MOST_SETS];
    snprintf(expected_name, sizeof expected_name, "%.*s.expected", (int)strlen(name) - 5, name);
    char *content = read_text(name), *expected = read_text(expected_name);
    scene *s;
    firn_status status = scene_open(name, overrides_in(content, sets), &s);
    const char *report = status == FIRN_OK ? "accepted\n" : firn_last_error();
    bool same = status == FIRN_BAD_INPUT && expected && strcmp(report, expected) == 0;
    if (!same && getenv("FIRN_ACCEPT"))
        assert_ok(file_write_text(expected_name, report));
    else if (!same)
        print_error("%s: status %d\n%s--- expected:\n%s", name, (int)status, report,
                    expected ? expected : "(no file)\n");
    scene_close(s);
    mem_free(content);
    mem_free(expected);
    return same;
}

static void test_reports(void **state) {
    (void)state;
    assert_int_equal(chdir(FIRN_TEST_DATA "/wrong-scenes"), 0);
    size_t before = mem_in_use();
    file_names names;
    assert_ok(file_list(".", ".yaml", &names));
    assert_true(names.count >= 60);
    size_t wrong = 0;
    for (size_t i = 0; i < names.count; i++) wrong += !report_is_as_expected(names.items[i]);
    file_names_free(&names);
    assert_int_equal(wrong, 0);
    assert_int_equal(mem_in_use(), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reports)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
