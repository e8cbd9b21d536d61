// Tables of numbers in text files: a first line with the names of the columns, then one line per row; commas,
// semicolons or tabs between; lines that start with # and empty lines are skipped.
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/memory.h"

typedef struct csv_table {
    double *value; // rows * columns, in the order of the names asked for
    size_t rows;
} csv_table;
// Columns by name, in any order; other columns are ignored. A missing value or one that is not a number is
// FIRN_BAD_INPUT with file, line and column.
firn_status csv_read(const char *path, const char *const *names, size_t columns, csv_table *out);
firn_status csv_parse(const char *written, const char *path, const char *const *names, size_t columns,
                      csv_table *out);
void csv_free(csv_table *table);

#endif
