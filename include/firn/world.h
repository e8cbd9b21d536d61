/* firn: a world is a scene that steps. */
#ifndef FIRN_WORLD_H
#define FIRN_WORLD_H

#include <firn/defs.h>
#include <firn/mesh.h>
#include <firn/param.h>
#include <firn/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A world: bodies and models with their state. */
typedef struct firn_world firn_world;

/* From a scene file; from the text of one (name is used in messages); from defs. On failure *world is NULL.
 */
FIRN_API firn_status firn_world_open(const char *path, firn_world **world);                        /* [any] */
FIRN_API firn_status firn_world_open_text(const char *text, const char *name, firn_world **world); /* [any] */
FIRN_API firn_status firn_world_create(const firn_world_def *def, firn_world **world);             /* [any] */
/* As firn_world_open, with values of the scene overridden: "mpm.cell=5 cm". */
FIRN_API firn_status firn_world_open_with(const char *path, firn_overrides overrides,
                                          firn_world **world); /* [any] */
FIRN_API void firn_world_close(firn_world *world);             /* [world] */

/* One step of the world, its length chosen so that frames are met exactly. Where a world has several models
   it is a step of the slowest of them; faster ones make several steps in it, each as its own limit allows. */
FIRN_API firn_status firn_world_step(firn_world *world); /* [world] */
/* As many steps as needed to advance by exactly `seconds` (> 0). */
FIRN_API firn_status firn_world_advance(firn_world *world, double seconds); /* [world] */
/* Steps to the end of the current output frame. */
FIRN_API firn_status firn_world_advance_frame(firn_world *world); /* [world] */

/* Time budget (s of wall time) of a call of firn_world_step or firn_world_advance, for programs that must
   show the next frame in time; 0, the default: no limit. The snow field checks the clock between units of
   work (64 bodies looked at, 8 bodies pressed, 8 areas of sliding snow swept, 64 tiles snowed on; each well
   below a millisecond) and leaves the rest to later steps: at most one unit of each kind is done after the
   budget is used up. No snow is lost, but tracks may have gaps, and results depend on the speed of the
   machine. Bodies always move and always get a reaction of the snow, an approximate one if there is no time.
   Other models ignore the budget. */
FIRN_API firn_status firn_world_set_budget(firn_world *world, double seconds); /* [world] */

FIRN_API double firn_world_time(const firn_world *world);     /* [read] s */
FIRN_API uint64_t firn_world_steps(const firn_world *world);  /* [read] steps since the start */
FIRN_API uint64_t firn_world_frame(const firn_world *world);  /* [read] whole frames since the start */
FIRN_API uint64_t firn_world_frames(const firn_world *world); /* [read] frames in the scene's duration */
FIRN_API double firn_world_duration(const firn_world *world); /* [read] s */
FIRN_API uint64_t firn_world_hash(const firn_world *world); /* [read] of all state: equal state, equal hash */

/* Parameters while the world runs, by their names in a scene ("gravity", "wind.inflow.speed"), in SI units
   (temperatures in degrees Celsius, angles in radians). `firn explain` says which may change; others, values
   out of range and parameters that follow keyframes are FIRN_BAD_INPUT, and nothing changes. A change applies
   from the next step on and is part of the state: the same changes before the same steps give the same bits
   on any number of threads, and a world that is saved and loaded has them. Whole numbers and booleans (0, 1)
   are given as numbers, too. _set_text takes the spelling of a scene: "5 cm", "jacobi", "yes",
   "[0, -9.81, 0]", "auto". */
FIRN_API firn_status firn_world_set(firn_world *world, const char *name, double value); /* [world] */
FIRN_API firn_status firn_world_set_vector(firn_world *world, const char *name,
                                           firn_vec3 value); /* [world] */
FIRN_API firn_status firn_world_set_text(firn_world *world, const char *name,
                                         const char *value); /* [world] */
/* Any single value of the scene, as it is now. _get_text writes at most `room` bytes, including the
   terminating 0; 128 are enough for numbers, vectors and words. */
