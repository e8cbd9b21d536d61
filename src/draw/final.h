// Pictures of final quality: the list that the draft is drawn from, given to the path tracer (src/trace).
// Same camera, sun, sky, haze, exposure and tones.
#ifndef DRAW_FINAL_H
#define DRAW_FINAL_H

#include "draw/draw_list.h"
#include "draw/light.h"
#include "trace/trace.h"

// light: filled too; NULL: not wanted. Flakes and panes are drawn over it as over a draft.
firn_status final_draw(const draw_list *list, const trace_options *options, canvas *out,
                       light_picture *light);

#endif
