// Loads a scene file, its includes and the overrides, and merges them into one tree.
#include "scene/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "scene/node_index.h"
#include "scene/shipped.h"

enum { FILE_LIMIT = 16 << 20, INCLUDE_DEPTH = 16, MOST_SOURCES = 256 };

void loader_start(loader *l) {
    *l = (loader){0};
    l->problems.memory = &l->memory;
}

void loader_end(loader *l) {
    problem_list_free(&l->problems);
    arena_free(&l->memory);
}

static firn_status no_memory(void) { return fail_memory("reading a scene", 0); }

static source *new_source(loader *l, const char *name) {
    source *s = arena_alloc(&l->memory, sizeof *s);
    if (!s) return NULL;
    s->name = arena_text(&l->memory, name, strlen(name));
    s->text = s->folder = "";
    s->order = l->sources++;
    return s->name ? s : NULL;
}

static firn_status set_text(loader *l, source *s, const char *content, size_t bytes) {
    if (bytes > FILE_LIMIT) return fail(FIRN_BAD_INPUT, "the scene is larger than %d MB", FILE_LIMIT >> 20);
    if (bytes >= 3 && memcmp(content, "\xef\xbb\xbf", 3) == 0) content += 3, bytes -= 3; // a byte order mark
    s->text = arena_text(&l->memory, content, bytes);
    s->bytes = bytes;
    return s->text ? FIRN_OK : no_memory();
}

static firn_status read_input(loader *l, source *s) {
    char *data;
    size_t bytes;
    lseek(STDIN_FILENO, 0, SEEK_SET); // a file is read from its beginning when it is asked for again
    TRY(file_read_descriptor(STDIN_FILENO, "standard input", FILE_LIMIT, &data, &bytes));
    firn_status status = set_text(l, s, data, bytes);
    mem_free(data);
    s->folder = ".";
    return status;
}

static firn_status read_text(loader *l, source *s) {
    char folder[PATH_ROOM], real[PATH_ROOM], *data;
    size_t bytes;
    TRY(file_read_whole(s->name, FILE_LIMIT, &data, &bytes));
    firn_status status = set_text(l, s, data, bytes);
    mem_free(data);
    TRY(status);
    path_folder(s->name, folder, sizeof folder);
    s->folder = arena_text(&l->memory, folder, strlen(folder));
    s->real = realpath(s->name, real) ? arena_text(&l->memory, real, strlen(real)) : s->name;
    return s->folder && s->real ? FIRN_OK : no_memory();
}

static firn_status load_source(loader *l, source *s, const node **root);

// An include that leads back to a file above it.
static bool find_cycle(loader *l, const source *s, place at) {
    const source *above = s->included.source;
    while (above && !text_equal(above->real, s->real)) above = above->included.source;
    if (!above) return false;
    text chain = {0};
    text_add(&chain, "%s", s->name);
    for (const source *c = s->included.source; c; c = c == above ? NULL : c->included.source) {
        text longer = {0};
        text_add(&longer, "%s -> %s", c->name, chain.data ? chain.data : "");
        text_free(&chain);
        chain = longer;
    }
    problem_addf(&l->problems, at, NULL, "this file includes itself: %s", chain.data ? chain.data : s->name);
    text_free(&chain);
    return true;
}

static uint32_t include_depth(const source *s) {
    uint32_t depth = 0;
    for (; s->included.source; s = s->included.source) depth++;
    return depth;
}

static void say_missing(loader *l, const node *name) {
    char nearest[PATH_ROOM];
    shipped_nearest(name->text, nearest, sizeof nearest);
    problem_addf(&l->problems, name->at,
                 nearest[0] ? NULL
                            : "names are relative to the file that contains them; base/NAME comes with firn",
                 nearest[0] ? "there is no file '%s', did you mean '%s'?" : "there is no file '%s'",
                 name->text, nearest);
}

// NULL with FIRN_OK: the file is left out, and a problem says why.
static firn_status load_include(loader *l, const source *from, const node *name, const node **root) {
    char path[PATH_ROOM];
    *root = NULL;
    if (name->kind != NODE_SCALAR || !name->text[0]) {
        problem_addf(&l->problems, name->at, NULL,
                     "from is the name of a scene file or a list of names, not %s", node_kind_name(name));
        return FIRN_OK;
    }
    path_join(from->folder, name->text, path, sizeof path);
    if (access(path, F_OK) != 0 && !shipped_find(name->text, path, sizeof path)) {
        say_missing(l, name);
        return FIRN_OK;
    }
    source *s = new_source(l, path);
    if (!s) return no_memory();
    s->included = name->at;
    if (include_depth(s) > INCLUDE_DEPTH || l->sources > MOST_SOURCES) {
        problem_addf(&l->problems, name->at, NULL, "more than %d %s",
                     s->order >= MOST_SOURCES ? MOST_SOURCES : INCLUDE_DEPTH,
                     s->order >= MOST_SOURCES ? "included files" : "levels of included files");
        return FIRN_OK;
    }
    firn_status status = read_text(l, s);
    if (status == FIRN_NO_MEMORY) return status;
    if (status != FIRN_OK) {
        problem_addf(&l->problems, name->at, "names are relative to the file that contains them", "%s",
                     firn_last_error());
        return FIRN_OK;
    }
    if (find_cycle(l, s, name->at)) return FIRN_OK;
    size_t kept = l->problems.count, found = l->problems.found;
    TRY(load_source(l, s, root));
    if (text_ends(path, ".yaml") || text_ends(path, ".yml") || (*root && node_child(*root, "firn")))
        return FIRN_OK;
    // Not a scene: its lines are not shown, since they may be confidential.
    l->problems.count = kept;
    l->problems.found = found;
    *root = NULL;
    problem_addf(&l->problems, name->at, "scene files end in .yaml", "'%s' is not a scene", path);
    return FIRN_OK;
}

