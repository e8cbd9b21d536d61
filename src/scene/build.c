// From a scene to a world: builds every shape, checks memory, creates the world, reports all errors.
#include "scene/build.h"

#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "base/plain.h"
#include "body/body.h"
#include "body/place_rows.h"
#include "geom/shape.h"
#include "scene/load.h"
#include "scene/locate.h"
#include "scene/warn_heat.h"
#include "scene/warn_pools.h"
#include "world/world.h"

// ---- every shape that the scene names

// Shapes stay until the world is made: it then shares their meshes and level sets.
typedef struct asset_walk {
    const scene *scene;
    problem_list *problems;
    text path; // "bodies.ball", of the table being walked
    struct {
        shape **items;
        size_t count, capacity;
    } kept;
    firn_status status; // an error other than FIRN_BAD_INPUT, which ends the walk
} asset_walk;

static void walk_table(asset_walk *w, const param_table *table, const char *item);

static void walk_below(asset_walk *w, const char *word, const param_table *table, const char *item) {
    size_t before = w->path.length;
    text_add(&w->path, before ? ".%s" : "%s", word);
    walk_table(w, table, item);
    w->path.length = before;
    if (w->path.data) w->path.data[before] = 0;
}

static double scale_beside(const param_table *table, const char *item) {
    void *base;
    const param_row *row = param_row_find(table, (void *)item, "scale", &base);
    double scale = 1;
    if (row && row->type == PARAM_REAL) memcpy(&scale, (char *)base + row->offset, sizeof scale);
    return scale;
}

static void add_problem(asset_walk *w, const char *message) {
    text written = {0};
    locate_as_written(w->scene, message, &written);
    problem_add(w->problems, locate_message(w->scene, message), written.data ? written.data : message, NULL);
    text_free(&written);
}

static void build_shape(asset_walk *w, const param_table *table, const char *item,
                        const firn_shape_def *def) {
    const char *path = w->path.data ? w->path.data : "";
    shape *built;
    firn_status status =
        shape_create(def, scale_beside(table, item), w->scene->def.world.folder, path, &built);
    if (status == FIRN_BAD_INPUT || status == FIRN_IO) {
        char message[1100];
        bool named = strncmp(firn_last_error(), "shape of '", 10) == 0;
        snprintf(message, sizeof message, "%s%s%s", named ? "" : path, named ? "" : ": ", firn_last_error());
        add_problem(w, message);
        if (status == FIRN_IO) w->status = FIRN_IO;
    } else if (status != FIRN_OK) {
        w->status = status;
    } else if (array_reserve(&w->kept.items, &w->kept.capacity, w->kept.count + 1, sizeof *w->kept.items)) {
        w->kept.items[w->kept.count++] = built;
    } else {
        shape_destroy(built);
        w->status = fail_memory("building shapes", sizeof built);
    }
}

static void walk_items(asset_walk *w, const param_row *row, const char *at) {
    struct {
        const char *items;
        size_t count;
    } array;
    memcpy(&array, at, sizeof array);
    for (size_t i = 0; i < array.count; i++) {
        const char *item = array.items + i * row->table->size, *name = NULL;
        if (row->type == PARAM_MAP) memcpy(&name, item, sizeof name);
        if (name)
            walk_below(w, name, row->table, item);
        else
            walk_table(w, row->table, item);
    }
}

static void walk_row(asset_walk *w, const param_table *table, const param_row *row, const char *item) {
    const char *at = item + row->offset, *pointed = NULL;
    switch (row->type) {
    case PARAM_MERGE: walk_table(w, row->table, at); break;
    case PARAM_TABLE: walk_below(w, row->name, row->table, at); break;
    case PARAM_OPTIONAL:
        memcpy(&pointed, at, sizeof pointed);
        if (pointed) walk_below(w, row->name, row->table, pointed);
        break;
    case PARAM_LIST:
    case PARAM_MAP: {
        size_t before = w->path.length;
        text_add(&w->path, before ? ".%s" : "%s", row->name);
        walk_items(w, row, at);
        w->path.length = before;
        if (w->path.data) w->path.data[before] = 0;
        break;
    }
    case PARAM_VARIANT:
        if (row->variants == shape_variants) build_shape(w, table, item, (const firn_shape_def *)at);
        break;
    default: break;
    }
}

