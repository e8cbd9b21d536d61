// The small text files of a run and of the weather, from bytes: the CSV of a wind that changes, run.json,
// times.csv. The first byte says which.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "cache/folder.h"
#include "cache/times.h"

static void read_weather(const char *written) {
    static const char *const names[] = {"time", "speed", "direction"};
    csv_table table;
    firn_status status = csv_parse(written, "weather.csv", names, 3, &table);
    if (status != FIRN_OK && status != FIRN_BAD_INPUT) abort();
    double sum = 0;
    for (size_t i = 0; status == FIRN_OK && i < 3 * table.rows; i++) sum += table.value[i];
    volatile double used = sum;
    (void)used;
    csv_free(&table);
}

static char path[] = "/tmp/firn-fuzz-texts-XXXXXX";

static void clean_up(void) {
    char name[64];
    snprintf(name, sizeof name, "%s/run.json", path);
    unlink(name);
    snprintf(name, sizeof name, "%s/times.csv", path);
    unlink(name);
    rmdir(path);
}

// A folder of this process with the file in it.
static const file_folder *folder_with(const char *name, const uint8_t *data, size_t size) {
    static file_folder folder;
    static bool made;
    if (!made && (!mkdtemp(path) || file_folder_open(path, &folder) != FIRN_OK || atexit(clean_up) != 0))
        abort();
    made = true;
    int file = openat(folder.handle, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
    close(file);
    return &folder;
}

static void read_note(const uint8_t *data, size_t size) {
    run_note note;
    bool found;
    firn_status status = run_note_read(folder_with("run.json", data, size), &note, &found);
    if (status != FIRN_OK && status != FIRN_BAD_INPUT) abort();
    if (status == FIRN_OK && found && strlen(note.version) + strlen(note.isa) > sizeof note) abort();
}

static void read_times(const uint8_t *data, size_t size) {
    run_times times = {0};
    bool damaged;
    firn_status status = times_read(folder_with("times.csv", data, size), &times, &damaged);
    if (status != FIRN_OK && status != FIRN_BAD_INPUT) abort();
    for (size_t i = 1; i < times.count; i++)
        if (times.items[i - 1].frame >= times.items[i].frame) abort(); // by frame, each once
    times_free(&times);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    uint8_t which = *data++ % 3;
    size--;
    if (which == 0) {
        char *written = malloc(size + 1);
        if (!written) abort();
        memcpy(written, data, size);
        written[size] = 0;
        read_weather(written);
        free(written);
    } else if (which == 1)
        read_note(data, size);
    else
        read_times(data, size);
    return 0;
}
