/* firn: particles: position-based dynamics, and the phase model that builds on it; see defs.h. */
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
    FIRN_PBD_JACOBI_PARTICLE /* the same corrections, summed by particle */
} firn_pbd_solver;
/* How positions follow from velocities: semi-implicit Euler, or Verlet, which is exact in free fall. */
typedef enum firn_pbd_integrator { FIRN_PBD_EULER, FIRN_PBD_VERLET, FIRN_PBD_BDF2 } firn_pbd_integrator;
/* How the stiffness of a constraint is given: in SI units, independent of time step and iterations (XPBD), or
   as the share of its error that one iteration corrects (plain PBD). */
typedef enum firn_pbd_elasticity { FIRN_PBD_COMPLIANCE, FIRN_PBD_PLAIN } firn_pbd_elasticity;
/* What holds the particles of a solid together. */
typedef enum firn_pbd_links {
    FIRN_PBD_ALL_PAIRS,  /* a distance constraint between any two */
    FIRN_PBD_DECIMATED,  /* between those nearer than `near`, and a few farther than `far` */
    FIRN_PBD_NEIGHBOURS, /* to the nearest few */
    FIRN_PBD_SHAPE,      /* shape matching of the whole solid */
    FIRN_PBD_LOOSE,      /* nothing: grains with contacts only */
    FIRN_PBD_ELASTIC     /* a continuum with a Young's modulus and a Poisson's ratio */
} firn_pbd_links;
/* What an elastic solid is made of: gives density, Young's modulus and the like where they are auto. */
typedef enum firn_pbd_material {
    FIRN_PBD_NO_MATERIAL,
    FIRN_PBD_JELLY,
    FIRN_PBD_FOAM,
    FIRN_PBD_RUBBER,
    FIRN_PBD_CORK,
    FIRN_PBD_LEATHER,
    FIRN_PBD_WOOD,
    FIRN_PBD_COTTON,
    FIRN_PBD_SILK,
    FIRN_PBD_HEMP
} firn_pbd_material;

/* Where in its shape the particles of a solid are. */
typedef enum firn_pbd_from {
    FIRN_PBD_INSIDE,  /* the whole shape is filled */
    FIRN_PBD_SURFACE, /* a shell: spread over the surface, one radius below it */
    FIRN_PBD_VERTICES /* at the vertices of a mesh */
} firn_pbd_from;

/* A solid made of particles. */
typedef struct firn_pbd_solid_def {
    const char *name;
    uint32_t cookie;           /* set by firn_pbd_solid_def_default() */
    firn_fill_def fill;        /* shape and pose; with `lattice`, only the pose counts */
    firn_vec3 lattice;         /* whole numbers of particles along x, y, z; 0: the shape is filled instead */
    firn_pbd_from from;        /* a shell has the mass of the full shape */
    firn_fill_pattern pattern; /* of the fill */
    double spacing;            /* m, between neighbours */
    double radius;             /* m, of a particle; auto: half the spacing */
    double density;            /* kg/m3, of the solid; auto: of the material, or 500 */
    firn_pbd_links links;
    /* Elastic solids; all auto: of the material. */
    firn_pbd_material material; /* any but none: links are elastic */
    double young;               /* Pa, Young's modulus */
    double poisson;             /* Poisson's ratio */
    double thickness;           /* m, of cloth; diameter of a rope; auto also: the spacing */
    double shear;               /* Pa, shear modulus of cloth; auto also: young / (2 (1 + poisson)) */
    double bending; /* N m, bending stiffness of cloth; N m2, of a rope; auto also: that of a full section */
    double near, far;   /* m, for decimated links; auto: 1.8 and 6 spacings */
    int32_t far_count;  /* far links of a particle, at most */
    int32_t neighbours; /* links of a particle to its nearest neighbours */
    double stiffness; /* N/m, of a link, or of the spring to a particle's goal in shape matching; 0: rigid */
    double plain_stiffness;  /* 0 .. 1, with elasticity plain */
    double volume_stiffness; /* Pa, bulk modulus of the whole; 0: its volume is not conserved */
    double break_strain;     /* strain at which a link breaks; 0: never */
    double friction;         /* kinetic, of its particles on others and on bodies */
    double static_friction;  /* >= friction; auto: 1.3 friction */
    bool self_contact;       /* its particles also collide with each other */
    firn_vec3 velocity;      /* m/s, at the start */
    firn_vec3 spin;          /* rad/s, at the start, about its middle */
    firn_vec3 color;         /* linear RGB; auto: one of a list, in the order of the scene */
} firn_pbd_solid_def;
FIRN_API firn_pbd_solid_def firn_pbd_solid_def_default(void);

/* Positions of the walls of the box at a given time; linear in between. */
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

