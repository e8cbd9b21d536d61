// How the world is drawn: overrides of `picture`, of which most have a choice in the panel.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/command.h"
#include "view.h"

typedef struct look_row {
    const char *label, *name;
    const char *words[8]; // the first: as the scene says
} look_row;

#define AS_GIVEN "as the scene says"
static const look_row rows[] = {
    {"colours", "color_map", {AS_GIVEN, "sequential", "gray", "diverging"}},
    {"particles", "snow", {AS_GIVEN, "surface", "points"}},
    {"air", "wind", {AS_GIVEN, "lines", "slice", "none"}},
    {"slice across", "slice", {AS_GIVEN, "x", "y", "z"}},
    {"slice of", "slice_of", {AS_GIVEN, "speed", "vorticity", "pressure", "divergence", "warmth"}},
    {"flakes", "flakes", {AS_GIVEN, "sprites", "points", "none"}},
    {"bodies", "bodies", {AS_GIVEN, "true", "false"}},
    {"points", "points", {AS_GIVEN, "true", "false"}},
    {"links", "links", {AS_GIVEN, "true", "false"}},
    {"box", "box", {AS_GIVEN, "edges", "glass", "none"}},
    {"domains", "domains", {AS_GIVEN, "true", "false"}},
    {"arrows", "arrow_time", {AS_GIVEN, "0.02 s", "0.1 s", "0.5 s", "0 s"}},
    {"cut open", "clip", {AS_GIVEN, "x", "y", "z", "below-x", "below-y", "below-z"}},
    {"ground grid", "ground_grid", {AS_GIVEN, "true", "false"}},
    {"exposure", "exposure", {AS_GIVEN, "-2", "-1", "-0.5", "0.5", "1", "2"}},
    {"light", "light", {AS_GIVEN, "clear", "overcast", "storm", "dusk", "night"}},
};
enum { ROWS = sizeof rows / sizeof *rows };

static int find_own(const view *v, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < v->own_looks; i++)
        if (strncmp(v->own_look[i], name, length) == 0 && v->own_look[i][length] == '=') return (int)i;
    return -1;
}

static const char *own_value(const view *v, const char *name) {
    int i = find_own(v, name);
    return i < 0 ? NULL : strchr(v->own_look[i], '=') + 1;
}

void view_look(view *v, const char *name, const char *value) {
    int i = find_own(v, name);
    if (!value) {
        if (i >= 0) memcpy(v->own_look[i], v->own_look[--v->own_looks], LOOK_ROOM);
    } else {
        if (i < 0 && v->own_looks == LOOKS - 1) return view_say(v, "too many changes of the picture");
        if (i < 0) i = (int)v->own_looks++;
        snprintf(v->own_look[i], LOOK_ROOM, "%s=%s", name, value);
    }
    view_send_looks(v);
}

// Ends of the colours count when both are there, in order.
static bool ends_are_good(const view *v) {
    const char *low = own_value(v, "color_low"), *high = own_value(v, "color_high");
    return low && high && strtod(low, NULL) < strtod(high, NULL);
}

static bool counts(const view *v, const char *look) {
    bool color = strncmp(look, "color_", 6) == 0 && strncmp(look, "color_map", 9) != 0;
    return !color || (v->color > 0 && ends_are_good(v));
}

void view_send_looks(view *v) {
    v->looks = 0;
    if (v->color > 0 && (size_t)v->color <= v->shown.fields)
        snprintf(v->look[v->looks++], LOOK_ROOM, "picture.color=%s", v->shown.field[v->color - 1]);
    for (size_t i = 0; i < v->own_looks; i++)
        if (counts(v, v->own_look[i]))
            snprintf(v->look[v->looks++], LOOK_ROOM, "picture.%.*s", LOOK_ROOM - 10, v->own_look[i]);
    drawer_look(v->drawer, (const char(*)[LOOK_ROOM])v->look, v->looks);
    drawer_mark(v->drawer, v->marks);
    if (!v->compare.on) return;
    drawer_look(v->compare.drawer, (const char(*)[LOOK_ROOM])v->look, v->looks);
    drawer_mark(v->compare.drawer, v->marks);
}

void view_color(view *v, const char *field) {
    v->color = 0;
    for (size_t i = 0; field && i < v->shown.fields; i++)
        if (strcmp(v->shown.field[i], field) == 0) v->color = (int)i + 1;
    if (field && v->color == 0) view_say(v, "there is no field '%s' to colour by", field);
    view_send_looks(v);
}

static void show_row(view *v, const look_row *row) {
    const char *value = own_value(v, row->name);
    int count = 0, now = 0;
    for (; count < 8 && row->words[count]; count++)
        if (value && strcmp(row->words[count], value) == 0) now = count;
    ui_width(140);
    if (ui_choice(v->gui, row->label, &now, row->words, count))
        view_look(v, row->name, now > 0 ? row->words[now] : NULL);
}

