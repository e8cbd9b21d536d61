// Surface tension: the share of space that liquid takes, smoothed to some spacings, on the nodes of a sparse
// grid; the energy of the surface is sigma times the area of its level sets, a mean over them,
// E = sigma sum |grad S(share)|, and forces are its exact gradient by the particles' places. Any profile of a
// flat surface has the same energy, so that neither lattice nor disorder of the outermost particles counts;
// a particle that leaves pays for its own surface; and the inside feels nothing but 2 sigma / R.
#include "pbd/pbd_tension.h"

#include <math.h>
#include <string.h>

#include "grid/block_map.h"
#include "par/par.h"

enum { EDGE = 4, NODES = EDGE * EDGE * EDGE, HALO = EDGE + 2, REACH = EDGE + 3 };

// Distance of nodes, in spacings; slopes below this (1 / spacing) are disorder of the inside (with 0.02 a
// particle beside a surface is not drawn in); of the capillary time of a spacing, what a sub-step may be.
static const double NODE = 1, DISORDER = 0.008, TIME = 0.3;
// Of space taken, from which on liquid is whole: with 0.9 drops boil away (less area by more space between
// particles), with 0.4 the level sets that count lie far outside.
static const float WHOLE = 0.7f;
// Of a wall's kernel, what is left at least; and of sigma, what the rest of a wet wall has as a surface.
static const float MIRROR = 0.5f;
static const double FALSE_WALL = 0.13;

enum { PLANES = 6 }; // walls near a block, at most

typedef float block[NODES];

typedef struct near_plane {
    float n[3], offset, thickness, count; // sums over the particles that see it
    uint32_t body;
} near_plane;
typedef struct near_planes {
    near_plane plane[PLANES];
    int count;
} near_planes;

// Particles of blocks that touch: what their tension does to all of them together.
typedef struct island {
    double mass, at[3], force[3], twist[3], inertia[6];
    firn_vec3 wall[2]; // normals of walls that hold it
    int held;          // how many, at most 3
} island;

struct fluid_tension {
    block_map map;
    uint32_t (*beside)[27]; // by block: those around it
    uint32_t *slot;         // by particle: its block
    uint32_t *first, *item; // by block: its particles
    block *share, *push;    // of space taken; derivative of the energy by it
    block *wall, *cling;    // share of walls, and its slope (1/m)
    block *spare;
    near_planes *planes;
    uint32_t *root;   // by block: the first one of its island
    island *island;   // by block: of those that are roots
    float (*pull)[3]; // m, by particle
    size_t capacity[13];
};

typedef struct pull_work {
    pbd *s;
    pbd_fluid *f;
    fluid_tension *t;
    float inverse_dx, by_cell; // 1/m, 1/m3
    float slope, least2;       // of a difference of corners, 1/m; 1/m2
    float by;                  // of a sum of pushes
    double by_difference;      // J/m: what `push` counts, of a volume of a cell
    double cling;              // J/m2: of a wet wall, less
    float inverse_width;       // 1/m: of a smoothed wall
    block *from, *to;
    bool mirrored;
} pull_work;

void fluid_tension_free(fluid_tension *t) {
    if (!t) return;
    block_map_free(&t->map);
    void *lists[] = {t->beside, t->slot, t->first,  t->item, t->share, t->push, t->spare,
                     t->planes, t->root, t->island, t->pull, t->wall,  t->cling};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) mem_free(lists[k]);
    mem_free(t);
}

double fluid_tension_time(const pbd_fluid *f) {
    double d = f->def.spacing;
    return f->def.surface_tension > 0 ? TIME * sqrt(f->def.density * d * d * d / f->def.surface_tension)
                                      : (double)INFINITY;
}

double fluid_tension_acceleration(const pbd_fluid *f) {
    return f->def.surface_tension / (f->def.density * f->def.spacing * f->def.spacing);
}

// ---- blocks

static void base_of(const pull_work *w, uint32_t i, int32_t node[3], float in[3]) {
    for (int a = 0; a < 3; a++) {
        float x = w->s->p.q[i][a] * w->inverse_dx, low = floorf(x);
        node[a] = fabsf(low) < 1e6f ? (int32_t)low : 0;
        in[a] = x - low;
    }
}

