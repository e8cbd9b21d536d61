// A locale whose decimal point is a comma, on any machine: the file of its LC_NUMERIC is written by hand.
#ifndef TESTS_COMMA_LOCALE_H
#define TESTS_COMMA_LOCALE_H

#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "support.h"

// Under `folder`; false (with a line that says so) if this C library does not take it.
static inline bool comma_locale_begin(const char *folder) {
    // glibc: magic number of LC_NUMERIC, six entries, where they begin; then "," and "" as text, no grouping,
    // both as wide characters, the codeset.
    static const uint32_t head[] = {0x20031114, 6, 32, 34, 35, 36, 40, 44, ',', ',', 0};
    char path[400];
    uint32_t file[15] = {0};
    memcpy(file, head, sizeof head);
    memcpy(file + 11, "ANSI_X3.4-1968", 15);
    snprintf(path, sizeof path, "%s/comma", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/comma/LC_NUMERIC", folder);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(file, 59, 1, out), 1);
    assert_int_equal(fclose(out), 0);
    setenv("LOCPATH", folder, 1);
    char shown[8] = "";
    if (setlocale(LC_NUMERIC, "comma")) snprintf(shown, sizeof shown, "%.1f", 0.5);
    if (strcmp(shown, "0,5") == 0) return true;
    print_message("skipped: this C library takes no locale made by hand\n");
    return false;
}

static inline void comma_locale_end(void) { setlocale(LC_NUMERIC, "C"); }

#endif
