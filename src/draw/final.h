// Pictures of final quality: the list that the draft is drawn from, given to the path tracer (src/trace).
// Same camera, sun, sky, haze, exposure and tones.
#ifndef DRAW_FINAL_H
#define DRAW_FINAL_H

#include "draw/draw_list.h"
#include "draw/final_sky.h"
#include "draw/light.h"
#include "trace/trace.h"

// The tracer's view of a list. It refers to list and sky.
typedef struct final_scene {
    trace_scene scene;
    trace_mesh *meshes;
    trace_spheres *spheres;
    trace_plane *planes;
    trace_lamp lamps[DRAW_LAMPS];
    float (**paint)[3]; // colours of points that have values, by group
    size_t paints;
} final_scene;
// Fills one that is all zero; free it, whatever comes back, with final_scene_free.
firn_status final_scene_fill(final_scene *t, const draw_list *list, const final_sky *sky);
void final_scene_free(final_scene *t);

// light: filled too; NULL: not wanted. Flakes and panes are drawn over it as over a draft.
firn_status final_draw(const draw_list *list, const trace_options *options, canvas *out,
                       light_picture *light);

#endif
