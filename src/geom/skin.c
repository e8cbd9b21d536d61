// Skins. With weights w_j of the particles R_j around a vertex X, their middle C = sum w R / W and the axes
// e_k and variances l_k of sum w (R - C)(R - C)^T / W, the vertex goes to x = c + sum_k (X - C)_k f_k. c is
// the middle of the particles now, and f_k the image of an axis: the least squares fit of the particles
// around, as far as l_k says anything about it, and for the rest the map M of the whole solid, turned by as
// little as takes its images of the axes before to theirs. So a single layer bends and turns like a sheet
// with its thickness, and a thin ear like a rope.
#include "geom/skin.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "math/dvec.h"
#include "math/eigen3.h"
#include "par/par.h"

enum { BLOCK = 256, FEWEST = 4 };
static const double REACH = 2.6, GROWTH = 1.4, FARTHEST = 8; // spacings: support radius
static const double UNSURE = 0.06; // spacings^2: variance of an axis that is half known
static const double EDGE = 0.75;   // spacings: longest edge of a triangle

typedef struct skin_share {
    uint32_t particle;
    float weight;  // w_j / W
    float axis[3]; // what it adds to f_k
} skin_share;

// The axes of some particles, by falling variance, and what is known of them.
typedef struct skin_axes {
    firn_vec3 middle, axis[3];
    float unknown[3]; // 0 .. 1
} skin_axes;

typedef struct skin_vertex {
    size_t first; // of its shares
    float axis[3][3];
    float unknown[3], arm[3], normal[3]; // along the axes
} skin_vertex;

struct firn_skin {
    mesh mesh;           // at rest
    skin_vertex *vertex; // one more than there are
    skin_share *share;
    size_t shares, capacity, particles;
    // Of the whole solid.
    firn_vec3 axis[3];
    float unknown[3];
    skin_share *whole; // of each particle
    atomic_int users;
};

// ---- particles by cells

typedef struct cells {
    const float (*at)[3];
    float low[3], size;
    int n[3];
    uint32_t *first, *item;
    const skin_links *links; // NULL: none
    uint32_t *mark, *stack;  // by particle, for keep_connected
} cells;

static int cell_of(const cells *g, float x, int axis) {
    float c = floorf((x - g->low[axis]) / g->size);
    return c < 0 ? 0 : c >= (float)g->n[axis] ? g->n[axis] - 1 : (int)c;
}

static size_t cell_at(const cells *g, const float p[3]) {
    return ((size_t)cell_of(g, p[2], 2) * (size_t)g->n[1] + (size_t)cell_of(g, p[1], 1)) * (size_t)g->n[0] +
           (size_t)cell_of(g, p[0], 0);
}

static firn_status cells_make(cells *g, const float (*at)[3], size_t count, double spacing,
                              const skin_links *links) {
    float high[3];
    *g = (cells){.at = at, .size = (float)(2 * spacing), .links = links};
    for (int k = 0; k < 3; k++) g->low[k] = INFINITY, high[k] = -INFINITY;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            g->low[k] = fminf(g->low[k], at[i][k]), high[k] = fmaxf(high[k], at[i][k]);
    double extent = 0;
    for (int k = 0; k < 3; k++) extent = fmax(extent, (double)(high[k] - g->low[k]));
    g->size = fmaxf(g->size, (float)(extent / 400)); // sparse shapes: a bound on the cells
    size_t total = 1;
    for (int k = 0; k < 3; k++) {
        g->n[k] = (int)((high[k] - g->low[k]) / g->size) + 1;
        total *= (size_t)g->n[k];
    }
    g->first = mem_zero(total + 2, sizeof *g->first);
    g->item = mem_alloc((count + 1) * sizeof *g->item);
    g->mark = mem_zero(count + 1, sizeof *g->mark);
    g->stack = mem_alloc((count + 1) * sizeof *g->stack);
    if (!g->first || !g->item || !g->mark || !g->stack)
        return fail_memory("making a skin", total * sizeof *g->first);
    for (size_t i = 0; i < count; i++) g->first[cell_at(g, at[i]) + 2]++;
    for (size_t c = 2; c < total + 2; c++) g->first[c] += g->first[c - 1];
    for (size_t i = 0; i < count; i++) g->item[g->first[cell_at(g, at[i]) + 1]++] = (uint32_t)i;
    return FIRN_OK;
}

