// The density constraint of liquids, for all solvers. Where the liquid only resists compression, the sum of a
// sub-step's multipliers has one sign (projected Jacobi): what one iteration pushed too far the next takes
// back.
#include "pbd/pbd_fluid_work.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_kinds.h"

static bool is_even(const pbd *s) {
    if (s->p.solids > 0) return false;
    for (size_t k = 1; k < s->group_count; k++)
        if (s->groups[k].mass != s->groups[0].mass || s->groups[k].volume != s->groups[0].volume)
            return false;
    return true;
}

static firn_status fill_in(pbd *s, pbd_fluid *f, const firn_pbd_def *def, const body_set *bodies) {
    const firn_pbd_fluid_def *fluid = def->fluid;
    double h = fluid->smoothing < 0 ? 2 * fluid->spacing : fluid->smoothing;
    f->def = *fluid;
    f->def.pools.items = NULL, f->def.spouts.items = NULL, f->def.drains.items = NULL;
    f->kernel = fluid_kernel_of(h, fluid->spacing);
    f->volume = fluid->spacing * fluid->spacing * fluid->spacing;
    f->even = !s->hooks && is_even(s);
    // W is 2e-5 of its height at 0.95 h and 1e-3 at 0.87 h: pairs that are missed there do not matter.
    f->reach = (float)(def->substeps > 1 ? 1.05 * h : 0.95 * h);
    f->slack = (float)(0.09 * h);
    f->bodies = bodies ? body_count(bodies) : 0;
    if (!array_reserve(&f->felt, &f->felt_capacity, f->bodies + 1, sizeof *f->felt))
        return fail_memory("creating liquids", f->bodies * sizeof *f->felt);
    TRY(fluid_take_sources(s, f, fluid));
    return fluid_reserve(s, f);
}

static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    if (!def->fluid) return FIRN_OK;
    pbd_fluid *f = mem_zero(1, sizeof *f);
    if (!f) return fail_memory("creating liquids", sizeof *f);
    *data = f;
    return fill_in(s, f, def, bodies);
}

static void destroy(void *data) {
    pbd_fluid *f = data;
    for (size_t k = 0; k < f->block_capacity; k++) {
        fluid_block *b = &f->block[k];
        void *lists[] = {b->index, b->wall, b->near[0], b->near[1], b->near[2], b->number};
        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    }
    void *lists[] = {f->block,  f->built,   f->pressure, f->space,  f->at,       f->v,        f->sizes,
                     f->lambda, f->density, f->swap,     f->push,   f->felt,     f->parted,   f->parted_key,
                     f->part,   f->liquid,  f->row,      f->number, f->place[0], f->place[1], f->place[2]};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    neighbour_grid_free(&f->grid);
    neighbour_colours_free(&f->colours);
    fluid_free_sources(f);
    mem_free(f);
}

// ---- the constraint

// Share of particle i's surroundings that bodies take up: walls[0 .. n). Corners: what several walls leave of
// a kernel is the product of what each leaves, exact for walls at right angles if the kernel were Gaussian.
static float beyond_walls(const fluid_work *w, fluid_wall *walls, size_t n, const float *q,
                          float gradient[3]) {
    double h = w->f->kernel.h, left = 1;
    for (size_t k = 0; k < n; k++) {
        fluid_wall *wall = &walls[k];
        const pbd_wall *body = wall->body == UINT32_MAX ? NULL : &w->wall[wall->body];
        double d = (double)(wall->n[0] * q[0] + wall->n[1] * q[1] + wall->n[2] * q[2] - wall->offset), slope;
        if (body && body->dynamic)
            d -= dvec_dot(pbd_at(wall->n), pbd_wall_moved(body, pbd_at(q), w->pass->dt));
        d += w->f->kernel.wall_shift;
        double share = fluid_beyond(d / h, &slope);
        if (wall->thick < (float)h) {
            double behind;
            share -= fluid_beyond(d / h + (double)wall->thick / h, &behind);
            slope -= behind;
        }
        share = fmin(share, 0.95);
        for (size_t m = 0; m < k; m++) walls[m].slope *= (float)(1 - share);
        wall->slope = (float)(slope / h * left);
        left *= 1 - share;
    }
    for (size_t k = 0; k < n; k++)
        for (int a = 0; a < 3; a++) gradient[a] += walls[k].slope * walls[k].n[a];
    return (float)(1 - left);
}

