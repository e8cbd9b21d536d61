// The headers are fit for C++.
#include <firn/firn.h>

#include <cstdio>

int main() {
    firn_body_def ball = firn_body_def_default();
    ball.name = "ball";
    ball.shape.kind = FIRN_SHAPE_SPHERE;
    ball.shape.radius = 0.1;
    ball.motion.kind = FIRN_MOTION_DYNAMIC;
    ball.at.y = 10;
    firn_world_def def = firn_world_def_default();
    def.bodies.items = &ball;
    def.bodies.count = 1;
    firn_world *world = nullptr;
    if (firn_world_create(&def, &world) != FIRN_OK) return std::puts(firn_last_error()), 1;
    if (firn_world_advance(world, 1.0) != FIRN_OK) return std::puts(firn_last_error()), 1;
    double fallen = 10 - firn_world_body_state(world, 0).position.y;
    firn_world_close(world);
    std::printf("fell %.3f m\n", fallen);
    return fallen > 4.9 && fallen < 4.91 ? 0 : 1;
}
