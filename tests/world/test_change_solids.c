// Cloth, ropes and soft bodies that are added and removed while a world runs.
#include "world/changes.h"

#include <string.h>

static const firn_constraint_class tether_class = {
    "tether", "m", "two particles keep their distance", 2, 1, tether, tether_rest};

// One solid of each sort, a pinned one behind one that goes; water that comes behind all of them.
static const char scene[] =
    "firn: 1\n"
    "fps: 50\n"
    "bodies: {ground: {shape: plane}}\n"
    "pbd:\n"
    "  iterations: 6\n"
    "  SOLVER\n"
    "  solids:\n"
    "    block: {shape: {box: {size: [0.3, 0.3, 0.3]}}, spacing: 6 cm, at: [1.2, 0.4, 0]}\n"
    "    cloth: {lattice: [7, 7, 1], spacing: 8 cm, at: [0, 1.4, 0], links: neighbours, density: 20 kg/m3}\n"
    "    jelly: {shape: {box: {size: [0.3, 0.3, 0.3]}}, spacing: 6 cm, at: [-1, 0.5, 0], links: shape,\n"
    "            volume_stiffness: 1e5 Pa}\n"
    "    rope: {lattice: [9, 1, 1], spacing: 6 cm, at: [0, 2, 1], links: neighbours, neighbours: 2}\n"
    "  pins:\n"
    "    corner: {shape: {sphere: {radius: 5 cm}}, at: [-0.24, 1.64, 0]}\n"
    "    end: {shape: {sphere: {radius: 4 cm}}, at: [-0.24, 2, 1]}\n"
    "  constraints:\n"
    "    tie: {kind: tether, particles: [{solid: cloth, number: 6}, {solid: rope, number: 8}]}\n"
    "    mend: {kind: tether, particles: [{solid: rope, number: 2}, {solid: rope, number: 6}]}\n"
    "  fluid: {spacing: 8 cm, pools: {pool: {shape: {box: {size: [0.5, 0.5, 0.5]}}, at: [0, 0.3, 0]}}}\n";

enum { ROOM = sizeof scene + 64 };
static const char *scene_with(const char *solver, char text[ROOM]) {
    const char *at = strstr(scene, "SOLVER");
    snprintf(text, ROOM, "%.*s%s%s", (int)(at - scene), scene, solver, at + strlen("SOLVER"));
    return text;
}
static firn_world *open_solids(void) {
    char text[ROOM];
    return open_text(scene_with("solver: gauss_seidel", text));
}

static void check_balance(const firn_world *world) {
    firn_ledger l = ledger_of(world, "pbd");
    assert_near(l.mass, l.mass_in - l.mass_out, 1e-9 * l.mass_in);
}

static size_t count_of(const firn_world *world, const char *field) {
    return firn_world_field(world, field).count;
}

// The particles of a group: how many, their mean position and the farthest two along an axis.
typedef struct part {
    size_t count;
    firn_vec3 mean;
    double low[3], high[3];
} part;
static part part_of(const firn_world *world, uint32_t group) {
    firn_field f = firn_world_field(world, "pbd.group");
    const uint32_t *own = f.data;
    const double(*x)[3] = firn_world_field(world, "pbd.position").data;
    part p = {0, {0, 0, 0}, {1e9, 1e9, 1e9}, {-1e9, -1e9, -1e9}};
    for (size_t i = 0; i < f.count; i++) {
        if (own[i] != group) continue;
        p.count++;
        p.mean.x += x[i][0], p.mean.y += x[i][1], p.mean.z += x[i][2];
        for (int a = 0; a < 3; a++) {
            p.low[a] = fmin(p.low[a], x[i][a]);
            p.high[a] = fmax(p.high[a], x[i][a]);
        }
    }
    if (p.count) p.mean.x /= (double)p.count, p.mean.y /= (double)p.count, p.mean.z /= (double)p.count;
    return p;
}

static firn_status add_sheet(firn_world *world, const char *name) {
    firn_pbd_solid_def def = firn_pbd_solid_def_default();
    def.name = name;
    def.lattice = (firn_vec3){6, 1, 6};
    def.spacing = 0.07;
    def.density = 50;
    def.links = FIRN_PBD_NEIGHBOURS;
    def.fill.at = (firn_vec3){1.2, 1.2, 0};
    return firn_world_add_solid(world, &def);
}

