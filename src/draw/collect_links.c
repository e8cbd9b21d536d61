// Links between items, as lines whose colour shows the strain.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "math/dvec.h"

enum { SIDES = 3, CORNERS = 2 * SIDES };
static const double FULL_STRAIN = 0.1; // the colours' ends

void collect_links_free(collect_links *links) {
    mem_free(links->mesh.position);
    mem_free(links->mesh.normal);
    mem_free(links->mesh.triangle);
    mem_free(links->colors);
    *links = (collect_links){0};
}

// From blue (squeezed) over a pale grey to red (stretched).
static void strain_color(double strain, float out[3]) {
    static const float blue[3] = {0.02f, 0.10f, 0.60f}, pale[3] = {0.62f, 0.60f, 0.56f},
                       red[3] = {0.65f, 0.03f, 0.02f};
    float t = (float)fmin(fmax(strain / FULL_STRAIN, -1), 1);
    const float *end = t < 0 ? blue : red;
    for (int a = 0; a < 3; a++) out[a] = pale[a] + fabsf(t) * (end[a] - pale[a]);
}

static firn_vec3 at(const float *p) { return dvec((double)p[0], (double)p[1], (double)p[2]); }

// A prism of three sides along the link.
static void add_link(collect_links *l, size_t k, firn_vec3 from, firn_vec3 to, double width, double strain) {
    firn_vec3 along = dvec_normalise(dvec_sub(to, from));
    if (dvec_length(along) == 0) along = dvec(0, 1, 0);
    firn_vec3 u = dvec_perpendicular(along), v = dvec_cross(along, u);
    float color[3];
    strain_color(strain, color);
    for (int c = 0; c < CORNERS; c++) {
        double angle = 2 * M_PI / SIDES * (c % SIDES);
        firn_vec3 n = dvec_add_scaled(dvec_scale(u, cos(angle)), v, sin(angle));
        firn_vec3 p = dvec_add_scaled(c < SIDES ? from : to, n, width);
        float *normal = l->mesh.normal[k * CORNERS + (size_t)c];
        normal[0] = (float)n.x, normal[1] = (float)n.y, normal[2] = (float)n.z;
        float *q = l->mesh.position[k * CORNERS + (size_t)c];
        q[0] = (float)p.x, q[1] = (float)p.y, q[2] = (float)p.z;
        memcpy(l->colors[k * CORNERS + (size_t)c], color, sizeof color);
    }
    for (uint32_t side = 0; side < SIDES; side++) {
        uint32_t first = (uint32_t)(k * CORNERS), a = first + side, b = first + (side + 1) % SIDES;
        memcpy(l->mesh.triangle[k * CORNERS + 2 * side], (uint32_t[3]){a, b, b + SIDES}, 3 * sizeof a);
        memcpy(l->mesh.triangle[k * CORNERS + 2 * side + 1], (uint32_t[3]){a, b + SIDES, a + SIDES},
               3 * sizeof a);
    }
}

firn_status collect_add_links(collector *g, const model_drawing *drawing, const void *model,
                              const draw_points *points, const uint32_t *look) {
    firn_field ends = firn_world_field(g->world, drawing->link_ends),
               rest = firn_world_field(g->world, drawing->link_rest);
    collect_links *l = &g->links;
    if (!ends.data || ends.count != 2 * rest.count || rest.count > UINT32_MAX / CORNERS) return FIRN_OK;
    size_t n = rest.count, room = n * CORNERS;
    if (!array_reserve(&l->mesh.position, &l->capacity[0], room, sizeof *l->mesh.position) ||
        !array_reserve(&l->mesh.triangle, &l->capacity[1], room, sizeof *l->mesh.triangle) ||
        !array_reserve(&l->mesh.normal, &l->capacity[3], room, sizeof *l->mesh.normal) ||
        !array_reserve(&l->colors, &l->capacity[2], room, sizeof *l->colors))
        return fail_memory("drawing links", room * sizeof *l->colors);
    const uint32_t *end = ends.data;
    const float *length = rest.data;
    l->mesh.vertices = l->mesh.triangles = room;
    for (size_t k = 0; k < n; k++) {
        if (end[k] >= points->count || end[n + k] >= points->count) return FIRN_OK;
        firn_vec3 a = at(points->at[end[k]]), b = at(points->at[end[n + k]]);
        double spacing = drawing->look(model, look[end[k]]).spacing;
        add_link(l, k, a, b, 0.05 * spacing, dvec_distance(a, b) / (double)length[k] - 1);
    }
    draw_mesh item = {.mesh = &l->mesh,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .colors = (const float(*)[3])l->colors,
                      .material = DRAW_MARKED};
    return n > 0 ? draw_list_mesh(&g->list, item) : FIRN_OK;
}
