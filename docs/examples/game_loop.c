/* A game loop at 60 Hz: a snowball is thrown at a crate that the game has just dropped, a hand takes hold of
   a cloth on a line and lets go, the wind turns, the crate is taken away again. The game saves to memory,
   goes on, goes back and plays the same inputs again: it arrives at the same bits.

   cc game_loop.c $(pkg-config --cflags --libs firn) -lm -o game_loop && ./game_loop */
#include <firn/firn.h>

#include <stdio.h>

static const char scene[] =
    "firn: 1\n"
    "fps: 60\n"
    "bodies:\n"
    "  ground: {shape: plane}\n"
    "  hand: {shape: {sphere: {radius: 4 cm}}, at: [-1, 0.96, 0.15], motion: kinematic}\n"
    "mpm: {cell: 5 cm, snow: {heap: {shape: {sphere: {radius: 12 cm}}, at: [0, 0.12, 0]}}}\n"
    "pbd:\n"
    "  solids: {cloth: {lattice: [9, 9, 1], spacing: 6 cm, at: [-1, 1.2, 0], density: 30 kg/m3}}\n"
    "  pins: {line: {shape: {box: {size: [0.6, 0.05, 0.1]}}, at: [-1, 1.44, 0]}}\n"
    "wind: {cell: 50 cm, grid: [8, 6, 8], inflow: {speed: 2 m/s}}\n"
    "flakes: {snowfall: 20 mm/h, shown: 100}\n";

static firn_status drop_crate(firn_world *world) {
    firn_body_def crate = firn_body_def_default();
    crate.name = "crate";
    crate.shape.kind = FIRN_SHAPE_BOX;
    crate.shape.size = (firn_vec3){0.3, 0.3, 0.3};
    crate.at = (firn_vec3){0.6, 0.3, 0};
    crate.motion.kind = FIRN_MOTION_DYNAMIC;
    crate.density = 200;
    return firn_world_add_body(world, &crate, NULL);
}

static firn_status throw_snowball(firn_world *world) {
    firn_mpm_snow_def ball = firn_mpm_snow_def_default();
    ball.name = "snowball";
    ball.fill.shape.kind = FIRN_SHAPE_SPHERE;
    ball.fill.shape.radius = 0.1;
    ball.fill.at = (firn_vec3){-0.2, 0.7, 0};
    ball.velocity = (firn_vec3){4, 0, 0};
    return firn_world_add_snow(world, &ball);
}

/* What of the cloth is near the hand goes with it from now on. */
static firn_status grab_cloth(firn_world *world) {
    size_t hand = firn_world_body_find(world, "hand");
    firn_pbd_pin_def grip = firn_pbd_pin_def_default();
    grip.name = "grip";
    grip.where.shape.kind = FIRN_SHAPE_SPHERE;
    grip.where.shape.radius = 0.2;
    grip.where.at = firn_world_body_state(world, hand).position;
    grip.body = "hand";
    firn_status status = firn_world_add_pin(world, &grip);
    const firn_vec3 to = {-1, 1.1, 0.4};
    const firn_quat upright = {1, 0, 0, 0};
    return status == FIRN_OK ? firn_world_body_set_target(world, hand, to, upright, 0.2) : status;
}

/* What the player does before frame number `frame`. */
static firn_status inputs(firn_world *world, int frame) {
    switch (frame) {
    case 5: return drop_crate(world);
    case 10: return throw_snowball(world);
    case 12: return grab_cloth(world);
    case 20: return firn_world_set(world, "wind.inflow.speed", 6);
    case 25: return firn_world_remove(world, "bodies.crate");
    case 28: return firn_world_remove(world, "pbd.pins.grip");
    case 30: return firn_world_remove(world, "mpm.snow.snowball");
    default: return FIRN_OK;
    }
}

static firn_status play(firn_world *world, int from, int to) {
    firn_status status = FIRN_OK;
    for (int frame = from; frame < to && status == FIRN_OK; frame++) {
        status = inputs(world, frame);
        if (status == FIRN_OK) status = firn_world_advance(world, 1.0 / 60);
        /* here a game would draw: firn/surface.h has meshes, firn_world_body_state poses */
    }
    return status;
}

int main(void) {
    firn_world *world;
    void *saved = NULL;
    size_t bytes;
    uint64_t first = 0, again = 1;
    firn_status status = firn_world_open_text(scene, "game_loop", &world);
    if (status == FIRN_OK) status = play(world, 0, 8);
    if (status == FIRN_OK) status = firn_world_save(world, &saved, &bytes);
    if (status == FIRN_OK) status = play(world, 8, 35);
    if (status == FIRN_OK) first = firn_world_hash(world);
    if (status == FIRN_OK)
        status = firn_world_load(world, saved, bytes); /* with the crate, without the snowball */
    if (status == FIRN_OK) status = play(world, 8, 35);
    if (status == FIRN_OK) again = firn_world_hash(world);
    if (status != FIRN_OK) fprintf(stderr, "%s\n", firn_last_error());
    for (size_t i = 0; status == FIRN_OK && i < firn_world_ledger_count(world); i++) {
        firn_ledger l = firn_world_ledger(world, i);
        printf("%-6s %8.3f kg came, %8.3f kg left, %8.3f kg are there\n", l.model, l.mass_in, l.mass_out,
               l.mass);
    }
    printf("%s\n", first == again ? "the same bits again" : "something differs");
    firn_data_free(saved);
    firn_world_close(world);
    return status == FIRN_OK && first == again ? 0 : 1;
}
