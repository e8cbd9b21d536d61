// A random scene, filled by the tables themselves: every row gets a value it allows.
#ifndef TESTS_SCENE_RANDOM_DEF_H
#define TESTS_SCENE_RANDOM_DEF_H

#include <math.h>
#include <string.h>

#include "base/param.h"
#include "base/random.h"

typedef struct random_source {
    uint64_t seed, drawn;
    arena *memory;
    int depth;
} random_source;

static uint32_t draw(random_source *r) { return random_bits(r->seed, r->drawn++, 0, 0).v[0]; }

static double draw_number(random_source *r, const param_row *row) {
    double low = row->min, high = row->max;
    if (low == 0 && high == 0)
        low = row->type == PARAM_COLOR ? 0 : -1e6, high = row->type == PARAM_COLOR ? 1 : 1e6;
    if (!isfinite(high)) high = low + 1e6;
    if (!isfinite(low)) low = high - 1e6;
    double unit = ((double)draw(r) + (double)draw(r) * 0x1p-32) * 0x1p-32;
    double value = low + (high - low) * unit;
    if (draw(r) % 3 == 0) value = round(value * 100) / 100; // as people write
    return value < low ? low : value > high ? high : value;
}

static const char *draw_text(random_source *r) {
    static const char *const texts[] = {
        "plain",
        "no",
        "",
        " spaces at both ends ",
        "quote \" and \\ backslash: # not a comment",
        "line\nbreak\tand tab",
        "\u00e4\u00f6\u00fc \u2603 \U0001f407",
        "bell \a, delete \x7f, next line \xc2\x85, separator \u2028, mark \ufeff",
        "'{[]}'",
        "- x",
        "%",
        "1.5"};
    return texts[draw(r) % (sizeof texts / sizeof texts[0])];
}

static void draw_table(random_source *r, const param_table *table, char *item);

static void draw_items(random_source *r, const param_row *row, char *at, bool some) {
    static const char *const names[] = {"a", "b-2", "Hare_3", "\u00e4hre", "no", "12"};
    size_t count = some + draw(r) % 3;
    if (strcmp(row->name, "constraints") == 0) count = 0; // of kinds that a program would have to register
    if (r->depth > 6) count = some;
    char *items = arena_alloc(r->memory, (count + 1) * row->table->size);
    for (size_t i = 0; i < count; i++) {
        param_defaults(row->table, items + i * row->table->size);
        draw_table(r, row->table, items + i * row->table->size);
        if (row->type == PARAM_MAP) memcpy(items + i * row->table->size, &names[i], sizeof names[i]);
    }
    memcpy(at, &items, sizeof items);
    memcpy(at + sizeof items, &count, sizeof count);
}

static void draw_variant(random_source *r, const param_row *row, char *at) {
    size_t count = 0;
    while (row->variants[count].name) count++;
    const param_variant *variant = &row->variants[draw(r) % count];
    param_variant_set(row, variant, at);
    if (variant->list)
        draw_items(r, variant->table->rows, at + variant->table->rows->offset, true);
    else if (variant->table)
        draw_table(r, variant->table, at);
}

static void draw_value(random_source *r, const param_row *row, char *at) {
    firn_vec3 v;
    switch (row->type) {
    case PARAM_BOOL: *(bool *)at = draw(r) % 2; break;
    case PARAM_INT: *(int32_t *)at = (int32_t)draw_number(r, row); break;
    case PARAM_REAL: *(double *)at = draw_number(r, row); break;
    case PARAM_VEC3:
    case PARAM_COLOR:
        v = (firn_vec3){draw_number(r, row), draw_number(r, row), draw_number(r, row)};
        if (row->type == PARAM_VEC3 && row->min >= 1) // numbers of cells
            v = (firn_vec3){1 + draw(r) % 64, 1 + draw(r) % 64, 1 + draw(r) % 64};
        memcpy(at, &v, sizeof v);
        break;
    case PARAM_TEXT: *(const char **)at = draw_text(r); break;
    case PARAM_FILE: *(const char **)at = FIRN_TEST_DATA "/wrong-scenes/parts/block.obj"; break;
    case PARAM_WORD: {
        size_t count = 0;
        while (row->words()[count]) count++;
        *(const char **)at = row->words()[draw(r) % count];
        break;
    }
    case PARAM_CHOICE: *(int *)at = (int)(draw(r) % param_choice_count(row)); break;
    case PARAM_TABLE:
    case PARAM_MERGE: draw_table(r, row->table, at); break;
    case PARAM_OPTIONAL: {
        char *item = arena_alloc(r->memory, row->table->size);
        param_defaults(row->table, item);
        draw_table(r, row->table, item);
        memcpy(at, &item, sizeof item);
        break;
    }
    case PARAM_LIST:
    case PARAM_MAP: draw_items(r, row, at, row->required); break;
    case PARAM_VARIANT: draw_variant(r, row, at); break;
    }
}

// Half of the rows keep their default, so that the checks between rows have a chance.
static void draw_table(random_source *r, const param_table *table, char *item) {
    r->depth++;
    for (const param_row *row = table->rows; row->name; row++)
        if (row->type == PARAM_MERGE || row->required || draw(r) % 2) draw_value(r, row, item + row->offset);
    r->depth--;
}

#endif
