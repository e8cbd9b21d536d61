/* A game with snow: a foot walks over a snow field, a crate lies on it. The game moves the foot and says
   before each of its frames where it will be; firn moves the crate. After each frame the game reads what
   changed of the surface, and what the snow did to the foot.

   cc game_field.c $(pkg-config --cflags --libs firn) -lm -o game_field && ./game_field */
#include <firn/firn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 256, RECTANGLES = 64 };
static const double cell_size = 0.02, snow_depth = 0.2, frame = 1.0 / 60;

/* What a game would hand to its graphics card: the heights of the whole field. */
static float heights[CELLS * CELLS];

static int failed(const char *doing) {
    fprintf(stderr, "%s: %s\n", doing, firn_last_error());
    return 1;
}

static firn_status create_world(firn_world **world) {
    firn_body_def bodies[3] = {firn_body_def_default(), firn_body_def_default(), firn_body_def_default()};
    bodies[0].name = "ground";
    bodies[0].shape.kind = FIRN_SHAPE_PLANE;
    bodies[1].name = "foot"; /* moved by us */
    bodies[1].shape.kind = FIRN_SHAPE_BOX;
    bodies[1].shape.size = (firn_vec3){0.28, 0.1, 0.1};
    bodies[1].motion.kind = FIRN_MOTION_KINEMATIC;
    bodies[1].at = (firn_vec3){-1.5, 0.5, 0};
    bodies[2].name = "crate"; /* moved by firn */
    bodies[2].shape.kind = FIRN_SHAPE_BOX;
    bodies[2].shape.size = (firn_vec3){0.4, 0.4, 0.4};
    bodies[2].motion.kind = FIRN_MOTION_DYNAMIC;
    bodies[2].density = 200;
    bodies[2].at = (firn_vec3){0.5, 0.6, 1};

    firn_snowfield_def field = firn_snowfield_def_default();
    field.width = field.length = CELLS * cell_size;
    field.cell = cell_size;
    field.depth = snow_depth;

    firn_world_def def = firn_world_def_default();
    def.bodies.items = bodies;
    def.bodies.count = 3;
    def.field = &field;
    return firn_world_create(&def, world);
}

/* Down, forward, up: a step every half second, 12 cm deep into the snow. */
static firn_vec3 foot_at(double time) {
    double phase = 2 * 3.14159265358979 * time / 0.5;
    return (firn_vec3){-1.5 + 0.6 * (time - sin(phase) / 12.57),
                       0.05 + snow_depth - 0.12 + 0.16 * (1 - cos(phase)) / 2, 0};
}

/* Copies the rectangles that changed into our picture of the field. */
static size_t update_heights(firn_world *world) {
    firn_cells changed[RECTANGLES];
    firn_snowfield field;
    size_t cells = 0, count;
    if (firn_world_snowfield(world, &field) != FIRN_OK) return 0;
    while ((count = firn_world_snowfield_changes(world, changed, RECTANGLES)) > 0)
        for (size_t i = 0; i < count; i++)
            for (int32_t z = changed[i].z0; z < changed[i].z1; z++) {
                firn_cells row = {changed[i].x0, z, changed[i].x1, z + 1};
                firn_snowfield_read(&field, row, heights + z * CELLS + row.x0, NULL, NULL);
                cells += (size_t)(row.x1 - row.x0);
            }
    return cells;
}

int main(void) {
    firn_world *world;
    if (create_world(&world) != FIRN_OK) return failed("cannot build the world");
    size_t foot = firn_world_body_find(world, "foot"), crate = firn_world_body_find(world, "crate");
    for (size_t i = 0; i < CELLS * CELLS; i++) heights[i] = (float)snow_depth; /* untouched snow */
    firn_world_set_budget(world, 0.004); /* s: the game has other things to do */

    double hardest = 0;
    size_t updated = 0;
    for (int i = 1; i <= 240; i++) {
        firn_quat straight = {1, 0, 0, 0};
        if (firn_world_body_set_target(world, foot, foot_at(i * frame), straight, frame) != FIRN_OK)
            return failed("cannot move the foot");
        if (firn_world_advance(world, frame) != FIRN_OK) return failed("cannot step");
        updated += update_heights(world);
        double force = firn_world_body_reaction(world, foot).impulse.y / frame;
        if (force > hardest) hardest = force;
    }

    float lowest = heights[0], highest = heights[0];
    for (size_t i = 0; i < CELLS * CELLS; i++) {
        if (heights[i] < lowest) lowest = heights[i];
        if (heights[i] > highest) highest = heights[i];
    }
    firn_body_state box = firn_world_body_state(world, crate);
    printf("%.1f s: the deepest print is %.1f cm deep, the highest rim %.1f cm high\n",
           firn_world_time(world), 100 * (snow_depth - lowest), 100 * (highest - snow_depth));
    printf("the snow held the foot with up to %.0f N; the crate's middle rests at %.2f m\n", hardest,
           box.position.y);
    printf("%.1f %% of the field were copied per frame\n", 100.0 * (double)updated / (240.0 * CELLS * CELLS));
    firn_world_close(world);
    /* A game would go on; this one checks that it saw what it should. */
    return lowest < snow_depth - 0.1 && highest > snow_depth && hardest > 0 && box.position.y > 0
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
