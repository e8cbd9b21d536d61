// Which regions the models fill at the start, and which models interact.
#include "world/world_regions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "snow/snow_type.h"

// What models do with bodies in their own steps. All else is in the list of couplings.
static const world_meeting with_bodies[] = {
    {"bodies", "bodies", "contacts and friction", NULL, SIZE_MAX},
    {"bodies", "grains", "contacts and friction, both ways", NULL, SIZE_MAX},
    {"bodies", "mpm", "contacts and friction, both ways; heat", NULL, SIZE_MAX},
    {"bodies", "field", "bodies press, plough and stand on the snow", NULL, SIZE_MAX},
    {"bodies", "wind", "air flows around bodies, flakes land on them, warm ones melt the cover", NULL,
     SIZE_MAX},
    {"bodies", "pbd", "contacts and friction, both ways", NULL, SIZE_MAX},
    {"bodies", "phase", "contacts, friction and heat", NULL, SIZE_MAX},
};
enum { WITH_BODIES = sizeof with_bodies / sizeof with_bodies[0] };

bool world_meeting_at(size_t index, world_meeting *out) {
    size_t count;
    const coupling_class *const *classes = coupling_classes(&count);
    if (index >= WITH_BODIES + count) return false;
    if (index < WITH_BODIES) {
        *out = with_bodies[index];
        return true;
    }
    size_t k = index - WITH_BODIES;
    *out = (world_meeting){classes[k]->a->name, classes[k]->b->name, classes[k]->what, classes[k], k};
    return true;
}

bool world_meeting_is_on(const firn_world_def *def, const world_meeting *m) {
    if (!m->kind) return true;
    return coupling_on(coupling_section(&def->coupling, m->number)) &&
           (!m->kind->wanted || m->kind->wanted(def));
}

bool world_models_meet(const firn_world_def *def, const char *a, const char *b) {
    world_meeting m;
    for (size_t k = 0; world_meeting_at(k, &m); k++) {
        bool they =
            (strcmp(m.a, a) == 0 && strcmp(m.b, b) == 0) || (strcmp(m.a, b) == 0 && strcmp(m.b, a) == 0);
        if (they && world_meeting_is_on(def, &m)) return true;
    }
    return strcmp(a, b) == 0;
}

typedef struct fill_list {
    world_fill *items;
    size_t count, capacity;
    bool full; // no memory for more
} fill_list;

static void add(fill_list *list, world_fill fill, const char *section, const char *name) {
    if (!array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
        list->full = true;
        return;
    }
    snprintf(fill.path, sizeof fill.path, "%s.%s", section, name ? name : "");
    list->items[list->count++] = fill;
}

static world_fill fill_of(const firn_fill_def *f, const char *model, double spacing) {
    return (world_fill){.model = model,
                        .shape = &f->shape,
                        .scale = f->scale,
                        .at = f->at,
                        .rotate = f->rotate,
                        .spacing = spacing};
}

// Particles that bring a volume of their own.
static world_fill plan_of(const firn_fill_def *f, const char *model, double spacing, fill_sizes sizes,
                          firn_fill_pattern pattern) {
    world_fill fill = fill_of(f, model, spacing);
    fill.gives_way = fill.planned = true;
    fill.sizes = sizes;
    fill.pattern = pattern;
    return fill;
}

static void add_grains(fill_list *list, const firn_grains_def *def) {
    for (size_t i = 0; def && i < def->fill.count; i++) {
        const firn_grains_fill_def *f = &def->fill.items[i];
        world_fill fill = fill_of(&f->fill, "grains", f->spacing);
        fill.gives_way = true;
        add(list, fill, "grains.fill", f->name);
    }
}

static void add_mpm(fill_list *list, const firn_mpm_def *def) {
    for (size_t i = 0; def && i < def->snow.count; i++) {
        world_fill fill = fill_of(&def->snow.items[i].fill, "mpm", def->cell);
        fill.solid = true;
        add(list, fill, "mpm.snow", def->snow.items[i].name);
    }
}

static void add_pbd(fill_list *list, const firn_pbd_def *def) {
    for (size_t i = 0; def && i < def->solids.count; i++) {
        const firn_pbd_solid_def *solid = &def->solids.items[i];
        if (solid->lattice.x > 0) continue;
        add(list, fill_of(&solid->fill, "pbd", solid->spacing), "pbd.solids", solid->name);
    }
    for (size_t i = 0; def && def->fluid && i < def->fluid->pools.count; i++) {
        const firn_pbd_pool_def *pool = &def->fluid->pools.items[i];
        add(list, plan_of(&pool->fill, "pbd", def->fluid->spacing, FILL_ADAPTED, pool->pattern),
            "pbd.fluid.pools", pool->name);
    }
}

static void add_phase(fill_list *list, const firn_world_def *scene) {
    const firn_phase_def *def = scene->phase;
    for (size_t i = 0; def && i < def->snow.count; i++) {
        const firn_phase_snow_def *snow = &def->snow.items[i];
        const snow_type type = snow_type_of(scene, snow->type ? snow->type : "packed");
        double density = auto_or(snow->density, type.density);
        world_fill fill = plan_of(&snow->fill, "phase", cbrt(def->mass / density), FILL_EQUAL, snow->pattern);
        fill.solid = true;
        add(list, fill, "phase.snow", snow->name);
    }
    for (size_t i = 0; def && i < def->water.count; i++) {
        const firn_phase_water_def *water = &def->water.items[i];
        add(list, plan_of(&water->fill, "phase", cbrt(def->mass / def->density), FILL_EQUAL, water->pattern),
            "phase.water", water->name);
    }
}

firn_status world_fills(const firn_world_def *def, world_fill **out, size_t *count) {
    fill_list list = {0};
    add_grains(&list, def->grains);
    add_mpm(&list, def->mpm);
    add_pbd(&list, def->pbd);
    add_phase(&list, def);
    *out = list.items;
    *count = list.count;
    if (!list.full) return FIRN_OK;
    mem_free(list.items);
    *out = NULL;
    *count = 0;
    return fail_memory("looking at what is filled", list.capacity * sizeof *list.items);
}
