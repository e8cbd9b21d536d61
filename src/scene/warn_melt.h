// When the snow of a scene will have melted.
#ifndef SCENE_WARN_MELT_H
#define SCENE_WARN_MELT_H

#include "scene/scene.h"

// Adds to the notes when all snow of `phase` will have melted or all of its water frozen, where a body, the
// air or water is warm or cold enough; and a time_lapse, where nothing of it would be seen. world: as made
// from the scene, before its first step.
firn_status scene_note_melting(const scene *whole, const firn_world *world, text *notes);

#endif