static firn_status add_blocks(const pull_work *w) {
    fluid_tension *t = w->t;
    block_map_clear(&t->map);
    int32_t last[3] = {INT32_MAX, 0, 0};
    for (size_t i = w->s->p.solids; i < w->s->p.count; i++) {
        int32_t at[3];
        float in[3];
        base_of(w, (uint32_t)i, at, in);
        for (int a = 0; a < 3; a++) at[a] >>= 2;
        if (memcmp(at, last, sizeof at) == 0) {
            t->slot[i] = t->slot[i - 1];
            continue;
        }
        memcpy(last, at, sizeof at);
        TRY(block_map_add(&t->map, at, &t->slot[i]));
    }
    return FIRN_OK;
}

// Nodes around them, which smooth shares reach.
static firn_status add_around(fluid_tension *t) {
    size_t own = t->map.count;
    for (size_t k = 0; k < own; k++)
        for (int n = 0; n < 27; n++) {
            const int32_t *at = t->map.at[k],
                          to[3] = {at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1};
            uint32_t unused;
            TRY(block_map_add(&t->map, to, &unused));
        }
    return FIRN_OK;
}

static firn_status reserve(fluid_tension *t, size_t count) {
    size_t n = t->map.count;
    if (!array_reserve(&t->beside, &t->capacity[0], n, sizeof *t->beside) ||
        !array_reserve(&t->first, &t->capacity[1], n + 2, sizeof *t->first) ||
        !array_reserve(&t->item, &t->capacity[2], count, sizeof *t->item) ||
        !array_reserve(&t->share, &t->capacity[3], n, sizeof *t->share) ||
        !array_reserve(&t->push, &t->capacity[4], n, sizeof *t->push) ||
        !array_reserve(&t->spare, &t->capacity[5], n, sizeof *t->spare) ||
        !array_reserve(&t->planes, &t->capacity[6], n, sizeof *t->planes) ||
        !array_reserve(&t->root, &t->capacity[8], n, sizeof *t->root) ||
        !array_reserve(&t->island, &t->capacity[9], n, sizeof *t->island) ||
        !array_reserve(&t->pull, &t->capacity[10], count, sizeof *t->pull) ||
        !array_reserve(&t->wall, &t->capacity[11], n, sizeof *t->wall) ||
        !array_reserve(&t->cling, &t->capacity[12], n, sizeof *t->cling))
        return fail_memory("surface tension", n * sizeof *t->share);
    return FIRN_OK;
}

static void find_beside(void *context, size_t k) {
    const pull_work *w = context;
    const int32_t *at = w->t->map.at[k];
    for (int n = 0; n < 27; n++) {
        const int32_t to[3] = {at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1};
        w->t->beside[k][n] = block_map_find(&w->t->map, to);
    }
}

static void list_particles(const pull_work *w) {
    fluid_tension *t = w->t;
    const pbd_particles *p = &w->s->p;
    memset(t->first, 0, (t->map.count + 2) * sizeof *t->first);
    for (size_t i = p->solids; i < p->count; i++) t->first[t->slot[i] + 2]++;
    for (size_t k = 2; k < t->map.count + 2; k++) t->first[k] += t->first[k - 1];
    for (size_t i = p->solids; i < p->count; i++) t->item[t->first[t->slot[i] + 1]++] = (uint32_t)i;
}

// ---- shares of space on nodes: cubic B-splines

static void weights(float x, float w[4]) {
    float y = 1 - x, x2 = x * x, x3 = x2 * x, y3 = y * y * y;
    w[0] = y3 / 6;
    w[1] = (4 - 6 * x2 + 3 * x3) / 6;
    w[2] = (1 + 3 * x + 3 * x2 - 3 * x3) / 6;
    w[3] = x3 / 6;
}

static void slopes(float x, float w[4]) {
    float y = 1 - x, x2 = x * x;
    w[0] = -y * y / 2;
    w[1] = (3 * x2 - 4 * x) / 2;
    w[2] = (1 + 2 * x - 3 * x2) / 2;
    w[3] = x2 / 2;
}

