// Holds the place of the level set, mesh files, voxels and maps until they are integrated; then this file
// goes.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "geom/levelset.h"
#include "geom/fill.h"
#include "geom/image.h"
#define S firn_status __attribute__((weak))
#define V void __attribute__((weak))
S mesh_read(const char *p, mesh *m) { return fail(FIRN_UNSUPPORTED, "not there yet"); }
S binvox_read(const char *p, voxels *m) { return fail(FIRN_UNSUPPORTED, "not there yet"); }
S voxels_to_mesh(const voxels *p, mesh *m) { return fail(FIRN_UNSUPPORTED, "not there yet"); }
V voxels_free(voxels *v) {}
S grey_map_read(const char *p, grey_map *m) { return fail(FIRN_UNSUPPORTED, "not there yet"); }
V grey_map_free(grey_map *v) {}
