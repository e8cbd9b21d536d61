// The part of mesh reading that runs in a child process, because Assimp is not robust against malformed
// input.
#ifndef GEOM_MESH_IMPORT_H
#define GEOM_MESH_IMPORT_H

#include <stdint.h>

#include "base/status.h"

// Format of the pipe: this, then 3 floats per vertex and 3 indices per triangle, then the end mark.
#define MESH_IMPORT_MAGIC UINT64_C(0x6d657368206f6b21)
#define MESH_IMPORT_END UINT64_C(0x656e64206d657368)
enum { MESH_IMPORT_MAX = 100000000 }; // vertices, triangles
typedef struct mesh_import_head {
    uint64_t magic;
    uint64_t vertices, triangles;
    char problem[256]; // empty: none, and the rest follows
} mesh_import_head;

// In the parent: brings Assimp into memory. FIRN_UNSUPPORTED: it is not on this machine.
firn_status mesh_import_prepare(void);
// Reads the file and writes it into the pipe. Takes no memory from mem_alloc: the embedding program's
// allocator need not work in a forked process.
void mesh_import(const char *path, int pipe);

#endif
