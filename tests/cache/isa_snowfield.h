// Random input for the snow field: whole numbers, and heights of them.
#ifndef CACHE_ISA_FIELD_H
#define CACHE_ISA_FIELD_H

#include "cache/isa_input.h"
#include "snowfield/snowfield_show_lanes.h"
#include "snowfield/snowfield_slump_lanes.h"

static const snowfield_law law = {.density_min = 50,
                                  .density_max = 600,
                                  .density = 120,
                                  .tan_loose = 0.9f,
                                  .tan_packed = 2,
                                  .cell = 0.05f,
                                  .strength = 1e4f,
                                  .strength_at = 200,
                                  .strength_power = 3};
enum { COLUMNS = MANY / SHOW_TOGETHER * SHOW_TOGETHER };
static _Alignas(64) int32_t mass[COLUMNS], roof[COLUMNS], upper[COLUMNS];

static void random_columns(void) {
    fill_whole(mass, COLUMNS, 0, 100 / MASS_UNIT);
    fill_whole(upper, COLUMNS, 0, 3 / HEIGHT_UNIT);
    fill_whole(roof, COLUMNS, 0, 3 / HEIGHT_UNIT);
    for (size_t i = 0; i < COLUMNS; i += 3) mass[i] = 0;
    fill(lines[0], COLUMNS, 50, 600);
}

static void feed_show_columns(void) {
    random_columns();
    for (int i = 0; i < 3; i++) {
        if (i == 1) mass[random_number() % COLUMNS] = -1;
        if (i == 2) lines[0][random_number() % COLUMNS] = NAN;
        put_number(ISA_PICK(show_columns)(&law, mass, lines[0], lines[1], COLUMNS));
        if (i == 0) put(lines[1], COLUMNS);
    }
}

static void feed_show_tops(void) {
    random_columns();
    ISA_PICK(show_tops)(mass, lines[0], roof, upper, lines[1], lines[2], COLUMNS);
    put(lines[1], COLUMNS);
    put(lines[2], COLUMNS);
}

static void feed_show_highest(void) {
    fill_rows(2);
    for (size_t n = SHOW_TOGETHER; n <= COLUMNS; n *= 2)
        put_number((double)ISA_PICK(show_highest)(lines[0], lines[1], n));
}

static void feed_show_any(void) {
    memset(mass, 0, sizeof mass);
    put_number(ISA_PICK(show_any)(mass, COLUMNS));
    mass[random_number() % COLUMNS] = 1;
    put_number(ISA_PICK(show_any)(mass, COLUMNS));
}

// Rough snow on rough ground, everywhere to be swept.
static slump_patch *random_patch(void) {
    slump_patch *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->width = 64, p->length = 40;
    for (size_t i = 0; i < PATCH_CELLS; i++) {
        p->density[i] = p->top_density[i] = 100;
        p->ground[i] = p->height[i] = snowfield_height(WALL_HEIGHT);
        p->roof[i] = INT32_MAX;
    }
    for (int32_t z = 0; z < p->length; z++) {
        for (int32_t x = 0; x < p->width; x++) {
            size_t at = patch_at(x, z);
            p->mass[at] = (int32_t)((double)between(0, 60) / MASS_UNIT);
            p->density[at] = between(60, 500);
            p->ground[at] = snowfield_height(between(0, 0.05));
        }
        p->need[z + 1] = p->dirty[z + 1] = 0xff;
    }
    return p;
}

static void put_patch(const slump_patch *p) {
    for (int32_t z = 0; z < p->length; z++) {
        put_whole(p->mass + patch_at(0, z), (size_t)p->width);
        put_whole(p->height + patch_at(0, z), (size_t)p->width);
        put(p->density + patch_at(0, z), (size_t)p->width);
        put_number(p->dirty[z + 1]);
    }
}

static void feed_slump_heights(void) {
    slump_patch *p = random_patch();
    ISA_PICK(slump_heights)(p);
    put_patch(p);
    free(p);
}

static void feed_slump_sweep(void) {
    slump_patch *p = random_patch();
    ISA_PICK(slump_heights)(p);
    for (int i = 0; i < 3; i++) put_number(ISA_PICK(slump_sweep)(&law, p));
    put_patch(p);
    free(p);
}

#endif
