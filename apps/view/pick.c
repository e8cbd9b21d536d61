// What was clicked on, in words: values of a body, a particle, the snow below.
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

void pick_describe(const firn_world *world, picked *p) {
    p->text[0] = p->name[0] = 0;
    p->movable = false;
    p->quantities = 0;
    p->time = firn_world_time(world);
    if (p->hit.what == 0) {
        add(p, "nothing there");
        return;
    }
    if (p->hit.what == FIRN_RAY_BODIES)
        describe_body(world, p);
    else if (p->hit.what == FIRN_RAY_PARTICLES)
        describe_particle(world, p);
    else
        describe_snow(world, p);
    add(p, "at %.3f %.3f %.3f m", p->hit.point.x, p->hit.point.y, p->hit.point.z);
}
