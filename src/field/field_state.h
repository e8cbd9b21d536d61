// The inside of the snow field; only for files of this folder.
#ifndef FIELD_FIELD_STATE_H
#define FIELD_FIELD_STATE_H

#include "field/field.h"
#include "field/field_units.h"

enum {
    TILE_NONE = -1,
    TILE_MOST_EDGE = 128,
    TILE_MOST = 1 << 22, // places for tiles: 131 072 cells along a side
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
    int32_t (*at)[2];    // place of the tile: its first cell is at * edge
    field_rect *active;  // cells of the tile that may slide in the next sweep
    field_rect *touched; // cells of the tile that changed in this step
    int32_t *mass;       // MASS_UNIT kg/m2
    float *density;      // kg/m3
    float *ground;       // m; follows from the def
    float *depth;        // m; follows from mass and density
    int32_t *index;      // slot of each place, TILE_NONE: none; columns * rows
    int32_t columns, rows;
} field_tiles;

// A sweep over the active tiles: what each will be.
typedef struct field_sweep {
    size_t count;
    int32_t *slot;               // the active tiles
    field_rect *part, *changed;  // cells of the tile: looked at; changed
    int64_t *left;               // mass that the tile lost; over all tiles: what went over the border
    int32_t *mass;               // as in field_tiles, by place in this list
    float *density;              //
    size_t capacity[6];          // of the lists above
    struct slump_patch *patches; // one per worker
} field_sweep;

// Sums in units of mass times one cell; a field as it is.
enum { BOOK_PRISTINE, BOOK_IN, BOOK_OUT, BOOK_SIZE };

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
    int32_t start_mass;   // of a cell where no tile is yet
    firn_field_pour_def *pours;
    uint64_t *poured; // what each pour has given so far; a field as it is
    size_t pour_count;
    field_tiles tiles;
    field_sweep sweep;
    uint64_t book[BOOK_SIZE];
    double grid[FIELD_GRID_SIZE];
    uint64_t swept; // sweeps so far, for the bench
    profile passes;
} field_state;

static inline double field_kg(const field_state *s) { // of one unit of the book
    return MASS_UNIT * s->def.cell * s->def.cell;
}
static inline size_t field_cells(const field_state *s) { return (size_t)s->edge * (size_t)s->edge; }
static inline field_rect tile_rect(const field_state *s, size_t t) { // its cells in the field
    int32_t x = s->tiles.at[t][0] * s->edge, z = s->tiles.at[t][1] * s->edge;
    return (field_rect){x, z, int_min(x + s->edge, s->nx), int_min(z + s->edge, s->nz)};
}

// Tiles; field_tiles.c.
firn_status field_tiles_create(field_state *s);
void field_tiles_free(field_state *s);
firn_status field_tiles_reserve(field_state *s, size_t count);
int32_t field_tile_at(const field_state *s, int32_t column, int32_t row); // TILE_NONE: none there
// Makes all tiles that meet these cells of the field.
firn_status field_tiles_make(field_state *s, field_rect cells);
// These cells of the field changed: their surroundings may slide, pictures need them anew. All tiles around
// exist already.
void field_touch(field_state *s, field_rect cells);
size_t field_cell(const field_state *s, int32_t x, int32_t z); // place in the arrays; its tile exists
void field_tile_ground(field_state *s, size_t t);              // fills the heights of the ground
void field_show(field_state *s);                               // depth of what was touched

// Mixes mass of a density into a column.
void field_put(field_state *s, size_t cell, int32_t mass, float density);

// Passes of a step.
firn_status field_pour(field_state *s, model_step step); // field_pour.c
firn_status field_slump(field_state *s); // field_slump.c: slopes until settled or out of sweeps
void field_sweep_free(field_sweep *w);

// The rooms of the model class.
firn_status field_create(const void *params, const model_setting *setting, const body_set *bodies,
                         void **model);
void field_destroy(void *model);
firn_status field_step(void *model, body_set *bodies, model_step step);
size_t field_fields(const void *model, firn_field *out, size_t room);
firn_status field_resize(void *model, const char *name, size_t count);
firn_status field_loaded(void *model);
void field_ledger(const void *model, firn_ledger *out);
bool field_sick(const void *model, uint64_t *item, const char **what);
firn_status field_cost(const void *params, const model_setting *setting, firn_cost *cost);

#endif
