// Warnings about pools that will not stay as they are.
#ifndef SCENE_WARN_POOLS_H
#define SCENE_WARN_POOLS_H

#include "scene/scene.h"

// Adds to the problems of the scene: pools that end less than a spacing before a wall. world: as made from
// the scene, before its first step.
void scene_warn_pools(const scene *whole, const firn_world *world);

#endif
