// Where level sets are kept from one command to the next.
#include "command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_MEGABYTES = 1024 };

// FIRN_CACHE names the folder, or switches the cache off; otherwise where the XDG base directory
// specification puts caches.
void cache_use(void) {
    const char *given = getenv("FIRN_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char folder[PATH_MAX];
    int length;
    if (given && *given) {
        if (strcmp(given, "off") == 0) return;
        length = snprintf(folder, sizeof folder, "%s", given);
    } else if (xdg && xdg[0] == '/') {
        length = snprintf(folder, sizeof folder, "%s/firn", xdg);
    } else if (home && home[0] == '/') {
        length = snprintf(folder, sizeof folder, "%s/.cache/firn", home);
    } else {
        return;
    }
    if (length < (int)sizeof folder) firn_set_cache(folder, (uint64_t)CACHE_MEGABYTES << 20);
}
