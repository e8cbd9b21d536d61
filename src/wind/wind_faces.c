// Lists of the faces at, along and inside obstacles.
#include <math.h>
#include <string.h>

#include "wind/wind_state.h"

#define LEAST_AWAY 0.1f

static firn_status add_face(wind_faces *f, wind_face face) {
    if (!array_reserve(&f->face, &f->face_capacity, f->faces + 1, sizeof *f->face))
        return fail_memory("listing faces of obstacles", f->faces * sizeof *f->face);
    f->face[f->faces++] = face;
    return FIRN_OK;
}

static firn_status add_ghost(wind_faces *f, wind_ghost ghost) {
    if (!array_reserve(&f->ghost, &f->ghost_capacity, f->ghosts + 1, sizeof *f->ghost))
        return fail_memory("listing faces of obstacles", f->ghosts * sizeof *f->ghost);
    f->ghost[f->ghosts++] = ghost;
    return FIRN_OK;
}

static firn_status add_wall(wind_faces *f, wind_wall wall) {
    if (!array_reserve(&f->wall, &f->wall_capacity, f->walls + 1, sizeof *f->wall))
        return fail_memory("listing faces along obstacles", f->walls * sizeof *f->wall);
    f->wall[f->walls++] = wall;
    return FIRN_OK;
}

// Ground, bodies and snow are rough; the other sides of the domain are not there in nature.
static bool is_rough(const wind_state *s, size_t a) {
    bool ground = a % s->box.plane / s->box.row == 0;
    return ground || (s->kind[a] == POISSON_WALL && (s->owner[a] || wind_is_snow(s, a)));
}

// Distance of the middle of a face from bodies, in cells: half a cell above those that fill whole ones.
static float away_from(const wind_state *s, int axis, size_t a) {
    const size_t step[3] = {1, s->box.row, s->box.plane}, p = step[(axis + 1) % 3], q = step[(axis + 2) % 3];
    const int16_t *node = s->node + a;
    float mean = ((float)node[0] + (float)node[p] + (float)node[q] + (float)node[p + q]) / (4.0f * WIND_NODE);
    return mean > 0.5f ? 0.5f : mean < LEAST_AWAY ? LEAST_AWAY : mean;
}

enum { FACE_UNKNOWN, FACE_KNOWN };

// Out of the body at a face, by the distances around it. Where cells are closed as a whole it is along the
// face's own axis.
static void find_normal(const wind_state *s, int axis, size_t a, float normal[3]) {
    const size_t step[3] = {1, s->box.row, s->box.plane};
    const size_t own = step[axis];
    const int p = (axis + 1) % 3, q = (axis + 2) % 3;
    normal[0] = normal[1] = normal[2] = 0;
    normal[axis] = 1;
    if (s->whole[a] || s->whole[a - own] || wind_is_buried(s, a) || wind_is_buried(s, a - own)) return;
    const int16_t *node = s->node + a;
    const size_t P = step[p], Q = step[q];
    double n[3], length = 0;
    n[axis] = 0;
    for (int c = 0; c < 4; c++) {
        size_t at = (c & 1 ? P : 0) + (c & 2 ? Q : 0);
        n[axis] += 0.125 * ((double)node[at + own] - (double)*(node + at - own));
    }
    n[p] = 0.5 * ((double)node[P] + (double)node[P + Q] - (double)node[0] - (double)node[Q]);
    n[q] = 0.5 * ((double)node[Q] + (double)node[P + Q] - (double)node[0] - (double)node[P]);
    for (int d = 0; d < 3; d++) length += n[d] * n[d];
    length = sqrt(length);
    if (!(length > 0.1 * WIND_NODE) || fabs(n[axis]) > 0.99 * length) return;
    for (int d = 0; d < 3; d++) normal[d] = (float)(n[d] / length);
}

// Whose face it is, from 1: of the cells beside it or around them.
static uint16_t owner_of(const wind_state *s, int axis, size_t a) {
    const size_t step[3] = {1, s->box.row, s->box.plane};
    const size_t own = step[axis], p = step[(axis + 1) % 3], q = step[(axis + 2) % 3];
    if (s->owner[a]) return s->owner[a];
    if (s->owner[a - own]) return s->owner[a - own];
    for (int c = 0; c < 9; c++) {
        size_t b = a + (size_t)(c % 3) * p + (size_t)(c / 3) * q - p - q;
        if (s->owner[b]) return s->owner[b];
        if (s->owner[b - own]) return s->owner[b - own];
    }
    return 0;
}

// The surface that cuts a face: across the axis, other than the face's own, that its normal is nearest to.
static wind_wall cut_by(const wind_state *s, int axis, size_t a) {
    float normal[3];
    find_normal(s, axis, a, normal);
    int p = (axis + 1) % 3, q = (axis + 2) % 3;
    return (wind_wall){.at = (uint32_t)a,
                       .body = owner_of(s, axis, a),
                       .axis = (uint8_t)(fabsf(normal[p]) > fabsf(normal[q]) ? p : q),
                       .halves = 2,
                       .away = away_from(s, axis, a),
                       .share = (float)s->open[axis][a] / POISSON_WHOLE};
}

