// One table of options for all subcommands.
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_NUMBER, OPTION_SIZE, OPTION_SET } option_kind;

typedef struct option {
    const char *name;
    char letter; // 0: none
    option_kind kind;
    size_t offset;
    uint64_t least, most; // of a number
    const char *value, *help;
} option;

#define AT(member) offsetof(arguments, member)
static const option options[] = {
    {"output", 'o', OPTION_TEXT, AT(output), 0, 0, "PATH", "where the result goes"},
    {"frames", 0, OPTION_NUMBER, AT(frames), 1, 100000000, "N",
     "stop after N frames instead of the scene's duration"},
    {"frame", 0, OPTION_NUMBER, AT(frame), 0, 100000000, "N", "only frame N"},
    {"steps", 0, OPTION_NUMBER, AT(steps), 0, 1000000000000, "N", "number of simulation steps"},
    {"threads", 't', OPTION_NUMBER, AT(threads), 1, 1024, "T",
     "use T threads (default: one per core); results do not depend on it"},
    {"set", 's', OPTION_SET, AT(set), 0, 0, "KEY=VALUE",
     "override a value of the scene, such as bodies.ball.at=[0,5,0]; may be repeated"},
    {"size", 0, OPTION_SIZE, AT(width), 16, 16384, "WxH",
     "size of the picture, such as 1280x720 (default: as in the scene)"},
    {"camera", 0, OPTION_TEXT, AT(camera), 0, 0, "NAME", "a camera of the scene (default: the first)"},
    {"format", 0, OPTION_TEXT, AT(format), 0, 0, "FORMAT", "ply, obj, xdmf, png16, flt or asc"},
    {"what", 0, OPTION_TEXT, AT(what), 0, 0, "WHAT",
     "surface (of the snow: ply, obj), density (on a grid: xdmf), field or cover instead of points and "
     "bodies"},
    {"plot", 0, OPTION_TEXT, AT(plot), 0, 0, "FILE.png",
     "draw ledgers and counts over time to a .png or .svg file"},
    {"csv", 0, OPTION_TEXT, AT(csv), 0, 0, "FILE", "append the results as rows to FILE"},
    {"force", 0, OPTION_FLAG, AT(force), 0, 0, NULL, "start again even if the folder holds another run"},
    {"json", 0, OPTION_FLAG, AT(json), 0, 0, NULL, "one JSON object per line on stdout, for machines"},
    {"help", 'h', OPTION_FLAG, AT(help), 0, 0, NULL, "show this help"},
};
enum { OPTIONS = sizeof options / sizeof *options };

static bool takes(const command *c, const option *o) {
    size_t length = strlen(o->name);
    if (strcmp(o->name, "help") == 0) return true;
    for (const char *at = c->options; *at;) {
        size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, o->name, length) == 0) return true;
        at += word;
        at += *at == ' ';
    }
    return false;
}

static const option *find_long(const command *c, const char *name, size_t length) {
    for (size_t i = 0; i < OPTIONS; i++)
        if (takes(c, &options[i]) && strlen(options[i].name) == length &&
            strncmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

static const option *find_letter(const command *c, char letter) {
    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].letter == letter && takes(c, &options[i])) return &options[i];
    return NULL;
}

static int unknown_option(const command *c, const char *written) {
    const char *names[OPTIONS];
    size_t count = 0;
    char word[64];
    const char *bare = written + strspn(written, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(bare, "="), bare);
    for (size_t i = 0; i < OPTIONS; i++)
        if (takes(c, &options[i])) names[count++] = options[i].name;
    const char *nearest = firn_nearest_word(word, names, count);
    if (nearest)
        return say_usage("unknown option '%s' of 'firn %s', did you mean '--%s'?", written, c->name, nearest);
    return say_usage("unknown option '%s' of 'firn %s'; 'firn help %s' lists them", written, c->name,
                     c->name);
}

static bool read_number(const char *text, uint64_t *out) {
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9') return false;
    *out = strtoull(text, &end, 10);
    return errno == 0 && *end == 0;
}

