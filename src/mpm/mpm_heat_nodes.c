// What lies at the nodes while heat is conducted: snow in its states, bodies, open surface, conductances.
#include <math.h>
#include <string.h>

#include "mpm/mpm_heat.h"
#include "par/par.h"
#include "snow/snow_thermal.h"

enum { PARTICLES_PER_TASK = 8192, BLOCKS_PER_TASK = 4 };

// Nodes with less snow than this share of a cell lie at the edge of a kernel and hold nothing.
#define LEAST_FILL 1e-6
// Where all neighbours are filled so far, there is no surface: particles are not evenly spread.
#define CLOSED 0.9
// Loose snow may have any J_P; as far as heat goes it expands to twice its volume.
#define MOST_EXPANSION 2.0

// ---- snow

static void state_rows(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    const mpm_particles *p = &w->s->p;
    const heat_law *law = &w->h->law;
    for (size_t i = begin; i < end; i++) {
        float m = w->s->materials[p->material[i]].mass, *row = w->h->rows[i];
        double enthalpy = p->enthalpy[i];
        memset(row, 0, sizeof w->h->rows[i]);
        if (enthalpy < 0) {
            row[0] = m;
            row[1] = m * (float)enthalpy;
        } else if (enthalpy <= law->latent) {
            row[2] = m;
            row[3] = m * (float)enthalpy;
        }
    }
}

static void take_part(heat_node *n, int k, float mass, float heat) {
    n->part[k] = mass > 0 ? (double)mass : 0;
    n->at[k] = mass > 0 ? (double)(heat / mass) : 0;
    n->mass += n->part[k];
}

static void take_states(heat_work *w, heat_node *n, const float sum[4]) {
    (void)w;
    *n = (heat_node){0};
    take_part(n, HEAT_FROZEN, sum[0], sum[1]);
    take_part(n, HEAT_MELTING, sum[2], sum[3]);
}

double mpm_conductivity_of(const mpm_state *s, size_t i) {
    const heat_law *law = &s->heat->law;
    double melted = heat_melted(law, s->p.enthalpy[i]);
    double snow = firn_is_auto(s->heat->def.snow_conductivity)
                      ? (double)snow_conductivity(mpm_density(&s->p, i))
                      : law->snow_conductivity;
    return snow + melted * (law->water_conductivity - snow);
}

static double volume_of(const mpm_state *s, size_t i) {
    const mpm_material *m = &s->materials[s->p.material[i]];
    return fmin((double)m->mass / (double)mpm_density(&s->p, i), MOST_EXPANSION * (double)m->law.volume);
}

static void matter_rows(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    const mpm_particles *p = &w->s->p;
    for (size_t i = begin; i < end; i++) {
        float m = w->s->materials[p->material[i]].mass, *row = w->h->rows[i];
        bool melted = p->enthalpy[i] > w->h->law.latent;
        row[0] = melted ? m : 0;
        row[1] = melted ? m * (float)p->enthalpy[i] : 0;
        row[3] = (float)volume_of(w->s, i);
        row[2] = row[3] * (float)mpm_conductivity_of(w->s, i);
    }
}

static void take_matter(heat_work *w, heat_node *n, const float sum[4]) {
    double cell = w->s->def.cell, volume = (double)sum[3];
    take_part(n, HEAT_MELTED, sum[0], sum[1]);
    n->fill = volume / (cell * cell * cell);
    if (n->fill < LEAST_FILL) n->mass = 0;
    if (!(n->mass > 0)) {
        n->fill = 0;
        return;
    }
    n->conductivity = (double)(sum[2] / sum[3]);
    n->temperature = heat_node_temperature(&w->h->law, n, 0);
}

static void take_places(heat_work *w, heat_node *n, const float sum[4]) {
    (void)w;
    for (int a = 0; a < 3 && n->mass > 0; a++) n->middle[a] = -(double)(sum[a] / sum[3]);
}

// ---- blocks

static firn_status reserve(heat_work *w) {
    mpm_heat *h = w->h;
    const mpm_grid *g = &w->s->grid;
    if (!array_reserve(&h->node, &h->capacity[0], g->active_count, BLOCK_NODES * sizeof *h->node) ||
        !array_reserve(&h->beside, &h->capacity[1], g->active_count, sizeof *h->beside) ||
        !array_reserve(&h->number, &h->capacity[2], g->map.count, sizeof *h->number) ||
        !array_reserve(&h->rows, &h->capacity[3], w->s->p.capacity, sizeof *h->rows))
        return fail_memory("conducting heat in mpm", g->active_count * BLOCK_NODES * sizeof *h->node);
    return FIRN_OK;
}

