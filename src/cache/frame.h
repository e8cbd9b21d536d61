// The file format of frames and checkpoints: a header block of firn, then an HDF5 file. This part handles
// lists of fields and ledgers, not worlds.
#ifndef CACHE_FRAME_H
#define CACHE_FRAME_H

#include "cache/cache.h"
#include "cache/h5.h"

enum { FRAME_FORMAT = 8, FRAME_NAME = 128 };

// What is known of a file without opening its HDF5 part: this block, then its ledgers, its series and their
// texts, all in HDF5's user block, which is as large as they need. Little endian, checked by its own
// checksum, so that looking through the ledgers of ten thousand frames reads 4 KB of each.
typedef struct frame_ledger {
    uint64_t model; // where its name stands in the texts
    uint64_t items, steps;
    double mass, mass_in, mass_out, momentum[3], kinetic, potential, heat, max_speed, mass_lost;
} frame_ledger;
typedef struct frame_series {
    uint32_t ledger;            // which of them it belongs to
    uint32_t panel, name, unit; // where they stand in the texts
    double value;
} frame_series;
typedef struct frame_block {
    char magic[8];
    uint32_t format, kind;
    uint64_t checksum; // XXH3 of the whole user block with checksum = 0
    uint64_t image_bytes, image_checksum;
    char version[16]; // of firn
    double time;
    uint64_t frame, step, scene_hash, state_hash;
    char isa[8];          // instruction set that computed it
    uint64_t block_bytes; // of the user block, a power of two
    uint64_t ledgers, series, text_bytes;
} frame_block;
_Static_assert(sizeof(frame_block) == 136 && sizeof(frame_ledger) == 112 && sizeof(frame_series) == 24,
               "the sizes in docs/files.md");
enum { FRAME_SMALLEST_BLOCK = 4096, FRAME_LARGEST_BLOCK = 1 << 30 };

typedef struct frame_content {
    cache_kind kind;
    world_clock clock;
    uint64_t scene_hash, state_hash;
    const firn_field *fields; // all are written
    size_t field_count;
    const firn_world *world; // over ranks: has fields in slabs, whose data is not here; else NULL
    const size_t *number;    // by field: its number in the world
    const firn_ledger *ledgers;
    size_t ledger_count;
    const firn_series *series; // each of a model that has a ledger
    size_t series_count;
    const char *const *bodies; // names, in the order of the fields of bodies
    size_t body_count;
} frame_content;

// Composes a file in memory (mem_free it).
firn_status frame_encode(const frame_content *content, bool compress, char **file, size_t *bytes);
// The same straight into a file, without room for the arrays that are in slabs.
firn_status frame_write(const frame_content *content, const file_folder *folder, const char *name);
// Checks that this is a complete, undamaged firn file of this kind with the frame or step of its name
// ("000042.h5").
firn_status frame_verify(const char *data, size_t bytes, const char *name, cache_kind kind,
                         frame_block *block);
// The block with all that stands behind it (mem_free it), and the length of the file. folder NULL: name is a
// path.
firn_status frame_read_summary(const file_folder *folder, const char *name, frame_block **block);
// The block alone.
firn_status frame_read_block(const file_folder *folder, const char *name, frame_block *block);
// Reads all of a file and verifies it.
firn_status frame_verify_file(const file_folder *folder, const char *name, cache_kind kind,
                              frame_block *block);
// frame_summary.c: the user block of a content.
size_t frame_block_bytes(const frame_content *content);                    // a power of two
void frame_pack_summary(const frame_content *content, frame_block *block); // behind the block
// Whether what the block says of its own sizes is possible, so that the summary can be read.
bool frame_summary_fits(const frame_block *block);
// "/fields/bodies/position" of "bodies.position"
void frame_array_path(const char *field, char out[FRAME_NAME]);

#endif
