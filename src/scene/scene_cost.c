// What the frames of a scene will take on disk.
#include <string.h>

#include "scene/explain_words.h"
#include "scene/scene.h"
#include "world/world.h"

enum {
    FILE_OVERHEAD = 12 * 1024,
    CHECKPOINTS_KEPT = 2
}; // names, units and attributes of an HDF5 file of ours

static uint64_t bytes_per_item(const firn_field *f) {
    return (uint64_t)f->components * (f->type == FIRN_F64 || f->type == FIRN_U64 ? 8 : 4);
}

// A small world tells which fields there are; the cost of the scene tells how many items. Without
// compression.
firn_status scene_disk(const scene_def *def, firn_cost *cost) {
    firn_world *world;
    TRY(explain_world(&world));
    uint64_t frame = FILE_OVERHEAD, checkpoint = FILE_OVERHEAD;
    for (size_t i = 0; i < firn_world_field_count(world); i++) {
        firn_field f = firn_world_field_at(world, i);
        bool grains = strncmp(f.name, "grains.", 7) == 0;
        if (grains && !def->world.grains) continue;
        uint64_t bytes = bytes_per_item(&f) * (grains ? cost->particles : cost->bodies);
        if (f.flags & FIRN_FIELD_SHOWN) frame += bytes;
        if (f.flags & FIRN_FIELD_STATE) checkpoint += bytes;
    }
    firn_world_close(world);
    cost->disk = (cost->frames + 1) * frame + CHECKPOINTS_KEPT * checkpoint;
    return FIRN_OK;
}
