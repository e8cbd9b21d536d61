// firn-test: threaded
// The wind keeps what it must: no divergence, no leak, constant flow, energy; threads and restarts do not
// show.
#include "wind/winds.h"

#include "bits.h"

static void constant_flow_stays_constant(void **state) {
    (void)state;
    for (int advection = 0; advection < 2; advection++)
        for (int turn = 0; turn < 2; turn++) {
            wind_world w;
            wind_setup(&w, 20, 12, 16, 0.3);
            w.wind.advection = (firn_wind_advection)advection;
            w.wind.inflow.turn = turn * 0.6;
            firn_world *world = wind_open(&w);
            wind_steps(world, 20);
            const wind_state *s = wind_of(world);
            double angle = 1.5 * PI + turn * 0.6, u = -5 * sin(angle), z = 5 * cos(angle);
            for (int k = 1; k <= 16; k++)
                for (int j = 1; j <= 12; j++)
                    for (int i = 1; i <= 20; i++) {
                        size_t c = poisson_at(&s->box, i, j, k);
                        assert_near((double)s->v[0][c], u, 1e-5);
                        assert_near((double)s->v[1][c], 0, 1e-5);
                        assert_near((double)s->v[2][c], z, 1e-5);
                    }
            firn_world_close(world);
        }
}

static void profiles_stay(void **state) {
    (void)state;
    for (int law = FIRN_WIND_POWER; law <= FIRN_WIND_LOG; law++) {
        wind_world w;
        wind_setup(&w, 16, 10, 12, 0.2);
        w.wind.inflow.profile = (firn_wind_profile)law;
        w.wind.inflow.roughness = 0.01;
        firn_world *world = wind_open(&w);
        wind_steps(world, 10);
        const wind_state *s = wind_of(world);
        for (int j = 1; j <= 10; j++) {
            double y = j - 0.5,
                   speed = law == FIRN_WIND_POWER ? pow(y / 10, 0.15) : log1p(y / 0.01) / log1p(1000);
            for (int i = 1; i <= 17; i++)
                assert_near((double)s->v[0][poisson_at(&s->box, i, j, 6)], 5 * speed, 1e-4);
        }
        firn_world_close(world);
    }
}

// A house, a thin fence and a ball that moves.
static void village(wind_world *w) {
    wind_setup(w, 32, 16, 24, 0.25);
    wind_box(w, "house", (firn_vec3){-4, 2, 0}, (firn_vec3){5, 4, 7});
    wind_box(w, "fence", (firn_vec3){6.2, 1.5, 0}, (firn_vec3){0.02, 3, 10});
    w->wind.inflow.gusts = 0.3;
    w->wind.confinement = 0.2;
}

static firn_keyframe to_and_fro[3] = {
    {.time = 0, .at = {0, 4, 5}}, {.time = 3, .at = {3, 4, -5}}, {.time = 6, .at = {0, 4, 5}}};

static void village_with_ball(wind_world *w) {
    village(w);
    wind_ball(w, 0, 0, 0, 1.6);
    firn_body_def *ball = &w->body[w->world.bodies.count - 1];
    ball->motion.kind = FIRN_MOTION_KEYFRAMES;
    ball->motion.keyframes.items = to_and_fro;
    ball->motion.keyframes.count = 3;
}

static void nothing_diverges_and_nothing_leaks(void **state) {
    (void)state;
    for (int advection = 0; advection < 2; advection++) {
        wind_world w;
        village(&w);
        w.wind.advection = (firn_wind_advection)advection;
        firn_world *world = wind_open(&w);
        for (int n = 0; n < 20; n++) {
            wind_steps(world, 1);
            wind_state *s = wind_of(world);
            assert_true(wind_worst_divergence(s) <= w.wind.tolerance * s->reference);
            size_t faces = 0;
            for (int a = 0; a < 3; a++)
                for (size_t f = 0; f < s->faces[a].faces; f++) {
                    wind_face face = s->faces[a].face[f];
                    if (face.open > 0 || face.normal[a] != 1) continue; // in part, or along a slope
                    faces++;
                    assert_true(s->v[a][face.at] == 0);
                }
            assert_true(faces > 100);
        }
        firn_world_close(world);
    }
}

// The fence is 2 cm thick, cells are 1 m: it still closes a whole sheet of cells.
static void thin_things_are_tight(void **state) {
    (void)state;
    wind_world w;
    village(&w);
    firn_world *world = wind_open(&w);
    const wind_state *s = wind_of(world);
    for (int k = 9; k <= 16; k++)
        for (int j = 1; j <= 3; j++) {
            int closed = 0;
            for (int i = 22; i <= 24; i++) closed += s->kind[poisson_at(&s->box, i, j, k)] == POISSON_WALL;
            assert_int_equal(closed, 1);
        }
    firn_world_close(world);
}

