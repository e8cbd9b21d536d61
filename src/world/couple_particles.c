// Contact of two models of particles: balls that overlap stop each other, with friction, and are moved apart
// without a velocity. Momentum is conserved in each pair; all sums are in a fixed order.
#include <math.h>
#include <string.h>

#include "grains/grains.h"
#include "mpm/mpm.h"
#include "par/par.h"
#include "pbd/pbd.h"
#include "phase/phase.h"
#include "world/couple_list.h"
#include "world/couple_particles.h"

enum { BLOCK = 1024, ROUNDS = 8 };  // particles of a task; rounds of the solver
static const double LIFT = 0.1;     // m/s; what overlaps without coming nearer is moved apart no faster
static const double CLOSED = 1.5;   // radii of the larger ball, at the least: no hole between four of them
static const double CLOUD = 3.5;    // radii of MPM's particles: about a cell of its grid
static const double BESIDE = 2;     // the same radii: beside a particle
static const double LONGEST = 1e-3; // s, of steps while the two may touch

static firn_status create(coupling *c) {
    c->own = mem_zero(1, sizeof(touching));
    return c->own ? FIRN_OK : fail_memory("creating a world", sizeof(touching));
}

void couple_touch_free(touching *t) {
    void *lists[] = {t->part, t->read, t->found, t->item, t->at, t->contact, t->share};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    neighbour_grid_free(&t->grid);
    neighbour_lists_free(&t->lists);
}

static void end(coupling *c) {
    if (c->own) couple_touch_free(c->own);
    mem_free(c->own);
}

// ---- Where they are

typedef struct scan {
    const void *model;
    const offer_particles *offer;
    touching *t;
    double low[3], high[3]; // m, of those that are looked for
} scan;

static const offer_particles *offer_of(const model_class *kind) { return kind->offers->particles; }

static void measure_block(void *context, size_t begin, size_t end) {
    const scan *s = context;
    offer_particle item[BLOCK];
    touch_extent e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
    s->offer->read(s->model, begin, end, item);
    for (size_t i = 0; i < end - begin; i++) {
        double speed2 = 0;
        for (int a = 0; a < 3; a++) {
            e.low[a] = fmin(e.low[a], item[i].at[a]);
            e.high[a] = fmax(e.high[a], item[i].at[a]);
            speed2 += (double)item[i].velocity[a] * (double)item[i].velocity[a];
        }
        e.speed2 = fmax(e.speed2, speed2);
    }
    s->t->part[begin / BLOCK] = e;
}

