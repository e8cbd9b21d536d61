// Characters of UTF-8 text.
#ifndef SCENE_UTF8_H
#define SCENE_UTF8_H

#include <stddef.h>
#include <stdint.h>

// Length of the character at c, 0 if it is none (overlong forms, surrogates and what lies above U+10FFFF are
// none).
size_t utf8_length(const unsigned char *c, size_t bytes, uint32_t *code);

#endif