static int set_number(const option *o, const char *value, arguments *out) {
    uint64_t number;
    if (!read_number(value, &number) || number < o->least || number > o->most)
        return say_usage("--%s takes a whole number from %llu to %llu, not '%s'", o->name,
                         (unsigned long long)o->least, (unsigned long long)o->most, value);
    memcpy((char *)out + o->offset, &number, sizeof number);
    if (strcmp(o->name, "frame") == 0) out->frame_given = true;
    return EXIT_DONE;
}

static int set_size(const option *o, const char *value, arguments *out) {
    char left[16];
    const char *x = strpbrk(value, "xX");
    uint64_t width, height;
    bool good = x && (size_t)(x - value) < sizeof left;
    if (good) {
        snprintf(left, sizeof left, "%.*s", (int)(x - value), value);
        good = read_number(left, &width) && read_number(x + 1, &height) && width >= o->least &&
               width <= o->most && height >= o->least && height <= o->most;
    }
    if (!good) return say_usage("--size takes WIDTHxHEIGHT in pixels, such as 1280x720, not '%s'", value);
    out->width = (int)width;
    out->height = (int)height;
    return EXIT_DONE;
}

static int set_value(const option *o, const char *value, arguments *out) {
    switch (o->kind) {
    case OPTION_NUMBER: return set_number(o, value, out);
    case OPTION_SIZE: return set_size(o, value, out);
    case OPTION_SET:
        if (!strchr(value, '=') || value[0] == '=')
            return say_usage("--set takes KEY=VALUE, such as fps=60, not '%s'", value);
        ((const char **)out->set.items)[out->set.count++] = value;
        return EXIT_DONE;
    case OPTION_TEXT:
        if (!*value) return say_usage("--%s needs a value that is not empty", o->name);
        memcpy((char *)out + o->offset, &value, sizeof value);
        return EXIT_DONE;
    case OPTION_FLAG: break;
    }
    return EXIT_DONE;
}

// Reads the option at argv[*i]; moves *i on if its value is the next word.
static int read_option(const command *c, int argc, char **argv, int *i, arguments *out) {
    const char *written = argv[*i], *value = NULL;
    const option *o;
    if (written[1] == '-') {
        size_t length = strcspn(written + 2, "=");
        o = find_long(c, written + 2, length);
        if (written[2 + length] == '=') value = written + 3 + length;
    } else {
        o = find_letter(c, written[1]);
        if (written[2]) value = written + 2;
    }
    if (!o) return unknown_option(c, written);
    if (o->kind == OPTION_FLAG) {
        if (value) return say_usage("--%s takes no value", o->name);
        *(bool *)((char *)out + o->offset) = true;
        return EXIT_DONE;
    }
    if (!value) {
        if (*i + 1 >= argc) return say_usage("--%s needs a value: --%s %s", o->name, o->name, o->value);
        value = argv[++*i];
    }
    return set_value(o, value, out);
}

static int check_words(const command *c, const arguments *given) {
    if (given->help) return EXIT_DONE;
    if (given->word_count < c->least)
        return say_usage("'firn %s' needs more: firn %s %s", c->name, c->name, c->usage);
    if (given->word_count > c->most)
        return say_usage("'%s' is too much: firn %s %s", given->words[c->most], c->name, c->usage);
    return EXIT_DONE;
}

int arguments_read(const command *c, int argc, char **argv, arguments *out) {
    memset(out, 0, sizeof *out);
    out->words = calloc((size_t)argc + 1, sizeof *out->words);
    out->set.items = calloc((size_t)argc + 1, sizeof *out->set.items);
    if (!out->words || !out->set.items) return say_failed("out of memory");
    bool only_words = false;
    for (int i = 0; i < argc; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0) {
            only_words = true;
        } else if (!only_words && argv[i][0] == '-' && argv[i][1]) {
            int code = read_option(c, argc, argv, &i, out);
            if (code != EXIT_DONE) return code;
        } else {
            out->words[out->word_count++] = argv[i];
        }
    }
    return check_words(c, out);
}

void arguments_free(arguments *given) {
    free(given->words);
    free((void *)given->set.items);
}

void options_print_help(const command *c) {
    printf("\nOptions:\n");
    for (size_t i = 0; i < OPTIONS; i++) {
        const option *o = &options[i];
        if (!takes(c, o)) continue;
        char left[40], letter[8] = "    ";
        if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s--%s %s", letter, o->name, o->value ? o->value : "");
        printf("  %-24s %s\n", left, o->help);
    }
}
