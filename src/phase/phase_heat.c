// Heat conduction between particles: calibration of the kernel and explicit steps.
#include "phase/phase_heat_state.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include "par/par.h"

static const float FAR = 1e15f; // m
// Of the share that a flat surface lacks: so much may be missing inside disordered particles.
static const double DISORDER = 0.25;
// Explicit sub-steps up to this many, in one step; an implicit solve takes about as many passes.
enum { MOST_SUBSTEPS = 10 };
static const double UNEVEN =
    5; // 2 for each particle on its own; measured with random patterns (test_heat_blocks.c)
static const double MOST_SCALE = 2; // conductances are at most so many times a lattice's, or its part
static const double MONOTONE = 0.8; // of the longest monotone step

// ---- what follows from kernel and spacing

// Neighbours up to `cut`, in layers up to `top`; without the particle itself.
typedef struct lattice {
    double support, cut;
    int top;
} lattice;

// Sum of s^power z^moment over a lattice of spacing 1.
static double lattice_sum(lattice l, int power, int moment) {
    int n = (int)ceil(l.support);
    double sum = 0;
    for (int z = -n; z <= (l.top < n ? l.top : n); z++)
        for (int y = -n; y <= n; y++)
            for (int x = -n; x <= n; x++) {
                double r = sqrt((double)(x * x + y * y + z * z)), s = 1 - r / l.support;
                if (r > 0 && r < l.cut && s > 0) sum += pow(s, power) * pow(z, moment);
            }
    return sum;
}

// Share of s^2 beyond a plane at distance d, in h.
static double beyond_plane(double d) {
    double s = d >= 1 ? 0 : d <= 0 ? 1 : 1 - d, s2 = s * s;
    return s2 * s2 * (1.25 - 0.75 * s);
}

static double distance_of(double share) {
    double low = 0, high = 1;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        if (beyond_plane(middle) > share)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static heat_kernel kernel_of(double support, double cut) {
    lattice all = {support, cut, INT_MAX}, half = {support, cut, 0};
    lattice conducts = {(double)CONDUCT_SUPPORT, cut, INT_MAX}, below = {(double)CONDUCT_SUPPORT, cut, 0};
    heat_kernel k;
    k.second = 3 * lattice_sum(conducts, 3, 2);
    k.side = lattice_sum(below, 3, 2);
    k.tilt = -lattice_sum(below, 3, 1);
    k.full = lattice_sum(all, 2, 0);
    k.flat = 1 - lattice_sum(half, 2, 0) / k.full;
    k.near_full = lattice_sum(conducts, 2, 0);
    k.near_flat = 1 - lattice_sum(below, 2, 0) / k.near_full;
    k.wall_shift = distance_of(k.flat) * support - 0.5;
    return k;
}

// Between the shells of a lattice.
static const double CUTS[HEAT_KERNELS] = {1.2, 1.5, 1.8, 2.1, INFINITY}, // edges
    SHELL2[HEAT_KERNELS] = {0, 2, 3, 4, 5};                              // edges^2

static void make_kernels(heat *h) {
    h->support = h->def.h / h->def.spacing;
    h->radius = (double)INFINITY;
    for (int k = 0; k < HEAT_KERNELS; k++) h->sums[k] = kernel_of(h->support, CUTS[k]);
}

void heat_set_air(heat *h, double temperature) { h->air[0].temperature = temperature; }

void heat_change(heat *h, const heat_def *def) {
    h->def.law.snow_conductivity = def->law.snow_conductivity;
    h->def.law.water_conductivity = def->law.water_conductivity;
    h->def.method = def->method;
    h->def.time_lapse = def->time_lapse;
    h->def.every = def->every;
    h->def.exchange = def->exchange;
}

void heat_set_search_radius(heat *h, double radius) { h->radius = radius; }

static const heat_kernel *kernel_at(const heat *h, double edge) {
    int k = HEAT_KERNELS - 1;
    while (k > 0 && h->radius * h->radius < SHELL2[k] * edge * edge) k--;
    return &h->sums[k];
}

firn_status heat_create(const heat_def *def, heat **out) {
    assert(def->h > def->spacing && def->spacing > 0 && (def->exchange <= 0 || def->air_rows > 0));
    heat *h = mem_zero(1, sizeof *h);
    if (!h) return fail_memory("allocating temperatures", sizeof *h);
    h->def = *def;
    if (def->air_rows > 0) {
        size_t bytes = def->air_rows * sizeof *h->air;
        h->air = mem_alloc(bytes);
        if (!h->air) {
            heat_destroy(h);
            return fail_memory("allocating the air's temperatures", bytes);
        }
        memcpy(h->air, def->air, bytes);
    }
    h->def.air = h->air;
    make_kernels(h);
    *out = h;
    return FIRN_OK;
}

void heat_destroy(heat *h) {
    if (!h) return;
    void *list[] = {h->air,       h->at,    h->matter,  h->open_area, h->rate,     h->conductance,
                    h->stiffness, h->start, h->delta_T, h->direction, h->residual, h->boundary};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) mem_free(list[k]);
    mem_free(h);
}

