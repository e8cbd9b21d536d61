// Rows of the tables as JSON objects, one per line.
#include "scene/json_rows.h"

#include <math.h>
#include <string.h>

#include "base/field_kept.h"
#include "base/param_range.h"
#include "world/world.h"

// NULL is written as null.
static void add_word(text *t, const char *key, const char *value) {
    text_add(t, ", \"%s\": ", key);
    if (value)
        text_add_json(t, value);
    else
        text_add(t, "null");
}

static void add_number(text *t, const char *key, double value) {
    if (isfinite(value))
        text_add(t, ", \"%s\": %.9g", key, value);
    else
        text_add(t, ", \"%s\": null", key); // JSON cannot represent infinity
}

static void begin(text *t, const char *kind, const char *name) {
    text_add(t, "{\"event\": \"row\"");
    add_word(t, "kind", kind);
    add_word(t, "name", name);
}

static void end(text *t, const char *help) {
    add_word(t, "help", help ? help : "");
    text_add(t, "}\n");
}

// The model whose parameters stand below the first word of a path; NULL: none.
static const char *model_of(const char *path) {
    size_t count, length = strcspn(path, ".");
    const model_class *const *classes = world_model_classes(&count);
    for (size_t i = 0; i < count; i++)
        if (strlen(classes[i]->name) == length && strncmp(classes[i]->name, path, length) == 0)
            return classes[i]->name;
    return NULL;
}

static const char *type_of(const param_row *row) {
    switch (row->type) {
    case PARAM_BOOL: return "bool";
    case PARAM_INT: return "integer";
    case PARAM_REAL: return "number";
    case PARAM_VEC3: return "vector";
    case PARAM_COLOR: return "color";
    case PARAM_TEXT: return "text";
    case PARAM_FILE: return "file";
    case PARAM_CHOICE:
    case PARAM_WORD: return "word";
    case PARAM_VARIANT: return "variant";
    case PARAM_LIST: return "list";
    case PARAM_MAP: return "items";
    case PARAM_TABLE:
    case PARAM_OPTIONAL:
    case PARAM_MERGE: break;
    }
    return "map";
}

static void add_choices(text *t, const param_row *row) {
    const char *const *words = row->type == PARAM_CHOICE ? row->choices
                               : row->type == PARAM_WORD ? row->words()
                                                         : NULL;
    if (!words && row->type != PARAM_VARIANT) return;
    const char *before = ", \"choices\": [";
    for (; words && *words; words++, before = ", ") {
        text_add(t, "%s", before);
        text_add_json(t, *words);
    }
    for (const param_variant *v = row->type == PARAM_VARIANT ? row->variants : NULL; v && v->name;
         v++, before = ", ") {
        text_add(t, "%s", before);
        text_add_json(t, v->name);
    }
    text_add(t, "]");
}

static void add_range(text *t, const param_row *row) {
    bool has = row->min != 0 || row->max != 0;
    text range = {0};
    if (has) param_range_add(&range, row);
    add_word(t, "range", range.length ? range.data : NULL);
    add_number(t, "min", has ? row->min : -INFINITY);
    add_number(t, "max", has ? row->max : INFINITY);
    t->failed |= range.failed;
    text_free(&range);
}

void json_add_parameter(text *t, const char *path, const param_row *row) {
    bool number = row->type == PARAM_INT || row->type == PARAM_REAL || row->type == PARAM_VEC3;
    begin(t, "parameter", path);
    add_word(t, "model", model_of(path));
    add_word(t, "type", type_of(row));
    add_word(t, "unit", number ? dimension_unit(row->unit) : NULL);
    add_word(t, "default", row->fallback);
    text_add(t, ", \"required\": %s", row->required ? "true" : "false");
    if (number) add_range(t, row);
    add_choices(t, row);
    if (row->range_note) add_word(t, "note", row->range_note);
    end(t, row->help);
}

void json_add_children(text *t, const char *path, const param_table *table) {
    for (const param_row *row = table->rows; row->name; row++) {
        if (row->type == PARAM_MERGE) {
            json_add_children(t, path, row->table);
            continue;
        }
        text below = {0};
        text_add(&below, "%s.%s", path, row->name);
        if (below.data) json_add_parameter(t, below.data, row);
        t->failed |= below.failed;
        text_free(&below);
    }
}

void json_add_snow(text *t, const snow_type *snow) {
    begin(t, "snow", snow->name);
    add_number(t, "density", snow->density);
    add_number(t, "density_low", snow->density_low);
    add_number(t, "density_high", snow->density_high);
    add_number(t, "friction", snow->friction);
    add_number(t, "restitution", snow->restitution);
    add_number(t, "angle_of_repose", snow->angle_of_repose);
    add_number(t, "drift_threshold", snow->drift_threshold);
    add_number(t, "young", snow->young);
    add_number(t, "poisson", snow->poisson);
    add_number(t, "critical_compression", snow->critical_compression);
    add_number(t, "critical_stretch", snow->critical_stretch);
    add_number(t, "hardening", snow->hardening);
    add_word(t, "law", snow_laws[snow->law]);
    add_number(t, "cohesion", snow->cohesion);
    add_number(t, "strength", snow->strength > 0 ? snow->strength : snow->bearing);
    add_number(t, "adhesion", snow->adhesion);
    add_number(t, "max_density", snow->max_density);
    add_number(t, "bearing", snow->bearing);
    add_number(t, "bearing_power", snow->bearing_power);
    end(t, snow->character);
}

void json_add_model(text *t, const model_class *model) {
    begin(t, "model", model->name);
    end(t, model->help);
}

void json_add_field(text *t, const model_class *model, const field_row *field) {
    static const char *const types[] = {"float", "double", "int32", "uint32", "uint64"};
    begin(t, "field", field->name);
    add_word(t, "model", model->name);
    add_word(t, "type", types[field->type]);
    text_add(t, ", \"components\": %u", field->components);
    add_word(t, "unit", field->unit);
    add_word(t, "written",
             field->flags & FIRN_FIELD_SHOWN                  ? "frames"
             : field->flags & (FIRN_FIELD_STATE | FIELD_KEPT) ? "checkpoints"
                                                              : "never");
    end(t, field->help);
}

void json_add_series(text *t, const model_class *model, const series_row *series) {
    begin(t, "series", series->name[0] ? series->name : series->panel);
    add_word(t, "model", model->name);
    add_word(t, "panel", series->panel);
    add_word(t, "unit", series->unit);
    end(t, series->help);
}

void json_add_word(text *t, const char *kind, const char *name, const char *help) {
    begin(t, kind, name);
    end(t, help);
}
