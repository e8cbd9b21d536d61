// Text that any YAML reader takes for exactly this text.
#ifndef SCENE_QUOTE_H
#define SCENE_QUOTE_H

#include "base/text.h"

// In double quotes; whatever YAML does not let stand as it is, is escaped, and bytes that are no UTF-8 become
// U+FFFD.
void quote_add(text *t, const char *words);

#endif
