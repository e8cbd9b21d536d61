// The density constraint of liquids, for all solvers. Where the liquid only resists compression, the sum of a
// sub-step's multipliers has one sign (projected Jacobi): what one iteration overshoots, the next corrects.
#include "pbd/pbd_fluid_work.h"

#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "par/par.h"
#include "pbd/pbd_kinds.h"
#include "pbd/pbd_relax.h"
#include "pbd/pbd_tension.h"

static bool is_uniform(const pbd *s) {
    if (s->p.solids > 0) return false;
    for (size_t k = 1; k < s->group_count; k++)
        if (s->groups[k].mass != s->groups[0].mass || s->groups[k].volume != s->groups[0].volume)
            return false;
    return true;
}

void fluid_set_uniform(pbd *s, pbd_fluid *f) {
    f->uniform = !s->hooks && is_uniform(s);
    f->volume = f->uniform && s->group_count > 0 ? s->groups[0].volume
                                                 : f->def.spacing * f->def.spacing * f->def.spacing;
}

// All that depends on the parameters and not on the particles.
static void take_numbers(pbd_fluid *f, const firn_pbd_def *def) {
    const firn_pbd_fluid_def *fluid = def->fluid;
    double h = auto_or(fluid->smoothing, 2 * fluid->spacing);
    f->def = *fluid;
    f->def.pools.items = NULL, f->def.spouts.items = NULL, f->def.drains.items = NULL;
    f->kernel = fluid_kernel_of(h, fluid->spacing);
    // W is 2e-5 of W(0) at 0.95 h and 1e-3 at 0.87 h: missing pairs there do not matter.
    f->search_radius = (float)(def->substeps > 1 ? 1.05 * h : 0.95 * h);
    f->skin = (float)(0.09 * h);
}

static void changed(pbd *s, void *data, const firn_pbd_def *def, const model_setting *setting) {
    pbd_fluid *f = data;
    take_numbers(f, def);
    for (size_t k = def->solids.count; k < s->group_count; k++)
        s->groups[k].friction = s->groups[k].static_friction = (float)def->fluid->friction;
    for (size_t k = 0; k < f->spouts; k++)
        fluid_change_spout(f, k, &def->fluid->spouts.items[k].opening, setting);
    for (size_t k = 0; k < f->drains; k++) fluid_change_drain(f, k, &def->fluid->drains.items[k]);
}

static firn_status fill_in(pbd *s, pbd_fluid *f, const firn_pbd_def *def, const body_set *bodies) {
    const firn_pbd_fluid_def *fluid = def->fluid;
    take_numbers(f, def);
    fluid_set_uniform(s, f);
    f->bodies = bodies ? body_count(bodies) : 0;
    if (!array_reserve(&f->split_inverse_mass, &f->split_capacity, f->bodies + 1,
                       sizeof *f->split_inverse_mass))
        return fail_memory("creating liquids", f->bodies * sizeof *f->split_inverse_mass);
    TRY(fluid_make_sources(s, f, fluid));
    return fluid_reserve(s, f);
}

static firn_status add_memory(pbd *s, pbd_fluid *f) {
    void *memory = mem_zero(s->p.capacity, sizeof(fluid_memory));
    if (!memory) return fail_memory("creating liquids", s->p.capacity * sizeof(fluid_memory));
    f->column = s->columns++;
    s->column[f->column] = (pbd_column){memory, sizeof(fluid_memory)};
    return FIRN_OK;
}

firn_status fluid_create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    if (!def->fluid) return FIRN_OK;
    pbd_fluid *f = mem_zero(1, sizeof *f);
    if (!f) return fail_memory("creating liquids", sizeof *f);
    *data = f;
    f->column = SIZE_MAX;
    if (def->fluid->method == FIRN_PBD_PRESSURE && !s->hooks) TRY(add_memory(s, f));
    return fill_in(s, f, def, bodies);
}

void fluid_destroy(void *data) {
    pbd_fluid *f = data;
    for (size_t k = 0; k < f->block_capacity; k++) {
        fluid_block *b = &f->block[k];
        void *lists[] = {b->index, b->wall};
        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    }
    void *lists[] = {f->ahead,
                     f->behind,
                     f->inverse_diagonal,
                     f->press,
                     f->block,
                     f->built,
                     f->pressure,
                     f->pressure_volume,
                     f->scratch,
                     f->v,
                     f->volumes,
                     f->lambda,
                     f->density,
                     f->swap,
                     f->impulse,
                     f->split_inverse_mass,
                     f->parted,
                     f->parted_key,
                     f->part,
                     f->liquid,
                     f->row,
                     f->number,
                     f->sorted[0],
                     f->sorted[1],
                     f->sorted[2],
                     f->room};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    neighbour_grid_free(&f->grid);
    neighbour_colours_free(&f->colours);
    fluid_free_sources(f);
    fluid_tension_free(f->tension);
    mem_free(f);
}