static firn_status merge_include(loader *l, const source *from, const node *name, const node **base) {
    const node *included;
    TRY(load_include(l, from, name, &included));
    if (!included) {
        l->incomplete = true;
        return FIRN_OK;
    }
    *base = *base ? node_merge(*base, included, &l->memory) : included;
    return *base ? FIRN_OK : no_memory();
}

// What `from:` names, merged in order, with the scene's own keys on top.
static firn_status add_includes(loader *l, source *s, const node **root) {
    const node *from = node_child(*root, "from"), *base = NULL;
    if (!from) return FIRN_OK;
    if (from->kind == NODE_LIST)
        for (const node *name = from->first; name; name = name->next) TRY(merge_include(l, s, name, &base));
    else
        TRY(merge_include(l, s, from, &base));
    const node *own = node_without(*root, "from", &l->memory);
    *root = own && base ? node_merge(base, own, &l->memory) : own;
    return *root ? FIRN_OK : no_memory();
}

static firn_status load_source(loader *l, source *s, const node **root) {
    *root = yaml_read(s, &l->memory, &l->problems);
    if (l->problems.no_memory) return no_memory();
    if (!*root) {
        l->incomplete = true;
        return FIRN_OK;
    }
    place start = {s, 1, 1, 1};
    if ((*root)->kind != NODE_MAP) {
        bool empty = node_is_empty(*root);
        problem_addf(&l->problems, empty ? start : (*root)->at, "`firn new` writes one to start from",
                     empty ? "the scene is empty" : "a scene is made of `key: value` lines, not of %s",
                     node_kind_name(*root));
        *root = NULL;
        l->incomplete = true;
        return FIRN_OK;
    }
    TRY(add_includes(l, s, root));
    s->layer = ++l->layers; // after those of its includes, which it wins over
    return FIRN_OK;
}

// "a.b.c" and a value become {a: {b: {c: value}}}.
static const node *nest(loader *l, const source *s, char *path, const node *value) {
    char *dot = strchr(path, '.');
    if (dot) {
        *dot = 0;
        value = nest(l, s, dot + 1, value);
    }
    node *map = arena_alloc(&l->memory, sizeof *map), *key = arena_alloc(&l->memory, sizeof *key);
    node *entry = arena_alloc(&l->memory, sizeof *entry);
    if (!value || !map || !key || !entry) return NULL;
    place at = {s, 1, 1, 1};
    *key = (node){.kind = NODE_SCALAR, .at = at, .text = path, .weight = 1};
    *entry = *value;
    entry->key = key;
    entry->next = NULL;
    *map = (node){.kind = NODE_MAP, .at = at, .weight = 1};
    node_builder b = {.parent = map};
    node_builder_add(&b, entry);
    return map;
}

enum { LONGEST_PATH = 500, MOST_DOTS = 60 };

static bool path_good(const char *path, size_t length) {
    size_t dots = 0;
    for (size_t i = 0; i < length; i++) {
        if (path[i] != '.') continue;
        dots++;
        if (i == 0 || path[i - 1] == '.' || i + 1 == length) return false;
    }
    return length > 0 && length <= LONGEST_PATH && dots <= MOST_DOTS;
}

static firn_status add_override(loader *l, const char *written, const char *folder, const node **root) {
    char name[LONGEST_PATH + 100];
    snprintf(name, sizeof name, "--set %.*s", LONGEST_PATH + 80, written);
    source *s = new_source(l, name);
    if (!s) return no_memory();
    s->override = true;
    s->folder = folder;
    place at = {s, 1, 1, 1};
    const char *equals = strchr(written, '=');
    size_t length = equals ? (size_t)(equals - written) : 0;
    if (!equals || !path_good(written, length)) {
        problem_add(&l->problems, at, "an override is written name=value", "such as bodies.ball.at=[0,5,0]");
        return FIRN_OK;
    }
    if (strncmp(written, "from=", 5) == 0) {
        problem_add(&l->problems, at, "'from' is only allowed in a scene file", NULL);
        return FIRN_OK;
    }
    TRY(set_text(l, s, equals + 1, strlen(equals + 1)));
    char *path = arena_text(&l->memory, written, length);
    if (!path) return no_memory();
    const node *value = yaml_read(s, &l->memory, &l->problems);
    if (!value) return l->problems.no_memory ? no_memory() : FIRN_OK;
    s->layer = ++l->layers;
    const node *tree = nest(l, s, path, value);
    *root = tree ? node_merge(*root, tree, &l->memory) : NULL;
    return *root ? FIRN_OK : no_memory();
}

static firn_status load(loader *l, source *s, firn_overrides overrides, const node **root) {
    TRY(load_source(l, s, root));
    for (size_t i = 0; *root && i < overrides.count; i++)
        TRY(add_override(l, overrides.items[i], s->folder, root));
    return l->problems.no_memory ? no_memory() : FIRN_OK;
}

firn_status load_file(loader *l, const char *path, firn_overrides overrides, const node **root) {
    *root = NULL;
    bool input = text_equal(path, "-");
    source *s = new_source(l, input ? "<stdin>" : path);
    if (!s) return no_memory();
    TRY(input ? read_input(l, s) : read_text(l, s));
    return load(l, s, overrides, root);
}

firn_status load_text(loader *l, const char *content, size_t bytes, const char *name,
                      firn_overrides overrides, const node **root) {
    *root = NULL;
    source *s = new_source(l, name);
    if (!s) return no_memory();
    s->folder = ".";
    TRY(set_text(l, s, content, bytes));
    return load(l, s, overrides, root);
}