static firn_status add_ball(firn_world *world, const char *name) {
    firn_pbd_solid_def def = firn_pbd_solid_def_default();
    def.name = name;
    def.fill.shape.kind = FIRN_SHAPE_SPHERE;
    def.fill.shape.radius = 0.15;
    def.spacing = 0.06;
    def.links = FIRN_PBD_SHAPE;
    def.volume_stiffness = 1e5;
    def.fill.at = (firn_vec3){-1, 1.2, 0};
    return firn_world_add_solid(world, &def);
}

static void test_comes(void **state) {
    (void)state;
    firn_world *world = open_solids();
    frames(world, 5);
    firn_ledger before = ledger_of(world, "pbd");
    size_t links = count_of(world, "pbd.links");
    part water = part_of(world, 4), rope = part_of(world, 3);
    assert_ok(add_sheet(world, "sheet"));
    part sheet = part_of(world, 4), after = part_of(world, 5);
    assert_int_equal(sheet.count, 36);
    assert_true(after.count == water.count && after.mean.y == water.mean.y);
    assert_near(ledger_of(world, "pbd").mass - before.mass, 36 * 50 * 0.07 * 0.07 * 0.07, 1e-4);
    assert_true(count_of(world, "pbd.links") > links + 2 * 36);
    assert_int_equal(count_of(world, "pbd.pins"), 2);
    assert_ok(add_ball(world, "ball"));
    frames(world, 60);
    check_balance(world);
    sheet = part_of(world, 4);
    part ball = part_of(world, 5), jelly = part_of(world, 2), block = part_of(world, 0);
    assert_true(sheet.mean.y > block.mean.y && sheet.mean.y < 1); // it lies on the block
    assert_true(sheet.high[0] - sheet.low[0] > 0.2 &&
                sheet.high[0] - sheet.low[0] < 0.45); // and holds together
    assert_true(ball.mean.y < 1);
    assert_near(ball.high[1] - ball.low[1], 0.24, 0.05); // it keeps its shape
    assert_true(jelly.count > 0 && part_of(world, 3).count == rope.count);
    firn_world_close(world);
}

static void test_goes(void **state) {
    (void)state;
    firn_world *world = open_solids();
    frames(world, 5);
    firn_ledger before = ledger_of(world, "pbd");
    part rope = part_of(world, 3), water = part_of(world, 4);
    size_t links = count_of(world, "pbd.links");
    assert_int_equal(count_of(world, "pbd.constraint_number"), 2);
    assert_ok(firn_world_remove(world, "pbd.solids.cloth"));
    assert_int_equal(part_of(world, 1).count, 0);
    assert_true(part_of(world, 3).mean.y == rope.mean.y && part_of(world, 4).mean.x == water.mean.x);
    assert_near(before.mass - ledger_of(world, "pbd").mass, 49 * 20 * 0.08 * 0.08 * 0.08, 1e-5);
    assert_true(ledger_of(world, "pbd").mass_out > 0);
    check_balance(world);
    assert_int_equal(count_of(world, "pbd.pins"), 1);              // that of the rope holds on
    assert_int_equal(count_of(world, "pbd.constraint_number"), 1); // and what is within it
    assert_true(count_of(world, "pbd.links") < links);
    frames(world, 12);
    part now = part_of(world, 3);
    assert_near(now.high[1], 2, 1e-3); // it hangs on its pin
    assert_true(now.low[1] < 1.8);
    assert_ok(firn_world_remove(world, "pbd.solids.block"));
    assert_ok(firn_world_remove(world, "pbd.solids.jelly"));
    assert_ok(firn_world_remove(world, "pbd.solids.rope"));
    frames(world, 5);
    firn_ledger end = ledger_of(world, "pbd");
    assert_int_equal(end.items, water.count);
    check_balance(world);
    assert_ok(add_sheet(world, "cloth")); // the name is free
    frames(world, 5);
    assert_int_equal(part_of(world, 4).count, 36);
    firn_world_close(world);
}

static void tie(firn_world *world, const char *name, const char *a, const char *b) {
    firn_pbd_particle_def ends[2] = {firn_pbd_particle_def_default(), firn_pbd_particle_def_default()};
    firn_pbd_constraint_def def = firn_pbd_constraint_def_default();
    ends[0].solid = a, ends[1].solid = b;
    ends[0].number = 3, ends[1].number = 5;
    def.name = name;
    def.kind = "tether";
    def.particles.items = ends, def.particles.count = 2;
    assert_ok(firn_world_add_constraint(world, &def));
}

