#include "mpm/mpm_state.h"

#include <math.h>
#include <stdio.h>

#include "base/plain.h"
#include "snow/snow_type.h"

#define FILL(member) offsetof(firn_fill_def, member)
#define SNOW(member) offsetof(firn_mpm_snow_def, member)
#define EMIT(member) offsetof(firn_mpm_emit_def, member)
#define REMOVE(member) offsetof(firn_mpm_remove_def, member)
#define MPM(member) offsetof(firn_mpm_def, member)

static const param_row fill_rows[] = {
    {.name = "shape",
     .type = PARAM_VARIANT,
     .offset = FILL(shape),
     .variants = shape_variants,
     .required = true,
     .help = "what is filled with snow: any closed shape or mesh"},
    {.name = "at",
     .type = PARAM_VEC3,
     .offset = FILL(at),
     .unit = DIM_LENGTH,
     .fallback = "[0, 0, 0]",
     .help = "where the shape's origin is"},
    {.name = "rotate",
     .type = PARAM_VEC3,
     .offset = FILL(rotate),
     .unit = DIM_ANGLE,
     .fallback = "[0, 0, 0]",
     .help = "turned about x, then y, then z"},
    {.name = "scale",
     .type = PARAM_REAL,
     .offset = FILL(scale),
     .fallback = "1",
     .min = 1e-4,
     .max = 1e4,
     .help = "enlarges the shape"},
    {0},
};
static void check_fill(const void *item, param_report *report) {
    const firn_fill_def *def = item;
    if (def->shape.kind == FIRN_SHAPE_PLANE)
        report->add(report, "shape", "a plane is infinite and cannot be filled; use a box");
}

static const param_table fill_params = {.name = "mpm.snow.fill",
                                        .help = "the shape that is filled with snow, and its place",
                                        .rows = fill_rows,
                                        .size = sizeof(firn_fill_def),
                                        .check = check_fill};

