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
    float *lambda;            // multipliers of this sub-step (XPBD)
    const firn_constraint_class *outside; // of a kind that the program registered
} pbd_columns;

// Parameters of the sub-step.
typedef struct pbd_lane_pass {
    float inverse_dt2; // 1/s2; 0 with plain PBD
    float relax;       // of Jacobi
    bool plain;
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

typedef struct pbd_batch {
    const pbd_batch_lanes *lanes;
    const firn_constraint_class *outside; // NULL: one of ours, whose lanes know it
    int arity, params;
    size_t count;
    size_t loaded[2];   // lengths of `particle` and `rest` as they are in a file
    uint32_t *particle; // [arity][count]
    float *rest;        // [params][count]
    float *compliance;
    float *lambda, *next_lambda; // of this sub-step; the second while Jacobi by particle runs
    float *error;                // of `residual` and `show`
    uint32_t *colour;            // first constraint of each colour; colours + 1
    size_t colours;
    // For Jacobi: the constraints of each particle, constraint * arity + k; made when first needed.
    uint32_t *incident_first, *incident;
    size_t incident_particles;
    float (*slot)[4];
} pbd_batch;

// Collects constraints before they are coloured.
typedef struct pbd_draft {
    int arity, params;
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

// Room for one of the four arrays of a batch that comes from a file; pbd_batch_loaded puts them together.
typedef struct pbd_batch_names {
    const char *particle, *rest, *compliance, *colour; // full names of its fields
} pbd_batch_names;
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
firn_status pbd_batch_resize(pbd_batch *b, const pbd_batch_names *names, const char *name, size_t count);
firn_status pbd_batch_loaded(pbd_batch *b, const pbd_batch_names *names, size_t particles);
firn_status pbd_batch_rescratch(pbd_batch *b); // anew for its number of constraints

// pbd_color.c: colours of constraints so that no two of a colour share a particle: greedy, at most one more
// than the largest number of other constraints that one constraint meets. color[c] by constraint; returns how
// many through *colors.
firn_status pbd_color(const uint32_t *particle, int arity, size_t count, size_t particles, uint32_t *color,
                      size_t *colors);

#endif
