// Estimates the cost of a run. If it ends within half a second of CPU time, the cost is measured. Otherwise a
// coarser world of the same scene is run to the end, or as far as possible, to learn how steps, their time
// and the output differ from the beginning, which is measured.
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

// CPU time for the world itself and for the coarser one, s; and the CPU time that the coarser world is sized
// for, s: more if a scout has measured what it takes.
static const double TRIED = 0.5, PILOT = 1.5, PILOT_AIM = 0.9, SCOUTED_AIM = 1.8;
static const double LEAST_COARSE = 1.25, MOST_COARSE = 6;
// Until so much CPU time was counted, the time of a step is not known well, s. The first steps make room and
// are not counted.
static const double KNOWN = 0.03;
enum { UNCOUNTED = 3, SAMPLES = 12 };
// Snow that lands hardens, and its steps become several times as many: a scout, coarser by this factor than
// the beginning asks for, sees it in a fraction of the time. The other world is at least so much finer.
static const double SCOUT = 2.4, FINER = 1.4;
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
    progress at;
} walk;

// Particles at a moment, if none leaves: emitters let them in.
typedef struct entering {
    const scene *scene;
    double start; // particles at the start
    bool any;
} entering;

// What a coarser world did.
typedef struct pilot {
    double factor;
    progress from, late, to; // where the real one ended, half of the way in CPU time, its own end
    double step;             // s of CPU, of a step soon after `from`
    double was_used, used;   // share of the cells of a snow field that have a tile, at `from` and at the end
    bool usable;
} pilot;

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
    mem_peak_forget(); // building has its own peak
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

// How many times as many particles there are in the middle between c and d as in the middle between a and b.
static double more_particles(const entering *e, double a, double b, double c, double d) {
    double before = 0, after = 0;
    if (!e->any || count_entering(e->scene, 0.5 * (a + b), &before) != FIRN_OK ||
        count_entering(e->scene, 0.5 * (c + d), &after) != FIRN_OK)
        return 1;
    return ratio(e->start + after, e->start + before);
}

// Extrapolates the rates between the two, with the particles that enter; frames keep growing, up to a limit.
static void stretch(const entering *e, const progress *from, progress *to, double end) {
    double more = to->time > from->time ? fmax(end - to->time, 0) / (to->time - from->time) : 0;
    double frames = to->frames - from->frames, rest = more * frames;
    double grown = frames > 0 ? fmax(to->last - from->last, 0) / frames : 0; // bytes, from frame to frame
    if (!(more > 0)) return;
    double mean = more_particles(e, from->time, to->time, to->time, end);
    double last = more_particles(e, to->time, to->time, end, end);
    to->shown += rest * fmin(to->last + 0.5 * grown * rest, 1.5 * to->last);
    to->steps += more * (to->steps - from->steps);
    to->cpu += more * (to->cpu - from->cpu) * mean;
    to->kept *= last;
    to->peak = (size_t)((double)to->peak * last);
    to->frames += rest;
    to->time = end;
}

// A snow field is not made coarser: what its tiles come to take, they take in the real world as well. If only
// a sample of the bodies leaves prints, those of all are `share` times as many, though some in the same
// tiles, which are hit by chance. `used`: the share of the cells that have a tile already.
static void add_field_growth(progress *real, const pilot *p, double share, double each, double frames,
                             double used) {
    double came_tiles = p->used - p->was_used, all = 1 - pow(1 - p->used, share);
    double tiles = came_tiles > 0 ? fmax(all - used, 0) / came_tiles : share; // for one of the coarser world
    double steps = p->to.steps - p->from.steps, cpu = p->to.cpu - p->from.cpu;
    double came = p->to.frames - p->from.frames;
    double mean = came > 0 ? (p->to.shown - p->from.shown) / came : p->to.last;
    real->cpu += each * fmax(steps * step_cpu(real) + share * (cpu - steps * p->step), cpu);
    real->shown += frames * (real->last + tiles * fmax(mean - p->from.last, 0));
    real->kept += tiles * fmax(p->to.kept - p->from.kept, 0);
    if (p->to.peak > p->from.peak) real->peak += (size_t)(tiles * (double)(p->to.peak - p->from.peak));
}

