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

firn_status times_add(run_times *t, run_time item) {
    if (!array_reserve(&t->items, &t->capacity, t->count + 1, sizeof item))
        return fail_memory("noting times", (t->count + 1) * sizeof item);
    t->items[t->count++] = item;
    return FIRN_OK;
}

void times_cut(run_times *t, uint64_t frame) {
    while (t->count && t->items[t->count - 1].frame > frame) t->count--;
}

firn_status times_write(const run_times *t, const char *folder) {
    char path[PATH_ROOM];
    text words = {0};
    path_join(folder, "times.csv", path, sizeof path);
    text_add(&words, "frame,steps,seconds\n");
    for (size_t i = 0; i < t->count; i++)
        text_add(&words, "%llu,%llu,%.6g\n", (unsigned long long)t->items[i].frame,
                 (unsigned long long)t->items[i].steps, t->items[i].seconds);
    firn_status status =
        words.failed ? fail_memory("noting times", words.length) : file_write_text(path, words.data);
    text_free(&words);
    return status;
}

static bool read_row(const char *line, run_time *out) {
    char *end;
    out->frame = strtoull(line, &end, 10);
    if (end == line || *end != ',') return false;
    const char *steps = end + 1;
    out->steps = strtoull(steps, &end, 10);
    if (end == steps || *end != ',') return false;
    const char *seconds = end + 1;
    out->seconds = plain_read(seconds, &end);
    return end != seconds && isfinite(out->seconds);
}

firn_status times_read(const char *folder, run_times *out) {
    char path[PATH_ROOM], *data;
    size_t bytes;
    *out = (run_times){0};
    path_join(folder, "times.csv", path, sizeof path);
    if (!file_exists(path)) return FIRN_OK;
    TRY(file_read_whole(path, LARGEST_FILE, &data, &bytes));
    firn_status status = FIRN_OK;
    for (const char *line = data; *line && status == FIRN_OK;
         line += strcspn(line, "\n"), line += *line != 0) {
        run_time row;
        if (!read_row(line, &row)) continue;
        if (out->count == 0 || row.frame > out->items[out->count - 1].frame) status = times_add(out, row);
    }
    mem_free(data);
    if (status != FIRN_OK) times_free(out);
    return status;
}

void times_free(run_times *t) {
    mem_free(t->items);
    *t = (run_times){0};
}
