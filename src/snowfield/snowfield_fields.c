// What can be written, drawn and hashed; the ledger; the watchdog.
#include "snowfield/snowfield_ranks.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { STATE = FIRN_FIELD_STATE, SHOWN = FIRN_FIELD_SHOWN, BOTH = STATE | SHOWN };

FIELD_GET(get_tile, snowfield_state, s->tiles.count, s->tiles.at)
// Over ranks, of the slab that this one shows.
static size_t tile_items(const snowfield_state *s) {
    return (s->ranks ? s->ranks->slab.tiles : s->tiles.count) * snowfield_cells(s);
}
static size_t cover_items(const snowfield_state *s) {
    return (s->ranks ? s->ranks->slab.covers : s->covers.count) * snowfield_cells(s);
}
#define SLAB_OR(array, here) (s->ranks ? s->ranks->slab.array : (void *)(here))

FIELD_GET(get_density, snowfield_state, tile_items(s), SLAB_OR(of_tile[0], s->tiles.density))
FIELD_GET(get_mass, snowfield_state, tile_items(s), SLAB_OR(of_tile[1], s->tiles.mass))
FIELD_GET_IF(get_crust, snowfield_state, s->def.crust.thickness > 0, tile_items(s),
             SLAB_OR(of_tile[2], s->tiles.crust))
FIELD_GET(get_ground, snowfield_state, tile_items(s), SLAB_OR(of_tile[3], s->tiles.ground))
FIELD_GET(get_depth, snowfield_state, tile_items(s), SLAB_OR(of_tile[4], s->tiles.depth))
FIELD_GET(get_touched, snowfield_state, s->tiles.count, s->tiles.touched)
FIELD_GET(get_active, snowfield_state, s->tiles.count, s->tiles.active)
FIELD_GET(get_index, snowfield_state, (size_t)s->tiles.columns *(size_t)s->tiles.rows, s->tiles.index)
FIELD_GET(get_grid, snowfield_state, FIELD_GRID_SIZE, s->grid)
FIELD_GET(get_cover, snowfield_state, s->covers.count, s->covers.tile)
FIELD_GET(get_top_density, snowfield_state, cover_items(s), SLAB_OR(of_cover[0], s->covers.top_density))
FIELD_GET(get_top_mass, snowfield_state, cover_items(s), SLAB_OR(of_cover[1], s->covers.top_mass))
FIELD_GET(get_top_depth, snowfield_state, cover_items(s), SLAB_OR(of_cover[2], s->covers.top_depth))
FIELD_GET(get_top_height, snowfield_state, cover_items(s), SLAB_OR(of_cover[3], s->covers.top_height))
FIELD_GET(get_packed, snowfield_state, s->packed.count, s->packed.item)
FIELD_GET(get_packed_words, snowfield_state, s->packed.used, s->packed.words)
FIELD_GET(get_carried, snowfield_state, s->carried.count, s->carried.body)
FIELD_GET(get_poured, snowfield_state, s->pour_count, s->poured)
FIELD_GET(get_bit_position, snowfield_state, s->bits.count, s->bits.position)
FIELD_GET(get_bit_velocity, snowfield_state, s->bits.count, s->bits.velocity)
FIELD_GET(get_bit_mass, snowfield_state, s->bits.count, s->bits.mass)
FIELD_GET(get_bit_size, snowfield_state, s->bits.count, s->bits.size)
FIELD_GET(get_bit_density, snowfield_state, s->bits.count, s->bits.density)
FIELD_GET(get_pristine, snowfield_state, 2, s->pristine)
FIELD_GET(get_dt_limit, snowfield_state, 1, &s->dt_limit)
FIELD_GET(get_counters, snowfield_state, COUNTER_SIZE, s->counters)
#define GIVES s->setting.def && (s->setting.def->mpm || s->setting.def->cover)
FIELD_GET_IF(get_exchange, snowfield_state, GIVES, EXCHANGE_SIZE, s->exchange)

