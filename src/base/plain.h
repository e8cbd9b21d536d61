// Text whose numbers are written and read with a '.', whatever locale the embedding program has set. Nothing
// else in src formats or parses floating-point numbers (tools/check_layers).
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <stdarg.h>
#include <stddef.h>

// As snprintf, vsnprintf and strtod are in the C locale.
int plain_print(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int plain_vprint(char *out, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
double plain_read(const char *text, char **end);

#endif
