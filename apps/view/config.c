// What the viewer remembers, under XDG_CONFIG_HOME/firn (or ~/.config/firn).
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "view.h"

static bool find_folder(char *out, size_t size) {
    const char *given = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length;
    if (given && given[0] == '/')
        length = snprintf(out, size, "%s", given);
    else if (home && home[0] == '/')
        length = snprintf(out, size, "%s/.config", home);
    else
        return false;
    if (length < 0 || (size_t)length + 8 > size) return false;
    mkdir(out, 0700);
    strcat(out, "/firn");
    return mkdir(out, 0700) == 0 || errno == EEXIST;
}

static void read_line(view_config *c, char *line) {
    line[strcspn(line, "\n")] = 0;
    char *value = strchr(line, ' ');
    if (!value) return;
    *value++ = 0;
    if (strcmp(line, "scene") == 0) snprintf(c->scene, sizeof c->scene, "%s", value);
    if (strcmp(line, "light") == 0) c->light = strcmp(value, "yes") == 0;
    if (strcmp(line, "parameters") == 0) c->parameters = strcmp(value, "yes") == 0;
    if (strcmp(line, "plots") == 0) c->plots = strcmp(value, "yes") == 0;
    if (strcmp(line, "scale") == 0) {
        double scale = strtod(value, NULL);
        if (scale >= 0.5 && scale <= 4) c->scale = scale;
    }
}

void config_read(view_config *c) {
    char folder[PATH_MAX - 32], line[PATH_MAX + 32];
    *c = (view_config){.scale = 1, .parameters = true};
    if (!find_folder(folder, sizeof folder)) return;
    snprintf(c->layout, sizeof c->layout, "%s/view-layout.ini", folder);
    snprintf(c->file, sizeof c->file, "%s/view.conf", folder);
    FILE *file = fopen(c->file, "r");
    while (file && fgets(line, sizeof line, file)) read_line(c, line);
    if (file) fclose(file);
}

// Not worth a message if it cannot be written: nothing but comfort is lost.
void config_write(const view_config *c) {
    FILE *file = c->file[0] ? fopen(c->file, "w") : NULL;
    if (!file) return;
    if (c->scene[0]) fprintf(file, "scene %s\n", c->scene);
    fprintf(file, "scale %.2f\nlight %s\nparameters %s\nplots %s\n", c->scale, c->light ? "yes" : "no",
            c->parameters ? "yes" : "no", c->plots ? "yes" : "no");
    fclose(file);
}
