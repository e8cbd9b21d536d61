// Characters of UTF-8 text.
#ifndef SCENE_UTF8_H
#define SCENE_UTF8_H

#include <stddef.h>
#include <stdint.h>

// Length of the character at c in bytes; 0 if it is invalid (overlong forms, surrogates, above U+10FFFF).
size_t utf8_length(const unsigned char *c, size_t bytes, uint32_t *code);

#endif
