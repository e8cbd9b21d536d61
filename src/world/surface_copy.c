// The copy of the state that a surface is built from, and building it.
#include "world/surface.h"

#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "base/cookie.h"
#include "base/memory.h"
#include "math/dvec.h"
#include "world/world_state.h"

enum { SMOOTH = 2, SMOOTH_LIQUID = 4, MOST_SMOOTH = 100 };

DEFAULT_COOKIE(firn_surface_options, .cell = FIRN_AUTO, .smooth = FIRN_AUTO, .thickness = FIRN_AUTO)

firn_status surface_check_options(const firn_surface_options *o) {
    double cell = auto_or(o->cell, 0), thickness = auto_or(o->thickness, 1);
    if (!(cell >= 0 && isfinite(cell)))
        return fail(FIRN_BAD_INPUT, "invalid cell %g m of a surface: must be 0 or more", cell);
    if (!(thickness > 0 && isfinite(thickness)))
        return fail(FIRN_BAD_INPUT, "invalid thickness %g m of a surface: must be more than 0", thickness);
    if (!(o->pixel >= 0 && isfinite(o->pixel)))
        return fail(FIRN_BAD_INPUT, "invalid pixel %g rad of a surface: must be 0 or more", o->pixel);
    double smooth = auto_or(o->smooth, 0);
    if (!(smooth >= 0 && smooth <= MOST_SMOOTH && smooth == floor(smooth)))
        return fail(FIRN_BAD_INPUT, "invalid smooth %g of a surface: must be a whole number from 0 to %d",
                    smooth, MOST_SMOOTH);
    if (!dvec_finite(o->origin))
        return fail(FIRN_BAD_INPUT, "invalid origin [%g, %g, %g] of a surface: must be finite", o->origin.x,
                    o->origin.y, o->origin.z);
    if (!isfinite(o->eye.x) || !isfinite(o->eye.y) || !isfinite(o->eye.z))
        return fail(FIRN_BAD_INPUT, "invalid eye [%g, %g, %g] of a surface: must be finite", o->eye.x,
                    o->eye.y, o->eye.z);
    return FIRN_OK;
}

static firn_status no_memory(size_t bytes) {
    return fail_memory("copying what a surface is built from", bytes);
}

static firn_status add_value(surface_copy *c, const char *name, const char *unit, uint32_t components) {
    if (!array_reserve(&c->values, &c->values_capacity, c->value_count + 1, sizeof *c->values))
        return no_memory(sizeof *c->values);
    c->values[c->value_count++] =
        (firn_surface_value){.name = name, .unit = unit, .components = components, .offset = c->channels};
    c->channels += components;
    return FIRN_OK;
}

// Shown floats of the model that `position` belongs to, one for each of its particles.
static bool is_value(const firn_field *f, const firn_field *position) {
    size_t prefix = strcspn(position->name, ".") + 1;
    return f->type == FIRN_F32 && (f->flags & FIRN_FIELD_SHOWN) && f->count == position->count &&
           strncmp(f->name, position->name, prefix) == 0 && strcmp(f->name, position->name) != 0;
}

static firn_status list_values(const firn_world *world, const firn_field *position, surface_copy *c) {
    for (size_t i = 0; i < firn_world_field_count(world); i++) {
        firn_field f = firn_world_field_at(world, i);
        if (is_value(&f, position)) TRY(add_value(c, f.name, f.unit, f.components));
    }
    return FIRN_OK;
}

// The items of the look, in their order; which of them they are goes to `item`.
static size_t copy_items(const firn_field *position, const uint32_t *look, uint32_t wanted, surface_copy *c,
                         uint32_t *item) {
    size_t count = 0;
    for (size_t i = 0; i < position->count; i++) {
        if (look && look[i] != wanted) continue;
        field_position_near(position, i, c->near, c->at[count]);
        item[count++] = (uint32_t)i;
    }
    return count;
}

static firn_status copy_values(const firn_world *world, const uint32_t *item, surface_copy *c) {
    if (!array_reserve(&c->value, &c->value_capacity, c->count * c->channels + 1, sizeof *c->value))
        return no_memory(c->count * c->channels * sizeof *c->value);
    for (size_t k = 0; k < c->value_count; k++) {
        const firn_surface_value *v = &c->values[k];
        const float *from = firn_world_field(world, v->name).data;
        for (size_t i = 0; i < c->count; i++)
            memcpy(c->value + i * c->channels + v->offset, from + (size_t)item[i] * v->components,
                   v->components * sizeof *from);
    }
    return FIRN_OK;
}

