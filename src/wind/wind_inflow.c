// The undisturbed wind: over time and over height.
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/random.h"
#include "wind/wind_state.h"

#define PI 3.14159265358979323846

// Compass angle of each side.
static double side_angle(firn_wind_side side) {
    static const double angle[] = {1.5 * PI, 0.5 * PI, 0, PI};
    return angle[side];
}

static firn_status read_series(wind_state *s, const firn_wind_def *def) {
    static const char *const names[] = {"time", "speed", "direction"};
    char path[PATH_ROOM];
    csv_table table;
    path_join(s->setting.folder ? s->setting.folder : ".", def->inflow.series, path, sizeof path);
    TRY(csv_read(path, names, 3, &table));
    firn_status status = table.rows ? FIRN_OK : fail(FIRN_BAD_INPUT, "%s: empty time series", path);
    s->change_count = table.rows;
    s->changes = mem_zero(table.rows, sizeof *s->changes);
    if (status == FIRN_OK && !s->changes)
        status = fail_memory("reading the wind", table.rows * sizeof *s->changes);
    for (size_t i = 0; status == FIRN_OK && i < table.rows; i++) {
        const double *row = table.value + 3 * i;
        s->changes[i] = (firn_wind_change_def){
            .time = row[0], .speed = row[1], .turn = row[2] * PI / 180 - side_angle(def->inflow.side)};
        if (i > 0 && !(row[0] > row[-3]))
            status =
                fail(FIRN_BAD_INPUT, "%s: row %zu: time %g is not after %g", path, i + 1, row[0], row[-3]);
        else if (!(row[1] >= 0 && row[1] <= 100))
            status = fail(FIRN_BAD_INPUT, "%s: row %zu: speed %g m/s is not between 0 and 100", path, i + 1,
                          row[1]);
    }
    csv_free(&table);
    return status;
}

firn_status wind_read_changes(wind_state *s, const firn_wind_def *def) {
    if (def->inflow.series && def->inflow.series[0]) return read_series(s, def);
    s->change_count = def->inflow.changes.count ? def->inflow.changes.count : 1;
    s->changes = mem_zero(s->change_count, sizeof *s->changes);
    if (!s->changes) return fail_memory("creating the wind", s->change_count * sizeof *s->changes);
    s->changes[0] = (firn_wind_change_def){.speed = def->inflow.speed, .turn = def->inflow.turn};
    if (def->inflow.changes.count)
        memcpy(s->changes, def->inflow.changes.items, s->change_count * sizeof *s->changes);
    return FIRN_OK;
}

static double profile_at(const firn_wind_inflow_def *in, double y) {
    y = fmax(y, 0);
    switch (in->profile) {
    case FIRN_WIND_POWER: return pow(y / in->height, in->exponent);
    case FIRN_WIND_LOG: return log1p(y / in->roughness) / log1p(in->height / in->roughness);
    default: return 1;
    }
}

// Heights count from the snow at the border, if it stops the wind: the ground before the domain is like that
// behind its border. Of a cell that the snow cuts the part above it counts; outside the domain is as inside.
void wind_set_profile(wind_state *s) {
    const int32_t n = s->box.n[1];
    const double snow = banks_height(s);
    for (int32_t j = 0; j <= n + 1; j++) {
        double top = j < 1 ? 1 : j > n ? n : j, middle = top - 0.5;
        if (snow > 0) middle = snow < top - 1 ? middle - snow : 0.5 * fmax(0, top - snow);
        s->profile[j] = (float)profile_at(&s->def.inflow, middle * s->def.cell);
    }
}

// Random values at whole numbers, a smooth curve between them.
static double smooth_noise(uint64_t seed, double t, uint32_t stream) {
    double whole = floor(t), f = t - whole, end[2];
    for (int i = 0; i < 2; i++) {
        random4 r = random_bits(seed, (uint64_t)(int64_t)whole + (uint64_t)i, stream, 0x77696e64u);
        end[i] = 2 * (double)random_unit(r, 0) - 1;
    }
    return end[0] + (end[1] - end[0]) * f * f * (3 - 2 * f);
}

double wind_gust(uint64_t seed, double time) {
    return (4 * smooth_noise(seed, 2 * time, 0) + 2 * smooth_noise(seed, 4 * time, 1) +
            smooth_noise(seed, 8 * time, 2)) /
           7;
}

wind_inflow_state wind_inflow_at(const wind_state *s, double time) {
    size_t next = 0;
    while (next < s->change_count && s->changes[next].time <= time) next++;
    firn_wind_change_def a = s->changes[next ? next - 1 : 0];
    firn_wind_change_def b = s->changes[next < s->change_count ? next : s->change_count - 1];
    double span = b.time - a.time, f = span > 0 ? (time - a.time) / span : 0;
    double speed = a.speed + f * (b.speed - a.speed), turn = a.turn + f * (b.turn - a.turn);
    const firn_wind_inflow_def *in = &s->def.inflow;
    if (in->gusts > 0) speed *= 1 + in->gusts * wind_gust(s->setting.seed, time / in->gust_time);
    double angle = side_angle(in->side) + turn, x = -sin(angle), z = cos(angle);
    if (fabs(x) < 1e-12) x = 0; // straight from a side is straight
    if (fabs(z) < 1e-12) z = 0;
    double top = 0;
    for (int32_t j = 1; j <= s->box.n[1]; j++) top = fmax(top, (double)s->profile[j]);
    return (wind_inflow_state){speed * x, speed * z, speed * top};
}
