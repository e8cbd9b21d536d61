// Parameter tables of the scene itself: camera, picture, checkpoints.
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>

#include "base/param_rows.h"
#include "world/world.h"

#define SCENE_AT(member) offsetof(scene_def, member)

static const param_row key_rows[] = {
    REAL_ROW(camera_key, time, DIM_TIME, NULL, -1e7, 1e7, "time of this pose", .required = true),
    VEC3_ROW(camera_key, from, DIM_LENGTH, "[6 m, 3 m, 8 m]", -1e6, 1e6,
             "position of the camera at that time"),
    VEC3_ROW(camera_key, to, DIM_LENGTH, "[0, 1 m, 0]", -1e6, 1e6,
             "point that the camera looks at, at that time"),
    {0},
};

static bool same_point(firn_vec3 a, firn_vec3 b) {
    return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z) < 1e-6;
}

static const char looks_at_itself[] = "from and to are the same point";

static void check_key(const void *item, param_report *report) {
    const camera_key *key = item;
    if (same_point(key->from, key->to)) report->add(report, "to", looks_at_itself);
}

static const param_table key_params =
    TABLE_OF(camera_key, "camera.keyframes", "a pose of a moving camera: {time, from, to}", key_rows,
             .check = check_key);

static const param_row camera_rows[] = {
    VEC3_ROW(scene_camera, from, DIM_LENGTH, "[6 m, 3 m, 8 m]", -1e6, 1e6, "position of the camera"),
    VEC3_ROW(scene_camera, to, DIM_LENGTH, "[0, 1 m, 0]", -1e6, 1e6, "point that it looks at"),
    REAL_ROW(
        scene_camera, lens, DIM_LENGTH, "35 mm", 0.005, 2,
        "focal length for a sensor 36 mm wide: 20 mm is a wide angle, 35 mm natural, 100 mm a telephoto lens",
        .range_note = "lenses of cameras are 8 mm to 1 m long"),
    REAL_ROW(scene_camera, orbit, DIM_SPIN, "0", -100, 100,
             "angular velocity about the vertical axis through `to`, such as 10 deg/s"),
    REAL_ROW(scene_camera, aperture, DIM_LENGTH, "0", 0, 1,
             "diameter of the open lens, with `firn render --quality final`: the wider, the more blurred is "
             "what is not "
             "in focus; 0: everything is sharp"),
    REAL_ROW(scene_camera, focus, DIM_LENGTH, "0", 0, 1e6,
             "distance at which things are sharp when the aperture is not 0; 0: the distance of `to`"),
    LIST_ROW(scene_camera, keyframes, &key_params,
             "poses {time, from, to} in order of time; they replace from and to"),
    {0},
};

static void check_camera(const void *item, param_report *report) {
    const scene_camera *camera = item;
    if (camera->keyframes.count == 0 && same_point(camera->from, camera->to))
        report->add(report, "to", looks_at_itself);
    for (size_t i = 1; i < camera->keyframes.count; i++) {
        if (camera->keyframes.items[i].time > camera->keyframes.items[i - 1].time) continue;
        char message[100];
        snprintf(message, sizeof message,
                 "times must increase: keyframe %zu is not later than the one before it", i + 1);
        report->add(report, "keyframes", message);
    }
}

static const param_table camera_params =
    TABLE_OF(scene_camera, "camera", "a camera: {from, to, lens}", camera_rows, .check = check_camera);
static const param_table cameras_params =
    TABLE_OF(scene_camera, "cameras", "a camera: {from, to, lens}", camera_rows, .check = check_camera);

static const char *const wind_choices[] = {"auto", "lines", "slice", "none", NULL};
static const char *const slice_choices[] = {"speed", "vorticity", "pressure", "divergence", "warmth", NULL};
static const char *const axis_choices[] = {"x", "y", "z", NULL};
static const char *const light_choices[] = {"as-given", "clear", "overcast", "storm", "dusk", "night", NULL};
static const char *const flake_choices[] = {"sprites", "points", "none", NULL};
static const char *const color_map_choices[] = {"sequential", "gray", "diverging", NULL};
static const char *const snow_choices[] = {"surface", "points", NULL};

