// Scenes that others include by name: `from: base/snowfall`.
#ifndef SCENE_SHIPPED_H
#define SCENE_SHIPPED_H

#include <stdbool.h>
#include <stddef.h>

// The file of `name`, with or without its extension, in the first folder that has it. false: none.
bool shipped_find(const char *name, char *path, size_t size);
// "base/NAME" of the base that was probably meant; "" if none is near.
void shipped_nearest(const char *name, char *out, size_t size);

#endif
