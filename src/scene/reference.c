// docs/scene-reference.md, from the tables.
#include <ctype.h>
#include <string.h>

#include "scene/catalog.h"
#include "scene/scene.h"
#include "snow/snow_type.h"
#include "world/world.h"

// A table of Markdown uses | itself.
static void add_cell(text *t, const char *words) {
    text_add(t, " ");
    for (const char *c = words ? words : ""; *c; c++) text_add(t, *c == '|' ? "\\|" : "%c", *c);
    text_add(t, " |");
}

// Where the words of a variant are described: under the first key that has them.
static const char *home_of(const catalog *c, const param_row *row) {
    for (size_t i = 0; i < c->count; i++)
        if (!c->items[i].variant && c->items[i].row->variants == row->variants) return c->items[i].path;
    return row->name;
}

static void add_row(text *t, const catalog *c, const param_row *row) {
    text value = {0};
    if (row->type == PARAM_VARIANT)
        text_add(&value, "a word, see %s", home_of(c, row));
    else
        describe_value(&value, row);
    text_add(t, row->live ? "| `%s` *live* |" : "| `%s` |", row->name);
    add_cell(t, value.data);
    if (row->fallback)
        text_add(t, " `%s` |", row->fallback);
    else
        text_add(t, row->required ? " **required** |" : " |");
    add_cell(t, row->help);
    text_add(t, "\n");
    t->failed |= value.failed;
    text_free(&value);
}

static void add_rows(text *t, const catalog *c, const param_table *table) {
    for (const param_row *row = table->rows; row->name; row++) {
        if (row->type == PARAM_MERGE)
            add_rows(t, c, row->table);
        else
            add_row(t, c, row);
    }
}

static void add_table(text *t, const catalog *c, const param_table *table) {
    text_add(t, "| key | value | default | what it does |\n| --- | --- | --- | --- |\n");
    add_rows(t, c, table);
    text_add(t, "\n");
}

static void add_heading(text *t, const catalog_entry *entry) {
    const char *help = entry->row->help;
    text_add(t, "## %s\n\n%c%s.", entry->path, toupper((unsigned char)help[0]), help + 1);
}

static void add_variants(text *t, const catalog *c, const catalog_entry *entry) {
    add_heading(t, entry);
    text_add(t, "\n\n");
    for (const param_variant *v = entry->row->variants; v->name; v++) {
        text_add(t, "**`%s`**: %s\n\n", v->name, v->help);
        if (v->table && !v->list) add_table(t, c, v->table);
    }
}

static bool seen_before(const catalog *c, const catalog_entry *entry) {
    for (const catalog_entry *e = c->items; e < entry; e++) {
        if (e->variant) continue;
        if (entry->row->variants ? e->row->variants == entry->row->variants
                                 : e->row->table == entry->row->table)
            return true;
    }
    return false;
}

static void add_section(text *t, const catalog *c, const catalog_entry *entry) {
    const param_row *row = entry->row;
    if (entry->variant || (!row->table && !row->variants) || seen_before(c, entry)) return;
    if (row->variants) {
        add_variants(t, c, entry);
        return;
    }
    add_heading(t, entry);
    if (row->type == PARAM_MAP) text_add(t, " Named items: `%s: {NAME: {...}, ...}`.", row->name);
    if (row->type == PARAM_LIST) text_add(t, " A list: `%s: [{...}, ...]`.", row->name);
    text_add(t, "\n\n");
    add_table(t, c, row->table);
}

static void add_snow(text *t) {
    size_t count;
    const snow_type *types = snow_types(&count);
    text_add(
        t,
        "## Snow types\n\n`snow: WORD` gives density, friction and restitution wherever they are `auto`.\n\n"
        "| word | density kg/m3 | friction | restitution | character |\n| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < count; i++)
        text_add(t, "| `%s` | %g | %g | %g | %s |\n", types[i].name, types[i].density, types[i].friction,
                 types[i].restitution, types[i].character);
    text_add(t, "\n");
}

static void add_fields(text *t) {
    static const char *const types[] = {"float", "double", "int32", "uint32", "uint64"};
    const model_class *owner, *last = NULL;
    text_add(
        t,
        "## Fields\n\nThe arrays of a frame (`/fields/mpm/position` of `mpm.position`): number of values per "
        "item, type, unit.\nPictures are coloured by them, `firn export` writes them. Fields that only "
        "checkpoints hold are not listed;\n`firn explain NAME` describes them.\n\n");
    text_add(t, "| field | values | unit | what it is |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; world_field_row(i, NULL); i++) {
        const field_row *f = world_field_row(i, &owner);
        if (!(f->flags & FIRN_FIELD_SHOWN)) continue;
        if (owner != last) text_add(t, "| **%s** | | | %s |\n", owner->name, owner->help);
        last = owner;
        text_add(t, "| `%s` | %u %s | %s | %s |\n", f->name, f->components, types[f->type], f->unit, f->help);
    }
    text_add(t, "\n");
}

static void add_series(text *t) {
    const model_class *owner;
    text_add(t, "## Time series\n\nNumbers that models report beside the balance of mass, momentum and "
                "energy; `firn info` shows them, `firn info\n--plot` draws those of one panel together.\n\n"
                "| model | panel | series | unit | what it is |\n| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; world_series_row(i, NULL); i++) {
        const series_row *s = world_series_row(i, &owner);
        text_add(t, "| %s | %s | %s | %s | %s |\n", owner->name, s->panel, s->name, s->unit, s->help);
    }
    text_add(t, "\n");
}

static void add_units(text *t) {
    text_add(t, "## Units\n\n| dimension | a bare number is in | also |\n| --- | --- | --- |\n");
    for (int d = 0; d < DIM_COUNT_; d++)
        text_add(t, "| %s | %s | %s |\n", dimension_name((dimension)d),
                 d ? dimension_unit((dimension)d) : "1", dimension_units((dimension)d));
}

firn_status firn_scene_reference(char **out) {
    if (!out) return fail_null("firn_scene_reference", "text");
    *out = NULL;
    catalog c;
    TRY(catalog_build(&c, &scene_params));
    text t = {0};
    text_add(
        &t,
        "# Scene reference\n\nWritten by `firn reference` from the parameter tables; do not edit. A "
        "scene is YAML; `from: base.yaml` at "
        "its top includes\nanother scene, whose values this one overrides key by key. Values carry "
        "units (`5 cm`, `-3 C`); a bare number "
        "is SI.\n`auto` lets firn choose. What is *live* may change while the world runs: `speed: [{time: 0, "
        "value: 2 m/s}, {time: 10 s, value: 15 m/s}]`, or\nby a program with `firn_world_set`.\n\n## The "
        "scene\n\n");
    add_table(&t, &c, &scene_params);
    for (size_t i = 0; i < c.count; i++) add_section(&t, &c, &c.items[i]);
    add_snow(&t);
    add_fields(&t);
    add_series(&t);
    add_units(&t);
    catalog_free(&c);
    return text_take(&t, out);
}