FIRN_API firn_status firn_world_get(const firn_world *world, const char *name, double *value); /* [read] */
FIRN_API firn_status firn_world_get_vector(const firn_world *world, const char *name,
                                           firn_vec3 *value); /* [read] */
FIRN_API firn_status firn_world_get_text(const firn_world *world, const char *name, char *value,
                                         size_t room); /* [read] */
/* The names of all parameters of this world that may change, in the order of its scene; 256 bytes are enough
   for most names, 512 for all. */
FIRN_API size_t firn_world_live_count(const firn_world *world); /* [read] */
FIRN_API firn_status firn_world_live_name(const firn_world *world, size_t index, char *name,
                                          size_t room); /* [read] */

/* Calls `visit` for every single value of the world's scene that firn_world_get_text can read, in the order
   of the tables: its name ("bodies.ball.friction"), valid during the call, and its row, which says type,
   unit, range, choices, help and whether it may change while the world runs. A panel of controls is made of
   this. What only affects pictures (`picture`, `camera`) is not part of a world. */
typedef void (*firn_param_visit)(void *context, const char *name, const firn_param_row *row);
/* visit may call what is [read] on the world. */
FIRN_API firn_status firn_world_params(const firn_world *world, firn_param_visit visit,
                                       void *context); /* [read] */

/* Adding and removing things while the world runs, effective from the next step on. A new item becomes the
   last of its kind, so that the indices of others stay, and needs a unique name; the def is copied. The scene
   must already have the model. All or nothing: a call that fails changes nothing. What was added and removed
   is part of the state: the same changes before the same steps give the same bits, and a saved world can be
   loaded into one of the original scene.

   For bodies and sources the models are rebuilt and take over the state, which takes about as long as opening
   the scene; matter is added to the running model, at the cost of its own particles. */
FIRN_API firn_status firn_world_add_body(firn_world *world, const firn_body_def *def,
                                         size_t *body); /* [world] body may be NULL */
/* Adds matter in the state that its def describes: mpm snow; grains; a pool of the pbd fluid; snow and water
   of the phase model. Liquids, and snow of the phase model, only fill free space. */
FIRN_API firn_status firn_world_add_snow(firn_world *world, const firn_mpm_snow_def *def);      /* [world] */
FIRN_API firn_status firn_world_add_grains(firn_world *world, const firn_grains_fill_def *def); /* [world] */
FIRN_API firn_status firn_world_add_pool(firn_world *world, const firn_pbd_pool_def *def);      /* [world] */
FIRN_API firn_status firn_world_add_phase_snow(firn_world *world,
                                               const firn_phase_snow_def *def); /* [world] */
FIRN_API firn_status firn_world_add_phase_water(firn_world *world,
                                                const firn_phase_water_def *def); /* [world] */
/* A solid of pbd (cloth, a rope, a soft body), as if it had been there at the start; costs as much as all
   solids of pbd. Removed, it takes along what pins and constraints hold of it. */
FIRN_API firn_status firn_world_add_solid(firn_world *world, const firn_pbd_solid_def *def); /* [world] */
/* Pins of pbd, which hold the particles of solids that are inside their shape now: where they are, or on a
   fixed, kinematic or keyframed body, which takes them along (and feels their pull). */
FIRN_API firn_status firn_world_add_pin(firn_world *world, const firn_pbd_pin_def *def); /* [world] */
/* Constraints of pbd, of a kind that the program registered (firn/constraint.h). Without values: those that
   are satisfied where the particles are now. */
FIRN_API firn_status firn_world_add_constraint(firn_world *world,
                                               const firn_pbd_constraint_def *def); /* [world] */
/* Adds sources, which begin now at the earliest: a place where snow is poured onto the snow field; a source
   of mpm snow; spouts of the pbd fluid and of the phase model. */
