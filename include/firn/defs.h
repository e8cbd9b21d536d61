/* firn: what a world is made of. Every struct comes filled with defaults from its ..._default() and mirrors
   one table of the scene language: `firn explain bodies.friction` and this header describe the same value. SI
   units, y is up, temperatures in degrees Celsius, angles in radians. Pointers are only read during the call
   that takes the struct.

   Where a comment says auto, the member may be FIRN_AUTO (firn/base.h), which is its default: the value is
   then chosen as the comment says.

   A def that a function takes, or that another def points to, has a cookie, which its ..._default() sets:
   without it the def is refused with FIRN_BAD_INPUT before anything else in it is read. Parts inside another
   def (shape, fill, motion, opening, ...) have none: the cookie of the def around them covers them. */
#ifndef FIRN_DEFS_H
#define FIRN_DEFS_H

#include <firn/defs_bodies.h>
#include <firn/defs_coupling.h>
#include <firn/defs_particles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A shape filled with grains. */
typedef struct firn_grains_fill_def {
    const char *name;
    uint32_t cookie; /* set by firn_grains_fill_def_default() */
    firn_fill_def fill;
    double spacing; /* m, between neighbours */
    firn_fill_pattern pattern;
    firn_vec3 velocity; /* m/s, at the start */
} firn_grains_fill_def;
FIRN_API firn_grains_fill_def firn_grains_fill_def_default(void);

/* Loose grains: small spheres that fall, bounce off and slide on bodies, and push them; they do not collide
   with each other. */
typedef struct firn_grains_def {
    uint32_t cookie;    /* set by firn_grains_def_default() */
    const char *snow;   /* snow type: density of a grain, NULL: packed */
    double radius;      /* m, of a grain */
    double density;     /* kg/m3; auto: from snow */
    double friction;    /* Coulomb coefficient on bodies; auto: from snow */
    double restitution; /* 0..1; auto: from snow */
    double drag;        /* 1/s, slowing by still air */
    double floor;       /* m; grains that fall below are removed and counted as left */
    struct {
        const firn_grains_fill_def *items;
        size_t count;
    } fill;
} firn_grains_def;
FIRN_API firn_grains_def firn_grains_def_default(void);

/* Constitutive laws of the material point method. */
typedef enum firn_snow_law {
    FIRN_SNOW_LAW_AUTO,           /* as the snow type says */
    FIRN_SNOW_LAW_STOMAKHIN,      /* MPM15: limits of the principal stretches; bonded snow that breaks */
    FIRN_SNOW_LAW_DRUCKER_PRAGER, /* dry friction without cohesion, compaction under pressure: it flows */
    FIRN_SNOW_LAW_CAM_CLAY        /* friction and cohesion, which is lost in tension and shear */
} firn_snow_law;

/* One piece of snow of the material point method. Values that are FIRN_AUTO are taken from the snow type. */
typedef struct firn_mpm_snow_def {
    const char *name;
    uint32_t cookie; /* set by firn_mpm_snow_def_default() */
    firn_fill_def fill;
    const char *type;            /* snow type; NULL: packed */
    bool measured;               /* stiffness measured for the density (Sigrist) instead of the type's */
    double density;              /* kg/m3 */
    double young;                /* Pa */
    double poisson;              /* 0 .. 0.49 */
    double critical_compression; /* theta_c */
    double critical_stretch;     /* theta_s */
    double hardening;            /* xi */
    firn_snow_law law;
    double friction_angle;   /* rad; Drucker-Prager and Cam clay */
    double cohesion;         /* tensile strength as a share of `strength`; Cam clay */
    double strength;         /* Pa; pressure above which it compacts; Drucker-Prager and Cam clay */
    double adhesion;         /* Pa; tension that bodies bear at its surface */
    double softening_length; /* m; width of the zone in which it breaks; 0: the cell */
    double tearing_time;     /* s; how long it resists being torn; 0: not */
    double clod;             /* m; size of the lumps between which it breaks; 0: none; auto: as the type */
    double seam;             /* share of critical_stretch that it bears between them */
    double temperature;      /* degrees Celsius, at the start; without mpm.heat only shown */
    double wetness;          /* melted share of the mass, at the start; only at 0 degrees, with mpm.heat */
    firn_vec3 velocity;      /* m/s, at the start */
    firn_vec3 spin;          /* rad/s, at the start, about the middle of the fill */
} firn_mpm_snow_def;
FIRN_API firn_mpm_snow_def firn_mpm_snow_def_default(void);

