// The inside of the wind; only for files of this folder.
#ifndef WIND_WIND_STATE_H
#define WIND_WIND_STATE_H

#include "body/offers.h"
#include "geom/cover_surface.h"
#include "solve/poisson.h"
#include "wind/wind_flakes_lanes.h"
#include "wind/wind_lanes.h"
#include "wind/wind_trace.h"
#include "wind/wind.h"

enum { SIDE_WEST, SIDE_EAST, SIDE_GROUND, SIDE_TOP, SIDE_NORTH, SIDE_SOUTH, SIDES }; // axis 0, 0, 1, 1, 2, 2
typedef enum side_kind { SIDE_WALL, SIDE_OPEN, SIDE_INFLOW } side_kind;

// The undisturbed wind at a time.
typedef struct wind_inflow_state {
    double x, z; // m/s, at the inflow's height
    double top;  // m/s, of the fastest layer
} wind_inflow_state;

// A face that an obstacle closes, as a whole or in part: no flow through that part, except by the obstacle's
// own motion (Neumann pressure).
typedef struct wind_face {
    uint32_t at;
    uint16_t body;     // whose velocity it has, from 1; 0: at rest
    uint8_t open;      // of POISSON_WHOLE
    float normal[3];   // out of the body, if it is closed as a whole
    float velocity[3]; // m/s, of the body
    float flux;        // m/s, mean over the open part and the body's; scratch of the projection
} wind_face;

enum { WIND_NODE = 8192 }; // signed distances at corners: of a cell

// A face inside an obstacle that takes the mean of its known neighbours: free slip.
typedef struct wind_ghost {
    uint32_t at;
    uint32_t known; // bits: before and after along x, y, z
} wind_ghost;

// A face along a rough surface: on one side of it, along another axis than its own, are closed cells, or a
// body cuts it.
typedef struct wind_wall {
    uint32_t at;
    uint16_t body;  // whose surface it is, from 1; 0: the ground, or snow
    uint8_t axis;   // across the surface
    uint8_t halves; // of the face that lie along it: 1 or 2
    float away;     // cells, from the surface to the middle of the face
    float share;    // of the face that is open
    double lost;    // m/s, of the air in the last step
} wind_wall;

typedef struct wind_faces {
    wind_face *face;
    wind_ghost *ghost; // first those beside the air, then those beside them
    wind_wall *wall;
    size_t first_ghosts; // those beside the air
    size_t faces, ghosts, walls, face_capacity, ghost_capacity, wall_capacity;
} wind_faces;

// Counts of flakes since the start: the field wind.counters.
enum { FLAKES_EMITTED, FLAKES_LANDED, FLAKES_LEFT, FLAKES_LIFTED, FLAKES_COUNTERS };
enum { FLAKES_REMAINDERS = 5 }; // parts of a flake not yet emitted: top, four sides
enum { FLAKES_FACTS = 4 };

typedef struct wind_flakes {
    bool on;
    firn_flakes_def def;
    double mass;                 // kg of a simulated one
    double fall[2];              // m/s, slowest and fastest in still air
    double rate, number_density; // simulated ones per m2 and s from above; per m3 in calm air
    double usual, usual_rate, usual_number_density; // the same at the snowfall of the start (m/s of water)
    double facts[FLAKES_FACTS]; // mass of a simulated one, diameter, how many it stands for, 1: wet
    float (*position)[3], (*velocity)[3], (*trait)[TRAITS]; // in the air; packed
    float (*spare_position)[3], (*spare_velocity)[3], (*spare_trait)[TRAITS];
    uint32_t *outcome, *keep, *place, *order; // of the step
    double *flow; // scratch: through the faces of a side, with grids around; NULL: not yet
    size_t count, capacity;
    uint64_t counters[FLAKES_COUNTERS];
    double emit_remainder[FLAKES_REMAINDERS];
    uint32_t *landed; // of each column of cells, rows along x
    float radius;     // m, as drawn
} wind_flakes;

#define AIR_DENSITY 1.3 // kg/m3, at -5 C

enum { COVER_PARTS = 256 }; // units of mass of a simulated flake: whole numbers cannot be lost

