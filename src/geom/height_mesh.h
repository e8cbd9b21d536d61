// Adaptive mesh of a snow field: fine near the eye and where the snow is uneven, coarse elsewhere, without
// cracks.
#ifndef GEOM_HEIGHT_MESH_H
#define GEOM_HEIGHT_MESH_H

#include "geom/mesh.h"
#include "geom/snowfield.h"

typedef struct height_mesh_look {
    float eye[3]; // m
    float pixel;  // rad, the angle of one pixel; 0: every unevenness counts
    bool endless; // untouched snow goes on beyond the border; else the field ends in walls down to its ground
    float reach;  // m, how far beyond
} height_mesh_look;

// Vertices stand at corners of cells: the mean of the (up to four) cells round each. Memory is kept from
// build to build.
typedef struct height_mesh {
    mesh mesh;
    int32_t (*corner)[2]; // of each vertex: the corner of cells that gave its values
    size_t vertex_capacity[3], triangle_capacity;
    struct height_levels *levels;
    uint64_t *key; // hash table of vertices
    uint32_t *slot;
    size_t room;
} height_mesh;

firn_status height_mesh_build(const firn_snowfield *field, const height_mesh_look *look, height_mesh *out);
void height_mesh_free(height_mesh *m);

// The mean of the cells round a corner; plain: the value where nothing happened yet.
float height_corner_mean(const firn_snowfield *field, const float *array, double plain, int32_t x, int32_t z);
float height_corner_height(const firn_snowfield *field, int32_t x, int32_t z); // of the surface, m

// Squares of 2^level cells. Level by level, which of them must be split; height_levels.c.
enum { HEIGHT_LEVELS = 25 };
typedef struct height_levels {
    int32_t count;                                       // levels; the topmost is one square
    int32_t columns[HEIGHT_LEVELS], rows[HEIGHT_LEVELS]; // squares of each level
    uint8_t *split[HEIGHT_LEVELS];                       // none of level 0
    size_t capacity[HEIGHT_LEVELS];
} height_levels;
// Neighbours differ by one level at most.
firn_status height_levels_build(const firn_snowfield *field, const height_mesh_look *look,
                                height_levels *out);
void height_levels_free(height_levels *levels);
static inline bool height_level_split(const height_levels *l, int32_t level, int32_t column, int32_t row) {
    return level > 0 && column >= 0 && row >= 0 && column < l->columns[level] && row < l->rows[level] &&
           l->split[level][(size_t)row * (size_t)l->columns[level] + (size_t)column];
}

#endif
