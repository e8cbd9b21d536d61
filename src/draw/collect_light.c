// The light of a picture: sun and sky as the scene's numbers or one word say, and the lamps of lamp posts.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "math/dvec.h"

// What a word stands for. height: sine of the sun's height, or the moon's; 0: as the scene says.
typedef struct light_word {
    double height, sun, sky, color[3], haze;
    bool lamps;
} light_word;

static const light_word words[] = {
    [SCENE_LIGHT_CLEAR] = {0, 3.4, 0.8, {0.36, 0.55, 0.86}, 0, false},
    [SCENE_LIGHT_OVERCAST] = {0.9, 0.5, 1.5, {0.64, 0.67, 0.72}, 0, false},
    [SCENE_LIGHT_STORM] = {0.5, 0.35, 0.55, {0.52, 0.56, 0.63}, 90, true},
    [SCENE_LIGHT_DUSK] = {0.1, 1.0, 0.34, {0.34, 0.42, 0.72}, 0, true},
    [SCENE_LIGHT_NIGHT] = {0.45, 0.07, 0.05, {0.30, 0.42, 0.72}, 0, true},
};

// The same direction over ground, at another height.
static firn_vec3 at_height(firn_vec3 sun, double height) {
    double flat = hypot(sun.x, sun.z), level = sqrt(1 - height * height);
    if (flat < 1e-9) return dvec(level, height, 0);
    return dvec(level * sun.x / flat, height, level * sun.z / flat);
}

void collect_light(collector *g) {
    const scene_picture *p = &g->scene->picture;
    draw_light *l = &g->list.light;
    light_word w = {
        0,    p->sun_strength, p->sky_strength, {p->sky_color.x, p->sky_color.y, p->sky_color.z}, p->haze,
        false};
    if (p->light != SCENE_LIGHT_AS_GIVEN) w = words[p->light];
    firn_vec3 sun = dvec_normalise(p->sun);
    if (w.height > 0) sun = at_height(sun, w.height);
    const double toward[3] = {sun.x, sun.y, sun.z};
    for (int k = 0; k < 3; k++) {
        l->sun[k] = (float)toward[k];
        l->sky_color[k] = (float)w.color[k];
    }
    l->sun_strength = (float)(w.sun / 3); // 3: a clear winter day
    l->sky_strength = (float)w.sky;
    l->stops = (float)p->exposure;
    l->haze = (float)(p->haze > 0 ? p->haze : w.haze);
    l->clear = (float)p->clearness;
    g->lamps = w.lamps;
}

// Radii of what shines and of what one sees, in heights of the post.
static const float BULB = 0.035f, GLOBE = 0.072f;

// Where the lantern of a lamp post hangs, in the frame of its mesh: on the side away from the post, at seven
// tenths of its height. size: m, its height.
static bool find_lantern(const mesh *m, float at[3], float *size) {
    float low[3], high[3], sum[3] = {0}, count = 0;
    mesh_bounds(m, low, high);
    *size = high[1] - low[1];
    for (size_t i = 0; i < m->vertices; i++) {
        const float *p = m->position[i];
        float level = (p[1] - low[1]) / *size;
        if (level < 0.6f || level > 0.8f || p[0] < 0.5f * (low[0] + high[0])) continue;
        sum[0] += p[0], sum[2] += p[2], count += 1;
    }
    at[0] = sum[0] / fmaxf(count, 1);
    at[1] = low[1] + 0.7f * *size;
    at[2] = sum[2] / fmaxf(count, 1);
    return count > 0;
}

static firn_status add_lamp(collector *g, const mesh *shape, firn_body_state state) {
    const float glow[3] = {1, 0.74f, 0.42f}, brightness = 130; // radiance
    float at[3], size;
    if (!find_lantern(shape, at, &size)) return FIRN_OK;
    firn_vec3 place =
        dvec_sub(dvec_add(state.position, dquat_rotate(state.rotation, dvec_of_floats(at))), g->origin);
    draw_lamp lamp = {.at = {(float)place.x, (float)place.y, (float)place.z}, .radius = BULB * size};
    for (int k = 0; k < 3; k++) lamp.color[k] = brightness * glow[k];
    return draw_list_lamp(&g->list, lamp);
}

// What one sees of them: all as large as the first.
static firn_status add_globes(collector *g) {
    const draw_list *list = &g->list;
    float at[DRAW_LAMPS][3];
    size_t count = list->lamp_count < DRAW_LAMPS ? list->lamp_count : DRAW_LAMPS;
    mesh_free(&g->globes);
    if (count == 0) return FIRN_OK;
    for (size_t i = 0; i < count; i++) memcpy(at[i], list->lamps[i].at, sizeof at[i]);
    TRY(collect_balls((const float(*)[3])at, NULL, count, (double)(GLOBE / BULB * list->lamps[0].radius),
                      &g->globes));
    return draw_list_mesh(&g->list, (draw_mesh){.mesh = &g->globes,
                                                .revision = ++g->revision,
                                                .rotation = {1, 0, 0, 0},
                                                .color = {1, 0.9f, 0.68f},
                                                .material = DRAW_PLAIN});
}

firn_status collect_lamps(collector *g) {
    const body_set *bodies = world_bodies(g->world);
    for (size_t i = 0; g->lamps && !g->measuring && i < body_count(bodies); i++) {
        const firn_body_def *def = collect_body_def(g, i);
        const mesh *shape = body_mesh(world_bodies(g->shapes), i);
        firn_body_state state = body_state(bodies, i);
        if (def && def->shape.kind == FIRN_SHAPE_LAMP_POST && shape && shape->vertices &&
            dvec_finite(state.position))
            TRY(add_lamp(g, shape, state));
    }
    return g->measuring ? FIRN_OK : add_globes(g);
}
