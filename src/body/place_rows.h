// Rows that mean the same in every model: where a shape is, how it is filled, from when to when.
#ifndef BODY_PLACE_ROWS_H
#define BODY_PLACE_ROWS_H

#include <firn/defs_bodies.h>

#include "base/param_rows.h"

extern const param_variant shape_variants[]; // kinds of shapes; shape_params.c
// A shape and its place, the members of firn_fill_def: merged into whatever is filled with snow, grains or
// water.
extern const param_table fill_params;
// The same for what is only compared with a shape (pins, drains), which may be a plane, too.
extern const param_table region_params;

#define SHAPE_ROW(struct_type, start, text) VARIANT_ROW(struct_type, shape, start, shape_variants, text)
#define AT_ROW(struct_type, ...) VEC3_ROW(struct_type, at, DIM_LENGTH, "[0, 0, 0]", -1e6, 1e6, __VA_ARGS__)
#define ROTATE_ROW(struct_type)                                                                              \
    VEC3_ROW(struct_type, rotate, DIM_ANGLE, "[0, 0, 0]", -1e4, 1e4, "rotation about x, then y, then z")
#define SCALE_ROW(struct_type)                                                                               \
    REAL_ROW(struct_type, scale, DIM_NONE, "1", 1e-4, 1e4, "scale factor in all directions")
// In scenes that were written for firn 0.1 `fill: {shape: ..., at: ...}` was a map of its own.
#define FILL_ROW(struct_type, member)                                                                        \
    {                                                                                                        \
        .name = "fill", .type = PARAM_MERGE, .offset = offsetof(struct_type, member), .table = &fill_params, \
        .was = "fill"                                                                                        \
    }

extern const char *const fill_patterns[]; // words of firn_fill_pattern
#define PATTERN_ROW(struct_type, start)                                                                      \
    CHOICE_ROW(struct_type, pattern, start, fill_patterns,                                                   \
               "regular: a lattice; jittered: one at random in each cell of it; blue_noise: random, with a " \
               "minimum distance")
#define VELOCITY_ROW(struct_type)                                                                            \
    VEC3_ROW(struct_type, velocity, DIM_VELOCITY, "[0, 0, 0]", -1e4, 1e4, "initial velocity")
#define SPIN_ROW(struct_type)                                                                                \
    VEC3_ROW(struct_type, spin, DIM_SPIN, "[0, 0, 0]", -1e4, 1e4,                                            \
             "initial angular velocity, about its centre")

// Two rows: something is there, open or at work from `start` to `end`.
#define START_ROW(struct_type, ...) REAL_ROW(struct_type, start, DIM_TIME, "0", 0, 1e9, __VA_ARGS__)
#define END_ROW(struct_type, ...) REAL_ROW(struct_type, end, DIM_TIME, "1e7 s", 0, 1e9, __VA_ARGS__)
// For the check of their table.
void check_times(double start, double end, param_report *report);

#endif
