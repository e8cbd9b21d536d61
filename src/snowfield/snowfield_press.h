// Pressing and spreading snow; only for files of this folder.
#ifndef SNOWFIELD_FIELD_PRESS_H
#define SNOWFIELD_FIELD_PRESS_H

#include "snowfield/snowfield_state.h"

enum { PRESS_MARGIN = 16, PRESS_MOST_MARGIN = 96 }; // cells around a body that take the displaced snow

// Scratch for one body at a time: its cells and a margin around. One per worker.
typedef struct snowfield_press {
    snowfield_rect area;
    snowfield_rect used; // cells of the field that changed
    uint8_t *label;      // by cell of the area: 0 untouched, otherwise inside the overlap or a ring around it
    int32_t *front, *next; // cells (place in the area) of the overlap, then of the last ring
    int32_t *inside;       // the overlap, while front moves on
    int32_t *out;          // by index in `front`: mass that leaves the cell, MASS_UNIT
    double *weight;        // by place in `next`: its share
    size_t fronts;
    size_t capacity[6];
    // For spreading by distance (snowfield_distance.c); the first two by cell of the area, the others by
    // place in `front`.
    float *distance;
    int64_t *carry;
    uint32_t *keys, *order, *other_keys, *other_order;
    // For the heap before a body (snowfield_flood.c), by cell of the area: height of the snow, that plus the
    // fall over its distance, place in the queue.
    float *height, *level;
    int32_t *seat;
    size_t room[9];
} snowfield_press;

// Direction of a body, for the shares of FIELD11 3.7: s_w = (1 - r) max(0, v^ . w^) + r / k, r = 1 -
// |v^_xz|^2.
typedef struct snowfield_heading {
    double x, z; // unit vector of the motion in the plane
    double r;
    double speed; // m/s, in the plane
} snowfield_heading;

// Displacement of snow by one body in one step.
typedef struct pressed {
    firn_vec3 velocity;  // of the body
    snowfield_rect area; // that it may change
    snowfield_rect used; // that it changed around itself
    int64_t mass;        // that must find a new place, MASS_UNIT
    double volume;       // mass over density
    firn_vec3 centre;    // of mass of the body
    struct {
        double mass;    // kg that the body displaced: overlap times density (FIELD11 eq. 3.6)
        firn_vec3 at;   // times mass
    } quarter[4];       // around the centre
    uint64_t first_bit; // number of the first bit that it may throw
    int32_t bits, most_bits;
    struct thrown_bit *thrown; // room for most_bits
} pressed;

typedef struct thrown_bit {
    float position[3], velocity[3], density, size;
    int32_t mass;
} thrown_bit;
enum { BITS_AT_ONCE = 24 }; // that one body throws in one step, at most

typedef struct press_note {
    int32_t x, z, overlap, low; // cell of the field; HEIGHT_UNIT
    float density, pressed_to;  // before and after
    int32_t leaves;             // MASS_UNIT
} press_note;

static inline int32_t press_place(const snowfield_press *w, int32_t x, int32_t z) {
    return (z - w->area.z0) * (w->area.x1 - w->area.x0) + (x - w->area.x0);
}

static inline void press_add(snowfield_press *w, pressed *sum, press_note n) {
    int32_t place = press_place(w, n.x, n.z);
    w->label[place] = 1;
    w->out[w->fronts] = n.leaves;
    w->front[w->fronts++] = place;
    sum->mass += n.leaves;
    sum->volume += n.leaves / (0.5 * ((double)n.density + (double)n.pressed_to));
}

// The heap before a body; w->next are the cells of the contour, w->weight their shares. Returns the mass that
// found no room.
int64_t snowfield_flood(snowfield_state *s, snowfield_press *w, const snowfield_heading *h, size_t contour,
                        size_t inside, int64_t mass, double density);
// The same towards the nearest edge of the overlap; snowfield_distance.c. Returns the mass that found no
// room.
int64_t snowfield_spread_by_distance(snowfield_state *s, snowfield_press *w, const snowfield_heading *h,
                                     double density);
firn_status snowfield_distance_reserve(snowfield_press *w, size_t area, size_t inside);
// As much of the mass as fits below the roof; returns how much that was.
int64_t snowfield_put_some(snowfield_state *s, snowfield_press *w, int32_t x, int32_t z, int64_t mass,
                           double density);