static firn_status measure(touching *t, const void *model, const offer_particles *offer, touch_extent *out) {
    size_t count = offer->count(model), blocks = (count + BLOCK - 1) / BLOCK;
    scan work = {.model = model, .offer = offer, .t = t};
    if (!array_reserve(&t->part, &t->capacity[0], blocks, sizeof *t->part))
        return fail_memory("meeting of two models", blocks * sizeof *t->part);
    par_for(count, BLOCK, measure_block, &work);
    *out = (touch_extent){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
    for (size_t k = 0; k < blocks; k++) {
        for (int a = 0; a < 3; a++) {
            out->low[a] = fmin(out->low[a], t->part[k].low[a]);
            out->high[a] = fmax(out->high[a], t->part[k].high[a]);
        }
        out->speed2 = fmax(out->speed2, t->part[k].speed2);
    }
    return FIRN_OK;
}

// Distance at which two balls touch: where the smaller one would pass between four of the larger ones, these
// are taken as larger.
static double touch_distance(double a, double b) { return fmax(a + b, CLOSED * fmax(a, b)); }

// How far from each other (m) two of them may be that have to do with each other.
static double reach_of(const coupling *c) {
    double a = offer_of(c->kind->a)->largest(c->a), b = offer_of(c->kind->b)->largest(c->b), reach;
    reach = touch_distance(a, b);
    if (c->kind->a == &mpm_model) reach = fmax(reach, CLOUD * a);
    if (c->kind->b == &mpm_model) reach = fmax(reach, CLOUD * b);
    return reach;
}

// Where both are or may be after `time` (s).
static firn_status find_common(const coupling *c, double time, touch_extent *out, bool *any) {
    touching *t = c->own;
    const offer_particles *a = offer_of(c->kind->a), *b = offer_of(c->kind->b);
    touch_extent x, y;
    TRY(measure(t, c->a, a, &x));
    TRY(measure(t, c->b, b, &y));
    double reach = reach_of(c) + time * (sqrt(x.speed2) + sqrt(y.speed2));
    *any = true;
    for (int k = 0; k < 3; k++) {
        out->low[k] = fmax(x.low[k], y.low[k]) - reach;
        out->high[k] = fmin(x.high[k], y.high[k]) + reach;
        if (!(out->low[k] <= out->high[k])) *any = false;
    }
    return FIRN_OK;
}

// While the two may touch within a step, both take short ones: in each of them a particle that rests on
// another gains g dt before it is stopped.
double couple_touch_max_dt(coupling *c) {
    touch_extent common;
    bool near;
    firn_status status = find_common(c, 2 * world_def(c->world)->max_step, &common, &near);
    return status != FIRN_OK || near ? LONGEST : INFINITY;
}

// ---- Those that may touch

static void look_block(void *context, size_t begin, size_t end) {
    const scan *s = context;
    offer_particle *out = s->t->read + begin;
    uint32_t n = 0;
    s->offer->read(s->model, begin, end, out);
    for (size_t i = begin; i < end; i++) {
        const offer_particle *p = &out[i - begin];
        bool inside = true;
        for (int a = 0; a < 3; a++) inside &= p->at[a] >= s->low[a] && p->at[a] <= s->high[a];
        if (!inside) continue;
        s->t->found[begin + n] = (uint32_t)i;
        out[n++] = *p;
    }
    if (begin + n < end) s->t->found[begin + n] = UINT32_MAX; // the end of the block
}

static void take(touching *t, const offer_particle *p, uint32_t item, const double origin[3]) {
    touched *to = &t->item[t->count];
    double inverse = p->mass < INFINITY ? 1 / (double)p->mass : 0;
    *to = (touched){.item = item, .radius = p->touch, .inverse_mass = inverse};
    for (int a = 0; a < 3; a++) {
        to->velocity[a] = to->before[a] = (double)p->velocity[a];
        t->at[t->count][a] = (float)(p->at[a] - origin[a]);
    }
    t->count++;
}

// Of one model, behind those that are there. Positions are from a place near all of them, in whole metres:
// 32 bits are exact enough there.
static firn_status gather(touching *t, const void *model, const model_class *kind,
                          const touch_extent *common) {
    const offer_particles *offer = offer_of(kind);
    size_t count = offer->count(model);
    scan work = {.model = model, .offer = offer, .t = t};
    double origin[3];
    for (int a = 0; a < 3; a++) {
        work.low[a] = common->low[a], work.high[a] = common->high[a];
        origin[a] = rint((common->low[a] + common->high[a]) / 2);
    }
    if (!array_reserve(&t->read, &t->capacity[1], count, sizeof *t->read) ||
        !array_reserve(&t->found, &t->capacity[2], count, sizeof *t->found) ||
        !array_reserve(&t->item, &t->capacity[3], t->count + count, sizeof *t->item) ||
        !array_reserve(&t->at, &t->capacity[4], t->count + count, sizeof *t->at))
        return fail_memory("meeting of two models", count * sizeof *t->item);
    par_for(count, BLOCK, look_block, &work);
    for (size_t begin = 0; begin < count; begin += BLOCK)
        for (size_t i = begin; i < count && i < begin + BLOCK && t->found[i] != UINT32_MAX; i++)
            take(t, &t->read[i], t->found[i], origin);
    return FIRN_OK;
}

static bool may_touch(void *context, uint32_t i, uint32_t j, float distance2) {
    const touching *t = context;
    double a = (double)t->item[i].radius, b = (double)t->item[j].radius;
    double reach = t->cloud ? fmax(touch_distance(a, b), CLOUD * b) : touch_distance(a, b);
    return i < t->firsts && j >= t->firsts && (double)distance2 < reach * reach;
}

// Unit vector from j to i; returns how deep the two overlap (m).
static double overlap_of(const touching *t, uint32_t i, uint32_t j, double n[3], double *distance) {
    double length = 0;
    for (int a = 0; a < 3; a++) {
        n[a] = (double)(t->at[i][a] - t->at[j][a]);
        length += n[a] * n[a];
    }
    *distance = length = sqrt(length);
    for (int a = 0; a < 3; a++) n[a] = length > 0 ? n[a] / length : a == 1;
    return touch_distance((double)t->item[i].radius, (double)t->item[j].radius) - length;
}

static void set_most(const touching *t, touch_contact *c, double dt) {
    double approach = 0;
    for (int a = 0; a < 3; a++) {
        approach -= c->normal[a] * t->item[c->item].velocity[a];
        for (uint32_t k = c->first; k < c->end; k++)
            approach += c->normal[a] * t->share[k].weight * t->item[t->share[k].item].velocity[a];
    }
    c->most = fmin(c->depth, (fmin(fmax(approach, 0), LIFT) + LIFT) * dt);
}

// With each ball that it overlaps.
static void add_pairs(touching *t, uint32_t i, double dt) {
    for (uint32_t k = t->lists.first[i]; k < t->lists.first[i + 1]; k++) {
        uint32_t j = t->lists.index[k], first = (uint32_t)t->shares;
        double mass = t->item[j].inverse_mass, distance;
        touch_contact *c = &t->contact[t->contacts];
        *c = (touch_contact){.item = i, .first = first, .end = first + 1, .inverse_mass = mass};
        c->depth = overlap_of(t, i, j, c->normal, &distance);
        if (!(mass + t->item[i].inverse_mass > 0)) continue;
        t->share[t->shares++] = (touch_share){j, mass, 1};
        t->contacts++;
        set_most(t, c, dt);
    }
}

// How deep (m) a particle is in the snow around it: below the outermost of that beside it, along the normal.
// Middles of MPM's particles reach to its surface.
static double depth_in(const touching *t, const touch_contact *c) {
    double depth = -INFINITY, radius = (double)t->item[c->item].radius;
    for (uint32_t k = c->first; k < c->end; k++) {
        uint32_t j = t->share[k].item;
        double along = 0, size2 = 0, beside = BESIDE * (double)t->item[j].radius;
        for (int a = 0; a < 3; a++) {
            double way = (double)(t->at[c->item][a] - t->at[j][a]);
            along += way * c->normal[a];
            size2 += way * way;
        }
        if (size2 - along * along < beside * beside) depth = fmax(depth, radius - along);
    }
    return depth;
}

// With all the snow around, along the mean direction away from it.
static void add_cloud(touching *t, uint32_t i, double dt) {
    touch_contact *c = &t->contact[t->contacts];
    double mass = 0, size2 = 0, closest = INFINITY;
    *c = (touch_contact){.item = i, .first = (uint32_t)t->shares, .end = (uint32_t)t->shares};
    for (uint32_t k = t->lists.first[i]; k < t->lists.first[i + 1]; k++) {
        uint32_t j = t->lists.index[k];
        double n[3], distance, reach = CLOUD * (double)t->item[j].radius;
        overlap_of(t, i, j, n, &distance);
        if (distance < closest) closest = distance, c->nearest = j;
        double near = fmax(1 - distance * distance / (reach * reach), 0), w = near * near * near + 1e-6;
        t->share[c->end++] = (touch_share){j, w, w / t->item[j].inverse_mass};
        mass += w / t->item[j].inverse_mass;
        for (int a = 0; a < 3; a++) c->normal[a] += w * n[a];
    }
    for (int a = 0; a < 3; a++) size2 += c->normal[a] * c->normal[a];
    if (!(size2 > 1e-12) || !(t->item[i].inverse_mass > 0)) return;
    for (int a = 0; a < 3; a++) c->normal[a] /= sqrt(size2);
    c->depth = depth_in(t, c);
    if (!(c->depth > (t->warm ? -(double)t->item[i].radius : 0))) return;
    for (uint32_t k = c->first; k < c->end; k++) {
        t->share[k].gain /= mass, t->share[k].weight /= mass;
        c->inverse_mass += t->share[k].gain * t->share[k].weight;
    }
    t->shares = c->end;
    t->contacts++;
    set_most(t, c, dt);
}

static firn_status find_contacts(touching *t, double reach, double dt) {
    const float *at = &t->at[0][0];
    TRY(neighbour_grid_build(&t->grid, at, 3, t->count, reach));
    TRY(neighbour_lists_build_first(&t->lists, &t->grid, at, 3, reach, true, may_touch, t, t->firsts));
    size_t pairs = t->lists.first[t->count];
    t->contacts = t->shares = 0;
    if (!array_reserve(&t->contact, &t->capacity[5], t->cloud ? t->firsts : pairs, sizeof *t->contact) ||
        !array_reserve(&t->share, &t->capacity[6], pairs, sizeof *t->share))
        return fail_memory("meeting of two models", pairs * sizeof *t->share);
    for (uint32_t i = 0; i < t->firsts; i++) {
        if (t->lists.first[i] == t->lists.first[i + 1]) continue;
        if (t->cloud)
            add_cloud(t, i, dt);
        else
            add_pairs(t, i, dt);
    }
    return FIRN_OK;
}

// ---- The law

static void kick(touching *t, const touch_contact *c, const double impulse[3]) {
    touched *p = &t->item[c->item];
    for (int a = 0; a < 3; a++) p->velocity[a] += impulse[a] * p->inverse_mass;
    for (uint32_t k = c->first; k < c->end; k++)
        for (int a = 0; a < 3; a++) t->item[t->share[k].item].velocity[a] -= impulse[a] * t->share[k].gain;
}

// Of the particle against what it meets.
static void velocity_of(const touching *t, const touch_contact *c, double v[3]) {
    memcpy(v, t->item[c->item].velocity, 3 * sizeof *v);
    for (uint32_t k = c->first; k < c->end; k++)
        for (int a = 0; a < 3; a++) v[a] -= t->share[k].weight * t->item[t->share[k].item].velocity[a];
}

// No nearer, up to any force; and Coulomb's cone: what would end the sliding, cut to what the push allows.
static void stop(touching *t, touch_contact *c, double friction) {
    double v[3], impulse[3], along = 0, size2 = 0;
    double mass = 1 / (t->item[c->item].inverse_mass + c->inverse_mass);
    velocity_of(t, c, v);
    for (int a = 0; a < 3; a++) along += v[a] * c->normal[a];
    double push = fmax(c->push - mass * along, 0), next[3];
    for (int a = 0; a < 3; a++) {
        next[a] = c->rub[a] - mass * (v[a] - along * c->normal[a]);
        size2 += next[a] * next[a];
    }
    double most = friction * push, keep = size2 > most * most ? most / sqrt(size2) : 1;
    for (int a = 0; a < 3; a++) {
        impulse[a] = (push - c->push) * c->normal[a] + keep * next[a] - c->rub[a];
        c->rub[a] = keep * next[a];
    }
    c->push = push;
    kick(t, c, impulse);
}

// Snow of MPM is not moved: it gives way by its own deformation.
static void part(touching *t, touch_contact *c) {
    touched *p = &t->item[c->item], *q = t->cloud ? NULL : &t->item[t->share[c->first].item];
    double gone = 0, weight = p->inverse_mass + (q ? q->inverse_mass : 0);
    for (int a = 0; a < 3; a++) gone += c->normal[a] * (p->shift[a] - (q ? q->shift[a] : 0));
    double next = fmax(c->apart + c->most - gone, 0), more = next - c->apart;
    c->apart = next;
    for (int a = 0; a < 3; a++) {
        p->shift[a] += more * c->normal[a] * p->inverse_mass / weight;
        if (q) q->shift[a] -= more * c->normal[a] * q->inverse_mass / weight;
    }
}

static void solve(touching *t, double friction) {
    for (int round = 0; round < ROUNDS; round++)
        for (size_t k = 0; k < t->contacts; k++) {
            if (!(t->contact[k].depth > 0)) continue;
            stop(t, &t->contact[k], friction);
            part(t, &t->contact[k]);
        }
}

static void give(const touching *t, void *model, const offer_particles *offer, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        const touched *p = &t->item[i];
        float push[3], shift[3];
        bool any = false, moved = false;
        for (int a = 0; a < 3; a++) {
            push[a] = (float)(p->velocity[a] - p->before[a]), any |= push[a] != 0;
            shift[a] = (float)p->shift[a], moved |= shift[a] != 0;
        }
        if (any) offer->push(model, p->item, p->item + 1, &push);
        if (moved) offer->shift(model, p->item, p->item + 1, &shift);
    }
}

