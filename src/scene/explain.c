// `firn explain`: everything that has that name, as text or as JSON.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/field_kept.h"
#include "body/model.h"
#include "scene/catalog.h"
#include "scene/explain_words.h"
#include "scene/json_rows.h"
#include "scene/meetings.h"
#include "scene/scene.h"
#include "snow/snow_type.h"
#include "world/world.h"

typedef struct explainer {
    const char *name;
    bool json;
    catalog catalog;
    text out;
    size_t found;
} explainer;

static void heading(explainer *e, const char *title) {
    text_add(&e->out, e->found++ ? "\n%s\n" : "%s\n", title);
}

static void add_example(text *t, const param_table *table, const char *name, const param_row *wanted);

// name is what follows the variant's key: "sphere.radius", "keyframes.time".
static void add_variant_example(text *t, const param_row *row, const char *name, const param_row *wanted) {
    size_t length = strcspn(name, ".");
    const char *rest = name[length] ? name + length + 1 : "";
    for (const param_variant *v = row->variants; v->name; v++) {
        if (strlen(v->name) != length || strncmp(v->name, name, length) != 0 || !v->table) continue;
        text_add(t, v->list ? "[{" : "{%s: {", v->name);
        add_example(t, v->list ? v->table->rows->table : v->table, rest, wanted);
        text_add(t, v->list ? "}]" : "}}");
    }
}

// "bodies: {NAME: {friction: 0.5}}"
static void add_example(text *t, const param_table *table, const char *name, const param_row *wanted) {
    char word[64];
    size_t length = strcspn(name, ".");
    if (length >= sizeof word) return;
    memcpy(word, name, length);
    word[length] = 0;
    const param_row *row = param_row_find(table, NULL, word, NULL);
    if (!row) { // the name of an item was given: it is shown as NAME already
        if (name[length]) add_example(t, table, name + length + 1, wanted);
        return;
    }
    const char *rest = name[length] ? name + length + 1 : "";
    text_add(t, "%s: ", word);
    if (row == wanted) {
        example_value(t, row);
    } else if (row->type == PARAM_VARIANT) {
        add_variant_example(t, row, rest, wanted);
    } else if (row->table) {
        bool map = row->type == PARAM_MAP, list = row->type == PARAM_LIST;
        text_add(t, map ? "{NAME: {" : list ? "[{" : "{");
        add_example(t, row->table, rest, wanted);
        text_add(t, map ? "}}" : list ? "}]" : "}");
    }
}

static bool has_children(const param_row *row) {
    return row->type == PARAM_TABLE || row->type == PARAM_OPTIONAL || row->type == PARAM_MAP ||
           row->type == PARAM_LIST;
}

static void explain_row_json(explainer *e, const char *path, const param_row *row) {
    e->found++;
    json_add_parameter(&e->out, path, row);
    if (has_children(row)) json_add_children(&e->out, path, row->table);
    for (const param_variant *v = row->type == PARAM_VARIANT ? row->variants : NULL; v && v->name; v++)
        json_add_word(&e->out, "choice", v->name, v->help);
}

static void explain_row(explainer *e, const char *path, const param_row *row) {
    if (e->json) {
        explain_row_json(e, path, row);
        return;
    }
    heading(e, path);
    const char *law = coupling_help(path);
    text_add(&e->out, "  %s\n\n", row->help ? row->help : "");
    if (law) text_add(&e->out, "  %s\n\n", law);
    text_add(&e->out, "  value    ");
    describe_value(&e->out, row);
    if (row->unit != DIM_NONE)
        text_add(&e->out, "\n  units    %s; a bare number is in %s", dimension_units(row->unit),
                 dimension_unit(row->unit));
    if (row->fallback)
        text_add(&e->out, "\n  default  %s", row->fallback);
    else
        text_add(&e->out, row->required ? "\n  must be given" : "\n  default  none");
    if (row->range_note) text_add(&e->out, "\n  note     %s", row->range_note);
    if (row->live)
        text_add(&e->out,
                 "\n  live     may change while the world runs: keyframes [{time: 0, value: ...}, ...], "
                 "or firn_world_set");
    text_add(&e->out, "\n");
    if (has_children(row)) {
        text_add(&e->out, "\n");
        add_children(&e->out, row->table);
    } else if (row->type == PARAM_VARIANT) {
        text_add(&e->out, "\n");
        for (const param_variant *v = row->variants; v->name; v++)
            text_add(&e->out, "  %-14s %s\n", v->name, v->help);
    } else {
        text_add(&e->out, "  example  ");
        add_example(&e->out, &scene_params, path, row);
        text_add(&e->out, "\n");
    }
}

