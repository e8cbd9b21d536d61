#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

static int system_open_new(const char *path) {
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}
static long system_write(int file, const void *data, size_t bytes) { return write(file, data, bytes); }
static int system_make_folder(const char *path) { return mkdir(path, 0777); }

const file_table file_system = {
    .open_new = system_open_new,
    .write = system_write,
    .sync = fsync,
    .close = close,
    .rename = rename,
    .remove = unlink,
    .make_folder = system_make_folder,
};
static const file_table *files = &file_system;

void file_use(const file_table *table) { files = table ? table : &file_system; }

static firn_status write_failed(const char *path) {
    int why = errno;
    if (why == ENOSPC || why == EDQUOT) return fail(FIRN_IO, "disk full while writing '%s'", path);
    if (why == EFBIG) return fail(FIRN_IO, "'%s' would exceed the allowed file size", path);
    return fail(FIRN_IO, "cannot write '%s': %s", path, strerror(why));
}

struct file_stream {
    int file;
    uint64_t position;
    char path[PATH_ROOM], temporary[PATH_ROOM];
};

firn_status file_stream_open(const char *path, file_stream **out) {
    *out = NULL;
    file_stream *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory("opening a file", sizeof *s);
    int length = snprintf(s->temporary, sizeof s->temporary, "%s.%ld.tmp", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof s->temporary) {
        mem_free(s);
        return fail(FIRN_BAD_INPUT, "path is too long: '%.60s...'", path);
    }
    snprintf(s->path, sizeof s->path, "%s", path);
    s->file = files->open_new(s->temporary);
    if (s->file < 0) {
        firn_status status = write_failed(path); // before anything else touches errno
        mem_free(s);
        return status;
    }
    *out = s;
    return FIRN_OK;
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
    files->remove(s->temporary);
    mem_free(s);
}

// The rename itself must survive a power cut too.
static void sync_folder_of(const char *path) {
    char folder[PATH_ROOM];
    path_folder(path, folder, sizeof folder);
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    fsync(file);
    close(file);
}

firn_status file_stream_finish(file_stream *s) {
    firn_status status = FIRN_OK;
    if (files->sync(s->file) < 0) status = write_failed(s->path);
    if (files->close(s->file) < 0 && status == FIRN_OK) status = write_failed(s->path);
    s->file = -1;
    if (status == FIRN_OK && files->rename(s->temporary, s->path) < 0) status = write_failed(s->path);
    if (status != FIRN_OK) {
        file_stream_abandon(s);
        return status;
    }
    sync_folder_of(s->path);
    mem_free(s);
    return FIRN_OK;
}

firn_status file_write_whole(const char *path, const file_part *parts, size_t count) {
    file_stream *stream;
    TRY(file_stream_open(path, &stream));
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

firn_status file_write_text(const char *path, const char *content) {
    file_part part = {content, strlen(content)};
    return file_write_whole(path, &part, 1);
}

firn_status file_remove(const char *path) {
    if (files->remove(path) < 0 && errno != ENOENT)
        return fail(FIRN_IO, "cannot remove '%s': %s", path, strerror(errno));
    return FIRN_OK;
}

firn_status file_make_folders(const char *path) {
    char part[PATH_ROOM];
    if (!path[0]) return fail(FIRN_BAD_INPUT, "a folder needs a name");
    if (strlen(path) >= sizeof part) return fail(FIRN_BAD_INPUT, "path is too long: '%.60s...'", path);
    snprintf(part, sizeof part, "%s", path);
    for (char *c = part + 1;; c++) {
        if (*c != '/' && *c != 0) continue;
        char kept = *c;
        *c = 0;
        if (!folder_exists(part) && files->make_folder(part) < 0 && errno != EEXIST)
            return fail(FIRN_IO, "cannot make folder '%s': %s", part, strerror(errno));
        *c = kept;
        if (!kept) break;
    }
    if (!folder_exists(path)) return fail(FIRN_IO, "'%s' is a file, not a folder", path);
    return FIRN_OK;
}

static firn_status read_failed(const char *path) {
    return fail(errno == ENOENT ? FIRN_BAD_INPUT : FIRN_IO, "cannot read '%s': %s", path, strerror(errno));
}

static firn_status read_all(int file, const char *path, char *data, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = read(file, data + done, bytes - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return read_failed(path);
        if (got == 0) return fail(FIRN_IO, "'%s' became shorter while it was read", path);
        done += (size_t)got;
    }
    return FIRN_OK;
}

firn_status file_read_whole(const char *path, size_t limit, char **data, size_t *bytes) {
    *data = NULL;
    *bytes = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return read_failed(path);
    struct stat about;
    firn_status status = FIRN_OK;
    if (fstat(file, &about) < 0)
        status = read_failed(path);
    else if (!S_ISREG(about.st_mode))
        status = fail(FIRN_BAD_INPUT, "'%s' is not a regular file", path);
    else if ((uint64_t)about.st_size > limit)
        status = fail(FIRN_BAD_INPUT, "'%s' is too large: %lld bytes, at most %zu are read", path,
                      (long long)about.st_size, limit);
    size_t size = status == FIRN_OK ? (size_t)about.st_size : 0;
    char *memory = status == FIRN_OK ? mem_alloc(size + 1) : NULL;
    if (status == FIRN_OK && !memory) status = fail_memory("reading a file", size);
    if (status == FIRN_OK) status = read_all(file, path, memory, size);
    close(file);
    if (status != FIRN_OK) {
        mem_free(memory);
        return status;
    }
    memory[size] = 0;
    *data = memory;
    *bytes = size;
    return FIRN_OK;
}

bool file_exists(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

bool folder_exists(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

uint64_t file_free_space(const char *path) {
    char folder[PATH_ROOM];
    snprintf(folder, sizeof folder, "%s", path);
    struct statvfs about;
    while (statvfs(folder, &about) < 0) {
        if (strcmp(folder, ".") == 0 || strcmp(folder, "/") == 0) return 0;
        char parent[PATH_ROOM];
        path_folder(folder, parent, sizeof parent);
        memcpy(folder, parent, sizeof folder);
    }
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

firn_status file_list(const char *folder, const char *ending, file_names *out) {
    *out = (file_names){0};
    DIR *open_folder = opendir(folder);
    if (!open_folder) return fail(FIRN_IO, "cannot read folder '%s': %s", folder, strerror(errno));
    firn_status status = FIRN_OK;
    for (struct dirent *entry; status == FIRN_OK && (entry = readdir(open_folder));)
        if (entry->d_name[0] != '.' && text_ends(entry->d_name, ending))
            status = names_add(out, entry->d_name);
    closedir(open_folder);
    if (status != FIRN_OK) {
        file_names_free(out);
        return status;
    }
    if (out->count) qsort(out->items, out->count, sizeof *out->items, compare_names);
    return FIRN_OK;
}

void file_names_free(file_names *names) {
    for (size_t i = 0; i < names->count; i++) mem_free(names->items[i]);
    mem_free(names->items);
    *names = (file_names){0};
}
