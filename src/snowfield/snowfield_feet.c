// Balls of other models (grains, particles of solids, liquids, lumps) press the snow by the law that bodies
// press it by: snow bears up to its strength over the area of contact, displaced snow takes on the velocity,
// and what is not borne sinks and presses its columns. What sank is a matter of this step: a ball that came
// into the snow by v dt is moved back by the share of its momentum that the snow bore; what is deeper than
// that is pressed.
#include "snowfield/snowfield_press.h"

#include <math.h>
#include <string.h>

#include "math/dvec.h"
#include "par/par.h"

enum { FEET_TASK = 256, NO_SLOT = -1 };
#define FEET_LIFT 0.3 // m/s; what overlaps without moving in is moved out no faster, if the snow bears that
#define FEET_OVERLAP 1.0 // radii; so much is left to that
#define FEET_WALL 0.25   // cells, of a column that is higher than the balls below it
#define FEET_STEEP 3.0   // tangent; no contact counts as steeper
#define FEET_LEAST 4     // HEIGHT_UNIT; columns give way by no less
#define FEET_THIN 1e-3   // m of snow that stays below a ball, at the least

// A ball in the snow.
typedef struct foot_contact {
    foot_square square;
    bool touches;
    double normal[3];
    double middle;         // m, its height or that at the start of the step, if that was higher
    double depth;          // m, of the ball in the snow, along the normal
    double most;           // m; of that the snow can give way by, then it is bare ground
    double approach;       // m/s
    double density, gives; // kg/m3; m, how far the snow gives way
} foot_contact;

// A cell that balls press.
typedef struct foot_cell {
    int32_t x, z;
    double area;           // cells, of all balls' squares in it
    double gives;          // m, times that area
    double lowest, middle; // m, of the balls over it: the lowest point; the highest middle
    int32_t low;           // HEIGHT_UNIT, that its snow is pressed to; INT32_MAX: it is not
    uint32_t part;         // a cell of its part that comes before, or itself
    uint32_t next, last;   // of the part's first cell: the next of the part (0: none), and its last one
    double pull[3];        // m/s times area
} foot_cell;

typedef struct snowfield_feet {
    foot_contact *contact; // by ball
    foot_cell *cell;
    size_t cells;
    int32_t *slot; // by place in `rect`: the cell, NO_SLOT: none. Outside of a call all are none.
    snowfield_rect rect;
    snowfield_print print;
    uint32_t *order; // cells, part by part
    size_t capacity[8];
} snowfield_feet;

void snowfield_feet_free(snowfield_state *s) {
    snowfield_feet *f = s->feet;
    if (!f) return;
    void *lists[] = {f->contact,   f->cell,       f->slot,         f->order,
                     f->print.low, f->print.high, f->print.bottom, f->print.top};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    mem_free(f);
    s->feet = NULL;
}

// ---- Where a ball is

foot_square snowfield_square(const snowfield_state *s, const offer_foot *foot) {
    double c = s->def.cell, x = (foot->at[0] - s->x0) / c, z = (foot->at[2] - s->z0) / c;
    foot_square q = {{0}, x, z, fmax(2 * (double)foot->radius / c, 1)};
    if (!(x >= 0 && z >= 0 && x < s->nx && z < s->nz)) return q;
    q.cells = rect_meet((snowfield_rect){(int32_t)floor(x - q.side / 2), (int32_t)floor(z - q.side / 2),
                                         (int32_t)ceil(x + q.side / 2), (int32_t)ceil(z + q.side / 2)},
                        (snowfield_rect){0, 0, s->nx, s->nz});
    return q;
}

double snowfield_square_share(double middle, double side, int32_t cell) {
    double from = fmax(middle - side / 2, cell), to = fmin(middle + side / 2, cell + 1.0);
    return to > from ? (to - from) / side : 0;
}

// Of a column: height of the ground and of the snow (m), density.
static void read_column(const snowfield_state *s, int32_t x, int32_t z, double *ground, double *height,
                        float *density) {
    if (snowfield_tile_at(s, x >> s->shift, z >> s->shift) != TILE_NONE) {
        size_t cell = snowfield_cell(s, x, z);
        *ground = (double)s->tiles.ground[cell];
        *height = snowfield_surface(s, cell) * HEIGHT_UNIT;
        *density = s->tiles.density[cell];
        return;
    }
    int32_t mass;
    float level;
    snowfield_start_column(s, x, z, &mass, density);
    snowfield_ground(s, (snowfield_rect){x, z, x + 1, z + 1}, &level);
    *ground = (double)level;
    *height = (snowfield_height(level) + snowfield_depth(mass, *density)) * HEIGHT_UNIT;
}

