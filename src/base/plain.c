// Numbers in text without the locale of the embedding program.
#include "base/plain.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

int plain_vprint(char *out, size_t size, const char *format, va_list args) {
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); // glibc takes no memory for this one
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    int length = vsnprintf(out, size, format, args);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return length;
}

int plain_print(char *out, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = plain_vprint(out, size, format, args);
    va_end(args);
    return length;
}

double plain_read(const char *text, char **end) {
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = plain ? strtod_l(text, end, plain) : strtod(text, end);
    if (plain) freelocale(plain);
    return value;
}
