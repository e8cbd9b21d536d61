// .binvox version 1: a short header in text, then pairs of bytes (value, count).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/plain.h"
#include "geom/fill.h"

enum { MAX_FILE = 1 << 30, MAX_LINE = 200, MAX_LINES = 100 };

typedef struct reader {
    const char *data, *name;
    size_t bytes, at;
    char line[MAX_LINE];
    uint32_t dim[3]; // x, z, y: the order of the file
    double translate[3], scale;
} reader;

static firn_status next_line(reader *r) {
    const char *begin = r->data + r->at,
               *end = r->at < r->bytes ? memchr(begin, '\n', r->bytes - r->at) : NULL;
    if (!end) return fail(FIRN_BAD_INPUT, "'%s' ends within its header", r->name);
    size_t length = (size_t)(end - begin);
    r->at += length + 1;
    if (length && begin[length - 1] == '\r') length--;
    if (length >= MAX_LINE || memchr(begin, 0, length))
        return fail(FIRN_BAD_INPUT, "'%s' has a header line that is not text", r->name);
    memcpy(r->line, begin, length);
    r->line[length] = 0;
    return FIRN_OK;
}

static bool starts_with(const char *line, const char *word) {
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\t' || !line[length]);
}

// Exactly n numbers after the first word.
static firn_status numbers(const reader *r, size_t n, double *out) {
    const char *c = r->line + strcspn(r->line, " \t");
    for (size_t i = 0; i < n; i++) {
        char *end;
        out[i] = plain_read(c, &end);
        if (end == c || !isfinite(out[i]))
            return fail(FIRN_BAD_INPUT, "'%s': '%s' must have %zu numbers", r->name, r->line, n);
        c = end;
    }
    if (c[strspn(c, " \t")])
        return fail(FIRN_BAD_INPUT, "'%s': '%s' must have %zu numbers", r->name, r->line, n);
    return FIRN_OK;
}

static firn_status read_dim(reader *r) {
    double size[3];
    TRY(numbers(r, 3, size));
    for (int k = 0; k < 3; k++) {
        if (!(size[k] >= 1.0 && size[k] <= VOXELS_MAX_SIDE) || size[k] != floor(size[k]))
            return fail(FIRN_BAD_INPUT, "'%s': '%s' must be whole numbers from 1 to %d", r->name, r->line,
                        VOXELS_MAX_SIDE);
        r->dim[k] = (uint32_t)size[k];
    }
    if ((uint64_t)r->dim[0] * r->dim[1] * r->dim[2] > VOXELS_MAX_CELLS)
        return fail(FIRN_BAD_INPUT, "'%s': '%s' is too large", r->name, r->line);
    return FIRN_OK;
}

static firn_status read_header(reader *r) {
    TRY(next_line(r));
    if (!starts_with(r->line, "#binvox")) return fail(FIRN_BAD_INPUT, "'%s' is not a .binvox file", r->name);
    double version;
    TRY(numbers(r, 1, &version));
    if (version != 1.0)
        return fail(FIRN_BAD_INPUT, "'%s' is a .binvox file of version %g; only version 1 is read", r->name,
                    version);
    r->scale = 1.0;
    for (int i = 0; i < MAX_LINES; i++) {
        TRY(next_line(r));
        if (starts_with(r->line, "data")) {
            if (!r->dim[0]) return fail(FIRN_BAD_INPUT, "'%s' has no line 'dim' in its header", r->name);
            return FIRN_OK;
        }
        if (starts_with(r->line, "dim"))
            TRY(read_dim(r));
        else if (starts_with(r->line, "translate"))
            TRY(numbers(r, 3, r->translate));
        else if (starts_with(r->line, "scale"))
            TRY(numbers(r, 1, &r->scale));
        else if (r->line[0] != '#' && r->line[0])
            return fail(FIRN_BAD_INPUT, "'%s': unknown header line '%s'", r->name, r->line);
    }
    return fail(FIRN_BAD_INPUT, "'%s' has a header that does not end", r->name);
}

static void set_run(voxels *v, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++) {
        size_t y = i % v->ny, z = i / v->ny % v->nz, x = i / ((size_t)v->ny * v->nz);
        size_t bit = x + v->nx * (y + v->ny * z);
        v->bits[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
}

static firn_status read_runs(reader *r, voxels *v) {
    size_t total = (size_t)v->nx * v->ny * v->nz, done = 0;
    while (done < total) {
        if (r->bytes - r->at < 2)
            return fail(FIRN_BAD_INPUT, "'%s' ends after %zu of its %zu voxels", r->name, done, total);
        unsigned value = (unsigned char)r->data[r->at], count = (unsigned char)r->data[r->at + 1];
        if (value > 1 || !count || count > total - done)
            return fail(FIRN_BAD_INPUT, "'%s': invalid run of %u voxels of value %u at byte %zu", r->name,
                        count, value, r->at);
        if (value) set_run(v, done, count);
        done += count;
        r->at += 2;
    }
    return FIRN_OK;
}

firn_status binvox_parse(const char *data, size_t bytes, const char *name, voxels *out) {
    *out = (voxels){0};
    reader r = {.data = data, .bytes = bytes, .name = name};
    firn_status status = read_header(&r);
    if (status != FIRN_OK) return status;
    voxels v = {.nx = r.dim[0], .nz = r.dim[1], .ny = r.dim[2]};
    uint32_t largest = v.nx > v.ny ? v.nx : v.ny;
    v.cell = (float)(r.scale / (largest > v.nz ? largest : v.nz));
    for (int k = 0; k < 3; k++) v.low[k] = (float)r.translate[k];
    if (!(v.cell > 0.0f) || !isfinite(v.cell) || !isfinite(v.low[0] + v.low[1] + v.low[2]))
        return fail(FIRN_BAD_INPUT, "'%s': scale must be positive, scale and translate not too large", name);
    size_t total = (size_t)v.nx * v.ny * v.nz, most = (bytes - r.at) / 2 * 255;
    if (most < total) // before any memory is taken for what cannot be there
        return fail(FIRN_BAD_INPUT, "'%s' is too short for its %zu voxels", name, total);
    v.bits = mem_zero((total + 7) / 8, 1);
    if (!v.bits) return fail_memory("reading voxels", total / 8);
    status = read_runs(&r, &v);
    if (status != FIRN_OK)
        voxels_free(&v);
    else
        *out = v;
    return status;
}

firn_status binvox_read(const char *path, voxels *out) {
    *out = (voxels){0};
    char *data;
    size_t bytes;
    TRY(file_read_whole(path, MAX_FILE, &data, &bytes));
    firn_status status = binvox_parse(data, bytes, path, out);
    mem_free(data);
    return status;
}
