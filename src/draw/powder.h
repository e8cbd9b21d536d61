// Powder: the cloud that snow throws up where it breaks, lands or flies. It is no part of the simulation:
// puffs are found in the frames of a run, and where one is later follows from where and when it was born
// alone. So a picture has the same bits whichever other pictures are drawn.
#ifndef DRAW_POWDER_H
#define DRAW_POWDER_H

#include "draw/draw_list.h"
#include "world/world.h"

#define POWDER_LIFE 1.5 // s, of a puff

typedef struct powder_puff {
    float at[3], velocity[3], wind[3]; // m, m/s
    double born;                       // s
    float size;                        // m, radius at birth
    uint32_t seed;
} powder_puff;

typedef struct powder {
    powder_puff *puff; // in the order of their birth
    size_t count, capacity;
    float (*before)[4]; // by number of a particle: velocity and 1 in the frame before, 0: it was not there
    size_t before_count, before_capacity;
    double before_time; // s; negative: no frame before
    float *share;       // scratch, by item
    size_t share_capacity;
} powder;

void powder_begin(powder *p); // the next frame has none before
// What is born in the world's present frame, counted from `origin`. emit: false if only the next frame needs
// to know this one. spacing: m, between particles of snow.
firn_status powder_take(powder *p, const firn_world *world, firn_vec3 origin, double spacing, bool emit);
// A puff `age` seconds later: its middle, radius and opacity.
float powder_place(const powder_puff *puff, double age, float at[3], float *opacity);
void powder_free(powder *p);

#endif
