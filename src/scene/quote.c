// Quotes text for YAML.
#include "scene/quote.h"

#include <string.h>

#include "scene/utf8.h"

static bool stands_as_it_is(uint32_t code) {
    if (code < 0x7f) return code >= 0x20;
    return code >= 0xa0 && code != 0x2028 && code != 0x2029 && code != 0xfeff && code != 0xfffe &&
           code != 0xffff;
}

void quote_add(text *t, const char *words) {
    size_t left = strlen(words);
    text_add(t, "\"");
    while (left) {
        uint32_t code;
        size_t length = utf8_length((const unsigned char *)words, left, &code);
        if (!length)
            text_add(t, "\ufffd");
        else if (code == '"' || code == '\\')
            text_add(t, "\\%c", (char)code);
        else if (stands_as_it_is(code))
            text_add_bytes(t, words, length);
        else
            text_add(t, "\\u%04X", code);
        words += length ? length : 1;
        left -= length ? length : 1;
    }
    text_add(t, "\"");
}
