// Reads a YAML tree into a struct, guided by a parameter table.
#include "scene/read_value.h"

#include <string.h>

static void read_row(reader *r, const param_row *row, const node *n, char *at);
static void read_table(reader *r, const param_table *table, const node *map, place where, char *item);

size_t path_push(reader *r, const char *word) {
    size_t before = r->path.length;
    text_add(&r->path, before ? ".%s" : "%s", word);
    return before;
}

void path_pop(reader *r, size_t before) {
    r->path.length = before;
    if (r->path.data) r->path.data[before] = 0;
}

const char *path_of(const reader *r) { return r->path.data ? r->path.data : ""; }

static place key_place(const node *n) { return n->key ? n->key->at : n->at; }

static void *take_memory(reader *r, size_t bytes) {
    void *memory = arena_alloc(r->memory, bytes ? bytes : 1);
    if (!memory) r->problems->no_memory = true;
    return memory;
}

// "such as {radius: 50 cm}": the first value of a table that has a default.
static void add_example(text *t, const param_table *table) {
    const param_row *row = table->rows;
    while (row->name && (!row->fallback || row->type == PARAM_MERGE)) row++;
    if (row->name)
        text_add(t, "such as {%s: %s}", row->name, row->fallback);
    else
        text_add(t, "%s", table->help);
}

// A map, or nothing: `bodies:` with everything below it commented out.
static bool expect_map(reader *r, const node *n, const param_table *table) {
    if (n->kind == NODE_MAP || node_is_empty(n)) return true;
    text hint = {0};
    add_example(&hint, table);
    problem_addf(r->problems, n->at, hint.data, "%s must be a map of `key: value`, not %s", path_of(r),
                 node_kind_name(n));
    r->problems->no_memory |= hint.failed;
    text_free(&hint);
    return false;
}

static size_t row_names(const param_table *table, const char **names, size_t room) {
    size_t n = 0;
    for (const param_row *row = table->rows; row->name && n < room; row++) {
        if (row->type == PARAM_MERGE)
            n += row_names(row->table, names + n, room - n);
        else
            names[n++] = row->name;
    }
    return n;
}

enum { MOST_KEYS = 100, MOST_PROBLEMS = 1000 };

// Reading ends after too many errors.
static bool enough(const reader *r) { return r->problems->found >= MOST_PROBLEMS || r->problems->no_memory; }

// A key that belongs one level further in, in a variant: "it belongs in shape: {sphere: {radius: ...}}".
static bool add_home(text *hint, const param_table *table, const node *map, const char *key,
                     bool near_enough) {
    for (const param_row *row = table->rows; row->name; row++) {
        const node *written = row->type == PARAM_VARIANT ? node_child(map, row->name) : NULL;
        if (!written || written->kind == NODE_LIST) continue;
        const char *word = written->kind == NODE_SCALAR ? written->text
                           : written->first             ? written->first->key->text
                                                        : "";
        const param_variant *variant = param_variant_find(row, word);
        if (!variant || !variant->table) continue;
        const char *names[MOST_KEYS];
        size_t count = row_names(variant->table, names, MOST_KEYS);
        const char *meant = near_enough ? word_nearest(key, names, count) : key;
        if (!meant || !param_row_find(variant->table, NULL, meant, NULL)) continue;
        text_add(hint, "it belongs in %s: {%s: {%s: ...}}", row->name, variant->name, meant);
        return true;
    }
    return false;
}

// What was probably meant by a key that the table does not have.
static void add_meant(text *hint, const param_table *table, const node *map, const char *key) {
    const char *names[MOST_KEYS + 1];
    size_t count = row_names(table, names, MOST_KEYS);
    names[count] = NULL;
    if (strcmp(key, "<<") == 0)
        text_add(hint, "maps are not merged this way; include another file with `from:`");
    else if (strcmp(key, "from") == 0)
        text_add(hint, "`from:` is only allowed at the top level of a file");
    else if (strchr(key, ':'))
        text_add(hint, "a space is missing after the ':'");
    else if (!add_home(hint, table, map, key, false) &&
             (word_nearest(key, names, count) || !add_home(hint, table, map, key, true)))
        param_nearest_add(hint, key, names);
}

