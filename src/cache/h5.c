// Writes and reads HDF5 files in memory.
#include "cache/h5.h"

#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "par/par.h"

_Static_assert(sizeof(hid_t) == sizeof(int64_t), "h5_writer keeps a hid_t without HDF5's header");

// HDF5 grows a file in memory by pieces; names, attributes and ledgers take less than one.
enum { IMAGE_GROWTH = 64 * 1024, IMAGE_MORE = 2 * IMAGE_GROWTH, CHUNK_BYTES = 256 * 1024, DEFLATE_LEVEL = 4 };

static par_lock lock = PAR_LOCK_INIT;

// Keeps HDF5 from printing errors; the setting of the embedding program is restored afterwards.
static void enter(void **report, void **report_data) {
    par_lock_take(&lock);
    H5E_auto2_t old = NULL;
    *report_data = NULL;
    H5Eget_auto2(H5E_DEFAULT, &old, report_data);
    memcpy(report, &old, sizeof old);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void leave(void *report, void *report_data) {
    H5E_auto2_t old;
    memcpy(&old, &report, sizeof old);
    H5Eset_auto2(H5E_DEFAULT, old, report_data);
    par_lock_release(&lock);
}

size_t type_bytes(firn_type type) { return type == FIRN_F64 || type == FIRN_U64 ? 8 : 4; }

static hid_t stored_type(firn_type type) {
    switch (type) {
    case FIRN_F32: return H5T_IEEE_F32LE;
    case FIRN_F64: return H5T_IEEE_F64LE;
    case FIRN_I32: return H5T_STD_I32LE;
    case FIRN_U32: return H5T_STD_U32LE;
    case FIRN_U64: return H5T_STD_U64LE;
    }
    return H5I_INVALID_HID;
}

static hid_t memory_type(firn_type type) {
    switch (type) {
    case FIRN_F32: return H5T_NATIVE_FLOAT;
    case FIRN_F64: return H5T_NATIVE_DOUBLE;
    case FIRN_I32: return H5T_NATIVE_INT32;
    case FIRN_U32: return H5T_NATIVE_UINT32;
    case FIRN_U64: return H5T_NATIVE_UINT64;
    }
    return H5I_INVALID_HID;
}

// HDF5's file in memory lives in memory of ours: H5Fget_file_image of 1.10 returns images whose superblock
// has the wrong checksum, and would be one more copy. It is left to us when HDF5 closes the file.
static void *grow_image(void *old, size_t size, H5FD_file_image_op_t op, void *data) {
    (void)old;
    (void)op;
    h5_writer *w = data;
    if (!array_reserve(&w->image, &w->capacity, size, 1)) return NULL;
    if (size > w->size)
        memset(w->image + w->size, 0, size - w->size); // gaps are written too: always as zeros
    w->size = size;
    return w->image;
}
static herr_t keep_image(void *memory, H5FD_file_image_op_t op, void *data) {
    (void)memory;
    (void)op;
    (void)data;
    return 0;
}
static void *same_data(void *data) { return data; }
static herr_t keep_data(void *data) {
    (void)data;
    return 0;
}

// Without times and with a fixed format version, so that equal contents are equal bytes.
static bool set_format(hid_t access, hid_t creation, size_t user_block) {
    return H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
           H5Pset_obj_track_times(creation, 0) >= 0 &&
           (!user_block || H5Pset_userblock(creation, user_block) >= 0);
}

static bool set_creation(h5_writer *w, hid_t access, hid_t creation, size_t user_block) {
    H5FD_file_image_callbacks_t callbacks = {.image_realloc = grow_image,
                                             .image_free = keep_image,
                                             .udata_copy = same_data,
                                             .udata_free = keep_data,
                                             .udata = w};
    return H5Pset_fapl_core(access, IMAGE_GROWTH, 0) >= 0 &&
           H5Pset_file_image_callbacks(access, &callbacks) >= 0 && set_format(access, creation, user_block);
}

firn_status h5_create(h5_writer *w, size_t user_block, bool compress, size_t expected) {
    *w = (h5_writer){.compress = compress};
    if (!array_reserve(&w->image, &w->capacity, expected + IMAGE_MORE, 1)) // growing would take both copies
        return fail_memory("composing a file", expected);
    enter(&w->old_report, &w->old_report_data);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    bool good = set_creation(w, access, creation, user_block);
    w->file = good ? H5Fcreate("frame", H5F_ACC_TRUNC, creation, access) : H5I_INVALID_HID;
    H5Pclose(access);
    H5Pclose(creation);
    if (w->file >= 0) return FIRN_OK;
    leave(w->old_report, w->old_report_data);
    mem_free(w->image);
    return fail(FIRN_NO_MEMORY, "HDF5 could not create a file in memory");
}

// Keeps the first failure; closes what was made.
static void done(h5_writer *w, bool good, hid_t id, herr_t (*close_it)(hid_t)) {
    if (!good) w->failed = true;
    if (id >= 0 && close_it(id) < 0) w->failed = true;
}

void h5_group(h5_writer *w, const char *path) {
    if (w->failed) return;
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(creation, 0);
    hid_t group = H5Gcreate2(w->file, path, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    done(w, group >= 0, group, H5Gclose);
}

static void attribute(h5_writer *w, const char *path, const char *name, hid_t stored, hid_t memory,
                      hid_t space, const void *value) {
    hid_t a = H5Acreate_by_name(w->file, path, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    done(w, a >= 0 && H5Awrite(a, memory, value) >= 0, a, H5Aclose);
}

static hid_t text_type(size_t bytes) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, bytes);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

void h5_text(h5_writer *w, const char *path, const char *name, const char *value) {
    if (w->failed) return;
    size_t length = strlen(value);
    hid_t type = text_type(length ? length : 1), space = H5Screate(H5S_SCALAR);
    attribute(w, path, name, type, type, space, value);
    done(w, true, space, H5Sclose);
    done(w, true, type, H5Tclose);
}

void h5_real(h5_writer *w, const char *path, const char *name, const double *values, size_t count) {
    if (w->failed) return;
    hsize_t size = count;
    hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
    attribute(w, path, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, values);
    done(w, true, space, H5Sclose);
}

void h5_count(h5_writer *w, const char *path, const char *name, uint64_t value) {
    if (w->failed) return;
    hid_t space = H5Screate(H5S_SCALAR);
    attribute(w, path, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, space, &value);
    done(w, true, space, H5Sclose);
}

static void set_compression(hid_t creation, int rank, const hsize_t *size, size_t row_bytes) {
    hsize_t chunk[3] = {CHUNK_BYTES / row_bytes, size[1], rank > 2 ? size[2] : 0};
    if (chunk[0] > size[0]) chunk[0] = size[0];
    if (chunk[0] == 0) chunk[0] = 1;
    H5Pset_chunk(creation, rank, chunk);
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, DEFLATE_LEVEL);
}

static void dataset(h5_writer *w, const char *path, hid_t stored, hid_t memory, int rank, const hsize_t *size,
                    size_t row_bytes, const void *data) {
    hid_t space = H5Screate_simple(rank, size, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(creation, 0);
    bool empty = size[0] == 0 || row_bytes == 0;
    if (w->compress && !empty) set_compression(creation, rank, size, row_bytes);
    hid_t set = H5Dcreate2(w->file, path, stored, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool good = set >= 0 && (empty || H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    done(w, good, set, H5Dclose);
    done(w, true, space, H5Sclose);
    done(w, true, creation, H5Pclose);
}

void h5_array(h5_writer *w, const char *path, firn_type type, size_t count, uint32_t components,
              const void *data) {
    if (w->failed) return;
    hsize_t size[3] = {count, components, 0};
    size_t row_bytes = type_bytes(type) * (components ? components : 1);
    dataset(w, path, stored_type(type), memory_type(type), components ? 2 : 1, size, row_bytes, data);
}

void h5_volume(h5_writer *w, const char *path, const uint32_t size[3], const float *data) {
    if (w->failed) return;
    hsize_t sizes[3] = {size[2], size[1], size[0]};
    dataset(w, path, stored_type(FIRN_F32), memory_type(FIRN_F32), 3, sizes,
            (size_t)size[0] * size[1] * sizeof *data, data);
}

void h5_texts(h5_writer *w, const char *path, const char *const *texts, size_t count, size_t width) {
    if (w->failed) return;
    char *packed = mem_zero(count ? count : 1, width);
    if (!packed) {
        w->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) memcpy(packed + i * width, texts[i], strnlen(texts[i], width));
    hid_t type = text_type(width);
    hsize_t size[3] = {count, 0, 0};
    dataset(w, path, type, type, 1, size, width, packed);
    done(w, true, type, H5Tclose);
    mem_free(packed);
}

enum { SUPERBLOCK = 48 };

// The end of the file as the superblock (version 2) says: HDF5 rounds its memory up.
static size_t end_by_superblock(const char start[SUPERBLOCK], size_t size) {
    static const char signature[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    enum { END_AT = 28, VERSION_AT = 8 };
    uint64_t end;
    memcpy(&end, start + END_AT, sizeof end);
    bool good = memcmp(start, signature, sizeof signature) == 0 && start[VERSION_AT] == 2 && end <= size;
    return good ? (size_t)end : 0;
}

static size_t end_of_file(const h5_writer *w, size_t superblock) {
    return w->size < superblock + SUPERBLOCK ? 0 : end_by_superblock(w->image + superblock, w->size);
}

static bool close_file(h5_writer *w, hsize_t *user_block) {
    hid_t creation = H5Fget_create_plist(w->file);
    *user_block = 0;
    bool good = !w->failed && H5Pget_userblock(creation, user_block) >= 0;
    H5Pclose(creation);
    if (H5Fclose(w->file) < 0) good = false;
    leave(w->old_report, w->old_report_data);
    return good;
}

firn_status h5_take(h5_writer *w, char **file, size_t *bytes) {
    *file = NULL;
    *bytes = 0;
    hsize_t user_block;
    bool good = close_file(w, &user_block);
    size_t end = good ? end_of_file(w, (size_t)user_block) : 0;
    if (end == 0) {
        mem_free(w->image);
        return fail(FIRN_NO_MEMORY, "out of memory while HDF5 composed a file");
    }
    *file = w->image;
    *bytes = end;
    return FIRN_OK;
}

// ---- without values

firn_status h5_create_hollow(h5_writer *w, size_t user_block, int *file) {
    char path[PATH_MAX];
    const char *folder = getenv("TMPDIR");
    *w = (h5_writer){0};
    snprintf(path, sizeof path, "%s/firn-draft-XXXXXX", folder && folder[0] ? folder : "/tmp");
    *file = mkstemp(path); // what nobody writes takes no room
    if (*file < 0) return fail(FIRN_IO, "cannot create '%s', the draft of a frame", path);
    enter(&w->old_report, &w->old_report_data);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    bool good = set_format(access, creation, user_block);
    w->file = good ? H5Fcreate(path, H5F_ACC_TRUNC, creation, access) : H5I_INVALID_HID;
    H5Pclose(access);
    H5Pclose(creation);
    unlink(path); // both have it open
    if (w->file >= 0) return FIRN_OK;
    leave(w->old_report, w->old_report_data);
    close(*file);
    return fail(FIRN_NO_MEMORY, "HDF5 could not create the draft of a frame");
}

// HDF5 makes room for an array when its first row is written.
void h5_hollow(h5_writer *w, const char *path, firn_type type, size_t count, uint32_t components,
               uint64_t *offset) {
    *offset = 0;
    if (w->failed) return;
    hsize_t size[2] = {count, components}, row[2] = {1, components}, start[2] = {0, 0};
    char *zeros = mem_zero(components ? components : 1, type_bytes(type));
    hid_t space = H5Screate_simple(2, size, NULL), part = H5Screate_simple(2, row, NULL),
          creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(creation, 0);
    hid_t set = H5Dcreate2(w->file, path, stored_type(type), space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool good = set >= 0 && zeros != NULL;
    if (good && count > 0) {
        good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, row, NULL) >= 0 &&
               H5Dwrite(set, memory_type(type), part, space, H5P_DEFAULT, zeros) >= 0;
        haddr_t at = good ? H5Dget_offset(set) : HADDR_UNDEF;
        good &= at != HADDR_UNDEF;
        *offset = at;
    }
    done(w, good, set, H5Dclose);
    done(w, true, space, H5Sclose);
    done(w, true, part, H5Sclose);
    done(w, true, creation, H5Pclose);
    mem_free(zeros);
}

firn_status h5_take_hollow(h5_writer *w, int file, size_t *bytes) {
    char start[SUPERBLOCK];
    hsize_t user_block;
    bool good = close_file(w, &user_block);
    good &= pread(file, start, sizeof start, (off_t)user_block) == (ssize_t)sizeof start;
    *bytes = good ? end_by_superblock(start, SIZE_MAX) : 0;
    return *bytes > 0 ? FIRN_OK : fail(FIRN_NO_MEMORY, "HDF5 could not compose a frame");
}

// HDF5 wants to own a copy of the image, and a second one in the driver. These callbacks lend it ours: it is
// opened read-only and never grows.
static void *lend(size_t size, H5FD_file_image_op_t op, void *data) {
    (void)size;
    (void)op;
    return data;
}
static void *lend_copy(void *to, const void *from, size_t size, H5FD_file_image_op_t op, void *data) {
    (void)to;
    (void)from;
    (void)size;
    (void)op;
    return data;
}

firn_status h5_open(h5_reader *r, const char *data, size_t bytes, const char *name) {
    *r = (h5_reader){.name = name};
    enter(&r->old_report, &r->old_report_data);
    union {
        const char *lent;
        void *memory;
    } image = {.lent = data};
    H5FD_file_image_callbacks_t callbacks = {.image_malloc = lend,
                                             .image_memcpy = lend_copy,
                                             .image_free = keep_image,
                                             .udata_copy = same_data,
                                             .udata_free = keep_data,
                                             .udata = image.memory};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    bool good = H5Pset_fapl_core(access, IMAGE_GROWTH, 0) >= 0 &&
                H5Pset_file_image_callbacks(access, &callbacks) >= 0 &&
                H5Pset_file_image(access, image.memory, bytes) >= 0;
    r->file = good ? H5Fopen("frame", H5F_ACC_RDONLY, access) : H5I_INVALID_HID;
    H5Pclose(access);
    if (r->file >= 0) return FIRN_OK;
    leave(r->old_report, r->old_report_data);
    return fail(FIRN_BAD_INPUT, "'%s' is damaged: HDF5 cannot open it", name);
}

void h5_close(h5_reader *r) {
    H5Fclose(r->file);
    leave(r->old_report, r->old_report_data);
}

// H5Lexists fails on a path whose parents are missing, so it is asked from the root on.
static bool exists(hid_t file, const char *path) {
    char part[256];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part) return false;
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        snprintf(part, i + 1, "%s", path);
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0) return false;
    }
    return true;
}

static bool shape_is(hid_t set, firn_type type, uint32_t components, size_t *count) {
    hid_t found = H5Dget_type(set), space = H5Dget_space(set);
    hsize_t size[2] = {0, 0};
    bool good = found >= 0 && space >= 0 && H5Tequal(found, stored_type(type)) > 0 &&
                H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, size, NULL) == 2 &&
                size[1] == components && size[0] < SIZE_MAX / 64 / (components + 1);
    if (found >= 0) H5Tclose(found);
    if (space >= 0) H5Sclose(space);
    *count = (size_t)size[0];
    return good;
}

bool h5_has(h5_reader *r, const char *path) { return exists(r->file, path); }

firn_status h5_items(h5_reader *r, const char *path, firn_type type, uint32_t components, size_t *count) {
    *count = 0;
    if (!exists(r->file, path)) return fail(FIRN_BAD_INPUT, "'%s' has no array %s", r->name, path);
    hid_t set = H5Dopen2(r->file, path, H5P_DEFAULT);
    if (set < 0) return fail(FIRN_BAD_INPUT, "'%s': %s is not an array", r->name, path);
    bool good = shape_is(set, type, components, count);
    H5Dclose(set);
    if (good) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "'%s': the array %s is not of the type and size this version of firn expects",
                r->name, path);
}

firn_status h5_load(h5_reader *r, const char *path, firn_type type, void *data) {
    hid_t set = H5Dopen2(r->file, path, H5P_DEFAULT);
    bool good = set >= 0 && H5Dread(set, memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (set >= 0) H5Dclose(set);
    return good ? FIRN_OK : fail(FIRN_IO, "'%s': the array %s cannot be read", r->name, path);
}
