// Lane C: how particles fly, and what velocity and place they have after the solve. Lists of three numbers a
// particle are taken as they lie in memory, LANES numbers at a time, three vectors after each other: only
// gravity and the frame's origin differ by axis.
#include "lane/lane.h"
#include "pbd/pbd_move.h"

enum { TILE = 64, AXES = 3 }; // particles whose rows of q are packed at once

#if LANES == 1
typedef double wide;
#define WIDEN(a) ((double)(a))
#define NARROW(a) ((float)(a))
#else
typedef double wide __attribute__((vector_size(8 * LANES)));
#define WIDEN(a) __builtin_convertvector(a, wide)
#define NARROW(a) __builtin_convertvector(a, real)
#endif
#define WIDE(c) ((double)(c) - (wide){0})

LANE_INLINE wide w_load(const double *from, int n) {
    wide a = {0};
    if (n == LANES)
        __builtin_memcpy(&a, from, sizeof a);
    else
        __builtin_memcpy(&a, from, (size_t)n * sizeof *from);
    return a;
}
LANE_INLINE void w_store(double *to, wide a, int n) {
    if (n == LANES)
        __builtin_memcpy(to, &a, sizeof a);
    else
        __builtin_memcpy(to, &a, (size_t)n * sizeof *to);
}
LANE_INLINE real load(const float *from, int n) {
    return n == LANES ? r_load(from) : r_load_some(from, n, R(0));
}
LANE_INLINE void store(float *to, real a, int n) {
    if (n == LANES)
        r_store(to, a);
    else
        r_store_some(to, a, n);
}

// By axis: vector m of three, lane k is number m LANES + k of LANES particles.
typedef struct axis_rows {
    real gain[AXES];
    wide origin[AXES];
} axis_rows;

LANE_INLINE void set_axes(const pbd_flight *f, axis_rows *out) {
    float gain[AXES * LANES];
    double origin[AXES * LANES];
    for (int k = 0; k < AXES * LANES; k++) gain[k] = f->gain[k % AXES], origin[k] = f->origin[k % AXES];
    for (int m = 0; m < AXES; m++) {
        out->gain[m] = R(f->way.span) * r_load(gain + m * LANES);
        out->origin[m] = w_load(origin + m * LANES, LANES);
    }
}

// Damped is the velocity and not the position (PBD19's `damping` drags all to the origin). Fused by name, so
// that both passes round alike.
LANE_INLINE real free_velocity(const pbd_way *way, bool solid, real v, real before, real gain) {
    if (solid) v = r_fma(R(way->carry), v - before, v);
    return r_fma(R(way->keep), v, gain);
}
LANE_INLINE real free_move(const pbd_flight *f, bool solid, real v, real moved) {
    real step = R(f->way.span * (float)f->dt);
    return solid ? r_fma(R(f->way.carry), moved, step * v) : step * v;
}

// n numbers at e, of vector m.
LANE_INLINE void predict_some(const pbd_flight *f, const pbd_flight_rows *r, const axis_rows *axes,
                              bool solid, size_t e, int m, int n, float *out) {
    real before = solid ? load(r->v_before + e, n) : R(0), moved = solid ? load(r->moved + e, n) : R(0);
    real v = free_velocity(&f->way, solid, load(r->v + e, n), before, axes->gain[m]);
    store(out, load(r->x + e, n) + free_move(f, solid, v, moved), n);
}

LANE_INLINE void finish_some(const pbd_flight *f, const pbd_flight_rows *r, const axis_rows *axes, bool solid,
                             size_t e, int m, int n, const float *q) {
    real old = load(r->v + e, n), shifted = load(r->x + e, n);
    real before = solid ? load(r->v_before + e, n) : R(0), moved = solid ? load(r->moved + e, n) : R(0);
    real v = free_velocity(&f->way, solid, old, before, axes->gain[m]), move = free_move(f, solid, v, moved);
    wide at = w_load(r->at + e, n);
    real x = NARROW(at - axes->origin[m]), pushed = load(q, n) - (x + move);
    at = at + (WIDE((double)f->way.span * f->dt) * WIDEN(v) + WIDEN(pushed)); // in 64 bits: `move` is rounded
    if (solid) {
        at = at + WIDE(f->way.carry) * WIDEN(moved);
        store(r->moved + e, move + pushed, n);
        store(r->v_before + e, old, n);
    }
    store(r->v + e, r_fma(pushed - (shifted - x), R(f->way.inverse_dt), v), n);
    w_store(r->at + e, at, n);
    store(r->x + e, NARROW(at - axes->origin[m]), n);
}