static firn_status copy_look(const firn_world *world, const surface_source *source, surface_copy *c,
                             const firn_field *position, uint32_t *look, uint32_t *item) {
    const model_drawing *d = world->member[source->member].kind->drawing;
    const void *model = world->member[source->member].state;
    if (d->look_of) d->look_of(model, look);
    c->count = copy_items(position, d->look_of ? look : NULL, (uint32_t)source->look, c, item);
    if (c->options.values) TRY(list_values(world, position, c));
    if (c->channels) TRY(copy_values(world, item, c));
    if (c->kind == SURFACE_SOLID && c->count)
        TRY(solid_form_find(world, source->member, source->look, item[0], c->count, &c->form));
    if (c->kind == SURFACE_SOLID && c->form.kind == SOLID_AROUND) c->kind = SURFACE_PARTICLES;
    return FIRN_OK;
}

static firn_status copy_particles(const firn_world *world, const surface_source *source, surface_copy *c) {
    const model_drawing *d = world->member[source->member].kind->drawing;
    const void *model = world->member[source->member].state;
    firn_field position = firn_world_field(world, d->position);
    size_t count = position.count;
    c->look = d->look(model, source->look);
    for (int k = 0; k < 3; k++) c->walls.low[k] = -INFINITY, c->walls.high[k] = INFINITY;
    if (c->look.kind == MODEL_LIQUID && d->walls) d->walls(model, c->time, c->walls.low, c->walls.high);
    if (count == 0 || !field_has_positions(&position)) return FIRN_OK;
    firn_vec3 near = dvec_whole_km(field_position(&position, 0));
    c->near = dvec_finite(near) ? near : dvec(0, 0, 0);
    const double from[3] = {c->near.x, c->near.y, c->near.z};
    for (int k = 0; k < 3; k++) c->walls.low[k] -= (float)from[k], c->walls.high[k] -= (float)from[k];
    uint32_t *look = mem_alloc(count * sizeof *look), *item = mem_alloc(count * sizeof *item);
    bool room = look && item && array_reserve(&c->at, &c->at_capacity, count, sizeof *c->at);
    firn_status status =
        room ? copy_look(world, source, c, &position, look, item) : no_memory(count * sizeof *c->at);
    mem_free(look);
    mem_free(item);
    return status;
}

// Tiles are copied where nothing else is needed; else all cells are.
static firn_status copy_field(const firn_world *world, surface_copy *c) {
    firn_snowfield f;
    TRY(firn_world_snowfield(world, &f));
    if (c->options.values) {
        const firn_heights_drawing *heights =
            world_drawing(world, offsetof(model_drawing, heights), NULL)->heights;
        TRY(add_value(c, heights->depth, "m", 1));
        TRY(add_value(c, heights->density, "kg/m3", 1));
    }
    if (!f.even) {
        TRY(snowfield_copy_make(&f, &c->whole));
        c->field = c->whole.field;
        return FIRN_OK;
    }
    size_t places = (size_t)f.columns * (size_t)f.rows, cells = f.tiles * (size_t)f.edge * (size_t)f.edge;
    if (!array_reserve(&c->tile, &c->tile_capacity, places, sizeof *c->tile) ||
        !array_reserve(&c->place, &c->place_capacity, 2 * f.tiles + 1, sizeof *c->place) ||
        !array_reserve(&c->cells, &c->cell_capacity, 3 * cells + 1, sizeof *c->cells))
        return no_memory(3 * cells * sizeof *c->cells);
    const float *const layer[3] = {f.ground, f.depth, f.density};
    memcpy(c->tile, f.tile, places * sizeof *c->tile);
    if (f.tiles) memcpy(c->place, f.place, 2 * f.tiles * sizeof *c->place);
    for (size_t k = 0; k < 3 && cells; k++) memcpy(c->cells + k * cells, layer[k], cells * sizeof *c->cells);
    f.tile = c->tile;
    f.place = c->place;
    f.ground = c->cells;
    f.depth = c->cells + cells;
    f.density = c->cells + 2 * cells;
    f.touched = NULL;
    c->field = f;
    return FIRN_OK;
}

static firn_status copy_cover(const firn_world *world, surface_copy *c) {
    TRY(world_cover_grid(world, &c->grid));
    TRY(world_cover_floors(world, &c->grid, &c->floors));
    size_t cells = (size_t)c->grid.n[0] * (size_t)c->grid.n[1] * (size_t)c->grid.n[2];
    if (!array_reserve(&c->fill, &c->fill_capacity, cells, sizeof *c->fill))
        return no_memory(cells * sizeof *c->fill);
    memcpy(c->fill, c->grid.fill, cells * sizeof *c->fill);
    c->grid.fill = c->fill;
    c->grid.smooth = (uint32_t)auto_or(c->options.smooth, 0);
    return FIRN_OK;
}

