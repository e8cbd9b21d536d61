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
} grains;

static inline size_t grain_blocks(size_t count) { return (count + GRAIN_BLOCK - 1) / GRAIN_BLOCK; }

// grains_fill.c
void grains_take_material(grains *g, const firn_grains_def *def, const model_setting *setting);
firn_status grains_create(const void *params, const model_setting *setting, const body_set *bodies,
                          void **model);
void grains_destroy(void *model);
// Room for `count` grains that will be loaded; the old ones are lost.
firn_status grains_reserve(grains *g, size_t count);
firn_status grains_cost(const void *params, const model_setting *setting, firn_cost *cost);

extern const struct firn_model_growth grains_growth;

// grains_step.c
firn_status grains_step(void *model, body_set *bodies, model_step step);
void grains_measure(grains *g); // speed and validity, from position and velocity

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
