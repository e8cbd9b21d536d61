// Estimate of the time that drawing a run takes.
#ifndef SCENE_RENDER_COST_H
#define SCENE_RENDER_COST_H

#include "scene/scene.h"

// s, of wall time, to draw all frames with the current number of threads.
double render_cost(const scene_def *s, const firn_cost *cost);

#endif
