// The inside of the snow field; only for files of this folder.
#ifndef FIELD_FIELD_STATE_H
#define FIELD_FIELD_STATE_H

#include "field/field.h"
#include "field/field_groups.h"
#include "field/field_units.h"
#include "geom/image.h"
#include "geom/shape.h"
#include "geom/snow_map.h"

enum {
    TILE_NONE = -1,
    TILE_MOST_EDGE = 64,
    FIELD_MOST_AT_ONCE = (TILE_MOST_EDGE + 1) * (TILE_MOST_EDGE + 1), // cells of field_ground
    FIELD_SLIDE_MARGIN = 2, // cells: a changed column may make its neighbours slide, and those the next ones
    TILE_MOST = 1 << 22,    // places for tiles: 131 072 cells along a side
};

// Cells [x0, x1) x [z0, z1), of a tile or of the whole field; empty if x0 >= x1.
typedef struct field_rect {
    int32_t x0, z0, x1, z1;
} field_rect;

static inline bool rect_empty(field_rect r) { return r.x0 >= r.x1 || r.z0 >= r.z1; }
static inline int32_t int_min(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t int_max(int32_t a, int32_t b) { return a > b ? a : b; }
static inline field_rect rect_join(field_rect a, field_rect b) {
    if (rect_empty(a)) return b;
    if (rect_empty(b)) return a;
    return (field_rect){int_min(a.x0, b.x0), int_min(a.z0, b.z0), int_max(a.x1, b.x1), int_max(a.z1, b.z1)};
}
static inline field_rect rect_meet(field_rect a, field_rect b) {
    return (field_rect){int_max(a.x0, b.x0), int_max(a.z0, b.z0), int_min(a.x1, b.x1), int_min(a.z1, b.z1)};
}
static inline field_rect rect_grow(field_rect a, int32_t by) {
    return (field_rect){a.x0 - by, a.z0 - by, a.x1 + by, a.z1 + by};
}

// The tiles that exist, by slot, in the order they came. Cell (x, z) of tile t is at (t * edge + z) * edge +
// x of each array. Everything else of the field is as it was at the start.
typedef struct field_tiles {
    size_t count, capacity;
    int32_t (*at)[2];     // place of the tile: its first cell is at * edge
    field_groups *active; // cells that have changed since the last sweep: they and those around may slide
    field_rect *touched;  // cells of the tile that changed in this step
    int32_t *mass;        // MASS_UNIT kg/m2
    float *density;       // kg/m3
    float *ground;        // m; follows from the def
    float *depth;         // m; follows from mass and density
    float *highest;       // m; of the surface in the tile, on the ground or on top; follows
    float *row_highest;   // m; the same of each of its rows; follows
    int32_t *cover;       // number of the tile's cover, TILE_NONE: no body has stood here
    bool *invalid;        // some changed column has an invalid mass or density
    bool *cleared;        // while roofs are painted: some in the tile were taken away; otherwise false
    int32_t *index;       // slot of each place, TILE_NONE: none; columns * rows
    int32_t columns, rows;
} field_tiles;

// Tiles in which a body stands: where it is, and the snow on top of it. By cover, cell by cell as in tiles.
typedef struct field_covers {
    size_t count, capacity;
    int32_t *tile;       // whose cover it is
    int32_t *roof;       // HEIGHT_UNIT; lowest surface of the bodies (U), NO_ROOF: none. Anew each step.
    int32_t *upper;      // HEIGHT_UNIT; their highest surface, where `roof` is one
    field_groups *roofs; // where `roof` may be one
    int32_t *top_mass;   // MASS_UNIT; of the snow on top
    float *top_density;  // kg/m3
    float *top_depth;    // m; follows
    float *top_height;   // m; of the bodies' upper surface where snow lies on it; follows
} field_covers;
#define NO_ROOF INT32_MAX

#define FIELD_CONTACT_CELLS 0.1          // cells; snow nearer than this to a body is in contact
#define FIELD_BARE 5e-4                  // m; less snow than this below a body is bare ground
#define FIELD_LONGEST_STEP (1.0 / 240)   // s
#define FIELD_SHORTEST_STEP (1.0 / 4000) // s
#define FIELD_CALM 5e-3                  // m/s
#define FIELD_CLEAR 0.02                 // m above the highest snow
#define FIELD_ROCK 1e8                   // Pa that the ground bears
#define FIELD_NEVER_CLEAR 1e6f           // m, higher than any body

// A body seen from below and from above.
typedef struct field_print {
    field_rect under;         // cells of the field under it
    field_rect cells, before; // those it interacts with, now and in the step before; may be empty
    firn_vec3 at;
    firn_quat turn;
    bool known, moved;
    bool owed;             // skipped in the last step, which ran out of time
    bool clear;            // too high above the snow to interact with it
    int32_t base;          // HEIGHT_UNIT
    float *low, *high;     // m over base; rows of the cells
    int32_t *bottom, *top; // HEIGHT_UNIT; the same, rounded down and up, where low <= high
    size_t capacity[4];
} field_print;

// Cells in motion that are swept together.
typedef struct field_piece {
    field_rect active;  // cells of the field that have changed
    field_rect own;     // and those that may change in this round
    field_rect changed; // those that did
    field_rect patch;   // what is copied to sweep it
    bool alone;         // nothing else is in motion in its patch
    bool closed;        // walls stand around its patch
    int64_t lost;       // over the edge of the field
    bool at_rim;        // it was, and has come to the rim of its patch
    int32_t done;       // sweeps made in this round
    size_t first;       // place of the results
    size_t row;         // place of the rows of its patch
    bool roofed;
} field_piece;

// Groups of eight cells in a row of a piece's patch.
typedef struct piece_row {
    uint32_t ever, last; // that changed in this round; in its last sweep
} piece_row;

// Scratch for sliding snow; field_slump.c.
typedef struct field_sweep {
    size_t count;
    field_piece *piece;
    int32_t *part_of; // by tile: its piece
    piece_row *rows;  // piece by piece
    int32_t *mass;    // results, piece by piece, group by group of what changed
    float *density;
    int32_t *top_mass;
    float *top_density;
    size_t capacity[7];
    size_t together;             // pieces that are not alone
    int32_t at_once;             // sweeps of a round
    int32_t leave;               // pieces that have made no more sweeps than this are left as they are
    bool alone_now;              // now those that are alone, or the others
    bool direct;                 // those that are alone go back at once
    size_t chosen[8];            // pieces that are swept now, when there is a budget
    int32_t margin;              // cells around a piece that is alone
    struct slump_patch *patches; // one per worker
} field_sweep;

// Tiles at rest far from all bodies, compressed without loss; field_go.c.
typedef struct packed_tile {
    uint64_t column, row;
    uint64_t first, words; // of the pool
    double highest;        // m, of its surface
} packed_tile;
enum { PACKED_TILE_SIZE = 5 };
typedef struct packed_tiles {
    size_t count;
    packed_tile *item; // in the order of their words
    int32_t *words;
    size_t used, unused; // words up to the last tile's; of these, nobody's
    size_t room[2];
    int32_t *index; // index of the packed tile at each position; NULL: none is ever packed
} packed_tiles;

// Sums in units of mass times one cell: the field field.counters.
enum {
    COUNTER_PRISTINE,
    COUNTER_PACKED,
    COUNTER_IN,
    COUNTER_OUT,
    COUNTER_FALLEN,
    COUNTER_TICKS,       // of the weather, that have begun
    COUNTER_FALLS,       // mass that falls on every cell in the present one
    COUNTER_NEXT,        // tile that has not had it yet
    COUNTER_OWES,        // tiles from this one on had it when they came
    COUNTER_FLAKES,      // of the wind that have landed
    COUNTER_FLAKE_UNITS, // and what they brought
    COUNTER_BITS,
    COUNTER_SIZE
};

// Loose bits in the air.
typedef struct field_bits {
    size_t count;
    float (*position)[3], (*velocity)[3]; // m, m/s
    int32_t *mass;                        // MASS_UNIT times one cell
    float *density;                       // kg/m3
} field_bits;

#define FIELD_TICK 0.25 // s; weather comes in ticks

// What readers of the fields need to know; a field as it is.
enum {
    GRID_X0,
    GRID_Z0,
    GRID_CELL,
    GRID_NX,
    GRID_NZ,
    GRID_EDGE,
    GRID_DEPTH,
    GRID_DENSITY,
    GRID_GROUND,
    FIELD_GRID_SIZE
};

typedef struct field_state {
    firn_snowfield_def def; // numbers only
    model_setting setting;
    field_law law;
    int32_t nx, nz, edge; // cells of the whole field; of a tile's edge
    double x0, z0;        // m, the corner of cell (0, 0)
    int32_t shift;        // edge is 1 << shift
    const body_set *bodies;
    struct {
        shape *shape;               // of the ground; NULL: a body, or level
        size_t body;                // that is the ground; SIZE_MAX: none
        bool level;                 // flat ground
        int32_t mass;               // of a cell without maps; weather changes it
        float density;              // kg/m3, of such a cell
        grey_map depths, densities; // value NULL: even snow
        snow_map cover;             // of an earlier run; mass NULL: none
        double share;               // of its masses, so that their sum over the field is that of the cover
        double middle;              // m above the ground: centre of mass of all columns
    } start;
    field_print *prints; // by body
    field_covers covers;
    field_bits bits;
    float fall_density;           // kg/m3, of falling snow
    double friction;              // of the snow
    firn_status pending;          // of a live change: the next step fails with it
    double dt_limit;              // s, of the next step: the field field.dt_limit
    struct field_pressing *press; // scratch of field_pressing.c
    firn_field_pour_def *pours;
    uint64_t *poured; // mass that each spout has poured so far; stored as a field
    size_t pour_count;
    field_tiles tiles;
    packed_tiles packed;
    field_sweep sweep;
    uint64_t counters[COUNTER_SIZE];
    double grid[FIELD_GRID_SIZE];
    double pristine[2];     // start.mass and start.density; a field as it is
    bool has_mass;          // while loading: masses were loaded, so it is a checkpoint
    uint64_t swept;         // sweeps so far, for the bench
    double deadline;        // s, of clock_seconds, of the present step; 0: none
    uint64_t work;          // parcels of work done in steps with a deadline, so far
    size_t turn, body_turn; // where the next step begins, if the last one ran out of time
    profile passes;
} field_state;

static inline bool field_late(const field_state *s) { // the step's time is over
    return s->deadline > 0 && clock_seconds() >= s->deadline;
}
static inline double field_kg(const field_state *s) { // of one unit of mass
    return MASS_UNIT * s->def.cell * s->def.cell;
}
static inline size_t field_cells(const field_state *s) { return (size_t)s->edge * (size_t)s->edge; }
static inline field_rect place_rect(const field_state *s, int32_t column, int32_t row) {
    int32_t x = column * s->edge, z = row * s->edge;
    return (field_rect){x, z, int_min(x + s->edge, s->nx), int_min(z + s->edge, s->nz)};
}
static inline field_rect tile_rect(const field_state *s, size_t t) { // its cells in the field
    return place_rect(s, s->tiles.at[t][0], s->tiles.at[t][1]);
}

// Tiles; field_tiles.c.
firn_status field_tiles_create(field_state *s);
void field_tiles_free(field_state *s);
firn_status field_tiles_reserve(field_state *s, size_t count);
size_t field_room(const field_state *s, size_t capacity, size_t count);   // tiles to make room for
int32_t field_tile_at(const field_state *s, int32_t column, int32_t row); // TILE_NONE: none there
// Creates all tiles that contain these cells of the field.
static inline size_t field_cell(const field_state *s, int32_t x,
                                int32_t z) { // place in the arrays; its tile exists
    size_t t =
        (size_t)s->tiles.index[(size_t)(z >> s->shift) * (size_t)s->tiles.columns + (size_t)(x >> s->shift)];
    size_t in = (size_t)((z & (s->edge - 1)) << s->shift) + (size_t)(x & (s->edge - 1));
    return (t << (2 * s->shift)) + in;
}
static inline size_t field_covered(const field_state *s, size_t cell) { // place in the covers; SIZE_MAX: none
    int32_t c = s->tiles.cover[cell >> (2 * s->shift)];
    return c == TILE_NONE ? SIZE_MAX : ((size_t)c << (2 * s->shift)) + (cell & (field_cells(s) - 1));
}
static inline int32_t field_surface(const field_state *s, size_t cell) { // of the snow on the ground
    return field_height(s->tiles.ground[cell]) + field_depth(s->tiles.mass[cell], s->tiles.density[cell]);
}
firn_status field_tiles_make(field_state *s, field_rect cells);
// These cells of the field changed: they and their surroundings may slide, pictures need them anew. Their
// tiles exist already.
void field_touch(field_state *s, field_rect cells);
void field_mark(field_state *s, field_rect cells); // only for pictures
// Cells of the field around all that has changed in a tile, whole groups.
field_rect field_active_cells(const field_state *s, size_t t);
void field_tile_ground(field_state *s, size_t t); // fills the heights of the ground
void field_show(field_state *s);                  // depth of the touched cells; field_show.c
void field_find_highest(field_state *s, size_t t);

// Tiles that are packed away; field_go.c.
firn_status field_tiles_pack(field_state *s, uint64_t step);
firn_status field_packed_create(field_state *s);
void field_packed_free(field_state *s);
firn_status field_packed_resize(field_state *s, bool words, size_t count);
firn_status field_packed_loaded(field_state *s);
bool field_is_packed(const field_state *s, int32_t column, int32_t row);
void field_unpack(field_state *s, size_t t);
void field_read_packed(const field_state *s, field_rect cells, float *depth, float *density); // of one tile
// m; nothing at this place, where no tile is, is higher; INFINITY: not known.
double field_highest_away(const field_state *s, int32_t column, int32_t row);

// The start; field_start.c, field_start_cover.c.
bool field_has_maps(const field_state *s); // its snow was not even
firn_status field_start_cover(field_state *s, const char *frame);
void field_cover_column(const field_state *s, int32_t x, int32_t z, int32_t *mass, float *density);
bool field_cover_stands(const field_state *s, int32_t x, int32_t z, double ground); // it lies on some body
firn_status field_may_change(void *model, const void *params, const model_setting *setting);
void field_changed(void *model, const void *params, const model_setting *setting);
// Discards the prints of the bodies and makes them again at their current poses; field_prints.c.
firn_status field_see_bodies(field_state *s);
bool field_has_weather(const field_state *s); // field_weather.c
// Snowfall and ageing continue from now with the values in s->def.
void field_change_weather(field_state *s, const firn_snowfield_def *before, double time);
// The mass it has poured and still owes stays; field_pour.c.
void field_change_pour(field_state *s, size_t p, const firn_field_pour_def *def,
                       const model_setting *setting);
firn_status field_start_create(field_state *s, const firn_snowfield_def *def);
firn_status field_start_settle(field_state *s); // makes the tiles that are too steep
void field_start_free(field_state *s);
void field_ground(const field_state *s, field_rect cells, float *out); // m; at most FIELD_MOST_AT_ONCE cells
// m; of the snow on the ground, or as it was at the start where no tile is.
double field_surface_at(const field_state *s, int32_t x, int32_t z);
void field_start_column(const field_state *s, int32_t x, int32_t z, int32_t *mass, float *density);

// Bodies over the field; field_prints.c, field_covers.c.
firn_status field_prints_create(field_state *s);
void field_prints_free(field_state *s);
firn_status field_prints_update(field_state *s); // of all bodies that moved
firn_status field_covers_roofs(field_state *s);  // where bodies are now
firn_status field_covers_paint(field_state *s);  // roofs; snow that lost its body falls down
firn_status field_covers_reserve(field_state *s, size_t count);
void field_covers_free(field_state *s);
void field_carve(field_state *s); // at the start: no snow inside bodies, and what is above them lies on them

// Mixes mass of a density into a column.
float field_mixed(const field_law *law, int32_t there, float density, int32_t mass, float other);
void field_put(field_state *s, size_t cell, int32_t mass, float density);
void field_put_top(field_state *s, size_t covered, int32_t mass, float density);
// From above: onto a body where one stands.
void field_drop(field_state *s, size_t cell, int32_t mass, float density);

// Passes of a step.
firn_status field_press_bodies(field_state *s, body_set *bodies, double dt); // field_pressing.c
firn_status field_press_create(field_state *s);
void field_press_free(field_state *s);
void field_choose_dt_limit(field_state *s);              // of the next step; field_prints.c
firn_status field_pour(field_state *s, model_step step); // field_pour.c
firn_status field_weather(field_state *s, model_step step);
firn_status field_weather_create(field_state *s);
firn_status field_bits_create(field_state *s);
void field_bits_free(field_state *s);
firn_status field_bits_fly(field_state *s, double dt);
firn_status field_slump(field_state *s);        // field_slump.c: slopes until settled or out of sweeps
firn_status field_slump_within(field_state *s); // field_slump_within.c: or out of time
void field_sweep_free(field_sweep *w);

// Functions of the model class.
firn_status field_create(const void *params, const model_setting *setting, const body_set *bodies,
                         void **model);
void field_destroy(void *model);
firn_status field_step(void *model, body_set *bodies, model_step step);
firn_status field_resize(void *model, const char *name, size_t count);
firn_status field_loaded(void *model);
void field_ledger(const void *model, firn_ledger *out);
bool field_find_invalid(const void *model, uint64_t *item, const char **what);
firn_status field_cost(const void *params, const model_setting *setting, firn_cost *cost);

extern const model_drawing field_drawing; // field_looks.c

#endif
