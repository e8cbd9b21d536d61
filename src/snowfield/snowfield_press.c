// Bodies press the snow (FIELD11 3.3, 3.5): part is compacted, the rest leaves and is spread
// (snowfield_spread.c).
#include "snowfield/snowfield_press.h"

#include <math.h>
#include <string.h>

#include "math/dvec.h"

// Compaction of a column from depth S to S' while each bit of overlap dD sends away W rho dD (W of FIELD11
// eq. 3.9): d rho / (rho (1 - W)) = -dS / S, whose solution is rho / (rho_max - rho) ~ S^-(rho_max / (rho_max
// - rho_min)), with rho_min the density up to which none leaves. So a column ends the same however many steps
// the body took.
float snowfield_pressed_density(const snowfield_law *law, float density, float depth, float left) {
    if (density >= law->densest || left >= depth) return density;
    float power = law->densest / (law->densest - law->aside);
    if (density < law->aside) { // only pressed
        float loose = fmaxf(depth * (density / law->aside), left);
        density *= depth / loose, depth = loose;
        if (left >= depth) return density;
    }
    float ratio = density / (law->densest - density) * powf(depth / left, power);
    return isfinite(ratio) ? fminf(law->densest * (ratio / (1 + ratio)), law->densest) : law->densest;
}

// FIELD11 eq. 3.6, 3.7: displaced mass and its place.
static void note_displaced(const snowfield_state *s, const press_note *n, pressed *sum) {
    double c = s->def.cell, x = s->x0 + (n->x + 0.5) * c, z = s->z0 + (n->z + 0.5) * c;
    double mass = n->overlap * HEIGHT_UNIT * (double)n->density * c * c;
    int k = (x > sum->centre.x) + 2 * (z > sum->centre.z);
    sum->quarter[k].mass += mass;
    sum->quarter[k].at = dvec_add_scaled(sum->quarter[k].at, dvec(x, n->low * HEIGHT_UNIT, z), mass);
}

// Snow above the body ends up on top of it; snow inside is displaced or compacted.
static void press_cell(snowfield_state *s, snowfield_press *w, const snowfield_law *law,
                       const snowfield_print *p, size_t i, int32_t x, int32_t z, pressed *sum) {
    size_t cell = snowfield_cell(s, x, z);
    int32_t low = p->bottom[i], height = snowfield_surface(s, cell), mass = s->tiles.mass[cell];
    if (height <= low || mass == 0) return;
    float density = s->tiles.density[cell];
    int32_t depth = snowfield_depth(mass, density), ground = height - depth, high = p->top[i];
    if (high <= ground) return; // below the ground it is not there
    if (height > high) {
        int32_t above = int_min((int32_t)((float)mass * ((float)(height - high) / (float)depth)), mass);
        snowfield_put_top(s, snowfield_covered(s, cell), above, density);
        s->tiles.mass[cell] = mass -= above;
        depth = high - ground;
    }
    int32_t left = int_max(low - ground, 0), overlap = depth - left;
    if (overlap <= 0) return;
    if (s->tiles.crust) snowfield_crust_press(s, cell, x, z, low);
    if (s->heat.on) snowfield_frozen_press(s, cell, overlap);
    float pressed_to =
        left > 0 ? snowfield_pressed_density(law, density, (float)depth, (float)left) : density;
    int32_t stays = left > 0 ? (int32_t)((float)left * pressed_to * (float)(HEIGHT_UNIT / MASS_UNIT)) : 0;
    stays = int_min(stays, mass);
    s->tiles.mass[cell] = stays;
    s->tiles.density[cell] = pressed_to;
    press_note note = {x, z, overlap, low, density, pressed_to, mass - stays};
    press_add(w, sum, note);
    note_displaced(s, &note, sum);
}

// What comes from above presses the snow as far as it can be pressed; what comes from the side pushes it
// aside by FIELD11's law, between the densities of snow as it lies.
static snowfield_law law_against(const snowfield_law *law, firn_vec3 v) {
    snowfield_law out = *law;
    if (v.x * v.x + v.z * v.z > v.y * v.y) out.aside = law->density_min, out.densest = law->density_max;
    return out;
}

void snowfield_press_print(snowfield_state *s, snowfield_press *w, const snowfield_print *p, pressed *sum) {
    int32_t width = p->cells.x1 - p->cells.x0;
    const snowfield_law law = law_against(&s->law, sum->velocity);
    w->area = sum->area;
    w->fronts = 0;
    w->used = (snowfield_rect){0};
    memset(w->label, 0, (size_t)(w->area.x1 - w->area.x0) * (size_t)(w->area.z1 - w->area.z0));
    for (int32_t z = p->cells.z0; z < p->cells.z1; z++) {
        for (int32_t x = p->cells.x0; x < p->cells.x1; x++) {
            size_t i = (size_t)(z - p->cells.z0) * (size_t)width + (size_t)(x - p->cells.x0);
            if (p->low[i] <= p->high[i]) press_cell(s, w, &law, p, i, x, z, sum);
        }
    }
    if (sum->mass > 0) snowfield_spread(s, w, sum);
    sum->used = w->used;
}
