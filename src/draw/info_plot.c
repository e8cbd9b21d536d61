// `firn info --plot`: the ledgers of a run over time, as curves or as a table.
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
};
enum {
    LEDGER_ROWS = sizeof ledger_rows / sizeof *ledger_rows,
    ROWS = 7, // of the sheet
};

typedef struct ledger_series {
    size_t model;
    const char *panel, *name, *unit;
    int hue;
    const ledger_row *row; // NULL: a time series of the model
    double *y;             // by frame; NAN: a gap
} ledger_series;

typedef struct ledger_table {
    cache_summary first; // what there is to plot is what the first frame has
    double *time, *each; // each: s that a step took
    ledger_series *series;
    size_t count, frames;
    double *memory;
} ledger_table;

// Curves of one panel differ in colour.
static void add_own_series(ledger_table *t, size_t model, const firn_series *s) {
    ledger_series *out = &t->series[t->count];
    *out = (ledger_series){.model = model, .panel = s->panel, .name = s->name, .unit = s->unit};
    for (size_t i = 0; i < t->count; i++)
        out->hue += t->series[i].model == model && strcmp(t->series[i].panel, s->panel) == 0;
    t->count++;
}

static void add_model(ledger_table *t, size_t model) {
    for (size_t i = 0; i < LEDGER_ROWS; i++) {
        const ledger_row *row = &ledger_rows[i];
        t->series[t->count++] = (ledger_series){.model = model,
                                                .panel = row->panel,
                                                .name = row->name,
                                                .unit = row->unit,
                                                .hue = row->hue,
                                                .row = row};
    }
    for (size_t i = 0; i < t->first.series_count; i++)
        if (strcmp(t->first.series[i].model, t->first.ledger[model].model) == 0)
            add_own_series(t, model, &t->first.series[i]);
}

static firn_status table_open(ledger_table *t, size_t frames) {
    size_t room = t->first.ledgers * LEDGER_ROWS + t->first.series_count + 1, values = (room + 2) * frames;
    t->frames = frames;
    t->series = mem_alloc(room * sizeof *t->series);
    double *at = t->memory = mem_alloc(values * sizeof *at);
    if (!t->series || !at) return fail_memory("plotting", values * sizeof *at);
    for (size_t k = 0; k < values; k++) at[k] = NAN;
    for (size_t m = 0; m < t->first.ledgers; m++) add_model(t, m);
    t->time = at;
    t->each = at += frames;
    for (size_t i = 0; i < t->count; i++) t->series[i].y = at += frames;
    return FIRN_OK;
}

static double series_value(const cache_summary *summary, const char *model, const ledger_series *s) {
    for (size_t i = 0; i < summary->series_count; i++) {
        const firn_series *own = &summary->series[i];
        if (strcmp(own->model, model) == 0 && strcmp(own->panel, s->panel) == 0 &&
            strcmp(own->name, s->name) == 0)
            return own->value;
    }
    return NAN;
}

