// Heat of a column of snow on the ground, per area: the same law for the snow field and the cover. A column
// is as warm as its heat says: below 0 J/m2 it is cold and dry, above 0 it is at 0 C and holds water.
#ifndef SNOW_SNOW_COLUMN_H
#define SNOW_SNOW_COLUMN_H

#include <math.h>

#include "snow/heat_law.h"

#define SNOW_LATENT 334e3        // J/kg
#define SNOW_ICE_CAPACITY 2100.0 // J/kgK
#define SNOW_WATER_CAPACITY 4186.0
#define SNOW_SKIN 0.1 // m; heat goes so deep in a day: sqrt(2 k / (rho c w)), 8 to 11 cm in snow

static const heat_law snow_column_law = {
    .snow_capacity = SNOW_ICE_CAPACITY, .water_capacity = SNOW_WATER_CAPACITY, .latent = SNOW_LATENT};

// What acts on the surface.
typedef struct snow_forcing {
    double warm;      // degrees Celsius, of the air or of a body
    double exchange;  // W/m2K, to it
    double radiation; // W/m2
} snow_forcing;

// W/m2K between snow and air. Calm air: what snow at 0 C radiates, 4 e sigma T^3 = 4.5, and free convection.
// Wind: rho c_p k^2 u / ln(z / z0)^2 over snow of z0 = 1 mm; u in m/s at a height z (m).
#define SNOW_CALM_EXCHANGE 6.3
static inline double snow_exchange(double wind, double height) {
    double heights = log(fmax(height, 0.02) / 1e-3);
    return SNOW_CALM_EXCHANGE + 1.293 * 1005 * 0.16 * wind / (heights * heights);
}
// Where no wind is given: that of 5 m/s at 10 m, which is the degree-day factor of 4.8 mm / (C day).
#define SNOW_DEGREE_EXCHANGE (0.2 / 3600 * SNOW_LATENT)

// W/mK, by density (kg/m3): Calonne 2011, as in snow_thermal.h.
static inline double snow_column_conductivity(double density) {
    return fmin((2.5e-6 * density - 1.23e-4) * density + 0.024, 2.2);
}

static inline double snow_column_temperature(double mass, double heat) {
    return mass > 0 ? heat_temperature(&snow_column_law, heat / mass) : 0;
}
static inline double snow_column_water(double mass, double heat) { // kg/m2
    return mass > 0 ? mass * heat_melted(&snow_column_law, heat / mass) : 0;
}
// kg/m2 of water beyond what its ice holds.
static inline double snow_column_excess(double mass, double heat, double retention) {
    double water = snow_column_water(mass, heat);
    return fmax(water - retention * (mass - water), 0);
}

// Cold snow under a surface below 0 C: it goes towards the temperature at which nothing flows, W/m2 and K
// being linear; `conducts` (0 .. 1] is what the snow below the surface lets through. Returns J/m2.
static inline double snow_column_relax(double capacity, double heat, const snow_forcing *f, double conducts,
                                       double dt) {
    double in = f->exchange * f->warm + f->radiation, rate = f->exchange * conducts / capacity;
    if (!(rate * dt > 1e-12)) return in * conducts * dt;
    return capacity * (in / f->exchange - heat / capacity) * -expm1(-rate * dt);
}

// Heat (J/m2) that a column takes up in dt, solved exactly for any dt. Below 0 C its surface is as warm as
// the flow from outside and the flow into the snow (through at most SNOW_SKIN) make it; a surface at 0 C
// takes up all that comes, since its water sinks in and freezes where it is cold. It ends when all is water.
// Wet snow freezes from above, through the crust that has frozen already (m). *melts: kg/m2 of ice that
// melted at the surface, even if it froze again below.
static inline double snow_column_gain(double mass, double heat, double density, double crust,
                                      const snow_forcing *f, double dt, double *melts) {
    *melts = 0;
    if (!(mass > 0)) return 0;
    double in = f->exchange * f->warm + f->radiation, start = heat, capacity = mass * SNOW_ICE_CAPACITY;
    double middle = fmin(0.5 * mass / density, SNOW_SKIN),
           thick = heat > 0 ? fmin(fmax(crust, 0.01), middle) : middle;
    double skin = snow_column_conductivity(density) / thick;
    double conducts = skin / (f->exchange + skin);
    if (in <= 0) {
        double freezes = heat > 0 ? fmin(heat, -in * conducts * dt) : 0; // J/m2
        heat -= freezes;
        if (heat > 0) return heat - start;
        if (freezes > 0) dt -= freezes / (-in * conducts);
        return heat + snow_column_relax(capacity, heat, f, conducts, dt) - start;
    }
    double melts_from = -in / skin * capacity; // heat at which the surface comes to 0 C
    if (heat < melts_from) {
        double level = f->exchange > 0 ? capacity * in / f->exchange : INFINITY; // heat it goes towards
        double rate = f->exchange * conducts / capacity;
        double takes = f->exchange > 0 ? log((level - heat) / (level - melts_from)) / rate
                                       : (melts_from - heat) / (in * conducts);
        if (takes >= dt) return snow_column_relax(capacity, heat, f, conducts, dt);
        heat = melts_from;
        dt -= takes;
    }
    double end = fmax(fmin(heat + in * dt, mass * SNOW_LATENT), start);
    *melts = (end - heat) / SNOW_LATENT;
    return end - start;
}

#endif