heat_totals *heat_totals_of(heat *h) { return &h->totals; }

double heat_air_at(const heat *h, double time) {
    const heat_air_row *row = h->air;
    size_t n = h->def.air_rows, k = 0;
    double now = time * h->def.time_lapse;
    if (n == 0) return h->def.law.freeze;
    while (k < n && row[k].time <= now) k++;
    if (k == 0) return row[0].temperature;
    if (k == n) return row[n - 1].temperature;
    double part = (now - row[k - 1].time) / (row[k].time - row[k - 1].time);
    return row[k - 1].temperature + part * (row[k].temperature - row[k - 1].temperature);
}

// ---- passes

static bool reserve(heat *h, size_t n, size_t blocks) {
    return array_reserve(&h->stiffness, &h->capacity[2], blocks, sizeof *h->stiffness) &&
           array_reserve(&h->at, &h->capacity[0], n, sizeof *h->at) &&
           array_reserve(&h->matter, &h->capacity[1], n, sizeof *h->matter) &&
           array_reserve(&h->open_area, &h->capacity[3], n, sizeof *h->open_area) &&
           array_reserve(&h->rate, &h->capacity[4], n, sizeof *h->rate) &&
           array_reserve(&h->conductance, &h->capacity[5], n, sizeof *h->conductance) &&
           array_reserve(&h->boundary, &h->capacity[6], n, sizeof *h->boundary) &&
           array_reserve(&h->start, &h->capacity[7], n, sizeof *h->start) &&
           array_reserve(&h->delta_T, &h->capacity[8], n, sizeof *h->delta_T) &&
           array_reserve(&h->direction, &h->capacity[9], n, sizeof *h->direction) &&
           array_reserve(&h->residual, &h->capacity[10], n, sizeof *h->residual);
}

static void copy_block(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    heat *h = w->h;
    const heat_law *law = &h->def.law;
    // Neighbours in the arrays are mostly of the same size: not a root for each.
    float volume = 0, edge = (float)h->def.spacing;
    for (size_t i = begin; i < end; i++) {
        double enthalpy = w->p->enthalpy[i];
        if (w->p->volume && w->p->volume[i] != volume) {
            volume = w->p->volume[i];
            edge = cbrtf(volume);
        }
        memcpy(&h->at[i], w->p->at[i], 3 * sizeof(float));
        h->at[i].u = edge;
        bool frozen = enthalpy<0, liquid = enthalpy> law->latent;
        float snow = (float)(1 / law->snow_conductivity), water = (float)(1 / law->water_conductivity);
        h->matter[i] = (heat_matter){.warm_side = frozen ? snow : water,
                                     .edge = edge,
                                     .cold_side = frozen   ? -snow
                                                  : liquid ? water
                                                           : snow};
    }
}

static firn_status copy_particles(heat_work *w) {
    heat *h = w->h;
    size_t n = w->p->count;
    if (!reserve(h, n + 1, w->p->blocks))
        return fail_memory("allocating temperatures", (n + 1) * sizeof *h->at);
    par_for(n, HEAT_PARTICLES, copy_block, w);
    h->at[n] = (conduct_in){FAR, FAR, FAR, 0};
    h->matter[n] = (heat_matter){.warm_side = 1, .cold_side = 1};
    return FIRN_OK;
}

static conduct_view view_of(const heat_work *w) {
    const heat *h = w->h;
    return (conduct_view){.at = h->at, .matter = h->matter, .support = (float)h->support};
}

// Not fmax() and fmin(): those are calls.
static double larger(double a, double b) { return a > b ? a : b; }
static double between(double low, double x, double high) { return x < low ? low : x > high ? high : x; }