firn_status couple_touch(coupling *c, double friction, double dt) {
    touching *t = c->own;
    bool turned = c->kind->a == &mpm_model, any;
    const model_class *first = turned ? c->kind->b : c->kind->a, *second = turned ? c->kind->a : c->kind->b;
    void *one = turned ? c->b : c->a, *other = turned ? c->a : c->b;
    touch_extent common;
    t->contacts = t->count = 0;
    TRY(find_common(c, 0, &common, &any));
    if (!any) return FIRN_OK;
    t->cloud = second == &mpm_model;
    TRY(gather(t, one, first, &common));
    t->firsts = t->count;
    if (t->firsts > 0) TRY(gather(t, other, second, &common));
    if (t->firsts == 0 || t->count == t->firsts) return FIRN_OK;
    TRY(find_contacts(t, reach_of(c), dt));
    solve(t, friction);
    give(t, one, offer_of(first), 0, t->firsts);
    give(t, other, offer_of(second), t->firsts, t->count);
    for (size_t k = 0; k < t->contacts; k++) {
        const touch_contact *p = &t->contact[k];
        for (int x = 0; x < 3; x++)
            c->sum->impulse[x] += (turned ? 1 : -1) * (p->push * p->normal[x] + p->rub[x]);
    }
    return FIRN_OK;
}

