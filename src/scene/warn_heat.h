// Warnings about heat that does not pass.
#ifndef SCENE_WARN_HEAT_H
#define SCENE_WARN_HEAT_H

#include "scene/scene.h"

// Adds to the problems of the scene: bodies with a temperature that miss what they are to warm or cool by
// less than a spacing. world: as made from the scene, before its first step.
firn_status scene_warn_heat(const scene *whole, const firn_world *world);

#endif
