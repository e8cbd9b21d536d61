// `firn list`: one line for everything there is, as text or as JSON.
#include <stdio.h>
#include <string.h>

#include "body/model.h"
#include "scene/catalog.h"
#include "scene/json_rows.h"
#include "scene/meetings.h"
#include "scene/scene.h"
#include "snow/snow_type.h"
#include "world/world.h"

static void list_snow(text *t) {
    size_t count;
    const snow_type *types = snow_types(&count);
    text_add(t, "Snow types (with their density in kg/m3)\n");
    for (size_t i = 0; i < count; i++)
        text_add(t, "  %-22s %-10g %s\n", types[i].name, types[i].density, types[i].character);
}

static void list_models(text *t, const model_class *only) {
    size_t count;
    const model_class *const *classes = world_model_classes(&count);
    text_add(t, "Models\n");
    for (size_t i = 0; i < count; i++)
        if (!only || only == classes[i]) text_add(t, "  %-22s %s\n", classes[i]->name, classes[i]->help);
}

static void list_shapes(text *t) {
    const param_row *shape = param_find(&scene_params, "bodies.shape", NULL);
    text_add(t, "Shapes\n");
    for (const param_variant *v = shape->variants; v->name; v++)
        text_add(t, "  %-22s %s\n", v->name, v->help);
}

static void list_fields(text *t, const model_class *only) {
    const model_class *owner;
    text_add(t, "Fields\n");
    for (size_t i = 0; world_field_row(i, NULL); i++) {
        const field_row *f = world_field_row(i, &owner);
        if ((!only || only == owner) && (f->flags & FIRN_FIELD_SHOWN))
            text_add(t, "  %-22s %-10s %s\n", f->name, f->unit, f->help);
    }
}

static void list_series(text *t, const model_class *only) {
    const model_class *owner;
    size_t before = t->length;
    for (size_t i = 0; world_series_row(i, NULL); i++) {
        const series_row *s = world_series_row(i, &owner);
        if (only && only != owner) continue;
        if (t->length == before) text_add(t, "Time series\n");
        char name[120];
        snprintf(name, sizeof name, s->name[0] ? "%s, %s: %s" : "%s, %s", owner->name, s->panel, s->name);
        text_add(t, "  %-40s %-6s %s\n", name, s->unit, s->help);
    }
}

enum { SNOW, MODELS, COUPLINGS, SHAPES, FIELDS, SERIES, SCENES, PARTS };
static const char *const part_names[PARTS] = {"snow",   "models", "couplings", "shapes",
                                              "fields", "series", "scenes"};

static const model_class *find_model(const char *name) {
    size_t count;
    const model_class *const *classes = world_model_classes(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(classes[i]->name, name) == 0) return classes[i];
    return NULL;
}

static firn_status unknown_filter(const char *filter) {
    size_t count, found = 0;
    const model_class *const *classes = world_model_classes(&count);
    const char **words = mem_alloc((PARTS + count) * sizeof *words);
    if (!words) return fail_memory("listing", (PARTS + count) * sizeof *words);
    text all = {0};
    for (size_t i = 0; i < PARTS; i++) words[found++] = part_names[i];
    for (size_t i = 0; i < count; i++) words[found++] = classes[i]->name;
    for (size_t i = 0; i < found; i++) text_add(&all, i ? ", %s" : "%s", words[i]);
    const char *nearest = word_nearest(filter, words, found);
    firn_status status = all.failed ? fail_memory("listing", all.length)
                                    : fail(FIRN_BAD_INPUT, "there is no list of '%.80s'%s%s%s; there are: %s",
                                           filter, nearest ? ", did you mean '" : "", nearest ? nearest : "",
                                           nearest ? "'?" : "", all.data);
    text_free(&all);
    mem_free(words);
    return status;
}

static void list_part_json(text *t, int part, const model_class *only) {
    size_t count;
    if (part == SNOW) {
        const snow_type *types = snow_types(&count);
        for (size_t i = 0; i < count; i++) json_add_snow(t, &types[i]);
    } else if (part == MODELS) {
        const model_class *const *classes = world_model_classes(&count);
        for (size_t i = 0; i < count; i++)
            if (!only || only == classes[i]) json_add_model(t, classes[i]);
    } else if (part == COUPLINGS) {
        list_couplings_json(t);
    } else if (part == SHAPES) {
        const param_variant *v = param_find(&scene_params, "bodies.shape", NULL)->variants;
        for (; v->name; v++) json_add_word(t, "shape", v->name, v->help);
    } else if (part == FIELDS) {
        const model_class *owner;
        for (size_t i = 0; world_field_row(i, NULL); i++) {
            const field_row *f = world_field_row(i, &owner);
            if ((!only || only == owner) && (f->flags & FIRN_FIELD_SHOWN)) json_add_field(t, owner, f);
        }
    } else if (part == SERIES) {
        const model_class *owner;
        for (size_t i = 0; world_series_row(i, NULL); i++) {
            const series_row *s = world_series_row(i, &owner);
            if (!only || only == owner) json_add_series(t, owner, s);
        }
    }
}

static bool has_series(const model_class *only) { return !only || (only->series && *only->series); }

// An empty line between two parts.
static void list_part(text *t, int part, const model_class *only) {
    if (t->length && part != SCENES && (part != SERIES || has_series(only))) text_add(t, "\n");
    if (part == SNOW) list_snow(t);
    if (part == MODELS) list_models(t, only);
    if (part == COUPLINGS) list_couplings(t);
    if (part == SHAPES) list_shapes(t);
    if (part == FIELDS) list_fields(t, only);
    if (part == SERIES) list_series(t, only);
}

firn_status firn_list(const char *filter, bool json, char **out) {
    if (!out) return fail_null("firn_list", "text");
    *out = NULL;
    bool all = !filter || !filter[0];
    const model_class *only = all ? NULL : find_model(filter);
    int first = 0, last = PARTS;
    if (!all && !only) {
        while (first < PARTS && strcmp(part_names[first], filter) != 0) first++;
        if (first == PARTS) return unknown_filter(filter);
        last = first + 1;
    }
    text t = {0};
    for (int part = first; part < last; part++)
        if (!only || part == MODELS || part == FIELDS || part == SERIES)
            (json ? list_part_json : list_part)(&t, part, only);
    return text_take(&t, out);
}