static const char *const clip_choices[] = {"none", "x", "y", "z", "below-x", "below-y", "below-z", NULL};
static const char *const box_choices[] = {"none", "edges", "glass", NULL};

static const char *const view_snow_choices[] = {"same", "surface", "points", NULL};

static const param_row view_rows[] = {
    TEXT_ROW(scene_view, color,
             "a field that colours this view, such as phase.temperature; none: natural colours; not given: "
             "picture.color",
             .unhashed = true),
    REAL_ROW(scene_view, color_low, DIM_NONE, "0", 0, 0,
             "value at the cold end of its colours, as in the legend", .unhashed = true),
    REAL_ROW(scene_view, color_high, DIM_NONE, "0", 0, 0,
             "value at the warm end; both 0: from the data of each frame", .unhashed = true),
    CHOICE_ROW(scene_view, snow, "same", view_snow_choices, "surface or points; same: as picture.snow",
               .unhashed = true),
    TEXT_ROW(scene_view, camera, "name of the camera of this view; not given: that of the picture",
             .unhashed = true),
    {0},
};

static void check_view(const void *item, param_report *report) {
    const scene_view *v = item;
    if (v->color_low > v->color_high) report->add(report, "color_low", "must not be above color_high");
    if (!v->color && (v->color_low != 0 || v->color_high != 0))
        report->add(report, v->color_low != 0 ? "color_low" : "color_high",
                    "belongs to this view's `color`, which is not given");
}

static const param_table view_params = TABLE_OF(
    scene_view, "picture.views", "a view of the picture: {color, camera}", view_rows, .check = check_view);

static const param_row caption_rows[] = {
    REAL_ROW(scene_caption, time, DIM_TIME, NULL, 0, 1e7, "from when on", .required = true),
    TEXT_ROW(scene_caption, text, "what is written; not given: nothing"),
    {0},
};
static const param_table caption_params =
    TABLE_OF(scene_caption, "picture.captions", "a caption: {time, text}", caption_rows);

