// `firn info`: a summary of a run, as text or JSON.
#include "cache/folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cache/times.h"

enum { INFO_SETS = 64 };

typedef struct run_view {
    run_folder run;
    run_note note;
    size_t whole, damaged; // frames
    uint64_t first_frame, last_frame;
    cache_summary first, last; // of the whole ones
    struct series_range {
        double smallest, largest;
    } * range; // of all frames, by series of the first
    struct {
        char name[8];
        uint64_t first, last; // frames
    } set[INFO_SETS];         // instruction sets, in stretches of frames
    size_t sets;
    uint64_t bytes; // on disk
    size_t checkpoints;
    run_times times;
    double seconds; // of all models in all frames
} run_view;

static uint64_t file_bytes(const file_folder *folder, const char *name) {
    struct stat about;
    return fstatat(folder->handle, name, &about, 0) == 0 ? (uint64_t)about.st_size : 0;
}

static bool same_series(const firn_series *a, const firn_series *b) {
    return strcmp(a->model, b->model) == 0 && strcmp(a->panel, b->panel) == 0 &&
           strcmp(a->name, b->name) == 0;
}

// The series of a summary that is the same as `s`; SIZE_MAX: none.
static size_t find_series(const cache_summary *summary, const firn_series *s) {
    for (size_t i = 0; i < summary->series_count; i++)
        if (same_series(&summary->series[i], s)) return i;
    return SIZE_MAX;
}

static firn_status start_ranges(run_view *v) {
    v->range = mem_alloc((v->first.series_count + 1) * sizeof *v->range);
    if (!v->range) return fail_memory("looking at a run", v->first.series_count * sizeof *v->range);
    for (size_t i = 0; i < v->first.series_count; i++)
        v->range[i] = (struct series_range){INFINITY, -INFINITY};
    return FIRN_OK;
}

static void widen_ranges(run_view *v, const cache_summary *summary) {
    for (size_t i = 0; i < v->first.series_count; i++) {
        size_t k = find_series(summary, &v->first.series[i]);
        if (k == SIZE_MAX) continue;
        v->range[i].smallest = fmin(v->range[i].smallest, summary->series[k].value);
        v->range[i].largest = fmax(v->range[i].largest, summary->series[k].value);
    }
}

// The last stretch takes what is beyond the room for them.
static void view_set(run_view *v, const char *isa, uint64_t frame) {
    size_t last = v->sets ? v->sets - 1 : 0;
    bool same = v->sets && strcmp(v->set[last].name, isa) == 0;
    if (!isa[0]) return;
    if (!same && v->sets < INFO_SETS) {
        last = v->sets++;
        snprintf(v->set[last].name, sizeof v->set[last].name, "%s", isa);
        v->set[last].first = frame;
    }
    v->set[last].last = frame;
}

// The first and the last whole frame are kept.
static firn_status view_frame(run_view *v, uint64_t frame, cache_summary *summary) {
    view_set(v, summary->isa, frame);
    v->last_frame = frame;
    if (v->whole++ == 0) {
        v->first = *summary;
        v->first_frame = frame;
        TRY(start_ranges(v));
    } else {
        if (v->whole > 2) cache_summary_free(&v->last);
        v->last = *summary;
    }
    widen_ranges(v, summary);
    return FIRN_OK;
}

static firn_status view_frames(run_view *v) {
    for (size_t i = 0; i < v->run.frames; i++) {
        char name[NAME_ROOM];
        cache_summary summary;
        frame_name(v->run.frame[i], name);
        v->bytes += file_bytes(&v->run.folder, name);
        firn_status status = cache_read_summary_in(&v->run.folder, name, &summary);
        if (status == FIRN_NO_MEMORY) return status;
        if (status == FIRN_OK && summary.scene_hash == v->run.scene->hash) {
            TRY(view_frame(v, v->run.frame[i], &summary));
            continue;
        }
        if (status == FIRN_OK) cache_summary_free(&summary);
        v->damaged++;
    }
    return FIRN_OK;
}

// Of one frame the first is the last too.
static const cache_summary *last_of(const run_view *v) { return v->whole > 1 ? &v->last : &v->first; }