static void moving_bodies_push_the_air(void **state) {
    (void)state;
    wind_world w;
    village_with_ball(&w);
    w.wind.inflow.speed = 0;
    w.wind.inflow.gusts = 0;
    firn_world *world = wind_open(&w);
    double most = 0;
    for (int n = 0; n < 12; n++) {
        wind_steps(world, 1);
        wind_state *s = wind_of(world);
        assert_true(wind_worst_divergence(s) <= 1.01e-3 * s->fastest + 1e-6);
        most = fmax(most, s->fastest);
    }
    assert_true(most > 1 && most < 15); // the ball moves at about 4 m/s
    firn_world_close(world);
}

static void inflow_equals_outflow(void **state) {
    (void)state;
    wind_world w;
    village(&w);
    w.wind.tolerance = 1e-6;
    firn_world *world = wind_open(&w);
    wind_steps(world, 5);
    const wind_state *s = wind_of(world);
    double in = 0, out = 0;
    for (int k = 1; k <= 24; k++)
        for (int j = 1; j <= 16; j++) {
            in += (double)s->v[0][poisson_at(&s->box, 1, j, k)];
            out += (double)s->v[0][poisson_at(&s->box, 33, j, k)];
        }
    for (int i = 1; i <= 32; i++) {
        for (int j = 1; j <= 16; j++)
            out += (double)s->v[2][poisson_at(&s->box, i, j, 25)] -
                   (double)s->v[2][poisson_at(&s->box, i, j, 1)];
        for (int k = 1; k <= 24; k++) out += (double)s->v[1][poisson_at(&s->box, i, 17, k)];
    }
    assert_true(in > 1000);
    assert_near(out / in, 1, 1e-5);
    firn_world_close(world);
}

static firn_world *make_village(void) {
    wind_world w;
    village_with_ball(&w);
    return wind_open(&w);
}

static void threads_do_not_show(void **state) {
    (void)state;
    assert_threads_do_not_show(make_village, 8);
}

static void restart_gives_the_same_bits(void **state) {
    (void)state;
    assert_restarts_after(7, make_village, 8);
}

enum { LOOKED_AT = 4 };
typedef struct shown {
    void *data[LOOKED_AT];
    size_t bytes[LOOKED_AT];
    firn_ledger ledger;
} shown;

static shown look_at(const firn_world *world) {
    static const char *const names[] = {"wind.air", "wind.grid", "wind.cover", "wind.gauges"};
    shown out;
    for (int k = 0; k < LOOKED_AT; k++) {
        firn_field f = firn_world_field(world, names[k]);
        assert_non_null(f.data);
        out.bytes[k] = f.count * f.components * (f.type == FIRN_F64 ? 8 : 4);
        out.data[k] = malloc(out.bytes[k]);
        memcpy(out.data[k], f.data, out.bytes[k]);
    }
    for (size_t i = 0; i < firn_world_ledger_count(world); i++)
        if (strcmp(firn_world_ledger(world, i).model, "wind") == 0) out.ledger = firn_world_ledger(world, i);
    return out;
}

static void assert_same_and_free(shown *a, shown *b) {
    for (int k = 0; k < LOOKED_AT; k++) {
        assert_int_equal(a->bytes[k], b->bytes[k]);
        assert_memory_equal(a->data[k], b->data[k], a->bytes[k]);
        free(a->data[k]);
        free(b->data[k]);
    }
    assert_true(a->ledger.kinetic == b->ledger.kinetic && a->ledger.momentum.x == b->ledger.momentum.x);
    assert_true(a->ledger.max_speed == b->ledger.max_speed && a->ledger.items == b->ledger.items);
}