static void add_share(const pull_work *w, const int32_t low[3], uint32_t i, float *to) {
    int32_t node[3];
    float in[3], wx[4], wy[4], wz[4];
    base_of(w, i, node, in);
    for (int a = 0; a < 3; a++) {
        node[a] += -1 - low[a];
        if (node[a] <= -4 || node[a] >= EDGE) return;
    }
    weights(in[0], wx), weights(in[1], wy), weights(in[2], wz);
    float volume = w->f->volumes[i] * w->by_cell;
    for (int z = 0; z < 4; z++) {
        int nz = node[2] + z;
        for (int y = 0; y < 4 && nz >= 0 && nz < EDGE; y++) {
            int ny = node[1] + y;
            for (int x = 0; x < 4 && ny >= 0 && ny < EDGE; x++) {
                int nx = node[0] + x;
                if (nx >= 0 && nx < EDGE) to[nx + EDGE * (ny + EDGE * nz)] += volume * wz[z] * wy[y] * wx[x];
            }
        }
    }
}

static void share_block(void *context, size_t k) {
    const pull_work *w = context;
    const fluid_tension *t = w->t;
    const int32_t *at = t->map.at[k], low[3] = {EDGE * at[0], EDGE * at[1], EDGE * at[2]};
    float *to = w->to[k];
    memset(to, 0, sizeof(block));
    for (int n = 0; n < 27; n++) {
        uint32_t from = t->beside[k][n];
        if (from == BLOCK_NONE) continue;
        for (uint32_t m = t->first[from]; m < t->first[from + 1]; m++) add_share(w, low, t->item[m], to);
    }
}

// ---- walls

static void add_plane(near_planes *to, const near_plane *p) {
    for (int k = 0; k < to->count; k++) {
        near_plane *own = &to->plane[k];
        float along = own->n[0] * p->n[0] + own->n[1] * p->n[1] + own->n[2] * p->n[2];
        if (own->body != p->body || along < 0.9f * own->count * p->count) continue;
        for (int a = 0; a < 3; a++) own->n[a] += p->n[a];
        own->offset += p->offset, own->count += p->count;
        return;
    }
    if (to->count < PLANES) to->plane[to->count++] = *p;
}

// Walls that particles see, to their blocks.
static void find_planes(const pull_work *w) {
    fluid_tension *t = w->t;
    for (size_t k = 0; k < t->map.count; k++) t->planes[k].count = 0;
    for (size_t b = 0; b < w->f->blocks; b++) {
        const fluid_block *from = &w->f->block[b];
        const uint32_t *own = fluid_rows_of(w->f, b).own;
        for (size_t k = 0; k < from->walls; k++) {
            const fluid_wall *wall = &from->wall[k];
            uint32_t i = own[wall->row];
            if (i < w->s->p.solids) continue;
            near_plane plane = {
                {wall->n[0], wall->n[1], wall->n[2]}, wall->offset, wall->thickness, 1, wall->body};
            add_plane(&t->planes[t->slot[i]], &plane);
        }
    }
}

// Of a wall, smoothed as shares are; and its slope (1/m).
static float step_of(const pull_work *w, float d, float *slope) {
    float x = 0.5f - d * w->inverse_width;
    x = x < 0 ? 0 : x > 1 ? 1 : x;
    *slope = 6 * x * (1 - x) * w->inverse_width;
    return x * x * (3 - 2 * x);
}

static near_planes planes_around(const fluid_tension *t, size_t k) {
    near_planes near = {.count = 0};
    for (int n = 0; n < 27; n++) {
        uint32_t from = t->beside[k][n];
        for (int m = 0; from != BLOCK_NONE && m < t->planes[from].count; m++)
            add_plane(&near, &t->planes[from].plane[m]);
    }
    return near;
}