// What the cover lies on: derived from the bodies.
typedef struct wind_floors {
    bool known;
    cover_floor *list; // in the order of their cells, which are counted without the layer around
    size_t count, capacity;
    uint32_t *row; // of each row of cells: 1 + its number among those with floors; 0: it has none
    uint32_t *of;  // of the cells of these rows: 1 + its floor in the list; 0: none
    size_t rows, of_capacity;
    uint8_t *uneven; // columns of cells: beside a floor that is not the bottom of the domain
    double *load;    // shown: N, weight of the snow on each body
    size_t bodies;
} wind_floors;

// Heat of the cover, by columns of cells; wind_cover_heat.c. Sums are per area times one cell.
enum { COVER_AIR, COVER_RAIN, COVER_SNOW, COVER_LEFT, COVER_MELTED, COVER_BODIES, COVER_SUMS }; // J/m2; kg/m2
typedef struct cover_plane {               // of a plane of columns
    uint64_t lost, gained, melted, rained; // units
    double heat;                           // J/m2, of what was lost
    double sum[COVER_SUMS];
} cover_plane;
typedef struct cover_heat {
    bool on;
    double *heat;                 // J/m2; snow/snow_column.h
    uint64_t *mass, *now;         // units that have this heat; scratch: that are there
    float *temperature, *wetness; // shown: degrees Celsius; share of the mass that is water
    double sum[COVER_SUMS];
    uint64_t rained; // units
    cover_plane *plane;
} cover_heat;

// Saltation: snow that drifts along the surface, in the cell that holds the surface.
enum {
    SALTATION_IN,
    SALTATION_OUT,
    SALTATION_COUNTERS
}; // units that blew in and out: the field wind.saltation_counters
typedef struct wind_saltation {
    uint32_t *mass;   // units of each cell; NULL: there is none
    uint8_t *row_has; // rows of cells that may hold some
    uint64_t counters[SALTATION_COUNTERS];
} wind_saltation;

// The cover beside snow of another model; wind_beside.c.
enum { HANDED_OUT, HANDED_IN, HANDED_COUNTERS }; // units: the field wind.handed
typedef struct cover_beside {
    uint8_t
        *other; // of each column, rows as in the box: 1 if it is not the cover's; NULL: there is no such snow
    float *height; // of each: of the other snow, cells above the bottom of the domain; NAN: as a wall
    wind_rim *rim;
    size_t rims, room;
    bool known;
    wind_stray *stray;
    size_t stray_room;
    uint64_t handed[HANDED_COUNTERS];
} cover_beside;

typedef struct wind_cover {
    bool on;
    firn_cover_def def;             // numbers only
    float density_new, density_old; // kg/m3
    double steepest, unit, room;    // tangent; kg; units in a cell of 1 kg/m3
    double threshold;               // m/s, friction speed that lifts snow
    uint32_t *mass;                 // of each cell
    float *density;                 // kg/m3, where there is mass
    uint8_t *row_has_snow;          // rows of cells that may hold snow
    int32_t *top,
        *highest;    // of each column of cells: above this layer no snow is within FLAKE_MARGIN; scratch
    uint64_t melted; // units
    double melt_remainder; // units of rain on each column, less than one
    cover_heat heat;
    wind_floors floors;
    int32_t *bank; // as wind_state.node, of the snow's surface; NULL: it does not stop the wind
    wind_saltation saltation;
    cover_beside beside;
    float *fill;   // shown: 0 .. 1 of each cell (without the layer around), -1: a body
    float *column; // shown: kg/m2 of each column of cells
} wind_cover;

// Turbulence that blows in: plane waves across their own direction, carried along with the undisturbed wind.
enum { WIND_WAVES = 64 };
typedef struct wind_turbulence {
    double wave[WIND_WAVES][3];      // rad/m; the size of the eddies is in it
    double amplitude[WIND_WAVES][3]; // for a standard deviation of 1; 0: shorter than four cells
    double phase[WIND_WAVES];
    double blown[2];        // m, how far the undisturbed wind has come along x and z
    float *noise[SIDES][3]; // m/s, of each cell of the layer around on sides of the inflow; NULL: not yet
    float *cosine, *sine;   // scratch: of each wave along a side
} wind_turbulence;

