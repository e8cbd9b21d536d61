// All file output of the library goes through one table, so that tests can make any call fail. Files under
// their final name are whole: they are written to a temporary name, synced and renamed.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/status.h"

// Calls return -1 and set errno on failure, as the system's do.
typedef struct file_table {
    int (*open_new)(const char *path); // create or truncate, for writing
    long (*write)(int file, const void *data, size_t bytes);
    int (*sync)(int file);
    int (*close)(int file);
    int (*rename)(const char *from, const char *to);
    int (*remove)(const char *path);
    int (*make_folder)(const char *path);
} file_table;
extern const file_table file_system;    // the real one
void file_use(const file_table *table); // for tests; NULL: the real one

typedef struct file_part {
    const void *data;
    size_t bytes;
} file_part;
// Writes parts one after the other to `path`, whole or not at all. An earlier file of that name survives a
// failure.
firn_status file_write_whole(const char *path, const file_part *parts, size_t count);
firn_status file_write_text(const char *path, const char *text);
firn_status file_remove(const char *path);       // a missing file is fine
firn_status file_make_folders(const char *path); // with parents; existing is fine

// Output that is streamed (movies): open the temporary name, write through the table, finish by rename.
typedef struct file_stream file_stream;
firn_status file_stream_open(const char *path, file_stream **out);
firn_status file_stream_write(file_stream *stream, uint64_t offset, const void *data, size_t bytes);
firn_status file_stream_finish(file_stream *stream); // sync, rename; frees stream also on failure
void file_stream_abandon(file_stream *stream);       // removes the temporary file; NULL is fine

// Reads a whole file (mem_free *data); more than `limit` bytes is an error. One 0 byte follows the data.
firn_status file_read_whole(const char *path, size_t limit, char **data, size_t *bytes);
bool file_exists(const char *path);
bool folder_exists(const char *path);
uint64_t file_free_space(const char *path); // bytes free where path is or will be; 0 if unknown

// "a/b/c.yaml" -> "a/b"; "c.yaml" -> ".". Writes at most size bytes.
void path_folder(const char *path, char *out, size_t size);
// Joins unless name is absolute.
void path_join(const char *folder, const char *name, char *out, size_t size);

// Names of the files in a folder that end in `ending`, sorted; free names with file_names_free.
typedef struct file_names {
    char **items;
    size_t count, capacity;
} file_names;
firn_status file_list(const char *folder, const char *ending, file_names *out);
void file_names_free(file_names *names);

enum { PATH_ROOM = 4096 };

#endif
