// Grains: links that form, break and heal; lumps that keep their shape, loose ones that make a pile.
#include "phase/snowy.h"

static double length_of(const phase *m, uint32_t a, uint32_t b) {
    return dvec_distance(pbd_place(m->s, m->links.place[a]), pbd_place(m->s, m->links.place[b]));
}

// Both ends know a link, alike and once; none has more than its slots.
static void assert_symmetric(const phase *m) {
    const phase_links *l = &m->links;
    for (uint32_t a = 0; a < l->numbers; a++) {
        assert_true(l->count[a] <= l->most);
        for (uint32_t k = 0; k < l->count[a]; k++) {
            uint32_t b = l->partner[a * l->most + k], found = 0;
            for (uint32_t n = 0; n < l->count[b]; n++)
                found += l->partner[b * l->most + n] == a &&
                         l->length[b * l->most + n] == l->length[a * l->most + k];
            assert_true(b != a && found == 1);
        }
    }
}

static size_t links_between(const phase *m, uint32_t border) {
    size_t found = 0;
    for (uint32_t a = 0; a < border; a++)
        for (uint32_t k = 0; k < m->links.count[a]; k++)
            found += m->links.partner[a * m->links.most + k] >= border;
    return found;
}

static void test_slots(void **state) {
    (void)state;
    assert_int_equal(phase_slots(0, 0, -30, 12), 0);
    assert_int_equal(phase_slots(1, 0, -30, 12), 0);
    assert_int_equal(phase_slots(-10, 0, -30, 12), 4);
    assert_int_equal(phase_slots(-11, 0, -30, 12), 4); // 4.4
    assert_int_equal(phase_slots(-12, 0, -30, 12), 5); // 4.8
    assert_int_equal(phase_slots(-30, 0, -30, 12), 12);
    assert_int_equal(phase_slots(-90, 0, -30, 12), 12);
    assert_int_equal(phase_slots(-3, -2, -4, 7), 4);
}

static const char *const halves =
    "firn: 1\nwatch_energy: no\n" // the test pushes them
    "gravity: [0, 0, 0]\n"
    "phase:\n"
    "  heat: {exchange: 0}\n"
    "  links: {break_strain: 0.2, shape: 0}\n"
    "  snow:\n"
    "    left: {shape: {box: {size: [11.696 cm, 11.696 cm, 11.696 cm]}}, at: [0, 0, 0], temperature: -40 C}\n"
    "    right: {shape: {box: {size: [11.696 cm, 11.696 cm, 11.696 cm]}}, at: [11.7 cm, 0, 0], temperature: "
    "-40 "
    "C}\n";

static void push_right(phase *m, uint32_t border, float speed) {
    for (size_t i = 0; i < m->s->p.count; i++)
        if (m->s->p.id[i] >= border) m->s->p.v[i][0] = speed;
}

// Two halves grow together, are torn apart, and grow together again where they are pushed together.
static void test_links_break_and_heal(void **state) {
    (void)state;
    firn_world *world = snowy_open(halves);
    phase *m = snowy_model(world);
    const uint32_t border = 64;
    assert_int_equal(m->s->p.count, 2 * border);
    snowy_run(world, 1);
    assert_symmetric(m);
    assert_int_equal(links_between(m, border), 16);
    assert_int_equal(m->lumps.lumps, 1);
    push_right(m, border, 8);
    snowy_run(world, 20);
    assert_symmetric(m);
    for (uint32_t a = 0; a < m->links.numbers; a++)
        for (uint32_t k = 0; k < m->links.count[a]; k++)
            assert_true(length_of(m, a, m->links.partner[a * m->links.most + k]) <
                        1.25 * (double)m->links.length[a * m->links.most + k]);
    assert_int_equal(links_between(m, border), 0);
    assert_int_equal(m->lumps.lumps, 2);
    for (int k = 0; k < 45; k++) push_right(m, border, -2), snowy_run(world, 2);
    assert_symmetric(m);
    assert_true(links_between(m, border) >= 4);
    // Warm snow holds nothing.
    for (size_t i = 0; i < m->s->p.count; i++) phase_enthalpy(m)[i] = heat_enthalpy(&m->law, -0.1, 0);
    snowy_run(world, 5);
    for (uint32_t a = 0; a < m->links.numbers; a++) assert_int_equal(m->links.count[a], 0);
    firn_world_close(world);
}

// ---- dropped

typedef struct fallen {
    double height, start;  // m, of the centres, above the lowest at the start and above the ground's grains
    double mean_y, mean_r; // m
    double links;
} fallen;

static fallen drop(const char *mode) {
    char words[600];
    snprintf(words, sizeof words,
             "firn: 1\n"
             "bodies: {ground: {shape: plane, friction: 1}}\n"
             "phase:\n"
             "  links: {mode: %s}\n"
             "  heat: {exchange: 0}\n"
             "  snow: {cube: {shape: {box: {size: [23.3 cm, 23.3 cm, 23.3 cm]}}, at: [0, 40 cm, 0],\n"
             "                temperature: -10 C, pattern: jittered}}\n",
             mode);
    firn_world *world = snowy_open(words);
    const phase *m = snowy_model(world);
    double low = INFINITY;
    for (size_t i = 0; i < m->s->p.count; i++) low = fmin(low, m->s->p.at[i][1]);
    fallen f = {.start = snowy_top(m) - low};
    snowy_run(world, 1000);
    firn_vec3 middle = {0};
    size_t n = m->s->p.count;
    double radius = (double)m->s->groups[0].radius;
    for (size_t i = 0; i < n; i++) middle = dvec_add_scaled(middle, pbd_place(m->s, i), 1 / (double)n);
    for (size_t i = 0; i < n; i++) {
        f.mean_r += hypot(m->s->p.at[i][0] - middle.x, m->s->p.at[i][2] - middle.z) / (double)n;
        f.links += m->links.count[i] / (double)n;
    }
    f.mean_y = middle.y;
    f.height = snowy_top(m) - radius;
    firn_world_close(world);
    return f;
}

// A cone has a quarter of its height for a mean height and half of its radius for a mean radius.
static void test_drops(void **state) {
    (void)state;
    fallen none = drop("none"), all = drop("all"), dynamic = drop("dynamic");
    assert_near(all.height / all.start, 1, 0.1);
    assert_true(none.height < 0.5 * all.height);
    assert_true(dynamic.mean_y > 1.3 * none.mean_y && dynamic.mean_y < 0.97 * all.mean_y);
    assert_true(none.links == 0 && dynamic.links > 3 && dynamic.links < 4.01 &&
                all.links > dynamic.links + 1);
    double slope = atan(2 * none.mean_y / none.mean_r) * 180 / M_PI;
    assert_true(slope > 17 && slope < 30); // friction 0.35 to 0.5: 19 to 27 degrees
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_links_break_and_heal),
        cmocka_unit_test(test_drops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