// What is derived belongs to the state that was loaded, also where bodies and wind were others since.
static void a_load_shows_the_air_of_its_time(void **state) {
    (void)state;
    static const char windy[] = "firn: 1\nfps: 10\nmax_step: 100 ms\nbodies: {ground: {shape: plane}, ball: "
                                "{shape: {sphere: {radius: 1 "
                                "m}}, at: [-3, 3, 0], motion: kinematic}}\n"
                                "wind: {grid: [24, 12, 16], cell: 50 cm, inflow: {side: west, changes: "
                                "[{time: 0, speed: 4 m/s}, {time: "
                                "1 s, speed: 9 m/s, turn: 30 deg}]}}\nflakes: {snowfall: 20 mm/h, shown: "
                                "500}\ncover: {snow: fresh}\n";
    firn_world *world, *fresh;
    if (firn_world_open_text(windy, "air", &world) != FIRN_OK) fail_msg("%s", firn_last_error());
    assert_ok(firn_world_open_text(windy, "air", &fresh));
    void *data[2];
    size_t bytes[2];
    assert_ok(firn_world_save(world, &data[0], &bytes[0]));
    assert_ok(firn_world_body_set_target(world, 1, (firn_vec3){4, 3, 1}, (firn_quat){1, 0, 0, 0}, 1));
    assert_ok(firn_world_advance(world, 0.5));
    shown then = look_at(world), first = look_at(fresh);
    assert_ok(firn_world_save(world, &data[1], &bytes[1]));
    assert_ok(firn_world_advance(world, 0.5));
    (void)firn_world_field(world, "wind.air");
    assert_ok(firn_world_load(world, data[0], bytes[0]));
    shown loaded = look_at(world);
    assert_same_and_free(&loaded, &first);
    assert_ok(firn_world_load(world, data[1], bytes[1]));
    loaded = look_at(world);
    assert_same_and_free(&loaded, &then);
    // Looking at it changes nothing of what follows.
    assert_ok(firn_world_load(fresh, data[1], bytes[1]));
    assert_ok(firn_world_advance(fresh, 0.5));
    assert_ok(firn_world_advance(world, 0.5));
    assert_int_equal(firn_world_hash(fresh), firn_world_hash(world));
    for (int k = 0; k < 2; k++) firn_data_free(data[k]);
    firn_world_close(fresh);
    firn_world_close(world);
}

static void another_seed_gives_other_gusts(void **state) {
    (void)state;
    double low = 1, high = -1, same = 0, sum = 0;
    for (int i = 0; i < 4000; i++) {
        double a = wind_gust(1, i * 0.05), b = wind_gust(2, i * 0.05);
        assert_true(a >= -1 && a <= 1);
        assert_true(fabs(a - wind_gust(1, i * 0.05 + 1e-4)) < 0.01); // smooth
        low = fmin(low, a), high = fmax(high, a), same += a * b, sum += a;
    }
    assert_true(low < -0.5 && high > 0.5 && fabs(same) < 200 && fabs(sum) < 400);
}

static firn_wind_change_def change(double time, double speed, double turn) {
    firn_wind_change_def def = firn_wind_change_def_default();
    def.time = time, def.speed = speed, def.turn = turn;
    return def;
}

static void direction_and_speed_follow_the_changes(void **state) {
    (void)state;
    wind_world w;
    wind_setup(&w, 8, 8, 8, 0.5);
    const firn_wind_change_def changes[2] = {change(0, 2, 0), change(10, 6, PI)};
    w.wind.inflow.changes.items = changes;
    w.wind.inflow.changes.count = 2;
    firn_world *world = wind_open(&w);
    wind_state *s = wind_of(world);
    wind_inflow_state half = wind_inflow_at(s, 5), end = wind_inflow_at(s, 99);
    assert_near(half.x, 0, 1e-9);
    assert_near(half.z, 4, 1e-9); // from the north: towards the south
    assert_near(end.x, -6, 1e-9);
    for (int n = 0; n < 40; n++) {
        wind_steps(world, 1);
        assert_true(wind_worst_divergence(s) <= 1.01e-3 * s->reference);
    }
    for (int k = 1; k <= 8; k++) assert_near((double)s->v[0][poisson_at(&s->box, 4, 4, k)], -6, 0.3);
    firn_world_close(world);
}

static void bad_scenes_are_told(void **state) {
    (void)state;
    wind_world w;
    firn_world *world;
    wind_setup(&w, 8, 8, 8, 0.1);
    wind_box(&w, "block", (firn_vec3){0, 0, 0}, (firn_vec3){100, 100, 100});
    w.world.wind = &w.wind;
    w.world.bodies.items = w.body;
    assert_int_equal(firn_world_create(&w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "fill the whole domain"));
    w.world.bodies.count = 0;
    w.wind.sides.west = FIRN_WIND_WALL;
    assert_int_equal(firn_world_create(&w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "no inflow boundary"));
    w.wind.sides.east = w.wind.sides.north = w.wind.sides.south = FIRN_WIND_WALL;
    w.wind.inflow.changes.items = (firn_wind_change_def[]){change(0, 2, 0), change(10, 6, PI)};
    w.wind.inflow.changes.count = 2;
    assert_int_equal(firn_world_create(&w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "no inflow boundary"));
    w.wind.inflow.changes.count = 0;
    w.wind.sides.west = FIRN_WIND_AIR;
    w.wind.sides.top = FIRN_WIND_WALL;
    assert_int_equal(firn_world_create(&w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "no outflow boundary"));
    w.wind.sides = (firn_wind_sides_def){0};
    w.wind.grid.x = 8.5;
    assert_int_equal(firn_world_create(&w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "whole numbers"));
}

