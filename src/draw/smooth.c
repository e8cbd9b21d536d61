// Edges of a finished picture: pictures of twice the size are halved, stairs are blended.
#include "draw/smooth.h"

#include <stdlib.h>
#include <string.h>

#include "par/par.h"

enum { ROWS = 16, SPAN = 256, REACH = 10, LEAST_CONTRAST = 8 };

typedef struct smooth_job {
    const canvas *from;
    canvas *to;
} smooth_job;

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

// How far the jump between a pixel and its neighbour `across` goes on along the edge: the pair's mean
// brightness stays near `middle` (twice the mean, in fact) until the edge ends.
static int walk(const uint8_t *luma, ptrdiff_t along, ptrdiff_t across, int room, int middle, int jump,
                int *last) {
    int steps = least(room, REACH);
    for (int t = 1; t <= steps; t++) {
        *last = luma[along * t] + luma[along * t + across] - middle;
        if (abs(*last) > jump) return t;
    }
    return most(steps, 1);
}

// The share of the neighbour, 0..128 of 256.
static int edge_share(const uint8_t *luma, ptrdiff_t along, ptrdiff_t across, int before, int after) {
    int m = luma[0], other = luma[across], middle = m + other, jump = 2 * abs(other - m) * 3 / 10;
    int last[2] = {0, 0};
    int back = walk(luma, -along, across, before, middle, jump, &last[0]);
    int on = walk(luma, along, across, after, middle, jump, &last[1]);
    int end = back < on ? last[0] : last[1];
    bool pixel_is_darker = 2 * m < middle, end_is_darker = end < 0;
    if (pixel_is_darker == end_is_darker) return 0;
    // Half a pixel at the end of the edge, nothing in its middle.
    return 128 - 128 * (2 * least(back, on) - 1) / (back + on - 1);
}

// A pixel where brightness differs from its neighbours by high - low.
static void smooth_pixel(const smooth_job *job, int x, int y, int high, int low) {
    const canvas *c = job->from;
    ptrdiff_t right = 4, up = -4 * (ptrdiff_t)c->width;
    const uint8_t *pixel = c->rgba + 4 * ((size_t)y * (size_t)c->width + (size_t)x), *luma = pixel + 3;
    int m = luma[0], n = luma[up], s = luma[-up], w = luma[-right], e = luma[right];
    uint8_t *out = job->to->rgba + (pixel - c->rgba);
    int nw = luma[up - right], ne = luma[up + right], sw = luma[-up - right], se = luma[-up + right];
    int lying = abs(nw + sw - 2 * w) + 2 * abs(n + s - 2 * m) + abs(ne + se - 2 * e);
    int standing = abs(nw + ne - 2 * n) + 2 * abs(w + e - 2 * m) + abs(sw + se - 2 * s);
    bool level = lying >= standing;
    bool first = level ? abs(n - m) >= abs(s - m) : abs(w - m) >= abs(e - m);
    ptrdiff_t across = level ? (first ? up : -up) : (first ? -right : right), along = level ? right : -up;
    int share = level ? edge_share(luma, along, across, x, c->width - 1 - x)
                      : edge_share(luma, along, across, y, c->height - 1 - y);
    int lone = 256 * abs(n + s + w + e - 4 * m) / (4 * (high - low));
    share = most(share, least(lone, 256) * least(lone, 256) * 100 / 65536);
    for (int k = 0; k < 3; k++)
        out[k] = (uint8_t)((pixel[k] * (256 - share) + pixel[across + k] * share + 128) >> 8);
}

// Brightness of part of three rows, apart from the colours; its range round each pixel of the middle one.
typedef struct luma_rows {
    uint8_t above[SPAN + 2], own[SPAN + 2], below[SPAN + 2], high[SPAN], low[SPAN];
} luma_rows;

static void take_luma(const uint8_t *pixel, int count, uint8_t *to) {
    for (int i = 0; i < count; i++) to[i] = pixel[4 * i + 3];
}

static uint8_t less(uint8_t a, uint8_t b) { return a < b ? a : b; }
static uint8_t more(uint8_t a, uint8_t b) { return a > b ? a : b; }

// Pixels x0 .. x0 + count of a row that has neighbours on all sides. Most have no edge: they are told by
// loops over bytes, which compilers turn into vectors.
static void smooth_span(const smooth_job *job, int x0, int count, int y) {
    luma_rows l;
    size_t width = (size_t)job->from->width;
    const uint8_t *row = job->from->rgba + 4 * ((size_t)y * width + (size_t)x0 - 1);
    take_luma(row - 4 * width, count + 2, l.above);
    take_luma(row, count + 2, l.own);
    take_luma(row + 4 * width, count + 2, l.below);
    for (int i = 0; i < count; i++) {
        l.high[i] =
            more(more(more(l.above[i + 1], l.below[i + 1]), more(l.own[i], l.own[i + 2])), l.own[i + 1]);
        l.low[i] =
            less(less(less(l.above[i + 1], l.below[i + 1]), less(l.own[i], l.own[i + 2])), l.own[i + 1]);
    }
    for (int i = 0; i < count; i++)
        if (l.high[i] - l.low[i] > most(LEAST_CONTRAST, l.high[i] / 10))
            smooth_pixel(job, x0 + i, y, l.high[i], l.low[i]);
}

static void copy_row(const smooth_job *job, size_t y) {
    size_t width = (size_t)job->from->width;
    const uint8_t *from = job->from->rgba + 4 * y * width;
    uint8_t *to = job->to->rgba + 4 * y * width;
    memcpy(to, from, 4 * width);
    for (size_t x = 0; x < width; x++) to[4 * x + 3] = 255;
}

static void smooth_rows(void *context, size_t begin, size_t end) {
    const smooth_job *job = context;
    int width = job->from->width;
    for (size_t y = begin; y < end; y++) {
        copy_row(job, y);
        if (y == 0 || y + 1 == (size_t)job->from->height) continue;
        for (int x = 1; x + 1 < width; x += SPAN) smooth_span(job, x, least(SPAN, width - 1 - x), (int)y);
    }
}

void smooth_edges(const canvas *from, canvas *to) {
    par_for((size_t)from->height, ROWS, smooth_rows, &(smooth_job){from, to});
}

static void copy_rows(void *context, size_t begin, size_t end) {
    for (size_t y = begin; y < end; y++) copy_row(context, y);
}

void smooth_none(const canvas *from, canvas *to) {
    par_for((size_t)from->height, ROWS, copy_rows, &(smooth_job){from, to});
}

static void halve_rows(void *context, size_t begin, size_t end) {
    const smooth_job *job = context;
    size_t width = (size_t)job->to->width;
    for (size_t y = begin; y < end; y++) {
        const uint8_t *a = job->from->rgba + 4 * (2 * y) * 2 * width, *b = a + 4 * 2 * width;
        uint8_t *to = job->to->rgba + 4 * y * width;
        for (size_t x = 0; x < width; x++, a += 8, b += 8, to += 4)
            for (int k = 0; k < 4; k++) to[k] = (uint8_t)((a[k] + a[k + 4] + b[k] + b[k + 4] + 2) >> 2);
    }
}

void smooth_halve(const canvas *from, canvas *to) {
    par_for((size_t)to->height, ROWS, halve_rows, &(smooth_job){from, to});
}