static double height_at(const snowfield_state *s, int32_t x, int32_t z) { // the nearest of the field
    double ground, height;
    float density;
    read_column(s, int_min(int_max(x, 0), s->nx - 1), int_min(int_max(z, 0), s->nz - 1), &ground, &height,
                &density);
    return height;
}

// The smaller of the slopes to both sides, 0 where they differ in sign: a wall on one side is no slope.
static double slope_between(double before, double here, double after, double apart) {
    double a = (here - before) / apart, b = (after - here) / apart;
    return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b;
}

// The surface below a ball.
typedef struct below {
    double ground, height, density; // means over its square: m, m, kg/m3
    double slope[2];                // along x and z
} below;

// The plane goes through the column below the middle. Others count up to one radius above it: a ball that
// just reaches a wall of snow is not lifted onto it.
static below look_below(const snowfield_state *s, const foot_square *q, double radius) {
    below b = {0};
    int32_t cx = int_min((int32_t)q->x, s->nx - 1), cz = int_min((int32_t)q->z, s->nz - 1);
    int32_t k = int_max((int32_t)rint(q->side), 1);
    double share = 0, cell = s->def.cell, here = height_at(s, cx, cz);
    b.slope[0] = slope_between(height_at(s, cx - k, cz), here, height_at(s, cx + k, cz), k * cell);
    b.slope[1] = slope_between(height_at(s, cx, cz - k), here, height_at(s, cx, cz + k), k * cell);
    for (int32_t z = q->cells.z0; z < q->cells.z1; z++)
        for (int32_t x = q->cells.x0; x < q->cells.x1; x++) {
            double w = snowfield_square_share(q->x, q->side, x) * snowfield_square_share(q->z, q->side, z);
            double ground, height, plane = here + cell * (b.slope[0] * (x - cx) + b.slope[1] * (z - cz));
            float density;
            if (!(w > 0)) continue;
            read_column(s, x, z, &ground, &height, &density);
            double rise = cell * (b.slope[0] * (x + 0.5 - q->x) + b.slope[1] * (z + 0.5 - q->z));
            share += w, b.ground += w * ground, b.density += w * (double)density;
            b.height += w * (fmin(height, plane + radius) - rise);
        }
    b.ground /= share, b.height /= share, b.density /= share;
    return b;
}

static void find_contact(const snowfield_state *s, const offer_foot *foot, double dt, foot_contact *c) {
    *c = (foot_contact){.square = snowfield_square(s, foot)};
    if (rect_empty(c->square.cells)) return;
    double r = (double)foot->radius, y = foot->at[1], before = y - (double)foot->velocity[1] * dt;
    c->middle = fmax(y, before);
    below b = look_below(s, &c->square, r);
    double sx = b.slope[0], sz = b.slope[1], steep = sqrt(sx * sx + sz * sz);
    if (steep > FEET_STEEP) sx *= FEET_STEEP / steep, sz *= FEET_STEEP / steep;
    double up = 1 / sqrt(1 + sx * sx + sz * sz);
    c->depth = r - (y - b.height) * up;
    if (c->depth <= 0 || c->middle + r < b.ground) return; // above it; under the ground all the time
    c->touches = true;
    c->normal[0] = -sx * up, c->normal[1] = up, c->normal[2] = -sz * up;
    c->most = fmax(b.height - b.ground - FEET_THIN, 0) * up;
    c->density = b.density;
    for (int a = 0; a < 3; a++) c->approach -= c->normal[a] * (double)foot->velocity[a];
}

// ---- Cells

typedef struct feet_work {
    snowfield_state *s;
    snowfield_feet *f;
    offer_foot *foot;
    size_t count;
    double friction, dt;
} feet_work;

static void find_contacts(void *context, size_t begin, size_t end) {
    const feet_work *w = context;
    for (size_t i = begin; i < end; i++) {
        memset(w->foot[i].push, 0, sizeof w->foot[i].push);
        memset(w->foot[i].shift, 0, sizeof w->foot[i].shift);
        find_contact(w->s, &w->foot[i], w->dt, &w->f->contact[i]);
    }
}

static int32_t *slot_at(const snowfield_feet *f, int32_t x, int32_t z) {
    return &f->slot[(size_t)(z - f->rect.z0) * (size_t)(f->rect.x1 - f->rect.x0) + (size_t)(x - f->rect.x0)];
}