// The memory of particles and cells of air is proportional to their number.
static void add_growth(progress *real, const pilot *p, double each, double frames) {
    const progress *from = &p->from, *to = &p->to;
    double came = to->frames - from->frames, mean = came > 0 ? (to->shown - from->shown) / came : to->last;
    real->cpu += (to->cpu - from->cpu) * each * ratio(step_cpu(real), p->step);
    real->shown += frames * mean * ratio(real->shown / real->frames, from->shown / from->frames);
    real->kept *= ratio(to->kept, from->kept);
    real->peak = (size_t)((double)real->peak * fmax(ratio((double)to->peak, (double)from->peak), 1));
}

static double used_cells(const firn_world *world, const firn_snowfield_def *field) {
    if (!field) return 0;
    double cells = ceil(field->width / field->cell) * ceil(field->length / field->cell);
    return fmin((double)firn_world_field(world, "field.mass").count / cells, 1);
}

// What the coarser world took is added, in the measure of the real one: with `each` steps for one of its.
static void add_rest(walk *w, const pilot *p, double each) {
    const firn_world_def *def = &w->scene->def.world;
    progress *real = &w->at;
    double frames = fmax((double)w->frames + 1 - real->frames, 0);
    if (def->field)
        add_field_growth(real, p, world_bodies_share(def), each, frames, used_cells(w->world, def->field));
    else
        add_growth(real, p, each, frames);
    real->steps += (p->to.steps - p->from.steps) * each;
    real->particles *= fmax(ratio(p->to.particles, p->from.particles), 1);
    real->raw += p->to.raw - p->from.raw;
    real->packed += p->to.packed - p->from.packed;
    real->files += p->to.files - p->from.files;
}

// Goes with the coarser world as far as the real one came and then to the end.
static firn_status walk_pilot(walk *w, double reached, double end, double cpu_limit, pilot *p) {
    TRY(start_walk(w));
    TRY(walk_on(w, reached, cpu_limit));
    TRY(note_checkpoint(w));
    p->from = w->at;
    p->was_used = used_cells(w->world, w->scene->def.world.field);
    TRY(walk_on(w, fmin(end, w->at.time + 0.02 * end), KNOWN));
    p->step = step_cpu(&w->at);
    TRY(walk_on(w, end, 0.5 * cpu_limit));
    p->late = w->at;
    TRY(walk_on(w, end, 0.5 * cpu_limit));
    p->used = used_cells(w->world, w->scene->def.world.field);
    return note_checkpoint(w);
}

// A coarser world that cannot be created or fails is ignored.
static firn_status run_pilot(const walk *real, double end, double cpu_limit, pilot *p) {
    arena memory = {0};
    firn_world_def coarse;
    walk w = {.scene = real->scene, .frames = real->frames};
    w.memory_base = mem_in_use();
    firn_status status = world_coarsen(&real->scene->def.world, p->factor, &memory, &coarse);
    log_silence(true);
    if (status == FIRN_OK) status = firn_world_create(&coarse, &w.world);
    log_silence(false);
    if (status == FIRN_OK) status = walk_pilot(&w, real->at.time, end, cpu_limit, p);
    p->to = w.at;
    p->usable = status == FIRN_OK && p->to.time > p->from.time && p->from.steps > 0;
    firn_world_close(w.world);
    arena_free(&memory);
    return status == FIRN_NO_MEMORY || status == FIRN_INTERRUPTED ? status : FIRN_OK;
}

static double limit_factor(double factor) { return fmin(fmax(factor, LEAST_COARSE), MOST_COARSE); }

static void stretch_pilot(const entering *e, pilot *p, double end) {
    stretch(e, p->late.time < p->to.time ? &p->late : &p->from, &p->to, end);
}

static firn_status send_scout(const walk *real, const entering *e, double end, double factor, pilot *scout) {
    scout->factor = factor;
    TRY(run_pilot(real, INFINITY, 0.5 * PILOT, scout));
    if (scout->usable) stretch_pilot(e, scout, end);
    return FIRN_OK;
}

// Steps of the real world for one of the coarser, after what both have gone through. In mpm the cells set the
// step, and the finer they are, the harder is the hardest particle, which shortens it further: by how much is
// seen between the scout and the finer world, and taken to go on as a power. It softens nowhere.
static double steps_for_each(const walk *real, const pilot *p, const pilot *scout) {
    double begun = ratio(real->at.steps, p->from.steps);
    if (!scout->usable) return begun;
    double fewer = ratio(p->to.steps - p->from.steps, scout->to.steps - scout->from.steps);
    double power = log(fewer) / log(scout->factor / p->factor);
    return fmax(pow(p->factor, fmin(power, 2)), begun);
}

