#include "pbd/pbd_params.h"

#include <math.h>
#include <stdio.h>

#define FILL(member) offsetof(firn_fill_def, member)
#define SOLID(member) offsetof(firn_pbd_solid_def, member)
#define WALLS(member) offsetof(firn_pbd_walls_def, member)
#define PIN(member) offsetof(firn_pbd_pin_def, member)
#define PBD(member) offsetof(firn_pbd_def, member)

static const char *const patterns[] = {"regular", "jittered", "blue_noise", NULL};
static const char *const links[] = {"all_pairs", "decimated", "neighbours", "shape", "loose", NULL};
static const char *const solvers[] = {"gauss_seidel", "jacobi", "jacobi_particle", NULL};
static const char *const integrators[] = {"euler", "verlet", NULL};
static const char *const elasticities[] = {"compliance", "plain", NULL};

const param_row pbd_fill_rows[] = {
    {.name = "shape",
     .type = PARAM_VARIANT,
     .offset = FILL(shape),
     .fallback = "box",
     .variants = shape_variants,
     .help = "any closed shape or mesh"},
    {.name = "at",
     .type = PARAM_VEC3,
     .offset = FILL(at),
     .unit = DIM_LENGTH,
     .fallback = "[0, 0, 0]",
     .min = -1e5,
     .max = 1e5,
     .help = "position of the shape's origin"},
    {.name = "rotate",
     .type = PARAM_VEC3,
     .offset = FILL(rotate),
     .unit = DIM_ANGLE,
     .fallback = "[0, 0, 0]",
     .min = -1e4,
     .max = 1e4,
     .help = "rotation about x, then y, then z"},
    {.name = "scale",
     .type = PARAM_REAL,
     .offset = FILL(scale),
     .fallback = "1",
     .min = 1e-4,
     .max = 1e4,
     .help = "factor in all directions"},
    {0},
};
static const param_table fill_params = {.name = "pbd.solids",
                                        .help = "the shape that is filled, and its pose",
                                        .rows = pbd_fill_rows,
                                        .size = sizeof(firn_fill_def)};
static const param_table where_params = {.name = "pbd.pins",
                                         .help = "a shape, and its pose",
                                         .rows = pbd_fill_rows,
                                         .size = sizeof(firn_fill_def)};

