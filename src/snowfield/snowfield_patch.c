// Patches: cells of the field copied out to be swept, with a halo around them.
#include "snowfield/snowfield_patch.h"

#include <string.h>

static void no_cover(slump_patch *p, size_t to, float density) {
    p->roof[to] = NO_ROOF;
    p->deck[to] = p->upper[to] = p->top_mass[to] = 0;
    p->top_density[to] = density;
}

static void fill_wall(const snowfield_state *s, slump_patch *p, size_t to) {
    p->mass[to] = 0;
    p->density[to] = s->law.density;
    p->ground[to] = p->height[to] = snowfield_height(WALL_HEIGHT);
    if (!p->roofed) return;
    no_cover(p, to, s->law.density);
    p->upper[to] = p->height[to];
}

// Cells beside the field: a wall, or snow as it was at the start, which takes what slides out.
static void fill_outside(const snowfield_state *s, slump_patch *p, size_t to, int32_t x, int32_t z) {
    fill_wall(s, p, to);
    if (s->def.border == FIRN_SNOWFIELD_WALL) return;
    int32_t mass;
    float density;
    x = int_min(int_max(x, 0), s->nx - 1);
    z = int_min(int_max(z, 0), s->nz - 1);
    snowfield_start_column(s, x, z, &mass, &density);
    p->ground[to] =
        snowfield_height(s->tiles.ground[snowfield_cell(s, x, z)]) + snowfield_depth(mass, density);
}

// Lanes look one cell beyond the patch: nothing slides there.
static void fill_rim(slump_patch *p, int32_t x, int32_t x1, int32_t z) {
    for (size_t i = patch_at(x, z); i < patch_at(x1, z); i++) {
        p->height[i] = snowfield_height(WALL_HEIGHT);
        if (!p->roofed) continue;
        p->upper[i] = p->height[i];
        p->roof[i] = NO_ROOF;
    }
}

bool snowfield_group_has_roof(const snowfield_state *s, size_t cell) {
    int32_t cover = s->tiles.cover[snowfield_tile_of(s, cell)];
    size_t in = cell & (snowfield_cells(s) - 1);
    return cover != TILE_NONE &&
           (s->covers.roofs[cover].row[in >> s->shift] >> ((in & (size_t)(s->edge - 1)) / GROUP_CELLS) & 1) !=
               0;
}

// A group of cells of the field, all within it.
static void fill_group(const snowfield_state *s, slump_patch *p, size_t to, size_t from) {
    memcpy(p->mass + to, s->tiles.mass + from, GROUP_CELLS * sizeof *p->mass);
    memcpy(p->density + to, s->tiles.density + from, GROUP_CELLS * sizeof *p->density);
    for (size_t i = 0; i < GROUP_CELLS; i++)
        p->ground[to + i] = s->start.level ? p->level : snowfield_height(s->tiles.ground[from + i]);
    if (!p->roofed) return;
    if (!snowfield_group_has_roof(s, from)) {
        for (size_t i = to; i < to + GROUP_CELLS; i++) no_cover(p, i, s->law.density);
        return;
    }
    size_t covered = snowfield_covered(s, from);
    memcpy(p->roof + to, s->covers.roof + covered, GROUP_CELLS * sizeof *p->roof);
    memcpy(p->deck + to, s->covers.upper + covered, GROUP_CELLS * sizeof *p->deck);
    memcpy(p->top_mass + to, s->covers.top_mass + covered, GROUP_CELLS * sizeof *p->top_mass);
    memcpy(p->top_density + to, s->covers.top_density + covered, GROUP_CELLS * sizeof *p->top_density);
}

// A group at the edge of the field.
static void fill_border(const snowfield_state *s, slump_patch *p, size_t to, int32_t x, int32_t z) {
    bool any = z >= 0 && z < s->nz && x >= 0 && x < s->nx;
    if (any) fill_group(s, p, to, snowfield_cell(s, x, z));
    for (int32_t i = 0; i < GROUP_CELLS; i++)
        if (!any || x + i >= s->nx) fill_outside(s, p, to + (size_t)i, x + i, z);
}

// Row z of the patch: the needed cells are copied, the others become walls.
static void fill_row(const snowfield_state *s, slump_patch *p, snowfield_rect cells, int32_t z) {
    uint32_t beside = p->need[z] | p->need[z + 1] | p->need[z + 2], row = p->need[z + 1];
    beside = (beside | beside << 1 | beside >> 1) & groups_between(0, p->width);
    for (uint32_t left = beside; left; left &= left - 1) {
        int32_t k = __builtin_ctz(left), x = cells.x0 + GROUP_CELLS * k;
        size_t to = patch_at(GROUP_CELLS * k, z);
        if (!(row >> k & 1))
            for (size_t i = to; i < to + GROUP_CELLS; i++) fill_wall(s, p, i);
        else if (cells.z0 + z >= 0 && cells.z0 + z < s->nz && x >= 0 && x + GROUP_CELLS <= s->nx)
            fill_group(s, p, to, snowfield_cell(s, x, cells.z0 + z));
        else
            fill_border(s, p, to, x, cells.z0 + z);
    }
    if (!beside) return;
    fill_rim(p, -1, 0, z);
    fill_rim(p, p->width, p->width + 1, z);
}

