// Frames: 64-bit places in the world become 32-bit positions from an origin nearby, so that a kilometre
// changes nothing. Most scenes need one frame. Where particles are far from each other, those in tiles of
// space that touch share a frame, and so do all of a solid; positions of different frames are put side by
// side, so that neighbours are looked for in all of them at once.
#include "pbd/pbd_kinds.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_move.h"

static const double TILE = 256;               // finest spacings: 32 bits resolve 1e-5 of a spacing there
enum { TASK = 8 * PBD_BLOCK, ONE_FRAME = 4 }; // tiles across

typedef struct frame_box {
    double low[3], high[3];
    double any; // 0: of no particle
} frame_box;

typedef struct frame_tile {
    int64_t cell[3];
    uint32_t root;  // of the tiles that touch: the smallest
    uint32_t count; // particles
} frame_tile;

// Tiles in the order of their first particles, found by a hash.
typedef struct tile_map {
    frame_tile *tile;
    uint32_t *slot; // tile + 1; 0: none
    size_t count, capacity, slots;
    double size; // m
} tile_map;

// ---- where the particles are

static void box_block(void *context, size_t begin, size_t end, void *partial) {
    const pbd *s = context;
    frame_box *b = partial;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    ISA_PICK(pbd_move_bounds)(s->p.at[begin], end - begin, low, high);
    memcpy(b->low, low, sizeof low);
    memcpy(b->high, high, sizeof high);
    b->any = 1;
}

static void join_boxes(void *into, const void *from) {
    frame_box *a = into;
    const frame_box *b = from;
    if (b->any == 0) return;
    if (a->any == 0) *a = *b;
    for (int k = 0; k < 3; k++) {
        a->low[k] = fmin(a->low[k], b->low[k]);
        a->high[k] = fmax(a->high[k], b->high[k]);
    }
}

static double tile_size(const pbd *s) {
    double finest = INFINITY, coarsest = 0;
    for (size_t k = 0; k < s->group_count; k++) {
        double spacing = 2 * (double)s->groups[k].radius;
        if (spacing > 0) finest = fmin(finest, spacing), coarsest = fmax(coarsest, spacing);
    }
    return coarsest > 0 ? fmax(TILE * finest, 16 * coarsest) : 1;
}

// ---- tiles

// Where the tile of a cell is in the hash, or would be.
static size_t slot_of(const tile_map *m, const int64_t c[3]) {
    uint64_t hash = (uint64_t)c[0] * 73856093 ^ (uint64_t)c[1] * 19349663 ^ (uint64_t)c[2] * 83492791;
    size_t at = (size_t)hash & (m->slots - 1);
    while (m->slot[at] != 0 && memcmp(m->tile[m->slot[at] - 1].cell, c, 3 * sizeof *c) != 0)
        at = (at + 1) & (m->slots - 1);
    return at;
}

static firn_status reserve_tile(tile_map *m) {
    if (!array_reserve(&m->tile, &m->capacity, m->count + 1, sizeof *m->tile))
        return fail_memory("placing particles", m->count * sizeof *m->tile);
    if (2 * (m->count + 1) <= m->slots) return FIRN_OK;
    size_t slots = m->slots > 0 ? 4 * m->slots : 256;
    mem_free(m->slot);
    m->slot = mem_zero(slots, sizeof *m->slot);
    if (!m->slot) return fail_memory("placing particles", slots * sizeof *m->slot);
    m->slots = slots;
    for (size_t k = 0; k < m->count; k++) m->slot[slot_of(m, m->tile[k].cell)] = (uint32_t)k + 1;
    return FIRN_OK;
}

static uint32_t root_of(tile_map *m, uint32_t k) {
    while (m->tile[k].root != k) k = m->tile[k].root = m->tile[m->tile[k].root].root;
    return k;
}

static void join_tiles(tile_map *m, uint32_t a, uint32_t b) {
    a = root_of(m, a), b = root_of(m, b);
    m->tile[a < b ? b : a].root = a < b ? a : b;
}

// Tiles of all particles, to p.frame.
static firn_status list_tiles(pbd *s, tile_map *m) {
    uint32_t last = 0;
    for (size_t i = 0; i < s->p.count; i++) {
        int64_t c[3];
        for (int a = 0; a < 3; a++) {
            double at = floor(s->p.at[i][a] / m->size);
            c[a] = fabs(at) < 1e15 ? (int64_t)at : 0; // the watchdog tells what is nowhere
        }
        if (m->count == 0 || memcmp(m->tile[last].cell, c, sizeof c) != 0) {
            TRY(reserve_tile(m));
            size_t slot = slot_of(m, c);
            if (m->slot[slot] == 0) {
                m->tile[m->count] = (frame_tile){{c[0], c[1], c[2]}, (uint32_t)m->count, 0};
                m->slot[slot] = (uint32_t)++m->count;
            }
            last = m->slot[slot] - 1;
        }
        m->tile[last].count++;
        s->p.frame[i] = last;
    }
    return FIRN_OK;
}

static void join_all(pbd *s, tile_map *m) {
    bool bound = pbd_data(s, &pbd_outside); // constraints of a program may hold any solids together
    for (uint32_t k = 0; k < m->count; k++)
        for (int n = 0; n < 27; n++) {
            const int64_t *c = m->tile[k].cell,
                          beside[3] = {c[0] + n % 3 - 1, c[1] + n / 3 % 3 - 1, c[2] + n / 9 - 1};
            uint32_t other = m->slot[slot_of(m, beside)];
            if (other > 0) join_tiles(m, k, other - 1);
        }
    for (size_t i = 1; i < s->p.solids; i++)
        if (bound || s->p.group[i] == s->p.group[i - 1]) join_tiles(m, s->p.frame[i - 1], s->p.frame[i]);
}

