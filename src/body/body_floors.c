// Where bodies end below the cells that stand on them: cells know only whether their middle is inside one.
#include "body/body_floors.h"

#include <math.h>

enum { BLOCK = BODY_FLOORS };
#define STEEPEST 1.732f // the tangent of 60 degrees: walls

typedef struct floor_job {
    const cover_grid *grid;
    const body_set *bodies;
    cover_floor *floor;
    size_t count; // at most BLOCK
} floor_job;

typedef struct floor_points {
    size_t count;
    float x[BLOCK], z[BLOCK], low[BLOCK], high[BLOCK]; // the middle of the cell below, and of the cell
    float distance[BLOCK], part[BLOCK]; // of the body that is deepest around the one below; where it ends
    uint32_t body[BLOCK];               // which, from 1
    float y[BLOCK];                     // of the floor
} floor_points;

static void place_points(const floor_job *job, floor_points *p) {
    const cover_grid *g = job->grid;
    size_t across = (size_t)g->n[0], up = (size_t)g->n[1];
    for (size_t i = 0; i < p->count; i++) {
        size_t cell = job->floor[i].cell;
        p->x[i] = (float)(g->low[0] + ((double)(cell % across) + 0.5) * g->cell);
        p->z[i] = (float)(g->low[2] + ((double)(cell / across / up) + 0.5) * g->cell);
        p->low[i] = (float)(g->low[1] + ((double)(cell / across % up) - 0.5) * g->cell);
        p->high[i] = (float)(g->low[1] + ((double)(cell / across % up) + 0.5) * g->cell);
        p->distance[i] = 0;
        p->part[i] = 0.5f;
        p->body[i] = 0;
    }
}

// The surface is where the distance passes 0 between both points.
static void find_parts(const floor_job *job, size_t b, floor_points *p) {
    float low[BLOCK], high[BLOCK];
    body_query(job->bodies, b, p->count, p->x, p->low, p->z, low, NULL, NULL, NULL);
    body_query(job->bodies, b, p->count, p->x, p->high, p->z, high, NULL, NULL, NULL);
    for (size_t i = 0; i < p->count; i++) {
        if (!(low[i] < p->distance[i])) continue;
        p->distance[i] = low[i];
        p->body[i] = (uint32_t)b + 1;
        p->part[i] = high[i] >= 0 ? low[i] / (low[i] - high[i]) : 0.5f;
    }
}

// Its slope, where the surface is that of this body.
static void find_slope(const floor_job *job, size_t b, floor_points *p) {
    float d[BLOCK], nx[BLOCK], ny[BLOCK], nz[BLOCK];
    body_query(job->bodies, b, p->count, p->x, p->y, p->z, d, nx, ny, nz);
    for (size_t i = 0; i < p->count; i++) {
        if (!((double)fabsf(d[i]) < 0.2 * job->grid->cell)) continue;
        cover_floor *floor = job->floor + i;
        float rise = fminf(fmaxf(ny[i], 0.5f), 1); // edges are rounder than they look; snow slides off anyway
        float aside = sqrtf(nx[i] * nx[i] + nz[i] * nz[i]);
        floor->steep = sqrtf(1 - rise * rise) / rise;
        floor->rise[0] = aside > 0 ? -floor->steep * nx[i] / aside : 0;
        floor->rise[1] = aside > 0 ? -floor->steep * nz[i] / aside : 0;
    }
}

// A floor is one if half of the cell lies on it: sills and ledges narrower than that, and walls whose stairs
// of cells only look like floors, let snow slide off towards where nothing is.
static void find_support(const floor_job *job, floor_points *p) {
    static const float aside[4][2] = {{-0.4f, 0}, {0.4f, 0}, {0, -0.4f}, {0, 0.4f}};
    float cell = (float)job->grid->cell, held[4][BLOCK], d[BLOCK], x[BLOCK], y[BLOCK], z[BLOCK];
    for (int n = 0; n < 4; n++) {
        for (size_t i = 0; i < p->count; i++) {
            const cover_floor *f = job->floor + i;
            float along = fminf(fmaxf(f->rise[0] * aside[n][0] + f->rise[1] * aside[n][1], -0.5f), 0.5f);
            x[i] = p->x[i] + cell * aside[n][0];
            z[i] = p->z[i] + cell * aside[n][1];
            y[i] = p->y[i] + cell * (along - 0.15f);
            held[n][i] = 0;
        }
        for (size_t b = 0; b < body_count(job->bodies); b++) {
            body_query(job->bodies, b, p->count, x, y, z, d, NULL, NULL, NULL);
            for (size_t i = 0; i < p->count; i++) held[n][i] = d[i] < 0.1f * cell ? 1 : held[n][i];
        }
    }
    for (size_t i = 0; i < p->count; i++) {
        cover_floor *f = job->floor + i;
        float x_way = held[1][i] - held[0][i], z_way = held[3][i] - held[2][i];
        if (!f->body || held[0][i] + held[1][i] + held[2][i] + held[3][i] > 1.5f) continue;
        float length = sqrtf(x_way * x_way + z_way * z_way);
        f->steep = STEEPEST;
        f->rise[0] = length > 0 ? STEEPEST * x_way / length : 0;
        f->rise[1] = length > 0 ? STEEPEST * z_way / length : 0;
    }
}

static void find_block(const floor_job *job) {
    floor_points p = {.count = job->count};
    size_t bodies = body_count(job->bodies);
    place_points(job, &p);
    for (size_t b = 0; b < bodies; b++) find_parts(job, b, &p);
    for (size_t i = 0; i < p.count; i++) {
        p.y[i] = p.low[i] + p.part[i] * (p.high[i] - p.low[i]);
        job->floor[i] = (cover_floor){.cell = job->floor[i].cell, .up = p.part[i] - 0.5f, .body = p.body[i]};
    }
    for (size_t b = 0; b < bodies; b++) find_slope(job, b, &p);
    find_support(job, &p);
}

void body_floors(const body_set *bodies, const cover_grid *grid, cover_floor *floors, size_t n) {
    for (size_t i = 0; i < n; i += BLOCK)
        find_block(&(floor_job){grid, bodies, floors + i, n - i < BLOCK ? n - i : BLOCK});
}
