// The models that there are: firn's own, then those that the program brings.
#include <math.h>
#include <string.h>

#include "base/cookie.h"
#include "world/world_models.h"

#define CLASS(model) &model##_model,
#define ONE(model) +1
enum { OWN_MODELS = 0 WORLD_MODELS(ONE) };
static const model_class *classes[OWN_MODELS + FIRN_EXTENSIONS] = {WORLD_MODELS(CLASS)};
#undef CLASS
#undef ONE

typedef struct registered {
    model_class kind;
    param_row section[2]; // and the end of the rows
    param_table sections;
} registered;
static registered models[FIRN_EXTENSIONS];
static size_t model_count;

// One row for each, in the order in which they came; ends in a row without a name.
static param_row section_rows[FIRN_EXTENSIONS + 1];
const param_table world_extensions = {.name = "", .rows = section_rows, .size = sizeof(firn_world_def)};

const model_class *const *world_model_classes(size_t *count) {
    *count = OWN_MODELS + model_count;
    return classes;
}

static double no_limit(const void *model) {
    (void)model;
    return INFINITY;
}

static bool nothing_invalid(const void *model, uint64_t *item, const char **what) {
    (void)model, (void)item, (void)what;
    return false;
}

static firn_status check_fields(const firn_model_class *model) {
    size_t length = strlen(model->name);
    for (const field_table *const *table = model->fields; *table; table++)
        for (size_t i = 0; i < (*table)->count; i++) {
            const field_row *row = &(*table)->rows[i];
            if (!row->name || strncmp(row->name, model->name, length) != 0 || row->name[length] != '.')
                return fail(FIRN_BAD_INPUT, "model '%s': the name of field '%.80s' must begin with '%s.'",
                            model->name, row->name ? row->name : "", model->name);
            if (!row->get || !row->unit || !row->help || row->components == 0 || row->type > FIRN_U64)
                return fail(FIRN_BAD_INPUT,
                            "model '%s': field '%.80s' lacks unit, help, components or getter", model->name,
                            row->name);
        }
    return FIRN_OK;
}

static firn_status check_series(const firn_model_class *model) {
    for (const series_table *const *table = model->series; table && *table; table++) {
        bool whole = (*table)->get && (*table)->count > 0;
        for (size_t i = 0; whole && i < (*table)->count; i++) {
            const series_row *row = &(*table)->rows[i];
            whole = row->panel && row->panel[0] && row->name && row->unit && row->help;
        }
        if (!whole)
            return fail(FIRN_BAD_INPUT, "model '%s': a series lacks panel, name, unit, help or getter",
                        model->name);
    }
    return FIRN_OK;
}

static firn_status check_class(const firn_model_class *model) {
    if (!model->name || !param_name_allowed(model->name))
        return fail(FIRN_BAD_INPUT, "a model has no name, or one that cannot be a key of a scene");
    const struct {
        bool there;
        const char *what;
    } needed[] = {{model->help, "help"},
                  {model->params && model->params->rows && model->params->size > 0, "params"},
                  {model->create, "create"},
                  {model->destroy, "destroy"},
                  {model->step, "step"},
                  {model->fields, "fields"},
                  {model->resize, "resize"},
                  {model->ledger, "ledger"}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!needed[i].there)
            return fail(FIRN_BAD_INPUT, "model '%s' has no '%s'", model->name, needed[i].what);
    if (model->sections)
        return fail(FIRN_BAD_INPUT, "model '%s': 'sections' is for built-in models; set 'params'",
                    model->name);
    if (model->drawing && (!model->drawing->position || !model->drawing->look))
        return fail(FIRN_BAD_INPUT, "model '%s': its drawing has no position or no look", model->name);
    TRY(check_fields(model));
    return check_series(model);
}

// Keys of a scene that are not the world's (src/scene), and the prefix of the world's own fields.
static bool is_taken(const char *name) {
    static const char *const others[] = {"firn",    "from",       "camera",   "cameras",
                                         "picture", "checkpoint", "compress", "world"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i], name) == 0) return true;
    return param_row_find(&world_params, NULL, name, NULL) != NULL;
}

firn_status firn_register_model(const firn_model_class *model) {
    NEED(model);
    TRY(check_class(model));
    if (is_taken(model->name))
        return fail(FIRN_BAD_INPUT, "model '%s': a section of this name exists already", model->name);
    if (model_count == FIRN_EXTENSIONS)
        return fail(FIRN_UNSUPPORTED, "too many models: a program can register %d", (int)FIRN_EXTENSIONS);
    registered *m = &models[model_count];
    m->section[0] = (param_row){.name = model->name,
                                .type = PARAM_OPTIONAL,
                                .offset = offsetof(firn_world_def, extension) + model_count * sizeof(void *),
                                .table = model->params,
                                .help = model->help,
                                .sparse = true};
    m->sections = (param_table){.name = "", .rows = m->section, .size = sizeof(firn_world_def)};
    m->kind = *model;
    m->kind.sections = &m->sections;
    if (!m->kind.max_dt) m->kind.max_dt = no_limit;
    if (!m->kind.find_invalid) m->kind.find_invalid = nothing_invalid;
    section_rows[model_count] = m->section[0];
    classes[OWN_MODELS + model_count] = &m->kind;
    model_count++;
    return FIRN_OK;
}

firn_status firn_world_def_extend(firn_world_def *def, const char *model, const void *params) {
    NEED(def);
    NEED_COOKIE(firn_world_def, def);
    NEED(model);
    for (size_t i = 0; i < model_count; i++)
        if (strcmp(models[i].kind.name, model) == 0) {
            def->extension[i] = params;
            return FIRN_OK;
        }
    return fail(FIRN_BAD_INPUT, "no model '%.80s' is registered", model);
}
