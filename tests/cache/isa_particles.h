// Random input for particles and their neighbours, and for the vectors of MPM.
#ifndef CACHE_ISA_PARTICLES_H
#define CACHE_ISA_PARTICLES_H

#include "cache/isa_input.h"
#include "mpm/mpm_implicit.h"
#include "phase/phase_heat_lanes.h"
#include "phase/phase_lanes.h"

enum { PARTICLES = 200, FAR_AWAY = PARTICLES, ROOM = PARTICLES * (PARTICLES + 16) };
static struct {
    _Alignas(64) float at[PARTICLES + 1][4], v[PARTICLES + 1][4];
    float volume[PARTICLES + 1], push[PARTICLES + 1];
    _Alignas(64) uint32_t own[PARTICLES], first[PARTICLES + 1], index[ROOM];
    fluid_rows rows;
} swarm;

// Particles in a unit cube, each with those nearer than `reach`; fourth: the range of at[3].
static void random_swarm(double reach, double low, double high) {
    for (size_t i = 0; i < PARTICLES; i++) {
        fill(swarm.at[i], 3, 0, 1);
        swarm.at[i][3] = between(low, high);
        fill(swarm.v[i], 4, -1, 1);
        swarm.volume[i] = between(0.5, 1.5);
        swarm.push[i] = between(0.5, 1.5);
    }
    for (int k = 0; k < 3; k++) swarm.at[FAR_AWAY][k] = 1e6f;
    swarm.at[FAR_AWAY][3] = (float)low;
    uint32_t n = 0;
    for (uint32_t i = 0; i < PARTICLES; i++) {
        swarm.own[i] = i;
        swarm.first[i] = n;
        for (uint32_t j = 0; j < PARTICLES; j++) {
            double d = 0;
            for (int k = 0; k < 3; k++) d += pow((double)(swarm.at[i][k] - swarm.at[j][k]), 2);
            if (j != i && d < reach * reach) swarm.index[n++] = j;
        }
        while (n % 16 != 0) swarm.index[n++] = FAR_AWAY;
    }
    swarm.first[PARTICLES] = n;
    swarm.rows = (fluid_rows){swarm.own, swarm.first, swarm.index, PARTICLES};
}

static density_view random_fluid(void) {
    random_swarm(0.25, 0.5, 1.5);
    bool uneven = random_number() % 2;
    return (density_view){(const density_in *)swarm.at, uneven ? swarm.volume : NULL,
                          uneven ? swarm.push : NULL, 4};
}

static float vectors[PARTICLES][4];
static void put_vectors(void) {
    for (size_t i = 0; i < PARTICLES; i++) put(vectors[i], 3);
}

static void feed_fluid_density(void) {
    static fluid_sums sums[PARTICLES];
    const density_view f = random_fluid();
    ISA_PICK(fluid_density)(&f, &swarm.rows, sums);
    put((const float *)sums, PARTICLES * sizeof *sums / sizeof(float));
}

static pressure_view random_pressure(void) {
    const density_view f = random_fluid();
    return (pressure_view){(const pressure_in *)swarm.at, f.pressure_volume, f.inverse_h};
}

static void feed_fluid_delta_x(void) {
    const pressure_view f = random_pressure();
    ISA_PICK(fluid_delta_x)(&f, &swarm.rows, 0.1f, vectors);
    put_vectors();
}

static void feed_fluid_virial(void) {
    const pressure_view f = random_pressure();
    static fluid_along along[PARTICLES];
    for (size_t i = 0; i < PARTICLES; i++)
        along[i] = (fluid_along){between(-1, 1), between(-1, 1), between(-1, 1), between(0, 1)};
    ISA_PICK(fluid_virial)(&f, &swarm.rows, along, lines[0]);
    put(lines[0], PARTICLES);
}

static void feed_fluid_density_alone(void) {
    const density_view f = random_fluid();
    ISA_PICK(fluid_density_alone)(&f, &swarm.rows, lines[0]);
    put(lines[0], PARTICLES);
}

static void feed_fluid_smooth(void) {
    const pressure_view f = random_pressure();
    for (size_t i = 0; i < PARTICLES; i++) swarm.v[i][3] = i % 3 ? 1 : 0;
    ISA_PICK(fluid_smooth)(&f, (const velocity_in *)swarm.v, &swarm.rows, lines[0]);
    put(lines[0], PARTICLES);
}

static void feed_fluid_scatter(void) {
    static float q[PARTICLES + 1][4];
    const density_view f = random_fluid();
    memcpy(q, swarm.at, sizeof q);
    for (uint32_t i = 0; i < PARTICLES; i++) {
        const fluid_rows one = {swarm.own + i, swarm.first + i, swarm.index, 1};
        const fluid_lambda_step by = {between(-0.1, 0.1), 0.05f, 1};
        ISA_PICK(fluid_scatter)(&f, &one, &by, FAR_AWAY, q);
    }
    put(q[0], (size_t)PARTICLES * 4);
}

