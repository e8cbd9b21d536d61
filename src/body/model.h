// What the world asks of a model. docs/adding-a-model.md walks through an example.
#ifndef BODY_MODEL_H
#define BODY_MODEL_H

#include <firn/model.h>

#include "base/clock.h"
#include "base/param.h"

// The contract is public (firn/model.h); in here it goes by shorter names.
typedef firn_body_set body_set;
typedef firn_model_setting model_setting;
typedef firn_model_step model_step;
typedef firn_field_span field_span;
typedef firn_field_row field_row;
typedef firn_field_table field_table;
typedef firn_series_row series_row;
typedef firn_series_table series_table;
typedef firn_look_kind model_look_kind;
typedef firn_look model_look;
typedef firn_drawing model_drawing;
typedef firn_model_class model_class;
#define MODEL_SURFACE FIRN_LOOK_SURFACE
#define MODEL_LIQUID FIRN_LOOK_LIQUID
#define MODEL_SPHERES FIRN_LOOK_SPHERES
#define MODEL_FLAKES FIRN_LOOK_FLAKES
#define MODEL_SOLID FIRN_LOOK_SOLID

// The part of a setting that may change while the world runs.
static inline void model_setting_update(model_setting *setting, const model_setting *now) {
    setting->gravity = now->gravity;
    setting->air_temperature = now->air_temperature;
    setting->max_speed = now->max_speed;
}

// Matter that comes and goes while the world runs.
typedef struct model_item {
    const char *list; // "mpm.snow"
    size_t number;    // in its list
    const body_set *bodies;
} model_item;
// What is taken out: all of an item, or what is inside a shape.
typedef struct model_region {
    const model_item *item; // NULL: the shape
    const struct shape *form;
    firn_vec3 at; // m
    firn_quat rotation;
} model_region;
bool model_region_has(const model_region *region, firn_vec3 x); // inside the shape
struct firn_model_growth {
    // The last item of a list of params is new: makes its particles from the present state on; with
    // setting->loading only what is not state. Nothing has changed if it fails. NULL: no list of it grows.
    firn_status (*add)(void *model, const void *params, const model_setting *setting, const model_item *item);
    // Removes particles, which count as gone (mass_out). Fails only if it cannot do that at all.
    firn_status (*take_out)(void *model, const model_region *region);
    // Gives heat (J/kg) to what is inside a shape, counted with its sources; false: it has no heat. May be
    // NULL.
    bool (*heat)(void *model, const model_region *region, double each);
    // Puts a heap of snow (kg) within `radius` (m) of a place on the ground, which counts as mass that
    // entered; sets *took if it is there. May be NULL.
    firn_status (*put)(void *model, double x, double z, double radius, double kg, bool *took);
};

// A model whose state can be divided among ranks (net/net.h). All are collective.
struct firn_model_ranks {
    // What in this scene keeps it on one rank ("mpm.heat"); NULL: nothing.
    const char *(*keeps)(const firn_world_def *def);
    // Rank 0 has all, or all have a part since they made it (setting.parts): the others get what is not by
    // item; the next step divides the items.
    firn_status (*share)(void *model);
    // Until the next step begins each rank shows a slab of the items: those of rank 1 follow those of rank 0,
    // in the order of a run on one rank, or (whole) rank 0 has them all. Ledger and time series are then
    // those of all, on rank 0.
    firn_status (*gather)(void *model, bool whole);
    size_t (*total)(const void *model);                       // items of all ranks
    size_t (*total_of)(const void *model, const char *field); // instead, where fields differ; or NULL
    bool (*is_divided)(const char *field);                    // one value or more for each item
};

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

// Item i of a field of positions: three floats or three doubles each.
static inline bool field_has_positions(const firn_field *f) {
    return f->data && f->components == 3 && (f->type == FIRN_F32 || f->type == FIRN_F64);
}
static inline firn_vec3 field_position(const firn_field *f, size_t i) {
    const float *x = (const float *)f->data + 3 * i;
    const double *y = (const double *)f->data + 3 * i;
    return f->type == FIRN_F64 ? (firn_vec3){y[0], y[1], y[2]}
                               : (firn_vec3){(double)x[0], (double)x[1], (double)x[2]};
}

// The same as floats from `near`.
static inline void field_position_near(const firn_field *f, size_t i, firn_vec3 near, float out[3]) {
    firn_vec3 x = field_position(f, i);
    out[0] = (float)(x.x - near.x);
    out[1] = (float)(x.y - near.y);
    out[2] = (float)(x.z - near.z);
}

// The present data of a field; false if it is absent.
bool field_fetch(const field_row *row, const void *model, firn_field *out);

#define SERIES_TABLE(rows, present, get)                                                                     \
    { (rows), sizeof(rows) / sizeof(rows)[0], (present), (get) }

#endif
