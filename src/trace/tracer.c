// What is there, as Embree holds it: built by one thread, so that its tree, and with it the one of two
// surfaces at the same distance that is found, does not depend on how many there are.
#include "trace/trace.h"

#if FIRN_HAVE_EMBREE
#include <string.h>

#include "trace/inside.h"

static firn_status no_room(void) { return fail_memory("preparing to trace rays", 0); }

static firn_status add_geometry(tracer *t, RTCGeometry geometry, tracer_item item) {
    bool plain = item.material == TRACE_PLAIN;
    t->rtc.rtcCommitGeometry(geometry);
    t->rtc.rtcAttachGeometryByID(plain ? t->drawings : t->embree, geometry, (unsigned)t->embree_count);
    t->rtc.rtcReleaseGeometry(geometry);
    t->items[t->embree_count++] = item;
    if (item.material == TRACE_WATER) t->water = true;
    if (plain) t->drawn = true;
    return FIRN_OK;
}

// Where a vertex is when the shutter opens (time 0) and when it closes (1).
static v3 vertex_end(const trace_mesh *m, size_t i, int time) {
    v3 p = v3_of(m->mesh->position[i]), now = v3_add(v3_turn(m->rotation, p), v3_of(m->at));
    if (time == 1 || !m->moving) return now;
    v3 then = v3_add(v3_turn(m->before_rotation, p), v3_of(m->before_at));
    return m->way ? v3_sub(then, v3_of(m->way[i])) : then;
}

static v3 vertex_at(const trace_mesh *m, size_t i, float time) {
    v3 end = vertex_end(m, i, 1);
    return m->moving ? v3_mix(vertex_end(m, i, 0), end, time) : end;
}

static v3 normal_at(const trace_mesh *m, size_t i, float time) {
    v3 n = v3_of(m->mesh->normal[i]), end = v3_turn(m->rotation, n);
    return m->moving ? v3_mix(v3_turn(m->before_rotation, n), end, time) : end;
}

static bool fill_vertices(const tracer *t, RTCGeometry g, const trace_mesh *m) {
    unsigned times = m->moving ? 2 : 1;
    t->rtc.rtcSetGeometryTimeStepCount(g, times);
    for (unsigned k = 0; k < times; k++) {
        float(*at)[3] = t->rtc.rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, k, RTC_FORMAT_FLOAT3, 12,
                                                       m->mesh->vertices);
        if (!at) return false;
        for (size_t i = 0; i < m->mesh->vertices; i++) {
            v3 p = vertex_end(m, i, k + 1 == times);
            at[i][0] = p.x, at[i][1] = p.y, at[i][2] = p.z;
        }
    }
    return true;
}

static firn_status add_mesh(tracer *t, const trace_mesh *m) {
    if (m->mesh->triangles == 0) return FIRN_OK;
    RTCGeometry g = t->rtc.rtcNewGeometry(t->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!g) return no_room();
    uint32_t(*corner)[3] =
        t->rtc.rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, m->mesh->triangles);
    if (!corner || !fill_vertices(t, g, m)) {
        t->rtc.rtcReleaseGeometry(g);
        return no_room();
    }
    memcpy(corner, m->mesh->triangle, m->mesh->triangles * sizeof *corner);
    return add_geometry(t, g, (tracer_item){.kind = TRACER_MESH, .material = m->material, .mesh = m});
}

static v3 centre_at(const trace_spheres *s, size_t i, float time) {
    v3 at = v3_of(s->at[i]);
    return s->way ? v3_fma(at, v3_of(s->way[i]), time - 1) : at;
}

static bool fill_centres(const tracer *t, RTCGeometry g, const trace_spheres *s) {
    unsigned times = s->way ? 2 : 1;
    t->rtc.rtcSetGeometryTimeStepCount(g, times);
    for (unsigned k = 0; k < times; k++) {
        float(*at)[4] =
            t->rtc.rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, k, RTC_FORMAT_FLOAT4, 16, s->count);
        if (!at) return false;
        for (size_t i = 0; i < s->count; i++) {
            v3 p = centre_at(s, i, k + 1 == times);
            bool there = isfinite(p.x + p.y + p.z);
            at[i][0] = there ? p.x : 0, at[i][1] = there ? p.y : 0, at[i][2] = there ? p.z : 0;
            at[i][3] = there ? s->radius : 0;
        }
    }
    return true;
}

