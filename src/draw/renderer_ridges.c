// Far mountains: the height of two ranges over the horizon, all round.
#if FIRN_HAVE_GL
#include <math.h>

#include "base/random.h"
#include "draw/renderer_inside.h"

enum { AROUND = RIDGES_AROUND, OCTAVES = 6 };

// Ridged noise of `cells` over the whole round.
static float ridged(float turn, unsigned cells, uint32_t stream) {
    float at = turn * (float)cells, f = at - floorf(at), u = f * f * (3 - 2 * f);
    unsigned cell = (unsigned)at % cells;
    float a = random_unit(random_bits(11, cell, 0, stream), 0),
          b = random_unit(random_bits(11, (cell + 1) % cells, 0, stream), 0);
    return 1 - fabsf(2 * (a + (b - a) * u) - 1);
}

static float ridge_height(int layer, float turn) {
    float height = 0, size = 1, sum = 0;
    unsigned cells = layer ? 17 : 11;
    for (uint32_t octave = 0; octave < OCTAVES; octave++) {
        height += size * ridged(turn, cells, 100u * (uint32_t)layer + octave);
        sum += size;
        size *= 0.45f;
        cells = cells * 2 + 1;
    }
    height /= sum;
    return layer ? 0.010f + 0.050f * height * height : 0.024f + 0.090f * height * height;
}

void renderer_ridges_create(renderer *r) {
    for (int layer = 0; layer < 2; layer++)
        for (int i = 0; i < AROUND; i++)
            r->ridge_heights[layer][i] = ridge_height(layer, ((float)i + 0.5f) / AROUND);
    r->ridges = gl_texture(GL_R32F, AROUND, 2, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, AROUND, 2, GL_RED, GL_FLOAT, r->ridge_heights);
}
#endif
