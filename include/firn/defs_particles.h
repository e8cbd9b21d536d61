/* firn: particles: position-based dynamics, and snow that melts on top of it; see defs.h. */
#ifndef FIRN_DEFS_PARTICLES_H
#define FIRN_DEFS_PARTICLES_H

#include <firn/defs_bodies.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the constraints of position-based dynamics are solved. */
typedef enum firn_pbd_solver {
    FIRN_PBD_GAUSS_SEIDEL,   /* colour by colour, in place: converges fastest */
    FIRN_PBD_JACOBI,         /* all constraints at once from the same positions, averaged */
    FIRN_PBD_JACOBI_PARTICLE /* the same corrections, each particle works out its own share */
} firn_pbd_solver;
/* How positions follow from velocities: semi-implicit Euler, or Verlet, which is exact in free fall. */
typedef enum firn_pbd_integrator { FIRN_PBD_EULER, FIRN_PBD_VERLET } firn_pbd_integrator;
/* What makes a constraint soft: a stiffness in SI that holds for any step and iterations (XPBD), or the share
   of its error that one iteration corrects. */
typedef enum firn_pbd_elasticity { FIRN_PBD_COMPLIANCE, FIRN_PBD_PLAIN } firn_pbd_elasticity;
/* What holds the particles of a solid together. */
typedef enum firn_pbd_links {
    FIRN_PBD_ALL_PAIRS,  /* a distance constraint between any two */
    FIRN_PBD_DECIMATED,  /* between those nearer than `near`, and a few farther than `far` */
    FIRN_PBD_NEIGHBOURS, /* to the nearest few */
    FIRN_PBD_SHAPE,      /* the whole shape, turned and moved to where it fits best */
    FIRN_PBD_LOOSE       /* nothing: grains that only touch */
} firn_pbd_links;

/* A solid made of particles. */
typedef struct firn_pbd_solid_def {
    const char *name;
    uint32_t cookie;           /* set by firn_pbd_solid_def_default() */
    firn_fill_def fill;        /* shape and place; with `lattice`, only the place counts */
    firn_vec3 lattice;         /* whole numbers of particles along x, y, z; 0: the shape is filled instead */
    firn_fill_pattern pattern; /* of the fill */
    double spacing;            /* m, between neighbours */
    double radius;             /* m, of a particle; auto: half the spacing */
    double density;            /* kg/m3, of the solid */
    firn_pbd_links links;
    double near, far;        /* m, for decimated links; auto: 1.8 and 6 spacings */
    int32_t far_count;       /* far links of a particle, at most */
    int32_t neighbours;      /* links to nearest neighbours */
    double stiffness;        /* N/m of a link, or of the hold on a particle of a matched shape; 0: rigid */
    double plain_stiffness;  /* 0 .. 1, with elasticity plain */
    double volume_stiffness; /* Pa, bulk modulus of the whole; 0: volume is not held */
    double break_strain;     /* links tear when they are longer by this share; 0: never */
    double friction;         /* kinetic, of its particles on others and on bodies */
    double static_friction;  /* >= friction; auto: 1.3 friction */
    bool self_contact;       /* its particles do not go through each other either */
    firn_vec3 velocity;      /* m/s, at the start */
    firn_vec3 spin;          /* rad/s, at the start, about its middle */
    firn_vec3 color;         /* linear RGB; auto: chosen by number */
} firn_pbd_solid_def;
FIRN_API firn_pbd_solid_def firn_pbd_solid_def_default(void);

/* Where the walls of the box are at a moment; in between they move evenly. */
typedef struct firn_pbd_walls_def {
    uint32_t cookie;     /* set by firn_pbd_walls_def_default() */
    double time;         /* s */
    firn_vec3 low, high; /* m */
} firn_pbd_walls_def;

/* A box that all particles stay in; its walls may move. */
typedef struct firn_pbd_box_def {
    uint32_t cookie; /* set by firn_pbd_box_def_default() */
    double friction; /* kinetic and static */
    struct {
        const firn_pbd_walls_def *items;
        size_t count;
    } walls;
} firn_pbd_box_def;
FIRN_API firn_pbd_walls_def firn_pbd_walls_def_default(void);
FIRN_API firn_pbd_box_def firn_pbd_box_def_default(void);