static const field_row rows[] = {
    {"field.tile", "", "column and row of each tile that exists; all other cells are in their initial state",
     FIRN_I32, 2, BOTH, get_tile},
    {"field.depth", "m", "depth of the snow in each cell: tile by tile, rows along x", FIRN_F32, 1, SHOWN,
     get_depth},
    {"field.ground", "m", "height of the ground", FIRN_F32, 1, SHOWN, get_ground},
    {"field.density", "kg/m3", "density of the snow", FIRN_F32, 1, BOTH, get_density},
    {"field.mass", "2^-15 kg/m2", "mass of the snow per area, a whole number", FIRN_I32, 1, STATE, get_mass},
    {"field.crust", "", "how whole the crust is: 1 not bent, 0 broken; nothing without a crust", FIRN_F32, 1,
     BOTH, get_crust},
    {"field.touched", "", "cells of each tile that changed in the last step: x0, z0, x1, z1", FIRN_I32, 4, 0,
     get_touched},
    {"field.active", "", "cells of each tile that may slide in the next step: bits by eight cells and row",
     FIRN_I32, sizeof(snowfield_groups) / 4, STATE, get_active},
    {"field.index", "", "index of the tile at each position, rows along x; -1: none there", FIRN_I32, 1, 0,
     get_index},
    {"field.grid", "",
     "x and z of the corner (m), cell (m), cells along x and z, cells of a tile's edge, depth (m) and "
     "density "
     "(kg/m3) where no tile is, height of the ground there (m)",
     FIRN_F64, 1, SHOWN, get_grid},
    {"field.cover", "",
     "tile of each cover, the layer of snow on top of bodies; exists where bodies are or were", FIRN_I32, 1,
     BOTH, get_cover},
    {"field.top_mass", "2^-15 kg/m2", "mass of the snow on top of bodies, cover by cover", FIRN_I32, 1, STATE,
     get_top_mass},
    {"field.top_density", "kg/m3", "density of the snow on top of bodies", FIRN_F32, 1, BOTH,
     get_top_density},
    {"field.top_depth", "m", "depth of the snow on top of bodies", FIRN_F32, 1, SHOWN, get_top_depth},
    {"field.top_height", "m", "height of the upper surface of bodies, on which that snow lies; 0: no body",
     FIRN_F32, 1, SHOWN, get_top_height},
    {"field.packed", "",
     "compressed tiles: column, row, index of the first word, number of words, highest point (m, bits of a "
     "double)",
     FIRN_U64, PACKED_TILE_SIZE, BOTH, get_packed},
    {"field.packed_words", "", "masses and densities of compressed tiles", FIRN_I32, 1, BOTH,
     get_packed_words},
    {"field.poured", "", "mass that each spout has poured, in units of 2^-15 kg/m2 times one cell", FIRN_U64,
     1, STATE, get_poured},
    {"field.carried", "",
     "of each body, the layer of snow on it: 1 if seen; velocity along x and z, of the body upwards (m/s); "
     "way (m) and "
     "turn (rad) still to go; x and z of the body (m)",
     FIRN_F64, FIELD_CARRIED_SIZE, STATE, get_carried},
    {"field.bit_position", "m", "position of loose bits in the air", FIRN_F32, 3, BOTH, get_bit_position},
    {"field.bit_velocity", "m/s", "velocity of loose bits", FIRN_F32, 3, STATE, get_bit_velocity},
    {"field.bit_mass", "2^-15 kg/m2", "mass of loose bits, per area of a cell", FIRN_I32, 1, STATE,
     get_bit_mass},
    {"field.bit_size", "m", "diameter of loose bits", FIRN_F32, 1, BOTH, get_bit_size},
    {"field.bit_density", "kg/m3", "density of loose bits", FIRN_F32, 1, STATE, get_bit_density},
    {"field.pristine", "", "mass (2^-15 kg/m2) and density (kg/m3) where no tile is", FIRN_F64, 1, STATE,
     get_pristine},
    {"field.dt_limit", "s", "CFL limit of the next step", FIRN_F64, 1, STATE, get_dt_limit},
    {"field.counters", "",
     "masses in units of 2^-15 kg/m2 times one cell: where no tile is, of compressed tiles, entered, left, "
     "fallen; then counters of snowfall, landed flakes and bits",
     FIRN_U64, 1, STATE, get_counters},
    {"field.exchange", "",
     "with mpm: mass (kg) that waits until it is enough for a cell; time (s) up to which failures have "
     "happened",
     FIRN_F64, 1, STATE, get_exchange},
};
static const field_table own_fields = FIELD_TABLE(rows);
static const field_table *const field_tables[] = {&own_fields, &snowfield_heat_table, NULL};

