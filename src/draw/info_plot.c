// `firn info --plot`: the ledgers of a run over time.
#include <firn/run.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cache/cache.h"
#include "draw/plot.h"

enum quantity {
    ITEMS,
    MASS,
    MASS_IN,
    MASS_OUT,
    MOMENTUM,
    KINETIC,
    POTENTIAL,
    ENERGY,
    SPEED,
    LOST,
    INSIDE,
    RESIDUAL_BEFORE,
    RESIDUAL,
    QUANTITIES
};
enum { ROWS = 7 };

typedef struct ledger_table {
    double *time;
    double *value[CACHE_LEDGERS][QUANTITIES];
    char model[CACHE_LEDGERS][CACHE_MODEL_NAME];
    size_t frames, models;
    void *memory;
} ledger_table;

static void table_row(ledger_table *t, size_t frame, const cache_summary *s) {
    t->time[frame] = s->clock.time;
    for (size_t m = 0; m < t->models; m++) {
        const firn_ledger *l = NULL;
        for (size_t i = 0; i < s->ledgers; i++)
            if (strcmp(s->model[i], t->model[m]) == 0) l = &s->ledger[i];
        if (!l) continue; // stays a gap
        const firn_vec3 p = l->momentum;
        const double row[QUANTITIES] = {(double)l->items,
                                        l->mass,
                                        l->mass_in,
                                        l->mass_out,
                                        sqrt(p.x * p.x + p.y * p.y + p.z * p.z),
                                        l->kinetic,
                                        l->potential,
                                        l->kinetic + l->potential,
                                        l->max_speed,
                                        l->mass_lost,
                                        (double)l->inside,
                                        l->residual_before,
                                        l->residual};
        for (int q = 0; q < QUANTITIES; q++) t->value[m][q][frame] = row[q];
    }
}

static firn_status table_read(const run_folder *run, ledger_table *t) {
    cache_summary summary;
    char path[PATH_ROOM];
    for (size_t i = 0; i < run->frames; i++) {
        run_frame_path(run, run->frame[i], path, sizeof path);
        TRY(cache_read_summary(path, &summary));
        if (i == 0) {
            t->frames = run->frames;
            t->models = summary.ledgers;
            memcpy(t->model, summary.model, sizeof t->model);
            size_t values = t->frames * (1 + t->models * QUANTITIES);
            double *at = t->memory = mem_alloc(values * sizeof *at);
            if (!at) return fail_memory("plotting", values * sizeof *at);
            for (size_t k = 0; k < values; k++) at[k] = NAN;
            t->time = at;
            for (size_t m = 0; m < t->models; m++)
                for (size_t q = 0; q < QUANTITIES; q++)
                    t->value[m][q] = at + t->frames * (1 + m * QUANTITIES + q);
        }
        table_row(t, i, &summary);
    }
    return FIRN_OK;
}

static void model_panels(const ledger_table *t, size_t m, size_t columns, plot_panel *panel) {
    double *const *v = t->value[m];
    panel[0 * columns + m] = (plot_panel){"items", "", {{NULL, v[ITEMS], 0}}, 1, true};
    panel[1 * columns + m] = (plot_panel){
        "mass",
        "kg",
        {{"in", v[MASS_IN], 2}, {"out", v[MASS_OUT], 1}, {"lost", v[LOST], 3}, {"present", v[MASS], 0}},
        4,
        true};
    panel[2 * columns + m] = (plot_panel){"momentum", "kg m/s", {{NULL, v[MOMENTUM], 0}}, 1, true};
    panel[3 * columns + m] =
        (plot_panel){"energy",
                     "J",
                     {{"kinetic", v[KINETIC], 1}, {"potential", v[POTENTIAL], 2}, {"sum", v[ENERGY], 0}},
                     3,
                     true};
    panel[4 * columns + m] = (plot_panel){"largest speed", "m/s", {{NULL, v[SPEED], 0}}, 1, true};
    panel[5 * columns + m] = (plot_panel){"items inside bodies", "", {{NULL, v[INSIDE], 0}}, 1, true};
    panel[6 * columns + m] = (plot_panel){
        "errors of constraints", "", {{"before", v[RESIDUAL_BEFORE], 1}, {"after", v[RESIDUAL], 0}}, 2, true};
}

static firn_status table_plot(const ledger_table *t, const char *title, const char *file) {
    if (t->models == 0) return fail(FIRN_BAD_INPUT, "the frames of this run hold no ledgers");
    plot_panel panel[ROWS * CACHE_LEDGERS];
    const char *column[CACHE_LEDGERS];
    for (size_t m = 0; m < t->models; m++) {
        column[m] = t->model[m];
        model_panels(t, m, t->models, panel);
    }
    plot_sheet sheet = {
        title && title[0] ? title : "run", t->time, t->frames, column, panel, (int)t->models, ROWS};
    figure f = {0};
    firn_status status = plot_draw(&sheet, &f);
    if (status == FIRN_OK)
        status = text_ends(file, ".svg") ? figure_write_svg(&f, file) : figure_write_png(&f, file);
    figure_free(&f);
    return status;
}

FIRN_API firn_status firn_info_plot(const char *folder, const char *file) {
    if (!folder || !file) return fail(FIRN_BAD_INPUT, "firn_info_plot: a folder and a file are needed");
    if (!text_ends(file, ".png") && !text_ends(file, ".svg"))
        return fail(FIRN_BAD_INPUT, "a plot is written to a .png or .svg file, not '%s'", file);
    run_folder run;
    TRY(run_folder_open(folder, (firn_overrides){0}, &run));
    ledger_table table = {0};
    firn_status status = run.frames ? table_read(&run, &table)
                                    : fail(FIRN_BAD_INPUT, "the run in '%s' has no frames yet", folder);
    if (status == FIRN_OK) status = table_plot(&table, run.scene->def.world.name, file);
    mem_free(table.memory);
    run_folder_close(&run);
    return status;
}
