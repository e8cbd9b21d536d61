// The file format alone: lists of fields and ledgers, no world.
#include "cache/folders.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cache/frame.h"

enum { POINTS = 500 };

typedef struct sample {
    float position[POINTS][3];
    double mass[POINTS];
    uint64_t id[POINTS];
    int32_t kind[POINTS];
    firn_field field[6];
    firn_ledger ledger[2];
    frame_content content;
} sample;

static sample *sample_make(cache_kind kind) {
    static const char *const names[] = {"ground", "ball", "Bärenkopf"};
    sample *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (uint64_t i = 0; i < POINTS; i++) {
        random4 r = random_bits(11, i, 0, 0);
        for (int k = 0; k < 3; k++) s->position[i][k] = random_unit(r, k);
        s->mass[i] = random_unit(r, 3);
        s->id[i] = i << 40;
        s->kind[i] = -(int32_t)i;
    }
    uint32_t both = FIRN_FIELD_STATE | FIRN_FIELD_SHOWN;
    s->field[0] = (firn_field){"grains.position", "m", "where it is", FIRN_F32, 3, both, POINTS, s->position};
    s->field[1] = (firn_field){"grains.mass", "kg", "", FIRN_F64, 1, both, POINTS, s->mass};
    s->field[2] = (firn_field){"bodies.id", "", "", FIRN_U64, 1, both, POINTS, s->id};
    s->field[3] = (firn_field){"grains.kind", "", "", FIRN_I32, 1, both, POINTS, s->kind};
    s->field[4] = (firn_field){"bodies.empty", "m/s", "", FIRN_F64, 3, both, 0, NULL};
    s->field[5] = (firn_field){"bodies.flags", "", "", FIRN_U32, 1, both, POINTS, s->kind};
    s->ledger[0] = (firn_ledger){.model = "bodies", .items = 3, .mass = 2.5, .momentum = {1, 2, 3}};
    s->ledger[1] = (firn_ledger){.model = "grains", .items = POINTS, .mass = 0.125, .heat = -4};
    s->content = (frame_content){.kind = kind,
                                 .clock = {.time = 1.25, .frame = 42, .step = 1234},
                                 .scene_hash = 0x1122334455667788u,
                                 .state_hash = 0xfedcba9876543210u,
                                 .fields = s->field,
                                 .field_count = 6,
                                 .ledgers = s->ledger,
                                 .ledger_count = 2,
                                 .bodies = names,
                                 .body_count = 3};
    return s;
}

// The whole file in memory (mem_free it).
static char *encode(const frame_content *content, bool compress, size_t *bytes) {
    char *file;
    assert_ok(frame_encode(content, compress, &file, bytes));
    return file;
}

static void load(h5_reader *r, const firn_field *f) {
    char path[FRAME_NAME];
    size_t count;
    frame_array_path(f->name, path);
    assert_ok(h5_items(r, path, f->type, f->components, &count));
    assert_int_equal(count, f->count);
    size_t bytes = count * f->components * type_bytes(f->type);
    void *back = malloc(bytes + 1);
    assert_non_null(back);
    if (count) assert_ok(h5_load(r, path, f->type, back));
    if (count) assert_memory_equal(back, f->data, bytes);
    free(back);
}

