/* firn: the interface between a world and its models. Built-in models fill in the same struct.
   docs/extending.md walks through a model that a program adds. */
#ifndef FIRN_MODEL_H
#define FIRN_MODEL_H

#include <firn/events.h>
#include <firn/param.h>
#include <firn/scene.h>
#include <firn/snowfield.h>
#include <firn/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_body_set firn_body_set; /* the rigid bodies of a world */
struct firn_profile;

/* Events of a step. Adds a copy of the event, with number and time of the step; kinds that the program does
   not listen for are ignored. Call it from the thread that steps, in an order that does not depend on
   threads.
 */
typedef struct firn_event_list firn_event_list;
FIRN_API void firn_event_add(firn_event_list *list,
                             const firn_event *event); /* [world]; list NULL: nothing */

/* Settings of the world for the creation of a model. */
typedef struct firn_model_setting {
    firn_vec3 gravity;      /* m/s2 */
    double air_temperature; /* degrees Celsius */
    uint64_t seed;
    double max_speed;   /* m/s; faster items are invalid */
    double duration;    /* s, of the scene; for estimates only */
    const char *folder; /* base of relative file names */
    double time;        /* s, of the world */
    bool loading;       /* `changed` is called because state was loaded: it must not change state */
    bool for_frames;    /* the world only displays loaded frames: no initial state is needed */
    bool thaws;         /* something in the scene is, or will be by keyframes, warm enough to melt snow:
                           air, radiation, rain or a body; known when a model is created */
    bool rebuilt;       /* bodies have come or gone since the start of the world */
    size_t parts, part; /* over several ranks: only this part of so many of its items is made here; 0: all */
    const void *replaces;      /* the model whose state the new one takes over; NULL: none */
    const firn_world_def *def; /* the whole scene, for models that depend on sections of others; lives as long
                                  as the world */
} firn_model_setting;

typedef struct firn_model_step {
    double time;     /* s, at the start of the step */
    double dt;       /* s */
    uint64_t step;   /* steps of this model before this one */
    double deadline; /* s, of the library's clock: after it, work that can be postponed is left to the next
                        step; 0: none */
    firn_event_list *events; /* NULL: the program listens for none */
} firn_model_step;

/* A field: a named array of a model that can be written, drawn and hashed. Its rows are static, so that
   command, documentation and checks can list them without a world. */
typedef struct firn_field_span {
    void *data;
    size_t count; /* items */
    bool absent;  /* not present in this world (wind without flakes) */
} firn_field_span;
typedef struct firn_field_row {
    const char *name; /* "mpm.position" */
    const char *unit; /* "m"; "" for pure numbers */
    const char *help;
    firn_type type;
    uint32_t components;                       /* per item */
    uint32_t flags;                            /* FIRN_FIELD_STATE, FIRN_FIELD_SHOWN */
    firn_field_span (*get)(const void *model); /* its present data; valid until the next step */
} firn_field_row;
/* Fields of a model. */
typedef struct firn_field_table {
    const firn_field_row *rows;
    size_t count;
} firn_field_table;

/* Time series: numbers that a model reports besides its balance. Those of one panel are plotted together and
   have the same unit. */
typedef struct firn_series_row {
    const char *panel; /* "mean temperature" */
    const char *name;  /* "snow"; "": the only one of its panel */
    const char *unit;  /* "C"; "" for pure numbers */
    const char *help;
} firn_series_row;
typedef struct firn_series_table {
    const firn_series_row *rows;
    size_t count;
    bool (*present)(const void *model);             /* whether this world has them; NULL: always */
    void (*get)(const void *model, double *values); /* of all rows, now; NAN: has no value now */
} firn_series_table;

