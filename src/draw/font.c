#include "draw/font.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

// Letters stand on a grid of 20 units to the em: baseline 0, capitals 14 high, small letters 10, tails to -4;
// y up. A path is made of M (move), L (line), Q (quadratic curve), O (ellipse: centre, radii) and A (arc:
// centre, radii, first and last angle in degrees).
typedef struct glyph {
    uint32_t code;
    float width;
    const char *path;
} glyph;

static const glyph glyphs[] = {
    {'!', 1, "M.5 14L.5 4.2M.5 0L.5 .4"},
    {'"', 4, "M.5 14L.5 10.5M3.5 14L3.5 10.5"},
    {'#', 9, "M2 0L4 14M5.5 0L7.5 14M.5 9.5L9 9.5M0 4.5L8.5 4.5"},
    {'$', 8.5f,
     "M8 11.4Q7 14 4.2 14Q.4 14 .4 10.7Q.4 7.9 4.3 7.1Q8.5 6.2 8.5 3.5Q8.5 0 4.2 0Q1 0 0 2.8M4.2 16L4.2 -2"},
    {'%', 12, "O2.8 11 2.8 3O9.2 3 2.8 3M10 14L2 0"},
    {'&', 10,
     "M10 0L2.4 9.6Q1.2 11 1.6 12.2Q2.2 14 4.2 14Q6.6 14 6.6 11.6Q6.6 9.6 3.6 7.8Q0 5.8 0 3.4Q0 0 4 0Q7.6 0 "
     "9.6 6.4"},
    {'\'', 1, "M.5 14L.5 10.5"},
    {'(', 3.5f, "M3.5 15.5Q0 11.5 0 6Q0 .5 3.5 -3.5"},
    {')', 3.5f, "M0 15.5Q3.5 11.5 3.5 6Q3.5 .5 0 -3.5"},
    {'*', 6, "M3 14L3 8M.4 12.5L5.6 9.5M5.6 12.5L.4 9.5"},
    {'+', 8, "M4 2L4 10M0 6L8 6"},
    {',', 1.4f, "M1.2 .4L.2 -2.6"},
    {'-', 6, "M0 6L6 6"},
    {'.', 1, "M.5 0L.5 .4"},
    {'/', 6, "M0 -2L6 15"},
    {'0', 8, "O4 7 4 7"},
    {'1', 8, "M1.6 11.4L5 14L5 0"},
    {'2', 8, "M.3 10.8Q.6 14 4 14Q7.6 14 7.6 10.6Q7.6 8.4 5.6 6L0 0L8 0"},
    {'3', 8,
     "M.4 11.6Q1 14 3.9 14Q7.5 14 7.5 10.7Q7.5 7.5 3.9 7.5L3 7.5M3.9 7.5Q8 7.5 8 3.8Q8 0 3.9 0Q.7 0 0 2.8"},
    {'4', 8, "M6 0L6 14L0 4L8 4"},
    {'5', 8, "M7.2 14L1.2 14L.7 7.6Q2.2 8.9 4 8.9Q8 8.9 8 4.5Q8 0 3.8 0Q1 0 0 2.2"},
    {'6', 8, "M6.2 14Q0 11 0 4.5O4 4.4 4 4.4"},
    {'7', 8, "M0 14L8 14L3 0"},
    {'8', 8, "O4 10.6 3.4 3.4O4 3.7 4 3.7"},
    {'9', 8, "O4 9.6 4 4.4M8 9.5Q8 3 1.8 0"},
    {':', 1, "M.5 .6L.5 1M.5 8.6L.5 9"},
    {';', 1.4f, "M1.2 .4L.2 -2.6M1 8.6L1 9"},
    {'<', 7, "M7 11L0 6L7 1"},
    {'=', 8, "M0 8L8 8M0 4L8 4"},
    {'>', 7, "M0 11L7 6L0 1"},
    {'?', 7, "M0 11Q.4 14 3.6 14Q7 14 7 10.8Q7 8.6 5 7.2Q3.5 6 3.5 4M3.5 0L3.5 .4"},
    {'@', 13,
     "O6.5 5.5 2.8 3.2M9.3 8.7L9.3 4.2Q9.3 2.3 11 2.3Q13 2.4 13 5.8Q13 12 6.8 12Q0 12 0 5Q0 -2 6.8 -2Q8.8 -2 "
     "10.2 -1.2"},
    {'A', 10, "M0 0L5 14L10 0M1.8 5L8.2 5"},
    {'B', 8.5f,
     "M0 7.4L0 14L4.5 14Q7.6 14 7.6 10.7Q7.6 7.4 4.5 7.4L0 7.4L0 0L4.8 0Q8.5 0 8.5 3.7Q8.5 7.4 4.8 7.4"},
    {'C', 10, "A5.8 7 5.8 7 46 314"},
    {'D', 10, "M0 0L0 14L3.5 14Q10 14 10 7Q10 0 3.5 0L0 0"},
    {'E', 7.5f, "M7.5 14L0 14L0 0L7.5 0M0 7.4L6.5 7.4"},
    {'F', 7.5f, "M7.5 14L0 14L0 0M0 7.2L6.2 7.2"},
    {'G', 11, "A5.8 7 5.8 7 46 357L6.6 6.6"},
    {'H', 10, "M0 0L0 14M10 0L10 14M0 7.4L10 7.4"},
    {'I', 1, "M.5 0L.5 14"},
    {'J', 6.5f, "M6.5 14L6.5 4Q6.5 0 3 0Q.6 0 0 2.4"},
    {'K', 9, "M0 0L0 14M9 14L0 5.6M3.2 8.6L9 0"},
    {'L', 7, "M0 14L0 0L7 0"},
    {'M', 12, "M0 0L0 14L6 4L12 14L12 0"},
    {'N', 10, "M0 0L0 14L10 0L10 14"},
    {'O', 12, "O6 7 6 7"},
    {'P', 8.5f, "M0 0L0 14L4.5 14Q8.5 14 8.5 10.2Q8.5 6.4 4.5 6.4L0 6.4"},
    {'Q', 12, "O6 7 6 7M7.5 4L12 -1"},
    {'R', 8.8f, "M0 0L0 14L4.5 14Q8.5 14 8.5 10.2Q8.5 6.4 4.5 6.4L0 6.4M4.5 6.4L8.8 0"},
    {'S', 8.5f, "M8 11.4Q7 14 4.2 14Q.4 14 .4 10.7Q.4 7.9 4.3 7.1Q8.5 6.2 8.5 3.5Q8.5 0 4.2 0Q1 0 0 2.8"},
    {'T', 9, "M0 14L9 14M4.5 14L4.5 0"},
    {'U', 9.5f, "M0 14L0 5Q0 0 4.75 0Q9.5 0 9.5 5L9.5 14"},
    {'V', 10, "M0 14L5 0L10 14"},
    {'W', 14, "M0 14L3.5 0L7 12L10.5 0L14 14"},
    {'X', 9, "M0 14L9 0M0 0L9 14"},
    {'Y', 9.5f, "M0 14L4.75 6.6L9.5 14M4.75 6.6L4.75 0"},
    {'Z', 8.5f, "M0 14L8.5 14L0 0L8.5 0"},
    {'[', 3, "M3 15.5L0 15.5L0 -3.5L3 -3.5"},
    {'\\', 6, "M0 15L6 -2"},
    {']', 3, "M0 15.5L3 15.5L3 -3.5L0 -3.5"},
    {'^', 7, "M0 9L3.5 14L7 9"},
    {'_', 8, "M0 -2L8 -2"},
    {'`', 2, "M0 14L2 11.5"},
    {'a', 8, "O4 5 4 5M8 10L8 0"},
    {'b', 8, "M0 14L0 0O4 5 4 5"},
    {'c', 7.2f, "A4.2 5 4.2 5 46 314"},
    {'d', 8, "O4 5 4 5M8 14L8 0"},
    {'e', 8, "M.1 5.4L7.9 5.4A4 5 4 5 5 316"},
    {'f', 5, "M5.2 13.8Q2 14.6 2 11L2 0M0 10L4.8 10"},
    {'g', 8, "O4 5 4 5M8 10L8 0Q8 -4 4 -4Q1.4 -4 .6 -2.6"},
    {'h', 7.5f, "M0 14L0 0M0 6Q0 10 4 10Q7.5 10 7.5 6L7.5 0"},
    {'i', 1, "M.5 0L.5 10M.5 13.3L.5 13.7"},
    {'j', 2.5f, "M2 10L2 -1.5Q2 -4 -.5 -4M2 13.3L2 13.7"},
    {'k', 7, "M0 0L0 14M6.6 10L0 3.8M2.6 6.2L7 0"},
    {'l', 1, "M.5 14L.5 0"},
    {'m', 12, "M0 10L0 0M0 6.5Q0 10 3.2 10Q6 10 6 6.5L6 0M6 6.5Q6 10 9.2 10Q12 10 12 6.5L12 0"},
    {'n', 7.5f, "M0 10L0 0M0 6Q0 10 4 10Q7.5 10 7.5 6L7.5 0"},
    {'o', 8.5f, "O4.25 5 4.25 5"},
    {'p', 8, "M0 10L0 -4O4 5 4 5"},
    {'q', 8, "O4 5 4 5M8 10L8 -4"},
    {'r', 4.5f, "M0 10L0 0M0 6Q0 10 4.5 10"},
    {'s', 6.5f, "M6 8.2Q5.4 10 3.2 10Q.5 10 .5 7.7Q.5 5.7 3.3 5.1Q6.5 4.5 6.5 2.5Q6.5 0 3.2 0Q.6 0 0 2"},
    {'t', 5, "M2 13L2 3Q2 0 5 .1M0 10L4.8 10"},
    {'u', 7.5f, "M0 10L0 4Q0 0 3.5 0Q7.5 0 7.5 4M7.5 10L7.5 0"},
    {'v', 8, "M0 10L4 0L8 10"},
    {'w', 11, "M0 10L2.75 0L5.5 9L8.25 0L11 10"},
    {'x', 7, "M0 10L7 0M0 0L7 10"},
    {'y', 8, "M0 10L4 0M8 10L4 0L2.9 -2.6Q2.3 -4 .4 -4"},
    {'z', 7, "M0 10L7 10L0 0L7 0"},
    {'{', 4, "M4 15.5Q2 15.5 2 13L2 8Q2 6 0 6Q2 6 2 4L2 -1Q2 -3.5 4 -3.5"},
    {'|', 1, "M.5 15.5L.5 -3.5"},
    {'}', 4, "M0 15.5Q2 15.5 2 13L2 8Q2 6 4 6Q2 6 2 4L2 -1Q2 -3.5 0 -3.5"},
    {'~', 8, "M0 5Q2 8 4 6Q6 4 8 7"},
    {0xb0, 4, "O2 12 2 2"},
    {0xb1, 8, "M4 4L4 12M0 8L8 8M0 1L8 1"},
    {0xb2, 4.8f, "M.2 12.4Q.4 14.2 2.4 14.2Q4.5 14.2 4.5 12.3Q4.5 11 3.3 9.6L0 6.2L4.8 6.2"},
    {0xb3, 4.8f,
     "M.3 13Q.6 14.2 2.4 14.2Q4.4 14.2 4.4 12.4Q4.4 10.5 2.3 10.5Q4.8 10.5 4.8 8.3Q4.8 6.1 2.4 6.1Q.5 6.1 0 "
     "7.6"},
    {0xb5, 7.5f, "M0 10L0 -4M0 4Q0 0 3.5 0Q7.5 0 7.5 4M7.5 10L7.5 0"},
    {0xb7, 1, "M.5 6L.5 6.4"},
    {0xc6, 13, "M0 0L6 14L13 14M6.6 14L6.6 0L13 0M2.2 5L6.6 5M6.6 7.4L12 7.4"},
    {0xd7, 7, "M0 9.5L7 2.5M0 2.5L7 9.5"},
    {0xd8, 12, "O6 7 6 7M1 -.6L11 14.6"},
    {0xdf, 8, "M0 0L0 10.5Q0 14 3.6 14Q7 14 7 11.2Q7 8.6 4.6 8Q8 7.4 8 3.9Q8 0 4.6 0Q3.6 0 3 .4"},
    {0xe6, 14, "O3.6 5 3.6 5M7.2 5.4L14 5.4A10.6 5 3.4 5 5 316"},
    {0xf8, 8.5f, "O4.25 5 4.25 5M.6 -.6L7.9 10.6"},
    {0x2013, 8, "M0 6L8 6"},
    {0x2014, 13, "M0 6L13 6"},
    {0x2018, 1.4f, "M1.2 14L.2 11"},
    {0x2019, 1.4f, "M1.2 14L.2 11"},
    {0x201c, 4.6f, "M1.2 14L.2 11M4.2 14L3.2 11"},
    {0x201d, 4.6f, "M1.2 14L.2 11M4.2 14L3.2 11"},
    {0x2026, 9, "M.5 0L.5 .4M4.5 0L4.5 .4M8.5 0L8.5 .4"},
    {0x2212, 8, "M0 6L8 6"},
};