enum { WIND_GAUGES = 3 }; // numbers of a shown cell: pressure, divergence, warmth

// The grid around this one, and its wind in the layer around this grid; wind_around.c.
enum { AROUND_VALUES = 4 }; // of each cell of the layer: velocity less the undisturbed one (m/s), pressure
enum { AROUND_CLOCK = 5 };  // numbers of each grid in the field wind.around_clock
typedef struct wind_around {
    struct wind_state *outer; // NULL: none
    double ahead, span;       // s: how far it is ahead of this grid; its last step
    // At the start and the end of its last step (m2/s2, pressure over density), and in between, as they are
    // for this step (pressure in the units of wind_state.q).
    float *before, *after, *now;
    size_t side[SIDES + 1]; // where each side begins
    float *home;            // in packed: velocities and pressure of the outer grid after its last step
    double *clock;          // in clocks: AROUND_CLOCK numbers
    // Of the finest grid only, for all around it: state, and what is shown, one grid after the other.
    float *packed, (*air)[3], (*gauges)[WIND_GAUGES];
    double *clocks, *grid;
    size_t grids, packed_count, air_count;
} wind_around;

// What the air is warmer than the undisturbed air; wind_warmth.c.
enum { WARMTH_GIVEN, WARMTH_LEFT, WARMTH_SUMS }; // J since the start: from bodies; through the sides
typedef struct wind_warmth {
    float *air;       // K, of each cell; NULL: warm air does not rise
    uint16_t *ground; // of each column of cells: the body under the bottom of the domain, from 1; 0: none
    double sum[WARMTH_SUMS];
} wind_warmth;

enum { WIND_BOX_SIZE = 7 };  // of the field wind.box
enum { WIND_GRID_SIZE = 8 }; // of the field wind.grid

// Over ranks (wind_ranks.c): each has a slab of planes along z. Arrays are those of the whole grid, with
// memory for the planes of this rank and some beside them.
enum { WIND_PLANES = 4 };     // in a block of sums: slabs are whole blocks
enum { WIND_BUILT_HALO = 8 }; // planes beside a slab in which obstacles are found
typedef struct wind_ranks {
    net_slabs slabs; // not divided on one rank
    int32_t reach;   // planes beside the slab of which the kind is known
    bool unmade;     // the state of the start is not there yet
    bool whole;      // the state came from a file: rank 0 has all of it
    enum {
        WIND_SHOWS_ALL,
        WIND_SHOWS_SLAB,
        WIND_SHOWS_WHOLE
    } shows; // fields: of one rank; slabs; all on rank 0
} wind_ranks;

