// Files that are written whole or not at all: a temporary name, sync, rename. Also reading and sweeping.
#include "base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

static bool was_removed(int file) {
    struct stat about;
    return fstat(file, &about) == 0 && about.st_nlink == 0;
}

// The lock tells file_sweep that the file is being written. A sweep between open and flock counts as a taken
// name. On file systems without locks nothing is swept either.
static int system_open_new(int folder, const char *path) {
    int file = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0) return -1;
    bool swept = flock(file, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    if (!swept && !was_removed(file)) return file;
    close(file);
    errno = EEXIST;
    return -1;
}
static long system_write(int file, const void *data, size_t bytes) { return write(file, data, bytes); }
static int system_rename(int folder, const char *from, const char *to) {
    return renameat(folder, from, folder, to);
}
static int system_remove(int folder, const char *path) { return unlinkat(folder, path, 0); }
static int system_make_folder(int folder, const char *path) { return mkdirat(folder, path, 0777); }

const file_table file_system = {
    .open_new = system_open_new,
    .write = system_write,
    .sync = fsync,
    .close = close,
    .rename = system_rename,
    .sync_folder = fsync,
    .remove = system_remove,
    .make_folder = system_make_folder,
};
static const file_table *files = &file_system;

void file_use(const file_table *table) { files = table ? table : &file_system; }

static int handle_of(const file_folder *folder) { return folder ? folder->handle : AT_FDCWD; }

const char *file_shown(const file_folder *folder, const char *name, char out[PATH_ROOM]) {
    if (!folder) return name;
    int length = snprintf(out, PATH_ROOM, "%s/%s", folder->path, name);
    return length < 0 || length >= PATH_ROOM ? name : out;
}

static firn_status write_failed(const char *path) {
    int why = errno;
    if (why == ENOSPC || why == EDQUOT) return fail(FIRN_IO, "disk full while writing '%s'", path);
    if (why == EFBIG) return fail(FIRN_IO, "'%s' would exceed the allowed file size", path);
    return fail(FIRN_IO, "cannot write '%s': %s", path, strerror(why));
}

struct file_stream {
    int file, folder;
    uint64_t position;
    char name[PATH_ROOM], temporary[PATH_ROOM]; // in the folder
    char path[PATH_ROOM];                       // for messages
};

enum { RANDOM_DIGITS = 16, NAME_KEPT = 200 }; // of 255 bytes that a name may have
static const char mark[] = ".firn-", ending[] = ".tmp";

bool file_is_temporary(const char *name) {
    size_t length = strlen(name), tail = strlen(mark) + RANDOM_DIGITS + strlen(ending);
    if (length <= tail || !text_ends(name, ending)) return false;
    const char *digits = name + length - strlen(ending) - RANDOM_DIGITS;
    if (strncmp(name + length - tail, mark, strlen(mark)) != 0) return false;
    for (int i = 0; i < RANDOM_DIGITS; i++)
        if (!isxdigit((unsigned char)digits[i])) return false;
    return true;
}

static bool random_number(uint64_t *out) {
    ssize_t got;
    do got = getrandom(out, sizeof *out, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *out;
}

static bool name_temporary(file_stream *s) {
    uint64_t number;
    if (!random_number(&number)) return false;
    const char *slash = strrchr(s->name, '/'), *name = slash ? slash + 1 : s->name;
    int length = snprintf(s->temporary, sizeof s->temporary, "%.*s%.*s%s%016llx%s", (int)(name - s->name),
                          s->name, NAME_KEPT, name, mark, (unsigned long long)number, ending);
    if (length >= 0 && (size_t)length < sizeof s->temporary) return true;
    errno = ENAMETOOLONG;
    return false;
}

static int open_temporary(file_stream *s) {
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        if (!name_temporary(s)) return -1;
        int file = files->open_new(s->folder, s->temporary);
        if (file >= 0 || (errno != EEXIST && errno != EINTR)) return file;
    }
    return -1;
}

firn_status file_stream_open_in(const file_folder *folder, const char *name, file_stream **out) {
    *out = NULL;
    if (strlen(name) >= PATH_ROOM) return fail(FIRN_BAD_INPUT, "path is too long: '%.60s...'", name);
    file_stream *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory("opening a file", sizeof *s);
    s->folder = handle_of(folder);
    snprintf(s->name, sizeof s->name, "%s", name);
    if (file_shown(folder, s->name, s->path) != s->path) memcpy(s->path, s->name, sizeof s->path);
    s->file = open_temporary(s);
    if (s->file < 0) {
        bool long_name = errno == ENAMETOOLONG;
        firn_status status = write_failed(s->path); // before anything else touches errno
        if (long_name) status = fail(FIRN_BAD_INPUT, "path is too long: '%.60s...'", name);
        mem_free(s);
        return status;
    }
    *out = s;
    return FIRN_OK;
}