static void feed_fluid_list_neighbours(void) {
    static int number[MANY + 21], to[MANY + 37];
    fill_rows(3);
    for (int i = 0; i < MANY + 21; i++) number[i] = i;
    for (int i = MANY; i < MANY + 21; i++) lines[0][i] = lines[1][i] = lines[2][i] = 1e6f;
    const fluid_run run[3] = {{0, 3}, {3, 30}, {30, MANY}};
    const fluid_candidates c = {lines[0], lines[1], lines[2], number, run, 3};
    for (int self = 0; self < 20; self++) {
        const float at[3] = {lines[0][self], lines[1][self], lines[2][self]};
        size_t found = ISA_PICK(fluid_list_neighbours)(&c, at, 0.16f, self, 5, -1, to);
        while (found > 0 && to[found - 1] == -1) found--; // as many as fill a vector
        put_number((double)found);
        put_whole(to, found);
    }
}

static velocity_view random_flow(void) {
    return (velocity_view){random_fluid(),
                           (const velocity_in *)swarm.v,
                           random_number() % 2,
                           random_number() % 2,
                           random_number() % 2,
                           0.3f,
                           0.4f,
                           2.0f};
}

static void feed_fluid_xsph(void) {
    static fluid_velocity_sums sums[PARTICLES];
    const velocity_view f = random_flow();
    memset(sums, 0, sizeof sums);
    ISA_PICK(fluid_xsph)(&f, &swarm.rows, sums);
    for (size_t i = 0; i < PARTICLES; i++) {
        put(sums[i].xsph, 3);
        if (f.cohesion) put(sums[i].cohesion, 3);
        if (f.curl) put(sums[i].curl, 3);
    }
}

static void feed_fluid_vorticity(void) {
    const velocity_view f = random_flow();
    ISA_PICK(fluid_vorticity)(&f, &swarm.rows, vectors);
    put_vectors();
}

static void feed_phase_contact_rows(void) {
    static contact_sums sums[PARTICLES];
    random_swarm(0.2, 0.05, 0.1);
    for (size_t i = 0; i < PARTICLES; i++) {
        for (int k = 0; k < 3; k++) swarm.v[i][k] *= 0.01f;
        swarm.v[i][3] = random_number() % 2 ? 1 : between(0, 1);
    }
    const contact_view f = {(const contact_in *)swarm.at,
                            (const tangential_in *)swarm.v,
                            (const motion_in *)swarm.v,
                            0.5f,
                            0.5f,
                            0.3f,
                            0.01f,
                            0.02f,
                            0.9f};
    memset(sums, 0, sizeof sums);
    ISA_PICK(phase_contact_rows)(&f, &swarm.rows, sums);
    for (size_t i = 0; i < PARTICLES; i++) {
        put(sums[i].move, 3);
        if (sums[i].shifts) put(sums[i].shift, 3);
        put_number(sums[i].shifts);
        put(sums[i].slip, 3);
        put_number((double)sums[i].contacts);
    }
}

static void feed_phase_pull_rows(void) {
    enum { LINKS = 12 };
    static uint32_t other[PARTICLES * LINKS + 16], own[PARTICLES], count[PARTICLES];
    static float rest[PARTICLES * LINKS + 16];
    static pull_sums sums[PARTICLES];
    random_swarm(0.2, 0.05, 0.1);
    for (size_t i = 0; i < PARTICLES; i++) own[i] = (uint32_t)i, count[i] = (uint32_t)(random_number() % 13);
    for (size_t i = 0; i < PARTICLES * LINKS + 16; i++)
        other[i] = (uint32_t)(random_number() % PARTICLES), rest[i] = between(0.05, 0.5);
    for (size_t i = 0; i < PARTICLES; i++) swarm.volume[i] = between(0, 1);
    const pull_view f = {(const contact_in *)swarm.at,
                         (const motion_in *)swarm.v,
                         other,
                         rest,
                         swarm.volume,
                         LINKS,
                         0.1f,
                         0.02f};
    ISA_PICK(phase_pull_rows)(&f, own, count, PARTICLES, sums);
    for (size_t i = 0; i < PARTICLES; i++) {
        put(sums[i].move, 3);
        put(sums[i].shift, 3);
    }
}

static void feed_phase_xsph_rows(void) {
    random_swarm(0.25, 0.05, 0.1);
    for (size_t i = 0; i < PARTICLES; i += 3) swarm.at[i][3] *= -1;
    const xsph_view f = {
        (const xsph_in *)swarm.at, (const xsph_velocity_in *)swarm.v, 1.2f, 0.3f, 0.4f, 2.0f};
    ISA_PICK(phase_xsph_rows)(&f, &swarm.rows, vectors);
    put_vectors();
}

