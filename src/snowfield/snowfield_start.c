// The ground, and the snow at the start: both are functions of the position, so that tiles can be created at
// any time.
#include "snowfield/snowfield_state.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/stop.h"
#include "geom/shape_columns.h"
#include "math/dvec.h"
#include "par/par.h"

enum { LOOKED_THROUGH = 1 << 26 }; // cells of a whole field that may be gone through at the start

static bool level(const firn_snowfield_ground_def *g) {
    return !g->body && g->shape.kind == FIRN_SHAPE_PLANE && g->rotate.x == 0 && g->rotate.y == 0 &&
           g->rotate.z == 0;
}

static firn_status find_ground_body(snowfield_state *s, const char *name) {
    s->start.body = body_find(s->bodies, name);
    if (s->start.body == SIZE_MAX)
        return fail(FIRN_BAD_INPUT, "field: ground.body: there is no body '%s'", name);
    if (body_motion(s->bodies, s->start.body) != FIRN_MOTION_FIXED)
        return fail(FIRN_BAD_INPUT, "field: ground.body: '%s' moves; the ground must be a fixed body", name);
    return FIRN_OK;
}

static void ground_columns(const snowfield_state *s, snowfield_rect cells, float *low, float *high) {
    const firn_snowfield_ground_def *g = &s->def.ground;
    column_grid grid = {s->x0 + (cells.x0 + 0.5) * s->def.cell,
                        s->z0 + (cells.z0 + 0.5) * s->def.cell,
                        s->def.cell,
                        cells.x1 - cells.x0,
                        cells.z1 - cells.z0,
                        0};
    if (s->start.body != SIZE_MAX)
        body_columns(s->bodies, s->start.body, &grid, low, high);
    else
        shape_columns(s->start.shape, dvec_add(s->def.at, g->at), dquat_from_angles(g->rotate), &grid, low,
                      high);
}

// Cells that the ground does not reach are at the height of `at`. At most a tile at once.
void snowfield_ground(const snowfield_state *s, snowfield_rect cells, float *out) {
    float low[FIELD_MOST_AT_ONCE];
    size_t n = (size_t)(cells.x1 - cells.x0) * (size_t)(cells.z1 - cells.z0);
    float level_height = (float)(s->def.at.y + s->def.ground.at.y);
    if (s->start.level) {
        for (size_t i = 0; i < n; i++) out[i] = level_height;
        return;
    }
    ground_columns(s, cells, low, out);
    for (size_t i = 0; i < n; i++)
        if (!(fabsf(out[i]) <= (float)GROUND_MOST)) out[i] = level_height;
}

// Value 0..1 of a map that covers the whole field, between its pixels' middles.
static double map_value(const snowfield_state *s, const grey_map *map, int32_t x, int32_t z) {
    double u = (x + 0.5) / s->nx * map->width - 0.5, v = (z + 0.5) / s->nz * map->height - 0.5;
    u = fmin(fmax(u, 0), map->width - 1.0);
    v = fmin(fmax(v, 0), map->height - 1.0);
    uint32_t i = (uint32_t)u, j = (uint32_t)v, i1 = i + 1 < map->width ? i + 1 : i,
             j1 = j + 1 < map->height ? j + 1 : j;
    double a = u - i, b = v - j;
    const uint16_t *p = map->value;
    double top = (1 - a) * p[(size_t)j * map->width + i] + a * p[(size_t)j * map->width + i1];
    double bottom = (1 - a) * p[(size_t)j1 * map->width + i] + a * p[(size_t)j1 * map->width + i1];
    return ((1 - b) * top + b * bottom) / 65535;
}

void snowfield_start_column(const snowfield_state *s, int32_t x, int32_t z, int32_t *mass, float *density) {
    *mass = s->start.mass;
    *density = s->start.density;
    if (s->start.cover.mass) snowfield_cover_column(s, x, z, mass, density);
    if (s->start.densities.value) {
        double w = map_value(s, &s->start.densities, x, z);
        *density = (float)((1 - w) * (double)s->law.density_min + w * (double)s->law.density_max);
        *mass = snowfield_mass(s->def.depth, (double)*density);
    }
    if (s->start.depths.value)
        *mass = snowfield_mass(s->def.depth * map_value(s, &s->start.depths, x, z), (double)*density);
}

