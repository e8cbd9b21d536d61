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
// The same snow as an obstacle of the wind: cells whose middle is below it are closed. To be called whenever
// it may have changed; little is done if no cell did. height NULL: there is none.
firn_status wind_set_heights(void *model, const void *context,
                             float (*height)(const void *context, float x, float z), double highest);
void wind_air_at(const void *model, const float at[3], float velocity[3]); // m, m/s
double wind_flake_mass(const void *model); // kg, of one that is simulated; 0: there are none

// Bodies that move freely and that the flow pushes: by number, not 0 if it does. NULL: it pushes none. The
// list is the caller's.
void wind_set_pushed(void *model, const uint8_t *pushed, size_t count);
void wind_given(const void *model, double impulse[3]); // N s, to these in the last step
double wind_cell_size(const void *model);              // m

// wind_around.c: the next coarser grid around one, with the same domain; false: this one fills the domain.
enum { WIND_MOST_AROUND = 12 };
bool wind_next_grid(const firn_wind_def *def, firn_wind_def *next);

#endif
