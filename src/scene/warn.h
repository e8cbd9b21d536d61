// Warnings about a scene that can be run.
#ifndef SCENE_WARN_H
#define SCENE_WARN_H

#include "scene/scene.h"

// Adds to the problems of the scene: snow inside bodies or below the ground, fills that overlap, snow that is
// too thin for its cells, angles that look like degrees, models that overlap but do not interact. world: as
// made from the scene, before its first step. notes: what the models change so that fills hold the mass of
// their shapes, a line each.
firn_status scene_warn(const scene *whole, const firn_world *world, text *notes);

#endif