static const param_row picture_rows[] = {
    INT_ROW(scene_picture, width, "1280", 16, 8192, "width in pixels"),
    INT_ROW(scene_picture, height, "720", 16, 8192, "height in pixels"),
    TEXT_ROW(scene_picture, color, "field that colours the snow, such as mpm.speed; not given: white"),
    REAL_ROW(
        scene_picture, color_low, DIM_NONE, "0", 0, 0,
        "value at the cold end of the colours, as in the legend: in the field's unit, temperatures in C"),
    REAL_ROW(scene_picture, color_high, DIM_NONE, "0", 0, 0,
             "value at the warm end; both 0: from the data of each frame"),
    CHOICE_ROW(
        scene_picture, color_map, "sequential", color_map_choices,
        "the colours, evenly lighter or darker to the eye: sequential: dark blue over violet and red to "
        "yellow; gray: dark to light; diverging: blue and red at the ends, nearly white in the middle",
        .unhashed = true),
    BOOL_ROW(scene_picture, bodies, "true", "draw the bodies"),
    TEXT_ROW(scene_picture, hide,
             "models that are not drawn, such as \"mpm cover\": any of grains, mpm, field, pbd, phase, wind, "
             "cover; not given: all are drawn",
             .unhashed = true),
    CHOICE_ROW(scene_picture, snow, "surface", snow_choices,
               "how snow of the material point method, liquids and solids of particles are drawn: a smooth "
               "surface, or particles as points"),
    CHOICE_ROW(scene_picture, wind, "auto", wind_choices,
               "lines: streamlines, coloured by the speed of the air; slice: a plane of these colours, with "
               "arrows; none: wind is not drawn; auto: lines, but none in scenes with flakes or snow",
               .unhashed = true),
    CHOICE_ROW(scene_picture, slice, "z", axis_choices,
               "axis perpendicular to the slice of the wind: x and z give upright slices, y a horizontal one",
               .unhashed = true),
    REAL_ROW(scene_picture, slice_at, DIM_LENGTH, "0", -1e6, 1e6,
             "position on that axis; a slice outside of the domain is moved to its boundary",
             .unhashed = true),
    CHOICE_ROW(
        scene_picture, slice_of, "speed", slice_choices,
        "what the colours of the slice show: speed (m/s), vorticity (1/s; the magnitude), pressure (Pa, "
        "above that of the undisturbed air), divergence (1/s; what the pressure solver left) or warmth (K "
        "above "
        "the undisturbed air; needs wind.buoyancy)",
        .unhashed = true),
    CHOICE_ROW(scene_picture, flakes, "sprites", flake_choices,
               "sprites: soft spots and streaks that fade with the distance; points: small spheres with "
               "shadows; none: flakes in the air are not drawn",
               .unhashed = true),
    REAL_ROW(scene_picture, flake_size, DIM_NONE, "1", 0.01, 100,
             "size of flakes drawn as sprites, relative to their own", .unhashed = true),
    REAL_ROW(
        scene_picture, powder, DIM_NONE, "1", 0, 4,
        "how dense the clouds of powder are that snow of mpm and loose bits of a field throw up where they "
        "break, land or fly; 0: none",
        .unhashed = true),
    REAL_ROW(scene_picture, shutter, DIM_TIME, "8 ms", 0, 10,
             "exposure time of a picture: flakes are drawn as streaks as long as the distance they move in "
             "it, and final quality blurs all that moves; 0: nothing is blurred",
             .unhashed = true),
    REAL_ROW(scene_picture, haze, DIM_LENGTH, "0", 0, 1e6,
             "visibility through the air, such as 100 m in a blizzard; 0: clear air", .unhashed = true),
    REAL_ROW(scene_picture, clearness, DIM_LENGTH, "3 m", 1e-3, 1e4,
             "visibility through water and other liquids: 20 m in a mountain lake, 5 cm in milk; deeper "
             "parts have the liquid's own colour",
             .unhashed = true, .range_note = "1 mm is as good as paint"),
    CHOICE_ROW(scene_picture, box, "none", box_choices,
               "the box that confines the particles of pbd or phase: its edges as bars; glass: panes on the "
               "sides towards the camera as well; none: it is not drawn",
               .unhashed = true),
    BOOL_ROW(scene_picture, points, "true", "draw grains and particles as small spheres"),
    BOOL_ROW(scene_picture, links, "false",
             "draw the links of particle solids as lines: blue compressed, pale at rest, red stretched"),
    BOOL_ROW(scene_picture, domains, "false",
             "draw the edges of the domains: the grid of the wind, the snow field, the box of pbd or phase",
             .unhashed = true),
    REAL_ROW(scene_picture, arrow_time, DIM_TIME, "0", 0, 100,
             "draw arrows from particles and bodies to where they are after this time at their present "
             "velocity, such as 0.1 s; at most 3000 of each model; 0: none",
             .unhashed = true),
    CHOICE_ROW(scene_picture, clip, "none", clip_choices,
               "cuts the picture open: x, y or z hide everything whose x, y or z is larger than clip_at, "
               "below-x, below-y and below-z what is smaller; endless planes stay",
               .unhashed = true),
    REAL_ROW(scene_picture, clip_at, DIM_LENGTH, "0", -1e6, 1e6, "position of the clip plane on its axis",
             .unhashed = true),
    BOOL_ROW(scene_picture, ground_grid, "false", "draw grid lines every metre on planes"),
    BOOL_ROW(scene_picture, endless, "true",
             "untouched snow continues beyond the edge of the snow field, and of the cover on a plane; "
             "false: it ends "
             "there"),
    BOOL_ROW(scene_picture, labels, "true", "draw title and time in a corner, and the legend of the colours"),
    CHOICE_ROW(scene_picture, light, "as-given", light_choices,
               "the light in one word: clear, overcast, storm, dusk or night. It replaces sun_strength, "
               "sky_strength and "
               "sky_color, the height of the sun (but for clear) and, in a storm, haze unless that is given; "
               "in storm, "
               "dusk and night lamp posts give light. as-given: as the keys below say",
               .unhashed = true),
    VEC3_ROW(scene_picture, sun, DIM_NONE, "[-0.6, 0.4, 0.45]", -1e3, 1e3, "direction towards the sun"),
    REAL_ROW(scene_picture, sun_strength, DIM_NONE, "3", 0, 100, "brightness of direct sunlight"),
    REAL_ROW(scene_picture, sky_strength, DIM_NONE, "1", 0, 100,
             "brightness of the ambient light of the sky"),
    COLOR_ROW(scene_picture, sky_color, "[0.42, 0.6, 0.85]", "colour of the sky and its light"),
    REAL_ROW(scene_picture, exposure, DIM_NONE, "0", -6, 6,
             "stops by which a picture is brighter than it is exposed by itself, for snow in the sun: 1 is "
             "twice as "
             "bright, -1 half; below 0 snow in a low sun keeps its relief",
             .unhashed = true),
    INT_ROW(scene_picture, samples, "2", 1, 4,
            "samples per pixel and axis, for smooth edges: 1 is fast, 2 good, 4 slow and smooth"),
    REAL_ROW(
        scene_picture, noise, DIM_NONE, "0.03", 0.001, 1,
        "with `firn render --quality final`: samples are added until the standard error of a pixel, before "
        "denoising, is below this share of its brightness; half of it takes four times as long",
        .unhashed = true),
    LIST_ROW(scene_picture, captions, &caption_params,
             "words below the picture, each from its time on until the next", .unhashed = true),
    MAP_ROW(scene_picture, views, &view_params,
            "up to 4 views of the same time side by side, by name: {snow: {color: none}, "
            "heat: {color: phase.temperature}}",
            .unhashed = true),
    {0},
};

