// Scenes nobody meant to write, and machines that run out of memory: no crash, no leak, no hang.
#include "support.h"

#include "base/memory.h"
#include "base/random.h"
#include "scene/scene.h"

static const char *const seeds[] = {
    "firn: 1\nname: A hare\nduration: 1.8 s\nfps: 60\nair: {temperature: -5 C}\nbodies:\n  floor: {shape: "
    "plane, friction: 0.4}\n"
    "  ball:\n    shape: {sphere: {radius: 30 cm}}\n    at: [2 m, 4 m, 0]\n    motion: dynamic\n    density: "
    "600 kg/m3\n",
    "firn: 1\nbodies:\n  a: &a {shape: {union: {parts: {x: {shape: box, at: [0, 1, 0]}, y: {shape: "
    "hare}}}}}\n  b: *a\n"
    "  c:\n    motion:\n      - {time: 0, at: [0, 0, 0]}\n      - time: 1 s\n        rotate: [0, 1 turn, 0]\n"
    "cameras: {top: {from: [0, 9, 1], keyframes: [{time: 1}, {time: 2, to: [0, 0, 1]}]}}\n",
    "firn: 1\nname: \"quoted \\u2603\"\ngrains:\n  snow: powder\n  radius: 1 cm\n  fill:\n    heap: {shape: "
    "{box: {size: [1 m, 1 m, 1 m]}}, at: [0, 2, 0]}\n"
    "picture: {width: 640, sky_color: \"#abcdef\", sun: [1, 2, 3], labels: no}\ncheckpoint: 5\n",
    ("firn: 1\nfrom: [parts/light.yaml, parts/one.yaml, 001-unknown-key-in-shape.yaml]\nbodies: {rock: "
     "{shape: {mesh: {file: parts/block.obj}}}}\n"),
};
enum { SEEDS = sizeof seeds / sizeof seeds[0], ROOM = 4096 };

static const char *const tokens[] = {"{",
                                     "}",
                                     "[",
                                     "]",
                                     ": ",
                                     ", ",
                                     "- ",
                                     "\n",
                                     "\n  ",
                                     "\t",
                                     "&a ",
                                     "*a",
                                     "!!x ",
                                     "\"",
                                     "'",
                                     "#",
                                     "|",
                                     ">",
                                     "? ",
                                     "--- ",
                                     "...",
                                     "%YAML 1.2",
                                     "<<",
                                     "from",
                                     "bodies",
                                     "shape",
                                     "1e999",
                                     "-0",
                                     "nan",
                                     "\xff",
                                     "\xc2\x85",
                                     "\0",
                                     "auto",
                                     "union",
                                     "parts",
                                     "motion",
                                     "[[[[[[[[",
                                     "{a: {a: {a: ",
                                     "\xef\xbb\xbf",
                                     "~",
                                     "firn: 1\n"};
enum { TOKENS = sizeof tokens / sizeof tokens[0] };

typedef struct mutant {
    char text[ROOM];
    size_t length;
} mutant;

static void cut(mutant *m, size_t at, size_t count) {
    if (count > m->length - at) count = m->length - at;
    memmove(m->text + at, m->text + at + count, m->length - at - count);
    m->length -= count;
}

static void put(mutant *m, size_t at, const char *bytes, size_t count) {
    if (m->length + count > ROOM) return;
    memmove(m->text + at + count, m->text + at, m->length - at);
    memmove(m->text + at, bytes, count);
    m->length += count;
}

static size_t line_at(const mutant *m, size_t at, size_t *length) {
    size_t start = at, end = at;
    while (start > 0 && m->text[start - 1] != '\n') start--;
    while (end < m->length && m->text[end] != '\n') end++;
    *length = end - start + (end < m->length);
    return start;
}

static void mutate(mutant *m, random4 r) {
    if (!m->length) return;
    size_t at = r.v[1] % m->length, other = r.v[2] % m->length, length;
    char line[256];
    switch (r.v[0] % 7) {
    case 0: m->text[at] = (char)(m->text[at] ^ (1 << r.v[2] % 8)); break;
    case 1: m->text[at] = (char)r.v[2]; break;
    case 2: cut(m, at, 1 + r.v[2] % 12); break;
    case 3: { // a line goes
        size_t start = line_at(m, at, &length);
        cut(m, start, length);
        break;
    }
    case 4: { // a line comes twice, or elsewhere
        size_t start = line_at(m, at, &length);
        if (length > sizeof line) length = sizeof line;
        memcpy(line, m->text + start, length);
        put(m, line_at(m, other, &(size_t){0}), line, length);
        break;
    }
    case 5: { // a token, also the empty one that stands for a 0 byte
        const char *token = tokens[r.v[2] % TOKENS];
        put(m, at, token, token[0] ? strlen(token) : 1);
        break;
    }
    default: { // two bytes change places
        char c = m->text[at];
        m->text[at] = m->text[other];
        m->text[other] = c;
    }
    }
}

