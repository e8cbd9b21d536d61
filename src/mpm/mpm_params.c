// Parameter tables of the MPM model.
#include "mpm/mpm_state.h"

#include <math.h>
#include <stdio.h>

#include "base/plain.h"
#include "body/place_rows.h"
#include "snow/snow_type.h"

static const param_row snow_rows[] = {
    FILL_ROW(firn_mpm_snow_def, fill),
    SNOW_ROW(firn_mpm_snow_def, type, "packed", "snow type; single values may be overridden beside it"),
    BOOL_ROW(firn_mpm_snow_def, measured, "no",
             "young and poisson as measured for the density: 1.89 rho^2.94 Pa, 0.2 + 0.0005 (rho - 300) "
             "(Sigrist; MPM15 eq. 15-16); far stiffer than the type's",
             .live = true),
    REAL_ROW(firn_mpm_snow_def, density, DIM_DENSITY, "auto", 10, 3000,
             "initial density of the snow; denser snow is heavier at the same stiffness",
             .range_note = "fresh snow: about 100 kg/m3, ice 917"),
    REAL_ROW(firn_mpm_snow_def, young, DIM_PRESSURE, "auto", 1e3, 1e11,
             "stiffness (Young's modulus): high keeps the shape and breaks, low deforms; time steps shrink "
             "with its square root",
             .range_note = "fresh snow: about 10 kPa", .live = true),
    REAL_ROW(firn_mpm_snow_def, poisson, DIM_NONE, "auto", 0, 0.49,
             "Poisson's ratio: how much compressed snow expands sideways", .live = true),
    REAL_ROW(firn_mpm_snow_def, critical_compression, DIM_NONE, "auto", 1e-4, 0.9,
             "theta_c: compression beyond this is permanent; small: powder, large: chunky", .live = true),
    REAL_ROW(firn_mpm_snow_def, critical_stretch, DIM_NONE, "auto", 1e-5, 0.9,
             "theta_s: snow stretched beyond this breaks; small: crumbles, large: sticks", .live = true),
    REAL_ROW(firn_mpm_snow_def, hardening, DIM_NONE, "auto", 0, 100,
             "xi: how much stiffer compressed snow gets; high: brittle, low: doughy. For drucker-prager and "
             "cam-clay the power of the density with which strength and stiffness grow",
             .live = true),
    CHOICE_ROW(
        firn_mpm_snow_def, law, "auto", snow_laws,
        "constitutive law: stomakhin (bonded snow that breaks, MPM15), drucker-prager (dry friction: it "
        "flows), cam-clay (friction and cohesion); auto: that of the type"),
    REAL_ROW(firn_mpm_snow_def, friction_angle, DIM_ANGLE, "auto", 0, 1.4,
             "for drucker-prager and cam-clay: angle of internal friction; auto: the type's angle of repose",
             .live = true),
    REAL_ROW(firn_mpm_snow_def, cohesion, DIM_NONE, "auto", 0, 10,
             "for cam-clay: tensile strength as a share of `strength`; 0: none", .live = true),
    REAL_ROW(firn_mpm_snow_def, strength, DIM_PRESSURE, "auto", 1, 1e9,
             "for drucker-prager and cam-clay: pressure above which it compacts; auto: the type's bearing "
             "strength",
             .live = true),
    REAL_ROW(firn_mpm_snow_def, adhesion, DIM_PRESSURE, "auto", 0, 1e7,
             "tension that bodies with `contact: friction` bear at its surface; wet snow sticks to a wall, "
             "dry snow "
             "does not",
             .live = true),
    REAL_ROW(
        firn_mpm_snow_def, softening_length, DIM_LENGTH, "5 cm", 0, 10,
        "width of the zone in which snow breaks: it loses its strength at the same opening of a crack in "
        "coarse and fine cells; 0: at the same strain",
        .live = true),
    REAL_ROW(
        firn_mpm_snow_def, tearing_time, DIM_TIME, "0 s", 0, 1,
        "for stomakhin: time in which snow that is stretched beyond its limit gives way. Short blows tear "
        "it less, and what breaks depends less on the cell: 0.5 ms for things of metres; 0: at once",
        .live = true),
    REAL_ROW(
        firn_mpm_snow_def, clod, DIM_LENGTH, "auto", 0, 100,
        "for stomakhin: size of the lumps that it is made of. It breaks along the seams between them, "
        "which are about a cell wide: at least 6 cells; 0: none; auto: that of the type (icy: 18 cm), at "
        "least 9 cells. Streams have none"),
    REAL_ROW(firn_mpm_snow_def, seam, DIM_NONE, "0.004", 1e-4, 1,
             "share of critical_stretch that snow bears at the seams between clods"),
    REAL_ROW(firn_mpm_snow_def, temperature, DIM_TEMPERATURE, "-5 C", -90, 0,
             "temperature at the start; without mpm.heat it is for colours and exports only",
             .range_note = "snow melts at 0 C", .live = true),
    REAL_ROW(firn_mpm_snow_def, wetness, DIM_NONE, "0", 0, 1,
             "melted share of the mass at the start, for snow at 0 C in a scene with mpm.heat",
             .range_note = "moist: about 5 %, slush: more than 20 %"),
    VELOCITY_ROW(firn_mpm_snow_def),
    SPIN_ROW(firn_mpm_snow_def),
    {0},
};
static const param_table snow_params =
    DEF_TABLE_OF(firn_mpm_snow_def, "mpm.snow", "pieces of snow, by name", snow_rows);

