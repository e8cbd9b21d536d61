// Constraints between a fixed, small number of particles: their storage, colours, solvers and fields. A type
// of such constraints gives its value and gradients in lane C (pbd_batch_lanes.h) and a pbd_batch_kind.
#ifndef PBD_PBD_BATCH_H
#define PBD_PBD_BATCH_H

#include <firn/constraint.h>

#include "pbd/pbd_state.h"

// A list of constraints by columns, in the order of the colours; only the multipliers change in a step.
typedef struct pbd_columns {
    size_t count;
    const uint32_t *particle; // [arity][count]
    const float *rest;        // [params][count]: parameters of a constraint, such as a rest length
    const float *compliance;  // or, with plain PBD, the share of the error to correct
    float *lambda;            // [multipliers][count]: of this sub-step (XPBD)
    const firn_constraint_class *outside; // of a kind that the program registered
} pbd_columns;

// Parameters of the sub-step.
typedef struct pbd_lane_pass {
    float inverse_dt2; // 1/s2; 0 with plain PBD
    float relax;       // of Jacobi
    bool plain;
    bool fresh;       // multipliers are zero, whatever is in `lambda`
    float snap;       // see pbd_frames
    const pbd *owner; // of the particles
} pbd_lane_pass;

// The loops over constraints that pbd_batch_lanes.h makes for each type.
typedef struct pbd_batch_lanes {
    // Gauss-Seidel: [begin, end) of one colour.
    void (*project)(const pbd_columns *c, const pbd_lane_pass *pass, size_t begin, size_t end, float (*q)[4]);
    // Jacobi by constraint: corrections of every particle of every constraint into slot[constraint * arity +
    // k].
    void (*measure)(const pbd_columns *c, const pbd_lane_pass *pass, size_t begin, size_t end,
                    const float (*q)[4], const float *constraints, float (*slot)[4]);
    // Jacobi by particle: the sum of the corrections of its n incident constraints (constraint * arity + k),
    // to move[0..2]. New multipliers go to `next_lambda`, from the first particle of each.
    void (*gather)(const pbd_columns *c, const pbd_lane_pass *pass, const uint32_t *incident, size_t n,
                   const float (*q)[4], const float *constraints, float *next_lambda, float move[4]);
    // C + compliance times multiplier of each, into error[begin..end).
    void (*errors)(const pbd_columns *c, const pbd_lane_pass *pass, size_t begin, size_t end,
                   const float (*q)[4], float *error);
} pbd_batch_lanes;

enum { PBD_MOST_PARTICLES = 8, PBD_MOST_PARAMS = 12 }; // of a constraint
_Static_assert((int)PBD_MOST_PARTICLES >= (int)FIRN_CONSTRAINT_PARTICLES &&
                   (int)PBD_MOST_PARAMS >= (int)FIRN_CONSTRAINT_VALUES,
               "registered kinds have room");

typedef struct pbd_batch {
    const pbd_batch_lanes *lanes;
    const struct pbd_solid_batch *solid;  // NULL: it does not come with solids
    const firn_constraint_class *outside; // NULL: one of ours, whose lanes know it
    int arity, params, multipliers;
    size_t count;
    size_t loaded[2];   // lengths of `particle` and `rest` as they are in a file
    uint32_t *particle; // [arity][count]
    float *rest;        // [params][count]
    float *compliance;
    float *lambda,
        *next_lambda; // [multipliers][count] of this sub-step; the second while Jacobi by particle runs
    float *error;     // of `residual` and `show`
    uint32_t *colour; // first constraint of each colour; colours + 1
    size_t colours;
    // For Gauss-Seidel (pbd_blocks.c): blocks of a phase share no particle. First colour of each block, first
    // block of each phase, and their ends.
    uint32_t *block, *phase;
    size_t blocks, phases;
    bool fresh;      // multipliers are zero, whatever is in `lambda`
    unsigned sweeps; // of this sub-step
    // For Jacobi: the constraints of each particle, constraint * arity + k; made when first needed.
    uint32_t *incident_first, *incident;
    size_t incident_particles;
    float (*slot)[4];
} pbd_batch;

// Collects constraints before they are coloured.
typedef struct pbd_draft {
    int arity, params;
    int multipliers; // of a constraint; 0: one
    size_t count, capacity[3];
    uint32_t *particle; // [count][arity]
    float *rest;        // [count][params]
    float *compliance;
} pbd_draft;
firn_status pbd_draft_add(pbd_draft *d, const uint32_t *particle, const float *rest, float compliance);
void pbd_draft_free(pbd_draft *d);

// Colours and packs a draft; *out stays NULL if it is empty. `name` for messages; particles must exist, none
// twice in a constraint.
firn_status pbd_batch_create(const pbd_batch_lanes *lanes, const pbd_draft *draft, const char *name,
                             size_t particles, pbd_batch **out);
// The same, but an empty draft makes an empty batch: one whose constraints come later.
firn_status pbd_batch_make(const pbd_batch_lanes *lanes, const pbd_draft *draft, const char *name,
                           size_t particles, pbd_batch **out);
void pbd_batch_destroy(void *data);