static void cells_free(cells *g) {
    mem_free(g->first);
    mem_free(g->item);
    mem_free(g->mark);
    mem_free(g->stack);
}

// ---- binding

// Shares of the particles within `reach` of the vertex, with their weights; appended.
static firn_status add_shares(shape_skin *s, const cells *g, const float x[3], double reach) {
    int low[3], high[3];
    for (int k = 0; k < 3; k++)
        low[k] = cell_of(g, x[k] - (float)reach, k), high[k] = cell_of(g, x[k] + (float)reach, k);
    for (int cz = low[2]; cz <= high[2]; cz++)
        for (int cy = low[1]; cy <= high[1]; cy++) {
            size_t row = ((size_t)cz * (size_t)g->n[1] + (size_t)cy) * (size_t)g->n[0];
            for (size_t k = g->first[row + (size_t)low[0]]; k < g->first[row + (size_t)high[0] + 1]; k++) {
                firn_vec3 d = dvec_sub(dvec_of_floats(g->at[g->item[k]]), dvec_of_floats(x));
                double near = 1 - dvec_length2(d) / (reach * reach);
                if (!(near > 0)) continue;
                if (!array_reserve(&s->share, &s->capacity, s->shares + 1, sizeof *s->share))
                    return fail_memory("making a skin", (s->shares + 1) * sizeof *s->share);
                s->share[s->shares++] =
                    (skin_share){.particle = g->item[k], .weight = (float)(near * near * near)};
            }
        }
    return FIRN_OK;
}

// Of the shares from `first` on, those which links between them join to the nearest particle.
static void keep_connected(shape_skin *s, size_t first, const cells *g) {
    enum { AROUND = 1, JOINED = 2 };
    size_t nearest = first, depth = 0, kept = first;
    for (size_t k = first; k < s->shares; k++) {
        g->mark[s->share[k].particle] = AROUND;
        if (s->share[k].weight > s->share[nearest].weight) nearest = k;
    }
    g->stack[depth++] = s->share[nearest].particle;
    g->mark[s->share[nearest].particle] = JOINED;
    while (depth > 0) {
        uint32_t i = g->stack[--depth];
        for (uint32_t k = g->links->first[i]; k < g->links->first[i + 1]; k++) {
            uint32_t j = g->links->to[k];
            if (g->mark[j] != AROUND) continue;
            g->mark[j] = JOINED;
            g->stack[depth++] = j;
        }
    }
    for (size_t k = first; k < s->shares; k++) {
        skin_share one = s->share[k];
        if (g->mark[one.particle] == JOINED) s->share[kept++] = one;
        g->mark[one.particle] = 0;
    }
    s->shares = kept;
}

static void order_axes(firn_vec3 axis[3], double variance[3], int i, int k) {
    if (variance[i] >= variance[k]) return;
    double v = variance[i];
    firn_vec3 x = axis[i];
    variance[i] = variance[k], axis[i] = axis[k];
    variance[k] = v, axis[k] = x;
}