// ---- the constraint

// Share of a kernel at q that one wall covers, and its slope by the distance (1/m).
static float share_of_wall(const fluid_work *w, const fluid_wall *wall, size_t i, float *slope) {
    const float *q = w->s->p.q[i];
    float h = (float)w->f->kernel.h, of_d, behind;
    const pbd_wall *body = wall->body == UINT32_MAX ? NULL : &w->wall[wall->body];
    float d = wall->n[0] * q[0] + wall->n[1] * q[1] + wall->n[2] * q[2] - wall->offset;
    if (body && body->dynamic)
        d -= (float)dvec_dot(pbd_at(wall->n), pbd_wall_moved(body, pbd_world(w->s, i, q), w->pass->dt));
    d += (float)w->f->kernel.wall_shift;
    float share = fluid_wall_fraction(d * w->inverse_h, &of_d);
    if (wall->thickness < h) {
        share -= fluid_wall_fraction((d + wall->thickness) * w->inverse_h, &behind);
        of_d -= behind;
    }
    *slope = of_d * w->inverse_h;
    return fminf(share, 0.95f);
}

// What of wall k is not behind a wall that covers more: none if the two coincide (a plane and the box at the
// same place are one boundary) or less than 25 degrees apart, as planes of one body are (pbd_planes.h); all
// if they are at right angles.
static float own_part(const fluid_wall *walls, size_t n, size_t k) {
    float part = 1;
    for (size_t m = 0; m < n; m++) {
        bool earlier = m < k;
        const fluid_wall *a = &walls[m], *b = &walls[k];
        bool more = a->share > b->share || (earlier && a->share == b->share);
        float c = m != k && more ? a->n[0] * b->n[0] + a->n[1] * b->n[1] + a->n[2] * b->n[2] : 0;
        if (c > 0) part = fminf(part, fmaxf(1 - c * c / 0.81f, 0));
    }
    return part;
}

// Corners: what several walls leave of a kernel is the product of what each leaves, exact for walls at right
// angles if the kernel were Gaussian.
float fluid_share_of_walls(const fluid_work *w, fluid_wall *walls, size_t n, size_t i, float grad_C[3]) {
    float left = 1;
    for (size_t k = 0; k < n; k++) walls[k].share = share_of_wall(w, &walls[k], i, &walls[k].dC_dd);
    for (size_t k = 0; k < n; k++) {
        float part = n > 1 ? own_part(walls, n, k) : 1, share = part * walls[k].share;
        for (size_t m = 0; m < k; m++) walls[m].dC_dd *= 1 - share;
        walls[k].dC_dd *= part * left;
        left *= 1 - share;
    }
    for (size_t k = 0; k < n; k++)
        for (int a = 0; a < 3; a++) grad_C[a] += walls[k].dC_dd * walls[k].n[a];
    return 1 - left;
}

float fluid_diagonal(const fluid_work *w, const fluid_sums *sums, fluid_wall *walls, size_t wall_count,
                     uint32_t i) {
    pbd_fluid *f = w->f;
    const float inverse_mass = w->s->p.q[i][3];
    float volume = f->volumes[i], factor = f->uniform ? volume : 1, grad_C[3];
    float grad_norm = -w->grad_norm * factor;
    for (int a = 0; a < 3; a++) grad_C[a] = grad_norm * sums->grad_C[a];
    float density = w->w_norm * (volume + factor * sums->density);
    float walls_share = wall_count > 0 ? fluid_share_of_walls(w, walls, wall_count, i, grad_C) : 0;
    density += walls_share;
    f->density[i] = density;
    float grad2 = grad_C[0] * grad_C[0] + grad_C[1] * grad_C[1] + grad_C[2] * grad_C[2];
    float sum_w_grad2 = grad_norm * grad_norm * sums->sum_w_grad2 * (f->uniform ? inverse_mass : 1);
    if (w->wall_liquid > 0) sum_w_grad2 /= 1 - w->wall_liquid * (walls_share < 0.5f ? walls_share : 0.5f);
    sum_w_grad2 += inverse_mass * grad2;
    for (size_t k = 0; k < wall_count; k++)
        if (walls[k].body != UINT32_MAX)
            sum_w_grad2 += (float)f->split_inverse_mass[walls[k].body] * walls[k].dC_dd * walls[k].dC_dd;
    float least = w->min_grad2 * inverse_mass;
    return sum_w_grad2 > least ? sum_w_grad2 : least;
}