// Throws up part of the snow that a fast body displaces; returns the rest. snowfield_bits.c.
int64_t snowfield_throw(snowfield_state *s, snowfield_press *w, pressed *sum, double density);
void snowfield_bits_add(snowfield_state *s, const pressed *sum); // those that it threw
// The crust of a cell under a body; snowfield_crust.c. It breaks where the body's lower side is `low`; N that
// it bears along the edge of the contact (print of the body, raised by `shift`); what broke is gone after the
// step.
void snowfield_frozen_press(snowfield_state *s, size_t cell, int32_t overlap); // HEIGHT_UNIT
void snowfield_crust_press(snowfield_state *s, size_t cell, int32_t x, int32_t z, int32_t low);
double snowfield_crust_bears(const snowfield_state *s, const snowfield_print *p, int32_t x, int32_t z,
                             int32_t shift);
void snowfield_crust_settle(snowfield_state *s, snowfield_rect cells);
bool snowfield_presses(const snowfield_print *p); // it moves in the snow
// Reaction of the snow on a body; snowfield_contact.c.
typedef struct snowfield_reaction {
    bool any;
    firn_vec3 impulse, twist; // N s, N m s about the centre
} snowfield_reaction;
// The heap in front of body a pushes others; snowfield_wave.c.
firn_status snowfield_waves_find(snowfield_state *s, const body_set *bodies);
void snowfield_waves_feel(snowfield_state *s);
// Those of body a, which are next in the list.
void snowfield_waves_push(const snowfield_state *s, body_set *bodies, size_t a, double dt, size_t *next);
enum { WAVE_CELLS = 48 }; // how far back from the pushed body the pushing one is looked for

// Snow that one body pushes pushes another.
typedef struct snowfield_wave {
    firn_vec3 way;   // unit vector of the pushing body's motion in the plane
    double speed;    // of it
    size_t a, b;     // pushing and pushed
    double strength; // N
    firn_vec3 at;    // times strength
} snowfield_wave;

// All bodies in the snow, in one step.
enum { PRESS_WORKERS = 8 };
typedef struct snowfield_pressing {
    pressed *sum;                 // by body
    snowfield_reaction *reaction; // by body
    size_t count;                 // of bodies in the snow
    // Those bodies from left to right, by the left end of what they may change.
    uint32_t *left, *order, *other_left, *other_order;
    int32_t widest; // of their areas
    // Bodies whose areas overlap press one after the other: chains of bodies, by number.
    uint32_t *chain;  // by body: another one of its chain that comes before it; itself if it is the first
    uint32_t *next;   // by body: the next of its chain, or NO_BODY
    uint32_t *firsts; // of all chains
    size_t chains;
    thrown_bit *thrown;   // BITS_AT_ONCE for each body
    snowfield_wave *wave; // in the order of the bodies that push
    size_t waves, wave_room;
    snowfield_press worker[PRESS_WORKERS];
    double dt;
    const body_set *bodies;
} snowfield_pressing;
#define NO_BODY UINT32_MAX

// Sorts pairs by key, equal ones stay in order; the result is in keys and values. Unlike par_sort it needs no
// memory, so that steps do not.
void snowfield_sort(uint32_t *keys, uint32_t *values, uint32_t *other_keys, uint32_t *other_values, size_t n);
// Changes nothing. roughly: samples some of the cells.
snowfield_reaction snowfield_contact_reaction(const snowfield_state *s, const body_set *bodies, size_t b,
                                              const pressed *sum, double dt, bool roughly);
void snowfield_apply_reaction(body_set *bodies, size_t b, const snowfield_reaction *reaction, double dt);
// Where the print of a body is below the snow; the tiles of sum->area exist. snowfield_press.c.
void snowfield_press_print(snowfield_state *s, snowfield_press *w, const snowfield_print *p, pressed *sum);
// Room for an area, and for a print in it; how far around a print the snow goes. snowfield_pressing.c.
firn_status snowfield_press_reserve(const snowfield_state *s, snowfield_press *w, size_t area, size_t inside);
int32_t snowfield_press_margin(snowfield_rect cells); // a large body pushes a large heap
float snowfield_pressed_density(const snowfield_law *law, float density, float depth, float left);
// Distributes the displaced mass to the cells around; snowfield_spread.c.
void snowfield_spread(snowfield_state *s, snowfield_press *w, pressed *sum);

#endif
