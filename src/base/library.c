// Shared libraries that are opened when first used.
#include "base/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

enum { MOST = 8 };

// In the order of the files, so that what one of them needs from another is there.
static firn_status open_files(const library *l, void *file[MOST], size_t *count) {
    for (*count = 0; *count < MOST && l->files[*count]; ++*count) {
        file[*count] = dlopen(l->files[*count], RTLD_NOW | RTLD_LOCAL);
        if (file[*count]) continue;
        const char *why = dlerror();
        return fail(FIRN_UNSUPPORTED, "cannot %s: %s; install %s", l->use, why ? why : l->files[*count],
                    l->package);
    }
    return FIRN_OK;
}

firn_status library_open(const library *l, void *calls) {
    void *file[MOST];
    size_t count;
    TRY(open_files(l, file, &count));
    for (size_t i = 0; calls && l->names[i]; i++) {
        void *found = NULL;
        for (size_t k = 0; k < count && !found; k++) found = dlsym(file[k], l->names[i]);
        if (!found)
            return fail(FIRN_UNSUPPORTED, "cannot %s: '%s' has no function '%s'; install %s", l->use,
                        l->files[0], l->names[i], l->package);
        memcpy((char *)calls + i * sizeof found, &found, sizeof found);
    }
    return FIRN_OK;
}
