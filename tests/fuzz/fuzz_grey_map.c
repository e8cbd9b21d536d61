// PNG files from bytes.
#include <stdint.h>
#include <stdlib.h>

#include "geom/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t before = mem_in_use();
    grey_map map;
    firn_status status = grey_map_parse((const char *)data, size, "fuzz", &map);
    if (status != FIRN_OK && status != FIRN_BAD_INPUT) abort();
    unsigned sum = 0;
    for (size_t i = 0; status == FIRN_OK && i < (size_t)map.width * map.height; i++) sum += map.value[i];
    volatile unsigned used = sum;
    (void)used;
    grey_map_free(&map);
    if (mem_in_use() != before) abort();
    return 0;
}