static firn_status view_checkpoints(run_view *v) {
    numbered_files files;
    TRY(numbered_list(&v->run.folder, false, &files));
    for (size_t i = 0; i < files.count; i++) {
        char name[NAME_ROOM];
        checkpoint_name(files.number[i], name);
        v->bytes += file_bytes(&v->run.folder, name);
    }
    v->checkpoints = files.count;
    numbered_free(&files);
    return FIRN_OK;
}

static const char *title(const run_view *v) {
    const char *name = v->run.scene->def.world.name;
    return name && name[0] ? name : "untitled";
}

static void add_bytes(text *t, uint64_t bytes) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1000 && unit < 4; unit++) value /= 1000;
    text_add(t, unit ? "%.3g %s" : "%.0f %s", value, units[unit]);
}

// "5.2 kg (5.2 kg at the start, 0.01 % more)"
static void add_change(text *t, const char *name, double first, double last, const char *unit) {
    text_add(t, "    %-10s %.6g %s", name, last, unit);
    double change = last - first;
    if (change == 0)
        text_add(t, ", as at the start\n");
    else if (first != 0)
        text_add(t, ", %.6g %s at the start (%+.3g %%)\n", first, unit, 100 * change / fabs(first));
    else
        text_add(t, ", %.6g %s at the start\n", first, unit);
}

static double energy(const firn_ledger *l) { return l->kinetic + l->potential + l->heat; }

static const firn_ledger *find_ledger(const cache_summary *s, const char *model) {
    for (size_t i = 0; i < s->ledgers; i++)
        if (strcmp(s->ledger[i].model, model) == 0) return &s->ledger[i];
    return NULL;
}

// seconds: of wall time in the steps of the model, out of `all` of the run; 0: unknown.
static void add_ledger(text *t, const firn_ledger *first, const firn_ledger *last, double seconds,
                       double all) {
    text_add(t, "\n  %s: %llu\n", last->model, (unsigned long long)last->items);
    text_add(t, "    %-10s %llu", "steps", (unsigned long long)last->steps);
    if (seconds > 0 && all > 0) text_add(t, ", %.3g s, %.2g %% of the time", seconds, 100 * seconds / all);
    text_add(t, "\n");
    add_change(t, "mass", first->mass, last->mass, "kg");
    if (last->mass_out > 0 || last->mass_in != first->mass_in)
        text_add(t, "    %-10s %.6g kg came in, %.6g kg left; unaccounted for: %.3g kg\n", "", last->mass_in,
                 last->mass_out, last->mass - (last->mass_in - last->mass_out));
    if (last->mass_lost > 0)
        text_add(t, "    %-10s %.6g kg of it fell out of the domain\n", "lost", last->mass_lost);
    text_add(t, "    %-10s [%.6g, %.6g, %.6g] kg m/s\n", "momentum", last->momentum.x, last->momentum.y,
             last->momentum.z);
    add_change(t, "energy", energy(first), energy(last), "J");
    text_add(t, "    %-10s %.6g J kinetic, %.6g J potential, %.6g J heat\n", "", last->kinetic,
             last->potential, last->heat);
    text_add(t, "    %-10s %.6g m/s\n", "max speed", last->max_speed);
}

// "errors of constraints: after 0.002 (0 .. 0.01 in all frames)"
static void add_series(const run_view *v, text *t, const char *model) {
    const cache_summary *last = last_of(v);
    for (size_t i = 0; i < last->series_count; i++) {
        const firn_series *s = &last->series[i];
        if (strcmp(s->model, model) != 0) continue;
        text_add(t, s->name[0] ? "    %s: %s" : "    %s%s", s->panel, s->name);
        text_add(t, s->unit[0] ? " %.6g %s" : " %.6g%s", s->value, s->unit);
        size_t k = find_series(&v->first, s);
        if (k != SIZE_MAX && v->range[k].smallest < v->range[k].largest)
            text_add(t, " (%.6g .. %.6g in all frames)", v->range[k].smallest, v->range[k].largest);
        text_add(t, "\n");
    }
}

