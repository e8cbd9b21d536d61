// Movies: H.264 in .mp4, VP9 in .webm, and .gif and .webp that repeat for ever, through FFmpeg's libav. The
// file is whole or absent.
#ifndef DRAW_MOVIE_H
#define DRAW_MOVIE_H

#include "draw/canvas.h"

typedef struct movie movie;

// The ending of path says which kind; width and height are even. FIRN_UNSUPPORTED if this build or its FFmpeg
// cannot.
// GIF shows at most 50 pictures a second: of a faster movie it takes every second, third, ... picture.
// draft: H.264 takes 6 % less of the time of a rendering and a third more bytes; it looks the same.
firn_status movie_create(const char *path, int width, int height, double fps, bool draft, movie **out);
firn_status movie_add(movie *m, const canvas *picture); // from any thread, one at a time
firn_status movie_finish(movie *m);                     // frees m, also on failure
void movie_abandon(movie *m);                           // leaves no file; NULL is fine

#endif
