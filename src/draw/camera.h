// Where the camera stands.
#ifndef DRAW_CAMERA_H
#define DRAW_CAMERA_H

#include "draw/draw_list.h"
#include "scene/scene.h"

#define CAMERA_FILM 0.036 // m, width of the film

// The camera of that name; NULL asks for the first, which is `camera:` if the scene gives one, else the first
// of `cameras:`, else none (*out NULL): then the picture frames what is in it. An unknown name is
// FIRN_BAD_INPUT with the nearest and the list.
firn_status camera_find(const scene_def *def, const char *name, const scene_camera **out);
// Fixed, on its orbit, or between its keyframes; counted from `origin`.
draw_camera camera_at(const scene_camera *camera, double time, firn_vec3 origin);
// Everything in the box, seen from a little above, three quarters from the side. aspect: width over height.
draw_camera camera_frame(const draw_box *box, double aspect);

#endif
