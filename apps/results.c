// Commands that read a run: render, info, export.
#include "command.h"

#include <stdio.h>
#include <string.h>

static int result_ended(const progress *p, firn_status status, const char *output, const char *left) {
    if (status == FIRN_OK) say_done(output);
    if (status != FIRN_INTERRUPTED) return say_status(status);
    if (p->broken && !reader_gone())
        return say_failed("cannot write to standard output; '%s' %s", output, left);
    if (p->json) print_json_event("interrupted", "output", output);
    if (!p->broken) say_note("interrupted; '%s' %s", output, left);
    return EXIT_INTERRUPTED;
}

// Which of the words was given; none is the first.
static int word_of(const char *what, const char *word, const char *const words[2], int *out) {
    *out = word && strcmp(word, words[1]) == 0;
    if (!word || strcmp(word, words[*out]) == 0) return EXIT_DONE;
    const char *hint = did_you_mean(word, words, 2);
    if (*hint) return say_usage("unknown %s '%s'%s", what, word, hint);
    return say_usage("unknown %s '%s': %s or %s", what, word, words[0], words[1]);
}

// Which frames, and who watches: members of the same names in the options of render and export.
#define WATCH_FRAMES(options, range, bar)                                                                    \
    ((options).first = (range).first, (options).count = (range).count, (options).stride = (range).stride,    \
     (options).progress = progress_frames, (options).stop = progress_stop, (options).context = (bar))

int command_render(const arguments *given) {
    if (!given->output)
        return say_usage("'firn render' needs an output: firn render %s -o FILE.mp4", given->words[0]);
    static const char *const qualities[] = {[FIRN_QUALITY_DRAFT] = "draft", [FIRN_QUALITY_FINAL] = "final"};
    static const char *const pictures[] = {[FIRN_PICTURES_PNG] = "png", [FIRN_PICTURES_EXR] = "exr"};
    int quality, picture;
    int code = word_of("quality", given->quality, qualities, &quality);
    if (code == EXIT_DONE) code = word_of("picture format", given->pictures, pictures, &picture);
    if (code != EXIT_DONE) return code;
    progress bar;
    progress_start(&bar, "render", given);
    interrupt_watch();
    firn_render_options options = firn_render_options_default();
    options.folder = given->words[0];
    options.output = given->output;
    options.width = given->width;
    options.height = given->height;
    options.quality = (firn_quality)quality;
    options.compare = given->compare;
    options.pictures = (firn_pictures)picture;
    options.camera = given->camera;
    options.overrides = given->set;
    WATCH_FRAMES(options, given->range, &bar);
    firn_status status = firn_render(&options);
    progress_end(&bar);
    return result_ended(&bar, status, given->output, "was not finished");
}

int command_info(const arguments *given) {
    char *text = NULL;
    interrupt_watch();
    if (given->plot) {
        int plotted = say_status(firn_info_plot(given->words[0], given->plot));
        if (plotted == EXIT_DONE) say_done(given->plot);
        return plotted;
    }
    int code = say_status(firn_info(given->words[0], given->json, &text));
    if (code != EXIT_DONE) return code;
    size_t length = strlen(text);
    print_clean(stdout, text);
    if (!length || text[length - 1] != '\n') putchar('\n');
    firn_text_free(text);
    return EXIT_DONE;
}

int command_export(const arguments *given) {
    static const char *const formats[] = {"ply", "obj", "xdmf", "png16", "flt", "asc"};
    enum { FORMATS = sizeof formats / sizeof *formats };
    if (!given->format) return say_usage("'firn export' needs --format ply, obj, xdmf, png16, flt or asc");
    if (!given->output) return say_usage("'firn export' needs an output folder: -o DIR");
    bool known = false;
    for (size_t i = 0; i < FORMATS; i++) known = known || strcmp(formats[i], given->format) == 0;
    if (!known) {
        const char *hint = did_you_mean(given->format, formats, FORMATS);
        return say_usage("unknown format '%s'%s", given->format,
                         *hint ? hint : ": one of ply, obj, xdmf, png16, flt, asc");
    }
    int code = output_folder_check(given->output);
    if (code != EXIT_DONE) return code;
    progress bar;
    progress_start(&bar, "export", given);
    interrupt_watch();
    firn_export_options options = firn_export_options_default();
    options.folder = given->words[0];
    options.output = given->output;
    options.format = given->format;
    options.what = given->what;
    WATCH_FRAMES(options, given->range, &bar);
    firn_status status = firn_export(&options);
    progress_end(&bar);
    return result_ended(&bar, status, given->output, "holds the frames written so far");
}
