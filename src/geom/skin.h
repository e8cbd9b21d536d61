// The surface of a shape bound to particles: it moves and deforms with them.
#ifndef GEOM_SKIN_H
#define GEOM_SKIN_H

#include "geom/isosurface.h"

typedef struct firn_skin shape_skin; // does not change once it is made; shared by count

// Which particles hold each other: those of particle i are to[first[i] .. first[i + 1]).
typedef struct skin_links {
    const uint32_t *first, *to;
} skin_links;

// form: of the undeformed shape, with normals; at: the particles then, in the same frame. Triangles larger
// than the spacing are divided. Any rotation, translation and uniform strain of the particles is exactly that
// of the surface; elsewhere it follows the particles around each vertex. links: only those that hold together
// with the nearest one by others around the vertex, so that an ear does not pull at the other one's skin;
// NULL: all around. *out stays NULL if a vertex has hardly any particles near it.
firn_status skin_bind(const mesh *form, const float (*at)[3], size_t count, double spacing,
                      const skin_links *links, shape_skin **out);
const shape_skin *skin_hold(const shape_skin *s); // one more user
void skin_release(const shape_skin *s);           // the last one frees it; NULL is allowed
size_t skin_particles(const shape_skin *s);

// The surface for particles at `at` (any frame); value: of the particles, count * channels, NULL: none.
// The same bits for any number of threads.
firn_status skin_build(const shape_skin *s, const float (*at)[3], const float *value, uint32_t channels,
                       surface *out);

// Divides edges longer than `longest` (m) until there are none, at most eight times.
firn_status mesh_divide(mesh *m, double longest);

#endif
