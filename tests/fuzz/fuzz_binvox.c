// .binvox files from bytes; what is accepted has a closed surface.
#include <stdint.h>
#include <stdlib.h>

#include "geom/fill.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_empty(const voxels *v) {
    for (size_t i = 0; i < ((size_t)v->nx * v->ny * v->nz + 7) / 8; i++)
        if (v->bits[i]) return false;
    return true;
}

static void check_surface(const voxels *v) {
    mesh m;
    mesh_defects d;
    if (voxels_to_mesh(v, &m) != FIRN_OK) abort();
    if (mesh_inspect(&m, &d) != FIRN_OK || d.open_edges || d.flipped_edges) abort();
    if ((m.triangles == 0) != is_empty(v)) abort();
    mesh_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t before = mem_in_use();
    voxels v;
    firn_status status = binvox_parse((const char *)data, size, "fuzz", &v);
    if (status != FIRN_OK && status != FIRN_BAD_INPUT) abort();
    if (status == FIRN_OK && (size_t)v.nx * v.ny * v.nz <= 4096 && v.cell > 1e-3f && v.cell < 1e3f) {
        for (int k = 0; k < 3; k++) v.low[k] = 0.0f; // far from the origin, rounding folds triangles
        check_surface(&v);
    }
    voxels_free(&v);
    if (mem_in_use() != before) abort();
    return 0;
}
