// A look at the named arrays of the snow field.
#include "world/world_state.h"

#include <string.h>

#include "base/status.h"

firn_status firn_world_snowfield(const firn_world *world, firn_snowfield *out) {
    IN_WORLD(world);
    if (!out) return fail_null(__func__, "field");
    *out = (firn_snowfield){0};
    NEED(world);
    const void *model;
    const model_drawing *drawing = world_drawing(world, offsetof(model_drawing, heights), &model);
    if (!drawing) return fail(FIRN_BAD_INPUT, "this world has no snow field");
    drawing->heights->get(model, out);
    return FIRN_OK;
}

static bool nothing(firn_cells c) { return c.x0 >= c.x1 || c.z0 >= c.z1; }

static firn_cells both(firn_cells a, firn_cells b) {
    if (nothing(a)) return b;
    if (nothing(b)) return a;
    return (firn_cells){a.x0 < b.x0 ? a.x0 : b.x0, a.z0 < b.z0 ? a.z0 : b.z0, a.x1 > b.x1 ? a.x1 : b.x1,
                        a.z1 > b.z1 ? a.z1 : b.z1};
}

// Cells of a tile, counted from the field's corner.
static firn_cells in_field(const firn_snowfield *f, size_t tile, const int32_t in[4]) {
    int32_t x = f->place[2 * tile] * f->edge, z = f->place[2 * tile + 1] * f->edge;
    int32_t x1 = x + in[2], z1 = z + in[3];
    return (firn_cells){x + in[0], z + in[1], x1 < f->nx ? x1 : f->nx, z1 < f->nz ? z1 : f->nz};
}

// Changes of a tile that had another index; removes them from the list.
static firn_cells earlier_changes(firn_world *world, int32_t column, int32_t row) {
    struct tile_changes *list = world->changes.list;
    for (size_t i = world->changes.tiles; i < world->changes.count; i++) {
        if (list[i].column != column || list[i].row != row) continue;
        firn_cells cells = list[i].cells;
        list[i] = list[--world->changes.count];
        return cells;
    }
    return (firn_cells){0};
}

// Tiles come and go, and then get other numbers: the list follows them.
static firn_status renumber_changes(firn_world *world, const firn_snowfield *f) {
    size_t before = world->changes.tiles, most = world->changes.count + 2 * f->tiles;
    if (most > world->changes.capacity) most *= 2; // seldom
    if (!array_reserve(&world->changes.list, &world->changes.capacity, most, sizeof *world->changes.list))
        return fail_memory("noting changes of the snow field", most * sizeof *world->changes.list);
    struct tile_changes *list = world->changes.list;
    // Those of tiles with another number now go to the end.
    size_t keep = before < f->tiles ? before : f->tiles, grow = f->tiles - keep;
    memmove(list + before + grow, list + before, (world->changes.count - before) * sizeof *list);
    world->changes.count += grow;
    for (size_t t = before; t < f->tiles; t++)
        list[t] = (struct tile_changes){f->place[2 * t], f->place[2 * t + 1], {0}};
    world->changes.tiles = f->tiles; // from here on the others, also those of numbers that are gone
    for (size_t t = 0; t < keep; t++) {
        if (list[t].column == f->place[2 * t] && list[t].row == f->place[2 * t + 1]) continue;
        if (!nothing(list[t].cells)) list[world->changes.count++] = list[t];
        list[t] = (struct tile_changes){f->place[2 * t], f->place[2 * t + 1], {0}};
        list[t].cells = earlier_changes(world, list[t].column, list[t].row);
    }
    for (size_t t = before; t < f->tiles; t++)
        list[t].cells = earlier_changes(world, list[t].column, list[t].row);
    for (size_t i = f->tiles; i < world->changes.count;)
        if (nothing(list[i].cells))
            list[i] = list[--world->changes.count];
        else
            i++;
    return FIRN_OK;
}

firn_status world_note_changes(firn_world *world) {
    firn_snowfield f;
    if (!world->changes.wanted) return FIRN_OK;
    TRY(firn_world_snowfield(world, &f));
    TRY(renumber_changes(world, &f));
    for (size_t t = 0; t < f.tiles; t++) {
        const int32_t *in = f.touched + 4 * t;
        firn_cells now = in[0] < in[2] && in[1] < in[3] ? in_field(&f, t, in) : (firn_cells){0};
        world->changes.list[t].cells = both(world->changes.list[t].cells, now);
    }
    return FIRN_OK;
}

// All tiles there are, as if they had just changed.
static bool begin_noting(firn_world *world) {
    firn_snowfield f;
    if (firn_world_snowfield(world, &f) != FIRN_OK) return false;
    world->changes.wanted = true;
    if (world_note_changes(world) != FIRN_OK) {
        world->changes.wanted = false;
        return false;
    }
    const int32_t all[4] = {0, 0, f.edge, f.edge};
    for (size_t t = 0; t < f.tiles; t++) world->changes.list[t].cells = in_field(&f, t, all);
    return true;
}

size_t firn_world_snowfield_changes(firn_world *world, firn_cells *changes, size_t room) {
    IN_WORLD(world);
    NEED_OR(world, 0);
    NEED_OR(changes || room == 0, 0);
    size_t found = 0;
    if (!world->changes.wanted && !begin_noting(world)) return 0;
    for (size_t t = 0; t < world->changes.count && found < room; t++) {
        firn_cells *cells = &world->changes.list[t].cells;
        if (nothing(*cells)) continue;
        changes[found++] = *cells;
        *cells = (firn_cells){0};
    }
    return found;
}
