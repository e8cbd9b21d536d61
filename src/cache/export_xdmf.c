// An XDMF index that ParaView opens: per model a time series of points whose arrays stay in the frames' HDF5
// files.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cache/export.h"
#include "cache/frame.h"

typedef struct xdmf_series {
    char model[EXPORT_NAME];
    text grids;
} xdmf_series;

typedef struct xdmf_state {
    char frames[PATH_ROOM]; // from the output folder to the frames
    xdmf_series *series;
    size_t series_count, series_capacity;
    size_t *counts; // of points that occur; each needs its list of vertices
    size_t counts_count, counts_capacity;
} xdmf_state;

static void add_escaped(text *t, const char *plain) {
    for (const char *c = plain; *c; c++) {
        if (*c == '&')
            text_add(t, "&amp;");
        else if (*c == '<')
            text_add(t, "&lt;");
        else if (*c == '>')
            text_add(t, "&gt;");
        else if (*c == '"')
            text_add(t, "&quot;");
        else
            text_add_bytes(t, c, 1);
    }
}

// "../../run/frames" from one existing folder to another.
static firn_status relative_path(const char *from, const char *to, char *out, size_t size) {
    char a[PATH_MAX], b[PATH_MAX];
    if (!realpath(from, a) || !realpath(to, b)) return fail(FIRN_IO, "cannot find '%s' from '%s'", to, from);
    size_t same = 0, i = 0;
    for (; a[i] && a[i] == b[i]; i++)
        if (a[i] == '/') same = i;
    if ((!a[i] || a[i] == '/') && (!b[i] || b[i] == '/')) same = i;
    text t = {0};
    for (const char *c = a + same; *c; c++)
        if (*c == '/' && c[1]) text_add(&t, "../");
    text_add(&t, "%s", b[same] == '/' ? b + same + 1 : b + same);
    bool failed = t.failed, fits = !failed && t.length < size;
    if (fits) snprintf(out, size, "%s", t.data);
    text_free(&t);
    if (failed) return fail_memory("a path", size);
    return fits ? FIRN_OK : fail(FIRN_BAD_INPUT, "the path from '%s' to '%s' is too long", from, to);
}

static firn_status xdmf_begin(export_job *job) {
    xdmf_state *x = mem_zero(1, sizeof *x);
    if (!x) return fail_memory("exporting to XDMF", sizeof *x);
    job->state = x;
    char frames[PATH_ROOM];
    path_join(job->run->path, "frames", frames, sizeof frames);
    return relative_path(job->options->output, frames, x->frames, sizeof x->frames);
}

static xdmf_series *find_series(xdmf_state *x, const char *model) {
    for (size_t i = 0; i < x->series_count; i++)
        if (strcmp(x->series[i].model, model) == 0) return &x->series[i];
    if (!array_reserve(&x->series, &x->series_capacity, x->series_count + 1, sizeof *x->series)) return NULL;
    xdmf_series *s = &x->series[x->series_count++];
    *s = (xdmf_series){0};
    snprintf(s->model, sizeof s->model, "%s", model);
    return s;
}

static firn_status need_index(xdmf_state *x, size_t count) {
    for (size_t i = 0; i < x->counts_count; i++)
        if (x->counts[i] == count) return FIRN_OK;
    if (!array_reserve(&x->counts, &x->counts_capacity, x->counts_count + 1, sizeof *x->counts))
        return fail_memory("exporting to XDMF", (x->counts_count + 1) * sizeof *x->counts);
    x->counts[x->counts_count++] = count;
    return FIRN_OK;
}

static const char *number_type(firn_type type) {
    switch (type) {
    case FIRN_F32:
    case FIRN_F64: return "Float";
    case FIRN_I32: return "Int";
    case FIRN_U32:
    case FIRN_U64: return "UInt";
    }
    return "Float";
}

static void add_item(text *t, const xdmf_state *x, uint64_t frame, const firn_field *f) {
    char array[FRAME_NAME];
    frame_array_path(f->name, array);
    text_add(t,
             "          <DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%zu\" Dimensions=\"%zu %u\">",
             number_type(f->type), type_bytes(f->type), f->count, f->components);
    add_escaped(t, x->frames);
    text_add(t, "/%06llu.h5:%s</DataItem>\n", (unsigned long long)frame, array);
}

static void add_attribute(text *t, const xdmf_state *x, uint64_t frame, const firn_field *f) {
    const char *kind = f->components == 1   ? "Scalar"
                       : f->components == 3 ? "Vector"
                       : f->components == 9 ? "Tensor"
                                            : "Matrix";
    text_add(t, "        <Attribute Name=\"");
    add_escaped(t, export_short_name(f));
    text_add(t, "\" AttributeType=\"%s\" Center=\"Node\">\n", kind);
    add_item(t, x, frame, f);
    text_add(t, "        </Attribute>\n");
}