static void explain_variant_json(explainer *e, const catalog_entry *entry) {
    const param_variant *v = entry->variant;
    e->found++;
    json_add_word(&e->out, "choice", entry->path, v->help);
    if (v->table) json_add_children(&e->out, entry->path, v->list ? v->table->rows->table : v->table);
}

static void explain_variant(explainer *e, const catalog_entry *entry) {
    if (e->json) {
        explain_variant_json(e, entry);
        return;
    }
    heading(e, entry->path);
    const param_variant *v = entry->variant;
    text_add(&e->out, "  %s\n\n  example  %s: ", v->help, last_word(entry->row->name));
    if (!v->table) {
        text_add(&e->out, "%s\n", v->name);
        return;
    }
    if (v->list) {
        text_add(&e->out, "[{...}, {...}]\n\n");
        add_children(&e->out, v->table->rows->table);
        return;
    }
    text_add(&e->out, "{%s: {%s: ", v->name, v->table->rows->name);
    example_value(&e->out, v->table->rows);
    text_add(&e->out, "}}\n\n");
    add_children(&e->out, v->table);
}

static void find_variants(explainer *e) {
    char prefix[256];
    const char *word = last_word(e->name);
    size_t length = (size_t)(word - e->name);
    const param_row *owner = NULL;
    if (length > 1 && length < sizeof prefix) { // bodies.ball.shape.sphere: the row before the last dot
        memcpy(prefix, e->name, length - 1);
        prefix[length - 1] = 0;
        owner = param_find(&scene_params, prefix, NULL);
    }
    for (size_t i = 0; i < e->catalog.count; i++) {
        const catalog_entry *entry = &e->catalog.items[i];
        if (!entry->variant || strcmp(entry->variant->name, word) != 0) continue;
        if (length == 0 || (owner && owner->variants == entry->row->variants)) explain_variant(e, entry);
    }
}

// A word alone means every key of that name; "mpm.young" every one below mpm.
static bool is_meant(const explainer *e, const catalog_entry *entry, const param_row *found) {
    const char *word = last_word(e->name);
    return !entry->variant && entry->row != found && strcmp(entry->row->name, word) == 0 &&
           strncmp(entry->path, e->name, (size_t)(word - e->name)) == 0;
}

static void find_rows(explainer *e) {
    const param_row *row = param_find(&scene_params, e->name, NULL);
    if (row) explain_row(e, e->name, row);
    if (row && strchr(e->name, '.')) return;
    const catalog_entry *only = NULL;
    size_t others = 0;
    for (size_t i = 0; i < e->catalog.count; i++) {
        if (!is_meant(e, &e->catalog.items[i], row)) continue;
        only = &e->catalog.items[i];
        others++;
    }
    if (others == 1 && !row)
        explain_row(e, only->path, only->row);
    else if (others) {
        if (!e->json) heading(e, row ? "Keys of the same name" : "Keys of this name (ask for one of them)");
        for (size_t i = 0; i < e->catalog.count; i++) {
            const catalog_entry *entry = &e->catalog.items[i];
            if (!is_meant(e, entry, row)) continue;
            if (e->json)
                explain_row_json(e, entry->path, entry->row);
            else
                text_add(&e->out, "  %-34s %s\n", entry->path, entry->row->help ? entry->row->help : "");
        }
    }
}

static void add_quantity(text *t, const char *label, double value, dimension d, const char *note) {
    text_add(t, "  %-22s ", label);
    quantity_write(t, value, d);
    text_add(t, note ? "   %s\n" : "\n", note);
}

