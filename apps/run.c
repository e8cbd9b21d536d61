// Commands that simulate: run, hash, demo.
#include "command.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static int run_ended(const progress *p, firn_status status, const char *folder) {
    if (status != FIRN_INTERRUPTED && status != FIRN_OK) return say_status(status);
    if (p->broken && !reader_gone())
        return say_failed("cannot write to standard output; the state is saved in '%s'", folder);
    if (p->json) print_json_event(status == FIRN_OK ? "done" : "interrupted", "folder", folder);
    if (status == FIRN_OK) return EXIT_DONE;
    if (!p->broken) say_note("%s: %s", interrupt_reason(), firn_last_error());
    return EXIT_INTERRUPTED;
}

int run_scene(const char *scene, const char *folder, const arguments *given) {
    progress bar;
    progress_start(&bar, "run", given);
    interrupt_watch();
    firn_run_options options = firn_run_options_default();
    options.scene = scene;
    options.folder = folder;
    options.overrides = given->set;
    options.frames = given->frames;
    options.force = given->force;
    options.progress = progress_run;
    options.stop = progress_stop;
    options.context = &bar;
    firn_status status = firn_run(&options);
    progress_end(&bar);
    if (bar.models[0] && !bar.quiet && !bar.json) say_note("%s", bar.models);
    return run_ended(&bar, status, folder);
}

// A rank that took much longer for its part than the others, which then wait for it.
static void say_slowest(size_t ranks) {
    const double WORTH_SAYING = 1.5, SHORTEST = 0.5; // s
    double all = 0;
    firn_rank_work slowest = {0};
    size_t which = 0;
    for (size_t r = 0; r < ranks; r++) {
        firn_rank_work w = firn_rank_work_of(r);
        all += w.worked;
        if (w.worked > slowest.worked) slowest = w, which = r;
    }
    double others = (all - slowest.worked) / (double)(ranks - 1);
    if (slowest.worked > SHORTEST && slowest.worked > WORTH_SAYING * others)
        say_note("rank %zu on %s is slow: it worked %.3g s, the others %.3g s on average, and waited for it",
                 which, slowest.host, slowest.worked, others);
}

// What the ranks took, where there are several.
static void say_ranks(const arguments *given) {
    uint64_t most = 0, least = UINT64_MAX, bytes = 0, messages = 0;
    size_t ranks = firn_rank_count();
    for (size_t r = 0; r < ranks; r++) {
        firn_rank_work w = firn_rank_work_of(r);
        if (given->json)
            printf("{\"event\": \"rank\", \"rank\": %zu, \"bytes\": %llu, \"messages\": %llu, "
                   "\"collectives\": %llu, \"memory\": %llu, \"waited\": %.6g, \"waited_cpu\": %.6g, "
                   "\"cpu\": %.6g, \"worked\": %.6g, \"modelled\": %.6g}\n",
                   r, (unsigned long long)w.bytes, (unsigned long long)w.messages,
                   (unsigned long long)w.collectives, (unsigned long long)w.memory, w.waited, w.waited_cpu,
                   w.cpu, w.worked, w.modelled);
        if (r > 0 && w.memory > most) most = w.memory;
        if (r > 0 && w.memory < least) least = w.memory;
        bytes += w.bytes, messages += w.messages;
    }
    if (ranks > 1 && !given->json)
        say_note("%zu ranks: at most %.3g MB of memory on the first, %.3g to %.3g MB on the others; %.3g MB "
                 "sent in %llu messages",
                 ranks, (double)firn_rank_work_of(0).memory * 1e-6, (double)least * 1e-6, (double)most * 1e-6,
                 (double)bytes * 1e-6, (unsigned long long)messages);
    if (ranks > 1) say_slowest(ranks);
}

int command_run(const arguments *given) {
    char scene[PATH_MAX];
    if (!given->output)
        return say_usage("'firn run' needs an output folder: firn run %s -o DIR", given->words[0]);
    int code = output_folder_check(given->output);
    if (code == EXIT_DONE) code = scene_find(given->words[0], scene, sizeof scene);
    if (code != EXIT_DONE) return code;
    interrupt_after(given->wall_time);
    code = run_scene(scene, given->output, given);
    if (code == EXIT_DONE && firn_rank_count() > 1) say_ranks(given);
    if (code == EXIT_DONE) say_note("done; 'firn render %s -o movie.mp4' draws it", given->output);
    return code;
}

