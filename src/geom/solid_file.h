// Solids on disk: in the folder of a run, beside the copy of the file they were built from, and in the cache
// (firn_set_cache).
#ifndef GEOM_SOLID_FILE_H
#define GEOM_SOLID_FILE_H

#include "geom/shape_solid.h"

// Names a solid: what it is made from, and by which code on which instruction set. `file_hash`: of the
// content of make->path.
uint64_t solid_key(const solid_make *make, uint64_t file_hash);

// Whole or absent; `path` is below the folder `in`, unless that is NULL. A missing or damaged file, or one of
// another key, is FIRN_IO; the caller then rebuilds the solid.
firn_status solid_write(const solid *s, uint64_t key, const file_folder *in, const char *path);
firn_status solid_read(const file_folder *in, const char *path, uint64_t key, solid *out);

void solid_path(const char *folder, uint64_t key, char *out, size_t size); // folder/<key>.solid

// Looks it up in the cache; false if there is none or it is not there.
bool solid_cache_read(uint64_t key, solid *out);
void solid_cache_write(const solid *s, uint64_t key);

#endif
