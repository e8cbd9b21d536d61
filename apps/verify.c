// firn verify: reads every byte of a run.
#include "command.h"

#include <stdio.h>
#include <string.h>

typedef struct verify_output {
    const arguments *given;
    bool scene_damaged;
} verify_output;

static void print_file(void *context, const firn_file_report *file) {
    static const char *const states[] = {"whole", "damaged", "missing", "foreign"};
    verify_output *out = context;
    bool bad = file->state == FIRN_FILE_DAMAGED || file->state == FIRN_FILE_MISSING;
    if (bad && strcmp(file->name, "scene.yaml") == 0) out->scene_damaged = true;
    if (out->given->quiet) return;
    if (out->given->json) {
        printf("{\"event\": \"file\", \"file\": ");
        print_json_text(file->name);
        printf(", \"state\": \"%s\", \"bytes\": %llu", states[file->state], (unsigned long long)file->bytes);
        if (file->why) {
            printf(", \"why\": ");
            print_json_text(file->why);
        }
        printf("}\n");
    } else if (file->why) {
        print_clean(stdout, file->why);
        putchar('\n');
    }
}

static void print_result(const char *folder, const firn_verify_result *r, bool json) {
    if (json) {
        printf("{\"event\": \"done\", \"folder\": ");
        print_json_text(folder);
        printf(", \"files\": %llu, \"bytes\": %llu, \"frames\": %llu, \"frames_asked\": %llu, \"damaged\": "
               "%llu, "
               "\"missing\": %llu, \"foreign\": %llu, \"writing\": %s}\n",
               (unsigned long long)r->files, (unsigned long long)r->bytes, (unsigned long long)r->frames,
               (unsigned long long)r->frames_asked, (unsigned long long)r->damaged,
               (unsigned long long)r->missing, (unsigned long long)r->foreign, r->writing ? "true" : "false");
        return;
    }
    printf("%llu files (%.3f MB) read, %llu damaged, %llu missing; %llu of %llu frames are intact%s\n",
           (unsigned long long)r->files, (double)r->bytes * 1e-6, (unsigned long long)r->damaged,
           (unsigned long long)r->missing, (unsigned long long)r->frames, (unsigned long long)r->frames_asked,
           r->writing ? "; a run is still writing" : "");
}

// The scene beside the run does it, unless it is damaged itself.
static void say_how_to_repair(const char *folder, const firn_verify_result *r, bool scene_damaged) {
    if (scene_damaged || r->frames_asked == 0)
        say_note("to repair '%s', repeat the 'firn run' command that made it", folder);
    else
        say_note("to repair it: firn run %s/scene.yaml -o %s --frames %llu", folder, folder,
                 (unsigned long long)r->frames_asked - 1);
}

int command_verify(const arguments *given) {
    const char *folder = given->words[0];
    verify_output out = {.given = given};
    firn_verify_result result;
    interrupt_watch();
    firn_verify_options options = firn_verify_options_default();
    options.folder = folder;
    options.file = print_file;
    options.stop = interrupt_asked;
    options.context = &out;
    firn_status status = firn_verify(&options, &result);
    if (status == FIRN_INTERRUPTED) say_note("interrupted; '%s' was not read completely", folder);
    if (status != FIRN_OK) return say_status(status);
    if (!given->quiet) print_result(folder, &result, given->json);
    if (result.damaged + result.missing == 0) return EXIT_DONE;
    say_how_to_repair(folder, &result, out.scene_damaged);
    return EXIT_FAILED;
}
