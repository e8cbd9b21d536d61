// Touches: each line is read and done here, by the viewer and by a replay alike.
#include "touch.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 16 };

// A line cut at its spaces.
typedef struct words {
    char copy[TOUCH_ROOM];
    char *word[WORDS];
    size_t count;
} words;

static void split(const char *line, words *out) {
    snprintf(out->copy, sizeof out->copy, "%s", line);
    out->count = 0;
    char *rest = NULL;
    for (char *w = strtok_r(out->copy, " ", &rest); w && out->count < WORDS; w = strtok_r(NULL, " ", &rest))
        out->word[out->count++] = w;
}

static bool read_numbers(const words *w, size_t first, double *out, size_t count) {
    if (w->count < first + count) return false;
    for (size_t i = 0; i < count; i++) {
        char *end;
        out[i] = strtod(w->word[first + i], &end);
        if (*end || !isfinite(out[i])) return false;
    }
    return true;
}

static firn_vec3 vector(const double *n) { return (firn_vec3){n[0], n[1], n[2]}; }

static firn_status refuse(char *why, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static firn_status refuse(char *why, size_t room, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(why, room, format, list);
    va_end(list);
    return FIRN_BAD_INPUT;
}

static bool has_model(const firn_world *world, const char *name) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++)
        if (strcmp(firn_world_ledger(world, i).model, name) == 0) return true;
    return false;
}

static firn_fill_def sphere(firn_vec3 at, double radius) {
    firn_fill_def fill = firn_fill_def_default();
    fill.shape.kind = FIRN_SHAPE_SPHERE;
    fill.shape.radius = radius;
    fill.at = at;
    return fill;
}

static firn_status add_ball(firn_world *world, const char *name, const double n[7], const char *type) {
    if (has_model(world, "mpm")) {
        firn_mpm_snow_def def = firn_mpm_snow_def_default();
        def.name = name;
        def.fill = sphere(vector(n), n[6]);
        def.type = type;
        def.velocity = vector(n + 3);
        return firn_world_add_snow(world, &def);
    }
    if (has_model(world, "phase")) {
        firn_phase_snow_def def = firn_phase_snow_def_default();
        def.name = name;
        def.fill = sphere(vector(n), n[6]);
        def.type = type;
        def.velocity = vector(n + 3);
        return firn_world_add_phase_snow(world, &def);
    }
    firn_body_def def = firn_body_def_default();
    def.name = name;
    def.shape.kind = FIRN_SHAPE_SPHERE;
    def.shape.radius = n[6];
    def.at = vector(n);
    def.velocity = vector(n + 3);
    def.motion.kind = FIRN_MOTION_DYNAMIC;
    def.snow = type;
    return firn_world_add_body(world, &def, NULL);
}

// file: the rest of the line, since it may have spaces.
static firn_status add_mesh(firn_world *world, const words *w, const double n[4], const char *file) {
    firn_fill_def fill = firn_fill_def_default();
    fill.shape.kind = FIRN_SHAPE_MESH;
    if (strlen(file) > 7 && strcmp(file + strlen(file) - 7, ".binvox") == 0)
        fill.shape.kind = FIRN_SHAPE_BINVOX;
    fill.shape.file = file;
    fill.shape.height = n[3];
    fill.at = vector(n);
    if (strcmp(w->word[6], "mpm") == 0) {
        firn_mpm_snow_def def = firn_mpm_snow_def_default();
        def.name = w->word[1];
        def.fill = fill;
        return firn_world_add_snow(world, &def);
    }
    if (strcmp(w->word[6], "phase") == 0) {
        firn_phase_snow_def def = firn_phase_snow_def_default();
        def.name = w->word[1];
        def.fill = fill;
        return firn_world_add_phase_snow(world, &def);
    }
    firn_body_def def = firn_body_def_default();
    def.name = w->word[1];
    def.shape = fill.shape;
    def.at = fill.at;
    bool moves = strcmp(w->word[6], "dynamic") == 0;
    def.motion.kind = moves ? FIRN_MOTION_DYNAMIC : FIRN_MOTION_FIXED;
    return firn_world_add_body(world, &def, NULL);
}

// The rest of a line behind so many words.
static const char *rest_after(const char *line, int count) {
    for (; count > 0; count--) {
        line += strspn(line, " ");
        line += strcspn(line, " ");
    }
    return line + strspn(line, " ");
}

static firn_status add_water(firn_world *world, const char *name, const double n[4]) {
    if (has_model(world, "phase")) {
        firn_phase_water_def def = firn_phase_water_def_default();
        def.name = name;
        def.fill = sphere(vector(n), n[3]);
        return firn_world_add_phase_water(world, &def);
    }
    firn_pbd_pool_def def = firn_pbd_pool_def_default();
    def.name = name;
    def.fill = sphere(vector(n), n[3]);
    return firn_world_add_pool(world, &def);
}

static firn_status pour_snow(firn_world *world, const char *name, const double n[4], const char *type) {
    const double ball[7] = {n[0], n[1], n[2], 0, -1, 0, n[3]};
    if (has_model(world, "mpm") || has_model(world, "phase")) return add_ball(world, name, ball, type);
    firn_grains_fill_def def = firn_grains_fill_def_default();
    def.name = name;
    def.fill = sphere(vector(n), n[3]);
    return firn_world_add_grains(world, &def);
}

// What 1 K more of a body takes, J/kg: about that of concrete, wood and stone.
#define BODY_CAPACITY 1000

