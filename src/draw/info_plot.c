// `firn info --plot`: the ledgers of a run over time.
#include <firn/run.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cache/cache.h"
#include "cache/times.h"
#include "draw/plot.h"

// Every panel of a model is a row of these, or one of the panels that the model names itself.
typedef struct ledger_row {
    const char *panel, *unit, *name;
    int hue;
    double (*value)(const firn_ledger *l);
} ledger_row;

static double items_of(const firn_ledger *l) { return (double)l->items; }
static double mass_in(const firn_ledger *l) { return l->mass_in; }
static double mass_out(const firn_ledger *l) { return l->mass_out; }
static double mass_lost(const firn_ledger *l) { return l->mass_lost; }
static double mass_of(const firn_ledger *l) { return l->mass; }
static double momentum_of(const firn_ledger *l) {
    const firn_vec3 p = l->momentum;
    return sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
}
static double kinetic_of(const firn_ledger *l) { return l->kinetic; }
static double potential_of(const firn_ledger *l) { return l->potential; }
static double energy_of(const firn_ledger *l) { return l->kinetic + l->potential; }
static double speed_of(const firn_ledger *l) { return l->max_speed; }
static double inside_of(const firn_ledger *l) { return (double)l->inside; }
static double before_of(const firn_ledger *l) { return l->residual_before; }
static double after_of(const firn_ledger *l) { return l->residual; }

static const ledger_row ledger_rows[] = {
    {"items", "", "", 0, items_of},
    {"mass", "kg", "in", 2, mass_in},
    {"mass", "kg", "out", 1, mass_out},
    {"mass", "kg", "lost", 3, mass_lost},
    {"mass", "kg", "present", 0, mass_of},
    {"momentum", "kg m/s", "", 0, momentum_of},
    {"energy", "J", "kinetic", 1, kinetic_of},
    {"energy", "J", "potential", 2, potential_of},
    {"energy", "J", "sum", 0, energy_of},
    {"largest speed", "m/s", "", 0, speed_of},
    {"items inside bodies", "", "", 0, inside_of},
    {"errors of constraints", "", "before", 1, before_of},
    {"errors of constraints", "", "after", 0, after_of},
};
enum {
    LEDGER_ROWS = sizeof ledger_rows / sizeof *ledger_rows,
    SERIES = LEDGER_ROWS + FIRN_SERIES, // of a model
    PANELS = SERIES + 1,
    ROWS = 7, // of the sheet
    COLUMNS = CACHE_LEDGERS * ((PANELS + ROWS - 1) / ROWS),
};

typedef struct ledger_series {
    char panel[24], name[20], unit[8];
    int hue;
    double *y; // by frame; NAN: a gap
} ledger_series;

typedef struct ledger_table {
    double *time, *each; // each: s that a step took
    ledger_series series[CACHE_LEDGERS][SERIES];
    size_t count[CACHE_LEDGERS];
    char model[CACHE_LEDGERS][CACHE_MODEL_NAME];
    size_t frames, models;
    double *memory;
} ledger_table;

static void add_series(ledger_table *t, size_t m, const char *panel, const char *name, const char *unit) {
    ledger_series *s = &t->series[m][t->count[m]++];
    snprintf(s->panel, sizeof s->panel, "%s", panel);
    snprintf(s->name, sizeof s->name, "%s", name);
    snprintf(s->unit, sizeof s->unit, "%s", unit);
    for (size_t i = 0; i + 1 < t->count[m]; i++) s->hue += strcmp(t->series[m][i].panel, panel) == 0;
}

// What there is to plot is what the first frame has.
static firn_status table_open(ledger_table *t, const cache_summary *first, size_t frames) {
    size_t curves = 2;
    t->frames = frames;
    t->models = first->ledgers;
    memcpy(t->model, first->model, sizeof t->model);
    for (size_t m = 0; m < t->models; m++) {
        const firn_ledger *l = &first->ledger[m];
        for (size_t i = 0; i < LEDGER_ROWS; i++) {
            const ledger_row *row = &ledger_rows[i];
            add_series(t, m, row->panel, row->name, row->unit);
            t->series[m][i].hue = row->hue;
        }
        for (size_t i = 0; i < l->series_count; i++)
            add_series(t, m, l->series[i].panel, l->series[i].name, l->series[i].unit);
        curves += t->count[m];
    }
    double *at = t->memory = mem_alloc(curves * frames * sizeof *at);
    if (!at) return fail_memory("plotting", curves * frames * sizeof *at);
    for (size_t k = 0; k < curves * frames; k++) at[k] = NAN;
    t->time = at;
    t->each = at += frames;
    for (size_t m = 0; m < t->models; m++)
        for (size_t i = 0; i < t->count[m]; i++) t->series[m][i].y = at += frames;
    return FIRN_OK;
}

static double series_value(const firn_ledger *l, const ledger_series *s) {
    for (size_t i = 0; i < l->series_count; i++)
        if (strcmp(l->series[i].panel, s->panel) == 0 && strcmp(l->series[i].name, s->name) == 0)
            return l->series[i].value;
    return NAN;
}

static void table_row(ledger_table *t, size_t frame, const cache_summary *s) {
    t->time[frame] = s->clock.time;
    for (size_t m = 0; m < t->models; m++) {
        const firn_ledger *l = NULL;
        for (size_t i = 0; i < s->ledgers; i++)
            if (strcmp(s->model[i], t->model[m]) == 0) l = &s->ledger[i];
        if (!l) continue; // stays a gap
        for (size_t i = 0; i < t->count[m]; i++)
            t->series[m][i].y[frame] =
                i < LEDGER_ROWS ? ledger_rows[i].value(l) : series_value(l, &t->series[m][i]);
    }
}

