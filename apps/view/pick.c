// What was clicked on, in words: values of a body, a particle, the snow below, a cell of the wind.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "drawer.h"

static void add(picked *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(picked *p, const char *format, ...) {
    size_t length = strlen(p->text);
    va_list list;
    va_start(list, format);
    vsnprintf(p->text + length, sizeof p->text - length, format, list);
    va_end(list);
}

static void add_quantity(picked *p, const char *name, const char *unit, double value) {
    if (p->quantities == PICK_NUMBERS) return;
    pick_number *n = &p->quantity[p->quantities++];
    snprintf(n->name, sizeof n->name, "%s", name);
    snprintf(n->unit, sizeof n->unit, "%s", unit);
    n->value = value;
}

static double length_of(firn_vec3 v) { return sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

// The inverse of a rotation, applied to a vector.
static firn_vec3 turned_back(firn_quat q, firn_vec3 v) {
    firn_vec3 t = {2 * (-q.y * v.z + q.z * v.y), 2 * (-q.z * v.x + q.x * v.z), 2 * (-q.x * v.y + q.y * v.x)};
    return (firn_vec3){v.x + q.w * t.x - q.y * t.z + q.z * t.y, v.y + q.w * t.y - q.z * t.x + q.x * t.z,
                       v.z + q.w * t.z - q.x * t.y + q.y * t.x};
}

static void describe_body(const firn_world *world, picked *p) {
    firn_body_state b = firn_world_body_state(world, p->hit.body);
    firn_vec3 arm = {p->hit.point.x - b.position.x, p->hit.point.y - b.position.y,
                     p->hit.point.z - b.position.z};
    snprintf(p->name, sizeof p->name, "%s", firn_world_body_name(world, p->hit.body));
    p->grip = turned_back(b.rotation, arm);
    p->movable = b.mass > 0;
    add(p, "body %s\nposition %.3f %.3f %.3f m\nspeed %.3f m/s, spin %.3f rad/s\n", p->name, b.position.x,
        b.position.y, b.position.z, length_of(b.velocity), length_of(b.spin));
    if (p->movable) add(p, "mass %.3f kg\n", b.mass);
    add_quantity(p, "height", "m", b.position.y);
    add_quantity(p, "x", "m", b.position.x);
    add_quantity(p, "z", "m", b.position.z);
    add_quantity(p, "speed", "m/s", length_of(b.velocity));
    add_quantity(p, "spin", "rad/s", length_of(b.spin));
}

static double value_at(const firn_field *f, size_t index) {
    switch (f->type) {
    case FIRN_F32: return (double)((const float *)f->data)[index];
    case FIRN_F64: return ((const double *)f->data)[index];
    case FIRN_I32: return ((const int32_t *)f->data)[index];
    case FIRN_U32: return ((const uint32_t *)f->data)[index];
    case FIRN_U64: return (double)((const uint64_t *)f->data)[index];
    }
    return NAN;
}

static firn_field sibling(const firn_world *world, const picked *p, const char *name) {
    char whole[96];
    snprintf(whole, sizeof whole, "%s.%s", p->hit.model, name);
    return firn_world_field(world, whole);
}

// Where the particle is now among the others; false: it is gone.
static bool find_particle(const firn_world *world, picked *p) {
    firn_field id = sibling(world, p, "id"), at = sibling(world, p, "position");
    bool known = id.data && id.components == 1 && id.count == at.count;
    if (known && !p->has_id && p->hit.item < id.count) {
        p->has_id = true;
        p->id = value_at(&id, p->hit.item);
    }
    bool there = p->hit.item < at.count && (!known || value_at(&id, p->hit.item) == p->id);
    for (size_t i = 0; known && !there && i < id.count; i++) {
        if (value_at(&id, i) != p->id) continue;
        p->hit.item = i;
        there = true;
    }
    return there;
}

static void add_field(picked *p, const firn_field *f, const char *name) {
    double sum = 0;
    size_t first = p->hit.item * f->components;
    for (uint32_t c = 0; c < f->components; c++) {
        double value = value_at(f, first + c);
        bool whole = f->type != FIRN_F32 && f->type != FIRN_F64;
        add(p, whole ? " %.0f" : " %.4g", value == 0 ? 0 : value); // no "-0"
        sum += value * value;
    }
    if (f->components == 1 && strcmp(name, "id") != 0) add_quantity(p, name, f->unit, value_at(f, first));
    if (strcmp(name, "position") == 0) add_quantity(p, "height", "m", value_at(f, first + 1));
    if (strcmp(name, "velocity") == 0) add_quantity(p, "speed", "m/s", sqrt(sum));
}

// All shown fields of the particle's model that have as many items as its positions.
static void describe_particle(const firn_world *world, picked *p) {
    char name[96];
    snprintf(name, sizeof name, "%s.position", p->hit.model);
    size_t items = firn_world_field(world, name).count, length = strlen(p->hit.model);
    if (!find_particle(world, p)) {
        add(p, "this particle is gone\n");
        return;
    }
    add(p, "%s particle %zu\n", p->hit.model, p->hit.item);
    for (size_t i = 0; i < firn_world_field_count(world); i++) {
        firn_field f = firn_world_field_at(world, i);
        bool own = strncmp(f.name, p->hit.model, length) == 0 && f.name[length] == '.';
        if (!own || !(f.flags & FIRN_FIELD_SHOWN) || f.count != items || f.components > 3 || !f.data)
            continue;
        add(p, "%s", f.name + length + 1);
        add_field(p, &f, f.name + length + 1);
        add(p, " %s\n", f.unit);
    }
}

static void describe_snow(const firn_world *world, picked *p) {
    const double place[2] = {p->hit.point.x, p->hit.point.z};
    double depth = p->hit.depth, surface = p->hit.point.y;
    if (firn_world_depth(world, 1, place, &depth, &surface) == FIRN_OK)
        add_quantity(p, "surface", "m", surface);
    add(p, "%s\ndepth %.3f m\n", p->hit.what == FIRN_RAY_COVER ? "snow cover" : "snow field", depth);
    add_quantity(p, "depth", "m", depth);
}

// ---- Air.

// A place of the wind's grid, of the values that are shown.
typedef struct air_cell {
    size_t item;
    firn_vec3 middle;
    double edge; // m
} air_cell;

static bool air_cell_at(const firn_world *world, firn_vec3 at, air_cell *out) {
    firn_field grid = firn_world_field(world, "wind.grid"), air = firn_world_field(world, "wind.air");
    if (!grid.data || grid.type != FIRN_F64 || grid.count < 7 || !air.data || air.components != 3)
        return false;
    const double *g = grid.data, place[3] = {at.x, at.y, at.z};
    double n[3], middle[3];
    for (int k = 0; k < 3; k++) {
        n[k] = round((place[k] - g[k]) / g[3]);
        if (!(n[k] >= 0 && n[k] < g[4 + k])) return false;
        middle[k] = g[k] + n[k] * g[3];
    }
    *out = (air_cell){(size_t)(n[0] + g[4] * (n[1] + g[5] * n[2])), {middle[0], middle[1], middle[2]}, g[3]};
    return out->item < air.count;
}

// What the air does in front of what was hit, or in the picked cell.
static void describe_air(const firn_world *world, picked *p) {
    static const char *const names[] = {"air along x", "air along y", "air along z"};
    firn_field grid = firn_world_field(world, "wind.grid"), air = firn_world_field(world, "wind.air"),
               gauges = firn_world_field(world, "wind.gauges");
    firn_vec3 at = p->hit.point, n = p->hit.normal;
    air_cell c;
    double off =
        grid.data && grid.type == FIRN_F64 && grid.count > 3 ? 0.5 * ((const double *)grid.data)[3] : 0;
    firn_vec3 before = {at.x + off * n.x, at.y + off * n.y, at.z + off * n.z};
    if (!air_cell_at(world, before, &c) && !air_cell_at(world, at, &c)) return;
    const double v[3] = {value_at(&air, 3 * c.item), value_at(&air, 3 * c.item + 1),
                         value_at(&air, 3 * c.item + 2)};
    double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (p->air) add(p, "cell of the wind, %.3g m wide\n", c.edge);
    add(p, "air %.3f m/s: %.3f %.3f %.3f\n", speed, v[0], v[1], v[2]);
    add_quantity(p, "air", "m/s", speed);
    for (int k = 0; k < 3; k++) add_quantity(p, names[k], "m/s", v[k]);
    if (gauges.data && gauges.components == 3 && c.item < gauges.count) {
        double pressure = value_at(&gauges, 3 * c.item), warmth = value_at(&gauges, 3 * c.item + 2);
        add(p, "pressure %.3f Pa above that around\n", pressure);
        add_quantity(p, "air pressure", "Pa", pressure);
        if (warmth != 0) add(p, "warmer by %.3f K\n", warmth);
        if (warmth != 0) add_quantity(p, "air warmer by", "K", warmth);
    }
    if (p->air) p->hit.point = c.middle;
}

bool pick_find(const firn_world *world, const firn_ray *ray, const firn_vec3 *air, picked *p) {
    air_cell c;
    firn_vec3 o = ray->origin, d = ray->direction;
    p->has_id = p->air = false;
    if (firn_world_ray(world, o, d, 1e4, &p->hit) != FIRN_OK) return false;
    bool fixed = p->hit.what == FIRN_RAY_BODIES && !(firn_world_body_state(world, p->hit.body).mass > 0) &&
                 !air_cell_at(world, p->hit.point, &c);
    if (!air || (p->hit.what != 0 && !fixed)) return true;
    double along = ((air->x - o.x) * d.x + (air->y - o.y) * d.y + (air->z - o.z) * d.z) /
                   (d.x * d.x + d.y * d.y + d.z * d.z);
    firn_vec3 at = {o.x + along * d.x, o.y + along * d.y, o.z + along * d.z};
    p->air = along > 0 && air_cell_at(world, at, &c);
    if (p->air) p->hit = (firn_hit){.body = SIZE_MAX, .item = SIZE_MAX, .point = c.middle};
    return true;
}

void pick_describe(const firn_world *world, picked *p) {
    p->text[0] = p->name[0] = 0;
    p->movable = false;
    p->quantities = 0;
    p->time = firn_world_time(world);
    if (p->hit.what == 0 && !p->air) {
        add(p, "nothing there");
        return;
    }
    if (p->hit.what == FIRN_RAY_BODIES)
        describe_body(world, p);
    else if (p->hit.what == FIRN_RAY_PARTICLES)
        describe_particle(world, p);
    else if (!p->air)
        describe_snow(world, p);
    describe_air(world, p);
    add(p, "at %.3f %.3f %.3f m", p->hit.point.x, p->hit.point.y, p->hit.point.z);
}
