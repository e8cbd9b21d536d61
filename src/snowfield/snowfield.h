// The snow field: heights and densities in cells, in which bodies leave tracks. README.md says what and why.
#ifndef SNOWFIELD_SNOWFIELD_H
#define SNOWFIELD_SNOWFIELD_H

#include <firn/snowfield.h>

#include "body/body.h"

extern const param_table snowfield_params;   // firn_snowfield_def
extern const param_table snowfield_sections; // of a scene
extern const model_class snowfield_model;

// The snow as it lies where no tile is: the same everywhere, or a function of the place (at most the cells of
// a tile).
bool snowfield_is_even(const void *model);
bool snowfield_is_plain(const void *model); // and no tile is packed away
void snowfield_untouched(const void *model, firn_cells cells, float *ground, float *depth, float *density);

// For flakes of the wind. Height (m) of the snow; -INFINITY beside the field.
float snowfield_height_at(const void *model, float x, float z);
double snowfield_highest(const void *model); // m; no snow is higher
// n flakes of this mass (kg) land at these positions, on the snow or on bodies in it.
firn_status snowfield_take_flakes(void *model, size_t n, const float (*at)[3], double mass);

// The air that loose bits fly in; at NULL: it is still.
typedef struct snowfield_air {
    const void *model;
    void (*at)(const void *model, const float at[3], float velocity[3]); // m, m/s
} snowfield_air;
void snowfield_set_air(void *model, snowfield_air air);

#endif