typedef struct wind_state {
    wind_ranks ranks;
    int32_t k0, k1;                 // planes of cells of this rank, [k0, k1); all: 1, n + 1
    int32_t first_plane, end_plane; // the same with the layer around the grid
    firn_wind_def def;              // numbers only
    model_setting setting;
    const body_set *bodies; // of the world; only for what is derived after a load
    poisson_box box;
    double low[3]; // m, the corner of the first cell
    firn_wind_change_def *changes;
    size_t change_count;
    float *profile; // of each layer of cells, from 0 (below the ground) to n + 1: speed over the inflow's

    // MAC grid: v[a][c] is the velocity along axis a through the face before cell c.
    float *v[3], *next[3], *hat; // next, hat: scratch of the advection
    float *held[3];              // kg, by face, scratch of the medium; NULL: nothing was dragged along yet
    float *q;                    // pressure * dt / (density * cell), m/s
    float *b;                    // -divergence * cell
    uint8_t *kind;               // poisson_kind: free air, obstacles (and still air, walls, inflow), openings
    uint16_t *fixed_owner, *owner; // body that the middle of a cell is in, or that closes it, from 1; 0:
                                   // none. Of fixed bodies; of all
    int16_t *fixed_node, *node; // signed distance at the corner before each cell, in 1 / WIND_NODE of a cell;
                                // one array if no body moves
    uint8_t *whole;             // cells that a body closes as a whole, however much of it is outside
    uint8_t *open[3];           // of POISSON_WHOLE: how much of the face before each cell no body closes
    side_kind side[SIDES];
    wind_faces faces[3];
    uint8_t *obstacle_distance; // cells to the nearest obstacle, the largest along x, y, z; at most
                                // WIND_OBSTACLE_CELLS
    bool moving;                // some body may move
    bool stale;                 // obstacles must be found again
    uint64_t owner_hash;
    size_t free_cells;
    poisson *solver;
    stop_watch *watch;   // while it is created; else NULL
    poisson_result last; // of the last step
    double reference;    // m/s, the speed that the divergence is compared with
    double fastest;      // m/s
    wind_totals totals;  // of the velocities as they are, if measured
    bool measured;

    uint8_t *near_body; // cells within FLAKE_MARGIN cells of a fixed body
    wind_turbulence turbulence;
    wind_warmth warmth;
    wind_around around;
    bool is_around; // it is the grid around another one: no body feels its air
    wind_flakes flakes;
    wind_cover cover;
    wind_ground ground; // height NULL: none
    uint16_t *buried;   // of each column of cells, rows as in the box: how many, from the ground up, snow of
                        // another model closes; NULL: none
    const uint8_t *pushed; // see wind_set_pushed
    size_t pushed_count;
    double given[3]; // N s

    float (*air)[3];              // shown: velocity in the middle of every n-th cell
    float (*gauges)[WIND_GAUGES]; // shown: pressure (Pa), divergence (1/s) and warmth (K) there
    double last_dt;               // s, of the last step; 0: none since the start
    size_t air_n[3];
    bool air_stale;
    double grid[WIND_GRID_SIZE], cells[WIND_BOX_SIZE];
    profile passes;
} wind_state;

// The middle of the face of `axis` before a cell, in cells from the corner of the domain.
static inline void wind_face_place(const wind_state *s, int axis, size_t face, double at[3]) {
    const poisson_box *box = &s->box;
    at[0] = (double)(face % box->row) - 0.5;
    at[1] = (double)(face % box->plane / box->row) - 0.5;
    at[2] = (double)(face / box->plane) - 0.5;
    at[axis] -= 0.5;
}

// wind_create.c
firn_status wind_may_change(void *model, const void *params, const model_setting *setting);
void wind_changed(void *model, const void *params, const model_setting *setting);
firn_status wind_create(const void *params, const model_setting *setting, const body_set *bodies,
                        void **model);
void wind_destroy(void *model);
firn_status wind_cost(const void *params, const model_setting *setting, firn_cost *cost);
// One grid, without flakes and cover; also what was made of it when that fails. NULL: there is no memory.
firn_status wind_create_grid(const firn_wind_def *def, const model_setting *setting, const body_set *bodies,
                             stop_watch *watch, bool is_around, wind_state **out);
void wind_take_grid(wind_state *s, const firn_wind_def *def, const model_setting *setting); // changed numbers

// wind_inflow.c
firn_status wind_read_changes(wind_state *s, const firn_wind_def *def);
void wind_set_profile(wind_state *s);
wind_inflow_state wind_over_banks(wind_state *s, double time);
wind_inflow_state wind_inflow_at(const wind_state *s, double time);
double wind_gust(uint64_t seed, double time); // -1 .. 1, smooth

// wind_turbulence.c
void wind_set_waves(wind_state *s);
firn_status wind_blow(wind_state *s, wind_inflow_state now, double dt); // the turbulence of the next step
void wind_turbulence_destroy(wind_turbulence *t);

// wind_boundary.c
bool wind_set_sides(wind_state *s, wind_inflow_state now); // true: other sides are open now
firn_status wind_check_sides(const wind_state *s);
void wind_fill_ghost_cells(wind_state *s, wind_inflow_state now); // the layer around, for the advection
void wind_set_boundary_faces(wind_state *s, wind_inflow_state now,
                             const body_set *bodies); // prescribed velocities
