// XXH3 from libxxhash.
#include "base/hash.h"

#include <string.h>

#define XXH_INLINE_ALL // compiled here: sanitizers see into it, and no library has to be found at run time
#include <xxhash.h>

uint64_t hash64(const void *data, size_t bytes, uint64_t seed) {
    return XXH3_64bits_withSeed(data, bytes, seed);
}

uint64_t hash64_text(const char *text, uint64_t seed) { return hash64(text, strlen(text), seed); }