float fluid_change(const fluid_work *w, const fluid_sums *sums, fluid_wall *walls, size_t wall_count,
                   uint32_t i) {
    pbd_fluid *f = w->f;
    const float *q = w->s->p.q[i], own = q[3];
    float volume = f->sizes[i], even = f->even ? volume : 1, gradient[3], slope = -w->slope * even;
    for (int a = 0; a < 3; a++) gradient[a] = slope * sums->gradient[a];
    float taken = w->value * (volume + even * sums->density);
    float beyond = wall_count > 0 ? beyond_walls(w, walls, wall_count, q, gradient) : 0;
    taken += beyond;
    f->density[i] = taken;
    float square = gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2];
    float weight = slope * slope * sums->weight * (f->even ? own : 1);
    // The walls' liquid would give way like the rest; in a lattice it is half as much again as its share of
    // space.
    weight = weight / (1 - 1.5f * (beyond < 0.5f ? beyond : 0.5f)) + own * square;
    for (size_t k = 0; k < wall_count; k++)
        if (walls[k].body != UINT32_MAX)
            weight += 2 * (float)f->felt[walls[k].body] * walls[k].slope * walls[k].slope;
    weight = weight > w->least * own ? weight : w->least * own;
    float before = f->lambda[i], soft = w->soft / volume;
    float after = before - w->step * (taken - 1 + soft * before) / (weight + soft);
    if (f->def.pressure == FIRN_PBD_COMPRESSION && after > 0) after = 0;
    f->lambda[i] = after;
    return after - before;
}

static void measure_block(void *context, size_t block) {
    const fluid_work *w = context;
    pbd_fluid *f = w->f;
    fluid_rows rows = fluid_rows_of(f, block);
    fluid_block *b = &f->block[block];
    const fluid_field field = {(const float(*)[4])w->s->p.q, f->even ? NULL : f->sizes,
                               f->even ? NULL : f->space, w->inverse_h};
    fluid_sums sums[FLUID_BLOCK];
    ISA_PICK(fluid_measure)(&field, &rows, sums);
    size_t at = 0;
    for (size_t k = 0; k < rows.count; k++) {
        uint32_t i = rows.own[k];
        size_t n = fluid_walls_of(b, k, &at);
        float before = f->lambda[i];
        float change = i < w->s->p.solids ? 0 : fluid_change(w, &sums[k], b->wall + at, n, i);
        memcpy(f->at[i], w->s->p.q[i], 3 * sizeof(float));
        f->at[i][3] = change;
        if (w->look) f->lambda[i] = before;
    }
}

void fluid_book_thrust(const fluid_work *w, size_t block, const fluid_wall *wall, const float at[3],
                       float size) {
    if (wall->body == UINT32_MAX || !w->wall[wall->body].dynamic) return;
    fluid_thrust *push = &w->f->push[block * w->f->bodies + wall->body];
    firn_vec3 impulse = dvec_scale(pbd_at(wall->n), -(double)(size * wall->area) / w->pass->dt);
    firn_vec3 arm = dvec_sub(pbd_at(at), w->wall[wall->body].centre);
    push->impulse = dvec_add(push->impulse, impulse);
    push->twist = dvec_add(push->twist, dvec_cross(arm, impulse));
}

// What walls push back with. Their liquid has the particle's own multiplier: twice its share.
void fluid_push_off_walls(const fluid_work *w, size_t block, size_t row, size_t *at, uint32_t i,
                          float move[4]) {
    const fluid_block *b = &w->f->block[block];
    size_t n = fluid_walls_of(b, row, at);
    float own = w->s->p.q[i][3];
    for (size_t k = 0; k < n; k++) {
        const fluid_wall *wall = &b->wall[*at + k];
        float size = fluid_wall_push(wall, w->f->at[i][3]);
        for (int a = 0; a < 3; a++) move[a] += own * size * wall->n[a];
        fluid_book_thrust(w, block, wall, w->f->at[i], size);
    }
}

static float unclump_of(const pbd *s, const pbd_fluid *f) {
    if (!(f->def.unclump > 0)) return 0;
    double mass = f->def.density * f->volume, share = f->def.unclump / fmax(s->def.iterations, 1);
    return (float)(share * f->kernel.h * f->kernel.h * mass * (f->even ? 1 : f->volume));
}

static void push_block(void *context, size_t block) {
    const fluid_work *w = context;
    pbd_fluid *f = w->f;
    pbd_particles *p = &w->s->p;
    fluid_rows rows = fluid_rows_of(f, block);
    const fluid_field field = {(const float(*)[4])f->at, NULL, f->even ? NULL : f->space, w->inverse_h};
    float moves[FLUID_BLOCK][4];
    ISA_PICK(fluid_push)(&field, &rows, w->unclump, moves);
    size_t at = 0;
    for (size_t k = 0; k < rows.count; k++) {
        uint32_t i = rows.own[k];
        float factor = -w->slope * p->q[i][3] * (f->even ? f->sizes[i] : 1);
        for (int a = 0; a < 3; a++) moves[k][a] *= factor;
        fluid_push_off_walls(w, block, k, &at, i, moves[k]);
        for (int a = 0; a < 3; a++) p->delta[i][a] += moves[k][a];
    }
}

