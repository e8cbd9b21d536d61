#include "scene/scene.h"

#include <math.h>
#include <stdio.h>

#include "world/world.h"

#define CAMERA_AT(member) offsetof(scene_camera, member)
#define KEY_AT(member) offsetof(camera_key, member)
#define PICTURE_AT(member) offsetof(scene_picture, member)
#define VIEW_AT(member) offsetof(scene_view, member)
#define SCENE_AT(member) offsetof(scene_def, member)

static const param_row key_rows[] = {
    {.name = "time",
     .type = PARAM_REAL,
     .offset = KEY_AT(time),
     .unit = DIM_TIME,
     .required = true,
     .min = -1e7,
     .max = 1e7,
     .help = "when the camera is there"},
    {.name = "from",
     .type = PARAM_VEC3,
     .offset = KEY_AT(from),
     .unit = DIM_LENGTH,
     .fallback = "[6 m, 3 m, 8 m]",
     .min = -1e6,
     .max = 1e6,
     .help = "where it stands then"},
    {.name = "to",
     .type = PARAM_VEC3,
     .offset = KEY_AT(to),
     .unit = DIM_LENGTH,
     .fallback = "[0, 1 m, 0]",
     .min = -1e6,
     .max = 1e6,
     .help = "what it looks at then"},
    {0},
};

static bool same_point(firn_vec3 a, firn_vec3 b) {
    return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z) < 1e-6;
}

static const char looks_at_itself[] = "the camera stands where it looks at";

static void check_key(const void *item, param_report *report) {
    const camera_key *key = item;
    if (same_point(key->from, key->to)) report->add(report, "to", looks_at_itself);
}

static const param_table key_params = {.name = "camera.keyframes",
                                       .help = "a moment of a camera that moves: {time, from, to}",
                                       .rows = key_rows,
                                       .size = sizeof(camera_key),
                                       .check = check_key};