static void test_mutations(void **state) {
    (void)state;
    enum { MUTANTS = 10000 / FIRN_FEWER };
    assert_int_equal(chdir(FIRN_TEST_DATA "/wrong-scenes"), 0);
    size_t before = mem_in_use(), right = 0;
    static mutant m;
    for (uint32_t i = 0; i < MUTANTS; i++) {
        const char *start = seeds[i % SEEDS];
        m.length = strlen(start);
        memcpy(m.text, start, m.length);
        uint32_t changes = 1 + random_bits(77, i, 0, 1).v[0] % 6;
        for (uint32_t k = 0; k < changes; k++) mutate(&m, random_bits(77, i, k, 2));
        scene *s = NULL;
        firn_status status = scene_parse(m.text, m.length, "mutant.yaml", (firn_overrides){0}, &s);
        if (status != FIRN_OK && status != FIRN_BAD_INPUT) fail_msg("mutant %u: status %d", i, (int)status);
        assert_true((status == FIRN_OK) == (s != NULL));
        right += status == FIRN_OK;
        scene_close(s);
        if (mem_in_use() != before) fail_msg("mutant %u leaks", i);
    }
    assert_true(right > 0 && right < MUTANTS / 2); // the mutations bite, and not all of them
}

// The whole path that opens a scene, with the n-th allocation failing.
static void every_allocation_fails(const char *content, const char *const *sets, size_t set_count) {
    failing_allocator failing;
    bool reached_end = false;
    scene *clean;
    firn_overrides overrides = {sets, set_count};
    firn_status meant = scene_parse(content, strlen(content), "scene.yaml", overrides, &clean);
    uint64_t hash = clean ? clean->hash : 0;
    scene_close(clean);
    for (size_t n = 1; n <= 5000 && !reached_end; n++) {
        fail_allocation(&failing, n);
        scene *s = NULL;
        firn_status status = scene_parse(content, strlen(content), "scene.yaml", overrides, &s);
        assert_true(!s || s->hash == hash);
        char *written = NULL;
        if (status == FIRN_OK) status = scene_write(s, &written);
        reached_end = failing.calls < n;
        if (status != meant && status != FIRN_NO_MEMORY)
            fail_msg("allocation %zu: status %d: %s", n, (int)status, firn_last_error());
        mem_free(written);
        scene_close(s);
        if (mem_in_use() != 0) fail_msg("allocation %zu: %zu bytes leak", n, mem_in_use());
    }
    firn_set_allocator(NULL);
    assert_true(reached_end);
}

static void test_no_memory(void **state) {
    (void)state;
    assert_int_equal(chdir(FIRN_TEST_DATA "/wrong-scenes"), 0);
    const char *sets[] = {"seed=3"};
    for (size_t i = 0; i < SEEDS; i++) every_allocation_fails(seeds[i], sets, 1);
}

static firn_status list_all(char **out) { return firn_list(NULL, false, out); }

static void test_no_memory_for_pages(void **state) {
    (void)state;
    failing_allocator failing;
    firn_status (*const pages[])(char **) = {list_all, firn_scene_reference};
    for (size_t page = 0; page < 2; page++) {
        for (size_t n = 1;; n += FIRN_FEWER) {
            fail_allocation(&failing, n);
            char *out = NULL;
            firn_status status = pages[page](&out);
            bool reached_end = failing.calls < n;
            assert_true(status == FIRN_OK ? out != NULL : status == FIRN_NO_MEMORY && !out);
            firn_text_free(out);
            assert_int_equal(mem_in_use(), 0);
            if (reached_end) break;
        }
    }
    for (size_t n = 1; n <= 200; n++) {
        fail_allocation(&failing, n);
        char *out = NULL;
        firn_status status = firn_explain("frictoin", false, &out);
        assert_true(status == FIRN_NO_MEMORY || status == FIRN_BAD_INPUT);
        firn_text_free(out);
        assert_int_equal(mem_in_use(), 0);
    }
    firn_set_allocator(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_no_memory_for_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
