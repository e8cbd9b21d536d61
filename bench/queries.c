// Distances of many points to one body.
#include "bench/measure.h"

#include "base/memory.h"
#include "base/random.h"
#include "body/body.h"

enum { POINTS = 4 << 20 };

typedef struct queries {
    body_set *bodies;
    float *x, *y, *z, *distance;
} queries;

static firn_status queries_create(const firn_shape_def *shape, queries *q) {
    *q = (queries){0};
    firn_body_def def = firn_body_def_default();
    def.name = "target";
    def.shape = *shape;
    def.rotate = (firn_vec3){0.3, 0.5, 0.2};
    model_setting setting = {.gravity = {0, -9.81, 0}, .max_speed = 1000, .folder = "."};
    TRY(body_set_create(&def, 1, &setting, &q->bodies));
    float **arrays[] = {&q->x, &q->y, &q->z, &q->distance};
    for (size_t i = 0; i < 4; i++)
        if (!(*arrays[i] = mem_alloc(POINTS * sizeof(float))))
            return fail_memory("preparing points", POINTS * sizeof(float));
    for (uint32_t i = 0; i < POINTS; i++) {
        random4 r = random_bits(11, i, 0, 0);
        q->x[i] = 3 * random_unit(r, 0) - 1.5f;
        q->y[i] = 3 * random_unit(r, 1) - 1.0f;
        q->z[i] = 3 * random_unit(r, 2) - 1.5f;
    }
    return FIRN_OK;
}

static void queries_free(queries *q) {
    if (q->bodies) body_set_destroy(q->bodies);
    mem_free(q->x);
    mem_free(q->y);
    mem_free(q->z);
    mem_free(q->distance);
}

static void query_once(void *context) {
    queries *q = context;
    body_query(q->bodies, 0, POINTS, q->x, q->y, q->z, q->distance, NULL, NULL, NULL);
}

static firn_status bench_query(const char *name, const firn_shape_def *shape, double operations,
                               bench_emit emit, void *context) {
    queries q;
    firn_status status = queries_create(shape, &q);
    if (status == FIRN_OK) {
        bench_result r = {.workload = name, .rate_unit = "distances/s"};
        // Three coordinates in, one distance out.
        measure_result(&r, POINTS, measure_seconds(query_once, &q), 16, operations);
        emit(context, &r);
    }
    queries_free(&q);
    return status;
}

// Operations: 18 to turn the point into the body's frame, then those of the shape.
firn_status bench_query_sphere(bench_emit emit, void *context) {
    firn_shape_def shape = firn_body_def_default().shape;
    shape.kind = FIRN_SHAPE_SPHERE;
    shape.radius = 0.7;
    return bench_query("query-sphere", &shape, 18 + 7, emit, context);
}

firn_status bench_query_box(bench_emit emit, void *context) {
    firn_shape_def shape = firn_body_def_default().shape;
    shape.kind = FIRN_SHAPE_BOX;
    shape.size = (firn_vec3){1.0, 0.6, 1.4};
    return bench_query("query-box", &shape, 18 + 17, emit, context);
}

firn_status bench_query_mesh(bench_emit emit, void *context) {
    firn_shape_def shape = firn_body_def_default().shape;
    shape.kind = FIRN_SHAPE_HARE;
    shape.height = 1.2;
    return bench_query("query-mesh", &shape, 18 + 40, emit, context);
}
