// The wind blows on cloth and ropes by the area that they turn towards it, and drags liquids and solids of
// pbd along as particles.
#include <math.h>

#include "math/dvec.h"
#include "pbd/pbd.h"
#include "world/couple_list.h"
#include "world/couple_wind.h"

#include "wind/wind.h"

static const double PI = 3.14159265358979;
static const double ROPE_DRAG = 1.2; // of a cylinder across the wind
static const double MOST_SLOWED = 1; // of the wind, at a wide sheet across it

firn_status air_find_facets(coupling *c, air_work *w) {
    const offer_facets *offer = c->kind->b->offers->facets;
    w->facet_count = offer->count(c->b);
    if (!array_reserve(&w->facet, &w->facet_capacity, w->facet_count, sizeof *w->facet))
        return fail_memory("blowing on cloth", w->facet_count * sizeof *w->facet);
    offer->read(c->b, 0, w->facet_count, w->facet);
    for (size_t i = 0; i < w->facet_count; i++)
        for (int k = 0; k < (w->facet[i].width > 0 ? 2 : 4); k++) w->caught[w->facet[i].corner[k]] = 1;
    return FIRN_OK;
}

typedef struct plate {
    double density, area, mass, factor;
    double across; // m/s against the air, along its normal
    double along;  // and across that
} plate;

// C_n = C_90 (4 + pi) sin(a) / (4 + pi sin(a)) at an angle a to the wind (Rayleigh 1876, for its form).
static double plate_rate(const plate *p) {
    double speed = hypot(p->across, p->along), sine = speed > 0 ? fabs(p->across) / speed : 1;
    return 0.5 * p->density * AIR_PLATE_DRAG * (4 + PI) / (4 + PI * sine) * p->area * speed;
}

// Across a rope; along it there is nearly nothing.
static double rope_rate(const plate *p) { return 0.5 * p->density * ROPE_DRAG * p->area * p->along; }

static double friction_rate(const plate *p) {
    return 0.5 * p->density * AIR_PLATE_FRICTION * p->area * p->along;
}

// kg: of a force for each m/s (kg/s). What holds the cloth bears all of it; free, it goes no further than the
// wind.
static double resistance_of(const plate *p, double rate, double dt) {
    return fmin(p->factor * rate * dt, p->mass);
}

// ---- What a cloth as a whole does to the air around it: its forces are those of the undisturbed wind, and
// the air at it has lost what it gave.

typedef struct sheet_sum {
    firn_vec3 at, air;    // mean place and air
    firn_vec3 wind;       // that blows on it
    double keep;          // how much of the differences of the air is not its own doing
    double area, towards; // m2; and across the wind
    double radius;        // m
} sheet_sum;

// Facets [begin, end) of one cloth.
static size_t end_of(const air_work *w, size_t begin) {
    size_t end = begin + 1;
    uint32_t part = w->item[w->facet[begin].corner[0]].part;
    while (end < w->facet_count && w->item[w->facet[end].corner[0]].part == part) end++;
    return end;
}

static bool measure(const air_work *w, const offer_facet *f, double normal[3], double *area);

static sheet_sum sum_of(const coupling *c, const air_work *w, size_t begin, size_t end) {
    sheet_sum s = {0};
    double share = 1 / (double)(end - begin);
    for (size_t i = begin; i < end; i++) {
        const uint32_t p = w->facet[i].corner[0];
        s.at = dvec_add_scaled(s.at, dvec_of_floats(w->at[p]), share);
        s.air = dvec_add_scaled(s.air, dvec_of_floats(w->air[p].velocity), share);
    }
    for (size_t i = begin; i < end; i++)
        s.radius = fmax(s.radius, dvec_distance(s.at, dvec_of_floats(w->at[w->facet[i].corner[0]])));
    firn_vec3 beside = air_beside(c, s.at, s.radius);
    double speed = dvec_length(beside);
    for (size_t i = begin; i < end; i++) {
        double n[3], area;
        if (!measure(w, &w->facet[i], n, &area)) continue;
        s.area += area;
        s.towards += area * fabs(dvec_dot(dvec(n[0], n[1], n[2]), beside)) / fmax(speed, 1e-9);
    }
    // It can be no more than what a cloth of that area across the wind does.
    firn_vec3 missing = dvec_sub(beside, s.air);
    double most = MOST_SLOWED * speed * s.towards / fmax(s.area, 1e-12), length = dvec_length(missing);
    s.wind = dvec_add_scaled(s.air, missing, length > most ? most / length : 1);
    s.keep = speed > 0 ? fmax(1 - fmin(length, most) / speed, 0) : 1;
    return s;
}