// One cell more around, so that each has neighbours.
static firn_status reserve_cells(const feet_work *w) {
    snowfield_feet *f = w->f;
    size_t touched = 0, old = f->capacity[2];
    f->rect = (snowfield_rect){0};
    for (size_t i = 0; i < w->count; i++) {
        if (!f->contact[i].touches) continue;
        f->rect = rect_join(f->rect, f->contact[i].square.cells);
        touched += rect_size(f->contact[i].square.cells);
    }
    f->rect = rect_grow(f->rect, 1);
    f->cells = 0;
    if (!array_reserve(&f->slot, &f->capacity[2], rect_size(f->rect), sizeof *f->slot) ||
        !array_reserve(&f->cell, &f->capacity[1], touched, sizeof *f->cell) ||
        !array_reserve(&f->order, &f->capacity[3], touched, sizeof *f->order))
        return fail_memory("pressing snow", touched * sizeof *f->cell);
    for (size_t i = old; i < f->capacity[2]; i++) f->slot[i] = NO_SLOT;
    return FIRN_OK;
}

static foot_cell *cell_of(snowfield_feet *f, int32_t x, int32_t z) {
    int32_t *slot = slot_at(f, x, z);
    if (*slot == NO_SLOT) {
        *slot = (int32_t)f->cells;
        f->cell[f->cells] = (foot_cell){.x = x,
                                        .z = z,
                                        .low = INT32_MAX,
                                        .lowest = INFINITY,
                                        .middle = -INFINITY,
                                        .part = (uint32_t)f->cells};
        f->cells++;
    }
    return &f->cell[*slot];
}

static double area_in(const foot_square *q, int32_t x, int32_t z) { // cells
    return snowfield_square_share(q->x, q->side, x) * snowfield_square_share(q->z, q->side, z) * q->side *
           q->side;
}

// In the order of the balls: sums do not depend on threads.
static void add_areas(const feet_work *w) {
    for (size_t i = 0; i < w->count; i++) {
        const foot_square *q = &w->f->contact[i].square;
        if (!w->f->contact[i].touches) continue;
        for (int32_t z = q->cells.z0; z < q->cells.z1; z++)
            for (int32_t x = q->cells.x0; x < q->cells.x1; x++) cell_of(w->f, x, z)->area += area_in(q, x, z);
    }
}

// ---- The law

// Force (N) that the snow below a ball bears, and the area (m2) that is the ball's: those of others in the
// same cells have their shares.
static double strength_below(const feet_work *w, const foot_contact *c, double *area) {
    const snowfield_state *s = w->s;
    double force = 0, unit = s->def.cell * s->def.cell;
    *area = 0;
    for (int32_t z = c->square.cells.z0; z < c->square.cells.z1; z++)
        for (int32_t x = c->square.cells.x0; x < c->square.cells.x1; x++) {
            double own = area_in(&c->square, x, z), all = w->f->cell[*slot_at(w->f, x, z)].area;
            double ground, height;
            float density;
            if (!(own > 0)) continue;
            read_column(s, x, z, &ground, &height, &density);
            own *= unit * fmin(1, 1 / all);
            force += own * (height - ground > FIELD_BARE ? snowfield_strength(&s->law, density) : FIELD_ROCK);
            *area += own;
        }
    return force;
}

// Coulomb's friction by an impulse (m/s) along the normal. What it stops was in contact for `time` (s) and
// did not slide in it: `shift` (m) takes that back, or what rests on a slope would creep.
static void rub(const foot_contact *c, double most, double time, double v[3], double shift[3]) {
    double along = 0, size2 = 0;
    for (int a = 0; a < 3; a++) along += v[a] * c->normal[a];
    for (int a = 0; a < 3; a++) size2 += (v[a] - along * c->normal[a]) * (v[a] - along * c->normal[a]);
    double keep = size2 > most * most ? 1 - most / sqrt(size2) : 0;
    for (int a = 0; a < 3; a++) {
        double slide = v[a] - along * c->normal[a];
        if (keep <= 0) shift[a] -= time * slide;
        v[a] = along * c->normal[a] + keep * slide;
    }
}

// How far it is moved back (m): by what it came in, as far as the snow bore it, and slowly out of what is
// left. What is much deeper than that was in the snow from the start, or snow came over it: the snow gives
// way.
static double move_back(const foot_contact *c, double radius, double wanted, double bears, double dt,
                        double *gives) {
    double came = fmin(c->depth, wanted * dt), share = wanted > bears ? bears / wanted : 1;
    double rest = c->depth - came, lift = fmin(rest, fmin(fmax(bears - wanted, 0), FEET_LIFT) * dt);
    *gives = (1 - share) * came + fmax(rest - lift - FEET_OVERLAP * radius, 0);
    return share * came + lift;
}

