// The headers of lane, math and snow that are lane C are also OpenCL C: clang reads each. Skipped without
// clang.
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool have_clang(void) { return system("clang --version >/dev/null 2>&1") == 0; }

static bool includes_lane(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[512];
    bool found = strstr(path, "/lane.h") != NULL;
    while (!found && fgets(line, sizeof line, file))
        found = strstr(line, "#include \"lane/lane.h\"") ||
                (strstr(line, "#include \"math/") && !strstr(line, "dvec.h")); // dvec.h is for the host
    fclose(file);
    return found;
}

static void compile(const char *path) {
    char command[2048];
    snprintf(command, sizeof command,
             "clang -x cl -cl-std=CL1.2 -fsyntax-only -Wall -Wextra -Werror -Wno-unused-function -I'%s/src' "
             "'%s' 2>&1",
             FIRN_SOURCE_DIR, path);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    char text[4000];
    size_t length = fread(text, 1, sizeof text - 1, output);
    text[length] = 0;
    if (pclose(output) != 0) fail_msg("%s is not OpenCL C:\n%s", path, text);
}

static void lane_headers_are_opencl(void **state) {
    (void)state;
    if (!have_clang()) {
        print_message("skipped: no clang on this machine, so OpenCL C is not checked\n");
        skip();
    }
    static const char *const folders[] = {"lane", "math", "snow"};
    int compiled = 0;
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        char pattern[1024];
        snprintf(pattern, sizeof pattern, "%s/src/%s/*.h", FIRN_SOURCE_DIR, folders[f]);
        glob_t found;
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (includes_lane(found.gl_pathv[i])) {
                compile(found.gl_pathv[i]);
                compiled++;
            }
        globfree(&found);
    }
    assert_true(compiled >= 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lane_headers_are_opencl)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
