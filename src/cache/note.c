// run.json: which scene a folder belongs to.
#include "cache/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "scene/yaml.h"

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

// The value of a key, as text; "" without.
static const char *value_of(const node *map, const char *key) {
    const node *n = node_child(map, key);
    return n && n->kind == NODE_SCALAR ? n->text : "";
}

static bool read_number(const node *map, const char *key, int base, uint64_t *out) {
    const char *value = value_of(map, key);
    char *end;
    *out = strtoull(value, &end, base);
    return value[0] && !*end;
}

// One flat JSON object with what run_note_write wrote; other keys are skipped.
static firn_status parse_note(const char *data, size_t bytes, run_note *note, bool *good) {
    arena memory = {0};
    const node *map;
    firn_status status = yaml_parse(data, bytes, &memory, &map);
    *good = status == FIRN_OK && map && map->kind == NODE_MAP &&
            read_number(map, "scene_hash", 16, &note->scene_hash) &&
            read_number(map, "frames", 10, &note->frames);
    if (*good) {
        snprintf(note->version, sizeof note->version, "%.31s", value_of(map, "firn"));
        snprintf(note->isa, sizeof note->isa, "%.63s", value_of(map, "isa"));
        if (node_child(map, "scene_checksum"))
            *good = read_number(map, "scene_checksum", 16, &note->scene_checksum);
    }
    arena_free(&memory);
    return status;
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
    bool good = strlen(data) == bytes && checksum_is_right(data, bytes);
    firn_status status = good ? parse_note(data, bytes, note, &good) : FIRN_OK;
    mem_free(data);
    if (status == FIRN_OK && good) return FIRN_OK;
    memset(note, 0, sizeof *note);
    TRY(status);
    return fail(FIRN_BAD_INPUT, "'%s' is damaged, or was not written by this version of firn",
                file_shown(folder, NOTE_FILE, path));
}
