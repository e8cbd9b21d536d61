// The scene hash: effective parameters and the content of the files they name.
#include "scene/scene_hash.h"

#include <string.h>

#include "base/memory.h"
#include "geom/asset.h"

// The content counts, not the name: a run may be moved together with its files.
static firn_status hash_file(void *context, const char *path, uint64_t *hash) {
    param_files *files = context;
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->items[i].path, path) != 0) continue;
        *hash = files->items[i].hash;
        return FIRN_OK;
    }
    TRY(asset_hash(path, hash));
    if (!array_reserve(&files->items, &files->capacity, files->count + 1, sizeof *files->items))
        return fail_memory("reading a scene", (files->count + 1) * sizeof *files->items);
    files->items[files->count++] = (param_file){path, *hash};
    return FIRN_OK;
}

firn_status scene_hash_params(const param_table *table, const void *item, bool all, uint64_t *hash,
                              param_files *files) {
    param_files own = {0};
    firn_status status = param_hash(table, item, all, hash_file, files ? files : &own, hash);
    mem_free(own.items);
    return status;
}
