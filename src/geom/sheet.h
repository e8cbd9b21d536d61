// A sheet of points in rows and columns (cloth) as a thin closed mesh.
#ifndef GEOM_SHEET_H
#define GEOM_SHEET_H

#include "geom/isosurface.h"

enum { SHEET_ALONG_ROW = 1, SHEET_ALONG_COLUMN = 2 };
typedef struct sheet_input {
    const float (*at)[3]; // m, row by row; triangles at points that are not finite are left out
    uint32_t columns, rows;
    // Of each point: whether it holds on to the next of its row and of its column (SHEET_*). A triangle is
    // there while both of its sides along rows and columns are. NULL: nothing is torn.
    const uint8_t *held;
    double thickness;   // m
    const float *value; // columns * rows * channels, copied to the vertices; NULL: none
    uint32_t channels;
} sheet_input;

// Both faces, and rims along borders and tears: every edge has two triangles. Points without a triangle have
// no vertices.
firn_status sheet_build(const sheet_input *in, surface *out);
// The same, but round where the sheet is bent: each square is four, on a smooth surface through the points.
firn_status sheet_build_smooth(const sheet_input *in, surface *out);

#endif
