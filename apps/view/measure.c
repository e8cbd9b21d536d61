// How long frames of the window and pictures of the world take: for --measure and the script's `measure`.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "apps/command.h"
#include "view.h"

static double clock_of(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double measure_processor(void) { return clock_of(CLOCK_THREAD_CPUTIME_ID); }

static double others(void) { return clock_of(CLOCK_PROCESS_CPUTIME_ID) - measure_processor(); }

static uint64_t step_of(const view *v) { return v->run ? (uint64_t)v->index : v->now.step; }

void measure_begin(view *v) {
    v->measured = (measured){.begun = seconds_now(),
                             .own = measure_processor(),
                             .others = others(),
                             .steps = step_of(v),
                             .pictures = v->pictures};
}

void measure_frame(view *v, double seconds, double processor) {
    measured *m = &v->measured;
    m->frames++;
    m->sum += seconds;
    m->worst = fmax(m->worst, seconds);
    m->worst_processor = fmax(m->worst_processor, processor);
    if (seconds > 0.05) m->slow++;
    if (processor > 0.05) m->slow_processor++;
}

// Pictures count while the simulation runs or a run is played: what stands still needs one.
void measure_motion(view *v, uint64_t pictures, double now) {
    measured *m = &v->measured;
    bool moves =
        v->run ? v->playing_run && v->index + 1 < (long)view_frame_count(v) : v->now.phase == SIM_RUNNING;
    double used = others(), time = v->run ? 0 : v->now.time;
    uint64_t step = step_of(v);
    if (moves && m->seen.at > 0 && v->picture.rgba) {
        m->moving += now - m->seen.at;
        m->moving_others += used - m->seen.others;
        m->moving_pictures += pictures;
        if (step > m->seen.step) m->moving_steps += step - m->seen.step;
        if (time > m->seen.time) m->moving_time += time - m->seen.time;
    }
    m->seen.at = moves ? now : 0;
    m->seen.others = used;
    m->seen.time = time;
    m->seen.step = step;
}

void measure_report(const view *v) {
    const measured *m = &v->measured;
    double seconds = seconds_now() - m->begun, all = fmax((double)m->frames, 1);
    double mean = 1000 * m->sum / all, own = 1000 * (measure_processor() - m->own) / all;
    double rate = (double)m->moving_pictures / fmax(m->moving, 1e-9);
    uint64_t pictures = v->pictures - m->pictures, step = step_of(v);
    uint64_t steps = step > m->steps ? step - m->steps : 0;
    if (v->options.json)
        printf("{\"event\": \"measured\", \"seconds\": %.3f, \"pictures\": %" PRIu64 ", \"steps\": %" PRIu64
               ", \"other_cpu_seconds\": %.4f, \"moving_seconds\": %.3f, \"moving_pictures\": %" PRIu64
               ", \"moving_steps\": %" PRIu64 ", \"moving_time\": %.6g, \"moving_other_cpu_seconds\": %.4f"
               ", \"frames\": %" PRIu64
               ", \"mean_ms\": %.2f, \"worst_ms\": %.2f, \"cpu_ms\": %.2f, \"over_50_ms\": %" PRIu64
               ", \"worst_cpu_ms\": %.2f, \"cpu_over_50_ms\": %" PRIu64 "}\n",
               seconds, pictures, steps, others() - m->others, m->moving, m->moving_pictures, m->moving_steps,
               m->moving_time, m->moving_others, m->frames, mean, 1000 * m->worst, own, m->slow,
               1000 * m->worst_processor, m->slow_processor);
    else
        printf("%.1f s: %" PRIu64 " pictures of the world; %.1f s in motion: %" PRIu64
               " (%.1f per second), %" PRIu64 " steps, %.1f s of CPU; window: %" PRIu64
               " frames, mean %.1f ms (%.1f ms of CPU), longest %.1f ms, %" PRIu64
               " over 50 ms (%.1f ms and %" PRIu64 " of CPU)\n",
               seconds, pictures, m->moving, m->moving_pictures, rate, m->moving_steps, m->moving_others,
               m->frames, mean, own, 1000 * m->worst, m->slow, 1000 * m->worst_processor, m->slow_processor);
}
