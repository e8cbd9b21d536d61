// The interface of a model. docs/adding-a-model.md walks through an example.
#ifndef BODY_MODEL_H
#define BODY_MODEL_H

#include <firn/scene.h>
#include <firn/world.h>

#include "base/clock.h"
#include "base/param.h"

typedef struct body_set body_set;

// Settings of the world for the creation of a model.
typedef struct model_setting {
    firn_vec3 gravity;      // m/s2
    double air_temperature; // degrees Celsius
    uint64_t seed;
    double max_speed;          // m/s; faster items are invalid
    double duration;           // s, of the scene; for estimates only
    const char *folder;        // base of relative file names
    bool for_frames;           // the world only displays loaded frames: no initial state is needed
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

// A field: a named array of a model that can be written, drawn and hashed. Its rows are static, so that
// command, documentation and checks can list them without a world.
typedef struct field_span {
    void *data;
    size_t count; // items
    bool absent;  // not present in this world (wind without flakes)
} field_span;
typedef struct field_row {
    const char *name; // "mpm.position"
    const char *unit; // "m"; "" for pure numbers
    const char *help;
    firn_type type;
    uint32_t components;                  // per item
    uint32_t flags;                       // FIRN_FIELD_STATE, FIRN_FIELD_SHOWN
    field_span (*get)(const void *model); // its present data; valid until the next step
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
// The same for a field that is present only if `present`.
#define FIELD_GET_IF(name, state, present, count_, data_)                                                    \
    static field_span name(const void *model) {                                                              \
        const state *s = model;                                                                              \
        if (!(present)) return (field_span){.absent = true};                                                 \
        return (field_span){.data = (void *)(data_), .count = (count_)};                                     \
    }

// The present data of a field; false if it is absent.
bool field_fetch(const field_row *row, const void *model, firn_field *out);

// Adds a time series to a model's ledger. Panel, name and unit must fit. A model with more than FIRN_SERIES
// is refused when its world is created.
void model_series(firn_ledger *ledger, const char *panel, const char *name, const char *unit, double value);

// How items look in a picture. Those of one kind may differ in size and colour: each is a look of its own.
typedef enum model_look_kind {
    MODEL_SURFACE, // snow: the surface around all items of the look
    MODEL_LIQUID,  // the same, and one sees through it
    MODEL_SPHERES,
    MODEL_FLAKES, // soft, blurred by their motion
} model_look_kind;
typedef struct model_look {
    model_look_kind kind;
    double spacing;  // m; cube root of an item's share of space; of linked spheres: between neighbours
    double radius;   // m, of an item that is drawn alone
    firn_vec3 color; // x < 0: that of snow or water
} model_look;
typedef struct model_drawing {
    const char *position;              // field: three floats for each item
    const char *velocity;              // field, of flakes; NULL: they are not blurred
    const char *wetness;               // field, 0 .. 1: makes a surface darker; NULL: dry
    const char *link_ends, *link_rest; // fields: numbers of the items linked, all first ends and then all
                                       // second ends; lengths without strain. NULL: no links
    size_t (*look_count)(const void *model);
    model_look (*look)(const void *model, size_t number);
    void (*look_of)(const void *model, uint32_t *look);  // of each item; NULL: all have the first
    const firn_pbd_box_def *(*walls)(const void *model); // a liquid stands between; may be or give NULL
} model_drawing;

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
    // Time step limit of the present state (CFL and the like); INFINITY: none.
    double (*max_dt)(const void *model);
    firn_status (*step)(void *model, body_set *bodies, model_step step);
    const field_table *const *fields; // its field tables; ends in NULL
    // Resizes the field `name` to `count` items before its data is loaded; FIRN_BAD_INPUT if the count is
    // invalid.
    firn_status (*resize)(void *model, const char *name, size_t count);
    // After loading all fields: recomputes derived data. May be NULL.
    firn_status (*loaded)(void *model);
    // Updates derived fields if they are stale. May be NULL.
    void (*show)(void *model);
    // For models whose particles fill space: cube root of the volume per particle, m. NULL for others.
    double (*spacing)(const void *model);
    void (*ledger)(const void *model, firn_ledger *out);
    // Finds the first item that is not finite, too fast or outside the domain: sets *item and *what
    // ("position"); false if all are valid.
    bool (*find_invalid)(const void *model, uint64_t *item, const char **what);
    // Adds the estimated cost of these params: bytes of one frame to cost->disk, wall time of one step to
    // cost->seconds; reduces cost->step to the time step limit.
    firn_status (*cost)(const void *params, const model_setting *setting, firn_cost *cost);
    profile *(*profile)(void *model); // passes of the step; may be NULL
    const model_drawing *drawing;     // NULL: it has no items to draw
} model_class;

#endif