// A key of older scenes is reported with its present name. false: it is none.
static bool renamed_key(reader *r, const param_table *table, const node *key) {
    const param_row *row = param_row_renamed(table, key->text);
    if (!row) return false;
    if (row->type != PARAM_MERGE) {
        problem_addf(r->problems, key->at, NULL, "'%s' is now called '%s'", key->text, row->name);
        return true;
    }
    text words = {0};
    for (const param_row *inside = row->table->rows; inside->name; inside++)
        text_add(&words,
                 inside == row->table->rows ? "'%s'"
                 : inside[1].name           ? ", '%s'"
                                            : " and '%s'",
                 inside->name);
    problem_addf(r->problems, key->at, NULL, "'%s' is now written inline: put %s directly into %s", key->text,
                 words.data ? words.data : "", path_of(r));
    r->problems->no_memory |= words.failed;
    text_free(&words);
    return true;
}

static void unknown_key(reader *r, const param_table *table, const node *map, const node *key) {
    text hint = {0};
    add_meant(&hint, table, map, key->text);
    if (path_of(r)[0])
        problem_addf(r->problems, key->at, hint.data, "unknown key '%.60s' in %s", key->text, path_of(r));
    else
        problem_addf(r->problems, key->at, hint.data, "unknown key '%.60s'", key->text);
    r->problems->no_memory |= hint.failed;
    text_free(&hint);
}

static void read_optional(reader *r, const param_row *row, const node *n, char *at) {
    char *item = take_memory(r, row->table->size);
    if (!item || !expect_map(r, n, row->table)) return;
    param_defaults(row->table, item);
    read_table(r, row->table, n, key_place(n), item);
    memcpy(at, &item, sizeof item);
}

typedef struct item_array {
    char *items;
    size_t count;
} item_array;

static bool start_array(reader *r, const param_row *row, const node *n, item_array *array) {
    size_t count = node_is_empty(n) ? 0 : n->count;
    *array = (item_array){take_memory(r, count * row->table->size), count};
    if (!array->items) return false;
    if (count) param_defaults(row->table, array->items);
    for (size_t i = 1; i < count; i++)
        memcpy(array->items + i * row->table->size, array->items, row->table->size);
    return true;
}

static void read_list(reader *r, const param_row *row, const node *n, char *at) {
    item_array array;
    if (n->kind != NODE_LIST && !node_is_empty(n)) {
        problem_addf(r->problems, n->at, row->help, "%s must be a list, not %s", path_of(r),
                     node_kind_name(n));
        return;
    }
    if (!start_array(r, row, n, &array)) return;
    const node *child = n->first;
    for (size_t i = 0; i < array.count && !enough(r); i++, child = child->next) {
        size_t before = r->path.length;
        text_add(&r->path, "[%zu]", i + 1);
        if (expect_map(r, child, row->table))
            read_table(r, row->table, child, child->at, array.items + i * row->table->size);
        path_pop(r, before);
    }
    memcpy(at, &array, sizeof array);
}

// Items are defined in files; an override of an unknown item is a mistake. Items that only change the
// appearance (cameras, views) may be added by overrides if the files have none.
static bool item_known(reader *r, const param_row *row, const node *map, const node *child) {
    if (!child->key->at.source->override) return true;
    const char *names[MOST_KEYS + 1];
    size_t n = 0;
    for (const node *other = map->first; other && n < MOST_KEYS; other = other->next)
        if (!other->key->at.source->override) names[n++] = other->key->text;
    names[n] = NULL;
    if (n == 0 && row->unhashed) return true;
    text hint = {0};
    param_nearest_add(&hint, child->key->text, names);
    problem_addf(r->problems, child->key->at, hint.data, "there is no '%.60s' in %s", child->key->text,
                 path_of(r));
    r->problems->no_memory |= hint.failed;
    text_free(&hint);
    return false;
}

static void read_item(reader *r, const param_table *table, const node *n, char *item) {
    if (!param_name_allowed(n->key->text))
        problem_addf(r->problems, n->key->at, "letters, digits, '_' and '-' (not first), at most 63",
                     "'%.80s' is not a valid name in %s", n->key->text, path_of(r));
    char *name = arena_text(r->memory, n->key->text, strlen(n->key->text));
    if (!name) r->problems->no_memory = true;
    memcpy(item, &name, sizeof name);
    size_t before = path_push(r, n->key->text);
    if (expect_map(r, n, table)) read_table(r, table, n, n->key->at, item);
    path_pop(r, before);
}

static void read_map(reader *r, const param_row *row, const node *n, char *at) {
    item_array array;
    if (n->kind != NODE_MAP && !node_is_empty(n)) {
        problem_addf(r->problems, n->at, "write `NAME: {...}` for each",
                     "%s must be a map of named items, not %s", path_of(r), node_kind_name(n));
        return;
    }
    if (!start_array(r, row, n, &array)) return;
    const node *child = n->first;
    for (size_t i = 0; i < array.count && !enough(r); i++, child = child->next)
        if (item_known(r, row, n, child)) read_item(r, row->table, child, array.items + i * row->table->size);
    memcpy(at, &array, sizeof array);
}