int command_hash(const arguments *given) {
    char scene[PATH_MAX];
    if (!given->steps_given)
        return say_usage("'firn hash' needs a number of steps: firn hash %s --steps N", given->words[0]);
    int code = scene_find(given->words[0], scene, sizeof scene);
    if (code != EXIT_DONE) return code;
    uint64_t hash;
    interrupt_watch();
    code = say_status(firn_hash(scene, given->set, given->steps, &hash));
    if (code != EXIT_DONE) return code;
    if (given->json && firn_rank_count() > 1) say_ranks(given);
    if (given->json)
        printf("{\"hash\": \"%016llx\", \"steps\": %llu}\n", (unsigned long long)hash,
               (unsigned long long)given->steps);
    else
        printf("%016llx\n", (unsigned long long)hash);
    return EXIT_DONE;
}

// What the demo can show: one act with all models of a winter yard together; an act of each model; the same
// at full size.
enum { ACTS = 6 };
typedef struct show {
    const char *name; // of the movie
    size_t count;
    const char *acts[ACTS]; // shipped scenes
    const char *suffix;     // of the folders of their runs
    firn_overrides set;
    int32_t width, height; // 0: as in the scenes
} show;
static const char *const fine_yard[] = {"field.cell=2cm", "wind.cell=20cm", "wind.grid=[64,32,64]",
                                        "flakes.shown=40000", "mpm.cell=10cm"};
static const show
    demo_show = {"demo", 1, {"yard"}, "", {0}, 0, 0},
    fine_show = {"demo-full", 1,   {"yard"}, "-full", {fine_yard, sizeof fine_yard / sizeof *fine_yard},
                 1920,        1080},
    tour_show = {"tour", ACTS, {"tumble", "snow-hare", "snow-tracks", "snow-storm", "tank", "snowman-melts"},
                 "",     {0},  0,
                 0},
    full_tour_show = {"tour-full",
                      ACTS,
                      {"tumble", "hare-drop", "footprints", "blizzard-house", "mixed", "hot-plate"},
                      "-full",
                      {0},
                      0,
                      0};

// Draws the demo; a build without movies still gives pictures.
static int draw_show(const show *s, const char *folder, const char *const *runs, const arguments *given) {
    char output[PATH_MAX];
    progress bar;
    progress_start(&bar, "render", given);
    snprintf(output, sizeof output, "%s/%s.mp4", folder, s->name);
    firn_render_options options = firn_render_options_default();
    options.folder = runs[0];
    options.more.items = runs + 1;
    options.more.count = s->count - 1;
    options.output = output;
    options.width = given->width ? given->width : s->width;
    options.height = given->height ? given->height : s->height;
    options.progress = progress_frames;
    options.stop = progress_stop;
    options.context = &bar;
    firn_status status = firn_render(&options);
    if (status == FIRN_UNSUPPORTED) {
        say_note("%s; writing numbered pictures instead", firn_last_error());
        snprintf(output, sizeof output, "%s/%s-pictures", folder, s->name);
        status = firn_render(&options);
    }
    progress_end(&bar);
    int code = say_status(status);
    if (code == EXIT_DONE) say_done(output);
    return code;
}

// Ledgers and time series of each act, beside the movie: as a plot and as a table.
static int plot_show(const show *s, const char *const *runs) {
    static const char *const ends[] = {"png", "csv"};
    char file[PATH_MAX];
    for (size_t i = 0; i < s->count; i++)
        for (int k = 0; k < 2; k++) {
            snprintf(file, sizeof file, "%s-ledgers.%s", runs[i], ends[k]);
            int code = say_status(firn_info_plot(runs[i], file));
            if (code != EXIT_DONE) return code;
            say_note("%s: '%s'", k == 0 ? "ledgers and time series" : "the same as a table", file);
        }
    return EXIT_DONE;
}

int command_demo(const arguments *given) {
    char scene[PATH_MAX], run[ACTS][PATH_MAX];
    const char *folder = given->output ? given->output : "firn-demo", *runs[ACTS];
    const show *s = given->full  ? given->all ? &full_tour_show : &fine_show
                    : given->all ? &tour_show
                                 : &demo_show;
    arguments with = *given;
    with.set = s->set;
    int code = output_folder_check(folder);
    for (size_t i = 0; i < s->count && code == EXIT_DONE; i++) {
        if (snprintf(run[i], sizeof run[i], "%s/%s%s", folder, s->acts[i], s->suffix) >=
            (int)sizeof run[i] - 32)
            return say_usage("the path '%s' is too long", folder);
        runs[i] = run[i];
        code = scene_find(s->acts[i], scene, sizeof scene);
        if (s->count > 1) say_note("act %zu of %zu, '%s'", i + 1, s->count, s->acts[i]);
        if (code == EXIT_DONE) code = run_scene(scene, run[i], &with);
    }
    if (code == EXIT_DONE) code = plot_show(s, runs);
    return code == EXIT_DONE ? draw_show(s, folder, runs, given) : code;
}
