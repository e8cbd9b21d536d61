// The views of a picture: usually one, or several beside each other that show the same moment.
#ifndef DRAW_VIEWS_H
#define DRAW_VIEWS_H

#include "draw/collect.h"
#include "draw/final.h"
#include "draw/renderer.h"

// One of them: the scene with looks of its own.
typedef struct view {
    scene_def scene;
    const char *name;           // over it; NULL: the only one
    const scene_camera *camera; // NULL: frames the content
    collector collector;
} view;

typedef struct views {
    view item[SCENE_VIEWS];
    size_t count;
    int width, height; // of each
    int step;          // from one to the next
    double time;       // s, of what was collected
    collect_rest rest; // of the first frame
    canvas part;       // of that size, if there are several
    light_picture part_light;
} views;

firn_status views_check_size(int width, int height); // FIRN_BAD_INPUT if no picture has it
// camera: of those views that name none; NULL: the scene's first.
firn_status views_open(views *v, const scene_def *def, firn_world *world, const char *camera);
void views_close(views *v);
// Their size in a picture of the whole size. An odd pixel that is left over stays between them.
void views_divide(views *v, int width, int height);
// Final quality: what moves is blurred over the shutter's time, snow of particles is refined. At first not.
void views_final(views *v, bool final);
firn_status views_measure(views *v); // the present moment counts for framing
// Several sets of the same views on worlds of their own see what any of them has measured, and draw the same
// meshes of bodies.
void views_agree(views *const sets[], size_t count);
void views_settle(views *v);
// The world is as in the first frame: where snow is now its relief is bound to.
firn_status views_rest(views *v);
// What is to be drawn of the world's present moment. On any thread; holds until the world changes.
firn_status views_collect(views *v);
// Who draws: a draft's renderer of the views' size, or the path tracer.
typedef struct painter {
    renderer *draft;            // NULL: final
    const trace_options *final; // how; its noise is the scene's
} painter;
// Draws what was collected; words[] belong to the picture. light: filled too, without words; NULL: not
// wanted.
firn_status views_draw(views *v, painter by, canvas *out, light_picture *light, overlay words[SCENE_VIEWS]);

#endif