/* Particles of solids that are fixed in space or to a body. */
typedef struct firn_pbd_pin_def {
    const char *name;
    uint32_t cookie;        /* set by firn_pbd_pin_def_default() */
    firn_fill_def where;    /* all particles of solids that are inside this shape at the start */
    const char *body;       /* name of a body that they follow; NULL: they stay where they are */
    double stiffness;       /* N/m, of the spring on each particle; 0: rigid */
    double plain_stiffness; /* 0 .. 1, with elasticity plain */
} firn_pbd_pin_def;
FIRN_API firn_pbd_pin_def firn_pbd_pin_def_default(void);

/* Initial liquid. */
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

/* A round opening from which liquid flows. */
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

/* A shape that removes what is inside it: liquid, or particles of the phase model. */
typedef struct firn_pbd_drain_def {
    const char *name;
    uint32_t cookie; /* set by firn_pbd_drain_def_default() */
    firn_fill_def where;
    double start, end; /* s */
} firn_pbd_drain_def;
FIRN_API firn_pbd_drain_def firn_pbd_drain_def_default(void);

typedef enum firn_pbd_pressure {
    FIRN_PBD_COMPRESSION, /* the liquid resists compression only */
    FIRN_PBD_BOTH_SIGNS   /* also tension, which holds drops together, more than in reality */
} firn_pbd_pressure;

typedef enum firn_pbd_method {
    FIRN_PBD_PRESSURE, /* pressures that leave no liquid denser, solved to a tolerance */
    FIRN_PBD_POSITION  /* position-based fluids: so many iterations, whatever is left */
} firn_pbd_method;

/* Liquids: particles held at their density. */
typedef struct firn_pbd_fluid_def {
    uint32_t cookie;  /* set by firn_pbd_fluid_def_default() */
    double spacing;   /* m, between particles */
    double smoothing; /* m, support radius of the kernel; auto: 2 spacings */
    double density;   /* kg/m3 */
    firn_pbd_method method;
    double density_error;    /* mean share by which liquid may be too dense, with method pressure */
    int32_t most_iterations; /* of the pressures, in a sub-step */
    double max_travel; /* spacings that liquid moves in a sub-step at most; then there are more of them */
    firn_pbd_pressure pressure;
    double stiffness;       /* Pa, bulk modulus; 0: incompressible */
    double plain_stiffness; /* 0 .. 1, with elasticity plain */
    double unclump;         /* artificial pressure against clustering, for both signs; about 1e-3 */
    double viscosity;       /* Pa s; 0: none but what smoothed by xsph */
    double xsph; /* 0 .. 1: share of the difference to the neighbours' velocity lost in 1/60 s; FIRN_AUTO:
                    0.01, or 0 with viscosity */
    double calm; /* m/s: smaller differences are lost; FIRN_AUTO: 0.2 sqrt(gravity spacing); 0: none */
    double vorticity;       /* m/s, vorticity confinement: speed added to eddies */
    double cohesion;        /* m/s2, attraction between particles: an approximation of surface tension */
    double surface_tension; /* N/m; 0: none */
    double contact_angle;   /* rad, of liquid with surface tension on walls */
    double friction;        /* on bodies and solids */
    double foam;            /* amount of spray, foam and bubbles for pictures; 0: none, 1: usual */
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

/* A particle of a constraint. */
typedef struct firn_pbd_particle_def {
    uint32_t cookie;   /* set by firn_pbd_particle_def_default() */
    const char *solid; /* name of a solid */
    int32_t number; /* of the particle in it, from 0, in the order in which its shape or lattice is filled */
} firn_pbd_particle_def;
FIRN_API firn_pbd_particle_def firn_pbd_particle_def_default(void);
/* One value of a constraint. */
typedef struct firn_pbd_value_def {
    uint32_t cookie; /* set by firn_pbd_value_def_default() */
    double value;    /* SI units */
} firn_pbd_value_def;
FIRN_API firn_pbd_value_def firn_pbd_value_def_default(void);
/* Constraints of a kind that the program registered (firn/constraint.h). */
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
    } values;               /* as many as the kind has; none: those for which it is satisfied at the start */
    int32_t repeat;         /* number of such constraints: particle numbers increase by one each time */
    double compliance;      /* (unit of C)^2 / J, 0: rigid */
    double plain_stiffness; /* 0 .. 1, with elasticity plain */
} firn_pbd_constraint_def;
FIRN_API firn_pbd_constraint_def firn_pbd_constraint_def_default(void);