// Without the list of vertices ParaView's newer reader shows nothing.
static void add_grid(text *t, const xdmf_state *x, uint64_t frame, double time, const firn_field *fields,
                     size_t count) {
    size_t points = fields[0].count;
    text_add(t, "      <Grid Name=\"frame %llu\" GridType=\"Uniform\">\n        <Time Value=\"%.17g\"/>\n",
             (unsigned long long)frame, time);
    text_add(
        t,
        "        <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%zu\" NodesPerElement=\"1\">\n"
        "          <DataItem Format=\"HDF\" NumberType=\"UInt\" Precision=\"4\" Dimensions=\"%zu 1\">"
        "index.h5:/points_%zu</DataItem>\n        </Topology>\n        <Geometry GeometryType=\"XYZ\">\n",
        points, points, points);
    add_item(t, x, frame, &fields[0]);
    text_add(t, "        </Geometry>\n");
    for (size_t i = 1; i < count; i++) add_attribute(t, x, frame, &fields[i]);
    text_add(t, "      </Grid>\n");
}

static firn_status xdmf_model(export_job *job, const export_points *points, uint64_t number) {
    xdmf_state *x = job->state;
    if (points->fields[0].count == 0) return FIRN_OK; // XDMF has no empty set of points
    xdmf_series *s = find_series(x, points->model);
    if (!s) return fail_memory("exporting to XDMF", (x->series_count + 1) * sizeof *s);
    TRY(need_index(x, points->fields[0].count));
    add_grid(&s->grids, x, number, firn_world_time(job->world), points->fields, points->count);
    return s->grids.failed ? fail_memory("exporting to XDMF", s->grids.length) : FIRN_OK;
}

static firn_status xdmf_frame(export_job *job, uint64_t number) {
    return export_each_points(job, number, xdmf_model);
}

static firn_status write_index(const export_job *job, const xdmf_state *x) {
    size_t most = 0, all = 0, bytes;
    for (size_t i = 0; i < x->counts_count; i++) {
        if (x->counts[i] > most) most = x->counts[i];
        all += x->counts[i];
    }
    uint32_t *vertex = mem_zero(most ? most : 1, sizeof *vertex);
    if (!vertex) return fail_memory("exporting to XDMF", most * sizeof *vertex);
    for (size_t i = 0; i < most; i++) vertex[i] = (uint32_t)i;
    h5_writer w;
    char *file = NULL, path[PATH_ROOM];
    firn_status status = h5_create(&w, false, false, all * sizeof *vertex);
    if (status == FIRN_OK) {
        for (size_t i = 0; i < x->counts_count; i++) {
            snprintf(path, sizeof path, "/points_%zu", x->counts[i]);
            h5_array(&w, path, FIRN_U32, x->counts[i], 1, vertex);
        }
        status = h5_take(&w, &file, &bytes);
    }
    path_join(job->options->output, "index.h5", path, sizeof path);
    if (status == FIRN_OK) status = file_write_whole(path, &(file_part){file, bytes}, 1);
    mem_free(file);
    mem_free(vertex);
    return status;
}

firn_status export_write_series(const export_job *job, const char *name, const text *grids) {
    static const char head[] =
        "<?xml version=\"1.0\" ?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n"
        "    <Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
    static const char tail[] = "    </Grid>\n  </Domain>\n</Xdmf>\n";
    char path[PATH_ROOM];
    int length = snprintf(path, sizeof path, "%s/%s.xdmf", job->options->output, name);
    if (length < 0 || (size_t)length >= sizeof path) return fail(FIRN_BAD_INPUT, "path is too long");
    file_part parts[3] = {{head, sizeof head - 1}, {grids->data, grids->length}, {tail, sizeof tail - 1}};
    return file_write_whole(path, parts, 3);
}

static firn_status xdmf_end(export_job *job) {
    const xdmf_state *x = job->state;
    size_t written = 0;
    TRY(write_index(job, x));
    for (size_t i = 0; i < x->series_count; i++) {
        if (x->series[i].grids.length == 0) continue;
        TRY(export_write_series(job, x->series[i].model, &x->series[i].grids));
        written++;
    }
    return written ? FIRN_OK : fail(FIRN_BAD_INPUT, "this run has no points or bodies to show");
}

static void xdmf_cleanup(export_job *job) {
    xdmf_state *x = job->state;
    if (!x) return;
    for (size_t i = 0; i < x->series_count; i++) text_free(&x->series[i].grids);
    mem_free(x->series);
    mem_free(x->counts);
    mem_free(x);
}

const export_format export_xdmf = {.name = "xdmf",
                                   .help = "an index that ParaView opens",
                                   .begin = xdmf_begin,
                                   .frame = xdmf_frame,
                                   .end = xdmf_end,
                                   .cleanup = xdmf_cleanup};
