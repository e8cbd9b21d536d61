// Parameter tables of the PBD model but for those of its liquids (pbd_fluid_params.c).
#include "pbd/pbd_params.h"

#include <math.h>
#include <stdio.h>

#include "body/place_rows.h"
#include "pbd/pbd_kinds.h"
#include "pbd/pbd_material.h"

static const char *const materials[] = {"none", "jelly",  "foam", "rubber", "cork", "leather",
                                        "wood", "cotton", "silk", "hemp",   NULL};
static const char *const links[] = {"all_pairs", "decimated", "neighbours", "shape",
                                    "loose",     "elastic",   NULL};
static const char *const origins[] = {"inside", "surface", "vertices", NULL};
static const char *const solvers[] = {"gauss_seidel", "jacobi", "jacobi_particle", NULL};
static const char *const integrators[] = {"euler", "verlet", "bdf2", NULL};
static const char *const elasticities[] = {"compliance", "plain", NULL};

static const param_row solid_rows[] = {
    FILL_ROW(firn_pbd_solid_def, fill),
    VEC3_ROW(firn_pbd_solid_def, lattice, DIM_NONE, "[0, 0, 0]", 0, 1e6,
             "particles along x, y and z, instead of a shape: [40, 1, 1] is a rope, [30, 1, 20] a cloth"),
    CHOICE_ROW(
        firn_pbd_solid_def, from, "inside", origins,
        "where its particles are; inside: all over the shape; surface: spread over its surface, one "
        "radius below it; vertices: at the vertices of a mesh; a shell has the mass of the full shape"),
    PATTERN_ROW(firn_pbd_solid_def, "regular"),
    REAL_ROW(firn_pbd_solid_def, spacing, DIM_LENGTH, "5 cm", 1e-4, 1e3,
             "distance between neighbours; half the spacing means eight times the particles"),
    REAL_ROW(firn_pbd_solid_def, radius, DIM_LENGTH, "auto", 1e-5, 1e3,
             "radius of a particle, for contacts and pictures; auto: half the spacing"),
    REAL_ROW(firn_pbd_solid_def, density, DIM_DENSITY, "auto", 1e-2, 3e4,
             "density of the solid; auto: of the material, or 500 kg/m3",
             .range_note = "foam 30, wood 600, water 1000 kg/m3"),
    CHOICE_ROW(firn_pbd_solid_def, links, "decimated", links,
               "what holds it together; all_pairs: any two particles; decimated: pairs within near, and a "
               "few beyond far; neighbours: the nearest few; shape: shape matching; loose: nothing; "
               "elastic: a continuum with young and poisson, the same at any spacing"),
    CHOICE_ROW(
        firn_pbd_solid_def, material, "none", materials,
        "what it is made of: gives density, young, poisson, and to cloth and ropes thickness and bending, "
        "where these are auto; with any but none, links are elastic"),
    REAL_ROW(firn_pbd_solid_def, young, DIM_PRESSURE, "auto", 1, 1e13,
             "elastic: Young's modulus, stress over strain when pulled; auto: of the material, or 1 MPa",
             .live = true, .range_note = "jelly 10 kPa, soft rubber 1 MPa, leather 100 MPa, wood 10 GPa"),
    REAL_ROW(firn_pbd_solid_def, poisson, DIM_NONE, "auto", 0, 0.49,
             "elastic: Poisson's ratio, how much it gets thinner when pulled; auto: of the material, or 0.3; "
             "threads of cloth do not feel each other",
             .live = true, .range_note = "cork 0, wood 0.3, rubber 0.48"),
    REAL_ROW(
        firn_pbd_solid_def, thickness, DIM_LENGTH, "auto", 1e-6, 1e3,
        "cloth and ropes (lattice): thickness of the cloth, diameter of the rope, for mass and stiffness; "
        "auto: of the material, or the spacing"),
    REAL_ROW(firn_pbd_solid_def, shear, DIM_PRESSURE, "auto", 0.01, 1e13,
             "elastic cloth: shear modulus; auto: of the material, or young / (2 (1 + poisson)); woven cloth "
             "has far less",
             .live = true),
    REAL_ROW(
        firn_pbd_solid_def, bending, DIM_NONE, "auto", 0, 1e12,
        "elastic cloth: bending stiffness in N m; elastic ropes: in N m2; auto: of the material, or that "
        "of a solid sheet or rod",
        .live = true, .range_note = "silk 1e-6, cotton 1e-5, felt 1e-3 N m"),
    REAL_ROW(firn_pbd_solid_def, near, DIM_LENGTH, "auto", 1e-5, 1e4,
             "decimated: all pairs closer than this are linked; auto: 1.8 spacings"),
    REAL_ROW(
        firn_pbd_solid_def, far, DIM_LENGTH, "auto", 1e-5, 1e4,
        "decimated: the few long links, which keep the solid stiff, are longer than this; auto: 6 spacings"),
    INT_ROW(firn_pbd_solid_def, far_count, "2", 0, 1000,
            "decimated: largest number of long links that each particle starts"),
    INT_ROW(firn_pbd_solid_def, neighbours, "12", 1, 1000,
            "neighbours: links of each particle to its nearest, and to all that are as near as the last"),
    REAL_ROW(firn_pbd_solid_def, stiffness, DIM_STIFFNESS, "0", 0, 1e12,
             "stiffness of a link, or of the spring to a particle's goal in shape matching, independent of "
             "step and iterations; 0: rigid",
             .live = true),
    REAL_ROW(firn_pbd_solid_def, plain_stiffness, DIM_NONE, "1", 0, 1,
             "with elasticity plain: share of its error that an iteration corrects", .live = true),
    REAL_ROW(firn_pbd_solid_def, volume_stiffness, DIM_PRESSURE, "0", 0, 1e12,
             "bulk modulus of the solid as a whole; 0: its volume is not conserved", .live = true),
    REAL_ROW(firn_pbd_solid_def, break_strain, DIM_NONE, "0", 0, 100,
             "strain at which a link breaks for good; 0: never", .live = true),
    REAL_ROW(firn_pbd_solid_def, friction, DIM_NONE, "0.4", 0, 10,
             "kinetic friction coefficient of its particles; a pair in contact takes the geometric mean",
             .live = true),
    REAL_ROW(firn_pbd_solid_def, static_friction, DIM_NONE, "auto", 0, 20,
             "static friction coefficient; auto: 1.3 times friction", .live = true),
    BOOL_ROW(firn_pbd_solid_def, self_contact, "no", "particles of this solid also collide with each other",
             .live = true),
    VELOCITY_ROW(firn_pbd_solid_def),
    SPIN_ROW(firn_pbd_solid_def),
    COLOR_ROW(firn_pbd_solid_def, color, "auto",
              "colour in pictures; auto: one of a list, in the order of the scene"),
    {0},
};

