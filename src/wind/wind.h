// Wind around bodies, on a grid of cells. README.md says what and why.
#ifndef WIND_WIND_H
#define WIND_WIND_H

#include "body/body.h"

extern const param_table wind_params;   // firn_wind_def
extern const param_table flakes_params; // firn_flakes_def
extern const param_table cover_params;  // firn_cover_def
extern const param_table wind_sections; // of a scene: wind, flakes, cover
extern const model_class wind_model;

// Snow on the ground that another model owns: flakes that land on it are handed over.
typedef struct wind_ground {
    void *context;
    // m; -INFINITY: none there. Asked from many threads at once.
    float (*height)(const void *context, float x, float z);
    void (*take)(void *context, const float at[3]); // a flake has landed there
    double highest;                                 // m; no snow is higher
} wind_ground;
void wind_set_ground(void *model, const wind_ground *ground);
void wind_air_at(const void *model, const float at[3], float velocity[3]); // m, m/s
double wind_flake_mass(const void *model); // kg, of one that is simulated; 0: there are none

#endif
