// Patches: cells of the field copied out to be swept, with what stands around them.
#include "field/field_patch.h"

#include <string.h>

static void no_cover(slump_patch *p, size_t to, float density) {
    p->roof[to] = NO_ROOF;
    p->deck[to] = p->upper[to] = p->top_mass[to] = 0;
    p->top_density[to] = density;
}

// Cells beside the field: a wall, or snow as it was at the start, which takes what slides out.
static void fill_outside(const field_state *s, slump_patch *p, size_t to, int32_t x, int32_t z) {
    p->mass[to] = 0;
    p->density[to] = s->law.density;
    p->ground[to] = field_height(WALL_HEIGHT);
    if (p->roofed) no_cover(p, to, s->law.density);
    if (s->def.border == FIRN_FIELD_WALL) return;
    int32_t mass;
    float density;
    x = int_min(int_max(x, 0), s->nx - 1);
    z = int_min(int_max(z, 0), s->nz - 1);
    field_start_column(s, x, z, &mass, &density);
    p->ground[to] = field_height(s->tiles.ground[field_cell(s, x, z)]) + field_depth(mass, density);
}

// Lanes look one cell beyond the patch: nothing slides there.
static void fill_rim(slump_patch *p, int32_t x, int32_t x1, int32_t z) {
    for (size_t i = patch_at(x, z); i < patch_at(x1, z); i++) {
        p->height[i] = field_height(WALL_HEIGHT);
        if (!p->roofed) continue;
        p->upper[i] = p->height[i];
        p->roof[i] = NO_ROOF;
    }
}

// Roofs and snow on top, of n cells in one row of a tile.
static void fill_cover(const field_state *s, slump_patch *p, size_t to, size_t from, size_t n) {
    size_t covered = field_covered(s, from);
    if (covered == SIZE_MAX) {
        for (size_t i = to; i < to + n; i++) no_cover(p, i, s->law.density);
        return;
    }
    memcpy(p->roof + to, s->covers.roof + covered, n * sizeof *p->roof);
    memcpy(p->deck + to, s->covers.upper + covered, n * sizeof *p->deck);
    memcpy(p->top_mass + to, s->covers.top_mass + covered, n * sizeof *p->top_mass);
    memcpy(p->top_density + to, s->covers.top_density + covered, n * sizeof *p->top_density);
}

// Cells x .. x1 of row z of the field into the patch, tile by tile.
static void fill_row(const field_state *s, slump_patch *p, size_t to, int32_t x, int32_t x1, int32_t z) {
    bool outside_row = z < 0 || z >= s->nz;
    while (x < x1) {
        if (outside_row || x < 0 || x >= s->nx) {
            fill_outside(s, p, to++, x++, z);
            continue;
        }
        int32_t end = int_min(int_min(((x >> s->shift) + 1) << s->shift, s->nx), x1);
        size_t from = field_cell(s, x, z), n = (size_t)(end - x);
        memcpy(p->mass + to, s->tiles.mass + from, n * sizeof *p->mass);
        memcpy(p->density + to, s->tiles.density + from, n * sizeof *p->density);
        for (size_t i = 0; i < n; i++) p->ground[to + i] = field_height(s->tiles.ground[from + i]);
        if (p->roofed) fill_cover(s, p, to, from, n);
        to += n;
        x = end;
    }
}

// Some tile that these cells meet has a cover.
static bool any_cover(const field_state *s, field_rect cells) {
    field_rect r = rect_meet(cells, (field_rect){0, 0, s->nx, s->nz});
    for (int32_t row = r.z0 >> s->shift; row <= (r.z1 - 1) >> s->shift; row++)
        for (int32_t column = r.x0 >> s->shift; column <= (r.x1 - 1) >> s->shift; column++)
            if (s->tiles.cover[field_tile_at(s, column, row)] != TILE_NONE) return true;
    return false;
}

// Groups of eight cells of the patch that meet cells x0 .. x1 of it.
static uint32_t groups_of(int32_t x0, int32_t x1) {
    uint32_t bits = 0;
    for (int32_t k = x0 / 8; k <= (x1 - 1) / 8; k++) bits |= 1u << k;
    return bits;
}

