// Any bytes as a scene: read, and if they are one, written and read again to the same hash.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scene/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good) {
    if (!good) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t before = mem_in_use();
    scene *s = NULL, *again = NULL;
    firn_status status = scene_parse((const char *)data, size, "fuzz.yaml", (firn_overrides){0}, &s);
    check(status == FIRN_OK || status == FIRN_BAD_INPUT);
    if (status == FIRN_OK) {
        char *written;
        check(scene_write(s, &written) == FIRN_OK);
        check(scene_parse(written, strlen(written), "effective.yaml", (firn_overrides){0}, &again) ==
              FIRN_OK);
        check(s->hash == again->hash);
        firn_text_free(written);
        scene_close(again);
    } else {
        check(strlen(firn_last_error()) > 0);
    }
    scene_close(s);
    check(mem_in_use() == before);
    return 0;
}
