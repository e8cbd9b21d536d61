/* The smallest program that uses firn: a hare of packed snow falls on a slope while grains of snow pour over
   it.

   cc hello.c $(pkg-config --cflags --libs firn) -o hello && ./hello */
#include <firn/firn.h>

#include <stdio.h>

static int failed(const char *doing) {
    fprintf(stderr, "%s: %s\n", doing, firn_last_error());
    return 1;
}

int main(void) {
    /* Every struct comes with defaults; a program fills in what differs. */
    firn_body_def bodies[2] = {firn_body_def_default(), firn_body_def_default()};
    bodies[0].name = "slope";
    bodies[0].shape.kind = FIRN_SHAPE_PLANE;
    bodies[0].rotate = (firn_vec3){0, 0, 0.2};
    bodies[1].name = "hare";
    bodies[1].shape.kind = FIRN_SHAPE_HARE;
    bodies[1].shape.height = 0.5;
    bodies[1].at = (firn_vec3){0, 1, 0};
    bodies[1].snow = "packed";
    bodies[1].motion.kind = FIRN_MOTION_DYNAMIC;

    firn_grains_fill_def heap = firn_grains_fill_def_default();
    heap.name = "heap";
    heap.fill.shape.kind = FIRN_SHAPE_SPHERE;
    heap.fill.shape.radius = 0.3;
    heap.fill.at = (firn_vec3){0, 2.5, 0};
    heap.spacing = 0.03;
    firn_grains_def grains = firn_grains_def_default();
    grains.radius = 0.01;
    grains.fill.items = &heap;
    grains.fill.count = 1;

    firn_world_def def = firn_world_def_default();
    def.bodies.items = bodies;
    def.bodies.count = 2;
    def.grains = &grains;

    firn_world *world;
    if (firn_world_create(&def, &world) != FIRN_OK) return failed("cannot build the world");
    size_t hare = firn_world_body_find(world, "hare");
    for (int frame = 1; frame <= 10; frame++) {
        if (firn_world_advance(world, 0.1) != FIRN_OK) return failed("cannot step");
        firn_body_state state = firn_world_body_state(world, hare);
        printf("%.1f s: the hare is at %.2f, %.2f, %.2f m\n", firn_world_time(world), state.position.x,
               state.position.y, state.position.z);
    }

    /* Fields are pointers into the world: nothing is copied. */
    firn_field position = firn_world_field(world, "grains.position");
    const float *first = position.data;
    if (first && position.count)
        printf("%zu grains; the first is %.2f %s high\n", position.count, first[1], position.unit);
    firn_world_close(world);
    return 0;
}