/* Particles and constraints: soft and stiff solids, ropes and cloth (position-based dynamics). */
typedef struct firn_pbd_def {
    uint32_t cookie; /* set by firn_pbd_def_default() */
    firn_pbd_solver solver;
    firn_pbd_integrator integrator;
    firn_pbd_elasticity elasticity;
    int32_t iterations; /* solver iterations per sub-step */
    int32_t substeps;   /* sub-steps per step; 0: one, or as many as elastic solids need */
    double relaxation;  /* omega of the Jacobi solvers, 0.1 .. 2 */
    double damping;     /* 1/s, of velocities */
    bool statistics;    /* measure the constraint errors before and after each solve */
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

/* A piece of snow of the phase model: grains that collide, link, melt and freeze. */
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

/* Initial water of the phase model. */
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

/* Which grains of snow are linked. */
typedef enum firn_phase_links {
    FIRN_PHASE_LINKS_NONE,   /* none: contacts only */
    FIRN_PHASE_LINKS_ALL,    /* every slot is used, at any temperature below that of linking */
    FIRN_PHASE_LINKS_DYNAMIC /* the colder, the more */
} firn_phase_links;

typedef struct firn_phase_link_def {
    firn_phase_links mode;
    int32_t most;            /* slots of a grain, 1 .. 24 */
    double temperature;      /* degrees Celsius; warmer grains have no links */
    double full_temperature; /* degrees Celsius; at and below it all slots are used */
    double stiffness;        /* 0 .. 0.3: share of its error that an iteration corrects */
    double break_strain;     /* strain at which a link breaks */
    double shape;            /* 0 .. 1: stiffness of shape matching of linked lumps; 0: off */
    double young;            /* Pa, of fully linked snow, instead of stiffness and shape; FIRN_AUTO: those */
} firn_phase_link_def;
FIRN_API firn_phase_link_def firn_phase_link_def_default(void);

/* When a particle melts or freezes. */
typedef enum firn_phase_change {
    FIRN_PHASE_LATENT,  /* when it has absorbed or released all of its latent heat */
    FIRN_PHASE_BLENDING /* when it passes the freezing point; not again before `threshold` of blend_time */
} firn_phase_change;

/* How heat conduction is solved: auto takes the cheaper one. */
typedef enum firn_phase_solve { FIRN_PHASE_AUTO, FIRN_PHASE_EXPLICIT, FIRN_PHASE_IMPLICIT } firn_phase_solve;

/* Temperature of the air at a given time. */
typedef struct firn_phase_air_def {
    uint32_t cookie;    /* set by firn_phase_air_def_default() */
    double time;        /* s, thermal time: time_lapse times that of the motion */
    double temperature; /* degrees Celsius */
} firn_phase_air_def;
FIRN_API firn_phase_air_def firn_phase_air_def_default(void);

typedef struct firn_phase_heat_def {
    double snow_conductivity, water_conductivity; /* W/mK, > 0 */
    double snow_capacity, water_capacity;         /* J/kgK, > 0 */
    double latent;                                /* J/kg */
    double freeze;                                /* degrees Celsius */
    firn_phase_solve solve;
    double time_lapse; /* seconds of heat conduction per second of motion */
    double exchange;   /* W/m2K, heat transfer coefficient between open surfaces and the air; 0: none */
    struct {
        const firn_phase_air_def *items;
        size_t count;
    } air; /* empty: the air of the scene */
} firn_phase_heat_def;
FIRN_API firn_phase_heat_def firn_phase_heat_def_default(void);

/* Snow that melts and water that freezes: particles of equal mass, as grains or as liquid. */
typedef struct firn_phase_def {
    uint32_t cookie;  /* set by firn_phase_def_default() */
    double mass;      /* kg, of each particle */
    double density;   /* kg/m3, of water */
    double smoothing; /* m, support radius of the kernel; auto: 2.4 spacings of water */
    double max_step;  /* s */
    int32_t iterations;
    double stiffness; /* 0 .. 0.3: share of a contact's penetration that an iteration corrects, per grain */
    double friction;  /* kinetic, of grains */
    double static_friction;                 /* >= friction */
    double water_friction;                  /* on bodies */
    double snow_viscosity, water_viscosity; /* 0 .. 1, XSPH: share of the difference to the neighbours'
                                               velocity lost in 1/60 s */
    double calm; /* m/s: smaller differences in water are lost; FIRN_AUTO: 0.2 sqrt(gravity spacing) */
    double
        cohesion; /* m/s2, largest attraction of water to a flat water surface; auto: 0, without gravity 2 */
    double adhesion;      /* m/s2, the same to a surface of snow or ice; auto: the same */
    double body_adhesion; /* m/s2, of water and ice to bodies and the walls of the box; auto: the same */
    firn_phase_change change;
    double
        blend_time; /* s, in which a particle that melted or froze takes on the properties of its new kind */
    double threshold; /* 0 .. 1, with blending: share of blend_time before it may melt or freeze again */
    double
        retention; /* 0 .. 1: melted share that a grain retains: up to it water soaks in, more seeps down */
    double seep;   /* m/s, speed at which water soaks in and seeps; 0: none */
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
