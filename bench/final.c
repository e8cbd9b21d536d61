// Rays per processor second of a picture of final quality, beside what plain Embree gives for the very same
// rays.
#include "bench/measure.h"

#include "trace/trace.h"

#if FIRN_HAVE_EMBREE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "draw/views.h"
#include "par/par.h"
#include "trace/inside.h"
#include "world/world.h"

enum { WIDE = 320, HIGH = 180, SAMPLES = 8, BLOCK = 64, STEPS = 60, MOST_RAYS = 4 << 20 };

// The reference's hare, just landed: see scenes/mpm/hare-drop.yaml.
static const char hare[] =
    "firn: 1\nduration: 1 s\nfps: 30\nbodies: {floor: {shape: plane, friction: 0.4}}\n"
    "mpm: {cell: 10 cm, snow: {hare: {shape: {hare: {height: 3.4 m}}, at: [0, 2 cm, 0], type: packed,\n"
    "  young: 1 MPa, poisson: 0.25, critical_stretch: 0.0075, velocity: [0, -9, 0]}}}\n"
    "camera: {from: [3.9, 1.7, 5.0], to: [0.1, 1.35, 0], lens: 38 mm}\n"
    "picture: {sun: [-0.8, 0.34, 0.25]}\n";

// A ray as it was asked for.
typedef struct asked {
    struct RTCRay ray;
    bool dark; // only whether something stands in its way
} asked;

typedef struct tracing {
    tracer tracer;
    asked *asked;
    size_t count;
    embree rtc; // Embree's own calls
} tracing;

static tracing *listening; // rays are recorded by one thread

static void record(const struct RTCRay *ray, bool dark) {
    if (listening->count < MOST_RAYS) listening->asked[listening->count++] = (asked){*ray, dark};
}

static void record_intersect(RTCScene where, struct RTCIntersectContext *context, struct RTCRayHit *ray) {
    record(&ray->ray, false);
    listening->rtc.rtcIntersect1(where, context, ray);
}

static void record_occluded(RTCScene where, struct RTCIntersectContext *context, struct RTCRay *ray) {
    record(ray, true);
    listening->rtc.rtcOccluded1(where, context, ray);
}

static void trace_row(void *context, size_t y) {
    const tracing *t = context;
    for (int x = 0; x < WIDE; x++) {
        dice d = dice_of(1, y * WIDE + (size_t)x);
        for (uint32_t i = 0; i < SAMPLES; i++) {
            d.sample = i;
            d.stream = 0;
            path_trace(&t->tracer, WIDE, HIGH, x, (int)y, &d);
        }
    }
}

static void trace_all(void *context) { par_tasks(HIGH, trace_row, context); }

static void cast_block(void *context, size_t begin, size_t end) {
    const tracing *t = context;
    struct RTCIntersectContext how;
    rtcInitIntersectContext(&how);
    for (size_t i = begin; i < end; i++) {
        struct RTCRayHit r = {.ray = t->asked[i].ray, .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
        if (t->asked[i].dark)
            t->rtc.rtcOccluded1(t->tracer.embree, &how, &r.ray);
        else
            t->rtc.rtcIntersect1(t->tracer.embree, &how, &r);
    }
}

static void cast_all(void *context) {
    tracing *t = context;
    par_for(t->count, BLOCK * SAMPLES, cast_block, t);
}

static void record_all(tracing *t) {
    t->rtc = t->tracer.rtc;
    listening = t;
    t->tracer.rtc.rtcIntersect1 = record_intersect;
    t->tracer.rtc.rtcOccluded1 = record_occluded;
    for (size_t y = 0; y < HIGH; y++) trace_row(t, y);
    t->tracer.rtc = t->rtc;
}

// Of all threads: what else the machine does hardly matters then.
static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static firn_status measure(tracing *t, bench_emit emit, void *context) {
    enum { TURNS = 7 };
    static char note[120];
    double traced[TURNS], cast[TURNS];
    record_all(t);
    trace_all(t);
    for (int i = 0; i < TURNS; i++) {
        double began = cpu_seconds();
        trace_all(t);
        double between = cpu_seconds();
        cast_all(t);
        traced[i] = between - began;
        cast[i] = cpu_seconds() - between;
    }
    double rays = (double)t->count, ours = measure_median(traced, TURNS), plain = measure_median(cast, TURNS);
    bench_result row = {.workload = "final", .rate_unit = "rays/s of a core"};
    measure_result(&row, rays, ours, sizeof(asked), 200);
    row.limit = "embree";
    row.limit_share = plain / ours;
    snprintf(note, sizeof note, "plain Embree, the same %.2f M rays: %.3g M rays/s of a core", 1e-6 * rays,
             1e-6 * rays / plain);
    row.note = note;
    emit(context, &row);
    return FIRN_OK;
}

static firn_status bench_list(tracing *t, const draw_list *list, bench_emit emit, void *context) {
    final_sky sky;
    final_scene final = {0};
    final_sky_fill(&sky, list, WIDE);
    firn_status status = final_scene_fill(&final, list, &sky);
    if (status == FIRN_OK) status = tracer_open(&t->tracer, &final.scene, WIDE, HIGH);
    if (status == FIRN_OK) {
        status = measure(t, emit, context);
        tracer_close(&t->tracer);
    }
    final_scene_free(&final);
    return status;
}

static firn_status bench_world(tracing *t, const scene_def *def, views *v, bench_emit emit, void *context) {
    firn_world *world = NULL;
    TRY(firn_world_create(&def->world, &world));
    firn_status status = views_open(v, def, world, NULL);
    if (status == FIRN_OK) {
        views_final(v, true);
        views_divide(v, WIDE, HIGH);
        status = views_rest(v);
    }
    for (int i = 0; i < STEPS && status == FIRN_OK; i++) status = firn_world_step(world);
    if (status == FIRN_OK) status = views_measure(v);
    if (status == FIRN_OK) {
        views_settle(v);
        status = views_collect(v);
    }
    if (status == FIRN_OK) status = bench_list(t, &v->item[0].collector.list, emit, context);
    views_close(v);
    firn_world_close(world);
    return status;
}

firn_status bench_final(bench_emit emit, void *context) {
    scene *s;
    views v = {0};
    tracing t = {.asked = mem_alloc(MOST_RAYS * sizeof *t.asked)};
    if (!t.asked) return fail_memory("recording rays", MOST_RAYS * sizeof *t.asked);
    firn_status status = scene_parse(hare, strlen(hare), "final", (firn_overrides){0}, &s);
    if (status == FIRN_OK) {
        status = bench_world(&t, &s->def, &v, emit, context);
        scene_close(s);
    }
    mem_free(t.asked);
    return status;
}

#else

firn_status bench_final(bench_emit emit, void *context) {
    (void)emit, (void)context;
    trace_check();
    log_note("final: %s", firn_last_error());
    return FIRN_OK;
}
#endif