firn_status file_stream_open(const char *path, file_stream **out) {
    return file_stream_open_in(NULL, path, out);
}

firn_status file_stream_write(file_stream *s, uint64_t offset, const void *data, size_t bytes) {
    if (offset != s->position && lseek(s->file, (off_t)offset, SEEK_SET) < 0) return write_failed(s->path);
    s->position = offset;
    const char *p = data;
    while (bytes > 0) {
        long written = files->write(s->file, p, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            if (written == 0) errno = ENOSPC;
            return write_failed(s->path);
        }
        p += written;
        bytes -= (size_t)written;
        s->position += (uint64_t)written;
    }
    return FIRN_OK;
}

void file_stream_abandon(file_stream *s) {
    if (!s) return;
    if (s->file >= 0) files->close(s->file);
    files->remove(s->folder, s->temporary);
    mem_free(s);
}

static int open_folder(int at, const char *path) {
    int file;
    do file = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (file < 0 && errno == EINTR);
    return file;
}

// The rename itself must survive a power cut too. Some file systems cannot sync folders, and a folder that
// may be written but not read cannot be opened for it.
static firn_status sync_folder_of(const file_stream *s) {
    char folder[PATH_ROOM];
    path_folder(s->name, folder, sizeof folder);
    int file = open_folder(s->folder, folder);
    if (file < 0 && errno == EACCES) return FIRN_OK;
    if (file < 0) return write_failed(s->path);
    int result;
    do result = files->sync_folder(file);
    while (result < 0 && errno == EINTR);
    firn_status status =
        result < 0 && errno != EINVAL && errno != EOPNOTSUPP ? write_failed(s->path) : FIRN_OK;
    close(file);
    return status;
}

// Errors have been reported by the sync; an interrupted close has closed the file.
static firn_status sync_and_close(file_stream *s) {
    firn_status status = FIRN_OK;
    int result;
    do result = files->sync(s->file);
    while (result < 0 && errno == EINTR);
    if (result < 0) status = write_failed(s->path);
    if (files->close(s->file) < 0 && errno != EINTR && status == FIRN_OK) status = write_failed(s->path);
    s->file = -1;
    return status;
}

firn_status file_stream_finish(file_stream *s) {
    firn_status status = sync_and_close(s);
    if (status == FIRN_OK && files->rename(s->folder, s->temporary, s->name) < 0)
        status = write_failed(s->path);
    if (status != FIRN_OK) {
        file_stream_abandon(s);
        return status;
    }
    status = sync_folder_of(s);
    mem_free(s);
    return status;
}

firn_status file_write_in(const file_folder *folder, const char *name, const file_part *parts, size_t count) {
    file_stream *stream;
    TRY(file_stream_open_in(folder, name, &stream));
    uint64_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        firn_status status = file_stream_write(stream, offset, parts[i].data, parts[i].bytes);
        if (status != FIRN_OK) {
            file_stream_abandon(stream);
            return status;
        }
        offset += parts[i].bytes;
    }
    return file_stream_finish(stream);
}

firn_status file_write_whole(const char *path, const file_part *parts, size_t count) {
    return file_write_in(NULL, path, parts, count);
}

firn_status file_write_text_in(const file_folder *folder, const char *name, const char *content) {
    file_part part = {content, strlen(content)};
    return file_write_in(folder, name, &part, 1);
}

firn_status file_write_text(const char *path, const char *content) {
    return file_write_text_in(NULL, path, content);
}

firn_status file_remove_in(const file_folder *folder, const char *name) {
    char path[PATH_ROOM];
    if (files->remove(handle_of(folder), name) < 0 && errno != ENOENT) {
        int why = errno;
        return fail(FIRN_IO, "cannot remove '%s': %s", file_shown(folder, name, path), strerror(why));
    }
    return FIRN_OK;
}

firn_status file_remove(const char *path) { return file_remove_in(NULL, path); }

firn_status file_make_folder_in(const file_folder *folder, const char *name) {
    char path[PATH_ROOM];
    if (folder_exists_in(folder, name)) return FIRN_OK;
    if (files->make_folder(handle_of(folder), name) < 0 && errno != EEXIST) {
        int why = errno;
        return fail(FIRN_IO, "cannot create folder '%s': %s", file_shown(folder, name, path), strerror(why));
    }
    if (!folder_exists_in(folder, name))
        return fail(FIRN_IO, "'%s' is a file, not a folder", file_shown(folder, name, path));
    return FIRN_OK;
}