// Marks are drawn about x = 0 above a letter of height 10; over a capital they move up by 4.
enum mark { MARK_GRAVE, MARK_ACUTE, MARK_HAT, MARK_TILDE, MARK_DOTS, MARK_RING, MARK_TAIL, MARK_CARON };
static const char *const mark_paths[] = {
    "M-2 14.4L.6 12.2",
    "M2 14.4L-.6 12.2",
    "M-2.6 12.2L0 14.6L2.6 12.2",
    "M-3 12.4Q-1.5 15 0 13.4Q1.5 12 3 14",
    "M-2 13.2L-2 13.6M2 13.2L2 13.6",
    "O0 13.6 1.7 1.7",
    "M.4 0Q2 -3.6 -1.6 -3.4",
    "M-2.6 14.6L0 12.2L2.6 14.6",
};
typedef struct marked_letter {
    uint32_t code;
    char base;
    unsigned char mark;
} marked_letter;
static const marked_letter marked[] = {
    {0xc0, 'A', MARK_GRAVE},  {0xc1, 'A', MARK_ACUTE},  {0xc2, 'A', MARK_HAT},    {0xc3, 'A', MARK_TILDE},
    {0xc4, 'A', MARK_DOTS},   {0xc5, 'A', MARK_RING},   {0xc7, 'C', MARK_TAIL},   {0xc8, 'E', MARK_GRAVE},
    {0xc9, 'E', MARK_ACUTE},  {0xca, 'E', MARK_HAT},    {0xcb, 'E', MARK_DOTS},   {0xcc, 'I', MARK_GRAVE},
    {0xcd, 'I', MARK_ACUTE},  {0xce, 'I', MARK_HAT},    {0xcf, 'I', MARK_DOTS},   {0xd1, 'N', MARK_TILDE},
    {0xd2, 'O', MARK_GRAVE},  {0xd3, 'O', MARK_ACUTE},  {0xd4, 'O', MARK_HAT},    {0xd5, 'O', MARK_TILDE},
    {0xd6, 'O', MARK_DOTS},   {0xd9, 'U', MARK_GRAVE},  {0xda, 'U', MARK_ACUTE},  {0xdb, 'U', MARK_HAT},
    {0xdc, 'U', MARK_DOTS},   {0xdd, 'Y', MARK_ACUTE},  {0xe0, 'a', MARK_GRAVE},  {0xe1, 'a', MARK_ACUTE},
    {0xe2, 'a', MARK_HAT},    {0xe3, 'a', MARK_TILDE},  {0xe4, 'a', MARK_DOTS},   {0xe5, 'a', MARK_RING},
    {0xe7, 'c', MARK_TAIL},   {0xe8, 'e', MARK_GRAVE},  {0xe9, 'e', MARK_ACUTE},  {0xea, 'e', MARK_HAT},
    {0xeb, 'e', MARK_DOTS},   {0xf1, 'n', MARK_TILDE},  {0xf2, 'o', MARK_GRAVE},  {0xf3, 'o', MARK_ACUTE},
    {0xf4, 'o', MARK_HAT},    {0xf5, 'o', MARK_TILDE},  {0xf6, 'o', MARK_DOTS},   {0xf9, 'u', MARK_GRAVE},
    {0xfa, 'u', MARK_ACUTE},  {0xfb, 'u', MARK_HAT},    {0xfc, 'u', MARK_DOTS},   {0xfd, 'y', MARK_ACUTE},
    {0xff, 'y', MARK_DOTS},   {0x10c, 'C', MARK_CARON}, {0x10d, 'c', MARK_CARON}, {0x11b, 'e', MARK_CARON},
    {0x159, 'r', MARK_CARON}, {0x160, 'S', MARK_CARON}, {0x161, 's', MARK_CARON}, {0x17d, 'Z', MARK_CARON},
    {0x17e, 'z', MARK_CARON},
};