FIRN_API firn_status firn_world_add_pour(firn_world *world, const firn_snowfield_pour_def *def); /* [world] */
FIRN_API firn_status firn_world_add_emitter(firn_world *world, const firn_mpm_emit_def *def);    /* [world] */
FIRN_API firn_status firn_world_add_spout(firn_world *world, const firn_pbd_spout_def *def);     /* [world] */
FIRN_API firn_status firn_world_add_phase_spout(firn_world *world,
                                                const firn_phase_spout_def *def); /* [world] */
/* Removes an item that the functions above can add, whether of the scene or added later, by its name in a
   scene: "bodies.crate", "mpm.snow.ball", "field.pour.heap". Of matter all particles that are still there are
   removed; a source stops, and what it emitted stays; a pin lets go. The name can be used again. The indices
   of bodies behind a removed one decrease by one (find them by name); what lay on it falls. Bodies that pins
   hold on to, or that a snow field lies on, cannot be removed. Grains do not know their fill: removing them
   by name is FIRN_UNSUPPORTED, see firn_world_remove_inside. What is removed counts as mass_out in the
   ledger. */
FIRN_API firn_status firn_world_remove(firn_world *world, const char *name); /* [world] */
FIRN_API firn_status firn_world_remove_body(firn_world *world, size_t body); /* [world] by its number */
/* Removes what is inside a shape: particles of mpm, grains, pbd liquids and phase whose centre is in it; the
   part of each column of the snow field, and what is above falls down; cells of the cover, but for a rest of
   less than a simulated flake. Costs about as much as looking at all of them. */
FIRN_API firn_status firn_world_remove_inside(firn_world *world, firn_fill_def where); /* [world] */
/* Puts a heap of snow (kg) on the snow field or the cover, at once and at the cost of its own cells: highest
   at x, z, nothing at `radius` (m). What is steeper than the snow can stand slides in the steps that follow.
   FIRN_UNSUPPORTED if there is neither at this place. */
FIRN_API firn_status firn_world_heap(firn_world *world, double x, double z, double radius,
                                     double mass); /* [world] */
/* Adds to the velocity (m/s) of all particles of mpm, grains, pbd and phase whose centre is inside a shape;
   those that are held by pins stay. A hand that pulls a soft body does so before each step. */
FIRN_API firn_status firn_world_push_inside(firn_world *world, firn_fill_def where,
                                            firn_vec3 change); /* [world] */
/* Gives heat (J for each kg; below 0: takes it away) to what is inside a shape: particles of phase, and of
   mpm with mpm.heat, no colder than -90 degrees Celsius and no warmer than 100; snow of a field that has heat
   (field.heat) and of a cover that can melt, no colder than that and, at most, until all of it is water.
   FIRN_UNSUPPORTED if the world has none of them. What is given counts as heat of sources, of the field as
   that of bodies, of the cover as that of the air. */
FIRN_API firn_status firn_world_heat_inside(firn_world *world, firn_fill_def where,
                                            double heat); /* [world] */

/* All state of a world, to go on from later with the same bits: in this world (a game goes back to where it
   was) or in another one made from the same scene. The bytes are a checkpoint as in a run's folder, with
   checksums. What is damaged or belongs to another scene is FIRN_BAD_INPUT and changes nothing; when memory
   runs out while loading, the world goes back to what it was, or, if there is no memory for that either, can
   only be closed. Give *data back with firn_data_free. A file is written whole or not at all. */
FIRN_API firn_status firn_world_save(const firn_world *world, void **data, size_t *bytes); /* [read] */
FIRN_API firn_status firn_world_load(firn_world *world, const void *data, size_t bytes);   /* [world] */
FIRN_API firn_status firn_world_save_file(const firn_world *world, const char *path);      /* [read] */
FIRN_API firn_status firn_world_load_file(firn_world *world, const char *path);            /* [world] */
FIRN_API void firn_data_free(void *data); /* [any] NULL is fine */