static void write_text(const run_view *v, text *t) {
    const firn_world_def *world = &v->run.scene->def.world;
    text_add(t, "%s\n", title(v));
    text_add(t, "  %-10s %zu of %llu", "frames", v->whole, (unsigned long long)v->note.frames + 1);
    if (v->whole)
        text_add(t, " (%llu .. %llu)", (unsigned long long)v->first_frame, (unsigned long long)v->last_frame);
    text_add(t, ", %g per second\n", world->fps);
    if (v->damaged)
        text_add(t, "  %-10s %zu frames; running the scene again into this folder computes them again\n",
                 "damaged", v->damaged);
    text_add(t, "  %-10s %.6g s of %.6g s, %llu steps\n", "time", last_of(v)->clock.time, world->duration,
             (unsigned long long)last_of(v)->clock.step);
    text_add(t, "  %-10s ", "on disk");
    add_bytes(t, v->bytes);
    text_add(t, ", %zu checkpoint%s\n", v->checkpoints, v->checkpoints == 1 ? "" : "s");
    text_add(t, "  %-10s firn %s (%s)\n", "made by", v->note.version, v->note.isa);
    for (size_t i = 0; v->sets > 1 && i < v->sets; i++)
        text_add(t, "  %-10s frames %llu .. %llu with %s\n", "", (unsigned long long)v->set[i].first,
                 (unsigned long long)v->set[i].last, v->set[i].name);
    text_add(t, "  %-10s %016llx\n", "scene hash", (unsigned long long)v->run.scene->hash);
    if (v->whole) text_add(t, "  %-10s %016llx\n", "state hash", (unsigned long long)last_of(v)->state_hash);
    for (size_t i = 0; i < last_of(v)->ledgers; i++) {
        const firn_ledger *last = &last_of(v)->ledger[i], *first = find_ledger(&v->first, last->model);
        add_ledger(t, first ? first : last, last, times_of_model(&v->times, last->model), v->seconds);
        add_series(v, t, last->model);
    }
}

// JSON cannot represent infinity.
static void json_number(text *t, const char *key, double value) {
    if (isfinite(value))
        text_add(t, "\"%s\": %.17g", key, value);
    else
        text_add(t, "\"%s\": null", key);
}

static void json_series(text *t, const firn_series *s, const char *between) {
    text_add(t, "%s{\"panel\": ", between);
    text_add_json(t, s->panel);
    text_add(t, ", \"name\": ");
    text_add_json(t, s->name);
    text_add(t, ", \"unit\": ");
    text_add_json(t, s->unit);
}

static void json_ledger(text *t, const cache_summary *summary, const firn_ledger *l) {
    text_add(t, "{\"items\": %llu, \"steps\": %llu, ", (unsigned long long)l->items,
             (unsigned long long)l->steps);
    const struct {
        const char *key;
        double value;
    } rows[] = {{"mass", l->mass},
                {"mass_in", l->mass_in},
                {"mass_out", l->mass_out},
                {"momentum_x", l->momentum.x},
                {"momentum_y", l->momentum.y},
                {"momentum_z", l->momentum.z},
                {"kinetic", l->kinetic},
                {"potential", l->potential},
                {"heat", l->heat},
                {"max_speed", l->max_speed},
                {"mass_lost", l->mass_lost}};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    for (size_t i = 0; i < ROWS; i++) {
        json_number(t, rows[i].key, rows[i].value);
        text_add(t, i + 1 < ROWS ? ", " : ", \"series\": [");
    }
    const char *between = "";
    for (size_t i = 0; i < summary->series_count; i++) {
        const firn_series *s = &summary->series[i];
        if (strcmp(s->model, l->model) != 0) continue;
        json_series(t, s, between);
        text_add(t, ", ");
        json_number(t, "value", s->value);
        text_add(t, "}");
        between = ", ";
    }
    text_add(t, "]}");
}

// The smallest and the largest value of each series in all frames.
static void json_ranges(const run_view *v, text *t, const char *model) {
    const char *between = "";
    text_add(t, ", \"ranges\": [");
    for (size_t i = 0; i < v->first.series_count; i++) {
        if (strcmp(v->first.series[i].model, model) != 0) continue;
        json_series(t, &v->first.series[i], between);
        text_add(t, ", ");
        json_number(t, "smallest", v->range[i].smallest);
        text_add(t, ", ");
        json_number(t, "largest", v->range[i].largest);
        text_add(t, "}");
        between = ", ";
    }
    text_add(t, "]");
}