// Axes and variances of a symmetric matrix xx, xy, xz, yy, yz, zz.
static void find_axes(const double c[6], firn_vec3 axis[3], double variance[3]) {
    double trace = c[0] + c[3] + c[5], scale = trace > 0 ? 1 / trace : 0;
    eigen3 e = eigen3_of(sym3_of((float)(c[0] * scale), (float)(c[1] * scale), (float)(c[2] * scale),
                                 (float)(c[3] * scale), (float)(c[4] * scale), (float)(c[5] * scale)));
    axis[0] = dvec_normalise(dvec((double)e.u.x.x, (double)e.u.x.y, (double)e.u.x.z));
    firn_vec3 second = dvec((double)e.u.y.x, (double)e.u.y.y, (double)e.u.y.z);
    axis[1] = dvec_normalise(dvec_add_scaled(second, axis[0], -dvec_dot(second, axis[0])));
    axis[2] = dvec_cross(axis[0], axis[1]);
    for (int k = 0; k < 3; k++) {
        firn_vec3 u = axis[k];
        variance[k] = c[0] * u.x * u.x + c[3] * u.y * u.y + c[5] * u.z * u.z +
                      2 * (c[1] * u.x * u.y + c[2] * u.x * u.z + c[4] * u.y * u.z);
    }
    order_axes(axis, variance, 0, 1);
    order_axes(axis, variance, 1, 2);
    order_axes(axis, variance, 0, 1);
    axis[2] = dvec_cross(axis[0], axis[1]); // right-handed again
}

// Weights become shares. unsure: m2, the variance of an axis that is half known.
static void fit(skin_share *share, size_t count, const float (*at)[3], double unsure, skin_axes *out) {
    double weight = 0, c[6] = {0}, variance[3];
    firn_vec3 middle = {0};
    for (size_t k = 0; k < count; k++) {
        weight += (double)share[k].weight;
        middle = dvec_add_scaled(middle, dvec_of_floats(at[share[k].particle]), (double)share[k].weight);
    }
    middle = dvec_scale(middle, 1 / weight);
    for (size_t k = 0; k < count; k++) {
        double w = (double)share[k].weight / weight;
        firn_vec3 d = dvec_sub(dvec_of_floats(at[share[k].particle]), middle);
        c[0] += w * d.x * d.x, c[1] += w * d.x * d.y, c[2] += w * d.x * d.z;
        c[3] += w * d.y * d.y, c[4] += w * d.y * d.z, c[5] += w * d.z * d.z;
    }
    out->middle = middle;
    find_axes(c, out->axis, variance);
    for (int k = 0; k < 3; k++) out->unknown[k] = (float)(unsure / (fmax(variance[k], 0) + unsure));
    for (size_t i = 0; i < count; i++) {
        double w = (double)share[i].weight / weight;
        firn_vec3 d = dvec_sub(dvec_of_floats(at[share[i].particle]), middle);
        for (int k = 0; k < 3; k++)
            share[i].axis[k] = (float)(w * dvec_dot(d, out->axis[k]) / (fmax(variance[k], 0) + unsure));
        share[i].weight = (float)w;
    }
}

static void put_floats(float out[3], firn_vec3 v) {
    out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z;
}

// *bound: false if there are not enough particles around.
static firn_status bind_vertex(shape_skin *s, size_t v, const cells *g, double spacing, bool *bound) {
    skin_vertex *vertex = &s->vertex[v];
    vertex->first = s->shares;
    for (double reach = REACH; reach < FARTHEST && s->shares - vertex->first < FEWEST; reach *= GROWTH) {
        s->shares = vertex->first;
        TRY(add_shares(s, g, s->mesh.position[v], reach * spacing));
        if (g->links && s->shares > vertex->first) keep_connected(s, vertex->first, g);
    }
    *bound = s->shares - vertex->first >= FEWEST;
    if (!*bound) return FIRN_OK;
    skin_axes axes;
    fit(s->share + vertex->first, s->shares - vertex->first, g->at, UNSURE * spacing * spacing, &axes);
    firn_vec3 arm = dvec_sub(dvec_of_floats(s->mesh.position[v]), axes.middle),
              normal = dvec_of_floats(s->mesh.normal[v]);
    for (int k = 0; k < 3; k++) {
        put_floats(vertex->axis[k], axes.axis[k]);
        vertex->unknown[k] = axes.unknown[k];
        vertex->arm[k] = (float)dvec_dot(arm, axes.axis[k]);
        vertex->normal[k] = (float)dvec_dot(normal, axes.axis[k]);
    }
    return FIRN_OK;
}

