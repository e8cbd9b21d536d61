// Messages, exit codes and what goes to stdout.
#include "command.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct { bool json, quiet; } mode;

void say_as(bool json, bool quiet) {
    mode.json = json;
    mode.quiet = quiet;
}

// The character at `text` and its length in bytes; 0 if it is not UTF-8.
static size_t read_character(const unsigned char *text, uint32_t *code) {
    size_t length = text[0] < 0x80   ? 1
                    : text[0] < 0xc2 ? 0
                    : text[0] < 0xe0 ? 2
                    : text[0] < 0xf0 ? 3
                    : text[0] < 0xf5 ? 4
                                     : 0;
    *code = length > 1 ? text[0] & (0xffu >> (length + 1)) : text[0];
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    bool wrong = (length == 3 && *code < 0x800) || (length == 4 && (*code < 0x10000 || *code > 0x10ffff)) ||
                 (*code >= 0xd800 && *code < 0xe000);
    return wrong ? 0 : length;
}

void print_clean(FILE *out, const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        uint32_t code;
        size_t length = read_character(c, &code);
        bool control = (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0);
        if (length && !control)
            fwrite(c, 1, length, out);
        else
            fputc('?', out);
        c += length ? length : 1;
    }
}

void print_json_text(const char *text) {
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        uint32_t code;
        size_t length = read_character(c, &code);
        if (!length)
            fputs("\\ufffd", stdout);
        else if (code == '"' || code == '\\')
            printf("\\%c", (char)code);
        else if (code == '\n')
            fputs("\\n", stdout);
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
            printf("\\u%04x", (unsigned)code);
        else
            fwrite(c, 1, length, stdout);
        c += length ? length : 1;
    }
    putchar('"');
}

void print_json_event(const char *event, const char *key, const char *value) {
    printf("{\"event\": \"%s\", \"%s\": ", event, key);
    print_json_text(value);
    printf("}\n");
}

// An error for people on stderr, and for machines on stdout.
static int say_error(int code, const char *message) {
    size_t length = strlen(message);
    // A report of a scene brings its own lines; anything else is one sentence.
    bool report = length && message[length - 1] == '\n';
    if (!report) fputs("firn: ", stderr);
    print_clean(stderr, message);
    if (!report) fputc('\n', stderr);
    if (mode.json) {
        printf("{\"event\": \"failed\", \"exit\": %d, \"message\": ", code);
        print_json_text(message);
        printf("}\n");
    }
    return code;
}

static int say_formatted(int code, const char *format, va_list list) {
    char message[8192];
    vsnprintf(message, sizeof message, format, list);
    return say_error(code, message);
}

int say_failed(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int code = say_formatted(EXIT_FAILED, format, list);
    va_end(list);
    return code;
}

int say_usage(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int code = say_formatted(EXIT_USAGE, format, list);
    va_end(list);
    return code;
}

int say_report(firn_status status, const char *report) {
    return say_error(status == FIRN_BAD_INPUT ? EXIT_USAGE : EXIT_FAILED, report);
}

int say_status(firn_status status) {
    if (status == FIRN_OK) return EXIT_DONE;
    if (status == FIRN_INTERRUPTED) return EXIT_INTERRUPTED;
    return say_report(status, firn_last_error());
}

void say_note(const char *format, ...) {
    if (mode.quiet || mode.json) return;
    char message[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    fputs("firn: ", stderr);
    print_clean(stderr, message);
    fputc('\n', stderr);
}

// Whether these words were said before: a scene that is opened several times, as by `firn check`, says the
// same again.
static bool said_before(const char *message) {
    enum { KEPT = 32, LONGEST = 256 };
    static char kept[KEPT][LONGEST];
    static int count;
    bool found = false;
    flockfile(stderr); // the library may warn on any thread
    for (int i = 0; i < count && i < KEPT && !found; i++) found = strncmp(kept[i], message, LONGEST - 1) == 0;
    if (!found) snprintf(kept[count++ % KEPT], LONGEST, "%s", message);
    funlockfile(stderr);
    return found;
}

void say_log(void *context, firn_log_level level, const char *message) {
    (void)context;
    if (level == FIRN_LOG_WARNING && said_before(message)) return;
    if (mode.json) print_json_event(level == FIRN_LOG_WARNING ? "warning" : "note", "message", message);
    if (mode.quiet || mode.json) return;
    if (isatty(STDERR_FILENO) == 1) fputs("\r\033[K", stderr); // over a bar of progress
    fprintf(stderr, "firn: %s", level == FIRN_LOG_WARNING ? "warning: " : "");
    print_clean(stderr, message);
    fputc('\n', stderr);
}

void say_done(const char *path) {
    if (mode.json)
        print_json_event("done", "output", path);
    else
        printf("%s\n", path);
}

const char *did_you_mean(const char *word, const char *const *words, size_t count) {
    static char out[128];
    const char *nearest = firn_nearest_word(word, words, count);
    if (!nearest) return "";
    snprintf(out, sizeof out, ", did you mean '%s'?", nearest);
    return out;
}

bool reader_gone(void) {
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

int finish_output(int code) {
    if ((fflush(stdout) == 0 && !ferror(stdout)) || reader_gone()) return code;
    fprintf(stderr, "firn: cannot write to standard output\n");
    return code == EXIT_DONE ? EXIT_FAILED : code;
}
