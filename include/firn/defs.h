/* firn: what a world is made of. Every struct comes filled with defaults from its ..._default() and mirrors
   one table of the scene language: `firn explain bodies.friction` and this header speak of the same thing. SI
   units, y is up, temperatures in degrees Celsius, angles in radian. Pointers are only read during the call
   that takes the struct. */
#ifndef FIRN_DEFS_H
#define FIRN_DEFS_H

#include <firn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_shape_kind {
    FIRN_SHAPE_PLANE,      /* everything below y = 0 of its own frame */
    FIRN_SHAPE_BOX,        /* size */
    FIRN_SHAPE_SPHERE,     /* radius */
    FIRN_SHAPE_ELLIPSOID,  /* radii */
    FIRN_SHAPE_CAPSULE,    /* radius, length between the centres of its caps, along y */
    FIRN_SHAPE_CYLINDER,   /* radius, length, along y */
    FIRN_SHAPE_HEIGHT_MAP, /* file (16-bit PNG), size: x, z extents and y height of white */
    FIRN_SHAPE_MESH,       /* file (OBJ, PLY, STL, glTF), scaled to height if height > 0 */
    FIRN_SHAPE_BINVOX,     /* file (.binvox v1), scaled to height if height > 0 */
    FIRN_SHAPE_UNION,      /* parts */
    FIRN_SHAPE_HARE,       /* height; generated */
    FIRN_SHAPE_SNOWMAN,    /* height; generated */
    FIRN_SHAPE_HOUSE,      /* height; generated */
    FIRN_SHAPE_LAMP_POST,  /* height; generated */
    FIRN_SHAPE_HILLS,      /* size, seed; generated uneven ground: smooth hills of height size.y */
    FIRN_SHAPE_KINDS,
} firn_shape_kind;

/* A shape stands at the origin of its own frame: primitives are centred on it, generated shapes and meshes
   scaled to a height stand on y = 0 with their middle above the origin. */
typedef struct firn_shape_def {
    firn_shape_kind kind;
    double radius;     /* m */
    double length;     /* m */
    double height;     /* m; 0: as in the file */
    firn_vec3 size;    /* m, full extents */
    firn_vec3 radii;   /* m */
    const char *file;  /* path; relative paths start at the scene's folder */
    int32_t seed;      /* for generated shapes */
    double resolution; /* m; cell of the sampled level set of meshes; 0: 1/48 of the largest
                          extent of files, 1/16 or 1/32 of generated shapes */
    struct {
        const struct firn_part_def *items;
        size_t count;
    } parts; /* for a union */
} firn_shape_def;

/* One member of a union: a shape with its place. */
typedef struct firn_part_def {
    const char *name;
    firn_shape_def shape;
    firn_vec3 at;     /* m */
    firn_vec3 rotate; /* rad; turned about x, then y, then z */
    double scale;
} firn_part_def;

/* A moment of a body or camera that moves by keyframes; positions and angles in between are smooth
   (Catmull-Rom); before the first and after the last key it stands still. */
typedef struct firn_keyframe {
    double time;      /* s */
    firn_vec3 at;     /* m */
    firn_vec3 rotate; /* rad; may exceed a full turn */
} firn_keyframe;

typedef enum firn_motion_kind {
    FIRN_MOTION_FIXED,
    FIRN_MOTION_DYNAMIC,
    FIRN_MOTION_KEYFRAMES,
    FIRN_MOTION_LED /* moved by the program: firn_world_body_lead */
} firn_motion_kind;

typedef struct firn_motion_def {
    firn_motion_kind kind;
    struct {
        const firn_keyframe *items;
        size_t count;
    } keyframes;
} firn_motion_def;

/* How snow of the material point method meets a body. */
typedef enum firn_contact_kind {
    FIRN_CONTACT_FRICTION, /* Coulomb, with the body's friction; comes off freely */
    FIRN_CONTACT_SLIP,     /* slides without friction; comes off freely */
    FIRN_CONTACT_STICKY    /* what touches it stays on it */
} firn_contact_kind;

