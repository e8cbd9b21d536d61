// Wall times of a run, frame by frame: DIR/times.csv.
#include "cache/times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/text.h"

enum { LARGEST_FILE = 1 << 28 };
static const char heading[] = "frame,steps,seconds"; // and a column for each model

firn_status times_set(run_times *t, run_time item) {
    size_t at = t->count;
    while (at > 0 && t->items[at - 1].frame >= item.frame) at--;
    if (at < t->count && t->items[at].frame == item.frame) {
        t->items[at] = item;
        return FIRN_OK;
    }
    if (!array_reserve(&t->items, &t->capacity, t->count + 1, sizeof item))
        return fail_memory("noting times", (t->count + 1) * sizeof item);
    memmove(t->items + at + 1, t->items + at, (t->count - at) * sizeof item);
    t->items[at] = item;
    t->count++;
    return FIRN_OK;
}

firn_status times_write(const run_times *t, const file_folder *folder) {
    text words = {0};
    text_add(&words, "%s", heading);
    for (size_t m = 0; m < t->models; m++) text_add(&words, ",%s", t->model[m]);
    text_add(&words, "\n");
    for (size_t i = 0; i < t->count; i++) {
        text_add(&words, "%llu,%llu,%.6g", (unsigned long long)t->items[i].frame,
                 (unsigned long long)t->items[i].steps, t->items[i].seconds);
        for (size_t m = 0; m < t->models; m++) text_add(&words, ",%.4g", t->items[i].model[m]);
        text_add(&words, "\n");
    }
    firn_status status = words.failed ? fail_memory("noting times", words.length)
                                      : file_write_text_in(folder, TIMES_FILE, words.data);
    text_free(&words);
    return status;
}

// The names of the columns behind those of every file.
static bool read_models(const char *line, run_times *out) {
    size_t length = strlen(heading);
    if (strncmp(line, heading, length) != 0) return false;
    for (line += length; *line == ','; line += strcspn(line, ",\n")) {
        length = strcspn(++line, ",\n");
        if (out->models == TIMES_MODELS || length == 0 || length >= TIMES_NAME) return false;
        memcpy(out->model[out->models], line, length);
        out->model[out->models++][length] = 0;
    }
    return *line == '\n';
}

static bool read_row(const char *line, size_t models, run_time *out) {
    char *end;
    *out = (run_time){0};
    out->frame = strtoull(line, &end, 10);
    if (end == line || *end != ',') return false;
    const char *steps = end + 1;
    out->steps = strtoull(steps, &end, 10);
    if (end == steps || *end != ',') return false;
    const char *seconds = end + 1;
    out->seconds = plain_read(seconds, &end);
    bool good = end != seconds && isfinite(out->seconds);
    for (size_t m = 0; m < models && good; m++) {
        if (*end != ',') return false;
        const char *value = end + 1;
        out->model[m] = plain_read(value, &end);
        good = end != value && isfinite(out->model[m]);
    }
    return good && *end == '\n';
}

double times_of_model(const run_times *t, const char *model) {
    double sum = 0;
    for (size_t m = 0; m < t->models; m++)
        for (size_t i = 0; i < t->count && strcmp(t->model[m], model) == 0; i++) sum += t->items[i].model[m];
    return sum;
}

firn_status times_read(const file_folder *folder, run_times *out, bool *damaged) {
    char *data;
    size_t bytes;
    bool unused;
    if (!damaged) damaged = &unused;
    *damaged = false;
    *out = (run_times){0};
    if (!file_exists_in(folder, TIMES_FILE)) return FIRN_OK;
    TRY(file_read_in(folder, TIMES_FILE, LARGEST_FILE, &data, &bytes));
    firn_status status = FIRN_OK;
    *damaged = strlen(data) != bytes || !read_models(data, out);
    for (const char *line = data + strcspn(data, "\n"); *line++ && *line && status == FIRN_OK;
         line += strcspn(line, "\n")) {
        run_time row;
        bool good = read_row(line, out->models, &row) &&
                    (out->count == 0 || row.frame > out->items[out->count - 1].frame);
        if (good)
            status = times_set(out, row);
        else
            *damaged = true;
    }
    mem_free(data);
    if (status != FIRN_OK) times_free(out);
    return status;
}

void times_free(run_times *t) {
    mem_free(t->items);
    *t = (run_times){0};
}