firn_status file_make_folders(const char *path) {
    char part[PATH_ROOM];
    if (!path[0]) return fail(FIRN_BAD_INPUT, "the name of the folder is empty");
    if (strlen(path) >= sizeof part) return fail(FIRN_BAD_INPUT, "path is too long: '%.60s...'", path);
    snprintf(part, sizeof part, "%s", path);
    for (char *c = part + 1;; c++) {
        if (*c != '/' && *c != 0) continue;
        char kept = *c;
        *c = 0;
        firn_status status = file_make_folder_in(NULL, part);
        if (status == FIRN_IO && kept) return fail(status, "cannot create '%s': %s", path, firn_last_error());
        TRY(status);
        *c = kept;
        if (!kept) return FIRN_OK;
    }
}

firn_status file_folder_open(const char *path, file_folder *out) {
    if (strlen(path) >= sizeof out->path) return fail(FIRN_BAD_INPUT, "path is too long: '%.60s...'", path);
    snprintf(out->path, sizeof out->path, "%s", path);
    out->handle = open_folder(AT_FDCWD, path);
    if (out->handle >= 0) return FIRN_OK;
    return fail(errno == ENOENT || errno == ENOTDIR ? FIRN_BAD_INPUT : FIRN_IO, "cannot open folder '%s': %s",
                path, strerror(errno));
}

void file_folder_close(file_folder *folder) {
    if (folder->handle >= 0) close(folder->handle);
    folder->handle = -1;
}

// Stale if it can be locked; removed if it belongs to this user.
static void sweep_one(int folder, const char *name) {
    int file = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    if (file < 0) return;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
        flock(file, LOCK_EX | LOCK_NB) == 0)
        files->remove(folder, name);
    close(file);
}

void file_sweep(const file_folder *folder, const char *name) {
    file_names names;
    int open_one = open_folder(handle_of(folder), name);
    if (open_one < 0) return;
    if (file_list_in(folder, name, ending, &names) == FIRN_OK) {
        for (size_t i = 0; i < names.count; i++)
            if (file_is_temporary(names.items[i])) sweep_one(open_one, names.items[i]);
        file_names_free(&names);
    }
    close(open_one);
}

static firn_status read_failed(const char *path) {
    return fail(errno == ENOENT ? FIRN_BAD_INPUT : FIRN_IO, "cannot read '%s': %s", path, strerror(errno));
}

static const char *kind_word(mode_t mode) {
    return S_ISREG(mode)    ? NULL
           : S_ISDIR(mode)  ? "folder"
           : S_ISFIFO(mode) ? "FIFO"
           : S_ISSOCK(mode) ? "socket"
                            : "device";
}

const char *file_odd_kind(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 ? kind_word(about.st_mode) : NULL;
}