typedef struct firn_body_def {
    const char *name;
    firn_shape_def shape;
    firn_vec3 at;     /* m */
    firn_vec3 rotate; /* rad; turned about x, then y, then z */
    double scale;     /* > 0 */
    firn_motion_def motion;
    const char
        *snow; /* name of a snow type the body is made of, or NULL; gives density, friction, restitution */
    double density;     /* kg/m3, of the shape's volume; < 0: from snow, or 600 */
    double friction;    /* Coulomb coefficient, >= 0; < 0: from snow, or 0.5; a pair of bodies takes the
                           geometric mean */
    double restitution; /* 0 (dead) .. 1 (perfect bounce); < 0: from snow, or 0.1; a pair takes the larger */
    firn_contact_kind contact;
    double temperature;  /* degrees Celsius, held whatever touches it; below -273.15: no heat passes */
    double heat_contact; /* W/m2K, of its surface; < 0: lets through all that comes */
    firn_vec3 velocity;  /* m/s, at the start, of dynamic bodies */
    firn_vec3 spin;      /* rad/s, at the start, of dynamic bodies */
    firn_vec3 color;     /* linear RGB 0..1; x < 0: chosen from the name */
} firn_body_def;
FIRN_API firn_body_def firn_body_def_default(void);

typedef enum firn_fill_pattern {
    FIRN_FILL_REGULAR,
    FIRN_FILL_JITTERED,
    FIRN_FILL_BLUE_NOISE
} firn_fill_pattern;

/* A shape filled with grains. */
typedef struct firn_grains_fill_def {
    const char *name;
    firn_shape_def shape;
    firn_vec3 at;     /* m */
    firn_vec3 rotate; /* rad */
    double scale;
    double spacing; /* m, between neighbours */
    firn_fill_pattern pattern;
    firn_vec3 velocity; /* m/s, at the start */
} firn_grains_fill_def;
FIRN_API firn_grains_fill_def firn_grains_fill_def_default(void);

/* Loose grains: points that fall, bounce off and slide on bodies, and push them; they do not meet each other.
 */
typedef struct firn_grains_def {
    const char *snow;   /* snow type: density of a grain, NULL: packed */
    double radius;      /* m, of a grain */
    double density;     /* kg/m3; < 0: from snow */
    double friction;    /* Coulomb coefficient on bodies; < 0: from snow */
    double restitution; /* 0..1; < 0: from snow */
    double drag;        /* 1/s, slowing by still air */
    double floor;       /* m; grains that fall below are taken out and booked as left */
    struct {
        const firn_grains_fill_def *items;
        size_t count;
    } fill;
} firn_grains_def;
FIRN_API firn_grains_def firn_grains_def_default(void);

/* Where and how a model puts its snow: a shape with its place. */
typedef struct firn_fill_def {
    firn_shape_def shape;
    firn_vec3 at;     /* m */
    firn_vec3 rotate; /* rad */
    double scale;
} firn_fill_def;

/* One piece of snow of the material point method. Values < 0 are taken from the snow type. */
typedef struct firn_mpm_snow_def {
    const char *name;
    firn_fill_def fill;
    const char *type;            /* snow type; NULL: packed */
    bool measured;               /* stiffness measured for the density (Sigrist) instead of the type's */
    double density;              /* kg/m3 */
    double young;                /* Pa */
    double poisson;              /* 0 .. 0.49 */
    double critical_compression; /* theta_c */
    double critical_stretch;     /* theta_s */
    double hardening;            /* xi */
    double temperature;          /* degrees Celsius; carried along and shown: this law knows no heat */
    firn_vec3 velocity;          /* m/s, at the start */
    firn_vec3 spin;              /* rad/s, at the start, about the middle of the fill */
} firn_mpm_snow_def;
FIRN_API firn_mpm_snow_def firn_mpm_snow_def_default(void);

/* Snow that enters over time. Without `every` it streams through the shape in the direction of its velocity;
   with it, the whole shape appears again and again. */
