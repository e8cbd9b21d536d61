// What is kept of the files that a scene names, and of what was built from them.
#include <sys/stat.h>

#include "base/file.h"
#include "base/stop.h"
#include "geom/asset.h"
#include "geom/levelset_data.h"
#include "geom/mesh_files.h"
#include "geom/solid_file.h"

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/firn-assets-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[256];
    firn_set_cache(NULL, 0);
    snprintf(command, sizeof command, "chmod -R u+w %s && rm -r %s", folder, folder);
    return system(command);
}

static const char *path_of(const char *name) {
    static char path[2][256];
    static int turn;
    turn ^= 1;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void save_torus(const char *name, float small) {
    mesh torus = make_torus(1.0f, small, 16, 8);
    assert_int_equal(mesh_write_obj(&torus, path_of(name)), FIRN_OK);
    mesh_free(&torus);
}

static uint64_t hash_of(const char *name) {
    uint64_t hash;
    assert_int_equal(asset_hash(path_of(name), &hash), FIRN_OK);
    return hash;
}

static void test_hash_is_of_the_content(void **state) {
    (void)state;
    save_torus("a.obj", 0.3f);
    save_torus("b.obj", 0.3f);
    save_torus("c.obj", 0.31f);
    assert_true(hash_of("a.obj") == hash_of("b.obj"));
    assert_true(hash_of("a.obj") != hash_of("c.obj"));
    uint64_t hash;
    assert_int_not_equal(asset_hash(path_of("none.obj"), &hash), FIRN_OK);
}

static void test_copies(void **state) {
    (void)state;
    char name[64], own[128], copy[128];
    save_torus("a.obj", 0.3f);
    uint64_t hash = hash_of("a.obj");
    asset_folder(hash, name);
    snprintf(own, sizeof own, "kept/%s", name);
    snprintf(copy, sizeof copy, "kept/%s/a.obj", name);
    assert_int_equal(asset_keep(path_of("a.obj"), hash, NULL, path_of(own)), FIRN_OK);
    assert_true(hash_of(copy) == hash);
    assert_true(asset_is_kept(path_of(copy), hash));
    assert_false(asset_is_kept(path_of("a.obj"), hash));
    // A damaged copy is written again; that of a copy is the copy itself; a changed file is refused.
    save(path_of(copy), "v 0 0 0\n", 8);
    assert_int_equal(asset_keep(path_of("a.obj"), hash, NULL, path_of(own)), FIRN_OK);
    assert_true(hash_of(copy) == hash);
    assert_int_equal(asset_keep(path_of(copy), hash, NULL, path_of(own)), FIRN_OK);
    save_torus("a.obj", 0.2f);
    assert_int_equal(asset_keep(path_of("a.obj"), hash, NULL, path_of("other")), FIRN_BAD_INPUT);
}

// The bytes of a .gltf may be in files of their own: they belong to it.
static void test_gltf_with_bytes_beside(void **state) {
    (void)state;
    mesh box = make_box(1, 2, 3), back;
    text json = {0}, bytes = {0};
    char name[64], own[128], copy[128];
    add_gltf_json(&json, &box, "bytes/box.bin");
    text_add_bytes(&bytes, (const char *)box.position, box.vertices * 12);
    text_add_bytes(&bytes, (const char *)box.triangle, box.triangles * 12);
    assert_int_equal(file_make_folders(path_of("bytes")), FIRN_OK);
    save(path_of("box.gltf"), json.data, json.length);
    save(path_of("bytes/box.bin"), bytes.data, bytes.length);
    uint64_t hash = hash_of("box.gltf");
    asset_folder(hash, name);
    snprintf(own, sizeof own, "kept/%s", name);
    assert_int_equal(asset_keep(path_of("box.gltf"), hash, NULL, path_of(own)), FIRN_OK);
    snprintf(copy, sizeof copy, "kept/%s/box.gltf", name);
    assert_int_equal(mesh_read(path_of(copy), &back), FIRN_OK);
    assert_int_equal(back.triangles, 24);
    mesh_free(&back);
    bytes.data[0] ^= 1;
    save(path_of("bytes/box.bin"), bytes.data, bytes.length);
    assert_true(hash_of("box.gltf") != hash);
    text_free(&json);
    text_free(&bytes);
    mesh_free(&box);
}

// Asked for the first time the solid is built, later it is read: how many files the reader opens is not seen
// here, but the mesh is gone and it still comes.
static solid *obtain(const char *path, float cell) {
    solid *s = NULL;
    solid_make make = {.kind = FIRN_SHAPE_MESH, .path = path, .cell = cell, .standing = true};
    firn_status status = solid_obtain(&make, "thing", &s);
    if (status != FIRN_OK) fail_msg("solid_obtain: %s", firn_last_error());
    return s;
}

static void assert_same_solid(const solid *a, const solid *b) {
    assert_int_equal(a->mesh.vertices, b->mesh.vertices);
    assert_memory_equal(a->mesh.position, b->mesh.position, a->mesh.vertices * 12);
    assert_memory_equal(a->mesh.normal, b->mesh.normal, a->mesh.vertices * 12);
    assert_memory_equal(a->mesh.triangle, b->mesh.triangle, a->mesh.triangles * 12);
    assert_int_equal(a->set->sample_count, b->set->sample_count);
    assert_memory_equal(a->set->samples, b->set->samples, a->set->sample_count * 4);
    assert_memory_equal(a->set->parts, b->set->parts, a->set->groups * 256);
    assert_int_equal(a->probe_count, b->probe_count);
    assert_memory_equal(a->probes, b->probes, a->probe_count * sizeof *a->probes);
    assert_memory_equal(&a->mass, &b->mass, sizeof a->mass);
    assert_true(a->thickness == b->thickness);
    assert_memory_equal(a->low, b->low, sizeof a->low);
    assert_memory_equal(a->high, b->high, sizeof a->high);
}

static size_t cached_files(void) {
    file_names names;
    assert_int_equal(file_list(path_of("cache"), ".solid", &names), FIRN_OK);
    size_t count = names.count;
    file_names_free(&names);
    return count;
}

static void copy_solid(const solid *s, solid *out) {
    assert_int_equal(solid_write(s, 7, NULL, path_of("copy.solid")), FIRN_OK);
    assert_int_equal(solid_read(NULL, path_of("copy.solid"), 7, out), FIRN_OK);
}

static void test_cache(void **state) {
    (void)state;
    size_t before = mem_in_use();
    save_torus("a.obj", 0.3f);
    solid *s = obtain(path_of("a.obj"), 0.3f), plain;
    copy_solid(s, &plain);
    assert_same_solid(s, &plain);
    solid_release(s);
    firn_set_cache(path_of("cache"), 1 << 30);
    for (int round = 0; round < 3; round++) {
        s = obtain(path_of("a.obj"), 0.3f); // round 0: built and stored, then read
        assert_same_solid(s, &plain);
        solid_release(s);
        assert_int_equal(cached_files(), 1);
    }
    s = obtain(path_of("a.obj"), 0.4f); // another resolution is another solid
    solid_release(s);
    assert_int_equal(cached_files(), 2);
    solid_free(&plain);
    assert_int_equal(mem_in_use(), before);
}

// That the cache is really read: a valid file with other values under the same key shows.
static void test_cache_is_read(void **state) {
    (void)state;
    save_torus("a.obj", 0.3f);
    firn_set_cache(path_of("cache-2"), 1 << 30);
    solid *s = obtain(path_of("a.obj"), 0.3f);
    solid_make make = {.kind = FIRN_SHAPE_MESH, .path = path_of("a.obj"), .cell = 0.3f, .standing = true};
    uint64_t key = solid_key(&make, hash_of("a.obj"));
    char stored[256];
    solid_path(path_of("cache-2"), key, stored, sizeof stored);
    assert_true(file_exists(stored));
    s->thickness = 123;
    assert_int_equal(solid_write(s, key, NULL, stored), FIRN_OK);
    solid_release(s);
    s = obtain(path_of("a.obj"), 0.3f);
    assert_true(s->thickness == 123);
    solid_release(s);
    // A damaged one is built anew, and replaced.
    char *data;
    size_t bytes;
    assert_int_equal(file_read_whole(stored, 1 << 30, &data, &bytes), FIRN_OK);
    data[bytes / 2] ^= 16;
    save(stored, data, bytes);
    s = obtain(path_of("a.obj"), 0.3f);
    assert_true(s->thickness < 123);
    solid_release(s);
    solid back;
    assert_int_equal(solid_read(NULL, stored, key, &back), FIRN_OK);
    solid_free(&back);
    mem_free(data);
}

// Every byte of a stored solid counts, and nothing that is read back wrong is used.
static void test_damage(void **state) {
    (void)state;
    firn_set_cache(NULL, 0);
    save_torus("a.obj", 0.3f);
    solid *s = obtain(path_of("a.obj"), 0.3f), back;
    size_t before = mem_in_use();
    assert_int_equal(solid_write(s, 7, NULL, path_of("one.solid")), FIRN_OK);
    assert_int_equal(solid_read(NULL, path_of("one.solid"), 8, &back), FIRN_IO); // another key
    assert_int_equal(solid_read(NULL, path_of("none.solid"), 7, &back), FIRN_IO);
    char *data;
    size_t bytes;
    assert_int_equal(file_read_whole(path_of("one.solid"), 1 << 30, &data, &bytes), FIRN_OK);
    size_t step = bytes / 60 + 1;
    for (size_t i = 0; i < bytes; i += i < 256 ? 1 : step) { // the whole head, and places behind it
        data[i] ^= (char)(1 << i % 8);
        save(path_of("bad.solid"), data, bytes);
        assert_int_equal(solid_read(NULL, path_of("bad.solid"), 7, &back), FIRN_IO);
        data[i] ^= (char)(1 << i % 8);
    }
    for (size_t cut = 0; cut < bytes; cut += step) {
        save(path_of("bad.solid"), data, cut);
        assert_int_equal(solid_read(NULL, path_of("bad.solid"), 7, &back), FIRN_IO);
    }
    mem_free(data);
    assert_int_equal(mem_in_use(), before);
    solid_release(s);
}

static void test_cache_limit(void **state) {
    (void)state;
    firn_set_cache(path_of("cache-3"), 1 << 30);
    struct stat about;
    char name[32], last[256];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "t%d.obj", i);
        save_torus(name, 0.3f + 0.01f * (float)i);
        solid *s = obtain(path_of(name), 0.3f);
        solid_make make = {.kind = FIRN_SHAPE_MESH, .path = path_of(name), .cell = 0.3f, .standing = true};
        solid_path(path_of("cache-3"), solid_key(&make, hash_of(name)), last, sizeof last);
        solid_release(s);
        assert_int_equal(stat(last, &about), 0);
        usleep(20000); // so that their ages differ
    }
    firn_set_cache(path_of("cache-3"), (uint64_t)about.st_size * 5 / 2); // room for two
    solid_release(obtain(path_of("t0.obj"), 0.3f));                      // the oldest, but used now
    save_torus("t9.obj", 0.4f);
    solid_release(obtain(path_of("t9.obj"), 0.3f));
    file_names names;
    assert_int_equal(file_list(path_of("cache-3"), ".solid", &names), FIRN_OK);
    assert_int_equal(names.count, 2);
    file_names_free(&names);
    solid_make make = {.kind = FIRN_SHAPE_MESH, .path = path_of("t0.obj"), .cell = 0.3f, .standing = true};
    solid_path(path_of("cache-3"), solid_key(&make, hash_of("t0.obj")), last, sizeof last);
    assert_true(file_exists(last));
}

