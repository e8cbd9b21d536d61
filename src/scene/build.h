// From a scene to a world, for every command that creates one.
#ifndef SCENE_BUILD_H
#define SCENE_BUILD_H

#include "scene/scene.h"
#include "scene/source.h"

// Builds every shape of the scene, compares the memory with this machine's and makes the world. Errors are
// reported with file, line and column: firn_last_error() is then the whole report. *cost (may be NULL) is
// what the models estimate.
firn_status scene_build(scene *s, firn_cost *cost, firn_world **world);
// Writes the warnings of building the scene to the log.
void scene_log_warnings(const scene *s);

#endif
