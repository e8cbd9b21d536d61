// Lines over a picture that show what the scene's own picture does not: neighbours, cells, cameras, and where
// the watchdog found something wrong. They are seen through everything.
#ifndef VIEW_MARKS_H
#define VIEW_MARKS_H

#include "drawer.h"

// Where the models of the world look for neighbours, m: the support radius of a kernel, the cells of mpm, the
// diameter of grains; 0: unknown.
double marks_search_radius(const firn_world *world, const char *model);

typedef struct marks_picture {
    uint8_t *rgba;
    int width, height;
    firn_camera camera;
} marks_picture;

void marks_neighbours(marks_picture *p, const firn_world *world, const picked *what, size_t *found);
void marks_grid(marks_picture *p, const firn_world *world, marks_cells *out);
void marks_camera(marks_picture *p, const firn_camera *camera);
// A ring around an item of a model, as the watchdog names it: "pbd", 12. false: it is not in the picture.
bool marks_item(marks_picture *p, const firn_world *world, const char *model, uint64_t item);

#endif
