// Draft and final quality of the same moment side by side.
#ifndef DRAW_COMPARE_H
#define DRAW_COMPARE_H

#include "draw/views.h"

// The views are as wide as half the picture. words: of both halves; *count: how many there are.
firn_status compare_draw(views *v, painter by, canvas *out, overlay words[SCENE_VIEWS], size_t *count);

#endif