// ---- as a kind of constraint

fluid_work fluid_work_of(pbd *s, pbd_fluid *f, const pbd_pass *pass, float relax) {
    pbd_contact_set *contacts = pbd_data(s, &pbd_bodies);
    double dt2 = pass->dt * pass->dt,
           softness = pass->plain || !(f->def.stiffness > 0) ? 0 : 1 / f->def.stiffness;
    return (fluid_work){
        .s = s,
        .f = f,
        .pass = pass,
        .wall = contacts ? contacts->wall : NULL,
        .step =
            (float)(f->kernel.step * (pass->plain ? f->def.plain_stiffness : 1)) * relax * (1 - pass->softer),
        .value = (float)f->kernel.value,
        .slope = (float)f->kernel.slope,
        .inverse_h = (float)(1 / f->kernel.h),
        .least = (float)(0.1 / (f->def.spacing * f->def.spacing)),
        .soft = softness > 0 ? (float)(softness / dt2) : 0,
        .unclump = unclump_of(s, f),
    };
}

// What was pushed so far goes to the bodies as contacts know them, in the order of the blocks.
void fluid_hand_over(const fluid_work *w) {
    for (size_t b = 0; b < w->f->bodies; b++) {
        if (!w->wall[b].dynamic) continue;
        for (size_t k = 0; k < w->f->blocks; k++) {
            fluid_thrust *push = &w->f->push[k * w->f->bodies + b];
            w->wall[b].impulse = dvec_add(w->wall[b].impulse, push->impulse);
            w->wall[b].twist = dvec_add(w->wall[b].twist, push->twist);
            push->impulse = push->twist = (firn_vec3){0};
        }
    }
}

static firn_status find(pbd *s, void *data, const pbd_pass *pass) {
    pbd_fluid *f = data;
    TRY(fluid_reserve(s, f));
    TRY(fluid_find_neighbours(s, f, pass->first, pass->first));
    TRY(fluid_find_walls(s, f, pass));
    memset(f->lambda, 0, s->p.count * sizeof *f->lambda);
    return FIRN_OK;
}

static void project(pbd *s, void *data, const pbd_pass *pass) {
    pbd_fluid *f = data;
    fluid_work work = fluid_work_of(s, f, pass, (float)(1 / f->kernel.step));
    fluid_sweep(&work);
    fluid_hand_over(&work);
}

static void add(pbd *s, void *data, const pbd_pass *pass) {
    fluid_work work = fluid_work_of(s, data, pass, pass->relax);
    par_tasks(work.f->blocks, measure_block, &work);
    par_tasks(work.f->blocks, push_block, &work);
    fluid_hand_over(&work);
}

static firn_status velocities(pbd *s, void *data, const pbd_pass *pass) {
    pbd_fluid *f = data;
    f->stepped = true;
    return fluid_velocities(s, data, pass);
}

static void residual(pbd *s, void *data, const pbd_pass *pass, pbd_residual *out) {
    pbd_fluid *f = data;
    fluid_work work = fluid_work_of(s, f, pass, 1);
    work.look = true;
    par_tasks(f->blocks, measure_block, &work);
    for (size_t i = s->p.solids; i < s->p.count; i++) {
        double error = (double)f->density[i] - 1;
        if (f->def.pressure == FIRN_PBD_COMPRESSION && error < 0) error = 0;
        out->largest = fmax(out->largest, fabs(error));
        out->sum2 += error * error;
        out->count++;
    }
}

// What the walls of a row add to the virial of its particle: their push, at the arm of their distance.
static double virial_of_walls(const fluid_work *w, const fluid_block *b, size_t row, size_t *at, uint32_t i) {
    size_t n = fluid_walls_of(b, row, at);
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        const fluid_wall *wall = &b->wall[*at + k];
        const float *q = w->s->p.q[i];
        float d = wall->n[0] * q[0] + wall->n[1] * q[1] + wall->n[2] * q[2] - wall->offset;
        sum += (double)(fluid_wall_push(wall, w->f->lambda[i]) * d);
    }
    return sum;
}

