// Far mountains, as a texture.
#if FIRN_HAVE_GL
#include "draw/renderer_inside.h"
#include "draw/scene_light.h"

enum { AROUND = RIDGES_AROUND };

void renderer_ridges_create(renderer *r) {
    for (int layer = 0; layer < 2; layer++)
        for (int i = 0; i < AROUND; i++)
            r->ridge_heights[layer][i] = scene_ridge(layer, ((float)i + 0.5f) / AROUND);
    r->ridges = gl_texture(GL_R32F, AROUND, 2, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, AROUND, 2, GL_RED, GL_FLOAT, r->ridge_heights);
}
#endif