static const param_row camera_rows[] = {
    {.name = "from",
     .type = PARAM_VEC3,
     .offset = CAMERA_AT(from),
     .unit = DIM_LENGTH,
     .fallback = "[6 m, 3 m, 8 m]",
     .min = -1e6,
     .max = 1e6,
     .help = "where the camera stands"},
    {.name = "to",
     .type = PARAM_VEC3,
     .offset = CAMERA_AT(to),
     .unit = DIM_LENGTH,
     .fallback = "[0, 1 m, 0]",
     .min = -1e6,
     .max = 1e6,
     .help = "what it looks at"},
    {.name = "lens",
     .type = PARAM_REAL,
     .offset = CAMERA_AT(lens),
     .unit = DIM_LENGTH,
     .fallback = "35 mm",
     .min = 0.005,
     .max = 2,
     .help = "focal length for a picture 36 mm wide: 20 mm sees much, 35 mm is natural, 100 mm brings near",
     .range_note = "lenses of cameras are 8 mm to 1 m long"},
    {.name = "orbit",
     .type = PARAM_REAL,
     .offset = CAMERA_AT(orbit),
     .unit = DIM_SPIN,
     .fallback = "0",
     .min = -100,
     .max = 100,
     .help = "turns about the vertical line through `to`: 10 deg/s"},
    {.name = "keyframes",
     .type = PARAM_LIST,
     .offset = CAMERA_AT(keyframes),
     .table = &key_params,
     .help = "moments {time, from, to} in order of time; they replace from and to"},
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

static const param_table camera_params = {.name = "camera",
                                          .help = "a camera: {from, to, lens}",
                                          .rows = camera_rows,
                                          .size = sizeof(scene_camera),
                                          .check = check_camera};
static const param_table cameras_params = {.name = "cameras",
                                           .help = "a camera: {from, to, lens}",
                                           .rows = camera_rows,
                                           .size = sizeof(scene_camera),
                                           .check = check_camera};

static const char *const wind_choices[] = {"lines", "slice", "none", NULL};
static const char *const axis_choices[] = {"x", "y", "z", NULL};
static const char *const flake_choices[] = {"sprites", "points", "none", NULL};
static const char *const snow_choices[] = {"surface", "points", NULL};

static const char *const view_snow_choices[] = {"same", "surface", "points", NULL};

static const param_row view_rows[] = {
    {.name = "color",
     .type = PARAM_TEXT,
     .offset = VIEW_AT(color),
     .unhashed = true,
     .help =
         "a field that colours this view, such as phase.temperature; none: what things look like; absent: "
         "picture.color"},
    {.name = "color_low",
     .type = PARAM_REAL,
     .offset = VIEW_AT(color_low),
     .fallback = "0",
     .unhashed = true,
     .help = "value at the cold end of its colours, as in the legend"},
    {.name = "color_high",
     .type = PARAM_REAL,
     .offset = VIEW_AT(color_high),
     .fallback = "0",
     .unhashed = true,
     .help = "value at the warm end; both 0: from the data of each frame"},
    {.name = "snow",
     .type = PARAM_CHOICE,
     .offset = VIEW_AT(snow),
     .choices = view_snow_choices,
     .fallback = "same",
     .unhashed = true,
     .help = "surface or points; same: as picture.snow"},
    {.name = "camera",
     .type = PARAM_TEXT,
     .offset = VIEW_AT(camera),
     .unhashed = true,
     .help = "name of the camera of this view; absent: that of the picture"},
    {0},
};

static void check_view(const void *item, param_report *report) {
    const scene_view *v = item;
    if (v->color_low > v->color_high) report->add(report, "color_low", "must not be above color_high");
    if (!v->color && (v->color_low != 0 || v->color_high != 0))
        report->add(report, v->color_low != 0 ? "color_low" : "color_high",
                    "is a value of this view's `color`, and there is none");
}

static const param_table view_params = {.name = "picture.views",
                                        .help = "a view of the picture: {color, camera}",
                                        .rows = view_rows,
                                        .size = sizeof(scene_view),
                                        .check = check_view};

static const param_row picture_rows[] = {
    {.name = "width",
     .type = PARAM_INT,
     .offset = PICTURE_AT(width),
     .fallback = "1280",
     .min = 16,
     .max = 8192,
     .help = "pixels from left to right"},
    {.name = "height",
     .type = PARAM_INT,
     .offset = PICTURE_AT(height),
     .fallback = "720",
     .min = 16,
     .max = 8192,
     .help = "pixels from top to bottom"},
    {.name = "color",
     .type = PARAM_TEXT,
     .offset = PICTURE_AT(color),
     .help = "a field that colours the snow, such as mpm.speed; none: snow white"},
    {.name = "color_low",
     .type = PARAM_REAL,
     .offset = PICTURE_AT(color_low),
     .fallback = "0",
     .help =
         "value at the cold end of the colours, as in the legend: in the field's unit, temperatures in C"},
    {.name = "color_high",
     .type = PARAM_REAL,
     .offset = PICTURE_AT(color_high),
     .fallback = "0",
     .help = "value at the warm end; both 0: from the data of each frame"},
    {.name = "bodies",
     .type = PARAM_BOOL,
     .offset = PICTURE_AT(bodies),
     .fallback = "true",
     .help = "draw the bodies"},
    {.name = "snow",
     .type = PARAM_CHOICE,
     .offset = PICTURE_AT(snow),
     .choices = snow_choices,
     .fallback = "surface",
     .help = "how snow of the material point method and liquids are drawn: a smooth surface, or particles as "
             "points"},
    {.name = "wind",
     .type = PARAM_CHOICE,
     .offset = PICTURE_AT(wind),
     .fallback = "lines",
     .choices = wind_choices,
     .unhashed = true,
     .help = "lines: streamlines, coloured by the speed of the air; slice: a plane of these colours, with "
             "arrows; none: wind is not seen"},
    {.name = "slice",
     .type = PARAM_CHOICE,
     .offset = PICTURE_AT(slice),
     .fallback = "z",
     .choices = axis_choices,
     .unhashed = true,
     .help = "which axis the slice of the wind is cut across: z and x stand upright, y lies flat"},
    {.name = "slice_at",
     .type = PARAM_REAL,
     .offset = PICTURE_AT(slice_at),
     .unit = DIM_LENGTH,
     .fallback = "0",
     .min = -1e6,
     .max = 1e6,
     .unhashed = true,
     .help = "where on that axis; beyond the air it is moved to its border"},
    {.name = "flakes",
     .type = PARAM_CHOICE,
     .offset = PICTURE_AT(flakes),
     .fallback = "sprites",
     .choices = flake_choices,
     .unhashed = true,
     .help = "sprites: soft spots and streaks that fade with the distance; points: small spheres with "
             "shadows; none: flakes in the air are not seen"},
    {.name = "flake_size",
     .type = PARAM_REAL,
     .offset = PICTURE_AT(flake_size),
     .fallback = "1",
     .min = 0.01,
     .max = 100,
     .unhashed = true,
     .help = "of flakes drawn as sprites, times their own size"},
    {.name = "shutter",
     .type = PARAM_REAL,
     .offset = PICTURE_AT(shutter),
     .unit = DIM_TIME,
     .fallback = "8 ms",
     .min = 0,
     .max = 10,
     .unhashed = true,
     .help = "exposure of a picture: flakes are streaks as long as their way in that time; 0: dots"},
    {.name = "haze",
     .type = PARAM_REAL,
     .offset = PICTURE_AT(haze),
     .unit = DIM_LENGTH,
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .unhashed = true,
     .help = "how far one sees through the air: 100 m in a blizzard; 0: clear air"},
    {.name = "clearness",
     .type = PARAM_REAL,
     .offset = PICTURE_AT(clearness),
     .unit = DIM_LENGTH,
     .fallback = "3 m",
     .min = 1e-3,
     .max = 1e4,
     .unhashed = true,
     .help = "how far one sees through water and other liquids: 20 m in a mountain lake, 5 cm in milk; what "
             "is deeper has the liquid's own colour",
     .range_note = "1 mm is as good as paint"},
    {.name = "points",
     .type = PARAM_BOOL,
     .offset = PICTURE_AT(points),
     .fallback = "true",
     .help = "draw grains and particles as small spheres"},
    {.name = "links",
     .type = PARAM_BOOL,
     .offset = PICTURE_AT(links),
     .fallback = "false",
     .help = "draw the links of particle solids as lines: blue squeezed, pale at rest, red stretched"},
    {.name = "ground_grid",
     .type = PARAM_BOOL,
     .offset = PICTURE_AT(ground_grid),
     .fallback = "false",
     .help = "lines every metre on planes"},
    {.name = "endless",
     .type = PARAM_BOOL,
     .offset = PICTURE_AT(endless),
     .fallback = "true",
     .help = "untouched snow goes on beyond the border of the snow field; false: the field is cut there"},
    {.name = "labels",
     .type = PARAM_BOOL,
     .offset = PICTURE_AT(labels),
     .fallback = "true",
     .help = "title and time in a corner, legend of the colours"},
    {.name = "sun",
     .type = PARAM_VEC3,
     .offset = PICTURE_AT(sun),
     .fallback = "[-0.6, 0.4, 0.45]",
     .min = -1e3,
     .max = 1e3,
     .help = "direction towards the sun"},
    {.name = "sun_strength",
     .type = PARAM_REAL,
     .offset = PICTURE_AT(sun_strength),
     .fallback = "3",
     .min = 0,
     .max = 100,
     .help = "brightness of what the sun meets"},
    {.name = "sky_strength",
     .type = PARAM_REAL,
     .offset = PICTURE_AT(sky_strength),
     .fallback = "1",
     .min = 0,
     .max = 100,
     .help = "brightness of the light from all sides"},
    {.name = "sky_color",
     .type = PARAM_COLOR,
     .offset = PICTURE_AT(sky_color),
     .fallback = "[0.42, 0.6, 0.85]",
     .help = "of the sky and its light"},
    {.name = "samples",
     .type = PARAM_INT,
     .offset = PICTURE_AT(samples),
     .fallback = "2",
     .min = 1,
     .max = 4,
     .help = "smooth edges: 1 is fast, 2 good, 4 slow and smooth"},
    {.name = "views",
     .type = PARAM_MAP,
     .offset = PICTURE_AT(views),
     .table = &view_params,
     .unhashed = true,
     .help = "up to 4 views of the same moment beside each other, each with its name: "
             "{snow: {color: none}, heat: {color: phase.temperature}}"},
    {0},
};

static void check_picture(const void *item, param_report *report) {
    const scene_picture *p = item;
    if (same_point(p->sun, (firn_vec3){0, 0, 0}))
        report->add(report, "sun", "a direction cannot be [0, 0, 0]");
    if (p->color_low > p->color_high) report->add(report, "color_low", "must not be above color_high");
    if (p->views.count > SCENE_VIEWS) report->add(report, "views", "at most 4 views stand beside each other");
    if (p->samples == 3) report->add(report, "samples", "must be 1, 2 or 4");
}

static const param_table picture_params = {.name = "picture",
                                           .help = "how pictures and movies look",
                                           .rows = picture_rows,
                                           .size = sizeof(scene_picture),
                                           .check = check_picture};

static const param_row rows[] = {
    {.name = "firn",
     .type = PARAM_INT,
     .offset = SCENE_AT(version),
     .required = true,
     .min = 1,
     .max = 1,
     .help = "version of the scene language",
     .range_note = "this program reads version 1 of the scene language"},
    {.name = "world", .type = PARAM_MERGE, .offset = SCENE_AT(world), .table = &world_params},
    {.name = "camera",
     .type = PARAM_OPTIONAL,
     .offset = SCENE_AT(camera_written),
     .table = &camera_params,
     .unhashed = true,
     .help = "the camera; without it pictures frame the whole scene"},
    {.name = "cameras",
     .type = PARAM_MAP,
     .offset = SCENE_AT(cameras),
     .table = &cameras_params,
     .unhashed = true,
     .help = "more cameras by name, for `firn render --camera NAME`"},
    {.name = "picture",
     .type = PARAM_TABLE,
     .offset = SCENE_AT(picture),
     .table = &picture_params,
     .unhashed = true,
     .help = "how pictures and movies look"},
    {.name = "checkpoint",
     .type = PARAM_INT,
     .offset = SCENE_AT(checkpoint),
     .fallback = "10",
     .min = 1,
     .max = 1e6,
     .unhashed = true,
     .help = "frames between two checkpoints, from which a killed run goes on"},
    {.name = "compress",
     .type = PARAM_BOOL,
     .offset = SCENE_AT(compress),
     .fallback = "false",
     .unhashed = true,
     .help = "smaller frames, slower to write"},
    {0},
};

const param_table scene_params = {.name = "", .help = "a scene", .rows = rows, .size = sizeof(scene_def)};

scene_camera scene_camera_default(void) {
    scene_camera camera;
    param_defaults(&camera_params, &camera);
    return camera;
}
