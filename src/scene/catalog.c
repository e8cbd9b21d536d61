// Flattens the parameter tables into one list for explain, list and the reference.
#include "scene/catalog.h"

#include <math.h>
#include <string.h>

#include "base/param_range.h"

static bool known(const catalog *c, const param_row *row, const param_variant *variant) {
    for (size_t i = 0; i < c->count; i++)
        if (variant ? c->items[i].variant == variant : c->items[i].row == row && !c->items[i].variant)
            return true;
    return false;
}

static const char *add_entry(catalog *c, const char *prefix, const char *word, const param_row *row,
                             const param_variant *variant) {
    text path = {0};
    text_add(&path, prefix[0] ? "%s.%s" : "%s%s", prefix, word);
    char *kept = path.data ? arena_text(&c->memory, path.data, path.length) : NULL;
    text_free(&path);
    if (!kept || !array_reserve(&c->items, &c->capacity, c->count + 1, sizeof *c->items)) {
        c->failed = true;
        return NULL;
    }
    c->items[c->count++] = (catalog_entry){kept, row, variant};
    return kept;
}

static void add_table(catalog *c, const param_table *table, const char *prefix);

// All words first, then their rows: a union contains all shapes again.
static void add_variants(catalog *c, const param_row *row, const char *prefix) {
    size_t first = c->count;
    for (const param_variant *v = row->variants; v->name && !c->failed; v++)
        if (!known(c, NULL, v)) add_entry(c, prefix, v->name, row, v);
    for (size_t i = first, end = c->count; i < end && !c->failed; i++) {
        const catalog_entry entry = c->items[i];
        if (entry.variant->table)
            add_table(c, entry.variant->table, entry.variant->list ? prefix : entry.path);
    }
}

static void add_table(catalog *c, const param_table *table, const char *prefix) {
    for (const param_row *row = table->rows; row->name && !c->failed; row++) {
        if (row->type == PARAM_MERGE) {
            add_table(c, row->table, prefix);
            continue;
        }
        if (known(c, row, NULL)) continue;
        const char *path = add_entry(c, prefix, row->name, row, NULL);
        if (!path) return;
        if (row->type == PARAM_VARIANT)
            add_variants(c, row, path);
        else if (row->table)
            add_table(c, row->table, path);
    }
}

firn_status catalog_build(catalog *c, const param_table *root) {
    *c = (catalog){0};
    add_table(c, root, "");
    if (!c->failed) return FIRN_OK;
    catalog_free(c);
    return fail_memory("listing the parameters", 0);
}

void catalog_free(catalog *c) {
    arena_free(&c->memory);
    mem_free(c->items);
    *c = (catalog){0};
}

const char *last_word(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

static void describe_number(text *t, const param_row *row, const char *noun) {
    text_add(t, "%s", noun);
    text range = {0};
    param_range_add(&range, row);
    if (range.length) text_add(t, ", %s", range.data);
    text_free(&range);
}

void describe_value(text *t, const param_row *row) {
    const char *noun = row->unit == DIM_NONE ? "number" : dimension_name(row->unit);
    switch (row->type) {
    case PARAM_BOOL: text_add(t, "true or false"); break;
    case PARAM_INT: describe_number(t, row, "whole number"); break;
    case PARAM_REAL: describe_number(t, row, noun); break;
    case PARAM_VEC3:
        text_add(t, "[x, y, z], each %s ", strchr("aeiou", noun[0]) ? "an" : "a");
        describe_number(t, row, noun);
        break;
    case PARAM_COLOR: text_add(t, "[r, g, b] 0 .. 1, \"#rrggbb\" or a colour's name"); break;
    case PARAM_TEXT: text_add(t, "text"); break;
    case PARAM_FILE:
        text_add(t, row->run ? "folder of a run, or one of its frames, relative to the scene"
                             : "name of a file, relative to the scene");
        break;
    case PARAM_CHOICE: param_words_add(t, row->choices); break;
    case PARAM_WORD:
        if (row->words()[0])
            param_words_add(t, row->words());
        else
            text_add(t, "a word that the program registers");
        break;
    case PARAM_VARIANT:
        for (const param_variant *v = row->variants; v->name; v++)
            text_add(t, v == row->variants ? "%s" : ", %s", v->name);
        break;
    case PARAM_LIST: text_add(t, "a list"); break;
    case PARAM_MAP: text_add(t, "items by name"); break;
    case PARAM_TABLE:
    case PARAM_OPTIONAL:
    case PARAM_MERGE: text_add(t, "a map"); break;
    }
}

// Where the default is `auto`, a value of common size.
static double common_size(dimension d) {
    switch (d) {
    case DIM_DENSITY: return 400;
    case DIM_PRESSURE: return 1e5;
    case DIM_TEMPERATURE: return -5;
    default: return 0.5;
    }
}

// A name of the kind of file that the help speaks of.
static const char *example_file(const char *help) {
    return strstr(help, "a run") ? "out/storm"
           : strstr(help, "PNG") ? "snow.png"
           : strstr(help, "CSV") ? "wind.csv"
                                 : "rock.obj";
}

void example_value(text *t, const param_row *row) {
    bool automatic = text_equal(row->fallback, "auto");
    if (row->fallback && !automatic)
        text_add(t, "%s", row->fallback);
    else if (row->type == PARAM_REAL || row->type == PARAM_INT) {
        double value = row->type == PARAM_INT ? 1 : common_size(row->unit);
        if (row->min != 0 || row->max != 0) value = fmin(fmax(value, row->min), row->max);
        quantity_write(t, value, row->unit);
    } else if (row->type == PARAM_COLOR)
        text_add(t, "orange");
    else if (row->type == PARAM_WORD && row->words()[0])
        text_add(t, "%s", row->words()[0]);
    else if (row->type == PARAM_FILE)
        text_add(t, "%s", example_file(row->help));
    else
        text_add(t, "...");
}

void add_children(text *t, const param_table *table) {
    for (const param_row *row = table->rows; row->name; row++) {
        if (row->type == PARAM_MERGE)
            add_children(t, row->table);
        else
            text_add(t, "  %-14s %s\n", row->name, row->help ? row->help : "");
    }
}