// Pressure of the grid around beyond open sides: its part of the equation of the cells beside them (b), and
// in the open cells themselves (q) for the gradient; clear: 0 again, as the solver knows them.
void wind_add_pressure(wind_state *s);
void wind_press_sides(wind_state *s, bool clear);

// Whether creation was cancelled; never during steps.
static inline bool wind_is_stopped(const wind_state *s) { return s->watch && stop_seen(s->watch); }

// wind_obstacles.c
firn_status wind_find_fixed(wind_state *s, const body_set *bodies); // once
void wind_find_cells(wind_state *s, const body_set *bodies); // after a load: cells alone, faces stay stale
// Cells, faces and the solver; nothing is done if no obstacle moved, unless `rebuild`.
firn_status wind_find_obstacles(wind_state *s, const body_set *bodies, bool rebuild);

bool wind_is_snow(const wind_state *s, size_t a);   // snow that stops the wind lies in the cell
bool wind_is_buried(const wind_state *s, size_t a); // snow of another model fills it

// wind_cut.c
int16_t wind_node(double cells); // of a distance
void wind_open_faces(wind_state *s);
bool wind_is_closed(const wind_state *s, int32_t i, int32_t j, int32_t k); // has a cell no way in?
void wind_find_fluxes(wind_state *s); // through faces that are not open as a whole
void wind_swap_fluxes(wind_state *s); // puts them in place of the velocities, and back
void wind_slip(wind_state *s);        // sets closed faces

// wind_faces.c
firn_status wind_list_faces(wind_state *s);

// wind_advect.c
void wind_advect(wind_state *s, double dt);
void wind_confine(wind_state *s, double dt);
void wind_swap(wind_state *s); // v and next

// wind_warmth.c, in the order of a step
firn_status warmth_create(wind_state *s, const body_set *bodies);
void warmth_destroy(wind_warmth *w);
firn_status warmth_carry(wind_state *s, double dt);
void warmth_mix(wind_state *s); // by the eddies in b
firn_status warmth_give(wind_state *s, const body_set *bodies, double dt);
void warmth_lift(wind_state *s, double dt);
extern const series_table warmth_series;

// wind_around.c: coarser grids around this one.
firn_status around_create(wind_state *s, const body_set *bodies);
void around_destroy(wind_state *s);
void around_changed(wind_state *s, const firn_wind_def *def, const model_setting *setting);
typedef struct around_cost {
    double cells, stepped; // the latter for each step of the finest grid
    uint64_t bytes;
} around_cost;
around_cost around_cost_of(const firn_wind_def *def);
firn_status around_step(wind_state *s, body_set *bodies, model_step step); // keeps them ahead of this grid
// Of the grid around, in cell (p, q) of the layer on a side: velocity less the undisturbed one, or pressure.
static inline float around_value(const wind_state *s, int side, int which, int32_t p, int32_t q) {
    const wind_around *a = &s->around;
    if (!a->outer) return 0;
    int32_t n = s->box.n[side < 2 ? 1 : 0] + 2;
    return a->now[a->side[side] + AROUND_VALUES * ((size_t)q * (size_t)n + (size_t)p) + (size_t)which];
}
const wind_state *around_grid_at(const wind_state *s, const float at[3]); // the finest there; NULL: none
bool around_is_closed(const wind_state *s, const float at[3]); // of such a grid: is a fixed body there?
void around_unpack(wind_state *s);                             // after a load
void around_show(wind_state *s);
double around_fastest(const wind_state *s);
double around_height(const wind_state *s); // m, of the whole domain

// wind_fields.c
void wind_show(void *model);
void wind_show_planes(wind_state *s); // of this rank
firn_status wind_derive(wind_state *s);

// wind_stress.c: eddies below the grid and rough surfaces; needs the ghost cells.
void wind_mix(wind_state *s, body_set *bodies, double dt);