static void link_blocks(heat_work *w) {
    mpm_heat *h = w->h;
    const mpm_grid *g = &w->s->grid;
    memset(h->number, 0xff, g->map.count * sizeof *h->number);
    for (size_t b = 0; b < g->active_count; b++) h->number[g->active[b]] = (uint32_t)b;
    for (size_t b = 0; b < g->active_count; b++)
        for (int k = 0; k < 6; k++) {
            int32_t at[3];
            memcpy(at, g->map.at[g->active[b]], sizeof at);
            at[k / 2] += k % 2 ? 1 : -1;
            uint32_t slot = block_map_find(&g->map, at);
            h->beside[b][k] = slot == BLOCK_NONE ? BLOCK_NONE : h->number[slot];
        }
}

// ---- surface

// Where the grid ends beside node n, a body that covers n goes on.
static double filled(const heat_node *beside, const heat_node *n, bool covered) {
    if (!beside) return covered && n->cover > 0.5 ? 1 : 0;
    return beside->fill + (covered ? beside->cover : 0);
}

// Gradient of what fills the cells, snow alone or with the bodies that cover it; times cell squared, its
// length is the area of the surface that belongs to a node. Half of a step to a neighbour is its own, all of
// it if there is no snow.
static void surface_of(const mpm_heat *h, size_t b, int i, bool covered, double out[3]) {
    const heat_node *n = &h->node[b * BLOCK_NODES + (size_t)i];
    for (int a = 0; a < 3; a++) {
        const heat_node *low = heat_beside(h, b, i, a, false), *high = heat_beside(h, b, i, a, true);
        double own = filled(n, n, covered), below = own - filled(low, n, covered),
               above = filled(high, n, covered) - own;
        out[a] = below * (low && low->mass > 0 ? 0.5 : 1) + above * (high && high->mass > 0 ? 0.5 : 1);
    }
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// ---- bodies

// Share of a kernel beyond a plane at a distance of `a` >= 0 cells.
static double kernel_tail(firn_mpm_kernel kernel, double a) {
    if (kernel == FIRN_MPM_CUBIC) {
        if (a < 1) return 0.5 - a * (2.0 / 3 - a * a * (1.0 / 3 - a / 8));
        return a < 2 ? pow(2 - a, 4) / 24 : 0;
    }
    if (a < 0.5) return 0.5 - a * (0.75 - a * a / 3);
    return a < 1.5 ? pow(1.5 - a, 3) / 6 : 0;
}

typedef struct body_pass {
    heat_work *w;
    size_t body;
    bool exchange; // else it only covers
    double temperature, contact;
} body_pass;

static void cover(const body_pass *f, heat_node *n, double s) {
    double tail = kernel_tail(f->w->s->def.kernel, fabs(s));
    n->cover = fmin(n->cover + (s > 0 ? tail : 1 - tail), 1);
}

// s: cells from the surface. In contact is what the snow's surface faces of the body, unless there is a gap.
// The contact's resistance is that of the snow between the surface and the middle of the node's snow, and
// that of the surface itself.
static void touch(const body_pass *f, size_t b, int i, double s, const double normal[3]) {
    const mpm_heat *h = f->w->h;
    heat_node *n = &h->node[b * BLOCK_NODES + (size_t)i];
    double cell = f->w->s->def.cell, snow[3], all[3];
    if (!(n->mass > 0) || !(fabs(s) < 2)) return;
    surface_of(h, b, i, false, snow);
    surface_of(h, b, i, true, all);
    double area = cell * cell * (dot(snow, normal) - fmax(dot(all, normal), 0));
    double flow = 1 / (fmax(s + dot(normal, n->middle), 0.05) * cell / n->conductivity + 1 / f->contact);
    if (!(area > 0)) return;
    n->bodies += area * flow;
    n->drive += area * flow * f->temperature;
}

static void meet_block(const body_pass *f, size_t b) {
    const mpm_grid *g = &f->w->s->grid;
    const int32_t *at = g->map.at[g->active[b]];
    double cell = f->w->s->def.cell, edge = cell * BLOCK_EDGE;
    firn_vec3 near = {edge * (double)at[0], edge * (double)at[1], edge * (double)at[2]};
    float x[3][BLOCK_NODES], n[3][BLOCK_NODES], d[BLOCK_NODES], middle = (float)(1.5 * cell), far;
    body_query_near(f->w->bodies, f->body, near, 1, &middle, &middle, &middle, &far, NULL, NULL, NULL);
    if ((double)far > 5 * cell) return; // as most blocks are from most bodies
    for (int i = 0; i < BLOCK_NODES; i++) {
        x[0][i] = (float)(cell * (i / (BLOCK_EDGE * BLOCK_EDGE)));
        x[1][i] = (float)(cell * (i / BLOCK_EDGE % BLOCK_EDGE));
        x[2][i] = (float)(cell * (i % BLOCK_EDGE));
    }
    body_query_near(f->w->bodies, f->body, near, BLOCK_NODES, x[0], x[1], x[2], d, n[0], n[1], n[2]);
    for (int i = 0; i < BLOCK_NODES; i++) {
        const double normal[3] = {(double)n[0][i], (double)n[1][i], (double)n[2][i]};
        if (f->exchange)
            touch(f, b, i, (double)d[i] / cell, normal);
        else
            cover(f, &f->w->h->node[b * BLOCK_NODES + (size_t)i], (double)d[i] / cell);
    }
}

static void meet_blocks(void *context, size_t begin, size_t end) {
    for (size_t b = begin; b < end; b++) meet_block(context, b);
}

static void find_bodies(heat_work *w) {
    for (int exchange = 0; exchange < 2; exchange++)
        for (size_t i = 0; i < body_count(w->bodies); i++) {
            body_pass f = {w, i, exchange, body_temperature(w->bodies, i), body_heat_contact(w->bodies, i)};
            if (exchange && (isnan(f.temperature) || f.contact == 0)) continue;
            par_for(w->s->grid.active_count, BLOCKS_PER_TASK, meet_blocks, &f);
        }
}

// ---- air, and conductances

static bool is_closed(const mpm_heat *h, size_t b, int i) {
    const heat_node *n = &h->node[b * BLOCK_NODES + (size_t)i];
    for (int k = 0; k < 6; k++)
        if (filled(heat_beside(h, b, i, k / 2, k % 2), n, true) < CLOSED) return false;
    return true;
}

// From the open surface to the middle of a node's snow, cells; a fit to a flat surface.
static double depth_of(double fill) {
    double f = fmin(fill, 1);
    return 0.17 + 0.6 * f + 0.3 * f * f * f * f;
}

static void meet_air(const heat_work *w, heat_node *n, size_t b, int i) {
    double cell = w->s->def.cell, exchange = w->h->def.exchange, snow[3], all[3];
    if (is_closed(w->h, b, i)) return;
    surface_of(w->h, b, i, false, snow);
    surface_of(w->h, b, i, true, all);
    double open = cell * cell * sqrt(fmin(dot(snow, snow), dot(all, all)));
    n->air = open * exchange / (1 + exchange * depth_of(n->fill) * cell / n->conductivity);
    n->gain = open * w->h->def.radiation;
}

// Between the middles of both nodes' snow, so that a linear temperature conducts exactly.
static double conductance(const heat_node *n, const heat_node *other, int axis, double cell) {
    if (!other || !(other->mass > 0)) return 0;
    double fill = 0.5 * (n->fill + other->fill), way = 1 + other->middle[axis] - n->middle[axis];
    double k = 2 * n->conductivity * other->conductivity / (n->conductivity + other->conductivity);
    return k * fill * cell / fmax(way, 0.25);
}

static void find_flows(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    for (size_t b = begin; b < end; b++)
        for (int i = 0; i < BLOCK_NODES; i++) {
            heat_node *n = &w->h->node[b * BLOCK_NODES + (size_t)i];
            if (!(n->mass > 0)) continue;
            meet_air(w, n, b, i);
            for (int a = 0; a < 3; a++)
                n->flow[a] = conductance(n, heat_beside(w->h, b, i, a, true), a, w->s->def.cell);
        }
}

firn_status heat_find_nodes(heat_work *w) {
    TRY(reserve(w));
    link_blocks(w);
    par_for(w->s->p.count, PARTICLES_PER_TASK, state_rows, w);
    heat_rows_to_nodes(w, false, take_states);
    par_for(w->s->p.count, PARTICLES_PER_TASK, matter_rows, w);
    heat_rows_to_nodes(w, false, take_matter);
    heat_rows_to_nodes(w, true, take_places);
    find_bodies(w);
    par_for(w->s->grid.active_count, BLOCKS_PER_TASK, find_flows, w);
    return FIRN_OK;
}
