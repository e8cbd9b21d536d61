// Values of the picked item over time, as it is drawn: for plots, and as a table.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

static void thin_out(pick_log *l) {
    l->points /= 2;
    for (int p = 0; p < l->points; p++) {
        l->time[p] = l->time[2 * p];
        for (int i = 0; i < PICK_NUMBERS; i++) l->value[i][p] = l->value[i][2 * p];
    }
}

void pick_log_take(pick_log *l, const picked *p) {
    if (p->subject != l->subject) *l = (pick_log){.subject = p->subject};
    if (p->quantities == 0) return;
    if (l->points > 0 && p->time <= l->time[l->points - 1]) { // looked back at, or gone on from there
        bool restarted = p->time < l->time[0];
        if (restarted) l->points = 0;
        if (!restarted) return;
    }
    if (l->points == PICK_POINTS) thin_out(l);
    l->numbers = p->quantities;
    for (int i = 0; i < p->quantities; i++) {
        snprintf(l->name[i], sizeof l->name[i], "%s", p->quantity[i].name);
        snprintf(l->unit[i], sizeof l->unit[i], "%s", p->quantity[i].unit);
        l->value[i][l->points] = (float)p->quantity[i].value;
    }
    l->time[l->points++] = p->time;
}

void pick_log_cut(pick_log *l, double time) {
    while (l->points > 0 && l->time[l->points - 1] > time) l->points--;
}

bool pick_log_write(const pick_log *l, const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fprintf(file, "time (s)");
    for (int i = 0; i < l->numbers; i++)
        fprintf(file, l->unit[i][0] ? ",%s (%s)" : ",%s", l->name[i], l->unit[i]);
    for (int p = 0; p < l->points; p++) {
        fprintf(file, "\n%.9g", l->time[p]);
        for (int i = 0; i < l->numbers; i++) fprintf(file, ",%.7g", (double)l->value[i][p]);
    }
    fputc('\n', file);
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

void panel_picked(view *v) {
    const pick_log *l = &v->log;
    char label[160], path[64];
    if (l->points < 1 || !ui_section(v->gui, "Picked item", true)) return;
    for (int i = 0; i < l->numbers; i++) {
        snprintf(label, sizeof label, "%s: %.4g %s", l->name[i], (double)l->value[i][l->points - 1],
                 l->unit[i]);
        ui_id(i);
        ui_plot(label, l->value[i], l->points, 360, 40);
        ui_id_end();
    }
    if (!ui_button(v->gui, "Save as CSV")) return;
    snprintf(path, sizeof path, "picked-%llu.csv", (unsigned long long)v->picture.step);
    bool good = pick_log_write(l, path);
    view_say(v, good ? "Saved %s" : "cannot write '%s'", path);
}