/* Particles that are held where they are, or on a body. */
typedef struct firn_pbd_pin_def {
    const char *name;
    uint32_t cookie;        /* set by firn_pbd_pin_def_default() */
    firn_fill_def where;    /* all particles of solids inside this shape at the start */
    const char *body;       /* they go with it; NULL: they stay */
    double stiffness;       /* N/m, of each; 0: rigid */
    double plain_stiffness; /* 0 .. 1, with elasticity plain */
} firn_pbd_pin_def;
FIRN_API firn_pbd_pin_def firn_pbd_pin_def_default(void);

/* Liquid that is there at the start. */
typedef struct firn_pbd_pool_def {
    const char *name;
    uint32_t cookie; /* set by firn_pbd_pool_def_default() */
    firn_fill_def fill;
    firn_fill_pattern pattern;
    double density;     /* kg/m3; auto: that of the fluid */
    firn_vec3 velocity; /* m/s */
    firn_vec3 color;    /* linear RGB; auto: that of the fluid */
} firn_pbd_pool_def;
FIRN_API firn_pbd_pool_def firn_pbd_pool_def_default(void);

/* A round opening that liquid comes out of. */
typedef struct firn_opening_def {
    firn_vec3 at, velocity; /* m, m/s; the liquid leaves along the velocity */
    double radius;          /* m */
    double start, end;      /* s */
} firn_opening_def;
FIRN_API firn_opening_def firn_opening_def_default(void);

typedef struct firn_pbd_spout_def {
    const char *name;
    uint32_t cookie; /* set by firn_pbd_spout_def_default() */
    firn_opening_def opening;
    double density;  /* kg/m3; auto: that of the fluid */
    firn_vec3 color; /* linear RGB; auto: that of the fluid */
} firn_pbd_spout_def;
FIRN_API firn_pbd_spout_def firn_pbd_spout_def_default(void);

/* Liquid inside this shape leaves. */
typedef struct firn_pbd_drain_def {
    const char *name;
    uint32_t cookie; /* set by firn_pbd_drain_def_default() */
    firn_fill_def where;
    double start, end; /* s */
} firn_pbd_drain_def;
FIRN_API firn_pbd_drain_def firn_pbd_drain_def_default(void);

typedef enum firn_pbd_pressure {
    FIRN_PBD_COMPRESSION, /* liquid resists being pressed together only */
    FIRN_PBD_BOTH_SIGNS   /* being pulled apart too: drops hold together, more than real ones do */
} firn_pbd_pressure;

/* Liquids: particles held at their density. */
typedef struct firn_pbd_fluid_def {
    uint32_t cookie;  /* set by firn_pbd_fluid_def_default() */
    double spacing;   /* m, between particles */
    double smoothing; /* m, radius within which they feel each other; auto: 2 spacings */
    double density;   /* kg/m3 */
    firn_pbd_pressure pressure;
    double stiffness;       /* Pa, bulk modulus; 0: incompressible */
    double plain_stiffness; /* 0 .. 1, with elasticity plain */
    double unclump;         /* artificial pressure: share of the smoothing radius squared, about 1e-3 */
    double viscosity;       /* 0 .. 1: share of the difference to the neighbours' velocity lost in 1/60 s */
    double vorticity;       /* m/s: confinement, what keeps eddies turning */
    double cohesion;        /* m/s2, with which particles draw each other: surface tension as it looks */
    double friction;        /* on bodies */
    firn_vec3 color;        /* linear RGB; auto: water */
    struct {
        const firn_pbd_pool_def *items;
        size_t count;
    } pools;
    struct {
        const firn_pbd_spout_def *items;
        size_t count;
    } spouts;
    struct {
        const firn_pbd_drain_def *items;
        size_t count;
    } drains;
} firn_pbd_fluid_def;
FIRN_API firn_pbd_fluid_def firn_pbd_fluid_def_default(void);

/* Particles, and the constraints between them: soft and stiff solids, ropes, cloth (position-based dynamics).
 */