// C = density / rest density - 1, in volumes; lambda as in XPBD eq. 18, with the compliance 1 / (K V).
// Instead of C = max(C, 0) (Macklin and Müller 2013) the sum of the multipliers is kept at or below 0.
float fluid_delta_lambda(const fluid_work *w, const fluid_sums *sums, fluid_wall *walls, size_t wall_count,
                         uint32_t i) {
    pbd_fluid *f = w->f;
    float sum_w_grad2 = fluid_diagonal(w, sums, walls, wall_count, i);
    float C = f->density[i] - 1, volume = f->volumes[i];
    float before = f->lambda[i], compliance = w->compliance / volume;
    float lambda = before - w->omega * (C + compliance * before) / (sum_w_grad2 + compliance);
    if (f->def.pressure == FIRN_PBD_COMPRESSION && lambda > 0) lambda = 0;
    f->lambda[i] = lambda;
    return lambda - before;
}

void fluid_lambda_block(void *context, size_t block) {
    const fluid_work *w = context;
    pbd_fluid *f = w->f;
    fluid_rows rows = fluid_rows_of(f, block);
    fluid_block *b = &f->block[block];
    const density_view view = {pbd_density_in(w->s), f->uniform ? NULL : f->volumes,
                               f->uniform ? NULL : f->pressure_volume, w->inverse_h};
    pressure_in *out = fluid_pressure_in(f);
    fluid_sums sums[FLUID_BLOCK];
    ISA_PICK(fluid_density)(&view, &rows, sums);
    size_t at = 0;
    for (size_t k = 0; k < rows.count; k++) {
        uint32_t i = rows.own[k];
        size_t n = fluid_walls_of(b, k, &at);
        float before = f->lambda[i];
        float dlambda = i < w->s->p.solids ? 0 : fluid_delta_lambda(w, &sums[k], b->wall + at, n, i);
        memcpy(&out[i], w->s->p.q[i], 3 * sizeof(float));
        out[i].dlambda = dlambda;
        if (w->evaluate_only) f->lambda[i] = before;
    }
}

void fluid_add_impulse(const fluid_work *w, size_t block, const fluid_wall *wall, uint32_t i,
                       const float at[3], float size) {
    if (wall->body == UINT32_MAX || w->no_impulse) return; // the box
    fluid_impulse *sum = &w->f->impulse[block * w->f->bodies + wall->body];
    firn_vec3 impulse = dvec_scale(pbd_at(wall->n), -(double)(size * wall->area) / w->pass->dt);
    firn_vec3 arm = dvec_sub(pbd_world(w->s, i, at), w->wall[wall->body].centre);
    sum->impulse = dvec_add(sum->impulse, impulse);
    sum->twist = dvec_add(sum->twist, dvec_cross(arm, impulse));
}

// Along the true gradient of the constraint: twice that, as mirrored liquid would push, does work on a closed
// path and feeds a pool in a corner with energy. Contact with the wall holds the rest.
void fluid_wall_delta_x(const fluid_work *w, size_t block, size_t row, size_t *at, uint32_t i,
                        float delta_x[4]) {
    const fluid_block *b = &w->f->block[block];
    const pressure_in *in = &fluid_pressure_in(w->f)[i];
    size_t n = fluid_walls_of(b, row, at);
    float inverse_mass = w->s->p.q[i][3], x[3] = {in->x, in->y, in->z};
    for (size_t k = 0; k < n; k++) {
        const fluid_wall *wall = &b->wall[*at + k];
        float size = fluid_wall_push(wall, in->dlambda);
        for (int a = 0; a < 3; a++) delta_x[a] += inverse_mass * size * wall->n[a];
        fluid_add_impulse(w, block, wall, i, x, size);
    }
}

static float s_corr_of(const pbd *s, const pbd_fluid *f) {
    if (!(f->def.unclump > 0)) return 0;
    double mass = f->def.density * f->volume, share = f->def.unclump / fmax(s->def.iterations, 1);
    return (float)(share * f->kernel.h * f->kernel.h * mass * (f->uniform ? 1 : f->volume));
}

