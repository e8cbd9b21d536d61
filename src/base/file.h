// All file output of the library goes through one table, so that tests can make any call fail. Files under
// their final name are whole: they are written to a temporary name, synced and renamed.
//
// Functions ending in _in take an open folder and a name relative to it, and stay in that folder when it is
// moved and another one takes its path. With folder NULL the name is a path.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/status.h"

enum { PATH_ROOM = 4096 };

// Calls return -1 and set errno on failure, as the system's do. `folder` is a descriptor or AT_FDCWD.
typedef struct file_table {
    int (*open_new)(int folder, const char *path); // for writing; EEXIST if there is anything of that name
    long (*write)(int file, const void *data, size_t bytes);
    int (*sync)(int file);
    int (*close)(int file);
    int (*rename)(int folder, const char *from, const char *to);
    int (*sync_folder)(int folder); // after a rename
    int (*remove)(int folder, const char *path);
    int (*make_folder)(int folder, const char *path);
} file_table;
extern const file_table file_system;    // the real one
void file_use(const file_table *table); // for tests; NULL: the real one

typedef struct file_folder {
    int handle;           // of the open folder
    char path[PATH_ROOM]; // as it was opened; for messages
} file_folder;
firn_status file_folder_open(const char *path, file_folder *out);
void file_folder_close(file_folder *folder);
// The path of a name in a folder, for messages: `out`, or the name itself if folder is NULL.
const char *file_shown(const file_folder *folder, const char *name, char out[PATH_ROOM]);

typedef struct file_part {
    const void *data;
    size_t bytes;
} file_part;
// Writes parts one after the other to `path`, whole or not at all. An earlier file of that name survives a
// failure.
firn_status file_write_whole(const char *path, const file_part *parts, size_t count);
firn_status file_write_in(const file_folder *folder, const char *name, const file_part *parts, size_t count);
firn_status file_write_text(const char *path, const char *text);
firn_status file_write_text_in(const file_folder *folder, const char *name, const char *text);
firn_status file_remove(const char *path); // a missing file is not an error
firn_status file_remove_in(const file_folder *folder, const char *name);
firn_status file_make_folders(const char *path); // with parents; existing ones are not an error
firn_status file_make_folder_in(const file_folder *folder, const char *name);

// Temporary names, "movie.mp4.firn-0123456789abcdef.tmp", cannot be guessed, and their files are locked as
// long as they are written. So a file with such a name and without a lock was left by a process that has
// ended: file_sweep removes it. `name` is relative to folder; NULL: as above.
bool file_is_temporary(const char *name);
void file_sweep(const file_folder *folder, const char *name);

// Output that is streamed (movies): open the temporary name, write through the table, finish by rename.
typedef struct file_stream file_stream;
firn_status file_stream_open(const char *path, file_stream **out);
firn_status file_stream_open_in(const file_folder *folder, const char *name, file_stream **out);
firn_status file_stream_write(file_stream *stream, uint64_t offset, const void *data, size_t bytes);
firn_status file_stream_finish(file_stream *stream); // sync, rename; frees stream also on failure
void file_stream_abandon(file_stream *stream);       // removes the temporary file; NULL is allowed

// Opens a regular file for reading; folders, FIFOs, sockets and devices are refused at once, before a read
// could block. Close *file.
firn_status file_open(const char *path, int *file, uint64_t *bytes);
firn_status file_open_in(const file_folder *folder, const char *name, int *file, uint64_t *bytes);
// Reads a whole file (mem_free *data); more than `limit` bytes is an error. One 0 byte follows the data.
firn_status file_read_whole(const char *path, size_t limit, char **data, size_t *bytes);
firn_status file_read_in(const file_folder *folder, const char *name, size_t limit, char **data,
                         size_t *bytes);
// The same from an open descriptor of any kind, a pipe for instance, to its end; `name` is for messages.
firn_status file_read_descriptor(int file, const char *name, size_t limit, char **data, size_t *bytes);
// The next bytes of an open file; *done is less than `bytes` only at its end.
firn_status file_read_some(int file, const char *name, char *data, size_t bytes, size_t *done);
// Kind of a path that is not a regular file: "folder", "FIFO", ...; NULL if it is one or does not exist.
const char *file_odd_kind(const char *path);
bool file_exists(const char *path);
bool file_exists_in(const file_folder *folder, const char *name);
bool folder_exists(const char *path);
bool folder_exists_in(const file_folder *folder, const char *name);
uint64_t file_free_space(const char *path); // bytes free where path is or will be; UINT64_MAX: not known

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
firn_status file_list_in(const file_folder *folder, const char *name, const char *ending, file_names *out);
void file_names_free(file_names *names);

#endif