/* Constraints of a kind that the program registered (firn/constraint.h). */
typedef struct firn_pbd_particle_def {
    uint32_t cookie;   /* set by firn_pbd_particle_def_default() */
    const char *solid; /* name of a solid */
    int32_t number; /* of the particle in it, from 0, in the order in which its shape or lattice was filled */
} firn_pbd_particle_def;
FIRN_API firn_pbd_particle_def firn_pbd_particle_def_default(void);
/* One value of a constraint. */
typedef struct firn_pbd_value_def {
    uint32_t cookie; /* set by firn_pbd_value_def_default() */
    double value;    /* in the unit of its kind */
} firn_pbd_value_def;
FIRN_API firn_pbd_value_def firn_pbd_value_def_default(void);
typedef struct firn_pbd_constraint_def {
    const char *name;
    uint32_t cookie;  /* set by firn_pbd_constraint_def_default() */
    const char *kind; /* as registered */
    struct {
        const firn_pbd_particle_def *items;
        size_t count;
    } particles; /* as many as the kind has */
    struct {
        const firn_pbd_value_def *items;
        size_t count;
    } values;               /* as many as the kind has; none: those that are satisfied at the start */
    int32_t repeat;         /* so many constraints: the numbers of particles are one higher each time */
    double compliance;      /* (unit of C)^2 / J, 0: rigid */
    double plain_stiffness; /* 0 .. 1, with elasticity plain */
} firn_pbd_constraint_def;
FIRN_API firn_pbd_constraint_def firn_pbd_constraint_def_default(void);

typedef struct firn_pbd_def {
    uint32_t cookie; /* set by firn_pbd_def_default() */
    firn_pbd_solver solver;
    firn_pbd_integrator integrator;
    firn_pbd_elasticity elasticity;
    int32_t iterations; /* of the solver, in a sub-step */
    int32_t substeps;   /* of a step */
    double relaxation;  /* omega of the Jacobi solvers, 1 .. 2 */
    double damping;     /* 1/s, of velocities */
    bool statistics;    /* errors of the constraints before and after each solve are worked out */
    struct {
        const firn_pbd_solid_def *items;
        size_t count;
    } solids;
    struct {
        const firn_pbd_pin_def *items;
        size_t count;
    } pins;
    struct {
        const firn_pbd_constraint_def *items;
        size_t count;
    } constraints;                   /* of kinds that the program registered */
    const firn_pbd_box_def *box;     /* NULL: none */
    const firn_pbd_fluid_def *fluid; /* NULL: none */
} firn_pbd_def;
FIRN_API firn_pbd_def firn_pbd_def_default(void);

/* A piece of snow of the phase model: grains that touch, link, melt and freeze. */
typedef struct firn_phase_snow_def {
    const char *name;
    uint32_t cookie; /* set by firn_phase_snow_def_default() */
    firn_fill_def fill;
    firn_fill_pattern pattern;
    const char *type;   /* snow type; NULL: packed */
    double density;     /* kg/m3; auto: that of the type */
    double temperature; /* degrees Celsius */
    firn_vec3 velocity; /* m/s, at the start */
    firn_vec3 spin;     /* rad/s, at the start, about the middle of the fill */
} firn_phase_snow_def;
FIRN_API firn_phase_snow_def firn_phase_snow_def_default(void);

/* Water of the phase model that is there at the start. */
typedef struct firn_phase_water_def {
    const char *name;
    uint32_t cookie; /* set by firn_phase_water_def_default() */
    firn_fill_def fill;
    firn_fill_pattern pattern;
    double temperature; /* degrees Celsius */
    firn_vec3 velocity; /* m/s */
} firn_phase_water_def;
FIRN_API firn_phase_water_def firn_phase_water_def_default(void);

typedef struct firn_phase_spout_def {
    const char *name;
    uint32_t cookie; /* set by firn_phase_spout_def_default() */
    firn_opening_def opening;
    double temperature; /* degrees Celsius */
} firn_phase_spout_def;
FIRN_API firn_phase_spout_def firn_phase_spout_def_default(void);

/* Which grains of snow hold each other. */
typedef enum firn_phase_links {
    FIRN_PHASE_LINKS_NONE,   /* none: they only touch */
    FIRN_PHASE_LINKS_ALL,    /* as many as there are slots, at any temperature below the linking one */
    FIRN_PHASE_LINKS_DYNAMIC /* the colder, the more */
} firn_phase_links;

