// Skins of solids: the surface of their shape, bound to their undeformed particles.
#include <string.h>

#include "geom/skin.h"
#include "geom/shape.h"
#include "pbd/pbd_batch.h"
#include "pbd/pbd_kinds.h"

void pbd_skins_free(pbd_skins *skins) {
    for (size_t i = 0; skins && i < skins->count; i++) skin_release(skins->item[i].skin);
    if (skins) mem_free(skins->item);
    mem_free(skins);
}

// A lattice is a box of whole cells.
static firn_shape_def form_of(const firn_pbd_solid_def *def) {
    if (!(def->lattice.x > 0)) return def->fill.shape;
    firn_shape_def box = firn_shape_def_default();
    box.kind = FIRN_SHAPE_BOX;
    box.size = dvec_scale(def->lattice, def->spacing);
    return box;
}

// The mesh as the solid stood at the start, counted from its place.
static firn_status rest_mesh(const pbd *s, const firn_pbd_solid_def *def, mesh *out) {
    const firn_shape_def form = form_of(def);
    const firn_quat rotation = dquat_from_angles(def->fill.rotate);
    shape *made;
    TRY(shape_create(&form, def->fill.scale, s->setting.def->folder, def->name ? def->name : "solid", &made));
    firn_status status = mesh_copy(shape_mesh(made), out);
    shape_destroy(made);
    TRY(status);
    for (size_t i = 0; i < out->vertices; i++) {
        firn_vec3 at = dquat_rotate(rotation, dvec_of_floats(out->position[i]));
        firn_vec3 normal = out->normal ? dquat_rotate(rotation, dvec_of_floats(out->normal[i])) : at;
        memcpy(out->position[i], (float[3]){(float)at.x, (float)at.y, (float)at.z}, sizeof *out->position);
        if (out->normal)
            memcpy(out->normal[i], (float[3]){(float)normal.x, (float)normal.y, (float)normal.z},
                   sizeof *out->normal);
    }
    return FIRN_OK;
}

// Pairs of a solid's particles that a constraint holds, each way: counted into first[], then listed in to[].
static void each_pair(const pbd *s, const pbd_group *group, uint32_t *first, uint32_t *to) {
    const pbd_batch *held[2] = {pbd_data(s, &pbd_distance), pbd_data(s, &pbd_cells)};
    for (int h = 0; h < 2; h++)
        for (size_t c = 0; held[h] && c < held[h]->count; c++)
            for (int a = 0; a < held[h]->arity; a++)
                for (int b = 0; b < held[h]->arity; b++) {
                    size_t i = held[h]->particle[(size_t)a * held[h]->count + c] - group->first;
                    size_t j = held[h]->particle[(size_t)b * held[h]->count + c] - group->first;
                    if (a == b || i >= group->count) continue; // below the first: wraps
                    if (to)
                        to[first[i + 1]++] = (uint32_t)j;
                    else
                        first[i + 2]++;
                }
}

static firn_status list_links(const pbd *s, const pbd_group *group, uint32_t **first, uint32_t **to) {
    *to = NULL;
    *first = mem_zero(group->count + 2, sizeof **first);
    if (!*first) return fail_memory("making a skin", group->count * sizeof **first);
    each_pair(s, group, *first, NULL);
    for (size_t i = 0; i < group->count; i++) (*first)[i + 2] += (*first)[i + 1];
    *to = mem_alloc(((*first)[group->count + 1] + (size_t)1) * sizeof **to);
    if (!*to) return fail_memory("making a skin", (*first)[group->count + 1] * sizeof **to);
    each_pair(s, group, *first, *to);
    return FIRN_OK;
}

static firn_status make_skin(const pbd *s, size_t number, shape_skin **out) {
    const firn_pbd_solid_def *def = &s->setting.def->pbd->solids.items[number];
    const pbd_group *group = &s->groups[number];
    mesh form = {0};
    uint32_t *first = NULL, *to = NULL;
    firn_status status = rest_mesh(s, def, &form);
    if (status == FIRN_OK && group->links > 0) status = list_links(s, group, &first, &to);
    const skin_links links = {first, to};
    if (status == FIRN_OK)
        status = skin_bind(&form, (const float(*)[3])s->p.rest + group->first, group->count,
                           def->lattice.x > 0 ? def->spacing * def->fill.scale : def->spacing,
                           to ? &links : NULL, out);
    mem_free(first);
    mem_free(to);
    mesh_free(&form);
    return status;
}

static bool is_torn(const pbd *s, size_t number) {
    const pbd_batch *held[2] = {pbd_data(s, &pbd_distance), pbd_data(s, &pbd_cells)};
    size_t left = 0;
    for (int k = 0; k < 2; k++)
        for (size_t c = 0; held[k] && c < held[k]->count; c++)
            left += s->p.group[held[k]->particle[c]] == number;
    return left < s->groups[number].links;
}

// Across a crack a skin would be stretched: what is torn is the surface around its particles.
firn_status pbd_skin(const void *model, size_t number, const shape_skin **out) {
    const pbd *s = model;
    pbd_skins *skins = s->skins;
    *out = NULL;
    const pbd_group *group = &s->groups[number];
    if (number >= s->setting.def->pbd->solids.count || group->count == 0) return FIRN_OK;
    if (skins->count <= number) {
        struct pbd_skin_item *more = mem_resize(skins->item, (number + 1) * sizeof *more);
        if (!more) return fail_memory("making a skin", (number + 1) * sizeof *more);
        memset(more + skins->count, 0, (number + 1 - skins->count) * sizeof *more);
        skins->item = more;
        skins->count = number + 1;
    }
    struct pbd_skin_item *item = &skins->item[number];
    if (is_torn(s, number))
        return FIRN_OK; // and it is bound by all its links, whichever frame is shown first
    if (!item->tried) {
        shape_skin *made = NULL;
        TRY(make_skin(s, number, &made));
        *item = (struct pbd_skin_item){made, true};
    }
    *out = item->skin;
    return FIRN_OK;
}