firn_status surface_copy_take(const firn_world *world, const surface_source *source,
                              const firn_surface_options *options, surface_copy *c) {
    c->kind = source->kind;
    c->options = *options;
    c->time = firn_world_time(world);
    c->count = c->value_count = 0;
    c->channels = 0;
    c->form.kind = SOLID_AROUND;
    c->near = dvec(0, 0, 0);
    switch (source->kind) {
    case SURFACE_FIELD: return copy_field(world, c);
    case SURFACE_COVER: return copy_cover(world, c);
    default: return copy_particles(world, source, c);
    }
}

void surface_copy_free(surface_copy *c) {
    void *const lists[] = {c->at, c->value, c->values, c->tile, c->place, c->cells, c->fill, c->floors.floor};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) mem_free(lists[i]);
    snowfield_copy_free(&c->whole);
    solid_form_free(&c->form);
    *c = (surface_copy){0};
}

static firn_status build_particles(const surface_copy *c, surface *out) {
    bool liquid = c->look.kind == MODEL_LIQUID;
    *out = (surface){0};
    if (c->count == 0) return FIRN_OK;
    isosurface_input in = {.at = (const float(*)[3])c->at,
                           .count = c->count,
                           .spacing = c->look.spacing,
                           .cell = fmax(auto_or(c->options.cell, 0), c->look.spacing),
                           .value = c->channels ? c->value : NULL,
                           .channels = c->channels,
                           .smooth = (unsigned)auto_or(c->options.smooth, liquid ? SMOOTH_LIQUID : SMOOTH),
                           .walls = liquid ? &c->walls : NULL};
    return isosurface_build(&in, out);
}

static firn_status field_values(const surface_copy *c, const height_mesh *m, surface *out) {
    const firn_snowfield *f = &c->field;
    size_t count = m->mesh.vertices;
    if (c->channels == 0) return FIRN_OK;
    out->value = mem_alloc((2 * count + 1) * sizeof *out->value);
    if (!out->value) return fail_memory("building the surface of the snow field", 2 * count * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        int32_t x = m->corner[i][0], z = m->corner[i][1];
        bool known = x >= 0;
        out->value[2 * i] =
            known ? height_corner_mean(f, f->depth, f->plain_depth, x, z) : (float)f->plain_depth;
        out->value[2 * i + 1] =
            known ? height_corner_mean(f, f->density, f->plain_density, x, z) : (float)f->plain_density;
    }
    return FIRN_OK;
}

static firn_status build_field(const surface_copy *c, surface *out) {
    const firn_surface_options *o = &c->options;
    height_mesh_look look = {.eye = {(float)o->eye.x, (float)o->eye.y, (float)o->eye.z},
                             .pixel = (float)o->pixel};
    height_mesh m = {0};
    *out = (surface){0};
    firn_status status = height_mesh_build(&c->field, &look, &m);
    if (status == FIRN_OK) status = field_values(c, &m, out);
    if (status == FIRN_OK) {
        out->mesh = m.mesh;
        m.mesh = (mesh){0};
    }
    height_mesh_free(&m);
    return status;
}

// From where the copy counts from to where the caller does.
static void move_mesh(const surface_copy *c, mesh *m) {
    firn_vec3 by = dvec_sub(c->near, c->options.origin);
    if (by.x == 0 && by.y == 0 && by.z == 0) return;
    for (size_t i = 0; i < m->vertices; i++) {
        firn_vec3 at = dvec_add(dvec_of_floats(m->position[i]), by);
        memcpy(m->position[i], (float[3]){(float)at.x, (float)at.y, (float)at.z}, sizeof m->position[i]);
    }
}

firn_status surface_build(const surface_copy *c, surface *out, double *volume) {
    *out = (surface){0};
    if (volume) *volume = 0;
    switch (c->kind) {
    case SURFACE_PARTICLES: TRY(build_particles(c, out)); break;
    case SURFACE_SOLID:
        TRY(solid_form_build(&c->form, (const float(*)[3])c->at, c->channels ? c->value : NULL, c->channels,
                             c->options.thickness, out));
        break;
    case SURFACE_FIELD: TRY(build_field(c, out)); break;
    case SURFACE_COVER: TRY(cover_surface(&c->grid, &out->mesh)); break;
    }
    if (volume && c->kind != SURFACE_FIELD)
        *volume = c->kind == SURFACE_COVER ? cover_volume(&c->grid) : mesh_volume(&out->mesh);
    move_mesh(c, &out->mesh);
    return FIRN_OK;
}
