// A number for what a scene simulates.
#ifndef SCENE_SCENE_HASH_H
#define SCENE_SCENE_HASH_H

#include "base/param.h"

// Values by name, and the content of the files they name. Rows marked `unhashed` and colours are left out,
// unless `all`.
firn_status param_hash(const param_table *table, const void *item, bool all, uint64_t *hash);

#endif