static firn_status table_times(const run_folder *run, ledger_table *t) {
    run_times times;
    TRY(times_read(&run->folder, &times, NULL));
    for (size_t i = 0, k = 0; i < run->frames; i++) {
        while (k < times.count && times.items[k].frame < run->frame[i]) k++;
        if (k < times.count && times.items[k].frame == run->frame[i] && times.items[k].steps > 0)
            t->each[i] = times.items[k].seconds / (double)times.items[k].steps;
    }
    times_free(&times);
    return FIRN_OK;
}

static firn_status table_read(const run_folder *run, ledger_table *t) {
    cache_summary summary;
    char path[PATH_ROOM];
    for (size_t i = 0; i < run->frames; i++) {
        run_frame_path(run, run->frame[i], path, sizeof path);
        TRY(cache_read_summary(path, &summary));
        if (i == 0) TRY(table_open(t, &summary, run->frames));
        table_row(t, i, &summary);
    }
    return table_times(run, t);
}

static bool is_nothing(const double *y, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (isfinite(y[i]) && y[i] != 0) return false;
    return true;
}

// The panels of a model, without those that show nothing; one that is full goes on in another of the same
// title. Returns how many.
static int model_panels(const ledger_table *t, size_t m, plot_panel panel[PANELS]) {
    int panels = 0;
    for (size_t i = 0; i < t->count[m]; i++) {
        const ledger_series *s = &t->series[m][i];
        int k = 0;
        while (k < panels && (strcmp(panel[k].title, s->panel) != 0 || panel[k].curves == PLOT_CURVES)) k++;
        if (k == panels)
            panel[panels++] =
                (plot_panel){.title = s->panel, .unit = s->unit, .from_zero = strcmp(s->unit, "C") != 0};
        panel[k].curve[panel[k].curves++] =
            (plot_curve){s->name[0] ? s->name : NULL, s->y, s->hue % PLOT_CURVES};
    }
    int kept = 0;
    for (int k = 0; k < panels; k++) {
        bool nothing = true;
        for (int c = 0; c < panel[k].curves; c++) nothing &= is_nothing(panel[k].curve[c].y, t->frames);
        bool own = true; // what a model names itself is always shown
        for (size_t i = 0; i < LEDGER_ROWS; i++) own &= strcmp(panel[k].title, ledger_rows[i].panel) != 0;
        if (own || !nothing || k == 0) panel[kept++] = panel[k];
    }
    return kept;
}

// Panels of all models in columns; long ones go on in the next.
typedef struct ledger_sheet {
    plot_panel *panel; // row by row, of COLUMNS
    const char *title[COLUMNS];
    int columns, rows;
} ledger_sheet;

static void sheet_add(ledger_sheet *s, const char *title, const plot_panel *panel, int count) {
    for (int k = 0; k < count; k++) {
        int column = s->columns + k / ROWS, row = k % ROWS;
        s->title[column] = title;
        s->panel[row * COLUMNS + column] = panel[k];
        s->rows = row + 1 > s->rows ? row + 1 : s->rows;
    }
    s->columns += (count + ROWS - 1) / ROWS;
}

static void sheet_fill(const ledger_table *t, ledger_sheet *s) {
    for (size_t m = 0; m < t->models; m++) {
        plot_panel panel[PANELS];
        int count = model_panels(t, m, panel);
        if (m == 0 && !is_nothing(t->each, t->frames))
            panel[count++] = (plot_panel){"time of a step", "s", {{NULL, t->each, 0}}, 1, true};
        sheet_add(s, t->model[m], panel, count);
    }
    for (int row = 1; row < s->rows; row++) // only the columns that are there
        memmove(s->panel + row * s->columns, s->panel + row * COLUMNS, (size_t)s->columns * sizeof *s->panel);
}

static firn_status table_plot(const ledger_table *t, const char *title, const char *file) {
    if (t->models == 0) return fail(FIRN_BAD_INPUT, "the frames of this run hold no ledgers");
    ledger_sheet s = {.panel = mem_zero(ROWS * COLUMNS, sizeof *s.panel)};
    if (!s.panel) return fail_memory("plotting", ROWS * COLUMNS * sizeof *s.panel);
    sheet_fill(t, &s);
    plot_sheet sheet = {
        title && title[0] ? title : "run", t->time, t->frames, s.title, s.panel, s.columns, s.rows};
    figure f = {0};
    firn_status status = plot_draw(&sheet, &f);
    if (status == FIRN_OK)
        status = text_ends(file, ".svg") ? figure_write_svg(&f, file) : figure_write_png(&f, file);
    figure_free(&f);
    mem_free(s.panel);
    return status;
}

FIRN_API firn_status firn_info_plot(const char *folder, const char *file) {
    if (!folder || !file) return fail(FIRN_BAD_INPUT, "firn_info_plot: a folder and a file are needed");
    if (!text_ends(file, ".png") && !text_ends(file, ".svg"))
        return fail(FIRN_BAD_INPUT, "a plot is written to a .png or .svg file, not '%s'", file);
    run_folder run;
    TRY(run_folder_open(folder, (firn_overrides){0}, &run));
    ledger_table *table = mem_zero(1, sizeof *table);
    firn_status status = !table       ? fail_memory("plotting", sizeof *table)
                         : run.frames ? table_read(&run, table)
                                      : fail(FIRN_BAD_INPUT, "the run in '%s' has no frames yet", folder);
    char beside[PATH_ROOM];
    path_folder(file, beside, sizeof beside);
    file_sweep(NULL, beside);
    if (status == FIRN_OK) status = table_plot(table, run.scene->def.world.name, file);
    if (table) mem_free(table->memory);
    mem_free(table);
    run_folder_close(&run);
    return status;
}