static void delta_x_block(void *context, size_t block) {
    const fluid_work *w = context;
    pbd_fluid *f = w->f;
    pbd_particles *p = &w->s->p;
    fluid_rows rows = fluid_rows_of(f, block);
    const pressure_view view = {fluid_pressure_in(f), f->uniform ? NULL : f->pressure_volume, w->inverse_h};
    float delta_x[FLUID_BLOCK][4];
    ISA_PICK(fluid_delta_x)(&view, &rows, w->s_corr, delta_x);
    size_t at = 0;
    for (size_t k = 0; k < rows.count; k++) {
        uint32_t i = rows.own[k];
        float factor = -w->grad_norm * p->q[i][3] * (f->uniform ? f->volumes[i] : 1);
        for (int a = 0; a < 3; a++) delta_x[k][a] *= factor;
        fluid_wall_delta_x(w, block, k, &at, i, delta_x[k]);
        for (int a = 0; a < 3; a++) p->delta[i][a] += delta_x[k][a];
    }
}

// ---- as a kind of constraint

fluid_work fluid_work_of(pbd *s, pbd_fluid *f, const pbd_pass *pass, float relax) {
    pbd_contact_set *contacts = pbd_data(s, &pbd_bodies);
    double dt2 = pass->dt * pass->dt,
           compliance = pass->plain || !(f->def.stiffness > 0) ? 0 : 1 / f->def.stiffness;
    return (fluid_work){
        .s = s,
        .f = f,
        .pass = pass,
        .wall = contacts ? contacts->wall : NULL,
        .omega = (float)(f->kernel.jacobi_step * (pass->plain ? f->def.plain_stiffness : 1)) * relax *
                 (1 - pass->softer),
        .w_norm = (float)f->kernel.w_norm,
        .grad_norm = (float)f->kernel.grad_norm,
        .inverse_h = (float)(1 / f->kernel.h),
        .min_grad2 = (float)(0.1 / (f->def.spacing * f->def.spacing)),
        .compliance = compliance > 0 ? (float)(compliance / dt2) : 0,
        .s_corr = s_corr_of(s, f),
        .wall_liquid = 1.5f,
    };
}

void fluid_sum_impulses(const fluid_work *w) {
    for (size_t b = 0; b < w->f->bodies; b++) {
        for (size_t k = 0; k < w->f->blocks; k++) {
            fluid_impulse *sum = &w->f->impulse[k * w->f->bodies + b];
            w->wall[b].impulse = dvec_add(w->wall[b].impulse, sum->impulse);
            w->wall[b].twist = dvec_add(w->wall[b].twist, sum->twist);
            sum->impulse = sum->twist = (firn_vec3){0};
        }
    }
}

static firn_status find(pbd *s, void *data, const pbd_pass *pass) {
    pbd_fluid *f = data;
    TRY(fluid_reserve(s, f));
    TRY(fluid_find_neighbours(s, f, pass->first, pass->first));
    TRY(fluid_find_walls(s, f, pass));
    TRY(fluid_pull(s, f, pass));
    memset(f->lambda, 0, s->p.count * sizeof *f->lambda);
    if (fluid_by_pressure(f)) fluid_press_begin(s, f, pass);
    return FIRN_OK;
}

static void project(pbd *s, void *data, const pbd_pass *pass) {
    pbd_fluid *f = data;
    if (fluid_by_pressure(f)) {
        fluid_press(s, f, pass);
        return;
    }
    fluid_work work = fluid_work_of(s, f, pass, (float)(1 / f->kernel.jacobi_step));
    work.wall_liquid = 0;
    fluid_sweep(&work);
    fluid_sum_impulses(&work);
}

static void jacobi(pbd *s, void *data, const pbd_pass *pass) {
    if (fluid_by_pressure(data)) {
        fluid_press(s, data, pass);
        return;
    }
    fluid_work work = fluid_work_of(s, data, pass, pass->relax);
    par_tasks(work.f->blocks, fluid_lambda_block, &work);
    par_tasks(work.f->blocks, delta_x_block, &work);
    fluid_sum_impulses(&work);
}

static firn_status velocities(pbd *s, void *data, const pbd_pass *pass) {
    pbd_fluid *f = data;
    f->stepped = true;
    if (fluid_by_pressure(f)) fluid_press_end(s, f, pass);
    return fluid_velocities(s, data, pass);
}

