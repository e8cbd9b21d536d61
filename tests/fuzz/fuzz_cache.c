// Frames and checkpoints from bytes. Damaged files must be refused by their checksum before HDF5 sees them;
// whole files with the wrong arrays in them must be refused by the checks of type, size and value.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cache/frame.h"

static const uint64_t scene_hash = 42;

static firn_world *make_world(void) {
    firn_body_def bodies[2] = {firn_body_def_default(), firn_body_def_default()};
    bodies[0].name = "ground";
    bodies[0].shape.kind = FIRN_SHAPE_PLANE;
    bodies[1].name = "ball";
    bodies[1].shape.kind = FIRN_SHAPE_SPHERE;
    bodies[1].shape.radius = 0.5;
    bodies[1].motion.kind = FIRN_MOTION_DYNAMIC;
    bodies[1].at.y = 2;
    firn_grains_fill_def fill = firn_grains_fill_def_default();
    fill.name = "heap";
    fill.fill.shape.kind = FIRN_SHAPE_BOX;
    fill.fill.shape.size = (firn_vec3){0.3, 0.3, 0.3};
    fill.spacing = 0.1;
    firn_grains_def grains = firn_grains_def_default();
    grains.fill.items = &fill;
    grains.fill.count = 1;
    firn_world_def def = firn_world_def_default();
    def.bodies.items = bodies;
    def.bodies.count = 2;
    def.grains = &grains;
    firn_world *world;
    return firn_world_create(&def, &world) == FIRN_OK ? world : NULL;
}

typedef struct bytes {
    const uint8_t *at;
    size_t left;
} bytes;

static uint8_t take(bytes *b) {
    if (b->left == 0) return 0;
    b->left--;
    return *b->at++;
}

// A field of the world with something changed, or as it is.
static bool change_field(firn_field *f, bytes *b, void *data, size_t room) {
    uint8_t how = take(b);
    if (how == 1) return false; // missing
    if (how == 2) f->type = (firn_type)(take(b) % 5);
    if (how == 3) f->components = take(b) % 5;
    if (how == 4) f->count = take(b) % 64;
    if (how == 5) f->name = "bodies.unknown";
    size_t size = f->count * f->components * type_bytes(f->type);
    if (how == 0 || size > room) return true;
    memset(data, take(b), room);
    size_t given = size < b->left ? size : b->left;
    memcpy(data, b->at, given);
    b->at += given;
    b->left -= given;
    f->data = data;
    return true;
}

// What those who draw and export do with a loaded frame. (Steps are taken only from checkpoints, whose state
// hash is right.)
static void look_around(const firn_world *world) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) firn_world_ledger(world, i);
    for (size_t b = 0; b < firn_world_body_count(world); b++) {
        const float point[3] = {0.1f, 0.2f, 0.3f};
        float distance;
        firn_world_body_query(world, b, 1, point, &distance, NULL, NULL);
    }
    firn_world_hash(world);
}

// A file with a right checksum and fields that the input has changed.
static void load_composed(const firn_world *from, firn_world *world, bytes *b) {
    enum { FIELDS = 64, ROOM = 4096 };
    firn_field fields[FIELDS];
    static char data[FIELDS][ROOM];
    size_t count = 0;
    cache_kind kind = take(b) & 1 ? CACHE_CHECKPOINT : CACHE_FRAME;
    for (size_t i = 0; i < firn_world_field_count(from) && count < FIELDS; i++) {
        fields[count] = firn_world_field_at(from, i);
        if (change_field(&fields[count], b, data[count], ROOM)) count++;
    }
    frame_content content = {.kind = kind,
                             .clock = world_clock_get(from),
                             .scene_hash = scene_hash,
                             .state_hash = firn_world_hash(from),
                             .fields = fields,
                             .field_count = count};
    char *file;
    size_t size;
    if (frame_encode(&content, take(b) & 1, &file, &size) != FIRN_OK) return;
    if (cache_parse(file, size, "fuzz", world, scene_hash, kind) == FIRN_OK) look_around(world);
    mem_free(file);
}

// The bytes themselves, or a whole file with some bytes changed.
static void load_damaged(const firn_world *from, firn_world *world, bytes *b) {
    cache_kind kind = take(b) & 1 ? CACHE_CHECKPOINT : CACHE_FRAME;
    if (take(b) & 1) {
        cache_parse((const char *)b->at, b->left, "fuzz", world, scene_hash, kind);
        return;
    }
    frame_content content = {.kind = kind, .clock = world_clock_get(from), .scene_hash = scene_hash};
    char *file;
    size_t size;
    if (frame_encode(&content, false, &file, &size) != FIRN_OK) return;
    while (b->left >= 3) {
        size_t at = (size_t)(take(b) << 8 | take(b)) % size;
        uint8_t flip = take(b);
        file[at] = (char)(file[at] ^ flip);
    }
    cache_parse(file, size, "fuzz", world, scene_hash, kind);
    mem_free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bytes b = {data, size};
    static firn_world *from; // never changes
    if (!from) from = make_world();
    firn_world *world = make_world();
    if (!from || !world) abort();
    if (take(&b) & 1)
        load_composed(from, world, &b);
    else
        load_damaged(from, world, &b);
    firn_world_close(world);
    return 0;
}