// Pressures by the virial: a third of the sum of forces times arms, half of it for each of a pair, by volume.
// That is what liquid really pushes with, where a multiplier alone is too high at walls (their liquid does
// not push along them) and swings from layer to layer.
static void pressure_block(void *context, size_t block) {
    const fluid_work *w = context;
    pbd_fluid *f = w->f;
    const fluid_block *b = &f->block[block];
    fluid_rows rows = fluid_rows_of(f, block);
    const fluid_field field = {(const float(*)[4])f->at, NULL, f->even ? NULL : f->space, w->inverse_h};
    float sums[FLUID_BLOCK];
    ISA_PICK(fluid_virial)(&field, &rows, sums);
    double dt2 = w->s->book.dt * w->s->book.dt;
    size_t at = 0;
    for (size_t k = 0; k < rows.count; k++) {
        uint32_t i = rows.own[k];
        double pairs = -0.5 * (double)(w->slope * sums[k] * (f->even ? f->sizes[i] : 1));
        double virial = pairs + virial_of_walls(w, b, k, &at, i);
        f->pressure[i] = pbd_is_liquid(w->s, i) ? (float)(virial / (3 * (double)f->sizes[i] * dt2)) : 0;
    }
}

static void show_pressure(fluid_work *w) {
    for (size_t i = 0; i <= w->s->p.count; i++) {
        memcpy(w->f->at[i], w->s->p.q[i], sizeof w->f->at[i]);
        w->f->at[i][3] = i < w->s->p.count ? w->f->lambda[i] : 0;
    }
    par_tasks(w->f->blocks, pressure_block, w);
}

// Densities and pressures where the particles are now.
static void show(pbd *s, void *data) {
    pbd_fluid *f = data;
    const pbd_pass now = {.bodies = s->bodies, .first = true};
    if (fluid_reserve(s, f) != FIRN_OK) return;
    for (size_t i = 0; i < s->p.count; i++) {
        memcpy(s->p.q[i], s->p.x[i], sizeof s->p.x[i]);
        s->p.q[i][3] = s->groups[s->p.group[i]].inverse_mass;
        f->density[i] = 0;
    }
    if (fluid_find_neighbours(s, f, true, false) != FIRN_OK || fluid_find_walls(s, f, &now) != FIRN_OK)
        return;
    fluid_work work = fluid_work_of(s, f, &now, 1);
    work.look = true;
    par_tasks(f->blocks, measure_block, &work);
    if (f->stepped && s->book.dt > 0) show_pressure(&work);
    for (size_t i = s->p.solids; i < s->p.count; i++)
        f->density[i] *= (float)(s->groups[s->p.group[i]].mass / s->groups[s->p.group[i]].volume);
}

static const pbd_fluid *fluid_of(const pbd *s) { return pbd_data(s, &pbd_density); }

FIELD_GET_IF(get_pressure, pbd, fluid_of(s), s->p.count, fluid_of(s)->pressure)
FIELD_GET_IF(get_density, pbd, fluid_of(s), s->p.count, fluid_of(s)->density)
FIELD_GET_IF(get_spouted, pbd, fluid_of(s), fluid_of(s)->spouts, fluid_of(s)->layers)

static const field_row rows[] = {
    {"pbd.pressure", "Pa", "pressure in liquids", FIRN_F32, 1, FIRN_FIELD_SHOWN, get_pressure},
    {"pbd.density", "kg/m3", "density of liquids; walls count as full", FIRN_F32, 1, FIRN_FIELD_SHOWN,
     get_density},
    {"pbd.spouted", "", "layers of particles that came out of each spout", FIRN_F64, 1, FIRN_FIELD_STATE,
     get_spouted},
};
const field_table pbd_density_fields = FIELD_TABLE(rows);

static firn_status resize(pbd *s, void *data, const char *name, size_t count) {
    pbd_fluid *f = data;
    if (strcmp(name, "pbd.spouted") == 0 && count != f->spouts)
        return fail(FIRN_BAD_INPUT, "field 'pbd.spouted' has %zu values instead of %zu", count, f->spouts);
    if (strcmp(name, "pbd.spouted") == 0) return FIRN_OK;
    if (!array_reserve(&f->pressure, &f->capacity[0], count + 1, sizeof *f->pressure) ||
        !array_reserve(&f->density, &f->capacity[8], count + 1, sizeof *f->density))
        return fail_memory("loading pressures", count * sizeof *f->pressure);
    return pbd_reserve(s, count + 1);
}

static firn_status loaded(pbd *s, void *data) {
    pbd_fluid *f = data;
    f->stepped = false;
    return fluid_reserve(s, f);
}

const pbd_kind pbd_density = {
    .name = "density",
    .unit = "1",
    .create = create,
    .destroy = destroy,
    .find = find,
    .project = project,
    .add = add,
    .residual = residual,
    .velocities = velocities,
    .finish = fluid_finish,
    .fields = &pbd_density_fields,
    .resize = resize,
    .loaded = loaded,
    .show = show,
};