double snowfield_surface_at(const snowfield_state *s, int32_t x, int32_t z) {
    if (snowfield_tile_at(s, x >> s->shift, z >> s->shift) != TILE_NONE)
        return snowfield_surface(s, snowfield_cell(s, x, z)) * HEIGHT_UNIT;
    int32_t mass;
    float density, ground;
    snowfield_start_column(s, x, z, &mass, &density);
    snowfield_ground(s, (snowfield_rect){x, z, x + 1, z + 1}, &ground);
    return (double)ground + (double)snowfield_depth_m(mass, density);
}

static firn_status read_map(const snowfield_state *s, const char *file, grey_map *out) {
    char path[PATH_ROOM];
    if (!file) return FIRN_OK;
    path_join(s->setting.folder ? s->setting.folder : ".", file, path, sizeof path);
    return grey_map_read(path, out);
}

static firn_status read_maps(snowfield_state *s, const firn_snowfield_def *def) {
    grey_map *depths = &s->start.depths, *densities = &s->start.densities;
    TRY(read_map(s, def->depth_map, depths));
    TRY(read_map(s, def->density_map, densities));
    if (depths->value && densities->value &&
        (depths->width != densities->width || depths->height != densities->height))
        return fail(FIRN_BAD_INPUT,
                    "field: depth_map has %u x %u pixels, density_map %u x %u; both must have the same size",
                    depths->width, depths->height, densities->width, densities->height);
    if (def->snow_from) TRY(snowfield_start_cover(s, def->snow_from));
    if (snowfield_has_maps(s) && (double)s->nx * s->nz > LOOKED_THROUGH)
        return fail(FIRN_BAD_INPUT, "field: %d x %d cells are too many for a map; raise cell", s->nx, s->nz);
    return FIRN_OK;
}

static double row_mass(void *context, size_t begin, size_t end) {
    const snowfield_state *s = context;
    double sum = 0; // whole numbers below 2^53: exact
    for (size_t z = begin; z < end; z++) {
        for (int32_t x = 0; x < s->nx; x++) {
            int32_t mass;
            float density;
            snowfield_start_column(s, x, (int32_t)z, &mass, &density);
            sum += mass;
        }
    }
    return sum;
}

// Mass times height of the middle, m.
static double row_moment(void *context, size_t begin, size_t end) {
    const snowfield_state *s = context;
    double sum = 0;
    for (size_t z = begin; z < end; z++) {
        for (int32_t x = 0; x < s->nx; x++) {
            int32_t mass;
            float density;
            snowfield_start_column(s, x, (int32_t)z, &mass, &density);
            sum += 0.5 * mass * (double)snowfield_depth_m(mass, density);
        }
    }
    return sum;
}

// A tile whose snow would slide is made at the start; the others come when something happens.
typedef struct steep_work {
    const snowfield_state *s;
    bool *steep;
    stop_watch watch;
} steep_work;

static bool steep_around(const float *h, int32_t w, int32_t x, int32_t z, float limit) {
    float here = h[z * w + x];
    for (int k = 0; k < 9; k++) {
        float far = k % 2 ? 1.0f : 1.41421356f;
        if (k != 4 && fabsf(here - h[(z + k / 3 - 1) * w + x + k % 3 - 1]) > limit * far) return true;
    }
    return false;
}

static void look_for_slopes(void *context, size_t place) {
    steep_work *work = context;
    const snowfield_state *s = work->s;
    if (stop_seen(&work->watch)) return;
    int32_t column = (int32_t)(place % (size_t)s->tiles.columns),
            row = (int32_t)(place / (size_t)s->tiles.columns);
    snowfield_rect all = {0, 0, s->nx, s->nz};
    snowfield_rect cells = {column * s->edge, row * s->edge, (column + 1) * s->edge, (row + 1) * s->edge};
    cells = rect_meet((snowfield_rect){cells.x0, cells.z0, cells.x1 + 1, cells.z1 + 1},
                      all); // to the next tile's first
    float height[FIELD_MOST_AT_ONCE];
    int32_t w = cells.x1 - cells.x0, l = cells.z1 - cells.z0;
    snowfield_ground(s, cells, height);
    for (int32_t z = 0; z < l; z++) {
        for (int32_t x = 0; x < w; x++) {
            int32_t mass;
            float density;
            snowfield_start_column(s, cells.x0 + x, cells.z0 + z, &mass, &density);
            height[z * w + x] += snowfield_depth_m(mass, density);
        }
    }
    // 0.6: the slope is made of the falls along both axes.
    float limit = 0.6f * s->law.cell * s->law.tan_loose;
    for (int32_t z = 1; z < l - 1 && !work->steep[place]; z++)
        for (int32_t x = 1; x < w - 1; x++) work->steep[place] |= steep_around(height, w, x, z, limit);
}