static void walk_table(asset_walk *w, const param_table *table, const char *item) {
    for (const param_row *row = table->rows; row->name && w->status != FIRN_NO_MEMORY; row++)
        walk_row(w, table, row, item);
}

// ---- memory

static void format_bytes(double bytes, char out[32]) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    while (bytes >= 1000 && unit < 5) bytes /= 1000, unit++;
    plain_print(out, 32, "%.3g %s", bytes, units[unit]);
}

static const double MUCH = 0.8; // of the available memory: worth a warning

static void compare_memory(const scene *s, const firn_cost *cost, const char *largest,
                           problem_list *problems) {
    machine_memory machine = machine_memory_now();
    char needed[32], there[32];
    format_bytes((double)cost->memory, needed);
    place at = locate_place(s, largest);
    if (cost->memory > machine.limit) {
        format_bytes((double)machine.limit, there);
        problem_addf(problems, at, "use larger cells or a larger spacing",
                     "this scene needs about %s of memory, %s %s", needed, machine.source, there);
    } else if ((double)cost->memory > MUCH * (double)machine.available) {
        format_bytes((double)machine.available, there);
        problem_warn(problems, at, NULL, "this scene needs about %s of memory, %s are available now", needed,
                     there);
    }
}

// ---- all together

// A missing field of picture.color is reported before the run, not when it is drawn.
static void check_color(const scene *s, const firn_world *world, const char *color, const char *key,
                        problem_list *problems) {
    if (!color || text_equal(color, "none") || world_color_field(world, color).name) return;
    world_color_unknown(world, color);
    problem_add(problems, locate_name(s, key)->at, firn_last_error(), NULL);
}

static void check_picture(const scene *s, const firn_world *world, problem_list *problems) {
    const scene_picture *picture = &s->def.picture;
    check_color(s, world, picture->color, "picture.color", problems);
    for (size_t i = 0; i < picture->views.count; i++) {
        char key[120];
        snprintf(key, sizeof key, "picture.views.%s.color", picture->views.items[i].name);
        check_color(s, world, picture->views.items[i].color, key, problems);
    }
}

static firn_status make_world(scene *s, asset_walk *w, firn_cost *cost, firn_world **world) {
    walk_table(w, &scene_params, (const char *)&s->def);
    if (w->path.failed) return fail_memory("building shapes", 0);
    if (w->status != FIRN_OK || w->problems->found) return w->status;
    const char *largest = "";
    firn_status status = world_cost(&s->def.world, cost, &largest);
    if (status == FIRN_OK) {
        compare_memory(s, cost, largest, w->problems);
        if (w->problems->found) return FIRN_OK;
        status = firn_world_create(&s->def.world, world);
    }
    if (status == FIRN_OK) check_picture(s, *world, w->problems);
    if (status == FIRN_OK) status = scene_warn_heat(s, *world);
    if (status == FIRN_OK) scene_warn_pools(s, *world);
    if (status != FIRN_BAD_INPUT) return status;
    add_problem(w, firn_last_error());
    return FIRN_OK;
}

void scene_log_warnings(const scene *s) {
    const problem_list *list = &s->loader->problems;
    for (size_t i = 0; i < list->count; i++) {
        const problem *p = &list->items[i];
        if (p->warning && p->at.source->override)
            log_warning("%s: %s", p->at.source->name, p->why);
        else if (p->warning)
            log_warning("%s:%u:%u: %s", p->at.source->name, p->at.line, p->at.column, p->why);
    }
}

firn_status scene_build(scene *s, firn_cost *cost, firn_world **world) {
    firn_cost ignored;
    asset_walk w = {.scene = s, .problems = &s->loader->problems};
    *world = NULL;
    firn_status status = make_world(s, &w, cost ? cost : &ignored, world);
    for (size_t i = 0; i < w.kept.count; i++) shape_destroy(w.kept.items[i]);
    mem_free(w.kept.items);
    text_free(&w.path);
    if (status == FIRN_NO_MEMORY || w.problems->found == 0) return status;
    firn_world_close(*world);
    *world = NULL;
    text report = {0};
    firn_status reported = problem_report(w.problems, &report);
    if (reported == FIRN_OK && report.failed) reported = fail_memory("reporting errors of a scene", 0);
    if (reported == FIRN_OK) reported = fail_text(status == FIRN_OK ? FIRN_BAD_INPUT : status, report.data);
    text_free(&report);
    return reported;
}
