// The rendering time on CPUs that `firn check` prints. A sum of costs measured for the acts of the tour
// (docs/pictures.md); graphics cards are not modelled.
#include "cache/render_cost.h"

#include "firn/base.h"

double render_cost(const scene_def *s, const firn_cost *cost) {
    // ms of one core: light, occlusion and edges of a million pixels; the look through water; shadows and
    // faces of a snow field, of a cover, of a body with many faces; a thousand particles; what each
    // frame takes to read, gather and encode.
    static const double PIXELS = 85, WATER = 140, FIELD = 60, COVER = 60, BODY = 6, PARTICLES = 1, FRAME = 15;
    const firn_world_def *w = &s->world;
    const scene_picture *p = &s->picture;
    double pixels = 1e-6 * (double)p->width * (double)p->height * (p->samples >= 4 ? 2.2 : 1);
    double ms = FRAME + PIXELS * pixels;
    if (w->pbd && w->pbd->fluid) ms += WATER * pixels;
    if (w->phase) ms += WATER * pixels * (w->phase->water.count ? 1 : 0.3); // or as far as it melts
    if (w->field) ms += FIELD;
    if (w->cover) ms += COVER;
    for (size_t i = 0; i < w->bodies.count && p->bodies; i++)
        if (w->bodies.items[i].shape.kind >= FIRN_SHAPE_HEIGHT_MAP) ms += BODY;
    ms += PARTICLES * 1e-3 * (double)cost->particles;
    double cores = firn_threads() < 8 ? firn_threads() : 8;
    return 1e-3 * ms * (double)(cost->frames + 1) / (0.85 * cores);
}