static void find_snow(explainer *e) {
    const snow_type *s = snow_type_find(e->name);
    if (!s) return;
    if (e->json) {
        e->found++;
        json_add_snow(&e->out, s);
        return;
    }
    text title = {0};
    text_add(&title, "Snow type %s", s->name);
    heading(e, title.data ? title.data : s->name);
    text_free(&title);
    text *t = &e->out;
    text_add(t, "  %s\n\n", s->character);
    add_quantity(t, "density", s->density, DIM_DENSITY, NULL);
    text_add(t, "  %-22s %g .. %g kg/m3   (MPM15 table 1, FIELD11 table 3.1)\n", "found in nature",
             s->density_low, s->density_high);
    add_quantity(t, "friction", s->friction, DIM_NONE, NULL);
    add_quantity(t, "restitution", s->restitution, DIM_NONE, NULL);
    add_quantity(t, "angle of repose", s->angle_of_repose, DIM_ANGLE, NULL);
    add_quantity(t, "drifts above", s->drift_threshold, DIM_VELOCITY,
                 "friction velocity of the wind at its surface");
    text_add(t, "\n  In mpm (after MPM15 table 2; docs/mpm.md, \"Laws\"):\n");
    text_add(t, "  %-22s %s\n", "law", snow_laws[s->law]);
    add_quantity(t, "Young's modulus", s->young, DIM_PRESSURE,
                 "of the law, softer than measured so that it can be simulated");
    add_quantity(t, "Poisson's ratio", s->poisson, DIM_NONE, NULL);
    if (s->law == FIRN_SNOW_LAW_STOMAKHIN) {
        add_quantity(t, "critical compression", s->critical_compression, DIM_NONE, NULL);
        add_quantity(t, "critical stretch", s->critical_stretch, DIM_NONE, NULL);
    }
    if (s->law == FIRN_SNOW_LAW_CAM_CLAY) {
        add_quantity(t, "cohesion", s->cohesion, DIM_NONE,
                     "tensile strength as a share of the bearing strength");
        add_quantity(t, "critical stretch", s->critical_stretch, DIM_NONE, "at which its bonds are gone");
    }
    add_quantity(t, "hardening", s->hardening, DIM_NONE, NULL);
    add_quantity(t, "adhesion to bodies", s->adhesion, DIM_PRESSURE, NULL);
    add_quantity(t, "largest density", s->max_density, DIM_DENSITY, NULL);
    add_quantity(t, "bearing strength", s->bearing, DIM_PRESSURE,
                 s->law == FIRN_SNOW_LAW_STOMAKHIN ? "at its density (field)"
                                                   : "at its density (field); its strength in mpm");
    if (strcmp(s->name, "sand") == 0) return;
    text_add(t, "\n  Measured on snow of this density (Sigrist; MPM15 equations 15 and 16):\n");
    text_add(t, "  %-22s %.3g MPa\n", "Young's modulus", snow_young_measured(s->density) * 1e-6);
    text_add(t, "  %-22s %.3g\n", "Poisson's ratio", snow_poisson_measured(s->density));
    text_add(t, "\n  example  bodies: {NAME: {snow: %s}}\n", s->name);
}

static void find_model(explainer *e) {
    size_t count;
    const model_class *const *classes = world_model_classes(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(classes[i]->name, e->name) != 0) continue;
        if (e->json) {
            e->found++;
            json_add_model(&e->out, classes[i]);
        } else {
            heading(e, "Model");
            text_add(&e->out, "  %-14s %s\n", classes[i]->name, classes[i]->help);
        }
        const model_class *owner;
        for (size_t f = 0; world_field_row(f, NULL); f++) {
            const field_row *row = world_field_row(f, &owner);
            if (owner != classes[i] || !(row->flags & FIRN_FIELD_SHOWN)) continue;
            if (e->json)
                json_add_field(&e->out, owner, row);
            else
                text_add(&e->out, "  %-22s %-8s %s\n", row->name, row->unit, row->help);
        }
    }
}

