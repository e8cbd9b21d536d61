// Particles to a smooth closed surface, for every model whose matter is particles.
//
// Each particle is a soft blob; their sum is a density that is 1 inside full matter, and the surface is where
// it is one half: there a flat border of a full body lies where the body was cut. Alone, a particle would
// stay below one half and vanish: particles of thin sheets, threads and loose pieces weigh more, so that
// their own place is always inside.
#ifndef GEOM_SURFACE_H
#define GEOM_SURFACE_H

#include "geom/mesh.h"

typedef struct surface_input {
    const float (*at)[3]; // m; what is not finite or farther out than four million cells is passed over
    size_t count;
    double spacing; // m, between neighbours of a full body: cube root of the volume of one particle
    double cell; // m, of the grid on which the surface is found; 0: spacing. Coarser is smoother and faster
    const float *value; // carried over to the vertices: count * channels; NULL: none
    uint32_t channels;
    unsigned smooth; // rounds of smoothing against bumps of single particles (mesh_fair.h); 0: none
    bool skip_loose; // leave out particles that are alone or nearly: somebody draws them as points
} surface_input;

typedef struct surface {
    mesh mesh;       // with normals from the gradient of the density
    float *value;    // mesh.vertices * channels: mean over the particles around, by their weight
    uint32_t *loose; // with skip_loose: numbers of the particles left out, ascending
    size_t loose_count;
} surface;

// The same particles in the same order give the same bits for any number of threads.
firn_status surface_build(const surface_input *in, surface *out);
void surface_free(surface *s);

// Mass per volume on a grid around all particles: `value` holds the mass of each (channels 1), spacing does
// not count, cell must be given. The sum over the nodes times the cube of the cell is the mass.
typedef struct surface_grid {
    float *density; // size[0] * size[1] * size[2], x fastest; NULL if there are no particles
    uint32_t size[3];
    double low[3]; // m, of the first node
    double cell;
} surface_grid;
firn_status surface_density(const surface_input *in, surface_grid *out);
void surface_grid_free(surface_grid *grid);

#endif
