// Words over a picture: title, time, and the legend of its colours.
#ifndef DRAW_OVERLAY_H
#define DRAW_OVERLAY_H

#include "draw/draw_list.h"
#include "draw/figure.h"

typedef struct overlay {
    int left, width;           // pixels of the picture that it belongs to; width 0: all
    const char *name;          // of a view; NULL: none
    const char *title;         // NULL or "": none
    const char *caption;       // below the picture; NULL: none
    double time;               // s; negative: not written
    bool labels;               // title, name and time
    float heading;             // 0..1: the title is large instead, and this much of it is there
    const char *legend, *unit; // legend NULL: none; K is shown as °C
    double low, high;          // in that unit
    draw_colors map;
} overlay;
void overlay_figure(const overlay *o, figure *f); // adds the words to a figure of the picture's size
firn_status overlay_draw(const overlay *o, canvas *onto);

#endif
