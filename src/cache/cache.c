// Frames and checkpoints of a world.
#include "cache/cache.h"

#include <string.h>

#include "base/field_kept.h"
#include "base/file.h"
#include "base/memory.h"
#include "cache/frame.h"

static uint32_t flag_of(cache_kind kind) {
    return kind == CACHE_FRAME ? FIRN_FIELD_SHOWN : FIRN_FIELD_STATE | FIELD_KEPT;
}

#define CHANGES "world.changes" // what was added and removed while the world ran

// Frames of worlds that were never changed have no list of changes.
static bool belongs(const firn_field *f, cache_kind kind) {
    bool changes = kind == CACHE_FRAME && f->count > 0 && strcmp(f->name, CHANGES) == 0;
    return changes || f->flags & flag_of(kind);
}

// What is derived from the state takes as long as a part of a step to work out, and no checkpoint holds it.
static firn_field field_at(const firn_world *world, size_t i, cache_kind kind) {
    return kind == CACHE_FRAME ? firn_world_field_at(world, i) : world_field_as_is(world, i);
}

static size_t choose_fields(const firn_world *world, cache_kind kind, firn_field *out, size_t *number) {
    size_t chosen = 0, count = firn_world_field_count(world);
    for (size_t i = 0; i < count; i++) {
        firn_field f = field_at(world, i, kind);
        if (!belongs(&f, kind)) continue;
        number[chosen] = i;
        f.count = world_field_total(world, i);
        out[chosen++] = f;
    }
    return chosen;
}

static bool any_in_slabs(const firn_world *world) {
    bool any = false;
    for (size_t i = 0; i < firn_world_field_count(world); i++) any |= world_field_in_slabs(world, i);
    return any;
}

// Lists are in `memory`.
static firn_status make_content(const firn_world *world, uint64_t scene_hash, cache_kind kind, arena *memory,
                                frame_content *out) {
    size_t ledgers = firn_world_ledger_count(world), bodies = firn_world_body_count(world);
    size_t all = firn_world_field_count(world), series_count = firn_world_series_count(world);
    firn_field *fields = arena_alloc(memory, (all + 1) * sizeof *fields);
    size_t *number = arena_alloc(memory, (all + 1) * sizeof *number);
    firn_ledger *ledger = arena_alloc(memory, (ledgers + 1) * sizeof *ledger);
    firn_series *series = arena_alloc(memory, (series_count + 1) * sizeof *series);
    const char **names = arena_alloc(memory, (bodies + 1) * sizeof *names);
    if (!fields || !number || !ledger || !series || !names)
        return fail_memory("writing a frame", bodies * sizeof *names);
    for (size_t i = 0; i < ledgers; i++) ledger[i] = firn_world_ledger(world, i);
    TRY(world_series(world, series));
    for (size_t i = 0; i < bodies; i++) names[i] = firn_world_body_name(world, i);
    *out = (frame_content){.kind = kind,
                           .clock = world_clock_get(world),
                           .scene_hash = scene_hash,
                           .state_hash = firn_world_hash(world),
                           .fields = fields,
                           .field_count = choose_fields(world, kind, fields, number),
                           .world = any_in_slabs(world) ? world : NULL,
                           .number = number,
                           .ledgers = ledger,
                           .ledger_count = ledgers,
                           .series = series,
                           .series_count = series_count,
                           .bodies = names,
                           .body_count = bodies};
    return FIRN_OK;
}

firn_status cache_encode(const firn_world *world, uint64_t scene_hash, cache_kind kind, bool compress,
                         char **file, size_t *bytes) {
    arena memory = {0};
    frame_content content;
    firn_status status = make_content(world, scene_hash, kind, &memory, &content);
    content.world = NULL; // whatever there is to compress is here
    if (status == FIRN_OK) status = frame_encode(&content, compress, file, bytes);
    arena_free(&memory);
    return status;
}

static firn_status write_slabs(const file_folder *folder, const char *name, const firn_world *world,
                               uint64_t scene_hash, cache_kind kind) {
    arena memory = {0};
    frame_content content;
    firn_status status = make_content(world, scene_hash, kind, &memory, &content);
    if (status == FIRN_OK) status = frame_write(&content, folder, name);
    arena_free(&memory);
    return status;
}

firn_status cache_write_in(const file_folder *folder, const char *name, const firn_world *world,
                           uint64_t scene_hash, cache_kind kind, bool compress) {
    char *file;
    size_t bytes;
    if (!compress && any_in_slabs(world)) return write_slabs(folder, name, world, scene_hash, kind);
    TRY(cache_encode(world, scene_hash, kind, compress, &file, &bytes));
    firn_status status = file_write_in(folder, name, &(file_part){file, bytes}, 1);
    mem_free(file);
    return status;
}

firn_status cache_write(const char *path, const firn_world *world, uint64_t scene_hash, cache_kind kind,
                        bool compress) {
    return cache_write_in(NULL, path, world, scene_hash, kind, compress);
}

#define NOT_THERE SIZE_MAX // instead of a count