static void find_field(explainer *e) {
    static const char *const types[] = {"float (32 bit)", "double (64 bit)", "int32", "uint32", "uint64"};
    const field_row *f = NULL;
    const model_class *owner;
    for (size_t i = 0; (f = world_field_row(i, &owner)) && strcmp(f->name, e->name) != 0; i++) {
    }
    if (!f) return;
    if (e->json) {
        e->found++;
        json_add_field(&e->out, owner, f);
        return;
    }
    text title = {0};
    text_add(&title, "Field %s", f->name);
    heading(e, title.data ? title.data : f->name);
    text_free(&title);
    text_add(&e->out, "  %s\n\n  unit     %s\n  type     %s, %u per item\n  %s\n", f->help,
             f->unit[0] ? f->unit : "none (a pure number)", types[f->type], f->components,
             f->flags & FIRN_FIELD_SHOWN                  ? "written to every frame"
             : f->flags & (FIRN_FIELD_STATE | FIELD_KEPT) ? "only in checkpoints"
                                                          : "in memory only");
}

// All series of a panel, or those of one name.
static void find_series(explainer *e) {
    const model_class *owner;
    bool any = false;
    for (size_t i = 0; world_series_row(i, NULL); i++) {
        const series_row *s = world_series_row(i, &owner);
        if (strcmp(s->panel, e->name) != 0 && strcmp(s->name, e->name) != 0) continue;
        if (e->json) {
            e->found++;
            json_add_series(&e->out, owner, s);
            continue;
        }
        if (!any) heading(e, "Time series");
        any = true;
        text_add(&e->out, s->name[0] ? "  %s, %s: %s" : "  %s, %s%s", owner->name, s->panel, s->name);
        text_add(&e->out, s->unit[0] ? " (%s)\n    %s\n" : "%s\n    %s\n", s->unit, s->help);
    }
    if (any)
        text_add(&e->out, "\n  firn info DIR shows the last value, firn info DIR --plot FILE all of them\n");
}

static void add_dimension(explainer *e, dimension d, const char *title) {
    if (e->json) {
        e->found++;
        json_add_word(&e->out, "dimension", dimension_name(d), dimension_units(d));
        return;
    }
    if (title) heading(e, title);
    text_add(&e->out, "  %-14s %s\n", dimension_name(d), dimension_units(d));
}

static void find_words(explainer *e) {
    size_t count;
    const explain_word *words = explain_words(&count);
    for (size_t i = 0; i < count; i++) {
        const char *other = words[i].also;
        if (strcasecmp(words[i].name, e->name) != 0 && !(other && strcasecmp(other, e->name) == 0)) continue;
        if (e->json) {
            e->found++;
            json_add_word(&e->out, "word", words[i].name, words[i].page);
        } else {
            heading(e, words[i].name);
            text_add(&e->out, "%s", words[i].page);
        }
        if (strcmp(words[i].name, "units") == 0)
            for (int d = 1; d < DIM_COUNT_; d++) add_dimension(e, (dimension)d, NULL);
    }
    for (int d = 1; d < DIM_COUNT_; d++)
        if (strcmp(dimension_name((dimension)d), e->name) == 0) add_dimension(e, (dimension)d, "Units");
}

// All words that could have been meant.
typedef struct word_list {
    const char **items;
    size_t count, capacity;
} word_list;

static bool add_word(word_list *list, const char *word) {
    if (!array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items)) return false;
    list->items[list->count++] = word;
    return true;
}

static bool gather_words(explainer *e, word_list *list) {
    bool dotted = strchr(e->name, '.') != NULL, good = true;
    for (size_t i = 0; i < e->catalog.count; i++) {
        const char *path = e->catalog.items[i].path;
        good = good && add_word(list, dotted ? path : last_word(path));
    }
    for (const char *const *w = snow_type_names(); *w; w++) good = good && add_word(list, *w);
    for (size_t f = 0; world_field_row(f, NULL); f++)
        good = good && add_word(list, world_field_row(f, NULL)->name);
    for (size_t i = 0; world_series_row(i, NULL); i++)
        good = good && add_word(list, world_series_row(i, NULL)->panel);
    size_t count;
    const explain_word *words = explain_words(&count);
    for (size_t i = 0; i < count; i++) good = good && add_word(list, words[i].name);
    return good;
}

