// Isosurface of particles: a smooth closed mesh, for every particle model.
// Each particle is a smooth kernel; their sum is a density that is 1 inside filled regions, and the surface
// is the isosurface at one half, which reproduces flat boundaries. An isolated particle would stay below one
// half and vanish: particles of thin sheets, threads and loose pieces get a larger weight, so that their
// position is always inside.
#ifndef GEOM_ISOSURFACE_H
#define GEOM_ISOSURFACE_H

#include "geom/mesh.h"

// Flat walls that a liquid stands in; infinite: none on that side.
typedef struct isosurface_walls {
    float low[3], high[3];
} isosurface_walls;

typedef struct isosurface_input {
    const float (*at)[3]; // m; points that are not finite or farther out than four million cells are skipped
    size_t count;
    double spacing; // m, between neighbours of a full body: cube root of the volume of one particle
    double cell; // m, of the grid on which the surface is found; 0: spacing. Coarser is smoother and faster
    const float *value; // interpolated to the vertices: count * channels; NULL: none
    uint32_t channels;
    unsigned smooth; // rounds of smoothing against bumps of single particles (mesh_fair.h); 0: none
    bool skip_loose; // omit nearly isolated particles, which the caller draws as points
    const isosurface_walls *walls; // the surface ends at them, flat; NULL: none
} isosurface_input;

typedef struct surface {
    mesh mesh;       // with normals from the gradient of the density
    float *value;    // mesh.vertices * channels: mean over the particles around, by their weight
    uint32_t *loose; // with skip_loose: numbers of the particles left out, ascending
    size_t loose_count;
} surface;

// The same particles in the same order give the same bits for any number of threads.
firn_status isosurface_build(const isosurface_input *in, surface *out);
void isosurface_free(surface *s);

// Mass per volume on a grid around all particles: `value` holds the mass of each (channels 1), spacing does
// not count, cell must be given. The sum over the nodes times the cube of the cell is the mass.
typedef struct surface_grid {
    float *density; // size[0] * size[1] * size[2], x fastest; NULL if there are no particles
    uint32_t size[3];
    double low[3]; // m, of the first node
    double cell;
} surface_grid;
firn_status surface_density(const isosurface_input *in, surface_grid *out);
void surface_grid_free(surface_grid *grid);

#endif
