// `firn view`: what is to be shown; the window itself is in apps/view.
#include "command.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#ifdef FIRN_HAVE_VIEW
#include "apps/view/proper.h"
#include "apps/view/touch.h"
#include "apps/view/view.h"

// A file that is there and is not a recording is not to be replaced by one.
static bool may_record(const char *path) {
    char line[32] = "";
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return true;
    FILE *file = fopen(path, "r");
    bool good = file && fgets(line, sizeof line, file) && strcmp(line, "firn touches 1\n") == 0;
    if (file) fclose(file);
    return good;
}

int command_view(const arguments *given) {
    char path[PATH_MAX] = "";
    const char *word = given->word_count ? given->words[0] : NULL;
    struct stat status;
    if (given->draw) { // a signal ends it as it is
        if (word || given->script || given->replay) return say_usage("--draw takes nothing else");
        return proper_draw(given->draw);
    }
    interrupt_watch();
    if (given->replay) {
        if (word || given->script)
            return say_usage("--replay takes no scene and no script: the recording names its own");
        return touches_replay(given);
    }
    if (given->output) return say_usage("-o belongs to --replay: a recording becomes a run");
    bool run = word && stat(word, &status) == 0 && S_ISDIR(status.st_mode);
    if (run) snprintf(path, sizeof path, "%s", word);
    if (run && (given->set.count || given->record))
        return say_usage("--set and --record are for scenes; '%s' is a run", word);
    if (given->record && !may_record(given->record))
        return say_usage("'%s' is there already and is not a recording: give --record another name",
                         given->record);
    if (word && !run) {
        int code = scene_find(word, path, sizeof path);
        if (code != EXIT_DONE) return code;
    }
    return view_main(&(view_options){.path = word ? path : NULL,
                                     .run = run,
                                     .script = given->script,
                                     .record = given->record,
                                     .measure = given->measure,
                                     .json = given->json,
                                     .width = given->width,
                                     .height = given->height,
                                     .set = given->set});
}
#else
int command_view(const arguments *given) {
    (void)given;
    return say_failed(
        "this build of firn has no viewer: it needs GLFW, Dear ImGui and a C++ compiler (on Debian: "
        "libglfw3-dev, libimgui-dev, g++); 'firn run' and 'firn render' work without");
}
#endif