// Surfaces along a face of air between the cells a and a - own.
static firn_status list_walls(wind_state *s, int axis, size_t a, size_t own) {
    const size_t step[3] = {1, s->box.row, s->box.plane};
    if (s->open[axis][a] < POISSON_WHOLE) return add_wall(&s->faces[axis], cut_by(s, axis, a));
    for (int d = 0; d < 6; d++) {
        if (d / 2 == axis) continue;
        size_t b = d & 1 ? a + step[d / 2] : a - step[d / 2];
        bool one = is_rough(s, b), two = is_rough(s, b - own);
        if (!one && !two) continue;
        uint16_t body = s->owner[b] ? s->owner[b] : s->owner[b - own];
        TRY(add_wall(&s->faces[axis],
                     (wind_wall){.at = (uint32_t)a,
                                 .body = body,
                                 .axis = (uint8_t)(d / 2),
                                 .halves = (uint8_t)(one + two),
                                 .away = body || s->cover.bank ? away_from(s, axis, a) : 0.5f,
                                 .share = 1}));
    }
    return FIRN_OK;
}

static void find_busy(const wind_state *s, uint8_t *busy) {
    const size_t n = (size_t)s->box.n[0];
    const wind_items near = wind_own_items(s, 1);
    for (size_t r = near.first / s->box.row; r < near.end / s->box.row; r++) {
        size_t a = r * s->box.row + 1;
        bool whole = true;
        for (size_t i = a; i < a + n; i++)
            whole &= s->kind[i] == POISSON_FREE && s->open[0][i] == POISSON_WHOLE &&
                     s->open[1][i] == POISSON_WHOLE && s->open[2][i] == POISSON_WHOLE;
        busy[r] = !whole;
    }
}

// Whether a row of cells or one beside it is not all air; the layer around the domain is not.
static bool is_busy(const wind_state *s, const uint8_t *busy, int32_t j, int32_t k) {
    const size_t rows = (size_t)s->box.n[1] + 2;
    if (j > s->box.n[1] || k > s->box.n[2]) return true;
    for (int32_t z = k - 1; z <= k + 1; z++)
        for (int32_t y = j - 1; y <= j + 1; y++)
            if (busy[(size_t)z * rows + (size_t)y]) return true;
    return false;
}

// Faces of air and of obstacles' surfaces are known, those inside obstacles are not.
static firn_status list_faces(wind_state *s, int axis, const uint8_t *busy, uint8_t *known) {
    const size_t step = axis == 0 ? 1 : axis == 1 ? s->box.row : s->box.plane;
    const int32_t *n = s->box.n;
    wind_faces *f = &s->faces[axis];
    f->faces = f->ghosts = f->walls = 0;
    const wind_items near = wind_own_items(s, 1);
    memset(known + near.first, FACE_UNKNOWN, near.end - near.first);
    for (int32_t k = s->k0; k < (axis == 2 ? s->end_plane : s->k1) && !wind_is_stopped(s); k++)
        for (int32_t j = 1; j <= n[1] + (axis == 1); j++) {
            if (!is_busy(s, busy, j, k)) {
                memset(known + poisson_at(&s->box, 1, j, k), FACE_KNOWN, (size_t)n[0] + (axis == 0));
                continue;
            }
            for (int32_t i = 1; i <= n[0] + (axis == 0); i++) {
                size_t a = poisson_at(&s->box, i, j, k), b = a - step;
                const int32_t at[3] = {i, j, k};
                bool boundary = at[axis] == 1 || at[axis] == n[axis] + 1;
                bool here = s->kind[a] == POISSON_FREE, there = s->kind[b] == POISSON_FREE;
                uint8_t open = here && there ? s->open[axis][a] : 0;
                known[a] = here || there || boundary ? FACE_KNOWN : FACE_UNKNOWN;
                if (open) TRY(list_walls(s, axis, a, step));
                if (!(here || there) || boundary || open == POISSON_WHOLE) continue;
                wind_face face = {.at = (uint32_t)a, .body = owner_of(s, axis, a), .open = open};
                if (open == 0) find_normal(s, axis, a, face.normal);
                TRY(add_face(f, face));
            }
        }
    wind_fill(s, 1, 1, known, 1);
    return FIRN_OK;
}

static firn_status list_ghosts(wind_state *s, int axis, uint8_t *known) {
    const size_t step[3] = {1, s->box.row, s->box.plane};
    const int32_t *n = s->box.n;
    wind_faces *f = &s->faces[axis];
    size_t from = f->ghosts;
    for (int32_t k = s->k0; k < s->k1 && !wind_is_stopped(s); k++)
        for (int32_t j = 1; j <= n[1]; j++) {
            if (!memchr(known + poisson_at(&s->box, 1, j, k), FACE_UNKNOWN, (size_t)n[0])) continue;
            for (int32_t i = 1; i <= n[0]; i++) {
                size_t a = poisson_at(&s->box, i, j, k);
                if (known[a] != FACE_UNKNOWN) continue;
                uint32_t bits = 0;
                for (int d = 0; d < 6; d++)
                    if (known[d & 1 ? a + step[d / 2] : a - step[d / 2]] == FACE_KNOWN) bits |= 1u << d;
                if (bits) TRY(add_ghost(f, (wind_ghost){(uint32_t)a, bits}));
            }
        }
    for (size_t i = from; i < f->ghosts; i++) known[f->ghost[i].at] = FACE_KNOWN;
    wind_fill(s, 1, 1, known, 1);
    if (from == 0) f->first_ghosts = f->ghosts;
    return FIRN_OK;
}

firn_status wind_list_faces(wind_state *s) {
    uint8_t *known = (uint8_t *)s->hat, *busy = (uint8_t *)s->next[2];
    find_busy(s, busy);
    for (int axis = 0; axis < 3; axis++) {
        TRY(list_faces(s, axis, busy, known));
        for (int layer = 0; layer < 2; layer++) TRY(list_ghosts(s, axis, known));
    }
    return wind_is_stopped(s) ? stop_failed() : FIRN_OK;
}