static const param_row solid_rows[] = {
    {.name = "fill", .type = PARAM_MERGE, .offset = SOLID(fill), .table = &fill_params},
    {.name = "lattice",
     .type = PARAM_VEC3,
     .offset = SOLID(lattice),
     .fallback = "[0, 0, 0]",
     .min = 0,
     .max = 1e6,
     .help = "particles along x, y and z, instead of a shape: [40, 1, 1] is a rope, [30, 1, 20] a cloth"},
    {.name = "pattern",
     .type = PARAM_CHOICE,
     .offset = SOLID(pattern),
     .fallback = "regular",
     .choices = patterns,
     .help = "how a shape is filled; regular: a lattice; jittered: one at random in each cell of it; "
             "blue_noise: random, with a least distance"},
    {.name = "spacing",
     .type = PARAM_REAL,
     .offset = SOLID(spacing),
     .unit = DIM_LENGTH,
     .fallback = "5 cm",
     .min = 1e-4,
     .max = 1e3,
     .help = "between neighbours; half the spacing means eight times the particles"},
    {.name = "radius",
     .type = PARAM_REAL,
     .offset = SOLID(radius),
     .unit = DIM_LENGTH,
     .fallback = "auto",
     .min = 1e-5,
     .max = 1e3,
     .help = "of a particle, for contacts and pictures; auto: half the spacing"},
    {.name = "density",
     .type = PARAM_REAL,
     .offset = SOLID(density),
     .unit = DIM_DENSITY,
     .fallback = "500 kg/m3",
     .min = 1e-2,
     .max = 3e4,
     .help = "of the solid",
     .range_note = "foam 30, wood 600, water 1000 kg/m3"},
    {.name = "links",
     .type = PARAM_CHOICE,
     .offset = SOLID(links),
     .fallback = "decimated",
     .choices = links,
     .help = "what holds it together; all_pairs: any two particles; decimated: pairs within near, and a few "
             "beyond far; neighbours: the nearest few; shape: shape matching; loose: nothing"},
    {.name = "near",
     .type = PARAM_REAL,
     .offset = SOLID(near),
     .unit = DIM_LENGTH,
     .fallback = "auto",
     .min = 1e-5,
     .max = 1e4,
     .help = "decimated: all pairs closer than this are linked; auto: 1.8 spacings"},
    {.name = "far",
     .type = PARAM_REAL,
     .offset = SOLID(far),
     .unit = DIM_LENGTH,
     .fallback = "auto",
     .min = 1e-5,
     .max = 1e4,
     .help =
         "decimated: the few long links, which keep the solid stiff, are longer than this; auto: 6 spacings"},
    {.name = "far_count",
     .type = PARAM_INT,
     .offset = SOLID(far_count),
     .fallback = "2",
     .min = 0,
     .max = 1000,
     .help = "decimated: largest number of long links that each particle starts"},
    {.name = "neighbours",
     .type = PARAM_INT,
     .offset = SOLID(neighbours),
     .fallback = "12",
     .min = 1,
     .max = 1000,
     .help = "neighbours: links of each particle to its nearest, and to all that are as near as the last"},
    {.name = "stiffness",
     .type = PARAM_REAL,
     .offset = SOLID(stiffness),
     .unit = DIM_STIFFNESS,
     .fallback = "0",
     .min = 0,
     .max = 1e12,
     .help =
         "of a link, or of the spring to a particle's goal in shape matching; independent of the step and of "
         "the iterations; 0: rigid"},
    {.name = "plain_stiffness",
     .type = PARAM_REAL,
     .offset = SOLID(plain_stiffness),
     .fallback = "1",
     .min = 0,
     .max = 1,
     .help = "with elasticity plain: share of its error that an iteration corrects"},
    {.name = "volume_stiffness",
     .type = PARAM_REAL,
     .offset = SOLID(volume_stiffness),
     .unit = DIM_PRESSURE,
     .fallback = "0",
     .min = 0,
     .max = 1e12,
     .help = "bulk modulus of the solid as a whole; 0: its volume is not conserved"},
    {.name = "break_strain",
     .type = PARAM_REAL,
     .offset = SOLID(break_strain),
     .fallback = "0",
     .min = 0,
     .max = 100,
     .help = "a link that is longer than at rest by this share tears for good; 0: never"},
    {.name = "friction",
     .type = PARAM_REAL,
     .offset = SOLID(friction),
     .fallback = "0.4",
     .min = 0,
     .max = 10,
     .help = "kinetic friction coefficient of its particles; a pair in contact takes the geometric mean"},
    {.name = "static_friction",
     .type = PARAM_REAL,
     .offset = SOLID(static_friction),
     .fallback = "auto",
     .min = 0,
     .max = 20,
     .help = "static friction coefficient; auto: 1.3 times friction"},
    {.name = "self_contact",
     .type = PARAM_BOOL,
     .offset = SOLID(self_contact),
     .fallback = "no",
     .help = "particles of this solid also collide with each other"},
    {.name = "velocity",
     .type = PARAM_VEC3,
     .offset = SOLID(velocity),
     .unit = DIM_VELOCITY,
     .fallback = "[0, 0, 0]",
     .min = -1e4,
     .max = 1e4,
     .help = "at the start"},
    {.name = "spin",
     .type = PARAM_VEC3,
     .offset = SOLID(spin),
     .unit = DIM_SPIN,
     .fallback = "[0, 0, 0]",
     .min = -1e4,
     .max = 1e4,
     .help = "at the start, about its centre of mass"},
    {.name = "color",
     .type = PARAM_COLOR,
     .offset = SOLID(color),
     .fallback = "auto",
     .help = "in pictures; auto: by number"},
    {0},
};

static bool is_whole(firn_vec3 v) { return v.x == floor(v.x) && v.y == floor(v.y) && v.z == floor(v.z); }

static void check_solid(const void *item, param_report *report) {
    const firn_pbd_solid_def *def = item;
    firn_vec3 n = def->lattice;
    bool any = n.x > 0 || n.y > 0 || n.z > 0;
    if (!is_whole(n) || (any && (n.x < 1 || n.y < 1 || n.z < 1)))
        report->add(report, "lattice", "a lattice is three whole numbers of at least 1");
    if (!any && def->fill.shape.kind == FIRN_SHAPE_PLANE)
        report->add(report, "shape", "a plane is infinite and cannot be filled; use a box");
    if (def->radius > def->spacing)
        report->add(report, "radius", "particles larger than their spacing would push each other apart");
    if (def->static_friction >= 0 && def->static_friction < def->friction)
        report->add(report, "static_friction",
                    "must not be less than friction: static friction is at least kinetic friction");
    if (def->links == FIRN_PBD_DECIMATED && def->near > 0 && def->near < def->spacing)
        report->add(report, "near", "is less than the spacing: nothing would be linked");
    if (def->break_strain > 0 && (def->links == FIRN_PBD_SHAPE || def->links == FIRN_PBD_LOOSE))
        report->add(report, "break_strain", "this solid has no links that could tear");
    if (def->near > 0 && def->far > 0 && def->far < def->near)
        report->add(report, "far", "must be larger than near");
}

