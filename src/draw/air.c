// The velocities of the air between the points of their grid.
#include "draw/air.h"

#include <math.h>
#include <stddef.h>

enum { NUMBERS = 8 }; // of each grid

static bool has_points(const air_field *air, size_t count) {
    for (int k = 0; k < 3; k++)
        if (air->n[k] < 1) return false;
    return count >= (size_t)air->n[0] * (size_t)air->n[1] * (size_t)air->n[2] && air->step > 0;
}

// Grids of one drawing, one after the other; returns how many, or 0.
static int read_grids(const firn_world *world, const firn_grid_drawing *drawing, air_field *grids, int room) {
    firn_field v = firn_world_field(world, drawing->values), grid = firn_world_field(world, drawing->grid);
    firn_field gauges = {0};
    if (!v.data || !grid.data || grid.count < NUMBERS - 1) return 0;
    if (drawing->gauges) gauges = firn_world_field(world, drawing->gauges);
    const double *d = grid.data;
    size_t at = 0, most = (grid.count + 1) / NUMBERS;
    int count = 0;
    for (; count < room && (size_t)count < most; d += NUMBERS) {
        air_field *air = &grids[count++];
        *air = (air_field){.v = (const float(*)[3])v.data + at, .step = d[3]};
        if (gauges.count == v.count) air->gauges = (const float(*)[AIR_GAUGES])gauges.data + at;
        for (int k = 0; k < 3; k++) air->low[k] = d[k], air->n[k] = (int)d[4 + k];
        if (!has_points(air, v.count - at)) return 0;
        at += (size_t)air->n[0] * (size_t)air->n[1] * (size_t)air->n[2];
    }
    return at == v.count ? count : 0;
}

bool air_find(const firn_world *world, air_field grids[AIR_GRIDS]) {
    const model_drawing *drawing = world_drawing(world, offsetof(model_drawing, air), NULL);
    if (!drawing || read_grids(world, drawing->air, grids, 1) == 0) return false;
    int around = drawing->air->around ? read_grids(world, drawing->air->around, grids + 1, AIR_GRIDS - 1) : 0;
    for (int i = 0; i < around; i++) grids[i].around = &grids[i + 1];
    return true;
}

const air_field *air_whole(const air_field *air) {
    while (air->around) air = air->around;
    return air;
}

bool air_covers(const air_field *air, const double at[3]) {
    for (int k = 0; k < 3; k++) {
        double x = (at[k] - air->low[k]) / air->step;
        if (!(x >= -0.5 && x <= air->n[k] - 0.5)) return false;
    }
    return true;
}

// The eight points around a place, and how much each counts.
typedef struct eight_points {
    size_t at[8];
    double weight[8];
} eight_points;

static eight_points around_place(const air_field *air, const double at[3]) {
    eight_points out;
    int cell[3];
    double f[3];
    for (int k = 0; k < 3; k++) {
        double x = fmin(fmax((at[k] - air->low[k]) / air->step, 0), air->n[k] - 1);
        cell[k] = (int)fmin(floor(x), fmax(air->n[k] - 2, 0));
        f[k] = x - cell[k];
    }
    for (int c = 0; c < 8; c++) {
        size_t i[3];
        out.weight[c] = 1;
        for (int k = 0; k < 3; k++) {
            int next = c >> k & 1;
            out.weight[c] *= next ? f[k] : 1 - f[k];
            i[k] = (size_t)(cell[k] + next < air->n[k] ? cell[k] + next : cell[k]);
        }
        out.at[c] = (i[2] * (size_t)air->n[1] + i[1]) * (size_t)air->n[0] + i[0];
    }
    return out;
}

bool air_at(const air_field *air, const double at[3], double out[3]) {
    while (air && !air_covers(air, at)) air = air->around;
    if (!air) return false;
    const eight_points e = around_place(air, at);
    out[0] = out[1] = out[2] = 0;
    for (int c = 0; c < 8; c++)
        for (int k = 0; k < 3; k++) out[k] += e.weight[c] * (double)air->v[e.at[c]][k];
    return true;
}

double air_gauge(const air_field *air, const double at[3], int which) {
    if (!air->gauges) return 0;
    const eight_points e = around_place(air, at);
    double sum = 0, all = 0;
    for (int c = 0; c < 8; c++) {
        const float *v = air->v[e.at[c]];
        if (v[0] == 0 && v[1] == 0 && v[2] == 0) continue; // in a body
        sum += e.weight[c] * (double)air->gauges[e.at[c]][which];
        all += e.weight[c];
    }
    return all > 0 ? sum / all : 0;
}

double air_vorticity(const air_field *air, const double at[3]) {
    double slope[3][3]; // of the velocity, along each axis
    for (int k = 0; k < 3; k++) {
        double side[2][3], way = 0.5 * air->step, span = 2 * way;
        for (int n = 0; n < 2; n++) {
            double there[3] = {at[0], at[1], at[2]};
            there[k] += n ? way : -way;
            if (air_at(air, there, side[n])) continue;
            if (!air_at(air, at, side[n])) return 0;
            span = way;
        }
        for (int c = 0; c < 3; c++) slope[k][c] = (side[1][c] - side[0][c]) / span;
    }
    const double curl[3] = {slope[1][2] - slope[2][1], slope[2][0] - slope[0][2], slope[0][1] - slope[1][0]};
    return air_speed(curl);
}

double air_speed(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

void air_mean(const air_field *air, double mean[3], double *most) {
    const air_field *finest = air;
    *most = mean[0] = mean[1] = mean[2] = 0;
    for (; air; air = air->around) {
        size_t count = (size_t)air->n[0] * (size_t)air->n[1] * (size_t)air->n[2];
        for (size_t i = 0; i < count; i++) {
            double v[3] = {(double)air->v[i][0], (double)air->v[i][1], (double)air->v[i][2]};
            for (int k = 0; k < 3 && air == finest; k++) mean[k] += v[k] / (double)count;
            *most = fmax(*most, air_speed(v));
        }
    }
}
