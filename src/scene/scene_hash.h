// The hash of a scene: identifies what it simulates.
#ifndef SCENE_SCENE_HASH_H
#define SCENE_SCENE_HASH_H

#include "base/param.h"

// The files that values name, each once.
typedef struct param_file {
    const char *path; // as in the item
    uint64_t hash;    // of the content (asset.h)
} param_file;
typedef struct param_files {
    param_file *items;
    size_t count, capacity;
} param_files;

// param_hash with the content of the files that values name. Unless NULL, *files gets the files (mem_free its
// items, also after a failure).
firn_status scene_hash_params(const param_table *table, const void *item, bool all, uint64_t *hash,
                              param_files *files);

#endif