static void json_models(const run_view *v, text *t) {
    text_add(t, "\"models\": {");
    for (size_t i = 0; i < last_of(v)->ledgers; i++) {
        const firn_ledger *last = &last_of(v)->ledger[i], *first = find_ledger(&v->first, last->model);
        text_add(t, i ? ", " : "");
        text_add_json(t, last->model);
        text_add(t, ": {\"seconds\": %.6g, \"first\": ", times_of_model(&v->times, last->model));
        json_ledger(t, first ? &v->first : last_of(v), first ? first : last);
        text_add(t, ", \"last\": ");
        json_ledger(t, last_of(v), last);
        json_ranges(v, t, last->model);
        text_add(t, "}");
    }
    text_add(t, "}");
}

static void write_json(const run_view *v, text *t) {
    const firn_world_def *world = &v->run.scene->def.world;
    text_add(t, "{\"folder\": ");
    text_add_json(t, v->run.path);
    text_add(t, ", \"title\": ");
    text_add_json(t, title(v));
    text_add(t, ", \"firn\": ");
    text_add_json(t, v->note.version);
    text_add(t, ", \"isa\": ");
    text_add_json(t, v->note.isa);
    text_add(t, ", \"instruction_sets\": [");
    for (size_t i = 0; i < v->sets; i++)
        text_add(t, "%s{\"isa\": \"%s\", \"first_frame\": %llu, \"last_frame\": %llu}", i ? ", " : "",
                 v->set[i].name, (unsigned long long)v->set[i].first, (unsigned long long)v->set[i].last);
    text_add(t, "], ");
    json_number(t, "fps", world->fps);
    text_add(t, ", ");
    json_number(t, "duration", world->duration);
    text_add(t, ", \"frames\": %zu, \"frames_asked\": %llu, \"damaged\": %zu, ", v->whole,
             (unsigned long long)v->note.frames + 1, v->damaged);
    if (v->whole)
        text_add(t, "\"first_frame\": %llu, \"last_frame\": %llu, ", (unsigned long long)v->first_frame,
                 (unsigned long long)v->last_frame);
    text_add(t, "\"bytes\": %llu, \"checkpoints\": %zu, ", (unsigned long long)v->bytes, v->checkpoints);
    json_number(t, "time", last_of(v)->clock.time);
    text_add(t, ", \"steps\": %llu, ", (unsigned long long)last_of(v)->clock.step);
    text_add(t, "\"scene_hash\": \"%016llx\", ", (unsigned long long)v->run.scene->hash);
    if (v->whole) text_add(t, "\"state_hash\": \"%016llx\", ", (unsigned long long)last_of(v)->state_hash);
    json_models(v, t);
    text_add(t, "}\n");
}

static firn_status view_and_write(run_view *v, bool json, char **out) {
    bool found;
    TRY(run_note_read(&v->run.folder, &v->note, &found));
    TRY(view_frames(v));
    TRY(view_checkpoints(v));
    TRY(times_read(&v->run.folder, &v->times, NULL));
    for (size_t m = 0; m < v->times.models; m++) v->seconds += times_of_model(&v->times, v->times.model[m]);
    text t = {0};
    (json ? write_json : write_text)(v, &t);
    return text_take(&t, out);
}

firn_status firn_info(const char *folder, bool json, char **out) {
    if (!out) return fail_null("firn_info", "text");
    *out = NULL;
    NEED(folder);
    run_view *v = mem_zero(1, sizeof *v);
    if (!v) return fail_memory("looking at a run", sizeof *v);
    firn_status status = run_folder_open(folder, (firn_overrides){0}, &v->run);
    if (status == FIRN_OK) {
        status = view_and_write(v, json, out);
        run_folder_close(&v->run);
    }
    cache_summary_free(&v->first);
    cache_summary_free(&v->last);
    times_free(&v->times);
    mem_free(v->range);
    mem_free(v);
    return status;
}
