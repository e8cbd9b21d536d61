// A run's cost is what it took if it ends within a second. If not, a coarser world of the same scene is run
// to the end: it tells how steps, their time and what is written will differ from the beginning, which is
// known.
#include "cache/measure.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/stop.h"
#include "cache/cache.h"
#include "cache/folder.h"
#include "cache/h5.h"
#include "world/checkpoint_plan.h"

// CPU time for the world itself and for the coarser one, s; and a size of the latter that fits in well.
static const double TRIED = 0.5, PILOT = 1.5, PILOT_AIM = 0.9;
static const double LEAST_COARSE = 1.25, MOST_COARSE = 6;
// Until so much CPU time was counted, the time of a step is not known well, s. The first steps make room and
// are not counted.
static const double KNOWN = 0.03;
enum { UNCOUNTED = 3, SAMPLES = 12 };
// The hardest particle of many is harder than that of few, and sets the step: so many more steps as this
// power of the factor by which the cells of mpm were made coarser (found with the scenes of scenes/mpm).
static const double HARDEST = 0.3;
// Threads wait for each other: this much longer than their share of the work takes, at most.
static const double WAITING = 1.3;
static const double WRITE = 1e-9; // s of CPU for each byte written, beside composing the file

// How far a world has come, and what that took.
typedef struct progress {
    double time; // s, simulated
    double steps, cpu, wall;
    double counted_steps, counted_cpu;
    double last;             // bytes of the fields of the last frame
    double frames, shown;    // frames, the start included; bytes of their fields, all together
    double particles;        // the most there were
    double raw, packed;      // bytes of frames that were really composed, and compressed
    double composing, files; // s of CPU, for so many
    double kept;             // bytes of a checkpoint
    size_t peak;             // bytes
} progress;

typedef struct walk {
    firn_world *world;
    const scene *scene;
    uint64_t frames;    // to be reached
    uint64_t stride;    // frames between two that are composed
    size_t memory_base; // in use before it was made
    double growth;      // of the number of particles, by those that enter
    progress at;
} walk;

build_cost build_cost_begin(void) {
    mem_peak_forget();
    return (build_cost){.cpu = machine_cpu_seconds(), .before = mem_in_use()};
}

void build_cost_end(build_cost *built) {
    built->cpu = machine_cpu_seconds() - built->cpu;
    built->peak = mem_peak() - built->before;
}

static double field_bytes(const firn_world *world, uint32_t flag) {
    double bytes = 0;
    for (size_t i = 0; i < firn_world_field_count(world); i++) {
        firn_field f = firn_world_field_at(world, i);
        if (f.flags & flag) bytes += (double)f.count * f.components * (double)type_bytes(f.type);
    }
    return bytes;
}

static double particle_count(const firn_world *world) {
    static const char *const positions[] = {"grains.position", "mpm.position", "pbd.position",
                                            "phase.position", "wind.position"};
    double count = 0;
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++)
        count += (double)firn_world_field(world, positions[i]).count;
    return count;
}

static firn_status composed_bytes(const walk *w, cache_kind kind, bool compress, double *bytes) {
    char *file;
    size_t size;
    TRY(cache_encode(w->world, w->scene->hash, kind, compress, &file, &size));
    mem_free(file);
    *bytes += (double)size;
    return FIRN_OK;
}

// A checkpoint, as a run writes it now and then; it takes the most memory.
static firn_status note_checkpoint(walk *w) {
    w->at.kept = 0;
    TRY(composed_bytes(w, CACHE_CHECKPOINT, w->scene->def.compress, &w->at.kept));
    w->at.peak = mem_peak() - w->memory_base;
    return FIRN_OK;
}

// The frame that was reached is counted; now and then it is really composed.
static firn_status note_frame(walk *w) {
    w->at.frames++;
    w->at.last = field_bytes(w->world, FIRN_FIELD_SHOWN);
    w->at.shown += w->at.last;
    w->at.particles = fmax(w->at.particles, particle_count(w->world));
    if (firn_world_frame(w->world) % w->stride != 0) return FIRN_OK;
    TRY(note_checkpoint(w));
    double started = machine_cpu_seconds();
    TRY(composed_bytes(w, CACHE_FRAME, w->scene->def.compress, &w->at.packed));
    w->at.composing += machine_cpu_seconds() - started;
    w->at.files++;
    w->at.raw += w->at.last;
    return FIRN_OK;
}