// A block of any size: more series than the smallest one has room for.
static void test_any_number_of_series(void **state) {
    (void)state;
    enum { SERIES = 1000 };
    temporary t = temporary_make();
    sample *s = sample_make(CACHE_FRAME);
    firn_series *series = calloc(SERIES, sizeof *series);
    char(*panel)[32] = calloc(SERIES, sizeof *panel), path[300];
    assert_true(series && panel);
    for (int k = 0; k < SERIES; k++) {
        snprintf(panel[k], sizeof panel[k], "panel with number %d", k);
        series[k] =
            (firn_series){k % 3 ? "grains" : "bodies", panel[k], k % 2 ? "one" : "", "m", "", k / 8.0};
    }
    s->content.series = series;
    s->content.series_count = SERIES;
    size_t bytes;
    char *file = encode(&s->content, false, &bytes);
    frame_block block;
    assert_ok(frame_verify(file, bytes, "sample", CACHE_FRAME, &block));
    assert_int_equal(block.block_bytes, 65536);
    h5_reader reader;
    assert_ok(h5_open(&reader, file, bytes, "sample"));
    for (int i = 0; i < 6; i++) load(&reader, &s->field[i]);
    h5_close(&reader);
    snprintf(path, sizeof path, "%s/000042.h5", t.path);
    file_put(path, file, bytes);
    cache_summary summary;
    assert_ok(cache_read_summary(path, &summary));
    assert_int_equal(summary.series_count, SERIES);
    for (int k = 0; k < SERIES; k++) {
        const firn_series *one = &summary.series[k];
        assert_string_equal(one->model, series[k].model);
        assert_string_equal(one->panel, panel[k]);
        assert_string_equal(one->name, series[k].name);
        assert_true(one->value == series[k].value);
    }
    cache_summary_free(&summary);
    file[block.block_bytes - 3000] ^= 4; // in the texts
    file_put(path, file, bytes);
    assert_int_equal(cache_read_summary(path, &summary), FIRN_BAD_INPUT);
    mem_free(file);
    free(panel);
    free(series);
    free(s);
    temporary_remove(&t);
}

// The format before had another block; its files are told by their number, not called damaged.
static void test_another_format_is_told(void **state) {
    (void)state;
    sample *s = sample_make(CACHE_FRAME);
    size_t bytes;
    char *file = encode(&s->content, false, &bytes);
    uint32_t format = FRAME_FORMAT - 1;
    memcpy(file + offsetof(frame_block, format), &format, sizeof format);
    frame_block block;
    assert_int_equal(frame_verify(file, bytes, "old", CACHE_FRAME, &block), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "'old' is in format"));
    mem_free(file);
    free(s);
}

static void test_what_is_written_is_read(void **state) {
    (void)state;
    sample *s = sample_make(CACHE_FRAME);
    for (int compress = 0; compress < 2; compress++) {
        size_t bytes;
        char *file = encode(&s->content, compress, &bytes);
        frame_block block;
        assert_ok(frame_verify(file, bytes, "sample", CACHE_FRAME, &block));
        assert_true(block.time == 1.25 && block.frame == 42 && block.step == 1234 && block.ledgers == 2);
        assert_int_equal(block.block_bytes, FRAME_SMALLEST_BLOCK);
        h5_reader reader;
        assert_ok(h5_open(&reader, file, bytes, "sample"));
        for (int i = 0; i < 6; i++) load(&reader, &s->field[i]);
        h5_close(&reader);
        mem_free(file);
    }
    free(s);
}

static void test_wrong_type_size_and_name_are_refused(void **state) {
    (void)state;
    sample *s = sample_make(CACHE_FRAME);
    size_t bytes, count;
    char *file = encode(&s->content, false, &bytes);
    frame_block block;
    assert_int_equal(frame_verify(file, bytes, "sample", CACHE_CHECKPOINT, &block), FIRN_BAD_INPUT);
    h5_reader r;
    assert_ok(h5_open(&r, file, bytes, "sample"));
    assert_int_equal(h5_items(&r, "/fields/grains/position", FIRN_F64, 3, &count), FIRN_BAD_INPUT);
    assert_int_equal(h5_items(&r, "/fields/grains/position", FIRN_F32, 4, &count), FIRN_BAD_INPUT);
    assert_int_equal(h5_items(&r, "/fields/grains/kind", FIRN_U32, 1, &count), FIRN_BAD_INPUT);
    assert_int_equal(h5_items(&r, "/fields/grains", FIRN_F32, 3, &count), FIRN_BAD_INPUT);
    assert_int_equal(h5_items(&r, "/fields/wind/speed", FIRN_F32, 3, &count), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "/fields/wind/speed"));
    assert_int_equal(h5_items(&r, "/names/bodies", FIRN_F32, 3, &count), FIRN_BAD_INPUT);
    h5_close(&r);
    mem_free(file);
    free(s);
}

