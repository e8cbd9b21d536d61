// Water clings to ice, to bodies and to itself: neighbours draw each other until they touch, equally and
// opposite. A film runs along the underside of ice, and at its tip a drop hangs until it freezes there or
// grows too heavy.
#include "phase/phase_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_fluid_work.h"

enum { TASK = 2048, SITES = 4, HEIGHTS = 40 };

// ---- how strong

static double draw_at(double x) {
    double far = fmax(0, 1 - x / (double)CLING_FAR), near = fmax(0, 1 - x / (double)CLING_NEAR);
    return x * (x * far * far - (double)CLING_PUSH * near * near * near);
}

// With which a half space on a lattice of spacing 1 draws what is above it, at (x, z) of a cell and this
// height.
static double lattice_draw(double x, double height, double z, double unit) {
    enum { SIDE = 2, DEEP = 3 };
    double sum = 0;
    for (int i = -SIDE; i <= SIDE + 1; i++)
        for (int j = -SIDE; j <= SIDE + 1; j++)
            for (int k = 0; k < DEEP; k++) {
                double r = sqrt((x - i) * (x - i) + (z - j) * (z - j) + (height + k) * (height + k));
                sum += draw_at(fmax(0, 1 + (r - 1) / unit)) * (height + k) / r;
            }
    return sum;
}

// A spacing, or less where lists end before. The largest draw of a flat surface is to be the parameter's:
// mean of the places above it, where it is largest.
void phase_set_cling(phase *m) {
    double spacing = m->spacing, room = (double)m->f->search_radius - (m->widest + spacing) / 2, most = 0;
    m->unit = (float)fmin(spacing, room / ((double)CLING_FAR - 1));
    for (int n = HEIGHTS / 2; n <= HEIGHTS; n++) {
        double mean = 0, height = 2.0 * n / HEIGHTS;
        for (int i = 0; i < SITES; i++)
            mean += lattice_draw(0.5 * (i % 2), height, 0.5 * (i / 2), (double)m->unit / spacing) / SITES;
        most = fmax(most, mean);
    }
    m->draw = (float)(1 / most);
}

// ---- between particles

typedef struct cling_work {
    phase *m;
    const fluid_work *fluid;
    cling_field field;
    double wall, drag; // by bodies, in this step: m/s; share of the velocity along them
} cling_work;

static void copy_block(void *context, size_t begin, size_t end) {
    const cling_work *w = context;
    const phase *m = w->m;
    for (size_t i = begin; i < end; i++) {
        memcpy(m->f->scratch[i], m->s->p.q[i], 3 * sizeof(float));
        m->f->scratch[i][3] = m->radius[i];
    }
}

static bool is_near_water(const phase *m, uint32_t i) { return m->wet[i] != 0; }
static bool is_border(const phase *m, uint32_t i) { return m->wet[i] == 1; }

static void draw_block(void *context, size_t block) {
    const cling_work *w = context;
    float out[FLUID_BLOCK][4];
    fluid_rows run;
    bool (*wanted)(const phase *m, uint32_t i) = w->field.water > 0 ? is_near_water : is_border;
    for (size_t at = 0; phase_next_run(w->m, block, wanted, &at, &run);) {
        ISA_PICK(phase_draw)(&w->field, &run, out);
        for (size_t k = 0; k < run.count; k++)
            for (int a = 0; a < 3; a++) w->m->s->p.v[run.own[k]][a] += out[k][a];
    }
}

// ---- by bodies and walls of the box, as flat surfaces

// What a body feels of a change of velocity of particle i.
static void book_wall(const cling_work *w, size_t block, const fluid_wall *wall, uint32_t i,
                      firn_vec3 change) {
    const pbd_wall *body = &w->fluid->wall[wall->body];
    fluid_impulse *push = &w->m->f->impulse[block * w->m->f->bodies + wall->body];
    firn_vec3 impulse = dvec_scale(change, -w->m->def.mass);
    push->impulse = dvec_add(push->impulse, impulse);
    push->twist = dvec_add(push->twist, dvec_cross(dvec_sub(pbd_at(w->m->s->p.q[i]), body->centre), impulse));
}

// Ice is drawn as water is: it is frozen to the body. What is water is also dragged along, as by water that
// rests there.
static void cling_to_wall(const cling_work *w, size_t block, const fluid_wall *wall, uint32_t i) {
    phase *m = w->m;
    firn_vec3 q = pbd_at(m->s->p.q[i]), v = pbd_at(m->s->p.v[i]), n = pbd_at(wall->n), surface = {0};
    const pbd_wall *body = wall->body == UINT32_MAX ? NULL : &w->fluid->wall[wall->body];
    double d = dvec_dot(n, q) - (double)wall->offset;
    if (body) surface = pbd_wall_velocity(body, q);
    if (body && body->dynamic) d -= dvec_dot(n, pbd_wall_moved(body, q, w->fluid->pass->dt));
    double gap = fmax(0, (d - (double)m->radius[i]) / (double)m->unit);
    if (gap >= 1) return;
    double near = (1 - gap) * (1 - gap) * (1 + 2 * gap);
    firn_vec3 slower = dvec_sub(surface, v);
    firn_vec3 along = dvec_add_scaled(slower, n, -dvec_dot(slower, n));
    firn_vec3 change = dvec_scale(along, near * w->drag * (double)m->f->liquid[i]);
    change = dvec_add_scaled(change, n, -near * w->wall);
    v = dvec_add(v, change);
    m->s->p.v[i][0] = (float)v.x, m->s->p.v[i][1] = (float)v.y, m->s->p.v[i][2] = (float)v.z;
    if (body && body->dynamic) book_wall(w, block, wall, i, change);
}

static void wall_block(void *context, size_t block) {
    const cling_work *w = context;
    const fluid_block *b = &w->m->f->block[block];
    fluid_rows rows = fluid_rows_of(w->m->f, block);
    for (size_t k = 0; k < b->walls; k++) cling_to_wall(w, block, &b->wall[k], rows.own[b->wall[k].row]);
}

void phase_cling(phase *m, const fluid_work *fluid) {
    float dt = (float)fluid->pass->dt, each = dt * m->draw;
    cling_work work = {.m = m, .fluid = fluid, .wall = fluid->pass->dt * m->def.body_adhesion};
    work.drag = 1 - pow(1 - m->def.water_viscosity, 60 * fluid->pass->dt);
    work.field = (cling_field){(const float(*)[4])m->f->scratch, m->f->liquid, 1 / m->unit,
                               each * (float)m->def.cohesion, each * (float)m->def.adhesion};
    if (work.field.water > 0 || work.field.border > 0) {
        par_for(m->s->p.count, TASK, copy_block, &work);
        m->f->scratch[m->s->p.count][3] = 0;
        par_tasks(m->f->blocks, draw_block, &work);
    }
    if (!(work.wall > 0)) return;
    par_tasks(m->f->blocks, wall_block, &work);
    fluid_sum_impulses(fluid);
}
