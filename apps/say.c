// Messages, exit codes and what goes to stdout.
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say(const char *format, va_list list) {
    fputs("firn: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
}

int say_failed(const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
    return EXIT_FAILED;
}

int say_usage(const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
    return EXIT_USAGE;
}

int say_status(firn_status status) {
    if (status == FIRN_OK) return EXIT_DONE;
    if (status == FIRN_INTERRUPTED) return EXIT_INTERRUPTED;
    const char *message = firn_last_error();
    size_t length = strlen(message);
    // A report of a scene brings its own lines; anything else is one sentence.
    if (length && message[length - 1] == '\n')
        fputs(message, stderr);
    else
        fprintf(stderr, "firn: %s\n", message);
    return status == FIRN_BAD_INPUT ? EXIT_USAGE : EXIT_FAILED;
}

const char *did_you_mean(const char *word, const char *const *words, size_t count) {
    static char out[128];
    const char *nearest = firn_nearest_word(word, words, count);
    if (!nearest) return "";
    snprintf(out, sizeof out, ", did you mean '%s'?", nearest);
    return out;
}

void print_json_text(const char *text) {
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < 0x20)
            printf("\\u%04x", *c);
        else
            putchar(*c);
    }
    putchar('"');
}

int finish_output(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    int why = errno;
    int failed = say_failed("cannot write to standard output: %s", why ? strerror(why) : "output error");
    return code == EXIT_DONE ? failed : code;
}
