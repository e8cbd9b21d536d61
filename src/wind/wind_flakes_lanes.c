// Lane C: wind at the flakes, drag, swirl and their new positions.
#include "wind/wind_flakes_lanes.h"

#include "lane/lane.h"

typedef struct three {
    real x[3];
} three;

// Only the first n lanes are read.
LANE_INLINE real load_lanes(const float *from, int stride, int n) {
    if (n >= LANES) return r_load_stride(from, stride);
    real out = R(0);
    for (int k = 0; k < n; k++) out = r_select(i_eq(i_lane_index(), RI(k)), R(from[k * stride]), out);
    return out;
}

LANE_INLINE void store_lanes(float *to, real a, int stride, int n) {
    if (n >= LANES) {
        r_store_stride(to, a, stride);
        return;
    }
    for (int k = 0; k < n; k++) to[k * stride] = r_lane(a, k);
}

// One component of the wind between its faces, at places x in cells from the corner of the domain.
LANE_INLINE real component_at(const flakes_job *job, int axis, three x) {
    const int row = (int)job->box.row, plane = (int)job->box.plane, step[3] = {1, row, plane};
    ireal corner = RI(0);
    real f[3];
    for (int d = 0; d < 3; d++) {
        real first = R(d == axis ? 1.0f : 0.5f), n = R((float)job->box.n[d]);
        real place = r_min(r_max(x.x[d] + first, first), n + first), whole = r_min(r_floor(place), n);
        f[d] = place - whole;
        corner += RI(step[d]) * r_to_int(whole);
    }
    const float *v = job->v[axis];
    real side[2];
    for (int d = 0; d < 2; d++, v += plane) {
        real near[2], far[2]; // one row, and the next
        r_gather_pair(v, corner, &near[0], &near[1]);
        r_gather_pair(v + row, corner, &far[0], &far[1]);
        real low = r_fma(f[0], near[1] - near[0], near[0]), high = r_fma(f[0], far[1] - far[0], far[0]);
        side[d] = r_fma(f[1], high - low, low);
    }
    return r_fma(f[2], side[1] - side[0], side[0]);
}

LANE_INLINE real length_of(three a) { return r_sqrt(a.x[0] * a.x[0] + a.x[1] * a.x[1] + a.x[2] * a.x[2]); }

// dw/dt = g - k |w| w for the velocity w against the air, k = |g| / fall^2: backward Euler, whose quadratic
// equation for |w| has a closed form. Stable for any dt, and `fall` is exactly its fixed point.
LANE_INLINE three drag(const flakes_job *job, three u, real fall, three v) {
    three to, out;
    real k = R(job->dt * job->weight) / (fall * fall);
    for (int d = 0; d < 3; d++) to.x[d] = v.x[d] - u.x[d] + R(job->dt * job->gravity[d]);
    real length = length_of(to), speed = R(2) * length / (R(1) + r_sqrt(R(1) + R(4) * k * length));
    for (int d = 0; d < 3; d++) out.x[d] = u.x[d] + to.x[d] / (R(1) + k * speed);
    return out;
}

// Angles grow over hours: reduced to one turn in double.
LANE_INLINE real swirl_angle(real turn, real phase, double time) {
#if LANES == 1
    double angle = (double)turn * time + (double)phase, turns = angle * (1 / 6.283185307179586);
    return (real)(angle - 6.283185307179586 * (double)(long long)turns);
#else
    real out = phase;
    for (int k = 0; k < LANES; k++) {
        double angle = (double)turn[k] * time + (double)phase[k], turns = angle * (1 / 6.283185307179586);
        out[k] = (float)(angle - 6.283185307179586 * (double)(long long)turns);
    }
    return out;
#endif
}

// Flakes spiral down (WIND12 8.4.4): part of the motion, not of the velocity.
LANE_INLINE three swirl(three u, three v, real radius, real turn, real angle) {
    three against, out;
    for (int d = 0; d < 3; d++) against.x[d] = u.x[d] - v.x[d];
    real speed = length_of(v), sine, cosine;
    real much = r_select(r_gt(speed, R(0)), r_min(length_of(against) / speed, R(1)), R(1));
    real path = much * turn * radius;
    r_sincos(angle, &sine, &cosine);
    out.x[0] = -path * sine;
    out.x[1] = R(0);
    out.x[2] = path * cosine;
    return out;
}

void ISA_NAME(flakes_fly)(const flakes_job *job, size_t n, const float (*position)[3], float (*velocity)[3],
                          const float (*trait)[TRAITS], float simple_path, float (*to)[3],
                          flakes_start *start) {
    const int row = (int)job->box.row, plane = (int)job->box.plane;
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        three at, x, v, u, end;
        ireal cell[3];
        mask inside = RI(-1);
        for (int d = 0; d < 3; d++) {
            at.x[d] = load_lanes(&position[i][d], 3, count);
            v.x[d] = load_lanes(&velocity[i][d], 3, count);
            x.x[d] = (at.x[d] - R(job->low[d])) * R(job->per_cell);
            real whole = r_clamp(r_floor(x.x[d]), R(0), R((float)(job->box.n[d] - 1)));
            cell[d] = r_to_int(whole) + RI(1);
        }
        for (int d = 0; d < 3; d++) u.x[d] = component_at(job, d, x);
        real fall = load_lanes(&trait[i][TRAIT_FALL], TRAITS, count);
        v = drag(job, u, r_select(r_gt(fall, R(0)), fall, R(1)), v);
        real turn = load_lanes(&trait[i][TRAIT_TURN], TRAITS, count);
        real angle = swirl_angle(turn, load_lanes(&trait[i][TRAIT_PHASE], TRAITS, count), job->time);
        three around = swirl(u, v, load_lanes(&trait[i][TRAIT_RADIUS], TRAITS, count), turn, angle), path;
        for (int d = 0; d < 3; d++) {
            path.x[d] = R(job->dt) * (v.x[d] + around.x[d]);
            end.x[d] = at.x[d] + path.x[d];
            real place = (end.x[d] - R(job->low[d])) * R(job->per_cell);
            // A little inside: must hold however it is rounded.
            inside &= r_gt(place, R(0.01f)) & r_lt(place, R((float)job->box.n[d] - 0.01f));
            store_lanes(&velocity[i][d], v.x[d], 3, count);
            store_lanes(&to[i][d], end.x[d], 3, count);
        }
        inside &= r_lt(length_of(path) * R(job->per_cell), R(simple_path));
        i_store(start->cell + i, cell[0] + RI(row) * cell[1] + RI(plane) * cell[2]);
        i_store(start->column + i, cell[0] + RI(row) * cell[2]);
        i_store(start->layer + i, cell[1]);
        i_store(start->simple + i, inside);
    }
}
