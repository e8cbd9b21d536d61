// What the world asks of every model. Who knows one model knows all. docs/adding-a-model.md walks through
// one.
#ifndef BODY_MODEL_H
#define BODY_MODEL_H

#include <firn/scene.h>
#include <firn/world.h>

#include "base/clock.h"
#include "base/param.h"

typedef struct body_set body_set;

// What the world tells a model at its creation.
typedef struct model_setting {
    firn_vec3 gravity;      // m/s2
    double air_temperature; // degrees Celsius
    uint64_t seed;
    double max_speed;          // m/s, of the watchdog
    double duration;           // s, of the scene; for estimates only
    const char *folder;        // relative file names start here
    bool for_frames;           // the world only shows frames that are loaded into it: no fill, no start state
    const firn_world_def *def; // the whole scene, for models that depend on sections of others; lives as long
                               // as the world
} model_setting;

// The part of a setting that may change while the world runs.
static inline void model_setting_update(model_setting *setting, const model_setting *now) {
    setting->gravity = now->gravity;
    setting->air_temperature = now->air_temperature;
    setting->max_speed = now->max_speed;
}

typedef struct model_step {
    double time;     // s, at the start of the step
    double dt;       // s
    uint64_t step;   // steps before this one
    double deadline; // s, of clock_seconds: after it, work that can wait for the next step waits; 0: none
} model_step;

// A named array of a model: what can be written, drawn and hashed. The rows are static, so that the command,
// the documentation and the checks know them without a world.
typedef struct field_span {
    void *data;
    size_t count; // items
    bool absent;  // this world does not have the field (wind without flakes)
} field_span;
typedef struct field_row {
    const char *name; // "mpm.position"
    const char *unit; // "m"; "" for pure numbers
    const char *help;
    firn_type type;
    uint32_t components;                  // per item
    uint32_t flags;                       // FIRN_FIELD_STATE, FIRN_FIELD_SHOWN
    field_span (*get)(const void *model); // where it is now; pointers hold until the next step
} field_row;
typedef struct field_table {
    const field_row *rows;
    size_t count;
} field_table;
#define FIELD_TABLE(rows)                                                                                    \
    { (rows), sizeof(rows) / sizeof(rows)[0] }

// Defines a getter: `count` items at `data`, both in terms of `s`, the model's state.
#define FIELD_GET(name, state, count_, data_)                                                                \
    static field_span name(const void *model) {                                                              \
        const state *s = model;                                                                              \
        return (field_span){.data = (void *)(data_), .count = (count_)};                                     \
    }
// The same for a field that only some worlds have.
#define FIELD_GET_IF(name, state, present, count_, data_)                                                    \
    static field_span name(const void *model) {                                                              \
        const state *s = model;                                                                              \
        if (!(present)) return (field_span){.absent = true};                                                 \
        return (field_span){.data = (void *)(data_), .count = (count_)};                                     \
    }

// The field of a row as it is now; false if this world does not have it.
bool field_fetch(const field_row *row, const void *model, firn_field *out);

// Adds a number of the model's own to its ledger: what a user would want to see over time. Panel, name and
// unit must fit. A model that has more than FIRN_SERIES is refused when its world is created.
void model_series(firn_ledger *ledger, const char *panel, const char *name, const char *unit, double value);

typedef struct model_class {
    const char *name; // "grains": the section of the scene and the prefix of its fields
    const char *help; // one line
    // The sections of a scene that belong to it, and what is checked between them; offsets count from
    // firn_world_def. A scene that has the first of them has the model.
    const param_table *sections;
    // params: the struct of the first section (firn_grains_def). *model is only set on success.
    firn_status (*create)(const void *params, const model_setting *setting, const body_set *bodies,
                          void **model);
    void (*destroy)(void *model);
    // Parameters that may change live, of its sections or of the setting, have changed. May be NULL.
    void (*changed)(void *model, const void *params, const model_setting *setting);
    // Longest stable step from the present state; INFINITY if any.
    double (*max_dt)(const void *model);
    firn_status (*step)(void *model, body_set *bodies, model_step step);
    const field_table *const *fields; // its fields, part by part; the list ends with NULL
    // Makes room for `count` items of the field `name` before its data is loaded; FIRN_BAD_INPUT if that
    // cannot be.
    firn_status (*resize)(void *model, const char *name, size_t count);
    // After loading all fields: recompute what follows from them. May be NULL.
    firn_status (*loaded)(void *model);
    // Brings fields up to date that are shown but are no state, if they are not. May be NULL.
    void (*show)(void *model);
    // For models whose particles fill space: cube root of a particle's share of it, m. NULL: others.
    double (*spacing)(const void *model);
    void (*ledger)(const void *model, firn_ledger *out);
    // First item whose value is not finite or too fast: sets *item and a word for what ("position"); false if
    // all is well.
    bool (*sick)(const void *model, uint64_t *item, const char **what);
    // Adds what a scene with these params will need; cost->disk grows by the bytes of one frame,
    // cost->seconds by the wall time of one step; cost->step shrinks to what the model can take.
    firn_status (*cost)(const void *params, const model_setting *setting, firn_cost *cost);
    profile *(*profile)(void *model); // passes of the step; may be NULL
} model_class;

#endif