static const param_row snow_rows[] = {
    {.name = "fill",
     .type = PARAM_TABLE,
     .offset = SNOW(fill),
     .table = &fill_params,
     .required = true,
     .help = "the shape that is filled"},
    {.name = "type",
     .type = PARAM_WORD,
     .offset = SNOW(type),
     .fallback = "packed",
     .words = snow_type_names,
     .help = "snow type; single values may be given beside it"},
    {.name = "measured",
     .type = PARAM_BOOL,
     .offset = SNOW(measured),
     .fallback = "no",
     .help = "young and poisson as measured for the density: 1.89 rho^2.94 Pa, 0.2 + 0.0005 (rho - 300) "
             "(Sigrist; MPM15 eq. 15-16); far stiffer than the type's"},
    {.name = "density",
     .type = PARAM_REAL,
     .offset = SNOW(density),
     .unit = DIM_DENSITY,
     .fallback = "auto",
     .min = 10,
     .max = 3000,
     .help = "mass per volume of the snow at the start; denser snow is heavier at the same stiffness",
     .range_note = "fresh snow: about 100 kg/m3, ice 917"},
    {.name = "young",
     .type = PARAM_REAL,
     .offset = SNOW(young),
     .unit = DIM_PRESSURE,
     .fallback = "auto",
     .min = 1e3,
     .max = 1e11,
     .help =
         "stiffness (Young's modulus): high keeps the shape and breaks, low deforms; time steps shrink with "
         "its root",
     .range_note = "fresh snow: about 10 kPa"},
    {.name = "poisson",
     .type = PARAM_REAL,
     .offset = SNOW(poisson),
     .fallback = "auto",
     .min = 0,
     .max = 0.49,
     .help = "how much compressed snow expands sideways"},
    {.name = "critical_compression",
     .type = PARAM_REAL,
     .offset = SNOW(critical_compression),
     .fallback = "auto",
     .min = 1e-4,
     .max = 0.9,
     .help = "theta_c: compression beyond this is permanent; small: powder, large: chunky"},
    {.name = "critical_stretch",
     .type = PARAM_REAL,
     .offset = SNOW(critical_stretch),
     .fallback = "auto",
     .min = 1e-5,
     .max = 0.9,
     .help = "theta_s: snow stretched beyond this breaks; small: crumbles, large: sticks"},
    {.name = "hardening",
     .type = PARAM_REAL,
     .offset = SNOW(hardening),
     .fallback = "auto",
     .min = 0,
     .max = 100,
     .help = "xi: how much stiffer compressed snow gets; high: brittle, low: doughy"},
    {.name = "temperature",
     .type = PARAM_REAL,
     .offset = SNOW(temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "-5 C",
     .min = -90,
     .max = 0,
     .help = "for colours and exports only: the law of this model does not depend on temperature"},
    {.name = "velocity",
     .type = PARAM_VEC3,
     .offset = SNOW(velocity),
     .unit = DIM_VELOCITY,
     .fallback = "[0, 0, 0]",
     .help = "at the start"},
    {.name = "spin",
     .type = PARAM_VEC3,
     .offset = SNOW(spin),
     .unit = DIM_SPIN,
     .fallback = "[0, 0, 0]",
     .help = "at the start, about the middle of the snow"},
    {0},
};
static const param_table snow_params = {.name = "mpm.snow",
                                        .help = "pieces of snow, by name",
                                        .rows = snow_rows,
                                        .size = sizeof(firn_mpm_snow_def)};

static const param_row emit_rows[] = {
    {.name = "snow", .type = PARAM_MERGE, .offset = EMIT(snow), .table = &snow_params},
    {.name = "from",
     .type = PARAM_REAL,
     .offset = EMIT(from),
     .unit = DIM_TIME,
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .help = "when it begins"},
    {.name = "to",
     .type = PARAM_REAL,
     .offset = EMIT(to),
     .unit = DIM_TIME,
     .fallback = "1000000 s",
     .min = 0,
     .max = 1e6,
     .help = "when it ends"},
    {.name = "rate",
     .type = PARAM_REAL,
     .offset = EMIT(rate),
     .fallback = "auto",
     .min = 1e-6,
     .max = 1e9,
     .help = "kg per second of a stream; auto: as much as fits through the shape at its velocity"},
    {.name = "every",
     .type = PARAM_REAL,
     .offset = EMIT(every),
     .unit = DIM_TIME,
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .help = "the whole shape appears again after this time: snowballs, one after the other; 0: a stream"},
    {0},
};

static bool is_zero(firn_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

static void check_emit(const void *item, param_report *report) {
    const firn_mpm_emit_def *def = item;
    if (def->to <= def->from) report->add(report, "to", "must be later than from");
    if (def->every == 0 && is_zero(def->snow.velocity))
        report->add(report, "", "a stream needs a velocity; for whole pieces, set every: 1 s");
    if (def->every == 0 && !is_zero(def->snow.spin))
        report->add(report, "", "a stream cannot spin; only pieces (every: 1 s) do");
    if (def->every > 0 && def->rate >= 0)
        report->add(report, "rate", "rate is for streams; the rate of pieces follows from every");
}

static const param_table emit_params = {
    .name = "mpm.emit",
    .help = "snow that enters over time, by name: a stream through a shape, or pieces",
    .rows = emit_rows,
    .size = sizeof(firn_mpm_emit_def),
    .check = check_emit};

static const param_row remove_rows[] = {
    {.name = "at",
     .type = PARAM_VEC3,
     .offset = REMOVE(at),
     .unit = DIM_LENGTH,
     .fallback = "[0, 0, 0]",
     .min = -1e6,
     .max = 1e6,
     .help = "a point of the plane"},
    {.name = "normal",
     .type = PARAM_VEC3,
     .offset = REMOVE(normal),
     .required = true,
     .help = "points out of the domain: snow that crosses the plane in this direction leaves"},
    {0},
};

static void check_remove(const void *item, param_report *report) {
    const firn_mpm_remove_def *def = item;
    if (is_zero(def->normal)) report->add(report, "normal", "a direction must not be [0, 0, 0]");
}

static const param_table remove_params = {
    .name = "mpm.remove",
    .help = "planes where snow leaves, by name; the ledger counts what has left",
    .rows = remove_rows,
    .size = sizeof(firn_mpm_remove_def),
    .check = check_remove};

static const char *const kernels[] = {"cubic", "quadratic", NULL};
static const char *const transfers[] = {"apic", "flip", NULL};

static const param_row rows[] = {
    {.name = "cell",
     .type = PARAM_REAL,
     .offset = MPM(cell),
     .unit = DIM_LENGTH,
     .fallback = "5 cm",
     .min = 1e-4,
     .max = 100,
     .help = "edge of a grid cell; half of it: eight times the particles, sixteen times the work"},
    {.name = "per_cell",
     .type = PARAM_INT,
     .offset = MPM(per_cell),
     .fallback = "8",
     .min = 1,
     .max = 64,
     .help = "particles in a full cell; fewer than 4 tear early"},
    {.name = "kernel",
     .type = PARAM_CHOICE,
     .offset = MPM(kernel),
     .fallback = "cubic",
     .choices = kernels,
     .help = "B-spline between particles and grid: cubic is smoother, quadratic faster"},
    {.name = "transfer",
     .type = PARAM_CHOICE,
     .offset = MPM(transfer),
     .fallback = "apic",
     .choices = transfers,
     .help = "velocity transfer between particles and grid: apic keeps rotation without noise, flip is the "
             "PIC/FLIP "
             "blend of MPM15 and takes 1.6 times as long"},
    {.name = "flip_share",
     .type = PARAM_REAL,
     .offset = MPM(flip_share),
     .fallback = "0.95",
     .min = 0,
     .max = 1,
     .help =
         "for flip: share of a particle's own velocity that it keeps; 0 is PIC, which damps rotation; near 1 "
         "is noisy"},
    {.name = "step",
     .type = PARAM_REAL,
     .offset = MPM(step),
     .unit = DIM_TIME,
     .fallback = "0",
     .min = 0,
     .max = 0.1,
     .help = "time step; 0: from the CFL limits of wave speed and velocity. Packed snow hardens, which may "
             "shorten single steps"},
    {.name = "implicit",
     .type = PARAM_REAL,
     .offset = MPM(implicit),
     .fallback = "0",
     .min = 0,
     .max = 1,
     .help = "semi-implicit step (beta): 0 explicit; 0.5 and above stable at any step, 1 damps most"},
    {.name = "implicit_tolerance",
     .type = PARAM_REAL,
     .offset = MPM(implicit_tolerance),
     .fallback = "0.01",
     .min = 1e-6,
     .max = 0.5,
     .help = "the semi-implicit solve ends when its residual has fallen to this share of the initial one"},
    {.name = "implicit_iterations",
     .type = PARAM_INT,
     .offset = MPM(implicit_iterations),
     .fallback = "100",
     .min = 1,
     .max = 10000,
     .help = "the semi-implicit solve ends after this many iterations at the latest"},
    {.name = "floor",
     .type = PARAM_REAL,
     .offset = MPM(floor),
     .unit = DIM_LENGTH,
     .fallback = "-100 m",
     .min = -1e6,
     .max = 1e6,
     .help = "height of the domain's floor: snow that falls below is removed and counted as lost; where snow "
             "should "
             "leave on purpose, use remove"},
    {.name = "snow",
     .type = PARAM_MAP,
     .offset = MPM(snow),
     .table = &snow_params,
     .help = "pieces of snow, by name"},
    {.name = "emit",
     .type = PARAM_MAP,
     .offset = MPM(emit),
     .table = &emit_params,
     .help = "snow that enters over time, by name"},
    {.name = "remove",
     .type = PARAM_MAP,
     .offset = MPM(remove),
     .table = &remove_params,
     .help = "planes where snow leaves, by name"},
    {0},
};

// Reports a step that is unstable from the start; steps shorten later where hardening requires it.
static void check_step(const firn_mpm_def *def, param_report *report) {
    for (size_t i = 0; i < def->snow.count + def->emit.count; i++) {
        bool enters = i >= def->snow.count;
        const firn_mpm_emit_def *emit = enters ? &def->emit.items[i - def->snow.count] : NULL;
        const firn_mpm_snow_def *snow = enters ? &emit->snow : &def->snow.items[i];
        const char *name = enters ? emit->name : snow->name;
        mpm_material m = mpm_material_of(snow, 1);
        double wave_speed2 = (m.lambda + 2 * m.mu) / m.density, limit = mpm_wave_limit(def, wave_speed2);
        if (def->step <= limit) continue;
        char message[320];
        plain_print(
            message, sizeof message,
            "%.3g ms is too long for an explicit step: waves run at %.3g m/s in '%s' and need %.3g ms or "
            "less in cells of %.3g cm; try 'implicit: 0.5', which is stable at any step",
            1e3 * def->step, sqrt(wave_speed2), name ? name : "snow", 1e3 * limit, 1e2 * def->cell);
        report->add(report, "step", message);
        return;
    }
}

static void check_mpm(const void *item, param_report *report) {
    const firn_mpm_def *def = item;
    if (def->snow.count + def->emit.count == 0)
        report->add(report, "snow", "mpm without snow: add a piece under mpm.snow, or mpm.emit");
    if (def->snow.count + def->emit.count > 200)
        report->add(report, "snow", "at most 200 pieces of snow and places where it enters");
    if (def->remove.count > 200) report->add(report, "remove", "at most 200 planes");
    check_step(def, report);
}

const param_table mpm_params = {
    .name = "mpm",
    .help = "snow as a continuum: blocks that fall, break, stick and pile up (material point method)",
    .rows = rows,
    .size = sizeof(firn_mpm_def),
    .check = check_mpm};

firn_mpm_def firn_mpm_def_default(void) {
    firn_mpm_def def;
    param_defaults(&mpm_params, &def);
    return def;
}

firn_mpm_snow_def firn_mpm_snow_def_default(void) {
    firn_mpm_snow_def def;
    param_defaults(&snow_params, &def);
    return def;
}

firn_mpm_remove_def firn_mpm_remove_def_default(void) {
    firn_mpm_remove_def def;
    param_defaults(&remove_params, &def);
    return def;
}

firn_mpm_emit_def firn_mpm_emit_def_default(void) {
    firn_mpm_emit_def def;
    param_defaults(&emit_params, &def);
    return def;
}

static const param_row sections[] = {
    {.name = "mpm",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, mpm),
     .table = &mpm_params,
     .help = "snow as a continuum: blocks that fall, break, stick and pile up (material point method)"},
    {0},
};
const param_table mpm_sections = {.name = "", .rows = sections, .size = sizeof(firn_world_def)};