static bool is_whole(firn_vec3 v) { return v.x == floor(v.x) && v.y == floor(v.y) && v.z == floor(v.z); }

static void check_solid(const void *item, param_report *report) {
    const firn_pbd_solid_def *def = item;
    firn_vec3 n = def->lattice;
    bool any = n.x > 0 || n.y > 0 || n.z > 0;
    if (!is_whole(n) || (any && (n.x < 1 || n.y < 1 || n.z < 1)))
        report->add(report, "lattice", "a lattice is three whole numbers of at least 1");
    if (any && def->from != FIRN_PBD_INSIDE)
        report->add(report, "from", "belongs to a shape: a lattice has no surface to put particles on");
    if (def->from != FIRN_PBD_INSIDE && def->pattern != FIRN_FILL_REGULAR)
        report->add(report, "pattern", "belongs to from: inside: a surface is always sampled evenly");
    if (def->radius > def->spacing)
        report->add(report, "radius", "particles larger than their spacing would push each other apart");
    if (def->static_friction < def->friction)
        report->add(report, "static_friction",
                    "must not be less than friction: static friction is at least kinetic friction");
    if (def->links == FIRN_PBD_DECIMATED && def->near < def->spacing)
        report->add(report, "near", "is less than the spacing: nothing would be linked");
    if (def->break_strain > 0 && (def->links == FIRN_PBD_SHAPE || def->links == FIRN_PBD_LOOSE))
        report->add(report, "break_strain", "this solid has no links that could break");
    if (!firn_is_auto(def->thickness) && pbd_lattice_dimensions(def) == 3)
        report->add(report, "thickness",
                    "only cloth and ropes have one: a lattice that is one particle thick");
    if (pbd_is_elastic(def) && !(def->lattice.x > 0) && def->from != FIRN_PBD_INSIDE)
        report->add(report, "from", "elastic solids are filled inside: their cells are those of a lattice");
    if (pbd_is_elastic(def) && !(def->lattice.x > 0) && def->pattern != FIRN_FILL_REGULAR)
        report->add(report, "pattern",
                    "elastic solids need the pattern regular: their cells are those of a lattice");
    if (def->far < def->near) report->add(report, "far", "must be larger than near");
}

