// Solids are sheets, ropes and skins in a colour of their own, liquids of one colour are one surface.
#include <math.h>

#include "base/auto.h"
#include "pbd/pbd_material.h"
#include "pbd/pbd_kinds.h"

static const firn_pbd_def *def_of(const pbd *s) { return s->setting.def->pbd; }

static size_t liquid_count(const firn_pbd_def *def) {
    return def->fluid ? def->fluid->pools.count + def->fluid->spouts.count : 0;
}

static firn_vec3 liquid_color(const firn_pbd_fluid_def *def, size_t liquid) {
    size_t pools = def->pools.count;
    firn_vec3 own = liquid < pools ? def->pools.items[liquid].color : def->spouts.items[liquid - pools].color;
    return firn_is_auto(own.x) ? def->color : own;
}

static bool same_color(firn_vec3 a, firn_vec3 b) {
    return (firn_is_auto(a.x) && firn_is_auto(b.x)) || (a.x == b.x && a.y == b.y && a.z == b.z);
}

// The first liquid that has the colour of this one.
static size_t first_alike(const firn_pbd_def *def, size_t liquid) {
    size_t first = 0;
    while (!same_color(liquid_color(def->fluid, first), liquid_color(def->fluid, liquid))) first++;
    return first;
}

static size_t look_count(const void *model) {
    const firn_pbd_def *def = def_of(model);
    return def->solids.count + liquid_count(def);
}

// A lattice of one layer is a sheet of nx * ny, nx * nz or ny * nz particles; of one row, a rope.
static void find_sheet(const firn_pbd_solid_def *def, model_look *look) {
    const double n[3] = {def->lattice.x, def->lattice.y, def->lattice.z};
    int flat = 0;
    while (flat < 3 && n[flat] != 1) flat++;
    if (flat == 3) return;
    double columns = n[flat == 0 ? 1 : 0], rows = n[flat == 2 ? 1 : 2];
    look->columns = (uint32_t)(columns > 1 ? columns : rows);
    look->rows = (uint32_t)(columns > 1 ? rows : 1);
    bool linked = pbd_is_elastic(def) || def->links == FIRN_PBD_ALL_PAIRS ||
                  def->links == FIRN_PBD_NEIGHBOURS ||
                  (def->links == FIRN_PBD_DECIMATED && (firn_is_auto(def->near) || def->near > def->spacing));
    look->tears = linked && def->break_strain > 0;
}

static model_look solid_look(const firn_pbd_solid_def *def, size_t number) {
    static const firn_vec3 usual[6] = {
        {(double)0.75f, (double)0.30f, (double)0.10f}, {(double)0.10f, (double)0.35f, (double)0.65f},
        {(double)0.20f, (double)0.50f, (double)0.15f}, {(double)0.70f, (double)0.55f, (double)0.12f},
        {(double)0.45f, (double)0.20f, (double)0.50f}, {(double)0.10f, (double)0.50f, (double)0.50f}};
    model_look look = {.kind =
                           def->links == FIRN_PBD_LOOSE && !pbd_is_elastic(def) ? MODEL_SPHERES : MODEL_SOLID,
                       .name = def->name ? def->name : "solid",
                       .spacing = def->spacing,
                       .radius = auto_or(def->radius, def->spacing / 2),
                       .color = firn_is_auto(def->color.x) ? usual[number % 6] : def->color};
    if (look.kind == MODEL_SOLID) find_sheet(def, &look);
    return look;
}

// Liquids without a colour of their own are water. NULL: it is part of another's surface.
static const char *liquid_name(const firn_pbd_def *def, size_t liquid) {
    const firn_pbd_fluid_def *fluid = def->fluid;
    size_t pools = fluid->pools.count;
    if (first_alike(def, liquid) != liquid) return NULL;
    firn_vec3 own =
        liquid < pools ? fluid->pools.items[liquid].color : fluid->spouts.items[liquid - pools].color;
    const char *name =
        liquid < pools ? fluid->pools.items[liquid].name : fluid->spouts.items[liquid - pools].name;
    return firn_is_auto(own.x) || !name ? "water" : name;
}

static model_look look(const void *model, size_t number) {
    const firn_pbd_def *def = def_of(model);
    if (number < def->solids.count) {
        model_look solid = solid_look(&def->solids.items[number], number);
        if (((const pbd *)model)->groups[number].count == 0) solid.name = NULL; // it was removed
        return solid;
    }
    return (model_look){.kind = MODEL_LIQUID,
                        .name = liquid_name(def, number - def->solids.count),
                        .spacing = def->fluid->spacing,
                        .radius = def->fluid->spacing / 2,
                        .color = liquid_color(def->fluid, number - def->solids.count)};
}

static void look_of(const void *model, uint32_t *look) {
    const pbd *s = model;
    const firn_pbd_def *def = def_of(s);
    size_t solids = def->solids.count;
    for (size_t i = 0; i < s->p.count; i++) {
        uint32_t group = s->p.group[i];
        look[i] = group < solids ? group : (uint32_t)(solids + first_alike(def, group - solids));
    }
}

void pbd_walls(const void *model, double time, float low[3], float high[3]) {
    const void *box = pbd_data(model, &pbd_box);
    for (int k = 0; k < 3; k++) low[k] = -INFINITY, high[k] = INFINITY;
    if (!box) return;
    const pbd_room room = pbd_box_at(box, time, dvec(0, 0, 0));
    for (int k = 0; k < 3; k++) low[k] = room.low[k], high[k] = room.high[k];
}

static double foam_radius(const void *model) { return 0.1 * def_of(model)->fluid->spacing; }

const model_drawing pbd_drawing = {.position = "pbd.position",
                                   .link_ends = "pbd.links",
                                   .link_rest = "pbd.link_rest",
                                   .look_count = look_count,
                                   .look = look,
                                   .look_of = look_of,
                                   .skin = pbd_skin,
                                   .foam = "pbd.foam_position",
                                   .foam_velocity = "pbd.foam_velocity",
                                   .foam_radius = foam_radius,
                                   .walls = pbd_walls};
