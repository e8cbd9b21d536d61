// Parts of a page of `firn reproduce`: statements with their verdicts, and the numbers of a run.
#include "reproduce.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[VERDICTS] = {[VERDICT_HOLDS] = "holds",
                                                    [VERDICT_DIFFERS] = "**differs**",
                                                    [VERDICT_FURTHER] = "goes further",
                                                    [VERDICT_SHORT] = "*falls short*"};

void reproduce_statements(const reproduction *r, const char *heading, const char *text) {
    fprintf(r->page, "## %s\n\n%s%s| the thesis | firn | |\n| --- | --- | --- |\n", heading, text,
            *text ? "\n\n" : "");
}

void reproduce_statement(reproduction *r, const char *thesis, verdict v, const char *format, ...) {
    va_list values;
    va_start(values, format);
    fprintf(r->page, "| %s | ", thesis);
    vfprintf(r->page, format, values);
    fprintf(r->page, " | %s |\n", verdict_names[v]);
    va_end(values);
    r->verdicts[v]++;
}

void reproduce_count(const reproduction *r) {
    const int *v = r->verdicts;
    fprintf(r->page,
            "## Summary\n\nOf %d statements %d hold and %d differ; in %d firn goes further, in %d it falls "
            "short.\n",
            v[VERDICT_HOLDS] + v[VERDICT_DIFFERS] + v[VERDICT_FURTHER] + v[VERDICT_SHORT], v[VERDICT_HOLDS],
            v[VERDICT_DIFFERS], v[VERDICT_FURTHER], v[VERDICT_SHORT]);
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "r");
    char *all = NULL;
    long bytes = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (bytes >= 0 && fseek(file, 0, SEEK_SET) == 0 && (all = malloc((size_t)bytes + 1)) != NULL)
        all[fread(all, 1, (size_t)bytes, file)] = 0;
    if (file) fclose(file);
    return all;
}

static bool parse(char *text, reproduce_table *out) {
    char *line = strchr(text, '\n');
    if (!line) return false;
    *line++ = 0;
    out->names = text;
    out->columns = 1;
    for (char *at = text; (at = strchr(at, ',')) != NULL; out->columns++) *at++ = 0;
    for (const char *at = line; *at; at++) out->rows += *at == '\n';
    out->value = malloc((out->rows * out->columns + 1) * sizeof *out->value);
    if (!out->value) return false;
    for (size_t i = 0; i < out->rows * out->columns; i++) {
        char *end;
        out->value[i] = strtod(line, &end);
        if (end == line) out->value[i] = NAN;
        line = end + (*end != 0); // past the comma or the end of the line
    }
    return true;
}

int reproduce_read(const reproduction *r, const reproduce_case *c, reproduce_table *out) {
    char folder[PATH_MAX], path[PATH_MAX];
    *out = (reproduce_table){0};
    if (!reproduce_path(r, "runs", c->name, "", folder, sizeof folder) ||
        !reproduce_path(r, "", c->name, ".csv", path, sizeof path))
        return say_usage("the path '%s' is too long", r->folder);
    int code = say_status(firn_info_plot(folder, path));
    if (code != EXIT_DONE) return code;
    char *text = read_text(path);
    if (!text) return say_failed("cannot read '%s': %s", path, strerror(errno));
    if (parse(text, out)) return EXIT_DONE;
    free(text);
    *out = (reproduce_table){0};
    return say_failed("cannot read the table '%s'", path);
}

void reproduce_table_free(reproduce_table *t) {
    free(t->names);
    free(t->value);
    *t = (reproduce_table){0};
}

double *reproduce_column(const reproduce_table *t, const char *name) {
    const char *at = t->names;
    size_t column = 0;
    for (; column < t->columns && strcmp(at, name) != 0; column++) at += strlen(at) + 1;
    double *values = column < t->columns ? malloc((t->rows + 1) * sizeof *values) : NULL;
    if (!values) {
        say_failed("the run has no column '%s'", name);
        return NULL;
    }
    for (size_t i = 0; i < t->rows; i++) values[i] = t->value[i * t->columns + column];
    return values;
}
