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

// The cover beside that snow (wind_beside.c): columns of cells that lie wholly over it are not the cover's.
typedef struct wind_rim {   // such a column, with one of the cover's beside it
    double low[2], high[2]; // m, x and z
    uint32_t column;        // i + row * k in the box
    uint8_t sides;          // bits: -x, +x, -z, +z, where the cover is
} wind_rim;
enum { WIND_RIM_SIDES = 4 };
size_t wind_rims(const void *model, const wind_rim **out); // 0: there is no cover, or nothing beside it
// m, of the other snow in a rim; the cover slides across if it is lower. NAN: it does not.
void wind_set_rim(void *model, size_t rim, double height);
// Snow of the cover that has come into columns that are not its own leaves it; in memory until the next call.
typedef struct wind_stray {
    double at[2]; // m, x and z, the middle of a cell
    double mass;  // kg
    float density;
    double heat; // J; NAN: the cover has no heat
} wind_stray;
firn_status wind_take_strays(void *model, size_t *count, const wind_stray **out);
// m, the surface of the cover beside a rim, at or below the height y (m); false: a body is there.
bool wind_cover_beside(const void *model, size_t rim, int side, double y, double *top);
double wind_cover_unit(const void *model); // kg, of which all masses of the cover are multiples
// Snow comes there, `units` of it.
void wind_cover_take_in(void *model, size_t rim, int side, double y, uint32_t units, float density,
                        double heat);

// wind_around.c: the next coarser grid around one, with the same domain; false: this one fills the domain.
enum { WIND_MOST_AROUND = 12 };
bool wind_next_grid(const firn_wind_def *def, firn_wind_def *next);

#endif
