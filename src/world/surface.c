// Surfaces built beside the simulation: a copy of the state goes to another thread, which makes one mesh
// while the program still looks at the other.
#include "world/surface.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/cookie.h"
#include "base/memory.h"
#include "base/text.h"
#include "par/par.h"
#include "world/world_state.h"

typedef struct surface_builder {
    surface_copy copy; // written by the world's thread while no job runs, read by the job
    par_job *job;
    // The job's results: a mesh that nobody looks at yet.
    surface made;
    double volume, seconds;
    firn_status status;
    char message[400];
    // What the program looks at.
    surface shown;
    firn_surface_value *values;
    size_t values_capacity;
    firn_surface look;
} surface_builder;

static void build(void *context) {
    surface_builder *b = context;
    double start = clock_seconds();
    isosurface_free(&b->made);
    b->status = surface_build(&b->copy, &b->made, &b->volume);
    b->seconds = clock_seconds() - start;
    if (b->status != FIRN_OK) snprintf(b->message, sizeof b->message, "%s", firn_last_error());
}

static firn_status fail_unknown(const firn_world *world, const char *name) {
    text list = {0};
    for (size_t i = 0; i < world->surfaces; i++)
        text_add(&list, "%s%s", i ? ", " : "", world->surface[i].name);
    firn_status status = fail(FIRN_BAD_INPUT, "this world has no surface '%.100s'; it has %s", name,
                              world->surfaces ? list.data ? list.data : "others" : "none");
    text_free(&list);
    return status;
}

static firn_status find_source(firn_world *world, const char *name, surface_source **out) {
    for (size_t i = 0; i < world->surfaces; i++)
        if (text_equal(world->surface[i].name, name)) {
            *out = &world->surface[i];
            return FIRN_OK;
        }
    return fail_unknown(world, name);
}

firn_status firn_world_surface_request(firn_world *world, const char *name,
                                       const firn_surface_options *options, bool *begun) {
    IN_WORLD(world);
    if (begun) *begun = false;
    NEED(world);
    NEED(name);
    const firn_surface_options usual = firn_surface_options_default();
    if (options) NEED_COOKIE(firn_surface_options, options);
    surface_source *source;
    TRY(find_source(world, name, &source));
    TRY(surface_check_options(options ? options : &usual));
    if (!source->builder) source->builder = mem_zero(1, sizeof *source->builder);
    surface_builder *b = source->builder;
    if (!b) return fail_memory("building a surface", sizeof *b);
    if (b->job) return FIRN_OK; // also one that is finished but not yet fetched
    TRY(surface_copy_take(world, source, options ? options : &usual, &b->copy));
    TRY(par_job_start(build, b, &b->job));
    if (begun) *begun = true;
    return FIRN_OK;
}

// Takes over what a finished job made.
static firn_status collect(surface_builder *b) {
    par_job_wait(b->job);
    b->job = NULL;
    if (b->status != FIRN_OK) return fail(b->status, "%s", b->message);
    const surface_copy *c = &b->copy;
    if (!array_reserve(&b->values, &b->values_capacity, c->value_count, sizeof *b->values))
        return fail_memory("building a surface", c->value_count * sizeof *b->values);
    if (c->value_count) memcpy(b->values, c->values, c->value_count * sizeof *b->values);
    surface before = b->shown;
    b->shown = b->made;
    b->made = before;
    b->look = (firn_surface){.mesh = mesh_view(&b->shown.mesh),
                             .value = b->shown.value,
                             .channels = b->shown.value ? c->channels : 0,
                             .value_count = b->shown.value ? c->value_count : 0,
                             .values = b->values,
                             .time = c->time,
                             .volume = b->volume,
                             .seconds = b->seconds};
    return FIRN_OK;
}

static firn_status take_newest(firn_world *world, const char *name, bool wait, firn_surface *out) {
    surface_source *source;
    TRY(find_source(world, name, &source));
    surface_builder *b = source->builder;
    if (!b) return FIRN_OK;
    if (b->job && (wait || par_job_done(b->job))) TRY(collect(b));
    *out = b->look;
    return FIRN_OK;
}

firn_status firn_world_surface(firn_world *world, const char *name, firn_surface *out) {
    IN_WORLD(world);
    if (!out) return fail_null(__func__, "surface");
    *out = (firn_surface){0};
    NEED(world);
    NEED(name);
    return take_newest(world, name, false, out);
}