// wind_project.c
// Whether a body feels the air: those that do not move freely, as a reaction, and those of wind_set_pushed.
bool wind_feels(const wind_state *s, const body_set *bodies, size_t body);
// The impulse and its moment about the corner of the domain; counted as given if the body moves freely.
void wind_push_body(wind_state *s, body_set *bodies, size_t body, firn_vec3 impulse, firn_vec3 twist);
firn_status wind_project(wind_state *s);
// The impulse of the pressure on all bodies that no impulse moves; after wind_project.
void wind_push_bodies(wind_state *s, body_set *bodies);
firn_status wind_total(const wind_state *s, wind_totals *out);
firn_status wind_measure(wind_state *s);     // fastest, totals
double wind_worst_divergence(wind_state *s); // m/s, times cell

// wind_flakes.c
firn_status flakes_create(wind_state *s, const firn_flakes_def *def, const body_set *bodies);
void flakes_destroy(wind_flakes *f);
void flakes_set_snowfall(wind_flakes *f, double snowfall); // m/s of water
firn_status flakes_reserve(wind_flakes *f, size_t count);
firn_status flakes_step(wind_state *s, const body_set *bodies, model_step step, wind_inflow_state now);
// A flake that falls with the wind around it, counted under `counter`; none if a body is there.
firn_status flakes_add(wind_state *s, const body_set *bodies, const double at[3], const float trait[TRAITS],
                       int counter);

// wind_flakes_move.c: moves all; outcome: stays (0), left (1) or landed in a cell (2 + cell).
#define FLAKE_MARGIN 3
void flakes_move(wind_state *s, const body_set *bodies, model_step step);
size_t wind_cell(const wind_state *s, const float at[3]); // the nearest if it is outside

// wind_medium.c
void wind_at(const wind_state *s, const float at[3], float out[3]); // m/s, between the faces
extern const struct firn_offers wind_offers;
extern const struct firn_model_growth cover_growth; // wind_cover_brush.c

// wind_cover_heat.c
firn_status cover_heat_create(wind_state *s);
void cover_heat_destroy(cover_heat *h);
void cover_heat_step(wind_state *s, const body_set *bodies, double dt);
void cover_heat_catch_up(wind_state *s);
void cover_heat_come(wind_state *s, size_t column, uint64_t units, double heat);
double cover_heat_go(wind_state *s, size_t column, uint64_t units); // J
void cover_heat_show(wind_state *s);
double cover_heat_total(const wind_state *s); // J
extern const series_table cover_heat_series;

// wind_cover.c
void cover_take_numbers(wind_cover *c, const firn_world_def *scene);
firn_status cover_may_change(const firn_world_def *scene); // whether these numbers go together
firn_status cover_create(wind_state *s, const firn_world_def *scene);
void cover_destroy(wind_cover *c);
void cover_put(wind_state *s, size_t cell,
               uint32_t mass); // new snow; higher up if the cell is full or a body
void cover_find_top(wind_state *s);
bool cover_is_full(const wind_state *s, size_t cell);
double cover_fill(const wind_state *s, size_t cell);       // 0 .. 1, more if it spills over
double cover_capacity(const wind_state *s, float density); // units of mass that fill a cell
void cover_hand_over(wind_state *s, size_t from, size_t to, double wanted);
void cover_mix_in(wind_state *s, size_t a, uint32_t mass, float density);
firn_status cover_step(wind_state *s, body_set *bodies, model_step step);
void cover_show(wind_state *s);
uint64_t cover_units(const wind_state *s); // that lie

// wind_slide.c: snow in cell a, with nothing on it, slides if it is too steep.
void cover_slide(wind_state *s, size_t a, const int32_t at[3]);
// Cells above the bottom of the domain, the surface at or below layer j in the column of cell a, which is in
// it; false: a body is there.
bool cover_top_at(const wind_state *s, size_t a, int32_t j, double *top);

// wind_beside.c
firn_status beside_create(wind_state *s);
void beside_destroy(cover_beside *b);
void beside_find(wind_state *s); // the columns of the other snow; after wind_set_ground
bool beside_is_over(const wind_state *s, const float at[3]);
// Its surface, in cells above the bottom of cell a in layer j; false: nothing slides there.
bool beside_pile(const wind_state *s, size_t a, int32_t j, double *floor, double *top);
static inline bool beside_is_other(const wind_state *s, size_t a) {
    const uint8_t *other = s->cover.beside.other;
    return other && other[a / s->box.plane * s->box.row + a % s->box.row];
}

