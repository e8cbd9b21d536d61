// Lane C: points into the frame of a body and vectors back.
#include "body/body_frame_lanes.h"

void ISA_NAME(frame_points)(const frame_map *map, size_t n, const float *restrict x, const float *restrict y,
                            const float *restrict z, float *restrict ox, float *restrict oy,
                            float *restrict oz) {
    const frame_map m = *map;
    for (size_t i = 0; i < n; i++) {
        ox[i] = m.turn[0][0] * x[i] + m.turn[0][1] * y[i] + m.turn[0][2] * z[i] + m.at[0];
        oy[i] = m.turn[1][0] * x[i] + m.turn[1][1] * y[i] + m.turn[1][2] * z[i] + m.at[1];
        oz[i] = m.turn[2][0] * x[i] + m.turn[2][1] * y[i] + m.turn[2][2] * z[i] + m.at[2];
    }
}

void ISA_NAME(frame_turn_back)(const frame_map *map, size_t n, float *restrict x, float *restrict y,
                               float *restrict z) {
    const frame_map m = *map;
    for (size_t i = 0; i < n; i++) {
        float u = x[i], v = y[i], w = z[i];
        x[i] = m.turn[0][0] * u + m.turn[1][0] * v + m.turn[2][0] * w;
        y[i] = m.turn[0][1] * u + m.turn[1][1] * v + m.turn[2][1] * w;
        z[i] = m.turn[0][2] * u + m.turn[1][2] * v + m.turn[2][2] * w;
    }
}
