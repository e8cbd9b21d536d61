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

// Draws the demo; a build without movies still gives pictures.
static int draw_demo(const char *folder, const char *run, const arguments *given) {
    char output[PATH_MAX];
    progress bar;
    progress_start(&bar, "render", false);
    snprintf(output, sizeof output, "%s/tumble.mp4", folder);
    firn_render_options options = {.folder = run,
                                   .output = output,
                                   .width = given->width,
                                   .height = given->height,
                                   .progress = progress_frames,
                                   .stop = progress_stop,
                                   .context = &bar};
    firn_status status = firn_render(&options);
    if (status == FIRN_UNSUPPORTED) {
        fprintf(stderr, "firn: %s; writing numbered pictures instead\n", firn_last_error());
        snprintf(output, sizeof output, "%s/tumble-pictures", folder);
        status = firn_render(&options);
    }
    progress_end(&bar);
    int code = say_status(status);
    if (code == EXIT_DONE) printf("%s\n", output);
    return code;
}

int command_demo(const arguments *given) {
    char scene[PATH_MAX], run[PATH_MAX];
    const char *folder = given->output ? given->output : "firn-demo";
    if (snprintf(run, sizeof run, "%s/tumble", folder) >= (int)sizeof run - 32)
        return say_usage("the path '%s' is too long", folder);
    int code = scene_find("tumble", scene, sizeof scene);
    if (code == EXIT_DONE) code = simulate(scene, run, given);
    return code == EXIT_DONE ? draw_demo(folder, run, given) : code;
}