static const param_table solid_params = {.name = "pbd.solids",
                                         .help = "solids made of particles, by name",
                                         .rows = solid_rows,
                                         .size = sizeof(firn_pbd_solid_def),
                                         .check = check_solid};

const param_row pbd_wall_rows[] = {
    {.name = "time",
     .type = PARAM_REAL,
     .offset = WALLS(time),
     .unit = DIM_TIME,
     .fallback = "0",
     .min = 0,
     .max = 1e7,
     .help = "time at which the walls are there"},
    {.name = "low",
     .type = PARAM_VEC3,
     .offset = WALLS(low),
     .unit = DIM_LENGTH,
     .required = true,
     .min = -1e5,
     .max = 1e5,
     .help = "lowest corner"},
    {.name = "high",
     .type = PARAM_VEC3,
     .offset = WALLS(high),
     .unit = DIM_LENGTH,
     .required = true,
     .min = -1e5,
     .max = 1e5,
     .help = "highest corner"},
    {0},
};

void pbd_check_walls(const void *item, param_report *report) {
    const firn_pbd_walls_def *def = item;
    if (def->low.x >= def->high.x || def->low.y >= def->high.y || def->low.z >= def->high.z)
        report->add(report, "high", "must be above low in x, y and z");
}

static const param_table wall_params = {.name = "pbd.box.walls",
                                        .help = "the walls at a time",
                                        .rows = pbd_wall_rows,
                                        .size = sizeof(firn_pbd_walls_def),
                                        .check = pbd_check_walls};

static const param_row box_rows[] = {
    {.name = "friction",
     .type = PARAM_REAL,
     .offset = offsetof(firn_pbd_box_def, friction),
     .fallback = "0.3",
     .min = 0,
     .max = 10,
     .help = "of its walls"},
    {.name = "walls",
     .type = PARAM_LIST,
     .offset = offsetof(firn_pbd_box_def, walls),
     .required = true,
     .table = &wall_params,
     .help = "positions of the walls: a list of {time, low, high}, linear in between"},
    {0},
};

void pbd_check_box(const void *item, param_report *report) {
    const firn_pbd_box_def *def = item;
    if (def->walls.count == 0) report->add(report, "walls", "at least one position of the walls is needed");
    for (size_t i = 1; i < def->walls.count; i++)
        if (def->walls.items[i].time <= def->walls.items[i - 1].time)
            report->add(report, "walls", "times must increase");
}

static const param_table box_params = {.name = "pbd.box",
                                       .help = "a box that all particles stay in; its walls may move",
                                       .rows = box_rows,
                                       .size = sizeof(firn_pbd_box_def),
                                       .check = pbd_check_box};

static const param_row pin_rows[] = {
    {.name = "where", .type = PARAM_MERGE, .offset = PIN(where), .table = &where_params},
    {.name = "body",
     .type = PARAM_TEXT,
     .offset = PIN(body),
     .help = "name of a body that they follow; without: they stay where they are"},
    {.name = "stiffness",
     .type = PARAM_REAL,
     .offset = PIN(stiffness),
     .unit = DIM_STIFFNESS,
     .fallback = "0",
     .min = 0,
     .max = 1e12,
     .help = "of the spring on each particle; 0: rigid"},
    {.name = "plain_stiffness",
     .type = PARAM_REAL,
     .offset = PIN(plain_stiffness),
     .fallback = "1",
     .min = 0,
     .max = 1,
     .help = "with elasticity plain: share of the error that an iteration corrects"},
    {0},
};
static const param_table pin_params = {.name = "pbd.pins",
                                       .help = "pinned particles, by name",
                                       .rows = pin_rows,
                                       .size = sizeof(firn_pbd_pin_def)};