/* Snow that enters over time. Without `every` it streams through the shape in the direction of its velocity;
   with it, the whole shape appears again and again. */
typedef struct firn_mpm_emit_def {
    const char *name;
    uint32_t cookie;        /* set by firn_mpm_emit_def_default() */
    firn_mpm_snow_def snow; /* its fill is where the snow enters, with its velocity; its name is not used */
    double start, end;      /* s */
    double rate;            /* kg/s of a stream; auto: as much as fits through the shape at that velocity */
    double every;           /* s between two pieces; 0: a stream */
} firn_mpm_emit_def;
FIRN_API firn_mpm_emit_def firn_mpm_emit_def_default(void);

/* A plane where snow leaves: what crosses it along the normal is removed. */
typedef struct firn_mpm_remove_def {
    const char *name;
    uint32_t cookie;  /* set by firn_mpm_remove_def_default() */
    firn_vec3 at;     /* m, a point on the plane */
    firn_vec3 normal; /* of any length but 0 */
} firn_mpm_remove_def;
FIRN_API firn_mpm_remove_def firn_mpm_remove_def_default(void);

/* B-spline between particles and nodes. */
typedef enum firn_mpm_kernel { FIRN_MPM_CUBIC, FIRN_MPM_QUADRATIC } firn_mpm_kernel;
/* How velocities are transferred between particles and nodes: APIC, a blend of PIC and FLIP, or ASFLIP, which
   keeps more energy than APIC and lets broken snow come apart. Auto: ASFLIP where there is snow of the law
   drucker-prager and the step is explicit, otherwise APIC. */
typedef enum firn_mpm_transfer {
    FIRN_MPM_TRANSFER_AUTO,
    FIRN_MPM_APIC,
    FIRN_MPM_FLIP,
    FIRN_MPM_ASFLIP
} firn_mpm_transfer;

/* Heat of MPM snow: conduction, exchange with air and bodies, melting, and what it does to the strength. */
typedef struct firn_mpm_heat_def {
    uint32_t cookie;                              /* set by firn_mpm_heat_def_default() */
    double snow_conductivity, water_conductivity; /* W/mK, > 0; snow auto: by its density */
    double snow_capacity, water_capacity;         /* J/kgK, > 0 */
    double latent;                                /* J/kg */
    double time_lapse;                            /* seconds of heat and sintering per second of motion */
    double exchange;  /* W/m2K, heat transfer coefficient between open surfaces and the air; 0: none */
    double radiation; /* W/m2, absorbed by open surfaces; negative: they radiate more than they absorb */
    double weakening; /* power of the factor that temperature and water put on the strength; 0: none */
    double sintering; /* s, in which broken bonds heal at 0 degrees at rest; 0: never */
} firn_mpm_heat_def;
FIRN_API firn_mpm_heat_def firn_mpm_heat_def_default(void);

/* Snow as an elasto-plastic continuum: blocks that fall, break, stick and pile up. */
typedef struct firn_mpm_def {
    uint32_t cookie;  /* set by firn_mpm_def_default() */
    double cell;      /* m */
    int32_t per_cell; /* particles in a full cell */
    firn_mpm_kernel kernel;
    firn_mpm_transfer transfer;
    double flip_share;           /* 0 .. 1, of its own velocity that a particle keeps (FLIP, ASFLIP); auto */
    double max_step;             /* s, longest; 0: from the CFL limits of wave speed and velocity */
    double implicit;             /* beta, 0 .. 1: 0 explicit, 0.5 and above stable at any time step */
    double implicit_tolerance;   /* residual, relative to the first, at which the solve ends */
    int32_t implicit_iterations; /* at most */
    double floor;                /* m; snow that falls below is removed and counted as lost */
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
    const firn_mpm_heat_def *heat; /* NULL: temperatures stay as they are and change nothing */
} firn_mpm_def;
FIRN_API firn_mpm_def firn_mpm_def_default(void);

