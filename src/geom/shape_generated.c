// Shapes that are a solid times a factor: meshes, binvox files and generated shapes.
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "geom/shape_impl.h"

enum { BLOCK = 256 };

static bool from_file(firn_shape_kind kind) { return kind == FIRN_SHAPE_MESH || kind == FIRN_SHAPE_BINVOX; }

// Resolution is in the units of the def, before scale, like all its lengths.
static firn_status read_make(const firn_shape_def *def, double scale, const char *name, solid_make *make,
                             shape *s) {
    float height = 0;
    if (def->height != 0 || !from_file(def->kind)) {
        TRY(shape_check_length(name, "height", def->height, scale, &height));
        make->standing = true;
    }
    s->solid_scale = make->standing ? height : (float)scale;
    if (def->resolution == 0) return FIRN_OK;
    float cell;
    TRY(shape_check_length(name, "resolution", def->resolution, scale, &cell));
    // The scale cancels out, so that shapes that differ only in size share their solid to the last bit.
    make->cell = (float)(make->standing ? def->resolution / def->height : def->resolution);
    return FIRN_OK;
}

static firn_vec3 scaled(const float v[3], double scale) {
    return (firn_vec3){(double)v[0] * scale, (double)v[1] * scale, (double)v[2] * scale};
}

static void scale_mass(const shape_mass *from, double scale, shape_mass *to) {
    double cube = scale * scale * scale;
    to->volume = from->volume * cube;
    to->centre = (firn_vec3){from->centre.x * scale, from->centre.y * scale, from->centre.z * scale};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) to->inertia[i][j] = from->inertia[i][j] * cube * scale * scale;
    }
}

static firn_status copy_scaled(shape *s) {
    const solid *from = s->solid;
    TRY(mesh_copy(&from->mesh, &s->mesh));
    for (size_t i = 0; i < s->mesh.vertices; i++) {
        for (int k = 0; k < 3; k++) s->mesh.position[i][k] *= s->solid_scale;
    }
    s->probes = mem_alloc(from->probe_count * sizeof *s->probes);
    if (!s->probes) return fail_memory("making contact points", from->probe_count * sizeof *s->probes);
    for (size_t i = 0; i < from->probe_count; i++) {
        for (int k = 0; k < 3; k++) s->probes[i].at[k] = from->probes[i].at[k] * s->solid_scale;
        s->probes[i].radius = from->probes[i].radius * s->solid_scale;
    }
    s->probe_count = from->probe_count;
    return FIRN_OK;
}

static firn_status check_size(const shape *s, const char *name) {
    double longest = fmax(s->high.x - s->low.x, fmax(s->high.y - s->low.y, s->high.z - s->low.z));
    if (longest >= 1e-5 && longest <= 1e6) return FIRN_OK;
    return fail(FIRN_BAD_INPUT,
                "shape of '%s': it is %g m large after scaling; give it a height between 1e-5 m and 1e6 m",
                name, longest);
}

firn_status shape_build_solid(const firn_shape_def *def, double scale, const char *folder, const char *name,
                              shape *s) {
    char path[PATH_ROOM];
    solid_make make = {.kind = def->kind};
    if (!from_file(def->kind)) make.seed = def->seed < 2 ? 0 : (uint64_t)def->seed; // 0 and 1: the plain one
    TRY(read_make(def, scale, name, &make, s));
    if (def->kind == FIRN_SHAPE_TREE) make.style = (int32_t)def->species;
    if (def->kind == FIRN_SHAPE_FENCE) {
        float length;
        TRY(shape_check_length(name, "length", def->length, scale, &length));
        make.length = def->length / def->height;
    }
    if (from_file(def->kind)) {
        if (!def->file || !*def->file)
            return fail(FIRN_BAD_INPUT, "shape of '%s': a mesh needs a file", name);
        path_join(folder ? folder : ".", def->file, path, sizeof path);
        make.path = path;
    }
    TRY(solid_obtain(&make, name, &s->solid));
    double factor = (double)s->solid_scale;
    s->bounded = true;
    s->low = scaled(s->solid->low, factor);
    s->high = scaled(s->solid->high, factor);
    TRY(check_size(s, name));
    s->thickness = s->solid->thickness * factor;
    scale_mass(&s->solid->mass, factor, &s->mass);
    return copy_scaled(s);
}

// distance(p) = scale * distance of the solid(p / scale)
void shape_query_solid(const shape *s, size_t n, const float *x, const float *y, const float *z,
                       float *distance, float *nx, float *ny, float *nz) {
    const float scale = s->solid_scale, inverse = 1 / scale;
    float bx[BLOCK], by[BLOCK], bz[BLOCK];
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK;
        for (size_t i = 0; i < count; i++) {
            bx[i] = x[first + i] * inverse;
            by[i] = y[first + i] * inverse;
            bz[i] = z[first + i] * inverse;
        }
        levelset_query(s->solid->set, count, bx, by, bz, distance + first, nx ? nx + first : NULL,
                       nx ? ny + first : NULL, nx ? nz + first : NULL);
        for (size_t i = 0; i < count; i++) distance[first + i] *= scale;
    }
}