static void unknown_variant(reader *r, const param_row *row, const char *word, place where) {
    const char *names[MOST_KEYS + 1] = {0};
    for (size_t i = 0; i < MOST_KEYS && row->variants[i].name; i++) names[i] = row->variants[i].name;
    text why = {0}, hint = {0};
    text_add(&why, "%s: invalid value '%.60s'; allowed: ", path_of(r), word);
    param_words_add(&why, names);
    size_t count = 0;
    while (names[count]) count++;
    const char *nearest = word_nearest(word, names, count), *now = NULL;
    for (const char *const *old = row->renamed; old && *old; old += 2)
        if (strcmp(*old, word) == 0) now = old[1];
    if (now)
        text_add(&hint, "'%s' is now called '%s'", word, now);
    else if (nearest)
        text_add(&hint, "did you mean '%s'?", nearest);
    if (why.data) problem_add(r->problems, where, why.data, hint.data);
    r->problems->no_memory |= why.failed || hint.failed;
    text_free(&why);
    text_free(&hint);
}

// The entry that selects the variant: if both a base scene and a later file select one, the latest.
static const node *variant_entry(reader *r, const node *map) {
    const node *latest = map->first;
    if (!latest) {
        problem_addf(r->problems, map->at, NULL, "%s is empty", path_of(r));
        return NULL;
    }
    for (const node *child = map->first; child; child = child->next)
        if (child->at.source->layer > latest->at.source->layer) latest = child;
    for (const node *child = map->first; child; child = child->next) {
        if (child == latest || child->at.source->layer != latest->at.source->layer) continue;
        problem_addf(r->problems, child->key->at, "write it as {word: {parameters}}",
                     "%s takes one of these, not both: '%.60s' or '%.60s'", path_of(r), latest->key->text,
                     child->key->text);
        return NULL;
    }
    return latest;
}

static void read_variant_parameters(reader *r, const param_variant *variant, const node *n, char *at) {
    if (!variant->table) {
        if (node_is_empty(n) || (n->kind == NODE_MAP && !n->count)) return;
        problem_addf(r->problems, n->at, NULL, "%s has no parameters", path_of(r));
    } else if (variant->list && n->kind == NODE_LIST) {
        const param_row *row = variant->table->rows;
        size_t before = r->problems->found;
        read_list(r, row, n, at + row->offset);
        if (before == r->problems->found) run_check(r, variant->table, n, key_place(n), at);
    } else if (expect_map(r, n, variant->table)) {
        read_table(r, variant->table, n, key_place(n), at);
    }
}

static void read_variant(reader *r, const param_row *row, const node *n, char *at) {
    const node *entry = n->kind == NODE_MAP ? variant_entry(r, n) : n;
    if (!entry) return;
    if (node_is_empty(n)) {
        problem_addf(r->problems, n->at, row->help, "%s has no value", path_of(r));
        return;
    }
    const param_variant *variant = NULL;
    if (n->kind == NODE_LIST) {
        for (variant = row->variants; variant->name && !variant->list;) variant++;
        if (!variant->name) {
            problem_addf(r->problems, n->at, row->help,
                         "%s must be a word or {word: {parameters}}, not a list", path_of(r));
            return;
        }
    } else {
        const node *word = n->kind == NODE_MAP ? entry->key : n;
        variant = param_variant_find(row, word->text);
        if (!variant) {
            unknown_variant(r, row, word->text, word->at);
            return;
        }
    }
    static const node nothing = {.kind = NODE_SCALAR, .plain = true, .text = ""};
    node none = nothing;
    none.at = n->at;
    param_variant_set(row, variant, at);
    size_t before = n->kind == NODE_LIST ? r->path.length : path_push(r, variant->name);
    read_variant_parameters(r, variant, n->kind == NODE_SCALAR ? &none : entry, at);
    path_pop(r, before);
}

// [{time: 0, value: 2 m/s}, {time: 10 s, value: 15 m/s}]
static bool is_keyframes(const param_row *row, const node *n) {
    bool value = row->type == PARAM_REAL || row->type == PARAM_VEC3 || row->type == PARAM_BOOL ||
                 row->type == PARAM_INT || row->type == PARAM_CHOICE;
    return value && n->kind == NODE_LIST && n->first && n->first->kind == NODE_MAP;
}