/* A place where snow is poured onto a snow field. */
typedef struct firn_snowfield_pour_def {
    const char *name;
    uint32_t cookie;   /* set by firn_snowfield_pour_def_default() */
    firn_vec3 at;      /* m; y is ignored */
    double radius;     /* m */
    double rate;       /* kg/s */
    double density;    /* kg/m3; auto: that of the field */
    double start, end; /* s */
} firn_snowfield_pour_def;
FIRN_API firn_snowfield_pour_def firn_snowfield_pour_def_default(void);

/* What a snow field lies on. */
typedef struct firn_snowfield_ground_def {
    firn_shape_def shape; /* plane: level ground; height map, hills, mesh: its upper surface */
    firn_vec3 at;         /* m, from the field's `at` */
    firn_vec3 rotate;     /* rad */
    double scale;
    const char *body; /* name of a fixed body whose upper surface is the ground instead; NULL: none */
} firn_snowfield_ground_def;
FIRN_API firn_snowfield_ground_def firn_snowfield_ground_def_default(void);

/* Where displaced snow goes: along the contour of the overlap with a body, or cell by cell towards the
   nearest edge. */
typedef enum firn_snowfield_spread { FIRN_SNOWFIELD_CONTOUR, FIRN_SNOWFIELD_DISTANCE } firn_snowfield_spread;

typedef struct firn_snowfield_fall_def {
    double rate;    /* m/s, water equivalent; 0: it does not snow */
    double density; /* kg/m3, of the falling snow; auto: density_min */
} firn_snowfield_fall_def;
FIRN_API firn_snowfield_fall_def firn_snowfield_fall_def_default(void);

typedef struct firn_snowfield_ageing_def {
    double time;    /* s, time constant; 0: snow does not age */
    double density; /* kg/m3 that looser snow settles to; auto: density_max */
} firn_snowfield_ageing_def;
FIRN_API firn_snowfield_ageing_def firn_snowfield_ageing_def_default(void);

typedef struct firn_snowfield_bits_def {
    int32_t most;             /* largest number of particles in the air; 0: none */
    double speed;             /* m/s; bodies faster than this throw snow up */
    double smallest, largest; /* m, diameters; small ones are powder, which hangs in the air and drifts */
} firn_snowfield_bits_def;
FIRN_API firn_snowfield_bits_def firn_snowfield_bits_def_default(void);

/* A crust on the snow, which breaks where it is pressed down. */
typedef struct firn_snowfield_crust_def {
    double thickness; /* m; 0: none */
    double strength;  /* Pa, in shear */
} firn_snowfield_crust_def;
FIRN_API firn_snowfield_crust_def firn_snowfield_crust_def_default(void);

/* Whether the snow field has temperature and wetness. Auto: where something in the scene is warmer than 0 C.
 */
typedef enum firn_snowfield_heat_on {
    FIRN_SNOWFIELD_HEAT_AUTO,
    FIRN_SNOWFIELD_HEAT_YES,
    FIRN_SNOWFIELD_HEAT_NO
} firn_snowfield_heat_on;
/* Heat of the snow field: it warms, melts, soaks up water and freezes again. */
typedef struct firn_snowfield_heat_def {
    firn_snowfield_heat_on on;
    double temperature; /* degrees Celsius, at the start; auto: that of the air, at most 0 */
    double ground;      /* W/m2, from the ground into the snow */
    double contact;     /* W/m2K, heat transfer coefficient of bodies that touch the snow */
    double retention;   /* liquid water that the snow holds, as a share of its ice; the rest runs off */
} firn_snowfield_heat_def;
FIRN_API firn_snowfield_heat_def firn_snowfield_heat_def_default(void);

/* Boundary condition at the edge of the field: a wall, or open, so that snow leaves. */
typedef enum firn_snowfield_border { FIRN_SNOWFIELD_WALL, FIRN_SNOWFIELD_OPEN } firn_snowfield_border;

/* Snow lying on the ground: heights and densities in cells, in which bodies leave tracks. Values that
   are FIRN_AUTO are taken from the snow type. */
