// Content hashes of the files that a scene names, and the copies that a run keeps of them.
#include "geom/asset.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/memory.h"

enum { FILE_MOST = 1 << 30 };

void asset_folder(uint64_t hash, char out[17]) { snprintf(out, 17, "%016llx", (unsigned long long)hash); }

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool asset_is_kept(const char *path, uint64_t hash) {
    char folder[PATH_ROOM], name[17];
    path_folder(path, folder, sizeof folder);
    asset_folder(hash, name);
    return strcmp(base_name(folder), name) == 0;
}

// A name that stays below the folder of the file it stands in.
static bool is_below(const char *name) {
    if (!name[0] || name[0] == '/' || strstr(name, "://") || strncmp(name, "data:", 5) == 0) return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        if (*part == '/') part++;
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2])) return false;
    }
    return true;
}

// The next `"uri": "name"` of a glTF text from *at on. Names with escapes are left out: Assimp does not
// follow them either.
static bool next_part(const char **at, char name[PATH_ROOM]) {
    while ((*at = strstr(*at, "\"uri\""))) {
        *at += 5;
        *at += strspn(*at, " \t\r\n");
        if (**at != ':') continue;
        *at += 1 + strspn(*at + 1, " \t\r\n");
        if (**at != '"') continue;
        size_t length = strcspn(++*at, "\"\\");
        if (length >= PATH_ROOM || (*at)[length] != '"') continue;
        memcpy(name, *at, length);
        name[length] = 0;
        *at += length;
        if (is_below(name)) return true;
    }
    return false;
}

// Calls each(context, in, path, name) for the other files that a glTF text at `path` names and that are
// there.
typedef firn_status (*part_visit)(void *context, const file_folder *in, const char *path, const char *name);

static firn_status each_part(const file_folder *in, const char *path, const char *content, part_visit each,
                             void *context) {
    const char *dot = strrchr(path, '.');
    if (!dot || strcasecmp(dot, ".gltf") != 0) return FIRN_OK;
    char name[PATH_ROOM], folder[PATH_ROOM], part[PATH_ROOM];
    path_folder(path, folder, sizeof folder);
    for (const char *at = content; next_part(&at, name);) {
        path_join(folder, name, part, sizeof part);
        if (file_exists_in(in, part)) TRY(each(context, in, part, name));
    }
    return FIRN_OK;
}

static firn_status add_part(void *context, const file_folder *in, const char *path, const char *name) {
    uint64_t *hash = context;
    char *data;
    size_t bytes;
    TRY(file_read_in(in, path, FILE_MOST, &data, &bytes));
    *hash = hash64(data, bytes, hash64_text(name, *hash));
    mem_free(data);
    return FIRN_OK;
}

firn_status asset_hash_in(const file_folder *in, const char *path, uint64_t *hash) {
    *hash = 0;
    char *data;
    size_t bytes;
    TRY(file_read_in(in, path, FILE_MOST, &data, &bytes));
    *hash = hash64(data, bytes, 0);
    firn_status status = each_part(in, path, data, add_part, hash);
    mem_free(data);
    return status;
}

firn_status asset_hash(const char *path, uint64_t *hash) { return asset_hash_in(NULL, path, hash); }

typedef struct keeping {
    const file_folder *run;
    const char *own;
} keeping;

static firn_status make_parents(const file_folder *run, const char *name) {
    char parent[PATH_ROOM];
    for (const char *slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(parent, sizeof parent, "%.*s", (int)(slash - name), name);
        TRY(file_make_folder_in(run, parent));
    }
    return FIRN_OK;
}

static firn_status copy_file(void *context, const file_folder *in, const char *path, const char *name) {
    const keeping *k = context;
    char to[PATH_ROOM], *data;
    size_t bytes;
    path_join(k->own, name, to, sizeof to);
    TRY(make_parents(k->run, to));
    TRY(file_read_in(in, path, FILE_MOST, &data, &bytes));
    firn_status status = file_write_in(k->run, to, &(file_part){data, bytes}, 1);
    mem_free(data);
    return status;
}

// The parts first: who finds the file finds all of it.
static firn_status copy_all(const char *path, keeping *k) {
    char *data;
    size_t bytes;
    TRY(file_read_whole(path, FILE_MOST, &data, &bytes));
    firn_status status = each_part(NULL, path, data, copy_file, k);
    mem_free(data);
    return status == FIRN_OK ? copy_file(k, NULL, path, base_name(path)) : status;
}

firn_status asset_keep(const char *path, uint64_t hash, const file_folder *run, const char *own) {
    char copy[PATH_ROOM];
    uint64_t there;
    path_join(own, base_name(path), copy, sizeof copy);
    if (file_exists_in(run, copy) && asset_hash_in(run, copy, &there) == FIRN_OK && there == hash)
        return FIRN_OK;
    TRY(copy_all(path, &(keeping){run, own}));
    TRY(asset_hash_in(run, copy, &there));
    if (there == hash) return FIRN_OK;
    file_remove_in(run, copy);
    return fail(FIRN_BAD_INPUT, "'%s' has changed since the scene was read", path);
}
