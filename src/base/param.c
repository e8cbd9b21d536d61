// Defaults of parameter tables, and rows by name, present or former.
#include "base/param.h"

#include <assert.h>
#include <string.h>

#include "base/cookie.h"

// Defaults come from the tables: one that cannot be parsed is a bug.
static void default_value(const param_row *row, const char *written, void *at) {
    param_fault fault = {0};
    bool good = param_read_value(row, row->name, written, at, &fault);
    assert(good && "a default of a parameter table cannot be read");
    (void)good;
    param_fault_free(&fault);
}

static void fill_defaults(const param_table *table, char *item);

static void fill_row(const param_row *row, char *at) {
    if (row->type == PARAM_TABLE || row->type == PARAM_MERGE) {
        fill_defaults(row->table, at);
        return;
    }
    if (!row->fallback) return;
    if (row->type == PARAM_VARIANT) {
        const param_variant *variant = param_variant_find(row, row->fallback);
        assert(variant && "the default of a variant is one of its words");
        param_variant_set(row, variant, at);
    } else {
        default_value(row, row->fallback, at);
    }
}

void param_set_cookie(const param_table *table, void *item) {
    if (!table->def) return;
    uint32_t cookie = cookie_of(table->def, table->size);
    memcpy((char *)item + table->cookie, &cookie, sizeof cookie);
}

bool param_has_cookie(const param_table *table, const void *item) {
    uint32_t cookie;
    if (!table->def) return true;
    memcpy(&cookie, (const char *)item + table->cookie, sizeof cookie);
    return cookie == cookie_of(table->def, table->size);
}

static void fill_defaults(const param_table *table, char *item) {
    param_set_cookie(table, item);
    for (const param_row *row = table->rows; row->name; row++) fill_row(row, item + row->offset);
}

void param_defaults(const param_table *table, void *item) {
    memset(item, 0, table->size);
    fill_defaults(table, item);
}

firn_status firn_param_defaults(const firn_param_table *table, void *item) {
    NEED(table);
    NEED(item);
    param_defaults(table, item);
    return FIRN_OK;
}

void param_variant_set(const param_row *row, const param_variant *variant, void *at) {
    size_t size = sizeof(int);
    for (const param_variant *v = row->variants; v->name; v++)
        if (v->table && v->table->size > size) size = v->table->size;
    memset(at, 0, size);
    memcpy(at, &variant->kind, sizeof variant->kind);
    if (variant->table) fill_defaults(variant->table, at);
}

const param_variant *param_variant_find(const param_row *row, const char *name) {
    for (const param_variant *v = row->variants; v->name; v++)
        if (strcmp(v->name, name) == 0) return v;
    return NULL;
}

const param_variant *param_variant_of(const param_row *row, const void *at) {
    int kind;
    memcpy(&kind, at, sizeof kind);
    for (const param_variant *v = row->variants; v->name; v++)
        if (v->kind == kind) return v;
    return NULL;
}

const param_row *param_row_find(const param_table *table, void *item, const char *name, void **base) {
    for (const param_row *row = table->rows; row->name; row++) {
        void *inside = item ? (char *)item + row->offset : NULL;
        if (row->type == PARAM_MERGE) {
            const param_row *found = param_row_find(row->table, inside, name, base);
            if (found) return found;
        } else if (strcmp(row->name, name) == 0) {
            if (base) *base = item;
            return row;
        }
    }
    return NULL;
}

const param_row *param_row_renamed(const param_table *table, const char *name) {
    for (const param_row *row = table->rows; row->name; row++) {
        if (row->was && strcmp(row->was, name) == 0) return row;
        const param_row *inside = row->type == PARAM_MERGE ? param_row_renamed(row->table, name) : NULL;
        if (inside) return inside;
    }
    return NULL;
}

// The table whose direct row has this name.
static const param_table *owner_of(const param_table *table, const param_row *wanted) {
    for (const param_row *row = table->rows; row->name; row++) {
        if (row == wanted) return table;
        const param_table *inside = row->type == PARAM_MERGE ? owner_of(row->table, wanted) : NULL;
        if (inside) return inside;
    }
    return NULL;
}

