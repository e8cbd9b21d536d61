// Surfaces of a world: which there are, a copy of the state that one is built from, and building it.
#ifndef WORLD_SURFACE_H
#define WORLD_SURFACE_H

#include <firn/surface.h>

#include "geom/height_mesh.h"
#include "geom/isosurface.h"
#include "geom/skin.h"
#include "world/cover.h"

typedef enum surface_kind { SURFACE_PARTICLES, SURFACE_SOLID, SURFACE_FIELD, SURFACE_COVER } surface_kind;

// What a solid of linked items looks like now. Memory is kept from one to the next.
typedef struct solid_form {
    enum { SOLID_AROUND, SOLID_SHEET, SOLID_ROPE, SOLID_SKIN } kind; // AROUND: the surface around its items
    model_look look;
    const shape_skin *skin; // one of its users
    uint8_t *held;          // see sheet.h
    size_t held_capacity;
    bool torn; // held is set
} solid_form;
// number: of the look; count: of its items, the first of which is item `first` of the model.
firn_status solid_form_find(const firn_world *world, size_t member, size_t number, size_t first, size_t count,
                            solid_form *f);
void solid_form_free(solid_form *f);
// Not of SOLID_AROUND. at, value: of its items; thickness (m): of sheets and ropes.
firn_status solid_form_build(const solid_form *f, const float (*at)[3], const float *value, uint32_t channels,
                             double thickness, surface *out);

// A surface that the world has.
typedef struct surface_source {
    const char *name;
    surface_kind kind;
    size_t member, look; // of particles and solids: the model's number in the world, and which of its looks
    struct surface_builder *builder; // NULL: nobody asked for it yet
} surface_source;

// What a surface is built from; holds while the world steps on. Memory is kept from copy to copy.
typedef struct surface_copy {
    surface_kind kind;
    firn_surface_options options;
    double time; // s
    // Particles and solids.
    model_look look;
    solid_form form;
    isosurface_walls walls;
    firn_vec3 near; // m; `at` counts from here
    float (*at)[3], *value;
    size_t count, at_capacity, value_capacity;
    // Of any kind: what the rows of numbers are.
    firn_surface_value *values;
    size_t value_count, values_capacity;
    uint32_t channels;
    // The field.
    firn_snowfield field;
    snowfield_copy whole; // of a field that is uneven where nothing happened
    int32_t *tile, *place;
    float *cells; // ground, depth, density of all tiles
    size_t tile_capacity, place_capacity, cell_capacity;
    // The cover.
    cover_grid grid;
    cover_floors floors;
    float *fill;
    size_t fill_capacity;
} surface_copy;

// Lists the surfaces of a world's models; when the world is made, and again when something was added or
// removed. If that fails the list is short, and whole again after the next change.
firn_status world_list_surfaces(firn_world *world);
void world_surfaces_free(firn_world *world); // waits for those that are being built

size_t world_surface_count(const firn_world *world);
const surface_source *world_surface_at(const firn_world *world, size_t index);

firn_status surface_check_options(const firn_surface_options *options);
firn_status surface_copy_take(const firn_world *world, const surface_source *source,
                              const firn_surface_options *options, surface_copy *copy);
void surface_copy_free(surface_copy *copy);
// On any thread. *volume may be NULL.
firn_status surface_build(const surface_copy *copy, surface *out, double *volume);

#endif