static void act(firn_world *world, int part_number) {
    switch (part_number) {
    case 0:
        frames(world, 2);
        assert_ok(add_sheet(world, "sheet"));
        tie(world, "string", "sheet", "block");
        return;
    case 1: {
        frames(world, 2);
        assert_ok(firn_world_remove(world, "pbd.solids.cloth")); // in front of others
        firn_pbd_pool_def pool = firn_pbd_pool_def_default();
        pool.name = "cup";
        pool.fill.shape.kind = FIRN_SHAPE_SPHERE;
        pool.fill.shape.radius = 0.2;
        pool.fill.at = (firn_vec3){0, 1.2, -0.6};
        assert_ok(firn_world_add_pool(world, &pool));
        return;
    }
    case 2: {
        frames(world, 2);
        firn_body_def stone = firn_body_def_default(); // all is rebuilt
        stone.name = "stone";
        stone.shape.kind = FIRN_SHAPE_SPHERE;
        stone.shape.radius = 0.2;
        stone.at = (firn_vec3){-1, 0.1, 0.4};
        assert_ok(firn_world_add_body(world, &stone, NULL));
        assert_ok(add_ball(world, "cloth"));
        firn_pbd_pin_def pin = firn_pbd_pin_def_default();
        pin.name = "nail";
        pin.where.shape.kind = FIRN_SHAPE_SPHERE;
        pin.where.shape.radius = 0.05;
        pin.where.at = (firn_vec3){-1, 1.2, 0};
        assert_ok(firn_world_add_pin(world, &pin));
        return;
    }
    default:
        frames(world, 2);
        assert_ok(firn_world_remove(world, "pbd.solids.sheet"));
        assert_ok(firn_world_remove(world, "pbd.solids.jelly"));
        assert_ok(firn_world_set(world, "pbd.solids.rope.stiffness", 1e3));
        frames(world, 2);
    }
}

static void test_same_bits(void **state) {
    (void)state;
    char text[ROOM];
    assert_same_play(scene_with("solver: gauss_seidel", text), act, 4);
    assert_same_play(scene_with("solver: jacobi_particle", text), act, 4);
}

// Into a scene that has only water: then the contacts, links and clusters are the first.
static void test_first_solid(void **state) {
    (void)state;
    static const char bare[] = "firn: 1\n"
                               "fps: 50\n"
                               "bodies: {ground: {shape: plane}}\n"
                               "pbd: {fluid: {spacing: 8 cm, pools: {pool: {shape: {box: {size: [0.4, 0.4, "
                               "0.4]}}, at: [0, 0.3, 0]}}}}\n";
    firn_world *a = open_text(bare), *b = open_text(bare);
    void *data[2];
    size_t bytes[2];
    frames(a, 2);
    assert_ok(add_sheet(a, "sheet"));
    assert_ok(add_ball(a, "ball"));
    assert_ok(firn_world_save(a, &data[0], &bytes[0]));
    frames(a, 3);
    assert_ok(firn_world_remove(a, "pbd.solids.sheet"));
    assert_ok(firn_world_remove(a, "pbd.solids.ball"));
    assert_ok(firn_world_save(a, &data[1], &bytes[1]));
    frames(a, 3);
    check_balance(a);
    for (int k = 1; k >= 0; k--) {
        assert_ok(firn_world_load(b, data[k], bytes[k]));
        if (k == 0) {
            frames(b, 3);
            assert_ok(firn_world_remove(b, "pbd.solids.sheet"));
            assert_ok(firn_world_remove(b, "pbd.solids.ball"));
        }
        frames(b, 3);
        assert_true(firn_world_hash(a) == firn_world_hash(b));
        firn_data_free(data[k]);
    }
    firn_world_close(a);
    firn_world_close(b);
}

static firn_status surface_of(firn_world *world, const char *name, firn_surface *out) {
    firn_status status = firn_world_surface_request(world, name, NULL, NULL);
    return status == FIRN_OK ? firn_world_surface_wait(world, name, out) : status;
}

