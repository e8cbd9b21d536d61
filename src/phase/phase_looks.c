// Grains are a surface of snow, darker where it is wet; water is one that can be seen through, and so is ice:
// water that froze, with bubbles.
#include <math.h>

#include "base/auto.h"
#include "phase/phase_state.h"

enum { GRAINS, WATER, ICE_LOOK, LOOKS };

static size_t look_count(const void *model) {
    (void)model;
    return LOOKS;
}

static bool is_ice(const phase *m, size_t i) {
    return phase_is_snow(m, i) && m->s->p.group[i] % 4 == PHASE_ICE;
}

// Of the mean grain of snow.
static double grain_spacing(const phase *m) {
    const pbd *s = m->s;
    size_t grains = 0;
    double sum = 0;
    for (size_t i = 0; i < s->p.count; i++) grains += phase_is_snow(m, i) && !is_ice(m, i);
    for (size_t i = 0; i < s->p.count; i++)
        if (phase_is_snow(m, i) && !is_ice(m, i))
            sum += cbrt(s->groups[s->p.group[i]].volume) / (double)grains;
    return sum;
}

static model_look look(const void *model, size_t number) {
    static const char *const name[LOOKS] = {"snow", "water", "ice"};
    const phase *m = model;
    double spacing = number == GRAINS ? grain_spacing(m) : cbrt(m->water);
    model_look l = {.kind = number == GRAINS ? MODEL_SURFACE : MODEL_LIQUID,
                    .name = name[number],
                    .spacing = spacing,
                    .radius = 0.5 * spacing,
                    .color = AUTO_COLOR};
    if (number == ICE_LOOK) l.color = (firn_vec3){0.62, 0.84, 0.92};
    return l;
}

static void look_of(const void *model, uint32_t *look) {
    const phase *m = model;
    for (size_t i = 0; i < m->s->p.count; i++)
        look[i] = is_ice(m, i) ? ICE_LOOK : phase_is_snow(m, i) ? GRAINS : WATER;
}

static void walls(const void *model, double time, float low[3], float high[3]) {
    pbd_walls(((const phase *)model)->s, time, low, high);
}

const model_drawing phase_drawing = {.position = "phase.position",
                                     .wetness = "phase.wetness",
                                     .look_count = look_count,
                                     .look = look,
                                     .look_of = look_of,
                                     .walls = walls};