// The present word for one of an older version, of a key or of a kind (`led`); NULL: it never was one.
static const char *renamed_word(const explainer *e) {
    const char *word = last_word(e->name);
    for (size_t i = 0; i < e->catalog.count; i++) {
        const param_row *row = e->catalog.items[i].row;
        if (row->was && row->type != PARAM_MERGE && strcmp(row->was, e->name) == 0)
            return e->catalog.items[i].path;
        for (const char *const *old = row->renamed; old && *old; old += 2)
            if (strcmp(*old, word) == 0) return old[1];
    }
    return NULL;
}

static firn_status fail_renamed(explainer *e) {
    text now = {0};
    bool found = param_renamed(&scene_params, e->name, &now);
    const char *word = found ? now.data : renamed_word(e);
    if (word) text_add(&e->out, "unknown name '%.80s': it is now called '%s'\n", e->name, word);
    firn_status status = !word           ? FIRN_OK
                         : e->out.failed ? fail_memory("looking for a word", 0)
                                         : fail(FIRN_BAD_INPUT, "%s", e->out.data);
    text_free(&now);
    return status;
}

static firn_status nothing_found(explainer *e) {
    TRY(fail_renamed(e));
    word_list list = {0};
    bool good = gather_words(e, &list);
    text_add(&e->out, "unknown name '%.80s'", e->name);
    const char *given[3] = {0};
    for (size_t n = 0; good && n < 3; n++) {
        const char *nearest = word_nearest(e->name, list.items, list.count);
        if (!nearest) nearest = n == 0 ? word_nearest(last_word(e->name), list.items, list.count) : NULL;
        if (!nearest) break;
        given[n] = nearest;
        text_add(&e->out, n == 0 ? "; did you mean '%s'" : " or '%s'", nearest);
        size_t kept = 0;
        for (size_t i = 0; i < list.count; i++)
            if (strcmp(list.items[i], nearest) != 0) list.items[kept++] = list.items[i];
        list.count = kept;
    }
    text_add(&e->out, given[0] ? "?\n" : "; `firn list` shows all names\n");
    mem_free(list.items);
    return good && !e->out.failed ? fail(FIRN_BAD_INPUT, "%s", e->out.data)
                                  : fail_memory("looking for a word", 0);
}

static firn_status explain(explainer *e) {
    find_rows(e);
    find_variants(e);
    find_snow(e);
    find_model(e);
    find_field(e);
    find_series(e);
    find_words(e);
    return e->found ? FIRN_OK : nothing_found(e);
}

firn_status firn_explain(const char *name, bool json, char **out) {
    if (!out) return fail_null(__func__, "text");
    *out = NULL;
    explainer e = {.name = name && name[0] ? name : "explain", .json = json};
    TRY(catalog_build(&e.catalog, &scene_params));
    firn_status status = explain(&e);
    if (status == FIRN_OK || status == FIRN_BAD_INPUT) {
        firn_status taken = text_take(&e.out, out);
        if (taken != FIRN_OK) status = taken;
    }
    text_free(&e.out);
    catalog_free(&e.catalog);
    return status;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

firn_status firn_explain_names(char **out) {
    if (!out) return fail_null(__func__, "text");
    *out = NULL;
    explainer e = {.name = "."}; // whole paths
    word_list list = {0};
    TRY(catalog_build(&e.catalog, &scene_params));
    firn_status status = gather_words(&e, &list) ? FIRN_OK : fail_memory("listing names", 0);
    if (status == FIRN_OK) {
        assert(list.items); // there are words
        qsort(list.items, list.count, sizeof *list.items, compare_names);
        for (size_t i = 0; i < list.count; i++)
            if (i == 0 || strcmp(list.items[i], list.items[i - 1]) != 0)
                text_add(&e.out, "%s\n", list.items[i]);
        status = text_take(&e.out, out);
    }
    mem_free(list.items);
    catalog_free(&e.catalog);
    return status;
}