// wind_floors.c
firn_status floors_create(wind_state *s, size_t bodies);
void floors_destroy(wind_floors *f);
firn_status floors_find(wind_state *s, const body_set *bodies); // nothing is done if no body can have moved
const cover_floor *floors_at(const wind_state *s, size_t cell); // NULL: none
size_t floors_cell(const wind_state *s, const cover_floor *floor); // above it
void floors_weigh(wind_state *s);                                  // load
void floors_press(const wind_state *s, body_set *bodies, double dt);
extern const series_table *const wind_series[];

// wind_banks.c: the cover as an obstacle to the wind.
firn_status banks_create(wind_state *s);
double banks_height(const wind_state *s);
firn_status banks_update(wind_state *s); // from the snow as it lies
void banks_forget(wind_state *s);        // the snow is no obstacle any more
void banks_cut(wind_state *s);           // joins them to the distances of bodies

// wind_saltation.c: saltation.
firn_status saltation_create(wind_state *s);
void saltation_destroy(wind_saltation *salt);
firn_status saltation_step(wind_state *s, model_step step);
uint64_t saltation_units(const wind_state *s); // that drift

// wind_drift.c: snow that the wind lifts again.
size_t drift_air_over(const wind_state *s, size_t cell); // the air over the snow in a cell
firn_status drift_step(wind_state *s, const body_set *bodies, model_step step);
double drift_friction_speed(const wind_state *s, size_t cell); // m/s, at the snow in a cell
double drift_transport(const wind_state *s, double friction);  // kg / (m s)

// wind_ranks.c
bool wind_ranks_divide(wind_state *s, const model_setting *setting); // false: there is no memory
static inline bool wind_is_divided(const wind_state *s) { return net_slabs_divide(&s->ranks.slabs); }
void *wind_array(const wind_state *s, size_t more, size_t item); // zeros, of the box and `more`
// Items of the planes of this rank, with the layer around the grid, and `more` planes on both sides.
typedef struct wind_items {
    size_t first, end;
} wind_items;
wind_items wind_own_items(const wind_state *s, int32_t more);
// Planes [*low, *high) of this rank and `more` on both sides; at least `from`, less than `to`.
void wind_near_planes(const wind_state *s, int32_t more, int32_t from, int32_t to, size_t *low, size_t *high);
// Collective, and nothing on one rank: planes beside those of this rank, from those who have them.
void wind_fill(const wind_state *s, int32_t below, int32_t above, void *array, size_t item);
void wind_fill_air(const wind_state *s, int32_t width); // the velocities
double wind_largest(const wind_state *s, double value);
double wind_count(const wind_state *s, double count);                                  // sum of whole numbers
void wind_join(const wind_state *s, wind_totals *own, size_t count, wind_totals *out); // of blocks, in order
// fn on one rank after the other: what it adds to the reactions of bodies goes on from there, and so does
// `data`.
void wind_in_order(wind_state *s, body_set *bodies, void *data, size_t bytes,
                   void (*fn)(wind_state *s, body_set *bodies, void *data));
// The body's cells in planes [low, high] lie on several ranks: owners in the plane beside the border go on to
// the next rank, and come back.
bool wind_ranks_cross(const wind_state *s, int32_t low, int32_t high);
void wind_hand_up(wind_state *s, uint16_t *owner, int32_t low, int32_t high, bool receive);
firn_status wind_ranks_begin(wind_state *s);
firn_status wind_ranks_end(const wind_state *s, firn_status status);
bool wind_ranks_first(const wind_state *s, bool found, uint64_t *item); // the first of any rank
field_span wind_part_of(const wind_state *s, const void *array, size_t item);
size_t wind_air_planes(const wind_state *s, size_t rank); // planes of wind.air before those of a rank
firn_status wind_begin_air(wind_state *s, const body_set *bodies); // the air as it is at the start
extern const struct firn_model_ranks wind_model_ranks;

// wind_step.c
firn_status wind_step(void *model, body_set *bodies, model_step step);
void wind_start(wind_state *s, wind_inflow_state now); // the undisturbed wind everywhere

#endif
