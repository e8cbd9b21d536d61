// The file format of frames and checkpoints: a header block of ours, then an HDF5 file. This part knows lists
// of fields and ledgers, no worlds.
#ifndef CACHE_FRAME_H
#define CACHE_FRAME_H

#include "cache/cache.h"
#include "cache/h5.h"

enum { FRAME_FORMAT = 5, FRAME_NAME = 128 };

// What is known of a file without opening its HDF5 part. Little endian, checked by its own checksum, so that
// looking through the ledgers of ten thousand frames reads 4 KB of each.
typedef struct frame_ledger {
    char model[CACHE_MODEL_NAME];
    uint64_t items;
    double mass, mass_in, mass_out, momentum[3], kinetic, potential, heat, max_speed, mass_lost, inside,
        depth, residual_before, residual;
} frame_ledger;
typedef struct frame_series {
    char panel[24], name[20], unit[8];
    uint32_t ledger; // which of them
    double value;
} frame_series;
typedef struct frame_block {
    char magic[8];
    uint32_t format, kind;
    uint64_t checksum; // of this block with checksum = 0
    uint64_t image_bytes, image_checksum;
    char version[16]; // of firn
    double time;
    uint64_t frame, step, scene_hash, state_hash;
    uint64_t ledgers;
    frame_ledger ledger[CACHE_LEDGERS];
    uint64_t series;
    frame_series one[CACHE_SERIES];
    char isa[8]; // instruction set that computed it; "" in files of older versions
    char rest[168];
} frame_block;
_Static_assert(sizeof(frame_block) == H5_USER_BLOCK, "the block fills HDF5's user block");

typedef struct frame_content {
    cache_kind kind;
    world_clock clock;
    uint64_t scene_hash, state_hash;
    const firn_field *fields; // all are written
    size_t field_count;
    const firn_ledger *ledgers;
    size_t ledger_count;
    const char *const *bodies; // names, in the order of the fields of bodies
    size_t body_count;
} frame_content;

// Composes a file in memory (mem_free it).
firn_status frame_encode(const frame_content *content, bool compress, char **file, size_t *bytes);
// Is this a whole, undamaged file of ours, of this kind, and the one that its name says ("000042.h5")?
firn_status frame_verify(const char *data, size_t bytes, const char *name, cache_kind kind,
                         frame_block *block);
// The block alone, and the length of the file. folder NULL: name is a path.
firn_status frame_read_block(const file_folder *folder, const char *name, frame_block *block);
// Reads all of a file and verifies it.
firn_status frame_verify_file(const file_folder *folder, const char *name, cache_kind kind,
                              frame_block *block);
// "/fields/bodies/position" of "bodies.position"
void frame_array_path(const char *field, char out[FRAME_NAME]);

#endif
