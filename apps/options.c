// One table of options for all subcommands.
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(arguments, member)
static const option options[] = {
    {"output", 'o', OPTION_TEXT, AT(output), 0, 0, "PATH", "file or folder for the result"},
    {"frames", 0, OPTION_NUMBER, AT(frames), 1, 100000000, "N",
     "stop after N frames instead of the scene's duration"},
    {"frame", 0, OPTION_RANGE, AT(range), 0, 100000000, "N", "only frame N"},
    {"frames", 0, OPTION_RANGE, AT(range), 0, 100000000, "A:B:S",
     "only frames A to B (inclusive), every S-th of them; each part is optional"},
    {"steps", 0, OPTION_NUMBER, AT(steps), 0, 1000000000000, "N", "number of simulation steps"},
    {"threads", 't', OPTION_NUMBER, AT(threads), 1, 1024, "T",
     "use T threads (default: one per core); results do not depend on it"},
    {"ranks", 0, OPTION_NUMBER, AT(ranks), 1, 1000000, "N",
     "also estimate a run under mpirun with N ranks, of T threads each"},
    {"set", 's', OPTION_SET, AT(set), 0, 0, "KEY=VALUE",
     "override a value of the scene, such as bodies.ball.at=[0,5,0]; may be repeated"},
    {"size", 0, OPTION_SIZE, AT(width), 16, 16384, "WxH",
     "size of the picture, such as 1280x720 (default: as in the scene)"},
    {"camera", 0, OPTION_TEXT, AT(camera), 0, 0, "NAME", "a camera of the scene (default: the first)"},
    {"quality", 0, OPTION_TEXT, AT(quality), 0, 0, "draft|final",
     "draft: by OpenGL, in a second (default); final: by tracing paths of light, in minutes"},
    {"compare", 0, OPTION_FLAG, AT(compare), 0, 0, NULL,
     "draft at the left, final at the right, in one picture"},
    {"pictures", 0, OPTION_TEXT, AT(pictures), 0, 0, "png|exr",
     "file format of pictures in a folder (default: png); exr holds linear light, alpha and depth"},
    {"format", 0, OPTION_TEXT, AT(format), 0, 0, "ply|obj|xdmf|png16|flt|asc",
     "point clouds, meshes, ParaView, height maps, rasters of floats or of text"},
    {"what", 0, OPTION_TEXT, AT(what), 0, 0, "surface|density|field|cover",
     "surface (of snow, water, cloth: ply, obj), density (on a grid: xdmf), field or cover instead of points "
     "and "
     "bodies"},
    {"plot", 0, OPTION_TEXT, AT(plot), 0, 0, "FILE.png",
     "plot ledgers and time series over time to a .png or .svg file, or write them to a .csv file"},
    {"csv", 0, OPTION_TEXT, AT(csv), 0, 0, "FILE", "append the results as rows to FILE"},
    {"wall-time", 0, OPTION_TIME, AT(wall_time), 0, 0, "TIME",
     "save and stop (exit 130) before TIME has passed: 2h, 30 min, 90 s or seconds"},
    {"script", 0, OPTION_TEXT, AT(script), 0, 0, "FILE",
     "do what FILE says instead of waiting for hands: press, drag, set, wait, screenshot, ..."},
    {"record", 0, OPTION_TEXT, AT(record), 0, 0, "FILE", "write every touch of the world to FILE"},
    {"replay", 0, OPTION_TEXT, AT(replay), 0, 0, "FILE",
     "repeat the touches recorded in FILE, without a window, and compare the hashes of the state"},
    {"draw", 0, OPTION_TEXT, AT(draw), 0, 0, "JOB",
     "draw what JOB says, without a window: the viewer starts itself so for \"render this properly\""},
    {"measure", 0, OPTION_FLAG, AT(measure), 0, 0, NULL,
     "print pictures per second and how long the window was busy at a time"},
    {"force", 0, OPTION_FLAG, AT(force), 0, 0, NULL,
     "start over even if the folder holds another run, which is deleted"},
    {"all", 0, OPTION_FLAG, AT(all), 0, 0, NULL, "all six acts instead of one"},
    {"full", 0, OPTION_FLAG, AT(full), 0, 0, NULL,
     "at full size: finer cells, more flakes, 1920x1080; takes far longer"},
    {"quick", 0, OPTION_FLAG, AT(quick), 0, 0, NULL,
     "coarse cells and small pictures: a minute or two instead of an hour"},
    {"json", 0, OPTION_FLAG, AT(json), 0, 0, NULL,
     "print one JSON object per line to stdout, errors included"},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), 0, 0, NULL, "print only errors and the result"},
    {"help", 'h', OPTION_FLAG, AT(help), 0, 0, NULL, "show this help"},
};
enum { OPTIONS = sizeof options / sizeof *options };