static void feed_phase_cohesion_rows(void) {
    random_swarm(0.25, 0.05, 0.1);
    for (size_t i = 0; i < PARTICLES; i++) swarm.volume[i] = (float)(random_number() % 2);
    const cohesion_view f = {(const contact_in *)swarm.at, swarm.volume, 10, 0.8f, 0.5f};
    ISA_PICK(phase_cohesion_rows)(&f, &swarm.rows, vectors);
    put_vectors();
}

static void feed_heat_moment_rows(void) {
    static heat_moments moments[PARTICLES];
    random_swarm(0.25, 0.05, 0.12);
    const conduct_view f = {(const conduct_in *)swarm.at, NULL, 2};
    ISA_PICK(heat_moment_rows)(&f, &swarm.rows, moments);
    put((const float *)moments, PARTICLES * sizeof *moments / sizeof(float));
}

static void feed_heat_conduct_rows(void) {
    static heat_matter matter[PARTICLES + 1];
    static heat_sums sums[PARTICLES];
    random_swarm(0.25, -10, 10);
    for (size_t i = 0; i < PARTICLES; i++)
        matter[i] = (heat_matter){between(0.5, 5), between(0.05, 0.12), between(0.1, 0.3), between(-5, 5)};
    matter[FAR_AWAY] = (heat_matter){1, 0, 0, 1};
    const conduct_view f = {(const conduct_in *)swarm.at, matter, 2};
    ISA_PICK(heat_conduct_rows)(&f, &swarm.rows, sums);
    put((const float *)sums, PARTICLES * sizeof *sums / sizeof(float));
}

// ---- mpm: the vectors of a block

static void with_vectors(mpm_sums (*step)(const mpm_vectors *v)) {
    static _Alignas(64) float of[5][BLOCK_FLOATS];
    for (int i = 0; i < 5; i++)
        for (size_t k = 0; k < BLOCK_FLOATS; k++)
            of[i][k] = k % 4 == 3 ? (i == 0 ? between(0, 2) : 0) : between(-1, 1);
    for (size_t k = 3; k < BLOCK_FLOATS; k += 20) // nodes without mass
        for (int i = 0; i < 5; i++) memset(&of[i][k - 3], 0, 4 * sizeof(float));
    const mpm_vectors v = {of[0], of[1], of[2], of[3], of[4]};
    mpm_sums sums = step(&v);
    const double magnitude = sums.residual2 + sums.ArAr;
    put_sum(sums.residual2, magnitude);
    put_sum(sums.rAr, magnitude);
    put_sum(sums.ArAr, magnitude);
    put_sum(sums.ArAp, magnitude);
    for (int i = 0; i < 5; i++) put(of[i], BLOCK_FLOATS);
}

static mpm_sums start(const mpm_vectors *v) { return ISA_PICK(mpm_implicit_start)(v); }
static mpm_sums finish_ar(const mpm_vectors *v) { return ISA_PICK(mpm_implicit_finish_ar)(v); }
static mpm_sums advance(const mpm_vectors *v) { return ISA_PICK(mpm_implicit_advance)(v, 0.3f, 0.7f); }
static void feed_mpm_implicit_start(void) { with_vectors(start); }
static void feed_mpm_implicit_finish_ar(void) { with_vectors(finish_ar); }
static void feed_mpm_implicit_advance(void) { with_vectors(advance); }

static void feed_mpm_implicit_cells(void) {
    float masses[8 * CELL_EDGE * CELL_EDGE], moduli[8 * CELL_EDGE * CELL_EDGE], stiffness[BLOCK_NODES];
    for (size_t i = 0; i < sizeof masses / sizeof *masses; i++) {
        masses[i] = i % 11 == 0 ? 0 : between(0, 1); // some nodes without snow
        moduli[i] = masses[i] * between(1, 10);
    }
    float any = ISA_PICK(mpm_implicit_cells)(masses, moduli, 0.3f, 4, stiffness);
    put(&any, 1);
    put(stiffness, BLOCK_NODES);
}

static void feed_mpm_implicit_apply(void) {
    static _Alignas(64) float stiffness[BLOCK_NODES], in[CELL_FLOATS], out[CELL_FLOATS];
    fill(stiffness, BLOCK_NODES, 0, 3);
    fill(in, CELL_FLOATS, -1, 1);
    ISA_PICK(mpm_implicit_apply)(stiffness, 0.3f, in, out);
    put(out, CELL_FLOATS);
}

static void feed_mpm_implicit_sum(void) {
    static _Alignas(64) float force[8][CELL_FLOATS], node[BLOCK_FLOATS];
    const float *from[8];
    for (int i = 0; i < 8; i++) {
        fill(force[i], CELL_FLOATS, -1, 1);
        from[i] = force[i];
    }
    ISA_PICK(mpm_implicit_sum)(from, node);
    put(node, BLOCK_FLOATS);
}

#endif
