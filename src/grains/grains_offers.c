// What grains offer to other models.
#include <math.h>
#include <string.h>

#include "body/offers.h"
#include "grains/grains_state.h"

static size_t count(const void *model) { return ((const grains *)model)->count; }

static double largest(const void *model) {
    const grains *g = model;
    return g->count > 0 ? g->radius : 0;
}

static void read(const void *model, size_t begin, size_t end, offer_particle *out) {
    const grains *g = model;
    for (size_t i = begin; i < end; i++, out++) {
        *out = (offer_particle){.mass = (float)g->mass,
                                .radius = (float)g->radius,
                                .touch = (float)g->radius,
                                .temperature = NAN,
                                .matter = OFFER_SNOW};
        for (int a = 0; a < 3; a++) out->at[a] = (double)g->position[i][a];
        memcpy(out->velocity, g->velocity[i], sizeof out->velocity);
    }
}

static void push(void *model, size_t begin, size_t end, const float (*change)[3]) {
    grains *g = model;
    for (size_t i = begin; i < end; i++, change++) {
        float *v = g->velocity[i];
        for (int a = 0; a < 3; a++) v[a] += (*change)[a];
        g->speed[i] = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
}

static void shift(void *model, size_t begin, size_t end, const float (*by)[3]) {
    grains *g = model;
    for (size_t i = begin; i < end; i++, by++)
        for (int a = 0; a < 3; a++) g->position[i][a] += (*by)[a];
}

void grains_set_air(void *model, bool dragged) { ((grains *)model)->dragged = dragged; }

static const offer_particles particles = {
    .count = count, .largest = largest, .read = read, .push = push, .shift = shift};
const struct firn_offers grains_offers = {.particles = &particles};
