// firn_world_save and firn_world_load: a checkpoint in memory or in a file.
#include "base/memory.h"
#include "cache/cache.h"

firn_status firn_world_save(const firn_world *world, void **data, size_t *bytes) {
    IN_WORLD(world);
    if (data) *data = NULL;
    if (bytes) *bytes = 0;
    NEED(world);
    NEED(data);
    NEED(bytes);
    char *file;
    TRY(cache_encode(world, world_identity(world), CACHE_CHECKPOINT, false, &file, bytes));
    *data = file;
    return FIRN_OK;
}

// Restores `before` if loading fails.
static firn_status load(firn_world *world, const char *data, size_t bytes, const char *name) {
    char *before;
    size_t before_bytes;
    TRY(cache_encode(world, world_identity(world), CACHE_CHECKPOINT, false, &before, &before_bytes));
    firn_status status = cache_parse(data, bytes, name, world, world_identity(world), CACHE_CHECKPOINT);
    if (status != FIRN_OK) {
        text why = {0};
        text_add(&why, "%s", firn_last_error());
        if (cache_parse(before, before_bytes, "the state before", world, world_identity(world),
                        CACHE_CHECKPOINT) == FIRN_OK)
            fail_text(status, why.data ? why.data : "out of memory while loading a world");
        text_free(&why);
    }
    mem_free(before);
    return status;
}

firn_status firn_world_load(firn_world *world, const void *data, size_t bytes) {
    IN_WORLD(world);
    NEED(world);
    NEED(data);
    return load(world, data, bytes, "saved world");
}

firn_status firn_world_save_file(const firn_world *world, const char *path) {
    IN_WORLD(world);
    NEED(world);
    NEED(path);
    return cache_write(path, world, world_identity(world), CACHE_CHECKPOINT, false);
}

firn_status firn_world_load_file(firn_world *world, const char *path) {
    IN_WORLD(world);
    NEED(world);
    NEED(path);
    char *data;
    size_t bytes;
    TRY(file_read_whole(path, CACHE_LARGEST_FILE, &data, &bytes));
    firn_status status = load(world, data, bytes, path);
    mem_free(data);
    return status;
}

void firn_data_free(void *data) { mem_free(data); }
