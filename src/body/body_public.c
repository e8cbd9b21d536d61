// The bodies as a model from outside sees them (firn/model.h).
#include <math.h>
#include <string.h>

#include "body/body.h"

static firn_status check(const body_set *bodies, size_t body, const char *function) {
    if (!bodies) return fail_null(function, "bodies");
    size_t count = body_count(bodies);
    return body < count ? FIRN_OK
                        : fail(FIRN_BAD_INPUT, "there is no body %zu; the world has %zu", body, count);
}

size_t firn_body_set_count(const firn_body_set *bodies) {
    NEED_OR(bodies, 0);
    return body_count(bodies);
}

const char *firn_body_set_name(const firn_body_set *bodies, size_t body) {
    return check(bodies, body, __func__) == FIRN_OK ? body_name(bodies, body) : NULL;
}

firn_body_state firn_body_set_state(const firn_body_set *bodies, size_t body) {
    return check(bodies, body, __func__) == FIRN_OK ? body_state(bodies, body) : (firn_body_state){0};
}

firn_body_material firn_body_set_material(const firn_body_set *bodies, size_t body) {
    if (check(bodies, body, __func__) != FIRN_OK) return (firn_body_material){0};
    return (firn_body_material){body_friction(bodies, body), body_restitution(bodies, body),
                                body_temperature(bodies, body)};
}

enum { QUERY_BLOCK = 512 };

// Packed points to the separate arrays of body_query and back, block by block on the stack.
static void query_block(const body_set *bodies, size_t body, size_t n, const float *points, float *distance,
                        float *normals) {
    float x[QUERY_BLOCK], y[QUERY_BLOCK], z[QUERY_BLOCK], d[QUERY_BLOCK], u[QUERY_BLOCK], v[QUERY_BLOCK],
        w[QUERY_BLOCK];
    for (size_t i = 0; i < n; i++) {
        x[i] = points[3 * i];
        y[i] = points[3 * i + 1];
        z[i] = points[3 * i + 2];
    }
    bool with_normals = normals != NULL;
    body_query(bodies, body, n, x, y, z, d, with_normals ? u : NULL, with_normals ? v : NULL,
               with_normals ? w : NULL);
    if (distance) memcpy(distance, d, n * sizeof *d);
    for (size_t i = 0; with_normals && i < n; i++) {
        normals[3 * i] = u[i];
        normals[3 * i + 1] = v[i];
        normals[3 * i + 2] = w[i];
    }
}

void body_query_packed(const body_set *bodies, size_t body, size_t n, const float *points, float *distance,
                       float *normals, float *velocities) {
    for (size_t i = 0; (distance || normals) && i < n; i += QUERY_BLOCK) {
        size_t count = n - i < QUERY_BLOCK ? n - i : QUERY_BLOCK;
        query_block(bodies, body, count, points + 3 * i, distance ? distance + i : NULL,
                    normals ? normals + 3 * i : NULL);
    }
    for (size_t i = 0; velocities && i < n; i++) {
        firn_vec3 v =
            body_velocity_at(bodies, body, (firn_vec3){points[3 * i], points[3 * i + 1], points[3 * i + 2]});
        velocities[3 * i] = (float)v.x;
        velocities[3 * i + 1] = (float)v.y;
        velocities[3 * i + 2] = (float)v.z;
    }
}

firn_status firn_body_set_query(const firn_body_set *bodies, size_t body, size_t n, const float *points,
                                float *distance, float *normals, float *velocities) {
    TRY(check(bodies, body, __func__));
    NEED(points || n == 0);
    body_query_packed(bodies, body, n, points, distance, normals, velocities);
    return FIRN_OK;
}

static bool finite3(firn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

firn_status firn_body_set_sweep(const firn_body_set *bodies, size_t body, firn_vec3 from, firn_vec3 to,
                                double radius, bool *found, firn_body_hit *hit) {
    TRY(check(bodies, body, __func__));
    NEED(found);
    NEED(hit);
    *found = false;
    if (!finite3(from) || !finite3(to) || !(radius >= 0 && radius < INFINITY))
        return fail(FIRN_BAD_INPUT, "the path or radius of a sphere is not finite");
    body_hit inside;
    *found = body_sweep(bodies, body, from, to, radius, &inside);
    if (*found) *hit = (firn_body_hit){inside.t, inside.point, inside.normal, inside.carried};
    return FIRN_OK;
}

firn_status firn_body_set_push(firn_body_set *bodies, size_t body, firn_vec3 impulse, firn_vec3 at) {
    TRY(check(bodies, body, __func__));
    if (!finite3(impulse) || !finite3(at))
        return fail(FIRN_BAD_INPUT, "an impulse or its point is not finite");
    body_add_impulse(bodies, body, impulse, at);
    return FIRN_OK;
}