static void check_hidden(const char *names, param_report *report) {
    static const char *const known[] = {"grains", "mpm", "field", "pbd", "phase", "wind", "cover"};
    for (const char *word = names; word && *word;) {
        size_t length = strcspn(word, " "), k = 0;
        while (k < 7 && !(strlen(known[k]) == length && strncmp(word, known[k], length) == 0)) k++;
        if (length > 0 && k == 7)
            return report->add(report, "hide",
                               "unknown model; allowed: grains, mpm, field, pbd, phase, wind, cover");
        word += length + (word[length] == ' ');
    }
}

static void check_picture(const void *item, param_report *report) {
    const scene_picture *p = item;
    if (same_point(p->sun, (firn_vec3){0, 0, 0}))
        report->add(report, "sun", "a direction cannot be [0, 0, 0]");
    if (p->color_low > p->color_high) report->add(report, "color_low", "must not be above color_high");
    for (size_t i = 1; i < p->captions.count; i++)
        if (!(p->captions.items[i].time > p->captions.items[i - 1].time))
            report->add(report, "captions", "must be in order of time");
    if (p->views.count > SCENE_VIEWS) report->add(report, "views", "too many views: at most 4");
    check_hidden(p->hide, report);
    if (p->samples == 3) report->add(report, "samples", "must be 1, 2 or 4");
}

static const param_table picture_params =
    TABLE_OF(scene_picture, "picture", "how pictures and movies look", picture_rows, .check = check_picture);

static const param_row rows[] = {
    {.name = "firn",
     .type = PARAM_INT,
     .offset = SCENE_AT(version),
     .required = true,
     .min = 1,
     .max = 1,
     .help = "version of the scene language",
     .range_note = "this program reads version 1 of the scene language"},
    MERGE_ROW(scene_def, world, &world_params),
    {.name = "camera",
     .type = PARAM_OPTIONAL,
     .offset = SCENE_AT(camera_written),
     .table = &camera_params,
     .unhashed = true,
     .help = "the camera; without it, pictures show the whole scene"},
    MAP_ROW(scene_def, cameras, &cameras_params, "more cameras by name, for `firn render --camera NAME`",
            .unhashed = true),
    TABLE_ROW(scene_def, picture, &picture_params, "how pictures and movies look", .unhashed = true),
    INT_ROW(scene_def, checkpoint, "10", 1, 1e6,
            "frames between two checkpoints, from which a killed run continues", .unhashed = true),
    BOOL_ROW(scene_def, compress, "false", "compress frames: smaller files that take longer to write",
             .unhashed = true),
    {0},
};

const param_table scene_params = TABLE_OF(scene_def, "", "a scene", rows);

DEFAULT_OF(scene_camera, camera_params)