// All arrays are checked before the first is loaded, so that a file that does not match changes nothing.
static firn_status check_arrays(h5_reader *r, const firn_world *world, cache_kind kind, size_t *counts) {
    for (size_t i = 0; i < firn_world_field_count(world); i++) {
        firn_field f = field_at(world, i, kind);
        char path[FRAME_NAME];
        frame_array_path(f.name, path);
        bool may_lack = f.flags & FIELD_KEPT && !h5_has(r, path); // older checkpoints
        counts[i] = may_lack ? NOT_THERE : 0;
        if (f.flags & flag_of(kind) && !may_lack) TRY(h5_items(r, path, f.type, f.components, &counts[i]));
    }
    return FIRN_OK;
}

static firn_status load_arrays(h5_reader *r, firn_world *world, cache_kind kind, const size_t *counts) {
    size_t fields = firn_world_field_count(world);
    for (size_t i = 0; i < fields; i++) {
        firn_field f = field_at(world, i, kind);
        if (f.flags & flag_of(kind) && counts[i] != NOT_THERE)
            TRY(world_field_resize(world, f.name, counts[i]));
    }
    for (size_t i = 0; i < fields; i++) {
        firn_field f = field_at(world, i, kind);
        if (!(f.flags & flag_of(kind)) || counts[i] == NOT_THERE) continue;
        if (f.count != counts[i])
            return fail(FIRN_BAD_INPUT, "'%s': %s has %zu items where other fields of its model have %zu",
                        r->name, f.name, counts[i], f.count);
        char path[FRAME_NAME];
        frame_array_path(f.name, path);
        if (f.count > 0) TRY(h5_load(r, path, f.type, world_field_data(world, i)));
    }
    return FIRN_OK;
}

// What was added to the world is there before its arrays are.
static firn_status replay(const char *data, size_t bytes, const char *path, cache_kind kind,
                          firn_world *world) {
    h5_reader reader;
    size_t count = 0;
    uint32_t *log = NULL;
    char array[FRAME_NAME];
    frame_array_path(CHANGES, array);
    TRY(h5_open(&reader, data, bytes, path));
    firn_status status = h5_items(&reader, array, FIRN_U32, 1, &count);
    if (status != FIRN_OK && kind == CACHE_FRAME) status = FIRN_OK, count = 0; // it was never changed
    if (status == FIRN_OK) {
        log = mem_zero(count + 1, sizeof *log);
        status = log ? FIRN_OK : fail_memory("reading a checkpoint", count * sizeof *log);
    }
    if (status == FIRN_OK && count > 0) status = h5_load(&reader, array, FIRN_U32, log);
    h5_close(&reader);
    if (status == FIRN_OK) status = world_replay(world, log, count);
    mem_free(log);
    return status;
}

static firn_status load_image(const char *data, size_t bytes, const char *path, firn_world *world,
                              cache_kind kind) {
    size_t *counts = mem_zero(firn_world_field_count(world) + 1, sizeof *counts);
    if (!counts) return fail_memory("reading a frame", 0);
    h5_reader reader;
    firn_status status = h5_open(&reader, data, bytes, path);
    if (status == FIRN_OK) {
        status = check_arrays(&reader, world, kind, counts);
        if (status == FIRN_OK) status = load_arrays(&reader, world, kind, counts);
        h5_close(&reader);
    }
    mem_free(counts);
    return status;
}

firn_status cache_parse(const char *data, size_t bytes, const char *path, firn_world *world,
                        uint64_t scene_hash, cache_kind kind) {
    frame_block block;
    TRY(frame_verify(data, bytes, path, kind, &block));
    if (block.scene_hash != scene_hash) return fail(FIRN_BAD_INPUT, "'%s' belongs to another scene", path);
    TRY(replay(data, bytes, path, kind, world));
    TRY(load_image(data, bytes, path, world, kind));
    world_clock_set(world, (world_clock){.time = block.time, .frame = block.frame, .step = block.step});
    TRY(world_loaded(world));
    // A frame holds the shown fields; only a checkpoint restores the complete state.
    if (kind == CACHE_CHECKPOINT && firn_world_hash(world) != block.state_hash)
        return fail(FIRN_BAD_INPUT, "'%s' does not restore the state that it was saved from", path);
    return FIRN_OK;
}

firn_status cache_read_in(const file_folder *folder, const char *name, firn_world *world, uint64_t scene_hash,
                          cache_kind kind) {
    char *data, room[PATH_ROOM];
    size_t bytes;
    frame_block block;
    TRY(frame_read_block(folder, name, &block)); // checked before gigabytes are read
    TRY(file_read_in(folder, name, CACHE_LARGEST_FILE, &data, &bytes));
    firn_status status = cache_parse(data, bytes, file_shown(folder, name, room), world, scene_hash, kind);
    mem_free(data);
    return status;
}

firn_status cache_read(const char *path, firn_world *world, uint64_t scene_hash, cache_kind kind) {
    return cache_read_in(NULL, path, world, scene_hash, kind);
}