// ---- frames

// Tiles that touch: particles, and the tile with most of them.
typedef struct island {
    size_t count;
    uint32_t middle;
} island;

// Islands in the order of their first tiles; number[]: by tile.
static size_t list_islands(tile_map *m, island *list, uint32_t *number) {
    size_t islands = 0;
    for (uint32_t k = 0; k < m->count; k++) {
        uint32_t root = root_of(m, k);
        if (root == k) number[k] = (uint32_t)islands, list[islands++] = (island){0, k};
        number[k] = number[root];
        island *own = &list[number[k]];
        own->count += m->tile[k].count;
        if (m->tile[k].count > m->tile[own->middle].count) own->middle = k;
    }
    return islands;
}

// Positions count from the middle of an island. Islands lie in a lattice of rooms, the largest at its origin.
static void place_islands(pbd *s, const tile_map *m, const island *list, const uint32_t *number) {
    pbd_frames *f = &s->frames;
    size_t largest = 0, side = 1;
    double room[3] = {0};
    while (side * side * side < f->count) side++;
    for (size_t k = 0; k < f->count; k++)
        if (list[k].count > list[largest].count) largest = k;
    for (size_t k = 0; k < m->count; k++) {
        const int64_t *middle = m->tile[list[number[k]].middle].cell;
        for (int a = 0; a < 3; a++)
            room[a] = fmax(room[a], 2 * fabs((double)(m->tile[k].cell[a] - middle[a])) + 3);
    }
    for (size_t k = 0; k < f->count; k++) {
        size_t at = k == largest ? 0 : k == 0 ? largest : k;
        const int64_t *c = m->tile[list[k].middle].cell;
        const size_t place[3] = {at % side, at / side % side, at / side / side};
        double origin[3];
        for (int a = 0; a < 3; a++)
            origin[a] = rint(((double)c[a] + 0.5) * m->size) - rint((double)place[a] * room[a] * m->size);
        f->origin[k] = dvec(origin[0], origin[1], origin[2]);
    }
}

static firn_status reserve_frames(pbd *s, size_t count) {
    pbd_frames *f = &s->frames;
    if (!array_reserve(&f->origin, &f->capacity, count, sizeof *f->origin))
        return fail_memory("placing particles", count * sizeof *f->origin);
    f->count = count;
    return FIRN_OK;
}

static firn_status find_islands(pbd *s, tile_map *m) {
    TRY(list_tiles(s, m));
    join_all(s, m);
    island *list = mem_zero(m->count, sizeof *list);
    uint32_t *number = mem_zero(m->count, sizeof *number);
    firn_status status = FIRN_OK;
    if (!list || !number)
        status = fail_memory("placing particles", m->count * sizeof *list);
    else
        status = reserve_frames(s, list_islands(m, list, number));
    if (status == FIRN_OK) {
        place_islands(s, m, list, number);
        for (size_t i = 0; i < s->p.count; i++) s->p.frame[i] = number[s->p.frame[i]];
    }
    mem_free(list);
    mem_free(number);
    return status;
}

// The frame of particles that are near each other.
static bool one_frame(pbd *s, const frame_box *box, double tile) {
    double origin[3];
    bool small = true;
    for (int a = 0; a < 3; a++) {
        small &= box->high[a] - box->low[a] < ONE_FRAME * tile;
        origin[a] = rint((box->low[a] + box->high[a]) / 2);
    }
    if (!small && box->any > 0) return false;
    s->frames.origin[0] = dvec(origin[0], origin[1], origin[2]);
    memset(s->p.frame, 0, s->p.count * sizeof *s->p.frame);
    return true;
}

// Positions; and the largest of solids, of any coordinate.
static double place_block(void *context, size_t begin, size_t end) {
    pbd *s = context;
    const pbd_particles *p = &s->p;
    float most = 0;
    for (size_t i = begin, next; i < end; i = next) {
        bool solid = i < p->solids;
        size_t stop = solid && p->solids < end ? p->solids : end;
        next = s->frames.count == 1 ? stop : i + 1;
        while (next < stop && p->frame[next] == p->frame[i]) next++;
        const firn_vec3 o = pbd_origin(s, i);
        float size = ISA_PICK(pbd_move_place)(p->at[i], (const double[3]){o.x, o.y, o.z}, p->x[i], next - i);
        most = solid && size > most ? size : most;
    }
    return (double)most;
}

// Half as much again as 2^23 units, a unit the distance of numbers next to each other at `most`.
static float snap_of(double most) {
    if (!(most > 0 && most < 1e15)) return 0;
    int exponent;
    frexp(most, &exponent);
    return (float)ldexp(1.5, exponent - 1);
}

firn_status pbd_find_frames(pbd *s) {
    frame_box box = {.any = 0};
    tile_map map = {.size = tile_size(s)};
    if (par_reduce(s->p.count, TASK, sizeof box, box_block, join_boxes, s, &box) != FIRN_OK)
        box_block(s, 0, s->p.count, &box); // no memory for partial boxes: one after the other
    firn_status status = reserve_frames(s, 1);
    if (status == FIRN_OK && !one_frame(s, &box, map.size)) status = find_islands(s, &map);
    mem_free(map.tile);
    mem_free(map.slot);
    if (status == FIRN_OK) s->frames.snap = snap_of(par_max(s->p.count, TASK, place_block, s));
    return status;
}
