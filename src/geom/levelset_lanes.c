// SDF queries: distance and normal at many points. Branch-free loops over lanes, which the compiler
// vectorises with gathers.
#include <math.h>

#include "geom/levelset_data.h"

typedef struct lane_floats {
    float v[LANES];
} lane_floats;
typedef struct lane_ints {
    int32_t v[LANES];
} lane_ints;

#define EACH_LANE for (int i = 0; i < LANES; i++)

typedef struct lane_point {
    lane_floats along[3];  // place within the leaf, 0..1, later within the sample cell
    lane_floats beyond[3]; // from the box to the point; 0 inside
    lane_ints block[3];
} lane_point;

// NaN lands on the box's low corner, so that no index can leave the tables.
static inline void enter_box(const levelset *l, const float *p, int axis, lane_point *out) {
    float low = l->low[axis], high = l->high[axis], scale = l->per_block;
    int32_t last = (int32_t)l->blocks[axis] - 1;
    EACH_LANE {
        float q = p[i] > low ? p[i] : low;
        q = q < high ? q : high;
        float u = (q - low) * scale;
        int32_t b = (int32_t)u;
        b = b < last ? b : last;
        out->beyond[axis].v[i] = p[i] - q;
        out->block[axis].v[i] = b;
        float f = u - (float)b;
        out->along[axis].v[i] = f < 1.0f ? f : 1.0f;
    }
}

typedef struct lane_leaf {
    lane_ints level, first;
    lane_floats per_length; // 1 / length of the leaf
} lane_leaf;

static inline void find_leaf(const levelset *l, lane_point *p, lane_leaf *leaf) {
    const int32_t nx = (int32_t)l->blocks[0], ny = (int32_t)l->blocks[1];
    lane_ints entry, part;
    EACH_LANE {
        int32_t at = (p->block[2].v[i] * ny + p->block[1].v[i]) * nx + p->block[0].v[i];
        entry.v[i] = (int32_t)l->top[at];
    }
    EACH_LANE part.v[i] = 0;
    for (int axis = 2; axis >= 0; axis--) EACH_LANE {
            float f = p->along[axis].v[i] * LEVELSET_PARTS;
            int32_t k = (int32_t)f;
            k = k < LEVELSET_PARTS - 1 ? k : LEVELSET_PARTS - 1;
            bool split = (entry.v[i] & 7) == LEVELSET_SPLIT;
            part.v[i] = part.v[i] * LEVELSET_PARTS + k;
            p->along[axis].v[i] = split ? f - (float)k : p->along[axis].v[i];
        }
    EACH_LANE {
        bool split = (entry.v[i] & 7) == LEVELSET_SPLIT;
        int32_t group = split ? (int32_t)((uint32_t)entry.v[i] >> 3) : 0;
        int32_t e = (int32_t)l->parts[group * 64 + part.v[i]];
        e = split ? e : entry.v[i];
        leaf->level.v[i] = e & 7;
        leaf->first.v[i] = (int32_t)((uint32_t)e >> 3) * LEVELSET_ALIGN;
        leaf->per_length.v[i] = split ? l->per_block * LEVELSET_PARTS : l->per_block;
    }
}

static inline float blend(float a, float b, float t) { return a + t * (b - a); }

typedef struct lane_value {
    lane_floats value, gradient[3];
} lane_value;

static inline void interpolate(const levelset *l, lane_point *p, const lane_leaf *leaf, lane_value *out) {
    lane_ints at, side;
    lane_floats corner[8];
    EACH_LANE at.v[i] = 0;
    EACH_LANE side.v[i] = (1 << leaf->level.v[i]) + 1;
    for (int axis = 2; axis >= 0; axis--) EACH_LANE {
            int32_t n = side.v[i] - 1;
            float g = p->along[axis].v[i] * (float)n;
            int32_t k = (int32_t)g;
            k = k < n - 1 ? k : n - 1;
            p->along[axis].v[i] = g - (float)k;
            at.v[i] = at.v[i] * side.v[i] + k;
        }
    EACH_LANE at.v[i] += leaf->first.v[i];
    const float *samples = l->samples;
    for (int c = 0; c < 8; c++) {
        const int dx = c & 1, dy = c >> 1 & 1, dz = c >> 2;
        EACH_LANE corner[c].v[i] = samples[at.v[i] + dx + side.v[i] * (dy + side.v[i] * dz)];
    }
    EACH_LANE {
        float tx = p->along[0].v[i], ty = p->along[1].v[i], tz = p->along[2].v[i];
        float scale = leaf->per_length.v[i] * (float)(side.v[i] - 1);
        float low_y = blend(corner[0].v[i], corner[1].v[i], tx),
              high_y = blend(corner[2].v[i], corner[3].v[i], tx);
        float low_y2 = blend(corner[4].v[i], corner[5].v[i], tx),
              high_y2 = blend(corner[6].v[i], corner[7].v[i], tx);
        float low_z = blend(low_y, high_y, ty), high_z = blend(low_y2, high_y2, ty);
        float dx = blend(blend(corner[1].v[i] - corner[0].v[i], corner[3].v[i] - corner[2].v[i], ty),
                         blend(corner[5].v[i] - corner[4].v[i], corner[7].v[i] - corner[6].v[i], ty), tz);
        out->value.v[i] = blend(low_z, high_z, tz);
        out->gradient[0].v[i] = dx * scale;
        out->gradient[1].v[i] = blend(high_y - low_y, high_y2 - low_y2, tz) * scale;
        out->gradient[2].v[i] = (high_z - low_z) * scale;
    }
}

