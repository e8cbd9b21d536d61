// Reads one value of a parameter table from the YAML tree.
#include "scene/read_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/param_range.h"

static void report_fault(reader *r, place at, param_fault *fault) {
    r->problems->no_memory |= fault->why.failed || fault->hint.failed;
    if (fault->why.data) problem_add(r->problems, at, fault->why.data, fault->hint.data);
    param_fault_free(fault);
}

// "a length such as 5 cm"
static void describe(text *t, const param_row *row) {
    switch (row->type) {
    case PARAM_BOOL: text_add(t, "true or false"); break;
    case PARAM_INT: text_add(t, "a whole number"); break;
    case PARAM_REAL: {
        const char *name = dimension_name(row->unit);
        text_add(t, "%s %s", strchr("aeiou", name[0]) ? "an" : "a", name);
        break;
    }
    case PARAM_VEC3: text_add(t, "three numbers [x, y, z]"); break;
    case PARAM_COLOR: text_add(t, "a colour"); break;
    case PARAM_FILE: text_add(t, "the name of a file"); break;
    case PARAM_CHOICE: text_add(t, "one of: "), param_words_add(t, row->choices); break;
    case PARAM_WORD: text_add(t, "one of: "), param_words_add(t, row->words()); break;
    default: text_add(t, "a text"); break;
    }
    if (row->fallback && row->type != PARAM_TEXT) text_add(t, ", such as %s", row->fallback);
}

static void wrong_kind(reader *r, const param_row *row, const node *n) {
    text what = {0};
    describe(&what, row);
    if (node_is_empty(n)) {
        bool color = row->type == PARAM_COLOR;
        problem_addf(r->problems, n->at,
                     color ? "a # begins a comment; write \"#rrggbb\" in quotes" : what.data,
                     "%s has no value", path_of(r));
    } else {
        problem_addf(r->problems, n->at, NULL, "%s must be %s, not %s", path_of(r),
                     what.data ? what.data : "", node_kind_name(n));
    }
    r->problems->no_memory |= what.failed;
    text_free(&what);
}

static void read_vector(reader *r, const param_row *row, const node *list, char *at) {
    double v[3] = {0};
    if (list->count != 3) {
        problem_addf(r->problems, list->at, NULL, "%s must be three numbers %s; %zu %s given", path_of(r),
                     row->type == PARAM_COLOR ? "[r, g, b]" : "[x, y, z]", list->count,
                     list->count == 1 ? "is" : "are");
        return;
    }
    const node *item = list->first;
    for (int i = 0; i < 3; i++, item = item->next) {
        param_fault fault = {0};
        if (item->kind != NODE_SCALAR || node_is_empty(item))
            problem_addf(r->problems, item->at, NULL, "%s must be three numbers, not %s", path_of(r),
                         node_kind_name(item));
        else if (!param_read_component(row, path_of(r), item->text, &v[i], &fault))
            report_fault(r, item->at, &fault);
    }
    firn_vec3 result = {v[0], v[1], v[2]};
    memcpy(at, &result, sizeof result);
}

// A file of a similar name in the same folder.
static void nearest_file(const char *path, text *hint) {
    char folder[PATH_ROOM];
    file_names names;
    path_folder(path, folder, sizeof folder);
    const char *slash = strrchr(path, '/');
    if (file_list(folder, "", &names) != FIRN_OK) return;
    const char *nearest =
        word_nearest(slash ? slash + 1 : path, (const char *const *)names.items, names.count);
    if (nearest)
        text_add(hint, "did you mean '%s'?", nearest);
    else
        text_add(hint, "names are relative to the folder of the file that contains them");
    file_names_free(&names);
}

// The last frame of a run.
static bool last_frame(const char *folder, char path[PATH_ROOM]) {
    char frames[PATH_ROOM];
    file_names names;
    path_join(folder, "frames", frames, sizeof frames);
    if (!folder_exists(frames) || file_list(frames, ".h5", &names) != FIRN_OK) return false;
    if (names.count > 0) path_join(frames, names.items[names.count - 1], path, PATH_ROOM);
    bool found = names.count > 0;
    file_names_free(&names);
    return found;
}

