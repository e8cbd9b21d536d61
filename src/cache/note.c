// run.json: which scene a folder belongs to.
#include "cache/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"

// The end of the file is the checksum of what stands before it.
enum { TAIL = 37 };
static void write_tail(const char *data, size_t bytes, char out[TAIL + 1]) {
    snprintf(out, TAIL + 1, ",\n  \"checksum\": \"%016llx\"\n}\n",
             (unsigned long long)hash64(data, bytes, 0));
}

firn_status run_note_write(const file_folder *folder, const scene *s, const run_note *note) {
    const firn_world_def *world = &s->def.world;
    text t = {0};
    text_add(&t, "{\n  \"firn\": \"%s\",\n  \"isa\": \"%s\",\n", firn_version(), note->isa);
    text_add(&t, "  \"scene_hash\": \"%016llx\",\n  \"title\": ", (unsigned long long)s->hash);
    text_add_json(&t, world->name ? world->name : "");
    text_add(&t, ",\n  \"fps\": %.17g,\n  \"frames\": %llu,\n", world->fps, (unsigned long long)note->frames);
    text_add(&t, "  \"scene_checksum\": \"%016llx\"", (unsigned long long)note->scene_checksum);
    char *written, tail[TAIL + 1];
    if (!t.failed) {
        write_tail(t.data, t.length, tail);
        text_add(&t, "%s", tail);
    }
    TRY(text_take(&t, &written));
    firn_status status = file_write_text_in(folder, NOTE_FILE, written);
    mem_free(written);
    return status;
}

bool run_note_has_isa(const run_note *note, const char *isa) {
    size_t length = strlen(isa);
    for (const char *c = note->isa; (c = strstr(c, isa)); c++)
        if ((c == note->isa || c[-1] == ' ') && (c[length] == 0 || c[length] == ',')) return true;
    return false;
}

void run_note_add_isa(run_note *note, const char *isa) {
    size_t length = strlen(note->isa);
    if (!isa[0] || run_note_has_isa(note, isa)) return;
    snprintf(note->isa + length, sizeof note->isa - length, "%s%s", length ? ", " : "", isa);
}

static const char *skip_space(const char *c) { return c + strspn(c, " \t\r\n"); }

// A JSON string at c; returns what follows it, or NULL. Escapes are kept as they stand: no value that is read
// has any.
static const char *read_string(const char *c, char *out, size_t size) {
    if (*c++ != '"') return NULL;
    size_t length = 0;
    for (; *c && *c != '"'; c++) {
        if (length + 1 < size) out[length++] = *c;
        if (*c == '\\' && c[1]) {
            c++;
            if (length + 1 < size) out[length++] = *c;
        }
    }
    out[length] = 0;
    return *c == '"' ? c + 1 : NULL;
}

// A string or number at c, as text.
static const char *read_value(const char *c, char *out, size_t size) {
    if (*c == '"') return read_string(c, out, size);
    size_t length = strcspn(c, ",} \t\r\n");
    snprintf(out, size, "%.*s", (int)(length < size ? length : size - 1), c);
    return length > 0 ? c + length : NULL;
}

static bool set_value(run_note *note, const char *key, const char *value) {
    char *end = "";
    if (strcmp(key, "firn") == 0) snprintf(note->version, sizeof note->version, "%.31s", value);
    if (strcmp(key, "isa") == 0) snprintf(note->isa, sizeof note->isa, "%.63s", value);
    if (strcmp(key, "scene_checksum") == 0) note->scene_checksum = strtoull(value, &end, 16);
    if (strcmp(key, "scene_hash") == 0) note->scene_hash = strtoull(value, &end, 16);
    if (strcmp(key, "frames") == 0) note->frames = strtoull(value, &end, 10);
    return *end == 0;
}

// One flat JSON object with what run_note_write wrote; other keys are skipped.
static bool parse_note(const char *c, run_note *note) {
    bool hash = false, frames = false;
    c = skip_space(c);
    if (*c++ != '{') return false;
    for (;;) {
        char key[64], value[256];
        if (!(c = read_string(skip_space(c), key, sizeof key))) return false;
        c = skip_space(c);
        if (*c++ != ':') return false;
        if (!(c = read_value(skip_space(c), value, sizeof value))) return false;
        if (!set_value(note, key, value)) return false;
        hash = hash || strcmp(key, "scene_hash") == 0;
        frames = frames || strcmp(key, "frames") == 0;
        c = skip_space(c);
        if (*c == '}') return hash && frames;
        if (*c++ != ',') return false;
    }
}

// Notes of older versions have none.
static bool checksum_is_right(const char *data, size_t bytes) {
    char tail[TAIL + 1];
    if (!strstr(data, "checksum")) return true;
    if (bytes < TAIL) return false;
    write_tail(data, bytes - TAIL, tail);
    return strcmp(data + bytes - TAIL, tail) == 0;
}

firn_status run_note_read(const file_folder *folder, run_note *note, bool *found) {
    enum { LARGEST = 64 * 1024 };
    char path[PATH_ROOM], *data;
    size_t bytes;
    memset(note, 0, sizeof *note);
    *found = file_exists_in(folder, NOTE_FILE);
    if (!*found) return FIRN_OK;
    TRY(file_read_in(folder, NOTE_FILE, LARGEST, &data, &bytes));
    bool good = strlen(data) == bytes && checksum_is_right(data, bytes) && parse_note(data, note);
    mem_free(data);
    if (good) return FIRN_OK;
    memset(note, 0, sizeof *note);
    return fail(FIRN_BAD_INPUT, "'%s' is damaged, or was not written by this version of firn",
                file_shown(folder, NOTE_FILE, path));
}