static firn_status make_steep_tiles(snowfield_state *s) {
    if (snowfield_is_even(s) || (double)s->nx * s->nz > LOOKED_THROUGH) return FIRN_OK;
    size_t places = (size_t)s->tiles.columns * (size_t)s->tiles.rows;
    steep_work work = {.s = s, .steep = mem_zero(places, sizeof(bool))};
    if (!work.steep) return fail_memory("looking for slopes", places);
    par_tasks(places, look_for_slopes, &work);
    firn_status status = stop_status(&work.watch);
    for (size_t i = 0; i < places && status == FIRN_OK; i++) {
        if (!work.steep[i]) continue;
        status = stop_status(&work.watch);
        if (status != FIRN_OK) break;
        int32_t x = (int32_t)(i % (size_t)s->tiles.columns) * s->edge,
                z = (int32_t)(i / (size_t)s->tiles.columns) * s->edge;
        snowfield_rect cells = {x, z, x + s->edge, z + s->edge};
        status = snowfield_tiles_make(s, rect_grow(cells, FIELD_SLIDE_MARGIN));
        if (status == FIRN_OK) snowfield_touch(s, cells);
    }
    mem_free(work.steep);
    return status;
}

firn_status snowfield_start_create(snowfield_state *s, const firn_snowfield_def *def) {
    s->start.body = SIZE_MAX;
    s->start.level = level(&def->ground);
    if (def->ground.body) {
        TRY(find_ground_body(s, def->ground.body));
    } else if (!s->start.level) {
        TRY(shape_create(&def->ground.shape, def->ground.scale, s->setting.folder, "field.ground",
                         &s->start.shape));
    }
    TRY(read_maps(s, def));
    s->start.density = s->law.density;
    s->start.mass = snowfield_mass(def->depth, (double)s->law.density);
    bool even = !snowfield_has_maps(s);
    double sum = even ? (double)s->start.mass * s->nx * s->nz : par_sum((size_t)s->nz, 64, row_mass, s);
    s->counters[COUNTER_IN] = s->counters[COUNTER_PRISTINE] = (uint64_t)sum;
    s->start.middle = 0.5 * def->depth;
    if (!even) s->start.middle = sum > 0 ? par_sum((size_t)s->nz, 64, row_moment, s) / sum : 0;
    return FIRN_OK;
}

firn_status snowfield_start_settle(snowfield_state *s) { return make_steep_tiles(s); }

void snowfield_start_free(snowfield_state *s) {
    shape_destroy(s->start.shape);
    grey_map_free(&s->start.depths);
    grey_map_free(&s->start.densities);
    snow_map_free(&s->start.cover);
}

bool snowfield_has_maps(const snowfield_state *s) {
    return s->start.depths.value || s->start.densities.value || s->start.cover.mass;
}

bool snowfield_is_even(const void *model) {
    const snowfield_state *s = model;
    return s->start.level && !snowfield_has_maps(s);
}

bool snowfield_is_plain(const void *model) {
    return snowfield_is_even(model) && ((const snowfield_state *)model)->packed.count == 0;
}

static void untouched_part(const snowfield_state *s, snowfield_rect cells, float *depth, float *density) {
    for (int32_t z = cells.z0, i = 0; z < cells.z1; z++) {
        for (int32_t x = cells.x0; x < cells.x1; x++, i++) {
            int32_t mass;
            snowfield_start_column(s, x, z, &mass, &density[i]);
            depth[i] = snowfield_depth_m(mass, density[i]);
        }
    }
}

// Tile by tile: some may be packed away.
void snowfield_untouched(const void *model, firn_cells cells, float *ground, float *depth, float *density) {
    const snowfield_state *s = model;
    snowfield_rect all = {cells.x0, cells.z0, cells.x1, cells.z1};
    snowfield_ground(s, all, ground);
    untouched_part(s, all, depth, density);
    if (s->packed.count == 0) return;
    for (int32_t z = cells.z0; z < cells.z1; z++) {
        for (int32_t x = cells.x0, end; x < cells.x1; x = end) {
            end = int_min(((x >> s->shift) + 1) << s->shift, cells.x1);
            size_t at = (size_t)(z - cells.z0) * (size_t)(cells.x1 - cells.x0) + (size_t)(x - cells.x0);
            if (snowfield_is_packed(s, x >> s->shift, z >> s->shift))
                snowfield_read_packed(s, (snowfield_rect){x, z, end, z + 1}, depth + at, density + at);
        }
    }
}
