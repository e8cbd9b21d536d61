// Creating and destroying the model.
#include "pbd/pbd_fluid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "geom/fill.h"
#include "pbd/pbd_material.h"

typedef struct particle_list {
    void *list; // address of the pointer
    size_t item;
} particle_list;
enum { LISTS = 12 };

static void particle_lists(pbd_particles *p, particle_list out[LISTS]) {
    const particle_list all[LISTS] = {
        {&p->at, sizeof *p->at},       {&p->v, sizeof *p->v},
        {&p->id, sizeof *p->id},       {&p->group, sizeof *p->group},
        {&p->rest, sizeof *p->rest},   {&p->q, sizeof *p->q},
        {&p->delta, sizeof *p->delta}, {&p->constraints, sizeof *p->constraints},
        {&p->x, sizeof *p->x},         {&p->frame, sizeof *p->frame},
        {&p->moved, sizeof *p->moved}, {&p->v_before, sizeof *p->v_before},
    };
    memcpy(out, all, sizeof all);
}

firn_status pbd_reserve(pbd *s, size_t count) {
    pbd_particles *p = &s->p;
    if (count > INT32_MAX / 4) return fail(FIRN_BAD_INPUT, "pbd: %zu particles are too many", count);
    if (count <= p->capacity && p->x) return FIRN_OK;
    size_t room = (count + 16) / 16 * 16, grown = p->capacity + p->capacity / 4;
    if (room < grown) room = grown / 16 * 16; // fluid enters: do not grow at every step
    particle_list lists[LISTS];
    particle_lists(p, lists);
    for (size_t i = 0; i < LISTS; i++) {
        void *old;
        memcpy(&old, lists[i].list, sizeof old);
        char *bigger = mem_resize(old, room * lists[i].item);
        if (!bigger) return fail_memory("allocating the particles of pbd", room * lists[i].item);
        memset(bigger + p->capacity * lists[i].item, 0, (room - p->capacity) * lists[i].item);
        memcpy(lists[i].list, &bigger, sizeof bigger);
    }
    for (size_t i = 0; i < s->columns; i++) {
        pbd_column *c = &s->column[i];
        char *bigger = mem_resize(c->at, room * c->item);
        if (!bigger) return fail_memory("allocating the particles of pbd", room * c->item);
        memset(bigger + p->capacity * c->item, 0, (room - p->capacity) * c->item);
        c->at = bigger;
    }
    p->capacity = room;
    return FIRN_OK;
}

static void reverse(char *list, size_t item, size_t begin, size_t end) {
    char swap[24];
    for (; begin + 1 < end; begin++, end--) {
        char *a = list + begin * item, *b = list + (end - 1) * item;
        memcpy(swap, a, item);
        memcpy(a, b, item);
        memcpy(b, swap, item);
    }
}

void pbd_rotate_list(void *list, size_t item, size_t first, size_t middle, size_t end) {
    reverse(list, item, first, middle);
    reverse(list, item, middle, end);
    reverse(list, item, first, end);
}

void pbd_rotate(pbd *s, size_t first, size_t middle, size_t end) {
    particle_list lists[LISTS];
    particle_lists(&s->p, lists);
    for (size_t i = 0; i < LISTS; i++) {
        void *list;
        memcpy(&list, lists[i].list, sizeof list);
        pbd_rotate_list(list, lists[i].item, first, middle, end);
    }
    for (size_t k = 0; k < s->columns; k++)
        pbd_rotate_list(s->column[k].at, s->column[k].item, first, middle, end);
}

size_t pbd_add_particle(pbd *s, firn_vec3 at, firn_vec3 velocity, uint32_t group) {
    pbd_particles *p = &s->p;
    size_t i = p->count++;
    memcpy(p->at[i], (double[3]){at.x, at.y, at.z}, sizeof p->at[i]);
    memcpy(p->v[i], (float[3]){(float)velocity.x, (float)velocity.y, (float)velocity.z}, sizeof p->v[i]);
    for (int a = 0; a < 3; a++) {
        p->moved[i][a] = (float)s->counters.dt * p->v[i][a];
        p->v_before[i][a] = p->v[i][a];
    }
    p->frame[i] = 0;
    p->group[i] = group;
    p->id[i] = (uint32_t)s->counters.next_id++;
    s->counters.mass_in += s->groups[group].mass;
    for (size_t k = 0; k < s->columns; k++)
        memset((char *)s->column[k].at + i * s->column[k].item, 0, s->column[k].item);
    if (s->hooks) s->hooks->born(s, i);
    return i;
}

firn_status pbd_make_kinds(pbd *s, const firn_pbd_def *def, const body_set *bodies) {
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->kinds[k]->create) TRY(s->kinds[k]->create(s, def, bodies, &s->data[k]));
    return FIRN_OK;
}

