// The inside of the snow field; only for files of this folder.
#ifndef SNOWFIELD_FIELD_STATE_H
#define SNOWFIELD_FIELD_STATE_H

#include "body/offers.h"
#include "snowfield/snowfield.h"
#include "snowfield/snowfield_groups.h"
#include "snowfield/snowfield_units.h"
#include "geom/image.h"
#include "geom/shape.h"
#include "geom/snow_map.h"

enum {
    TILE_NONE = -1,
    TILE_MOST_EDGE = 64,
    FIELD_MOST_AT_ONCE = (TILE_MOST_EDGE + 1) * (TILE_MOST_EDGE + 1), // cells of snowfield_ground
    FIELD_SLIDE_MARGIN = 2, // cells: a changed column may make its neighbours slide, and those the next ones
    TILE_MOST = 1 << 22,    // places for tiles: 131 072 cells along a side
};

// Cells [x0, x1) x [z0, z1), of a tile or of the whole field; empty if x0 >= x1.
typedef struct snowfield_rect {
    int32_t x0, z0, x1, z1;
} snowfield_rect;

static inline bool rect_empty(snowfield_rect r) { return r.x0 >= r.x1 || r.z0 >= r.z1; }
static inline size_t rect_size(snowfield_rect r) { return (size_t)(r.x1 - r.x0) * (size_t)(r.z1 - r.z0); }
static inline int32_t int_min(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t int_max(int32_t a, int32_t b) { return a > b ? a : b; }
static inline snowfield_rect rect_join(snowfield_rect a, snowfield_rect b) {
    if (rect_empty(a)) return b;
    if (rect_empty(b)) return a;
    return (snowfield_rect){int_min(a.x0, b.x0), int_min(a.z0, b.z0), int_max(a.x1, b.x1),
                            int_max(a.z1, b.z1)};
}
static inline snowfield_rect rect_meet(snowfield_rect a, snowfield_rect b) {
    return (snowfield_rect){int_max(a.x0, b.x0), int_max(a.z0, b.z0), int_min(a.x1, b.x1),
                            int_min(a.z1, b.z1)};
}
static inline snowfield_rect rect_grow(snowfield_rect a, int32_t by) {
    return (snowfield_rect){a.x0 - by, a.z0 - by, a.x1 + by, a.z1 + by};
}

// Over ranks (snowfield_ranks.c) all know all tiles and covers, but each has the cells of its own only: they
// are in pages. On one rank page and tile are the same.
typedef struct snowfield_pages {
    int32_t *page;            // by tile or cover; TILE_NONE: its cells are not here. NULL: one rank
    int32_t *of;              // by page: whose it is; TILE_NONE: free
    int32_t *free;            // pages to be used again
    size_t used, frees;       // pages that have been used so far; of these, free ones
    size_t room, capacity[3]; // pages that the arrays have room for
} snowfield_pages;

// The tiles that exist, by slot, in the order they came. Cell (x, z) of tile t is at (t * edge + z) * edge +
// x of each array of cells. Everything else of the field is as it was at the start.
typedef struct snowfield_tiles {
    size_t count, capacity;
    snowfield_pages pages;    // of mass, density, crust, ground and depth
    int32_t (*at)[2];         // place of the tile: its first cell is at * edge
    snowfield_groups *active; // cells that have changed since the last sweep: they and those around may slide
    snowfield_rect *touched;  // cells of the tile that changed in this step
    int32_t *mass;            // MASS_UNIT kg/m2
    float *density;           // kg/m3
    float *crust;             // 1 whole, 0 broken; negative: broken in this step; NULL: no crust
    float *ground;            // m; follows from the def
    float *depth;             // m; follows from mass and density
    float *highest;           // m; of the surface in the tile, on the ground or on top; follows
    float *row_highest;       // m; the same of each of its rows; follows
    int32_t *cover;           // number of the tile's cover, TILE_NONE: no body has stood here
    bool *invalid;            // some changed column has an invalid mass or density
    bool *cleared;            // while roofs are painted: some in the tile were taken away; otherwise false
    int32_t *index;           // slot of each place, TILE_NONE: none; columns * rows
    int32_t columns, rows;
} snowfield_tiles;

// Tiles in which a body stands: where it is, and the snow on top of it. By cover, cell by cell as in tiles.
typedef struct snowfield_covers {
    size_t count, capacity;
    snowfield_pages pages;   // of all but `tile` and `roofs`
    int32_t *tile;           // whose cover it is
    int32_t *roof;           // HEIGHT_UNIT; lowest surface of the bodies (U), NO_ROOF: none. Anew each step.
    int32_t *upper;          // HEIGHT_UNIT; their highest surface, where `roof` is one
    snowfield_groups *roofs; // where `roof` may be one
    int32_t *top_mass;       // MASS_UNIT; of the snow on top
    float *top_density;      // kg/m3
    float *top_depth;        // m; follows
    float *top_height;       // m; of the bodies' upper surface, 0: none; follows
} snowfield_covers;
#define NO_ROOF INT32_MAX

#define FIELD_CONTACT_CELLS 0.1          // cells; snow nearer than this to a body is in contact
#define FIELD_BARE 5e-4                  // m; less snow than this below a body is bare ground
#define FIELD_LONGEST_STEP (1.0 / 240)   // s
#define FIELD_SHORTEST_STEP (1.0 / 4000) // s
#define FIELD_LANDING 0.0625             // cells; that a landing body sinks in a step
#define FIELD_CALM 5e-3                  // m/s
#define FIELD_CLEAR 0.02                 // m above the highest snow
#define FIELD_ROCK 1e8                   // Pa that the ground bears
#define FIELD_NEVER_CLEAR 1e6f           // m, higher than any body

// A body seen from below and from above.
typedef struct snowfield_print {
    snowfield_rect under;         // cells of the field under it
    snowfield_rect cells, before; // those it interacts with, now and in the step before; may be empty
    snowfield_rect laid;          // where snow that it carries was put down in this step
    firn_vec3 at;
    firn_quat turn;
    bool known, moved;
    bool owed;             // skipped in the last step, which ran out of time
    bool clear;            // too high above the snow to interact with it
    int32_t base;          // HEIGHT_UNIT
    float *low, *high;     // m over base; rows of the cells
    int32_t *bottom, *top; // HEIGHT_UNIT; the same, rounded down and up, where low <= high
    double slope[2];       // mean of its upper side along x and z
    size_t capacity[4];
} snowfield_print;

// Cells in motion that are swept together.
typedef struct snowfield_piece {
    snowfield_rect active;  // cells of the field that have changed
    snowfield_rect own;     // and those that may change in this round
    snowfield_rect changed; // those that did
    snowfield_rect patch;   // what is copied to sweep it
    bool alone;             // nothing else is in motion in its patch
    bool closed;            // walls stand around its patch
    int64_t lost;           // over the edge of the field
    bool at_rim;            // it was, and has come to the rim of its patch
    int32_t done;           // sweeps made in this round
    size_t first;           // place of the results
    size_t row;             // place of the rows of its patch
    bool roofed;
    bool kept; // its results are here
} snowfield_piece;

// Groups of eight cells in a row of a piece's patch.
typedef struct piece_row {
    uint32_t ever, last; // that changed in this round; in its last sweep
} piece_row;

// Scratch for sliding snow; snowfield_slump.c.
typedef struct snowfield_sweep {
    size_t count;
    snowfield_piece *piece;
    int32_t *part_of; // by tile: its piece
    piece_row *rows;  // piece by piece
    int32_t *mass;    // results, piece by piece, group by group of what changed
    float *density;
    int32_t *top_mass;
    float *top_density;
    snowfield_groups *waits; // by tile: what moves, while only what is much too steep is swept
    size_t waiting;          // tiles of `waits`; 0: all that moves is swept
    int round;               // of this step
    size_t capacity[8];
    size_t together;             // pieces that are not alone
    int32_t at_once;             // sweeps of a round
    int32_t leave;               // pieces that have made no more sweeps than this are left as they are
    bool alone_now;              // now those that are alone, or the others
    bool direct;                 // those that are alone go back at once
    size_t chosen[8];            // pieces that are swept now, when there is a budget
    int32_t margin;              // cells around a piece that is alone
    struct slump_patch *patches; // one per worker
} snowfield_sweep;

// Tiles at rest far from all bodies, compressed without loss; snowfield_go.c.
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

// What passes between the field and snow in motion: the field field.exchange.
enum {
    EXCHANGE_REST,   // kg of the field that are too little for a unit of mass in any cell
    EXCHANGE_FAILED, // s; failures up to this time have happened
    EXCHANGE_SIZE
};

// Loose bits in the air.
typedef struct snowfield_bits {
    size_t count;
    float (*position)[3], (*velocity)[3]; // m, m/s
    int32_t *mass;                        // MASS_UNIT times one cell
    float *density;                       // kg/m3
    float *size;                          // m, diameter
    bool *flies;                          // scratch: it has not landed in this step
} snowfield_bits;

// Heat of the snow; snowfield_heat.c. Arrays by tile or cover, cell by cell; NULL: the snow has none. Sums
// are per area times one cell.
enum {
    HEAT_AIR,     // J/m2, since the start: from air and sun,
    HEAT_GROUND,  // the ground,
    HEAT_BODIES,  // bodies and other models,
    HEAT_RAIN,    // with rain,
    HEAT_SNOW,    // with snow that was there or came,
    HEAT_LEFT,    // gone with water and snow that left
    HEAT_RAINED,  // kg/m2: rain,
    HEAT_MELTED,  // ice that melted,
    HEAT_FROZEN,  // water that froze,
    HEAT_RUN_OFF, // water that left
    HEAT_DUE,     // MASS_UNIT on each cell: rain that was less than a whole one
    HEAT_RAINS,   // MASS_UNIT on each cell: rain of the present tick
    HEAT_FLYING,  // J/m2, of loose bits in the air
    HEAT_SUMS
};
enum { PLAIN_HEAT, PLAIN_FROZEN, PLAIN_TEMPERATURE, PLAIN_WETNESS, PLAIN_SIZE };
typedef struct snowfield_heat {
    bool on;
    double *heat, *top_heat;  // J/m2; snow/snow_column.h
    int32_t *mass, *top_mass; // MASS_UNIT; of the snow that has it: differs while snow moves
    float *frozen;            // m, thickness of the crust of refrozen water
    float *temperature;       // degrees Celsius; follows
    float *wetness;           // share of the mass that is water; follows
    double plain[PLAIN_SIZE]; // where no tile is
    double sum[HEAT_SUMS];
    uint64_t in, out;           // counters when heat last followed the snow
    struct heat_change *change; // scratch, by tile
    size_t change_capacity;
} snowfield_heat;

// The layer of snow on a body, on its way; snowfield_carry.c.
enum { FIELD_CARRIED_SIZE = 9 };
typedef struct snowfield_carried {
    double known;             // 1 once the body was seen
    double velocity[2], rise; // m/s: of the layer along x and z, of the body upwards
    double way[2], turn;      // m, rad: that it has still to go
    double at[2];             // m, of the body
} snowfield_carried;
typedef struct taken_snow {
    int32_t x, z, mass;
    float density;
} taken_snow;

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

// A column of the field with the snow at rest that lies on it.
typedef struct snowfield_stack {
    int32_t x, z;
    double top, stands; // m; of the snow, and how high it could be as snow of the field
    double fall;        // m, from one column to the next, that it stands
} snowfield_stack;
typedef struct snowfield_stacks { // scratch of snowfield_stacks.c, by z and x
    snowfield_stack *item;
    size_t count, capacity;
} snowfield_stacks;

typedef struct snowfield_state {
    firn_snowfield_def def; // numbers only
    model_setting setting;
    snowfield_law law;
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
    snowfield_print *prints; // by body
    snowfield_covers covers;
    snowfield_bits bits;
    struct {
        size_t count; // of bodies
        snowfield_carried *body;
        taken_snow *taken; // scratch
        size_t capacity[2];
    } carried;
    snowfield_air air;
    snowfield_heat heat;
    float fall_density;               // kg/m3, of falling snow
    double friction;                  // of the snow
    firn_status pending;              // of a live change: the next step fails with it
    double dt_limit;                  // s, of the next step: the field field.dt_limit
    struct snowfield_pressing *press; // scratch of snowfield_pressing.c
    struct snowfield_feet *feet;      // scratch of snowfield_feet.c; NULL: nothing but bodies pressed yet
    offer_feet standing[OFFER_FEET];
    struct snowfield_stands *stands; // scratch of snowfield_stands.c; NULL: nothing but bodies stood yet
    firn_snowfield_pour_def *pours;
    uint64_t *poured; // mass that each spout has poured so far; stored as a field
    size_t pour_count;
    snowfield_tiles tiles;
    packed_tiles packed;
    snowfield_sweep sweep;
    struct snowfield_limit *limit; // scratch of snowfield_limit.c; NULL: nothing was much too steep yet
    uint64_t counters[COUNTER_SIZE];
    double exchange[EXCHANGE_SIZE]; // with snow in motion; a field where there is such snow
    struct {
        snowfield_particle *item; // that left last
        struct release_block *block;
        size_t capacity[2];
    } given; // scratch of snowfield_give.c
    snowfield_stacks stacks;
    double grid[FIELD_GRID_SIZE];
    double pristine[2];            // start.mass and start.density; a field as it is
    bool has_mass;                 // while loading: masses were loaded, so it is a checkpoint
    uint64_t swept;                // sweeps so far, for the bench
    struct snowfield_ranks *ranks; // snowfield_ranks.h; NULL: one rank
    double deadline;               // s, of clock_seconds, of the present step; 0: none
    uint64_t work;                 // parcels of work done in steps with a deadline, so far
    size_t turn, body_turn;        // where the next step begins, if the last one ran out of time
    profile passes;
} snowfield_state;

static inline bool snowfield_late(const snowfield_state *s) { // the step's time is over
    return s->deadline > 0 && clock_seconds() >= s->deadline;
}
static inline double snowfield_kg(const snowfield_state *s) { // of one unit of mass
    return MASS_UNIT * s->def.cell * s->def.cell;
}
static inline size_t snowfield_cells(const snowfield_state *s) { return (size_t)s->edge * (size_t)s->edge; }
static inline snowfield_rect place_rect(const snowfield_state *s, int32_t column, int32_t row) {
    int32_t x = column * s->edge, z = row * s->edge;
    return (snowfield_rect){x, z, int_min(x + s->edge, s->nx), int_min(z + s->edge, s->nz)};
}
static inline snowfield_rect tile_rect(const snowfield_state *s, size_t t) { // its cells in the field
    return place_rect(s, s->tiles.at[t][0], s->tiles.at[t][1]);
}

// Tiles; snowfield_tiles.c.
firn_status snowfield_tiles_create(snowfield_state *s);
void snowfield_tiles_free(snowfield_state *s);
firn_status snowfield_tiles_reserve(snowfield_state *s, size_t count);
// Arrays that grow together.
typedef struct snowfield_list {
    void *list;
    size_t item; // bytes
} snowfield_list;
firn_status snowfield_lists_resize(snowfield_list *lists, size_t count, size_t room, const char *what);
firn_status snowfield_tiles_room(snowfield_state *s, size_t count); // cells of so many tiles
firn_status snowfield_covers_room(snowfield_state *s, size_t count);
size_t snowfield_page_room(const snowfield_state *s, const snowfield_pages *p,
                           size_t count);                                         // the same of cells
size_t snowfield_room(const snowfield_state *s, size_t capacity, size_t count);   // tiles to make room for
int32_t snowfield_tile_at(const snowfield_state *s, int32_t column, int32_t row); // TILE_NONE: none there
// Where the cells of a tile or a cover are, and back. They are here.
static inline size_t page_of(const snowfield_pages *p, size_t t) { return p->page ? (size_t)p->page[t] : t; }
static inline size_t page_owner(const snowfield_pages *p, size_t page) {
    return p->page ? (size_t)p->of[page] : page;
}
static inline bool snowfield_is_here(const snowfield_state *s, size_t t) { // the tile's cells
    return !s->tiles.pages.page || s->tiles.pages.page[t] != TILE_NONE;
}
static inline size_t snowfield_first(const snowfield_state *s, size_t t) { // cell of a tile
    return page_of(&s->tiles.pages, t) << (2 * s->shift);
}
static inline size_t snowfield_cover_first(const snowfield_state *s, size_t cover) {
    return page_of(&s->covers.pages, cover) << (2 * s->shift);
}
static inline size_t snowfield_cell(const snowfield_state *s, int32_t x,
                                    int32_t z) { // place in the arrays; its tile exists, and is here
    size_t t =
        (size_t)s->tiles.index[(size_t)(z >> s->shift) * (size_t)s->tiles.columns + (size_t)(x >> s->shift)];
    size_t in = (size_t)((z & (s->edge - 1)) << s->shift) + (size_t)(x & (s->edge - 1));
    return snowfield_first(s, t) + in;
}
static inline size_t snowfield_tile_of(const snowfield_state *s, size_t cell) {
    return page_owner(&s->tiles.pages, cell >> (2 * s->shift));
}
static inline size_t snowfield_covered(const snowfield_state *s,
                                       size_t cell) { // place in the covers; SIZE_MAX: none
    int32_t c = s->tiles.cover[snowfield_tile_of(s, cell)];
    return c == TILE_NONE ? SIZE_MAX
                          : snowfield_cover_first(s, (size_t)c) + (cell & (snowfield_cells(s) - 1));
}
static inline int32_t snowfield_surface(const snowfield_state *s, size_t cell) { // of the snow on the ground
    return snowfield_height(s->tiles.ground[cell]) +
           snowfield_depth(s->tiles.mass[cell], s->tiles.density[cell]);
}
// Creates all tiles that contain these cells of the field.
firn_status snowfield_tiles_make(snowfield_state *s, snowfield_rect cells);
// These cells of the field changed: they and their surroundings may slide, pictures need them anew. Their
// tiles exist already.
void snowfield_touch(snowfield_state *s, snowfield_rect cells);
void snowfield_mark(snowfield_state *s, snowfield_rect cells); // only for pictures
// Cells of the field around all that has changed in a tile, whole groups.
snowfield_rect snowfield_active_cells(const snowfield_state *s, size_t t);
void snowfield_tile_ground(snowfield_state *s, size_t t); // fills the heights of the ground
void snowfield_show(snowfield_state *s);                  // depth of the touched cells; snowfield_show.c
void snowfield_find_highest(snowfield_state *s, size_t t);

// Tiles that are packed away; snowfield_go.c.
firn_status snowfield_tiles_pack(snowfield_state *s, uint64_t step);
firn_status snowfield_packed_create(snowfield_state *s);
void snowfield_packed_free(snowfield_state *s);
firn_status snowfield_packed_resize(snowfield_state *s, bool words, size_t count);
firn_status snowfield_packed_loaded(snowfield_state *s);
bool snowfield_is_packed(const snowfield_state *s, int32_t column, int32_t row);
void snowfield_unpack(snowfield_state *s, size_t t);
void snowfield_read_packed(const snowfield_state *s, snowfield_rect cells, float *depth,
                           float *density); // of one tile
// m; nothing at this place, where no tile is, is higher; INFINITY: not known.
double snowfield_highest_away(const snowfield_state *s, int32_t column, int32_t row);

// The start; snowfield_start.c, snowfield_start_cover.c.
bool snowfield_has_maps(const snowfield_state *s); // its snow was not even
firn_status snowfield_start_cover(snowfield_state *s, const char *frame);
void snowfield_cover_column(const snowfield_state *s, int32_t x, int32_t z, int32_t *mass, float *density);
bool snowfield_cover_stands(const snowfield_state *s, int32_t x, int32_t z,
                            double ground); // it lies on some body
firn_status snowfield_may_change(void *model, const void *params, const model_setting *setting);
void snowfield_changed(void *model, const void *params, const model_setting *setting);
// Discards the prints of the bodies and makes them again at their current poses; snowfield_prints.c.
firn_status snowfield_see_bodies(snowfield_state *s);
bool snowfield_has_weather(const snowfield_state *s); // snowfield_weather.c
// Snowfall and ageing continue from now with the values in s->def.
void snowfield_change_weather(snowfield_state *s, const firn_snowfield_def *before, double time);
// The mass it has poured and still owes stays; snowfield_pour.c.
void snowfield_change_pour(snowfield_state *s, size_t p, const firn_snowfield_pour_def *def,
                           const model_setting *setting);
firn_status snowfield_start_create(snowfield_state *s, const firn_snowfield_def *def);
firn_status snowfield_start_settle(snowfield_state *s); // makes the tiles that are too steep
void snowfield_start_free(snowfield_state *s);
void snowfield_ground(const snowfield_state *s, snowfield_rect cells,
                      float *out); // m; at most FIELD_MOST_AT_ONCE cells
// m; of the snow on the ground, or as it was at the start where no tile is.
double snowfield_surface_at(const snowfield_state *s, int32_t x, int32_t z);
void snowfield_start_column(const snowfield_state *s, int32_t x, int32_t z, int32_t *mass, float *density);

// Bodies over the field; snowfield_prints.c, snowfield_covers.c.
firn_status snowfield_prints_create(snowfield_state *s);
void snowfield_prints_free(snowfield_state *s);
firn_status snowfield_prints_update(snowfield_state *s); // of all bodies that moved
firn_status snowfield_covers_roofs(snowfield_state *s);  // where bodies are now
void snowfield_covers_drop(snowfield_state *s);
firn_status snowfield_covers_paint(snowfield_state *s); // roofs; snow that lost its body falls down
firn_status snowfield_covers_make(snowfield_state *s, snowfield_rect cells); // their tiles exist
firn_status snowfield_carry(snowfield_state *s, double dt);                  // snowfield_carry.c
firn_status snowfield_carry_reserve(snowfield_state *s, size_t count);
firn_status snowfield_carry_loaded(snowfield_state *s);
void snowfield_carry_free(snowfield_state *s);
firn_status snowfield_covers_reserve(snowfield_state *s, size_t count);
void snowfield_covers_free(snowfield_state *s);
void snowfield_carve(
    snowfield_state *s); // at the start: no snow inside bodies, and what is above them lies on them

// Balls of other models that press the snow (snowfield_feet.c) and stand in it (snowfield_stands.c).
extern const struct firn_offers snowfield_offers;
extern const struct firn_model_growth snowfield_growth; // snowfield_brush.c
firn_status snowfield_press_feet(void *model, size_t count, offer_foot *feet, double friction, double dt);
void snowfield_feet_free(snowfield_state *s);
// Cells below a ball: of a square as wide as the ball, one cell at least. Empty beside the field.
typedef struct foot_square {
    snowfield_rect cells;
    double x, z, side; // cells, from the corner of the field
} foot_square;
foot_square snowfield_square(const snowfield_state *s, const offer_foot *foot);
// Share of the square that is in a column or a row of cells: of [middle - side / 2, middle + side / 2] in
// [cell, cell + 1].
double snowfield_square_share(double middle, double side, int32_t cell);
void snowfield_stand(void *model, offer_feet feet);
firn_status snowfield_stands_paint(snowfield_state *s); // before snow moves, and away again
void snowfield_stands_lift(snowfield_state *s);
void snowfield_stands_drop(snowfield_state *s); // while they are painted: snow whose support has gone falls
void snowfield_stands_free(snowfield_state *s);

// Mixes mass of a density into a column.
float snowfield_mixed(const snowfield_law *law, int32_t there, float density, int32_t mass, float other);
void snowfield_put(snowfield_state *s, size_t cell, int32_t mass, float density);
void snowfield_put_top(snowfield_state *s, size_t covered, int32_t mass, float density);
// From above: onto a body where one stands.
void snowfield_drop(snowfield_state *s, size_t cell, int32_t mass, float density);

// Heat; snowfield_heat.c.
firn_status snowfield_heat_create(snowfield_state *s);
firn_status snowfield_heat_reserve(snowfield_state *s, size_t tiles);
firn_status snowfield_heat_reserve_tops(snowfield_state *s, size_t covers);
void snowfield_heat_free(snowfield_state *s);
void snowfield_heat_start(snowfield_state *s); // of the snow as it lies
void snowfield_heat_fill(snowfield_state *s, size_t tile);
void snowfield_heat_from_frame(snowfield_state *s); // from temperature and wetness
void snowfield_heat_move_tile(snowfield_state *s, size_t to, size_t from);
void snowfield_heat_move_top(snowfield_state *s, size_t to, size_t from);
bool snowfield_heat_is_plain(const snowfield_state *s, size_t cell); // as where no tile is
void snowfield_heat_show(snowfield_state *s);                        // of the touched tiles
void snowfield_heat_show_plain(snowfield_state *s);
double snowfield_heat_total(const snowfield_state *s); // J/m2 times one cell
// Weather of a tick; snowfield_heat_weather.c.
typedef struct heat_tick {
    snowfield_state *s;
    double dt;          // s
    double snow, water; // J/kg, of snow and rain that fall
    int32_t rain;       // MASS_UNIT on each cell
    struct {
        double warm, exchange, radiation;
    } air;
} heat_tick;
typedef struct heat_gain {
    double sum[HEAT_SUMS];
    int64_t in, out; // MASS_UNIT
} heat_gain;
heat_tick snowfield_heat_tick(const snowfield_state *s);
void snowfield_heat_tile(const heat_tick *t, size_t tile, heat_gain *gain);
void snowfield_heat_plain(const heat_tick *t, uint64_t cells);
void snowfield_heat_add(snowfield_state *s, const heat_gain *gain);
void snowfield_heat_bodies(snowfield_state *s);
// J/m2 from what touches the snow of a cell, between two steps.
void snowfield_heat_give(snowfield_state *s, size_t cell, double heat);
// Heat goes along with snow that has moved since the last call; snowfield_heat_follow.c.
firn_status snowfield_heat_follow(snowfield_state *s);
// The same for snow that others have put or taken since the last step.
firn_status snowfield_heat_enter(snowfield_state *s);
// Snow comes to a column, or to the top of a body over it (covered; SIZE_MAX: neither), with its own heat, or
// leaves it with its share, which is returned. J/m2; it waits for no snowfield_heat_follow.
void snowfield_heat_come(snowfield_state *s, size_t cell, size_t covered, int32_t units, double heat);
double snowfield_heat_go(snowfield_state *s, size_t cell, int32_t units);

// Passes of a step.
firn_status snowfield_press_bodies(snowfield_state *s, body_set *bodies, double dt); // snowfield_pressing.c
firn_status snowfield_press_create(snowfield_state *s);
void snowfield_press_free(snowfield_state *s);
double snowfield_top_below(const snowfield_state *s, size_t b);  // m; snowfield_prints.c
void snowfield_choose_dt_limit(snowfield_state *s);              // of the next step; snowfield_prints.c
firn_status snowfield_pour(snowfield_state *s, model_step step); // snowfield_pour.c
firn_status snowfield_weather(snowfield_state *s, model_step step);
firn_status snowfield_weather_create(snowfield_state *s);
firn_status snowfield_bits_create(snowfield_state *s);
void snowfield_bits_free(snowfield_state *s);
firn_status snowfield_bits_fly(snowfield_state *s, double dt);
firn_status snowfield_slump(snowfield_state *s); // snowfield_slump.c: slopes until settled or out of sweeps
firn_status snowfield_slump_within(snowfield_state *s); // snowfield_slump_within.c: or out of time
void snowfield_sweep_free(snowfield_sweep *w);
firn_status snowfield_limit_slopes(snowfield_state *s); // snowfield_limit.c: what is much too steep
void snowfield_limit_free(snowfield_state *s);

// The surface of a column for snow in motion; snowfield_bed.c. NAN: beside the field.
double snowfield_column_height(const snowfield_state *s, int32_t x, int32_t z);
bool snowfield_cell_of(const snowfield_state *s, double x, double z, int32_t *cx, int32_t *cz);
// Its slope along x and z, without what is a step.
void snowfield_column_slope(const snowfield_state *s, int32_t x, int32_t z, double slope[2]);
double snowfield_tan(const snowfield_law *law, float density); // of the angle of repose
void snowfield_give_free(snowfield_state *s);

// Snow at rest on the field (snowfield_stacks.c). Lumps: from the lowest to the highest; they lie on what is
// below them if the gap is at most `reach`, m.
firn_status snowfield_stacks_find(snowfield_state *s, size_t n, const snowfield_lump *lumps, double reach);
// Whether all that lies on a column would stand there as snow of the field, but for `slack`, m.
bool snowfield_stack_stands(const snowfield_state *s, int32_t x, int32_t z, double slack);
void snowfield_stacks_free(snowfield_state *s);

// Functions of the model class.
firn_status snowfield_create(const void *params, const model_setting *setting, const body_set *bodies,
                             void **model);
void snowfield_destroy(void *model);
firn_status snowfield_step(void *model, body_set *bodies, model_step step);
firn_status snowfield_resize(void *model, const char *name, size_t count);
firn_status snowfield_loaded(void *model);
void snowfield_ledger(const void *model, firn_ledger *out);
bool snowfield_find_invalid(const void *model, uint64_t *item, const char **what);
firn_status snowfield_cost(const void *params, const model_setting *setting, firn_cost *cost);

extern const model_drawing snowfield_drawing;  // snowfield_looks.c
extern const field_table snowfield_heat_table; // snowfield_heat_fields.c
extern const series_table *const snowfield_series[];

#endif