static void meet(const feet_work *w, offer_foot *foot, foot_contact *c) {
    double mass = (double)foot->mass, area, bears = strength_below(w, c, &area) * w->dt / mass; // m/s
    double wanted = fmax(c->approach, 0), stopped = fmin(wanted, bears);
    double back = move_back(c, (double)foot->radius, wanted, bears, w->dt, &c->gives);
    if (c->depth - back > c->most) { // down to the ground
        back = c->depth - c->most;
        c->gives = fmin(c->gives, c->most);
        stopped = wanted;
    }
    double v[3], shift[3], time = wanted > 0 ? fmin(c->depth / wanted, w->dt) : 0;
    for (int a = 0; a < 3; a++) {
        v[a] = (double)foot->velocity[a] + stopped * c->normal[a];
        shift[a] = back * c->normal[a];
    }
    rub(c, w->friction * stopped, time, v, shift);
    double keep = wanted > stopped ? mass / (mass + c->density * area * c->gives) : 1;
    for (int a = 0; a < 3; a++) {
        foot->push[a] = (float)(keep * v[a] - (double)foot->velocity[a]);
        foot->shift[a] = (float)shift[a];
    }
}

static void meet_all(void *context, size_t begin, size_t end) {
    const feet_work *w = context;
    for (size_t i = begin; i < end; i++)
        if (w->f->contact[i].touches) meet(w, &w->foot[i], &w->f->contact[i]);
}

// ---- Columns give way

// Not below the lowest ball; a wall of snow gives way to balls that are under a good part of it.
static void lower_cell(const snowfield_state *s, foot_cell *cell) {
    double ground, height, gives = cell->area > 0 ? cell->gives / cell->area : 0;
    float density;
    if (gives < FEET_LEAST * HEIGHT_UNIT) return;
    read_column(s, cell->x, cell->z, &ground, &height, &density);
    if (height > cell->middle && cell->area < FEET_WALL) return;
    double low = fmax(fmax(fmin(height, cell->middle) - gives, cell->lowest), ground + FEET_THIN);
    if (height - low > FEET_LEAST * HEIGHT_UNIT) cell->low = (int32_t)(low / HEIGHT_UNIT);
}

static void lower_cells(const feet_work *w) {
    snowfield_feet *f = w->f;
    for (size_t i = 0; i < w->count; i++) {
        const foot_contact *c = &f->contact[i];
        if (!c->touches || !(c->gives > 0)) continue;
        for (int32_t z = c->square.cells.z0; z < c->square.cells.z1; z++)
            for (int32_t x = c->square.cells.x0; x < c->square.cells.x1; x++) {
                foot_cell *cell = &f->cell[*slot_at(f, x, z)];
                double area = area_in(&c->square, x, z);
                cell->gives += area * c->gives / c->normal[1];
                cell->lowest = fmin(cell->lowest, w->foot[i].at[1] - (double)w->foot[i].radius);
                cell->middle = fmax(cell->middle, c->middle);
                for (int a = 0; a < 3; a++) cell->pull[a] += area * (double)w->foot[i].velocity[a];
            }
    }
    for (size_t k = 0; k < f->cells; k++) lower_cell(w->s, &f->cell[k]);
}

static uint32_t first_of(snowfield_feet *f, uint32_t k) {
    while (f->cell[k].part != k) k = f->cell[k].part = f->cell[f->cell[k].part].part;
    return k;
}

// Cells that touch at a side or a corner are one part; the first of its cells names it.
static void join_cells(snowfield_feet *f) {
    for (uint32_t k = 0; k < f->cells; k++) {
        if (f->cell[k].low == INT32_MAX) continue;
        for (int n = 0; n < 9; n++) {
            int32_t other = *slot_at(f, f->cell[k].x + n % 3 - 1, f->cell[k].z + n / 3 - 1);
            if (other == NO_SLOT || f->cell[other].low == INT32_MAX) continue;
            uint32_t a = first_of(f, k), b = first_of(f, (uint32_t)other);
            if (a < b)
                f->cell[b].part = a;
            else
                f->cell[a].part = b;
        }
    }
}

