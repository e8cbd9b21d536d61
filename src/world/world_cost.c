// What a run will cost: from the sizes of things, or from the world as it was made and a few of its steps.
#include "world/checkpoint_plan.h"
#include "world/world_state.h"

#include <math.h>
#include <string.h>

#include "base/machine.h"

// So much CPU time is spent on trying, s; and so many steps are not counted: the first ones make room.
static const double TRIED = 0.15;
enum { UNCOUNTED = 2, MOST_TRIED = 400 };
// Threads wait for each other: this much longer than their share of the work takes, at most.
static const double WAITING = 1.3;

typedef struct trial {
    double step, seconds; // s, of simulated and of wall time, for each step
} trial;

static firn_status try_steps(firn_world *world, trial *out) {
    double started = machine_cpu_seconds(), cpu = started, wall = clock_seconds(), time = world->clock.time;
    int steps = 0, counted = 0;
    while (steps < MOST_TRIED && (counted == 0 || machine_cpu_seconds() - started < TRIED)) {
        TRY(firn_world_step(world));
        if (++steps <= UNCOUNTED && machine_cpu_seconds() - started < TRIED) {
            cpu = machine_cpu_seconds(), wall = clock_seconds(), time = world->clock.time;
            continue;
        }
        counted++;
    }
    cpu = machine_cpu_seconds() - cpu;
    wall = clock_seconds() - wall;
    out->step = (world->clock.time - time) / counted;
    out->seconds = fmin(wall, cpu / fmin(firn_threads(), 64) * WAITING) / counted;
    return FIRN_OK;
}

// Of an HDF5 file of ours: its head, ledgers and times, and the head of each field.
enum { FILE_BYTES = 2048, FIELD_BYTES = 1200, CHECKPOINTS_KEPT = 2 };

static size_t value_bytes(firn_type type) { return type == FIRN_F64 || type == FIRN_U64 ? 8 : 4; }

static uint64_t field_bytes(const firn_world *world, uint32_t flag) {
    uint64_t bytes = FILE_BYTES;
    for (size_t i = 0; i < world->fields; i++) {
        const firn_field *f = &world->field[i];
        if (f->flags & flag) bytes += FIELD_BYTES + (uint64_t)f->count * f->components * value_bytes(f->type);
    }
    return bytes;
}

static uint64_t particle_count(const firn_world *world) {
    static const char *const positions[] = {"grains.position", "mpm.position", "pbd.position",
                                            "phase.position", "wind.position"};
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++)
        count += firn_world_field(world, positions[i]).count;
    return count;
}

// Whether the clock may be put forward: something is moved by keyframes, and nothing waits to enter.
static bool can_skip(const firn_world_def *def) {
    bool entering = (def->mpm && def->mpm->emit.count) || (def->phase && def->phase->spouts.count) ||
                    (def->pbd && def->pbd->fluid && def->pbd->fluid->spouts.count) || def->wind;
    bool moved = false;
    for (size_t i = 0; i < def->bodies.count; i++)
        moved = moved || def->bodies.items[i].motion.kind == FIRN_MOTION_KEYFRAMES;
    return def->field && moved && !entering;
}

// A body that is led through the snow may not touch it yet at the start: the middle of the run tells more.
static firn_status try_middle(firn_world *world, trial *out) {
    uint64_t frame = firn_world_frames(world) / 2;
    trial settling;
    world_clock_set(world, (world_clock){(double)frame / world->def->fps, frame, world->clock.step});
    TRY(try_steps(world, &settling)); // it stands in snow that it has not pushed aside yet
    return try_steps(world, out);
}

static uint64_t growth(uint64_t at_end, uint64_t at_start) {
    return at_end > at_start ? at_end - at_start : 0;
}

static double steps_per_frame(const firn_world_def *def, double step) {
    return fmax(ceil(1 / (def->fps * step) - 1e-6), 1);
}

firn_status world_cost(const firn_world_def *def, firn_cost *cost, const char **largest) {
    TRY(world_sum_costs(def, cost, largest));
    cost->frames = (uint64_t)fmax(def->duration * def->fps + 0.5, 1);
    cost->steps = (uint64_t)((double)cost->frames * steps_per_frame(def, cost->step));
    cost->seconds *= (double)cost->steps; // the models gave seconds per step
    cost->disk = (cost->frames + 1 + 2 * CHECKPOINTS_KEPT) * (cost->disk + FILE_BYTES); // and bytes per frame
    return FIRN_OK;
}

firn_status world_measure(firn_world *world, const firn_world_def *def, uint64_t checkpoint,
                          size_t memory_before, firn_cost *cost) {
    firn_world_def still = *def;
    firn_cost start, end;
    trial now;
    still.duration = 0;
    TRY(world_sum_costs(def, &end, NULL));
    TRY(world_sum_costs(&still, &start, NULL));
    *cost = (firn_cost){.bodies = end.bodies, .cells = end.cells, .frames = firn_world_frames(world)};
    cost->particles = particle_count(world) + growth(end.particles, start.particles);
    double shown = (double)growth(end.disk, start.disk) / 2; // more and more comes: half of it on the average
    TRY(try_steps(world, &now));
    shown += (double)field_bytes(world, FIRN_FIELD_SHOWN);
    double kept = (double)field_bytes(world, FIRN_FIELD_STATE);
    cost->disk = (uint64_t)((double)(cost->frames + 1) * shown +
                            (double)checkpoints_kept(cost->frames, checkpoint) * kept);
    cost->memory = mem_in_use() - memory_before + growth(end.memory, start.memory);
    if (can_skip(def)) TRY(try_middle(world, &now));
    cost->step = fmin(end.step, now.step);
    double per_frame = fmax(1 / (def->fps * now.step), steps_per_frame(def, end.step));
    cost->steps = (uint64_t)((double)cost->frames * per_frame + 0.5);
    cost->seconds = (now.seconds + fmax(end.seconds - start.seconds, 0) / 2) * (double)cost->steps;
    return FIRN_OK;
}