field_rect field_tile_part(const field_state *s, size_t t,
                           field_rect r) { // of a tile, as cells of the field
    field_rect own = tile_rect(s, t);
    return (field_rect){own.x0 + r.x0, own.z0 + r.z0, own.x0 + r.x1, own.z0 + r.z1};
}

// All that is in motion in the patch, of this piece and of others.
static void mark_active(const field_state *s, field_rect cells, slump_patch *p) {
    field_rect in = rect_meet(cells, (field_rect){0, 0, s->nx, s->nz});
    for (int32_t row = in.z0 >> s->shift; row <= (in.z1 - 1) >> s->shift; row++) {
        for (int32_t column = in.x0 >> s->shift; column <= (in.x1 - 1) >> s->shift; column++) {
            size_t t = (size_t)field_tile_at(s, column, row);
            if (rect_empty(s->tiles.active[t])) continue;
            field_rect a = rect_meet(field_tile_part(s, t, s->tiles.active[t]), cells);
            if (rect_empty(a)) continue;
            uint32_t groups = groups_of(a.x0 - cells.x0, a.x1 - cells.x0);
            for (int32_t z = a.z0 - cells.z0; z < a.z1 - cells.z0; z++) p->dirty[z + 1] |= groups;
        }
    }
}

field_rect field_patch_around(field_rect cells, int32_t margin) {
    field_rect r = rect_grow(cells, margin);
    int32_t together = isa_active() == ISA_AVX512 ? 16 : 8; // cells that lanes look at together
    r.x1 = r.x0 + (r.x1 - r.x0 + together - 1) / together * together;
    return r;
}

void field_patch_fill(const field_state *s, field_rect cells, slump_patch *p) {
    p->width = cells.x1 - cells.x0;
    p->length = cells.z1 - cells.z0;
    p->roofed = any_cover(s, cells);
    for (int32_t z = 0; z < p->length; z++) {
        fill_row(s, p, patch_at(0, z), cells.x0, cells.x1, cells.z0 + z);
        fill_rim(p, -1, 0, z);
        fill_rim(p, p->width, p->width + 1, z);
    }
    fill_rim(p, -1, p->width + 1, -1);
    fill_rim(p, -1, p->width + 1, p->length);
    memset(p->dirty, 0, sizeof p->dirty);
    memset(p->ever, 0, sizeof p->ever);
    mark_active(s, cells, p);
}

// A cell at the rim does not see all its neighbours: it must not give, and stays as it is.
static void freeze(slump_patch *p, int32_t x, int32_t z, bool wall) {
    size_t i = patch_at(x, z);
    p->mass[i] = 0;
    if (wall) p->height[i] = field_height(WALL_HEIGHT);
    p->ground[i] = p->height[i];
    if (!p->roofed) return;
    p->top_mass[i] = 0;
    if (wall) p->upper[i] = p->height[i], p->roof[i] = NO_ROOF;
    p->deck[i] = p->upper[i];
}

void field_patch_freeze_rim(slump_patch *p, bool wall) {
    for (int32_t x = 0; x < p->width; x++) freeze(p, x, 0, wall), freeze(p, x, p->length - 1, wall);
    for (int32_t z = 0; z < p->length; z++) freeze(p, 0, z, wall), freeze(p, p->width - 1, z, wall);
}

// What lies beside an open border takes snow and stays as it is.
void field_patch_empty_outside(const field_state *s, field_rect cells, slump_patch *p) {
    field_rect in = rect_meet(cells, (field_rect){0, 0, s->nx, s->nz});
    if (s->def.border == FIRN_FIELD_WALL ||
        (in.x0 == cells.x0 && in.z0 == cells.z0 && in.x1 == cells.x1 && in.z1 == cells.z1))
        return;
    for (int32_t z = 0; z < p->length; z++) {
        for (int32_t x = 0; x < p->width; x++) {
            int32_t fx = cells.x0 + x, fz = cells.z0 + z;
            size_t i = patch_at(x, z);
            if ((fx >= in.x0 && fx < in.x1 && fz >= in.z0 && fz < in.z1) || p->mass[i] == 0) continue;
            p->mass[i] = 0;
            p->height[i] = p->ground[i];
            if (p->roofed) p->upper[i] = p->height[i];
        }
    }
}