firn_status firn_world_surface_wait(firn_world *world, const char *name, firn_surface *out) {
    IN_WORLD(world);
    if (!out) return fail_null(__func__, "surface");
    *out = (firn_surface){0};
    NEED(world);
    NEED(name);
    return take_newest(world, name, true, out);
}

size_t firn_world_surface_count(const firn_world *world) {
    NEED_OR(world, 0);
    return world->surfaces;
}

const char *firn_world_surface_name(const firn_world *world, size_t index) {
    NEED_OR(world, NULL);
    if (index < world->surfaces) return world->surface[index].name;
    fail(FIRN_BAD_INPUT, "firn_world_surface_name: there is no surface %zu; there are %zu", index,
         world->surfaces);
    return NULL;
}

size_t world_surface_count(const firn_world *world) { return world->surfaces; }
const surface_source *world_surface_at(const firn_world *world, size_t index) {
    return &world->surface[index];
}

// Surfaces that the world had before something was added or removed.
typedef struct surface_list {
    surface_source *item;
    size_t count;
} surface_list;

static surface_source *find_listed(const surface_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (text_equal(list->item[i].name, name)) return &list->item[i];
    return NULL;
}

// A name that is taken gets a number: a solid may be called "water" and a pool as a solid is. What is built
// under a name goes on.
static firn_status add_source(firn_world *world, surface_list before, const char *model, const char *look,
                              surface_source s) {
    text name = {0};
    const surface_list now = {world->surface, world->surfaces};
    text_add(&name, "%s%s%s", model, look[0] ? "." : "", look);
    for (int number = 2; !name.failed && find_listed(&now, name.data); number++) {
        text_free(&name);
        text_add(&name, "%s.%s-%d", model, look, number);
    }
    surface_source *same = name.failed ? NULL : find_listed(&before, name.data);
    if (same)
        s.name = same->name;
    else if (!name.failed)
        s.name = arena_text(&world->memory, name.data, name.length);
    text_free(&name);
    if (!s.name || !array_reserve(&world->surface, &world->surface_capacity, world->surfaces + 1, sizeof s))
        return fail_memory("listing the surfaces of a world", sizeof s);
    if (same) s.builder = same->builder, same->builder = NULL;
    world->surface[world->surfaces++] = s;
    return FIRN_OK;
}

static firn_status list_looks(firn_world *world, surface_list before, size_t member) {
    const world_member *m = &world->member[member];
    const model_drawing *d = m->kind->drawing;
    size_t count = d->look_count ? d->look_count(m->state) : 1;
    for (size_t i = 0; i < count; i++) {
        model_look look = d->look(m->state, i);
        surface_source source = {.kind = look.kind == MODEL_SOLID ? SURFACE_SOLID : SURFACE_PARTICLES,
                                 .member = member,
                                 .look = i};
        if (look.name) TRY(add_source(world, before, m->kind->name, look.name, source));
    }
    return FIRN_OK;
}

static firn_status list_all(firn_world *world, surface_list before) {
    for (size_t i = 0; i < world->members; i++)
        if (world->member[i].kind->drawing && world->member[i].kind->drawing->look)
            TRY(list_looks(world, before, i));
    for (size_t i = 0; i < world->members; i++) {
        const model_class *kind = world->member[i].kind;
        if (kind->drawing && kind->drawing->heights)
            TRY(add_source(world, before, kind->name, "", (surface_source){.kind = SURFACE_FIELD}));
    }
    if (world_has_cover(world))
        TRY(add_source(world, before, "cover", "", (surface_source){.kind = SURFACE_COVER}));
    return FIRN_OK;
}

static void builder_free(surface_builder *b) {
    if (!b) return;
    par_job_wait(b->job);
    isosurface_free(&b->made);
    isosurface_free(&b->shown);
    surface_copy_free(&b->copy);
    mem_free(b->values);
    mem_free(b);
}

firn_status world_list_surfaces(firn_world *world) {
    const surface_list before = {world->surface, world->surfaces};
    world->surface = NULL;
    world->surfaces = world->surface_capacity = 0;
    firn_status status = list_all(world, before);
    for (size_t i = 0; i < before.count; i++) builder_free(before.item[i].builder);
    mem_free(before.item);
    return status;
}

void world_surfaces_free(firn_world *world) {
    for (size_t i = 0; i < world->surfaces; i++) builder_free(world->surface[i].builder);
    mem_free(world->surface);
    world->surface = NULL;
    world->surfaces = world->surface_capacity = 0;
}
