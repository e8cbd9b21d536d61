// Files that a scene names (meshes, voxels, height maps, pictures, tables), known by their content, and the
// copies that a run keeps of them:
//   DIR/assets/0123456789abcdef/bunny.obj       the file itself, under the hash of its content
//   DIR/assets/0123456789abcdef/<key>.solid     what was built from it (solid_file.h)
#ifndef GEOM_ASSET_H
#define GEOM_ASSET_H

#include "base/file.h"

// Of the content, whatever the name. For a .gltf also of the files that it refers to.
firn_status asset_hash(const char *path, uint64_t *hash);
firn_status asset_hash_in(const file_folder *in, const char *path, uint64_t *hash); // below the folder `in`
// "0123456789abcdef"
void asset_folder(uint64_t hash, char out[17]);
// Copies the file, and those a .gltf refers to, to the folder `own` of a run; does nothing if a whole copy is
// there. FIRN_BAD_INPUT if the file no longer has that content.
firn_status asset_keep(const char *path, uint64_t hash, const file_folder *run, const char *own);
// Whether the path is that of such a copy.
bool asset_is_kept(const char *path, uint64_t hash);

#endif