// Conductance to a body of given temperature: particles in contact conduct through their own half.
static void add_body(const heat_work *w, size_t i, const fluid_wall *wall, double d, heat_boundary *out) {
    if (wall->body >= w->p->bodies || isnan(w->p->body[wall->body].temperature)) return;
    const heat_body *body = &w->p->body[wall->body];
    const heat_matter *matter = &w->h->matter[i];
    double size = (double)matter->edge, touching = between(0, (size - d) / (0.4 * size), 1);
    double side = body->temperature < w->h->def.law.freeze ? fabs((double)matter->cold_side)
                                                           : (double)matter->warm_side;
    double conductance = touching * size * size / (larger(d, 0.25 * size) * side + 1 / body->contact);
    out->bodies += conductance;
    out->drive += conductance * body->temperature;
}

// Open surface of a particle, in that of a flat one, which lacks the share `flat` of its neighbours.
static double lacking(double covered, double flat) {
    return larger(0, ((1 - covered) / flat - DISORDER) / (1 - DISORDER));
}

// Boundary conductances of row k: walls from *wall on; the surface that they leave open meets the air.
static heat_boundary boundary_of(const heat_work *w, size_t k, uint32_t i, float sum, const fluid_wall **wall,
                                 const fluid_wall *end) {
    heat *h = w->h;
    const float x[3] = {h->at[i].x, h->at[i].y, h->at[i].z};
    double size = (double)h->matter[i].edge;
    const heat_kernel *kernel = kernel_at(h, size);
    double covered = (double)sum / kernel->full;
    heat_boundary out = {0};
    for (; *wall < end && (*wall)->row == k; ++*wall) {
        const float *n = (*wall)->n;
        double d = (double)(n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - (*wall)->offset);
        covered += beyond_plane((d / size + kernel->wall_shift) / h->support);
        add_body(w, i, *wall, d, &out);
    }
    double open_area = size * size * lacking(covered, kernel->flat);
    h->open_area[i] = (float)open_area;
    out.air = open_area * h->def.exchange;
    return out;
}

static double boundary_flux(const heat_work *w, const heat_boundary *o, double temperature) {
    return o->air * (w->air - temperature) + (o->drive - o->bodies * temperature);
}

// Sum of G x^2 over the neighbours is to be 2 k V, as in a lattice, so that the Laplacian of a parabola is
// right, however they are placed. What surfaces without neighbours lack is not missing, as nothing flows that
// way. Where neighbours are not placed evenly (a first moment other than 0) less passes.
static float scale_of(const heat_kernel *kernel, const heat_moments *m, double edge) {
    double bare = lacking((double)m->near / kernel->near_full, kernel->near_flat);
    double uneven2 = 0, whole = kernel->second * edge * edge, tilt = kernel->tilt * edge;
    for (int a = 0; a < 3; a++) uneven2 += (double)m->dipole[a] * (double)m->dipole[a];
    uneven2 = larger(0, uneven2 - bare * tilt * tilt);
    double second = (double)m->second + bare * kernel->side * edge * edge;
    second -= UNEVEN * uneven2 / larger((double)m->sum, 1e-6);
    return (float)(6 * edge * edge * edge / between(whole / MOST_SCALE, second, whole * MOST_SCALE));
}

static void moment_block(void *context, size_t block) {
    const heat_work *w = context;
    heat *h = w->h;
    const heat_block *b = &w->p->block[block];
    const conduct_view view = view_of(w);
    const fluid_wall *wall = b->wall, *end = b->wall + b->walls;
    heat_moments moments[FLUID_BLOCK];
    assert(b->rows.count <= FLUID_BLOCK);
    ISA_PICK(heat_moment_rows)(&view, &b->rows, moments);
    for (size_t k = 0; k < b->rows.count; k++) {
        uint32_t i = b->rows.own[k];
        h->boundary[i] = boundary_of(w, k, i, moments[k].covered, &wall, end);
        double size = (double)h->matter[i].edge;
        h->matter[i].scale = scale_of(kernel_at(h, size), &moments[k], size);
    }
}

