// Commands about the scene language: explain, list, new, reference.
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Prints a text of the library and frees it.
static int print_text(firn_status status, char *text) {
    int code = EXIT_DONE;
    if (status == FIRN_BAD_INPUT && text && *text) // an unknown name comes back with the nearest known ones
        code = say_usage("%.*s", (int)strcspn(text, "\n"), text);
    else if (status != FIRN_OK)
        code = say_status(status);
    else
        fputs(text, stdout);
    firn_text_free(text);
    return code;
}

int command_explain(const arguments *given) {
    char *text = NULL;
    firn_status status = firn_explain(given->word_count ? given->words[0] : NULL, given->json, &text);
    return print_text(status, text);
}

int command_list(const arguments *given) {
    const char *filter = given->word_count ? given->words[0] : NULL;
    char *text = NULL;
    firn_status status = firn_list(filter, given->json, &text);
    int code = print_text(status, text);
    return code == EXIT_DONE && (!filter || strcmp(filter, "scenes") == 0) ? scenes_print(given) : code;
}

int command_reference(const arguments *given) {
    char *text = NULL;
    const char *page = given->word_count ? given->words[0] : NULL;
    if (page && strcmp(page, "couplings") != 0)
        return say_usage("there is no reference of '%.80s'; there is: couplings", page);
    int code = say_status(page ? firn_coupling_reference(&text) : firn_scene_reference(&text));
    if (code == EXIT_DONE && given->json)
        print_json_event(given->command, "text", text);
    else if (code == EXIT_DONE)
        fputs(text, stdout);
    firn_text_free(text);
    return code;
}

static int write_all(int file, const char *text) {
    for (size_t left = strlen(text); left > 0;) {
        ssize_t written = write(file, text, left);
        if (written < 0) return -1;
        text += written;
        left -= (size_t)written;
    }
    return 0;
}

// Never over an existing file; nothing is left behind when writing fails.
static int write_new_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST)
        return say_usage("'%s' already exists and was not changed; choose another name", path);
    if (file < 0) return say_failed("cannot write '%s': %s", path, strerror(errno));
    int written = write_all(file, text);
    int why = errno;
    int closed = close(file);
    if (written == 0 && closed == 0) return EXIT_DONE;
    if (written == 0) why = errno;
    unlink(path);
    return say_failed("cannot write '%s': %s", path, strerror(why));
}

int command_new(const arguments *given) {
    char path[PATH_MAX], name[256];
    const char *word = given->words[0];
    const char *slash = strrchr(word, '/');
    const char *base = slash ? slash + 1 : word;
    size_t length = strlen(base);
    if (length > 5 && strcmp(base + length - 5, ".yaml") == 0) length -= 5;
    if (length == 0 || length >= sizeof name || strlen(word) + 6 > sizeof path)
        return say_usage("'%s' is not a valid name of a scene", word);
    snprintf(name, sizeof name, "%.*s", (int)length, base);
    snprintf(path, sizeof path, "%.*s%s.yaml", (int)(base - word), word, name);
    char *text = NULL;
    int code = say_status(firn_scene_template(name, &text));
    if (code == EXIT_DONE) code = write_new_file(path, text);
    firn_text_free(text);
    if (code == EXIT_DONE && (given->json || given->quiet))
        say_done(path);
    else if (code == EXIT_DONE)
        printf("wrote %s; edit it, then:\n  firn check %s\n  firn run %s -o out/%s\n  firn render out/%s -o "
               "%s.mp4\n",
               path, path, path, name, name, name);
    return code;
}