// Checked before opening, since that would wake the other end of a FIFO; and after, since the file may have
// been replaced in between.
firn_status file_open_in(const file_folder *folder, const char *name, int *file, uint64_t *bytes) {
    char path[PATH_ROOM];
    struct stat about;
    *file = -1;
    if (fstatat(handle_of(folder), name, &about, 0) < 0) return read_failed(file_shown(folder, name, path));
    if (S_ISREG(about.st_mode)) {
        do *file = openat(handle_of(folder), name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        while (*file < 0 && errno == EINTR);
        if (*file < 0 || fstat(*file, &about) < 0) {
            firn_status status = read_failed(file_shown(folder, name, path));
            if (*file >= 0) close(*file);
            return status;
        }
    }
    *bytes = (uint64_t)about.st_size;
    if (S_ISREG(about.st_mode)) return FIRN_OK;
    if (*file >= 0) close(*file);
    return fail(FIRN_BAD_INPUT, "'%s' is a %s, not a regular file", file_shown(folder, name, path),
                kind_word(about.st_mode));
}

firn_status file_open(const char *path, int *file, uint64_t *bytes) {
    return file_open_in(NULL, path, file, bytes);
}

static firn_status too_large(const char *path, size_t limit) {
    return fail(FIRN_BAD_INPUT, "'%s' is too large: the limit is %zu bytes", path, limit);
}

firn_status file_read_some(int file, const char *path, char *data, size_t bytes, size_t *done) {
    for (*done = 0; *done < bytes;) {
        ssize_t got = read(file, data + *done, bytes - *done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return read_failed(path);
        if (got == 0) break;
        *done += (size_t)got;
    }
    return FIRN_OK;
}

static firn_status read_sized(int file, const char *path, size_t size, char **data) {
    char *memory = mem_alloc(size + 1);
    if (!memory) return fail_memory("reading a file", size);
    size_t done;
    firn_status status = file_read_some(file, path, memory, size, &done);
    if (status == FIRN_OK && done < size) status = fail(FIRN_IO, "'%s' shrank while it was being read", path);
    if (status != FIRN_OK) {
        mem_free(memory);
        return status;
    }
    memory[size] = 0;
    *data = memory;
    return FIRN_OK;
}

firn_status file_read_in(const file_folder *folder, const char *name, size_t limit, char **data,
                         size_t *bytes) {
    char room[PATH_ROOM];
    int file;
    uint64_t size;
    *data = NULL;
    *bytes = 0;
    TRY(file_open_in(folder, name, &file, &size));
    const char *path = file_shown(folder, name, room);
    firn_status status = size > limit ? too_large(path, limit) : read_sized(file, path, (size_t)size, data);
    close(file);
    if (status == FIRN_OK) *bytes = (size_t)size;
    return status;
}

firn_status file_read_whole(const char *path, size_t limit, char **data, size_t *bytes) {
    return file_read_in(NULL, path, limit, data, bytes);
}

firn_status file_read_descriptor(int file, const char *name, size_t limit, char **data, size_t *bytes) {
    enum { PIECE = 1 << 16 };
    char *memory = NULL;
    size_t capacity = 0, count = 0, got = PIECE;
    firn_status status = FIRN_OK;
    *data = NULL;
    *bytes = 0;
    while (status == FIRN_OK && got == PIECE) {
        if (!array_reserve(&memory, &capacity, count + PIECE + 1, 1))
            status = fail_memory("reading a file", count + PIECE);
        else
            status = file_read_some(file, name, memory + count, PIECE, &got);
        if (status == FIRN_OK) count += got;
        if (status == FIRN_OK && count > limit) status = too_large(name, limit);
    }
    if (status != FIRN_OK) {
        mem_free(memory);
        return status;
    }
    memory[count] = 0;
    *data = memory;
    *bytes = count;
    return FIRN_OK;
}

bool file_exists_in(const file_folder *folder, const char *name) {
    struct stat about;
    return fstatat(handle_of(folder), name, &about, 0) == 0 && S_ISREG(about.st_mode);
}

bool folder_exists_in(const file_folder *folder, const char *name) {
    struct stat about;
    return fstatat(handle_of(folder), name, &about, 0) == 0 && S_ISDIR(about.st_mode);
}

bool file_exists(const char *path) { return file_exists_in(NULL, path); }

bool folder_exists(const char *path) { return folder_exists_in(NULL, path); }

uint64_t file_free_space(const char *path) {
    char folder[PATH_ROOM];
    snprintf(folder, sizeof folder, "%s", path);
    struct statvfs about;
    while (statvfs(folder, &about) < 0) {
        if (strcmp(folder, ".") == 0 || strcmp(folder, "/") == 0) return UINT64_MAX;
        char parent[PATH_ROOM];
        path_folder(folder, parent, sizeof parent);
        memcpy(folder, parent, sizeof folder);
    }
    if (about.f_blocks == 0) return UINT64_MAX; // some file systems do not count
    return (uint64_t)about.f_bavail * about.f_frsize;
}

void path_folder(const char *path, char *out, size_t size) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        snprintf(out, size, ".");
    else if (slash == path)
        snprintf(out, size, "/");
    else
        snprintf(out, size, "%.*s", (int)(slash - path), path);
}

void path_join(const char *folder, const char *name, char *out, size_t size) {
    if (name[0] == '/' || !folder || strcmp(folder, ".") == 0 || !folder[0])
        snprintf(out, size, "%s", name);
    else
        snprintf(out, size, "%s/%s", folder, name);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static firn_status names_add(file_names *names, const char *name) {
    size_t length = strlen(name) + 1;
    char *copy = mem_alloc(length);
    if (!copy || !array_reserve(&names->items, &names->capacity, names->count + 1, sizeof *names->items)) {
        mem_free(copy);
        return fail_memory("listing a folder", length);
    }
    memcpy(copy, name, length);
    names->items[names->count++] = copy;
    return FIRN_OK;
}

firn_status file_list_in(const file_folder *folder, const char *name, const char *ends, file_names *out) {
    *out = (file_names){0};
    int handle = open_folder(handle_of(folder), name);
    DIR *open_one = handle < 0 ? NULL : fdopendir(handle);
    if (!open_one) {
        int why = errno;
        char path[PATH_ROOM];
        if (handle >= 0) close(handle);
        return fail(FIRN_IO, "cannot read folder '%s': %s", file_shown(folder, name, path), strerror(why));
    }
    firn_status status = FIRN_OK;
    for (struct dirent *entry; status == FIRN_OK && (entry = readdir(open_one));)
        if (entry->d_name[0] != '.' && text_ends(entry->d_name, ends)) status = names_add(out, entry->d_name);
    closedir(open_one);
    if (status != FIRN_OK) {
        file_names_free(out);
        return status;
    }
    if (out->count) qsort(out->items, out->count, sizeof *out->items, compare_names);
    return FIRN_OK;
}

firn_status file_list(const char *folder, const char *ends, file_names *out) {
    return file_list_in(NULL, folder, ends, out);
}

void file_names_free(file_names *names) {
    for (size_t i = 0; i < names->count; i++) mem_free(names->items[i]);
    mem_free(names->items);
    *names = (file_names){0};
}