static void first_block(void *context, size_t block) {
    const heat_work *w = context;
    heat *h = w->h;
    const heat_block *b = &w->p->block[block];
    const conduct_view view = view_of(w);
    heat_sums sums[FLUID_BLOCK];
    double stiffness = 0;
    ISA_PICK(heat_conduct_rows)(&view, &b->rows, sums);
    for (size_t k = 0; k < b->rows.count; k++) {
        uint32_t i = b->rows.own[k];
        const heat_boundary *out = &h->boundary[i];
        h->rate[i] = (double)sums[k].flow + boundary_flux(w, out, (double)h->at[i].u);
        h->conductance[i] = (double)sums[k].conductance + out->air + out->bodies;
        stiffness = larger(stiffness, h->conductance[i] / (double)w->p->mass[i]);
    }
    h->stiffness[block] = stiffness;
}

static void conduct_block(void *context, size_t block) {
    const heat_work *w = context;
    const heat_block *b = &w->p->block[block];
    const conduct_view view = view_of(w);
    heat_sums sums[FLUID_BLOCK];
    ISA_PICK(heat_conduct_rows)(&view, &b->rows, sums);
    for (size_t k = 0; k < b->rows.count; k++) {
        uint32_t i = b->rows.own[k];
        w->h->rate[i] = (double)sums[k].flow;
    }
}

void heat_conduct(heat_work *w) { par_tasks(w->p->blocks, conduct_block, w); }

static void boundary_block(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    heat *h = w->h;
    for (size_t i = begin; i < end; i++) {
        h->rate[i] += boundary_flux(w, &h->boundary[i], (double)h->at[i].u);
    }
}

void heat_add_boundary(heat_work *w) { par_for(w->p->count, HEAT_PARTICLES, boundary_block, w); }

static void temperature_block(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    for (size_t i = begin; i < end; i++)
        w->h->at[i].u = (float)heat_temperature(&w->h->def.law, w->p->enthalpy[i]);
}

void heat_set_temperatures(heat_work *w) { par_for(w->p->count, HEAT_PARTICLES, temperature_block, w); }

static void apply_block(void *context, size_t begin, size_t end, void *partial) {
    const heat_work *w = context;
    heat_totals *totals = partial;
    for (size_t i = begin; i < end; i++) {
        const heat_boundary *o = &w->h->boundary[i];
        double t = (double)w->h->at[i].u;
        totals->air += w->dt * o->air * (w->air - t);
        totals->bodies += w->dt * (o->drive - o->bodies * t);
        w->p->enthalpy[i] += w->dt * w->h->rate[i] / (double)w->p->mass[i];
    }
}

static void join_totals(void *into, const void *from) {
    heat_totals *a = into;
    const heat_totals *b = from;
    a->air += b->air, a->bodies += b->bodies;
}

firn_status heat_apply(heat_work *w) {
    heat_totals totals = {0};
    TRY(par_reduce(w->p->count, HEAT_PARTICLES, sizeof totals, apply_block, join_totals, w, &totals));
    join_totals(&w->h->totals, &totals);
    return FIRN_OK;
}

// 1/s, times J/kgK: of the particle that relaxes fastest.
static double stiffest(const heat_work *w) {
    double most = 0;
    for (size_t k = 0; k < w->p->blocks; k++) most = larger(most, w->h->stiffness[k]);
    return most;
}

// ---- step

static firn_status explicit_steps(heat_work *w, unsigned steps) {
    w->dt /= steps;
    for (unsigned k = 0; k < steps; k++) {
        if (k > 0) {
            heat_set_temperatures(w);
            heat_conduct(w);
            heat_add_boundary(w);
        }
        TRY(heat_apply(w));
    }
    return FIRN_OK;
}

firn_status heat_step(heat *h, const heat_parts *p, double time, double dt) {
    double waited = h->totals.waiting + dt;
    h->totals.waiting = waited < 0.999 * h->def.every ? waited : 0;
    if (p->count == 0 || !(waited > 0) || h->totals.waiting > 0) return FIRN_OK;
    heat_work w = {h, p, heat_air_at(h, time + dt - waited / 2), waited * h->def.time_lapse};
    TRY(copy_particles(&w));
    par_tasks(p->blocks, moment_block, &w);
    heat_set_temperatures(&w);
    par_tasks(p->blocks, first_block, &w);
    double stiffness = stiffest(&w) / heat_least_capacity(&h->def.law);
    double steps = fmax(1, ceil(w.dt * stiffness / MONOTONE));
    bool done = false;
    if (h->def.method == HEAT_IMPLICIT || (h->def.method == HEAT_AUTO && steps > MOST_SUBSTEPS))
        TRY(heat_solve(&w, &done));
    if (done) return FIRN_OK;
    return explicit_steps(&w, (unsigned)fmin(steps, 1e6));
}
