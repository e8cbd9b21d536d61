// firn-test: slow
// Looking only at what moves gives the same bits as sweeping everything.
#include "snowfield/snowfield_world.h"

#include "snowfield/snowfield_inside.h"

static void balls(snowfield_world *w, int count) {
    static char names[64][8];
    snowfield_setup(w, 300);
    for (int b = 0; b < count; b++) {
        snprintf(names[b], sizeof names[b], "b%d", b);
        w->body[b] = firn_body_def_default();
        w->body[b].name = names[b];
        w->body[b].shape = (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 0.1 + 0.02 * (b % 5)};
        w->body[b].motion.kind = FIRN_MOTION_DYNAMIC;
        w->body[b].at = (firn_vec3){-2.5 + b % 6, 0.5 + 0.05 * (b % 3), -2.2 + 0.9 * (b / 6)};
        w->body[b].velocity = (firn_vec3){2 - b % 4, -1, 1 - b % 3};
    }
    w->world.bodies.count = (size_t)count;
}

// In the second run every cell of the field is looked at in the first sweep of every step.
static void test_dirty_tiles_are_a_full_sweep(void **state) {
    (void)state;
    for (int sweeps = 0; sweeps < 12; sweeps += 4) {
        snowfield_world w;
        balls(&w, 24);
        w.field.sweeps = sweeps;
        if (sweeps == 8)
            w.field.depth = 0.03; // rims so thin that their last grains lie still on steep ground
        firn_world *few = snowfield_open(&w), *all = snowfield_open(&w);
        snowfield_state *s = state_of(all);
        for (int i = 0; i < 60; i++) {
            step_field(few, 1);
            snowfield_rect everything = {0, 0, s->nx, s->nz};
            assert_ok(snowfield_tiles_make(s, everything));
            snowfield_touch(s, everything);
            step_field(all, 1);
            snowfield_map a = map_of(few), b = map_of(all);
            size_t bytes = (size_t)(a.nx * a.nz) * sizeof(double);
            if (memcmp(a.depth, b.depth, bytes) != 0 || memcmp(a.density, b.density, bytes) != 0)
                fail_msg("step %d with at most %d sweeps differs", i, sweeps);
            map_free(&a), map_free(&b);
        }
        assert_true(state_of(few)->counters[COUNTER_OUT] == 0); // walls all around: not one unit
        firn_world_close(few);
        firn_world_close(all);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dirty_tiles_are_a_full_sweep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
