// Signed distance and normal at many points, and bounding boxes.
#include "body/body_frame_lanes.h"
#include "body/body_set.h"
#include "par/par.h"

enum { CHUNK = 512, TASK = 8192 }; // points that stay in L1; points of one task

// From coordinates relative to `near`.
static frame_map map_to_body(body_pose pose, firn_vec3 near) {
    firn_vec3 shift = dvec_sub(near, pose.at);
    double m[3][3];
    dquat_matrix(pose.turn, m);
    frame_map map;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) map.turn[i][j] = (float)m[j][i];
        map.at[i] = (float)(m[0][i] * shift.x + m[1][i] * shift.y + m[2][i] * shift.z);
    }
    return map;
}

typedef struct query_work {
    const shape *shape;
    frame_map map;
    const float *x, *y, *z;
    float *distance, *nx, *ny, *nz;
} query_work;

static void query_chunk(const query_work *q, size_t begin, size_t n) {
    float x[CHUNK], y[CHUNK], z[CHUNK], d[CHUNK];
    ISA_PICK(frame_points)(&q->map, n, q->x + begin, q->y + begin, q->z + begin, x, y, z);
    float *distance = q->distance ? q->distance + begin : d;
    if (!q->nx) {
        shape_query(q->shape, n, x, y, z, distance, NULL, NULL, NULL);
        return;
    }
    float *nx = q->nx + begin, *ny = q->ny + begin, *nz = q->nz + begin;
    shape_query(q->shape, n, x, y, z, distance, nx, ny, nz);
    ISA_PICK(frame_turn_back)(&q->map, n, nx, ny, nz);
}

static void query_range(void *context, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += CHUNK) query_chunk(context, i, end - i < CHUNK ? end - i : CHUNK);
}

void body_query(const body_set *bodies, size_t b, size_t n, const float *x, const float *y, const float *z,
                float *distance, float *nx, float *ny, float *nz) {
    body_query_near(bodies, b, dvec(0, 0, 0), n, x, y, z, distance, nx, ny, nz);
}

void body_query_near(const body_set *bodies, size_t b, firn_vec3 near, size_t n, const float *x,
                     const float *y, const float *z, float *distance, float *nx, float *ny, float *nz) {
    float spare[3][CHUNK];
    query_work work = {
        bodies->item[b].shape, map_to_body(body_pose_now(bodies, b), near), x, y, z, distance, nx, ny, nz};
    if (!!nx + !!ny + !!nz == 1 || !!nx + !!ny + !!nz == 2) {
        // Only some components of the normal are wanted: the others go to scratch, chunk by chunk.
        for (size_t i = 0; i < n; i += CHUNK) {
            size_t count = n - i < CHUNK ? n - i : CHUNK;
            body_query_near(bodies, b, near, count, x + i, y + i, z + i, distance ? distance + i : NULL,
                            nx ? nx + i : spare[0], ny ? ny + i : spare[1], nz ? nz + i : spare[2]);
        }
        return;
    }
    if (n <= TASK)
        query_range(&work, 0, n);
    else
        par_for(n, TASK, query_range, &work);
}

// Exact for boxes; a sphere does not grow with rotation.
void body_world_box(const body_set *s, size_t b, body_pose pose, firn_vec3 *low, firn_vec3 *high) {
    const body_item *item = &s->item[b];
    firn_vec3 middle = dvec_scale(dvec_add(item->low, item->high), 0.5);
    firn_vec3 half = dvec_scale(dvec_sub(item->high, item->low), 0.5), bounding_radius = half;
    if (item->kind != FIRN_SHAPE_SPHERE) {
        double m[3][3];
        dquat_matrix(pose.turn, m);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) m[i][j] = fabs(m[i][j]);
        bounding_radius = matrix_times(m, half);
    }
    middle = dvec_add(pose.at, dquat_rotate(pose.turn, middle));
    *low = dvec_sub(middle, bounding_radius);
    *high = dvec_add(middle, bounding_radius);
}

bool body_bounds(const body_set *bodies, size_t b, double dt, firn_vec3 *low, firn_vec3 *high) {
    if (!bodies->item[b].bounded) return false;
    body_world_box(bodies, b, body_pose_now(bodies, b), low, high);
    if (!(dt > 0)) return true;
    // The motion of the last step and of the next.
    firn_vec3 low_before, high_before;
    body_pose before = {bodies->position_before[b], bodies->rotation_before[b]};
    body_world_box(bodies, b, before, &low_before, &high_before);
    *low = dvec_min(*low, low_before);
    *high = dvec_max(*high, high_before);
    firn_vec3 size = dvec_sub(bodies->item[b].high, bodies->item[b].low);
    double swing =
        fmin(dvec_length(bodies->spin[b]) * dt, 2) * (bodies->item[b].bounding_radius + dvec_length(size));
    firn_vec3 grow = dvec_add(dvec_scale(dvec_abs(bodies->velocity[b]), dt), dvec(swing, swing, swing));
    *low = dvec_sub(*low, grow);
    *high = dvec_add(*high, grow);
    return true;
}
