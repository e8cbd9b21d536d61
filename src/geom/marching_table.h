// The 256 cases of marching cubes, derived rather than listed.
#ifndef GEOM_MARCHING_TABLE_H
#define GEOM_MARCHING_TABLE_H

#include <stdint.h>

// Corner c of a cube is at (c & 1, c >> 1 & 1, c >> 2). Edge 4 * axis + 2 * q + p runs along `axis`; p and q
// are its place along the next two axes (cyclic).
enum { MARCHING_TRIANGLES = 5 };
typedef struct marching_case {
    uint8_t triangles;
    uint8_t edge[MARCHING_TRIANGLES][3]; // counter-clockwise seen from outside
} marching_case;

// Case i: corner c is inside where bit c of i is set. Takes a fraction of a millisecond.
void marching_table_build(marching_case table[256]);
// The corner at the lower end of an edge.
uint8_t marching_edge_corner(int edge);

#endif
