// The hash: spread, lengths and chaining.
#include "base/hash.h"
#include "base/random.h"
#include "support.h"

static int bits_set(uint64_t x) { return __builtin_popcountll(x); }

static void every_bit_changes_half_of_the_hash(void **state) {
    (void)state;
    const size_t sizes[] = {1, 7, 8, 31, 32, 33, 64, 100};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        unsigned char data[100];
        long changed = 0, trials = 0;
        for (uint64_t round = 0; round < 20; round++) {
            for (size_t i = 0; i < sizes[s]; i++)
                data[i] = (unsigned char)random_bits(1, i, (uint32_t)round, 0).v[0];
            uint64_t before = hash64(data, sizes[s], 0);
            for (size_t bit = 0; bit < 8 * sizes[s]; bit++, trials++) {
                data[bit / 8] ^= (unsigned char)(1u << bit % 8);
                int differ = bits_set(before ^ hash64(data, sizes[s], 0));
                data[bit / 8] ^= (unsigned char)(1u << bit % 8);
                if (differ < 8) fail_msg("%zu bytes: bit %zu changes only %d bits", sizes[s], bit, differ);
                changed += differ;
            }
        }
        assert_near((double)changed / (double)trials, 32, 2.0);
    }
}

static int compare(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    return x < y ? -1 : x > y;
}

// Any two equal among these would be a fault: the chance by luck is 1e-9.
static void near_inputs_do_not_collide(void **state) {
    (void)state;
    enum { N = 200000 };
    uint64_t *hashes = malloc(N * sizeof *hashes);
    size_t n = 0;
    static const unsigned char zeros[400];
    for (size_t length = 0; length <= 400; length++)
        hashes[n++] = hash64(zeros, length, 0); // only lengths differ
    for (uint64_t seed = 1; seed < 1000; seed++) hashes[n++] = hash64(zeros, 16, seed);
    for (uint64_t i = 1; n < N; i++) hashes[n++] = hash64(&i, sizeof i, 0); // counting
    qsort(hashes, N, sizeof *hashes, compare);
    for (size_t i = 1; i < N; i++) assert_true(hashes[i] != hashes[i - 1]);
    free(hashes);
}

static void parts_and_order_matter(void **state) {
    (void)state;
    assert_true(hash64("ab", 2, hash64("c", 1, 5)) != hash64("a", 1, hash64("bc", 2, 5)));
    assert_true(hash64("abc", 3, 5) != hash64("bc", 2, hash64("a", 1, 5)));
    uint32_t a[2] = {1, 2}, b[2] = {2, 1};
    assert_true(hash64(a, 8, 0) != hash64(b, 8, 0));
    assert_true(hash64_text("snow", 0) == hash64("snow", 4, 0));
    assert_true(hash64(NULL, 0, 3) == hash64("", 0, 3));
}

// Files keep hashes: they may never change. The first numbers are those of xxhsum -H3.
static void the_hash_is_xxh3(void **state) {
    (void)state;
    assert_true(hash64("", 0, 0) == 0x2d06800538d394c2u);
    assert_true(hash64_text("snow", 0) == 0xc98c5339faadf2bdu);
    unsigned char data[77];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 37 + 11);
    for (size_t offset = 0; offset < 9; offset++) { // and does not depend on where the bytes lie
        unsigned char room[90];
        memcpy(room + offset, data, sizeof data);
        assert_true(hash64(room + offset, sizeof data, 42) == hash64(data, sizeof data, 42));
    }
    uint64_t now = hash64(data, sizeof data, 42);
    if (now != 0xac2b1dd19efcb5bdu) fail_msg("the hash became 0x%016llx", (unsigned long long)now);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_changes_half_of_the_hash),
        cmocka_unit_test(near_inputs_do_not_collide),
        cmocka_unit_test(parts_and_order_matter),
        cmocka_unit_test(the_hash_is_xxh3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
