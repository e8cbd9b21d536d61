// The section `snow_types` of a scene: snow like another one but for some numbers.
#include "snow/snow_type.h"

#define AUTO_ROW(member, dim, low, high, ...)                                                                \
    REAL_ROW(firn_snow_type_def, member, dim, "auto", low, high, __VA_ARGS__)

const char *const snow_laws[] = {"auto", "stomakhin", "drucker-prager", "cam-clay", NULL};

static const param_row rows[] = {
    SNOW_ROW(firn_snow_type_def, from, "packed",
             "snow type whose values it takes where none are given; if it is one of the scene's own, it must "
             "come before this one"),
    TEXT_ROW(firn_snow_type_def, character, "description in a few words", .unhashed = true),
    AUTO_ROW(density, DIM_DENSITY, 1, 3e4, "density of items that give none"),
    AUTO_ROW(density_low, DIM_DENSITY, 1, 3e4,
             "density of its loosest form, on the ground; auto: that of `from`, at most `density`"),
    AUTO_ROW(density_high, DIM_DENSITY, 1, 3e4,
             "density of its densest form, compacted; auto: that of `from`, at least `density`"),
    AUTO_ROW(friction, DIM_NONE, 0, 10, "Coulomb friction coefficient of bodies and grains made of it"),
    AUTO_ROW(restitution, DIM_NONE, 0, 1, "coefficient of restitution of bodies and grains made of it"),
    AUTO_ROW(angle_of_repose, DIM_ANGLE, 0, 1.55, "steepest slope on which it lies"),
    AUTO_ROW(young, DIM_PRESSURE, 1e2, 1e10,
             "Young's modulus of the snow law of mpm, softer than measured so that it can be simulated"),
    AUTO_ROW(poisson, DIM_NONE, 0, 0.49, "Poisson's ratio of the snow law"),
    AUTO_ROW(critical_compression, DIM_NONE, 0, 1, "compression beyond which it yields and hardens: theta_c"),
    AUTO_ROW(critical_stretch, DIM_NONE, 0, 1, "stretch beyond which it yields and breaks: theta_s"),
    AUTO_ROW(hardening, DIM_NONE, 0, 100,
             "how fast it hardens when it is compressed: xi; for drucker-prager and cam-clay the power of "
             "the density"),
    CHOICE_ROW(
        firn_snow_type_def, law, "auto", snow_laws,
        "constitutive law of mpm: stomakhin (bonded snow that breaks, MPM15), drucker-prager (dry, flows), "
        "cam-clay (friction and cohesion); auto: that of `from`"),
    AUTO_ROW(cohesion, DIM_NONE, 0, 10, "for cam-clay: tensile strength as a share of `strength`"),
    AUTO_ROW(
        strength, DIM_PRESSURE, 0, 1e9,
        "pressure at which drucker-prager and cam-clay compact in mpm; 0: such that they bear a plate with "
        "`bearing`"),
    AUTO_ROW(adhesion, DIM_PRESSURE, 0, 1e7,
             "tension that bears at the surface of bodies: it sticks to them"),
    AUTO_ROW(max_density, DIM_DENSITY, 100, 3e4,
             "density without pores, which it cannot exceed; ice: 917 kg/m3"),
    AUTO_ROW(bearing, DIM_PRESSURE, 1, 1e9,
             "pressure that it bears on the ground under a plate, at its density; also in mpm, but for types "
             "with a `strength`"),
    AUTO_ROW(bearing_power, DIM_NONE, 0, 20, "exponent of the density in its bearing strength"),
    AUTO_ROW(drift_threshold, DIM_VELOCITY, 0, 100, "friction velocity of the wind above which it drifts"),
    COLOR_ROW(firn_snow_type_def, color, "auto", "colour of bodies made of it, and of the snow field"),
    {0},
};

static void check(const void *item, param_report *report) {
    const firn_snow_type_def *def = item;
    if (def->density < def->density_low) report->add(report, "density", "is below density_low");
    if (def->density > def->density_high) report->add(report, "density", "is above density_high");
    if (def->density_high < def->density_low) report->add(report, "density_high", "is below density_low");
}

const param_table snow_type_params = DEF_TABLE_OF(
    firn_snow_type_def, "snow_types", "snow types of the scene's own, by name", rows, .check = check);

DEFAULT_OF(firn_snow_type_def, snow_type_params)