typedef struct firn_phase_link_def {
    firn_phase_links mode;
    int32_t most;            /* slots of a grain, 1 .. 24 */
    double temperature;      /* degrees Celsius; only grains that are colder link */
    double full_temperature; /* degrees Celsius; at and below it all slots are used */
    double stiffness;        /* 0 .. 1: share of its error that an iteration corrects */
    double break_strain;     /* stretched by more than this share of its length a link breaks */
    double shape;            /* 0 .. 1: how firmly a lump of linked grains keeps its shape */
} firn_phase_link_def;
FIRN_API firn_phase_link_def firn_phase_link_def_default(void);

/* How snow becomes water and water snow. */
typedef enum firn_phase_change {
    FIRN_PHASE_LATENT,  /* when all of its latent heat has come or gone */
    FIRN_PHASE_BLENDING /* as soon as the temperature is passed; then not again before the blend is so far */
} firn_phase_change;

/* How the conduction of heat is solved: the cheaper one, or always the same. */
typedef enum firn_phase_solve { FIRN_PHASE_AUTO, FIRN_PHASE_EXPLICIT, FIRN_PHASE_IMPLICIT } firn_phase_solve;

/* Temperature of the air at a moment. */
typedef struct firn_phase_air_def {
    uint32_t cookie;    /* set by firn_phase_air_def_default() */
    double time;        /* s */
    double temperature; /* degrees Celsius */
} firn_phase_air_def;
FIRN_API firn_phase_air_def firn_phase_air_def_default(void);

typedef struct firn_phase_heat_def {
    double snow_conductivity, water_conductivity; /* W/mK, > 0 */
    double snow_capacity, water_capacity;         /* J/kgK, > 0 */
    double latent;                                /* J/kg */
    double freeze;                                /* degrees Celsius */
    firn_phase_solve solve;
    double time_lapse; /* seconds of heat in a second of motion */
    double exchange;   /* W/m2K, between the open surface and the air; 0: none */
    struct {
        const firn_phase_air_def *items;
        size_t count;
    } air; /* empty: the air of the scene */
} firn_phase_heat_def;
FIRN_API firn_phase_heat_def firn_phase_heat_def_default(void);

/* Snow that melts and water that freezes: particles of one mass, as grains or as liquid. */
typedef struct firn_phase_def {
    uint32_t cookie;  /* set by firn_phase_def_default() */
    double mass;      /* kg, of each particle */
    double density;   /* kg/m3, of water */
    double smoothing; /* m, radius within which particles feel each other; auto: 2.2 spacings */
    double max_step;  /* s */
    int32_t iterations;
    double stiffness; /* 0 .. 0.3: share of the depth of a contact that an iteration corrects, per grain */
    double friction;  /* kinetic, of grains */
    double static_friction;                 /* >= friction */
    double water_friction;                  /* on bodies */
    double snow_viscosity, water_viscosity; /* 0 .. 1: share of the difference to the neighbours' velocity
                                               lost in 1/60 s */
    double cohesion;                        /* m/s2, with which a surface of water draws water */
    double adhesion;                        /* m/s2, with which a surface of snow or ice draws water */
    double body_adhesion;                   /* m/s2, with which bodies and the box draw water */
    firn_phase_change change;
    double
        blend_time; /* s, in which a particle that melted or froze takes on the properties of its new kind */
    double threshold; /* 0 .. 1, with blending: part of the blend before it may change again */
    double retention; /* 0 .. 1: melted share that a grain holds; drops soak in up to it, more seeps down */
    double seep;      /* m/s, how fast */
    firn_phase_link_def links;
    firn_phase_heat_def heat;
    struct {
        const firn_phase_snow_def *items;
        size_t count;
    } snow;
    struct {
        const firn_phase_water_def *items;
        size_t count;
    } water;
    struct {
        const firn_phase_spout_def *items;
        size_t count;
    } spouts;
    struct {
        const firn_pbd_drain_def *items;
        size_t count;
    } drains;
    const firn_pbd_box_def *box; /* NULL: none */
} firn_phase_def;
FIRN_API firn_phase_def firn_phase_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