// A body that was insulated begins with the temperature of the air.
static firn_status warm_body(firn_world *world, const char *body, double heat) {
    char name[256], value[64];
    double now, air = 0;
    snprintf(name, sizeof name, "bodies.%s.temperature", body);
    firn_status status = firn_world_get(world, "air.temperature", &air);
    if (firn_world_get(world, name, &now) != FIRN_OK || !isfinite(now)) now = air;
    now = fmin(fmax(now + heat / BODY_CAPACITY, -270), 2000);
    snprintf(value, sizeof value, "%.17g C", now);
    return status == FIRN_OK ? firn_world_set_text(world, name, value) : status;
}

static firn_status heat_there(firn_world *world, const words *w, const double n[5]) {
    firn_status status = firn_world_heat_inside(world, sphere(vector(n), n[3]), n[4]);
    if (w->count < 7 || (status != FIRN_OK && status != FIRN_UNSUPPORTED)) return status;
    return warm_body(world, w->word[6], n[4]);
}

static firn_status move_body(firn_world *world, const words *w, const double *n) {
    size_t body = firn_world_body_find(world, w->word[1]);
    if (strcmp(w->word[0], "push") == 0) return firn_world_body_push(world, body, vector(n), vector(n + 3));
    firn_body_state now = firn_world_body_state(world, body);
    firn_quat to = w->count > 6 ? (firn_quat){n[4], n[5], n[6], n[7]} : now.rotation;
    return firn_world_body_set_target(world, body, vector(n), to, n[3]);
}

// Where the wind comes from at turn 0, degrees; below 0: there is no wind.
static double inflow_side(const firn_world *world) {
    static const char *const sides[] = {"north", "east", "south", "west"};
    char text[128];
    if (!has_model(world, "wind")) return -1;
    if (firn_world_get_text(world, "wind.inflow.side", text, sizeof text) != FIRN_OK) return -1;
    for (int i = 0; i < 4; i++)
        if (strcmp(text, sides[i]) == 0) return 90 * i;
    return -1;
}

static const double RADIAN = 180 / 3.14159265358979323846; // degrees

bool touch_wind(const firn_world *world, double *from, double *speed) {
    double side = inflow_side(world), turn;
    if (side < 0 || firn_world_get(world, "wind.inflow.turn", &turn) != FIRN_OK) return false;
    *from = fmod(side + fmod(turn * RADIAN, 360) + 360, 360);
    return firn_world_get(world, "wind.inflow.speed", speed) == FIRN_OK;
}

// Both or none.
static firn_status set_wind(firn_world *world, double from, double speed) {
    double before = 0, turn = remainder(from - inflow_side(world), 360) / RADIAN;
    firn_status status = firn_world_get(world, "wind.inflow.speed", &before);
    if (status == FIRN_OK) status = firn_world_set(world, "wind.inflow.speed", speed);
    if (status != FIRN_OK) return status;
    status = firn_world_set(world, "wind.inflow.turn", turn);
    if (status != FIRN_OK) firn_world_set(world, "wind.inflow.speed", before);
    return status;
}

firn_status touch_apply(firn_world *world, const char *line, char *why, size_t room) {
    words w;
    double n[8];
    split(line, &w);
    const char *verb = w.count ? w.word[0] : "";
    firn_status status;
    if (strcmp(verb, "set") == 0 && w.count > 2)
        status = firn_world_set_text(world, w.word[1], strchr(strchr(line, ' ') + 1, ' ') + 1);
    else if (strcmp(verb, "wind") == 0 && w.count == 3 && read_numbers(&w, 1, n, 2)) {
        if (inflow_side(world) < 0) return refuse(why, room, "this scene has no wind");
        status = set_wind(world, n[0], n[1]);
    } else if (strcmp(verb, "push") == 0 && w.count == 8 && read_numbers(&w, 2, n, 6))
        status = move_body(world, &w, n);
    else if (strcmp(verb, "target") == 0 && w.count == 6 && read_numbers(&w, 2, n, 4))
        status = move_body(world, &w, n);
    else if (strcmp(verb, "target") == 0 && w.count == 10 && read_numbers(&w, 2, n, 8))
        status = move_body(world, &w, n);
    else if (strcmp(verb, "ball") == 0 && w.count == 10 && read_numbers(&w, 2, n, 7))
        status = add_ball(world, w.word[1], n, w.word[9]);
    else if (strcmp(verb, "mesh") == 0 && w.count > 7 && read_numbers(&w, 2, n, 4))
        status = add_mesh(world, &w, n, rest_after(line, 7));
    else if (strcmp(verb, "water") == 0 && w.count == 6 && read_numbers(&w, 2, n, 4))
        status = add_water(world, w.word[1], n);
    else if (strcmp(verb, "pour") == 0 && w.count == 7 && read_numbers(&w, 2, n, 4))
        status = pour_snow(world, w.word[1], n, w.word[6]);
    else if (strcmp(verb, "heap") == 0 && w.count == 5 && read_numbers(&w, 1, n, 4))
        status = firn_world_heap(world, n[0], n[1], n[2], n[3]);
    else if (strcmp(verb, "shove") == 0 && w.count == 8 && read_numbers(&w, 1, n, 7))
        status = firn_world_push_inside(world, sphere(vector(n), n[3]), vector(n + 4));
    else if (strcmp(verb, "dig") == 0 && w.count == 5 && read_numbers(&w, 1, n, 4))
        status = firn_world_remove_inside(world, sphere(vector(n), n[3]));
    else if (strcmp(verb, "heat") == 0 && w.count >= 6 && w.count <= 7 && read_numbers(&w, 1, n, 5))
        status = heat_there(world, &w, n);
    else if (strcmp(verb, "remove") == 0 && w.count == 2)
        status = firn_world_remove(world, w.word[1]);
    else
        return refuse(why, room, "invalid touch '%s'", line);
    if (status != FIRN_OK) snprintf(why, room, "%s", firn_last_error());
    return status;
}
