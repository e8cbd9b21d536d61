// Turbulence of the air that blows in: plane waves with the spectrum of von Karman (1948) and random
// directions (Kraichnan 1970), each across its own direction, so that their sum has no divergence. Eddies are
// frozen and carried along by the undisturbed wind (Taylor's hypothesis): a function of the seed and of how
// far it has come.
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "par/par.h"
#include "wind/wind_state.h"

#define PI 3.14159265358979323846
#define LONGEST 0.4 // wave numbers of the waves, over the size of the largest eddies
#define SHORTEST 40.0

static const int axis_of[SIDES] = {0, 0, 1, 1, 2, 2};

// A direction on the unit sphere.
static void direction(random4 r, int first, double out[3]) {
    double y = 2 * (double)random_unit(r, first) - 1, a = 2 * PI * (double)random_unit(r, first + 1);
    out[0] = sqrt(1 - y * y) * cos(a), out[1] = y, out[2] = sqrt(1 - y * y) * sin(a);
}

// Across k: v without its part along it, of length 1.
static void across(const double k[3], double v[3]) {
    double along = k[0] * v[0] + k[1] * v[1] + k[2] * v[2], length = 0;
    for (int d = 0; d < 3; d++) v[d] -= along * k[d], length += v[d] * v[d];
    for (int d = 0; d < 3; d++) v[d] /= sqrt(length) + 1e-12;
}

// From along, up and across the wind of the inflow's side to x, y and z: a scene that is turned has the same
// eddies.
static void turn_with_side(firn_wind_side side, double v[3]) {
    static const double along[][2] = {
        {1, 0}, {-1, 0}, {0, 1}, {0, -1}}; // x and z, in the order of firn_wind_side
    const double *a = along[side], x = v[0], z = v[2];
    v[0] = a[0] * x - a[1] * z, v[2] = a[1] * x + a[0] * z;
}

void wind_set_waves(wind_state *s) {
    wind_turbulence *t = &s->turbulence;
    double length = s->def.inflow.turbulence_length, sum = 0, energy[WIND_WAVES];
    if (isnan(length)) length = 0.5 * around_height(s);
    double ratio = pow(SHORTEST / LONGEST, 1.0 / WIND_WAVES);
    for (int i = 0; i < WIND_WAVES; i++) {
        double k = LONGEST * pow(ratio, i + 0.5), k2 = k * k; // times the length; steps of k are as k
        energy[i] = k * k2 * k2 / pow(1 + k2, 17.0 / 6.0);
        sum += energy[i];
        random4 one = random_bits(s->setting.seed, (uint64_t)i, 0, 0x65646479u);
        random4 two = random_bits(s->setting.seed, (uint64_t)i, 1, 0x65646479u);
        direction(one, 0, t->wave[i]);
        direction(two, 0, t->amplitude[i]);
        across(t->wave[i], t->amplitude[i]);
        turn_with_side(s->def.inflow.side, t->wave[i]);
        turn_with_side(s->def.inflow.side, t->amplitude[i]);
        t->phase[i] = 2 * PI * (double)random_unit(one, 2);
        for (int d = 0; d < 3; d++) t->wave[i][d] *= k / length;
    }
    for (int i = 0; i < WIND_WAVES; i++) {
        double k = LONGEST * pow(ratio, i + 0.5) / length;
        bool seen = k * s->def.cell < PI / 2; // at least four cells long
        if (s->around.outer)
            seen = seen && k * s->around.outer->def.cell >= PI / 2; // the others come from there
        // The mean square of a cosine is a half, and there are three components.
        for (int d = 0; d < 3; d++) t->amplitude[i][d] *= seen ? sqrt(6 * energy[i] / sum) : 0;
    }
}

typedef struct side_noise {
    wind_state *s;
    int side, p, q; // axes along the side
    double speed;
} side_noise;

