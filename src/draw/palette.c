// Median cut (Heckbert 1982) over a histogram of 6 bits per channel, then ordered dithering (Bayer 1973).
#include "draw/palette.h"

#include <string.h>

#include "base/memory.h"

enum {
    BITS = 6,
    SIDE = 1 << BITS,
    CELLS = SIDE * SIDE * SIDE,
    STEP = 256 / SIDE,
    SPREAD = 8, // of 255: about the distance between neighbouring colours of a snow scene
    PATTERN = 8,
};

// A box of cells, both ends included, shrunk to those that hold pixels.
typedef struct color_box {
    int low[3], high[3];
    uint64_t pixels;
} color_box;

struct palette {
    uint32_t pixels[CELLS];
    int16_t nearest[CELLS]; // -1: not looked for yet
    color_box box[PALETTE_COLORS];
    uint8_t color[PALETTE_COLORS][3];
    int count;
};

firn_status palette_create(palette **out) {
    *out = mem_zero(1, sizeof **out);
    return *out ? FIRN_OK : fail_memory("choosing colours", sizeof **out);
}

void palette_free(palette *p) { mem_free(p); }

static size_t cell_of(int r, int g, int b) { return (size_t)((r * SIDE + g) * SIDE + b); }

static void count_pixels(palette *p, const canvas *c) {
    memset(p->pixels, 0, sizeof p->pixels);
    size_t count = (size_t)c->width * (size_t)c->height;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = c->rgba + 4 * i;
        p->pixels[cell_of(at[0] / STEP, at[1] / STEP, at[2] / STEP)]++;
    }
}

static void shrink(const palette *p, color_box *box) {
    color_box tight = {{SIDE, SIDE, SIDE}, {-1, -1, -1}, 0};
    for (int r = box->low[0]; r <= box->high[0]; r++)
        for (int g = box->low[1]; g <= box->high[1]; g++)
            for (int b = box->low[2]; b <= box->high[2]; b++) {
                uint32_t pixels = p->pixels[cell_of(r, g, b)];
                const int at[3] = {r, g, b};
                tight.pixels += pixels;
                for (int k = 0; k < 3 && pixels; k++) {
                    if (at[k] < tight.low[k]) tight.low[k] = at[k];
                    if (at[k] > tight.high[k]) tight.high[k] = at[k];
                }
            }
    *box = tight;
}

static int longest_side(const color_box *box) {
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (box->high[k] - box->low[k] > box->high[axis] - box->low[axis]) axis = k;
    return axis;
}

static uint64_t pixels_in_slice(const palette *p, const color_box *box, int axis, int at) {
    color_box slice = *box;
    slice.low[axis] = slice.high[axis] = at;
    shrink(p, &slice);
    return slice.pixels;
}

// Cuts off `other` where half of the pixels are passed; both keep at least one slice with pixels.
static void cut(const palette *p, color_box *box, color_box *other) {
    int axis = longest_side(box), at = box->low[axis];
    uint64_t passed = pixels_in_slice(p, box, axis, at);
    while (at + 1 < box->high[axis] && 2 * passed < box->pixels)
        passed += pixels_in_slice(p, box, axis, ++at);
    *other = *box;
    box->high[axis] = at;
    other->low[axis] = at + 1;
    shrink(p, box);
    shrink(p, other);
}

// Next to be cut: many pixels, far apart. Small bright things get a colour too. NULL: each box is one cell.
static color_box *worst_box(palette *p) {
    color_box *worst = NULL;
    uint64_t most = 0;
    for (int i = 0; i < p->count; i++) {
        color_box *box = &p->box[i];
        int axis = longest_side(box);
        uint64_t side = (uint64_t)(box->high[axis] - box->low[axis]), weight = box->pixels * side * side;
        if (weight > most) most = weight, worst = box;
    }
    return worst;
}

static void average(const palette *p, const color_box *box, uint8_t color[3]) {
    uint64_t sum[3] = {0};
    for (int r = box->low[0]; r <= box->high[0]; r++)
        for (int g = box->low[1]; g <= box->high[1]; g++)
            for (int b = box->low[2]; b <= box->high[2]; b++) {
                const int at[3] = {r, g, b};
                for (int k = 0; k < 3; k++)
                    sum[k] += (uint64_t)p->pixels[cell_of(r, g, b)] * (uint64_t)(at[k] * STEP + STEP / 2);
            }
    for (int k = 0; k < 3; k++) color[k] = (uint8_t)(sum[k] / box->pixels);
}

static void choose_colors(palette *p) {
    p->box[0] = (color_box){{0, 0, 0}, {SIDE - 1, SIDE - 1, SIDE - 1}, 0};
    shrink(p, &p->box[0]);
    p->count = 1;
    for (color_box *box; p->count < PALETTE_COLORS && (box = worst_box(p)); p->count++)
        cut(p, box, &p->box[p->count]);
    for (int i = 0; i < p->count; i++) average(p, &p->box[i], p->color[i]);
}

static int16_t nearest_color(const palette *p, const int cell[3]) {
    int best = 0, least = 1 << 30;
    for (int i = 0; i < p->count; i++) {
        int distance = 0;
        for (int k = 0; k < 3; k++) {
            int d = cell[k] * STEP + STEP / 2 - p->color[i][k];
            distance += d * d;
        }
        if (distance < least) least = distance, best = i;
    }
    return (int16_t)best;
}

// 0..63: bits of x ^ y and y, the lowest first.
static int bayer(int x, int y) {
    int value = 0;
    for (int bit = 0; bit < 3; bit++) value = value << 2 | (((x ^ y) >> bit & 1) << 1) | (y >> bit & 1);
    return value;
}

static uint8_t index_of(palette *p, const uint8_t pixel[4], int shift) {
    int cell[3];
    for (int k = 0; k < 3; k++) {
        int value = pixel[k] + shift;
        cell[k] = (value < 0 ? 0 : value > 255 ? 255 : value) / STEP;
    }
    int16_t *nearest = &p->nearest[cell_of(cell[0], cell[1], cell[2])];
    if (*nearest < 0) *nearest = nearest_color(p, cell);
    return (uint8_t)*nearest;
}

void palette_apply(palette *p, const canvas *picture, uint32_t colors[PALETTE_COLORS], uint8_t *indices,
                   size_t stride) {
    count_pixels(p, picture);
    choose_colors(p);
    memset(p->nearest, -1, sizeof p->nearest);
    int shift[PATTERN][PATTERN];
    for (int y = 0; y < PATTERN; y++)
        for (int x = 0; x < PATTERN; x++) shift[y][x] = (2 * bayer(x, y) - 63) * SPREAD / 128;
    for (int y = 0; y < picture->height; y++) {
        const uint8_t *row = picture->rgba + 4 * (size_t)y * (size_t)picture->width;
        for (int x = 0; x < picture->width; x++)
            indices[(size_t)y * stride + (size_t)x] =
                index_of(p, row + 4 * (size_t)x, shift[y % PATTERN][x % PATTERN]);
    }
    for (int i = 0; i < PALETTE_COLORS; i++) {
        const uint8_t *c = p->color[i < p->count ? i : 0];
        colors[i] = 0xff000000u | (uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2];
    }
}
