// XXH3 from libxxhash.
#include "base/hash.h"

#include <string.h>

#define XXH_INLINE_ALL // compiled here: sanitizers see into it, and no library has to be found at run time
#include <xxhash.h>

uint64_t hash64(const void *data, size_t bytes, uint64_t seed) {
    return XXH3_64bits_withSeed(data, bytes, seed);
}

_Static_assert(sizeof(XXH3_state_t) <= sizeof(hash_stream), "a stream has room for XXH3's state");

static XXH3_state_t *state_of(hash_stream *h) { return (XXH3_state_t *)(void *)h->state; }

void hash_begin(hash_stream *h, uint64_t seed) {
    memset(h, 0, sizeof *h);
    XXH3_64bits_reset_withSeed(state_of(h), seed);
}
void hash_add(hash_stream *h, const void *data, size_t bytes) {
    if (bytes > 0) XXH3_64bits_update(state_of(h), data, bytes);
}
uint64_t hash_end(const hash_stream *h) {
    return XXH3_64bits_digest((const XXH3_state_t *)(const void *)h->state);
}

uint64_t hash64_text(const char *text, uint64_t seed) { return hash64(text, strlen(text), seed); }
