// Manual pages, from the tables of commands and options.
#include "command.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

// Text of a page: no dash becomes a hyphen, no line a request.
static void put_text(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        bool first = i == 0 || text[i - 1] == '\n';
        if (first && (text[i] == '.' || text[i] == '\'')) fputs("\\&", out);
        if (text[i] == '-')
            fputs("\\-", out);
        else if (text[i] == '\\')
            fputs("\\e", out);
        else
            fputc(text[i], out);
    }
}

static void put(FILE *out, const char *text) { put_text(out, text, strlen(text)); }

static void put_title(FILE *out, const char *name, const char *summary) {
    fprintf(out, ".TH %s 1 \"\" \"firn %s\" \"firn\"\n.SH NAME\n", name, firn_version());
    put(out, name);
    fputs(" \\- ", out);
    put(out, summary);
    fputc('\n', out);
}

static void put_option(FILE *out, const option *o) {
    fputs(".TP\n", out);
    if (o->letter) fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", out);
    put(out, o->name);
    fputs("\\fR", out);
    if (o->value) fprintf(out, " \\fI%s\\fR", o->value);
    fputc('\n', out);
    put(out, o->help);
    fputc('\n', out);
}

static void put_exit_status(FILE *out) {
    static const char *const codes[][2] = {{"0", "done"},
                                           {"1", "failed while running"},
                                           {"2", "invalid input or usage"},
                                           {"130", "interrupted after saving; the same command continues"}};
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        fprintf(out, ".TP\n.B %s\n%s\n", codes[i][0], codes[i][1]);
}

// The help of a command is lines of prose, an empty line, and examples that are indented.
static void page_of_command(FILE *out, const command *c) {
    char name[64];
    const char *examples = strstr(c->help, "\n\n  ");
    snprintf(name, sizeof name, "firn-%s", c->name);
    put_title(out, name, c->summary);
    fprintf(out, ".SH SYNOPSIS\n.B firn %s\n", c->name);
    put(out, c->usage);
    fputs(*c->usage ? " [options]\n.SH DESCRIPTION\n" : "[options]\n.SH DESCRIPTION\n", out);
    put_text(out, c->help, examples ? (size_t)(examples + 1 - c->help) : strlen(c->help));
    fputs(".SH OPTIONS\n", out);
    for (const option *o = options_next(c, NULL); o; o = options_next(c, o)) put_option(out, o);
    if (examples) {
        fputs(".SH EXAMPLES\n.nf\n", out);
        put(out, examples + 2);
        fputs(".fi\n", out);
    }
    put_exit_status(out);
    fputs(".SH SEE ALSO\n.BR firn (1)\n", out);
}

static void page_of_all(FILE *out) {
    put_title(out, "firn", "simulates snow, from a scene file to a movie");
    fputs(".SH SYNOPSIS\n.B firn\n.I COMMAND\n[arguments] [options]\n.SH DESCRIPTION\n", out);
    put(out,
        "A scene is a YAML file. 'firn run' simulates it into a folder, 'firn render' draws that folder, "
        "'firn export' converts it for other programs.\n");
    fputs(".SH COMMANDS\n", out);
    for (const command *c = commands; c->name; c++) {
        fprintf(out, ".TP\n.BR firn\\-%s (1)\n", c->name);
        put(out, c->summary);
        fputc('\n', out);
    }
    fputs(".SH ENVIRONMENT\n.TP\n.B FIRN_SCENES\n", out);
    put(out, "folders, separated by colons, that 'from: NAME' of a scene searches for files that are not "
             "beside it\n");
    fputs(".TP\n.B FIRN_ISA\n", out);
    put(out, "base, avx2 or avx512: the instruction set to use instead of the best one\n");
    put_exit_status(out);
    fputs(".SH EXAMPLES\n.nf\n", out);
    put(out, "  firn new first\n  firn run first.yaml -o out\n  firn render out -o first.mp4\n");
    fputs(".fi\n", out);
}

// c NULL: the page of firn itself.
static int write_page(const char *folder, const command *c) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/firn%s%s.1", folder, c ? "-" : "", c ? c->name : "");
    FILE *out = length < (int)sizeof path ? fopen(path, "w") : NULL;
    if (!out) return say_failed("cannot write '%s': %s", path, strerror(errno));
    if (c)
        page_of_command(out, c);
    else
        page_of_all(out);
    bool good = !ferror(out);
    return fclose(out) == 0 && good ? EXIT_DONE : say_failed("cannot write '%s'", path);
}

static int write_pages(const char *folder) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return say_failed("cannot create '%s': %s", folder, strerror(errno));
    int code = write_page(folder, NULL);
    for (const command *c = commands; c->name && code == EXIT_DONE; c++) code = write_page(folder, c);
    return code;
}

int command_man(const arguments *given) {
    if (given->output) return write_pages(given->output);
    if (!given->word_count) {
        page_of_all(stdout);
        return EXIT_DONE;
    }
    const command *c = command_find(given->words[0]);
    if (!c) return unknown_command(given->words[0]);
    page_of_command(stdout, c);
    return EXIT_DONE;
}