typedef struct firn_mpm_emit_def {
    const char *name;
    firn_mpm_snow_def snow; /* its fill is where it enters, its velocity how; its name is not used */
    double from, to;        /* s */
    double rate;            /* kg/s of a stream; < 0: as much as fits through the shape at that velocity */
    double every;           /* s between two pieces; 0: a stream */
} firn_mpm_emit_def;
FIRN_API firn_mpm_emit_def firn_mpm_emit_def_default(void);

/* A plane where snow leaves: what passes it along the normal. */
typedef struct firn_mpm_remove_def {
    const char *name;
    firn_vec3 at;     /* m, a point of the plane */
    firn_vec3 normal; /* of any length but 0 */
} firn_mpm_remove_def;
FIRN_API firn_mpm_remove_def firn_mpm_remove_def_default(void);

typedef enum firn_mpm_kernel { FIRN_MPM_CUBIC, FIRN_MPM_QUADRATIC } firn_mpm_kernel;
typedef enum firn_mpm_transfer { FIRN_MPM_APIC, FIRN_MPM_FLIP } firn_mpm_transfer;

/* Snow as an elasto-plastic continuum: blocks that fall, break, stick and pile up. */
typedef struct firn_mpm_def {
    double cell;      /* m */
    int32_t per_cell; /* particles in a full cell */
    firn_mpm_kernel kernel;
    firn_mpm_transfer transfer;
    double flip_share;           /* 0 (PIC) .. 1, of what FLIP keeps of a particle's own velocity */
    double step;                 /* s; 0: chosen from wave speed and velocity */
    double implicit;             /* beta, 0 .. 1: 0 explicit, 0.5 and above stable at any step */
    double implicit_tolerance;   /* residual that ends the solve, against the first */
    int32_t implicit_iterations; /* at most */
    double floor;                /* m; snow that falls below is taken out and booked as lost */
    struct {
        const firn_mpm_snow_def *items;
        size_t count;
    } snow;
    struct {
        const firn_mpm_emit_def *items;
        size_t count;
    } emit;
    struct {
        const firn_mpm_remove_def *items;
        size_t count;
    } remove;
} firn_mpm_def;
FIRN_API firn_mpm_def firn_mpm_def_default(void);

/* How the constraints of position-based dynamics are solved. */
typedef enum firn_pbd_solver {
    FIRN_PBD_GAUSS_SEIDEL,   /* colour by colour, in place: converges fastest */
    FIRN_PBD_JACOBI,         /* all constraints at once from the same positions, averaged */
    FIRN_PBD_JACOBI_PARTICLE /* the same corrections, each particle works out its own share */
} firn_pbd_solver;
typedef enum firn_pbd_integrator { FIRN_PBD_EULER, FIRN_PBD_VERLET } firn_pbd_integrator;
/* What makes a constraint soft: a stiffness in SI that holds for any step and iterations (XPBD), or the share
   of its error that one iteration mends. */
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
    firn_fill_def fill;        /* shape and place; with `lattice`, only the place counts */
    firn_vec3 lattice;         /* whole numbers of particles along x, y, z; 0: the shape is filled instead */
    firn_fill_pattern pattern; /* of the fill */
    double spacing;            /* m, between neighbours */
    double radius;             /* m, of a particle; < 0: half the spacing */
    double density;            /* kg/m3, of the solid */
    firn_pbd_links links;
    double near, far;        /* m, for decimated links; < 0: 1.8 and 6 spacings */
    int32_t far_count;       /* far links of a particle, at most */
    int32_t neighbours;      /* links to nearest neighbours */
    double stiffness;        /* N/m of a link, or of the hold on a particle of a matched shape; 0: rigid */
    double plain_stiffness;  /* 0 .. 1, with elasticity plain */
    double volume_stiffness; /* Pa, bulk modulus of the whole; 0: volume is not held */
    double break_strain;     /* links tear when they are longer by this share; 0: never */
    double friction;         /* kinetic, of its particles on others and on bodies */
    double static_friction;  /* >= friction; < 0: 1.3 friction */
    bool self_contact;       /* its particles do not go through each other either */
    firn_vec3 velocity;      /* m/s, at the start */
    firn_vec3 spin;          /* rad/s, at the start, about its middle */
    firn_vec3 color;         /* linear RGB; x < 0: chosen by number */
} firn_pbd_solid_def;
FIRN_API firn_pbd_solid_def firn_pbd_solid_def_default(void);