static const float gap = 3.2f, space = 6.5f;
static const glyph unknown = {0, 8, "M0 0L0 14L8 14L8 0L0 0"};

static const glyph *glyph_find(uint32_t code) {
    for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++)
        if (glyphs[i].code == code) return &glyphs[i];
    return NULL;
}

static const marked_letter *marked_find(uint32_t code) {
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++)
        if (marked[i].code == code) return &marked[i];
    return NULL;
}

// The next character of UTF-8 text; a broken byte counts as one unknown character.
static uint32_t utf8_next(const char **text) {
    const unsigned char *t = (const unsigned char *)*text;
    int more = t[0] < 0x80             ? 0
               : (t[0] & 0xe0) == 0xc0 ? 1
               : (t[0] & 0xf0) == 0xe0 ? 2
               : (t[0] & 0xf8) == 0xf0 ? 3
                                       : -1;
    if (more <= 0) {
        *text += 1;
        return more == 0 ? t[0] : 0xfffd;
    }
    uint32_t code = t[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((t[i] & 0xc0) != 0x80) {
            *text += i;
            return 0xfffd;
        }
        code = code << 6 | (t[i] & 0x3fu);
    }
    *text += more + 1;
    return code;
}

// Where a path is drawn: grid units to pixels, and the pen.
typedef struct pen {
    font_strokes *out;
    float x, y, scale; // origin in pixels
    float at[2];       // grid units
} pen;

