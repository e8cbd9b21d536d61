// Solids of linked items: cloth as a sheet, ropes as tubes, others by their skin.
#include <string.h>

#include "base/auto.h"
#include "base/memory.h"
#include "geom/sheet.h"
#include "geom/tube.h"
#include "world/surface.h"
#include "world/world_state.h"

static const double SHEET_THICKNESS = 0.1; // spacings

void solid_form_free(solid_form *f) {
    mem_free(f->held);
    skin_release(f->skin);
    *f = (solid_form){0};
}

// Which neighbours of rows and columns are linked.
static firn_status find_held(const firn_world *world, const model_drawing *drawing, size_t first,
                             size_t count, solid_form *f) {
    firn_field ends = firn_world_field(world, drawing->link_ends);
    const uint32_t *end = ends.data;
    size_t links = ends.count / 2, columns = f->look.columns;
    if (!array_reserve(&f->held, &f->held_capacity, count, sizeof *f->held))
        return fail_memory("finding what is torn", count);
    memset(f->held, 0, count);
    f->torn = true;
    for (size_t k = 0; k < links; k++) {
        uint32_t a = end[k] < end[links + k] ? end[k] : end[links + k];
        uint32_t b = end[k] < end[links + k] ? end[links + k] : end[k];
        if (a < first || b - first >= count) continue;
        if (b - a == 1 && (b - first) % columns != 0) f->held[a - first] |= SHEET_ALONG_ROW;
        if (b - a == columns) f->held[a - first] |= SHEET_ALONG_COLUMN;
    }
    return FIRN_OK;
}

firn_status solid_form_find(const firn_world *world, size_t member, size_t number, size_t first, size_t count,
                            solid_form *f) {
    const model_drawing *d = world->member[member].kind->drawing;
    const void *model = world->member[member].state;
    skin_release(f->skin);
    f->skin = NULL;
    f->torn = false;
    f->kind = SOLID_AROUND;
    f->look = d->look(model, number);
    if (f->look.columns && count == (size_t)f->look.columns * f->look.rows) {
        f->kind = f->look.rows > 1 ? SOLID_SHEET : SOLID_ROPE;
        return f->look.tears && d->link_ends ? find_held(world, d, first, count, f) : FIRN_OK;
    }
    const shape_skin *found = NULL;
    if (d->skin) TRY(d->skin(model, number, &found));
    if (!found || skin_particles(found) != count) return FIRN_OK;
    f->skin = skin_hold(found);
    f->kind = SOLID_SKIN;
    return FIRN_OK;
}

firn_status solid_form_build(const solid_form *f, const float (*at)[3], const float *value, uint32_t channels,
                             double thickness, surface *out) {
    if (f->kind == SOLID_SKIN) return skin_build(f->skin, at, value, channels, out);
    if (f->kind == SOLID_ROPE) {
        const tube_input in = {.at = at,
                               .count = f->look.columns,
                               .held = f->torn ? f->held : NULL,
                               .radius = 0.5 * auto_or(thickness, 2 * f->look.radius),
                               .value = value,
                               .channels = channels};
        return tube_build(&in, out);
    }
    const sheet_input in = {.at = at,
                            .columns = f->look.columns,
                            .rows = f->look.rows,
                            .held = f->torn ? f->held : NULL,
                            .thickness = auto_or(thickness, SHEET_THICKNESS * f->look.spacing),
                            .value = value,
                            .channels = channels};
    return sheet_build_smooth(&in, out);
}