/* How items look in a picture. Items of one kind that differ in size or colour have looks of their own. */
typedef enum firn_look_kind {
    FIRN_LOOK_SURFACE, /* snow: the surface around all items of the look */
    FIRN_LOOK_LIQUID,  /* the same, transparent */
    FIRN_LOOK_SPHERES,
    FIRN_LOOK_FLAKES, /* soft spots, blurred by their motion */
    FIRN_LOOK_SOLID,  /* linked items: cloth, a rope, or the skin of a solid (below) */
} firn_look_kind;
typedef struct firn_look {
    firn_look_kind kind;
    const char *name; /* of its surface (firn/surface.h), after the model's: "water"; "": the model's alone;
                         NULL: it has none */
    double spacing;   /* m; cube root of the volume per item; of linked spheres: between neighbours */
    double radius;    /* m, of an item that is drawn alone */
    firn_vec3 color;  /* auto: that of snow or water */
    uint32_t columns, rows; /* of a sheet (cloth), whose items come row by row; one row: a rope; 0: neither */
    bool tears; /* of a sheet or rope: it is torn where neighbours of a row or column are not linked */
} firn_look;
/* Snow on the ground as a height field. */
typedef struct firn_heights_drawing {
    void (*get)(const void *model, firn_snowfield *out); /* as it is now; valid until the next step */
    const char *depth, *density, *ground;                /* fields of its tiles, for colours */
    const char *temperature, *wetness;                   /* the same, of snow that has heat; NULL: none */
    /* Fields of the snow on top of bodies: the tiles where there may be some; for each cell its depth and the
       height of the body's surface below it (m). NULL: none */
    const char *top_tile, *top_depth, *top_height;
    const char *bits;                            /* field: positions of loose bits in the air; NULL: none */
    firn_vec3 (*color)(const void *model);       /* linear RGB, of snow that is not compacted */
    double (*packed_density)(const void *model); /* kg/m3, of snow that looks fully compacted */
} firn_heights_drawing;
/* Values on a regular grid. */
typedef struct firn_grid_drawing {
    const char *values; /* field: rows along x, then y, then z */
    const char *grid;   /* field: position of the first value (x, y, z) and distance to the next, in m; number
                           of values along x, y and z */
    const char *gauges; /* field: two more numbers at each of the points, of air: pressure (Pa), divergence
                           (1/s); NULL: none */
    /* The same on coarser grids around this one, of air: from fine to coarse, all values one after the other;
       `grid` has as many numbers for each as for this one, eight. NULL, or fields that are absent: none */
    const struct firn_grid_drawing *around;
} firn_grid_drawing;
struct firn_skin;
/* All members are optional: what is NULL is not drawn. */
typedef struct firn_drawing {
    const char *position;              /* field: three floats or doubles for each item; NULL: no items */
    const char *velocity;              /* field, of flakes; NULL: they are not blurred */
    const char *wetness;               /* field, 0 .. 1: makes a surface darker; NULL: dry */
    const char *link_ends, *link_rest; /* fields: indices of the linked items, all first ends and then all
                                          second ends; rest lengths. NULL: no links */
    size_t (*look_count)(const void *model); /* NULL: one */
    firn_look (*look)(const void *model, size_t number);
    void (*look_of)(const void *model, uint32_t *look); /* of each item; NULL: all have the first */
    /* Of built-in models: the surface of an undeformed solid, which follows its items; *skin NULL: it is the
       surface around its items. May be NULL. */
    firn_status (*skin)(const void *model, size_t look, const struct firn_skin **skin);
    /* Walls that confine liquids at a time (s), infinite where there are none; may be NULL. */
    void (*walls)(const void *model, double time, float low[3], float high[3]);
    /* Spray and foam of liquids: fields of their positions and velocities, and their radius (m); NULL: none
     */
    const char *foam, *foam_velocity;
    double (*foam_radius)(const void *model);
    const firn_heights_drawing *heights;
    const firn_grid_drawing *air;   /* velocity (m/s) at points */
    const firn_grid_drawing *cover; /* snow fraction of each cell, 0 .. 1; below 0: inside a body; the grid's
                                       position is the corner of the first cell */
} firn_drawing;

typedef struct firn_model_class {
    const char *name; /* "grains": the section of the scene and the prefix of its fields */
    const char *help; /* one line */
    /* Its section in a scene, and the struct (def) that it describes. */
    const firn_param_table *params;
    /* Of built-in models: all sections that belong to the model, and the checks between them; offsets are
       those in firn_world_def. A scene that has the first of them has the model. NULL: set by
       firn_register_model, and `params` is the only section. */
    const firn_param_table *sections;
    /* params: the struct of the first section (firn_grains_def). *model is only set on success. */
    firn_status (*create)(const void *params, const firn_model_setting *setting, const firn_body_set *bodies,
                          void **model);
    void (*destroy)(void *model);
    /* Live parameters, of its sections or of the setting, are about to change to these. Fails with a message
       if the present state does not allow it, or when there is no memory for it; then nothing changes. May be
       NULL. */
    firn_status (*may_change)(void *model, const void *params, const firn_model_setting *setting);
    /* They have changed. May be NULL. */
    void (*changed)(void *model, const void *params, const firn_model_setting *setting);
    /* Time step limit of the present state (CFL and the like); INFINITY: none. */
    double (*max_dt)(const void *model);
    firn_status (*step)(void *model, firn_body_set *bodies, firn_model_step step);
    const firn_field_table *const *fields; /* its field tables; ends in NULL */
    /* Resizes the field `name` to `count` items before its data is loaded; FIRN_BAD_INPUT if the count is
       invalid. */
    firn_status (*resize)(void *model, const char *name, size_t count);
    /* After loading all fields: recomputes derived data. May be NULL. */
    firn_status (*loaded)(void *model);
    /* Updates derived fields if they are stale. May be NULL. */
    void (*show)(void *model);
    /* For models whose particles fill space: cube root of the volume per particle, m. NULL for others. */
    double (*spacing)(const void *model);
    /* The balance: out->model is set, all else is 0. */
    void (*ledger)(const void *model, firn_ledger *out);
    const firn_series_table *const *series; /* its tables of time series; ends in NULL; NULL: none */
    /* Finds the first item that is not finite, too fast or outside the domain: sets *item and *what
       ("position"); false if all are valid. */
    bool (*find_invalid)(const void *model, uint64_t *item, const char **what);
    /* Adds the estimated cost of these params: bytes of one frame to cost->disk, wall time of one step to
       cost->seconds; reduces cost->step to the time step limit. */
    firn_status (*cost)(const void *params, const firn_model_setting *setting, firn_cost *cost);
    struct firn_profile *(*profile)(void *model); /* passes of the step, of built-in models; may be NULL */
    const firn_drawing *drawing;                  /* NULL: it has no items to draw */
    const struct firn_model_growth *growth; /* of built-in models: items that come and go; may be NULL */
    const struct firn_model_ranks *ranks;   /* of built-in models: runs on several ranks; may be NULL */
    const struct firn_offers *offers;       /* of built-in models: what others may ask of it; may be NULL */
} firn_model_class;