// Those of a batch that a change of the solids leaves, in its order, into a draft.
firn_status pbd_draft_take(pbd_draft *d, const pbd_batch *b, const pbd_solid_change *change);

// Removes the constraints whose error[] is not 0. Those of a colour still share no particle.
void pbd_batch_drop(pbd_batch *b);

// The functions of a pbd_kind.
firn_status pbd_batch_find(pbd *s, void *data, const pbd_pass *pass);
void pbd_batch_count_constraints(pbd *s, void *data);
void pbd_batch_project(pbd *s, void *data, const pbd_pass *pass);
void pbd_batch_jacobi(pbd *s, void *data, const pbd_pass *pass);
void pbd_batch_residual(pbd *s, void *data, const pbd_pass *pass, pbd_residual *out);

// Full names of the fields of a batch. pbd_batch_resize makes room for one that comes from a file,
// pbd_batch_loaded puts them together.
typedef struct pbd_batch_names {
    const char *particle, *rest, *compliance, *colour;
} pbd_batch_names;
firn_status pbd_batch_resize(pbd_batch *b, const pbd_batch_names *names, const char *name, size_t count);
firn_status pbd_batch_loaded(pbd_batch *b, const pbd_batch_names *names, size_t particles);
// The rows of a batch's fields, and their getters; batch_of gives the batch of a pbd, or NULL. All are shown
// too: links may tear, and then a frame is complete only with all of their lists.
#define PBD_BATCH_GETTERS(batch_of)                                                                          \
    FIELD_GET_IF(get_particles, pbd, batch_of(s), batch_of(s)->count *(size_t)batch_of(s)->arity,            \
                 batch_of(s)->particle)                                                                      \
    FIELD_GET_IF(get_rest, pbd, batch_of(s), batch_of(s)->count *(size_t)batch_of(s)->params,                \
                 batch_of(s)->rest)                                                                          \
    FIELD_GET_IF(get_compliance, pbd, batch_of(s), batch_of(s)->count, batch_of(s)->compliance)              \
    FIELD_GET_IF(get_colour, pbd, batch_of(s), batch_of(s)->colours + 1, batch_of(s)->colour)
#define PBD_BATCH_ROWS(particle, rest, compliance, colour, rest_unit, rest_help)                             \
    {particle,     "", "particles of the constraints: all first ones, then all second ones",                 \
     FIRN_U32,     1,  FIRN_FIELD_STATE | FIRN_FIELD_SHOWN,                                                  \
     get_particles},                                                                                         \
        {rest, rest_unit, rest_help, FIRN_F32, 1, FIRN_FIELD_STATE | FIRN_FIELD_SHOWN, get_rest},            \
        {compliance,    "", "compliance of the constraints (1 / stiffness); of plain PBD: stiffness",        \
         FIRN_F32,      1,  FIRN_FIELD_STATE | FIRN_FIELD_SHOWN,                                             \
         get_compliance},                                                                                    \
    {                                                                                                        \
        colour, "", "first constraint of each colour, and their number", FIRN_U32, 1,                        \
            FIRN_FIELD_STATE | FIRN_FIELD_SHOWN, get_colour                                                  \
    }
firn_status pbd_batch_rescratch(pbd_batch *b); // anew for its number of constraints

// pbd_batch_solids.c: what constraints have in common that come with solids.
typedef struct pbd_solid_batch {
    const char *name; // for messages
    pbd_batch_names names;
    pbd_draft empty; // arity, params, multipliers
    // Those of one solid.
    firn_status (*draft)(pbd *s, const firn_pbd_def *def, size_t number, pbd_draft *draft);
    // Whether constraint c is strained by more than that.
    bool (*is_torn)(const pbd *s, const pbd_batch *b, size_t c, float strain);
    int told; // an event of breaking names its first particle and this one; 0: there is none
} pbd_solid_batch;
firn_status pbd_solid_batch_create(pbd *s, const firn_pbd_def *def, const pbd_solid_batch *type,
                                   const pbd_batch_lanes *lanes, void **data);
firn_status pbd_solid_batch_remake(pbd *s, const firn_pbd_def *def, const pbd_solid_batch *type,
                                   const pbd_batch_lanes *lanes, const pbd_solid_change *change, void **data);
// Functions of a pbd_kind.
firn_status pbd_solid_batch_resize(pbd *s, void *data, const char *name, size_t count);
firn_status pbd_solid_batch_loaded(pbd *s, void *data);
firn_status pbd_solid_batch_tear(pbd *s, void *data, body_set *bodies, model_step step);

// pbd_color.c: colours of constraints so that no two of a colour share a particle: greedy, at most one more
// than the largest number of other constraints that one constraint meets. color[c] by constraint; returns how
// many through *colors.
firn_status pbd_color(const uint32_t *particle, int arity, size_t count, size_t particles, uint32_t *color,
                      size_t *colors);
// pbd_blocks.c: puts slabs before colours: what runs at once next to each other, all of a slab together.
firn_status pbd_cut_slabs(const pbd_draft *draft, size_t particles, uint32_t *color, size_t *colors);
firn_status pbd_find_blocks(pbd_batch *b); // of packed constraints

#endif
