// Commands that read a run: render, info, export.
#include "command.h"

#include <stdio.h>
#include <string.h>

int command_render(const arguments *given) {
    if (!given->output)
        return say_usage("'firn render' needs a place for its pictures: firn render %s -o FILE.mp4",
                         given->words[0]);
    progress bar;
    progress_start(&bar, "render", false);
    interrupt_watch();
    firn_render_options options = {.folder = given->words[0],
                                   .output = given->output,
                                   .width = given->width,
                                   .height = given->height,
                                   .camera = given->camera,
                                   .overrides = given->set,
                                   .first = given->range.first,
                                   .count = given->range.count,
                                   .stride = given->range.stride,
                                   .progress = progress_frames,
                                   .stop = progress_stop,
                                   .context = &bar};
    firn_status status = firn_render(&options);
    progress_end(&bar);
    if (status == FIRN_INTERRUPTED)
        fprintf(stderr, "firn: interrupted; '%s' was not finished\n", given->output);
    if (status == FIRN_OK) printf("%s\n", given->output);
    return say_status(status);
}

int command_info(const arguments *given) {
    char *text = NULL;
    int code = say_status(firn_info(given->words[0], given->json, &text));
    if (code != EXIT_DONE) return code;
    size_t length = strlen(text);
    printf("%s%s", text, length && text[length - 1] == '\n' ? "" : "\n");
    firn_text_free(text);
    if (!given->plot) return EXIT_DONE;
    code = say_status(firn_info_plot(given->words[0], given->plot));
    if (code == EXIT_DONE) fprintf(stderr, "firn: wrote %s\n", given->plot);
    return code;
}

int command_export(const arguments *given) {
    static const char *const formats[] = {"ply", "obj", "xdmf", "png16", "flt", "asc"};
    enum { FORMATS = sizeof formats / sizeof *formats };
    if (!given->format) return say_usage("'firn export' needs --format ply, obj, xdmf, png16, flt or asc");
    if (!given->output) return say_usage("'firn export' needs a folder for its files: -o DIR");
    bool known = false;
    for (size_t i = 0; i < FORMATS; i++) known = known || strcmp(formats[i], given->format) == 0;
    if (!known) {
        const char *hint = did_you_mean(given->format, formats, FORMATS);
        return say_usage("unknown format '%s'%s", given->format,
                         *hint ? hint : ": one of ply, obj, xdmf, png16, flt, asc");
    }
    progress bar;
    progress_start(&bar, "export", false);
    interrupt_watch();
    firn_export_options options = {.folder = given->words[0],
                                   .output = given->output,
                                   .format = given->format,
                                   .what = given->what,
                                   .first = given->range.first,
                                   .count = given->range.count,
                                   .stride = given->range.stride,
                                   .progress = progress_frames,
                                   .stop = progress_stop,
                                   .context = &bar};
    firn_status status = firn_export(&options);
    progress_end(&bar);
    if (status == FIRN_INTERRUPTED)
        fprintf(stderr, "firn: interrupted; '%s' holds the frames written so far\n", given->output);
    if (status == FIRN_OK) printf("%s\n", given->output);
    return say_status(status);
}