// Middle, velocity and air of a facet; false: some corner is not in air.
static bool read_facet(const air_work *w, const offer_facet *f, int corners, offer_resistance *r, plate *p,
                       const sheet_sum *sheet, double against[3]) {
    const double mean[3] = {sheet->air.x, sheet->air.y, sheet->air.z};
    const double wind[3] = {sheet->wind.x, sheet->wind.y, sheet->wind.z};
    double density = 0;
    for (int d = 0; d < 3; d++) {
        double at = 0, v = 0, air = 0;
        for (int k = 0; k < corners; k++) {
            uint32_t i = f->corner[k];
            at += (double)w->at[i][d] / corners;
            v += (double)w->item[i].velocity[d] / corners;
            air += (double)w->air[i].velocity[d] / corners;
        }
        r->at[d] = (float)at;
        against[d] = wind[d] + sheet->keep * (air - mean[d]) - v;
    }
    for (int k = 0; k < corners; k++) density += (double)w->air[f->corner[k]].density / corners;
    p->density = density;
    p->mass = (double)w->item[f->corner[0]].mass;
    return density > 0;
}

static double side_between(const air_work *w, uint32_t a, uint32_t b, double out[3]) {
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        out[d] = w->item[b].at[d] - w->item[a].at[d];
        sum += out[d] * out[d];
    }
    return sqrt(sum);
}

// Normal and area; false: it is torn, or folded to nothing.
static bool measure(const air_work *w, const offer_facet *f, double normal[3], double *area) {
    double one[3], two[3], n[3], length;
    if (f->width > 0) {
        length = side_between(w, f->corner[0], f->corner[1], n);
        *area = length * (double)f->width;
        if (length > 2 * (double)f->edge) return false;
    } else {
        double a = side_between(w, f->corner[0], f->corner[2], one);
        double b = side_between(w, f->corner[1], f->corner[3], two);
        for (int d = 0; d < 3; d++)
            n[d] = one[(d + 1) % 3] * two[(d + 2) % 3] - one[(d + 2) % 3] * two[(d + 1) % 3];
        length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        *area = 0.5 * length;
        if (fmax(a, b) > 3 * (double)f->edge) return false;
    }
    for (int d = 0; d < 3 && length > 0; d++) normal[d] = n[d] / length;
    return length > 0;
}

static bool resist(const air_work *w, const offer_facet *f, const sheet_sum *sheet, double factor, double dt,
                   offer_resistance *r) {
    plate p = {.factor = factor};
    double against[3], normal[3], speed2 = 0;
    bool rope = f->width > 0;
    if (!read_facet(w, f, rope ? 2 : 4, r, &p, sheet, against) || !measure(w, f, normal, &p.area))
        return false;
    for (int d = 0; d < 3; d++) {
        p.across += against[d] * normal[d];
        speed2 += against[d] * against[d];
    }
    p.along = sqrt(fmax(speed2 - p.across * p.across, 0));
    double along = rope ? 0 : resistance_of(&p, plate_rate(&p), dt); // kg, along the normal
    double across = resistance_of(&p, rope ? rope_rate(&p) : friction_rate(&p), dt);
    for (int d = 0; d < 3; d++) {
        double held = 0;
        for (int k = 0; k < 3; k++)
            held += fabs((d == k ? across : 0) + (along - across) * normal[d] * normal[k]);
        r->held[d] = (float)held;
        r->impulse[d] = (float)(across * against[d] + (along - across) * p.across * normal[d]);
    }
    return true;
}

firn_status air_drag_facets(coupling *c, air_work *w, double dt) {
    const double factor = ((const firn_drag_def *)c->params)->drag;
    size_t count = 0;
    for (size_t begin = 0, end; begin < w->facet_count; begin = end) {
        end = end_of(w, begin);
        bool rope = w->facet[begin].width > 0;
        sheet_sum sheet = rope ? (sheet_sum){.keep = 1} : sum_of(c, w, begin, end);
        for (size_t i = begin; i < end; i++)
            if (resist(w, &w->facet[i], &sheet, factor, dt, &w->listed[count]))
                w->number[count++] = (uint32_t)i;
    }
    TRY(c->kind->a->offers->medium->drag(c->a, count, w->listed));
    for (size_t k = 0; k < count; k++) {
        const offer_facet *f = &w->facet[w->number[k]];
        int corners = f->width > 0 ? 2 : 4;
        for (int d = 0; d < 3; d++) {
            c->sum->impulse[d] += (double)w->listed[k].impulse[d];
            for (int j = 0; j < corners; j++)
                w->change[f->corner[j]][d] +=
                    w->listed[k].impulse[d] / ((float)corners * w->item[f->corner[j]].mass);
        }
    }
    return FIRN_OK;
}

const coupling_class couple_wind_pbd = {
    .name = "wind_pbd",
    .passes = PASSES_IMPULSE,
    .a = &wind_model,
    .b = &pbd_model,
    .what =
        "the wind blows on cloth and ropes and carries drops and loose solids along, and they slow it down",
    .help =
        "Each square of cloth feels a force along its normal, C rho w_n |w| A / 2 with C = 1.17 where it "
        "stands across the wind and Rayleigh's form for other angles, and a little friction along it; each "
        "piece of rope the drag of a cylinder, C = 1.2 across it. Drops, loose solids and soft ones are "
        "dragged along as spheres, those within a block or a pool are sheltered. The air loses what they "
        "gain.",
    .create = air_create,
    .after_b = air_after_particles,
    .exchange = air_exchange,
    .end = air_end,
};
