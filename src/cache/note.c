// run.json: which scene a folder belongs to.
#include "cache/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/isa.h"
#include "base/text.h"

static void note_path(const char *folder, char out[PATH_ROOM]) {
    snprintf(out, PATH_ROOM, "%s/run.json", folder);
}

firn_status run_note_write(const char *folder, const scene *s, uint64_t frames) {
    const firn_world_def *world = &s->def.world;
    text t = {0};
    text_add(&t, "{\n  \"firn\": \"%s\",\n  \"isa\": \"%s\",\n", firn_version(), isa_name(isa_active()));
    text_add(&t, "  \"scene_hash\": \"%016llx\",\n  \"title\": ", (unsigned long long)s->hash);
    text_add_json(&t, world->name ? world->name : "");
    text_add(&t, ",\n  \"fps\": %.17g,\n  \"frames\": %llu\n}\n", world->fps, (unsigned long long)frames);
    char *written, path[PATH_ROOM];
    TRY(text_take(&t, &written));
    note_path(folder, path);
    firn_status status = file_write_text(path, written);
    mem_free(written);
    return status;
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
    if (strcmp(key, "isa") == 0) snprintf(note->isa, sizeof note->isa, "%.15s", value);
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

firn_status run_note_read(const char *folder, run_note *note, bool *found) {
    enum { LARGEST = 64 * 1024 };
    char path[PATH_ROOM], *data;
    size_t bytes;
    memset(note, 0, sizeof *note);
    note_path(folder, path);
    *found = file_exists(path);
    if (!*found) return FIRN_OK;
    TRY(file_read_whole(path, LARGEST, &data, &bytes));
    bool good = parse_note(data, note);
    mem_free(data);
    return good ? FIRN_OK : fail(FIRN_BAD_INPUT, "'%s' was not written by firn, or is damaged", path);
}
