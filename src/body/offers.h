// What a model offers to others. Couplings (src/world/couple_*.c) are written against these tables; models
// never include each other. What a model cannot do is NULL.
#ifndef BODY_OFFERS_H
#define BODY_OFFERS_H

#include "body/model.h"
#include "snow/heat_law.h"

// What a particle is made of.
typedef enum offer_matter { OFFER_SNOW, OFFER_WATER, OFFER_SOLID } offer_matter;

typedef struct offer_particle {
    double at[3];      // m
    float velocity[3]; // m/s
    float mass;        // kg; INFINITY: it is held
    float radius;      // m, of a ball of its volume
    float touch;       // m, radius with which it touches others
    float temperature; // degrees Celsius; NAN: it has none
    offer_matter matter;
    uint32_t part; // of its model: number of the piece of snow, solid or liquid that it belongs to
} offer_particle;

// What holds heat and conducts it to what touches it.
typedef struct offer_heat {
    const heat_law *law;
    double mass, enthalpy; // kg, J/kg
    double resistance;     // m2K/W, from its middle to its surface
    double area;           // m2, with which it touches others at most
} offer_heat;

// Items come in the order of the model's fields, which may change in its steps. Functions that take a range
// are called from tasks, each range once.
typedef struct offer_particles {
    size_t (*count)(const void *model);
    double (*largest)(const void *model); // m, radius; 0: there are none
    void (*read)(const void *model, size_t begin, size_t end, offer_particle *out);
    // Adds to their velocities (m/s); those that are held stay.
    void (*push)(void *model, size_t begin, size_t end, const float (*change)[3]);
    // Shifts them (m) without giving them a velocity.
    void (*shift)(void *model, size_t begin, size_t end, const float (*by)[3]);
    double (*heat_lapse)(const void *model); // s of heat in a second of motion; 0: they have no heat
    void (*read_heat)(const void *model, size_t item, offer_heat *out);
    // Gives one of them heat (J).
    void (*warm)(void *model, size_t item, double heat);
    // New ones of `part` of the model. They count as mass that entered.
    firn_status (*add)(void *model, size_t count, const offer_particle *items);
    // Takes these out, given in ascending order. They count as mass that left.
    firn_status (*take_out)(void *model, size_t count, const uint32_t *items);
} offer_particles;

// A ball that lies on snow or hits it.
typedef struct offer_foot {
    double at[3];      // m, its middle
    float velocity[3]; // m/s
    float mass;        // kg
    float radius;      // m
    float push[3];     // m/s, answer: the change of its velocity
    float shift[3];    // m, answer: how far it is moved out of the snow, without a velocity
} offer_foot;
// Those of one model that are in the snow or close above it, now.
typedef struct offer_feet {
    void *context;
    firn_status (*find)(void *context, const offer_foot **feet, size_t *count); // NULL: there are none
} offer_feet;
enum { OFFER_FEET = 4 }; // models that may stand in one field

// Snow on the ground that others land on, press and dig.
typedef struct offer_ground {
    // m, height of the snow and its slope along x and z; -INFINITY beside it. From tasks.
    float (*height)(const void *model, double x, double z, float slope[2]);
    double (*highest)(const void *model); // m; no snow is higher
    // Balls have moved for dt (s): the snow stops those that come into it as far as it bears them, and gives
    // way to the others.
    firn_status (*press)(void *model, size_t count, offer_foot *feet, double friction, double dt);
    // Asked for at the start of each step: no snow slides to where they are.
    void (*stand)(void *model, offer_feet feet);
    double (*heat_lapse)(const void *model); // s of heat in a second of motion; 0: it has no heat
    // The column below a point and how far the point is from its surface (m); false: there is no snow. Beyond
    // `reach` (m) any greater distance will do. From tasks.
    bool (*column)(const void *model, const double at[3], double reach, uint64_t *column, double *distance);
    void (*read_heat)(const void *model, uint64_t column, offer_heat *out);
    // Gives heat (J) to columns.
    firn_status (*warm)(void *model, size_t count, const uint64_t *column, const double *heat);
} offer_ground;

// Thin things that air catches by their area: squares of cloth and pieces of rope.
typedef struct offer_facet {
    uint32_t corner[4]; // particles, in turn around a square; a piece of rope has the first two
    float width;        // m, of the rope; 0: a square
    float edge;         // m, distance of corners as it was made
} offer_facet;
typedef struct offer_facets {
    size_t (*count)(const void *model);
    void (*read)(const void *model, size_t begin, size_t end, offer_facet *out);
} offer_facets;

// Air or water that others are in.
typedef struct offer_medium_sample {
    float velocity[3]; // m/s
    float density;     // kg/m3; 0: the point is outside
    float temperature; // degrees Celsius
} offer_medium_sample;
// Something that resists it.
typedef struct offer_resistance {
    float at[3];      // m
    float impulse[3]; // N s: that it would take up; then, what it did
    float held[3];    // kg: by axis, change of that for each m/s of the medium
} offer_resistance;
typedef struct offer_medium {
    void (*read)(const void *model, size_t count, const float (*at)[3],
                 offer_medium_sample *out); // from tasks
    // Impulses (N s) that it takes up at these places, one after the other. Outside they are lost.
    void (*push)(void *model, size_t count, const float (*at)[3], const float (*impulse)[3]);
    // Drags things along: each is given its impulse, and the medium loses it. Where things hold more of it
    // than half of its mass they get less: neither passes the other.
    firn_status (*drag)(void *model, size_t count, offer_resistance *items);
} offer_medium;

struct firn_offers {
    const offer_particles *particles;
    const offer_facets *facets;
    const offer_ground *ground;
    const offer_medium *medium;
};

#endif
