/* firn: parameter tables. One table describes the struct of a scene section: the scene reader, `firn
   explain`, error messages, defaults, hashes and the reference are all derived from it. A program that adds
   its own model (firn/model.h) describes its parameters in the same way. Tables are constant and stay valid
   until the program ends. */
#ifndef FIRN_PARAM_H
#define FIRN_PARAM_H

#include <firn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Dimension of a number: scenes give it with a unit ("5 cm"), the struct holds it in SI units. */
typedef enum firn_dimension {
    FIRN_DIM_NONE, /* a pure number; "%" is allowed */
    FIRN_DIM_LENGTH,
    FIRN_DIM_TIME,
    FIRN_DIM_MASS,
    FIRN_DIM_TEMPERATURE, /* degrees Celsius in the struct; C, K, F in scenes */
    FIRN_DIM_ANGLE,       /* rad */
    FIRN_DIM_VELOCITY,
    FIRN_DIM_ACCELERATION,
    FIRN_DIM_SPIN,     /* rad/s */
    FIRN_DIM_DENSITY,  /* kg/m3 */
    FIRN_DIM_PRESSURE, /* Pa */
    FIRN_DIM_FORCE,
    FIRN_DIM_FREQUENCY,     /* 1/s */
    FIRN_DIM_STIFFNESS,     /* N/m */
    FIRN_DIM_PRECIPITATION, /* m/s, water equivalent; scenes usually say mm/h */
    FIRN_DIM_CONDUCTIVITY,  /* W/mK */
    FIRN_DIM_HEAT_CAPACITY, /* J/kgK */
    FIRN_DIM_HEAT,          /* J/kg */
    FIRN_DIM_HEAT_EXCHANGE, /* W/m2K */
    FIRN_DIM_VISCOSITY,     /* Pa s */
    FIRN_DIM_COUNT_,
} firn_dimension;

/* The member of the struct that a row describes. */
typedef enum firn_param_type {
    FIRN_PARAM_BOOL,     /* bool; true/false, yes/no, on/off */
    FIRN_PARAM_INT,      /* int32_t */
    FIRN_PARAM_REAL,     /* double, with a dimension */
    FIRN_PARAM_VEC3,     /* firn_vec3, with a dimension: [x, y, z] */
    FIRN_PARAM_COLOR,    /* firn_vec3, linear RGB: [r, g, b] in 0..1, "#rrggbb" (sRGB) or a colour's name;
                            never part of a scene's hash */
    FIRN_PARAM_TEXT,     /* const char * */
    FIRN_PARAM_FILE,     /* const char *: an existing file, relative to the scene's folder; made absolute */
    FIRN_PARAM_CHOICE,   /* an enum (int): one word of `choices` */
    FIRN_PARAM_WORD,     /* const char *: one word of `words()` (snow types); NULL when absent */
    FIRN_PARAM_TABLE,    /* a struct at offset, described by `table` */
    FIRN_PARAM_OPTIONAL, /* const T *: a struct described by `table`, NULL when the key is absent */
    FIRN_PARAM_MERGE,    /* a struct at offset whose rows are at the same level of the file (no key of its
                            own) */
    FIRN_PARAM_LIST,     /* {const T *items; size_t count}: a sequence of structs described by `table` */
    FIRN_PARAM_MAP, /* {const T *items; size_t count}: named structs described by `table`; each starts with
                       const char *name */
    FIRN_PARAM_VARIANT, /* a struct at offset that starts with an enum (int) kind: a word, or {word: {rows}},
                           of `variants` */
} firn_param_type;

typedef struct firn_param_table firn_param_table;

/* One of the forms of a FIRN_PARAM_VARIANT: "sphere" -> kind FIRN_SHAPE_SPHERE, rows of `table` (offsets into
   the variant's struct). If `list` is set, a bare sequence in the file means this variant, and `table` has
   that one FIRN_PARAM_LIST row. */
typedef struct firn_param_variant {
    const char *name;
    int kind;
    const firn_param_table *table; /* NULL: no parameters */
    const char *help;
    bool list;
} firn_param_variant;

typedef struct firn_param_row {
    const char *name;
    firn_param_type type;
    size_t offset;
    firn_dimension unit;
    const char *fallback; /* the default, as written in a file: "5 cm", "[0, 0, 0]", "plane" (a variant's
                             word); NULL: none, and the key must be given if `required`; otherwise memory
                             stays zero. "auto" (REAL, VEC3, COLOR): FIRN_AUTO in the struct, chosen by firn;
                             `auto` is then allowed in a file, too */
    double min, max; /* allowed range in SI, inclusive; both 0: no limit; +-INFINITY: open. For vectors each
                        component. The default itself is always allowed. */
    bool required;
    bool live;                  /* may change while a world runs, by a call or by keyframes (BOOL, INT, REAL,
                                   VEC3, CHOICE) */
    bool unhashed;              /* does not affect the simulation and its hash (name, duration, camera) */
    bool sparse;                /* MAP, OPTIONAL: not part of the hash while it is empty */
    const char *const *choices; /* CHOICE: words in the order of the enum, ends in NULL */
    const char *const *(*words)(void);  /* WORD: the words known now, ends in NULL */
    const char *items;                  /* WORD: names of the items of this map of the scene are words too */
    const firn_param_table *table;      /* TABLE, OPTIONAL, MERGE, LIST, MAP */
    const firn_param_variant *variants; /* VARIANT, ends in a NULL name */
    const char *const *renamed; /* VARIANT: words of earlier versions, for the message: old and new in turn,
                                   ends in NULL; may be NULL */
    bool run;                   /* FILE: a frame of a run; the run's folder means its last frame */
    const char *help;           /* one line of description */
    const char *range_note;     /* shown when out of range: "fresh snow: about 10 kPa"; may be NULL */
    const char *was; /* an older spelling of the key, refused with a message that gives the present one; of a
                        MERGE: the key that its rows had in earlier versions. May be NULL */
} firn_param_row;

/* Collects the errors of a check; key is the name of a row, or "" for the whole table. */
typedef struct firn_param_report {
    void (*add)(struct firn_param_report *report, const char *key, const char *message);
} firn_param_report;

struct firn_param_table {
    const char
        *name; /* full dotted name as in a file, items of maps left out: "bodies", "bodies.shape.sphere" */
    const char *help;
    const firn_param_row *rows; /* ends in a NULL name */
    size_t size;                /* of the struct */
    /* Checks beyond ranges ("a plane cannot be dynamic"); may be NULL. Runs after all rows were read without
       errors. */
    void (*check)(const void *item, firn_param_report *report);
    /* Of a struct that programs fill in: its name in C ("hail_def"), and the offset of its uint32_t cookie.
       firn_param_defaults sets the cookie, and a world refuses the struct without it. def NULL: it has none.
     */
    const char *def;
    size_t cookie;
};

/* The SI unit of a dimension as scenes write it ("m", "kg/m3", "C"); "" of pure numbers; NULL: there is no
   such dimension. */
FIRN_API const char *firn_dimension_unit(firn_dimension dimension); /* [any] */

/* Fills the struct of a table with its defaults: what a program's own def_default() calls. */
FIRN_API firn_status firn_param_defaults(const firn_param_table *table, void *item); /* [any] */

#ifdef __cplusplus
}
#endif
#endif