enum { LONGEST_KEY = 63 };

// Cuts the first word off a dotted name.
static const char *first_word(const char *name, char word[LONGEST_KEY + 1]) {
    size_t length = strcspn(name, ".");
    if (!length || length > LONGEST_KEY) return NULL;
    memcpy(word, name, length);
    word[length] = 0;
    if (!name[length]) return name + length;
    return name[length + 1] ? name + length + 1 : NULL;
}

static const param_row *find_below(const param_row *row, const char *rest, const param_table **table) {
    char word[LONGEST_KEY + 1];
    const char *after = first_word(rest, word);
    if (!after) return NULL;
    if (row->type == PARAM_VARIANT) {
        const param_variant *variant = param_variant_find(row, word);
        if (!variant || !variant->table) return NULL;
        if (variant->list)
            return param_find(variant->table, rest, table); // its one row has the variant's name
        return *after ? param_find(variant->table, after, table) : NULL;
    }
    if (!row->table) return NULL;
    const param_row *found = param_find(row->table, rest, table);
    if (!found && *after && (row->type == PARAM_MAP || row->type == PARAM_LIST))
        found = param_find(row->table, after, table); // the first word was an item's name
    return found;
}

const param_row *param_find(const param_table *root, const char *name, const param_table **table) {
    char word[LONGEST_KEY + 1];
    const char *rest = first_word(name, word);
    const param_row *row = rest ? param_row_find(root, NULL, word, NULL) : NULL;
    if (!row) return NULL;
    if (*rest) return find_below(row, rest, table);
    if (table) *table = owner_of(root, row);
    return row;
}

// The table in which the word after `prefix` stands; the prefix may end in the name of an item.
static const param_table *table_below(const param_table *root, char *prefix) {
    if (!prefix[0]) return root;
    const param_row *row = param_find(root, prefix, NULL);
    char *dot = strrchr(prefix, '.');
    if (row || !dot) return row ? row->table : NULL;
    *dot = 0;
    row = param_find(root, prefix, NULL);
    return row && row->type == PARAM_MAP ? row->table : NULL;
}

// Whether the word of the given length at `word` was called otherwise; adds the whole present name.
static bool rename_word(const param_table *root, const char *name, const char *word, size_t length,
                        text *now) {
    char prefix[256], old[LONGEST_KEY + 1];
    size_t before = (size_t)(word - name); // with its dot
    if (before >= sizeof prefix || length > LONGEST_KEY) return false;
    memcpy(prefix, name, before);
    prefix[before ? before - 1 : 0] = 0;
    memcpy(old, word, length);
    old[length] = 0;
    const param_table *table = table_below(root, prefix);
    const param_row *row = table ? param_row_renamed(table, old) : NULL;
    if (!row) return false;
    const char *rest = word[length] ? word + length + 1 : "",
               *key = row->type == PARAM_MERGE ? "" : row->name;
    if (!*rest && !*key && before) before--; // what stood below the old key is one level higher now
    text_add(now, "%.*s%s%s%s", (int)before, name, key, *key && *rest ? "." : "", rest);
    return !now->failed && param_find(root, now->data, NULL);
}

bool param_renamed(const param_table *root, const char *name, text *now) {
    for (const char *word = name; *word;) {
        size_t length = strcspn(word, ".");
        if (rename_word(root, name, word, length, now)) return true;
        text_free(now);
        word += word[length] ? length + 1 : length;
    }
    return false;
}

bool param_name_allowed(const char *name) {
    size_t length = strlen(name);
    if (length == 0 || length > LONGEST_KEY || name[0] == '-') return false;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c >= 0x80;
        if (!letter && !(*c >= '0' && *c <= '9') && *c != '_' && *c != '-') return false;
    }
    return true;
}

size_t param_choice_count(const param_row *row) {
    size_t n = 0;
    while (row->choices[n]) n++;
    return n;
}