static firn_status try_pilot(walk *real, const entering *e, double end, bool *tried) {
    const firn_world_def *def = &real->scene->def.world;
    double power = world_coarse_power(def);
    double whole =
        real->at.cpu * end / fmax(real->at.time, 1e-9) * more_particles(e, 0, real->at.time, 0, end);
    *tried = false;
    if (power == 0 && world_bodies_share(def) == 1) return FIRN_OK;
    if (e->any && e->start == 0 && !def->mpm)
        return FIRN_OK; // coarse drops do not come out of a narrow spout
    pilot scout = {0}, p = {.factor = limit_factor(power > 0 ? pow(whole / PILOT_AIM, 1 / power) : 1)};
    if (def->mpm) TRY(send_scout(real, e, end, SCOUT * p.factor, &scout));
    if (scout.usable)
        p.factor = fmin(limit_factor(scout.factor * pow(scout.to.cpu / SCOUTED_AIM, 1 / power)),
                        scout.factor / FINER);
    TRY(run_pilot(real, INFINITY, PILOT, &p));
    if (!p.usable) return FIRN_OK;
    stretch_pilot(e, &p, end);
    add_rest(real, &p, steps_for_each(real, &p, &scout));
    *tried = true;
    return FIRN_OK;
}

// The rest of the run, if there is one.
static firn_status walk_rest(walk *w, const entering *e, const progress *start) {
    bool tried;
    double end = (double)w->frames / world_fps(w->world);
    if (firn_world_frame(w->world) >= w->frames) return FIRN_OK;
    TRY(try_pilot(w, e, end, &tried));
    if (tried) return FIRN_OK;
    TRY(walk_on(w, INFINITY, 0.5 * PILOT));
    progress late = w->at;
    TRY(walk_on(w, INFINITY, 0.5 * PILOT));
    TRY(note_checkpoint(w));
    stretch(e, late.frames < w->at.frames ? &late : start, &w->at, end);
    return FIRN_OK;
}

// CPU time of steps, as it passes with all threads.
static double wall_share(const progress *p) {
    if (firn_threads() == 1 || !(p->cpu > 0)) return 1;
    return fmin(p->wall / p->cpu, WAITING / fmin(firn_threads(), 64));
}

firn_status measure_run(const scene *s, firn_world *world, uint64_t frames, const build_cost *built,
                        firn_cost *cost) {
    walk w = {.world = world, .scene = s, .frames = frames ? frames : firn_world_frames(world)};
    double every = (double)checkpoint_every(s);
    w.memory_base = built->before;
    TRY(start_walk(&w));
    progress start = w.at;
    double enter;
    TRY(count_entering(s, (double)w.frames / world_fps(world), &enter));
    entering e = {s, start.particles, enter > 0};
    TRY(walk_on(&w, INFINITY, TRIED));
    double composing = machine_cpu_seconds();
    TRY(note_checkpoint(&w));
    composing = machine_cpu_seconds() - composing;
    double head = -field_bytes(world, FIRN_FIELD_SHOWN), share = wall_share(&w.at);
    TRY(composed_bytes(&w, CACHE_FRAME, false, &head));
    double per_frame = w.at.composing / w.at.files;
    TRY(walk_rest(&w, &e, &start));
    double all = (double)w.frames + 1, saves = ceil((double)w.frames / every);
    double files = all * head + w.at.shown * ratio(w.at.packed - w.at.files * head, w.at.raw);
    *cost = (firn_cost){.bodies = cost->bodies, .cells = cost->cells, .frames = w.frames};
    cost->particles = (uint64_t)(fmax(w.at.particles, start.particles + enter) + 0.5);
    cost->memory = w.at.peak > built->peak ? w.at.peak : built->peak;
    cost->disk = (uint64_t)(files + w.at.kept * (double)checkpoints_kept(w.frames, (uint64_t)every));
    cost->steps = (uint64_t)(w.at.steps + 0.5);
    cost->step = (double)w.frames / world_fps(world) / fmax(w.at.steps, 1);
    cost->seconds = built->cpu + share * w.at.cpu + per_frame * all + composing * saves +
                    WRITE * (files + saves * w.at.kept);
    return FIRN_OK;
}