// The ends of the colours; both empty: from the data of each picture.
static void show_range(view *v) {
    static const char *const names[] = {"color_low", "color_high"}, *const labels[] = {"from", "to"};
    char text[2][64];
    bool used = false;
    for (int i = 0; i < 2; i++) {
        const char *value = own_value(v, names[i]);
        snprintf(text[i], sizeof text[i], "%s", value ? value : "");
        if (i > 0) ui_same_line(0);
        ui_width(60);
        used |= ui_field(v->gui, labels[i], text[i], sizeof text[i]);
        ui_help(
            "An end of the colours, in the unit of the legend; Enter sets it. Both empty: from the data.");
    }
    ui_same_line(0);
    if (ui_button(v->gui, "auto")) text[0][0] = text[1][0] = 0, used = true;
    if (used) view_range(v, text[0], text[1]);
}

// What is empty is asked for; both empty: from the data of each picture.
void view_range(view *v, const char *low, const char *high) {
    view_look(v, "color_low", low[0] ? low : NULL);
    view_look(v, "color_high", high[0] ? high : NULL);
    if (!low[0] != !high[0])
        view_say(v, "the colours are as before until their %s end is given, too", low[0] ? "upper" : "lower");
    else if (low[0] && !ends_are_good(v))
        view_say(v, "colours go from a lower to a higher value");
}

// Temperatures of all that has one, bodies as well.
void view_thermograph(view *v) {
    for (size_t i = 0; i < v->shown.fields; i++) {
        const char *dot = strchr(v->shown.field[i], '.');
        if (!dot || strcmp(dot, ".temperature") != 0) continue;
        view_color(v, v->shown.field[i]);
        return;
    }
    view_say(v, "nothing in this scene has a temperature: see mpm.heat, field.heat, phase");
}

// A place in the picture, within the distance of the camera.
static void show_place(view *v, const char *label, const char *name) {
    const char *value = own_value(v, name);
    const firn_camera *c = &v->picture.camera;
    double place = value ? strtod(value, NULL) : 0;
    double reach = hypot(hypot(c->from.x - c->to.x, c->from.y - c->to.y), c->from.z - c->to.z);
    char text[64];
    ui_width(140);
    if (!ui_slider(v->gui, label, &place, -reach, reach, "%.2f m")) return;
    snprintf(text, sizeof text, "%.6g m", place);
    view_look(v, name, text);
}

// ---- Lines over the picture, and models that are not drawn.

static const char *const mark_names[] = {"neighbours", "grid", "cameras", "preview"};
static const char *const mark_helps[] = {
    "Lines from the picked particle to those that it interacts with.",
    ("Cells of mpm, wind and snow field (there around the middle of the picture), and those by which grains, "
     "liquids and phase find their neighbours."),
    "The cameras of the scene, as pyramids.",
    "Cameras and domains (grid of the wind, snow field, box) until the first step is made.",
};
enum { MARKS = 4 };

bool view_mark(view *v, const char *name, bool on) {
    for (unsigned i = 0; i < MARKS; i++) {
        if (strcmp(mark_names[i], name) != 0) continue;
        v->marks = on ? v->marks | 1u << i : v->marks & ~(1u << i);
        drawer_mark(v->drawer, v->marks);
        if (v->compare.on) drawer_mark(v->compare.drawer, v->marks);
        return true;
    }
    return false;
}

static void show_marks(view *v) {
    char text[160];
    for (unsigned i = 0; i < MARKS; i++) {
        bool on = v->marks >> i & 1;
        if (i % 2) ui_same_line(120);
        if (ui_toggle(v->gui, mark_names[i], &on)) view_mark(v, mark_names[i], on);
        ui_help(mark_helps[i]);
    }
    if (v->marks & MARK_NEIGHBOURS && v->picked.hit.what == FIRN_RAY_PARTICLES) {
        snprintf(text, sizeof text, "%zu neighbours", v->shown.neighbours);
        ui_text(text);
    }
    panel_grid(v);
}

void panel_grid(const view *v) {
    char text[160];
    const marks_cells *c = &v->shown.grid;
    if (!(v->marks & MARK_GRID && c->edge > 0)) return;
    snprintf(text, sizeof text, "%zu cells of %.3g cm,\n%.1f particles in each, at most %zu", c->cells,
             100 * c->edge, c->mean, c->most);
    ui_text(text);
}

// The models that the scene has; `hide` is a list of names.
static void show_models(view *v) {
    static const char *const models[] = {"grains", "mpm", "field", "pbd", "phase", "wind", "cover"};
    const char *value = own_value(v, "hide");
    char names[LOOK_ROOM] = "", label[32];
    bool used = false, any = false;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        size_t length = strlen(models[i]), k = 0;
        const settings *all = &v->settings;
        while (k < all->count &&
               !(strncmp(all->item[k].name, models[i], length) == 0 && all->item[k].name[length] == '.'))
            k++;
        if (k == all->count) continue;
        bool shown = !value || !strstr(value, models[i]);
        if (any) ui_same_line(0);
        any = true;
        snprintf(label, sizeof label, "%s##shown", models[i]);
        used |= ui_toggle(v->gui, label, &shown);
        ui_help("Whether this model is drawn.");
        size_t used_room = strlen(names);
        if (!shown)
            snprintf(names + used_room, sizeof names - used_room, "%s%s", used_room ? " " : "", models[i]);
    }
    if (used) view_look(v, "hide", names[0] ? names : NULL);
}