static firn_status meet(coupling *c, double now, double dt) {
    (void)now;
    return couple_touch(c, ((const firn_touch_def *)c->params)->friction, dt);
}

#define PAIR(pair, a_, b_, what_, more)                                                                      \
    const coupling_class couple_##pair = {.name = #pair,                                                     \
                                          .a = &a_##_model,                                                  \
                                          .b = &b_##_model,                                                  \
                                          .passes = PASSES_IMPULSE,                                          \
                                          .what = what_,                                                     \
                                          .help = TOUCH_HELP more,                                           \
                                          .create = create,                                                  \
                                          .max_dt = couple_touch_max_dt,                                     \
                                          .exchange = meet,                                                  \
                                          .end = end};

PAIR(grains_mpm, grains, mpm, "grains lie on MPM snow and hit it, with friction", TOUCH_MPM_HELP)
PAIR(grains_pbd, grains, pbd, "grains lie on solids and cloth, hit them and fall into liquids", "")
PAIR(grains_phase, grains, phase, "grains lie on snow that melts, and hit it", "")
PAIR(mpm_pbd, mpm, pbd, "MPM snow meets solids, cloth and liquids, with friction, both ways", TOUCH_MPM_HELP)
PAIR(pbd_phase, pbd, phase, "solids, cloth and liquids meet snow that melts and its water, both ways", "")
