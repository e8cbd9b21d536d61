// The world owns the bodies and the models, chooses the step, keeps the ledgers and the state hash.
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include <firn/scene.h>
#include <firn/world.h>

#include "base/context.h"
#include "body/body.h"

extern const param_table world_params; // firn_world_def

const body_set *world_bodies(const firn_world *world);

// The models of the world: bodies first, then those the scene asks for.
size_t world_model_count(const firn_world *world);
const model_class *world_model_class(const firn_world *world, size_t i);
void *world_model(const firn_world *world, size_t i);

// The drawing of the first model that has the member at `offset` of it (offsetof(model_drawing, air)); NULL:
// none. *model (may be NULL) is that model.
const model_drawing *world_drawing(const firn_world *world, size_t offset, const void **model);

// Of the model of the field `name` ("mpm.position"): see model_class; 0 if its particles do not fill space.
double world_spacing(const firn_world *world, const char *name);

// All classes there are, for lists and docs.
const model_class *const *world_model_classes(size_t *count);
// The rows of all their field tables, one after the other, and the world's own; NULL at the end. model: whose
// it is, may be NULL.
const field_row *world_field_row(size_t index, const model_class **model);
// The same for time series.
const series_row *world_series_row(size_t index, const model_class **model);
// All time series of a world, as many as firn_world_series_count.
firn_status world_series(const firn_world *world, firn_series *out);

// The part of the state that is the world's own (time, frame, steps), for checkpoints.
typedef struct world_clock {
    double time;    // s
    uint64_t frame; // whole frames done
    uint64_t step;  // steps done
} world_clock;
world_clock world_clock_get(const firn_world *world);
void world_clock_set(firn_world *world, world_clock clock);

// A world that is only there to have frames loaded into it: nothing is filled with particles and no start is
// worked out, so that making it takes a fraction of the time. Until the first frame is loaded it is empty; it
// cannot be stepped.
firn_status world_create_for_frames(const firn_world_def *def, firn_world **out);

// A run on several ranks (world_ranks.c). One that serves is that of a rank other than 0: without particles
// of its own, it follows the orders that rank 0 gives by stepping its world, until world_ranks_end.
firn_status world_ranks_check(const firn_world_def *def); // FIRN_BAD_INPUT: says what keeps it on one rank
firn_status world_create_to_serve(const firn_world_def *def, firn_world **out);
void world_serve(firn_world *world);
void world_ranks_use(firn_world *world); // rank 0: from now on, if there are several
bool world_ranks_used(const firn_world *world);
void world_ranks_end(void);
// Until the next step each rank shows a slab of what is divided, or (whole) rank 0 has all of it: before it
// is written or hashed. After a step that ends a frame there are slabs.
firn_status world_gather(firn_world *world, bool whole);
// Number of items of a field on all ranks, and whether they are in slabs now. Its values in their order,
// piece by piece, to fn on rank 0.
size_t world_field_total(const firn_world *world, size_t field);
bool world_field_in_slabs(const firn_world *world, size_t field);
void world_field_pieces(const firn_world *world, size_t field,
                        void (*fn)(void *context, const void *data, size_t bytes), void *context);
// Before and after a world is made on all ranks at the same time: each makes a part of its items. Not for
// programs that make worlds of their own.
void world_ranks_together(bool together);

// Loading a checkpoint or a frame: world_field_resize for every field found in the file, then fetch the
// fields again and fill their data, then world_loaded.
firn_status world_field_resize(firn_world *world, const char *name, size_t count);
firn_status world_loaded(firn_world *world);
// Before that, for a checkpoint: the log of what was added and removed (field world.changes). If it is
// another one than that of the world, the models are rebuilt.
firn_status world_replay(firn_world *world, const uint32_t *log, size_t count);

const firn_world_def *world_def(const firn_world *world); // the world's own copy
// Of the parameters that the world was made from, without names, colours and the content of files.
uint64_t world_identity(const firn_world *world);

firn_context *world_context(const firn_world *world); // in which it was made; NULL for NULL
// First in public functions that work on a world: memory, threads and log are those of its context.
#define IN_WORLD(world) USE_CONTEXT(world_context(world))
double world_fps(const firn_world *world);
uint64_t world_model_steps(const firn_world *world, size_t i);
double world_model_seconds(const firn_world *world, size_t i); // wall time in its steps so far

// Estimates the cost of a world of this def from the sizes of its shapes, without creating it. *largest (may
// be NULL): the section that needs most memory.
firn_status world_cost(const firn_world_def *def, firn_cost *cost, const char **largest);
// The scene with `factor` times larger cells and spacings: a coarser world in which the same things happen at
// the same time. Of many bodies in a snow field only a sample stays. *out points into *def and *memory.
firn_status world_coarsen(const firn_world_def *def, double factor, arena *memory, firn_world_def *out);
// About how the work shrinks with the factor: factor to this power; 0: not at all.
double world_coarse_power(const firn_world_def *def);
// How many bodies of the scene one of the coarser world stands for.
double world_bodies_share(const firn_world_def *def);

// The data of a field, for what loads it.
void *world_field_data(firn_world *world, size_t index);
firn_field world_field_as_is(const firn_world *world, size_t index); // what is derived may be old

// What can be coloured by in a picture: fields that are shown, and `<model>.speed` wherever there is a
// velocity. Name NULL: there is none.
firn_field world_color_field(const firn_world *world, const char *name);
// Fails with the list of fields that exist instead of `name`.
firn_status world_color_unknown(const firn_world *world, const char *name);

#endif