static void residual(pbd *s, void *data, const pbd_pass *pass, pbd_residual *out) {
    pbd_fluid *f = data;
    fluid_work work = fluid_work_of(s, f, pass, 1);
    work.evaluate_only = true;
    par_tasks(f->blocks, fluid_lambda_block, &work);
    for (size_t i = s->p.solids; i < s->p.count; i++) {
        double error = (double)f->density[i] - 1;
        if (f->def.pressure == FIRN_PBD_COMPRESSION && error < 0) error = 0;
        out->largest = fmax(out->largest, fabs(error));
        out->sum2 += error * error;
        out->count++;
    }
}

// ---- before the first step

static double error_block(void *context, size_t begin, size_t end) {
    const pbd_fluid *f = context;
    float worst = 0;
    for (size_t i = begin; i < end; i++) worst = fmaxf(worst, f->density[i] - 1);
    return (double)worst;
}

double fluid_worst_error(const pbd *s, const pbd_fluid *f) {
    return par_max(s->p.count, 8 * PBD_BLOCK, error_block, (void *)f);
}

static firn_status move_apart(void *owner, const pbd_pass *pass, double *worst) {
    pbd *s = owner;
    pbd_fluid *f = pbd_data(s, &pbd_density);
    memset(f->density, 0, s->p.count * sizeof *f->density); // of solids
    memset(s->p.delta, 0, s->p.count * sizeof *s->p.delta);
    memset(f->lambda, 0, s->p.count * sizeof *f->lambda);
    TRY(fluid_find_neighbours(s, f, true, false));
    TRY(fluid_find_walls(s, f, pass));
    fluid_work work = fluid_work_of(s, f, pass, 1);
    work.compliance = 0;
    par_tasks(f->blocks, fluid_lambda_block, &work);
    par_tasks(f->blocks, delta_x_block, &work);
    for (size_t i = s->p.solids; i < s->p.count; i++)
        for (int a = 0; a < 3; a++) s->p.q[i][a] += s->p.delta[i][a];
    *worst = fluid_worst_error(s, f);
    return FIRN_OK;
}

firn_status fluid_relax(pbd *s) {
    pbd_fluid *f = pbd_data(s, &pbd_density);
    if (!f) return FIRN_OK;
    TRY(fluid_reserve(s, f));
    memset(f->density, 0, s->p.count * sizeof *f->density);
    return pbd_relax(s, &(pbd_relax_way){s, move_apart, f->def.spacing, f->density, 0});
}

static const pbd_fluid *fluid_of(const pbd *s) { return pbd_data(s, &pbd_density); }

FIELD_GET_IF(get_pressure, pbd, fluid_of(s), s->p.count, fluid_of(s)->pressure)
FIELD_GET_IF(get_density, pbd, fluid_of(s), s->p.count, fluid_of(s)->density)
static const pbd_fluid *pressed(const pbd *s) {
    const pbd_fluid *f = fluid_of(s);
    return f && fluid_by_pressure(f) ? f : NULL;
}

FIELD_GET_IF(get_memory, pbd, pressed(s), s->p.count, fluid_memory_of(s, fluid_of(s)))
FIELD_GET_IF(get_spouted, pbd, fluid_of(s), fluid_of(s)->spouts, fluid_of(s)->layers)

static const field_row rows[] = {
    {"pbd.pressure", "Pa", "pressure in liquids", FIRN_F32, 1, FIRN_FIELD_SHOWN, get_pressure},
    {"pbd.density", "kg/m3", "density of liquids; walls count as full of liquid", FIRN_F32, 1,
     FIRN_FIELD_SHOWN, get_density},
    {"pbd.pressed", "",
     "liquids held by pressure: pressure times volume, below 0 (J), and the share by which they are too "
     "dense; acceleration by pressure and contact (m/s2)",
     FIRN_F32, 5, FIRN_FIELD_STATE, get_memory},
    {"pbd.spouted", "", "layers of particles emitted by each spout", FIRN_F64, 1, FIRN_FIELD_STATE,
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
    fluid_set_uniform(s, f); // solids may have come and gone
    return fluid_reserve(s, f);
}

const pbd_kind pbd_density = {
    .name = "density",
    .unit = "1",
    .create = fluid_create,
    .destroy = fluid_destroy,
    .changed = changed,
    .find = find,
    .project = project,
    .jacobi = jacobi,
    .residual = residual,
    .velocities = velocities,
    .finish = fluid_finish,
    .fields = &pbd_density_fields,
    .resize = resize,
    .loaded = loaded,
    .show = fluid_show,
};