// Equal contents are equal bytes, whatever lay in memory before and whatever the clock says.
static void test_equal_contents_are_equal_bytes(void **state) {
    (void)state;
    sample *s = sample_make(CACHE_CHECKPOINT);
    for (int compress = 0; compress < 2; compress++) {
        size_t bytes, again;
        char *file = encode(&s->content, compress, &bytes);
        for (int round = 0; round < 5; round++) {
            void *dirt[64];
            for (size_t i = 0; i < 64; i++)
                if ((dirt[i] = malloc(1000 * (i + 1)))) memset(dirt[i], 0x5a + round, 1000 * (i + 1));
            for (size_t i = 0; i < 64; i++) free(dirt[i]);
            if (round == 2) usleep(1100 * 1000); // HDF5's times are in seconds
            char *other = encode(&s->content, compress, &again);
            assert_int_equal(bytes, again);
            assert_memory_equal(file, other, bytes);
            mem_free(other);
        }
        mem_free(file);
    }
    free(s);
}

static void test_every_flipped_or_missing_byte_is_noticed(void **state) {
    (void)state;
    sample *s = sample_make(CACHE_CHECKPOINT);
    size_t bytes;
    char *file = encode(&s->content, false, &bytes);
    frame_block block;
    size_t before = mem_in_use();
    for (uint64_t i = 0; i < 10000; i++) {
        random4 r = random_bits(2024, i, 0, 0); // seed 2024
        size_t at = i < FRAME_SMALLEST_BLOCK ? i : r.v[0] % bytes, length = bytes;
        char kept = file[at];
        if (i % 4 == 3)
            length = r.v[1] % bytes;
        else
            file[at] = (char)(kept ^ (1 << (r.v[2] % 8)));
        firn_status status = frame_verify(file, length, "sample", CACHE_CHECKPOINT, &block);
        if (status == FIRN_OK) fail_msg("mutation %d at byte %zu was not noticed", (int)i, at);
        file[at] = kept;
    }
    assert_ok(frame_verify(file, bytes, "sample", CACHE_CHECKPOINT, &block));
    assert_int_equal(mem_in_use(), before);
    mem_free(file);
    free(s);
}

static void test_allocation_failures(void **state) {
    (void)state;
    sample *s = sample_make(CACHE_FRAME);
    size_t before = mem_in_use(), n = 0;
    for (firn_status status = FIRN_NO_MEMORY; status != FIRN_OK;) {
        failing_allocator f;
        char *file;
        size_t bytes;
        fail_allocation(&f, ++n);
        status = frame_encode(&s->content, true, &file, &bytes);
        mem_free(file);
        firn_set_allocator(NULL);
        if (f.calls >= n) assert_int_equal(status, FIRN_NO_MEMORY);
        assert_int_equal(mem_in_use(), before);
        assert_true(n < 100);
    }
    assert_true(n > 1);
    free(s);
}

