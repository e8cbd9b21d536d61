/* firn: surfaces of snow, water and cloth as meshes, for viewers and games. A surface is built by another
   thread while the world steps on; asking for it changes no state. */
#ifndef FIRN_SURFACE_H
#define FIRN_SURFACE_H

#include <firn/mesh.h>
#include <firn/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The surfaces of a world, determined by its scene when it is created. Closed meshes, except "field":

   mpm            all snow of the model
   phase.snow     grains; phase.water: the liquid; phase.ice: water that froze
   pbd.water      liquids with the fluid's colour; those with a colour of their own have the name of their
                  pool or spout
   pbd.NAME       a solid: cloth (a lattice of one layer) as a thin sheet with holes where it is torn, a rope
                  (of one row) as a tube in as many pieces as it is torn to, others by the surface of their
                  shape, which moves with their particles; where links of such a solid are torn, and of loose
                  grains, the surface around the particles. A liquid with the name of a solid gets a number:
                  pbd.NAME-2
   field          the snow field: fine where it is uneven, coarse where it is flat; without a bottom
   cover          the snow cover of the wind */
FIRN_API size_t firn_world_surface_count(const firn_world *world); /* [world] */
FIRN_API const char *firn_world_surface_name(const firn_world *world,
                                             size_t index); /* [world] NULL: no such index */

typedef struct firn_surface_options {
    uint32_t cookie;  /* set by firn_surface_options_default() */
    double cell;      /* m, of the grid on which a surface of particles is found; coarser is smoother and
                         faster; auto, or finer than the spacing of the particles: their spacing */
    double smooth;    /* rounds of smoothing, a whole number from 0 to 100; auto: 2 for snow, 4 for
                         liquids, 0 for the cover. Not of cloth, ropes, skins and field */
    double thickness; /* m, of cloth and ropes, > 0; auto: a tenth of the spacing of cloth, two radii of the
                         particles of a rope */
    bool values;      /* vertices get the values of the particles: velocity, temperature, wetness ... */
    firn_vec3 eye;    /* m; of the field: detail that is smaller than a pixel from here is left out */
    double pixel;     /* rad, the angle of a pixel; 0: all detail is in the mesh */
    firn_vec3 origin; /* m; where vertices count from; 10 km from there a float is exact to a millimetre */
} firn_surface_options;
FIRN_API firn_surface_options firn_surface_options_default(void);

/* A quantity at the vertices: `components` numbers, the first at `offset` in each row. */
typedef struct firn_surface_value {
    const char *name; /* "mpm.velocity" */
    const char *unit; /* "m/s" */
    uint32_t components, offset;
} firn_surface_value;

typedef struct firn_surface {
    firn_mesh mesh;     /* belongs to the world */
    const float *value; /* mesh.vertices rows of `channels` numbers; NULL: none */
    uint32_t channels;  /* numbers per row */
    size_t value_count;
    const firn_surface_value *values; /* the quantities of a row */
    double time;                      /* s, simulated time that it shows */
    double volume;                    /* m3, inside the mesh; of the cover: of its snow; of the field: 0 */
    double seconds;                   /* wall time that building it took */
} firn_surface;

/* Begins to build a surface of the world as it is now, in parallel with whatever the world does next: only a
   copy of the data needed is made before it returns. While a surface is being built, another of the same name
   is not begun (of other names it is): *begun (may be NULL) says whether this one was. options NULL: the
   defaults. FIRN_BAD_INPUT if the world has no surface of that name. */
FIRN_API firn_status firn_world_surface_request(firn_world *world, const char *name,
                                                const firn_surface_options *options,
                                                bool *begun); /* [world] */
/* The newest finished surface; no vertices if there is none yet, or nothing to show. Never waits. The arrays
   are valid until the next call of this function or of firn_world_surface_wait with the same name, or until
   the world is closed. Errors while building are returned here. The same state gives the same mesh, on any
   number of threads. */
FIRN_API firn_status firn_world_surface(firn_world *world, const char *name,
                                        firn_surface *surface); /* [world] */
/* The same, after waiting for the one that is being built. */
FIRN_API firn_status firn_world_surface_wait(firn_world *world, const char *name,
                                             firn_surface *surface); /* [world] */

#ifdef __cplusplus
}
#endif
#endif
