// The heat that snow and water hold: enthalpy, temperature and melted share, the same for all models.
#ifndef SNOW_HEAT_LAW_H
#define SNOW_HEAT_LAW_H

typedef struct heat_law {
    double snow_conductivity, water_conductivity; // W/mK, > 0
    double snow_capacity, water_capacity;         // J/kgK, > 0
    double latent;                                // J/kg; 0: changes at once (PHASE21)
    double freeze;                                // degrees Celsius
} heat_law;

// Enthalpy (J/kg) is 0 where all is frozen and about to melt.
static inline double heat_temperature(const heat_law *law, double enthalpy) { // degrees Celsius
    if (enthalpy < 0) return law->freeze + enthalpy / law->snow_capacity;
    return law->freeze + (enthalpy > law->latent ? (enthalpy - law->latent) / law->water_capacity : 0);
}
// 0 all frozen, 1 all liquid.
static inline double heat_melted(const heat_law *law, double enthalpy) {
    if (enthalpy <= 0) return 0;
    return enthalpy < law->latent ? enthalpy / law->latent : 1;
}
// `melted` counts only at the freezing point; elsewhere it follows from the temperature.
static inline double heat_enthalpy(const heat_law *law, double temperature, double melted) {
    double above = temperature - law->freeze;
    if (above < 0) return above * law->snow_capacity;
    return above > 0 ? law->latent + above * law->water_capacity : melted * law->latent;
}

// The enthalpy after so much heat (J/kg; below 0: taken away), which ends at -90 and 100 degrees Celsius.
static inline double heat_added(const heat_law *law, double enthalpy, double heat) {
    double low = heat_enthalpy(law, -90, 0), high = heat_enthalpy(law, 100, 1), after = enthalpy + heat;
    if (heat > 0) return after < high ? after : (enthalpy > high ? enthalpy : high);
    return after > low ? after : (enthalpy < low ? enthalpy : low);
}

#endif