/* Named arrays of the world, without a copy; pointers are valid until the next step. */
typedef enum firn_type { FIRN_F32, FIRN_F64, FIRN_I32, FIRN_U32, FIRN_U64 } firn_type;
enum {
    FIRN_FIELD_STATE = 1, /* part of the state hash and of checkpoints */
    FIRN_FIELD_SHOWN = 2, /* written to frames */
};
typedef struct firn_field {
    const char *name; /* "bodies.position" */
    const char *unit; /* "m"; "" for pure numbers */
    const char *help;
    firn_type type;
    uint32_t components; /* per item: 1, 3, 4, 9 */
    uint32_t flags;
    size_t count;     /* items */
    const void *data; /* count * components values, tightly packed */
} firn_field;
FIRN_API size_t firn_world_field_count(const firn_world *world);                /* [read] */
FIRN_API firn_field firn_world_field_at(const firn_world *world, size_t index); /* [read] */
FIRN_API firn_field firn_world_field(const firn_world *world,
                                     const char *name); /* [read] data NULL if unknown */

/* Bodies. */
typedef struct firn_body_state {
    firn_vec3 position; /* m, of the body's origin */
    firn_quat rotation;
    firn_vec3 velocity; /* m/s, of the centre of mass */
    firn_vec3 spin;     /* rad/s */
    double mass;        /* kg; 0 unless dynamic */
} firn_body_state;
/* Number of bodies; the name of one, as in the scene. */
FIRN_API size_t firn_world_body_count(const firn_world *world);                  /* [read] */
FIRN_API const char *firn_world_body_name(const firn_world *world, size_t body); /* [read] */
/* SIZE_MAX if there is no body of that name, or name is NULL. */
FIRN_API size_t firn_world_body_find(const firn_world *world, const char *name);      /* [read] */
FIRN_API firn_body_state firn_world_body_state(const firn_world *world, size_t body); /* [read] */
/* Force (N) at a point (m, world frame) during the next step; dynamic bodies only. */
FIRN_API firn_status firn_world_body_push(firn_world *world, size_t body, firn_vec3 force,
                                          firn_vec3 at); /* [world] */
/* Moves a body of motion FIRN_MOTION_KINEMATIC from its present pose to a target pose at constant speed
   within `seconds`; there it stays. A game sets before each of its frames where a foot will be at the end of
   the frame, and then advances by the frame. seconds 0: it is there at once, without pushing anything in
   between. A pose that is not finite, or a rotation that is far from a unit quaternion, is FIRN_BAD_INPUT,
   and the motion of the body does not change. */
FIRN_API firn_status firn_world_body_set_target(firn_world *world, size_t body, firn_vec3 position,
                                                firn_quat rotation, double seconds); /* [world] */
/* Sets the state of a dynamic body at once: position, rotation, velocity, spin; mass is ignored. Invalid
   values as above. */
FIRN_API firn_status firn_world_body_place(firn_world *world, size_t body,
                                           const firn_body_state *state); /* [world] */
/* Reaction: the impulse of the models on a body, dynamic or not, during the last firn_world_step or
   firn_world_advance; divided by the time: mean force and torque. All models that interact with bodies
   contribute: mpm, grains, pbd, phase and the snow field (on kinematic bodies while they move). The wind
   contributes its pressure, relative to that of the undisturbed air, on fixed and kinematic bodies (not on
   snow of the cover that lies on them); it does not push dynamic bodies. Pins of pbd contribute the pull of
   links, shape and volume of the solid. The walls of pbd's box are not bodies; contacts between bodies are
   not included. Not part of the state. */
typedef struct firn_impulse {
    firn_vec3 impulse; /* N s */
    firn_vec3 angular; /* N m s, about the centre of mass; of bodies that are not dynamic, about the origin */
} firn_impulse;
/* Of the last call that stepped; zeros before the first. */
FIRN_API firn_impulse firn_world_body_reaction(const firn_world *world, size_t body); /* [read] */
/* The body's shape as a closed mesh in its own frame (scale applied; firn_body_state has position and
   rotation), as pictures show it. A plane is a square of 1 km. The arrays belong to the world and are valid
   until the body is removed or the world is closed; shapes never change, so one call is enough. */