static firn_status start_walk(walk *w) {
    w->stride = w->frames / SAMPLES + 1;
    return note_frame(w);
}

// Until the frames are reached, or this simulated time, or the CPU time is used up.
static firn_status walk_on(walk *w, double until, double cpu_limit) {
    double started = machine_cpu_seconds();
    while (firn_world_frame(w->world) < w->frames && w->at.time < until &&
           machine_cpu_seconds() - started < cpu_limit) {
        uint64_t frame = firn_world_frame(w->world);
        double cpu = machine_cpu_seconds(), wall = clock_seconds();
        TRY(stop_check());
        TRY(firn_world_step(w->world));
        cpu = machine_cpu_seconds() - cpu;
        w->at.steps++;
        w->at.cpu += cpu;
        w->at.wall += clock_seconds() - wall;
        w->at.time = firn_world_time(w->world);
        if (w->at.steps > UNCOUNTED) w->at.counted_steps++, w->at.counted_cpu += cpu;
        if (firn_world_frame(w->world) > frame) TRY(note_frame(w));
    }
    return FIRN_OK;
}

static double step_cpu(const progress *p) {
    return p->counted_steps > 0 ? p->counted_cpu / p->counted_steps : p->steps > 0 ? p->cpu / p->steps : 0;
}

static double ratio(double a, double b) { return a > 0 && b > 0 ? a / b : 1; }

// As if all went on as it went between the two; frames go on growing, but not for ever.
static void stretch(const progress *from, progress *to, double end) {
    double more = to->time > from->time ? fmax(end - to->time, 0) / (to->time - from->time) : 0;
    double frames = to->frames - from->frames, rest = more * frames;
    double grown = frames > 0 ? fmax(to->last - from->last, 0) / frames : 0; // bytes, from frame to frame
    to->shown += rest * fmin(to->last + 0.5 * grown * rest, 1.5 * to->last);
    to->steps += more * (to->steps - from->steps);
    to->cpu += more * (to->cpu - from->cpu);
    to->frames += rest;
    to->time = fmax(to->time, end);
}

// What the coarser world took from `from` to `to` is added, in the measure of the real one.
static void add_rest(progress *real, const progress *from, const progress *to, double pilot_step,
                     double harder, double frames) {
    double each = ratio(real->steps, from->steps) * harder; // steps for one of the coarser world
    real->cpu += (to->cpu - from->cpu) * each * ratio(step_cpu(real), pilot_step);
    real->steps += (to->steps - from->steps) * each;
    double mean = ratio(real->shown / real->frames, from->shown / from->frames);
    double more = fmax(frames - real->frames, 0), came = to->frames - from->frames;
    real->shown += came > 0 ? (to->shown - from->shown) * mean * more / came : 0;
    real->kept *= ratio(to->kept, from->kept);
    real->particles *= fmax(ratio(to->particles, from->particles), 1);
    if (to->peak > from->peak && from->peak > 0)
        real->peak += (size_t)((double)(to->peak - from->peak) * (double)real->peak / (double)from->peak);
    real->raw += to->raw - from->raw;
    real->packed += to->packed - from->packed;
    real->files += to->files - from->files;
}

// Goes with the coarser world as far as the real one came and then to the end.
static firn_status walk_pilot(walk *pilot, walk *real, double end, progress *from, double *step) {
    TRY(start_walk(pilot));
    TRY(walk_on(pilot, real->at.time, PILOT));
    TRY(note_checkpoint(pilot));
    *from = pilot->at;
    TRY(walk_on(pilot, fmin(end, pilot->at.time + 0.02 * end), KNOWN));
    *step = step_cpu(&pilot->at);
    TRY(walk_on(pilot, INFINITY, PILOT));
    return note_checkpoint(pilot);
}