static firn_status bind_all(shape_skin *s, const float (*at)[3], double spacing, const skin_links *links,
                            bool *bound) {
    TRY(mesh_divide(&s->mesh, EDGE * spacing));
    s->vertex = mem_zero(s->mesh.vertices + 1, sizeof *s->vertex);
    s->whole = mem_zero(s->particles, sizeof *s->whole);
    if (!s->vertex || !s->whole) return fail_memory("making a skin", s->mesh.vertices * sizeof *s->vertex);
    for (size_t i = 0; i < s->particles; i++)
        s->whole[i] = (skin_share){.particle = (uint32_t)i, .weight = 1};
    skin_axes axes;
    fit(s->whole, s->particles, at, 1e-6 * spacing * spacing, &axes);
    memcpy(s->axis, axes.axis, sizeof s->axis);
    memcpy(s->unknown, axes.unknown, sizeof s->unknown);
    cells g;
    firn_status status = cells_make(&g, at, s->particles, spacing, links);
    for (size_t v = 0; v < s->mesh.vertices && status == FIRN_OK && *bound; v++)
        status = bind_vertex(s, v, &g, spacing, bound);
    s->vertex[s->mesh.vertices].first = s->shares;
    cells_free(&g);
    return status;
}

firn_status skin_bind(const mesh *form, const float (*at)[3], size_t count, double spacing,
                      const skin_links *links, shape_skin **out) {
    *out = NULL;
    if (count < FEWEST || form->triangles == 0 || !form->normal) return FIRN_OK;
    shape_skin *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory("making a skin", sizeof *s);
    s->particles = count;
    atomic_init(&s->users, 1);
    bool bound = true;
    firn_status status = mesh_copy(form, &s->mesh);
    if (status == FIRN_OK) status = bind_all(s, at, spacing, links, &bound);
    if (status == FIRN_OK && bound)
        *out = s;
    else
        skin_release(s);
    return status;
}

const shape_skin *skin_hold(const shape_skin *s) {
    atomic_fetch_add(&((shape_skin *)s)->users, 1);
    return s;
}

void skin_release(const shape_skin *shared) {
    shape_skin *s = (shape_skin *)shared;
    if (!s || atomic_fetch_sub(&s->users, 1) > 1) return;
    mesh_free(&s->mesh);
    mem_free(s->vertex);
    mem_free(s->share);
    mem_free(s->whole);
    mem_free(s);
}

size_t skin_particles(const shape_skin *s) { return s->particles; }

// ---- moving

typedef struct skin_job {
    const shape_skin *s;
    const float (*at)[3];
    const float *value;
    uint32_t channels;
    surface *out;
    firn_vec3 map[3]; // images of x, y and z under the map of the whole solid
} skin_job;

static firn_vec3 apply(const firn_vec3 map[3], firn_vec3 v) {
    return dvec_add(dvec_add_scaled(dvec_scale(map[0], v.x), map[1], v.y), dvec_scale(map[2], v.z));
}

// Turns the map by the smallest rotation that takes `from` to the direction of `to`; about `axis` (a unit
// vector, NULL: any).
static void turn(firn_vec3 map[3], firn_vec3 from, firn_vec3 to, const firn_vec3 *axis) {
    if (axis) {
        from = dvec_add_scaled(from, *axis, -dvec_dot(from, *axis));
        to = dvec_add_scaled(to, *axis, -dvec_dot(to, *axis));
    }
    from = dvec_normalise(from);
    to = dvec_normalise(to);
    if (dvec_length2(from) == 0 || dvec_length2(to) == 0) return;
    firn_vec3 about = dvec_cross(from, to);
    double c = dvec_dot(from, to);
    firn_quat q = {1 + c, about.x, about.y, about.z};
    if (1 + c < 1e-9) { // straight back
        firn_vec3 any = axis ? *axis : dvec_perpendicular(from);
        q = (firn_quat){0, any.x, any.y, any.z};
    }
    q = dquat_normalise(q);
    for (int k = 0; k < 3; k++) map[k] = dquat_rotate(q, map[k]);
}