/* Where the walls of the box are at a moment; in between they move evenly. */
typedef struct firn_pbd_walls_def {
    double time;         /* s */
    firn_vec3 low, high; /* m */
} firn_pbd_walls_def;

/* A box that all particles stay in; its walls may move. */
typedef struct firn_pbd_box_def {
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
    firn_fill_def where;    /* all particles of solids inside this shape at the start */
    const char *body;       /* they go with it; NULL: they stay */
    double stiffness;       /* N/m, of each; 0: rigid */
    double plain_stiffness; /* 0 .. 1, with elasticity plain */
} firn_pbd_pin_def;
FIRN_API firn_pbd_pin_def firn_pbd_pin_def_default(void);

/* Liquid that is there at the start. */
typedef struct firn_pbd_pool_def {
    const char *name;
    firn_fill_def fill;
    firn_fill_pattern pattern;
    double density;     /* kg/m3; < 0: that of the fluid */
    firn_vec3 velocity; /* m/s */
    firn_vec3 color;    /* linear RGB; x < 0: that of the fluid */
} firn_pbd_pool_def;
FIRN_API firn_pbd_pool_def firn_pbd_pool_def_default(void);

/* A round spout of liquid. */
typedef struct firn_pbd_spout_def {
    const char *name;
    firn_vec3 at, velocity; /* m, m/s; the liquid leaves along the velocity */
    double radius;          /* m */
    double start, end;      /* s */
    double density;         /* kg/m3; < 0: that of the fluid */
    firn_vec3 color;        /* linear RGB; x < 0: that of the fluid */
} firn_pbd_spout_def;
FIRN_API firn_pbd_spout_def firn_pbd_spout_def_default(void);

