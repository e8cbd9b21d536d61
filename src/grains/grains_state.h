// The inside of the grains; only for files of this folder.
#ifndef GRAINS_GRAINS_STATE_H
#define GRAINS_GRAINS_STATE_H

#include "geom/fill.h"
#include "grains/grains.h"
#include "math/dvec.h"

enum { GRAIN_BLOCK = 1024, GRAIN_FIELDS = 5 };
#define GRAIN_SLACK 0.99 // of the radius: nearer than that to a body is inside

// Impulse of a block of grains on one body: sums over its grains, in their order.
typedef struct grain_impulse {
    firn_vec3 impulse, twist; // N s, N m s about the body's origin
} grain_impulse;

// Of a block, for the ledger.
typedef struct grain_sum {
    firn_vec3 velocity;
    double square, height, fastest; // sums of v v and of -gravity x; largest v v
} grain_sum;

// Of all grains, for the ledger.
typedef struct grain_totals {
    firn_vec3 momentum;
    double kinetic, potential, fastest;
} grain_totals;

// Over ranks (grains_ranks.c): this one has the grains [first, first + count) of all, in the order of one
// rank.
typedef struct grain_ranks {
    bool on;           // there are several, and they have what is theirs
    bool stepping;     // the others are at the same point; otherwise rank 0 looks at its grains alone
    bool moved, whole; // others may have grains that belong here; all are on rank 0
    size_t first, total;
    grain_totals sums; // of all, on rank 0, unless stepping
} grain_ranks;

// A body as the grains of this step see it.
typedef struct grain_wall {
    size_t body;
    bool bounded;
    float low[3], high[3];            // where it is during the step
    firn_vec3 origin, velocity, spin; // velocity of its material point at `origin`
    double motion;                    // m, farthest any of its points moves in the step
    double wall;                      // body_min_thickness
    bool sampled;                     // its signed distance is not exact
    double friction, restitution;     // of grain and body together
    bool dynamic;
} grain_wall;

typedef struct grains {
    // One entry per grain; packed, so that the fields need no copy. Written by the step, block by block.
    float (*position)[3];
    float (*velocity)[3];
    float *speed;
    uint32_t *id;
    size_t count, capacity;           // now; room in the arrays
    double made;                      // since the start
    bool counted;                     // it cannot be told from the scene how many were made: it is state
    bool for_frames;                  // none were made: they come with the frames that are loaded
    size_t field_count[GRAIN_FIELDS]; // as last asked for by resize

    // Scratch of the same length, to compact the arrays when grains leave.
    float (*spare_position)[3];
    float (*spare_velocity)[3];
    uint32_t *spare_id;
    uint32_t *keep, *place;

    double radius, mass; // m, kg: of one grain
    double friction, restitution, drag, floor;
    bool dragged; // by another model, instead of `drag`
    firn_vec3 gravity;
    double max_speed;

    grain_wall *walls; // one per body
    size_t wall_count;
    grain_impulse *pushes; // [block][wall_count]
    size_t push_capacity;
    uint32_t *invalid; // per block: first grain whose position or velocity is invalid, or UINT32_MAX
    grain_sum *sums;   // per block, written by the ledger
    profile profile;
    grain_ranks ranks;
} grains;

static inline size_t grain_blocks(size_t count) { return (count + GRAIN_BLOCK - 1) / GRAIN_BLOCK; }

// grains_fill.c
void grains_take_material(grains *g, const firn_grains_def *def, const model_setting *setting);
firn_status grains_create(const void *params, const model_setting *setting, const body_set *bodies,
                          void **model);
void grains_destroy(void *model);
// Room for `count` grains that will be loaded; the old ones are lost.
firn_status grains_reserve(grains *g, size_t count);
// Grains [from, from + kept) become [to, to + kept) of `count`; the others are to be filled in.
firn_status grains_move_within(grains *g, size_t count, size_t from, size_t kept, size_t to);
firn_status grains_cost(const void *params, const model_setting *setting, firn_cost *cost);

extern const struct firn_model_growth grains_growth;

// grains_step.c
firn_status grains_step(void *model, body_set *bodies, model_step step);
void grains_measure(grains *g); // speed and validity, from position and velocity

// grains_ranks.c; without ranks they do nothing.
// Which grains a rank has: whole blocks.
void grains_part(size_t total, size_t part, size_t parts, size_t *first, size_t *end);
firn_status grains_ranks_begin(grains *g);
firn_status grains_ranks_end(const grains *g, firn_status status);
bool grains_ranks_any(const grains *g, bool any);
firn_status grains_ranks_close_up(grains *g); // grains have left
// add(context, sums) on one rank after the other; then all have the same sums.
void grains_ranks_sum(const grains *g, grain_impulse *sums, void (*add)(void *context, void *sums));
// found: a grain of this rank, or SIZE_MAX. Whether any rank has found one, and item and what of the first.
bool grains_ranks_first(const grains *g, size_t found, uint64_t *item, uint32_t *what);
void grains_sum_up(const grains *g, grain_totals *sums); // of this rank, added to those of lower ranks
extern const struct firn_model_ranks grains_model_ranks;

// A block of grains as separate arrays.
typedef struct grain_block {
    float x[GRAIN_BLOCK], y[GRAIN_BLOCK], z[GRAIN_BLOCK];    // new
    float ox[GRAIN_BLOCK], oy[GRAIN_BLOCK], oz[GRAIN_BLOCK]; // old
    float u[GRAIN_BLOCK], v[GRAIN_BLOCK], w[GRAIN_BLOCK];    // velocity
    size_t count;
    double dt;
} grain_block;
// Contacts of a block whose grains have flown freely; grains_collide.c.
void grains_collide(const grains *g, const body_set *bodies, grain_block *block, grain_impulse *pushes);
// One grain that ended inside a body, or whose path may cross one (sweep): grains_rescue.c.
void grains_rescue(const grains *g, const body_set *bodies, grain_block *block, size_t i, bool sweep,
                   grain_impulse *pushes);
// Velocity and impulse of grain i that hits wall w with normal n; `since` seconds before the end of the step.
void grain_bounce(const grains *g, const grain_wall *w, grain_block *block, size_t i, firn_vec3 n,
                  double since, grain_impulse *pushes);

extern const struct firn_offers grains_offers; // grains_offers.c

#endif
