#include "geom/isosurface.h"

#include <assert.h>

#include "geom/mesh_fair.h"
#include "geom/surface_bricks.h"

static firn_status list_loose(const bool *loose, size_t count, surface *out) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += loose[i];
    out->loose = mem_alloc(found * sizeof *out->loose);
    if (!out->loose) return fail_memory("finding loose particles", found * sizeof *out->loose);
    for (size_t i = 0; i < count; i++)
        if (loose[i]) out->loose[out->loose_count++] = (uint32_t)i;
    return FIRN_OK;
}

static firn_status build(const isosurface_input *in, surface_bricks *t, bool *loose, surface *out) {
    surface_splat(t, loose);
    TRY(surface_march(t, out));
    TRY(mesh_fair(&out->mesh, in->smooth));
    return loose ? list_loose(loose, in->count, out) : FIRN_OK;
}

firn_status isosurface_build(const isosurface_input *in, surface *out) {
    assert(in->spacing > 0 && in->cell >= 0);
    *out = (surface){0};
    if (in->count >= UINT32_MAX)
        return fail(FIRN_UNSUPPORTED, "too many particles for a surface: more than 4 294 967 294");
    surface_bricks t;
    TRY(surface_bricks_build(in, &t));
    bool *loose = in->skip_loose ? mem_zero(in->count, sizeof *loose) : NULL;
    firn_status status = in->skip_loose && !loose ? fail_memory("finding loose particles", in->count)
                                                  : build(in, &t, loose, out);
    mem_free(loose);
    surface_bricks_free(&t);
    if (status != FIRN_OK) isosurface_free(out);
    return status;
}

void isosurface_free(surface *s) {
    mesh_free(&s->mesh);
    mem_free(s->value);
    mem_free(s->loose);
    *s = (surface){0};
}
