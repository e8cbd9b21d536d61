// Triangle meshes.
#ifndef GEOM_MESH_H
#define GEOM_MESH_H

#include <firn/mesh.h>

#include "base/memory.h"

typedef struct mesh {
    float (*position)[3];
    float (*normal)[3];      // per vertex, smooth; NULL: flat shading
    uint32_t (*triangle)[3]; // counter-clockwise seen from outside
    size_t vertices, triangles;
} mesh;

firn_status mesh_alloc(size_t vertices, size_t triangles, bool normals, mesh *out);
void mesh_free(mesh *m);
firn_status mesh_copy(const mesh *from, mesh *to);
// The mesh as programs see it.
firn_mesh mesh_view(const mesh *m);
void mesh_bounds(const mesh *m, float low[3], float high[3]);
double mesh_volume(const mesh *m); // of a closed mesh, divergence theorem
// For each vertex the first vertex at exactly the same place; files such as STL repeat their vertices.
firn_status mesh_weld(const mesh *m, uint32_t *first);
// Merges vertices at the same position and drops unused ones. Of triangles over the same three
// vertices one is kept; if both orientations exist, none: a sheet without thickness, such as the wall
// between two boxes side by side, encloses nothing.
typedef struct mesh_joined {
    size_t repeated;  // triangles dropped because they were there before, in the same orientation
    size_t cancelled; // dropped because of their opposite; without the repeated ones
} mesh_joined;
firn_status mesh_join(mesh *m, mesh_joined *out);
// Normals averaged over faces that meet at less than `crease` radian; vertices are split along creases and
// joined elsewhere, so their number and order may change.
firn_status mesh_smooth_normals(mesh *m, float crease);
// Closed and consistently turned: every edge is used as often in one direction as in the other. Counts the
// defects; vertices at the same position count as one.
typedef struct mesh_defects {
    size_t open_edges;    // used an odd number of times
    size_t flipped_edges; // used by two triangles that are turned against each other
    size_t degenerate;    // triangles without area
    size_t non_finite;    // vertices
} mesh_defects;
firn_status mesh_inspect(const mesh *m, mesh_defects *out);

// Reads OBJ, PLY, STL, OFF, glTF, 3DS and Collada (Assimp); all parts joined (mesh_join), transforms applied.
// Bad files: FIRN_BAD_INPUT with the file's name.
firn_status mesh_read(const char *path, mesh *out);
firn_status mesh_write_obj(const mesh *m, const char *path);
firn_status mesh_write_ply(const mesh *m, const char *path); // binary little endian

#endif