static const param_table solid_params = DEF_TABLE_OF(
    firn_pbd_solid_def, "pbd.solids", "solids made of particles, by name", solid_rows, .check = check_solid);

static const param_row wall_rows[] = {
    REAL_ROW(firn_pbd_walls_def, time, DIM_TIME, "0", 0, 1e7, "time at which the walls are there"),
    VEC3_ROW(firn_pbd_walls_def, low, DIM_LENGTH, NULL, -1e6, 1e6, "lowest corner", .required = true,
             .live = true),
    VEC3_ROW(firn_pbd_walls_def, high, DIM_LENGTH, NULL, -1e6, 1e6, "highest corner", .required = true,
             .live = true),
    {0},
};

static void check_walls(const void *item, param_report *report) {
    const firn_pbd_walls_def *def = item;
    if (def->low.x >= def->high.x || def->low.y >= def->high.y || def->low.z >= def->high.z)
        report->add(report, "high", "must be above low in x, y and z");
}

static const param_table wall_params =
    DEF_TABLE_OF(firn_pbd_walls_def, "pbd.box.walls", "the walls at a time", wall_rows, .check = check_walls);

static const param_row box_rows[] = {
    REAL_ROW(firn_pbd_box_def, friction, DIM_NONE, "0.3", 0, 10, "friction coefficient of its walls",
             .live = true),
    LIST_ROW(firn_pbd_box_def, walls, &wall_params,
             "positions of the walls: a list of {time, low, high}, linear in between", .required = true),
    {0},
};

static void check_box(const void *item, param_report *report) {
    const firn_pbd_box_def *def = item;
    if (def->walls.count == 0) report->add(report, "walls", "at least one position of the walls is needed");
    for (size_t i = 1; i < def->walls.count; i++)
        if (def->walls.items[i].time <= def->walls.items[i - 1].time)
            report->add(report, "walls", "times must increase");
}

const param_table pbd_box_params =
    DEF_TABLE_OF(firn_pbd_box_def, "pbd.box", "a box that all particles stay in; its walls may move",
                 box_rows, .check = check_box);

static const param_row pin_rows[] = {
    MERGE_ROW(firn_pbd_pin_def, where, &region_params),
    TEXT_ROW(firn_pbd_pin_def, body,
             "name of a body that the particles follow; not given: they stay where they are"),
    REAL_ROW(firn_pbd_pin_def, stiffness, DIM_STIFFNESS, "0", 0, 1e12,
             "stiffness of the spring on each particle; 0: rigid", .live = true),
    REAL_ROW(firn_pbd_pin_def, plain_stiffness, DIM_NONE, "1", 0, 1,
             "with elasticity plain: share of the error that an iteration corrects", .live = true),
    {0},
};
static const param_table pin_params =
    DEF_TABLE_OF(firn_pbd_pin_def, "pbd.pins", "pinned particles, by name", pin_rows);

static const param_row particle_rows[] = {
    TEXT_ROW(firn_pbd_particle_def, solid, "name of a solid", .required = true),
    INT_ROW(firn_pbd_particle_def, number, "0", 0, 2e9,
            "which of its particles, from 0, in the order in which its shape or lattice is filled"),
    {0},
};
static const param_table particle_params =
    DEF_TABLE_OF(firn_pbd_particle_def, "pbd.constraints.particles", "a particle of a solid", particle_rows);
static const param_row value_rows[] = {
    REAL_ROW(firn_pbd_value_def, value, DIM_NONE, NULL, 0, 0, "a value of the constraint, in SI units",
             .required = true),
    {0},
};
static const param_table value_params =
    DEF_TABLE_OF(firn_pbd_value_def, "pbd.constraints.values", "a value of the constraint", value_rows);
static const param_row constraint_rows[] = {
    WORD_ROW(firn_pbd_constraint_def, kind, NULL, pbd_outside_names,
             "kind of constraint, registered by the program (firn_register_constraint)", .required = true),
    LIST_ROW(firn_pbd_constraint_def, particles, &particle_params,
             "the particles of the constraint, as many as the kind has"),
    LIST_ROW(firn_pbd_constraint_def, values, &value_params,
             "values of the constraint; none: those for which it is satisfied at the start"),
    INT_ROW(firn_pbd_constraint_def, repeat, "1", 1, 1e8,
            "number of such constraints; particle numbers increase by one each time"),
    REAL_ROW(firn_pbd_constraint_def, compliance, DIM_NONE, "0", 0, 1e12,
             "inverse stiffness, in the square of the kind's unit per joule; 0: rigid"),
    REAL_ROW(firn_pbd_constraint_def, plain_stiffness, DIM_NONE, "1", 0, 1,
             "with elasticity plain: share of its error that an iteration corrects"),
    {0},
};
static const param_table constraint_params =
    DEF_TABLE_OF(firn_pbd_constraint_def, "pbd.constraints",
                 "constraints of a kind that the program registered, by name", constraint_rows);

