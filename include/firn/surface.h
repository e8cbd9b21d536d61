/* firn: surfaces of snow, water and cloth as meshes, for viewers and games. A surface is built by another
   thread while the world steps on; asking for it changes no state. */
#ifndef FIRN_SURFACE_H
#define FIRN_SURFACE_H

#include <firn/mesh.h>
#include <firn/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The surfaces that a world has, known when it is made; the scene decides. Closed meshes, but for "field":

   mpm            all snow of the model
   phase.snow     grains, ice included; phase.water: what is liquid
   pbd.water      liquids of the colour that the fluid has; those with a colour of their own are called as
                  their pool or spout is
   pbd.NAME       a solid: cloth (a lattice of one layer) as a thin sheet with holes where it is torn, others
                  as the surface round their particles. A liquid whose name a solid has already gets a number:
                  pbd.NAME-2
   field          the snow field: fine where it is uneven, coarse where it is flat; without a bottom
   cover          the snow cover of the wind */
FIRN_API size_t firn_world_surface_count(const firn_world *world); /* [world] */
FIRN_API const char *firn_world_surface_name(const firn_world *world,
                                             size_t index); /* [world] NULL: no such index */

typedef struct firn_surface_options {
    uint32_t cookie;  /* set by firn_surface_options_default() */
    double cell;      /* m, of the grid on which a surface of particles is found; coarser is smoother and
                         faster; 0, or finer than their spacing: as that */
    int32_t smooth;   /* rounds of smoothing, at most 100; < 0: 2 of snow and solids, 4 of liquids, 0 of the
                         cover. Not of cloth and field */
    double thickness; /* m, of cloth; 0: a tenth of its spacing */
    bool values;      /* vertices get what the particles have: velocity, temperature, wetness ... */
    firn_vec3 eye;    /* m; of the field: unevenness that is smaller than a pixel from here is left out */
    double pixel;     /* rad, the angle of a pixel; 0: all of it is in the mesh */
} firn_surface_options;
FIRN_API firn_surface_options firn_surface_options_default(void);

/* Numbers of a vertex: components of them, the first at `offset` of its row. */
typedef struct firn_surface_value {
    const char *name; /* "mpm.velocity" */
    const char *unit; /* "m/s" */
    uint32_t components, offset;
} firn_surface_value;

typedef struct firn_surface {
    firn_mesh mesh;     /* belongs to the world */
    const float *value; /* mesh.vertices rows of `channels` numbers; NULL: none */
    uint32_t channels;  /* numbers of a row */
    size_t value_count;
    const firn_surface_value *values; /* what is in a row */
    double time;                      /* s, the moment that it shows */
    double volume;                    /* m3, inside the mesh; of the cover: of its snow; of the field: 0 */
    double seconds;                   /* of real time that building it took */
} firn_surface;

/* Begins to build a surface of the world as it is now, beside whatever the world does next: only a copy of
   what is needed is made before it returns. While that surface is being built no other of the same name is
   begun, different ones may be: *begun (may be NULL) says which it was. options NULL: the defaults.
   FIRN_BAD_INPUT if the world has no surface of that name. */
FIRN_API firn_status firn_world_surface_request(firn_world *world, const char *name,
                                                const firn_surface_options *options,
                                                bool *begun); /* [world] */
/* The newest that is finished; no vertices if none is yet, or if there is nothing. Never waits. The arrays
   hold until the next call of this function or of the next one with the same name, or until the world is
   closed. An error of building is returned here. The same state gives the same mesh, on any number of
   threads. */
FIRN_API firn_status firn_world_surface(firn_world *world, const char *name,
                                        firn_surface *surface); /* [world] */
/* The same, after waiting for the one that is being built. */
FIRN_API firn_status firn_world_surface_wait(firn_world *world, const char *name,
                                             firn_surface *surface); /* [world] */

#ifdef __cplusplus
}
#endif
#endif