// The turbulence in one row of a side. Places are those of the components on the MAC grid.
static void noise_row(const side_noise *w, int axis, int32_t q) {
    const wind_state *s = w->s;
    const wind_turbulence *t = &s->turbulence;
    const int normal = axis_of[w->side];
    const double h = s->def.cell;
    size_t n = (size_t)s->box.n[w->p] + 2;
    float *restrict to = t->noise[w->side][axis] + (size_t)q * n;
    memset(to, 0, n * sizeof *to);
    double at[3];                                                   // from the middle of the ground
    at[normal] = (w->side & 1 ? 0.5 : -0.5) * s->box.n[normal] * h; // on the boundary
    at[w->p] = 0;
    at[w->q] = (q - 0.5) * h - (w->q == 1 ? 0 : 0.5 * s->box.n[w->q] * h);
    if (axis != normal) at[axis] -= 0.5 * h;
    for (int i = 0; i < WIND_WAVES; i++) {
        const double *k = t->wave[i];
        double size = w->speed * t->amplitude[i][axis];
        if (size == 0) continue;
        double phase =
            t->phase[i] + k[0] * (at[0] - t->blown[0]) + k[1] * at[1] + k[2] * (at[2] - t->blown[1]);
        const float c = (float)(size * cos(phase)), d = (float)(size * sin(phase));
        const float *restrict cosine = t->cosine + (size_t)i * n, *restrict sine = t->sine + (size_t)i * n;
        for (size_t j = 0; j < n; j++) to[j] += c * cosine[j] - d * sine[j];
    }
}

static void noise_rows(void *context, size_t begin, size_t end) {
    const side_noise *w = context;
    for (int32_t q = (int32_t)begin; q < (int32_t)end; q++)
        for (int axis = 0; axis < 3; axis++) noise_row(w, axis, q);
}

static void along_side(void *context, size_t begin, size_t end) {
    const side_noise *w = context;
    const wind_turbulence *t = &w->s->turbulence;
    size_t n = (size_t)w->s->box.n[w->p] + 2;
    for (size_t i = begin; i < end; i++)
        for (size_t j = 0; j < n; j++) {
            double at = (double)j - 0.5 - (w->p == 1 ? 0 : 0.5 * w->s->box.n[w->p]);
            double phase = t->wave[i][w->p] * at * w->s->def.cell;
            t->cosine[i * n + j] = (float)cos(phase), t->sine[i * n + j] = (float)sin(phase);
        }
}

static firn_status reserve(wind_state *s, int side) {
    wind_turbulence *t = &s->turbulence;
    const int32_t *n = s->box.n;
    size_t longest = (size_t)(n[0] > n[1] ? n[0] : n[1]) + 2, size = WIND_WAVES * longest;
    if (!t->cosine) t->cosine = mem_zero(size, sizeof(float));
    if (!t->sine) t->sine = mem_zero(size, sizeof(float));
    size_t cells = (size_t)(axis_of[side] == 0 ? n[1] + 2 : n[0] + 2) *
                   (size_t)(axis_of[side] == 2 ? n[1] + 2 : n[2] + 2);
    bool good = t->cosine && t->sine;
    for (int d = 0; d < 3; d++) {
        if (!t->noise[side][d]) t->noise[side][d] = mem_zero(cells, sizeof(float));
        good = good && t->noise[side][d];
    }
    return good ? FIRN_OK : fail_memory("turbulence of the wind", (size + 3 * cells) * sizeof(float));
}

firn_status wind_blow(wind_state *s, wind_inflow_state now, double dt) {
    wind_turbulence *t = &s->turbulence;
    double speed = s->def.inflow.turbulence * hypot(now.x, now.z);
    t->blown[0] += now.x * dt, t->blown[1] += now.z * dt;
    if (s->def.inflow.turbulence == 0) return FIRN_OK;
    for (int side = 0; side < SIDES; side++) {
        if (s->side[side] != SIDE_INFLOW) continue;
        TRY(reserve(s, side));
        int axis = axis_of[side];
        side_noise w = {s, side, axis == 0 ? 1 : 0, axis == 2 ? 1 : 2, speed};
        par_for(WIND_WAVES, 16, along_side, &w);
        par_for((size_t)s->box.n[w.q] + 2, 8, noise_rows, &w);
    }
    return FIRN_OK;
}

void wind_turbulence_destroy(wind_turbulence *t) {
    for (int side = 0; side < SIDES; side++)
        for (int d = 0; d < 3; d++) mem_free(t->noise[side][d]);
    mem_free(t->cosine);
    mem_free(t->sine);
}