/* ---- What a program calls to add a model of its own. */

/* Registers a model for all scenes and worlds that the program creates from now on. The class is copied; what
   it points to must stay valid. Call it before worlds are created, and not while another thread is in a call
   of the library. Required are name, help, params, create, destroy, step, fields, resize and ledger; the name
   must not be a key of a scene yet, and those of the fields begin with it ("hail.position"). May be NULL:
   changed, max_dt (no limit), loaded, show, spacing, series, find_invalid (no check by the watchdog), cost
   (none), profile, drawing. FIRN_BAD_INPUT if the class is invalid, FIRN_UNSUPPORTED beyond FIRN_EXTENSIONS.

   The functions are called on the thread that is in a call of the world, never two at a time for one world;
   those of two worlds may run on two threads at once. Registered models step after the built-in ones, in the
   order in which they were registered. */
FIRN_API firn_status firn_register_model(const firn_model_class *model); /* [setup] */
/* Adds the section of a registered model to a world def: params is the struct of its table, which the world
   copies. NULL: removes it. */
FIRN_API firn_status firn_world_def_extend(firn_world_def *def, const char *model,
                                           const void *params); /* [any] */

/* ---- What a model may call while it is created and steps. */

/* Sets firn_last_error() and returns `status`, as in: return firn_fail(FIRN_BAD_INPUT, "hail: ..."). */
FIRN_API firn_status firn_fail(firn_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ; /* [any] */
/* Calls task(context, begin, end) for [0, count) in blocks of `block` items, on the threads of the world. The
   blocks do not depend on the number of threads: what each writes to its own memory is the same for any
   number; add up sums in the order of the blocks. */
FIRN_API firn_status firn_parallel_for(size_t count, size_t block,
                                       void (*task)(void *context, size_t begin, size_t end),
                                       void *context); /* [any] */

/* The bodies of the world, at the end of the present step; only within the functions of a model. What is
   [read] may be called from tasks of firn_parallel_for. */
FIRN_API size_t firn_body_set_count(const firn_body_set *bodies);                       /* [read] */
FIRN_API const char *firn_body_set_name(const firn_body_set *bodies, size_t body);      /* [read] */
FIRN_API firn_body_state firn_body_set_state(const firn_body_set *bodies, size_t body); /* [read] */
/* Coefficients of friction and restitution; temperature in degrees Celsius, NAN: insulated. */
typedef struct firn_body_material {
    double friction, restitution, temperature;
} firn_body_material;
/* The material of a body's surface. */
FIRN_API firn_body_material firn_body_set_material(const firn_body_set *bodies, size_t body); /* [read] */
/* As firn_world_body_query: signed distance (m), outward normal and velocity at n points, packed x, y, z. */
FIRN_API firn_status firn_body_set_query(const firn_body_set *bodies, size_t body, size_t n,
                                         const float *points, float *distance, float *normals,
                                         float *velocities); /* [read] */
/* A contact of a moving sphere with a body. */
typedef struct firn_body_hit {
    double t;          /* 0..1 of the motion */
    firn_vec3 point;   /* centre of the sphere at the contact */
    firn_vec3 normal;  /* outward */
    firn_vec3 carried; /* the point, moved with the body to the end of the step */
} firn_body_hit;
/* First contact of a sphere that moves from `from` to `to` during the step, while the body moves as well:
   no contact is missed, however thin the body is. *found: whether there is one; only then *hit is set. */
FIRN_API firn_status firn_body_set_sweep(const firn_body_set *bodies, size_t body, firn_vec3 from,
                                         firn_vec3 to, double radius, bool *found,
                                         firn_body_hit *hit); /* [read] */
/* Impulse (N s) on a body at a point (m). A dynamic body receives it in its next step; for others it is only
   part of the reaction. Not from tasks of firn_parallel_for: sum by block first. */
FIRN_API firn_status firn_body_set_push(firn_body_set *bodies, size_t body, firn_vec3 impulse,
                                        firn_vec3 at); /* [world] */

#ifdef __cplusplus
}
#endif
#endif