static void pen_line(pen *p, float x, float y) {
    font_strokes *s = p->out;
    if (!s->failed && !array_reserve(&s->items, &s->capacity, s->count + 1, sizeof *s->items))
        s->failed = true;
    if (!s->failed)
        s->items[s->count++] = (font_segment){p->x + p->at[0] * p->scale, p->y - p->at[1] * p->scale,
                                              p->x + x * p->scale, p->y - y * p->scale};
    p->at[0] = x;
    p->at[1] = y;
}

static int curve_steps(const pen *p, float extent) {
    float steps = 3.0f + 1.2f * sqrtf(extent * p->scale);
    return steps > 48 ? 48 : (int)steps;
}

static void pen_quadratic(pen *p, const float *n) {
    float ax = p->at[0], ay = p->at[1];
    int steps = curve_steps(p, fabsf(n[2] - ax) + fabsf(n[3] - ay));
    for (int i = 1; i <= steps; i++) {
        float t = (float)i / (float)steps, u = 1 - t;
        pen_line(p, u * u * ax + 2 * u * t * n[0] + t * t * n[2],
                 u * u * ay + 2 * u * t * n[1] + t * t * n[3]);
    }
}

// n: centre, radii, first and last angle in degrees.
static void pen_arc(pen *p, const float *n) {
    int steps = 2 * curve_steps(p, n[2] + n[3]);
    for (int i = 0; i <= steps; i++) {
        float angle = (n[4] + (n[5] - n[4]) * (float)i / (float)steps) * 0.01745329252f;
        float x = n[0] + n[2] * cosf(angle), y = n[1] + n[3] * sinf(angle);
        if (i) pen_line(p, x, y);
        p->at[0] = x;
        p->at[1] = y;
    }
}