firn_status snowfield_resize(void *model, const char *name, size_t count) {
    snowfield_state *s = model;
    snowfield_ranks_leave(s); // all will be here
    const struct {
        const char *name;
        size_t count;
    } fixed[] = {{"field.counters", COUNTER_SIZE},
                 {"field.exchange", EXCHANGE_SIZE},
                 {"field.grid", FIELD_GRID_SIZE},
                 {"field.poured", s->pour_count},
                 {"field.dt_limit", 1},
                 {"field.heat_plain", PLAIN_SIZE},
                 {"field.heat_sums", HEAT_SUMS},
                 {"field.pristine", 2}};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        if (strcmp(name, fixed[i].name) != 0) continue;
        if (count == fixed[i].count) return FIRN_OK;
        return fail(FIRN_BAD_INPUT, "field '%s' has %zu values instead of %zu", name, count, fixed[i].count);
    }
    if (strcmp(name, "field.carried") == 0) return snowfield_carry_reserve(s, count);
    if (strncmp(name, "field.bit_", 10) == 0) {
        if (count > (size_t)s->def.bits.most)
            return fail(FIRN_BAD_INPUT, "field '%s' has %zu values; the scene allows %d", name, count,
                        s->def.bits.most);
        s->bits.count = count;
        return FIRN_OK;
    }
    if (strncmp(name, "field.packed", 12) == 0) return snowfield_packed_resize(s, name[12] == '_', count);
    if (strcmp(name, "field.cover") == 0 || strncmp(name, "field.top_", 10) == 0) {
        size_t covers = name[6] == 'c' ? count : count / snowfield_cells(s);
        if (covers > (size_t)s->tiles.columns * (size_t)s->tiles.rows)
            return fail(FIRN_BAD_INPUT, "field '%s' has %zu values: more than there are tile positions", name,
                        count);
        TRY(snowfield_covers_reserve(s, covers));
        s->covers.count = covers;
        return FIRN_OK;
    }
    bool by_tile = strcmp(name, "field.tile") == 0 || strcmp(name, "field.active") == 0 ||
                   strcmp(name, "field.touched") == 0;
    size_t tiles = by_tile ? count : count / snowfield_cells(s);
    if (tiles > (size_t)s->tiles.columns * (size_t)s->tiles.rows ||
        (!by_tile && count % snowfield_cells(s) != 0))
        return fail(FIRN_BAD_INPUT, "field '%s' has %zu values: not a multiple of the tile size", name,
                    count);
    TRY(snowfield_tiles_reserve(s, tiles));
    s->tiles.count = tiles;
    s->has_mass |= strcmp(name, "field.mass") == 0;
    return FIRN_OK;
}

static firn_status covers_loaded(snowfield_state *s) {
    snowfield_covers *c = &s->covers;
    for (size_t i = 0; i < c->count; i++) {
        if (c->tile[i] < 0 || (size_t)c->tile[i] >= s->tiles.count || s->tiles.cover[c->tile[i]] != TILE_NONE)
            return fail(FIRN_BAD_INPUT, "field: cover %zu: unknown tile", i);
        s->tiles.cover[c->tile[i]] = (int32_t)i;
    }
    if (c->count > 0) memset(c->roofs, 0, c->count * sizeof *c->roofs);
    for (size_t i = 0; i < c->count * snowfield_cells(s); i++) {
        c->roof[i] = NO_ROOF;
        c->upper[i] = 0;
    }
    return FIRN_OK;
}