// Groups of some rows of tiles, as groups of the patch: all that is in motion, of this piece and of others,
// and all roofs.
static void mark_groups(const snowfield_state *s, snowfield_rect cells, slump_patch *p) {
    snowfield_rect in = rect_meet(cells, (snowfield_rect){0, 0, s->nx, s->nz});
    uint32_t whole = groups_between(0, p->width);
    for (int32_t row = in.z0 >> s->shift; row <= (in.z1 - 1) >> s->shift; row++) {
        for (int32_t column = in.x0 >> s->shift; column <= (in.x1 - 1) >> s->shift; column++) {
            size_t t = (size_t)snowfield_tile_at(s, column, row);
            snowfield_rect own = tile_rect(s, t);
            const snowfield_groups *active = &s->tiles.active[t];
            const snowfield_groups *roofs =
                s->tiles.cover[t] == TILE_NONE ? NULL : &s->covers.roofs[s->tiles.cover[t]];
            int32_t by = (own.x0 - cells.x0) / GROUP_CELLS;
            for (int32_t z = int_max(own.z0, cells.z0); z < int_min(own.z1, cells.z1); z++) {
                p->dirty[z - cells.z0 + 1] |= groups_shift(active->row[z - own.z0], by) & whole;
                if (roofs) p->roofs[z - cells.z0 + 1] |= groups_shift(roofs->row[z - own.z0], by) & whole;
            }
        }
    }
}

// Cells in motion, or that these may change in so many sweeps.
static void mark_needed(slump_patch *p, int32_t sweeps) {
    int32_t spread = PATCH_CELLS_PER_SWEEP * sweeps, aside = (spread + GROUP_CELLS - 1) / GROUP_CELLS;
    uint32_t whole = groups_between(0, p->width);
    for (int32_t z = 0; z < p->length; z++) {
        uint32_t row = p->dirty[z + 1];
        if (!row) continue;
        for (int32_t k = 0; k < aside; k++) row |= row << 1 | row >> 1;
        for (int32_t n = int_max(z - spread, 0); n < int_min(z + spread + 1, p->length); n++)
            p->need[n + 1] |= row & whole;
    }
}

snowfield_rect snowfield_patch_around(snowfield_rect cells, int32_t margin) {
    snowfield_rect r = rect_grow(cells, margin);
    int32_t together = isa_active() == ISA_AVX512 ? 2 * GROUP_CELLS : GROUP_CELLS; // that lanes look at
    r.x0 = r.x0 & -GROUP_CELLS; // groups of the patch are groups of the tiles
    r.x1 = r.x0 + (r.x1 - r.x0 + together - 1) / together * together;
    return r;
}

void snowfield_patch_fill(const snowfield_state *s, snowfield_rect cells, int32_t sweeps, slump_patch *p) {
    p->width = cells.x1 - cells.x0;
    p->length = cells.z1 - cells.z0;
    p->level = snowfield_height((float)(s->def.at.y + s->def.ground.at.y));
    p->fenced = false;
    memset(p->dirty, 0, sizeof p->dirty);
    memset(p->ever, 0, sizeof p->ever);
    memset(p->need, 0, sizeof p->need);
    memset(p->roofs, 0, sizeof p->roofs);
    mark_groups(s, cells, p);
    if (sweeps > 0)
        mark_needed(p, sweeps);
    else
        for (int32_t z = 0; z < p->length; z++) p->need[z + 1] = groups_between(0, p->width);
    uint32_t roofs = 0;
    for (int32_t z = 1; z <= p->length; z++) roofs |= p->roofs[z] & p->need[z];
    p->roofed = roofs != 0;
    for (int32_t z = 0; z < p->length; z++) fill_row(s, p, cells, z);
    fill_rim(p, -1, p->width + 1, -1);
    fill_rim(p, -1, p->width + 1, p->length);
}

void snowfield_patch_close(const snowfield_state *s, slump_patch *p) {
    for (int32_t x = 0; x < p->width; x++)
        fill_wall(s, p, patch_at(x, 0)), fill_wall(s, p, patch_at(x, p->length - 1));
    for (int32_t z = 0; z < p->length; z++)
        fill_wall(s, p, patch_at(0, z)), fill_wall(s, p, patch_at(p->width - 1, z));
}

// Cells beside an open boundary take snow and stay as they are.
void snowfield_patch_empty_outside(const snowfield_state *s, snowfield_rect cells, slump_patch *p) {
    snowfield_rect in = rect_meet(cells, (snowfield_rect){0, 0, s->nx, s->nz});
    if (s->def.border == FIRN_SNOWFIELD_WALL ||
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