static void pen_path(pen *p, const char *path, float dx, float dy) {
    while (*path) {
        char op = *path++;
        static const int numbers[] = {['M'] = 2, ['L'] = 2, ['Q'] = 4, ['O'] = 4, ['A'] = 6};
        float n[6] = {0};
        for (int i = 0; i < numbers[(int)op]; i++) {
            char *end;
            n[i] = (float)plain_read(path, &end);
            path = end;
        }
        bool centre = op == 'O' || op == 'A';
        for (int i = 0; i < (centre ? 2 : numbers[(int)op]); i++) n[i] += i % 2 ? dy : dx;
        if (op == 'M')
            memcpy(p->at, n, sizeof p->at);
        else if (op == 'L')
            pen_line(p, n[0], n[1]);
        else if (op == 'Q')
            pen_quadratic(p, n);
        else {
            if (op == 'O') n[4] = 0, n[5] = 360;
            pen_arc(p, n);
        }
    }
}

// Draws one character (unless out is NULL) and returns its advance in grid units.
static float trace_character(pen *p, uint32_t code) {
    if (code == ' ' || code == 0xa0 || code == '\t' || code == '\n') return space;
    const marked_letter *with_mark = marked_find(code);
    const glyph *g = glyph_find(with_mark ? (uint32_t)with_mark->base : code);
    if (!g) g = &unknown;
    if (p->out) {
        pen_path(p, g->path, 0, 0);
        bool capital = with_mark && with_mark->base < 'a' && with_mark->mark != MARK_TAIL;
        if (with_mark) pen_path(p, mark_paths[with_mark->mark], g->width / 2, capital ? 4 : 0);
    }
    return g->width + gap;
}

float font_trace(font_strokes *out, const char *text, float x, float y, float size) {
    float scale = size / 20, advance = 0;
    while (*text) {
        pen p = {out, x + advance, y, scale, {0, 0}};
        advance += scale * trace_character(&p, utf8_next(&text));
    }
    return advance;
}

float font_width(const char *text, float size) {
    float advance = font_trace(NULL, text, 0, 0, size);
    return *text ? advance - gap * size / 20 : 0;
}

float font_stroke_width(float size, bool bold) { return size * (bold ? 0.115f : 0.08f); }

void font_strokes_free(font_strokes *strokes) {
    mem_free(strokes->items);
    *strokes = (font_strokes){0};
}
