// Ground: height maps from files, and hills. Solid below the surface, cut off at its extents by vertical
// sides and by a bottom one tenth of the longer extent below the lowest place.
#include <math.h>

#include "base/file.h"
#include "geom/image.h"
#include "geom/proc.h"
#include "geom/shape_impl.h"
#include "geom/tessellate.h"

enum {
    HILL_STEPS = 192,   // samples along the longer side
    HILL_WAVES = 3,     // longest waves along the longer side
    MAP_MOST = 1 << 26, // samples of a map from a file
    NEAR_CELLS = 4,     // see ground_map.near_surface
    DRAWN_STEPS = 512,  // cells of the mesh along a side, at most
};

static firn_status alloc_heights(shape *s, uint32_t nx, uint32_t nz) {
    s->heights.nx = nx, s->heights.nz = nz;
    s->ground_heights = mem_alloc((size_t)nx * nz * sizeof(float));
    if (!s->ground_heights) return fail_memory("making ground", (size_t)nx * nz * sizeof(float));
    return FIRN_OK;
}

static uint32_t hill_samples(double size, double longer) {
    double steps = ceil(HILL_STEPS * size / longer - 1e-6);
    return (uint32_t)(steps < 4 ? 4 : steps) + 1;
}

static firn_status make_hills(const firn_shape_def *def, shape *s) {
    double longer = fmax(s->heights.size.x, s->heights.size.z);
    TRY(alloc_heights(s, hill_samples(s->heights.size.x, longer), hill_samples(s->heights.size.z, longer)));
    proc_hills(s->heights.nx, s->heights.nz, (double)HILL_WAVES / HILL_STEPS, (uint64_t)(uint32_t)def->seed,
               s->ground_heights);
    return FIRN_OK;
}

// The picture's rows run from the top, which is -z, as on a map seen from above with x to the right.
static firn_status read_map(const firn_shape_def *def, const char *folder, const char *name, shape *s) {
    char path[PATH_ROOM];
    if (!def->file || !*def->file)
        return fail(FIRN_BAD_INPUT, "shape of '%s': a height map needs a file", name);
    path_join(folder ? folder : ".", def->file, path, sizeof path);
    grey_map map;
    TRY(grey_map_read(path, &map));
    firn_status status = FIRN_OK;
    if (map.width < 2 || map.height < 2 || (uint64_t)map.width * map.height > MAP_MOST) {
        status = fail(FIRN_BAD_INPUT,
                      "shape of '%s': a height map has 2 x 2 to 8192 x 8192 samples, '%s' has %u x %u", name,
                      path, map.width, map.height);
    }
    if (status == FIRN_OK) status = alloc_heights(s, map.width, map.height);
    if (status == FIRN_OK) {
        for (size_t i = 0; i < (size_t)map.width * map.height; i++)
            s->ground_heights[i] = (float)map.value[i] / 65535.0f;
    }
    grey_map_free(&map);
    return status;
}

// Scales the heights, and finds lowest and highest place and the steepest slope.
static void measure_heights(shape *s, double *lowest, double *highest) {
    const shape_heights *h = &s->heights;
    float least = INFINITY, most = -INFINITY, height = (float)h->size.y;
    for (size_t i = 0; i < (size_t)h->nx * h->nz; i++) {
        float y = s->ground_heights[i] *= height;
        least = fminf(least, y);
        most = fmaxf(most, y);
    }
    *lowest = (double)least, *highest = (double)most;
}

// Slopes along x and z are steepest on the edges of a cell.
static double steepest(const shape *s) {
    uint32_t nx = s->heights.nx, nz = s->heights.nz;
    float along_x = 0, along_z = 0;
    for (uint32_t j = 0; j < nz; j++) {
        const float *row = s->ground_heights + (size_t)j * nx;
        for (uint32_t i = 0; i < nx; i++) {
            if (i + 1 < nx) along_x = fmaxf(along_x, fabsf(row[i + 1] - row[i]));
            if (j + 1 < nz) along_z = fmaxf(along_z, fabsf(row[i + nx] - row[i]));
        }
    }
    return hypot((double)along_x * (double)s->ground.cells_x, (double)along_z * (double)s->ground.cells_z);
}

static void set_map(shape *s, double bottom) {
    const shape_heights *h = &s->heights;
    double cells_x = (h->nx - 1) / h->size.x, cells_z = (h->nz - 1) / h->size.z;
    s->ground = (ground_map){
        .heights = s->ground_heights,
        .nx = (int)h->nx,
        .nz = (int)h->nz,
        .half_x = (float)(h->size.x / 2),
        .half_z = (float)(h->size.z / 2),
        .bottom = (float)bottom,
        .cells_x = (float)cells_x,
        .cells_z = (float)cells_z,
        .near_surface = (float)(NEAR_CELLS / fmin(cells_x, cells_z)),
    };
    double slope = steepest(s);
    s->ground.lean = (float)(1 / sqrt(1 + slope * slope));
}

// Columns of the cells, each as high as the mean of its corners.
static void measure_mass(shape *s) {
    const shape_heights *h = &s->heights;
    double dx = h->size.x / (h->nx - 1), dz = h->size.z / (h->nz - 1), bottom = (double)s->ground.bottom;
    shape_mass sum = {0};
    for (uint32_t j = 0; j + 1 < h->nz; j++) {
        for (uint32_t i = 0; i + 1 < h->nx; i++) {
            const float *a = s->ground_heights + (size_t)j * h->nx + i;
            double top = ((double)a[0] + (double)a[1] + (double)a[h->nx] + (double)a[h->nx + 1]) / 4,
                   tall = top - bottom;
            shape_mass column = {.volume = dx * dz * tall};
            column.centre = (firn_vec3){dx * (i + 0.5) - h->size.x / 2, (top + bottom) / 2,
                                        dz * (j + 0.5) - h->size.z / 2};
            column.inertia[0][0] = column.volume * (tall * tall + dz * dz) / 12;
            column.inertia[1][1] = column.volume * (dx * dx + dz * dz) / 12;
            column.inertia[2][2] = column.volume * (dx * dx + tall * tall) / 12;
            mass_add(&sum, &column);
        }
    }
    s->mass = sum;
}

firn_status shape_build_ground(const firn_shape_def *def, double scale, const char *folder, const char *name,
                               shape *s) {
    float size[3];
    TRY(shape_check_length(name, "size", def->size.x, scale, &size[0]));
    TRY(shape_check_length(name, "size", def->size.y, scale, &size[1]));
    TRY(shape_check_length(name, "size", def->size.z, scale, &size[2]));
    s->heights.size = (firn_vec3){(double)size[0], (double)size[1], (double)size[2]};
    if (def->kind == FIRN_SHAPE_HILLS) {
        TRY(make_hills(def, s));
    } else {
        TRY(read_map(def, folder, name, s));
    }
    double lowest, highest;
    measure_heights(s, &lowest, &highest);
    firn_vec3 extent = s->heights.size;
    double depth = fmax(extent.x, extent.z) / 10;
    set_map(s, lowest - depth);
    s->heights.y = s->ground_heights;
    s->bounded = true;
    s->low = (firn_vec3){-extent.x / 2, lowest - depth, -extent.z / 2};
    s->high = (firn_vec3){extent.x / 2, highest, extent.z / 2};
    s->thickness = fmin(depth, fmin(extent.x, extent.z));
    measure_mass(s);
    TRY(tessellate_ground(&s->ground, DRAWN_STEPS, &s->mesh));
    return shape_probes_mesh(&s->mesh, &s->probes, &s->probe_count);
}
