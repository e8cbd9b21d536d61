// Decodes and validates UTF-8.
#include "scene/utf8.h"

size_t utf8_length(const unsigned char *c, size_t bytes, uint32_t *code) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = c[0] < 0x80             ? 1
                    : (c[0] & 0xe0) == 0xc0 ? 2
                    : (c[0] & 0xf0) == 0xe0 ? 3
                    : (c[0] & 0xf8) == 0xf0 ? 4
                                            : 0;
    if (!length || length > bytes) return 0;
    *code = length == 1 ? c[0] : c[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (c[i] & 0x3f);
    }
    if (*code < smallest[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)) return 0;
    return length;
}