static const param_row emit_rows[] = {
    MERGE_ROW(firn_mpm_emit_def, snow, &snow_params),
    START_ROW(firn_mpm_emit_def, "time at which it begins", .live = true, .was = "from"),
    END_ROW(firn_mpm_emit_def, "time at which it ends", .live = true, .was = "to"),
    REAL_ROW(
        firn_mpm_emit_def, rate, DIM_NONE, "auto", 1e-6, 1e9,
        "mass flow of a stream in kg per second; auto: as much as fits through the shape at its velocity",
        .live = true),
    REAL_ROW(firn_mpm_emit_def, every, DIM_TIME, "0", 0, 1e6,
             "the whole shape appears again after this time: snowballs, one after the other; 0: a stream",
             .live = true),
    {0},
};

static bool is_zero(firn_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

static void check_emit(const void *item, param_report *report) {
    const firn_mpm_emit_def *def = item;
    check_times(def->start, def->end, report);
    if (def->every == 0 && is_zero(def->snow.velocity))
        report->add(report, "", "a stream needs a velocity; for whole pieces, set every: 1 s");
    if (def->every == 0 && !is_zero(def->snow.spin))
        report->add(report, "", "a stream cannot spin; only pieces (every: 1 s) do");
    if (def->every > 0 && !firn_is_auto(def->rate))
        report->add(report, "rate", "rate is for streams; the rate of pieces follows from every");
}

static const param_table emit_params = DEF_TABLE_OF(
    firn_mpm_emit_def, "mpm.emit", "snow that enters over time, by name: a stream through a shape, or pieces",
    emit_rows, .check = check_emit);

static const param_row remove_rows[] = {
    VEC3_ROW(firn_mpm_remove_def, at, DIM_LENGTH, "[0, 0, 0]", -1e6, 1e6, "a point on the plane",
             .live = true),
    VEC3_ROW(firn_mpm_remove_def, normal, DIM_NONE, NULL, 0, 0,
             "points out of the domain: snow that crosses the plane in this direction leaves",
             .required = true, .live = true),
    {0},
};

static void check_remove(const void *item, param_report *report) {
    const firn_mpm_remove_def *def = item;
    if (is_zero(def->normal)) report->add(report, "normal", "a direction must not be [0, 0, 0]");
}

static const param_table remove_params = DEF_TABLE_OF(
    firn_mpm_remove_def, "mpm.remove", "planes where snow leaves, by name; the ledger counts what has left",
    remove_rows, .check = check_remove);

static const param_row heat_rows[] = {
    REAL_ROW(firn_mpm_heat_def, snow_conductivity, DIM_CONDUCTIVITY, "auto", 1e-6, 1e6,
             "thermal conductivity of snow; auto: by its density (Calonne 2011), 0.08 W/mK at 200, 0.38 at "
             "400 kg/m3",
             .live = true),
    REAL_ROW(firn_mpm_heat_def, water_conductivity, DIM_CONDUCTIVITY, "0.6 W/mK", 1e-6, 1e6,
             "thermal conductivity of water", .live = true),
    REAL_ROW(firn_mpm_heat_def, snow_capacity, DIM_HEAT_CAPACITY, "2090 J/kgK", 1, 1e6,
             "specific heat capacity of snow"),
    REAL_ROW(firn_mpm_heat_def, water_capacity, DIM_HEAT_CAPACITY, "4182 J/kgK", 1, 1e6,
             "specific heat capacity of water"),
    REAL_ROW(firn_mpm_heat_def, latent, DIM_HEAT, "334 kJ/kg", 0, 1e8,
             "latent heat that melting absorbs and freezing releases"),
    REAL_ROW(firn_mpm_heat_def, time_lapse, DIM_NONE, "1", 1e-3, 1e6,
             "seconds of heat and sintering per second of motion: shows a day of thaw in a minute",
             .live = true),
    REAL_ROW(firn_mpm_heat_def, exchange, DIM_HEAT_EXCHANGE, "10 W/m2K", 0, 1e7,
             "heat transfer coefficient between open surfaces and the air of the scene; 0: none",
             .range_note = "still air 5, wind 30 W/m2K", .live = true),
    REAL_ROW(firn_mpm_heat_def, radiation, DIM_NONE, "0", -1e4, 1e6,
             "heat in W/m2 that open surfaces absorb from sun and sky, less what they radiate",
             .range_note = "clear night -70, old snow in the sun of spring 200", .live = true),
    REAL_ROW(
        firn_mpm_heat_def, weakening, DIM_NONE, "1", 0, 10,
        "how much temperature and water change stiffness and strength: 1 as they do (half at 0 C of what "
        "it is at -5 C, and a tenth of that with 10 % of water), 0 not at all, 2 the square of it",
        .live = true),
    REAL_ROW(firn_mpm_heat_def, sintering, DIM_TIME, "10 min", 0, 1e9,
             "time in which broken bonds heal at rest at 0 C; nine times as long at -10 C; 0: never",
             .live = true),
    {0},
};
static const param_table heat_params = DEF_TABLE_OF(
    firn_mpm_heat_def, "mpm.heat",
    "heat: conduction, exchange with air and bodies, melting, strength by temperature", heat_rows);

static const char *const kernels[] = {"cubic", "quadratic", NULL};
static const char *const transfers[] = {"auto", "apic", "flip", "asflip", NULL};

static const param_row rows[] = {
    REAL_ROW(
        firn_mpm_def, cell, DIM_LENGTH, "5 cm", 1e-4, 100,
        "edge of a grid cell; half the cell means eight times the particles and sixteen times the work. Snow "
        "may be up to 4 million cells from the origin"),
    INT_ROW(firn_mpm_def, per_cell, "8", 1, 64,
            "particles in a full cell; snow with fewer than 4 breaks apart too early"),
    CHOICE_ROW(firn_mpm_def, kernel, "cubic", kernels,
               "B-spline between particles and grid: cubic is smoother, quadratic faster"),
    CHOICE_ROW(firn_mpm_def, transfer, "auto", transfers,
               "velocity transfer between particles and grid: apic keeps rotation without noise; flip is the "
               "PIC/FLIP blend of MPM15; asflip keeps rotation and most of the energy, and lets broken snow "
               "come apart. Both take 1.6 times as long as apic. auto: asflip where there is snow of the law "
               "drucker-prager, which flows too slowly with apic, and the step is explicit; otherwise apic",
               .live = true),
    REAL_ROW(
        firn_mpm_def, flip_share, DIM_NONE, "auto", 0, 1,
        "for flip and asflip: share of a particle's own velocity that it keeps in a step; 1 does not come "
        "to rest by itself, flip with 0 is PIC, which damps rotation. auto: 0.95 for flip, 0.99 for asflip",
        .live = true),
    REAL_ROW(
        firn_mpm_def, max_step, DIM_TIME, "0", 0, 0.1,
        "longest time step; 0: from the CFL limits of wave speed and velocity; hardening may shorten single "
        "steps",
        .was = "step", .live = true),
    REAL_ROW(firn_mpm_def, implicit, DIM_NONE, "0", 0, 1,
             "semi-implicit step (beta): 0: explicit; 0.5 and above: stable at any time step; 1 damps most",
             .live = true),
    REAL_ROW(firn_mpm_def, implicit_tolerance, DIM_NONE, "0.01", 1e-6, 0.5,
             "the semi-implicit solve ends when its residual has fallen to this share of the initial one",
             .live = true),
    INT_ROW(firn_mpm_def, implicit_iterations, "100", 1, 10000,
            "the semi-implicit solve ends after this many iterations at the latest", .live = true),
    REAL_ROW(firn_mpm_def, floor, DIM_LENGTH, "-100 m", -1e6, 1e6,
             "height of the domain's floor: snow that falls below is removed and counted as lost; where snow "
             "should leave on purpose, use remove",
             .live = true),
    MAP_ROW(firn_mpm_def, snow, &snow_params, "pieces of snow, by name"),
    MAP_ROW(firn_mpm_def, emit, &emit_params, "snow that enters over time, by name"),
    MAP_ROW(firn_mpm_def, remove, &remove_params, "planes where snow leaves, by name"),
    OPTIONAL_ROW(firn_mpm_def, heat, &heat_params,
                 "heat: conduction, exchange with air and bodies, melting, strength by temperature"),
    {0},
};

// Reports a step that is unstable from the start; steps shorten later where hardening requires it.
static void check_step(const firn_world_def *scene, const firn_mpm_def *def, param_report *report) {
    for (size_t i = 0; i < def->snow.count + def->emit.count; i++) {
        bool enters = i >= def->snow.count;
        const firn_mpm_emit_def *emit = enters ? &def->emit.items[i - def->snow.count] : NULL;
        const firn_mpm_snow_def *snow = enters ? &emit->snow : &def->snow.items[i];
        const char *name = enters ? emit->name : snow->name;
        mpm_material m = mpm_material_of(scene, snow, def->cell, 1);
        double wave_speed2 = mpm_wave_speed2(&m), limit = mpm_wave_limit(def, wave_speed2);
        if (def->max_step <= limit) continue;
        char message[320];
        plain_print(
            message, sizeof message,
            "%.3g ms is too long for an explicit step: waves run at %.3g m/s in '%s' and need %.3g ms or "
            "less in cells of %.3g cm; try 'implicit: 0.5', which is stable at any step",
            1e3 * def->max_step, sqrt(wave_speed2), name ? name : "snow", 1e3 * limit, 1e2 * def->cell);
        report->add(report, "mpm.max_step", message);
        return;
    }
}

static void check_wetness(const firn_mpm_def *def, const firn_mpm_snow_def *snow, param_report *report) {
    if (snow->wetness > 0 && !def->heat)
        report->add(report, "snow", "wetness needs heat: add 'heat: {}' to mpm");
    else if (snow->wetness > 0 && snow->temperature < 0)
        report->add(report, "snow", "wet snow has a temperature of 0 C: colder snow holds no water");
}

static void check_mpm(const void *item, param_report *report) {
    const firn_mpm_def *def = item;
    for (size_t i = 0; i < def->snow.count; i++) check_wetness(def, &def->snow.items[i], report);
    for (size_t i = 0; i < def->emit.count; i++) check_wetness(def, &def->emit.items[i].snow, report);
    if (def->snow.count + def->emit.count > 200)
        report->add(report, "snow", "too many: mpm.snow and mpm.emit may have 200 items together");
    if (def->remove.count > 200) report->add(report, "remove", "too many planes: at most 200");
}

const param_table mpm_params =
    DEF_TABLE_OF(firn_mpm_def, "mpm",
                 "snow as a continuum: blocks that fall, break, stick and pile up (material point method)",
                 rows, .check = check_mpm);

DEFAULT_OF(firn_mpm_def, mpm_params)
DEFAULT_OF(firn_mpm_snow_def, snow_params)
DEFAULT_OF(firn_mpm_remove_def, remove_params)
DEFAULT_OF(firn_mpm_heat_def, heat_params)
DEFAULT_OF(firn_mpm_emit_def, emit_params)
static const param_row sections[] = {
    OPTIONAL_ROW(firn_world_def, mpm, &mpm_params,
                 "snow as a continuum: blocks that fall, break, stick and pile up (material point method)"),
    {0},
};
// What depends on the snow types of the scene.
static void check_sections(const void *item, param_report *report) {
    const firn_world_def *scene = item;
    if (!scene->mpm) return;
    if (scene->mpm->snow.count + scene->mpm->emit.count == 0 && !scene->field && !mpm_gets_grains(scene))
        report->add(report, "mpm.snow", "mpm without snow: add a piece under mpm.snow, or mpm.emit");
    check_step(scene, scene->mpm, report);
}
const param_table mpm_sections = TABLE_OF(firn_world_def, "", NULL, sections, .check = check_sections);
