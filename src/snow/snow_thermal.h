// What temperature and water do to snow (lane C): conductivity, strength, stickiness and sintering. The types
// of snow are what they are at -5 C, dry and unbroken; there all factors are 1. Temperatures in degrees
// Celsius, water as a share of the volume.
#ifndef SNOW_SNOW_THERMAL_H
#define SNOW_SNOW_THERMAL_H

#include "lane/lane.h"

// W/mK, by density (kg/m3): Calonne 2011; at most that of ice.
LANE_INLINE real snow_conductivity(real density) {
    return r_min((R(2.5e-6f) * density - R(1.23e-4f)) * density + R(0.024f), R(2.2f));
}

// Dry snow: it stiffens as it gets colder, ever less, and falls the more the nearer it is to melting: 0.5 at
// 0 C, 1 at -5 C, 1.25 at -10 C, 1.5 far below.
LANE_INLINE real snow_cold_strength(real temperature) {
    return R(1.5f) - r_exp(r_min(temperature, R(0)) * R(0.1386294f)); // 2^(T / 5)
}

// Water dissolves bonds between grains: e^(-0.235 w), w in percent (Yamanoi 2002).
LANE_INLINE real snow_wet_strength(real water) { return r_exp(R(-23.5f) * r_max(water, R(0))); }

// Factor on stiffness and strength; power: of both, 0: always 1. Slush keeps a hundredth, so that it
// still fills its volume.
#define SNOW_SLUSH_STRENGTH 0.01f
LANE_INLINE real snow_thermal_strength(real temperature, real water, real power) {
    real factor = r_max(snow_cold_strength(temperature) * snow_wet_strength(water), R(SNOW_SLUSH_STRENGTH));
    return r_exp(power * r_log(factor));
}

// Slush has hardly any friction either: from about 8 % of water on it follows the strength.
LANE_INLINE real snow_thermal_friction(real strength) { return r_clamp(strength * R(12.5f), R(0.05f), R(1)); }

// Capillary bridges make snow stick: most at 4 % of water (1), nothing when dry or full of water.
LANE_INLINE real snow_wet_stickiness(real water) {
    real x = r_max(water, R(0)) * R(25);
    return x * r_exp(R(1) - x);
}

// Rate at which bonds grow, over that of dry snow at 0 C: Arrhenius with 134 kJ/mol, the activation energy of
// ice near melting: a ninth at -10 C, a hundredth at -20 C. Moist snow is faster, slush has no bonds.
LANE_INLINE real snow_sintering(real temperature, real water) {
    real t = r_clamp(temperature, R(-90), R(0));
    real dry = r_exp(R(59.0f) * t / (R(273.15f) + t)); // 134e3 / (8.314 273.15)
    return dry * (R(1) + R(9) * snow_wet_stickiness(water)) * r_max(R(1) - r_max(water, R(0)) * R(4), R(0));
}
// Share of it that is left in snow that deforms (1/s): bonds grow at rest.
LANE_INLINE real snow_at_rest(real rate) {
    real x = rate * R(20);
    return R(1) / (R(1) + x * x);
}

// Sintering undoes the loosening of J_P without changing its volume: `healed` (0 .. 1] is the factor. What
// was never loosened has nothing to heal.
LANE_INLINE real snow_bonded(real jp, real healed) {
    return r_select(r_gt(jp, R(1)), r_max(jp * healed, R(1)), jp);
}

#endif
