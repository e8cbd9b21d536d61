// Solids made of flat faces that share their vertices, so that the mesh is closed by construction.
#ifndef GEOM_PROC_FACES_H
#define GEOM_PROC_FACES_H

#include "geom/mesh.h"

enum { FACES_VERTICES = 8192, FACES_TRIANGLES = 16384, LOOP_ROOM = 96 };

typedef struct faces {
    double vertex[FACES_VERTICES][3];
    uint32_t triangle[FACES_TRIANGLES][3];
    size_t vertices, triangles;
} faces;

// A closed line of vertices.
typedef struct loop {
    uint32_t at[LOOP_ROOM];
    size_t count;
} loop;

uint32_t faces_vertex(faces *f, double x, double y, double z);
// A flat face with holes; `outward` is any direction to its outer side. Loops may run either way around.
void faces_add(faces *f, const loop *outer, const loop *holes, size_t hole_count, const double outward[3]);
// The four walls between two loops of four; `from` runs counter-clockwise seen from where the walls lead to
// if they stand out, and from where they come from if they go in.
void faces_walls(faces *f, const loop *from, const loop *to);

// A flat place on which rectangles are drawn: origin, and unit directions right and up; their cross product
// is outward.
typedef struct face_frame {
    double origin[3], right[3], up[3];
} face_frame;
// Rectangle [u0, u1] x [v0, v1], moved outward by `out`; counter-clockwise seen from outside.
loop faces_rectangle(faces *f, const face_frame *frame, const double rectangle[4], double out);

firn_status faces_mesh(const faces *f, mesh *out);

#endif
