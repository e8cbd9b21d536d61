// Quotes text so that any YAML reader returns it unchanged.
#ifndef SCENE_QUOTE_H
#define SCENE_QUOTE_H

#include "base/text.h"

// In double quotes; characters that YAML does not allow are escaped, and bytes that are not UTF-8 become
// U+FFFD.
void quote_add(text *t, const char *words);

#endif