static const param_row rows[] = {
    {.name = "solver",
     .type = PARAM_CHOICE,
     .offset = PBD(solver),
     .fallback = "gauss_seidel",
     .choices = solvers,
     .help = "gauss_seidel: colour by colour, in place; jacobi: all constraints at once, averaged; "
             "jacobi_particle: the same, summed by particle"},
    {.name = "integrator",
     .type = PARAM_CHOICE,
     .offset = PBD(integrator),
     .fallback = "euler",
     .choices = integrators,
     .help = "euler: semi-implicit; verlet: exact in free fall"},
    {.name = "elasticity",
     .type = PARAM_CHOICE,
     .offset = PBD(elasticity),
     .fallback = "compliance",
     .choices = elasticities,
     .help = "compliance: stiffness in N/m, independent of the step and the iterations (XPBD); plain: "
             "plain_stiffness, which grows stiffer with both"},
    {.name = "iterations",
     .type = PARAM_INT,
     .offset = PBD(iterations),
     .fallback = "4",
     .min = 0,
     .max = 10000,
     .help = "of the solver in a sub-step; more of them are stiffer"},
    {.name = "substeps",
     .type = PARAM_INT,
     .offset = PBD(substeps),
     .fallback = "1",
     .min = 1,
     .max = 10000,
     .help = "sub-steps of a step; many with one iteration each are stiffer than one with many"},
    {.name = "relaxation",
     .type = PARAM_REAL,
     .offset = PBD(relaxation),
     .fallback = "1",
     .min = 0.1,
     .max = 2,
     .help = "omega: factor of the averaged corrections of the Jacobi solvers"},
    {.name = "damping",
     .type = PARAM_REAL,
     .offset = PBD(damping),
     .unit = DIM_FREQUENCY,
     .fallback = "0",
     .min = 0,
     .max = 1e4,
     .help = "share of the velocity lost per second"},
    {.name = "statistics",
     .type = PARAM_BOOL,
     .offset = PBD(statistics),
     .fallback = "no",
     .help = "measures the constraint errors before and after each solve, for firn info"},
    {.name = "solids",
     .type = PARAM_MAP,
     .offset = PBD(solids),
     .table = &solid_params,
     .help = "solids made of particles, by name"},
    {.name = "pins",
     .type = PARAM_MAP,
     .offset = PBD(pins),
     .table = &pin_params,
     .help = "particles of solids that are fixed in space or to a body, by name"},
    {.name = "box",
     .type = PARAM_OPTIONAL,
     .offset = PBD(box),
     .table = &box_params,
     .help = "a box that all particles stay in; its walls may move"},
    {.name = "fluid",
     .type = PARAM_OPTIONAL,
     .offset = PBD(fluid),
     .table = &pbd_fluid_params,
     .help = "liquids: particles held at their density"},
    {0},
};

static void check_pbd(const void *item, param_report *report) {
    const firn_pbd_def *def = item;
    if (def->solids.count == 0 && !def->fluid)
        report->add(report, "solids", "there are no particles: add a solid or a fluid");
}

const param_table pbd_params = {
    .name = "pbd",
    .help = "particles and constraints: soft and stiff solids, ropes, cloth and liquids",
    .rows = rows,
    .size = sizeof(firn_pbd_def),
    .check = check_pbd};

firn_pbd_def firn_pbd_def_default(void) {
    firn_pbd_def def;
    param_defaults(&pbd_params, &def);
    return def;
}

firn_pbd_solid_def firn_pbd_solid_def_default(void) {
    firn_pbd_solid_def def;
    param_defaults(&solid_params, &def);
    return def;
}

firn_pbd_walls_def firn_pbd_walls_def_default(void) {
    firn_pbd_walls_def def;
    param_defaults(&wall_params, &def);
    return def;
}

firn_pbd_box_def firn_pbd_box_def_default(void) {
    firn_pbd_box_def def;
    param_defaults(&box_params, &def);
    return def;
}

firn_pbd_pin_def firn_pbd_pin_def_default(void) {
    firn_pbd_pin_def def;
    param_defaults(&pin_params, &def);
    return def;
}

static const param_row sections[] = {
    {.name = "pbd",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, pbd),
     .table = &pbd_params,
     .help = "particles and constraints: soft and stiff solids, ropes and cloth (position-based dynamics)"},
    {0},
};
const param_table pbd_sections = {.name = "", .rows = sections, .size = sizeof(firn_world_def)};