// A frame: only shown fields were written.
static void from_frame(snowfield_state *s) {
    for (size_t i = 0; i < s->tiles.count * snowfield_cells(s); i++)
        s->tiles.mass[i] = snowfield_mass((double)s->tiles.depth[i], (double)s->tiles.density[i]);
    for (size_t i = 0; i < s->covers.count * snowfield_cells(s); i++)
        s->covers.top_mass[i] =
            snowfield_mass((double)s->covers.top_depth[i], (double)s->covers.top_density[i]);
    snowfield_heat_from_frame(s);
    for (size_t t = 0; t < s->tiles.count; t++) {
        s->tiles.active[t] = (snowfield_groups){0};
        snowfield_find_highest(s, t);
    }
}

// Of a damaged file: nothing outside the tile.
static void keep_within(snowfield_groups *g, int32_t edge) {
    for (int32_t z = 0; z < GROUP_ROWS; z++) g->row[z] &= (uint8_t)(z < edge ? groups_between(0, edge) : 0);
}

firn_status snowfield_loaded(void *model) {
    snowfield_state *s = model;
    if (s->ranks) return snowfield_see_bodies(s); // rank 0 has told the rest
    snowfield_tiles *t = &s->tiles;
    memset(t->index, 0xff, (size_t)t->columns * (size_t)t->rows * sizeof *t->index);
    for (size_t i = 0; i < t->count; i++) {
        int32_t column = t->at[i][0], row = t->at[i][1];
        if (column < 0 || row < 0 || column >= t->columns || row >= t->rows ||
            snowfield_tile_at(s, column, row) != TILE_NONE)
            return fail(FIRN_BAD_INPUT, "field: tile %zu: duplicate or out-of-range position", i);
        t->index[(size_t)row * (size_t)t->columns + (size_t)column] = (int32_t)i;
        t->touched[i] = (snowfield_rect){0, 0, s->edge, s->edge};
        t->cover[i] = TILE_NONE;
        t->cleared[i] = false;
        if (s->edge < TILE_MOST_EDGE) keep_within(&t->active[i], s->edge);
        snowfield_tile_ground(s, i);
    }
    TRY(covers_loaded(s));
    TRY(snowfield_carry_loaded(s));
    TRY(snowfield_packed_loaded(s));
    if (s->has_mass) {
        s->start.mass = (int32_t)s->pristine[0];
        s->start.density = (float)s->pristine[1];
        s->grid[GRID_DEPTH] = (double)snowfield_depth_m(s->start.mass, s->start.density);
        s->grid[GRID_DENSITY] = s->pristine[1];
    }
    if (s->has_mass)
        snowfield_show(s);
    else
        from_frame(s);
    TRY(snowfield_see_bodies(s)); // they stand where they stood
    if (s->has_mass) snowfield_show(s);
    if (s->has_mass) snowfield_heat_show(s);
    s->has_mass = false;
    return FIRN_OK;
}

static double mass_of(const int32_t *mass, size_t n) {
    int64_t sum = 0; // below 2^53: a tile holds at most 2^14 cells of 2^31
    for (size_t i = 0; i < n; i++) sum += mass[i];
    return (double)sum;
}

// Height of the middle of each column.
static double potential_of(const int32_t *mass, const float *ground, const float *depth, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += mass[i] * ((double)ground[i] + 0.5 * (double)depth[i]);
    return sum;
}

static double tile_mass(void *context, size_t begin, size_t end) {
    const snowfield_state *s = context;
    return mass_of(s->tiles.mass + begin, end - begin);
}

static double top_mass(void *context, size_t begin, size_t end) {
    const snowfield_state *s = context;
    return mass_of(s->covers.top_mass + begin, end - begin);
}

