// Units of the values of a cell, and the laws of one column of snow. Masses are whole numbers, so that mass
// is conserved to the last bit and in any order; heights are compared as whole numbers, so that a field on a
// mountain is as fine as one at the sea.
#ifndef SNOWFIELD_FIELD_UNITS_H
#define SNOWFIELD_FIELD_UNITS_H

#include <stdint.h>

#define MASS_UNIT 0x1p-15   // kg/m2
#define HEIGHT_UNIT 0x1p-18 // m
#define MASS_MOST 0x7f000000
#define GROUND_MOST 4000.0  // m, on both sides of 0; differences of two heights still fit
#define WALL_HEIGHT 4090.0f // m, around the field

// Snow of one scene, ready for the inner loops.
typedef struct snowfield_law {
    float density_min, density_max; // kg/m3, of snow that nobody has pressed
    float aside, densest;           // kg/m3: looser snow is only pressed, snow this dense only pushed aside
    float density;                  // kg/m3, at the start
    float tan_loose, tan_packed;    // angles of repose at density_min, and from density_max on
    float cell;                     // m
    float steeper;                  // tangent by which a slope may be too steep before it moves
    float strength, strength_at, strength_power; // Pa that snow bears: strength (rho / at)^power
} snowfield_law;

static inline int32_t snowfield_height(float m) {
    return (int32_t)__builtin_rintf(m * (float)(1 / HEIGHT_UNIT));
}
// Depth in units of height.
static inline int32_t snowfield_depth(int32_t mass, float density) {
    return (int32_t)((float)mass * (float)(MASS_UNIT / HEIGHT_UNIT) / density);
}
static inline float snowfield_depth_m(int32_t mass, float density) {
    return (float)mass * (float)MASS_UNIT / density;
}
static inline int32_t snowfield_mass(double depth, double density) {
    return (int32_t)__builtin_rint(depth * density / MASS_UNIT);
}
// W of FIELD11 3.5.1: 0 loosest, 1 densest.

static inline double snowfield_strength(const snowfield_law *law, float density) {
    return (double)(law->strength * __builtin_powf(density / law->strength_at, law->strength_power));
}

#endif