FIRN_API firn_status firn_world_body_mesh(const firn_world *world, size_t body, firn_mesh *mesh); /* [read] */
/* A pointer that the program may attach to a body; NULL at the start. The library never dereferences it; it
   is not part of the state and not saved. */
FIRN_API firn_status firn_world_body_set_user(firn_world *world, size_t body, void *user); /* [world] */
FIRN_API void *firn_world_body_user(const firn_world *world, size_t body);                 /* [read] */
/* Signed distance (m, negative inside), outward normal and velocity of the body's surface at n points;
   distance, normals and velocities may be NULL. Points and vectors are packed x, y, z. Points are floats: 10
   km from the origin they are exact to a millimetre. */
FIRN_API firn_status firn_world_body_query(const firn_world *world, size_t body, size_t n,
                                           const float *points, float *distance, float *normals,
                                           float *velocities); /* [read] */

/* Balance of conserved quantities, per model ("bodies", "grains", ...). Sums in double. */
typedef struct firn_ledger {
    const char *model;
    uint64_t items;           /* particles, bodies */
    uint64_t steps;           /* that the model has made; each model steps as its own limit allows */
    double mass;              /* kg, present now */
    double mass_in, mass_out; /* kg, since the start */
    double mass_lost;   /* kg, the part of mass_out that left unintentionally: fell below the floor of mpm */
    firn_vec3 momentum; /* kg m/s */
    double kinetic, potential; /* J; potential against y = 0 */
    double heat;               /* J */
    double max_speed;          /* m/s */
} firn_ledger;
/* One ledger for each model, bodies first. */
FIRN_API size_t firn_world_ledger_count(const firn_world *world);              /* [read] */
FIRN_API firn_ledger firn_world_ledger(const firn_world *world, size_t index); /* [read] */

/* Two models of a world that meet, and what has passed from a to b since the start. */
typedef struct firn_coupling {
    const char *name;  /* "wind_field": its key below `coupling` in a scene */
    const char *a, *b; /* the models */
    const char *what;  /* a line: "flakes land on the field" */
    const char *help;  /* what passes, and by which law */
    bool on;
    double mass;       /* kg */
    firn_vec3 impulse; /* N s */
    double heat;       /* J */
    double seconds;    /* of wall time that it took, since the world was made or loaded */
} firn_coupling;
/* The couplings of the models that this world has, switched on or off. */
FIRN_API size_t firn_world_coupling_count(const firn_world *world);                /* [read] */
FIRN_API firn_coupling firn_world_coupling(const firn_world *world, size_t index); /* [read] */
/* Wall time (s) that the steps of a model have taken so far, in this process; index as for its ledger. */
FIRN_API double firn_world_model_seconds(const firn_world *world, size_t index); /* [read] */
/* A named pass of a model's step ("P2G"), and the wall time that it has taken so far. Texts are static. */
typedef struct firn_pass {
    const char *model, *name;
    double seconds;
} firn_pass;
/* Those of all models that have made a step, in the order of the steps. */
FIRN_API size_t firn_world_pass_count(const firn_world *world);            /* [read] */
FIRN_API firn_pass firn_world_pass(const firn_world *world, size_t index); /* [read] */

/* Time series: numbers that the models report besides the balance, as they are now. `firn list series` names
   them all; those of parts that the world does not have are left out (errors of constraints without
   `statistics`). A value may cost a pass over the model's items. Texts are static. */
typedef struct firn_series {
    const char *model; /* "phase" */
    const char *panel; /* "mean temperature"; series of one panel are plotted together */
    const char *name;  /* "snow"; "": the only one of its panel */
    const char *unit;  /* "C"; "" for pure numbers */
    const char *help;
    double value; /* NAN: it has no value now */
} firn_series;
/* Those of all models, in the order of the models. */
FIRN_API size_t firn_world_series_count(const firn_world *world);                 /* [read] */
FIRN_API firn_series firn_world_series_at(const firn_world *world, size_t index); /* [read] */

#ifdef __cplusplus
}
#endif
#endif
