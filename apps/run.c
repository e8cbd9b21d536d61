// Commands that simulate: run, hash, demo.
#include "command.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void say_end(const progress *p, const char *event, const char *folder, const char *message) {
    if (!p->json) return;
    printf("{\"event\": \"%s\", \"folder\": ", event);
    print_json_text(folder);
    if (message) {
        printf(", \"message\": ");
        print_json_text(message);
    }
    printf("}\n");
}

static int run_ended(const progress *p, firn_status status, const char *folder) {
    if (status == FIRN_OK) {
        say_end(p, "done", folder, NULL);
        return EXIT_DONE;
    }
    if (status == FIRN_INTERRUPTED) {
        if (p->broken)
            return say_failed("cannot write to standard output; the state is saved in '%s'", folder);
        say_end(p, "interrupted", folder, NULL);
        fprintf(stderr,
                "firn: interrupted; the state is saved in '%s', the same command goes on from there\n",
                folder);
        return EXIT_INTERRUPTED;
    }
    say_end(p, "failed", folder, firn_last_error());
    return say_status(status);
}

static int simulate(const char *scene, const char *folder, const arguments *given) {
    progress bar;
    progress_start(&bar, "run", given->json);
    interrupt_watch();
    firn_run_options options = {.scene = scene,
                                .folder = folder,
                                .overrides = given->set,
                                .frames = given->frames,
                                .force = given->force,
                                .progress = progress_run,
                                .stop = progress_stop,
                                .context = &bar};
    firn_status status = firn_run(&options);
    progress_end(&bar);
    return run_ended(&bar, status, folder);
}

int command_run(const arguments *given) {
    char scene[PATH_MAX];
    if (!given->output)
        return say_usage("'firn run' needs a folder for its frames: firn run %s -o DIR", given->words[0]);
    int code = scene_find(given->words[0], scene, sizeof scene);
    if (code != EXIT_DONE) return code;
    code = simulate(scene, given->output, given);
    if (code == EXIT_DONE && !given->json)
        fprintf(stderr, "firn: done; 'firn render %s -o movie.mp4' draws it\n", given->output);
    return code;
}

int command_hash(const arguments *given) {
    char scene[PATH_MAX];
    int code = scene_find(given->words[0], scene, sizeof scene);
    if (code != EXIT_DONE) return code;
    uint64_t hash;
    code = say_status(firn_hash(scene, given->set, given->steps, &hash));
    if (code == EXIT_DONE) printf("%016llx\n", (unsigned long long)hash);
    return code;
}

// The acts of the demo: shipped scenes, in the order of the movie.
static const char *const acts[] = {"tumble",     "snow-hare", "snow-tracks",
                                   "snow-storm", "tank",      "snowman-melts"};
enum { ACTS = sizeof acts / sizeof *acts };

// Draws the demo; a build without movies still gives pictures.
static int draw_demo(const char *folder, const char *const runs[ACTS], const arguments *given) {
    char output[PATH_MAX];
    progress bar;
    progress_start(&bar, "render", false);
    snprintf(output, sizeof output, "%s/demo.mp4", folder);
    firn_render_options options = {.folder = runs[0],
                                   .more = {runs + 1, ACTS - 1},
                                   .output = output,
                                   .width = given->width,
                                   .height = given->height,
                                   .progress = progress_frames,
                                   .stop = progress_stop,
                                   .context = &bar};
    firn_status status = firn_render(&options);
    if (status == FIRN_UNSUPPORTED) {
        fprintf(stderr, "firn: %s; writing numbered pictures instead\n", firn_last_error());
        snprintf(output, sizeof output, "%s/demo-pictures", folder);
        status = firn_render(&options);
    }
    progress_end(&bar);
    int code = say_status(status);
    if (code == EXIT_DONE) printf("%s\n", output);
    return code;
}

int command_demo(const arguments *given) {
    char scene[PATH_MAX], run[ACTS][PATH_MAX];
    const char *folder = given->output ? given->output : "firn-demo", *runs[ACTS];
    for (size_t i = 0; i < ACTS; i++) {
        if (snprintf(run[i], sizeof run[i], "%s/%s", folder, acts[i]) >= (int)sizeof run[i] - 32)
            return say_usage("the path '%s' is too long", folder);
        runs[i] = run[i];
        int code = scene_find(acts[i], scene, sizeof scene);
        fprintf(stderr, "firn: act %zu of %d, '%s'\n", i + 1, ACTS, acts[i]);
        if (code == EXIT_DONE) code = simulate(scene, run[i], given);
        if (code != EXIT_DONE) return code;
    }
    return draw_demo(folder, runs, given);
}