static bool read_keys(reader *r, const param_row *row, const node *n, firn_key_value *keys) {
    param_row value = *row;
    value.name = "value";
    value.offset = offsetof(firn_key_value, value);
    value.required = true;
    if (text_equal(value.fallback, "auto")) value.fallback = NULL; // there is no way from it to a number
    const param_row rows[] = {{.name = "time",
                               .type = PARAM_REAL,
                               .offset = offsetof(firn_key_value, time),
                               .unit = DIM_TIME,
                               .max = 1e9,
                               .required = true,
                               .help = "time of the keyframe"},
                              value,
                              {0}};
    const param_table table = {
        .name = "keyframe", .help = "{time: 0, value: ...}", .rows = rows, .size = sizeof *keys};
    size_t problems = r->problems->found, i = 0;
    for (const node *child = n->first; child && !enough(r); child = child->next, i++) {
        size_t before = r->path.length;
        text_add(&r->path, "[%zu]", i + 1);
        if (expect_map(r, child, &table)) read_table(r, &table, child, child->at, (char *)&keys[i]);
        keys[i].value = param_get_number(row, &keys[i].value);
        if (problems == r->problems->found && i > 0 && !(keys[i].time > keys[i - 1].time))
            problem_addf(r->problems, child->at, NULL, "%s must be later than the keyframe before it",
                         path_of(r));
        path_pop(r, before);
    }
    return problems == r->problems->found;
}

static void read_keyframes(reader *r, const param_row *row, const node *n, char *at) {
    if (!row->live) {
        problem_addf(r->problems, n->at, "`firn explain` says which parameters may",
                     "%s cannot change while the world runs", path_of(r));
        return;
    }
    firn_key_value *keys = take_memory(r, n->count * sizeof *keys);
    char *name = arena_text(r->memory, path_of(r), r->path.length);
    if (!keys || !name ||
        !array_reserve(&r->tracks, &r->track_capacity, r->track_count + 1, sizeof *r->tracks)) {
        r->problems->no_memory = true;
        return;
    }
    if (!read_keys(r, row, n, keys)) return;
    param_set_number(row, at, keys[0].value);
    firn_track_def track = firn_track_def_default();
    track.parameter = name;
    track.keys.items = keys;
    track.keys.count = n->count;
    r->tracks[r->track_count++] = (read_track){at, track};
}

static void read_row(reader *r, const param_row *row, const node *n, char *at) {
    if (is_keyframes(row, n)) {
        read_keyframes(r, row, n, at);
        return;
    }
    switch (row->type) {
    case PARAM_TABLE:
        if (expect_map(r, n, row->table)) read_table(r, row->table, n, key_place(n), at);
        break;
    case PARAM_OPTIONAL: read_optional(r, row, n, at); break;
    case PARAM_LIST: read_list(r, row, n, at); break;
    case PARAM_MAP: read_map(r, row, n, at); break;
    case PARAM_VARIANT: read_variant(r, row, n, at); break;
    case PARAM_MERGE: break; // has no key of its own
    default: read_value(r, row, n, at); break;
    }
}

static void missing_keys(reader *r, const param_table *table, const node *map, place where) {
    for (const param_row *row = table->rows; row->name; row++) {
        if (row->type == PARAM_MERGE) missing_keys(r, row->table, map, where);
        if (row->required && !node_child(map, row->name)) report_missing(r, row, where);
    }
}

static void run_checks(reader *r, const param_table *table, const node *map, place where, const char *item) {
    for (const param_row *row = table->rows; row->name; row++)
        if (row->type == PARAM_MERGE) run_checks(r, row->table, map, where, item + row->offset);
    run_check(r, table, map, where, item);
}

// Missing keys are reported at `where`.
static void read_table(reader *r, const param_table *table, const node *map, place where, char *item) {
    size_t problems = r->problems->found;
    r->depth++;
    for (const node *child = map->first; child && !enough(r); child = child->next) {
        void *base;
        const param_row *row = param_row_find(table, item, child->key->text, &base);
        if (!row) {
            if (!renamed_key(r, table, child->key)) unknown_key(r, table, map, child->key);
            continue;
        }
        size_t before = path_push(r, row->name);
        read_row(r, row, child, (char *)base + row->offset);
        path_pop(r, before);
    }
    if (!r->incomplete) missing_keys(r, table, map, where);
    r->depth--;
    if (problems == r->problems->found && !r->incomplete) run_checks(r, table, map, where, item);
}

void read_scene(reader *r, const param_table *table, const node *map, void *item) {
    param_defaults(table, item);
    r->root = map;
    place start = {map->at.source, 1, 1, 1};
    read_table(r, table, map, start, item);
    r->problems->no_memory |= r->path.failed;
    text_free(&r->path);
}