static void wall_block(void *context, size_t k) {
    const pull_work *w = context;
    fluid_tension *t = w->t;
    const near_planes near = planes_around(t, k);
    const int32_t *at = t->map.at[k];
    memset(t->wall[k], 0, sizeof(block)), memset(t->cling[k], 0, sizeof(block));
    for (int node = 0; node < NODES && near.count > 0; node++) {
        const int local[3] = {node % EDGE, node / EDGE % EDGE, node / EDGE / EDGE};
        float left = 1, cling = 0, x[3], front, back;
        for (int a = 0; a < 3; a++) x[a] = (float)(EDGE * at[a] + local[a]) / w->inverse_dx;
        for (int m = 0; m < near.count; m++) {
            const near_plane *p = &near.plane[m];
            float d = (p->n[0] * x[0] + p->n[1] * x[1] + p->n[2] * x[2] - p->offset) / p->count;
            float part = step_of(w, d, &front) - step_of(w, d + p->thickness, &back);
            cling = cling * (1 - part) + left * front;
            left *= 1 - part;
        }
        t->wall[k][node] = 1 - left, t->cling[k][node] = cling;
    }
}

// Liquid beside a wall goes on in it as in a mirror: of the space that the wall leaves, so much is taken.
static float mirror(float wall) { return 1 / fmaxf(1 - wall, MIRROR); }

// Nodes from one before a block on, `size` of them along each axis.
static void load_around(const pull_work *w, block *list, size_t k, int size, float *to) {
    for (int z = 0; z < size; z++)
        for (int y = 0; y < size; y++)
            for (int x = 0; x < size; x++) {
                int nx = x - 1 + EDGE, ny = y - 1 + EDGE, nz = z - 1 + EDGE;
                uint32_t from = w->t->beside[k][nx / EDGE + 3 * (ny / EDGE) + 9 * (nz / EDGE)];
                int node = nx % EDGE + EDGE * (ny % EDGE + EDGE * (nz % EDGE));
                *to++ = from == BLOCK_NONE ? 0 : list[from][node];
            }
}

// 1/4, 1/2, 1/4 along each axis.
static void smooth_block(void *context, size_t k) {
    const pull_work *w = context;
    float a[HALO * HALO * HALO], b[HALO * HALO * EDGE], c[HALO * EDGE * EDGE], *to = w->to[k];
    load_around(w, w->from, k, HALO, a);
    for (int n = 0; n < HALO * HALO; n++)
        for (int x = 0; x < EDGE; x++)
            b[n * EDGE + x] = (a[n * HALO + x] + 2 * a[n * HALO + x + 1] + a[n * HALO + x + 2]) / 4;
    for (int z = 0; z < HALO; z++)
        for (int y = 0; y < EDGE; y++)
            for (int x = 0; x < EDGE; x++) {
                const float *from = b + (z * HALO + y) * EDGE + x;
                c[(z * EDGE + y) * EDGE + x] = (from[0] + 2 * from[EDGE] + from[2 * EDGE]) / 4;
            }
    for (int n = 0; n < NODES; n++) to[n] = (c[n] + 2 * c[n + EDGE * EDGE] + c[n + 2 * EDGE * EDGE]) / 4;
    for (int n = 0; n < NODES && w->mirrored; n++) to[n] *= mirror(w->t->wall[k][n]);
}

static void smooth(pull_work *w, block *from, block *to) {
    w->from = from, w->to = to;
    par_tasks(w->t->map.count, smooth_block, w);
}

// ---- the energy and its derivatives

// Which level sets count how much: all outside, none where liquid is whole, so that its disorder is free.
static float level(float share) {
    float u = share / WHOLE;
    return u < 1 ? 1.5f * u - 0.5f * u * u * u : 1;
}
static float level_slope(float share) {
    float u = share / WHOLE;
    return u < 1 ? (1.5f - 1.5f * u * u) / WHOLE : 0;
}

enum { CELLS = EDGE + 1 };

