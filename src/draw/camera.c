// Cameras: by name, on an orbit or between keyframes, or framing a box.
#include "draw/camera.h"

#include "base/text.h"
#include "math/dvec.h"

static const double usual_lens = 0.035; // m

firn_status camera_find(const scene_def *def, const char *name, const scene_camera **out) {
    *out = NULL;
    size_t count = def->cameras.count;
    if (!name) {
        if (def->camera_given)
            *out = &def->camera;
        else if (count)
            *out = &def->cameras.items[0];
        return FIRN_OK;
    }
    for (size_t i = 0; i < count && !*out; i++)
        if (text_equal(def->cameras.items[i].name, name)) *out = &def->cameras.items[i];
    if (*out) return FIRN_OK;
    bool is_main = text_equal(name, "main");
    if (is_main && def->camera_given) *out = &def->camera;
    if (is_main && (*out || count == 0)) return FIRN_OK; // a scene without cameras has the one that frames it
    const char **words = mem_alloc((count + 1) * sizeof *words);
    if (!words) return fail_memory("looking for a camera", (count + 1) * sizeof *words);
    words[0] = "main";
    for (size_t i = 0; i < count; i++) words[i + 1] = def->cameras.items[i].name;
    text list = {0};
    for (size_t i = def->camera_given || count == 0 ? 0 : 1; i <= count; i++)
        text_add(&list, "%s%s", list.length ? ", " : "", words[i]);
    const char *nearest = word_nearest(name, words, count + 1);
    firn_status status = fail(FIRN_BAD_INPUT, "the scene has no camera '%.100s'%s%s%s; it has: %s", name,
                              nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "",
                              list.data ? list.data : "main");
    text_free(&list);
    mem_free(words);
    return status;
}

// The slope at key i of keys with uneven times; none at both ends, where the camera stands still.
static firn_vec3 key_slope(const camera_key *k, size_t count, size_t i, bool target) {
    if (i == 0 || i + 1 == count) return dvec(0, 0, 0);
    firn_vec3 a = target ? k[i - 1].to : k[i - 1].from, b = target ? k[i + 1].to : k[i + 1].from;
    double span = k[i + 1].time - k[i - 1].time;
    return span > 0 ? dvec_scale(dvec_sub(b, a), 1 / span) : dvec(0, 0, 0);
}

// Cubic through the keys (Catmull-Rom with uneven times).
static firn_vec3 key_point(const camera_key *k, size_t count, double time, bool target) {
    if (!(time > k[0].time)) return target ? k[0].to : k[0].from;
    size_t i = 0;
    while (i + 1 < count && time >= k[i + 1].time) i++;
    firn_vec3 a = target ? k[i].to : k[i].from;
    if (i + 1 == count) return a;
    firn_vec3 b = target ? k[i + 1].to : k[i + 1].from;
    double span = k[i + 1].time - k[i].time, t = (time - k[i].time) / span, t2 = t * t, t3 = t2 * t;
    firn_vec3 out = dvec_scale(a, 2 * t3 - 3 * t2 + 1);
    out = dvec_add_scaled(out, b, 3 * t2 - 2 * t3);
    out = dvec_add_scaled(out, key_slope(k, count, i, target), span * (t3 - 2 * t2 + t));
    return dvec_add_scaled(out, key_slope(k, count, i + 1, target), span * (t3 - t2));
}

static void to_floats(firn_vec3 v, float out[3]) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

draw_camera camera_at(const scene_camera *camera, double time, firn_vec3 origin) {
    firn_vec3 from = camera->from, to = camera->to;
    if (camera->keyframes.count) {
        from = key_point(camera->keyframes.items, camera->keyframes.count, time, false);
        to = key_point(camera->keyframes.items, camera->keyframes.count, time, true);
    }
    if (camera->orbit != 0) {
        double angle = camera->orbit * time, c = cos(angle), s = sin(angle);
        firn_vec3 d = dvec_sub(from, to);
        from = dvec_add(to, dvec(c * d.x + s * d.z, d.y, c * d.z - s * d.x));
    }
    draw_camera out = {.lens = (float)((camera->lens > 0 ? camera->lens : usual_lens) / CAMERA_FILM)};
    to_floats(dvec_sub(from, origin), out.from);
    to_floats(dvec_sub(to, origin), out.to);
    return out;
}

draw_camera camera_frame(const draw_box *box, double aspect) {
    draw_box b = *box;
    if (draw_box_is_empty(&b)) b = (draw_box){{-2, 0, -2}, {2, 2, 2}};
    const double side = 38 * 3.14159265358979 / 180, height = 15 * 3.14159265358979 / 180, margin = 0.84;
    firn_vec3 back =
        dvec(sin(side) * cos(height), sin(height), cos(side) * cos(height)); // from the middle to the eye
    firn_vec3 right = dvec_normalise(dvec_cross(dvec(0, 1, 0), back)), up = dvec_cross(back, right);
    firn_vec3 middle = {0.5 * (b.low[0] + b.high[0]), 0.5 * (b.low[1] + b.high[1]),
                        0.5 * (b.low[2] + b.high[2])};
    double tangent_x = 0.5 * CAMERA_FILM / usual_lens, tangent_y = tangent_x / aspect, away = 1e-3;
    for (int corner = 0; corner < 8; corner++) {
        firn_vec3 p = {corner & 1 ? b.high[0] : b.low[0], corner & 2 ? b.high[1] : b.low[1],
                       corner & 4 ? b.high[2] : b.low[2]};
        firn_vec3 d = dvec_sub(p, middle);
        double toward = dvec_dot(d, back);
        away = fmax(away, toward + fabs(dvec_dot(d, right)) / (margin * tangent_x));
        away = fmax(away, toward + fabs(dvec_dot(d, up)) / (margin * tangent_y));
    }
    draw_camera out = {.lens = (float)(usual_lens / CAMERA_FILM)};
    to_floats(dvec_add_scaled(middle, back, away), out.from);
    to_floats(middle, out.to);
    return out;
}