static int notes;
static void count_notes(void *context, firn_log_level level, const char *message) {
    (void)context;
    notes += level == FIRN_LOG_NOTE && strstr(message, "cache") != NULL;
}

static void test_unusable_cache(void **state) {
    (void)state;
    save_torus("a.obj", 0.3f);
    save(path_of("a-file"), "x", 1);
    firn_set_log(count_notes, NULL);
    firn_set_cache(path_of("a-file/below"), 1 << 30);
    solid_release(obtain(path_of("a.obj"), 0.3f));
    solid_release(obtain(path_of("a.obj"), 0.4f));
    firn_set_log(NULL, NULL);
    assert_int_equal(notes, 1); // once
}

// A run's folder holds file and solid; the solid is read without a look at the mesh.
static void test_kept_solids(void **state) {
    (void)state;
    firn_set_cache(NULL, 0);
    save_torus("a.obj", 0.25f);
    uint64_t hash = hash_of("a.obj");
    char name[64], own[128], copy[128];
    asset_folder(hash, name);
    snprintf(own, sizeof own, "run/%s", name);
    snprintf(copy, sizeof copy, "run/%s/a.obj", name);
    solids_hold();
    solid_release(obtain(path_of("a.obj"), 0.3f)); // as a fill does
    assert_int_equal(asset_keep(path_of("a.obj"), hash, NULL, path_of(own)), FIRN_OK);
    assert_int_equal(solids_keep(hash, NULL, path_of(own)), FIRN_OK);
    solids_release();
    unlink(path_of("a.obj"));
    solid_make make = {.kind = FIRN_SHAPE_MESH, .path = path_of(copy), .cell = 0.3f, .standing = true};
    char stored[256];
    solid_path(path_of(own), solid_key(&make, hash), stored, sizeof stored);
    solid marked;
    assert_int_equal(solid_read(NULL, stored, solid_key(&make, hash), &marked), FIRN_OK);
    marked.thickness = 321; // shows who was read
    assert_int_equal(solid_write(&marked, solid_key(&make, hash), NULL, stored), FIRN_OK);
    solid_free(&marked);
    solid *s = obtain(path_of(copy), 0.3f);
    assert_true(s->thickness == 321);
    solid_release(s);
    unlink(stored); // without it, it is built from the copy
    s = obtain(path_of(copy), 0.3f);
    assert_true(s->thickness < 321);
    solid_release(s);
}

