// On each face of the cube the surface cuts off every run of inside corners by a segment of its own: where
// two inside corners face each other over the diagonal they stay apart. This depends on the face alone, so
// the two cubes that share it agree and no hole can appear. The segments of the six faces join to loops; a
// loop is cut into triangles by diagonals that run through the cube's inside. (A diagonal within a face could
// be chosen by the neighbour too, and four triangles would meet at one edge.)
#include "geom/marching_table.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { EDGES = 12, NONE = 255 };

uint8_t marching_edge_corner(int edge) {
    int axis = edge / 4, p = edge & 1, q = edge >> 1 & 1;
    return (uint8_t)(p << (axis + 1) % 3 | q << (axis + 2) % 3);
}

static int edge_between(int a, int b) {
    int low = a < b ? a : b, axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2;
    return 4 * axis + 2 * (low >> (axis + 2) % 3 & 1) + (low >> (axis + 1) % 3 & 1);
}

// Corners of face (axis, side), counter-clockwise seen from outside the cube.
static void face_corners(int axis, int side, int corner[4]) {
    static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int i = 0; i < 4; i++) {
        const int *at = around[side ? i : 3 - i];
        corner[i] = side << axis | at[0] << (axis + 1) % 3 | at[1] << (axis + 2) % 3;
    }
}

// next[e]: the edge that follows e in the loop through it.
static void follow_faces(int inside, uint8_t next[EDGES]) {
    memset(next, NONE, EDGES);
    for (int face = 0; face < 6; face++) {
        int c[4];
        face_corners(face / 2, face % 2, c);
        for (int i = 0; i < 4; i++) {
            if (!(inside >> c[i] & 1) || inside >> c[(i + 3) % 4] & 1) continue; // not the begin of a run
            int end = i;
            while (inside >> c[(end + 1) % 4] & 1) end = (end + 1) % 4;
            next[edge_between(c[(i + 3) % 4], c[i])] = (uint8_t)edge_between(c[end], c[(end + 1) % 4]);
        }
    }
}

static bool on_one_face(int a, int b) {
    for (int axis = 0; axis < 3; axis++) {
        if (a / 4 == axis || b / 4 == axis) continue;
        if ((marching_edge_corner(a) ^ marching_edge_corner(b)) >> axis & 1) continue;
        return true;
    }
    return false;
}

// Cuts the part i..j of a loop, where i-j is a side or an allowed diagonal; false if it cannot be done.
static bool cut(const uint8_t *loop, int count, int i, int j, marching_case *out) {
    if (j - i < 2) return true;
    for (int k = i + 1; k < j; k++) {
        if (k - i > 1 && on_one_face(loop[i], loop[k])) continue;
        if (j - k > 1 && on_one_face(loop[k], loop[j])) continue;
        uint8_t kept = out->triangles;
        assert(kept < MARCHING_TRIANGLES);
        memcpy(out->edge[out->triangles++], (uint8_t[3]){loop[i], loop[k], loop[j]}, 3);
        if (cut(loop, count, i, k, out) && cut(loop, count, k, j, out)) return true;
        out->triangles = kept;
    }
    return false;
}

static void build_case(int inside, marching_case *out) {
    uint8_t next[EDGES];
    follow_faces(inside, next);
    *out = (marching_case){0};
    for (int start = 0; start < EDGES; start++) {
        if (next[start] == NONE) continue;
        uint8_t loop[EDGES];
        int count = 0;
        for (int e = start; next[e] != NONE;) {
            loop[count++] = (uint8_t)e;
            int after = next[e];
            next[e] = NONE;
            e = after;
        }
        bool done = cut(loop, count, 0, count - 1, out);
        assert(done);
        (void)done;
    }
}

void marching_table_build(marching_case table[256]) {
    for (int i = 0; i < 256; i++) build_case(i, &table[i]);
}