// Files are checked here and made absolute, so that a run can be repeated from anywhere.
static void read_file_name(reader *r, const param_row *row, const node *n, char *at) {
    char path[PATH_ROOM], real[PATH_ROOM];
    path_join(n->at.source->folder, n->text, path, sizeof path);
    if (row->run && folder_exists(path) && !last_frame(path, path)) {
        problem_addf(r->problems, n->at, "a run is a folder that `firn run` has written",
                     "%s: there are no frames of a run in '%.200s'", path_of(r), n->text);
        return;
    }
    bool there = file_exists(path);
    if (!there || access(path, R_OK) != 0 || !realpath(path, real)) {
        text hint = {0};
        const char *odd = file_odd_kind(path);
        if (!there && !odd) nearest_file(path, &hint);
        if (odd)
            problem_addf(r->problems, n->at, hint.data, "%s: '%.200s' is a %s, not a file", path_of(r),
                         n->text, odd);
        else
            problem_addf(r->problems, n->at, hint.data, "%s: %s '%.200s'", path_of(r),
                         there      ? "cannot read"
                         : row->run ? "there is no run"
                                    : "there is no file",
                         n->text);
        text_free(&hint);
        return;
    }
    char *copy = arena_text(r->memory, real, strlen(real));
    if (!copy) r->problems->no_memory = true;
    memcpy(at, &copy, sizeof copy);
}

// Names of the scene's own items are words too, where the row says so.
static bool read_word(reader *r, const param_row *row, const char *written, char *at, param_fault *fault) {
    const node *map = row->items && r->root ? node_child(r->root, row->items) : NULL;
    size_t count = map && map->kind == NODE_MAP ? map->count : 0, n = 0;
    const char **own = arena_alloc(r->memory, (count + 1) * sizeof *own), *known;
    if (!own) return r->problems->no_memory = true, true;
    for (const node *child = count ? map->first : NULL; child; child = child->next)
        own[n++] = child->key->text;
    own[n] = NULL;
    if (!param_read_word(row, path_of(r), written, own, &known, fault)) return false;
    known = arena_text(r->memory, known, strlen(known));
    if (!known) r->problems->no_memory = true;
    memcpy(at, &known, sizeof known);
    return true;
}

static void read_scalar(reader *r, const param_row *row, const node *n, char *at) {
    const char *written = n->text;
    if (row->type == PARAM_TEXT) {
        written = arena_text(r->memory, n->text, strlen(n->text));
        if (!written) r->problems->no_memory = true;
    }
    param_fault fault = {0};
    bool good = !written || (row->type == PARAM_WORD ? read_word(r, row, written, at, &fault)
                                                     : param_read(row, path_of(r), written, at, &fault));
    if (!good) report_fault(r, n->at, &fault);
}

void read_value(reader *r, const param_row *row, const node *n, char *at) {
    bool vector = row->type == PARAM_VEC3 || row->type == PARAM_COLOR;
    if (vector && n->kind == NODE_LIST)
        read_vector(r, row, n, at);
    else if (n->kind != NODE_SCALAR || node_is_empty(n))
        wrong_kind(r, row, n);
    else if (row->type == PARAM_FILE)
        read_file_name(r, row, n, at);
    else
        read_scalar(r, row, n, at);
}

void report_missing(reader *r, const param_row *row, place where) {
    text hint = {0};
    if (row->min == row->max && row->min != 0)
        text_add(&hint, "add `%s: %g`", row->name, row->min);
    else
        text_add(&hint, "%s", row->help);
    if (path_of(r)[0])
        problem_addf(r->problems, where, hint.data, "%s needs the key '%s'", path_of(r), row->name);
    else
        problem_addf(r->problems, where, hint.data, "the scene needs the key '%s'", row->name);
    text_free(&hint);
}

typedef struct check_report {
    param_report report; // first: a check hands back its address
    reader *r;
    const node *map;
    place where;
} check_report;

// What a dotted key names, or the deepest part of it that is there; NULL: none.
static const node *node_below(const node *map, const char *key) {
    char word[160];
    size_t length = strcspn(key, ".");
    if (length >= sizeof word) return NULL;
    memcpy(word, key, length);
    word[length] = 0;
    const node *child = map->kind == NODE_MAP ? node_child(map, word) : NULL, *deeper = NULL;
    if (child && key[length]) deeper = node_below(child, key + length + 1);
    return deeper ? deeper : child;
}

static void add_found(param_report *report, const char *key, const char *message) {
    check_report *c = (check_report *)report;
    const node *child = key[0] && c->map->kind == NODE_MAP ? node_below(c->map, key) : NULL;
    size_t before = key[0] && c->map->kind == NODE_MAP ? path_push(c->r, key) : c->r->path.length;
    if (path_of(c->r)[0])
        problem_addf(c->r->problems, child ? child->at : c->where, NULL, "%s: %s", path_of(c->r), message);
    else
        problem_add(c->r->problems, c->where, message, NULL);
    path_pop(c->r, before);
}

void run_check(reader *r, const param_table *table, const node *map, place where, const char *item) {
    check_report report = {{add_found}, r, map, where};
    if (table->check) table->check(item, &report.report);
}