typedef struct firn_snowfield_def {
    uint32_t cookie;      /* set by firn_snowfield_def_default() */
    firn_vec3 at;         /* m; centre of the area, and height of flat ground */
    double width, length; /* m; extents along x and z, rounded up to whole cells */
    double cell;          /* m */
    int32_t tile;         /* cells along the edge of a tile: 16, 32 or 64 */
    firn_snowfield_border border;
    firn_snowfield_ground_def ground;
    const char *snow;        /* snow type; NULL: fresh */
    double depth;            /* m, at the start */
    const char *depth_map;   /* 16-bit grey PNG over the whole area: black no snow, white depth; NULL: none */
    const char *density_map; /* the same for density: black density_min, white density_max */
    const char *snow_from; /* frame of a run (DIR/frames/000042.h5) whose snow cover is the snow at the start
                              instead; NULL: none */
    double density;        /* kg/m3, at the start */
    double density_min, density_max;  /* kg/m3; loosest and densest that this snow can be */
    double slope_loose, slope_packed; /* rad; angle of repose at density_min and at density_max */
    double bearing;                   /* Pa, bearing strength at the type's density */
    double bearing_power;             /* the bearing strength grows with this power of the density */
    double friction; /* Coulomb coefficient of the snow; a contact takes the geometric mean with the body's */
    firn_snowfield_spread spread;
    firn_snowfield_fall_def fall;
    firn_snowfield_ageing_def ageing;
    firn_snowfield_bits_def bits;
    firn_snowfield_crust_def crust;
    firn_snowfield_heat_def heat;
    double follow;  /* m; tiles at rest farther than this from every movable body are compressed, and unpacked
                       when one comes near; 0: never */
    int32_t sweeps; /* largest number of sweeps over steep slopes in a step; 0: until nothing slides */
    struct {
        const firn_snowfield_pour_def *items;
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
    FIRN_WIND_LOG    /* logarithmic law with the roughness length */
} firn_wind_profile;

/* The wind at a given time; linear in between. */
typedef struct firn_wind_change_def {
    uint32_t cookie; /* set by firn_wind_change_def_default() */
    double time;     /* s */
    double speed;    /* m/s at the inflow's height */
    double turn;     /* rad; from the inflow's side, clockwise seen from above */
} firn_wind_change_def;

/* The undisturbed wind. */
typedef struct firn_wind_inflow_def {
    firn_wind_side side; /* where it comes from */
    double speed;        /* m/s, at `height` */
    double turn;         /* rad; clockwise seen from above: from west over north to east */
    firn_wind_profile profile;
    double height;            /* m above the domain's bottom at which the speed is given */
    double exponent;          /* of the power law */
    double roughness;         /* m, roughness length of the ground, for the log law */
    double gusts;             /* 0: steady; 0.3: up to 30 % faster and slower */
    double gust_time;         /* s, mean time from gust to gust */
    double turbulence;        /* standard deviation of each component of the velocity over the speed */
    double turbulence_length; /* m, size of the largest eddies; auto (NaN): half of the domain's height */
    const char
        *series; /* CSV file: time (s), speed (m/s), direction (degrees, 270: from the west); or NULL */
    struct {
        const firn_wind_change_def *items;
        size_t count;
    } changes;
} firn_wind_inflow_def;
FIRN_API firn_wind_inflow_def firn_wind_inflow_def_default(void);

/* Boundary condition of a side of the domain: open to the wind, in and out, or a wall. The bottom is ground.
 */
typedef enum firn_wind_border { FIRN_WIND_AIR, FIRN_WIND_WALL } firn_wind_border;
/* Each side of the domain. */
typedef struct firn_wind_sides_def {
    firn_wind_border west, east, north, south, top;
} firn_wind_sides_def;
FIRN_API firn_wind_sides_def firn_wind_sides_def_default(void);

/* How velocity is advected. */
typedef enum firn_wind_advection { FIRN_WIND_MACCORMACK, FIRN_WIND_SEMI_LAGRANGIAN } firn_wind_advection;
/* How the pressure equation is solved. */
typedef enum firn_wind_pressure { FIRN_WIND_MULTIGRID, FIRN_WIND_JACOBI } firn_wind_pressure;

/* Wind around all bodies of the scene, on a grid of cells. */
typedef struct firn_wind_def {
    uint32_t cookie;    /* set by firn_wind_def_default() */
    firn_vec3 grid;     /* whole numbers of cells along x, y, z */
    double cell;        /* m */
    firn_vec3 at;       /* m, centre of the domain's bottom */
    firn_vec3 around;   /* m, size of the domain that coarser grids fill around this one; 0: only this one */
    double around_cell; /* m, their largest cell; FIRN_AUTO: each is twice as large and twice as coarse */
    firn_wind_inflow_def inflow;
    firn_wind_sides_def sides;
    firn_wind_advection advection;
    double subgrid;     /* Smagorinsky constant of the turbulence below a cell; 0: none */
    double roughness;   /* m, roughness length of ground and bodies; 0: air slips along them */
    double confinement; /* epsilon of the vorticity confinement; 0: none */
    bool buoyancy;      /* bodies with a temperature warm the air, and warm air rises */
    firn_wind_pressure pressure;
    double tolerance; /* largest divergence left in any cell, relative to wind speed / cell */
    int32_t sweeps;   /* iterations of the Jacobi solver per step */
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
    uint32_t cookie; /* set by firn_flakes_def_default() */
    double snowfall; /* m/s, water equivalent; scenes usually say mm/h */
    int32_t shown;   /* approximate number of simulated flakes in calm air; each represents many */
    firn_flake_kind kind;
    double swirl; /* m, largest radius of the spirals in which flakes fall */
    bool filled;  /* the air is full of flakes at the start */
} firn_flakes_def;
FIRN_API firn_flakes_def firn_flakes_def_default(void);

/* Snow cover made of landed flakes. Values that are FIRN_AUTO are taken from the snow type. */
typedef struct firn_cover_def {
    uint32_t cookie;    /* set by firn_cover_def_default() */
    const char *snow;   /* snow type; NULL: fresh */
    double density;     /* kg/m3, of new snow */
    double settled;     /* kg/m3, density that new snow settles to */
    double settle_time; /* s, time constant of settling */
    double repose;      /* rad, angle of repose */
    double melt;        /* m/s, water equivalent, for each degree above 0 C; scenes usually say mm/h; auto:
                           by air.exchange */
    bool wind;          /* the snow is an obstacle to the wind, by its surface */
    int32_t sweeps;     /* relaxation sweeps per step, in which snow falls and slides by one cell */
    bool drift;         /* wind erodes lying snow and deposits it in the lee */
    double drift_threshold; /* m/s, threshold friction velocity above which snow drifts */
    double drift_height;    /* m, mean height of drifting snow above the ground */
    double drift_rate;      /* factor on the natural transport rate */
    double saltation;       /* 0 .. 1, share of the transport that hops along the surface; the rest flies */
    double drift_length;    /* m, way after which saltation has come to 63 % of what the wind can carry */
    double roughness;       /* m, roughness length of the snow surface */
} firn_cover_def;
FIRN_API firn_cover_def firn_cover_def_default(void);

typedef struct firn_air_def {
    double temperature; /* degrees Celsius */
    double radiation;   /* W/m2, absorbed by snow on the ground; negative: it radiates more than it absorbs */
    double exchange;    /* W/m2K, between the air and snow on the ground; auto: by the speed of the wind */
    double time_lapse;  /* seconds of weather on the ground per second of motion */
} firn_air_def;
FIRN_API firn_air_def firn_air_def_default(void);

/* Rain on snow field and cover. */
typedef struct firn_rain_def {
    double rate;        /* m/s; 0: none; scenes usually say mm/h */
    double temperature; /* degrees Celsius; auto: that of the air, at least 0 */
} firn_rain_def;
FIRN_API firn_rain_def firn_rain_def_default(void);

/* A parameter that changes while the world runs: linear between two times, constant before the first and
   after the last. */
typedef struct firn_key_value {
    double time;     /* s */
    firn_vec3 value; /* SI units; a number is x */
} firn_key_value;
typedef struct firn_track_def {
    uint32_t cookie;       /* set by firn_track_def_default() */
    const char *parameter; /* as in a scene: "wind.inflow.speed" */
    struct {
        const firn_key_value *items; /* times ascend */
        size_t count;
    } keys;
} firn_track_def;
FIRN_API firn_track_def firn_track_def_default(void);

/* A snow type: its name may be used wherever a snow type is expected. Values that are FIRN_AUTO are those of
   the type it comes from. */
typedef struct firn_snow_type_def {
    const char *name;
    uint32_t cookie;       /* set by firn_snow_type_def_default() */
    const char *from;      /* a built-in or registered type, or an earlier one of the scene; NULL: "packed" */
    const char *character; /* one line of description; NULL: that of `from` */
    double density, density_low, density_high;                /* kg/m3: usual, loosest, compacted */
    double friction, restitution;                             /* of bodies and grains made of it */
    double angle_of_repose;                                   /* rad */
    double young, poisson;                                    /* Pa, 1; of the snow law of mpm */
    double critical_compression, critical_stretch, hardening; /* theta_c, theta_s, xi of the snow law */
    firn_snow_law law;                                        /* of mpm */
    double cohesion;               /* tensile strength as a share of `bearing`, for Cam clay */
    double strength;               /* Pa, at which Drucker-Prager and Cam clay compact in mpm; 0: bearing */
    double adhesion;               /* Pa; to bodies */
    double max_density;            /* kg/m3, density without pores: 917 for ice */
    double bearing, bearing_power; /* Pa, bearing strength at its density; its exponent of the density */
    double drift_threshold;        /* m/s, friction velocity of the wind above which it drifts */
    firn_vec3 color;               /* linear RGB */
} firn_snow_type_def;
FIRN_API firn_snow_type_def firn_snow_type_def_default(void);
/* Registers a snow type for all scenes and worlds that the program creates from now on. The struct is copied.
   Call it before worlds are created, and not while another thread is in a call of the library. FIRN_BAD_INPUT
   if the name is taken or a value is out of range, FIRN_UNSUPPORTED beyond 64 types. Its values are not part
   of a scene's hash: a type that changes between runs into one folder should get another name. A scene's own
   types (snow_types) are part of it, and affect no other scene. */
FIRN_API firn_status firn_register_snow_type(const firn_snow_type_def *type); /* [setup] */

/* Largest number of models that a program can register. */
enum { FIRN_EXTENSIONS = 16 };

typedef struct firn_world_def {
    const char *name;
    uint32_t cookie; /* set by firn_world_def_default() */
    double duration; /* s */
    double fps;      /* output frames per simulated second */
    int32_t seed;
    firn_vec3 gravity; /* m/s2 */
    double max_step;   /* s; upper limit of a simulation step */
    double max_speed;  /* m/s; the watchdog stops the run when anything is faster */
    bool watch_energy; /* it also does when energy comes from nothing */
    firn_air_def air;
    firn_rain_def rain;
    struct {
        const firn_snow_type_def *items;
        size_t count;
    } snow_types; /* of this world alone; a type comes after the one it is derived from */
    struct {
        const firn_body_def *items;
        size_t count;
    } bodies;
    const firn_grains_def *grains;   /* NULL: none */
    const firn_mpm_def *mpm;         /* NULL: none */
    const firn_snowfield_def *field; /* NULL: none */
    const firn_wind_def *wind;       /* NULL: none */
    const firn_flakes_def *flakes;   /* NULL: none; they need wind, even if its speed is 0 */
    const firn_cover_def *cover;     /* NULL: flakes that land are only counted */
    const firn_pbd_def *pbd;         /* NULL: none */
    const firn_phase_def *phase;     /* NULL: none */
    firn_coupling_def coupling;      /* how they meet */
    struct {
        const firn_track_def *items;
        size_t count;
    } tracks;
    const void *extension[FIRN_EXTENSIONS]; /* sections of models that the program registered
                                               (firn/model.h): set by firn_world_def_extend */
    const char *folder;                     /* where relative file names start; NULL: the current folder */
} firn_world_def;
FIRN_API firn_world_def firn_world_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
