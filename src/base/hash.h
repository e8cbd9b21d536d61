// XXH3, 64 bits: for state, scenes and files. Not for secrets. With seed 0 it is what `xxhsum -H3` prints, so
// checksums of files have that seed.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// hash64(b, hash64(a, seed)) hashes a then b; lengths are part of the hash.
uint64_t hash64(const void *data, size_t bytes, uint64_t seed);
uint64_t hash64_text(const char *text, uint64_t seed);

// The same of data that comes in pieces.
typedef struct hash_stream {
    _Alignas(64) unsigned char state[640];
} hash_stream;
void hash_begin(hash_stream *h, uint64_t seed);
void hash_add(hash_stream *h, const void *data, size_t bytes);
uint64_t hash_end(const hash_stream *h);

#endif