static firn_status reserve_print(snowfield_print *p) {
    size_t size = rect_size(p->cells);
    if (!array_reserve(&p->low, &p->capacity[0], size, sizeof *p->low) ||
        !array_reserve(&p->high, &p->capacity[1], size, sizeof *p->high) ||
        !array_reserve(&p->bottom, &p->capacity[2], size, sizeof *p->bottom) ||
        !array_reserve(&p->top, &p->capacity[3], size, sizeof *p->top))
        return fail_memory("pressing snow", size * sizeof *p->low);
    for (size_t i = 0; i < size; i++) p->low[i] = 1, p->high[i] = 0; // nothing there
    return FIRN_OK;
}

static const foot_cell *next_cell(const snowfield_feet *f, const foot_cell *c) {
    return c->next ? &f->cell[c->next] : NULL;
}

// Of a part, from its first cell.
static firn_status make_print(snowfield_feet *f, const foot_cell *first, pressed *sum) {
    snowfield_print *p = &f->print;
    double area = 0, pull[3] = {0};
    p->cells = (snowfield_rect){0};
    for (const foot_cell *c = first; c; c = next_cell(f, c)) {
        p->cells = rect_join(p->cells, (snowfield_rect){c->x, c->z, c->x + 1, c->z + 1});
        area += c->area;
        for (int a = 0; a < 3; a++) pull[a] += c->pull[a];
    }
    TRY(reserve_print(p));
    int32_t width = p->cells.x1 - p->cells.x0;
    for (const foot_cell *c = first; c; c = next_cell(f, c)) {
        size_t at = (size_t)(c->z - p->cells.z0) * (size_t)width + (size_t)(c->x - p->cells.x0);
        p->low[at] = 0, p->high[at] = 1;
        p->bottom[at] = c->low, p->top[at] = INT32_MAX;
    }
    *sum = (pressed){.velocity = dvec(pull[0] / area, pull[1] / area, pull[2] / area),
                     .area = rect_grow(p->cells, snowfield_press_margin(p->cells))};
    return FIRN_OK;
}

static firn_status press_part(snowfield_state *s, uint32_t first) {
    pressed sum;
    snowfield_press *w = &s->press->worker[0];
    TRY(make_print(s->feet, &s->feet->cell[first], &sum));
    snowfield_rect print = s->feet->print.cells;
    TRY(snowfield_tiles_make(s, sum.area));
    TRY(snowfield_press_reserve(s, w, rect_size(sum.area), rect_size(print)));
    snowfield_press_print(s, w, &s->feet->print, &sum);
    snowfield_touch(s, print);
    snowfield_touch(s, sum.used);
    if (s->tiles.crust) snowfield_crust_settle(s, print);
    return FIRN_OK;
}

// The cells of each part, in a chain from its first one; those first ones.
static size_t chain_parts(snowfield_feet *f) {
    size_t parts = 0;
    for (uint32_t k = 0; k < f->cells; k++) {
        foot_cell *cell = &f->cell[k];
        uint32_t first = first_of(f, k);
        cell->next = 0, cell->last = k;
        if (cell->low == INT32_MAX) continue;
        if (first == k)
            f->order[parts++] = k;
        else
            f->cell[f->cell[first].last].next = k, f->cell[first].last = k;
    }
    return parts;
}

// Part by part, in the order of their first cells.
static firn_status press_parts(snowfield_state *s) {
    snowfield_feet *f = s->feet;
    join_cells(f);
    size_t parts = chain_parts(f);
    if (parts == 0) return FIRN_OK;
    firn_status status = snowfield_stands_paint(s);
    for (size_t k = 0; k < parts && status == FIRN_OK; k++) status = press_part(s, f->order[k]);
    snowfield_stands_lift(s);
    snowfield_show(s);
    return status;
}

firn_status snowfield_press_feet(void *model, size_t count, offer_foot *feet, double friction, double dt) {
    snowfield_state *s = model;
    if (count == 0) return FIRN_OK;
    if (!s->feet) s->feet = mem_zero(1, sizeof *s->feet);
    snowfield_feet *f = s->feet;
    if (!f || !array_reserve(&f->contact, &f->capacity[0], count, sizeof *f->contact))
        return fail_memory("pressing snow", count * sizeof *f->contact);
    feet_work work = {s, f, feet, count, friction, dt};
    par_for(count, FEET_TASK, find_contacts, &work);
    TRY(reserve_cells(&work));
    add_areas(&work);
    par_for(count, FEET_TASK, meet_all, &work);
    lower_cells(&work);
    firn_status status = press_parts(s);
    for (size_t k = 0; k < f->cells; k++) *slot_at(f, f->cell[k].x, f->cell[k].z) = NO_SLOT;
    return status;
}