// ---- interruption

static int asked_times, stop_at;
static bool stop_later(void *context) {
    (void)context;
    return ++asked_times >= stop_at;
}

static firn_status obtain_status(const char *path) {
    solid *s = NULL;
    solid_make make = {.kind = FIRN_SHAPE_MESH, .path = path, .cell = 0.2f, .standing = true};
    firn_status status = solid_obtain(&make, "thing", &s);
    solid_release(s);
    return status;
}

static void test_interrupted_building(void **state) {
    (void)state;
    firn_set_cache(NULL, 0);
    save_torus("a.obj", 0.3f);
    asked_times = 0;
    stop_at = INT32_MAX;
    firn_set_stop(stop_later, NULL);
    assert_int_equal(obtain_status(path_of("a.obj")), FIRN_OK);
    int all = asked_times;
    assert_true(all > 100); // also while the level set is built
    size_t before = mem_in_use();
    for (int i = 0; i < 10; i++) {
        asked_times = 0;
        stop_at = 1 + i * all / 20;
        assert_int_equal(obtain_status(path_of("a.obj")), FIRN_INTERRUPTED);
        assert_true(asked_times < stop_at + 200);
        assert_int_equal(mem_in_use(), before);
    }
    firn_set_stop(NULL, NULL);
    assert_int_equal(obtain_status(path_of("a.obj")), FIRN_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_is_of_the_content),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_gltf_with_bytes_beside),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_cache_is_read),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_cache_limit),
        cmocka_unit_test(test_unusable_cache),
        cmocka_unit_test(test_kept_solids),
        cmocka_unit_test(test_interrupted_building),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
