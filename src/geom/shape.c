// Creates shapes from their defs and answers queries about them.
#include "geom/shape.h"

#include <assert.h>
#include <math.h>

#include "geom/shape_impl.h"
#include "geom/tessellate.h"

enum { DEPTH_MOST = 16 }; // unions in unions

static const double LEAST = 1e-6, MOST = 1e6; // m, of any size

firn_status shape_check_length(const char *name, const char *what, double value, double scale, float *out) {
    double size = value * scale;
    if (!(size >= LEAST && size <= MOST)) {
        return fail(FIRN_BAD_INPUT, "shape of '%s': %s must be between 1e-6 m and 1e6 m; scaled it is %g m",
                    name, what, size);
    }
    *out = (float)size;
    return FIRN_OK;
}

static firn_status check_vector(const char *name, const char *what, firn_vec3 v, double scale, float out[3]) {
    TRY(shape_check_length(name, what, v.x, scale, &out[0]));
    TRY(shape_check_length(name, what, v.y, scale, &out[1]));
    return shape_check_length(name, what, v.z, scale, &out[2]);
}

static firn_status read_primitive(const firn_shape_def *def, double scale, const char *name,
                                  shape_primitive *p) {
    p->kind = def->kind;
    switch (def->kind) {
    case FIRN_SHAPE_BOX: return check_vector(name, "size / 2", def->size, scale / 2, p->half);
    case FIRN_SHAPE_ELLIPSOID: return check_vector(name, "radii", def->radii, scale, p->half);
    case FIRN_SHAPE_SPHERE: return shape_check_length(name, "radius", def->radius, scale, &p->half[0]);
    case FIRN_SHAPE_CAPSULE:
    case FIRN_SHAPE_CYLINDER:
        TRY(shape_check_length(name, "radius", def->radius, scale, &p->half[0]));
        return shape_check_length(name, "length / 2", def->length, scale / 2, &p->half[1]);
    default: return FIRN_OK;
    }
}

static firn_status build_primitive(const firn_shape_def *def, double scale, const char *name, shape *s) {
    TRY(read_primitive(def, scale, name, &s->primitive));
    shape_measure_primitive(s);
    TRY(tessellate_primitive(&s->primitive, &s->mesh));
    return shape_probes_primitive(&s->primitive, &s->probes, &s->probe_count);
}

static firn_status build_kind(const firn_shape_def *def, double scale, const char *folder, const char *name,
                              int depth, shape *s) {
    switch (def->kind) {
    case FIRN_SHAPE_PLANE:
    case FIRN_SHAPE_BOX:
    case FIRN_SHAPE_SPHERE:
    case FIRN_SHAPE_ELLIPSOID:
    case FIRN_SHAPE_CAPSULE:
    case FIRN_SHAPE_CYLINDER: return build_primitive(def, scale, name, s);
    case FIRN_SHAPE_HEIGHT_MAP:
    case FIRN_SHAPE_HILLS: return shape_build_ground(def, scale, folder, name, s);
    case FIRN_SHAPE_UNION: return shape_build_union(def, scale, folder, name, depth, s);
    case FIRN_SHAPE_MESH:
    case FIRN_SHAPE_BINVOX:
    case FIRN_SHAPE_HARE:
    case FIRN_SHAPE_SNOWMAN:
    case FIRN_SHAPE_HOUSE:
    case FIRN_SHAPE_TREE:
    case FIRN_SHAPE_ROCK:
    case FIRN_SHAPE_FENCE:
    case FIRN_SHAPE_LAMP_POST: return shape_build_solid(def, scale, folder, name, s);
    default: return fail(FIRN_BAD_INPUT, "shape of '%s': unknown kind %d", name, (int)def->kind);
    }
}

firn_status shape_build(const firn_shape_def *def, double scale, const char *folder, const char *name,
                        int depth, shape **out) {
    *out = NULL;
    if (!(scale > 0 && isfinite(scale))) {
        return fail(FIRN_BAD_INPUT, "shape of '%s': scale must be larger than 0, not %g", name, scale);
    }
    if (depth > DEPTH_MOST) {
        return fail(FIRN_BAD_INPUT, "shape of '%s': unions are nested more than %d deep", name, DEPTH_MOST);
    }
    shape *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory("making a shape", sizeof *s);
    s->kind = def->kind;
    firn_status status = build_kind(def, scale, folder, name, depth, s);
    if (status != FIRN_OK) {
        shape_destroy(s);
        return status;
    }
    *out = s;
    return FIRN_OK;
}

firn_status shape_create(const firn_shape_def *def, double scale, const char *folder, const char *name,
                         shape **out) {
    return shape_build(def, scale, folder, name ? name : "?", 0, out);
}

void shape_destroy(shape *s) {
    if (!s) return;
    for (size_t i = 0; i < s->part_count; i++) shape_destroy(s->parts[i].shape);
    mem_free(s->parts);
    solid_release(s->solid);
    mem_free(s->ground_heights);
    mesh_free(&s->mesh);
    mem_free(s->probes);
    mem_free(s);
}

void shape_query(const shape *s, size_t n, const float *x, const float *y, const float *z, float *distance,
                 float *nx, float *ny, float *nz) {
    if (s->parts) {
        shape_query_union(s, n, x, y, z, distance, nx, ny, nz);
    } else if (s->solid) {
        shape_query_solid(s, n, x, y, z, distance, nx, ny, nz);
    } else if (s->ground_heights) {
        ISA_PICK(ground_query)(&s->ground, n, x, y, z, distance, nx, ny, nz);
    } else {
        ISA_PICK(primitive_query)(&s->primitive, n, x, y, z, distance, nx, ny, nz);
    }
}

double shape_sdf(const shape *s, firn_vec3 point, firn_vec3 *normal) {
    float x = (float)point.x, y = (float)point.y, z = (float)point.z, d, nx, ny, nz;
    shape_query(s, 1, &x, &y, &z, &d, &nx, &ny, &nz);
    if (normal) *normal = (firn_vec3){(double)nx, (double)ny, (double)nz};
    return (double)d;
}

firn_shape_kind shape_kind(const shape *s) { return s->kind; }

bool shape_bounds(const shape *s, firn_vec3 *low, firn_vec3 *high) {
    *low = s->low;
    *high = s->high;
    return s->bounded;
}

const mesh *shape_mesh(const shape *s) { return &s->mesh; }

double shape_thickness(const shape *s) { return s->thickness; }

bool shape_mass_of(const shape *s, shape_mass *out) {
    *out = s->mass;
    return s->bounded;
}

const shape_probe *shape_probes(const shape *s, size_t *count) {
    *count = s->probe_count;
    return s->probes;
}

const shape_heights *shape_height_map(const shape *s) { return s->heights.y ? &s->heights : NULL; }

static uint64_t mesh_bytes(const mesh *m) {
    uint64_t bytes = m->vertices * (sizeof *m->position + (m->normal ? sizeof *m->normal : 0));
    return bytes + m->triangles * sizeof *m->triangle;
}

// A shared solid is counted in full for each shape that uses it.
uint64_t shape_bytes(const shape *s) {
    uint64_t bytes = sizeof *s + s->probe_count * sizeof *s->probes + mesh_bytes(&s->mesh);
    if (s->ground_heights) bytes += (uint64_t)s->heights.nx * s->heights.nz * sizeof(float);
    if (s->solid) bytes += mesh_bytes(&s->solid->mesh) + levelset_bytes(s->solid->set);
    for (size_t i = 0; i < s->part_count; i++) bytes += sizeof s->parts[i] + shape_bytes(s->parts[i].shape);
    return bytes;
}
