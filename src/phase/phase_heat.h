// Heat of particles (PHASE21 6.1, with the latent heat that it names as missing): conduction between
// neighbours, exchange with the air through the open surface, and with bodies of given temperature. The
// unknown is the enthalpy: while a particle melts or freezes, its temperature stands still and the melted
// part grows or shrinks. Pair fluxes are antisymmetric; boundary fluxes are summed in heat_totals.
#ifndef PHASE_PHASE_HEAT_H
#define PHASE_PHASE_HEAT_H

#include "pbd/pbd_fluid.h"

#include <math.h>

#include "snow/heat_law.h"

// ---- surroundings

// Temperature over time, straight between the rows and constant before and after them.
typedef struct heat_air_row {
    double time, temperature; // s of the heat's clock (time_lapse times that of motion), degrees Celsius
} heat_air_row;

// A body that holds its temperature. How far a particle is from it is in the walls of its block.
typedef struct heat_body {
    double temperature; // degrees Celsius; NAN: no heat passes
    double contact;     // W/m2K, of the surface, in series with the particle's own half; INFINITY: none lost
} heat_body;

typedef enum heat_method { HEAT_AUTO, HEAT_EXPLICIT, HEAT_IMPLICIT } heat_method;

typedef struct heat_def {
    heat_law law;
    heat_method method; // auto: explicit up to a few sub-steps
    double h, spacing;  // m, of the kernel and of particles at rest; larger ones have a larger kernel
    double time_lapse;  // seconds of heat in a second of motion
    double every;       // s of motion: heat waits until so much has passed; 0: never
    double exchange;    // W/m2K, with the air; 0: none
    const heat_air_row *air;
    size_t air_rows; // at least one if exchange > 0
} heat_def;

// Heat that came from outside since the start, J. State: part of checkpoints.
typedef struct heat_totals {
    double air, bodies; // bodies: and other models
    double sources;     // with particles that entered or left; counted by the owner
    double waiting;     // s of motion that heat has still to catch up with
} heat_totals;

// ---- the model

// Rows of one task, and the walls near them in the order of rows (d = n x - offset; body UINT32_MAX: a wall
// without temperature). Every particle has exactly one row; whoever is in j's list has j in its own.
typedef struct heat_block {
    fluid_rows rows;
    const fluid_wall *wall;
    size_t walls;
} heat_block;

// The particles as they stand now; the number `count` in a list is nobody.
typedef struct heat_parts {
    size_t count;
    const float (*at)[4]; // x, y, z (m); the fourth is not looked at
    const float *mass;    // kg
    const float *volume;  // m3; NULL: spacing^3 each
    double *enthalpy;     // J/kg; state, sorted along by the owner
    const heat_block *block;
    size_t blocks;
    const heat_body *body; // by number of body
    size_t bodies;
} heat_parts;

typedef struct heat heat;
firn_status heat_create(const heat_def *def, heat **out);
void heat_destroy(heat *h);
void heat_set_air(heat *h, double temperature); // degrees Celsius, from now on
// Conductivities, method, time_lapse, every and exchange of a def; the rest stays.
void heat_change(heat *h, const heat_def *def);
// Lists end at `radius` (m), before the kernels of large particles do.
void heat_set_search_radius(heat *h, double radius);
// Advances the enthalpies by `dt` seconds of motion (time_lapse times as many of heat), or lets them wait;
// `time`: of motion, at the start. Particles may change places in the arrays between two steps.
firn_status heat_step(heat *h, const heat_parts *p, double time, double dt);

heat_totals *heat_totals_of(heat *h);
double heat_air_at(const heat *h, double time); // degrees Celsius, at a time of motion
#endif
