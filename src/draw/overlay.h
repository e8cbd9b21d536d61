// Words over a picture: title, time, and the legend of its colours.
#ifndef DRAW_OVERLAY_H
#define DRAW_OVERLAY_H

#include "draw/canvas.h"

typedef struct overlay {
    const char *title;         // NULL or "": none
    double time;               // s
    bool labels;               // title and time
    float heading;             // 0..1: the title is large instead, and this much of it is there
    const char *legend, *unit; // legend NULL: none
    double low, high;
} overlay;
firn_status overlay_draw(const overlay *o, canvas *onto);

#endif
