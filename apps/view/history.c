// Plots' numbers: rows are found by name, since models and series may come and go.
#include "history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "thread.h"

enum { ROWS = 256 };

struct history {
    monitor *lock;
    history_row *row[ROWS];
    int rows, points;
    float time[HISTORY_POINTS];
    int skip, stride; // of samples that come too often
    double seconds[ROWS];
    uint64_t steps[ROWS];
};

history *history_create(void) {
    history *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    h->stride = 1;
    h->lock = monitor_create();
    if (h->lock) return h;
    free(h);
    return NULL;
}

static void forget_rows(history *h) {
    for (int i = 0; i < h->rows; i++) free(h->row[i]);
    h->rows = h->points = h->skip = 0;
    h->stride = 1;
}

void history_free(history *h) {
    if (!h) return;
    forget_rows(h);
    monitor_free(h->lock);
    free(h);
}

void history_clear(history *h) {
    monitor_enter(h->lock);
    forget_rows(h);
    monitor_leave(h->lock);
}

static int find_row(history *h, const char *group, const char *name, const char *unit) {
    for (int i = 0; i < h->rows; i++)
        if (strcmp(h->row[i]->group, group) == 0 && strcmp(h->row[i]->name, name) == 0) return i;
    history_row *row = h->rows < ROWS ? malloc(sizeof *row) : NULL;
    if (!row) return -1;
    snprintf(row->group, sizeof row->group, "%s", group);
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->unit, sizeof row->unit, "%s", unit);
    for (int i = 0; i < HISTORY_POINTS; i++) row->value[i] = NAN;
    h->seconds[h->rows] = 0;
    h->steps[h->rows] = 0;
    h->row[h->rows] = row;
    return h->rows++;
}

// A value of now, before it goes to its row: reading the world takes too long for the lock, for which the
// window may wait.
typedef struct value {
    char group[32], name[96], unit[16];
    double number;  // of a cost: s of wall time since the start
    uint64_t steps; // of a cost
    bool cost;
} value;

typedef struct sample {
    value item[ROWS];
    int count;
    double time;
} sample;

static value *add(sample *s, const char *group, const char *name, const char *unit, double number) {
    if (s->count == ROWS) return NULL;
    value *v = &s->item[s->count++];
    *v = (value){.number = number};
    snprintf(v->group, sizeof v->group, "%s", group);
    snprintf(v->name, sizeof v->name, "%s", name);
    snprintf(v->unit, sizeof v->unit, "%s", unit);
    return v;
}

static void add_cost(sample *s, const char *name, double seconds, uint64_t steps) {
    value *v = add(s, "ms per step", name, "ms", seconds);
    if (!v) return;
    v->cost = true;
    v->steps = steps;
}

static void read_ledger(sample *s, const firn_world *world, size_t index) {
    firn_ledger l = firn_world_ledger(world, index);
    if (l.mass != 0) { // not bodies that are all fixed, nor air
        add(s, l.model, "mass", "kg", l.mass);
        add(s, l.model, "kinetic energy", "J", l.kinetic);
        add(s, l.model, "potential energy", "J", l.potential);
        add(s, l.model, "largest speed", "m/s", l.max_speed);
    }
    if (l.heat != 0) add(s, l.model, "heat", "J", l.heat);
    if (l.items > 0) add(s, l.model, "count", "", (double)l.items);
}

static void read_series(sample *s, const firn_world *world) {
    for (size_t i = 0; i < firn_world_series_count(world); i++) {
        firn_series one = firn_world_series_at(world, i);
        char name[96];
        if (!one.model) continue;
        snprintf(name, sizeof name, "%s%s%s", one.panel, one.name[0] ? ": " : "", one.name);
        add(s, one.model, name, one.unit, one.value);
    }
}

static void read_costs(sample *s, const firn_world *world) {
    size_t models = firn_world_ledger_count(world), passes = firn_world_pass_count(world);
    for (size_t k = 0; k < models; k++) {
        firn_ledger l = firn_world_ledger(world, k);
        add_cost(s, l.model, firn_world_model_seconds(world, k), l.steps);
        for (size_t i = 0; i < passes; i++) {
            firn_pass pass = firn_world_pass(world, i);
            char name[96];
            if (strcmp(pass.model, l.model) != 0) continue;
            snprintf(name, sizeof name, "%s: %s", pass.model, pass.name);
            add_cost(s, name, pass.seconds, l.steps);
        }
    }
}

// Costs are ms per step since the last sample.
static void put(history *h, const value *v) {
    int row = find_row(h, v->group, v->name, v->unit);
    if (row < 0) return;
    double number = v->number;
    if (v->cost) {
        uint64_t done = v->steps > h->steps[row] ? v->steps - h->steps[row] : 0;
        number = done ? 1000 * (v->number - h->seconds[row]) / (double)done : NAN;
        h->seconds[row] = v->number;
        h->steps[row] = v->steps;
    }
    h->row[row]->value[h->points] = (float)number;
}

static void thin_out(history *h) {
    h->points /= 2;
    for (int p = 0; p < h->points; p++) {
        h->time[p] = h->time[2 * p];
        for (int i = 0; i < h->rows; i++) h->row[i]->value[p] = h->row[i]->value[2 * p];
    }
    h->stride *= 2;
}

void history_sample(history *h, const firn_world *world) {
    if (h->skip++ % h->stride != 0) return; // both of the simulation's thread
    sample *s = malloc(sizeof *s);
    if (!s) return;
    s->count = 0;
    s->time = firn_world_time(world);
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) read_ledger(s, world, i);
    read_series(s, world);
    read_costs(s, world);
    monitor_enter(h->lock);
    if (h->points == HISTORY_POINTS) thin_out(h);
    for (int i = 0; i < h->rows; i++) h->row[i]->value[h->points] = NAN;
    h->time[h->points] = (float)s->time;
    for (int i = 0; i < s->count; i++) put(h, &s->item[i]);
    h->points++;
    monitor_leave(h->lock);
    free(s);
}

void history_cut(history *h, double time) {
    monitor_enter(h->lock);
    while (h->points > 0 && h->time[h->points - 1] > (float)time) h->points--;
    monitor_leave(h->lock);
}

void history_each(history *h,
                  void (*see)(void *context, const history_row *row, const float *time, int points),
                  void *context) {
    monitor_enter(h->lock);
    for (int i = 0; i < h->rows; i++) see(context, h->row[i], h->time, h->points);
    monitor_leave(h->lock);
}
