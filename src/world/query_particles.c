// Rays against the items of models: spheres, as they are drawn alone. Sorted when the first ray asks for
// them, and kept until the world changes.
#include <math.h>
#include <string.h>

#include "world/query.h"
#include "world/world_state.h"

#include "geom/sphere_tree.h"
#include "math/dvec.h"

struct world_spheres {
    size_t members;
    sphere_tree *tree; // by member; of those without items it is empty
    firn_vec3 *near;   // by member: where its tree counts from
};

void world_spheres_free(world_spheres *s) {
    if (!s) return;
    for (size_t i = 0; i < s->members; i++) sphere_tree_free(&s->tree[i]);
    mem_free(s->tree);
    mem_free(s->near);
    mem_free(s);
}

static const char *position_field(const world_member *member) {
    const firn_drawing *drawing = member->kind->drawing;
    return drawing && drawing->look ? drawing->position : NULL;
}

// Radii of all items: those of their looks. Flakes are not hit; they are drawn as a blur.
static firn_status find_radii(const world_member *member, size_t count, float *radius) {
    const firn_drawing *drawing = member->kind->drawing;
    size_t looks = drawing->look_count ? drawing->look_count(member->state) : 1;
    uint32_t *look = mem_zero(count, sizeof *look);
    float *of_look = mem_zero(looks + 1, sizeof *of_look);
    if (look && of_look) {
        for (size_t i = 0; i < looks; i++) {
            firn_look l = drawing->look(member->state, i);
            of_look[i] = l.kind == FIRN_LOOK_FLAKES ? 0 : (float)l.radius;
        }
        if (drawing->look_of) drawing->look_of(member->state, look);
        for (size_t i = 0; i < count; i++) radius[i] = look[i] < looks ? of_look[look[i]] : 0;
    }
    bool good = look && of_look;
    mem_free(look);
    mem_free(of_look);
    return good ? FIRN_OK : fail_memory("sorting particles for rays", count * sizeof *look);
}

static firn_status build_tree(const world_member *member, const firn_field *position, sphere_tree *tree,
                              firn_vec3 *near) {
    size_t count = position->count;
    float *radius = mem_zero(count + 1, sizeof *radius);
    float(*centre)[3] = mem_alloc(count * sizeof *centre);
    firn_status status = radius && centre ? find_radii(member, count, radius)
                                          : fail_memory("sorting particles for rays", count * sizeof *centre);
    if (status == FIRN_OK) {
        firn_vec3 first = dvec_whole_km(field_position(position, 0));
        *near = dvec_finite(first) ? first : dvec(0, 0, 0);
        for (size_t i = 0; i < count; i++) field_position_near(position, i, *near, centre[i]);
        status = sphere_tree_build(tree, centre[0], radius, count);
    }
    mem_free(radius);
    mem_free(centre);
    return status;
}

static firn_status build_all(firn_world *world, const firn_field *position) {
    world_spheres *s = world->spheres;
    if (!s || s->members != world->members) {
        world_spheres_free(s);
        world->spheres = s = mem_zero(1, sizeof *s);
        if (s) s->tree = mem_zero(world->members, sizeof *s->tree);
        if (s) s->near = mem_zero(world->members, sizeof *s->near);
        if (!s || !s->tree || !s->near) return fail_memory("sorting particles for rays", sizeof *s);
        s->members = world->members;
    }
    for (size_t i = 0; i < world->members; i++) {
        s->tree[i].count = 0;
        if (position[i].count > 0) TRY(build_tree(&world->member[i], &position[i], &s->tree[i], &s->near[i]));
    }
    return FIRN_OK;
}

firn_status world_find_spheres(const firn_world *reader, const world_spheres **out) {
    firn_world *world = (firn_world *)reader; // what is worked out for readers is no part of the state
    firn_field *position = mem_zero(world->members, sizeof *position);
    if (!position) return fail_memory("sorting particles for rays", world->members * sizeof *position);
    for (size_t i = 0; i < world->members; i++) {
        const char *name = position_field(&world->member[i]);
        for (size_t k = 0; name && k < world->fields; k++)
            if (strcmp(world->field[k].name, name) == 0) position[i] = firn_world_field_at(world, k);
        if (!field_has_positions(&position[i])) position[i].count = 0;
    }
    firn_status status = FIRN_OK;
    par_lock_take(&world->reading); // one reader sorts, the others wait for it
    if (!world->spheres_known) status = build_all(world, position);
    world->spheres_known = status == FIRN_OK;
    par_lock_release(&world->reading);
    mem_free(position);
    *out = status == FIRN_OK ? world->spheres : NULL;
    return status;
}

bool ray_particles(const firn_world *world, const world_spheres *s, const ray_way *r, firn_hit *hit) {
    double end = r->end;
    for (size_t i = 0; i < s->members; i++) {
        sphere_hit found;
        if (!sphere_tree_ray(&s->tree[i], dvec_sub(r->from, s->near[i]), r->along, end, &found)) continue;
        end = found.t;
        firn_vec3 at = dvec_add_scaled(r->from, r->along, found.t);
        *hit = (firn_hit){.what = FIRN_RAY_PARTICLES,
                          .body = SIZE_MAX,
                          .distance = found.t,
                          .point = at,
                          .normal = dvec_normalise(dvec_sub(at, dvec_add(s->near[i], found.centre))),
                          .model = world->member[i].kind->name,
                          .item = found.number};
    }
    return end < r->end;
}