static inline void make_unit(lane_value *v) {
    EACH_LANE {
        float x = v->gradient[0].v[i], y = v->gradient[1].v[i], z = v->gradient[2].v[i];
        float length = sqrtf(x * x + y * y + z * z);
        bool usable = length > 1e-12f && length < 1e30f;
        float over = 1.0f / (usable ? length : 1.0f);
        v->gradient[0].v[i] = usable ? x * over : 0.0f;
        v->gradient[1].v[i] = usable ? y * over : 1.0f;
        v->gradient[2].v[i] = usable ? z * over : 0.0f;
    }
}

// Beyond the box: the distance to the surface point that is nearest where the box is entered.
static inline void leave_box(const lane_point *p, lane_value *v) {
    lane_floats length;
    for (int axis = 0; axis < 3; axis++) EACH_LANE {
            float beyond = p->beyond[axis].v[i], inner = v->value.v[i] > 0.0f ? v->value.v[i] : 0.0f;
            bool outside =
                p->beyond[0].v[i] != 0.0f || p->beyond[1].v[i] != 0.0f || p->beyond[2].v[i] != 0.0f;
            v->gradient[axis].v[i] =
                outside ? beyond + inner * v->gradient[axis].v[i] : v->gradient[axis].v[i];
        }
    EACH_LANE {
        float x = v->gradient[0].v[i], y = v->gradient[1].v[i], z = v->gradient[2].v[i];
        length.v[i] = sqrtf(x * x + y * y + z * z);
    }
    EACH_LANE {
        bool outside = p->beyond[0].v[i] != 0.0f || p->beyond[1].v[i] != 0.0f || p->beyond[2].v[i] != 0.0f;
        v->value.v[i] = outside ? length.v[i] : v->value.v[i];
    }
    make_unit(v);
}

static inline void query(const levelset *l, const float *x, const float *y, const float *z, lane_value *out) {
    lane_point p;
    lane_leaf leaf;
    enter_box(l, x, 0, &p);
    enter_box(l, y, 1, &p);
    enter_box(l, z, 2, &p);
    find_leaf(l, &p, &leaf);
    interpolate(l, &p, &leaf, out);
    make_unit(out);
    leave_box(&p, out);
}

static void store(const lane_floats *from, float *to, size_t count) {
    for (size_t i = 0; i < count; i++) to[i] = from->v[i];
}

void ISA_NAME(levelset_query_lanes)(const levelset *l, size_t n, const float *x, const float *y,
                                    const float *z, float *distance, float *nx, float *ny, float *nz) {
    lane_value v;
    for (size_t at = 0; at < n; at += LANES) {
        size_t count = n - at < LANES ? n - at : LANES;
        if (count == LANES) {
            query(l, x + at, y + at, z + at, &v);
        } else {
            lane_floats p[3];
            EACH_LANE {
                size_t k = at + ((size_t)i < count ? (size_t)i : 0);
                p[0].v[i] = x[k];
                p[1].v[i] = y[k];
                p[2].v[i] = z[k];
            }
            query(l, p[0].v, p[1].v, p[2].v, &v);
        }
        store(&v.value, distance + at, count);
        if (nx) store(&v.gradient[0], nx + at, count);
        if (ny) store(&v.gradient[1], ny + at, count);
        if (nz) store(&v.gradient[2], nz + at, count);
    }
}
