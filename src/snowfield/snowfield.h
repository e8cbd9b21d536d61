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

// For snow in motion that lies on the field (snowfield_bed.c). Makes the tiles under these points, so that
// looking at them is fast.
firn_status snowfield_bed_reach(void *model, size_t n, const double (*at)[3]);
// m, of the surface over x and z from low to high; -INFINITY: all beside the field. From tasks, like the
// next.
double snowfield_bed_highest(const void *model, const double low[2], const double high[2]);
// The surface near a point: its distance (m; negative inside), normal, and the pressure that it bears (Pa;
// INFINITY: any). Beyond `reach` any greater distance will do.
void snowfield_bed_look(const void *model, const double at[3], float reach, float *distance, float normal[3],
                        float *bears);
double snowfield_repose(const void *model); // tangent of the angle of repose of the snow at the start
// Snow comes down to these points, each the middle of a square: what is below gets denser.
typedef struct snowfield_dent {
    double at[3]; // m
    float size;   // m, edge of the square
} snowfield_dent;
firn_status snowfield_dent_bed(void *model, size_t n, const snowfield_dent *dents);

// Snow that becomes part of the field, and leaves it as particles (snowfield_give.c).
typedef struct snowfield_lump {
    double at[3];  // m
    double mass;   // kg
    float density; // kg/m3
    float size;    // m, edge of the square that it covers
    double heat;   // J, that it has; NAN: it is as cold as the air
} snowfield_lump;
// Those of the lumps, from the lowest to the highest, that lie within `reach` (m) of the surface, and where
// they do not make it too steep, neither now nor once all that lies on them has followed: `taken` says which.
// A block that stands steeper than the field can stays a block.
firn_status snowfield_settle(void *model, size_t n, const snowfield_lump *lumps, double reach, bool *taken);
// All of them, wherever they are: snow that slides onto the field.
firn_status snowfield_lay(void *model, size_t n, const snowfield_lump *lumps);
// m, mean height of the surface over a rectangle, from at most 4 x 4 of its columns.
double snowfield_mean_height(const void *model, const double low[2], const double high[2]);
// Takes as many units (kg each) as lie within `depth` (m) below the surface of a rectangle, and no body on
// them.
firn_status snowfield_slide_off(void *model, const double low[2], const double high[2], double depth,
                                double unit, uint32_t *units, float *density, double *heat);
typedef struct snowfield_part {
    double at[2];         // m, x and z
    double radius;        // m, of a bowl; 0: a rectangle
    double width, length; // m
    double depth;         // m, from the surface down; of a bowl in its middle
} snowfield_part;
typedef struct snowfield_particle {
    double at[3];  // m
    float density; // kg/m3
    double heat;   // J, that it has; NAN: the field has no heat
} snowfield_particle;
// Takes particles of this mass (kg), which fill cubes of about this edge (m), out of a part of the field.
// They stay in memory until the next call.
firn_status snowfield_release(void *model, snowfield_part part, double mass, double edge, size_t *count,
                              const snowfield_particle **out);
// Snow that flies off as powder (snowfield_bits.c): each cloud becomes a few loose bits of powder, with its
// mass and nearly its velocity; those with no room in the list of bits, or not over the field, are not taken.
typedef struct snowfield_cloud {
    double at[3]; // m
    double mass;  // kg
    float velocity[3];
    float density;      // kg/m3, of the bits
    float size;         // m, of the cloud
    uint64_t number[2]; // for its random numbers
    double heat;        // J, that it has; NAN: it is as cold as the air
} snowfield_cloud;
firn_status snowfield_scatter(void *model, size_t n, const snowfield_cloud *clouds, bool *taken);
// s; failures up to this time have happened. Set it if `now` is later.
double snowfield_failed_until(void *model, double now);

// The air that loose bits fly in; at NULL: it is still.
typedef struct snowfield_air {
    void *context;
    void (*at)(const void *context, const float at[3], float velocity[3]);   // m, m/s
    void (*push)(void *context, const float at[3], const double impulse[3]); // N s, that a bit gives to it
} snowfield_air;
void snowfield_set_air(void *model, snowfield_air air);

#endif