static double tile_potential(void *context, size_t begin, size_t end) {
    const snowfield_state *s = context;
    return potential_of(s->tiles.mass + begin, s->tiles.ground + begin, s->tiles.depth + begin, end - begin);
}

// Tile by tile, as on one rank.
snowfield_sums snowfield_sum_up(const snowfield_state *s, snowfield_sums sums, const snowfield_slab *slab) {
    size_t n = snowfield_cells(s);
    for (size_t i = 0; i < slab->tiles * n; i += n) {
        const int32_t *mass = (const int32_t *)slab->of_tile[1] + i;
        sums.mass += mass_of(mass, n);
        sums.potential +=
            potential_of(mass, (const float *)slab->of_tile[3] + i, (const float *)slab->of_tile[4] + i, n);
    }
    for (size_t i = 0; i < slab->covers * n; i += n)
        sums.top += mass_of((const int32_t *)slab->of_cover[1] + i, n);
    return sums;
}

static snowfield_sums sums_of_all(const snowfield_state *s) {
    if (s->ranks) return s->ranks->sums;
    size_t n = snowfield_cells(s), cells = s->tiles.count * n;
    return (snowfield_sums){.mass = par_sum(cells, n, tile_mass, (void *)s),
                            .top = par_sum(s->covers.count * n, n, top_mass, (void *)s),
                            .potential = par_sum(cells, n, tile_potential, (void *)s)};
}

void snowfield_ledger(const void *model, firn_ledger *out) {
    const snowfield_state *s = model;
    size_t cells = s->tiles.count * snowfield_cells(s);
    double kg = snowfield_kg(s),
           pristine = (double)(s->counters[COUNTER_PRISTINE] + s->counters[COUNTER_PACKED]), flying = 0;
    out->items = (uint64_t)cells;
    for (size_t i = 0; i < s->bits.count; i++) {
        const float *v = s->bits.velocity[i];
        double m = kg * s->bits.mass[i], v2 = (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2];
        flying += s->bits.mass[i];
        out->kinetic += 0.5 * m * v2;
        out->momentum.x += m * v[0], out->momentum.y += m * v[1], out->momentum.z += m * v[2];
        out->max_speed = fmax(out->max_speed, sqrt(v2));
    }
    snowfield_sums sums = sums_of_all(s);
    out->mass = kg * (pristine + flying + sums.mass + sums.top) + s->exchange[EXCHANGE_REST];
    out->heat = snowfield_heat_total(s) * s->def.cell * s->def.cell;
    out->mass_in = kg * (double)s->counters[COUNTER_IN] + s->exchange[EXCHANGE_REST];
    out->mass_out = kg * (double)s->counters[COUNTER_OUT];
    double height = s->def.at.y + s->start.middle; // of untouched snow, in the mean
    out->potential = -s->setting.gravity.y * kg * (pristine * height + sums.potential);
}

static double snowfield_max_dt(const void *model) { return ((const snowfield_state *)model)->dt_limit; }

static profile *snowfield_profile(void *model) { return &((snowfield_state *)model)->passes; }

const model_class snowfield_model = {
    .name = "field",
    .help = "snow lying on the ground, in which bodies leave tracks",
    .sections = &snowfield_sections,
    .create = snowfield_create,
    .destroy = snowfield_destroy,
    .may_change = snowfield_may_change,
    .changed = snowfield_changed,
    .max_dt = snowfield_max_dt,
    .step = snowfield_step,
    .fields = field_tables,
    .resize = snowfield_resize,
    .loaded = snowfield_loaded,
    .ledger = snowfield_ledger,
    .series = snowfield_series,
    .find_invalid = snowfield_find_invalid,
    .cost = snowfield_cost,
    .ranks = &snowfield_model_ranks,
    .profile = snowfield_profile,
    .drawing = &snowfield_drawing,
    .growth = &snowfield_growth,
    .offers = &snowfield_offers,
};