static void a_series_is_read(void **state) {
    (void)state;
    const char *path = "wind-series.csv";
    const char *const table[] = {"time,speed,direction\n0,4,270\n10,8,360\n",
                                 "time,speed,direction\n5,4,270\n3,8,0\n",
                                 "time,speed,direction\n0,400,270\n",
                                 "time,speed,direction\n",
                                 "time,speed,direction\n0,4,270\n5,,280\n",
                                 "time,speed,direction\n0,4,270\n5,fast,280\n",
                                 "time,speed\n0,4\n"};
    const char *const message[] = {NULL,
                                   "time 3 is not after 5",
                                   "speed 400 m/s is not between",
                                   "empty time series",
                                   "wind-series.csv:3:3: 'speed' is missing",
                                   "speed must be a number, not 'fast'",
                                   "no column 'direction'"};
    for (int i = 0; i < 7; i++) {
        wind_world w;
        firn_world *world;
        FILE *file = fopen(path, "w");
        fputs(table[i], file);
        fclose(file);
        wind_setup(&w, 4, 4, 4, 0.1);
        w.wind.inflow.series = path;
        w.world.wind = &w.wind;
        firn_status status = firn_world_create(&w.world, &world);
        if (message[i]) {
            assert_int_equal(status, FIRN_BAD_INPUT);
            assert_non_null(strstr(firn_last_error(), message[i]));
            continue;
        }
        assert_ok(status);
        wind_inflow_state half = wind_inflow_at(wind_of(world), 5); // from the north-west
        assert_near(half.x, 6 * sqrt(0.5), 1e-9);
        assert_near(half.z, 6 * sqrt(0.5), 1e-9);
        firn_world_close(world);
    }
    remove(path);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    failing_allocator f;
    for (size_t n = 1;; n++) {
        wind_world w;
        firn_world *world;
        wind_setup(&w, 6, 5, 4, 0.1);
        wind_ball(&w, 0, 2, 0, 1.2);
        w.world.wind = &w.wind;
        w.world.bodies.items = w.body;
        fail_allocation(&f, n);
        firn_status status = firn_world_create(&w.world, &world);
        if (status == FIRN_OK) firn_world_close(world);
        firn_set_allocator(NULL);
        if (status == FIRN_OK) break;
        assert_int_equal(status, FIRN_NO_MEMORY);
    }
}

// The sweeps of WIND12: each makes the divergence smaller, and enough of them give what multigrid gives.
static double jacobi_residual(int sweeps, float *difference) {
    wind_world w;
    firn_world *world[2];
    for (int k = 0; k < 2; k++) {
        wind_setup(&w, 20, 10, 12, 0.1);
        wind_ball(&w, 0, 4, 0, 2.5);
        w.wind.pressure = k ? FIRN_WIND_JACOBI : FIRN_WIND_MULTIGRID;
        w.wind.sweeps = sweeps;
        w.wind.tolerance = 1e-5;
        world[k] = wind_open(&w);
        assert_ok(firn_world_step(world[k]));
    }
    const wind_state *a = wind_of(world[0]), *b = wind_of(world[1]);
    *difference = 0;
    for (size_t i = 0; i < a->box.size; i++)
        for (int c = 0; c < 3; c++)
            if (a->kind[i] == POISSON_FREE) *difference = fmaxf(*difference, fabsf(a->v[c][i] - b->v[c][i]));
    double residual = (double)b->last.residual;
    assert_true(residual < (double)b->last.start);
    firn_world_close(world[0]);
    firn_world_close(world[1]);
    return residual;
}

static void jacobi_pressure_converges_to_multigrid(void **state) {
    (void)state;
    const int sweeps[] = {10, 40, 160, 4000};
    double before = INFINITY;
    float difference = 0, last = INFINITY;
    for (int i = 0; i < 4; i++, last = difference) {
        double residual = jacobi_residual(sweeps[i], &difference);
        print_message("%d sweeps: residual %.3g, velocities off by %.3g m/s\n", sweeps[i], residual,
                      (double)difference);
        assert_true(residual < before && difference < last);
        before = residual;
    }
    assert_true(difference < 0.01f);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobi_pressure_converges_to_multigrid),
        cmocka_unit_test(constant_flow_stays_constant),
        cmocka_unit_test(profiles_stay),
        cmocka_unit_test(nothing_diverges_and_nothing_leaks),
        cmocka_unit_test(thin_things_are_tight),
        cmocka_unit_test(moving_bodies_push_the_air),
        cmocka_unit_test(inflow_equals_outflow),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(restart_gives_the_same_bits),
        cmocka_unit_test(a_load_shows_the_air_of_its_time),
        cmocka_unit_test(another_seed_gives_other_gusts),
        cmocka_unit_test(direction_and_speed_follow_the_changes),
        cmocka_unit_test(bad_scenes_are_told),
        cmocka_unit_test(a_series_is_read),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