// Surfaces follow what is there, and keep what is built under their names.
static void test_surfaces(void **state) {
    (void)state;
    static const char bare[] = "firn: 1\n"
                               "bodies: {ground: {shape: plane}}\n"
                               "pbd: {fluid: {spacing: 8 cm, pools: {first: {shape: {box: {size: [0.3, "
                               "0.3, 0.3]}}, at: [3, 0.5, 0]}}}}\n";
    firn_world *world = open_text(bare);
    firn_surface oil, same, sheet;
    assert_int_equal(firn_world_surface_count(world), 1);
    firn_pbd_pool_def pool = firn_pbd_pool_def_default();
    pool.name = "oil";
    pool.color = (firn_vec3){0.5, 0.4, 0.1};
    pool.fill.shape.kind = FIRN_SHAPE_BOX;
    pool.fill.shape.size = (firn_vec3){0.5, 0.5, 0.5};
    pool.fill.at = (firn_vec3){0, 0.5, 0};
    assert_ok(firn_world_add_pool(world, &pool));
    assert_int_equal(firn_world_surface_count(world), 2);
    assert_ok(surface_of(world, "pbd.oil", &oil));
    assert_near(oil.volume, 0.125, 0.04);
    assert_ok(firn_world_surface_request(world, "pbd.oil", NULL, NULL)); // being built meanwhile
    assert_ok(add_sheet(world, "sheet"));
    assert_int_equal(firn_world_surface_count(world), 3);
    assert_ok(firn_world_surface_wait(world, "pbd.oil", &same));
    assert_true(same.volume == oil.volume);
    assert_ok(surface_of(world, "pbd.oil", &same)); // from where the oil is now
    assert_true(same.volume == oil.volume && same.mesh.vertices == oil.mesh.vertices);
    assert_ok(surface_of(world, "pbd.sheet", &sheet));
    assert_int_equal(sheet.mesh.vertices, 2 * 11 * 11); // of both sides; each square of 6 x 6 points is four
    assert_ok(firn_world_remove(world, "pbd.solids.sheet"));
    assert_int_equal(firn_world_surface_count(world), 2);
    assert_int_equal(surface_of(world, "pbd.sheet", &sheet), FIRN_BAD_INPUT);
    assert_ok(surface_of(world, "pbd.oil", &same));
    assert_true(same.volume == oil.volume);
    frames(world, 1);
    firn_world_close(world);
}

static void test_what_cannot_be(void **state) {
    (void)state;
    firn_world *world = open_solids();
    frames(world, 2);
    uint64_t before = firn_world_hash(world);
    assert_int_equal(add_sheet(world, "rope"), FIRN_BAD_INPUT); // there is one
    firn_pbd_solid_def flat = firn_pbd_solid_def_default();
    flat.name = "flat";
    flat.lattice = (firn_vec3){5, 1, 5};
    flat.fill.at.y = 3;
    flat.volume_stiffness = 1e4; // found when the constraints are made
    assert_int_equal(firn_world_add_solid(world, &flat), FIRN_BAD_INPUT);
    assert_string_equal(firn_last_error(), "pbd.solids.flat: a flat or thin solid has no volume to conserve");
    flat.volume_stiffness = 0;
    flat.velocity.y = 1e5;
    assert_int_equal(firn_world_add_solid(world, &flat), FIRN_BAD_INPUT); // more than max_speed
    assert_int_equal(firn_world_remove(world, "pbd.solids.nothing"), FIRN_BAD_INPUT);
    assert_true(firn_world_hash(world) == before);
    flat.velocity.y = 0;
    assert_ok(firn_world_add_solid(world, &flat));
    flat.name = "again";
    assert_int_equal(firn_world_add_solid(world, &flat), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "are both at"));
    frames(world, 1);
    check_balance(world);
    firn_world_close(world);
}

static void test_memory_may_run_out(void **state) {
    (void)state;
    firn_world *world = open_solids(), *other = open_solids();
    frames(world, 1);
    frames(other, 1);
    assert_all_or_nothing(world, add_sheet, "sheet");
    assert_all_or_nothing(world, add_ball, "ball");
    assert_all_or_nothing(world, firn_world_remove, "pbd.solids.cloth");
    assert_ok(add_sheet(other, "sheet"));
    assert_ok(add_ball(other, "ball"));
    assert_ok(firn_world_remove(other, "pbd.solids.cloth"));
    frames(world, 2);
    frames(other, 2);
    check_balance(world);
    assert_true(firn_world_hash(world) == firn_world_hash(other)); // what failed has left nothing behind
    firn_world_close(world);
    firn_world_close(other);
}

static int set_up(void **state) {
    (void)state;
    assert_ok(firn_register_constraint(&tether_class));
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comes),
        cmocka_unit_test(test_goes),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_first_solid),
        cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_what_cannot_be),
        cmocka_unit_test(test_memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