static void table_row(ledger_table *t, size_t frame, const cache_summary *summary) {
    t->time[frame] = summary->clock.time;
    for (size_t i = 0; i < t->count; i++) {
        ledger_series *s = &t->series[i];
        const char *model = t->first.ledger[s->model].model;
        size_t l = 0;
        while (l < summary->ledgers && strcmp(summary->ledger[l].model, model) != 0) l++;
        if (l == summary->ledgers) continue; // stays a gap
        s->y[frame] = s->row ? s->row->value(&summary->ledger[l]) : series_value(summary, model, s);
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
    char path[PATH_ROOM];
    run_frame_path(run, run->frame[0], path, sizeof path);
    TRY(cache_read_summary(path, &t->first));
    TRY(table_open(t, run->frames));
    for (size_t i = 0; i < run->frames; i++) {
        cache_summary summary;
        run_frame_path(run, run->frame[i], path, sizeof path);
        TRY(cache_read_summary(path, &summary));
        table_row(t, i, &summary);
        cache_summary_free(&summary);
    }
    return table_times(run, t);
}

static void table_free(ledger_table *t) {
    cache_summary_free(&t->first);
    mem_free(t->series);
    mem_free(t->memory);
}

static bool is_nothing(const double *y, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (isfinite(y[i]) && y[i] != 0) return false;
    return true;
}

// The panels of a model, without those that show nothing; one that is full goes on in another of the same
// title. Returns how many.
static int model_panels(const ledger_table *t, size_t m, plot_panel *panel) {
    int panels = 0;
    for (size_t i = 0; i < t->count; i++) {
        const ledger_series *s = &t->series[i];
        if (s->model != m) continue;
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
    plot_panel *panel, *model; // row by row, of `room` columns; those of one model
    const char **title;        // of each column
    int columns, rows, room;
} ledger_sheet;

static void sheet_add(ledger_sheet *s, const char *title, int count) {
    for (int k = 0; k < count; k++) {
        int column = s->columns + k / ROWS, row = k % ROWS;
        s->title[column] = title;
        s->panel[row * s->room + column] = s->model[k];
        s->rows = row + 1 > s->rows ? row + 1 : s->rows;
    }
    s->columns += (count + ROWS - 1) / ROWS;
}

static void sheet_fill(const ledger_table *t, ledger_sheet *s) {
    for (size_t m = 0; m < t->first.ledgers; m++) {
        int count = model_panels(t, m, s->model);
        if (m == 0 && !is_nothing(t->each, t->frames))
            s->model[count++] = (plot_panel){"time of a step", "s", {{NULL, t->each, 0}}, 1, true};
        sheet_add(s, t->first.ledger[m].model, count);
    }
    for (int row = 1; row < s->rows; row++) // only the columns that are there
        memmove(s->panel + row * s->columns, s->panel + row * s->room, (size_t)s->columns * sizeof *s->panel);
}

static firn_status sheet_draw(const ledger_table *t, ledger_sheet *s, const char *title, const char *file) {
    sheet_fill(t, s);
    plot_sheet sheet = {
        title && title[0] ? title : "run", t->time, t->frames, s->title, s->panel, s->columns, s->rows};
    figure f = {0};
    firn_status status = plot_draw(&sheet, &f);
    if (status == FIRN_OK)
        status = text_ends(file, ".svg") ? figure_write_svg(&f, file) : figure_write_png(&f, file);
    figure_free(&f);
    return status;
}

static firn_status table_plot(const ledger_table *t, const char *title, const char *file) {
    if (t->first.ledgers == 0) return fail(FIRN_BAD_INPUT, "the frames of this run hold no ledgers");
    size_t panels = t->count + 1, room = t->first.ledgers + panels / ROWS + 1; // a series is at most a panel
    ledger_sheet s = {.panel = mem_zero(ROWS * room, sizeof *s.panel),
                      .model = mem_zero(panels, sizeof *s.model),
                      .title = mem_zero(room, sizeof *s.title),
                      .room = (int)room};
    firn_status status = s.panel && s.model && s.title
                             ? sheet_draw(t, &s, title, file)
                             : fail_memory("plotting", ROWS * room * sizeof *s.panel);
    mem_free(s.panel);
    mem_free(s.model);
    mem_free(s.title);
    return status;
}

// What the curves show, as a table: a row for each frame; a gap is empty.
static firn_status table_write(const ledger_table *t, const uint64_t *frame, const char *file) {
    text out = {0};
    char *words;
    text_add(&out, "frame,time s,time of a step s");
    for (size_t i = 0; i < t->count; i++) {
        const ledger_series *s = &t->series[i];
        text_add(&out, ",%s %s%s%s%s%s", t->first.ledger[s->model].model, s->panel, s->name[0] ? " " : "",
                 s->name, s->unit[0] ? " " : "", s->unit);
    }
    for (size_t k = 0; k < t->frames; k++) {
        text_add(&out, "\n%llu,%.9g,", (unsigned long long)frame[k], t->time[k]);
        if (isfinite(t->each[k])) text_add(&out, "%.6g", t->each[k]);
        for (size_t i = 0; i < t->count; i++) {
            text_add(&out, ",");
            if (isfinite(t->series[i].y[k])) text_add(&out, "%.9g", t->series[i].y[k]);
        }
    }
    text_add(&out, "\n");
    TRY(text_take(&out, &words));
    firn_status status = file_write_text(file, words);
    mem_free(words);
    return status;
}

FIRN_API firn_status firn_info_plot(const char *folder, const char *file) {
    if (!folder || !file)
        return fail(FIRN_BAD_INPUT, "firn_info_plot: the run folder or the file is missing");
    bool table_only = text_ends(file, ".csv");
    if (!table_only && !text_ends(file, ".png") && !text_ends(file, ".svg"))
        return fail(FIRN_BAD_INPUT, "a plot is written to a .png, .svg or .csv file, not '%s'", file);
    run_folder run;
    TRY(run_folder_open(folder, (firn_overrides){0}, &run));
    ledger_table table = {0};
    firn_status status = run.frames ? table_read(&run, &table)
                                    : fail(FIRN_BAD_INPUT, "the run in '%s' has no frames yet", folder);
    char beside[PATH_ROOM];
    path_folder(file, beside, sizeof beside);
    file_sweep(NULL, beside);
    if (status == FIRN_OK)
        status = table_only ? table_write(&table, run.frame, file)
                            : table_plot(&table, run.scene->def.world.name, file);
    table_free(&table);
    run_folder_close(&run);
    return status;
}