static firn_status make(pbd *s, const firn_pbd_def *def, const body_set *bodies) {
    size_t groups = def->solids.count + (def->fluid ? def->fluid->pools.count + def->fluid->spouts.count : 0);
    s->groups = mem_zero(groups + 1, sizeof *s->groups);
    s->skins = mem_zero(1, sizeof *s->skins);
    if (!s->groups || !s->skins) return fail_memory("creating pbd", groups * sizeof *s->groups);
    TRY(pbd_reserve(s, 1));
    TRY(pbd_make_solids(s, def));
    if (def->fluid) TRY(fluid_fill_pools(s, def));
    TRY(pbd_make_kinds(s, def, bodies));
    TRY(fluid_relax(s));
    TRY(pbd_find_frames(s));
    return pbd_check_initial(s, "pbd");
}

firn_status pbd_check_initial(const pbd *s, const char *model) {
    uint64_t item;
    const char *what;
    if (!pbd_find_invalid(s, &item, &what)) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "%s: %s of particle %llu is outside the domain at the start", model, what,
                (unsigned long long)item);
}

firn_status pbd_create(const void *params, const model_setting *setting, const body_set *bodies,
                       void **model) {
    const firn_pbd_def *def = params;
    pbd *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory("creating pbd", sizeof *s);
    s->def = *def;
    s->def.solids.items = NULL;
    s->def.pins.items = NULL;
    s->def.box = NULL;
    s->def.fluid = NULL;
    s->setting = *setting;
    s->bodies = bodies;
    s->kinds = pbd_kinds(&s->kind_count);
    s->section = "pbd.fluid";
    firn_status status = make(s, def, bodies);
    s->setting.folder = NULL;
    if (status != FIRN_OK) {
        pbd_destroy(s);
        return status;
    }
    *model = s;
    return FIRN_OK;
}

void pbd_destroy(void *model) {
    pbd *s = model;
    if (!s) return;
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->data[k]) s->kinds[k]->destroy(s->data[k]);
    particle_list lists[LISTS];
    particle_lists(&s->p, lists);
    for (size_t i = 0; i < LISTS; i++) {
        void *list;
        memcpy(&list, lists[i].list, sizeof list);
        mem_free(list);
    }
    for (size_t k = 0; k < s->columns; k++) mem_free(s->column[k].at);
    pbd_skins_free(s->skins);
    mem_free(s->frames.origin);
    mem_free(s->groups);
    mem_free(s);
}

// Links of a solid of n particles, about.
static double links_of(const firn_pbd_solid_def *def, double n) {
    if (pbd_is_elastic(def)) return 10 * n; // a cell is as much work
    double near = auto_or(def->near, 1.8 * def->spacing) / def->spacing;
    switch (def->links) {
    case FIRN_PBD_ALL_PAIRS: return n * (n - 1) / 2;
    case FIRN_PBD_DECIMATED:
        return fmin(n * (n - 1) / 2, n * (2.0 / 3 * M_PI * near * near * near + def->far_count));
    case FIRN_PBD_NEIGHBOURS: return n * def->neighbours * 0.6;
    default: return n;
    }
}

static firn_status count_solid(const firn_pbd_def *all, size_t number, const model_setting *setting,
                               double *count) {
    const firn_pbd_solid_def *def = &all->solids.items[number];
    if (def->lattice.x > 0) {
        *count = def->lattice.x * def->lattice.y * def->lattice.z;
        return FIRN_OK;
    }
    shape *form;
    TRY(shape_create(&def->fill.shape, def->fill.scale, setting->folder, def->name ? def->name : "solid",
                     &form));
    firn_status status = FIRN_OK;
    if (def->from == FIRN_PBD_INSIDE)
        *count = fmin(fill_estimate(form, def->spacing, 1), 1e15);
    else { // quickly made
        fill_points points;
        status = pbd_fill(def, form, setting->seed + number, &points);
        *count = (double)points.count;
        fill_free(&points);
    }
    shape_destroy(form);
    return status;
}

firn_status pbd_cost(const void *params, const model_setting *setting, firn_cost *cost) {
    const firn_pbd_def *def = params;
    double substeps = pbd_substeps(def, fmin(setting->def->max_step, 1 / setting->def->fps));
    double sweeps = def->iterations * substeps;
    for (size_t i = 0; i < def->solids.count; i++) {
        double n;
        TRY(count_solid(def, i, setting, &n));
        double links = links_of(&def->solids.items[i], n);
        cost->particles += (uint64_t)n;
        cost->memory +=
            (uint64_t)(n * (4 * (6 + 6 + 3 + 3 + 3 + 4 + 4 + 1 + 1 + 1 + 1)) + links * 4 * (2 + 1 + 1 + 3));
        cost->disk += (uint64_t)(n * 4 * (6 + 6 + 3 + 1 + 1) + links * 4 * 4);
        cost->seconds += n * substeps * 5e-8 + links * sweeps * 1e-8;
    }
    return def->fluid ? fluid_cost(def, setting, cost) : FIRN_OK;
}