// Unit slopes of a block's cells, and of those before it.
static void find_slopes(const pull_work *w, const float *level_at, const float *wall, float (*out)[3]) {
    for (int z = 0; z < CELLS; z++)
        for (int y = 0; y < CELLS; y++)
            for (int x = 0; x < CELLS; x++) {
                const float *a = level_at + x + HALO * (y + HALO * z), *b = a + HALO, *c = a + HALO * HALO,
                            *d = c + HALO;
                float g[3] = {a[1] - a[0] + b[1] - b[0] + c[1] - c[0] + d[1] - d[0],
                              b[0] - a[0] + b[1] - a[1] + d[0] - c[0] + d[1] - c[1],
                              c[0] - a[0] + c[1] - a[1] + d[0] - b[0] + d[1] - b[1]};
                float g2 = 0;
                for (int m = 0; m < 3; m++) g[m] *= w->slope, g2 += g[m] * g[m];
                float size = sqrtf(g2 + w->least2), *to = out[x + CELLS * (y + CELLS * z)];
                const float *o = wall + (a - level_at);
                float open = 1 - (o[0] + o[1] + o[HALO] + o[HALO + 1] + o[HALO * HALO] + o[HALO * HALO + 1] +
                                  o[HALO * HALO + HALO] + o[HALO * HALO + HALO + 1]) /
                                     8;
                for (int m = 0; m < 3; m++) to[m] = open * g[m] / size;
            }
}

static void push_block(void *context, size_t k) {
    const pull_work *w = context;
    float share[HALO * HALO * HALO], level_at[HALO * HALO * HALO], wall[HALO * HALO * HALO],
        slope[CELLS * CELLS * CELLS][3], cling = (float)(w->cling / w->by_difference);
    load_around(w, w->from, k, HALO, share);
    for (int n = 0; n < HALO * HALO * HALO; n++) level_at[n] = level(share[n]);
    load_around(w, w->t->wall, k, HALO, wall);
    find_slopes(w, level_at, wall, slope);
    for (int z = 0; z < EDGE; z++)
        for (int y = 0; y < EDGE; y++)
            for (int x = 0; x < EDGE; x++) {
                float sum = 0;
                for (int n = 0; n < 8; n++) {
                    int cx = n & 1, cy = n >> 1 & 1, cz = n >> 2;
                    const float *g = slope[x + cx + CELLS * (y + cy + CELLS * (z + cz))];
                    sum += (cx ? -g[0] : g[0]) + (cy ? -g[1] : g[1]) + (cz ? -g[2] : g[2]);
                }
                int own = x + 1 + HALO * (y + 1 + HALO * (z + 1)), node = x + EDGE * (y + EDGE * z);
                float clings = w->t->cling[k][node];
                sum -= cling * clings;
                w->to[k][node] = sum * level_slope(share[own]) * mirror(wall[own]);
            }
}

static void pull_particle(const pull_work *w, const int32_t low[3], const float *around, uint32_t i) {
    int32_t node[3];
    float in[3], w3[3][4], d3[3][4], sum[3] = {0};
    base_of(w, i, node, in);
    for (int a = 0; a < 3; a++) weights(in[a], w3[a]), slopes(in[a], d3[a]), node[a] -= low[a];
    for (int z = 0; z < 4; z++)
        for (int y = 0; y < 4; y++) {
            const float *row = around + node[0] + REACH * (node[1] + y + REACH * (node[2] + z));
            float at = 0, along = 0;
            for (int x = 0; x < 4; x++) at += row[x] * w3[0][x], along += row[x] * d3[0][x];
            sum[0] += along * w3[1][y] * w3[2][z];
            sum[1] += at * d3[1][y] * w3[2][z];
            sum[2] += at * w3[1][y] * d3[2][z];
        }
    float by = -w->by * w->f->volumes[i] * w->s->groups[w->s->p.group[i]].inverse_mass;
    for (int a = 0; a < 3; a++) w->t->pull[i][a] = by * sum[a];
}

static void pull_block(void *context, size_t k) {
    const pull_work *w = context;
    const fluid_tension *t = w->t;
    if (t->first[k] == t->first[k + 1]) return;
    const int32_t *at = t->map.at[k], low[3] = {EDGE * at[0], EDGE * at[1], EDGE * at[2]};
    float around[REACH * REACH * REACH];
    load_around(w, w->from, k, REACH, around);
    for (uint32_t m = t->first[k]; m < t->first[k + 1]; m++) pull_particle(w, low, around, t->item[m]);
}