// Numbers 0 .. count of a tile whose first particle is `first`.
#define EACH_VECTOR(count, one)                                                                              \
    do {                                                                                                     \
        int at = 0;                                                                                          \
        for (; at + AXES * LANES <= (count); at += AXES * LANES) {                                           \
            one(at, 0, LANES);                                                                               \
            one(at + LANES, 1, LANES);                                                                       \
            one(at + 2 * LANES, 2, LANES);                                                                   \
        }                                                                                                    \
        for (int m = 0; at < (count); m++, at += LANES) one(at, m, (count)-at < LANES ? (count)-at : LANES); \
    } while (0)

LANE_INLINE void predict_all(const pbd_flight *f, const pbd_flight_rows *r, bool solid, size_t n) {
    axis_rows axes;
    set_axes(f, &axes);
    for (size_t first = 0; first < n; first += TILE) {
        float flat[AXES * TILE + 1];
        int count = n - first < TILE ? (int)(n - first) : TILE;
#define ONE(at, m, n) predict_some(f, r, &axes, solid, AXES *first + (size_t)(at), m, n, flat + (at))
        EACH_VECTOR(AXES * count, ONE);
#undef ONE
        flat[AXES * count] = 0;
        for (int k = 0; k < count; k++) {
            float *row = r->q[first + (size_t)k];
            __builtin_memcpy(row, flat + AXES * k, sizeof r->q[0]); // one load of four numbers
            row[AXES] = f->weight;
        }
    }
}

LANE_INLINE void finish_all(const pbd_flight *f, const pbd_flight_rows *r, bool solid, size_t n) {
    axis_rows axes;
    set_axes(f, &axes);
    for (size_t first = 0; first < n; first += TILE) {
        float flat[AXES * TILE + 1];
        int count = n - first < TILE ? (int)(n - first) : TILE;
        for (int k = 0; k < count; k++)
            __builtin_memcpy(flat + AXES * k, r->q[first + (size_t)k], sizeof r->q[0]);
#define ONE(at, m, n) finish_some(f, r, &axes, solid, AXES *first + (size_t)(at), m, n, flat + (at))
        EACH_VECTOR(AXES * count, ONE);
#undef ONE
    }
}

void ISA_NAME(pbd_move_predict)(const pbd_flight *f, const pbd_flight_rows *r, size_t n) {
    if (r->moved)
        predict_all(f, r, true, n);
    else
        predict_all(f, r, false, n);
}

void ISA_NAME(pbd_move_finish)(const pbd_flight *f, const pbd_flight_rows *r, size_t n) {
    if (r->moved)
        finish_all(f, r, true, n);
    else
        finish_all(f, r, false, n);
}

void ISA_NAME(pbd_move_bounds)(const double *at, size_t n, double low[3], double high[3]) {
    enum { ROW = 3 * 8 };
    double least[ROW], most[ROW];
    size_t numbers = AXES * n, e = 0;
    for (int k = 0; k < ROW; k++) least[k] = low[k % AXES], most[k] = high[k % AXES];
    for (; e + ROW <= numbers; e += ROW)
        for (int k = 0; k < ROW; k++) { // not fmin and fmax, which are calls
            least[k] = at[e + (size_t)k] < least[k] ? at[e + (size_t)k] : least[k];
            most[k] = at[e + (size_t)k] > most[k] ? at[e + (size_t)k] : most[k];
        }
    for (int k = 0; e < numbers; k++, e++) {
        least[k] = at[e] < least[k] ? at[e] : least[k];
        most[k] = at[e] > most[k] ? at[e] : most[k];
    }
    for (int k = 0; k < ROW; k++) {
        low[k % AXES] = least[k] < low[k % AXES] ? least[k] : low[k % AXES];
        high[k % AXES] = most[k] > high[k % AXES] ? most[k] : high[k % AXES];
    }
}

float ISA_NAME(pbd_move_place)(const double *at, const double origin[3], float *x, size_t n) {
    const pbd_flight f = {.origin = {origin[0], origin[1], origin[2]}};
    axis_rows axes;
    set_axes(&f, &axes);
    real most = R(0);
    size_t numbers = AXES * n, e = 0;
    for (int m = 0; e < numbers; m = m == 2 ? 0 : m + 1, e += LANES) {
        int some = numbers - e < LANES ? (int)(numbers - e) : LANES;
        real to = NARROW(w_load(at + e, some) - axes.origin[m]);
        store(x + e, to, some);
        most = r_max(most, r_where(m_first(some), r_abs(to)));
    }
    return r_max_lanes(most);
}
