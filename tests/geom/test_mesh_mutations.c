// firn-test: slow
// Damaged mesh files of every kind: read or refused, and nothing else. FIRN_MUTANTS=10000 tries that many,
// which takes minutes; a few by default.
#include "base/clock.h"
#include "geom/mesh_files.h"

static uint64_t mutants_of_a_kind(void) {
    const char *asked = getenv("FIRN_MUTANTS");
    long all = asked ? atol(asked) : 200;
    return all > 5 ? (uint64_t)all / 5 : 1;
}

static void mutate(const text *good, uint64_t seed, const char *path) {
    char *data = malloc(good->length);
    size_t bytes = good->length;
    memcpy(data, good->data, bytes);
    for (uint32_t k = 0; k < 1 + seed % 5; k++) {
        random4 dice = random_bits(seed, k, 0, 0);
        size_t at = dice.v[0] % bytes;
        if (dice.v[1] % 4 == 0)
            data[at] = (char)dice.v[2];
        else if (dice.v[1] % 4 == 1)
            data[at] = (char)(data[at] ^ 1 << dice.v[2] % 8);
        else if (dice.v[1] % 4 == 2)
            data[at] = (char)('0' + dice.v[2] % 10);
        else
            memset(data + at, dice.v[2] % 2 ? 0xff : 0,
                   dice.v[3] % 8 < bytes - at ? dice.v[3] % 8 : bytes - at);
    }
    if (seed % 10 == 0) bytes = random_bits(seed, 9, 0, 0).v[0] % bytes;
    FILE *file = fopen(path, "wb"); // not through file.h: its sync would take most of the time
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
    free(data);
}

static void try_mutations(text *good, const char *path, uint64_t seed) {
    size_t before = mem_in_use();
    uint64_t read = 0, count = mutants_of_a_kind();
    double began = clock_seconds();
    for (uint64_t i = 0; i < count; i++) {
        mutate(good, seed + i, path);
        mesh m;
        firn_status status = mesh_read(path, &m);
        assert_true(status == FIRN_OK || status == FIRN_BAD_INPUT);
        read += status == FIRN_OK;
        for (size_t k = 0; k < 3 * m.triangles; k++) assert_true(m.triangle[k / 3][k % 3] < m.vertices);
        mesh_free(&m);
    }
    assert_int_equal(mem_in_use(), before);
    print_message("%s: %llu of %llu could be read, %.1f s\n", path, (unsigned long long)read,
                  (unsigned long long)count, clock_seconds() - began);
    unlink(path);
    text_free(good);
}

static text load(const char *path) {
    text t = {0};
    char *data;
    size_t bytes;
    assert_int_equal(file_read_whole(path, 1 << 20, &data, &bytes), FIRN_OK);
    text_add_bytes(&t, data, bytes);
    mem_free(data);
    unlink(path);
    return t;
}

static void test_mutations(void **state) {
    (void)state;
    mesh box = make_box(1, 2, 3);
    text obj, ply, stl = make_stl_binary(&box), gltf = make_gltf(&box), glb = make_glb(&box);
    assert_int_equal(mesh_write_obj(&box, "mutated.obj"), FIRN_OK);
    assert_int_equal(mesh_write_ply(&box, "mutated.ply"), FIRN_OK);
    obj = load("mutated.obj");
    ply = load("mutated.ply");
    mesh_free(&box);
    try_mutations(&obj, "mutated.obj", 100000);
    try_mutations(&ply, "mutated.ply", 200000);
    try_mutations(&stl, "mutated.stl", 300000);
    try_mutations(&gltf, "mutated.gltf", 400000);
    try_mutations(&glb, "mutated.glb", 500000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