// known: what the particles say of the images of the axes; completed by the map, which is turned along.
static void complete(const firn_vec3 axis[3], const float unknown[3], firn_vec3 map[3], firn_vec3 known[3]) {
    for (int k = 0; k < 3; k++) {
        firn_vec3 image = apply(map, axis[k]);
        known[k] = dvec_add_scaled(known[k], image, (double)unknown[k]);
        firn_vec3 about = dvec_normalise(known[0]);
        if (k < 2) turn(map, image, known[k], k ? &about : NULL);
    }
}

// The map of the whole solid, from the identity.
static void find_map(skin_job *job) {
    const shape_skin *s = job->s;
    firn_vec3 map[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, image[3] = {{0}};
    for (size_t i = 0; i < s->particles; i++)
        for (int k = 0; k < 3; k++)
            image[k] = dvec_add_scaled(image[k], dvec_of_floats(job->at[i]), (double)s->whole[i].axis[k]);
    complete(s->axis, s->unknown, map, image);
    for (int k = 0; k < 3; k++) {
        const double part[3][3] = {{s->axis[0].x, s->axis[1].x, s->axis[2].x},
                                   {s->axis[0].y, s->axis[1].y, s->axis[2].y},
                                   {s->axis[0].z, s->axis[1].z, s->axis[2].z}};
        job->map[k] = apply(image, dvec(part[k][0], part[k][1], part[k][2]));
    }
}

static void blend_values(const skin_job *job, size_t v) {
    const shape_skin *s = job->s;
    for (uint32_t c = 0; c < job->channels; c++) {
        double value = 0;
        for (size_t k = s->vertex[v].first; k < s->vertex[v + 1].first; k++)
            value += (double)s->share[k].weight *
                     (double)job->value[s->share[k].particle * (size_t)job->channels + c];
        job->out->value[v * job->channels + c] = (float)value;
    }
}

static void move_block(void *context, size_t begin, size_t end) {
    const skin_job *job = context;
    for (size_t v = begin; v < end; v++) {
        const skin_vertex *vertex = &job->s->vertex[v];
        firn_vec3 place = {0}, f[3] = {{0}}, map[3], axis[3];
        for (size_t k = vertex[0].first; k < vertex[1].first; k++) {
            const skin_share *p = &job->s->share[k];
            firn_vec3 x = dvec_of_floats(job->at[p->particle]);
            place = dvec_add_scaled(place, x, (double)p->weight);
            for (int a = 0; a < 3; a++) f[a] = dvec_add_scaled(f[a], x, (double)p->axis[a]);
        }
        memcpy(map, job->map, sizeof map);
        for (int k = 0; k < 3; k++) axis[k] = dvec_of_floats(vertex->axis[k]);
        complete(axis, vertex->unknown, map, f);
        for (int k = 0; k < 3; k++) place = dvec_add_scaled(place, f[k], (double)vertex->arm[k]);
        // Normals go with the cofactors of the map.
        firn_vec3 n = dvec_scale(dvec_cross(f[1], f[2]), (double)vertex->normal[0]);
        n = dvec_add_scaled(n, dvec_cross(f[2], f[0]), (double)vertex->normal[1]);
        n = dvec_normalise(dvec_add_scaled(n, dvec_cross(f[0], f[1]), (double)vertex->normal[2]));
        put_floats(job->out->mesh.position[v], place);
        put_floats(job->out->mesh.normal[v], n);
        if (job->channels) blend_values(job, v);
    }
}

firn_status skin_build(const shape_skin *s, const float (*at)[3], const float *value, uint32_t channels,
                       surface *out) {
    *out = (surface){0};
    TRY(mesh_copy(&s->mesh, &out->mesh));
    if (!value) channels = 0;
    if (channels) {
        out->value = mem_alloc((s->mesh.vertices * channels + 1) * sizeof *out->value);
        if (!out->value) {
            isosurface_free(out);
            return fail_memory("moving a skin", s->mesh.vertices * channels * sizeof(float));
        }
    }
    skin_job job = {.s = s, .at = at, .value = value, .channels = channels, .out = out};
    find_map(&job);
    par_for(s->mesh.vertices, BLOCK, move_block, &job);
    return FIRN_OK;
}
