// Where bodies end below the cells that stand on them: cells know only whether their middle is inside one.
#include "body/body_floors.h"

#include <math.h>
#include <string.h>

enum { BLOCK = BODY_FLOORS };
enum { STEPS = 8, ROUNDS = 4 };
#define NEAR 0.05f // cells: there a step has met the surface

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
    uint32_t met[BLOCK];                // the same, of those thinner than a cell
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
        p->body[i] = p->met[i] = 0;
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

// Beside edges the distance does not fall evenly: the place where it passes 0 is narrowed down.
static void refine_parts(const floor_job *job, size_t b, floor_points *p) {
    float low[BLOCK], high[BLOCK], y[BLOCK], d[BLOCK];
    for (size_t i = 0; i < p->count; i++) low[i] = 0, high[i] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < p->count; i++) y[i] = p->low[i] + p->part[i] * (p->high[i] - p->low[i]);
        body_query(job->bodies, b, p->count, p->x, y, p->z, d, NULL, NULL, NULL);
        for (size_t i = 0; i < p->count; i++) {
            if (p->body[i] != b + 1 || !((double)fabsf(d[i]) > 1e-3 * job->grid->cell)) continue;
            if (d[i] < 0)
                low[i] = p->part[i];
            else
                high[i] = p->part[i];
            float next = p->part[i] - d[i] / (p->high[i] - p->low[i]);
            p->part[i] = next > low[i] && next < high[i] ? next : 0.5f * (low[i] + high[i]);
        }
    }
}

// Bodies thinner than a cell, which the middle of the cell below is not in: the first surface down from the
// middle of the cell, by steps as long as nothing is near.
static void find_thin(const floor_job *job, floor_points *p) {
    float cell = (float)job->grid->cell, y[BLOCK], nearest[BLOCK], d[BLOCK];
    memcpy(y, p->high, sizeof y);
    for (int step = 0; step < STEPS; step++) {
        for (size_t b = 0; b < body_count(job->bodies); b++) {
            body_query(job->bodies, b, p->count, p->x, y, p->z, d, NULL, NULL, NULL);
            for (size_t i = 0; i < p->count; i++) {
                bool nearer = b == 0 || d[i] < nearest[i];
                nearest[i] = nearer ? d[i] : nearest[i];
                if (step == STEPS - 1 && nearer && d[i] < NEAR * cell && !p->body[i])
                    p->met[i] = (uint32_t)b + 1;
            }
        }
        for (size_t i = 0; i < p->count && step < STEPS - 1; i++) y[i] -= fmaxf(nearest[i], 0);
    }
    for (size_t i = 0; i < p->count; i++)
        if (p->met[i] && y[i] > p->low[i] - 0.5f * cell) {
            p->body[i] = p->met[i];
            p->part[i] = (y[i] - p->low[i]) / cell;
        }
}

// Its slope, where the surface is that of this body.
static void find_slope(const floor_job *job, size_t b, floor_points *p) {
    float d[BLOCK], nx[BLOCK], ny[BLOCK], nz[BLOCK];
    body_query(job->bodies, b, p->count, p->x, p->y, p->z, d, nx, ny, nz);
    for (size_t i = 0; i < p->count; i++) {
        if (!((double)fabsf(d[i]) < 0.2 * job->grid->cell)) continue;
        cover_floor *floor = job->floor + i;
        float rise =
            fminf(fmaxf(ny[i], 0.501f), 1); // edges are rounder than they look; snow slides off anyway
        float aside = sqrtf(nx[i] * nx[i] + nz[i] * nz[i]);
        floor->steep = sqrtf(1 - rise * rise) / rise;
        floor->rise[0] = aside > 0 ? -floor->steep * nx[i] / aside : 0;
        floor->rise[1] = aside > 0 ? -floor->steep * nz[i] / aside : 0;
    }
}

// What is around the middle of a floor: below 0: inside a body, at the floor's height and at that of the
// snow on it.
typedef struct floor_aside {
    float below[BLOCK], above[BLOCK];
} floor_aside;

static void look_aside(const floor_job *job, const floor_points *p, const float way[2], floor_aside *out) {
    float cell = (float)job->grid->cell, d[BLOCK], x[BLOCK], y[2][BLOCK], z[BLOCK];
    for (size_t i = 0; i < p->count; i++) {
        const cover_floor *f = job->floor + i;
        float along = fminf(fmaxf(f->rise[0] * way[0] + f->rise[1] * way[1], -0.5f), 0.5f);
        x[i] = p->x[i] + cell * way[0];
        z[i] = p->z[i] + cell * way[1];
        y[0][i] = p->y[i] + cell * (along - 0.15f);
        y[1][i] = p->y[i] + cell * (along + 0.3f);
        out->below[i] = out->above[i] = cell;
    }
    for (size_t b = 0; b < body_count(job->bodies); b++)
        for (int k = 0; k < 2; k++) {
            float *least = k ? out->above : out->below;
            body_query(job->bodies, b, p->count, x, y[k], z, d, NULL, NULL, NULL);
            for (size_t i = 0; i < p->count; i++) least[i] = fminf(least[i], d[i]);
        }
}

// A floor is one if half of the cell lies on it. Walls whose stairs of cells only look like floors, and
// ledges between a wall and nothing that are narrower than a cell, let snow slide off.
static void find_support(const floor_job *job, floor_points *p) {
    static const float way[4][2] = {{-0.4f, 0}, {0.4f, 0}, {0, -0.4f}, {0, 0.4f}};
    float near = 0.1f * (float)job->grid->cell;
    floor_aside side[4];
    for (int n = 0; n < 4; n++) look_aside(job, p, way[n], &side[n]);
    for (size_t i = 0; i < p->count; i++) {
        cover_floor *f = job->floor + i;
        bool ledge = false;
        float held[4], sum = 0;
        for (int n = 0; n < 4; n++) sum += held[n] = side[n].below[i] < near ? 1 : 0;
        for (int n = 0; n < 4; n++) ledge = ledge || (side[n].above[i] < 0 && !(held[n ^ 1] > 0));
        bool bottom = f->cell / (uint32_t)job->grid->n[0] % (uint32_t)job->grid->n[1] == 0;
        if (bottom || (sum > 1.5f && !ledge)) continue;
        float x = held[1] - held[0], z = held[3] - held[2], length = sqrtf(x * x + z * z);
        f->steep = COVER_WALL;
        f->rise[0] = length > 0 ? COVER_WALL * x / length : 0;
        f->rise[1] = length > 0 ? COVER_WALL * z / length : 0;
    }
}

static void find_block(const floor_job *job) {
    floor_points p = {.count = job->count};
    size_t bodies = body_count(job->bodies);
    place_points(job, &p);
    for (size_t b = 0; b < bodies; b++) find_parts(job, b, &p);
    for (size_t b = 0; b < bodies; b++) refine_parts(job, b, &p);
    if (bodies) find_thin(job, &p);
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