static firn_status add_spheres(tracer *t, const trace_spheres *s) {
    if (s->count == 0) return FIRN_OK;
    RTCGeometry g = t->rtc.rtcNewGeometry(t->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    if (!g) return no_room();
    if (!fill_centres(t, g, s)) {
        t->rtc.rtcReleaseGeometry(g);
        return no_room();
    }
    return add_geometry(t, g, (tracer_item){.kind = TRACER_SPHERES, .material = s->material, .spheres = s});
}

static void set_camera(tracer *t, int k, const float from[3], const float to[3], int width, int height) {
    v3 eye = v3_of(from), forward = v3_sub(v3_of(to), eye), above = {0, 1, 0};
    forward = v3_length(forward) < 1e-9f ? (v3){0, 0, -1} : v3_unit(forward);
    if (fabsf(forward.y) > 0.9999f) above = (v3){0, 0, -1};
    v3 right = v3_unit(v3_cross(forward, above)), up = v3_cross(right, forward);
    float tangent = 0.5f / t->scene->camera.lens;
    t->eye[k] = eye;
    t->forward[k] = forward;
    t->right[k] = v3_scale(right, tangent);
    t->up[k] = v3_scale(up, tangent * (float)height / (float)width);
    t->pixel = 2 * tangent / (float)width;
}

static firn_status build(tracer *t) {
    const trace_scene *s = t->scene;
    // An array of all that is there plus one, since there may be nothing.
    t->item_count = s->mesh_count + s->sphere_count + s->plane_count + 1;
    t->items = mem_zero(t->item_count, sizeof *t->items);
    t->device = t->rtc.rtcNewDevice("threads=1,set_affinity=0");
    t->embree = t->device ? t->rtc.rtcNewScene(t->device) : NULL;
    t->drawings = t->device ? t->rtc.rtcNewScene(t->device) : NULL;
    if (!t->items || !t->embree || !t->drawings) return no_room();
    t->rtc.rtcSetSceneFlags(t->embree, RTC_SCENE_FLAG_ROBUST);
    t->rtc.rtcSetSceneBuildQuality(t->embree, RTC_BUILD_QUALITY_MEDIUM);
    for (size_t i = 0; i < s->mesh_count; i++) TRY(add_mesh(t, &s->meshes[i]));
    for (size_t i = 0; i < s->sphere_count; i++) TRY(add_spheres(t, &s->spheres[i]));
    t->rtc.rtcCommitScene(t->embree);
    t->rtc.rtcCommitScene(t->drawings);
    size_t next = t->embree_count;
    for (size_t i = 0; i < s->plane_count; i++)
        t->items[next++] =
            (tracer_item){.kind = TRACER_PLANE, .material = s->planes[i].material, .plane = &s->planes[i]};
    t->item_count = next;
    enum RTCError wrong = t->rtc.rtcGetDeviceError(t->device);
    if (wrong == RTC_ERROR_OUT_OF_MEMORY) return no_room();
    return wrong ? fail(FIRN_UNSUPPORTED, "Embree could not take the scene: error %d", (int)wrong) : FIRN_OK;
}

firn_status embree_open(embree *rtc) {
    static const char *const files[] = {"libembree3.so." LIBRARY_TEXT(RTC_VERSION_MAJOR), NULL},
                             *const names[] = {EMBREE_CALLS(LIBRARY_NAME) NULL};
    return library_open(&(library){files, names, "draw pictures of final quality", "libembree3"}, rtc);
}

firn_status tracer_open(tracer *t, const trace_scene *scene, int width, int height) {
    const trace_camera *c = &scene->camera;
    *t = (tracer){.scene = scene, .sun = v3_unit(v3_of(scene->light.sun))};
    TRY(embree_open(&t->rtc));
    set_camera(t, 0, c->before_from, c->before_to, width, height);
    set_camera(t, 1, c->from, c->to, width, height);
    firn_status status = build(t);
    if (status != FIRN_OK) tracer_close(t);
    return status;
}

void tracer_close(tracer *t) {
    if (t->embree) t->rtc.rtcReleaseScene(t->embree);
    if (t->drawings) t->rtc.rtcReleaseScene(t->drawings);
    if (t->device) t->rtc.rtcReleaseDevice(t->device);
    mem_free(t->items);
    *t = (tracer){0};
}

float tracer_lift(const tracer *t, v3 p) {
    (void)t;
    return 2e-5f + 1e-5f * (fabsf(p.x) + fabsf(p.y) + fabsf(p.z));
}

trace_ray tracer_ray(const tracer *t, v3 from, v3 way, float far, float time) {
    return (trace_ray){from, way, tracer_lift(t, from), far, time};
}

static v3 mixed(const float (*a)[3], const uint32_t c[3], float u, float v) {
    return v3_fma(v3_fma(v3_scale(v3_of(a[c[0]]), 1 - u - v), v3_of(a[c[1]]), u), v3_of(a[c[2]]), v);
}

// The smooth normal, and the smooth surface over a flat triangle, from the planes of its corners' normals:
// else coarse faces would shade themselves where light is low (Hanika 2021).
static void fill_smooth(const trace_mesh *m, const uint32_t c[3], float u, float v, trace_hit *out) {
    const float part[3] = {1 - u - v, u, v};
    v3 n[3], mean = {0, 0, 0}, place = out->p;
    for (int k = 0; k < 3; k++) {
        n[k] = normal_at(m, c[k], out->time);
        mean = v3_fma(mean, n[k], part[k]);
    }
    if (v3_dot(mean, mean) > 1e-12f) out->n = v3_unit(mean);
    if (v3_dot(out->n, out->face) < 0) {
        out->n = out->face; // a normal that lies is of no use
        return;
    }
    for (int k = 0; k < 3; k++) {
        float below = v3_dot(v3_sub(out->p, vertex_at(m, c[k], out->time)), n[k]);
        if (below < 0) place = v3_fma(place, n[k], -part[k] * below);
    }
    if (out->from_outside) out->above = place;
}

static void fill_mesh(const trace_mesh *m, const struct RTCHit *found, trace_hit *out) {
    const uint32_t *c = m->mesh->triangle[found->primID];
    out->color = m->colors ? mixed(m->colors, c, found->u, found->v) : v3_of(m->color);
    out->rest = mixed((const float(*)[3])m->mesh->position, c, found->u, found->v);
    out->rough = 1;
    out->bound = m->rest;
    if (m->rest) {
        v3 part = {1 - found->u - found->v, found->u, found->v};
        const float *a = m->rest[c[0]], *b = m->rest[c[1]], *d = m->rest[c[2]];
        out->rest = v3_fma(v3_fma(v3_scale(v3_of(a), part.x), v3_of(b), part.y), v3_of(d), part.z);
        out->rough = a[3] * part.x + b[3] * part.y + d[3] * part.z;
    }
    out->n = out->face;
    if (m->mesh->normal) fill_smooth(m, c, found->u, found->v, out);
}

static void fill_spheres(const trace_spheres *s, const struct RTCHit *found, trace_hit *out) {
    out->color = v3_of(s->colors ? s->colors[found->primID] : s->color);
    out->n = out->face = v3_unit(v3_sub(out->p, centre_at(s, found->primID, out->time)));
    out->rest = v3_add(v3_scale(out->n, s->radius), v3_all((float)(found->primID % 4096u)));
}

// Lines every metre, as wide as a pixel at least.
static v3 grid_color(v3 color, v3 p, float pixel) {
    float wide = 1.1f * pixel + 0.006f, x = fabsf(p.x - roundf(p.x)), z = fabsf(p.z - roundf(p.z));
    float near = f_max(f_min(f_max(1.5f - f_min(x, z) / wide, 0), 1) * f_max(1 - 4 * wide, 0), 0);
    return v3_mix(color, v3_mul(color, (v3){0.60f, 0.70f, 0.82f}), near);
}

static bool meet_planes(const tracer *t, const trace_ray *ray, float far, trace_hit *out) {
    bool found = false;
    for (size_t i = t->embree_count; i < t->item_count; i++) {
        const trace_plane *plane = t->items[i].plane;
        v3 n = v3_of(plane->normal);
        float down = v3_dot(ray->way, n), at = v3_dot(v3_sub(v3_of(plane->at), ray->from), n) / down;
        if (!(fabsf(down) > 1e-9f && at > ray->near && at < far)) continue;
        far = at;
        found = true;
        v3 p = v3_fma(ray->from, ray->way, at);
        *out =
            (trace_hit){&t->items[i], at, p, n, n, p, ray->time, p, 1, v3_of(plane->color), down < 0, false};
        if (plane->grid) out->color = grid_color(out->color, p, at * t->pixel / f_max(fabsf(down), 0.06f));
    }
    return found;
}

static struct RTCRay embree_ray(const trace_ray *r, float far) {
    return (struct RTCRay){.org_x = r->from.x,
                           .org_y = r->from.y,
                           .org_z = r->from.z,
                           .dir_x = r->way.x,
                           .dir_y = r->way.y,
                           .dir_z = r->way.z,
                           .tnear = r->near,
                           .tfar = far,
                           .time = r->time,
                           .mask = 0xffffffffu};
}

static bool meet(const tracer *t, RTCScene where, const trace_ray *ray, float far, trace_hit *out) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRayHit r = {.ray = embree_ray(ray, far), .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    t->rtc.rtcIntersect1(where, &context, &r);
    if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    *out = (trace_hit){.item = &t->items[r.hit.geomID],
                       .distance = r.ray.tfar,
                       .time = ray->time,
                       .p = v3_fma(ray->from, ray->way, r.ray.tfar),
                       .face = v3_unit((v3){r.hit.Ng_x, r.hit.Ng_y, r.hit.Ng_z})};
    out->above = out->p;
    out->from_outside = v3_dot(ray->way, out->face) < 0;
    if (out->item->kind == TRACER_MESH)
        fill_mesh(out->item->mesh, &r.hit, out);
    else
        fill_spheres(out->item->spheres, &r.hit, out);
    return true;
}

bool tracer_hit(const tracer *t, const trace_ray *ray, trace_hit *out) {
    bool found = t->embree_count && meet(t, t->embree, ray, ray->far, out);
    return meet_planes(t, ray, found ? out->distance : ray->far, out) || found;
}

bool tracer_see(const tracer *t, const trace_ray *ray, trace_hit *out) {
    bool found = tracer_hit(t, ray, out);
    return (t->drawn && meet(t, t->drawings, ray, found ? out->distance : ray->far, out)) || found;
}

bool tracer_dark(const tracer *t, const trace_ray *ray) {
    trace_hit plane;
    if (meet_planes(t, ray, ray->far, &plane)) return true;
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRay r = embree_ray(ray, ray->far);
    if (t->embree_count) t->rtc.rtcOccluded1(t->embree, &context, &r);
    return r.tfar < 0;
}

v3 tracer_dimming(const tracer *t, v3 deep) {
    v3 a = {-logf(f_min(f_max(deep.x, 0.02f), 0.97f)), -logf(f_min(f_max(deep.y, 0.02f), 0.97f)),
            -logf(f_min(f_max(deep.z, 0.02f), 0.97f))};
    return v3_scale(a, 3 * t->scene->light.dimming / (a.x + a.y + a.z));
}

v3 tracer_dimmed(v3 dimming, float way) {
    return (v3){expf(-dimming.x * way), expf(-dimming.y * way), expf(-dimming.z * way)};
}

// Water bends the sun's light, but on the whole as much comes down: it goes straight here, dimmed on its way.
v3 tracer_sun(const tracer *t, trace_ray ray, uint64_t *rays) {
    enum { FACES = 16 };
    const float mirrored = 0.06f; // in the mean over the faces of waves
    v3 share = v3_all(1);
    ++*rays;
    if (!t->water) return v3_all(tracer_dark(t, &ray) ? 0 : 1);
    for (int i = 0; i < FACES; i++) {
        trace_hit hit;
        ++*rays;
        if (!tracer_hit(t, &ray, &hit)) return share;
        if (hit.item->material != TRACE_WATER) break;
        share = v3_scale(share, 1 - mirrored);
        if (!hit.from_outside)
            share = v3_mul(share, tracer_dimmed(tracer_dimming(t, hit.color), hit.distance));
        ray = tracer_ray(t, hit.p, ray.way, INFINITY, ray.time);
    }
    return v3_all(0);
}
#endif