static const param_row rows[] = {
    CHOICE_ROW(firn_pbd_def, solver, "gauss_seidel", solvers,
               "gauss_seidel: colour by colour, in place; jacobi: all constraints at once, averaged; "
               "jacobi_particle: the same, summed by particle",
               .live = true),
    CHOICE_ROW(firn_pbd_def, integrator, "bdf2", integrators,
               "bdf2: second order for solids that touch nothing, euler for the rest; euler: semi-implicit, "
               "swings lose "
               "height; verlet: euler, but exact in free fall",
               .live = true),
    CHOICE_ROW(firn_pbd_def, elasticity, "compliance", elasticities,
               "compliance: stiffness in N/m, independent of the step and the iterations (XPBD); plain: "
               "plain_stiffness, which grows stiffer with both",
               .live = true),
    INT_ROW(firn_pbd_def, iterations, "4", 0, 10000,
            "solver iterations per sub-step; more make plain constraints stiffer and reduce the error that "
            "is left",
            .live = true),
    INT_ROW(firn_pbd_def, substeps, "0", 0, 10000,
            "sub-steps per step; many with one iteration each converge better than one with many; 0: one, or "
            "as many as elastic solids need to be as stiff as their material, at most 100",
            .live = true),
    REAL_ROW(firn_pbd_def, relaxation, DIM_NONE, "1", 0.1, 2,
             "omega: factor of the averaged corrections of the Jacobi solvers", .live = true),
    REAL_ROW(firn_pbd_def, damping, DIM_FREQUENCY, "0", 0, 1e4, "share of the velocity lost per second",
             .live = true),
    BOOL_ROW(firn_pbd_def, statistics, "no",
             "measures the constraint errors before and after each solve, for firn info", .live = true),
    MAP_ROW(firn_pbd_def, solids, &solid_params, "solids made of particles, by name"),
    MAP_ROW(firn_pbd_def, pins, &pin_params,
            "particles of solids that are fixed in space or to a body, by name"),
    MAP_ROW(firn_pbd_def, constraints, &constraint_params,
            "constraints of kinds that the program registered, by name", .sparse = true),
    OPTIONAL_ROW(firn_pbd_def, box, &pbd_box_params, "a box that all particles stay in; its walls may move"),
    OPTIONAL_ROW(firn_pbd_def, fluid, &pbd_fluid_params, "liquids: particles held at their density"),
    {0},
};

static void check_pbd(const void *item, param_report *report) {
    const firn_pbd_def *def = item;
    if (def->solids.count == 0 && !def->fluid)
        report->add(report, "solids", "there are no particles: add a solid or a fluid");
    for (size_t k = 0; k < def->solids.count; k++)
        if (def->elasticity == FIRN_PBD_PLAIN && pbd_is_elastic(&def->solids.items[k]))
            report->add(
                report, "elasticity",
                "a solid with links elastic has a Young's modulus, which plain cannot hold; use compliance");
}

const param_table pbd_params = DEF_TABLE_OF(
    firn_pbd_def, "pbd", "particles and constraints: soft and stiff solids, ropes, cloth and liquids", rows,
    .check = check_pbd);

DEFAULT_OF(firn_pbd_def, pbd_params)
DEFAULT_OF(firn_pbd_solid_def, solid_params)
DEFAULT_OF(firn_pbd_walls_def, wall_params)
DEFAULT_OF(firn_pbd_box_def, pbd_box_params)
DEFAULT_OF(firn_pbd_pin_def, pin_params)
DEFAULT_OF(firn_pbd_constraint_def, constraint_params)
DEFAULT_OF(firn_pbd_particle_def, particle_params)
DEFAULT_OF(firn_pbd_value_def, value_params)
static const param_row sections[] = {
    OPTIONAL_ROW(
        firn_world_def, pbd, &pbd_params,
        "particles and constraints: soft and stiff solids, ropes and cloth (position-based dynamics)"),
    {0},
};
const param_table pbd_sections = TABLE_OF(firn_world_def, "", NULL, sections);
