// Heat of MPM snow. Particles carry enthalpy; every few steps it goes to the nodes, is conducted there
// (implicitly) and exchanged with air and bodies, and the increments come back. Only for files of this
// folder.
#ifndef MPM_MPM_HEAT_H
#define MPM_MPM_HEAT_H

#include "mpm/mpm_patch.h"
#include "snow/heat_law.h"

// Heat that came from outside since the start, J. A field.
typedef struct mpm_heat_totals {
    double air, bodies; // bodies: and other models
    double sources;     // with particles that entered or left
    double waiting;     // s of motion that heat has still to catch up with
} mpm_heat_totals;
enum { MPM_HEAT_TOTALS = sizeof(mpm_heat_totals) / sizeof(double) };

enum { HEAT_FROZEN, HEAT_MELTING, HEAT_MELTED, HEAT_PARTS };

// A node while heat is conducted. Its temperature is the mean of the snow around it, which may be in
// different states: T(delta) = sum part T(at + delta) / mass.
typedef struct heat_node {
    double mass;                             // kg; 0: no snow here
    double part[HEAT_PARTS], at[HEAT_PARTS]; // kg of each state, and its mean enthalpy, J/kg
    double fill;                             // share of the cell filled by snow
    double conductivity;                     // W/mK
    double middle[3];                        // cells, from the node: centre of its snow
    double cover;                            // share of the cell filled by bodies
    double flow[3];                          // W/K, to the next node along x, y, z
    double air, gain;                        // W/K to the air, W from radiation
    double bodies, drive;                    // W/K to bodies, W from them at 0 C
    double temperature;                      // degrees Celsius
    double mean;                             // of particles, see mix()
    double before, delta;                    // J/kg, gained until this sub-step, and with it
} heat_node;

typedef struct mpm_heat {
    firn_mpm_heat_def def;
    heat_law law;
    mpm_heat_totals totals;
    heat_node *node;       // BLOCK_NODES each, by number of the active block
    uint32_t (*beside)[6]; // by active block: numbers of the blocks at -x, +x, -y, ...; BLOCK_NONE
    uint32_t *number;      // by slot: number among the active blocks
    float (*rows)[4];      // by particle: what goes to the nodes
    size_t capacity[4];
} mpm_heat;

firn_status mpm_heat_create(mpm_state *s, const firn_mpm_heat_def *def);
void mpm_heat_change(mpm_state *s, const firn_mpm_heat_def *def);
void mpm_heat_free(mpm_heat *h);
// Enthalpy and strength with which snow enters; mpm may be NULL.
void mpm_heat_material(mpm_material *m, const firn_mpm_def *mpm, const firn_mpm_snow_def *def);
void mpm_heat_enter(mpm_state *s, size_t particle);
// Conducts heat and changes strength and bonds, if enough time has passed; after the sort.
firn_status mpm_heat_step(mpm_state *s, const body_set *bodies, double dt);
// N; force with which bodies can pull at a particle that touches them.
float mpm_adhesion_of(const mpm_state *s, uint32_t particle);

typedef struct mpm_heat_sums {
    double mass, heat, degrees, melted, healed; // kg, J, kg C, kg, kg
} mpm_heat_sums;
mpm_heat_sums mpm_heat_sum(const mpm_state *s);

// ---- between the files of heat

typedef struct heat_work {
    mpm_state *s;
    mpm_heat *h;
    const body_set *bodies;
    double dt;  // s of heat
    double air; // degrees Celsius
} heat_work;

// The node beside node i of active block b along an axis; NULL: there is none.
static inline const heat_node *heat_beside(const mpm_heat *h, size_t b, int i, int axis, bool up) {
    int stride = axis == 0 ? BLOCK_EDGE * BLOCK_EDGE : axis == 1 ? BLOCK_EDGE : 1;
    int at = i / stride % BLOCK_EDGE;
    if (up ? at < BLOCK_EDGE - 1 : at > 0)
        return &h->node[b * BLOCK_NODES + (size_t)(up ? i + stride : i - stride)];
    uint32_t next = h->beside[b][2 * axis + up];
    int far = (BLOCK_EDGE - 1) * stride;
    return next == BLOCK_NONE ? 0 : &h->node[(size_t)next * BLOCK_NODES + (size_t)(up ? i - far : i + far)];
}
static inline double heat_node_temperature(const heat_law *law, const heat_node *n, double delta) {
    double sum = 0;
    for (int k = 0; k < HEAT_PARTS; k++)
        if (n->part[k] > 0) sum += n->part[k] * heat_temperature(law, n->at[k] + delta);
    return sum / n->mass;
}
// Share of the volume of a particle that is water.
double mpm_water_of(const mpm_state *s, size_t particle);
double mpm_conductivity_of(const mpm_state *s, size_t particle); // W/mK

// mpm_heat_nodes.c: snow, bodies and conductances at the nodes.
firn_status heat_find_nodes(heat_work *w);
// mpm_heat_solve.c: implicit Euler steps; adds what came from outside to the totals.
firn_status heat_conduct_nodes(heat_work *w);

// Sums rows of particles over the patches of their blocks (mpm_heat_transfer.c), then calls fn with the four
// sums of each node. places: rows are (-, -, -, volume), sums are volume times (node - particle) in cells,
// and volume.
typedef void heat_take(heat_work *w, heat_node *node, const float sum[4]);
void heat_rows_to_nodes(heat_work *w, bool places, heat_take *fn);
// Interpolates what fn gives for a node to the first values of the particles' rows.
typedef void heat_give(const heat_node *node, float value[3]);
void heat_nodes_to_rows(heat_work *w, heat_give *fn);
ISA_DECLARE(void, mpm_heat_patch,
            (const mpm_particles *p, const float (*rows)[4], bool places, const uint32_t *index, size_t n,
             const int block[3], mpm_pass pass, float *patch));

#endif
