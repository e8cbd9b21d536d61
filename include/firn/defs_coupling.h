/* firn: how the models of a world meet. firn/defs.h says what is common to all defs. */
#ifndef FIRN_DEFS_COUPLING_H
#define FIRN_DEFS_COUPLING_H

#include <firn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Wind and snow field; cover and snow field. */
typedef struct firn_wind_field_def {
    bool on;
} firn_wind_field_def;
FIRN_API firn_wind_field_def firn_wind_field_def_default(void);

/* Drag of the air. */
typedef struct firn_drag_def {
    bool on;
    double drag; /* factor on the drag of a smooth sphere (particles) or of a plate (cloth, bodies) */
} firn_drag_def;
FIRN_API firn_drag_def firn_drag_def_default(void);

/* Contact of two models. */
typedef struct firn_touch_def {
    bool on;
    double friction; /* Coulomb coefficient */
} firn_touch_def;
FIRN_API firn_touch_def firn_touch_def_default(void);

/* Contact of two models of snow through which heat passes. */
typedef struct firn_warm_touch_def {
    bool on;
    double friction;     /* Coulomb coefficient */
    double heat_contact; /* W/m2K, heat transfer coefficient of the contact; 0: no heat passes */
} firn_warm_touch_def;
FIRN_API firn_warm_touch_def firn_warm_touch_def_default(void);

/* A part of the snow field that fails: its snow becomes snow that moves. */
typedef struct firn_field_failure_def {
    const char *name;
    uint32_t cookie;      /* set by firn_field_failure_def_default() */
    firn_vec3 at;         /* m, its middle; y is ignored */
    double radius;        /* m, of a bowl; 0: a rectangle */
    double width, length; /* m, of a rectangle along x and z */
    double depth;         /* m, from the surface down; of a bowl in its middle */
    double start;         /* s */
} firn_field_failure_def;
FIRN_API firn_field_failure_def firn_field_failure_def_default(void);

/* Snow of the material point method and the snow field. */
typedef struct firn_mpm_field_def {
    bool on;
    bool settle;         /* snow at rest becomes snow of the field */
    bool release;        /* snow of the field that is hit hard becomes snow that moves */
    double rest_speed;   /* m/s, below which snow is at rest */
    double rest_time;    /* s, for which it must be */
    double impact_speed; /* m/s, above which the field gives way as moving snow */
    double powder;       /* m/s at which fast snow wears off as powder, over its speed above powder_speed */
    double powder_speed; /* m/s */
    double friction;     /* Coulomb coefficient; auto: the tangent of the field's angle of repose */
    double heat_contact; /* W/m2K, heat transfer coefficient of the contact; 0: no heat passes */
    struct {
        const firn_field_failure_def *items;
        size_t count;
    } fail;
} firn_mpm_field_def;
FIRN_API firn_mpm_field_def firn_mpm_field_def_default(void);

/* Snow of the material point method and snow that melts. */
typedef struct firn_mpm_phase_def {
    bool on;
    double friction;     /* Coulomb coefficient */
    double heat_contact; /* W/m2K, heat transfer coefficient of the contact; 0: no heat passes */
    bool drip;           /* water that MPM snow cannot hold leaves it as drops */
    double holds;        /* share of its mass that MPM snow holds as water */
    bool settle;         /* frozen grains at rest become MPM snow */
    const char *snow;    /* its type; NULL: packed */
    double rest_speed;   /* m/s, below which grains are at rest */
    double rest_time;    /* s, for which they must be */
} firn_mpm_phase_def;
FIRN_API firn_mpm_phase_def firn_mpm_phase_def_default(void);

/* Each is on by default where both models are in the scene. */
typedef struct firn_coupling_def {
    firn_wind_field_def wind_field, cover_field;
    firn_drag_def wind_bodies, wind_grains, wind_mpm, wind_pbd, wind_phase;
    firn_mpm_field_def mpm_field;
    firn_touch_def grains_field, pbd_field;
    firn_warm_touch_def phase_field;
    firn_mpm_phase_def mpm_phase;
    firn_touch_def grains_mpm, grains_pbd, grains_phase, mpm_pbd, pbd_phase;
} firn_coupling_def;
FIRN_API firn_coupling_def firn_coupling_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
