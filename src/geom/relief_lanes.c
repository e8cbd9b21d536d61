// Clods on the vertices of a mesh: relief_clods of relief.c, and the normals bent by them.
#include "geom/relief.h"
#include "geom/relief_noise.h"

static const float CLOD_WIDE[2] = {1, 0.45f}, CLOD_PART[2] = {0.13f, 0.075f};
static const float EVEN = 0.02f; // smoother places have none

static relief_bump clods(const float at[3][LANES], const float rough[LANES], float size) {
    vec3 rest = vec3_of(r_load(at[0]), r_load(at[1]), r_load(at[2]));
    relief_bump sum = {R(0), vec3_all(R(0))};
    for (int i = 0; i < 2; i++) {
        relief_bump b = relief_noise_at(vec3_scale(rest, R(1 / (size * CLOD_WIDE[i]))));
        real share = r_load(rough) * R(CLOD_PART[i]);
        sum.value = r_fma(b.value, share * R(size), sum.value);
        sum.slope = vec3_add_scaled(sum.slope, b.slope, share * R(1 / CLOD_WIDE[i]));
    }
    return sum;
}

// The vertices from `first` that lanes stand for; those beyond `end` have no relief.
static void move_group(const relief_mesh *m, size_t first, size_t end) {
    float at[3][LANES], rough[LANES], height[LANES], slope[3][LANES];
    bool any = false;
    for (int k = 0; k < LANES; k++) {
        const float *rest = m->rest[first + (size_t)k < end ? first + (size_t)k : first];
        rough[k] = first + (size_t)k < end && rest[3] > EVEN ? rest[3] : 0;
        for (int axis = 0; axis < 3; axis++) at[axis][k] = rest[axis];
        any = any || rough[k] > 0;
    }
    if (!any) return;
    relief_bump b = clods(at, rough, m->size);
    r_store(height, b.value);
    r_store(slope[0], b.slope.x);
    r_store(slope[1], b.slope.y);
    r_store(slope[2], b.slope.z);
    for (int k = 0; k < LANES; k++) {
        if (!(rough[k] > 0)) continue;
        size_t i = first + (size_t)k;
        for (int axis = 0; axis < 3; axis++) m->position[i][axis] += height[k] * m->normal[i][axis];
        const float bend[3] = {slope[0][k], slope[1][k], slope[2][k]};
        relief_bend(m->normal[i], bend);
    }
}

void ISA_NAME(relief_move)(const relief_mesh *m, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += LANES) move_group(m, i, end);
}
