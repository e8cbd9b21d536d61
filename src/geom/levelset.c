// Creates level sets: places the grid round the mesh, warns where the mesh is open or too fine.
#include "geom/levelset.h"

#include <math.h>

#include "geom/levelset_data.h"

enum { MAX_BLOCKS = 1 << 22 };
static const double LARGEST = 1e7;
static const float FINEST = 1e-6f;
static const double PADDING = 2.0; // cells between the mesh and the border of the box

// The box: whole blocks, with the mesh in its middle.
static firn_status place_box(levelset *l, const mesh *m, float cell, const char *name) {
    float low[3], high[3];
    mesh_bounds(m, low, high);
    double total = 1.0, block = LEVELSET_BLOCK * (double)cell, far = 0.0;
    for (int k = 0; k < 3; k++) {
        double count = ceil(((double)high[k] - (double)low[k] + 2.0 * PADDING * (double)cell) / block);
        total *= count;
        if (!(total <= MAX_BLOCKS)) break;
        double middle = 0.5 * ((double)low[k] + (double)high[k]);
        l->blocks[k] = (uint32_t)count;
        l->low[k] = (float)(middle - 0.5 * count * block);
        l->high[k] = (float)(middle + 0.5 * count * block);
        far = fmax(far, fmax(fabs((double)l->low[k]), fabs((double)l->high[k])));
    }
    if (!(total <= MAX_BLOCKS))
        return fail(FIRN_BAD_INPUT, "resolution %g m is too fine for mesh '%s' of %g x %g x %g m; try %g m",
                    (double)cell, name, (double)high[0] - (double)low[0], (double)high[1] - (double)low[1],
                    (double)high[2] - (double)low[2],
                    (double)fmaxf(high[0] - low[0], fmaxf(high[1] - low[1], high[2] - low[2])) / 48.0);
    if (far > LARGEST || cell < FINEST) // fourth powers of lengths must fit a float
        return fail(FIRN_BAD_INPUT,
                    "mesh '%s' extends to %g m from its origin, with a resolution of %g m; allowed are an "
                    "extent of at most %g m and a resolution of at least %g m",
                    name, far, (double)cell, LARGEST, (double)FINEST);
    if ((double)cell < 4e-6 * far)
        return fail(FIRN_BAD_INPUT,
                    "mesh '%s' is %g m away from its origin, too far for a resolution of %g m", name, far,
                    (double)cell);
    l->cell = cell;
    l->per_block = (float)(1.0 / block);
    l->top = mem_zero((size_t)total, sizeof *l->top);
    if (!l->top) return fail_memory("building a level set", (size_t)total * sizeof *l->top);
    return FIRN_OK;
}

static void warn_open(const mesh_defects *d, const char *name) {
    log_warning(
        "mesh '%s' is not closed: %zu open edges, %zu edges between inconsistently oriented triangles; "
        "inside and outside are estimated there",
        name, d->open_edges, d->flipped_edges);
}

static firn_status inspect(const mesh *m, float cell, const char *name, bool *closed) {
    if (!(cell > 0.0f) || !isfinite(cell))
        return fail(FIRN_BAD_INPUT, "the resolution of mesh '%s' must be positive, not %g", name,
                    (double)cell);
    if (!m->triangles) return fail(FIRN_BAD_INPUT, "mesh '%s' has no triangles", name);
    mesh_defects d;
    TRY(mesh_inspect(m, &d));
    if (d.non_finite)
        return fail(FIRN_BAD_INPUT, "mesh '%s' has %zu vertices that are not finite", name, d.non_finite);
    *closed = !d.open_edges && !d.flipped_edges;
    if (!*closed) warn_open(&d, name);
    return FIRN_OK;
}

static void warn_smoothed(const levelset *l, const char *name) {
    if (l->smoothed)
        log_warning("mesh '%s' has more detail than resolution %g m can hold; it is smoothed", name,
                    (double)l->cell);
}

void levelset_warn(const levelset *l, const mesh *m, const char *name) {
    mesh_defects d;
    if (mesh_inspect(m, &d) == FIRN_OK && (d.open_edges || d.flipped_edges)) warn_open(&d, name);
    warn_smoothed(l, name);
}

firn_status levelset_create(const mesh *m, float cell, const char *name, levelset **out) {
    *out = NULL;
    bool closed;
    TRY(inspect(m, cell, name, &closed));
    levelset *l = mem_zero(1, sizeof *l);
    if (!l) return fail_memory("building a level set", sizeof *l);
    firn_status status = place_box(l, m, cell, name);
    if (status == FIRN_OK) status = levelset_build(l, m, closed, name);
    if (status != FIRN_OK) {
        levelset_destroy(l);
        return status;
    }
    warn_smoothed(l, name);
    *out = l;
    return FIRN_OK;
}

void levelset_destroy(levelset *l) {
    if (!l) return;
    mem_free(l->top);
    mem_free(l->parts);
    mem_free(l->samples);
    mem_free(l);
}

static size_t block_count(const levelset *l) { return (size_t)l->blocks[0] * l->blocks[1] * l->blocks[2]; }

size_t levelset_bytes(const levelset *l) {
    return sizeof *l + block_count(l) * sizeof *l->top + l->groups * 64 * sizeof *l->parts +
           l->sample_count * sizeof *l->samples;
}

void levelset_query(const levelset *l, size_t n, const float *x, const float *y, const float *z,
                    float *distance, float *nx, float *ny, float *nz) {
    ISA_PICK(levelset_query_lanes)(l, n, x, y, z, distance, nx, ny, nz);
}
