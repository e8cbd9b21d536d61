// Finds the file, line and column of an entry of the scene.
#ifndef SCENE_LOCATE_H
#define SCENE_LOCATE_H

#include "scene/scene.h"
#include "scene/yaml.h"

// The entry of a dotted name ("mpm.snow.ball.fill"), or the deepest one above it that is written; the root if
// none is.
const node *locate_name(const scene *s, const char *name);
// Its key, or the value if it has none.
place locate_place(const scene *s, const char *name);
// What a message of a model is about: its first word if that is a name ("mpm.snow.ball: ...", "shape of
// 'bodies.ball': ..."), and below it the file that the message mentions.
place locate_message(const scene *s, const char *message);
// The message with the name of a file as the scene has it ('meshes/rock.obj') where it holds the absolute
// one.
void locate_as_written(const scene *s, const char *message, text *out);

#endif