static firn_status prepare(pull_work *w) {
    fluid_tension *t = w->t;
    if (!array_reserve(&t->slot, &t->capacity[7], w->s->p.count, sizeof *t->slot))
        return fail_memory("surface tension", w->s->p.count * sizeof *t->slot);
    TRY(add_blocks(w));
    TRY(add_around(t));
    TRY(reserve(t, w->s->p.count));
    par_tasks(t->map.count, find_beside, w);
    list_particles(w);
    return FIRN_OK;
}

// ---- what it must not do to a drop as a whole

static uint32_t root_of(const fluid_tension *t, uint32_t k) {
    while (t->root[k] != k) k = t->root[k] = t->root[t->root[k]];
    return k;
}

static void hold(island *own, firn_vec3 n) {
    n = dvec_scale(n, 1 / dvec_length(n));
    for (int k = 0; k < own->held && k < 2; k++)
        if (fabs(dvec_dot(n, own->wall[k])) > 0.999) return;
    if (own->held < 2) own->wall[own->held] = n;
    if (own->held < 3) own->held++;
}

static void find_islands(const pull_work *w) {
    fluid_tension *t = w->t;
    for (uint32_t k = 0; k < t->map.count; k++) t->root[k] = k, t->island[k] = (island){.held = 0};
    for (uint32_t k = 0; k < t->map.count; k++)
        for (int n = 0; n < 27 && t->first[k] < t->first[k + 1]; n++) {
            uint32_t other = t->beside[k][n];
            if (other == BLOCK_NONE || t->first[other] == t->first[other + 1]) continue;
            uint32_t a = root_of(t, k), b = root_of(t, other);
            t->root[a < b ? b : a] = a < b ? a : b;
        }
    for (uint32_t k = 0; k < t->map.count; k++)
        for (int m = 0; m < t->planes[k].count; m++)
            hold(&t->island[root_of(t, k)], pbd_at(t->planes[k].plane[m].n));
}

static void add_forces(const pull_work *w) {
    fluid_tension *t = w->t;
    const pbd_particles *p = &w->s->p;
    for (size_t i = p->solids; i < p->count; i++) {
        island *own = &t->island[root_of(t, t->slot[i])];
        double mass = w->s->groups[p->group[i]].mass;
        own->mass += mass;
        for (int a = 0; a < 3; a++) own->at[a] += mass * (double)p->q[i][a];
    }
    for (size_t i = p->solids; i < p->count; i++) {
        island *own = &t->island[root_of(t, t->slot[i])];
        double mass = w->s->groups[p->group[i]].mass, r[3], f[3];
        for (int a = 0; a < 3; a++) {
            r[a] = (double)p->q[i][a] - own->at[a] / own->mass, f[a] = mass * (double)t->pull[i][a];
            own->force[a] += f[a];
        }
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            own->twist[a] += r[b] * f[c] - r[c] * f[b];
            own->inertia[a] += mass * (r[b] * r[b] + r[c] * r[c]);
            own->inertia[3 + a] -= mass * r[b] * r[c];
        }
    }
}

// What is not the wall's doing: of a force what is along the wall or, of two, along their edge; of a twist,
// that around the normal of one.
static void leave_walls(island *k) {
    firn_vec3 f = dvec(k->force[0], k->force[1], k->force[2]),
              t = dvec(k->twist[0], k->twist[1], k->twist[2]), n = k->wall[0];
    if (k->held == 1) {
        f = dvec_sub(f, dvec_scale(n, dvec_dot(f, n)));
        t = dvec_scale(n, dvec_dot(t, n));
    } else if (k->held == 2) {
        n = dvec_cross(n, k->wall[1]);
        f = dvec_scale(n, dvec_dot(f, n) / dvec_length2(n));
    }
    if (k->held > 1) t = (firn_vec3){0};
    if (k->held > 2) f = (firn_vec3){0};
    k->force[0] = f.x, k->force[1] = f.y, k->force[2] = f.z;
    k->twist[0] = t.x, k->twist[1] = t.y, k->twist[2] = t.z;
}

