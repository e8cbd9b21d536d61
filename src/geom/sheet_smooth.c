// A sheet with each of its squares in four. The new points lie on a smooth surface through the old ones: the
// four-point rule (Dyn 1987) along rows, then along columns. Across a tear or a border,
// where there is no next point, the sheet goes on straight.
#include <math.h>
#include <string.h>

#include "geom/sheet.h"
#include "math/dvec.h"

typedef struct finer {
    const sheet_input *in;
    size_t columns, rows; // of the finer sheet
    float (*at)[3], *value;
    uint8_t *held;
} finer;

static bool finite_at(const sheet_input *in, size_t i) { return dvec_finite(dvec_of_floats(in->at[i])); }

// Whether the side from a point along its row or column is there.
static bool side(const sheet_input *in, size_t column, size_t row, int direction) {
    size_t i = row * in->columns + column, next = direction == SHEET_ALONG_ROW ? i + 1 : i + in->columns;
    bool inside = direction == SHEET_ALONG_ROW ? column + 1 < in->columns : row + 1 < in->rows;
    return inside && finite_at(in, i) && finite_at(in, next) && (!in->held || (in->held[i] & direction));
}

// The two triangles of a square, as in sheet.c.
static bool lower(const sheet_input *in, size_t c, size_t r) {
    return r + 1 < in->rows && side(in, c, r, SHEET_ALONG_ROW) && side(in, c + 1, r, SHEET_ALONG_COLUMN);
}
static bool upper(const sheet_input *in, size_t c, size_t r) {
    return r + 1 < in->rows && c + 1 < in->columns && side(in, c, r + 1, SHEET_ALONG_ROW) &&
           side(in, c, r, SHEET_ALONG_COLUMN);
}
static bool whole(const sheet_input *in, size_t c, size_t r) { return lower(in, c, r) && upper(in, c, r); }

// Between b and c; a and d are the points beyond, NULL: there is none.
static void between(const float *a, const float *b, const float *c, const float *d, float out[3]) {
    for (int k = 0; k < 3; k++) {
        float before = a ? a[k] : 2 * b[k] - c[k], after = d ? d[k] : 2 * c[k] - b[k];
        out[k] = (9 * (b[k] + c[k]) - (before + after)) / 16;
    }
}

static void mean_value(const finer *f, size_t to, size_t a, size_t b) {
    for (uint32_t k = 0; f->value && k < f->in->channels; k++)
        f->value[to * f->in->channels + k] =
            0.5f * (f->value[a * f->in->channels + k] + f->value[b * f->in->channels + k]);
}

static void put_corners(const finer *f) {
    const sheet_input *in = f->in;
    for (size_t r = 0; r < in->rows; r++)
        for (size_t c = 0; c < in->columns; c++) {
            size_t from = r * in->columns + c, to = 2 * r * f->columns + 2 * c;
            memcpy(f->at[to], in->at[from], sizeof *f->at);
            if (f->value)
                memcpy(f->value + to * in->channels, in->value + from * in->channels,
                       in->channels * sizeof *f->value);
        }
}

static void put_along_rows(const finer *f) {
    const sheet_input *in = f->in;
    for (size_t r = 0; r < in->rows; r++)
        for (size_t c = 0; c + 1 < in->columns; c++) {
            size_t to = 2 * r * f->columns + 2 * c + 1;
            const float *a = c > 0 && side(in, c - 1, r, SHEET_ALONG_ROW) ? f->at[to - 3] : NULL;
            const float *d = side(in, c + 1, r, SHEET_ALONG_ROW) ? f->at[to + 3] : NULL;
            between(a, f->at[to - 1], f->at[to + 1], d, f->at[to]);
            mean_value(f, to, to - 1, to + 1);
        }
}

// Also the middles of squares, from the points between those of a row.
static void put_along_columns(const finer *f) {
    const sheet_input *in = f->in;
    size_t w = f->columns;
    for (size_t r = 0; r + 1 < in->rows; r++)
        for (size_t x = 0; x < w; x++) {
            size_t to = (2 * r + 1) * w + x, c = x / 2;
            bool middle = x % 2;
            bool before = r > 0 && (middle ? whole(in, c, r - 1) : side(in, c, r - 1, SHEET_ALONG_COLUMN));
            bool after = middle ? whole(in, c, r + 1) : side(in, c, r + 1, SHEET_ALONG_COLUMN);
            // Of a square with one triangle: on its longest side, wherever the fourth corner has gone.
            bool half = middle && !whole(in, c, r);
            size_t low = half ? to - w - 1 : to - w, high = half ? to + w + 1 : to + w;
            between(before && !half ? f->at[to - 3 * w] : NULL, f->at[low], f->at[high],
                    after && !half ? f->at[to + 3 * w] : NULL, f->at[to]);
            mean_value(f, to, low, high);
        }
}

// A side of the finer sheet holds if it is part of one that does, or lies in a triangle that is there.
static void put_held(const finer *f) {
    const sheet_input *in = f->in;
    for (size_t y = 0; y < f->rows; y++)
        for (size_t x = 0; x < f->columns; x++) {
            size_t c = x / 2, r = y / 2;
            bool row = y % 2 == 0 ? side(in, c, r, SHEET_ALONG_ROW)
                       : x % 2    ? lower(in, c, r)
                                  : upper(in, c, r);
            bool column = x % 2 == 0 ? side(in, c, r, SHEET_ALONG_COLUMN)
                          : y % 2    ? upper(in, c, r)
                                     : lower(in, c, r);
            f->held[y * f->columns + x] =
                (uint8_t)((row ? SHEET_ALONG_ROW : 0) | (column ? SHEET_ALONG_COLUMN : 0));
        }
}

firn_status sheet_build_smooth(const sheet_input *in, surface *out) {
    *out = (surface){0};
    if (in->columns < 2 || in->rows < 2) return sheet_build(in, out);
    finer f = {.in = in, .columns = 2 * (size_t)in->columns - 1, .rows = 2 * (size_t)in->rows - 1};
    size_t points = f.columns * f.rows;
    if (f.columns > UINT32_MAX || f.rows > UINT32_MAX || points >= UINT32_MAX / 2)
        return sheet_build(in, out);
    f.at = mem_alloc(points * sizeof *f.at);
    f.held = mem_alloc(points);
    bool values = in->value && in->channels;
    if (values) f.value = mem_alloc(points * in->channels * sizeof *f.value);
    firn_status status = f.at && f.held && (f.value || !values)
                             ? FIRN_OK
                             : fail_memory("building a sheet", points * sizeof *f.at);
    if (status == FIRN_OK) {
        put_corners(&f);
        put_along_rows(&f);
        put_along_columns(&f);
        put_held(&f);
        sheet_input fine = *in;
        fine.at = (const float(*)[3])f.at;
        fine.columns = (uint32_t)f.columns;
        fine.rows = (uint32_t)f.rows;
        fine.held = f.held;
        fine.value = f.value;
        status = sheet_build(&fine, out);
    }
    mem_free(f.at);
    mem_free(f.held);
    mem_free(f.value);
    return status;
}
