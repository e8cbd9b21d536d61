// The part of HDF5 that frames need. Files are built and read in memory only: files are written through
// base/file.h, and HDF5 reads only data whose checksum is right. HDF5 has global state: a lock is held from
// h5_create to h5_take and from h5_open to h5_close; keep these short and do not nest them.
#ifndef CACHE_H5_H
#define CACHE_H5_H

#include <firn/world.h>

#include "base/status.h"

typedef struct h5_writer {
    int64_t file;
    bool compress; // shuffle + deflate of arrays
    bool failed;   // once something fails nothing more is added
    char *image;   // HDF5 writes here
    size_t size, capacity;
    void *old_report, *old_report_data;
} h5_writer;
// user_block: bytes before HDF5's own data for a header of ours, which tools that read HDF5 skip: 0, or a
// power of two from 512 on. expected: bytes of all arrays, so that memory need not grow often. On failure
// there is nothing to take. The writer must stay where it is until h5_take.
firn_status h5_create(h5_writer *w, size_t user_block, bool compress, size_t expected);
void h5_group(h5_writer *w, const char *path);
// Attributes of the group or array at `path`.
void h5_text(h5_writer *w, const char *path, const char *name, const char *value);
void h5_real(h5_writer *w, const char *path, const char *name, const double *values, size_t count);
void h5_count(h5_writer *w, const char *path, const char *name, uint64_t value);
// count x components values; 0 components: one-dimensional.
void h5_array(h5_writer *w, const char *path, firn_type type, size_t count, uint32_t components,
              const void *data);
// A volume of floats, x fastest: an array of size[2] x size[1] x size[0].
void h5_volume(h5_writer *w, const char *path, const uint32_t size[3], const float *data);
// count texts, each cut or padded to `width` bytes.
void h5_texts(h5_writer *w, const char *path, const char *const *texts, size_t count, size_t width);
// The file (mem_free it); the user block, if any, is zero. Closes the writer, also on failure.
firn_status h5_take(h5_writer *w, char **file, size_t *bytes);

// A file without the values of its large arrays, which takes no memory: the writer's functions fill the draft
// *file (close it), h5_hollow makes an array and says at which byte its values belong. Apart from them it has
// the bytes of the file that h5_create would make.
firn_status h5_create_hollow(h5_writer *w, size_t user_block, int *file);
void h5_hollow(h5_writer *w, const char *path, firn_type type, size_t count, uint32_t components,
               uint64_t *offset);
firn_status h5_take_hollow(h5_writer *w, int file, size_t *bytes);

typedef struct h5_reader {
    int64_t file;
    const char *name; // for messages
    void *old_report, *old_report_data;
} h5_reader;
// data (with the user block) must stay until h5_close. On failure there is nothing to close.
firn_status h5_open(h5_reader *r, const char *data, size_t bytes, const char *name);
void h5_close(h5_reader *r);
bool h5_has(h5_reader *r, const char *path); // there is something at `path`
// Number of items of the array at `path`, which must be of this type and have this many components.
firn_status h5_items(h5_reader *r, const char *path, firn_type type, uint32_t components, size_t *count);
// After h5_items said so.
firn_status h5_load(h5_reader *r, const char *path, firn_type type, void *data);

size_t type_bytes(firn_type type);

#endif