// The spin that its twist makes: in place of the twist.
static void spin_of(island *k, double spacing) {
    double *i = k->inertia, least_inertia = k->mass * spacing * spacing, least = 1e-3 * (i[0] + i[1] + i[2]);
    leave_walls(k);
    for (int a = 0; a < 3; a++) i[a] += least;
    const firn_vec3 x = dvec(i[0], i[5], i[4]), y = dvec(i[5], i[1], i[3]), z = dvec(i[4], i[3], i[2]),
                    t = dvec(k->twist[0], k->twist[1], k->twist[2]);
    double all = dvec_dot(x, dvec_cross(y, z));
    if (!(i[0] + i[1] + i[2] > least_inertia)) all = INFINITY; // a particle or two
    k->twist[0] = dvec_dot(t, dvec_cross(y, z)) / all;
    k->twist[1] = dvec_dot(x, dvec_cross(t, z)) / all;
    k->twist[2] = dvec_dot(x, dvec_cross(y, t)) / all;
    if (k->held != 1) return;
    double along =
        dvec_dot(dvec(k->twist[0], k->twist[1], k->twist[2]), k->wall[0]); // around the normal alone
    k->twist[0] = along * k->wall[0].x, k->twist[1] = along * k->wall[0].y,
    k->twist[2] = along * k->wall[0].z;
}

static void finish_block(void *context, size_t begin, size_t end) {
    const pull_work *w = context;
    const fluid_tension *t = w->t;
    const pbd_particles *p = &w->s->p;
    for (size_t i = begin > p->solids ? begin : p->solids; i < end; i++) {
        const island *own = &t->island[t->root[t->slot[i]]];
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            double gain = (double)t->pull[i][a];
            double rb = (double)p->q[i][b] - own->at[b] / own->mass,
                   rc = (double)p->q[i][c] - own->at[c] / own->mass;
            gain -= own->force[a] / own->mass + own->twist[b] * rc - own->twist[c] * rb;
            p->q[i][a] += (float)gain;
        }
    }
}

// Nodes are not where the particles are, so that pulls do not quite cancel: a drop that touches nothing keeps
// its momentum and spin.
static void finish_pull(const pull_work *w) {
    fluid_tension *t = w->t;
    find_islands(w);
    add_forces(w);
    for (uint32_t k = 0; k < t->map.count; k++) {
        t->root[k] = root_of(t, k);
        if (t->root[k] == k && t->island[k].mass > 0) spin_of(&t->island[k], w->f->def.spacing);
    }
    par_for(w->s->p.count, 8 * PBD_BLOCK, finish_block, (void *)w);
}

firn_status fluid_pull(pbd *s, pbd_fluid *f, const pbd_pass *pass) {
    double sigma = f->def.surface_tension, dx = NODE * f->def.spacing, least = DISORDER / f->def.spacing;
    if (!(sigma > 0) || s->p.count == s->p.solids) return FIRN_OK;
    if (!f->tension) f->tension = mem_zero(1, sizeof *f->tension);
    if (!f->tension) return fail_memory("surface tension", sizeof *f->tension);
    fluid_tension *t = f->tension;
    pull_work work = {.s = s,
                      .f = f,
                      .t = t,
                      .inverse_dx = (float)(1 / dx),
                      .by_cell = (float)(1 / (dx * dx * dx)),
                      .slope = (float)(1 / (4 * dx)),
                      .least2 = (float)(least * least),
                      .by = (float)(sigma * pass->dt * pass->dt / (4 * dx * dx)),
                      .by_difference = sigma / (4 * dx),
                      .cling = sigma * (cos(f->def.contact_angle) + FALSE_WALL),
                      .inverse_width = (float)(1 / (4.4 * f->def.spacing))};
    TRY(prepare(&work));
    work.to = t->spare;
    par_tasks(t->map.count, share_block, &work);
    find_planes(&work);
    par_tasks(t->map.count, wall_block, &work);
    work.mirrored = true;
    smooth(&work, t->spare, t->share);
    work.mirrored = false;
    work.from = t->share, work.to = t->spare;
    par_tasks(t->map.count, push_block, &work);
    smooth(&work, t->spare, t->push);
    work.from = t->push;
    par_tasks(t->map.count, pull_block, &work);
    finish_pull(&work);
    return FIRN_OK;
}