/* Liquid inside this shape leaves. */
typedef struct firn_pbd_drain_def {
    const char *name;
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
    double spacing;   /* m, between particles */
    double smoothing; /* m, radius within which they feel each other; < 0: 2 spacings */
    double density;   /* kg/m3 */
    firn_pbd_pressure pressure;
    double stiffness;       /* Pa, bulk modulus; 0: incompressible */
    double plain_stiffness; /* 0 .. 1, with elasticity plain */
    double unclump;         /* artificial pressure: share of the smoothing radius squared, about 1e-3 */
    double viscosity;       /* 0 .. 1: share of the difference to the neighbours' velocity lost in 1/60 s */
    double vorticity;       /* m/s: confinement, what keeps eddies turning */
    double cohesion;        /* m/s2, with which particles draw each other: surface tension as it looks */
    double friction;        /* on bodies */
    firn_vec3 color;        /* linear RGB; x < 0: water */
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
typedef struct firn_pbd_def {
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
    const firn_pbd_box_def *box;     /* NULL: none */
    const firn_pbd_fluid_def *fluid; /* NULL: none */
} firn_pbd_def;
FIRN_API firn_pbd_def firn_pbd_def_default(void);

/* A piece of snow of the phase model: grains that touch, link, melt and freeze. */
typedef struct firn_phase_snow_def {
    const char *name;
    firn_fill_def fill;
    firn_fill_pattern pattern;
    const char *type;   /* snow type; NULL: packed */
    double density;     /* kg/m3; < 0: that of the type */
    double temperature; /* degrees Celsius */
    firn_vec3 velocity; /* m/s, at the start */
    firn_vec3 spin;     /* rad/s, at the start, about the middle of the fill */
} firn_phase_snow_def;
FIRN_API firn_phase_snow_def firn_phase_snow_def_default(void);

/* Water of the phase model that is there at the start. */
typedef struct firn_phase_water_def {
    const char *name;
    firn_fill_def fill;
    firn_fill_pattern pattern;
    double temperature; /* degrees Celsius */
    firn_vec3 velocity; /* m/s */
} firn_phase_water_def;
FIRN_API firn_phase_water_def firn_phase_water_def_default(void);

/* A round spout of water of the phase model. */
typedef struct firn_phase_spout_def {
    const char *name;
    firn_vec3 at, velocity; /* m, m/s; the water leaves along the velocity */
    double radius;          /* m */
    double start, end;      /* s */
    double temperature;     /* degrees Celsius */
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
    double stiffness;        /* 0 .. 1: share of its error that an iteration mends */
    double break_strain;     /* stretched by more than this share of its length a link breaks */
    double shape;            /* 0 .. 1: how firmly a lump of linked grains keeps its shape */
} firn_phase_link_def;

/* How snow becomes water and water snow. */
typedef enum firn_phase_change {
    FIRN_PHASE_LATENT,  /* when all of its latent heat has come or gone */
    FIRN_PHASE_BLENDING /* as soon as the temperature is passed; then not again before the blend is so far */
} firn_phase_change;

typedef enum firn_phase_solve { FIRN_PHASE_AUTO, FIRN_PHASE_EXPLICIT, FIRN_PHASE_IMPLICIT } firn_phase_solve;

/* Temperature of the air at a moment. */
typedef struct firn_phase_air_def {
    double time;        /* s */
    double temperature; /* degrees Celsius */
} firn_phase_air_def;

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

/* Snow that melts and water that freezes: particles of one mass, as grains or as liquid. */
typedef struct firn_phase_def {
    double mass;      /* kg, of each particle */
    double density;   /* kg/m3, of water */
    double smoothing; /* m, radius within which particles feel each other; < 0: 2.2 spacings */
    double step;      /* s, longest */
    int32_t iterations;
    double stiffness;       /* 0 .. 0.3: share of the depth of a contact that an iteration mends, per grain */
    double friction;        /* kinetic, of grains */
    double static_friction; /* >= friction */
    double water_friction;  /* on bodies */
    double snow_viscosity, water_viscosity; /* 0 .. 1: share of the difference to the neighbours' velocity
                                               lost in 1/60 s */
    double cohesion;                        /* m/s2, with which water draws water and snow */
    firn_phase_change change;
    double blend_time; /* s, in which a particle that changed takes up the ways of its new kind */
    double threshold;  /* 0 .. 1, with blending: part of the blend before it may change again */
    double retention;  /* 0 .. 1: melted share that a grain holds; more seeps down to others */
    double seep;       /* m/s, how fast */
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

/* A place where snow is poured onto a snow field. */
typedef struct firn_field_pour_def {
    const char *name;
    firn_vec3 at;      /* m; y does not matter */
    double radius;     /* m */
    double rate;       /* kg/s */
    double density;    /* kg/m3; < 0: that of the field */
    double start, end; /* s */
} firn_field_pour_def;
FIRN_API firn_field_pour_def firn_field_pour_def_default(void);

/* What a snow field lies on. */
typedef struct firn_field_ground_def {
    firn_shape_def shape; /* plane: level ground; height map, hills, mesh: its upper surface */
    firn_vec3 at;         /* m, from the field's `at` */
    firn_vec3 rotate;     /* rad */
    double scale;
    const char *body; /* name of a fixed body whose upper surface is the ground instead; NULL: none */
} firn_field_ground_def;

/* Where displaced snow goes: along the contour of what a body presses, or cell by cell towards the nearest
 * edge. */
typedef enum firn_field_spread { FIRN_FIELD_CONTOUR, FIRN_FIELD_DISTANCE } firn_field_spread;

typedef struct firn_field_fall_def {
    double rate;    /* m/s of water; 0: it does not snow */
    double density; /* kg/m3 of what falls; < 0: density_min */
} firn_field_fall_def;

typedef struct firn_field_ageing_def {
    double time;    /* s after which 63 % of the way is done; 0: snow does not age */
    double density; /* kg/m3 that looser snow tends to; < 0: density_max */
} firn_field_ageing_def;

typedef struct firn_field_bits_def {
    int32_t most; /* points in the air at once; 0: none */
    double speed; /* m/s; bodies faster than this throw snow up */
} firn_field_bits_def;

typedef enum firn_field_border { FIRN_FIELD_WALL, FIRN_FIELD_OPEN } firn_field_border;

/* Snow lying on the ground: heights and densities in cells, in which bodies leave tracks. Values < 0 are
   taken from the snow type. */
typedef struct firn_snowfield_def {
    firn_vec3 at;         /* m; middle of the area, and height of flat ground */
    double width, length; /* m; extents along x and z, rounded up to whole cells */
    double cell;          /* m */
    int32_t tile;         /* cells along the edge of a tile: 16, 32 or 64 */
    firn_field_border border;
    firn_field_ground_def ground;
    const char *snow;        /* snow type; NULL: fresh */
    double depth;            /* m, at the start */
    const char *depth_map;   /* 16-bit grey PNG over the whole area: black no snow, white depth; NULL: even */
    const char *density_map; /* the same for density: black density_min, white density_max */
    const char *snow_from; /* frame of a run (DIR/frames/000042.h5) whose snow cover is the snow at the start
                              instead; NULL: none */
    double density;        /* kg/m3, at the start */
    double density_min, density_max;  /* kg/m3; loosest and densest that this snow can be */
    double slope_loose, slope_packed; /* rad; steepest slope at density_min and at density_max */
    double bearing;                   /* Pa that the snow bears at the type's density */
    double bearing_power;             /* it grows with this power of the density */
    double friction; /* Coulomb coefficient of the snow; a body's is mixed in by the geometric mean */
    firn_field_spread spread;
    firn_field_fall_def fall;
    firn_field_ageing_def ageing;
    firn_field_bits_def bits;
    double follow;  /* m; tiles at rest farther than this from all bodies that can move are packed away, and
                       come back when one is near; 0: all stay */
    int32_t sweeps; /* most sweeps for slopes in a step; 0: until nothing slides */
    struct {
        const firn_field_pour_def *items;
        size_t count;
    } pour;
} firn_snowfield_def;
FIRN_API firn_snowfield_def firn_snowfield_def_default(void);

/* The wind's sides: x goes east, z goes south, y up. */
typedef enum firn_wind_side {
    FIRN_WIND_WEST,
    FIRN_WIND_EAST,
    FIRN_WIND_NORTH,
    FIRN_WIND_SOUTH
} firn_wind_side;
typedef enum firn_wind_profile {
    FIRN_WIND_UNIFORM,
    FIRN_WIND_POWER, /* (y / height)^exponent */
    FIRN_WIND_LOG    /* logarithmic above ground of some roughness */
} firn_wind_profile;

/* The wind at a moment; in between it changes evenly. */
typedef struct firn_wind_change_def {
    double time;  /* s */
    double speed; /* m/s at the inflow's height */
    double turn;  /* rad; from the inflow's side, clockwise seen from above */
} firn_wind_change_def;

/* The undisturbed wind. */
typedef struct firn_wind_inflow_def {
    firn_wind_side side; /* where it comes from */
    double speed;        /* m/s, at `height` */
    double turn;         /* rad; clockwise seen from above: from west over north to east */
    firn_wind_profile profile;
    double height;    /* m above the domain's bottom, where the speed holds */
    double exponent;  /* of the power law */
    double roughness; /* m, of the ground, for the log law */
    double gusts;     /* 0: steady; 0.3: 30 % faster and slower */
    double gust_time; /* s, from gust to gust */
    const char
        *series; /* CSV file: time (s), speed (m/s), direction (degrees, 270: from the west); or NULL */
    struct {
        const firn_wind_change_def *items;
        size_t count;
    } changes;
} firn_wind_inflow_def;

/* What the sides of the domain are: open to the wind, in and out, or walls. The bottom is ground. */
typedef enum firn_wind_border { FIRN_WIND_AIR, FIRN_WIND_WALL } firn_wind_border;
typedef struct firn_wind_sides_def {
    firn_wind_border west, east, north, south, top;
} firn_wind_sides_def;

typedef enum firn_wind_advection { FIRN_WIND_MACCORMACK, FIRN_WIND_SEMI_LAGRANGIAN } firn_wind_advection;
typedef enum firn_wind_pressure { FIRN_WIND_MULTIGRID, FIRN_WIND_JACOBI } firn_wind_pressure;

/* Wind around all bodies of the scene, on a grid of cells. */
typedef struct firn_wind_def {
    firn_vec3 grid; /* whole numbers of cells along x, y, z */
    double cell;    /* m */
    firn_vec3 at;   /* m, the middle of the domain's bottom */
    firn_wind_inflow_def inflow;
    firn_wind_sides_def sides;
    firn_wind_advection advection;
    double confinement; /* epsilon of the vorticity confinement; 0: none */
    firn_wind_pressure pressure;
    double tolerance; /* largest divergence left, of the wind's speed / cell */
    int32_t sweeps;   /* of Jacobi's iteration */
    int32_t shown;    /* every n-th cell along each axis is written to frames */
} firn_wind_def;
FIRN_API firn_wind_def firn_wind_def_default(void);
FIRN_API firn_wind_change_def firn_wind_change_def_default(void);

typedef enum firn_flake_kind {
    FIRN_FLAKE_AUTO, /* wet above -1 C */
    FIRN_FLAKE_DRY,
    FIRN_FLAKE_WET
} firn_flake_kind;

/* Snow that falls through the wind. */
typedef struct firn_flakes_def {
    double snowfall; /* m/s of water; people write mm/h */
    int32_t shown;   /* simulated flakes in calm air, about; each stands for many */
    firn_flake_kind kind;
    double swirl; /* m, largest radius of the circles in which flakes sail down */
    bool filled;  /* the air is full of flakes at the start */
} firn_flakes_def;
FIRN_API firn_flakes_def firn_flakes_def_default(void);

/* Flakes that landed and lie. Values < 0 are taken from the snow type. */
typedef struct firn_cover_def {
    const char *snow;       /* snow type; NULL: fresh */
    double density;         /* kg/m3, of new snow */
    double settled;         /* kg/m3, that it settles to */
    double settle_time;     /* s, in which two thirds of that happen */
    double repose;          /* rad, the steepest slope */
    double melt;            /* m/s of water for each degree above 0 C; people write mm/h */
    bool wind;              /* full cells stop the wind, too */
    int32_t sweeps;         /* for slopes and falls, in a step */
    bool drift;             /* wind lifts snow that lies and drops it in the lee */
    double drift_threshold; /* m/s, friction speed above which it does */
    double drift_height;    /* m, of drifting snow above the ground, in the mean */
    double drift_rate;      /* times what drifts in nature */
    double roughness;       /* m, of the snow's surface */
} firn_cover_def;
FIRN_API firn_cover_def firn_cover_def_default(void);

typedef struct firn_air_def {
    double temperature; /* degrees Celsius */
} firn_air_def;

typedef struct firn_world_def {
    const char *name;
    double duration; /* s */
    double fps;      /* frames per second of the output */
    int32_t seed;
    firn_vec3 gravity; /* m/s2 */
    double max_step;   /* s; upper limit of a simulation step */
    double max_speed;  /* m/s; the watchdog stops the run when anything is faster */
    firn_air_def air;
    struct {
        const firn_body_def *items;
        size_t count;
    } bodies;
    const firn_grains_def *grains;   /* NULL: none */
    const firn_mpm_def *mpm;         /* NULL: none */
    const firn_snowfield_def *field; /* NULL: none */
    const firn_wind_def *wind;       /* NULL: none */
    const firn_flakes_def *flakes;   /* NULL: none; they need wind, if only of 0 m/s */
    const firn_cover_def *cover;     /* NULL: flakes that land are only counted */
    const firn_pbd_def *pbd;         /* NULL: none */
    const firn_phase_def *phase;     /* NULL: none */
    const char *folder;              /* where relative file names start; NULL: the current folder */
} firn_world_def;
FIRN_API firn_world_def firn_world_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