static firn_status try_pilot(walk *real, double end, bool *tried) {
    const firn_world_def *def = &real->scene->def.world;
    double power = world_coarse_power(def), step;
    double whole = real->growth * real->at.cpu * end / fmax(real->at.time, 1e-9);
    arena memory = {0};
    firn_world_def coarse;
    progress from;
    *tried = false;
    if (power == 0) return FIRN_OK;
    double factor = fmin(fmax(pow(whole / PILOT_AIM, 1 / power), LEAST_COARSE), MOST_COARSE);
    walk pilot = {.scene = real->scene, .frames = real->frames};
    mem_peak_forget();
    pilot.memory_base = mem_in_use();
    firn_status status = world_coarsen(def, factor, &memory, &coarse);
    log_silence(true);
    if (status == FIRN_OK) status = firn_world_create(&coarse, &pilot.world);
    log_silence(false);
    if (status == FIRN_OK) status = walk_pilot(&pilot, real, end, &from, &step);
    *tried = status == FIRN_OK && pilot.at.time > from.time && from.steps > 0;
    if (*tried) {
        stretch(&from, &pilot.at, end);
        double harder = def->mpm && !(def->mpm->implicit > 0) ? pow(factor, HARDEST) : 1;
        add_rest(&real->at, &from, &pilot.at, step, harder, (double)real->frames + 1);
    }
    firn_world_close(pilot.world);
    arena_free(&memory);
    return status == FIRN_NO_MEMORY || status == FIRN_INTERRUPTED ? status : FIRN_OK;
}

// The rest of the run, if there is one.
static firn_status walk_rest(walk *w, const progress *start) {
    bool tried;
    double end = (double)w->frames / world_fps(w->world);
    if (firn_world_frame(w->world) >= w->frames) return FIRN_OK;
    TRY(try_pilot(w, end, &tried));
    if (tried) return FIRN_OK;
    TRY(walk_on(w, INFINITY, PILOT));
    TRY(note_checkpoint(w));
    stretch(start, &w->at, end);
    return FIRN_OK;
}

// CPU time of steps, as it passes with all threads.
static double wall_share(const progress *p) {
    if (firn_threads() == 1 || !(p->cpu > 0)) return 1;
    return fmin(p->wall / p->cpu, WAITING / fmin(firn_threads(), 64));
}

// Particles that enter in so many seconds.
static firn_status count_entering(const scene *s, double seconds, double *count) {
    firn_world_def def = s->def.world;
    firn_cost at_start, at_end;
    def.duration = 0;
    TRY(world_cost(&def, &at_start, NULL));
    def.duration = seconds;
    TRY(world_cost(&def, &at_end, NULL));
    *count = at_end.particles > at_start.particles ? (double)(at_end.particles - at_start.particles) : 0;
    return FIRN_OK;
}

firn_status measure_run(const scene *s, firn_world *world, uint64_t frames, const build_cost *built,
                        firn_cost *cost) {
    walk w = {.world = world, .scene = s, .frames = frames ? frames : firn_world_frames(world)};
    double every = (double)checkpoint_every(s);
    w.memory_base = built->before;
    TRY(start_walk(&w));
    progress start = w.at;
    double entering;
    TRY(count_entering(s, (double)w.frames / world_fps(world), &entering));
    w.growth = ratio(start.particles + entering, fmax(start.particles, 1));
    TRY(walk_on(&w, INFINITY, TRIED));
    double composing = machine_cpu_seconds();
    TRY(note_checkpoint(&w));
    composing = machine_cpu_seconds() - composing;
    double head = -field_bytes(world, FIRN_FIELD_SHOWN), share = wall_share(&w.at);
    TRY(composed_bytes(&w, CACHE_FRAME, false, &head));
    double per_frame = w.at.composing / w.at.files;
    TRY(walk_rest(&w, &start));
    double all = (double)w.frames + 1, saves = ceil((double)w.frames / every);
    double files = all * head + w.at.shown * ratio(w.at.packed - w.at.files * head, w.at.raw);
    *cost = (firn_cost){.bodies = cost->bodies, .cells = cost->cells, .frames = w.frames};
    cost->particles = (uint64_t)(fmax(w.at.particles, start.particles + entering) + 0.5);
    cost->memory = w.at.peak;
    cost->disk = (uint64_t)(files + w.at.kept * (double)checkpoints_kept(w.frames, (uint64_t)every));
    cost->steps = (uint64_t)(w.at.steps + 0.5);
    cost->step = (double)w.frames / world_fps(world) / fmax(w.at.steps, 1);
    cost->seconds = built->cpu + share * w.at.cpu + per_frame * all + composing * saves +
                    WRITE * (files + saves * w.at.kept);
    return FIRN_OK;
}
