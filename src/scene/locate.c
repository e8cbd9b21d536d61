// Finds the place in the scene files that a message is about.
#include "scene/locate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const node *child_of(const node *n, const char *word, size_t length) {
    if (n->kind != NODE_MAP) return NULL;
    for (const node *child = n->first; child; child = child->next)
        if (strlen(child->key->text) == length && memcmp(child->key->text, word, length) == 0) return child;
    return NULL;
}

const node *locate_name(const scene *s, const char *name) {
    const node *at = s->root;
    while (*name) {
        size_t length = strcspn(name, ".");
        const node *child = child_of(at, name, length);
        if (!child) break;
        at = child;
        name += length + (name[length] == '.');
    }
    return at;
}

static place place_of(const scene *s, const node *n) {
    if (n == s->root) return (place){n->at.source, 1, 1, 1};
    return n->key ? n->key->at : n->at;
}

place locate_place(const scene *s, const char *name) { return place_of(s, locate_name(s, name)); }

// The name of a file has a dot and is not a number.
static bool names_file(const node *n, const char *message) {
    if (n->kind != NODE_SCALAR || !n->text) return false;
    const char *slash = strrchr(n->text, '/'), *base = slash ? slash + 1 : n->text;
    return strlen(base) > 2 && strchr(base, '.') && strspn(base, "0123456789.+-eE") < strlen(base) &&
           strstr(message, base) != NULL;
}

static const node *find_file(const node *n, const char *message) {
    if (names_file(n, message)) return n;
    const node *found = NULL;
    for (const node *child = n->first; child && !found; child = child->next)
        found = find_file(child, message);
    return found;
}

// The one entry `file:` below; NULL if there are none or several.
static const node *only_file(const node *n, size_t *count) {
    const node *found = NULL;
    for (const node *child = n->first; child; child = child->next) {
        bool file = child->key && strcmp(child->key->text, "file") == 0;
        const node *below = file ? child : only_file(child, count);
        if (file) ++*count;
        if (below) found = below;
    }
    return *count == 1 ? found : NULL;
}

place locate_message(const scene *s, const char *message) {
    enum { LONGEST = 300 };
    static const char quoted[] = "shape of '";
    char name[LONGEST];
    bool in_quotes = strncmp(message, quoted, sizeof quoted - 1) == 0;
    const char *from = in_quotes ? message + sizeof quoted - 1 : message;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(from, in_quotes ? "'" : ": "), from);
    const node *about = locate_name(s, name), *file = find_file(about, message);
    size_t files = 0;
    if (!file && in_quotes) file = only_file(about, &files);
    return file ? file->at : place_of(s, about);
}

typedef struct written_file {
    const char *at; // in the message
    size_t length;  // of the absolute name
    const char *name;
} written_file;

// The longest absolute name counts: a folder that the scene also names may hold the file.
static void find_written(const node *n, const char *message, written_file *found) {
    for (const node *child = n->first; child; child = child->next) find_written(child, message, found);
    char path[PATH_ROOM], real[PATH_ROOM];
    if (n->kind != NODE_SCALAR || !n->text || !n->text[0] || !n->at.source->folder) return;
    path_join(n->at.source->folder, n->text, path, sizeof path);
    if (!realpath(path, real)) return;
    size_t length = strlen(real);
    if (length <= found->length) return;
    for (const char *at = message; (at = strstr(at, real)); at++) {
        bool starts = at == message || at[-1] == '\'' || at[-1] == ' ';
        if (starts && at[length] && strchr("'/:", at[length])) *found = (written_file){at, length, n->text};
    }
}

void locate_as_written(const scene *s, const char *message, text *out) {
    written_file file = {0};
    find_written(s->root, message, &file);
    if (file.at)
        text_add(out, "%.*s%s%s", (int)(file.at - message), message, file.name, file.at + file.length);
    else
        text_add(out, "%s", message);
}
