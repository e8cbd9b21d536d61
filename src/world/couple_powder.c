// Powder: the surface of fast snow is torn off by the air over it, grain by grain. It flies on as loose bits
// of the snow field, which the wind drags along and which land in the field.
#include "world/couple_powder.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "mpm/mpm.h"
#include "par/par.h"

enum { BLOCK = 1024, POWDER_STREAM = 0x70647200 };
// Edge of the cells that a particle is looked for in, above: in radii of the largest. Two spacings.
static const double LOOK_CELL = 3.224;

void couple_powder_free(powder_work *w) {
    void *const arrays[] = {w->item, w->at, w->chosen, w->cloud, w->taken, w->out};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) mem_free(arrays[k]);
    neighbour_grid_free(&w->grid);
}

static const offer_particles *snow_of(const coupling *c) { return c->kind->a->offers->particles; }

typedef struct read_work {
    const coupling *c;
    powder_work *w;
} read_work;

static void read_block(void *context, size_t begin, size_t end) {
    const read_work *r = context;
    snow_of(r->c)->read(r->c->a, begin, end, r->w->item + begin);
    for (size_t i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) r->w->at[i][k] = (float)r->w->item[i].at[k];
}

// Nothing in the cell above: it is at the upper side of the snow.
static bool is_open(const powder_work *w, size_t i) {
    const neighbour_grid *g = &w->grid;
    int32_t cell[3];
    for (int k = 0; k < 3; k++) cell[k] = neighbour_cell(g, w->at[i][k]);
    cell[1]++;
    uint32_t key = neighbour_key(g, cell[0], cell[1], cell[2]);
    for (uint32_t k = g->begin[key]; k < g->end[key]; k++) {
        const float *at = w->at[g->order[k]];
        bool here = true;
        for (int d = 0; d < 3; d++) here &= neighbour_cell(g, at[d]) == cell[d];
        if (here) return false;
    }
    return true;
}

static float speed_of(const offer_particle *p) {
    return sqrtf(p->velocity[0] * p->velocity[0] + p->velocity[1] * p->velocity[1] +
                 p->velocity[2] * p->velocity[2]);
}

// Those that are torn off now: each by chance, so that the surface wears off evenly.
static firn_status choose(powder_work *w, size_t n, double share, double least, uint64_t moment, double dt,
                          size_t *count) {
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        const offer_particle *p = &w->item[i];
        double speed = (double)speed_of(p);
        if (!(speed > least) || !is_open(w, i)) continue;
        double edge = 1.612 * (double)p->radius, chance = share * (speed - least) * dt / edge;
        random4 r = random_bits(moment, i, 0, POWDER_STREAM);
        if (!((double)random_unit(r, 0) < chance)) continue;
        if (!array_reserve(&w->chosen, &w->capacity[2], *count + 1, sizeof *w->chosen))
            return fail_memory("making powder", n * sizeof *w->chosen);
        w->chosen[(*count)++] = (uint32_t)i;
    }
    return FIRN_OK;
}

double couple_heat_of_snow(const coupling *c, size_t i) {
    return snow_of(c)->heat_lapse(c->a) > 0 ? mpm_enthalpy_of(c->a, i) : NAN;
}

static firn_status scatter(coupling *c, powder_work *w, size_t count, uint64_t moment) {
    if (!array_reserve(&w->cloud, &w->capacity[3], count, sizeof *w->cloud) ||
        !array_reserve(&w->taken, &w->capacity[4], count, sizeof *w->taken) ||
        !array_reserve(&w->out, &w->capacity[5], count, sizeof *w->out))
        return fail_memory("making powder", count * sizeof *w->cloud);
    for (size_t k = 0; k < count; k++) {
        const offer_particle *p = &w->item[w->chosen[k]];
        snowfield_cloud *cloud = &w->cloud[k];
        *cloud = (snowfield_cloud){.mass = (double)p->mass,
                                   .density = mpm_rest_density(c->a, w->chosen[k]),
                                   .size = 1.612F * p->radius,
                                   .number = {w->chosen[k], moment},
                                   .heat = couple_heat_of_snow(c, w->chosen[k])};
        memcpy(cloud->at, p->at, sizeof p->at);
        memcpy(cloud->velocity, p->velocity, sizeof p->velocity);
    }
    TRY(snowfield_scatter(c->b, count, w->cloud, w->taken));
    size_t out = 0;
    for (size_t k = 0; k < count; k++) {
        if (!w->taken[k]) continue;
        const offer_particle *p = &w->item[w->chosen[k]];
        w->out[out++] = w->chosen[k];
        c->sum->mass += (double)p->mass;
        c->sum->heat += mpm_enthalpy_of(c->a, w->chosen[k]);
        for (int a = 0; a < 3; a++) c->sum->impulse[a] += (double)p->mass * (double)p->velocity[a];
    }
    return out == 0 ? FIRN_OK : snow_of(c)->take_out(c->a, out, w->out);
}

firn_status couple_powder(coupling *c, powder_work *w, double share, double least, double now, double dt) {
    size_t n = snow_of(c)->count(c->a), count;
    double largest = snow_of(c)->largest(c->a);
    if (!(share > 0) || n == 0 || !(largest > 0)) return FIRN_OK;
    if (!array_reserve(&w->item, &w->capacity[0], n, sizeof *w->item) ||
        !array_reserve(&w->at, &w->capacity[1], n, sizeof *w->at))
        return fail_memory("making powder", n * sizeof *w->item);
    par_for(n, BLOCK, read_block, &(read_work){c, w});
    TRY(neighbour_grid_build(&w->grid, w->at[0], 3, n, LOOK_CELL * largest));
    uint64_t moment = (uint64_t)llrint(now * 1e6);
    TRY(choose(w, n, share, least, moment, dt, &count));
    return count == 0 ? FIRN_OK : scatter(c, w, count, moment);
}