// HDF5's own memory is ours: it must survive that it cannot grow, once or for good.
static void *allocate_first(void *context, size_t bytes) {
    size_t *left = context;
    if (*left == 0) return NULL;
    --*left;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void test_memory_that_cannot_grow(void **state) {
    (void)state;
    sample *s = sample_make(CACHE_FRAME);
    enum { ITEMS = 400000 };
    float *data = calloc(ITEMS, sizeof *data);
    assert_non_null(data);
    for (int round = 0; round < 6; round++) {
        size_t left = 1 + (size_t)round / 2, before = mem_in_use(), bytes;
        failing_allocator once;
        if (round % 2)
            fail_allocation(&once, 2 + (size_t)round / 2);
        else
            firn_set_allocator(&(firn_allocator){allocate_first, failing_release, &left});
        h5_writer w;
        char *file;
        assert_ok(h5_create(&w, 4096, false, 0));
        h5_group(&w, "/a");
        h5_array(&w, "/a/first", FIRN_F32, ITEMS / 4, 1, data);
        h5_array(&w, "/a/second", FIRN_F32, ITEMS, 1, data);
        firn_status status = h5_take(&w, &file, &bytes);
        mem_free(file);
        firn_set_allocator(NULL);
        assert_int_equal(status, round < 4 ? FIRN_NO_MEMORY : FIRN_OK);
        assert_int_equal(mem_in_use(), before);
    }
    free(data);
    free(s);
}

static void test_blocks_of_files(void **state) {
    (void)state;
    temporary t = temporary_make();
    sample *s = sample_make(CACHE_FRAME);
    size_t bytes;
    char *file = encode(&s->content, false, &bytes), path[300];
    snprintf(path, sizeof path, "%s/000042.h5", t.path);
    file_put(path, file, bytes);
    cache_summary summary;
    assert_ok(cache_read_summary(path, &summary));
    assert_true(summary.scene_hash == 0x1122334455667788u && summary.state_hash == 0xfedcba9876543210u);
    assert_true(summary.clock.time == 1.25 && summary.ledgers == 2 && summary.ledger[1].items == POINTS);
    assert_string_equal(summary.ledger[0].model, "bodies");
    assert_string_equal(summary.ledger[1].model, "grains");
    assert_true(summary.ledger[0].momentum.z == 3 && summary.ledger[1].heat == -4);
    cache_summary_free(&summary);
    file_put(path, file, bytes - 1);
    assert_int_equal(cache_read_summary(path, &summary), FIRN_BAD_INPUT);
    file_put(path, file, 100);
    assert_int_equal(cache_read_summary(path, &summary), FIRN_BAD_INPUT);
    assert_int_equal(cache_read_summary(t.path, &summary), FIRN_BAD_INPUT);
    assert_int_equal(cache_read_summary("/nowhere/at/all", &summary), FIRN_BAD_INPUT);
    mem_free(file);
    free(s);
    temporary_remove(&t);
}

// What docs/files.md says of checking a frame without firn.
static void test_checksums_are_xxh3(void **state) {
    (void)state;
    sample *s = sample_make(CACHE_FRAME);
    size_t bytes;
    uint64_t of_block, of_image;
    char *file = encode(&s->content, false, &bytes);
    memcpy(&of_block, file + 16, 8);
    memcpy(&of_image, file + 32, 8);
    memset(file + 16, 0, 8);
    assert_true(of_image == XXH3_64bits(file + 4096, bytes - 4096));
    assert_true(of_block == XXH3_64bits(file, 4096));
    mem_free(file);
    free(s);
}

static const char read_back[] =
    "import sys, h5py, numpy\n"
    "f = h5py.File(sys.argv[1], 'r')\n"
    "x = f['/fields/grains/position']\n"
    "assert x.shape == (500, 3) and x.dtype == numpy.float32 and x.attrs['unit'] == b'm'\n"
    "assert f['/fields/grains/mass'].shape == (500, 1)\n"
    "assert f['/fields/bodies/id'][7, 0] == 7 << 40 and f['/fields/bodies/id'].dtype == numpy.uint64\n"
    "assert f['/fields/grains/kind'][499, 0] == -499\n"
    "assert f['/fields/bodies/empty'].shape == (0, 3)\n"
    "assert f.attrs['time'] == 1.25 and f.attrs['frame'] == 42 and f.attrs['step'] == 1234\n"
    "assert f.attrs['kind'] == b'frame' and f.attrs['state_hash'] == b'fedcba9876543210'\n"
    "assert f['/ledgers/bodies'].attrs['mass'] == 2.5 and list(f['/ledgers/bodies'].attrs['momentum']) == "
    "[1, 2, "
    "3]\n"
    "assert f['/names/bodies'].asstr()[2] == 'B\\u00e4renkopf'\n"
    "assert f.userblock_size == 4096\n";

static void test_python_reads_it(void **state) {
    (void)state;
    temporary t = temporary_make();
    sample *s = sample_make(CACHE_FRAME);
    for (int compress = 0; compress < 2; compress++) {
        size_t bytes;
        char *file = encode(&s->content, compress, &bytes), path[300];
        snprintf(path, sizeof path, "%s/000042.h5", t.path);
        file_put(path, file, bytes);
        python(read_back, path);
        mem_free(file);
    }
    free(s);
    temporary_remove(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_series),
        cmocka_unit_test(test_another_format_is_told),
        cmocka_unit_test(test_checksums_are_xxh3),
        cmocka_unit_test(test_what_is_written_is_read),
        cmocka_unit_test(test_wrong_type_size_and_name_are_refused),
        cmocka_unit_test(test_equal_contents_are_equal_bytes),
        cmocka_unit_test(test_every_flipped_or_missing_byte_is_noticed),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_memory_that_cannot_grow),
        cmocka_unit_test(test_blocks_of_files),
        cmocka_unit_test(test_python_reads_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
