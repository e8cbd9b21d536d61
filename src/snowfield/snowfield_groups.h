// Which cells of a tile, in groups of eight along x; only for files of this folder.
#ifndef SNOWFIELD_FIELD_GROUPS_H
#define SNOWFIELD_FIELD_GROUPS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { GROUP_CELLS = 8, GROUP_ROWS = 64 };

// Bit k of a row stands for its cells 8 k .. 8 k + 7.
typedef struct snowfield_groups {
    uint8_t row[GROUP_ROWS];
} snowfield_groups;
_Static_assert(sizeof(snowfield_groups) == 64, "a tile's groups are written to files as 16 numbers");

static inline bool groups_any(const snowfield_groups *g) {
    uint64_t word[sizeof *g / sizeof(uint64_t)], all = 0;
    memcpy(word, g, sizeof *g);
    for (size_t i = 0; i < sizeof *g / sizeof(uint64_t); i++) all |= word[i];
    return all != 0;
}

// Bits of the groups that meet cells x0 .. x1.
static inline uint32_t groups_between(int32_t x0, int32_t x1) {
    return x0 < x1 ? (uint32_t)((2ull << (x1 - 1) / GROUP_CELLS) - (1ull << x0 / GROUP_CELLS)) : 0;
}

// Shifts to the left, or by less than nothing to the right.
static inline uint32_t groups_shift(uint32_t groups, int32_t by) {
    return by <= -32 || by >= 32 ? 0 : by < 0 ? groups >> -by : groups << by;
}

#endif
