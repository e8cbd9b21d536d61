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

static void json_run(progress *p, const firn_progress *now) {
    double eta = finite_or_0(now->eta), rate = finite_or_0(now->steps_per_second);
    printf("{\"event\": \"frame\", \"frame\": %llu, \"frames\": %llu, \"time\": %.9g, \"steps\": %llu, "
           "\"steps_per_second\": %.6g, "
           "\"eta\": %.6g, \"resumed\": %s, \"memory\": %llu}\n",
           (unsigned long long)now->frame, (unsigned long long)now->frames, now->time,
           (unsigned long long)now->steps, rate, eta, now->resumed ? "true" : "false",
           (unsigned long long)now->memory);
    if (fflush(stdout) != 0) p->broken = true;
}

void progress_run(void *context, const firn_progress *now) {
    progress *p = context;
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
