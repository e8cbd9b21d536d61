// Progress of long commands: a bar on a terminal, lines elsewhere, JSON objects with --json.
#include "command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 24 };
static const double line_interval = 3.0, draw_interval = 0.1; // s

const char *time_text(double seconds) {
    static char out[32];
    if (!(seconds >= 0) || seconds > 1e7) return "?";
    if (seconds < 10) {
        snprintf(out, sizeof out, "%.1f s", seconds);
    } else {
        unsigned long s = (unsigned long)lround(seconds);
        if (s < 3600)
            snprintf(out, sizeof out, "%lu:%02lu min", s / 60, s % 60);
        else
            snprintf(out, sizeof out, "%lu:%02lu h", s / 3600, s / 60 % 60);
    }
    return out;
}

void progress_start(progress *p, const char *what, const arguments *given) {
    *p = (progress){
        .what = what, .json = given->json, .quiet = given->quiet, .terminal = isatty(STDERR_FILENO) == 1};
    p->started = seconds_now();
    p->last = -1e9;
}

// Whether it is time to say something again; the last frame always is.
static bool due(progress *p, bool last) {
    double now = seconds_now();
    if (p->quiet) return false;
    if (!last && now - p->last < (p->terminal ? draw_interval : line_interval)) return false;
    p->last = now;
    return true;
}

static void show(progress *p, uint64_t done, uint64_t all, const char *rest) {
    double share = all ? (double)done / (double)all : 1.0;
    if (!p->terminal) {
        fprintf(stderr, "%s: frame %llu/%llu, %.0f %%%s\n", p->what, (unsigned long long)done,
                (unsigned long long)all, 100 * share, rest);
        return;
    }
    char bar[BAR + 1];
    int filled = (int)(share * BAR + 0.5);
    for (int i = 0; i < BAR; i++) bar[i] = i < filled ? '#' : '.';
    bar[BAR] = 0;
    fprintf(stderr, "\r%s [%s] frame %llu/%llu%s\033[K", p->what, bar, (unsigned long long)done,
            (unsigned long long)all, rest);
    fflush(stderr);
    p->drawn = true;
}

static double finite_or_0(double value) { return isfinite(value) ? value : 0; }

static void json_models(const firn_progress *now) {
    for (size_t i = 0; i < now->model_count; i++)
        printf("%s{\"model\": \"%s\", \"steps\": %llu, \"seconds\": %.6g}", i ? ", " : "",
               now->models[i].model, (unsigned long long)now->models[i].steps, now->models[i].seconds);
}

static void json_run(progress *p, const firn_progress *now) {
    double eta = finite_or_0(now->eta), rate = finite_or_0(now->steps_per_second);
    printf("{\"event\": \"frame\", \"frame\": %llu, \"frames\": %llu, \"time\": %.9g, \"steps\": %llu, "
           "\"steps_per_second\": %.6g, "
           "\"eta\": %.6g, \"resumed\": %s, \"memory\": %llu, \"models\": [",
           (unsigned long long)now->frame, (unsigned long long)now->frames, now->time,
           (unsigned long long)now->steps, rate, eta, now->resumed ? "true" : "false",
           (unsigned long long)now->memory);
    json_models(now);
    printf("]}\n");
    if (fflush(stdout) != 0) p->broken = true;
}

// "wind 135 steps 34 %, mpm 1407 steps 45 %"; nothing of one model beside the bodies.
static void note_models(progress *p, const firn_progress *now) {
    double all = 0;
    size_t used = 0;
    p->models[0] = 0;
    for (size_t i = 0; i < now->model_count; i++) all += now->models[i].seconds;
    for (size_t i = 0; i < now->model_count && now->model_count > 2 && used < sizeof p->models; i++) {
        const firn_model_work *m = &now->models[i];
        used += (size_t)snprintf(p->models + used, sizeof p->models - used, "%s%s %llu steps %.0f %%",
                                 i ? ", " : "", m->model, (unsigned long long)m->steps,
                                 all > 0 ? 100 * m->seconds / all : 0.0);
    }
}

void progress_run(void *context, const firn_progress *now) {
    progress *p = context;
    note_models(p, now);
    if (p->json) {
        if (!p->quiet) json_run(p, now);
        return;
    }
    if (!due(p, now->frame >= now->frames)) return;
    char rest[160];
    snprintf(rest, sizeof rest, ", time %.2f s, %.0f steps/s, %s left%s", now->time, now->steps_per_second,
             time_text(now->eta), now->resumed ? " (resumed)" : "");
    show(p, now->frame, now->frames, rest);
}

void progress_frames(void *context, uint64_t frame, uint64_t frames, double eta) {
    progress *p = context;
    if (p->json && !p->quiet) {
        printf("{\"event\": \"frame\", \"frame\": %llu, \"frames\": %llu, \"eta\": %.6g}\n",
               (unsigned long long)frame, (unsigned long long)frames, finite_or_0(eta));
        if (fflush(stdout) != 0) p->broken = true;
    }
    if (p->json || !due(p, frame >= frames)) return;
    char rest[96];
    double passed = seconds_now() - p->started;
    snprintf(rest, sizeof rest, ", %.1f frames/s, %s left", passed > 0 ? (double)frame / passed : 0.0,
             time_text(eta));
    show(p, frame, frames, rest);
}

bool progress_stop(void *context) {
    progress *p = context;
    return interrupt_asked(NULL) || p->broken;
}

void progress_end(progress *p) {
    if (p->drawn) fputc('\n', stderr);
    p->drawn = false;
}