// What a command names an option by: --frames is a number for those that simulate, a range for those that
// read.
static const char *key_of(const option *o) {
    return o->kind == OPTION_RANGE && strcmp(o->name, "frames") == 0 ? "range" : o->name;
}

static bool takes(const command *c, const option *o) {
    const char *key = key_of(o);
    size_t length = strlen(key);
    if (o->offset == AT(json) || o->offset == AT(quiet) || o->offset == AT(help)) return true;
    for (const char *at = c->options; *at;) {
        size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, key, length) == 0) return true;
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
    if (o->offset == AT(steps)) out->steps_given = true;
    return EXIT_DONE;
}

// One part of a range: up to the next colon. An empty one leaves *out as it is.
static bool read_part(const option *o, const char **at, uint64_t *out) {
    char part[24];
    size_t length = strcspn(*at, ":");
    if (length >= sizeof part) return false;
    snprintf(part, sizeof part, "%.*s", (int)length, *at);
    *at += length;
    return length == 0 || (read_number(part, out) && *out >= o->least && *out <= o->most);
}

// "7", "10:50", "10:50:5", ":50", "10:", "::5"
static int set_range(const option *o, const char *value, arguments *out) {
    const char *at = value;
    uint64_t first = o->least, last = o->most, stride = 1;
    bool good = *value && read_part(o, &at, &first), single = good && !*at;
    if (single) last = first;
    if (good && *at == ':') at++, good = read_part(o, &at, &last);
    if (good && *at == ':') at++, good = *at && read_part(o, &at, &stride) && stride > 0;
    if (!good || *at || (strcmp(o->name, "frame") == 0 && !single))
        return say_usage("--%s takes %s, not '%s'", o->name,
                         strcmp(o->name, "frame") == 0
                             ? "the number of a frame"
                             : "A:B or A:B:S, such as 10:50:5, or one frame's number",
                         value);
    if (last < first) return say_usage("--%s %s: the last frame is before the first", o->name, value);
    out->range.first = first;
    out->range.count = last == o->most ? 0 : (last - first) / stride + 1;
    out->range.stride = stride;
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

static int set_time(const option *o, const char *value, arguments *out) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    char *end;
    double number = strtod(value, &end), seconds = 0;
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0) seconds = number * units[i].seconds;
    if (*value < '0' || *value > '9' || !(seconds > 0 && seconds < 1e9))
        return say_usage("--%s takes a time in s, min, h or d, such as 2h or '90 s', not '%s'", o->name,
                         value);
    memcpy((char *)out + o->offset, &seconds, sizeof seconds);
    return EXIT_DONE;
}

static int set_value(const option *o, const char *value, arguments *out) {
    switch (o->kind) {
    case OPTION_NUMBER: return set_number(o, value, out);
    case OPTION_RANGE: return set_range(o, value, out);
    case OPTION_SIZE: return set_size(o, value, out);
    case OPTION_TIME: return set_time(o, value, out);
    case OPTION_SET:
        if (!strchr(value, '=') || value[0] == '=')
            return say_usage("--set takes KEY=VALUE, such as fps=60, not '%s'", value);
        ((const char **)out->set.items)[out->set.count++] = value;
        return EXIT_DONE;
    case OPTION_TEXT:
        if (!*value) return say_usage("--%s needs a non-empty value", o->name);
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
        return say_usage("missing argument; usage: firn %s %s", c->name, c->usage);
    if (given->word_count > c->most)
        return say_usage("unexpected argument '%s'; usage: firn %s%s%s", given->words[c->most], c->name,
                         *c->usage ? " " : "", c->usage);
    return EXIT_DONE;
}

int arguments_read(const command *c, int argc, char **argv, arguments *out) {
    *out = (arguments){.command = c->name};
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

const option *options_next(const command *c, const option *after) {
    for (const option *o = after ? after + 1 : options; o < options + OPTIONS; o++)
        if (takes(c, o)) return o;
    return NULL;
}

void options_print_help(const command *c) {
    printf("\nOptions:\n");
    for (const option *o = options_next(c, NULL); o; o = options_next(c, o)) {
        char left[64], letter[8] = "    ";
        if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s--%s %s", letter, o->name, o->value ? o->value : "");
        printf("  %-24s %s", left, strlen(left) > 24 ? "\n                           " : "");
        printf("%s\n", o->help);
    }
}