void panel_picture(view *v) {
    const char *fields[65] = {AS_GIVEN};
    int count = 1;
    for (size_t i = 0; i < v->shown.fields; i++) fields[count++] = v->shown.field[i];
    ui_width(170);
    if (ui_choice(v->gui, "colour", &v->color, fields, count)) view_send_looks(v);
    if (v->color > 0) show_range(v);
    if (ui_button(v->gui, "Thermograph")) view_thermograph(v);
    ui_help("Colours by temperature: the snow, and bodies that have one.");
    show_marks(v);
    if (!ui_section(v->gui, "Show and hide", false)) return;
    if (!v->run) show_models(v);
    for (int i = 0; i < ROWS; i++) {
        show_row(v, &rows[i]);
        const char *value = own_value(v, rows[i].name);
        if (value && strcmp(rows[i].name, "clip") == 0) show_place(v, "cut at", "clip_at");
        if (value && strcmp(rows[i].name, "slice") == 0) show_place(v, "slice at", "slice_at");
    }
}

// ---- "Render this properly": what is seen, for another process.

static void write_job(view *v, FILE *out, const char *path, bool final, bool movie) {
    const firn_camera *c = v->by_hand ? &v->camera : &v->picture.camera;
    char *track = keys_track(v);
    drawer_describe(v->drawer, out);
    for (size_t i = 0; i < v->looks; i++) fprintf(out, "look %s\n", v->look[i]);
    if (v->color == 0) fprintf(out, "look picture.labels=no\n");
    int scale = v->render_size > 0 ? v->render_size : 1;
    fprintf(out, "size %d %d\nquality %s\nfps 30\noutput %s\n", v->picture_width * scale & ~1,
            v->height * scale & ~1, final ? "final" : "draft", path);
    char *rest = NULL;
    for (char *line = track ? strtok_r(track, "\n", &rest) : NULL; line && movie;
         line = strtok_r(NULL, "\n", &rest))
        fprintf(out, "look %s\n", line);
    if (movie && track)
        fprintf(out, "camera main\n");
    else if (movie && !v->by_hand && v->camera_name[0])
        fprintf(out, "camera %s\n", v->camera_name);
    else
        fprintf(out, "view %.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", c->from.x, c->from.y, c->from.z, c->to.x,
                c->to.y, c->to.z, c->lens);
    free(track);
}

static bool take_states(view *v, proper_order *o, bool movie) {
    size_t count = movie ? view_frame_count(v) : 1;
    o->state = calloc(count + 1, sizeof *o->state);
    for (size_t i = 0; o->state && i < count; i++) {
        kept *k = movie ? frames_at(sim_frames(v->sim), i) : drawer_held(v->drawer);
        if (k) o->state[o->states++] = k;
    }
    return o->state != NULL;
}

bool view_render(view *v, const char *path, bool final) {
    size_t length = strlen(path), bytes;
    bool movie = length < 4 || strcmp(path + length - 4, ".png") != 0;
    proper_order o = {.output = path};
    FILE *out = v->picture.rgba ? open_memstream(&o.text, &bytes) : NULL;
    if (!out) return false;
    write_job(v, out, path, final, movie);
    size_t count = movie ? view_frame_count(v) : 1;
    for (size_t i = 0; v->run && i < count; i++) fprintf(out, "frame %zu\n", movie ? i : (size_t)v->index);
    fclose(out);
    if (!v->run && !take_states(v, &o, movie)) return false;
    if (proper_begin(v->proper, o)) return true;
    view_say(v, "another picture is still being rendered");
    return false;
}

void panel_proper(view *v) {
    static const char *const qualities[] = {"draft", "final"}, *const sizes[] = {"as the window", "twice",
                                                                                 "3 x"};
    char text[160];
    proper_status p = proper_now(v->proper);
    int quality = v->render_final, size = v->render_size > 0 ? v->render_size - 1 : 0;
    if (p.busy) {
        snprintf(text, sizeof text, p.eta > 0 ? "rendering: %.0f %%, %.0f s left" : "rendering: %.0f %%",
                 100 * p.share, p.eta);
        ui_text_marked(text);
        ui_same_line(0);
        if (ui_button(v->gui, "Cancel")) proper_cancel(v->proper);
        return;
    }
    ui_width(70);
    if (ui_choice(v->gui, "##quality", &quality, qualities, 2)) v->render_final = quality == 1;
    ui_same_line(0);
    ui_width(110);
    if (ui_choice(v->gui, "##size", &size, sizes, 3)) v->render_size = size + 1;
    if (ui_button(v->gui, "Render this properly")) {
        snprintf(text, sizeof text, "render-%llu.png", (unsigned long long)v->picture.step);
        view_render(v, v->output[0] ? v->output : text, v->render_final);
    }
    ui_help(
        "Hands what is seen to another process, which draws it as firn render does while the window goes on: "
        "into the file above, a picture (.png) or a movie of the kept frames.");
}
