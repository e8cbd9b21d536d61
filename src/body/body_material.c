// Material of a body: its own values, else those of its snow type, else defaults.
#include "base/auto.h"
#include "base/hash.h"
#include "body/body_set.h"
#include "snow/snow_type.h"

static const double USUAL_DENSITY = 600, USUAL_FRICTION = 0.5, USUAL_RESTITUTION = 0.1;

// Muted colours with contrast to snow, linear RGB.
static const firn_vec3 palette[] = {
    {0.55, 0.12, 0.09}, {0.08, 0.22, 0.45}, {0.10, 0.34, 0.18}, {0.60, 0.36, 0.06}, {0.28, 0.12, 0.36},
    {0.05, 0.33, 0.36}, {0.50, 0.19, 0.25}, {0.32, 0.26, 0.18}, {0.16, 0.17, 0.20}, {0.42, 0.40, 0.12},
};

static firn_vec3 choose_color(const firn_body_def *def, const snow_type *snow) {
    if (!firn_is_auto(def->color.x)) return def->color;
    if (snow) return dvec(snow->color[0], snow->color[1], snow->color[2]);
    if (def->shape.kind == FIRN_SHAPE_PLANE || def->shape.kind == FIRN_SHAPE_HEIGHT_MAP ||
        def->shape.kind == FIRN_SHAPE_HILLS)
        return dvec(0.62, 0.65, 0.70); // ground: a cold grey
    return palette[hash64_text(def->name, 0) % (sizeof palette / sizeof palette[0])];
}

static double either(double given, bool has_snow, double of_snow, double usual) {
    return auto_or(given, has_snow ? of_snow : usual);
}

static void invert(const double m[3][3], double out[3][3]) {
    firn_vec3 r[3];
    for (int k = 0; k < 3; k++) r[k] = dvec(m[k][0], m[k][1], m[k][2]);
    double det = dvec_dot(r[0], dvec_cross(r[1], r[2]));
    firn_vec3 c[3] = {dvec_cross(r[1], r[2]), dvec_cross(r[2], r[0]), dvec_cross(r[0], r[1])};
    for (int k = 0; k < 3; k++) {
        out[0][k] = c[k].x / det;
        out[1][k] = c[k].y / det;
        out[2][k] = c[k].z / det;
    }
}

static firn_status take_mass(const firn_body_def *def, double density, body_item *item) {
    shape_mass m;
    if (!shape_mass_of(item->shape, &m) || !(m.volume > 0))
        return fail(FIRN_BAD_INPUT, "body '%s' cannot be dynamic: its shape has no volume", def->name);
    item->mass = m.volume * density;
    item->centre = m.centre;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) item->inertia[i][j] = density * (m.inertia[i][j] + m.inertia[j][i]) / 2;
    invert(item->inertia, item->inverse_inertia);
    for (int i = 0; i < 3; i++)
        if (!(item->inertia[i][i] > 0 && item->inverse_inertia[i][i] > 0 &&
              isfinite(item->inverse_inertia[i][i])))
            return fail(FIRN_BAD_INPUT, "body '%s' cannot be dynamic: its moment of inertia is not positive",
                        def->name);
    return FIRN_OK;
}

void body_take_surface(const firn_body_def *def, const model_setting *setting, body_item *item) {
    const snow_type found = snow_type_of(setting->def, def->snow ? def->snow : "packed");
    const snow_type *snow = def->snow ? &found : NULL;
    item->friction = either(def->friction, snow, snow ? snow->friction : 0, USUAL_FRICTION);
    item->restitution = either(def->restitution, snow, snow ? snow->restitution : 0, USUAL_RESTITUTION);
    item->rolling_friction = auto_or(def->rolling_friction, (double)NAN);
    item->contact = def->contact;
    item->temperature = auto_or(def->temperature, (double)NAN);
    item->heat_contact = auto_or(def->heat_contact, (double)INFINITY);
}

firn_status body_take_material(const firn_body_def *def, const model_setting *setting, body_item *item) {
    if (def->snow && !snow_type_known(setting->def, def->snow))
        return fail(FIRN_BAD_INPUT, "body '%s': unknown snow type '%s'", def->name, def->snow);
    const snow_type found = snow_type_of(setting->def, def->snow ? def->snow : "packed");
    const snow_type *snow = def->snow ? &found : NULL;
    body_take_surface(def, setting, item);
    item->color = choose_color(def, snow);
    if (item->motion != FIRN_MOTION_DYNAMIC) return FIRN_OK;
    return take_mass(def, either(def->density, snow, snow ? snow->density : 0, USUAL_DENSITY), item);
}
