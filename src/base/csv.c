// Reads columns of numbers from a CSV file, by their names in its header.
#include "base/csv.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"

enum { CSV_BYTES = 64 << 20, CSV_COLUMNS = 8, CSV_CELL = 64 };

typedef struct csv_reader {
    const char *path, *at; // at: the rest of the text
    int line;
    int place[CSV_COLUMNS]; // in the file, of each column asked for
    size_t columns, capacity;
    csv_table *table;
} csv_reader;

// The next line that is not blank or a comment; false at the end.
static bool next_line(csv_reader *r, const char **begin, const char **end) {
    while (*r->at) {
        *begin = r->at;
        *end = r->at + strcspn(r->at, "\n");
        r->at = **end ? *end + 1 : *end;
        r->line++;
        while (*end > *begin && ((*end)[-1] == '\r' || (*end)[-1] == ' ')) --*end;
        if (*end > *begin && **begin != '#') return true;
    }
    return false;
}

// The n-th cell of a line, without spaces and quotes around it; column (from 1) is where it stands. false:
// none.
static bool cell_of(const char *begin, const char *end, int n, char out[CSV_CELL], int *column) {
    const char *from = begin, *to;
    for (int i = 0;; i++) {
        for (to = from; to < end && *to != ',' && *to != ';' && *to != '\t';) to++;
        if (i == n) break;
        if (to == end) return false;
        from = to + 1;
    }
    while (from < to && (*from == ' ' || *from == '"')) from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '"')) to--;
    size_t length = (size_t)(to - from) < CSV_CELL - 1 ? (size_t)(to - from) : CSV_CELL - 1;
    memcpy(out, from, length);
    out[length] = 0;
    *column = (int)(from - begin) + 1;
    return true;
}

static firn_status find_columns(csv_reader *r, const char *const *names) {
    const char *begin, *end;
    if (!next_line(r, &begin, &end)) return fail(FIRN_BAD_INPUT, "%s: empty table", r->path);
    for (size_t c = 0; c < r->columns; c++) {
        char cell[CSV_CELL];
        int column;
        r->place[c] = -1;
        for (int i = 0; r->place[c] < 0 && cell_of(begin, end, i, cell, &column); i++)
            if (text_equal(cell, names[c])) r->place[c] = i;
        if (r->place[c] < 0)
            return fail(FIRN_BAD_INPUT, "%s:%d:1: no column '%s' in the first line", r->path, r->line,
                        names[c]);
    }
    return FIRN_OK;
}

static firn_status read_row(csv_reader *r, const char *begin, const char *end, const char *const *names) {
    csv_table *t = r->table;
    if (!array_reserve(&t->value, &r->capacity, (t->rows + 1) * r->columns, sizeof *t->value))
        return fail_memory("reading a table", (t->rows + 1) * r->columns * sizeof *t->value);
    for (size_t c = 0; c < r->columns; c++) {
        char cell[CSV_CELL];
        int column = (int)(end - begin) + 1;
        bool there = cell_of(begin, end, r->place[c], cell, &column);
        if (!there || !cell[0])
            return fail(FIRN_BAD_INPUT, "%s:%d:%d: '%s' is missing", r->path, r->line, column, names[c]);
        dimension found;
        const char *unit;
        double *value = &t->value[t->rows * r->columns + c];
        if (quantity_read(cell, DIM_NONE, value, &found, &unit) != QUANTITY_OK)
            return fail(FIRN_BAD_INPUT, "%s:%d:%d: %s must be a number, not '%s'", r->path, r->line, column,
                        names[c], cell);
    }
    t->rows++;
    return FIRN_OK;
}

firn_status csv_parse(const char *written, const char *path, const char *const *names, size_t columns,
                      csv_table *out) {
    *out = (csv_table){0};
    csv_reader r = {.path = path, .at = written, .columns = columns, .table = out};
    const char *begin, *end;
    firn_status status = find_columns(&r, names);
    while (status == FIRN_OK && next_line(&r, &begin, &end)) status = read_row(&r, begin, end, names);
    if (status != FIRN_OK) csv_free(out);
    return status;
}

firn_status csv_read(const char *path, const char *const *names, size_t columns, csv_table *out) {
    char *data;
    size_t bytes;
    *out = (csv_table){0};
    TRY(file_read_whole(path, CSV_BYTES, &data, &bytes));
    firn_status status = strlen(data) == bytes ? csv_parse(data, path, names, columns, out)
                                               : fail(FIRN_BAD_INPUT, "%s: not a text file", path);
    mem_free(data);
    return status;
}

void csv_free(csv_table *table) {
    mem_free(table->value);
    *table = (csv_table){0};
}
