// Parameters: copies for the panel, and scenes that hold only what differs.
#include "settings_list.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    settings *list;
    const firn_world *world;
    size_t next;
    bool failed;
} reading;

// The setting at `next` if it has that name, as it has when nothing was added or removed; otherwise any.
static setting *place_for(reading *r, const char *name) {
    settings *s = r->list;
    if (r->next < s->count && strcmp(s->item[r->next].name, name) == 0) return &s->item[r->next];
    setting *found = settings_find(s, name);
    if (found) return found;
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 256;
        setting *item = realloc(s->item, capacity * sizeof *item);
        if (!item) return NULL;
        s->item = item;
        s->capacity = capacity;
    }
    char *copy = strdup(name);
    if (!copy) return NULL;
    s->item[s->count] = (setting){.name = copy};
    return &s->item[s->count++];
}

static void read_one(void *context, const char *name, const firn_param_row *row) {
    reading *r = context;
    setting *s = place_for(r, name);
    if (!s) {
        r->failed = true;
        return;
    }
    r->next = (size_t)(s - r->list->item) + 1;
    s->row = row;
    if (firn_world_get_text(r->world, name, s->text, sizeof s->text) != FIRN_OK) s->text[0] = 0;
    bool number = row->type == FIRN_PARAM_REAL || row->type == FIRN_PARAM_INT || row->type == FIRN_PARAM_BOOL;
    s->number = 0;
    if (number && firn_world_get(r->world, name, &s->number) != FIRN_OK) s->number = 0;
}

bool settings_read(settings *s, const firn_world *world, bool base) {
    reading r = {.list = s, .world = world};
    size_t before = s->count;
    firn_world_params(world, read_one, &r);
    for (size_t i = base ? 0 : before; i < s->count; i++) {
        s->item[i].added = !base;
        memcpy(s->item[i].base, s->item[i].text, sizeof s->item[i].base);
    }
    s->version++;
    return !r.failed;
}

void settings_free(settings *s) {
    for (size_t i = 0; i < s->count; i++) free(s->item[i].name);
    free(s->item);
    *s = (settings){0};
}

bool settings_copy(settings *to, const settings *from) {
    settings_free(to);
    if (from->count == 0) {
        to->version = from->version;
        return true;
    }
    to->item = malloc(from->count * sizeof *to->item);
    if (!to->item) return false;
    to->capacity = from->count;
    to->version = from->version;
    for (; to->count < from->count; to->count++) {
        to->item[to->count] = from->item[to->count];
        to->item[to->count].name = strdup(from->item[to->count].name);
        if (!to->item[to->count].name) return false;
    }
    return true;
}

setting *settings_find(const settings *s, const char *name) {
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->item[i].name, name) == 0) return &s->item[i];
    return NULL;
}

bool setting_changed(const setting *s) { return strcmp(s->text, s->base) != 0; }

// ---- A scene of what differs.

// How many leading keys of two dotted names are the same, and how long they are in `a`.
static int shared_keys(const char *a, const char *b, size_t *length) {
    int keys = 0;
    *length = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '.') {
            keys++;
            *length = i + 1;
        }
    return keys;
}

const char *setting_yaml(const setting *s, const char *text, char out[SETTING_YAML]) {
    firn_param_type type = s->row->type;
    size_t length = strlen(text), at = 0;
    bool is_text = type == FIRN_PARAM_TEXT || type == FIRN_PARAM_FILE || type == FIRN_PARAM_COLOR;
    bool plain = strpbrk(text, ":#{}[],&*!|>'\"%@`\\") == NULL && !strchr(" -?", text[0]) && length > 0 &&
                 text[length - 1] != ' ';
    bool quoted = length > 1 && strchr("\"'", text[0]) && text[length - 1] == text[0];
    if (!is_text || plain || quoted || (type == FIRN_PARAM_COLOR && text[0] == '[')) return text;
    out[at++] = '"';
    for (const char *c = text; *c && at + 4 < SETTING_YAML; c++) {
        if (*c == '"' || *c == '\\') out[at++] = '\\';
        out[at++] = *c;
    }
    out[at++] = '"';
    out[at] = 0;
    return out;
}

static void write_setting(FILE *out, const setting *s, const char *before) {
    size_t at;
    int depth = shared_keys(s->name, before, &at);
    for (const char *key = s->name + at;;) {
        size_t length = strcspn(key, ".");
        fprintf(out, "%*s%.*s:", 2 * depth++, "", (int)length, key);
        if (!key[length]) break;
        fputc('\n', out);
        key += length + 1;
    }
    char yaml[SETTING_YAML];
    fprintf(out, " %s\n", setting_yaml(s, s->text, yaml));
}

static void write_base(FILE *out, const char *base, const char *file) {
    char whole[PATH_MAX], folder[PATH_MAX];
    if (!realpath(base, whole)) snprintf(whole, sizeof whole, "%s", base);
    const char *slash = strrchr(file, '/');
    char beside[PATH_MAX] = "";
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
    if (!realpath(folder[0] ? folder : "/", beside)) beside[0] = 0;
    const char *name = strrchr(whole, '/');
    bool same =
        name && strlen(beside) == (size_t)(name - whole) && strncmp(beside, whole, strlen(beside)) == 0;
    fprintf(out, "firn: 1\nfrom: %s\n", same ? name + 1 : whole);
}

static int by_name(const void *a, const void *b) {
    return strcmp((*(const setting *const *)a)->name, (*(const setting *const *)b)->name);
}

char *settings_scene(const settings *s, const char *base, const char *file, const char *more) {
    char *text = NULL;
    size_t bytes;
    const setting **changed = malloc((s->count + 1) * sizeof *changed);
    FILE *out = changed ? open_memstream(&text, &bytes) : NULL;
    size_t count = 0;
    for (size_t i = 0; i < s->count && out; i++)
        if (setting_changed(&s->item[i]) && !s->item[i].added) changed[count++] = &s->item[i];
    if (out) {
        qsort(changed, count, sizeof *changed, by_name);
        write_base(out, base, file);
        const char *before = "";
        for (size_t i = 0; i < count; i++) {
            if (strchr(changed[i]->name, '[')) {
                fprintf(out, "# %s: %s (an item of a list: change the list itself)\n", changed[i]->name,
                        changed[i]->text);
                continue;
            }
            write_setting(out, changed[i], before);
            before = changed[i]->name;
        }
        fputs(more, out);
        fclose(out);
    }
    free(changed);
    return text;
}
